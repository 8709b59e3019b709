"""Worked examples of the measures of paths: every path through the table is listed."""

from collections.abc import Iterator
from itertools import chain, combinations, product

import numpy as np

from ordeval import Measure

from .worked import Floats, Grid, Step, Steps, Table, cells, equal, frac, num, plus, worked

Path = tuple[tuple[int, int], ...]
_MOST = 5  # paths that a grid shows


def monotone_paths(k: int = 3) -> list[Path]:
    """Return all paths from corner to corner by steps to the right, down or diagonal."""

    def onwards(path: Path) -> Iterator[Path]:
        g, p = path[-1]
        if g == p == k - 1:
            yield path
        for step in ((g, p + 1), (g + 1, p), (g + 1, p + 1)):
            if max(step) < k:
                yield from onwards((*path, step))

    return list(onwards(((0, 0),)))


def connected_sets(k: int = 3) -> list[Path]:
    """Return all sets of cells that touch each other and hold both corners."""
    corners = ((0, 0), (k - 1, k - 1))
    others = [c for c in product(range(k), range(k)) if c not in corners]
    chosen = chain.from_iterable(combinations(others, size) for size in range(len(others) + 1))
    return [path for rest in chosen if _connected(path := tuple(sorted((*corners, *rest))))]


def _connected(path: Path) -> bool:
    reached, new = {path[0]}, [path[0]]
    while new:
        g, p = new.pop()
        near = {c for c in path if max(abs(c[0] - g), abs(c[1] - p)) <= 1} - reached
        reached |= near
        new += near
    return len(reached) == len(path)


def _discordant(path: Path) -> int:
    return sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(path, 2))


def _name(path: Path) -> str:
    return " ".join(f"({g + 1}, {p + 1})" for g, p in path)


def _on(path: Path, figures: Floats) -> float:
    return float(sum(figures[c] for c in path))


def _ranking(costs: list[tuple[float, Path]], headings: list[str], rows: list[list[float]]) -> Grid:
    """Return the cheapest paths as a grid, the best one marked."""
    shown = sorted(range(len(costs)), key=lambda i: costs[i][0])[:_MOST]
    lines = [(_name(costs[i][1]), rows[i]) for i in shown]
    marked = frozenset({(0, len(headings) - 1)})
    caption = f"The {_MOST} cheapest of {len(costs)} paths, as (gold, predicted)"
    return Grid(caption, headings, lines, "path", marked)


@worked("oc", "oc_unnormalised")
def oc(t: Table, m: Measure) -> Steps:
    """Search the path of least cost."""
    beta, spread = m.params["beta"], float((t.n * t.d).sum())
    normalised = m.id == "oc"
    rate = beta / (t.N * (t.v[-1] - t.v[0])) if normalised else beta
    whole = t.N + spread if normalised else t.N
    yield from _terms(t, beta, rate, spread if normalised else None)
    yield from _cheapest(t, t.n, whole, rate, monotone_paths(), "n")


def _terms(t: Table, beta: float, rate: float, spread: float | None) -> Steps:
    """Compute the distances and what the paths are measured against."""
    distances = cells("n_gp d_gp", t.n * t.d)
    if spread is None:
        yield Step("Items off the diagonal are weighted by their distance from it.", (distances,))
        return
    yield Step(
        "Items off the diagonal are weighted by their distance from it. All together they are the "
        "spread M of the errors.",
        (distances, equal("M", plus((t.n * t.d)[t.n * t.d > 0]), spread)),
    )
    yield Step(
        "The largest possible penalty is that of all items at the length of the scale, "
        f"{num(t.v[-1] - t.v[0])}; β = {num(beta)} is a share of it.",
        (equal(r"\beta'", frac(num(beta), rf"{num(t.N)} \cdot {num(t.v[-1] - t.v[0])}"), rate),),
    )


def _cheapest(
    t: Table, n: Floats, whole: float, rate: float, paths: list[Path], symbol: str
) -> Steps:
    """List the paths and take the cheapest."""
    rows = [[_on(path, n), _on(path, n * t.d)] for path in paths]
    costs = [1 - items / whole + rate * away for items, away in rows]
    best = int(np.argmin(costs))
    ranked = _ranking(
        list(zip(costs, paths, strict=True)),
        [f"Σ {symbol}", f"Σ {symbol} d", "cost"],
        [[*row, cost] for row, cost in zip(rows, costs, strict=True)],
    )
    yield Step(
        "A path leads from the first to the last cell by steps to the right, down or diagonal. It "
        "gains the items on it and pays for their distance from the diagonal.",
        (ranked,),
    )
    items, away = rows[best]
    yield Step(
        "The score is the cost of the best path, which is marked in the table.",
        (
            cells("The best path", n, paths[best]),
            equal(rf"1 - {frac(items, whole)} + {num(rate)} \cdot {num(away)}", costs[best]),
        ),
        costs[best],
    )


