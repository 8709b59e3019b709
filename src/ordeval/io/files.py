"""Files as a relation that can be counted: one table, or gold and runs joined on ids."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import InputError, quoted
from ..labels import rate_without_judge, refuse_beside_judge
from ..scale import Scale
from ..types import BinsLike, Classes, ClassNumbers, Missing, MissingLabels, Progress
from .engine import Engine
from .frames import FrameItems, relation_counter
from .joining import Roles, id_columns, join_long, join_runs
from .selection import Selection, Where
from .sniffing import FileTable, TextOptions, column_named, open_tables, without_index
from .tabulation import Layout, Pred, pred_role


@contextmanager
def open_files(
    data: str | Path,
    runs: Sequence[str | Path] = (),
    *,
    gold: str = "gold",
    pred: Pred = None,
    topic: str | None = None,
    id: str | Sequence[str] | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    run: str | None = None,
    where: Where = None,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    missing: Missing = "error",
    na: MissingLabels = None,
    judge: str | None = None,
    labelled_rate: str | None = None,
    text: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Iterator[FrameItems]:
    """Open files of labels to be counted, without loading their rows.

    The files are csv, tsv or JSON lines, plain or gzipped, parquet or xlsx. They can be counted as
    long as the context is open.

    Parameters
    ----------
    data : str or Path
        A file, a pattern or folder for several files with the same columns, or "-" for standard
        input. Without `runs` it has a gold column and a column per system, or with `run` a row per
        item and system; with `runs` it has ids and gold labels (and topics, weights, …).
    runs : sequence of str or Path, optional
        Files, patterns, folders, or "-", with an id and a prediction per row. Each file is a
        system, named after the file; the file of `data` is left out.
    gold : str, default "gold"
        The column of gold labels in `data`.
    pred : str or sequence of str, optional
        The columns of predictions. Without `runs`, by default every column without another role
        and not called "id", "topic", "weight", "frequency" or "cluster". With `runs`, one column,
        by default the only other one.
    topic : str, optional
        The column of topics in `data`.
    id : str or sequence of str, optional
        The column of ids, or several columns that name an item together; by default "id", or with
        `runs` or `run` else the first column of `data`.
    weight : str, optional
        The column of the importance of items, e.g. of design weights, in `data`. Only the ratios
        of weights matter.
    frequency : str, optional
        The column in `data` of the number of items that a row stands for; whole numbers.
    cluster : str, optional
        The column in `data` of what items belong to (a patient, a document, …). Items of one
        cluster are resampled and exchanged together.
    run : str, optional
        The column that names the system, in long tables with a row per item and system: in the run
        files, or without `runs` in `data`. Gold is then the column `gold`, or, if there is none,
        the rows of the system `gold`.
    where : mapping, or sequence of (str, value), optional
        The rows to keep: ``{column: value}``, or a list of values of which a row has one. Text is
        compared exactly except for surrounding spaces, numbers by value. It applies to `data`, and
        to the run files that have the column; predictions for other items are left aside.
    header : bool, default True
        Whether text files have a header; if not, columns are called "1", "2", ….
    delimiter : str, optional
        The delimiter of text files; by default a tab for .tsv, else the likeliest of comma,
        semicolon, tab and bar. Whatever it is, a cell that begins with a double quote ends with
        one, and double quotes within it are doubled.
    encoding : str, optional
        The encoding of text files; by default UTF-8, or UTF-16 or UTF-32 with a byte order mark.
    sheet : str, optional
        The sheet of xlsx files; by default the first one.
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
    judge : str, optional
        The column in `data` of the labels of a judge for all items, where gold labels of some are
        missing. The judge becomes the last system.
    labelled_rate : str, optional
        With a judge, the column in `data` of the rate at which items were labelled.
    text : str, optional
        The column in `data` of texts that pages show with items. It is no prediction unless it is
        named as one.
    memory_limit : str, optional
        What DuckDB may use before it spills to disk, e.g. "2GB"; 768 MiB by default.
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
    if judge is not None:
        refuse_beside_judge(
            topic=topic, weight=weight, cluster=cluster, bins=bins, text=text, missing=missing
        )
        roles["weight"] = labelled_rate
    elif labelled_rate is not None:
        raise rate_without_judge()
    about: dict[str, Any] = {"data": str(data), "runs": [str(run) for run in runs]}
    selection = Selection(where)
    with Engine(memory_limit, progress) as engine:
        options = TextOptions(header, delimiter, encoding, sheet)
        table, systems, notices = open_tables(engine, data, runs, options)
        if table.square and gold not in table.columns:
            raise _cross_table(table)
        every = [column for found in (table, *systems.values()) for column in found.columns]
        gold, pred, id, run, judge, text = (
            _named(asked, every) for asked in (gold, pred, id, run, judge, text)
        )
        roles = {role: _named(column, every) for role, column in roles.items()}
        selection.name(every)
        aside = tuple(selection.values)
        joined = bool(systems) or run is not None
        keys = id_columns(id, table.columns, run) if joined or id is not None else ()
        used = "" in (gold, run, judge, *_several(pred), *keys, *roles.values(), *aside, text)
        found, left_out = without_index(engine, [table, *systems.values()], used=used)
        table, systems = found[0], dict(zip(systems, found[1:], strict=True))
        notices = (*notices, *left_out)
        if selection:
            table, systems = selection.of_tables(engine, table, systems, run, gold)
            notices = (*notices, selection.notice(engine, table))
            about["where"] = selection.values
        if bins is not None:
            table = _with_numbers(table)
            systems = {name: _with_numbers(found) for name, found in systems.items()}
        reading["where"] = f"{table.name}: "
        if joined:
            gold = _gold_column(table, gold, keys, roles)
            given = {role: column for role, column in roles.items() if column is not None}
            given |= {} if judge is None else {"judge": judge}
            given |= {} if text is None else {"text": text}
            wanted = Roles(keys, {"gold": gold, **given}, pred, missing, aside)
            sql, files = (
                join_runs(engine, table, systems, wanted, run)
                if systems
                else join_long(engine, table, gold, wanted, str(run))
            )
            run_files, names = tuple(files.values()), tuple(files)
            if judge is not None:
                sql = f"SELECT *, judge AS {pred_role(len(files))} FROM ({sql})"
                run_files, names = (*run_files, table.name), (*names, judge)
                reading["judged"] = True
            layout = Layout(gold, names, **roles, run_files=run_files, **reading, texts=text)
        else:
            keys = ("id",) if id is None and "id" in table.columns else keys
            layout = Layout.choose(
                table.columns,
                gold,
                pred,
                id=keys,
                aside=aside,
                judge=judge,
                roles=roles,
                texts=text,
                **reading,
            )
            sql = _with_items(table, layout, keys)
        counter = relation_counter(engine.relation(sql), layout, bins, engine.run)
        yield FrameItems(counter, {**about, **layout.about}, notices)


