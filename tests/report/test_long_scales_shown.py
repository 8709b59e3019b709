"""Pages, figures and tables of scales with a thousand classes stay short."""

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.plot.heatmaps import confusion_grid
from ordeval.scale import class_groups

K = 1001


@pytest.fixture(scope="module")
def result() -> oe.Result:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, K, 500)
    pred = np.clip(np.round(gold + rng.normal(0, 50, 500)), 0, K - 1).astype(int)
    return oe.evaluate(gold, pred, labels=list(range(K)), measures="mae", bootstrap=0)


@pytest.mark.parametrize(
    ("k", "groups", "first"), [(101, 101, "0"), (102, 51, "0 to 1"), (1001, 101, "0 to 9")]
)
def test_groups_have_a_round_number_of_classes(k: int, groups: int, first: str) -> None:
    names, starts = class_groups(range(k))
    assert (len(names), len(starts), names[0]) == (groups, groups, first)
    assert names[-1].endswith(str(k - 1))


def test_squares_of_a_confusion_matrix_stand_for_groups(result: oe.Result) -> None:
    assert result.tables is not None
    table = result.tables[0]
    grid = confusion_grid(table, result.scores.scale.labels, "s")
    assert len(grid.rows) == len(grid.columns) == 101
    assert grid.rows[3][1][4].text == f"{table[30:40, 40:50].sum():.0f}"
    ax = oe.plot.confusion(result)
    assert ax.get_title(loc="left").endswith("(in groups of 10 classes)")
    assert not ax.texts
    assert len(ax.get_xticklabels()) < 40


def test_a_page_and_its_tables_are_bounded(result: oe.Result) -> None:
    page = result.to_html()
    assert len(page) < 600_000
    assert "50 of 1,001 classes, those with the most gold items" in page


def test_figures_per_class_print_a_part_and_export_all() -> None:
    figures = oe.per_class(list(range(K)), list(range(K)), labels=list(range(K)))
    text = str(figures)
    assert len(text.splitlines()) < 70
    assert "50 of 1,001 classes" in text
    assert len(figures.to_csv().splitlines()) == K + 1
    assert len(figures.to_frame()) == K


def test_a_hundred_classes_are_all_printed() -> None:
    figures: Any = oe.per_class(list(range(101)), list(range(101)), labels=list(range(101)))
    assert len(str(figures).splitlines()) > 101
