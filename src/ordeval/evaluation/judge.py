"""Judge models by several people: every model against how well people agree with each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from math import isnan
from typing import Any, Unpack

import numpy as np

from ..data.data import Data, as_systems
from ..data.raters import of_raters, rated, values_of
from ..data.scale import Scale
from ..errors import InputError, plural, quoted, require_known
from ..measures.scoring import MeasuresLike, check_task, parse_primary, read_measures, with_primary
from ..measures.spec import Measure, counterpart, parse_measure
from ..notes import warning
from ..options import JudgeOptions, JudgeSettings, defaults, options_of, takes
from ..results import Agreement, DisputedItem, Estimate, Judgement, PanelScore, RaterPair
from ..types import Bools, GoldRule, Nearness, RaterUnits
from .agreement import agreement_of, by_kind
from .judge_notes import judge_notes
from .panel import NOBODY, Comparison, Golds, PeoplePanel, Quantity, Reference, Scored, t_interval
from .rater_examples import MOST_TABLES, disputed_items, rated_examples
from .rater_pairs import MOST_PAIRS, TOO_MANY_PAIRS, rater_pair, scored_pairs
from .rater_study import units_of
from .ratings import Kinds, named_raters, rated_data, renamed
from .replacement import alternative_test, model_bias
from .sample import CORE_MEASURES, Settings
from .standings import Figures, Rules

_MOST_DISPUTED = 10  # items of each model


@takes(JudgeOptions)
def judge(
    people: Any = None,
    models: Any = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[JudgeOptions],
) -> Judgement:
    """Compare models with several people, and say whether each is as good as one more person.

    Each person is scored against the gold that the other people make (leave one out), and against
    each of the others (pairwise). The means over people are the ceiling. Models are scored against
    the same golds on the same items, so differences from people are paired.

    Parameters
    ----------
    people : array_like of shape (n_items, n_people), data frame or mapping
        The ratings of people, with gaps where a person did not rate an item. Items that fewer than
        two people rated are left out. With `data`, the columns of people, or in long form the
        raters; by default all that are not models.
    models : mapping of str to array_like of shape (n_items,)
        The ratings of each model, which may have gaps. Pandas series, of models and of all other
        columns, are matched to the people by their index. With `data`, the columns of models, or in
        long form the raters; by default all that are not people.
    measures : str, Measure or sequence of these, optional
        The measures; by default nine core measures. "all" selects every measure.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a DuckDB relation, a Spark frame, or the path or
        pattern of files. Arguments with a value per item are then column names.
    {options}

    Returns
    -------
    Judgement
        Scores, ceilings, verdicts, tests and biases. It prints as a table.

    Notes
    -----
    The verdict on a model follows from the interval of its difference from people, where positive
    is better. The first that holds applies:

    - "better": the interval is above 0;
    - "as good as one more person": its lower end is not below minus the margin;
    - "worse": it is below 0;
    - "undecided": the data are too few, or there is no interval because the score is undefined or
      all items are of one cluster. The `doubt` of the difference says which.

    Without intervals (``draws=0``) the verdict is empty. On fewer than ten items it is "undecided".

    Intervals are Student's t from the jackknife. Their variance includes one more item, on which
    the model is a class off and people are not, or the reverse, so no interval has width 0 even if
    nobody ever disagrees. `draws` applies to `people_agreement`.

    People who share fewer than ten items with others do not count in the means over people, unless
    most ratings are theirs. Their ratings are still part of the gold. The alternative annotator
    test ignores weights.

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
    ratings, persons, machines = read_panel(people, models, data, options)
    divisions = division_names(options["by"], columns=data is not None)
    settings = options_of(options, JudgeSettings)
    return judge_of(ratings, persons, machines, measures, divisions=divisions, **settings)


def division_names(by: Any, *, columns: bool) -> tuple[str, ...]:
    """Return the names of several divisions of the items, or () if there is one without a name."""
    several = isinstance(by, Mapping)
    if columns and by is not None and not isinstance(by, str):
        several = len(list(by)) > 1
    return tuple(dict.fromkeys(map(str, by))) if several else ()


