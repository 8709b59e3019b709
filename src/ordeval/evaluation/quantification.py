"""Evaluate and compare systems that estimate distributions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..data.column import as_array, group_name, is_tensor, sorted_names
from ..data.scale import Scale
from ..distributions import (
    Distributions,
    common_integers,
    prefixes_of,
    read_distributions,
    read_sizes,
    renormalised_notice,
    unknown_order,
)
from ..errors import InputError, names_rng, plural, quoted
from ..measures.scoring import (
    MeasuresLike,
    Scores,
    check_undefined,
    mean_over_topics,
    parse_primary,
    read_measures,
    with_primary,
)
from ..measures.spec import Measure, measures
from ..notes import Note, warning
from ..results import Result
from ..types import (
    RNG,
    Classes,
    ClassNumbers,
    Floats,
    LabelColumn,
    Method,
    Progress,
    Undefined,
)
from .intervals import make_differences, make_intervals
from .sample import Sample
from .settings import Settings
from .significance import make_tests
from .sizes import check_comparison


@names_rng
def quantify(
    p_true: Any,
    p_pred: Any,
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    topics: LabelColumn | str | None = None,
    sizes: Any = None,
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    renormalise: bool = True,
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: Method = "auto",
    against: str | None = None,
    margin: float | None = None,
    trials: int | None = None,
    differences: bool = False,
    rng: RNG = 0,
    progress: Progress | None = None,
) -> Result:
    """Compare estimated distributions: ranking, intervals and tests over topics.

    Parameters
    ----------
    p_true : array_like of shape (n_topics, n_classes), or data frame
        Gold distributions or counts. The columns of a data frame are matched by name; a pandas
        series is one distribution, with the classes as its index.
    p_pred : array_like, data frame, or mapping of str to these
        Estimated distributions of one system, or of each system. Rows of data frames are matched
        with those of gold by the column `topics`, or by index where both have one: if the names
        of the rows differ, it is an error.
    labels : sequence, optional
        The classes from lowest to highest; for arrays by default 1 to K. Columns of data frames
        that are named by numbers are in their order, those of an ordered categorical in its
        order; otherwise the position of a column tells nothing, and labels are required.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    topics : sequence of str, or str, optional
        The names of the topics, or of the column of all data frames that holds them; by default
        the index of a pandas frame.
    sizes : sequence of float, float or str, optional
        The number of items of each gold distribution, or the column of gold that holds it, for
        measures that are smoothed by it; by default the sums of gold if it holds counts.
    measures : str, Measure or sequence of these, optional
        The measures; all quantification measures by default.
    primary : str or Measure, optional
        The measure that ranks the systems. By default the first of `measures`, or RNOD.
    renormalise : bool
        Whether rows whose sum is within 1 % of 1 are divided by their sum.
    undefined : float, "skip" or None
        A number that replaces undefined scores, or "skip" to average over the topics that have a
        score.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of bootstrap replicates; 0 for no intervals.
    method : {"auto", "percentile"}
        The kind of interval; by default "t", from the jackknife over topics.
    against : str, optional
        A system with which all others are compared, instead of all pairs.
    margin : float, optional
        The largest difference that does not matter, in units of the measure; see `Pair.verdict`.
    trials : int, optional
        The number of random trials of the tests.
    differences : bool
        Whether to compute intervals of the differences of all pairs; see `Result.pairs`.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    Result
        Mean scores with intervals and tests of all pairs. It prints as a leaderboard.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.6, 0.3, 0.1]]
    >>> guess = [[0.3, 0.4, 0.3], [0.1, 0.3, 0.6], [0.5, 0.3, 0.2]]
    >>> even = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    >>> oe.quantify(gold, {"guess": guess, "even": even}).best
    'guess'
    """
    settings = Settings(
        ci=ci,
        bootstrap=bootstrap,
        method=method,
        trials=trials,
        rng=rng,
        progress=progress,
        differences=differences,
        against=against,
        margin=margin,
    )
    column = topics if isinstance(topics, str) else None
    taken = [c for c in (column, sizes) if isinstance(c, str)]
    true = _Table.of(p_true, "gold", column, taken)
    systems = {n: _Table.of(d, n, column, taken) for n, d in _systems(p_pred).items()}
    scale = _scale(true, labels, values)
    named = topics if topics is not None and column is None else true.distinct_names
    names = None if named is None else _topic_names(named)
    places = {n: _places(true, t, n) for n, t in systems.items()}

    def read(table: _Table, name: str, place: Sequence[int] | None = None) -> Distributions:
        rows = table.in_order(name, scale)
        rows = rows if place is None else rows[list(place)]
        return read_distributions(rows, name, renormalise=renormalise, row_names=names)

    gold = read(true, "gold")
    estimates = {name: read(table, name, places[name]) for name, table in systems.items()}
    _check_shapes(gold.rows, {n: found.rows for n, found in estimates.items()}, names, scale)
    found = [gold, *estimates.values()]
    return quantify_rows(
        gold.rows,
        np.stack([found.rows for found in estimates.values()]),
        tuple(estimates),
        names or tuple(map(str, range(len(gold.rows)))),
        scale,
        measures,
        sizes=_sizes(true, sizes, gold),
        primary=primary,
        undefined=undefined,
        settings=settings,
        notices=renormalised_notice(
            sum(part.renormalised for part in found), max(part.deviation for part in found)
        ),
        about=about_shares(sizes=sizes is not None, renormalise=renormalise),
    )


def about_shares(*, sizes: bool, renormalise: bool) -> dict[str, Any]:
    """Return what a result says about its data: sizes that were given, and sums that were kept."""
    return {**({"sizes": True} if sizes else {}), **({} if renormalise else {"renormalise": False})}


def _sizes(true: "_Table", sizes: Any, gold: Distributions) -> Floats | None:
    """Return the numbers of items of the topics: a column, as given, or the sums of counts."""
    if sizes is None:
        return gold.sizes
    given = true.column(sizes, "sizes") if isinstance(sizes, str) else sizes
    return read_sizes(given, gold.rows.shape[:-1])


def quantify_rows(
    gold: Floats,
    estimates: Floats,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    scale: Scale,
    given: MeasuresLike = None,
    *,
    sizes: Floats | None = None,
    primary: str | Measure | None = None,
    undefined: Undefined = None,
    settings: Settings | None = None,
    notices: Iterable[Note] = (),
    about: Mapping[str, Any] | None = None,
) -> Result:
    """Compare checked distributions, gold `[T, K]` and estimates `[S, T, K]`; see `quantify`.

    `sizes` `[T]` are the numbers of items of the gold distributions, if they are known.
    """
    chosen, first = _choose(given, primary)
    for m in chosen:
        m.check_classes(scale.k)
    check_undefined(undefined)
    given_systems = systems
    (systems, of_system), (topics, rows) = _sorted(systems), _sorted(_plain_names(topics))
    gold, estimates = gold[rows], estimates[of_system][:, rows]
    sizes = None if sizes is None else sizes[rows]
    by_topic = np.stack([m.kernel(gold, estimates, scale.numbers, sizes=sizes) for m in chosen])
    scores = _score(by_topic, systems, topics, scale, chosen, undefined)
    sample = Sample(scores, settings or Settings())
    shares = np.concatenate([gold.mean(axis=0)[None], estimates.mean(axis=1)])
    told = (*notices, *(scale.notices if any(m.record.uses_values for m in chosen) else ()))
    if len(topics) < 2:
        alone = warning("tests", "No intervals and no tests: there is only one topic.")
        told, origin = (*told, alone), about or {}
        found = Result("quantification", scores, first, shares=shares, notes=told, about=origin)
        return found.reordered(given_systems)
    check_comparison(sample)
    intervals, unavailable = make_intervals(sample)
    tests, untested = make_tests(sample) if len(systems) > 1 else (None, ())
    differences, _ = make_differences(sample)
    found = Result(
        "quantification",
        scores,
        first,
        intervals,
        tests,
        shares=shares,
        notes=(*told, *unavailable, *untested),
        about=about or {},
        differences=differences,
    )
    return found.reordered(given_systems)


def _plain_names(topics: Sequence[str]) -> tuple[str, ...]:
    """Return the names of topics, whole numbers without a point where they stay different."""
    names = tuple(map(group_name, topics))
    return names if len(set(names)) == len(names) else tuple(topics)


def _sorted(names: Sequence[str]) -> tuple[tuple[str, ...], list[int]]:
    """Return names in their order, and their positions among those given."""
    place = {name: i for i, name in enumerate(names)}
    ordered = tuple(sorted_names(names))
    return ordered, [place[name] for name in ordered]


def _score(
    by_topic: Floats,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    scale: Scale,
    chosen: tuple[Measure, ...],
    undefined: Undefined,
) -> Scores:
    """Average the scores `[measure, system, topic]` over the topics."""
    return Scores(
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


def _choose(
    given: MeasuresLike, primary: str | Measure | None
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures and the one that ranks: RNOD unless others are named."""
    everything = given is None or (isinstance(given, str) and given == "all")
    chosen = tuple(measures("quantification")) if everything else read_measures(given)
    first = parse_primary(primary or ("rnod" if everything else chosen[0]))
    wrong = [str(m) for m in (*chosen, first) if m.record.task != "quantification"]
    if wrong:
        raise InputError(
            f"{quoted(dict.fromkeys(wrong))} scores labels, not distributions; for distributions "
            f"there are {quoted((str(m) for m in measures('quantification')), 20)}.",
            parameter="primary" if wrong == [str(first)] else "measures",
        )
    return with_primary(chosen, first)


