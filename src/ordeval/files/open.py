"""The door for files: one table, or gold and runs joined on ids, as one relation."""

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import InputError, plural, quoted
from ..notes import Notes, repeated_ids
from ..types import Missing, Progress
from .engine import Engine
from .formats import Reading, Tables, open_tables
from .joining import Join, item_name
from .selection import Selection, Where
from .table import Table, column_named

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

T = TypeVar("T")
_MOST_IDS = 10**6  # rows in which repeated ids are sought


@dataclass(frozen=True, eq=False)
class Opened:
    """Files as a relation, which can be queried as long as they are open.

    Parameters
    ----------
    relation : duckdb relation
        The chosen rows, none of them loaded yet. Its columns are called ``c0``, ``c1``, … (those
        of DATA, in the order of `columns`), ``s0``, ``s1``, … (the predictions of joined systems,
        in the order of `systems`) and, if `ids` is not empty, ``item``. Columns of text files and
        JSON are text; those of parquet files keep their types. An item without a row in a run has
        NULL there.
    name : str
        DATA in messages: the file, or the pattern of several.
    columns : tuple of str
        The names of ``c0``, ``c1``, …: all columns of DATA; after a join those of `roles` only.
    roles : mapping of str to str
        The columns that were asked for (``gold`` and `roles` of `open`), spelled as in the file.
    pred : tuple of str, optional
        The columns of predictions that were asked for, spelled as in the file. None stands for
        all columns without another role; after a join it is of no use.
    systems, run_files : tuple of str
        The names of the joined systems, and of the files they are in; empty without a join.
    ids : tuple of str
        The columns that name items. ``item`` is a text, or a list of texts if there are several.
    items : tuple of str
        The columns that name an item, if DATA is an export of another tool.
    aside : tuple of str
        Other columns that are no predictions unless they are named: those of `where`.
    where : mapping of str to list of str
        The values by which rows were chosen.
    notes : tuple of Note
        What was done to the files.
    run : callable
        ``run(job)`` returns ``job()``, e.g. ``run(relation.fetchall)``. It reports progress and
        turns errors of DuckDB into an `InputError`; every query of `relation` goes through it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ordeval import files
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.csv"
    ...     _ = path.write_text("gold,a\\nlow,low\\nhigh,low\\n")
    ...     with files.open(path) as opened:
    ...         rows = opened.run(opened.select({"g": "gold", "p": "a"}).fetchall)
    >>> opened.columns, rows
    (('gold', 'a'), [('low', 'low'), ('high', 'low')])
    """

    relation: "DuckDBPyRelation"
    name: str
    columns: tuple[str, ...]
    roles: Mapping[str, str]
    run: Callable[[Callable[[], Any]], Any]
    pred: tuple[str, ...] | None = None
    systems: tuple[str, ...] = ()
    run_files: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    where: Mapping[str, list[str]] = field(default_factory=dict)
    notes: Notes = ()

    def select(self, columns: Mapping[str, str], *others: str) -> "DuckDBPyRelation":
        """Return some columns of DATA under other names, and further columns of the relation.

        Parameters
        ----------
        columns : mapping of str to str
            The new names, which must be safe in SQL, and those of the columns.
        *others : str
            Further columns as they are called in the relation, e.g. "item", or "s0 AS p0".

        Returns
        -------
        duckdb relation
            The columns.
        """
        chosen = [f"c{self.columns.index(old)} AS {new}" for new, old in columns.items()]
        return self.relation.project(", ".join([*chosen, *others]))


