"""Gold and predictions joined on ids: run files, and long tables with a column of systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError, abbreviate, plural, quoted
from ..labels import sorted_names
from ..types import Missing
from .engine import Engine, literal
from .sniffing import FileTable
from .tabulation import (
    SHOWN,
    SPACES,
    Fetched,
    Pred,
    check_roles,
    pred_role,
    prediction_columns,
    require_column,
)

Problem = tuple[str, str]  # what is wrong with the ids of a file, and a hint
Systems = dict[str, str]  # the names of systems, and their files in messages
_MOST_LINES = 12  # of one message
_MOST_JOINS = 16  # more run files are stacked, because every join takes memory
_ONE = "one"  # the system of a file that has one
_SYSTEM, _TEXT = "system::VARCHAR AS system", "pred::VARCHAR AS pred"
_ALIKE = "Write the ids alike in both files."
_ONE_ROW = "Keep one row per item."


@dataclass(frozen=True)
class Roles:
    """The columns of gold, and of what belongs to it, by role."""

    keys: tuple[str, ...]
    columns: Mapping[str, str]
    pred: Pred
    missing: Missing
    aside: tuple[str, ...] = ()  # columns that are no predictions

    @property
    def keyed(self) -> dict[str, str]:
        """The columns of the ids by their names in SQL."""
        return {f"id{i}": column for i, column in enumerate(self.keys)}

    @property
    def optional(self) -> dict[str, str]:
        """The columns of the roles other than gold."""
        return {role: column for role, column in self.columns.items() if role != "gold"}

    def check(self, table: FileTable) -> None:
        """Raise an error if a table lacks a column."""
        named = [*(("id", key) for key in self.keys), *self.columns.items()]
        for role, column in named:
            require_column(column, table.columns, role, f"{table.name}: ")
        # A text may have another role, too: that of an id, for example.
        check_roles([each for each in named if each[0] != "text"], (), f"{table.name}: ")


def id_columns(
    id: str | Sequence[str] | None, columns: Sequence[str], run: str | None = None
) -> tuple[str, ...]:
    """Return the columns that name an item: those given, or `id`, or the first column."""
    if id is not None:
        return (id,) if isinstance(id, str) else tuple(id)
    left = [column for column in columns if column != run]
    return ("id",) if "id" in left else tuple(left[:1])


def join_runs(
    engine: Engine,
    gold: FileTable,
    runs: Mapping[str, FileTable],
    roles: Roles,
    run: str | None = None,
) -> tuple[str, Systems]:
    """Return SQL for gold and runs, joined on ids, with a column per role; and the systems.

    The columns needed are first copied into tables of DuckDB, which spill to disk if necessary.
    Any mismatch of ids is an error that names the file.
    """
    roles.check(gold)
    if run is not None and not any(run in table.columns for table in runs.values()):
        first = next(iter(runs.values()))
        require_column(run, first.columns, "run", f"{first.name}: ")
    preds = [_prediction(table, roles, run) for table in runs.values()]
    store_gold(engine, gold, roles, list(runs.values()))
    if run is None and len(runs) <= _MOST_JOINS:
        return _joined_files(engine, gold, list(runs.values()), roles, preds), {
            name: table.name for name, table in runs.items()
        }
    systems: Systems = {}
    for i, (name, table) in enumerate(runs.items()):
        columns = {**roles.keyed, "pred": preds[i]}
        if run in table.columns:
            rows = table.select({**columns, "system": str(run)})
            store(engine, "part", rows, roles, [_SYSTEM, _TEXT])
            found = _names(engine, table, str(run))
            files = {system: f"{table.name} ({system})" for system in found}
        else:
            store(engine, "part", table.select(columns), roles, [f"'{_ONE}' AS system", _TEXT])
            found, files = {name: _ONE}, {name: table.name}
        if known := [system for system in found if system in systems]:
            raise InputError(f"{table.name}: there are other runs called {quoted(known)}.")
        _stack(engine, list(found.values()), len(systems))
        systems |= files
    return joined_stack(engine, gold.name, systems, roles), systems


def _joined_files(
    engine: Engine,
    gold: FileTable,
    runs: Sequence[FileTable],
    roles: Roles,
    preds: Sequence[str],
) -> str:
    """Return SQL for gold and a few run files."""
    found = []
    for i, (run, pred) in enumerate(zip(runs, preds, strict=True)):
        rows = run.select({**roles.keyed, "pred": pred})
        store(engine, f"run{i}", rows, roles, ["pred"])
        engine.query(f"DELETE FROM run{i} WHERE id IN (SELECT id FROM left_out)")
        found.append((run.name, _run_problems(engine, f"run{i}", gold.name, roles.missing)))
    _refuse(found, gold.name)
    chosen = ["gold.id AS item", *(f"gold.{role}" for role in roles.columns)]
    chosen += [f"run{i}.pred AS {pred_role(i)}" for i in range(len(runs))]
    joins = "".join(f" LEFT JOIN run{i} ON run{i}.id = gold.id" for i in range(len(runs)))
    return f"SELECT {', '.join(chosen)} FROM gold{joins}"


def join_long(
    engine: Engine, table: FileTable, gold: str, roles: Roles, run: str
) -> tuple[str, Systems]:
    """Return SQL for a long table: a row per item and system, joined; and the systems.

    Gold is a column of it, or, if there is none of this name, the rows of a system of this name.
    """
    where = f"{table.name}: "
    require_column(run, table.columns, "run", where)
    for role, column in [*(("id", key) for key in roles.keys), *roles.optional.items()]:
        require_column(column, table.columns, role, where)
    gold_column = gold in table.columns
    taken = replace(roles, columns=roles.columns if gold_column else roles.optional)
    pred = _prediction(table, taken, run)
    rows = {**roles.keyed, "pred": pred, "system": run}
    chosen = replace(table, condition=table.of_systems)
    store(engine, "part", chosen.select(rows), roles, [_SYSTEM, "pred"])
    names = _names(engine, table, run)
    if gold_column:
        _store_repeated_gold(engine, table, roles)
    else:
        if gold not in names and not _has_system(engine, table, gold, run):
            raise InputError(
                f"{where}there is no column {gold!r}, and no row has {gold!r} in column {run!r}, "
                f"in which there are {quoted(names)}.",
                parameter="gold",
                hint="Name the column, or the system, of the gold labels with {gold}.",
                suggest={"gold": ...},
            )
        names.pop(gold, None)
        _store_gold_rows(
            engine, table, gold, replace(roles, columns={**roles.columns, "gold": pred}), run
        )
    if not names:
        raise InputError(f"{where}only gold rows; rows of at least one system are needed.")
    _stack(engine, list(names.values()), 0)
    systems = {name: f"{table.name} ({name})" for name in names}
    return joined_stack(engine, table.name, systems, roles), systems


def _has_system(engine: Engine, table: FileTable, name: str, run: str) -> bool:
    """Whether any row, chosen or not, is of a system."""
    column = f"({table.expressions[run]})::VARCHAR"
    return bool(engine.query(f"SELECT 1 FROM {table.source} WHERE {column} = ? LIMIT 1", [name]))


def _store_gold_rows(engine: Engine, table: FileTable, gold: str, roles: Roles, run: str) -> None:
    """Copy the rows of the system that is gold."""
    engine.query("CREATE TEMP TABLE gold_name AS SELECT ?::VARCHAR AS name", [gold])
    system = f"({table.expressions[run]})::VARCHAR = (SELECT name FROM gold_name)"
    chosen = table.condition or "true"
    kept = replace(table, condition=f"{system} AND {chosen}")
    left_out = replace(table, condition=f"{system} AND NOT ({chosen})")
    store(engine, "gold", kept.select({**roles.keyed, **roles.columns}), roles, list(roles.columns))
    _store_left_out(engine, left_out, roles)
    if problems := _faults(engine, "gold"):
        better = _better_keys(engine, kept, roles, ())
        _refuse([(f"{table.name} ({gold})", problems)], keys=better)


def _store_repeated_gold(engine: Engine, table: FileTable, roles: Roles) -> None:
    """Copy gold from a table that repeats it for every system; it must agree with itself."""
    columns = list(roles.columns)
    store(engine, "repeated", table.select({**roles.keyed, **roles.columns}), roles, columns)
    others = replace(table, condition=f"NOT ({table.condition or 'true'})")
    empty = engine.query("SELECT count(*) FROM repeated WHERE id IS NULL")[0][0]
    if empty:
        raise InputError(
            f"{table.name}: {plural(empty, 'row')} without an id; every row needs one."
        )
    for role, column in roles.columns.items():
        if role == "text":  # any will do
            continue
        rows = engine.query(
            f"SELECT id, count(*) OVER () FROM repeated GROUP BY id "
            f"HAVING count(DISTINCT {role}) > 1 ORDER BY min(rowid) LIMIT {SHOWN}"
        )
        problem = f" with several values of {column!r}"
        hint = "An item has the same gold label, topic and weight in the rows of all systems."
        _refuse([(table.name, _listed(rows, "item", problem, hint))])
    values = "".join(f", arg_min({role}, rowid) AS {role}" for role in columns)
    engine.query(
        f"CREATE TEMP TABLE gold AS SELECT id{values} FROM repeated GROUP BY id ORDER BY min(rowid)"
    )
    engine.query("DROP TABLE repeated")
    _store_left_out(engine, others, roles)


def _names(engine: Engine, table: FileTable, run: str) -> dict[str, str]:
    """Return the systems of `part`, in the order of their names, with their names in it."""
    rows = engine.query("SELECT system, count(*) FROM part GROUP BY system")
    if not rows:
        raise InputError(f"{table.name} holds no rows, only a header.")
    if nameless := [count for system, count in rows if system is None]:
        raise InputError(
            f"{table.name}: {plural(nameless[0], 'row')} with nothing in column {run!r}, which "
            "names the system.",
            parameter="run",
        )
    return {system: system for system in sorted_names(system for system, _ in rows)}


def _stack(engine: Engine, names: Sequence[str], first: int) -> None:
    """Move the rows of `part` to the rows of all systems, numbered from `first`."""
    engine.query("CREATE OR REPLACE TEMP TABLE names (system VARCHAR, place INTEGER)")
    places = list(range(first, first + len(names)))
    engine.query(
        "INSERT INTO names SELECT unnest(?::VARCHAR[]), unnest(?::INTEGER[])", [names, places]
    )
    rows = "SELECT place, id, pred FROM part JOIN names USING (system)"
    if first == 0:
        engine.query(f"CREATE TEMP TABLE stack AS {rows}")
    else:
        engine.query(f"INSERT INTO stack {rows}")
    engine.query("DROP TABLE part")


def joined_stack(engine: Engine, gold: str, systems: Systems, roles: Roles) -> str:
    """Return SQL for gold and the systems in the table of all rows."""
    engine.query("DELETE FROM stack WHERE id IN (SELECT id FROM left_out)")
    engine.query(
        "CREATE TEMP TABLE by_item AS "
        "SELECT item, [x.place FOR x IN found] AS places, [x.pred FOR x IN found] AS preds FROM "
        "(SELECT gold.rowid AS item, list({'place': place, 'pred': pred}) AS found "
        "FROM stack JOIN gold USING (id) GROUP BY gold.rowid)"
    )
    _refuse_stack(engine, gold, systems, roles.missing)
    chosen = ["gold.id AS item", *(f"gold.{role}" for role in roles.columns)]
    chosen += [f"preds[list_position(places, {i})] AS {pred_role(i)}" for i in range(len(systems))]
    engine.query("DROP TABLE stack")
    engine.query(
        f"CREATE TEMP TABLE items AS SELECT {', '.join(chosen)} FROM gold "
        "LEFT JOIN by_item ON by_item.item = gold.rowid"
    )
    engine.query("DROP TABLE by_item")
    return "FROM items"


def _refuse_stack(engine: Engine, gold: str, systems: Systems, missing: Missing) -> None:
    """Raise an error about the systems whose ids do not fit; most often one query shows none."""
    ((rows,),) = engine.query("SELECT count(*) FROM stack")
    ((fitting, repeated),) = engine.query(
        "SELECT sum(len(places)), count(*) FILTER (list_unique(places) < len(places)) FROM by_item"
    )
    ((items,),) = engine.query("SELECT count(*) FROM gold")
    complete = rows == items * len(systems) or missing != "error"
    if rows == fitting and not repeated and complete:
        return
    found: list[tuple[str, list[Problem]]] = []
    for place, name in enumerate(systems.values()):
        source = f"(SELECT rowid, id, pred FROM stack WHERE place = {place})"
        found.append((name, _run_problems(engine, source, gold, missing)))
    _refuse(found, gold)


def store_gold(
    engine: Engine, gold: FileTable, roles: Roles, runs: Sequence[FileTable] = ()
) -> None:
    """Copy gold, with an id per row, and the ids of the rows that were not chosen."""
    columns = list(roles.columns)
    store(engine, "gold", gold.select({**roles.keyed, **roles.columns}), roles, columns)
    others = replace(gold, condition=f"NOT ({gold.condition or 'true'})")
    _store_left_out(engine, others, roles)
    if problems := _faults(engine, "gold"):
        _refuse([(gold.name, problems)], keys=_better_keys(engine, gold, roles, runs))


def _store_left_out(engine: Engine, others: FileTable, roles: Roles) -> None:
    """Copy the ids of the rows that were not chosen: those of runs are left out, too."""
    store(engine, "left_out", others.select(roles.keyed), roles, [])
    engine.query("DELETE FROM left_out WHERE id IS NULL OR id IN (SELECT id FROM gold)")


def _better_keys(
    engine: Engine, gold: FileTable, roles: Roles, runs: Sequence[FileTable]
) -> list[str] | None:
    """Return topic and id as keys if ids are repeated, but not within topics."""
    topic = roles.columns.get("topic", "topic")
    if len(roles.keys) > 1 or any(topic not in table.columns for table in (gold, *runs)):
        return None
    keys = ", ".join(
        f"{column}" for column in (gold.expressions[topic], gold.expressions[roles.keys[0]])
    )
    only = f" WHERE {gold.condition}" if gold.condition else ""
    twice = f"SELECT 1 FROM {gold.source}{only} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"
    return None if engine.query(twice) else [topic, roles.keys[0]]


def _prediction(table: FileTable, roles: Roles, run: str | None) -> str:
    """Return the column of predictions of a run file."""
    where, pred = f"{table.name}: ", roles.pred
    for key in roles.keys:
        require_column(key, table.columns, "id", where)
    wanted = [pred] if isinstance(pred, str) else list(pred or ())
    if pred is None:
        wanted = _candidates(table, roles, run)
        if len(wanted) != 1:
            raise InputError(
                f"{where}it is not clear which column holds the predictions; the columns are "
                f"{quoted(table.columns, 20)}.",
                parameter="pred",
                hint="Name it with {pred}.",
                suggest={"pred": ...},
            )
    if len(wanted) != 1:
        raise InputError(
            f"{len(wanted)} prediction columns are named for run files; a run file holds one "
            "system, so name one column, or none.",
            parameter="pred",
        )
    require_column(wanted[0], table.columns, "pred", where)
    return wanted[0]


def _candidates(table: FileTable, roles: Roles, run: str | None) -> list[str]:
    """Return the columns of a run that may hold the predictions."""
    others = [c for c in table.columns if c not in (*roles.keys, *roles.aside, run)]
    if table.numbered and len(others) == 1:  # positions in gold say nothing about this file
        return others
    wanted = prediction_columns(
        table.columns, (*roles.keys, *roles.aside, run, *roles.optional.values())
    )
    gold = roles.columns.get("gold")
    return [c for c in wanted if c != gold] if len(wanted) > 1 else wanted


def store(engine: Engine, table: str, sql: str, roles: Roles, columns: Sequence[str]) -> None:
    """Copy columns into a table; ids are text, or lists of text if several columns name items."""
    names = list(roles.keyed)
    id = f"CAST({names[0]} AS VARCHAR)"
    if len(names) > 1:
        absent = " OR ".join(f"{name} IS NULL" for name in names)
        texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
        id = f"CASE WHEN {absent} THEN NULL ELSE [{texts}] END"
    chosen = ", ".join([f"{id} AS id", *columns])
    engine.query(f"CREATE TEMP TABLE {table} AS SELECT {chosen} FROM ({sql})")


def _run_problems(engine: Engine, run: str, gold: str, missing: Missing) -> list[Problem]:
    """Return why a run cannot be joined to gold."""
    found = _faults(engine, run)
    ((rows,),) = engine.query(f"SELECT count(*) FROM {run}")
    if rows:
        found += _unknown_ids(engine, run, gold)
    if rows and missing == "error" and not any(hint == _ALIKE for _, hint in found):
        found += _absent_ids(engine, run)
    return found


def _faults(engine: Engine, table: str) -> list[Problem]:
    """Return what is wrong with a table by itself: no rows, rows without id, repeated ids."""
    ((empty, total),) = engine.query(f"SELECT count(*) - count(id), count(*) FROM {table}")
    if not total:
        chosen = bool(engine.query("SELECT 1 FROM left_out LIMIT 1"))
        return [(f" holds no rows{' of the chosen items' if chosen else ', only a header'}", "")]
    nameless = f": {plural(empty, 'row')} without an id; every row needs one"
    found = [(nameless, "")] if empty else []
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {table} WHERE id IS NOT NULL "
        f"GROUP BY id HAVING count(*) > 1 ORDER BY min(rowid) LIMIT {SHOWN}"
    )
    return found + _listed(rows, "repeated id", "", _ONE_ROW)


def _unknown_ids(engine: Engine, run: str, gold: str) -> list[Problem]:
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {run} WHERE id NOT IN (SELECT id FROM gold) "
        f"GROUP BY id ORDER BY min(rowid) LIMIT {SHOWN}"
    )
    hint = "Check that both files are about the same items; name the column of ids with {id}."
    alike = _alike_ids(engine, run) if rows else None
    if alike is None:
        return _listed(rows, "id", f" not in {gold}", hint)
    here, there = map(item_name, alike)
    only = f": {abbreviate(here)} and {abbreviate(there)} in {gold} differ in leading zeros or "
    return [
        *_listed(rows, "id", f" not in {gold}", _ALIKE),
        (f"{only}spaces only", ""),
    ]


def _alike_ids(engine: Engine, run: str) -> tuple[Any, Any] | None:
    """Return an id that is not in gold and one of gold that means the same; None if none does."""

    several = engine.query("SELECT typeof(id) LIKE '%[]' FROM gold LIMIT 1")[0][0]

    def bare(id: str) -> str:
        text = f"ltrim(trim({'part' if several else id}, {literal(SPACES)}), '0')"
        return f"[{text} FOR part IN {id}]" if several else text

    rows = engine.query(
        f"SELECT run.id, gold.id FROM {run} AS run JOIN gold ON {bare('run.id')} = "
        f"{bare('gold.id')} WHERE run.id NOT IN (SELECT id FROM gold) LIMIT 1"
    )
    return rows[0] if rows else None


def _absent_ids(engine: Engine, run: str) -> list[Problem]:
    # A NULL among the ids of the run would make NOT IN unknown for every item.
    rows = engine.query(
        "SELECT id, count(*) OVER () FROM gold "
        f"WHERE id NOT IN (SELECT id FROM {run} WHERE id IS NOT NULL) "
        f"ORDER BY rowid LIMIT {SHOWN}"
    )
    hint = (
        "Complete the run, or pass {missing} to leave these items out of every system; "
        '"worst" instead of "skip" scores them as the class farthest from gold.'
    )
    return _listed(rows, "item", " without a prediction", hint)


def _listed(rows: Fetched, noun: str, problem: str, hint: str) -> list[Problem]:
    """Return a problem that lists the ids in rows of (id, number of such ids), if any."""
    if not rows:
        return []
    count = rows[0][1]
    more = f" and {count - len(rows)} more" if count > len(rows) else ""
    ids = quoted(item_name(row[0]) for row in rows)
    return [(f": {plural(count, noun)}{problem}: {ids}{more}", hint)]


def _refuse(
    found: Sequence[tuple[str, list[Problem]]], gold: str = "", keys: list[str] | None = None
) -> None:
    """Raise one error with a line for each faulty file, so that all can be corrected at once.

    `keys` are columns that would name every item once.
    """
    lines = [
        name + ";".join([problems[0][0], *(what.lstrip(":") for what, _ in problems[1:])]) + "."
        for name, problems in found
        if problems
    ]
    if not lines:
        return
    hints = dict.fromkeys(hint for _, problems in found for _, hint in problems if hint)
    hint = " ".join(hints)
    if keys and _ONE_ROW in hints:
        hint = hint.replace(_ONE_ROW, "Within topics ids are not repeated: pass {id}.")
    if len(lines) > 1:
        start = f"{len(lines)} of {len(found)} run files do not fit {gold}:"
        more = [f"… and {len(lines) - _MOST_LINES} more."] if len(lines) > _MOST_LINES else []
        lines = [start, *lines[:_MOST_LINES], *more]
    raise InputError(
        "\n".join(lines),
        parameter=next((name for name in ("missing", "id") if f"{{{name}}}" in hint), None),
        hint=hint,
        suggest={"missing": "skip", "id": keys or ...},
    )


def item_name(id: Any) -> Any:
    """Return an id for messages; one of several columns as a tuple."""
    return tuple(id) if isinstance(id, list) else id
