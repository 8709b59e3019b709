"""A table in files: the SQL of its rows and columns, and the look-up of columns by name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError, did_you_mean, quoted
from .engine import Engine, literal

_COMMA = r"\s*[+-]?\d*,\d+\s*"


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

    def require(self, column: str, parameter: str) -> None:
        """Raise an error that lists the columns unless one has this name."""
        if column in self.expressions:
            return
        if not isinstance(column, str):
            raise InputError(
                f"{parameter} is {column!r}; the name of a column is expected.", parameter=parameter
            )
        near = did_you_mean(column, self.columns)
        default = parameter == column == "gold" and not near
        hint = "Name the column of gold labels with {gold}." if default else ""
        if len(self.columns) == 1:
            hint = "If the columns are separated by another character, name it with {delimiter}."
        raise InputError(
            f"{self.name}: there is no column {column!r}; the columns are "
            f"{quoted(self.columns, 20)}.{near}",
            parameter=parameter,
            hint=hint,
            suggest={"gold": ..., "delimiter": ...},
        )

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
