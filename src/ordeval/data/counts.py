"""Tables of counts: the sufficient statistic of every classification measure.

`Counts` holds tables `[..., gold, predicted]` with named leading axes. `JointCounts` holds the
table `[..., gold, a, b]` of two systems, which a paired comparison needs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from ..display import Displayable
from ..errors import InputError, quoted, require_known
from ..notes import Note, Notes, note, warning
from ..options import CountOptions, takes
from ..types import (
    Array,
    Bools,
    Floats,
    LabelColumn,
)
from .bins import Bins
from .containers import as_array, read_column
from .scale import Scale, infer_scale

_FEWEST_SHIFTED = 30  # items of which fewer agree better by chance


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
        The number of items left out because a label is missing.
    squares : ndarray of the shape of `table`, optional
        Sums of squared weights. Without them, the number of items behind the weights is unknown.
    items : int
        The number of items; 0 if it is unknown.
    bins : Bins, optional
        How real numbers became classes, if they did.
    moments : ndarray of shape (..., 9), optional
        Sums over the numbers themselves (see `ordeval.moments`), for measures of numbers; None
        where all of them are class numbers.

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
    bins: Bins | None = None
    moments: Floats | None = None

    @classmethod
    @takes(CountOptions)
    def from_labels(
        cls,
        y_true: LabelColumn,
        y_pred: LabelColumn | Mapping[str, LabelColumn],
        **options: Unpack[CountOptions],
    ) -> "Counts":
        """Count labels.

        Parameters
        ----------
        y_true : array_like of shape (n_items,)
            Gold labels.
        y_pred : array_like of shape (n_items,), or mapping of str to array_like
            Predicted labels of one system, or of each system.
        {options}

        Returns
        -------
        Counts
            Tables with the axes "system" (if `y_pred` is a mapping) and "topic" (with topics).
        """
        from .data import read_labels

        return read_labels(y_true, y_pred, options).counts()

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        labels: Any = None,
        values: Any = None,
        squares: Any = None,
        topics: Iterable[str] | None = None,
    ) -> "Counts":
        """Take tables that are counted already.

        Parameters
        ----------
        table : array_like of shape (..., n_classes, n_classes), or mapping of str to array_like
            Counts by gold and predicted class, of one system or of each system. The rows and
            columns of a pandas data frame, such as a cross table, are found by their names, and
            those that are absent are empty.
        labels : sequence, optional
            The classes from lowest to highest; 1 to K by default. Required for data frames whose
            rows and columns have other names than integers or ordered categories.
        values : sequence or mapping, optional
            An increasing number per class; by default numeric labels themselves, else 1 to K.
        squares : array_like of the shape of `table`, or mapping, optional
            Sums of squared weights, if the table holds sums of weights. Measures that count pairs
            of different items need them where the table does not hold whole numbers.
        topics : sequence of str, optional
            Names of topics, if there is a table for each: the axis before the classes.

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
        array, scale, systems = _read_tables(table, labels, values)
        axes = _named_axes(array.shape[:-2], systems, topics)
        if squares is None:
            whole = bool(np.all(array == np.floor(array)))
            items = _items_of(array, systems) if whole else 0
            return cls(array, scale, axes, weighted=not whole, items=items)
        squared, _, named = _read_tables(squares, scale, None)
        if squared.shape != array.shape or named != systems:
            raise InputError(
                f"The sums of squared weights have shape {squared.shape} and the table "
                f"{array.shape}; one per cell is expected.",
                parameter="squares",
            )
        return cls(array, scale, axes, weighted=True, squares=squared)

    def __add__(self, other: object) -> "Counts":
        """Return the sums of the tables, such as those of two batches of items.

        Parameters
        ----------
        other : Counts
            Counts of other items on the same scale, with the same systems. Topics of one of both
            are taken over.

        Returns
        -------
        Counts
            The sums, with systems and topics in the order of these counts.
        """
        if not isinstance(other, Counts):
            return NotImplemented
        if self.axes != other.axes:
            topics = tuple(dict.fromkeys((*self.topics, *other.topics)))
            if self.topics and other.topics and topics != self.topics:
                return self.reordered("topic", topics) + other
            other = other.reordered("topic", topics)
            if set(self.systems) == set(other.systems):
                other = other.reordered("system", self.systems)
        same = self.scale.same_classes(other.scale) and self.bins == other.bins
        if not same or self.axes != other.axes or self.table.shape != other.table.shape:
            raise _not_addable()
        squares = None
        if self.weighted or other.weighted:
            squares = _sum_of(self._squares(), other._squares())
        return Counts(
            self.table + other.table,
            self.scale if not self.scale.inferred else other.scale,
            self.axes,
            self.weighted or other.weighted,
            self.skipped + other.skipped,
            squares,
            self.items + other.items if self.items and other.items else 0,
            self.bins,
            self._added_moments(other),
        )

    def _added_moments(self, other: "Counts") -> Floats | None:
        """Return the sums over numbers of both; None if neither has any."""
        if self.moments is None and other.moments is None:
            return None
        return _sum_of(self._moments_of_classes(), other._moments_of_classes())

    def _moments_of_classes(self) -> Floats | None:
        """Return the sums over numbers; from the table where all are class numbers."""
        if self.moments is not None or self.bins is None or not self.bins.numbers:
            return self.moments
        n, squares = self.table, self._squares()
        v = np.asarray(self.bins.numbers) - self.bins.centre
        g, p = np.broadcast_arrays(v[:, None], v)
        of_each = (g, p, g * g, p * p, g * p, np.abs(g - p), (g - p) ** 2)
        if squares is None:
            return None
        terms = [n, squares, *(n * term for term in of_each)]
        return np.stack([np.asarray(term).sum(axis=(-2, -1)) for term in terms], axis=-1)

    def __radd__(self, other: object) -> "Counts":
        """Return the counts themselves where `sum` adds them to 0.

        Parameters
        ----------
        other : int
            The number 0.

        Returns
        -------
        Counts
            The same counts.
        """
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _squares(self) -> Floats | None:
        """Return sums of squared weights, which are counts for items without weights."""
        return self.squares if self.weighted else self.table

    def reordered(self, name: str, names: Sequence[str]) -> "Counts":
        """Return the counts with the entries of an axis in another order.

        Parameters
        ----------
        name : str
            The name of the axis, "system" or "topic".
        names : sequence of str
            Its entries in the new order; further ones have no items.

        Returns
        -------
        Counts
            The same tables; unchanged if there is no such axis.
        """
        own, names = self._names(name), tuple(names)
        if not own or names == own:
            return self
        at, places = [axis.name for axis in self.axes].index(name), [names.index(n) for n in own]

        def arranged(table: Floats) -> Floats:
            out = np.zeros((*table.shape[:at], len(names), *table.shape[at + 1 :]))
            np.moveaxis(out, at, 0)[places] = np.moveaxis(table, at, 0)
            return out

        axes = tuple(Axis(name, names) if axis.name == name else axis for axis in self.axes)
        return self._with(arranged, axes)

    @property
    def k(self) -> int:
        """The number of classes."""
        return self.scale.k

    def _names(self, axis: str) -> tuple[str, ...]:
        return next((known.names for known in self.axes if known.name == axis), ())

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems; empty without a system axis."""
        return self._names("system")

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics; empty without a topic axis."""
        return self._names("topic")

    @property
    def notices(self) -> Notes:
        """What is odd about the tables: predictions that seem to count classes differently."""
        table = self.pooled("topic").effective
        tables = table.reshape(-1, *table.shape[-2:])
        names = self.systems or ("y_pred",)
        shifted = miscounted(tables, names, self.scale, "Predictions", "gold")
        return shifted or tuple(_one_sided(tables, self.scale) if self.scale.inferred else ())

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
        moments = None if self.moments is None else change(self.moments)
        return replace(self, table=change(self.table), axes=axes, squares=squares, moments=moments)

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
        require_known("system", system, self.systems, "system")
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
    """Counts of two systems on the same items.

    Parameters
    ----------
    table : ndarray of shape ([n_topics,] n_classes, n_classes, n_classes)
        Numbers of items by gold class and by the predicted class of either system.
    scale : Scale
        The ordered classes.
    systems : tuple of str
        The names of the two systems.
    topics : tuple of str
        The names of the topics; empty without topics.
    weighted : bool
        Whether the entries are sums of real weights rather than numbers of items.

    Examples
    --------
    >>> import ordeval as oe
    >>> joint = oe.JointCounts.from_labels([1, 2], {"a": [1, 2], "b": [2, 2]}, labels=[1, 2])
    >>> joint
    JointCounts(systems=('a', 'b'), topics=0, classes=2)
    """

    table: Floats
    scale: Scale
    systems: tuple[str, str]
    topics: tuple[str, ...] = ()
    weighted: bool = False

    @classmethod
    def from_table(
        cls,
        table: Any,
        systems: Sequence[str],
        *,
        labels: Any = None,
        values: Any = None,
        topics: Iterable[str] | None = None,
    ) -> "JointCounts":
        """Take the joint counts of two systems that are counted already.

        Parameters
        ----------
        table : array_like of shape ([n_topics,] n_classes, n_classes, n_classes)
            Counts by gold class and the classes that the first and the second system predict.
        systems : sequence of str
            The names of the two systems.
        labels : sequence, optional
            The classes from lowest to highest; 1 to K by default.
        values : sequence or mapping, optional
            An increasing number per class; by default numeric labels themselves, else 1 to K.
        topics : sequence of str, optional
            Names of topics, if there is a table for each.

        Returns
        -------
        JointCounts
            The checked table.

        Examples
        --------
        >>> import ordeval as oe
        >>> joint = oe.JointCounts.from_table([[[5, 1], [0, 2]], [[1, 0], [3, 8]]], ("a", "b"))
        >>> oe.compare(joint).best
        'a'
        """
        array, scale, _ = _read_tables(table, labels, values)
        names = _topic_names(topics)
        if array.shape != (*([len(names)] if names else []), *[scale.k] * 3):
            raise InputError(
                f"The joint counts have shape {array.shape}; [gold, a, b] with {scale.k} classes "
                f"each is expected{f', for each of {len(names)} topics' if names else ''}.",
                parameter="table",
            )
        weighted = bool(np.any(array != np.floor(array)))
        return cls(array, scale, _two(systems, "systems"), names, weighted)

    def __repr__(self) -> str:
        size = f"topics={len(self.topics)}, classes={self.scale.k}"
        return f"JointCounts(systems={self.systems}, {size})"

    @classmethod
    @takes(CountOptions)
    def from_labels(
        cls,
        y_true: LabelColumn,
        y_pred: Mapping[str, LabelColumn],
        **options: Unpack[CountOptions],
    ) -> "JointCounts":
        """Count the labels of two systems.

        Parameters
        ----------
        y_true : array_like of shape (n_items,)
            Gold labels.
        y_pred : mapping of str to array_like of shape (n_items,)
            Predicted labels of both systems.
        {options}

        Returns
        -------
        JointCounts
            The table.
        """
        from .data import read_labels

        data = read_labels(y_true, y_pred, options)
        systems = _two(data.systems, "y_pred")
        (table,), _ = data.tables([(0, 1, 2)])
        return cls(table, data.scale, systems, data.units.topics, data.weighted)

    def __add__(self, other: object) -> "JointCounts":
        """Return the sums of the tables, such as those of two batches of items.

        Parameters
        ----------
        other : JointCounts
            Counts of other items on the same scale, with the same systems and topics.

        Returns
        -------
        JointCounts
            The sums.
        """
        if not isinstance(other, JointCounts):
            return NotImplemented
        same = (self.systems, self.topics) == (other.systems, other.topics)
        if not same or not self.scale.same_classes(other.scale):
            raise _not_addable()
        table, weighted = self.table + other.table, self.weighted or other.weighted
        return replace(self, table=table, weighted=weighted)

    def __radd__(self, other: object) -> "JointCounts":
        """Return the counts themselves where `sum` adds them to 0.

        Parameters
        ----------
        other : int
            The number 0.

        Returns
        -------
        JointCounts
            The same counts.
        """
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def single(self) -> Counts:
        """Return the tables of each system.

        Returns
        -------
        Counts
            Tables that no longer tell which items both systems miss.
        """
        tables = np.stack([self.table.sum(axis=-1), self.table.sum(axis=-2)])
        axes = (Axis("system", self.systems), *([Axis("topic", self.topics)] * bool(self.topics)))
        items = 0 if self.weighted else int(self.table.sum())
        return Counts(tables, self.scale, axes, self.weighted, items=items)


