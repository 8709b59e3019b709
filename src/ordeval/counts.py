"""Tables of counts: what every measure is computed from.

`Counts` holds tables `[..., gold, predicted]` with named leading axes; `JointCounts` holds the
`[..., gold, a, b]` tables of pairs of systems, without which two systems must not be compared.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .columns import Array, Column, check_same_length, is_missing, read_column, tidy
from .display import Printed
from .errors import InputError, quoted
from .scale import Codes, Scale

Table = NDArray[np.float64]
Counted = TypeVar("Counted", "Counts", "JointCounts")
_LOW = 16  # integer scales that start higher are shifted
_CHUNK = 1 << 17  # items a step: codes of a chunk stay in the processor's cache


@dataclass(frozen=True)
class Axis:
    """A named leading axis of a table: `name` is what it is, `names` are its entries."""

    name: str
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Printed):
    """Tables of counts `[..., gold, predicted]` on one scale.

    `axes` name the leading axes, in order (`system`, `topic`, or none). `weighted` is True when
    the entries are sums of real weights rather than numbers of items; `skipped` is the number of
    items that were left out because a label was missing.
    """

    table: Table
    scale: Scale
    axes: tuple[Axis, ...] = ()
    weighted: bool = False
    skipped: int = 0

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        values: Any = None,
        sample_weight: Any = None,
        topics: Any = None,
        missing: str = "error",
    ) -> "Counts":
        """Count labels. `y_pred` is one column, or a mapping from system name to column."""
        items = Items.read(y_true, y_pred, labels, values, sample_weight, topics, missing)
        return items.counts()

    @classmethod
    def from_table(cls, table: Any, *, labels: Any = None, values: Any = None) -> "Counts":
        """Take ready tables `[..., gold, predicted]`; leading axes stay unnamed."""
        array = check_table(table)
        if array.shape[-1] == 1:
            raise InputError("The table has one class; an ordinal scale needs at least two.")
        scale = Scale.of(range(1, array.shape[-1] + 1) if labels is None else labels, values)
        if scale.k != array.shape[-1]:
            raise InputError(
                f"The table has {array.shape[-1]} classes and labels names {scale.k}; "
                "they must be the same classes, in the same order."
            )
        whole = bool(np.all(array == np.floor(array)))
        return cls(array.astype(np.float64), scale, weighted=not whole)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        gold: str = "gold",
        pred: str | Sequence[str] | None = None,
        topic: str | None = None,
        weight: str | None = None,
        labels: Any = None,
        values: Any = None,
        missing: str = "error",
    ) -> "Counts":
        """Count a data frame where it is; see `ordeval.io.frames.count_frame`."""
        from .io.frames import count_frame

        return count_frame(
            frame,
            gold=gold,
            pred=pred,
            topic=topic,
            weight=weight,
            labels=labels,
            values=values,
            missing=missing,
        )

    @property
    def k(self) -> int:
        """The number of classes."""
        return self.scale.k

    def axis(self, name: str) -> Axis | None:
        """The axis of that name, or None."""
        return next((axis for axis in self.axes if axis.name == name), None)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems; empty when there is no such axis."""
        axis = self.axis("system")
        return axis.names if axis else ()

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics; empty when there is no such axis."""
        axis = self.axis("topic")
        return axis.names if axis else ()

    def pooled(self, name: str = "topic") -> "Counts":
        """Add the tables up over an axis; unchanged where there is no such axis."""
        position = next((i for i, axis in enumerate(self.axes) if axis.name == name), None)
        if position is None:
            return self
        axes = self.axes[:position] + self.axes[position + 1 :]
        table = self.table.sum(axis=position)
        return Counts(table, self.scale, axes, self.weighted, self.skipped)

    def of(self, system: str) -> "Counts":
        """One system's tables."""
        if system not in self.systems:
            raise InputError(f"There is no system {system!r}; there are {quoted(self.systems)}.")
        position = [axis.name for axis in self.axes].index("system")
        table = np.take(self.table, self.systems.index(system), axis=position)
        axes = self.axes[:position] + self.axes[position + 1 :]
        return Counts(table, self.scale, axes, self.weighted, self.skipped)

    def _tables(self) -> list[Any]:
        from .report.objects import counts_tables

        return counts_tables(self)

    def _figures(self) -> Any:
        from .report.objects import cells_table

        return cells_table(self)


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts:
    """Counts `[pair, (topic,) gold, a, b]` of pairs of systems on the same items."""

    table: Table
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
        y_true: Any,
        y_pred: Mapping[str, Any],
        *,
        labels: Any = None,
        values: Any = None,
        sample_weight: Any = None,
        topics: Any = None,
        missing: str = "error",
    ) -> "JointCounts":
        """Count all pairs of the systems in the mapping `y_pred`."""
        if not isinstance(y_pred, Mapping):
            raise InputError(
                'y_pred is not a mapping of systems; give one, e.g. {"a": […], "b": […]}.'
            )
        return Items.read(y_true, y_pred, labels, values, sample_weight, topics, missing).joint()

    def pair(self, a: str, b: str) -> Table:
        """The `[(topic,) gold, a, b]` counts of two systems, in the order asked for."""
        known = (a, b) in self.pairs
        if not known and (b, a) not in self.pairs:
            raise InputError(f"There is no pair ({a!r}, {b!r}); there are {quoted(self.pairs)}.")
        table: Table = self.table[self.pairs.index((a, b) if known else (b, a))]
        return table if known else np.swapaxes(table, -1, -2)


