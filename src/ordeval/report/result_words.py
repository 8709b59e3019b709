"""What a result says in sentences: answer, method and data checks."""

from collections.abc import Sequence
from itertools import combinations
from math import isnan
from statistics import NormalDist

import numpy as np

from ..advice import Facts, recommend
from ..errors import plural
from ..formatting import decimals, one_line
from ..measures.spec import Measure, parse_measure
from ..notes import Note
from ..results import (
    Calibration,
    Estimate,
    Intervals,
    Pair,
    Result,
    Slice,
    SliceGap,
    Slices,
    Standing,
    Tests,
)
from ..results.result import difference_words
from ..stats.plans import Goal, more_of_groups, more_units
from ..types import Floats
from .texts import grouped, interval_phrase, joined, measure_phrase, number, p_phrase, strong
from .texts import text_of as text
from .view import kept, remark

_MOST_COMPARED = 2  # systems whose numbers are given where all were compared with one
_FEW_ITEMS, _FEW_TOPICS = 10, 20
_MOST_COLUMNS = 3  # of slices, in sentences
_SIMILAR = 0.9  # median τ from which the choice of measure makes little difference


def size_of(result: Result) -> str:
    """Return who was scored on what: the only system, gold, the size of the data, the scale."""
    systems, gold = result.scores.systems, str(result.about.get("y_true", ""))
    gold = "" if result.rated else gold
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
        judge is not None and result.rated and f"of {judge.items:,}",
        scores.effective > 0 and "weighted",
        noun if (judge.items if judge and result.rated else scores.items) == 1 else f"{noun}s",
        judge is not None and result.rated and "rated by people",
        judge is not None and not result.rated and f"with gold labels of {judge.items:,}",
        scores.effective > 0 and f"(worth {scores.effective:,.1f} of equal weight)",
        result.clusters > 0 and f"in {plural(result.clusters, 'cluster')}",
    )
    how = "mean" if scores.aggregate == "mean" else "pooled"
    topics = f", {how} over {plural(len(scores.topics), 'topic')}"
    return " ".join(parts) + topics * (bool(scores.topics) and not quantified)


# The answer.


def answer(result: Result) -> list[str]:
    """Return which system is best, by how much and how certain that is, and about its slices."""
    return [*_ranking(result), *slice_sentences(result)]


def _ranking(result: Result) -> list[str]:
    first = leaders(result.standings())
    if not first:
        return [text("answer.none", measure=measure_phrase(result.primary))]
    if len(result.systems) == 1:
        return kept(_one_system(result, first[0]), system_sentence(result, first[0].system))
    rest = sum(row.rank is None for row in result.standings())
    unscored = text("answer.unscored", n=rest) if rest else ""
    if result.tests is not None and result.tests.against:
        return kept(_winner(result, first), _against(result, result.tests), unscored)
    return kept(
        _winner(result, first),
        _runner_up(result, len(first)),
        _best_group(result),
        unscored,
        _other_measures(result) if len(first) == 1 and not result.rated else "",
    )


def slice_sentences(result: Result) -> list[str]:
    """Say which slices of the best system differ, which is the worst, and whether they drift.

    What was found in any column comes before what was not; several such columns are named at once.
    """
    if result.slices is None or result.intervals is None:
        return []
    gaps = result.slices.gaps(result.primary, result.best)
    told = [(gap.column, *_of_column(result, result.slices, gap)) for gap in gaps]
    told.sort(key=lambda column: not column[1])
    names = [name for name, found, _ in told if found]
    first = [text("answer.slices_by", names=names)] if len(names) > 1 else []
    return first + [s for which in (1, 2) for column in told[:_MOST_COLUMNS] for s in column[which]]


