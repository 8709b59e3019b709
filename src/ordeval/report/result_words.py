"""What a result says in sentences: answer, method and data checks."""

from collections.abc import Sequence
from itertools import combinations
from math import isnan

import numpy as np

from ..advice import Facts, recommend
from ..errors import plural, quoted
from ..formatting import decimals, one_line
from ..measures.spec import Measure, parse_measure
from ..results import Intervals, Pair, Result, Standing, Tests
from ..types import Floats
from .phrases import (
    all_of,
    counted,
    grouped,
    in_words,
    interval_phrase,
    joined,
    listed,
    measure_phrase,
    number,
    p_phrase,
    sentence,
    verb,
)
from .texts import text_of
from .view import Remark, kept, remarks_of, strong

_MOST_WINNERS = 3  # more systems than this are only listed
_MOST_COMPARED = 10  # systems whose numbers are given where all were compared with one
_MOST_NAMES = 12  # measures that are named
_FEW_ITEMS, _FEW_TOPICS = 10, 20
_SIMILAR = 0.9  # median τ from which the choice of measure makes little difference
_VERDICTS = {
    "better": "significantly better",
    "worse": "significantly worse",
    "equivalent": "equivalent within the margin of {margin:g}",
    "undecided": "neither significantly different nor equivalent within the margin",
    "not told apart": "not significantly different",
}
_EQUIVALENT = {"equivalent": "are", "undecided": "may or may not be"}


def size_of(result: Result) -> str:
    """Return who was scored on what: the only system, gold, the size of the data, the scale."""
    systems, gold = result.scores.systems, str(result.about.get("y_true", ""))
    who = f"{len(systems)} systems against {gold}: " if gold not in ("", "gold") else ""
    if len(systems) == 1:
        who = f"{systems[0]} against {gold}: " if gold else f"{systems[0]}: "
    return f"{one_line(who)}{_size(result)}, scale {result.scores.scale.describe()}"


def _size(result: Result) -> str:
    """Return the number of items, with their weights, clusters and topics."""
    scores, judge, quantified = result.scores, result.judge, result.kind == "quantification"
    noun = "topic" if quantified else "item"
    parts = kept(
        scores.size,
        scores.effective > 0 and "weighted",
        noun if scores.items == 1 else f"{noun}s",
        judge is not None and f"with gold labels of {judge.items:,}",
        scores.effective > 0 and f"(worth {scores.effective:,.1f} of equal weight)",
        result.clusters > 0 and f"in {plural(result.clusters, 'cluster')}",
    )
    how = "mean" if scores.aggregate == "mean" else "pooled"
    topics = f", {how} over {plural(len(scores.topics), 'topic')}"
    return " ".join(parts) + topics * (bool(scores.topics) and not quantified)


# The answer.


def answer(result: Result) -> list[str]:
    """Return which system is best, by how much and how certain that is."""
    first = leaders(result.standings())
    if not first:
        return [f"No system has a score under {measure_phrase(result.primary)}."]
    if len(result.systems) == 1:
        return _one_system(result, first[0])
    told = [_winner(result, first)]
    if result.tests is not None and result.tests.against:
        return kept(*told, _against(result, result.tests), _without_score(result))
    told += [_runner_up(result, len(first)), _best_group(result), _without_score(result)]
    return kept(*told, _other_measures(result) if len(first) == 1 else "")


def leaders(rows: Sequence[Standing]) -> list[Standing]:
    """Return the rows of the best score; none where no system has a score."""
    return [row for row in rows if row.rank == 1]


def _interval(result: Result, row: Standing) -> str:
    return interval_phrase(row, result.intervals.level if result.intervals else 0.0)


def _one_system(result: Result, row: Standing) -> list[str]:
    m, interval = result.primary, _interval(result, row)
    span = range_text(result, m, " to ").replace("-", "−")
    score = f"{number(row.value)} under {measure_phrase(m)}{f', {interval}' * bool(interval)}"
    first = f"{strong(row.system)} scores {score}; the range is {span}, and {m.better} is better."
    return [first] if result.tables is None else [first, system_sentence(result, row.system)]


