"""How objects are presented: their tables and their data.

Each function dispatches on the type of the object, so that the objects themselves know nothing
about presentation. Pages are in `ordeval.report.pages`.
"""

import sys
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import narwhals as nw

from ..advice import Recommendation
from ..counts import Counts
from ..display import FRAME_LIBRARIES
from ..errors import InputError
from ..measures.classes import PerClass
from ..meta import MetaEvaluation
from ..rater_results import Agreement, Judgement
from ..results import Figures, Result
from ..table import Table, columns_of
from . import advice_tables, judge_tables, meta_tables, rater_tables
from . import result_tables as tables
from .result_frames import result_columns
from .writers import RichTable, written

__all__ = ["data_of", "frame_of", "overview_of", "rich_tables", "tables_of", "written"]


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


def rich_tables(found: Sequence[Table]) -> Any:
    """Return tables as a group that `rich` prints."""
    from rich.console import Group

    return Group(*map(RichTable, found))


@singledispatch
def columns_for(obj: Any, **selection: Any) -> dict[str, Any]:
    """Return the columns of a data frame; `selection` says which, for types that have several."""
    return columns_of(data_of(obj))


def frame_of(obj: Any, backend: str | None = None, **selection: Any) -> Any:
    """Return the figures of an object as a data frame of an installed library."""
    if backend is not None and backend not in FRAME_LIBRARIES:
        raise InputError(
            f"backend={backend!r} is not known; it is one of {', '.join(FRAME_LIBRARIES)}.",
            parameter="backend",
        )
    columns = columns_for(obj, **selection)
    loaded = [name for name in FRAME_LIBRARIES if name in sys.modules]
    choices: list[Any] = [backend] if backend else [*loaded, *FRAME_LIBRARIES]
    for name in choices:
        try:
            return nw.from_dict(columns, backend=name).to_native()
        except ImportError:
            continue
    raise InputError(
        f"No data-frame library is installed; install one of {', '.join(FRAME_LIBRARIES)}."
    )


tables_of.register(Table, lambda found: [found])
tables_of.register(Result, tables.result_tables)
data_of.register(Result, tables.long_table)
columns_for.register(Result, result_columns)
tables_of.register(Figures, lambda found: [tables.figures_table(found)])
tables_of.register(Counts, tables.counts_tables)
data_of.register(Counts, tables.cells_table)
tables_of.register(PerClass, tables.class_tables)
data_of.register(PerClass, tables.class_figures_table)
for _kind, _table in meta_tables.TABLES.items():
    tables_of.register(_kind, lambda found, _table=_table: [_table(found)])
for _kind, _data in meta_tables.DATA.items():
    data_of.register(_kind, _data)
tables_of.register(MetaEvaluation, meta_tables.meta_tables)
overview_of.register(MetaEvaluation, lambda found: [meta_tables.overview_table(found)])
tables_of.register(Agreement, rater_tables.agreement_tables)
overview_of.register(Agreement, rater_tables.overview_tables)
data_of.register(Agreement, rater_tables.long_agreement)
columns_for.register(Agreement, rater_tables.agreement_columns)
tables_of.register(Judgement, judge_tables.judge_tables)
overview_of.register(Judgement, judge_tables.overview_tables)
data_of.register(Judgement, judge_tables.long_judgement)
columns_for.register(Judgement, judge_tables.judge_columns)
tables_of.register(Recommendation, advice_tables.recommendation_tables)