def _two(systems: Sequence[str], parameter: str) -> tuple[str, str]:
    """Return the names of two systems."""
    if isinstance(systems, str) or len(systems) != 2 or len(set(systems)) != 2:
        raise InputError(
            f"Joint counts are those of two systems, and there are {quoted(systems)}.",
            parameter=parameter,
            hint="Name two systems, e.g. {'a': […], 'b': […]}." if parameter == "y_pred" else "",
        )
    return str(systems[0]), str(systems[1])


def _sum_of(one: Floats | None, other: Floats | None) -> Floats | None:
    return None if one is None or other is None else one + other


def miscounted(
    tables: Iterable[Floats], names: Sequence[str], scale: Scale, what: str, other: str
) -> Notes:
    """Warn of columns that seem to count the classes otherwise than what they are compared with."""
    odd = [_miscounted(table, scale.inferred) for table in tables]
    return tuple(
        warning(
            "shifted",
            f"{what} {how} agree better with {other} than as they are: "
            f"{quoted([n for n, each in zip(names, odd, strict=True) if each == how], 5)}. {check}",
            request=True,
        )
        for how, check in _MISCOUNTED.items()
        if how in odd
    )


def _one_sided(tables: Floats, scale: Scale) -> Iterator[Note]:
    """Name the ends of an inferred scale that only gold or only predictions have."""
    table = tables.sum(axis=0)
    gold, predicted = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    ends = [0, scale.k - 1] if scale.k > 1 else []
    check = "Check that both count the classes from the same number, or declare the labels."
    if outer := [scale.labels[i] for i in ends if predicted[i] and not gold[i]]:
        yield warning("ends", f"Only predictions hold {quoted(outer)}. {check}", request=True)
    if outer := [scale.labels[i] for i in ends if gold[i] and not predicted[i]]:
        yield note("ends", f"Only gold holds {quoted(outer)}. {check}", request=True)


