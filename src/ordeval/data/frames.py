"""Tables of any library as data: frames in memory, lazy frames, DuckDB relations, Spark.

Columns are renamed after their roles first (see `ordeval.data.roles`). Of tables in memory the
columns are read as they are. Of others, only the distinct rows of all roles are fetched, with their
numbers; with many systems, weights or real numbers almost every row is distinct, and all are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, quoted
from ..limits import check_memory
from ..notes import Notes
from ..types import Array, Floats
from .classes import MISSING_WORDS, SCORES, Reading, row_name
from .column import Column, as_number, code_type, group_name, is_missing
from .containers import read_column, row_names
from .data import Data, data_of, decided_columns, read_units
from .examples import LONGEST_TEXT
from .roles import GROUPS, NUMBERS, SHOWN, SPACES, Roles, numbered_roles

_FEW_COLUMNS = 8  # of labels: with more of them, nearly all rows are distinct
_FEW_LABELS = 250
_SAMPLED = 100  # rows that tell whether a column holds lists
_AT_ONCE = 40  # columns of which distinct labels are sought in one pass
_BY_ITEM = {"item", "text", "rater", "rating", "question"}  # roles that name items
_MOST_ROWS = 10**8  # distinct rows of labels, or items of which everything is fetched
_NUMBER = r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?"
_NESTED = ("list", "array", "struct", "map", "union", "blob")
_INTEGERS = ("tinyint", "smallint", "integer", "bigint")
_TIMES = ("timestamp", "timestamp_ns", "timestamp_s", "timestamp_ms")
# Types of which arrays hold the same values as rows do.
_ARRAYS = (*_INTEGERS, *(f"u{name}" for name in _INTEGERS), "float", "double", "boolean", "varchar")

Run = Callable[[Callable[[], Any]], Any]
Fetched = tuple[dict[str, Any], Array | None]  # columns by role, and what rows stand for, if many


def read_table(
    table: Any,
    roles: Roles,
    reading: Reading,
    *,
    run: Run | None = None,
    about: Mapping[str, Any] | None = None,
    notices: Notes = (),
    proba: Mapping[str, Sequence[str]] | None = None,
) -> Data:
    """Read a relation of DuckDB or a narwhals frame whose columns are called after their roles.

    `run` runs a job that fetches rows, e.g. so that progress is reported. `proba` are the columns
    of the probabilities of each system, which have the roles of predictions, in this order.
    """
    roles = replace(roles, numbers=proba is not None)
    door = door_of(table, roles, reading, run)
    fetched, times = door.fetch()
    columns = [column_of(fetched[role], name) for role, name in roles.labelled.items()]
    n, rows = len(columns[0]), tuple[Floats, ...]()
    if not n:
        raise InputError("There are no items; at least one is needed.")
    if proba is not None:
        numbers = iter(columns[1:])
        systems = {
            s: np.stack([numbers_of(next(numbers), s, door.reading) for _ in named], 1)
            for s, named in proba.items()
        }
        found, rows, told = decided_columns(columns[0], systems, door.reading)
        notices = (*notices, *told)
        columns = [columns[0], *found]
    others = {r: name for r, name in roles.others.items() if not r.startswith("by_")}
    by = {n: column_of(fetched[r], n) for r, n in roles.others.items() if r not in others}
    groups = {
        role: column_of(fetched[role], f"{role} column {roles.others[role]}")
        for role in GROUPS
        if role in roles.others
    }
    units = read_units(fetched, n, roles.others)
    ids, texts = door.shown(fetched, n)
    if times is not None:
        units = replace(units, count=times if units.count is None else units.count * times)
    try:
        data = data_of(
            columns,
            groups,
            replace(units, ids=ids, texts=texts),
            door.reading,
            judged="judge" in roles.labelled,
            about={**(about or {}), **others, **({"by": list(by)} if by else {})},
            notices=(*notices, *roles.notices),
            proba=rows,
            by=by,
        )
        if roles.guessed and reading.bins is None and reading.labels is None:
            _refuse_guessed(data)
    except InputError as problem:
        roles.doubt(problem, "system", columns, door.reading)
        raise
    return data


def door_of(
    table: Any, roles: Roles, reading: Reading, run: Run | None = None, *, whole: bool = False
) -> "_Frame | _Relation":
    """Return what fetches the columns of a table; with `whole`, every row and not distinct ones."""
    if hasattr(table, "project"):
        return _Relation(table, roles, reading, run or (lambda job: job()), whole)
    return _Frame(table, roles, reading, whole)


def _refuse_guessed(data: Data) -> None:
    """Raise an error for a column whose labels are not gold's, which is probably no system.

    Either it has none of gold's labels, or several that lie beyond all of them.
    """
    labels, (gold, *systems) = (
        data.scale.labels,
        map(np.unique, data.codes[: 1 + len(data.systems)]),
    )
    gold = gold[gold < data.scale.k]
    for name, used in zip(data.systems, systems, strict=True):
        used = used[used < data.scale.k]
        other = used[~np.isin(used, gold)]
        beyond = np.count_nonzero((used < gold.min()) | (used > gold.max()))
        apart = len(used) == len(other) > 2
        if len(gold) > 1 and (apart or beyond > max(1, len(gold) / 4)):
            raise InputError(
                f"{name} has {quoted((str(labels[i]) for i in other.tolist()), 3)}, which "
                f"{data.names[0]} never has, so it is probably no system.",
                parameter="labels",
                hint="If it is one, declare the classes with {labels}.",
                column=name,
            )


def numbers_of(column: Column, system: str, reading: Reading) -> Floats:
    """Return the numbers of a column, which may be texts of numbers; NaN for gaps."""
    if column.is_numeric and reading.na is None:
        return column.data.astype(np.float64, copy=False)
    coded = reading.column(column)
    numbers = [np.nan if is_missing(x) else as_number(x) for x in coded.values]
    if None in numbers:
        wrong = [x for x, number in zip(coded.values, numbers, strict=True) if number is None]
        raise InputError(
            f"{column.name} holds {quoted(wrong, 3)}; probabilities are expected.",
            parameter="proba",
            column=system,
        )
    return np.array([*numbers, np.nan])[coded.data]


def column_of(given: Any, name: str) -> Column:
    """Return a column of a table, whose name is no parameter."""
    if isinstance(given, Column):
        return replace(given, name=name)
    try:
        return read_column(given, name)
    except InputError as problem:
        problem.parameter = None
        raise


def _with_categories(given: Any, categories: Sequence[Any]) -> Column:
    """Return a column of labels that have an ordered type."""
    coded, k = column_of(given, "").coded(), len(categories)
    place = {category: i for i, category in enumerate(categories)}
    table = [*(place.get(value, k) for value in coded.values), k]
    codes = np.asarray(table, code_type(k))[coded.data]
    return Column(codes, "", tuple(categories), ordered=True)


class _Frame:
    """A narwhals frame with a column per role."""

    def __init__(self, frame: Any, roles: Roles, reading: Reading, whole: bool) -> None:
        import narwhals as nw

        self._roles, self._whole, self.texts = roles, whole, None
        self._frame, self._eager = frame, isinstance(frame, nw.DataFrame)
        # Rows of lazy frames have no places.
        self.reading = reading if self._eager else replace(reading, find=lambda _, __: "")
        schema = frame.collect_schema()
        self._schema = schema
        if "text" in schema and not self._eager and not whole:
            raise _no_order("a lazy frame", "Collect the frame first, or leave {text} out.")
        for role, name in roles.columns.items():
            if schema[role].is_nested() and not whole:
                raise _nested(role, name, schema[role])

    def fetch(self) -> Fetched:
        """Return all rows of a frame in memory, or the distinct ones of a lazy frame.

        Engines without an order of rows, such as Spark, return distinct rows even if they are asked
        for whole ones, unless items have names.
        """
        import narwhals as nw

        if self._eager:
            columns = {name: self._frame[name] for name in self._frame.columns}
            return {
                name: column.to_list() if column.dtype.is_nested() else column.to_native()
                for name, column in columns.items()
            }, None
        keys = list(self._roles.columns)
        frame = self._frame.select(*(self._plain(role) for role in keys))
        spark = frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect()
        wide = self._roles.numbers if spark else _is_wide(self._roles, self.reading)
        of_items = {role.partition("_")[0] for role in keys} & _BY_ITEM
        ordered = frame.implementation.is_polars()
        whole = wide or (self._whole and (ordered or bool(of_items)))
        if not whole:
            frame = frame.group_by(*keys).agg(nw.len().alias("n_")).select(*keys, "n_")
        found = _collected(frame.head(_MOST_ROWS + 1), [*keys, *([] if whole else ["n_"])])
        _check_rows(len(next(iter(found.values()))))
        count = None if whole else np.asarray(found.pop("n_")).astype(np.int64)
        for role in self._roles.categorical:
            if self._schema[role] == nw.Enum:
                found[role] = _with_categories(found[role], self._schema[role].categories)
        return found, count

    def _plain(self, role: str) -> Any:
        """Return a column in a type that every library can group by."""
        import narwhals as nw

        dtype = self._schema[role]
        of_text = dtype == nw.Enum and all(isinstance(c, str) for c in dtype.categories)
        if dtype == nw.Categorical or of_text:
            return nw.col(role).cast(nw.String)
        half = dtype.is_float() and dtype not in (nw.Float32, nw.Float64)
        return nw.col(role).cast(nw.Float32) if half else nw.col(role)

    def shown(self, held: Mapping[str, Any], n: int) -> tuple[Array | None, Any]:
        """Return the ids and texts of all rows, if there are texts."""
        if not self._eager:
            return None, None
        ids = None if "item" not in held else np.fromiter(held["item"], object, n)
        if ids is not None:
            _refuse_repeated(ids)
        if "text" not in held:
            return None, None
        if ids is None:
            names = row_names(held["text"]) or range(1, 1 + n)
            ids = np.fromiter(names, object, n)
        texts = [None if is_missing(x) else x for x in self._frame["text"].to_list()]
        return ids, np.fromiter(texts, object, n)


def _refuse_repeated(ids: Array) -> None:
    """Raise an error for ids that several rows have."""
    names, times = np.unique([group_name(x) for x in ids.tolist()], return_counts=True)
    if len(names) < len(ids):
        twice = names[times > 1].tolist()
        raise InputError(
            f"{len(twice):,} ids are repeated, e.g. {quoted(twice, 3)}; one row per item is "
            "expected.",
            parameter="id",
            hint="Keep one row per item, or leave {id} out if rows are items.",
        )


def _collected(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Compute a lazy frame, without PyArrow where the library can give rows itself."""
    if frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect():
        rows = frame.to_native().collect()
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}
    if frame.implementation.is_polars():
        found = frame.to_native().collect(engine="streaming")
        return {name: found[name] for name in names}
    found = frame.collect()
    return {name: found[name].to_native() for name in names}


