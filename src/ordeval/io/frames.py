"""Items of data frames and files, counted where the data is."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..bins import BELOW, NO_NUMBER, Bins, inferred_scale, needs_labels, undeclared_edges
from ..columns import (
    Column,
    MissingCodes,
    is_missing,
    is_no_group,
    is_number,
    read_column,
    read_numbers,
    row_names,
)
from ..counts import Counts, JointCounts
from ..errors import InputError
from ..examples import Examples, cells_of, choose
from ..labels import no_gold_error, rate_without_judge, refuse_beside_judge, sorted_names
from ..moments import SUMS, Numbers
from ..notes import Note, Notes
from ..rows import Rows
from ..scale import ColumnError, Scale
from ..types import (
    Array,
    BinsLike,
    Classes,
    ClassNumbers,
    Codes,
    Floats,
    Missing,
    MissingLabels,
)
from .groups import Factor, Groups, Shifts, Systems, Table
from .naming import NumberedFrame, text_name
from .relations import RelationCounter, RelationNumbers, binned, without_codes, without_empty_groups
from .tabulation import (
    GROUPING,
    LARGEST_NUMBER,
    MOST_GROUPS,
    OPTIONAL,
    SHOWN,
    Cells,
    Chosen,
    Fetched,
    Find,
    ItemClasses,
    Layout,
    Places,
    Pred,
    Tabulation,
    check_groups,
    incomplete,
    nested_error,
    number_error,
    positions,
    pred_role,
    raw_column,
)

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.typing import IntoFrame

    Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]

_EXACT = 2**53  # whole numbers up to here are exact as floats


class Counter(Protocol):
    """Groups and counts items, in DuckDB or with narwhals.

    `layout` describes the columns; `pairs_first` tells whether pairs of systems can be counted
    before the single systems are.
    """

    layout: Layout
    pairs_first: bool

    def count(
        self, wanted: Sequence[Systems], known: Mapping[Systems, Groups]
    ) -> dict[Systems, Groups]:
        """Return the groups of systems or pairs; `known` are those counted before."""

    def find(self, name: str, value: Any) -> Places | None:
        """Return some items that have a value of a role, or whose value is missing if it is None;
        None if items have no order.
        """

    def table(self, most: int) -> Table | None:
        """Return the distinct rows; None if they have more than `most` labels."""


class NumberCounter(Counter, Protocol):
    """A counter of items whose numbers were binned."""

    def example(self, role: str, code: int) -> Any:
        """Return a value of a role that became a code."""

    def sums(self) -> Fetched:
        """Return for every topic its name, 9 sums per system, and how many numbers of every
        column are not class numbers.
        """

    def numbers(self, most: int) -> dict[str, Array] | None:
        """Return the numbers of all items by role; None if there are more than `most`."""

    def examples(self, roles: Sequence[str], cells: Cells, k: int, classes: ItemClasses) -> Chosen:
        """Return some items of every cell, in the order of the hashes of their ids."""


class Unbinned(Protocol):
    """What must be known of data before its numbers are binned."""

    def extremes(self) -> tuple[float, float]:
        """Return the least and the largest number of gold and all predictions."""

    def whole_numbers(self, shift: float) -> list[Column]:
        """Return for every role the whole numbers at or below its shifted numbers."""

    def ordered(self) -> dict[str, tuple[Any, ...]]:
        """Return the categories of the roles that have an ordered type."""

    def classes(self, layout: Layout) -> tuple[str, ...]:
        """Return the roles whose values are declared labels: all, or some and no numbers."""


class FrameItems:
    """Gold labels and predictions in a data frame or in files, counted where the data is.

    An `ordeval.counts.CountSource`, made by `read` from a frame or by `open_files` from files.
    Counts are kept, and `joint` counts the single systems as well: call it before `counts` to read
    files only once.

    Parameters
    ----------
    counter : Counter
        Groups and counts the items.
    about : mapping, optional
        Where the data came from, and how they are read.
    remarks : sequence of Note, optional
        What was done to the data before, which `notices` begin with.

    Examples
    --------
    >>> import pandas as pd
    >>> from ordeval.io import FrameItems
    >>> frame = pd.DataFrame({"gold": [1, 2, 2], "a": [1, None, 1], "b": [2, 2, 2]})
    >>> items = FrameItems.read(frame, missing="skip")
    >>> items.counts().skipped
    1
    >>> items.notices
    ('Missing values: a: 1.',)
    """

    def __init__(
        self,
        counter: NumberCounter,
        about: Mapping[str, Any] | None = None,
        remarks: Sequence[Note] = (),
    ) -> None:
        layout = counter.layout
        given = {"sample_weight": layout.weight, "frequency": layout.frequency}
        numbers = {name: True for name, column in given.items() if column is not None}
        self.about: Mapping[str, Any] = {**(about or {}), **numbers}
        self._counter: Counter = counter
        self._original = counter
        self._remarks = tuple(remarks)
        self._groups: dict[Systems, Groups] = {}
        self._rows: dict[int, Rows | None] = {}

    @classmethod
    def read(
        cls,
        frame: "IntoFrame",
        *,
        gold: str = "gold",
        pred: Pred = None,
        topic: str | None = None,
        weight: str | None = None,
        frequency: str | None = None,
        cluster: str | None = None,
        labels: Classes = None,
        values: ClassNumbers = None,
        bins: BinsLike = None,
        missing: Missing = "error",
        na: MissingLabels = None,
        judge: str | None = None,
        labelled_rate: str | None = None,
        id: str | None = None,
        text: str | None = None,
    ) -> "FrameItems":
        """Choose the columns of a data frame; nothing is counted yet.

        Parameters
        ----------
        frame : frame
            A data frame of pandas, Polars (eager or lazy), PyArrow, DuckDB, PySpark, Dask or
            another library that narwhals knows. A lazy frame is grouped where its data is, and only
            the counts leave it: in one pass for the systems, in another one for the pairs.
        gold : str, default "gold"
            The column of gold labels.
        pred : str or sequence of str, optional
            The columns of predictions, one per system. By default every column without another
            role and not called "id", "topic", "weight", "frequency" or "cluster".
        topic : str, optional
            The column of topics.
        weight : str, optional
            The column of the importance of items, e.g. of design weights. Only the ratios of
            weights matter.
        frequency : str, optional
            The column of the number of items that a row stands for; whole numbers.
        cluster : str, optional
            The column of what items belong to (a patient, a document, …). Items of one cluster are
            resampled and exchanged together.
        labels : sequence, optional
            The classes from lowest to highest. Required unless the labels are integers or have an
            ordered categorical type.
        values : sequence or mapping, optional
            An increasing number per class; by default numeric labels themselves, else 1 to K.
        bins : {"round", "floor"} or sequence of float, optional
            How real numbers become classes: the nearest class (halves upwards), the highest class
            that is not above the number, or the edges between classes.
        missing : {"error", "skip", "worst"}, default "error"
            What to do about missing labels: raise an error; leave the item out of every system (and
            count it); or score a missing prediction as the class farthest from gold (the lower one
            if two are equally far).
        na : value or sequence of values, optional
            Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
            without surrounding spaces.
        judge : str, optional
            The column of the labels of a judge for all items, where gold labels of some are
            missing. The judge becomes the last system.
        labelled_rate : str, optional
            With a judge, the column of the rate at which items were labelled.
        id : str, optional
            The column that names items where they are shown with their texts.
        text : str, optional
            The column of texts that pages show with items. Frames of PySpark, Dask and other lazy
            ones are refused, except DuckDB relations, which need ids.

        Returns
        -------
        FrameItems
            The items. Labels are checked when they are counted.

        Raises
        ------
        InputError
            If a column is absent.

        Examples
        --------
        >>> import pandas as pd
        >>> from ordeval.io import FrameItems
        >>> frame = pd.DataFrame({"gold": [1, 2, 3, 3], "a": [1, 2, 3, 2], "b": [2, 2, 2, 2]})
        >>> counts = FrameItems.read(frame, labels=[1, 2, 3]).counts()
        >>> counts.systems
        ('a', 'b')
        >>> counts.table[0].astype(int).tolist()
        [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
        """
        numbered = NumberedFrame.of(frame)
        roles = {"topic": topic, "weight": weight, "frequency": frequency, "cluster": cluster}
        if judge is not None:
            refuse_beside_judge(
                topic=topic, weight=weight, cluster=cluster, bins=bins, text=text, missing=missing
            )
            roles["weight"] = labelled_rate
        elif labelled_rate is not None:
            raise rate_without_judge()
        layout = Layout.choose(
            list(dict.fromkeys(numbered.names)),
            text_name(gold),
            [text_name(name) for name in pred]
            if isinstance(pred, list | tuple)
            else text_name(pred),
            id=() if id is None else (text_name(id),),
            roles={role: text_name(name) for role, name in roles.items()},
            judge=text_name(judge),
            scale=None if labels is None else Scale.of(labels),
            values=values,
            missing=missing,
            na=na,
            texts=text_name(text),
        )
        shown = {} if text is None else {"text": text_name(text)}
        shown |= {} if text is None or id is None else {"item": text_name(id)}
        return cls(_counter(numbered, layout, bins, shown), layout.about)

    def counts(self) -> Counts:
        """Return the tables of all systems.

        Returns
        -------
        Counts
            Tables ``[system, (topic,) gold, predicted]``.
        """
        found = self._tabulation.counts()
        return found if self._moments is None else replace(found, moments=self._moments)

    @cached_property
    def _topic_sums(self) -> tuple[Floats, Floats]:
        """Sums over numbers `[system, topic, 9]`, and how many numbers are no class numbers."""
        layout, topics = self._original.layout, self._tabulation.topics
        rows = [list(row) for row in self._original.sums()]
        place = np.zeros(len(rows), dtype=np.intp)
        if layout.topic is not None:
            names = Factor.of(row.pop(0) for row in rows).as_names()
            place = np.asarray(positions(names, topics))
        array = np.asarray([[np.nan if x is None else x for x in row] for row in rows], dtype=float)
        own = len(layout.systems) * len(SUMS)
        between = np.nan_to_num(array[:, own:]).sum(axis=0)
        sums = np.zeros((max(1, len(topics)), own))
        np.add.at(sums, place[place >= 0], array[place >= 0, :own])
        return np.moveaxis(sums.reshape(len(sums), -1, len(SUMS)), 0, 1), between

    @cached_property
    def _moments(self) -> Floats | None:
        """Sums over numbers `[system, (topic,) 9]`; None where classes are used."""
        layout = self._original.layout
        if layout.bins is None or not layout.bins.raw or layout.classes:
            return None
        if self._tabulation.has_gaps and not layout.bins.numbers:
            return None  # no number stands for a missing one
        sums, between = self._topic_sums
        if not between.any() or np.isnan(sums).any():
            return None
        return sums if layout.topic is not None else sums[:, 0]

    def numbers(self, most: int) -> Numbers | None:
        """Return the numbers of all items that were binned.

        Parameters
        ----------
        most : int
            The largest number of numbers (items times columns).

        Returns
        -------
        Numbers or None
            The numbers; None if there are more.
        """
        layout = self._original.layout
        found = None if self._moments is None else self._original.numbers(most)
        if found is None or layout.bins is None:
            return None
        columns = tuple(np.asarray(found[name], dtype=np.float64) for name in layout.raw)
        topics: dict[str, Codes] = {}
        for role in ("topic", "cluster"):
            if role in found:
                names = Factor.of_column(read_column(found[role], role)).as_names()
                known = sorted_names(set(filter(None, names.values)))
                topics[role] = positions(
                    names, self._tabulation.topics if role == "topic" else known
                )
        return Numbers(
            columns,
            layout.bins.centre,
            np.asarray(found["frequency"], dtype=np.int64) if "frequency" in found else None,
            np.asarray(found["each"], dtype=np.float64) if "each" in found else None,
            **topics,
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
        found, layout = self._tabulation, self._original.layout
        if layout.texts is None:
            return None
        roles = ["gold", *(pred_role(layout.systems.index(system)) for system in systems)]
        k = found.scale.k
        cells = cells_of(len(systems), k, paired=paired)
        return Examples.of(systems, *self._original.examples(roles, cells, k, found.item_classes))

    def joint(self, pairs: Sequence[tuple[str, str]] | None = None) -> JointCounts:
        """Return the tables of pairs of systems.

        Parameters
        ----------
        pairs : sequence of (str, str), optional
            The pairs, by default all of them. Only these are counted and held in memory.

        Returns
        -------
        JointCounts
            Tables ``[pair, (topic,) gold, a, b]``.
        """
        if pairs is None:
            wanted = list(combinations(range(len(self._singles)), 2))
        else:
            place = {system: i for i, system in enumerate(self._counter.layout.systems)}
            wanted = [(place[a], place[b]) for a, b in pairs]
        found: dict[Systems, Groups] = {}
        if pairs is None and self._counter.pairs_first:
            found = self._pair_groups(wanted)
            for pair, i in product(wanted, (0, 1)):  # systems are contained in pairs
                self._groups.setdefault((pair[i],), found[pair].single(i))
        tabulation = self._tabulation
        return tabulation.joint(found or self._pair_groups(wanted))

    def _pair_groups(self, pairs: Sequence[tuple[int, int]]) -> dict[Systems, Groups]:
        """Count pairs of systems; what is found is not kept, because there may be many pairs."""
        ordered = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs))
        found = self._counter.count(ordered, self._groups) if ordered else {}
        return {(a, b): found[a, b] if (a, b) in found else found[b, a].swapped() for a, b in pairs}

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of the labels.

        Rows that agree in topic, cluster, weight, gold label and all predictions are one row with
        the number of its items. Once they are known, everything else is counted from them.

        Parameters
        ----------
        most : int
            The largest number of labels (rows times columns of labels).

        Returns
        -------
        Rows or None
            The rows, sorted; None if they have more than `most` labels.
        """
        if most not in self._rows:
            self._rows[most] = self._distinct_rows(most)
        return self._rows[most]

    def _distinct_rows(self, most: int) -> Rows | None:
        table, counter = self._counter.table(most), self._counter
        if table is None:
            return None
        self._become(TableCounter(table, counter.layout, counter.find))
        rows = self._tabulation.rows(table)
        if rows.labels.size > most:
            self._become(counter)
            return None
        return rows

    @property
    def judged(self) -> bool:
        """Whether the last system is a judge, and gold may be missing."""
        return self._counter.layout.judged

    def judged_rows(self, most: int) -> tuple[Rows | None, Scale, tuple[str, ...], int]:
        """Return the rows of gold, systems and judge.

        Parameters
        ----------
        most : int
            The largest number of labels (rows times columns of labels).

        Returns
        -------
        tuple
            The rows, in which K stands for missing gold labels, or None if there are too many;
            the scale; the names of systems and judge; and the number of items left out.
        """
        rows, found = self.rows(most), self._tabulation
        if rows is not None and not np.any(rows.labels[0] < found.scale.k):
            raise no_gold_error(f"{found.layout.where}{found.layout.gold}")
        return rows, found.scale, found.layout.systems, found.skipped

    def _become(self, counter: Counter) -> None:
        """Count with another counter from now on."""
        self._counter = counter
        self._groups = {}
        self.__dict__.pop("_tabulation", None)

    @property
    def has_topics(self) -> bool:
        """Whether there is a column of topics."""
        return self._counter.layout.topic is not None

    @property
    def has_clusters(self) -> bool:
        """Whether there is a column of clusters."""
        return self._counter.layout.cluster is not None

    @property
    def paired(self) -> bool:
        """Whether it is known what the systems predict for the same item."""
        return True

    @property
    def notices(self) -> Notes:
        """What was done to the data, to missing labels, and to numbers that are no classes."""
        layout, notices = self._original.layout, (*self._remarks, *self._tabulation.notices)
        if layout.bins is None:
            return notices
        found = zip(layout.rated, map(int, self._topic_sums[1]), strict=True)
        between = [(layout.columns[r], n) for r, n in found if r not in layout.classes]
        items, raw = self._tabulation.items, self._moments is not None
        classes = [layout.columns[role] for role in layout.classes]
        return (*notices, *layout.bins.notices(between, items, raw=raw, classes=classes))

    @cached_property
    def _tabulation(self) -> Tabulation:
        self._count(self._singles)
        groups = [self._groups[single] for single in self._singles]
        return Tabulation(self._counter.layout, groups, self._counter.find, self._original.example)

    @property
    def _singles(self) -> tuple[Systems, ...]:
        return tuple((i,) for i in range(len(self._counter.layout.systems)))

    def _count(self, wanted: Sequence[Systems]) -> None:
        """Count the systems or pairs that have not been counted yet."""
        new = [systems for systems in wanted if systems not in self._groups]
        if new:
            self._groups |= self._counter.count(new, self._groups)


def _counter(
    numbered: NumberedFrame, layout: Layout, bins: BinsLike, shown: Mapping[str, str]
) -> NumberCounter:
    """Return the counter of a frame; `shown` are the columns of texts and ids by role."""
    chosen = numbered.select({**layout.columns, **shown})
    if hasattr(chosen, "project"):  # a DuckDB relation
        if shown and "item" not in shown:
            raise _no_order("a DuckDB relation", "Name a column of ids with {id}.")
        return relation_counter(chosen, layout, bins)
    import narwhals as nw

    if shown and isinstance(chosen, nw.LazyFrame):
        raise _no_order("a lazy frame", "Collect the frame first, or leave {text} out.")
    chosen, texts = numbered.select(layout.columns), chosen.select(*shown) if shown else None
    if isinstance(chosen, nw.DataFrame):
        chosen = _without_object_codes(chosen, layout)
    chosen = _without_empty_groups(chosen, layout)
    if bins is None:
        return FrameCounter(chosen, layout, texts)
    chosen, layout = _without_codes(chosen, layout), replace(layout, na=None)
    layout = with_bins(layout, bins, FrameNumbers(chosen, layout))
    return FrameCounter(_binned(chosen, layout), layout, texts)


def _no_order(frame: str, hint: str) -> InputError:
    """Return the error for texts of rows that cannot be found again."""
    return InputError(
        f"text cannot be shown from {frame}, whose rows have no order.",
        parameter="text",
        hint=hint,
        suggest={"text": ..., "id": ...},
    )


def relation_counter(
    relation: Any,
    layout: Layout,
    bins: BinsLike,
    run: Callable[[Callable[[], Any]], Any] | None = None,
) -> RelationCounter:
    """Return the counter of a relation with a column per role."""
    relation = without_empty_groups(relation, layout)
    if bins is None:
        return RelationCounter(relation, layout, run)
    relation, layout = without_codes(relation, layout), replace(layout, na=None)
    numbers = RelationNumbers(relation, layout, run or (lambda job: job()))
    layout = with_bins(layout, bins, numbers)
    return RelationCounter(binned(relation, layout), layout, run)


def with_bins(layout: Layout, given: BinsLike, data: Unbinned) -> Layout:
    """Return a layout with cut points, and the roles that hold classes already."""
    scale = layout.scale
    if scale is None and needs_labels(given):
        ordered = data.ordered()
        if not ordered:
            raise undeclared_edges()
        categories = ((layout.columns[role], found) for role, found in ordered.items())
        none: Array = np.empty(0, dtype=np.intp)
        scale = Scale.resolve([Column(none, name, found, True) for name, found in categories])
    if scale is None:
        scale = _inferred(layout, str(given), data)
    scale = scale.with_values(layout.values)
    layout = replace(layout, scale=scale, bins=Bins.of(given, scale))
    return replace(layout, classes=data.classes(layout))


def _inferred(layout: Layout, rule: str, data: Unbinned) -> Scale:
    """Return the scale of the whole numbers that a rule makes of all numbers."""
    low, high = data.extremes()
    if np.isnan(low):
        raise InputError(f"{layout.where}there are no numbers to be binned.", parameter="bins")
    try:
        return inferred_scale(rule, low, high, data.whole_numbers)
    except ColumnError as problem:
        odd = [role for role in layout.rated if layout.columns[role] == problem.column]
        problem.message = f"{layout.start(odd[-1])}{problem.message}"
        raise


class TableCounter:
    """Count the distinct rows of a table in memory.

    Parameters
    ----------
    table : Table
        The rows.
    layout : Layout
        The original names of the columns, and how their values are read.
    find : callable
        Returns some items that have a value of a role, or whose value is missing if it is None;
        None if items have no order.
    """

    pairs_first = True

    def __init__(self, table: Table, layout: Layout, find: Find) -> None:
        self.layout, self.find = layout, find
        self._table = table
        self._complete = ~incomplete(table, layout)

    def count(
        self, wanted: Sequence[Systems], known: Mapping[Systems, Groups]
    ) -> dict[Systems, Groups]:
        """Return the rows as groups of systems or pairs."""
        return {systems: self._table.groups(systems, self._complete) for systems in wanted}

    def table(self, most: int) -> Table | None:
        """Return the rows; their number is judged after labels have been matched."""
        return self._table


class FrameCounter:
    """Count the items of a narwhals frame with a column per role.

    Parameters
    ----------
    frame : narwhals.DataFrame or narwhals.LazyFrame
        The frame. A lazy one is grouped where its data is; only groups are fetched.
    layout : Layout
        The original names of the columns, and how their values are read.
    texts : narwhals.DataFrame, optional
        The texts, and perhaps ids, of the same rows.
    """

    def __init__(self, frame: "Frame", layout: Layout, texts: Any = None) -> None:
        import narwhals as nw

        self._texts = texts
        self.layout = replace(layout, ordered=_ordered_categories(frame, layout))
        self._eager = self.pairs_first = isinstance(frame, nw.DataFrame)
        self._frame: Any = _prepared(frame, layout)
        self._bare: Any = frame
        self._schema = self._frame.collect_schema()

    def count(
        self, wanted: Sequence[Systems], known: Mapping[Systems, Groups]
    ) -> dict[Systems, Groups]:
        """Count systems, or pairs of systems that are `known`; of a lazy frame in one pass."""
        frame = self._flagged()
        if not self._eager and len(wanted[0]) > 1:
            return self._coded_pairs(frame, wanted, known)
        roles = [pred_role(systems[0]) for systems in wanted]
        if not self._eager and len({self._schema[name] for name in roles}) == 1:
            return dict(zip(wanted, self._unpivoted(frame, roles), strict=True))
        return {systems: self._grouped(frame, list(map(pred_role, systems))) for systems in wanted}

    def _flagged(self) -> Any:
        """Return the frame with all that is summed, and a flag for complete items if needed."""
        import narwhals as nw

        frame = _split(self._frame, self._shifts, self._times)
        if not self.layout.flagged:
            return frame
        present = map(self._present, self.layout.required)
        flag = nw.all_horizontal(*present, ignore_nulls=False)
        return frame.with_columns(flag.alias("complete"))

    @property
    def _times(self) -> str:
        """The column of the number of items of a row; empty without one."""
        return "" if self.layout.frequency is None else "items"

    def _present(self, name: str) -> Any:
        """Return an expression: a value is not missing."""
        present = _has_value(name, self._schema)
        coded = None if name in GROUPING else _is_code(name, self._schema[name], self.layout.codes)
        return present if coded is None else present & ~coded

    def _grouped(self, frame: Any, preds: Sequence[str]) -> Groups:
        keys = [*self.layout.keys, *preds]
        return Groups.of(self._rows(frame, keys), [*keys, *self._totals], preds)

    def _unpivoted(self, frame: Any, columns: Sequence[str]) -> list[Groups]:
        """Group by each of some columns in one pass over a row per item and column."""
        if len(columns) == 1:
            return [self._grouped(frame, columns)]
        index = [*self.layout.keys, *self._summed]
        long = frame.unpivot(on=columns, index=index, variable_name="system", value_name="pred")
        keys = ["system", *self.layout.keys, "pred"]
        parts: dict[str, Fetched] = {column: [] for column in columns}
        for row in self._rows(long, keys):
            parts[row[0]].append(row)
        names = [*keys, *self._totals]
        return [Groups.of(rows, names, ["pred"]) for rows in parts.values()]

    def _coded_pairs(
        self, frame: Any, pairs: Sequence[Systems], known: Mapping[Systems, Groups]
    ) -> dict[Systems, Groups]:
        """Count all pairs in one pass: both predictions of a pair as one number."""
        import narwhals as nw

        systems = range(len(self.layout.systems))
        seen = [[x for x in known[i,].labels[1].values if x is not None] for i in systems]
        base = max(map(len, seen)) + 1
        code = [self._position(pred_role(i), seen[i], base - 1) for i in systems]
        names = [f"pair{i}" for i in range(len(pairs))]
        coded = [
            (code[a] * base + code[b]).alias(n) for n, (a, b) in zip(names, pairs, strict=True)
        ]
        kept = map(nw.col, [*self.layout.keys, *self._summed])
        found = self._unpivoted(frame.select(*kept, *coded), names)
        label = [{**dict(enumerate(labels)), base - 1: None} for labels in seen]
        return {
            (a, b): _decoded(groups, base, label[a], label[b])
            for groups, (a, b) in zip(found, pairs, strict=True)
        }

    def _position(self, name: str, labels: Sequence[Any], missing: int) -> Any:
        """Return an expression: the position of a value among `labels`, or `missing`."""
        import narwhals as nw

        code = nw.lit(missing)
        for i, label in enumerate(labels):
            code = nw.when(nw.col(name) == nw.lit(label)).then(nw.lit(i)).otherwise(code)
        present = self._present(name)
        return nw.when(present).then(code).otherwise(nw.lit(missing)).cast(nw.Int64)

    def _rows(self, frame: Any, keys: Sequence[str]) -> Fetched:
        """Group a frame by some columns, add up items and weights, and fetch the rows."""
        totals = self._totals
        grouped = frame.group_by(*keys).agg(*self._sums(totals)).select(*keys, *totals)
        rows = grouped.rows() if self._eager else _fetched(grouped.head(MOST_GROUPS + 1))
        check_groups(rows, self.layout)
        return rows

    @property
    def _summed(self) -> list[str]:
        """The columns that are summed in groups."""
        times = ["items"] if self.layout.frequency is not None else []
        return [*times, *self._totals[1:]]

    @property
    def _totals(self) -> list[str]:
        """The sums of every group."""
        return ["items", *self._shifts.names, *self.layout.faults]

    @cached_property
    def _shifts(self) -> Shifts:
        """How weights and squared weights are split, so that their sums are exact."""
        if self.layout.weight is None:
            return Shifts({})
        (row,) = _rows(self._frame.select(*_range("each"), self._number_of_items))
        return Shifts.of_weights(*row)

    @property
    def _number_of_items(self) -> Any:
        """Return an expression: the number of all items."""
        import narwhals as nw

        return nw.len() if self.layout.frequency is None else nw.col("items").sum()

    def _sums(self, totals: Sequence[str]) -> list[Any]:
        """Return expressions for sums; without frequencies every row is an item."""
        import narwhals as nw

        return [
            nw.len().alias(name)
            if name == "items" and self.layout.frequency is None
            else nw.col(name).sum()
            for name in totals
        ]

    def table(self, most: int) -> Table | None:
        """Return the rows of an eager frame, or the distinct rows of a lazy one.

        None if the distinct rows of a lazy frame have more than `most` labels.
        """
        layout, (keys, totals) = self.layout, self._row_columns
        if self._eager:
            return self._every_row().merged()
        rows = most // (1 + len(layout.systems))
        grouped = self._frame.group_by(*keys).agg(*self._sums(totals)).select(*keys, *totals)
        found = _fetched_columns(grouped.head(rows + 1), [*keys, *totals])
        return None if len(found["items"].codes) > rows else _as_table(found, layout)

    @property
    def _row_columns(self) -> tuple[list[str], list[str]]:
        """The columns that tell rows apart, and those that are added up."""
        keys = [*self.layout.labelled, *(["each"] if self.layout.weight is not None else [])]
        return keys, ["items", *(name for name in self.layout.faults if name != "no_cluster")]

    def _every_row(self) -> Table:
        """Return the rows of an eager frame."""
        import narwhals as nw

        frame, (keys, totals) = self._frame, self._row_columns
        if self.layout.frequency is None:
            frame = frame.with_columns(nw.lit(1).alias("items"))
        return _as_table(_eager_columns(frame, [*keys, *totals]), self.layout)

    def examples(self, roles: Sequence[str], cells: Cells, k: int, classes: ItemClasses) -> Chosen:
        """Return some items of every cell, in the order of the hashes of their ids."""
        table = self._every_row()
        kept = np.flatnonzero(table.present & ~incomplete(table, self.layout))
        labels = classes({role: table.columns[role].take(kept) for role in roles})
        ids = self._ids(kept)
        chosen, most = choose(labels, k, ids, cells)
        texts = _taken(self._texts["text"], kept[chosen])
        return [ids[i] for i in chosen], texts, labels[:, chosen], most

    def _ids(self, kept: Codes) -> list[Any]:
        """Return the ids of some items: of their column, the index, or positions from 1."""
        if "item" in self._texts.columns:
            return _taken(self._texts["item"], kept)
        names = row_names(self._texts["text"].to_native())
        return (kept + 1).tolist() if names is None else [names[i] for i in kept]

    def example(self, role: str, code: int) -> Any:
        """Return a value of a role that became a code."""
        import narwhals as nw

        found = self._bare.filter(nw.col(role) == int(code)).select(f"text_{role}").head(1)
        rows = found.rows() if self._eager else _fetched(found)
        return rows[0][0] if rows else None

    def sums(self) -> Fetched:
        """Return for every topic its sums over numbers, and numbers that are no class numbers."""
        import narwhals as nw

        terms, others = _terms_of(self.layout), _no_class_numbers(self.layout)
        keys = self.layout.optional_topic
        made = self._with_numbers().select(
            *keys,
            *([self._times] if self._times else []),
            *(term.alias(name) for name, term in {**terms, **others}.items()),
        )
        ends = [end for name in terms for end in _range(name)]
        (row,) = _rows(made.select(*ends, self._number_of_items))
        shifts = Shifts.of_terms(list(terms), row)
        names = [*shifts.names, *others]
        sums = [nw.col(name).sum() for name in names]
        parts = _split(made, shifts, self._times)
        grouped = parts.group_by(*keys).agg(*sums) if keys else parts.select(*sums)
        found = _rows(grouped.select(*keys, *names))
        return [(*row[: len(keys)], *shifts.rounded(row[len(keys) :])) for row in found]

    def numbers(self, most: int) -> dict[str, Array] | None:
        """Return the numbers of all items by role; None if there are more than `most`."""
        layout, rows = self.layout, most // (1 + len(self.layout.systems))
        columns = [*layout.raw, *(r for r in ("topic", "cluster") if layout.columns.get(r))]
        columns += ["each"] * (layout.weight is not None)
        columns += ["items"] * (layout.frequency is not None)
        frame = self._with_numbers().select(*columns)
        found = _columns_of(frame if self._eager else frame.head(rows + 1), columns)
        if "items" in found:
            found["frequency"] = found.pop("items")
        return None if len(found[layout.raw[0]]) > rows else found

    def _with_numbers(self) -> Any:
        """Return the items that are scored, with the farthest class in place of missing numbers."""
        import narwhals as nw

        layout, frame = self.layout, self._frame
        if layout.missing == "skip":
            frame = frame.filter(
                nw.all_horizontal(*map(self._present, layout.labelled), ignore_nulls=False)
            )
        if layout.numbers:
            frame = frame.filter(nw.col("present"))
        assert layout.bins is not None
        if layout.missing == "worst" and layout.bins.numbers:
            low, high, gold = layout.bins.numbers[0], layout.bins.numbers[-1], nw.col("raw_gold")
            far = nw.when(gold - low >= high - gold).then(nw.lit(low)).otherwise(nw.lit(high))
            filled = [
                nw.when(nw.col(name).is_null()).then(far).otherwise(nw.col(name)).alias(name)
                for name in layout.raw[1:]
            ]
            frame = frame.with_columns(*filled)
        return frame

    def find(self, name: str, value: Any) -> Places | None:
        """Return the first items that have a value of a role, or none; None for a lazy frame."""
        if not self._eager:
            return None
        if value is None:
            found = self._frame.with_row_index("item").filter(~self._present(name)).head(SHOWN)
            return "position", found["item"].to_list()
        # Objects of any type are compared, which frames cannot.
        given = enumerate(self._frame[name].to_list())
        places = (i for i, label in given if not is_missing(label) and label == value)
        return "position", list(islice(places, SHOWN))


def _taken(series: Any, chosen: Codes) -> list[Any]:
    """Return some values of a series, None where one is missing."""
    return [None if is_missing(value) else value for value in series[chosen.tolist()].to_list()]


def _decoded(
    groups: Groups, base: int, first: Mapping[int, Any], second: Mapping[int, Any]
) -> Groups:
    """Return groups with the two labels of a pair instead of its number."""
    gold, coded = groups.labels
    codes = [divmod(int(code), base) for code in coded.values]
    a = replace(coded, values=tuple(first[code] for code, _ in codes))
    b = replace(coded, values=tuple(second[code] for _, code in codes))
    return replace(groups, labels=(gold, a, b))


def _fetched(frame: Any) -> Fetched:
    """Compute a lazy frame, without PyArrow where the library can give rows itself."""
    if frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect():
        return list(frame.to_native().collect())
    if frame.implementation.is_polars():
        return list(frame.to_native().collect(engine="streaming").rows())
    return list(frame.collect().rows())


def _fetched_columns(frame: Any, names: Sequence[str]) -> dict[str, Factor]:
    """Compute a lazy frame and return its columns."""
    import narwhals as nw

    if frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect():
        rows = _fetched(frame)
        return {name: Factor.of(row[i] for row in rows) for i, name in enumerate(names)}
    if frame.implementation.is_polars():
        return _eager_columns(nw.from_native(frame.to_native().collect(engine="streaming")), names)
    return _eager_columns(frame.collect(), names)


def _eager_columns(frame: Any, names: Sequence[str]) -> dict[str, Factor]:
    found = {}
    for name in names:
        try:
            found[name] = Factor.of_column(read_column(frame[name].to_native(), name))
        except InputError:  # values that are no labels are refused later, with the column's name
            found[name] = Factor.of(frame[name].to_list())
    return found


def _as_table(columns: Mapping[str, Factor], layout: Layout) -> Table:
    """Return fetched columns as a table."""

    def numbers(name: str) -> Array:
        return columns[name].spread([value or 0 for value in columns[name].values])

    faults = [name for name in layout.faults if name != "no_cluster"]
    return Table(
        {role: columns[role] for role in layout.labelled},
        numbers("items").astype(np.int64),
        numbers("each").astype(np.float64) if layout.weight is not None else None,
        {name: numbers(name).astype(np.int64) for name in faults},
    )


def _prepared(frame: "Frame", layout: Layout) -> "Frame":
    """Return a frame whose labels can be grouped and whose numbers can be added up."""
    import narwhals as nw

    schema = frame.collect_schema()
    for name in layout.labelled:
        if schema[name].is_nested():
            raise nested_error(layout, name, schema[name])
    lazy = isinstance(frame, nw.LazyFrame)
    columns = [_plain(name, schema[name], lazy) for name in layout.labelled]
    columns += [nw.col(name) for name in layout.raw]
    for role in layout.numbers:
        columns += _usable(layout, role, schema[role])
    if layout.cluster is not None:
        columns.append((~_has_value("cluster", schema)).cast(nw.Int64).alias("no_cluster"))
    made, found = _products(layout), frame.select(*columns)
    return found.with_columns(*made) if made else found


def _without_object_codes(frame: Any, layout: Layout) -> Any:
    """Return a frame whose columns of Python objects hold no codes for missing labels.

    They are read as in memory: without codes and gaps, numbers are numbers again. So are weights
    and frequencies.
    """
    import narwhals as nw

    found = []
    dtype: Any
    for role in layout.labelled:
        if not _holds_objects(frame[role]):
            continue
        values = frame[role].to_list()
        with suppress(TypeError):  # lists are refused as labels later
            absent = is_no_group if role in GROUPING else layout.is_absent
            values = [None if absent(x) else x for x in values]
        present = [x for x in values if x is not None]
        if present and all(is_number(x) and abs(x) < _EXACT for x in present):
            whole = len(present) == len(values) and all(isinstance(x, int) for x in present)
            dtype = nw.Int64 if whole else nw.Float64
        elif not frame.implementation.is_pyarrow():  # Arrow has no columns of objects
            dtype = nw.Object
        else:
            continue
        found.append(nw.new_series(role, values, dtype, backend=frame.implementation))
    for role in layout.numbers:
        if frame[role].dtype in (nw.Object, nw.Unknown, nw.Categorical, nw.Enum):
            with suppress(InputError):  # other values are refused later
                numbers = read_numbers(frame[role].to_native(), role)
                column = nw.new_series(role, numbers, nw.Float64, backend=frame.implementation)
                found.append(column)
    return frame.with_columns(*found) if found else frame


def _holds_objects(series: Any) -> bool:
    """Whether a column holds Python objects, or categories without order that are no texts."""
    import narwhals as nw

    if series.dtype == nw.Categorical:
        column = read_column(series.to_native(), series.name)
        of_text = column.categories is not None and all(
            isinstance(c, str) for c in column.categories
        )
        return not (column.ordered or of_text)
    return series.dtype in (nw.Object, nw.Unknown)


def _without_empty_groups(frame: "Frame", layout: Layout) -> "Frame":
    """Return a frame in which topics and clusters that are empty texts are missing."""
    import narwhals as nw

    schema, found = frame.collect_schema(), []
    for role in (role for role in GROUPING if role in schema):
        dtype = schema[role]
        may_be = "" in dtype.categories if isinstance(dtype, nw.Enum) else dtype == nw.Categorical
        if may_be or dtype == nw.String:
            given = nw.col(role).cast(nw.String) != ""
            found.append(nw.when(given).then(nw.col(role)).alias(role))
    return frame.with_columns(*found) if found else frame


def _without_codes(frame: "Frame", layout: Layout) -> "Frame":
    """Return a frame without codes for missing labels, which must not be binned."""
    import narwhals as nw

    schema, found = frame.collect_schema(), []
    for role in layout.labelled:
        code = None if role in GROUPING else _is_code(role, schema[role], layout.codes)
        if code is not None:
            found.append(nw.when(~code).then(nw.col(role)).alias(role))
    return frame.with_columns(*found) if found else frame


class FrameNumbers:
    """What must be known of a frame, with a column per role, before its numbers are binned.

    Parameters
    ----------
    frame : narwhals.DataFrame or narwhals.LazyFrame
        The frame.
    layout : Layout
        The original names of the columns, and how their values are read.
    """

    def __init__(self, frame: "Frame", layout: Layout) -> None:
        self._frame, self._layout = frame, layout
        self._schema = frame.collect_schema()

    def extremes(self) -> tuple[float, float]:
        """Return the least and the largest number of gold and all predictions."""
        ends = []
        for role in self._numeric:
            value = _number(role, self._schema)
            ends += [value.min().alias(f"low_{role}"), value.max().alias(f"high_{role}")]
        row = _rows(self._frame.select(*ends))[0] if ends else ()
        found = [float(x) for x in row if x is not None and x == x]
        return (min(found), max(found)) if found else (np.nan, np.nan)

    def whole_numbers(self, shift: float) -> list[Column]:
        """Return for every role the whole numbers at or below its shifted numbers."""
        found = {}
        for role in self._numeric:
            whole = (_number(role, self._schema) + shift).floor().alias(role)
            values = [x for (x,) in _rows(self._frame.select(whole).unique())]
            found[role] = [int(x) for x in values if x is not None and np.isfinite(x)]
        names = self._layout.columns
        return [Column(np.asarray(xs, np.int64), names[r]) for r, xs in found.items() if xs]

    def ordered(self) -> dict[str, tuple[Any, ...]]:
        """Return the categories of the roles that have an ordered type."""
        found = _ordered_categories(self._frame, self._layout)
        return {role: found[role] for role in self._layout.rated if role in found}

    def classes(self, layout: Layout) -> tuple[str, ...]:
        """Return the roles whose values are declared labels: all, or some and no numbers."""
        import narwhals as nw

        assert layout.bins is not None
        assert layout.scale is not None
        cut = () if layout.bins.leave_labels(layout.scale) else self._numeric
        roles, checks = [role for role in layout.rated if role not in cut], list[Any]()
        for role in roles:
            if self._schema[role].is_nested():
                raise nested_error(layout, role, self._schema[role])
            present = _has_value(role, self._schema)
            value, labels = _comparable(role, self._schema, layout.scale)
            known = present & value.is_in(list(labels)) if labels else nw.lit(False) & present
            both = {"n": present, "known": known}
            checks += [x.cast(nw.Int64).sum().alias(f"{n}_{role}") for n, x in both.items()]
        row = _rows(self._frame.select(*checks))[0] if checks else ()
        found, numeric = zip(roles, row[::2], row[1::2], strict=True), self._numeric
        return tuple(
            role for role, n, known in found if known and (known == n or role not in numeric)
        )

    @property
    def _numeric(self) -> list[str]:
        """The roles that hold numbers."""
        return [role for role in self._layout.rated if _is_numeric(self._schema[role])]


def _rows(frame: Any) -> Fetched:
    """Return the rows of an eager or a lazy frame; every kind of "missing" is None."""
    import narwhals as nw

    found = frame.rows() if isinstance(frame, nw.DataFrame) else _fetched(frame)
    return [tuple(None if is_missing(x) else x for x in row) for row in found]


def _is_numeric(dtype: Any) -> bool:
    import narwhals as nw

    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _number(role: str, schema: Any) -> Any:
    """Return an expression: the number of a value, null where it is missing."""
    import narwhals as nw

    value = nw.col(role).cast(nw.Int64) if schema[role] == nw.Boolean else nw.col(role)
    # Negative zero becomes 0, because Arrow does not find it among numbers.
    return nw.when(_has_value(role, schema)).then(value.cast(nw.Float64) + 0.0)


def _comparable(role: str, schema: Any, scale: Scale) -> tuple[Any, dict[Any, int]]:
    """Return a column as an expression, and the labels that it can hold with their classes."""
    import narwhals as nw

    dtype, index, value = schema[role], scale.index, nw.col(role)
    if _is_numeric(dtype):
        wanted = is_number if dtype != nw.Boolean else lambda x: isinstance(x, (bool, int))
        return _number(role, schema), {float(x): i for x, i in index.items() if wanted(x)}
    if dtype not in (nw.String, nw.Enum, nw.Categorical):
        return value, {}
    # As in memory, the text "1" is not 1, but a category may be a number.
    known = set(dtype.categories) if isinstance(dtype, nw.Enum) else set()
    texts = {str(x): i for x, i in index.items() if isinstance(x, str) or x in known}
    return value.cast(nw.String), texts


def _binned(frame: "Frame", layout: Layout) -> "Frame":
    """Return a frame whose labels are codes of classes, beside the numbers and the values."""
    import narwhals as nw

    schema, bins, columns = frame.collect_schema(), layout.bins, []
    assert bins is not None
    for role in layout.columns:
        if role in OPTIONAL:
            columns.append(nw.col(role))
            continue
        number = nw.lit(None).cast(nw.Float64)
        if role in layout.classes:
            code = _class_code(role, schema, layout)
        elif _is_numeric(schema[role]):
            number, code = _number_and_code(role, schema, bins)
        else:
            code = nw.when(nw.col(role).is_null()).then(nw.lit(None)).otherwise(nw.lit(NO_NUMBER))
        columns += [
            nw.col(role).alias(f"text_{role}"),
            code.cast(nw.Float64).alias(role),
            number.alias(raw_column(role)),
        ]
    return frame.select(*columns)


def _class_code(role: str, schema: Any, layout: Layout) -> Any:
    """Return an expression: the class of a label; null where it is missing, else NO_NUMBER."""
    import narwhals as nw

    assert layout.scale is not None
    value, labels = _comparable(role, schema, layout.scale)
    code = nw.lit(0)
    for label, i in labels.items():
        code = code + (value == label).cast(nw.Int64) * i
    code = nw.when(value.is_in(list(labels))).then(code).otherwise(nw.lit(NO_NUMBER))
    return nw.when(_has_value(role, schema)).then(code)


def _number_and_code(role: str, schema: Any, bins: Bins) -> tuple[Any, Any]:
    """Return expressions for the number of a value, null where it is missing, and its code."""
    import narwhals as nw

    x, present = _number(role, schema), _has_value(role, schema)
    code = nw.lit(0)
    for cut in bins.cuts:
        code = code + (x >= cut).cast(nw.Int64)
    top = len(bins.cuts) + 1
    code = (
        nw.when(x > bins.high if bins.closed else x >= bins.high).then(nw.lit(top)).otherwise(code)
    )
    code = nw.when(x < bins.low).then(nw.lit(BELOW)).otherwise(code)
    if schema[role].is_float():
        infinite = (x == np.inf) | (x == -np.inf)
        code = nw.when(infinite).then(nw.lit(NO_NUMBER)).otherwise(code)
    return x, nw.when(present).then(code)


def _terms_of(layout: Layout) -> dict[str, Any]:
    """Return what is summed, by name: 9 terms per system (see `ordeval.moments`)."""
    import narwhals as nw

    assert layout.bins is not None
    gold, found = nw.col("raw_gold"), list[Any]()
    g = gold - layout.bins.centre
    one = g * 0.0 + 1.0  # a column: a literal alone is not summed over rows
    w = nw.col("each") if layout.weight is not None else one
    for name in layout.raw[1:]:
        p, d = nw.col(name) - layout.bins.centre, nw.col(name) - gold
        found += [w * one, w * w, w * g, w * p, w * g * g, w * p * p, w * g * p, w * d.abs()]
        found.append(w * (d * d))
    return {f"term{i}_": term for i, term in enumerate(found)}


def _no_class_numbers(layout: Layout) -> dict[str, Any]:
    """Return which numbers are no class numbers, to be summed, by name."""
    import narwhals as nw

    assert layout.bins is not None
    times = nw.col("items") if layout.frequency is not None else 1.0
    found = {}
    for name in layout.raw:
        other = ~nw.col(name).is_in(list(layout.bins.numbers)) & ~nw.col(name).is_null()
        found[f"other_{name}"] = other.cast(nw.Float64) * times
    return found


def _range(name: str) -> list[Any]:
    """Return the least and the largest size of a column's numbers, apart from 0."""
    import narwhals as nw

    size = nw.col(name).abs()
    least = nw.when(size > 0).then(size).min()
    return [least.alias(f"least_{name}"), size.max().alias(f"most_{name}")]


def _split(frame: Any, shifts: Shifts, times: str) -> Any:
    """Return a frame with the parts of columns, times how often a row is added."""
    import narwhals as nw

    most = max((len(found) for found in shifts.given.values()), default=0)
    for i in range(most + bool(shifts.given)):  # all columns at once: frames plan every step
        parts, rests = list[Any](), list[Any]()
        for name, found in shifts.given.items():
            rest = nw.col(name if i == 0 else f"rest_{name}")
            part = f"{name}{i}"
            if i < len(found):
                parts.append(((rest + found[i]) - found[i]).alias(part))
                rests.append((rest - nw.col(part)).alias(f"rest_{name}"))
            elif i == len(found):
                parts.append((rest + 0.0).alias(part))
        frame = frame.with_columns(*parts)
        frame = frame.with_columns(*rests) if rests else frame
    if not times or not shifts.given:
        return frame
    return frame.with_columns(*(nw.col(name) * nw.col(times) for name in shifts.names))


def _columns_of(frame: Any, names: Sequence[str]) -> dict[str, Array]:
    """Compute a frame and return its columns as arrays."""
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame):
        spark = frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect()
        if spark or not frame.implementation.is_polars():
            rows = _fetched(frame)
            return {name: _array([row[i] for row in rows]) for i, name in enumerate(names)}
        frame = nw.from_native(frame.to_native().collect(engine="streaming"))
    return {
        name: _array(frame[name].to_list())
        if name in ("topic", "cluster")
        else frame[name].to_numpy()
        for name in names
    }


