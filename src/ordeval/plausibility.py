"""Whether figures that were read from a file can be those of a result.

The checks are no stricter than what the program computes: a difference may come from fewer topics
than the scores, and an interval need not contain its score.
"""

from collections.abc import Collection, Sequence
from dataclasses import fields
from math import inf

import numpy as np

from .errors import abbreviate, check_choice
from .measures.scoring import Scores
from .rater_results import Agreement, Estimate, Judgement, PanelScore, verdict
from .results import Intervals, Result, Tests
from .types import Array, Floats

_ROUNDING = 1e-9  # of the largest number that the figures can be
_MOST_ITEMS = float(2**63)
_OVER = ("items", "clusters", "items and raters", "clusters and raters")


def check_result(found: Result) -> None:
    """Raise a ValueError unless a result can be one that the program computed.

    Parameters
    ----------
    found : Result
        The result, whose arrays have the right shapes.
    """
    _check_sizes(found)
    bounds = _bounds(found)
    width = bounds[:, 1] - bounds[:, 0]
    _check_scores(found.scores, bounds)
    if found.intervals is not None:
        _check_intervals("an interval", found.intervals, bounds)
    if found.differences is not None:
        _check_intervals("an interval of a difference", found.differences, None)
        _check_turned("intervals of differences", found.differences.low, found.differences.high)
        _check_turned("standard errors of differences", found.differences.se, sign=1)
    if found.tests is not None:
        _check_tests(found.tests, width)


def check_agreement(found: Agreement) -> None:
    """Raise a ValueError unless an agreement can be one that the program computed.

    Parameters
    ----------
    found : Agreement
        The agreement of raters.
    """
    for name in ("items", "shared", "ratings", "replicates", "seed", "effective", "clusters"):
        check_range(name, np.array(float(getattr(found, name))), 0, _MOST_ITEMS * 200, gaps=False)
    if not 0 < found.level < 1:
        raise ValueError(f"level is {found.level}, which is not between 0 and 1")
    check_choice("over", found.over, _OVER)
    check_choice("method", found.method, ("dirichlet", "t", ""))
    for measure, estimate in found.coefficients.items():
        if measure.record.task != "raters":
            raise ValueError(f"{measure} is no coefficient of several raters")
        _check_estimate(str(measure), estimate, *measure.bounds(found.scale))
    names = [row.rater for row in found.raters]
    for pair in found.pairs:
        if pair.first not in names or pair.second not in names:
            raise ValueError(f"{abbreviate(pair.first)} or {abbreviate(pair.second)} is no rater")
        _check_estimate(str(pair.measure), pair.estimate, *pair.measure.bounds(found.scale))
    for row in found.raters:
        check_range("a share", np.array(row.shares), 0, 1, gaps=False)
        if len(row.shares) != found.scale.k:
            raise ValueError(f"{abbreviate(row.rater)} has not one share for every class")
        _check_estimate("consistency", row.consistency, -1, 1)
        _check_estimate("severity", row.severity, -inf, inf)
    for kappa in found.kappas:
        check_range("a p-value", np.array(kappa.p), 0, 1)


def check_judgement(found: Judgement) -> None:
    """Raise a ValueError unless a judgement can be one that the program computed.

    Parameters
    ----------
    found : Judgement
        Models beside people; its agreement of people is checked elsewhere.
    """
    _check_panel(found)
    for row in found.scores:
        _check_panel_score(found, row)
    for ceiling in found.ceilings:
        for estimate in (ceiling.leave_one_out, ceiling.pairwise):
            _check_estimate(str(ceiling.measure), estimate, *ceiling.measure.bounds(found.scale))
    names = {*found.people, *found.models}
    for pair in found.pairs:
        _check_named((pair.first, pair.second), names)
        _check_estimate(str(pair.measure), pair.estimate, *pair.measure.bounds(found.scale))
    for part in found.slices:
        _check_named((part.model,), found.models)
        for estimate in (part.score, part.ceiling):
            _check_estimate("a score", estimate, *part.measure.bounds(found.scale))
        _check_estimate("a difference", part.difference, -inf, inf)
        check_choice("verdict", part.verdict, _VERDICTS if found.replicates else ("",))
    for test in found.tests:
        _check_named((test.model,), found.models)
        shares = [test.winning_rate, test.advantage]
        shares += [x for row in test.people for x in (row.model_wins, row.person_wins, row.p)]
        check_range("a share of the test", np.array(shares, dtype=float), 0, 1)
    for bias in found.biases:
        _check_named((bias.model,), found.models)
        check_range("a share", np.array(bias.shares, dtype=float), 0, 1)
        _check_estimate("ends", bias.ends, -inf, inf)
        _check_estimate("spread", bias.spread, 0, inf)


