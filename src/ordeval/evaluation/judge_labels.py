"""Evaluate and compare systems where people labelled some items and a judge all of them.

Scores, intervals and tables of the labelled items are made as without a judge. Then every score is
replaced by that of its corrected table, and its interval is moved and shortened; see
`ordeval.stats.judge_labels`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..data.column import sorted_names
from ..data.counts import Axis, Counts, JointCounts
from ..data.data import Data
from ..data.examples import Examples
from ..data.moments import Numbers
from ..data.rows import Rows
from ..data.scale import Scale
from ..data.source import unpaired
from ..errors import InputError, plural, quoted
from ..notes import Note, note, warning
from ..results import Intervals, JudgeLabels, Result, SharesCheck, Tests
from ..stats.judge_labels import (
    Influence,
    JudgedRows,
    JudgedTable,
    PairFamily,
    choose_weight,
    products_of_others,
    shares_test,
    step_down,
    without_judge,
)
from ..stats.max_t import detectable_difference
from ..types import Array, Bools, Codes, Floats, Ints
from .intervals import difference_intervals, square
from .sample import MOST_LABELS, Notices, Sample
from .settings import Settings
from .significance import check_against

_REFUSED, _DOUBTFUL = 1e-3, 1e-2  # p-values of the shares of classes, corrected for their number
_FEWEST_DIFFERING = 10  # labelled items on which two systems must differ to use the judge
_NO_SPREAD = 1e-12  # standard errors below this are rounding errors
_SMALLEST_P = 1e-300
_LITTLE = 1e-3  # a small λ
_TRIALS = 5_000
_MOST_NAMED = 3  # systems, measures or classes in a message
_SYSTEMS = "systems"


@dataclass(frozen=True, eq=False)
class JudgedSource:
    """The labelled items as a source of counts, and the distinct rows of all items.

    Parameters
    ----------
    every : Rows
        The distinct rows of gold (K where it is missing), of the systems and last of the judge;
        their weights are the rates at which items were labelled.
    scale : Scale
        The ordered classes.
    systems, given : tuple of str
        The names of the systems, sorted, and in the order in which they were given.
    judge : str
        The name of the judge.
    notices : tuple of str
        How the data were read.
    about : mapping
        Where the data came from.
    skipped : int
        The number of items that were left out.
    """

    every: Rows
    scale: Scale
    systems: tuple[str, ...]
    given: tuple[str, ...]
    judge: str
    notices: Notices
    about: Mapping[str, Any]
    skipped: int = 0
    has_topics: bool = False
    has_clusters: bool = False
    paired: bool = True

    @classmethod
    def of(cls, data: Data) -> "JudgedSource":
        """Read the rows of data whose last column is the judge."""
        found = data.only(sorted_names(data.systems))
        rows, judge = found.rows(MOST_LABELS), data.names[-1]
        if rows is None:
            raise InputError(
                "There are too many distinct rows of labels to use a judge.",
                parameter="judge",
                hint="Compare fewer systems at a time.",
            )
        about = {**data.about, "judge": judge}
        return cls(
            rows, data.scale, found.systems, data.systems, judge, data.notices, about, data.skipped
        )

    @property
    def complete(self) -> bool:
        """Whether every item has a gold label, so that there is nothing to correct."""
        return not len(self.judged.other_count)

    @cached_property
    def judged(self) -> JudgedRows:
        """The rows of labelled and of unlabelled items."""
        rows, k = self.every, self.scale.k
        given = rows.labels[0] < k
        gold, *systems, judge = rows.labels.astype(np.int64)
        predicted = np.stack(systems)
        return JudgedRows(
            k,
            gold[given],
            judge[given],
            predicted[:, given],
            rows.count[given],
            judge[~given],
            predicted[:, ~given],
            rows.count[~given],
            None if rows.weight is None else 1 / rows.weight[given],
            None if rows.weight is None else 1 / rows.weight[~given],
        )

    def counts(self) -> Counts:
        """Return the tables of the labelled items, weighted by the inverse of their rates."""
        found, k = self.judged, self.scale.k
        cells = found.gold * k + found.systems

        def tables(amounts: Array) -> Floats:
            counted = [np.bincount(cell, amounts, k * k) for cell in cells]
            return np.stack(counted).reshape(-1, k, k).astype(np.float64)

        weighted = found.weight is not None
        weight = np.ones(len(found.count)) if found.weight is None else found.weight
        return Counts(
            tables(found.count * weight),
            self.scale,
            (Axis("system", self.systems),),
            weighted,
            self.skipped,
            tables(found.count * weight**2) if weighted else None,
            found.labelled,
        )

    def joint(self, pairs: Sequence[tuple[str, str]] | None = None) -> JointCounts:
        """Raise an error: pairs are counted from the rows."""
        raise unpaired(self.counts())

    def rows(self, most: int) -> Rows | None:
        """Return the rows of the labelled items."""
        found = self.judged
        return Rows.group(
            np.concatenate([found.gold[None], found.systems]),
            self.scale.k,
            self.systems,
            count=found.count,
            weight=found.weight,
        )

    def numbers(self, most: int) -> Numbers | None:
        """Return None: there are no numbers that were binned."""
        return None

    def examples(self, systems: Sequence[str], *, paired: bool) -> Examples | None:
        """Return None: texts are refused beside a judge."""
        return None


def check_settings(settings: Settings) -> None:
    """Raise an error for units that have no meaning with a judge."""
    if settings.over not in (None, "items"):
        raise InputError(
            f"over={settings.over!r} cannot be combined with a judge, whose labels correct scores "
            "over items.",
            parameter="over",
            hint="Leave {over} out, or leave out {judge} and score the labelled items.",
            suggest={"over": ..., "judge": ...},
        )


@dataclass(frozen=True, eq=False)
class _Correction:
    """Scores `[measure, system]` with the help of a judge, λ, and the ratio of widths."""

    scores: Floats
    weight: Floats
    ratio: Floats
    unusable: Bools


def with_judge(result: Result, sample: Sample, source: JudgedSource) -> Result:
    """Return the result of the labelled items with scores and intervals corrected by a judge."""
    if source.complete:
        notice = note(
            "judge",
            f"Every item has a gold label, so that the labels of {quoted([source.judge])} are not "
            "used.",
        )
        return replace(result, notes=(*result.notes, notice))
    checks = _check_shares(source)
    made, rows = _Corrector(sample, source).scores(), source.judged
    judge = JudgeLabels(
        source.judge,
        rows.labelled,
        rows.items,
        made.weight,
        rows.labelled / made.ratio**2,
        made.unusable.astype(np.int64),
        rows.weight is not None,
        checks,
    )
    intervals = None
    if result.intervals is not None:
        old, limits = sample.scores.values, sample.bounds
        intervals = _moved(result.intervals, old, made.scores, made.ratio, made.weight, limits)
    found = replace(
        result,
        scores=replace(sample.scores, values=made.scores),
        intervals=intervals,
        judge=judge,
    )
    told = (*_notices(found, sample), *_judge_among_systems(source))
    return replace(found, notes=(*told, *result.notes))


class _Corrector:
    """The corrected tables of all systems under the measures that are not too costly.

    Parameters
    ----------
    sample : Sample
        The scores of the labelled items.
    source : JudgedSource
        The labels.
    """

    def __init__(self, sample: Sample, source: JudgedSource) -> None:
        self.sample, self.rows = sample, source.judged
        self.measures = sample.batched
        self.statistic = sample.statistic_of(self.measures)
        self.limits = sample.bounds[self.measures]
        chosen = [sample.scores.measures[i] for i in self.measures]
        self.needs = [m.record.nonnegative(m.params) for m in chosen]
        self.defined = sample.scores.undefined[self.measures] == 0
        self.tables = [
            JudgedTable(self.rows.of_system(system)) for system in range(len(source.systems))
        ]

    @cached_property
    def gradients(self) -> list[Floats]:
        """The derivatives `[measure, cell]` of the scores of every system."""
        return [table.gradient(self.statistic) for table in self.tables]

    def scores(self) -> _Correction:
        """Choose λ for every score, and return the corrected scores."""
        values = self.sample.scores.values
        made = _Correction(
            values.copy(),
            np.zeros_like(values),
            np.ones_like(values),
            np.zeros(values.shape, dtype=np.bool_),
        )
        for system, (table, gradient) in enumerate(zip(self.tables, self.gradients, strict=True)):
            influence = table.influence(gradient)
            choice = choose_weight(influence, table.rows, self.sample.settings.ci)
            skipped = without_judge(choice, influence, table.rows, ~self.defined[:, system])
            found = table.scores(self.statistic, skipped.weight)
            bad = self._unusable(found, skipped.weight, table)
            choice = without_judge(skipped, influence, table.rows, bad)
            place = self.measures, system
            made.scores[place] = np.where(choice.weight > 0, found, values[place])
            made.weight[place], made.ratio[place] = choice.weight, choice.ratio
            made.unusable[place] = bad
        return made

    def _unusable(self, found: Floats, weight: Floats, table: JudgedTable) -> Bools:
        """Return for which measures a corrected table has no score, or an impossible one.

        Where λ is 0, the question is whether a small correction would have one: in a class that
        has no gold label any correction is a jump of a macro average, which looks worthless.
        """
        inside = (found >= self.limits[:, 0]) & (found <= self.limits[:, 1])
        usable = table.usable(np.maximum(weight, _LITTLE), self.needs)
        return np.asarray(~usable | ((weight > 0) & ~inside))

    def differences(self, pairs: Sequence[tuple[int, int]]) -> "_Differences":
        """Choose λ for every difference, and return the corrected differences."""
        whole = [JudgedTable(self.rows, system) for system in range(len(self.tables))]
        each = [t.influence(g) for t, g in zip(whole, self.gradients, strict=True)]
        others = products_of_others(whole, self.gradients)
        shape = len(self.measures), len(pairs)
        made = _Differences(each, others, *(np.full(shape, np.nan) for _ in range(5)))
        for place, (a, b) in enumerate(pairs):
            rest = others[:, a, a] + others[:, b, b] - 2 * others[:, a, b]
            p, q, wrong = (x - y for x, y in zip(each[a][:3], each[b][:3], strict=True))
            influence = Influence(p, q, wrong, np.maximum(rest, 0.0))
            differing = self.rows.count * (self.rows.systems[a] != self.rows.systems[b])
            choice = choose_weight(influence, self.rows, self.sample.settings.ci, differing)
            few = np.full(len(choice.weight), differing.sum() < _FEWEST_DIFFERING)
            choice = without_judge(choice, influence, self.rows, few, differing)
            bad = ~(self.defined[:, a] & self.defined[:, b])
            scores = [whole[i].scores(self.statistic, choice.weight) for i in (a, b)]
            for score, i in zip(scores, (a, b), strict=True):
                bad |= self._unusable(score, choice.weight, whole[i])
            choice = without_judge(choice, influence, self.rows, bad, differing)
            alone = self.sample.scores.values[self.measures]
            difference = np.where(bad, alone[:, a] - alone[:, b], scores[0] - scores[1])
            made.difference[:, place] = difference
            for name in ("weight", "ratio", "variance", "df"):
                getattr(made, name)[:, place] = getattr(choice, name)
        return made


@dataclass(frozen=True, eq=False)
class _Differences:
    """Differences `[measure, pair]` of systems with the help of a judge.

    Parameters
    ----------
    each : list of Influence
        The influence of items on the scores of every system.
    others : ndarray of shape (n_measures, n_systems, n_systems)
        Sums over unlabelled items of the products of the influences of two systems.
    difference, weight, ratio, variance, df : ndarray of shape (n_measures, n_pairs)
        The difference, λ, the length of its interval relative to people alone, its variance and
        the degrees of freedom of the variance.
    """

    each: list[Influence]
    others: Floats
    difference: Floats
    weight: Floats
    ratio: Floats
    variance: Floats
    df: Floats

    @property
    def p(self) -> Floats:
        """The p-values of t tests of each pair; 1 where systems do not differ."""
        from scipy.special import stdtr

        error = np.sqrt(self.variance)
        spread = ~(error <= _NO_SPREAD)
        t = np.divide(self.difference, error, out=np.zeros_like(error), where=spread)
        return np.asarray(2 * stdtr(self.df, -np.abs(t)))

    def family(self, measure: int, pairs: Sequence[tuple[int, int]], count: Ints) -> PairFamily:
        """Return the pairs under one measure, for tests of all of them."""
        p, q = (np.stack([getattr(one, n)[measure] for one in self.each]) for n in ("p", "q"))
        pq, qq = (p * count) @ q.T, (q * count) @ q.T + self.others[measure]
        spread = np.block([[(p * count) @ p.T, pq], [pq.T, qq]])
        first, second = np.array(pairs).T
        return PairFamily(first, second, self.weight[measure], spread)


def judged_tests(result: Result, sample: Sample, source: JudgedSource) -> Result:
    """Return a result of scores with tests and differences of pairs, corrected by a judge."""
    settings, scores = sample.settings, sample.scores
    if source.complete:
        return result
    check_against(sample)
    if len(scores.systems) < 2:
        return replace(
            result, notes=(*result.notes, warning("tests", "No tests: there is only one system."))
        )
    corrector, pairs = _Corrector(sample, source), sample.pairs
    found = corrector.differences(pairs)
    tests = _tests(found, corrector, pairs)
    moved, notices = _moved_differences(found, corrector, pairs, settings.ci)
    if settings.margin is not None:
        inner, _ = _moved_differences(found, corrector, pairs, 1 - 2 * settings.alpha)
        if inner is not None:
            tests = replace(tests, inner_low=inner.low, inner_high=inner.high)
            tests = replace(tests, margin=float(settings.margin))
    told = note(
        "judge",
        "Every difference has a λ of its own, so that it may deviate a little from the difference "
        "of the two scores.",
    )
    asked = settings.differences and settings.bootstrap
    return replace(
        result,
        tests=tests,
        differences=moved if asked else None,
        notes=(*result.notes, told, *notices),
    )


def _tests(found: _Differences, corrector: _Corrector, pairs: Sequence[tuple[int, int]]) -> Tests:
    settings, scores = corrector.sample.settings, corrector.sample.scores
    measures, systems, rows = len(scores.measures), len(scores.systems), corrector.measures
    p, difference, detectable = (np.full((measures, len(pairs)), np.nan) for _ in range(3))
    difference[rows] = found.difference
    p[rows] = _p_values(found, pairs, corrector.rows.count, settings)
    detectable[rows] = detectable_difference(
        np.sqrt(found.variance), found.df, settings.alpha / len(pairs)
    )
    return Tests(
        square(p, p, pairs, systems, 1.0),
        square(difference, -difference, pairs, systems),
        np.full((measures, systems, systems), np.nan),
        np.full(measures, np.nan),
        settings.trials or _TRIALS,
        settings.alpha,
        settings.seed,
        over="items",
        units=corrector.rows.labelled,
        against=settings.against or "",
        detectable=square(detectable, detectable, pairs, systems),
        normal=True,
    )


def _p_values(
    found: _Differences, pairs: Sequence[tuple[int, int]], count: Ints, settings: Settings
) -> Floats:
    """Return p-values `[measure, pair]`, corrected for the number of pairs."""
    from scipy.special import ndtri

    z = -ndtri(np.maximum(found.p, _SMALLEST_P) / 2)
    plan = settings.plan(settings.trials or _TRIALS, quiet=True)
    families = [found.family(i, pairs, count) for i in range(len(z))]
    return np.stack([step_down(family, row, plan) for family, row in zip(families, z, strict=True)])


def _moved_differences(
    found: _Differences, corrector: _Corrector, pairs: Sequence[tuple[int, int]], level: float
) -> tuple[Intervals | None, Notices]:
    """Return the intervals of people alone, moved to the corrected differences and shortened."""
    sample, rows = corrector.sample, corrector.measures
    settings, systems = sample.settings, len(sample.scores.systems)
    if not (settings.differences and settings.bootstrap) and settings.margin is None:
        return None, ()
    alone, notices = difference_intervals(sample, level)
    if alone is None:
        return None, notices
    shape = (len(sample.scores.measures), len(pairs))
    difference, weight, ratio = np.full(shape, np.nan), np.zeros(shape), np.ones(shape)
    difference[rows], weight[rows], ratio[rows] = found.difference, found.weight, found.ratio
    values, limits = sample.scores.values, sample.bounds
    width = limits[:, 1] - limits[:, 0]
    made = _moved(
        alone,
        values[:, :, None] - values[:, None, :],
        square(difference, -difference, pairs, systems),
        square(ratio, ratio, pairs, systems, 1.0),
        square(weight, weight, pairs, systems),
        np.stack([-width, width], axis=1),
    )
    return made, notices


def _moved(
    intervals: Intervals, old: Floats, new: Floats, ratio: Floats, weight: Floats, limits: Floats
) -> Intervals:
    """Return intervals of people alone, moved to new scores and shortened."""
    lowest, highest = (limits[:, i].reshape(-1, *[1] * (old.ndim - 1)) for i in (0, 1))

    def end(given: Floats) -> Floats:
        moved = np.clip(new + ratio * (given - old), lowest, highest)
        return np.where(weight > 0, moved, given)

    return replace(
        intervals, low=end(intervals.low), high=end(intervals.high), se=ratio * intervals.se
    )


def _check_shares(source: JudgedSource) -> tuple[SharesCheck, ...]:
    """Compare labelled items with the others; raise an error if they are plainly different."""
    found = []
    for column, differs, own, other, groups in _groups(source):
        test = shares_test(source.judged, own, other, groups)
        shares = tuple(test.labelled.tolist()), tuple(test.others.tolist())
        found.append(SharesCheck(column, test.statistic, test.df, test.p, *shares, differs))
    plain = [check for check in found if check.p * len(found) < _REFUSED]
    if plain:
        raise _not_random(plain[0], source)  # the judge's, if its classes show it
    return tuple(found)


def _groups(source: JudgedSource) -> Iterator[tuple[str, str, Codes, Codes, int]]:
    """Yield what labelled and other items are compared by: classes, and by how much they differ.

    Items are often labelled because labels differ, which the classes alone do not show.
    """
    rows, k = source.judged, source.scale.k
    systems = list(zip(source.systems, rows.systems, rows.other_systems, strict=True))
    yield source.judge, "", rows.judge, rows.other_judge, k
    for name, own, other in systems:
        yield name, "", own, other, k
    for name, own, other in systems:
        apart = own - rows.judge + k - 1, other - rows.other_judge + k - 1
        yield name, source.judge, *apart, 2 * k - 1
    if len(systems) > 1:
        spread = np.ptp(rows.systems, axis=0), np.ptp(rows.other_systems, axis=0)
        yield _SYSTEMS, _SYSTEMS, *spread, k


def _not_random(check: SharesCheck, source: JudgedSource) -> InputError:
    rated = source.judged.weight is not None
    hint = (
        "The rates do not explain it: check {rate}, or label a random part of the items."
        if rated
        else "If items of some kinds were labelled more often than others, pass the rate of each "
        "item with {rate}; if not, leave out {judge}, or label a random part of the items."
    )
    return InputError(
        f"The {plural(source.judged.labelled, 'item')} with a gold label are no random part of "
        f"all {source.judged.items:,}, so that the labels of {quoted([source.judge])} cannot "
        f"correct scores. {_shares_text(check, source)}",
        parameter="judge",
        hint=hint,
        suggest={"rate": ..., "judge": ...},
    )


def _shares_text(check: SharesCheck, source: JudgedSource) -> str:
    """Return the groups whose shares differ most, and the test."""
    gaps = np.abs(np.subtract(check.labelled, check.others))
    most = sorted(np.argsort(-gaps, kind="stable")[:_MOST_NAMED].tolist())
    of = "of the others" if source.judged.weight is None else "expected by the rates"
    shown = ", ".join(
        f"{_group_name(check, i, source)} {check.labelled[i]:.1%} of the labelled items and "
        f"{check.others[i]:.1%} {of}"
        for i in most
    )
    p = "< 0.0001" if check.p < 1e-4 else f"= {check.p:.2g}"
    return (
        f"{_subject(check)} {shown} (χ² = {check.statistic:.1f}, {check.df} degrees of freedom, "
        f"p {p})."
    )


def _subject(check: SharesCheck) -> str:
    if not check.differs_from:
        return f"{check.column} gives"
    if check.column == check.differs_from == _SYSTEMS:
        return "The classes that systems give differ by"
    return f"The classes that {check.column} and {check.differs_from} give differ by"


def _group_name(check: SharesCheck, place: int, source: JudgedSource) -> str:
    """Return a class, or a difference of classes, before the share of the items."""
    if not check.differs_from:
        return f"{source.scale.labels[place]!r} to"
    if check.column == check.differs_from == _SYSTEMS:
        return f"{place} on"
    steps = place - source.scale.k + 1
    return f"{steps:+d} on" if steps else "0 on"


def _notices(result: Result, sample: Sample) -> Iterator[Note]:
    """Say what the judge was used for and what it was worth."""
    judge, scores = result.judge, result.scores
    assert judge is not None
    yield (
        note(
            "judge",
            f"Gold labels are those of people, of {judge.labelled:,} of {judge.items:,} items; the "
            f"labels of {quoted([judge.name])} on all items only correct the scores. "
            f"{_gained(result, judge)}",
        )
    )
    unusable = np.asarray(judge.unusable.any(axis=1))
    names = [m.name for m, bad in zip(scores.measures, unusable, strict=True) if bad]
    if names:
        yield (
            warning(
                "judge",
                f"Without correction (λ = 0), in part: {quoted(names, _MOST_NAMED)}; the corrected "
                "table has a negative or empty class or cell, or a score outside the range.",
            )
        )
    costly = [m.name for i, m in enumerate(scores.measures) if i not in sample.batched]
    if costly:
        yield warning(
            "judge", f"Without correction (λ = 0), because it would take long: {quoted(costly)}."
        )
    doubtful = [c for c in judge.checks if c.p * len(judge.checks) < _DOUBTFUL]
    if doubtful:
        check = min(doubtful, key=lambda c: c.p)
        yield (
            warning(
                "judge",
                f"The labelled items may be no random part: {_compared(check)} differ from those "
                f"of the others (p = {check.p:.2g}).",
            )
        )


def _judge_among_systems(source: JudgedSource) -> Iterator[Note]:
    """Name the systems that give every item the judge's label."""
    rows = source.judged
    same = (rows.systems == rows.judge).all(axis=1)
    same &= (rows.other_systems == rows.other_judge).all(axis=1)
    names = [name for name, equal in zip(source.systems, same, strict=True) if equal]
    if names:
        verb = "is" if len(names) == 1 else "are"
        yield (
            warning(
                "judge",
                f"{quoted(names, _MOST_NAMED)} {verb} the judge itself, or a copy: the label of "
                f"{quoted([source.judge])} is the same on every item, so that the judge cannot "
                "tell where such a system errs. Only gold labels do.",
            )
        )


def _gained(result: Result, judge: JudgeLabels) -> str:
    """Say what the judge is worth under the main measure: λ of all systems, the best one's gain."""
    scores = result.scores
    row = scores.row(result.primary)
    weights, several = judge.weight[row], len(scores.systems) > 1
    if not weights.any():
        return f"Under {result.primary} they add nothing (λ = 0{' for every system' * several})."
    best = scores.place(scores.ranking(result.primary)[0])
    if weights[best] == 0:
        best = int(np.argmax(judge.worth[row]))
    of = f" of {scores.systems[best]}" if several else ""
    found = f"λ = {weights[best]:.2f}"
    if several:
        found += f"; {weights.min():.2f} to {weights.max():.2f} for all systems"
    worth = plural(round(float(judge.worth[row, best])), "item")
    return (
        f"Under {result.primary} the interval{of} is as short as if {worth} instead of "
        f"{judge.labelled:,} had gold labels ({found})."
    )


def _compared(check: SharesCheck) -> str:
    if not check.differs_from:
        return f"the shares of classes that {check.column} gives them"
    if check.column == check.differs_from == _SYSTEMS:
        return "the differences among the classes that systems give them"
    return f"the differences of the classes that {check.column} and {check.differs_from} give them"
