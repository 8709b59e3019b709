"""Intervals of the figures of several raters: coefficients, severities and consistencies."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from ..data.counts import miscounted
from ..data.data import Data
from ..data.raters import values_of
from ..errors import InputError
from ..measures.raters import RaterSums
from ..measures.spec import Measure
from ..notes import Note
from ..results import ONE_CLASS, Estimate
from ..stats.intervals import Interval, t_interval, t_quantile
from ..stats.panels import SummedPanel, draws_interval, group_interval, linear_errors
from ..stats.resample import effective_number, stream
from ..types import Codes, Floats, RaterUnits
from .sample import Settings

_MOST_COUNTING, _MOST_CLASSES = 20, 100  # raters and classes for which miscounting is looked for

MOST_UNITS = 1000  # groups of clusters that are left out one at a time
_FEW_SHARED = 10  # items below which intervals cover less than they say
_FEW_CLUSTERS = 5  # below which t intervals rest on the normal distribution of figures
_LEAST_SHARED = 5  # items below which figures of a rater have no interval
_NO_SPREAD = 1e-4  # standard errors of the width of intervals below which they are rounding
_OWN_UNITS = 30  # items or clusters below which the number of a rater's own ones matters
_MOST_ITEMS = 5 * 10**6  # items that are told apart in groups
_GROUPED_NUMBERS = 2**24  # numbers in the sums of all groups


@dataclass(frozen=True, eq=False)
class Study:
    """What figures of all raters are made from; the panel has the raters of the data."""

    data: Data
    panel: SummedPanel
    measures: tuple[Measure, ...]
    settings: Settings
    unit: RaterUnits

    @property
    def clustered(self) -> bool:
        """Whether clusters of items are resampled, by themselves or beside raters."""
        return self.panel.cluster is not None

    @property
    def method(self) -> Literal["t", "dirichlet"]:
        """The kind of interval."""
        drawable = self.panel.drawable(self.settings.draws)
        return "t" if self.clustered or not drawable else "dirichlet"

    @property
    def one_class(self) -> str:
        """Why no interval says anything where the scale has one class; else empty."""
        return ONE_CLASS if self.panel.scale.k == 1 else ""

    def few_clusters(self, clusters: int) -> str:
        """Say that there are few clusters, if these are resampled."""
        if not self.clustered or clusters >= _FEW_CLUSTERS:
            return ""
        several = f"there are fewer than {_FEW_CLUSTERS} clusters"
        return "there is only one cluster" if clusters == 1 else several

    # Figures.

    def figures(self, sums: RaterSums) -> Floats:
        """Return coefficients and, if sums have moments, severities and consistencies."""
        scores = [np.reshape(m.kernel(sums, self.panel.values), (1, -1)) for m in self.measures]
        of_raters = () if sums.moments is None else rater_moments(sums.moments)
        return np.concatenate([*scores, *of_raters])  # `[M + 2R, B]`

    @cached_property
    def bounds(self) -> Floats:
        """The lowest and highest possible figures: `[M + 2R, 2]`."""
        raters, widest = len(self.data.names), self._widest
        coefficients = [m.bounds(self.panel.scale) for m in self.measures]
        return np.array([*coefficients, *[(-widest, widest)] * raters, *[(-1.0, 1.0)] * raters])

    def coefficients(self) -> dict[Measure, Estimate]:
        """Return the coefficients by measure, with why they are undefined or doubtful."""
        panel, shared = self.panel, float(self.panel.items[self.panel.ratings > 1].sum())
        few = self.one_class or self.few_clusters(len(self.data.units.clusters))
        if not few and shared < _FEW_SHARED:
            few = f"fewer than {_FEW_SHARED} items have two ratings"
        few = few if self.settings.draws else ""  # there is no interval to doubt
        rows = {}
        for place, m in enumerate(self.measures):
            undefined = math.isnan(self.interval.estimate[place])
            doubt = m.why_undefined(panel.total, panel.values) if undefined else few
            rows[m] = estimate_of(self.interval, place, doubt)
        return rows

    def of_raters(self) -> tuple[list[Estimate], list[Estimate]]:
        """Return the severities and the consistencies of all raters."""
        if not self.panel.moments:
            panel = replace(self.panel, moments=True)
            return replace(self, panel=panel, measures=()).of_raters()
        m, raters = len(self.measures), len(self.data.names)
        severity, consistency = [], []
        for g, own in enumerate(map(self._own, range(raters))):
            none = "" if own.items else "no item is shared with other raters"
            lean = self._doubted(own, estimate_of(self.interval, m + g, none))
            severity.append(self._severity(own, lean))
            alike = estimate_of(self.interval, m + raters + g, self._inconsistent(g, own))
            consistency.append(self._doubted(own, alike))
        return severity, consistency

    def _inconsistent(self, rater: int, own: "OwnItems") -> str:
        """Say why the consistency of a rater is undefined; empty if it is not."""
        if not math.isnan(self.interval.estimate[rater - len(self.data.names)]):
            return ""
        if own.items < 2:
            return "fewer than 2 items are shared with other raters"
        shared = self.panel.rated[:, rater] & (self.panel.ratings > 1)
        if len(np.unique(self.panel.codes[shared, rater])) < 2:
            return "the rater gives one class only"
        return "the mean of the other raters is the same on all items"

    @cached_property
    def _apart(self) -> Floats:
        """The class value of every rater minus the mean of the others' `[row, rater]`.

        It says nothing where a rater, or all others, did not rate the items of a row.
        """
        own = values_of(self.panel.codes, self.panel.values)
        others = own.sum(axis=1, keepdims=True) - own
        return np.asarray(own - others / np.maximum(self.panel.ratings - 1, 1)[:, None])

    @property
    def _widest(self) -> float:
        """The largest possible difference of two ratings."""
        return float(self.panel.values[-1] - self.panel.values[0])

    def _own(self, rater: int) -> "OwnItems":
        """Return the items that a rater shares with others."""
        panel = self.panel
        shared = panel.rated[:, rater] & (panel.ratings > 1)
        clusters = None if panel.cluster is None else len(np.unique(panel.cluster[shared]))
        apart, items, weight = self._apart[shared, rater], panel.items[shared], panel.weight[shared]
        if not len(items):
            return OwnItems(0, 0.0, math.nan, clusters)
        weights = items * weight
        n = float(effective_number(weights.sum(), (weights * weight).sum()))
        mean = float(weights @ apart / weights.sum())
        step = self._widest / max(panel.scale.k - 1, 1)
        squares = float(weights @ (apart - mean) ** 2 / weights.sum()) * n + step**2
        units = n if clusters is None else min(n, float(clusters))
        se = math.sqrt(squares / (n * max(n - 1, 1.0)))
        return OwnItems(int(items.sum()), units, se, clusters)

    def _doubted(self, own: "OwnItems", estimate: Estimate) -> Estimate:
        """Return a figure without an interval, or with a doubtful one, if items are few."""
        if math.isnan(estimate.value) or not self.settings.draws:
            return estimate
        few = "fewer than {} items are shared with other raters"
        if own.items < _LEAST_SHARED:
            return Estimate(estimate.value, doubt=few.format(_LEAST_SHARED))
        if own.clusters == 1:
            one = "the items that are shared with other raters are of one cluster"
            return Estimate(estimate.value, doubt=one)
        doubt = self.one_class
        if not doubt and own.items < _FEW_SHARED:
            doubt = few.format(_FEW_SHARED)
        elif not doubt and own.clusters is not None:
            doubt = self.few_clusters(own.clusters)
        return replace(estimate, doubt=doubt)

    def _severity(self, own: "OwnItems", lean: Estimate) -> Estimate:
        """Return a severity whose interval allows for the number of the rater's own items."""
        if math.isnan(lean.low) or own.units >= _OWN_UNITS:
            return lean
        se = own.se if math.isnan(lean.se) else max(lean.se, own.se)
        half = float(t_quantile(max(own.units - 1, 1.0), self.settings.ci)) * se
        low, high = max(lean.value - half, -self._widest), min(lean.value + half, self._widest)
        return replace(lean, low=min(lean.low, low), high=max(lean.high, high), se=se)

    # Intervals.

    @cached_property
    def interval(self) -> Interval:
        """All figures with their intervals."""
        settings, panel = self.settings, self.panel
        if not settings.draws:
            return without_interval(self.figures(panel.total)[:, 0], settings.ci)
        if self.clustered:
            interval = self._over_clusters()
        elif self.method == "dirichlet":
            interval = self._drawn(panel)
            if panel.linearisable:
                interval = replace(interval, se=linear_errors(panel, self.figures))
        else:
            interval = self._linearised() if panel.linearisable else self._left_out()
        if self.method == "t" and settings.progress is not None:  # nothing was drawn
            settings.progress(1, 1)
        return self._with_raters(interval) if self.unit == "both" else interval

    def _drawn(self, panel: SummedPanel, *, quiet: bool = False) -> Interval:
        """Return intervals from sums drawn around the data."""
        plan = self.settings.plan(self.settings.draws, quiet=quiet)
        return draws_interval(panel, self.figures, self.bounds, plan, self.settings.ci)

    def _linearised(self) -> Interval:
        """Return t intervals from linearised standard errors."""
        estimate, ci = self.figures(self.panel.total)[:, 0], self.settings.ci
        se = linear_errors(self.panel, self.figures)
        half = t_quantile(max(self.panel.effective - 1, 1.0), ci) * se
        plain = without_interval(estimate, ci)
        return within(replace(plain, low=estimate - half, high=estimate + half, se=se), self.bounds)

    def _left_out(self) -> Interval:
        """Return t intervals from leaving out groups of items, where sums have many numbers."""
        panel = self.panel
        if panel.items.sum() <= _MOST_ITEMS:
            panel = panel.item_by_item()  # equal items in one group would vary too much
        rows = len(panel.codes)
        groups = min(rows, max(20, _GROUPED_NUMBERS // panel.size), MOST_UNITS)
        group = stream(self.settings.seed, "rows").permutation(rows) % groups
        interval = group_interval(panel, self.figures, group, groups, self.settings.ci)
        return within(interval, self.bounds)

    def _over_clusters(self) -> Interval:
        """Return t intervals from leaving out clusters, one at a time."""
        panel, clusters = self.panel, len(self.data.units.clusters)
        assert panel.cluster is not None
        group, groups = few_groups(panel.cluster, clusters, self.settings.seed)
        interval = group_interval(panel, self.figures, group, groups, self.settings.ci)
        few = replace(panel, items=panel.items * (groups / float(panel.items.sum())))
        return widened(within(interval, self.bounds), lambda: self._drawn(few, quiet=True))

    def _with_raters(self, interval: Interval) -> Interval:
        """Widen the intervals of coefficients by what other raters would change.

        The standard error over raters is that of the jackknife, as in Gwet (2014).
        """
        raters, m, value = len(self.data.names), len(self.measures), interval.estimate
        sums = [self.panel.without_rater(g).total for g in range(raters)]
        left_out = [[float(k.kernel(s, self.panel.values)[0]) for s in sums] for k in self.measures]
        se = np.zeros_like(value)
        se[:m] = t_interval(value[:m], np.reshape(left_out, (m, raters)), interval.level).se
        half = t_quantile(raters - 1, interval.level) * se
        low = value - np.hypot(value - interval.low, half)
        high = value + np.hypot(interval.high - value, half)
        return within(
            replace(interval, low=low, high=high, se=np.hypot(interval.se, se)), self.bounds
        )


class OwnItems(NamedTuple):
    """The items that one rater shares with others: their number, and that of their clusters.

    `units` is their effective number, or that of their clusters; `se` the standard error of the
    mean difference from the others, with an item added that differs by one step of the scale.
    """

    items: int
    units: float
    se: float
    clusters: int | None


def estimate_of(interval: Interval, place: int, doubt: str) -> Estimate:
    """Return one of several figures.

    A standard error of 0 beside an interval with a width is none: the formula does not apply where
    all items say the same.
    """
    figures = (interval.estimate, interval.low, interval.high, interval.se)
    value, low, high, se = (float(x[place]) for x in figures)
    if se <= _NO_SPREAD * (high - low) and high > low:
        se = math.nan
    return Estimate(value, low, high, se, doubt)


def few_groups(cluster: Codes, clusters: int, seed: int) -> tuple[Codes, int]:
    """Return the group of every row, and how many there are: clusters, or some of many together."""
    if clusters <= MOST_UNITS:
        return cluster, clusters
    places = stream(seed, "clusters").permutation(clusters) % MOST_UNITS
    return np.asarray(places[cluster]), MOST_UNITS


def within(interval: Interval, bounds: Floats) -> Interval:
    """Return intervals without what is beyond bounds `[M, 2]`."""
    low, high = bounds.T
    return replace(
        interval, low=np.maximum(interval.low, low), high=np.minimum(interval.high, high)
    )


def widened(interval: Interval, like_items: Callable[[], Interval]) -> Interval:
    """Return intervals over clusters, those of no width as of as many items as clusters."""
    flat = (interval.se == 0) & ~np.isnan(interval.estimate)
    if not flat.any():
        return interval
    wide = like_items()
    low, high = np.fmin(wide.low, interval.estimate), np.fmax(wide.high, interval.estimate)
    return interval.where(flat, low, high)


def without_interval(estimate: Floats, level: float) -> Interval:
    """Return figures without intervals."""
    none = np.full(estimate.shape, np.nan)
    zero = np.zeros(estimate.shape, dtype=np.int64)
    return Interval(estimate, none, none, none, zero, "t", level, 0)


def rater_moments(moments: Floats) -> tuple[Floats, Floats]:
    """Return severities and consistencies `[rater, B]` from sums `[B, rater, 6]`.

    Severity is the mean of the own class values minus that of the others; consistency is the
    correlation of both.
    """
    count, x, y, xx, yy, xy = np.moveaxis(moments, -1, 0)
    n = np.where(count > 0, count, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        varied = (xx / n - (x / n) ** 2) * (yy / n - (y / n) ** 2)
        together = xy / n - x * y / n**2
        correlation = together / np.sqrt(np.where(varied > 1e-20, varied, np.nan))
    return ((x - y) / n).T, np.clip(correlation, -1.0, 1.0).T


def units_of(data: Data, over: RaterUnits | None) -> RaterUnits:
    """Return what intervals are over; by default clusters where there are any, else items."""
    if over == "clusters" and data.units.cluster is None:
        raise InputError(
            "Intervals over clusters need clusters, and none are given.",
            parameter="over",
            hint="Name them with {cluster}.",
            suggest={"cluster": ...},
        )
    if over == "both" and not data.named:
        hint = "Leave {over} out, or give a column per rater."
        raise unnamed("Intervals over items and raters", "over", hint)
    return over or ("items" if data.units.cluster is None else "clusters")


def unnamed(what: str, parameter: str, hint: str) -> InputError:
    """Return the error for what lists without names of raters cannot tell."""
    message = (
        f"{what} need to know who gave which rating, and lists of different length do not say."
    )
    return InputError(message, parameter=parameter, hint=hint, suggest={parameter: ...})


def miscounting(data: Data) -> Iterator[Note]:
    """Warn of raters who seem to count the classes otherwise than the first one."""
    raters = len(data.names)
    if not data.named or not 2 <= raters <= _MOST_COUNTING or data.scale.k > _MOST_CLASSES:
        return
    tables, first = data.tables([(0, i) for i in range(1, raters)])[0], data.names[0]
    yield from miscounted(tables, data.names[1:], data.scale, "Ratings", f"those of {first!r}")
