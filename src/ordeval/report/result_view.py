"""What is shown about results of `evaluate`, `compare` and `quantify`."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import isnan, nan
from typing import Any, TypeVar

import numpy as np

from ..data.examples import MOST_CLASSES
from ..data.scale import class_groups
from ..errors import InputError
from ..formatting import UNDEFINED, decimals, ranges, shorten
from ..measures.score import class_figures
from ..measures.spec import Measure
from ..notes import Note
from ..results import Estimate, Figures, Pair, Result, Slice, SlicePair, Standing, Tests
from ..types import Floats
from . import result_figures as draw
from . import result_words as words
from .figures import MOST_SERIES, WIDEST, Bars, Tile, lower_half
from .items import NOTHING, Openings, class_ranges
from .texts import doubts, text_of
from .view import Col, ReportView, Section, View, across, cells, cols, itself, kept

_Row = TypeVar("_Row", Slice, SlicePair)
_MOST_SYSTEMS = 50  # one by one, in figures and in grids of pairs; tables hold all
_MOST_BESIDE = 2  # systems whose scores with intervals are columns
_MOST_MEASURES = 8  # in the print of a comparison; with more, their scores are a table to ask for
_MOST_CLASSES = 20  # rows or columns of counts in text
_HARDEST = 20
_SAME = 1e-12  # scores closer than this differ by rounding only
_ANOVA = {  # names of `Anova`, headings and decimals; None for p-values
    "systems_ss": ("SS systems", 4), "systems_df": ("df", 0), "systems_f": ("F", 2),
    "systems_p": ("p", None), "topics_ss": ("SS topics", 4), "topics_df": ("df", 0),
    "topics_f": ("F", 2), "topics_p": ("p", None), "residual_ss": ("SS residual", 4),
    "residual_df": ("df", 0), "residual_variance": ("V_E2", 5),
}  # fmt: skip
_MOST_SLICES, _MOST_DRAWN = 20, 50  # in tables and figures; csv has all
_ON_PAGE = (
    "slices",
    "distributions",
    "calibration",
    "systems",
    "similarity",
    "significance",
    "hardest",
    "gold",
)
_OF_SLICES = ("slices", "gaps", "slice_pairs")
_TABLES = ("pairs", "anova", "topics", "classes", "confusion", "calibration", *_OF_SLICES)


def _rank(row: Standing) -> int | None:
    """Return the rank of a system, if the measure says what is better."""
    return row.rank if row.measure.record.directed else None


def figures_view(figures: Figures[Estimate, Estimate]) -> View:
    """Return the view of the rows under one measure."""
    ranked, fixed = all(isinstance(row, Standing) for row in figures.rows), figures.fixed
    ranked = ranked and figures.measure.record.directed and len(figures.rows) > 1
    columns = kept(
        ranked and Col("rank", lambda row: row[1].rank, 0),
        Col("name", lambda row: row[0]),
        Col("value", lambda row: Estimate(row[1].value) if row[0] in fixed else row[1], 4),
    )
    title = f"{figures.measure.label}{' (raw)' * figures.raw} {figures.measure.arrow}"
    rows = tuple(zip(figures.names, figures.rows, strict=True))
    return View(Section("scores", title, rows, columns))


class ResultView(ReportView):
    """What is shown about a result; `measure` is the one that tables are about."""

    sections = tuple(dict.fromkeys(("leaderboard", "measures", "scores", *_TABLES, *_ON_PAGE)))
    data = "scores"
    result: Result

    def __init__(self, result: Result, measure: Measure | None = None) -> None:
        super().__init__(result, Openings.of_result(result))
        self.measure = measure or result.primary
        self.scored, self.scale = result.scores, result.scores.scale
        self.asked = result.measures if measure is None else (measure,)
        self.level = result.intervals.level if result.intervals else 0.0
        self.several = several = len(result.systems) > 1
        boards = ("leaderboard", "measures") if several else ("measures",)
        self.brief, self.page = boards, (*boards, *_ON_PAGE)
        evaluated, beside = result.kind == "evaluation", 1 if result.judge else _MOST_BESIDE
        if evaluated and len(result.systems) <= beside:
            self.brief = ("measures",)
        elif several and not evaluated and len(result.measures) > _MOST_MEASURES:
            self.brief = ("leaderboard",)
        self.brief += ("slices",) * (result.slices is not None)
        self.further = self._further()
        task = "quantification" if result.kind == "quantification" else "classification"
        self.kicker, self.facts = f"Ordinal {task}", words.size_of(result)
        self.kicker = "Ratings" if result.rated else self.kicker
        self.title = f"Evaluation of {result.best}"
        if several:
            self.title = f"{len(result.systems)} systems compared"
            self.signature = result.signature(self.measure)
        self.explained = [(result.scores.label(m), m) for m in result.measures]

    def _further(self) -> list[str]:
        """Return the tables that this result has and printing leaves out."""
        result, tested = self.result, self.result.tests is not None and self.several
        there = {
            "measures": self.several and len(result.measures) > 1,
            "scores": self.several and not tested,
            "pairs": tested,
            "topics": self.scored.per_topic is not None,
            "classes": result.tables is not None,
            "confusion": result.tables is not None,
            "calibration": result.calibration is not None,
            "gaps": result.slices is not None,
        }
        return [key for key, is_there in there.items() if is_there and key not in self.brief]

    def answer(self) -> list[str]:
        return words.answer(self.result)

    def checks(self) -> list[Note]:
        return words.checks(self.result)

    def method(self) -> list[str]:
        return words.method(self.result)

    def _named(self, measure: Measure) -> str:
        return f"{self.scored.label(measure)} {measure.arrow}".strip()

    # Columns and notes of several tables.

    def _scores(self, *, best: bool = False, digits: int = 4) -> list[Col]:
        """Return scores with their intervals, and what a judge added to them."""
        shown = partial(draw.shown_score, self.result)
        bold = _is_best if best else None
        name = "estimate" if self.result.rated else "score"
        score = Col(name, shown, digits, data="score", key=itself, bold=bold, level=self.level)
        if self.result.judge is None:
            return [score]
        whole = Col("worth", lambda r: None if isnan(r.worth) else round(r.worth), 0, key="worth")
        return [score, Col("λ", "judge_weight", 2, data="judge_weight"), whole]

    def _notes(self, measures: Sequence[Measure] = ()) -> list[str]:
        """Return why intervals are doubtful, and what a judge added."""
        judge = self.result.judge
        key = "rater" if self.result.rated else "judge"
        added = judge is not None and text_of(f"result.{key}", judge=judge)
        own = judge is not None and self.several and text_of("result.own_weights")
        return kept(*self._doubts(measures), added, own)

    def _doubts(self, measures: Sequence[Measure]) -> list[str]:
        """Return why intervals are doubtful: of a measure, or of some systems under it."""
        rows = [row for m in measures for row in self.result.standings(m)]
        shared = Counter((row.measure, row.doubt) for row in rows)

        def name(row: Standing) -> str:
            every = shared[row.measure, row.doubt] == len(self.result.systems)
            return str(row.measure) if every else f"{row.measure} of {row.system}"

        return doubts((name(row), row) for row in rows)

    def _test_notes(self, *, leaderboard: bool = False) -> list[str]:
        """Explain the results of tests."""
        tests = self.result.tests
        if tests is None:
            return []
        values = {"tests": tests, "level": 100 * (1 - 2 * tests.alpha)}
        key = self._tested() if leaderboard else "p"
        return kept(
            text_of(f"result.{key}", **values),
            not leaderboard and tests.detectable is not None and text_of("result.detectable"),
            not isnan(tests.margin) and text_of("result.equivalent", **values),
            not leaderboard and self._equal_p(tests),
        )

    def _tested(self) -> str:
        """Return what the tests of the leaderboard say, as the key of a text."""
        rows = self.result.standings(self.measure)
        if self.result.required_tests().against:
            return "against"
        if not any(row.rank_low for row in rows):
            return "untested"
        return "beats" if any(row.beats for row in rows) else "none"

    def _p(self, measure: Measure) -> Floats:
        """Return the p-values of all pairs that were tested."""
        p = self.result.required_tests().p[self.scored.row(measure)]
        p = p[np.triu_indices(len(p), 1)]
        return np.asarray(p[~np.isnan(p)])

    def _equal_p(self, tests: Tests) -> str:
        """Explain p-values that several pairs share, other than the smallest possible one."""
        p = self._p(self.measure)
        p = p[(p > 1.5 / (tests.trials + 1)) & (p < 1)]
        return text_of("result.equal_p") if len(np.unique(p)) < len(p) else ""

    # Scores.

    def leaderboard(self) -> Section | None:
        """Return systems from best to worst under one measure."""
        result, rows = self.result, self.result.standings(self.measure)
        if not self.several:
            return None
        columns = [
            Col("#", lambda row: row.rank and row.position, 0, data="position"),
            Col("system"),
            *self._scores(best=True),
            *self._rank_columns(),
            *self._reference_columns(),
        ]
        variants = {f"{self._named(m)} {m.record.card.title}": m for m in result.measures}
        return Section(
            "leaderboard",
            f"{self.facts}; ranked by {self._named(self.measure)}",
            rows,
            columns,
            self._test_notes(leaderboard=True) + self._notes([self.measure]),
            [draw.intervals_figure(result, self.measure, _MOST_SYSTEMS)],
            variants={name: result.standings(m) for name, m in variants.items()},
            filtered=lambda row: str(row.system),
            marked=lambda row: row.in_best_group or row.rank == 1,
        )

    def _rank_columns(self) -> list[Col]:
        """Return what tests of all pairs say about the order."""
        tests = self.result.tests
        if tests is None or tests.against:
            return []
        group = Col("group", "letters", shown=False)  # which says what the others say
        return [Col("beats", self._beaten), group, Col("ranks", _rank_span)]

    def _beaten(self, row: Standing) -> str:
        """Return the ranks of the systems that are significantly worse."""
        rank = {each.system: each.position for each in self.result.standings(row.measure)}
        return ranges(rank[system] for system in row.beats)

    def _reference_columns(self) -> list[Col]:
        """Return how systems stand to `against`, or with a margin to the best one."""
        result, tests = self.result, self.result.tests
        if tests is None or (not tests.against and isnan(tests.margin)):
            return []

        def of(name: str) -> Callable[[Standing], Any]:
            def get(row: Standing) -> Any:
                reference = tests.against or result.standings(row.measure)[0].system
                same = row.system == reference
                pair = None if same else result.pair(row.system, reference, row.measure)
                return getattr(pair, name, None)

            return get

        verdict = Col(f"against {tests.against or 'the best'}", of("verdict"), data="verdict")
        if not tests.against:
            return [verdict]
        return [
            Col("difference", of("value"), 3, data=""),
            Col("p", of("p"), style="p", data=""),
            verdict,
        ]

    def measures(self) -> Section | None:
        """Return the measures of one system, or all systems under all measures."""
        if self.several:
            return self._all_measures()
        return replace(self.scores(), key="measures")

    def _all_measures(self) -> Section | None:
        """Return the shorter list in columns; two systems have their intervals."""
        result, measures = self.result, self.result.measures
        systems = tuple(row.system for row in result.standings(self.measure))
        evaluated, few = result.kind == "evaluation", len(systems) <= _MOST_BESIDE
        if len(measures) == 1 and not evaluated:
            return None
        down = evaluated or few or len(measures) > len(systems)  # measures are rows

        def standing(row: Any, i: int) -> Standing:
            return result.standing(systems[i], row) if down else result.standing(row, measures[i])

        def get(row: Any, i: int) -> Any:
            score = draw.shown_score(result, standing(row, i))
            return score if few else score.value

        def bold(row: Any, i: int) -> bool:
            return _is_best(standing(row, i))

        names = systems if down else tuple(map(self._named, measures))
        data = None if down else [m.key for m in measures]
        first = Col("measure", self._named, key="key") if down else Col("system", str)
        level = few and self.level and f"In brackets: {100 * self.level:g} % intervals."
        notes = kept(level or "", *(self._notes(measures) if few else []))
        return Section(
            "measures",
            self.facts
            if evaluated and few
            else f"{'Figures' if result.rated else 'Scores'} under all measures",
            measures if down else systems,
            [first, *across(names, get, 3, bold=bold, data=data)],
            notes,
            lead=text_of("result.bold"),
            filtered=None if down else str,
        )

    def scores(self) -> Section:
        """Return one row per measure and system: all scores, at full precision."""
        result, scores = self.result, self.scored
        uses = {m: "numbers" if scores.is_raw(m) else "classes" for m in result.measures}
        hidden = partial(Col, shown=False)
        columns = kept(
            Col("measure", lambda row: self._named(row.measure), key="measure.key"),
            Col("system", shown=self.several),
            *self._scores(best=self.several),
            not self.several
            and Col("range", lambda row: words.range_text(result, row.measure, " … "), data=""),
            *cols("specification=measure.specification, better=measure.better", shown=False),
            hidden("beats", lambda row: ", ".join(row.beats)),
            *cols("undefined:0", shown=bool(scores.undefined.any())),
            *cols("rank:0, group=letters, rank_low:0, rank_high:0", shown=False),
            scores.raw and hidden("uses", lambda row: uses[row.measure]),
        )
        rows = [row for row in result.tidy() if row.measure in self.asked]
        return Section("scores", self.facts, rows, columns, self._notes(result.measures))

    # Pairs.

    def _pairs(self, rows: Sequence[Pair], tests: Tests, *, verdicts: bool = True) -> Section:
        """Return pairs of systems with their differences and tests."""
        columns = [
            Col("measure", "measure.key", shown=False),
            *cols("system=first, against=second, difference=.:+4i", 1 - tests.alpha),
            *cols("specification=measure.specification", shown=False),
            Col("effect size", "effect", 2, data="effect", shown=not np.isnan(tests.effect).all()),
            Col("p", style="p"),
            Col("detectable", digits=3, shown=tests.detectable is not None),
            Col("verdict", shown=verdicts),
        ]
        notes = doubts((f"{pair.first} and {pair.second}", pair) for pair in rows)
        notes += self._test_notes()
        title = f"Pairs of systems under {self._named(rows[0].measure)}"
        return Section("pairs", title, rows, columns, notes)

    def pairs(self) -> Section:
        """Return all pairs of systems under one measure; data have those of all measures."""
        result, tests = self.result, self.result.required_tests()
        table = self._pairs(
            shown_pairs(result, self.measure), tests, verdicts=not isnan(tests.margin)
        )
        return replace(table, stored=self._of_all(partial(shown_pairs, result), table.columns))

    def significance(self) -> Section | None:
        """Return the tests of all pairs as a grid, and every system against one."""
        result, tests = self.result, self.result.tests
        if tests is None:
            return None
        reference = tests.against or result.best
        table = self._pairs(pairs_with(result, reference, result.primary), tests)
        closer = {row.first: self.openings.closer(reference, row.first) for row in table.rows}

        def number(i: int, part: int, absent: Any) -> Callable[[Pair], Any]:
            return lambda pair: closer[pair.first][i][part] if closer[pair.first] else absent

        who = (shorten(reference, 20), "this one") if any(closer.values()) else ()
        counts = (
            Col(f"items: {name} closer", number(i, 0, None), 0, opens=number(i, 1, ""))
            for i, name in enumerate(who)
        )
        return replace(
            table,
            key="significance",
            title=f"Each system against {reference}",
            columns=[*(col for col in table.columns if col.name != "against"), *counts],
            figures=[draw.significance_grid(result, most=_MOST_SYSTEMS)],
            filtered=lambda pair: str(pair.first),
        )

    def anova(self) -> Section:
        """Return the two-way analysis of variance without replication, a row per measure."""
        anova = self.result.required_tests().anova
        if anova is None:
            raise InputError(
                "There is no analysis of variance without two or more topics.", parameter="topic"
            )

        def of(name: str, heading: str, digits: int | None) -> Col:
            values = np.asarray(getattr(anova, name), dtype=float)
            style = "p" if digits is None else ""
            return Col(heading, lambda m: values[self.scored.row(m)], digits, style, data=name)

        columns = [Col("measure", itself), *(of(name, *shown) for name, shown in _ANOVA.items())]
        title = "Two-way analysis of variance without replication"
        return Section("anova", title, self.asked, columns)

    # Topics.

    def topics(self) -> Section:
        """Return the scores of systems on each topic; data have those of all measures."""
        scores, measures = self.scored, self.asked
        per_topic, sizes = scores.per_topic, scores.topic_items
        if per_topic is None:
            raise InputError(
                "There are no scores of topics.",
                parameter="topic",
                hint="Give the topics with {topic}.",
                suggest={"topic": ...},
            )

        keys = [m.key for m in measures]
        axes = (("measure", keys), ("system", scores.systems), ("topic", scores.topics))
        places = [scores.row(m) for m in measures]
        rows, columns = cells(per_topic[places], axes, Col("score", digits=4))
        if sizes is not None:
            columns.append(Col("items", lambda place: sizes[place[-1]], 0))
        columns.append(Col("specification", lambda place: measures[place[0]].specification))
        shown = measures if len(measures) <= 3 else [self.measure]
        parts = [self._by_topic(m, per_topic[scores.row(m)]) for m in shown]
        return Section("topics", "Scores by topic", parts=parts, stored=(rows, columns))

    def _by_topic(self, measure: Measure, per_topic: Floats) -> Section:
        """Return topics as rows and systems as columns, with the score in all."""
        scores, rows = self.scored, self.result.standings(measure)
        by_topic = per_topic[[scores.place(row.system) for row in rows]]
        table = np.vstack([by_topic.T, [row.value for row in rows]])
        oriented = measure.sign * table
        best = np.max(np.where(np.isnan(oriented), -np.inf, oriented), axis=1)
        names = [*scores.topics, "mean" if scores.aggregate == "mean" else "all items"]

        def bold(i: int, j: int) -> bool:
            return len(rows) > 1 and bool(oriented[i, j] >= best[i] - _SAME)

        systems = across((row.system for row in rows), lambda i, j: table[i, j], 4, bold=bold)
        columns = [Col("topic", names.__getitem__), *systems]
        return Section("topics", f"{self._named(measure)} by topic", range(len(names)), columns)

    def hardest(self) -> Section | None:
        """Return the topics with the worst mean score over the systems, and the spread."""
        result, scores, m = self.result, self.scored, self.result.primary
        if scores.per_topic is None or len(scores.topics) < 2:
            return None
        every = scores.per_topic[scores.row(m)]
        # A system without any score is left out; a topic needs the scores of all others.
        known = np.flatnonzero(~np.isnan(every).all(axis=1))
        by_topic = every[known]
        mean = by_topic.sum(axis=0) / len(known) if len(known) else np.full(len(scores.topics), nan)
        order = [t for t in np.argsort(m.sign * mean, kind="stable").tolist() if not isnan(mean[t])]
        best = np.argmax(m.sign * by_topic, axis=0) if len(known) else []
        columns = [
            Col("topic", lambda t: scores.topics[t]),
            Col(f"{'mean ' * self.several}{self._named(m)}", lambda t: by_topic[:, t].mean(), 4),
        ]
        if len(known) > 1:
            columns += [
                Col("spread", lambda t: by_topic[:, t].std(ddof=1), 4),
                Col("best system", lambda t: scores.systems[known[best[t]]]),
                Col("its score", lambda t: by_topic[best[t], t], 4),
            ]
        title = f"The hardest of {len(order)} topics with a score for every system"
        notes = [text_of("result.hardest")] * self.several
        figures = [draw.topics_figure(result, most=_MOST_SYSTEMS)]
        return Section("hardest", title, order[:_HARDEST], columns, notes, figures)

    # Slices.

    def slices(self) -> Section | None:
        """Return slices under one measure; data have those of all measures."""
        result, slices = self.result, self.result.slices
        if slices is None:
            return None

        every = [row for s in result.systems for row in slices.rows(self.measure, s)]
        rows, fewer = self._most_telling(every)
        columns = [
            *self._of_measure(),
            Col("by", "column", shown=len(slices.columns) > 1),
            *cols("slice=name, items:0, score=.:4i, difference:+4i, p:p", self.level),
            *cols("may_be_worst", shown=False),
        ]
        notes = kept(
            fewer,
            self.level > 0
            and text_of("result.slices", trials=slices.trials, alpha=round(1 - self.level, 9)),
            self.level > 0 and any(isnan(row.p) for row in rows) and text_of("result.no_test"),
            *doubts((row.name, row) for row in rows),
        )
        parts = kept(self.gaps(), self.slice_pairs())
        return Section(
            "slices",
            f"Slices under {self._named(self.measure)}",
            rows,
            columns,
            notes,
            [
                draw.slices_figure(result, self.measure, c, result.best, _MOST_DRAWN)
                for c in slices.columns
            ],
            parts=[replace(part, open=True) for part in parts],
            stored=self._of_all(slices.rows, columns),
            filtered=lambda row: str(row.system),
        )

    def _most_telling(self, rows: Sequence[_Row]) -> tuple[Sequence[_Row], str]:
        """Return rows of slices that fit a table, and what to say if these are not all."""
        most, alpha, sign = _MOST_SLICES, 1 - self.level, self.measure.sign
        if len(rows) <= most:
            return rows, ""
        order = sorted(rows, key=lambda r: (not r.p < alpha, isnan(r.value), sign * r.value))
        return order[:most], text_of("result.fewer_slices", shown=most, slices=len(rows))

    def _of_measure(self) -> list[Col]:
        """Return the columns that say whose figures these are."""
        return [Col("measure", "measure.key", shown=False), Col("system", shown=self.several)]

    def _of_all(
        self, rows: Callable[[Measure], Sequence[Any]], columns: Sequence[Col]
    ) -> tuple[Callable[[], Iterable[Any]], Sequence[Col]]:
        """Return what data hold: the rows under all measures."""
        return lambda: chain(*map(rows, self.asked)), columns

    def gaps(self) -> Section | None:
        """Return gap, worst slice and drift of every column of slices."""
        slices, level = self.result.slices, self.level
        if slices is None:
            return None
        rows = [row for s in self.result.systems for row in slices.gaps(self.measure, s)]
        what = "by=column, gap=.:4i, alike:p, worst, worst score=worst_score:4i, candidates:0"
        columns = [
            *self._of_measure(),
            *cols(what, level),
            *cols("slope:+6i, per=unit, slope p=slope_p:p", level, shown=any(slices.units)),
        ]
        title = f"Gaps between slices under {self._named(self.measure)}"
        notes = [text_of("result.gaps"), *doubts((row.worst, row.worst_score) for row in rows)]
        stored = self._of_all(slices.gaps, columns)
        return Section("gaps", title, rows, columns, notes, stored=stored)

    def slice_pairs(self) -> Section | None:
        """Return differences of systems on slices: of the best one, or the one compared with."""
        slices, level = self.result.slices, self.level
        if slices is None or not slices.firsts:
            return None
        every = slices.pairs(self.measure, words.reference(self.result))
        rows, fewer = self._most_telling(every)
        columns = [
            Col("measure", "measure.key", shown=False),
            *cols("system=first, minus=second"),
            Col("by", "column", shown=len(slices.columns) > 1),
            *cols("slice=name, items:0, difference=.:+4i, p:p", level),
        ]
        title = f"Systems on slices under {self._named(self.measure)}"
        stored = self._of_all(slices.pairs, columns)
        notes = kept(fewer, text_of("result.slice_pairs", alpha=round(1 - level, 9)))
        return Section("slice_pairs", title, rows, columns, notes, stored=stored)

    # Systems and classes.

    def _tables(self) -> Floats:
        if self.result.tables is None:
            what = "Ratings have" if self.result.rated else "Quantification has"
            raise InputError(f"{what} no figures per class.", parameter="what")
        return self.result.tables

    def _class_notes(self) -> list[str]:
        """Explain the numbers per class."""
        binned = self.scored.bins is not None
        return kept(text_of("result.classes"), binned and text_of("result.binned"), *self._notes())

    def classes(self) -> Section:
        """Return one row per system and class."""
        scores, numbers = self.scored, class_figures(self._tables(), self.scale)
        rows = [(scores.place(s), k) for s in self.result.systems for k in range(self.scale.k)]
        columns = class_columns(self.scale.labels, numbers)
        system = Col("system", lambda row: scores.systems[row[0]])
        return Section(
            "classes", "Numbers per class", rows, [system, *columns], self._class_notes()
        )

    def confusion(self) -> Section:
        """Return the counts of gold by predicted class, a table for each system."""
        scores, tables, labels = self.scored, self._tables(), self.scale.labels
        systems = self.result.systems
        by_rank = tables[[scores.place(system) for system in systems]]
        axes = (("system", systems), ("gold", labels), ("predicted", labels))
        titles = (f"Confusion table: {system}" for system in systems)
        parts = [crossed(labels, *pair) for pair in zip(by_rank, titles, strict=True)]
        title, stored = "Confusion tables", cells(by_rank, axes, Col("count", digits=0))
        return Section("confusion", title, parts=parts, notes=self._notes(), stored=stored)

    def systems(self) -> Section:
        """Return each system with its confusion matrix, errors, scores and classes."""
        result, tables = self.result, self.result.tables
        numbers = None if tables is None else class_figures(tables, self.scale)
        notes = self._notes() if numbers is None else self._class_notes()
        notes += self._doubts(result.measures)
        return Section(
            "systems",
            "Systems one by one" if self.several else "The system",
            parts=[self._system(row, numbers) for row in result.standings()[:_MOST_SYSTEMS]],
            notes=kept(*notes, draw.left_out(result, _MOST_SYSTEMS).strip()),
        )

    def _system(self, row: Standing, numbers: Any) -> Section:
        result, system = self.result, row.system
        columns = kept(
            Col("measure", lambda r: self._named(r.measure)),
            *self._scores(digits=3),
            self.several and Col("rank", _rank, 0),
        )
        figures, parts = ([], []) if numbers is None else self._of_classes(system, numbers)
        return Section(
            f"system-{row.position}",
            f"{f'{row.position}. ' if self.several and row.rank else ''}{system}",
            [result.standing(system, m) for m in result.measures],
            columns,
            lead=words.system_sentence(result, system) if self.several else "",
            figures=figures,
            parts=parts,
            short=f"{self.scored.label(result.primary)} {decimals(row.value, 3)}",
            open=row.position == 1,
            filtered=lambda _: str(system),
        )

    def _of_classes(self, system: str, numbers: Any) -> tuple[list[Any], list[Section]]:
        """Return the confusion matrix, the distances from gold, and the numbers per class."""
        labels, place = self.scale.labels, self.scored.place(system)
        counts = self._tables()[place]
        grid = draw.confusion_grid(counts, labels, f"Confusion of {system}", MOST_CLASSES)
        figures = [self.openings.confusion(grid, system), error_bars(counts, system, self.openings)]
        columns = class_columns(labels, numbers, self.openings, system)
        rows = [(place, k) for k in common_classes(numbers["support"][place], _MOST_SYSTEMS)]
        left = len(labels) - len(rows)
        notes = [text_of("result.fewer", classes=left)] if left else []
        title = f"Classes of {system}"
        return figures, [Section("classes", title, rows, columns, notes, open=True)]

    def gold(self) -> Section | None:
        """Return how often each class, or group of classes of a long scale, occurs in gold."""
        if self.result.tables is None:
            return None
        names, starts = class_groups(self.scale.labels)
        gold = np.add.reduceat(self.result.tables[0].sum(axis=1), starts).tolist()
        total, spans = sum(gold) or 1.0, class_ranges(self.scale.labels, len(names))

        def bar(name: str, n: float, span: tuple[int, int]) -> tuple[str, Tile]:
            text, opens = f"{n:,.10g} ({100 * n / total:.1f} %)", f"g,{span[0]},{span[1]}"
            return name, Tile(
                text, "", round(n / total, 4), "right", opens=self.openings.opens(n, opens)
            )

        bars = tuple(map(bar, names, gold, spans))
        return Section("gold", "Gold", figures=[Bars("Gold items in each class", bars)])

    # Measures and distributions.

    def similarity(self) -> Section | None:
        """Return how alike measures rank the systems, and the best system under each."""
        result = self.result
        if len(result.systems) < 3 or len(result.measures) < 2 or result.rated:
            return None
        tau, names = draw.similarity_of(result).tau, list(map(result.scores.label, result.measures))

        def best(m: Measure) -> str:
            first = words.leaders(result.standings(m))
            return ", ".join(row.system for row in first[:3]) or UNDEFINED

        def wins(m: Measure) -> str:
            return f"{sum(len(row.beats) for row in result.standings(m))} of {len(self._p(m))}"

        own = f"rank of {shorten(result.best, 20)}"
        columns = kept(
            Col("measure", self._named),
            Col("best system", best),
            Col("score", lambda m: result.standings(m)[0].value, 4),
            Col(own, lambda m: result.standing(result.best, m).rank, 0),
            result.tests is not None and Col("significant pairs", wins),
        )
        title, figure = "The best system under each measure", draw.similarity_grid(tau, names, "b")
        lead = f"{words.similarity_words(tau, names)} {words.advice(result)}"
        figures = [lower_half(figure)]
        return Section("similarity", title, result.measures, columns, lead=lead, figures=figures)

    def calibration(self) -> Section | None:
        """Return what makes up RPS, a test of calibration, and reliability curves."""
        result, found = self.result, self.result.calibration
        if found is None:
            return None
        place, names = (
            result.scores.place,
            ("RPS", "miscalibration", "discrimination", "uncertainty"),
        )
        columns = [
            Col("system", str),
            *across(names, lambda s, i: float(found.parts[place(s), i]), 4),
            Col("z", lambda s: float(found.z[place(s)]), 2),
            Col("p", lambda s: float(found.p[place(s)]), style="p"),
            Col("verdict", lambda s: words.calibrated(found, place(s))),
        ]
        figures = [draw.reliability_figure(result, s) for s in result.systems[:MOST_SERIES]]
        notes = [text_of("result.calibration")]
        return Section("calibration", "Calibration", result.systems, columns, notes, figures)

    def distributions(self) -> Section | None:
        """Return the mean distributions of quantification beside that of gold."""
        result, labels = self.result, self.scale.labels
        if result.shares is None:
            return None
        gold, means = draw.mean_shares(result)
        rows = [("gold", gold), *((s, means[result.scores.place(s)]) for s in result.systems)]
        columns = [Col("system", lambda row: row[0])]
        columns += across(labels, lambda row, k: row[1][k], 3)
        figures = [draw.shares_figure(result)]
        return Section("distributions", "Mean share of each class", rows, columns, figures=figures)


def _is_best(row: Standing) -> bool:
    return row.rank == 1 and row.measure.record.directed


def _rank_span(row: Standing) -> str:
    if row.rank_low is None or row.rank_high is None:
        return ""
    return f"{row.rank_low}–{row.rank_high}" if row.rank_low < row.rank_high else str(row.rank_low)


def shown_pairs(result: Result, measure: Measure) -> Sequence[Pair]:
    """Return all pairs of systems, or every system minus the one that all were compared with."""
    against = result.tests.against if result.tests else ""
    return pairs_with(result, against, measure) if against else result[measure].pairs


def pairs_with(result: Result, system: str, measure: Measure) -> list[Pair]:
    """Return every other system minus one, best first."""
    others = (row.system for row in result.standings(measure) if row.system != system)
    return [result.pair(other, system, measure) for other in others]


_OPENED = {"support": "g,{k},{k} s,{{}}", "predicted": "p,{{}},{k},{k}"}  # counts per class


def class_columns(
    labels: Sequence[Any], numbers: Any, openings: Openings = NOTHING, system: str = ""
) -> list[Col]:
    """Return the columns of numbers per class, whose rows are (place of the system, class)."""

    def of(name: str) -> Col:
        def get(row: Any) -> float:
            return float(numbers[name][row])

        def opens(row: Any) -> str:
            return openings.opens(get(row), _OPENED[name].format(k=row[-1]), system)

        heading, counted, known = name.replace("_", " "), name in _OPENED, "ciq" not in name
        opened = opens if counted else None
        return Col(heading, get, 0 if counted else 3, opens=opened, shown=known)

    return [Col("class", lambda r: labels[r[-1]]), *map(of, numbers)]


def common_classes(support: Floats, most: int) -> list[int]:
    """Return the classes with the most gold items, in the order of the scale."""
    return sorted(np.argsort(-support, kind="stable")[:most].tolist())


def crossed(
    labels: Sequence[Any], counts: Any, title: str, corner: str = "gold \\ predicted"
) -> Section:
    """Return counts of gold by predicted class with their sums; a long scale is in groups."""
    names, starts = class_groups(labels, _MOST_CLASSES)
    cells = np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)
    cells = np.vstack([cells, cells.sum(axis=0)])
    cells = np.column_stack([cells, cells.sum(axis=1)])
    grouped = len(names) < len(labels)
    names.append("all")
    columns = [Col(corner, names.__getitem__)]
    columns += across(names, lambda i, j: float(cells[i, j]), 0)
    notes = [f"Classes are in groups of {starts[1]}; csv has all counts."] if grouped else []
    return Section("confusion", title, range(len(names)), columns, notes)


def error_bars(counts: Any, system: str, openings: Openings) -> Bars:
    """Return how far predictions of a system are from gold, in classes, with the sign."""
    k, total = len(counts), float(counts.sum()) or 1.0
    far = min(k - 1, WIDEST // 2)
    steps = np.clip(np.arange(k)[None, :] - np.arange(k)[:, None], -far, far)

    def bar(step: int) -> tuple[str, Tile]:
        more = " or more" if abs(step) == far < k - 1 else ""
        count = float(counts[steps == step].sum())
        low, high = (-k if more and step < 0 else step, k if more and step > 0 else step)
        name = "right" if step == 0 else f"{step:+d}{more}".replace("-", "−")
        opens, share = openings.opens(count, f"d,{{}},{low},{high}", system), count / total
        kind = "" if step else "right"
        return name, Tile(f"{100 * share:.1f} %", "", round(share, 4), kind, opens=opens)

    return Bars("Distance from gold, in classes", tuple(map(bar, range(-far, far + 1))))
