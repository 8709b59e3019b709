"""Sheets of .xlsx files as text with commas, which is then read like any other file."""

import csv
import datetime as dt
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, did_you_mean, quoted
from .engine import temporary_files

_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument"
_SHOWN_ROWS = 3
# A small file may unpack to a large one, or have a cell in a row far below the others.
_MOST_BYTES, _MOST_ROWS, _MOST_CELLS = 2**29, 2**20, 5 * 10**7


def is_spreadsheet(path: Path, start: bytes) -> bool:
    """Whether a file is an .xlsx file, by its content."""
    if not start.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.lower() == "xl/workbook.xml" for name in archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def refuse_other_spreadsheets(start: bytes, path: Path, name: str) -> None:
    """Raise an error for spreadsheets in other formats."""
    kind = "an old Excel file (.xls)" if start.startswith(_OLD_EXCEL) else ""
    if kind and path.suffix.lower() in (".xlsx", ".xlsm"):
        kind = "protected by a password, or an old Excel file (.xls)"
    if start.startswith(_ZIP) and _OPEN_DOCUMENT in start[:200]:
        kind = "an OpenDocument file (.ods)"
    if kind:
        raise InputError(f"{name} is {kind}; save it as .csv, or as .xlsx without a password.")


def sheet_as_csv(path: Path, name: str, sheet: str | None, target: Path) -> None:
    """Write a sheet, by default the first one, as a csv file without empty rows and columns."""
    rows = _rows(path, name, sheet)
    used = sorted({i for row in rows for i, cell in enumerate(row) if cell})
    table = [[row[i] if i < len(row) else "" for i in used] for row in rows]
    if not table:
        raise InputError(f"{name} is empty: the sheet holds no cells.")
    if len(used) > 1 and sum(map(bool, table[0])) == 1:
        shown = "; ".join(" | ".join(row)[:60] for row in table[:_SHOWN_ROWS])
        raise InputError(
            f"{name}: the first row holds one cell, not the names of {len(used)} columns; the "
            f"first rows are: {shown}. Delete the title above the names of the columns."
        )
    with temporary_files(name), target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)


def _rows(path: Path, name: str, sheet: str | None) -> list[list[str]]:
    """Return the rows of a sheet that are not empty, as text."""
    try:
        import openpyxl
    except ImportError:
        raise InputError(
            f"{name} is a spreadsheet, which needs openpyxl: install it with "
            "pip install openpyxl, or save the sheet as csv."
        ) from None
    with zipfile.ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > _MOST_BYTES:
            raise _too_large(name, f"{_MOST_BYTES // 2**20} MiB of content")
    with path.open("rb") as file:
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            found = _sheet(book, name, sheet)
            rows = _kept(_values(found), name)
            book.close()
        except InputError:
            raise
        except Exception as problem:  # noqa: BLE001 (a damaged file may raise anything)
            raise InputError(
                f"{name} is a damaged spreadsheet ({type(problem).__name__}); save it again, or "
                "as csv."
            ) from None
    return rows


def _kept(values: Iterator[Sequence[Any]], name: str) -> list[list[str]]:
    """Return the rows that are not empty, as text, if they are not too many."""
    rows: list[list[str]] = []
    cells = 0
    for number, row in enumerate(values, 1):
        found = [_text(cell) for cell in row]
        if any(found):
            rows.append(found)
            cells += len(found)
        if number > _MOST_ROWS or cells > _MOST_CELLS:
            raise _too_large(name, f"{_MOST_ROWS:,} rows or {_MOST_CELLS:,} cells")
    return rows


def _too_large(name: str, limit: str) -> InputError:
    return InputError(f"{name} has more than {limit}, too much for a spreadsheet; save it as csv.")


def _values(sheet: Any) -> Iterator[Sequence[Any]]:
    sheet.reset_dimensions()  # what programs write about them is often wrong
    yield from sheet.iter_rows(values_only=True)


def _sheet(book: Any, name: str, sheet: str | None) -> Any:
    tables = {found.title: found for found in book.worksheets}
    if sheet is None and tables:
        return next(iter(tables.values()))
    if sheet is None or sheet not in tables:
        near = did_you_mean(sheet or "", tables)
        raise InputError(
            f"{name}: there is no sheet {sheet!r}; the sheets are {quoted(tables, 20)}.{near}",
            parameter="sheet",
        )
    return tables[sheet]


def _text(cell: Any) -> str:
    """Return a cell as text: whole numbers without a point, dates as in ISO 8601."""
    if cell is None or cell == "#N/A":
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    return str(cell).strip() if isinstance(cell, str) else str(cell)
