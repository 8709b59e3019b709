"""Which axioms does a measure satisfy? A search for counter-examples.

All small cases are tried first, then seeded random larger ones. The outcome for a measure and an
axiom is "holds in all cases tried", or "fails" with the smallest counter-example found. A search
cannot prove that an axiom holds; a counter-example proves that it does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Unpack

import numpy as np

from ordeval.errors import InputError, check_choice
from ordeval.measures.registry import Task
from ordeval.measures.scoring import MeasuresLike, check_task, read_measures
from ordeval.measures.spec import Measure
from ordeval.measures.spec import measures as all_measures
from ordeval.options import RandomOptions, takes
from ordeval.results import Finding
from ordeval.stats.resample import as_seed, stream
from ordeval.types import Bools, Codes, Floats

from .axiom_cases import SMALL_EFFORT, Axiom, Cases, Effort, Relation, axioms_of, cases_of
from .score_matrices import place_of

# Scores that differ by less than this differ by rounding only.
TOLERANCE = 1e-12
ClassValues = tuple[float, ...]


@dataclass(frozen=True)
class ScoredExample:
    """Gold, the answers of a system, and its score.

    `scale` holds the class values; `gold` and `system` a label for each item, or for quantification
    a mass for each class.
    """

    scale: ClassValues
    gold: tuple[float, ...]
    system: tuple[float, ...]
    score: float


@dataclass(frozen=True)
class CounterExample:
    """Two scores that violate an axiom, the relation that it requires, and what is better."""

    first: ScoredExample
    second: ScoredExample
    wanted: Relation
    better: str

    def lines(self) -> tuple[str, ...]:
        """Return the two systems with their scores, and what the axiom requires, as text."""
        rows = []
        for name, example in (("first", self.first), ("second", self.second)):
            parts = ("scale", example.scale), ("gold", example.gold), ("system", example.system)
            shown = [f"{what} ({' '.join(f'{x:.4g}' for x in row)})" for what, row in parts]
            rows.append(f"{name}: {', '.join(shown)}, score {example.score:.6g}")
        required = {
            "above": f"the first should score better ({self.better} is better)",
            "equal": "both should score the same",
            "apart": "such systems should have defined scores that are not all the same",
        }
        return (*rows, required[self.wanted])


@dataclass(frozen=True)
class AxiomResult:
    """The outcome of the search for one measure and one axiom.

    `holds` is True if no case tried violates the axiom, None if no case has scores to compare.
    `cases` were tried, up to the size of the counter-example if there is one; `undefined` further
    ones have no defined score and decide nothing.
    """

    measure: str
    axiom: str
    holds: bool | None
    cases: int
    undefined: int
    counter_example: CounterExample | None

    @property
    def outcome(self) -> str:
        """The outcome and the number of cases as text."""
        if self.holds is None:
            return f"undefined in all {self.undefined:,} cases tried"
        if self.holds:
            return f"holds in all {self.cases:,} cases tried"
        return f"fails ({self.cases:,} cases tried)"


@dataclass(frozen=True, eq=False, repr=False)
class AxiomTable(Finding):
    """The outcomes of a search, measures × axioms.

    Parameters
    ----------
    measures : tuple of str
        The measures.
    axioms : tuple of Axiom
        The axioms.
    results : tuple of tuple of AxiomResult
        ``results[m][a]`` is the outcome for measure m and axiom a.
    effort : Effort
        How many cases were tried.
    seed : int
        The seed of the random cases.

    Examples
    --------
    >>> import ordeval as oe
    >>> quick = oe.meta.Effort(items={3: 4}, random_cases=10, random_classes=(3,))
    >>> found = oe.meta.axioms("mae, cem", ["symmetry"], effort=quick)
    >>> found.holds
    array([[ True],
           [False]])
    """

    measures: tuple[str, ...]
    axioms: tuple[Axiom, ...]
    results: tuple[tuple[AxiomResult, ...], ...]
    effort: Effort
    seed: int

    @property
    def holds(self) -> Bools:
        """`[M, A]`, True where an axiom holds in all cases tried."""
        return np.array([[bool(cell.holds) for cell in row] for row in self.results], np.bool_)

    def of(self, measure: str | Measure, axiom: str) -> AxiomResult:
        """Return the outcome for one measure and one axiom.

        Parameters
        ----------
        measure : str or Measure
            One of `measures`, by any of its names.
        axiom : str
            The id of one of `axioms`.

        Returns
        -------
        AxiomResult
            The outcome.
        """
        ids = tuple(a.id for a in self.axioms)
        check_choice("axiom", axiom, ids)
        return self._row(measure)[ids.index(axiom)]

    def satisfied(self, measure: str | Measure) -> tuple[str, ...]:
        """Return the axioms that a measure satisfies in all cases tried.

        Parameters
        ----------
        measure : str or Measure
            One of `measures`, by any of its names.

        Returns
        -------
        tuple of str
            The ids of the axioms.
        """
        return tuple(cell.axiom for cell in self._row(measure) if cell.holds)

    def _row(self, measure: str | Measure) -> tuple[AxiomResult, ...]:
        return self.results[place_of(measure, self.measures)]


@takes(RandomOptions)
def axioms(
    measures: MeasuresLike = None,
    axioms: str | Iterable[str] | None = None,
    *,
    task: Task = "classification",
    effort: Effort | None = None,
    **options: Unpack[RandomOptions],
) -> AxiomTable:
    """Search for counter-examples to axioms.

    Parameters
    ----------
    measures : str, Measure or iterable of these, optional
        The measures; all of the task by default.
    axioms : str or iterable of str, optional
        The ids of axioms (see `axioms_of`); all of the task by default.
    task : {"classification", "quantification"}, default: "classification"
        The kind of the measures.
    effort : Effort, optional
        How many cases to try. Measures that cannot be scored in batches get fewer in any case.
    {options}

    Returns
    -------
    AxiomTable
        Whether each axiom holds for each measure, with counter-examples.

    Examples
    --------
    >>> import ordeval as oe
    >>> quick = oe.meta.Effort(golds={3: 6}, random_cases=10, random_classes=(3,))
    >>> found = oe.meta.axioms("cem, mae", ["imbalance", "order_awareness"], effort=quick)
    >>> found.satisfied("cem"), found.satisfied("mae")
    (('imbalance', 'order_awareness'), ('order_awareness',))
    """
    wanted = _read_axioms(axioms, task)
    chosen = tuple(all_measures(task)) if measures is None else read_measures(measures)
    check_task(chosen, task)
    for m in chosen:
        if any(p.classes and m.params[p.name] is not None for p in m.record.parameters):
            text = f"{m} names classes, and axioms are searched for on scales of several sizes."
            raise InputError(text, parameter="measures", hint="Leave the classes out.")
    effort, seed = effort or Effort(), as_seed(options["rng"])
    batched = [m for m in chosen if m.record.batched]
    single = [m for m in chosen if not m.record.batched]
    columns: list[dict[str, AxiomResult]] = []
    for axiom in wanted:
        column = _search(axiom, batched, effort, seed)
        columns.append(column | _search(axiom, single, SMALL_EFFORT, seed))
        if options["progress"] is not None:
            options["progress"](len(columns), len(wanted))
    names = tuple(m.key for m in chosen)
    rows = tuple(tuple(column[name] for column in columns) for name in names)
    return AxiomTable(names, wanted, rows, effort, seed)


def _read_axioms(given: str | Iterable[str] | None, task: Task) -> tuple[Axiom, ...]:
    check_choice("task", task, ("classification", "quantification"))
    known = {axiom.id: axiom for axiom in axioms_of(task)}
    ids = known if given is None else (given,) if isinstance(given, str) else tuple(given)
    for id in ids:
        check_choice("axioms", id, tuple(known))
    return tuple(known[id] for id in ids)


@dataclass
class _Findings:
    """What is known so far about one measure."""

    measure: Measure
    cases: int = 0
    undefined: int = 0
    counter_example: CounterExample | None = None
    latest: tuple[Floats, Floats] | None = None

    def scores(self, points: Floats) -> Floats:
        """Return the scores `[T]` of points, kept because successive cases often share them."""
        if self.latest is None or self.latest[0] is not points:
            self.latest = points, _score(self.measure, points, None)
        return self.latest[1]

    def result(self, axiom: str) -> AxiomResult:
        found = self.counter_example
        holds = found is None if self.cases else None
        return AxiomResult(self.measure.key, axiom, holds, self.cases, self.undefined, found)


def _search(
    axiom: Axiom, chosen: list[Measure], effort: Effort, seed: int
) -> dict[str, AxiomResult]:
    """Try all cases, small ones first, and drop a measure once it fails."""
    searched = [_Findings(m) for m in chosen]
    left = list(searched)
    rng = stream(seed, "axioms", axiom.id)
    for cases in cases_of(axiom, effort, rng):
        for one in left:
            _try(one, cases)
        left = [one for one in left if one.counter_example is None]
        if not left:
            break
    return {one.measure.key: one.result(axiom.id) for one in searched}


def _try(found: _Findings, cases: Cases) -> None:
    measure, scores = found.measure, found.scores(cases.points)
    mapped = cases.values is not None and measure.record.uses_values
    left = scores[cases.left]
    right = (_score(measure, cases.points, cases.values) if mapped else scores)[cases.right]
    if cases.relation == "apart":
        broken, undefined = _all_alike(scores, cases), 0
    else:
        broken, undefined = _breaks(left * measure.sign, right * measure.sign, cases.relation)
    found.cases += len(cases) - undefined
    found.undefined += undefined
    if broken.any():
        place = _smallest(cases, np.flatnonzero(broken))
        pair = float(left[place]), float(right[place])
        found.counter_example = _counter_example(cases, place, pair, measure)


def _score(measure: Measure, points: Floats, values: ClassValues | None) -> Floats:
    """Score tables `[T, K, K]` or pairs of distributions `[T, 2, K]`."""
    if not measure.record.batched:
        return np.array([_score_one(measure, tuple(t.ravel()), values) for t in points])
    sides = (points,) if measure.record.task == "classification" else (points[:, 1], points[:, 0])
    return _kernel(measure, sides, values)


@lru_cache(maxsize=4096)
def _score_one(measure: Measure, cells: tuple[float, ...], values: ClassValues | None) -> float:
    """Score one table; axioms share many, and each solves an optimisation problem."""
    k = isqrt(len(cells))
    return float(_kernel(measure, (np.reshape(cells, (k, k)),), values))


def _kernel(measure: Measure, sides: tuple[Floats, ...], values: ClassValues | None) -> Floats:
    numbers = np.asarray(values or range(1, sides[0].shape[-1] + 1), dtype=np.float64)
    return np.asarray(measure.kernel(*sides, numbers), dtype=np.float64)


def _breaks(left: Floats, right: Floats, relation: Relation) -> tuple[Bools, int]:
    """Return which cases violate the relation, and how many have an undefined score."""
    slack = TOLERANCE * np.maximum(1.0, np.maximum(np.abs(left), np.abs(right)))
    unknown = np.isnan(left) | np.isnan(right)
    gap = left - right
    broken = gap <= slack if relation == "above" else np.abs(gap) > slack
    return broken & ~unknown, int(unknown.sum())


def _all_alike(scores: Floats, cases: Cases) -> Bools:
    """Return which sets of points all score the same, or have an undefined score."""
    size = cases.right[0] - cases.left[0] + 1
    sets = scores[cases.left[:, None] + np.arange(size)]
    spread = np.ptp(sets, axis=1)
    return np.asarray(~(spread > TOLERANCE * np.maximum(1.0, np.abs(sets).max(axis=1))))


def _smallest(cases: Cases, broken: Codes) -> int:
    """Return the first violated case with the fewest items."""
    return int(broken[np.argmin(cases.points[cases.left[broken]].sum(axis=(1, 2)))])


def _counter_example(
    cases: Cases, place: int, scores: tuple[float, float], measure: Measure
) -> CounterExample:
    first, second = cases.points[cases.left[place]], cases.points[cases.right[place]]
    plain = tuple(range(1, first.shape[-1] + 1))
    scales = plain, cases.values or plain
    if measure.record.task == "quantification":
        sides = _masses(first, scales[0], scores[0]), _masses(second, scales[1], scores[1])
    else:
        sides = _labels(first, second, scales, scores)
    return CounterExample(*sides, cases.relation, measure.better)


def _masses(point: Floats, scale: ClassValues, score: float) -> ScoredExample:
    return ScoredExample(scale, tuple(map(float, point[1])), tuple(map(float, point[0])), score)


def _labels(
    first: Floats,
    second: Floats,
    scales: tuple[ClassValues, ClassValues],
    scores: tuple[float, float],
) -> tuple[ScoredExample, ScoredExample]:
    """Return two tables as label vectors, items that both treat alike in the same place."""
    shared = np.minimum(first, second)
    sides = []
    for table, names, score in zip((first, second), scales, scores, strict=True):
        cells = [*_cells(shared), *_cells(table - shared)]
        gold = tuple(names[g] for g, _ in cells)
        sides.append(ScoredExample(names, gold, tuple(names[p] for _, p in cells), score))
    return sides[0], sides[1]


def _cells(table: Floats) -> list[tuple[int, int]]:
    """Return the (gold, predicted) classes of each item of a table."""
    return [(int(g), int(p)) for g, p in np.argwhere(table > 0) for _ in range(int(table[g, p]))]
