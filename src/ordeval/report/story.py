"""What a result says, as sentences: answer, method, data checks, advice.

Sentences are plain text in which names stand out between two marks (see `strong`). `plain` removes
the marks, and pages turn them into emphasis, so that the same sentences serve text and HTML.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

import numpy as np

from ..errors import quoted
from ..formatting import decimals, one_line, p_text
from ..measures.spec import Measure, parse_measure
from ..meta import advise
from ..results import Intervals, JudgeLabels, Pair, Result, Standing, Tests
from ..types import Floats
from .result_tables import number_span, range_text

STRONG, END = "\x02", "\x03"  # control characters, which no name has after `one_line`

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_WINNERS = 3  # more systems than this are only listed
_MOST_FIGURES = 5  # systems whose figures are given one by one
_MOST_COMPARED = 10  # systems whose figures are given where all were compared with one
_MOST_NAMES = 12  # measures that are named
_FEW_ITEMS = 10
_FEW_TOPICS = 20
_INFORMATION = (  # the beginnings of notices that warn of nothing
    "Computed from the numbers",
    "The weights make",
    "The number of items is not known; the weights",
    "There is one topic, so that items",
    "Intervals of ",
    "Percentile instead of BCa",
    "Gold labels are those of people",
    "Every difference has a λ",
    "Every item has a gold label",
    "κ linear takes neighbouring classes",
)
NO_TESTS = "No significance tests were made."
_METHODS = {"bca": "bias-corrected and accelerated (BCa)", "percentile": "percentile"}
_ADDED = "each with two more items in random cells"
_CORRECTED = (
    "The quantiles lie farther out by as much as those of Student's t do from normal ones; each "
    "interval is extended by twice the bias of the draws, at most to the limit of the measure's "
    "range, and includes the score."
)
_JACKKNIFE = "those of Student's t, from the jackknife over {}, cut at the limits of the range"
_TRANSFORMED = "symmetric in the logarithm of errors and in Fisher's z of correlations"
_RESAMPLED = {"both": "topics and of items within them"}


# Phrases.


def strong(text: object) -> str:
    """Return a name that stands out."""
    return f"{STRONG}{one_line(str(text))}{END}"


def plain(sentence: str) -> str:
    """Return a sentence without emphasis."""
    return sentence.replace(STRONG, "").replace(END, "")


def sentence(*parts: str) -> str:
    """Return parts joined, with a capital at the beginning."""
    joined = "".join(parts)
    return joined[:1].upper() + joined[1:]


def number(value: float) -> str:
    """Return a number with three decimals, or its leading digit where these are all zero.

    >>> number(0.12345), number(0.0003), number(0.00004)
    ('0.123', '0.0003', '4e−05')
    """
    if value == 0 or abs(value) >= 0.00005 or isnan(value):
        return decimals(value, 3 if value == 0 or abs(value) >= 0.0005 else 4, minus="−")
    return f"{value:.0e}".replace("-", "−")


def p_phrase(p: float) -> str:
    """Return a p-value for a sentence.

    >>> p_phrase(0.0002), p_phrase(0.0234), p_phrase(0.5)
    ('p < 0.001', 'p = 0.023', 'p = 0.50')
    """
    text = p_text(p, 3 if p < 0.1 else 2)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def in_words(count: int) -> str:
    """Return small numbers as words, others in digits."""
    return _SMALL[count] if count < len(_SMALL) else f"{count:,}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, small numbers as words.

    >>> counted(1, "system"), counted(12, "system")
    ('one system', '12 systems')
    """
    return f"{in_words(count)} {noun if count == 1 else plural or noun + 's'}"


def all_of(count: int, noun: str) -> str:
    """Return "both systems", "all three systems" and so on."""
    return f"both {noun}" if count == 2 else f"all {in_words(count)} {noun}"


def listed(names: Sequence[object], most: int = 6) -> str:
    """Return "a, b and c", with names in emphasis and long lists cut.

    >>> plain(listed(["a", "b", "c", "d"], 2))
    'a, b and two others'
    """
    shown = [strong(name) for name in names[:most]]
    shown += [counted(len(names) - most, "other")] if len(names) > most else []
    return joined(shown)


