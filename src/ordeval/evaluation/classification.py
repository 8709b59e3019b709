"""Evaluate and compare systems that predict labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..advice import KAPPA, default_measure
from ..data.column import sorted_names
from ..data.counts import Counts, JointCounts, constant_predictions
from ..data.data import Data, as_systems, with_own_name
from ..data.examples import MOST_CLASSES
from ..data.source import Source, read_source, unpaired
from ..errors import InputError, names_rng, quoted
from ..measures.scoring import (
    MeasuresLike,
    Scores,
    of_several_raters,
    parse_primary,
    read_measures,
    unscored,
    with_primary,
)
from ..measures.spec import Measure, counterpart, parse_measure
from ..notes import Note, Notes, note, warning
from ..results import Result
from ..types import (
    RNG,
    Aggregate,
    BinsLike,
    Classes,
    ClassNumbers,
    ItemWeights,
    LabelColumn,
    Method,
    Missing,
    MissingLabels,
    Over,
    Progress,
    Undefined,
)
from .intervals import make_differences, make_intervals
from .judge_labels import JudgedSource, check_settings, judged_tests, with_judge
from .notices import data_notices
from .sample import Sample
from .settings import CORE_MEASURES, Settings
from .significance import make_tests
from .sizes import check_comparison, check_intervals

_MOST_NAMED = 3  # classes that a notice names
_MOST_SHOWN = 50  # systems whose items are shown


@names_rng
def evaluate(
    y_true: LabelColumn | Counts | JointCounts,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    weight: ItemWeights = None,
    frequency: ItemWeights = None,
    topic: LabelColumn | None = None,
    cluster: LabelColumn | None = None,
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    missing: Missing = "error",
    na: MissingLabels = None,
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: Method = "auto",
    over: Over | None = None,
    rng: RNG = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    judge: LabelColumn | None = None,
    rate: ItemWeights = None,
    id: LabelColumn | None = None,
    text: LabelColumn | None = None,
) -> Result:
    """Score one or more systems under every measure, with intervals.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Counts, JointCounts or table
        Gold labels. Or, without `y_pred`, what is counted already: counts, a table of gold by
        predicted class, or a mapping from system to table.
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system. A named series of pandas or Polars
        gives the system its name, unless gold has the same.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes: the nearest class (halves upwards), the highest class
        that is not above the number, or the K − 1 edges between classes (or K + 1 with outer
        limits). MAE, MSE, RMSE, Pearson, the cosine and interval alpha use the numbers themselves;
        rank correlations and all other measures use the classes. Columns of declared labels that
        are on another scale than the edges are classes already, and are not cut.
    weight : array_like of shape (n_items,), optional
        The importance of each item. Scores are weighted, the units of intervals and tests remain
        the items, and only the ratios of weights matter.
    frequency : array_like of int of shape (n_items,), optional
        The number of items that each row stands for.
    topic : array_like of shape (n_items,), optional
        The topic of each item; scores are then averaged over topics.
    cluster : array_like of shape (n_items,), optional
        The cluster of each item, such as its patient, document or rater: what is resampled and
        exchanged as a whole, because its items are not independent.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; all by default.
    primary : str or Measure, optional
        The measure that ranks the systems. By default the first of `measures`, or linear kappa.
    aggregate : {"mean", "pool"}
        "mean" scores every topic and averages, "pool" scores all items in one table.
    missing : {"error", "skip", "worst"}
        What to do about missing labels: raise an error, leave the item out for every system, or
        score a missing prediction as the class farthest from gold.
    na : value or sequence of values, optional
        Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
        without surrounding spaces.
    undefined : float, "skip" or None
        A number that replaces undefined scores, or "skip" to average over the topics that have a
        score.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of random tables or replicates; 0 for no intervals.
    method : {"auto", "percentile"}
        The kind of interval. By default quantiles of tables drawn from a Dirichlet distribution
        over items, t intervals over topics and clusters; or quantiles of a bootstrap.
    over : {"items", "topics", "clusters", "both"}, optional
        The units of intervals and tests; by default clusters where they are given, else topics
        where there are several, else items.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    threads : int, optional
        The number of threads, which never changes a result. By default one, and all cores for
        tests of very many tables.
    progress : callable, optional
        Called as ``progress(done, total)``.
    judge : array_like of shape (n_items,), optional
        Labels of a judge, such as a language model, for all items, where `y_true` has gaps: gold
        labels of a random part of the items. Gold stays that of people; the judge's labels only
        correct the scores, which makes intervals shorter if the judge is good, and leaves them
        about as they are if it is not. That holds for a random part only; one that plainly is none
        is refused. Cannot be combined with tables, `topics`, `cluster`, `weight`, `bins`,
        ``missing="worst"``, or an `over` other than "items". See `Result.judge`.
    rate : array_like of shape (n_items,), optional
        With a judge, the probability with which each item was chosen to be labelled, if it differs
        between items; only the ratios matter.
    id : array_like of shape (n_items,), optional
        The names of the items on the page; by default the index of a pandas series, else their
        positions from 1.
    text : array_like of shape (n_items,), optional
        The text of each item. The page then shows, for every number of items, some of them with
        their texts.

    Returns
    -------
    Result
        Scores and intervals. It prints as a table.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = ["low", "high", "mid", "mid", "low", "high"]
    >>> pred = ["low", "mid", "mid", "high", "low", "high"]
    >>> result = oe.evaluate(gold, pred, labels=["low", "mid", "high"])
    >>> round(result["accuracy"].value, 3)
    0.667
    >>> published = oe.evaluate([[40, 8, 2], [9, 30, 6], [1, 7, 22]], labels=["low", "mid", "high"])
    >>> found = published["accuracy"]
    >>> [round(x, 3) for x in (found.low, found.value, found.high)]
    [0.65, 0.736, 0.812]
    """
    settings = Settings(ci, bootstrap, method, over, rng=rng, threads=threads, progress=progress)
    source = read_source(
        y_true,
        with_own_name(y_pred, y_true),
        judge=judge,
        rate=rate,
        labels=labels,
        values=values,
        bins=bins,
        weight=weight,
        frequency=frequency,
        topic=topic,
        cluster=cluster,
        missing=missing,
        na=na,
        id=id,
        text=text,
    )
    return evaluate_source(
        source,
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        settings=settings,
    )


@names_rng
def compare(
    y_true: LabelColumn | Counts | JointCounts,
    y_pred: Mapping[str, LabelColumn] | None = None,
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    weight: ItemWeights = None,
    frequency: ItemWeights = None,
    topic: LabelColumn | None = None,
    cluster: LabelColumn | None = None,
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    missing: Missing = "error",
    na: MissingLabels = None,
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: Method = "auto",
    over: Over | None = None,
    against: str | None = None,
    margin: float | None = None,
    trials: int | None = None,
    alpha: float = 0.05,
    differences: bool = False,
    rng: RNG = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    judge: LabelColumn | None = None,
    rate: ItemWeights = None,
    id: LabelColumn | None = None,
    text: LabelColumn | None = None,
) -> Result:
    """Compare systems on the same items: ranking, intervals and tests of all pairs.

    The test is step-down max-T: systems exchange their labels, or scores, on random sets of units,
    and each difference is compared with the largest one that chance gives among the pairs not yet
    found different. The units are clusters or topics where they are given, else items.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Counts or JointCounts
        Gold labels. Or, without `y_pred`, what is counted already: joint counts, or counts of
        systems on two or more topics, which are then the units.
    y_pred : mapping of str to array_like of shape (n_items,), optional
        Predicted labels of each system, in the order of `y_true`; pandas series are matched by
        their index. The columns of a data frame are systems, too.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes: the nearest class (halves upwards), the highest class
        that is not above the number, or the K − 1 edges between classes (or K + 1 with outer
        limits). MAE, MSE, RMSE, Pearson, the cosine and interval alpha use the numbers themselves;
        rank correlations and all other measures use the classes. Columns of declared labels that
        are on another scale than the edges are classes already, and are not cut.
    weight : array_like of shape (n_items,), optional
        The importance of each item. Scores are weighted, the units of intervals and tests remain
        the items, and only the ratios of weights matter.
    frequency : array_like of int of shape (n_items,), optional
        The number of items that each row stands for.
    topic : array_like of shape (n_items,), optional
        The topic of each item; scores are then averaged over topics.
    cluster : array_like of shape (n_items,), optional
        The cluster of each item, such as its patient, document or rater: what is resampled and
        exchanged as a whole, because its items are not independent.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; nine core measures by default, and
        every measure for "all".
    primary : str or Measure, optional
        The measure that ranks the systems. By default the first of `measures`, or linear kappa.
    aggregate : {"mean", "pool"}
        "mean" scores every topic and averages, "pool" scores all items in one table.
    missing : {"error", "skip", "worst"}
        What to do about missing labels: raise an error, leave the item out for every system, or
        score a missing prediction as the class farthest from gold.
    na : value or sequence of values, optional
        Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
        without surrounding spaces.
    undefined : float, "skip" or None
        A number that replaces undefined scores, or "skip" to average over the topics that have a
        score.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of random tables or replicates; 0 for no intervals.
    method : {"auto", "percentile"}
        The kind of interval. By default quantiles of tables drawn from a Dirichlet distribution
        over items, t intervals over topics and clusters; or quantiles of a bootstrap.
    over : {"items", "topics", "clusters", "both"}, optional
        The units of intervals and tests; by default clusters where they are given, else topics
        where there are several, else items.
    against : str, optional
        A system with which all others are compared, instead of all pairs; this needs less
        correction.
    margin : float, optional
        The largest difference that does not matter, in units of the measure. Pairs are then
        better, worse, equivalent (the interval at the level 1 − 2·alpha is within the margin) or
        undecided; see `Pair.verdict`.
    trials : int, optional
        The number of random trials of the tests.
    alpha : float
        The level below which a difference is called significant.
    differences : bool
        Whether to compute intervals of the differences of all pairs; see `Result.pairs`.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    threads : int, optional
        The number of threads, which never changes a result. By default one, and all cores for
        tests of very many tables.
    progress : callable, optional
        Called as ``progress(done, total)``.
    judge : array_like of shape (n_items,), optional
        Labels of a judge, such as a language model, for all items, where `y_true` has gaps: gold
        labels of a random part of the items. Gold stays that of people; the judge's labels only
        correct the scores, which makes intervals shorter if the judge is good, and leaves them
        about as they are if it is not. That holds for a random part only; one that plainly is none
        is refused. Cannot be combined with tables, `topics`, `cluster`, `weight`, `bins`,
        ``missing="worst"``, or an `over` other than "items". See `Result.judge`.
    rate : array_like of shape (n_items,), optional
        With a judge, the probability with which each item was chosen to be labelled, if it differs
        between items; only the ratios matter.
    id : array_like of shape (n_items,), optional
        The names of the items on the page; by default the index of a pandas series, else their
        positions from 1.
    text : array_like of shape (n_items,), optional
        The text of each item. The page then shows, for every number of items, some of them with
        their texts.

    Returns
    -------
    Result
        Scores with intervals and tests of all pairs. It prints as a leaderboard.

    Examples
    --------
    >>> import ordeval as oe
    >>> result = oe.compare([1, 2, 3, 3], {"a": [1, 2, 3, 2], "b": [2, 2, 2, 2]}, labels=[1, 2, 3])
    >>> result.best
    'a'
    >>> round(result.pair("a", "b").p, 2)
    0.5
    """
    y_pred = as_systems(y_pred)
    if y_pred is not None and not isinstance(y_pred, Mapping):
        raise InputError(
            "y_pred is not a mapping from system to predictions, e.g. {'bert': p1, 'svm': p2}; "
            "use evaluate for one system, and compare_frame for columns of a data frame.",
            parameter="y_pred",
        )
    settings = Settings(
        ci=ci,
        bootstrap=bootstrap,
        method=method,
        over=over,
        trials=trials,
        alpha=alpha,
        rng=rng,
        threads=threads,
        progress=progress,
        differences=differences,
        against=against,
        margin=margin,
    )
    source = read_source(
        y_true,
        y_pred,
        judge=judge,
        rate=rate,
        labels=labels,
        values=values,
        bins=bins,
        weight=weight,
        frequency=frequency,
        topic=topic,
        cluster=cluster,
        missing=missing,
        na=na,
        id=id,
        text=text,
    )
    return compare_source(
        source,
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        settings=settings,
    )


def evaluate_source(
    source: Source,
    measures: MeasuresLike = None,
    *,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    undefined: Undefined = None,
    settings: Settings | None = None,
) -> Result:
    """Evaluate the systems of any source of counts; see `evaluate`."""
    given, ordered = source.systems, _sorted(source, settings)
    sample, first = _sample(ordered, measures, primary, aggregate, undefined, settings, core=False)
    check_intervals(sample)
    sample = sample.scored()
    intervals, unavailable = make_intervals(sample)
    told = (*_default_notice(sample, first, measures, primary), *unavailable)
    found = _result("evaluation", ordered, sample, first, told, intervals=intervals)
    if isinstance(ordered, JudgedSource):
        found = with_judge(found, sample, ordered)
    return _with_examples(found, ordered).reordered(given)


def _sorted(source: Source, settings: Settings | None) -> Source | JudgedSource:
    """Return the source with its systems in the order of their names."""
    if not source.judged:
        return source.only(sorted_names(source.systems))
    assert isinstance(source, Data)
    check_settings(settings or Settings())
    return JudgedSource.of(source)


def compare_source(
    source: Source,
    measures: MeasuresLike = None,
    *,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    undefined: Undefined = None,
    settings: Settings | None = None,
) -> Result:
    """Compare the systems of any source of counts; see `compare`."""
    _check_pairing(source, aggregate, settings or Settings())
    given, ordered = source.systems, _sorted(source, settings)
    judged = isinstance(ordered, JudgedSource) and not ordered.complete
    sample, first = _sample(ordered, measures, primary, aggregate, undefined, settings, core=True)
    check_comparison(sample)
    sample = sample.scored()
    intervals, unavailable = make_intervals(sample)
    tests, untested = (None, ()) if judged else make_tests(sample)
    differences, missing = (None, ()) if judged else make_differences(sample)
    found = _result(
        "comparison",
        ordered,
        sample,
        first,
        (
            *_default_notice(sample, first, measures, primary),
            *_unranked(sample.scores, first),
            *unavailable,
            *untested,
            *missing,
        ),
        intervals=intervals,
        tests=tests,
        differences=differences,
    )
    if isinstance(ordered, JudgedSource):
        found = judged_tests(with_judge(found, sample, ordered), sample, ordered)
    return _with_examples(found, ordered).reordered(given)


def _with_examples(result: Result, source: Source | JudgedSource) -> Result:
    """Return a result with some items and their texts, if there are texts."""
    ranked = result.scores.ranking(result.primary)
    first = (result.tests.against if result.tests else "") or ranked[0]
    systems = [first, *(system for system in ranked if system != first)][:_MOST_SHOWN]
    found = source.examples(systems, paired=result.tests is not None)
    if found is None:
        return result
    if result.tests is None or result.scores.scale.k > MOST_CLASSES:
        return replace(result, examples=found)
    joint = source.joint([(first, system) for system in systems[1:]])
    tables = joint.table.sum(axis=1) if joint.topics else joint.table
    gold, one, other = np.indices(tables.shape[1:])
    nearer = abs(one - gold) - abs(other - gold)
    closer = np.stack([tables[:, nearer < 0].sum(axis=1), tables[:, nearer > 0].sum(axis=1)], 1)
    return replace(result, examples=replace(found, closer=closer))


def _check_pairing(source: Source | JudgedSource, aggregate: Aggregate, settings: Settings) -> None:
    """Raise an error where differences would have to be made from separate tables."""
    if source.paired:
        return
    counts = source.counts()
    over = settings.unit(len(counts.topics))
    if over == "items" or aggregate == "pool":
        raise unpaired(counts)


def _sample(
    source: Source | JudgedSource,
    measures: MeasuresLike,
    primary: str | Measure | None,
    aggregate: Aggregate,
    undefined: Undefined,
    settings: Settings | None,
    *,
    core: bool,
) -> tuple[Sample, Measure]:
    """Count; returns what is to be scored and the measure that ranks."""
    counts = source.counts().with_system_axis()
    everything = isinstance(measures, str) and measures == "all"
    named = () if _is_default(measures) else read_measures(measures)
    first = default_primary(counts, named)
    if primary is not None:
        first = counterpart(parse_primary(primary), "classification")
    chosen = named or read_measures(CORE_MEASURES if core and not everything else None)
    if not named:
        chosen = tuple(m for m in chosen if not m.needs_items(counts))
    _check_task(chosen, "measures")
    _check_task([first], "primary")
    chosen, first = with_primary(chosen, first)
    scores = unscored(counts, chosen, aggregate=aggregate, undefined=undefined)
    row = scores.row(first)
    return Sample(scores, settings or Settings(), counts, source, bool(named), first=row), first


def _result(
    kind: Literal["evaluation", "comparison"],
    source: Source | JudgedSource,
    sample: Sample,
    primary: Measure,
    notes: Notes,
    **figures: Any,
) -> Result:
    assert sample.counts is not None
    return Result(
        kind,
        sample.scores,
        primary,
        tables=sample.counts.pooled("topic").effective,
        notes=tuple(
            dict.fromkeys(
                (
                    *source.notices,
                    *data_notices(
                        sample.counts,
                        sample.scores,
                        named=sample.named,
                        told=source.notices,
                        intervals=figures["intervals"],
                    ),
                    *sample.unit_notice,
                    *notes,
                )
            )
        ),
        about={**source.about, **({"clusters": sample.units} if sample.over == "clusters" else {})},
        **figures,
    )


def default_primary(counts: Counts, measures: tuple[Measure, ...] = ()) -> Measure:
    """Return the measure that ranks the systems: the first of `measures`, or the advised one."""
    if measures:
        return measures[0]
    constant = int(constant_predictions(counts.pooled("topic").table).sum())
    advised = parse_measure(default_measure(constant))
    return advised if not advised.needs_items(counts) else parse_measure(KAPPA)


def _is_default(measures: MeasuresLike) -> bool:
    """Whether no measure is named."""
    return measures is None or (isinstance(measures, str) and measures == "all")


def _default_notice(
    sample: Sample, first: Measure, measures: MeasuresLike, primary: str | Measure | None
) -> Iterator[Note]:
    """Say that the default measure is not the usual one, or assumes more than is known."""
    if primary is not None or not _is_default(measures):
        return
    if sample.scores.scale.tells_order_only and first.satisfies("ordinal_invariance") is False:
        yield note("measure", f"{first.short} assumes equal steps between neighbouring classes.")
    if first.id == "alpha":
        yield (
            warning(
                "measure",
                f"Systems are ranked by {first}, not by {parse_measure(KAPPA)} as by default, "
                "because two or more of them predict the same class throughout, and kappa is 0 for "
                "each of these; name the primary measure to choose another one.",
            )
        )


def _unranked(scores: Scores, first: Measure) -> Iterator[Note]:
    """Name the systems that have no place in the ranking."""
    values = scores.values[scores.row(first)]
    missing = [name for name, v in zip(scores.systems, values, strict=True) if np.isnan(v)]
    if missing:
        one = len(missing) == 1
        yield (
            warning(
                "undefined",
                f"{quoted(missing, 3)} {'has' if one else 'have'} no rank, because {first} is "
                f"undefined for {'it' if one else 'them'}.",
            )
        )


def _check_task(chosen: Sequence[Measure], parameter: str) -> None:
    """Raise an error for measures that do not score labels."""
    of_raters = [str(m) for m in chosen if m.record.task == "raters"]
    if of_raters:
        raise of_several_raters(of_raters, parameter)
    wrong = [str(m) for m in chosen if m.record.task != "classification"]
    if wrong:
        raise InputError(
            f"{quoted(wrong)}: quantification measures compare distributions, not labels.",
            parameter=parameter,
        )
