"""Results of `evaluate`, `compare` and `quantify`.

A `Result` holds arrays; rows, one per measure and system (`Standing`) or per measure and pair of
systems (`Pair`), are made on access.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any, Literal, TypeVar

import numpy as np

from ..call import Call
from ..data.counts import constant_predictions
from ..data.examples import Examples
from ..errors import InputError, plural
from ..formatting import lettered
from ..measures.scoring import Scores
from ..measures.spec import Measure, parse_measure
from ..stats.anova import Anova, letter_groups
from ..stats.intervals import Kind
from ..stats.max_t import opposed
from ..types import Array, Bools, Family, Floats, Ints, Over
from .estimate import Estimate
from .gate import SAME_SCORE
from .report import Figures, Report
from .slices import Slices

_ROUNDED = 0.001  # by which figures of three decimals may be off


@dataclass(frozen=True)
class Intervals:
    """Intervals of scores.

    Parameters
    ----------
    low, high, se : ndarray of shape (n_measures, n_systems)
        Ends and standard errors.
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
    doubts : ndarray of int, optional
        For every interval the number of the reason, from 1, why it may cover less than its level
        on these data; 0 where it need not be doubted. None if none is.
    reasons : tuple of str
        The reasons.
    """

    low: Floats
    high: Floats
    se: Floats
    undefined: Ints
    method: Kind
    level: float
    replicates: int
    over: Over
    seed: int
    doubts: Ints | None = None
    reasons: tuple[str, ...] = ()

    def at(self, *place: int) -> tuple[float, float, float, str]:
        """Return an interval, its standard error and why it may be doubted."""
        low, high, se = (float(x[place]) for x in (self.low, self.high, self.se))
        number = 0 if self.doubts is None or isnan(low) else int(self.doubts[place])
        return low, high, se, "".join(self.reasons[number - 1 : number]) if number else ""

    def doubted(self, why: Array) -> "Intervals":
        """Return the intervals with a reason for each, empty text where there is no doubt."""
        codes, reasons = numbered_reasons(why)
        return replace(self, doubts=codes if reasons else None, reasons=reasons)


def numbered_reasons(why: Array) -> tuple[Ints, tuple[str, ...]]:
    """Return the number of every reason, from 1, 0 for an empty one, and the reasons."""
    reasons = tuple(dict.fromkeys(filter(None, why.ravel().tolist())))
    numbers = {"": 0, **{text: i for i, text in enumerate(reasons, 1)}}
    codes = np.array([numbers[text] for text in why.ravel().tolist()], dtype=np.int64)
    return codes.reshape(why.shape), reasons


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
    se, skew : ndarray of shape (n_measures, n_systems, n_systems)
        The standard error and the skewness of every difference.
    low, high : ndarray of shape (n_measures, n_systems, n_systems)
        Simultaneous intervals of all differences at the level 1 − alpha, which agree with the
        p-values.
    inner_low, inner_high : ndarray of shape (n_measures, n_systems, n_systems)
        The same at the level 1 − 2·alpha, which decides on equivalence within the margin.
    family : {"pairs", "measures"}
        What p-values, intervals and verdicts are corrected for: the pairs under one measure, or
        those under all measures.
    paired : bool
        Whether both systems are tested on the same units; otherwise as on different items.
    """

    p: Floats
    difference: Floats
    se: Floats
    skew: Floats
    low: Floats
    high: Floats
    inner_low: Floats
    inner_high: Floats
    effect: Floats
    residual_variance: Floats
    trials: int
    alpha: float
    seed: int
    anova: Anova | None = None
    over: Over = "topics"
    units: int = 0
    exact: bool = False
    against: str = ""
    detectable: Floats | None = None
    margin: float = nan
    family: Family = "pairs"
    paired: bool = True

    @property
    def name(self) -> str:
        """The test in words."""
        if not self.paired:
            return f"unpaired, from the intervals of both, {self.units:,} {self.over} each"
        draws = plural(self.trials, "outcome" if self.exact else "trial")
        how = "all" if self.exact else "random"
        return f"step-down max-T, {how} exchanges of {self.over}, {draws}"

    @cached_property
    def opposed(self) -> Bools:
        """Whether a significant difference rests on the symmetry of differences that are skewed."""
        return opposed(self.difference, self.skew) & (self.p < self.alpha)

    @property
    def why_opposed(self) -> str:
        """Why such a difference may be doubted."""
        return f"a few {self.over} differ far to the other side"

    @property
    def claims(self) -> str:
        """What p-values, intervals and verdicts of pairs are corrected for."""
        pairs = f"all comparisons with {self.against}" if self.against else "all pairs of systems"
        return f"{pairs} under {'all measures' if self.family == 'measures' else 'one measure'}"

    @property
    def short_name(self) -> str:
        """The test in a signature."""
        if not self.paired:
            return f"unpaired-{self.over}"
        against = f",against {self.against}" if self.against else ""
        against += ",all measures" * (self.family == "measures")
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


