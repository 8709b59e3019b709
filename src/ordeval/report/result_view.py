"""What is shown about results of `evaluate`, `compare` and `quantify`."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import isnan
from typing import Any

import numpy as np

from ..data.examples import MOST_CLASSES
from ..data.scale import class_groups
from ..errors import InputError, plural
from ..formatting import UNDEFINED, decimals, ranges, shorten
from ..measures.classes import class_figures
from ..measures.spec import Measure
from ..results import Estimate, Figures, Pair, Result, Standing
from . import repeat
from .figures import WIDEST, Bar, Bars, lower_half
from .items import Openings, class_ranges
from .phrases import doubts
from .result_figures import (
    confusion_grid,
    intervals_figure,
    left_out,
    mean_shares,
    shares_figure,
    significance_grid,
    similarity_grid,
    similarity_of,
    topics_figure,
)
from .result_words import (
    advice,
    answer,
    checks,
    leaders,
    method,
    range_text,
    similarity_words,
    size_of,
    system_sentence,
)
from .texts import text_of
from .view import Col, Section, View, itself

_MOST_SYSTEMS = 50  # one by one, in figures and in grids of pairs; tables hold all
_MOST_BESIDE = 2  # systems whose scores with intervals are columns; more are rows
_MOST_LETTERS = 12  # with more, the groups of a system tell a reader nothing
_MOST_CLASSES = 20  # rows or columns of counts in text
_HARDEST = 20
_SAME = 1e-12  # scores closer than this differ by rounding only
_COMMANDS = {"quantification": "quantify", "comparison": "compare", "evaluation": "score"}


def result_view(result: Result, measure: Measure | None = None) -> View:
    """Return the view of a result; `measure` is the one that tables are about."""
    parts = _Parts(result, measure)
    several, quantified = len(result.systems) > 1, result.kind == "quantification"
    sections: dict[str, Callable[[], Section | None]] = {
        "leaderboard": parts.leaderboard,
        "measures": parts.measures,
        "scores": parts.scores,
        "pairs": parts.pairs,
        "p": partial(parts.matrix, "p"),
        "effect": partial(parts.matrix, "effect"),
        "difference": partial(parts.matrix, "difference"),
        "anova": parts.anova,
        "topics": parts.topics,
        "classes": parts.classes,
        "confusion": parts.confusion,
        "distributions": parts.distributions,
        "systems": parts.systems,
        "similarity": parts.similarity,
        "significance": parts.significance,
        "hardest": parts.hardest,
        "gold": parts.gold,
    }
    return View(
        f"{len(result.systems)} systems compared" if several else f"Evaluation of {result.best}",
        sections,
        brief=parts.brief(),
        page=(
            *(("leaderboard", "measures") if several else ("measures",)),
            *("distributions", "systems", "similarity", "significance", "hardest", "gold"),
        ),
        data="scores",
        kicker="Ordinal quantification" if quantified else "Ordinal classification",
        facts=size_of(result),
        answer=lambda: answer(result),
        checks=lambda: checks(result),
        method=lambda: method(result),
        measures=[(result.scores.short(m), m) for m in result.measures],
        notes=result.notes,
        signature=result.signature(parts.measure if several else None),
        call=lambda: (_command(result), _python(result)),
        items=parts.openings.data,
    )


def figures_view(figures: Figures[Estimate, Estimate]) -> View:
    """Return the view of the rows under one measure."""
    columns = [Col("name", lambda row: row[0]), Col("value", lambda row: row[1], 4)]
    if all(isinstance(row, Standing) for row in figures.rows):
        columns.insert(0, Col("rank", lambda row: row[1].rank, 0))
    title = f"{figures.measure.key}{' (raw)' * figures.raw} {figures.measure.arrow}"
    rows = tuple(zip(figures.names, figures.rows, strict=True))
    section = Section("scores", title, rows, columns)
    return View(title, {"scores": lambda: section}, ("scores",), data="scores")


class _Parts:
    """The sections of a result, each made when it is asked for."""

    def __init__(self, result: Result, measure: Measure | None) -> None:
        self.result, self.chosen = result, measure
        self.measure = measure or result.primary
        self.openings = Openings.of(result)
        self.several = len(result.systems) > 1

    def brief(self) -> tuple[str, ...]:
        """Return the sections that printing shows."""
        if self.result.kind != "evaluation":
            return ("leaderboard", "measures") if self.several else ("measures",)
        beside = len(self.result.systems) <= (_MOST_BESIDE if self.result.judge is None else 1)
        return ("measures",) if beside else ("scores",)

    def _short(self, measure: Measure) -> str:
        return f"{self.result.scores.short(measure)} {measure.arrow}"

    def _level(self) -> str:
        made = self.result.intervals
        return f" [{100 * made.level:g} % interval]" if made else ""

    # Scores.

    def leaderboard(self) -> Section | None:
        """Return systems from best to worst under one measure."""
        result, tests = self.result, self.result.tests
        if not self.several:
            return None
        rows = result.standings(self.measure)
        columns = [
            Col("#", lambda row: None if row.rank is None else row.position, 0, data="position"),
            Col("system"),
            Col(f"score{self._level()}", itself, 4, data="score", bold=_is_best),
            *self._judge_columns(),
        ]
        all_pairs = tests is not None and not tests.against
        if all_pairs:
            columns.append(Col("beats", self._beaten))
            longest = max(len(row.letters) for row in rows)
            if 0 < longest <= _MOST_LETTERS:
                columns.append(Col("group", lambda row: row.letters))
            columns.append(Col("ranks", _rank_span))
        columns += self._reference_columns()
        notes = self._test_notes(rows) + self._doubts([self.measure]) + self._judge_notes()
        short = self._short(self.measure)
        return Section(
            "leaderboard",
            f"{size_of(result)}; ranked by {short}",
            rows,
            columns,
            notes,
            [intervals_figure(result, self.measure, _MOST_SYSTEMS)],
            variants={
                f"{self._short(m)} {m.record.title}": result.standings(m) for m in result.measures
            },
            filtered=lambda row: str(row.system),
            marked=lambda row: row.in_best_group or row.rank == 1,
        )

    def _beaten(self, row: Standing) -> str:
        """Return the ranks of the systems that are significantly worse."""
        rank = {each.system: each.position for each in self.result.standings(row.measure)}
        return ranges(rank[system] for system in row.beats)

    def _reference_columns(self) -> list[Col]:
        """Return how systems stand to `against`, or with a margin to the best one."""
        tests = self.result.tests
        if tests is None or not (tests.against or not isnan(tests.margin)):
            return []

        def pair(row: Standing) -> Pair | None:
            reference = tests.against or self.result.standings(row.measure)[0].system
            same = row.system == reference
            return None if same else self.result.pair(row.system, reference, row.measure)

        def of(name: str) -> Callable[[Standing], Any]:
            return lambda row: None if (p := pair(row)) is None else getattr(p, name)

        whom = f"against {tests.against or 'the best'}"
        verdict = Col(whom, of("verdict"), data="verdict")
        if not tests.against:
            return [verdict]
        difference = Col(
            "difference",
            lambda row: None if (p := pair(row)) is None else p.value,
            4,
            data="",
        )
        return [
            difference,
            Col("p", of("p"), style="p", data=""),
            verdict,
            Col("detectable", of("detectable"), 4, data=""),
        ]

    def _test_notes(self, rows: Sequence[Standing]) -> list[str]:
        tests = self.result.tests
        if tests is None:
            return []
        draws = plural(tests.trials, "outcome" if tests.exact else "trial")
        test = f"p < {tests.alpha:g} ({tests.name}, {draws})"
        key = "beats" if any(row.beats for row in rows) else "none"
        key = key if any(row.rank_low for row in rows) else "untested"
        key = "against" if tests.against else key
        told = [text_of(f"result.{key}", test=test, against=tests.against)]
        told += [text_of("result.detectable")] if tests.against else []
        return told + self._margin_notes()

    def _margin_notes(self) -> list[str]:
        tests = self.result.tests
        if tests is None or isnan(tests.margin):
            return []
        level = 100 * (1 - 2 * tests.alpha)
        return [text_of("result.equivalent", level=level, margin=tests.margin)]

    def _doubts(self, measures: Sequence[Measure]) -> list[str]:
        return doubts((str(m), row) for m in measures for row in self.result.standings(m))

    def _judge_columns(self) -> list[Col]:
        """Return how much a judge's labels were used, and how many gold labels they were worth."""
        if self.result.judge is None:
            return []
        return [
            Col("λ", lambda row: row.judge_weight, 2, data="judge_weight"),
            Col(
                "worth",
                lambda row: round(row.worth) if row.worth == row.worth else None,
                0,
                data="",
            ),
        ]

    def _judge_notes(self) -> list[str]:
        judge = self.result.judge
        if judge is None:
            return []
        return [text_of("result.judge", name=judge.name, labelled=judge.labelled)]

    def measures(self) -> Section | None:
        """Return the measures of one system, or all systems under all measures."""
        result = self.result
        if not self.several:
            columns = [
                Col("measure", lambda row: self._named(row.measure)),
                Col(f"score{self._level()}", itself, 4, data="score"),
                *self._judge_columns(),
                Col("range", lambda row: range_text(result, row.measure, " … ")),
            ]
            if result.scores.undefined.any():
                columns.append(Col("undefined", digits=0))
            notes = self._doubts(result.measures) + self._judge_notes()
            return Section("measures", size_of(result), result.tidy(), columns, notes)
        if len(result.measures) == 1 and result.kind != "evaluation":
            return None
        if len(result.measures) > len(result.systems) or result.kind == "evaluation":
            return self._side_by_side()
        columns = [Col("system")]
        columns += [self._under(m) for m in result.measures]
        notes = [text_of("result.bold")]
        title = "Scores under all measures"
        rows = result.standings(self.measure)
        return Section(
            "measures", title, rows, columns, notes, filtered=lambda row: str(row.system)
        )

    def _under(self, measure: Measure) -> Col:
        rows = {row.system: row for row in self.result.standings(measure)}
        return Col(
            self._short(measure),
            lambda row: rows[row.system].value,
            4,
            data=measure.key,
            bold=lambda row: rows[row.system].rank == 1,
        )

    def _side_by_side(self) -> Section:
        """Return measures as rows and systems as columns; few systems have their intervals."""
        result = self.result
        found = {m: {row.system: row for row in result.standings(m)} for m in result.measures}
        few = len(result.systems) <= _MOST_BESIDE

        def of(system: str) -> Col:
            def get(m: Measure) -> Any:
                e = found[m][system]
                return e if few else e.value

            return Col(system, get, 4, bold=lambda m: found[m][system].rank == 1)

        named = self._named if result.kind == "evaluation" else self._short
        columns = [Col("measure", named, data=""), Col("measure", lambda m: m.key, shown=False)]
        columns += map(of, result.systems)
        notes = [f"In brackets: {self._level().strip(' []')}s."] if few and self._level() else []
        notes += self._doubts(result.measures) if few else []
        title = size_of(result) if result.kind == "evaluation" else "Scores under all measures"
        return Section("measures", title, result.measures, columns, notes)

    def _named(self, measure: Measure) -> str:
        raw = " (raw)" * self.result.scores.is_raw(measure)
        return f"{measure.key}{raw} {measure.arrow}"

    def scores(self) -> Section:
        """Return one row per measure and system: all scores, at full precision."""
        result = self.result
        rows = [r for r in result.tidy() if self.chosen in (None, r.measure)]
        uses = {m: "numbers" if result.scores.is_raw(m) else "classes" for m in result.measures}
        columns = [
            Col("measure", lambda row: self._named(row.measure), data=""),
            Col("measure", lambda row: row.measure.key, shown=False),
            Col("system"),
            Col("better", lambda row: row.measure.better, shown=False),
            Col(f"score{self._level()}", itself, 4, data="score", bold=_is_best),
            Col("undefined", digits=0, shown=bool(result.scores.undefined.any())),
            Col("rank", digits=0, shown=False),
            Col("group", lambda row: row.letters, shown=False),
            Col("beats", lambda row: ", ".join(row.beats), shown=False),
            Col("rank_low", digits=0, shown=False),
            Col("rank_high", digits=0, shown=False),
            Col("specification", lambda row: row.measure, shown=False),
        ]
        if result.judge is not None:
            columns += [Col("λ", lambda row: row.judge_weight, 2, data="judge_weight")]
            columns.append(Col("worth", digits=1))
        if result.scores.raw:
            columns.append(Col("uses", lambda row: uses[row.measure], shown=False))
        notes = self._doubts(result.measures) + self._judge_notes()
        return Section("scores", size_of(result), rows, columns, notes)

    # Pairs.

    def pairs(self) -> Section:
        """Return all pairs of systems under one measure; data have those of all measures."""
        result = self.result
        tests = result.tests if result.differences else result.required_tests()
        level = f" [{100 * result.differences.level:g} % interval]" if result.differences else ""
        rows = shown_pairs(result, self.measure)
        columns = [
            Col("measure", lambda pair: pair.measure.key, shown=False),
            Col("system", lambda pair: pair.first),
            Col("against", lambda pair: pair.second),
            Col(f"difference{level}", itself, 4, "signed", data="difference"),
            Col(
                "effect size",
                lambda pair: pair.effect,
                2,
                data="effect",
                shown=tests is not None and not np.isnan(tests.effect).all(),
            ),
            Col("p", style="p", shown=tests is not None),
            Col(
                "detectable",
                lambda pair: pair.detectable,
                4,
                shown=tests is not None and tests.detectable is not None,
            ),
            Col(
                "verdict",
                lambda pair: pair.verdict,
                shown=tests is not None and not isnan(tests.margin),
            ),
            Col("specification", lambda pair: pair.measure, shown=False),
        ]
        notes = doubts((f"{pair.first} and {pair.second}", pair) for pair in rows)
        if tests:
            notes += [
                f"p: {tests.name}, {tests.trials:,} {'outcomes' if tests.exact else 'trials'}."
            ]
            notes += [text_of("result.detectable")] if tests.detectable is not None else []
            notes += self._margin_notes()
        if tests and result.differences:
            notes.append(text_of("result.disagree"))
        measures = result.measures if self.chosen is None else (self.chosen,)
        return Section(
            "pairs",
            f"Pairs of systems under {self._short(self.measure)}",
            rows,
            columns,
            notes,
            data_rows=lambda: [pair for m in measures for pair in shown_pairs(result, m)],
        )

    def matrix(self, what: str) -> Section:
        """Return a number of all pairs as a square of systems, best first."""
        result, tests = self.result, self.result.required_tests()
        titles = {
            "p": "p-values",
            "effect": "Effect sizes (row minus column, in residual standard deviations)",
            "difference": "Differences (row minus column)",
        }

        def of(column: Standing) -> Col:
            def get(row: Standing) -> float | None:
                if row.system == column.system:
                    return None
                pair = result.pair(row.system, column.system, row.measure)
                return float(pair.value if what == "difference" else getattr(pair, what))

            def bold(row: Standing) -> bool:
                return what == "p" and (get(row) or 1.0) < tests.alpha

            style, digits = {"p": ("p", None), "effect": ("", 2)}.get(what, ("", 4))
            return Col(column.system, get, digits, style, bold=bold)

        rows = result.standings(self.measure)
        columns = [Col("system"), *map(of, rows)]
        notes = [f"p: {tests.name}."] if what == "p" else []
        return Section(
            what, f"{titles[what]} under {self._short(self.measure)}", rows, columns, notes
        )

    def significance(self) -> Section | None:
        """Return the tests of all pairs as a grid, and one system against each other one."""
        result, tests = self.result, self.result.tests
        if tests is None:
            return None
        reference = tests.against or result.best
        others = [row.system for row in result.standings() if row.system != reference]
        pairs = [result.pair(reference, system) for system in others]
        turned = {"better": "worse", "worse": "better"}
        closer = {pair.second: self.openings.closer(reference, pair.second) for pair in pairs}
        name = shorten(reference, 20)
        columns = [
            Col("system", lambda pair: pair.second),
            Col(f"{name} minus this one", itself, 4, "signed", data="difference"),
            Col(
                "effect size",
                lambda pair: pair.effect,
                2,
                shown=not all(isnan(p.effect) for p in pairs),
            ),
            Col("p", style="p"),
            Col("detectable", digits=4, shown=tests.detectable is not None),
        ]
        for i, who in enumerate((name, "this one") if any(closer.values()) else ()):
            columns.append(
                Col(
                    f"items: {who} closer",
                    partial(_closer, closer, i),
                    0,
                    opens=partial(_closer_items, closer, i),
                )
            )
        columns.append(Col("this one is", lambda pair: turned.get(pair.verdict, pair.verdict)))
        return Section(
            "significance",
            f"{reference} against each other system",
            pairs,
            columns,
            [text_of("result.detectable")] if tests.detectable is not None else [],
            figures=[significance_grid(result, most=_MOST_SYSTEMS)],
            filtered=lambda pair: str(pair.second),
        )

    def anova(self) -> Section:
        """Return the two-way analysis of variance without replication, a row per measure."""
        made, result = self.result.required_tests().anova, self.result
        if made is None:
            raise InputError(
                "There is no analysis of variance without two or more topics.", parameter="topic"
            )

        def of(name: str, digits: int | None = None) -> Col:
            values = np.asarray(getattr(made, name.replace(" ", "_")), dtype=float)
            style = "p" if digits is None else ""
            return Col(
                _ANOVA.get(name, name),
                lambda m: float(values[result.scores.row(m)]),
                digits,
                style,
                data=name.replace(" ", "_"),
            )

        columns = [Col("measure", lambda m: m.key)]
        for source in ("systems", "topics"):
            columns += [
                of(f"{source} ss", 4),
                of(f"{source} df", 0),
                of(f"{source} f", 2),
                of(f"{source} p"),
            ]
        columns += [of("residual ss", 4), of("residual df", 0), of("residual variance", 5)]
        rows = result.measures if self.chosen is None else (self.chosen,)
        return Section("anova", "Two-way analysis of variance without replication", rows, columns)

    # Topics.

    def topics(self) -> Section:
        """Return the scores of systems on each topic; data have those of all measures."""
        result, scores = self.result, self.result.scores
        if scores.per_topic is None:
            raise InputError(
                "There are no scores of topics.",
                parameter="topic",
                hint="Give the topics with {topic}.",
                suggest={"topic": ...},
            )
        per_topic, sizes = scores.per_topic, scores.topic_items
        measures = result.measures if self.chosen is None else (self.chosen,)
        columns = [
            Col("measure", lambda r: r[0].key, shown=False),
            Col("system", lambda r: scores.systems[r[1]], shown=False),
            Col("topic", lambda r: scores.topics[r[2]], shown=False),
            Col("score", lambda r: float(per_topic[scores.row(r[0]), r[1], r[2]]), 4, shown=False),
        ]
        if sizes is not None:
            columns.append(Col("items", lambda r: float(sizes[r[2]]), 0, shown=False))
        columns.append(Col("specification", lambda r: r[0], shown=False))
        return Section(
            "topics",
            "Scores by topic",
            columns=columns,
            parts=[self._by_topic(m) for m in (measures if len(measures) <= 3 else [self.measure])],
            data_rows=lambda: list(
                product(measures, range(len(scores.systems)), range(len(scores.topics)))
            ),
        )

    def _by_topic(self, measure: Measure) -> Section:
        """Return topics as rows and systems as columns, with the score in all."""
        result, scores = self.result, self.result.scores
        assert scores.per_topic is not None
        rows = result.standings(measure)
        by_topic = scores.per_topic[scores.row(measure)][[scores.place(r.system) for r in rows]]
        whole = [row.value for row in rows]
        table = np.vstack([by_topic.T, whole])
        oriented = measure.sign * table
        best = np.max(np.where(np.isnan(oriented), -np.inf, oriented), axis=1)
        names = [*scores.topics, "mean" if scores.aggregate == "mean" else "all items"]

        def of(j: int, system: str) -> Col:
            return Col(
                system,
                lambda i: float(table[i, j]),
                4,
                bold=lambda i: len(rows) > 1 and bool(oriented[i, j] >= best[i] - _SAME),
            )

        columns = [
            Col("topic", lambda i: names[i]),
            *(of(j, row.system) for j, row in enumerate(rows)),
        ]
        return Section("topics", f"{self._short(measure)} by topic", range(len(names)), columns)

    def hardest(self) -> Section | None:
        """Return the topics with the worst mean score over the systems, and the spread."""
        result, scores, m = self.result, self.result.scores, self.result.primary
        if scores.per_topic is None or len(scores.topics) < 2:
            return None
        every = scores.per_topic[scores.row(m)]
        # A system without any score is left out; a topic needs the scores of all others.
        known = np.flatnonzero(~np.isnan(every).all(axis=1))
        by_topic = every[known]
        ranked = (
            np.flatnonzero(~np.isnan(by_topic).any(axis=0)) if known.size else np.array([], int)
        )
        order = (
            ranked[np.argsort(m.sign * by_topic[:, ranked].mean(axis=0), kind="stable")]
            if ranked.size
            else ranked
        )
        best = np.argmax(m.sign * np.nan_to_num(by_topic), axis=0) if known.size else ranked
        columns = [
            Col("topic", lambda t: scores.topics[t]),
            Col(
                f"{'mean ' * self.several}{self._short(m)}",
                lambda t: float(by_topic[:, t].mean()),
                4,
            ),
        ]
        if len(known) > 1:
            columns += [
                Col("spread", lambda t: float(by_topic[:, t].std(ddof=1)), 4),
                Col("best system", lambda t: scores.systems[known[best[t]]]),
                Col("its score", lambda t: float(by_topic[best[t], t]), 4),
            ]
        notes = [text_of("result.hardest")]
        return Section(
            "hardest",
            f"The hardest of {len(ranked)} topics with a score for every system",
            order[:_HARDEST].tolist(),
            columns,
            notes if self.several else [],
            figures=[topics_figure(result, most=_MOST_SYSTEMS)],
        )

    # Systems and classes.

    def _tables(self) -> Any:
        if self.result.tables is None:
            raise InputError("Quantification has no figures per class.", parameter="what")
        return self.result.tables

    def classes(self) -> Section:
        """Return one row per system and class."""
        scores, tables = self.result.scores, self._tables()
        numbers = class_figures(tables, scores.scale)
        places = [(scores.place(s), k) for s in self.result.systems for k in range(scores.scale.k)]
        columns = [
            Col("system", lambda r: scores.systems[r[0]]),
            *class_columns(scores.scale.labels, numbers),
        ]
        notes = self._class_notes() + self._judge_notes()
        return Section("classes", "Numbers per class", places, columns, notes)

    def _class_notes(self) -> list[str]:
        """Explain the numbers per class."""
        binned = self.result.scores.bins is not None
        return [text_of("result.classes")] + [text_of("result.binned")] * binned

    def confusion(self) -> Section:
        """Return the counts of gold by predicted class, a table for each system."""
        scores, tables = self.result.scores, self._tables()
        labels = scores.scale.labels
        columns = [
            Col("system", lambda r: r[0], shown=False),
            Col("gold", lambda r: labels[r[1]], shown=False),
            Col("predicted", lambda r: labels[r[2]], shown=False),
            Col("count", lambda r: float(tables[(scores.place(r[0]), *r[1:])]), 0, shown=False),
        ]
        k = range(len(labels))
        parts = [
            crossed(labels, tables[scores.place(system)], f"Confusion table: {system}")
            for system in self.result.systems
        ]
        return Section(
            "confusion",
            "Confusion tables",
            columns=columns,
            parts=parts,
            notes=self._judge_notes(),
            data_rows=lambda: list(product(self.result.systems, k, k)),
        )

    def systems(self) -> Section:
        """Return each system with its confusion matrix, errors, scores and classes."""
        result = self.result
        rows = result.standings()[:_MOST_SYSTEMS]
        numbers = (
            None if result.tables is None else class_figures(result.tables, result.scores.scale)
        )
        notes = (
            ([] if numbers is None else self._class_notes())
            + self._judge_notes()
            + self._doubts(result.measures)
        )
        return Section(
            "systems",
            "Systems one by one" if self.several else "The system",
            parts=[self._system(row, numbers) for row in rows],
            notes=[*notes, *filter(None, [left_out(result, _MOST_SYSTEMS).strip()])],
        )

    def _system(self, row: Standing, numbers: Any) -> Section:
        result, system = self.result, row.system
        place = f"{row.position}. " if self.several and row.rank else ""
        columns = [
            Col("measure", lambda r: self._short(r.measure)),
            Col(f"score{self._level()}", itself, 3),
            *self._judge_columns(),
            *([Col("rank", digits=0)] if self.several else []),
        ]
        scores = [result.standing(system, m) for m in result.measures]
        figures: list[Any] = []
        parts: list[Section] = []
        if result.tables is not None:
            figures, parts = self._of_classes(
                system, result.tables[result.scores.place(system)], numbers
            )
        score = f"{result.scores.short(result.primary)} {decimals(row.value)}"
        return Section(
            f"system-{row.position}",
            f"{place}{system}",
            scores,
            columns,
            lead=system_sentence(result, system) if self.several else "",
            figures=figures,
            parts=parts,
            short=score,
            open=row.position == 1,
            filtered=lambda _: str(system),
        )

    def _of_classes(
        self, system: str, counts: Any, numbers: Any
    ) -> tuple[list[Any], list[Section]]:
        labels, place = self.result.scores.scale.labels, self.result.scores.place(system)
        grid = confusion_grid(counts, labels, f"Confusion of {system}", MOST_CLASSES)
        figures = [self.openings.confusion(grid, system), error_bars(counts, system, self.openings)]
        columns = class_columns(labels, numbers, self.openings, system)
        common = np.sort(np.argsort(-numbers["support"][place], kind="stable")[:_MOST_SYSTEMS])
        rows = [(place, int(k)) for k in common]
        left = len(labels) - len(rows)
        notes = (
            [f"{left:,} classes with fewer gold items are left out; csv has all."] if left else []
        )
        return figures, [
            Section("classes", f"Classes of {system}", rows, columns, notes, open=True)
        ]

    def gold(self) -> Section | None:
        """Return how often each class, or group of classes of a long scale, occurs in gold."""
        result = self.result
        if result.tables is None:
            return None
        labels = result.scores.scale.labels
        names, starts = class_groups(labels)
        gold = np.add.reduceat(result.tables[0].sum(axis=1), starts)
        total, spans = float(gold.sum()) or 1.0, class_ranges(labels, len(names))
        bars = [
            Bar(
                name,
                f"{n:,.10g} ({100 * n / total:.1f} %)",
                round(float(n / total), 4),
                "right",
                self.openings.gold(*span, n),
            )
            for name, n, span in zip(names, map(float, gold), spans, strict=True)
        ]
        return Section("gold", "Gold", figures=[Bars("Gold items in each class", tuple(bars))])

    # Measures and distributions.

    def similarity(self) -> Section | None:
        """Return how alike measures rank the systems, and the best system under each."""
        result = self.result
        if len(result.systems) < 3 or len(result.measures) < 2:
            return None
        tau, names = similarity_of(result).tau, list(map(result.scores.short, result.measures))

        def best(m: Measure) -> str:
            first = leaders(result.standings(m))
            return ", ".join(row.system for row in first[:3]) or UNDEFINED

        columns = [
            Col("measure", self._short),
            Col("best system", best),
            Col("score", lambda m: result.standings(m)[0].value, 4),
            Col(
                f"rank of {shorten(result.best, 20)}",
                lambda m: result.standing(result.best, m).rank,
                0,
            ),
        ]

        def wins(m: Measure) -> str:
            return f"{sum(len(row.beats) for row in result.standings(m))} of {result.tested(m)}"

        columns += [Col("significant pairs", wins)] if result.tests else []
        return Section(
            "similarity",
            "The best system under each measure",
            result.measures,
            columns,
            lead=f"{similarity_words(tau, names)} {advice(result)}",
            figures=[lower_half(similarity_grid(tau, names, "b"))],
        )

    def distributions(self) -> Section | None:
        """Return the mean distributions of quantification, with their difference from gold."""
        result = self.result
        if result.shares is None:
            return None
        gold, means = mean_shares(result)
        rows = [("gold", gold), *((s, means[result.scores.place(s)]) for s in result.systems)]

        def of(k: int, label: object) -> Col:
            return Col(str(label), lambda row: float(row[1][k]), 3)

        columns = [
            Col("system", lambda row: row[0]),
            *(of(k, label) for k, label in enumerate(result.scores.scale.labels)),
        ]
        return Section(
            "distributions",
            "Mean share of each class",
            rows,
            columns,
            figures=[shares_figure(result)],
        )


