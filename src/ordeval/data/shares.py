"""Distributions of topics over the classes: what all doors of quantification lead to.

A table has a row per topic and a column per class, or a row per topic and class. Columns of classes
are named after the labels, perhaps with a prefix; what they are is never guessed. Several systems
may share a table that has a column of their names.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NamedTuple, Unpack

import numpy as np

from ..errors import InputError, abbreviate, naming, plural, quoted, require_known
from ..notes import Notes, warning
from ..options import ShareOptions, takes
from ..types import Floats
from .classes import Reading, as_label
from .column import as_number, group_name, recoded, sorted_names
from .containers import as_array, group_codes, index_of, read_column
from .counts import Counts
from .data import named_columns
from .distributions import (
    Distributions,
    read_distributions,
    read_rows,
    read_sizes,
    renormalised,
)
from .frames import door_of
from .roles import NumberedFrame, Roles, numbered_roles, require_column, text_name
from .scale import Scale
from .units import Units

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
_COLUMNS = ("topic", "system", "label", "share", "size", "prefix")  # that options name
_TOTALS = ("all", "total", "totals", "sum", "margin")


class Part(NamedTuple):
    """The rows `[topic, K]` of gold or of a system as they were given.

    `topics` are the names of the rows, None if they have none; `size` the numbers of items.
    """

    topics: Sequence[Any] | None
    rows: Any
    size: Any = None


Given = NumberedFrame | Part


@dataclass(frozen=True, eq=False)
class Shares:
    """Distributions of the same topics over the classes, of gold and every system.

    Parameters
    ----------
    rows : ndarray of shape (n_columns, n_topics, n_classes)
        The shares of the classes, those of gold first. Topics are sorted by name.
    names : tuple of str
        The names of gold and the systems.
    scale : Scale
        The ordered classes.
    units : Units
        The topics, and the number of items of each in gold if it is known.
    notices : tuple of Note
        How the data were read, as far as readers of a result should know it.
    about : mapping
        Where the data came from, and how they were read.

    Examples
    --------
    >>> import ordeval as oe
    >>> counts = oe.Counts.from_labels([1, 1, 2, 2], {"a": [1, 2, 2, 2]})
    >>> oe.Shares.of_counts(counts).rows.tolist()
    [[[0.5, 0.5]], [[0.25, 0.75]]]
    """

    rows: Floats
    names: tuple[str, ...]
    scale: Scale
    units: Units
    notices: Notes = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    @takes(ShareOptions)
    def read(cls, p_true: Any, p_pred: Any, **options: Unpack[ShareOptions]) -> "Shares":
        """Read and check distributions in memory.

        Parameters
        ----------
        p_true : array_like of shape (n_topics, n_classes), or frame
            Gold distributions or counts.
        p_pred : array_like of shape (n_topics, n_classes), frame, or mapping of str to these
            Estimated distributions of one system, or of each system.
        {options}

        Returns
        -------
        Shares
            The distributions.
        """
        systems: Mapping[Any, Any] = {} if p_pred is None else {"p_pred": p_pred}
        named = named_columns(p_pred if isinstance(p_pred, Mapping) else systems, "p_pred")
        gold = _opened(p_true, "gold", options)
        runs = {name: _opened(data, name, options) for name, data in named.items()}
        return cls.of(gold, runs, options)

    @classmethod
    def of(
        cls,
        table: Given,
        runs: Mapping[str, Given],
        options: Mapping[str, Any],
        *,
        gold: str = "gold",
        notices: Notes = (),
        about: Mapping[str, Any] | None = None,
    ) -> "Shares":
        """Read tables of any door, match their rows by topic, and check them.

        Parameters
        ----------
        table : NumberedFrame or Part
            The table of gold, or without `runs` that of gold and all systems.
        runs : mapping of str to NumberedFrame or Part
            The table of each system.
        options : mapping
            Those of `read`, and perhaps `where`.
        gold : str
            The name of gold in the column of systems.
        notices : tuple of Note
            What was done to the data before.
        about : mapping, optional
            Where the data came from.

        Returns
        -------
        Shares
            The distributions.
        """
        reader = _Reader(options)
        first, systems = reader.read(table, runs, gold)
        scale = reader.scale.with_values(options["values"])
        in_memory = {
            r: None if isinstance(options[r], str) else options[r] for r in ("topic", "size")
        }
        size = first.size if in_memory["size"] is None else in_memory["size"]
        renormalise = options["renormalise"]
        subset = bool(options.get("where"))  # then systems may have more topics than gold
        names = _topic_names(first, in_memory["topic"])
        shown = None if in_memory["topic"] is None and first.topics is None else names

        def check(rows: Any, name: str) -> Distributions:
            _check_shape(rows, (len(names), scale.k), name)
            return read_distributions(rows, name, renormalise=renormalise, row_names=shown)

        checked = [check(first.rows, "gold")]
        checked += [check(_in_order(part, first, n, subset), n) for n, part in systems.items()]
        count = checked[0].sizes if size is None else read_sizes(size, (len(names),))
        place = {name: i for i, name in enumerate(names)}
        order = [place[name] for name in sorted_names(names)]
        return cls(
            np.stack([part.rows[order] for part in checked]),
            ("gold", *systems),
            scale,
            _units([names[i] for i in order], None if count is None else count[order]),
            (*notices, *reader.notices, *renormalised(checked), *_percentages(count, size)),
            {**(about or {}), **_said(options)},
        )

    @classmethod
    def of_counts(cls, counts: Counts) -> "Shares":
        """Return the shares of the classes in gold and predicted labels, by topic.

        Parameters
        ----------
        counts : Counts
            Tables of counts of one or more systems.

        Returns
        -------
        Shares
            A row per topic; one row called "all" if there are no topics.
        """
        table = counts.table if counts.topics else counts.table[..., None, :, :]
        if not counts.systems:
            table = table[None]
        topics = counts.topics or ("all",)
        total = table[0].sum(axis=(-1, -2))
        if empty := [name for name, n in zip(topics, total, strict=True) if not n]:
            raise InputError(f"All weights of topic {quoted(empty)} are 0; leave it out.")
        rows = np.concatenate([table[:1].sum(axis=-1), table.sum(axis=-2)]) / total[:, None]
        size = counts.effective.reshape(table.shape)[0].sum(axis=(-1, -2))
        names = ("gold", *(counts.systems or ("y_pred",)))
        return cls(rows, names, counts.scale, _units(topics, size), about={"counts": True})

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.names[1:]

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics."""
        return self.units.topics

    def only(self, systems: Sequence[str] | Mapping[str, str]) -> "Shares":
        """Return the shares of gold and some systems.

        Parameters
        ----------
        systems : sequence of str, or mapping of str to str
            The systems; a mapping gives them new names, ``{"new name": "system"}``.

        Returns
        -------
        Shares
            Their distributions.
        """
        wanted = systems if isinstance(systems, Mapping) else {name: name for name in systems}
        for name in wanted.values():
            require_known("system", name, self.systems, "p_pred")
        places = [0, *(1 + self.systems.index(name) for name in wanted.values())]
        return replace(self, rows=self.rows[places], names=(self.names[0], *wanted))


