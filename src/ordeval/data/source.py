"""Labels or tables: what evaluation takes.

A table is enough for scores and for intervals over items. It does not tell which items a system
missed, so that differences of systems need topics that all share, or labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError, quoted
from ..notes import Notes, warning
from .column import code_type, sorted_names
from .counts import Counts, JointCounts
from .data import Data, read_labels
from .examples import Examples
from .moments import Numbers
from .units import Rows, Units

_NO_PREDICTIONS = "Pass the predictions, or a table: Counts.from_table([[8, 2], [1, 9]])."


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables of one or several systems, with topics in order; they tell nothing about items."""

    held: Counts
    about: ClassVar[Mapping[str, Any]] = {"counts": True}
    judged = has_clusters = False  # which tables do not tell

    @property
    def notices(self) -> Notes:
        """What is odd about the tables: systems with other items, rows of percentages."""
        gold = self.held.with_system_axis().table.sum(axis=-1)
        notes = []
        if not np.allclose(gold, gold[:1], rtol=1e-9):
            text = "The systems have different numbers of gold items, so that they were not all "
            notes.append(warning("items", f"{text}scored on the same items."))
        if self.held.k > 2 and np.all(np.abs(gold[gold > 0] - 100) <= 1.5):
            text = "Every row of the tables sums to about 100. If these are percentages, scores "
            text += "and intervals are wrong, because both depend on the numbers of items."
            notes.append(warning("percentages", text))
        return tuple(notes)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.held.with_system_axis().systems

    @property
    def has_topics(self) -> bool:
        """Whether the items belong to topics."""
        return bool(self.held.topics)

    @property
    def paired(self) -> bool:
        """Whether it is known what the systems predict for the same item."""
        return len(self.held.systems) < 2

    def only(self, systems: Sequence[str]) -> "Tables":
        """Return the same tables with the systems in another order."""
        return Tables(self.held.reordered("system", systems)) if self.held.systems else self

    def counts(self) -> Counts:
        """Return one table per system (and topic)."""
        return self.held

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of one system; None for several, and with weights."""
        found = self._rows
        return found if found is not None and found.labels.size <= most else None

    @cached_property
    def _rows(self) -> Rows | None:
        if self.held.weighted or not self.paired:
            return None
        one = one_system(self.held)
        at = np.nonzero(one.table)
        labels = np.stack(at[1:] if self.has_topics else at)
        topic = at[0] if self.has_topics else None
        kind = np.int16 if self.held.k < 2**15 else np.int32
        return Rows(labels.astype(kind), one.table[at].astype(np.int64), topic=topic)

    def numbers(self, most: int) -> Numbers | None:
        """Return None: tables hold sums over numbers at most."""
        return None

    def examples(self, systems: Sequence[str], *, paired: bool) -> Examples | None:
        """Return None: tables hold no items."""
        return None


Source = Data | Tables
"""What evaluation takes: labels or tables."""


def read_source(y_true: Any, y_pred: Any = None, **options: Any) -> Source:
    """Read labels, or tables where there are no predictions; options were checked."""
    held = isinstance(y_true, (Data, Counts, JointCounts))
    if y_pred is not None and not held:
        return read_labels(y_true, y_pred, options)
    labels, values = options.pop("labels", None), options.pop("values", None)
    source = y_true if isinstance(y_true, Data) else _read_tables(y_true, labels, values)
    if options.get("missing") == "error":
        del options["missing"]
    if held:
        options = {"y_pred": y_pred, "labels": labels, "values": values, **options}
    extra = [name for name, value in options.items() if value is not None]
    if extra:
        kind = type(y_true).__name__ if held else "tables"
        raise InputError(
            f"{', '.join(extra)} cannot be used with {kind}, whose labels were read already.",
            parameter=extra[0],
            hint=f"Leave {{{extra[0]}}} out, or give it where the labels are read.",
        )
    return source


def _read_tables(given: Any, labels: Any, values: Any) -> Source:
    """Read counts, joint counts, a table, or a table for each system."""
    if not isinstance(given, (Counts, JointCounts)):
        if not isinstance(given, Mapping) and _depth(given) < 2:
            raise InputError("y_pred is missing.", parameter="y_pred", hint=_NO_PREDICTIONS)
        given = Counts.from_table(given, labels=labels, values=values)
    if not given.table.any():
        raise InputError("The tables are empty: no item was counted.", parameter="y_true")
    if isinstance(given, JointCounts):
        if not given.weighted:
            return _data_of(given)
        given = given.single()
    if given.table.ndim - 2 - len(given.axes):
        raise InputError(
            f"The tables have shape {given.table.shape}, and what the leading axes are is not "
            "known.",
            parameter="y_true",
            hint="Give the systems as a mapping from name to table, and names of topics: "
            "Counts.from_table(tables, topics=names).",
        )
    return Tables(given.reordered("topic", sorted_names(given.topics)))


def _depth(given: Any) -> int:
    """Return the number of axes; 2 for rows of different lengths, which `from_table` explains."""
    try:
        return np.ndim(given)
    except ValueError:
        return 2


def _data_of(joint: JointCounts) -> Data:
    """Return the items of two systems that are counted already."""
    table, topics = joint.table, tuple(sorted_names(joint.topics))
    if joint.topics:
        table = table[[joint.topics.index(topic) for topic in topics]]
    at = np.nonzero(table)
    codes = np.stack(at[1:] if topics else at).astype(code_type(joint.scale.k))
    units = Units(
        len(at[0]), table[at].astype(np.int64), topic=at[0] if topics else None, topics=topics
    )
    return Data(codes, ("y_true", *joint.systems), joint.scale, units, about={"counts": True})


def one_system(counts: Counts) -> Counts:
    """Return counts of a single system without a system axis."""
    if len(counts.systems) > 1:
        raise InputError(
            f"The counts have {len(counts.systems)} systems; those of one system are expected.",
            hint=f"Pick one, e.g. counts.of({counts.systems[0]!r}).",
        )
    return counts.of(counts.systems[0]) if counts.systems else counts


def unpaired(counts: Counts) -> InputError:
    """Return the error that tables do not tell which items the systems miss."""
    return InputError(
        f"The tables of {quoted(counts.systems, 3)} do not tell which items each system misses, "
        "and differences over the same items depend on that.",
        parameter="y_true",
        hint="Compare labels, two systems at a time by their joint counts (JointCounts), or means "
        "over two or more topics of Counts; evaluate gives scores with intervals, without tests.",
    )
