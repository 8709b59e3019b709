"""What objects are shown as: the view of every kind of object, and what is made of it.

`view_of` goes by the type of the object, so that the objects themselves know nothing about
presentation. The hook of `ordeval.display` calls `show`.
"""

from collections.abc import Callable
from typing import Any

from ..advice import Recommendation
from ..data.counts import Counts
from ..measures.score import PerClass
from ..measures.spec import Measure
from ..meta import AxiomTable, MetaEvaluation
from ..results import Agreement, Cutpoints, Figures, Judgement, Result, StudyPlan
from .cutpoint_view import CutpointView
from .formats import to_frame, written
from .judge_view import JudgeView
from .meta_view import SECTIONS, MetaView, axioms_view, finding_view
from .other_views import CountsView, per_class_view, recommendation_view
from .plan_view import PlanView
from .rater_view import AgreementView
from .result_view import ResultView, figures_view
from .view import Section, View

_BY_MEASURE: dict[type, Callable[..., View]] = {
    Result: ResultView,
    Agreement: AgreementView,
    Judgement: JudgeView,
}
_VIEWS: dict[type, Callable[[Any], View]] = {
    Section: View,
    Figures: figures_view,
    Counts: CountsView,
    PerClass: per_class_view,
    Recommendation: recommendation_view,
    MetaEvaluation: MetaView,
    AxiomTable: axioms_view,
    Cutpoints: CutpointView,
    StudyPlan: PlanView,
    **dict.fromkeys(SECTIONS, finding_view),
}


def view_of(obj: Any, measure: Measure | None = None) -> View:
    """Return the view of an object; `measure` is the one that tables are about."""
    kind = type(obj)
    if kind in _BY_MEASURE:
        return _BY_MEASURE[kind](obj, measure)
    return obj if isinstance(obj, View) else _VIEWS[kind](obj)


def show(
    obj: Any, style: str, what: str | None = None, measure: Measure | None = None, **options: Any
) -> Any:
    """Return an object as a "page", a "table", a "frame" or in a format of `written`.

    `what` is the table; `command`, of a page, is the command line that made it, and `backend`, of
    a frame, its library.
    """
    view = view_of(obj, measure)
    if style == "page":
        from .page import page  # needs Jinja, which tables do not

        return page(view, **options)
    if style == "table":
        return view[what or "main"]
    if style == "frame":
        return to_frame(view[view.data if what in (None, "main") else what], **options)
    return written(style, view, (what or "main",))
