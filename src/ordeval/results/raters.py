"""Results of `agreement` and `judge`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import isnan, nan
from typing import Any, ClassVar, Literal

from .._version import __version__
from ..call import Call
from ..data.column import sorted_names
from ..data.examples import RatedExamples
from ..data.scale import Scale
from ..errors import InputError, quoted, require_known
from ..measures.spec import Measure, counterpart, parse_measure
from ..types import GoldRule, Nearness
from .estimate import Estimate, Row
from .report import Figures, Report

_NONE = Estimate(nan)

LEAST_SHARED = 10
"""The items behind a score that counts in means over people, and behind a verdict, at least."""

ONE_CLASS = "the scale has one class, on which nobody can disagree"
"""Why intervals say nothing where all ratings are of the only class that is known."""

RaterOver = Literal["items", "clusters", "items and raters", "clusters and raters"]
Verdict = Literal["better", "as good as one more person", "worse", "undecided"]

GOLDS = {
    "majority": "the majority of the other people",
    "median": "the median of the other people",
    "mean": "the mean of the other people",
    "soft": "the distribution of the other people's classes",
    "each": "each of the other people",
}
"""What people and models are scored against, by the rule of gold."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RaterFigures(Row):
    """One rater compared with the others.

    Parameters
    ----------
    rater : str
        The rater.
    items : int
        The number of items that the rater rated.
    shared : int
        The number of these that others rated, too.
    severity : Estimate
        The mean of the rater's class values minus the mean of the others', item by item: positive
        for a rater who gives higher classes.
    consistency : Estimate
        The correlation of the rater's class values with the means of the others'.
    shares : tuple of float
        The share of each class among the rater's ratings.
    stands_out : str
        In which way the rater stands out from the others; empty if in none.
    """

    rater: str
    items: int
    shared: int
    severity: Estimate
    consistency: Estimate
    shares: tuple[float, ...]
    stands_out: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RaterPair(Estimate):
    """The score of two raters, or a rater and a model, on the items that both rated.

    Parameters
    ----------
    measure : Measure
        The measure; `first` is taken as gold.
    first, second : str
        The raters.
    items : int
        The number of items that both rated.
    """

    measure: Measure
    first: str
    second: str
    items: int


