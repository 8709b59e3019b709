"""Distributions for quantification, from files or from counts."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counts import Counts
from ..distributions import read_distributions
from ..errors import InputError, quoted
from ..scale import Scale
from .engine import Engine
from .paths import expand, printable, system_names
from .roles import require_column
from .tables import Reading, Table, open_table, prepare

Floats = NDArray[np.float64]
_INTEGER = re.compile(r"(|.*[^\d+-])([+-]?)(\d+)")
_MAY_PRECEDE_A_SIGN = ("", "_", "=", ":", " ")


@dataclass(frozen=True)
class DistributionSet:
    """Gold and estimated distributions of T topics over the K classes of a scale.

    `gold` is `[T, K]`, `estimates` has a `[T, K]` array per system; `renormalised` counts the
    rows whose sum was a little off and was set right.
    """

    scale: Scale
    topics: tuple[str, ...]
    gold: Floats
    estimates: Mapping[str, Floats]
    renormalised: int = 0

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, lowest first."""
        return self.scale.labels

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.estimates)

    @property
    def notices(self) -> tuple[str, ...]:
        """What was done to the rows, in words."""
        if not self.renormalised:
            return ()
        return (f"{self.renormalised} row(s) did not sum to 1 exactly and were renormalised.",)


def read_distributions_file(
    data: str | Path,
    runs: Sequence[str | Path] = (),
    *,
    topic: str | None = None,
    run: str | None = None,
    gold: str = "gold",
    labels: Any = None,
    values: Any = None,
    prefix: str | None = None,
    renormalise: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    memory_limit: str | None = None,
) -> DistributionSet:
    """Read distributions with a column per class and a row per topic.

    Parameters
    ----------
    data : with `runs`, the file of gold distributions; alone, a long table of gold and all
        systems, told apart by the column `run`, in which gold is called `gold`.
    runs : files of estimates, a system each, joined with gold on the topic.
    topic : the column that names the rows (default: "topic", "id", or the first column).
    run : the column that names the system in a long table (default: "run").
    labels, values : the scale. Columns are matched to classes by name, never by position; only
        columns whose names are consecutive integers may be left undeclared.
    prefix : what the class columns' names begin with, e.g. "p_"; None finds a common one.
    renormalise : False keeps rows whose sum is off by at most 1 % as they are.
    """
    classes = _Classes(None if labels is None else Scale.of(labels), prefix)
    files = [path for given in runs for path in expand(given)]
    reading = Reading(delimiter=delimiter, encoding=encoding)
    with Engine(memory_limit) as engine:
        tables = _open(engine, data, files, reading)
        if files:
            scale, rows = _separate(engine, tables, system_names(files), topic, classes)
        else:
            scale, rows = _long(engine, tables[0], topic, run or "run", gold, classes)
    if values is not None:
        scale = replace(Scale.of(scale, values), inferred=scale.inferred)
    return _aligned(rows, scale, renormalise)


def _open(engine: Engine, data: str | Path, runs: Sequence[Path], reading: Reading) -> list[Table]:
    prepared = [prepare(engine, expand(data), printable(data), reading)]
    prepared += [prepare(engine, [path], printable(path), reading) for path in runs]
    engine.start()
    return [open_table(engine, one) for one in prepared]


def class_distributions(counts: Counts) -> DistributionSet:
    """The gold and predicted class prevalences of counts, per topic.

    Counts without topics give one row, called "all".
    """
    table = counts.table if counts.axis("topic") else counts.table[..., None, :, :]
    if not counts.axis("system"):
        table = table[None]
    sizes = table[0].sum(axis=(-1, -2))[:, None]
    topics = counts.topics or ("all",)
    if empty := [t for t, size in zip(topics, sizes, strict=True) if not size[0]]:
        raise InputError(f"The items of topic {quoted(empty)} weigh nothing; leave it out.")
    predicted = table.sum(axis=-2) / sizes
    estimates = dict(zip(counts.systems or ("y_pred",), predicted, strict=True))
    return DistributionSet(counts.scale, topics, table[0].sum(axis=-1) / sizes, estimates)


