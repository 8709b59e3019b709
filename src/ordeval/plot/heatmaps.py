"""Heat maps: confusion, significance, similarity of measures, axioms, pairs of raters.

A heat map is a `Grid` of tiles. The functions that make grids know nothing about how they are
drawn: here matplotlib draws them, and in reports the page does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..counts import Counts, JointCounts
from ..errors import InputError
from ..formatting import UNDEFINED, decimals, interval_text, p_text, shorten
from ..measures.spec import Measure, find_name, short_measure
from ..meta import AxiomTable, Similarity, similarity_of_scores
from ..rater_results import Agreement, Estimate, Judgement
from ..results import Pair, Result, Standing
from ..scale import MOST_SHOWN, class_groups
from ..sources import read_source
from ..types import (
    BinsLike,
    Classes,
    ClassNumbers,
    Floats,
    ItemWeights,
    LabelColumn,
    Missing,
    MissingLabels,
)
from .style import (
    BLUE,
    ORANGE,
    PLAIN,
    SMALL,
    TEXT,
    canvas,
    dress,
    ends,
    ink_on,
    name_tiles,
    plain,
    shade,
    tiles,
)

WIDEST = 12  # columns that fit on paper; wider grids show marks instead of numbers
_MOST_TAU_NAMES = 14
_LONGEST_COLUMN = 20  # characters
_MOST_NUMBERS = 20  # wider grids show colours only
_MOST_CLASS_NAMES = 26  # of more classes, only some are named
_STEPS = [digit * 10**power for power in range(16) for digit in (1, 2, 5)]
_MOST_SHARES = 9  # wider confusion matrices show counts only
_HUES = {
    **dict.fromkeys(("right", "agree", "less", "win"), BLUE),
    **dict.fromkeys(("wrong", "oppose", "over", "loss"), ORANGE),
}
_STRENGTHS = {"win": 0.55, "loss": 0.55}
_GREYS = {"self": (0.82, 0.83, 0.85, 1.0)}
_GREY = (0.94, 0.945, 0.95, 1.0)


@dataclass(frozen=True)
class Tile:
    """A cell of a heat map.

    Attributes
    ----------
    text, under : str
        The text, and a second line below it.
    shade : float
        The strength of the colour, from 0 to 1.
    kind : str
        What the tile means, which gives its colour: "right", "wrong", "win", "loss" and so on.
    hint : str
        A text to show where the pointer is.
    opens : str
        Which items a page shows for the tile; see `ordeval.report.items`.
    """

    text: str
    under: str = ""
    shade: float = 0.0
    kind: str = ""
    hint: str = ""
    opens: str = ""


@dataclass(frozen=True)
class Grid:
    """A heat map: `rows` are (name, tiles), and `label` is unique on a page.

    `usual` is the kind that most tiles have, which a page then says once. `heads` are lines above
    the columns, of names and the number of columns of each, and `groups` are names above rows.
    """

    label: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Tile, ...]], ...]
    compact: bool = False
    usual: str = ""
    heads: tuple[tuple[tuple[str, int], ...], ...] = ()
    groups: Mapping[int, str] = field(default_factory=dict)


def confusion_grid(
    counts: Floats, labels: Sequence[object], name: str, most: int = MOST_SHOWN
) -> Grid:
    """Return counts `[gold, predicted]` with their shares of the gold class.

    Scales of more than `most` classes are divided into groups of classes.
    """
    groups, starts = class_groups(labels, most)
    names = tuple(groups)
    if len(names) < len(labels):
        counts = np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)
    rows = tuple(
        (names[g], tuple(_count_tile(n, line.sum(), right=g == p) for p, n in enumerate(line)))
        for g, line in enumerate(counts)
    )
    caption = "Items, and share of the gold class"
    return Grid(f"Confusion of {name}", caption, "gold ↓ predicted →", names, rows)


def _count_tile(count: float, support: float, *, right: bool) -> Tile:
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
    rows = tuple(
        (
            f"{i}. {a}",
            tuple(
                Tile("", kind="self")
                if a == b
                else _test_tile(result.pair(a, b, measure), alpha, compact=compact)
                for b in systems
            ),
        )
        for i, a in enumerate(systems, 1)
    )
    numbers = tuple(str(i + 1) for i in range(len(systems)))
    caption = f"Pairs of systems under {result.scores.short(measure or result.primary)}"
    return Grid(caption, caption, "system", numbers, rows, compact)


def _test_tile(pair: Pair, alpha: float, *, compact: bool) -> Tile:
    if np.isnan(pair.p):
        return Tile(UNDEFINED, kind="even", hint="no test")
    text, ahead = p_text(pair.p, 3).replace("0.", "."), pair.measure.sign * pair.difference
    hint = f"p = {text}".replace("= <", "< ")
    if pair.p >= alpha or ahead == 0:
        return Tile("·" if compact else text, kind="even", hint=hint)
    mark, kind = ("▲", "win") if ahead > 0 else ("▼", "loss")
    return Tile(mark, "" if compact else text, kind=kind, hint=hint)


def similarity_of(result: Result) -> Similarity:
    """Return Kendall's τ-b between the rankings of the systems under the measures."""
    measures = result.measures
    return similarity_of_scores(
        result.scores.values,
        measures=[str(m) for m in measures],
        signs=[m.sign for m in measures],
        variant="b",
    )


