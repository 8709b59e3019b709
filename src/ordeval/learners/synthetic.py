"""The synthetic data set of Cardoso & Sousa (2011), section 4.3."""

import numpy as np

from ..errors import InputError
from ..types import RNG, Floats, Ints

INNER_BOUNDS = (-2.0, -0.5, 0.25, 1.0)
NOISE = 0.125


def cardoso_points(n: int = 400, rng: RNG = 0) -> tuple[Floats, Ints]:
    """Draw points of the unit square with classes 1 to 5.

    The class of a point is the interval between `INNER_BOUNDS` that holds 10 (x1 - 1/2)(x2 - 1/2)
    plus Normal(0, `NOISE`) noise: a saddle, whose upper classes lie in two opposite corners and
    whose lowest class lies in the other two.

    Parameters
    ----------
    n : int, default: 400
        Number of points.
    rng : int, numpy.random.Generator or None, default: 0
        Seed or generator; None draws from fresh entropy.

    Returns
    -------
    X : array of shape (n, 2)
        The points, uniform in the unit square.
    y : array of int of shape (n,)
        Their classes.

    Examples
    --------
    >>> from ordeval.learners.synthetic import cardoso_points
    >>> X, y = cardoso_points(5)
    >>> X.shape, y.shape
    ((5, 2), (5,))
    """
    if n < 1:
        raise InputError(
            f"n is {n}, but a number of points of at least 1 is expected.", parameter="n"
        )
    generator = np.random.default_rng(rng)
    X = generator.random((n, 2))
    height = 10 * np.prod(X - 0.5, axis=1) + generator.normal(0.0, NOISE, n)
    return X, np.searchsorted(INNER_BOUNDS, height).astype(np.int64) + 1
