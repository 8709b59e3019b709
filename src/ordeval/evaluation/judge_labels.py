"""Evaluate and compare systems where people labelled some items and a judge all of them.

Scores, intervals, tests and tables of the labelled items are made as without a judge. Then every
score is replaced by that of its corrected table, its interval is moved and shortened, and tests
take the corrected differences in units of the shortened standard error; see
`ordeval.stats.judge_labels`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..data.column import sorted_names
from ..data.data import Data
from ..data.scale import Scale
from ..errors import InputError, plural, quoted
from ..measures.spec import Measure
from ..notes import Note, note, warning
from ..results import Intervals, JudgeLabels, Result, SharesCheck
from ..stats.intervals import share_interval, square
from ..stats.judge_labels import (
    ADDED_ITEMS,
    RATED_ITEMS,
    Influence,
    JudgedRows,
    JudgedTable,
    choose_weight,
    products_of_others,
    shares_test,
)
from ..types import Bools, Codes, Floats, Ints
from .rated import Rated
from .sample import MOST_LABELS, Sample
from .significance import make_tests

_REFUSED, _DOUBTFUL = 1e-3, 1e-2  # p-values of the shares of classes, corrected for their number
_FEWEST_DIFFERING = 20  # labelled items on which two systems must differ to use the judge
_FEWEST_OF_CLASS = 5  # labelled items of a class, and of others, for its share to use the judge
_LITTLE = 1e-3  # a small λ
_MOST_NAMED = 3  # systems, measures or classes in a message
_SYSTEMS = "systems"


@dataclass(frozen=True, eq=False)
class Judged:
    """The labels of all items: of gold where there are any, of systems, and of the judge.

    Where outputs of systems were rated, there are rows `of` every system, and no gold.
    """

    judge: str
    systems: tuple[str, ...]
    scale: Scale
    rows: JudgedRows
    of: Sequence[JudgedRows] = ()

    @property
    def complete(self) -> bool:
        """Whether every item has a gold label, so that there is nothing to correct."""
        return self.rows.items == self.rows.labelled

    def tables(self) -> list[JudgedTable]:
        """Return the table of every system."""
        turned = [JudgedTable(rows, 0, turned=True) for rows in self.of]
        return turned or [JudgedTable(self.rows, i) for i in range(len(self.systems))]

    def deciding(self, systems: Sequence[int], measures: Sequence[Measure]) -> Ints | None:
        """Return the labelled items `[M, R]` of each row that decide on scores or differences.

        All do, but on a difference only those on which two systems differ, and on a share only
        those of the class.
        """
        if not self.of and len(systems) == 1:
            return None
        count = self.rows.own.count
        columns = [self.of[s].gold if self.of else self.rows.own.systems[s] for s in systems]
        apart = np.not_equal(columns[0], columns[-1]) if len(systems) > 1 else count > 0
        named = [m.params["label"] if m.id == "share" else None for m in measures]
        some = [apart if c is None else apart & np.equal(columns, c).any(axis=0) for c in named]
        return np.asarray(count * np.array(some))


def divide_rated(rated: Rated) -> tuple[Data, Judged]:
    """Return the items that people rated, and the rows of all for every system."""
    labelled, rows = rated.only(), rated.rows()
    return labelled, Judged(rated.judge, labelled.systems, labelled.scale, rows[0], rows)


def divide(data: Data) -> tuple[Data, Judged]:
    """Return the labelled items, weighted by the inverse of their rates, and the rows of all.

    The last column of the data is the judge; systems are put in the order of their names.
    """
    ordered, k = data.only(sorted_names(data.systems)), data.scale.k
    rows, judge = ordered.rows(MOST_LABELS), data.names[-1]
    if rows is None:
        raise InputError(
            "There are too many distinct rows of labels to use a judge.",
            parameter="judge",
            hint="Compare fewer systems at a time.",
        )
    some = ordered.take(ordered.codes[0] < k)
    rate = None if rows.weight is None else some.units.rate
    labelled = replace(
        some,
        codes=some.codes[:-1],
        names=some.names[:-1],
        units=replace(some.units, weight=None if rate is None else 1 / rate, rate=None),
        named=True,
        judged=False,
        about={**data.about, "judge": judge},
    )
    return labelled, Judged(judge, labelled.systems, data.scale, JudgedRows.of(rows, k))


def with_judge(result: Result, sample: Sample, judged: Judged, *, tests: bool) -> Result:
    """Return the result of the labelled items with scores, intervals and tests corrected."""
    if judged.complete:
        every = "People rated every item" if judged.of else "Every item has a gold label"
        unused = f"{every}; those of {quoted([judged.judge])} are not used."
        return replace(result, notes=(*result.notes, note("judge", unused)))
    checks, rows, corrector = _check_shares(judged), judged.rows, _Corrector(sample, judged)
    corrected, intervals = corrector.scores(), result.intervals
    judge = JudgeLabels(
        judged.judge,
        rows.labelled,
        rows.items,
        corrected.weight,
        rows.labelled / corrected.ratio**2,
        corrected.unusable.astype(np.int64),
        rows.own.weight is not None,
        checks,
    )
    if intervals is not None:
        alone = intervals
        intervals = _moved(alone, sample.scores.values, corrected, sample.bounds)
        if judged.of and alone.method == "dirichlet":
            intervals = _of_ratings(intervals, alone, corrected, sample)
    scores, people = replace(sample.scores, values=corrected.value), result
    result = replace(result, scores=scores, intervals=intervals, judge=judge)
    told = _about_ratings(result, people, judge) if judged.of else _about_labels(result, judge)
    notes = (note("judge", told), *_notices(judge, sample, judged), *result.notes)
    result = replace(result, notes=notes)
    return _with_tests(result, corrector) if tests else result


class _Corrected(NamedTuple):
    """Corrected scores `[measure, system]`, or differences `[measure, pair]`.

    `weight` is λ, `ratio` the length of intervals relative to people alone; where a table is
    `unusable`, or a measure too costly, λ is 0.
    """

    value: Floats
    weight: Floats
    ratio: Floats
    unusable: Bools

    @classmethod
    def alone(cls, values: Floats) -> "_Corrected":
        """Return figures of people alone."""
        none = np.zeros_like(values)
        return cls(values.copy(), none, none + 1, none > 0)

    def of_pairs(self, pairs: Sequence[tuple[int, int]], systems: int) -> "_Corrected":
        """Return differences `[measure, system, system]`."""
        turned, diagonal = (-self.value, *self[1:]), (0, 0, 1, 0)
        whole = zip(self, turned, diagonal, strict=True)
        return _Corrected(*(square(a, b, pairs, systems, d) for a, b, d in whole))


class _Corrector:
    """The corrected tables of all systems under the measures that are not too costly."""

    def __init__(self, sample: Sample, judged: Judged) -> None:
        self.sample, self.judged, self.measures = sample, judged, sample.batched
        self._statistic = sample.statistic_of(self.measures)
        scale = sample.scores.scale
        chosen = [sample.scores.measures[i].on(scale) for i in self.measures]
        self._chosen = chosen
        self._needs = [m.record.nonnegative(m.params) for m in chosen]
        self._tables = judged.tables()
        numbers = np.asarray(scale.numbers, dtype=np.float64)
        self._gradients = [table.gradient(chosen, numbers) for table in self._tables]

    @cached_property
    def _influences(self) -> list[Influence]:
        pairs = zip(self._tables, self._gradients, strict=True)
        return [table.influence(gradient) for table, gradient in pairs]

    def scores(self) -> _Corrected:
        """Choose λ for every score, and return the corrected scores."""
        corrected = _Corrected.alone(self.sample.scores.values)
        for place, influence in enumerate(self._influences):
            self._correct(corrected, place, [place], influence)
        return corrected

    def differences(self) -> _Corrected:
        """Choose λ for every difference, and return these."""
        each, others = self._influences, products_of_others(self._tables, self._gradients)
        pairs, values = self.sample.pairs, self.sample.scores.values
        first, second = np.array(pairs).T
        corrected = _Corrected.alone(values[:, first] - values[:, second])
        for place, (a, b) in enumerate(pairs):
            rest = others[:, a, a] + others[:, b, b] - 2 * others[:, a, b]
            rest = np.maximum(rest, 0.0)
            if self.judged.of:
                influence = each[a].minus(each[b], rest)
            else:
                p, q, wrong = (x - y for x, y in zip(each[a][:3], each[b][:3], strict=True))
                influence = Influence(p, q, wrong, rest, each[a].likely)
            self._correct(corrected, place, [a, b], influence)
        return corrected

    def _correct(
        self,
        corrected: _Corrected,
        place: int,
        systems: list[int],
        influence: Influence,
    ) -> None:
        """Correct a score, or a difference of two."""
        added = RATED_ITEMS if self.judged.of else ADDED_ITEMS
        like = self.judged.deciding(systems, self._chosen)
        choice = choose_weight(influence, self.judged.rows, self.sample.settings.ci, like, added)
        missing = self.sample.scores.undefined[np.ix_(self.measures, systems)] > 0
        missing = np.asarray(missing.any(axis=1))
        if like is not None:
            fewest = _FEWEST_DIFFERING if len(systems) > 1 else _FEWEST_OF_CLASS
            number, shares = like.sum(axis=1), [m.id == "share" for m in self._chosen]
            missing |= number < fewest
            if len(systems) == 1:
                missing |= shares & (self.judged.rows.labelled - number < fewest)
        choice = choice.without(missing)
        tables = [self._tables[system] for system in systems]
        scores = [table.scores(self._statistic, choice.weight) for table in tables]
        unusable = [self._unusable(*x, choice.weight) for x in zip(scores, tables, strict=True)]
        bad = np.logical_or.reduce(unusable)
        choice, at = choice.without(bad), (self.measures, place)
        value = scores[0] - (scores[1] if len(scores) > 1 else 0.0)
        value = np.where(choice.weight > 0, value, corrected.value[at])
        for array, figure in zip(corrected, (value, *choice, bad), strict=True):
            array[at] = figure

    def _unusable(self, scores: Floats, table: JudgedTable, weight: Floats) -> Bools:
        """Return for which measures a corrected table has no score, or an impossible one.

        Where λ is 0, the question is whether a small correction would have one: in a class that
        has no gold label any correction is a jump of a macro average, which looks worthless.
        """
        low, high = self.sample.bounds[self.measures].T
        usable = table.usable(np.maximum(weight, _LITTLE), self._needs)
        return np.asarray(~usable | ((weight > 0) & ~((scores >= low) & (scores <= high))))


def _with_tests(result: Result, corrector: _Corrector) -> Result:
    """Return a result of scores with tests and differences of pairs, corrected by a judge."""
    sample = corrector.sample
    if not sample.pairs:
        return replace(result, notes=(*result.notes, *make_tests(sample)[1]))
    differences = corrector.differences()
    apart = differences.of_pairs(sample.pairs, len(sample.scores.systems))
    # The standard error of a corrected difference is that of people alone times the ratio.
    tests, notices = make_tests(replace(sample, moved=apart.value / apart.ratio))
    assert tests is not None
    width = np.ptp(sample.bounds, axis=1)[:, None, None]
    scaled = {
        name: np.clip(apart.ratio * getattr(tests, name), -width, width)
        for name in ("difference", "se", "low", "high", "inner_low", "inner_high", "detectable")
    }
    row = result.scores.row(result.primary)
    alone = int((differences.weight[row] == 0).sum())
    if alone and result.judge is not None and result.judge.weight[row].any():
        text = f"Under {result.primary.label}, people alone decide {alone} of "
        text += (
            f"{plural(len(sample.pairs), 'difference')} (λ = 0): too few labelled items differ, "
        )
        notices = (*notices, note("judge", f"{text}or the judge adds nothing."))
    return replace(result, tests=replace(tests, **scaled), notes=(*result.notes, *notices))


def _moved(intervals: Intervals, old: Floats, corrected: _Corrected, limits: Floats) -> Intervals:
    """Return intervals of people alone, moved to new figures and shortened."""
    lowest, highest = (limits[:, i].reshape(-1, *[1] * (old.ndim - 1)) for i in (0, 1))

    def end(alone: Floats) -> Floats:
        moved = np.clip(corrected.value + corrected.ratio * (alone - old), lowest, highest)
        return np.where(corrected.weight > 0, moved, alone)

    low, high = end(intervals.low), end(intervals.high)
    return replace(intervals, low=low, high=high, se=corrected.ratio * intervals.se)


def _of_ratings(
    moved: Intervals, alone: Intervals, corrected: _Corrected, sample: Sample
) -> Intervals:
    """Return the intervals of means and shares that a judge corrected; `moved` are as scores have.

    How skewed people's ratings are says nothing about the judge's errors, which are often skewed to
    the other side: intervals of means are symmetric, and those of shares those of as many items as
    the judge makes of people's, unless they are longer.
    """
    scores, ratio, value = sample.scores, corrected.ratio, corrected.value
    half, bounds = ratio * (alone.high - alone.low) / 2, sample.bounds[:, :, None]
    low, high = (np.clip(value + end, *bounds.swapaxes(0, 1)) for end in (-half, half))
    share = np.array([[m.id == "share"] for m in scores.measures])
    worth = (scores.effective or scores.items) / ratio**2
    least, most = share_interval(value, worth, alone.level)
    longer = most - least > alone.high - alone.low
    low = np.where(share, np.where(longer, moved.low, least), low)
    high = np.where(share, np.where(longer, moved.high, most), high)
    used = corrected.weight > 0
    return replace(moved, low=np.where(used, low, moved.low), high=np.where(used, high, moved.high))


# Whether the labelled items are a random part.


def _check_shares(judged: Judged) -> tuple[SharesCheck, ...]:
    """Compare labelled items with the others; raise an error if they are plainly different."""
    rows = judged.rows
    checks = [
        SharesCheck(column, *shares_test(rows, own, other, groups), differs)
        for column, differs, own, other, groups in _groups(judged)
    ]
    plain = [check for check in checks if check.p * len(checks) < _REFUSED]
    if plain:  # the first is the judge's, if its classes show it
        remedy = "If some items were labelled more often than others, pass their rates as {rate}"
        if rows.own.weight is not None:
            remedy = "The rates do not explain it: check {rate}"
        raise InputError(
            f"The {plural(rows.labelled, 'item')} "
            f"{'rated by people' if judged.of else 'with a gold label'} are not a random part of "
            f"all {rows.items:,}, so that the labels of {quoted([judged.judge])} cannot correct "
            f"scores: {_differing(plain[0], judged)}.",
            parameter="judge",
            hint=f"{remedy}; or leave out {{judge}}.",
            suggest={"rate": ..., "judge": ...},
        )
    return tuple(checks)


def _groups(judged: Judged) -> Iterator[tuple[str, str, Codes, Codes, int]]:
    """Yield what labelled and other items are compared by: classes, and by how much they differ.

    Items are often labelled because labels differ, which the classes alone do not show.
    """
    k, mine, theirs = judged.scale.k, judged.rows.own, judged.rows.others
    if judged.of:
        parts = [(rows.own.judge, rows.others.judge) for rows in judged.of]
        for system, part in zip(judged.systems, parts, strict=True):
            yield judged.judge + f" (of {system})" * (len(parts) > 1), "", *part, k
        if len(parts) > 1:
            own, other = (np.ptp(each, axis=0) for each in zip(*parts, strict=True))
            yield _SYSTEMS, _SYSTEMS, own, other, k
        return
    systems = list(zip(judged.systems, mine.systems, theirs.systems, strict=True))
    yield judged.judge, "", mine.judge, theirs.judge, k
    for name, own, other in systems:
        yield name, "", own, other, k
    for name, own, other in systems:
        apart = own - mine.judge + k - 1, other - theirs.judge + k - 1
        yield name, judged.judge, *apart, 2 * k - 1
    if len(systems) > 1:
        spread = np.ptp(mine.systems, axis=0), np.ptp(theirs.systems, axis=0)
        yield _SYSTEMS, _SYSTEMS, *spread, k


def _differing(check: SharesCheck, judged: Judged) -> str:
    """Say which share of the labelled items differs most from that of the others."""
    at, k = int(np.argmax(np.abs(np.subtract(check.labelled, check.others)))), judged.scale.k
    if not check.differs_from:
        what = f"{check.column} has the class {judged.scale.labels[at]!r} on"
    elif check.column == _SYSTEMS:
        what = f"the classes of systems differ by {at} on"
    else:
        both = f"{check.column} and {check.differs_from}"
        what = f"the classes of {both} differ by {at - k + 1:+d} on".replace("+0", "0")
    of = "of the others" if judged.rows.own.weight is None else "expected by the rates"
    p = "< 0.0001" if check.p < 1e-4 else f"= {check.p:.2g}"
    return (
        f"{what} {check.labelled[at]:.1%} of the labelled items and {check.others[at]:.1%} {of} "
        f"(χ² = {check.statistic:.1f}, df = {check.df}, p {p})"
    )


# Notes.


def _about_labels(result: Result, judge: JudgeLabels) -> str:
    """Say what the judge was used for and what it was worth."""
    return (
        f"People gave gold labels to {judge.labelled:,} of {judge.items:,} items; the "
        f"labels of {quoted([judge.name])} only correct the scores. "
        f"{_gained(result, judge)}"
    )


def _about_ratings(result: Result, alone: Result, judge: JudgeLabels) -> str:
    """Say what the ratings of the judge on all items added to those of people."""
    rated = f"People rated {judge.labelled:,} of {judge.items:,} items, {judge.name} all of them"
    row = result.scores.row(result.primary)
    saved = _range(100 * (1 - judge.labelled / judge.worth[row]), ".0f")
    saves = f"saves about {saved} % of labels" if judge.weight[row].any() else "adds nothing"
    saves = f"{judge.name} {saves} (λ = {_range(judge.weight[row], '.2f')})"
    if len(result.systems) > 1:
        return f"{rated}. Under {result.primary.label} {saves}."
    one, other = (_with_interval(x) for x in (result, alone))
    return f"{rated}: {result.primary.label} {one}, people alone {other}; {saves}."


def _notices(judge: JudgeLabels, sample: Sample, judged: Judged) -> Iterator[Note]:
    """Say where the judge could not be used, or should not be."""
    measures = sample.scores.measures
    uncorrected = "Without correction (λ = 0)"
    unusable = [m.label for m, bad in zip(measures, judge.unusable, strict=True) if bad.any()]
    if unusable:
        yield warning(
            "judge",
            f"{uncorrected}, in part: {quoted(unusable, _MOST_NAMED)}; the corrected "
            "table has a negative or empty class or cell, or a score outside the range.",
        )
    if costly := [m.label for i, m in enumerate(measures) if i not in sample.batched]:
        yield warning("judge", f"{uncorrected}, because it would take long: {quoted(costly)}.")
    check = min(judge.checks, key=lambda check: check.p)
    if check.p * len(judge.checks) < _DOUBTFUL:
        doubt = f"The labelled items may not be a random part of all: {_differing(check, judged)}."
        yield warning("judge", doubt)
    if judged.of:
        return
    parts = judged.rows.own, judged.rows.others
    same = np.all([(part.systems == part.judge).all(axis=1) for part in parts], axis=0)
    if names := [name for name, equal in zip(judged.systems, same, strict=True) if equal]:
        yield warning(
            "judge",
            f"The judge itself, or a copy with the same label on every item: "
            f"{quoted(names, _MOST_NAMED)}; only gold labels tell where such a system errs.",
        )


def _with_interval(result: Result) -> str:
    """Return the only score under the main measure, with its interval."""
    row = result.standings()[0]
    return f"{row.value:.2f}" + f" [{row.low:.2f}, {row.high:.2f}]" * (row.low <= row.high)


def _gained(result: Result, judge: JudgeLabels) -> str:
    """Say what the judge is worth under the main measure, over all systems."""
    row = result.scores.row(result.primary)
    weights, worth = judge.weight[row], judge.worth[row].round()
    if not weights.any():
        return f"Under {result.primary} they add nothing (λ = 0)."
    items = f"{_range(worth, ',.0f')} items instead of {judge.labelled:,}"
    shorter = f"intervals are as short as if {items} had gold labels"
    return f"Under {result.primary} {shorter} (λ = {_range(weights, '.2f')})."


def _range(numbers: Floats, form: str) -> str:
    """Return the smallest and the largest number, or the only one."""
    ends = (format(float(x), form) for x in (numbers.min(), numbers.max()))
    return " to ".join(dict.fromkeys(ends))
