"""The HTML pages of objects; see `ordeval.report.present` for their tables.

This module loads matplotlib and Jinja, which tables do not need.
"""

from functools import singledispatch
from typing import Any

from ..meta import MetaEvaluation
from ..rater_results import Agreement, Judgement
from ..results import Result
from .judge_page import judge_page
from .meta_page import meta_html
from .rater_page import agreement_page
from .result_page import result_page


@singledispatch
def page_of(obj: Any, *, command: str | None = None) -> str:
    """Return the page of an object; `command` is the command line that made it."""
    raise TypeError(f"{type(obj).__name__} has no page.")


page_of.register(Result, result_page)
page_of.register(MetaEvaluation, meta_html)
page_of.register(Agreement, agreement_page)
page_of.register(Judgement, judge_page)
