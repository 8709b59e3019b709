"""Sums that do not depend on the order of the addends."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordeval.exact import Grids, parts_of, rounded_sum
from ordeval.types import Array, Floats

NUMBERS = st.floats(-1e90, 1e90, allow_subnormal=False)


def exact_sums(code: Array, values: Floats, cells: int, times: Array | None = None) -> Floats:
    """Sums of values by cell, each added so many times."""
    return rounded_sum([np.bincount(code, part, cells) for part in parts_of(values, times)])


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 2), st.integers(0, 10**6)), min_size=1))
def test_sums_are_the_nearest_floats(rows: list[tuple[float, int, int]]) -> None:
    values, cells, times = (np.asarray(column) for column in zip(*rows, strict=True))
    for often in (None, times):
        exact = [Fraction(0)] * 3
        for value, cell, n in rows:
            exact[cell] += Fraction(value) * (1 if often is None else n)
        assert exact_sums(cells, values, 3, often).tolist() == [float(x) for x in exact]


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1))
def test_three_addends_are_rounded_once(rows: list[tuple[float, float, float]]) -> None:
    parts = [np.asarray(column, dtype=float) for column in zip(*rows, strict=True)]
    expected = [float(sum(map(Fraction, row))) for row in rows]
    assert rounded_sum(parts).tolist() == expected


def test_a_tie_that_is_none_is_not_rounded_to_even() -> None:
    # 1 + half a unit of the last place + very little: rounding twice would lose the last part.
    parts = [np.asarray([x]) for x in (1.0, 2.0**-53, 2.0**-120)]
    assert rounded_sum(parts)[0] == 1.0 + 2.0**-52


@pytest.mark.parametrize("least", [0.3, 1e-8, 1e-60])
def test_shifts_leave_a_rest_whose_sums_are_exact(least: float) -> None:
    rng = np.random.default_rng(0)
    values, parts = rng.uniform(least, 2.0, 1000), list[float]()
    values[:2] = least, 1.9
    rest, exact = values, sum(map(Fraction, values.tolist()))
    for shift in Grids(1.9, 1000).shifts(least):
        part = (rest + shift) - shift
        rest = rest - part
        parts.append(part.sum())
    assert sum(map(Fraction, [*parts, float(rest.sum())])) == exact


def test_what_is_too_large_to_be_split_is_summed_all_the_same() -> None:
    values = np.asarray([1e300, np.inf])
    assert exact_sums(np.asarray([0, 1]), values, 2).tolist() == [1e300, np.inf]
