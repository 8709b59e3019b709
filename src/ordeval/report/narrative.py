"""What the figures say, in plain words made from them."""

import numpy as np
from markupsafe import Markup

from ..results import Result
from ..spec import Measure
from .places import leaders, place, scored
from .wording import (
    all_of,
    counted,
    in_words,
    listed,
    measure_words,
    number,
    p_words,
    sentence,
    strong,
)

_MOST_WINNERS = 3  # more than so many are not told one by one


def answer(result: Result) -> list[Markup]:
    """Which system, by how much, how sure: a few sentences."""
    first = leaders(result, result.primary)
    if not first:
        return [sentence("No system has a score under ", measure_words(result.primary), ".")]
    if len(result.scores.systems) == 1:
        return _one_system(result)
    start = [_first(result, first), *_runner_up(result, first)]
    if len(first) > 1:
        return [*start, *_without_score(result), *_tie_breakers(result)]
    return [*start, *_best_group(result), *_without_score(result), *_other_measures(result)]


def _score(result: Result, system: str) -> float:
    return result.scores.of(result.primary, system)


def _interval(result: Result, system: str) -> str:
    """The interval of a system in words, with a comma before; empty without one."""
    found = result.intervals
    if found is None:
        return ""
    row = result.scores.measures.index(result.primary)
    place = result.scores.systems.index(system)
    low, high = found.low[row, place], found.high[row, place]
    if np.isnan(low) or np.isnan(high):
        return ""
    return f", with a {100 * found.level:g} % interval from {number(low)} to {number(high)}"


def _one_system(result: Result) -> list[Markup]:
    system, m = result.best, result.primary
    low, high = m.bounds(result.scores.scale.k)
    span = f"{low:.4g} to {high:.4g}".replace("inf", "∞").replace("-", "−")
    first = sentence(
        strong(system),
        f" scores {number(_score(result, system))} under ",
        measure_words(m),
        _interval(result, system),
        f"; the measure goes from {span}, and {m.better} is better.",
    )
    return [first] if result.tables is None else [first, system_words(result, system)]


def _first(result: Result, first: list[str]) -> Markup:
    """Who comes first; equal scores are no order."""
    count = len(result.systems)
    if len(first) == 1:
        who = [strong(first[0]), f" comes first of {counted(count, 'system')}"]
        more = _interval(result, first[0])
    elif len(first) == count:
        who, more = [all_of(count, "system"), " score the same"], ""
    else:
        who, more = [listed(first), f" share the first place of {counted(count, 'system')}"], ""
    score = "" if len(first) == count else "scoring "
    return sentence(
        *who,
        " under ",
        measure_words(result.primary),
        f", {score}{number(_score(result, first[0]))}",
        more,
        f" ({result.primary.better} is better).",
    )


def _runner_up(result: Result, first: list[str]) -> list[Markup]:
    """The next system, how far behind it is, and how sure that is."""
    best, second = result.best, next((s for s in result.systems if s not in first), None)
    if second is None or np.isnan(_score(result, second)):
        return []
    start = "The runner-up" if len(first) == 1 else "The next one"
    gap = f", is {number(abs(_score(result, best) - _score(result, second)))} behind"
    return [sentence(f"{start}, ", strong(second), gap, *_how_sure(result, second), ".")]


def _how_sure(result: Result, second: str) -> list[str]:
    if result.tests is None:
        return [_difference(result, second), "; no test was made"]
    p = result.p(result.best, second)
    if np.isnan(p):
        return [_difference(result, second), "; the test is undefined for this pair"]
    told = p < result.tests.alpha
    verdict = "a significant difference" if told else "which the test cannot tell from chance"
    figures = f" ({p_words(p)}{_effect(result, second)})"
    return [_difference(result, second), f", {verdict}{figures}"]


def _difference(result: Result, second: str) -> str:
    """The interval of the difference, where one was asked for."""
    if result.differences is None:
        return ""
    found = result.difference(result.best, second)
    low, high = sorted(result.primary.sign * end for end in (found.low, found.high))
    if np.isnan(low) or np.isnan(high):
        return ""
    level = f"{100 * result.differences.level:g} %"
    return f" ({level} interval of the difference: {number(low)} to {number(high)})"


def _effect(result: Result, second: str) -> str:
    if result.tests is None:
        return ""
    row = result.scores.measures.index(result.primary)
    places = (result.scores.systems.index(s) for s in (result.best, second))
    effect = abs(result.tests.effect[(row, *places)])
    return "" if np.isnan(effect) else f", effect size {effect:.2f}"


def _best_group(result: Result) -> list[Markup]:
    """Who else may be the best; two systems are dealt with already."""
    others = scored(result, result.primary) - 1
    if result.tests is None or others < 2:
        return []
    group, beaten = result.group_of_best(), len(result.beats(result.best))
    best = strong(result.best)
    if not beaten:
        return [sentence("No system is significantly worse than ", best, ".")]
    if beaten == others:
        every = "both others" if others == 2 else f"all {in_words(others)} others"
        return [sentence(best, f" is significantly better than {every}.")]
    if group == result.systems[:2]:
        rest = counted(beaten, "other system is", "other systems are")
        return [sentence(f"The {rest} significantly worse than ", best, ".")]
    worse = counted(beaten, "system is", "systems are")
    return [
        sentence(
            "The best group is ", listed(group), ": no test tells ", best, " from the others in it."
        ),
        sentence(f"{worse} significantly worse than it."),
    ]


