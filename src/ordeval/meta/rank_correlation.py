"""Rank correlations between rankings of systems, for many rankings at once."""

from typing import Literal

import numpy as np

from ordeval.errors import InputError
from ordeval.types import Floats

Variant = Literal["a", "b"]
"""Which of Kendall's coefficients: τ-a or τ-b."""

# Scores that differ by less than this share of the largest one differ by rounding only.
ROUNDING = 1e-12


def check_variant(variant: str) -> None:
    """Raise an error unless `variant` names one of Kendall's coefficients."""
    if variant not in ("a", "b"):
        raise InputError(
            f'variant={variant!r} is not known; "a" or "b" is expected.', parameter="variant"
        )


def kendall(a: Floats, b: Floats, variant: Variant = "a") -> Floats:
    """Compute Kendall's τ between scores of the same systems.

    τ-a divides the number of concordant minus discordant pairs by the number of all pairs. τ-b
    divides it by the pairs that are not tied, and is undefined (NaN) if all of them are. Scores
    that differ by rounding only are tied.

    Parameters
    ----------
    a, b : ndarray of shape (..., n_systems)
        Scores; the leading axes are broadcast.
    variant : {"a", "b"}, default: "a"
        Which coefficient to compute.

    Returns
    -------
    ndarray of shape (...)
        The coefficients; NaN where a score is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> a, b = np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    >>> print(oe.meta.kendall(a, b).round(3), oe.meta.kendall(a, b, "b").round(3))
    0.667 0.816
    """
    check_variant(variant)
    return kendall_of_signs(pair_signs(a), pair_signs(b), variant)


def pair_signs(scores: Floats) -> Floats:
    """Return which system of each pair is ahead, as +1, 0 or -1: `[..., S]` -> `[..., P]`.

    Scores that differ by rounding only are tied; an undefined score gives NaN.
    """
    first, second = np.triu_indices(scores.shape[-1], 1)
    gaps = scores[..., first] - scores[..., second]
    largest = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    gaps[np.abs(gaps) <= ROUNDING * largest] = 0.0
    return np.asarray(np.sign(gaps, out=gaps))


def kendall_of_signs(a: Floats, b: Floats, variant: Variant = "a") -> Floats:
    """Compute Kendall's τ from the signs `[..., P]` of all pairs of systems."""
    agreement = np.einsum("...p,...p->...", a, b)
    if variant == "a":
        return np.asarray(agreement / a.shape[-1])
    # The square of a sign is 1 unless the pair is tied.
    untied = np.einsum("...p,...p->...", a, a) * np.einsum("...p,...p->...", b, b)
    tau: Floats = np.full(agreement.shape, np.nan)
    np.divide(agreement, np.sqrt(untied), out=tau, where=untied > 0)
    return tau


def standard_ranks(scores: Floats) -> Floats:
    """Return mid-ranks along the last axis, centred and of unit length; NaN if all are tied.

    The inner product of two such rows is their Spearman correlation.
    """
    from scipy.stats import rankdata

    largest = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    step = np.where(largest > 0, largest, 1.0) * ROUNDING
    with np.errstate(invalid="ignore"):
        snapped = np.rint(scores / step)
    ranks = np.asarray(rankdata(snapped, axis=-1), dtype=np.float64)
    centred = ranks - ranks.mean(axis=-1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=-1, keepdims=True))
    unit: Floats = np.full(centred.shape, np.nan)
    np.divide(centred, length, out=unit, where=length > 0)
    return unit
