"""Items of data frames and files, counted where the data is."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Protocol

from ..counts import Counts, JointCounts
from ..errors import InputError
from ..scale import Scale
from ..types import Classes, ClassNumbers, Missing
from .engine import identifier
from .relations import RelationCounter
from .tabulation import (
    MOST_GROUPS,
    SHOWN,
    WEIGHTS,
    Groups,
    Layout,
    Places,
    Pred,
    Rows,
    Systems,
    Tabulation,
    check_groups,
    nested_error,
    pred_role,
    weight_error,
)

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.typing import IntoFrame

    Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]


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

    def find_missing(self, name: str) -> Places | None:
        """Return some items whose value of a role is missing, or None if items have no order."""


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
        Where the data came from.

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

    def __init__(self, counter: Counter, about: Mapping[str, Any] | None = None) -> None:
        self.about: Mapping[str, Any] = dict(about or {})
        self._counter = counter
        self._groups: dict[Systems, Groups] = {}

    @classmethod
    def read(
        cls,
        frame: "IntoFrame",
        *,
        gold: str = "gold",
        pred: Pred = None,
        topic: str | None = None,
        weight: str | None = None,
        labels: Classes = None,
        values: ClassNumbers = None,
        missing: Missing = "error",
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
            The columns of predictions, one per system. By default every column other than `gold`,
            `topic` and `weight`, and not called "id", "topic" or "weight".
        topic : str, optional
            The column of topics.
        weight : str, optional
            The column of item weights.
        labels : sequence, optional
            The classes from lowest to highest. Required unless the labels are integers or have an
            ordered categorical type.
        values : sequence or mapping, optional
            Strictly increasing numbers, one per class, for scales with unequal steps.
        missing : {"error", "skip", "worst"}, default "error"
            What to do about missing labels: raise an error; leave the item out of every system (and
            count it); or score a missing prediction as the class farthest from gold (the lower one
            if two are equally far).

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
        found = _known_frame(frame)
        layout = Layout.choose(
            list(found.columns),
            gold,
            pred,
            topic,
            weight,
            scale=None if labels is None else Scale.of(labels),
            values=values,
            missing=missing,
        )
        return cls(_counter(found, layout))

    def counts(self) -> Counts:
        """Return the tables of all systems.

        Returns
        -------
        Counts
            Tables ``[system, (topic,) gold, predicted]``.
        """
        return self._tabulation.counts()

    def joint(self) -> JointCounts:
        """Return the tables of all pairs of systems.

        Returns
        -------
        JointCounts
            Tables ``[pair, (topic,) gold, a, b]``.
        """
        pairs = tuple(combinations(range(len(self._singles)), 2))
        if self._counter.pairs_first:
            self._count(pairs)
            for pair, i in product(pairs, (0, 1)):  # systems are contained in pairs
                self._groups.setdefault((pair[i],), self._groups[pair].single(i))
        tabulation = self._tabulation
        self._count(pairs)
        return tabulation.joint({pair: self._groups[pair] for pair in pairs})

    @property
    def has_topics(self) -> bool:
        """Whether there is a column of topics."""
        return self._counter.layout.topic is not None

    @property
    def notices(self) -> tuple[str, ...]:
        """What was done about missing labels."""
        return self._tabulation.notices

    @cached_property
    def _tabulation(self) -> Tabulation:
        self._count(self._singles)
        groups = [self._groups[single] for single in self._singles]
        return Tabulation(self._counter.layout, groups, self._counter.find_missing)

    @property
    def _singles(self) -> tuple[Systems, ...]:
        return tuple((i,) for i in range(len(self._counter.layout.systems)))

    def _count(self, wanted: Sequence[Systems]) -> None:
        """Count the systems or pairs that have not been counted yet."""
        new = [systems for systems in wanted if systems not in self._groups]
        if new:
            self._groups |= self._counter.count(new, self._groups)


def _known_frame(frame: Any) -> Any:
    """Return a DuckDB relation itself, and any other frame as a narwhals frame."""
    duckdb = sys.modules.get("duckdb")
    if duckdb is not None and isinstance(frame, duckdb.DuckDBPyRelation):
        return frame
    import narwhals as nw

    try:
        found = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"{type(frame).__name__} is not a known kind of data frame; pass one of pandas, "
            "Polars, PyArrow, DuckDB, PySpark or Dask, or use Counts.from_labels for arrays."
        ) from None
    return found.to_native() if found.implementation.is_duckdb() else found


def _counter(frame: Any, layout: Layout) -> Counter:
    """Return the counter of a frame, with columns renamed after their roles."""
    if hasattr(frame, "project"):  # a DuckDB relation
        columns = (f"{identifier(old)} AS {new}" for new, old in layout.columns.items())
        return RelationCounter(frame.project(", ".join(columns)), layout)
    import narwhals as nw

    roles = [nw.col(old).alias(new) for new, old in layout.columns.items()]
    return FrameCounter(frame.select(*roles), layout)


class FrameCounter:
    """Count the items of a narwhals frame with the columns gold, p0, p1, …, topic and weight.

    Parameters
    ----------
    frame : narwhals.DataFrame or narwhals.LazyFrame
        The frame. A lazy one is grouped where its data is; only groups are fetched.
    layout : Layout
        The original names of the columns, and how their values are read.
    """

    def __init__(self, frame: "Frame", layout: Layout) -> None:
        import narwhals as nw

        self.layout = replace(layout, ordered=_ordered_categories(frame, layout))
        self._eager = self.pairs_first = isinstance(frame, nw.DataFrame)
        self._frame: Any = _prepared(frame, layout)
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
        """Return the frame, with a flag for complete items if it is needed."""
        import narwhals as nw

        if not self.layout.flagged:
            return self._frame
        present = map(self._present, self.layout.labelled)
        flag = nw.all_horizontal(*present, ignore_nulls=False)
        return self._frame.with_columns(flag.alias("complete"))

    def _present(self, name: str) -> Any:
        """Return an expression: a value is not missing."""
        import narwhals as nw

        present = ~nw.col(name).is_null()
        return present & ~nw.col(name).is_nan() if self._schema[name].is_float() else present

    def _grouped(self, frame: Any, preds: Sequence[str]) -> Groups:
        keys = [*self.layout.keys, *preds]
        return Groups.of(self._rows(frame, keys), [*keys, *self.layout.totals], preds)

    def _unpivoted(self, frame: Any, columns: Sequence[str]) -> list[Groups]:
        """Group by each of some columns in one pass over a row per item and column."""
        if len(columns) == 1:
            return [self._grouped(frame, columns)]
        index = [*self.layout.keys, *self.layout.totals[1:]]
        long = frame.unpivot(on=columns, index=index, variable_name="system", value_name="pred")
        keys = ["system", *self.layout.keys, "pred"]
        parts: dict[str, Rows] = {column: [] for column in columns}
        for row in self._rows(long, keys):
            parts[row[0]].append(row)
        names = [*keys, *self.layout.totals]
        return [Groups.of(rows, names, ["pred"]) for rows in parts.values()]

    def _coded_pairs(
        self, frame: Any, pairs: Sequence[Systems], known: Mapping[Systems, Groups]
    ) -> dict[Systems, Groups]:
        """Count all pairs in one pass: both predictions of a pair as one number."""
        import narwhals as nw

        systems = range(len(self.layout.systems))
        seen = [[x for x in dict.fromkeys(known[i,].labels[1]) if x is not None] for i in systems]
        base = max(map(len, seen)) + 1
        code = [self._position(pred_role(i), seen[i], base - 1) for i in systems]
        names = [f"pair{i}" for i in range(len(pairs))]
        coded = [
            (code[a] * base + code[b]).alias(n) for n, (a, b) in zip(names, pairs, strict=True)
        ]
        kept = map(nw.col, [*self.layout.keys, *self.layout.totals[1:]])
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

    def _rows(self, frame: Any, keys: Sequence[str]) -> Rows:
        """Group a frame by some columns, add up items and weights, and fetch the rows."""
        import narwhals as nw

        items, *weights = self.layout.totals
        totals = [nw.len().alias(items), *(nw.col(name).sum() for name in weights)]
        grouped = frame.group_by(*keys).agg(*totals).select(*keys, items, *weights)
        rows = grouped.rows() if self._eager else _fetched(grouped.head(MOST_GROUPS + 1))
        check_groups(rows, self.layout)
        return rows

    def find_missing(self, name: str) -> Places | None:
        """Return the first items whose value of a role is missing; None for a lazy frame."""
        if not self._eager:
            return None
        found = self._frame.with_row_index("item").filter(~self._present(name)).head(SHOWN)
        return "position", found["item"].to_list()


def _decoded(
    groups: Groups, base: int, first: Mapping[int, Any], second: Mapping[int, Any]
) -> Groups:
    """Return groups with the two labels of a pair instead of its number."""
    gold, coded = groups.labels
    codes = [divmod(int(code), base) for code in coded]
    preds = [first[a] for a, _ in codes], [second[b] for _, b in codes]
    return replace(groups, labels=(gold, *preds))


def _fetched(frame: Any) -> Rows:
    """Compute a lazy frame, without PyArrow where the library can give rows itself."""
    if frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect():
        return list(frame.to_native().collect())
    if frame.implementation.is_polars():
        return list(frame.to_native().collect(engine="streaming").rows())
    return list(frame.collect().rows())


def _prepared(frame: "Frame", layout: Layout) -> "Frame":
    """Return a frame whose labels can be grouped and whose weights can be added up."""
    import narwhals as nw

    schema = frame.collect_schema()
    for name in layout.labelled:
        if schema[name].is_nested():
            raise nested_error(layout, name, schema[name])
    lazy = isinstance(frame, nw.LazyFrame)
    columns = [_plain(name, schema[name], lazy) for name in layout.labelled]
    if layout.weight is not None:
        columns += _weights(layout, schema["weight"])
    return frame.select(*columns)


def _plain(name: str, dtype: Any, lazy: bool) -> Any:
    """Return a column; categories as text, because groups of two categorical types do not mix."""
    import narwhals as nw

    of_text = dtype == nw.Enum and all(isinstance(c, str) for c in dtype.categories)
    as_text = dtype == nw.Categorical or (of_text and lazy)
    return nw.col(name).cast(nw.String) if as_text else nw.col(name)


def _weights(layout: Layout, dtype: Any) -> list[Any]:
    """Return the weight, whether it is unusable, and whether it is not a whole number."""
    import narwhals as nw

    if not dtype.is_numeric():
        raise weight_error(layout, f"holds {dtype} values, not numbers")
    weight = nw.col("weight").cast(nw.Float64)
    usable = (weight >= 0) & (weight < float("inf"))
    unusable = (~usable).fill_null(True) | weight.is_null()
    part = (weight.floor() != weight).fill_null(False)
    expressions = (weight, unusable.cast(nw.Int64), part.cast(nw.Int64))
    return [column.alias(name) for name, column in zip(WEIGHTS, expressions, strict=True)]


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
