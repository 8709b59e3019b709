"""People and models beside each other: who is scored against whom, and what is made of the scores.

*Standings* are all comparisons of a panel, and the quantities that are means of their scores.
*Figures* are these quantities under several measures, with their intervals.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan, nan
from typing import Any

import numpy as np

from ..errors import InputError
from ..measures.spec import Measure
from ..results import LEAST_SHARED, ONE_CLASS, Estimate, PanelScore, verdict
from ..types import Floats, GoldRule
from .panel import NOBODY, Comparison, Golds, PeoplePanel, Quantity, Reference, Scored, t_interval

_LEAST_MARGIN = 0.01  # of the range of a measure
_UNDEFINED = "undefined on these items"

Key = tuple[str, str]  # what a quantity is, and whose


class Standings:
    """The comparisons of a panel, and the quantities made from them, by name."""

    def __init__(self, panel: PeoplePanel, rule: GoldRule, names: Sequence[str]) -> None:
        self.panel, self.names, self.golds = panel, tuple(names), Golds(panel, rule)
        self.people, self.models = range(panel.people), range(panel.people, len(self.names))
        self.references = self.golds.references()
        self.places: dict[Comparison, int] = {}
        self._own = {r: self._place(r, r.left_out) for r in self.references}
        self._pairs = {
            (model, r): (self._place(r, model), self._paired(r, model))
            for model in self.models
            for r in self.references
        }
        self._singly = {
            (source, rater): self._place(Reference(NOBODY, source), rater)
            for source in self.people
            for rater in range(len(self.names))
            if rater != source
        }

    def _place(self, reference: Reference, rater: int, within: int = NOBODY) -> int:
        comparison = Comparison(reference, rater, within)
        return self.places.setdefault(comparison, len(self.places))

    def _paired(self, reference: Reference, model: int) -> int:
        """Return the comparison of the person whom a reference leaves out, on a model's items."""
        person = reference.left_out
        rows = self.golds.rows(Comparison(reference, person))
        complete = bool(self.panel.rated[rows, model].all())
        return self._place(reference, person, NOBODY if complete else model)

    @cached_property
    def _items(self) -> list[float]:
        """The number of items of each comparison."""
        return [float(self.panel.items[self.golds.rows(c)].sum()) for c in self.places]

    def fewest(self, quantity: Quantity) -> float:
        """Return the smallest number of items behind the scores of a quantity."""
        return min((self._items[place] for place in quantity.terms), default=0.0)

    def _enough(self, places: Sequence[int]) -> list[int]:
        """Return the comparisons on enough items to count in a mean, in which all count alike.

        All of them do where most items are in comparisons on few, as with crowds: the others would
        not stand for them.
        """
        enough = [place for place in places if self._items[place] >= LEAST_SHARED]
        most, total = (sum(self._items[p] for p in group) for group in (enough, places))
        return enough if len(enough) > 1 and 2 * most >= total else list(places)

    @cached_property
    def _counted(self) -> list[Reference]:
        """The golds against which people are scored in the ceiling."""
        by_place = {place: r for r, place in self._own.items()}
        return [by_place[place] for place in self._enough(list(by_place))]

    @cached_property
    def counted(self) -> list[int]:
        """The people whose scores count in the ceiling."""
        return sorted({reference.left_out for reference in self._counted})

    @cached_property
    def _counted_pairs(self) -> set[int]:
        """The comparisons of two people that count in the pairwise ceiling."""
        people = set(self.people)
        return set(self._enough([p for pair, p in self._singly.items() if people >= set(pair)]))

    @property
    def pairs_left_out(self) -> int:
        """The number of pairs of people that share items, but too few to count."""
        places = [self._singly[a, b] for b in self.people for a in range(b)]
        return sum(self._items[p] > 0 and p not in self._counted_pairs for p in places)

    def quantities(self, values: Floats) -> dict[Key, Quantity]:
        """Return quantities by what they are and whose, from the scores that are defined."""
        own, names = self._own, self.names
        defined = [r for r in self.references if isfinite(values[own[r]])]
        counted = [r for r in self._counted if isfinite(values[own[r]])]
        quantities = {("ceiling", ""): Quantity({own[r]: w for r, w in _shares(counted)})}
        for person in self.people:
            mine = _shares([r for r in defined if r.left_out == person])
            quantities["score", names[person]] = Quantity({own[r]: w for r, w in mine}, (person,))
        for model in self.models:
            quantities |= self._of_model(model, values)
        return quantities | self._pairwise(values)

    def _of_model(self, model: int, values: Floats) -> dict[Key, Quantity]:
        name, pairs = self.names[model], {r: self._pairs[model, r] for r in self.references}
        enough = set(self._enough([place for place, _ in pairs.values()]))
        usable = [r for r, (own, paired) in pairs.items()
                  if own in enough and np.isfinite(values[[own, paired]]).all()]  # fmt: skip
        shares = _shares(usable)
        score = {pairs[r][0]: w for r, w in shares}
        people = {pairs[r][1]: w for r, w in shares}
        return {
            ("score", name): Quantity(score, (model,)),
            ("difference", name): _minus(score, people, model),
            ("same items", name): Quantity(people, (model,)),
        }

    def _pairwise(self, values: Floats) -> dict[Key, Quantity]:
        """Return the means of scores against people one by one."""
        quantities, ceiling = {}, list[int]()
        for rater, name in enumerate(self.names):
            places = [self._singly[k, rater] for k in self.people if k != rater]
            enough = [i for i in self._enough(places) if isfinite(values[i])]
            quantities["pairwise", name] = Quantity(_equal(enough), (rater,))
            if rater in self.people:
                ceiling += [i for i in places if i in self._counted_pairs and isfinite(values[i])]
        people = _equal(ceiling)
        quantities["pairwise ceiling", ""] = Quantity(people)
        for model in self.models:
            score = quantities["pairwise", self.names[model]].terms
            both = _minus(score, people, model) if score and people else Quantity({}, (model,))
            quantities["pairwise difference", self.names[model]] = both
        return quantities


