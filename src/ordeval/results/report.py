"""The base of results: look-up by measure, export in every format, JSON and equality.

What a result looks like is decided in `ordeval.report`, which the hooks of `ordeval.display` load
on first use.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from ..atomic import write_text
from ..display import Displayable
from ..errors import InputError, quoted, require_known
from ..measures.spec import Measure
from ..notes import Note
from ..types import FilePath, Gate
from .estimate import Estimate
from .gate import parse_conditions, shortfalls
from .serialise import KINDS, to_json, to_plain

_UNSAFE = re.compile(r"[^A-Za-z0-9_./-]+")  # in a prefix, which may have parts of its own
_UNSAFE_PART = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_NAME = 80  # of a system or measure; MLflow takes 250 characters in all

RowT_co = TypeVar("RowT_co", bound=Estimate, covariant=True)
PairT_co = TypeVar("PairT_co", bound=Estimate, covariant=True)


class _SeveralSystems(InputError, AttributeError):
    """One number is asked for where there are several; `hasattr` is then False."""


@dataclass(frozen=True, eq=False, repr=False)
class Figures(Displayable, Generic[RowT_co, PairT_co]):
    """All rows under one measure, best first; what ``result["qwk"]`` gives.

    It is a sequence of rows, each an `Estimate`; a row is found by its name as well:
    ``result["qwk"]["bert"].value``, and a pair by two names: ``result["qwk"]["bert", "svm"]``.
    Where there is only one row, its numbers can be read directly: ``result["qwk"].value`` or
    ``float(result["qwk"])``.

    Parameters
    ----------
    measure : Measure
        The measure.
    names : tuple of str
        The names of the rows.
    rows : tuple of Estimate
        One row per name, best first.
    pair_of : callable
        Returns the row of a pair: ``pair_of(first, second)``.
    pairs_of : callable
        Returns the rows of all pairs.
    level : float
        The level of the intervals; NaN without.
    raw : bool
        Whether the measure was computed from numbers rather than from classes.
    fixed : tuple of str
        The names whose value is 0 by definition, which printing shows without an interval.

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3], measures="qwk, mae")
    >>> qwk = result["qwk"]
    >>> round(qwk["a"].value, 3), qwk["b"].rank, qwk[0].system
    (0.857, 2, 'a')
    >>> round(qwk["a", "b"].value, 3)
    1.143
    """

    measure: Measure
    names: tuple[str, ...]
    rows: tuple[RowT_co, ...]
    pair_of: Callable[[str, str], PairT_co]
    pairs_of: Callable[[], tuple[PairT_co, ...]]
    level: float = nan
    raw: bool = False
    fixed: tuple[str, ...] = ()

    @overload
    def __getitem__(self, which: str | int) -> RowT_co: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[RowT_co, ...]: ...
    @overload
    def __getitem__(self, which: tuple[str, str]) -> PairT_co: ...
    def __getitem__(self, which: Any) -> Any:
        if str(which) in self.names and not isinstance(which, str):
            raise InputError(
                f"{which!r} may be a position or the name {str(which)!r}.",
                parameter="system",
                hint="Give the name as a text, or take a position of `rows`.",
            )
        if isinstance(which, (int, np.integer, slice)):
            return self.rows[which]
        if isinstance(which, tuple) and len(which) == 2:
            return self.pair_of(*which)
        require_known("system", which, self.names, "system")
        return self.rows[self.names.index(which)]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the row of a name.

        Parameters
        ----------
        name : str
            The name of a system, a model or a person.
        default : object
            What to return if there is no such row.

        Returns
        -------
        Estimate
            The row, or `default`.
        """
        return self[name] if name in self.names else default

    @property
    def pairs(self) -> tuple[PairT_co, ...]:
        """The rows of all pairs."""
        return self.pairs_of()

    def __contains__(self, which: object) -> bool:
        return which in self.rows if isinstance(which, Estimate) else which in self.names

    def __iter__(self) -> Iterator[RowT_co]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __float__(self) -> float:
        return self.value

    def _only(self, what: str) -> Any:
        if len(self.rows) != 1:
            example = self.names[0] if self.names else "name"
            raise _SeveralSystems(
                f"There are {len(self.rows)} rows under {self.measure}, each with its own "
                f"{what}: {quoted(self.names)}.",
                parameter="system",
                hint=f"Choose one, as in [{example!r}].{what}.",
            )
        return getattr(self.rows[0], what)

    @property
    def value(self) -> float:
        """The value of the only row."""
        return float(self._only("value"))

    @property
    def low(self) -> float:
        """The lower end of the interval of the only row."""
        return float(self._only("low"))

    @property
    def high(self) -> float:
        """The upper end of the interval of the only row."""
        return float(self._only("high"))

    @property
    def se(self) -> float:
        """The standard error of the only row."""
        return float(self._only("se"))

    @property
    def doubt(self) -> str:
        """Why the interval of the only row may cover less than its level."""
        return str(self._only("doubt"))


