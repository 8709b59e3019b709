"""Pairs of raters under measures of labels, and kappa of two raters with analytic errors."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ..data.data import Data
from ..errors import plural
from ..measures.batches import score_tables
from ..measures.raters import agreement_weights
from ..measures.spec import Measure, parse_measure
from ..notes import Note, note
from ..results import AnalyticKappa, RaterPair
from ..stats.intervals import Interval, dirichlet_interval, t_interval, topic_jackknife
from ..stats.resample import effective_scale
from ..types import Array, Floats
from .rater_study import Study, estimate_of, few_groups, widened, within, without_interval

MOST_PAIRS = 300  # pairs of raters that have intervals
TOO_MANY_PAIRS = f"there are more than {MOST_PAIRS} pairs of raters"
_AT_ONCE = 1 << 20  # numbers in the tables of pairs that are scored together
_NAMED_WEIGHTS = {"none": "identity", "linear": "linear", "quadratic": "quadratic"}


def pairs_notices(study: Study, chosen: Sequence[Measure]) -> list[Note]:
    """Say that pairs of raters have no intervals where they are too many."""
    pairs = math.comb(len(study.data.names), 2)
    if not chosen or not study.settings.bootstrap or pairs <= MOST_PAIRS:
        return []
    told = note(
        "intervals",
        f"No intervals for {plural(pairs, 'pair')} of raters: there are more than {MOST_PAIRS}.",
    )
    return [told]


def pairs_of(
    study: Study, chosen: Sequence[Measure], raters: Sequence[str]
) -> tuple[RaterPair, ...]:
    """Return every pair of raters under every measure.

    Raters come in the order that is given, in which the first of two is taken as gold.
    """
    names, order = study.data.names, {measure: i for i, measure in enumerate(chosen)}
    every = list(combinations([names.index(name) for name in raters], 2))
    if not chosen or not every:
        return ()
    many = bool(pairs_notices(study, chosen))
    step = max(1, _AT_ONCE // study.data.scale.k**2)
    rows: list[RaterPair] = []
    for start in range(0, len(every), step):
        rows += _rows_of_pairs(study, chosen, every[start : start + step], many)
    return tuple(sorted(rows, key=lambda row: order[row.measure]))


def _rows_of_pairs(
    study: Study, chosen: Sequence[Measure], pairs: Sequence[tuple[int, int]], many: bool
) -> Iterator[RaterPair]:
    """Return pairs of raters under every measure; all are scored at once, which is faster."""
    data, ci, drawn = study.rows, study.settings.ci, study.settings.bootstrap > 0 and not many
    tables, squares = data.tables(pairs)
    if squares is not None:
        sums = (x.sum(axis=(1, 2), keepdims=True) for x in (tables, squares))
        scaled = tables * effective_scale(*sums)
    else:
        scaled = tables
    scores = score_tables(chosen, scaled, data.scale)
    for i, (g, h) in enumerate(pairs):
        found, few = without_interval(scores[:, i], ci), ""
        if drawn and tables[i].any():
            square = None if squares is None else squares[i]
            found, few = _pair_interval(study, chosen, (g, h), tables[i], square)
        reasons = _pair_reasons(chosen, tables[i], scaled[i], data.scale.numbers, found.estimate)
        for place, m in enumerate(chosen):
            score = estimate_of(found, place, reasons[place] or few)
            if many and not math.isnan(score.value):
                score = replace(score, doubt=TOO_MANY_PAIRS)
            items = int(study.shared[g, h])
            yield RaterPair(
                *score.parts, measure=m, first=data.names[g], second=data.names[h], items=items
            )


def _pair_interval(
    study: Study,
    chosen: Sequence[Measure],
    pair: tuple[int, int],
    table: Floats,
    squares: Floats | None,
) -> tuple[Interval, str]:
    """Return the intervals of one pair under all measures, and why they are doubtful, if so."""
    scale, settings = study.data.scale, study.settings
    bounds = np.array([m.bounds(scale) for m in chosen])
    plan = settings.plan(settings.bootstrap, quiet=True)

    def score(tables: Array) -> Floats:
        return score_tables(chosen, np.asarray(tables), scale)

    def drawn(counts: Floats, squares: Floats | None) -> Interval:
        return dirichlet_interval(
            counts, score, plan, squares=squares, level=settings.ci, bounds=bounds
        )

    if not study.clustered:
        return drawn(table, squares), study.one_class
    panel = study.panel
    topics = replace(study.rows.units, topic=panel.cluster, topics=study.data.units.clusters)
    by_cluster = replace(study.rows, units=topics).tables([pair])[0][0]
    present = by_cluster[by_cluster.any(axis=(1, 2))] * panel.unit
    group, groups = few_groups(np.arange(len(present)), len(present), plan.seed)
    units = np.zeros((groups, *table.shape))
    np.add.at(units, group, present)
    found = t_interval(score(units.sum(axis=0)), topic_jackknife(units, score), settings.ci)
    few = table * (groups / table.sum())
    doubt = study.one_class or study.few_clusters(len(present))
    return widened(within(found, bounds), lambda: drawn(few, few)), doubt


def _pair_reasons(
    chosen: Sequence[Measure], table: Floats, scaled: Floats, numbers: Floats, values: Floats
) -> list[str]:
    """Return why scores of a pair are undefined, or their intervals doubtful.

    The total of the scaled table is the effective number of items.
    """
    if not table.any():
        return ["no item was rated by both"] * len(chosen)
    found = []
    for m, value in zip(chosen, values, strict=True):
        conditions = m.record.undefined(m.params) if math.isnan(value) else ()
        reason = next((c.reason for c in conditions if bool(c.holds(table, numbers))), "")
        found.append(reason or m.interval_doubt(scaled.sum(axis=1)))
    return found


def kappas_notices(study: Study) -> list[Note]:
    """Say why kappa of two raters has no analytic errors, if there are two raters."""
    given = "clusters" if study.clustered else "weights"
    if not _are_two(study.data) or not (study.clustered or study.data.weighted):
        return []
    why = f"their formulas are for independent items of equal weight, and there are {given}"
    return [note("intervals", f"No analytic standard errors, z and p of kappa: {why}.")]


def analytic_kappas(study: Study) -> tuple[AnalyticKappa, ...]:
    """Return Cohen's kappa of two raters with its analytic errors, where there are any."""
    if not _are_two(study.data) or kappas_notices(study) or not study.shared[0, 1]:
        return ()
    table = study.rows.tables([(0, 1)])[0][0]
    found = (analytic_kappa(table, study.panel.values, name) for name in _NAMED_WEIGHTS)
    return tuple(row for row in found if not math.isnan(row.value))


def _are_two(data: Data) -> bool:
    """Return whether two raters are known by name."""
    return len(data.names) == 2 and data.named


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
