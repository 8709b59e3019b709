"""Scores of slices: which differ, the gap between them, the worst one, and the drift."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import nan
from typing import Any

from ..measures.spec import Measure
from ..types import Floats, Ints
from .estimate import Estimate
from .intervals import Intervals


@dataclass(frozen=True)
class SliceIntervals(Intervals):
    """Intervals of the scores of slices: arrays of shape (n_measures, n_systems, n_slices)."""


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


@dataclass(frozen=True)
class Slices:
    """Scores of the slices of one or several columns.

    Parameters
    ----------
    measures : tuple of Measure
        The measures.
    systems : tuple of str
        The systems.
    columns : tuple of str
        The columns that divide the data.
    units : tuple of str
        What a step between the slices of a column is; empty if they have no order.
    names : tuple of str
        The slices of all columns.
    column : ndarray of int of shape (n_slices,)
        The place of the column of every slice.
    items : ndarray of shape (n_slices,)
        The numbers of items; with weights, the effective ones.
    value : ndarray of shape (n_measures, n_systems, n_slices)
        The scores.
    intervals : SliceIntervals, optional
        Their intervals.
    difference : ndarray of shape (n_measures, n_systems, n_slices, 4)
        The score minus that of all other items, its simultaneous interval and standard error.
    p : ndarray of shape (n_measures, n_systems, n_slices)
        p-values of the differences, corrected for the number of slices of a column.
    candidate : ndarray of int of shape (n_measures, n_systems, n_slices)
        1 for slices that may be the worst one of their column.
    gap : ndarray of shape (n_measures, n_systems, n_columns, 3)
        The best score minus the worst, and its interval.
    alike : ndarray of shape (n_measures, n_systems, n_columns)
        p-values of the test that all slices have one score.
    worst : ndarray of int of shape (n_measures, n_systems, n_columns)
        The place of the worst slice; -1 without.
    worst_ends : ndarray of shape (n_measures, n_systems, n_columns, 2)
        The interval of its score, corrected for its having been picked.
    slope : ndarray of shape (n_measures, n_systems, n_columns, 4)
        For slices in order, the slope of the scores, its interval and p.
    trials : int
        The number of draws of all tests.

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
    value: Floats
    intervals: SliceIntervals | None
    difference: Floats
    p: Floats
    candidate: Ints
    gap: Floats
    alike: Floats
    worst: Ints
    worst_ends: Floats
    slope: Floats
    trials: int

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

        def moved(held: Any) -> dict[str, Any]:
            arrays = {f.name: getattr(held, f.name) for f in fields(held)}
            return {n: x[:, places] for n, x in arrays.items() if getattr(x, "ndim", 0) > 1}

        how = None if self.intervals is None else replace(self.intervals, **moved(self.intervals))
        return replace(self, systems=tuple(systems), intervals=how, **moved(self))

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
        i, m = self._row(measure)
        return tuple(
            self._slice(i, s, g, m) for s in self._places(system) for g in range(len(self.names))
        )

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
        i, m = self._row(measure)
        return tuple(
            self._gap(i, s, d, m) for s in self._places(system) for d in range(len(self.columns))
        )

    def _row(self, measure: str | Measure | None) -> tuple[int, Measure]:
        from ..measures.spec import parse_measure

        named = self.measures[0] if measure is None else parse_measure(measure)
        i = self.measures.index(named)
        return i, self.measures[i]

    def _places(self, system: str | None) -> list[int]:
        return [i for i, name in enumerate(self.systems) if system in (None, name)]

    def _slice(self, i: int, s: int, g: int, measure: Measure) -> Slice:
        at = i, s, g
        value, low, high, se = map(float, self.difference[at])
        return Slice(
            float(self.value[at]),
            *(() if self.intervals is None else self.intervals.at(*at)),
            measure=measure,
            system=self.systems[s],
            column=self.columns[int(self.column[g])],
            name=self.names[g],
            items=float(self.items[g]),
            difference=Estimate(value, low, high, se),
            p=float(self.p[at]),
            may_be_worst=bool(self.candidate[at]),
        )

    def _gap(self, i: int, s: int, d: int, measure: Measure) -> SliceGap:
        at, worst = (i, s, d), int(self.worst[i, s, d])
        slope, slope_low, slope_high, slope_p = map(float, self.slope[at])
        score = nan if worst < 0 else float(self.value[i, s, worst])
        return SliceGap(
            *map(float, self.gap[at]),
            measure=measure,
            system=self.systems[s],
            column=self.columns[d],
            alike=float(self.alike[at]),
            worst="" if worst < 0 else self.names[worst],
            worst_score=Estimate(score, *map(float, self.worst_ends[at])),
            candidates=int(self.candidate[i, s, self.column == d].sum()),
            slope=Estimate(slope, slope_low, slope_high),
            slope_p=slope_p,
            unit=self.units[d],
        )
