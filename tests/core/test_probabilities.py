"""Measures of probabilities by slow definitions over items, and by other packages."""

from collections.abc import Callable
from math import inf, isnan, log, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.measures.probabilities import Forecasts, calibration_z

Rows = list[list[float]]


def _sum(weights: list[float], values: list[float]) -> float:
    return sum(w * x for w, x in zip(weights, values, strict=True) if w) / sum(weights)


def _rps(gold: int, row: list[float], v: list[float]) -> float:
    parts = [(v[k + 1] - v[k]) * (sum(row[: k + 1]) - (gold <= k)) ** 2 for k in range(len(v) - 1)]
    return sum(parts) / (v[-1] - v[0])


def _brier(gold: int, row: list[float], v: list[float]) -> float:
    return sum((p - (k == gold)) ** 2 for k, p in enumerate(row))


def _log(gold: int, row: list[float], v: list[float]) -> float:
    return inf if row[gold] == 0 else -log(row[gold])


def _spherical(gold: int, row: list[float], v: list[float]) -> float:
    return row[gold] / sqrt(sum(p * p for p in row))


_ITEMS: dict[str, Callable[[int, list[float], list[float]], float]] = {
    "rps": _rps,
    "brier": _brier,
    "log_score": _log,
    "spherical": _spherical,
}


def slow(name: str, gold: list[int], rows: Rows, w: list[float], v: list[float]) -> float:
    """Return a score as its definition says, over items and pairs of items."""
    if name in _ITEMS:
        return _sum(w, [_ITEMS[name](g, row, v) for g, row in zip(gold, rows, strict=True)])
    if name.startswith("macro_"):
        loss = [_ITEMS[name[6:]](g, row, v) for g, row in zip(gold, rows, strict=True)]
        classes = sorted(set(gold))
        means = [
            _sum([x for x, g in zip(w, gold, strict=True) if g == c],
                 [x for x, g in zip(loss, gold, strict=True) if g == c])
            for c in classes
        ]  # fmt: skip
        return sum(means) / len(means)
    if name == "rps_skill":
        shares = [_sum(w, [float(g == k) for g in gold]) for k in range(len(v))]
        reference = _sum(w, [_rps(g, shares, v) for g in gold])
        return nan if reference < 1e-15 else 1 - slow("rps", gold, rows, w, v) / reference
    expected = [sum(p * x for p, x in zip(row, v, strict=True)) for row in rows]
    if name == "somers_d":
        return _ordered(gold, expected, w)
    areas = []
    for k in range(len(v) - 1):
        above = [int(g > k) for g in gold]
        area = _ordered(above, [-sum(row[: k + 1]) for row in rows], w)
        areas += [] if isnan(area) else [(area + 1) / 2]
    return sum(areas) / len(areas) if areas else nan


def _ordered(gold: list[int], score: list[float], w: list[float]) -> float:
    right = pairs = 0.0
    for i, gi in enumerate(gold):
        for j, gj in enumerate(gold):
            if gi < gj:
                apart = round(score[j] - score[i], 9)
                right += w[i] * w[j] * ((apart > 0) - (apart < 0))
                pairs += w[i] * w[j]
    return right / pairs if pairs else nan


def _case(seed: int, k: int, n: int) -> tuple[list[int], Rows, list[float], list[float]]:
    rng = np.random.default_rng(seed)
    parts = rng.integers(0, 5, (n, k)) + (rng.random((n, k)) < 0.1)
    parts[parts.sum(axis=1) == 0] = 1
    rows = parts / parts.sum(axis=1, keepdims=True)
    v = np.cumsum(rng.integers(1, 4, k)).astype(float)
    w = rng.integers(1, 4, n).astype(float)
    return rng.integers(0, k, n).tolist(), rows.tolist(), w.tolist(), v.tolist()


_NAMES = [*_ITEMS, "macro_rps", "macro_brier", "macro_log_score", "rps_skill", "somers_d"]
_NAMES += ["threshold_auc"]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 25), st.sampled_from(_NAMES))
def test_measures_agree_with_slow_definitions(seed: int, k: int, n: int, name: str) -> None:
    gold, rows, w, v = _case(seed, k, n)
    f = Forecasts(np.array(gold), np.array(rows), np.array(w), np.array(v))
    # Sums of probabilities that are equal on paper are so to nine digits in the slow definition.
    f = Forecasts(f.gold, f.proba, f.weight, f.values)
    object.__setattr__(f, "cumulative", np.round(f.cumulative, 12))
    object.__setattr__(f, "expected", np.round(f.expected, 9))
    value = float(f.mean(oe.measure(name).record.function(f)))
    assert value == pytest.approx(slow(name, gold, rows, w, v), abs=1e-8, nan_ok=True)
    m = oe.measure(name)
    assert isnan(value) == any(c.holds(f) for c in m.record.undefined(m.params))
    low, high = m.bounds(v)
    assert isnan(value) or low - 1e-9 <= value <= high + 1e-9