def joined(phrases: Sequence[str]) -> str:
    """Return "a, b and c".

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(phrases[:-1]), *phrases[-1:])))


def measure_phrase(measure: Measure) -> str:
    """Return the short name of a measure with its title."""
    short, title = measure.short, measure.record.title
    return strong(short) if short == title else f"{strong(short)} ({title})"


def interval_phrase(found: Intervals | None, low: float, high: float) -> str:
    """Return an interval for a sentence; empty where there is none."""
    if found is None or isnan(low) or isnan(high):
        return ""
    return f"{100 * found.level:g} % interval {number(low)} to {number(high)}"


# The answer.


def answer(result: Result) -> list[str]:
    """Return which system is best, by how much and how certain that is."""
    first = leaders(result.standings())
    if not first:
        return [f"No system has a score under {measure_phrase(result.primary)}."]
    if len(result.systems) == 1:
        return _one_system(result, first[0])
    if result.tests is not None and result.tests.against:
        return [_winner(result, first), *_against(result, result.tests), *_without_score(result)]
    start = [_winner(result, first), *_runner_up(result, len(first))]
    if len(first) > 1:
        return [*start, *_without_score(result), *_tie_breakers(result)]
    return [
        *start,
        *_best_group(result),
        *_rank_span(result),
        *_without_score(result),
        *_other_measures(result),
    ]


def leaders(rows: Iterable[Standing]) -> list[Standing]:
    """Return the rows of the best score; none where no system has a score."""
    return [row for row in rows if row.rank == 1]


def _with_score(result: Result) -> int:
    return sum(row.rank is not None for row in result.standings())


def _one_system(result: Result, row: Standing) -> list[str]:
    m = result.primary
    span = range_text(m, result.scores, " to ").replace("-", "−")
    numbers = number_span(result.scores, m)
    span += f" for numbers {numbers}".replace("-", "−") if numbers else ""
    found = interval_phrase(result.intervals, row.low, row.high)
    score = f"{number(row.score)} under {measure_phrase(m)}{f', {found}' if found else ''}"
    first = f"{strong(row.system)} scores {score}; the range is {span}, and {m.better} is better."
    return [first] if result.tables is None else [first, system_sentence(result, row.system)]


def _winner(result: Result, first: list[Standing]) -> str:
    """Name the best system, or those that share the best score."""
    m, systems, best = result.primary, counted(len(result.systems), "system"), first[0]
    score, better = number(best.score), f"{m.better} is better"
    under = f"under {measure_phrase(m)}"
    found = _intervals_of(result, first)
    details = f"{found}; {better}" if found else better
    if len(first) == len(result.systems):
        return sentence(f"{all_of(len(first), 'systems')} score {score} {under} ({details}).")
    if len(first) > 1:
        who = f"{listed([row.system for row in first])} share the first rank of {systems}"
        return f"{who} {under}, with a score of {score} ({details})."
    who = f"{strong(best.system)} ranks first of {systems}"
    return f"{who} {under}, with a score of {score} ({details})."


def _intervals_of(result: Result, rows: Sequence[Standing]) -> str:
    """Return the intervals of systems of equal score, which differ where their errors do."""
    phrases = {row.system: interval_phrase(result.intervals, row.low, row.high) for row in rows}
    found = {system: phrase for system, phrase in phrases.items() if phrase}
    if len(set(found.values())) < 2:
        return next(iter(found.values()), "")
    shown = [f"{strong(system)} {phrase}" for system, phrase in found.items()]
    return ", ".join(shown[:_MOST_FIGURES])


def _against(result: Result, tests: Tests) -> list[str]:
    """Say how the systems stand to the one that they were compared with."""
    others = [row.system for row in result.standings() if row.system != tests.against]
    verdict = {system: result.pair(system, tests.against).verdict for system in others}
    parts = []
    for word, phrase in (
        ("better", "significantly better"),
        ("worse", "significantly worse"),
        ("equivalent", f"equivalent within the margin of {tests.margin:g}"),
        ("undecided", "neither told apart nor equivalent within the margin"),
        ("not told apart", "not told apart"),
    ):
        names = [system for system in others if verdict[system] == word]
        if names:
            who = listed(names)
            if len(others) <= _MOST_COMPARED:
                who = joined([_compared(result, system, tests.against) for system in names])
            parts.append(f"{who} {'is' if len(names) == 1 else 'are'} {phrase}")
    told, score = "; ".join(parts), number(result.standing(tests.against).score)
    return [f"Compared with {strong(tests.against)} (score {score}): {told}."] if parts else []


def _compared(result: Result, system: str, against: str) -> str:
    """Return a system with its score and how it differs from the one that it was tested against."""
    pair = result.pair(system, against)
    figures = [
        f"score {number(result.standing(system).score)}",
        f"difference {number(pair.difference)}",
        interval_phrase(result.differences, pair.low, pair.high),
        "" if isnan(pair.p) else p_phrase(pair.p),
    ]
    return f"{strong(system)} ({', '.join(filter(None, figures))})"


def _runner_up(result: Result, first: int) -> list[str]:
    """Name the next system, the distance to it and the test."""
    rows = result.standings()
    if first == len(rows) or rows[first].rank is None:
        return []
    best, second = rows[0], rows[first]
    start = "The runner-up" if first == 1 else "The next one"
    gap = f"is {number(abs(best.score - second.score))} behind"
    verdict = _verdict(result, best.system, second.system)
    who = f"{strong(second.system)} (score {number(second.score)})"
    return [f"{start}, {who}, {gap}{verdict}."]


def _verdict(result: Result, best: str, second: str) -> str:
    """Say whether two systems differ significantly, with the figures."""
    pair, sign = result.pair(best, second), result.primary.sign
    low, high = sorted((sign * pair.low, sign * pair.high))
    found = interval_phrase(result.differences, low, high)
    ends = [found] if found else []
    if result.tests is None or isnan(pair.p):
        reason = "no test was made" if result.tests is None else "the test is undefined"
        return f" ({found}); {reason}" if found else f"; {reason}"
    effect = [] if isnan(pair.effect) else [f"effect size {abs(pair.effect):.2f}"]
    significant = "a" if pair.p < result.tests.alpha else "not a"
    figures = ", ".join([p_phrase(pair.p), *effect, *ends])
    told = f", {significant} significant difference ({figures})"
    return told + _equivalence(result, pair) + _detectable(result, pair)


def _equivalence(result: Result, pair: Pair) -> str:
    """Say whether two systems are equivalent within the margin, if there is one."""
    tests = result.required_tests()
    if isnan(tests.margin):
        return ""
    margin = f"within the margin of {tests.margin:g}"
    if pair.verdict == "equivalent":
        return f"; the two are equivalent {margin}"
    if pair.verdict == "undecided":
        return f"; whether the two are equivalent {margin} is undecided"
    return f"; the two are not equivalent {margin}" if pair.verdict else ""


def _detectable(result: Result, pair: Pair) -> str:
    """Say which difference would have been found, if none was."""
    tests = result.required_tests()
    if pair.p < tests.alpha or isnan(pair.detectable) or pair.verdict == "equivalent":
        return ""
    lowest, highest = result.scores.bounds(pair.measure)
    if pair.detectable > highest - lowest:
        return ""
    units = counted(tests.units, tests.over[:-1])
    return (
        f"; with {units}, differences of {number(pair.detectable)} are found in about 80 % of cases"
    )


def _rank_span(result: Result) -> list[str]:
    """Say which ranks the tests allow the best system, where it may not be the best."""
    best = result.standings()[0]
    if best.rank_low is None or best.rank_high is None or best.rank_high == 1:
        return []
    return [f"The tests allow {strong(best.system)} the ranks 1 to {best.rank_high}."]


def _best_group(result: Result) -> list[str]:
    """Name the other systems that may be the best; two systems need no such sentence."""
    others, rows = _with_score(result) - 1, result.standings()
    if result.tests is None or others < 2:
        return []
    best, beaten = strong(rows[0].system), len(rows[0].beats)
    group = [row.system for row in rows if row.in_best_group]
    # The runner-up has a sentence of its own.
    told = [row.system for row in rows[2:] if row.rank is not None]
    equal = _with_figures(result, [system for system in told if system in group])
    worse = _with_figures(result, [system for system in told if system not in group])
    if not beaten:
        figures = f"; the others are {equal}" if equal else ""
        return [f"No system is significantly worse than {best}{figures}."]
    if beaten == others:
        which = "this is" if others == 2 else "these are"
        figures = f"; besides the runner-up {which} {worse}" if worse else ""
        return [f"{best} is significantly better than {all_of(others, 'others')}{figures}."]
    if group == [row.system for row in rows[:2]]:
        rest = counted(beaten, "other system", "other systems")
        named = f"{rest}, {worse}," if worse else rest
        verb = "is" if beaten == 1 else "are"
        return [f"The {named} {verb} significantly worse than {best}."]
    who = worse or counted(beaten, "other system")
    verb = "is" if beaten == 1 else "are"
    figures = f": {equal}" if equal else ""
    return [
        f"{listed(group)} form the best group: none of them is significantly worse than "
        f"{best}{figures}.",
        sentence(f"{who} {verb} significantly worse."),
    ]


def _with_figures(result: Result, systems: Sequence[str]) -> str:
    """Return systems with their scores and p-values against the best one; nothing if many."""
    if _with_score(result) > _MOST_FIGURES:
        return ""
    told = []
    for system in systems:
        p, score = result.pair(result.best, system).p, number(result.standing(system).score)
        told.append(f"{strong(system)} (score {score}{'' if isnan(p) else f', {p_phrase(p)}'})")
    return joined(told)


def _without_score(result: Result) -> list[str]:
    """Count the systems that the primary measure does not rank."""
    rest = len(result.systems) - _with_score(result)
    if not rest:
        return []
    if rest == len(result.systems) - 1:
        return ["No other system has a score under this measure."]
    return [sentence(f"{counted(rest, 'system has', 'systems have')} no score under this measure.")]


def other_winners(result: Result) -> dict[Measure, str]:
    """Return the measures under which the best system is not first, with their own best system."""
    return {
        m: leaders(result.standings(m))[0].system
        for m in result.measures
        if result.standing(result.best, m).rank not in (None, 1)
    }


def _other_measures(result: Result) -> list[str]:
    """Say whether the measures that score the best system rank it first."""
    best, against = result.best, other_winners(result)
    judges = [m for m in result.measures if result.standing(best, m).rank is not None]
    undefined = [
        m.short for m in result.measures if m not in judges and leaders(result.standings(m))
    ]
    verb = "is" if len(undefined) == 1 else "are"
    lost = [f"{listed(undefined)} {verb} undefined for it."] if undefined else []
    if len(judges) < 2:
        return lost
    if not against:
        some = " that score it" if undefined else ""
        every = all_of(len(judges), "measures")
        names = listed([m.short for m in judges], _MOST_NAMES)
        return [sentence(f"{every}{some} rank {strong(best)} first: {names}."), *lost]
    same = [m.short for m in judges if m not in against]
    rank = "ranks" if len(same) == 1 else "rank"
    share = f"{in_words(len(same))} of {counted(len(judges), 'measure')}"
    told = f"{share} ({listed(same, _MOST_NAMES)}) {rank} {strong(best)} first"
    return [sentence(f"{told}; {_preferences(against)}."), *lost]


def _tie_breakers(result: Result) -> list[str]:
    """Name the measures under which one system alone is first."""
    first = {m: leaders(result.standings(m)) for m in result.measures}
    alone = {m: rows[0].system for m, rows in first.items() if len(rows) == 1}
    return [f"To break the tie: {_preferences(alone)}."] if alone else []


def _preferences(winners: dict[Measure, str]) -> str:
    """Say which measures rank which system first."""
    by_winner: dict[str, list[str]] = {}
    for m, system in winners.items():
        by_winner.setdefault(system, []).append(m.short)
    if len(by_winner) > _MOST_WINNERS:
        return f"the others prefer {listed(list(by_winner), 4)}"
    return ", ".join(
        f"{listed(names, 4)} {'prefers' if len(names) == 1 else 'prefer'} {strong(system)}"
        for system, names in by_winner.items()
    )


def system_sentence(result: Result, system: str) -> str:
    """Return how often a system is right, how close its errors are, and in which direction."""
    if result.tables is None:
        return ""
    table = result.tables[result.scores.place(system)]
    k, total = len(table), table.sum()
    if not total:
        return ""
    steps = np.arange(k)[None, :] - np.arange(k)[:, None]
    right, near = (table[np.abs(steps) <= far].sum() / total for far in (0, 1))
    lean = float((table * steps).sum() / total)
    direction = f"{abs(lean):.2f} classes too {'high' if lean > 0 else 'low'}"
    direction = "neither too high nor too low" if abs(lean) < 0.005 else direction
    told = f"{_on_labelled(result)} is right on {right:.1%} of the items"
    told += f" and at most one class off on {near:.1%}" if k > 2 else ""
    constant = system in result.constant_systems
    same = " It predicts the same class throughout." if constant else ""
    return f"{told}; on average its predictions are {direction}.{same}".replace("%", " %")


def _on_labelled(result: Result) -> str:
    """Begin a sentence about the labelled items; a judge's labels correct only the scores."""
    if result.judge is None:
        return "It"
    return f"Without the correction, on the {result.judge.labelled:,} items with gold labels, it"