_MISCOUNTED = {
    "shifted by one class": "Check that both count the classes from the same number.",
    "turned round": "Check that both have the lowest class at the same end.",
}


def _miscounted(table: Floats, inferred: bool) -> str:
    """Return what would make columns agree far better: a shift by one class, or a reversal.

    On an inferred scale it is enough for a shift that one end occurs in gold only and the other
    one in predictions only. What one class for all items reaches is no sign of either.
    """
    agreeing, items = table.trace(), np.add.reduce(table, axis=None)
    if 2 * agreeing > items or items < _FEWEST_SHIFTED or len(table) < 3:
        return ""
    shift, turn = _MISCOUNTED
    above, below = table.trace(1), table.trace(-1)
    far = max(2 * agreeing, items / 2, table.sum(axis=1).max())
    if max(above, below) > far:
        return shift
    if table[::-1].trace() > far:
        return turn
    if not inferred or agreeing >= max(above, below):
        return ""
    ends = (table[0], table[:, -1]), (table[-1], table[:, 0])
    return shift * any(not gold.any() and not predicted.any() for gold, predicted in ends)


def constant_predictions(tables: Floats) -> Bools:
    """Return for tables `[..., K, K]` whether one class is predicted throughout."""
    return np.asarray(np.count_nonzero(tables.sum(axis=-2), axis=-1) == 1)


