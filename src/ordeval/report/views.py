"""What the pages show, worked out from a result; templates only lay it out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from ..plot.matrices import short_p
from ..plot.style import shorten
from ..results import Result
from ..spec import Measure
from .narrative import system_words
from .places import leaders, place
from .table import Cell, Heading, Table, figure, interval, p_value, ranges, table, words
from .tables import class_table, heading

Floats = NDArray[np.float64]
WIDEST = 12  # columns that fit on paper; wider matrices show marks instead of numbers
_HARDEST = 20


@dataclass(frozen=True)
class Place:
    """One system's line on the leaderboard of a measure; `whisker` is (low, score, high)."""

    system: str
    rank: int
    score: Cell
    interval: str
    whisker: tuple[float, float, float] | None
    group: str
    beats: str
    is_best: bool


@dataclass(frozen=True)
class Ranking:
    """The leaderboard of one measure, best system first."""

    name: str
    title: str
    arrow: str
    better: str
    places: tuple[Place, ...]


def ranking(result: Result, measure: Measure) -> Ranking:
    """The leaderboard under one measure."""
    scores, row = result.scores, result.scores.measures.index(measure)
    order = scores.ranking(measure)
    rank = {system: i + 1 for i, system in enumerate(order)}
    best = set(result.group_of_best(measure))
    letters = result.letters(measure) if result.tests else dict.fromkeys(order, "")
    axis = _axis(result, row)
    places = []
    for system in order:
        at = scores.systems.index(system)
        places.append(
            Place(
                system,
                rank[system],
                figure(scores.values[row, at]),
                _interval_text(result, row, at),
                _whisker(result, row, at, axis),
                letters[system],
                ranges(rank[s] for s in result.beats(system, measure)),
                system in best and result.tests is not None,
            )
        )
    return Ranking(
        measure.short, measure.record.title, measure.arrow, measure.better, tuple(places)
    )


def _axis(result: Result, row: int) -> tuple[float, float]:
    """The span of scores and intervals of a measure."""
    parts = [result.scores.values[row]]
    if result.intervals is not None:
        parts += [result.intervals.low[row], result.intervals.high[row]]
    every = np.concatenate(parts)
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if every.size else (0.0, 1.0)
    # Scores that differ by rounding only stand in the middle.
    return (low, high) if high - low > 1e-9 else (low - 0.5, high + 0.5)


def _interval_text(result: Result, row: int, at: int) -> str:
    found = result.intervals
    return "" if found is None else interval(found.low[row, at], found.high[row, at], 3).text


def _whisker(
    result: Result, row: int, at: int, axis: tuple[float, float]
) -> tuple[float, float, float] | None:
    """Low end, score and high end as shares of the axis."""
    if result.intervals is None:
        return None
    ends = result.intervals.low[row, at], result.scores.values[row, at]
    points = np.array([*ends, result.intervals.high[row, at]])
    if not np.isfinite(points).all():
        return None
    low, high = axis
    low_at, mid, high_at = ((points - low) / (high - low)).round(3)
    return float(low_at), float(mid), float(high_at)


def rankings_data(rankings: list[Ranking], first: Ranking) -> list[dict[str, Any]]:
    """The leaderboards of all measures for the page's script; rows are in the order of `first`."""
    order = {place.system: i for i, place in enumerate(first.places)}
    return [
        {
            "name": f"{r.name} {r.arrow}",
            "title": f"{r.title}, {r.better} is better",
            "rows": [_row_data(p) for p in sorted(r.places, key=lambda p: order[p.system])],
        }
        for r in rankings
    ]


def _row_data(line: Place) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "score": line.score.text,
        "value": line.score.value,
        "interval": line.interval,
        "whisker": line.whisker,
        "group": line.group,
        "beats": line.beats,
        "best": line.is_best,
    }


def score_tables(result: Result) -> list[Table]:
    """Every score: one table, or one for every family where there are many measures."""
    families: dict[str, list[int]] = {}
    measures = result.scores.measures
    for i, m in enumerate(measures):
        families.setdefault("" if len(measures) <= WIDEST else m.record.family, []).append(i)
    return [_scores_of(result, family, rows) for family, rows in families.items()]


def _scores_of(result: Result, family: str, rows: list[int]) -> Table:
    scores = result.scores
    best = {i: leaders(result, scores.measures[i]) for i in rows}
    lines = [
        [
            words(system),
            *(
                figure(scores.values[i, scores.systems.index(system)], bold=system in best[i])
                for i in rows
            ),
        ]
        for system in result.systems
    ]
    title = f"Scores under {family} measures" if family else "Scores under every measure"
    return table(
        [Heading("system"), *(heading(scores.measures[i]) for i in rows)], lines, title=title
    )