def range_text(result: Result, measure: Measure, between: str) -> str:
    """Return the bounds of the scores of a measure."""
    return between.join(f"{end:.4g}" for end in result.scores.bounds(measure)).replace("inf", "∞")


def _winner(result: Result, first: list[Standing]) -> str:
    """Name the best system, or those that share the best score."""
    m, best = result.primary, first[0]
    details = kept(len(first) == 1 and _interval(result, best), f"{m.better} is better")
    who, systems = listed([row.system for row in first]), counted(len(result.systems), "system")
    ranks = verb(len(first), "ranks first", "share the first rank")
    score = f"with a score of {number(best.value)} ({'; '.join(details)})"
    return f"{who} {ranks} of {systems} under {measure_phrase(m)}, {score}."


def _against(result: Result, tests: Tests) -> str:
    """Say how the systems stand to the one that they were compared with."""
    others = [row.system for row in result.standings() if row.system != tests.against]
    pairs = [result.pair(system, tests.against) for system in others]
    few = len(others) <= _MOST_COMPARED
    names = grouped(
        (pair.verdict, strong(pair.first) + f" ({_figures(result, pair)})" * few) for pair in pairs
    )
    verdicts = {word: text.format(margin=tests.margin) for word, text in _VERDICTS.items()}
    parts = [
        f"{joined(names[word])} {verb(len(names[word]), 'is', 'are')} {text}"
        for word, text in verdicts.items()
        if word in names
    ]
    score = number(result.standing(tests.against).value)
    told = f"Compared with {strong(tests.against)} (score {score}): {'; '.join(parts)}."
    return told if parts else ""


def _figures(result: Result, pair: Pair) -> str:
    """Return the difference of two systems with its interval, p-value and effect size."""
    level = result.differences.level if result.differences else 0.0
    parts = kept(
        f"difference {number(pair.value)}",
        interval_phrase(pair, level),
        not isnan(pair.p) and p_phrase(pair.p),
        not isnan(pair.effect) and f"effect size {pair.effect:.2f}".replace("-", "−"),
    )
    return ", ".join(parts)


def _runner_up(result: Result, first: int) -> str:
    """Name the next system, the distance to it and the test."""
    rows, tests = result.standings(), result.tests
    if first == len(rows) or rows[first].rank is None:
        return ""
    pair = result.pair(rows[0].system, rows[first].system)
    who = f"{strong(pair.second)} (score {number(rows[first].value)})"
    start = f"{'The runner-up' if first == 1 else 'The next one'} is {who}"
    if tests is None or isnan(pair.p):
        reason = "no test was made" if tests is None else "the test is undefined"
        return f"{start}: {_figures(result, pair)}; {reason}."
    significant = "a" if pair.p < tests.alpha else "not a"
    told = f"{start}, {significant} significant difference ({_figures(result, pair)})"
    if pair.verdict and not isnan(tests.margin):
        are = _EQUIVALENT.get(pair.verdict, "are not")
        told += f"; the two {are} equivalent within the margin of {tests.margin:g}"
    return f"{told}{_detectable(result, tests, pair)}."


def _detectable(result: Result, tests: Tests, pair: Pair) -> str:
    """Say which difference would have been found, if none was."""
    lowest, highest = result.scores.bounds(pair.measure)
    silent = pair.p < tests.alpha or pair.verdict == "equivalent" or isnan(pair.detectable)
    if silent or pair.detectable > highest - lowest:
        return ""
    units = counted(tests.units, tests.over[:-1])
    return f"; {units} reveal differences of {number(pair.detectable)} in about 80 % of cases"


def _best_group(result: Result) -> str:
    """Say which systems may be the best; two systems need no such sentence."""
    rows = [row for row in result.standings() if row.rank is not None]
    if result.tests is None or len(rows) < 3:
        return ""
    best, group = rows[0], [row.system for row in rows[1:] if row.in_best_group]
    if not group:
        others = all_of(len(rows) - 1, "others")
        return f"{strong(best.system)} is significantly better than {others}."
    who = f"{sentence(listed(group))} {verb(len(group), 'is', 'are')} not"
    who = "No other system is" if len(group) == len(rows) - 1 else who
    span = f"; the tests allow it the ranks 1 to {best.rank_high}"
    span = span if best.rank_high not in (None, 1) else ""
    return f"{who} significantly worse than {strong(best.system)}{span}."