def _read_tables(given: Any, labels: Any, values: Any) -> tuple[Floats, Scale, tuple[str, ...]]:
    """Return tables `[(system,) ..., gold, predicted]`, their scale and the systems."""
    if not isinstance(given, Mapping):
        array, scale = _read_table(given, labels, values)
        return array, scale, ()
    if not given:
        raise InputError("The tables are an empty mapping; at least one system is expected.")
    found = [_read_table(table, labels, values) for table in given.values()]
    shapes = {array.shape for array, _ in found}
    if len(shapes) > 1 or len({scale.labels for _, scale in found}) > 1:
        raise InputError(
            f"The tables of {quoted(map(str, given))} have different classes or shapes.",
            parameter="labels",
            hint="Give every system a table of the same classes; data frames are completed if "
            "the classes are declared with {labels}.",
        )
    names = tuple(map(str, given))
    return np.stack([array for array, _ in found]), found[0][1], names


def _read_table(given: Any, labels: Any, values: Any) -> tuple[Floats, Scale]:
    """Return checked tables of one system, and their scale."""
    if hasattr(given, "columns"):
        given, labels = _read_cross_table(given, labels)
    array = check_table(given)
    if array.shape[-1] == 1:
        raise _not_a_table("has one class")
    _refuse_margins(array)
    scale = Scale.of(range(1, array.shape[-1] + 1) if labels is None else labels)
    if scale.k != array.shape[-1]:
        raise InputError(
            f"The table has {array.shape[-1]} classes and the scale {scale.k}; they must be the "
            "same classes, in the same order.",
            parameter="labels",
        )
    return array.astype(np.float64), scale.with_values(values)


