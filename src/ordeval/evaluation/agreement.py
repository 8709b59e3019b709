"""Agreement of several raters: coefficients, pairs of raters, raters one by one, disputed items."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from ..errors import InputError, check_choice, names_rng, plural, quoted
from ..io.naming import NumberedFrame
from ..labels import sorted_names
from ..limits import check_operations
from ..measures.raters import NEEDS_ALL, NEEDS_TABLES, RaterSums, agreement_weights
from ..rater_results import (
    Agreement,
    AnalyticKappa,
    DisputedItem,
    Estimate,
    RaterFigures,
    RaterPair,
)
from ..ratings import GAP, Ratings
from ..scoring import MeasuresLike, read_measures, score_tables
from ..spec import Measure, parse_measure
from ..spec import measures as all_measures
from ..stats.dirichlet import dirichlet_interval
from ..stats.intervals import Interval, t_interval, topic_jackknife
from ..stats.panels import Panel, draws_interval, group_interval, linear_errors, linearisable
from ..stats.resample import Plan, stream
from ..types import (
    RNG,
    Array,
    Classes,
    ClassNumbers,
    Codes,
    Floats,
    ItemWeights,
    LabelColumn,
    MissingLabels,
    Progress,
)
from .settings import Settings

PAIR_MEASURES = ("kappa(weights='linear')", "kappa(weights='quadratic')", "accuracy", "mae")
AgreementOver = Literal["items", "clusters", "both"]
_WORDS = {"items": "items", "clusters": "clusters", "both": "items and raters"}
_MOST_TABLES = 2 * 10**7  # numbers in the tables of all pairs and rows, of default measures
_MOST_PAIRS = 300  # pairs of raters that have intervals
_GROUPED_NUMBERS = 2**24  # numbers in the sums of all groups
_MOST_UNITS = 1000  # groups of clusters that are left out one at a time
_FEW_SHARED = 10  # items below which intervals cover less than they say
_STANDS_OUT = 0.25  # severity in standard deviations of all ratings
_LESS_CONSISTENT = 0.1  # below the median of the others
_NAMED_WEIGHTS = {"none": "identity", "linear": "linear", "quadratic": "quadratic"}


@names_rng
def agreement(
    ratings: Any,
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    measures: MeasuresLike = None,
    pair_measures: MeasuresLike = None,
    items: LabelColumn | None = None,
    sample_weight: ItemWeights = None,
    frequency: ItemWeights = None,
    cluster: LabelColumn | None = None,
    na: MissingLabels = None,
    disputed: int = 20,
    ci: float = 0.95,
    bootstrap: int = 2000,
    over: AgreementOver | None = None,
    rng: RNG = 0,
    progress: Progress | None = None,
) -> Agreement:
    """Measure how well several raters agree, with intervals.

    Parameters
    ----------
    ratings : array_like of shape (n_items, n_raters), data frame, mapping or list of lists
        A row per item and a column per rater, with gaps (None, NaN) where a rater did not rate an
        item; or a mapping from rater to ratings; or a list with the ratings of each item, which
        may differ in number.
    labels : sequence or Scale, optional
        The classes from lowest to highest. Required unless the ratings are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    measures : str, Measure or sequence of these, optional
        Coefficients for all raters, e.g. "krippendorff, ac2(weights=quadratic)"; all by default.
        Here ``alpha`` stands for ``krippendorff`` and ``kappa`` for ``conger``, which it is for
        two raters without gaps.
    pair_measures : str, Measure or sequence of these, optional
        Measures for every pair of raters, of which the first is taken as gold. By default linear
        and quadratic kappa, accuracy and MAE.
    items : array_like of shape (n_items,), optional
        Names of the items, which disputed ones are called by.
    sample_weight : array_like of shape (n_items,), optional
        The importance of each item; only the ratios of weights matter.
    frequency : array_like of int of shape (n_items,), optional
        The number of items that each row stands for.
    cluster : array_like of shape (n_items,), optional
        What items belong to (a patient, a document, …); clusters are then resampled.
    na : value or sequence of values, optional
        Codes that stand for a missing rating, e.g. 99 or ".".
    disputed : int
        How many of the items of largest disagreement to list.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of draws; 0 for no intervals.
    over : {"items", "clusters", "both"}, optional
        What intervals generalise to: other items with these raters, other clusters of items, or
        other items and other raters. By default clusters where they are given, else items.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    Agreement
        Coefficients, pairs, raters and disputed items. It prints as tables.

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = [[1, 1, 2], [3, 3, None], [2, 3, 3], [1, 1, 1], [2, 2, 3]]
    >>> found = oe.agreement(ratings, labels=[1, 2, 3])
    >>> round(found["krippendorff"].value, 3)
    0.746
    """
    read = Ratings.read(
        ratings,
        labels=labels,
        values=values,
        items=items,
        sample_weight=sample_weight,
        frequency=frequency,
        cluster=cluster,
        na=na,
    )
    return agreement_of(
        read,
        measures=measures,
        pair_measures=pair_measures,
        disputed=disputed,
        ci=ci,
        bootstrap=bootstrap,
        over=over,
        rng=rng,
        progress=progress,
    )


@names_rng
def agreement_frame(
    frame: Any,
    *,
    item: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    raters: Sequence[str] | str | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    measures: MeasuresLike = None,
    pair_measures: MeasuresLike = None,
    na: MissingLabels = None,
    disputed: int = 20,
    ci: float = 0.95,
    bootstrap: int = 2000,
    over: AgreementOver | None = None,
    rng: RNG = 0,
    progress: Progress | None = None,
) -> Agreement:
    """Measure the agreement of raters whose ratings are in a data frame.

    Parameters
    ----------
    frame : data frame
        A pandas, Polars, PyArrow, DuckDB, Dask or PySpark frame, or any other that narwhals
        supports. In long form every row is one rating, in wide form one item.
    item : str, optional
        The column of items; required in long form.
    rater : str, optional
        The column of raters, in long form.
    rating : str, optional
        The column of ratings, in long form.
    raters : sequence of str, optional
        The columns of ratings, one per rater, in wide form. By default every column without
        another role.
    weight : str, optional
        The column of the importance of items.
    frequency : str, optional
        The column of the number of items that a row stands for; in wide form only.
    cluster : str, optional
        The column of what items belong to.
    labels : sequence or Scale, optional
        The classes from lowest to highest; see `agreement`.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    measures : str, Measure or sequence of these, optional
        Coefficients for all raters; see `agreement`.
    pair_measures : str, Measure or sequence of these, optional
        Measures for every pair of raters; see `agreement`.
    na : value or sequence of values, optional
        Codes that stand for a missing rating, e.g. 99 or ".".
    disputed : int
        How many of the items of largest disagreement to list.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of draws; 0 for no intervals.
    over : {"items", "clusters", "both"}, optional
        What intervals generalise to; see `agreement`.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    Agreement
        Coefficients, pairs, raters and disputed items. It prints as tables.

    Examples
    --------
    >>> import ordeval as oe
    >>> import polars as pl
    >>> frame = pl.DataFrame({"ann": [1, 3, 2, 1], "bob": [1, 3, 3, 1], "cy": [2, None, 3, 1]})
    >>> found = oe.agreement_frame(frame, raters=["ann", "bob", "cy"], labels=[1, 2, 3])
    >>> found.pair("ann", "bob", "accuracy").estimate.value
    0.75
    """
    long = [name for name in (rater, rating) if name is not None]
    columns = _Columns.of(frame)
    others = {"sample_weight": weight, "frequency": frequency, "cluster": cluster}
    if long:
        read = columns.long(item, rater, rating, raters, others, labels, values, na)
    else:
        read = columns.wide(item, raters, others, labels, values, na)
    return agreement_of(
        read,
        measures=measures,
        pair_measures=pair_measures,
        disputed=disputed,
        ci=ci,
        bootstrap=bootstrap,
        over=over,
        rng=rng,
        progress=progress,
    )


@dataclass(frozen=True)
class _Columns:
    """The columns of a frame of any library, by name."""

    frame: NumberedFrame

    @classmethod
    def of(cls, frame: Any) -> "_Columns":
        return cls(NumberedFrame.of(frame))

    def column(self, roles: dict[str, str]) -> dict[str, Any]:
        """Return columns by role, read once."""
        for role, name in roles.items():
            if name not in self.frame.names:
                raise InputError(
                    f"There is no column {name!r}; the columns are {quoted(self.frame.names, 12)}.",
                    parameter=role if not role.startswith("r_") else "raters",
                )
        safe = {f"x{i}": name for i, name in enumerate(dict.fromkeys(roles.values()))}
        found = _collected(self.frame.select(safe))
        by_name = {name: found[new] for new, name in safe.items()}
        return {role: by_name[name] for role, name in roles.items()}

    def wide(
        self,
        item: str | None,
        raters: Sequence[str] | str | None,
        others: dict[str, str | None],
        labels: Classes,
        values: ClassNumbers,
        na: MissingLabels,
    ) -> Ratings:
        roles = {role: name for role, name in others.items() if name is not None}
        roles |= {} if item is None else {"items": item}
        taken = set(roles.values())
        if raters is None:
            chosen = [name for name in self.frame.names if name not in taken]
        else:
            chosen = [raters] if isinstance(raters, str) else list(raters)
        if not chosen or len(set(chosen)) < len(chosen):
            raise InputError(
                f"raters names {quoted(chosen)}; different columns, one per rater, are expected.",
                parameter="raters",
            )
        found = self.column(roles | {f"r_{i}": name for i, name in enumerate(chosen)})
        given = {name: found.pop(f"r_{i}") for i, name in enumerate(chosen)}
        return Ratings.read(given, labels=labels, values=values, na=na, **found)

    def long(
        self,
        item: str | None,
        rater: str | None,
        rating: str | None,
        raters: Any,
        others: dict[str, str | None],
        labels: Classes,
        values: ClassNumbers,
        na: MissingLabels,
    ) -> Ratings:
        given = {"item": item, "rater": rater, "rating": rating}
        without = [role for role, name in given.items() if name is None]
        if without or raters is not None or others["frequency"] is not None:
            told = f"; {quoted(without)} is not given" if without else ""
            raise InputError(
                "The long form needs the columns item, rater and rating, and has neither raters "
                f"nor frequency{told}.",
                parameter=without[0] if without else "raters",
                hint="For one column per rater, name these columns with {raters} alone.",
                suggest={"raters": ...},
            )
        roles = {role: name for role, name in given.items() if name is not None}
        roles |= {role: name for role, name in others.items() if name is not None}
        return Ratings.read_long(**self.column(roles), labels=labels, values=values, na=na)


def _collected(frame: Any) -> dict[str, Any]:
    """Return the columns of a DuckDB relation or a narwhals frame as arrays or series."""
    if hasattr(frame, "fetchnumpy") or hasattr(frame, "project"):
        table = frame.arrow()
        table = table.read_all() if hasattr(table, "read_all") else table
        return {name: table.column(name) for name in table.column_names}
    held = frame.collect() if hasattr(frame, "collect") else frame
    return {name: held[name].to_native() for name in held.columns}


def agreement_of(
    ratings: Ratings,
    *,
    measures: MeasuresLike = None,
    pair_measures: MeasuresLike = None,
    disputed: int = 20,
    ci: float = 0.95,
    bootstrap: int = 2000,
    over: AgreementOver | None = None,
    rng: RNG = 0,
    progress: Progress | None = None,
) -> Agreement:
    """Measure the agreement of raters from ratings that are read already; see `agreement`."""
    if over is not None:
        check_choice("over", over, tuple(_WORDS))
    settings = Settings(ci, bootstrap, over=None, rng=rng, progress=progress)
    unit = _unit(ratings, over)
    chosen, notices = _chosen(ratings, measures)
    by_pair = _pair_measures(pair_measures, ratings)
    tables = any(m.id in NEEDS_TABLES for m in chosen)
    panel = Panel.of(ratings, tables=tables, clusters=unit == "clusters")
    study = _Study(ratings, panel, chosen, settings, unit)
    coefficients, figures = study.estimates()
    pairs, told = _pairs(study, by_pair)
    return Agreement(
        coefficients=coefficients,
        pairs=pairs,
        raters=_raters(study, figures),
        disputed=_disputed(ratings, panel, disputed),
        scale=ratings.scale,
        items=int(panel.items.sum()),
        shared=int(panel.items[study.rated > 1].sum()),
        ratings=int((panel.items * study.rated).sum()),
        over=_WORDS[unit],
        level=settings.ci,
        replicates=settings.bootstrap,
        seed=settings.seed,
        notices=(*ratings.notices, *_data_notices(study), *notices, *told),
        method=study.method if settings.bootstrap else "",
        kappas=_analytic(ratings, panel),
        effective=panel.effective if ratings.weight is not None else 0.0,
        clusters=ratings.clusters,
        about={"raters": len(ratings.raters), **ratings.reading},
    )


def _unit(ratings: Ratings, over: AgreementOver | None) -> AgreementOver:
    """Return what is resampled."""
    if over == "clusters" and not ratings.clusters:
        raise InputError(
            "Resampling over clusters needs clusters, and none are given.",
            parameter="over",
            hint="Name them with {cluster}.",
            suggest={"cluster": ...},
        )
    if over == "both" and len(ratings.raters) < 3:
        raise InputError(
            "Intervals over items and raters need three or more raters and there are "
            f"{len(ratings.raters)}.",
            parameter="over",
            hint="Leave {over} out: intervals then hold for these raters.",
            suggest={"over": ...},
        )
    if over == "both" and not ratings.identified:
        raise InputError(
            "Intervals over items and raters need to know who gave which rating, and lists of "
            "ratings do not say.",
            parameter="over",
            hint="Leave {over} out, or give a column per rater.",
            suggest={"over": ...},
        )
    return over or ("clusters" if ratings.clusters else "items")


def _chosen(ratings: Ratings, given: MeasuresLike) -> tuple[tuple[Measure, ...], list[str]]:
    """Return the coefficients, and what to say about those that were left out."""
    k, raters = ratings.scale.k, len(ratings.raters)
    if given is not None and not (isinstance(given, str) and given == "all"):
        found = read_measures(given, "raters")
        for m in found:
            _check_of_raters(m)
            m.check_classes(k)
        if any(m.id in NEEDS_TABLES for m in found):
            check_operations(
                "kendall_w",
                10 * _table_numbers(ratings),
                f"{plural(raters * (raters - 1) // 2, 'pair')} of raters × {k * k} cells × "
                f"{plural(len(ratings.codes), 'item')}",
                parameter="measures",
                hint="Leave it out.",
            )
        return found, []
    every, told = all_measures("raters"), []
    if not ratings.complete or raters < 2:
        left = [m for m in every if m.id in NEEDS_ALL]
        if raters > 1:
            told.append(f"Left out, because they need every rater on every item: {_ids(left)}.")
        every = [m for m in every if m not in left]
    elif _table_numbers(ratings) > _MOST_TABLES:
        left = [m for m in every if m.id in NEEDS_TABLES]
        told.append(f"Left out, because there are many pairs of raters: {_ids(left)}.")
        every = [m for m in every if m not in left]
    if not ratings.identified:
        left = [m for m in every if m.id in _IDENTIFIED]
        told.append(f"Left out, because lists do not say who gave which rating: {_ids(left)}.")
        every = [m for m in every if m not in left]
    return tuple(every), told


def _table_numbers(ratings: Ratings) -> float:
    """Return how many numbers the tables of all pairs have, of all rows that can differ."""
    k, raters = ratings.scale.k, len(ratings.raters)
    rows = min(float(len(ratings.codes)), float(k + 1) ** min(raters, 100))
    return raters * (raters - 1) / 2 * k * k * rows


_IDENTIFIED = ("conger", "icc", "ccc", "kendall_w")  # measures of raters that are known


def _ids(measures: Iterable[Measure]) -> str:
    return ", ".join(dict.fromkeys(m.id for m in measures))


def _check_of_raters(measure: Measure) -> None:
    """Raise an error for a measure that is none of several raters."""
    if measure.record.task != "raters":
        known = dict.fromkeys(m.id for m in all_measures("raters"))
        raise InputError(
            f"{measure} does not measure the agreement of several raters; there are "
            f"{quoted(known, 20)}.",
            parameter="measures",
            hint="Measures of labels go into {pair_measures}.",
            suggest={"pair_measures": str(measure)},
        )


def _pair_measures(given: MeasuresLike, ratings: Ratings) -> tuple[Measure, ...]:
    """Return the measures for pairs of raters."""
    if not ratings.identified:
        return ()
    found = read_measures(PAIR_MEASURES if given is None else given)
    wrong = [str(m) for m in found if m.record.task == "quantification"]
    if wrong:
        raise InputError(
            f"{quoted(wrong)}: quantification measures compare distributions, not labels.",
            parameter="pair_measures",
        )
    for m in found:
        m.check_classes(ratings.scale.k)
    return found


@dataclass(frozen=True, eq=False)
class _Study:
    """What figures of all raters are made from."""

    ratings: Ratings
    panel: Panel
    measures: tuple[Measure, ...]
    settings: Settings
    unit: AgreementOver

    @property
    def rated(self) -> Codes:
        """How many raters rated the items of each row."""
        return np.asarray((self.panel.codes != GAP).sum(axis=1))

    @property
    def method(self) -> str:
        """The kind of interval."""
        drawable = self.panel.drawable(self.settings.bootstrap)
        return "t" if self.unit == "clusters" or not drawable else "dirichlet"

    def figures(self, sums: RaterSums) -> Floats:
        """Return coefficients, severities and consistencies `[M + 2R, B]`."""
        numbers = self.panel.values
        scores = [np.asarray(m.kernel(sums, numbers)) for m in self.measures]
        severity, consistency = rater_moments(sums.moments)
        return np.concatenate([np.reshape(scores, (len(scores), -1)), severity, consistency])

    def bounds(self) -> Floats:
        """Return the lowest and highest possible figures: `[M + 2R, 2]`."""
        scale, raters = self.ratings.scale, len(self.ratings.raters)
        widest = float(scale.numbers[-1] - scale.numbers[0])
        return np.array(
            [
                *(m.bounds(scale) for m in self.measures),
                *[(-widest, widest)] * raters,
                *[(-1.0, 1.0)] * raters,
            ]
        )

    def estimates(self) -> tuple[dict[Measure, Estimate], list[Estimate]]:
        """Return the coefficients by measure, and severities and consistencies."""
        found = self.interval()
        reasons = [*self._reasons(found.estimate), *[""] * (2 * len(self.ratings.raters))]
        rows = [_estimate(found, i, reason) for i, reason in enumerate(reasons)]
        m = len(self.measures)
        return dict(zip(self.measures, rows[:m], strict=True)), rows[m:]

    def _reasons(self, values: Floats) -> list[str]:
        """Return why coefficients are undefined, or their intervals doubtful."""
        total = self.panel.total()
        shared = float(self.panel.items[self.rated > 1].sum())
        few = f"fewer than {_FEW_SHARED} items have two ratings" if shared < _FEW_SHARED else ""
        found = []
        for m, value in zip(self.measures, values, strict=False):
            conditions = m.record.undefined(m.params)
            reason = (c.reason for c in conditions if np.all(c.holds(total, self.panel.values)))
            found.append(next(reason, "") if math.isnan(value) else few)
        return found

    def interval(self) -> Interval:
        """Return the intervals of all figures."""
        settings, level = self.settings, self.settings.ci
        if not settings.bootstrap:
            return _without_interval(self.figures(self.panel.total())[:, 0], level)
        if self.unit == "clusters":
            return self._over_clusters()
        if self.panel.drawable(settings.bootstrap):
            plan = settings.plan(settings.bootstrap)
            found = draws_interval(self.panel, self.figures, self.bounds(), plan, level)
            if linearisable(self.panel):
                found = replace(found, se=linear_errors(self.panel, self.figures))
        elif not linearisable(self.panel):
            found = self._left_out()
        else:
            found = self._linearised()
        return self._with_raters(found) if self.unit == "both" else found

    def _linearised(self) -> Interval:
        """Return t intervals from linearised standard errors."""
        from scipy.special import stdtrit  # slow to import

        estimate = self.figures(self.panel.total())[:, 0]
        se = linear_errors(self.panel, self.figures)
        freedom = max(self.panel.effective - 1, 1.0)
        half = stdtrit(freedom, (1 + self.settings.ci) / 2) * se
        low, high = self.bounds().T
        plain = _without_interval(estimate, self.settings.ci)
        return replace(
            plain,
            low=np.maximum(estimate - half, np.minimum(low, estimate)),
            high=np.minimum(estimate + half, np.maximum(high, estimate)),
            se=se,
        )

    def _left_out(self) -> Interval:
        """Return t intervals from leaving out groups of rows, where sums have many numbers."""
        panel, rows = self.panel, len(self.panel.codes)
        groups = min(rows, max(20, _GROUPED_NUMBERS // panel.size), _MOST_UNITS)
        group = stream(self.settings.seed, "rows").permutation(rows) % groups
        found = group_interval(panel, self.figures, group, groups, panel.amounts, self.settings.ci)
        low, high = self.bounds().T
        return replace(found, low=np.maximum(found.low, low), high=np.minimum(found.high, high))

    def _over_clusters(self) -> Interval:
        """Return t intervals from leaving out clusters, one at a time."""
        panel, clusters = self.panel, self.ratings.clusters
        assert panel.cluster is not None
        group, groups = panel.cluster, clusters
        if clusters > _MOST_UNITS:
            places = stream(self.settings.seed, "clusters").permutation(clusters) % _MOST_UNITS
            group, groups = places[panel.cluster], _MOST_UNITS
        found = group_interval(panel, self.figures, group, groups, panel.amounts, self.settings.ci)
        low, high = self.bounds().T
        inside = replace(found, low=np.maximum(found.low, low), high=np.minimum(found.high, high))
        if not np.any((found.se == 0) & ~np.isnan(found.estimate)):
            return inside
        return self._widened(inside, min(groups, clusters))

    def _widened(self, found: Interval, units: int) -> Interval:
        """Give intervals of no width that of as many items as there are clusters."""
        share = units / float(self.panel.items.sum())
        like_items = replace(self.panel, items=self.panel.items * share)
        plan = self.settings.plan(self.settings.bootstrap, quiet=True)
        wide = draws_interval(like_items, self.figures, self.bounds(), plan, self.settings.ci)
        flat = found.se == 0
        return replace(
            found,
            low=np.where(flat, np.fmin(wide.low, found.estimate), found.low),
            high=np.where(flat, np.fmax(wide.high, found.estimate), found.high),
        )

    def _with_raters(self, found: Interval) -> Interval:
        """Widen intervals over items by what other raters would change.

        The standard error over raters is that of the jackknife, as in Gwet (2014).
        """
        from scipy.special import stdtrit  # slow to import

        raters, m = len(self.ratings.raters), len(self.measures)
        left_out = []
        for g in range(raters):
            panel = self.panel.without_rater(g)
            sums, numbers = panel.total(), panel.values
            left_out.append([float(k.kernel(sums, numbers)[0]) for k in self.measures])
        estimate = found.estimate[:m]
        se = t_interval(estimate, np.array(left_out).T.reshape(m, raters), found.level).se
        half = stdtrit(raters - 1, (1 + found.level) / 2) * se
        bounds = self.bounds()[:m]
        low, high, both = found.low.copy(), found.high.copy(), found.se.copy()
        low[:m] = estimate - np.hypot(estimate - low[:m], half)
        high[:m] = estimate + np.hypot(high[:m] - estimate, half)
        both[:m] = np.hypot(both[:m], se)
        low[:m] = np.maximum(low[:m], bounds[:, 0])
        high[:m] = np.minimum(high[:m], bounds[:, 1])
        return replace(found, low=low, high=high, se=both)


def _estimate(found: Interval, place: int, doubt: str) -> Estimate:
    """Return one of several figures."""
    value, low, high, se = (
        float(x[place]) for x in (found.estimate, found.low, found.high, found.se)
    )
    return Estimate(value, low, high, se, doubt)


def _without_interval(estimate: Floats, level: float) -> Interval:
    """Return figures without intervals."""
    none = np.full(estimate.shape, np.nan)
    zero = np.zeros(estimate.shape, dtype=np.int64)
    return Interval(estimate, none, none, none, zero, zero > 0, "t", level, 0)


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


def _pairs(study: _Study, chosen: Sequence[Measure]) -> tuple[tuple[RaterPair, ...], list[str]]:
    """Return every pair of raters under every measure, and what to say about them."""
    names, scale = study.ratings.raters, study.ratings.scale
    every = list(combinations(range(len(names)), 2))
    if not chosen or not every:
        return (), []
    settings = study.settings
    several = len(every) > _MOST_PAIRS and bool(settings.bootstrap)
    if several:
        settings = replace(settings, bootstrap=0)
    rows = []
    for g, h in every:
        table, squares, items = _pair_table(study, g, h)
        found = _pair_interval(study, settings, chosen, (g, h), table, squares)
        reasons = _pair_reasons(chosen, table, squares, scale.numbers, found.estimate)
        for i, m in enumerate(chosen):
            estimate = _estimate(found, i, reasons[i])
            rows.append(RaterPair(m, names[g], names[h], items, estimate))
    told = []
    if several:
        told.append(
            f"No intervals for {plural(len(every), 'pair')} of raters: there are more than "
            f"{_MOST_PAIRS}."
        )
    ordered = sorted(rows, key=lambda row: chosen.index(row.measure))
    return tuple(ordered), told


def _pair_table(study: _Study, g: int, h: int) -> tuple[Floats, Floats | None, int]:
    """Return the table of two raters, that of squared weights, and the number of their items."""
    panel, k = study.panel, study.ratings.scale.k
    first, second = panel.codes[:, g], panel.codes[:, h]
    both = (first != GAP) & (second != GAP)
    cell = first[both] * k + second[both]

    def tabled(amounts: Floats) -> Floats:
        return counted(cell, amounts[both], (k, k))

    items = int(panel.items[both].sum())
    if study.ratings.weight is None:
        return tabled(panel.items), None, items
    weights = panel.items * panel.weight
    return tabled(weights), tabled(weights * panel.weight), items


def counted(cell: Codes, amounts: Floats, shape: tuple[int, ...]) -> Floats:
    """Return the sums of amounts by cell, as an array of this shape."""
    found = np.bincount(cell, amounts, math.prod(shape))
    return np.asarray(found, dtype=np.float64).reshape(shape)


def _scorer(chosen: Sequence[Measure], study: _Study) -> Callable[[Array], Floats]:
    """Return the function that scores tables `[..., K, K]`."""
    return lambda tables: score_tables(chosen, np.asarray(tables), study.ratings.scale)


def _pair_interval(
    study: _Study,
    settings: Settings,
    chosen: Sequence[Measure],
    pair: tuple[int, int],
    table: Floats,
    squares: Floats | None,
) -> Interval:
    """Return the intervals of one pair under all measures."""
    score, scale = _scorer(chosen, study), study.ratings.scale
    total = table.sum()
    scaled = table if squares is None or not total else table * (total / squares.sum())
    if not settings.bootstrap or not total:
        return _without_interval(score(scaled), settings.ci)
    bounds = np.array([m.bounds(scale) for m in chosen])
    plan = settings.plan(settings.bootstrap, quiet=True)
    if study.unit == "clusters":
        return _pair_over_clusters(study, pair, score, bounds, table, plan)
    return dirichlet_interval(table, score, plan, squares=squares, level=settings.ci, bounds=bounds)


def _pair_over_clusters(
    study: _Study,
    pair: tuple[int, int],
    score: Callable[[Array], Floats],
    bounds: Floats,
    table: Floats,
    plan: Plan,
) -> Interval:
    """Return t intervals of a pair from leaving out clusters."""
    panel, k, level = study.panel, study.ratings.scale.k, study.settings.ci
    assert panel.cluster is not None
    first, second = (panel.codes[:, place] for place in pair)
    both = (first != GAP) & (second != GAP)
    present, cluster = np.unique(panel.cluster[both], return_inverse=True)
    if len(present) > _MOST_UNITS:
        places = stream(plan.seed, "clusters").permutation(len(present)) % _MOST_UNITS
        present, cluster = np.arange(_MOST_UNITS), places[cluster]
    cell = (cluster * k + first[both]) * k + second[both]
    units = counted(cell, panel.amounts[both], (len(present), k, k))
    left_out, _ = topic_jackknife(units, score)
    found = t_interval(score(units.sum(axis=0)), left_out, level)
    found = replace(
        found, low=np.maximum(found.low, bounds[:, 0]), high=np.minimum(found.high, bounds[:, 1])
    )
    flat = (found.se == 0) & ~np.isnan(found.estimate)
    if not flat.any():
        return found
    like_items = table * (len(present) / table.sum())
    wide = dirichlet_interval(
        like_items, score, plan, squares=like_items, level=level, bounds=bounds
    )
    low, high = np.fmin(wide.low, found.estimate), np.fmax(wide.high, found.estimate)
    return replace(found, low=np.where(flat, low, found.low), high=np.where(flat, high, found.high))


def _pair_reasons(
    chosen: Sequence[Measure],
    table: Floats,
    squares: Floats | None,
    numbers: Floats,
    values: Floats,
) -> list[str]:
    """Return why scores of a pair are undefined, or their intervals doubtful."""
    if not table.sum():
        return ["no item was rated by both"] * len(chosen)
    per_class = table.sum(axis=1)
    if squares is not None:
        per_class = per_class * (table.sum() / squares.sum())
    found = []
    for m, value in zip(chosen, values, strict=True):
        conditions = m.record.undefined(m.params) if math.isnan(value) else ()
        reason = next((c.reason for c in conditions if bool(c.holds(table, numbers))), "")
        found.append(reason or m.interval_doubt(per_class))
    return found


def _raters(study: _Study, figures: Sequence[Estimate]) -> tuple[RaterFigures, ...]:
    """Return the raters one by one."""
    if not study.ratings.identified:
        return ()
    panel, names, k = study.panel, study.ratings.raters, study.ratings.scale.k
    severity, consistency = figures[: len(names)], figures[len(names) :]
    found = []
    for g, name in enumerate(names):
        rated = panel.codes[:, g] != GAP
        counts = np.bincount(panel.codes[rated, g], panel.amounts[rated], k)
        found.append(
            RaterFigures(
                name,
                int(panel.items[rated].sum()),
                int(panel.items[rated & (study.rated > 1)].sum()),
                severity[g],
                consistency[g],
                tuple(float(x) for x in counts / counts.sum()),
                _stands_out(study, g, severity, consistency),
            )
        )
    return tuple(found)


def _stands_out(
    study: _Study, g: int, severity: Sequence[Estimate], consistency: Sequence[Estimate]
) -> str:
    """Say in which way a rater differs from the others, beyond chance and by a relevant amount."""
    if not study.settings.bootstrap or len(severity) < 3:
        return ""
    panel = study.panel
    beyond = _quantile(study.settings.ci, 2 * len(severity))
    found = []
    lean = severity[g]
    if abs(lean.value) >= _STANDS_OUT * _spread(panel) and abs(lean.value) > beyond * lean.se:
        found.append(f"rates {'higher' if lean.value > 0 else 'lower'} than the others")
    others = [e.value for i, e in enumerate(consistency) if i != g and not math.isnan(e.value)]
    own = consistency[g]
    if others:
        usual = float(np.median(others))
        if own.value < usual - max(_LESS_CONSISTENT, beyond * own.se):
            found.append("agrees less with the others")
    return ", ".join(found)


def _quantile(level: float, comparisons: int) -> float:
    """Return how many standard errors one of several figures may be off by chance."""
    from scipy.special import ndtri  # slow to import

    return float(-ndtri((1 - level) / 2 / comparisons))


def _spread(panel: Panel) -> float:
    """Return the standard deviation of the class values of all ratings."""
    counts = np.zeros(len(panel.values))
    for column in panel.codes.T:
        rated = column != GAP
        counts += np.bincount(column[rated], panel.amounts[rated], len(counts))
    shares = counts / counts.sum()
    mean = float(shares @ panel.values)
    return float(np.sqrt(shares @ (panel.values - mean) ** 2))


def _disputed(ratings: Ratings, panel: Panel, most: int) -> tuple[DisputedItem, ...]:
    """Return the items of largest disagreement; those that agree are none of them."""
    if not _is_count(most):
        raise InputError(
            f"disputed={most!r} is not usable; a whole number of at least 0 is expected.",
            parameter="disputed",
        )
    by_row = disagreement_of(panel.codes, panel.values)
    order = np.argsort(-by_row, kind="stable")
    enough = np.searchsorted(np.cumsum(np.bincount(panel.row_of)[order]), most)
    least = by_row[order[min(int(enough), len(order) - 1)]]
    worst = (by_row >= least) & (by_row > 0)
    places = np.flatnonzero(worst[panel.row_of])
    places = places[np.argsort(-by_row[panel.row_of[places]], kind="stable")]
    if ratings.items:  # the order of the rows does not matter
        names = {name: i for i, name in enumerate(sorted_names(ratings.items[p] for p in places))}
        by_name = [names[ratings.items[p]] for p in places]
        places = places[np.lexsort([np.array(by_name), -by_row[panel.row_of[places]]])]
    labels = ratings.scale.labels
    return tuple(
        DisputedItem(
            ratings.name(i),
            float(by_row[panel.row_of[i]]),
            {
                name: labels[code]
                for name, code in zip(ratings.raters, ratings.codes[i].tolist(), strict=True)
                if code != GAP
            },
        )
        for i in places[:most].tolist()
    )


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def disagreement_of(codes: Codes, values: Floats) -> Floats:
    """Return the mean squared difference of class values over pairs of raters, by row.

    It is twice the variance (r − 1 below) of the values; 0 with fewer than two ratings.
    """
    rated = codes != GAP
    own = np.where(rated, values[np.maximum(codes, 0)], 0.0)
    count = rated.sum(axis=1)
    mean = own.sum(axis=1) / np.maximum(count, 1)
    squares = np.where(rated, (own - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return np.asarray(2.0 * squares / np.maximum(count - 1, 1))


def _analytic(ratings: Ratings, panel: Panel) -> tuple[AnalyticKappa, ...]:
    """Return Cohen's kappa of two raters with its analytic standard errors."""
    if len(ratings.raters) != 2 or not ratings.identified or ratings.weight is not None:
        return ()
    first, second = panel.codes.T
    both, k = (first != GAP) & (second != GAP), ratings.scale.k
    cell = first[both] * k + second[both]
    table = counted(cell, panel.items[both], (k, k))
    if not table.sum():
        return ()
    found = (analytic_kappa(table, panel.values, name) for name in _NAMED_WEIGHTS)
    return tuple(row for row in found if not math.isnan(row.value))


