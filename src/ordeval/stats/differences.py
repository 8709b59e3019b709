"""Limits of agreement of two sets of numbers on the same items (Bland & Altman 1986)."""

from math import nan, sqrt

import numpy as np

from ..types import Array, Floats

_Z = 1.959963984540054  # the limits hold 95 % of normal differences


def limits_of_agreement(differences: Array, items: Array, level: float | None) -> Floats:
    """Return the mean difference and the limits, mean ∓ 1.96 s, each with its interval.

    `items` says how many items have each difference. Without a `level` there are no intervals.
    The standard error of a limit is the larger one of two: that for normal differences (Bland &
    Altman 1999), and the linearised one, which differences between classes need: where nine of ten
    items agree, intervals by the former cover 72 % in place of 95 %.
    """
    n = float(items.sum())
    mean = float(items @ differences) / n
    apart = differences - mean
    s = sqrt(float(items @ apart**2) / (n - 1)) if n > 1 else nan
    values = np.array([mean, mean - _Z * s, mean + _Z * s])
    if level is None or not s > 0:
        return np.column_stack([values, np.full((3, 2), nan)])
    from scipy.special import stdtrit  # slow to import

    errors = [s / sqrt(n)]
    for sign in (-1, 1):
        influence = apart + sign * _Z * (apart**2 - s**2) / (2 * s)
        linear = sqrt(float(items @ (influence - items @ influence / n) ** 2) / (n - 1) / n)
        errors.append(max(linear, s * sqrt(1 / n + _Z**2 / (2 * (n - 1)))))
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * np.array(errors)
    return np.column_stack([values, values - reach, values + reach])
