"""What is shown about the agreement of raters."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np

from ..advice import Facts, Recommendation, notes_on_ratings, recommend
from ..errors import plural
from ..measures.spec import Measure, parse_measure
from ..notes import Note
from ..results import Agreement, DisputedItem, Judgement, RaterPair
from ..stats.plans import Goal, more_units
from ..types import Floats
from .items import Openings
from .rater_figures import (
    agreement_figure,
    bland_altman_figure,
    pair_scores,
    rater_grid,
    rater_shares_grid,
    severity_figure,
)
from .result_view import crossed
from .texts import doubts, grouped, in_words, interval_phrase, listed, text_of
from .view import Col, ReportView, Section, across, cols, kept, remark

MOST_SHOWN = 50  # raters in figures and grids; tables hold all
_MOST_IN_GRID = 10  # raters beyond which pairs are a list
_MOST_LISTED = 1200  # scores of pairs beyond which those that agree least are listed
_MOST_DISPUTED = 20
_MOST_ROWS = 20  # raters in what printing shows
_MOST_ASKED = 6  # coefficients; more than these were not asked for one by one
_MOST_COLUMNS = 8  # raters that have a column in the table of items
MOST_DOUBTS = 5
_FEW_ITEMS, _FEW_COMMON, _FEW_FOR_Z = 30, 20, 30
_BOUNDS = {"tentative": 0.667, "firm": 0.8}
_CHANCE_CORRECTED = {
    *("krippendorff", "weighted_alpha", "fleiss", "conger"),
    *("ac1", "ac2", "brennan_prediger"),
}


def items_of(items: int, result: Agreement) -> str:
    """Return the number of items, with their weights and clusters if they have any."""
    size = plural(items, "weighted item" if result.effective else "item")
    if result.effective and items == result.items:
        size += f" (worth {result.effective:,.1f} of equal weight)"
    return size + (f" in {plural(result.clusters, 'cluster')}" if result.clusters else "")


class RatersView(ReportView):
    """What is shown about raters, and about models beside people."""

    result: Agreement | Judgement

    def __init__(self, result: Agreement | Judgement) -> None:
        super().__init__(result, Openings.of_raters(result))
        self.labels = result.scale.labels
        self.level = result.level if result.replicates else 0.0  # of intervals; 0 without any

    def _explain(self, measures: Iterable[Measure]) -> list[tuple[str, Measure]]:
        """Return the measures to be explained: variants of one measure share a card."""
        variants = grouped((measure.id, measure) for measure in dict.fromkeys(measures))
        return [(", ".join(m.label for m in group), group[0]) for group in variants.values()]

    def pairs(self) -> Section:
        """Return every pair under every measure: a square of a few raters, else a list."""
        rows = self.result.pairs
        judged = isinstance(self.result, Judgement)
        names = list(dict.fromkeys(name for pair in rows for name in (pair.first, pair.second)))
        columns = [
            Col("measure"),
            Col("gold" if judged else "first", "first", data="first"),
            Col("rater" if judged else "second", "second", data="second"),
            *cols("items:0, score=.:4i", self.level),
        ]
        notes = doubts((f"{pair.first} and {pair.second}", pair) for pair in rows)[:MOST_DOUBTS]
        title, stored = "Pairs of raters", (lambda: rows, columns)
        if 2 < len(names) <= _MOST_IN_GRID:
            square = self._square(names)
            return Section("pairs", title, notes=notes, parts=[square], stored=stored)
        shown: Sequence[RaterPair] = rows
        if len(rows) > _MOST_LISTED:
            first = [p for p in rows if p.measure == rows[0].measure and not isnan(p.value)]
            shown = sorted(first, key=lambda p: p.measure.sign * p.value)[:_MOST_DISPUTED]
            notes = [text_of("raters.least", shown=len(shown), pairs=len(rows)), *notes]
        return Section("pairs", title, shown, columns, notes, stored=stored)

    def _square(self, names: Sequence[str]) -> Section:
        """Return the scores of all pairs under the first measure."""
        measure = self.result.pairs[0].measure
        scores = {pair: e.value for pair, (e, _) in pair_scores(self.result, measure).items()}

        def get(name: str, j: int) -> Any:
            return "" if name == names[j] else scores.get((name, names[j]))

        gold = "rater" if "symmetric" in measure.claims else "gold"
        title = f"Pairs of raters: {measure.label} {measure.arrow}"
        return Section("pairs", title, names, [Col(gold, str), *across(names, get, 3)])

    def matrix(self) -> Section | None:
        """Return everybody against everybody as a grid, and class by class."""
        result = self.result
        if not result.pairs:
            return None
        first, *others = dict.fromkeys(pair.measure for pair in result.pairs)
        grid = rater_grid(result, first, MOST_SHOWN)
        more = [] if grid.compact else [rater_grid(result, m) for m in others]
        folded = {
            "more-pairs": ("Under other measures", more),
            "class-by-class": ("Class by class", self.openings.tables()),
        }
        parts = [Section(key, title, figures=f) for key, (title, f) in folded.items() if f]
        undefined = [(f"{p.first} and {p.second}", p) for p in result.pairs if isnan(p.value)]
        title, notes = "Everybody against everybody", doubts(undefined)
        return Section("matrix", title, figures=[grid], parts=parts, notes=notes)

    def _item(self) -> Col:
        """Return the column of items, which open their texts."""
        return Col("item", opens=lambda row: self.openings.opens(1, "i,{}", row.item, among="ids"))

    def _texts(self) -> list[Col]:
        """Return the column of texts, if there are any."""
        there = self.openings.examples is not None
        return [Col("text", lambda row: self.openings.text(row.item), data="")] if there else []

    def _voices(self, row: DisputedItem) -> str:
        """Return the classes given from the lowest, with the raters who gave each or their number.

        The class of a model that people disagree with is left out.
        """
        given = ((label, rater) for rater, label in row.ratings.items() if rater != row.model)
        by_class = grouped(given)
        order = [x for x in self.labels if x in by_class]
        order += [x for x in by_class if x not in self.labels]
        return "; ".join(f"{label} ({_raters(by_class[label])})" for label in order)


def _raters(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_COLUMNS else plural(len(names), "rater")


class AgreementView(RatersView):
    """What is shown about an agreement."""

    sections = (
        *("recommended", "coefficients", "kappas", "raters", "shares", "pairs"),
        *("confusion", "matrix", "disputed", "figures"),
    )
    page = ("coefficients", "kappas", "matrix", "raters", "disputed")
    data = "figures"
    kicker = "Agreement of raters"
    result: Agreement

    def __init__(self, result: Agreement, measure: Measure | None = None) -> None:
        super().__init__(result)
        self.title = f"{len(result.raters)} raters compared" if result.raters else self.kicker
        self.facts = _size(result)
        several = 2 < len(result.raters) <= _MOST_ROWS
        self.brief = ("recommended", "raters") if several else ("recommended",)
        self.further = kept(
            len(result.coefficients) > len(self._advised()) and "coefficients",
            bool(result.kappas) and "kappas",
            bool(result.together) and "confusion",
            not several and "raters",
            len(result.raters) > 2 and "pairs",
            bool(result.disputed) and "disputed",
            "shares",
        )
        self.explained = self._explain([*result.coefficients, *result.pair_measures])

    @cached_property
    def _facts(self) -> Facts:
        return Facts.of_agreement(self.result)

    @cached_property
    def _advice(self) -> Recommendation:
        return recommend({}, self._facts)

    def _advised(self) -> list[Measure]:
        """Return the coefficients to report, the one that decides first.

        Those that were asked for are all to be reported; they are told by their number.
        """
        every = list(self.result.coefficients)
        advised = [m for m in map(parse_measure, self._advice.measures) if m in every]
        return advised if advised and len(every) > _MOST_ASKED else every

    def recommended(self) -> Section:
        """Return the coefficients to report."""
        rows = [(measure, self.result.coefficients[measure]) for measure in self._advised()]
        return replace(self.coefficients(), key="recommended", rows=rows)

    def coefficients(self) -> Section:
        """Return one row per coefficient."""
        result = self.result
        rows = list(result.coefficients.items())
        columns = [
            Col("measure", lambda row: row[0]),
            Col("agreement", lambda row: row[1], 4, data="value", level=self.level),
        ]
        notes = doubts((m.label, e) for m, e in rows)
        notes += [f"Intervals are for {_over(result)}."] if result.method else []
        figures = kept(agreement_figure(result) if rows else None, bland_altman_figure(result))
        return Section("coefficients", self.facts, rows, columns, notes, figures)

    def _counts(self) -> Floats:
        """Return how many items two raters gave each pair of classes."""
        values = list(self.result.scale.numbers)
        counts = np.zeros((len(values), len(values)))
        for row in self.result.together:
            counts[values.index(row.first), values.index(row.second)] = row.items
        return counts

    def confusion(self) -> Section | None:
        """Return how many items two raters gave each pair of classes."""
        if not self.result.together:
            return None
        corner = " \\ ".join(row.rater for row in self.result.raters)
        return crossed(self.labels, self._counts(), "Class by class", corner)

    def matrix(self) -> Section | None:
        """Return everybody against everybody; of two raters the classes, and a row per measure."""
        if not self.result.together:
            return super().matrix()
        one, other = (row.rater for row in self.result.raters)
        grid = self.openings.table(one, other, self._counts(), self.labels)
        return replace(self.pairs(), key="matrix", figures=[grid])

    def kappas(self) -> Section:
        """Return kappa of two raters with analytic standard errors."""
        columns = [
            *cols("measure, kappa=value:4"),
            Col("s.e.", "se", 4, data="se"),
            Col("s.e. under chance", "se_null", 4, data="se_null"),
            *cols("z:2, p:p"),
        ]
        rough = self.result.shared < _FEW_FOR_Z and text_of("raters.rough")
        notes = kept(text_of("raters.kappas"), rough)
        return Section("kappas", "Two raters: analytic kappa", self.result.kappas, columns, notes)

    def raters(self) -> Section | None:
        """Return one row per rater."""
        rows, opens = self.result.raters, self.openings.opens
        if len(rows) < 2:
            return None
        some = any(row.shared != row.items for row in rows)
        columns = [
            Col("rater"),
            Col("items", digits=0, opens=lambda row: opens(row.items, "r,{0}", row.rater)),
            Col(
                "shared",
                digits=0,
                shown=some,
                opens=lambda row: opens(row.shared, "r,{0} o,{0}", row.rater),
            ),
            *cols("severity:+3i, consistency:3i", self.level),
            Col("stands out", shown=False),
        ]
        of_rater = (
            (f"{k} of {r.rater}", getattr(r, k)) for r in rows for k in ("severity", "consistency")
        )
        notes = kept(
            text_of("raters.severity"),
            some and text_of("raters.shared"),
            *(f"{row.rater} {row.stands_out}." for row in rows if row.stands_out),
            *doubts(of_rater),
        )
        drawn = (severity_figure, rater_shares_grid)
        figures = [draw(self.result, MOST_SHOWN) for draw in drawn]
        return Section("raters", "Raters one by one", rows, columns, notes, figures)

    def shares(self) -> Section:
        """Return the share of each class among the ratings of each rater."""
        columns = [Col("rater"), *across(self.labels, lambda row, k: row.shares[k], 3)]
        return Section("shares", "Share of each class", self.result.raters, columns)

    def disputed(self) -> Section:
        """Return the items of largest disagreement with the ratings that they got."""
        rows = self.result.disputed
        voices = Col("ratings", self._voices)
        columns = [self._item(), Col("disagreement", digits=3), voices, *self._texts()]
        shown, stored = rows[:_MOST_DISPUTED], (lambda: rows, columns)
        title, notes = f"The {len(shown)} most disputed items", [text_of("raters.disputed")]
        return Section("disputed", title, shown, columns, notes, stored=stored)

    def figures(self) -> Section:
        """Return every number with its interval, one row each."""
        result = self.result
        whole = result.items, result.shared
        rows: list[tuple[Any, ...]] = [
            ("coefficient", m, "", "", e, *whole) for m, e in result.coefficients.items()
        ]
        for name in ("severity", "consistency"):
            rows += [
                (name, name, r.rater, "", getattr(r, name), r.items, r.shared)
                for r in result.raters
            ]
        rows += [("pair", p.measure, p.first, p.second, p, p.items, p.items) for p in result.pairs]
        columns = cols("kind, measure, rater, other, value:4, items:0, shared:0", tuples=True)
        return Section("figures", self.facts, rows, columns)

    def answer(self) -> list[str]:
        result = self.result
        unusual, several = outstanding(result), len(result.raters) > 2 and result.replicates
        standing = f"Standing out: {unusual}." if unusual else several and "No rater stands out."
        measure = next(iter(self._advised()), None)
        return kept(
            _coefficient(result, measure),
            self._why(measure),
            _convention(result, measure),
            _higher(result),
            _extremes(result),
            standing or "",
        )

    def _why(self, measure: Measure | None) -> str:
        """Say why a coefficient is the one to report, if it is, and what the data say to that."""
        if measure is None or measure != parse_measure(self._advice.primary):
            return ""
        reason = text_of("raters.recommended", reason=self._advice.reason)
        return " ".join([reason, *notes_on_ratings(self._facts)])

    def method(self) -> list[str]:
        result, intervals = self.result, text_of("result.no_intervals")
        if result.method:
            clusters = result.method == "t" and "clusters" in result.over
            key = "t_clusters" if clusters else result.method
            level = 100 * result.level
            intervals = text_of(f"raters.{key}", over=_over(result), level=level, result=result)
        items, ratings = items_of(result.items, result), plural(result.ratings, "rating")
        size = {"items": items, "ratings": ratings, "scale": result.scale.describe()}
        first = [
            f"The coefficient is that of {m.record.card.citation}." for m in result.measures[:1]
        ]
        return [text_of("raters.method", who=_who(result), **size), intervals, *first]

    def checks(self) -> list[Note]:
        result = self.result
        full = result.items * len(result.raters)
        missing = full - result.ratings
        first = result.pairs[0].measure if result.pairs else None
        few = sum(p.measure == first and p.items < _FEW_COMMON for p in result.pairs)
        constant = [row.rater for row in result.raters if is_constant(row)]
        used = [any(shares) for shares in zip(*(row.shares for row in result.raters), strict=True)]
        unused = [str(x) for x, is_used in zip(self.labels, used, strict=False) if not is_used]
        return kept(
            *result.notes,
            missing > 0 and remark("note", "missing", share=100 * missing / full, full=full),
            few > 0 and remark("note", "few_common", n=few, least=_FEW_COMMON),
            result.shared < _FEW_ITEMS and remark("warning", "few_items", n=result.shared),
            bool(constant) and remark("warning", "constant", names=constant, verb="give"),
            bool(unused) and remark("note", "unused", names=unused),
        )


# Sentences.


def _count(result: Agreement) -> int:
    return int(result.about.get("raters", len(result.raters)))


def _size(result: Agreement) -> str:
    """Return what was rated by how many."""
    shared = f"{plural(result.shared, 'item')} with two ratings or more"
    parts = kept(
        plural(_count(result), "rater"),
        items_of(result.items, result),
        plural(result.ratings, "rating"),
        result.shared < result.items and shared,
        f"scale {result.scale.describe()}",
    )
    return ", ".join(parts)


def _over(result: Agreement) -> str:
    """Return what intervals generalise to."""
    return text_of(f"raters.{result.over.replace(' ', '_')}")


def _who(result: Agreement) -> str:
    count = _count(result)
    return f"{in_words(count)} rater{'s' * (count != 1)}" if count else "the raters"


def _coefficient(result: Agreement, measure: Measure | None) -> str:
    """Say how well all raters agree under a coefficient, in plain words."""
    if measure is None:
        return f"No coefficient was computed for {_who(result)}."
    e = result.coefficients[measure]
    on = f"on {plural(result.shared, 'item')}"
    values = {"name": measure.label, "who": _who(result), "on": on, "e": e}
    if isnan(e.value):
        return text_of("raters.undefined", why=f": {e.doubt}" if e.doubt else "", **values)
    left = 100 * (1 - e.value)
    share = f"{left:.0f} % of" if left < 100 else "not less than"
    meaning = f": their disagreement is {share} that expected by chance."
    if measure.id not in _CHANCE_CORRECTED:
        meaning = "; 1 is perfect agreement."
    interval = interval_phrase(e, result.level)
    values |= {"who": _who(result).removeprefix("the "), "interval": interval and f" ({interval})"}
    comma = "," * ("," in measure.label)
    return text_of("raters.coefficient", meaning=meaning, comma=comma, **values)


def _convention(result: Agreement, measure: Measure | None) -> str:
    """Set the interval of alpha beside the conventional bounds, and say what would decide."""
    if measure is None or measure.id != "krippendorff":
        return ""
    e = result.coefficients[measure]
    if isnan(e.value):
        return ""
    low, high = (e.value, e.value) if isnan(e.low) else (e.low, e.high)
    apart = {name: abs(bound - e.value) for name, bound in _BOUNDS.items() if low < bound <= high}
    tentative, firm = _BOUNDS.values()
    where = "above" if low >= firm else "between" if low >= tentative else "below"
    if apart:
        where = f"contains_{'both' if len(apart) > 1 else next(iter(apart))}"
    goal = Goal("difference", min(apart.values(), default=1.0), level=result.level)
    items = result.shared * (result.over == "items") * bool(apart)
    takes = more_units([goal], e.se, items, "item")
    return text_of(
        "raters.convention",
        what="coefficient" if low == high else "interval",
        where=text_of(f"raters.{where}"),
        takes=f"; {takes}" * bool(takes),
    )


def _extremes(result: Agreement) -> str:
    """Name the pairs that agree most and least."""
    first = result.pairs[0].measure if result.pairs else None
    known = [p for p in result.pairs if p.measure == first and not isnan(p.value)]
    if first is None or len(known) < 2:
        return ""
    most, *_, least = sorted(known, key=lambda pair: -first.sign * pair.value)
    return text_of("raters.extremes", n=len(known), most=most, least=least, label=first.label)


def _higher(result: Agreement) -> str:
    """Say which of two raters gives higher classes, by the mean difference."""
    if len(result.raters) != 2:
        return ""
    first, second = (row.rater for row in result.raters)
    low, high = sorted(result.raters, key=lambda row: row.severity.value)
    if isnan(high.severity.value) or not result.method:
        return ""
    if high.severity.low > 0:
        return text_of("raters.higher", high=high.rater, low=low.rater, gap=high.severity)
    gap = result.raters[0].severity  # in the order of the figure of differences
    return text_of("raters.level", first=first, second=second, gap=gap)


def outstanding(result: Agreement) -> str:
    """Return the raters who stand out by the reason; empty if there are none."""
    by_reason = grouped((row.stands_out, row.rater) for row in result.raters if row.stands_out)
    return "; ".join(f"{listed(names, 4)} ({why})" for why, names in by_reason.items())


def is_constant(row: Any) -> bool:
    """Whether a rater or a model gives one class only."""
    return max(row.shares, default=0.0) >= 1 - 1e-12