def _without_score(result: Result) -> list[Markup]:
    """Systems that the primary measure cannot rank."""
    rest = len(result.systems) - scored(result, result.primary)
    if not rest:
        return []
    if rest == len(result.systems) - 1:
        return [Markup("No other system has a score under it.")]
    return [sentence(f"{counted(rest, 'system has', 'systems have')} no score under this measure.")]


def _other_measures(result: Result) -> list[Markup]:
    """Whether other measures agree on the best; those that give it no score have no say."""
    best = result.best
    first = {m: leaders(result, m) for m in result.scores.measures}
    judges = [m for m in first if place(result, m, best) is not None]
    against = [m for m in judges if best not in first[m]]
    silent = [m.short for m in first if first[m] and m not in judges]
    give = " gives" if len(silent) == 1 else " give"
    lost = [sentence(listed(silent), give, " it no score.")] if silent else []
    if len(judges) < 2:
        return lost
    if not against:
        every = f"{all_of(len(judges), 'measure')}{' that score it' if silent else ''} put "
        return [sentence(every, strong(best), " first."), *lost]
    same = len(judges) - len(against)
    put = "puts" if same == 1 else "put"
    told = f"{in_words(same)} of {counted(len(judges), 'measure')} {put} "
    words = sentence(told, strong(best), " first; ", _dissent(against, first))
    more = Markup(': see <a href="#measures">where the ranking depends on the measure</a>')
    return [words + (more if len(result.systems) > 2 else "") + ".", *lost]


def _tie_breakers(result: Result) -> list[Markup]:
    """The measures under which one system comes first, where the primary one has several."""
    first = {m: leaders(result, m) for m in result.scores.measures}
    alone = [m for m in first if len(first[m]) == 1]
    return [sentence("To break the tie: ", _dissent(alone, first), ".")] if alone else []


def _dissent(against: list[Measure], first: dict[Measure, list[str]]) -> Markup:
    """Which measures prefer whom, in full where few are preferred."""
    by_winner: dict[str, list[str]] = {}
    for m in against:
        by_winner.setdefault(first[m][0], []).append(m.short)
    if len(by_winner) > _MOST_WINNERS:
        return Markup("the others prefer ") + listed(list(by_winner), 4)
    parts = [
        listed(names, 4) + (" prefers " if len(names) == 1 else " prefer ") + strong(winner)
        for winner, names in by_winner.items()
    ]
    return Markup(", ").join(parts)


def system_words(result: Result, system: str) -> Markup:
    """How often a system is right, how near its errors are, and which way it leans."""
    if result.tables is None:
        return Markup("")
    table = result.tables[result.scores.systems.index(system)]
    k, total = len(table), table.sum()
    if not total:
        return Markup("")
    steps = np.arange(k)[None, :] - np.arange(k)[:, None]
    right, near = table[steps == 0].sum() / total, table[np.abs(steps) <= 1].sum() / total
    lean = float((table * steps).sum() / total)
    way = f"leans {'high' if lean > 0 else 'low'}, by {abs(lean):.2f} classes on average"
    way = "leans neither way" if abs(lean) < 0.005 else way
    used = np.flatnonzero(table.sum(axis=0))
    told = f"It is right on {right:.1%} of the items"
    told += f" and at most one class off on {near:.1%}" if k > 2 else ""
    lone = " It always gives the same class." if len(used) == 1 else ""
    return Markup((f"{told}; it {way}.{lone}").replace("%", " %"))


def method(result: Result) -> list[str]:
    """How the figures were made, with the settings."""
    return [_scores_words(result), *_interval_words(result), *_test_words(result)]


def _scores_words(result: Result) -> str:
    scores = result.scores
    if result.kind == "quantification":
        return (
            f"Every estimated distribution was scored against gold on each of {scores.items:,.10g} "
            "instances, and scores were averaged over instances."
        )
    if scores.topics and scores.aggregate == "mean":
        return (
            f"Every system was scored on each of {len(scores.topics)} topics "
            f"({scores.items:,.10g} items), and scores were averaged over topics."
        )
    pooled = f" pooled over {len(scores.topics)} topics" if scores.topics else ""
    return f"Every system was scored on one table of {scores.items:,.10g} items{pooled}."


def _interval_words(result: Result) -> list[str]:
    found = result.intervals
    if found is None:
        return ["No intervals were computed."]
    shared = {"topics": ", which all systems share", "both": "; all share those of topics"}
    kinds = {"bca": "bias-corrected and accelerated (BCa)", "percentile": "percentile"}
    what = {"topics": "topics", "items": "items", "both": "topics, and items within them,"}
    unit = "instances" if result.kind == "quantification" else what.get(found.over, found.over)
    return [
        f"Intervals are {kinds.get(found.method, found.method)} bootstrap intervals at "
        f"{100 * found.level:g} %, from {found.replicates:,} resamples of {unit} "
        f"(seed {found.seed}){shared.get(found.over, '')}."
    ]


def _test_words(result: Result) -> list[str]:
    tests = result.tests
    if tests is None:
        return ["No significance tests were made."]
    effect = (
        " An effect size is a difference in residual standard deviations of the two-way analysis "
        f"of variance (systems × {'instances' if result.kind == 'quantification' else 'topics'})."
    )
    return [
        f"All pairs of systems were tested: {tests.name}, {tests.trials:,} trials, seed "
        f"{tests.seed}. A difference is called significant at p < {tests.alpha:g}, the error rate "
        "being controlled over all pairs of systems under one measure, not over measures.",
        "Systems that share a group letter are not told apart."
        + ("" if np.isnan(tests.effect).all() else effect),
    ]
