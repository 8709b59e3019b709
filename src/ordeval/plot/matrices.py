"""Figures that are grids of tiles: confusion, significance, similarity, axioms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ..counts import Counts
from ..errors import InputError
from ..meta import Similarity, similarity_of_scores
from ..report.names import short_measure
from ..results import Result, Tests
from ..spec import Measure, parse_measure
from .style import (
    BLUE,
    INK,
    ORANGE,
    PLAIN,
    SMALL,
    TEXT,
    canvas,
    dress,
    ink_on,
    name_tiles,
    need,
    plain,
    shade,
    shorten,
    tiles,
)

Floats = NDArray[np.float64]
_MOST_NUMBERS = 20  # a grid wider than this shows colours and marks, no numbers


def confusion(
    data: Any,
    system: str | None = None,
    *,
    labels: Sequence[object] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Confusion matrix of one system: counts, shaded by their share of the gold class.

    Right answers are blue, errors orange.

    Parameters
    ----------
    data : a result of `evaluate` or `compare`, `Counts`, or a table `[gold, predicted]`.
    system : the system to show; the best one of a result by default.
    labels : names of the classes where `data` is a plain table.
    ax : axes to draw on.
    """
    table, names, title = one_table(data, system, labels)
    k = len(table)
    ax = canvas(ax, *_grid_size(k, max(len(plain(name)) for name in names)))
    support = table.sum(axis=1, keepdims=True)
    share = np.divide(table, support, out=np.zeros_like(table), where=support > 0)
    colours = np.array(
        [[shade(BLUE if g == p else ORANGE, share[g, p]) for p in range(k)] for g in range(k)]
    )
    tiles(ax, colours)
    dress(ax, title=shorten(plain(title), 80), x="predicted class", y="gold class")
    name_tiles(ax, names, names, 16)
    if k <= _MOST_NUMBERS:
        _write_counts(ax, table, share, colours)
    return ax


def one_table(
    data: Any, system: str | None, labels: Sequence[object] | None
) -> tuple[Floats, Sequence[object], str]:
    """A table `[K, K]`, its class names and a title."""
    if isinstance(data, Result):
        tables = need(data.tables, "This result has no tables of counts; quantification has none.")
        name = data.best if system is None else system
        return tables[place_of(data.scores.systems, name)], data.scores.scale.labels, str(name)
    if isinstance(data, Counts):
        pooled = data.pooled("topic")
        table = pooled.table if not pooled.systems else pooled.table[_only(pooled, system)]
        return np.asarray(table, dtype=float), pooled.scale.labels, system or "Confusion matrix"
    table = _checked_table(data)
    names = list(range(1, len(table) + 1) if labels is None else labels)
    if len(names) != len(table):
        raise InputError(f"{len(names)} labels were given for a table of {len(table)} classes.")
    return table, names, system or "Confusion matrix"


def _checked_table(data: Any) -> Floats:
    """A square table of counts."""
    try:
        table = np.asarray(data, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"{type(data).__name__} was given; a result, Counts or a table [K, K] is expected."
        ) from None
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InputError(f"A table of shape {table.shape} was given; [K, K] is expected.")
    if not (table >= 0).all() or not np.isfinite(table).all():
        raise InputError("The table holds negative or missing counts; counts are 0 or more.")
    return table


def _only(counts: Counts, system: str | None) -> int:
    if system is None and len(counts.systems) > 1:
        raise InputError(f"There are {len(counts.systems)} systems; name the one to show.")
    return 0 if system is None else place_of(counts.systems, system)


def place_of(names: Sequence[str], name: str) -> int:
    """Where a system stands among the names."""
    from ..errors import did_you_mean

    if name not in names:
        raise InputError(f"There is no system {name!r}.{did_you_mean(name, names)}")
    return list(names).index(name)


def _grid_size(cells: int, longest: int) -> tuple[float, float]:
    """Width and height in inches of a square grid with names beside it."""
    side = min(0.62 * cells, 6.0) if cells > 3 else 0.8 * cells
    return side + 0.9 + 0.07 * min(longest, 16), side + 1.0


def _write_counts(ax: Axes, table: Floats, share: Floats, colours: Floats) -> None:
    size = TEXT if len(table) <= 9 else SMALL - 1.5
    for (g, p), count in np.ndenumerate(table):
        if not count and len(table) > 9:
            continue
        text = f"{count:,.0f}" if count == round(count) else f"{count:,.1f}"
        if len(table) <= 9:
            text += f"\n{100 * share[g, p]:.0f} %"
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        ax.text(p + 0.5, g + 0.5, text, color=ink_on(colours[g, p]), **style)


def significance(
    result: Result, measure: str | Measure | None = None, *, ax: Axes | None = None
) -> Axes:
    """Which systems are told apart under a measure: row against column, best system first.

    ▲ on blue: the row is significantly better; ▼ on orange: significantly worse. Numbers are
    p-values; grids of more than 12 systems show the marks alone.
    """
    chosen, row = chosen_measure(result, measure)
    tests = need(result.tests, "No tests were made; use compare(...) with two or more systems.")
    ranking = result.scores.ranking(chosen)
    order = [result.scores.systems.index(s) for s in ranking]
    p = tests.p[row][np.ix_(order, order)]
    ahead = chosen.sign * tests.difference[row][np.ix_(order, order)]
    size = _grid_size(len(order), 28)
    ax = canvas(ax, size[0] + 0.6, size[1] + 0.6)
    colours, marks = _verdicts(p, ahead, tests.alpha)
    tiles(ax, colours)
    names = [f"{i + 1}  {name}" for i, name in enumerate(ranking)]
    name_tiles(ax, names, range(1, len(order) + 1), 28)
    _write_verdicts(ax, p, marks, colours)
    x = f"against rank (▲ row better, ▼ row worse, p < {tests.alpha:g})"
    return _dress_grid(ax, title=f"Significance under {chosen.short}, {_test_name(tests)}", x=x)


