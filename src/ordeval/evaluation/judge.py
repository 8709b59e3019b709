"""Judge models by several people: every model beside how well people agree with each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, isnan, nan
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from ..data.column import group_codes, read_column, sorted_names
from ..errors import InputError, check_choice, names_rng, plural, quoted
from ..limits import check_operations
from ..measures.scoring import (
    MeasuresLike,
    parse_primary,
    read_measures,
    score_tables,
    with_primary,
)
from ..measures.spec import Measure, counterpart, parse_measure
from ..notes import Note, note, warning
from ..ratings import GAP, Ratings, RowLabels, columns_of, values_of
from ..results import (
    LEAST_SHARED,
    ONE_CLASS,
    Agreement,
    AlternativeTest,
    Ceiling,
    DisputedItem,
    Estimate,
    Judgement,
    PanelScore,
    RaterOver,
    RaterPair,
    SliceScore,
    verdict,
)
from ..types import (
    RNG,
    Array,
    BinsLike,
    Bools,
    Classes,
    ClassNumbers,
    Codes,
    Floats,
    ItemWeights,
    LabelColumn,
    MissingLabels,
)
from .agreement import agreement_of
from .panel import (
    NOBODY,
    Comparison,
    GoldRule,
    Golds,
    Panel,
    Quantity,
    Reference,
    Scored,
    t_interval,
)
from .rater_examples import MOST_TABLES, rated_examples
from .rater_pairs import MOST_PAIRS, TOO_MANY_PAIRS
from .replacement import LEAST_ITEMS, Nearness, alternative_test, model_bias
from .settings import CORE_MEASURES, Settings

JudgeOver = Literal["items", "clusters", "both"]
"""What is left out: items, clusters, or both items (or clusters) and people."""

Slices = LabelColumn | Mapping[str, LabelColumn] | None
"""Parts of the items: the part of each item, or several such divisions by name."""

_MOST_DISPUTED = 10  # items of each model
_LEAST_MARGIN = 0.01  # of the range of a measure
_FEW_ITEMS = 30  # of a person, below which scores are uncertain
_UNDEFINED = "undefined on these items"
_NUMBERS_AT_ONCE = 1 << 20  # in the tables of couples that are scored together


@names_rng
def judge(
    ratings: Any,
    models: Mapping[str, LabelColumn],
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    gold: GoldRule = "soft",
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    items: LabelColumn | None = None,
    slices: Slices = None,
    weight: ItemWeights = None,
    frequency: ItemWeights = None,
    cluster: LabelColumn | None = None,
    na: MissingLabels = None,
    bins: BinsLike = None,
    margin: float = 0.1,
    epsilon: float = 0.2,
    nearness: Nearness = "rmse",
    over: JudgeOver | None = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    rng: RNG = 0,
    text: LabelColumn | None = None,
) -> Judgement:
    """Score models beside several people, and say whether they are as good as one more person.

    Each person is scored against the gold that the other people make (leave one out), and against
    the others one by one (pairwise); the means over people are the ceiling. Every model is scored
    against the same golds on the same items, so that the difference from people is paired.

    Parameters
    ----------
    ratings : array_like of shape (n_items, n_people), data frame or mapping
        The ratings of people, with gaps where a person did not rate an item. Items that fewer than
        two people rated are left out.
    models : mapping of str to array_like of shape (n_items,)
        The ratings of every model, which may have gaps, too. A pandas series is matched to the
        people by its index, and so are all other columns.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the ratings are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    gold : {"soft", "majority", "median", "mean", "each"}
        How the other people make gold: their distribution over classes, each class with its share;
        the most frequent class (of tied ones the median, the lower of two); the median (the lower
        of two); the mean of the class values, which measures of numbers such as MAE use as it is,
        and all others as the nearest class (the higher of two); or each of them in turn, whose
        scores are averaged. The default breaks no ties. With three people the other two tie
        whenever they disagree, and "majority" and "median" would then choose the lower class,
        which favours models that lean low.
    measures : str, Measure or sequence of these, optional
        The measures; nine core measures by default, and every measure for "all".
    primary : str or Measure, optional
        The measure that ranks the models. By default the first of `measures`, or linear kappa.
    items : array_like of shape (n_items,), optional
        The names of the items; by default the index of a pandas frame or series, else their
        positions from 1.
    slices : array_like of shape (n_items,) or mapping of str to array_like, optional
        The part that each item belongs to, or several such divisions by name. Models are compared
        with people on every part under the primary measure.
    weight : array_like of shape (n_items,), optional
        The importance of each item. The alternative annotator test does not use it.
    frequency : array_like of int of shape (n_items,), optional
        The number of items that each row stands for.
    cluster : array_like of shape (n_items,), optional
        What items belong to, such as their document: what is left out as a whole.
    na : value or sequence of values, optional
        Codes that stand for a missing rating, e.g. 99 or ".".
    bins : {"round", "floor"} or sequence of float, optional
        How numbers between classes become classes: the nearest class (halves upwards), the highest
        class that is not above the number, or the K − 1 edges between classes (or K + 1 with outer
        limits). All measures use the classes.
    margin : float
        How much larger the disagreement of a model with people may be than that of a person, as a
        share of the latter: 0.1 allows a tenth more. Disagreement is the distance of a score from
        the best one, e.g. 1 − κ. See Notes.
    epsilon : float
        By how much people may be better in the alternative annotator test, because they cost more.
        Its authors suggest 0.2 for experts, 0.15 for skilled people and 0.1 for crowds.
    nearness : {"rmse", "accuracy"}
        How near a rating is to the others in that test: minus the root mean square distance of the
        class values, or the share of equal ratings.
    over : {"items", "clusters", "both"}, optional
        What intervals are about: other items, other clusters, or other items (or clusters) and
        other people. By default clusters where they are given, else items.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of replicates of the intervals in `people_agreement`; 0 for no intervals at all.
        The other intervals leave out one item or cluster at a time and need no replicates.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    text : array_like of shape (n_items,), optional
        The text of each item. The page then shows, for every number of items, some of them with
        their texts.

    Returns
    -------
    Judgement
        Scores, ceilings, verdicts, tests and biases. It prints as a table.

    Notes
    -----
    The verdict on a model follows from the interval of its difference from people, which is
    positive where the model is better:

    - "better": the interval is above 0;
    - "as good as one more person": its lower end is not below minus the margin;
    - "worse": it is below 0;
    - "undecided": none of these, because the data are too few, or because there is no interval: the
      score is undefined, or all items are of one cluster. The `doubt` of the difference says which.

    Without intervals (``bootstrap=0``) the verdict is empty.

    The intervals are t intervals from the jackknife, in whose variance one more item, on which the
    model is a class off and people are not or the reverse, is added to the data, so that no
    interval has width 0 even if nobody ever disagrees. On fewer than ten items the verdict is
    "undecided".

    People who share fewer than ten items with others do not count in the means over people, unless
    most ratings are theirs. Their ratings are part of the gold in any case.

    Examples
    --------
    >>> import ordeval as oe
    >>> people = {"ann": [1, 2, 3, 3, 2, 1], "bob": [1, 2, 3, 2, 2, 1], "eve": [1, 3, 3, 3, 2, 2]}
    >>> found = oe.judge(people, {"gpt": [1, 2, 3, 3, 2, 1]}, labels=[1, 2, 3])
    >>> round(found.ceiling("accuracy").value, 3)
    0.667
    >>> found["accuracy"]["gpt"].verdict
    'undecided'
    """
    people, identified = _people(ratings)
    rated = _models(models, people)
    matched = RowLabels.of(people)
    read = Ratings.read(
        people | {name: matched(column, name, "models") for name, column in rated.items()},
        labels=labels,
        values=values,
        items=items,
        text=text,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        na=na,
        bins=bins,
    )
    rows = len(read_column(next(iter(people.values())), "ratings"))
    kept = np.arange(rows) if read.places is None else read.places
    return judge_of(
        replace(read, identified=identified),
        [name for name in read.raters if name in people],
        [name for name in read.raters if name in rated],
        gold=gold,
        measures=measures,
        primary=primary,
        slices=slices_of_rows(slices, rows, kept, matched),
        margin=margin,
        epsilon=epsilon,
        nearness=nearness,
        over=over,
        ci=ci,
        bootstrap=bootstrap,
        rng=rng,
    )


def judge_of(
    ratings: Ratings,
    people: Sequence[str],
    models: Sequence[str],
    *,
    gold: GoldRule = "soft",
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    slices: Slices = None,
    margin: float = 0.1,
    epsilon: float = 0.2,
    nearness: Nearness = "rmse",
    over: JudgeOver | None = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    rng: RNG = 0,
    about: Mapping[str, Any] | None = None,
) -> Judgement:
    """Judge models from ratings that are read already; see `judge`.

    `slices` has a value for every item of `ratings`, and `about` says where the data come from.
    """
    check_choice("gold", gold, get_args(GoldRule))
    check_choice("nearness", nearness, get_args(Nearness))
    _check_share("margin", margin)
    _check_share("epsilon", epsilon)
    if len(people) < 2:
        raise _too_few(len(people))
    if not models:
        raise InputError("No model has a rating: all are missing.", parameter="models")
    over = _units(over, ratings)
    if over == "both" and not ratings.identified:
        raise InputError(
            "Intervals over items and people need to know who gave which rating, and lists of "
            "ratings do not say.",
            parameter="over",
            hint="Leave {over} out, or give a column per person.",
            suggest={"over": ...},
        )
    if over == "items":
        ratings = replace(ratings, cluster_codes=None, clusters=0)
    case = Case(
        ratings.of_raters([ratings.place(name) for name in (*people, *models)]),
        len(people),
        gold,
        *_chosen_measures(measures, primary, ratings.scale.k),
        margin=float(margin),
        epsilon=float(epsilon),
        nearness=nearness,
        over=over,
        settings=Settings(ci=ci, bootstrap=bootstrap, rng=rng),
        source=about or {},
    )
    return case.judgement(_slice_masks(slices, len(ratings.codes)))


def _people(ratings: Any) -> tuple[dict[str, Any], bool]:
    """Return a column per person, of whom there must be two, and whether it is one throughout."""
    found, identified = columns_of(ratings)
    if len(found) < 2:
        raise _too_few(len(found))
    return found, identified


def _too_few(people: int) -> InputError:
    return InputError(
        f"{plural(people, 'person has', 'people have')} ratings; how well people agree "
        "with each other needs two or more.",
        parameter="ratings",
        hint="To score models against one person, use evaluate or compare.",
    )


def _models(models: Any, people: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column per model; names must not be those of people."""
    if not isinstance(models, Mapping) or not models:
        raise InputError(
            "models is not a mapping from model to ratings, or is empty.",
            parameter="models",
            hint="Pass e.g. {'gpt-4o': ratings}.",
        )
    found = {str(name): column for name, column in models.items()}
    if twice := [name for name in found if name in people]:
        raise InputError(
            f"A person and a model have the same name: {quoted(twice)}.", parameter="models"
        )
    return found


