"""Figures of results: intervals, topics, confusion, significance, similarity, shares, UOC."""

from collections.abc import Sequence
from functools import partial
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from ..data.scale import MOST_SHOWN, class_groups
from ..errors import InputError
from ..formatting import UNDEFINED, decimals, p_text
from ..measures.scoring import Scores
from ..measures.spec import Measure, parse_measure
from ..results import Estimate, Pair, Result, Standing
from ..types import Floats
from .figures import MOST_SERIES, WIDEST, Dots, Grid, Lines, Mark, Series, Tile, ends
from .texts import text_of

if TYPE_CHECKING:
    from ..meta import Similarity

_ROUNDING = 1e-9
_MOST_NAMED = 14  # measures whose names head columns


def axis_label(scores: Scores, measure: Measure) -> str:
    """Return the name of a measure with the better direction."""
    if not measure.record.directed:
        return scores.label(measure)
    return f"{scores.label(measure)} ({measure.better} is better {measure.arrow})"


def _title(scores: Scores, measure: Measure) -> str:
    """Return the name of a measure as it begins a title."""
    label = scores.label(measure)
    return label[0].upper() + label[1:]


def intervals_figure(
    result: Result, measure: Measure | None = None, most: int | None = None
) -> Dots:
    """Return scores with their intervals, the best system on top."""
    rows = result.standings(measure)[:most]
    m, intervals = rows[0].measure, result.intervals
    grouped = any(row.in_best_group for row in rows)
    marks = [_scored(result, row, row.in_best_group if grouped else row is rows[0]) for row in rows]
    level = f" with {100 * intervals.level:g} % intervals" if intervals else ""
    caption = "The filled dot is the best system."
    if grouped:
        caption = "Filled dots: the best system and those not significantly worse."
    caption += " The band is the interval of the best system." if intervals else ""
    return Dots(
        f"{_title(result.scores, m)}{level}",
        axis_label(result.scores, m),
        tuple(marks),
        caption + left_out(result, most),
        band=(rows[0].low, rows[0].high),
    )


def slices_figure(
    result: Result, m: Measure, column: str, system: str, most: int | None = None
) -> Dots:
    """Return the scores of the slices of a column under one measure, as a forest plot."""
    assert result.slices is not None
    whole = result.standing(system, m)
    alpha = 1 - result.intervals.level if result.intervals else 0.0
    rows = [row for row in result.slices.rows(m, system) if row.column == column]
    caption = text_of("result.forest")
    if most is not None and len(rows) > most:
        caption += f" The {most} best and worst of {len(rows):,} slices are shown."
        rows = ends(sorted(rows, key=lambda row: (isnan(row.value), -m.sign * row.value)), most)
    kinds = ("filled" if row.p < alpha else "hollow" for row in rows)
    marks = [Mark(r.name, r.value, r.low, r.high, k) for r, k in zip(rows, kinds, strict=True)]
    title = f"{_title(result.scores, m)} of {system} by {column}"
    label = axis_label(result.scores, m)
    return Dots(title, label, tuple(marks), caption, line=whole.value)


def shown_score(result: Result, row: Standing) -> Estimate:
    """Return a score; without its interval, if every system that predicts one class has it."""
    return Estimate(row.value) if result.is_fixed(row) else row


def _scored(result: Result, row: Standing, filled: bool) -> Mark:
    e = shown_score(result, row)
    return Mark(row.system, e.value, e.low, e.high, "filled" if filled else "hollow")


def left_out(result: Result, most: int | None) -> str:
    """Say that not all systems are shown; empty if they are."""
    if most is None or len(result.systems) <= most:
        return ""
    return f" The {most} best of {len(result.systems):,} systems are shown."


def topics_figure(result: Result, measure: Measure | None = None, most: int | None = None) -> Dots:
    """Return the spread of scores over topics, the best system on top."""
    rows, scores = result.standings(measure)[:most], result.scores
    m = rows[0].measure
    if scores.per_topic is None:
        raise InputError("This result has no scores per topic.", parameter="result")
    by_topic = scores.per_topic[scores.row(m)]
    marks = [_spread(row.system, by_topic[scores.place(row.system)]) for row in rows]
    caption = text_of("result.topics")
    title, label = f"{_title(scores, m)} by topic", axis_label(scores, m)
    return Dots(title, label, tuple(marks), caption + left_out(result, most))


