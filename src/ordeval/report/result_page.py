"""The page of a result: what its sections show, and how to repeat it."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..bins import Bins
from ..errors import first_few
from ..formatting import UNDEFINED, decimals, interval_text, one_line, protected, ranges, shorten
from ..measures.spec import Measure
from ..plot import confusion, intervals, shares, topics
from ..plot.heatmaps import (
    WIDEST,
    confusion_grid,
    lower_half,
    shares_grid,
    significance_grid,
    similarity_of,
    tau_grid,
)
from ..results import Pair, Result, Standing
from ..scale import class_groups
from ..table import Cell, Column, Heading, Table, count, figure, p_value, tabulate, words
from ..types import Floats
from . import story
from .html import png, render, svg
from .items import NO_OPENINGS, Openings
from .result_tables import (
    DOUBT,
    class_table,
    doubt_notes,
    interval_columns,
    judge_column_notes,
    judge_columns,
    labelled_notes,
    margin_note,
    measure_heading,
    rank_cell,
    rank_span_cell,
    reference_of,
    score_column,
    shows_groups,
    size_of,
)

_TURNED = {
    "better": "worse",
    "worse": "better",
    **{word: word for word in ("", "equivalent", "undecided", "not told apart")},
}
_MOST_PICTURES = 10
_MOST_SYSTEMS = 50  # one by one, in figures and in grids of pairs; tables hold all
_MOST_LEADERS = 3
_HARDEST = 20
_COMMANDS = {"quantification": "quantify", "comparison": "compare", "evaluation": "score"}
_FUNCTIONS = {**_COMMANDS, "evaluation": "evaluate"}


def result_page(result: Result, *, command: str | None = None) -> str:
    """Return the report of a result; `command` is the command line that made it."""
    repeat = {"command": command or command_line(result), "python": python_call(result)}
    given, result = result, presentable(result)
    openings = Openings.of(given, result)
    page = {
        "short": result.scores.short,
        **_heading(result),
        **_leaderboard(result),
        **_distributions(result),
        **_systems(result, openings),
        **_measures(result),
        **_significance(result, openings),
        **_topics(result),
        **_background(result, openings),
        **repeat,
        "items": openings.data,
    }
    return render("report.html.j2", _sections(page), **page)


def presentable(result: Result) -> Result:
    """Return the result with names that are visible and distinct.

    Characters that change the direction of writing, break lines or have no width would disturb
    the text around a name, and browsers change some of them.
    """
    scores = result.scores
    cleaned = replace(
        scores,
        systems=distinct(scores.systems),
        topics=distinct(scores.topics),
        scale=replace(scores.scale, labels=distinct(scores.scale.labels)),
    )
    tests = result.tests
    if tests is not None and tests.against:
        tests = replace(tests, against=cleaned.systems[scores.place(tests.against)])
    notices = tuple(map(one_line, result.notices))
    return replace(result, scores=cleaned, tests=tests, notices=notices)


def distinct(names: Iterable[Any]) -> tuple[Any, ...]:
    """Return names on one line each, none blank, no two equal; other objects are kept."""
    found: dict[Any, None] = {}
    for name in names:
        text = (one_line(name) if name.strip() else "(blank)") if isinstance(name, str) else name
        number, new = 1, text
        while new in found:
            number += 1
            new = f"{text} ({number})"
        found[new] = None
    return tuple(found)


def _sections(page: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the (anchor, name) of the sections that a page has."""
    every = [
        ("answer", "Answer", True),
        ("leaderboard", "Leaderboard", page["leaderboard"]),
        ("distributions", "Distributions", page["shares"]),
        ("systems", "Systems", True),
        ("measures", "Measures", page["tau"]),
        ("significance", "Significance", page["significance"]),
        ("topics", f"{page['unit'].capitalize()}s", page["topics_plot"]),
        ("data", "Data checks", True),
        ("method", "Method", True),
        ("repeat", "Repeat", True),
    ]
    return [(anchor, name) for anchor, name, there in every if there]


