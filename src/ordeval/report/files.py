"""Tables of a view as a workbook or a Parquet file."""

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import isfinite, isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..errors import InputError
from ..formatting import one_line
from .formats import FORMULA, data_columns, data_section
from .view import Section, View

_MOST_ROWS = 2**20  # of a sheet, with the one of headings


def parquet(view: View, keys: Sequence[str]) -> bytes:
    """Return one table at full precision as a Parquet file."""
    import duckdb

    columns = data_columns(data_section(view, keys))
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "table.parquet"
        connection.register("columns", {n: _array(values) for n, values in columns.items()})
        connection.table("columns").write_parquet(str(path))
        return path.read_bytes()


def _array(values: Sequence[Any]) -> Any:
    return np.array(values, dtype=object if any(isinstance(v, str) for v in values) else None)


def workbook(view: View, keys: Sequence[str]) -> bytes:
    """Return tables at full precision as the sheets of an .xlsx file; notes are the last one."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    for section in _sheets(view, keys):
        names, rows = section.data()
        _add_sheet(book, section.key, [names, *rows])
    about = [*map(str, view.notes), *([f"Signature: {view.signature}"] if view.signature else [])]
    if about:
        _add_sheet(book, "notes", [["note"], *([note] for note in about)])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _sheets(view: View, keys: Sequence[str]) -> Iterator[Section]:
    """Yield the tables; "main" are those that printing shows, and all figures."""
    sections = [*view.chosen(keys), *([view[view.data]] if "main" in keys else [])]
    seen = []
    parts = ([one, *(part for part in one.parts if part.stored)] for one in sections)
    for section in chain(*parts):
        names, rows = section.data()
        if names and (names, len(rows)) not in seen:
            seen.append((names, len(rows)))
            yield section


def _add_sheet(book: Any, title: str, rows: Sequence[Iterable[Any]]) -> None:
    if len(rows) > _MOST_ROWS:
        raise InputError(
            f"The table {title!r} has {len(rows) - 1:,} rows; a sheet holds {_MOST_ROWS - 1:,}.",
            parameter="out",
            hint="Write it to a file that ends in .csv or .parquet.",
        )
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    for row in rows:
        sheet.append([_cell(sheet, value) for value in row])


def _cell(sheet: Any, value: Any) -> Any:
    """Return a number, or a text that spreadsheets do not take for a formula."""
    from openpyxl.cell import WriteOnlyCell

    if not isinstance(value, str):
        if not isinstance(value, float) or isfinite(value):
            return value
        value = "" if isnan(value) else str(value)
    text = one_line(value)
    cell = WriteOnlyCell(sheet, text or None)
    if text.startswith(FORMULA):
        cell.data_type, cell.quotePrefix = "s", True
    return cell
