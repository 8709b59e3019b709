"""Mixins that let objects print and export themselves.

What an object looks like is decided in `ordeval.report`, and how it is stored in
`ordeval.serialise`. The hooks at the end of this module are the only places where an object reaches
for these, and they are loaded on first use.
"""

from types import ModuleType
from typing import Any

from .atomic import write_text
from .types import FilePath

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


class Serialisable:
    """An object that is stored as JSON; two are equal if they are stored alike."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data.

        Returns
        -------
        dict
            Dictionaries, lists, strings and numbers that JSON can hold.
        """
        return dict(_serialisation().to_plain(self))

    def to_json(self, path: FilePath | None = None) -> str:
        """Return everything as JSON at full precision.

        Parameters
        ----------
        path : str or path, optional
            A file to write the text to as well.

        Returns
        -------
        str
            The JSON text, which `ordeval.load` reads back from a file.
        """
        text = str(_serialisation().to_json(self))
        if path is not None:
            write_text(path, text)
        return text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Serialisable) or type(other) is not type(self):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


class Reportable:
    """An object that has a page of its own."""

    def to_html(self, path: FilePath | None = None, *, command: str | None = None) -> str:
        """Return the report as one self-contained HTML page.

        Parameters
        ----------
        path : str or path, optional
            A file to write the page to as well.
        command : str, optional
            The command line to show as the way to repeat the report; made from the settings by
            default.

        Returns
        -------
        str
            The page.
        """
        text = str(_presentation().page_of(self, command=command))
        if path is not None:
            write_text(path, text)
        return text


def _presentation() -> ModuleType:
    from .report import present

    return present


def summarised(obj: Any) -> str:
    """Return what an object says as paragraphs of plain text."""
    return str(_presentation().summary_of(obj))


def _serialisation() -> ModuleType:
    from . import serialise

    return serialise
