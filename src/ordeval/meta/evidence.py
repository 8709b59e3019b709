"""What results on the data at hand say about a measure, in sentences with figures."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ordeval.errors import first_few, plural
from ordeval.measures.spec import parse_measure, short_measure

from .discrimination import DiscriminativePower
from .ranking_consistency import LEAST_TOPICS, Consistency
from .rankings import kendall
from .score_matrices import DataFacts, ScoreMatrices

# Two systems have only one ranking and its reverse.
LEAST_SYSTEMS = 3
# Shares of significant pairs that differ by less are not told apart, as in the grades.
LEAST_RANGE = 0.05
# From this ratio of the largest to the smallest class on, sizes of classes matter.
IMBALANCED = 3.0
# Undefined scores that are skipped or replaced are many from this share on.
MANY_UNDEFINED = 0.05
_ORDER = {"classification": "order_awareness", "quantification": "single_class_order"}


@dataclass(frozen=True)
class Evidence:
    """Results on the data at hand that a measure can be chosen by.

    Parameters
    ----------
    scores : ScoreMatrices
        The scores.
    facts : DataFacts
        Properties of the data.
    consistencies : tuple of Consistency
        Consistency on two halves of the topics, and perhaps on smaller sets.
    power : DiscriminativePower
        Discriminative power.
    """

    scores: ScoreMatrices
    facts: DataFacts
    consistencies: tuple[Consistency, ...]
    power: DiscriminativePower

    @property
    def halves(self) -> Consistency:
        """Consistency on two halves of the topics."""
        return self.consistencies[0]

    @property
    def sufficient(self) -> bool:
        """Whether there are enough systems and topics to choose a measure by."""
        return not self._lacking()

    def _lacking(self) -> list[str]:
        """Return what there is too little of, with the number needed."""
        systems, topics = len(self.scores.systems), len(self.scores.topics)
        needed = (systems, "system", LEAST_SYSTEMS), (topics, "topic", LEAST_TOPICS)
        return [
            f"{plural(number, noun)} (at least {least} are needed)"
            for number, noun, least in needed
            if number < least
        ]

    def better_than(self, primary: str, secondary: str) -> tuple[str, str] | None:
        """Return a measure that the data favour over the recommended one, and why."""
        if primary not in self.scores.measures or not self.sufficient:
            return None
        candidates = [name for name in self.scores.measures if self._suitable(name)]
        if self._unusable(primary):
            others = [name for name in candidates if name != primary]
            return self._defined_instead(primary, secondary, others) if others else None
        return self._more_consistent(primary, candidates)

    def _defined_instead(self, primary: str, secondary: str, others: list[str]) -> tuple[str, str]:
        share = dict(zip(self.power.measures, np.nan_to_num(self.power.share), strict=True))
        best = secondary if secondary in others else max(others, key=lambda name: share[name])
        gone, cells = self._undefined(primary), self.scores.scores[0].size
        return best, (
            f"{short_measure(primary)}, which the literature recommends for such data, is "
            f"undefined in {gone:,} of {cells:,} scores here; {short_measure(best)} also takes the "
            "order of the classes into account and is always defined."
        )

    def _more_consistent(self, primary: str, candidates: list[str]) -> tuple[str, str] | None:
        place = self.scores.measures.index(primary)
        won = [i for i in _beating(self.halves, place) if self.scores.measures[i] in candidates]
        won = [i for i in won if self.power.significant[i] >= self.power.significant[place]]
        if not won:
            return None
        best = max(won, key=lambda i: self.halves.mean[i])
        ours, theirs = (short_measure(self.scores.measures[i]) for i in (best, place))
        return self.scores.measures[best], (
            f"On these data {ours} ranks the systems more consistently than {theirs}, which the "
            f"literature recommends for such data: mean τ {_tau(self.halves, best)} against "
            f"{_tau(self.halves, place)} on halves of the topics "
            f"(p = {self.halves.p[best, place]:.3f}, {_procedure(self.halves)}). It "
            "also finds at least as many significant differences between systems: "
            f"{self.power.significant[best]} against {self.power.significant[place]} of "
            f"{len(self.power.pairs)} pairs."
        )

    def _suitable(self, name: str) -> bool:
        """Return whether a measure respects the order, is defined, and ranks constant systems."""
        measure = parse_measure(name)
        several = self.facts.task == "classification" and len(self.facts.constant_systems) > 1
        return (
            measure.satisfies(_ORDER[self.facts.task]) is True
            and not self._undefined(name)
            and (not several or measure.satisfies("constant_systems") is True)
        )

    def _undefined(self, name: str) -> int:
        return int(self.scores.missing[self.scores.measures.index(name)].sum())

    def _unusable(self, name: str) -> bool:
        """Return whether undefined scores make means undefined, or are many."""
        gone = self._undefined(name)
        kept = self.scores.undefined is None and gone > 0
        return kept or gone > MANY_UNDEFINED * self.scores.scores[0].size

    def about(self, name: str, *others: str) -> tuple[str, ...]:
        """Return what the data say about a measure, and whether they are a basis for a choice.

        The other recommended measures are only named if they were not judged.
        """
        basis, unjudged = self._basis(), self._unjudged(name, *others)
        if name not in self.scores.measures:
            return (*basis, *unjudged)
        place = self.scores.measures.index(name)
        return (
            *basis,
            *self._discrimination(place),
            *self._consistency(place),
            self._definedness(name),
            *harmless_failures(self, name),
            *unjudged,
        )

    def _unjudged(self, *recommended: str) -> tuple[str, ...]:
        """Name the recommended measures that were not judged, and how to judge them."""
        missing = [name for name in recommended if name not in self.scores.measures]
        if not missing:
            return ()
        names, verb = (
            " and ".join(map(short_measure, missing)),
            "is" if len(missing) == 1 else "are",
        )
        return (
            f"{names} {verb} not among the measures judged here: add {', '.join(missing)} to the "
            "measures to judge what is recommended, too.",
        )

    def _basis(self) -> tuple[str, ...]:
        if lacking := self._lacking():
            return (
                f"There are too few data to choose a measure by: {' and '.join(lacking)}. The "
                "recommendation is that of the literature.",
            )
        if len(self.scores.measures) < 2:
            return ("Only one measure is judged, so that there is nothing to choose by.",)
        share = self.power.share
        close = np.isnan(share).all() or np.nanmax(share) - np.nanmin(share) < LEAST_RANGE
        if close and not any(found.beats.any() for found in self.consistencies):
            return (
                "The data do not favour any measure: no two differ significantly in consistency, "
                "and they separate nearly the same number of pairs of systems. The recommendation "
                "is that of the literature.",
            )
        return ()

    def _discrimination(self, place: int) -> tuple[str, ...]:
        power = self.power
        if np.isnan(power.share[place]):
            return ()
        shown, best = short_measure(self.scores.measures[place]), power.order[0]
        if not power.significant.any():
            return (
                "Discriminative power: no measure judged here finds a significant difference "
                "between systems.",
            )
        text = (
            f"Discriminative power: {shown} finds significant differences in "
            f"{power.significant[place]} of {plural(len(power.pairs), 'pair')} of systems"
        )
        if power.significant[best] > power.significant[place]:
            more = short_measure(power.measures[best])
            return (f"{text}; {more} finds the most, {power.significant[best]}.",)
        return (f"{text}, and no measure judged here finds more.",)

    def _consistency(self, place: int) -> tuple[str, ...]:
        halves, smaller = self.halves, self.consistencies[1:]
        if np.isnan(halves.mean[place]):
            return ()
        ends = "" if halves.interval is None else _interval(halves.interval[place], halves.alpha)
        text = f"Consistency: mean τ {_tau(halves, place)}{ends} between halves of the topics"
        if not halves.tested:
            return (f"{text}; measures were not compared by a test.",)
        return (
            f"{text}; {_more_consistent(halves, place)} there.",
            *(
                f"With {found.sizes[0]} against {found.sizes[1]} topics mean τ is "
                f"{_tau(found, place)}; {_more_consistent(found, place)} there."
                for found in smaller
                if found.tested and not np.isnan(found.mean[place])
            ),
        )

    def _definedness(self, name: str) -> str:
        gone, cells = self._undefined(name), self.scores.scores[0].size
        if gone:
            return f"{gone:,} of its {cells:,} scores are undefined."
        return f"All of its {cells:,} scores are defined."


def _beating(found: Consistency, place: int) -> list[int]:
    """Return the measures that are significantly more consistent than one, best first."""
    p, mean = found.p[:, place], found.mean
    better = np.flatnonzero((p < found.alpha) & (mean > mean[place]))
    return [int(i) for i in better[np.argsort(-mean[better], kind="stable")]]


def _tau(found: Consistency, place: int) -> str:
    return f"{found.mean[place]:.3f}"


def _more_consistent(found: Consistency, place: int) -> str:
    """Return which measures are significantly more consistent than one."""
    won = _beating(found, place)
    if not won:
        return "no measure judged here is significantly more consistent"
    named = first_few([f"{short_measure(found.measures[i])} ({_tau(found, i)})" for i in won], 3)
    return f"{named} {'is' if len(won) == 1 else 'are'} significantly more consistent"


def _procedure(found: Consistency) -> str:
    return "topics resampled" if found.procedure == "bootstrap" else "splits of the same topics"


def _interval(ends: Iterable[float], alpha: float) -> str:
    low, high = ends
    if np.isnan(low):
        return ""
    return f" ({100 * (1 - alpha):g} % interval {low:.3f} to {high:.3f})"


def measure_warnings(evidence: Evidence, name: str) -> tuple[str, ...]:
    """Return where axioms that a measure fails matter for the data."""
    found = _monotonicity(evidence, name), _imbalance(evidence, name)
    return tuple(text for matters, text in filter(None, found) if matters)


def harmless_failures(evidence: Evidence, name: str) -> tuple[str, ...]:
    """Return axioms that a measure fails without consequences for the data."""
    found = _monotonicity(evidence, name), _imbalance(evidence, name)
    return tuple(text for matters, text in filter(None, found) if not matters)


def _fails(name: str, axiom: str) -> bool:
    return parse_measure(name).satisfies(axiom) is False


def _monotonicity(evidence: Evidence, name: str) -> tuple[bool, str] | None:
    """Return whether failures of monotonicity matter: cases in which the nearer system loses."""
    scores, clear = evidence.scores, evidence.facts.clear_comparisons
    if scores.reversals is None or not clear or name not in scores.measures:
        return None
    if evidence.facts.task != "classification" or not _fails(name, "ordinal_monotonicity"):
        return None
    wrong = int(scores.reversals[scores.measures.index(name)])
    shown = short_measure(name)
    start = (
        f"{shown} is not monotonic: a prediction moved closer to its gold class can lower the "
        "score. "
    )
    nearer = (
        f"one system is nearer to gold than the other in {plural(clear, 'comparison')} on a topic, "
        "and "
    )
    if not wrong:
        return False, f"{start}That does not show here: {nearer}never scores lower."
    return True, f"{start}That shows here: {nearer}scores lower in {wrong:,} of them."


def _imbalance(evidence: Evidence, name: str) -> tuple[bool, str] | None:
    """Return whether failures of the imbalance axiom matter: classes of very different size."""
    facts = evidence.facts
    present = [
        (share, label)
        for share, label in zip(facts.prevalence, facts.classes, strict=True)
        if share > 0
    ]
    if facts.task != "classification" or len(present) < 2 or not _fails(name, "imbalance"):
        return None
    small, large = min(present), max(present)
    start = (
        f"{short_measure(name)} does not always weigh an error more if its class is small (the "
        "axiom of imbalance). "
    )
    sizes = (
        f"class {large[1]} has {100 * large[0]:.1f} % of the gold labels and class {small[1]} "
        f"{100 * small[0]:.1f} %"
    )
    if large[0] < IMBALANCED * small[0]:
        return False, f"{start}That matters little here: {sizes}."
    return True, f"{start}That can matter here: {sizes}.{_aware(evidence, name)}"


def _aware(evidence: Evidence, name: str) -> str:
    """Return which judged measure satisfies the axiom, and how similarly it ranks the systems."""
    means, names = evidence.scores.oriented_means, evidence.scores.measures
    for place, other in enumerate(names):
        measure = parse_measure(other)
        if measure.satisfies("imbalance") and measure.satisfies("order_awareness"):
            shown = short_measure(other)
            if name not in names:
                return f" {shown} satisfies it."
            pair = means[[names.index(name), place]]
            if np.isnan(pair).any():
                continue
            tau = float(kendall(pair[0], pair[1]))
            if tau > 1 - 1e-9:
                return f" {shown}, which satisfies it, ranks the systems in the same order."
            return (
                f" {shown}, which satisfies it, ranks the systems differently (τ = {tau:.2f}): "
                "report it as well."
            )
    return ""
