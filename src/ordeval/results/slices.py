"""Scores of slices: which differ, the gap between them, the worst one, and the drift."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from ..errors import require_known
from ..measures.spec import Measure, parse_measure
from ..types import Floats, Ints
from .estimate import Estimate


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Slice(Estimate):
    """The score of a system on a slice under one measure, with its interval; an `Estimate`.

    Parameters
    ----------
    measure : Measure
        The measure.
    system : str
        The system.
    column, name : str
        The column that divides the data, and the slice.
    items : float
        The number of items; with weights, the effective one.
    difference : Estimate
        The score minus that on all other items, with a simultaneous interval.
    p : float
        The p-value of the difference, corrected for the number of slices.
    may_be_worst : bool
        Whether no other slice is significantly worse.
    """

    measure: Measure
    system: str
    column: str
    name: str
    items: float
    difference: Estimate
    p: float = nan
    may_be_worst: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SliceGap(Estimate):
    """The best slice of a column minus the worst one under one measure; an `Estimate`.

    Parameters
    ----------
    measure : Measure
        The measure.
    system : str
        The system.
    column : str
        The column that divides the data.
    alike : float
        The p-value of the test that all slices have one score.
    worst : str
        The slice with the worst score.
    worst_score : Estimate
        Its score, with an interval that allows for its having been picked.
    candidates : int
        The number of slices that may be the worst one.
    slope : Estimate
        For slices in order, the change of the score with every step, month, day or unit.
    slope_p : float
        The p-value of the test that there is none.
    unit : str
        What a step is; empty if the slices have no order.
    """

    measure: Measure
    system: str
    column: str
    alike: float
    worst: str
    worst_score: Estimate
    candidates: int
    slope: Estimate
    slope_p: float
    unit: str


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SlicePair(Estimate):
    """The score of `first` minus that of `second` on a slice, with its interval; an `Estimate`.

    Parameters
    ----------
    measure : Measure
        The measure.
    first, second : str
        The systems.
    column, name : str
        The column that divides the data, and the slice.
    items : float
        The number of items; with weights, the effective one.
    p : float
        The p-value, corrected for the number of slices of the column and of pairs.
    """

    measure: Measure
    first: str
    second: str
    column: str
    name: str
    items: float
    p: float = nan


@dataclass(frozen=True)
class Slices:
    """Scores of the slices of one or several columns.

    Parameters
    ----------
    measures : tuple of Measure
        The measures.
    systems : tuple of str
        The systems.
    columns, units : tuple of str
        The columns that divide the data, and what a step between the slices of each is; empty if
        they have no order.
    names : tuple of str
        The slices of all columns.
    column : ndarray of int of shape (n_slices,)
        The place of the column of every slice.
    items : ndarray of shape (n_slices,)
        The numbers of items; with weights, the effective ones.
    figures : ndarray of shape (n_measures, n_systems, n_slices, 10)
        Score, interval and standard error; score minus that of all other items, its simultaneous
        interval and standard error; p, corrected for the number of slices of the column; 1 if no
        other slice is significantly worse.
    doubts : ndarray of int of shape (n_measures, n_systems, n_slices)
        For every interval the number of the reason, from 1, why it may cover less than its level.
    reasons : tuple of str
        The reasons.
    overall : ndarray of shape (n_measures, n_systems, n_columns, 11)
        The gap of a column and its interval; p of the test that all slices have one score; the
        place of the worst slice, -1 without, and the interval of its score; the slope, its interval
        and p.
    trials : int
        The number of draws of all tests of slices.
    firsts, seconds : tuple of str
        The systems of every pair that was compared on slices.
    paired : ndarray of shape (n_measures, n_pairs, n_slices, 5)
        The difference of a pair, its simultaneous interval and standard error, and p, corrected for
        the number of slices of the column and of pairs.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold, pred, sex = [1, 2, 3, 3] * 5, [1, 2, 3, 2] * 5, ["f", "m"] * 10
    >>> slices = oe.evaluate(gold, pred, labels=[1, 2, 3], measures="mae", by=sex).slices
    >>> [(row.name, row.items, row.value) for row in slices.rows("mae")]
    [('f', 10.0, 0.0), ('m', 10.0, 0.5)]
    """

    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    units: tuple[str, ...]
    names: tuple[str, ...]
    column: Ints
    items: Floats
    figures: Floats
    doubts: Ints
    reasons: tuple[str, ...]
    overall: Floats
    trials: int
    firsts: tuple[str, ...]
    seconds: tuple[str, ...]
    paired: Floats

    def reordered(self, systems: Sequence[str]) -> "Slices":
        """Return the slices with the systems in another order.

        Parameters
        ----------
        systems : sequence of str
            All systems.

        Returns
        -------
        Slices
            The same figures.
        """
        places = [self.systems.index(system) for system in systems]
        names = ("figures", "doubts", "overall")
        arrays: dict[str, Any] = {name: getattr(self, name)[:, places] for name in names}
        return replace(self, systems=tuple(systems), **arrays)

    def rows(
        self, measure: str | Measure | None = None, system: str | None = None
    ) -> tuple[Slice, ...]:
        """Return the slices under one measure.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the first one by default.
        system : str, optional
            The system; all by default.

        Returns
        -------
        tuple of Slice
            One row per system and slice, in the order of columns and slices.
        """
        i, reasons = self._row(measure), ("", *self.reasons)

        def row(s: int, g: int) -> Slice:
            value, low, high, se, *rest, p, worst = self.figures[i, s, g].tolist()
            of = {**self._place(i, g), "system": self.systems[s], "difference": Estimate(*rest)}
            doubt = reasons[self.doubts[i, s, g]]
            return Slice(value, low, high, se, doubt, **of, p=p, may_be_worst=worst == 1)

        return tuple(row(s, g) for s in self._places(system) for g in range(len(self.names)))

    def gaps(
        self, measure: str | Measure | None = None, system: str | None = None
    ) -> tuple[SliceGap, ...]:
        """Return gap, worst slice and drift of every column under one measure.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the first one by default.
        system : str, optional
            The system; all by default.

        Returns
        -------
        tuple of SliceGap
            One row per system and column.
        """
        i = self._row(measure)

        def row(s: int, d: int) -> SliceGap:
            figures = self.overall[i, s, d].tolist()
            worst, candidates = int(figures[4]), self.figures[i, s, self.column == d, 9]
            score = float(self.figures[i, s, worst, 0]) if worst >= 0 else nan
            doubt = ("", *self.reasons)[self.doubts[i, s, worst]] if worst >= 0 else ""
            return SliceGap(
                *figures[:3],
                measure=self.measures[i],
                system=self.systems[s],
                column=self.columns[d],
                alike=figures[3],
                worst=self.names[worst] if worst >= 0 else "",
                worst_score=Estimate(score, figures[5], figures[6], doubt=doubt),
                candidates=int(np.nansum(candidates)),
                slope=Estimate(*figures[7:10]),
                slope_p=figures[10],
                unit=self.units[d],
            )

        return tuple(row(s, d) for s in self._places(system) for d in range(len(self.columns)))

    def pairs(
        self, measure: str | Measure | None = None, system: str | None = None
    ) -> tuple[SlicePair, ...]:
        """Return the differences of systems on every slice under one measure.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the first one by default.
        system : str, optional
            A system whose pairs are wanted; all by default.

        Returns
        -------
        tuple of SlicePair
            One row per pair and slice.

        Examples
        --------
        >>> import ordeval as oe
        >>> gold, by = [1, 2, 3, 3] * 10, ["f", "m"] * 20
        >>> systems = {"old": [1, 2, 3, 2] * 10, "new": [1, 2, 2, 3] * 10}
        >>> result = oe.compare(gold, systems, "mae", labels=[1, 2, 3], by=by, against="old")
        >>> [(row.first, row.name, row.value) for row in result.slices.pairs()]
        [('new', 'f', 0.5), ('new', 'm', -0.5)]
        """
        i = self._row(measure)

        def row(k: int, g: int) -> SlicePair:
            *figures, p = self.paired[i, k, g].tolist()
            of = {**self._place(i, g), "first": self.firsts[k], "second": self.seconds[k]}
            return SlicePair(*figures, **of, p=p)

        chosen = {self.systems[s] for s in self._places(system)}
        pairs = enumerate(zip(self.firsts, self.seconds, strict=True))
        kept = [k for k, names in pairs if chosen.intersection(names)]
        return tuple(row(k, g) for k in kept for g in range(len(self.names)))

    def _place(self, measure: int, part: int) -> dict[str, Any]:
        """Return what rows say about a slice under a measure, besides figures."""
        column, items = self.columns[self.column[part]], float(self.items[part])
        name = self.names[part]
        return {"measure": self.measures[measure], "column": column, "name": name, "items": items}

    def _row(self, measure: str | Measure | None) -> int:
        named = self.measures[0] if measure is None else parse_measure(measure)
        require_known("measure", str(named), [*map(str, self.measures)], "measure")
        return self.measures.index(named)

    def _places(self, system: str | None) -> list[int]:
        if system is None:
            return [*range(len(self.systems))]
        require_known("system", system, self.systems, "system")
        return [self.systems.index(system)]