@contextmanager
def open(
    data: str | Path,
    runs: Sequence[str | Path] = (),
    *,
    gold: str | None = "gold",
    pred: str | Sequence[str] | None = None,
    id: str | Sequence[str] | None = None,
    system: str | None = None,
    roles: Mapping[str, str | None] | None = None,
    where: Where = None,
    missing: Missing = "error",
    exports: bool = False,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str = ".",
    sheet: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Opened]:
    """Open files as one relation, without loading their rows.

    Files are csv, tsv, JSON lines or a JSON array of objects, plain or gzipped, parquet or xlsx.
    With `runs`, or with `system`, predictions are joined to gold on ids, and any mismatch of ids is
    an error. A column is found by its name, without surrounding spaces, or whatever its case if
    only one fits; a field of a nested column is called ``scores.human``.

    Parameters
    ----------
    data : str or Path
        A file, a pattern or a folder for several files with the same columns, or "-" for standard
        input.
    runs : sequence of str or Path, optional
        Files, patterns, folders, or "-", with an id and a prediction per row. Each file is a
        system, named after the file; the file of `data` is left out.
    gold : str, optional
        The column of gold labels. In a long table without such a column, the system of that name.
    pred : str or sequence of str, optional
        The columns of predictions; of runs one, by default the only one without another role.
    id : str or sequence of str, optional
        The columns that name an item. By default "id", and for a join else the first column of
        `data`. Without a join, repeated ids are an error only if they were asked for.
    system : str, optional
        The column that names the system, in long tables with a row per item and system: in the
        run files, or without `runs` in `data`.
    roles : mapping of str to str, optional
        Further columns of `data`, e.g. ``{"topic": "query", "weight": None}``; None is not used.
        Rows of an item in a long table must agree in them, but for the role "text".
    where : mapping, or sequence of (str, value), optional
        The rows to keep: ``{column: value}``, or a list of values of which a row has one. Text is
        compared exactly except for surrounding spaces, numbers by value. It applies to `data`, and
        to run files that have the column; predictions for other items are left aside.
    missing : {"error", "skip", "worst"}, default "error"
        Whether items without a row in a run are an error.
    exports : bool, default False
        Whether exports of other tools are read, as tables of ratings.
    header : bool, default True
        Whether text files have a header; if not, columns are called "1", "2", ….
    delimiter : str, optional
        The delimiter of text files; by default a tab for .tsv, else the likeliest of comma,
        semicolon, tab and bar.
    encoding : str, optional
        The encoding of text files; by default UTF-8, or UTF-16 or UTF-32 with a byte order mark.
    decimal : {".", ","}, default "."
        The decimal mark of numbers in text files.
    sheet : str, optional
        The sheet of xlsx files; by default the first one.
    memory_limit : str, optional
        What DuckDB may use before it spills to disk, e.g. "2GB"; 768 MiB by default.
    progress : callable, optional
        Called as ``progress(done, total)`` now and then while files are read, in percent.

    Yields
    ------
    Opened
        The relation, its columns, and how to name them in messages.

    Raises
    ------
    InputError
        If a file cannot be read, a column is not there, or ids do not match.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ordeval import files
    >>> with TemporaryDirectory() as folder:
    ...     gold, svm = Path(folder) / "gold.csv", Path(folder) / "svm.csv"
    ...     _ = gold.write_text("id,gold\\nx,1\\ny,2\\n"), svm.write_text("id,pred\\ny,2\\nx,3\\n")
    ...     with files.open(gold, [svm]) as opened:
    ...         rows = opened.run(opened.select({"g": "gold"}, "s0", "item").fetchall)
    >>> opened.systems, rows
    (('svm',), [('1', '3', 'x'), ('2', '2', 'y')])
    """
    reading = Reading(header, delimiter, encoding, decimal, sheet, exports)
    with Engine(memory_limit, progress) as engine:
        tables = open_tables(engine, data, runs, reading)
        with reading.hints(tables.all):
            asked = {"gold": gold, **(roles or {})}
            yield _opened(engine, tables, asked, (pred, id, system), Selection(where), missing)


