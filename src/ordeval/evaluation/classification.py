"""Evaluate and compare systems that predict labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

import numpy as np

from .. import options as declared
from ..advice import KAPPA, default_measure
from ..data.column import sorted_names
from ..data.counts import Counts, constant_predictions
from ..data.data import Data, as_systems, read_labels, with_own_name
from ..data.examples import MOST_CLASSES
from ..data.source import Source, read_source, unpaired
from ..errors import InputError, first_few, plural, quoted
from ..measures.registry import Task
from ..measures.scoring import (
    MeasuresLike,
    Scores,
    check_task,
    parse_primary,
    read_measures,
    scored,
    unscored,
    with_primary,
)
from ..measures.spec import Measure, counterpart, parse_measure
from ..measures.spec import measures as measures_of
from ..notes import Note, note, warning
from ..results import Intervals, Result
from ..results.report import Report
from ..types import Aggregate, LabelColumn, Undefined
from .forecasts import CORE_MEASURES as FORECAST_MEASURES
from .forecasts import calibration_of, forecast_notes, in_order, with_forecasts
from .judge_labels import Judged, divide, divide_rated, with_judge
from .rated import Rated, asks_ratings, rating_measures, read_rated
from .ratings import refuse_of_files
from .read import read_columns
from .sample import CORE_MEASURES, Sample, Settings
from .significance import make_figures
from .slices import slices_of
from .stored import compare_results

_MOST_SHOWN = 50  # systems whose items are shown


@declared.takes(declared.EvaluateOptions)
def evaluate(
    y_true: Any = None,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[declared.EvaluateOptions],
) -> Result:
    """Score one or more systems under several measures, with intervals.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Data, Counts, JointCounts or table
        Gold labels. With `data`, the column of gold labels, by default "gold". Without `y_pred`,
        data or counts from an earlier step, a table of gold by predicted class, or a mapping from
        system to table. For the measures "mean" and "shares", the ratings of the items themselves,
        or a mapping from system to the ratings of its outputs, of which some may be missing.
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or a mapping from system to labels. A named pandas or
        Polars series names its system, unless gold has the same name. With `data`, the columns of
        the systems, or a mapping from name to column; by default all columns without another role.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; by default nine core measures. "all"
        selects every measure.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a DuckDB relation, a Spark frame, or the path or
        pattern of files. Arguments with a value per item are then column names. Only counts leave
        the data.
    {options}

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
    >>> accuracy = published["accuracy"]
    >>> [round(x, 3) for x in (accuracy.low, accuracy.value, accuracy.high)]
    [0.65, 0.736, 0.812]
    >>> ratings = oe.evaluate([3, 4, 5, 4], measures="mean, shares", labels=[1, 2, 3, 4, 5])
    >>> ratings["mean"].value, ratings["share(label=4)"].value
    (4.0, 0.5)
    """
    read = read_rated if asks_ratings(measures) else _read
    source = read(y_true, with_own_name(y_pred, y_true), data, options)
    settings = declared.options_of(options, declared.EvaluateSettings, declared.ProgressOption)
    return _result("evaluation", source, measures, **settings)


@declared.takes(declared.CompareOptions)
def compare(
    y_true: Any = None,
    y_pred: Mapping[str, Any] | Sequence[str] | Result | None = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[declared.CompareOptions],
) -> Result:
    """Compare systems on the same items: ranking, intervals and tests of all pairs.

    The test is step-down max-T: systems swap their labels, or scores, on random sets of units, and
    each difference is compared with the largest one that such swaps give among the pairs not yet
    found different. Units are the clusters or topics if you name them, else the items.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Data, Counts, JointCounts or Result
        Gold labels. With `data`, the column of gold labels, by default "gold". Without `y_pred`,
        data or joint counts from an earlier step, or counts of systems on two or more topics, which
        are then the units. For the measures "mean" and "shares", a mapping from system to the
        ratings of its outputs; with `data`, their columns, or one column with `system` and `id`. Or
        an earlier result of one system, see `y_pred`.
    y_pred : mapping of str to array_like of shape (n_items,), or Result, optional
        Predicted labels of each system, in the order of `y_true`; pandas series are matched by
        their index. A data frame has a column per system. With `data`, the columns of the systems,
        or a mapping from name to column; by default all columns without another role. If `y_true`
        is an earlier result, a later result on the same data. Results do not hold items, so they
        are compared over topics if scores are means over topics, and otherwise unpaired.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; by default nine core measures. "all"
        selects every measure.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a DuckDB relation, a Spark frame, or the path or
        pattern of files. Arguments with a value per item are then column names. Only counts leave
        the data.
    {options}

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
    >>> import polars as pl
    >>> frame = pl.DataFrame({"truth": [1, 2, 3, 2], "a": [1, 2, 2, 2], "b": [3, 2, 1, 2]})
    >>> oe.compare("truth", ["a", "b"], data=frame, labels=[1, 2, 3]).best
    'a'
    """
    if isinstance(y_true, Report) or isinstance(y_pred, Report):
        return compare_results(y_true, y_pred, measures, options)
    y_pred = as_systems(y_pred)
    for name, systems in {"y_pred": y_pred, "proba": options["proba"]}.items():
        if data is not None or systems is None or isinstance(systems, Mapping):
            continue
        raise InputError(
            f"{name} is not a mapping from system to predictions, e.g. {{'bert': p1, 'svm': p2}}.",
            parameter=name,
            hint=f"Use evaluate for one system; pass {{data}} if {name} names columns.",
            suggest={"data": ...},
        )
    read = read_rated if asks_ratings(measures) else _read
    source = read(y_true, y_pred, data, options)
    settings = declared.options_of(options, declared.CompareSettings, declared.ProgressOption)
    return _result("comparison", source, measures, **settings)


def _read(y_true: Any, y_pred: Any, data: Any, options: Mapping[str, Any]) -> Source:
    """Read labels in memory, or columns of data."""
    if data is None:
        refuse_of_files(data, options, declared.FileOptions)
    reading = declared.options_of(
        options, declared.ItemsRead, *[declared.FileOptions] * (data is not None)
    )
    if data is None and reading["proba"] is not None and y_pred is None:
        return read_labels(y_true, None, reading)
    if data is None:
        return read_source(y_true, y_pred, **reading)
    return read_columns(data, y_true, y_pred, **reading)


def _result(
    kind: Literal["evaluation", "comparison"],
    read: Source | Rated,
    measures: MeasuresLike,
    *,
    primary: str | Measure | None,
    aggregate: Aggregate,
    undefined: Undefined,
    **statistics: Any,
) -> Result:
    """Score the systems of any source of counts, and test their differences in a comparison."""
    settings, compared = Settings(**statistics), kind == "comparison"
    rated = isinstance(read, Rated)
    if compared and not isinstance(read, Rated):
        _check_pairing(read, aggregate, settings)
    source, judged = _sorted(read, settings)
    counts, forecasts = source.counts().with_system_axis(), None
    if isinstance(source, Data) and source.proba:
        source = forecasts = in_order(source)
    named = measures is not None and not (isinstance(measures, str) and measures == "all")
    if rated:
        chosen, first = rating_measures(counts.scale.labels, measures, primary)
    else:
        chosen, first = _choose(counts, measures, primary, named, forecasts is not None)
    scores = unscored(counts, chosen, aggregate=aggregate, undefined=undefined)
    sample = Sample(scores, settings, counts, source, named, first=scores.row(first))
    if compared:
        sample.check_pairs()
    sample, of_data = replace(sample, scores=scored(scores, counts)), dict[str, Any]()
    if forecasts is not None:
        sample = replace(sample, scores=with_forecasts(sample.scores, forecasts))
        if settings.draws:
            of_data = {"calibration": calibration_of(forecasts, settings.seed, settings.ci)}
    tested = compared and (judged is None or judged.complete)
    figures, of_statistics = make_figures(sample, tested=tested)
    notes = [*source.notices, *_data_notices(sample, counts, figures["intervals"], rated)]
    notes += forecast_notes(sample.scores, forecasts) if forecasts else ()
    notes += sample.unit_notice
    notes += _default_notice(sample, first) if primary is None and not named else ()
    if isinstance(source, Data) and source.units.parts:
        of_data["slices"], more = slices_of(sample, source, compared=tested)
        notes += more
    clusters = {"clusters": sample.units} if sample.over == "clusters" else {}
    result = Result(
        kind,
        sample.scores,
        first,
        tables=None if rated else counts.pooled("topic").effective,
        notes=tuple(dict.fromkeys((*notes, *of_statistics))),
        about={**source.about, **settings.about, **clusters},
        **figures,
        **of_data,
    )
    if judged is not None:
        result = with_judge(result, sample, judged, tests=compared)
    return _with_examples(result, source).reordered(read.systems)


def _check_pairing(source: Source, aggregate: Aggregate, settings: Settings) -> None:
    """Raise an error where differences would have to be made from separate tables."""
    if source.paired:
        return
    counts = source.counts()
    if aggregate == "pool" or settings.unit(len(counts.topics)) == "items":
        raise unpaired(counts)


def _sorted(source: Source | Rated, settings: Settings) -> tuple[Source, Judged | None]:
    """Return the source with its systems in the order of their names, and what a judge labelled."""
    if not source.judged:
        return source.only(sorted_names(source.systems)), None
    assert isinstance(source, (Data, Rated))
    if settings.over not in (None, "items"):
        raise InputError(
            f"over={settings.over!r} cannot be combined with a judge, who corrects item scores.",
            parameter="over",
            hint="Leave {over} or {judge} out.",
            suggest={"over": ..., "judge": ...},
        )
    return divide_rated(source) if isinstance(source, Rated) else divide(source)


def _choose(
    counts: Counts,
    measures: MeasuresLike,
    primary: str | Measure | None,
    named: bool,
    forecast: bool,
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures and the one that ranks: the first that is named, or the advised one."""
    if named:
        chosen = read_measures(measures)
        first = chosen[0]
    elif forecast:
        some = [*measures_of("probabilities"), *measures_of("classification", batched=True)]
        chosen = read_measures(FORECAST_MEASURES if measures is None else some)
        first = chosen[0]
    else:
        chosen = read_measures(CORE_MEASURES if measures is None else None)
        chosen = tuple(m for m in chosen if not m.needs_items(counts))
        constant = int(constant_predictions(counts.pooled("topic").table).sum())
        first = parse_measure(default_measure(constant))
        first = parse_measure(KAPPA) if first.needs_items(counts) else first
    if primary is not None:
        first = counterpart(parse_primary(primary), "classification")
    also: Task | None = "probabilities" if forecast else None
    check_task(chosen, "classification", also=also)
    check_task([first], "classification", "primary", also=also)
    return with_primary(chosen, first)