class _Classes:
    """Which columns of a table are classes; the first table decides, the others must agree."""

    def __init__(self, declared: Scale | None, prefix: str | None) -> None:
        self._scale, self._prefix, self._declared = declared, prefix, declared is not None

    def scale(self, table: Table, others: Sequence[str]) -> Scale:
        """The scale: declared, or the integers that name the columns of the first table."""
        if self._scale is None:
            numbers = self._integers(_without(table, others), table.name)
            self._scale = Scale(tuple(numbers), inferred=True)
        return self._scale

    def is_class(self, column: str, others: Sequence[str]) -> bool:
        """Whether a column must be a class: it is called as one, or the others continue it."""
        if self._scale is not None:
            return column in map(str, self._scale.labels)
        prefix, number = _as_integer(column)
        return number is not None and {_as_integer(other)[0] for other in others} == {prefix}

    def columns(self, table: Table, others: Sequence[str]) -> list[str]:
        """The columns of the classes, in the order of the scale."""
        scale, candidates = self.scale(table, others), _without(table, others)
        found = self._match(candidates, scale, table.name)
        if not self._declared and (extra := [c for c in candidates if c not in found]):
            raise InputError(
                f"{table.name}: {quoted(extra)} is no class of the scale {scale.describe()}. "
                "Declare the classes with labels=[…] to leave other columns aside."
            )
        return found

    def _integers(self, columns: Sequence[str], name: str) -> list[int]:
        found = [_as_integer(c.removeprefix(self._prefix or "")) for c in columns]
        prefixes = {prefix for prefix, _ in found}
        numbers = sorted(number for _, number in found if number is not None)
        consecutive = numbers == list(range(numbers[0], numbers[0] + len(found))) if numbers else 0
        if len(prefixes) != 1 or not consecutive:
            raise InputError(
                f"{name}: the order of the classes is not known. The columns {quoted(columns, 10)} "
                "are not all consecutive integers, and their position is never used. Declare the "
                'order, lowest first, e.g. labels=["low", "medium", "high"].'
            )
        return numbers

    def _match(self, columns: Sequence[str], scale: Scale, name: str) -> list[str]:
        words = [str(label) for label in scale.labels]
        prefixes = [self._prefix] if self._prefix is not None else _prefixes(columns, words)
        if len(prefixes) > 1:
            raise InputError(
                f"{name}: the class columns could begin with {quoted(prefixes)}; name the prefix."
            )
        wanted = [f"{prefixes[0] if prefixes else ''}{word}" for word in words]
        if absent := [column for column in wanted if column not in columns]:
            raise InputError(
                f"{name}: no column for the class(es) {quoted(absent)}; the columns are "
                f"{quoted(columns, 20)}. Every class needs one, 0 where it is empty."
            )
        return wanted


def _without(table: Table, others: Sequence[str]) -> list[str]:
    return [column for column in table.columns if column not in others]


def _as_integer(column: str) -> tuple[str, int | None]:
    """(prefix, number) of a column such as p_-2; a sign counts only after a separator."""
    match = _INTEGER.fullmatch(column)
    if not match or (match[2] and match[1][-1:] not in _MAY_PRECEDE_A_SIGN):
        return column, None
    return match[1], int(match[2] + match[3])


def _prefixes(columns: Sequence[str], words: Sequence[str]) -> list[str]:
    """What can stand before every class name; nothing, if the names stand alone.

    Where nothing fits all, what fits most: the columns that are absent can then be named.
    """
    fitting = Counter(c.removesuffix(w) for w in words for c in columns if c.endswith(w))
    most = max(fitting.values(), default=0)
    found = sorted(prefix for prefix, times in fitting.items() if times == most)
    return [""] if "" in found or (most < len(words) and len(found) != 1) else found


_Rows = dict[str, dict[str, list[Any]]]  # system (gold first) -> topic -> K numbers


def _separate(
    engine: Engine,
    tables: Sequence[Table],
    names: Sequence[str],
    topic: str | None,
    classes: _Classes,
) -> tuple[Scale, _Rows]:
    key = _key(tables[0], topic, classes)
    rows: _Rows = {}
    for system, table in zip(("gold", *names), tables, strict=True):
        require_column(key, table.columns, f"{table.name}: ")
        columns = classes.columns(table, [key])
        found = _fetch(engine, table, [key, *columns])
        rows["" if table is tables[0] else system] = _by_topic(found, table.name)
    return classes.scale(tables[0], [key]), rows


