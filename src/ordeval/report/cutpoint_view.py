"""What is shown about cut-points."""

from math import isfinite

from ..formatting import decimals
from ..results import Cutpoints, CutRule
from .figures import Dots, Mark
from .view import Col, Section, View, cols


class CutpointView(View):
    """What is shown about cut-points."""

    sections = ("rules",)
    brief = ("rules",)
    page = ("rules",)
    data = "rules"
    kicker = "Cut-points"

    def __init__(self, result: Cutpoints) -> None:
        super().__init__()
        self.result, self.notes = result, result.notes
        self.title = f"Cut-points for {result.measure.label}"
        self.facts = f"{result.items:,} items, {result.scale.k} classes"

    def rules(self) -> Section:
        """Return the rules with their scores and cuts."""
        result = self.result
        columns = [
            *cols("rule=name, fitted:3"),
            Col("on other items", "crossed", 3, data="cross_fitted", level=result.level),
            Col("cuts", lambda rule: ", ".join(decimals(cut, 4) for cut in rule.cuts)),
        ]
        measure = result.measure
        title = f"{self.answer()[0]} {measure.label} {measure.arrow}, {self.facts}"
        notes = self.method()
        return Section("rules", title, result.rules, columns, notes, [scores_figure(result)])

    def answer(self) -> list[str]:
        sign = self.result.measure.sign
        ranked = sorted(self.result.rules, key=lambda rule: -sign * rule.crossed.value)
        best = ranked[0]
        own = self.result.rules[-1]
        if best is own:
            return ["Rounding scores best on other items: fitted cuts gain nothing."]
        how = "The intervals overlap." if _overlap(best, own) else "The intervals are apart."
        change = decimals(best.crossed.value - own.crossed.value, 3)
        name = best.name[:1].upper() + best.name[1:]
        return [f"{name} scores best on other items, {change} from rounding. {how}"]

    def method(self) -> list[str]:
        found = "No other cuts score better on these items"
        if not self.result.exact:
            found = "The cuts are a local optimum, or made by another rule"
        return [
            f"{found}; fitted scores are too good. Scores on other items are cross-fitted in "
            f"{self.result.folds} folds.",
        ]


def _overlap(one: CutRule, other: CutRule) -> bool:
    return one.crossed.low <= other.crossed.high and other.crossed.low <= one.crossed.high


def scores_figure(result: Cutpoints) -> Dots:
    """Return the scores of every gold class, and the cuts."""
    marks = tuple(
        Mark(str(label), row[2], row[0], row[4], inner=(row[1], row[3]))
        for label, row in zip(result.scale.labels, result.quantiles.tolist(), strict=True)
    )
    caption = "Medians, quartiles and 90 % of the scores in each gold class; dotted lines are cuts."
    cuts = tuple(cut for cut in result.cuts if isfinite(cut))
    return Dots("Scores by gold class, and the cuts", "score", marks, caption, lines=cuts)
