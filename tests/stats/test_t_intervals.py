"""Intervals from the jackknife over units: their definition and their coverage with few units."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import ordeval as oe
from ordeval.stats.intervals import mean_jackknife, t_interval


def test_for_a_mean_it_is_the_usual_t_interval() -> None:
    scores = np.random.default_rng(0).random((2, 3, 7))
    found = t_interval(scores.mean(axis=-1), mean_jackknife(scores)[0])
    se = scores.std(axis=-1, ddof=1) / np.sqrt(7)
    assert np.allclose(found.se, se)
    assert np.allclose(found.high - found.estimate, student.ppf(0.975, 6) * se)


def test_units_without_a_score_do_not_count() -> None:
    left_out = np.array([[0.4, 0.5, np.nan, 0.6]])
    some, fewer = (t_interval([0.5], x) for x in (left_out, left_out[:, [0, 1, 3]]))
    assert (some.low[0], some.high[0]) == (fewer.low[0], fewer.high[0])
    assert some.undefined[0] == 1
    assert np.isnan(t_interval([0.5], left_out[:, :1]).low[0])


def test_equal_units_have_no_spread_whatever_the_rounding() -> None:
    scores = np.full((1, 9), 0.1 + 0.2)
    assert t_interval(scores.mean(axis=-1), mean_jackknife(scores)[0]).se[0] == 0


@pytest.mark.parametrize("setting", ["topics", "cluster"])
def test_coverage_with_few_units(setting: str) -> None:
    rng, units, runs = np.random.default_rng(4), 8, 250
    inside = {"t": 0, "percentile": 0}
    # Of a unit's ten items a share is right that differs from unit to unit; 2/3 in the mean.
    for run in range(runs):
        unit = np.repeat(np.arange(units), 10)
        right = rng.random(units * 10) < rng.beta(6, 3, size=units)[unit]
        gold = rng.integers(2, size=units * 10)
        how: dict[str, Any] = {setting: unit, "measures": "accuracy", "rng": run, "bootstrap": 200}
        for method in ("t", "percentile"):
            found = oe.evaluate(gold, np.where(right, gold, 1 - gold), labels=[0, 1],
                                method=method, **how).standing("y_pred")  # fmt: skip
            inside[method] += found.low <= 2 / 3 <= found.high
    assert 0.90 < inside["t"] / runs < 0.99
    assert inside["percentile"] < inside["t"]


def test_many_units_need_memory_in_proportion() -> None:
    scores = np.random.default_rng(0).random((3, 20_000))
    tracemalloc.start()
    mean_jackknife(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * scores.nbytes


@pytest.mark.parametrize("undefined", [None, "skip", 0.5])
def test_leaving_one_out_is_the_mean_of_the_others(undefined: Any) -> None:
    scores = np.random.default_rng(2).random((2, 6))
    scores[0, 3] = np.nan
    found, _ = mean_jackknife(scores, undefined)
    for t in range(6):
        rest = np.delete(scores, t, axis=1)
        filled = rest if isinstance(undefined, str | None) else np.nan_to_num(rest, nan=undefined)
        mean = np.nanmean if undefined == "skip" else np.mean
        assert np.allclose(found[:, t], mean(filled, axis=1), equal_nan=True)
