"""A table in files: the SQL of its rows and columns, columns by name, rows by value (`where`)."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError, did_you_mean, gold_hint, plural, quoted, require_known
from ..notes import Note, warning
from .engine import Engine, literal

Where = Mapping[str, Any] | Sequence[tuple[str, Any]] | None
_COMMA = r"\s*[+-]?\d*,\d+\s*"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)
_SHOWN = 10


@dataclass(frozen=True)
class Table:
    """A table in one or more files.

    `expressions` is the SQL of every column by its name in the file, so that no name becomes part
    of SQL; `condition` is SQL that the chosen rows fulfil. `numbered` tells that the columns are
    called by their positions, `unnamed` that there were more columns without a name, `commas` that
    some cell looks like a number with a decimal comma. `sheets` are those of a workbook, the one
    that was read first; `items` are the columns that name an item in an export of another tool.
    """

    name: str
    source: str
    expressions: Mapping[str, str]
    condition: str = ""
    numbered: bool = False
    unnamed: bool = False
    commas: bool = False
    sheets: tuple[str, ...] = ()
    items: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.expressions)

    @property
    def rows(self) -> str:
        """SQL of the chosen rows, to follow FROM."""
        return f"{self.source} WHERE {self.condition}" if self.condition else self.source

    @property
    def others(self) -> "Table":
        """The rows that were not chosen."""
        return replace(self, condition=f"NOT ({self.condition or 'true'})")

    def text(self, column: str) -> str:
        """Return SQL of a column as text."""
        return f"({self.expressions[column]})::VARCHAR"

    def select(self, columns: Mapping[str, str], ids: Sequence[str] = ()) -> str:
        """Return SQL for columns under other names, ``{new name: column}``, and ids as item."""
        chosen = [f"{self.expressions[old]} AS {new}" for new, old in columns.items()]
        chosen += [f"{self.id(ids)} AS item"] if ids else []
        return f"SELECT {', '.join(chosen)} FROM {self.rows}"

    def id(self, columns: Sequence[str]) -> str:
        """Return SQL of an id: a text, or if several columns name it a list, or NULL."""
        texts = [self.text(column) for column in columns]
        absent = " OR ".join(f"{text} IS NULL" for text in texts)
        several = f"CASE WHEN {absent} THEN NULL ELSE [{', '.join(texts)}] END"
        return several if len(texts) > 1 else texts[0]

    def require(self, column: str, parameter: str, engine: Engine | None = None) -> None:
        """Raise an error that lists the columns, and fields of JSON, unless one has this name."""
        if column in self.expressions:
            return
        hint = gold_hint(column) if parameter == "gold" else ""
        known = {} if engine is None else self._fields(engine)
        lists = [name for name, value in known.items() if _is_list_of_objects(value)]
        if lists and not any("." in name for name in known):
            hint = f"{lists[0]!r} is a list of objects: save it as a file of its own."
        elif len(self.columns) == 1 and not self.source.startswith("read_json"):
            hint = "If the columns are separated by another character, name it with {delimiter}."
        suggest = {"gold": ..., "delimiter": ...}
        every, start = list(known) or self.columns, f"{self.name}: "
        require_known("column", column, every, parameter, start, hint=hint, suggest=suggest)

    def _fields(self, engine: Engine) -> dict[str, Any]:
        """Return the fields of the first JSON objects, named as in ``scores.human``."""
        if not self.source.startswith("read_json"):
            return {}
        rows = engine.query(f"SELECT json::VARCHAR FROM {self.source} LIMIT {_SHOWN}")
        try:
            return {path: value for (text,) in rows for path, value in _paths(json.loads(text))}
        except RecursionError:  # nobody names fields that deep
            return {}

    def without(self, column: str) -> "Table":
        """Return the table without a column."""
        return replace(self, expressions={k: v for k, v in self.expressions.items() if k != column})

    def with_decimal_commas(self) -> "Table":
        """Return the table with points for the decimal commas of numbers."""
        return replace(self, expressions={k: _point(v) for k, v in self.expressions.items()})

    def with_fields(self, engine: Engine, names: Iterable[str]) -> "Table":
        """Return the table with fields of nested columns, named as in ``scores.human``."""
        fields: dict[str, str] = {}
        for name in names:
            if name not in self.expressions and (sql := self._field(engine, name)):
                fields[name] = sql
        return replace(self, expressions={**self.expressions, **fields}) if fields else self

    def _field(self, engine: Engine, name: str) -> str:
        """Return SQL of a field that some row has, or nothing."""
        parts = name.split(".")
        for i in range(1, len(parts)):
            column, path = ".".join(parts[:i]), literal(_pointer(parts[i:]))
            if column in self.expressions:
                sql = f"json_extract_string(to_json({self.expressions[column]}), {path})"
                if self.source.startswith("read_json"):
                    sql = f"json_extract_string(json, {literal(_pointer([column, *parts[i:]]))})"
                if engine.query(f"SELECT 1 FROM {self.source} WHERE {sql} IS NOT NULL LIMIT 1"):
                    return sql
        return ""


def _paths(value: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _paths(inner, f"{start}{key}.")
        else:
            yield f"{start}{key}", inner


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def json_extracts(keys: Iterable[str]) -> dict[str, str]:
    """Return SQL of the value of each key of JSON objects."""
    return {key: f"json_extract_string(json, {literal(_pointer([key]))})" for key in keys}


def _pointer(keys: Iterable[str]) -> str:
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def _point(text: str) -> str:
    text = f"({text})::VARCHAR"
    number = f"regexp_full_match({text}, {literal(_COMMA)})"
    return f"CASE WHEN {number} THEN replace({text}, ',', '.') ELSE {text} END"


def column_named(name: Any, columns: Sequence[str]) -> Any:
    """Return the column that a name stands for, or the name itself if there is none.

    A name is matched as it is, then without surrounding spaces, then whatever its case if only one
    column fits. Sequences of names are read one by one; other values are returned as they are.
    """
    if isinstance(name, list | tuple):
        return tuple(column_named(each, columns) for each in name)
    if not isinstance(name, str) or name in columns:
        return name
    if name.strip() in columns:
        return name.strip()
    alike = [c for c in dict.fromkeys(columns) if c.casefold() == name.strip().casefold()]
    return alike[0] if len(alike) == 1 else name


class Selection:
    """The rows that are wanted: for each column some values, of which a row has one."""

    def __init__(self, where: Where) -> None:
        pairs = where.items() if isinstance(where, Mapping) else where or ()
        self.values: dict[str, list[str]] = {}
        for column, value in pairs:
            several = value if isinstance(value, list | tuple | set) else [value]
            self.values.setdefault(column, []).extend(map(_word, several))

    def __bool__(self) -> bool:
        return bool(self.values)

    def __str__(self) -> str:
        words = {c: " or ".join(map(repr, values[:_SHOWN])) for c, values in self.values.items()}
        return " and ".join(f"{column} = {values}" for column, values in words.items())

    def named(self, columns: Sequence[str]) -> "Selection":
        """Return the selection with columns named as in the files."""
        pairs = self.values.items()
        return Selection([(column_named(column, columns), words) for column, words in pairs])

    def of(self, engine: Engine, table: Table, columns: Sequence[str] | None = None) -> Table:
        """Return the rows of a table that its columns, or some of them, choose; at least one."""
        known = [c for c in self.values if c in (table.columns if columns is None else columns)]
        if not known:
            return table
        for column in known:
            one = replace(table, condition=self._condition(table, column))
            if not engine.query(f"SELECT 1 FROM {one.rows} LIMIT 1"):
                self._refuse(engine, table, column)
        chosen = replace(table, condition=" AND ".join(self._condition(table, c) for c in known))
        if not engine.query(f"SELECT 1 FROM {chosen.rows} LIMIT 1"):
            raise InputError(f"{table.name}: no row has {self} at once.", parameter="where")
        return chosen

    def of_systems(self, engine: Engine, table: Table, run: str, gold: str) -> tuple[Table, Table]:
        """Return the chosen rows of gold, and of the systems, of a table with a row per system.

        The column `run` chooses systems only. Where gold is a system, a column that is empty in all
        rows of gold, or of the systems, chooses among the others only.
        """
        others = [c for c in self.values if c in table.columns and c != run]
        if gold in table.columns:
            return self.of(engine, table, others), self.of(engine, table, [run, *others])
        of_gold, of_systems = (
            [c for c in others if _is_filled(engine, table, c, f"{system} {sign} {literal(gold)}")]
            for system in [f"trim({table.text(run)})"]
            for sign in ("=", "<>")
        )
        return self.of(engine, table, of_gold), self.of(engine, table, [run, *of_systems])

    def note(self, engine: Engine, table: Table) -> Note:
        """Return how many rows of the data were chosen."""
        if not table.condition:
            return warning("where", f"Only rows of the runs with {self}.")
        ((every, chosen),) = engine.query(
            f"SELECT count(*), count(*) FILTER ({table.condition}) FROM {table.source}"
        )
        return warning(
            "where", f"Only rows with {self}: {chosen:,} of {plural(every, 'row')} of {table.name}."
        )

    def _condition(self, table: Table, column: str) -> str:
        """Return SQL: the column has one of its values, numbers by value."""
        text, words = f"trim({table.text(column)})", self.values[column]
        sql = f"coalesce({text}, '') IN ({', '.join(map(literal, words))})"
        if numbers := [repr(float(word)) for word in words if _NUMBER.fullmatch(word)]:
            listed = ", ".join(f"{number}::DOUBLE" for number in numbers if "inf" not in number)
            sql += f" OR coalesce(TRY_CAST({text} AS DOUBLE) IN ({listed}), false)" * bool(listed)
        return f"({sql})"

    def _refuse(self, engine: Engine, table: Table, column: str) -> None:
        """Raise an error that lists the values of a column without a wanted one."""
        text, words = f"coalesce(trim({table.text(column)}), '')", self.values[column]
        rows = engine.query(
            f"SELECT {text}, count(*) OVER () FROM {table.source} GROUP BY 1 "
            f"ORDER BY count(*) DESC, 1 LIMIT {_SHOWN}"
        )
        values = [row[0] for row in rows]
        more = f" and {rows[0][1] - len(rows)} more" if rows and rows[0][1] > len(rows) else ""
        raise InputError(
            f"{table.name}: no row has {quoted(words)} in column {column!r}; there are "
            f"{quoted(values, _SHOWN)}{more}.{did_you_mean(words[0], values)}",
            parameter="where",
        )


def _is_filled(engine: Engine, table: Table, column: str, condition: str) -> bool:
    """Whether a column holds something in some of the rows that fulfil a condition."""
    filled = replace(table, condition=f"{condition} AND trim({table.text(column)}) <> ''")
    return bool(engine.query(f"SELECT 1 FROM {filled.rows} LIMIT 1"))


def _word(value: Any) -> str:
    """Return a value as the text that files hold."""
    text = ("true" if value else "false") if isinstance(value, bool) else str(value).strip()
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