def _named(asked: Any, columns: Sequence[str]) -> Any:
    """Return the names of columns that were asked for, without spaces where only these differ."""
    if isinstance(asked, list | tuple):
        return tuple(_named(name, columns) for name in asked)
    return column_named(asked, columns) if isinstance(asked, str) else asked


def _several(asked: Pred) -> Sequence[str]:
    return (asked,) if isinstance(asked, str) else tuple(asked or ())


def _with_numbers(table: FileTable) -> FileTable:
    """Return a table whose labels are numbers, perhaps with decimal commas."""
    labels = ("gold", "pred", *map(pred_role, range(len(table.columns))))
    return replace(table, numbers=(*table.numbers, *labels))


def _cross_table(table: FileTable) -> InputError:
    """Return the error for a file that holds a table of counts."""
    return InputError(
        f"{table.name} looks like a table of counts: its rows and its columns have the same names, "
        f"{quoted(table.columns[1:], 5)}. A row per item is expected, or a row per cell of the "
        "table: gold label, prediction, number of items.",
        parameter="frequency",
        hint="Write a row per cell and name the column of numbers with {frequency}, or pass the "
        "table to ordeval.evaluate(table, labels=…) in Python.",
        suggest={"frequency": "n"},
    )


def _gold_column(table: FileTable, gold: str, keys: Sequence[str], roles: Mapping[str, Any]) -> str:
    """Return the gold column: without a header, the only one that has no other role."""
    if not table.numbered or gold in table.columns:
        return gold
    left = [c for c in table.columns if c not in (*keys, *roles.values())]
    return left[0] if len(left) == 1 else gold


def _with_items(table: FileTable, layout: Layout, keys: Sequence[str]) -> str:
    """Return SQL for a wide table, with a column item if columns name the items."""
    names = {f"id{i}": key for i, key in enumerate(keys)}
    columns = layout.columns | ({} if layout.texts is None else {"text": layout.texts})
    sql = table.select(columns | names)
    if not names:
        return sql
    item = "id0" if len(names) == 1 else f"[{', '.join(f'{name}::VARCHAR' for name in names)}]"
    return f"SELECT {', '.join(columns)}, {item} AS item FROM ({sql})"
