"""Judge models by several people: every model beside how well people agree with each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, Unpack

import numpy as np

from ..data.column import sorted_names
from ..data.data import Data, as_systems
from ..data.raters import item_names, of_raters, rated, values_of
from ..data.scale import Scale
from ..errors import InputError, plural, quoted
from ..measures.batches import score_tables
from ..measures.scoring import (
    MeasuresLike,
    check_task,
    parse_primary,
    read_measures,
    with_primary,
)
from ..measures.spec import Measure, counterpart, parse_measure
from ..notes import Note, note, warning
from ..options import JudgeOptions, JudgeSettings, defaults, options_of, takes
from ..results import (
    LEAST_SHARED,
    Agreement,
    AlternativeTest,
    DisputedItem,
    Estimate,
    Judgement,
    RaterOver,
    RaterPair,
    SliceScore,
)
from ..stats.resample import effective_scale
from ..types import Bools, Floats, GoldRule, Nearness, RaterUnits
from .agreement import agreement_of
from .panel import NOBODY, Comparison, Golds, Panel, Quantity, Reference, Scored, t_interval
from .rater_examples import MOST_TABLES, rated_examples
from .rater_pairs import MOST_PAIRS, TOO_MANY_PAIRS
from .ratings import (
    named_raters,
    panel_of,
    rated_data,
    ratings_of,
    renamed,
    scale_notices,
    units_of,
)
from .replacement import LEAST_ITEMS, alternative_test, model_bias
from .sample import CORE_MEASURES, Settings
from .standings import Figures, Rules

_MOST_DISPUTED = 10  # items of each model
_FEW_ITEMS = 30  # of a person, below which scores are uncertain
_NUMBERS_AT_ONCE = 1 << 20  # in the tables of couples that are scored together
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


@takes(JudgeOptions)
def judge(
    people: Any = None,
    models: Any = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[JudgeOptions],
) -> Judgement:
    """Score models beside several people, and say whether they are as good as one more person.

    Each person is scored against the gold that the other people make (leave one out), and against
    the others one by one (pairwise); the means over people are the ceiling. Every model is scored
    against the same golds on the same items, so that the difference from people is paired.

    Parameters
    ----------
    people : array_like of shape (n_items, n_people), data frame or mapping
        The ratings of people, with gaps where a person did not rate an item. Items that fewer than
        two people rated are left out. With `data`, the people: columns, or raters in long form; by
        default all that are no models.
    models : mapping of str to array_like of shape (n_items,)
        The ratings of every model, which may have gaps, too. A pandas series is matched to the
        people by its index, and so are all other columns. With `data`, the models: columns, or
        raters in long form; by default all that are no people.
    measures : str, Measure or sequence of these, optional
        The measures; nine core measures by default, and every measure for "all".
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a relation of DuckDB, a Spark frame, or the path
        or pattern of files; arguments that hold a value per item are then names of columns.
    {options}

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
    "undecided". The replicates of `bootstrap` are those of `people_agreement`.

    People who share fewer than ten items with others do not count in the means over people, unless
    most ratings are theirs. Their ratings are part of the gold in any case. The alternative
    annotator test does not use weights.

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
    found, persons, machines = read_panel(people, models, data, options)
    divisions = division_names(options["slices"], columns=data is not None)
    settings = options_of(options, JudgeSettings)
    return judge_of(found, persons, machines, measures, divisions=divisions, **settings)


def division_names(slices: Any, *, columns: bool) -> tuple[str, ...]:
    """Return the names of several divisions of the items, or () if there is one without a name."""
    several = isinstance(slices, Mapping)
    if columns and slices is not None and not isinstance(slices, str):
        several = len(list(slices)) > 1
    return tuple(map(str, slices)) if several else ()


def read_panel(
    people: Any, models: Any, data: Any, options: Mapping[str, Any]
) -> tuple[Data, list[str], list[str]]:
    """Return ratings of people and models from any door, the people and the models."""
    try:
        if data is None:
            return _in_memory(people, models, options)
        persons, machines = named_raters(people, "people"), named_raters(models, "models")
        both, others = {**(persons or {}), **(machines or {})}, persons is None or machines is None
        found, kinds = rated_data(None, data, options, raters=both, others=others)
    except InputError as problem:  # raters are people and models here
        problem.parameter = "people" if problem.parameter == "ratings" else problem.parameter
        if "{ratings}" in problem.raw_hint:
            hint = problem.raw_hint.replace("{ratings}", "{people} and {models}")
            problem.change_hint(hint, people=..., models=...)
        raise
    who = panel_of(found.names, kinds, persons, machines)
    notices = [n for n in found.notices if n.kind != "guessed"]
    if (people is None) != (models is None):
        what, guessed = ("people", who[0]) if people is None else ("models", who[1])
        taken = f"Taken as {what}, because none were named: {quoted(guessed, 20)}."
        notices.append(warning("guessed", taken, request=True))
    names, first, second = (renamed(some, people, models) for some in (found.names, *who))
    return replace(found, names=tuple(names), notices=tuple(notices)), first, second