def _of_column(result: Result, slices: Slices, gap: SliceGap) -> tuple[list[str], list[str]]:
    """Say what was found, and what was not, about the slices of a column."""
    level, units = result.intervals.level if result.intervals else 0.0, _units(result)
    rows = slices.rows(result.primary, result.best)
    differ, drifts = gap.alike < 1 - level, gap.slope_p < 1 - level
    tested = [row for row in rows if row.column == gap.column and not isnan(row.p)]
    unclear = not differ and not isnan(gap.alike)
    takes = more_of_groups(gap.alike, len(tested), level, *units) if unclear else ""
    drift_takes = _drift_takes(gap.slope, level, *units)
    interval, worst = (interval_phrase(x, level) for x in (gap, gap.worst_score))
    slope = f"{gap.slope.value:+.2g}".replace("-", "−")
    directed = result.primary.record.directed
    values = {
        "differ": "differ" if differ else "are not found to differ",
        "takes": _after(takes),
        "interval": interval,
        "ends": "best and worst" if directed else "highest and lowest",
    }
    key = "answer.drift" if drifts else "answer.no_drift"
    outlying = _outlying(result, gap, tested, 1 - level)
    of_best = kept(
        not isnan(gap.alike) and text("answer.slices", row=gap, **values),
        *outlying,
        differ and directed and text("answer.worst", row=gap, interval=worst),
        not isnan(gap.slope_p) and text(key, row=gap, slope=slope, takes=_after(drift_takes)),
    )
    ahead, of_pairs = _regressions(result, slices, gap.column, 1 - level)
    told = [(ahead, of_pairs), (differ or drifts or bool(outlying), of_best)]
    return (
        [sentence for found, part in told if found for sentence in part],
        [sentence for found, part in told if not found for sentence in part],
    )


def _outlying(result: Result, gap: SliceGap, rows: Sequence[Slice], alpha: float) -> list[str]:
    """Say which slices are worse and better than the rest, and which measures say the opposite."""

    def ahead(row: Slice) -> bool:
        return row.measure.sign * row.difference.value > 0

    apart = {row.name: ahead(row) for row in rows if row.p < alpha}
    below, above = _sides(result.primary)
    sides = {below: [n for n in apart if not apart[n]], above: [n for n in apart if apart[n]]}
    key = "answer.outlying" if gap.alike < alpha else "answer.alone"
    assert result.slices is not None
    directed = [m for m in result.measures if m.record.directed and result.primary.record.directed]
    every = (row for m in directed for row in result.slices.rows(m, result.best))
    found = [row for row in every if row.column == gap.column and row.p < alpha]
    against = [row for row in found if apart.get(row.name, ahead(row)) != ahead(row)]
    measures = list(dict.fromkeys(result.scores.label(row.measure) for row in against))
    opposite = list(dict.fromkeys(row.name for row in against))
    return kept(
        *(text(key, names=names, how=how) for how, names in sides.items() if names),
        bool(against) and text("answer.opposite", measures=measures, names=opposite),
    )


def _sides(measure: Measure) -> tuple[str, str]:
    """Return the words for less and for more; neither is better of what has no direction."""
    return ("worse", "better") if measure.record.directed else ("lower", "higher")


def _units(result: Result) -> tuple[int, str]:
    """Return the number of units of slices, and what they are."""
    return result.clusters or round(result.scores.items), "cluster" if result.clusters else "item"


def _drift_takes(slope: Estimate, level: float, units: int, unit: str) -> str:
    """Say how many more units of the same slices would find a slope like this one."""
    se = (slope.high - slope.low) / 2 / NormalDist().inv_cdf((1 + level) / 2)
    return more_units([Goal("difference", abs(slope.value), level=level)], se, units, unit)


def _after(takes: str) -> str:
    return f"; {takes}" * bool(takes)


def reference(result: Result) -> str:
    """Return the system that others are compared with: the one that was named, or the best."""
    return (result.tests.against if result.tests else "") or result.best


def _regressions(
    result: Result, slices: Slices, column: str, alpha: float
) -> tuple[bool, list[str]]:
    """Say which systems differ from the one they are compared with on which slices, worse first.

    Returns whether any does, and the sentences.
    """
    found, sign = dict[tuple[str, str, str], list[str]](), result.primary.sign
    pairs = slices.pairs(result.primary, reference(result))
    rows = [row for row in pairs if row.column == column and not isnan(row.p)]
    for row in sorted(rows, key=lambda row: sign * row.value > 0):
        if row.p < alpha:
            how = _sides(result.primary)[sign * row.value > 0]
            found.setdefault((row.first, how, row.second), []).append(row.name)
    if rows and not found:
        return False, [text("answer.no_regression", column=column)]
    return bool(found), [
        text("answer.regression", first=a, how=how, second=b, names=names, column=column)
        for (a, how, b), names in list(found.items())[:_MOST_COLUMNS]
    ]