@dataclass(frozen=True)
class Calibration:
    """How well predicted probabilities are calibrated.

    Parameters
    ----------
    parts : ndarray of shape (n_systems, 4)
        The ranked probability score (RPS), its miscalibration, discrimination and uncertainty: the
        first is the second minus the third plus the fourth.
    z : ndarray of shape (n_systems,)
        Spiegelhalter's statistic, about standard normal if probabilities are calibrated.
    x, y, half : ndarray of shape (n_systems, n_classes - 1, n_places)
        Reliability curves of the probability of a class up to k: predicted probabilities, the share
        of items where it holds (isotonic regression), and half the width of the band around the
        diagonal that holds all curves of calibrated probabilities at once.
    level : float
        The level of the band.
    """

    parts: Floats
    z: Floats
    x: Floats
    y: Floats
    half: Floats
    level: float

    def of(self, places: Sequence[int]) -> "Calibration":
        """Return the figures with the systems in another order."""
        arrays = {
            name: getattr(self, name)[list(places)] for name in ("parts", "z", "x", "y", "half")
        }
        return replace(self, **arrays)

    @property
    def p(self) -> Floats:
        """The p-values of calibration, two-sided."""
        from scipy.special import ndtr

        return np.asarray(2 * ndtr(-np.abs(self.z)))


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Standing(Estimate):
    """The score of one system under one measure, with its interval; an `Estimate`.

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
    undefined: int = 0
    letters: str = ""
    beats: tuple[str, ...] = ()
    in_best_group: bool = False
    rank_low: int | None = None
    rank_high: int | None = None
    judge_weight: float = nan
    worth: float = nan


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Pair(Estimate):
    """The score of `first` minus that of `second` under one measure; an `Estimate`.

    Parameters
    ----------
    measure : Measure
        The measure.
    first, second : str
        The systems.
    p : float
        The p-value, corrected for the number of pairs; NaN without a test.
    effect : float
        The difference in residual standard deviations; NaN without topics.
    detectable : float
        The smallest difference that the test would have found with a probability of 80 %.
    verdict : str
        With a margin, how `first` stands to `second`: "equivalent", "better", "worse" or
        "undecided"; without, "better", "worse" or "not told apart". Empty without a test.
    """

    measure: Measure
    first: str
    second: str
    p: float = nan
    effect: float = nan
    detectable: float = nan
    verdict: str = ""


_Figures = TypeVar("_Figures", Intervals, Tests, JudgeLabels)


def _in_order(figures: _Figures | None, places: Sequence[int]) -> _Figures | None:
    """Return figures `[measure, system]` or `[measure, system, system]` in another order."""
    if figures is None:
        return None
    ordered: dict[str, Any] = {}
    for name in (f.name for f in fields(figures)):
        array: Any = getattr(figures, name)
        if isinstance(array, np.ndarray):
            for axis in range(1, array.ndim):
                array = np.take(array, places, axis=axis)
            ordered[name] = array
    return replace(figures, **ordered)


@dataclass(frozen=True, eq=False, repr=False)
class Result(Report[Standing, Pair]):
    """Scores of systems under measures, with intervals and tests if they were asked for.

    ``result["qwk"]["bert"].value`` is a score; see `Report` and `Figures`.

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
    judge : JudgeLabels, optional
        What the labels of a judge added, if only some items have gold labels.
    calibration : Calibration, optional
        How well predicted probabilities are calibrated.
    slices : Slices, optional
        Scores and tests of slices, if `by` named any.
    examples : Examples, optional
        Some items with their texts, for the page; not stored in JSON.
    notes : tuple of Note
        What the reader should know about the data and the figures.
    about : mapping
        Where the data came from, and how they were read.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [1, 2, 3, 3, 2, 1]
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare(gold, systems, labels=[1, 2, 3], measures="qwk")
    >>> result.best
    'a'
    >>> [round(row.value, 3) for row in result["qwk"]]
    [0.857, -0.286]
    >>> round(result["qwk"]["b"].value, 3)
    -0.286
    """

    kind: Literal["evaluation", "comparison", "quantification"]
    scores: Scores
    primary: Measure
    intervals: Intervals | None = None
    tests: Tests | None = None
    tables: Floats | None = None
    shares: Floats | None = None
    judge: JudgeLabels | None = None
    calibration: Calibration | None = None
    slices: Slices | None = None
    examples: Examples | None = field(default=None, repr=False)

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

    def _figures(self, measure: str | Measure | None) -> Figures[Standing, Pair]:
        if isinstance(measure, str) and measure in self.scores.systems:
            self._refuse_system(measure)
        named = self._measure(measure)
        rows = self._rows(named)
        return Figures(
            named,
            tuple(row.system for row in rows),
            rows,
            lambda first, second: self._pair(first, second, named),
            lambda: self._pairs(named),
            nan if self.intervals is None else self.intervals.level,
            self.scores.is_raw(named),
            tuple(row.system for row in rows if self.is_fixed(row)),
        )

    def is_fixed(self, row: Standing) -> bool:
        """Whether gold does not matter to the score: that of a system that predicts one class.

        Tables show it without an interval.

        Parameters
        ----------
        row : Standing
            A row of this result.

        Returns
        -------
        bool
            Whether any shares of gold classes give this score, such as a kappa of 0.
        """
        scores = self.scores
        return bool(self._fixed[scores.row(row.measure), scores.place(row.system)])

    @cached_property
    def _fixed(self) -> Bools:
        if self.tables is None:
            return np.zeros(self.scores.values.shape, bool)
        return self.scores.fixed(self.tables)

    def _refuse_system(self, name: str) -> None:
        """Raise an error for the name of a system where a measure is expected."""
        try:
            self._measure(name)
        except InputError:
            raise InputError(
                f"{name!r} is a system; the measure comes first.",
                parameter="measure",
                hint=f"Write result[{self.primary.key!r}][{name!r}].",
            ) from None

    @cached_property
    def constant_systems(self) -> tuple[str, ...]:
        """The systems that predict one class throughout."""
        if self.tables is None:
            return ()
        constant = constant_predictions(self.tables)
        return tuple(s for s, same in zip(self.scores.systems, constant, strict=True) if same)

    @property
    def rated(self) -> bool:
        """Whether what was rated are the items themselves, by people and perhaps by a judge."""
        return self.primary.record.task == "ratings"

    @cached_property
    def _standings(self) -> dict[Measure, tuple[Standing, ...]]:
        return {}

    def reordered(self, systems: Sequence[str]) -> "Result":
        """Return the result with the systems in another order and the same figures.

        Parameters
        ----------
        systems : sequence of str
            All systems, in the order for tables and plots that are not sorted by score.

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
            judge=_in_order(self.judge, places),
            calibration=None if self.calibration is None else self.calibration.of(places),
            slices=None if self.slices is None else self.slices.reordered(systems),
        )

    def _rows(self, measure: Measure) -> tuple[Standing, ...]:
        """Return the systems under one measure, best first; made once."""
        if measure not in self._standings:
            self._standings[measure] = self._ranked(measure)
        return self._standings[measure]

    def tidy(self) -> tuple[Standing, ...]:
        """Return one row per measure and system, in the order given.

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

    def _ranked(self, measure: Measure) -> tuple[Standing, ...]:
        scores, tests, judge = self.scores, self.tests, self.judge
        i, order, systems = scores.row(measure), scores.ranking(measure), scores.systems
        values, first = scores.values[i], scores.place(order[0])
        scored = ~np.isnan(values)
        worse = np.zeros((len(systems),) * 2, bool) if tests is None else self._better[i]
        pairs = np.triu_indices(len(systems), 1)
        all_pairs = tests is not None and not tests.against and np.isfinite(tests.p[i][pairs]).any()
        letters = _letters(self.groups(measure)) if all_pairs else {}

        def row(position: int, system: str) -> Standing:
            j = scores.place(system)
            ranked = bool(all_pairs and scored[j])
            return Standing(
                float(values[j]),
                *(() if self.intervals is None else self.intervals.at(i, j)),
                measure=measure,
                system=system,
                position=position,
                rank=_rank(measure.sign * values, j),
                undefined=int(scores.undefined[i, j]),
                letters=letters.get(system, ""),
                beats=tuple(systems[k] for k in np.flatnonzero(worse[j])),
                in_best_group=ranked and not worse[first, j],
                rank_low=1 + int(worse[:, j].sum()) if ranked else None,
                rank_high=int(scored.sum() - worse[j].sum()) if ranked else None,
                judge_weight=nan if judge is None else float(judge.weight[i, j]),
                worth=nan if judge is None else float(judge.worth[i, j]),
            )

        return tuple(row(position, system) for position, system in enumerate(order, 1))

    def _pair(self, first: str, second: str, measure: Measure) -> Pair:
        at = self.scores.row(measure), self.scores.place(first), self.scores.place(second)
        scores, tests = self.scores.values[at[0]], self.tests
        value = float(scores[at[1]] - scores[at[2]])
        if tests is None:
            return Pair(value, measure=measure, first=first, second=second)
        if self.judge is not None and not np.isnan(tests.difference[at]):
            value = float(tests.difference[at])  # which has a λ of its own
        low, high, se = (float(x[at]) for x in (tests.low, tests.high, tests.se))
        if not low <= value <= high:  # the test leaves out topics, as for `_better`
            low = high = nan
        return Pair(
            value,
            low,
            high,
            se,
            self._pair_doubt(*at),
            measure=measure,
            first=first,
            second=second,
            p=float(tests.p[at]),
            effect=float(tests.effect[at]),
            detectable=nan if tests.detectable is None else float(tests.detectable[at]),
            verdict=self._verdict(tests, at),
        )

    def _pair_doubt(self, row: int, first: int, second: int) -> str:
        """Return why a difference may be doubted: its skewness, or a doubt about either score."""
        tests, intervals = self.tests, self.intervals
        if tests is not None and tests.opposed[row, first, second]:
            return tests.why_opposed
        if intervals is None:
            return ""
        return next(filter(None, (intervals.at(row, i)[3] for i in (first, second))), "")

    def _pairs(self, measure: Measure) -> tuple[Pair, ...]:
        order = [row.system for row in self._rows(measure)]
        one = {self.tests.against} - {""} if self.tests else set[str]()  # in all pairs compared
        pairs = (pair for pair in combinations(order, 2) if one.issubset(pair))
        return tuple(self._pair(a, b, measure) for a, b in pairs)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs compared, under every measure, the better system of a pair first."""
        return tuple(pair for m in self.measures for pair in self._pairs(m))

    @cached_property
    def _better(self) -> Bools:
        """Whether the row's system is significantly better than the column's, `[measure, S, S]`.

        Where the test leaves out topics without a score of some system, its difference may have
        another sign than that of the scores; such a pair is not told apart.
        """
        tests, values = self.required_tests(), self.scores.values
        sign = np.array([measure.sign for measure in self.measures])[:, None, None]
        with np.errstate(invalid="ignore"):  # of infinite scores
            differences = values[:, :, None] - values[:, None, :]
        ahead = (sign * tests.difference > 0) & (sign * differences > 0)
        return np.asarray(ahead & (tests.p < tests.alpha))

    def _verdict(self, tests: Tests, at: tuple[int, int, int]) -> str:
        """Return how a system stands to another, at their place in `[measure, S, S]`."""
        if isnan(tests.p[at]) or at[1] == at[2]:
            return ""
        low, high = tests.inner_low[at], tests.inner_high[at]
        if -tests.margin < low < high < tests.margin:
            return "equivalent"
        if self._better[at]:
            return "better"
        if self._better[at[0], at[2], at[1]]:
            return "worse"
        return "not told apart" if isnan(tests.margin) else "undecided"

    def groups(self, measure: str | Measure | None = None) -> tuple[tuple[str, ...], ...]:
        """Return groups of systems that are not significantly different.

        Two systems share a group if and only if the test does not separate them. A system may be in
        several groups.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of tuple of str
            The groups, each from best to worst, with that of the best system first. Systems without
            a score are in none. Empty if systems were compared with one system only, or if the
            pattern of differences would need hundreds of groups.
        """
        tests, named = self.required_tests(), self._measure(measure)
        if tests.against:
            return ()
        row, systems = self.scores.row(named), self.scores.systems
        places = map(self.scores.place, self.scores.ranking(named))
        kept = [i for i in places if not np.isnan(self.scores.values[row, i])]
        groups = letter_groups(-np.arange(len(kept)), tests.p[row][np.ix_(kept, kept)], tests.alpha)
        return tuple(tuple(systems[kept[i]] for i in group) for group in groups)

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
        rows = self.standings(measure)
        return tuple(r.system for r in rows if r.rank is not None and r.system not in rows[0].beats)

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
    def call(self) -> Call:
        """The call that repeats the result."""
        names = {"evaluation": "evaluate", "comparison": "compare", "quantification": "quantify"}
        scores, about = self.scores, dict(self.about)
        if "results" in about:  # which have everything but the measure that ranks
            return Call("compare", {**about, "primary": self.primary.key})
        about.pop("clusters", None)
        scale: dict[str, Any] = {}
        if "counts" not in about:  # which have a scale of their own
            scale["labels"] = list(scores.scale.labels)
        if scores.scale.values is not None and scale:
            scale["values"] = list(scores.scale.values)
        keys = {m: "shares" if m.id == "share" else m.key for m in scores.measures}
        every = list(keys.values()).count("shares") == scores.scale.k  # whatever they are called
        named = dict.fromkeys(keys.values()) if every else map(str, scores.measures)
        how: dict[str, Any] = {
            "measures": ", ".join(named),
            "primary": None if self.primary == scores.measures[0] else self.primary.key,
            "aggregate": "pool" if scores.topics and scores.aggregate == "pool" else None,
            "undefined": scores.replaced,
        }
        asked = {name: value for name, value in how.items() if value is not None}
        return Call(names[self.kind], {**about, **scale, **asked})

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
            The measure. Measures of numbers have Dirichlet intervals over items and t intervals
            over units, those of probabilities t intervals, except where the scores of topics are
            resampled.

        Returns
        -------
        Intervals
            The intervals of all measures.
        """
        assert self.intervals is not None
        intervals, scores = self.intervals, self.scores
        raw = measure is not None and scores.is_raw(parse_measure(measure))
        forecast = measure is not None and parse_measure(measure).record.task == "probabilities"
        if not raw and not forecast:
            return intervals
        if intervals.over == "both":
            return replace(intervals, method="t", over="topics")
        of_topics = scores.per_topic is not None and scores.aggregate == "mean"
        if of_topics and intervals.over != "items":
            return intervals
        averaged = of_topics and len(scores.topics) > 1
        over_items = intervals.over == "items" and not averaged
        return replace(intervals, method="dirichlet" if over_items and raw else "t")

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


def _rank(oriented: Floats, place: int) -> int | None:
    """One more than the number of better systems; None without a score."""
    own = oriented[place]
    return None if np.isnan(own) else 1 + int((oriented > own + SAME_SCORE).sum())


def _letters(groups: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    letters: dict[str, str] = {}
    for number, group in enumerate(groups):
        for system in group:
            letters[system] = letters.get(system, "") + lettered(number)
    return letters


def difference_words(result: Result, pair: Pair, number: str) -> str:
    """Return a difference in words, which a judge may correct otherwise than the two scores."""
    first, second = (
        result.standing(name, pair.measure).value for name in (pair.first, pair.second)
    )
    own = result.judge is not None and abs(first - second - pair.value) > _ROUNDED
    return f"estimated by itself, the difference is {number}" if own else f"difference {number}"
