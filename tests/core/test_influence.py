"""Influence functions: formulas against finite differences, and what both must satisfy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import ordeval as oe
from ordeval.evaluation.sample import CORE_MEASURES
from ordeval.measures.influence import influence, numerical_influence
from ordeval.measures.registry import records

WITH_FORMULA = [
    *CORE_MEASURES,
    "kappa(weights=((0, 1, 5), (2, 0, 1), (4, 1, 0)))",
    "alpha(level='interval')",
    "cem(log=False)",
    "macro_mae(empty='zero')",
    "macro_f1(classes='union')",
    *("mean", "share(label=1)"),
    *("mse", "rmse", "macro_mse", "mer", "macro_recall", "gmean", "cohen_kappa"),
]


def test_the_core_measures_have_formulas() -> None:
    """The measures that are scored by default do not need finite differences."""
    with_formula = {record.id for record in records().values() if record.influence is not None}
    assert {oe.measure(name).id for name in CORE_MEASURES} <= with_formula
    assert with_formula == {oe.measure(name).id for name in WITH_FORMULA}


@pytest.mark.parametrize("name", WITH_FORMULA)
@settings(max_examples=25)
@given(data=st.data())
def test_formulas_agree_with_finite_differences(name: str, data: st.DataObject) -> None:
    """On tables in which every class occurs; cells may be empty."""
    k = 3 if "((" in name else data.draw(st.integers(2, 5))
    off = data.draw(arrays(np.float64, (2, k, k), elements=st.integers(0, 20)))
    tables = off + 3 * np.eye(k)
    values = np.cumsum(data.draw(arrays(np.float64, k, elements=st.integers(1, 4))))
    measure = oe.measure(name)
    exact, steps = influence(measure, tables, values), numerical_influence(measure, tables, values)
    np.testing.assert_allclose(exact, steps, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose((tables * exact).sum(axis=(-2, -1)), 0.0, atol=1e-9)


@pytest.mark.parametrize("name", WITH_FORMULA[:9])
def test_empty_classes_have_the_difference_over_a_step(name: str) -> None:
    """Where a score jumps with the first item of a class, the influence is finite and large."""
    n, values = np.array([[6.0, 1, 2], [0, 0, 0], [1, 0, 5]]), np.arange(1.0, 4)
    measure = oe.measure(name)
    exact, steps = influence(measure, n, values), numerical_influence(measure, n, values)
    used = n.sum(axis=-1) > 0
    np.testing.assert_allclose(exact[used], steps[used], rtol=1e-6, atol=1e-6)
    assert np.isfinite(exact).all()
    assert (np.abs(exact[1]).max() > 1e3) == (name in ("macro_mae", "macro_f1"))


def test_undefined_scores_have_no_influence() -> None:
    """NaN, whether by formula or by differences."""
    constant = np.array([[0.0, 3.0], [0.0, 2.0]])
    for name in ("kendall_b", "spearman"):
        assert np.isnan(influence(oe.measure(name), constant, np.arange(2.0))).all()


@pytest.mark.parametrize("name", ["spearman", "uoc(beta=0.25)", "gmean", "kendall_a"])
def test_influences_predict_what_one_item_changes(name: str) -> None:
    """To first order, an item more in a cell adds the influence of the cell divided by N."""
    n = np.array([[40.0, 12, 3], [9, 50, 8], [2, 11, 30]]) * 100
    measure, values = oe.measure(name), np.arange(1.0, 4)
    more = n + np.eye(9).reshape(9, 3, 3)
    change = (measure.of(more * n.sum() / (n.sum() + 1)) - measure.of(n)) * (n.sum() + 1)
    np.testing.assert_allclose(change.reshape(3, 3), influence(measure, n, values), atol=1e-3)
