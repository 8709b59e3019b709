"""Measures as costs of single decisions, where the gold classes of all items are known.

With the gold margin G fixed, many scores are linear in the table, or a ratio of two sums over the
items: a decision then costs `loss[gold, predicted]`, and for kappa also has a share in the
disagreement by chance, which depends on the predicted class alone.
"""

from typing import NamedTuple

import numpy as np

from ..data.scale import Scale
from ..types import Floats
from .agreement import disagreement
from .batches import score_tables
from .spec import Measure, parse_measure
from .terms import Cells, Places

_LINEAR = (
    *("accuracy", "mer", "accuracy_within", "macro_recall", "mae", "mse", "rmse"),
    *("macro_mae", "macro_mse", "rennie_srebro", "cem"),
)
_KAPPAS = {"kappa": None, "cohen_kappa": "none"}  # with the weights that are no parameter


class Costs(NamedTuple):
    """What decisions cost: Σ `loss` over the items, perhaps divided by Σ `chance`, is minimised."""

    loss: Floats  # [gold, predicted]
    chance: Floats | None = None  # [predicted]

    def at(self, ratio: float) -> Floats:
        """Return the costs `[gold, predicted]` whose minimum is below 0 if a ratio is not best."""
        return self.loss if self.chance is None else self.loss - ratio * self.chance

    def ratio(self, table: Floats) -> float:
        """Return the ratio of a table; infinite where disagreement by chance is 0."""
        if self.chance is None:
            return float((self.loss * table).sum())
        below = float(self.chance @ table.sum(axis=0))
        return float((self.loss * table).sum()) / below if below > 0 else np.inf


def is_ratio(measure: Measure) -> bool:
    """Return whether a measure has costs, so that its best decisions can be found exactly."""
    return is_linear(measure) or measure.id in _KAPPAS


def is_linear(measure: Measure) -> bool:
    """Return whether the costs depend on the shares of gold classes alone."""
    return measure.id in _LINEAR


def costs_of(measure: Measure, gold: Floats, scale: Scale) -> Costs:
    """Return the costs of a measure for which `is_ratio` is true, given the gold margin `[K]`."""
    if measure.id in _KAPPAS:
        weights = _KAPPAS[measure.id] or measure.params["weights"]
        w = np.array(disagreement(np.diag(gold)[None], scale.numbers, weights), dtype=np.float64)
        w = w.reshape(scale.k, scale.k)
        return Costs(np.where(gold[:, None] > 0, w, 0.0), gold @ w / gold.sum())
    linear = parse_measure("mse") if measure.id == "rmse" else measure
    return Costs(-linear.sign * _slopes(linear, gold, scale))


def _slopes(measure: Measure, gold: Floats, scale: Scale) -> Floats:
    """Return by how much the score changes if an item of class g is predicted as p, not as g.

    The kernel tells it: all items of class g are moved from the right class to another one.
    """
    slopes, every = np.zeros((scale.k, scale.k)), np.arange(scale.k)
    for g in np.flatnonzero(gold > 0):
        others = every[every != g]
        places = Places(
            np.append(every, np.full(scale.k - 1, g)), np.append(every, others), scale.k
        )
        counts = np.zeros((2 * scale.k - 1, scale.k))  # [cell, table], the first one all right
        counts[: scale.k] = gold[:, None]
        counts[g, 1:] = 0.0
        counts[scale.k + np.arange(scale.k - 1), 1 + np.arange(scale.k - 1)] = gold[g]
        scores = score_tables([measure], Cells(places, counts), scale)[0]
        slopes[g, others] = (scores[1:] - scores[0]) / gold[g]
    return slopes
