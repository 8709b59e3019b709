"""Files as a relation that can be counted: one table, or gold and runs joined on ids."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InputError, plural, quoted
from ..scale import Scale
from ..types import BinsLike, Classes, ClassNumbers, Missing, MissingLabels, Progress
from .engine import Engine
from .frames import FrameItems, relation_counter
from .sniffing import FileTable, TextOptions, open_tables
from .tabulation import (
    SHOWN,
    Fetched,
    Layout,
    Pred,
    check_roles,
    prediction_columns,
    require_column,
)

_Problem = tuple[str, str]  # what is wrong with the ids of a file, and a hint


@contextmanager
def open_files(
    data: str | Path,
    runs: Sequence[str | Path] = (),
    *,
    gold: str = "gold",
    pred: Pred = None,
    topic: str | None = None,
    id: str | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    missing: Missing = "error",
    na: MissingLabels = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Iterator[FrameItems]:
    """Open files of labels to be counted, without loading their rows.

    The files are csv, tsv, JSON lines or parquet, plain or (except parquet) gzipped. They can be
    counted as long as the context is open.

    Parameters
    ----------
    data : str or Path
        A file, or a pattern for several files. Without `runs` it has a gold column and a column
        per system; with `runs` it has ids and gold labels (and topics, weights, …).
    runs : sequence of str or Path, optional
        Files or patterns, with an id and a prediction per row. Each file is a system, named after
        the file.
    gold : str, default "gold"
        The column of gold labels in `data`.
    pred : str or sequence of str, optional
        The columns of predictions. Without `runs`, by default every column without another role
        and not called "id", "topic", "weight", "frequency" or "cluster". With `runs`, one column,
        by default the only other one.
    topic : str, optional
        The column of topics in `data`.
    id : str, optional
        The column of ids; by default "id", or with `runs` else the first column of `data`.
    weight : str, optional
        The column of the importance of items, e.g. of design weights, in `data`. Only the ratios
        of weights matter.
    frequency : str, optional
        The column in `data` of the number of items that a row stands for; whole numbers.
    cluster : str, optional
        The column in `data` of what items belong to (a patient, a document, …). Items of one
        cluster are resampled and exchanged together.
    header : bool, default True
        Whether text files have a header; if not, columns are called "1", "2", ….
    delimiter : str, optional
        The delimiter of text files; by default a tab (and no quoting) for .tsv, else the likeliest
        of comma, semicolon, tab and bar.
    encoding : str, optional
        The encoding of text files; by default UTF-8, or UTF-16 or UTF-32 with a byte order mark.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers. Text is
        matched to them as it is, then without surrounding spaces, then by its number ("1.0" is 1).
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes: the nearest class (halves upwards), the highest class that
        is not above the number, or the edges between classes.
    missing : {"error", "skip", "worst"}, default "error"
        What to do about missing labels: raise an error; leave the item out of every system (and
        count it); or score a missing prediction as the class farthest from gold (the lower one if
        two are equally far).
    na : value or sequence of values, optional
        Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
        without surrounding spaces.
    memory_limit : str, optional
        What DuckDB may use before it spills to disk, e.g. "2GB"; 1 GiB by default.
    progress : callable, optional
        Called as ``progress(done, total)`` now and then while files are read, in percent.

    Yields
    ------
    FrameItems
        The items: ``counts()``, ``joint()`` (the pairs of systems), ``rows()`` (the distinct rows)
        and ``notices``.

    Raises
    ------
    InputError
        If a file cannot be read, ids do not match, a label is missing or outside the scale, or a
        weight or frequency is unusable. The message names the file, and the row or id.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import ordeval.io
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.csv"
    ...     _ = path.write_text("gold,a,b\\nlow,low,high\\nhigh,high,high\\n")
    ...     with ordeval.io.open_files(path, labels=["low", "high"]) as items:
    ...         counts = items.counts()
    >>> counts.systems
    ('a', 'b')
    >>> counts.table[1].astype(int).tolist()
    [[0, 1], [0, 1]]
    """
    reading: dict[str, Any] = {
        "scale": None if labels is None else Scale.of(labels),
        "values": values,
        "missing": missing,
        "na": na,
        "text": True,
    }
    roles: dict[str, Any] = {
        "topic": topic,
        "weight": weight,
        "frequency": frequency,
        "cluster": cluster,
    }
    about = {"data": str(data), "runs": [str(run) for run in runs]}
    with Engine(memory_limit, progress) as engine:
        options = TextOptions(header, delimiter, encoding)
        table, systems = open_tables(engine, data, runs, options)
        reading["where"] = f"{table.name}: "
        if systems:
            run_files = tuple(run.name for run in systems.values())
            layout = Layout(gold, tuple(systems), **roles, run_files=run_files, **reading)
            sql = _join(engine, table, list(systems.values()), layout, pred, id)
        else:
            layout = Layout.choose(table.columns, gold, pred, id=id, roles=roles, **reading)
            key = id or ("id" if "id" in table.columns else None)
            sql = table.select(layout.columns | ({"item": key} if key else {}))
        yield FrameItems(relation_counter(engine.relation(sql), layout, bins, engine.run), about)


def _join(
    engine: Engine,
    gold: FileTable,
    runs: Sequence[FileTable],
    layout: Layout,
    pred: Pred,
    id: str | None,
) -> str:
    """Return SQL for gold and runs, joined on ids, with a column per role.

    The columns needed are first copied into tables of DuckDB, which spill to disk if necessary.
    Any mismatch of ids is an error that names the file.
    """
    key = id or ("id" if "id" in gold.columns else gold.columns[0])
    chosen = {"id": key, **{r: c for r, c in layout.columns.items() if r[0] != "p"}}
    for role, column in chosen.items():
        require_column(column, gold.columns, role, layout.where)
    check_roles(chosen, (), layout.where)
    columns = [{"id": key, "pred": _prediction(run, key, layout, pred)} for run in runs]
    _store(engine, "gold", gold.select(chosen))
    _refuse([(gold.name, _faults(engine, "gold"))])
    found = []
    for i, run in enumerate(runs):
        _store(engine, f"run{i}", run.select(columns[i]))
        found.append((run.name, _run_problems(engine, f"run{i}", gold.name, layout.missing)))
    _refuse(found, gold.name)
    roles = ["gold.id AS item", *(f"gold.{role}" for role in chosen if role != "id")]
    roles += [f"run{i}.pred AS p{i}" for i in range(len(runs))]
    joins = "".join(f" LEFT JOIN run{i} ON run{i}.id = gold.id" for i in range(len(runs)))
    return f"SELECT {', '.join(roles)} FROM gold{joins}"


def _prediction(table: FileTable, key: str, layout: Layout, pred: Pred) -> str:
    """Return the column of predictions of a run file."""
    where, wanted = f"{table.name}: ", [pred] if isinstance(pred, str) else list(pred or ())
    require_column(key, table.columns, "id", where)
    if pred is None:
        wanted = prediction_columns(table.columns, (key, *layout.optional.values()))
        wanted = [c for c in wanted if c != layout.gold] if len(wanted) > 1 else wanted
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


def _store(engine: Engine, table: str, sql: str) -> None:
    ids = "* REPLACE (CAST(id AS VARCHAR) AS id)"
    engine.query(f"CREATE TEMP TABLE {table} AS SELECT {ids} FROM ({sql})")


def _run_problems(engine: Engine, run: str, gold: str, missing: Missing) -> list[_Problem]:
    """Return why a run cannot be joined to gold."""
    found = _faults(engine, run)
    ((rows,),) = engine.query(f"SELECT count(*) FROM {run}")
    if rows:
        found += _unknown_ids(engine, run, gold)
    if rows and missing == "error":
        found += _absent_ids(engine, run)
    return found


def _faults(engine: Engine, table: str) -> list[_Problem]:
    """Return what is wrong with a table by itself: no rows, rows without id, repeated ids."""
    ((empty, total),) = engine.query(f"SELECT count(*) - count(id), count(*) FROM {table}")
    if not total:
        return [(" holds no rows, only a header", "")]
    nameless = f": {plural(empty, 'row')} without an id; every row needs one"
    found = [(nameless, "")] if empty else []
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {table} WHERE id IS NOT NULL "
        f"GROUP BY id HAVING count(*) > 1 ORDER BY min(rowid) LIMIT {SHOWN}"
    )
    return found + _listed(rows, "repeated id", "", "Keep one row per item.")


def _unknown_ids(engine: Engine, run: str, gold: str) -> list[_Problem]:
    rows = engine.query(
        f"SELECT id, count(*) OVER () FROM {run} WHERE id NOT IN (SELECT id FROM gold) "
        f"GROUP BY id ORDER BY min(rowid) LIMIT {SHOWN}"
    )
    hint = "Check that both files are about the same items; name the column of ids with {id}."
    return _listed(rows, "id", f" not in {gold}", hint)


def _absent_ids(engine: Engine, run: str) -> list[_Problem]:
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


def _listed(rows: Fetched, noun: str, problem: str, hint: str) -> list[_Problem]:
    """Return a problem that lists the ids in rows of (id, number of such ids), if any."""
    if not rows:
        return []
    count = rows[0][1]
    more = f" and {count - len(rows)} more" if count > len(rows) else ""
    return [(f": {plural(count, noun)}{problem}: {quoted(row[0] for row in rows)}{more}", hint)]


def _refuse(found: Sequence[tuple[str, list[_Problem]]], gold: str = "") -> None:
    """Raise one error with a line for each faulty file, so that all can be corrected at once."""
    lines = [
        name + ";".join([problems[0][0], *(what.lstrip(":") for what, _ in problems[1:])]) + "."
        for name, problems in found
        if problems
    ]
    if not lines:
        return
    hints = dict.fromkeys(hint for _, problems in found for _, hint in problems if hint)
    hint = " ".join(hints)
    if len(lines) > 1:
        lines.insert(0, f"{len(lines)} of {len(found)} run files do not fit {gold}:")
    raise InputError(
        "\n".join(lines),
        parameter=next((name for name in ("missing", "id") if f"{{{name}}}" in hint), None),
        hint=hint,
        suggest={"missing": "skip", "id": ...},
    )
