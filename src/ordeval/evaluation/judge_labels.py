"""Evaluate and compare systems where people labelled some items and a judge all of them.

Scores, intervals and tables of the labelled items are made as without a judge. Then every score is
replaced by that of its corrected table, and its interval is moved and shortened; see
`ordeval.stats.judge_labels`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..data.column import sorted_names
from ..data.data import Data
from ..data.units import Rows
from ..errors import InputError, plural, quoted
from ..notes import Note, note, warning
from ..results import Intervals, JudgeLabels, Result, SharesCheck
from ..stats.intervals import square
from ..stats.judge_labels import (
    Influence,
    JudgedRows,
    JudgedTable,
    choose_weight,
    family_p,
    products_of_others,
    shares_test,
)
from ..stats.max_t import detectable_difference
from ..types import Bools, Codes, Floats, Ints
from .intervals import difference_intervals
from .sample import MOST_LABELS, Notices, Sample
from .significance import check_against, tests_of, with_margin

_REFUSED, _DOUBTFUL = 1e-3, 1e-2  # p-values of the shares of classes, corrected for their number
_FEWEST_DIFFERING = 10  # labelled items on which two systems must differ to use the judge
_NO_SPREAD = 1e-12  # standard errors below this are rounding errors
_SMALLEST_P = 1e-300
_LITTLE = 1e-3  # a small λ
_TRIALS = 5_000
_MOST_NAMED = 3  # systems, measures or classes in a message
_SYSTEMS = "systems"


@dataclass(frozen=True, eq=False)
class JudgedSource(Data):
    """The labelled items, weighted by the inverse of their rates, and the rows of all items.

    Parameters
    ----------
    every : Rows
        The distinct rows of gold (K where it is missing), of the systems and last of the judge;
        their weights are the rates at which items were labelled.
    judge : str
        The name of the judge.
    """

    every: Rows | None = None
    judge: str = ""

    @classmethod
    def of_data(cls, data: Data) -> "JudgedSource":
        """Divide data whose last column is the judge; systems are in the order of their names."""
        ordered = data.only(sorted_names(data.systems))
        rows, judge = ordered.rows(MOST_LABELS), data.names[-1]
        if rows is None:
            raise InputError(
                "There are too many distinct rows of labels to use a judge.",
                parameter="judge",
                hint="Compare fewer systems at a time.",
            )
        labelled = ordered.take(ordered.codes[0] < data.scale.k)
        units, rate = labelled.units, None if rows.weight is None else labelled.units.rate
        return cls(
            **{field.name: getattr(labelled, field.name) for field in fields(Data)}
            | {
                "codes": labelled.codes[:-1],
                "names": labelled.names[:-1],
                "units": replace(units, weight=None if rate is None else 1 / rate, rate=None),
                "named": True,
                "judged": False,
                "about": {**data.about, "judge": judge},
                "every": rows,
                "judge": judge,
            }
        )

    @cached_property
    def rows_of_all(self) -> JudgedRows:
        """The rows of labelled and of unlabelled items."""
        assert self.every is not None
        return JudgedRows.of(self.every, self.scale.k)

    def rows_of(self, system: int) -> JudgedRows:
        """Return the distinct rows of gold, judge and one system."""
        rows, k = self.every, self.scale.k
        assert rows is not None
        labels = rows.labels[[0, 1 + system, -1]]
        few = Rows.group(labels, k + 1, ("", "judge"), count=rows.count, weight=rows.weight)
        return JudgedRows.of(few, k)

    @property
    def complete(self) -> bool:
        """Whether every item has a gold label, so that there is nothing to correct."""
        return self.rows_of_all.items == self.rows_of_all.labelled


def with_judge(result: Result, sample: Sample, source: JudgedSource) -> Result:
    """Return the result of the labelled items with scores and intervals corrected by a judge."""
    if source.complete:
        unused = f"Every item has a gold label; those of {quoted([source.judge])} are not used."
        return replace(result, notes=(*result.notes, note("judge", unused)))
    checks, rows = _check_shares(source), source.rows_of_all
    corrected, intervals = _Corrector(sample, source).scores(), result.intervals
    worth, unusable = rows.labelled / corrected.ratio**2, corrected.unusable.astype(np.int64)
    of_judge = source.judge, rows.labelled, rows.items, corrected.weight, worth, unusable
    judge = JudgeLabels(*of_judge, rows.own.weight is not None, checks)
    if intervals is not None:
        intervals = _moved(intervals, sample.scores.values, corrected, sample.bounds)
    scores = replace(sample.scores, values=corrected.value)
    result = replace(result, scores=scores, intervals=intervals, judge=judge)
    return replace(result, notes=(*_notices(result, sample, source), *result.notes))


class _Corrected(NamedTuple):
    """Corrected scores `[measure, system]`, or differences `[measure, pair]`.

    `weight` is λ, `ratio` the length of intervals relative to people alone, `variance` and `df`
    those of the figures; where a table is `unusable`, or a measure too costly, λ is 0.
    """

    value: Floats
    weight: Floats
    ratio: Floats
    variance: Floats
    df: Floats
    unusable: Bools

    @classmethod
    def alone(cls, values: Floats) -> "_Corrected":
        """Return figures of people alone, whose variance is not known."""
        none, unknown = np.zeros_like(values), np.full_like(values, np.nan)
        return cls(values.copy(), none, none + 1, unknown, unknown.copy(), none > 0)

    def of_pairs(self, pairs: Sequence[tuple[int, int]], systems: int) -> "_Corrected":
        """Return differences `[measure, system, system]`."""
        turned, diagonal = (-self.value, *self[1:]), (0, 0, 1, 0, 0, 0)
        whole = zip(self, turned, diagonal, strict=True)
        return _Corrected(*(square(a, b, pairs, systems, d) for a, b, d in whole))


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
        self.sample, self.rows, self.measures = sample, source.rows_of_all, sample.batched
        self._statistic = sample.statistic_of(self.measures)
        chosen = [sample.scores.measures[i] for i in self.measures]
        self._needs = [m.record.nonnegative(m.params) for m in chosen]
        self._tables = [JudgedTable(source.rows_of(i)) for i in range(len(source.systems))]
        numbers = np.asarray(source.scale.numbers, dtype=np.float64)
        self._gradients = [table.gradient(chosen, numbers) for table in self._tables]

    def scores(self) -> _Corrected:
        """Choose λ for every score, and return the corrected scores."""
        corrected = _Corrected.alone(self.sample.scores.values)
        for place, (table, gradient) in enumerate(zip(self._tables, self._gradients, strict=True)):
            self._correct(corrected, place, {place: table}, table.influence(gradient))
        return corrected

    def differences(self) -> tuple[_Corrected, Floats]:
        """Choose λ for every difference; returns these, and p-values `[measure, pair]`."""
        whole = [JudgedTable(self.rows, system) for system in range(len(self._tables))]
        each = [t.influence(g) for t, g in zip(whole, self._gradients, strict=True)]
        others = products_of_others(whole, self._gradients)
        pairs, values = self.sample.pairs, np.full_like(self.sample.scores.values, np.nan)
        values[self.measures] = self.sample.scores.values[self.measures]
        first, second = np.array(pairs).T
        corrected = _Corrected.alone(values[:, first] - values[:, second])
        for place, (a, b) in enumerate(pairs):
            rest = others[:, a, a] + others[:, b, b] - 2 * others[:, a, b]
            p, q, wrong = (x - y for x, y in zip(each[a][:3], each[b][:3], strict=True))
            differing = self.rows.own.count * np.not_equal(*self.rows.own.systems[[a, b]])
            influence = Influence(p, q, wrong, np.maximum(rest, 0.0))
            self._correct(corrected, place, {a: whole[a], b: whole[b]}, influence, differing)
        p_values = np.full(corrected.value.shape, np.nan)
        count, settings = self.rows.own.count, self.sample.settings
        plan = settings.plan(settings.trials or _TRIALS, quiet=True)
        for i, row in enumerate(self.measures):
            own, judged = (np.stack([one[n][i] for one in each]) for n in (0, 1))
            both = (own * count) @ judged.T
            squares = (judged * count) @ judged.T + others[i]
            spread = np.block([[(own * count) @ own.T, both], [both.T, squares]])
            z, weight = _normal(corrected, row), corrected.weight[row]
            p_values[row] = family_p(z, weight, pairs, spread, plan)
        return corrected, p_values

    def _correct(
        self,
        corrected: _Corrected,
        place: int,
        tables: dict[int, JudgedTable],
        influence: Influence,
        differing: Ints | None = None,
    ) -> None:
        """Correct a score, or a difference of two that `differing` items decide on."""
        rows = next(iter(tables.values())).rows
        choice = choose_weight(influence, rows, self.sample.settings.ci, differing)
        missing = self.sample.scores.undefined[np.ix_(self.measures, list(tables))] > 0
        if differing is not None:
            missing |= differing.sum() < _FEWEST_DIFFERING
        choice = choice.without(np.asarray(missing.any(axis=1)))
        scores = [table.scores(self._statistic, choice.weight) for table in tables.values()]
        bad = np.zeros(len(self.measures), dtype=np.bool_)
        for score, table in zip(scores, tables.values(), strict=True):
            bad |= self._unusable(score, choice.weight, table)
        choice, at = choice.without(bad), (self.measures, place)
        value = scores[0] - (scores[1] if len(scores) > 1 else 0.0)
        value = np.where(choice.weight > 0, value, corrected.value[at])
        for array, figure in zip(corrected, (value, *choice[:4], bad), strict=True):
            array[at] = figure

    def _unusable(self, scores: Floats, weight: Floats, table: JudgedTable) -> Bools:
        """Return for which measures a corrected table has no score, or an impossible one.

        Where λ is 0, the question is whether a small correction would have one: in a class that
        has no gold label any correction is a jump of a macro average, which looks worthless.
        """
        low, high = self.sample.bounds[self.measures].T
        usable = table.usable(np.maximum(weight, _LITTLE), self._needs)
        return np.asarray(~usable | ((weight > 0) & ~((scores >= low) & (scores <= high))))


def _normal(corrected: _Corrected, row: int) -> Floats:
    """Return normal deviates with the p-values of t tests; 0 where systems do not differ."""
    from scipy.special import ndtri, stdtr

    value, error = corrected.value[row], np.sqrt(corrected.variance[row])
    t = np.divide(value, error, out=np.zeros_like(error), where=~(error <= _NO_SPREAD))
    p = 2 * stdtr(corrected.df[row], -np.abs(t))
    return np.asarray(-ndtri(np.maximum(p, _SMALLEST_P) / 2))


def judged_tests(result: Result, sample: Sample, source: JudgedSource) -> Result:
    """Return a result of scores with tests and differences of pairs, corrected by a judge."""
    settings, systems = sample.settings, len(sample.scores.systems)
    if source.complete:
        return result
    check_against(sample)
    if systems < 2:
        none = warning("tests", "No tests: there is only one system.")
        return replace(result, notes=(*result.notes, none))
    corrected, p = _Corrector(sample, source).differences()
    pairs, apart = sample.pairs, corrected.of_pairs(sample.pairs, systems)
    detectable = detectable_difference(
        np.sqrt(apart.variance), apart.df, settings.alpha / len(pairs)
    )
    how = {"trials": settings.trials or _TRIALS, "units": source.rows_of_all.labelled}
    p = square(p, p, pairs, systems, 1.0)
    tests = tests_of(
        sample, p, apart.value, detectable=detectable, over="items", normal=True, **how
    )
    values, width = sample.scores.values, np.ptp(sample.bounds, axis=1)
    old, limits = values[:, :, None] - values[:, None, :], np.stack([-width, width], axis=1)

    def moved(sample: Sample, level: float) -> tuple[Intervals | None, Notices]:
        alone, notices = difference_intervals(sample, level)
        return None if alone is None else _moved(alone, old, apart, limits), notices

    differences, notices = None, Notices()
    if settings.differences and settings.bootstrap:
        differences, notices = moved(sample, settings.ci)
    tests, more = with_margin(tests, sample, moved)
    own_weights = "Every difference has its own λ, and may deviate a bit from that of the scores."
    notes = (*result.notes, note("judge", own_weights), *dict.fromkeys((*notices, *more)))
    return replace(result, tests=tests, differences=differences, notes=notes)


def _moved(intervals: Intervals, old: Floats, corrected: _Corrected, limits: Floats) -> Intervals:
    """Return intervals of people alone, moved to new figures and shortened."""
    lowest, highest = (limits[:, i].reshape(-1, *[1] * (old.ndim - 1)) for i in (0, 1))

    def end(given: Floats) -> Floats:
        moved = np.clip(corrected.value + corrected.ratio * (given - old), lowest, highest)
        return np.where(corrected.weight > 0, moved, given)

    low, high = end(intervals.low), end(intervals.high)
    return replace(intervals, low=low, high=high, se=corrected.ratio * intervals.se)


def _check_shares(source: JudgedSource) -> tuple[SharesCheck, ...]:
    """Compare labelled items with the others; raise an error if they are plainly different."""
    found = []
    for column, differs, own, other, groups in _groups(source):
        test = shares_test(source.rows_of_all, own, other, groups)
        found.append(SharesCheck(column, *test, differs))
    plain = [check for check in found if check.p * len(found) < _REFUSED]
    if plain:
        rows, first = source.rows_of_all, plain[0]  # the judge's, if its classes show it
        rated = rows.own.weight is not None
        check_rate = "The rates do not explain it: check {rate}"
        pass_rate = "If some items were labelled more often than others, pass their rates as {rate}"
        raise InputError(
            f"The {plural(rows.labelled, 'item')} with a gold label are no random part of all "
            f"{rows.items:,}, so that the labels of {quoted([source.judge])} cannot correct "
            f"scores: {_differing(first, source)}.",
            parameter="judge",
            hint=f"{check_rate if rated else pass_rate}; or leave out {{judge}}.",
            suggest={"rate": ..., "judge": ...},
        )
    return tuple(found)


def _groups(source: JudgedSource) -> Iterator[tuple[str, str, Codes, Codes, int]]:
    """Yield what labelled and other items are compared by: classes, and by how much they differ.

    Items are often labelled because labels differ, which the classes alone do not show.
    """
    k, (mine, theirs) = source.scale.k, (source.rows_of_all.own, source.rows_of_all.others)
    systems = list(zip(source.systems, mine.systems, theirs.systems, strict=True))
    yield source.judge, "", mine.judge, theirs.judge, k
    for name, own, other in systems:
        yield name, "", own, other, k
    for name, own, other in systems:
        apart = own - mine.judge + k - 1, other - theirs.judge + k - 1
        yield name, source.judge, *apart, 2 * k - 1
    if len(systems) > 1:
        spread = np.ptp(mine.systems, axis=0), np.ptp(theirs.systems, axis=0)
        yield _SYSTEMS, _SYSTEMS, *spread, k


def _differing(check: SharesCheck, source: JudgedSource) -> str:
    """Say which share of the labelled items differs most from that of the others."""
    at = int(np.argmax(np.abs(np.subtract(check.labelled, check.others))))
    what = f"{check.column} gives {source.scale.labels[at % source.scale.k]!r} to"
    if check.differs_from:
        steps, both = at - source.scale.k + 1, f"{check.column} and {check.differs_from}"
        signed = f"{steps:+d}" if steps else "0"
        both, signed = (_SYSTEMS, str(at)) if check.column == _SYSTEMS else (both, signed)
        what = f"the classes of {both} differ by {signed} on"
    of = "of the others" if source.rows_of_all.own.weight is None else "expected by the rates"
    p = "< 0.0001" if check.p < 1e-4 else f"= {check.p:.2g}"
    return (
        f"{what} {check.labelled[at]:.1%} of the labelled items and {check.others[at]:.1%} {of} "
        f"(χ² = {check.statistic:.1f}, df = {check.df}, p {p})"
    )


def _notices(result: Result, sample: Sample, source: JudgedSource) -> Iterator[Note]:
    """Say what the judge was used for and what it was worth."""
    judge, measures = result.judge, result.scores.measures
    assert judge is not None
    yield note(
        "judge",
        f"Gold labels are those of people, of {judge.labelled:,} of {judge.items:,} items; the "
        f"labels of {quoted([judge.name])} on all items only correct the scores. "
        f"{_gained(result, judge)}",
    )
    unusable = [m.label for m, bad in zip(measures, judge.unusable, strict=True) if bad.any()]
    if unusable:
        yield warning(
            "judge",
            f"Without correction (λ = 0), in part: {quoted(unusable, _MOST_NAMED)}; the corrected "
            "table has a negative or empty class or cell, or a score outside the range.",
        )
    costly = [m.label for i, m in enumerate(measures) if i not in sample.batched]
    if costly:
        why = "because it would take long"
        yield warning("judge", f"Without correction (λ = 0), {why}: {quoted(costly)}.")
    check = min(judge.checks, key=lambda check: check.p)
    if check.p * len(judge.checks) < _DOUBTFUL:
        doubt = f"The labelled items may be no random part: {_differing(check, source)}."
        yield warning("judge", doubt)
    parts = source.rows_of_all.own, source.rows_of_all.others
    same = np.all([(part.systems == part.judge).all(axis=1) for part in parts], axis=0)
    names = [name for name, equal in zip(source.systems, same, strict=True) if equal]
    if names:
        verb = "is" if len(names) == 1 else "are"
        yield warning(
            "judge",
            f"{quoted(names, _MOST_NAMED)} {verb} the judge itself, or a copy, with the same label "
            "on every item: only gold labels tell where such a system errs.",
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
    of, found = "", f"λ = {weights[best]:.2f}"
    if several:
        of = f" of {scores.systems[best]}"
        found += f"; {weights.min():.2f} to {weights.max():.2f} for all systems"
    worth = plural(round(float(judge.worth[row, best])), "item")
    return (
        f"Under {result.primary} the interval{of} is as short as if {worth} instead of "
        f"{judge.labelled:,} had gold labels ({found})."
    )
