"""Rows chosen by the values of columns (`where`)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError, did_you_mean, plural, quoted
from .engine import Engine
from .sniffing import FileTable, column_named
from .tabulation import require_column

Where = Mapping[str, Any] | Sequence[tuple[str, Any]] | None
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_SHOWN = 10


class Selection:
    """The rows that are wanted: for each column some values, of which a row has one.

    Parameters
    ----------
    where : mapping of str to value or sequence of values, or sequence of (column, value)
        The values by column. Those of one column are alternatives.
    """

    def __init__(self, where: Where) -> None:
        given: Iterable[tuple[str, Any]] = (
            where.items() if isinstance(where, Mapping) else where or ()
        )
        self.values: dict[str, list[str]] = {}
        for column, value in given:
            several = value if isinstance(value, list | tuple | set) else [value]
            self.values.setdefault(column, []).extend(map(_word, several))

    def __bool__(self) -> bool:
        return bool(self.values)

    def __str__(self) -> str:
        return " and ".join(
            f"{column} = {' or '.join(repr(word) for word in words[:_SHOWN])}"
            for column, words in self.values.items()
        )

    def name(self, columns: Sequence[str]) -> None:
        """Find the columns among those of the tables, perhaps without surrounding spaces."""
        values, self.values = self.values, {}
        for column, words in values.items():
            self.values.setdefault(column_named(column, columns), []).extend(words)

    def of_tables(
        self,
        engine: Engine,
        data: FileTable,
        runs: Mapping[str, FileTable],
        run: str | None = None,
        gold: str = "",
    ) -> tuple[FileTable, dict[str, FileTable]]:
        """Return the chosen rows of every table that has the columns.

        In a long table of all systems the column `run` chooses systems, and columns that are empty
        for gold, or for the systems, choose among the others only.
        """
        self._store(engine)
        columns = dict.fromkeys(c for table in (data, *runs.values()) for c in table.columns)
        for column in self.values:
            require_column(column, list(columns), "where", "" if runs else f"{data.name}: ")
        if not runs and run is not None:
            return self._of_long_table(engine, data, run, gold), {}
        return self._applied(engine, data, data.columns), {
            name: self._applied(engine, table, table.columns) for name, table in runs.items()
        }

    def _of_long_table(self, engine: Engine, table: FileTable, run: str, gold: str) -> FileTable:
        """Return a table with the conditions on gold and those on the rows of systems."""
        require_column(run, table.columns, "run", f"{table.name}: ")
        others = [c for c in table.columns if c != run]
        if gold in table.columns:
            of_gold, of_systems = others, others
        else:
            of_gold = [c for c in others if self._is_filled(engine, table, c, run, gold, "=")]
            of_systems = [c for c in others if self._is_filled(engine, table, c, run, gold, "<>")]
        chosen = self._applied(engine, table, of_gold)
        rows = self._applied(engine, table, [run, *of_systems])
        return replace(chosen, of_systems=rows.condition)

    def _is_filled(
        self, engine: Engine, table: FileTable, column: str, run: str, gold: str, sign: str
    ) -> bool:
        """Whether a wanted column is not empty in all rows of gold, or of the systems."""
        if column not in self.values:
            return False
        name, text = (f"trim(({table.expressions[c]})::VARCHAR)" for c in (run, column))
        found = f"SELECT 1 FROM {table.source} WHERE {name} {sign} ? AND {text} <> '' LIMIT 1"
        return bool(engine.query(found, [gold]))

    def _store(self, engine: Engine) -> None:
        """Put the values into a table of the engine; they never become part of SQL."""
        engine.query("CREATE TEMP TABLE wanted (place INTEGER, word VARCHAR, number DOUBLE)")
        for place, words in enumerate(self.values.values()):
            for word in words:
                number = float(word) if _NUMBER.fullmatch(word) else None
                engine.query("INSERT INTO wanted VALUES (?, ?, ?)", [place, word, number])

    def _applied(self, engine: Engine, table: FileTable, columns: Sequence[str]) -> FileTable:
        """Return a table of the rows chosen by some columns; there must be such rows."""
        known = [column for column in self.values if column in columns]
        if not known:
            return table
        found = replace(table, condition=" AND ".join(self._fulfilled(table, c) for c in known))
        if not self._number(engine, found):
            self._refuse(engine, table, known)
        return found

    def _fulfilled(self, table: FileTable, column: str) -> str:
        """Return a condition: the column has one of its values, numbers by value."""
        place = list(self.values).index(column)
        text = f"trim(({table.expressions[column]})::VARCHAR)"
        words = f"SELECT word FROM wanted WHERE place = {place}"
        numbers = f"SELECT number FROM wanted WHERE place = {place} AND number IS NOT NULL"
        return (
            f"(coalesce({text}, '') IN ({words}) "
            f"OR coalesce(TRY_CAST({text} AS DOUBLE) IN ({numbers}), false))"
        )

    @staticmethod
    def _number(engine: Engine, table: FileTable) -> int:
        only = f" WHERE {table.condition}" if table.condition else ""
        ((number,),) = engine.query(f"SELECT count(*) FROM {table.source}{only}")
        return int(number)

    def notice(self, engine: Engine, table: FileTable) -> str:
        """Return how many rows of the data were chosen."""
        condition = table.of_systems or table.condition
        if not condition:
            return f"Only rows of the runs with {self}."
        kept = self._number(engine, replace(table, condition=condition))
        all_rows = self._number(engine, replace(table, condition=""))
        return f"Only rows with {self}: {kept:,} of {plural(all_rows, 'row')} of {table.name}."

    def _refuse(self, engine: Engine, table: FileTable, known: Sequence[str]) -> None:
        """Raise an error that lists the values of the first column without a wanted one."""
        for column in known:
            one = replace(table, condition=self._fulfilled(table, column))
            if not self._number(engine, one):
                text = f"trim(({table.expressions[column]})::VARCHAR)"
                rows = engine.query(
                    f"SELECT coalesce({text}, ''), count(*) OVER () FROM {table.source} "
                    f"GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {_SHOWN}"
                )
                there = [row[0] for row in rows]
                more = (
                    f" and {rows[0][1] - len(rows)} more" if rows and rows[0][1] > len(rows) else ""
                )
                words = self.values[column]
                raise InputError(
                    f"{table.name}: no row has {quoted(words)} in column {column!r}; there are "
                    f"{quoted(there, _SHOWN)}{more}.{did_you_mean(words[0], there)}",
                    parameter="where",
                )
        raise InputError(f"{table.name}: no row has {self} at once.", parameter="where")


def _word(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value).strip()
