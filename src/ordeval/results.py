"""Results of `evaluate`, `compare` and `quantify`: figures and names.

A `Result` holds arrays; its tidy views, `standings` (one row per measure and system) and `pairs`
(one row per measure and pair of systems), are what every table, page, export and sentence is made
from.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from string import ascii_lowercase
from typing import Any, TypeVar, overload

import numpy as np

from .counts import constant_predictions
from .display import FRAME_LIBRARIES, Displayable, Reportable, Serialisable, summarised
from .errors import InputError, quoted
from .examples import Examples
from .measures.scoring import Scores, unknown_system
from .measures.spec import Measure, counterpart, parse_measure
from .stats.anova import Anova, letter_groups
from .types import Array, Bools, Floats, Ints

_SAME_SCORE = 1e-12  # scores closer than this differ by rounding only
_UNSAFE = re.compile(r"[^A-Za-z0-9_./-]+")  # in a prefix, which may have parts of its own
_UNSAFE_PART = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_NAME = 80  # of a system or measure; MLflow takes 250 characters in all


@dataclass(frozen=True)
class Intervals:
    """Intervals of scores or of differences.

    Parameters
    ----------
    low, high, se : ndarray of shape (n_measures, n_systems)
        Ends and standard errors. Intervals of differences have the shape
        (n_measures, n_systems, n_systems): the score of the row minus that of the column.
    undefined : ndarray of int
        The number of undefined replicates, which were left out.
    method : str
        "dirichlet", "t" or "percentile".
    level : float
        The confidence level.
    replicates : int
        The number of replicates; for "t", of units.
    over : str
        What was resampled: "items", "topics", "clusters" or "both".
    seed : int
        The seed of all draws.
    doubts : tuple of str
        For every measure why its intervals may cover less than their level on these data; empty
        text where they need not be doubted.
    flat_doubts : tuple of str
        The same for the intervals whose standard error is 0 alone.
    """

    low: Floats
    high: Floats
    se: Floats
    undefined: Ints
    method: str
    level: float
    replicates: int
    over: str
    seed: int
    doubts: tuple[str, ...] = ()
    flat_doubts: tuple[str, ...] = ()

    def doubt(self, row: int, *place: int) -> str:
        """Return why an interval may be doubted; empty text if it need not be.

        Without the place of a system, or of two, the reason is one that holds for all systems.
        """
        whole = self.doubts[row] if self.doubts else ""
        if whole or not place or not self.flat_doubts or self.se[(row, *place)] != 0:
            return whole
        return self.flat_doubts[row]


@dataclass(frozen=True)
class Tests:
    """Tests of all pairs of systems, or of all systems against one.

    Parameters
    ----------
    p : ndarray of shape (n_measures, n_systems, n_systems)
        The p-values, corrected for the number of pairs; NaN for pairs that were not tested.
    difference : ndarray of shape (n_measures, n_systems, n_systems)
        The score of the row minus that of the column.
    effect : ndarray of shape (n_measures, n_systems, n_systems)
        The differences in residual standard deviations; NaN without topics.
    residual_variance : ndarray of shape (n_measures,)
        The residual variance (V_E2) of the two-way analysis of variance.
    trials : int
        The number of random trials, or of all outcomes if these were enumerated.
    alpha : float
        The level below which a difference is called significant.
    seed : int
        The seed of all draws.
    anova : Anova, optional
        The analysis of variance of every measure; None without topics.
    over : {"topics", "clusters", "items"}
        The units that were exchanged.
    units : int
        The number of these units.
    exact : bool
        Whether all outcomes were enumerated.
    against : str
        The system with which the others were compared; empty for all pairs.
    detectable : ndarray of shape (n_measures, n_systems, n_systems), optional
        The smallest difference that the test would have found with a probability of 80 %.
    margin : float
        The margin of equivalence; NaN without.
    inner_low, inner_high : ndarray of shape (n_measures, n_systems, n_systems), optional
        The interval of every difference at the level 1 − 2·alpha, which decides on equivalence.
    normal : bool
        Whether p-values are those of t tests, from the influence of items on the differences,
        instead of exchanges.
    """

    p: Floats
    difference: Floats
    effect: Floats
    residual_variance: Floats
    trials: int
    alpha: float
    seed: int
    anova: Anova | None = None
    over: str = "topics"
    units: int = 0
    exact: bool = False
    against: str = ""
    detectable: Floats | None = None
    margin: float = nan
    inner_low: Floats | None = None
    inner_high: Floats | None = None
    normal: bool = False

    @property
    def name(self) -> str:
        """The test in words."""
        if self.normal:
            return f"paired t tests over {self.over}, step-down max-T"
        return f"step-down max-T, {'all' if self.exact else 'random'} exchanges of {self.over}"

    @property
    def short_name(self) -> str:
        """The test in a signature."""
        against = f",against {self.against}" if self.against else ""
        if self.normal:
            return f"maxt-t-{self.over},{self.trials}{against}"
        return f"maxt-{self.over},{'exact' if self.exact else self.trials}{against}"


@dataclass(frozen=True)
class SharesCheck:
    """Whether labelled items are a random part of all, by the classes that somebody gave them.

    Parameters
    ----------
    column : str
        Whose classes: the judge's, those of a system, or "systems" for all of them.
    statistic : float
        χ² by the likelihood ratio, of labelled and of other items.
    df : int
        Its degrees of freedom.
    p : float
        The p-value.
    labelled, others : tuple of float
        The share of each class among the labelled items, and among the others. Where items were
        labelled at different rates, the share that these lead to.
    differs_from : str, optional
        Where differences are compared instead of classes: the judge, from whose class that of the
        system is −(K − 1) to K − 1 classes away, or "systems", whose highest and lowest class are
        0 to K − 1 classes apart.
    """

    column: str
    statistic: float
    df: int
    p: float
    labelled: tuple[float, ...]
    others: tuple[float, ...]
    differs_from: str = ""


@dataclass(frozen=True)
class JudgeLabels:
    """What the labels of a judge on all items added to gold labels of some.

    Parameters
    ----------
    name : str
        The judge.
    labelled, items : int
        The number of items with a gold label, and of all items.
    weight : ndarray of shape (n_measures, n_systems)
        λ of every score: 0 for gold labels alone, 1 for the whole correction.
    worth : ndarray of shape (n_measures, n_systems)
        The number of gold labels that would make the interval as short without the judge.
    unusable : ndarray of int of shape (n_measures, n_systems)
        1 where λ is 0 because the measure is not defined on the corrected table.
    rated : bool
        Whether items were labelled at different rates, which were given.
    checks : tuple of SharesCheck
        Whether the labelled items are a random part, by the classes of the judge and the systems,
        and by their differences.
    """

    name: str
    labelled: int
    items: int
    weight: Floats
    worth: Floats
    unusable: Ints
    rated: bool = False
    checks: tuple[SharesCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """One system under one measure.

    Parameters
    ----------
    measure : Measure
        The measure.
    system : str
        The system.
    position : int
        The place in the ranking, from 1; ties are broken by name and undefined scores come last.
    rank : int or None
        One more than the number of better systems, so that equal scores share a rank; None where
        the score is undefined.
    score : float
        The score; NaN where it is undefined.
    low, high, se : float
        The interval and the standard error; NaN where there are none.
    undefined : int
        The number of topics (or tables) on which the score is undefined.
    letters : str
        Letters of the groups that the system is in. Systems that share a letter are not
        significantly different.
    beats : tuple of str
        The systems that are significantly worse.
    in_best_group : bool
        Whether the system is not significantly worse than the best one.
    rank_low, rank_high : int or None
        The ranks that the tests allow: after all systems that are significantly better, before all
        that are significantly worse. None without tests of all pairs.
    doubt : str
        Why the interval may cover less than its level on these data; usually empty.
    judge_weight : float
        λ, how much of the correction by a judge was used, from 0 to 1; NaN without a judge.
    worth : float
        The number of gold labels that would give an interval as short without the judge; NaN
        without a judge.
    """

    measure: Measure
    system: str
    position: int
    rank: int | None
    score: float
    low: float = nan
    high: float = nan
    se: float = nan
    undefined: int = 0
    letters: str = ""
    beats: tuple[str, ...] = ()
    in_best_group: bool = False
    rank_low: int | None = None
    rank_high: int | None = None
    doubt: str = ""
    judge_weight: float = nan
    worth: float = nan


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems under one measure, `first` minus `second`.

    Parameters
    ----------
    measure : Measure
        The measure.
    first, second : str
        The systems.
    difference : float
        The score of `first` minus the score of `second`.
    low, high, se : float
        The interval and the standard error of the difference; NaN unless they were asked for.
    p : float
        The p-value, corrected for the number of pairs; NaN without a test.
    effect : float
        The difference in residual standard deviations; NaN without topics.
    detectable : float
        The smallest difference that the test would have found with a probability of 80 %.
    verdict : str
        With a margin, how `first` stands to `second`: "equivalent", "better", "worse" or
        "undecided"; without, "better", "worse" or "not told apart". Empty without a test.
    doubt : str
        Why the interval may cover less than its level on these data; usually empty.
    """

    measure: Measure
    first: str
    second: str
    difference: float
    low: float = nan
    high: float = nan
    se: float = nan
    p: float = nan
    effect: float = nan
    detectable: float = nan
    verdict: str = ""
    doubt: str = ""


