"""How objects show themselves: from tables of them, every form of print follows.

`Printed` needs only the tables, `Archived` only the plain data; what draws and writes them is
loaded when it is asked for.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import InputError


class Printed:
    """An object that prints as tables, in a terminal, a notebook or a document.

    Its kind says what these are (`report.table.Table`); the rest follows.
    """

    def _tables(self) -> Sequence[Any]:
        """What people read."""
        raise NotImplementedError

    def _overview(self) -> Sequence[Any]:
        """What `print` and notebooks show, where that is less than everything."""
        return self._tables()

    def _figures(self) -> Any:
        """What machines get, as CSV or as a frame."""
        return self._tables()[0]

    def __str__(self) -> str:
        return written("text", self._overview())

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> Any:
        from rich.console import Group

        from .report.terminal import rich_table

        return Group(*map(rich_table, self._overview()))

    def _repr_html_(self) -> str:
        from .report.formats import to_html

        return "\n".join(map(to_html, self._overview()))

    def to_text(self) -> str:
        """The tables as text."""
        return written("text", self._tables())

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        return written("markdown", self._tables())

    def to_latex(self) -> str:
        """The tables as LaTeX with booktabs."""
        return written("latex", self._tables())

    def to_csv(self) -> str:
        """The figures as CSV at full precision."""
        return written("csv", [self._figures()])

    def to_frame(self, backend: str | None = None) -> Any:
        """The figures as a data frame of the library in use.

        `backend` is "pandas", "polars" or "pyarrow"; by default the one that is loaded already.
        """
        from .report.table import columns_of

        return as_frame(columns_of(self._figures()), backend)


class Archived:
    """An object that is kept as JSON; two are equal if they would be archived alike."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        raise NotImplementedError

    def to_json(self, path: str | Path | None = None) -> str:
        """Everything, at full precision; written to a file too if `path` is given."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        if path is not None:
            from .atomic import write_text

            write_text(path, text)
        return text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Archived) or type(other) is not type(self):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


def written(style: str, tables: Sequence[Any]) -> str:
    """Tables one after the other in a format."""
    from .report.formats import FORMATS

    return "\n".join(map(FORMATS[style], tables))


def as_frame(columns: Mapping[str, list[Any]], backend: str | None = None) -> Any:
    """Columns as a data frame of a library that is installed."""
    import sys

    import narwhals as nw

    known = ("pandas", "polars", "pyarrow")
    if backend is not None and backend not in known:
        raise InputError(f"backend={backend!r} is not known; it is one of {', '.join(known)}.")
    loaded = [name for name in known if name in sys.modules]
    choices: list[Any] = [backend] if backend else [*loaded, *known]
    for name in choices:
        try:
            return nw.from_dict(dict(columns), backend=name).to_native()
        except ImportError:
            continue
    raise InputError(f"No data-frame library is installed; install one of {', '.join(known)}.")
