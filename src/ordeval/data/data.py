"""Labels of items as classes: what all doors lead to, and all that statistics sees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, ClassVar, Unpack

import numpy as np

from ..errors import InputError, plural, quoted
from ..limits import check_tables
from ..notes import Notes, warning
from ..options import ItemsRead, takes
from ..types import Array, Bools, Floats, Missing
from .classes import Bins, Reading, classes_of, gap_of, listed_codes, missing_notice
from .column import (
    CHUNK,
    Column,
    aligned,
    check_same_length,
    columns_of_frame,
    groups_of,
    is_no_group,
    is_parameter,
    read_column,
    row_names,
    series_name,
)
from .counts import Axis, Counts, JointCounts
from .examples import Examples, cells_of, choose
from .moments import Numbers, sums_by_cell
from .roles import GROUPS, NUMBERS
from .scale import Scale
from .units import Rows, Units, check_frequency, check_weight

_FEW_CELLS = 1 << 8  # so many cells have numbers of one byte


@dataclass(frozen=True, eq=False)
class Data:
    """Classes of the same items by gold and every system.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
        Class codes of gold, of every system, and last perhaps of a judge; K where there is none.
    names : tuple of str
        The names of the columns.
    scale : Scale
        The ordered classes.
    units : Units
        How many items a row stands for, their weights, topics, clusters, ids and texts.
    named : bool
        Whether the systems have names; False for the labels of a single system.
    judged : bool
        Whether the last column is a judge, so that gold may have gaps.
    skipped : int
        The number of items that were left out because a label is missing.
    notices : tuple of Note
        How the data were read, as far as readers of a result should know it.
    about : mapping
        Where the data came from, and how they were read.
    bins : Bins, optional
        How real numbers became classes, if they did.
    raw : ndarray of shape (n_columns, n_rows), optional
        The numbers themselves; None where all of them are class numbers.

    Examples
    --------
    >>> import ordeval as oe
    >>> data = oe.Data.read([1, 2, 3, 3], {"a": [1, 2, 2, 3]}, labels=[1, 2, 3])
    >>> data.codes.tolist()
    [[0, 1, 2, 2], [0, 1, 1, 2]]
    """

    codes: Array
    names: tuple[str, ...]
    scale: Scale
    units: Units
    named: bool = True
    judged: bool = False
    skipped: int = 0
    notices: Notes = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    bins: Bins | None = None
    raw: Floats | None = None
    paired: ClassVar[bool] = True  # it is known what the systems predict for the same item

    @classmethod
    @takes(ItemsRead)
    def read(cls, y_true: Any, y_pred: Any, **options: Unpack[ItemsRead]) -> "Data":
        """Read and check labels in memory.

        Parameters
        ----------
        y_true : array_like of shape (n_items,)
            Gold labels.
        y_pred : array_like of shape (n_items,), or mapping of str to array_like
            Predicted labels of one system, or of each system.
        {options}

        Returns
        -------
        Data
            The classes of all items.
        """
        judge, text = options["judge"], options["text"]
        if judge is not None or options["rate"] is not None:
            refuse_beside_judge(**options)
        y_pred = as_systems(y_pred)
        named = isinstance(y_pred, Mapping)
        systems = _named_systems(y_pred) if named else {"y_pred": y_pred}
        columns = [read_column(y_true, "y_true")]
        columns += [read_column(aligned(c, y_true, n), n) for n, c in systems.items()]
        if judge is not None:
            name = series_name(judge) or "judge"
            columns.append(read_column(aligned(judge, y_true, "judge"), name))
        n = check_same_length(columns)

        given: dict[str, Any] = {
            role: aligned(options[role], y_true, role)  # type: ignore[literal-required]
            for role in (*GROUPS, *NUMBERS)
            if options[role] is not None  # type: ignore[literal-required]
        }
        groups = {role: read_column(given[role], role) for role in GROUPS if role in given}
        for group in groups.values():
            check_same_length([columns[0], group])
        count = check_frequency(given["frequency"], n) if "frequency" in given else None
        weight, rate = (
            check_weight(given[role], n, role) if role in given else None
            for role in ("weight", "rate")
        )
        units = Units(n, count, weight, rate)
        if text is not None:
            units = replace(units, **_shown(y_true, n, options["id"], text))
        used = {"judge": judge, "text": text, **given}
        about = {role: role for role, column in used.items() if column is not None}
        return cls.of(
            columns,
            groups,
            units,
            Reading.of(options),
            named=named,
            judged=judge is not None,
            about=about,
        )

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        groups: Mapping[str, Column],
        units: Units,
        reading: Reading,
        *,
        named: bool = True,
        judged: bool = False,
        about: Mapping[str, Any] | None = None,
        notices: Notes = (),
    ) -> "Data":
        """Make data from columns of any door: gold, systems and perhaps a judge, and groups.

        Parameters
        ----------
        columns : sequence of Column
            The labels.
        groups : mapping of str to Column
            Topics and clusters.
        units : Units
            Counts, weights, ids and texts of the rows.
        reading : Reading
            How labels are read.
        named, judged : bool
            Whether systems have names, and whether the last column is a judge.
        about : mapping, optional
            Where the data came from.
        notices : tuple of Note
            What was done to the data before.

        Returns
        -------
        Data
            The classes of the items that count.
        """
        if units.rate is not None and (zeros := units.items_of(units.rate == 0)):
            raise InputError(
                f"rate is 0 for {plural(zeros, 'item')}; items that could not be labelled are not "
                "represented by those that were.",
                parameter="rate",
                hint="Leave these items out, or give every item the rate at which its kind was "
                "labelled.",
            )
        labelled = [reading.column(column) for column in columns]
        gaps = _Gaps.of(columns, labelled, groups, units, reading, judged)
        gaps.refuse()
        keep, skipped = gaps.kept()
        if keep is not None:
            labelled, units = [column.take(keep) for column in labelled], units.take(keep)
            groups = {role: column.take(keep) for role, column in groups.items()}
            reading = replace(reading, kept=np.flatnonzero(keep))
        if judged and not len(labelled[0].distinct()):
            where = f"{reading.start(columns[0].name)}{columns[0].name}"
            raise InputError(
                f"{where} has no label: every item is a gap. With a judge, some items need gold "
                "labels.",
                parameter="judge",
                hint="Give the gold labels of a random part of the items.",
            )
        made = classes_of(labelled, reading, units.count)
        data = cls(
            made.codes,
            tuple(column.name for column in columns),
            made.scale,
            _with_groups(units, groups),
            named,
            judged,
            skipped,
            (*notices, *gaps.notices(), *made.notices),
            {**(about or {}), **reading.settings},
            made.bins,
            made.numbers,
        )
        return data._filled() if reading.missing == "worst" else data

    def _filled(self) -> "Data":
        """Return the data with the class farthest from gold in place of missing predictions."""
        gap = self.codes == self.scale.k
        if not gap.any():
            return self
        codes = np.where(gap, self.scale.farthest[self.codes[0]], self.codes)
        raw = self.raw
        if raw is not None:
            assert self.bins is not None
            ends, gold = (self.bins.numbers[0], self.bins.numbers[-1]), raw[0]
            far = np.where(gold - ends[0] >= ends[1] - gold, *ends)
            raw = np.where(gap, far, raw)
        lost = (self.units.items_of(mask) for mask in gap)
        notices = (
            warning(
                "missing",
                f"{name}: {plural(n, 'missing prediction')} scored as the class farthest from "
                "gold.",
            )
            for name, n in zip(self.names, lost, strict=True)
            if n
        )
        codes = codes.astype(self.codes.dtype)
        return replace(self, codes=codes, raw=raw, notices=(*self.notices, *notices))

    def __len__(self) -> int:
        return self.units.size

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.names[1:-1] if self.judged else self.names[1:]

    @property
    def items(self) -> int:
        """The number of items."""
        return self.units.items

    @property
    def weighted(self) -> bool:
        """Whether tables hold sums of weights instead of numbers of items."""
        return self.units.weight is not None

    @property
    def has_topics(self) -> bool:
        """Whether the items belong to topics."""
        return self.units.topic is not None

    @property
    def has_clusters(self) -> bool:
        """Whether the items belong to clusters."""
        return self.units.cluster is not None

    def take(self, rows: Array) -> "Data":
        """Return some of the rows.

        Parameters
        ----------
        rows : ndarray
            A mask or positions.

        Returns
        -------
        Data
            The data of these rows.
        """
        raw = None if self.raw is None else self.raw[:, rows]
        return replace(self, codes=self.codes[:, rows], units=self.units.take(rows), raw=raw)

    def only(self, systems: Sequence[str]) -> "Data":
        """Return the data of some systems.

        Parameters
        ----------
        systems : sequence of str
            The names of the systems, in the order wanted.

        Returns
        -------
        Data
            Gold, these systems, and the judge if there is one.
        """
        if tuple(systems) == self.systems:
            return self
        places = [0, *(1 + self.systems.index(name) for name in systems)]
        places += [len(self.names) - 1] * self.judged
        raw = None if self.raw is None else self.raw[places]
        names = tuple(self.names[i] for i in places)
        return replace(self, codes=self.codes[places], names=names, raw=raw)

    def counts(self) -> Counts:
        """Return one table per system (and topic).

        Returns
        -------
        Counts
            Tables ``[system, (topic,) gold, predicted]``.
        """
        return self._counts

    @cached_property
    def _counts(self) -> Counts:
        tables, squares = self.tables([(0, 1 + i) for i in range(len(self.systems))])
        moments = self._moments()
        axes = (Axis("topic", self.units.topics),) if self.has_topics else ()
        if self.named:
            axes = (Axis("system", self.systems), *axes)
        else:  # one system without a name has no axis
            tables, squares = tables[0], None if squares is None else squares[0]
            moments = None if moments is None else moments[0]
        return Counts(
            tables,
            self.scale,
            axes,
            self.weighted,
            self.skipped,
            squares,
            self.items,
            self.bins,
            moments,
        )

    def tables(self, pairs: Sequence[tuple[int, ...]]) -> tuple[Floats, Floats | None]:
        """Count the classes of two or more columns, by topic if there are topics.

        Parameters
        ----------
        pairs : sequence of tuple of int
            The positions of the columns, of which 0 is gold.

        Returns
        -------
        tables : ndarray of shape (n_pairs, [n_topics,] n_classes, n_classes, ...)
            Numbers of items, or sums of weights.
        squares : ndarray of the same shape or None
            Sums of squared weights, if there are weights.
        """
        axes = len(pairs[0]) if pairs else 2
        topics, k = len(self.units.topics), self.scale.k
        check_tables(len(pairs), topics, k, axes=axes, of="system" if axes == 2 else "pair")
        shape = (*([topics] * self.has_topics), *[k] * axes)
        if not self.weighted:
            found = np.empty((len(pairs), *shape))
            for out, columns in zip(found, pairs, strict=True):
                every = list(columns) == list(range(len(self.codes)))
                codes = self.codes if every else self.codes[list(columns)]
                out[:] = _count(codes, self.units.topic, topics, k, self.units.count)
            return found, None
        sums = np.empty((2, len(pairs), *shape))
        units = self.units
        assert units.weight is not None
        inner: Any = (..., *[slice(k)] * axes)
        whole = (*([topics] * self.has_topics), *[k + 1] * axes)
        for place, columns in enumerate(pairs):
            cell = _key(self.codes[list(columns)], units.topic, k + 1).astype(np.intp, copy=False)
            for out, squared in zip(sums, (False, True), strict=True):
                totals = sums_by_cell(units.weight, cell, prod(whole), units.count, squared=squared)
                out[place] = totals.reshape(whole)[inner]
        return sums[0], sums[1]

    def _moments(self) -> Floats | None:
        """Return sums over numbers `[system, (topic,) 9]`."""
        if self.raw is None:
            return None
        found = self._numbers.sums(self.units.topic, max(1, len(self.units.topics)))
        return found if self.has_topics else found[:, 0]

    @cached_property
    def _numbers(self) -> Numbers:
        assert self.raw is not None
        assert self.bins is not None
        units = self.units
        groups = units.count, units.weight, units.topic, units.cluster
        return Numbers(tuple(self.raw), self.bins.centre, *groups)

    def numbers(self, most: int) -> Numbers | None:
        """Return the numbers of all items that were binned.

        Parameters
        ----------
        most : int
            The largest number of numbers.

        Returns
        -------
        Numbers or None
            The numbers; None if there are none, or more.
        """
        return self._numbers if self.raw is not None and self.raw.size <= most else None

    def joint(self, pairs: Sequence[tuple[str, str]] | None = None) -> JointCounts:
        """Return one joint table per pair of systems.

        Parameters
        ----------
        pairs : sequence of (str, str), optional
            The pairs; all by default.

        Returns
        -------
        JointCounts
            Tables ``[pair, (topic,) gold, a, b]``.
        """
        wanted = tuple(combinations(self.systems, 2) if pairs is None else pairs)
        place = {system: 1 + i for i, system in enumerate(self.systems)}
        tables, _ = self.tables([(0, place[a], place[b]) for a, b in wanted])
        if not wanted:
            tables = np.zeros((0, *[len(self.units.topics)] * self.has_topics, *[self.scale.k] * 3))
        return JointCounts(tables, self.scale, wanted, self.units.topics, self.weighted)

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of the labels.

        Parameters
        ----------
        most : int
            The largest number of labels of all rows.

        Returns
        -------
        Rows or None
            The rows, sorted; None if they have more labels.
        """
        return self._rows if self._rows.labels.size <= most else None

    @cached_property
    def _rows(self) -> Rows:
        units = self.units
        return Rows.group(
            self.codes,
            self.scale.k + self.judged,
            self.names[1:],
            count=units.count,
            weight=units.rate if self.judged else units.weight,
            topic=units.topic,
            cluster=units.cluster,
        )

    def examples(self, systems: Sequence[str], *, paired: bool) -> Examples | None:
        """Return some items of every cell with their texts.

        Parameters
        ----------
        systems : sequence of str
            The systems, of which the first one is the reference of pairs.
        paired : bool
            Whether items are to be chosen for pairs of systems, too.

        Returns
        -------
        Examples or None
            The items; None without texts.
        """
        ids, texts = self.units.ids, self.units.texts
        if ids is None or texts is None:
            return None
        places = [0, *(1 + self.systems.index(system) for system in systems)]
        labels = self.codes[places].astype(np.intp)
        cells = cells_of(len(systems), self.scale.k, paired=paired)
        rows, most = choose(labels, self.scale.k, ids, cells)
        held = texts(ids[rows].tolist()) if callable(texts) else texts[rows]
        return Examples.of(systems, ids[rows], held, labels[:, rows], most)


