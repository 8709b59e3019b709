"""Compare two results, such as one that was stored with a release and that of today.

A result holds tables and the scores of topics. Topics that both share are units of a paired test.
Tables do not tell which items a system misses, so that two of them are compared as if their items
were different ones, from the intervals of both, and the result says so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np

from ..errors import InputError, quoted
from ..formatting import decimals, p_text
from ..measures.scoring import Scores
from ..measures.spec import Measure
from ..notes import Notes, warning
from ..options import CompareOptions
from ..results import Intervals, Result, Tests
from ..results.gate import SAME_SCORE, require_intervals
from ..results.result import difference_words
from ..stats.intervals import t_quantile
from ..types import Array, Gate
from .ratings import unusual
from .sample import Sample, Settings
from .significance import make_tests, tests_of


def compare_results(old: Any, new: Any, measures: Any, options: Mapping[str, Any]) -> Result:
    """Compare two results of one system each on the same data."""
    for name, value in {**unusual(options, CompareOptions), "measures": measures}.items():
        if name != "primary" and value is not None:
            message = f"{name} cannot be used with results, whose figures are computed already."
            raise InputError(message, parameter=name, hint=f"Leave {{{name}}} out.")
    if different := _difference(old, new):
        raise InputError(
            f"The results cannot be compared: {different}.",
            hint="Score one system at a time, on the same data and in the same way.",
        )
    shared = [m for m in new.measures if m in old.measures]
    own = old.scores.systems + new.scores.systems
    scores = _scores((old, new), shared, own if len({*own}) == 2 else ("old", "new"))
    intervals = _intervals((old, new), shared)
    asked = options.get("primary") or (new.primary if new.primary in shared else shared[0])
    tests, notes = _tests((old, new), scores, intervals)
    judge = _stacked((old, new), "judge", shared, "weight", "worth", "unusable")
    return Result(
        new.kind if new.tables is None else "comparison",
        scores,
        shared[scores.row(asked)],
        intervals,
        tests,
        None if new.tables is None else np.concatenate([old.tables, new.tables]),
        None if new.shares is None else np.stack([new.shares[0], old.shares[1], new.shares[1]]),
        None if new.judge is None else replace(new.judge, **judge),
        notes=tuple(dict.fromkeys((*new.notes, *notes))),
        about={"results": True},
    )


def _difference(old: Any, new: Any) -> str:
    """Return why two results do not belong together; empty if they do."""
    for result in (old, new):
        if not isinstance(result, Result):
            return "one holds no scores of systems"
        if len(result.systems) > 1:
            return f"one holds {len(result.systems)} systems, {quoted(result.systems, 3)}"
    if not {*old.measures} & {*new.measures}:
        keys = (quoted([m.key for m in result.measures], 3) for result in (old, new))
        return f"they have no measure in common ({' against '.join(keys)})"
    a, b = _facts(old), _facts(new)
    for name in (name for name in a if a[name] != b[name]):
        both = (quoted(facts[name], 9) or "none" for facts in (a, b))
        return f"their {name} differ ({' against '.join(both)})"
    return ""


def _facts(result: Result) -> dict[str, tuple[Any, ...]]:
    """Return what results on the same data share; sums of weights may differ by rounding."""
    scores, tables, shares, judge = result.scores, result.tables, result.shares, result.judge
    gold = tables[0].sum(axis=1) if tables is not None else [] if shares is None else shares[0]
    items = [scores.items] if scores.topic_items is None else scores.topic_items
    return {
        "items with gold beside a judge": () if judge is None else (judge.labelled, judge.items),
        "classes": scores.scale.labels,
        "values of classes": _rounded(scores.scale.numbers),
        "topics": scores.topics,
        "ways to average": (scores.aggregate,),
        "numbers of items": _rounded(items),
        "gold labels": _rounded(gold),
    }


def _rounded(numbers: Iterable[float]) -> tuple[float, ...]:
    numbers = (float(f"{x:.9g}") for x in numbers)
    return tuple(int(x) if x.is_integer() else x for x in numbers)


def _stacked(results: Sequence[Result], part: str, measures: Sequence[Measure], *names: str) -> Any:
    """Return arrays `[measure, system, ...]` of a part of both results, with both systems."""
    if any(getattr(result, part) is None for result in results):
        return {}

    def stacked(name: str) -> Array:
        rows = ([result.scores.row(m) for m in measures] for result in results)
        of = [getattr(getattr(result, part), name) for result in results]
        return np.concatenate([x[row] for x, row in zip(of, rows, strict=True)], axis=1)

    return {name: stacked(name) for name in names}


def _scores(both: Sequence[Result], measures: Sequence[Measure], names: Sequence[str]) -> Scores:
    by_topic = ["per_topic"] if both[0].scores.per_topic is not None else []
    arrays = _stacked(both, "scores", measures, "values", "undefined", *by_topic)
    return replace(both[1].scores, measures=(*measures,), systems=(*names,), **arrays)


def _intervals(both: Sequence[Result], measures: Sequence[Measure]) -> Intervals | None:
    held = [result.intervals for result in both if result.intervals is not None]
    if len(held) < 2 or held[0].level != held[1].level:
        return None
    arrays = _stacked(both, "intervals", measures, "low", "high", "se", "undefined")
    why = [[result[m].rows[0].doubt for result in both] for m in measures]
    return replace(held[1], **arrays).doubted(np.array(why, dtype=object))


def _tests(
    results: Sequence[Result], scores: Scores, intervals: Intervals | None
) -> tuple[Tests | None, Notes]:
    """Test the difference over topics that both share, else as one of independent samples."""
    if intervals is None:
        return None, (warning("tests", "No test: the results have no intervals of one level."),)
    over = {getattr(result.intervals, "over", None) for result in results}
    paired = scores.per_topic is not None and over <= {"topics", "both"}
    settings = Settings(intervals.level, rng=intervals.seed, over="topics" if paired else "items")
    sample = Sample(scores, settings)
    if paired:
        return make_tests(sample)
    unknown = warning(
        "tests",
        "Unpaired: stored results do not tell which items each system misses. A paired test of "
        "the labels usually finds more.",
    )
    return _unpaired(sample, intervals, min(map(_units, results))), (unknown,)


def _units(result: Result) -> int:
    """Return the number of units on which the intervals of a result rest."""
    assert result.intervals is not None
    scores, over = result.scores, result.intervals.over
    if over == "clusters":
        return result.clusters
    return int(scores.effective or scores.items) if over == "items" else len(scores.topics)


def _unpaired(sample: Sample, intervals: Intervals, units: int) -> Tests:
    """Combine the intervals of two independent scores into one of their difference.

    Each end is as far from the difference as the ends of both scores that lead to it, taken
    together like the legs of a right triangle (Zou & Donner 2008), so that skewness is kept. The
    p-value takes that distance for a quantile of Student's t, and agrees with the interval.
    """
    from scipy.special import stdtr  # slow to import

    values, df = sample.scores.values, max(units - 1, 1)
    down, up = np.maximum(values - intervals.low, 0), np.maximum(intervals.high - values, 0)
    difference = values[:, :, None] - values[:, None, :]
    below = np.hypot(down[:, :, None], up[:, None, :])
    above = below.swapaxes(1, 2)
    toward = np.where(difference > 0, below, above)
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.abs(difference) / np.where(toward > 0, toward, nan)
        p = 2 * stdtr(df, -t_quantile(df, intervals.level) * size)
    p = np.where(difference == 0, 1.0, p)
    widest = np.ptp(sample.bounds, axis=1)[:, None, None]
    figures = {
        "p": p,
        "difference": difference,
        "se": np.hypot(intervals.se[:, :, None], intervals.se[:, None, :]),
        "low": np.maximum(difference - below, -widest),
        "high": np.minimum(difference + above, widest),
        **{name: np.full(p.shape, nan) for name in ("inner_low", "inner_high")},
        "skew": np.zeros(p.shape),
    }
    how: dict[str, Any] = {"trials": 0, "over": intervals.over, "units": units, "paired": False}
    return tests_of(sample, figures, **how)


# The gate.


def worse_than_baseline(new: Result, baseline: Any, gate: Gate) -> tuple[list[str], Notes]:
    """Return how systems are worse than those of an earlier result, under the primary measure.

    Systems are matched by name, unless there is only one in each result. The notes are those of the
    comparisons.
    """
    if not isinstance(baseline, Result):
        compare_results(baseline, new, None, {})  # raises the error
    reasons, alone = list[str](), len(new.systems) == len(baseline.systems) == 1
    notes = Notes()
    for system in new.scores.systems:
        if not alone and system not in baseline.systems:
            raise InputError(
                f"The baseline has no system {system!r}, but {quoted(baseline.systems, 5)}.",
                hint="Pass {fail_if_worse} with the name of a system that is compared."
                if len(new.systems) > 1
                else "",
                suggest={"fail_if_worse": new.systems[0]},
            )
        earlier = baseline if alone else baseline.reordered([system])
        try:
            both = compare_results(earlier, new.reordered([system]), None, {"primary": new.primary})
        except InputError as error:
            if error.parameter == "measure":
                error.change_hint("Pass {primary}.", primary=str(baseline.primary))
            raise
        old, today = both.scores.systems
        reasons += _worse(both, old, today, gate, who=system, whom="in the baseline")
        notes += both.notes
    return reasons, notes


def worse_than_system(result: Result, old: str, gate: Gate) -> list[str]:
    """Return how systems of a comparison are worse than one of them, under the primary measure."""
    if result.tests is None and gate == "interval":
        raise InputError(
            "These systems are not tested against each other.",
            hint="Use `ordeval compare`, or pass {gate}.",
            suggest={"gate": "point"},
        )
    others = [system for system in result.scores.systems if system != old]
    return [how for s in others for how in _worse(result, old, s, gate, who=s, whom=f"of {old}")]


def _worse(result: Result, old: str, new: str, gate: Gate, *, who: str, whom: str) -> Iterator[str]:
    """Yield how a system is worse than another one; nothing if it is not."""
    measure, tests, pair = result.primary, result.tests, result.pair(new, old)
    if not measure.record.directed:
        raise InputError(
            f"Neither more nor less {measure.label} is worse.",
            hint="Name another measure with {primary}.",
            suggest={"primary": "mean"},
        )
    was, now = (result.standing(system).value for system in (old, new))
    if isnan(now):
        yield f"{measure.label} of {who} is undefined"
    elif gate == "point":
        if measure.sign * (now - was) < -SAME_SCORE:
            yield f"{measure.label} of {who} is {now:.4f}, worse than {was:.4f} {whom}"
    elif tests is None:
        require_intervals(nan)
    elif isnan(pair.p) and not isnan(was):
        yield f"{measure.label} of {who} could not be tested"
    elif pair.verdict == "worse":
        how = f"over {tests.units:,} {tests.over}, {'paired' if tests.paired else 'unpaired'}"
        p = f"p = {p_text(pair.p)}".replace("= <", "< ")
        yield (
            f"{measure.label} of {who} is {now:.3f}, significantly worse than {was:.3f} {whom} "
            f"({difference_words(result, pair, decimals(pair.value, 3, minus='−'))}, {p}, {how})"
        )