def slices_of_rows(
    slices: Slices, rows: int, kept: Codes, matched: RowLabels | None = None
) -> Slices:
    """Return slices of those of the rows that were kept; rows with labels are matched by these."""
    if slices is None:
        return None

    def column(given: LabelColumn, name: str) -> Array:
        ordered = given if matched is None else matched(given, name, "slices")
        codes, names = group_codes(ordered, "slices", rows)
        assert codes is not None
        return np.array(names, dtype=object)[codes[kept]]

    if isinstance(slices, Mapping):
        return {str(name): column(given, str(name)) for name, given in slices.items()}
    return column(slices, "slices")


def _check_share(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < 1e6:
        raise InputError(
            f"{name}={value!r} is not usable; a number of at least 0 is expected.", parameter=name
        )


def _chosen_measures(
    measures: MeasuresLike, primary: str | Measure | None, k: int
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures and the primary one among them."""
    everything = isinstance(measures, str) and measures == "all"
    chosen = read_measures(None if everything else CORE_MEASURES if measures is None else measures)
    first = parse_measure(CORE_MEASURES[0]) if everything else chosen[0]
    if primary is not None:
        first = counterpart(parse_primary(primary), "classification")
    for parameter, given in (("measures", chosen), ("primary", [first])):
        if wrong := [str(m) for m in given if m.record.task != "classification"]:
            raise InputError(
                f"{quoted(wrong)}: the measure does not score one rater against another.",
                parameter=parameter,
            )
    chosen, first = with_primary(chosen, first)
    for measure in chosen:
        measure.check_classes(k)
    return chosen, first


def _units(over: JudgeOver | None, ratings: Ratings) -> JudgeOver:
    """Return what is left out."""
    if over is not None:
        check_choice("over", over, get_args(JudgeOver))
    if over == "clusters" and ratings.cluster_codes is None:
        raise InputError(
            "Intervals over clusters need clusters, and none are given.",
            parameter="over",
            hint="Name them with {cluster}.",
            suggest={"cluster": ...},
        )
    default: JudgeOver = "items" if ratings.cluster_codes is None else "clusters"
    return over or default


def _slice_masks(slices: Slices, rows: int) -> dict[str, Bools]:
    """Return the rows of every slice by its name."""
    if slices is None:
        return {}
    found = {}
    several = isinstance(slices, Mapping)
    divisions: Mapping[str, Any] = slices if isinstance(slices, Mapping) else {"": slices}
    for division, column in divisions.items():
        codes, names = group_codes(column, "slices", rows)
        for i, name in enumerate(names):
            found[f"{division}={name}" if several else name] = np.asarray(codes == i)
    return found


class Standings:
    """The comparisons of a panel, and the quantities made from them.

    Parameters
    ----------
    panel : Panel
        The ratings.
    rule : GoldRule
        How people make gold.
    names : sequence of str
        The names of people and models, by which quantities are found.
    """

    def __init__(self, panel: Panel, rule: GoldRule, names: Sequence[str]) -> None:
        self.panel, self.names, self.golds = panel, tuple(names), Golds(panel, rule)
        self.references = self.golds.references()
        self.places: dict[Comparison, int] = {}
        for reference in self.references:
            self._place(reference, reference.left_out)
        for model in self.models:
            for reference in self.references:
                self._place(reference, model)
                self._paired(reference, model)
        for source in self.people:
            for rater in range(len(self.names)):
                if rater != source:
                    self._place(Reference(NOBODY, source), rater)

    @property
    def people(self) -> range:
        """The positions of people."""
        return range(self.panel.people)

    @property
    def models(self) -> range:
        """The positions of models."""
        return range(self.panel.people, len(self.names))

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
        return [float(self.panel.count[self.golds.rows(c)].sum()) for c in self.places]

    def fewest(self, quantity: Quantity) -> float:
        """Return the smallest number of items behind the scores of a quantity."""
        return min((self._items[place] for place in quantity.terms), default=0.0)

    def _enough(self, places: Sequence[int]) -> list[int]:
        """Return the comparisons on enough items to count in a mean, in which all count alike.

        All of them do where most items are in comparisons on few, as with crowds: the others would
        not stand for them.
        """
        enough = [place for place in places if self._items[place] >= LEAST_SHARED]
        held, total = (sum(self._items[p] for p in group) for group in (enough, places))
        return enough if len(enough) > 1 and 2 * held >= total else list(places)

    @cached_property
    def _counted(self) -> list[Reference]:
        """The golds against which people are scored in the ceiling."""
        own = {self._place(r, r.left_out): r for r in self.references}
        return [own[place] for place in self._enough(list(own))]

    @cached_property
    def counted(self) -> list[int]:
        """The people whose scores count in the ceiling."""
        return sorted({reference.left_out for reference in self._counted})

    @cached_property
    def _counted_pairs(self) -> set[int]:
        """The comparisons of two people that count in the pairwise ceiling."""
        pairs = [(a, b) for a in self.people for b in self.people if a != b]
        return set(self._enough([self._place(Reference(NOBODY, a), b) for a, b in pairs]))

    @property
    def pairs_left_out(self) -> int:
        """The number of pairs of people that share items, but too few to count."""
        pairs = [(a, b) for b in self.people for a in range(b)]
        places = [self._place(Reference(NOBODY, a), b) for a, b in pairs]
        return sum(self._items[p] > 0 and p not in self._counted_pairs for p in places)

    def quantities(self, values: Floats) -> dict[tuple[str, str], Quantity]:
        """Return quantities by what they are and whose, from the scores that are defined."""
        found: dict[tuple[str, str], Quantity] = {}
        own = {r: self._place(r, r.left_out) for r in self.references}
        defined = [r for r in self.references if isfinite(values[own[r]])]
        counted = [r for r in self._counted if isfinite(values[own[r]])]
        found["ceiling", ""] = Quantity({own[r]: w for r, w in _shares(counted)})
        for person in self.people:
            mine = [r for r in defined if r.left_out == person]
            terms = {own[r]: w for r, w in _shares(mine)}
            found["score", self.names[person]] = Quantity(terms, (person,))
        for model in self.models:
            found |= self._of_model(model, values)
        return found | self._pairwise(values)

    def _of_model(self, model: int, values: Floats) -> dict[tuple[str, str], Quantity]:
        name = self.names[model]
        pairs = {r: (self._place(r, model), self._paired(r, model)) for r in self.references}
        enough = set(self._enough([place for place, _ in pairs.values()]))
        shares = _shares(
            [
                r
                for r, two in pairs.items()
                if two[0] in enough and np.isfinite(values[list(two)]).all()
            ]
        )
        score = {pairs[r][0]: w for r, w in shares}
        minus = {pairs[r][1]: -w for r, w in shares}
        return {
            ("score", name): Quantity(score, (model,)),
            ("difference", name): Quantity({**score, **minus}, (model,)),
            ("same items", name): Quantity({i: -w for i, w in minus.items()}, (model,)),
        }

    def _pairwise(self, values: Floats) -> dict[tuple[str, str], Quantity]:
        """Return the means of scores against people one by one."""
        found = {}
        ceiling: dict[int, float] = {}
        for rater in (*self.people, *self.models):
            sources = [Reference(NOBODY, k) for k in self.people if k != rater]
            enough = self._enough([self._place(r, rater) for r in sources])
            places = [i for i in enough if isfinite(values[i])]
            found["pairwise", self.names[rater]] = Quantity(_equal(places), (rater,))
            if rater in self.people:
                every = (self._place(r, rater) for r in sources)
                defined = [i for i in every if i in self._counted_pairs and isfinite(values[i])]
                ceiling |= dict.fromkeys(defined, 1.0)
        people = _equal(list(ceiling))
        found["pairwise ceiling", ""] = Quantity(people)
        for model in self.models:
            score = found["pairwise", self.names[model]].terms
            terms = {**score, **{i: -w for i, w in people.items()}} if score and people else {}
            found["pairwise difference", self.names[model]] = Quantity(terms, (model,))
        return found


def _shares(references: Sequence[Reference]) -> list[tuple[Reference, float]]:
    """Return weights that sum to 1, the same for every person who is left out."""
    times: dict[int, int] = {}
    for reference in references:
        times[reference.left_out] = times.get(reference.left_out, 0) + 1
    return [(r, 1 / (len(times) * times[r.left_out])) for r in references]


def _equal(places: Sequence[int]) -> dict[int, float]:
    return dict.fromkeys(places, 1 / len(places)) if places else {}


@dataclass(frozen=True, eq=False)
class Case:
    """Ratings and settings from which a judgement is made."""

    ratings: Ratings
    persons: int
    gold: GoldRule
    measures: tuple[Measure, ...]
    primary: Measure
    margin: float = 0.1
    epsilon: float = 0.2
    nearness: Nearness = "rmse"
    over: JudgeOver = "items"
    settings: Settings = field(default_factory=Settings)
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of people and models."""
        return self.ratings.raters

    @property
    def people(self) -> tuple[str, ...]:
        """The names of people."""
        return self.names[: self.persons]

    @property
    def models(self) -> tuple[str, ...]:
        """The names of models."""
        return self.names[self.persons :]

    @property
    def shared(self) -> Bools:
        """Which items two or more people rated."""
        return np.asarray(self.ratings.rated[:, : self.persons].sum(axis=1) >= 2)

    def only(self, keep: Bools) -> "Case":
        """Return the case of some of the items."""
        return replace(self, ratings=self.ratings.chosen(keep))

    @property
    def level(self) -> float | None:
        """The confidence level; None without intervals."""
        return self.settings.ci if self.settings.bootstrap else None

    @property
    def joint_level(self) -> float:
        """The level of each interval at which those of all models hold at once (Bonferroni)."""
        return 1 - (1 - self.settings.ci) / len(self.models)

    def judgement(self, slices: Mapping[str, Bools]) -> Judgement:
        """Return everything about the models."""
        if not self.shared.any():
            raise InputError(
                "No item has ratings of two people, so that nothing tells how well people agree.",
                parameter="ratings",
            )
        shared = self.only(self.shared)
        panel = Panel.of(shared.ratings, self.persons)
        found = Figures(shared, panel, self.measures)
        places = range(panel.people, len(self.names))
        tests = [
            alternative_test(panel, self.names, m, self.epsilon, self.nearness) for m in places
        ]
        agreement, disputed = shared._people_agreement(), tuple(shared._disputed())
        return Judgement(
            gold=self.gold,
            primary=self.primary,
            measures=self.measures,
            people=self.people,
            models=self.models,
            scores=tuple(found.scores()),
            ceilings=tuple(found.ceiling(m) for m in self.measures),
            tests=tuple(tests),
            biases=tuple(model_bias(panel, self.names[m], m, self.level) for m in places),
            slices=tuple(self._slices(slices)),
            pairs=tuple(shared._everybody(panel)),
            disputed=disputed,
            people_agreement=agreement,
            scale=panel.scale.plain(),
            items=panel.items,
            margin=self.margin,
            over=_OVER[self.over, self._clustered],
            level=self.settings.ci,
            replicates=self.settings.bootstrap,
            seed=self.settings.seed,
            notes=tuple(dict.fromkeys(self._notices(panel, found, tests, slices, agreement))),
            about=self._about,
            epsilon=self.epsilon,
            examples=rated_examples(
                shared.ratings,
                self.persons,
                disputed=[row.item for row in disputed],
                pairs=[("", model) for model in self.models[:MOST_TABLES]],
                parts={name: mask[self.shared] for name, mask in slices.items()},
            ),
        )

    @property
    def _clustered(self) -> bool:
        return self.ratings.cluster_codes is not None

    @property
    def _about(self) -> dict[str, Any]:
        clusters = {"clusters": self.ratings.clusters} if self._clustered else {}
        return {**self.source, **clusters, **self.ratings.reading}

    def _slices(self, slices: Mapping[str, Bools]) -> Iterator[SliceScore]:
        """Return the models on every part of the items under the primary measure."""
        for name, mask in slices.items():
            keep = mask & self.shared
            if not keep.any():
                continue
            part = self.only(keep)
            panel = Panel.of(part.ratings, self.persons)
            found = Figures(part, panel, (self.primary,))
            ceiling = found.ceiling(self.primary)
            for row in found.scores():
                if row.kind == "model":
                    yield SliceScore(
                        *row.parts,
                        slice=name,
                        items=panel.items,
                        model=row.name,
                        measure=row.measure,
                        ceiling=Estimate(*ceiling.parts),
                        difference=row.difference,
                        verdict=row.verdict,
                    )

    def _everybody(self, panel: Panel) -> Iterator[RaterPair]:
        """Return everybody against everybody under the primary measure."""
        size = len(self.names)
        couples = [(a, b) for a in range(size) for b in range(size) if a != b]
        if self.level is None or len(couples) > 2 * MOST_PAIRS:
            found = _without_intervals(panel, couples, self.primary, self.level is not None)
        else:
            found = self._with_intervals(panel, couples, self.level)
        for (a, b), estimate in zip(couples, found, strict=True):
            count = int(panel.count[panel.rated[:, a] & panel.rated[:, b]].sum())
            yield RaterPair(
                *estimate.parts,
                measure=self.primary,
                first=self.names[a],
                second=self.names[b],
                items=count,
            )

    def _with_intervals(
        self, panel: Panel, couples: Sequence[tuple[int, int]], level: float
    ) -> Iterator[Estimate]:
        """Return the score of each couple, the first of which is gold, with its interval."""
        comparisons = [Comparison(Reference(NOBODY, a), b) for a, b in couples]
        scored = Scored(
            Golds(panel, self.gold), comparisons, (self.primary,), seed=self.settings.seed
        )
        quantities = [Quantity({i: 1.0}, couple) for i, couple in enumerate(couples)]
        [variances], [thirds], units = scored.variances([quantities])
        bounds = self.primary.bounds(panel.scale)
        for i, value in enumerate(scored.values[0].tolist()):
            variance, degrees, third = float(variances[i]), float(units[i]) - 1, float(thirds[i])
            yield t_interval(value, variance, degrees, level, third=third, bounds=bounds)

    def _disputed(self) -> Iterator[DisputedItem]:
        """Return the items on which each model is farthest from people."""
        ratings, people = self.ratings, self.persons
        names = [ratings.name(i) for i in range(len(ratings.codes))]
        numbers, labels = ratings.scale.numbers, ratings.scale.plain().labels
        rated = ratings.rated[:, :people]
        values = values_of(ratings.codes[:, :people], numbers)
        mean = values.sum(axis=1) / rated.sum(axis=1)
        split = np.where(rated, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
        for m, model in enumerate(self.models, people):
            own = ratings.codes[:, m]
            far = np.where(own == GAP, 0.0, (numbers[own] - mean) ** 2)
            for i in _largest(far, split, names):
                given = zip(self.names, ratings.codes[i], strict=True)
                shown = {name: labels[code] for name, code in given if code != GAP}
                yield DisputedItem(names[i], float(far[i]), shown, model)

    def _people_agreement(self) -> Agreement:
        """Return how well people agree among themselves."""
        return agreement_of(
            replace(self.ratings.of_raters(range(self.persons)), texts=None),
            ci=self.settings.ci,
            bootstrap=self.settings.bootstrap,
            over=self.over,
            rng=self.settings.seed,
        )

    def _notices(
        self,
        panel: Panel,
        found: "Figures",
        tests: Sequence[AlternativeTest],
        slices: Mapping[str, Bools],
        agreement: Agreement,
    ) -> Iterator[Note]:
        """Say what the reader should know about the data."""
        ratings = self.ratings
        yield from ratings.notices
        if ratings.scale.inferred:
            yield (
                warning(
                    "scale",
                    f"The scale was inferred: {ratings.scale.describe()}; declare the labels if "
                    "other classes exist.",
                    request=True,
                )
            )
        if not ratings.identified:
            yield (
                warning(
                    "raters",
                    "Lists of different length do not say who gave which rating: a person here "
                    "is a place in the lists, and scores, tests and pairs of single people are "
                    "those of places.",
                )
            )
        if single := int((~self.shared).sum()):
            yield (
                note(
                    "missing",
                    "Left out, because fewer than two people rated them: "
                    f"{plural(single, 'item')} of {len(self.shared):,}.",
                )
            )
        yield from self._gap_notices(panel)
        if ratings.identified:
            yield from self._copy_notices(panel)
        constant = self._constant(panel) if ratings.identified else []
        for row in agreement.raters:
            if row.stands_out and row.rater not in constant:
                yield (
                    warning(
                        "raters",
                        f"{row.rater!r} {row.stands_out}, which affects how well people agree, and "
                        "with it the verdicts.",
                    )
                )
        golds = found.standings.golds
        if golds.ties and self.gold in _TIES:
            share = f"{golds.ties:,} of {golds.made:,} golds"
            yield warning(
                "gold",
                f"{share} made from the other people were tied; {_TIES[self.gold]} was taken.",
            )
        yield from found.notices()
        left_out = list(dict.fromkeys(name for test in tests for name in test.left_out))
        if left_out:
            yield (
                note(
                    "raters",
                    f"Left out of the alternative annotator test, because they share fewer than "
                    f"{LEAST_ITEMS} items with a model: {quoted(left_out)}.",
                )
            )
        if len(slices) > 1:
            yield (
                note(
                    "slices",
                    f"There are {len(slices)} slices: each verdict has its own chance of error, so "
                    "that of many slices some differ by chance.",
                )
            )

    def _copy_notices(self, panel: Panel) -> Iterator[Note]:
        """Name models that always rate as one of the people, and people who give one class."""
        for m, model in enumerate(self.models, panel.people):
            same = [n for p, n in enumerate(self.people) if _same_throughout(panel, m, p)]
            if same:
                yield (
                    warning(
                        "copy",
                        f"{model!r} equals {quoted(same)} on every item that both rated, although "
                        "people disagree; if that is unexpected, check that it is not a copy.",
                        request=True,
                    )
                )
        constant = self._constant(panel)
        if constant:
            one = len(constant) == 1
            yield (
                warning(
                    "constant",
                    f"{quoted(constant)} {'gives' if one else 'give'} one class throughout, to "
                    "items that others rate differently; "
                    f"{'this lowers' if one else 'they lower'} how well people agree, and favour "
                    "models.",
                )
            )

    def _constant(self, panel: Panel) -> list[str]:
        """Return people who give one class throughout, to items that others rate differently."""
        return [name for place, name in enumerate(self.people) if _constant(panel, place)]

    def _gap_notices(self, panel: Panel) -> Iterator[Note]:
        """Name models with gaps, and people who rated few items."""
        items = panel.count @ panel.rated
        people = zip(self.people, items, strict=False)
        few = [name for name, rated in people if LEAST_SHARED <= rated < _FEW_ITEMS]
        if few:
            yield (
                warning(
                    "raters",
                    f"Rated fewer than {_FEW_ITEMS} items, so that scores of theirs are uncertain: "
                    f"{quoted(few)}.",
                )
            )
        for name, rated in zip(self.models, items[panel.people :], strict=True):
            if rated < panel.items:
                yield (
                    warning(
                        "missing",
                        f"{name!r} rated {int(rated):,} of {panel.items:,} items; its difference "
                        "from people is that on these items.",
                    )
                )


def _same_throughout(panel: Panel, model: int, person: int) -> bool:
    """Whether a model rates as a person does on enough items, where not everybody does."""
    both = panel.rated[:, model] & panel.rated[:, person]
    if panel.count[both].sum() < LEAST_SHARED:
        return False
    codes = panel.codes[both]
    others = np.where(panel.rated[both], codes, codes[:, [person]])[:, : panel.people]
    equal = bool((codes[:, model] == codes[:, person]).all())
    return equal and bool((others != codes[:, [person]]).any())


def _constant(panel: Panel, person: int) -> bool:
    """Whether a person gives one class to enough items that others do not rate alike."""
    rated = panel.rated[:, person]
    if panel.count[rated].sum() < min(LEAST_SHARED, panel.items):
        return False
    others = panel.profiles[rated].sum(axis=0)
    others[panel.codes[rated, person]] = 0
    return len(np.unique(panel.codes[rated, person])) == 1 and bool(others.any())


_OVER: dict[tuple[str, bool], RaterOver] = {
    ("items", False): "items",
    ("clusters", True): "clusters",
    ("both", False): "items and raters",
    ("both", True): "clusters and raters",
}
_TIES = {
    "majority": "the median of the tied classes, the lower one of two,",
    "median": "the lower one of the two middle classes",
    "mean": "the higher one of the two nearest classes",
}


def _without_intervals(
    panel: Panel, couples: Sequence[tuple[int, int]], measure: Measure, asked: bool
) -> Iterator[Estimate]:
    """Return the score of each couple, many at once; say so if intervals were asked for."""
    k, step = panel.scale.k, max(1, _NUMBERS_AT_ONCE // panel.scale.k**2)
    mass = panel.count * panel.weight
    for start in range(0, len(couples), step):
        tables = []
        for a, b in couples[start : start + step]:
            both = panel.rated[:, a] & panel.rated[:, b]
            cells = panel.codes[both, a] * k + panel.codes[both, b]
            square = float((mass * panel.weight)[both].sum())
            scale = float(mass[both].sum()) / square if square else 1.0
            tables.append(scale * np.bincount(cells, mass[both], k * k).reshape(k, k))
        scores = score_tables((measure,), np.stack(tables), panel.scale)[0]
        for value in scores.tolist():
            yield Estimate(value, doubt=TOO_MANY_PAIRS if asked and not isnan(value) else "")


def _largest(far: Floats, split: Floats, names: Sequence[str]) -> list[int]:
    """Return the places of the largest distances; ties by how far people agree, then by name."""
    least = np.sort(far)[::-1][min(_MOST_DISPUTED, len(far)) - 1]
    places = np.flatnonzero((far > 0) & (far >= least)).tolist()
    rank = {name: i for i, name in enumerate(sorted_names(names[i] for i in places))}
    places.sort(key=lambda i: (-far[i], split[i], rank[names[i]]))
    return places[:_MOST_DISPUTED]


class Figures:
    """Scores, ceilings and differences of a case with their intervals."""

    def __init__(self, case: Case, panel: Panel, measures: Sequence[Measure]) -> None:
        self.case, self.panel, self.measures = case, panel, tuple(measures)
        self.standings = Standings(panel, case.gold, case.names)
        self._check_size()
        self._scored = self._score(self.standings, changes=case.level is not None)
        self._quantities = [self.standings.quantities(row) for row in self._scored.values]
        if case.level is not None:
            made = self._scored.variances([list(q.values()) for q in self._quantities])
            self._moments = (*made[:2], [made[2]] * len(self.measures))
        self._estimates = [self._estimated(i) for i in range(len(self.measures))]

    def _check_size(self) -> None:
        """Refuse what would take hours."""
        k, comparisons = self.panel.scale.k, len(self.standings.places)
        left_out = min(len(self.panel.codes), k * k)
        check_operations(
            "Scores of everybody against everybody",
            float(comparisons) * left_out * k * k * len(self.measures),
            f"{comparisons:,} comparisons × {left_out:,} left out × {k * k:,} cells × "
            f"{plural(len(self.measures), 'measure')}",
            parameter="measures",
            hint="Name fewer {measures}, or leave the intervals out with {bootstrap}.",
            suggest={"measures": ..., "bootstrap": 0},
        )

    def _score(self, standings: Standings, *, changes: bool) -> Scored:
        seed = self.case.settings.seed
        return Scored(
            standings.golds, list(standings.places), self.measures, seed=seed, changes=changes
        )

    def _estimated(self, measure: int) -> dict[tuple[str, str], Estimate]:
        """Return all quantities under a measure with their intervals."""
        scored, quantities = self._scored, self._quantities[measure]
        values = {key: scored.value(measure, q) for key, q in quantities.items()}
        level = self.case.level
        if level is None:
            why = {key: _UNDEFINED if isnan(value) else "" for key, value in values.items()}
            return {key: Estimate(value, doubt=why[key]) for key, value in values.items()}
        variances, thirds, units = (part[measure] for part in self._moments)
        raters = self._between_people[measure] if self.case.over == "both" else {}
        found = {}
        for key, variance, third, count in zip(quantities, variances, thirds, units, strict=True):
            extra, degrees = raters.get(key, (0.0, 1.0))
            total = float(variance) + extra
            freedom = count - 1.0
            if extra > 0 and count > 1:
                freedom = total**2 / (variance**2 / (count - 1) + extra**2 / degrees)
            signed = "difference" in key[0]
            bounds = (-np.inf, np.inf) if signed else self._bounds(measure)
            doubt = self._doubt(measure, quantities[key])
            if count < 2 and not isnan(values[key]):
                doubt = f"one {self._unit} tells nothing about others"
            if self.panel.scale.k == 1 and not isnan(values[key]):
                found[key] = found["joint difference", key[1]] = Estimate(
                    values[key], doubt=ONE_CLASS
                )
                continue
            levels = {key: level}
            if key[0] == "difference":
                levels["joint difference", key[1]] = self.case.joint_level
            for name, one_level in levels.items():
                found[name] = t_interval(
                    values[key],
                    total,
                    freedom,
                    one_level,
                    third=float(third),
                    bounds=bounds,
                    doubt=doubt,
                )
        return found

    @property
    def _unit(self) -> str:
        return "item" if self.case.ratings.cluster_codes is None else "cluster"

    def _bounds(self, measure: int) -> tuple[float, float]:
        return self.measures[measure].bounds(self.panel.scale)

    def _doubt(self, measure: int, quantity: Quantity) -> str:
        """Return why an interval may be too short."""
        places = list(quantity.terms)
        if not places:
            return _UNDEFINED
        if self.standings.fewest(quantity) < LEAST_SHARED:
            return f"it has scores on fewer than {LEAST_SHARED} items"
        used = self._scored.class_items.any(axis=0)
        least = self._scored.class_items[places][:, used].min(axis=0)
        return self.measures[measure].interval_doubt(least)

    @cached_property
    def _between_people(self) -> list[dict[tuple[str, str], tuple[float, float]]]:
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
            names = np.delete(np.array(self.case.names, dtype=object), person).tolist()
            rest = Standings(self.panel.without(person), self.case.gold, names)
            scored = self._score(rest, changes=False)
            parts.append([_values(rest, scored, i) for i in range(len(self.measures))])
        return [_jackknife([part[i] for part in parts]) for i in range(len(self.measures))]

    def ceiling(self, measure: Measure) -> Ceiling:
        """Return how well people agree under a measure."""
        found = self._estimates[self.measures.index(measure)]
        score, pairwise = found["ceiling", ""], found["pairwise ceiling", ""]
        return Ceiling(*score.parts, measure=measure, pairwise=pairwise)

    def scores(self) -> Iterator[PanelScore]:
        """Return the rows of people and models under every measure."""
        names = self.case.names
        for i, measure in enumerate(self.measures):
            found = self._estimates[i]
            for rater, name in enumerate(names):
                if rater < self.panel.people:
                    yield self._row(measure, name, found, "person")
                else:
                    yield self._model_row(i, name, found)

    def _row(
        self,
        measure: Measure,
        name: str,
        found: Mapping[tuple[str, str], Estimate],
        kind: Literal["person", "model"],
    ) -> PanelScore:
        rated = self.panel.rated[:, self.case.names.index(name)]
        items = int(self.panel.count[rated].sum())
        score, pairwise = found["score", name], found["pairwise", name]
        return PanelScore(
            *score.parts, measure=measure, name=name, kind=kind, pairwise=pairwise, items=items
        )

    def _model_row(
        self, place: int, name: str, found: Mapping[tuple[str, str], Estimate]
    ) -> PanelScore:
        measure, difference = self.measures[place], found["difference", name]
        margin = allowed(
            measure, found["same items", name].value, self.case.margin, self._bounds(place)
        )
        row = self._row(measure, name, found, "model")
        row = replace(
            row,
            difference=difference,
            pairwise_difference=found["pairwise difference", name],
            margin=margin,
        )
        if self.case.level is None:
            return row
        return replace(
            row,
            verdict=verdict(difference, measure, margin, row.items),
            joint_verdict=verdict(found["joint difference", name], measure, margin, row.items),
        )

    def notices(self) -> Iterator[Note]:
        """Say whose scores do not count, and under which measures people have no score."""
        yield from self._joint_notices()
        yield from self._few_notices()
        for measure, quantities in zip(self.measures, self._quantities, strict=True):
            people = [n for n in self.case.people if not quantities["score", n].terms]
            if people:
                yield (
                    warning(
                        "undefined",
                        f"{measure} is undefined for {quoted(people)}, whose places are not "
                        "counted in means over people.",
                    )
                )

    def _joint_notices(self) -> Iterator[Note]:
        """Say which verdicts hold for all models at once, under the primary measure."""
        models, level = self.case.models, self.case.level
        if len(models) < 2 or level is None or self.case.primary not in self.measures:
            return
        place = self.measures.index(self.case.primary)
        rows = [self._model_row(place, name, self._estimates[place]) for name in models]
        changed: dict[str, list[str]] = {}
        for row in rows:
            if row.joint_verdict != row.verdict:
                changed.setdefault(row.joint_verdict, []).append(row.name)
        parts = "; ".join(
            f"{quoted(names)} {'becomes' if len(names) == 1 else 'become'} {word}"
            for word, names in changed.items()
        )
        told = parts or "all verdicts stay as they are"
        yield (
            note(
                "models",
                f"There are {len(models):,} models, and each verdict has its own chance of error. "
                "With intervals that hold for all models at once "
                f"({100 * self.case.joint_level:.4g} % each, Bonferroni), {told}. The alternative "
                "annotator test is corrected for people, not for models.",
            )
        )

    def _few_notices(self) -> Iterator[Note]:
        """Say who is left out of means over people, or that nobody is although items are few."""
        counted, people = self.standings.counted, self.case.people
        few = [name for i, name in enumerate(people) if i not in counted]
        if few:
            yield (
                note(
                    "raters",
                    "Left out of the means over people, because they share fewer than "
                    f"{LEAST_SHARED} items with others: {quoted(few)}. Their ratings still are "
                    "part of the gold.",
                )
            )
        if pairs := self.standings.pairs_left_out:
            yield (
                note(
                    "raters",
                    f"Left out of the pairwise mean, because they share fewer than {LEAST_SHARED} "
                    f"items: {plural(pairs, 'pair')} of people.",
                )
            )
        means = [quantities["ceiling", ""] for quantities in self._quantities]
        if any(m.terms and self.standings.fewest(m) < LEAST_SHARED for m in means):
            yield (
                warning(
                    "raters",
                    f"Most ratings are of people who share fewer than {LEAST_SHARED} items with "
                    "others; all people count in the means, whose scores are uncertain.",
                )
            )


def _values(standings: Standings, scored: Scored, measure: int) -> dict[tuple[str, str], float]:
    quantities = standings.quantities(scored.values[measure])
    return {key: scored.value(measure, quantity) for key, quantity in quantities.items()}


def _jackknife(
    parts: Sequence[Mapping[tuple[str, str], float]],
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the variance of each quantity over parts that leave one unit out, and its degrees."""
    found = {}
    for key in dict.fromkeys(key for part in parts for key in part):
        values = np.array([part[key] for part in parts if isfinite(part.get(key, nan))])
        size = len(values)
        if size > 1:
            variance = (size - 1) / size * float(((values - values.mean()) ** 2).sum())
            found[key] = (variance, float(size - 1))
    return found


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