def _opened(
    engine: Engine,
    tables: Tables,
    asked: Mapping[str, str | None],
    others: Sequence[Any],
    selection: Selection,
    missing: Missing,
) -> Opened:
    """Find the columns that were asked for, choose rows, and join what is in several tables."""
    every = [column for table in tables.all for column in table.columns]
    roles = {k: column_named(v, every) for k, v in asked.items() if v is not None}
    pred, id, run = (column_named(name, every) for name in others)
    selection = selection.named(every)
    names = [*roles.values(), *several(pred), *several(id), *several(run), *selection.values]
    joined = bool(tables.runs) or run is not None
    ids = several(id) or _default_ids(tables.data.columns, run, joined=joined)
    used = "" in (*names, *ids)
    tables = tables.each(lambda table: table.with_fields(engine, names)).without_unnamed(used=used)
    data, rows, notes = tables.data, tables.data, tables.notes
    if selection:
        data, rows, tables = _selected(engine, tables, selection, run, roles)
        notes = (*notes, selection.note(engine, rows))
    opened = partial(
        Opened,
        name=data.name,
        run=engine.run,
        items=data.items,
        aside=tuple(selection.values),
        where=selection.values,
        ids=ids,
        notes=notes,
    )
    if not joined:
        for role, column in roles.items():
            data.require(column, role.partition("_")[0])
        if id is not None:
            _refuse_repeated(engine, data, ids)
        elif ids:
            notes = (*notes, *_repeated_note(engine, data, ids[0]))
        sql = data.select({f"c{i}": column for i, column in enumerate(data.columns)}, ids)
        wanted = None if pred is None else several(pred)
        return opened(
            engine.relation(sql), columns=data.columns, roles=roles, pred=wanted, notes=notes
        )
    if data.numbered and roles.get("gold") not in data.columns:
        left = [c for c in data.columns if c not in (*ids, *roles.values())]
        roles |= {"gold": left[0]} if len(left) == 1 else {}
    join = Join(engine, data, ids, roles, pred, run, missing, tuple(selection.values))
    sql, files = join.runs(tables.runs) if tables.runs else join.long(rows, roles["gold"])
    return opened(
        engine.relation(sql),
        columns=tuple(roles.values()),
        roles=roles,
        systems=tuple(files),
        run_files=tuple(files.values()),
    )


def _selected(
    engine: Engine, tables: Tables, selection: Selection, run: str | None, roles: Mapping[str, str]
) -> tuple[Table, Table, Tables]:
    """Return the chosen rows of gold, those of systems in a long table, and all tables."""
    columns = {column for table in tables.all for column in table.columns}
    for column in selection.values:
        if column not in columns:
            tables.data.require(column, "where")
    if run is not None and not tables.runs:
        tables.data.require(run, "system")
        return *selection.of_systems(engine, tables.data, run, roles.get("gold", "")), tables
    chosen = tables.each(lambda table: selection.of(engine, table))
    return chosen.data, chosen.data, chosen


def several(names: Any) -> tuple[str, ...]:
    """Return one name, several or none as a tuple."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _default_ids(columns: Sequence[str], run: str | None, *, joined: bool) -> tuple[str, ...]:
    """Return the column called id, else for a join the first one."""
    left = [column for column in columns if column != run]
    id = column_named("id", left)
    return (id,) if id in left else tuple(left[:1]) if joined else ()


def _repeated_note(engine: Engine, table: Table, id: str) -> Notes:
    """Say that a column called id, which nobody named, does not tell the rows apart."""
    some = f"(SELECT {table.text(id)} AS id FROM {table.rows} LIMIT {_MOST_IDS})"
    ((rows, ids),) = engine.query(f"SELECT count(id), count(DISTINCT id) FROM {some}")
    return repeated_ids(id) if ids < rows else ()


def _refuse_repeated(engine: Engine, table: Table, ids: Sequence[str]) -> None:
    """Raise an error if ids that were asked for do not tell the rows apart."""
    for id in ids:
        table.require(id, "id")
    texts = ", ".join(map(table.text, ids))
    rows = engine.query(
        f"SELECT [{texts}], count(*) OVER () FROM {table.rows} GROUP BY {texts} "
        "HAVING count(*) > 1 ORDER BY 1 LIMIT 5"
    )
    if rows:
        names = quoted(item_name(row[0] if len(ids) > 1 else row[0][0]) for row in rows)
        raise InputError(
            f"{table.name}: {plural(rows[0][1], 'id')} in several rows: {names}.",
            parameter="id",
            hint="Keep one row per item, or name all columns that tell the items apart with {id}.",
            suggest={"id": ...},
        )


class Texts:
    """Fetches texts of items from files, which stay open as long as this is in use."""

    def __init__(self, fetch: Callable[[Sequence[Any]], Any], close: Callable[[], None]) -> None:
        self._fetch = fetch
        weakref.finalize(self, close)

    def __call__(self, ids: Sequence[Any]) -> Any:
        return self._fetch(ids)