def _heading(result: Result) -> dict[str, Any]:
    systems, quantified = len(result.systems), result.kind == "quantification"
    return {
        "kicker": "Ordinal quantification" if quantified else "Ordinal classification",
        "title": f"{systems} systems compared" if systems > 1 else f"Evaluation of {result.best}",
        "facts": size_of(result),
        "answer": story.answer(result),
        "primary": result.primary,
        "alpha": f"{result.tests.alpha:g}" if result.tests else "",
        "unit": "topic",
    }


# Leaderboard.


def _leaderboard(result: Result) -> dict[str, Any]:
    if len(result.systems) < 2:
        return {"leaderboard": None}
    found, rows = result.intervals, result.standings()
    caption = "The filled dot is the best system."
    all_pairs = result.tests is not None and not result.tests.against
    groups = shows_groups(rows)
    if all_pairs:
        caption = "Filled dots: the best system and those not significantly worse."
    band = " The band is the interval of the best system." if found else ""
    boards, chosen = [board(result, m) for m in result.measures], result.scores.row(result.primary)
    return {
        "leaderboard": dict(zip(result.systems, boards[chosen], strict=True)),
        "chosen": chosen,
        "measures": result.measures,
        "rankings": _rankings(result, boards),
        "ranked_by": ranked_by(result.primary),
        "shown": _MOST_SYSTEMS,
        "level": f"{100 * found.level:g}" if found else "",
        "all_pairs": all_pairs,
        "groups": groups,
        "reference": reference_of(result),
        "board_notes": _board_notes(result),
        "score_tables": all_scores(result),
        "interval_plot": svg(
            lambda: intervals(result, most=_MOST_SYSTEMS), alt=_interval_alt(rows), name="intervals"
        ),
        "interval_caption": caption + band + _left_out(result),
    }


def _rankings(result: Result, boards: Sequence[Sequence[dict[str, Any]]]) -> dict[str, Any]:
    """Return the leaderboards of all measures, by which the page can rank."""
    return {
        "fields": list(boards[0][0]),
        "measures": [
            {
                "name": f"{result.scores.short(m)} {m.arrow}",
                "title": ranked_by(m),
                "rows": [list(row.values()) for row in rows],
            }
            for m, rows in zip(result.measures, boards, strict=True)
        ],
    }


def _left_out(result: Result) -> str:
    """Say that a figure does not show all systems; empty if it does."""
    if len(result.systems) <= _MOST_SYSTEMS:
        return ""
    return f" The {_MOST_SYSTEMS} best of {len(result.systems):,} systems are shown."


def _board_notes(result: Result) -> list[str]:
    """Explain verdicts."""
    return margin_note(result.tests) if result.tests else []


def ranked_by(measure: Measure) -> str:
    """Return the title of a measure with the better direction."""
    return f"{measure.record.title}, {measure.better} is better"


def board(result: Result, measure: Measure) -> list[dict[str, Any]]:
    """Return the leaderboard of a measure, its rows in the order of the primary measure."""
    rows = [result.standing(system, measure) for system in result.systems]
    rank, axis = {row.system: row.position for row in rows}, _axis(rows)
    reference = reference_of(result)
    return [
        {
            "rank": row.position,
            "score": decimals(row.score),
            "value": None if np.isnan(row.score) else float(f"{row.score:.7g}"),
            "interval": interval_text(row.low, row.high, 3) + (f" {DOUBT}" if row.doubt else ""),
            "whisker": _whisker(row, axis),
            "group": row.letters,
            "beats": ranges(rank[system] for system in row.beats),
            "best": row.in_best_group,
            "ranks": rank_span_cell(row).text,
            "verdict": _verdict(result, row, reference),
        }
        for row in rows
    ]


def _verdict(result: Result, row: Standing, reference: str) -> str:
    """Return how a system stands to the reference, with the p-value."""
    if not reference or row.system == reference:
        return ""
    pair = result.pair(row.system, reference, row.measure)
    return f"{pair.verdict} ({story.p_phrase(pair.p)})" if pair.verdict else ""


def _axis(rows: Iterable[Standing]) -> tuple[float, float]:
    """Return the range of the scores and intervals of a measure."""
    every = np.array([(row.score, row.low, row.high) for row in rows])
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if every.size else (0.0, 1.0)
    # Scores that differ by rounding only are drawn in the middle.
    return (low, high) if high - low > 1e-9 else (low - 0.5, high + 0.5)