# Method.


def method(result: Result, *, letters: bool = True) -> list[str]:
    """Return how the figures were computed, with the settings; `letters` explains a table."""
    judge = [] if result.judge is None else [_judge(result.judge)]
    return [_scoring(result), _intervals(result), *judge, *_tests(result, letters=letters)]


def _judge(judge: JudgeLabels) -> str:
    """Say how the labels of a judge were used."""
    least = min(judge.checks, key=lambda check: check.p)
    columns = dict.fromkeys(name for name in (least.column, least.differs_from) if name)
    rated = " Labelled items were weighted by the inverse of their rates." if judge.rated else ""
    return (
        f"Gold labels are those of people, of {judge.labelled:,} of {judge.items:,} items. The "
        f"labels that {strong(judge.name)} gave to all items correct the table of the labelled "
        "items by λ times the difference of the judge's shares on all and on the labelled items; "
        "for each score λ is the number from 0 to 1 with the smallest variance. Intervals are "
        "those of the labelled items alone, moved to the corrected score and shortened by the "
        f"ratio of the standard errors.{rated} The classes of labelled and other items, and "
        "their differences between systems and judge, were compared by likelihood ratio tests, of "
        f"which the smallest p-value is {least.p:.2g} ({' and '.join(map(strong, columns))})."
    )


