"""Influence functions: how a score changes with the share of a cell.

The influence of cell (g, p) on a score f of shares q = n/N is the derivative of
f((1 − ε) q + ε δ_gp) at ε = 0, the number of items N being fixed. It has the mean 0 over the items.
The standard error of f is √(Σ q IF²/N).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import Array, Bools, Codes, Floats

STEP = 1e-5  # share of the items moved: errors of rounding and of the third derivative are alike
_CHUNK_NUMBERS = 1 << 22  # numbers in the tables that are held at a time

Figure = Callable[[Floats], Floats]


def influence(measure: Any, tables: Array, values: Array) -> Floats:
    """Return the influence `[..., K, K]` of every cell on the scores of tables.

    Uses the formula beside the kernel where there is one, else `numerical_influence`. Where a
    score jumps, or has an infinite derivative, as soon as a class occurs, its cells get the finite
    difference, a large number. Undefined scores have NaN.

    Parameters
    ----------
    measure : Measure
        A measure of tables of counts.
    tables : ndarray of shape (..., K, K)
        Tables of counts, gold classes in rows.
    values : ndarray of shape (K,)
        The class values.

    Returns
    -------
    ndarray of shape (..., K, K)
        The influences.
    """
    n, values = np.asarray(tables, dtype=np.float64), np.asarray(values, dtype=np.float64)
    formula = measure.record.influence
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = None if formula is None else formula(n, values, **measure.params)
    if exact is None:
        return numerical_influence(measure, n, values)
    k = n.shape[-1]
    flat, found = n.reshape(-1, k, k), centred(n, exact).reshape(-1, k * k)
    open_cells = ~np.isfinite(found) & np.isfinite(measure.kernel(flat, values))[:, None]
    rows, cells = open_cells.any(axis=1), open_cells.any(axis=0).nonzero()[0]
    if len(cells):
        steps = numerical_influence(measure, flat[rows], values, cells)
        part = found[np.ix_(rows, cells)]
        found[np.ix_(rows, cells)] = np.where(np.isfinite(part), part, steps)
    return found.reshape(n.shape)


def centred(n: Floats, derivative: Floats) -> Floats:
    """Return derivatives by the share of each cell with the mean 0 over the items."""
    used = n * np.where(n != 0, derivative, 0.0)
    mean = used.sum(axis=(-2, -1)) / np.where(n.any(axis=(-2, -1)), n.sum(axis=(-2, -1)), np.nan)
    return np.asarray(derivative - mean[..., None, None])


def numerical_influence(
    measure: Any, tables: Floats, values: Floats, cells: Codes | None = None
) -> Floats:
    """Return influences by finite differences of the kernel, many tables in one call.

    The differences are central, and one-sided for cells without items. `cells`, numbers g·K + p,
    asks for some cells only: the result is then `[..., cell]` instead of `[..., K, K]`.
    """
    k = tables.shape[-1]
    chosen = np.arange(k * k) if cells is None else cells
    here, whole = tables[..., None, :, :], tables.sum(axis=(-2, -1))[..., None]
    parts, step = [], max(1, _CHUNK_NUMBERS // max(1, tables.size))
    for start in range(0, len(chosen), step):
        some = chosen[start : start + step]
        moved = np.zeros((len(some), k * k))
        moved[np.arange(len(some)), some] = 1.0
        towards = whole[..., None, None] * moved.reshape(-1, k, k) - here
        few = tables.reshape(*tables.shape[:-2], k * k)[..., some] < 2 * STEP * whole
        parts.append(derivatives(lambda n: measure.kernel(n, values), here, towards, few))
    found = np.concatenate(parts, axis=-1)
    return found.reshape(tables.shape) if cells is None else found


def derivatives(
    figure: Figure, at: Floats, towards: Floats, one_sided: Bools | bool = False, step: float = STEP
) -> Floats:
    """Return the derivatives `[..., direction]` of a figure at a point.

    Parameters
    ----------
    figure : callable
        Maps arrays `[..., direction, *shape]` to figures `[..., direction]`.
    at : ndarray of shape (..., 1, *shape)
        The points.
    towards : ndarray of shape (..., direction, *shape)
        The directions.
    one_sided : ndarray of bool of shape (..., direction), default False
        Where no step in the opposite direction may be taken.
    step : float, optional
        The length of a step as a share of a direction.

    Returns
    -------
    ndarray of shape (..., direction)
        The derivatives, with errors of the order of the square of the step.
    """
    here, ahead = figure(at), figure(at + step * towards)
    last = np.where(one_sided, 2.0, -1.0)  # the third point of the parabola
    axes = (..., *[None] * (towards.ndim - np.ndim(here)))
    beyond = figure(at + step * np.broadcast_to(last, ahead.shape)[axes] * towards)
    slope = last**2 * (ahead - here) - (beyond - here)
    return np.asarray(slope / (step * last * (last - 1)))
