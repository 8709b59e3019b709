"""Distributions for quantification, from files or from counts."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..data.column import sorted_names
from ..data.counts import Counts
from ..data.roles import require_column
from ..data.scale import Scale
from ..distributions import (
    Distributions,
    common_integers,
    integer_of,
    prefixes_of,
    read_distributions,
    read_sizes,
    renormalised_notice,
    unknown_order,
)
from ..errors import InputError, plural, quoted
from ..files.engine import Engine
from ..files.formats import Reading, open_tables
from ..files.selection import Selection, Where
from ..files.table import Table, column_named
from ..notes import Notes, warning
from ..types import Floats


@dataclass(frozen=True)
class DistributionSet:
    """Gold and estimated distributions of topics over the classes of a scale.

    Parameters
    ----------
    scale : Scale
        The ordered classes.
    topics : tuple of str
        The names of the rows.
    gold : ndarray of shape (n_topics, n_classes)
        The gold distributions.
    estimates : mapping of str to ndarray of shape (n_topics, n_classes)
        The estimated distributions of every system.
    renormalised : int
        The number of rows that did not sum to 1 exactly and were renormalised.
    sizes : ndarray of shape (n_topics,), optional
        The numbers of items of the gold distributions, if they are known.
    remarks : tuple of Note
        What was done to the files, which `notices` begin with.
    deviation : float
        The largest deviation of the sum of a renormalised row from 1.

    Examples
    --------
    >>> import ordeval as oe
    >>> import ordeval.io
    >>> counts = oe.Counts.from_labels([1, 1, 2, 2], {"a": [1, 2, 2, 2]})
    >>> ordeval.io.class_distributions(counts).systems
    ('a',)
    """

    scale: Scale
    topics: tuple[str, ...]
    gold: Floats
    estimates: Mapping[str, Floats]
    renormalised: int = 0
    sizes: Floats | None = None
    remarks: Notes = ()
    deviation: float = 0.0

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, lowest first."""
        return self.scale.labels

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.estimates)

    @property
    def notices(self) -> Notes:
        """What was done to the rows."""
        return (*self.remarks, *renormalised_notice(self.renormalised, self.deviation))


