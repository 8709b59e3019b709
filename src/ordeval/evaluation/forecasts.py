"""Scores of predicted probabilities: over all items, by topic, and of the units of statistics."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..data.column import CHUNK
from ..data.data import Data
from ..errors import plural, quoted
from ..measures.probabilities import MEANS, Forecasts, calibration_z, isotonic
from ..measures.scoring import Scores, mean_over_topics, replace_undefined
from ..measures.spec import Measure
from ..notes import Note, note, warning
from ..results import Calibration
from ..stats.resample import stream
from ..types import Codes, Floats, Ints

CORE_MEASURES = (
    "rps",
    "rps_skill",
    "log_score",
    "brier",
    "calibration_error",
    "rps_miscalibration",
    "somers_d",
    "threshold_auc",
    "kappa(weights='quadratic')",
    "mae",
    "accuracy",
)
_CELLS = 200  # of items of about the same probability, from which bands are drawn
_GRID = 51  # places of a reliability curve
_DRAWS = 1000  # with fewer, bands are too narrow


def of_probabilities(measure: Measure) -> bool:
    """Return whether a measure scores probabilities."""
    return measure.record.task == "probabilities"


def forecasts_of(data: Data, system: int, rows: Ints | slice = slice(None)) -> Forecasts:
    """Return the probabilities of a system for some rows."""
    units, gold = data.units, data.codes[0][rows].astype(np.intp)
    weight = np.ones(len(gold)) if units.weight is None else units.weight[rows]
    weight = weight if units.count is None else weight * units.count[rows]
    return Forecasts(gold, data.proba[system][rows], weight, data.scale.numbers)


def _topics(data: Data, *, pooled: bool) -> list[Ints | slice]:
    """Return the rows of every topic, or all rows."""
    topic = data.units.topic
    if pooled or topic is None:
        return [slice(None)]
    order = np.argsort(topic, kind="stable")
    ends = np.cumsum(np.bincount(topic, minlength=len(data.units.topics)))[:-1]
    return list(np.split(order, ends))


def _score(measures: Sequence[Measure], data: Data, *, pooled: bool) -> Floats:
    """Return scores `[measure, system, topic]`."""
    parts = _topics(data, pooled=pooled)
    if len(parts) == 1 and len(data) > CHUNK and all(m.id in MEANS for m in measures):
        return _means(measures, data)
    scores = np.empty((len(measures), len(data.proba), len(parts)))
    for t, rows in enumerate(parts):
        for s in range(len(data.proba)):
            f = forecasts_of(data, s, rows)
            for m, measure in enumerate(measures):
                scores[m, s, t] = f.mean(_added(measure, f))
    return scores


def _means(measures: Sequence[Measure], data: Data) -> Floats:
    """Return scores `[measure, system, 1]` that are means over items, chunk by chunk."""
    sums, total = np.zeros((len(measures), len(data.proba), 1)), 0.0
    for start in range(0, len(data), CHUNK):
        rows = slice(start, start + CHUNK)
        for s in range(len(data.proba)):
            f = forecasts_of(data, s, rows)
            for m, measure in enumerate(measures):
                sums[m, s] += f.weight @ _added(measure, f)
        total += f.weight.sum()
    return sums / total


def _added(measure: Measure, f: Forecasts) -> Floats:
    """Return what every item adds to a score."""
    added: Floats = measure.record.function(f, **measure.params)
    return added


def item_scores(measure: Measure, data: Data, system: int, rows: Ints) -> tuple[Floats, Floats]:
    """Return what each of some rows adds to their score, and the score."""
    f = forecasts_of(data, system, rows)
    added = _added(measure, f)
    return added, f.mean(added)


def with_forecasts(scores: Scores, data: Data) -> Scores:
    """Return scores with those of the probabilities."""
    rows = [i for i, m in enumerate(scores.measures) if of_probabilities(m)]
    measures = [scores.measures[i] for i in rows]
    values, missing, per_topic = scores.values.copy(), scores.undefined.copy(), scores.per_topic
    found = _score(measures, data, pooled=not data.has_topics)
    if per_topic is not None:
        per_topic = per_topic.copy()
        per_topic[rows] = found
    if per_topic is not None and scores.aggregate == "mean":
        values[rows], missing[rows] = (
            mean_over_topics(found, scores.replaced),
            np.isnan(found).sum(-1),
        )
    else:
        whole = (_score(measures, data, pooled=True) if data.has_topics else found)[..., 0]
        values[rows], missing[rows] = replace_undefined(whole, scores.replaced), np.isnan(whole)
    return replace(scores, values=values, undefined=missing, per_topic=per_topic)


def unit_scores(
    data: Data, scores: Scores, unit: Codes | None, averaged: bool, most: int
) -> Floats:
    """Return scores `[measure, system, unit]` whose means are those of the systems.

    `unit` is the topic or cluster of every row; None for single items, of which more than `most`
    are dealt into groups at random.
    """
    if unit is None and data.units.count is not None:
        data = _repeated(data)
    place = _dealt(data, most) if unit is None else np.unique(unit, return_inverse=True)[1]
    parts, units = _topics(data, pooled=not averaged), int(place.max()) + 1
    sums, used = np.zeros((*scores.values.shape, units)), np.zeros(scores.values.shape)
    for rows in parts:
        for s in range(len(data.proba)):
            f = forecasts_of(data, s, rows)
            for m, measure in enumerate(scores.measures):
                added = _added(measure, f)
                with np.errstate(invalid="ignore"):
                    apart = f.share * (added - f.mean(added))
                if np.isfinite(apart).all():
                    sums[m, s] += np.bincount(place[rows], apart, units)
                    used[m, s] += 1
    whole = used if scores.replaced == "skip" else len(parts)
    sums /= np.maximum(whole, 1)[..., None]
    values = np.where(np.isfinite(scores.values), scores.values, np.nan)
    return np.asarray(values[..., None] + units * sums)


def _repeated(data: Data) -> Data:
    """Return data with a row for every item."""
    assert data.units.count is not None
    rows = np.repeat(np.arange(len(data)), data.units.count)
    found = data.take(rows)
    return replace(found, units=replace(found.units, count=None))


def _dealt(data: Data, most: int) -> Ints:
    """Return the unit of every item, whatever the order of the rows."""
    n = len(data)
    place = np.empty(n, np.intp)
    place[row_order(data)] = np.arange(n) if n <= most else stream(0, "dealt").permutation(n) % most
    return place


def row_order(data: Data) -> Ints:
    """Return an order of the rows that depends on what they hold, and not on where they are."""
    *mark, of_gold, of_weight, of_count = stream(0, "dealt").random(data.scale.k + 3).tolist()
    key = of_gold * data.codes[0] + sum(p @ np.array(mark) for p in data.proba)
    weight = data.units.weight
    key += 0 if weight is None else of_weight * weight / weight.mean()
    key += 0 if data.units.count is None else of_count * data.units.count
    return np.argsort(key, kind="stable")


def in_order(data: Data) -> Data:
    """Return the rows in an order of their own, so that sums have the same bits; not of many."""
    return data.take(row_order(data)) if len(data) <= CHUNK else data


# Calibration.


def calibration_of(data: Data, seed: int, level: float) -> Calibration:
    """Return how well the probabilities of every system are calibrated."""
    data = data if data.units.count is None else _repeated(data)
    every = [_of_system(forecasts_of(data, s), data, seed, level) for s in range(len(data.proba))]
    parts, z, curves = zip(*every, strict=True)
    x, y, half = (np.stack(arrays) for arrays in zip(*curves, strict=True))
    return Calibration(np.array(parts), np.array(z), x, y, half, level)


def _of_system(
    f: Forecasts, data: Data, seed: int, level: float
) -> tuple[list[float], float, tuple[Floats, Floats, Floats]]:
    """Return decomposition, statistic and curves of a system."""
    means = [float(f.mean(((F - f.events) ** 2) @ f.steps))
             for F in (f.cumulative, f.recalibrated, f.mean(f.events))]  # fmt: skip
    score, fitted, shares = means
    units = data.units
    unit = units.cluster if units.cluster is not None else units.topic
    return (
        [score, score - fitted, shares - fitted, shares],
        calibration_z(f, unit),
        _curves(f, unit, seed, level),
    )


def _curves(
    f: Forecasts, unit: Codes | None, seed: int, level: float
) -> tuple[Floats, Floats, Floats]:
    """Return reliability curves `[threshold, place]`: places, fitted shares, half of the band.

    The band holds all curves of calibrated probabilities at once with the probability `level`.
    """
    rng, curves = stream(seed, "bands"), []
    for cumulative, event in zip(f.cumulative.T, f.events.T, strict=True):
        places, fit, _ = isotonic(cumulative, event, f.weight)
        at = np.linspace(places[0], places[-1], _GRID)
        cells, drawn = _drawn(cumulative, event, f.weight, unit, rng)
        deviations = np.stack([np.interp(at, cells, row) for row in drawn]) - np.interp(
            at, cells, cells
        )
        curves.append((at, np.interp(at, places, fit), deviations))
    spread = [np.sqrt((d**2).mean(axis=0)) for _, _, d in curves]
    scaled = [np.abs(d) / np.maximum(s, 1e-12) for (_, _, d), s in zip(curves, spread, strict=True)]
    far = np.quantile(np.max([x.max(axis=1) for x in scaled], axis=0), level)
    x, y = (np.stack([curve[i] for curve in curves]) for i in (0, 1))
    return x, y, far * np.stack(spread)


def _drawn(
    x: Floats, event: Floats, weight: Floats, unit: Codes | None, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return probabilities of groups of items, and fits of what calibration would let happen."""
    from scipy.optimize import isotonic_regression

    edges = np.unique(np.quantile(x, np.linspace(0, 1, _CELLS + 1)[1:-1]))
    place = np.unique(np.searchsorted(edges, x, side="right"), return_inverse=True)[1]
    mass = np.bincount(place, weight)
    cells = np.clip(np.bincount(place, weight * x) / mass, 0, 1)
    if unit is None:
        number = np.maximum(1, np.round(mass**2 / np.bincount(place, weight**2))).astype(np.int64)
        shares = rng.binomial(number, cells, (_DRAWS, len(cells))) / number
    else:
        shares = cells + _noise_of_units(x, event, weight, place, unit, rng) / mass
    fits = np.stack([isotonic_regression(s, weights=mass).x for s in shares])
    return cells, np.clip(fits, 0, 1)