def _in_memory(
    people: Any, models: Any, options: Mapping[str, Any]
) -> tuple[Data, list[str], list[str]]:
    models = as_systems(models)
    if not isinstance(models, Mapping) or not models:
        raise InputError(
            "models is not a mapping from model to ratings, or is empty.",
            parameter="models",
            hint="Pass e.g. {'gpt-4o': ratings}.",
        )
    given = {str(name): column for name, column in models.items()}
    found, _ = rated_data(people, None, options, given)
    names = found.names
    return found, [n for n in names if n not in given], [n for n in names if n in given]


def judge_of(
    data: Data,
    people: Sequence[str],
    models: Sequence[str],
    measures: MeasuresLike = None,
    *,
    divisions: Sequence[str] = (),
    primary: str | Measure | None = None,
    gold: GoldRule = "soft",
    margin: float = 0.1,
    epsilon: float = 0.2,
    nearness: Nearness = "rmse",
    over: RaterUnits | None = None,
    **settings: Any,
) -> Judgement:
    """Judge models from ratings that are read already; see `judge`.

    `divisions` names those of the items that `data` hold, if there are several.
    """
    if len(people) < 2:
        raise InputError(
            f"{plural(len(people), 'person has', 'people have')} ratings; how well people agree "
            "with each other needs two or more.",
            parameter="people",
            hint="To score models against one person, use evaluate or compare.",
        )
    if not models:
        raise InputError("No model has a rating: all are missing.", parameter="models")
    statistics = Settings(**settings)
    asked = {**statistics.about, "gold": gold, "nearness": nearness, "over": over}
    usual = defaults(JudgeSettings)
    asked = {name: x for name, x in asked.items() if x != usual[name]}
    data = replace(data, about={**data.about, **asked})
    over = units_of(data, over)
    masks = _masks(data, divisions)
    if over == "items":
        data = replace(data, units=replace(data.units, cluster=None, clusters=()))
    chosen, first = _chosen(measures, primary, data.scale)
    both = of_raters(data, [data.names.index(name) for name in (*people, *models)])
    level = statistics.ci if statistics.bootstrap else None
    unit = "item" if data.units.cluster is None else "cluster"
    rules = Rules(gold, float(margin), level, over == "both", unit, statistics.seed)
    return _Case(both, len(people), chosen, first, over, statistics, rules).judgement(
        masks, float(epsilon), nearness
    )