def _array(values: Sequence[Any]) -> Array:
    return read_column(list(values), "values").data


def _has_value(name: str, schema: Any) -> Any:
    """Return an expression: a value is not missing."""
    import narwhals as nw

    present = ~nw.col(name).is_null()
    return present & ~nw.col(name).is_nan() if schema[name].is_float() else present


def _is_code(name: str, dtype: Any, codes: MissingCodes) -> Any | None:
    """Return an expression: a value is a code for a missing label; None if it cannot be one."""
    import narwhals as nw

    if dtype.is_numeric():
        numbers = nw.col(name).cast(nw.Float64)
        return numbers.is_in(codes.numbers).fill_null(False) if codes.numbers else None
    if dtype == nw.Boolean:
        truth = [value for value in (True, False) if value in codes]
        return nw.col(name).is_in(truth).fill_null(False) if truth else None
    if not codes or not (dtype == nw.String or dtype == nw.Enum or dtype == nw.Categorical):
        return None
    words = nw.col(name).cast(nw.String)
    if isinstance(dtype, nw.Enum):
        return words.is_in([str(c) for c in dtype.categories if c in codes]).fill_null(False)
    words = words.str.strip_chars()
    return words.is_in(codes.texts).fill_null(False)


def _usable(layout: Layout, role: str, dtype: Any) -> list[Any]:
    """Return a weight or frequency, 0 where it is unusable, and its faults."""
    import narwhals as nw

    if not _is_numeric(dtype):
        raise number_error(layout, role, f"holds {dtype} values, not numbers")
    number = _number(role, {role: dtype})
    usable = ((number >= 0) & (number < LARGEST_NUMBER[role])).fill_null(False)
    usable &= ~number.is_null()
    found = {
        "each" if role == "weight" else "items": nw.when(usable).then(number).otherwise(0.0),
        f"bad_{role}": (~usable).cast(nw.Int64),
    }
    if role == "frequency":
        found["part"] = (usable & (number.floor() != number).fill_null(False)).cast(nw.Int64)
    return [column.alias(name) for name, column in found.items()]


