"""What is shown about a plan."""

from dataclasses import replace

from ..formatting import decimals, one_line
from ..results import StudyPlan
from .figures import Lines, Series
from .view import Col, Section, View, kept, repeated

_GOALS = {
    "width": "give {figure} a {level:g} % interval that is {size:g} wide on average",
    "difference": "find a difference of {size:.3g} in {label} with a power of {power:g} %",
    "margin": "show equivalence within {size:g} in {label} with a power of {power:g} %",
}


class PlanView(View):
    """What is shown about a plan."""

    sections = brief = page = ("sizes",)
    data = "sizes"
    kicker = "Plan"

    def __init__(self, result: StudyPlan) -> None:
        super().__init__()
        self.result, self.notes = result, result.notes
        self.title = f"{result.n:,} {result.unit}"
        self.outcome = "width" if result.goal.kind == "width" else "power"

    def sizes(self) -> Section:
        """Return numbers of units with the width or power that they have."""
        result, title = self.result, f"{self.outcome.capitalize()} by number of {self.result.unit}"
        columns = [Col(result.unit, "n", 0, data="n"), Col(self.outcome, "outcome", 3)]
        columns += [Col("± 2 se", lambda size: 2 * size.error, 3, data="")] * result.simulated
        return Section("sizes", title, result.sizes, columns, (), [self.curve()])

    def curve(self) -> Lines:
        """Return the width or power by the number of units."""
        result, target = self.result, self.result.goal.target
        x, y = ([float(getattr(size, of)) for size in result.sizes] for of in ("n", "outcome"))
        title = f"{self.outcome.capitalize()} by number of {result.unit}"
        caption = f"The dotted line is what was asked for; {result.n:,} {result.unit} reach it."
        level, top = (target, f"{target:g}"), 1.0 if self.outcome == "power" else 1.05 * max(y)
        lines = Lines(title, result.unit, self.outcome, (Series(self.outcome, x, y),), caption)
        return replace(lines, level=level, xlim=(0.0, 1.05 * max(x)), ylim=(0.0, top))

    def answer(self) -> list[str]:
        result, goal, label = self.result, self.result.goal, self.result.measure.label
        ends = f" ({result.low:,}–{result.high:,} by simulation)" * (result.high > result.low)
        label, pair = f"{label}{self.whose()}", len(result.systems) == 2
        figure = f"a difference in {label}" if pair else label
        numbers = {"level": 100 * goal.level, "size": goal.size, "power": 100 * goal.power}
        what = _GOALS[goal.kind].format(label=label, figure=figure, **numbers)
        more = f"{result.n - result.have:,} more are needed"
        more = more if result.n > result.have else "it is large enough"
        items = f" of {result.about['items']:,} items" if result.unit == "raters" else ""
        pilot = result.have > 0 and f"The pilot has {result.have:,}: {more}."
        return kept(f"{result.n:,} {result.unit}{items}{ends} {what}.", pilot)

    def whose(self) -> str:
        """Say which systems are planned for; empty if none has a name."""
        systems = [name for name in self.result.systems if name != "y_pred"]
        between = "between" if len(systems) == 2 else "of"
        return one_line(f" {between} {' and '.join(systems)}") if systems else ""

    def method(self) -> list[str]:
        result, width = self.result, self.outcome == "width"
        figure = "score" if width and len(result.systems) < 2 else "difference"
        how = "simulation" if result.simulated else "the formula for Student's t"
        return [
            f"The {figure}{self.whose()} is taken to be {decimals(result.figure, 3)}. By {how}."
        ]

    def call(self) -> tuple[str, str]:
        return repeated(self.result.call)
