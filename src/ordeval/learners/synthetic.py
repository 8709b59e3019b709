"""The synthetic data set of Cardoso & Sousa (2011), section 4.3."""

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

INNER_BOUNDS = (-2.0, -0.5, 0.25, 1.0)
NOISE = 0.125


def cardoso_points(
    n: int = 400, rng: int | np.random.Generator = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw n points X (n, 2), uniform in the unit square, with classes y (n,) of 1..5.

    The class is the interval between `INNER_BOUNDS` that holds 10 (x1 - 1/2)(x2 - 1/2) plus
    Normal(0, `NOISE`) noise: a saddle, whose upper classes lie in two opposite corners and whose
    lowest class in the other two.
    """
    if n < 1:
        raise InputError(f"n={n}: the number of points must be at least 1.")
    generator = np.random.default_rng(rng)
    X = generator.random((n, 2))
    height = 10 * np.prod(X - 0.5, axis=1) + generator.normal(0.0, NOISE, n)
    return X, np.searchsorted(INNER_BOUNDS, height).astype(np.int64) + 1
