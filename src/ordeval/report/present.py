"""What every kind of object looks like: its tables, its data and its page.

Each function dispatches on the type of the object. The modules that know how to present a type
register it here, so that the objects themselves know nothing about presentation.
"""

import sys
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import narwhals as nw

from ..class_figures import PerClass
from ..counts import Counts
from ..errors import InputError
from ..meta import MetaEvaluation
from ..results import Result
from ..spec import Measure
from . import meta_tables, objects, tables
from .formats import FORMATS
from .html import report_html
from .meta_page import meta_html
from .table import Table, columns_of

_FRAMES = ("pandas", "polars", "pyarrow")


@singledispatch
def tables_of(obj: Any, **selection: Any) -> list[Table]:
    """Return the tables that people read; `selection` says which, for types that have several."""
    raise TypeError(f"{type(obj).__name__} has no tables.")


@singledispatch
def overview_of(obj: Any) -> list[Table]:
    """Return the tables that printing shows, where that is less than all of them."""
    return tables_of(obj)


@singledispatch
def data_of(obj: Any) -> Table:
    """Return the figures as one table for CSV files and data frames."""
    return tables_of(obj)[0]


@singledispatch
def page_of(obj: Any, *, command: str | None = None) -> str:
    """Return the HTML report; `command` is the command line that made the object."""
    raise TypeError(f"{type(obj).__name__} has no page.")


def written(style: str, found: Sequence[Table]) -> str:
    """Return tables one after the other in a format: text, markdown, latex, csv or html."""
    return "\n".join(map(FORMATS[style], found))


def rich_tables(found: Sequence[Table]) -> Any:
    """Return tables as a group that `rich` prints."""
    from rich.console import Group

    from .terminal import rich_table

    return Group(*map(rich_table, found))


def frame_of(obj: Any, backend: str | None = None) -> Any:
    """Return the figures of an object as a data frame of an installed library."""
    if backend is not None and backend not in _FRAMES:
        raise InputError(
            f"backend={backend!r} is not known; it is one of {', '.join(_FRAMES)}.",
            parameter="backend",
        )
    columns = columns_of(data_of(obj))
    loaded = [name for name in _FRAMES if name in sys.modules]
    choices: list[Any] = [backend] if backend else [*loaded, *_FRAMES]
    for name in choices:
        try:
            return nw.from_dict(columns, backend=name).to_native()
        except ImportError:
            continue
    raise InputError(f"No data-frame library is installed; install one of {', '.join(_FRAMES)}.")


@tables_of.register
def _(result: Result, what: str = "main", measure: Measure | None = None) -> list[Table]:
    return [tables.table_of(result, what, measure)]


@data_of.register
def _(result: Result) -> Table:
    return tables.long_table(result)


page_of.register(Result, report_html)


@tables_of.register
def _(counts: Counts) -> list[Table]:
    return objects.counts_tables(counts)


@data_of.register
def _(counts: Counts) -> Table:
    return objects.cells_table(counts)


@tables_of.register
def _(figures: PerClass) -> list[Table]:
    return [objects.classes_table(figures)]


@data_of.register
def _(figures: PerClass) -> Table:
    return objects.classes_table(figures, named=str)


for _kind, _tables in meta_tables.TABLES.items():
    tables_of.register(_kind, _tables)
for _kind, _data in meta_tables.DATA.items():
    data_of.register(_kind, _data)


@overview_of.register
def _(found: MetaEvaluation) -> list[Table]:
    return [meta_tables.overview_table(found)]


page_of.register(MetaEvaluation, meta_html)