def _spread(system: str, values: Floats) -> Mark:
    known = values[~np.isnan(values)]
    if not known.size:
        return Mark(system)
    low, first, median, third, high = map(float, np.quantile(known, [0.05, 0.25, 0.5, 0.75, 0.95]))
    return Mark(system, float(known.mean()), low, high, "mean", (first, third), median)


def confusion_grid(
    counts: Floats, labels: Sequence[object], title: str, most: int = MOST_SHOWN
) -> Grid:
    """Return counts `[gold, predicted]` with their shares of the gold class.

    Scales of more than `most` classes are divided into groups of classes.
    """
    groups, starts = class_groups(labels, most)
    names = tuple(groups)
    if len(names) < len(labels):
        counts = np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)
    rows = tuple(
        (names[g], tuple(_count(n, line.sum(), right=g == p) for p, n in enumerate(line)))
        for g, line in enumerate(counts)
    )
    caption = "Items, and share of the gold class"
    return Grid(title, "gold ↓ predicted →", names, rows, caption=caption)


def _count(count: float, support: float, *, right: bool) -> Tile:
    text = f"{count:,.0f}" if count == round(count) else f"{count:,.1f}"
    share = float(count / support) if support else 0.0
    under = f"{100 * share:.0f} %" if support else UNDEFINED
    return Tile(text, under, round(share, 3), "right" if right else "wrong")


def significance_grid(
    result: Result, measure: Measure | None = None, most: int | None = None
) -> Grid:
    """Return the tests of all pairs of the best systems, row against column, best system first."""
    alpha = result.required_tests().alpha
    systems = [row.system for row in result.standings(measure)[:most]]
    compact = len(systems) > WIDEST

    def tile(a: str, b: str) -> Tile:
        same = a == b
        return Tile("", kind="self") if same else _test(result.pair(a, b, measure), alpha, compact)

    rows = tuple(
        (f"{i}. {a}", tuple(tile(a, b) for b in systems)) for i, a in enumerate(systems, 1)
    )
    numbers = tuple(str(i + 1) for i in range(len(systems)))
    title = f"Pairs of systems under {result.scores.label(measure or result.primary)}"
    caption = f"▲ the row is significantly better, ▼ worse (p < {alpha:g}); "
    caption += "· not significant; point at a cell for p" if compact else "numbers are p-values"
    return Grid(title, "system", numbers, rows, compact, caption=f"{caption}; – no test.")


def _test(pair: Pair, alpha: float, compact: bool) -> Tile:
    if np.isnan(pair.p):
        return Tile(UNDEFINED, kind="even", hint="no test")
    text = p_text(pair.p, 3).replace("0.", ".")
    ahead = pair.measure.sign * pair.value
    hint = f"p = {text}".replace("= <", "< ")
    if pair.p >= alpha or ahead == 0:
        return Tile("·" if compact else text, kind="even", hint=hint)
    mark, kind = ("▲", "win") if ahead > 0 else ("▼", "loss")
    return Tile(mark, "" if compact else text, kind=kind, hint=hint)


def similarity_of(result: Result) -> "Similarity":
    """Return Kendall's τ-b between the rankings of the systems under the measures."""
    from ..meta import similarity_of_scores  # slow to load, and few tables need it

    measures = result.measures
    return similarity_of_scores(
        result.scores.values,
        measures=[str(m) for m in measures],
        signs=[m.sign for m in measures],
        variant="b",
    )


def similarity_grid(tau: Floats, names: Sequence[str], variant: str) -> Grid:
    """Return Kendall's τ between measures; columns of many are numbered."""
    compact = len(names) > _MOST_NAMED
    numbers = [str(i + 1) for i in range(len(names))]
    shown = [f"{i}. {name}" for i, name in zip(numbers, names, strict=True)] if compact else names
    rows = tuple(
        (name, tuple(_tau(float(x), compact=compact) for x in row))
        for name, row in zip(shown, tau, strict=True)
    )
    title = f"Kendall's τ-{variant} between the rankings under two measures"
    return Grid(title, "measure", tuple(numbers if compact else names), rows, compact, not compact)


