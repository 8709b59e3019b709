"""`decide`: classes from probabilities, by a rule or best in expectation for a measure."""

from math import inf
from typing import Any

import numpy as np

from ..data.probabilities import probability_rows
from ..data.scale import Scale
from ..errors import InputError
from ..measures.batches import score_tables
from ..measures.costs import costs_of, is_ratio
from ..measures.influence import influence
from ..measures.scoring import check_task
from ..measures.spec import Measure, counterpart, parse_measure
from ..results import labels_of
from ..types import Array, Codes, Floats

_ROUNDS = 100
_CHANCE = 1 - 1e-9  # the ratio of constant decisions, a little less: of these, likelier ones win


def decide(
    proba: Any, measure: str | Measure = "argmax", *, labels: Any = None, values: Any = None
) -> Array:
    """Choose a class for every item from the probabilities of its classes.

    Parameters
    ----------
    proba : array_like of shape (n_items, n_classes)
        The probabilities of the classes, from the lowest to the highest.
    measure : str or Measure
        A measure, for the classes that are best for it in expectation. Or a rule: "argmax", the
        likeliest class; "median", the lowest class at which the cumulative probability reaches one
        half; "mean", the class whose value is nearest to the expected value.
    labels : sequence, optional
        The classes from lowest to highest; 1 to K by default.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.

    Returns
    -------
    ndarray of shape (n_items,)
        The label of each item.

    Notes
    -----
    In the expected table, each item's probabilities are added to the column of its predicted class,
    and the gold margin is the sum of all probabilities. Accuracy, MAE, MSE, CEM and macro forms are
    linear in that table, so each item has its own best class. Kappa is a ratio of two sums over
    items: each item minimises its expected loss minus λ times its share of the chance disagreement,
    and λ is updated until it stays. For other measures, the search starts from the best of these
    decisions and changes items until nothing improves: a local optimum.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.decide([[0.4, 0.3, 0.3], [0.1, 0.1, 0.8]], "mae", labels=["low", "mid", "high"])
    array(['mid', 'high'], dtype='<U4')
    """
    rows = probability_rows(proba, None if labels is None else Scale.of(labels, values)).rows
    scale = Scale.of(range(1, rows.shape[1] + 1) if labels is None else labels, values)
    if np.isnan(rows).any():
        raise InputError("proba has rows without probabilities.", parameter="proba")
    if not len(rows):
        raise InputError("proba has no items; at least one is needed.", parameter="proba")
    if measure in RULES:
        return labels_of(scale, RULES[str(measure)](rows, scale))
    return labels_of(scale, best_classes(rows, measure_on(measure, scale), scale))


def _argmax(rows: Floats, scale: Scale) -> Codes:
    return np.asarray(rows.argmax(axis=1))


def _median(rows: Floats, scale: Scale) -> Codes:
    return np.asarray((np.cumsum(rows, axis=1) >= 0.5 - 1e-12).argmax(axis=1))


def _mean(rows: Floats, scale: Scale) -> Codes:
    middles = (scale.numbers[1:] + scale.numbers[:-1]) / 2
    return np.searchsorted(middles, rows @ scale.numbers, side="right")


RULES = {"argmax": _argmax, "median": _median, "mean": _mean}


def best_classes(rows: Floats, measure: Measure, scale: Scale) -> Codes:
    """Return the classes that are best for a measure in expectation."""
    return _best(rows, measure, scale)[0]


def costs_of_decisions(rows: Floats, measure: Measure) -> Floats:
    """Return costs `[gold, predicted]` by which items are decided one by one, as best for `rows`.

    They are those of the last step of `decide`: expected losses less λ times the disagreement by
    chance, or how little a decision adds to the score of the best decisions. Rules have none.
    """
    scale = Scale.of(range(rows.shape[1]))
    return _best(rows, measure.on(scale), scale)[1]


def measure_on(measure: str | Measure, scale: Scale) -> Measure:
    """Return a measure of labels whose kernel scores tables of a scale."""
    spec = counterpart(parse_measure(measure), "classification")
    check_task([spec], "classification", "measure")
    return spec.on(scale)


def _best(rows: Floats, measure: Measure, scale: Scale) -> tuple[Codes, Floats]:
    """Return the best classes, and the costs by which single items are decided alike."""
    if is_ratio(measure):
        return _by_costs(rows, measure, scale)
    starts = [rule(rows, scale) for rule in RULES.values()]
    starts += [_by_costs(rows, parse_measure(m), scale)[0] for m in ("qwk", "macro_mae", "cem")]
    best = max(starts, key=lambda classes: _score(rows, classes, measure, scale))
    best = _exchanged(rows, best, measure, scale)
    return best, -_slopes(rows, best, measure, scale)


def _by_costs(rows: Floats, measure: Measure, scale: Scale) -> tuple[Codes, Floats]:
    """Return the classes of the smallest ratio of expected costs (Dinkelbach), and these costs."""
    costs = costs_of(measure, rows.sum(axis=0), scale)
    best = np.asarray((rows @ costs.at(_CHANCE)).argmin(axis=1))
    found = costs.ratio(_table(rows, best))
    for _ in range(_ROUNDS if costs.chance is not None else 0):
        classes = (rows @ costs.at(found if np.isfinite(found) else 0.0)).argmin(axis=1)
        smaller = costs.ratio(_table(rows, classes))
        if not smaller < found - 1e-14 * abs(found):
            break
        best, found = np.asarray(classes), smaller
    return best, costs.at(min(found, _CHANCE))


def _table(rows: Floats, classes: Codes) -> Floats:
    """Return the expected table."""
    return np.asarray(rows.T @ np.eye(rows.shape[1])[classes])


def _score(rows: Floats, classes: Codes, measure: Measure, scale: Scale) -> float:
    score = float(measure.sign * score_tables([measure], _table(rows, classes)[None], scale)[0, 0])
    return -inf if np.isnan(score) else score


def _slopes(rows: Floats, classes: Codes, measure: Measure, scale: Scale) -> Floats:
    """Return how the score changes with the share of every cell `[gold, predicted]`."""
    table = _table(rows, classes)[None]
    slopes = measure.sign * influence(measure, table, scale.numbers)[0]
    return np.asarray(np.nan_to_num(slopes))


def _exchanged(rows: Floats, classes: Codes, measure: Measure, scale: Scale) -> Codes:
    """Give other classes to the items that promise most, as many at a time as it improves."""
    best, every = _score(rows, classes, measure, scale), np.arange(len(rows))
    for _ in range(_ROUNDS):
        gain = rows @ _slopes(rows, classes, measure, scale)
        gain -= gain[every, classes][:, None]
        wanted, promise = gain.argmax(axis=1), gain.max(axis=1)
        order, size = np.argsort(-promise, kind="stable"), int((promise > 0).sum())
        while size:
            tried = classes.copy()
            tried[order[:size]] = wanted[order[:size]]
            if (score := _score(rows, tried, measure, scale)) > best:
                break
            size //= 2
        if not size:
            return classes
        best, classes = score, tried
    return classes