_ANOVA = {
    "systems ss": "SS systems", "systems df": "df", "systems f": "F", "systems p": "p",
    "topics ss": "SS topics", "topics df": "df", "topics f": "F", "topics p": "p",
    "residual ss": "SS residual", "residual df": "df", "residual variance": "V_E2",
}  # fmt: skip


def _is_best(row: Standing) -> bool:
    return row.rank == 1


def _rank_span(row: Standing) -> str:
    if row.rank_low is None or row.rank_high is None:
        return ""
    return f"{row.rank_low}–{row.rank_high}" if row.rank_low < row.rank_high else str(row.rank_low)


def _closer(closer: dict[str, Any], i: int, pair: Pair) -> float | None:
    return closer[pair.second][i][0] if closer[pair.second] else None


def _closer_items(closer: dict[str, Any], i: int, pair: Pair) -> str:
    return str(closer[pair.second][i][1]) if closer[pair.second] else ""


def shown_pairs(result: Result, measure: Measure) -> list[Pair]:
    """Return all pairs of systems, or every system minus the one that all were compared with."""
    against = result.tests.against if result.tests else ""
    if not against:
        return list(result[measure].pairs)
    others = (row.system for row in result.standings(measure) if row.system != against)
    return [result.pair(system, against, measure) for system in others]


