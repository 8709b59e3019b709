"""One call from labels, counts or distributions to a result with intervals and tests."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from .counts import Counts, Items, JointCounts
from .distributions import read_distributions
from .errors import InputError, some
from .registry import Measure, measures, parse
from .results import Floats, Intervals, Result, Tests
from .scale import Scale
from .scoring import (
    Scores,
    Undefined,
    mean_over_topics,
    read_measures,
    score_counts,
    score_tables,
    with_system_axis,
)
from .stats import intervals as interval_rules
from .stats.anova import effect_sizes, two_way
from .stats.paired import holm, randomisation_test
from .stats.resample import (
    Plan,
    as_seed,
    bootstrap,
    bootstrap_means,
)
from .stats.tukey import randomised_tukey

CORE = (
    "kappa(weights='linear')",
    "kappa(weights='quadratic')",
    "alpha(level='ordinal')",
    "cem",
    "kendall_b",
    "mae",
    "macro_mae",
    "accuracy",
    "macro_f1",
)
MeasuresGiven = str | Measure | Iterable[str | Measure] | None
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made.

    `ci` is the level of the intervals and `bootstrap` the number of replicates (0 for none);
    `over` says what is resampled: "items", "topics" or "both" (by default topics where there are
    any, else items). `trials` is the number of random trials of the tests.
    """

    ci: float = 0.95
    bootstrap: int = 2000
    method: str = "bca"
    over: str | None = None
    trials: int | None = None
    alpha: float = 0.05
    rng: int | np.random.Generator | None = 0
    threads: int = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.method not in ("bca", "percentile"):
            raise InputError(f'method={self.method!r} is not known; it is "bca" or "percentile".')
        if self.over not in (None, "items", "topics", "both"):
            raise InputError(f'over={self.over!r} is not known; it is "items", "topics" or "both".')
        if not 0 < self.ci < 1:
            raise InputError(f"ci={self.ci} is not a level; give a share such as 0.95.")
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha={self.alpha} is not a level; give a share such as 0.05.")
        object.__setattr__(self, "rng", as_seed(self.rng))

    @property
    def seed(self) -> int:
        """The seed that every draw is made from."""
        return as_seed(self.rng)

    def plan(self, replicates: int) -> Plan:
        """A plan of the resampling with these settings."""
        return Plan(replicates, self.seed, threads=self.threads, progress=self.progress)


DEFAULTS = Settings()


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
    ci, bootstrap, method, over : level, replicates, kind and unit of the bootstrap intervals.
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
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Result:
    """A leaderboard of systems on the same items, with intervals and tests of all pairs.

    With topics the test is the randomised paired Tukey HSD over topics; without, or when topics
    are pooled, the paired randomisation test over items with Holm's correction. Parameters as in
    `evaluate`; `measures` defaults to the core ones, "all" takes every measure.
    """
    if not isinstance(y_pred, Mapping):
        raise InputError(
            "compare needs a mapping from system name to predictions, "
            'e.g. {"bert": p1, "svm": p2}; use evaluate for one system.'
        )
    how = Settings(ci, bootstrap, method, over, trials, alpha, rng, threads, progress)
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