def read_panel(
    people: Any, models: Any, data: Any, options: Mapping[str, Any]
) -> tuple[Data, list[str], list[str]]:
    """Return ratings of people and models from any door, the people and the models."""
    try:
        if data is None:
            return _in_memory(people, models, options)
        persons, machines = named_raters(people, "people"), named_raters(models, "models")
        both, others = {**(persons or {}), **(machines or {})}, persons is None or machines is None
        ratings, kinds = rated_data(None, data, options, raters=both, others=others)
    except InputError as problem:  # raters are people and models here
        problem.parameter = "people" if problem.parameter == "ratings" else problem.parameter
        if "{ratings}" in problem.raw_hint:
            hint = problem.raw_hint.replace("{ratings}", "{people} and {models}")
            problem.change_hint(hint, people=..., models=...)
        raise
    who = panel_of(ratings.names, kinds, persons, machines)
    notices = [n for n in ratings.notices if n.kind != "guessed"]
    if (people is None) != (models is None):
        what, guessed = ("people", who[0]) if people is None else ("models", who[1])
        taken = f"Taken as {what}, because none were named: {quoted(guessed, 20)}."
        notices.append(warning("guessed", taken, request=True))
    names, first, second = (renamed(some, people, models) for some in (ratings.names, *who))
    return replace(ratings, names=tuple(names), notices=tuple(notices)), first, second


def panel_of(
    names: Sequence[str], kinds: Kinds, people: Any = None, models: Any = None
) -> tuple[list[str], list[str]]:
    """Return who is a person and who is a model; without one of the two it is all others."""
    if people is None and models is None:
        people, models = _known_kinds(names, kinds)
    persons = [name for name in names if name not in (models or ())] if people is None else people
    machines = [name for name in names if name not in persons] if models is None else models
    if both := [name for name in persons if name in machines]:
        raise InputError(f"{quoted(both)} is named as a person and as a model.", parameter="models")
    for parameter, some in (("people", persons), ("models", machines)):
        for name in some:
            require_known("rater", name, names, parameter)
        if not some:
            raise InputError(
                f"No rater is left for {parameter} among {quoted(names, 10)}.", parameter=parameter
            )
    return list(persons), list(machines)


def _known_kinds(names: Sequence[str], kinds: Kinds) -> tuple[list[str], list[str]]:
    """Return people and models; every rater must be one of them."""
    if not kinds:
        raise InputError(
            f"Nothing says which raters are models; the raters are {quoted(names, 20)}.",
            parameter="models",
            hint="Name them with {models}, or the column that says which raters are people and "
            "which are models with {kind}.",
            suggest={"models": [names[-1]], "kind": ...},
        )
    people, models = by_kind({name: kinds[name] for name in names})
    if unknown := {kinds[name] for name in names if name not in (*people, *models)}:
        raise InputError(
            f"{quoted(sorted(unknown))} is neither a person nor a model; the kinds are expected to "
            "be 'person' and 'model'.",
            parameter="kind",
            hint="Name the raters with {people} and {models} instead.",
            suggest={"people": ..., "models": ...},
        )
    return people, models


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
    by_name = {str(name): column for name, column in models.items()}
    ratings, _ = rated_data(people, None, options, by_name)
    names = ratings.names
    return ratings, [n for n in names if n not in by_name], [n for n in names if n in by_name]


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
    _check_panel(people, models)
    statistics, usual = Settings(**settings), defaults(JudgeSettings)
    asked = {**statistics.about, "gold": gold, "nearness": nearness, "over": over}
    about = {**data.about, **{name: x for name, x in asked.items() if x != usual[name]}}
    over = units_of(data, over)
    chosen, first = _chosen(measures, primary, data.scale)
    masks = _masks(data, divisions)
    clustered, persons = data.units.cluster is not None and over != "items", len(people)
    if not clustered:
        data = replace(data, units=replace(data.units, cluster=None, clusters=()))
    every = of_raters(data, [data.names.index(name) for name in (*people, *models)])
    shared = np.asarray(rated(every)[:persons].sum(axis=0) >= 2)
    if not shared.any():
        raise InputError(
            "No item has ratings of two people, so that nothing tells how well people agree.",
            parameter="people",
        )
    both = every if shared.all() else every.take(shared)
    parts = {name: mask[shared] for name, mask in masks.items() if mask[shared].any()}
    level = statistics.ci if statistics.draws else None
    unit = "cluster" if clustered else "item"
    rules = Rules(gold, margin, level, over == "both", unit, statistics.seed)
    panel, names = PeoplePanel.of_people(both, persons), both.names
    figures, places = Figures(panel, names, chosen, rules), range(persons, len(names))
    tests = tuple(alternative_test(panel, names, m, epsilon, nearness) for m in places)
    agreement = _people_agreement(both, persons, over, statistics)
    disputed = _disputed(both, persons)
    without = [name for name in masks if name not in parts]
    notes = judge_notes(data, figures, first, agreement, tests, shared, len(parts), without)
    return Judgement(
        gold=gold,
        primary=first,
        measures=chosen,
        people=names[:persons],
        models=names[persons:],
        scores=tuple(figures.scores()),
        ceilings=tuple(figures.ceilings()),
        tests=tests,
        biases=tuple(model_bias(panel, names[m], m, level) for m in places),
        slices=tuple(_slices(both, persons, parts, first, rules)),
        pairs=tuple(_everybody(panel, names, first, rules)),
        disputed=tuple(disputed),
        people_agreement=agreement,
        scale=data.scale.plain(),
        items=agreement.items,
        margin=rules.margin,
        over=agreement.over,
        level=statistics.ci,
        replicates=statistics.draws,
        seed=statistics.seed,
        notes=tuple(dict.fromkeys(notes)),
        about={**about, **({"clusters": len(both.units.clusters)} if clustered else {})},
        epsilon=float(epsilon),
        nearness=nearness,
        examples=rated_examples(
            both,
            persons,
            disputed=[row.item for row in disputed],
            pairs=[("", model) for model in names[persons:][:MOST_TABLES]],
            parts=parts,
        ),
    )