@dataclass(frozen=True, eq=False)
class Items:
    """Checked labels of the same items by gold and every system, ready to be counted."""

    gold: Column
    preds: tuple[Column, ...]
    scale: Scale
    named: bool
    weight: Array | None = None
    topic_codes: Codes | None = None
    topic_names: tuple[str, ...] = ()
    skipped: int = 0

    @classmethod
    def read(
        cls,
        y_true: Any,
        y_pred: Any,
        labels: Any = None,
        values: Any = None,
        sample_weight: Any = None,
        topics: Any = None,
        missing: str = "error",
    ) -> "Items":
        """Check and read labels; the one way in for labels held in memory."""
        named = isinstance(y_pred, Mapping)
        systems = _named_systems(y_pred) if named else {"y_pred": y_pred}
        columns = [read_column(y_true, "y_true")]
        columns += [read_column(column, name) for name, column in systems.items()]
        total = check_same_length(columns)
        weight = None if sample_weight is None else check_weight(sample_weight, total)
        topic = None if topics is None else read_column(topics, "topics")
        if topic is not None:
            check_same_length([columns[0], topic])
        keep = _complete(columns + ([topic] if topic else []), missing)
        if keep is not None:
            columns = [_subset(column, keep) for column in columns]
            weight = None if weight is None else weight[keep]
            topic = None if topic is None else _subset(topic, keep)
        declared = labels is not None or values is not None
        guess = not declared and all(c.is_integer for c in columns) and len(columns[0]) > _CHUNK
        scale = Scale.resolve([_head(c) for c in columns] if guess else columns, labels, values)
        codes, names = _group(topic) if topic else (None, ())
        skipped = 0 if keep is None else total - len(columns[0])
        return cls(columns[0], tuple(columns[1:]), scale, named, weight, codes, names, skipped)

    def counts(self) -> Counts:
        """One table per system (and topic)."""
        return self._on_a_scale_that_fits(Items._counts)

    def joint(self) -> JointCounts:
        """One `[(topic,) gold, a, b]` table per pair of systems."""
        return self._on_a_scale_that_fits(Items._joint)

    def _on_a_scale_that_fits(self, count: Callable[["Items"], Counted]) -> Counted:
        """Count; a scale guessed from the first chunk is widened if later labels outgrow it.

        The guess saves a pass over the data, and is nearly always right.
        """
        try:
            return count(self)
        except _OutsideScale as signal:
            if not self.scale.inferred:
                message = unknown_labels_message(signal.args[0], self.scale)
                raise InputError(message) from None
            return count(replace(self, scale=Scale.resolve([self.gold, *self.preds])))

    def _counts(self) -> Counts:
        cells = max(len(self.topic_names), 1) * self._width**2
        table = np.zeros((len(self.preds), cells))
        coders = self._coders
        for chunk, base, weight in self._chunks(cells):
            for row, coder in zip(table, coders, strict=True):
                into = base if coder is coders[-1] else None  # the last one may overwrite it
                row += _bincount(np.add(base, coder(chunk), out=into), weight, cells)
        table = self._shaped(table, class_axes=2)
        return Counts(
            table if self.named else table[0],
            self.scale,
            self._axes(),
            self.weighted,
            self.skipped,
        )

    def _joint(self) -> JointCounts:
        k, cells = self._width, max(len(self.topic_names), 1) * self._width**3
        pairs = list(combinations(range(len(self.preds)), 2))
        table = np.zeros((len(pairs), cells))
        for chunk, base, weight in self._chunks(cells):
            codes = [coder(chunk) for coder in self._coders]
            for row, (a, b) in zip(table, pairs, strict=True):
                row += _bincount((base + codes[a]) * k + codes[b], weight, cells)
        names = [column.name for column in self.preds]
        named_pairs = tuple((names[a], names[b]) for a, b in pairs)
        table = self._shaped(table, class_axes=3)
        return JointCounts(table, self.scale, named_pairs, self.topic_names, self.weighted)

    @cached_property
    def _low(self) -> int:
        """Where codes start. Labels 1..5 are their own codes from 1 on, which saves a pass."""
        plain = all(column.is_integer for column in (self.gold, *self.preds))
        first = self.scale.first_integer if plain else None
        return first if first is not None and 0 < first <= _LOW else 0

    @property
    def _width(self) -> int:
        """The length of the class axes while counting."""
        return self._low + self.scale.k

    def _shaped(self, table: Table, class_axes: int) -> Table:
        """Flat counts as `[system or pair, (topic,) class, ...]`, without what is below `_low`."""
        topics = [len(self.topic_names)] * self._has_topics
        shaped = table.reshape(len(table), *topics, *[self._width] * class_axes)
        inner: tuple[Any, ...] = (..., *[slice(self._low, None)] * class_axes)
        kept: Table = shaped[inner].copy()
        return kept

    @property
    def weighted(self) -> bool:
        """Whether the weights are anything but whole numbers."""
        return self.weight is not None and bool(np.any(self.weight != np.floor(self.weight)))

    @property
    def _has_topics(self) -> bool:
        return self.topic_codes is not None

    @property
    def _coders(self) -> list["_Coder"]:
        return [_Coder(column, self.scale, self._low) for column in self.preds]

    def _axes(self) -> tuple[Axis, ...]:
        systems = (Axis("system", tuple(c.name for c in self.preds)),) if self.named else ()
        return systems + ((Axis("topic", self.topic_names),) if self._has_topics else ())

    def _chunks(self, cells: int) -> Iterator[tuple[slice, Codes, Array | None]]:
        """Yield (slice, code of topic and gold times K, weights) until the items are used up."""
        k, coder = self._width, _Coder(self.gold, self.scale, self._low)
        step = max(_CHUNK, cells)  # a large table is added up less often
        for start in range(0, len(self.gold), step):
            chunk = slice(start, start + step)
            base = coder(chunk) * k
            if self.topic_codes is not None:
                base += self.topic_codes[chunk] * (k * k)
            yield chunk, base, None if self.weight is None else self.weight[chunk]