def _refuse_margins(table: Array) -> None:
    """Raise an error for a table whose last row and column are the totals of the others."""
    if not table.size:
        return
    inner, total = table[..., :-1, :-1], table[..., -1, -1]
    # Tables of one class among others may look like that by chance.
    several = all((inner.sum(axis=axis) > 0).sum(axis=-1).min() > 1 for axis in (-1, -2))
    sums = (
        (table[..., -1, :-1], inner.sum(axis=-2)),
        (table[..., :-1, -1], inner.sum(axis=-1)),
        (total, inner.sum(axis=(-2, -1))),
    )
    if several and all(np.allclose(given, expected) for given, expected in sums):
        raise InputError(
            "The last row and column of the table are the totals of the others, not a class.",
            parameter="table",
            hint="Leave the totals out, e.g. table[:-1, :-1].",
        )


def _read_cross_table(given: Any, labels: Any) -> tuple[Array, Any]:
    """Return the table of a data frame whose rows and columns are named after classes, and these.

    Rows and columns that only have positions are in the order of the labels.
    """
    if not hasattr(given, "index"):
        raise _not_a_table("is a data frame without names of rows")
    names = [given.index.tolist(), given.columns.tolist()]
    shown = f"has rows called {quoted(names[0])} and columns {quoted(names[1])}"
    if labels is None and not set(names[0]) & set(names[1]):
        raise _not_a_table(shown)
    columns = (given.index, "rows"), (given.columns, "columns")
    scale = infer_scale([read_column(*c) for c in columns]) if labels is None else Scale.of(labels)
    known = {name for side in names for name in side} <= set(scale.labels)
    if not known and names[0] == names[1] == list(range(len(given))):
        return given.to_numpy(), labels
    if not known or any(len(set(side)) < len(side) for side in names):
        raise _not_a_table(f"{shown}, and the classes are {scale.describe()}")
    try:
        cells = given.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise _not_a_table("has cells that are not numbers") from None
    table = np.zeros((scale.k, scale.k))
    table[np.ix_(*([scale.index[name] for name in side] for side in names))] = cells
    return table, scale


def _named_axes(
    leading: tuple[int, ...], systems: tuple[str, ...], topics: Iterable[str] | None
) -> tuple[Axis, ...]:
    """Return the names of leading axes; without topics, those of one system stay unnamed."""
    names = _topic_names(topics)
    axes = (
        *([Axis("system", systems)] if systems else []),
        *([Axis("topic", names)] * bool(names)),
    )
    if (systems or names) and leading != tuple(len(axis.names) for axis in axes):
        raise InputError(
            f"The tables have the leading shape {leading}; {' by '.join(a.name for a in axes)} of "
            f"{' by '.join(str(len(a.names)) for a in axes)} is expected.",
            parameter="topics",
        )
    return axes


def _topic_names(topics: Iterable[str] | None) -> tuple[str, ...]:
    names = () if topics is None else tuple(map(str, topics))
    if len(set(names)) < len(names):
        raise InputError("The topics include a name more than once.", parameter="topics")
    return names


def _items_of(array: Array, systems: tuple[str, ...]) -> int:
    """Return the number of items; 0 if the systems have different numbers."""
    sums = array.reshape(len(systems) or 1, -1).sum(axis=1)
    return int(sums[0]) if np.all(sums == sums[0]) else 0


def _not_addable() -> InputError:
    return InputError(
        "The counts differ in their scale, bins, systems or topics and cannot be added.",
        hint="Count every batch with the same {labels}, systems and topics.",
    )


def check_table(given: Any) -> Array:
    """Return a table `[..., K, K]` of finite, non-negative numbers."""
    try:
        table = as_array(given, "The table")
    except InputError:
        raise
    except ValueError:
        raise _not_a_table("has rows that differ in length") from None
    if table.dtype.kind not in "iubf":
        raise _not_a_table(f"holds {table.dtype} entries")
    if table.ndim < 2 or table.shape[-1] != table.shape[-2] or table.shape[-1] == 0:
        raise _not_a_table(f"has shape {'x'.join(map(str, table.shape)) or 'of a single number'}")
    if not np.all(np.isfinite(table)) or np.any(table < 0):
        raise _not_a_table("has negative or non-finite entries")
    return table


def _not_a_table(problem: str) -> InputError:
    return InputError(
        f"The table {problem}; numbers of items, at least 0, are expected [gold, predicted] of "
        "two or more classes.",
        hint="For columns of labels use evaluate or compare with {data}.",
    )
