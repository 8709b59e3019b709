"""How many units a study needs, by closed forms and by simulated tables.

With a standard deviation σ per unit, n units have a standard error σ/√n, from which the expected
width of an interval and the power of a test follow (noncentral t). `search` corrects this by
simulation: where n simulated units do as well as e units by the formula, the ratio e/n changes
slowly with n, so that a few sizes are enough. Tables are drawn at each size and given to the
package's own interval or test. The figure divided by its standard error, which is far cheaper, is
compared with Student's t for many more tables and serves as a control variate.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..errors import InputError
from ..measures.influence import item_influence
from ..measures.spec import Measure
from ..types import Codes, Floats, Ints
from .intervals import t_quantile
from .max_t import max_t_tables
from .resample import Plan, stream
from .table_intervals import FilledCells, drawn_interval
from .unit_tables import UnitTables

MOST = 10.0**9  # units beyond which a goal is called out of reach
MOST_ALIKE = 0.98  # of two systems, whose difference would have no spread otherwise
_MOST_RATERS = 100
_PARTS = (0.25, 0.5, 0.75, 1, 1.5, 2)  # of the number, in tables
_ROUNDS = 6
_FEWEST = 10  # units whose standard error says how many more are needed
_NEAR = 2.0  # the ratio of sizes that are taken together
_STEP = math.log(3)  # at most between two sizes
_BESIDE = 0.1  # how far the number may be from a simulated one
_SLOPE_ERROR, _LEAST_SLOPE = 1.0, 0.3  # of amounts by the formula, on sizes
_TRIALS, _DRAWS = 999, 500  # of each simulated test and interval
_REAL, _FAST_PER_REAL = 800, 10  # tables at each size; fewer on long scales
_PART = 0.25  # of them at the first size, and at others for the curve
_MOST_CELLS, MOST_COST = 2**14, 2**12


def crossing(below: Callable[[float], bool], low: float, high: float) -> float:
    """Return where something that holds from `low` on ends, at `high` at the latest."""
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


@dataclass(frozen=True)
class Goal:
    """What a study is to reach: a mean width, or a probability of finding something out.

    `size` is the width, the difference to find or the margin; `true` the difference of systems that
    are equivalent within the margin. Outcomes are widths, or powers. Intervals of n units are
    `wider` / n times wider than those of Student's t.
    """

    kind: Literal["width", "difference", "margin"]
    size: float
    power: float = 0.8
    level: float = 0.95
    true: float = 0.0
    wider: float = 0.0

    @property
    def target(self) -> float:
        """The outcome asked for."""
        return self.size if self.kind == "width" else self.power

    @property
    def reach(self) -> float:
        """The level of the interval that decides."""
        return max(2 * self.level - 1, 0.0) if self.kind == "margin" else self.level

    @property
    def apart(self) -> float:
        """The true difference of two systems."""
        return self.size if self.kind == "difference" else self.true

    def outcome(self, n: float, variance: float) -> float:
        """Return the expected outcome of n units, any number above 1, by the closed form."""
        from scipy.special import gammaln, nctdtr  # slow to import

        df, se = n - 1, math.sqrt(variance / n)
        t = float(t_quantile(df, self.reach))
        if self.kind == "width":
            shrunk = math.exp(gammaln(n / 2) - gammaln(df / 2)) * math.sqrt(2 / df)
            return 2 * t * se * (shrunk if n < 1e6 else 1.0) * (1 + self.wider / n)
        apart = (self.size - self.true, self.size + self.true)[: 1 + (self.kind == "margin")]
        # The function fails where the probability is 0.
        return max(1 - sum(float(np.nan_to_num(nctdtr(df, d / se, t))) for d in apart), 0.0)

    def needed(self, variance: float, outcome: float | None = None) -> float:
        """Return the number of units, not rounded, that have an outcome; infinite if none has."""
        target, ends = self.target if outcome is None else outcome, (math.log(1.5), math.log(MOST))

        def short(size: float) -> bool:
            wide = self.outcome(math.exp(size), variance) - target
            return wide > 0 if self.kind == "width" else wide < 0

        return math.inf if short(ends[1]) else math.exp(crossing(short, *ends))

    def of(self, low: Any, high: Any) -> Floats:
        """Return the outcomes of intervals."""
        if self.kind == "width":
            return np.asarray(high - low)
        found = low > 0 if self.kind == "difference" else (low > -self.size) & (high < self.size)
        return np.asarray(found, dtype=np.float64)


@dataclass(frozen=True, order=True)
class Size:
    """A number of units, the width or power that they have, and the error of simulating it."""

    n: int
    outcome: float
    error: float = 0.0


Found = tuple[float, float, float, tuple[Size, ...]]
"""The number of units that a goal needs, its range by simulation, and the sizes tried."""
Simulate = Callable[[int, float], tuple[float, float]]
"""Returns the outcome of a size and its standard error, by a part of the usual simulations."""


def by_formula(goal: Goal, variance: float) -> Found:
    """Return the number of units by the closed form, and sizes around it.

    An exchange of fewer units than `least` has no p-value below the level, whatever the data.
    """
    least = 2 if goal.kind == "width" else math.ceil(1 + math.log2(1 / (1 - goal.reach)) + 1e-9)
    n = max(goal.needed(variance), least)
    parts = _PARTS if n < math.inf else ()
    sizes = sorted({max(least, math.ceil(n * part)) for part in parts})
    return n, n, n, tuple(Size(s, goal.outcome(s, variance)) for s in sizes)


def raters_needed(goal: Goal, items: int, variances: Sequence[float]) -> Found:
    """Return how many raters have a width on so many items, from variances of 2, 3 and 4 raters.

    A coefficient that is a function of means over pairs of raters and over ratings has an influence
    of each item that is a U-statistic of its ratings, of degree 2. With r raters, the variance of
    such a statistic is V + (a·(r − 2) + b) / (r·(r − 1)); V is that of items alone.
    """

    def terms(raters: float) -> Floats:
        return np.array([1.0, (raters - 2) / raters / (raters - 1), 1 / raters / (raters - 1)])

    parts = np.linalg.solve([terms(raters) for raters in (2, 3, 4)], variances)

    def width(raters: float) -> float:
        return goal.outcome(items, max(float(terms(raters) @ parts), 0.0))

    n = next((raters for raters in range(2, _MOST_RATERS + 1) if width(raters) <= goal.size), None)
    if n is None:
        text = f"{_MOST_RATERS} raters of {items:,} items have a width of "
        text += f"{width(_MOST_RATERS):.3g}, and no number of raters has less than "
        text += f"{width(1e9):.3g}: items vary, too."
        raise InputError(text, parameter="items")
    sizes = sorted({max(2, math.ceil(n * part)) for part in _PARTS} | {2, max(2, n - 1)})
    return n, n, n, tuple(Size(raters, width(raters)) for raters in sizes)


def more_units(
    goals: Sequence[Goal], se: float, units: int, unit: str, without: float = math.inf
) -> str:
    """Say how many more units reach the nearest of some goals; empty if few units do not tell.

    `se` is the standard error of so many units; so many items are `without` one.
    """
    known = se > 0 and units >= _FEWEST and all(goal.size >= 0 for goal in goals)
    needed = min(goal.needed(se**2 * units) for goal in goals) if known else 0.0
    if needed <= units:
        return ""
    if needed > 100 * units:
        return f"to decide it would take more than 100 times as many {unit}s"
    more = math.ceil(needed - units)
    about = round(more, 1 - math.floor(math.log10(more)))
    said = f"about {about:,} more {unit}{'s' * (about > 1)} would decide it"
    return said if more <= without else f"{said}, more than the {without:,} items without one"


def more_of_groups(p: float, groups: int, level: float, units: int, unit: str) -> str:
    """Say how many more units would show that groups differ; empty if p does not tell.

    They are taken to differ as they do here, less what chance adds to their spread: a chi squared
    has its degrees of freedom without any difference.
    """
    from scipy.special import chdtri, chndtrinc  # slow to import

    goal = Goal("difference", 1.0, level=level)

    def noncentral(df: int) -> float:
        return float(chndtrinc(chdtri(df, 1 - level), df, 1 - goal.power))

    found = float(chdtri(groups - 1, p)) - (groups - 1)
    # The standard error of a single difference that needs as many units.
    se = math.sqrt(noncentral(groups - 1) / noncentral(1) / found) if found > 0 else 0.0
    return more_units([goal], se, units, unit)


def search(goal: Goal, variance: float, simulate: Simulate, progress: Any = None) -> Found:
    """Return the number of units whose simulated outcome is that of the goal, which some have."""
    formula, tried, least = goal.needed(variance), dict[int, Size](), 4
    n = low = high = max(formula, least)

    def at(size: int, part: float) -> Size:
        if size not in tried or part == 1.0:
            tried[size] = Size(size, *simulate(size, part))
            if progress is not None:
                progress(len(tried), max(_ROUNDS + 3, len(tried)))
        return tried[size]

    def amount(size: Size, errors: int) -> float:
        """Return the logarithm of the units that have an outcome by the formula, errors off."""
        outcome = max(size.outcome + errors * size.error, 1e-3 * goal.target)
        outcome = outcome if goal.kind == "width" else min(outcome, 0.999)
        return math.log(min(goal.needed(variance, outcome), MOST) / formula)

    for turn in range(_ROUNDS):
        size = at(round(n), 1.0 if turn else _PART)
        near = [other for other in tried.values() if 1 / _NEAR <= other.n / size.n <= _NEAR]
        amounts = np.array([[amount(other, errors) for errors in (-2, 0, 2)] for other in near])
        errors = np.maximum(np.abs(amounts[:, 2] - amounts[:, 0]) / 4, 0.01)
        change, ratio = _crossing(np.log([o.n / size.n for o in near]), amounts[:, 1], errors)
        n = max(size.n * math.exp(min(max(change, -_STEP), _STEP)), least)
        low, high = n / ratio, n * ratio
        beside = min(max((high - low) / 4, 0.01 * size.n, 1.0), _BESIDE * size.n)
        if turn and abs(n - size.n) <= beside:
            break
    for part in (0.25, 0.5, 2.0):
        at(max(least, round(part * n)), _PART)
    return n, max(min(low, n), least), max(high, n), tuple(sorted(tried.values()))


def _crossing(places: Floats, amounts: Floats, errors: Floats) -> tuple[float, float]:
    """Return where a line through amounts is 0, and the ratio that is two errors of that place.

    By the formula amounts grow like sizes: a slope of 1, from which few sizes lead no farther than
    their errors allow.
    """
    line = np.stack([np.ones(len(places)), places])
    weights = errors**-2
    known = (line * weights) @ line.T + np.diag([0.0, _SLOPE_ERROR**-2])
    level, slope = np.linalg.solve(known, (line * weights) @ amounts + [0.0, _SLOPE_ERROR**-2])
    slope = max(float(slope), _LEAST_SLOPE)
    at = np.array([1.0, -float(level) / slope])
    return float(at[1]), math.exp(2 * math.sqrt(at @ np.linalg.solve(known, at)) / slope)


# Populations of items.


def confusion(k: int, accuracy: float, decay: float) -> Floats:
    """Return the chances [gold, predicted] of a system whose errors fall off with every step."""
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    wrong = np.where(steps > 0, decay**steps, 0.0)
    wrong *= (1 - accuracy) / wrong.sum(axis=1, keepdims=True)
    return np.asarray(accuracy * np.eye(k) + wrong)


def coupled(first: Floats, second: Floats, alike: float) -> Floats:
    """Return the chances [gold, first, second] of two systems with chances [gold, predicted].

    Given gold, they are independent on a share 1 − `alike` of the items; on the others they predict
    the same as often as their chances allow. `alike` is the correlation of errors where both have
    the same chances.
    """
    same = np.minimum(first, second)
    left = np.maximum(1 - same.sum(axis=1), 1e-300)[:, None]
    both = np.einsum("ga,gb->gab", (first - same) / left, second - same)
    both += np.einsum("ga,ab->gab", same, np.eye(same.shape[1]))
    return np.asarray(alike * both + (1 - alike) * np.einsum("ga,gb->gab", first, second))


def judged_variance(cells: Floats, effects: Floats, judge: Floats) -> float:
    """Return the variance of what a gold label adds beside a judge with many more labels.

    `cells` [K, ...] are the shares of items by gold class and what else is known of them, `effects`
    [K, ...] how they change a figure, and `judge` [K, K] its chances given gold. As in
    `stats.judge_labels`, its class stands for shares of gold, and λ is the best one.
    """
    cells, effects = (x.reshape(len(judge), -1) for x in (cells, effects))
    effects = effects - (cells * effects).sum()
    stands_for = cells.sum(axis=1, keepdims=True) * judge
    stands_for = stands_for / np.maximum(stands_for.sum(axis=0), 1e-300)
    known = stands_for.T @ effects  # by the judge's class
    known = known - ((judge.T @ cells) * known).sum()
    product = float(((judge @ known) * cells * effects).sum())
    square = float(((judge.T @ cells) * known**2).sum())
    weight = min(max(product / square, 0.0), 1.0) if square > 0 else 0.0
    return float((cells * effects**2).sum()) - 2 * weight * product + weight**2 * square


@dataclass(frozen=True, eq=False)
class Population:
    """The cells of one system, or of two on the same items, with their shares.

    `codes` [S, C] are g·K + p of every system. The figure is the score of the system, or by how
    much the first is better than the second.
    """

    measure: Measure
    k: int
    values: Floats
    bounds: tuple[float, float]
    codes: Codes
    shares: Floats

    @classmethod
    def of(cls, measure: Measure, scale: Any, chances: Floats) -> "Population":
        """Take the shares [gold, predicted] of one system, or [gold, first, second] of two."""
        gold, *predicted = at = np.nonzero(chances)
        shares, codes = chances[at], gold * scale.k + np.stack(predicted)
        if len(shares) > _MOST_CELLS:  # of long scales a large sample stands for all
            counts = stream(0, "cells").multinomial(_MOST_CELLS, shares / shares.sum())
            codes, shares = codes[:, counts > 0], counts[counts > 0].astype(np.float64)
        on, bounds = measure.on(scale), measure.bounds(scale)
        return cls(on, scale.k, scale.numbers, bounds, codes, shares / shares.sum())

    def cells(self, weights: Floats, used: Any = slice(None)) -> FilledCells:
        """Return some cells with weights."""
        return FilledCells(self.codes[:, used], weights, weights, 1, self.k)

    def statistic(self, tables: Floats) -> Floats:
        """Return the scores [1, ...] of tables."""
        return np.asarray(self.measure.kernel(tables, self.values))[None]

    def influences(self, tables: Floats) -> list[Floats]:
        """Return the influences [1, ..., K, K] of items on the scores of tables."""
        flat = tables.reshape(-1, self.k, self.k)
        return [item_influence(self.measure, flat, self.values).reshape(tables.shape)]

    def figures(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Return figures [b] of counts [b, C], their standard errors, and influences [b, C]."""
        tables = self.cells(self.shares).tables(counts)[:, :, 0]
        scores, (influences,) = self.statistic(tables)[0], self.influences(tables)
        slopes = influences.reshape(*tables.shape[:2], -1)
        figure, change = scores[:, 0], slopes[:, 0, self.codes[0]]
        if len(self.codes) == 2:
            figure = self.measure.sign * (figure - scores[:, 1])
            change = self.measure.sign * (change - slopes[:, 1, self.codes[1]])
        change = np.where(counts > 0, change, 0.0)
        return figure, np.sqrt((counts * change**2).sum(axis=1)) / counts.sum(axis=1), change

    @cached_property
    def figure(self) -> float:
        """The figure of the population."""
        return float(self.figures(self.shares[None])[0][0])

    @cached_property
    def variance(self) -> float:
        """The variance of the figure, times the number of items."""
        return float(self.figures(self.shares[None])[1][0]) ** 2

    def tilted(self, figure: float) -> "Population":
        """Return the nearest population (exponential tilting) with another figure."""
        sign, slopes = 1 if figure > self.figure else -1, self.figures(self.shares[None])[2][0]

        def moved(by: float) -> Population:
            weights = self.shares * np.exp(np.clip(sign * by * slopes / self.variance, -300, 300))
            return replace(self, shares=weights / weights.sum())

        def short(by: float) -> bool:
            return not sign * (moved(by).figure - figure) >= 0

        far = next((2.0**i for i in range(-9, 9) if not short(2.0**i)), None)
        if far is None:
            text = f"With such items, a difference of {figure:.4g} is out of reach."
            raise InputError(text, parameter="difference")
        return moved(crossing(short, 0.0, far))

    # Simulation.

    @property
    def cost(self) -> float:
        """The work that a test takes; up to `MOST_COST`, simulation takes seconds."""
        record = self.measure.record
        return self.k**2 * (1 if record.influence else self.k**2) if record.batched else math.inf

    def simulate(self, goal: Goal, n: int, seed: int, part: float) -> tuple[float, float]:
        """Return the outcome of n items and its error, by a part of the usual simulations."""
        most = _REAL if goal.kind != "width" else _REAL // 4  # widths vary little
        real = max(20, round(part * min(most, 2**16 // int(self.cost))))
        step = max(1, 2**21 // max(len(self.shares), 2 * self.k**2))
        t, fast, both = float(t_quantile(max(n - 1, 1), goal.reach)), [], []
        for start in range(0, _FAST_PER_REAL * real, step):
            size = min(step, _FAST_PER_REAL * real - start)
            counts = stream(seed, "plan", n, start).multinomial(n, self.shares, size=size)
            with np.errstate(divide="ignore", invalid="ignore"):
                figure, se, _ = self.figures(counts.astype(np.float64))
            fast.append(goal.of(figure - t * se, figure + t * se))
            some = counts[: max(0, real - start)]
            own = [self._outcome(goal, row, seed + i) for i, row in enumerate(some)]
            both.append(np.array(own) - fast[-1][: len(own)])
        cheap, change = (x[~np.isnan(x)] for x in (np.concatenate(fast), np.concatenate(both)))
        if not len(change):
            return math.nan, math.nan
        variance = cheap.var() / len(cheap) + change.var() / len(change)
        if goal.kind != "width":  # a test that differs may not have been among those simulated
            variance += len(change) ** -2.0
        outcome = float(cheap.mean() + change.mean())
        return outcome if goal.kind == "width" else min(max(outcome, 0.0), 1.0), math.sqrt(variance)

    def _outcome(self, goal: Goal, row: Ints, seed: int) -> float:
        """Return the outcome of the interval or test that evaluation makes of counts."""
        used, plan = row > 0, Plan(_TRIALS, seed)
        if len(self.codes) == 1:
            cells, plan = self.cells(row[used].astype(np.float64), used), Plan(_DRAWS, seed)
            cut = drawn_interval(cells, self.statistic, plan, goal.level, [self.bounds])
            return float(goal.of(*np.clip([cut.low[0], cut.high[0]], *self.bounds)))
        units = UnitTables(self.codes[:, used], (1, self.k, self.k), row[used])
        test = max_t_tables(units, self.statistic, plan, influences=self.influences)
        ends = [end[0, 0, 1] * self.measure.sign for end in test.intervals(goal.reach)]
        return float(goal.of(min(ends), max(ends)))