class _Coder:
    """Class indices of a column from `low` on, slice by slice; unknown labels are an error.

    Unless `low` is 0, the labels themselves are these indices.
    """

    def __init__(self, column: Column, scale: Scale, low: int) -> None:
        self.column, self.scale, self.low = column, scale, low
        self.recode: Codes | None = None
        if column.categories is not None:
            of_category = [scale.index.get(label, -1) for label in column.categories]
            self.recode = np.asarray([*of_category, -1], dtype=np.intp)  # -1 stays -1

    def __call__(self, chunk: slice) -> Codes:
        codes = self._codes(self.column.data[chunk])
        # Negative codes are huge as unsigned ones.
        too_high = codes.view(np.uintp).max() >= self.low + self.scale.k
        if too_high or (self.low and codes.min() < self.low):
            raise _OutsideScale(self.column)
        return codes

    def _codes(self, labels: Array) -> Codes:
        if self.low:
            return labels.astype(np.intp, copy=False)
        return self.scale.encode(labels) if self.recode is None else self.recode[labels]


class _OutsideScale(Exception):  # a signal within this module
    """A chunk has labels outside the scale: an error, or a guess to be corrected."""


def unknown_labels_message(column: Column, scale: Scale) -> str:
    """Which labels are outside the scale, how many items, and where the first one is."""
    if column.categories is None:
        codes, labels = scale.encode(column.data), column.data.tolist()
    else:
        labels = [column.categories[code] for code in column.data]
        codes = np.asarray([scale.index.get(label, -1) for label in labels])
    outside = np.flatnonzero((codes < 0) | (codes >= scale.k))
    strange = list(dict.fromkeys(labels[i] for i in outside))
    hint = "Correct them, or declare every class that can occur with labels=[…]."
    if strange and str(strange[0]) in set(map(str, scale.labels)):
        hint = (
            f"The scale has {type(scale.labels[0]).__name__} labels and the data "
            f"{type(strange[0]).__name__}: convert one to the other."
        )
    return (
        f"{column.name} has {len(outside)} label(s) outside the scale {scale.describe()}: "
        f"{quoted(strange)}; the first at position {outside[0]}. {hint}"
    )