_VERDICTS = ("better", "as good as one more person", "worse", "undecided")


def _check_panel(found: Judgement) -> None:
    """Check names, settings, and that there is one row for every measure and name."""
    names = (*found.people, *found.models)
    if len(found.people) < 2 or not found.models or len(set(names)) < len(names):
        raise ValueError("people or models are missing or occur twice")
    if found.primary not in found.measures or len(set(found.measures)) < len(found.measures):
        raise ValueError("the measures are not different, or without the primary one")
    wanted = [(m, name) for m in found.measures for name in names]
    if [(row.measure, row.name) for row in found.scores] != wanted:
        raise ValueError("there is not one score for every measure and name")
    if [row.measure for row in found.ceilings] != list(found.measures):
        raise ValueError("there is not one ceiling for every measure")
    check_choice("gold", found.gold, ("soft", "majority", "median", "mean", "each"))
    check_choice("over", found.over, _OVER)
    for name in ("items", "replicates", "seed", "margin", "epsilon"):
        check_range(name, np.array(float(getattr(found, name))), 0, _MOST_ITEMS, gaps=False)
    if not 0 < found.level < 1:
        raise ValueError(f"level is {found.level}, which is not between 0 and 1")


def _check_panel_score(found: Judgement, row: PanelScore) -> None:
    kind = "person" if row.name in found.people else "model"
    if row.kind != kind:
        raise ValueError(f"{abbreviate(row.name)} is a {kind}")
    decided = kind == "model" and found.replicates > 0
    check_choice("verdict", row.verdict, _VERDICTS if decided else ("",))
    for estimate in (row.leave_one_out, row.pairwise):
        _check_estimate(str(row.measure), estimate, *row.measure.bounds(found.scale))
    for estimate in (row.difference, row.pairwise_difference):
        _check_estimate("a difference", estimate, -inf, inf)
    check_range("a margin", np.array(row.margin), 0, inf)
    expected = verdict(row.difference, row.measure, row.margin, row.items)
    if decided and row.verdict != expected:
        raise ValueError(f"the verdict on {abbreviate(row.name)} does not fit its interval")


def _check_named(given: Sequence[str], names: Collection[str]) -> None:
    for name in given:
        if name not in names:
            raise ValueError(f"{abbreviate(name)} is not among the people and models")


def _check_estimate(name: str, found: Estimate, low: float, high: float) -> None:
    check_range(name, np.array([found.value, found.low, found.high]), low, high)
    check_range("a standard error", np.array(found.se), 0, inf)
    _check_ends(f"the interval of {name}", np.array(found.low), np.array(found.high))


def _check_sizes(found: Result) -> None:
    """Check numbers of items: those of tables of weights can be of any size."""
    scores, largest = found.scores, _MOST_ITEMS
    for name, counts in (("tables", found.tables), ("shares", found.shares)):
        if counts is not None:
            check_range(name, counts, 0, inf, gaps=False)
    if found.tables is not None:
        with np.errstate(over="ignore"):
            sums = found.tables.sum(axis=(-2, -1))
        largest = max(largest, float(sums.max(initial=0)) * (1 + _ROUNDING))
    sizes = np.array([scores.items, scores.effective, *(scores.item_range or ())], dtype=float)
    check_range("a number of items", sizes, 0, largest, gaps=False)
    if scores.topic_items is not None:
        check_range("items of topics", scores.topic_items, 0, largest, gaps=False)
    if scores.item_range is not None and scores.item_range[0] > scores.item_range[1]:
        raise ValueError("the range of the numbers of items has its ends exchanged")