def _noise_of_units(
    x: Floats, event: Floats, weight: Floats, place: Ints, unit: Codes, rng: np.random.Generator
) -> Floats:
    """Draw sums of event − x by cell, where two items of a unit have the same correlation.

    The variances are those that follow from x, and few units have heavy tails.
    """
    from scipy.sparse import csr_array

    variance, freedom = weight**2 * x * (1 - x), max(1, len(np.unique(unit)) - 1)
    expected, observed = (
        (np.bincount(unit, part) ** 2).sum() - (part**2).sum()  # over pairs of a unit
        for part in (np.sqrt(variance), weight * (event - x))
    )
    alike = float(np.clip(observed / expected, 0, 1)) if expected > 0 else 0.0
    sums = csr_array((np.sqrt(variance), (unit, place)))
    covariance = alike * (sums.T @ sums).toarray()
    covariance[np.diag_indices_from(covariance)] += (1 - alike) * np.bincount(place, variance)
    values, vectors = np.linalg.eigh(covariance)
    normal = rng.standard_normal((_DRAWS, len(values))) @ (vectors * np.sqrt(values.clip(0))).T
    return np.asarray(normal * np.sqrt(freedom / rng.chisquare(freedom, (_DRAWS, 1))))


# Notes.


def forecast_notes(scores: Scores, data: Data) -> Iterator[Note]:
    """Say how classes were decided, and which log scores are infinite, and why."""
    yield note("proba", "Predicted classes are the most probable ones; `decide` has other rules.")
    names = [m.label for m, row in zip(scores.measures, scores.values, strict=True)
             if np.isinf(row).any()]  # fmt: skip
    if not names:
        return
    items = {name: forecasts_of(data, s) for s, name in enumerate(data.systems)}
    zero = {name: int((f.of_gold == 0).sum()) for name, f in items.items()}
    told = quoted((f"{name}: {n:,}" for name, n in zero.items() if n), 5)
    most = plural(len(data), "item")
    yield warning(
        "infinite",
        f"Infinite {', '.join(names)}: gold has the probability 0 for some of {most} ({told}).",
    )
