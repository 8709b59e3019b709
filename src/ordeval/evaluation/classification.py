"""Labels or counts of systems to a result: `evaluate` and `compare`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..counts import Counts, Items, JointCounts
from ..errors import InputError, plural, quoted
from ..results import Result
from ..scoring import Scores, Undefined, read_measures, score_counts, with_system_axis
from ..spec import Measure, parse_measure
from .differences import make_differences
from .intervals import make_intervals
from .settings import CORE, DEFAULTS, MeasuresGiven, Progress, Settings
from .significance import make_tests


def evaluate(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    values: Any = None,
    sample_weight: Any = None,
    topics: Any = None,
    measures: MeasuresGiven = None,
    primary: str | Measure | None = None,
    aggregate: str = "mean",
    missing: str = "error",
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: str = "bca",
    over: str | None = None,
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Result:
    """Every measure of one or more systems, with intervals.

    Parameters
    ----------
    y_true : gold labels. y_pred : predicted labels, or a mapping from system to labels.
    labels : the classes in their order; not needed for integers and ordered categoricals.
    topics : a topic per item; scores are then averaged over topics (`aggregate="pool"` pools).
    measures : a list such as "cem, kappa(weights=quadratic)"; all measures by default.
    primary : the measure that ranks the systems. values : a number per class.
    missing : what becomes of items with a missing label: "error", or "skip" (left out, counted).
    undefined : None keeps undefined scores undefined, "skip" averages over the topics that have
        a score, and a number stands in their place.
    ci, bootstrap, method, over : level, replicates, kind ("bca" or "percentile") and unit
        ("items", "topics" or "both") of the bootstrap intervals.
    rng, threads : the answer depends on the seed, never on the threads.
    """
    how = Settings(ci, bootstrap, method, over, rng=rng, threads=threads, progress=progress)
    items = Items.read(y_true, y_pred, labels, values, sample_weight, topics, missing)
    return evaluate_counts(
        items.counts(),
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        how=how,
    )


def compare(
    y_true: Any,
    y_pred: Mapping[str, Any],
    *,
    labels: Any = None,
    values: Any = None,
    sample_weight: Any = None,
    topics: Any = None,
    measures: MeasuresGiven = None,
    primary: str | Measure | None = None,
    aggregate: str = "mean",
    missing: str = "error",
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: str = "bca",
    over: str | None = None,
    trials: int | None = None,
    alpha: float = 0.05,
    differences: bool = False,
    classical: bool = False,
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Result:
    """A leaderboard of systems on the same items, with intervals and tests of all pairs.

    With topics the test is the randomised paired Tukey HSD over topics. Without, it is the paired
    randomisation test with Holm's correction, in which systems exchange the labels of items; where
    topics are pooled, those of whole topics, or of items with `over="items"`.

    Parameters
    ----------
    y_true, labels, topics, ci and the like : as in `evaluate`.
    y_pred : a mapping from system to predicted labels.
    measures : the core ones by default; "all" takes every measure.
    trials : random trials of the tests. alpha : the level below which a difference counts.
    differences : also make intervals of the differences of all pairs; see `Result.difference`.
    classical : also give the p-values of the classical Tukey HSD over topics.
    """
    if not isinstance(y_pred, Mapping):
        raise InputError(
            "compare needs a mapping from system name to predictions, "
            'e.g. {"bert": p1, "svm": p2}; use evaluate for one system, and compare_frame for '
            "columns of a data frame."
        )
    how = Settings(
        ci, bootstrap, method, over, trials, alpha, rng, threads, progress, differences, classical
    )
    items = Items.read(y_true, y_pred, labels, values, sample_weight, topics, missing)
    return compare_counts(
        items.counts(),
        items.joint,
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        how=how,
    )


def evaluate_counts(
    counts: Counts,
    measures: MeasuresGiven = None,
    *,
    primary: str | Measure | None = None,
    aggregate: str = "mean",
    undefined: Undefined = None,
    how: Settings = DEFAULTS,
    notices: Iterable[str] = (),
    about: Mapping[str, Any] | None = None,
) -> Result:
    """As `evaluate`, from counts with axes (system, topic)."""
    counts = with_system_axis(counts)
    first = choose_primary(counts, measures, primary)
    chosen = _classification_measures(measures, first)
    scores = score_counts(counts, chosen, aggregate=aggregate, undefined=undefined)
    intervals, unavailable = make_intervals(counts, scores, how)
    return Result(
        "evaluation",
        scores,
        first,
        intervals,
        tables=counts.pooled("topic").table,
        notices=(*notices, *_notices(counts, scores), *unavailable),
        about=about or {},
    )


def compare_counts(
    counts: Counts,
    joint: Callable[[], JointCounts],
    measures: MeasuresGiven = None,
    *,
    primary: str | Measure | None = None,
    aggregate: str = "mean",
    undefined: Undefined = None,
    how: Settings = DEFAULTS,
    notices: Iterable[str] = (),
    about: Mapping[str, Any] | None = None,
) -> Result:
    """As `compare`, from counts; `joint` gives the joint counts of pairs if they are needed."""
    counts = with_system_axis(counts)
    if measures is None:
        measures = CORE
        primary = choose_primary(counts, None, primary)
    result = evaluate_counts(
        counts,
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        how=how,
        notices=notices,
        about=about,
    )
    tests, untested = make_tests(counts, joint, result.scores, how)
    differences, unavailable = make_differences(counts, joint, result.scores, how)
    return replace(
        result,
        kind="comparison",
        tests=tests,
        differences=differences,
        notices=(*result.notices, *untested, *unavailable),
    )


def choose_primary(
    counts: Counts, measures: MeasuresGiven, primary: str | Measure | None
) -> Measure:
    """The measure that ranks: the one asked for, the first named, or by Sakai's advice.

    Linear kappa; but ordinal alpha when two or more systems always give the same class, whom
    kappa cannot tell apart.
    """
    if primary is not None:
        return parse_measure(primary)
    if measures is not None and measures != "all":
        return read_measures(measures)[0]
    predicted = counts.pooled("topic").table.sum(axis=-2)
    constant = int(np.sum(np.count_nonzero(predicted, axis=-1) == 1))
    return parse_measure("alpha(level='ordinal')" if constant >= 2 else "kappa(weights='linear')")


def _classification_measures(given: MeasuresGiven, first: Measure) -> tuple[Measure, ...]:
    """The measures, the one that ranks among them."""
    chosen = read_measures(None if isinstance(given, str) and given == "all" else given)
    chosen = chosen if first in chosen else (first, *chosen)
    wrong = [str(m) for m in chosen if m.record.task != "classification"]
    if wrong:
        raise InputError(
            f"{quoted(wrong)} compares distributions, not labels; use quantify for distributions."
        )
    return chosen


def _notices(counts: Counts, scores: Scores) -> Iterator[str]:
    """What the reader should know about the data."""
    if counts.scale.inferred:
        yield (
            f"The scale was inferred from the integers seen, {counts.scale.describe()}; declare "
            "labels if classes beyond these exist."
        )
    if counts.skipped:
        left_out = plural(counts.skipped, "item")
        yield f"Left out, because a label is missing: {left_out}."
    gold = counts.table.sum(axis=-1).reshape(-1, counts.k).sum(axis=0)
    if not gold.all():
        empty = quoted(counts.scale.labels[i] for i in np.flatnonzero(gold == 0))
        yield f"No gold item has the class {empty}."
    missing = int(np.count_nonzero(scores.undefined))
    if missing:
        undefined = plural(missing, "score is", "scores are")
        yield f"{undefined} undefined on some data and {_treatment(scores.replaced)}."


def _treatment(replaced: Undefined) -> str:
    if replaced is None:
        return "shown as –"
    return "left out of the means" if replaced == "skip" else f"replaced by {replaced}"
