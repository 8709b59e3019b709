"""`plan`: how many items, topics, raters or gold labels a study needs."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import ceil, inf, isinf, isnan, nan, sqrt
from os import PathLike, fspath
from typing import Any, NamedTuple, Unpack

import numpy as np

from .. import options as declared
from ..advice import KAPPA
from ..data.data import Data
from ..data.raters import of_raters
from ..data.scale import Scale
from ..data.source import read_source
from ..errors import InputError, quoted, require_known
from ..measures.influence import item_influence
from ..measures.scoring import check_task
from ..measures.spec import Measure, counterpart, parse_measure
from ..notes import note
from ..results import Agreement, Result, StudyPlan
from ..results.report import Finding
from ..results.serialise import is_stored, load
from ..stats import plans
from ..stats.plans import Goal, Population
from ..stats.resample import as_seed, stream
from ..stats.table_intervals import prior
from ..types import Floats
from .agreement import agreement, agreement_of
from .classification import compare, evaluate
from .rated import asks_ratings
from .read import read

Options = Mapping[str, Any]

_WITHOUT_PILOT = ("shares", "accuracy", "score", "raters", "judge_accuracy")
_FEW_UNITS = 30  # below which standard deviations of a pilot, and formulas for items, are rough
_MOST_PROFILES = 2**14  # combinations of ratings that are counted
_MOST_GROUPS = 40  # of two, three and four raters of a pilot
_MANY = 10**8  # items that stand for a population
_JUDGED, _DRAWS, _UNLABELLED = 80, 500, 50  # samples, draws, and unlabelled items per gold label
_SMOOTHED_CLASSES = 40  # with more classes, most cells of two systems are empty and stay so


@declared.takes(declared.PlanOptions)
def plan(
    pilot: Any = None, measure: str | Measure | None = None, **options: Unpack[declared.PlanOptions]
) -> StudyPlan:
    """Return how many items, topics, raters or gold labels a study needs.

    One goal is named: the `width` of an interval from end to end, a `difference` in units of the
    measure that the test is to find, or a `margin` within which it is to show equivalence. Over
    items, tables are drawn and given to the intervals and tests of `evaluate` and `compare`, and
    the number is searched for; its range is two standard errors of simulation to both sides. Over
    topics and clusters, for several raters, and for gold labels beside a judge of the pilot, closed
    forms use the variance of the pilot.

    Without a pilot, a system is right on a share of the items, its `accuracy`, and errors are less
    likely with every step from gold, by the factor `decay`. The better of two systems has an
    accuracy that makes the difference. With a number of `items`, the number of raters is planned,
    and with the accuracy of a judge the number of gold labels.

    Parameters
    ----------
    pilot : Result, Agreement, Data, Counts, JointCounts or path, optional
        Data like those of the study, or what was computed from them. A file is a stored result, or
        is read as by `read`, which has options for other files. By default the study is like the
        assumptions.
    measure : str or Measure, optional
        The measure; by default the primary one of the pilot, or linear kappa. With a coefficient of
        several raters, the pilot holds ratings.
    {options}

    Returns
    -------
    StudyPlan
        The number of units with its range, and widths or powers of other numbers.

    Examples
    --------
    >>> import ordeval as oe
    >>> pilot = oe.Counts.from_table([[18, 4, 1], [3, 20, 5], [0, 6, 23]])
    >>> 100 < oe.plan(pilot, "qwk", width=0.2).n < 160
    True
    >>> assumed = {"labels": [1, 2, 3], "accuracy": 0.7, "correlation": 0.5}
    >>> 150 < oe.plan(None, "accuracy", difference=0.1, **assumed).n < 350
    True
    """
    given: Options = {**options, "rng": as_seed(options["rng"])}
    goal, named = _goal(given), None if measure is None else parse_measure(measure)
    if pilot is None:
        study = _assumed(named or parse_measure(KAPPA), goal, given)
    else:
        study = _of_pilot(pilot, named, goal, given)
    draft = study.draft
    if draft.measure.record.task == "raters" and goal.kind != "width":
        text = "A coefficient of several raters is planned for the width of its interval."
        raise InputError(text, parameter="width")
    if study.by_raters is None:
        found = plans.by_formula(replace(goal, wider=study.wider), study.variance)
    else:
        found = plans.raters_needed(goal, given["items"], study.by_raters)
    if isinf(found[0]):
        text = f"More than {plans.MOST:,.0f} {draft.unit} are needed; ask for less."
        raise InputError(text, parameter=goal.kind)
    if study.simulate is not None:
        found = plans.search(goal, study.variance, study.simulate, given["progress"])
    if 1 < draft.have < _FEW_UNITS and study.by_raters is None:
        text = f"The variance of {draft.have} {draft.unit}, and so the number, is rough: "
        off = note("pilot", f"{text}it may be off by {100 * sqrt(2 / (draft.have - 1)):.0f} %.")
        draft = replace(draft, notes=(*draft.notes, off))
    if study.simulate is None and draft.unit == "items" and found[0] < _FEW_UNITS:
        rough = note("formula", "Formulas are too optimistic about so few items.")
        draft = replace(draft, notes=(*draft.notes, rough))
    about = dict(draft.about) or {"pilot": None}
    about |= {"labels": list(draft.scale.labels)} if "data" in about else {}
    about |= {"measure": draft.measure.key, **_changed(given)}
    n, low, high = (ceil(x - 1e-6) for x in found[:3])
    draft = replace(draft, n=n, low=low, high=high, sizes=found[3], about=about)
    return replace(draft, scale=draft.scale.plain(), simulated=study.simulate is not None)


class _Study(NamedTuple):
    """A plan without its number, and what it follows from; formulas alone without `simulate`.

    `by_raters` are the variances of two, three and four raters, where raters are planned. `wider`
    is how much wider the intervals of a pilot are than those of Student's t, times its units.
    """

    draft: StudyPlan
    variance: float
    simulate: plans.Simulate | None = None
    by_raters: tuple[float, ...] | None = None
    wider: float = 0.0


def _goal(options: Options) -> Goal:
    """Return the only goal."""
    width, margin = options["width"], options["margin"]
    true, how = float(options["difference"] or 0.0), (float(options["power"]), float(options["ci"]))
    if (width is None) == (not true and margin is None):
        text = "One goal is expected: either a width, or a difference, a margin or both."
        raise InputError(text, parameter="width")
    if width is not None:
        return Goal("width", float(width), *how)
    if margin is None:
        return Goal("difference", true, *how)
    if margin <= true:
        text = f"difference is {true:g}, which is not within the margin of {margin:g}."
        raise InputError(text, parameter="difference")
    return Goal("margin", float(margin), *how, true)


def _changed(options: Options) -> dict[str, Any]:
    """Return the options that differ from their defaults, as a call repeats them."""
    usual = declared.defaults(declared.PlanOptions) | {"progress": options["progress"]}
    named = {name: options[name] for name in usual if options[name] is not usual[name]}
    if isinstance(values := named.get("values"), Mapping):
        named["values"] = [values[label] for label in options["labels"]]
    return {
        name: x if isinstance(x, (str, float, int)) else _listed(x) for name, x in named.items()
    }


def _listed(values: Any) -> list[Any]:
    """Return a list of plain values, such as Python prints."""
    return [x.item() if isinstance(x, np.generic) else x for x in values]


def _simulated(draft: StudyPlan, population: Population, seed: int, design: float = 1.0) -> _Study:
    """Return a study whose tables are simulated, unless that takes long.

    One simulated item stands for `design` items, where weights differ or systems err on different
    items more than any correlation allows.
    """
    variance = _known(population.variance, draft.measure) * design

    def simulate(n: int, part: float) -> tuple[float, float]:
        return population.simulate(draft.goal, max(2, round(n / design)), seed, part)

    return _Study(draft, variance, simulate if population.cost <= plans.MOST_COST else None)


def _known(variance: float, measure: Measure) -> float:
    """Return a variance, or raise an error if there is none."""
    if not variance > 0:
        text = f"{measure.label} has no standard error here; give a pilot with intervals."
        raise InputError(text, parameter="pilot")
    return variance


# Assumptions.


def _assumed(measure: Measure, goal: Goal, options: Options) -> _Study:
    """Return a study of systems, or raters, that are right with some probability."""
    scale = Scale.of(options["labels"] or (), options["values"])
    if options["systems"] is not None:
        raise InputError("systems are those of a pilot.", parameter="systems")
    k, given = scale.k, options["shares"]
    shares = np.ones(k) if given is None else np.asarray(given, dtype=np.float64)
    if shares.shape != (k,) or not (shares >= 0).all() or not 0 < shares.sum() < inf:
        text = f"shares has {shares.size} numbers; {k}, none of them negative, are expected."
        raise InputError(text, parameter="shares")
    shares, several = shares / shares.sum(), options["raters"] or options["items"]
    if measure.record.task == "ratings":
        return _assumed_ratings(StudyPlan(measure, scale, goal), shares, options)
    several = several or measure.record.task == "raters"
    task: Any = "raters" if several else "classification"
    measure = counterpart(measure, task)
    check_task([measure], task, "measure")
    if (options["accuracy"] is None) == (options["score"] is None):
        raise InputError("Either an accuracy or a score is expected.", parameter="accuracy")
    if several:
        return _assumed_raters(StudyPlan(measure, scale, goal), shares, options)

    def chances(accuracy: float) -> Floats:
        return plans.confusion(k, accuracy, options["decay"])

    def one(accuracy: float) -> Population:
        return Population.of(measure, scale, shares[:, None] * chances(accuracy))

    accuracy = options["accuracy"] or _solved(lambda a: one(a).figure, options["score"], "score")
    draft = StudyPlan(measure, scale, goal, figure=one(accuracy).figure)
    tables = [shares[:, None] * chances(accuracy)]
    if goal.kind != "width":
        target = draft.figure + measure.sign * goal.apart
        better = _solved(lambda a: one(a).figure, target, "difference") if goal.apart else accuracy
        tables.insert(0, shares[:, None] * chances(better))
        draft = replace(draft, figure=goal.apart)
    if options["judge_accuracy"] is None:
        return _tabled(draft, _MANY, _MANY * np.stack(tables), nan, options)
    effects = [item_influence(measure.on(scale), t[None], scale.numbers)[0] for t in tables]
    if len(tables) == 1:
        return _beside_judge(draft, tables[0], effects[0], options)
    both = plans.coupled(chances(better), chances(accuracy), options["correlation"] or 0.0)
    apart = effects[0][:, :, None] - effects[1][:, None, :]
    return _beside_judge(draft, shares[:, None, None] * both, apart, options)


def _beside_judge(draft: StudyPlan, cells: Floats, effects: Floats, options: Options) -> _Study:
    """Return a study of gold labels beside a judge that errs independently of all else."""
    judge = plans.confusion(draft.scale.k, options["judge_accuracy"], options["decay"])
    text = "The judge is taken to label many more items than people do"
    text += " and to err independently of systems" * (cells.size > len(cells))
    if draft.goal.kind != "width":
        text += "; with fewer than 300 gold labels, intervals are about a tenth wider"
    draft = replace(draft, unit="gold labels", notes=(note("judge", f"{text}."),))
    variance = _known(plans.judged_variance(cells, effects, judge), draft.measure)
    if draft.goal.kind != "width":
        return _Study(draft, variance)
    joint = cells[:, :, None] * judge[:, None]
    return _Study(draft, variance, partial(_judged_width, draft, joint, options["rng"]))


def _judged_width(
    draft: StudyPlan, joint: Floats, seed: int, n: int, part: float
) -> tuple[float, float]:
    """Return the mean width of intervals beside a judge, and its error, by a part of the samples.

    `joint` are the shares of gold, the predicted class (of ratings there is one) and the judge's.
    """
    gold, system, judge = cells = np.nonzero(joint)
    classes = np.array([*draft.scale.labels, None], dtype=object)
    truth = np.append(gold, np.full(len(gold), draft.scale.k))  # most items have no gold label
    columns = classes[np.stack([truth, np.tile(system, 2), np.tile(judge, 2)])]
    rated = draft.measure.record.task == "ratings"
    widths = []
    for i in range(max(10, round(_JUDGED * part))):
        rng, shares = stream(seed, "judged", n, i), joint[tuple(cells)] / joint.sum()
        count = np.append(rng.multinomial(n, shares), rng.multinomial(_UNLABELLED * n, shares))
        y_true, y_pred, rating = columns[:, count > 0]
        how: dict[str, Any] = {"labels": draft.scale, "ci": draft.goal.level, "draws": _DRAWS}
        how |= {"judge": rating, "frequency": count[count > 0], "rng": seed + i}
        with suppress(InputError):  # by chance, labelled items do not look like a random part
            found = evaluate(y_true, None if rated else y_pred, draft.measure, **how)[draft.measure]
            widths.append(found.high - found.low)
    return float(np.mean(widths)), float(np.std(widths)) / sqrt(len(widths))


def _assumed_ratings(draft: StudyPlan, shares: Floats, options: Options) -> _Study:
    """Return a study of the mean rating, or a share, of one system's outputs or of two systems'."""
    for name in ("accuracy", "score", "raters", "items"):
        if options[name] is not None:
            text = f"{name} is not used for ratings, which are gold themselves."
            raise InputError(text, parameter=name, hint="Pass {judge_accuracy} for a judge.")
    label = draft.measure.on(draft.scale).params.get("label")  # its position
    if draft.measure.id == "share" and label is None:
        text = "Plan one share, such as share(label=4)."
        raise InputError(text, parameter="measure")
    effects = draft.scale.numbers if label is None else np.eye(draft.scale.k)[label]
    mean = float(shares @ effects)
    pair = draft.goal.kind != "width"
    draft = replace(draft, figure=draft.goal.apart if pair else mean)
    spread = 2 - 2 * (options["correlation"] or 0.0) if pair else 1.0
    variance = float(shares @ (effects - mean) ** 2) * spread
    if options["judge_accuracy"] is None:
        return _Study(draft, _known(variance, draft.measure))
    found = _beside_judge(draft, shares[:, None], effects[:, None], options)
    return found._replace(variance=min(variance, found.variance * (1 + pair)))


def _solved(score: Callable[[float], float], target: float, name: str, low: float = 0.0) -> float:
    """Return the accuracy, from `low` on, that has a score."""
    ends = score(low + 1e-6), score(1 - 1e-6)
    if not min(ends) <= target <= max(ends):
        possible = f"scores from {min(ends):.3g} to {max(ends):.3g} are possible here."
        raise InputError(f"A score of {target:.4g} is asked for; {possible}", parameter=name)
    rising = ends[0] < ends[1]
    return plans.crossing(lambda a: (score(a) < target) == rising, low + 1e-6, 1 - 1e-6)


def _assumed_raters(draft: StudyPlan, shares: Floats, options: Options) -> _Study:
    """Return a study of raters who are right with the same probability, by the formula.

    The variance is that of ratings whose combinations have their expected numbers. For a number of
    items, raters are planned; they are as right as two raters with the score.
    """
    k, asked, items = draft.scale.k, options["raters"] or 2, options["items"]
    if items and options["raters"]:
        raise InputError("Either items or raters are expected.", parameter="items")
    counts = range(asked, 5 if items else asked + 1)
    if k ** counts[-1] > _MOST_PROFILES:
        text = f"{counts[-1]} raters of {k} classes have more than {_MOST_PROFILES:,} combinations"
        text += ", of which a plan of raters is made." if items else "."
        raise InputError(text, parameter="items" if items else "raters")
    scale = {"labels": range(k), "values": draft.scale.numbers.tolist(), "disputed": 0, "draws": 1}

    def row(accuracy: float, raters: int = asked) -> Any:
        profiles = np.indices((k,) * raters).reshape(raters, -1)
        chances = plans.confusion(k, accuracy, options["decay"])
        each = shares @ np.prod([chances[:, column] for column in profiles], axis=0)
        number = np.rint(_MANY * each).astype(np.int64)
        how: Any = {"frequency": number[number > 0], **scale}
        return agreement(profiles.T[number > 0], draft.measure, **how)[draft.measure][0]

    def value(accuracy: float) -> float:
        return float(row(accuracy).value)

    # Raters who are always wrong agree, if there are two classes.
    accuracy = options["accuracy"] or _solved(value, options["score"], "score", 1 / k)
    rows = [row(accuracy, raters) for raters in counts]
    if items:
        _same_with_more([row.value for row in rows], draft.measure, 0.01)
    draft = replace(draft, figure=rows[0].value, unit="raters" if items else "items")
    variances = tuple(found.se**2 * _MANY for found in rows)
    return _Study(draft, variances[0], by_raters=variances if items else None)


# Pilots.


def _of_pilot(pilot: Any, measure: Measure | None, goal: Goal, options: Options) -> _Study:
    """Return a study like a pilot."""
    for name in _WITHOUT_PILOT:
        if options[name] is not None:
            raise InputError(f"{name} is for plans without a pilot.", parameter=name)
    stored = isinstance(pilot, (str, PathLike)) and is_stored(fspath(pilot))
    result, data = _result(load(pilot) if stored else pilot, measure, goal, options)
    about = {"results": [fspath(pilot)]} if stored else _reading(result.about)
    figures = result._figures(measure)
    if isinstance(result, Result):
        if options["items"] is not None:
            raise InputError("items is for plans of several raters.", parameter="items")
        if "data" in about and asks_ratings(figures.measure):
            about |= {"y_pred": None}
        draft = StudyPlan(figures.measure, result.scores.scale, goal, about=about)
        return _of_result(draft, result, data, options)
    if result.over not in ("items", "clusters"):
        text = "The pilot's intervals are about other raters, too; make it over items."
        raise InputError(text, parameter="pilot")
    units = result.clusters or result.items
    variance = _known(figures.rows[0].se ** 2 if figures.rows else nan, figures.measure)
    if "data" in about:
        about |= {"y_true": None, "y_pred": list(result.rater_names)}
    draft = StudyPlan(figures.measure, result.scale, goal, result.over, about=about)
    draft = replace(draft, have=units, figure=figures.value)
    if options["items"] is None:
        row = figures.rows[0]
        usual = Goal("width", 0.0, level=result.level).outcome(units, variance * units)
        wider = max(0.0, (row.high - row.low) / usual - 1) * units
        return _Study(draft, variance * units, wider=wider)
    if data is None:
        text = "Raters are planned from ratings, which an Agreement does not hold; give the data."
        raise InputError(text, parameter="pilot")
    return _more_raters(draft, data, options["rng"])


def _more_raters(draft: StudyPlan, data: Data, seed: int) -> _Study:
    """Return a study of raters like those of a pilot, from groups of two, three and four."""
    raters, rng = len(data.names), stream(seed, "raters")
    if raters < 4:
        text = f"Raters are planned from a pilot of four or more; this one has {raters}."
        raise InputError(text, parameter="items", hint="Or pass {score}, {labels} and no pilot.")

    def rows(size: int) -> list[tuple[float, float]]:
        groups = list(combinations(range(raters), size))
        if len(groups) > _MOST_GROUPS:
            groups = [groups[i] for i in rng.choice(len(groups), _MOST_GROUPS, replace=False)]
        return [_of_group(of_raters(data, group), draft.measure) for group in groups]

    values, variances = np.array([np.nanmean(rows(size), axis=0) for size in (2, 3, 4)]).T
    _same_with_more(values, draft.measure, 0.1)
    draft = replace(draft, unit="raters", have=raters)
    return _Study(draft, float(variances[0]), by_raters=tuple(variances.tolist()))


def _of_group(data: Data, measure: Measure) -> tuple[float, float]:
    """Return a coefficient of some raters, and its variance times the number of items."""
    found = agreement_of(data, measure, draws=1, disputed=0)
    row = found[measure].rows[0]
    return row.value, row.se**2 * found.items


def _same_with_more(values: Sequence[float], measure: Measure, apart: float) -> None:
    """Raise an error if a coefficient depends on the number of raters."""
    if abs(values[-1] - values[0]) > apart * (1 - values[0]) + 1e-9:
        text = f"{measure.label} itself changes with the number of raters; plan items."
        raise InputError(text, parameter="items")


def _result(pilot: Any, measure: Measure | None, goal: Goal, options: Options) -> Any:
    """Return what was computed from a pilot, and its labels or ratings if there are any."""
    if isinstance(pilot, (Result, Agreement)):
        return pilot, None
    if isinstance(pilot, Finding):
        text = (
            "The pilot is a result of another kind; scores or an agreement of raters is expected."
        )
        hint = "Give the data, or what `score`, `compare` or `agreement` made of them."
        raise InputError(text, parameter="pilot", hint=hint)
    of_ratings = measure is not None and measure.record.task == "raters"
    how = {"ci": options["ci"], "rng": options["rng"]}
    pair = goal.kind != "width" or not isinstance(options["systems"], str | None)
    if isinstance(pilot, (str, PathLike)):
        scale = declared.options_of(options, declared.ScaleOptions)
        if asks_ratings(measure):
            make = compare if pair else evaluate
            return make(None, None, measure, data=pilot, **scale, **how), None
        try:
            pilot = read(pilot, gold=None if of_ratings else "gold", **scale)
        except InputError as problem:
            if problem.parameter == "gold":
                hint = "Name it in `read(…, gold=…)`, and give what that returns. "
                problem.change_hint(hint + without_gold(measure))
            raise
    if of_ratings and isinstance(pilot, Data):
        return agreement_of(pilot, measure, **how), pilot
    source = read_source(pilot)
    make = compare if pair and source.paired and len(source.systems) > 1 else evaluate
    return make(pilot, None, measure, **how), source


def without_gold(measure: Measure | None) -> str:
    """Say which measure a pilot of raters has."""
    other = None if measure is None else counterpart(measure, "raters")
    key = other.key if other is not None and other.record.task == "raters" else "krippendorff"
    return f"Raters without gold have a coefficient such as {key} as {{measure}}."


def _reading(about: Options) -> dict[str, Any]:
    """Return what a call that reads the same file says."""
    known = {"data", "runs", "y_true", "y_pred", *declared.declared(declared.ReadOptions)}
    named = about if about.get("data") is not None else {"pilot": "pilot"}
    return {name: value for name, value in named.items() if name in {"pilot", *known}}


def _of_result(draft: StudyPlan, result: Result, data: Any, options: Options) -> _Study:
    """Return a study of systems like those of a pilot: one, or two with the better one first."""
    measure, goal, scores, judge = draft.measure, draft.goal, result.scores, result.judge
    ranked, asked = [row.system for row in result.standings(measure)], options["systems"]
    allowed = (1, 2) if goal.kind == "width" else (2,)
    some = [asked] if isinstance(asked, str) else list(asked or ranked[: allowed[0]])
    for name in some:
        require_known("system", name, ranked, "systems")
    if len(set(some)) != len(some) or len(some) not in allowed:
        text = f"{'One system or two' if len(allowed) == 2 else 'Two systems'} are expected"
        raise InputError(f"{text}, not {quoted(some)}.", parameter="systems")
    some.sort(key=ranked.index)
    at = (scores.row(measure), *map(scores.place, some))
    figures: Any = result.intervals if len(some) == 1 else result.tests
    figure = float(scores.values[at[:2]])
    if len(some) == 2:
        figure = measure.sign * result.pair(some[0], some[1], measure).value
        figure = figure if goal.kind == "width" else goal.apart
    over = "items" if figures is None else figures.over.replace("both", "topics")
    se = nan if figures is None else float(figures.se[at])
    units = {"topics": len(scores.topics), "clusters": result.clusters}
    have = units.get(over, round(scores.items)) if judge is None else judge.labelled
    draft = replace(draft, figure=figure, systems=tuple(some), unit=over, have=have)
    pooled = over == "items" and (len(scores.topics) < 2 or scores.aggregate == "pool")
    of_labels = measure.record.task == "classification" and not scores.is_raw(measure)
    if result.tables is not None and judge is None and pooled and of_labels:
        joint = None
        if len(some) == 2 and isinstance(data, Data):
            places = (0, *(1 + data.systems.index(name) for name in some))
            joint = data.tables([places])[0].reshape(-1, *[scores.scale.k] * 3).sum(axis=0)
        return _tabled(draft, scores.items, result.tables[list(at[1:])], se, options, joint)
    if judge is not None:
        rated = " for every system" * (result.rated and len(scores.systems) > 1)
        text = f"A gold label is an item that people labelled{rated}. The plan assumes that the"
        text += f" judge labels {judge.items / judge.labelled:.3g} items for each, as in the pilot."
        draft = replace(draft, unit="gold labels", notes=(note("judge", text),))
    return _Study(draft, _known(se**2, measure) * have)


def _tabled(
    draft: StudyPlan,
    items: float,
    tables: Floats,
    se: float,
    options: Options,
    joint: Floats | None = None,
) -> _Study:
    """Return a study of systems with these tables, and errors as correlated as in the pilot.

    `joint` is the table of two systems; without it they are alike on so many items that their
    difference has the standard error `se`.
    """
    k, scale, measure = draft.scale.k, draft.scale, draft.measure
    effective, few = float(tables[0].sum()), k <= _SMOOTHED_CLASSES or len(tables) == 1
    added = prior(k) * few  # the items that intervals add
    tables = tables + added
    shares = tables / tables.sum(axis=(1, 2), keepdims=True)
    design, alike = items / effective, options["correlation"] or 0.0
    if len(tables) == 1:
        return _simulated(draft, Population.of(measure, scale, shares[0]), options["rng"], design)
    gold = shares.sum(axis=(0, 2)) / 2
    chances = shares / np.maximum(shares.sum(axis=2, keepdims=True), 1e-300)

    def population(alike: float) -> Population:
        both = plans.coupled(chances[0], chances[1], alike)
        return Population.of(measure, scale, gold[:, None, None] * both)

    if joint is not None:
        each = np.maximum(added.sum(axis=1), 1e-300)[:, None, None]
        joint = joint * (effective / joint.sum()) + added[:, :, None] * added[:, None, :] / each
        known = Population.of(measure, scale, joint / joint.sum())
        return _simulated(draft, known.tilted(draft.figure), options["rng"], design)
    if not isnan(se):
        wanted = se**2 * effective
        alike = plans.crossing(lambda x: population(x).variance > wanted, 0.0, plans.MOST_ALIKE)
        design *= max(1.0, wanted / population(0.0).variance)
    return _simulated(draft, population(alike).tilted(draft.figure), options["rng"], design)