def _test_name(tests: Tests) -> str:
    return tests.name.split(",")[0]


def _dress_grid(ax: Axes, *, title: str, x: str) -> Axes:
    """As `dress`, with no axis lines."""
    dress(ax, title=title, x=x)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    return ax


def _verdicts(p: Floats, ahead: Floats, alpha: float) -> tuple[Floats, NDArray[Any]]:
    """Colours `[S, S, 4]` and marks `[S, S]`: better, worse, or not told apart."""
    told = (p < alpha) & ~np.eye(len(p), dtype=bool)
    marks = np.where(told & (ahead > 0), "▲", np.where(told & (ahead < 0), "▼", ""))
    strength = np.where(told, 0.55, 0.0)
    colours = [
        [shade(BLUE if ahead[i, j] > 0 else ORANGE, strength[i, j]) for j in range(len(p))]
        for i in range(len(p))
    ]
    found = np.array(colours)
    found[~told] = (0.94, 0.945, 0.95, 1.0)
    found[np.eye(len(p), dtype=bool)] = (0.82, 0.83, 0.85, 1.0)
    return found, marks


def _write_verdicts(ax: Axes, p: Floats, marks: NDArray[Any], colours: Floats) -> None:
    numbers = len(p) <= 12
    for (i, j), mark in np.ndenumerate(marks):
        if i == j:
            continue
        shown = f"{mark}\n{short_p(float(p[i, j]))}".strip() if numbers else mark
        style: dict[str, Any] = {"ha": "center", "va": "center", **PLAIN}
        ink, size = ink_on(colours[i, j]), SMALL if numbers else SMALL - 2
        ax.text(j + 0.5, i + 0.5, shown, color=ink, fontsize=size, **style)


def short_p(p: float) -> str:
    """A p-value in few characters."""
    return "–" if np.isnan(p) else "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def ranking_similarity(data: Any, *, ax: Axes | None = None) -> Axes:
    """Kendall's τ between the rankings of the systems under every two measures.

    Parameters
    ----------
    data : what `oe.meta.similarity` gives, or a result of `compare` or `quantify`.
    """
    found = similarity_of(data) if isinstance(data, Result) else data
    names = [short_measure(name) for name in found.measures]
    size = min(0.5 * len(names), 8.0)
    ax = canvas(ax, size + 2.2, size + 1.6)
    scale = colormaps["cividis"]
    strength = np.nan_to_num((found.tau + 1) / 2, nan=0.5)
    colours = np.asarray(scale(strength))
    colours[np.isnan(found.tau)] = (0.94, 0.945, 0.95, 1.0)
    tiles(ax, colours)
    name_tiles(ax, names, names, 20)
    if len(names) <= _MOST_NUMBERS:
        _write_tau(ax, found.tau, colours)
    title = f"Kendall's τ-{found.variant} between rankings under two measures"
    return _dress_grid(ax, title=title, x="")


def chosen_measure(result: Any, measure: str | Measure | None) -> tuple[Measure, int]:
    """A measure of the result, the primary one by default, and its row."""
    if not isinstance(result, Result):
        raise InputError(
            f"{type(result).__name__} was given; a result of evaluate, compare or quantify is "
            "expected."
        )
    chosen, known = (
        result.primary if measure is None else parse_measure(measure),
        result.scores.measures,
    )
    if chosen not in known:
        raise InputError(
            f"{chosen} is not among the measures of this result; there are "
            f"{', '.join(map(str, known))}."
        )
    return chosen, known.index(chosen)


def similarity_of(result: Result) -> Similarity:
    """The similarity of the measures of a result, by its systems' scores."""
    scores = result.scores
    return similarity_of_scores(
        scores.values,
        measures=[str(m) for m in scores.measures],
        signs=[m.sign for m in scores.measures],
        variant="b",
    )


def axioms(table: Any, *, ax: Axes | None = None) -> Axes:
    """Which measures satisfy which axioms: ✓ on blue where no case tried breaks it, ✗ on orange.

    Parameters
    ----------
    table : what `oe.meta.axioms` gives.
    """
    if not hasattr(table, "axioms"):
        raise InputError(f"{type(table).__name__} was given; oe.meta.axioms(…) is expected.")
    rows = [short_measure(name) for name in table.measures]
    columns = [axiom.title for axiom in table.axioms]
    ax = canvas(ax, 3.2 + 0.5 * len(columns), 1.8 + 0.26 * len(rows))
    holds = table.holds
    colours = np.array([[shade(BLUE if ok else ORANGE, 0.35) for ok in row] for row in holds])
    tiles(ax, colours)
    ax.set_aspect("auto")
    name_tiles(ax, rows, columns, 36)
    for (i, j), ok in np.ndenumerate(holds):
        style: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "fontsize": TEXT}
        ax.text(j + 0.5, i + 0.5, "✓" if ok else "✗", **style)
    return _dress_grid(ax, title="Axioms: ✓ holds in every case tried, ✗ fails", x="")


def _write_tau(ax: Axes, tau: Floats, colours: Floats) -> None:
    for (i, j), value in np.ndenumerate(tau):
        text = "–" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1)
        text = text.replace("-", "−")
        ink = ink_on(colours[i, j])
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=SMALL, color=ink)
