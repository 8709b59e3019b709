"""Which columns of a table are gold, systems, topics, weights, …

Some libraries read a name as a pattern (Polars: "^m$" and "*"), as a path (Spark: "a.b"), or
without regard to case (DuckDB). No name is therefore part of an expression: the columns of a frame
are numbered first, and those that are needed are renamed after their roles.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, quoted, require_known
from ..notes import Notes, warning

SHOWN = 5  # examples in a message
SPACES = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # what strip() removes
# Columns of these names are not taken for systems.
RESERVED = ("id", "topic", "weight", "frequency", "cluster")
GROUPS = ("topic", "cluster")
NUMBERS = ("weight", "frequency", "rate")
Pred = str | Sequence[str] | None
Fetched = list[tuple[Any, ...]]


@dataclass(frozen=True, eq=False)
class NumberedFrame:
    """A data frame whose columns are called c0, c1, …, or a DuckDB relation as it was given.

    `names` are those in the frame that was given, of which one may be repeated.
    """

    names: tuple[str, ...]
    frame: Any

    @classmethod
    def of(cls, frame: Any) -> "NumberedFrame":
        """Return a DuckDB relation, or any frame that narwhals knows, with numbered columns."""
        import narwhals as nw
        from narwhals import dependencies as known

        if isinstance(frame, str | PathLike):
            raise InputError(
                f"{abbreviate(str(frame))} is a text or a path, not a data frame.",
                parameter="data",
                hint="Open the file first, e.g. with polars.scan_parquet, duckdb.read_parquet or "
                "pandas.read_csv, or use the command line: ordeval score FILE.",
            )
        native = nw.to_native(frame, pass_through=True)
        if known.is_duckdb_relation(native):
            return cls(tuple(native.columns), native)
        try:
            names, numbered = _numbered(native)
            return cls(names, nw.from_native(numbered))
        except TypeError:
            raise InputError(
                f"{type(frame).__name__} is not a known kind of data frame; pass one of pandas, "
                "Polars, PyArrow, DuckDB, PySpark or Dask, or use Counts.from_labels for arrays.",
                parameter="data",
            ) from None

    def select(self, columns: Mapping[str, str]) -> Any:
        """Return some columns, given by their new names, as a relation or a narwhals frame."""
        repeated = [name for name in columns.values() if self.names.count(name) > 1]
        if repeated:
            raise InputError(
                f"The data frame has several columns called {quoted(dict.fromkeys(repeated))}.",
                parameter="data",
                hint="Give each a name of its own.",
            )
        places = {new: self.names.index(old) for new, old in columns.items()}
        if hasattr(self.frame, "project"):  # a DuckDB relation, whose columns have numbers in SQL
            return self.frame.project(", ".join(f"#{i + 1} AS {new}" for new, i in places.items()))
        import narwhals as nw

        return self.frame.select(*(nw.col(f"c{i}").alias(new) for new, i in places.items()))

    def collect(self, columns: Mapping[str, str]) -> dict[str, Any]:
        """Return some columns in memory, as series or arrays, by their roles.

        The first word of a role is the parameter that names the column.
        """
        for role, name in columns.items():
            require_known("column", name, self.names, role.partition(" ")[0])
        roles = {f"r{i}": name for i, name in enumerate(columns.values())}
        found = self.select(roles)
        if hasattr(found, "fetchnumpy"):
            held = {role: _unmasked(column) for role, column in found.fetchnumpy().items()}
        else:
            frame = found.collect() if hasattr(found, "collect") else found
            held = {role: frame[role].to_native() for role in roles}
        return {new: held[role] for new, role in zip(columns, roles, strict=True)}


def _unmasked(column: Any) -> Any:
    """Return an array of DuckDB with None where a value is missing."""
    if not isinstance(column, np.ma.MaskedArray):
        return column
    found, missing = column.data.astype(object), np.ma.getmaskarray(column)
    found[missing] = None
    return found if missing.any() else column.data


def _numbered(frame: Any) -> tuple[tuple[str, ...], Any]:
    """Return the names of the columns, and the frame with numbers for names."""
    import narwhals as nw
    from narwhals import dependencies as known

    if known.is_pandas_like_dataframe(frame) or known.is_dask_dataframe(frame):
        names = _text_names(list(frame.columns))
        found = frame.copy(deep=False)
        found.columns = _numbers(names)
        return names, found
    if known.is_pyspark_dataframe(frame) or known.is_pyspark_connect_dataframe(frame):
        return tuple(frame.columns), frame.toDF(*_numbers(frame.columns))
    if known.is_pyarrow_table(frame):
        return tuple(frame.column_names), frame.rename_columns(_numbers(frame.column_names))
    if known.is_polars_dataframe(frame) or known.is_polars_lazyframe(frame):
        # Before version 1.33, positions in lazy frames become names, which are read as patterns.
        names = tuple(frame.collect_schema().names())
        return names, frame.rename(dict(zip(names, _numbers(names), strict=True)))
    other = nw.from_native(frame)
    names = tuple(other.collect_schema().names())
    places = (nw.nth(i).alias(new) for i, new in enumerate(_numbers(names)))
    return names, other.select(*places).to_native()


def _numbers(names: Any) -> list[str]:
    return [f"c{i}" for i in range(len(names))]


def _text_names(columns: list[Any]) -> tuple[str, ...]:
    """Return the names of columns of pandas; numbers, as of a pivot table, become text."""
    names = [text_name(name) for name in columns]
    mixed = len(set(names)) < len(set(columns))
    if mixed or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"The columns of the data frame are {quoted(columns)}; each needs a name of its own, a "
            "text or a whole number.",
            parameter="data",
            hint="Rename them first, e.g. frame.columns = ['gold', …].",
        )
    return tuple(names)


def text_name(name: Any) -> Any:
    """Return a number that names a column as text, and anything else as it is.

    >>> text_name(1), text_name("a")
    ('1', 'a')
    """
    return str(name) if isinstance(name, (int, np.integer)) else name


def pred_role(system: int) -> str:
    """Return the role of the predictions of a system."""
    return f"p{system}"


def parameter_of_role(role: str) -> str:
    """Return the parameter that names the column of a role: its first word.

    >>> parameter_of_role("item_1"), parameter_of_role("cluster")
    ('item', 'cluster')
    """
    return role.partition("_")[0]


def require_column(name: Any, columns: Sequence[str], parameter: str, where: str = "") -> None:
    """Raise an error that lists the columns unless `name` is one of them."""
    if not isinstance(name, str):
        raise InputError(
            f"{where}{parameter} is {abbreviate(name)}; the name of one column is expected.",
            parameter=parameter,
        )
    hint = "Name the column of gold labels with {gold}." * (parameter == name == "gold")
    require_known("column", name, columns, parameter, where, hint=hint, suggest={"gold": ...})


def check_roles(
    taken: Iterable[tuple[str, str]],
    preds: Iterable[str] = (),
    where: str = "",
    *,
    raters: bool = False,
) -> None:
    """Raise an error for a column that is named for two roles that exclude each other.

    Ids, topics, clusters, items and slices may be the same column; nothing else may.
    """
    role_of_preds = "ratings" if raters else "pred"
    named = [*taken, *((role_of_preds, name) for name in dict.fromkeys(preds))]
    for i, (role, name) in enumerate(named):
        before = [other for other, column in named[:i] if column == name]
        if before and not {role, *before} <= {"id", "item", "slices", *GROUPS}:
            raise InputError(
                f"{where}column {name!r} is named for two roles, {before[0]} and {role}; a column "
                "has one.",
                parameter=role,
            )


@dataclass(frozen=True)
class Roles:
    """The columns of a table by their roles.

    In a table to be read the columns are renamed after their roles: gold, p0, p1, … (the systems,
    and last perhaps a judge), topic, cluster, weight, frequency, rate, item, text. Systems are
    `guessed` if they are all columns without another role; `unused` columns are called like a role,
    and are neither used for it nor scored.
    """

    gold: str
    systems: tuple[str, ...]
    judge: str | None
    others: Mapping[str, str]
    guessed: bool = False
    unused: tuple[str, ...] = ()

    @classmethod
    def choose(
        cls,
        columns: Sequence[str],
        gold: str,
        pred: Pred,
        roles: Mapping[str, str | None],
        *,
        judge: str | None = None,
        id: Sequence[str] = (),
        text: str | None = None,
        aside: Sequence[str] = (),
        where: str = "",
    ) -> "Roles":
        """Choose the columns of a table; those in `aside` are no predictions unless named."""
        wanted = [pred] if isinstance(pred, str) else list(() if pred is None else pred)
        others = {role: name for role, name in roles.items() if name is not None}
        taken = [("gold", gold), *others.items(), *(("id", name) for name in id)]
        taken += [] if judge is None else [("judge", judge)]
        required = [*taken, *(("pred", name) for name in wanted)]
        required += [] if text is None else [("text", text)]
        for parameter, name in required:
            require_column(name, columns, parameter, where)
        # A judge may be scored as well.
        check_roles(taken, [name for name in wanted if name != judge], where)
        used = [name for _, name in required] + list(aside)
        unused = []
        if pred is None:
            wanted = [name for name in columns if name not in (*used, *RESERVED)]
            unused = [name for name in RESERVED[1:] if name in columns and name not in used]
        repeated = [name for name, times in Counter(wanted).items() if times > 1]
        if repeated or not wanted:
            problem = (
                f"{quoted(repeated)} is named as a prediction more than once."
                if repeated
                else "no column is left for predictions beside "
                f"{quoted(name for _, name in taken)}; the columns are {quoted(columns, 20)}."
            )
            raise InputError(where + problem, parameter="pred")
        return cls(gold, tuple(wanted), judge, others, pred is None, tuple(unused))

    @property
    def labelled(self) -> dict[str, str]:
        """The columns of labels by role: gold, the systems and perhaps a judge."""
        systems = self.systems if self.judge is None else (*self.systems, self.judge)
        return {"gold": self.gold, **{pred_role(i): name for i, name in enumerate(systems)}}

    @property
    def columns(self) -> dict[str, str]:
        """The column of every role."""
        return {**self.labelled, **self.others}

    @property
    def notices(self) -> Notes:
        """Which columns are called like a role, and were not used."""
        return unused_notices(self.unused, "predictions")


def unused_notices(unused: Sequence[str], others: str) -> Notes:
    """Say which columns are called like a role, and are neither used for it nor among others."""
    if not unused:
        return ()
    one = len(unused) == 1
    return (
        warning(
            "roles",
            f"Not used, because {'it is' if one else 'they are'} called like a role: "
            f"{quoted(unused)}. Name {'it' if one else 'each'} with the option of that name to use "
            f"it, or among the {others}.",
            request=True,
        ),
    )
