"""Path-based measures: the best consistent path through the table.

A monotone path leads from cell (1, 1) to (K, K) by steps right, down or diagonal; any two of its
cells are non-discordant. The measures reward the items on a path and penalise its detours.
"""

from typing import NamedTuple

from array_api_compat import array_namespace

from ..registry import Facts, Parameter, measure, number
from .general_path import LARGEST_K, solve_general_path
from .tables import NO_ITEMS, Array, classes_used, distance, gold, ratio, total

_PATH: Facts = {
    "family": "path",
    "better": "lower",
    "scale": "interval",
    "bounds": lambda k, params: (0.0, 1.0),
    "undefined": lambda params: (NO_ITEMS,),
}


def _share(name: str, default: float) -> Parameter:
    return Parameter(name, default, "a number, 0 or more", number(0.0), shown=True)


_GAMMA = Parameter("gamma", 1, "a number above 0", number(0.0, open_low=True))
_RELATIVE = Parameter("relative", True, "True, False", lambda value: type(value) is bool)
_PAPER_BETAS = ({"beta": 0.25}, {"beta": 0.75})


def _cells_first(w: Array) -> Array:
    """`[..., K, K]` as `[K, K, ...]`: the cells of one step lie side by side in memory."""
    axes = (w.ndim - 2, w.ndim - 1, *range(w.ndim - 2))
    return array_namespace(w).permute_dims(w, axes)


def cheapest_path(w: Array) -> Array:
    """Least sum of the cell costs `w` `[..., K, K]` over monotone paths: `[...]`."""
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
    """n·d^γ, the penalty of every cell."""
    return n * distance(values) ** gamma


def _penalty_share(n: Array, values: Array, beta: float, gamma: float, relative: bool) -> Array:
    """β itself, or as a share of the largest penalty, that of all items in the farthest cell."""
    given = beta + 0.0 * total(n)
    largest = total(n) * (values[-1] - values[0]) ** gamma
    return ratio(given, largest, 0.0) if relative else given


def _spread(detour: Array, gamma: float) -> Array:
    """M = (Σ n d^γ)^{1/γ}."""
    xp = array_namespace(detour)
    summed = xp.sum(detour, axis=(-2, -1))
    if gamma == 1:
        return summed
    return xp.where(summed > 0, xp.where(summed > 0, summed, 1.0) ** (1.0 / gamma), 0.0)


@measure(
    "oc",
    **_PATH,
    title="Ordinal classification index",
    symbol="OC",
    parameters=(_share("beta", 0.25), _GAMMA, _RELATIVE),
    variants=_PAPER_BETAS,
    claims=("symmetric", "reversible", "proportional", "perfect"),
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} n_{gp}}{N + M}"
    r" + \beta \sum_{\mathrm{path}} n_{gp}\,d_{gp}^{\gamma}\Big\}",
    description="Best consistent path through the table: items on it count for, its detours from "
    "the diagonal and the spread of all errors against.",
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
    """N + M, and the cost of each cell times that: so a perfect prediction scores exactly 0."""
    detour = _detour(n, values, gamma)
    whole = total(n) + _spread(detour, gamma)
    b = _penalty_share(n, values, beta, gamma, relative)
    return whole, (b * whole)[..., None, None] * detour - n


@measure(
    "oc_unnormalised",
    **_PATH,
    title="Ordinal classification index without the spread",
    symbol="OC′",
    parameters=(_share("beta", 0.25), _GAMMA),
    claims=("symmetric", "reversible", "padded", "perfect"),
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} n_{gp}}{N}"
    r" + \beta \sum_{\mathrm{path}} n_{gp}\,d_{gp}^{\gamma}\Big\}",
    description="As oc, but errors off the path are not weighed by distance, and beta is taken as "
    "it is; from beta = 1 on it is the misclassification error rate.",
    citation="Cardoso & Sousa 2011, eq. 6",
)
def oc_unnormalised(n: Array, values: Array, beta: float = 0.25, gamma: float = 1) -> Array:
    N = total(n)
    cost = (beta * N)[..., None, None] * _detour(n, values, gamma) - n
    return 1.0 + ratio(cheapest_path(cost), N)


