"""The door for distributions in tables: frames of every library, relations and files."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Unpack

from ..data.distributions import ShareTable, read_tables
from ..data.roles import NumberedFrame
from ..data.shares import Shares
from ..files.engine import Engine
from ..files.formats import Reading, open_tables
from ..files.selection import Selection
from ..files.table import Table, column_named
from ..options import ReadSharesOptions, RowOptions, TextFileOptions, defaults, options_of, takes
from .read import refuse_for_frames

_COLUMNS = ("topic", "system", "label", "share", "size")


@takes(ReadSharesOptions)
def read_shares(
    data: Any,
    *runs: str | PathLike[str],
    gold: str = "gold",
    **options: Unpack[ReadSharesOptions],
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
        return _read_files(data, runs, named, dict(options))
    refuse_for_frames(runs, options, RowOptions, TextFileOptions)
    frame = NumberedFrame.of(data)
    table = ShareTable("data", frame.names, frame.collect)
    parts = read_tables(table, {}, options, gold=gold)
    return Shares.of(parts, options, about={"data": None, **named})


def _read_files(
    data: Any, runs: Sequence[Any], named: Mapping[str, str], options: dict[str, Any]
) -> Shares:
    """Read a table of all systems, or gold and runs matched by topic."""
    usual = defaults(RowOptions) | defaults(TextFileOptions)
    about: dict[str, Any] = {"data": str(data), "runs": [str(run) for run in runs], **named}
    about |= {name: options[name] for name in usual if options[name] != usual[name]}
    text_options = options_of(options, TextFileOptions)
    with Engine(text_options.pop("memory_limit"), options["progress"]) as engine:
        reading = Reading(**text_options)
        tables = open_tables(engine, data, runs, reading).without_unnamed(used=True)
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
