"""Distributions over the classes in tables of any library, in files and arrays: read, checked.

A table has a row per topic and a column per class, or a row per topic and class. Columns of classes
are named after the labels, perhaps with a prefix; what they are is never guessed. Several systems
may share a table that has a column of their names.
"""

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, abbreviate, naming, plural, quoted
from ..notes import Notes, warning
from ..types import Floats
from .classes import Reading, as_label
from .column import as_number, group_name, recoded, sorted_names
from .containers import as_array, group_codes, index_of, read_column
from .data import named_columns
from .frames import door_of
from .roles import NumberedFrame, Roles, numbered_roles, require_column, text_name
from .scale import Scale

_TOLERANCE = 0.01 + 1e-9  # run files round; a sum that is further off is an error
_EXACT = 1e-9
_FEW_CLASSES = 16  # columns that are added one by one
_INTEGER = re.compile(r"[+-]?\d{1,300}")
_MOST_SUGGESTED = 10
# The names that columns of a role have if no column is named for it.
_USUAL: dict[str, tuple[str, ...]] = {
    "system": ("system",),
    "topic": ("topic", "id"),
    "label": ("label", "class"),
    "share": ("share",),
    "size": (),
}


class Distributions(NamedTuple):
    """Checked distributions `[..., K]`, and `sizes`, the sums of rows of counts.

    `renormalised` is the number of rows whose sum was slightly off and that were renormalised,
    `deviation` the largest deviation of such a sum from 1.
    """

    rows: Floats
    renormalised: int = 0
    sizes: Floats | None = None
    deviation: float = 0.0