def check_weight(sample_weight: Any, n: int) -> Array:
    """Weights are n finite, non-negative numbers, not all zero."""
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "sample_weight holds things that are not numbers; give one number per item, at least 0."
        ) from None
    if weight.shape != (n,):
        raise InputError(
            f"sample_weight has shape {weight.shape} for {n} items; give one number per item."
        )
    bad = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if bad.size:
        raise InputError(
            f"sample_weight has {bad.size} negative or non-finite number(s), the first "
            f"({weight[bad[0]]}) at position {bad[0]}; weights must be finite and at least 0."
        )
    if not weight.any():
        raise InputError("sample_weight is 0 for every item; at least one must count.")
    return weight


def check_table(given: Any) -> Array:
    """A table is `[..., K, K]` of finite, non-negative numbers."""
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


def _complete(columns: Sequence[Column], missing: str) -> NDArray[np.bool_] | None:
    """Which items have no missing label; None when all are complete."""
    if missing not in ("error", "skip"):
        raise InputError(f'missing={missing!r} is not known; it is "error" or "skip".')
    holes = [(column, found) for column in columns if (found := _holes(column)) is not None]
    if not holes:
        return None
    if missing == "error":
        column, found = holes[0]
        raise InputError(
            f"{column.name} has {int(found.sum())} missing label(s), the first at position "
            f'{int(found.argmax())}. Fill or drop them, or pass missing="skip" to leave out the '
            "items with a missing label (they are counted in the result)."
        )
    keep = ~np.logical_or.reduce([found for _, found in holes])
    if not keep.any():
        raise InputError(
            "Every item has a missing label, so nothing is left to score. Check that the right "
            "columns were given."
        )
    return np.asarray(keep)


def _holes(column: Column) -> NDArray[np.bool_] | None:
    """The mask of missing labels, or None when there are none."""
    data = column.data
    if column.categories is not None:
        found = data < 0
    elif data.dtype.kind == "f":
        found = np.isnan(data)
    elif data.dtype.kind == "O":
        found = np.fromiter(map(is_missing, data), dtype=bool, count=len(data))
    else:
        return None
    return found if found.any() else None


def _named_systems(y_pred: Mapping[Any, Any]) -> dict[str, Any]:
    systems = {str(name): column for name, column in y_pred.items()}
    if not systems:
        raise InputError("y_pred is an empty mapping; give at least one system.")
    if len(systems) < len(y_pred):
        names = quoted(map(str, y_pred))
        raise InputError(f"y_pred has systems of the same name: {names}. Give each its own name.")
    return systems


def _subset(column: Column, keep: NDArray[np.bool_]) -> Column:
    """The items to keep; what a gap had made into objects can be numbers again."""
    return replace(column, data=tidy(column.data[keep], column.name))


def _head(column: Column) -> Column:
    return replace(column, data=column.data[:_CHUNK])


def _group(topic: Column) -> tuple[Codes, tuple[str, ...]]:
    """Topic codes in order of appearance, by hashing, and the topics' names."""
    if topic.categories is not None:
        names: dict[Any, int] = {c: i for i, c in enumerate(topic.distinct())}
        recode = np.asarray([names.get(c, -1) for c in topic.categories], dtype=np.intp)
        return recode[topic.data], tuple(map(str, names))
    names = {}
    codes = np.empty(len(topic), dtype=np.intp)
    for start in range(0, len(topic), _CHUNK):
        part = topic.data[start : start + _CHUNK].tolist()
        codes[start : start + _CHUNK] = [names.setdefault(label, len(names)) for label in part]
    return codes, tuple(map(str, names))


def _bincount(codes: Codes, weight: Array | None, cells: int) -> Array:
    return np.bincount(codes, weights=weight, minlength=cells)
