"""A file is a relation: files of any size and format, opened as one table of labels."""

from .engine import Engine
from .open import Opened, Texts, open, open_engine, select_rows
from .table import Table, column_named

__all__ = [
    "Engine",
    "Opened",
    "Table",
    "Texts",
    "column_named",
    "open",
    "open_engine",
    "select_rows",
]