def leaders(rows: Sequence[Standing]) -> list[Standing]:
    """Return the rows of the best score; none where no system has a score."""
    return [row for row in rows if row.rank == 1]


def _interval(result: Result, row: Standing) -> str:
    level = result.intervals.level if result.intervals else 0.0
    return "" if result.is_fixed(row) else interval_phrase(row, level)


def _one_system(result: Result, row: Standing) -> str:
    m, interval = result.primary, _interval(result, row)
    measure = f"{measure_phrase(m)}{f', {interval}' * bool(interval)}"
    span = range_text(result, m, " to ").replace("-", "−")
    key = "answer.rated" if result.rated else "answer.one"
    return text(key, row=row, measure=measure, span=span, better=m.better)


def range_text(result: Result, measure: Measure, between: str) -> str:
    """Return the bounds of the scores of a measure."""
    return between.join(f"{end:.4g}" for end in result.scores.bounds(measure)).replace("inf", "∞")


def _winner(result: Result, first: list[Standing]) -> str:
    """Name the best system, or those that share the best score."""
    m, best, names = result.primary, first[0], [row.system for row in first]
    order = f"{m.better} is better" if m.record.directed else "highest first"
    details = kept(len(first) == 1 and _interval(result, best), order)
    values = {"n": len(result.systems), "score": best.value, "details": "; ".join(details)}
    return text("answer.winner", names=names, measure=measure_phrase(m), **values)


def _against(result: Result, tests: Tests) -> str:
    """Say how the systems stand to the one that they were compared with."""
    others = [row.system for row in result.standings() if row.system != tests.against]
    pairs = [result.pair(system, tests.against) for system in others]
    told = _figures if len(others) <= _MOST_COMPARED else takes
    figures = [told(result, pair) for pair in pairs]
    names = grouped(
        (pair.verdict, strong(pair.first) + (f" ({words})" if words else ""))
        for pair, words in zip(pairs, figures, strict=True)
    )
    order = ("better", "worse", "equivalent", "undecided", "not told apart")
    parts = [
        f"{joined(names[word])} {'is' if len(names[word]) == 1 else 'are'} "
        + text(f"verdicts.{word}", margin=tests.margin)
        for word in order
        if word in names
    ]
    row = result.standing(tests.against)
    return text("answer.against", row=row, parts="; ".join(parts)) if parts else ""


def _figures(result: Result, pair: Pair) -> str:
    """Return the difference of two systems, its interval and p, and what would decide on it."""
    level = 0.0 if result.tests is None else 1 - result.tests.alpha
    parts = kept(
        difference_words(result, pair, number(pair.value)),
        interval_phrase(pair, level),
        not isnan(pair.p) and p_phrase(pair.p),
    )
    return "; ".join(kept(", ".join(parts), takes(result, pair)))


def takes(result: Result, pair: Pair) -> str:
    """Say how many more units would decide on a pair in about 80 % of cases."""
    tests, judge, apart = result.tests, result.judge, abs(pair.value)
    if tests is None or pair.verdict not in ("undecided", "not told apart"):
        return ""
    others = len(result.scores.systems) - 1
    level = 1 - tests.alpha / (others if tests.against else others * (others + 1) / 2)
    goals = [Goal("difference", apart, level=level)]
    if apart < tests.margin:
        goals.append(Goal("margin", tests.margin, level=level, true=apart))
    if judge is None:
        return more_units(goals, pair.se, tests.units, tests.over[:-1])
    without = judge.items - judge.labelled
    return more_units(goals, pair.se, judge.labelled, "gold label", without)


def _runner_up(result: Result, first: int) -> str:
    """Name the next system, the distance to it and the test."""
    rows, tests = result.standings(), result.tests
    if first == len(rows) or rows[first].rank is None:
        return ""
    pair = result.pair(rows[0].system, rows[first].system)
    sentence = text("answer.next", first=first, row=rows[first])
    if tests is None or isnan(pair.p):
        reason = "was not tested" if tests is None else "has no test that is defined"
        return f"{sentence}; the difference of {number(pair.value)} {reason}."
    significant = "a" if pair.p < tests.alpha else "not a"
    decides = takes(result, pair)
    sentence += f", {significant} significant difference ({_figures(result, pair)})"
    if pair.verdict and not isnan(tests.margin):
        are = {"equivalent": "are", "undecided": "may or may not be"}.get(pair.verdict, "are not")
        sentence += text("answer.margin", are=are, margin=tests.margin)
    lowest, highest = result.scores.bounds(pair.measure)
    silent = pair.p < tests.alpha or pair.verdict == "equivalent" or decides
    if not silent and pair.detectable <= highest - lowest:
        sentence += text("answer.detectable", n=tests.units, unit=tests.over[:-1], pair=pair)
    return f"{sentence}."


