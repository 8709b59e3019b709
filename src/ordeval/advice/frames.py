"""Which measure to use for the columns of a data frame, counted where the data are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError
from ..evaluation.judge_labels import JudgedSource
from ..io.frames import FrameItems
from ..io.naming import NumberedFrame
from ..ratings import Ratings
from ..types import Classes, ClassNumbers, MissingLabels
from .findings import Findings, findings_of, with_judge
from .recommend import Recommendation, answers_of, recommend

_MOST_LISTED = 20  # systems that a call names, if it need not


def advise_frame(
    frame: Any,
    *,
    gold: str = "gold",
    pred: str | Sequence[str] | None = None,
    topic: str | None = None,
    judge: str | None = None,
    raters: Sequence[str] | None = None,
    models: Sequence[str] | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    na: MissingLabels = None,
    **answers: str | bool | None,
) -> Recommendation:
    """Recommend measures for the columns of a data frame; see `advise`.

    Parameters
    ----------
    frame : frame
        A data frame of pandas, Polars (eager or lazy), PyArrow, DuckDB, PySpark, Dask or another
        library that narwhals knows.
    gold : str, default "gold"
        The column of gold labels.
    pred : str or sequence of str, optional
        The columns of predictions, one per system. By default every column without another role
        and not called "id", "topic", "weight", "frequency" or "cluster".
    topic : str, optional
        The column of topics.
    judge : str, optional
        The column of the labels of a judge, where gold labels of some items are missing.
    raters : sequence of str, optional
        The columns of several raters, instead of gold and predictions.
    models : sequence of str, optional
        The columns of models, to be judged by the people in `raters`.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or have an
        ordered categorical type.
    values : sequence or mapping, optional
        An increasing number per class, if their distances are known.
    na : value or sequence of values, optional
        Codes that stand for a missing label.
    **answers : str or bool
        Answers to questions, as in `advise`: `task`, `purpose`, `order`, `far`, `chance`,
        `balance`, `constant` and `each_class`.

    Returns
    -------
    Recommendation
        The primary measure, what to report beside it and what not to use, with reasons; the
        command and the Python call that compute them.

    Examples
    --------
    >>> import ordeval as oe
    >>> import polars as pl
    >>> frame = pl.DataFrame({"human": [1, 1, 2, 3], "model": [1, 2, 2, 3]})
    >>> found = oe.advise_frame(frame, gold="human", pred="model", labels=[1, 2, 3], order="order")
    >>> found.primary
    "alpha(level='ordinal')"
    """
    given, scale = answers_of(answers), {"labels": labels, "values": values, "na": na}
    if raters is not None:
        return recommend(given, _of_raters(frame, raters, models, scale))
    if models is not None:
        raise InputError(
            "Models were given without the columns of people.",
            parameter="models",
            hint="Pass {raters} as well.",
            suggest={"raters": ...},
        )
    missing: Any = "skip" if judge is None else "error"  # with a judge, gold may be missing
    items = FrameItems.read(
        frame, gold=gold, pred=pred, topic=topic, judge=judge, missing=missing, **scale
    )
    if judge is None:
        counts = items.counts()
        found, systems = findings_of(counts), counts.systems
    else:
        judged = JudgedSource.of(items)
        found, systems = with_judge(judged), judged.given
    listed = list(systems) if len(systems) <= _MOST_LISTED or pred is not None else None
    named = {"gold": gold, "pred": listed, "topic": topic, "judge": judge}
    columns = {role: name for role, name in named.items() if name is not None}
    return recommend(given, replace(found, columns=columns))


def _of_raters(
    frame: Any, raters: Sequence[str], models: Sequence[str] | None, scale: dict[str, Any]
) -> Findings:
    """Return what the columns of raters, and of models, say."""
    people, others = list(raters), list(models or ())
    held = NumberedFrame.of(frame).collect({name: name for name in (*people, *others)})
    found = findings_of(Ratings.read(held, **scale), models=tuple(others))
    columns = {"people": people, "models": others} if others else {"raters": people}
    return replace(found, columns=columns)
