"""What the figures say, in plain words made from them."""

import numpy as np
from markupsafe import Markup

from ..registry import Measure
from ..results import Result
from .wording import counted, listed, measure_words, number, p_words, sentence, strong


def answer(result: Result) -> list[Markup]:
    """Which system, by how much, how sure: a few sentences."""
    if np.isnan(_score(result, result.best)):
        return [sentence("No system has a score under ", measure_words(result.primary), ".")]
    if len(result.scores.systems) == 1:
        return _one_system(result)
    return [_first(result), *_runner_up(result), *_best_group(result), *_other_measures(result)]


def _score(result: Result, system: str, measure: Measure | None = None) -> float:
    return result.scores.of(measure or result.primary, system)


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


def _first(result: Result) -> Markup:
    return sentence(
        strong(result.best),
        f" comes first of {counted(len(result.systems), 'system')} under ",
        measure_words(result.primary),
        f", scoring {number(_score(result, result.best))}",
        _interval(result, result.best),
        f" ({result.primary.better} is better).",
    )


def _runner_up(result: Result) -> list[Markup]:
    best, second = result.systems[:2]
    if np.isnan(_score(result, second)):
        return [Markup("No other system has a score under it.")]
    gap = abs(_score(result, best) - _score(result, second))
    ahead = f" is {number(gap)} behind" if gap else " scores exactly the same"
    return [sentence("The runner-up, ", strong(second), ",", ahead, _how_sure(result), ".")]


def _how_sure(result: Result) -> str:
    if result.tests is None:
        return "; no test was made"
    p = result.p(*result.systems[:2])
    if np.isnan(p):
        return "; the test is undefined for this pair"
    if p < result.tests.alpha:
        return f", a significant difference ({p_words(p)}{_effect(result)})"
    return f", which the test cannot tell from chance ({p_words(p)}{_effect(result)})"


def _effect(result: Result) -> str:
    if result.tests is None:
        return ""
    row = result.scores.measures.index(result.primary)
    first, second = (result.scores.systems.index(s) for s in result.systems[:2])
    effect = abs(result.tests.effect[row, first, second])
    return "" if np.isnan(effect) else f", effect size {effect:.2f}"


def _best_group(result: Result) -> list[Markup]:
    if result.tests is None:
        return []
    group, others = result.group_of_best(), len(result.systems) - 1
    beaten = len(result.beats(result.best))
    if len(group) == others + 1:
        text = "No system is significantly worse than the best: they cannot be told apart here."
        return [Markup(text)]
    if len(group) == 1:
        all_others = "the other one" if others == 1 else f"all {others} others"
        text = f"It beats {all_others} significantly, and stands alone."
        return [Markup(text)] if beaten == others else []
    worse = counted(beaten, "system is", "systems are")
    apart = ": tests cannot tell the first from the rest."
    return [
        sentence("The best group holds ", listed(group), apart),
        sentence(f"{worse} significantly worse."),
    ]


def _other_measures(result: Result) -> list[Markup]:
    scores = result.scores
    winners = {m: scores.ranking(m)[0] for m in scores.measures if _is_defined(result, m)}
    if len(winners) < 2:
        return []
    same = sum(winner == result.best for winner in winners.values())
    if same == len(winners):
        return [Markup(f"All {len(winners)} measures put it first.")]
    others = list(dict.fromkeys(w for w in winners.values() if w != result.best))
    put = "puts" if same == 1 else "put"
    return [
        sentence(
            f"Of {len(winners)} measures, {counted(same, put, put)} it first; ",
            "the others prefer ",
            listed(others, 4),
            ": see ",
            Markup('<a href="#measures">where the ranking depends on the measure</a>.'),
        )
    ]


def _is_defined(result: Result, measure: Measure) -> bool:
    return not np.isnan(result.scores.values[result.scores.measures.index(measure)]).all()


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
    told = f"It is right on {right:.1%} of the items and at most one class off on {near:.1%}"
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
    kinds = {"bca": "bias-corrected and accelerated (BCa)", "percentile": "percentile"}
    what = {"topics": "topics", "items": "items", "both": "topics, and items within them,"}
    unit = "instances" if result.kind == "quantification" else what.get(found.over, found.over)
    return [
        f"Intervals are {kinds.get(found.method, found.method)} bootstrap intervals at "
        f"{100 * found.level:g} %, from {found.replicates:,} resamples of {unit} (seed "
        f"{found.seed}); all systems share the resamples where these are of topics or instances."
    ]


def _test_words(result: Result) -> list[str]:
    tests = result.tests
    if tests is None:
        return ["No significance tests were made."]
    return [
        f"All pairs of systems were tested: {tests.name}, {tests.trials:,} trials, seed "
        f"{tests.seed}. A difference is called significant at p < {tests.alpha:g}, the error rate "
        "being controlled over all pairs of systems under one measure, not over measures.",
        "Systems that share a group letter are not told apart. An effect size is a difference in "
        "residual standard deviations of the two-way analysis of variance (systems × topics).",
    ]
