"""The door for tables: frames of every library, relations and files become Data or Shares."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

from .. import files
from ..data.classes import Reading
from ..data.data import Data, refuse_beside_judge
from ..data.distributions import ShareTable, read_tables
from ..data.frames import read_table
from ..data.roles import NumberedFrame, Roles, check_roles, pred_role, text_name
from ..data.shares import Shares
from ..errors import InputError
from ..files import formats
from ..files.engine import Engine
from ..files.selection import Selection
from ..files.table import Table, column_named
from ..notes import Notes, repeated_ids
from ..options import (
    FileOptions,
    ReadOptions,
    ReadSharesOptions,
    RowOptions,
    TextFileOptions,
    defaults,
    options_of,
    takes,
)
from .ratings import named_raters, rated_data

_OTHERS = ("topic", "cluster", "weight", "frequency", "rate")


@takes(ReadOptions)
def read(
    data: Any,
    *runs: str | PathLike[str],
    gold: str | None = "gold",
    pred: str | Sequence[str] | Mapping[str, str] | None = None,
    **options: Unpack[ReadOptions],
) -> Data:
    """Read labels from a data frame, a relation or files, once, to be used often.

    Files are csv, tsv, JSON lines or JSON arrays of objects, plain or gzipped, parquet or xlsx.
    Only distinct rows are held where few rows are distinct.

    Parameters
    ----------
    data : frame, relation, str or Path
        A data frame of any library, lazy or not, a relation of DuckDB, a Spark frame; or a file, a
        pattern or folder for several files with the same columns, or "-" for standard input. It has
        a column of gold labels and, without `runs`, a column per system.
    *runs : str or Path
        Files, patterns or folders with an id and a prediction per row, joined to `data` on the id.
        Each file is a system, named after the file; the file of `data` is left out.
    gold : str or None
        The column of gold labels. A field of nested JSON is called ``scores.human``. None for
        ratings of several raters, without gold, for `agreement` and `judge`.
    pred : str, sequence of str or mapping of str to str, optional
        The columns of predictions, or a mapping from name of a system to column. By default every
        column without another role; of runs, the only one that is not the id.
    {options}

    Returns
    -------
    Data
        The classes of all items, for `evaluate`, `compare` and the others.

    Raises
    ------
    InputError
        If a file cannot be read, ids do not match, a label is missing or outside the scale, or a
        weight or frequency is unusable. The message names the file, and the row or id.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import ordeval as oe
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.csv"
    ...     _ = path.write_text("gold,a,b\\nlow,low,high\\nhigh,high,high\\n")
    ...     data = oe.read(path, labels=["low", "high"])
    >>> data.counts().table[1].astype(int).tolist()
    [[0, 1], [0, 1]]
    """
    if gold is None:
        raters = named_raters(pred, "pred")
        return rated_data(None, data, options, raters=raters)[0]
    refuse_beside_judge(**options)
    names = tuple(map(str, pred)) if isinstance(pred, Mapping) else None
    columns = list(pred.values()) if isinstance(pred, Mapping) else pred
    reader = _read_files if isinstance(data, (str, PathLike)) else _read_frame
    found = reader(data, runs, gold, columns, options)
    if names is None:
        return found
    return replace(found, names=(found.names[0], *names, *found.names[1 + len(names) :]))


def read_columns(data: Any, y_true: Any, y_pred: Any, **options: Any) -> Data:
    """Read columns for functions that call them `y_true` and `y_pred`."""
    try:
        return read(data, gold="gold" if y_true is None else y_true, pred=y_pred, **options)
    except InputError as error:
        error.rename(gold="y_true", pred="y_pred")
        raise


def _read_frame(
    frame: Any, runs: Sequence[Any], gold: Any, pred: Any, options: Mapping[str, Any]
) -> Data:
    """Read columns of a data frame."""
    refuse_for_frames(runs, options, FileOptions)
    numbered = NumberedFrame.of(frame)
    roles = Roles.choose(
        list(dict.fromkeys(numbered.names)),
        text_name(gold),
        _column_names(pred),
        {role: text_name(options[role]) for role in _OTHERS},
        judge=text_name(options["judge"]),
        id=() if options["id"] is None else (text_name(options["id"]),),
        text=text_name(options["text"]),
    )
    shown = {"item": options["id"], "text": options["text"]}
    shown = {role: text_name(name) for role, name in shown.items() if name is not None}
    table = numbered.select({**roles.columns, **shown})
    about = {"data": None, **_about(roles)}
    notes = _repeated_note(numbered) if options["id"] is None else ()
    return read_table(table, roles, Reading.of(options), about=about, notices=notes)


def _repeated_note(numbered: NumberedFrame) -> Notes:
    """Say that a column called id, which nobody named, does not tell the rows apart."""
    if numbered.names.count("id") != 1 or not hasattr(numbered.frame, "get_column"):  # in memory
        return ()
    ids = numbered.frame[f"c{numbered.names.index('id')}"].drop_nulls()
    return repeated_ids("id") if ids.n_unique() < len(ids) else ()


def _about(roles: Roles) -> dict[str, Any]:
    """Return the columns of labels, by the arguments that name them."""
    named = {} if roles.guessed else {"y_pred": list(roles.systems)}
    judge = {} if roles.judge is None else {"judge": roles.judge}
    return {"y_true": roles.gold, **named, **judge}


def refuse_for_frames(runs: Sequence[Any], options: Mapping[str, Any], *kinds: Any) -> None:
    """Raise an error for what only files have."""
    usual = {name: value for kind in kinds for name, value in defaults(kind).items()}
    given = [name for name, value in usual.items() if options[name] != value]
    if given or runs:
        name = given[0] if given else "runs"
        raise InputError(
            f"{name} is for files, and a data frame was given.",
            parameter=name,
            hint="Filter or join the frame first, or pass the path of a file.",
        )


def _column_names(pred: Any) -> Any:
    """Return names of columns, which may be numbers, or an index or array of names."""
    if pred is None or isinstance(pred, str):
        return pred
    try:
        return [text_name(name) for name in pred]
    except TypeError:
        return text_name(pred)


def _read_files(
    data: Any, runs: Sequence[Any], gold: Any, pred: Any, options: Mapping[str, Any]
) -> Data:
    """Read a table in files, or gold and runs joined on ids."""
    named = {role: options[role] for role in (*_OTHERS, "judge", "text")}
    with ExitStack() as stack:
        opened = stack.enter_context(
            files.open(
                data,
                runs,
                gold=gold,
                pred=pred,
                id=options["id"],
                system=options["system"],
                roles=named,
                where=options["where"],
                missing=options["missing"],
                **options_of(options, TextFileOptions),
                progress=options["progress"],
            )
        )
        in_runs = dict(zip(opened.systems, opened.run_files, strict=True))
        reading = replace(Reading.of(options), text=True, where=f"{opened.name}: ", files=in_runs)
        roles = _roles(opened)
        usual = defaults(FileOptions)
        about: dict[str, Any] = {"data": str(data), "runs": [str(run) for run in runs]}
        about |= {k: options[k] for k in usual if options[k] != usual[k] and k != "where"}
        about |= {"where": opened.where} if opened.where else {}
        columns = {} if opened.systems else _about(roles)
        found = read_table(
            opened.run(lambda: _relation(opened, roles)),
            roles,
            reading,
            run=opened.run,
            about={**about, "y_true": roles.gold, **columns},
            notices=opened.notes,
        )
        if not callable(found.units.texts):
            return found
        texts = files.Texts(found.units.texts, stack.pop_all().close)
    return replace(found, units=replace(found.units, texts=texts))


def _roles(opened: files.Opened) -> Roles:
    """Return which columns have which roles."""
    gold, judge, text = (opened.roles.get(role) for role in ("gold", "judge", "text"))
    assert gold is not None
    where = f"{opened.name}: "
    named = {role: opened.roles[role] for role in _OTHERS if role in opened.roles}
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


_COLUMNS = ("topic", "system", "label", "share", "size")


@takes(ReadSharesOptions)
def read_shares(
    data: Any, *runs: str | PathLike[str], gold: str = "gold", **options: Unpack[ReadSharesOptions]
) -> Shares:
    """Read distributions from a data frame, a relation or files.

    A table has a row per topic and a column per class, or a row per topic and class. Columns of
    classes are named after the labels, perhaps with a prefix.

    Parameters
    ----------
    data : frame, relation, str or Path
        The distributions of gold, and without `runs` of all systems, told apart by a column. Or a
        file, a pattern or folder for several files with the same columns, or "-" for standard
        input.
    *runs : str or Path
        Files, patterns or folders of estimates, matched with gold by topic. Each file is a system,
        named after the file, unless it has a column of systems.
    gold : str
        The name of gold in the column of systems.
    {options}

    Returns
    -------
    Shares
        The distributions, for `quantify`.

    Raises
    ------
    InputError
        If a file cannot be read, topics or classes do not match, or a row is not a distribution.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import ordeval as oe
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "shares.csv"
    ...     _ = path.write_text("system,topic,1,2\\ngold,x,0.5,0.5\\nsvm,x,0.25,0.75\\n")
    ...     shares = oe.read_shares(path)
    >>> shares.names, shares.rows.tolist()
    (('gold', 'svm'), [[[0.5, 0.5]], [[0.25, 0.75]]])
    """
    named = {} if gold == "gold" else {"p_true": gold}
    if isinstance(data, (str, PathLike)):
        return _read_share_files(data, runs, named, dict(options))
    refuse_for_frames(runs, options, RowOptions, TextFileOptions)
    frame = NumberedFrame.of(data)
    table = ShareTable("data", frame.names, frame.collect)
    parts = read_tables(table, {}, options, gold=gold)
    return Shares.of(parts, options, about={"data": None, **named})


def _read_share_files(
    data: Any, runs: Sequence[Any], named: Mapping[str, str], options: dict[str, Any]
) -> Shares:
    """Read a table of all systems, or gold and runs matched by topic."""
    usual = defaults(RowOptions) | defaults(TextFileOptions)
    about: dict[str, Any] = {"data": str(data), "runs": [str(run) for run in runs], **named}
    about |= {name: options[name] for name in usual if options[name] != usual[name]}
    text_options = options_of(options, TextFileOptions)
    with Engine(text_options.pop("memory_limit"), options["progress"]) as engine:
        reading = formats.Reading(**text_options)
        tables = formats.open_tables(engine, data, runs, reading).without_unnamed(used=True)
        with reading.hints(tables.all):
            options |= {role: column_named(options[role], tables.columns) for role in _COLUMNS}
            notes = tables.notes
            if selection := Selection(options["where"]).named(tables.columns):
                for column in {*selection.values} - {*tables.columns}:
                    tables.data.require(column, "where")
                tables = tables.each(lambda table: selection.of(engine, table))
                notes, about["where"] = (
                    (*notes, selection.note(engine, tables.data)),
                    selection.values,
                )
            first, *others = (_opened(engine, table) for table in tables.all)
            systems = dict(zip(tables.runs, others, strict=True))
            gold = named.get("p_true", "gold")
            parts = read_tables(first, systems, options, gold=gold)
            return Shares.of(parts, options, notices=notes, about=about)


def _opened(engine: Engine, table: Table) -> ShareTable:
    sql = table.select({f"c{i}": column for i, column in enumerate(table.columns)})
    frame = NumberedFrame(table.columns, engine.relation(sql))

    def fetch(columns: Mapping[str, str]) -> Mapping[str, Any]:
        return engine.run(lambda: frame.collect(columns))

    return ShareTable(table.name, table.columns, fetch, header=not table.numbered)
