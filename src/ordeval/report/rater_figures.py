"""Figures of raters, and of models beside people."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan

import numpy as np

from ..data.scale import class_groups
from ..errors import InputError
from ..formatting import UNDEFINED, decimals, interval_text, one_line, shorten
from ..measures.spec import Measure
from ..results import Agreement, Estimate, Judgement
from ..stats.differences import limits_of_agreement
from ..types import Floats
from .figures import Dots, Grid, Level, Mark, Scatter, Tile, ends
from .view import kept

_MOST_NAMED = 14  # raters whose names head columns
_LONGEST_COLUMN = 20  # characters
_MOST_PLACES, _GRID = 2000, 50  # dots; more of them are put on a grid of this many steps
_MOST_GROUPS = 10  # classes, or groups of classes, whose shares are shown

_Scores = dict[tuple[str, str], tuple[Estimate, int]]


def _mark(name: str, e: Estimate, kind: str = "filled") -> Mark:
    return Mark(name, e.value, e.low, e.high, kind)


def _level(result: Agreement | Judgement) -> str:
    return f" with {100 * result.level:g} % intervals" if result.replicates else ""


def agreement_figure(result: Agreement) -> Dots:
    """Return the coefficients of agreement of all raters with their intervals."""
    marks = [
        _mark(m.label, e, "hollow" if i else "filled")
        for i, (m, e) in enumerate(result.coefficients.items())
    ]
    who = f"{len(result.raters)} raters" if result.raters else "raters"
    title, label = f"Agreement of {who}{_level(result)}", "coefficient (1: perfect agreement)"
    return Dots(title, label, tuple(marks), line=0.0, least=(0.0, 1.0))


def bland_altman_figure(result: Agreement) -> Scatter | None:
    """Return the differences of two raters against their means; None of other raters."""
    rows, names = result.together, [row.rater for row in result.raters]
    if not rows:
        return None
    first, second, items = np.array([(row.first, row.second, row.items) for row in rows]).T
    if result.effective:
        items = items * result.effective / items.sum()
    alike = not result.effective and not result.clusters  # formulas are for such items
    level = result.level if alike and result.replicates else None
    drawn = differences_figure(first, second, items, names, level)
    caption, scale = [drawn.caption], result.scale
    if not alike:
        why = kept(
            bool(result.clusters) and "belong to clusters",
            bool(result.effective) and "have weights",
        )
        caption.append(f"There are no bands, as items {' and '.join(why)}.")
    labels, numbers = scale.labels, scale.numbers.tolist()
    if list(labels) != numbers:
        low, high = (f"{one_line(str(labels[i]))} = {numbers[i]:g}" for i in (0, -1))
        caption.append(f"Classes are shown as numbers, from {low} to {high}.")
    return replace(drawn, caption=" ".join(caption))


def differences_figure(
    first: Floats, second: Floats, items: Floats, names: Sequence[str], level: float | None
) -> Scatter:
    """Return differences against means, with their mean and the limits of agreement."""
    places = np.column_stack([(first + second) / 2, first - second])
    where, inverse = np.unique(_thinned(places), axis=0, return_inverse=True)
    sizes = np.bincount(inverse.ravel(), items)
    points = tuple((x, y, n) for (x, y), n in zip(where.tolist(), sizes.tolist(), strict=True))
    limits = limits_of_agreement(places[:, 1], items, level).tolist()
    called = ("mean", "lower", "upper")
    levels = tuple(Level(name, *numbers) for name, numbers in zip(called, limits, strict=True))
    bands = f"; bands are {100 * level:g} % intervals" if level else ""
    caption = f"Lines are the mean difference and the 95 % limits of agreement{bands}."
    if len(points) < len(places) or (items > 1).any():
        caption += " Larger dots are more items."
    a, b = (shorten(name, _LONGEST_COLUMN) for name in names)
    title, mean = "Differences against means (Bland–Altman)", f"mean of {a} and {b}"
    return Scatter(title, mean, f"{a} − {b}", points, levels, caption)


def _thinned(places: Floats) -> Floats:
    """Return places, on a grid where there are more than a figure can show."""
    if len(places) <= _MOST_PLACES:
        return places
    low, step = places.min(axis=0), np.ptp(places, axis=0) / _GRID
    step[step == 0] = 1.0
    return np.asarray(low + np.round((places - low) / step) * step)


def severities(result: Agreement | Judgement) -> list[tuple[str, Estimate, bool]]:
    """Return (name, severity, whether it is a model), the highest first, undefined ones last."""
    people = result.people_agreement if isinstance(result, Judgement) else result
    rows = [(row.rater, row.severity, False) for row in people.raters]
    if isinstance(result, Judgement):
        rows += [(row.model, row.lean, True) for row in result.biases]
    return sorted(rows, key=lambda row: (isnan(row[1].value), -row[1].value))


def severity_figure(result: Agreement | Judgement, most: int | None = None) -> Dots:
    """Return who gives higher or lower classes than the others, the highest on top."""
    rows = ends(severities(result), most)
    marks = [_mark(name, e, "model" if is_model else "filled") for name, e, is_model in rows]
    caption = "Raters at the right of the dotted line give higher classes on the same items."
    if isinstance(result, Judgement):
        caption = "Squares are models against people, dots are people against the others."
    title, label = "Who gives higher classes than the others", "mean class value minus the others'"
    return Dots(title, label, tuple(marks), caption, line=0.0)


def ceiling_figure(result: Judgement, measure: Measure, most: int | None = None) -> Dots:
    """Return models beside people: the mean of the people with its interval, and each person."""
    models = [result.standing(name, measure) for name in result.ranking(measure)]
    people = [row.value for row in result.standings(measure) if row.kind == "person"]
    mean = result.ceiling(measure)
    marks = [_mark(row.name, row, "model") for row in models[:most]]
    marks += [_mark("mean of people", mean), Mark("each person", dots=tuple(people))]
    band = ", the band its interval" if result.replicates else ""
    caption = f"Squares are models. The dashed line is the mean of the people{band}."
    if most is not None and len(models) > most:
        caption += f" The {most} best of {len(models):,} models are shown."
    title = f"Models and people (gold: {result.gold}){_level(result)}"
    label = f"{measure.label} ({measure.better} is better {measure.arrow})"
    ends_of = (mean.low, mean.high)
    return Dots(title, label, tuple(marks), caption, band=ends_of, line=mean.value)


def rater_shares_grid(result: Agreement | Judgement, most: int | None = None) -> Grid:
    """Return how often everybody gives each class, low classes at the left."""
    names, starts = class_groups(result.scale.labels, _MOST_GROUPS)
    people, shares = zip(*ends(_shares(result), most), strict=True)
    grouped = np.add.reduceat(np.array(shares, dtype=float), starts, axis=1)
    strengths = grouped / grouped.max()
    tiles = [
        tuple(Tile(f"{100 * x:.0f}", "", round(float(v), 2), "agree") for x, v in row)
        for row in np.stack([grouped, strengths], axis=-1)
    ]
    rows = tuple(zip(people, tiles, strict=True))
    return Grid("Share of each class, in per cent", "rater", tuple(names), rows)


def _shares(result: Agreement | Judgement) -> list[tuple[str, Sequence[float]]]:
    """Return names and shares: raters, or all people together and the models."""
    if isinstance(result, Agreement):
        shares = {row.rater: row.shares for row in result.raters}
        return [(name, shares[name]) for name, _, _ in severities(result)]
    models = [(row.model, row.shares) for row in result.biases]
    people = result.people_agreement.raters
    if not people:
        return [*models]
    ratings = np.array([row.items for row in people], dtype=float)
    mean = np.average([row.shares for row in people], axis=0, weights=ratings)
    return [("all people", tuple(map(float, mean))), *models]


def rater_grid(
    result: Agreement | Judgement, measure: Measure | None = None, most: int | None = None
) -> Grid:
    """Return everybody against everybody: people by their mean agreement, then models.

    Of more than `most` people, half are those who agree best with the others and half those who
    agree worst. Measures that depend on who is gold have the gold of a pair in the row.
    """
    if not result.pairs:
        raise InputError(
            "There are no pairs of raters in this result.",
            parameter="result",
            hint="Name the rater of each rating, and give at least two raters.",
        )
    m = measure or result.pairs[0].measure
    scores = pair_scores(result, m)
    people = _by_mean(result, m, scores)
    models = result.models if isinstance(result, Judgement) else ()
    names = [*ends(people, None if most is None else max(most - len(models), 2)), *models]
    compact, symmetric = len(names) > _MOST_NAMED, "symmetric" in m.claims
    span = _span([e.value for (a, b), (e, _) in scores.items() if a in names and b in names])

    def tile(a: str, b: str) -> Tile:
        if a == b:
            return Tile("", kind="self")
        if (a, b) not in scores:
            return Tile(UNDEFINED if symmetric else "", kind="even")
        return _pair_tile(*scores[a, b], span, m, compact)

    def row(i: int, a: str) -> tuple[str, tuple[Tile, ...]]:
        mean = _brief(_mean_with(a, people, scores), compact)
        last = Tile(mean, kind="even", hint="mean with people")
        title = f"{f'{i}. ' * compact}{a}{' (model)' * (a in models)}"
        return title, (*(tile(a, b) for b in names), last)

    heads = [str(i) if compact else shorten(n, _LONGEST_COLUMN) for i, n in enumerate(names, 1)]
    every = len(people) + len(models)
    caption = kept(
        "Stronger blue is better, orange is below zero",
        f"the last column is the mean with {'people' if models else 'the others'}",
        compact and "in hundredths",
        len(names) < every and f"{len(names)} of {every:,} raters",
    )
    title, corner = f"{m.label} {m.arrow} of each pair", "rater" if symmetric else "gold in the row"
    rows = tuple(row(i, a) for i, a in enumerate(names, 1))
    end = f"{'; '.join(caption)}."
    return Grid(title, corner, (*heads, "mean"), rows, compact, not compact, end)


def pair_scores(result: Agreement | Judgement, measure: Measure) -> _Scores:
    """Return the score and the number of items of each pair, in both orders if these are equal."""
    pairs = [pair for pair in result.pairs if pair.measure == measure]
    scores: _Scores = {(pair.first, pair.second): (pair, pair.items) for pair in pairs}
    if "symmetric" in measure.claims:
        scores |= {(b, a): score for (a, b), score in scores.items()}
    return scores


def _by_mean(result: Agreement | Judgement, measure: Measure, scores: _Scores) -> list[str]:
    """Return people by their mean score with the others, the best first."""
    people = list(
        dict.fromkeys(name for pair in result.pairs for name in (pair.first, pair.second))
    )
    if isinstance(result, Judgement):
        people = list(result.people)
    means = {name: _mean_with(name, people, scores) for name in people}
    return sorted(people, key=lambda name: (isnan(means[name]), -measure.sign * means[name]))


def _mean_with(name: str, people: Sequence[str], scores: _Scores) -> float:
    """Return the mean score of a rater with all people but the rater; NaN without any."""
    pairs = [pair for other in people for pair in ((name, other), (other, name))]
    values = [scores[pair][0].value for pair in pairs if pair in scores]
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


def _span(values: Sequence[float]) -> tuple[float, float]:
    """Return the scores of the faintest and the strongest colour, not too near to each other."""
    known = [value for value in values if not isnan(value)] or [0.0]
    low, high = min(known), max(known)
    more = max(0.0, 0.2 - (high - low)) / 2
    return low - more, high + more


def _pair_tile(
    e: Estimate, items: int, span: tuple[float, float], measure: Measure, compact: bool
) -> Tile:
    """Return the tile of a pair; stronger colours are better scores, orange ones are below zero."""
    if isnan(e.value):
        return Tile(UNDEFINED, kind="even", hint=e.doubt)
    share = (e.value - span[0]) / (span[1] - span[0])
    share = share if measure.sign > 0 else 1 - share
    negative = e.value < 0 and measure.sign > 0
    shade = min(1.0, abs(e.value)) if negative else 0.08 + 0.92 * share
    ends_of = interval_text(e.low, e.high)
    hint = ", ".join(filter(None, (decimals(e.value, 3), ends_of, f"{items:,} items")))
    kind = "oppose" if negative else "agree"
    return Tile(_brief(e.value, compact), "", round(shade, 2), kind, hint)


def _brief(value: float, compact: bool) -> str:
    return decimals(100 * value if compact else value, 0 if compact else 2, minus="−")
