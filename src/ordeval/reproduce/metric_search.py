"""Is a measure a metric? All pairs and triples of short label vectors are tried.

A metric is zero only for equal vectors, symmetric, and not larger than a detour over a third vector
(the triangle inequality).
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from ..measures.spec import parse_measure
from ..types import Floats, Ints

_ROUNDING = 1e-12


class Breach(NamedTuple):
    """A counter-example to a property of a metric, as text, and by how much it is broken."""

    text: str
    size: float


def label_vectors(items: int, k: int, *, least: int = 0) -> Ints:
    """Return all vectors `[V, items]` of classes 0..k-1 that have each class `least` times.

    With ``least=items // k`` these are the vectors in which all classes are equally frequent.
    """
    vectors = np.array(list(product(range(k), repeat=items)))
    counts = (vectors[:, :, None] == np.arange(k)).sum(axis=1)
    return np.asarray(vectors[(counts >= least).all(axis=1)])


def confusion_tables(vectors: Ints, k: int) -> Floats:
    """Return tables `[V, V, K, K]` of every two vectors; the first is gold."""
    one_hot = np.eye(k)[vectors]
    return np.asarray(np.einsum("ang,bnp->abgp", one_hot, one_hot))


def distances(measure: str, vectors: Ints, k: int) -> Floats:
    """Return the measure `[V, V]` for every two vectors; the first is gold."""
    return np.asarray(parse_measure(measure).of(confusion_tables(vectors, k)), dtype=np.float64)


def zero_only_if_equal(d: Floats) -> bool:
    """Return whether distances `[V, V]` between distinct vectors are zero on the diagonal only."""
    return bool(((d < _ROUNDING) == np.eye(len(d), dtype=bool)).all())


def asymmetry(d: Floats, vectors: Ints) -> Breach | None:
    """Return the pair whose two distances differ most, or None if no pair differs."""
    apart = np.abs(d - d.T)
    if apart.max() <= _ROUNDING:
        return None
    a, b = np.unravel_index(int(apart.argmax()), apart.shape)
    text = (
        f"d(a, b) = {d[a, b]:.4f} and d(b, a) = {d[b, a]:.4f} for {_named('ab', vectors[[a, b]])}"
    )
    return Breach(text, float(apart[a, b]))


def broken_triangle(d: Floats, vectors: Ints) -> Breach | None:
    """Return the triple where d(a, c) exceeds d(a, b) + d(b, c) most, or None if none does."""
    excess = d[:, None, :] - d[:, :, None] - d[None, :, :]
    if excess.max() <= _ROUNDING:
        return None
    a, b, c = np.unravel_index(int(excess.argmax()), excess.shape)
    text = (
        f"d(a, c) = {d[a, c]:.4f} exceeds d(a, b) + d(b, c) = {d[a, b]:.4f} + {d[b, c]:.4f} for "
        f"{_named('abc', vectors[[a, b, c]])}"
    )
    return Breach(text, float(excess[a, b, c]))


def _named(names: str, vectors: Ints) -> str:
    rows = zip(names, vectors, strict=True)
    return ", ".join(f"{name} = ({' '.join(str(x + 1) for x in row)})" for name, row in rows)
