"""Counts from data frames of any kind narwhals knows, counted where the data is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from ..counts import Counts, JointCounts
from ..errors import InputError
from ..scale import Scale
from .labels import check_missing
from .query import CountQuery, Parts
from .roles import choose_systems
from .tally import MOST_GROUPS, SHOWN, Assembly, Groups, Places, Tally, check_groups, clean

_MISSING_CODE = -1
_Pairs = tuple[tuple[int, int], ...]


def count_frame(
    frame: Any,
    *,
    gold: str = "gold",
    pred: str | Sequence[str] | None = None,
    topic: str | None = None,
    weight: str | None = None,
    labels: Any = None,
    values: Any = None,
    missing: str = "error",
) -> Counts:
    """Count the labels of a frame: tables `[system, (topic,) gold, predicted]`.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), PyArrow, DuckDB relation, PySpark, Dask, or any other
        frame narwhals knows. Lazy frames are grouped where the data is, in one pass; only the
        counts come back.
    gold : the column of gold labels.
    pred : the column or columns of predictions, one per system; None takes every column but
        `gold`, `topic`, `weight` and columns called "id", "topic" or "weight".
    topic, weight : columns of topics and of item weights.
    labels, values : the ordered scale, as in `Scale.of`; an ordered categorical type is honoured,
        integers are taken as they come.
    missing : "error"; "skip" leaves items with a missing value out of all systems and counts
        them; "worst" scores a missing prediction as the class farthest from gold (the lowest one
        if two are as far).
    """
    roles = _Roles.read(frame, gold, pred, topic, weight, missing)
    return Assembly(roles.tally(labels), values).counts()


def joint_frame(
    frame: Any,
    *,
    gold: str = "gold",
    pred: str | Sequence[str] | None = None,
    topic: str | None = None,
    weight: str | None = None,
    labels: Any = None,
    values: Any = None,
    missing: str = "error",
) -> JointCounts:
    """Count all pairs of systems: tables `[pair, (topic,) gold, a, b]`; see `count_frame`.

    A lazy frame is read twice: once for its labels, once for the pairs.
    """
    roles = _Roles.read(frame, gold, pred, topic, weight, missing)
    assembly = Assembly(roles.tally(labels), values)
    return Assembly(roles.with_pairs(assembly), values).joint()


@dataclass(frozen=True)
class _Roles:
    """A frame whose columns are renamed after what they are: gold, p0, p1, …, topic, weight."""

    frame: Any
    gold: str
    systems: tuple[str, ...]
    topic: str | None
    weight: str | None
    missing: str
    ordered: dict[str, tuple[Any, ...]]
    guessed: bool

    @classmethod
    def read(
        cls,
        native: Any,
        gold: str,
        pred: str | Sequence[str] | None,
        topic: str | None,
        weight: str | None,
        missing: str,
    ) -> "_Roles":
        check_missing(missing)
        frame = _narwhals(native)
        schema = dict(frame.collect_schema())
        systems = choose_systems(list(schema), gold, pred, (topic, weight))
        _refuse_nested(schema, [gold, *systems, *([topic] if topic else [])])
        ordered = _ordered_columns(frame.to_native(), schema, [gold, *systems])
        frame = _renamed(frame, schema, gold, systems, topic, weight)
        return cls(frame, gold, systems, topic, weight, missing, ordered, pred is None)

    @property
    def _keys(self) -> list[str]:
        keys = ["topic", "gold"] if self.topic else ["gold"]
        return [*keys, "complete"] if self._flagged else keys

    @property
    def _flagged(self) -> bool:
        """Whether items are told apart by a flag: they miss a label some group does not show."""
        return self.missing == "skip" and len(self.systems) > 1

    @property
    def _eager(self) -> bool:
        import narwhals as nw

        return isinstance(self.frame, nw.DataFrame)

    def tally(self, labels: Any) -> Tally:
        """Group and count."""
        declared = None if labels is None else Scale.of(labels)
        return Tally(
            self.gold,
            self.systems,
            self._singles(),
            topic=self.topic,
            weight=self.weight,
            ordered=self.ordered,
            find=self._places if self._eager else None,
            guessed=self.guessed,
            declared=declared,
            missing=self.missing,
        )

    def _places(self, role: str) -> Places:
        """The first positions with a missing value; for frames in memory, which have an order."""
        gap = ~_present(role, self.frame.collect_schema()[role])
        found = self.frame.with_row_index("position").filter(gap).head(SHOWN)
        return "position", found["position"].to_list()

    def with_pairs(self, assembly: Assembly) -> Tally:
        """The tally of an assembly with its pairs of systems counted as well."""
        pairs = tuple(combinations(range(len(self.systems)), 2))
        return replace(assembly.tally, pairs=self._pairs(assembly, pairs) if pairs else {})

    def _singles(self) -> tuple[Groups, ...]:
        if self.frame.implementation.is_duckdb():
            return self._in_duckdb(())[0]
        frame, schema = self._flagged_frame(), self.frame.collect_schema()
        same_type = len({schema[name] for name in self._preds}) == 1
        if not self._eager and same_type and len(self._preds) > 1:
            return tuple(self._unpivoted(frame, self._preds))
        return tuple(self._grouped(frame, [name]) for name in self._preds)

    def _pairs(self, assembly: Assembly, pairs: _Pairs) -> dict[tuple[int, int], Groups]:
        if self.frame.implementation.is_duckdb():
            return self._in_duckdb(pairs)[1]
        frame = self._flagged_frame()
        if self._eager:
            return {(a, b): self._grouped(frame, [f"p{a}", f"p{b}"]) for a, b in pairs}
        return dict(zip(pairs, self._coded_pairs(frame, assembly, pairs), strict=True))

    def _in_duckdb(self, pairs: _Pairs) -> Parts:
        """DuckDB has grouping sets: all systems and pairs in one scan."""
        relation = self.frame.to_native()
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        types = {name: kind for name, kind in types.items() if name not in ("bad", "part")}
        query = CountQuery(types, len(self.systems), pairs, flagged=self._flagged)
        for projection in query.projections():
            relation = relation.project(projection)
        counted = relation.aggregate(query.selection(), query.grouping())
        rows = counted.limit(MOST_GROUPS + 1).fetchall()
        check_groups(len(rows))
        return query.split(rows)

    @property
    def _preds(self) -> list[str]:
        return [f"p{i}" for i in range(len(self.systems))]

    def _flagged_frame(self) -> Any:
        """The frame, with a column that tells complete items where that is needed."""
        import narwhals as nw

        if not self._flagged:
            return self.frame
        labelled = ["gold", *self._preds, *(["topic"] if self.topic else [])]
        schema = self.frame.collect_schema()
        present = [_present(name, schema[name]) for name in labelled]
        return self.frame.with_columns(
            nw.all_horizontal(*present, ignore_nulls=False).alias("complete")
        )

    def _totals(self) -> list[Any]:
        import narwhals as nw

        items = nw.len().alias("items")
        if self.weight is None:
            return [items]
        return [items, *(nw.col(name).sum() for name in ("weight", "bad", "part"))]

    @property
    def _total_names(self) -> list[str]:
        return ["items", "weight", "bad", "part"] if self.weight else ["items"]

    def _grouped(self, frame: Any, preds: list[str]) -> Groups:
        keys = [*self._keys, *preds]
        rows = _rows(_group(frame, keys, self._totals()), [*keys, *self._total_names])
        return self._groups(rows, preds)

    def _unpivoted(self, frame: Any, names: list[str]) -> list[Groups]:
        """All systems in one pass: a row per item and system, grouped."""
        index = [*self._keys, *(["weight", "bad", "part"] if self.weight else [])]
        long = frame.unpivot(on=names, index=index, variable_name="system", value_name="pred")
        keys = ["system", *self._keys, "pred"]
        rows = _rows(_group(long, keys, self._totals()), [*keys, *self._total_names])
        parts = {name: [row[1:] for row in rows if row[0] == name] for name in names}
        return [self._groups(parts[name], ["pred"]) for name in names]

    def _coded_pairs(self, frame: Any, assembly: Assembly, pairs: _Pairs) -> list[Groups]:
        """All pairs in one pass: both predictions of a pair as one number."""
        import narwhals as nw

        base = assembly.scale.k + 1
        schema = frame.collect_schema()
        coded = [
            _code(f"p{i}", schema[f"p{i}"], codes, base)
            for i, codes in enumerate(assembly.codes[1:])
        ]
        names = [f"pair{i}" for i in range(len(pairs))]
        columns = [
            (coded[a] * base + coded[b]).alias(n) for n, (a, b) in zip(names, pairs, strict=True)
        ]
        kept = [*self._keys, *(["weight", "bad", "part"] if self.weight else [])]
        found = self._unpivoted(frame.select(*map(nw.col, kept), *columns), names)
        decode = [_decoder(codes, base) for codes in assembly.codes[1:]]
        return [
            _split(g, base, decode[a], decode[b]) for g, (a, b) in zip(found, pairs, strict=True)
        ]

    def _groups(self, rows: Sequence[tuple[Any, ...]], preds: list[str]) -> Groups:
        names = [*self._keys, *preds, *self._total_names]
        columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
        column = {name: columns.get(name, ()) for name in names}
        return Groups(
            clean(column["gold"]),
            tuple(clean(column[p]) for p in preds),
            [int(n) for n in column["items"]],
            clean(column["topic"]) if self.topic else None,
            [float(w or 0.0) for w in column["weight"]] if self.weight else None,
            [int(n) for n in column["bad"]] if self.weight else (),
            [int(n or 0) for n in column["part"]] if self.weight else (),
            list(column["complete"]) if self._flagged else None,
        )


def _narwhals(native: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(native)
    except TypeError:
        raise InputError(
            f"{type(native).__name__} is not a data frame that is known; pass pandas, Polars, "
            "PyArrow, DuckDB, PySpark or Dask, or use Counts.from_labels for plain arrays."
        ) from None


def _refuse_nested(schema: dict[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if schema[name].is_nested():
            raise InputError(
                f"Column {name!r} holds {schema[name]} values; plain labels are expected."
            )


def _renamed(
    frame: Any,
    schema: dict[str, Any],
    gold: str,
    systems: Sequence[str],
    topic: str | None,
    weight: str | None,
) -> Any:
    import narwhals as nw

    lazy = isinstance(frame, nw.LazyFrame)
    columns = [_plain(gold, schema, lazy).alias("gold")]
    columns += [_plain(name, schema, lazy).alias(f"p{i}") for i, name in enumerate(systems)]
    if topic is not None:
        columns.append(_plain(topic, schema, lazy).alias("topic"))
    if weight is not None:
        columns += _weights(weight, schema)
    return frame.select(*columns)


def _plain(name: str, schema: dict[str, Any], lazy: bool) -> Any:
    """A column; categories as text, because groups of two categorical types do not mix."""
    import narwhals as nw

    dtype, column = schema[name], nw.col(name)
    if dtype == nw.Categorical or (dtype == nw.Enum and lazy and _of_text(dtype)):
        return column.cast(nw.String)
    return column


def _of_text(dtype: Any) -> bool:
    return all(isinstance(category, str) for category in dtype.categories)


def _weights(name: str, schema: dict[str, Any]) -> list[Any]:
    """The weight, whether it is unusable, and whether it is not a whole number."""
    import narwhals as nw

    if not schema[name].is_numeric():
        raise InputError(f"Weight column {name!r} holds {schema[name]} values, not numbers.")
    weight = nw.col(name).cast(nw.Float64)
    usable = (weight >= 0) & (weight < float("inf"))
    bad = (~usable).fill_null(True) | weight.is_null()
    part = (weight.floor() != weight).fill_null(False)
    return [
        weight.alias("weight"),
        bad.cast(nw.Int64).alias("bad"),
        part.cast(nw.Int64).alias("part"),
    ]


def _present(name: str, dtype: Any) -> Any:
    import narwhals as nw

    column = nw.col(name)
    return ~column.is_null() & ~column.is_nan() if dtype.is_float() else ~column.is_null()


def _group(frame: Any, keys: list[str], totals: list[Any]) -> Any:
    return frame.group_by(*keys).agg(*totals)


def _rows(frame: Any, names: list[str]) -> list[tuple[Any, ...]]:
    """The rows of a small result; a lazy one is computed now."""
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame):
        frame = frame.select(*names).head(MOST_GROUPS + 1)
        rows = _fetched(frame)
    else:
        rows = frame.select(*names).rows()
    check_groups(len(rows))
    return rows


def _fetched(frame: Any) -> list[tuple[Any, ...]]:
    """Compute a lazy frame; without needing PyArrow where the engine has rows of its own."""
    if frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect():
        return [tuple(row) for row in frame.to_native().collect()]
    if frame.implementation.is_polars():
        return list(frame.to_native().collect(engine="streaming").rows())
    return list(frame.collect().rows())


def _ordered_columns(
    native: Any, schema: dict[str, Any], names: Sequence[str]
) -> dict[str, tuple[Any, ...]]:
    """The categories of the columns with an ordered type."""
    import narwhals as nw

    found = {n: tuple(schema[n].categories) for n in names if schema[n] == nw.Enum}
    for name in names:
        if schema[name] == nw.Categorical and (categories := _arrow_categories(native, name)):
            found[name] = categories
    return found


def _arrow_categories(native: Any, name: str) -> tuple[Any, ...] | None:
    """The categories of an ordered Arrow dictionary; None for anything else."""
    if type(native).__module__.partition(".")[0] != "pyarrow":
        return None
    column = native[name]
    if not column.type.ordered or not column.num_chunks:
        return None
    return tuple(column.unify_dictionaries().chunk(0).dictionary.to_pylist())


def _code(name: str, dtype: Any, codes: dict[Any, int], base: int) -> Any:
    """The class of a label as a number expression; the last number stands for missing."""
    import narwhals as nw

    column, coded = nw.col(name), nw.lit(base - 1)
    for raw, code in codes.items():
        if code != _MISSING_CODE:
            coded = nw.when(column == nw.lit(raw)).then(nw.lit(code)).otherwise(coded)
    present = _present(name, dtype)
    return nw.when(present).then(coded).otherwise(nw.lit(base - 1)).cast(nw.Int64)


def _decoder(codes: dict[Any, int], base: int) -> dict[int, Any]:
    """A raw value for every code; the last one is missing."""
    known = {code: raw for raw, code in codes.items() if code != _MISSING_CODE}
    return {**known, base - 1: None}


def _split(groups: Groups, base: int, first: dict[int, Any], second: dict[int, Any]) -> Groups:
    coded = [int(code) for code in groups.preds[0]]
    preds = [first[c // base] for c in coded], [second[c % base] for c in coded]
    return replace(groups, preds=preds)


@dataclass(frozen=True)
class FrameItems:
    """A data frame as a source of counts."""

    frame: Any
    columns: dict[str, Any]
    notices: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, frame: Any, **columns: Any) -> "FrameItems":
        """Take a frame and the roles of its columns."""
        return cls(frame, columns)

    def counts(self) -> Counts:
        """Return one table per system (and topic)."""
        return count_frame(self.frame, **self.columns)

    def joint(self) -> JointCounts:
        """Return one joint table per pair of systems."""
        return joint_frame(self.frame, **self.columns)
