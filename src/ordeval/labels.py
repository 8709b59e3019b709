"""Labels of items in memory: read, checked and counted.

`Items` turns labels that are held in memory into arrays of counts; `ordeval.counts.LabelSource`
makes `Counts` of them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import repeat
from numbers import Real
from typing import Any, Self, TypeVar, get_args

import numpy as np

from .bins import (
    Bins,
    inferred_scale,
    needs_labels,
    no_number_error,
    outside_error,
    reads_as_number,
    undeclared_edges,
)
from .columns import (
    Column,
    MissingCodes,
    aligned,
    as_number,
    check_same_length,
    columns_of_frame,
    group_name,
    is_missing,
    is_no_group,
    is_number,
    is_parameter,
    looks_missing,
    read_column,
    read_numbers,
    row_names,
    series_name,
    tidy,
)
from .errors import InputError, abbreviate, check_choice, plural, quoted
from .exact import Grids, Sums
from .limits import check_tables
from .moments import Numbers
from .notes import Notes, warning
from .rows import Rows
from .scale import CODES, Scale
from .types import (
    Array,
    BinsLike,
    Bools,
    Classes,
    ClassNumbers,
    Codes,
    Floats,
    Ints,
    ItemWeights,
    LabelColumn,
    Missing,
    MissingLabels,
)

_Counted = TypeVar("_Counted")
_MOST_ITEMS = 2**53  # the largest number of items that a float counts exactly
_SHOWN = 5  # values in a notice
_LOW = 16  # integer scales that start higher are shifted
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_CHUNK = 1 << 17  # items a step: codes of a chunk stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Items:
    """Labels of the same items by gold and every system, checked and ready to be counted.

    Parameters
    ----------
    gold : Column
        Gold labels.
    predictions : tuple of Column
        Predicted labels of each system.
    scale : Scale
        The ordered classes.
    named : bool
        Whether the systems have names; False for the labels of a single system.
    weight : ndarray, optional
        The importance of each item.
    frequency : ndarray of int, optional
        The number of items that each row stands for.
    topic_codes : ndarray of int, optional
        The topic of each item, as a position in `topics`.
    topics : tuple of str
        The names of the topics.
    cluster_codes : ndarray of int, optional
        The cluster of each item, as a position in the sorted names of the clusters.
    clusters : int
        The number of clusters.
    skipped : int
        The number of items that were left out because a label is missing.
    notices : tuple of Note
        What was done about missing labels and about numbers that are no classes.
    bins : Bins, optional
        How real numbers became classes, if they did.
    raw : Numbers, optional
        The numbers themselves; None where all of them are class numbers.
    reading : mapping
        How missing labels were recognised and treated, where that is not the default.
    shown : mapping of str to ndarray
        The ids and texts of the items, by "id" and "text", if texts are to be shown.
    judged : bool
        Whether the last system is a judge and gold may be missing. Gold is then a column of class
        codes, K where it is missing, and only the distinct rows are of use.
    """

    gold: Column
    predictions: tuple[Column, ...]
    scale: Scale
    named: bool
    weight: Floats | None = None
    frequency: Ints | None = None
    topic_codes: Codes | None = None
    topics: tuple[str, ...] = ()
    cluster_codes: Codes | None = None
    clusters: int = 0
    skipped: int = 0
    notices: Notes = ()
    bins: Bins | None = None
    raw: Numbers | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    judged: bool = False
    shown: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Classes = None,
        values: ClassNumbers = None,
        bins: BinsLike = None,
        sample_weight: ItemWeights = None,
        frequency: ItemWeights = None,
        topics: LabelColumn | None = None,
        cluster: LabelColumn | None = None,
        missing: Missing = "error",
        na: MissingLabels = None,
        id: LabelColumn | None = None,
        text: LabelColumn | None = None,
    ) -> Self:
        """Read and check labels; `y_pred` is one column, or a mapping from system to column."""
        check_choice("missing", missing, get_args(Missing))
        groups = {"topics": topics, "cluster": cluster}
        given = _Given.read(y_true, y_pred, groups, sample_weight, frequency)
        if text is not None:
            given = replace(given, shown=_shown(y_true, given.columns[0], id, text))
        codes = MissingCodes(na)
        if labels is not None and codes:
            labels = Scale.of(labels)
            codes.refuse_labels(labels.labels)
        given, gaps, skipped, notices = given.complete(codes, missing, listed=bins is None)
        columns = given.columns
        present = [subset(c, ~gaps[i]) if i in gaps else c for i, c in enumerate(columns)]
        binned = None
        if bins is None:
            scale = _scale(present, labels, values, codes)
        else:
            binned = Binned(columns, present, gaps, bins, labels, values, given.times)
            scale, columns = binned.scale, binned.columns
        columns = _with_worst(columns, gaps, scale)
        notices += _worst_notices(columns, gaps, given.times)
        gold, *predictions = columns
        of_topic, topic_names = _sorted_group(given.groups.get("topics"))
        of_cluster, cluster_names = _sorted_group(given.groups.get("cluster"))
        found = cls(
            gold,
            tuple(predictions),
            scale,
            given.named,
            weight=given.weight,
            frequency=given.times,
            topic_codes=of_topic,
            topics=topic_names,
            cluster_codes=of_cluster,
            clusters=len(cluster_names),
            skipped=skipped,
            notices=notices,
            reading=codes.reading(missing),
            shown=given.shown,
        )
        return found if binned is None else found._with_numbers(binned)

    @classmethod
    def read_judged(
        cls,
        y_true: Any,
        y_pred: Any,
        judge: LabelColumn,
        *,
        labels: Classes = None,
        values: ClassNumbers = None,
        labelled_rate: ItemWeights = None,
        frequency: ItemWeights = None,
        missing: Missing = "error",
        na: MissingLabels = None,
    ) -> Self:
        """Read labels of which gold may have gaps; those of a judge become the last system.

        The rates at which items were labelled take the place of weights.
        """
        check_choice("missing", missing, get_args(Missing))
        codes = MissingCodes(na)
        if labels is not None and codes:
            labels = Scale.of(labels)
            codes.refuse_labels(labels.labels)
        given = _Given.read(y_true, y_pred, {}, None, frequency, judge=judge, rate=labelled_rate)
        if given.weight is not None:
            refuse_zero_rates(int((given.weight == 0).sum()))
        given, _, skipped, notices = given.complete(codes, missing, listed=True, gold=False)
        column, gap = given.columns[0], gaps_of(given.columns[0], codes)
        gold = column if gap is None else subset(column, ~gap)
        if not len(gold):
            raise no_gold_error("y_true")
        scale = _scale([gold, *given.columns[1:]], labels, values, codes, whole=True)
        found = codes_with_gaps(gold, gap, scale)
        return cls(
            Column(np.where(found < 0, scale.k, found), column.name),
            tuple(given.columns[1:]),
            scale,
            given.named,
            weight=given.weight,
            frequency=given.times,
            skipped=skipped,
            notices=notices,
            reading=codes.reading(missing),
            judged=True,
        )

    def _with_numbers(self, binned: "Binned") -> Self:
        """Return the items with the numbers that their labels were made from."""
        raw = None
        if binned.numbers is not None:
            groups = self.frequency, self.weight, self.topic_codes, self.cluster_codes
            raw = Numbers(binned.numbers, binned.bins.centre, *groups)
        notices = (*self.notices, *binned.notices)
        return replace(self, notices=notices, bins=binned.bins, raw=raw)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(column.name for column in self.predictions)

    @property
    def weighted(self) -> bool:
        """Whether tables hold sums of weights instead of numbers of items."""
        return self.weight is not None

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.gold) if self.frequency is None else int(self.frequency.sum())

    @property
    def has_topics(self) -> bool:
        """Whether the items belong to topics."""
        return self.topic_codes is not None

    @property
    def has_clusters(self) -> bool:
        """Whether the items belong to clusters."""
        return self.cluster_codes is not None

    def tables(self) -> tuple[Floats, Floats | None, Scale]:
        """Count `[system, (topic,) gold, predicted]`.

        Returns numbers of items or sums of weights, sums of squared weights if there are weights,
        and the scale.
        """
        (tables, squares), scale = self._on_fitting_scale(Items._tables)
        return tables, squares, scale

    def pair_tables(self, pairs: Sequence[tuple[int, int]]) -> tuple[Floats, Scale]:
        """Count `[pair, (topic,) gold, a, b]` for pairs of systems."""
        return self._on_fitting_scale(lambda items: items._pair_tables(pairs))

    def item_classes(self) -> tuple[Codes, Scale]:
        """Return the classes `[gold and systems, item]`, and their scale."""
        return self._on_fitting_scale(Items._item_classes)

    def _item_classes(self) -> Codes:
        every = slice(None)
        columns = (self.gold, *self.predictions)
        return np.stack([_Coder(column, self.scale, 0)(every) for column in columns])

    def distinct_rows(self) -> tuple[Rows, Scale]:
        """Return the distinct rows of labels, and their scale."""
        return self._on_fitting_scale(Items._rows)

    def _rows(self) -> Rows:
        gold: Callable[[slice], Codes] = _Coder(self.gold, self.scale, 0)
        if self.judged:
            gold = self._gold_codes
        coders: list[Callable[[slice], Codes]] = [gold]
        coders += [_Coder(c, self.scale, 0) for c in self.predictions]
        return Rows.group(
            lambda chunk: [coder(chunk) for coder in coders],
            len(self.gold),
            self.scale.k + self.judged,
            self.systems,
            count=self.frequency,
            weight=self.weight,
            topic=self.topic_codes,
            cluster=self.cluster_codes,
        )

    def _gold_codes(self, chunk: slice) -> Codes:
        """Return gold that is coded already."""
        return np.asarray(self.gold.data[chunk], dtype=np.intp)

    def _on_fitting_scale(self, count: Callable[["Items"], _Counted]) -> tuple[_Counted, Scale]:
        """Count; a scale inferred from the first chunk is widened if later labels exceed it.

        Inferring it from one chunk saves a pass over the data.
        """
        try:
            return count(self), self.scale
        except _OutsideScale as signal:
            if not self.scale.inferred:
                raise unknown_labels(signal.args[0], self.scale) from None
            wider = replace(self, scale=Scale.resolve([self.gold, *self.predictions]))
            return count(wider), wider.scale

    def _tables(self) -> tuple[Floats, Floats | None]:
        cells = max(len(self.topics), 1) * self._width**2
        check_tables(len(self.predictions), len(self.topics), self._width)
        sums = [Sums((len(self.predictions), cells)) for _ in range(1 + self.weighted)]
        coders = self._coders
        for chunk, base in self._chunks(cells):
            amounts = self._amounts(chunk)
            for system, coder in enumerate(coders):
                into = base if coder is coders[-1] else None  # the last one may overwrite it
                cell = np.add(base, coder(chunk), out=into)
                for found, parts in zip(sums, amounts, strict=True):
                    for level, part in enumerate(parts):
                        found.level(level)[system] += np.bincount(cell, part, cells)
        tables, *squares = (self._shaped(found.rounded(), class_axes=2) for found in sums)
        return tables, squares[0] if squares else None

    def _pair_tables(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        k, cells = self._width, max(len(self.topics), 1) * self._width**3
        check_tables(len(pairs), len(self.topics), k, axes=3, of="pair")
        sums = Sums((len(pairs), cells))
        for chunk, base in self._chunks(cells):
            codes = [coder(chunk) for coder in self._coders]
            parts = self._amounts(chunk)[0]
            for i, (a, b) in enumerate(pairs):
                cell = (base + codes[a]) * k + codes[b]
                for level, part in enumerate(parts):
                    sums.level(level)[i] += np.bincount(cell, part, cells)
        return self._shaped(sums.rounded(), class_axes=3)

    @cached_property
    def _low(self) -> int:
        """The first code: labels 1..5 are their own codes, which saves a subtraction."""
        plain = all(column.is_integer for column in (self.gold, *self.predictions))
        first = self.scale.first_integer if plain else None
        return first if first is not None and 0 < first <= _LOW else 0

    @property
    def _width(self) -> int:
        """The length of the class axes while counting."""
        return self._low + self.scale.k

    def _shaped(self, table: Floats, class_axes: int) -> Floats:
        """Flat counts as `[system or pair, (topic,) class, ...]`, without codes below `_low`."""
        topics = [len(self.topics)] * self.has_topics
        shaped = table.reshape(len(table), *topics, *[self._width] * class_axes)
        inner: tuple[Any, ...] = (..., *[slice(self._low, None)] * class_axes)
        kept: Floats = shaped[inner].copy()
        return kept

    @property
    def _coders(self) -> list["_Coder"]:
        return [_Coder(column, self.scale, self._low) for column in self.predictions]

    @cached_property
    def _grids(self) -> tuple[Grids, Grids] | None:
        """How weights and squared weights are split, so that the order of items does not matter."""
        if self.weight is None:
            return None
        largest = float(self.weight.max())
        return Grids(largest, self.items), Grids(largest * largest, self.items)

    def _amounts(self, chunk: slice) -> list[list[Any]]:
        """Return the parts of what each row adds to a cell, and to its squares if it has a weight.

        None stands for 1.
        """
        times = None if self.frequency is None else self.frequency[chunk]
        if self.weight is None or self._grids is None:
            return [[times]]
        weight = self.weight[chunk]
        given = zip(self._grids, (weight, weight * weight), strict=True)
        return [
            [part if times is None else part * times for part in grids.parts(values)]
            for grids, values in given
        ]

    def _chunks(self, cells: int) -> Iterator[tuple[slice, Codes]]:
        """Yield (slice, code of topic and gold times K) chunk by chunk."""
        k, coder = self._width, _Coder(self.gold, self.scale, self._low)
        step = max(_CHUNK, cells)  # a large table is added up less often
        for start in range(0, len(self.gold), step):
            chunk = slice(start, start + step)
            base = coder(chunk) * k
            if self.topic_codes is not None:
                base += self.topic_codes[chunk] * (k * k)
            yield chunk, base


@dataclass(frozen=True, eq=False)
class _Given:
    """Columns as they were given, in the order of gold: labels, groups, weights, frequencies."""

    columns: list[Column]
    groups: dict[str, Column]
    weight: Floats | None
    times: Ints | None
    named: bool
    shown: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        y_true: Any,
        y_pred: Any,
        groups: Mapping[str, Any],
        sample_weight: ItemWeights,
        frequency: ItemWeights,
        *,
        judge: Any = None,
        rate: ItemWeights = None,
    ) -> Self:
        """Read columns, all of the same length; those with an index are matched to gold by it.

        The labels of a judge come last, and rates of labelling take the place of weights.
        """
        y_pred = as_systems(y_pred)
        named = isinstance(y_pred, Mapping)
        systems = _named_systems(y_pred) if named else {"y_pred": y_pred}
        systems = {name: aligned(column, y_true, name) for name, column in systems.items()}
        columns = [read_column(y_true, "y_true")]
        columns += [read_column(column, name) for name, column in systems.items()]
        if judge is not None:
            name = series_name(judge) or "judge"
            columns.append(read_column(aligned(judge, y_true, "judge"), name))
        total = check_same_length(columns)
        grouped = {
            name: read_column(aligned(given, y_true, name), name)
            for name, given in groups.items()
            if given is not None
        }
        for group in grouped.values():
            check_same_length([columns[0], group])
        by = "sample_weight" if rate is None else "labelled_rate"
        weight = aligned(sample_weight if rate is None else rate, y_true, by)
        times = aligned(frequency, y_true, "frequency")
        return cls(
            columns,
            grouped,
            None if weight is None else check_weight(weight, total, by),
            None if times is None else check_frequency(times, total),
            named,
        )

    def complete(
        self, codes: MissingCodes, missing: Missing, *, listed: bool, gold: bool = True
    ) -> tuple["_Given", dict[int, Bools], int, Notes]:
        """Return the items that count, the gaps among their labels, how many were left out, and
        notices about it, in which the codes for missing labels are `listed`. Gaps of gold are
        none unless `gold` is True.
        """
        every, labelled = [*self.columns, *self.groups.values()], len(self.columns)
        masks = {
            i: gaps_of(c, codes) if i < labelled else _no_group_mask(c) for i, c in enumerate(every)
        }
        gaps = {i: mask for i, mask in masks.items() if mask is not None and (i or gold)}
        if gaps and missing != "skip":
            _refuse_gaps(every, gaps, missing, predictions=range(1, labelled))
        if not gaps and self.weight is None and self.times is None:
            return self, gaps, 0, ()
        notices: Notes = ()
        keep = np.ones(len(self.columns[0]), dtype=np.bool_)
        if gaps and missing == "skip":
            keep, notices = _complete(gaps), self._missing_notice(gaps, listed=listed)
            gaps = {}
        skipped = _items_of(~keep, self.times)
        keep = _counting(keep, self.weight, self.times)
        if keep.all():
            return self, gaps, skipped, notices
        return self._kept(keep), {i: mask[keep] for i, mask in gaps.items()}, skipped, notices

    def _missing_notice(self, gaps: Mapping[int, Bools], *, listed: bool) -> Notes:
        """Return how many values are missing in which column, and what stands for them.

        Codes in columns that are binned are not `listed`: frames and files would need one more
        pass over the data for it.
        """
        every, labelled = [*self.columns, *self.groups.values()], len(self.columns)
        order = [0, *range(labelled, len(every)), *range(1, labelled)]
        found = {}
        for i in (i for i in order if i in gaps and _items_of(gaps[i], self.times)):
            words: Counter[Any] = Counter()
            times = repeat(1) if self.times is None else self.times[gaps[i]].tolist()
            values = every[i].values(gaps[i]) if listed else []
            for value, n in zip(values, times, strict=False):
                words[None if is_missing(value) else value] += n
            found[every[i].name] = _items_of(gaps[i], self.times), words
        return missing_notice(found)

    def _kept(self, keep: Bools) -> "_Given":
        return replace(
            self,
            columns=[subset(column, keep) for column in self.columns],
            groups={name: subset(group, keep) for name, group in self.groups.items()},
            weight=None if self.weight is None else self.weight[keep],
            times=None if self.times is None else self.times[keep],
            shown={name: column[keep] for name, column in self.shown.items()},
        )


def _shown(y_true: Any, gold: Column, id: Any, text: Any) -> dict[str, Array]:
    """Return ids and texts of all items as objects.

    Ids are by default the row labels of gold, or positions from 1 if it has none.
    """
    default = row_names(y_true) or range(1, 1 + len(gold))
    found = {"id": default if id is None else id, "text": text}
    held = {name: _objects_of(list(aligned(x, y_true, name))) for name, x in found.items()}
    for name, column in held.items():
        check_same_length([gold, Column(np.arange(len(column)), name)])
    return held


class _Coder:
    """Class codes of a column, slice by slice; labels outside the scale raise `_OutsideScale`.

    Codes start at `low`; unless `low` is 0, the labels themselves are the codes.
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


