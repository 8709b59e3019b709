"""Sheets of .xlsx files as rows of text."""

import datetime as dt
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ..errors import InputError, require_known

# A small file may unpack to a large one, or have a cell in a row far below the others.
_MOST_BYTES, _MOST_ROWS, _MOST_CELLS = 2**29, 2**20, 5 * 10**7

Rows = list[list[str]]


def is_workbook(path: Path, start: bytes) -> bool:
    """Whether a file is an .xlsx file, by its content."""
    if not start.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in map(str.lower, archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def read_sheet(path: Path, name: str, sheet: str | None) -> tuple[tuple[str, ...], Rows]:
    """Return the names of the sheets, and the rows of one (by default the first) as text.

    Empty rows and columns are left out. The sheet that was read is the first of the names.
    """
    try:
        import openpyxl
    except ImportError:
        raise InputError(
            f"{name} is a spreadsheet, which needs openpyxl.",
            hint="Install it with pip install openpyxl, or save the sheet as csv.",
        ) from None
    try:
        _refuse_large(path, name)
        with path.open("rb") as file:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            with closing(book):
                names, cells = _cells(book, name, sheet)
        with path.open("rb") as file, closing(openpyxl.load_workbook(file, read_only=True)) as book:
            _refuse_uncomputed(_cells(book, name, sheet)[1], cells, name)
    except InputError:
        raise
    except Exception as problem:  # noqa: BLE001 (a damaged file may raise anything)
        raise InputError(
            f"{name} is a damaged spreadsheet ({type(problem).__name__}); save it again, or as csv."
        ) from None
    rows = [[_text(cell) for cell in row] for row in cells]
    used = sorted({i for row in rows for i, cell in enumerate(row) if cell.strip()})
    table = [[row[i] if i < len(row) else "" for i in used] for row in rows]
    if not used:
        raise InputError(f"{name} is empty: sheet {names[0]!r} holds no cells.", parameter="sheet")
    return names, [row for row in table if any(cell.strip() for cell in row)]


def _refuse_large(path: Path, name: str) -> None:
    with zipfile.ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > _MOST_BYTES:
            raise _too_large(name)


def _cells(book: Any, name: str, sheet: str | None) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return the names of the sheets, that of the chosen one first, and its cells."""
    sheets = {each.title: each for each in book.worksheets}
    wanted = next(iter(sheets), "") if sheet is None else sheet
    require_known("sheet", wanted, sheets, "sheet", f"{name}: ")
    sheets[wanted].reset_dimensions()  # what programs write about them is often wrong
    cells, number = list[list[Any]](), 0
    for row in sheets[wanted].iter_rows(values_only=True):
        cells.append(list(row))
        number += len(row)
        if len(cells) > _MOST_ROWS or number > _MOST_CELLS:
            raise _too_large(name)
    return (wanted, *(title for title in sheets if title != wanted)), cells


def _refuse_uncomputed(formulas: list[list[Any]], cells: list[list[Any]], name: str) -> None:
    """Raise an error for formulas without a value, which programs write that do not compute."""
    places = list(_uncomputed(formulas, cells))
    if places:
        row, column, formula = places[0]
        more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
        raise InputError(
            f"{name}: the formula {formula!r} in row {row}, column {column}{more} was never "
            "computed, so that it has no value.",
            hint="Open and save the file in a spreadsheet program, or save the sheet as csv.",
        )


def _uncomputed(
    formulas: list[list[Any]], cells: list[list[Any]]
) -> Iterator[tuple[int, int, str]]:
    for i, (row, values) in enumerate(zip(formulas, cells, strict=True), 1):
        for j, (cell, value) in enumerate(zip(row, values, strict=True), 1):
            text = getattr(cell, "text", cell)  # of an array formula
            if value is None and isinstance(text, str) and text.startswith("="):
                yield i, j, text[:60]


def _too_large(name: str) -> InputError:
    return InputError(
        f"{name} has more than {_MOST_ROWS:,} rows, {_MOST_CELLS:,} cells or "
        f"{_MOST_BYTES // 2**20} MiB of content, too much for a spreadsheet; save it as csv."
    )


def _text(cell: Any) -> str:
    """Return a cell as text: whole numbers without a point, dates as in ISO 8601."""
    if cell is None or cell == "#N/A":
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)