@dataclass(eq=False)
class _Gaps:
    """Missing labels, topics and clusters: which rows have them, and what to do about them."""

    every: Sequence[tuple[Column, Bools]]  # columns with gaps, and where: gold, groups, systems
    groups: Sequence[Column]
    units: Units
    reading: Reading
    gold: Column

    @classmethod
    def of(
        cls,
        given: Sequence[Column],
        labelled: Sequence[Column],
        groups: Mapping[str, Column],
        units: Units,
        reading: Reading,
        judged: bool,
    ) -> "_Gaps":
        """Look for gaps; those of gold are none beside a judge."""
        labels = [(raw, gap_of(column)) for raw, column in zip(given, labelled, strict=True)]
        absent = [(column, _without_group(column)) for column in groups.values()]
        every = [*labels[judged:1], *absent, *labels[1:]]
        found = [(column, gap) for column, gap in every if gap is not None]
        return cls(found, tuple(groups.values()), units, reading, given[0])

    def refuse(self) -> None:
        """Raise an error for gaps that cannot stay: all of them, or those of gold and groups."""
        missing, every = self.reading.missing, self.every
        if missing == "skip" or not every:
            return
        if missing == "worst":
            every = [(c, gap) for c, gap in every if c is self.gold or self._is_group(c)]
            if not every:
                return
        listed = ", ".join(self._described(column, gap) for column, gap in every[:5])
        more = f" and {len(every) - 5} more columns" if len(every) > 5 else ""
        files = self.reading.files
        where = "" if all(column.name in files for column, _ in every) else self.reading.where
        hint = (
            "Fill or drop them, or pass {missing} to leave those items out (they are counted); "
            '"worst" instead of "skip" scores a missing prediction as the class farthest from gold.'
        )
        if missing == "worst":
            hint = 'Fill or drop them; "worst" is for missing predictions only.'
        if any(self._is_group(column) for column, _ in every):
            hint = f"If only the first row of each group is filled, fill it down. {hint}"
        raise InputError(
            f"{where}missing values ({listed}{more}).",
            parameter="missing",
            hint=hint,
            suggest={"missing": "skip"},
        )

    def _is_group(self, column: Column) -> bool:
        return any(column is group for group in self.groups)

    def _described(self, column: Column, gap: Bools) -> str:
        """Return how many values of a column are missing, what stands for them, and where."""
        name = self.reading.files.get(column.name, column.name)
        words = listed_codes(self._words(column, gap))
        at = self.reading.places(column, gap)
        return f"{name}: {self.units.items_of(gap):,}{words}{at}"

    def _words(self, column: Column, gap: Bools) -> dict[Any, int]:
        """Return which values were taken as missing, and how many items have each."""
        if self.reading.bins is not None or self._is_group(column):
            return {}
        coded, count = column.coded(), self.units.count
        times = None if count is None else count[gap]
        items = np.bincount(coded.data[gap], times, len(coded.values) + 1)
        return {x: int(n) for x, n in zip(coded.values, items.tolist(), strict=False) if n}

    def kept(self) -> tuple[Bools | None, int]:
        """Return which rows count, None for all, and how many items have gaps."""
        keep, skipped = self.units.counting(), 0
        if self.reading.missing == "skip" and (every := self.every):
            gap = np.logical_or.reduce([mask for _, mask in every])
            skipped = self.units.items_of(gap)
            keep = ~gap if keep is None else keep & ~gap
        if keep is not None and not keep.any():
            raise InputError(
                f"{self.reading.where}No item is left to score: all have a missing label, or a "
                "weight or frequency of 0.",
                hint="Check that the right columns were given.",
            )
        return keep, skipped

    def notices(self) -> Notes:
        """Return how many values of which columns are missing, and what stands for them."""
        if self.reading.missing != "skip":
            return ()
        numbers = [(c, gap, self.units.items_of(gap)) for c, gap in self.every]
        return missing_notice({c.name: (n, self._words(c, gap)) for c, gap, n in numbers if n})