def class_columns(
    labels: Sequence[Any], numbers: Any, openings: Openings | None = None, system: str = ""
) -> list[Col]:
    """Return the columns of numbers per class, whose rows are (place of the system, class)."""

    def of(name: str) -> Col:
        opens: Any = None
        if openings is not None and name in ("support", "predicted"):
            opener = getattr(openings, name)
            opens = lambda r: opener(system, r[1], float(numbers[name][r]))  # noqa: E731
        digits = 0 if name in ("support", "predicted") else 3
        return Col(name.replace("_", " "), lambda r: float(numbers[name][r]), digits, opens=opens)

    return [Col("class", lambda r: labels[r[1]]), *map(of, numbers)]


def crossed(labels: Sequence[Any], counts: Any, title: str) -> Section:
    """Return counts of gold by predicted class with their sums; a long scale is in groups."""
    names, starts = class_groups(labels, _MOST_CLASSES)
    cells = np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)
    cells = np.vstack([cells, cells.sum(axis=0)])
    cells = np.column_stack([cells, cells.sum(axis=1)])
    names = [*names, "all"]

    def of(j: int) -> Col:
        return Col(names[j], lambda i: float(cells[i, j]), 0)

    columns = [Col("gold \\ predicted", lambda i: names[i]), *map(of, range(len(names)))]
    grouped = len(names) - 1 < len(labels)
    notes = [f"Classes are in groups of {starts[1]}; csv has all counts."] if grouped else []
    return Section("confusion", title, range(len(names)), columns, notes)