class _Relation:
    """A relation of DuckDB with a column per role, and perhaps the columns item and text."""

    def __init__(
        self, relation: Any, roles: Roles, reading: Reading, run: Run, whole: bool
    ) -> None:
        self._relation, self._roles, self._run, self._whole = relation, roles, run, whole
        self._kinds = dict(zip(relation.columns, relation.types, strict=True))
        self.reading = replace(reading, find=self._places, name_row=self._name_row)
        self._numeric = list[str]()
        for role, name in roles.columns.items():
            if self._kinds[role].id in _NESTED and not whole:
                raise _nested(role, name, self._kinds[role])
        if "text" in self._kinds and "item" not in self._kinds and not whole:
            if not reading.text:
                raise _no_order("a DuckDB relation", "Name a column of ids with {id}.")
            self._relation = relation.project("*, row_number() OVER () AS item")

    def fetch(self) -> Fetched:
        """Return the distinct rows, or all rows where nearly all are distinct."""
        keys = [role for role in self._roles.columns if role != "text" or not self.reading.text]
        self._numeric = self._texts_of_numbers()
        sql = {role: self._plain(role) for role in keys}
        wide = "text" in self._kinds or _is_wide(self._roles, self.reading)
        found, count = self._every(sql) if wide or self._whole else self._distinct(sql)
        for role in self._roles.categorical:
            if self._kinds[role].id == "enum":
                found[role] = _with_categories(found[role], self._kinds[role].children[0][1])
        return found, count

    def _distinct(self, sql: Mapping[str, str]) -> Fetched:
        """Return the distinct rows, and how many rows each stands for."""
        keys = ", ".join(sql)
        rows = self._relation.project(_listed(sql)).aggregate(f"{keys}, count(*) AS n_", keys)
        found = self._columns(rows.limit(_MOST_ROWS + 1))
        count = np.asarray(found.pop("n_")).astype(np.int64)
        _check_rows(len(count))
        return found, count

    def _every(self, sql: dict[str, str]) -> Fetched:
        """Return all rows, texts of few labels as positions among these."""
        ((number,),) = self._run(self._relation.aggregate("count(*)").fetchall)
        _check_rows(int(number))
        check_memory(
            "The rows of all columns",
            8.0 * number * len(sql),
            f"{number:,} rows × {len(sql)} columns",
            parameter="ratings" if self._whole else "pred",
            hint="Name fewer columns at a time.",
        )
        known = self._text_labels()
        sql |= {role: _coded(role, labels) for role, labels in known.items()}
        if "text" in self._kinds and not self._whole:
            sql["item"] = "item"
        found = self._columns(self._relation.project(_listed(sql)))
        for role, labels in known.items():
            found[role] = Column(np.asarray(found[role]), role, tuple(labels))
        return found, None

    def _texts_of_numbers(self) -> list[str]:
        """Return the columns of scores or probabilities that are texts of numbers or gaps alone."""
        roles = list(numbered_roles(self._roles.systems)) if self._roles.numbers else []
        if self.reading.bins is SCORES:
            roles = [role for role in self._roles.labelled if role != "gold"]
        texts = [role for role in roles if self._kinds[role].id == "varchar"]
        if not texts:
            return []
        number, gaps = _literal(_NUMBER), ", ".join(map(_literal, MISSING_WORDS))
        odd = (
            f"NOT regexp_full_match({t}, {number}) AND {t} NOT IN ({gaps})"
            for t in (f"trim({role})" for role in texts)
        )
        (row,) = self._run(
            self._relation.aggregate(", ".join(f"bool_or({x})" for x in odd)).fetchall
        )
        return [role for role, is_odd in zip(texts, row, strict=True) if not is_odd]

    def _plain(self, role: str) -> str:
        """Return SQL for a column in a type of which values can be fetched."""
        kind = self._kinds[role]
        if role in self._numeric:
            return f"coalesce(TRY_CAST(trim({role}) AS DOUBLE), 'nan'::DOUBLE)"
        if role in NUMBERS and kind.id == "varchar" and self.reading.text:
            return f"TRY_CAST(trim({role}) AS DOUBLE)"
        if kind.id in _NESTED:
            return f"to_json({role})::VARCHAR"
        if kind.id == "enum":  # groups of two enumerations do not mix
            return f"{role}::VARCHAR"
        if kind.id in ("timestamp with time zone", "timestamptz_ns"):
            return f"timezone('UTC', {role})"
        return f"{role}::DOUBLE" if kind.id == "decimal" else role

    def _columns(self, relation: Any) -> dict[str, Any]:
        """Return the columns of a relation, as arrays where these hold the same values."""
        usable = (*_ARRAYS, *_TIMES, "hugeint", "uhugeint")
        if all(kind.id in usable for kind in relation.types):
            found: dict[str, Any] = self._run(relation.fetchnumpy)
            return found
        rows = self._run(relation.fetchall)
        return {name: [row[i] for row in rows] for i, name in enumerate(relation.columns)}

    def _text_labels(self) -> dict[str, list[str]]:
        """Return the labels of the columns of text that have few."""
        labelled = [r for r in self._roles.labelled if r not in self._numeric]
        texts = [r for r in labelled if self._kinds[r].id in ("varchar", "enum")]
        found: dict[str, list[str]] = {}
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            lists = ", ".join(f"list(DISTINCT {role}::VARCHAR)" for role in some)
            (row,) = self._run(self._relation.aggregate(lists).fetchall)
            for role, labels in zip(some, row, strict=True):
                found[role] = sorted(label for label in labels or () if label is not None)
        return {role: labels for role, labels in found.items() if len(labels) <= _FEW_LABELS}

    def shown(self, held: Mapping[str, Any], n: int) -> tuple[Array | None, Any]:
        """Return the ids of all rows, and what fetches the texts of some of them."""
        if "text" not in self._kinds:
            return None, None
        items = held["item"]
        given = items.tolist() if hasattr(items, "tolist") else items
        ids = np.fromiter((tuple(x) if isinstance(x, list) else x for x in given), object, n)
        return ids, self._texts

    def texts(self, rows: Array) -> list[str]:
        """Fetch the texts of some rows of a file, by their positions."""
        cut = f"left(text::VARCHAR, {LONGEST_TEXT + 1})"
        numbered = self._relation.project(f"{cut} AS text, row_number() OVER () AS line")
        wanted = ", ".join(map(str, (rows + 1).tolist()))
        chosen = numbered.filter(f"line IN ({wanted})" if wanted else "false").order("line")
        return [text or "" for text, _ in self._run(chosen.fetchall)]

    def _texts(self, ids: Sequence[Any]) -> list[str]:
        """Fetch the texts of some items, by their ids."""
        several = [list(id) if isinstance(id, tuple) else id for id in ids]
        kind = self._relation.types[self._relation.columns.index("item")]
        wanted = ", ".join(f"{_literal(id)}::{kind}" for id in several)
        rows = self._relation.filter(f"item IN ({wanted})" if wanted else "false")
        found = self._run(rows.project(f"item, left(text::VARCHAR, {LONGEST_TEXT + 1})").fetchall)
        texts = {(tuple(id) if isinstance(id, list) else id): text for id, text in found}
        return [texts.get(id) or "" for id in ids]

    def _name_row(self, row: int) -> str:
        """Return what messages call a row: its id in files that have one, else its position."""
        if not self.reading.text or "item" not in self._kinds:
            return row_name(row)
        ((id,),) = self._run(self._relation.project("item").limit(1, row).fetchall)
        return f"item {id!r}"

    def _places(self, name: str, labels: Sequence[Any]) -> str:
        """Return the rows or ids of some items that have a label, or none of a column's."""
        names = {f"{r} column {c}" if r in GROUPS else c: r for r, c in self._roles.columns.items()}
        role = names.get(name, "")
        if not self.reading.text or role not in self._kinds:
            return ""
        named = "item" in self._kinds
        rows = self._relation
        if "item" not in rows.columns:
            rows = rows.project("*, row_number() OVER () AS item")
        word = f"trim({role}::VARCHAR, {_literal(SPACES)})"
        words = [str(x) for x in (labels or (*MISSING_WORDS, *self.reading.codes))]
        numbers = [x for x in map(as_number, labels) if x is not None]
        wanted = f"{word} IN ({', '.join(map(_literal, words))})"
        if numbers:
            wanted += f" OR TRY_CAST({word} AS DOUBLE) IN ({', '.join(map(repr, numbers))})"
        if not labels:
            wanted += f" OR {role} IS NULL"
        found = rows.filter(wanted).project("item").order("item").limit(SHOWN + 1)
        items = [row[0] for row in self._run(found.fetchall)]
        shown = [tuple(x) if isinstance(x, list) else x for x in items[:SHOWN]]
        listed = ", ".join(str(x) if isinstance(x, int) else repr(x) for x in shown)
        more = ", …" if len(items) > SHOWN else ""
        return f" at {'id' if named else 'data row'} {listed}{more}" if shown else ""