def _units(topics: Sequence[str], size: Floats | None) -> Units:
    return Units(len(topics), count=size, topic=np.arange(len(topics)), topics=tuple(topics))


def _said(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a call repeats: names of columns, or of what is in memory."""
    named = {role: options[role] for role in _COLUMNS if options[role] is not None}
    said = {role: value if isinstance(value, str) else role for role, value in named.items()}
    return said if options["renormalise"] else {**said, "renormalise": False}


def _topic_names(gold: Part, names_in_memory: Any) -> tuple[str, ...]:
    """Return a name for every row of gold: from memory, its own if they differ, or its position."""
    _refuse_total(gold)
    own, n = gold.topics, len(gold.rows)
    if names_in_memory is None:
        repeated = own is None or len(set(own)) < len(own)
        return tuple(map(str, range(n) if repeated else own or ()))
    names = tuple(map(group_name, as_array(names_in_memory, "topic").reshape(-1).tolist()))
    _refuse_repeated(names, "The topics name")
    if len(names) != n:
        raise InputError(f"There are {len(names)} topics and gold has {n} rows.", parameter="topic")
    return names


def _refuse_repeated(names: Sequence[Any], who: str) -> None:
    """Raise an error for topics that are named more than once."""
    if len(set(names)) < len(names):
        twice = [name for name, times in Counter(names).items() if times > 1]
        raise InputError(
            f"{who} {quoted(twice)} more than once; each topic needs its own name.",
            parameter="topic",
        )


def _in_order(part: Part, gold: Part, name: str, subset: bool) -> Any:
    """Return the rows of a system in the order of gold, if both have names."""
    if part.topics is None or gold.topics is None or list(part.topics) == list(gold.topics):
        return part.rows
    mine, theirs = set(gold.topics), set(part.topics)
    absent = [topic for topic in gold.topics if topic not in theirs]
    extra = [topic for topic in part.topics if topic not in mine and not subset]
    for topics, what in ((absent, "not in it"), (extra, "not in gold")):
        if topics:
            raise InputError(
                f"{name} has other topics than gold; {plural(len(topics), 'topic')} {what}: "
                f"{quoted(topics)}.",
                parameter="p_pred",
                hint="Rows are matched by topic; only arrays (to_numpy()) by position.",
            )
    _refuse_repeated(gold.topics, "The index of gold names")
    _refuse_repeated(part.topics, f"The index of {name} names")
    place = {topic: i for i, topic in enumerate(part.topics)}
    return part.rows[[place[topic] for topic in gold.topics]]


def _check_shape(rows: Any, expected: tuple[int, int], name: str) -> None:
    """Raise an error unless rows are about the topics of gold and the classes of the scale."""
    if np.shape(rows) != expected:
        raise InputError(
            f"{name} has distributions of shape {np.shape(rows)}; a row for each of "
            f"{plural(expected[0], 'topic')} and a column for each of {expected[1]} classes are "
            "expected.",
            parameter="p_true" if name == "gold" else "p_pred",
        )


def _refuse_total(gold: Part) -> None:
    """Raise an error for a row that is named like a total and holds the sums of the others."""
    for i, name in enumerate(gold.topics or ()):
        if len(gold.rows) > 2 and str(name).strip().lower() in _TOTALS:
            row = gold.rows[i]
            if np.allclose(gold.rows.sum(axis=0) - row, row):
                raise InputError(
                    f"The row {str(name)!r} of gold holds the sums of the others and is not a "
                    "topic.",
                    parameter="p_true",
                    hint="Leave it out, e.g. with margins=False in pandas.crosstab.",
                )


def _percentages(sums: Floats | None, size: Any) -> Notes:
    """Return the note that numbers may be percentages, if rows sum to 100 but for rounding."""
    text = (
        "Every row of gold sums to 100 or nearly so and is read as counts of items. If these are "
        "percentages, name the number of items of each topic with the option size, by which some "
        "measures are smoothed."
    )
    alike = size is None and sums is not None and bool((np.abs(sums - 100) <= 2).all())
    return (warning("size", text, request=True),) if alike else ()


# Tables.


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
        self, table: Given, runs: Mapping[str, Given], gold: str
    ) -> tuple[Part, dict[str, Part]]:
        """Return the rows of gold and of the systems, from tables of each or from one of all.

        A table with a column of systems holds several; without `runs`, `gold` is one of them.
        """
        systems = self._parts(table, "gold", gold=True, alone=bool(runs))
        first = systems.pop("gold" if runs else gold, None)
        for name, run in runs.items():
            parts = self._parts(run, name)
            if known := [each for each in parts if each in systems]:
                raise InputError(f"{name}: there are other systems called {quoted(known)}.")
            systems |= parts
        if first is None or not systems:
            names = [*systems, *([] if first is None else [gold])]
            raise InputError(
                f"The column of systems names {quoted(names)}; {gold!r} and at least one system "
                "are expected.",
                parameter="p_true",
            )
        return first, systems

    def _parts(
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
