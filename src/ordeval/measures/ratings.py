"""Ratings: what items were rated, on average and by class.

The classes of a system are here what its outputs were rated, and there is no gold: tables
`[..., gold, predicted]` have all items in the first row. Ratings are exchanged between systems, and
drawn, as predictions are.
"""

import numpy as np

from ..types import Floats
from .nominal import fits
from .registry import Facts, Parameter, register_measure
from .terms import NO_ITEMS, Array, array_namespace, predicted, ratio, total

_RATING: Facts = {
    "task": "ratings",
    "family": "ratings",
    "better": "higher",
    "undefined": (NO_ITEMS,),
    "nonnegative": "nothing",
    "of_cells": True,
    "claims": "proportional",
}


@register_measure(
    "mean",
    influence=lambda n, values: np.broadcast_to(values, n.shape),
    **_RATING,
    scale="interval",
    bounds=lambda values, params: (float(values[0]), float(values[-1])),
    label="mean rating",
    aliases=("mean_rating",),
)
def mean(n: Array, values: Array) -> Array:
    xp = array_namespace(n)
    return ratio(xp.sum(predicted(n) * values, axis=-1), total(n))


def _share_influence(n: Floats, values: Floats, label: int | None = None) -> Floats:
    return np.broadcast_to(np.eye(n.shape[-1])[-1 if label is None else label], n.shape)


@register_measure(
    "share",
    influence=_share_influence,
    **_RATING,
    directed=False,
    scale="nominal",
    bounds=(0.0, 1.0),
    label="share of {label}",
    parameters=(
        Parameter(
            "label",
            None,
            "the label of a class; every class in turn by default",
            lambda value: value is None or isinstance(value, str | int | float),
            fits=fits,
            classes=True,
        ),
    ),
    aliases=("shares",),
)
def share(n: Array, label: int | None = None) -> Array:
    return ratio(predicted(n)[..., -1 if label is None else label], total(n))