def _without_score(result: Result) -> str:
    """Count the systems that the primary measure does not rank."""
    rest = sum(row.rank is None for row in result.standings())
    told = sentence(f"{counted(rest, 'system has', 'systems have')} no score under this measure.")
    return told if rest else ""


def _other_measures(result: Result) -> str:
    """Say whether the measures that score the best system rank it first."""
    ranks = {m: result.standing(result.best, m).rank for m in result.measures}
    ranked = [m for m, rank in ranks.items() if rank is not None]
    same = [m.label for m in ranked if ranks[m] == 1]
    best, names = strong(result.best), listed(same, _MOST_NAMES)
    if len(ranked) < 2:
        return ""
    if len(same) == len(ranked):
        return sentence(f"{all_of(len(ranked), 'measures')} rank {best} first: {names}.")
    share = f"{in_words(len(same))} of {counted(len(ranked), 'measure')} ({names})"
    others = {m: leaders(result.standings(m))[0].system for m in ranked if ranks[m] != 1}
    told = f"{share} {verb(len(same), 'ranks', 'rank')} {best} first; {_preferences(others)}."
    return sentence(told)


def _preferences(winners: dict[Measure, str]) -> str:
    """Say which measures rank which system first."""
    by_winner = grouped((system, m.label) for m, system in winners.items())
    if len(by_winner) > _MOST_WINNERS:
        return f"the others prefer {listed(list(by_winner), 4)}"
    return ", ".join(
        f"{listed(names, 4)} {verb(len(names), 'prefers', 'prefer')} {strong(system)}"
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
    on = "" if result.judge is None else f" with gold labels ({result.judge.labelled:,})"
    told = f"It is right on {right:.1%} of the items{on}"
    told += f" and at most one class off on {near:.1%}" if k > 2 else ""
    same = " It predicts the same class throughout." if system in result.constant_systems else ""
    return f"{told}; on average its predictions are {direction}.{same}".replace("%", " %")


# Method.


def method(result: Result) -> list[str]:
    """Return how the numbers were computed, with the settings and the works they follow."""
    judge, primary = result.judge, result.primary
    told = [_scoring(result)]
    if judge is not None:
        rated = text_of("result.rated") if judge.rated else ""
        least = p_phrase(min(check.p for check in judge.checks))
        name = strong(judge.name)
        told.append(text_of("result.completed", judge=judge, name=name, rated=rated, p=least))
    tests = _tests(result.tests) if result.tests else text_of("result.no_tests")
    source = f"The measure is {primary.label} ({primary.record.card.citation})."
    return [*told, _intervals(result), tests, source]


def _scoring(result: Result) -> str:
    scores, topics = result.scores, len(result.scores.topics)
    if result.kind == "quantification":
        return text_of("result.quantified", size=scores.size)
    averaged = topics > 1 and scores.aggregate == "mean"
    how = f"on each of {topics} topics, and scores were averaged" if averaged else "on one table"
    size = _size(result) + (", each with its weight" if scores.effective else "")
    return text_of("result.scored", how=how, size=size, scale=scores.scale.describe())


def _intervals(result: Result) -> str:
    """Say how intervals were made; those of measures of numbers may be of another kind."""
    made = result.intervals
    if made is None:
        return text_of("result.no_intervals")
    raw = [m for m in result.measures if result.intervals_of(m).method != made.method]
    if not raw:
        return _interval_method(made)
    other = _interval_method(result.intervals_of(raw[0]))
    if len(raw) == len(result.measures):
        return other
    return f"{_interval_method(made)} For {listed([result.scores.label(m) for m in raw])}: {other}"


def _interval_method(made: Intervals) -> str:
    key = made.method if made.method in ("t", "dirichlet") else "resampled"
    units = {"both": "topics and of items within them"}.get(made.over, made.over)
    return text_of(f"result.{key}", made=made, level=100 * made.level, units=units)


def _tests(tests: Tests) -> str:
    """Say which systems were compared, by which test."""
    whom = f"Every system was tested against {strong(tests.against)}"
    who = whom if tests.against else "All pairs of systems were tested"
    draws = f"{'all' if tests.exact else 'random'} exchanges of {tests.over}"
    how = f"by {draws} ({tests.trials:,}, seed {tests.seed})"
    how = f"by t tests of the influence of {tests.over}" if tests.normal else how
    test = text_of("result.maxt")
    told = text_of("result.tests", who=who, how=how, test=test, alpha=tests.alpha)
    told += "" if np.isnan(tests.effect).all() else text_of("result.effect")
    margin = "" if isnan(tests.margin) else text_of("result.equivalence", margin=tests.margin)
    return told + margin


# Data checks.


def checks(result: Result) -> list[Remark]:
    """Return the notes of the result and the outcome of checks of the data."""
    scores, topics = result.scores, len(result.scores.topics)
    few = 1 < topics < _FEW_TOPICS and scores.aggregate == "mean"
    defined = not scores.undefined.any()
    return kept(
        *remarks_of(result.notes),
        *([] if result.tables is None else _class_checks(result, result.tables)),
        few and Remark("note", text_of("result.few_topics", topics=topics)),
        defined and Remark("ok", "All scores are defined."),
    )


def _class_checks(result: Result, tables: Floats) -> list[Remark]:
    """Return remarks on the classes of gold, and on systems that predict one class only."""
    gold, constant = tables[0].sum(axis=1), result.constant_systems
    least = int(np.argmin(gold))
    label, share = result.scores.scale.labels[least], f"{100 * gold[least] / gold.sum():.2g} %"
    items = f"{gold[least]:,.10g} gold {verb(int(gold[least]), 'item', 'items')}"
    rare = one_line(f"Class {label} has only {items} ({share}).")
    predicts = verb(len(constant), "predicts", "predict")
    same = f"{quoted(constant)} {predicts} the same class throughout."
    who = "The system predicts" if len(result.systems) == 1 else "All systems predict"
    every = bool(gold.all())  # else the notes name the empty classes
    return kept(
        every and Remark("ok", "All classes occur in gold."),
        every and gold[least] < _FEW_ITEMS and Remark("note", rare),
        Remark("warning", same) if constant else Remark("ok", f"{who} more than one class."),
    )


# Measures.


def similarity_words(tau: Floats, names: Sequence[str]) -> str:
    """Say which measures rank the systems most and least alike; `tau` is `[measure, measure]`."""
    upper = combinations(range(len(names)), 2)
    every = [(float(tau[i, j]), names[i], names[j]) for i, j in upper]
    pairs = sorted(pair for pair in every if not isnan(pair[0]))
    if not pairs:
        return "The rankings cannot be compared: too few scores are defined."

    def pair(tau: float, a: str, b: str) -> str:
        return f"{strong(a)} and {strong(b)} (τ = {decimals(tau, 2, minus='−')})"

    least = f", the least similar ones those under {pair(*pairs[0])}"
    least = least if pairs[0][0] < pairs[-1][0] else ""
    alone = [name for name, row in zip(names, tau, strict=True) if np.isnan(row).all()]
    lost = (
        f" {listed(alone)} {verb(len(alone), 'does', 'do')} not rank all systems." if alone else ""
    )
    median = float(np.median([pair[0] for pair in pairs]))
    key = "similar" if median >= _SIMILAR else "different"
    choice = text_of(f"result.{key}", tau=decimals(median, 2, minus="−"))
    return f"The most similar rankings are those under {pair(*pairs[-1])}{least}.{lost} {choice}"


def advice(result: Result) -> str:
    """Return the measure that is recommended for such data, and the reason."""
    found, used = recommend({}, Facts.of_result(result)), strong(result.primary.label)
    primary = parse_measure(found.primary)
    start = f"This page ranks by {used}, which is recommended for such data."
    if primary != result.primary:
        start = f"For such data {strong(primary.label)} is recommended; this page ranks by {used}."
    return " ".join([f"{start} {found.reason} ({found.source})", *found.remarks])
