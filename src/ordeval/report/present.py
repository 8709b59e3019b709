"""What objects are shown as: the view of every kind of object, and what is made of it.

`view_of` goes by the type of the object, so that the objects themselves know nothing about
presentation. The hook of `ordeval.display` calls `show`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from ..errors import InputError
from ..measures.spec import Measure
from ..options import whole
from .formats import to_frame, written
from .view import View

_NO_LABEL = re.compile(r"[^\w:.+-]")
_DIGITS = whole(0, 15)
_VIEWS = {  # by the name of the type: module and maker, which are loaded when they are needed
    "Result": ("result_view", "ResultView"),
    "Agreement": ("rater_view", "AgreementView"),
    "Judgement": ("judge_view", "JudgeView"),
    "Section": ("view", "View"),
    "Figures": ("result_view", "figures_view"),
    "Counts": ("other_views", "CountsView"),
    "PerClass": ("other_views", "per_class_view"),
    "Recommendation": ("other_views", "recommendation_view"),
    "MetaEvaluation": ("meta_view", "MetaView"),
    "AxiomTable": ("meta_view", "axioms_view"),
    "Cutpoints": ("cutpoint_view", "CutpointView"),
    "StudyPlan": ("plan_view", "PlanView"),
}
_FINDING = ("meta_view", "finding_view")  # the view of everything else
_BY_MEASURE = ("Result", "Agreement", "Judgement")


def view_of(obj: Any, measure: Measure | None = None) -> View:
    """Return the view of an object; `measure` is the one that tables are about."""
    if isinstance(obj, View):
        return obj
    kind = type(obj).__name__
    module, maker = _VIEWS.get(kind, _FINDING)
    make = getattr(import_module(f".{module}", __package__), maker)
    view: View = make(obj, measure) if kind in _BY_MEASURE else make(obj)
    return view


def show(
    obj: Any, style: str, what: str | None = None, measure: Measure | None = None, **options: Any
) -> Any:
    """Return an object as a "page", a "table", a "frame" or in a format of `written`.

    `what` is the table. `options` are those of pages, frames and `one_table` of LaTeX.
    """
    view = view_of(obj, measure)
    if style == "page":
        from .page import page  # needs Jinja, which tables do not

        return page(view, **options)
    if style == "table":
        return view[what or "main"]
    if style == "frame":
        return to_frame(view[view.data if what in (None, "main") else what], **options)
    if any(option is not None for option in options.values()):
        view, what = one_table(view, what, **options), None
    return written(style, view, (what or "main",))


def one_table(
    view: View,
    what: str | None = None,
    *,
    caption: str | None = None,
    label: str | None = None,
    digits: int | None = None,
    columns: Sequence[str] | None = None,
) -> View:
    """Return a view of one table, the first of several parts, as a paper shows it."""
    if label and _NO_LABEL.search(label):
        raise InputError(
            f"{label!r} cannot be a label of LaTeX.",
            parameter="label",
            hint="Use letters, digits, colons, hyphens and points.",
        )
    if digits is not None:
        _DIGITS("digits", digits)
    first = next(view[what or "main"].flat())
    section = replace(first.narrowed(columns, digits), parts=())
    paper = View(replace(section, caption=caption or "", label=label or ""))
    paper.notes, paper.signature = view.notes, view.signature
    return paper
