"""Measures of numbers, as functions of sums over items."""

import numpy as np

from ..data.moments import Moments
from ..types import Floats

_NO_SPREAD = 1e-13  # a spread below this share of the sum of squares is a rounding error


def _ratio(above: Floats, below: Floats) -> Floats:
    found: Floats = np.full(np.shape(below), np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def mean_distance(m: Moments) -> Floats:
    """Return the mean absolute difference."""
    return _ratio(m.distance, m.n)


def mean_error(m: Moments) -> Floats:
    """Return the mean squared difference."""
    return _ratio(m.error, m.n)


def root_mean_error(m: Moments) -> Floats:
    """Return the root of the mean squared difference; sums of left-out items may round below 0."""
    return np.asarray(np.sqrt(np.maximum(mean_error(m), 0.0)))


def correlation(m: Moments) -> Floats:
    """Return the Pearson correlation."""
    gold, predicted = (_spread(m.n, *sums) for sums in ((m.g, m.gg), (m.p, m.pp)))
    covariance = m.gp - _ratio(m.g * m.p, m.n)
    return np.clip(_ratio(covariance, np.sqrt(gold) * np.sqrt(predicted)), -1.0, 1.0)


def _spread(n: Floats, total: Floats, squares: Floats) -> Floats:
    """Return the sum of squared deviations from the mean; 0 where it is a rounding error."""
    spread = squares - _ratio(total**2, n)
    return np.where(spread > _NO_SPREAD * squares, spread, 0.0)


def cosine_of_numbers(m: Moments) -> Floats:
    """Return the cosine of gold and predicted numbers, without centring."""
    c = m.centre
    product = m.gp + c * (m.g + m.p) + c * c * m.n
    gold, predicted = (sq + 2 * c * s + c * c * m.n for s, sq in ((m.g, m.gg), (m.p, m.pp)))
    length = np.sqrt(np.maximum(gold, 0.0)) * np.sqrt(np.maximum(predicted, 0.0))
    return np.clip(_ratio(product, length), -1.0, 1.0)


def interval_alpha(m: Moments) -> Floats:
    """Return Krippendorff's alpha of two coders who give numbers."""
    labels = 2.0 * _ratio(m.n**2, m.squares)
    drawn = _spread(2.0 * m.n, m.g + m.p, m.gg + m.pp) / np.where(m.n > 0, m.n, np.nan)
    expected = drawn * _ratio(labels, labels - 1.0)
    return np.asarray(1.0 - _ratio(mean_error(m), expected))