def _long(
    engine: Engine, table: Table, topic: str | None, run: str, gold: str, classes: _Classes
) -> tuple[Scale, _Rows]:
    if run not in table.columns:
        raise InputError(
            f"{table.name}: there is no column {run!r} that tells gold from the systems; name it "
            "with run, or give the estimates in files of their own. The columns are "
            f"{quoted(table.columns, 20)}."
        )
    key = _key(table, topic, classes, run)
    columns = classes.columns(table, [run, key])
    parts: dict[str, list[tuple[Any, ...]]] = {}
    rows = _fetch(engine, table, [run, key, *columns])
    _refuse_nameless(rows, table.name, f"nothing in column {run!r}")
    for row in rows:
        parts.setdefault(str(row[0]), []).append(row[1:])
    if gold not in parts:
        raise InputError(
            f"{table.name}: no row has {gold!r} in column {run!r}; there are {quoted(parts)}."
        )
    if len(parts) == 1:
        raise InputError(f"{table.name}: only gold rows; rows of at least one system are needed.")
    systems = [name for name in parts if name != gold]
    found = {name: _by_topic(parts[name], f"{table.name}: {name}") for name in [gold, *systems]}
    by_system = {"": found[gold], **{name: found[name] for name in systems}}
    return classes.scale(table, [run, key]), by_system


def _key(table: Table, topic: str | None, classes: _Classes, run: str | None = None) -> str:
    """The column that names the rows; the first one, unless it is a class like the others."""
    if topic is not None:
        require_column(topic, table.columns, f"{table.name}: ")
        return topic
    left = [c for c in table.columns if c != run]
    key = next((c for c in ("topic", "id") if c in left), left[0] if left else "topic")
    if key in left and classes.is_class(key, [c for c in left if c != key]):
        raise InputError(
            f"{table.name}: no column names the rows, because {key!r} is a class. Rows are never "
            "matched by position: if there is a column of topics, name it with topic."
        )
    return key


def _refuse_nameless(rows: Sequence[tuple[Any, ...]], name: str, what: str) -> None:
    """Rows whose first field is missing."""
    if nameless := [i for i, row in enumerate(rows, 1) if row[0] is None]:
        raise InputError(f"{name}: {len(nameless)} row(s) have {what}: row {quoted(nameless)}.")


def _fetch(engine: Engine, table: Table, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    chosen = {f"v{i}": column for i, column in enumerate(columns)}
    rows = engine.query(table.select(chosen))
    if not rows:
        raise InputError(f"{table.name} holds no rows, only a header.")
    return rows


def _by_topic(rows: Sequence[tuple[Any, ...]], name: str) -> dict[str, list[Any]]:
    _refuse_nameless(rows, name, "no topic")
    found = {str(row[0]): list(row[1:]) for row in rows}
    if len(found) < len(rows):
        times = Counter(str(row[0]) for row in rows)
        repeated = [topic for topic in found if times[topic] > 1]
        raise InputError(
            f"{name}: {len(repeated)} topic(s) occur more than once: {quoted(repeated)}."
        )
    return found


def _aligned(rows: _Rows, scale: Scale, renormalise: bool) -> DistributionSet:
    """Arrays with the topics of gold, in its order; every system must have just those."""
    topics = list(rows[""])
    for system, found in rows.items():
        if absent := [topic for topic in topics if topic not in found]:
            raise InputError(
                f"{system}: {len(absent)} topic(s) of gold are absent: {quoted(absent)}."
            )
        if extra := [topic for topic in found if topic not in rows[""]]:
            raise InputError(f"{system}: {len(extra)} topic(s) are not in gold: {quoted(extra)}.")
    arrays, renormalised = {}, 0
    for system, found in rows.items():
        numbers = [_numbers(found[topic], topic, system or "gold") for topic in topics]
        checked = read_distributions(
            numbers, system or "gold", renormalise=renormalise, row_names=topics
        )
        arrays[system] = checked.rows
        renormalised += checked.renormalised
    gold = arrays.pop("")
    return DistributionSet(scale, tuple(topics), gold, arrays, renormalised)


def _numbers(row: Sequence[Any], topic: str, system: str) -> list[float]:
    try:
        return [np.nan if cell is None else float(cell) for cell in row]
    except (TypeError, ValueError):
        shown = ", ".join(map(str, row))
        raise InputError(
            f"The {system} distribution of {topic!r} is not all numbers: {shown[:80]}."
        ) from None
