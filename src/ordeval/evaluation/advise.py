"""Which measure to use for labels, ratings or results in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..advice import Facts, Recommendation, checked_answers, recommend
from ..data.counts import Counts
from ..data.data import Data
from ..errors import InputError
from ..options import RatingsRead, defaults
from ..results import Result
from ..types import Classes, ClassNumbers, LabelColumn
from .judge_labels import JudgedSource
from .ratings import named_raters, rated_data
from .read import read


def advise(
    y_true: LabelColumn | Counts | Result | str | None = None,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | Sequence[str] | str | None = None,
    *,
    data: Any = None,
    ratings: Any = None,
    models: Mapping[str, LabelColumn] | Sequence[str] | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    topic: LabelColumn | None = None,
    judge: LabelColumn | None = None,
    **answers: str | bool | None,
) -> Recommendation:
    """Recommend measures by a path of questions; data answer some of them.

    What is neither given nor answered by the data is assumed, and the recommendation says so. The
    same path is on the page "Which measure?" and behind `ordeval advise`.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Counts or Result, optional
        Gold labels; or, without `y_pred`, counts or a result.
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a relation, or a file. Gold, predictions, ratings,
        models, topics and judge are then names of columns.
    ratings : array_like of shape (n_items, n_raters), mapping or data frame, optional
        The ratings of several raters, instead of gold labels.
    models : mapping of str to array_like, optional
        The ratings of models, to be judged by the people in `ratings`.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class, if their distances are known.
    topic : array_like of shape (n_items,), optional
        The topic of each item.
    judge : array_like of shape (n_items,), optional
        Labels of a judge, such as a language model, for all items, where gold has gaps.
    **answers : str or bool
        Answers to the questions of the path: `task` ("labels", "raters", "judge", "distributions",
        "probabilities"), `purpose` ("compare", "report"), `order` ("distances", "order", "none"),
        `far` ("steps", "squares"), `chance` ("yes", "no"), `balance` ("items", "classes"),
        `constant` ("no", "several") and `each_class` ("no", "yes").

    Returns
    -------
    Recommendation
        The primary measure, what to report beside it and what not to use, with reasons; the
        command and the Python call that compute them.

    See Also
    --------
    ordeval.meta.advise : The same with evidence from the scores of systems on topics.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [1, 1, 1, 1, 1, 1, 2, 3]
    >>> advice = oe.advise(gold, [1, 1, 1, 1, 2, 1, 2, 1], labels=[1, 2, 3], chance=False)
    >>> advice.primary, advice.answers["balance"]
    ('macro_mae', 'classes')
    """
    checked = checked_answers(answers)
    if data is not None:
        roles = {"gold": y_true, "pred": y_pred, "topic": topic, "judge": judge}
        facts = _facts_of_columns(data, roles, ratings, models, labels, values)
        return recommend(checked, facts)
    if judge is not None:
        return recommend(checked, _judged_facts(y_true, y_pred, judge, labels, values, topic))
    return recommend(checked, _facts(y_true, y_pred, ratings, models, labels, values, topic))


def _judged_facts(
    y_true: Any, y_pred: Any, judge: Any, labels: Any, values: Any, topic: Any
) -> Facts:
    """Return the facts about gold labels with gaps, predictions and a judge."""
    if y_true is None or y_pred is None:
        raise InputError(
            "A judge was given without gold labels and predictions.",
            parameter="judge",
            hint="Pass gold labels, with gaps, and predictions as well.",
        )
    return judged_facts(
        Data.read(y_true, y_pred, judge=judge, labels=labels, values=values, topic=topic)
    )


def _facts_of_columns(
    data: Any, roles: Mapping[str, Any], ratings: Any, models: Any, labels: Any, values: Any
) -> Facts:
    """Return the facts about columns of a frame or a file."""
    scale: dict[str, Any] = {"labels": labels, "values": values}
    named = {role: name for role, name in roles.items() if name is not None}
    if ratings is not None:
        raters = named_raters((*ratings, *(models or ())), "ratings")
        rated, _ = rated_data(None, data, {**defaults(RatingsRead), **scale}, raters=raters)
        return Facts.of_ratings(rated, models or ())
    missing: Any = "error" if "judge" in named else "skip"  # with a judge, gold may be missing
    items = read(data, **named, **scale, missing=missing)
    return judged_facts(items) if "judge" in named else Facts.of_counts(items.counts())


def judged_facts(data: Data) -> Facts:
    """Return the facts about the items with gold, and how many only a judge labelled."""
    judged = JudgedSource.of_data(data)
    unlabelled = judged.rows_of_all.unlabelled
    return replace(Facts.of_counts(judged.counts()), unlabelled=unlabelled, skipped=0)


def _facts(
    y_true: Any, y_pred: Any, ratings: Any, models: Any, labels: Any, values: Any, topic: Any
) -> Facts | None:
    """Return the facts about data; None without data."""
    if ratings is not None:
        if y_true is not None or y_pred is not None:
            raise InputError(
                "Both gold labels and ratings were given; one of them is expected.",
                parameter="ratings",
            )
        given = {**defaults(RatingsRead), "labels": labels, "values": values}
        people, _ = rated_data(ratings, None, given)
        return Facts.of_ratings(people, models=tuple(models or ()))
    if models is not None:
        raise InputError(
            "Models were given without the ratings of people.",
            parameter="models",
            hint="Pass {ratings} as well.",
            suggest={"ratings": ...},
        )
    if y_true is None:
        return None
    if y_pred is None and isinstance(y_true, Counts):
        return Facts.of_counts(y_true)
    if y_pred is None and isinstance(y_true, Result):
        return Facts.of_result(y_true)
    if y_pred is None:
        raise InputError(
            "Gold labels were given without predictions.",
            parameter="y_pred",
            hint="Pass {y_pred} as well, or {ratings} of several raters instead.",
            suggest={"y_pred": ..., "ratings": ...},
        )
    return Facts.of_counts(
        Counts.from_labels(
            y_true, y_pred, labels=labels, values=values, topic=topic, missing="skip"
        )
    )
