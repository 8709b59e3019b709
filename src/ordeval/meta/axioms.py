"""Which axioms does a measure satisfy? A search for counter-examples.

Every small case is tried, then seeded random larger ones. A cell of the resulting table says
"holds in all so many cases tried", or "fails" with the smallest counter-example found. A search
cannot prove that an axiom holds; a counter-example proves that it does not.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.display import Displayable, Serialisable
from ordeval.errors import InputError, did_you_mean
from ordeval.scoring import read_measures
from ordeval.spec import Measure, measures
from ordeval.stats.resample import as_seed, stream

from .axiom_kinds import AXIOMS, SMALL_EFFORT, Axiom, Effort
from .cases import Cases, Floats

# Scores that differ by less differ by rounding alone.
TOLERANCE = 1e-12
AXIOMS_FORMAT = "ordeval-axioms-1"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Judged:
    """The class values of a scale, gold, what a system says, and its score.

    `gold` and `system` hold a label for every item, or for quantification a mass for every class.
    """

    scale: tuple[float, ...]
    gold: tuple[float, ...]
    system: tuple[float, ...]
    score: float


@dataclass(frozen=True)
class CounterExample:
    """Two scores that break an axiom, and what the axiom asks of them.

    `wanted` is "above" (the first must be better), "equal", or "apart" (these and others like
    them must not all score alike). `better` is the measure's direction, "higher" or "lower".
    """

    first: Judged
    second: Judged
    wanted: str
    better: str

    def lines(self) -> tuple[str, ...]:
        """The counter-example for people: two systems with gold, two scores, what was wanted."""
        rows = []
        for name, judged in (("first", self.first), ("second", self.second)):
            parts = ("scale", judged.scale), ("gold", judged.gold), ("system", judged.system)
            shown = [f"{what} ({' '.join(f'{x:.4g}' for x in row)})" for what, row in parts]
            rows.append(f"{name}: {', '.join(shown)}, score {judged.score:.6g}")
        wish = {
            "above": f"the first should score better ({self.better} is better)",
            "equal": "both should score the same",
            "apart": "such systems should be defined and not all score the same",
        }
        return (*rows, wish[self.wanted])


@dataclass(frozen=True)
class AxiomResult:
    """What a search found for one measure and one axiom.

    Attributes
    ----------
    holds : True when no case tried breaks the axiom, None when no case has scores to compare.
    cases : cases tried, up to the counter-example's size if there is one.
    undefined : further cases in which a score does not exist, so that nothing can be said.
    counter_example : the smallest found, or None.
    """

    measure: str
    axiom: str
    holds: bool | None
    cases: int
    undefined: int
    counter_example: CounterExample | None

    @property
    def words(self) -> str:
        """One line: holds in so many cases, or fails."""
        if self.holds is None:
            return f"undefined in all {self.undefined:,} cases tried"
        if self.holds:
            return f"holds in all {self.cases:,} cases tried"
        return f"fails ({self.cases:,} cases tried)"


@dataclass(frozen=True, eq=False, repr=False)
class AxiomTable(Displayable, Serialisable):
    """Results of a search, measures × axioms.

    Attributes
    ----------
    measures : names.
    axioms : the axioms searched.
    results : `results[m][a]`.
    effort : how far the search went.
    """

    measures: tuple[str, ...]
    axioms: tuple[Axiom, ...]
    results: tuple[tuple[AxiomResult, ...], ...]
    effort: Effort
    seed: int

    @property
    def holds(self) -> NDArray[np.bool_]:
        """`[M, A]`, True where an axiom holds in all cases tried."""
        return np.array(
            [[bool(cell.holds) for cell in row] for row in self.results], dtype=np.bool_
        )

    def of(self, measure: str, axiom: str) -> AxiomResult:
        """One cell."""
        places = [a.id for a in self.axioms]
        if measure not in self.measures or axiom not in places:
            raise InputError(f"There is no result for {measure!r} and {axiom!r} in this table.")
        return self.results[self.measures.index(measure)][places.index(axiom)]

    def satisfied(self, measure: str) -> tuple[str, ...]:
        """The axioms that a measure satisfies in all cases tried."""
        row = self.results[self.measures.index(measure)]
        return tuple(cell.axiom for cell in row if cell.holds)

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import axioms_table

        return [axioms_table(self)]

    def _figures(self) -> Any:
        from ordeval.report.meta_tables import cases_table

        return cases_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        from .archive import plain

        return {"format": AXIOMS_FORMAT, **plain(self)}


def search_axioms(
    chosen: str | Measure | Iterable[str | Measure] | None = None,
    axioms: Iterable[str] | None = None,
    *,
    task: str = "classification",
    effort: Effort | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> AxiomTable:
    """Look for counter-examples to axioms.

    Parameters
    ----------
    chosen : measures, all of the task by default.
    axioms : ids, all of the task by default; see `axioms_of`.
    task : "classification" or "quantification".
    effort : how far to search. Measures that cannot be scored in batches get `SMALL_EFFORT`.
    rng : seed of the random cases.
    progress : called as ``progress(done, total)`` after every axiom.
    """
    found = tuple(measures(task)) if chosen is None else read_measures(chosen)
    wanted = _read_axioms(axioms, task)
    other = [str(m) for m in found if m.record.task != task]
    if other:
        raise InputError(f"{', '.join(other)}: not for {task}; search them by themselves.")
    effort, seed = effort or Effort(), as_seed(rng)
    columns: list[dict[str, AxiomResult]] = []
    for axiom in wanted:
        batched = [m for m in found if m.record.batched]
        single = [m for m in found if not m.record.batched]
        column = _search(axiom, batched, effort, seed)
        columns.append(column | _search(axiom, single, SMALL_EFFORT, seed))
        if progress is not None:
            progress(len(columns), len(wanted))
    names = tuple(str(m) for m in found)
    rows = tuple(tuple(column[name] for column in columns) for name in names)
    return AxiomTable(names, wanted, rows, effort, seed)


# What the package calls it: `ordeval.meta.axioms(...)`.
axioms = search_axioms


def axioms_of(task: str | None = None) -> tuple[Axiom, ...]:
    """The axioms of a task, or all."""
    return tuple(a for a in AXIOMS if task in (None, a.task))


def _read_axioms(given: Iterable[str] | None, task: str) -> tuple[Axiom, ...]:
    known = {axiom.id: axiom for axiom in axioms_of(task)}
    if not known:
        raise InputError(f'task={task!r} is not known; "classification" or "quantification".')
    if given is None:
        return tuple(known.values())
    ids = (given,) if isinstance(given, str) else tuple(given)
    for id in ids:
        if id not in known:
            raise InputError(
                f"There is no axiom {id!r} for {task}; there are {', '.join(known)}."
                f"{did_you_mean(id, known)}"
            )
    return tuple(known[id] for id in ids)


@dataclass
class _Tally:
    """What is known so far about one measure."""

    measure: Measure
    cases: int = 0
    undefined: int = 0
    counter_example: CounterExample | None = None
    latest: tuple[Floats, Floats] | None = None

    def scores(self, points: Floats) -> Floats:
        """Scores `[T]` of points; kept, as cases that follow each other often share the points."""
        if self.latest is None or self.latest[0] is not points:
            self.latest = points, _score(self.measure, points, None)
        return self.latest[1]

    def result(self, axiom: str) -> AxiomResult:
        found = self.counter_example
        holds = found is None if self.cases else None
        return AxiomResult(str(self.measure), axiom, holds, self.cases, self.undefined, found)


def _search(
    axiom: Axiom, chosen: list[Measure], effort: Effort, seed: int
) -> dict[str, AxiomResult]:
    """Try all cases, small ones first; a measure is left alone once it fails."""
    tallies = [_Tally(m) for m in chosen]
    alive = list(tallies)
    rng = stream(seed, "axioms", axiom.id)
    for cases in chain(axiom.exhaustive(effort), axiom.random(effort, rng)):
        for tally in alive:
            _try(tally, cases)
        alive = [tally for tally in alive if tally.counter_example is None]
        if not alive:
            break
    return {str(t.measure): t.result(axiom.id) for t in tallies}


def _try(tally: _Tally, cases: Cases) -> None:
    measure = tally.measure
    scores = tally.scores(cases.points)
    if cases.relation == "apart":
        broken, undefined = _not_apart(scores, cases)
        left, right = scores[cases.left], scores[cases.left + cases.right - 1]
    else:
        same = cases.values is None or not measure.record.uses_values
        left = scores[cases.left]
        right = (scores if same else _score(measure, cases.points, cases.values))[cases.right]
        broken, undefined = _breaks(left * measure.sign, right * measure.sign, cases.relation)
    tally.cases += len(cases) - undefined
    tally.undefined += undefined
    if broken.any():
        place = _smallest(cases, np.flatnonzero(broken))
        tally.counter_example = _counter_example(
            cases, place, float(left[place]), float(right[place]), measure
        )


def _score(measure: Measure, points: Floats, values: tuple[float, ...] | None) -> Floats:
    """Scores `[T]` of tables `[T, K, K]` or of distributions `[T, 2, K]`."""
    if not measure.record.batched:
        return np.array([_score_one(measure, tuple(t.ravel()), values) for t in points])
    sides = (points,) if measure.record.task == "classification" else (points[:, 1], points[:, 0])
    return _called(measure, sides, values)


def _called(
    measure: Measure, sides: tuple[Floats, ...], values: tuple[float, ...] | None
) -> Floats:
    numbers = np.asarray(values or range(1, sides[0].shape[-1] + 1), dtype=np.float64)
    return np.asarray(measure.kernel(*sides, numbers), dtype=np.float64)


@lru_cache(maxsize=4096)
def _score_one(
    measure: Measure, cells: tuple[float, ...], values: tuple[float, ...] | None
) -> float:
    """The score of one table; axioms share many, and a programme is solved for each."""
    k = isqrt(len(cells))
    return float(_called(measure, (np.reshape(cells, (k, k)),), values))


def _breaks(left: Floats, right: Floats, relation: str) -> tuple[NDArray[np.bool_], int]:
    """Which cases break the relation, and how many have no score on one side."""
    slack = TOLERANCE * np.maximum(1.0, np.maximum(np.abs(left), np.abs(right)))
    unknown = np.isnan(left) | np.isnan(right)
    gap = left - right
    broken = gap <= slack if relation == "above" else np.abs(gap) > slack
    return broken & ~unknown, int(unknown.sum())


def _not_apart(scores: Floats, cases: Cases) -> tuple[NDArray[np.bool_], int]:
    """Which sets of constant systems all score alike, or not at all."""
    sets = scores[cases.left[:, None] + np.arange(cases.right[0])]
    spread = np.ptp(sets, axis=1)
    return ~(spread > TOLERANCE * np.maximum(1.0, np.abs(sets).max(axis=1))), 0


def _smallest(cases: Cases, broken: NDArray[np.intp]) -> int:
    """The first broken case of the fewest items."""
    return int(broken[np.argmin(cases.points[cases.left[broken]].sum(axis=(1, 2)))])


def _counter_example(
    cases: Cases, place: int, left: float, right: float, measure: Measure
) -> CounterExample:
    first = cases.points[cases.left[place]]
    last = cases.right[place]
    second = cases.points[cases.left[place] + last - 1 if cases.relation == "apart" else last]
    plain = tuple(range(1, first.shape[-1] + 1))
    scales = plain, cases.values or plain
    if measure.record.task == "quantification":
        sides = _masses(first, scales[0], left), _masses(second, scales[1], right)
    else:
        sides = _labels(first, second, scales, (left, right))
    return CounterExample(*sides, cases.relation, measure.better)


def _masses(point: Floats, scale: tuple[float, ...], score: float) -> Judged:
    return Judged(scale, tuple(map(float, point[1])), tuple(map(float, point[0])), score)


def _labels(
    first: Floats,
    second: Floats,
    scales: tuple[tuple[float, ...], tuple[float, ...]],
    scores: tuple[float, float],
) -> tuple[Judged, Judged]:
    """Label vectors of two tables; items that both treat alike stand in the same place."""
    shared = np.minimum(first, second)
    sides = []
    for table, names, score in zip((first, second), scales, scores, strict=True):
        cells = [*_cells(shared), *_cells(table - shared)]
        gold = tuple(names[g] for g, _ in cells)
        sides.append(Judged(names, gold, tuple(names[p] for _, p in cells), score))
    return sides[0], sides[1]


def _cells(table: Floats) -> list[tuple[int, int]]:
    """The (gold, predicted) classes of every item of a table."""
    return [(int(g), int(p)) for g, p in np.argwhere(table > 0) for _ in range(int(table[g, p]))]