def _scoring(result: Result) -> str:
    scores = result.scores
    if result.kind == "quantification":
        return (
            f"Each estimated distribution was scored against gold on {scores.size} "
            "topics, and scores were averaged over topics."
        )
    weighted = ", each with its weight" if scores.effective else ""
    who = "The system" if len(scores.systems) == 1 else "Each system"
    if len(scores.topics) > 1 and scores.aggregate == "mean":
        return (
            f"{who} was scored on each of {len(scores.topics)} topics "
            f"({scores.size} items{weighted}), and scores were averaged over topics."
        )
    pooled = f" pooled over {len(scores.topics)} topics" if len(scores.topics) > 1 else ""
    items = f"{scores.size} items{weighted}"
    return f"{who} was scored on one table of {items}{pooled}."


def _intervals(result: Result) -> str:
    """Say how intervals were made; those of measures of numbers may be of another kind."""
    found = result.intervals
    if found is None:
        return "No intervals were computed."
    raw = [m for m in result.measures if result.intervals_of(m).method != found.method]
    if not raw:
        return _interval_method(result, found)
    made = result.intervals_of(raw[0])
    if len(raw) == len(result.measures):
        return _interval_method(result, made)
    names = listed([result.scores.short(m) for m in raw])
    return (
        f"{_interval_method(result, found)} Intervals of {names} are "
        f"{_JACKKNIFE.format(made.over)}{_transformed(result, raw)}."
    )