def error_bars(counts: Any, system: str = "", openings: Openings | None = None) -> Bars:
    """Return how far predictions of a system are from gold, in classes, with the sign."""
    k, total = len(counts), float(counts.sum()) or 1.0
    far = min(k - 1, WIDEST // 2)
    steps = np.clip(np.arange(k)[None, :] - np.arange(k)[:, None], -far, far)
    bars = []
    for step in range(-far, far + 1):
        more = " or more" if abs(step) == far < k - 1 else ""
        count = float(counts[steps == step].sum())
        span = (-k if more and step < 0 else step, k if more and step > 0 else step)
        name = "right" if step == 0 else f"{step:+d}{more}".replace("-", "−")
        opens = openings.distance(system, *span, count) if openings else ""
        share = count / total
        bars.append(
            Bar(name, f"{100 * share:.1f} %", round(share, 4), "" if step else "right", opens)
        )
    return Bars("Distance from gold, in classes", tuple(bars))


# How to repeat it.


def _settings(result: Result) -> dict[str, Any]:
    """Return the settings that repeat a result, by their names in Python."""
    scores, made, tests = result.scores, result.intervals, result.tests
    labelled = result.kind != "quantification"
    rule = None if scores.bins is None else scores.bins.rule
    if rule is not None and rule not in ("round", "floor"):
        rule = list(map(float, rule.split(",")))  # type: ignore[assignment]
    settings: dict[str, Any] = {
        "labels": list(scores.scale.labels),
        "values": None if scores.scale.values is None else list(scores.scale.values),
        "measures": ", ".join(map(str, scores.measures)),
        "primary": str(result.primary),
        "aggregate": scores.aggregate if labelled and scores.topics else None,
        "bins": rule,
        "missing": result.about.get("missing"),
        "na": result.about.get("na"),
        "undefined": scores.replaced,
        "bootstrap": (2000 if made.method == "t" else made.replicates) if made else 0,
        "ci": made.level if made else None,
        "method": made.method if made else None,
        "over": made.over if labelled and made else None,
        "against": tests.against or None if tests else None,
        "margin": None if tests is None or isnan(tests.margin) else tests.margin,
        "trials": tests.trials if tests and not tests.exact else None,
        "alpha": tests.alpha if tests else None,
        "rng": made.seed if made else tests.seed if tests else 0,
    }
    return {name: value for name, value in settings.items() if value is not None}


_ROLES = ("weight", "frequency", "sizes", "judge", "rate")
_OPTIONS = {"weight": "weight", "sizes": "size", "rate": "rate"}


def _over_clusters(result: Result) -> bool:
    return "clusters" in {part.over for part in (result.intervals, result.tests) if part}


def _python(result: Result) -> str:
    name = {**_COMMANDS, "evaluation": "evaluate"}[result.kind]
    settings = _settings(result)
    data = ["y_true, y_pred" if name != "quantify" else "p_true, p_pred"]
    data += ["topics=topics"] if result.scores.topics else []
    if result.about.get("counts"):  # which hold scale and topics
        data = ["counts"]
        held = ("labels", "values", "bins", "missing", "na")
        settings = {key: value for key, value in settings.items() if key not in held}
    data += ["cluster=cluster"] if _over_clusters(result) else []
    data += [f"{role}={role}" for role in _ROLES if result.about.get(role)]
    data += [] if result.about.get("renormalise", True) else ["renormalise=False"]
    return repeat.python(name, data, settings)


def _command(result: Result) -> str:
    name, gold = _COMMANDS[result.kind], str(result.about.get("gold", "gold"))
    data = ["GOLD RUN…" if name == "quantify" else "DATA"]
    data += [repeat.named("gold", gold)] if gold != "gold" else []
    data += ["--topic TOPIC"] if result.scores.topics and name != "quantify" else []
    data += ["--cluster CLUSTER"] if _over_clusters(result) else []
    for role in _ROLES:
        option = _OPTIONS.get(role, role)
        data += [f"--{option} {option.upper().replace('-', '_')}"] if result.about.get(role) else []
    data += [] if result.about.get("renormalise", True) else ["--keep-sums"]
    return repeat.command(name, data, _settings(result))
