"""Rank correlations between rankings of systems, for many rankings at once."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ordeval.errors import InputError

Floats = NDArray[np.float64]
Variant = Literal["a", "b"]
# Means that differ by less than this share of the largest score differ by rounding alone.
ROUNDING = 1e-12


def check_variant(variant: str) -> None:
    """An error unless the variant of Kendall's τ is known."""
    if variant not in ("a", "b"):
        raise InputError(f'variant={variant!r} is not known; it is "a" or "b".')


def pair_signs(scores: Floats) -> Floats:
    """Which of two systems is ahead, +1, 0 or -1, for all pairs: `[..., S]` -> `[..., P]`.

    Scores that differ by rounding alone are tied; an undefined score gives NaN.
    """
    first, second = np.triu_indices(scores.shape[-1], 1)
    gaps = scores[..., first] - scores[..., second]
    largest = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    gaps[np.abs(gaps) <= ROUNDING * largest] = 0.0
    return np.asarray(np.sign(gaps, out=gaps))


def kendall(a: Floats, b: Floats, variant: Variant = "a") -> Floats:
    """Kendall's τ between scores `[..., S]` of the same systems: `[...]`.

    τ-a divides concordant minus discordant pairs by all pairs; τ-b by the pairs that are not
    tied, and is undefined (NaN) where all are.
    """
    return kendall_of_signs(pair_signs(a), pair_signs(b), variant)


def kendall_of_signs(a: Floats, b: Floats, variant: Variant = "a") -> Floats:
    """Kendall's τ from the signs `[..., P]` of all pairs of systems."""
    agreement = np.einsum("...p,...p->...", a, b)
    if variant == "a":
        return np.asarray(agreement / a.shape[-1])
    # The square of a sign is 1 unless the pair is tied.
    untied = np.einsum("...p,...p->...", a, a) * np.einsum("...p,...p->...", b, b)
    tau: Floats = np.full(agreement.shape, np.nan)
    np.divide(agreement, np.sqrt(untied), out=tau, where=untied > 0)
    return tau


def standard_ranks(scores: Floats) -> Floats:
    """Mid-ranks along the last axis, centred and of unit length; NaN where all are tied.

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


def letters(groups: Sequence[object]) -> list[str]:
    """Names A, B, … Z, A2, B2, … for groups."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rounds = [divmod(i, len(alphabet)) for i in range(len(groups))]
    return [alphabet[place] + (str(turn + 1) if turn else "") for turn, place in rounds]
