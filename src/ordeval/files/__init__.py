"""A file is a relation: files of any size and format, opened as one table of labels."""

from .engine import Engine
from .formats import Reading, Tables, open_tables
from .open import Opened, Texts, open
from .selection import Selection, Where
from .table import Table, column_named

__all__ = [
    "Engine",
    "Opened",
    "Reading",
    "Selection",
    "Table",
    "Tables",
    "Texts",
    "Where",
    "column_named",
    "open",
    "open_tables",
]