def _tau(tau: float, *, compact: bool) -> Tile:
    if np.isnan(tau):
        return Tile(UNDEFINED, kind="even")
    text = decimals(tau, 2, minus="−")
    kind = "agree" if tau >= 0 else "oppose"
    return Tile(text.replace("0.", ".") if compact else text, "", round(abs(tau), 2), kind)


def mean_shares(result: Result) -> tuple[Floats, Floats]:
    """Return the mean distributions of gold and of the systems, in their order."""
    if result.shares is None:
        raise InputError("Only results of quantify have mean distributions.", parameter="result")
    return result.shares[0], result.shares[1:]


def shares_figure(result: Result, systems: Sequence[str] | None = None) -> Lines:
    """Return mean estimated distributions against gold, of one to six systems."""
    gold, means = mean_shares(result)
    names = few(result.systems[:MOST_SERIES] if systems is None else systems)
    labels = tuple(map(str, result.scores.scale.labels))
    places = range(len(labels))
    series = [Series(name, places, means[result.scores.place(name)].tolist()) for name in names]
    highest = float(max(gold.max(), *(max(s.y) for s in series)))
    return Lines(
        "Mean distributions against gold",
        "class",
        "mean share",
        tuple(series),
        "Bars are gold; marks are the systems that rank highest.",
        names=labels,
        bars=tuple(gold.tolist()),
        ylim=(0.0, 1.05 * highest),
    )


def reliability_figure(result: Result, system: str) -> Lines:
    """Return the reliability curves of a system at up to six thresholds."""
    found, at = result.calibration, result.scores.place(system)
    if found is None:
        raise InputError(
            "Only results of probabilities have reliability curves.", parameter="result"
        )
    labels, thresholds = result.scores.scale.labels, found.x.shape[1]
    chosen = np.unique(np.linspace(0, thresholds - 1, min(thresholds, MOST_SERIES)).astype(int))
    x, y, half = found.x[at], found.y[at], found.half[at]
    grid, constant = np.linspace(0.0, 1.0, 101), np.ptp(x, axis=1) < _ROUNDING
    bands = [np.interp(grid, x[k], half[k], left=0, right=0) for k in np.flatnonzero(~constant)]
    band = np.max([np.zeros_like(grid), *bands], axis=0)
    lines = (grid, np.clip(grid - band, 0, 1), np.clip(grid + band, 0, 1))
    series = [Series("", grid.tolist(), line.tolist(), faint=True) for line in lines]
    for k in chosen.tolist():
        if constant[k]:
            ends = np.clip([x[k, 0] - half[k, 0], x[k, 0] + half[k, 0]], 0, 1)
            series.append(Series("", x[k, :2].tolist(), ends.tolist(), faint=True))
        some = slice(1) if constant[k] else slice(None)
        series.append(Series(f"up to {labels[k]}", x[k, some].tolist(), y[k, some].tolist()))
    return Lines(
        f"Reliability of {system}",
        "predicted probability of a class up to …",
        "observed share",
        tuple(series),
        text_of("result.reliability", level=100 * found.level),
        legend="gold is",
    )


def few(names: Sequence[str]) -> Sequence[str]:
    """Return the names if there is a colour for each."""
    if not 1 <= len(names) <= MOST_SERIES:
        raise InputError(
            f"{len(names)} names were given; a figure shows one to {MOST_SERIES} in colour."
        )
    return names


def uoc_figure(curves: Sequence[tuple[str, Floats]], values: Floats) -> Lines:
    """Return UOC against β, with the area under each curve."""
    beta = np.linspace(0.0, 1.0, 101)
    series = []
    for name, table in curves:
        of = partial(parse_measure, "uoc")
        height = [float(of(beta=float(b)).of(table, values=values)) for b in beta]
        area = float(parse_measure("auoc").of(table, values=values))
        series.append(Series(f"{name}: AUOC {area:.3f}", beta.tolist(), height))
    title, label = "UOC by the weight of distance", "UOC (lower is better ↓)"
    return Lines(title, "β", label, tuple(series), filled=len(series) == 1)
