"""What lets objects print and export themselves.

What an object looks like is decided in `ordeval.report`. The hooks at the end of this module are
the only places where an object reaches for it, and it is loaded on first use.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    from .measures.spec import Measure

FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


class Displayable:
    """An object that is shown as tables: in a terminal, a notebook or a document."""

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(self._shown("html"))

    def to_text(self, what: str | None = None, measure: "str | Measure | None" = None) -> str:
        """Return tables as aligned text that fits the terminal, or else 80 columns.

        Parameters
        ----------
        what : str, optional
            The table, such as "pairs"; a wrong name lists them. The main ones by default.
        measure : str or Measure, optional
            The measure of a result by measure; the primary one by default.

        Returns
        -------
        str
            The text.
        """
        return str(self._shown("text", what, measure))

    def to_markdown(self, what: str | None = None, measure: "str | Measure | None" = None) -> str:
        """Return tables as Markdown.

        Parameters
        ----------
        what : str, optional
            The table; see `to_text`.
        measure : str or Measure, optional
            The measure; see `to_text`.

        Returns
        -------
        str
            The text.
        """
        return str(self._shown("markdown", what, measure))

    def to_latex(
        self,
        what: str | None = None,
        measure: "str | Measure | None" = None,
        *,
        caption: str | None = None,
        label: str | None = None,
        digits: int | None = None,
        columns: Sequence[str] | None = None,
    ) -> str:
        r"""Return tables as LaTeX with booktabs, which compile as they are.

        Names from data are escaped. Notes on the data and the signature are comments. With any of
        the options below there is one table: `what`, or the first one.

        Parameters
        ----------
        what : str, optional
            The table; see `to_text`.
        measure : str or Measure, optional
            The measure; see `to_text`.
        caption : str, optional
            The caption, in LaTeX; the title of the table by default.
        label : str, optional
            The label for ``\\ref``; "tab:" and the name of the table by default.
        digits : int, optional
            Decimals of all numbers but counts and p; by default those that intervals bear out.
        columns : sequence of str, optional
            The columns, in this order; all by default.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import ordeval as oe
        >>> systems = {"a_1": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
        >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3], measures="qwk")
        >>> text = result.to_latex(digits=2, columns=["system", "score"])
        >>> print("\n".join(text.splitlines()[-6:-3]))
        a\_1 & \textbf{0.86 {[}$-$0.24, 1.00{]}} \\
        b & $-$0.29 {[}$-$0.88, 0.80{]} \\
        \bottomrule
        """
        table = {"caption": caption, "label": label, "digits": digits, "columns": columns}
        return str(self._shown("latex", what, measure, **table))

    def to_csv(self, what: str | None = None, measure: "str | Measure | None" = None) -> str:
        """Return a table as CSV at full precision.

        Parameters
        ----------
        what : str, optional
            The table; all figures by default. See `to_text`.
        measure : str or Measure, optional
            The measure; see `to_text`.

        Returns
        -------
        str
            The text.
        """
        return str(self._shown("csv", what, measure))

    def to_frame(
        self,
        what: str | None = None,
        backend: str | None = None,
        *,
        measure: "str | Measure | None" = None,
    ) -> Any:
        """Return the figures as a data frame.

        The column "measure" has the name under which a measure was asked for, such as "qwk", and
        "specification" its full name, such as "kappa(weights='quadratic')".

        Parameters
        ----------
        what : str, optional
            The table; all figures by default. Of a `Result`, "scores", the default, has one row per
            measure and system, "pairs" one per measure and pair that was compared, "topics" one per
            measure, system and topic with the number of items of the topic, and "classes" one per
            system and class. The name of a library may be given here instead.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the data frame. By default the first of these that is loaded already,
            else the first that is installed.
        measure : str or Measure, optional
            The measure; all of them by default.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The figures, a column for each.

        Examples
        --------
        >>> import ordeval as oe
        >>> systems = {"a": [1, 2, 3, 3], "b": [1, 2, 2, 1]}
        >>> topics = ["s", "s", "t", "t"]
        >>> result = oe.compare([1, 2, 3, 3], systems, labels=[1, 2, 3], topic=topics)
        >>> result.to_frame("topics", "pandas", measure="mae")[["system", "topic", "score"]]
          system topic  score
        0      a     s    0.0
        1      a     t    0.0
        2      b     s    0.0
        3      b     t    1.5
        """
        if what in FRAME_LIBRARIES:
            what, backend = None, what
        return self._shown("frame", what, measure, backend=backend)

    def _shown(self, style: str, what: Any = None, measure: Any = None, **options: Any) -> Any:
        return show(self, style, what, self._measure_named(measure), **options)

    def _measure_named(self, measure: Any) -> Any:
        """Return the measure as it is named in the object."""
        if measure is not None:
            raise InputError(
                f"{type(self).__name__} is not a result by measure.", parameter="measure"
            )


def show(obj: Any, style: str, *place: Any, **options: Any) -> Any:
    """Return an object as a page, a table, a frame or text: see `ordeval.report.present.show`."""
    from .report import present

    return present.show(obj, style, *place, **options)


def load_kinds() -> None:
    """Import the part of the package whose findings can be stored besides results."""
    from . import meta  # noqa: F401