def json_columns(relation: Any, run: Run | None, *, text: bool) -> list[str]:
    """Return the columns of lists or objects; with `text`, also those of their JSON."""
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    nested = [name for name, kind in kinds.items() if kind.id in _NESTED]
    if not text:
        return nested
    rows = (run or (lambda job: job()))(relation.limit(_SAMPLED).fetchall)
    for name, cells in zip(relation.columns, zip(*rows, strict=True), strict=False):
        words = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
        if words and all(word[0] + word[-1] in ("[]", "{}") for word in words):
            nested.append(name)
    return nested


def _listed(sql: Mapping[str, str]) -> str:
    return ", ".join(f"{expression} AS {name}" for name, expression in sql.items())


def _literal(value: Any) -> str:
    """Return a text, number or list of texts as SQL."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    text = str(value).replace("'", "''")
    if "\x00" not in text:
        return f"'{text}'"
    return " || chr(0) || ".join(f"'{part}'" for part in text.split("\x00"))


def _coded(role: str, labels: Sequence[str]) -> str:
    """Return SQL for the position of a text among labels; their number where it is missing."""
    known = f"[{', '.join(map(_literal, labels))}]::VARCHAR[]"
    place = f"list_position({known}, {role}::VARCHAR)"
    kind = "UTINYINT" if len(labels) < 2**8 else "USMALLINT"
    return f"coalesce({place} - 1, {len(labels)})::{kind}"


def _is_wide(roles: Roles, reading: Reading) -> bool:
    """Return whether nearly all rows are distinct."""
    numbers = reading.bins is not None or "weight" in roles.others
    return numbers or roles.numbers or len(roles.labelled) > _FEW_COLUMNS


def _check_rows(rows: int) -> None:
    """Raise an error if there are more distinct rows than can be held."""
    if rows > _MOST_ROWS:
        raise InputError(
            f"There are more than {_MOST_ROWS:,} rows to be held in memory; check that the columns "
            "hold labels, not ids or measurements.",
            parameter="pred",
            hint="Name fewer systems at a time with {pred}.",
        )


def _nested(role: str, name: str, kind: object) -> InputError:
    return InputError(
        f"column {name!r} holds {kind} values; plain labels are expected.",
        parameter=role if role in ("gold", *GROUPS, *NUMBERS) else "pred",
        hint="Pass a column of texts or numbers.",
        column=name,
    )


def _no_order(frame: str, hint: str) -> InputError:
    """Return the error for texts of rows that cannot be found again."""
    return InputError(
        f"text cannot be shown from {frame}, whose rows have no order.",
        parameter="text",
        hint=hint,
    )