@dataclass(frozen=True)
class Tile:
    """A cell of a heat map: text, a line under it, a shade from 0 to 1, and what it means."""

    text: str
    under: str = ""
    shade: float = 0.0
    kind: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Grid:
    """A heat map: `columns` name the columns, `rows` are (name, tiles); `label` is unique."""

    label: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Tile, ...]], ...]
    compact: bool = False


def significance_grid(result: Result) -> Grid | None:
    """Every system against every other under the primary measure, best first."""
    if result.tests is None:
        return None
    row, order = result.scores.measures.index(result.primary), result.systems
    at = [result.scores.systems.index(s) for s in order]
    p = result.tests.p[row][np.ix_(at, at)]
    ahead = result.primary.sign * result.tests.difference[row][np.ix_(at, at)]
    compact = len(order) > WIDEST
    rows = tuple(
        (
            f"{i + 1}. {name}",
            tuple(
                Tile("", kind="self")
                if i == j
                else _verdict(p[i, j], ahead[i, j], result.tests.alpha, compact)
                for j in range(len(order))
            ),
        )
        for i, name in enumerate(order)
    )
    numbers = tuple(str(i + 1) for i in range(len(order)))
    caption = f"Pairs of systems under {result.primary.short}"
    return Grid(caption, caption, "system", numbers, rows, compact)


def _verdict(p: float, ahead: float, alpha: float, compact: bool) -> Tile:
    text = short_p(p)
    hint = "no test" if np.isnan(p) else f"p = {text}".replace("= <", "< ")
    if np.isnan(p) or p >= alpha or ahead == 0:
        return Tile("·" if compact and text != "–" else text, kind="even", hint=hint)
    mark, kind = ("▲", "win") if ahead > 0 else ("▼", "loss")
    return Tile(mark, "" if compact else text, kind=kind, hint=hint)


def against_best(result: Result) -> Table | None:
    """The best system against each other one: difference, effect size, p-value."""
    if result.tests is None or len(result.systems) < 2:
        return None
    tests, row = result.tests, result.scores.measures.index(result.primary)
    best = result.scores.systems.index(result.best)
    sized = not np.isnan(tests.effect[row]).all()
    lines = []
    for system in result.systems[1:]:
        at = row, best, result.scores.systems.index(system)
        effect = [figure(tests.effect[at], 2)] if sized else []
        lines.append([words(system), figure(tests.difference[at]), *effect, p_value(tests.p[at])])
    headings = [Heading("system"), Heading(f"{shorten(result.best, 20)} minus this one", True)]
    headings += [Heading("effect size", True)] if sized else []
    title = f"The best system against each other one, {result.primary.short}"
    return table([*headings, Heading("p", True)], lines, title=title)


@dataclass(frozen=True)
class SystemPage:
    """Everything about one system."""

    system: str
    anchor: str
    rank: int
    score: str
    words: Markup
    scores: Table
    confusion: Grid | None
    picture: Markup | None
    classes: Table | None
    distances: tuple["Bar", ...]


@dataclass(frozen=True)
class Bar:
    """A bar of a small bar chart."""

    label: str
    text: str
    share: float
    kind: str = ""


def system_page(result: Result, system: str, rank: int, picture: Markup | None) -> SystemPage:
    """The page of one system; a picture stands for a confusion table that is too large."""
    has_table = result.tables is not None
    small = has_table and result.scores.scale.k <= WIDEST
    return SystemPage(
        system,
        f"system-{rank}",
        rank,
        figure(result.scores.of(result.primary, system)).text,
        system_words(result, system) if len(result.systems) > 1 else Markup(""),
        _scores_of_system(result, system),
        confusion_grid(result, system) if small else None,
        picture,
        class_table(result, system) if has_table else None,
        error_distances(result, system) if has_table else (),
    )


def _scores_of_system(result: Result, system: str) -> Table:
    scores, at = result.scores, result.scores.systems.index(system)
    headings = [Heading("measure"), Heading("score", True)]
    level = f"{100 * result.intervals.level:g} % " if result.intervals else ""
    headings += [Heading(f"{level}interval", True)] if result.intervals else []
    headings += [Heading("rank", True)] if len(scores.systems) > 1 else []
    lines = []
    for row, m in enumerate(scores.measures):
        line = [words(f"{m.short} {m.arrow}"), figure(scores.values[row, at])]
        line += [words(_interval_text(result, row, at))] if result.intervals else []
        line += [place_cell(result, m, system)] if len(scores.systems) > 1 else []
        lines.append(line)
    return table(headings, lines, title=f"Scores of {system}")


def place_cell(result: Result, measure: Measure, system: str) -> Cell:
    """The place of a system under a measure; equal scores share one."""
    found = place(result, measure, system)
    return figure(np.nan) if found is None else Cell(str(found), found)