def _minus(score: Mapping[int, float], people: Mapping[int, float], model: int) -> Quantity:
    return Quantity({**score, **{i: -w for i, w in people.items()}}, (model,))


def _shares(references: Sequence[Reference]) -> list[tuple[Reference, float]]:
    """Return weights that sum to 1, the same for every person who is left out."""
    times: dict[int, int] = {}
    for reference in references:
        times[reference.left_out] = times.get(reference.left_out, 0) + 1
    return [(r, 1 / (len(times) * times[r.left_out])) for r in references]


def _equal(places: Sequence[int]) -> dict[int, float]:
    return dict.fromkeys(places, 1 / len(places)) if places else {}


@dataclass(frozen=True)
class Rules:
    """How figures are made.

    `level` is None without intervals; these are about other people, too, if `people` is True, and
    about other units, each of which is called `unit`.
    """

    gold: GoldRule
    margin: float
    level: float | None
    people: bool
    unit: str
    seed: int


class Figures:
    """Scores, ceilings and differences of a panel with their intervals."""

    def __init__(
        self, panel: PeoplePanel, names: Sequence[str], measures: Sequence[Measure], rules: Rules
    ) -> None:
        self.panel, self.names, self.measures = panel, tuple(names), tuple(measures)
        self.people, self.models = self.names[: panel.people], self.names[panel.people :]
        self.rules, self.standings = rules, Standings(panel, rules.gold, names)
        self._scored = self._score(self.standings, changes=rules.level is not None)
        self.quantities = [self.standings.quantities(row) for row in self._scored.values]
        if rules.level is not None:
            self._moments = self._scored.variances([list(q.values()) for q in self.quantities])
        self.estimates = [self._estimated(i) for i in range(len(self.measures))]

    @property
    def joint_level(self) -> float:
        """The level of each interval at which those of all models hold at once (Bonferroni)."""
        assert self.rules.level is not None
        return 1 - (1 - self.rules.level) / len(self.standings.models)

    def _score(self, standings: Standings, *, changes: bool) -> Scored:
        golds, places = standings.golds, list(standings.places)
        return Scored(golds, places, self.measures, seed=self.rules.seed, changes=changes)

    def _estimated(self, measure: int) -> dict[Key, Estimate]:
        """Return all quantities under a measure with their intervals."""
        scored, quantities, level = self._scored, self.quantities[measure], self.rules.level
        values = {key: scored.value(measure, q) for key, q in quantities.items()}
        if level is None:
            why = {key: _UNDEFINED if isnan(value) else "" for key, value in values.items()}
            return {key: Estimate(value, doubt=why[key]) for key, value in values.items()}
        between = self._between_people[measure] if self.rules.people else {}
        estimates = {}
        variances, thirds, counts = self._moments
        columns = (x.tolist() for x in (variances[measure], thirds[measure], counts))
        for key, variance, third, count in zip(quantities, *columns, strict=True):
            value, (extra, degrees) = values[key], between.get(key, (0.0, 1.0))
            freedom, total = count - 1.0, variance + extra
            if extra > 0 and count > 1:
                freedom = total**2 / (variance**2 / (count - 1) + extra**2 / degrees)
            bounds = low, high = self._bounds(measure)
            if "difference" in key[0]:
                bounds = low - high, high - low
            doubt = self._doubt(measure, quantities[key], count, value)
            total = nan if doubt == ONE_CLASS else total  # then there is no interval
            levels = {key: level, ("joint difference", key[1]): self.joint_level}
            for name, each in levels.items() if key[0] == "difference" else [(key, level)]:
                estimates[name] = t_interval(
                    value, total, freedom, each, third=third, bounds=bounds, doubt=doubt
                )
        return estimates

    def _bounds(self, measure: int) -> tuple[float, float]:
        return self.measures[measure].bounds(self.panel.scale)

    def _doubt(self, measure: int, quantity: Quantity, count: int, value: float) -> str:
        """Return why there is no interval, or it may be too short."""
        if self.panel.scale.k == 1 and not isnan(value):
            return ONE_CLASS
        if count < 2 and not isnan(value):
            return f"one {self.rules.unit} tells nothing about others"
        places = list(quantity.terms)
        if not places:
            return _UNDEFINED
        if self.standings.fewest(quantity) < LEAST_SHARED:
            return f"it has scores on fewer than {LEAST_SHARED} items"
        used = self._scored.class_items.any(axis=0)
        least = self._scored.class_items[places][:, used].min(axis=0)
        return self.measures[measure].interval_doubt(least)

    @cached_property
    def _between_people(self) -> list[dict[Key, tuple[float, float]]]:
        """Return the variances over people, each left out in turn, and their degrees of freedom."""
        counted = self.standings.counted
        if len(counted) < 3:
            enough = "" if self.panel.people < 3 else f" with {LEAST_SHARED} items or more"
            raise InputError(
                f"Intervals over items and people need three people or more{enough}, and there "
                "are two.",
                parameter="over",
                hint="Pass {over}.",
                suggest={"over": "items"},
            )
        parts = []
        for person in counted:
            names = [name for i, name in enumerate(self.names) if i != person]
            rest = Standings(self.panel.without(person), self.rules.gold, names)
            scored = self._score(rest, changes=False)
            parts.append(
                [
                    {key: scored.value(i, q) for key, q in rest.quantities(values).items()}
                    for i, values in enumerate(scored.values)
                ]
            )
        return [_jackknife([part[i] for part in parts]) for i in range(len(self.measures))]

    def ceilings(self) -> Iterator[PanelScore]:
        """Return how well people agree under every measure."""
        for measure, estimates in zip(self.measures, self.estimates, strict=True):
            score, pairwise = estimates["ceiling", ""], estimates["pairwise ceiling", ""]
            own: dict[str, Any] = {"name": "people", "kind": "people", "pairwise": pairwise}
            yield PanelScore(*score.parts, measure=measure, **own)

    def scores(self) -> list[PanelScore]:
        """Return the rows of people and models under every measure."""
        every = range(len(self.names))
        return [self.row(i, rater) for i in range(len(self.measures)) for rater in every]

    def row(self, place: int, rater: int) -> PanelScore:
        """Return a person or a model under a measure, both by position."""
        measure, name, estimates = self.measures[place], self.names[rater], self.estimates[place]
        items = int(self.panel.items[self.panel.rated[:, rater]].sum())
        model: dict[str, Any] = {}
        if rater in self.standings.models:
            people = estimates["same items", name].value
            margin = allowed(measure, people, self.rules.margin, self._bounds(place))
            model = {
                "difference": estimates["difference", name],
                "pairwise_difference": estimates["pairwise difference", name],
                "margin": margin,
            }
            if self.rules.level is not None:
                joint = estimates["joint difference", name]
                model["verdict"] = verdict(model["difference"], measure, margin, items)
                model["joint_verdict"] = verdict(joint, measure, margin, items)
        return PanelScore(
            *estimates["score", name].parts,
            measure=measure,
            name=name,
            kind="model" if model else "person",
            pairwise=estimates["pairwise", name],
            items=items,
            ceiling=estimates["ceiling", ""],
            **model,
        )