@worked("oc_general")
def oc_general(t: Table, m: Measure) -> Steps:
    """Search the connected set of cells of least cost."""
    beta1, beta2 = m.params["beta1"], m.params["beta2"]
    spread = float((t.n * t.d).sum())
    rate = beta1 / (t.N * (t.v[-1] - t.v[0]))
    yield from _terms(t, beta1, rate, spread)
    paths = connected_sets()
    rows = [[_on(s, t.n), _on(s, t.n * t.d), float(_discordant(s))] for s in paths]
    costs = [1 - a / (t.N + spread) + rate * b + beta2 * c for a, b, c in rows]
    best = int(np.argmin(costs))
    ranked = _ranking(
        list(zip(costs, paths, strict=True)),
        ["Σ n", "Σ n d", "D", "cost"],
        [[*row, cost] for row, cost in zip(rows, costs, strict=True)],
    )
    yield Step(
        "A path is any connected set of cells that holds the first and the last one. Two cells are "
        f"discordant if one is higher in gold and the other in the prediction; each such pair "
        f"costs β₂ = {num(beta2)}.",
        (ranked,),
    )
    items, away, pairs = rows[best]
    yield Step(
        "The score is the cost of the best one.",
        (
            cells("The best path", t.n, paths[best]),
            equal(
                rf"1 - {frac(items, t.N + spread)} + {num(rate)} \cdot {num(away)} + "
                rf"{num(beta2)} \cdot {num(pairs)}",
                costs[best],
            ),
        ),
        costs[best],
    )


def _rows(t: Table) -> tuple[Floats, float, Step]:
    q = t.n / t.G[:, None]
    whole = 3 + float((q * t.d).sum())
    return (
        q,
        whole,
        Step(
            "Every gold class gets the same weight: its items are divided by their number, so that "
            "each row adds up to 1. With γ = 1, the sum of the errors is added to the number of "
            "classes, K′ = 3.",
            (
                cells("q_gp = n_gp/G_g", q),
                cells("q_gp d_gp", q * t.d),
                equal(
                    r"K' + \sum_{g,p} q_{gp} d_{gp}", f"3 + {plus((q * t.d)[q * t.d > 0])}", whole
                ),
            ),
        ),
    )


@worked("uoc")
def uoc(t: Table, m: Measure) -> Steps:
    """Search the path of least cost, with rows of equal weight."""
    q, whole, step = _rows(t)
    yield step
    rate = m.params["beta"] / 3
    yield Step(
        "The distance of the cells on a path costs β for each class.",
        (equal(r"\frac{\beta}{K'}", frac(m.params["beta"], 3.0), rate),),
    )
    yield from _cheapest(t, q, whole, rate, monotone_paths(), "q")


@worked("auoc")
def auoc(t: Table, m: Measure) -> Steps:
    """Integrate the least of the straight lines that the paths are."""
    q, whole, step = _rows(t)
    yield step
    lines = [(1 - _on(s, q) / whole, _on(s, q * t.d) / 3, s) for s in monotone_paths()]
    pieces = list(_envelope(lines))
    yield Step(
        "The cost of a path is a straight line in β: it begins at 1 minus the items that it gains, "
        "and rises with the distances that it pays for. UOC is the lowest line at each β.",
        (
            Grid(
                "The best path by β",
                ["β from", "to", "UOC from", "to"],
                [(_name(s), [a, b, low + a * rise, low + b * rise])
                 for a, b, (low, rise, s) in pieces],
                "path",
            ),
        ),
    )  # fmt: skip
    areas = [(b - a) * (low + (a + b) / 2 * rise) for a, b, (low, rise, _) in pieces]
    yield Step(
        "The score is the area below: in each piece its width times the mean of both ends.",
        (equal(r"\int_0^1 \mathrm{UOC}(\beta)\,\mathrm{d}\beta", plus(areas), sum(areas)),),
        sum(areas),
    )


def _envelope(
    lines: list[tuple[float, float, Path]],
) -> Iterator[tuple[float, float, tuple[float, float, Path]]]:
    """Return the pieces (from, to, line) of the lowest of the lines between 0 and 1."""
    at = 0.0
    line = min(lines)
    while at < 1:
        flatter = [x for x in lines if x[1] < line[1]]
        crossings = [((x[0] - line[0]) / (line[1] - x[1]), x[1], x) for x in flatter]
        end, _, after = min(crossings, default=(1.0, 0.0, line))
        yield at, min(end, 1.0), line
        at, line = end, after