_Figures = TypeVar("_Figures", Intervals, Tests, JudgeLabels)


def _in_order(found: _Figures | None, places: Sequence[int]) -> _Figures | None:
    """Return figures `[measure, system]` or `[measure, system, system]` in another order."""
    if found is None:
        return None
    chosen: dict[str, Any] = {}
    for name in (f.name for f in fields(found)):
        array: Any = getattr(found, name)
        if isinstance(array, np.ndarray):
            for axis in range(1, array.ndim):
                array = np.take(array, places, axis=axis)
            chosen[name] = array
    return replace(found, **chosen)


class _SeveralSystems(InputError, AttributeError):
    """A figure of one system is asked for where there are several; `hasattr` is then False."""


@dataclass(frozen=True, eq=False, repr=False)
class Figures(Displayable):
    """The figures of all systems under one measure, best first; what `result["qwk"]` gives.

    It is a sequence of `Standing`, and a system's row is found by its name as well:
    ``result["qwk"]["bert"].score``. Where there is only one system, its figures can be read
    directly: ``result["qwk"].score``.

    Parameters
    ----------
    measure : Measure
        The measure.
    rows : tuple of Standing
        One row per system, best first.
    level : float
        The level of the intervals; NaN without.
    pair_of : callable, optional
        Returns the `Pair` of two systems: ``pair_of(first, second)``.
    raw : bool
        Whether the measure was computed from numbers rather than from classes.

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3], measures="qwk, mae")
    >>> found = result["qwk"]
    >>> round(found["a"].score, 3), found["b"].rank, found[0].system
    (0.857, 2, 'a')
    >>> round(found["a", "b"].difference, 3)
    1.143
    """

    measure: Measure
    rows: tuple[Standing, ...]
    level: float = nan
    pair_of: Callable[[str, str], Pair] | None = None
    raw: bool = False

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first."""
        return tuple(row.system for row in self.rows)

    @overload
    def __getitem__(self, which: str | int) -> Standing: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Standing, ...]: ...
    @overload
    def __getitem__(self, which: tuple[str, str]) -> Pair: ...
    def __getitem__(self, which: Any) -> Any:
        if str(which) in self.systems and not isinstance(which, str):
            raise InputError(
                f"{which!r} may be a position or the system {str(which)!r}.",
                parameter="system",
                hint="Give the name of the system as a text, or take a position of `rows`.",
            )
        if isinstance(which, (int, np.integer, slice)):
            return self.rows[which]
        if isinstance(which, tuple) and len(which) == 2 and self.pair_of is not None:
            return self.pair_of(*which)
        found = self.get(which)
        if found is None:
            raise unknown_system(which, self.systems)
        return found

    def get(self, system: str, default: Any = None) -> Any:
        """Return the row of a system.

        Parameters
        ----------
        system : str
            The system.
        default : object
            What to return if there is no such system.

        Returns
        -------
        Standing
            The row, or `default`.
        """
        return next((row for row in self.rows if row.system == system), default)

    def __contains__(self, which: object) -> bool:
        return which in self.rows if isinstance(which, Standing) else which in self.systems

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def _only(self, figure: str) -> Any:
        if len(self.rows) != 1:
            raise _SeveralSystems(
                f"There are {len(self.rows)} systems, each with its own {figure}: "
                f"{quoted(self.systems)}.",
                parameter="system",
                hint=f"Choose one, as in [{self.systems[0]!r}].{figure}.",
            )
        return getattr(self.rows[0], figure)

    @property
    def score(self) -> float:
        """The score of the only system."""
        return float(self._only("score"))

    @property
    def low(self) -> float:
        """The lower end of the interval of the only system."""
        return float(self._only("low"))

    @property
    def high(self) -> float:
        """The upper end of the interval of the only system."""
        return float(self._only("high"))

    @property
    def se(self) -> float:
        """The standard error of the only system."""
        return float(self._only("se"))

    @property
    def rank(self) -> int | None:
        """The rank of the only system; None where its score is undefined."""
        found: int | None = self._only("rank")
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Result(Displayable, Serialisable, Reportable):
    """Scores of systems under measures, with intervals and tests where they were asked for.

    ``result["qwk"]`` has the figures of a measure, by any of its names; see `Figures`. Iteration
    goes over the measures, ``len(result)`` is their number, and ``"qwk" in result`` says whether a
    measure is among them. Two results are equal if their JSON is.

    Parameters
    ----------
    kind : {"evaluation", "comparison", "quantification"}
        The function that made the result.
    scores : Scores
        The scores and the names of measures, systems, topics and classes.
    primary : Measure
        The measure that ranks the systems.
    intervals : Intervals, optional
        Intervals of the scores.
    tests : Tests, optional
        Tests of all pairs of systems.
    tables : ndarray of shape (n_systems, n_classes, n_classes), optional
        Counts of gold and predicted classes over all topics.
    shares : ndarray of shape (1 + n_systems, n_classes), optional
        Mean distributions of quantification data, gold first.
    notices : tuple of str
        What the reader should know about the data and the figures.
    about : mapping
        Where the data came from, and how they were read.
    differences : Intervals, optional
        Intervals of the differences of systems.
    judge : JudgeLabels, optional
        What the labels of a judge added, where gold labels are those of some items only.
    examples : Examples, optional
        Some items with their texts, which the page shows; JSON does not hold them.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [1, 2, 3, 3, 2, 1]
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare(gold, systems, labels=[1, 2, 3], measures="qwk")
    >>> result.best
    'a'
    >>> [round(row.score, 3) for row in result["qwk"]]
    [0.857, -0.286]
    >>> round(result["qwk"]["b"].score, 3)
    -0.286
    """

    kind: str
    scores: Scores
    primary: Measure
    intervals: Intervals | None = None
    tests: Tests | None = None
    tables: Floats | None = None
    shares: Floats | None = None
    notices: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    differences: Intervals | None = None
    judge: JudgeLabels | None = None
    examples: Examples | None = None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.scores.measures

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first under the primary measure."""
        return tuple(row.system for row in self.standings())

    @property
    def best(self) -> str:
        """The first system under the primary measure."""
        return self.systems[0]

    def __getitem__(self, measure: str | Measure) -> Figures:
        if isinstance(measure, str) and measure in self.scores.systems and measure not in self:
            raise InputError(
                f"{measure!r} is a system; the measure comes first.",
                parameter="measure",
                hint=f"Write result[{self.primary.name!r}][{measure!r}].",
            )
        chosen = self._measure(measure)
        level = nan if self.intervals is None else self.intervals.level
        return Figures(
            chosen,
            self.standings(chosen),
            level,
            lambda first, second: self.pair(first, second, chosen),
            self.scores.is_raw(chosen),
        )

    def get(self, measure: str | Measure, default: Any = None) -> Any:
        """Return the figures of a measure.

        Parameters
        ----------
        measure : str or Measure
            The measure, by any of its names.
        default : object
            What to return if the result does not have the measure.

        Returns
        -------
        Figures
            The figures, or `default`.
        """
        if measure not in self:
            return default
        return self[measure]

    def __contains__(self, measure: object) -> bool:
        if not isinstance(measure, (str, Measure)):
            return False
        try:
            return counterpart(parse_measure(measure), "classification") in self.measures
        except InputError:
            return False

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    @cached_property
    def constant_systems(self) -> tuple[str, ...]:
        """The systems that predict one class throughout."""
        if self.tables is None:
            return ()
        found = constant_predictions(self.tables)
        return tuple(s for s, same in zip(self.scores.systems, found, strict=True) if same)

    @cached_property
    def _standings(self) -> dict[Measure, tuple[Standing, ...]]:
        return {}

    def reordered(self, systems: Sequence[str]) -> "Result":
        """Return the result with the systems in another order, which changes no figure.

        Parameters
        ----------
        systems : sequence of str
            All systems, in the order of tables and plots that are not sorted by score.

        Returns
        -------
        Result
            The same figures.
        """
        if tuple(systems) == self.scores.systems:
            return self
        places = [self.scores.place(system) for system in systems]
        shares = None if self.shares is None else self.shares[[0, *(1 + i for i in places)]]
        return replace(
            self,
            scores=self.scores.reordered(systems),
            intervals=_in_order(self.intervals, places),
            tests=_in_order(self.tests, places),
            tables=None if self.tables is None else self.tables[places],
            shares=shares,
            differences=_in_order(self.differences, places),
            judge=_in_order(self.judge, places),
        )

    def standings(self, measure: str | Measure | None = None) -> tuple[Standing, ...]:
        """Return the systems under one measure, best first.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of Standing
            One row per system.
        """
        chosen = self._measure(measure)
        if chosen not in self._standings:
            self._standings[chosen] = self._ranked(chosen)
        return self._standings[chosen]

    def tidy(self) -> tuple[Standing, ...]:
        """Return one row per measure and system, in the order in which they were given.

        Returns
        -------
        tuple of Standing
            The rows of all measures.
        """
        rows = []
        for measure in self.measures:
            by_system = {row.system: row for row in self.standings(measure)}
            rows += [by_system[system] for system in self.scores.systems]
        return tuple(rows)

    def standing(self, system: str, measure: str | Measure | None = None) -> Standing:
        """Return one system under one measure.

        Parameters
        ----------
        system : str
            The system.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Standing
            The row of the system.
        """
        self.scores.place(system)
        return next(row for row in self.standings(measure) if row.system == system)

    def _ranked(self, measure: Measure) -> tuple[Standing, ...]:
        i, values = self.scores.row(measure), self.scores.values[self.scores.row(measure)]
        order = self.scores.ranking(measure)
        all_pairs = self.tests is not None and not self.tests.against and self.tested(measure)
        letters = _letters(self.groups(measure)) if all_pairs else {}
        spans = self._rank_spans(measure) if all_pairs else {}
        best_group = set(self.group_of_best(measure)) if all_pairs else set()
        rows = []
        for position, system in enumerate(order, 1):
            j, found = self.scores.place(system), self.intervals
            low, high, se = (
                (float(x[i, j]) for x in (found.low, found.high, found.se)) if found else (nan,) * 3
            )
            rows.append(
                Standing(
                    measure,
                    system,
                    position,
                    _rank(measure.sign * values, j),
                    float(values[j]),
                    low,
                    high,
                    se,
                    int(self.scores.undefined[i, j]),
                    letters.get(system, ""),
                    self.beats(system, measure),
                    system in best_group,
                    rank_low=spans[system][0] if system in spans else None,
                    rank_high=spans[system][1] if system in spans else None,
                    doubt=found.doubt(i, j) if found and not isnan(low) else "",
                    judge_weight=nan if self.judge is None else float(self.judge.weight[i, j]),
                    worth=nan if self.judge is None else float(self.judge.worth[i, j]),
                )
            )
        return tuple(rows)

    def pair(self, first: str, second: str, measure: str | Measure | None = None) -> Pair:
        """Return two systems under one measure: difference, interval, p-value, effect size.

        Parameters
        ----------
        first, second : str
            The systems; the difference is that of `first` minus `second`.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Pair
            The figures, NaN where they were not computed.
        """
        chosen = self._measure(measure)
        at = self.scores.row(chosen), self.scores.place(first), self.scores.place(second)
        scores, found, tests = self.scores.values[at[0]], self.differences, self.tests
        difference = scores[at[1]] - scores[at[2]]
        if self.judge is not None and tests is not None and not np.isnan(tests.difference[at]):
            difference = tests.difference[at]  # which has a λ of its own
        pair = Pair(chosen, first, second, float(difference))
        if found is not None:
            low, high, se = (float(x[at]) for x in (found.low, found.high, found.se))
            doubt = "" if isnan(low) else found.doubt(*at)
            pair = replace(pair, low=low, high=high, se=se, doubt=doubt)
        if tests is None:
            return pair
        return replace(
            pair,
            p=float(tests.p[at]),
            effect=float(tests.effect[at]),
            detectable=nan if tests.detectable is None else float(tests.detectable[at]),
            verdict=str(self.verdicts(chosen)[at[1:]]),
        )

    def pairs(self, measure: str | Measure | None = None) -> tuple[Pair, ...]:
        """Return all pairs of systems under one measure, the better system of a pair first.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of Pair
            One row per pair.
        """
        order = [row.system for row in self.standings(measure)]
        return tuple(self.pair(a, b, measure) for a, b in combinations(order, 2))

    def p(self, first: str, second: str, measure: str | Measure | None = None) -> float:
        """Return the p-value of two systems.

        Parameters
        ----------
        first, second : str
            The systems.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        float
            The p-value, corrected for the number of pairs.
        """
        self.required_tests()
        return self.pair(first, second, measure).p

    def difference(self, first: str, second: str, measure: str | Measure | None = None) -> Pair:
        """Return the difference of two systems with its interval.

        Parameters
        ----------
        first, second : str
            The systems; the difference is that of `first` minus `second`.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Pair
            The difference with its interval, p-value and effect size.
        """
        if self.differences is None:
            raise InputError(
                "Intervals of differences were not computed.",
                parameter="differences",
                hint="Pass {differences}.",
                suggest={"differences": True},
            )
        return self.pair(first, second, measure)

    def beats(self, system: str, measure: str | Measure | None = None) -> tuple[str, ...]:
        """Return the systems that are significantly worse than one system.

        Parameters
        ----------
        system : str
            The system.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of str
            The names of the worse systems; empty without tests.
        """
        if self.tests is None:
            return ()
        chosen = self._measure(measure)
        row, place = self.scores.row(chosen), self.scores.place(system)
        worse = self._significantly_better(row)[place]
        return tuple(name for name, is_so in zip(self.scores.systems, worse, strict=True) if is_so)

    def tested(self, measure: str | Measure | None = None) -> int:
        """Return the number of pairs of systems that were tested.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        int
            The number of pairs with a p-value; 0 without tests.
        """
        if self.tests is None:
            return 0
        p = self.tests.p[self.scores.row(self._measure(measure))]
        return int(np.sum(~np.isnan(p[np.triu_indices(len(p), 1)])))

    def _significantly_better(self, row: int) -> Bools:
        """Return whether the row's system is significantly better than the column's, `[S, S]`.

        Where the test leaves out topics without a score of some system, its difference may have
        another sign than that of the scores; such a pair is not told apart.
        """
        tests, values = self.required_tests(), self.scores.values[row]
        sign = self.measures[row].sign
        ahead = (sign * tests.difference[row] > 0) & (sign * (values[:, None] - values) > 0)
        return np.asarray(ahead & (tests.p[row] < tests.alpha))

    @cached_property
    def _verdicts(self) -> dict[int, Array]:
        return {}

    def verdicts(self, measure: str | Measure | None = None) -> Array:
        """Return how the system of each row stands to that of each column.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        ndarray of str of shape (n_systems, n_systems)
            The verdicts, in the order in which the systems were given; see `Pair.verdict`.
        """
        row = self.scores.row(self._measure(measure))
        if row not in self._verdicts:
            self._verdicts[row] = self._judged(row)
        return self._verdicts[row]

    def _judged(self, row: int) -> Array:
        tests, better = self.required_tests(), self._significantly_better(row)
        open_question = "not told apart" if isnan(tests.margin) else "undecided"
        found = np.where(better, "better", np.where(better.T, "worse", open_question))
        if tests.inner_low is not None and tests.inner_high is not None:
            low, high = tests.inner_low[row], tests.inner_high[row]
            inside = (-tests.margin < low) & (low < high) & (high < tests.margin)
            found = np.where(inside, "equivalent", found)
        untested = np.isnan(tests.p[row]) | np.eye(len(found), dtype=bool)
        return np.where(untested, "", found)

    def _rank_spans(self, measure: Measure) -> dict[str, tuple[int, int]]:
        """Return the lowest and highest rank that the tests allow each system with a score."""
        row = self.scores.row(measure)
        scored = ~np.isnan(self.scores.values[row])
        worse = self._significantly_better(row)
        return {
            system: (1 + int(worse[:, i].sum()), int(scored.sum() - worse[i].sum()))
            for i, system in enumerate(self.scores.systems)
            if scored[i]
        }

    def groups(self, measure: str | Measure | None = None) -> tuple[tuple[str, ...], ...]:
        """Return groups of systems that are not significantly different.

        Two systems share a group if and only if the test does not separate them, so that a system
        may be in several groups.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of tuple of str
            The groups, that of the best system first, each from best to worst. Systems without a
            score are in none. Empty where the differences are so irregular that hundreds of groups
            would be needed, and where systems were compared with one system only.
        """
        tests, chosen = self.required_tests(), self._measure(measure)
        if tests.against:
            return ()
        row, systems = self.scores.row(chosen), self.scores.systems
        places = map(self.scores.place, self.scores.ranking(chosen))
        kept = [i for i in places if not np.isnan(self.scores.values[row, i])]
        found = letter_groups(-np.arange(len(kept)), tests.p[row][np.ix_(kept, kept)], tests.alpha)
        return tuple(tuple(systems[kept[i]] for i in group) for group in found)

    def letters(self, measure: str | Measure | None = None) -> dict[str, str]:
        """Return the letters of the groups that each system is in.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        dict of str to str
            Letters by system; after z comes a2. Systems that share a letter are not significantly
            different.
        """
        return {**dict.fromkeys(self.scores.systems, ""), **_letters(self.groups(measure))}

    def group_of_best(self, measure: str | Measure | None = None) -> tuple[str, ...]:
        """Return the systems that are not significantly worse than the best one.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of str
            The systems, the best one first.
        """
        chosen = self._measure(measure)
        ranking = self.scores.ranking(chosen)
        beaten = self.beats(ranking[0], chosen)
        return tuple(
            s for s in ranking if s not in beaten and not np.isnan(self.scores.of(chosen, s))
        )

    def signature(self, measure: str | Measure | None = None) -> str:
        """Return one line that lets another person repeat the numbers.

        Parameters
        ----------
        measure : str or Measure, optional
            A measure to name in the line.

        Returns
        -------
        str
            Scale, aggregation, intervals, tests, seed and version.
        """
        more = [] if self.about.get("renormalise", True) else ["sums:kept"]
        if self.judge is not None:
            more.append(f"judge:{self.judge.labelled}of{self.judge.items}")
        if self.intervals is not None:
            i = self.intervals_of(measure)
            draws = "" if i.method == "t" else f",{i.replicates}"
            more += [f"ci:{i.method}{100 * i.level:g},{i.over}{draws}", f"seed:{i.seed}"]
        if self.tests is not None:
            more.append(f"test:{self.tests.short_name}")
            if self.intervals is None:
                more.append(f"seed:{self.tests.seed}")
        return self.scores.signature(measure, *self._reading, *more)

    @property
    def _reading(self) -> list[str]:
        """How missing labels were recognised and treated, where that is not the default."""
        treated = [f"missing:{self.about['missing']}"] if "missing" in self.about else []
        codes = ",".join(map(str, self.about.get("na", ())))
        return [*treated, *([f"na:{codes}"] if codes else [])]

    @property
    def clusters(self) -> int:
        """The number of clusters that are the units; 0 if they are not, or unknown."""
        if self.tests is not None and self.tests.over == "clusters":
            return self.tests.units
        return int(self.about.get("clusters", 0))

    def intervals_of(self, measure: str | Measure | None = None) -> Intervals:
        """Return the intervals, with the method that was used for a measure.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure. Measures of numbers have t intervals, except where the scores of topics
            are resampled.

        Returns
        -------
        Intervals
            The intervals of all measures.
        """
        assert self.intervals is not None
        made, scores = self.intervals, self.scores
        if measure is None or not scores.is_raw(parse_measure(measure)):
            return made
        if made.over == "both":
            return replace(made, method="t", over="topics")
        of_topics = scores.per_topic is not None and scores.aggregate == "mean"
        return made if of_topics and made.over != "items" else replace(made, method="t")

    def table(self, what: str = "main", measure: str | Measure | None = None) -> Any:
        """Return a table of the result, ready for any format.

        Parameters
        ----------
        what : {"main", "pairs", "p", "effect", "difference", "anova", "topics"}
            "main" is the leaderboard of several systems, or the measures of one; "pairs" lists all
            pairs of systems; "p", "effect" and "difference" are matrices of systems; "anova" is the
            analysis of variance; "topics" has the score of each system on each topic.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Section
            A table that prints and exports itself: rows, columns, title and notes.
        """
        return self._shown(**self._selected(what, measure))

    def to_text(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """Return a table as aligned text.

        Parameters
        ----------
        what : str
            The table; see `table`.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        str
            The text.
        """
        return self._written("text", **self._selected(what, measure))

    def to_markdown(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """Return a table as Markdown.

        Parameters
        ----------
        what : str
            The table; see `table`.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        str
            The text.
        """
        return self._written("markdown", **self._selected(what, measure))

    def to_latex(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """Return a table as LaTeX with booktabs.

        Parameters
        ----------
        what : str
            The table; see `table`.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        str
            The text.
        """
        return self._written("latex", **self._selected(what, measure))

    def to_csv(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """Return a table as CSV at full precision.

        Parameters
        ----------
        what : str
            The table; see `table`.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        str
            The text.
        """
        return self._written("csv", **self._selected(what, measure))

    def to_frame(  # type: ignore[override]  # other objects have one data frame each
        self,
        what: str | None = "scores",
        backend: str | None = None,
        *,
        measure: str | Measure | None = None,
    ) -> Any:
        """Return the figures as a data frame.

        The column "measure" has the name under which a measure was asked for, such as "qwk", and
        "specification" its full name, such as "kappa(weights='quadratic')".

        Parameters
        ----------
        what : {"scores", "pairs", "topics", "classes"}
            "scores" has one row per measure and system, "pairs" one per measure and pair of systems
            that was compared, "topics" one per measure, system and topic with the number of items
            of the topic, and "classes" one per system and class. The name of a library may be given
            here instead.
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
        >>> result = oe.compare([1, 2, 3, 3], systems, labels=[1, 2, 3], topics=topics)
        >>> result.to_frame("topics", "pandas", measure="mae")[["system", "topic", "score"]]
          system topic  score
        0      a     s    0.0
        1      a     t    0.0
        2      b     s    0.0
        3      b     t    1.5
        """
        if what is None or what in FRAME_LIBRARIES:
            what, backend = "scores", what
        return self._framed(backend, **self._selected(what, measure))

    def summary(self) -> str:
        """Return the result as paragraphs for a paper: answer, method, notes and references.

        Returns
        -------
        str
            Plain text with a line per paragraph.

        Examples
        --------
        >>> import ordeval as oe
        >>> result = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3], measures="qwk")
        >>> print(result.summary()[:67])
        One system was evaluated on 4 items, with a scale of 3 classes (1 l
        """
        return summarised(self)

    def metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the figures in a flat dictionary, for experiment trackers.

        The names are accepted by MLflow, Weights & Biases and TensorBoard. A score has the name of
        its measure, its interval adds ".low" and ".high", and where there are several systems a
        name begins with that of the system: "qwk", "qwk.low", "bert/qwk". A measure is named as it
        was asked for, else after its parameters: "kappa_quadratic". Undefined figures are left out.

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
        systems = self.scores.systems
        measures = dict(
            zip(self.measures, safe_names(map(_metric_name, self.measures)), strict=True)
        )
        named = dict(zip(systems, safe_names(systems), strict=True))
        found = {}
        for row in self.tidy():
            start = f"{named[row.system]}/" if len(systems) > 1 else ""
            name = f"{_safe(prefix)}{start}{measures[row.measure]}"
            figures = {name: row.score, f"{name}.low": row.low, f"{name}.high": row.high}
            found.update({key: value for key, value in figures.items() if not isnan(value)})
        return found

    def _selected(self, what: str, measure: str | Measure | None) -> dict[str, Any]:
        return {"what": what, "measure": None if measure is None else self._measure(measure)}

    def _measure(self, measure: str | Measure | None) -> Measure:
        return self.measures[self.scores.row(self.primary if measure is None else measure)]

    def required_tests(self) -> Tests:
        """Return the tests.

        Returns
        -------
        Tests
            The tests; an error is raised if none were made.
        """
        if self.tests is None:
            raise InputError(
                "No tests were made.",
                parameter="tests",
                hint="Compare two or more systems.",
            )
        return self.tests


def _metric_name(measure: Measure) -> str:
    """Return a name without brackets: as asked for, else the parameters after an underscore."""
    if measure.asked:
        return measure.asked
    values = measure.record.shown(measure.params).values()
    return "_".join([measure.id, *(str(value) for value in values)])


def _safe(text: str) -> str:
    """Return text with everything replaced that a tracker may refuse in a name."""
    return _UNSAFE.sub("_", text)


def safe_names(names: Iterable[str]) -> list[str]:
    """Return names that trackers accept, each of them once; see `Result.metrics`.

    >>> safe_names(["a b", "a/b", "a_b", "系统"])
    ['a_b-2', 'a_b-3', 'a_b', 'x']
    """
    given = list(names)
    short = [_UNSAFE_PART.sub("_", name).strip("_.")[:_LONGEST_NAME] or "x" for name in given]
    taken = {name for name, safe in zip(given, short, strict=True) if name == safe}
    found = []
    for name, safe in zip(given, short, strict=True):
        number, free = 1, safe
        while name != safe and free in taken:
            number += 1
            free = f"{safe}-{number}"
        taken.add(free)
        found.append(free)
    return found


def _rank(oriented: Floats, place: int) -> int | None:
    """One more than the number of better systems; None without a score."""
    own = oriented[place]
    return None if np.isnan(own) else 1 + int((oriented > own + _SAME_SCORE).sum())


def _letters(groups: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, group in enumerate(groups):
        turn, letter = divmod(number, len(ascii_lowercase))
        mark = ascii_lowercase[letter] + (str(turn + 1) if turn else "")
        for system in group:
            found[system] = found.get(system, "") + mark
    return found
