"""Scores depend on shares: neither the unit of weights nor rounding decides what is defined."""

from typing import Any

import numpy as np
import pytest
from core_tables import VARIANTS
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe

MEASURES = [
    *oe.measures(batched=True),
    *map(oe.measure, (*VARIANTS, "kappa(weights='closeness')", "cem(scale='interval')")),
]
PROPORTIONAL = [m for m in MEASURES if "proportional" in m.record.claims]


@st.composite
def fractional_tables(draw: Any) -> Any:
    """Tables of weights, often with a single gold class, a single prediction or a single cell."""
    k = draw(st.integers(2, 5))
    weights = st.floats(1e-3, 1e3)
    table = np.array(draw(st.lists(weights, min_size=k * k, max_size=k * k))).reshape(k, k)
    rows, columns = (
        np.array(draw(st.lists(st.booleans(), min_size=k, max_size=k))) for _ in range(2)
    )
    table[~rows] = 0.0
    table[:, ~columns] = 0.0
    return table


@settings(max_examples=150)
@given(fractional_tables())
def test_a_score_is_undefined_exactly_under_its_conditions(table: Any) -> None:
    values = np.arange(1.0, len(table) + 1)
    for measure in MEASURES:
        conditions = measure.record.undefined(measure.params)
        expected = any(bool(c.holds(table, values)) for c in conditions)
        assert np.isnan(measure.kernel(table, values)) == expected, str(measure)


@settings(max_examples=100)
@given(fractional_tables(), st.sampled_from([1e-12, 1e-6, 1 / 3, 7.0, 1e6, 1e12]))
def test_the_unit_of_weights_changes_no_score(table: Any, unit: float) -> None:
    values = np.arange(1.0, len(table) + 1)
    for measure in PROPORTIONAL:
        one, other = (float(measure.kernel(t, values)) for t in (table, unit * table))
        assert other == pytest.approx(one, rel=1e-9, abs=1e-9, nan_ok=True), str(measure)


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_closeness_of_constant_gold_is_undefined_whatever_the_sums_round_to(scale: str) -> None:
    table = np.zeros((4, 4))
    table[1] = [10.998960113328698, 3.8411006138968324, 9.09644937429651, 13.363489898477951]
    measure = oe.measure(f"cem(scale='{scale}')")
    assert np.isnan(measure.kernel(table, np.arange(1.0, 5)))