def confusion_grid(result: Result, system: str) -> Grid:
    """Counts and row shares; right answers and errors have colours of their own."""
    assert result.tables is not None
    counts = result.tables[result.scores.systems.index(system)]
    labels = [str(label) for label in result.scores.scale.labels]
    support = counts.sum(axis=1)
    rows = tuple(
        (labels[g], tuple(_confusion_tile(n, support[g], g == p) for p, n in enumerate(line)))
        for g, line in enumerate(counts)
    )
    caption = "Items, and share of the gold class"
    return Grid(f"Confusion of {system}", caption, "gold ↓ predicted →", tuple(labels), rows)


def _confusion_tile(count: float, support: float, right: bool) -> Tile:
    text = f"{count:,.0f}" if count == round(count) else f"{count:,.1f}"
    share = float(count / support) if support else 0.0
    under = f"{100 * share:.0f} %" if support else "–"
    return Tile(text, under, round(share, 3), "right" if right else "wrong")


def error_distances(result: Result, system: str) -> tuple[Bar, ...]:
    """How far predictions lie from gold, in classes, with the sign."""
    assert result.tables is not None
    counts = result.tables[result.scores.systems.index(system)]
    k, total = len(counts), float(counts.sum()) or 1.0
    far = min(k - 1, WIDEST // 2)
    steps = np.clip(np.arange(k)[None, :] - np.arange(k)[:, None], -far, far)
    bars = []
    for step in range(-far, far + 1):
        share = float(counts[steps == step].sum() / total)
        more = " or more" if abs(step) == far < k - 1 else ""
        name = "right" if step == 0 else f"{step:+d}{more}".replace("-", "−")
        bars.append(Bar(name, f"{100 * share:.1f} %", round(share, 4), "" if step else "right"))
    return tuple(bars)


def hardest_topics(result: Result) -> Table | None:
    """The topics with the worst mean score over the systems, under the primary measure."""
    scores = result.scores
    if scores.per_topic is None or len(scores.topics) < 2:
        return None
    m = result.primary
    by_topic = scores.per_topic[scores.measures.index(m)]
    # A system without any score says nothing about topics; a topic needs those of all others.
    some = ~np.isnan(by_topic).all(axis=1)
    by_topic, systems = (
        by_topic[some],
        [s for s, is_in in zip(scores.systems, some, strict=True) if is_in],
    )
    defined = np.flatnonzero(~np.isnan(by_topic).any(axis=0))
    if not systems or not defined.size:
        return None
    means = by_topic[:, defined].mean(axis=0)
    order = defined[np.argsort(m.sign * means, kind="stable")]
    lines = [_topic_line(m, by_topic[:, t], systems, scores.topics[t]) for t in order[:_HARDEST]]
    what = f"mean {m.short}" if len(systems) > 1 else m.short
    headings = [Heading(unit(result)), Heading(f"{what} {m.arrow}", True)]
    if len(systems) > 1:
        headings += [Heading("spread", True), Heading("best system"), Heading("its score", True)]
    return table(headings, lines, title=_topics_title(result, len(order)))


def _topics_title(result: Result, ranked: int) -> str:
    every, name = len(result.scores.topics), unit(result)
    out = f" with a score for every system; {every - ranked} without" if ranked < every else ""
    return f"The hardest of {ranked} {name}s{out}"


def unit(result: Result) -> str:
    """What a topic is called."""
    return "instance" if result.kind == "quantification" else "topic"


def _topic_line(m: Measure, column: Floats, systems: list[str], topic: str) -> list[Cell]:
    line = [words(topic), figure(float(column.mean()))]
    if len(column) == 1:
        return line
    best = int(np.argmax(m.sign * column))
    spread = figure(float(column.std(ddof=1)))
    return [*line, spread, words(systems[best]), figure(column[best])]


def shares_grid(result: Result) -> Grid | None:
    """Mean estimated distributions, with their difference from gold."""
    if result.shares is None:
        return None
    gold = result.shares[0]
    rows = [("gold", tuple(Tile(f"{x:.3f}", "", round(float(x), 3), "gold") for x in gold))]
    for system in result.systems:
        mean = result.shares[1 + result.scores.systems.index(system)]
        rows.append((system, tuple(_share_tile(a, a - b) for a, b in zip(mean, gold, strict=True))))
    labels = tuple(str(label) for label in result.scores.scale.labels)
    caption = "Mean share of every class, and difference from gold"
    return Grid(caption, caption, "system", labels, tuple(rows))


def _share_tile(share: float, gap: float) -> Tile:
    kind = "over" if gap > 0 else "less"
    return Tile(f"{share:.3f}", f"{gap:+.3f}".replace("-", "−"), min(1.0, 4 * abs(gap)), kind)
