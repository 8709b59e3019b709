"""Counts from files: one table, or gold and run files joined on ids. DuckDB does the counting."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from ..counts import Counts, JointCounts
from ..errors import InputError
from ..scale import Scale
from .engine import Engine, Progress
from .joining import join_runs
from .labels import LabelReader, check_missing
from .paths import expand, printable, system_names
from .query import CountQuery
from .roles import RESERVED, choose_systems, require_column
from .tables import Prepared, Reading, Table, open_table, prepare
from .tally import SHOWN, Assembly, Places, Tally, check_groups

_NESTED = ("[]", "STRUCT", "MAP", "UNION", "BLOB")


@dataclass(frozen=True)
class FileSpec:
    """Which files hold gold labels and predictions, and in which columns.

    Parameters
    ----------
    data : a file or a pattern. Without `runs` it has a gold column and a column per system; with
        `runs` it has ids and gold labels (and topics, weights).
    runs : files or patterns, a system each, with an id and a prediction per row; the system is
        named after its file.
    gold, topic, weight : columns of `data`.
    id : the column to join on (default: "id", or the first column of `data`).
    pred : the prediction columns (default without runs: every column that is not gold, topic,
        weight or id, nor called "id", "topic" or "weight"; with runs: at most one, by default the
        only other column of the run).
    header : False for files without a header; columns are then called "1", "2", ….
    delimiter, encoding : None finds them out: tabs and no quoting for .tsv, else the likeliest of
        comma, semicolon, tab and bar; UTF-8, or UTF-16 and UTF-32 with a byte order mark.
    labels, values : the ordered scale, as in `Scale.of`. Text is matched to labels as it stands,
        else without surrounding spaces, else by its number ("1.0" is 1).
    missing : "error"; "skip" leaves items with a missing value out of all systems and counts
        them; "worst" scores a missing prediction as the class farthest from gold (the lowest one
        if two are as far).
    memory_limit : what DuckDB may use before it spills to disk, e.g. "2GB" (default 1 GiB).
    """

    data: str | Path
    runs: tuple[str | Path, ...] = ()
    gold: str = "gold"
    pred: tuple[str, ...] | None = None
    topic: str | None = None
    id: str | None = None
    weight: str | None = None
    header: bool = True
    delimiter: str | None = None
    labels: Any = None
    values: Any = None
    missing: str = "error"
    encoding: str | None = None
    memory_limit: str | None = None

    @property
    def reading(self) -> Reading:
        """How the text files are to be read."""
        return Reading(self.header, self.delimiter, self.encoding)


@dataclass(frozen=True)
class FileCounts:
    """Counts `[system, (topic,) gold, predicted]` of files, the pairs if asked for, and notices."""

    counts: Counts
    joint: JointCounts | None = None
    notices: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.counts.systems


def count_files(
    spec: FileSpec, *, joint: bool = False, progress: Progress | None = None
) -> FileCounts:
    """Count the labels of files in one pass, without loading the rows.

    `joint=True` counts all pairs of systems as well. `progress` is called now and then as
    `progress(done, total)`, in percent.
    """
    check_missing(spec.missing)
    declared = None if spec.labels is None else Scale.of(spec.labels)
    with Engine(spec.memory_limit, progress) as engine:
        items = _open(engine, spec)
        assembly = Assembly(_tally(engine, items, spec, declared, joint), spec.values)
    return FileCounts(assembly.counts(), assembly.joint() if joint else None, assembly.notices())


@dataclass(frozen=True)
class _Items:
    """SQL for a row per item with columns gold, p0, p1, … (topic, weight), and their types.

    `named` says that there is a column `item` with the items' ids, too.
    """

    sql: str
    types: dict[str, str]
    systems: tuple[str, ...]
    where: str
    named: bool
    files: tuple[str, ...] = ()

    def absent(self, condition: str) -> str:
        """SQL for the ids, or else the numbers, of the first items that fulfil a condition."""
        rows = (
            self.sql if self.named else f"SELECT *, row_number() OVER () AS item FROM ({self.sql})"
        )
        return f"SELECT item FROM ({rows}) WHERE {condition} ORDER BY item LIMIT {SHOWN}"


def _open(engine: Engine, spec: FileSpec) -> _Items:
    data = prepare(engine, expand(spec.data), printable(spec.data), spec.reading)
    if not spec.runs:
        engine.start()
        return _one_table(open_table(engine, data), spec)
    files = [path for run in spec.runs for path in expand(run)]
    names = system_names(files)
    runs = [prepare(engine, [path], printable(path), spec.reading) for path in files]
    engine.start()
    return _joined(engine, data, runs, names, spec)


def _one_table(table: Table, spec: FileSpec) -> _Items:
    where = f"{table.name}: "
    systems = choose_systems(
        table.columns, spec.gold, spec.pred, (spec.topic, spec.weight, spec.id), where
    )
    columns = {"gold": spec.gold, **{f"p{i}": name for i, name in enumerate(systems)}}
    columns |= _optional(spec)
    types = {new: table.types[old] for new, old in columns.items()}
    _refuse_nested(types, columns, where)
    key = spec.id or ("id" if "id" in table.columns else None)
    sql = table.select(columns if key is None else {**columns, "item": key})
    return _Items(sql, types, systems, table.name, key is not None)


def _optional(spec: FileSpec) -> dict[str, str]:
    given = {"topic": spec.topic, "weight": spec.weight}
    return {new: old for new, old in given.items() if old is not None}


def _refuse_nested(types: dict[str, str], columns: dict[str, str], where: str) -> None:
    for new, kind in types.items():
        if any(sign in kind for sign in _NESTED):
            raise InputError(
                f"{where}column {columns[new]!r} holds {kind} values; plain labels are expected."
            )


def _joined(
    engine: Engine,
    data: Prepared,
    runs: Sequence[Prepared],
    names: tuple[str, ...],
    spec: FileSpec,
) -> _Items:
    gold = open_table(engine, data)
    key = spec.id or ("id" if "id" in gold.columns else gold.columns[0])
    columns = {"id": key, "gold": spec.gold, **_optional(spec)}
    for column in columns.values():
        require_column(column, gold.columns, f"{gold.name}: ")
    types = {new: gold.types[old] for new, old in columns.items()}
    _refuse_nested(types, columns, f"{gold.name}: ")
    tables = [open_table(engine, run) for run in runs]
    chosen = [{"id": key, "pred": _prediction(table, key, spec)} for table in tables]
    for i, (table, pair) in enumerate(zip(tables, chosen, strict=True)):
        types[f"p{i}"] = table.types[pair["pred"]]
        _refuse_nested({"pred": types[f"p{i}"]}, pair, f"{table.name}: ")
    del types["id"]
    sql = join_runs(
        engine,
        (gold.name, gold.select(columns)),
        [(table.name, table.select(pair)) for table, pair in zip(tables, chosen, strict=True)],
        list(columns),
        lenient=spec.missing != "error",
    )
    return _Items(sql, types, names, gold.name, True, tuple(table.name for table in tables))


def _prediction(table: Table, key: str, spec: FileSpec) -> str:
    """The prediction column of a run file."""
    where = f"{table.name}: "
    require_column(key, table.columns, where)
    if spec.pred is not None:
        if len(spec.pred) != 1:
            raise InputError(
                f"{len(spec.pred)} prediction columns are named for run files; a run file holds "
                "one system, so name one column, or none."
            )
        require_column(spec.pred[0], table.columns, where)
        return spec.pred[0]
    left = [c for c in table.columns if c not in (key, spec.topic, spec.weight, *RESERVED)]
    if len(left) > 1:
        left = [c for c in left if c != spec.gold]
    if len(left) != 1:
        shown = ", ".join(map(repr, table.columns))
        raise InputError(
            f"{where}which column holds the predictions? There are {shown}; name it with pred."
        )
    return left[0]


def _tally(
    engine: Engine, items: _Items, spec: FileSpec, declared: Scale | None, joint: bool
) -> Tally:
    count = len(items.systems)
    query = CountQuery(
        items.types,
        count,
        tuple(combinations(range(count), 2)) if joint else (),
        flagged=spec.missing == "skip" and count > 1,
        missing_words=LabelReader(declared, text=True).missing_words,
    )
    rows = engine.query(query.sql(items.sql))
    check_groups(len(rows), f"{items.where}: ")
    singles, pairs = query.split(rows)
    return Tally(
        spec.gold,
        items.systems,
        singles,
        pairs,
        spec.topic,
        spec.weight,
        where=items.where,
        files=items.files,
        find=lambda role: _places(engine, items, query, role),
        text=True,
        guessed=spec.pred is None and not spec.runs,
        declared=declared,
        missing=spec.missing,
    )


def _places(engine: Engine, items: _Items, query: CountQuery, role: str) -> Places:
    """The first items with a missing value; read once more, but only when that is an error."""
    rows = engine.query(items.absent(query.absent(role)))
    return "id" if items.named else "row", [row[0] for row in rows]
