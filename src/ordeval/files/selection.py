"""Rows chosen by the values of columns (`where`)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError, did_you_mean, plural, quoted
from ..notes import Note, warning
from .engine import Engine, literal
from .table import Table, column_named

Where = Mapping[str, Any] | Sequence[tuple[str, Any]] | None
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)
_SHOWN = 10


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
        words = {c: " or ".join(map(repr, found[:_SHOWN])) for c, found in self.values.items()}
        return " and ".join(f"{column} = {found}" for column, found in words.items())

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
