"""Path-based measures: the best monotone path through the table.

A monotone path leads from cell (1, 1) to cell (K, K) by steps to the right, down or diagonal; no
two of its cells are discordant. The measures reward the items on a path and penalise their
distance from the diagonal. `oc_general` allows discordant cells at a cost: the best connected set
of cells is found by mixed-integer programming.
"""

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..types import Ints
from .registry import Facts, Parameter, boolean, number, register_measure
from .terms import (
    NO_ITEMS,
    Array,
    Cells,
    array_namespace,
    best_chain,
    classes_used,
    constant,
    device,
    distance,
    distance_in,
    gold,
    of_gold,
    of_table,
    ratio,
    total,
    weights,
    with_weights,
)

LARGEST_K = 7  # larger programmes can take minutes
_UNIT = 1e6


def solve_general_path(cost: Any, beta2: float) -> Any:
    """Return the least cost of a connected set of cells with both corners: `[...]`.

    `cost` `[..., K, K]` are the costs of the cells; each discordant pair of chosen cells costs
    `beta2` in addition.
    """
    detached = cost.detach().cpu() if hasattr(cost, "detach") else cost  # PyTorch
    costs = np.asarray(detached, dtype=np.float64)
    k = costs.shape[-1]
    flat = [_solve(table, beta2) for table in costs.reshape(-1, k, k)]
    found = np.asarray(flat).reshape(costs.shape[:-2])
    if isinstance(cost, np.ndarray):
        return found
    return array_namespace(cost).asarray(found, dtype=cost.dtype, device=device(cost))


def _solve(cost: NDArray[np.float64], beta2: float) -> float:
    """Solve one table. Variables: K² choices x, discordant pairs y, flows f that connect cells."""
    if not np.all(np.isfinite(cost)):
        return float("nan")
    from scipy.optimize import Bounds, milp

    k, cells = len(cost), cost.size
    row, column = np.divmod(np.arange(cells), k)
    u, v = np.nonzero((row[:, None] < row) & (column[:, None] > column))  # discordant pairs
    steps = np.maximum(abs(row[:, None] - row), abs(column[:, None] - column))
    start, end = np.nonzero(steps == 1)  # cells that touch, also at a corner
    low, high = np.zeros(cells), np.ones(cells)
    low[[0, -1]] = 1  # both corners are chosen
    size = cells + len(u) + len(start)
    # The solver stops within 1e-6 of the optimum; scaled up, that is below our precision.
    result = milp(
        _UNIT * np.r_[cost.ravel(), np.full(len(u), beta2), np.zeros(len(start))],
        integrality=np.r_[np.ones(cells), np.zeros(size - cells)],
        bounds=Bounds(
            np.r_[low, np.zeros(size - cells)],
            np.r_[high, np.ones(len(u)), np.full(len(start), cells)],
        ),
        constraints=_constraints(u, v, start, end, cells),
        options={"mip_rel_gap": 0.0},
    )
    chosen = np.round(result.x[:cells]).astype(bool)
    discordant = np.count_nonzero(chosen[u] & chosen[v])
    return float(cost.ravel()[chosen].sum() + beta2 * discordant)


def _constraints(u: Ints, v: Ints, start: Ints, end: Ints, cells: int) -> list[Any]:
    """Return the constraints, with the columns x, y and f."""
    from scipy.optimize import LinearConstraint

    cell, pair, arc = np.eye(cells), np.eye(len(u)), np.eye(len(start))
    no_pair, no_arc = np.zeros((1, len(u))), np.zeros((len(u), len(start)))
    both = np.hstack([cell[u] + cell[v], -pair, no_arc])  # x_u + x_v − y_uv ≤ 1
    # Each chosen cell but the first consumes one unit of flow.
    inflow = np.hstack([-cell, np.repeat(no_pair, cells, 0), (cell[end] - cell[start]).T])[1:]
    # Nothing flows out of a cell that is not chosen: f_uv ≤ (K² − 1)·x_u.
    through = np.hstack([(1 - cells) * cell[start], np.repeat(no_pair, len(start), 0), arc])
    return [
        LinearConstraint(both, -np.inf, 1),
        LinearConstraint(inflow, 0, 0),
        LinearConstraint(through, -np.inf, 0),
    ]


_PATH: Facts = {
    "family": "path",
    "better": "lower",
    "scale": "interval",
    "bounds": (0.0, 1.0),
    "undefined": (NO_ITEMS,),
    "of_cells": True,
}


