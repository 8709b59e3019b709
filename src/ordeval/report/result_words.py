"""What a result says in sentences: answer, method and data checks."""

from collections.abc import Sequence
from itertools import combinations
from math import isnan

import numpy as np

from ..advice import Facts, recommend
from ..errors import plural, quoted
from ..formatting import decimals, one_line
from ..measures.spec import Measure, parse_measure
from ..results import Intervals, JudgeLabels, Pair, Result, Standing, Tests
from ..types import Floats
from .phrases import (
    all_of,
    counted,
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
from .view import Remark, remarks_of, strong

_MOST_WINNERS = 3  # more systems than this are only listed
_MOST_COMPARED = 10  # systems whose numbers are given where all were compared with one
_MOST_NAMES = 12  # measures that are named
_FEW_ITEMS, _FEW_TOPICS = 10, 20
_VERDICTS = {
    "better": "significantly better",
    "worse": "significantly worse",
    "equivalent": "equivalent within the margin of {margin:g}",
    "undecided": "neither significantly different nor equivalent within the margin",
    "not told apart": "not significantly different",
}


def size_of(result: Result) -> str:
    """Return who was scored on what: the only system, gold, the size of the data, the scale."""
    scores, systems = result.scores, result.scores.systems
    gold = str(result.about.get("gold", ""))
    who = f"{len(systems)} systems against {gold}: " if gold not in ("", "gold") else ""
    if len(systems) == 1:
        who = f"{systems[0]} against {gold}: " if gold else f"{systems[0]}: "
    return f"{one_line(who)}{_size(result)}, scale {scores.scale.describe()}"


def _size(result: Result) -> str:
    """Return the number of items, with their weights, clusters and topics."""
    scores = result.scores
    unit = "topics" if result.kind == "quantification" else "items"
    weighted = "weighted " if scores.effective else ""
    size = f"{scores.size} {weighted}{unit if scores.items != 1 else unit[:-1]}"
    if result.judge is not None:
        size = f"{size} with gold labels of {result.judge.items:,}"
    size += f" (worth {scores.effective:,.1f} of equal weight)" if scores.effective else ""
    size += f" in {plural(result.clusters, 'cluster')}" if result.clusters else ""
    if scores.topics and result.kind != "quantification":
        how = "mean over" if scores.aggregate == "mean" else "pooled over"
        size += f", {how} {plural(len(scores.topics), 'topic')}"
    return size


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
        return [*told, *_against(result, result.tests), *_without_score(result)]
    told += [*_runner_up(result, len(first)), *_best_group(result), *_without_score(result)]
    return told + (_other_measures(result) if len(first) == 1 else [])


def leaders(rows: Sequence[Standing]) -> list[Standing]:
    """Return the rows of the best score; none where no system has a score."""
    return [row for row in rows if row.rank == 1]


def _level(result: Result) -> float:
    return result.intervals.level if result.intervals else 0.0


def _one_system(result: Result, row: Standing) -> list[str]:
    m = result.primary
    span = range_text(result, m, " to ").replace("-", "−")
    found = interval_phrase(row, _level(result))
    score = f"{number(row.value)} under {measure_phrase(m)}{f', {found}' * bool(found)}"
    first = f"{strong(row.system)} scores {score}; the range is {span}, and {m.better} is better."
    return [first] if result.tables is None else [first, system_sentence(result, row.system)]


def range_text(result: Result, measure: Measure, between: str) -> str:
    """Return the bounds of the scores of a measure."""
    return between.join(f"{end:.4g}" for end in result.scores.bounds(measure)).replace("inf", "∞")


def _winner(result: Result, first: list[Standing]) -> str:
    """Name the best system, or those that share the best score."""
    m, best = result.primary, first[0]
    found = interval_phrase(best, _level(result)) if len(first) == 1 else ""
    details = "; ".join(filter(None, (found, f"{m.better} is better")))
    score = f"with a score of {number(best.value)} ({details})"
    who, systems = listed([row.system for row in first]), counted(len(result.systems), "system")
    ranks = verb(len(first), "ranks first", "share the first rank")
    return f"{who} {ranks} of {systems} under {measure_phrase(m)}, {score}."


def _against(result: Result, tests: Tests) -> list[str]:
    """Say how the systems stand to the one that they were compared with."""
    others = [row.system for row in result.standings() if row.system != tests.against]
    by_verdict: dict[str, list[str]] = {word: [] for word in _VERDICTS}
    for system in others:
        pair = result.pair(system, tests.against)
        named = strong(system)
        if len(others) <= _MOST_COMPARED:
            named += f" ({_figures(result, pair)})"
        by_verdict.get(pair.verdict, []).append(named)
    verdicts = {word: text.format(margin=tests.margin) for word, text in _VERDICTS.items()}
    parts = [
        f"{joined(names)} {verb(len(names), 'is', 'are')} {verdicts[word]}"
        for word, names in by_verdict.items()
        if names
    ]
    score = number(result.standing(tests.against).value)
    return [f"Compared with {strong(tests.against)} (score {score}): {'; '.join(parts)}."] * bool(
        parts
    )


def _figures(result: Result, pair: Pair) -> str:
    """Return the difference of two systems with its interval, p-value and effect size."""
    e = pair
    level = result.differences.level if result.differences else 0.0
    told = [f"difference {number(e.value)}", interval_phrase(e, level)]
    told += [] if isnan(pair.p) else [p_phrase(pair.p)]
    told += [] if isnan(pair.effect) else [f"effect size {pair.effect:.2f}".replace("-", "−")]
    return ", ".join(filter(None, told))


def _runner_up(result: Result, first: int) -> list[str]:
    """Name the next system, the distance to it and the test."""
    rows = result.standings()
    if first == len(rows) or rows[first].rank is None:
        return []
    pair, tests = result.pair(rows[0].system, rows[first].system), result.tests
    who = f"{strong(pair.second)} (score {number(rows[first].value)})"
    start = f"{'The runner-up' if first == 1 else 'The next one'} is {who}"
    if tests is None or isnan(pair.p):
        reason = "no test was made" if tests is None else "the test is undefined"
        return [f"{start}: {_figures(result, pair)}; {reason}."]
    significant = "a" if pair.p < tests.alpha else "not a"
    told = f"{start}, {significant} significant difference ({_figures(result, pair)})"
    return [told + _equivalence(tests, pair) + _detectable(result, tests, pair) + "."]


def _equivalence(tests: Tests, pair: Pair) -> str:
    """Say whether two systems are equivalent within the margin, if there is one."""
    if isnan(tests.margin) or not pair.verdict:
        return ""
    which = {"equivalent": "are", "undecided": "may or may not be"}.get(pair.verdict, "are not")
    return f"; the two {which} equivalent within the margin of {tests.margin:g}"


def _detectable(result: Result, tests: Tests, pair: Pair) -> str:
    """Say which difference would have been found, if none was."""
    lowest, highest = result.scores.bounds(pair.measure)
    silent = pair.p < tests.alpha or pair.verdict == "equivalent" or isnan(pair.detectable)
    if silent or pair.detectable > highest - lowest:
        return ""
    units = counted(tests.units, tests.over[:-1])
    return f"; {units} reveal differences of {number(pair.detectable)} in about 80 % of cases"


def _best_group(result: Result) -> list[str]:
    """Say which systems may be the best; two systems need no such sentence."""
    rows = [row for row in result.standings() if row.rank is not None]
    if result.tests is None or len(rows) < 3:
        return []
    best, group = rows[0], [row.system for row in rows[1:] if row.in_best_group]
    span = (
        ""
        if best.rank_high in (None, 1)
        else f"; the tests allow it the ranks 1 to {best.rank_high}"
    )
    if not group:
        others = all_of(len(rows) - 1, "others")
        return [f"{strong(best.system)} is significantly better than {others}."]
    who = (
        "No other system is"
        if len(group) == len(rows) - 1
        else f"{sentence(listed(group))} {verb(len(group), 'is', 'are')} not"
    )
    return [f"{who} significantly worse than {strong(best.system)}{span}."]


def _without_score(result: Result) -> list[str]:
    """Count the systems that the primary measure does not rank."""
    rest = sum(row.rank is None for row in result.standings())
    told = sentence(f"{counted(rest, 'system has', 'systems have')} no score under this measure.")
    return [told] if rest else []


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
    every = [m for m in result.measures if result.standing(best, m).rank is not None]
    if len(every) < 2:
        return []
    same = [m.short for m in every if m not in against]
    if not against:
        which = f"{all_of(len(every), 'measures')} rank"
        return [sentence(f"{which} {strong(best)} first: {listed(same, _MOST_NAMES)}.")]
    share = f"{in_words(len(same))} of {counted(len(every), 'measure')}"
    told = (
        f"{share} ({listed(same, _MOST_NAMES)}) {verb(len(same), 'ranks', 'rank')} {strong(best)}"
    )
    return [sentence(f"{told} first; {_preferences(against)}.")]


def _preferences(winners: dict[Measure, str]) -> str:
    """Say which measures rank which system first."""
    by_winner: dict[str, list[str]] = {}
    for m, system in winners.items():
        by_winner.setdefault(system, []).append(m.short)
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
    judge = [] if result.judge is None else [_judge(result.judge)]
    tests = [_tests(result.tests)] if result.tests else [text_of("result.no_tests")]
    primary = result.primary
    source = f"The measure is {primary.short} ({primary.record.citation})."
    return [_scoring(result), *judge, _intervals(result), *tests, source]


def _scoring(result: Result) -> str:
    scores, topics = result.scores, len(result.scores.topics)
    if result.kind == "quantification":
        return text_of("result.quantified", size=scores.size)
    averaged = topics > 1 and scores.aggregate == "mean"
    how = f"on each of {topics} topics, and scores were averaged" if averaged else "on one table"
    size = _size(result) + (", each with its weight" if scores.effective else "")
    return text_of("result.scored", how=how, size=size, scale=scores.scale.describe())


def _judge(judge: JudgeLabels) -> str:
    """Say how the labels of a judge were used."""
    least = min(check.p for check in judge.checks)
    values = {"labelled": judge.labelled, "items": judge.items, "name": strong(judge.name)}
    rated = text_of("result.rated") if judge.rated else ""
    return text_of("result.completed", **values, rated=rated, p=p_phrase(least))


def _intervals(result: Result) -> str:
    """Say how intervals were made; those of measures of numbers may be of another kind."""
    made = result.intervals
    if made is None:
        return text_of("result.no_intervals")
    raw = [m for m in result.measures if result.intervals_of(m).method != made.method]
    told = _interval_method(made)
    if not raw:
        return told
    other = _interval_method(result.intervals_of(raw[0]))
    if len(raw) == len(result.measures):
        return other
    return f"{told} For {listed([result.scores.short(m) for m in raw])}: {other}"


def _interval_method(made: Intervals) -> str:
    key = made.method if made.method in ("t", "dirichlet") else "resampled"
    units = {"both": "topics and of items within them"}.get(made.over, made.over)
    values = {"level": 100 * made.level, "draws": made.replicates, "seed": made.seed}
    return text_of(f"result.{key}", **values, units=units, method=made.method)


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
    made = remarks_of(result.notes)
    if result.tables is not None:
        made += [*_gold_checks(result), _system_check(result)]
    topics = len(result.scores.topics)
    if 1 < topics < _FEW_TOPICS and result.scores.aggregate == "mean":
        made.append(Remark("note", text_of("result.few_topics", topics=topics)))
    return (
        made if result.scores.undefined.any() else [*made, Remark("ok", "All scores are defined.")]
    )


def _gold_checks(result: Result) -> list[Remark]:
    assert result.tables is not None
    gold = result.tables[0].sum(axis=1)
    if not gold.all():
        return []  # the notes name the empty classes
    least = int(np.argmin(gold))
    made = [Remark("ok", "All classes occur in gold.")]
    if gold[least] < _FEW_ITEMS:
        label, share = result.scores.scale.labels[least], f"{100 * gold[least] / gold.sum():.2g} %"
        items = f"{gold[least]:,.10g} gold {verb(int(gold[least]), 'item', 'items')}"
        made.append(Remark("note", one_line(f"Class {label} has only {items} ({share}).")))
    return made


def _system_check(result: Result) -> Remark:
    if constant := result.constant_systems:
        predict = verb(len(constant), "predicts", "predict")
        return Remark("warning", f"{quoted(constant)} {predict} the same class throughout.")
    one = len(result.systems) == 1
    return Remark(
        "ok", f"{'The system predicts' if one else 'All systems predict'} more than one class."
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

    told = f"The most similar rankings are those under {pair(*pairs[-1])}"
    told += (
        f", the least similar ones those under {pair(*pairs[0])}."
        if pairs[0][0] < pairs[-1][0]
        else "."
    )
    alone = [name for name, row in zip(names, tau, strict=True) if np.isnan(row).all()]
    told += (
        f" {listed(alone)} {verb(len(alone), 'does', 'do')} not rank all systems." if alone else ""
    )
    median = float(np.median([pair[0] for pair in pairs]))
    key = "similar" if median >= 0.9 else "different"
    return f"{told} {text_of(f'result.{key}', tau=decimals(median, 2, minus='−'))}"


def advice(result: Result) -> str:
    """Return the measure that is recommended for such data, and the reason."""
    found, used = recommend({}, Facts.of_result(result)), strong(result.primary.short)
    primary = parse_measure(found.primary)
    start = f"This page ranks by {used}, which is recommended for such data."
    if primary != result.primary:
        start = f"For such data {strong(primary.short)} is recommended; this page ranks by {used}."
    return " ".join([f"{start} {found.reason} ({found.source})", *found.remarks])
