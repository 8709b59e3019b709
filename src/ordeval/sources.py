"""Tables as a source of counts, and the choice between labels and tables.

A table is enough for scores and for intervals over items. It does not tell which items a system
missed, so that differences of systems need topics that all share, or joint counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from .counts import Axis, Counts, CountSource, JointCounts, LabelSource
from .errors import InputError, quoted
from .examples import Examples
from .labels import sorted_names
from .moments import Numbers
from .notes import Notes, warning
from .rows import Rows
from .types import Classes, ClassNumbers, Floats

_NO_PREDICTIONS = "Pass the predictions, or a table: Counts.from_table([[8, 2], [1, 9]])."


@dataclass(frozen=True, eq=False)
class TableSource:
    """Tables that are counted already as a source of counts.

    Parameters
    ----------
    tables : Counts
        The tables of the systems.
    pairs : JointCounts, optional
        The joint counts of pairs of systems.
    """

    tables: Counts
    pairs: JointCounts | None = None

    @classmethod
    def read(
        cls, given: Any, *, labels: Classes = None, values: ClassNumbers = None
    ) -> "TableSource":
        """Read counts, joint counts, a table, or a table for each system.

        Parameters
        ----------
        given : Counts, JointCounts, array_like or mapping of str to array_like
            The tables.
        labels : sequence, optional
            The classes of plain tables from lowest to highest; 1 to K by default.
        values : sequence or mapping, optional
            An increasing number per class; by default numeric labels themselves, else 1 to K.

        Returns
        -------
        TableSource
            The tables with topics in the order of their names.
        """
        if isinstance(given, (Counts, JointCounts)):
            if labels is not None or values is not None:
                raise InputError(
                    f"{type(given).__name__} have a scale of their own: {given.scale.describe()}.",
                    parameter="labels" if labels is not None else "values",
                    hint="Leave labels and values out, or declare them where the counts are made.",
                )
            joint = given if isinstance(given, JointCounts) else None
            found = given if isinstance(given, Counts) else _single_tables(given)
        else:
            joint, found = None, _plain_counts(given, labels, values)
        _check_axes(found)
        found = found.reordered("topic", sorted_names(found.topics))
        return cls(found, joint)

    @property
    def notices(self) -> Notes:
        """What is odd about the tables: systems with other items, rows of percentages."""
        gold = self.tables.with_system_axis().table.sum(axis=-1)
        found = []
        if not np.allclose(gold, gold[:1], rtol=1e-9):
            found.append(
                warning(
                    "items",
                    "The systems have different numbers of gold items, so that they were not all "
                    "scored on the same items.",
                )
            )
        if self.tables.k > 2 and np.all(np.abs(gold[gold > 0] - 100) <= 1.5):
            found.append(
                warning(
                    "percentages",
                    "Every row of the tables sums to about 100. If these are percentages, scores "
                    "and intervals are wrong, because both depend on the numbers of items.",
                )
            )
        return tuple(found)

    @property
    def about(self) -> Mapping[str, Any]:
        """That tables were given."""
        return {"counts": True}

    @property
    def has_topics(self) -> bool:
        """Whether the items belong to topics."""
        return bool(self.tables.topics)

    @property
    def has_clusters(self) -> bool:
        """Whether the items belong to clusters, which tables do not tell."""
        return False

    @property
    def paired(self) -> bool:
        """Whether it is known what the systems predict for the same item."""
        return self.pairs is not None or len(self.tables.systems) < 2

    def counts(self) -> Counts:
        """Return one table per system (and topic)."""
        return self.tables

    def joint(self, pairs: Sequence[tuple[str, str]] | None = None) -> JointCounts:
        """Return one joint table per pair of systems, for all pairs by default."""
        if self.pairs is None:
            raise unpaired(self.tables)
        chosen = self.pairs.pairs if pairs is None else tuple(pairs)
        found = np.stack([self._joint_table(a, b) for a, b in chosen])
        return JointCounts(
            found, self.tables.scale, chosen, self.tables.topics, self.tables.weighted
        )

    def _joint_table(self, a: str, b: str) -> Floats:
        assert self.pairs is not None
        found = self.pairs.pair(a, b)
        if not self.tables.topics:
            return found
        return found[[self.pairs.topics.index(topic) for topic in self.tables.topics]]

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of the labels; None unless the tables tell them."""
        found = self._rows
        return found if found is not None and found.labels.size <= most else None

    def numbers(self, most: int) -> Numbers | None:
        """Return None: tables hold sums over numbers at most."""
        return None

    def examples(self, systems: Sequence[str], *, paired: bool) -> Examples | None:
        """Return None: tables hold no items."""
        return None

    @cached_property
    def _rows(self) -> Rows | None:
        """The rows of one system, or of two with joint counts, none of which has weights."""
        systems = self.tables.systems
        if self.tables.weighted or not self.paired or len(systems) > 2:
            return None
        one = self.tables if not systems else self.tables.of(systems[0])
        cells = one.table if self.pairs is None else self._joint_table(*systems)
        at = np.nonzero(cells)
        labels = np.stack(at[1:] if self.has_topics else at)
        kind = np.int16 if self.tables.k < 2**15 else np.int32
        topic = at[0] if self.has_topics else None
        return Rows(labels.astype(kind), cells[at].astype(np.int64), topic=topic)