def _penalty(name: str, default: float) -> Parameter:
    return Parameter(name, default, "a number of at least 0", number(0.0), shown=True)


_GAMMA = Parameter("gamma", 1, "a number above 0", number(0.0, open_low=True))
_RELATIVE = Parameter("relative", True, "True, False", boolean)
_PORTION = 1 << 15  # numbers in a line of cells, so that sums fit in the second-level cache
_PAPER_BETAS = ({"beta": 0.25}, {"beta": 0.75})


def _cells_first(w: Array) -> Array:
    """Return `[..., K, K]` as `[K², ...]`, so that a step works on contiguous memory."""
    xp, k = array_namespace(w), w.shape[-1]
    axes = (w.ndim - 2, w.ndim - 1, *range(w.ndim - 2))
    return xp.reshape(xp.permute_dims(w, axes), (k * k, *w.shape[:-2]))


def cheapest_path(w: Array) -> Array:
    """Return the least sum of the costs `w` of all cells along a monotone path: `[...]`.

    A cell gains, at a cost below 0, if it is near enough to the diagonal; all others could be
    passed by along the outermost cells that gain. Of a list of cells, the best path is therefore
    the best chain, which has no other cells.
    """
    if isinstance(w, Cells):
        return best_chain(w)
    cells, k = _cells_first(w), w.shape[-1]
    (least,) = _along_best_path(lambda part: [cells[part, ...]], k, width=k - 1)
    return least


_Figures = list[Array]  # of cells, each `[cell, ...]`; the first one is the cost


