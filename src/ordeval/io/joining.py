"""Gold and run files joined on ids; every mismatch is an error that names the file."""

from collections.abc import Sequence

from ..errors import InputError
from .engine import Engine

_SHOWN = 5


def join_runs(
    engine: Engine,
    gold: tuple[str, str],
    runs: Sequence[tuple[str, str]],
    columns: Sequence[str],
    *,
    lenient: bool,
) -> str:
    """SQL for a row per gold item (its id is `item`) with the predictions p0, p1, … of the runs.

    `gold` and `runs` are (name, SQL) with a column `id`; a run has a column `pred` too, gold has
    `columns`. `lenient` lets runs lack items; their predictions are then NULL.
    """
    _store(engine, "gold", *gold)
    for i, (name, sql) in enumerate(runs):
        _store(engine, f"run{i}", name, sql)
        _refuse_strangers(engine, f"run{i}", name, gold[0])
        if not lenient:
            _refuse_gaps(engine, f"run{i}", name)
    chosen = ["gold.id AS item"]
    chosen += [f"gold.{column}" for column in columns if column != "id"]
    chosen += [f"run{i}.pred AS p{i}" for i in range(len(runs))]
    joins = "".join(f" LEFT JOIN run{i} ON run{i}.id = gold.id" for i in range(len(runs)))
    return f"SELECT {', '.join(chosen)} FROM gold{joins}"


def _store(engine: Engine, table: str, name: str, sql: str) -> None:
    """Keep the columns that matter in a table of DuckDB, which spills to disk if it must."""
    engine.query(
        f"CREATE TEMP TABLE {table} AS SELECT * REPLACE (CAST(id AS VARCHAR) AS id) FROM ({sql})"
    )
    ((empty, total),) = engine.query(f"SELECT count(*) - count(id), count(*) FROM {table}")
    if not total:
        raise InputError(f"{name} holds no rows, only a header.")
    if empty:
        raise InputError(f"{name}: {empty} row(s) have no id; every row needs one.")
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {table} GROUP BY id HAVING count(*) > 1 "
        f"ORDER BY min(rowid) LIMIT {_SHOWN}"
    )
    _refuse(rows, name, "id(s) occur more than once", "Keep one row per item.")


def _refuse_strangers(engine: Engine, run: str, name: str, gold: str) -> None:
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {run} WHERE id NOT IN (SELECT id FROM gold) "
        f"ORDER BY rowid LIMIT {_SHOWN}"
    )
    hint = "Check that both files are about the same items and that id names the same column."
    _refuse(rows, name, f"id(s) are not in {gold}", hint)


def _refuse_gaps(engine: Engine, run: str, name: str) -> None:
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM gold WHERE id NOT IN (SELECT id FROM {run}) "
        f"ORDER BY rowid LIMIT {_SHOWN}"
    )
    hint = (
        'Complete the run, or pass missing="skip" to leave them out of every system, or "worst" '
        "to score them as the class farthest from gold."
    )
    _refuse(rows, name, "item(s) have no prediction", hint)


def _refuse(rows: Sequence[tuple[str, int]], name: str, what: str, hint: str) -> None:
    if rows:
        count = rows[0][1]
        shown = ", ".join(repr(row[0]) for row in rows)
        more = f" and {count - len(rows)} more" if count > len(rows) else ""
        raise InputError(f"{name}: {count} {what}: {shown}{more}. {hint}")
