"""Gold and run files joined on ids; every mismatch is an error that names the file."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InputError
from .engine import Engine

_SHOWN = 5


@dataclass(frozen=True)
class _Problem:
    """What is wrong with the ids of a file, and what to do about it."""

    what: str
    hint: str = ""


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
    _store(engine, "gold", gold[1])
    _refuse([(gold[0], _faults(engine, "gold"))])
    found = []
    for i, (name, sql) in enumerate(runs):
        _store(engine, f"run{i}", sql)
        found.append((name, _run_problems(engine, f"run{i}", gold[0], lenient)))
    _refuse(found, gold[0])
    chosen = ["gold.id AS item"]
    chosen += [f"gold.{column}" for column in columns if column != "id"]
    chosen += [f"run{i}.pred AS p{i}" for i in range(len(runs))]
    joins = "".join(f" LEFT JOIN run{i} ON run{i}.id = gold.id" for i in range(len(runs)))
    return f"SELECT {', '.join(chosen)} FROM gold{joins}"


def _store(engine: Engine, table: str, sql: str) -> None:
    """Keep the columns that matter in a table of DuckDB, which spills to disk if it must."""
    engine.query(
        f"CREATE TEMP TABLE {table} AS SELECT * REPLACE (CAST(id AS VARCHAR) AS id) FROM ({sql})"
    )


def _run_problems(engine: Engine, run: str, gold: str, lenient: bool) -> list[_Problem]:
    """Everything that keeps a run from being joined to gold."""
    ((some_rows,),) = engine.query(f"SELECT count(*) > 0 FROM {run}")
    found = _faults(engine, run)
    if some_rows:
        found += _strangers(engine, run, gold)
        found += [] if lenient else _gaps(engine, run)
    return found


def _faults(engine: Engine, table: str) -> list[_Problem]:
    """What is wrong with a table by itself: no rows, rows without id, repeated ids."""
    ((empty, total),) = engine.query(f"SELECT count(*) - count(id), count(*) FROM {table}")
    if not total:
        return [_Problem(" holds no rows, only a header")]
    found = [_Problem(f": {empty} row(s) have no id; every row needs one")] if empty else []
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {table} WHERE id IS NOT NULL "
        f"GROUP BY id HAVING count(*) > 1 ORDER BY min(rowid) LIMIT {_SHOWN}"
    )
    return found + _listed(rows, "id(s) occur more than once", "Keep one row per item.")


def _strangers(engine: Engine, run: str, gold: str) -> list[_Problem]:
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {run} WHERE id NOT IN (SELECT id FROM gold) "
        f"GROUP BY id ORDER BY min(rowid) LIMIT {_SHOWN}"
    )
    hint = "Check that both files are about the same items and that id names the same column."
    return _listed(rows, f"id(s) are not in {gold}", hint)


def _gaps(engine: Engine, run: str) -> list[_Problem]:
    # A NULL among the ids of the run would make NOT IN unknown for every item.
    rows = engine.query(
        "SELECT id, count(*) OVER () FROM gold "
        f"WHERE id NOT IN (SELECT id FROM {run} WHERE id IS NOT NULL) "
        f"ORDER BY rowid LIMIT {_SHOWN}"
    )
    hint = (
        'Complete the run, or pass missing="skip" to leave them out of every system, or "worst" '
        "to score them as the class farthest from gold."
    )
    return _listed(rows, "item(s) have no prediction", hint)


def _listed(rows: Sequence[tuple[str, int]], what: str, hint: str) -> list[_Problem]:
    """The problem of having these rows (id, number of such ids); none if there are none."""
    if not rows:
        return []
    count = rows[0][1]
    shown = ", ".join(repr(row[0]) for row in rows)
    more = f" and {count - len(rows)} more" if count > len(rows) else ""
    return [_Problem(f": {count} {what}: {shown}{more}", hint)]


def _refuse(found: Sequence[tuple[str, list[_Problem]]], gold: str = "") -> None:
    """One error for all files, a line each, so that they can be put right in one go."""
    faulty = [(name, problems) for name, problems in found if problems]
    if not faulty:
        return
    lines = [
        name + ";".join([problems[0].what, *(p.what.lstrip(":") for p in problems[1:])]) + "."
        for name, problems in faulty
    ]
    hints = " ".join(dict.fromkeys(p.hint for _, problems in faulty for p in problems if p.hint))
    if len(lines) == 1:
        raise InputError(f"{lines[0]} {hints}".rstrip())
    start = f"{len(lines)} of {len(found)} run files do not fit {gold}:"
    raise InputError("\n".join([start, *lines, *([hints] if hints else [])]))
