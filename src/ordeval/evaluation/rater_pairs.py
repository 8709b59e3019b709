"""Pairs of raters under measures of labels, and kappa of two raters with analytic errors."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ..data.data import Data
from ..errors import plural
from ..measures.raters import agreement_weights
from ..measures.scoring import score_tables
from ..measures.spec import Measure, parse_measure
from ..notes import Note, note
from ..results import AnalyticKappa, RaterPair
from ..stats.intervals import Interval, dirichlet_interval, t_interval, topic_jackknife
from ..stats.panels import Panel
from ..stats.resample import Plan, effective_scale
from ..types import Array, Bools, Codes, Floats
from .rater_study import Study, estimate_of, few_groups, widened, within, without_interval
from .sample import Settings

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
    place = {name: i for i, name in enumerate(study.data.names)}
    order = {measure: i for i, measure in enumerate(chosen)}
    every = list(combinations([place[name] for name in raters], 2))
    if not chosen or not every:
        return ()
    settings, many = study.settings, bool(pairs_notices(study, chosen))
    if many:
        settings = replace(settings, bootstrap=0)
    step = max(1, _AT_ONCE // study.data.scale.k**2)
    parts = (every[start : start + step] for start in range(0, len(every), step))
    rows = [row for part in parts for row in _rows_of_pairs(study, settings, chosen, part)]
    if many:
        rows = [_saying_why(row) for row in rows]
    return tuple(sorted(rows, key=lambda row: order[row.measure]))


def _saying_why(row: RaterPair) -> RaterPair:
    """Return a pair that says why it has no interval, unless it has no score for a reason."""
    return row if math.isnan(row.value) else replace(row, doubt=TOO_MANY_PAIRS)


def _rows_of_pairs(
    study: Study, settings: Settings, chosen: Sequence[Measure], pairs: Sequence[tuple[int, int]]
) -> list[RaterPair]:
    """Return pairs of raters under every measure; all are scored at once, which is faster."""
    tabled = [_pair_table(study, *pair) for pair in pairs]
    if settings.bootstrap:
        found = [
            _pair_interval(study, settings, chosen, pair, table, squares)
            for pair, (table, squares, _) in zip(pairs, tabled, strict=True)
        ]
    else:
        scaled = np.stack([_in_items(table, squares) for table, squares, _ in tabled])
        scores = _scorer(chosen, study)(scaled)
        found = [without_interval(of_pair, settings.ci) for of_pair in scores.T]
    return [
        row
        for pair, counts, interval in zip(pairs, tabled, found, strict=True)
        for row in _pair_rows(study, settings, chosen, pair, counts, interval)
    ]


def _pair_rows(
    study: Study,
    settings: Settings,
    chosen: Sequence[Measure],
    pair: tuple[int, int],
    counts: tuple[Floats, Floats | None, int],
    found: Interval,
) -> list[RaterPair]:
    """Return one pair of raters under every measure."""
    first, second = (study.data.names[place] for place in pair)
    table, squares, items = counts
    numbers = study.data.scale.numbers
    reasons = _pair_reasons(chosen, table, squares, numbers, found.estimate)
    few = study.one_class or study.few_clusters(_pair_clusters(study, pair))
    few = few if settings.bootstrap else ""
    reasons = [why or few for why in reasons]
    return [
        RaterPair(
            *estimate_of(found, i, reasons[i]).parts,
            measure=m,
            first=first,
            second=second,
            items=items,
        )
        for i, m in enumerate(chosen)
    ]


def _pair_clusters(study: Study, pair: tuple[int, int]) -> int:
    """Return the number of clusters of the items that both raters rated; 0 without clusters."""
    if study.panel.cluster is None:
        return 0
    both, _ = _pair_cells(study.panel, *pair)
    return len(np.unique(study.panel.cluster[both]))


def _pair_cells(panel: Panel, g: int, h: int) -> tuple[Bools, Codes]:
    """Return which rows both raters rated, and the cell of each of these in their table."""
    first, second = panel.codes[:, g], panel.codes[:, h]
    both = panel.rated[:, g] & panel.rated[:, h]
    return both, first[both] * len(panel.values) + second[both]


def _pair_table(study: Study, g: int, h: int) -> tuple[Floats, Floats | None, int]:
    """Return the table of two raters, that of squared weights, and the number of their items."""
    panel, k = study.panel, study.data.scale.k
    both, cell = _pair_cells(panel, g, h)

    def tabled(amounts: Floats) -> Floats:
        return counted(cell, amounts[both], (k, k))

    items = int(panel.items[both].sum())
    if study.data.units.weight is None:
        return tabled(panel.items), None, items
    weights = panel.items * panel.weight
    return tabled(weights), tabled(weights * panel.weight), items


def counted(cell: Codes, amounts: Floats, shape: tuple[int, ...]) -> Floats:
    """Return the sums of amounts by cell, as an array of this shape."""
    found = np.bincount(cell, amounts, math.prod(shape))
    return np.asarray(found, dtype=np.float64).reshape(shape)


def _scorer(chosen: Sequence[Measure], study: Study) -> Callable[[Array], Floats]:
    """Return the function that scores tables `[..., K, K]`."""
    return lambda tables: score_tables(chosen, np.asarray(tables), study.data.scale)


def _pair_interval(
    study: Study,
    settings: Settings,
    chosen: Sequence[Measure],
    pair: tuple[int, int],
    table: Floats,
    squares: Floats | None,
) -> Interval:
    """Return the intervals of one pair under all measures."""
    score, scale = _scorer(chosen, study), study.data.scale
    if not table.sum():
        return without_interval(score(table), settings.ci)
    bounds = np.array([m.bounds(scale) for m in chosen])
    plan = settings.plan(settings.bootstrap, quiet=True)
    if study.clustered:
        return _pair_over_clusters(study, pair, score, bounds, table, plan)
    return dirichlet_interval(table, score, plan, squares=squares, level=settings.ci, bounds=bounds)


def _in_items(table: Floats, squares: Floats | None) -> Floats:
    """Return a table of weights in units that make its total the effective number of items."""
    return table if squares is None else table * effective_scale(table.sum(), squares.sum())


def _pair_over_clusters(
    study: Study,
    pair: tuple[int, int],
    score: Callable[[Array], Floats],
    bounds: Floats,
    table: Floats,
    plan: Plan,
) -> Interval:
    """Return t intervals of a pair from leaving out clusters."""
    panel, k, level = study.panel, study.data.scale.k, study.settings.ci
    assert panel.cluster is not None
    both, cell = _pair_cells(panel, *pair)
    present, cluster = np.unique(panel.cluster[both], return_inverse=True)
    group, groups = few_groups(cluster, len(present), plan.seed)
    units = counted(group * k * k + cell, panel.amounts[both], (groups, k, k))

    def like_items() -> Interval:
        few = table * (groups / table.sum())
        return dirichlet_interval(few, score, plan, squares=few, level=level, bounds=bounds)

    found = t_interval(score(units.sum(axis=0)), topic_jackknife(units, score), level)
    return widened(within(found, bounds), like_items)


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
        per_class = per_class * effective_scale(table.sum(), squares.sum())
    found = []
    for m, value in zip(chosen, values, strict=True):
        conditions = m.record.undefined(m.params) if math.isnan(value) else ()
        reason = next((c.reason for c in conditions if bool(c.holds(table, numbers))), "")
        found.append(reason or m.interval_doubt(per_class))
    return found


def kappas_notices(data: Data, panel: Panel) -> list[Note]:
    """Say why kappa of two raters has no analytic errors, if there are two raters."""
    given = "clusters" if panel.cluster is not None else "weights"
    if not _are_two(data) or (given == "weights" and data.units.weight is None):
        return []
    why = f"their formulas are for independent items of equal weight, and there are {given}"
    return [note("intervals", f"No analytic standard errors, z and p of kappa: {why}.")]


def analytic_kappas(data: Data, panel: Panel) -> tuple[AnalyticKappa, ...]:
    """Return Cohen's kappa of two raters with its analytic errors, where there are any."""
    if not _are_two(data) or kappas_notices(data, panel):
        return ()
    return _kappas_of_items(data, panel)


def _are_two(data: Data) -> bool:
    """Return whether two raters are known by name."""
    return len(data.names) == 2 and data.named


def _kappas_of_items(data: Data, panel: Panel) -> tuple[AnalyticKappa, ...]:
    """Return kappa of two raters without weights, where it is defined."""
    both, cell = _pair_cells(panel, 0, 1)
    k = data.scale.k
    table = counted(cell, panel.items[both], (k, k))
    if not table.sum():
        return ()
    found = (analytic_kappa(table, panel.values, name) for name in _NAMED_WEIGHTS)
    return tuple(row for row in found if not math.isnan(row.value))


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