def _with_examples(result: Result, source: Source) -> Result:
    """Return a result with some items and their texts, if there are texts."""
    ranked = result.scores.ranking(result.primary)
    first = (result.tests.against if result.tests else "") or ranked[0]
    systems = [first, *(system for system in ranked if system != first)][:_MOST_SHOWN]
    examples = source.examples(systems, paired=result.tests is not None)
    if examples is None:
        return result
    if result.tests is None or result.scores.scale.k > MOST_CLASSES:
        return replace(result, examples=examples)
    assert isinstance(source, Data)
    places = [1 + source.systems.index(system) for system in systems]
    tables, _ = source.tables([(0, places[0], place) for place in places[1:]])
    tables = tables.sum(axis=1) if source.has_topics else tables
    gold, one, other = np.indices(tables.shape[1:])
    nearer = abs(one - gold) - abs(other - gold)
    closer = np.stack([tables[:, nearer < 0].sum(axis=1), tables[:, nearer > 0].sum(axis=1)], 1)
    return replace(result, examples=replace(examples, closer=closer))


# Notes.


def _default_notice(sample: Sample, first: Measure) -> Iterator[Note]:
    """Say that the default measure is not the usual one, or assumes more than is known."""
    if sample.scores.scale.tells_order_only and first.satisfies("ordinal_invariance") is False:
        yield note("measure", f"{first.label} assumes equal steps between neighbouring classes.")
    if first.id == "alpha":
        yield warning(
            "measure",
            f"Systems are ranked by {first.label}, not by {parse_measure(KAPPA).label}, because "
            "two or more predict the same class throughout, and kappa is 0 for each of them; "
            "name the primary measure to choose another one.",
        )