def _pair(
    pairs: Sequence[RaterPair], first: str, second: str, measure: Measure | None
) -> RaterPair:
    """Return the row of two raters in any order."""
    for row in pairs:
        if row.measure == measure and {row.first, row.second} == {first, second}:
            return row
    raters = dict.fromkeys(name for row in pairs for name in (row.first, row.second))
    measures = quoted(dict.fromkeys(str(row.measure) for row in pairs))
    what = f"There is no pair {first!r} and {second!r} under this measure; there are pairs of"
    raise InputError(f"{what} {quoted(raters, 12)} under {measures}.", parameter="raters")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DisputedItem(Row):
    """An item that raters disagree about.

    Parameters
    ----------
    item : str
        Its name, or its position from 1.
    disagreement : float
        The mean squared difference of class values over pairs of raters.
    ratings : mapping of str to object
        The classes by rater, without gaps.
    model : str
        The model that people disagree with; `disagreement` is then the squared difference of its
        class value from the mean of the people's. Empty where raters disagree with each other.
    """

    item: str
    disagreement: float
    ratings: Mapping[str, Any]
    model: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AnalyticKappa(Estimate):
    """Weighted kappa of two raters with standard errors by formulas (Fleiss, Cohen & Everitt 1969).

    Parameters
    ----------
    measure : Measure
        Kappa with its weights.
    se_null : float
        Its standard error if both raters were independent.
    z, p : float
        Kappa divided by `se_null`, and the two-sided p-value of independence.
    """

    measure: Measure
    se_null: float = nan
    z: float = nan
    p: float = nan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RatedTogether(Row):
    """How many items two raters gave a pair of classes.

    Parameters
    ----------
    first, second : float
        The values of the classes that the first and the second rater gave.
    items : float
        The number of items, or the sum of their weights.
    """

    first: float
    second: float
    items: float


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Report[Estimate, RaterPair]):
    """How well several raters agree.

    ``result["ac2"].value`` is a coefficient for all raters, ``result["qwk"]["ann", "bob"]`` the
    score of a pair; see `Report` and `Figures`.

    Parameters
    ----------
    coefficients : mapping of Measure to Estimate
        The coefficients of agreement of all raters.
    pair_measures : tuple of Measure
        The measures of pairs of raters.
    scale : Scale
        The ordered classes.
    items : int
        The number of items with a rating.
    shared : int
        The number of items with two ratings or more.
    ratings : int
        The number of ratings.
    over : str
        What was resampled: "items", "clusters", "items and raters" or "clusters and raters".
    level : float
        The confidence level.
    replicates : int
        The number of replicates; 0 without intervals.
    seed : int
        The seed of all draws.
    method : {"dirichlet", "t", ""}
        The kind of interval: from draws around the data, or Student's t with linearised standard
        errors (over clusters, those of the jackknife); empty without intervals.
    effective : float
        The effective number of weighted items; 0 without weights.
    clusters : int
        The number of clusters of items; 0 without.
    makers : mapping of str to callable
        Functions that make the tables `pairs`, `raters`, `disputed`, `kappas` and `together` on
        first use.
    examples : RatedExamples, optional
        Some items with their texts, for the page; not stored in JSON.
    notes : tuple of Note
        What the reader should know about the data and the figures.
    about : mapping
        Where the data came from, and how they were read.

    Examples
    --------
    >>> import ordeval as oe
    >>> found = oe.agreement([[1, 1], [2, 3], [3, 3], [1, 2]], labels=[1, 2, 3], draws=0)
    >>> round(found["ac1"].value, 3)
    0.256
    >>> found.disputed[0].ratings
    {'rater 1': 2, 'rater 2': 3}
    """

    LAZY: ClassVar[tuple[str, ...]] = ("pairs", "raters", "disputed", "kappas", "together")

    coefficients: Mapping[Measure, Estimate]
    pair_measures: tuple[Measure, ...]
    scale: Scale
    items: int
    shared: int
    ratings: int
    over: RaterOver
    level: float
    replicates: int
    seed: int
    method: Literal["dirichlet", "t", ""] = ""
    effective: float = 0.0
    clusters: int = 0
    makers: Mapping[str, Callable[[], Any]] = field(default_factory=dict, repr=False)
    examples: RatedExamples | None = field(default=None, repr=False)

    # Most calls ask for a coefficient, and the rows of all pairs take many times as long.

    @cached_property
    def pairs(self) -> tuple[RaterPair, ...]:
        """Every pair of raters under every measure of pairs."""
        return tuple(self.makers["pairs"]())

    @cached_property
    def raters(self) -> tuple[RaterFigures, ...]:
        """The raters one by one; empty if it is not known who gave which rating."""
        return tuple(self.makers["raters"]())

    @cached_property
    def disputed(self) -> tuple[DisputedItem, ...]:
        """The items of largest disagreement, the worst first."""
        return tuple(self.makers["disputed"]())

    @cached_property
    def kappas(self) -> tuple[AnalyticKappa, ...]:
        """With two raters, kappa with analytic standard errors."""
        return tuple(self.makers["kappas"]())

    @cached_property
    def together(self) -> tuple[RatedTogether, ...]:
        """With two raters, how many items got each pair of classes."""
        return tuple(self.makers["together"]())

    def __getstate__(self) -> dict[str, Any]:
        tables = {name: getattr(self, name) for name in self.LAZY}
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**values, **tables, "makers": {}}

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The coefficients of all raters."""
        return tuple(self.coefficients)

    @property
    def rater_names(self) -> tuple[str, ...]:
        """The names of the raters; empty if it is not known who gave which rating."""
        return tuple(row.rater for row in self.raters)

    @property
    def _units(self) -> list[str]:
        """The worth of weighted items and the number of clusters, for signatures."""
        worth = [f"worth:{self.effective:.1f}"] if self.effective else []
        return [*worth, f"clusters:{self.clusters}"] if self.clusters else worth

    @property
    def call(self) -> Call:
        """The call that repeats the agreement."""
        measures = {"measures": self.measures, "pair_measures": self.pair_measures}
        keys = {name: ", ".join(m.key for m in held) for name, held in measures.items() if held}
        raters = {"ratings": list(self.rater_names)} if "data" in self.about else {}
        return Call("agreement", {**raters, **call_options(self), **keys})

    def signature(self, measure: str | Measure | None = None) -> str:
        """Return one line that lets another person repeat the numbers.

        Parameters
        ----------
        measure : str or Measure, optional
            A measure to name in the line.

        Returns
        -------
        str
            Raters, items, scale, intervals, seed and version.
        """
        parts = [] if measure is None else [str(self._figures(measure).measure)]
        parts += [
            f"raters:{self.about.get('raters', len(self.raters))}",
            f"items:{self.items}",
            f"ratings:{self.ratings}",
            f"K:{self.scale.k}",
        ]
        parts += [*self._units, *self._reading]
        if self.method:
            draws = f",{self.replicates}" if self.method == "dirichlet" else ""
            over = self.over.replace(" ", "-")
            parts += [f"ci:{self.method}{100 * self.level:g},{over}{draws}", f"seed:{self.seed}"]
        return "|".join([*parts, f"ordeval:{__version__}"])

    def _figures(self, measure: str | Measure | None) -> Figures[Estimate, RaterPair]:
        """Return a coefficient, which also stands for the measure of two raters of that name."""
        asked = self.measures[0] if measure is None else parse_measure(measure)
        wanted, rows = counterpart(asked, "raters"), self.coefficients
        named = [m for m in rows if m.id == wanted.id and measure == m.id]
        chosen = next((m for m in rows if m == wanted), next(iter(named), None))
        of_pairs = next((m for m in self.pair_measures if m == asked or measure is None), None)
        if chosen is None and of_pairs is None:
            known = dict.fromkeys(map(str, (*self.measures, *self.pair_measures)))
            why = [x.text for x in self.notes if x.text.startswith("Left out, because they need")]
            raise InputError(
                f"{wanted} was not computed; there are {quoted(known, 20)}.",
                parameter="measures",
                hint=" ".join(why if wanted.id in " ".join(why) else ()),
            )
        return Figures(
            chosen or of_pairs or asked,
            () if chosen is None else ("all raters",),
            () if chosen is None else (rows[chosen],),
            lambda first, second: _pair(self.pairs, first, second, of_pairs),
            lambda: tuple(row for row in self.pairs if row.measure == of_pairs),
            self.level if self.method else nan,
        )

    def rater(self, name: str) -> RaterFigures:
        """Return the figures of one rater.

        Parameters
        ----------
        name : str
            The rater.

        Returns
        -------
        RaterFigures
            Severity, consistency and shares of classes.
        """
        require_known("rater", name, self.rater_names, "raters")
        return next(row for row in self.raters if row.rater == name)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PanelScore(Estimate):
    """The leave-one-out score of a person or a model under one measure, compared with people.

    For a person it is the score against the gold made from the other people; for a model, the mean
    of its scores against the same golds.

    Parameters
    ----------
    measure : Measure
        The measure.
    name : str
        The person or model.
    kind : {"person", "model", "people"}
        Which of the two; "people" for the mean over people, and over pairs of them.
    pairwise : Estimate
        The mean of the scores against the people one by one.
    difference : Estimate
        For a model, its leave-one-out score minus the mean of the people's, on the same items.
    pairwise_difference : Estimate
        For a model, its pairwise score minus the mean over pairs of people.
    verdict : str
        For a model, how it stands to one more person; empty for a person, and without intervals.
    margin : float
        For a model, by how much it may score worse than people and still be as good as one more
        person, in units of the measure.
    items : int
        The number of items behind the leave-one-out score.
    joint_verdict : str
        The same by intervals that hold for all models at once (Bonferroni); of one model, that of
        `verdict`.
    ceiling : Estimate
        The mean of the people's scores on the same data or slice; not for "people".
    slice : str
        The part of the items; empty for all of them.
    """

    measure: Measure
    name: str
    kind: Literal["person", "model", "people"]
    pairwise: Estimate = _NONE
    difference: Estimate = _NONE
    pairwise_difference: Estimate = _NONE
    verdict: str = ""
    margin: float = nan
    items: int = 0
    joint_verdict: str = ""
    ceiling: Estimate = _NONE
    slice: str = ""


def verdict(difference: Estimate, measure: Measure, margin: float, items: int) -> Verdict:
    """Say how a model stands to one more person, by its score minus that of people.

    `margin` is by how much it may score worse; few items decide nothing. See the notes of `judge`.
    """
    ends = (difference.low * measure.sign, difference.high * measure.sign)
    low, high = min(ends), max(ends)
    if isnan(low) or isnan(high) or items < LEAST_SHARED:
        return "undecided"
    if low > 0:
        return "better"
    if low >= -margin:
        return "as good as one more person"
    return "worse" if high < 0 else "undecided"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replacement(Row):
    """Whether a model could take the place of one person: a row of the alternative annotator test.

    Parameters
    ----------
    model, person : str
        The model and the person.
    items : int
        The number of items compared.
    model_wins : float
        The share of items on which the model is at least as near to the others as the person.
    person_wins : float
        The share of items on which the person is at least as near as the model.
    p : float
        The one-sided p-value.
    rejected : bool
        Whether the model holds, after correction for the number of people.
    """

    model: str
    person: str
    items: int
    model_wins: float
    person_wins: float
    p: float
    rejected: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlternativeTest(Row):
    """The alternative annotator test of one model (Calderon, Reichart & Dror 2025).

    Parameters
    ----------
    model : str
        The model.
    winning_rate : float
        The share of people whose place the model could take.
    advantage : float
        The mean over people of the share of items on which the model is at least as near.
    passes : bool or None
        Whether the winning rate is at least one half; None if nobody rated enough items.
    people : tuple of Replacement
        The people one by one.
    left_out : tuple of str
        The people with too few items.
    """

    model: str
    winning_rate: float
    advantage: float
    passes: bool | None
    people: tuple[Replacement, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelBias(Row):
    """In which direction a model differs from people.

    Parameters
    ----------
    model : str
        The model.
    lean : Estimate
        The mean of its class values minus the mean of the people's, item by item.
    ends : Estimate
        The share of its ratings at either end of the scale minus that of the people.
    spread : Estimate
        The standard deviation of its class values divided by that of the people's.
    shares : tuple of float
        The share of each class among its ratings.
    words : str
        The bias in words, e.g. "leans high, avoids the ends"; "none found" without.
    """

    model: str
    lean: Estimate
    ends: Estimate
    spread: Estimate
    shares: tuple[float, ...]
    words: str


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Report[PanelScore, RaterPair]):
    """Models compared with several people.

    Parameters
    ----------
    gold : str
        How people's ratings became gold: "majority", "median", "mean", "soft" or "each".
    primary : Measure
        The measure by which models are ranked.
    measures : tuple of Measure
        All measures.
    people, models : tuple of str
        Their names.
    scores : tuple of PanelScore
        Every person and model under every measure.
    ceilings : tuple of PanelScore
        People among themselves under every measure.
    tests : tuple of AlternativeTest
        The alternative annotator test of every model.
    biases : tuple of ModelBias
        The bias of every model.
    slices : tuple of PanelScore
        Models on slices of the items, if any were named.
    pairs : tuple of RaterPair
        Everybody against everybody under the primary measure.
    disputed : tuple of DisputedItem
        The items on which models and people differ most.
    people_agreement : Agreement
        How well people agree among themselves.
    scale : Scale
        The ordered classes.
    items : int
        The number of items.
    margin : float
        How much more a model may disagree with people than a person does, as a share of a person's
        disagreement, and still be as good as one more person.
    over : str
        What was left out: "items", "clusters", "items and raters" or "clusters and raters".
    level : float
        The confidence level.
    replicates : int
        The number of replicates of the agreement of people; 0 without any intervals.
    seed : int
        The seed of all draws.
    epsilon : float
        How much better people may be in the alternative annotator test, because they cost more.
    nearness : {"rmse", "accuracy"}
        How that test measures how near a rating is to the others: minus the root mean square
        distance, or the share of equal ratings.
    examples : RatedExamples, optional
        Some items with their texts, for the page; not stored in JSON.
    notes : tuple of Note
        What the reader should know about the data and the figures.
    about : mapping
        Where the data came from, and how they were read.

    Examples
    --------
    >>> import ordeval as oe
    >>> people = {"ann": [1, 2, 3, 3], "bob": [1, 2, 3, 2]}
    >>> found = oe.judge(people, {"gpt": [1, 2, 3, 3]}, labels=[1, 2, 3], measures="mae")
    >>> found["mae"]["gpt"].value, found.ceiling().value
    (0.125, 0.25)
    """

    gold: GoldRule
    primary: Measure
    measures: tuple[Measure, ...]
    people: tuple[str, ...]
    models: tuple[str, ...]
    scores: tuple[PanelScore, ...]
    ceilings: tuple[PanelScore, ...]
    tests: tuple[AlternativeTest, ...]
    biases: tuple[ModelBias, ...]
    slices: tuple[PanelScore, ...]
    pairs: tuple[RaterPair, ...]
    disputed: tuple[DisputedItem, ...]
    people_agreement: Agreement
    scale: Scale
    items: int
    margin: float
    over: RaterOver
    level: float
    replicates: int
    seed: int
    epsilon: float = 0.2
    nearness: Nearness = "rmse"
    examples: RatedExamples | None = field(default=None, repr=False)

    def _figures(self, measure: str | Measure | None) -> Figures[PanelScore, RaterPair]:
        """Return the models, best first, and the people under a measure."""
        chosen = self.ceiling(measure).measure
        by_name = {row.name: row for row in self.scores if row.measure == chosen}

        def key(name: str) -> tuple[bool, float]:
            value = by_name[name].value
            return isnan(value), 0.0 if isnan(value) else -chosen.sign * value

        names = (*sorted(sorted_names(self.models), key=key), *self.people)
        return Figures(
            chosen,
            names,
            tuple(by_name[name] for name in names),
            lambda first, second: _pair(self.pairs, first, second, chosen),
            lambda: tuple(row for row in self.pairs if row.measure == chosen),
            self.level if self.replicates else nan,
        )

    def ceiling(self, measure: str | Measure | None = None) -> PanelScore:
        """Return how well people agree with each other.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        PanelScore
            The mean over people of their scores against the gold made from the others.
        """
        chosen = self.primary if measure is None else parse_measure(measure)
        require_known("measure", str(chosen), [*map(str, self.measures)], "measure")
        return next(row for row in self.ceilings if row.measure == chosen)

    def ranking(self, measure: str | Measure | None = None) -> tuple[str, ...]:
        """Return the models from best to worst; undefined ones last, ties by name.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        tuple of str
            The names.
        """
        return self._figures(measure).names[: len(self.models)]

    @property
    def call(self) -> Call:
        """The call that repeats the judgement."""
        who = {"people": list(self.people), "models": list(self.models)}
        how: dict[str, Any] = {"measures": ", ".join(m.key for m in self.measures)}
        how |= {name: getattr(self, name) for name in ("gold", "margin", "epsilon", "nearness")}
        if self.primary != self.measures[0]:
            how["primary"] = self.primary.key
        return Call("judge", {**(who if "data" in self.about else {}), **call_options(self), **how})

    def signature(self, measure: str | Measure | None = None) -> str:
        """Return one line that lets another person repeat the numbers.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure to name in the line; the primary one by default.

        Returns
        -------
        str
            Gold, scale, people, models, items, margins, intervals and version.
        """
        parts = [
            str(self.ceiling(measure).measure),
            f"gold:{self.gold}",
            f"K:{self.scale.k}{'(inferred)' if self.scale.inferred else ''}",
            f"people:{len(self.people)}",
            f"models:{len(self.models)}",
            f"items:{self.items}",
            f"margin:{self.margin:g}",
            f"epsilon:{self.epsilon:g}",
            f"over:{self.over}",
            f"ci:{self.level:g}" if self.replicates else "ci:none",
        ]
        return "|".join([*parts, *self.people_agreement._units, f"ordeval:{__version__}"])


def call_options(result: Agreement | Judgement) -> dict[str, Any]:
    """Return the options of the call that made a result on raters."""
    about = {k: v for k, v in result.about.items() if k not in ("raters", "clusters")}
    about["labels"] = list(result.scale.labels)
    about["over"] = "both" if result.over.endswith("raters") else result.over
    if result.scale.values is not None:
        about["values"] = list(result.scale.values)
    return about