def _interval_method(result: Result, found: Intervals) -> str:
    unit, level = found.over, f"{100 * found.level:g} %"
    if found.method == "t":
        return _t_intervals(result, found)
    if found.method == "dirichlet":
        whose = "its table" if len(result.systems) == 1 else "the table of each system"
        return (
            f"Intervals at {level} are quantiles of scores of {found.replicates:,} tables drawn "
            f"from a Dirichlet distribution around {whose}, {_ADDED} (seed {found.seed}). "
            f"{_CORRECTED}"
        )
    return (
        f"Intervals are {_METHODS[found.method]} bootstrap intervals at {level}, from "
        f"{found.replicates:,} resamples of {_RESAMPLED.get(found.over, unit)} (seed {found.seed})."
    )


def _transformed(result: Result, measures: Sequence[Measure]) -> str:
    """Say on which scale the intervals of measures of numbers are, unless they are of means."""
    scores = result.scores
    raw = [m for m in measures if scores.is_raw(m)]
    of_means = len(scores.topics) > 1 and scores.aggregate == "mean"
    if of_means or not raw:
        return ""
    whose = (
        ""
        if len(raw) == len(measures)
        else f"; those of {listed([scores.short(m) for m in raw])} are"
    )
    return f"{whose or ','} {_TRANSFORMED}"


