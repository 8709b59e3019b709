"""Path-based measures: the best monotone path through the table.

A monotone path leads from cell (1, 1) to cell (K, K) by steps to the right, down or diagonal; no
two of its cells are discordant. The measures reward the items on a path and penalise their
distance from the diagonal.
"""

from typing import NamedTuple

from array_api_compat import array_namespace

from ..registry import Facts, Parameter, boolean, number, register_measure
from .general_path import LARGEST_K, solve_general_path
from .terms import NO_ITEMS, Array, classes_used, distance, gold, ratio, total

_PATH: Facts = {
    "family": "path",
    "better": "lower",
    "scale": "interval",
    "bounds": (0.0, 1.0),
    "undefined": (NO_ITEMS,),
}


def _penalty(name: str, default: float) -> Parameter:
    return Parameter(name, default, "a number of at least 0", number(0.0), shown=True)


_GAMMA = Parameter("gamma", 1, "a number above 0", number(0.0, open_low=True))
_RELATIVE = Parameter("relative", True, "True, False", boolean)
_PAPER_BETAS = ({"beta": 0.25}, {"beta": 0.75})


def _cells_first(w: Array) -> Array:
    """Return `[..., K, K]` as `[K, K, ...]`, so that a step works on contiguous memory."""
    axes = (w.ndim - 2, w.ndim - 1, *range(w.ndim - 2))
    return array_namespace(w).permute_dims(w, axes)


def cheapest_path(w: Array) -> Array:
    """Return the least sum of cell costs `w` `[..., K, K]` along a monotone path: `[...]`."""
    xp, k, w = array_namespace(w), w.shape[-1], _cells_first(w)
    above: list[Array] = []
    for r in range(k):
        row: list[Array] = []
        for c in range(k):
            before = above[max(c - 1, 0) : c + 1] + row[-1:]
            cost = w[r, c, ...]
            if before:
                best = before[0]
                for other in before[1:]:
                    best = xp.minimum(best, other)
                cost = cost + best
            row.append(cost)
        above = row
    return above[-1]


def _detour(n: Array, values: Array, gamma: float) -> Array:
    """Return n·d^γ, the penalty of every cell."""
    return n * distance(values) ** gamma


def _penalty_share(n: Array, values: Array, beta: float, gamma: float, relative: bool) -> Array:
    """Return β: as given, or divided by the largest penalty, that of all items in a far corner."""
    given = beta + 0.0 * total(n)
    largest = total(n) * (values[-1] - values[0]) ** gamma
    return ratio(given, largest, 0.0) if relative else given


def _spread(detour: Array, gamma: float) -> Array:
    """Return M = (Σ n d^γ)^{1/γ}."""
    xp = array_namespace(detour)
    summed = xp.sum(detour, axis=(-2, -1))
    if gamma == 1:
        return summed
    return xp.where(summed > 0, xp.where(summed > 0, summed, 1.0) ** (1.0 / gamma), 0.0)


@register_measure(
    "oc",
    **_PATH,
    title="Ordinal classification index",
    symbol="OC",
    parameters=(_penalty("beta", 0.25), _GAMMA, _RELATIVE),
    variants=_PAPER_BETAS,
    claims=("symmetric", "reversible", "proportional", "perfect"),
    axioms=("order_awareness", "constant_systems", "symmetry"),
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} n_{gp}}{N + M}"
    r" + \beta \sum_{\mathrm{path}} n_{gp}\,d_{gp}^{\gamma}\Big\}",
    description="Cost of the best monotone path through the table: items on the path lower it; "
    "their distance from the diagonal and the spread of all errors raise it.",
    citation="Cardoso & Sousa 2011, eq. 7; Silva et al. 2018, eq. 11",
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
    whole = total(n) + _spread(detour, gamma)
    b = _penalty_share(n, values, beta, gamma, relative)
    return whole, (b * whole)[..., None, None] * detour - n


@register_measure(
    "oc_unnormalised",
    **_PATH,
    title="Ordinal classification index without the spread",
    symbol="OC′",
    parameters=(_penalty("beta", 0.25), _GAMMA),
    claims=("symmetric", "reversible", "padded", "perfect"),
    axioms=("constant_systems", "symmetry"),
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} n_{gp}}{N}"
    r" + \beta \sum_{\mathrm{path}} n_{gp}\,d_{gp}^{\gamma}\Big\}",
    description="As oc, but without the spread of the errors off the path, and with beta as given; "
    "from beta = 1 on it equals the misclassification error rate.",
    citation="Cardoso & Sousa 2011, eq. 6",
)
def oc_unnormalised(n: Array, values: Array, beta: float = 0.25, gamma: float = 1) -> Array:
    N = total(n)
    cost = (beta * N)[..., None, None] * _detour(n, values, gamma) - n
    return 1.0 + ratio(cheapest_path(cost), N)


@register_measure(
    "oc_general",
    **_PATH,
    title="Ordinal classification index over all connected paths",
    symbol="OC₍β₁,β₂₎",
    parameters=(_penalty("beta1", 0.25), _penalty("beta2", 0.1), _GAMMA, _RELATIVE),
    claims=("symmetric", "reversible", "proportional", "perfect"),
    axioms=("order_awareness", "constant_systems", "symmetry"),
    batched=False,
    differentiable=False,
    largest_k=LARGEST_K,
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} n_{gp}}{N + M}"
    r" + \beta_1 \sum_{\mathrm{path}} n_{gp}\,d_{gp}^{\gamma} + \beta_2 N_{\mathrm{disc}}\Big\}",
    description="As oc, but over all connected paths; each discordant pair of cells on a path "
    "costs beta2. Solved exactly by mixed-integer programming, one table at a time.",
    citation="Cardoso & Sousa 2011, eq. 8",
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

    whole: Array  # K' + K'^{1−1/γ}(Σ q d^γ)^{1/γ}: `[...]`
    gain: Array  # q: `[..., K, K]`
    penalty: Array  # whole · q d^γ/K': `[..., K, K]`