def _without_group(column: Column) -> Bools | None:
    """Return which rows have no topic or cluster; None if all have one."""
    coded = column.coded()
    k = len(coded.values)
    empty = [] if isinstance(coded.values, range) else list(map(is_no_group, coded.values))
    absent = [*(i for i, gone in enumerate(empty) if gone), k]
    found = np.isin(coded.data, absent) if len(absent) > 1 else coded.data == k
    return found if found.any() else None


def _with_groups(units: Units, groups: Mapping[str, Column]) -> Units:
    """Return units with topics and clusters in the order of their names."""
    for role, column in groups.items():
        codes, names = groups_of(column)
        given: dict[str, Any] = {role: codes, f"{role}s": names}
        units = replace(units, **given)
    return units


def _shown(y_true: Any, n: int, id: Any, text: Any) -> dict[str, Any]:
    """Return ids and texts of all items as objects.

    Ids are by default the row labels of gold, or positions from 1 if it has none.
    """
    default = row_names(y_true) or range(1, 1 + n)
    found = {"ids": default if id is None else id, "texts": text}
    held = {name: list(aligned(x, y_true, name)) for name, x in found.items()}
    for name, column in held.items():
        if len(column) != n:
            raise InputError(
                f"{name[:-1]} has {plural(len(column), 'entry', 'entries')} for "
                f"{plural(n, 'item')}.",
                parameter=name[:-1],
            )
    return {name: np.fromiter(column, object, n) for name, column in held.items()}


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
    if not systems or len(systems) < len(y_pred):
        raise InputError(
            f"y_pred holds {quoted(map(str, y_pred)) or 'no system'}; at least one system is "
            "expected, each with a name of its own.",
            parameter="y_pred",
        )
    return systems