def read_distributions_file(
    data: str | Path,
    runs: Sequence[str | Path] = (),
    *,
    topic: str | None = None,
    system: str | None = None,
    gold: str = "gold",
    labels: Any = None,
    values: Any = None,
    prefix: str | None = None,
    class_column: str | None = None,
    share: str | None = None,
    size: str | None = None,
    renormalise: bool = True,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str = ".",
    sheet: str | None = None,
    where: Where = None,
    memory_limit: str | None = None,
) -> DistributionSet:
    """Read distributions: a row per topic with a column per class, or a row per topic and class.

    Parameters
    ----------
    data : str or Path
        With `runs`, the file of gold distributions; alone, a long table of gold and all systems.
        "-" is standard input.
    runs : sequence of str or Path, optional
        Files or patterns of estimates, matched with gold by topic. Each file is a system, named
        after the file, unless it has the column `system`.
    topic : str, optional
        The column that names the rows; by default "topic", "id", or the first column.
    system : str, optional
        The column of a long table that names the system; by default "run". Files of estimates
        that have it hold several systems.
    gold : str, default "gold"
        The name of gold in the column `system` of a long table.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the columns are named by consecutive
        integers. Columns are matched to classes by name; in files without a header the columns
        after the topic are the classes, in this order.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    prefix : str, optional
        The common beginning of the names of the class columns, e.g. "p_"; detected by default.
    class_column : str, optional
        In files with a row per topic and class, the column that names the class; by default
        "class" or "label", if there is a column of shares, too.
    share : str, optional
        In such files, the column of shares or counts; by default "share", "p", "count" or the
        like. A class without a row has the share 0.
    size : str, optional
        The column of the number of items of each gold distribution.
    renormalise : bool, default True
        Whether rows whose sum is off by at most 1 % are renormalised, or else kept.
    header : bool, default True
        Whether the first line of text files names the columns; if not, they are named by numbers
        from 1.
    delimiter : str, optional
        The delimiter of text files, as in `ordeval.read`.
    encoding : str, optional
        The encoding of text files, as in `ordeval.read`.
    decimal : {".", ","}, default "."
        The decimal mark of numbers in text files.
    sheet : str, optional
        The sheet of xlsx files; by default the first one.
    where : mapping, or sequence of (str, value), optional
        The rows to keep, as in `ordeval.read`.
    memory_limit : str, optional
        What DuckDB may use before it spills to disk, e.g. "2GB"; 768 MiB by default.

    Returns
    -------
    DistributionSet
        Gold and estimated distributions of the same topics, in the order of gold.

    Raises
    ------
    InputError
        If a file cannot be read, topics or classes do not match, or a row is not a distribution.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import ordeval.io
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "shares.csv"
    ...     _ = path.write_text("run,topic,p_1,p_2\\ngold,x,0.5,0.5\\nsvm,x,0.25,0.75\\n")
    ...     found = ordeval.io.read_distributions_file(path)
    >>> found.labels, found.topics, found.systems
    ((1, 2), ('x',), ('svm',))
    >>> found.estimates["svm"].tolist()
    [[0.25, 0.75]]
    """
    classes = _Classes(None if labels is None else Scale.of(labels), prefix, header=header)
    with Engine(memory_limit) as engine, ExitStack() as hints:
        options = Reading(header, delimiter, encoding, decimal, sheet)
        found = open_tables(engine, data, runs, options).without_unnamed(used=True)
        hints.enter_context(options.hints(found.all))
        every, remarks = found.columns, found.notes
        topic, class_column, share, size, run = (
            None if name is None else column_named(name, every)
            for name in (topic, class_column, share, size, system)
        )
        if selection := Selection(where).named(every):
            for column in selection.values:
                if column not in every:
                    found.data.require(column, "where")
            found = found.each(lambda table: selection.of(engine, table))
            remarks = (*remarks, selection.note(engine, found.data))
        table, tables = found.data, found.runs
        reader = _Reader(engine, classes, topic, class_column, share)
        if tables:
            rows, systems = _separate(reader, table, tables, size, run)
            sizes = None if size is None else reader.sizes(table, size)
        else:
            run = run or "run"
            rows, systems = _together(reader, table, run, gold, size)
            sizes = None if size is None else reader.sizes(table, size, (run, gold))
    scale = classes.known_scale.with_values(values)
    remarks = (*remarks, *classes.notices)
    return replace(_aligned(rows, systems, scale, renormalise, sizes), remarks=remarks)


def class_distributions(counts: Counts) -> DistributionSet:
    """Return the gold and predicted class prevalences of counts, per topic.

    Parameters
    ----------
    counts : Counts
        Tables of counts of one or more systems.

    Returns
    -------
    DistributionSet
        A row per topic; one row called "all" if there are no topics.

    Examples
    --------
    >>> import ordeval as oe
    >>> import ordeval.io
    >>> counts = oe.Counts.from_labels([1, 1, 2, 2], {"a": [1, 2, 2, 2]})
    >>> found = ordeval.io.class_distributions(counts)
    >>> found.gold.tolist(), found.estimates["a"].tolist()
    ([[0.5, 0.5]], [[0.25, 0.75]])
    """
    table = counts.table if counts.topics else counts.table[..., None, :, :]
    if not counts.systems:
        table = table[None]
    sizes = table[0].sum(axis=(-1, -2))[:, None]
    effective = counts.effective.reshape(table.shape)[0].sum(axis=(-1, -2))
    topics = counts.topics or ("all",)
    if empty := [t for t, size in zip(topics, sizes, strict=True) if not size[0]]:
        raise InputError(f"All weights of topic {quoted(empty)} are 0; leave it out.")
    predicted = table.sum(axis=-2) / sizes
    estimates = dict(zip(counts.systems or ("y_pred",), predicted, strict=True))
    gold = table[0].sum(axis=-1) / sizes
    return DistributionSet(counts.scale, topics, gold, estimates, sizes=effective)


