"""What lets objects print and export themselves.

What an object looks like is decided in `ordeval.report`. The hooks at the end of this module are
the only places where an object reaches for it, and it is loaded on first use.
"""

from types import ModuleType
from typing import Any

FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


class Displayable:
    """An object that is shown as tables: in a terminal, a notebook or a document."""

    def __str__(self) -> str:
        return self._written("text")

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> Any:
        return _presentation().for_terminal(self)

    def _repr_html_(self) -> str:
        return self._written("html")

    def to_text(self) -> str:
        """Return the tables as aligned text that fits the terminal, or else 80 columns.

        Returns
        -------
        str
            The text.
        """
        return self._written("text")

    def to_markdown(self) -> str:
        """Return the tables as Markdown.

        Returns
        -------
        str
            The text.
        """
        return self._written("markdown")

    def to_latex(self) -> str:
        """Return the tables as LaTeX with booktabs.

        Returns
        -------
        str
            The text.
        """
        return self._written("latex")

    def to_csv(self) -> str:
        """Return the figures as CSV at full precision.

        Returns
        -------
        str
            The text.
        """
        return self._written("csv")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the figures as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the data frame. By default the first of these that is loaded already,
            else the first that is installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The figures, a column for each.
        """
        return self._framed(backend)

    def _framed(self, backend: str | None, **selection: Any) -> Any:
        return _presentation().frame_of(self, backend, **selection)

    def _shown(self, **selection: Any) -> Any:
        return _presentation().table_of(self, **selection)

    def _written(self, style: str, **selection: Any) -> str:
        return str(_presentation().written_as(style, self, **selection))


def page_of(obj: Any, command: str | None) -> str:
    """Return the page of an object; `command` is the command line that made it."""
    return str(_presentation().page_of(obj, command=command))


def summary_of(obj: Any) -> str:
    """Return what an object says as paragraphs of plain text."""
    return str(_presentation().summary_of(obj))


def load_kinds() -> None:
    """Import the part of the package whose findings can be stored besides results."""
    from . import meta  # noqa: F401


def _presentation() -> ModuleType:
    from .report import present

    return present
