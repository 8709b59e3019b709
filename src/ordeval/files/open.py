"""The door for files: one table, or gold and runs joined on ids, as one relation."""

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, plural, quoted
from ..notes import Notes, repeated_ids
from .engine import Engine
from .formats import Reading, Tables, open_tables
from .joining import Join, Pick, item_name
from .table import Selection, Table, column_named

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

_MOST_IDS = 10**6  # rows in which repeated ids are sought


@dataclass(frozen=True, eq=False)
class Opened:
    """Files as a relation, which can be queried as long as they are open.

    The columns of `relation` are called ``c0``, ``c1``, … (`columns` of DATA, after a join those of
    `roles` only), ``s0``, ``s1``, … (the predictions of joined `systems`, given with their files;
    NULL for an item without a row) and, if `ids` is not empty, ``item``: a text, or a list if
    several columns name an item. `roles` and `pred` are the columns that were asked for, spelled as
    in the file. `items` are the columns that name an item in an export of another tool, `where` the
    values by which rows were chosen; its columns are no predictions unless they are named. After a
    join on probabilities, `pred` are the columns of each system.

    ``run(job)`` returns ``job()``, e.g. ``run(relation.fetchall)``: it reports progress and turns
    errors of DuckDB into an `InputError`. Every query of `relation` goes through it.
    """

    relation: "DuckDBPyRelation"
    name: str
    columns: tuple[str, ...]
    roles: Mapping[str, str]
    run: Callable[[Callable[[], Any]], Any]
    pred: tuple[str, ...] | None = None
    systems: Mapping[str, str] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    where: Mapping[str, list[str]] = field(default_factory=dict)
    notes: Notes = ()

    def select(self, columns: Mapping[str, str], *others: str) -> "DuckDBPyRelation":
        """Return columns of DATA under other names, ``{new name: column}``, and others by SQL."""
        chosen = [f"c{self.columns.index(old)} AS {new}" for new, old in columns.items()]
        return self.relation.project(", ".join([*chosen, *others]))


@contextmanager
def open_engine(
    data: Any,
    runs: Sequence[Any],
    options: Mapping[str, Any],
    *,
    exports: bool = False,
) -> Iterator[tuple[Engine, Tables, Selection]]:
    """Open files as tables; errors meanwhile say which way of reading may help."""
    reading = Reading.of(options, exports=exports)
    with Engine(options.get("memory_limit"), options.get("progress")) as engine:
        tables = open_tables(engine, data, runs, reading)
        with reading.hints(tables.all):
            selection = Selection(options.get("where")).named(tables.columns)
            yield engine, tables, selection


@contextmanager
def open(
    data: str | Path,
    runs: Sequence[str | Path] = (),
    *,
    pred: str | Sequence[str] | None = None,
    roles: Mapping[str, str | None],
    options: Mapping[str, Any],
    exports: bool = False,
    proba: Pick | None = None,
) -> Iterator[Opened]:
    """Open files as one relation, without loading their rows.

    `roles` are columns of `data`, gold among them; None is not used. With `runs`, or with the
    option `system`, predictions are joined to gold on ids, and any mismatch of ids is an error.
    `options` are those of `ordeval.options.FileOptions`, with `id` and `missing`, as far as they
    are given. With `exports`, exports of other tools are read as tables of ratings. `proba` picks
    the columns of probabilities of a run, which take the place of predictions.

    >>> from tempfile import TemporaryDirectory
    >>> from ordeval import files
    >>> with TemporaryDirectory() as folder:
    ...     gold, svm = Path(folder) / "gold.csv", Path(folder) / "svm.csv"
    ...     _ = gold.write_text("id,gold\\nx,1\\ny,2\\n"), svm.write_text("id,pred\\ny,2\\nx,3\\n")
    ...     with files.open(gold, [svm], roles={"gold": "gold"}, options={}) as opened:
    ...         rows = opened.run(opened.select({"g": "gold"}, "s0", "item").fetchall)
    >>> list(opened.systems), rows
    (['svm'], [('1', '3', 'x'), ('2', '2', 'y')])
    """
    with open_engine(data, runs, options, exports=exports) as (engine, tables, selection):
        yield _opened(engine, tables, selection, roles, pred, options, proba)


