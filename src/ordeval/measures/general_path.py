"""The best connected set of cells of a table, by mixed-integer programming."""

from itertools import product
from typing import Any

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from .terms import array_namespace

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
    from scipy.optimize import Bounds, LinearConstraint, milp

    k = cost.shape[0]
    pairs, arcs = _discordant_pairs(k), _arcs(k)
    cells = k * k
    size = cells + len(pairs) + len(arcs)
    objective = np.concatenate([cost.ravel(), np.full(len(pairs), beta2), np.zeros(len(arcs))])
    low, high = np.zeros(size), np.ones(size)
    low[[0, cells - 1]] = 1  # both corners are chosen
    high[cells + len(pairs) :] = cells
    # The solver stops within 1e-6 of the optimum; scaled up, that is below our precision.
    result = milp(
        _UNIT * objective,
        integrality=np.r_[np.ones(cells), np.zeros(size - cells)],
        bounds=Bounds(low, high),
        constraints=[
            LinearConstraint(*_both_chosen(pairs, cells, size)),
            LinearConstraint(*_conserved(arcs, cells, size, len(pairs))),
            LinearConstraint(*_only_through_chosen(arcs, cells, size, len(pairs))),
        ],
        options={"mip_rel_gap": 0.0},
    )
    chosen = np.round(result.x[:cells]).astype(bool)
    discordant = sum(chosen[u] and chosen[v] for u, v in pairs)
    return float(cost.ravel()[chosen].sum() + beta2 * discordant)


def _discordant_pairs(k: int) -> list[tuple[int, int]]:
    """List the pairs of cells that the two axes order in opposite ways."""
    cells = list(product(range(k), range(k)))
    return [(r * k + c, s * k + d) for r, c in cells for s, d in cells if r < s and c > d]


def _arcs(k: int) -> list[tuple[int, int]]:
    """List the directed steps between cells that touch, also at a corner."""
    cells = list(product(range(k), range(k)))
    return [
        (r * k + c, s * k + d)
        for r, c in cells
        for s, d in product((r - 1, r, r + 1), (c - 1, c, c + 1))
        if (s, d) != (r, c) and 0 <= s < k and 0 <= d < k
    ]


def _both_chosen(pairs: list[tuple[int, int]], cells: int, size: int) -> tuple[Any, float, float]:
    """Return the rows of x_u + x_v − y_uv ≤ 1."""
    rows = np.zeros((len(pairs), size))
    for i, (u, v) in enumerate(pairs):
        rows[i, [u, v, cells + i]] = (1, 1, -1)
    return rows, -np.inf, 1


def _conserved(
    arcs: list[tuple[int, int]], cells: int, size: int, offset: int
) -> tuple[Any, Any, Any]:
    """Return the rows by which each chosen cell but the first consumes one unit of flow."""
    rows = np.zeros((cells, size))
    for i, (u, v) in enumerate(arcs):
        rows[v, cells + offset + i] += 1
        rows[u, cells + offset + i] -= 1
    rows[1:, 1:cells] -= np.eye(cells - 1)
    return rows[1:], 0, 0


def _only_through_chosen(
    arcs: list[tuple[int, int]], cells: int, size: int, offset: int
) -> tuple[Any, float, float]:
    """Return the rows of f_uv ≤ (K² − 1)·x_u: nothing flows out of a cell not chosen."""
    rows = np.zeros((len(arcs), size))
    for i, (u, _) in enumerate(arcs):
        rows[i, cells + offset + i] = 1
        rows[i, u] = -(cells - 1)
    return rows, -np.inf, 0