class _Classes:
    """Which columns of a table are classes; the first table decides, the others must agree."""

    def __init__(self, declared: Scale | None, prefix: str | None, *, header: bool = True) -> None:
        self._scale, self._prefix, self._declared = declared, prefix, declared is not None
        self._header, self._aside = header, dict[str, None]()

    @property
    def notices(self) -> Notes:
        """Which columns were left aside."""
        names = quoted(self._aside, 10)
        return (
            (warning("columns", f"Columns that are not classes are left aside: {names}."),)
            if self._aside
            else ()
        )

    @property
    def known_scale(self) -> Scale:
        """The scale: declared, or inferred from the columns of the first table."""
        if self._scale is None:
            raise RuntimeError("No table has been read.")
        return self._scale

    def is_class(self, column: str, others: Sequence[str]) -> bool:
        """Whether a column is named like a class, or is numbered like all others."""
        if not self._header:
            return False
        if self._scale is not None:
            return column in map(str, self._scale.labels)
        prefix, number = integer_of(column)
        return number is not None and {integer_of(other)[0] for other in others} == {prefix}

    def columns(self, table: Table, others: Sequence[str]) -> list[str]:
        """Return the columns of the classes, in the order of the scale."""
        candidates = [column for column in table.columns if column not in others]
        if not self._header:
            return self._after_topic(table, others)
        if self._scale is None:
            self._scale = Scale(tuple(self._integers(candidates, table.name)), inferred=True)
        scale = self._scale
        found = self._match(candidates, scale, table.name)
        if not self._declared and (extra := [c for c in candidates if c not in found]):
            raise InputError(
                f"{table.name}: {quoted(extra)} is not a class of the scale {scale.describe()}.",
                parameter="labels",
                hint="Declare the classes with {labels} to leave other columns aside.",
                suggest={"labels": ...},
            )
        self._leave_aside([c for c in candidates if c not in found], found, table.name)
        return found

    def _leave_aside(self, extra: list[str], found: list[str], name: str) -> None:
        """Note other columns than those of the declared classes, unless they are named alike."""
        labels = self.known_scale.labels
        prefix = found[0].removesuffix(str(labels[0]))
        numbered = all(integer_of(str(label))[1] is not None for label in labels)
        alike = [c for c in extra if c.startswith(prefix) and (prefix or numbered)]
        if numbered:
            alike = [c for c in alike if integer_of(c)[0] == integer_of(found[0])[0]]
        if alike and self._prefix is None:
            raise InputError(
                f"{name}: {quoted(alike, 10)} is named like the classes {quoted(found, 10)}, but "
                "not declared.",
                parameter="labels",
                hint="Declare all classes with {labels}, or leave other columns aside with "
                "{prefix}.",
                suggest={"labels": ..., "prefix": prefix},
            )
        self._aside |= dict.fromkeys(extra)

    def _after_topic(self, table: Table, others: Sequence[str]) -> list[str]:
        """Return as many columns after that of the topics, the last of `others`, as classes."""
        if self._scale is None:
            raise InputError(
                f"{table.name}: the columns have no names, so that the classes are not known.",
                parameter="labels",
                hint="Declare the classes in the order of the columns, e.g. {labels}.",
                suggest={"labels": ["low", "medium", "high"]},
            )
        start = table.columns.index(others[-1]) + 1
        found = [c for c in table.columns[start:] if c not in others]
        if len(found) != self._scale.k:
            raise InputError(
                f"{table.name}: after column {others[-1]}, that of the topics, there "
                f"{'is 1 column' if len(found) == 1 else f'are {len(found)} columns'}; one for "
                f"each of {self._scale.k} classes is expected: {self._scale.describe()}.",
                parameter="labels",
            )
        return found

    def places(self, names: Sequence[str], name: str) -> dict[str, int]:
        """Return the position of each class that is named in a column."""
        texts = list(dict.fromkeys(names))
        if self._scale is None:
            self._scale = Scale(tuple(self._integers(texts, name)), inferred=True)
        prefix = self._prefix or ""
        known = {f"{prefix}{label}": i for i, label in enumerate(self._scale.labels)}
        if not prefix and not set(texts) <= set(known) and len(found := prefixes_of(texts, known)):
            known = {f"{found[0]}{label}": i for label, i in known.items()}
        if unknown := [text for text in texts if text not in known]:
            raise InputError(
                f"{name}: {quoted(unknown)} is not a class of the scale {self._scale.describe()}.",
                parameter="labels",
                hint="Declare the classes with {labels}.",
                suggest={"labels": ...},
            )
        return known

    def _integers(self, columns: Sequence[str], name: str) -> list[int]:
        numbers = common_integers([c.removeprefix(self._prefix or "") for c in columns])
        if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            hint, suggest = _other_layout(columns)
            raise unknown_order(columns, f"{name}: ", hint, **suggest)
        return numbers

    def _match(self, columns: Sequence[str], scale: Scale, name: str) -> list[str]:
        words = [str(label) for label in scale.labels]
        prefixes = [self._prefix] if self._prefix is not None else prefixes_of(columns, words)
        if len(prefixes) > 1:
            raise InputError(
                f"{name}: the class columns could begin with {quoted(prefixes)}.",
                parameter="prefix",
                hint="Name the prefix with {prefix}.",
                suggest={"prefix": prefixes[0]},
            )
        wanted = [f"{prefixes[0] if prefixes else ''}{word}" for word in words]
        if absent := [column for column in wanted if column not in columns]:
            hint, suggest = _other_layout(columns)
            raise InputError(
                f"{name}: there is no column for {quoted(absent)}; the columns are "
                f"{quoted(columns, 20)}. Every class needs a column, 0 where it is empty.",
                parameter="labels",
                hint=hint.strip(),
                suggest=suggest,
            )
        return wanted