def _best_group(result: Result) -> str:
    """Say which systems may be the best; two systems need no such sentence."""
    rows = [row for row in result.standings() if row.rank is not None]
    if result.tests is None or len(rows) < 3:
        return ""
    best, names = rows[0], [row.system for row in rows[1:] if row.in_best_group]
    if not names:
        return text("answer.best", best=best.system, n=len(rows) - 1)
    if names == [rows[1].system]:
        return ""  # the runner-up, about whom that is said already
    key = "no_worse" if len(names) == len(rows) - 1 else "not_worse"
    ranks = f"; by these tests its rank may be 1 to {best.rank_high}"
    ranks = ranks if best.rank_high not in (None, 1) else ""
    return text(f"answer.{key}", names=names, best=best.system, ranks=ranks)


def _other_measures(result: Result) -> str:
    """Say whether the measures that score the best system rank it first."""
    ranks = {m: result.standing(result.best, m).rank for m in result.measures}
    ranked = [m for m, rank in ranks.items() if rank is not None]
    differ = [m for m in ranked if ranks[m] != 1]
    if len(ranked) < 2:
        return ""
    if not differ:
        return text("answer.all_measures", n=len(ranked), best=result.best)
    others = list(dict.fromkeys(leaders(result.standings(m))[0].system for m in differ))
    names = [result.scores.label(m) for m in differ]
    values = {"n": len(ranked) - len(differ), "every": len(ranked), "best": result.best}
    return text("answer.measures", names=names, others=others, **values)


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
    close = f" and at most one class off on {near:.1%}" if k > 2 else ""
    same = " It predicts the same class throughout." * (system in result.constant_systems)
    sentence = text("answer.system", right=right, on=on, near=close, lean=direction, same=same)
    return sentence.replace("%", " %")


# Method.


def method(result: Result) -> list[str]:
    """Return how the numbers were computed, with the settings and the works they follow."""
    judge, primary = result.judge, result.primary
    sentences = [_scoring(result)]
    if judge is not None:
        rated = text("result.rated") if judge.rated else ""
        least = min(check.p for check in judge.checks)
        key = f"result.completed{'_ratings' * result.rated}"
        sentences.append(text(key, judge=judge, rated=rated, p=least))
    tests = _tests(result.tests) if result.tests else text("result.no_tests")
    source = f"The measure is {primary.label} ({primary.record.card.citation})."
    if (slices := result.slices) is not None:
        clusters = result.intervals is not None and result.intervals.over == "clusters"
        how = "of Student's t over clusters" if clusters else "drawn from the table of all items"
        tests += " " + text("result.of_slices", trials=slices.trials, how=how)
        tests += f" {text('result.of_slice_pairs')}" if slices.firsts else ""
    return [*sentences, _intervals(result), tests, source]


def _scoring(result: Result) -> str:
    scores, topics = result.scores, len(result.scores.topics)
    if result.kind == "quantification":
        return text("result.quantified", size=scores.size)
    averaged = topics > 1 and scores.aggregate == "mean"
    how = f"on each of {topics} topics, and scores were averaged" if averaged else "on one table"
    size = _size(result) + (", each with its weight" if scores.effective else "")
    key = "ratings" if result.rated else "scored"
    return text(f"result.{key}", how=how, size=size, scale=scores.scale.describe())


def calibrated(calibration: Calibration, system: int, alpha: float = 0.05) -> str:
    """Say whether the probabilities of a system are too near to 0 and 1, or too far from them."""
    if np.isnan(calibration.z[system]) or calibration.p[system] >= alpha:
        return "not rejected"
    return "overconfident" if calibration.z[system] > 0 else "underconfident"


