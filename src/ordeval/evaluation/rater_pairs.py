"""Pairs of raters under measures of labels, and kappa of two raters with analytic errors."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..data.data import Data
from ..errors import plural
from ..measures.batches import score_tables
from ..measures.raters import agreement_weights
from ..measures.spec import Measure, parse_measure
from ..notes import Note, note
from ..results import AnalyticKappa, Estimate, RatedTogether, RaterPair
from ..stats.intervals import Interval, topic_jackknife, unit_interval
from ..stats.panels import Panel
from ..stats.resample import effective_scale
from ..stats.table_intervals import table_interval
from ..types import Array, Floats
from .rater_study import (
    Study,
    estimate_of,
    few_groups,
    widened,
    within,
    without_interval,
)

MOST_PAIRS = 300  # pairs of raters that have intervals
TOO_MANY_PAIRS = f"there are more than {MOST_PAIRS} pairs of raters"
_AT_ONCE = 1 << 20  # numbers in the tables of pairs that are scored together
_NAMED_WEIGHTS = {"none": "identity", "linear": "linear", "quadratic": "quadratic"}


class ScoredPair(NamedTuple):
    """The table of two raters, its squared weights, the same in effective items, its scores."""

    table: Floats
    squares: Floats | None
    effective: Floats
    scores: Floats


def scored_pairs(
    panel: Panel, measures: Sequence[Measure], pairs: Sequence[tuple[int, int]]
) -> Iterator[ScoredPair]:
    """Score pairs of raters, many tables at once."""
    step = max(1, _AT_ONCE // panel.scale.k**2)
    for start in range(0, len(pairs), step):
        tables, squares = panel.data.tables(pairs[start : start + step])
        effective = tables
        if squares is not None:
            sums = (x.sum(axis=(1, 2), keepdims=True) for x in (tables, squares))
            effective = tables * effective_scale(*sums)
        scores = score_tables(measures, effective, panel.scale)
        for i, table in enumerate(tables):
            square = None if squares is None else squares[i]
            yield ScoredPair(table, square, effective[i], scores[:, i])


def pairs_notices(study: Study, chosen: Sequence[Measure]) -> list[Note]:
    """Say that pairs of raters have no intervals where they are too many."""
    pairs = math.comb(len(study.data.names), 2)
    if not chosen or not study.settings.draws or pairs <= MOST_PAIRS:
        return []
    why = f"there are more than {MOST_PAIRS}"
    return [note("intervals", f"No intervals for {plural(pairs, 'pair')} of raters: {why}.")]


def pairs_of(
    study: Study, chosen: Sequence[Measure], raters: Sequence[str]
) -> tuple[RaterPair, ...]:
    """Return every pair of raters under every measure.

    Raters come in this order, in which the first of two is taken as gold.
    """
    names, numbers = study.data.names, study.panel.values
    pairs = list(combinations([names.index(name) for name in raters], 2)) if chosen else []
    many = bool(pairs_notices(study, chosen))
    rows: dict[Measure, list[RaterPair]] = {m: [] for m in chosen}
    for (g, h), pair in zip(pairs, scored_pairs(study.panel, chosen, pairs), strict=True):
        interval, few = without_interval(pair.scores, study.settings.ci), ""
        if study.settings.draws and not many and pair.table.any():
            interval, few = _pair_interval(study, chosen, (g, h), pair)
        for place, m in enumerate(chosen):
            if not pair.table.any():
                doubt = "no item was rated by both"
            elif math.isnan(interval.estimate[place]):
                doubt = m.why_undefined(pair.table, numbers)
            else:
                doubt = TOO_MANY_PAIRS if many else m.interval_doubt(pair.effective.sum(axis=1))
            estimate, items = estimate_of(interval, place, doubt or few), study.panel.shared[g, h]
            rows[m].append(rater_pair(estimate, m, names[g], names[h], items))
    return tuple(row for of_measure in rows.values() for row in of_measure)


def rater_pair(
    estimate: Estimate, measure: Measure, first: str, second: str, items: float
) -> RaterPair:
    """Return the row of two raters."""
    return RaterPair(*estimate.parts, measure=measure, first=first, second=second, items=int(items))


def _pair_interval(
    study: Study, chosen: Sequence[Measure], raters: tuple[int, int], pair: ScoredPair
) -> tuple[Interval, str]:
    """Return the intervals of one pair under all measures, and why they are doubtful, if so."""
    panel, settings = study.panel, study.settings
    bounds = np.array([m.bounds(panel.scale) for m in chosen])
    plan = settings.plan(settings.draws, quiet=True)

    def score(tables: Array) -> Floats:
        return score_tables(chosen, np.asarray(tables), panel.scale)

    def drawn(counts: Floats, squares: Floats | None) -> Interval:
        return table_interval(
            counts, score, plan, squares=squares, level=settings.ci, bounds=bounds
        )

    if not study.clustered:
        return drawn(pair.table, pair.squares), study.one_class
    units = replace(panel.data.units, topic=panel.cluster, topics=study.data.units.clusters)
    tables = replace(panel.data, units=units).tables([raters])[0][0]
    present = tables[tables.any(axis=(1, 2))] * panel.unit
    group, groups = few_groups(np.arange(len(present)), len(present), plan.seed)
    grouped = np.zeros((groups, *pair.table.shape))
    np.add.at(grouped, group, present)
    left_out, sizes = topic_jackknife(grouped, score), grouped.sum(axis=(1, 2))
    interval = unit_interval(score(grouped.sum(axis=0)), left_out, settings.ci, sizes)
    few = pair.table * (groups / pair.table.sum())
    doubt = study.one_class or study.few_clusters(len(present))
    return widened(within(interval, bounds), lambda: drawn(few, few)), doubt


def kappas_notices(study: Study) -> list[Note]:
    """Say why kappa of two raters has no analytic errors, if there are two raters."""
    what = "clusters" if study.clustered else "weights"
    if not _are_two(study) or not (study.clustered or study.data.weighted):
        return []
    why = f"their formulas are for independent items of equal weight, and there are {what}"
    return [note("intervals", f"No analytic standard errors, z and p of kappa: {why}.")]


def analytic_kappas(study: Study) -> tuple[AnalyticKappa, ...]:
    """Return Cohen's kappa of two raters with its analytic errors, where there are any."""
    if not _are_two(study) or kappas_notices(study) or not study.panel.shared[0, 1]:
        return ()
    table = study.panel.data.tables([(0, 1)])[0][0]
    kappas = (analytic_kappa(table, study.panel.values, name) for name in _NAMED_WEIGHTS)
    return tuple(row for row in kappas if not math.isnan(row.value))


