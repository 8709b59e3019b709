"""Whether a model could take a person's place, and how its ratings differ from people's."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log, nan

import numpy as np

from ..results import AlternativeTest, Estimate, ModelBias, Replacement
from ..types import Bools, Floats, Nearness
from .panel import PeoplePanel, t_interval

LEAST_ITEMS = 30  # of a person who is tested
_ALPHA = 0.05
_PASSING_RATE = 0.5
_ROUNDING = 1e-12


def alternative_test(
    panel: PeoplePanel, names: Sequence[str], model: int, epsilon: float, nearness: Nearness
) -> AlternativeTest:
    """Test a model against every person (Calderon, Reichart & Dror 2025).

    Weights are not used: the test counts items. `model` is a position among all raters.
    """
    tested, left_out = list[Replacement](), list[str]()
    for person in range(panel.people):
        others = np.delete(panel.rated[:, : panel.people], person, axis=1).any(axis=1)
        rows = np.asarray(panel.rated[:, person] & panel.rated[:, model] & others)
        if panel.items[rows].sum() < LEAST_ITEMS:
            left_out.append(names[person])
        else:
            wins, who = _wins(panel, rows, person, model, nearness), (names[model], names[person])
            tested.append(_replacement(who, *wins, panel.items[rows], epsilon))
    rejected = benjamini_yekutieli([row.p for row in tested]).tolist()
    people = tuple(replace(row, rejected=r) for row, r in zip(tested, rejected, strict=True))
    rate, advantage = (
        float(np.mean(each)) if people else nan
        for each in (rejected, [row.model_wins for row in people])
    )
    passes = rate >= _PASSING_RATE if people else None
    return AlternativeTest(names[model], rate, advantage, passes, people, tuple(left_out))


def _wins(
    panel: PeoplePanel, rows: Bools, person: int, model: int, nearness: Nearness
) -> tuple[Bools, Bools]:
    """Return where the model is at least as near to the others as the person, and the reverse."""
    codes, values = panel.codes[rows], np.append(panel.values, 0.0)
    others = np.delete(codes[:, : panel.people], person, axis=1)
    present = others < panel.scale.k

    def farness(rater: int) -> Floats:
        own = codes[:, rater, None]
        gap = own != others if nearness == "accuracy" else (values[own] - values[others]) ** 2
        return np.asarray(np.where(present, gap, 0.0).sum(axis=1))

    of_model, of_person = farness(model), farness(person)
    same = np.abs(of_model - of_person) <= _ROUNDING * (of_model + of_person)
    return same | (of_model < of_person), same | (of_person < of_model)


def _replacement(
    who: tuple[str, str], model_wins: Bools, person_wins: Bools, count: Floats, epsilon: float
) -> Replacement:
    """Return a row of the test: the one-sided t-test of person minus model below epsilon."""
    from scipy.special import stdtr

    items = count.sum()
    lead = person_wins.astype(np.float64) - model_wins
    mean = float(lead @ count / items)
    variance = float((lead - mean) ** 2 @ count / (items - 1))
    p = 0.0 if mean < epsilon else 1.0
    if variance > 0:
        p = float(stdtr(items - 1, (mean - epsilon) / np.sqrt(variance / items)))
    of_model, of_person = (float(wins @ count / items) for wins in (model_wins, person_wins))
    return Replacement(*who, int(items), of_model, of_person, p, rejected=False)


def benjamini_yekutieli(p: Sequence[float]) -> Bools:
    """Return which hypotheses are rejected at a false discovery rate, whatever their dependence.

    >>> benjamini_yekutieli([0.001, 0.04, 0.5]).tolist()
    [True, False, False]
    """
    values = np.asarray(p, dtype=np.float64)
    size = len(values)
    ranks = np.arange(1, size + 1)
    order = np.argsort(values, kind="stable")
    below = values[order] <= _ALPHA * ranks / (size * (1 / ranks).sum()) if size else ranks > 0
    rejected = np.zeros(size, dtype=bool)
    if below.any():
        rejected[order[: int(np.flatnonzero(below)[-1]) + 1]] = True
    return rejected


def model_bias(panel: PeoplePanel, name: str, model: int, level: float | None) -> ModelBias:
    """Return in which direction a model differs from people, item by item."""
    rows = panel.rated[:, model] & panel.rated[:, : panel.people].any(axis=1)
    codes, k = panel.codes[rows, model], panel.scale.k
    weight = panel.items[rows] * panel.weight[rows]
    shares = np.bincount(codes, weight, k) / weight.sum() if len(codes) else np.full(k, nan)
    if not len(codes):
        return ModelBias(name, *(Estimate(nan),) * 3, tuple(shares.tolist()), "")
    numbers, profile = panel.values, panel.profiles[rows]
    people = profile / profile.sum(axis=1, keepdims=True)
    at_end = np.isin(np.arange(k), (0, k - 1)).astype(np.float64)
    step = float(np.diff(numbers).mean()) if k > 1 else 0.0
    means = _Means(panel, rows, level)
    lean = means.mean(numbers[codes] - people @ numbers, step)
    ends = means.mean(at_end[codes] - people @ at_end, 1.0)
    spread = means.spread(numbers[codes], people @ numbers, people @ numbers**2)
    words = _words(lean, ends, spread)
    return ModelBias(name, lean, ends, spread, tuple(shares.tolist()), words)


class _Means:
    """Means over the items of some rows, with t intervals over items or clusters."""

    def __init__(self, panel: PeoplePanel, rows: Bools, level: float | None) -> None:
        self._count, self._weight = panel.items[rows], panel.weight[rows]
        self._unit = None if panel.cluster is None else panel.cluster[rows]
        self._units, self._level = panel.units_of(rows), level
        self._total, self._items = float(self._count @ self._weight), float(self._count.sum())

    def mean(self, values: Floats, slip: float) -> Estimate:
        """Return a mean; `slip` is by how much one item that is otherwise changes its addend."""
        mean = self._mean(values)
        return self._estimate(mean, values - mean, slip)

    def spread(self, own: Floats, mean: Floats, square: Floats) -> Estimate:
        """Return the ratio of the standard deviations of a model and of people."""
        centre, common = self._mean(own), self._mean(mean)
        mine, theirs = self._mean((own - centre) ** 2), self._mean(square) - common**2
        if mine <= _ROUNDING or theirs <= _ROUNDING:
            doubt = "people give one class only" if theirs <= _ROUNDING else ""
            return Estimate(nan if doubt else 0.0, doubt=doubt)
        squares = square - 2 * common * mean + common**2
        pull = ((own - centre) ** 2 / mine - squares / theirs) / 2
        log_ratio = self._estimate(log(mine / theirs) / 2, pull, 1.0)
        ratio = exp(log_ratio.value)
        return Estimate(ratio, exp(log_ratio.low), exp(log_ratio.high), ratio * log_ratio.se)

    def _mean(self, values: Floats) -> float:
        return float(values @ (self._count * self._weight) / self._total)

    def _estimate(self, value: float, pull: Floats, slip: float) -> Estimate:
        """Return a figure whose addends pull it so far from its value."""
        if self._level is None or self._units < 2:
            return Estimate(value)
        one = pull * self._weight / self._total
        if self._unit is None:
            squares = float(self._count @ (one * one))
        else:
            sums = np.bincount(self._unit, one * self._count)
            squares = float(sums @ sums)
        units = self._units
        # One more item that is otherwise is added, also where clusters are the units: a whole
        # cluster of such items would be far from anything that the data show.
        variance = squares * units / (units - 1) + (slip / self._items) ** 2
        return t_interval(value, variance, units - 1, self._level)


def _words(lean: Estimate, ends: Estimate, spread: Estimate) -> str:
    """Say what the intervals show; without intervals nothing."""
    words = [
        _when(lean, 0.0, "leans low", "leans high"),
        _when(ends, 0.0, "avoids the ends", "prefers the ends"),
        _when(spread, 1.0, "spreads less than people", "spreads more than people"),
    ]
    known = not np.isnan([lean.low, ends.low]).any()
    return ", ".join(filter(None, words)) or ("none found" if known else "")


def _when(figure: Estimate, none: float, below: str, above: str) -> str:
    return below if figure.high < none else above if figure.low > none else ""