def tau_grid(tau: Floats, names: Sequence[str], variant: str) -> Grid:
    """Return Kendall's τ between measures, `[measure, measure]`; columns of many are numbered."""
    compact = len(names) > _MOST_TAU_NAMES
    numbers = [str(i + 1) for i in range(len(names))]
    shown = [f"{i}. {name}" for i, name in zip(numbers, names, strict=True)] if compact else names
    rows = tuple(
        (name, tuple(_tau_tile(float(x), compact=compact) for x in row))
        for name, row in zip(shown, tau, strict=True)
    )
    caption = f"Kendall's τ-{variant} between the rankings under two measures"
    columns = tuple(numbers if compact else names)
    return Grid(caption, caption, "measure", columns, rows, compact, "agree")


def lower_half(grid: Grid) -> Grid:
    """Return a symmetric grid without what is above its diagonal, if it is compact."""
    if not grid.compact:
        return grid
    return replace(grid, rows=tuple((n, row[: 1 + i]) for i, (n, row) in enumerate(grid.rows)))


def _tau_tile(tau: float, *, compact: bool) -> Tile:
    if np.isnan(tau):
        return Tile(UNDEFINED, kind="even")
    text = decimals(tau, 2, minus="−")
    kind = "agree" if tau >= 0 else "oppose"
    return Tile(text.replace("0.", ".") if compact else text, "", round(abs(tau), 2), kind)


def shares_grid(result: Result) -> Grid:
    """Return mean distributions of quantification, with their difference from gold."""
    gold, systems = mean_shares(result)
    rows = [("gold", tuple(Tile(f"{x:.3f}", "", round(float(x), 3), "gold") for x in gold))]
    for row in result.standings():
        mean = systems[result.scores.place(row.system)]
        shown = tuple(_share_tile(a, a - b) for a, b in zip(mean, gold, strict=True))
        rows.append((row.system, shown))
    labels = tuple(map(str, result.scores.scale.labels))
    caption = "Mean share of each class, and difference from gold"
    return Grid(caption, caption, "system", labels, tuple(rows))


def _share_tile(share: float, gap: float) -> Tile:
    kind = "over" if gap > 0 else "less"
    return Tile(f"{share:.3f}", f"{gap:+.3f}".replace("-", "−"), min(1.0, 4 * abs(gap)), kind)


def mean_shares(result: Result) -> tuple[Floats, Floats]:
    """Return the mean distributions of gold and of the systems, in their order."""
    if result.shares is None:
        raise InputError("Only results of quantify have mean distributions.")
    return result.shares[0], result.shares[1:]