def analytic_kappa(table: Floats, values: Floats, weights: str) -> AnalyticKappa:
    """Return weighted kappa of a table with the standard errors of Fleiss, Cohen & Everitt.

    Parameters
    ----------
    table : ndarray of shape (K, K)
        Counts of items.
    values : ndarray of shape (K,)
        The class values.
    weights : {"none", "linear", "quadratic"}
        The weights of disagreements.

    Returns
    -------
    AnalyticKappa
        Kappa, its standard error, that under independence, z and the two-sided p-value.
    """
    from scipy.special import ndtr  # slow to import

    measure = parse_measure("kappa", weights=weights)
    n = float(table.sum())
    p = table / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    w = agreement_weights(values, _NAMED_WEIGHTS[weights])
    mean = (w @ columns)[:, None] + rows @ w
    chance = float(rows @ w @ columns)
    if 1 - chance <= 1e-12:
        return AnalyticKappa(measure, math.nan, math.nan, math.nan, math.nan, math.nan)
    kappa = float(((w * p).sum() - chance) / (1 - chance))
    spread = (p * (w - mean * (1 - kappa)) ** 2).sum() - (kappa - chance * (1 - kappa)) ** 2
    null = (np.outer(rows, columns) * (w - mean) ** 2).sum() - chance**2
    se, se_null = (math.sqrt(max(float(x), 0.0) / n) / (1 - chance) for x in (spread, null))
    z = kappa / se_null if se_null > 0 else math.nan
    return AnalyticKappa(measure, kappa, se, se_null, z, float(2 * ndtr(-abs(z))))


def _data_notices(study: _Study) -> list[str]:
    """Say what the reader should know about the data."""
    ratings, told = study.ratings, []
    raters, items = len(ratings.raters), int(study.panel.items.sum())
    if ratings.scale.inferred:
        told.append(
            f"The scale was inferred: {ratings.scale.describe()}; declare the labels if other "
            "classes exist."
        )
    told += list(ratings.scale.notices)
    if raters > items:
        told.append(
            f"There are more raters ({raters:,}) than items ({items:,}); if the table has a row "
            "per rater, transpose it."
        )
    single = int(study.panel.items[study.rated == 1].sum())
    if single and raters > 1:
        many = "item has one rating only and counts", "items have one rating only and count"
        told.append(f"{plural(single, *many)} in shares of classes, but not in agreement.")
    if study.panel.effective and ratings.weight is not None:
        told.append(
            f"The weights make {plural(items, 'item')} worth {study.panel.effective:,.1f} of equal "
            "weight."
        )
    return told