def _intervals(result: Result) -> str:
    """Say how intervals were made; those of measures of numbers may be of another kind."""
    intervals = result.intervals
    if intervals is None:
        return text("result.no_intervals")
    raw = [m for m in result.measures if result.intervals_of(m).method != intervals.method]
    if result.rated and intervals.method == "dirichlet":
        return text("result.drawn_ratings", intervals=intervals, level=100 * intervals.level)
    if not raw:
        return _interval_method(intervals)
    other = _interval_method(result.intervals_of(raw[0]))
    if len(raw) == len(result.measures):
        return other
    names = [result.scores.label(m) for m in raw]
    return text("result.raw", usual=_interval_method(intervals), names=names, other=other)


def _interval_method(intervals: Intervals) -> str:
    key = {"t": "t" if intervals.over == "items" else "t_units", "dirichlet": "dirichlet"}
    units = {"both": "topics and of items within them"}.get(intervals.over, intervals.over)
    how = f"result.{key.get(intervals.method, 'resampled')}"
    return text(how, intervals=intervals, level=100 * intervals.level, units=units)


def _tests(tests: Tests) -> str:
    """Say which systems were compared, by which test."""
    if not tests.paired:
        return text("result.unpaired")
    whom = f"Every system was tested against {strong(tests.against)}"
    who = whom if tests.against else "All pairs of systems were tested"
    draws = f"{'all' if tests.exact else 'random'} exchanges of {tests.over}"
    how = f"by {draws} ({tests.trials:,}, seed {tests.seed})"
    how += "" if tests.over == "topics" else text("result.studentised")
    sentence = text("result.tests", who=who, how=how, tests=tests)
    if tests.over != "items":
        sentence += text("result.symmetric", tests=tests)
    sentence += "" if np.isnan(tests.effect).all() else text("result.effect")
    if not isnan(tests.margin):
        inner = 100 * (1 - 2 * tests.alpha)
        sentence += text("result.equivalence", margin=tests.margin, inner=inner)
    return sentence


# Data checks.


def checks(result: Result) -> list[Note]:
    """Return the notes, and remarks on few topics, rare classes and constant systems."""
    scores, topics = result.scores, len(result.scores.topics)
    few = 1 < topics < _FEW_TOPICS and scores.aggregate == "mean"
    remarks = kept(*result.notes, few and remark("note", "few_topics", topics=topics))
    if result.tables is None:
        return remarks
    gold, constant = result.tables[0].sum(axis=1), result.constant_systems
    least = int(np.argmin(gold))  # the notes name empty classes
    values = {"label": scores.scale.labels[least], "items": gold[least]}
    share = 100 * gold[least] / max(gold.sum(), 1)
    return kept(
        *remarks,
        0 < gold[least] < _FEW_ITEMS and remark("note", "rare", share=share, **values),
        bool(constant) and remark("warning", "constant", names=constant, verb="predict"),
    )


# Measures.


def similarity_words(tau: Floats, names: Sequence[str]) -> str:
    """Say which measures rank the systems most and least alike; `tau` is `[measure, measure]`."""
    upper = combinations(range(len(names)), 2)
    every = [(float(tau[i, j]), names[i], names[j]) for i, j in upper]
    pairs = sorted(pair for pair in every if not isnan(pair[0]))
    if not pairs:
        return text("result.no_similarity")

    def pair(tau: float, a: str, b: str) -> str:
        return f"{strong(a)} and {strong(b)} (τ = {decimals(tau, 2, minus='−')})"

    least = f", the least similar those under {pair(*pairs[0])}"
    least = least if pairs[0][0] < pairs[-1][0] else ""
    alone = [name for name, row in zip(names, tau, strict=True) if np.isnan(row).all()]
    lost = f" {text('result.unranked', names=alone)}" if alone else ""
    median = float(np.median([pair[0] for pair in pairs]))
    key = "similar" if median >= _SIMILAR else "different"
    choice = text(f"result.{key}", tau=decimals(median, 2, minus="−"))
    return f"The most similar rankings are those under {pair(*pairs[-1])}{least}.{lost} {choice}"


def advice(result: Result) -> str:
    """Return the measure that is recommended for such data, and the reason."""
    advised, used = recommend({}, Facts.of_result(result)), result.primary.label
    primary = parse_measure(advised.primary)
    key = "advised" if primary == result.primary else "advised_other"
    start = text(f"result.{key}", used=used, label=primary.label)
    return " ".join([f"{start} {advised.reason} ({advised.source})", *advised.remarks])
