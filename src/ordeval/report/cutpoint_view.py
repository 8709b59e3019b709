"""What is shown about cut-points."""

from collections.abc import Iterable
from math import isfinite, isnan

from ..formatting import p_text
from ..results import Cutpoints, CutRule
from ..stats.plans import Goal, more_units
from .figures import Dots, Mark
from .view import Col, Section, View, across, cols, kept, repeated


class CutpointView(View):
    """What is shown about cut-points."""

    sections = ("rules", "cuts")
    brief = sections
    page = sections
    data = "rules"
    kicker = "Cut-points"

    def __init__(self, result: Cutpoints) -> None:
        super().__init__()
        self.result, self.notes = result, result.notes
        self.signature = result.signature()
        self.title = f"Cut-points for {result.measure.label}"
        self.facts = f"{result.items:,} items, {result.scale.k} classes"

    def rules(self) -> Section:
        """Return the scores of the rules."""
        level, measure = self.result.level, self.result.measure
        columns = [
            *cols("rule=name, fitted:3"),
            Col("on other items", "crossed", 3, data="cross_fitted", level=level),
            Col("minus rounding", "change", 3, "signed", data="change"),
            Col("p", "p", style="p"),
        ]
        title = f"{measure.label} {measure.arrow}, {self.facts}"
        return Section("rules", title, self.result.rules, columns)

    def cuts(self) -> Section:
        """Return the lowest score of every class but the first, by rule."""
        rules = self.result.rules
        rows = list(zip(self.result.scale.labels[1:], *(r.cuts for r in rules), strict=True))
        columns = [
            Col("class", lambda row: row[0]),
            *across((rule.name for rule in rules), lambda row, i: row[1 + i], 4),
        ]
        title = "The lowest score of every class but the first"
        return Section("cuts", title, rows, columns, (), [scores_figure(self.result)])

    def answer(self) -> list[str]:
        chosen = self.result.about.get("rule", "measure") == "measure"
        local = chosen and not self.result.exact and "The cuts are a local optimum."
        return kept(self._change(), local)

    def _change(self) -> str:
        """Say which rules are better than rounding."""
        sign, alpha = self.result.measure.sign, 1 - self.result.level
        ranked = sorted(self.result.rules[:-1], key=lambda rule: -sign * rule.change.value)
        better = [r for r in ranked if r.p < alpha and sign * r.change.value > 0]
        if all(isnan(rule.p) for rule in ranked):
            return "Whether cuts are better than rounding on other items was not tested."
        if better:
            return f"Significantly better than rounding on other items: {_changes(better)}."
        found = f"Not significantly better than rounding on other items: {_changes(ranked[:1])}"
        goal = Goal("difference", sign * ranked[0].change.value, level=self.result.level)
        items = self.result.items * ("cluster" not in self.result.about)
        more = more_units([goal], ranked[0].change.se, items, "item") if goal.size > 0 else ""
        return f"{found}{f'; {more}' * bool(more)}."

    def method(self) -> list[str]:
        exact = "No other cuts score better on these items"
        which = exact if self.result.exact else "The cuts are a local optimum"
        if (rule := self.result.about.get("rule", "measure")) != "measure":
            which = f"The cuts are those of {self.result.rules[1 + (rule == 'rounding')].name}"
        return [
            f"{which}; fitted scores are too good. Scores on other items are cross-fitted in "
            f"{self.result.folds} folds, and compared with rounding by step-down max-T.",
        ]

    def call(self) -> tuple[str, str]:
        return repeated(self.result.call)


def _changes(rules: Iterable[CutRule]) -> str:
    """Return differences from rounding with their intervals and p-values."""
    number = Col("", None, 3, "signed")
    said = (f"{rule.name} {number.text(rule.change)}, p = {p_text(rule.p)}" for rule in rules)
    return "; ".join(said).replace("= <", "< ")


def scores_figure(result: Cutpoints) -> Dots:
    """Return the scores of every gold class, and the cuts."""
    marks = tuple(
        Mark(str(label), row[2], row[0], row[4], inner=(row[1], row[3]))
        for label, row in zip(result.scale.labels, result.quantiles.tolist(), strict=True)
    )
    caption = "Medians, quartiles and 90 % of the scores in each gold class; dotted lines are cuts."
    cuts = tuple(cut for cut in result.cuts if isfinite(cut))
    return Dots("Scores by gold class, and the cuts", "score", marks, caption, lines=cuts)