def _t_intervals(result: Result, found: Intervals) -> str:
    """Name t intervals, and those that replace them for systems on which all units agree."""
    row, level = result.scores.row(result.primary), f"Intervals at {100 * found.level:g} %"
    defined = ~np.isnan(found.low[row])
    flat = [
        system
        for system, is_flat in zip(result.scores.systems, found.se[row] == 0, strict=True)
        if is_flat and defined[result.scores.place(system)]
    ]
    transformed = _transformed(result, result.measures)
    usual = f"{level} are {_JACKKNIFE.format(found.over)}{transformed}."
    if not flat:
        return usual
    whose = "its table" if len(flat) == 1 else "the table of each"
    drawn = (
        f"quantiles of scores of tables drawn from a Dirichlet distribution around {whose}, taken "
        f"as one of {found.replicates:,} items ({found.over}), {_ADDED} (seed {found.seed})"
    )
    if len(flat) == int(defined.sum()):
        return f"{level} are {drawn}, because all {found.over} agree. {_CORRECTED}"
    who = f"For {listed(flat)}, on which all {found.over} agree"
    return f"{usual} {who}, the interval is given by {drawn}. {_CORRECTED}"


def _tests(result: Result, *, letters: bool) -> list[str]:
    tests = result.tests
    if tests is None:
        return [NO_TESTS]
    effect = (
        " An effect size is a difference in residual standard deviations of the two-way analysis "
        "of variance (systems × topics)."
    )
    family = "all pairs of systems" if not tests.against else "all these comparisons"
    return [
        f"{_tested(tests)} A difference is called significant at p < {tests.alpha:g}; the "
        f"error rate is controlled over {family} under one measure, not over measures.",
        *_remarks(tests, effect if not np.isnan(tests.effect).all() else "", letters=letters),
    ]


def _remarks(tests: Tests, effect: str, *, letters: bool) -> list[str]:
    """Explain letters, effect sizes and equivalence."""
    shared = "Systems that share a group letter are not told apart."
    found = [((shared if letters and not tests.against else "") + effect).strip()]
    if not isnan(tests.margin):
        found.append(
            f"Equivalence within ±{tests.margin:g} is two one-sided tests at the level "
            f"{tests.alpha:g} for each pair, not corrected for the number of pairs."
        )
    return [text for text in found if text]


def _tested(tests: Tests) -> str:
    """Say which systems were compared, by which test."""
    who = "All pairs of systems were tested"
    if tests.against:
        who = f"Every system was tested against {strong(tests.against)}"
    if tests.kind == "tukey":
        return f"{who}: {tests.name}, {tests.trials:,} trials, seed {tests.seed}."
    if tests.normal:
        joint = "Holm's correction"
        if tests.kind == "maxt":
            joint = f"step-down max-T ({tests.trials:,} normal draws, seed {tests.seed})"
        return (
            f"{who} by t tests of the influence of items on the difference, each with a λ of its "
            f"own and two items added on which the systems differ, with {joint}."
        )
    draws = (
        f"on all {tests.trials:,} sets of {tests.over} up to a common exchange"
        if tests.exact
        else f"on random sets of {tests.over} ({tests.trials:,} trials, seed {tests.seed})"
    )
    if tests.kind == "holm":
        return f"{who}, each pair by exchanging both systems {draws}, with Holm's correction."
    return (
        f"{who} by step-down max-T: both systems of a pair are exchanged {draws}, and each "
        "difference, in standard errors, is compared with the largest among the pairs that are "
        "not yet found to differ."
    )


# Data checks.


@dataclass(frozen=True)
class Check:
    """A finding about the data; `level` is "ok", "note" or "warning"."""

    level: str
    text: str