def test_one_hot_probabilities_have_the_mae_in_shares_of_the_scale() -> None:
    gold, pred = np.array([1, 2, 3, 4, 4, 2]), np.array([1, 4, 3, 2, 3, 2])
    result = oe.evaluate(gold, proba=np.eye(4)[pred - 1], measures="rps, mae", labels=range(1, 5))
    assert result["rps"].value == pytest.approx(result["mae"].value / 3)


def _forecasts(n: int = 400, k: int = 4, seed: int = 0) -> Forecasts:
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(k), n)
    gold = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return Forecasts(gold, proba, np.ones(n), np.arange(1.0, k + 1))


def test_the_parts_of_rps_add_up() -> None:
    f = _forecasts()
    proba = oe.evaluate(f.gold, proba=f.proba, measures="rps", labels=range(4))
    assert proba.calibration is not None
    score, miscalibration, discrimination, uncertainty = proba.calibration.parts[0]
    assert score == pytest.approx(miscalibration - discrimination + uncertainty, abs=1e-15)
    assert score == pytest.approx(proba["rps"].value)
    assert min(miscalibration, discrimination, uncertainty) > 0
    values = [float(f.mean(oe.measure(m).record.function(f))) for m in ("mcb", "dsc")]
    assert values == pytest.approx([miscalibration, discrimination])


def test_two_classes_agree_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    f = _forecasts(k=2)
    names = "brier, log_score, threshold_auc, concordance, rps"
    result = oe.evaluate(f.gold, proba=f.proba, measures=names, labels=[0, 1], draws=0)
    half = metrics.brier_score_loss(f.gold, f.proba[:, 1])
    assert result["brier"].value == pytest.approx(2 * half)
    assert result["rps"].value == pytest.approx(half)
    assert result["log_score"].value == pytest.approx(metrics.log_loss(f.gold, f.proba))
    area = metrics.roc_auc_score(f.gold, f.proba[:, 1])
    assert result["threshold_auc"].value == pytest.approx(area)
    assert result["concordance"].value == pytest.approx(area)


def test_ranked_probabilities_agree_with_scoringrules() -> None:
    peer = pytest.importorskip("scoringrules")
    f = _forecasts(k=5)
    result = oe.evaluate(f.gold, proba=f.proba, measures="rps_sum, log_score", labels=range(5))
    assert result["rps_sum"].value == pytest.approx(
        float(np.mean(peer.rps_score(f.gold + 1, f.proba)))
    )


def test_spiegelhalter_is_about_standard_normal_if_calibrated() -> None:
    z = [calibration_z(_forecasts(200, seed=seed)) for seed in range(300)]
    assert abs(np.mean(z)) < 0.2
    assert np.std(z) == pytest.approx(1, abs=0.12)
    assert np.mean(np.abs(z) > 1.96) < 0.09


@pytest.mark.parametrize("name", ["rps_skill", "macro_rps", "somers_d", "threshold_auc"])
def test_standard_errors_are_those_of_new_samples(name: str) -> None:
    function = oe.measure(name).record.function
    samples = [_forecasts(300, seed=seed) for seed in range(300)]
    scores = [float(f.mean(function(f))) for f in samples]
    errors = [float(np.std(function(f)) / sqrt(300)) for f in samples]
    assert np.mean(errors) == pytest.approx(np.std(scores), rel=0.12)


def test_rounded_probabilities_are_renormalised_with_a_note() -> None:
    rows = np.array([[0.333, 0.333, 0.333], [0.2, 0.3, 0.5]])
    result = oe.evaluate([1, 2], proba=rows, labels=[1, 2, 3], measures="rps", draws=0)
    exact = rows / rows.sum(axis=1, keepdims=True)
    same = oe.evaluate([1, 2], proba=exact, labels=[1, 2, 3], measures="rps", draws=0)
    assert result.scores.values == pytest.approx(same.scores.values)
    assert any("Renormalised" in str(note) for note in result.notes)
    with pytest.raises(oe.InputError, match="divide each row by its sum"):
        oe.evaluate([1, 2], proba=rows - 0.01, labels=[1, 2, 3], measures="rps")