def rater_grid(
    found: Agreement | Judgement, measure: Measure | None = None, most: int | None = None
) -> Grid:
    """Return everybody against everybody: people by their mean agreement, then models.

    Of more than `most` people, half are those who agree best with the others and half those who
    agree worst. Measures that depend on who is gold have the gold of a pair in the row.
    """
    chosen = _pairs_measure(found, measure)
    scores = _pair_scores(found, chosen)
    people = _by_mean(found, chosen, scores)
    models = found.models if isinstance(found, Judgement) else ()
    shown = ends(people, None if most is None else max(most - len(models), 2))
    names = [*shown, *models]
    compact = len(names) > _MOST_TAU_NAMES
    scale = _shades([e.value for (a, b), (e, _) in scores.items() if a in names and b in names])
    rows = []
    for i, a in enumerate(names, 1):
        cells = [_pair_tile(a, b, scores.get((a, b)), scale, chosen, compact) for b in names]
        mean = _mean_with(a, people, scores)
        last = Tile(_brief(mean, compact), kind="even", hint=f"mean of {a} with people")
        title = f"{a} (model)" if a in models else a
        rows.append((f"{i}. {title}" if compact else title, (*cells, last)))
    columns = [str(i + 1) for i in range(len(names))] if compact else _column_names(names)
    what = f"{chosen.short} {chosen.arrow} of each pair{', in hundredths' if compact else ''}"
    whom = "people" if models else "others"
    return Grid(
        label=f"Everybody against everybody, {chosen.short}",
        caption=f"{what}; the last column is the mean with {whom}",
        corner="rater" if "symmetric" in chosen.claims else "gold in the row",
        columns=(*columns, "mean"),
        rows=tuple(rows),
        compact=compact,
    )


def _column_names(names: Sequence[str]) -> list[str]:
    """Return names that leave room for the tiles below them."""
    return [shorten(name, _LONGEST_COLUMN) for name in names]


def _pairs_measure(found: Agreement | Judgement, measure: str | Measure | None) -> Measure:
    """Return the measure of pairs that was asked for; the first by default."""
    known = list(dict.fromkeys(pair.measure for pair in found.pairs))
    if not known:
        raise InputError(
            "There are no pairs of raters in this result.",
            parameter="found",
            hint="Name the rater of each rating, and give at least two raters.",
        )
    return known[0] if measure is None else measure_among(known, measure, " for pairs")


def measure_among(measures: Iterable[Measure], wanted: str | Measure, of_what: str = "") -> Measure:
    """Return one of the measures of a result by any of its names."""
    known = {str(m): m for m in measures}
    name = find_name(wanted, list(known))
    if name is None:
        raise InputError(
            f"{str(wanted)!r} was not computed{of_what}; there are {', '.join(known)}.",
            parameter="measure",
        )
    return known[name]


_PairScores = dict[tuple[str, str], tuple[Estimate, int]]


def _pair_scores(found: Agreement | Judgement, measure: Measure) -> _PairScores:
    """Return the score and the number of items of each pair, in both orders if these are equal."""
    given = [pair for pair in found.pairs if pair.measure == measure]
    scores = {(pair.first, pair.second): (pair.estimate, pair.items) for pair in given}
    if "symmetric" in measure.claims:
        scores |= {(b, a): score for (a, b), score in scores.items()}
    return scores


def _by_mean(found: Agreement | Judgement, measure: Measure, scores: _PairScores) -> list[str]:
    """Return people by their mean score with the others, the best first."""
    if isinstance(found, Judgement):
        people = list(found.people)
    else:
        people = list(
            dict.fromkeys(name for pair in found.pairs for name in (pair.first, pair.second))
        )
    means = {name: _mean_with(name, people, scores) for name in people}
    return sorted(people, key=lambda name: (isnan(means[name]), -measure.sign * means[name]))


def _mean_with(name: str, people: Sequence[str], scores: _PairScores) -> float:
    """Return the mean score of a rater with all people but the rater; NaN without any."""
    pairs = [pair for other in people for pair in ((name, other), (other, name))]
    values = [scores[pair][0].value for pair in pairs if pair in scores]
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


def _shades(values: Sequence[float]) -> tuple[float, float]:
    """Return the scores of the faintest and the strongest colour, not too near to each other."""
    known = [value for value in values if not isnan(value)] or [0.0]
    low, high = min(known), max(known)
    more = max(0.0, 0.2 - (high - low)) / 2
    return low - more, high + more


def _pair_tile(
    a: str,
    b: str,
    score: tuple[Estimate, int] | None,
    scale: tuple[float, float],
    measure: Measure,
    compact: bool,
) -> Tile:
    """Return the tile of a pair; stronger colours are better scores, orange ones are below zero."""
    if a == b:
        return Tile("", kind="self")
    if score is None:
        return Tile(UNDEFINED if "symmetric" in measure.claims else "", kind="even")
    estimate, items = score
    value, span = estimate.value, interval_text(estimate.low, estimate.high, 2)
    hint = f"{a} and {b}: {decimals(value, 3, minus='−')} {span} on {items:,} items"
    if isnan(value):
        return Tile(UNDEFINED, kind="even", hint=estimate.doubt)
    share = (value - scale[0]) / (scale[1] - scale[0])
    share = share if measure.sign > 0 else 1 - share
    opposed = measure.sign > 0 and value < 0
    strength = min(1.0, 0.3 + abs(value)) if opposed else 0.05 + 0.85 * share
    kind = "oppose" if opposed else "agree"
    return Tile(_brief(value, compact), "", round(strength, 2), kind, " ".join(hint.split()))


