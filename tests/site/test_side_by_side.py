"""The page "Measures side by side": it has every measure, and says what the tables show."""

from functools import cache

import pytest

import ordeval as oe
from docsite.side_by_side import CASES, scores, side_by_side_page

pytestmark = pytest.mark.slow


@cache
def page() -> str:
    return side_by_side_page()


def on(name: str) -> list[float]:
    """The scores of a measure on the eight tables."""
    return scores(oe.measure(name))


def test_the_page_has_every_measure_in_every_table() -> None:
    for m in oe.measures(None):
        if m.record.task in ("probabilities", "ratings"):  # which have pages of their own
            continue
        assert page().count(f'<th scope="row"><a href="measures/{m.id}.html">') >= 2, m


def test_there_are_eight_tables_that_no_two_measures_of_the_advice_rank_alike() -> None:
    assert len(CASES) == 8
    names = ("cem", "mae", "macro_mae", "kappa(weights='linear')", "alpha(level='ordinal')")
    orders = {tuple(sorted(range(8), key=lambda i: oe.measure(n).sign * on(n)[i])) for n in names}
    assert len(orders) == len(names)
