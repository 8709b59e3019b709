"""The door for tables: frames of every library, relations and files become Data or Shares."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Unpack

from .. import files
from .. import options as declared
from ..data.classes import Reading
from ..data.data import Data, refuse_beside_judge, refuse_beside_proba
from ..data.frames import read_table
from ..data.probabilities import columns_by_system
from ..data.ratings import LONG_FORM
from ..data.roles import (
    NumberedFrame,
    Roles,
    check_roles,
    numbered_roles,
    parameter_of_role,
    require_name,
    text_name,
)
from ..data.shares import Shares
from ..data.slices import division_roles
from ..errors import InputError, abbreviate, naming
from ..notes import Notes, repeated_ids
from .ratings import named_raters, rated_data, refuse_of_files, unusual, with_open_files

_OTHERS = ("topic", "cluster", "weight", "frequency", "rate", "judge", "text")
_LONG_FORM = "give a row per item and rater to `agreement`, whose stored result `plan` takes"
_SHARE_COLUMNS = ("topic", "system", "label", "share", "size")


@declared.takes(declared.ReadOptions)
def read(
    data: Any,
    *runs: str | PathLike[str],
    gold: str | None = "gold",
    pred: str | Sequence[str] | Mapping[str, str] | None = None,
    **options: Unpack[declared.ReadOptions],
) -> Data:
    """Read labels from a data frame, a relation or files once, to use them several times.

    Files are csv, tsv, JSON lines or JSON arrays of objects (plain or gzipped), parquet or xlsx. If
    few rows are distinct, only these are held in memory.

    Parameters
    ----------
    data : frame, relation, str or Path
        A data frame of any library, lazy or not, a DuckDB relation or a Spark frame; a file; a
        pattern or folder for several files with the same columns; or "-" for standard input. It has
        a column of gold labels and, without `runs`, a column per system.
    *runs : str or Path
        Files, patterns or folders with an id and a prediction per row, joined to `data` on the id.
        Each file is a system, named after the file. The file of `data` is skipped.
    gold : str or None
        The column of gold labels. Name a field of nested JSON as ``scores.human``. None for ratings
        without gold, for `agreement` and `judge`.
    pred : str, sequence of str or mapping of str to str, optional
        The columns of predictions, or a mapping from system to column. By default every column
        without another role; in runs, the only column that is not the id.
    {options}

    Returns
    -------
    Data
        The classes of all items, for `evaluate`, `compare` and other functions.

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
        try:
            named = {**options, "item": options.get("id")}
            return rated_data(None, data, named, raters=named_raters(pred, "pred"))[0]
        except InputError as error:
            error.change_hint(error.raw_hint.replace(LONG_FORM, _LONG_FORM))
            error.rename(ratings="pred", item="id")
            raise
    refuse_beside_judge(**options)
    columns = list(pred.values()) if isinstance(pred, Mapping) else pred
    if isinstance(data, (str, PathLike)):
        read = _read_files(data, runs, gold, columns, options)
    else:
        read = _read_frame(data, runs, gold, columns, options)
    names = tuple(map(str, pred)) if isinstance(pred, Mapping) else ()
    return replace(read, names=(read.names[0], *names, *read.names[1 + len(names) :]))


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
    refuse_of_files(frame, {**options, "runs": runs}, declared.FileOptions)
    numbered = NumberedFrame.of(frame)
    named = {role: text_name(options[role]) for role in _OTHERS} | division_roles(options["by"])
    id, text = text_name(options["id"]), named["text"]
    pred, proba, reading = _forecasts(pred, numbered.columns, Reading.of(options), options)
    roles = Roles.choose(
        list(dict.fromkeys(numbered.columns)),
        text_name(gold),
        _column_names(pred),
        named,
        id=() if id is None else (id,),
    )
    shown = {role: name for role, name in (("item", id), ("text", text)) if name is not None}
    table = numbered.select({**roles.columns, **shown})
    notes = () if id is not None or "id" in named.values() else _repeated_note(numbered)
    about = {"data": None, **_about(roles, options["proba"])}
    return read_table(table, roles, reading, about=about, notices=notes, proba=proba)