def _data_notices(
    sample: Sample, counts: Counts, intervals: Intervals | None, rated: bool
) -> Iterator[Note]:
    """Report what the reader should know about the data; ratings have no gold."""
    scores = sample.scores
    yield from counts.scale.inferred_notice()
    yield from () if rated else counts.notices
    if any(m.record.uses_values for m in scores.measures):
        yield from counts.scale.notices
    raw = [m.label for m in scores.measures if scores.is_raw(m)]
    if raw:
        computed = "Computed from the numbers as given (raw), not from classes"
        kind = warning if len(scores.systems) > 1 else note  # others may have classes only
        yield kind("raw", f"{computed}: {', '.join(raw)}.")
    yield from _weight_notices(sample, counts)
    if counts.skipped:
        yield warning(
            "missing", f"Left out, because a value is missing: {plural(counts.skipped, 'item')}."
        )
    if not rated:
        yield from _gold_notices(scores, counts, intervals)


def _gold_notices(scores: Scores, counts: Counts, intervals: Intervals | None) -> Iterator[Note]:
    """Report what the reader should know about predictions beside gold."""
    tables = counts.pooled("topic").table
    gold = tables.sum(axis=(0, -1))
    wrong = tables.sum(axis=(-1, -2)) - tables.trace(axis1=-2, axis2=-1)
    if perfect := [name for name, n in zip(counts.systems, wrong, strict=True) if n == 0]:
        binned = " after binning" * (counts.bins is not None)
        yield warning(
            "copy",
            f"{quoted(perfect)} equal{'s' * (len(perfect) == 1)} gold on every item{binned}; if "
            f"that is unexpected, check that {'it is' if len(perfect) == 1 else 'they are'} not "
            "copied from gold.",
            request=True,
        )
    if not gold.all():
        empty = [label for label, n in zip(counts.scale.labels, gold, strict=True) if n == 0]
        which = "class" if len(empty) == 1 else "classes"
        yield warning("classes", f"No gold item is of the {which} {quoted(empty)}.")
    yield from _empty_in_topics(counts, scores)
    if intervals is not None:
        yield from _constant_notice(counts, scores, intervals)
    if scores.undefined.any():
        undefined = plural(int(np.count_nonzero(scores.undefined)), "score is", "scores are")
        shown: dict[Any, str] = {None: "shown as –", "skip": "left out of the means"}
        how = shown.get(scores.replaced, f"replaced by {scores.replaced}")
        level = note if scores.replaced is None else warning  # tables show the former
        yield level("undefined", f"{undefined} undefined on some data and {how}.")