def refuse_beside_judge(judge: Any, rate: Any, missing: Missing, **others: Any) -> None:
    """Raise an error for what cannot be used together with a judge, and for rates without one."""
    if judge is None and rate is not None:
        raise InputError(
            "rate belongs to the labels of a judge, and there are none.",
            parameter="rate",
            hint="Pass {judge}, or give weights of items as such.",
            suggest={"judge": ...},
        )
    given = {name: others[name] for name in ("topic", "weight", "cluster", "bins", "text")}
    given["missing"] = missing if missing == "worst" else None
    for name, value in given.items() if judge is not None else ():
        if value is None:
            continue
        hint = f"Leave {{{name}}} out, or leave out {{judge}} and score the labelled items alone."
        if "weight" in name:
            hint = "If the weights are the inverse of the rates at which items were labelled, "
            hint += "pass the rates with {rate}; otherwise leave {judge} out."
        what = "missing='worst'" if name == "missing" else name
        raise InputError(
            f"{what} cannot be combined with a judge, whose labels correct scores over items.",
            parameter=name,
            hint=hint,
            suggest={name: ..., "judge": ..., "rate": ...},
        )


def _key(codes: Array, topic: Array | None, width: int) -> Array:
    """Return the cell of every row: topic and classes as one number."""
    small = topic is None and width ** len(codes) <= _FEW_CELLS
    key: Array = codes[0].astype(np.uint8 if small else np.intp)
    if topic is not None:
        key += topic * width
    for column in codes[1:]:
        key *= width
        key += column
    return key


def _count(codes: Array, topic: Array | None, topics: int, k: int, count: Array | None) -> Array:
    """Count the rows of every cell `[(topic,) class, ...]`, and leave out those of gaps."""
    width = k + 1
    shape = (*([] if topic is None else [topics]), *[width] * len(codes))
    cells = prod(shape)
    step, total, pairs = max(CHUNK, cells), None, None
    for start in range(0, codes.shape[1], step):
        chunk = slice(start, start + step)
        key = _key(codes[:, chunk], None if topic is None else topic[chunk], width)
        if key.dtype == np.uint8 and len(key) == CHUNK and count is None:
            both = np.bincount(key.view(np.uint16), minlength=1 << 16)  # two rows: twice as fast
            pairs = both if pairs is None else pairs + both
            continue
        found = np.bincount(key, None if count is None else count[chunk], cells)
        total = found if total is None else total + found
    if pairs is not None:
        both = pairs.reshape(256, 256)
        found = (both.sum(axis=0) + both.sum(axis=1))[:cells]
        total = found if total is None else total + found
    inner: Any = (..., *[slice(k)] * len(codes))
    assert total is not None
    return np.asarray(total.reshape(shape)[inner])