def _forecasts(
    pred: Any, columns: Sequence[str], reading: Reading, options: Mapping[str, Any]
) -> tuple[Any, dict[str, list[str]] | None, Reading]:
    """Return the columns of predictions, those of probabilities by system, and the labels."""
    if options["proba"] is None:
        return pred, None, reading
    refuse_beside_proba(pred, options)
    labels = None if reading.declared is None else reading.declared.labels
    by_system, found = columns_by_system(options["proba"], columns, labels)
    if labels is None and found:
        reading = replace(reading, labels=found)
    return [name for named in by_system.values() for name in named], by_system, reading


def _of_run(reading: Reading, options: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the columns of probabilities of a run file, which holds one system."""
    proba = options["proba"]
    if isinstance(proba, Mapping) or (isinstance(proba, str) and "{system}" in proba):
        raise InputError(
            f"proba is {abbreviate(proba)}, and systems are named after their runs; the pattern of "
            "columns that all runs have is expected, such as p_{label}.",
            parameter="proba",
        )
    return list(_forecasts(None, columns, reading, options)[0])


def _repeated_note(numbered: NumberedFrame) -> Notes:
    """Say that a column called id, which nobody named, does not tell the rows apart."""
    if numbered.columns.count("id") != 1 or not hasattr(numbered.frame, "get_column"):
        return ()  # there are several, or they are not in memory
    ids = numbered.frame[f"c{numbered.columns.index('id')}"].drop_nulls()
    return repeated_ids("id") if ids.n_unique() < len(ids) else ()


def _about(roles: Roles, proba: Any = None, *, joined: bool = False) -> dict[str, Any]:
    """Return the columns of labels, by the arguments that name them."""
    named = {} if roles.guessed or joined else {"y_pred": list(roles.systems)}
    named = named if proba is None else {"proba": proba}
    judge = {role: name for role, name in roles.labelled.items() if role == "judge"}
    return {"y_true": roles.labelled["gold"], **named, **judge}


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
    named = {"gold": gold, **{r: options[r] for r in _OTHERS}, **division_roles(options["by"])}
    named = {role: text_name(name) for role, name in named.items() if name is not None}
    for role, name in named.items():
        require_name(name, parameter_of_role(role))
    reading = replace(Reading.of(options), text=True)
    forecast = None if options["proba"] is None else partial(_of_run, reading, options)
    with ExitStack() as stack:
        opened = stack.enter_context(
            files.open(
                data,
                runs,
                pred=_fields(reading, options) if pred is None else pred,
                roles=named,
                options=options,
                proba=forecast,
            )
        )
        stack.enter_context(naming(opened.name, files=opened.systems))
        columns = (opened.pred or ()) if opened.systems else opened.columns
        pred, proba, reading = _forecasts(pred, columns, reading, options)
        if proba is not None and opened.systems:
            (of_run,) = proba.values()
            proba = {system: [f"{system}: {c}" for c in of_run] for system in opened.systems}
        roles = _roles(replace(opened, pred=pred) if proba else opened, proba)
        how = unusual(options, declared.FileOptions)
        if opened.systems and options["id"] is not None:
            how["id"] = opened.ids[0] if len(opened.ids) == 1 else list(opened.ids)
        about = _about_files(data, runs, how, opened.where)
        read = read_table(
            opened.run(lambda: _relation(opened, roles)),
            roles,
            reading,
            run=opened.run,
            about={**about, **_about(roles, options["proba"], joined=bool(opened.systems))},
            notices=opened.notes,
            proba=proba,
        )
        return with_open_files(read, stack)


def _fields(reading: Reading, options: Mapping[str, Any]) -> list[str] | None:
    """Return columns of probabilities that may be fields of nested JSON, by their full names."""
    proba = options["proba"]
    if not isinstance(proba, str):
        return None if proba is None or isinstance(proba, Mapping) else list(map(str, proba))
    labels = None if reading.declared is None else reading.declared.labels
    if labels is None or "{system}" in proba:
        return None
    return [proba.replace("{label}", str(label)) for label in labels]


def _about_files(
    data: Any, runs: Sequence[Any], how: Mapping[str, Any], where: Mapping[str, Any]
) -> dict[str, Any]:
    """Return which files were read, and how."""
    rows = {"where": where} if where else {}
    return {"data": str(data), "runs": [str(run) for run in runs], **how, **rows}


def _roles(opened: files.Opened, proba: Mapping[str, Sequence[str]] | None) -> Roles:
    """Return which columns have which roles."""
    named = dict(opened.roles)
    gold = named.pop("gold")
    if not opened.systems:
        aside = tuple(opened.where)
        return Roles.choose(opened.columns, gold, opened.pred, named, id=opened.ids, aside=aside)
    named.pop("text", None)
    check_roles([*(("id", id) for id in opened.ids), ("gold", gold), *named.items()])
    several = None if proba is None else [name for names in proba.values() for name in names]
    return Roles.of(gold, several or tuple(opened.systems), named.pop("judge", None), named)


def _relation(opened: files.Opened, roles: Roles) -> Any:
    """Return the relation with columns called after their roles."""
    joined = numbered_roles(roles.systems if opened.systems else ())
    columns = {role: column for role, column in roles.columns.items() if role not in joined}
    if "text" in opened.roles:
        columns["text"] = opened.roles["text"]
    others = [f"s{i} AS {role}" for i, role in enumerate(joined)]
    return opened.select(columns, *others, *["item"] * bool(opened.ids))


@declared.takes(declared.ReadSharesOptions)
def read_shares(
    data: Any,
    *runs: str | PathLike[str],
    gold: str = "gold",
    **options: Unpack[declared.ReadSharesOptions],
) -> Shares:
    """Read distributions from a data frame, a relation or files.

    A table has a row per topic and a column per class, or a row per topic and class. Columns of
    classes are named after the labels, with or without a prefix.

    Parameters
    ----------
    data : frame, relation, str or Path
        A data frame or relation; a file; a pattern or folder for several files with the same
        columns; or "-" for standard input. It holds the distributions of gold and, without `runs`,
        of all systems, with a column that names the system.
    *runs : str or Path
        Files, patterns or folders of estimates, matched to gold by topic. Each file is a system,
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
    if not isinstance(data, (str, PathLike)):
        refuse_of_files(data, {**options, "runs": runs})
        table = NumberedFrame.of(data, "data")
        return Shares.of(table, {}, options, gold=gold, about={"data": None, **named})
    how = unusual(options, declared.RowOptions, declared.TextFileOptions)
    with files.open_engine(data, runs, options) as (engine, tables, selection):
        tables = tables.without_unnamed(used=True)
        spelled: dict[str, Any] = dict(options)
        spelled |= {r: files.column_named(spelled[r], tables.columns) for r in _SHARE_COLUMNS}
        notes = tables.notes
        if selection:
            tables = files.select_rows(engine, tables, selection)
            notes = (*notes, selection.note(engine, tables.data))
        first, *others = (_share_table(engine, table) for table in tables.all)
        by_name = dict(zip(tables.runs, others, strict=True))
        about = {**_about_files(data, runs, how, selection.values), **named}
        return Shares.of(first, by_name, spelled, gold=gold, notices=notes, about=about)


def _share_table(engine: files.Engine, table: files.Table) -> NumberedFrame:
    relation = engine.relation(table.select({f"c{i}": c for i, c in enumerate(table.columns)}))
    header = not table.numbered
    return NumberedFrame(table.columns, relation, table.name, engine.run, header)