def _along_best_path(cells: Callable[[slice], _Figures], k: int, width: int) -> list[Array]:
    """Return the sums `[...]` of all figures along the path with the least cost.

    The best path to a cell comes from the cell above, to the left, or above to the left, so that
    all cells (r, c) with the same r + c are computed at once. No path leaves the band
    |r − c| ≤ `width`, which is at least 1. `cells` returns the figures of some of the K² cells.
    """
    line = _Line(0, cells(slice(0, 1)))
    xp = array_namespace(line.sums[0])
    walls = [xp.full_like(sums, xp.inf) for sums in line.sums]
    before = _Line(-1, walls)
    for s in range(1, 2 * k - 1):
        first = max(0, s - k + 1, (s - width + 1) // 2)
        last = min(s, k - 1, (s + width) // 2)
        beside = line.rows(xp, first - 1, last, walls)
        best = _better(xp, [x[:-1, ...] for x in beside], [x[1:, ...] for x in beside])
        best = _better(xp, best, before.rows(xp, first - 1, last - 1, walls))
        # Cell (r, s − r) is number s + r (K − 1).
        own = cells(slice(s + first * (k - 1), s + last * (k - 1) + 1, k - 1))
        before, line = line, _Line(first, [x + y for x, y in zip(own, best, strict=True)])
    return [sums[0, ...] for sums in line.sums]


class _Line(NamedTuple):
    """Sums along the best paths to the cells (r, c) of one r + c, from row r = `first` on."""

    first: int
    sums: _Figures

    def rows(self, xp: Any, first: int, last: int, walls: _Figures) -> _Figures:
        """Return rows `first` to `last`; a wall is beside the cells of the line."""
        start, stop, size = first - self.first, last + 1 - self.first, self.sums[0].shape[0]
        above, below = start < 0, stop > size
        inside = [x[max(start, 0) : min(stop, size), ...] for x in self.sums]
        if not above and not below:
            return inside
        parts = zip(walls, inside, strict=True)
        return [xp.concat([*[wall] * above, x, *[wall] * below]) for wall, x in parts]


def _better(xp: Any, a: _Figures, b: _Figures) -> _Figures:
    """Return the figures of the cheaper cell."""
    rest = zip(a[1:], b[1:], strict=True)
    return [xp.minimum(a[0], b[0]), *(xp.where(b[0] < a[0], y, x) for x, y in rest)]


def _detour(n: Array, values: Array, gamma: float) -> Array:
    """Return n·d^γ, the penalty of every cell."""
    return n * distance_in(n, values) ** gamma


def _difference(a: Array, b: Array) -> Array:
    return with_weights(a, weights(a) - weights(b))


def _penalty_share(n: Array, values: Array, beta: float, gamma: float, relative: bool) -> Array:
    """Return β: as given, or divided by the largest penalty, that of all items in a far corner."""
    given = beta + 0.0 * total(n)
    largest = total(n) * (values[-1] - values[0]) ** gamma
    return ratio(given, largest, 0.0) if relative else given


def _spread(summed: Array, gamma: float) -> Array:
    """Return M = (Σ n d^γ)^{1/γ} of the sum."""
    xp = array_namespace(summed)
    if gamma == 1:
        return summed
    return xp.where(summed > 0, xp.where(summed > 0, summed, 1.0) ** (1.0 / gamma), 0.0)


@register_measure(
    "oc",
    **_PATH,
    label="OC {beta}",
    parameters=(_penalty("beta", 0.25), _GAMMA, _RELATIVE),
    variants=_PAPER_BETAS,
    claims="symmetric reversible proportional perfect",
)
def oc(
    n: Array, values: Array, beta: float = 0.25, gamma: float = 1, relative: bool = True
) -> Array:
    whole, cost = _whole_and_cost(n, values, beta, gamma, relative)
    return 1.0 + ratio(cheapest_path(cost), whole)


def _whole_and_cost(
    n: Array, values: Array, beta: float, gamma: float, relative: bool
) -> tuple[Array, Array]:
    """Return N + M, and the cost of each cell times that: a perfect prediction scores exactly 0."""
    detour = _detour(n, values, gamma)
    whole = total(n) + _spread(total(detour), gamma)
    b = _penalty_share(n, values, beta, gamma, relative)
    return whole, _difference(detour * of_table(n, b * whole), n)


@register_measure(
    "oc_unnormalised",
    **_PATH,
    label="OC′ {beta}",
    parameters=(_penalty("beta", 0.25), _GAMMA),
    claims="symmetric reversible padded perfect",
)
def oc_unnormalised(n: Array, values: Array, beta: float = 0.25, gamma: float = 1) -> Array:
    N = total(n)
    cost = _difference(_detour(n, values, gamma) * of_table(n, beta * N), n)
    return 1.0 + ratio(cheapest_path(cost), N)


@register_measure(
    "oc_general",
    **{**_PATH, "of_cells": False},
    label="OC {beta1}, {beta2}",
    parameters=(_penalty("beta1", 0.25), _penalty("beta2", 0.1), _GAMMA, _RELATIVE),
    claims="symmetric reversible proportional perfect",
    batched=False,
    differentiable=False,
    largest_k=LARGEST_K,
)
def oc_general(
    n: Array,
    values: Array,
    beta1: float = 0.25,
    beta2: float = 0.1,
    gamma: float = 1,
    relative: bool = True,
) -> Array:
    whole, cost = _whole_and_cost(n, values, beta1, gamma, relative)
    return 1.0 + solve_general_path(ratio(cost, whole[..., None, None]), beta2)


class _Rows(NamedTuple):
    """Terms of UOC: the row-normalised table q over the K' observed classes."""

    q: Array  # `[..., K, K]`
    whole: Array  # K' + K'^{1−1/γ}(Σ q d^γ)^{1/γ}: `[...]`
    rate: Array  # whole/K', by which a cell costs β q d^γ: `[...]`


def _rows(n: Array, values: Array, gamma: float) -> _Rows:
    q = with_weights(n, ratio(weights(n), of_gold(n, gold(n)), 0.0))
    classes = classes_used(gold(n))
    # K'^{1−1/γ}(Σ q d^γ)^{1/γ} = K'(Σ q d^γ/K')^{1/γ}
    rate = 1.0 + _spread(ratio(total(_detour(q, values, gamma)), classes, 0.0), gamma)
    return _Rows(q, classes * rate, rate)


@register_measure(
    "uoc",
    **_PATH,
    label="UOC {beta}",
    parameters=(_penalty("beta", 0.25), _GAMMA),
    variants=_PAPER_BETAS,
    claims="reversible proportional padded perfect",
    over_classes=True,
    items_per_class=10,
)
def uoc(n: Array, values: Array, beta: float = 0.25, gamma: float = 1) -> Array:
    rows = _rows(n, values, gamma)
    penalty = of_table(n, beta * rows.rate)
    cost = _difference(_detour(rows.q, values, gamma) * penalty, rows.q)
    return 1.0 + ratio(cheapest_path(cost), rows.whole)


@register_measure(
    "auoc",
    **{**_PATH, "of_cells": False},
    label="AUOC",
    claims="reversible proportional padded perfect",
    over_classes=True,
    items_per_class=10,
    growth=3,
)
def auoc(n: Array, values: Array) -> Array:
    xp, k = array_namespace(n), n.shape[-1]
    rows = _rows(xp.reshape(n, (-1, k, k)), values, 1)
    if not isinstance(n, np.ndarray) and lines_fit(rows.whole.shape[0], k):
        area = _area_below_lines(rows, values)
        return xp.reshape(xp.where(rows.whole > 0, area, xp.nan), n.shape[:-2])
    curves = _Curves.of(rows, values)
    zero = 0.0 * rows.whole
    if zero.shape[0] == 0:
        return xp.reshape(zero, n.shape[:-2])
    table = xp.arange(zero.shape[0], device=device(zero))
    left, right = _point(curves, table, zero), _point(curves, table, zero + 1.0)
    area = _area(curves, table, left, right)
    return xp.reshape(xp.where(rows.whole > 0, area, xp.nan), n.shape[:-2])


_MOST_PAIRS = 1 << 22


def lines_fit(tables: int, k: int) -> bool:
    """Return whether all paths of so many tables of K classes can be compared in pairs."""
    paths = sum(comb(k - 1, i) ** 2 * 2**i for i in range(k))  # Delannoy's number
    return bool(tables * paths**2 <= _MOST_PAIRS)


def _area_below_lines(rows: _Rows, values: Array) -> Array:
    """Return AUOC of tables `[T, K, K]` by a fixed number of steps, with which compilers can work.

    The cost of every path is a line in β, and UOC follows the lowest one. A line is the lowest
    between the last crossing with a flatter and the first with a steeper one.
    """
    xp = array_namespace(values)
    detour, hits = (_all_path_sums(x) for x in (rows.q * distance(values), rows.q))
    slope = detour * rows.rate[:, None]
    a, b = constant(slope), constant(hits)
    steeper, ahead = a[:, :, None] - a[:, None, :], b[:, :, None] - b[:, None, :]
    crossing = ratio(ahead, steeper, 0.0)
    number = xp.arange(a.shape[1], device=device(a))
    worse = (ahead < 0) | ((ahead == 0) & (number[:, None] > number[None, :]))
    beaten = xp.any((steeper == 0) & worse, axis=-1)
    first = xp.max(xp.where(steeper < 0, crossing, 0.0), axis=-1)
    last = xp.min(xp.where(steeper > 0, crossing, 1.0), axis=-1)
    first, last = xp.clip(first, 0.0, 1.0), xp.clip(last, 0.0, 1.0)
    lowest = ~beaten & (first < last)
    cost = slope * (last**2 - first**2) / 2 - hits * (last - first)
    return 1.0 + ratio(xp.sum(xp.where(lowest, cost, 0.0), axis=-1), rows.whole, 0.0)


def _all_path_sums(w: Array) -> Array:
    """Return the sums of tables `[T, K, K]` along all monotone paths, `[T, paths]`."""
    xp, k = array_namespace(w), w.shape[-1]
    above: list[Array] = []
    for r in range(k):
        row: list[Array] = []
        for c in range(k):
            before = [*row[-1:], *above[max(c - 1, 0) : c + 1]]
            own = w[:, r, c][:, None]
            row.append(own + xp.concat(before, axis=-1) if before else own)
        above = row
    return above[-1]


class _Curves(NamedTuple):
    """UOC of T tables as functions of β, and where their best paths can be."""

    q: Array  # `[K², T]`
    d: Array  # `[K², 1]`
    whole: Array  # `[T]`
    rate: Array  # `[T]`
    reach: int  # no item is farther from the diagonal than this number of classes
    steps: Array  # the least distance between classes that are 0, 1, 2, ... apart: `[K]`

    @classmethod
    def of(cls, rows: _Rows, values: Array) -> Self:
        """Return the curves of tables `[T, K, K]`."""
        xp, k, q = array_namespace(values), values.shape[0], _cells_first(rows.q)
        steps = xp.stack([xp.min(values[i:] - values[: k - i]) for i in range(k)])
        d = xp.reshape(distance(values), (k * k, 1))
        return cls(q, d, rows.whole, rows.rate, _reach(q, k), steps)

    def width(self, penalty: Array) -> int:
        """Return how far from the diagonal the best path can be, as a number of classes.

        A cell costs q (penalty · d − 1), and a path is not worse if it follows the line of cells
        outside of which no cell gains, instead of crossing it.
        """
        xp = array_namespace(self.steps)
        gaining = xp.sum(xp.astype(self.steps * penalty < 1.0, self.steps.dtype))
        return max(1, min(int(gaining) - 1, self.reach))


def _reach(q: Array, k: int) -> int:
    """Return the distance from the diagonal beyond which no cell of `q` `[K², T]` changes a sum."""
    xp, outside = array_namespace(q), 0.0 * q[0, ...]
    for i in range(k - 1, 1, -1):
        above, below = q[i : (k - i) * k : k + 1, ...], q[i * k :: k + 1, ...]
        outside = outside + xp.sum(above, axis=0) + xp.sum(below, axis=0)
        if xp.any(outside > xp.finfo(q.dtype).eps ** 2):
            return i
    return 1


class _Point(NamedTuple):
    """A point (beta, height) of each curve, and the slope of a line that touches it there."""

    beta: Array
    height: Array
    slope: Array


def _point(curves: _Curves, table: Array, beta: Array) -> _Point:
    """Return points of the curves of `table` `[S]` at `beta` `[S]`.

    They are computed in portions, from small to large penalties: the larger the penalty, the
    nearer to the diagonal is the best path.
    """
    xp = array_namespace(beta)
    penalty = beta * xp.take(curves.rate, table)
    order = xp.argsort(penalty)
    found, done, size = [], 0, order.shape[0]
    while done < size:
        width = curves.width(penalty[order[done]])
        portion = order[done : min(size, done + max(1, _PORTION // width))]
        some = xp.take(table, portion), xp.take(beta, portion)
        found.append(_height_and_slope(curves, *some, width))
        done += portion.shape[0]
    place = xp.argsort(order)
    height, slope = (xp.take(xp.concat(part), place) for part in zip(*found, strict=True))
    return _Point(beta, height, slope)


def _height_and_slope(
    curves: _Curves, table: Array, beta: Array, width: int
) -> tuple[Array, Array]:
    """Return UOC at `beta`; the cost of the best path is a tangent line in beta."""
    xp = array_namespace(beta)
    rate, whole = xp.take(curves.rate, table), xp.take(curves.whole, table)
    penalty = beta * rate

    def cells(part: slice) -> _Figures:
        q, d = xp.take(curves.q[part, ...], table, axis=1), curves.d[part, ...]
        detour = q * d
        return [detour * penalty - q, detour]

    least, detour = _along_best_path(cells, curves.steps.shape[0], width)
    return 1.0 + ratio(least, whole, 0.0), ratio(detour * rate, whole, 0.0)


def _area(curves: _Curves, table: Array, left: _Point, right: _Point) -> Array:
    """Return the areas `[S]` under the curves of `table` `[S]` between two points each.

    The lines at both ends bound the concave curve from above. Where they meet, the curve either
    touches them, and then consists of these two lines, or runs below, and then both halves are
    integrated in the same way.
    """
    xp, k = array_namespace(left.beta), curves.steps.shape[0]
    drop = right.height - left.height - right.slope * (right.beta - left.beta)
    meet = left.beta + ratio(drop, left.slope - right.slope, 0.0)
    middle = _point(curves, table, xp.clip(meet, left.beta, right.beta))
    bound = left.height + left.slope * (middle.beta - left.beta)
    area = _trapezoid(left, middle) + _trapezoid(middle, right)
    rounding = max(64.0, 4.0 * k) * xp.finfo(area.dtype).eps  # of sums along a path
    bends = middle.height < bound - rounding
    inner = xp.nonzero(bends)[0]
    if inner.shape[0] == 0:
        return area
    a, b, c = (_Point(*(xp.take(x, inner) for x in p)) for p in (left, middle, right))
    lefts, rights = (_Point(*map(xp.concat, zip(*ends, strict=True))) for ends in ((a, b), (b, c)))
    again = xp.take(table, inner)
    halves = xp.reshape(_area(curves, xp.concat([again, again]), lefts, rights), (2, -1))
    bent = xp.sum(halves, axis=0)
    place = xp.cumulative_sum(xp.astype(bends, inner.dtype)) - 1
    return xp.where(bends, xp.take(bent, xp.clip(place, 0, None), axis=0), area)


def _trapezoid(a: _Point, b: _Point) -> Array:
    return (b.beta - a.beta) * (a.height + b.height) / 2