class Finding(Displayable):
    """What can be shown, stored as JSON and compared; two are equal if their JSON is."""

    def __init_subclass__(cls, *, stored: bool = True, **options: Any) -> None:
        super().__init_subclass__(**options)
        if stored:
            KINDS[cls.__name__] = cls

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data.

        Returns
        -------
        dict
            Dictionaries, lists, strings and numbers that JSON can hold.
        """
        return to_plain(self)

    @overload
    def to_json(self) -> str: ...

    @overload
    def to_json(self, path: FilePath) -> None: ...

    def to_json(self, path: FilePath | None = None) -> str | None:
        """Return everything as JSON at full precision, or write it to a file.

        Parameters
        ----------
        path : str or path, optional
            A file to write the text to.

        Returns
        -------
        str or None
            The JSON text, which `ordeval.load` reads back from a file; None if it was written.
        """
        return _written(to_json(self), path)

    @overload
    def to_html(self, *, title: str | None = None, command: str | None = None) -> str: ...

    @overload
    def to_html(
        self, path: FilePath, *, title: str | None = None, command: str | None = None
    ) -> None: ...

    def to_html(
        self,
        path: FilePath | None = None,
        *,
        title: str | None = None,
        command: str | None = None,
    ) -> str | None:
        """Return the report as one self-contained HTML page, or write it to a file.

        Parameters
        ----------
        path : str or path, optional
            A file to write the page to.
        title : str, optional
            The title of the page; it says what was done by default.
        command : str, optional
            The command line to show as the way to repeat the report; made from the settings by
            default.

        Returns
        -------
        str or None
            The page; None if it was written.
        """
        return _written(str(self._shown("page", title=title, command=command)), path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Finding) or type(other) is not type(self):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


def _written(text: str, path: FilePath | None) -> str | None:
    """Return a text, or None once it is in a file: notebooks print what calls return."""
    if path is None:
        return text
    write_text(path, text)
    return None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Report(Finding, Generic[RowT_co, PairT_co], stored=False):
    """A result by measure: `Result`, `Agreement` or `Judgement`.

    ``report["qwk"]`` has the figures of a measure, by any of its names; see `Figures`. Iteration
    goes over the measures, ``len(report)`` is their number, and ``"qwk" in report`` says whether a
    measure is among them.

    Parameters
    ----------
    notes : tuple of Note
        What the reader should know about the data and the figures.
    about : mapping
        Where the data came from, and how they were read.
    """

    if TYPE_CHECKING:

        @property
        def measures(self) -> tuple[Measure, ...]: ...

    notes: tuple[Note, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def _reading(self) -> list[str]:
        """How missing labels were recognised and treated, where that is not the default."""
        treated, codes = self.about.get("missing"), self.about.get("na", ())
        parts = [f"missing:{treated}"] if treated else []
        return [*parts, f"na:{','.join(map(str, codes))}"] if codes else parts

    def _figures(self, measure: str | Measure | None) -> Figures[RowT_co, PairT_co]:
        """Return the figures of a measure, the primary one by default."""
        raise NotImplementedError

    def __getitem__(self, measure: str | Measure) -> Figures[RowT_co, PairT_co]:
        return self._figures(measure)

    def get(self, measure: str | Measure, default: Any = None) -> Any:
        """Return the figures of a measure.

        Parameters
        ----------
        measure : str or Measure
            The measure, by any of its names.
        default : object
            What to return if there is no such measure.

        Returns
        -------
        Figures
            The figures, or `default`.
        """
        return self[measure] if measure in self else default  # noqa: SIM401

    def __contains__(self, measure: object) -> bool:
        if not isinstance(measure, (str, Measure)):
            return False
        try:
            self._figures(measure)
        except InputError:
            return False
        return True

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def standings(self, measure: str | Measure | None = None) -> tuple[RowT_co, ...]:
        """Return the rows under one measure, best first.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of Estimate
            One row per system, model or person.
        """
        return self._figures(measure).rows

    def standing(self, name: str, measure: str | Measure | None = None) -> RowT_co:
        """Return one row under one measure.

        Parameters
        ----------
        name : str
            The name of a system, a model or a person.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Estimate
            The row.
        """
        return self._figures(measure)[name]

    def pair(self, first: str, second: str, measure: str | Measure | None = None) -> PairT_co:
        """Return two systems, or raters, under one measure.

        Parameters
        ----------
        first, second : str
            Their names.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Estimate
            The row of the pair.
        """
        return self._figures(measure).pair_of(first, second)

    def table(self, what: str = "main", measure: str | Measure | None = None) -> Any:
        """Return one table, ready for any format.

        Parameters
        ----------
        what : str
            The table: "main", "pairs", or another part of the result; a wrong name lists them.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Section
            A table that prints and exports itself: rows, columns, title and notes.
        """
        return self._shown("table", what, measure)

    def _measure_named(self, measure: str | Measure | None) -> Measure | None:
        return None if measure is None else self._figures(measure).measure

    def summary(self) -> str:
        """Return paragraphs for a paper: answer, method, notes and references.

        Returns
        -------
        str
            Plain text with a line per paragraph.

        Examples
        --------
        >>> import ordeval as oe
        >>> result = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3], measures="qwk")
        >>> print(result.summary()[:19])
        y_pred scores 0.800
        """
        return str(self._shown("sentence"))

    def failures(self, under: str, *, gate: Gate = "interval") -> tuple[str, ...]:
        """Return which conditions are not met: the gate of ``ordeval score --fail-under``.

        Every system must meet them, and an undefined score does not. Of measures whose low scores
        are good, such as mae, the upper end of the interval must not be above the score.

        Parameters
        ----------
        under : str
            Measures and the least good scores that pass, such as "qwk=0.7, mae=0.5".
        gate : {"interval", "point"}
            Whether the worse end of the interval decides, or the score alone.

        Returns
        -------
        tuple of str
            A sentence without a full stop for each failure; empty if all conditions are met.

        Examples
        --------
        >>> import ordeval as oe
        >>> result = oe.evaluate([[40, 8, 2], [9, 30, 6], [1, 7, 22]], measures="qwk")
        >>> result.failures("qwk=0.5")
        ()
        >>> result.failures("qwk=0.7")
        ('quadratic kappa is 0.727, and the lower end of its 95 % interval is 0.597, below 0.7',)
        """
        return tuple(shortfalls(self, parse_conditions(under), gate))

    def metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the figures in a flat dictionary, for experiment trackers.

        The names are accepted by MLflow, Weights & Biases and TensorBoard. A score has the name of
        its measure, its interval adds ".low" and ".high", and where there are several systems a
        name begins with that of the system: "qwk", "qwk.low", "bert/qwk". Undefined figures are
        left out.

        Parameters
        ----------
        prefix : str
            A text to put before every name, such as "test/".

        Returns
        -------
        dict of str to float
            Figures by name.

        Examples
        --------
        >>> import ordeval as oe
        >>> result = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3], measures="qwk")
        >>> list(result.metrics("test/"))
        ['test/qwk', 'test/qwk.low', 'test/qwk.high']
        """
        measures, metrics = self.measures, dict[str, float]()
        safe_measures = safe_names(map(_metric_name, measures))
        for measure, safe in zip(measures, safe_measures, strict=True):
            figures = self._figures(measure)
            names = sorted(figures.names)
            prefixes = dict(zip(names, safe_names(names), strict=True))
            for name, row in zip(figures.names, figures.rows, strict=True):
                start = f"{prefixes[name]}/" if len(names) > 1 else ""
                key = f"{_UNSAFE.sub('_', prefix)}{start}{safe}"
                metrics |= {key: row.value, f"{key}.low": row.low, f"{key}.high": row.high}
        return {key: value for key, value in metrics.items() if not isnan(value)}


def _metric_name(measure: Measure) -> str:
    """Return a name without brackets: the key, else the parameters after an underscore."""
    if measure.key.isidentifier():
        return measure.key
    return "_".join([measure.id, *map(str, measure.record.shown(measure.given).values())])


def safe_names(names: Iterable[str]) -> list[str]:
    """Return names that trackers accept, each of them once; see `Report.metrics`.

    >>> safe_names(["a b", "a/b", "a_b", "系统"])
    ['a_b-2', 'a_b-3', 'a_b', 'x']
    """
    names = list(names)
    short = [_UNSAFE_PART.sub("_", name).strip("_.")[:_LONGEST_NAME] or "x" for name in names]
    taken = {name for name, safe in zip(names, short, strict=True) if name == safe}
    unique = []
    for name, safe in zip(names, short, strict=True):
        number, free = 1, safe
        while name != safe and free in taken:
            number += 1
            free = f"{safe}-{number}"
        taken.add(free)
        unique.append(free)
    return unique