def _systems(p_pred: Any) -> dict[str, Any]:
    """Return the systems by name."""
    if not isinstance(p_pred, Mapping):
        return {"p_pred": p_pred}
    if not p_pred:
        raise InputError(
            "p_pred is an empty mapping; at least one system is expected.", parameter="p_pred"
        )
    named = {str(name): data for name, data in p_pred.items()}
    if len(named) < len(p_pred):
        raise InputError(
            f"Systems share a name: {quoted(p_pred)}; give each its own name.", parameter="p_pred"
        )
    return named


def _topic_names(topics: Any) -> tuple[str, ...]:
    if not isinstance(topics, Iterable):
        raise InputError(
            f"topics={topics!r} is not a list; one name per topic is expected.",
            parameter="topic",
        )
    names = tuple(map(str, topics))
    _refuse_repeated(names, "The topics name")
    return names


def _refuse_repeated(names: Sequence[Any], who: str) -> None:
    times = Counter(names)
    if twice := [name for name in times if times[name] > 1]:
        raise InputError(
            f"{who} {quoted(twice)} more than once; each topic needs its own name.",
            parameter="topic",
        )


@dataclass(frozen=True)
class _Table:
    """Distributions as they are given, with the names of columns and rows if they have some.

    `columns` are those of classes.
    """

    data: Any
    columns: list[Any] | None = None
    names: list[Any] | None = None

    @classmethod
    def of(cls, data: Any, name: str, topic: str | None, taken: Sequence[str]) -> "_Table":
        """Read names: of the columns of a frame, and of its rows from a column or the index."""
        if type(data).__name__ in ("LazyFrame", "DuckDBPyRelation"):
            raise InputError(
                f"{name} is a {type(data).__name__}, whose rows are not in memory.",
                parameter="p_true" if name == "p_true" else "p_pred",
                hint="Collect it first: .collect(), or .df() of a relation.",
            )
        data = _one_row(data)
        columns = _columns(data)
        if columns is None:
            if topic is not None:
                raise InputError(
                    f"topics={topic!r} names a column, but {name} is not a data frame; one name "
                    "per topic is expected.",
                    parameter="topic",
                )
            return cls(data)
        classes = [column for column in columns if column not in taken]
        if topic is None:
            index = getattr(data, "index", None)
            names = None if index is None or callable(index) else list(index)
            return cls(data, classes, names)
        table = cls(data, classes)
        names = list(table.column(topic, "topics"))
        _refuse_repeated(names, f"{name}: the column {topic!r} names")
        return cls(data, classes, names)

    @property
    def distinct_names(self) -> list[Any] | None:
        """The names of the rows, if each has its own."""
        alike = self.names is not None and len(set(map(str, self.names))) < len(self.names)
        return None if alike else self.names

    def column(self, wanted: str, parameter: str) -> Any:
        """Return a column that is not a class."""
        columns = _columns(self.data)
        if columns is None or wanted not in columns:
            raise InputError(
                f"There is no column {wanted!r}; the columns are {quoted(columns or (), 20)}.",
                parameter=parameter,
            )
        return np.asarray(self.data[wanted])

    def in_order(self, name: str, scale: Scale) -> Any:
        """Return rows `[topic, K]` in the order of the scale; columns of frames match by name."""
        if self.columns is None:
            return np.atleast_2d(as_array(self.data, name))
        by_name = {str(column): column for column in self.columns}
        wanted = [str(label) for label in scale.labels]
        prefix, *others = prefixes_of(list(by_name), wanted)
        if prefix and not others and all(name.startswith(prefix) for name in by_name):
            by_name = {name.removeprefix(prefix): column for name, column in by_name.items()}
        if _is_numbered(self.data.columns) and set(by_name) != set(wanted):
            by_name = dict(zip(wanted, self.columns, strict=False))
        if set(by_name) != set(wanted) or len(self.columns) > len(wanted):
            raise InputError(
                f"{name} has the columns {quoted(self.columns)}; exactly one per class is "
                f"expected: {quoted(wanted)}."
            )
        return np.stack([np.asarray(self.data[by_name[label]]) for label in wanted], axis=-1)