def _brief(value: float, compact: bool) -> str:
    if compact:
        return decimals(100 * value, 0, minus="−")
    return decimals(value, 2, minus="−")


def _draw(
    grid: Grid,
    ax: Axes,
    *,
    title: str,
    limit: int,
    size: float,
    every: int = 1,
    x: str = "",
    y: str = "",
) -> Axes:
    """Draw a grid; `limit` is the longest name in characters, `size` that of the texts.

    Of `every` so many rows and columns, only the first is named.
    """
    colours = np.array([[_colour(tile) for tile in row] for _, row in grid.rows])
    tiles(ax, colours)
    dress(ax, title=title, x=x, y=y)
    name_tiles(ax, [name for name, _ in grid.rows], grid.columns, limit, every)
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, **PLAIN}
    for i, (_, row) in enumerate(grid.rows):
        for j, tile in enumerate(row):
            if text := f"{tile.text}\n{tile.under}".strip():
                ax.text(j + 0.5, i + 0.5, text, color=ink_on(colours[i, j]), **style)
    return ax


def _colour(tile: Tile) -> tuple[float, float, float, float]:
    if tile.kind not in _HUES:
        return _GREYS.get(tile.kind, _GREY)
    return shade(_HUES[tile.kind], _STRENGTHS.get(tile.kind, tile.shade))


def _square(cells: int, longest: int) -> tuple[float, float]:
    """Return the width and height in inches of a square grid with names beside it."""
    side = min(0.62 * cells, 6.0) if cells > 3 else 0.8 * cells
    return side + 0.9 + 0.07 * longest, side + 1.0


