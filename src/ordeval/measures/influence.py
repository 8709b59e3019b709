"""Influence functions: how a score changes with the share of a cell.

The influence of cell (g, p) on a score f of shares q = n/N is the derivative of
f((1 − ε) q + ε δ_gp) at ε = 0, the number of items N being fixed. It has the mean 0 over the items.
The standard error of f is √(Σ q IF²/N).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import Array, Codes, Floats
from .terms import total

STEP = 1e-5  # share of the items moved: errors of rounding and of the third derivative are alike
_CHUNK_NUMBERS = 1 << 22  # numbers in the tables that are held at a time

Figure = Callable[[Floats], Floats]


def influence(measure: Any, tables: Array, values: Array, cells: Codes | None = None) -> Floats:
    """Return the influence `[..., K, K]` of every cell on the scores of tables.

    Uses the formula beside the kernel where there is one, else `numerical_influence`. Where a
    score jumps, or has an infinite derivative, as soon as a class occurs, its cells get the finite
    difference, a large number. Undefined scores have NaN.

    `tables` are counts `[..., K, K]`, `values` the class values `[K]`; `cells`, numbers g·K + p,
    asks for some cells only, as `[..., cells]`.
    """
    n, values = np.asarray(tables, dtype=np.float64), np.asarray(values, dtype=np.float64)
    formula = measure.record.influence
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = None if formula is None else formula(n, values, **measure.params)
    if exact is None:
        return numerical_influence(measure, n, values, cells)
    k = n.shape[-1]
    wanted = np.arange(k * k) if cells is None else cells
    flat, found = n.reshape(-1, k, k), centred(n, exact).reshape(-1, k * k)[:, wanted]
    jumps = ~np.isfinite(found) & np.isfinite(measure.kernel(flat, values))[:, None]
    some = np.ix_(jumps.any(axis=1), jumps.any(axis=0))
    if jumps.any():
        steps = numerical_influence(measure, flat[some[0][:, 0]], values, wanted[some[1][0]])
        found[some] = np.where(np.isfinite(found[some]), found[some], steps)
    return found.reshape(n.shape if cells is None else (*n.shape[:-2], -1))


def item_influence(measure: Any, tables: Floats, values: Floats) -> Floats:
    """Return influences `[table, K, K]` of which those of cells without items do not matter.

    Where a score is undefined, all of them are NaN.
    """
    formula = measure.record.influence
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope = None if formula is None else formula(tables, values, **measure.params)
        if slope is None:
            slope = numerical_influence(measure, tables, values)
        mean = np.einsum("bgp,bgp->b", tables, slope)
        if not np.isfinite(mean).all():
            slope = np.where(tables > 0, slope, 0.0)
            mean = np.einsum("bgp,bgp->b", tables, slope)
        return np.asarray(slope - (mean / total(tables))[:, None, None])


def centred(n: Floats, derivative: Floats) -> Floats:
    """Return derivatives by the share of each cell with the mean 0 over the items."""
    used = n * np.where(n != 0, derivative, 0.0)
    mean = used.sum(axis=(-2, -1)) / np.where(n.any(axis=(-2, -1)), n.sum(axis=(-2, -1)), np.nan)
    return np.asarray(derivative - mean[..., None, None])


def numerical_influence(
    measure: Any, tables: Floats, values: Floats, cells: Codes | None = None
) -> Floats:
    """Return influences by finite differences of the kernel, many tables in one call.

    `cells`, numbers g·K + p, asks for some cells only: the result is then `[..., cell]` instead of
    `[..., K, K]`.
    """
    k = tables.shape[-1]

    def scores(flat: Floats) -> Floats:
        return np.asarray(measure.kernel(flat.reshape(*flat.shape[:-1], k, k), values))

    found = derivatives(scores, tables.reshape(*tables.shape[:-2], k * k), cells=cells)
    return found.reshape(tables.shape) if cells is None else found


def derivatives(
    figure: Figure, at: Floats, sizes: Floats | None = None, cells: Codes | None = None
) -> Floats:
    """Return the derivatives `[..., cell]` of figures by the numbers at some points.

    `figure` maps points `[..., N]` to figures `[...]`, or to several with axes in front. A step is
    a share of `sizes` `[..., N]`; without sizes, numbers are parts of a fixed whole: a step moves a
    share of it into a cell, and never out of an empty one. `cells` are the positions of the
    numbers, all of them by default. Errors are of the order of the square of the step.
    """
    cells = np.arange(at.shape[-1]) if cells is None else cells
    whole = at.sum(axis=-1, keepdims=True) if sizes is None else sizes
    parts, here = [], figure(at[..., None, :])
    step = max(1, _CHUNK_NUMBERS // max(1, at.size))
    for start in range(0, len(cells), step):
        some = cells[start : start + step]
        size = np.broadcast_to(whole, at.shape)[..., some]
        way = np.zeros((*size.shape, at.shape[-1]))
        way[..., np.arange(len(some)), some] = size
        last = np.full(size.shape, -1.0)  # the third point of a parabola, in steps
        if sizes is None:
            way -= at[..., None, :]
            last[at[..., some] < 2 * STEP * size] = 2.0
            size = np.ones(())
        ahead = figure(at[..., None, :] + STEP * way)
        beyond = figure(at[..., None, :] + STEP * last[..., None] * way)
        slope = last**2 * (ahead - here) - (beyond - here)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(slope / (STEP * last * (last - 1) * size))
    return np.concatenate(parts, axis=-1)