def read_distributions(
    data: Any, name: str, *, renormalise: bool = True, row_names: Sequence[Any] | None = None
) -> Distributions:
    """Check distributions or counts `[..., K]`, called `name` in messages.

    Integers throughout are counts, and are divided by their sum. Rows whose sum is off by at most
    1 % are renormalised, unless that is switched off.

    >>> read_distributions([[1, 3], [2, 2]], "gold").rows
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    rows = read_rows(data, name)
    sums = class_sums(rows)

    def refuse(bad: Any, what: str) -> None:
        if np.any(bad):
            raise _bad_rows(np.atleast_1d(bad), what, name, row_names)

    if not (sums.min() > 0 and sums.max() < np.inf and rows.min() >= 0):  # none holds for NaN
        refuse(~np.isfinite(rows).all(axis=-1), "a missing or non-finite number")
        refuse((rows < 0).any(axis=-1), "a negative number")
        refuse(sums == 0, "only zeros")
    if _whole(rows.flat[: rows.shape[-1]]) and _whole(rows):  # most often the first row tells it
        # Shares of 0 and 1 alone are not known to be counts of one item.
        return Distributions(rows / sums[..., None], 0, sums if np.any(sums > 1) else None)
    deviations = np.abs(sums - 1)
    largest = float(deviations.max())
    if largest > _TOLERANCE:
        bad = deviations > _TOLERANCE
        refuse(bad, f"a sum that is not 1 (but {np.atleast_1d(sums)[np.atleast_1d(bad)][0]:.6g})")
    if not renormalise:
        return Distributions(rows.copy())
    off = int(np.count_nonzero(deviations > _EXACT)) if largest > _EXACT else 0
    return Distributions(rows / sums[..., None], off, deviation=largest)


def _whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def read_sizes(size: Any, shape: tuple[int, ...]) -> Floats:
    """Check the numbers of items behind distributions of a shape: one of each, or one for all.

    >>> read_sizes([60, 229], (2,))
    array([ 60., 229.])
    """
    numbers = _as_floats(size, "size")
    if (
        numbers is None
        or not (np.isfinite(numbers) & (numbers > 0)).all()
        or numbers.shape not in ((), shape)
    ):
        raise InputError(
            f"size is {abbreviate(size)}; a positive number of items for each of "
            f"{plural(prod(shape), 'distribution')} is expected, or one for all.",
            parameter="size",
        )
    return np.broadcast_to(numbers, shape)


def may_be_shares(data: Any) -> bool:
    """Return whether data may be distributions: not text, nor numbers whose sum is not 1.

    >>> may_be_shares([0.5, 0.2, 0.3]), may_be_shares([1, 2, 3, 3]), may_be_shares(["a", "b"])
    (True, False, False)
    """
    rows = _as_floats(data, "y_true")
    return rows is not None and (rows.ndim != 1 or not np.abs(rows.sum() - 1) > _TOLERANCE)


def _as_floats(data: Any, name: str) -> Floats | None:
    """Return an array of numbers; None for anything else."""
    try:
        return as_array(data, name).astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        return None


def read_rows(data: Any, name: str) -> Floats:
    """Return an array of numbers with one per class, at least two, along the last axis."""
    rows, problem = _as_floats(data, f"The {name} distributions"), ""
    if rows is None:
        problem = "are not all numbers, or their rows differ in length"
    elif rows.ndim == 0 or rows.shape[-1] < 2 or not rows.size:
        problem = f"have shape {rows.shape}"
    if rows is None or problem:
        raise InputError(
            f"The {name} distributions {problem}; at least one row is expected, with a number for "
            "each of at least two classes.",
            parameter=_parameter(name),
        )
    return rows


def _parameter(name: str) -> str:
    return "p_true" if name == "gold" else "p_pred"


def _bad_rows(bad: Any, what: str, name: str, row_names: Sequence[Any] | None) -> InputError:
    """Return an error that names the first bad row and counts all of them."""
    position = tuple(int(i) for i in np.argwhere(bad)[0])
    row: Any = position[0] if len(position) == 1 else position
    if row_names is not None and len(position) == 1:
        row = repr(row_names[position[0]])
    return InputError(
        f"The {name} distributions have {what} in {plural(int(bad.sum()), 'row')}, the first in "
        f"row {row}.",
        parameter=_parameter(name),
        hint="Each row must hold non-negative shares that sum to 1 (within 1 %), or all rows "
        "counts.",
    )


def class_sums(rows: Floats) -> Floats:
    """Return the sums over the last axis, that of classes.

    Of few classes the columns are added one by one, which is several times faster where there are
    many rows.

    >>> class_sums(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([4., 4.])
    """
    k = rows.shape[-1]
    if not 1 < k <= _FEW_CLASSES:
        return np.asarray(rows.sum(axis=-1))
    total = rows[..., 0]
    for place in range(1, k):
        total = total + rows[..., place]
    return total


class Part(NamedTuple):
    """The rows `[topic, K]` of gold or of a system as they were given.

    `topics` are the names of the rows, None if they have none; `size` the numbers of items.
    """

    topics: Sequence[Any] | None
    rows: Any
    size: Any = None


class Parts(NamedTuple):
    """The rows of gold and of every system, the classes, and what was done to tables."""

    gold: Part
    systems: Mapping[str, Part]
    scale: Scale
    notices: Notes


Given = NumberedFrame | Part


def read_in_memory(p_true: Any, p_pred: Any, options: Mapping[str, Any]) -> Parts:
    """Read gold and one system or several by name, each an array or a frame."""
    systems: Mapping[Any, Any] = {} if p_pred is None else {"p_pred": p_pred}
    named = named_columns(p_pred if isinstance(p_pred, Mapping) else systems, "p_pred")
    gold = _opened(p_true, "gold", options)
    tables = {name: _opened(data, name, options) for name, data in named.items()}
    return read_tables(gold, tables, options)


def _opened(data: Any, name: str, options: Mapping[str, Any]) -> Given:
    """Return a frame as a table, and anything else as numbers."""
    if index_of(data) is not None and not hasattr(data, "columns"):  # a series: one distribution
        numbered = _counts_from_0(data.index)
        data = np.asarray(data) if numbered else data.to_frame().T.reset_index(drop=True)
    if hasattr(type(data), "columns"):
        return NumberedFrame.of(data, name)
    for role in ("topic", "size"):
        if isinstance(options[role], str):
            raise InputError(
                f"{role}={options[role]!r} names a column, but {name} is not a data frame; one "
                "value per topic is expected.",
                parameter=role,
            )
    return Part(None, np.atleast_2d(read_rows(data, name)))


def _counts_from_0(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def read_tables(
    table: Given, runs: Mapping[str, Given], options: Mapping[str, Any], *, gold: str = "gold"
) -> Parts:
    """Read a table of gold and those of systems, or one that holds all of them.

    A table with a column of systems holds several; without `runs`, `gold` is one of them.
    """
    reader = _Reader(options)
    systems = reader.read(table, "gold", gold=True, alone=bool(runs))
    first = systems.pop("gold" if runs else gold, None)
    for name, run in runs.items():
        parts = reader.read(run, name)
        if known := [each for each in parts if each in systems]:
            raise InputError(f"{name}: there are other systems called {quoted(known)}.")
        systems |= parts
    if first is None or not systems:
        names = [*systems, *([] if first is None else [gold])]
        raise InputError(
            f"The column of systems names {quoted(names)}; {gold!r} and at least one system are "
            "expected.",
            parameter="p_true",
        )
    return Parts(first, systems, reader.scale, reader.notices)


class _Reader:
    """Reads tables one after the other; the first decides the classes, unless they are declared."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        labels, self._prefix = options["labels"], options["prefix"] or ""
        self._options, self._aside = options, dict[str, None]()
        self._scale = None if labels is None else Scale.of(labels)

    @property
    def scale(self) -> Scale:
        """The classes."""
        assert self._scale is not None
        return self._scale

    @property
    def notices(self) -> Notes:
        """Which columns were left aside."""
        text = f"Columns that are not classes are left aside: {quoted(self._aside, 10)}."
        return (warning("columns", text),) if self._aside else ()

    def read(
        self, table: Given, name: str, *, gold: bool = False, alone: bool = False
    ) -> dict[str, Part]:
        """Return the rows by the names in the column of systems, or without one under `name`.

        A table of gold has the column of sizes, and if it is `alone` no systems.
        """
        if isinstance(table, Part):
            self._scale = self._scale or Scale.of(list(range(1, table.rows.shape[-1] + 1)))
            return {name: table}
        with naming(table.name):
            roles = self._roles(table, gold=gold, alone=alone)
            share = roles.pop("share", None)
            classes = self._columns(table, roles) if share is None else [share]
            unused = {*(["system"] if alone else []), *([] if gold else ["size"])}
            roles = {role: column for role, column in roles.items() if role not in unused}
            wanted = Roles({}, {**roles, **numbered_roles(classes)})
            door = door_of(table.select(wanted.others), wanted, Reading(), table.run, whole=True)
            held = door.fetch()[0]
            shares = [_floats(held[role], name) for role, name in numbered_roles(classes).items()]
            numbers = np.stack(shares, axis=-1)
            if not len(numbers):
                raise InputError("there are no rows, only a header.")
            size = _floats(held["size"], roles.pop("size")) if "size" in roles else None
            if "topic" not in roles:
                index = index_of(table.given)
                topics = None if index is None else [group_name(topic) for topic in index]
                return {name: Part(topics, numbers, size)}
            groups = {role: group_codes(held[role], role, len(numbers)) for role in roles}
            return self._by_system(groups, numbers, size, name)

    def _roles(self, table: NumberedFrame, *, gold: bool, alone: bool) -> dict[str, str]:
        """Return the columns that are no classes, by role."""
        roles: dict[str, str] = {}
        for role, usual in _USUAL.items():
            named = text_name(self._options[role])
            if not isinstance(named, str):
                called = {column.strip().casefold(): column for column in table.columns}
                named = next((called[name] for name in usual if name in called), None)
            elif not (alone if role == "system" else role == "size" and not gold):
                require_column(named, table.columns, role)
            if named in table.columns:
                roles[role] = named
        if gold and not alone:  # the column of systems tells gold from these
            require_column(roles.get("system", "system"), table.columns, "system")
        if ("label" in roles) != ("share" in roles):
            absent = "share" if "label" in roles else "label"
            if self._options["label"] is not None or self._options["share"] is not None:
                require_column(absent, table.columns, absent)
            del roles["label" if absent == "share" else "share"]
        # Rows have places only in memory, where an index of pandas may name them.
        keyed = hasattr(table.frame, "project") or hasattr(table.frame, "collect")
        several = "label" in roles or ("system" in roles and not alone)
        if "topic" not in roles and (keyed or several):
            roles["topic"] = self._first(table, roles)
        return roles

    def _first(self, table: NumberedFrame, roles: Mapping[str, str]) -> str:
        """Return the first column without another role, which must be no class."""
        first = next((c for c in table.columns if c not in roles.values()), "")
        word, wide = self._word(first), table.header and "label" not in roles
        known = _is_integer(word) if self._scale is None else word in self._words(())
        if not first or (wide and known):
            raise InputError(
                f"no column names the rows, because {first!r} is a class. Rows of this table are "
                "not matched by position.",
                parameter="topic",
                hint="Name the column of topics with {topic}.",
            )
        return first

    def _word(self, name: str) -> str:
        """Return what follows the prefix; nothing without it."""
        start, n = self._prefix, len(self._prefix)
        return group_name(name[n:].strip()) if name.startswith(start) else ""

    def _words(self, names: Sequence[str], categories: Sequence[Any] = ()) -> list[str]:
        """Return the names of the classes, lowest first; those of the first table are the scale."""
        if self._scale is None:
            words = [word for word in map(self._word, names) if word]
            ordered = [label for label in categories if group_name(label) in words]
            labels = ordered or _consecutive(words)
            if not labels:
                raise self._unknown(names, "the order of the classes is not known")
            self._scale = Scale(tuple(labels), inferred=not ordered)
        return [group_name(label) for label in self._scale.labels]

    def _columns(self, table: NumberedFrame, roles: Mapping[str, str]) -> list[str]:
        """Return the columns of the classes, lowest first; without names those after the topic."""
        names = None if index_of(table.given) is None else table.given.columns
        if not table.header or (self._options["labels"] is not None and _counts_from_0(names)):
            start = table.columns.index(roles["topic"]) if "topic" in roles else 0
            left = [column for column in table.columns[start:] if column not in roles.values()]
            if self._scale is None or len(left) != self._scale.k:
                raise InputError(
                    f"the columns have no names; {len(left)} follow that of the topics, and as "
                    "many classes are expected.",
                    parameter="labels",
                    hint="Declare the classes in the order of the columns with {labels}.",
                )
            return left
        left = [column for column in table.columns if column not in roles.values()]
        kind: Any = getattr(names, "dtype", None)
        words = self._words(left, kind.categories if getattr(kind, "ordered", False) else ())
        by_word = {word: column for column in left if (word := self._word(column))}
        if absent := [f"{self._prefix}{word}" for word in words if word not in by_word]:
            raise self._unknown(left, f"there is no column {quoted(absent)}")
        numbered = all(map(_is_integer, words))
        alike = [w for w in by_word if self._prefix or (numbered and _is_integer(w))]
        self._refuse([by_word[word] for word in alike if word not in words])
        classes = [by_word[word] for word in words]
        self._aside |= dict.fromkeys(column for column in left if column not in classes)
        return classes

    def _refuse(self, unknown: Sequence[str]) -> None:
        """Raise an error for names that are not those of classes."""
        if unknown:
            raise InputError(
                f"{quoted(unknown)} is not a class of the scale {self.scale.describe()}.",
                parameter="labels",
                hint="Declare all classes with {labels}.",
            )

    def _unknown(self, names: Sequence[str], problem: str) -> InputError:
        """Return the error for names that are not those of classes, with what may help."""
        labels = [as_label(name.removeprefix(self._prefix)) for name in sorted_names(names)]
        return InputError(
            f"{problem}; a column per class is expected, named after its label, and there are "
            f"{quoted(names, 20)}.",
            parameter="labels",
            hint="Declare the classes in the right order, lowest first, e.g. {labels}, and what "
            "precedes them in the names of columns with {prefix}. For a row per topic and class, "
            "name {label} and {share}.",
            suggest={"labels": labels if len(labels) <= _MOST_SUGGESTED else ...},
        )

    def _by_system(
        self, groups: Mapping[str, Any], numbers: Floats, size: Floats | None, name: str
    ) -> dict[str, Part]:
        """Return rows `[topic, K]` of every system; a class without a row has the share 0."""
        of_topic, topics = groups["topic"]
        of_system, systems = groups.get("system", (0 * of_topic, (name,)))
        row = of_system * len(topics) + of_topic
        cells, axes = row, [systems, topics]
        if "label" in groups:
            of_label, names = groups["label"]
            words = self._words(names)
            self._refuse([name for name in names if self._word(name) not in words])
            place = np.array([words.index(self._word(name)) for name in names])
            cells, axes = row * len(words) + place[of_label], [*axes, words]
        times = np.bincount(cells, minlength=prod(map(len, axes)))
        if times.max() > 1:
            places = np.unravel_index(int(np.argmax(times > 1)), [len(names) for names in axes])
            first = [a[i] for a, i in zip(axes, places, strict=True) if len(a) > 1]
            what = "topic" if len(axes) == 2 else "topic and class"
            raise InputError(
                f"there are several rows of {', '.join(map(repr, first))}; one row per {what} is "
                "expected.",
                parameter="topic",
            )
        rows = np.zeros((len(times), numbers.shape[-1]))
        rows[cells] = numbers
        rows = rows.reshape(len(systems) * len(topics), -1)
        sizes = np.full(len(rows), np.nan)
        sizes[row] = np.nan if size is None else size
        parts = {}
        for i, system in enumerate(systems):
            there = np.unique(row[of_system == i])
            known = [topics[place] for place in (there - i * len(topics)).tolist()]
            parts[system] = Part(known, rows[there], None if size is None else sizes[there])
        return parts


def _floats(given: Any, name: str) -> Floats:
    """Return a column of numbers, which may be written as texts; NaN where one is missing."""
    column = read_column(given, name)
    if column.is_numeric:
        return column.data.astype(np.float64)
    coded = column.coded()
    try:
        numbers = [float(value) for value in coded.values]
    except (TypeError, ValueError, OverflowError):
        word = next((x for x in coded.values if as_number(x) is None), coded.values[0])
        raise InputError(
            f"column {name!r} holds {abbreviate(word)}, which is not a number; a share or a count "
            "is expected."
        ) from None
    return recoded(coded.data, np.asarray([*numbers, np.nan]))


def _is_integer(word: str) -> bool:
    return _INTEGER.fullmatch(word) is not None


def _consecutive(words: Sequence[str]) -> list[int]:
    """Return integers without a gap in their order; nothing for other words.

    >>> _consecutive(["2", "1", "3"]), _consecutive(["1", "5"]), _consecutive(["low"])
    ([1, 2, 3], [], [])
    """
    numbers = sorted(map(int, words)) if all(map(_is_integer, words)) else []
    return numbers if numbers and numbers[-1] - numbers[0] == len(numbers) - 1 else []
