"""What objects are shown as: the view of every kind of object, and what is made of it.

`view_of` dispatches on the type of the object, so that the objects themselves know nothing about
presentation. The hooks of `ordeval.display` call the other functions.
"""

from functools import singledispatch
from typing import Any

from ..advice import Recommendation
from ..data.counts import Counts
from ..measures.score import PerClass
from ..measures.spec import Measure
from ..meta import AxiomTable, MetaEvaluation
from ..results import Agreement, Figures, Judgement, Result
from .formats import to_frame, written
from .judge_view import judge_view
from .meta_view import SECTIONS, axioms_view, finding_view, meta_view
from .other_views import counts_view, per_class_view, recommendation_view
from .rater_view import agreement_view
from .result_view import figures_view, result_view
from .view import Section, View, one_section


@singledispatch
def view_of(obj: Any, measure: Measure | None = None) -> View:
    """Return the view of an object; `measure` is the one that tables are about."""
    raise TypeError(f"{type(obj).__name__} has no view.")


view_of.register(Result, result_view)
view_of.register(Agreement, agreement_view)
view_of.register(Judgement, judge_view)
for _kind, _view in {
    Section: one_section,
    View: lambda view: view,
    Figures: figures_view,
    Counts: counts_view,
    PerClass: per_class_view,
    Recommendation: recommendation_view,
    MetaEvaluation: meta_view,
    AxiomTable: axioms_view,
    **dict.fromkeys(SECTIONS, finding_view),
}.items():
    view_of.register(_kind, lambda obj, measure=None, _view=_view: _view(obj))


def written_as(
    style: str, obj: Any, what: str | None = None, measure: Measure | None = None
) -> str:
    """Return an object in a format: text, markdown, latex, csv, html or sentence."""
    return written(style, view_of(obj, measure), (what or "main",))


def frame_of(
    obj: Any, backend: str | None = None, what: str | None = None, measure: Measure | None = None
) -> Any:
    """Return the data of an object as a frame."""
    view = view_of(obj, measure)
    return to_frame(view[view.data if what in (None, "main") else what], backend)


def page_of(obj: Any, command: str | None = None) -> str:
    """Return the page of an object; `command` is the command line that made it."""
    from .page import page  # needs Jinja, which tables do not

    return page(view_of(obj), command)