def _one_row(data: Any) -> Any:
    """Return a pandas series, one distribution by class, as a frame of one row."""
    if hasattr(data, "to_frame") and hasattr(data, "index") and not hasattr(data, "columns"):
        numbered = _is_numbered(data.index)
        return np.asarray(data) if numbered else data.to_frame().T.reset_index(drop=True)
    return data


def _columns(data: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame; None for anything else."""
    if isinstance(data, (np.ndarray, list, tuple)) or not hasattr(data, "columns"):
        return None
    named = getattr(data, "column_names", None)  # of Arrow, where `columns` are the arrays
    return list(data.columns if named is None else named)


def _is_numbered(index: Any) -> bool:
    """Return whether an index of pandas only counts from 0."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def _places(gold: _Table, table: _Table, name: str) -> list[int] | None:
    """Return where the topics of gold are in another table; None if they are in the same rows."""
    if gold.names is None or table.names is None or gold.names == table.names:
        return None
    mine, theirs = set(gold.names), set(table.names)
    absent = [topic for topic in gold.names if topic not in theirs]
    extra = [topic for topic in table.names if topic not in mine]
    for topics, what in ((absent, "not in it"), (extra, "not in gold")):
        if topics:
            raise InputError(
                f"{name} has other topics than gold; {plural(len(topics), 'topic')} {what}: "
                f"{quoted(topics)}.",
                parameter="p_pred",
                hint="Rows are matched by the names of the topics, in pandas the index; give "
                "arrays (to_numpy()) to match them by position.",
            )
    _refuse_repeated(gold.names, "The index of gold names")
    _refuse_repeated(table.names, f"The index of {name} names")
    place = {topic: i for i, topic in enumerate(table.names)}
    return [place[topic] for topic in gold.names]


def _scale(true: _Table, labels: Any, values: Any) -> Scale:
    """Return the classes: declared, else the columns of gold, else 1 to K."""
    columns = true.columns
    _refuse_total_row(true)
    if labels is not None:
        return Scale.of(labels, values)
    if columns is None:
        shape = np.shape(true.data) if not is_tensor(true.data) else tuple(true.data.shape)
        return Scale.of(list(range(1, (shape[-1] if shape else 0) + 1)), values)
    _refuse_total_column(columns)
    return Scale.of(_ordered(true.data, columns), values)


def _ordered(data: Any, columns: list[Any]) -> list[Any]:
    """Return classes that name columns, lowest first, if their order is known."""
    kind = getattr(getattr(data, "columns", None), "dtype", None)
    if getattr(kind, "ordered", False):
        present = set(columns)
        return [label for label in kind.categories if label in present]  # type: ignore[union-attr]
    if all(isinstance(c, Real) and not isinstance(c, bool) for c in columns):
        return sorted(columns)
    names = [str(column) for column in columns]
    numbers = common_integers(names)
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise unknown_order(names, "gold: ")
    return numbers


_TOTALS = ("all", "total", "totals", "sum", "margin")


def _refuse_total_column(columns: Sequence[Any]) -> None:
    """Raise an error for a column that is named like a total."""
    total = [c for c in columns if str(c).strip().lower() in _TOTALS]
    if total and len(columns) > 2:
        raise InputError(
            f"gold has the column {str(total[0])!r}, which is named like a total and is not a "
            "class.",
            parameter="p_true",
            hint="Leave it out, e.g. with margins=False in pandas.crosstab; if it is a class, "
            "declare all classes with {labels}.",
            suggest={"labels": ...},
        )


def _refuse_total_row(true: _Table) -> None:
    """Raise an error for a last row that is named like a total and holds the sums."""
    last = true.names[-1] if true.names and len(true.names) > 2 else None
    columns = true.columns
    if columns is None or last is None or str(last).strip().lower() not in _TOTALS:
        return
    rows = np.stack([np.asarray(true.data[c], dtype=np.float64) for c in columns], axis=-1)
    if np.allclose(rows[:-1].sum(axis=0), rows[-1]):
        raise InputError(
            f"The last row of gold, {str(last)!r}, holds the sums of the others and is not a "
            "topic.",
            parameter="p_true",
            hint="Leave it out, e.g. with margins=False in pandas.crosstab.",
        )


def _check_shapes(
    gold: Floats, estimates: Mapping[str, Floats], names: Sequence[str] | None, scale: Scale
) -> None:
    """Raise an error unless all arrays are about the same topics and classes."""
    for name, rows in estimates.items():
        if rows.shape != gold.shape:
            raise InputError(
                f"{name} has distributions of shape {rows.shape} and gold {gold.shape}; "
                "every topic needs one, over the same classes in the same order."
            )
    if gold.ndim != 2:
        raise InputError(f"gold has shape {gold.shape}; [topic, K] is expected.")
    if names is not None and len(names) != len(gold):
        raise InputError(
            f"There are {len(names)} topics and gold has {len(gold)} rows.", parameter="topic"
        )
    if scale.k != gold.shape[1]:
        raise InputError(
            f"The scale has {scale.k} classes and gold has {gold.shape[1]} columns.",
            parameter="labels",
        )
