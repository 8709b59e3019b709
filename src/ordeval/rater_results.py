"""Results of `agreement` and `judge`: figures and names.

Like those of `ordeval.results` they hold rows of figures, and presentation comes from outside.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import isnan, nan
from typing import Any, Literal, TypeVar, cast

from ._version import __version__
from .display import Displayable, Reportable, Serialisable, summarised
from .errors import InputError, abbreviate, did_you_mean, quoted
from .examples import RatedExamples
from .labels import sorted_names
from .measures.spec import Measure, counterpart, parse_measure
from .scale import Scale

LEAST_SHARED = 10
"""The items behind a score that counts in means over people, and behind a verdict, at least."""

ONE_CLASS = "the scale has one class, on which nobody can disagree"
"""Why intervals say nothing where all ratings are of the only class that is known."""

Verdict = Literal["better", "as good as one more person", "worse", "undecided"]

GOLDS = {
    "majority": "the majority of the other people",
    "median": "the median of the other people",
    "mean": "the mean of the other people",
    "soft": "the distribution of the other people's classes",
    "each": "each of the other people",
}
"""What people and models are scored against, by the rule of gold."""

_COEFFICIENTS = {
    "krippendorff": "Krippendorff's α",
    "weighted_alpha": "weighted α",
    "fleiss": "Fleiss' κ",
    "conger": "Conger's κ",
    "brennan_prediger": "Brennan–Prediger",
    "observed_agreement": "observed agreement",
}


def coefficient_name(measure: Measure) -> str:
    """Return the name of a coefficient of agreement in words, with its variant.

    >>> coefficient_name(parse_measure("fleiss(weights='linear')"))
    "Fleiss' κ linear"
    >>> coefficient_name(parse_measure("icc(model=2, raters='k')"))
    'ICC(2,k)'
    """
    if measure.id == "icc":
        return "ICC({model},{raters})".format(**measure.params)
    symbol = measure.record.symbol
    variant = measure.short.removeprefix(symbol).removesuffix(" identity")
    return f"{_COEFFICIENTS.get(measure.id, symbol)}{variant}"


_Rows = TypeVar("_Rows")


def later(make: Callable[[], _Rows]) -> _Rows:
    """Return what stands for rows in a field of `Agreement` until they are first used."""
    return cast("_Rows", _Later(make))


class _Later:
    """Rows that are not made yet."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class _MadeOnUse:
    """A field whose rows may be made `later`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self
        found = owner.__dict__[self._name]
        if isinstance(found, _Later):
            found = owner.__dict__[self._name] = found.make()
        return found

    def __set__(self, owner: Any, given: Any) -> None:
        owner.__dict__[self._name] = given


class Row:
    """A row of figures; rows are equal if all is the same, where undefined figures are, too."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._figures() == other._figures()

    def __hash__(self) -> int:
        return hash(self._figures())

    def _figures(self) -> tuple[Any, ...]:
        # Whether NaN equals itself in rows would depend on the version of Python.
        found = (getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]
        return tuple(None if isinstance(x, float) and isnan(x) else x for x in found)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate(Row):
    """A figure with its interval.

    Parameters
    ----------
    value : float
        The figure; NaN where it is undefined.
    low, high, se : float
        The interval and the standard error; NaN where there are none.
    doubt : str
        Why the figure is undefined, or why the interval may cover less than its level; usually
        empty.
    """

    value: float
    low: float = nan
    high: float = nan
    se: float = nan
    doubt: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RaterFigures(Row):
    """One rater beside the others.

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


@dataclass(frozen=True, slots=True, eq=False)
class RaterPair(Row):
    """Two raters, or a rater and a model, under one measure, on the items that both rated.

    Parameters
    ----------
    measure : Measure
        The measure; `first` is taken as gold.
    first, second : str
        The raters.
    items : int
        The number of items that both rated.
    estimate : Estimate
        The score.
    """

    measure: Measure
    first: str
    second: str
    items: int
    estimate: Estimate


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
class AnalyticKappa(Row):
    """Weighted kappa of two raters with standard errors by formulas (Fleiss, Cohen & Everitt 1969).

    Parameters
    ----------
    measure : Measure
        Kappa with its weights.
    value : float
        Kappa on the items that both rated.
    se : float
        Its standard error.
    se_null : float
        Its standard error if both raters were independent.
    z, p : float
        Kappa divided by `se_null`, and the two-sided p-value of independence.
    """

    measure: Measure
    value: float
    se: float
    se_null: float
    z: float
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Displayable, Serialisable, Reportable):
    """How well several raters agree.

    Parameters
    ----------
    coefficients : mapping of Measure to Estimate
        The coefficients of agreement of all raters.
    pairs : tuple of RaterPair
        Every pair of raters under every measure of pairs.
    raters : tuple of RaterFigures
        The raters one by one.
    disputed : tuple of DisputedItem
        The items of largest disagreement, the worst first.
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
    notices : tuple of str
        What the reader should know about the data.
    about : mapping
        Where the data come from.
    method : {"dirichlet", "t", ""}
        The kind of interval: from draws around the data, or t intervals from standard errors that
        are linearised, or over clusters those of the jackknife; empty without intervals.
    kappas : tuple of AnalyticKappa
        With two raters, kappa with analytic standard errors.
    effective : float
        The number of items of equal weight that weighted items are worth; 0 without weights.
    clusters : int
        The number of clusters of items; 0 without.
    examples : RatedExamples, optional
        Some items with their texts, which the page shows; JSON does not hold them.

    Examples
    --------
    >>> import ordeval as oe
    >>> found = oe.agreement([[1, 1], [2, 3], [3, 3], [1, 2]], labels=[1, 2, 3], bootstrap=0)
    >>> round(found["ac1"].value, 3)
    0.256
    >>> found.disputed[0].ratings
    {'rater 1': 2, 'rater 2': 3}
    """

    coefficients: Mapping[Measure, Estimate]
    pairs: tuple[RaterPair, ...]
    raters: tuple[RaterFigures, ...]
    disputed: tuple[DisputedItem, ...]
    scale: Scale
    items: int
    shared: int
    ratings: int
    over: str
    level: float
    replicates: int
    seed: int
    notices: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    kappas: tuple[AnalyticKappa, ...] = ()
    effective: float = 0.0
    clusters: int = 0
    examples: RatedExamples | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The coefficients of all raters."""
        return tuple(self.coefficients)

    @property
    def pair_measures(self) -> tuple[Measure, ...]:
        """The measures of pairs of raters."""
        return tuple(dict.fromkeys(row.measure for row in self.pairs))

    @property
    def rater_names(self) -> tuple[str, ...]:
        """The names of the raters; empty if it is not known who gave which rating."""
        return tuple(row.rater for row in self.raters)

    @property
    def signature(self) -> str:
        """One line that lets another person repeat the numbers."""
        parts = [
            f"raters:{self.about.get('raters', len(self.raters))}",
            f"items:{self.items}",
            f"ratings:{self.ratings}",
            f"K:{self.scale.k}",
        ]
        if self.effective:
            parts.append(f"worth:{self.effective:.1f}")
        if self.clusters:
            parts.append(f"clusters:{self.clusters}")
        if self.about.get("na"):
            parts.append(f"na:{','.join(map(str, self.about['na']))}")
        if self.about.get("missing"):
            parts.append(f"missing:{self.about['missing']}")
        if self.method:
            draws = f",{self.replicates}" if self.method == "dirichlet" else ""
            over = self.over.replace(" ", "-")
            parts += [f"ci:{self.method}{100 * self.level:g},{over}{draws}", f"seed:{self.seed}"]
        return "|".join([*parts, f"ordeval:{__version__}"])

    def __getitem__(self, measure: str | Measure) -> Estimate:
        """Return a coefficient of all raters, such as ``result["ac2"]``.

        Parameters
        ----------
        measure : str or Measure
            The coefficient. A name without parameters stands for the first variant of it.

        Returns
        -------
        Estimate
            The coefficient with its interval.
        """
        wanted = counterpart(parse_measure(measure), "raters")
        if wanted in self.coefficients:
            return self.coefficients[wanted]
        named = [m for m in self.coefficients if m.id == wanted.id]
        if named and wanted.asked:
            return self.coefficients[named[0]]
        raise InputError(
            f"{wanted} was not computed; there are {quoted(map(str, self.measures), 20)}.",
            parameter="measures",
        )

    def pair(self, first: str, second: str, measure: str | Measure | None = None) -> RaterPair:
        """Return two raters under one measure.

        Parameters
        ----------
        first, second : str
            The raters, in any order.
        measure : str or Measure, optional
            The measure; by default the first one.

        Returns
        -------
        RaterPair
            The score with its interval.
        """
        if not self.pairs:
            raise InputError("There are no pairs of raters.", parameter="raters")
        wanted = self.pair_measures[0] if measure is None else parse_measure(measure)
        for row in self.pairs:
            if row.measure == wanted and {row.first, row.second} == {first, second}:
                return row
        raise InputError(
            f"There is no pair {first!r} and {second!r} under {wanted}; the raters are "
            f"{quoted(self.rater_names, 12)}, the measures {quoted(map(str, self.pair_measures))}.",
            parameter="raters",
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
        for row in self.raters:
            if row.rater == name:
                return row
        raise InputError(
            f"There is no rater {name!r}; the raters are {quoted(self.rater_names, 12)}.",
            parameter="raters",
        )

    def summary(self) -> str:
        """Return what the result says as paragraphs of plain text.

        Returns
        -------
        str
            The text, with the works that it cites.
        """
        return summarised(self)


# Most calls ask for a coefficient, and the rows of all pairs take many times as long.
for _name in ("pairs", "raters", "disputed", "kappas"):
    setattr(Agreement, _name, _MadeOnUse(_name))


@dataclass(frozen=True, slots=True, eq=False)
class PanelScore(Row):
    """A person or a model under one measure, beside people.

    Parameters
    ----------
    measure : Measure
        The measure.
    name : str
        The person or model.
    kind : {"person", "model"}
        Which of the two.
    leave_one_out : Estimate
        For a person, the score against the gold made from the other people; for a model, the mean
        of its scores against the same golds.
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
    """

    measure: Measure
    name: str
    kind: Literal["person", "model"]
    leave_one_out: Estimate
    pairwise: Estimate
    difference: Estimate = Estimate(nan)
    pairwise_difference: Estimate = Estimate(nan)
    verdict: str = ""
    margin: float = nan
    items: int = 0
    joint_verdict: str = ""


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


@dataclass(frozen=True, slots=True, eq=False)
class Ceiling(Row):
    """How well people agree with each other under one measure.

    Parameters
    ----------
    measure : Measure
        The measure.
    leave_one_out : Estimate
        The mean over people of their scores against the gold made from the others.
    pairwise : Estimate
        The mean over pairs of people.
    """

    measure: Measure
    leave_one_out: Estimate
    pairwise: Estimate


@dataclass(frozen=True, slots=True, eq=False)
class Replacement(Row):
    """Whether a model could take the place of one person: a row of the alternative annotator test.

    Parameters
    ----------
    person : str
        The person.
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

    person: str
    items: int
    model_wins: float
    person_wins: float
    p: float
    rejected: bool


@dataclass(frozen=True, slots=True, eq=False)
class AlternativeTest(Row):
    """The alternative annotator test of one model (Calderon, Reichart & Dror 2025).

    Parameters
    ----------
    model : str
        The model.
    epsilon : float
        By how much people may be better, because they cost more.
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
    nearness : {"rmse", "accuracy"}
        How near a rating is to those of the others: minus the root mean square distance, or the
        share of equal ratings.
    """

    model: str
    epsilon: float
    winning_rate: float
    advantage: float
    passes: bool | None
    people: tuple[Replacement, ...]
    left_out: tuple[str, ...] = ()
    nearness: Literal["rmse", "accuracy"] = "rmse"


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
class SliceScore(Row):
    """A model beside people on a part of the items.

    Parameters
    ----------
    slice : str
        The name of the part.
    items : int
        The number of its items.
    model : str
        The model.
    measure : Measure
        The measure.
    score, ceiling, difference : Estimate
        The leave-one-out score of the model, that of people, and the difference.
    verdict : str
        How the model stands to one more person on these items; empty without intervals.
    """

    slice: str
    items: int
    model: str
    measure: Measure
    score: Estimate
    ceiling: Estimate
    difference: Estimate
    verdict: str


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Displayable, Serialisable, Reportable):
    """Models beside several people.

    Parameters
    ----------
    gold : str
        How gold was made from people: "majority", "median", "mean", "soft" or "each".
    primary : Measure
        The measure by which models are ranked.
    measures : tuple of Measure
        All measures.
    people, models : tuple of str
        Their names.
    scores : tuple of PanelScore
        Every person and model under every measure.
    ceilings : tuple of Ceiling
        People among themselves under every measure.
    tests : tuple of AlternativeTest
        The alternative annotator test of every model.
    biases : tuple of ModelBias
        The bias of every model.
    slices : tuple of SliceScore
        Models on parts of the items, if these were asked for.
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
        How much larger the disagreement of a model with people may be than that of a person, as a
        share of the latter, for the model to be as good as one more person.
    over : str
        What was left out: "items", "clusters", "items and raters" or "clusters and raters".
    level : float
        The confidence level.
    replicates : int
        The number of replicates of the agreement of people; 0 without any intervals.
    seed : int
        The seed of all draws.
    notices : tuple of str
        What the reader should know about the data.
    about : mapping
        Where the data come from.
    epsilon : float
        By how much people may be better in the alternative annotator test.
    examples : RatedExamples, optional
        Some items with their texts, which the page shows; JSON does not hold them.

    Examples
    --------
    >>> import ordeval as oe
    >>> people = {"ann": [1, 2, 3, 3], "bob": [1, 2, 3, 2]}
    >>> found = oe.judge(people, {"gpt": [1, 2, 3, 3]}, labels=[1, 2, 3], measures="mae")
    >>> found.score("gpt").leave_one_out.value, found.ceiling().leave_one_out.value
    (0.125, 0.25)
    """

    gold: str
    primary: Measure
    measures: tuple[Measure, ...]
    people: tuple[str, ...]
    models: tuple[str, ...]
    scores: tuple[PanelScore, ...]
    ceilings: tuple[Ceiling, ...]
    tests: tuple[AlternativeTest, ...]
    biases: tuple[ModelBias, ...]
    slices: tuple[SliceScore, ...]
    pairs: tuple[RaterPair, ...]
    disputed: tuple[DisputedItem, ...]
    people_agreement: Agreement
    scale: Scale
    items: int
    margin: float
    over: str
    level: float
    replicates: int
    seed: int
    notices: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    epsilon: float = 0.2
    examples: RatedExamples | None = field(default=None, repr=False)

    def score(self, name: str, measure: str | Measure | None = None) -> PanelScore:
        """Return the row of a person or a model.

        Parameters
        ----------
        name : str
            The person or model.
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        PanelScore
            The row.
        """
        chosen = self.primary if measure is None else parse_measure(measure)
        rows = [row for row in self.scores if row.measure == chosen]
        for row in rows:
            if row.name == name:
                return row
        what = "name" if rows else "measure"
        known = [row.name for row in rows] or [m.name for m in self.measures]
        given = name if rows else str(chosen)
        raise InputError(
            f"There is no {what} {abbreviate(given)} in this result; there are {quoted(known)}.",
            parameter=what,
            hint=did_you_mean(given, known).strip(),
        )

    def ceiling(self, measure: str | Measure | None = None) -> Ceiling:
        """Return how well people agree with each other.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        Ceiling
            The row.
        """
        chosen = self.primary if measure is None else parse_measure(measure)
        for row in self.ceilings:
            if row.measure == chosen:
                return row
        raise InputError(
            f"{chosen} is not among the measures of this result: "
            f"{quoted(m.name for m in self.measures)}.",
            parameter="measure",
        )

    def ranking(self, measure: str | Measure | None = None) -> list[str]:
        """Return the models from best to worst; undefined ones last, ties by name.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; the primary one by default.

        Returns
        -------
        list of str
            The names.
        """
        chosen = self.primary if measure is None else parse_measure(measure)

        def key(name: str) -> tuple[bool, float]:
            score = self.score(name, chosen).leave_one_out.value
            return isnan(score), 0.0 if isnan(score) else -chosen.sign * score

        return sorted(sorted_names(self.models), key=key)

    def table(self, what: str = "main", measure: str | Measure | None = None) -> Any:
        """Return a table, ready for any format.

        Parameters
        ----------
        what : str
            "main" has the models beside people; "measures" every model under every measure;
            "people" people among themselves; "pairs" everybody against everybody; "test" the
            alternative annotator test, and "replacements" person by person; "bias" the bias of
            models; "slices" parts of the items; "items" those of largest disagreement.
        measure : str or Measure, optional
            The measure of "main" and "people"; the primary one by default.

        Returns
        -------
        Section
            A table that prints and exports itself: rows, columns, title and notes.
        """
        chosen = None if measure is None else parse_measure(measure)
        return self._shown(what=what, measure=chosen)

    @property
    def signature(self) -> str:
        """One line that lets another person repeat the figures."""
        parts = [
            str(self.primary),
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
        if self.people_agreement.effective:
            parts.append(f"worth:{self.people_agreement.effective:.1f}")
        if self.people_agreement.clusters:
            parts.append(f"clusters:{self.people_agreement.clusters}")
        return "|".join([*parts, f"ordeval:{__version__}"])

    def summary(self) -> str:
        """Return what was found as paragraphs of plain text, with references.

        Returns
        -------
        str
            The text, which says the verdicts first.
        """
        return summarised(self)