def _products(layout: Layout) -> list[Any]:
    """Return what is made of weights and frequencies."""
    import narwhals as nw

    each, items = nw.col("each"), nw.col("items")
    times = layout.frequency is not None
    found = {}
    if layout.weight is not None:
        present = (each > 0) & (items > 0) if times else each > 0
        found = {"weight": each, "squares": each * each, "present": present}
    elif times:
        found = {"present": items > 0}
    if layout.cluster is not None and times:
        found["no_cluster"] = nw.col("no_cluster") * items
    return [column.alias(name) for name, column in found.items()]


def _plain(name: str, dtype: Any, lazy: bool) -> Any:
    """Return a column in a type that every library can group by.

    Categories become text, because groups of two categorical types do not mix; half-precision
    numbers become longer ones, because pandas does not group by them.
    """
    import narwhals as nw

    of_text = dtype == nw.Enum and all(isinstance(c, str) for c in dtype.categories)
    if dtype == nw.Categorical or (of_text and lazy):
        return nw.col(name).cast(nw.String)
    half = dtype.is_float() and dtype not in (nw.Float32, nw.Float64)
    return nw.col(name).cast(nw.Float32) if half else nw.col(name)


def _ordered_categories(frame: "Frame", layout: Layout) -> dict[str, tuple[Any, ...]]:
    """Return the categories of the labels that have an ordered type."""
    import narwhals as nw

    found = {}
    for name in layout.labelled:
        dtype = frame.collect_schema()[name]
        if isinstance(dtype, nw.Enum):
            found[name] = tuple(dtype.categories)
        elif dtype == nw.Categorical and frame.implementation.is_pyarrow():
            found[name] = _arrow_categories(frame.to_native()[name])
    return {name: categories for name, categories in found.items() if categories}


def _arrow_categories(column: Any) -> tuple[Any, ...]:
    """Return the categories of an Arrow dictionary column if they are ordered, else nothing."""
    if not column.type.ordered or not column.num_chunks:
        return ()
    return tuple(column.unify_dictionaries().chunk(0).dictionary.to_pylist())
