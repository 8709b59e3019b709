"""Gold and predictions joined on ids: run files, and long tables with a column of systems.

Ids and labels are copied into tables of DuckDB, which spill to disk if necessary. The predictions
of every system are put into the order of gold, so that they stand side by side.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError, naming, plural, quoted
from ..types import Missing
from .engine import Engine, literal
from .table import Table, column_named

_SHOWN = 5  # ids in a message
_NO_PREDICTION = ("id", "topic", "weight", "frequency", "cluster")  # columns of other roles

Systems = dict[str, str]  # the names of systems, and of their files in messages
Pick = Callable[[Sequence[str]], Sequence[str]]  # columns of all


@dataclass(frozen=True)
class Join:
    """What is joined: the columns of ids, the columns of DATA by role, and the predictions.

    Columns in `aside` are not taken for predictions. `proba` picks the columns of probabilities of
    a run, which take the place of predictions.
    """

    engine: Engine
    data: Table
    keys: tuple[str, ...]
    roles: Mapping[str, str]
    pred: Any = None
    run: str | None = None
    missing: Missing = "error"
    aside: tuple[str, ...] = ()
    proba: Pick | None = None

    def joined(
        self, runs: Mapping[str, Table], rows: Table
    ) -> tuple[str, Systems, tuple[str, ...]]:
        """Return SQL for gold and run files, or without any a long table, and the systems.

        The SQL has the columns item, c0, c1, … (those of DATA) and s0, s1, … (the systems, each
        with as many columns as are named at the end). A long table has a row per item and system,
        of which `rows` are chosen. Gold is a column, or if there is none of this name, the rows of
        a system.
        """
        gold = self.roles["gold"]
        of_rows = not runs and gold not in rows.columns and self.proba is None
        roles = {role: name for role, name in self.roles.items() if role != "gold" or not of_rows}
        self._require(self.data, roles if runs else {"system": str(self.run), **roles})
        if runs and self.run and not any(self.run in table.columns for table in runs.values()):
            next(iter(runs.values())).require(self.run, "system")
        tables = runs or {"": rows}
        preds = [self._predictions(table, roles) for table in tables.values()]
        for table, pred in zip(tables.values(), preds, strict=True):
            if self.proba is not None and pred != preds[0]:
                raise InputError(
                    f"{table.name} has probabilities in the columns {quoted(pred, 10)}, and "
                    f"{next(iter(tables.values())).name} in {quoted(preds[0], 10)}.",
                    parameter="labels",
                    hint="Declare all classes with {labels}; every run has a column of each.",
                )
        if runs:
            self._store("gold", self.data, list(roles.values()))
            self._store_left_out(self.data.others)
            self._check_ids("gold", self.data.name)
        elif not of_rows:
            self._store_repeated_gold()
        systems = Systems()
        for (name, table), pred in zip(tables.items(), preds, strict=True):
            files = self._parts(table, pred, name)
            if known := [system for system in files if system in systems]:
                raise InputError(f"{table.name}: there are other runs called {quoted(known)}.")
            if of_rows:
                self._store_gold_rows(gold, pred[0], files)
                files.pop(gold, None)
            for system, file in files.items():
                if self.run in table.columns:
                    self._store_part(system, len(pred))
                self._place(len(systems), len(pred), file)
                systems[system] = file
        if not systems:
            raise InputError(f"{rows.name}: only gold rows; rows of a system are needed, too.")
        return self._side_by_side(len(systems), len(preds[0])), systems, preds[0]

    def _require(self, table: Table, roles: Mapping[str, str]) -> None:
        for role, column in (*(("id", key) for key in self.keys), *roles.items()):
            table.require(column, role)

    def _predictions(self, table: Table, roles: Mapping[str, str]) -> tuple[str, ...]:
        """Return the columns of predictions of a table: one, or those of probabilities."""
        if self.proba is None:
            return (self._prediction(table, roles),)
        with naming(table.name):
            named = tuple(self.proba(table.columns))
        for column, role in (*((c, "proba") for c in named), *((k, "id") for k in self.keys)):
            table.require(column, role)
        return named

    def _prediction(self, table: Table, roles: Mapping[str, str]) -> str:
        """Return the column of predictions of a table: the one named, called pred, or left."""
        for key in self.keys:
            table.require(key, "id")
        if self.pred is not None:
            named = [self.pred] if isinstance(self.pred, str) else list(self.pred)
            if len(named) != 1:
                raise InputError(
                    f"{len(named)} columns of predictions are named; a run has one.",
                    parameter="pred",
                )
            table.require(named[0], "pred")
            return str(named[0])
        left = [c for c in table.columns if c not in (*self.keys, *self.aside, self.run)]
        if not table.numbered or len(left) > 1:  # positions in gold say nothing about a run
            taken = {v for k, v in roles.items() if k != "gold"}
            left = [c for c in left if c not in taken and c.casefold() not in _NO_PREDICTION]
        if len(left) > 1:
            left = [c for c in left if c != roles.get("gold")]
        named = [c for c in left if c == column_named("pred", left)]
        if len(named or left) != 1:
            raise InputError(
                f"{table.name}: it is not clear which column holds the predictions; the columns "
                f"are {quoted(table.columns, 20)}.",
                parameter="pred",
                hint="Name it with {pred}.",
            )
        return (named or left)[0]

    def _store(self, name: str, table: Table, columns: Sequence[str], order: str = "") -> None:
        """Copy ids, and columns as c0, c1, …; an id of several columns is a list."""
        cells = [f"{table.expressions[c]} AS c{i}" for i, c in enumerate(columns)]
        chosen = ", ".join([f"{table.id(self.keys)} AS id", *cells])
        self.engine.query(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {chosen} FROM {table.rows}{order}"
        )

    def _store_left_out(self, table: Table) -> None:
        """Copy the ids of rows that were not chosen: they are left out of the runs, too."""
        self._store("left_out", table, [])
        self.engine.query("DELETE FROM left_out WHERE id IS NULL OR id IN (SELECT id FROM gold)")

    def _store_gold_rows(self, gold: str, pred: str, systems: Systems) -> None:
        """Copy the rows of the system that is gold."""
        data, is_gold = self.data, f"{self.data.text(str(self.run))} = {literal(gold)}"
        if not self.engine.query(f"SELECT 1 FROM {data.source} WHERE {is_gold} LIMIT 1"):
            raise InputError(
                f"{data.name}: there is no column {gold!r}, and no row has {gold!r} in column "
                f"{self.run!r}, in which there are {quoted(systems)}.",
                parameter="gold",
                hint="Name the column, or the system, of the gold labels with {gold}.",
            )
        chosen = data.condition or "true"
        columns = [pred if role == "gold" else name for role, name in self.roles.items()]
        self._store("gold", replace(data, condition=f"{is_gold} AND {chosen}"), columns)
        self._store_left_out(replace(data, condition=f"{is_gold} AND NOT ({chosen})"))
        self._check_ids("gold", f"{data.name} ({gold})")

    def _store_repeated_gold(self) -> None:
        """Copy gold from a table that repeats it for every system; it must agree with itself."""
        data, query = self.data, self.engine.query
        self._store("repeated", data, list(self.roles.values()))
        if empty := query("SELECT count(*) FROM repeated WHERE id IS NULL")[0][0]:
            raise InputError(f"{data.name}: {plural(empty, 'row')} without an id.", parameter="id")
        hint = "The rows of an item have the same gold label, topic and weight."
        for i, (role, column) in enumerate(self.roles.items()):
            if role != "text":  # of which any will do
                several = f"FROM repeated GROUP BY id HAVING count(DISTINCT c{i}) > 1"
                what = f" with several values of {column!r}"
                self._refuse(several, data.name, "item", what, hint)
        first = "".join(f", arg_min(c{i}, rowid) AS c{i}" for i in range(len(self.roles)))
        query(
            f"CREATE TEMP TABLE gold AS SELECT id{first} FROM repeated GROUP BY id "
            "ORDER BY min(rowid)"
        )
        query("DROP TABLE repeated")
        self._store_left_out(data.others)

    def _parts(self, table: Table, pred: Sequence[str], name: str) -> Systems:
        """Copy the predictions of a table; return its systems, numbers first, and their files."""
        if self.run not in table.columns:
            self._store("run", table, pred)
            return {name: table.name}
        of_system = f"c{len(pred)}"
        self._store("part", table, [*pred, str(self.run)], f" ORDER BY {of_system}")
        number = "CASE WHEN regexp_full_match(s, '-?\\d+(\\.\\d+)?') THEN s::DOUBLE END"
        rows = self.engine.query(
            f"SELECT s, count(*) FROM (SELECT {of_system}::VARCHAR AS s FROM part) GROUP BY s "
            f"ORDER BY {number} NULLS LAST, s"
        )
        if not rows:
            raise InputError(f"{table.name} holds no rows, only a header.")
        if nameless := [count for system, count in rows if system is None]:
            raise InputError(
                f"{table.name}: {plural(nameless[0], 'row')} with nothing in column {self.run!r}, "
                "which names the system.",
                parameter="system",
            )
        return {system: f"{table.name} ({system})" for system, _ in rows}

    def _store_part(self, system: str, width: int) -> None:
        self.engine.query(
            f"CREATE OR REPLACE TEMP TABLE run AS SELECT * EXCLUDE c{width} FROM part "
            f"WHERE c{width}::VARCHAR = {literal(system)}"
        )

    def _place(self, system: int, width: int, file: str) -> None:
        """Put the predictions in `run` into the order of gold; raise an error if that fails."""
        self.engine.query("DELETE FROM run WHERE id IN (SELECT id FROM left_out)")
        if self._fits(system, width):
            return
        self._rename_numbers()
        if not self._fits(system, width):
            self._check_ids("run", file)
            self._check_matches(file)

    def _fits(self, system: int, width: int) -> bool:
        """Join a system to gold; return whether each row has an item, and each item one row."""
        cells = ", ".join(f"run.c{i} AS c{i}" for i in range(width))
        self.engine.query(
            f"CREATE OR REPLACE TEMP TABLE system{system} AS SELECT {cells}, "
            "run.id IS NULL AS absent FROM gold LEFT JOIN run ON run.id = gold.id "
            "ORDER BY gold.rowid"
        )
        ((items, rows, placed, absent),) = self.engine.query(
            "SELECT (SELECT count(*) FROM gold), (SELECT count(*) FROM run), count(*), "
            f"count(*) FILTER (absent) FROM system{system}"
        )
        complete = not absent or self.missing != "error"
        return bool(rows and placed == items and rows == placed - absent and complete)

    def _rename_numbers(self) -> None:
        """Give ids that gold lacks the name of one with the same whole number, as 1.0 that of 1."""

        def whole(id: str) -> str:
            return f"regexp_replace({id}, '^([+-]?\\d+)\\.0+$', '\\1')"

        run, gold = whole("run.id"), whole("gold.id")
        if len(self.keys) > 1:
            run, gold = f"[{whole('x')} FOR x IN run.id]", f"[{whole('x')} FOR x IN gold.id]"
        self.engine.query(
            f"UPDATE run SET id = gold.id FROM gold WHERE {run} = {gold} "
            "AND run.id NOT IN (SELECT id FROM gold)"
        )

    def _side_by_side(self, systems: int, width: int) -> str:
        columns = ["gold.id AS item", *(f"gold.c{i} AS c{i}" for i in range(len(self.roles)))]
        cells = ((i, j) for i in range(systems) for j in range(width))
        columns += [f"system{i}.c{j} AS s{width * i + j}" for i, j in cells]
        joined = "".join(f" POSITIONAL JOIN system{i}" for i in range(systems))
        return f"SELECT {', '.join(columns)} FROM gold{joined}"

    def _check_ids(self, table: str, name: str) -> None:
        """Raise an error for ids of gold, or of a run, that are absent or repeated."""
        ((rows, ids),) = self.engine.query(f"SELECT count(*), count(id) FROM {table}")
        if not rows:
            left_out = self.engine.query("SELECT 1 FROM left_out LIMIT 1")
            why = " of the chosen items" if left_out else ", only a header"
            raise InputError(f"{name} holds no rows{why}.")
        if ids < rows:
            raise InputError(f"{name}: {plural(rows - ids, 'row')} without an id.")
        twice = f"FROM {table} GROUP BY id HAVING count(*) > 1"
        hint = "Keep one row per item, or name the columns that tell items apart with {id}."
        self._refuse(twice, name, "repeated id", "", hint)

    def _check_matches(self, name: str) -> None:
        """Raise an error for ids of a run that are not in gold, and the other way round."""
        unknown = "FROM run WHERE id NOT IN (SELECT id FROM gold) GROUP BY id"
        hint = "Check that both files name the same items alike; name the column of ids with {id}."
        self._refuse(unknown, name, "id", f" not in {self.data.name}", hint)
        absent = "FROM gold WHERE id NOT IN (SELECT id FROM run) GROUP BY id"
        hint = "Complete the run, or pass {missing} to leave these items out of every system."
        self._refuse(absent, name, "item", " without a prediction", hint)

    def _refuse(self, rows: str, name: str, noun: str, what: str, hint: str) -> None:
        """Raise an error that lists the ids of rows, if there are any."""
        first = self.engine.query(
            f"SELECT id, count(*) OVER () {rows} ORDER BY min(rowid) LIMIT {_SHOWN}"
        )
        if first:
            count = first[0][1]
            more = f" and {count - len(first)} more" if count > len(first) else ""
            ids = quoted(item_name(row[0]) for row in first)
            raise InputError(
                f"{name}: {plural(count, noun)}{what}: {ids}{more}.",
                parameter=next((n for n in ("missing", "id") if f"{{{n}}}" in hint), None),
                hint=hint,
                suggest={"missing": "skip"},
            )


def item_name(id: Any) -> Any:
    """Return an id for messages; one of several columns as a tuple."""
    return tuple(id) if isinstance(id, list) else id