def _bounds(found: Result) -> Floats:
    """Return what the scores of every measure lie between: `[measure, 2]`.

    Measures of users may have scores outside the bounds that they declare, and so may measures of
    distributions whose sums are not 1. A number that replaces undefined scores may be anything.
    """
    scores, kept = found.scores, not found.about.get("renormalise", True)
    own = [m.record.function.__module__.startswith("ordeval.") for m in scores.measures]
    bounds = np.array(
        [
            scores.bounds(m) if ours and not kept else (-inf, inf)
            for m, ours in zip(scores.measures, own, strict=True)
        ]
    )
    if isinstance(scores.replaced, (int, float)):
        bounds[:, 0] = np.minimum(bounds[:, 0], scores.replaced)
        bounds[:, 1] = np.maximum(bounds[:, 1], scores.replaced)
    return bounds


def _check_scores(scores: Scores, bounds: Floats) -> None:
    low, high = _column(bounds[:, 0], 2), _column(bounds[:, 1], 2)
    check_range("a score", scores.values, low, high)
    if scores.per_topic is not None:
        check_range("a score of a topic", scores.per_topic, low[..., None], high[..., None])
    check_range("a number of undefined scores", scores.undefined, 0, max(len(scores.topics), 1))


def _check_intervals(name: str, found: Intervals, bounds: Floats | None) -> None:
    if bounds is not None:
        low, high = _column(bounds[:, 0], 2), _column(bounds[:, 1], 2)
        check_range(f"the end of {name}", np.stack([found.low, found.high]), low, high)
    _check_ends(name, found.low, found.high)
    check_range("a standard error", found.se, 0, inf)
    check_range("a number of undefined replicates", found.undefined, 0, inf)


def _check_tests(found: Tests, width: Floats) -> None:
    check_range("p", found.p, 0, 1)
    _check_turned("p", found.p, sign=1)
    widest = _column(width, 3)
    check_range("difference", found.difference, -widest, widest)
    for name in ("difference", "effect"):
        _check_turned(name, getattr(found, name))
    if found.detectable is not None:
        check_range("detectable", found.detectable, 0, inf)
        _check_turned("detectable", found.detectable, sign=1)
    if found.inner_low is not None and found.inner_high is not None:
        _check_ends("an inner interval", found.inner_low, found.inner_high)
        _check_turned("inner intervals", found.inner_low, found.inner_high)
    check_range("margin", np.array(found.margin), 0, inf)
    check_range("residual_variance", found.residual_variance, 0, inf)
    if found.anova is not None:
        for name in (f.name for f in fields(found.anova)):
            check_range(name, np.asarray(getattr(found.anova, name)), 0, inf)


def _column(numbers: Floats, axes: int) -> Floats:
    """Return a number per measure in a form that fits arrays of so many axes."""
    return numbers.reshape(-1, *[1] * (axes - 1))


def check_range(
    name: str, found: Array, low: Array | float, high: Array | float, *, gaps: bool = True
) -> None:
    """Raise a ValueError if a number is outside, apart from rounding.

    Parameters
    ----------
    name : str
        What the numbers are.
    found : ndarray
        The numbers.
    low, high : array_like
        The smallest and the largest number that each can be.
    gaps : bool
        Whether NaN is allowed, and infinity up to `low` and `high`.
    """
    wrong = (found < low - _slack(low)) | (found > high + _slack(high))
    if not gaps:
        wrong |= ~np.isfinite(found)
    if wrong.any():
        raise ValueError(f"{name} is {abbreviate(found[wrong][0].item())}, which cannot be")


def _slack(number: Array | float) -> Floats:
    """Return by how much rounding may exceed a number, which may be infinite."""
    return np.asarray(_ROUNDING * np.maximum(1.0, np.nan_to_num(np.abs(number), posinf=0.0)))


def _check_ends(name: str, low: Floats, high: Floats) -> None:
    if np.any(low > high + _slack(high)):
        raise ValueError(f"{name} has its ends exchanged")


def _check_turned(name: str, found: Floats, turned: Floats | None = None, sign: int = -1) -> None:
    """Check figures of pairs `[measure, system, system]` against those of the turned pairs."""
    other = sign * np.swapaxes(found if turned is None else turned, -1, -2)
    if not np.allclose(found, other, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True):
        raise ValueError(f"{name} of a pair and of the turned pair do not fit together")
