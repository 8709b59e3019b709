"""Intervals of the figures of several raters: coefficients, severities and consistencies."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from ..data.data import Data
from ..data.raters import values_of
from ..data.units import Units
from ..measures.raters import RaterSums
from ..measures.spec import Measure
from ..results import ONE_CLASS, Estimate
from ..stats.intervals import Interval, t_interval, t_quantile
from ..stats.panels import (
    Panel,
    draws_interval,
    group_interval,
    linear_errors,
    linearisable,
)
from ..stats.resample import effective_number, stream
from ..types import Codes, Floats, RaterUnits
from .sample import Settings

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
    """What figures of all raters are made from."""

    data: Data
    panel: Panel
    measures: tuple[Measure, ...]
    settings: Settings
    unit: RaterUnits

    @cached_property
    def rated(self) -> Codes:
        """How many raters rated the items of each row."""
        return np.asarray(self.panel.rated.sum(axis=1))

    @cached_property
    def rows(self) -> Data:
        """The different rows of ratings, and how many items have them."""
        panel, weighted = self.panel, self.data.weighted
        count = panel.items.astype(np.int64)
        units = Units(len(count), count, panel.weight if weighted else None)
        codes = panel.codes.T.astype(self.data.codes.dtype)
        return replace(self.data, codes=codes, units=units)

    @cached_property
    def shared(self) -> Floats:
        """The number of items that two raters rated: `[rater, rater]`."""
        given = self.panel.rated.T.astype(np.float64)
        return np.asarray((given * self.panel.items) @ given.T)

    @property
    def clustered(self) -> bool:
        """Whether clusters of items are resampled, by themselves or beside raters."""
        return self.panel.cluster is not None

    @property
    def method(self) -> Literal["t", "dirichlet"]:
        """The kind of interval."""
        drawable = self.panel.drawable(self.settings.bootstrap)
        return "t" if self.clustered or not drawable else "dirichlet"

    def figures(self, sums: RaterSums) -> Floats:
        """Return coefficients, severities and consistencies `[M + 2R, B]`.

        Without moments, of which the latter are made, there are coefficients only.
        """
        scores = [np.reshape(m.kernel(sums, self.panel.values), (1, -1)) for m in self.measures]
        of_raters = () if sums.moments is None else rater_moments(sums.moments)
        return np.concatenate([*scores, *of_raters])

    def bounds(self) -> Floats:
        """Return the lowest and highest possible figures: `[M + 2R, 2]`."""
        scale, raters = self.data.scale, len(self.data.names)
        widest = float(scale.numbers[-1] - scale.numbers[0])
        return np.array(
            [
                *(m.bounds(scale) for m in self.measures),
                *[(-widest, widest)] * raters,
                *[(-1.0, 1.0)] * raters,
            ]
        )

    @cached_property
    def _found(self) -> Interval:
        """All figures, with their intervals."""
        return self.interval()

    def coefficients(self) -> dict[Measure, Estimate]:
        """Return the coefficients by measure."""
        found, reasons = self._found, self._reasons(self._found.estimate)
        rows = [estimate_of(found, i, reason) for i, reason in enumerate(reasons)]
        return dict(zip(self.measures, rows, strict=True))

    def of_raters(self) -> tuple[list[Estimate], list[Estimate]]:
        """Return the severities and the consistencies of all raters."""
        if not self.panel.moments:
            panel = replace(self.panel, moments=True)
            return replace(self, panel=panel, measures=()).of_raters()
        found, m, raters = self._found, len(self.measures), len(self.data.names)
        severity, consistency = [], []
        for g, own in enumerate(map(self._own, range(raters))):
            none = "" if own.items else "no item is shared with other raters"
            severity.append(self._severity(own, estimate_of(found, m + g, none)))
            why = self._inconsistent(g, own, found.estimate)
            consistency.append(self._doubted(own, estimate_of(found, m + raters + g, why)))
        return severity, consistency

    def _inconsistent(self, rater: int, own: "OwnItems", values: Floats) -> str:
        """Say why the consistency of a rater is undefined; empty if it is not."""
        if not math.isnan(values[len(self.measures) + len(self.data.names) + rater]):
            return ""
        if own.items < 2:
            return "fewer than 2 items are shared with other raters"
        shared = self.panel.rated[:, rater] & (self.rated > 1)
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
        return np.asarray(own - others / np.maximum(self.rated - 1, 1)[:, None])

    def _own(self, rater: int) -> "OwnItems":
        """Return the items that a rater shares with others."""
        panel = self.panel
        shared = panel.rated[:, rater] & (self.rated > 1)
        clusters = None if panel.cluster is None else len(np.unique(panel.cluster[shared]))
        apart, items, weight = self._apart[shared, rater], panel.items[shared], panel.weight[shared]
        if not len(items):
            return OwnItems(0, 0.0, math.nan, clusters)
        weights = items * weight
        n = float(effective_number(weights.sum(), (weights * weight).sum()))
        mean = float(weights @ apart / weights.sum())
        step = self._widest / max(len(panel.values) - 1, 1)
        squares = float(weights @ (apart - mean) ** 2 / weights.sum()) * n + step**2
        units = n if clusters is None else min(n, float(clusters))
        return OwnItems(
            int(items.sum()), units, math.sqrt(squares / (n * max(n - 1, 1.0))), clusters
        )

    @property
    def _widest(self) -> float:
        """The largest possible difference of two ratings."""
        return float(self.panel.values[-1] - self.panel.values[0])

    def _doubted(self, own: "OwnItems", estimate: Estimate) -> Estimate:
        """Return a figure without an interval, or with a doubtful one, if items are few."""
        if math.isnan(estimate.value) or not self.settings.bootstrap:
            return estimate
        if own.items < _LEAST_SHARED:
            why = f"fewer than {_LEAST_SHARED} items are shared with other raters"
            return Estimate(estimate.value, doubt=why)
        if own.clusters == 1:
            why = "the items that are shared with other raters are of one cluster"
            return Estimate(estimate.value, doubt=why)
        few = self.one_class
        if not few and own.items < _FEW_SHARED:
            few = f"fewer than {_FEW_SHARED} items are shared with other raters"
        elif not few and own.clusters is not None and own.clusters < _FEW_CLUSTERS:
            few = f"there are fewer than {_FEW_CLUSTERS} clusters"
        return replace(estimate, doubt=few)

    def _severity(self, own: "OwnItems", estimate: Estimate) -> Estimate:
        """Return a severity whose interval allows for the number of the rater's own items."""
        lean = self._doubted(own, estimate)
        if math.isnan(lean.low) or own.units >= _OWN_UNITS:
            return lean
        se = own.se if math.isnan(lean.se) else max(lean.se, own.se)
        half = float(t_quantile(max(own.units - 1, 1.0), self.settings.ci)) * se
        low, high = max(lean.value - half, -self._widest), min(lean.value + half, self._widest)
        return replace(lean, low=min(lean.low, low), high=max(lean.high, high), se=se)

    @property
    def one_class(self) -> str:
        """Say that the scale has one class, on which nobody can disagree; else nothing."""
        return ONE_CLASS if len(self.panel.values) == 1 else ""

    def few_clusters(self, clusters: int) -> str:
        """Say that there are few clusters, if these are resampled; else return nothing."""
        if not self.clustered or clusters >= _FEW_CLUSTERS:
            return ""
        several = f"there are fewer than {_FEW_CLUSTERS} clusters"
        return "there is only one cluster" if clusters == 1 else several

    def _reasons(self, values: Floats) -> list[str]:
        """Return why coefficients are undefined, or their intervals doubtful."""
        total = self.panel.total
        shared = float(self.panel.items[self.rated > 1].sum())
        few = self.one_class or self.few_clusters(len(self.data.units.clusters))
        if not few and shared < _FEW_SHARED:
            few = f"fewer than {_FEW_SHARED} items have two ratings"
        few = few if self.settings.bootstrap else ""  # there is no interval to doubt
        found = []
        for m, value in zip(self.measures, values.tolist(), strict=False):
            conditions = m.record.undefined(m.params) if math.isnan(value) else ()
            reason = (c.reason for c in conditions if np.all(c.holds(total, self.panel.values)))
            found.append(next(reason, "") if math.isnan(value) else few)
        return found

    def interval(self) -> Interval:
        """Return the intervals of all figures."""
        settings, level = self.settings, self.settings.ci
        if not settings.bootstrap:
            return without_interval(self.figures(self.panel.total)[:, 0], level)
        if self.clustered:
            found = self._over_clusters()
        elif self.panel.drawable(settings.bootstrap):
            plan = settings.plan(settings.bootstrap)
            found = draws_interval(self.panel, self.figures, self.bounds(), plan, level)
            if linearisable(self.panel):
                found = replace(found, se=linear_errors(self.panel, self.figures))
        else:
            found = self._linearised() if linearisable(self.panel) else self._left_out()
        if self.method == "t" and settings.progress is not None:  # nothing was drawn
            settings.progress(1, 1)
        return self._with_raters(found) if self.unit == "both" else found

    def _linearised(self) -> Interval:
        """Return t intervals from linearised standard errors."""
        estimate = self.figures(self.panel.total)[:, 0]
        se = linear_errors(self.panel, self.figures)
        freedom = max(self.panel.effective - 1, 1.0)
        half = t_quantile(freedom, self.settings.ci) * se
        low, high = self.bounds().T
        plain = without_interval(estimate, self.settings.ci)
        return replace(
            plain,
            low=np.maximum(estimate - half, np.minimum(low, estimate)),
            high=np.minimum(estimate + half, np.maximum(high, estimate)),
            se=se,
        )

    def _left_out(self) -> Interval:
        """Return t intervals from leaving out groups of items, where sums have many numbers."""
        panel = self.panel
        if panel.items.sum() <= _MOST_ITEMS:
            panel = panel.item_by_item()  # equal items in one group would vary too much
        rows = len(panel.codes)
        groups = min(rows, max(20, _GROUPED_NUMBERS // panel.size), MOST_UNITS)
        group = stream(self.settings.seed, "rows").permutation(rows) % groups
        found = group_interval(panel, self.figures, group, groups, self.settings.ci)
        return within(found, self.bounds())

    def _over_clusters(self) -> Interval:
        """Return t intervals from leaving out clusters, one at a time."""
        panel, level = self.panel, self.settings.ci
        assert panel.cluster is not None
        group, groups = few_groups(panel.cluster, len(self.data.units.clusters), self.settings.seed)

        def like_items() -> Interval:
            share = groups / float(panel.items.sum())
            few = replace(panel, items=panel.items * share)
            plan = self.settings.plan(self.settings.bootstrap, quiet=True)
            return draws_interval(few, self.figures, self.bounds(), plan, level)

        found = group_interval(panel, self.figures, group, groups, level)
        return widened(within(found, self.bounds()), like_items)

    def _with_raters(self, found: Interval) -> Interval:
        """Widen intervals over items or clusters by what other raters would change.

        The standard error over raters is that of the jackknife, as in Gwet (2014).
        """
        raters, m = len(self.data.names), len(self.measures)
        left_out = []
        for g in range(raters):
            panel = self.panel.without_rater(g)
            sums, numbers = panel.total, panel.values
            left_out.append([float(k.kernel(sums, numbers)[0]) for k in self.measures])
        estimate = found.estimate[:m]
        se = t_interval(estimate, np.array(left_out).T.reshape(m, raters), found.level).se
        half = t_quantile(raters - 1, found.level) * se
        bounds = self.bounds()[:m]
        low, high, both = found.low.copy(), found.high.copy(), found.se.copy()
        low[:m] = estimate - np.hypot(estimate - low[:m], half)
        high[:m] = estimate + np.hypot(high[:m] - estimate, half)
        both[:m] = np.hypot(both[:m], se)
        low[:m] = np.maximum(low[:m], bounds[:, 0])
        high[:m] = np.minimum(high[:m], bounds[:, 1])
        return replace(found, low=low, high=high, se=both)


class OwnItems(NamedTuple):
    """The items that one rater shares with others: their number, and that of their clusters.

    `units` is their effective number, or that of their clusters; `se` the standard error of the
    mean difference from the others, with an item added that differs by one step of the scale.
    """

    items: int
    units: float
    se: float
    clusters: int | None


def estimate_of(found: Interval, place: int, doubt: str) -> Estimate:
    """Return one of several figures.

    A standard error of 0 beside an interval with a width is none: the formula does not apply where
    all items say the same.
    """
    value, low, high, se = (
        float(x[place]) for x in (found.estimate, found.low, found.high, found.se)
    )
    if se <= _NO_SPREAD * (high - low) and high > low:
        se = math.nan
    return Estimate(value, low, high, se, doubt)


def few_groups(cluster: Codes, clusters: int, seed: int) -> tuple[Codes, int]:
    """Return the group of every row, and how many there are: clusters, or some of many together."""
    if clusters <= MOST_UNITS:
        return cluster, clusters
    places = stream(seed, "clusters").permutation(clusters) % MOST_UNITS
    return np.asarray(places[cluster]), MOST_UNITS


def within(found: Interval, bounds: Floats) -> Interval:
    """Return intervals without what is beyond bounds `[M, 2]`."""
    low, high = bounds.T
    return replace(found, low=np.maximum(found.low, low), high=np.minimum(found.high, high))


def widened(found: Interval, like_items: Callable[[], Interval]) -> Interval:
    """Return intervals over clusters, those of no width as of as many items as clusters."""
    flat = (found.se == 0) & ~np.isnan(found.estimate)
    if not flat.any():
        return found
    wide = like_items()
    low, high = np.fmin(wide.low, found.estimate), np.fmax(wide.high, found.estimate)
    return replace(found, low=np.where(flat, low, found.low), high=np.where(flat, high, found.high))


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