def data_checks(result: Result) -> list[Check]:
    """Return the notices of the result and the outcome of checks of the data."""
    found = [Check(_level(notice), notice) for notice in result.notices]
    found += [*_gold_checks(result), *_system_checks(result), *_topic_checks(result)]
    defined = [] if result.scores.undefined.any() else [Check("ok", "All scores are defined.")]
    return found + defined


def _level(notice: str) -> str:
    """Return "note" for what was done as asked, "warning" for what may be wrong."""
    return "note" if notice.startswith(_INFORMATION) else "warning"


def _gold_checks(result: Result) -> list[Check]:
    if result.tables is None:
        return []
    gold = result.tables[0].sum(axis=1)
    if not gold.all():
        return []  # the notices name the empty classes
    found, least = [Check("ok", "All classes occur in gold.")], int(np.argmin(gold))
    if gold[least] < _FEW_ITEMS:
        items = "item" if gold[least] == 1 else "items"
        share = f"{100 * gold[least] / gold.sum():.2g} %"
        text = (
            f"Class {result.scores.scale.labels[least]} has only {gold[least]:,.10g} gold {items} "
            f"({share}): figures for it are imprecise."
        )
        found.append(Check("note", text))
    return found


def _system_checks(result: Result) -> list[Check]:
    if result.tables is None:
        return []
    if constant := result.constant_systems:
        predict = "predicts" if len(constant) == 1 else "predict"
        text = (
            f"{quoted(constant)} {predict} the same class throughout; chance-corrected measures "
            "are then 0 or less, or undefined."
        )
        return [Check("warning", text)]
    one = len(result.systems) == 1
    text = "The system predicts" if one else "All systems predict"
    return [Check("ok", f"{text} more than one class.")]


def _topic_checks(result: Result) -> list[Check]:
    count = len(result.scores.topics)
    if not 1 < count < _FEW_TOPICS or result.scores.aggregate != "mean":
        return []
    text = (
        f"There are only {count} topics: intervals and tests are imprecise, and only large "
        "differences are significant."
    )
    return [Check("note", text)]


# Measures.


def tau_sentences(tau: Floats, names: Sequence[str]) -> list[str]:
    """Say which measures rank the systems most and least alike; `tau` is `[measure, measure]`."""
    upper = combinations(range(len(names)), 2)
    every = [(float(tau[i, j]), names[i], names[j]) for i, j in upper]
    pairs = [pair for pair in every if not isnan(pair[0])]
    if not pairs:
        return ["The rankings cannot be compared: too few scores are defined."]
    high, low = max(pairs, key=lambda pair: pair[0]), min(pairs, key=lambda pair: pair[0])
    lines = [f"The most similar rankings are those under {_pair_phrase(*high)}."]
    if low[0] < high[0]:
        lines.append(f"The least similar ones are those under {_pair_phrase(*low)}.")
    alone = [name for name, row in zip(names, tau, strict=True) if np.isnan(row).all()]
    verb = "does" if len(alone) == 1 else "do"
    left_out = [f"{listed(alone)} {verb} not rank all systems."] if alone else []
    return [*lines, _agreement(float(np.median([pair[0] for pair in pairs]))), *left_out]


def _pair_phrase(tau: float, a: str, b: str) -> str:
    return f"{strong(a)} and {strong(b)} (τ = {decimals(tau, 2, minus='−')})"


def _agreement(median: float) -> str:
    shown = f"(median τ {decimals(median, 2, minus='−')})"
    if median >= 0.9:
        return f"The choice of measure makes little difference here {shown}."
    if median >= 0.7:
        return f"The measures agree on the whole {shown}, but not in detail."
    return (
        f"The ranking depends on the measure {shown}: choose it by the needs of the task, before "
        "looking at scores."
    )


def advice(result: Result) -> list[str]:
    """Return the measure that is recommended for such data, the reason and warnings."""
    found = advise(result)
    primary, secondary = parse_measure(found.primary), parse_measure(found.secondary)
    used = strong(result.primary.short)
    start = f"This page ranks by {used}, which is recommended for such data."
    if primary != result.primary:
        second = f", with {strong(secondary.short)} as a second measure"
        start = (
            f"For such data {strong(primary.short)} is recommended"
            f"{second if secondary != primary else ''}; this page ranks by {used}, as requested."
        )
    return [f"{start} {found.reason} ({found.source})", *found.warnings]