def quantify(
    p_true: Any,
    p_pred: Any,
    *,
    labels: Any = None,
    values: Any = None,
    topics: Any = None,
    measures: MeasuresGiven = None,
    primary: str | Measure | None = None,
    renormalise: bool = True,
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: str = "bca",
    trials: int | None = None,
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Result:
    """A leaderboard of estimated distributions, with intervals and tests over instances.

    Parameters
    ----------
    p_true : gold distributions or counts `[instance, K]` (or one, `[K]`).
    p_pred : estimates of the same shape, or a mapping from system to estimates.
    topics : names of the instances. The rest as in `compare`.
    """
    how = Settings(ci, bootstrap, method, "topics", trials, alpha, rng, threads, progress)
    systems = dict(p_pred) if isinstance(p_pred, Mapping) else {"p_pred": p_pred}
    if not systems:
        raise InputError("p_pred is an empty mapping; give at least one system.")
    names = None if topics is None else tuple(map(str, topics))
    gold = read_distributions(_rows(p_true), "gold", renormalise=renormalise, row_names=names)
    estimates = {
        str(name): read_distributions(_rows(p), name, renormalise=renormalise, row_names=names)
        for name, p in systems.items()
    }
    shape = gold.rows.shape
    for name, found in estimates.items():
        if found.rows.shape != shape:
            raise InputError(
                f"{name} has distributions of shape {found.rows.shape} and gold {shape}; "
                "every instance needs one, over the same classes in the same order."
            )
    if names is not None and len(names) != shape[0]:
        raise InputError(f"topics names {len(names)} instances and gold has {shape[0]}.")
    scale = Scale.of(range(1, shape[1] + 1) if labels is None else labels, values)
    if scale.k != shape[1]:
        raise InputError(f"labels names {scale.k} classes and gold has {shape[1]} columns.")
    fixed = gold.renormalised + sum(found.renormalised for found in estimates.values())
    rows = np.stack([found.rows for found in estimates.values()])
    return quantify_rows(
        gold.rows,
        rows,
        tuple(estimates),
        names or tuple(map(str, range(shape[0]))),
        scale,
        measures,
        primary=primary,
        undefined=undefined,
        how=how,
        notices=_renormalised_notice(fixed),
    )


def _rows(data: Any) -> Any:
    """A single distribution as one row."""
    return np.atleast_2d(np.asarray(data)) if np.ndim(data) == 1 else data


def _renormalised_notice(rows: int) -> tuple[str, ...]:
    if not rows:
        return ()
    return (f"{rows} row(s) did not sum to 1 exactly (within 1 %) and were renormalised.",)


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
    chosen = _with_primary(read_measures(measures), first, primary)
    scores = score_counts(counts, chosen, aggregate=aggregate, undefined=undefined)
    found, unavailable = _intervals(counts, scores, how)
    return Result(
        "evaluation",
        scores,
        first if first in chosen else chosen[0],
        found,
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
    named = CORE if measures is None else None if measures == "all" else measures
    result = evaluate_counts(
        counts,
        named,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        how=how,
        notices=notices,
        about=about,
    )
    tests, unavailable = _tests(with_system_axis(counts), joint, result.scores, how)
    return replace(result, kind="comparison", tests=tests, notices=(*result.notices, *unavailable))


def choose_primary(
    counts: Counts, measures: MeasuresGiven, primary: str | Measure | None
) -> Measure:
    """The measure that ranks: the one asked for, the first named, or by Sakai's advice.

    Linear kappa; but ordinal alpha when two or more systems always give the same class, whom
    kappa cannot tell apart.
    """
    if primary is not None:
        return parse(primary)
    if measures is not None and measures is not CORE and measures != "all":
        return read_measures(measures)[0]
    predicted = counts.pooled("topic").table.sum(axis=-2)
    constant = int(np.sum(np.count_nonzero(predicted, axis=-1) == 1))
    return parse("alpha(level='ordinal')" if constant >= 2 else "kappa(weights='linear')")


def _with_primary(
    chosen: tuple[Measure, ...], first: Measure, asked: str | Measure | None
) -> tuple[Measure, ...]:
    """The measures, with a primary one that was asked for among them."""
    return chosen if first in chosen or asked is None else (first, *chosen)


def _notices(counts: Counts, scores: Scores) -> tuple[str, ...]:
    """What the reader should know about the data."""
    found = []
    if counts.scale.inferred:
        found.append(
            f"The scale was inferred from the integers seen, {counts.scale.describe()}; declare "
            "labels if classes beyond these exist."
        )
    if counts.skipped:
        found.append(f"{counts.skipped} item(s) with a missing label were left out.")
    gold = counts.table.sum(axis=(-1,))
    empty = np.flatnonzero(gold.reshape(-1, counts.k).sum(axis=0) == 0)
    if empty.size:
        found.append(f"No gold item has the class {some(counts.scale.labels[i] for i in empty)}.")
    missing = int(np.count_nonzero(scores.undefined))
    if missing:
        treatment = {None: "shown as –", "skip": "left out of the means"}.get(
            cast(Any, scores.replaced), f"replaced by {scores.replaced}"
        )
        found.append(f"{missing} score(s) are undefined on some data and {treatment}.")
    return tuple(found)


def _statistic(chosen: tuple[Measure, ...], scale: Scale, undefined: Undefined) -> Any:
    """All measures of tables `[..., K, K]` at once: `[M, ...]`."""

    def score(tables: Floats) -> Floats:
        found = score_tables(chosen, tables, scale)
        if isinstance(undefined, (int, float)):
            return np.where(np.isnan(found), float(undefined), found)
        return found

    return score


def _treatment(undefined: Undefined) -> Literal["propagate", "skip"]:
    return "skip" if undefined == "skip" else "propagate"


def _intervals(
    counts: Counts, scores: Scores, how: Settings
) -> tuple[Intervals | None, tuple[str, ...]]:
    """Intervals of every measure and system, and notices on those that cannot be had."""
    if not how.bootstrap:
        return None, ()
    if counts.weighted:
        return None, ("No intervals: the tables hold real weights, and items cannot be resampled.",)
    if how.over in ("topics", "both") and not counts.topics:
        raise InputError(f"over={how.over!r} needs topics; name them, or resample items.")
    quick = [i for i, m in enumerate(scores.measures) if m.record.batched]
    chosen = tuple(scores.measures[i] for i in quick)
    over = how.over or ("topics" if counts.topics else "items")
    statistic = _statistic(chosen, counts.scale, scores.replaced)
    if over == "topics":
        found = _over_topics(counts, scores, statistic, how)
    else:
        found = _over_items(counts, scores, statistic, how, over)
    shape = scores.values.shape
    arrays = [np.full(shape, np.nan) for _ in range(3)]
    missing = np.zeros(shape, dtype=np.int64)
    for whole, part in zip(arrays, (found.low, found.high, found.se), strict=True):
        whole[quick] = part
    missing[quick] = found.undefined
    slow = [str(m) for m in scores.measures if not m.record.batched]
    notice = (f"No intervals for {some(slow)}, which is computed one table at a time.",)
    low, high, se = arrays
    result = Intervals(low, high, se, missing, how.method, how.ci, how.bootstrap, over, how.seed)
    return result, notice if slow else ()


def _rule(
    estimate: Floats, replicates: Floats, skew: Callable[[], Floats], how: Settings
) -> interval_rules.Interval:
    if how.method == "percentile":
        return interval_rules.percentile(estimate, replicates, how.ci)
    return interval_rules.bca(estimate, replicates, skew(), how.ci)


def _aggregate(scores: Scores) -> Literal["pooled", "mean"]:
    return "mean" if scores.aggregate == "mean" and scores.topics else "pooled"


def _over_topics(
    counts: Counts, scores: Scores, statistic: Any, how: Settings
) -> interval_rules.Interval:
    """Topics resampled; all systems share the draws."""
    options: Any = {
        "aggregate": _aggregate(scores),
        "undefined": _treatment(scores.replaced),
    }
    plan = how.plan(how.bootstrap)
    replicates = bootstrap(counts.table, statistic, plan, over="topics", **options)

    def skew() -> Floats:
        left_out, weights = interval_rules.topic_jackknife(counts.table, statistic, **options)
        return interval_rules.acceleration(left_out, weights)

    batched = [i for i, m in enumerate(scores.measures) if m.record.batched]
    return _rule(scores.values[batched], replicates, skew, how)


def _over_items(
    counts: Counts, scores: Scores, statistic: Any, how: Settings, over: str
) -> interval_rules.Interval:
    """Items resampled (within topics, or in drawn topics), one system at a time."""
    options: Any = {
        "aggregate": _aggregate(scores),
        "undefined": _treatment(scores.replaced),
    }
    batched = [i for i, m in enumerate(scores.measures) if m.record.batched]
    found = []
    for place, (system, table) in enumerate(zip(counts.systems, counts.table, strict=True)):
        plan = how.plan(how.bootstrap)
        replicates = bootstrap(table, statistic, plan, over=cast(Any, over), key=system, **options)

        def skew(table: Floats = table) -> Floats:
            jackknife = (
                interval_rules.topic_jackknife if over == "both" else interval_rules.item_jackknife
            )
            return interval_rules.acceleration(*jackknife(table, statistic, **options))

        found.append(_rule(scores.values[batched, place], replicates, skew, how))
    first = found[0]
    stack: dict[str, Any] = {
        name: np.stack([getattr(part, name) for part in found], axis=-1)
        for name in ("estimate", "low", "high", "se", "undefined", "plain")
    }
    return replace(first, **stack)


def _tests(
    counts: Counts, joint: Callable[[], JointCounts], scores: Scores, how: Settings
) -> tuple[Tests | None, tuple[str, ...]]:
    """Tests of all pairs, over topics where there are several, else over items."""
    if len(scores.systems) < 2:
        return None, ("No tests: there is only one system.",)
    if scores.aggregate == "mean" and len(scores.topics) > 1:
        return tests_over_topics(scores, how)
    if counts.weighted:
        return None, ("No tests: the tables hold real weights, and items cannot be exchanged.",)
    return _tests_over_items(joint(), scores, how), ()


def tests_over_topics(scores: Scores, how: Settings) -> tuple[Tests, tuple[str, ...]]:
    """Randomised paired Tukey HSD of every measure; undefined systems and topics are left out."""
    if scores.per_topic is None:
        raise InputError("A test over topics needs scores per topic.")
    matrix = scores.per_topic
    if isinstance(scores.replaced, (int, float)):
        matrix = np.where(np.isnan(matrix), float(scores.replaced), matrix)
    size = len(scores.systems)
    shape = (len(scores.measures), size, size)
    p, difference, effect = (np.full(shape, np.nan) for _ in range(3))
    variance = np.full(shape[0], np.nan)
    left_out = []
    plan = how.plan(how.trials or 5000)
    for rows, systems, topics in _testable(matrix):
        part = matrix[np.ix_(rows, systems, topics)].swapaxes(-1, -2)
        names = [scores.systems[s] for s in systems]
        found = randomised_tukey(part, plan, systems=names)
        place = np.ix_(rows, systems, systems)
        p[place], difference[place] = found.p, found.difference
        effect[place], variance[rows] = effect_sizes(part), two_way(part).residual_variance
        dropped = (size - len(systems), len(scores.topics) - len(topics))
        left_out += [(scores.measures[row], *dropped) for row in rows if any(dropped)]
    tests = Tests(
        p,
        difference,
        effect,
        variance,
        "Tukey HSD, randomised and paired over topics",
        plan.replicates,
        how.alpha,
        how.seed,
    )
    return tests, tuple(
        f"The test under {m} leaves out {s} system(s) and {t} topic(s) without a defined score."
        for m, s, t in left_out
    )


def _testable(matrix: Floats) -> Iterable[tuple[list[int], list[int], list[int]]]:
    """Measures with the systems and topics they can be tested on, grouped by the same ones.

    A system without any defined score is left out; then every topic that some system lacks.
    """
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for row, scores in enumerate(matrix):
        defined = ~np.isnan(scores)
        systems = np.flatnonzero(defined.any(axis=1))
        topics = np.flatnonzero(defined[systems].all(axis=0))
        if len(systems) > 1 and len(topics) > 1:
            key = (tuple(map(int, systems)), tuple(map(int, topics)))
            groups.setdefault(key, []).append(row)
    for (systems_key, topics_key), rows in groups.items():
        yield rows, list(systems_key), list(topics_key)


def _tests_over_items(joint: JointCounts, scores: Scores, how: Settings) -> Tests:
    """Paired randomisation tests of all pairs through their joint counts, corrected by Holm."""
    names = scores.systems
    size, chosen = len(names), scores.measures
    statistic = _statistic(chosen, scores.scale, scores.replaced)
    trials = how.trials or max(10_000, _enough_trials(len(joint.pairs), how.alpha))
    shape = (len(chosen), size, size)
    p, difference = np.full(shape, np.nan), np.full(shape, np.nan)
    raw = np.empty((len(chosen), len(joint.pairs)))
    places = [(names.index(a), names.index(b)) for a, b in joint.pairs]
    for i, ((a, b), table) in enumerate(zip(joint.pairs, joint.table, strict=True)):
        plan = replace(how, progress=None).plan(trials)
        found = randomisation_test(table, statistic, plan, names=(a, b))
        raw[:, i] = found.p
        row, column = places[i]
        difference[:, row, column], difference[:, column, row] = (
            found.difference,
            -found.difference,
        )
        if how.progress:
            how.progress(i + 1, len(joint.pairs))
    corrected = holm(raw)
    for i, (row, column) in enumerate(places):
        p[:, row, column] = p[:, column, row] = corrected[:, i]
    diagonal = np.arange(size)
    p[:, diagonal, diagonal], difference[:, diagonal, diagonal] = 1.0, 0.0
    return Tests(
        p,
        difference,
        np.full(shape, np.nan),
        np.full(len(chosen), np.nan),
        "randomisation of items, paired, with Holm's correction",
        trials,
        how.alpha,
        how.seed,
    )


def _enough_trials(pairs: int, alpha: float) -> int:
    """So many that the smallest p-value stays below alpha after correction for all pairs."""
    return int(np.ceil(2 * pairs / alpha))


def quantify_rows(
    gold: Floats,
    estimates: Floats,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    scale: Scale,
    given: MeasuresGiven = None,
    *,
    primary: str | Measure | None = None,
    undefined: Undefined = None,
    how: Settings = DEFAULTS,
    notices: Iterable[str] = (),
    about: Mapping[str, Any] | None = None,
) -> Result:
    """As `quantify`, from checked arrays: gold `[T, K]`, estimates `[S, T, K]`."""
    chosen = _quantification_measures(given)
    first = parse(primary) if primary is not None else chosen[0]
    if given is None and primary is None:
        first = parse("rnod")
    chosen = _with_primary(chosen, first, primary)
    by_topic = np.stack(
        [m.record.function(estimates, gold, **_values_for(m, scale), **m.params) for m in chosen]
    )
    scores = Scores(
        chosen,
        systems,
        topics,
        scale,
        mean_over_topics(by_topic, undefined),
        by_topic,
        np.isnan(by_topic).sum(axis=-1),
        "mean",
        undefined,
        float(len(topics)),
    )
    tests: Tests | None = None
    unavailable: tuple[str, ...] = ()
    if len(systems) > 1 and len(topics) > 1:
        tests, unavailable = tests_over_topics(scores, how)
    shares = np.concatenate([gold.mean(axis=0)[None], estimates.mean(axis=1)])
    return Result(
        "quantification",
        scores,
        first,
        _intervals_of_means(scores, how),
        tests,
        shares=shares,
        notices=(*notices, *unavailable),
        about=about or {},
    )


def _values_for(m: Measure, scale: Scale) -> dict[str, Floats]:
    if not m.record.uses_values:
        return {}
    return {"values": np.asarray(scale.values or range(1, scale.k + 1), dtype=float)}


def _quantification_measures(given: MeasuresGiven) -> tuple[Measure, ...]:
    if given is None or given == "all":
        return tuple(measures("quantification"))
    chosen = read_measures(given)
    wrong = [str(m) for m in chosen if m.record.task != "quantification"]
    if wrong:
        raise InputError(
            f"{some(wrong)} scores labels, not distributions; for distributions there are "
            f"{some((str(m) for m in measures('quantification')), 20)}."
        )
    return chosen


def _intervals_of_means(scores: Scores, how: Settings) -> Intervals | None:
    """Intervals of means over instances, by resampling instances."""
    if not how.bootstrap or len(scores.topics) < 2 or scores.per_topic is None:
        return None
    matrix = scores.per_topic
    if isinstance(scores.replaced, (int, float)):
        matrix = np.where(np.isnan(matrix), float(scores.replaced), matrix)
    treatment = _treatment(scores.replaced)
    replicates = bootstrap_means(matrix, how.plan(how.bootstrap), treatment)

    def skew() -> Floats:
        left_out, weights = interval_rules.mean_jackknife(matrix, treatment)
        return interval_rules.acceleration(left_out, weights)

    found = _rule(scores.values, replicates, skew, how)
    return Intervals(
        found.low,
        found.high,
        found.se,
        found.undefined,
        how.method,
        how.ci,
        how.bootstrap,
        "topics",
        how.seed,
    )
