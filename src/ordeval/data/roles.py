"""Which columns of a table are gold, systems, topics, weights, …

Some libraries read a name as a pattern (Polars: "^m$" and "*"), as a path (Spark: "a.b"), or
without regard to case (DuckDB). No name is therefore part of an expression: the columns of a frame
are numbered first, and those that are needed are renamed after their roles.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError, abbreviate, gold_hint, quoted, require_known
from ..notes import Notes, warning
from .classes import Reading
from .column import Column

SHOWN = 5  # examples in a message
SPACES = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # what strip() removes
# Columns of these names are not taken for systems.
RESERVED = ("id", "topic", "weight", "frequency", "cluster")
GROUPS = ("topic", "cluster")
NUMBERS = ("weight", "frequency", "rate")
Pred = str | Sequence[str] | None


@dataclass(frozen=True, eq=False)
class NumberedFrame:
    """A data frame whose columns are called c0, c1, …, or a DuckDB relation as it was given.

    `columns` are the names in the frame that was `given`, of which one may be repeated; without a
    `header` they are positions. `name` is that of messages, and `run` runs a job that fetches rows.
    """

    columns: tuple[str, ...]
    frame: Any
    name: str = ""
    run: Any = None
    header: bool = True
    given: Any = None
    items: ClassVar[tuple[str, ...]] = ()  # that files of other tools have
    where: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    def of(cls, frame: Any, name: str = "") -> "NumberedFrame":
        """Return a DuckDB relation, or any frame that narwhals knows, with numbered columns."""
        import narwhals as nw
        from narwhals import dependencies as known

        native = nw.to_native(frame, pass_through=True)
        if known.is_duckdb_relation(native):
            return cls(tuple(native.columns), native, name)
        try:
            columns, numbered = _numbered(native)
            return cls(columns, nw.from_native(numbered), name, given=native)
        except TypeError:
            raise InputError(
                f"{type(frame).__name__} is not a known kind of data frame; pass one of pandas, "
                "Polars, PyArrow, DuckDB, PySpark, Dask or Ibis, or use Counts.from_labels for "
                "arrays.",
                parameter="data",
                hint="pandas.json_normalize makes a frame of a list of dictionaries."
                * isinstance(frame, list),
            ) from None

    def select(self, columns: Mapping[str, str]) -> Any:
        """Return some columns, given by their new names, as a relation or a narwhals frame."""
        repeated = [name for name in columns.values() if self.columns.count(name) > 1]
        if repeated:
            raise InputError(
                f"The data frame has several columns called {quoted(dict.fromkeys(repeated))}.",
                parameter="data",
                hint="Give each a name of its own.",
            )
        places = {new: self.columns.index(old) for new, old in columns.items()}
        if hasattr(self.frame, "project"):  # a DuckDB relation, whose columns have numbers in SQL
            return self.frame.project(", ".join(f"#{i + 1} AS {new}" for new, i in places.items()))
        import narwhals as nw

        return self.frame.select(*(nw.col(f"c{i}").alias(new) for new, i in places.items()))


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


def parameter_of_role(role: str) -> str:
    """Return the parameter that names the column of a role: its first word.

    >>> parameter_of_role("item_1"), parameter_of_role("cluster")
    ('item', 'cluster')
    """
    return role.partition("_")[0]


def require_name(name: Any, parameter: str) -> None:
    """Raise an error unless `name` is the name of a column."""
    if not isinstance(name, str):
        raise InputError(
            f"{parameter} is {abbreviate(name)}; the name of one column is expected.",
            parameter=parameter,
            hint=gold_hint(name) if parameter == "gold" else "",
        )


def require_column(name: Any, columns: Sequence[str], parameter: str) -> None:
    """Raise an error that lists the columns unless `name` is one of them."""
    require_name(name, parameter)
    hint = gold_hint(name) if parameter == "gold" else ""
    if name.rpartition(".")[0] in columns:
        hint = (
            "Fields of a column are read from files; pandas.json_normalize makes columns of them."
        )
    require_known("column", name, columns, parameter, hint=hint)


def check_roles(taken: Iterable[tuple[str, str]]) -> None:
    """Raise an error for a column that is named for two roles that exclude each other.

    Ids, topics, clusters, items and slices may be the same column; nothing else may.
    """
    named = list(dict.fromkeys((parameter_of_role(role), name) for role, name in taken))
    for i, (role, name) in enumerate(named):
        before = [other for other, column in named[:i] if column == name]
        if before and not {role, *before} <= {"id", "item", "by", *GROUPS}:
            raise InputError(
                f"column {name!r} is named for two roles, {before[0]} and {role}; a column has "
                "one.",
                parameter=role,
            )


@dataclass(frozen=True)
class Roles:
    """The columns of a table by their roles, those of labels and all others.

    In a table to be read the columns are renamed after their roles: gold, p0, p1, … (the systems),
    judge, topic, cluster, weight, frequency, rate, item, text. Systems are `guessed` if they are
    all columns without another role; `unused` columns are called like a role, and are neither used
    for it nor scored. With `numbers` the columns of systems hold probabilities.
    """

    labelled: Mapping[str, str]
    others: Mapping[str, str]
    guessed: bool = False
    unused: tuple[str, ...] = ()
    numbers: bool = False

    @classmethod
    def of(
        cls,
        gold: str,
        systems: Sequence[str],
        judge: str | None,
        others: Mapping[str, str],
        **more: Any,
    ) -> "Roles":
        """Return the roles of gold, systems and perhaps a judge."""
        labelled = {"gold": gold, **numbered_roles(systems)}
        return cls(labelled if judge is None else {**labelled, "judge": judge}, others, **more)

    @classmethod
    def choose(
        cls,
        columns: Sequence[str],
        gold: str,
        pred: Pred,
        roles: Mapping[str, str | None],
        *,
        id: Sequence[str] = (),
        aside: Sequence[str] = (),
    ) -> "Roles":
        """Choose the columns of a table; those in `aside` are no predictions unless named."""
        wanted = [pred] if isinstance(pred, str) else list(() if pred is None else pred)
        named = {role: name for role, name in roles.items() if name is not None}
        text, judge = named.pop("text", None), named.get("judge")
        taken = [("gold", gold), *named.items(), *(("id", name) for name in id)]
        required = [*taken, *(("pred", name) for name in wanted)]
        required += [] if text is None else [("text", text)]
        for parameter, name in required:
            require_column(name, columns, parameter_of_role(parameter))
        # A judge may be scored as well.
        check_roles([*taken, *(("pred", name) for name in wanted if name != judge)])
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
                else "no column is left for predictions besides "
                f"{quoted(name for _, name in taken)}; the columns are {quoted(columns, 20)}."
            )
            raise InputError(problem, parameter="pred")
        others = {role: name for role, name in named.items() if role != "judge"}
        return cls.of(gold, wanted, judge, others, guessed=pred is None, unused=tuple(unused))

    @property
    def columns(self) -> dict[str, str]:
        """The column of every role."""
        return {**self.labelled, **self.others}

    @property
    def categorical(self) -> list[str]:
        """The roles of columns whose categories may have an order: labels and slices."""
        return [*self.labelled, *(role for role in self.others if role.startswith("by_"))]

    @property
    def systems(self) -> tuple[str, ...]:
        """The columns of systems or raters."""
        return tuple(n for role, n in self.labelled.items() if role not in ("gold", "judge"))

    @property
    def notices(self) -> Notes:
        """Which columns are called like a role, and were not used."""
        return unused_notices(self.unused, "predictions")

    def doubt(
        self, problem: InputError, what: str, columns: Sequence[Column], reading: Reading
    ) -> None:
        """Add to an error about a column that was guessed to be a system that it may be none.

        A column that has one of the declared labels is one.
        """
        declared = set(map(str, reading.declared.labels)) if reading.declared else set()
        fit = {c.name for c in columns if declared & set(map(str, c.distinct()))}
        if self.guessed and problem.column in self.systems and problem.column not in fit:
            parameter = "ratings" if what == "rater" else "pred"
            others = [name for name in self.systems if name != problem.column]
            others = [name for name in others if name in fit or not declared]
            hint = f"If {problem.column} is not a {what}, name the {what}s with {{{parameter}}}."
            known: dict[str, Any] = {parameter: others} if len(others) > (what == "rater") else {}
            if "judge" in self.labelled:
                hint += " If none is one, ask for the ratings themselves with {measures}."
                known["measures"] = "mean, shares"
            problem.change_hint(f"{problem.raw_hint} {hint}".strip(), **known)


def numbered_roles(columns: Iterable[Any]) -> dict[str, Any]:
    """Return what belongs to systems or raters by their roles."""
    return {f"p{i}": column for i, column in enumerate(columns)}


def unused_notices(unused: Sequence[str], others: str) -> Notes:
    """Say which columns are named like a role, and are neither used for it nor among others."""
    if not unused:
        return ()
    return (
        warning(
            "roles",
            f"Not used, because the name is that of a role: {quoted(unused)}. To use a column, "
            f"name it with the option of that name, or among the {others}.",
            request=True,
        ),
    )
