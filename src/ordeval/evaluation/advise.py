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
from .judge_labels import divide
from .ratings import named_raters, rated_data
from .read import read_columns


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
    proba: Any = None,
    **answers: str | bool | None,
) -> Recommendation:
    """Recommend measures from the answers to a few questions; your data answer some of them.

    Questions that neither you nor the data answer get an assumed answer, and the recommendation
    says so. The page "Which measure?" and `ordeval advise` ask the same questions.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Counts or Result, optional
        Gold labels. Without `y_pred`, counts or a result.
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or a mapping from system to labels.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a relation, or a file. Gold, predictions, ratings,
        models, topics and judge are then column names.
    ratings : array_like of shape (n_items, n_raters), mapping or data frame, optional
        The ratings of several raters, instead of gold labels.
    models : mapping of str to array_like, optional
        The ratings of models, to be judged by the people in `ratings`.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class, if you know the distances between classes.
    topic : array_like of shape (n_items,), optional
        The topic of each item.
    judge : array_like of shape (n_items,), optional
        Labels from a judge, such as a language model, for all items, if gold has gaps.
    proba : array_like of shape (n_items, n_classes), mapping, str or list, optional
        Predicted probabilities instead of predicted labels, as for `evaluate`.
    **answers : str or bool
        Answers to the questions of the path: `task` ("labels", "probabilities", "raters", "judge",
        "distributions"), `purpose` ("compare", "report"), `order` ("distances", "order", "none"),
        `far` ("steps", "squares"), `chance` ("yes", "no"), `balance` ("items", "classes"),
        `constant` ("no", "several") and `each_class` ("no", "yes").

    Returns
    -------
    Recommendation
        The primary measure, what else to report and what to avoid, with reasons; and the
        command and Python call that compute them.

    See Also
    --------
    ordeval.meta.meta_evaluate : The same with evidence from the scores of systems on topics.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [1, 1, 1, 1, 1, 1, 2, 3]
    >>> advice = oe.advise(gold, [1, 1, 1, 1, 2, 1, 2, 1], labels=[1, 2, 3], chance=False)
    >>> advice.primary, advice.answers["balance"]
    ('macro_mae', 'classes')
    """
    checked, scale = checked_answers(answers), {"labels": labels, "values": values}
    if ratings is not None or models is not None:
        if y_true is not None or y_pred is not None:
            raise InputError(
                "Both gold labels and ratings were given; one of them is expected.",
                parameter="ratings",
            )
        return recommend(checked, _facts_of_ratings(data, ratings, tuple(models or ()), scale))
    if isinstance(y_true, Result):
        return recommend(checked, Facts.of_result(y_true))
    if isinstance(y_true, Counts):
        return recommend(checked, Facts.of_counts(y_true))
    if all(given is None for given in (data, y_true, topic, judge)):
        return recommend(checked)
    # With a judge, gold may be missing.
    missing = "skip" if judge is None else "error"
    options: dict[str, Any] = {**scale, "topic": topic, "judge": judge, "missing": missing}
    options["proba"] = proba
    if data is not None:
        items = read_columns(data, y_true, y_pred, **options)
    elif y_true is not None and (y_pred is not None or proba is not None):
        items = Data.read(y_true, y_pred, **options)
    else:
        raise InputError(
            "Gold labels were given without predictions, or a judge or topics without either.",
            parameter="y_pred",
            hint="Pass gold and {y_pred}, or {ratings} of several raters instead.",
            suggest={"y_pred": ..., "ratings": ...},
        )
    return recommend(checked, Facts.of_data(items) if judge is None else judged_facts(items))


def _facts_of_ratings(
    data: Any, ratings: Any, models: Sequence[str], scale: Mapping[str, Any]
) -> Facts:
    """Return the facts about ratings in memory, or in columns of a frame or a file."""
    if ratings is None:
        raise InputError(
            "Models were given without the ratings of people.",
            parameter="models",
            hint="Pass {ratings} as well.",
            suggest={"ratings": ...},
        )
    options = {**defaults(RatingsRead), **scale}
    if data is None:
        people, _ = rated_data(ratings, None, options)
    else:
        raters = named_raters((*ratings, *models), "ratings")
        people, _ = rated_data(None, data, options, raters=raters)
    return Facts.of_ratings(people, models)


def judged_facts(data: Data) -> Facts:
    """Return the facts about the items with gold, and how many only a judge labelled."""
    labelled, judged = divide(data)
    unlabelled = judged.rows.items - judged.rows.labelled
    return replace(Facts.of_counts(labelled.counts()), unlabelled=unlabelled, skipped=0)