def _opened(
    engine: Engine,
    tables: Tables,
    selection: Selection,
    asked: Mapping[str, str | None],
    pred: Any,
    options: Mapping[str, Any],
    proba: Pick | None,
) -> Opened:
    """Find the columns that were asked for, choose rows, and join what is in several tables."""
    every = tables.columns
    roles = {k: column_named(v, every) for k, v in asked.items() if v is not None}
    wanted = (pred, options.get("id"), options.get("system"))
    pred, id, run = (column_named(name, every) for name in wanted)
    names = [*roles.values(), *several(pred), *several(id), *several(run), *selection.values]
    joined = bool(tables.runs) or run is not None
    ids = several(id) or _default_ids(tables.data.columns, run, joined=joined)
    tables = tables.each(lambda table: table.with_fields(engine, names))
    tables = tables.without_unnamed(used="" in (*names, *ids))
    data, rows, notes = tables.data, tables.data, tables.notes
    if selection:
        data, rows, tables = _selected(engine, tables, selection, run, roles)
        notes = (*notes, selection.note(engine, rows))
    about: dict[str, Any] = {"name": data.name, "run": engine.run, "items": data.items}
    about |= {"where": selection.values, "ids": ids, "roles": roles}
    if not joined:
        fields = [name for name in several(pred) if name.partition(".")[0] in data.columns]
        for role, column in (*roles.items(), *(("pred", name) for name in fields)):
            data.require(column, role.partition("_")[0], engine)
        if id is not None or not {*ids} & {*roles.values()}:
            notes = (*notes, *_check_ids(engine, data, ids, asked=id is not None))
        sql = data.select({f"c{i}": column for i, column in enumerate(data.columns)}, ids)
        preds = None if pred is None else several(pred)
        return Opened(engine.relation(sql), columns=data.columns, pred=preds, notes=notes, **about)
    if data.numbered and roles.get("gold") not in data.columns:
        left = [c for c in data.columns if c not in (*ids, *roles.values())]
        roles |= {"gold": left[0]} if len(left) == 1 else {}
    gold, missing = roles.get("gold"), options.get("missing", "error")
    if run is None and gold not in data.columns:
        for table in tables.runs.values():
            if gold in table.columns:
                raise InputError(
                    f"{data.name}: there is no column {gold!r}, and {table.name} has one.",
                    parameter="gold",
                    hint="Name the file of gold labels first, then the runs.",
                )
    join = Join(engine, data, ids, roles, pred, run, missing, tuple(selection.values), proba)
    sql, files, preds = join.joined(tables.runs, rows)
    return Opened(
        engine.relation(sql),
        columns=tuple(roles.values()),
        pred=preds,
        systems=files,
        notes=notes,
        **about,
    )


def _selected(
    engine: Engine, tables: Tables, selection: Selection, run: str | None, roles: Mapping[str, str]
) -> tuple[Table, Table, Tables]:
    """Return the chosen rows of gold, those of systems in a long table, and all tables."""
    if run is not None and not tables.runs:
        _require(tables, selection)
        tables.data.require(run, "system")
        return *selection.of_systems(engine, tables.data, run, roles.get("gold", "")), tables
    chosen = select_rows(engine, tables, selection)
    return chosen.data, chosen.data, chosen


def select_rows(engine: Engine, tables: Tables, selection: Selection) -> Tables:
    """Return the chosen rows of all tables that have the columns; the data, or a run, must."""
    _require(tables, selection)
    return tables.each(lambda table: selection.of(engine, table))


def _require(tables: Tables, selection: Selection) -> None:
    for column in selection.values:
        if column not in tables.columns:
            tables.data.require(column, "where")


def several(names: Any) -> tuple[str, ...]:
    """Return one name, several or none as a tuple."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _default_ids(columns: Sequence[str], run: str | None, *, joined: bool) -> tuple[str, ...]:
    """Return the column called id, else for a join the first one."""
    left = [column for column in columns if column != run]
    id = column_named("id", left)
    return (id,) if id in left else tuple(left[:1]) if joined else ()


def _check_ids(engine: Engine, table: Table, ids: Sequence[str], *, asked: bool) -> Notes:
    """Check that ids tell the rows apart: an error if they were asked for, else a note."""
    for id in ids:
        table.require(id, "id")
    texts = ", ".join(map(table.text, ids))
    if not ids:
        return ()
    if not asked:
        some = f"(SELECT {texts} AS id FROM {table.rows} LIMIT {_MOST_IDS})"
        ((rows, different),) = engine.query(f"SELECT count(id), count(DISTINCT id) FROM {some}")
        return repeated_ids(ids[0]) if different < rows else ()
    twice = engine.query(
        f"SELECT [{texts}], count(*) OVER () FROM {table.rows} GROUP BY {texts} "
        "HAVING count(*) > 1 ORDER BY 1 LIMIT 5"
    )
    if twice:
        names = quoted(item_name(row[0] if len(ids) > 1 else row[0][0]) for row in twice)
        raise InputError(
            f"{table.name}: {plural(twice[0][1], 'id')} in several rows: {names}.",
            parameter="id",
            hint="Keep one row per item, or name all columns that tell the items apart with {id}.",
        )
    return ()


class Texts:
    """Fetches texts of items from files, which stay open as long as this is in use."""

    def __init__(self, fetch: Callable[[Sequence[Any]], Any], close: Callable[[], None]) -> None:
        self._fetch = fetch
        weakref.finalize(self, close)

    def __call__(self, ids: Sequence[Any]) -> Any:
        return self._fetch(ids)
