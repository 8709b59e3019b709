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

from ..counts import Axis, Counts, JointCounts
from ..errors import InputError, plural, quoted
from ..labels import sorted_names
from ..moments import Numbers
from ..results import Intervals, JudgeLabels, Result, SharesCheck
from ..rows import Rows
from ..scale import Scale
from ..sources import unpaired
from ..stats.judge_labels import (
    JudgedRows,
    JudgedTable,
    choose_weight,
    shares_test,
    without_judge,
)
from ..types import Array, Floats
from .sample import MOST_LABELS, Notices, Sample
from .settings import Settings

_REFUSED, _DOUBTFUL = 1e-3, 1e-2  # p-values of the shares of classes, corrected for their number
_MOST_NAMED = 3  # systems, measures or classes in a message


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
    def of(cls, source: Any) -> "JudgedSource":
        """Read the rows of a source whose last system is the judge."""
        found, scale, names, skipped = source.judged_rows(MOST_LABELS)
        if found is None:
            raise InputError(
                "There are too many distinct rows of labels to use a judge.",
                parameter="judge",
                hint="Compare fewer systems at a time.",
            )
        *given, judge = names
        systems = sorted_names(given)
        order = [0, *(1 + given.index(name) for name in systems), len(names)]
        rows = replace(found, labels=found.labels[order])
        about = {**source.about, "judge": judge}
        if about.pop("sample_weight", False):
            about["labelled_rate"] = True
        return cls(rows, scale, tuple(systems), tuple(given), judge, source.notices, about, skipped)

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
        labels = np.stack([found.gold, *found.systems]).astype(self.every.labels.dtype)
        return Rows(labels, found.count, found.weight)

    def numbers(self, most: int) -> Numbers | None:
        """Return None: there are no numbers that were binned."""
        return None


def check_settings(settings: Settings) -> None:
    """Raise an error for settings that have no meaning with a judge."""
    given = {
        "over": settings.over if settings.over not in (None, "items") else None,
        "test": settings.test if settings.test == "tukey" else None,
        "classical": settings.classical or None,
    }
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"{name}={value!r} cannot be combined with a judge, whose labels correct scores "
                "over items.",
                parameter=name,
                hint=f"Leave {{{name}}} out, or leave out {{judge}} and score the labelled items.",
                suggest={name: ..., "judge": ...},
            )


@dataclass(frozen=True, eq=False)
class _Correction:
    """Scores `[measure, system]` with the help of a judge, λ, and the ratio of widths."""

    scores: Floats
    weight: Floats
    ratio: Floats
    unusable: Array


def with_judge(result: Result, sample: Sample, source: JudgedSource) -> Result:
    """Return the result of the labelled items with scores and intervals corrected by a judge."""
    if source.complete:
        notice = (
            f"Every item has a gold label, so that the labels of {quoted([source.judge])} are not "
            "used."
        )
        return replace(result, notices=(*result.notices, notice))
    checks = _check_shares(source, sample.settings.seed)
    made, rows = _corrected(sample, source), source.judged
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
        old, limits = sample.scores.values, _bounds(sample)
        intervals = _moved(result.intervals, old, made.scores, made.ratio, made.weight, limits)
    found = replace(
        result,
        scores=replace(sample.scores, values=made.scores),
        intervals=intervals,
        judge=judge,
    )
    return replace(found, notices=(*_notices(found, sample), *result.notices))


def _corrected(sample: Sample, source: JudgedSource) -> _Correction:
    """Choose λ and correct the scores of all systems under the measures that are not too costly."""
    measures = sample.batched
    statistic, limits = sample.statistic_of(measures), _bounds(sample)[measures]
    chosen = [sample.scores.measures[i] for i in measures]
    needs = [m.record.nonnegative(m.params) for m in chosen]
    scores = sample.scores.values.copy()
    weight, ratio = np.zeros_like(scores), np.ones_like(scores)
    unusable = np.zeros(scores.shape, dtype=np.bool_)
    for system in range(len(source.systems)):
        table = JudgedTable(source.judged.of_system(system))
        influence, _ = table.influence(statistic)
        choice = choose_weight(influence, table.rows, sample.settings.ci)
        undefined = sample.scores.undefined[measures, system] > 0
        choice = without_judge(choice, influence, table.rows, undefined)
        found = table.scores(statistic, choice.weight)
        inside = (found >= limits[:, 0]) & (found <= limits[:, 1])
        bad = (choice.weight > 0) & ~(table.usable(choice.weight, needs) & inside)
        choice = without_judge(choice, influence, table.rows, bad)
        helped = choice.weight > 0
        scores[measures, system] = np.where(helped, found, scores[measures, system])
        weight[measures, system], ratio[measures, system] = choice.weight, choice.ratio
        unusable[measures, system] = bad
    return _Correction(scores, weight, ratio, unusable)


