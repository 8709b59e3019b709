"""Tables of counts: the sufficient statistic of every classification measure.

`Counts` holds tables `[..., gold, predicted]` with named leading axes. `JointCounts` holds the
`[..., gold, a, b]` tables of pairs of systems, which paired comparisons need.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from .display import Displayable
from .errors import InputError, quoted
from .labels import Items
from .rows import Rows
from .scale import Scale
from .types import Array, Bools, Classes, ClassNumbers, Floats, ItemWeights, LabelColumn, Missing


@dataclass(frozen=True)
class Axis:
    """A leading axis of a table: `name` is "system" or "topic", `names` are its entries."""

    name: str
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Displayable):
    """Tables of counts on one scale.

    Parameters
    ----------
    table : ndarray of shape (..., n_classes, n_classes)
        Numbers of items, or sums of weights, by gold and predicted class.
    scale : Scale
        The ordered classes.
    axes : tuple of Axis
        The names of the leading axes, in order: "system", "topic", both or none.
    weighted : bool
        Whether the entries are sums of weights rather than numbers of items.
    skipped : int
        The number of items that were left out because a label is missing.
    squares : ndarray of the shape of `table`, optional
        Sums of squared weights. Without them, nothing is known about the items behind the weights.
    items : int
        The number of items; 0 if it is unknown.

    Examples
    --------
    >>> import ordeval as oe
    >>> counts = oe.Counts.from_labels([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3])
    >>> counts.table
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 1., 1.]])
    """

    table: Floats
    scale: Scale
    axes: tuple[Axis, ...] = ()
    weighted: bool = False
    skipped: int = 0
    squares: Floats | None = None
    items: int = 0

    @classmethod
    def from_labels(
        cls,
        y_true: LabelColumn,
        y_pred: LabelColumn | Mapping[str, LabelColumn],
        *,
        labels: Classes = None,
        values: ClassNumbers = None,
        sample_weight: ItemWeights = None,
        frequency: ItemWeights = None,
        topics: LabelColumn | None = None,
        missing: Missing = "error",
    ) -> "Counts":
        """Count labels.

        Parameters
        ----------
        y_true : array_like of shape (n_items,)
            Gold labels.
        y_pred : array_like of shape (n_items,), or mapping of str to array_like
            Predicted labels of one system, or of each system.
        labels : sequence, optional
            The classes from lowest to highest. Required unless the labels are integers or an
            ordered categorical.
        values : sequence or mapping, optional
            An increasing number per class; 1 to K by default.
        sample_weight : array_like of shape (n_items,), optional
            The importance of each item; only the ratios of weights matter.
        frequency : array_like of int of shape (n_items,), optional
            The number of items that each row stands for.
        topics : array_like of shape (n_items,), optional
            The topic of each item.
        missing : {"error", "skip", "worst"}
            What to do about missing labels: raise an error, leave the item out for every system,
            or score a missing prediction as the class farthest from gold.

        Returns
        -------
        Counts
            Tables with the axes "system" (if `y_pred` is a mapping) and "topic" (with topics).
        """
        source = LabelSource.read(
            y_true,
            y_pred,
            labels=labels,
            values=values,
            sample_weight=sample_weight,
            frequency=frequency,
            topics=topics,
            missing=missing,
        )
        return source.counts()

    @classmethod
    def from_table(
        cls, table: Any, *, labels: Any = None, values: Any = None, squares: Any = None
    ) -> "Counts":
        """Take tables that are counted already.

        Parameters
        ----------
        table : array_like of shape (..., n_classes, n_classes)
            Counts by gold and predicted class; leading axes stay unnamed.
        labels : sequence, optional
            The classes from lowest to highest; 1 to K by default.
        values : sequence or mapping, optional
            An increasing number per class; 1 to K by default.
        squares : array_like of the shape of `table`, optional
            Sums of squared weights, if the table holds sums of weights. Measures that count pairs
            of different items need them where the table does not hold whole numbers.

        Returns
        -------
        Counts
            The checked tables.

        Examples
        --------
        >>> import ordeval as oe
        >>> counts = oe.Counts.from_table([[8, 2], [1, 9]], labels=["no", "yes"])
        >>> float(oe.measure("accuracy").of(counts))
        0.85
        """
        array = check_table(table)
        if array.shape[-1] == 1:
            raise InputError("The table has one class; an ordinal scale needs at least two.")
        scale = Scale.of(range(1, array.shape[-1] + 1) if labels is None else labels, values)
        if scale.k != array.shape[-1]:
            raise InputError(
                f"The table has {array.shape[-1]} classes and the scale {scale.k}; they must be "
                "the same classes, in the same order.",
                parameter="labels",
            )
        whole = bool(np.all(array == np.floor(array)))
        if squares is None:
            items = int(array.sum()) if whole else 0
            return cls(array.astype(np.float64), scale, weighted=not whole, items=items)
        squared = check_table(squares)
        if squared.shape != array.shape:
            raise InputError(
                f"The sums of squared weights have shape {squared.shape} and the table "
                f"{array.shape}; one per cell is expected.",
                parameter="squares",
            )
        weights, squared = array.astype(np.float64), squared.astype(np.float64)
        return cls(weights, scale, weighted=True, squares=squared)

    @property
    def k(self) -> int:
        """The number of classes."""
        return self.scale.k

    def _names(self, axis: str) -> tuple[str, ...]:
        return next((found.names for found in self.axes if found.name == axis), ())

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems; empty without a system axis."""
        return self._names("system")

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics; empty without a topic axis."""
        return self._names("topic")

    def pooled(self, name: str = "topic") -> "Counts":
        """Return the tables summed over an axis; unchanged if there is no such axis.

        Parameters
        ----------
        name : str
            The name of the axis.

        Returns
        -------
        Counts
            The sums, without that axis.
        """
        names = [axis.name for axis in self.axes]
        if name not in names:
            return self
        rest = tuple(axis for axis in self.axes if axis.name != name)
        at = names.index(name)
        return self._with(lambda table: np.asarray(table.sum(axis=at)), rest)

    def _with(self, change: Callable[[Floats], Floats], axes: tuple[Axis, ...]) -> "Counts":
        """Return counts with tables, and sums of squares, that are changed alike."""
        squares = None if self.squares is None else change(self.squares)
        return replace(self, table=change(self.table), axes=axes, squares=squares)

    @property
    def effective(self) -> Floats:
        """The tables to be scored: each in units that make its total the effective number of items.

        That number is (sum of weights)² / (sum of squared weights); without weights it is the
        number of items. Sums over pairs of different items are then those of the weighted items,
        and the unit of the weights does not matter.
        """
        if self.squares is None:
            return self.table
        total = self.table.sum(axis=(-2, -1), keepdims=True)
        unit = self.squares.sum(axis=(-2, -1), keepdims=True) / np.where(total > 0, total, 1.0)
        return np.asarray(self.table / np.where(unit > 0, unit, 1.0))

    def of(self, system: str) -> "Counts":
        """Return the tables of one system.

        Parameters
        ----------
        system : str
            The name of the system.

        Returns
        -------
        Counts
            The tables, without the system axis.
        """
        if system not in self.systems:
            raise InputError(f"There is no system {system!r}; there are {quoted(self.systems)}.")
        position, place = [a.name for a in self.axes].index("system"), self.systems.index(system)
        rest = tuple(axis for axis in self.axes if axis.name != "system")
        return self._with(lambda table: np.take(table, place, axis=position), rest)

    def with_system_axis(self) -> "Counts":
        """Return counts with a system axis.

        Returns
        -------
        Counts
            The same counts; a system without a name is called "y_pred".
        """
        leading = self.table.ndim - 2
        if leading != len(self.axes):
            raise InputError(
                f"The table has {leading} leading axes without names; use measure.of(table) for "
                "plain arrays."
            )
        if self.systems:
            return self
        axes = (Axis("system", ("y_pred",)), *self.axes)
        return self._with(lambda table: table[None], axes)


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts:
    """Counts of pairs of systems on the same items.

    Parameters
    ----------
    table : ndarray of shape (n_pairs, [n_topics,] n_classes, n_classes, n_classes)
        Numbers of items by gold class and the classes that two systems predict.
    scale : Scale
        The ordered classes.
    pairs : tuple of (str, str)
        The systems of each pair.
    topics : tuple of str
        The names of the topics; empty without topics.
    weighted : bool
        Whether the entries are sums of real weights rather than numbers of items.

    Examples
    --------
    >>> import ordeval as oe
    >>> joint = oe.JointCounts.from_labels([1, 2], {"a": [1, 2], "b": [2, 2]}, labels=[1, 2])
    >>> joint
    JointCounts(pairs=1, classes=2)
    """

    table: Floats
    scale: Scale
    pairs: tuple[tuple[str, str], ...]
    topics: tuple[str, ...] = ()
    weighted: bool = False

    def __repr__(self) -> str:
        topics = f"topics={len(self.topics)}, " if self.topics else ""
        return f"JointCounts(pairs={len(self.pairs)}, {topics}classes={self.scale.k})"

    @classmethod
    def from_labels(
        cls,
        y_true: LabelColumn,
        y_pred: Mapping[str, LabelColumn],
        *,
        labels: Classes = None,
        values: ClassNumbers = None,
        sample_weight: ItemWeights = None,
        frequency: ItemWeights = None,
        topics: LabelColumn | None = None,
        missing: Missing = "error",
    ) -> "JointCounts":
        """Count all pairs of systems.

        Parameters
        ----------
        y_true : array_like of shape (n_items,)
            Gold labels.
        y_pred : mapping of str to array_like of shape (n_items,)
            Predicted labels of each system.
        labels : sequence, optional
            The classes from lowest to highest. Required unless the labels are integers or an
            ordered categorical.
        values : sequence or mapping, optional
            An increasing number per class; 1 to K by default.
        sample_weight : array_like of shape (n_items,), optional
            The importance of each item; only the ratios of weights matter.
        frequency : array_like of int of shape (n_items,), optional
            The number of items that each row stands for.
        topics : array_like of shape (n_items,), optional
            The topic of each item.
        missing : {"error", "skip", "worst"}
            What to do about missing labels: raise an error, leave the item out for every system,
            or score a missing prediction as the class farthest from gold.

        Returns
        -------
        JointCounts
            One table per pair.
        """
        if not isinstance(y_pred, Mapping):
            raise InputError(
                "y_pred is not a mapping from system to labels, e.g. {'a': […], 'b': […]}.",
                parameter="y_pred",
            )
        source = LabelSource.read(
            y_true,
            y_pred,
            labels=labels,
            values=values,
            sample_weight=sample_weight,
            frequency=frequency,
            topics=topics,
            missing=missing,
        )
        return source.joint()

    def pair(self, a: str, b: str) -> Floats:
        """Return the counts of two systems.

        Parameters
        ----------
        a, b : str
            The systems, in any order.

        Returns
        -------
        ndarray of shape ([n_topics,] n_classes, n_classes, n_classes)
            Counts by gold class, class predicted by `a` and class predicted by `b`.
        """
        known = (a, b) in self.pairs
        if not known and (b, a) not in self.pairs:
            raise InputError(f"There is no pair ({a!r}, {b!r}); there are {quoted(self.pairs)}.")
        table: Floats = self.table[self.pairs.index((a, b) if known else (b, a))]
        return table if known else np.swapaxes(table, -1, -2)


class CountSource(Protocol):
    """Data that can be counted: labels in memory, a data frame or files."""

    @property
    def notices(self) -> tuple[str, ...]:
        """How the data were read, as far as readers of a result should know it."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Where the data came from."""

    @property
    def has_topics(self) -> bool:
        """Whether the items belong to topics."""

    @property
    def has_clusters(self) -> bool:
        """Whether the items belong to clusters."""

    def counts(self) -> Counts:
        """Return one table per system (and topic)."""

    def joint(self, pairs: Sequence[tuple[str, str]] | None = None) -> JointCounts:
        """Return one joint table per pair of systems, for all pairs by default."""

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of the labels; None if they have more than `most` labels."""


class LabelSource(Items):
    """Labels in memory as a source of counts."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Which numbers came with the labels."""
        given = {"sample_weight": self.weight, "frequency": self.frequency}
        return {name: True for name, numbers in given.items() if numbers is not None}

    def counts(self) -> Counts:
        """Return one table per system (and topic)."""
        table, scale = self.tables()
        squares = self.tables(2)[0] if self.weighted else None
        axes = (Axis("topic", self.topics),) if self.has_topics else ()
        axes = (Axis("system", self.systems), *axes)
        found = Counts(table, scale, axes, self.weighted, self.skipped, squares, self.items)
        return found if self.named else found.of(self.systems[0])

    def joint(self, pairs: Sequence[tuple[str, str]] | None = None) -> JointCounts:
        """Return one joint table per pair of systems, for all pairs by default."""
        chosen = tuple(combinations(self.systems, 2) if pairs is None else pairs)
        place = {system: i for i, system in enumerate(self.systems)}
        table, scale = self.pair_tables([(place[a], place[b]) for a, b in chosen])
        return JointCounts(table, scale, chosen, self.topics, self.weighted)

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of the labels; None if they have more than `most` labels."""
        found = self.distinct_rows()[0]
        return found if found.labels.size <= most else None


def constant_predictions(tables: Floats) -> Bools:
    """Return for tables `[..., K, K]` whether one class is predicted throughout."""
    return np.asarray(np.count_nonzero(tables.sum(axis=-2), axis=-1) == 1)


def check_table(given: Any) -> Array:
    """Return a table `[..., K, K]` of finite, non-negative numbers."""
    try:
        table = np.asarray(given)
    except ValueError:
        raise InputError(
            "The table's rows differ in length; give one row per gold class and in each one number "
            "per predicted class, K by K."
        ) from None
    if table.dtype.kind not in "iubf":
        raise InputError(
            f"The table holds {table.dtype} entries; give numbers of items, [gold, predicted]."
        )
    if table.ndim < 2 or table.shape[-1] != table.shape[-2] or table.shape[-1] == 0:
        shape = "x".join(map(str, table.shape)) or "a single number"
        raise InputError(
            f"The table has shape {shape}; its last two axes must be gold and predicted classes, "
            "K by K. Classes that were never predicted keep their empty column."
        )
    if not np.all(np.isfinite(table)) or np.any(table < 0):
        raise InputError("The table has negative or non-finite entries; counts are at least 0.")
    return table
