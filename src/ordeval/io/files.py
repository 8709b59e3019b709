"""Files as a relation that can be counted: one table, or gold and runs joined on ids."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import files
from ..data.classes import Reading
from ..data.data import Data, check_missing, refuse_beside_judge
from ..data.frames import read_table
from ..data.roles import Pred, Roles, check_roles, pred_role
from ..files.selection import Where
from ..types import BinsLike, Classes, ClassNumbers, Missing, MissingLabels, Progress


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
    decimal: str = ".",
    sheet: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    missing: Missing = "error",
    na: MissingLabels = None,
    judge: str | None = None,
    rate: str | None = None,
    text: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Data]:
    """Read files of labels.

    The files are csv, tsv, JSON lines or JSON arrays of objects, plain or gzipped, parquet or xlsx.
    They can be counted as long as the context is open. A field of nested JSON is called
    ``scores.human``.

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
    decimal : {".", ","}, default "."
        The decimal mark of numbers in text files.
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
    rate : str, optional
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
    Data
        The items. Only their texts are read later, as long as the context is open.

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
    check_missing(missing)
    refuse_beside_judge(
        judge, rate, topic=topic, weight=weight, cluster=cluster, bins=bins, text=text,
        missing=missing,
    )  # fmt: skip
    others = {"topic": topic, "cluster": cluster, "weight": weight, "frequency": frequency}
    others["rate"] = rate
    with files.open(
        data,
        runs,
        gold=gold,
        pred=pred,
        id=id,
        run=run,
        roles={**others, "judge": judge, "text": text},
        where=where,
        missing=missing,
        header=header,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        sheet=sheet,
        memory_limit=memory_limit,
        progress=progress,
    ) as opened:
        named = f"{opened.name}: "
        in_runs = dict(zip(opened.systems, opened.run_files, strict=True))
        reading = Reading(labels, values, bins, na, missing, True, named, in_runs)
        roles = _roles(opened, [role for role in others if role in opened.roles])
        about: dict[str, Any] = {"data": str(data), "runs": [str(run) for run in runs]}
        about |= {"where": opened.where} if opened.where else {}
        yield read_table(
            opened.run(lambda: _relation(opened, roles)),
            roles,
            reading,
            run=opened.run,
            about={**about, "gold": roles.gold},
            notices=opened.notes,
        )


def _roles(opened: files.Opened, others: Sequence[str]) -> Roles:
    """Return which columns have which roles."""
    gold, judge, text = (opened.roles.get(role) for role in ("gold", "judge", "text"))
    assert gold is not None
    where = f"{opened.name}: "
    named = {role: opened.roles[role] for role in others}
    if opened.systems:
        taken = [*(("id", id) for id in opened.ids), *opened.roles.items()]
        check_roles([pair for pair in taken if pair[0] != "text"], (), where)
        return Roles(gold, opened.systems, judge, named)
    return Roles.choose(
        opened.columns,
        gold,
        opened.pred,
        named,
        judge=judge,
        id=opened.ids,
        text=text,
        aside=opened.aside,
        where=where,
    )


def _relation(opened: files.Opened, roles: Roles) -> Any:
    """Return the relation with columns called after their roles."""
    columns, others = dict(roles.columns), ["item"] * bool(opened.ids)
    for i in range(len(opened.systems)):
        del columns[pred_role(i)]
        others.append(f"s{i} AS {pred_role(i)}")
    if "text" in opened.roles:
        columns["text"] = opened.roles["text"]
    return opened.select(columns, *others)