@measure(
    "oc_general",
    **_PATH,
    title="Ordinal classification index over all connected paths",
    symbol="OC₍β₁,β₂₎",
    parameters=(_share("beta1", 0.25), _share("beta2", 0.1), _GAMMA, _RELATIVE),
    claims=("symmetric", "reversible", "proportional", "perfect"),
    batched=False,
    differentiable=False,
    largest_k=LARGEST_K,
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} n_{gp}}{N + M}"
    r" + \beta_1 \sum_{\mathrm{path}} n_{gp}\,d_{gp}^{\gamma} + \beta_2 N_{\mathrm{disc}}\Big\}",
    description="As oc, over every connected path; each discordant pair of cells on it costs "
    "beta2. Exact, by mixed-integer programming, one table at a time.",
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
    """The row-normalised table q over the K' observed classes, in the terms of UOC."""

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


@measure(
    "uoc",
    **_PATH,
    title="Uniform ordinal classification index",
    symbol="UOC",
    parameters=(_share("beta", 0.25), _GAMMA),
    variants=_PAPER_BETAS,
    claims=("reversible", "proportional", "padded", "perfect"),
    formula=r"\min_{\mathrm{path}}\Big\{1 - \frac{\sum_{\mathrm{path}} q_{gp}}"
    r"{K' + K'^{1-1/\gamma}(\sum q_{gp} d_{gp}^{\gamma})^{1/\gamma}}"
    r" + \frac{\beta}{K'}\sum_{\mathrm{path}} q_{gp}\,d_{gp}^{\gamma}\Big\}",
    description="As oc with every observed gold class weighed alike.",
    citation="Silva et al. 2018, eq. 28",
)
def uoc(n: Array, values: Array, beta: float = 0.25, gamma: float = 1) -> Array:
    rows = _rows(n, values, gamma)
    return 1.0 + ratio(cheapest_path(beta * rows.penalty - rows.gain), rows.whole)


@measure(
    "auoc",
    **_PATH,
    title="Area under the UOC curve",
    symbol="AUOC",
    claims=("reversible", "proportional", "padded", "perfect"),
    formula=r"\int_0^1 \mathrm{UOC}(\beta)\,d\beta",
    description="UOC averaged over beta from 0 to 1, exactly: the curve is concave and piecewise "
    "linear, so its breakpoints are found and trapezoids summed.",
    citation="Silva et al. 2018, eq. 23",
)
def auoc(n: Array, values: Array) -> Array:
    xp, k = array_namespace(n), n.shape[-1]
    rows = _rows(xp.reshape(n, (-1, k, k)), values, 1)
    zero = 0.0 * rows.whole
    area = _area(rows, _point(rows, zero), _point(rows, zero + 1.0))
    return xp.reshape(area, n.shape[:-2])


class _Point(NamedTuple):
    """A point (beta, height) of the curves, and the slope of a line that touches there."""

    beta: Array
    height: Array
    slope: Array


def _point(rows: _Rows, beta: Array) -> _Point:
    """The curves at `beta` `[T]`: the cheapest path is a line in beta that touches the curve."""
    cost = beta[:, None, None] * rows.penalty - rows.gain
    least, slope = _cheapest_and_penalty(cost, rows.penalty)
    return _Point(beta, 1.0 + ratio(least, rows.whole), ratio(slope, rows.whole))


def _cheapest_and_penalty(w: Array, penalty: Array) -> tuple[Array, Array]:
    """Least path cost of `w` `[T, K, K]`, and the sum of `penalty` along that path."""
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
    """Areas under the curves between two points each, `[T]`; recurses into what bends between.

    The lines at both ends bound the concave curve from above. Where they meet, the curve either
    touches (then it is these two lines) or runs below along a further line.
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