def rated_together(data: Data) -> tuple[RatedTogether, ...]:
    """Return how many items two raters gave each pair of classes, in the order of their columns."""
    if len(data.names) != 2 or not data.named:
        return ()
    table, values = data.tables([(0, 1)])[0][0], data.scale.numbers
    places = zip(*np.nonzero(table), strict=True)
    return tuple(
        RatedTogether(float(values[i]), float(values[j]), float(table[i, j])) for i, j in places
    )


def _are_two(study: Study) -> bool:
    """Return whether two raters are known by name."""
    return len(study.data.names) == 2 and study.data.named


def analytic_kappa(table: Floats, values: Floats, weights: str) -> AnalyticKappa:
    """Return weighted kappa of a table of counts, with the errors of Fleiss, Cohen & Everitt.

    The standard error is NaN where both raters agree throughout.
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
        return AnalyticKappa(math.nan, measure=measure)
    kappa = float(((w * p).sum() - chance) / (1 - chance))
    spread = (p * (w - mean * (1 - kappa)) ** 2).sum() - (kappa - chance * (1 - kappa)) ** 2
    null = (np.outer(rows, columns) * (w - mean) ** 2).sum() - chance**2
    se, se_null = (math.sqrt(max(float(x), 0.0) / n) / (1 - chance) for x in (spread, null))
    se = se if se > 1e-9 else math.nan  # the formula does not apply where both agree throughout
    z = kappa / se_null if se_null > 0 else math.nan
    p_value = float(2 * ndtr(-abs(z)))
    return AnalyticKappa(kappa, se=se, measure=measure, se_null=se_null, z=z, p=p_value)