def _rows(n: Array, values: Array, gamma: float) -> _Rows:
    q = ratio(n, gold(n)[..., :, None], 0.0)
    classes = classes_used(gold(n))
    detour = _detour(q, values, gamma)
    mean = ratio(detour, classes[..., None, None])
    # K'^{1−1/γ}(Σ q d^γ)^{1/γ} = K'(Σ q d^γ/K')^{1/γ}
    whole = classes * (1.0 + _spread(mean, gamma))
    return _Rows(whole, q, whole[..., None, None] * mean)


@register_measure(
    "uoc",
    **_PATH,
    title="Uniform ordinal classification index",
    symbol="UOC",
    parameters=(_penalty("beta", 0.25), _GAMMA),
    variants=_PAPER_BETAS,
    claims=("reversible", "proportional", "padded", "perfect"),
    axioms=("imbalance", "order_awareness", "constant_systems", "class_size_awareness"),
    items_per_class=10,
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} q_{gp}}"
    r"{K' + K'^{1-1/\gamma}(\sum q_{gp} d_{gp}^{\gamma})^{1/\gamma}}"
    r" + \frac{\beta}{K'}\sum_{\mathrm{path}} q_{gp}\,d_{gp}^{\gamma}\Big\}",
    description="As oc, with the same weight for every observed gold class.",
    citation="Silva et al. 2018, eq. 28",
)
def uoc(n: Array, values: Array, beta: float = 0.25, gamma: float = 1) -> Array:
    rows = _rows(n, values, gamma)
    return 1.0 + ratio(cheapest_path(beta * rows.penalty - rows.gain), rows.whole)


@register_measure(
    "auoc",
    **_PATH,
    title="Area under the UOC curve",
    symbol="AUOC",
    claims=("reversible", "proportional", "padded", "perfect"),
    axioms=("imbalance", "order_awareness", "constant_systems", "class_size_awareness"),
    items_per_class=10,
    formula=r"\int_0^1 \mathrm{UOC}(\beta)\,d\beta",
    description="Mean of UOC over beta from 0 to 1, computed exactly from the breakpoints of the "
    "curve, which is concave and piecewise linear.",
    citation="Silva et al. 2018, eq. 23",
)
def auoc(n: Array, values: Array) -> Array:
    xp, k = array_namespace(n), n.shape[-1]
    rows = _rows(xp.reshape(n, (-1, k, k)), values, 1)
    zero = 0.0 * rows.whole
    area = _area(rows, _point(rows, zero), _point(rows, zero + 1.0))
    return xp.reshape(area, n.shape[:-2])


class _Point(NamedTuple):
    """A point (beta, height) of each curve, and the slope of a line that touches it there."""

    beta: Array
    height: Array
    slope: Array


def _point(rows: _Rows, beta: Array) -> _Point:
    """Return the curves at `beta` `[T]`; the cost of the best path is a tangent line in beta."""
    cost = beta[:, None, None] * rows.penalty - rows.gain
    least, slope = _cheapest_and_penalty(cost, rows.penalty)
    return _Point(beta, 1.0 + ratio(least, rows.whole), ratio(slope, rows.whole))


def _cheapest_and_penalty(w: Array, penalty: Array) -> tuple[Array, Array]:
    """Return the least path cost of `w` `[T, K, K]`, and the sum of `penalty` on that path."""
    xp, k = array_namespace(w), w.shape[-1]
    w, penalty = _cells_first(w), _cells_first(penalty)
    above: list[tuple[Array, Array]] = []
    for r in range(k):
        row: list[tuple[Array, Array]] = []
        for c in range(k):
            before = above[max(c - 1, 0) : c + 1] + row[-1:]
            cost, slope = w[r, c, ...], penalty[r, c, ...]
            if before:
                low, along = before[0]
                for other, other_along in before[1:]:
                    better = other < low
                    low, along = xp.minimum(low, other), xp.where(better, other_along, along)
                cost, slope = cost + low, slope + along
            row.append((cost, slope))
        above = row
    return above[-1]


def _area(rows: _Rows, left: _Point, right: _Point) -> Array:
    """Return the areas `[T]` under the curves between two points each.

    The lines at both ends bound the concave curve from above. Where they meet, the curve either
    touches them, and then consists of these two lines, or runs below, and then both halves are
    integrated in the same way.
    """
    xp = array_namespace(rows.whole)
    drop = right.height - left.height - right.slope * (right.beta - left.beta)
    meet = left.beta + ratio(drop, left.slope - right.slope, 0.0)
    middle = _point(rows, xp.clip(meet, left.beta, right.beta))
    bound = left.height + left.slope * (middle.beta - left.beta)
    area = _trapezoid(left, middle) + _trapezoid(middle, right)
    bends = middle.height < bound - 64.0 * xp.finfo(area.dtype).eps
    inner = xp.nonzero(bends)[0]
    if inner.shape[0] == 0:
        return area
    bent_rows = _Rows(*(xp.take(part, inner, axis=0) for part in rows))
    a, b, c = (_Point(*(xp.take(x, inner, axis=0) for x in p)) for p in (left, middle, right))
    bent = _area(bent_rows, a, b) + _area(bent_rows, b, c)
    place = xp.cumulative_sum(xp.astype(bends, inner.dtype)) - 1
    return xp.where(bends, xp.take(bent, xp.clip(place, 0, None), axis=0), area)


def _trapezoid(a: _Point, b: _Point) -> Array:
    return (b.beta - a.beta) * (a.height + b.height) / 2