def _whisker(row: Standing, axis: tuple[float, float]) -> list[float] | None:
    """Return the low end, the score and the high end as shares of the axis."""
    points = np.array([row.low, row.score, row.high])
    if not np.isfinite(points).all():
        return None
    low, high = axis
    return [float(x) for x in ((points - low) / (high - low)).round(3)]


def _interval_alt(rows: tuple[Standing, ...]) -> str:
    ranked = [row for row in rows if row.rank is not None] or rows[:1]
    ends = [f"{row.system} ({decimals(row.score, 3)})" for row in (ranked[0], ranked[-1])]
    return (
        f"Dot plot of {rows[0].measure.short} for {len(rows)} systems, from {' to '.join(ends)}; "
        "the leaderboard has the same figures."
    )


def all_scores(result: Result) -> list[Table]:
    """Return all scores in one table, or in one per family where there are many measures."""
    families: dict[str, list[Measure]] = {}
    for m in result.measures:
        family = "" if len(result.measures) <= WIDEST else m.record.family
        families.setdefault(family, []).append(m)
    return [_scores_under(result, family, group) for family, group in families.items()]


def _scores_under(result: Result, family: str, group: list[Measure]) -> Table:
    name: Column[Standing] = (Heading("system"), lambda row: words(row.system))
    title = f"Scores under {family} measures" if family else "Scores under all measures"
    columns = [name, *(score_column(result, m) for m in group)]
    return tabulate(result.standings(), columns, title=title)


def _distributions(result: Result) -> dict[str, Any]:
    if result.shares is None:
        return {"shares": None}
    alt = "Mean share of each class in gold and as estimated by the best systems; see the table."
    plot = svg(lambda: shares(result), alt=alt, name="shares")
    return {"shares": shares_grid(result), "shares_plot": plot}


# Systems.


@dataclass(frozen=True)
class Bar:
    """A bar of a bar chart."""

    label: str
    text: str
    share: float
    kind: str = ""
    opens: str = ""


def _systems(result: Result, openings: Openings) -> dict[str, Any]:
    large = result.tables is not None and result.scores.scale.k > WIDEST
    left_out = ""
    if large and len(result.systems) > _MOST_PICTURES:
        left_out = f"Confusion matrices are shown for the first {_MOST_PICTURES} systems."
    if len(result.systems) > _MOST_SYSTEMS:
        left_out = f"{_left_out(result)} {left_out} The JSON of this result holds all.".strip()
    rows = result.standings()[:_MOST_SYSTEMS]
    pages = [_system(result, row, openings, large=large) for row in rows]
    return {"pages": pages, "left_out": left_out}


def _system(result: Result, row: Standing, openings: Openings, *, large: bool) -> dict[str, Any]:
    """Return what the page shows about a system; large confusion matrices are pictures."""
    system, several = row.system, len(result.systems) > 1
    section: dict[str, Any] = {"row": row, "scores": _scores_of(result, system)}
    section["sentence"] = story.system_sentence(result, system) if several else ""
    if result.tables is None:
        return section
    counts, labels = result.tables[result.scores.place(system)], result.scores.scale.labels
    opened = openings.confusion(counts, system)
    if opened is not None or not large:
        section["confusion"] = opened or confusion_grid(counts, labels, system)
    if large and row.position <= _MOST_PICTURES:
        alt = f"Confusion matrix of {system}"
        section["picture"] = png(lambda: confusion(result, system), alt=alt)
    classes = openings.classes(class_table(result, system), system)
    distances = error_distances(counts, system, openings)
    return {**section, "classes": classes, "distances": distances}


def _scores_of(result: Result, system: str) -> Table:
    columns: list[Column[Standing]] = [
        (Heading("measure"), lambda row: words(measure_heading(result.scores, row.measure).text)),
        (Heading("score", True), lambda row: figure(row.score)),
        *interval_columns(result.intervals, 3),
        *judge_columns(result),
    ]
    columns += [(Heading("rank", True), rank_cell)] if len(result.systems) > 1 else []
    rows = [result.standing(system, m) for m in result.measures]
    return tabulate(rows, columns, title=f"Scores of {system}")