def _weight_notices(sample: Sample, counts: Counts) -> Iterator[Note]:
    """Say what weights make of the number of items, and which measures they leave out."""
    scores = sample.scores
    if scores.effective:
        items = plural(int(scores.items), "item") if counts.items else "an unknown number of items"
        yield note(
            "weights",
            f"The weights make {items} worth {scores.effective:,.1f} of equal weight; numbers of "
            "items in tables are such effective numbers.",
        )
    if counts.weighted and counts.squares is None and not sample.named:
        yield warning(
            "weights",
            "The tables hold weights, or counts that are not whole: measures that depend on "
            "the number of items are left out.",
        )


def _empty_in_topics(counts: Counts, scores: Scores) -> Iterator[Note]:
    """Say in how many topics means over classes are over fewer classes than in others."""
    averaging = [m.label for m in scores.measures if m.record.over_classes]
    gold = counts.table[0].sum(axis=-1) > 0
    if scores.aggregate == "mean" and averaging and (gold != gold.any(axis=0)).any():
        lacking = int((gold != gold.any(axis=0)).any(axis=-1).sum())
        yield warning(
            "classes",
            f"Gold lacks some class in {lacking:,} of {plural(len(gold), 'topic')}, where "
            f"{first_few(averaging, 3)} {'is' if len(averaging) == 1 else 'are'} over the classes "
            "that occur.",
        )


def _constant_notice(counts: Counts, scores: Scores, intervals: Intervals) -> Iterator[Note]:
    """Say that tables leave out the intervals of scores to which gold does not matter."""
    fixed = scores.fixed(counts.pooled("topic").table)
    wide = fixed & (intervals.low < intervals.high)  # false where undefined
    alike = [m.label for m, some in zip(scores.measures, wide, strict=True) if some.any()]
    names = [name for name, some in zip(counts.systems, wide.T, strict=True) if some.any()]
    if names:
        yield warning(
            "constant",
            f"{quoted(names, 3)} predict{'s' * (len(names) == 1)} one class: "
            f"whatever gold is, {first_few(alike, 3)} {'is' if len(alike) == 1 else 'are'} as "
            "shown, and tables leave out the interval. New data may hold other classes.",
        )