def _other_layout(columns: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return a hint at another layout that the columns may have, and the settings it names."""
    if any(_SHARE.fullmatch(column) for column in columns):
        return " If the first line is not a header, say so with {header}.", {"header": False}
    if len(columns) == 2:
        return (
            " If each row is about one class, name its columns with {class_column} and {share}.",
            {"class_column": ..., "share": ...},
        )
    return "", {}


_SHARE = re.compile(r"[01]?[.,]\d+(_\d+)?")  # DuckDB numbers equal names
_Rows = dict[str, list[Any]]  # topic -> a number per class


_CLASS_NAMES = ("class", "label")
_SHARE_NAMES = ("share", "p", "probability", "prevalence", "proportion", "count", "n")


@dataclass(frozen=True)
class _Reader:
    """Reads tables with a column per class, or with a row per topic and class."""

    engine: Engine
    classes: _Classes
    topic: str | None
    class_column: str | None
    share: str | None

    def rows(
        self, table: Table, *, topic: str | None = None, run: str | None = None, aside: str = ""
    ) -> list[tuple[Any, ...]]:
        """Return (topic, numbers of the classes …) of every row, with `run` before it."""
        long = self._long_columns(table)
        key = topic or self.key(table, run)
        names = [*([] if run is None else [run]), key]
        if long is None:
            others = [*([aside] if aside in table.columns else []), *names]
            return _fetch(self.engine, table, [*names, *self.classes.columns(table, others)])
        return self._widened(_fetch(self.engine, table, [*names, *long]), len(names), table.name)

    def key(self, table: Table, run: str | None = None) -> str:
        """Return the column that names the topics."""
        left = [c for c in table.columns if c != run and c not in (self._long_columns(table) or ())]
        return _key(table.name, left, self.topic, self.classes)

    def sizes(self, table: Table, size: str, gold: tuple[str, str] | None = None) -> dict[str, Any]:
        """Return the numbers of items by topic, from the rows of gold."""
        require_column(size, table.columns, "size", f"{table.name}: ")
        run = None if gold is None else gold[0]
        rows = _fetch(self.engine, table, [self.key(table, run), size, *([run] if run else [])])
        return {str(row[0]): row[1] for row in rows if gold is None or str(row[2]) == gold[1]}

    def _long_columns(self, table: Table) -> tuple[str, str] | None:
        """Return the columns of class and share of a table with a row per class, else None."""
        for column, parameter in ((self.class_column, "class_column"), (self.share, "share")):
            if column is not None:
                require_column(column, table.columns, parameter, f"{table.name}: ")
        word = self.class_column or _first(_CLASS_NAMES, table.columns)
        number = self.share or _first(_SHARE_NAMES, table.columns)
        if word and number:
            return word, number
        if self.class_column or self.share:
            absent = "share" if word else "class_column"
            raise InputError(
                f"{table.name}: a row per topic and class needs a column of classes and one of "
                f"shares; the columns are {quoted(table.columns, 20)}.",
                parameter=absent,
                hint=f"Name the other column with {{{absent}}}.",
                suggest={absent: ...},
            )
        return None

    def _widened(
        self, rows: Sequence[tuple[Any, ...]], names: int, table: str
    ) -> list[tuple[Any, ...]]:
        """Return a row per topic from rows (…, class, share); absent classes have the share 0."""
        _refuse_nameless([row[names:] for row in rows], table, "no class")
        places = self.classes.places([str(row[names]).strip() for row in rows], table)
        found: dict[tuple[Any, ...], list[Any]] = {}
        for *key, word, number in rows:
            shares = found.setdefault(tuple(key), [_ABSENT] * self.classes.known_scale.k)
            place = places[str(word).strip()]
            if shares[place] is not _ABSENT:
                named = ", ".join(map(str, (*key, word)))
                raise InputError(f"{table}: there is more than one row of {named[:200]}.")
            shares[place] = number
        return [(*key, *(0 if x is _ABSENT else x for x in row)) for key, row in found.items()]


_ABSENT = object()  # a class without a row, unlike one whose share is missing


def _first(names: Iterable[str], columns: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)


def _separate(
    reader: _Reader,
    gold: Table,
    systems: Mapping[str, Table],
    size: str | None,
    run: str | None,
) -> tuple[_Rows, dict[str, _Rows]]:
    """Return the rows of gold, and of every system in a file of its own or with others."""
    key, first = reader.key(gold), next(iter(systems.values()))
    if run is not None and not any(run in table.columns for table in systems.values()):
        require_column(run, first.columns, "run", f"{first.name}: ")

    def read(table: Table, name: str = "") -> dict[str, _Rows]:
        require_column(key, table.columns, "topic", f"{table.name}: ")
        if not name or run not in table.columns:
            rows = reader.rows(table, topic=key, aside=size or "")
            return {name: _by_topic(rows, table.name)}
        return _by_run(reader.rows(table, topic=key, run=run, aside=size or ""), table.name, run)

    found = read(gold)[""]
    left_out = {str(row[0]) for row in reader.engine.query(gold.others.select({"v0": key}))} - set(
        found
    )

    def kept(rows: _Rows) -> _Rows:
        return {topic: row for topic, row in rows.items() if topic not in left_out}

    estimates: dict[str, _Rows] = {}
    for name, table in systems.items():
        parts = read(table, name)
        if known := [system for system in parts if system in estimates]:
            raise InputError(f"{table.name}: there are other runs called {quoted(known)}.")
        estimates |= {system: kept(rows) for system, rows in parts.items()}
    return found, estimates


def _by_run(rows: Sequence[tuple[Any, ...]], name: str, run: str) -> dict[str, _Rows]:
    """Return the rows of every system, from those that begin with its name."""
    _refuse_nameless(rows, name, f"nothing in column {run!r}")
    parts: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        parts.setdefault(str(row[0]), []).append(row[1:])
    return {s: _by_topic(parts[s], f"{name}: {s}") for s in sorted_names(parts)}


def _together(
    reader: _Reader, table: Table, run: str, gold: str, size: str | None
) -> tuple[_Rows, dict[str, _Rows]]:
    """Return the rows of gold, and of every system, of a table that holds them all."""
    if run not in table.columns:
        raise InputError(
            f"{table.name}: there is no column {run!r} that tells gold from the systems; the "
            f"columns are {quoted(table.columns, 20)}.",
            parameter="run",
            hint="Name it with {system}, or give the estimates in files of their own.",
            suggest={"run": ...},
        )
    parts = _by_run(reader.rows(table, run=run, aside=size or ""), table.name, run)
    if gold not in parts:
        raise InputError(
            f"{table.name}: no row has {gold!r} in column {run!r}; there are {quoted(parts)}.",
            parameter="gold",
        )
    if len(parts) == 1:
        raise InputError(f"{table.name}: only gold rows; rows of at least one system are needed.")
    return parts.pop(gold), parts


def _key(name: str, columns: Sequence[str], topic: str | None, classes: _Classes) -> str:
    """Return the column that names the rows: the first one, unless it is a class."""
    if topic is not None:
        require_column(topic, columns, "topic", f"{name}: ")
        return topic
    key = _first(("topic", "id"), columns) or (columns[0] if columns else "topic")
    if key in columns and classes.is_class(key, [c for c in columns if c != key]):
        raise InputError(
            f"{name}: no column names the rows, because {key!r} is a class. Rows are never "
            "matched by position.",
            parameter="topic",
            hint="If there is a column of topics, name it with {topic}.",
            suggest={"topic": ...},
        )
    return key


def _refuse_nameless(rows: Sequence[tuple[Any, ...]], name: str, what: str) -> None:
    """Raise an error for rows whose first field is missing."""
    if nameless := [i for i, row in enumerate(rows, 1) if row[0] is None]:
        raise InputError(f"{name}: {plural(len(nameless), 'row')} with {what}: {quoted(nameless)}.")


def _fetch(engine: Engine, table: Table, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    chosen = {f"v{i}": column for i, column in enumerate(columns)}
    rows = engine.query(table.select(chosen))
    if not rows:
        raise InputError(f"{table.name} holds no rows, only a header.")
    return rows


def _by_topic(rows: Sequence[tuple[Any, ...]], name: str) -> _Rows:
    _refuse_nameless(rows, name, "no topic")
    found = {str(row[0]): list(row[1:]) for row in rows}
    if len(found) < len(rows):
        times = Counter(str(row[0]) for row in rows)
        repeated = [topic for topic in found if times[topic] > 1]
        raise InputError(
            f"{name}: {plural(len(repeated), 'topic')} more than once: {quoted(repeated)}."
        )
    return found


def _aligned(
    gold: _Rows,
    systems: Mapping[str, _Rows],
    scale: Scale,
    renormalise: bool,
    sizes: Mapping[str, Any] | None,
) -> DistributionSet:
    """Return arrays with the topics of gold, in its order; every system must have the same."""
    for system, found in systems.items():
        if absent := [topic for topic in gold if topic not in found]:
            raise InputError(
                f"{system}: {plural(len(absent), 'topic')} of gold missing: {quoted(absent)}."
            )
        if extra := [topic for topic in found if topic not in gold]:
            raise InputError(
                f"{system}: {plural(len(extra), 'topic')} not in gold: {quoted(extra)}."
            )
    topics = tuple(gold)

    def checked(rows: _Rows, name: str) -> Distributions:
        numbers = [_numbers(rows[topic], topic, name) for topic in topics]
        return read_distributions(numbers, name, renormalise=renormalise, row_names=topics)

    true, *estimates = (checked(rows, name) for name, rows in [("gold", gold), *systems.items()])
    return DistributionSet(
        scale,
        topics,
        true.rows,
        {name: found.rows for name, found in zip(systems, estimates, strict=True)},
        sum(found.renormalised for found in (true, *estimates)),
        true.sizes if sizes is None else read_sizes([sizes[t] for t in topics], (len(topics),)),
        deviation=max(found.deviation for found in (true, *estimates)),
    )


def _numbers(row: Sequence[Any], topic: str, system: str) -> list[float]:
    try:
        return [np.nan if cell is None else float(cell) for cell in row]
    except (TypeError, ValueError, OverflowError):
        shares = _with_decimal_commas(row)
    if shares is None:
        shown = ", ".join(map(str, row))
        raise InputError(
            f"The {system} distribution of {topic!r} is not all numbers: {shown[:80]}."
        )
    return shares


def _with_decimal_commas(row: Sequence[Any]) -> list[float] | None:
    """Return shares that are written with decimal commas; None if they do not sum to about 1.

    Counts have no decimals, so that commas in other sums may stand between thousands.
    """
    try:
        shares = [float(str(cell).replace(",", ".")) for cell in row]
    except ValueError:
        return None
    return shares if abs(sum(shares) - 1) <= 0.01 + 1e-9 else None