def error_distances(
    counts: Floats, system: str = "", openings: Openings = NO_OPENINGS
) -> tuple[Bar, ...]:
    """Return how far predictions of a system are from gold, in classes, with the sign."""
    k, total = len(counts), float(counts.sum()) or 1.0
    far = min(k - 1, WIDEST // 2)
    steps = np.clip(np.arange(k)[None, :] - np.arange(k)[:, None], -far, far)
    bars = []
    for step in range(-far, far + 1):
        more = " or more" if abs(step) == far < k - 1 else ""
        number = float(counts[steps == step].sum())
        share = number / total
        ends = (-k if more and step < 0 else step, k if more and step > 0 else step)
        name = "right" if step == 0 else f"{step:+d}{more}".replace("-", "−")
        kind, opened = "" if step else "right", openings.distance(system, *ends, f"{number:.10g}")
        bars.append(Bar(name, f"{100 * share:.1f} %", round(share, 4), kind, opened))
    return tuple(bars)


# Measures.


def _measures(result: Result) -> dict[str, Any]:
    if len(result.systems) < 3 or len(result.measures) < 2:
        return {"tau": None, "disputed": False}
    tau, names = similarity_of(result).tau, list(map(result.scores.short, result.measures))
    tied = len(story.leaders(result.standings())) > 1
    return {
        "tau": lower_half(tau_grid(tau, names, "b")),
        "tau_words": story.tau_sentences(tau, names),
        "disputed": not tied and bool(story.other_winners(result)),
        "winners": winners_table(result),
        "advice": story.advice(result),
    }


def winners_table(result: Result) -> Table:
    """Return the best system under each measure, and the rank of the overall best one."""
    rank = Heading(f"rank of {shorten(result.best, 20)}", True)
    columns: list[Column[Measure]] = [
        (Heading("measure"), lambda m: words(measure_heading(result.scores, m).text)),
        (Heading("best system"), lambda m: words(_best_named(result.standings(m)))),
        (Heading("score", True), lambda m: figure(result.standings(m)[0].score)),
        (rank, lambda m: rank_cell(result.standing(result.best, m))),
    ]
    if result.tests and not result.tests.against:
        columns.append(
            (Heading("in best group", True), lambda m: _best_group_size(result.standings(m)))
        )
    if result.tests:
        wins = Heading("significant pairs", True)
        columns.append((wins, lambda m: _wins(result.standings(m), result.tested(m))))
    return tabulate(result.measures, columns, title="The best system under each measure")


def _best_group_size(rows: tuple[Standing, ...]) -> Cell:
    return count(sum(row.in_best_group for row in rows))


def _wins(rows: tuple[Standing, ...], pairs: int) -> Cell:
    found = sum(len(row.beats) for row in rows)
    return Cell(f"{found} of {pairs}", found)


def _best_named(rows: tuple[Standing, ...]) -> str:
    """Return the best systems, and how many are ranked where some are not."""
    first = story.leaders(rows)
    if not first:
        return UNDEFINED
    names = first_few([row.system for row in first], _MOST_LEADERS)
    scored = sum(row.rank is not None for row in rows)
    ranked = f" ({scored} of {len(rows)} with a score)" if scored < len(rows) else ""
    return names + ranked


# Significance and topics.


def _significance(result: Result, openings: Openings) -> dict[str, Any]:
    if result.tests is None:
        return {"significance": None}
    return {
        "significance": significance_grid(result, most=_MOST_SYSTEMS),
        "pairs_left_out": _left_out(result),
        "against_best": against_best(result, openings),
    }


def against_best(result: Result, openings: Openings = NO_OPENINGS) -> Table:
    """Return the best system against each other one: difference, effect size, p-value."""
    reference = result.required_tests().against or result.best
    others = [row.system for row in result.standings() if row.system != reference]
    pairs = [result.pair(reference, system) for system in others]
    difference = Heading(f"{shorten(reference, 20)} minus this one", True)
    columns: list[Column[Pair]] = [
        (Heading("system"), lambda pair: words(pair.second)),
        (difference, lambda pair: figure(pair.difference)),
    ]
    if not all(np.isnan(pair.effect) for pair in pairs):
        columns.append((Heading("effect size", True), lambda pair: figure(pair.effect, 2)))
    columns.append((Heading("p", True), lambda pair: p_value(pair.p)))
    if result.required_tests().detectable is not None:
        columns.append((Heading("detectable", True), lambda pair: figure(pair.detectable)))
    closer = {pair.second: openings.closer(reference, pair.second) for pair in pairs}
    if any(closer.values()):
        unknown = figure(np.nan), figure(np.nan)
        names = (Heading(f"items: {n} closer", True) for n in (shorten(reference, 20), "this one"))
        first, second = names
        columns += [
            (first, lambda pair: (closer[pair.second] or unknown)[0]),
            (second, lambda pair: (closer[pair.second] or unknown)[1]),
        ]
    columns.append((Heading("this one is"), lambda pair: words(_TURNED[pair.verdict])))
    name = "The best system" if reference == result.best else reference
    title = f"{name} against each other one, {result.scores.short(result.primary)}"
    return tabulate(pairs, columns, title=title)


def _topics(result: Result) -> dict[str, Any]:
    if result.scores.per_topic is None or len(result.scores.topics) < 2:
        return {"topics": None, "topics_plot": None, "topics_left_out": ""}
    alt = f"Spread of {result.primary.short} over topics for each system."
    plot = svg(lambda: topics(result, most=_MOST_SYSTEMS), alt=alt, name="topics")
    return {
        "topics": hardest_topics(result),
        "topics_plot": plot,
        "topics_left_out": _left_out(result),
    }


def hardest_topics(result: Result) -> Table | None:
    """Return the topics with the worst mean score over the systems, if any has all scores."""
    scores, m = result.scores, result.primary
    if scores.per_topic is None:
        return None
    every = scores.per_topic[scores.row(m)]
    # A system without any score is left out; a topic needs the scores of all others.
    known = ~np.isnan(every).all(axis=1)
    by_topic = every[known]
    systems = [s for s, is_known in zip(scores.systems, known, strict=True) if is_known]
    defined = np.flatnonzero(~np.isnan(by_topic).any(axis=0))
    if not systems or not defined.size:
        return None
    order = defined[np.argsort(m.sign * by_topic[:, defined].mean(axis=0), kind="stable")]
    several = len(systems) > 1
    mean = Heading(f"{'mean ' if several else ''}{scores.short(m)} {m.arrow}", True)
    columns: list[Column[int]] = [
        (Heading("topic"), lambda t: words(scores.topics[t])),
        (mean, lambda t: figure(by_topic[:, t].mean())),
    ]
    if several:
        best = np.argmax(m.sign * np.nan_to_num(by_topic), axis=0)
        columns += [
            (Heading("spread", True), lambda t: figure(by_topic[:, t].std(ddof=1))),
            (Heading("best system"), lambda t: words(systems[best[t]])),
            (Heading("its score", True), lambda t: figure(by_topic[best[t], t])),
        ]
    return tabulate(order[:_HARDEST], columns, title=_topics_title(result, len(order)))


def _topics_title(result: Result, ranked: int) -> str:
    every, name = len(result.scores.topics), "topic"
    out = f" with a score for every system; {every - ranked} without" if ranked < every else ""
    return f"The hardest of {ranked} {name}s{out}"


# Background, and how to repeat the result.


def _background(result: Result, openings: Openings) -> dict[str, Any]:
    return {
        "checks": story.data_checks(result),
        "gold": gold_bars(result, openings),
        "method": story.method(result),
        "measure_cards": result.measures,
        "system_notes": [
            *doubt_notes(result),
            *judge_column_notes(result),
            *labelled_notes(result),
        ],
        "signature": result.signature(result.primary),
    }


def gold_bars(result: Result, openings: Openings = NO_OPENINGS) -> tuple[Bar, ...]:
    """Return how often each class, or group of classes of a long scale, occurs in gold."""
    if result.tables is None:
        return ()
    names, starts = class_groups(result.scores.scale.labels)
    gold = np.add.reduceat(result.tables[0].sum(axis=1), starts)
    total = float(gold.sum()) or 1.0
    opens = openings.gold(result.scores.scale.labels)
    return tuple(
        Bar(
            name,
            f"{n:,.10g} ({100 * n / total:.1f} %)",
            round(float(n / total), 4),
            opens=each and f"n,{n:.10g} {each}",
        )
        for name, n, each in zip(names, gold, opens, strict=True)
    )


def settings_of(result: Result) -> dict[str, Any]:
    """Return the settings that repeat a result, by their names in Python."""
    scores, found, tests = result.scores, result.intervals, result.tests
    labelled = result.kind != "quantification"
    given: dict[str, Any] = {
        "labels": list(scores.scale.labels),
        "values": None if scores.scale.values is None else list(scores.scale.values),
        "measures": ", ".join(map(str, scores.measures)),
        "primary": str(result.primary),
        "aggregate": scores.aggregate if labelled and scores.topics else None,
        "bins": None if scores.bins is None else _rule(scores.bins),
        "missing": result.about.get("missing"),
        "na": result.about.get("na"),
        "undefined": scores.replaced,
        "bootstrap": (2000 if found.method == "t" else found.replicates) if found else 0,
        "ci": found.level if found else None,
        "method": found.method if found else None,
        "over": found.over if labelled and found else None,
        "test": tests.kind if tests else None,
        "against": tests.against or None if tests else None,
        "margin": None if tests is None or np.isnan(tests.margin) else tests.margin,
        "trials": tests.trials if tests and not tests.exact else None,
        "alpha": tests.alpha if tests else None,
        "rng": found.seed if found else tests.seed if tests else 0,
    }
    return {name: value for name, value in given.items() if value is not None}


def _rule(bins: Bins) -> str | list[float]:
    """Return how numbers became classes, as it was given."""
    return bins.rule if bins.rule in ("round", "floor") else list(map(float, bins.rule.split(",")))


def _has_clusters(result: Result) -> bool:
    return "clusters" in {part.over for part in (result.intervals, result.tests) if part}


_GIVEN = (
    "sample_weight",
    "frequency",
    "sizes",
    "judge",
    "labelled_rate",
)  # data that results say were given


def python_call(result: Result) -> str:
    """Return the call that repeats a result, with variables for the data."""
    name = _FUNCTIONS[result.kind]
    settings = settings_of(result)
    lines = ["y_true, y_pred", *(["topics=topics"] if result.scores.topics else [])]
    if name == "quantify":
        lines[0] = "p_true, p_pred"
    elif result.about.get("counts"):  # which hold scale and topics
        lines = ["counts"]
        held = ("labels", "values", "bins", "missing", "na")
        settings = {k: v for k, v in settings.items() if k not in held}
    lines += ["cluster=cluster"] if _has_clusters(result) else []
    lines += [f"{name}={name}" for name in _GIVEN if result.about.get(name)]
    lines += [] if result.about.get("renormalise", True) else ["renormalise=False"]
    lines += [f"{key}={value!r}" for key, value in settings.items()]
    body = "".join(f"    {line},\n" for line in lines)
    return f'import ordeval as oe\n\noe.{name}(\n{body}).to_html("report.html")'


def command_line(result: Result) -> str:
    """Return the command that repeats a result, with placeholders for the files."""
    name = _COMMANDS[result.kind]
    parts = [f"ordeval {name} {'GOLD RUN…' if name == 'quantify' else 'DATA'}"]
    gold = str(result.about.get("gold", "gold"))
    parts += [f"--gold={shlex.quote(gold)}"] if gold != "gold" else []
    parts += ["--topic TOPIC"] if result.scores.topics and name != "quantify" else []
    parts += ["--cluster CLUSTER"] if _has_clusters(result) else []
    parts += ["--weight WEIGHT"] if result.about.get("sample_weight") else []
    parts += ["--frequency FREQUENCY"] if result.about.get("frequency") else []
    parts += ["--size SIZE"] if result.about.get("sizes") else []
    parts += ["--judge JUDGE"] if result.about.get("judge") else []
    parts += ["--labelled-rate RATE"] if result.about.get("labelled_rate") else []
    parts += [] if result.about.get("renormalise", True) else ["--keep-sums"]
    for key, value in {**settings_of(result), "html": "report.html"}.items():
        option = "seed" if key == "rng" else key
        parts.append(f"--{option}={shlex.quote(_option_value(value))}")
    return " \\\n  ".join(parts)


def _option_value(value: Any) -> str:
    return ",".join(map(protected, value)) if isinstance(value, list) else str(value)