def _bounds(sample: Sample) -> Floats:
    """Return the lowest and the highest possible score `[measure, 2]`."""
    return np.array([sample.scores.bounds(m) for m in sample.scores.measures])


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


def _check_shares(source: JudgedSource, seed: int) -> tuple[SharesCheck, ...]:
    """Compare labelled items with the others; raise an error if they are plainly different."""
    rows = source.judged
    columns = [(source.judge, rows.judge, rows.other_judge)]
    columns += list(zip(source.systems, rows.systems, rows.other_systems, strict=True))
    found = []
    for name, own, other in columns:
        test = shares_test(rows, own, other, seed)
        shares = tuple(test.labelled.tolist()), tuple(test.others.tolist())
        found.append(SharesCheck(name, test.statistic, test.df, test.p, *shares))
    worst = min(found, key=lambda check: check.p)
    if worst.p * len(found) < _REFUSED:
        raise _not_random(worst, source)
    return tuple(found)


def _not_random(check: SharesCheck, source: JudgedSource) -> InputError:
    rated = source.judged.weight is not None
    hint = (
        "The rates do not explain it: check {labelled_rate}, or label a random part of the items."
        if rated
        else "If items of some kinds were labelled more often than others, pass the rate of each "
        "item with {labelled_rate}; if not, leave out {judge}, or label a random part of the items."
    )
    return InputError(
        f"The {plural(source.judged.labelled, 'item')} with a gold label are no random part of "
        f"all {source.judged.items:,}, so that the labels of {quoted([source.judge])} cannot "
        f"correct scores. {_shares_text(check, source)}",
        parameter="judge",
        hint=hint,
        suggest={"labelled_rate": ..., "judge": ...},
    )


def _shares_text(check: SharesCheck, source: JudgedSource) -> str:
    """Return the classes whose shares differ most, and the test."""
    gaps = np.abs(np.subtract(check.labelled, check.others))
    most = sorted(np.argsort(-gaps, kind="stable")[:_MOST_NAMED].tolist())
    shown = ", ".join(
        f"{source.scale.labels[i]!r} to {check.labelled[i]:.1%} of the labelled items and "
        f"{check.others[i]:.1%} of {'all' if source.judged.weight is not None else 'the others'}"
        for i in most
    )
    p = "< 0.0001" if check.p < 1e-4 else f"= {check.p:.2g}"
    return (
        f"{check.column} gives {shown} (χ² = {check.statistic:.1f}, {check.df} degrees of freedom, "
        f"p {p})."
    )


def _notices(result: Result, sample: Sample) -> Iterator[str]:
    """Say what the judge was used for and what it was worth."""
    judge, scores = result.judge, result.scores
    assert judge is not None
    row = scores.row(result.primary)
    best = scores.place(scores.ranking(result.primary)[0])
    worth, weight = judge.worth[row, best], judge.weight[row, best]
    of = "" if len(scores.systems) == 1 else f" of {scores.systems[best]}"
    gained = (
        f"Under {result.primary} the interval{of} is as short as if {worth:,.0f} items instead of "
        f"{judge.labelled:,} had gold labels (λ = {weight:.2f})."
        if weight > 0
        else f"Under {result.primary} they add nothing{of} (λ = 0)."
    )
    yield (
        f"Gold labels are those of people, of {judge.labelled:,} of {judge.items:,} items; the "
        f"labels of {quoted([judge.name])} on all items only correct the scores. {gained}"
    )
    unusable = np.asarray(judge.unusable.any(axis=1))
    names = [m.name for m, bad in zip(scores.measures, unusable, strict=True) if bad]
    if names:
        yield (
            f"Without correction (λ = 0), in part: {quoted(names, _MOST_NAMED)}; the corrected "
            "table has a negative or empty class or cell, or a score outside the range."
        )
    costly = [m.name for i, m in enumerate(scores.measures) if i not in sample.batched]
    if costly:
        yield f"Without correction (λ = 0), because it would take long: {quoted(costly)}."
    doubtful = [c for c in judge.checks if c.p * len(judge.checks) < _DOUBTFUL]
    if doubtful:
        check = min(doubtful, key=lambda c: c.p)
        yield (
            f"The labelled items may be no random part: the shares of classes that {check.column} "
            f"gives them differ from those of the others (p = {check.p:.2g})."
        )
