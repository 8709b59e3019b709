"""Columns of data frames by position, so that a name is nothing but a name.

Some libraries read a name as a pattern (Polars: "^m$" and "*"), as a path (Spark: "a.b"), or
without regard to case (DuckDB). No name is therefore part of an expression: the columns of a frame
are numbered first, and those that are needed are renamed after their roles.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, did_you_mean, quoted


@dataclass(frozen=True, eq=False)
class NumberedFrame:
    """A data frame whose columns are called c0, c1, …

    Parameters
    ----------
    names : tuple of str
        The names of the columns in the frame that was given; a name may be repeated.
    frame : frame
        A DuckDB relation as it was given, or a narwhals frame with the columns c0, c1, …
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
            if name not in self.names:
                raise InputError(
                    f"There is no column {name!r}; the columns are {quoted(self.names, 20)}."
                    f"{did_you_mean(str(name), self.names)}",
                    parameter=role.partition(" ")[0],
                )
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
