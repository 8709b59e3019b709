"""Evaluate and compare systems that predict labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

import numpy as np

from ..advice import KAPPA, default_measure
from ..data.column import sorted_names
from ..data.counts import Counts, constant_predictions
from ..data.data import Data, as_systems, with_own_name
from ..data.examples import MOST_CLASSES
from ..data.source import Source, read_source, unpaired
from ..errors import InputError, quoted
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
from ..options import (
    CompareOptions,
    CompareSettings,
    EvaluateOptions,
    EvaluateSettings,
    ItemsRead,
    ProgressOption,
    options_of,
    takes,
)
from ..results import Result
from ..types import Aggregate, LabelColumn, Undefined
from .intervals import make_differences, make_intervals
from .judge_labels import JudgedSource, check_settings, judged_tests, with_judge
from .notices import data_notices
from .read import read_columns
from .sample import Sample
from .settings import CORE_MEASURES, Settings
from .significance import make_tests
from .sizes import check_comparison, check_intervals

_MOST_NAMED = 3  # classes that a notice names
_MOST_SHOWN = 50  # systems whose items are shown


@takes(EvaluateOptions)
def evaluate(
    y_true: Any = None,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[EvaluateOptions],
) -> Result:
    """Score one or more systems under several measures, with intervals.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Data, Counts, JointCounts or table
        Gold labels. Or, without `y_pred`, what is read or counted already: data, counts, a table of
        gold by predicted class, or a mapping from system to table. With `data`, the column of gold
        labels, by default "gold".
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system. A named series of pandas or Polars
        gives the system its name, unless gold has the same. With `data`, the columns of the
        systems, or a mapping from name to column; by default all columns without another role.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; nine core measures by default, and
        every measure for "all".
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a relation of DuckDB, a Spark frame, or the path
        or pattern of files. Arguments that hold a value per item are then names of columns, and
        only counts leave the data.
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
    """
    source = _source(y_true, with_own_name(y_pred, y_true), data, options)
    return evaluate_source(
        source, measures, **options_of(options, EvaluateSettings, ProgressOption)
    )


@takes(CompareOptions)
def compare(
    y_true: Any = None,
    y_pred: Mapping[str, Any] | Sequence[str] | None = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[CompareOptions],
) -> Result:
    """Compare systems on the same items: ranking, intervals and tests of all pairs.

    The test is step-down max-T: systems exchange their labels, or scores, on random sets of units,
    and each difference is compared with the largest one that chance gives among the pairs not yet
    found different. The units are clusters or topics where they are given, else items.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Data, Counts or JointCounts
        Gold labels. Or, without `y_pred`, what is read or counted already: data, joint counts, or
        counts of systems on two or more topics, which are then the units. With `data`, the column
        of gold labels, by default "gold".
    y_pred : mapping of str to array_like of shape (n_items,), optional
        Predicted labels of each system, in the order of `y_true`; pandas series are matched by
        their index. The columns of a data frame are systems, too. With `data`, the columns of the
        systems, or a mapping from name to column; by default all columns without another role.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; nine core measures by default, and
        every measure for "all".
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a relation of DuckDB, a Spark frame, or the path
        or pattern of files. Arguments that hold a value per item are then names of columns, and
        only counts leave the data.
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
    y_pred = as_systems(y_pred)
    if data is None and y_pred is not None and not isinstance(y_pred, Mapping):
        raise InputError(
            "y_pred is not a mapping from system to predictions, e.g. {'bert': p1, 'svm': p2}.",
            parameter="y_pred",
            hint="Use evaluate for one system; pass {data} if y_pred names columns.",
            suggest={"data": ...},
        )
    source = _source(y_true, y_pred, data, options)
    return compare_source(source, measures, **options_of(options, CompareSettings, ProgressOption))


def _source(y_true: Any, y_pred: Any, data: Any, options: Mapping[str, Any]) -> Source:
    """Read labels in memory, or columns of data."""
    reading = options_of(options, ItemsRead)
    if data is None:
        return read_source(y_true, y_pred, **reading)
    return read_columns(data, y_true, y_pred, **reading)


def evaluate_source(
    source: Source,
    measures: MeasuresLike = None,
    *,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    undefined: Undefined = None,
    **statistics: Any,
) -> Result:
    """Evaluate the systems of any source of counts; see `evaluate`."""
    settings = Settings(**statistics)
    given, ordered = source.systems, _sorted(source, settings)
    sample, first = _sample(ordered, measures, primary, aggregate, undefined, settings)
    check_intervals(sample)
    sample = sample.scored()
    intervals, unavailable = make_intervals(sample)
    told = (*_default_notice(sample, first, measures, primary), *unavailable)
    found = _result("evaluation", ordered, sample, first, told, intervals=intervals)
    if isinstance(ordered, JudgedSource):
        found = with_judge(found, sample, ordered)
    return _with_examples(found, ordered).reordered(given)


def _sorted(source: Source, settings: Settings) -> Source | JudgedSource:
    """Return the source with its systems in the order of their names."""
    if not source.judged:
        return source.only(sorted_names(source.systems))
    assert isinstance(source, Data)
    check_settings(settings)
    return JudgedSource.of_data(source)


def compare_source(
    source: Source,
    measures: MeasuresLike = None,
    *,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    undefined: Undefined = None,
    **statistics: Any,
) -> Result:
    """Compare the systems of any source of counts; see `compare`."""
    settings = Settings(**statistics)
    _check_pairing(source, aggregate, settings)
    given, ordered = source.systems, _sorted(source, settings)
    judged = isinstance(ordered, JudgedSource) and not ordered.complete
    sample, first = _sample(ordered, measures, primary, aggregate, undefined, settings)
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
    settings: Settings,
) -> tuple[Sample, Measure]:
    """Count; returns what is to be scored and the measure that ranks."""
    counts = source.counts().with_system_axis()
    everything = isinstance(measures, str) and measures == "all"
    named = () if _is_default(measures) else read_measures(measures)
    first = default_primary(counts, named)
    if primary is not None:
        first = counterpart(parse_primary(primary), "classification")
    chosen = named or read_measures(None if everything else CORE_MEASURES)
    if not named:
        chosen = tuple(m for m in chosen if not m.needs_items(counts))
    _check_task(chosen, "measures")
    _check_task([first], "primary")
    chosen, first = with_primary(chosen, first)
    scores = unscored(counts, chosen, aggregate=aggregate, undefined=undefined)
    row = scores.row(first)
    return Sample(scores, settings, counts, source, bool(named), first=row), first


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
        about={
            **source.about,
            **sample.settings.about,
            **({"clusters": sample.units} if sample.over == "clusters" else {}),
        },
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
        yield note("measure", f"{first.label} assumes equal steps between neighbouring classes.")
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