def _check_panel(people: Sequence[str], models: Sequence[str]) -> None:
    """Raise an error for fewer than two people, or no model."""
    if len(people) < 2:
        raise InputError(
            f"{plural(len(people), 'person has', 'people have')} ratings; how well people agree "
            "with each other needs two or more.",
            parameter="people",
            hint="To score models against one person, use evaluate or compare.",
        )
    if not models:
        raise InputError("No model has a rating: all are missing.", parameter="models")


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
        f"{divisions[place]}={name}" if divisions else name: np.asarray(part.codes == i)
        for place, part in enumerate(data.units.parts.values())
        for i, name in enumerate(part.names)
    }


def _people_agreement(data: Data, persons: int, over: RaterUnits, settings: Settings) -> Agreement:
    """Return how well people agree among themselves."""
    people = of_raters(data, range(persons))
    about = {name: people.about[name] for name in ("na", "bins") if name in people.about}
    people = replace(people, units=replace(people.units, texts=None), about=about)
    ci, draws, seed = settings.ci, settings.draws, settings.seed
    return agreement_of(people, over=over, ci=ci, draws=draws, rng=seed)


def _slices(
    data: Data, persons: int, parts: Mapping[str, Bools], measure: Measure, rules: Rules
) -> Iterator[PanelScore]:
    """Return the models on every part of the items under one measure."""
    for name, keep in parts.items():
        panel = PeoplePanel.of_people(data.take(keep), persons)
        figures = Figures(panel, data.names, (measure,), rules)
        for place in figures.standings.models:
            yield replace(figures.row(0, place), slice=name, items=panel.item_count)


def _everybody(
    panel: PeoplePanel, names: Sequence[str], measure: Measure, rules: Rules
) -> Iterator[RaterPair]:
    """Return everybody against everybody under one measure; the first of two is gold."""
    couples = list(permutations(range(len(names)), 2))
    if rules.level is not None and len(couples) <= 2 * MOST_PAIRS:
        estimates = _with_intervals(panel, couples, measure, rules)
    else:
        why = "" if rules.level is None else TOO_MANY_PAIRS
        scores = (float(pair.scores[0]) for pair in scored_pairs(panel, (measure,), couples))
        estimates = (Estimate(x, doubt="" if isnan(x) else why) for x in scores)
    for (a, b), estimate in zip(couples, estimates, strict=True):
        yield rater_pair(estimate, measure, names[a], names[b], panel.shared[a, b])


def _with_intervals(
    panel: PeoplePanel, couples: Sequence[tuple[int, int]], measure: Measure, rules: Rules
) -> Iterator[Estimate]:
    """Return the score of each couple with its interval."""
    assert rules.level is not None
    comparisons = [Comparison(Reference(NOBODY, a), b) for a, b in couples]
    scored = Scored(Golds(panel, rules.gold), comparisons, (measure,), seed=rules.seed)
    quantities = [Quantity({i: 1.0}, couple) for i, couple in enumerate(couples)]
    [variances], [thirds], units = scored.variances([quantities])
    columns = (x.tolist() for x in (scored.values[0], variances, units - 1, thirds))
    bounds = measure.bounds(panel.scale)
    for value, variance, degrees, third in zip(*columns, strict=True):
        yield t_interval(value, variance, degrees, rules.level, third=third, bounds=bounds)


def _disputed(data: Data, persons: int) -> list[DisputedItem]:
    """Return the items on which each model is farthest from people."""
    k, numbers, present = data.scale.k, data.scale.numbers, rated(data)[:persons]
    values = values_of(data.codes[:persons], numbers)
    mean = values.sum(axis=0) / present.sum(axis=0)
    split = np.where(present, (values - mean) ** 2, 0.0).sum(axis=0)
    rows = list[DisputedItem]()
    for model, own in zip(data.names[persons:], data.codes[persons:], strict=True):
        far = np.where(own == k, 0.0, (values_of(own, numbers) - mean) ** 2)
        rows += disputed_items(data, far, _MOST_DISPUTED, split, model)
    return rows