def _jackknife(parts: Sequence[Mapping[Key, float]]) -> dict[Key, tuple[float, float]]:
    """Return the variance of each quantity over parts that leave one unit out, and its degrees."""
    spread = {}
    for key in dict.fromkeys(key for part in parts for key in part):
        values = np.array([part[key] for part in parts if isfinite(part.get(key, nan))])
        size = len(values)
        if size > 1:
            variance = (size - 1) / size * float(((values - values.mean()) ** 2).sum())
            spread[key] = (variance, float(size - 1))
    return spread


def allowed(measure: Measure, ceiling: float, share: float, bounds: tuple[float, float]) -> float:
    """Return by how much a model may score worse than people, in units of a measure.

    It is a share of the distance of people, who score `ceiling`, from the best score; at least 1 %
    of the range between the bounds, or of the distance between 0 and the best score if that is
    smaller. A share of 0 allows nothing. NaN if people have no score.
    """
    low, high = bounds
    best = high if measure.better == "higher" else low
    if isnan(ceiling) or not isfinite(best):
        return nan if isnan(ceiling) else 0.0
    width = high if measure.better == "higher" and low < 0 < high else high - low
    least = _LEAST_MARGIN * width if isfinite(width) and share > 0 else 0.0
    return max(share * abs(best - ceiling), least)
