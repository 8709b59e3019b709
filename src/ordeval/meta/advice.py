"""Advice on measures from the scores of systems on topics, beside that of the decision path."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordeval.advice import Facts, Recommendation, recommend
from ordeval.errors import InputError, first_few, plural
from ordeval.measures.spec import parse_measure, short_measure
from ordeval.results import Result

from .discrimination import DiscriminativePower, discriminative_power
from .ranking_consistency import LEAST_TOPICS, Consistency
from .ranking_consistency import consistency as compute_consistency
from .rankings import kendall
from .score_matrices import ScoreMatrices

LEAST_SYSTEMS = 3  # two systems have only one ranking and its reverse
LEAST_RANGE = 0.05  # shares of significant pairs that differ by less are not told apart
IMBALANCED = 3.0  # from this ratio of the largest to the smallest class on, sizes matter
MANY_UNDEFINED = 0.05  # from this share on, skipped or replaced scores are many
_ORDER = {"labels": "order_awareness", "distributions": "single_class_order"}


def advise(
    data: Facts | ScoreMatrices | Result,
    *,
    consistency: Sequence[Consistency] | None = None,
    discrimination: DiscriminativePower | None = None,
) -> Recommendation:
    """Recommend measures by the decision path, and by the data themselves.

    The recommendation is that of `ordeval.advise`. Scores of systems on topics lead to another
    measure if the recommended one is undefined on some topic, or if another one that takes the
    order of the classes into account is significantly more consistent and separates at least as
    many pairs of systems.

    Parameters
    ----------
    data : Facts, ScoreMatrices or Result
        Facts about the data, scores made from data, or a result of `evaluate`, `compare` or
        `quantify`. Only scores are a basis for evidence.
    consistency : sequence of Consistency, optional
        Consistency of the measures in `data`, the first on halves of the topics; computed with
        the default settings if `data` are scores and it is not given.
    discrimination : DiscriminativePower, optional
        Discriminative power of the measures in `data`; computed likewise.

    Returns
    -------
    Recommendation
        The recommended measures, the reason, figures from the data, and remarks.

    Examples
    --------
    >>> import ordeval as oe
    >>> facts = oe.meta.Facts("labels", k=5, topics=50, constant=("x", "y"))
    >>> oe.meta.advise(facts).primary
    "alpha(level='ordinal')"
    """
    facts = _facts(data)
    recommended = recommend({"purpose": "compare"}, facts)
    if not isinstance(data, ScoreMatrices):
        return recommended
    consistencies = tuple(consistency or [compute_consistency(data)])
    power = discrimination or discriminative_power(data)
    return Evidence(data, facts, consistencies, power).applied(recommended)


def _facts(data: Facts | ScoreMatrices | Result) -> Facts:
    if isinstance(data, Result):
        return Facts.of_result(data)
    facts = data.facts if isinstance(data, ScoreMatrices) else data
    if facts is None:
        raise InputError(
            "The scores were not made from data, so nothing is known about the data.",
            parameter="data",
            hint="Give the facts, or scores made from counts or distributions.",
        )
    return facts


@dataclass(frozen=True)
class Evidence:
    """Results on the data at hand that a measure can be chosen by.

    Parameters
    ----------
    scores : ScoreMatrices
        The scores.
    facts : Facts
        Facts about the data.
    consistencies : tuple of Consistency
        Consistency on two halves of the topics, and perhaps on smaller sets.
    power : DiscriminativePower
        Discriminative power.
    """

    scores: ScoreMatrices
    facts: Facts
    consistencies: tuple[Consistency, ...]
    power: DiscriminativePower

    def applied(self, recommended: Recommendation) -> Recommendation:
        """Return a recommendation with the evidence, and with another measure if that is better."""
        primary, published = recommended.primary, ""
        if better := self._better_than(recommended):
            primary, reason = better
            published = recommended.primary
            recommended = replace(
                recommended, primary=primary, reason=reason, source="these data",
                beside=tuple(r for r in recommended.beside if r.measure != primary),
            )  # fmt: skip
        return replace(
            recommended,
            published=published,
            evidence=tuple(self._about(primary)),
            remarks=(*recommended.remarks, *self._undefined_scores(), *self._axioms(primary)),
        )

    def _lacking(self) -> list[str]:
        """Return what there is too little of, with the number needed."""
        systems, topics = len(self.scores.systems), len(self.scores.topics)
        needed = (systems, "system", LEAST_SYSTEMS), (topics, "topic", LEAST_TOPICS)
        return [
            f"{plural(number, noun)} (at least {least} are needed)"
            for number, noun, least in needed
            if number < least
        ]

    def _better_than(self, recommended: Recommendation) -> tuple[str, str] | None:
        """Return a measure that the data favour over the recommended one, and why."""
        primary, names = recommended.primary, self.scores.measures
        if primary not in names or self._lacking():
            return None
        candidates = [name for name in names if name != primary and self._suitable(name)]
        if self._unusable(primary):
            return self._defined_instead(recommended, candidates) if candidates else None
        return self._more_consistent(names.index(primary), candidates)

    def _defined_instead(
        self, recommended: Recommendation, candidates: Sequence[str]
    ) -> tuple[str, str]:
        """Return a measure that is always defined: one recommended beside it, or the sharpest."""
        share = dict(zip(self.power.measures, np.nan_to_num(self.power.share), strict=True))
        beside = [name for name in recommended.measures if name in candidates]
        best = beside[0] if beside else max(candidates, key=lambda name: share[name])
        primary, cells = recommended.primary, self.scores.scores[0].size
        return best, (
            f"{short_measure(primary)}, recommended for such data, is undefined in "
            f"{self._undefined(primary):,} of {cells:,} scores here; {short_measure(best)} also "
            "takes the order of the classes into account and is always defined."
        )

    def _more_consistent(self, place: int, candidates: Sequence[str]) -> tuple[str, str] | None:
        """Return the most consistent measure that beats one and separates as many pairs."""
        names, halves, pairs = self.scores.measures, self.consistencies[0], self.power.significant
        won = [
            i
            for i in _beating(halves, place)
            if names[i] in candidates and pairs[i] >= pairs[place]
        ]
        if not won:
            return None
        best = won[0]
        ours, theirs = short_measure(names[best]), short_measure(names[place])
        return names[best], (
            f"On these data {ours} ranks the systems more consistently than {theirs}, recommended "
            f"for such data: mean τ {halves.mean[best]:.3f} against {halves.mean[place]:.3f} on "
            f"halves of the topics (p = {halves.p[best, place]:.3f}). It finds {pairs[best]} "
            f"significant differences of {len(self.power.pairs)}, against {pairs[place]}."
        )

    def _suitable(self, name: str) -> bool:
        """Return whether a measure respects the order, is defined, and ranks constant systems."""
        measure = parse_measure(name)
        several = self.facts.task == "labels" and len(self.facts.constant) > 1
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

    def _about(self, name: str) -> Iterator[str]:
        """Yield what the data say about a measure, and whether they are a basis for a choice."""
        if lacking := self._lacking():
            yield f"There are too few data to choose a measure by: {' and '.join(lacking)}."
        elif self._undecided():
            yield (
                "The data favour no measure: no two differ significantly in consistency, and they "
                "separate nearly the same number of pairs of systems."
            )
        if name not in self.scores.measures:
            yield f"{short_measure(name)} is not among the measures judged here."
            return
        place = self.scores.measures.index(name)
        found, pairs = self.power.significant, len(self.power.pairs)
        yield (
            f"Discriminative power: {found[place]} of {plural(pairs, 'pair')} of systems differ "
            f"significantly; the most under any measure here are {max(found)}."
        )
        for consistency in self.consistencies:
            if not np.isnan(consistency.mean[place]):
                yield _consistency(consistency, place)

    def _undecided(self) -> bool:
        share = self.power.share
        close = np.isnan(share).all() or np.nanmax(share) - np.nanmin(share) < LEAST_RANGE
        return bool(close and not any(found.beats.any() for found in self.consistencies))

    def _undefined_scores(self) -> Iterator[str]:
        missing = dict(zip(self.scores.measures, self.scores.missing.sum(axis=1), strict=True))
        counts = [f"{name} ({count:,})" for name, count in missing.items() if count]
        if counts:
            yield (
                f"Undefined scores, of {self.scores.scores[0].size:,} each: {', '.join(counts)}; "
                f"{_treatment(self.scores.undefined)}."
            )

    def _axioms(self, name: str) -> Iterator[str]:
        """Yield where axioms that a measure fails matter for the data."""
        if self.facts.task != "labels" or name not in self.scores.measures:
            return
        measure, shown = parse_measure(name), short_measure(name)
        if measure.satisfies("ordinal_monotonicity") is False and self.scores.reversals is not None:
            wrong = int(self.scores.reversals[self.scores.measures.index(name)])
            if wrong:
                yield (
                    f"{shown} is not monotonic, and that shows here: of "
                    f"{self.facts.clear_comparisons:,} comparisons in which one system is nearer "
                    f"to gold, it scores lower in {wrong:,}."
                )
        sizes = [share for share in self.facts.prevalence if share > 0]
        if measure.satisfies("imbalance") is False and max(sizes) >= IMBALANCED * min(sizes):
            yield (
                f"{shown} does not always weigh an error more if its class is small, and the "
                f"largest class has {max(sizes) / min(sizes):.3g} times the items of the smallest."
                f"{self._aware_of_imbalance(name)}"
            )

    def _aware_of_imbalance(self, name: str) -> str:
        """Return which measure weighs small classes, and how similarly it ranks the systems."""
        names, means = self.scores.measures, self.scores.oriented_means
        for place, other in enumerate(names):
            measure, pair = parse_measure(other), means[[names.index(name), place]]
            aware = measure.satisfies("imbalance") and measure.satisfies("order_awareness")
            if aware and not np.isnan(pair).any():
                tau = float(kendall(pair[0], pair[1]))
                same = "in the same order" if tau > 1 - 1e-9 else f"differently (τ = {tau:.2f})"
                return f" {short_measure(other)} does, and ranks the systems {same}."
        return ""


def _treatment(undefined: float | str | None) -> str:
    if undefined == "skip":
        return "means are over the other topics"
    if undefined is not None:
        return f"each counts as {undefined}"
    return "means over them are undefined (leave them out with undefined=skip)"


def _beating(found: Consistency, place: int) -> list[int]:
    """Return the measures that are significantly more consistent than one, best first."""
    p, mean = found.p[:, place], found.mean
    better = np.flatnonzero((p < found.alpha) & (mean > mean[place]))
    return [int(i) for i in better[np.argsort(-mean[better], kind="stable")]]


def _consistency(found: Consistency, place: int) -> str:
    start = (
        f"Consistency: mean τ {found.mean[place]:.3f} with {found.sizes[0]} against "
        f"{found.sizes[1]} topics"
    )
    if not found.tested:
        return f"{start}; measures were not compared by a test."
    won = _beating(found, place)
    if not won:
        return f"{start}; no measure judged here is significantly more consistent."
    names = [f"{short_measure(found.measures[i])} ({found.mean[i]:.3f})" for i in won]
    return f"{start}; significantly more consistent: {first_few(names, 3)}."