class SortedSource:
    """A source with its systems in the order of their names.

    Draws and sums then do not depend on the order in which the systems were given.

    Parameters
    ----------
    source : CountSource
        The data.
    """

    def __init__(self, source: CountSource) -> None:
        self._source = source
        self._counts = source.counts().with_system_axis()
        self.given = self._counts.systems
        self._systems = sorted_names(self.given)

    @property
    def notices(self) -> Notes:
        """How the data were read, as far as readers of a result should know it."""
        return self._source.notices

    @property
    def about(self) -> Mapping[str, Any]:
        """Where the data came from."""
        return self._source.about

    @property
    def has_topics(self) -> bool:
        """Whether the items belong to topics."""
        return self._source.has_topics

    @property
    def has_clusters(self) -> bool:
        """Whether the items belong to clusters."""
        return self._source.has_clusters

    @property
    def paired(self) -> bool:
        """Whether it is known what the systems predict for the same item."""
        return self._source.paired

    def counts(self) -> Counts:
        """Return one table per system (and topic)."""
        return self._counts.reordered("system", self._systems)

    def joint(self, pairs: Sequence[tuple[str, str]] | None = None) -> JointCounts:
        """Return one joint table per pair of systems, for all pairs by default."""
        return self._source.joint(list(combinations(self._systems, 2)) if pairs is None else pairs)

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of the labels; None if they have more than `most` labels."""
        found = self._source.rows(most)
        if found is None or self._sorted:
            return found
        return replace(found, labels=found.labels[[0, *(1 + i for i in self._places)]])

    def numbers(self, most: int) -> Numbers | None:
        """Return the numbers of all items that were binned; None if there are more than `most`."""
        found = self._source.numbers(most)
        if found is None or self._sorted:
            return found
        gold, *predictions = found.columns
        return replace(found, columns=(gold, *(predictions[i] for i in self._places)))

    def examples(self, systems: Sequence[str], *, paired: bool) -> Examples | None:
        """Return some items of every cell with their texts; None without texts."""
        return self._source.examples(systems, paired=paired)

    @property
    def _sorted(self) -> bool:
        return list(self.given) == self._systems

    @property
    def _places(self) -> list[int]:
        """The positions of the sorted systems among those given."""
        return [self.given.index(system) for system in self._systems]


def read_source(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    missing: Any = "error",
    **of_items: Any,
) -> CountSource:
    """Read labels, or tables where there are no predictions.

    Parameters
    ----------
    y_true : array_like, Counts, JointCounts or mapping
        Gold labels, or tables.
    y_pred : array_like, mapping of str to array_like, or None
        Predicted labels; None with tables.
    labels : sequence, optional
        The classes from lowest to highest.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    missing : {"error", "skip", "worst"}
        What to do about missing labels.
    **of_items : object
        Further arguments of `LabelSource.read`, which tables do not take.

    Returns
    -------
    CountSource
        The data.
    """
    tables = isinstance(y_true, (Counts, JointCounts))
    if tables and y_pred is not None:
        raise InputError(
            f"{type(y_true).__name__} hold the predictions already; y_pred was given as well.",
            parameter="y_pred",
            hint="Leave {y_pred} out.",
            suggest={"y_pred": ...},
        )
    if y_pred is not None:
        return LabelSource.read(
            y_true, y_pred, labels=labels, values=values, missing=missing, **of_items
        )
    given = [name for name, value in of_items.items() if value is not None]
    given += ["missing"] if missing != "error" else []
    source = TableSource.read(y_true, labels=labels, values=values)
    if given:
        raise InputError(
            f"{', '.join(given)} cannot be used with tables, whose items are counted already.",
            parameter=given[0],
            hint="Count the labels with {0} first: Counts.from_labels.".replace("{0}", given[0]),
        )
    return source


def one_system(counts: Counts) -> Counts:
    """Return counts of a single system without a system axis.

    Parameters
    ----------
    counts : Counts
        The counts.

    Returns
    -------
    Counts
        The counts of the system.
    """
    if len(counts.systems) > 1:
        raise InputError(
            f"The counts have {len(counts.systems)} systems; those of one system are expected.",
            hint=f"Pick one, e.g. counts.of({counts.systems[0]!r}).",
        )
    return counts.of(counts.systems[0]) if counts.systems else counts


def unpaired(counts: Counts) -> InputError:
    """Return the error that tables do not tell which items the systems miss.

    Parameters
    ----------
    counts : Counts
        The tables of several systems.

    Returns
    -------
    InputError
        The error to raise.
    """
    return InputError(
        f"The tables of {quoted(counts.systems, 3)} do not tell which items each system misses, "
        "and differences over the same items depend on that.",
        parameter="y_true",
        hint="Compare labels, joint counts (JointCounts), or means over two or more topics of "
        "Counts; evaluate gives scores with intervals, without tests.",
    )


def _plain_counts(given: Any, labels: Any, values: Any) -> Counts:
    """Return the counts of a plain table; labels without predictions are refused."""
    try:
        column = not isinstance(given, Mapping) and _axes(given) < 2
    except ValueError:
        column = False  # rows of different lengths, which from_table explains
    if column:
        raise InputError("y_pred is missing.", parameter="y_pred", hint=_NO_PREDICTIONS)
    return Counts.from_table(given, labels=labels, values=values)


def _axes(given: Any) -> int:
    """Return the number of axes, also of tensors that NumPy does not take."""
    return int(given.ndim) if hasattr(given, "ndim") else np.ndim(given)


def _check_axes(counts: Counts) -> None:
    unnamed = counts.table.ndim - 2 - len(counts.axes)
    if unnamed:
        raise InputError(
            f"The tables have shape {counts.table.shape}, and what the leading axes are is not "
            "known.",
            parameter="y_true",
            hint="Give the systems as a mapping from name to table, and names of topics: "
            "Counts.from_table(tables, topics=names).",
        )
    if not counts.table.any():
        raise InputError("The tables are empty: no item was counted.", parameter="y_true")


def _single_tables(joint: JointCounts) -> Counts:
    """Return the tables of the systems of joint counts."""
    systems = tuple(dict.fromkeys(name for pair in joint.pairs for name in pair))
    found = []
    for system in systems:
        at = next(i for i, pair in enumerate(joint.pairs) if system in pair)
        other = -1 if joint.pairs[at][0] == system else -2
        found.append(joint.table[at].sum(axis=other))
    axes = (Axis("topic", joint.topics),) if joint.topics else ()
    items = 0 if joint.weighted else int(found[0].sum())
    return Counts(
        np.stack(found), joint.scale, (Axis("system", systems), *axes), joint.weighted, items=items
    )