class Binned:
    """Columns of real numbers as columns of classes.

    Columns of declared labels hold classes already, unless these labels are numbers that fall into
    their own classes.

    Parameters
    ----------
    columns : sequence of Column
        Gold labels and predictions, or ratings.
    present : sequence of Column
        The same without missing values.
    gaps : mapping of int to ndarray of bool
        Which values of a column are missing.
    given, labels, values : object
        The rule or edges, the declared classes, and their values.
    times : ndarray of int, optional
        The number of items that each row stands for.
    raw : bool
        Whether the numbers themselves are kept for measures of numbers.
    each : sequence of ndarray of int, optional
        How often each value of every column occurs, if the columns hold different values only.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        present: Sequence[Column],
        gaps: Mapping[int, Bools],
        given: BinsLike,
        labels: Classes,
        values: ClassNumbers,
        times: Ints | None = None,
        *,
        raw: bool = True,
        each: Sequence[Ints] = (),
    ) -> None:
        self._each = each
        self.scale = _binned_scale(present, given, labels).with_values(values)
        self.bins = Bins.of(given, self.scale)
        found = [None if self._holds_classes(c, given) else _numbers(c) for c in present]
        self.columns = [
            c if x is None else self._column(i, c, x, gaps.get(i))
            for i, (c, x) in enumerate(zip(columns, found, strict=True))
        ]
        counted: Sequence[Ints | None] = each or [times] * len(columns)
        between = [
            (c.name, self.bins.between(x, *_present(c.data, gaps.get(i), counted[i])))
            for i, (c, x) in enumerate(zip(self.columns, found, strict=True))
            if x is not None
        ]
        self.numbers = self._raw(found, gaps) if raw and any(n for _, n in between) else None
        items = len(columns[0]) if times is None else int(times.sum())
        self.notices = self.bins.notices(
            between,
            items if raw else None,
            raw=self.numbers is not None,
            classes=[c.name for c, x in zip(columns, found, strict=True) if x is None],
        )
        if not raw and self.scale.inferred:
            self.notices += self._made_by_rounding([x for x in found if x is not None])

    def _made_by_rounding(self, numbers: Sequence[Floats]) -> Notes:
        """Say which classes of an inferred scale are the number of no rating as it was given."""
        known = np.asarray(self.bins.numbers)
        used, given = np.zeros((2, len(known)), dtype=bool)
        for x in numbers:
            codes = self.bins.codes(x)
            used[codes] = True
            given[codes[known[codes] == x]] = True
        made = [self.scale.labels[i] for i in np.flatnonzero(used & ~given)]
        if not made:
            return ()
        which = "The class {} exists" if len(made) == 1 else "The classes {} exist"
        return (warning("bins", f"{which.format(quoted(made, 5))} by rounding alone."),)

    def _holds_classes(self, column: Column, given: BinsLike) -> bool:
        """Return whether a column holds classes rather than numbers to be binned.

        With edges, words that are not declared are labels with a mistake.
        """
        numeric, start = _is_numeric(column), replace(column, data=column.data[:_LOW])
        if numeric and not self.bins.leave_labels(self.scale):
            return False
        if numeric and not all(label in self.scale.index for label in start.distinct()):
            return False  # most often a few numbers tell it
        labels = column.distinct()
        known = [label in self.scale.index for label in labels]
        words = not numeric and not any(map(reads_as_number, labels))
        return bool(labels) and (all(known) or (needs_labels(given) and words))

    def _column(self, place: int, column: Column, numbers: Floats, gap: Bools | None) -> Column:
        """Return a column of classes; -1 where a value is missing."""
        codes = self.bins.codes(numbers)
        outside = np.flatnonzero((codes < 0) | (codes >= self.scale.k))
        if outside.size:
            at = int(outside[0]) if gap is None else int(np.flatnonzero(~gap)[outside[0]])
            first = f"{numbers[outside[0]]:g}" + ("" if self._each else f" at position {at}")
            number = int(self._each[place][outside].sum()) if self._each else len(outside)
            raise outside_error(column.name, self.bins, self.scale, number, first)
        if gap is not None:
            spread = np.full(len(gap), -1, dtype=codes.dtype)
            spread[~gap] = codes
            codes = spread
        return Column(codes, column.name, self.scale.labels, ordered=True)

    def _raw(
        self, found: Sequence[Floats | None], gaps: Mapping[int, Bools]
    ) -> tuple[Floats, ...] | None:
        """Return the numbers, in place of missing ones that of the class farthest from gold."""
        numeric = [x for x in found if x is not None]
        if len(numeric) < len(found) or not self.bins.raw or (gaps and not self.bins.numbers):
            return None
        gold, *predictions = numeric
        ends = (self.bins.numbers[0], self.bins.numbers[-1]) if gaps else (0.0, 0.0)
        filled = [gold]
        for i, numbers in enumerate(predictions, start=1):
            if i in gaps:
                far = np.where(gold - ends[0] >= ends[1] - gold, *ends)
                far[~gaps[i]] = numbers
                numbers = far
            filled.append(numbers)
        return tuple(filled)


def _binned_scale(columns: Sequence[Column], given: BinsLike, labels: Classes) -> Scale:
    """Return the declared classes, or the whole numbers that a rule makes of the numbers."""
    if labels is not None:
        return Scale.of(labels)
    if needs_labels(given):
        ordered = [column for column in columns if column.ordered]
        if not ordered:
            raise undeclared_edges()
        return Scale.resolve(ordered)
    given_columns = [column for column in columns if len(column)]
    numbers = [_numbers(column) for column in given_columns]
    low, high = min(x.min() for x in numbers), max(x.max() for x in numbers)

    def classes(shift: float) -> list[Column]:
        whole = (np.unique(np.floor(x + shift)).astype(np.int64) for x in numbers)
        return [Column(x, c.name) for x, c in zip(whole, given_columns, strict=True)]

    return inferred_scale(str(given), float(low), float(high), classes)


def _present(codes: Array, gap: Bools | None, times: Ints | None) -> tuple[Array, Ints | None]:
    """Return the codes, and numbers of items, of values that are not missing."""
    if gap is None:
        return codes, times
    return codes[~gap], None if times is None else times[~gap]


def _is_numeric(column: Column) -> bool:
    """Return whether all values, or all categories, are numbers."""
    if column.categories is None and column.data.dtype.kind in "iubf":
        return True
    values = column.data.tolist() if column.categories is None else column.categories
    return all(isinstance(x, (Real, np.number)) for x in values)


def _numbers(column: Column) -> Floats:
    """Return a column without gaps as finite numbers, or raise."""
    data = column.data
    if column.categories is not None:
        data = _objects_of(column.categories)[data]
    wrong = []
    if data.dtype.kind not in "iubf":
        wrong = [x for x in data.tolist() if not isinstance(x, (Real, np.number))]
    if wrong:
        raise no_number_error(column.name, len(wrong), wrong[0])
    numbers = data.astype(np.float64, copy=False)
    infinite = ~np.isfinite(numbers)
    if infinite.any():
        first = float(numbers[infinite][0])
        raise no_number_error(column.name, int(infinite.sum()), first)
    return np.asarray(numbers)


def _objects_of(values: Sequence[Any]) -> Array:
    return np.fromiter(values, dtype=object, count=len(values))


class _OutsideScale(Exception):  # a signal within this module
    """A chunk has labels outside the scale: an error, or an inferred scale to be widened."""


def unknown_labels(column: Column, scale: Scale) -> InputError:
    """Return an error that names labels outside the scale, how many, and the first position."""
    if column.categories is None:
        codes, labels = scale.encode(column.data), column.data.tolist()
    else:
        labels = [column.categories[code] for code in column.data]
        codes = np.asarray([scale.index.get(label, -1) for label in labels])
    outside = np.flatnonzero((codes < 0) | (codes >= scale.k))
    unknown = list(dict.fromkeys(labels[i] for i in outside))
    hint, suggest = unknown_hint(unknown, scale)
    return InputError(
        f"{column.name} has {plural(len(outside), 'label')} outside the scale "
        f"{scale.describe()}: {quoted(unknown)}; the first at position {outside[0]}.",
        parameter="labels",
        hint=hint,
        suggest=suggest,
    )


def unknown_hint(unknown: Sequence[Any], scale: Scale) -> tuple[str, dict[str, Any]]:
    """Return a hint about labels outside a scale, and the settings that it suggests."""
    by_text = {str(label): label for label in scale.labels}
    alike = {_folded(label): label for label in scale.labels}
    for label in unknown:
        if str(label) in by_text:
            kinds = type(scale.labels[0]).__name__, type(label).__name__
            return (
                f"The scale has {kinds[0]} labels and the data {kinds[1]} labels: convert one to "
                "the other.",
                {},
            )
        near = alike.get(_folded(label)) if isinstance(label, str) else None
        if near is not None:
            return (
                f"{abbreviate(label)} and {abbreviate(near)} differ in case or spaces only: write "
                "them alike.",
                {},
            )
    fractions = [x for x in unknown if isinstance(x, float) and not x.is_integer()]
    if fractions and all(map(is_number, scale.labels)):
        if all(is_number(x) and 0 <= x <= 1 for x in unknown):
            return (
                "They look like probabilities: take the likeliest class (argmax) of each item, or "
                "compare distributions with quantify.",
                {},
            )
        return (
            "Numbers between the classes are not assigned to a class unasked: round them with "
            "{bins}, or declare every class with {labels}.",
            {"bins": "round", "labels": ...},
        )
    codes = [x for x in unknown if looks_missing(x) or as_number(x) in CODES]
    if codes:
        stand = "stand for missing labels" if len(codes) > 1 else "stands for a missing label"
        return (
            f"If {quoted(codes, 5)} {stand}, pass {{na}}; otherwise correct them, or declare every "
            "class that can occur with {labels}.",
            {"na": codes[0] if len(codes) == 1 else codes, "labels": ...},
        )
    return "Correct them, or declare every class that can occur with {labels}.", {"labels": ...}


def _folded(label: Any) -> str:
    """Return a label without differences of case and spaces."""
    return "".join(str(label).casefold().replace("_", " ").replace("-", " ").split())


def check_weight(sample_weight: Any, n: int, name: str = "sample_weight") -> Floats:
    """Return weights as n finite, non-negative numbers, not all zero."""
    weight = _item_numbers(sample_weight, n, name, "weights" if "weight" in name else "rates")
    check_magnitude(weight, name)
    return weight


def check_magnitude(weight: Floats, name: str) -> None:
    """Raise an error for weights whose squares are not numbers."""
    largest = float(weight.max())
    if not 1e-100 < largest < 1e100:
        raise InputError(
            f"{name} has weights up to {largest:.3g}, which cannot be squared; only the ratios of "
            "weights matter, so divide them by a number.",
            parameter=name,
        )


def check_frequency(frequency: Any, n: int) -> Ints:
    """Return frequencies as n whole, non-negative numbers, not all zero."""
    numbers = _item_numbers(frequency, n, "frequency", "frequencies")
    part = np.flatnonzero(numbers != np.floor(numbers))
    if part.size:
        raise InputError(
            f"frequency has {plural(part.size, 'number')} that are not whole, the first "
            f"({numbers[part[0]]}) at position {part[0]}; a row stands for a whole number of "
            "items.",
            parameter="frequency",
            hint="If the numbers are importance or design weights, pass {sample_weight} instead.",
            suggest={"sample_weight": ...},
        )
    if numbers.sum() > _MOST_ITEMS:
        raise InputError(
            f"frequency adds up to {numbers.sum():.3g} items; at most {_MOST_ITEMS:.3g} can be "
            "counted.",
            parameter="frequency",
        )
    return numbers.astype(np.int64)


def _item_numbers(given: Any, n: int, name: str, plural_name: str) -> Floats:
    """Return n finite, non-negative numbers, not all zero."""
    numbers = read_numbers(given, name)
    if numbers.shape != (n,):
        raise InputError(
            f"{name} has shape {numbers.shape} for {n} items; one number per item is expected.",
            parameter=name,
        )
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))
    if bad.size:
        raise InputError(
            f"{name} has {plural(bad.size, 'negative or non-finite number')}, the first "
            f"({numbers[bad[0]]}) at position {bad[0]}; {plural_name} must be finite and at least "
            "0.",
            parameter=name,
        )
    if not numbers.any():
        raise InputError(
            f"{name} is 0 for every item; at least one must be positive.", parameter=name
        )
    return numbers


def _counting(keep: Bools, weight: Floats | None, frequency: Ints | None) -> Bools:
    """Return which of the kept rows count: those of weight or frequency 0 do not."""
    for given in (weight, frequency):
        if given is not None:
            keep = keep & (given > 0)
    if not keep.any():
        raise InputError(
            "No item is left to score: all have a missing label, or a weight or frequency of 0."
        )
    return keep


def farthest_classes(scale: Scale) -> Codes:
    """Return for every class the class farthest from it, the lowest where two are as far."""
    values = scale.numbers
    return np.asarray(np.abs(values[:, None] - values).argmax(axis=1), dtype=np.intp)


def gaps_of(column: Column, codes: MissingCodes | None) -> Bools | None:
    """Return which labels are missing, or have a code for that; None if none is."""
    found, coded = _empty_mask(column), codes.mask(column) if codes else None
    return coded if found is None else found if coded is None else found | coded


def _no_group_mask(column: Column) -> Bools | None:
    """Return which topics or clusters are missing; None if none is."""
    data = column.data
    if column.categories is not None:
        found = np.asarray([*map(is_no_group, column.categories), True])[data]
    elif data.dtype.kind in "OU":
        found = np.fromiter(map(is_no_group, data.tolist()), dtype=bool, count=len(data))
    else:
        return _empty_mask(column)
    return found if found.any() else None


def _empty_mask(column: Column) -> Bools | None:
    data = column.data
    if column.categories is not None:
        found = data < 0
    elif data.dtype.kind == "f":
        found = np.isnan(data)
    elif data.dtype.kind == "O":
        labels = data.tolist()
        if set(map(type, labels)) == {str}:  # which no missing label is
            return None
        found = np.fromiter(map(is_missing, labels), dtype=bool, count=len(data))
    else:
        return None
    return found if found.any() else None


def _refuse_gaps(
    columns: Sequence[Column], gaps: Mapping[int, Bools], missing: str, predictions: range
) -> None:
    """Raise an error for missing labels that cannot stay: all of them, or those of gold."""
    for i, mask in gaps.items():
        if missing == "worst" and i in predictions:
            continue
        hint = (
            "Only a missing prediction can be scored as the class farthest from gold: fill or "
            "drop these items."
            if missing == "worst"
            else "Fill or drop them, or pass {missing} to leave out the items with a missing label "
            "(they are counted in the result)."
        )
        if columns[i].name in ("topics", "cluster"):
            hint = f"If only the first row of each group is filled, fill it down. {hint}"
        raise InputError(
            f"{columns[i].name} has {plural(int(mask.sum()), 'missing label')}, the first at "
            f"position {int(mask.argmax())}.",
            parameter="missing",
            hint=hint,
            suggest={"missing": "skip"},
        )


def _complete(gaps: Mapping[int, Bools]) -> Bools:
    """Return which items have no missing label."""
    keep = ~np.logical_or.reduce(list(gaps.values()))
    if not keep.any():
        raise InputError(
            "Every item has a missing label, so nothing is left to score. Check that the right "
            "columns were given."
        )
    return np.asarray(keep)


def _items_of(mask: Bools, times: Ints | None) -> int:
    """Return the number of items of some rows."""
    return int(mask.sum()) if times is None else int(times[mask].sum())


def missing_notice(found: Mapping[str, tuple[int, Mapping[Any, int]]]) -> Notes:
    """Return a notice about missing values: their number by column, and what stands for them."""
    columns = (f"{name}: {n}{listed_codes(words)}" for name, (n, words) in found.items())
    return (warning("missing", f"Missing values: {', '.join(columns)}."),) if found else ()


def listed_codes(words: Mapping[Any, int]) -> str:
    """Return which values, besides empty ones, were taken as missing, and how often.

    >>> listed_codes({"99": 2, 99.0: 1, None: 5, "n.a.": 1})
    " (3 × 99, 1 × 'n.a.')"
    """
    found: Counter[str] = Counter()
    for word, n in words.items():
        text = "" if is_missing(word) else str(word).strip()
        if text and n:
            number = as_number(text)
            found[abbreviate(text) if number is None else group_name(number)] += n
    listed = [f"{n:,} × {word}" for word, n in sorted(found.items(), key=lambda x: (-x[1], x[0]))]
    more = ", …" if len(listed) > _SHOWN else ""
    return f" ({', '.join(listed[:_SHOWN])}{more})" if listed else ""


def _with_worst(columns: list[Column], gaps: Mapping[int, Bools], scale: Scale) -> list[Column]:
    """Replace missing predictions by the class farthest from gold."""
    if not gaps:
        return columns
    try:
        gold = _Coder(columns[0], scale, 0)(slice(None))
    except _OutsideScale:
        raise unknown_labels(columns[0], scale) from None
    return [_filled(c, gaps[i], gold, scale) if i in gaps else c for i, c in enumerate(columns)]


def _worst_notices(
    columns: Sequence[Column], gaps: Mapping[int, Bools], times: Ints | None
) -> Notes:
    """Return how many predictions of every system are missing."""
    return tuple(
        warning(
            "missing",
            f"{columns[i].name}: {plural(_items_of(mask, times), 'missing prediction')} scored as "
            "the class farthest from gold.",
        )
        for i, mask in gaps.items()
        if mask.any()
    )


def _filled(column: Column, missing: Bools, gold: Codes, scale: Scale) -> Column:
    """Return a column of class codes in which the farthest class stands for missing labels."""
    present = subset(column, ~missing)
    codes = np.array(farthest_classes(scale)[gold])
    try:
        codes[~missing] = _Coder(present, scale, 0)(slice(None)) if len(present) else 0
    except _OutsideScale:
        raise unknown_labels(present, scale) from None
    return Column(codes, column.name, scale.labels, ordered=True)


def _scale(
    columns: Sequence[Column], labels: Any, values: Any, codes: MissingCodes, *, whole: bool = False
) -> Scale:
    """Return the declared scale, or infer it; long integer columns are judged by their start.

    Whole ones are if `whole` is True.
    """
    declared = labels is not None or values is not None
    long = len(columns[0]) > _CHUNK and not whole
    if not declared and long and all(column.is_integer for column in columns):
        start = [replace(column, data=column.data[:_CHUNK]) for column in columns]
        with suppress(InputError):  # all labels may be more plausible than the first ones
            return Scale.resolve(start)
    try:
        return Scale.resolve(columns, labels, values)
    except InputError as problem:
        problem.suggest = codes.beside(problem.suggest)
        raise


def as_systems(y_pred: Any) -> Any:
    """Return the predictions; the columns of a data frame as a mapping of systems."""
    columns = columns_of_frame(y_pred)
    return y_pred if columns is None else columns


def with_own_name(y_pred: Any, y_true: Any) -> Any:
    """Return the predictions; a series with a name of its own as a mapping of one system."""
    name, gold = series_name(y_pred), series_name(y_true)
    return {name: y_pred} if name and name != gold and not is_parameter(name) else y_pred


def _named_systems(y_pred: Mapping[Any, Any]) -> dict[str, Any]:
    systems = {str(name): column for name, column in y_pred.items()}
    if not systems:
        raise InputError(
            "y_pred is an empty mapping; at least one system is expected.", parameter="y_pred"
        )
    if len(systems) < len(y_pred):
        names = quoted(map(str, y_pred))
        raise InputError(
            f"y_pred has systems of the same name: {names}. Give each its own name.",
            parameter="y_pred",
        )
    return systems


def subset(column: Column, keep: Bools) -> Column:
    """Return the items to keep; without gaps, objects may become numbers again."""
    return replace(column, data=tidy(column.data[keep], column.name))


def refuse_beside_judge(**given: Any) -> None:
    """Raise an error for what cannot be used together with a judge: arguments that are given."""
    for name, value in given.items():
        if value is None or (name == "missing" and value != "worst"):
            continue
        hint = f"Leave {{{name}}} out, or leave out {{judge}} and score the labelled items alone."
        if name in ("sample_weight", "weight"):
            hint = "If the weights are the inverse of the rates at which items were labelled, "
            hint += "pass the rates with {labelled_rate}; otherwise leave {judge} out."
        what = "missing='worst'" if name == "missing" else name
        raise InputError(
            f"{what} cannot be combined with a judge, whose labels correct scores over items.",
            parameter=name,
            hint=hint,
            suggest={name: ..., "judge": ..., "labelled_rate": ...},
        )


def refuse_zero_rates(zeros: int) -> None:
    """Raise an error for items that could not have been labelled."""
    if zeros:
        raise InputError(
            f"labelled_rate is 0 for {plural(zeros, 'item')}; items that could not be labelled are "
            "not represented by those that were.",
            parameter="labelled_rate",
            hint="Leave these items out, or give every item the rate at which its kind was "
            "labelled.",
        )


def rate_without_judge() -> InputError:
    """Return the error for rates of labelling without a judge."""
    return InputError(
        "labelled_rate belongs to the labels of a judge, and there are none.",
        parameter="labelled_rate",
        hint="Pass {judge}, or give weights of items as such.",
        suggest={"judge": ...},
    )


def no_gold_error(where: str) -> InputError:
    """Return the error that no item has a gold label."""
    return InputError(
        f"{where} has no label: every item is a gap. With a judge, some items need gold labels.",
        parameter="judge",
        hint="Give the gold labels of a random part of the items.",
    )


def codes_with_gaps(present: Column, gap: Bools | None, scale: Scale) -> Codes:
    """Return the codes of the labels that are present, -1 where there is a gap."""
    try:
        codes = _Coder(present, scale, 0)(slice(None)) if len(present) else np.empty(0, np.intp)
    except _OutsideScale:
        raise unknown_labels(present, scale) from None
    if gap is None:
        return codes
    found = np.full(len(gap), -1, dtype=np.intp)
    found[~gap] = codes
    return found


def group_codes(
    given: LabelColumn | None, name: str, n: int
) -> tuple[Codes | None, tuple[str, ...]]:
    """Return the group of each of n items, as a position in the sorted names, and these names."""
    if given is None:
        return None, ()
    column = read_column(given, name)
    if len(column) != n:
        raise InputError(
            f"{name} has {plural(len(column), 'value')} for {plural(n, 'row')}; one per row is "
            "expected.",
            parameter=name,
        )
    gap = _no_group_mask(column)
    if gap is not None:
        raise InputError(
            f"{name} has {plural(int(gap.sum()), 'empty value')}, the first at position "
            f"{int(gap.argmax())}; every row needs one.",
            parameter=name,
        )
    return _sorted_group(column)


def sorted_names(names: Iterable[str]) -> list[str]:
    """Sort names: numbers by size, then other texts by their characters, the same way everywhere.

    >>> sorted_names(["b", "10", "-2", "9", "1.5", "B"])
    ['-2', '1.5', '9', '10', 'B', 'b']
    """
    numbers, texts = list[str](), list[str]()
    for name in names:
        (numbers if _NUMBER.fullmatch(name) else texts).append(name)
    return [*sorted(numbers, key=lambda name: (Decimal(name), name)), *sorted(texts)]


def _sorted_group(column: Column | None) -> tuple[Codes | None, tuple[str, ...]]:
    """Return codes in the order of the sorted names, and these names; nothing without a column."""
    if column is None:
        return None, ()
    codes, names = _group(column)
    ordered = sorted_names(set(names))  # 1 and "1" are one topic, as in files
    position = {name: i for i, name in enumerate(ordered)}
    return np.asarray([position[name] for name in names], dtype=np.intp)[codes], tuple(ordered)


def _group(topic: Column) -> tuple[Codes, tuple[str, ...]]:
    """Return topic codes in order of appearance, and the topics' names."""
    if topic.categories is not None:
        names: dict[Any, int] = {c: i for i, c in enumerate(topic.distinct())}
        recode = np.asarray([names.get(c, -1) for c in topic.categories], dtype=np.intp)
        return recode[topic.data], tuple(map(group_name, names))
    if topic.data.dtype.kind in "iu" and (found := _integer_group(topic.data)):
        return found
    names = {}
    codes = np.empty(len(topic), dtype=np.intp)
    for start in range(0, len(topic), _CHUNK):
        part = topic.data[start : start + _CHUNK].tolist()
        codes[start : start + _CHUNK] = [names.setdefault(label, len(names)) for label in part]
    return codes, tuple(map(group_name, names))


def _integer_group(data: Array) -> tuple[Codes, tuple[str, ...]] | None:
    """Return the codes and names of integers that are close together; None for others."""
    low, high = int(data.min()), int(data.max())
    if high - low >= max(_CHUNK, len(data)):
        return None
    places = data.astype(np.intp, copy=False) - low
    seen = np.bincount(places) > 0
    names = tuple(map(str, (np.flatnonzero(seen) + low).tolist()))
    return (np.cumsum(seen) - 1)[places], names