def _chosen(
    measures: MeasuresLike, primary: str | Measure | None, scale: Scale
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures and the primary one among them."""
    everything = isinstance(measures, str) and measures == "all"
    chosen = read_measures(None if everything else CORE_MEASURES if measures is None else measures)
    first = parse_measure(CORE_MEASURES[0]) if everything else chosen[0]
    if primary is not None:
        first = counterpart(parse_primary(primary), "classification")
    check_task(chosen, "classification")
    check_task([first], "classification", "primary")
    chosen, first = with_primary(chosen, first)
    for measure in chosen:
        measure.on(scale)
    return chosen, first


def _masks(data: Data, divisions: Sequence[str]) -> dict[str, Bools]:
    """Return the rows of every slice by its name; of several divisions, also by theirs."""
    return {
        f"{divisions[int(place)]}={part}" if divisions else part: np.asarray(codes == i)
        for place, (codes, parts) in data.units.parts.items()
        for i, part in enumerate(parts)
    }


@dataclass(frozen=True, eq=False)
class _Case:
    """Ratings, those of people first, and settings from which a judgement is made."""

    data: Data
    persons: int
    measures: tuple[Measure, ...]
    primary: Measure
    over: RaterUnits
    settings: Settings
    rules: Rules

    @property
    def people(self) -> tuple[str, ...]:
        """The names of people."""
        return self.data.names[: self.persons]

    @property
    def models(self) -> tuple[str, ...]:
        """The names of models."""
        return self.data.names[self.persons :]

    def judgement(
        self, slices: Mapping[str, Bools], epsilon: float, nearness: Nearness
    ) -> Judgement:
        """Return everything about the models."""
        names, units, level = self.data.names, self.data.units, self.rules.level
        shared = np.asarray(rated(self.data)[: self.persons].sum(axis=0) >= 2)
        if not shared.any():
            raise InputError(
                "No item has ratings of two people, so that nothing tells how well people agree.",
                parameter="people",
            )
        data = self.data if shared.all() else self.data.take(shared)
        panel = Panel.of(data, self.persons)
        figures = Figures(panel, names, self.measures, self.rules)
        places = range(self.persons, len(names))
        tests = [alternative_test(panel, names, m, epsilon, nearness) for m in places]
        agreement, disputed = self._people_agreement(data), tuple(self._disputed(data))
        told = self._notices(panel, figures, tests, agreement, ~shared, len(slices))
        clustered = units.cluster is not None
        return Judgement(
            gold=self.rules.gold,
            primary=self.primary,
            measures=self.measures,
            people=self.people,
            models=self.models,
            scores=tuple(figures.scores()),
            ceilings=tuple(figures.ceiling(m) for m in self.measures),
            tests=tuple(tests),
            biases=tuple(model_bias(panel, names[m], m, level) for m in places),
            slices=tuple(self._slices({name: mask & shared for name, mask in slices.items()})),
            pairs=tuple(self._everybody(panel)),
            disputed=disputed,
            people_agreement=agreement,
            scale=panel.scale.plain(),
            items=panel.items,
            margin=self.rules.margin,
            over=_OVER[self.over, clustered],
            level=self.settings.ci,
            replicates=self.settings.bootstrap,
            seed=self.settings.seed,
            notes=tuple(dict.fromkeys(told)),
            about={**self.data.about, **({"clusters": len(units.clusters)} if clustered else {})},
            epsilon=epsilon,
            examples=rated_examples(
                data,
                self.persons,
                disputed=[row.item for row in disputed],
                pairs=[("", model) for model in self.models[:MOST_TABLES]],
                parts={name: mask[shared] for name, mask in slices.items()},
            ),
        )

    def _slices(self, slices: Mapping[str, Bools]) -> Iterator[SliceScore]:
        """Return the models on every part of the items under the primary measure."""
        for name, keep in slices.items():
            if not keep.any():
                continue
            panel = Panel.of(self.data.take(keep), self.persons)
            figures = Figures(panel, self.data.names, (self.primary,), self.rules)
            ceiling = Estimate(*figures.ceiling(self.primary).parts)
            for place in range(self.persons, len(self.data.names)):
                row = figures.row(0, place)
                yield SliceScore(
                    *row.parts,
                    slice=name,
                    items=panel.items,
                    model=row.name,
                    measure=row.measure,
                    ceiling=ceiling,
                    difference=row.difference,
                    verdict=row.verdict,
                )

    def _everybody(self, panel: Panel) -> Iterator[RaterPair]:
        """Return everybody against everybody under the primary measure."""
        names, level = self.data.names, self.rules.level
        couples = [(a, b) for a in range(len(names)) for b in range(len(names)) if a != b]
        items = (panel.rated.T * panel.count) @ panel.rated
        if level is None or len(couples) > 2 * MOST_PAIRS:
            found = _without_intervals(panel, couples, self.primary, level is not None)
        else:
            found = self._with_intervals(panel, couples, level)
        for (a, b), estimate in zip(couples, found, strict=True):
            yield RaterPair(
                *estimate.parts,
                measure=self.primary,
                first=names[a],
                second=names[b],
                items=int(items[a, b]),
            )

    def _with_intervals(
        self, panel: Panel, couples: Sequence[tuple[int, int]], level: float
    ) -> Iterator[Estimate]:
        """Return the score of each couple, the first of which is gold, with its interval."""
        comparisons = [Comparison(Reference(NOBODY, a), b) for a, b in couples]
        golds = Golds(panel, self.rules.gold)
        scored = Scored(golds, comparisons, (self.primary,), seed=self.rules.seed)
        quantities = [Quantity({i: 1.0}, couple) for i, couple in enumerate(couples)]
        [variances], [thirds], units = scored.variances([quantities])
        bounds = self.primary.bounds(panel.scale)
        for i, value in enumerate(scored.values[0].tolist()):
            variance, degrees, third = float(variances[i]), float(units[i]) - 1, float(thirds[i])
            yield t_interval(value, variance, degrees, level, third=third, bounds=bounds)

    def _disputed(self, data: Data) -> Iterator[DisputedItem]:
        """Return the items on which each model is farthest from people."""
        names, k = item_names(data), data.scale.k
        numbers, labels = data.scale.numbers, data.scale.plain().labels
        given = rated(data)[: self.persons]
        values = values_of(data.codes[: self.persons], numbers)
        mean = values.sum(axis=0) / given.sum(axis=0)
        split = np.where(given, (values - mean) ** 2, 0.0).sum(axis=0)
        for model, own in zip(self.models, data.codes[self.persons :], strict=True):
            far = np.where(own == k, 0.0, (values_of(own, numbers) - mean) ** 2)
            for i in _largest(far, split, names):
                yield DisputedItem(names[i], float(far[i]), ratings_of(data, i, labels), model)

    def _people_agreement(self, data: Data) -> Agreement:
        """Return how well people agree among themselves."""
        people = of_raters(data, range(self.persons))
        about = {name: people.about[name] for name in ("na", "bins") if name in people.about}
        people = replace(people, units=replace(people.units, texts=None), about=about)
        ci, draws, seed = self.settings.ci, self.settings.bootstrap, self.settings.seed
        return agreement_of(people, over=self.over, ci=ci, bootstrap=draws, rng=seed)

    def _notices(
        self,
        panel: Panel,
        figures: Figures,
        tests: Sequence[AlternativeTest],
        agreement: Agreement,
        single: Bools,
        slices: int,
    ) -> Iterator[Note]:
        """Say what the reader should know about the data and the figures."""
        data, golds = self.data, figures.standings.golds
        yield from data.notices
        yield from scale_notices(data)
        if not data.named:
            yield warning(
                "raters",
                "Lists of different length do not say who gave which rating: a person here is a "
                "place in the lists, and scores, tests and pairs of single people are those of "
                "places.",
            )
        if single.any():
            yield note(
                "missing",
                "Left out, because fewer than two people rated them: "
                f"{plural(int(single.sum()), 'item')} of {len(single):,}.",
            )
        yield from _gap_notices(panel, self.people, self.models)
        constant = [n for p, n in enumerate(self.people) if data.named and _constant(panel, p)]
        if data.named:
            yield from _copy_notices(panel, self.people, self.models, constant)
        for row in agreement.raters:
            if row.stands_out and row.rater not in constant:
                yield warning(
                    "raters",
                    f"{row.rater!r} {row.stands_out}, which affects how well people agree, and "
                    "with it the verdicts.",
                )
        if golds.ties and self.rules.gold in _TIES:
            yield warning(
                "gold",
                f"{golds.ties:,} of {golds.made:,} golds made from the other people were tied; "
                f"{_TIES[self.rules.gold]} was taken.",
            )
        yield from _joint_notices(figures, self.primary, self.models)
        yield from _few_notices(figures, self.people)
        if left_out := list(dict.fromkeys(name for test in tests for name in test.left_out)):
            yield note(
                "raters",
                "Left out of the alternative annotator test, because they share fewer than "
                f"{LEAST_ITEMS} items with a model: {quoted(left_out)}.",
            )
        if slices > 1:
            yield note(
                "slices",
                f"There are {slices} slices: each verdict has its own chance of error, so that of "
                "many slices some differ by chance.",
            )


def _gap_notices(panel: Panel, people: Sequence[str], models: Sequence[str]) -> Iterator[Note]:
    """Name models with gaps, and people who rated few items."""
    items = panel.count @ panel.rated
    few = [n for n, own in zip(people, items, strict=False) if LEAST_SHARED <= own < _FEW_ITEMS]
    if few:
        yield warning(
            "raters",
            f"Rated fewer than {_FEW_ITEMS} items, so that scores of theirs are uncertain: "
            f"{quoted(few)}.",
        )
    for name, own in zip(models, items[panel.people :], strict=True):
        if own < panel.items:
            yield warning(
                "missing",
                f"{name!r} rated {int(own):,} of {panel.items:,} items; its difference from people "
                "is that on these items.",
            )


def _copy_notices(
    panel: Panel, people: Sequence[str], models: Sequence[str], constant: Sequence[str]
) -> Iterator[Note]:
    """Name models that always rate as one of the people, and people who give one class."""
    for m, model in enumerate(models, panel.people):
        if same := [name for p, name in enumerate(people) if _same_throughout(panel, m, p)]:
            yield warning(
                "copy",
                f"{model!r} equals {quoted(same)} on every item that both rated, although people "
                "disagree; if that is unexpected, check that it is not a copy.",
                request=True,
            )
    if constant:
        one = len(constant) == 1
        yield warning(
            "constant",
            f"{quoted(constant)} {'gives' if one else 'give'} one class throughout, to items that "
            f"others rate differently; {'this lowers' if one else 'they lower'} how well people "
            "agree, and favour models.",
        )


def _joint_notices(figures: Figures, primary: Measure, models: Sequence[str]) -> Iterator[Note]:
    """Say which verdicts hold for all models at once, under the primary measure."""
    if len(models) < 2 or figures.rules.level is None:
        return
    changed: dict[str, list[str]] = {}
    for place in figures.standings.models:
        row = figures.row(figures.measures.index(primary), place)
        if row.joint_verdict != row.verdict:
            changed.setdefault(row.joint_verdict, []).append(row.name)
    parts = "; ".join(
        f"{quoted(names)} {'becomes' if len(names) == 1 else 'become'} {word}"
        for word, names in changed.items()
    )
    yield note(
        "models",
        f"There are {len(models):,} models, and each verdict has its own chance of error. With "
        f"intervals that hold for all models at once ({100 * figures.joint_level:.4g} % each, "
        f"Bonferroni), {parts or 'all verdicts stay as they are'}. The alternative annotator test "
        "is corrected for people, not for models.",
    )


def _few_notices(figures: Figures, people: Sequence[str]) -> Iterator[Note]:
    """Say whose scores do not count, and under which measures people have no score."""
    standings = figures.standings
    if few := [name for i, name in enumerate(people) if i not in standings.counted]:
        yield note(
            "raters",
            f"Left out of the means over people, because they share fewer than {LEAST_SHARED} "
            f"items with others: {quoted(few)}. Their ratings still are part of the gold.",
        )
    if pairs := standings.pairs_left_out:
        yield note(
            "raters",
            f"Left out of the pairwise mean, because they share fewer than {LEAST_SHARED} items: "
            f"{plural(pairs, 'pair')} of people.",
        )
    means = [quantities["ceiling", ""] for quantities in figures.quantities]
    if any(m.terms and standings.fewest(m) < LEAST_SHARED for m in means):
        yield warning(
            "raters",
            f"Most ratings are of people who share fewer than {LEAST_SHARED} items with others; "
            "all people count in the means, whose scores are uncertain.",
        )
    for measure, quantities in zip(figures.measures, figures.quantities, strict=True):
        if without := [name for name in people if not quantities["score", name].terms]:
            yield warning(
                "undefined",
                f"{measure} is undefined for {quoted(without)}, whose places are not counted in "
                "means over people.",
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
    own = panel.rated[:, person]
    if panel.count[own].sum() < min(LEAST_SHARED, panel.items):
        return False
    others = panel.profiles[own].sum(axis=0)
    others[panel.codes[own, person]] = 0
    return len(np.unique(panel.codes[own, person])) == 1 and bool(others.any())


def _without_intervals(
    panel: Panel, couples: Sequence[tuple[int, int]], measure: Measure, asked: bool
) -> Iterator[Estimate]:
    """Return the score of each couple, many at once; say so if intervals were asked for."""
    step = max(1, _NUMBERS_AT_ONCE // panel.scale.k**2)
    for start in range(0, len(couples), step):
        tables, squares = panel.data.tables(couples[start : start + step])
        assert squares is not None
        sums = (x.sum(axis=(1, 2), keepdims=True) for x in (tables, squares))
        scores = score_tables((measure,), tables * effective_scale(*sums), panel.scale)[0]
        for value in scores.tolist():
            yield Estimate(value, doubt=TOO_MANY_PAIRS if asked and not isnan(value) else "")


def _largest(far: Floats, split: Floats, names: Sequence[str]) -> list[int]:
    """Return the places of the largest distances; ties by how far people agree, then by name."""
    least = np.sort(far)[::-1][min(_MOST_DISPUTED, len(far)) - 1]
    places = np.flatnonzero((far > 0) & (far >= least)).tolist()
    rank = {name: i for i, name in enumerate(sorted_names(names[i] for i in places))}
    places.sort(key=lambda i: (-far[i], split[i], rank[names[i]]))
    return places[:_MOST_DISPUTED]