def confusion(
    data: Result | Counts | JointCounts | LabelColumn,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    *,
    system: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    sample_weight: ItemWeights = None,
    frequency: ItemWeights = None,
    missing: Missing = "error",
    na: MissingLabels = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the confusion matrix of one system.

    Counts are shaded by their share of the gold class: correct predictions in blue, errors in
    orange. With more than 20 classes there are no numbers, not every class is named, and the
    square roots of the shares are shaded, so that small ones can be seen. With more than 101
    classes, squares stand for groups of as many adjacent classes as the title says, and the blue
    ones for predictions in the group of the gold class.

    Parameters
    ----------
    data : array_like of shape (n_items,), Result, Counts, JointCounts or table
        Gold labels. Or, without `y_pred`, a result of `evaluate` or `compare`, counts, or a table
        of gold by predicted class.
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system. A text is the name of a system.
    system : str, optional
        The system to draw; the best one of a result by default. For a single system without a
        name, the title.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical; 1 to K by default for a table.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes: the nearest class (halves upwards), the highest class
        that is not above the number, or the edges between classes.
    sample_weight : array_like of shape (n_items,), optional
        The importance of each item; the matrix then holds sums of weights.
    frequency : array_like of int of shape (n_items,), optional
        The number of items that each row stands for.
    missing : {"error", "skip", "worst"}
        What to do about missing labels: raise an error, leave the item out, or take a missing
        prediction as the class farthest from gold.
    na : value or sequence of values, optional
        Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
        without surrounding spaces.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold, predicted = ["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"]
    >>> ax = oe.plot.confusion(gold, predicted, labels=["no", "yes"])
    >>> ax.get_ylabel()
    'gold class'
    """
    if isinstance(y_pred, str):
        y_pred, system = None, y_pred
    if not isinstance(data, Result):
        data = read_tables(
            data,
            y_pred,
            labels=labels,
            values=values,
            bins=bins,
            sample_weight=sample_weight,
            frequency=frequency,
            missing=missing,
            na=na,
        )
    counts, names, title = one_table(data, system)
    grid = confusion_grid(counts, names, title)
    k, longest = len(grid.rows), max(len(plain(name)) for name, _ in grid.rows)
    grid = _changed(grid, partial(_brief_count, k))
    title += "" if k == len(counts) else f" (in groups of {class_groups(names)[1][1]} classes)"
    limit = 28 if k <= _MOST_SHARES else 16
    ax = canvas(ax, *_square(k, min(longest, limit)))
    size = TEXT if k <= _MOST_SHARES else SMALL - 1.5
    every = next(step for step in _STEPS if k <= step * _MOST_CLASS_NAMES)
    return _draw(
        grid,
        ax,
        title=shorten(plain(title), 80),
        limit=limit,
        size=size,
        every=every,
        x="predicted class",
        y="gold class",
    )


def _changed(grid: Grid, change: Callable[[Tile], Tile]) -> Grid:
    rows = tuple((name, tuple(map(change, row))) for name, row in grid.rows)
    return replace(grid, rows=rows)


def _brief_count(k: int, tile: Tile) -> Tile:
    """Return a tile of a confusion matrix with as much text as k columns allow."""
    if k <= _MOST_SHARES:
        return tile
    if k > _MOST_NUMBERS:
        return replace(tile, text="", under="", shade=sqrt(tile.shade))
    return replace(tile, text="" if tile.text == "0" else tile.text, under="")


def read_tables(data: Any, y_pred: Any, **options: Any) -> Counts:
    """Return the counts of labels, tables or counts, over all topics."""
    return read_source(data, y_pred, **options).counts().pooled("topic")


def one_table(data: Result | Counts, system: str | None) -> tuple[Floats, Sequence[object], str]:
    """Return a table of counts `[gold, predicted]`, the names of its classes and a title."""
    if isinstance(data, Result):
        if data.tables is None:
            raise InputError("This result has no tables of counts; quantification has none.")
        name = data.best if system is None else system
        table = data.tables[data.scores.place(name)]
        return table, data.scores.scale.labels, _titled(None if name == "y_pred" else name)
    if len(data.systems) > 1 and system is None:
        raise InputError(
            f"There are {len(data.systems)} systems; name the one to show.",
            parameter="system",
            hint="Pass {system}.",
            suggest={"system": data.systems[0]},
        )
    chosen = data
    if data.systems:
        system = data.systems[0] if system is None else system
        chosen = data.of(system)
    return chosen.table, data.scale.labels, _titled(system)


def _titled(system: str | None) -> str:
    return "Confusion matrix" if system is None else system


def significance(
    result: Result, measure: str | Measure | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw which systems differ significantly: row against column, best system first.

    ▲ on blue means that the row is significantly better, ▼ on orange that it is significantly
    worse. Numbers are p-values; with more than 12 systems only the marks are drawn.

    Parameters
    ----------
    result : Result
        A result of `compare` or `quantify` with tests.
    measure : str or Measure, optional
        The measure; the primary one by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3])
    >>> [label.get_text() for label in oe.plot.significance(result).get_yticklabels()]
    ['1. a', '2. b']
    """
    chosen = result_rows(result, measure)[0].measure
    grid, tests = significance_grid(result, chosen), result.tests
    width, height = _square(len(grid.rows), 16)
    ax = canvas(ax, width + 0.6, height + 0.6)
    test, alpha = (tests.name.partition(",")[0], tests.alpha) if tests else ("", 0.0)
    return _draw(
        grid,
        ax,
        title=f"Significance under {result.scores.short(chosen)}, {test}",
        limit=28,
        size=SMALL - 2 if grid.compact else SMALL,
        x=f"against rank (▲ row better, ▼ row worse, p < {alpha:g})",
    )


def result_rows(result: Result, measure: str | Measure | None) -> tuple[Standing, ...]:
    """Return the systems of a result from best to worst under a measure."""
    if not isinstance(result, Result):
        raise InputError(
            f"{type(result).__name__} was given; a result of evaluate, compare or quantify is "
            "expected.",
            parameter="result",
            hint="Evaluate labels and counts first, e.g. oe.plot.intervals(oe.evaluate(counts)).",
        )
    return result.standings(measure)


def check_kind(found: object, *kinds: type) -> None:
    """Raise an error for what is no result of `agreement` or `judge`, as the figure needs it."""
    if not isinstance(found, kinds):
        calls = {Agreement: "agreement", Judgement: "judge"}
        wanted = " or ".join(calls[kind] for kind in kinds)
        raise InputError(
            f"{type(found).__name__} was given; a result of {wanted} is expected.",
            parameter="found",
        )


def ranking_similarity(data: Similarity | Result, *, ax: Axes | None = None) -> Axes:
    """Draw Kendall's τ between the rankings of the systems under each pair of measures.

    Parameters
    ----------
    data : Similarity or Result
        The outcome of `ordeval.meta.similarity`, or a result of `compare` or `quantify`.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2], "c": [1, 1, 1, 3, 2, 1]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3], measures="cem, mae")
    >>> [label.get_text() for label in oe.plot.ranking_similarity(result).get_xticklabels()]
    ['CEM', 'MAEᵘ']
    """
    found = similarity_of(data) if isinstance(data, Result) else data
    names = [short_measure(name) for name in found.measures]
    grid = tau_grid(found.tau, names, found.variant)
    if len(names) > _MOST_NUMBERS:
        grid = _changed(grid, lambda tile: replace(tile, text=""))
    side = min(0.5 * len(names), 8.0)
    ax = canvas(ax, side + 2.2, side + 1.6)
    return _draw(grid, ax, title=grid.caption, limit=20, size=SMALL)


def rater_matrix(
    found: Agreement | Judgement,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw everybody against everybody: the score of each pair of raters, or rater and model.

    People are in the order of their mean agreement with the others, the best first, and models
    follow. With more than 20 rows there are no numbers.

    Parameters
    ----------
    found : Agreement or Judgement
        The outcome of `ordeval.agreement` or `ordeval.judge`.
    measure : str or Measure, optional
        The measure of pairs; the first one by default.
    most : int, optional
        The number of rows: half those who agree best and half those who agree worst; all by
        default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> found = oe.agreement(ratings, labels=[1, 2, 3], bootstrap=0)
    >>> [label.get_text() for label in oe.plot.rater_matrix(found).get_yticklabels()]
    ['ann', 'ben', 'cai']
    """
    check_kind(found, Agreement, Judgement)
    chosen = _pairs_measure(found, measure)
    grid = rater_grid(found, chosen, most)
    if len(grid.rows) > _MOST_NUMBERS:
        grid = _changed(grid, lambda tile: replace(tile, text=""))
    side = min(0.55 * len(grid.rows), 8.0)
    ax = canvas(ax, side + 2.4, side + 1.4)
    title = f"{chosen.short} {chosen.arrow} of each pair"
    return _draw(grid, ax, title=title, limit=20, size=SMALL)


def axioms(table: AxiomTable, *, ax: Axes | None = None) -> Axes:
    """Draw which measures satisfy which axioms.

    ✓ on blue means that the axiom holds in all cases that were tried, ✗ on orange that there is
    a counter-example. The longer list, of measures or of axioms, is in rows.

    Parameters
    ----------
    table : AxiomTable
        The outcome of `ordeval.meta.axioms`.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> table = oe.meta.axioms("cem, mae", ["symmetry"], rng=0)
    >>> [label.get_text() for label in oe.plot.axioms(table).get_yticklabels()]
    ['CEM', 'MAEᵘ']
    """
    if not isinstance(table, AxiomTable):
        raise InputError(f"{type(table).__name__} was given; a table of axioms is expected.")
    measures = tuple(short_measure(name) for name in table.measures)
    titles = tuple(axiom.title for axiom in table.axioms)
    down, across, holds = measures, titles, np.asarray(table.holds)
    if len(measures) < len(titles):
        down, across, holds = titles, measures, holds.T
    rows = tuple(
        (name, tuple(_axiom_tile(bool(held)) for held in row))
        for name, row in zip(down, holds, strict=True)
    )
    title = "Axioms: ✓ holds in all cases tried, ✗ fails"
    grid = Grid(title, title, "", across, rows)
    width = 0.2 + 0.066 * max(map(len, down)) + 0.34 * len(across)  # narrow enough for a phone
    ax = canvas(ax, max(2.6, width), 1.8 + 0.26 * len(rows))
    _draw(grid, ax, title=title, limit=36, size=TEXT)
    ax.set_aspect("auto")
    return ax


def _axiom_tile(holds: bool) -> Tile:
    return Tile("✓", "", 0.35, "right") if holds else Tile("✗", "", 0.35, "wrong")
