"""Scores of one system: `score`, `per_class`, and scorers for scikit-learn."""

import reprlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, Unpack, overload

import numpy as np

from ..data.counts import Counts
from ..data.distributions import may_be_shares
from ..data.scale import Scale
from ..data.source import one_system, read_source
from ..display import Displayable
from ..errors import InputError, UndefinedWarning
from ..options import (
    CountOptions,
    ScoreOptions,
    ScorerOptions,
    TableOptions,
    options_of,
    takes,
)
from ..types import BinsLike, Floats, LabelColumn
from .closeness import ciq
from .error import class_error
from .nominal import f1, precision
from .scoring import check_task, check_undefined, mean_over_topics
from .spec import (
    Measure,
    check_replacement,
    counterpart,
    parse_measure,
    parse_measures,
    refuse_several,
    score_counted,
    score_pair,
    score_table,
    warn_of_labels,
)
from .terms import diagonal, distance, gold, predicted, ratio


@takes(ScoreOptions)
def score(
    y_true: Any,
    y_pred: Any = None,
    measures: str | Measure | None = None,
    **options: Unpack[ScoreOptions],
) -> float:
    """Score predictions under one measure.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Counts or table
        Gold labels; for a quantification measure, the gold distribution as shares that sum to 1.
        Without `y_pred`, counts or a table of gold by predicted class: ``score(counts, "cem")``.
    y_pred : array_like of shape (n_items,), optional
        Predicted labels; for a quantification measure, the estimated distribution.
    measures : str or Measure
        The one measure, e.g. "cem" or "kappa(weights='quadratic')".
    {options}

    Returns
    -------
    float
        The score; if it is undefined, NaN with an `UndefinedWarning`.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.score([1, 2, 3, 3], [1, 2, 2, 3], "kappa(weights=linear)", labels=[1, 2, 3])
    0.7142857142857143
    >>> oe.score([[8, 2], [1, 9]], "accuracy")
    0.85
    """
    if measures is None and isinstance(y_pred, (str, Measure)):
        y_pred, measures = None, y_pred
    if measures is None:
        raise InputError(
            "No measure is named.", parameter="measures", hint='Name one, such as "cem".'
        )
    spec = counterpart(parse_measure(measures), "classification")
    if spec.record.task == "quantification":
        _refuse_labels(spec, y_true, y_pred)
        return score_pair(spec, y_true, y_pred, options)
    undefined = options["undefined"]
    check_task([spec], "classification")
    refuse_several(y_pred)
    check_undefined(undefined)
    counts = one_system(read_source(y_true, y_pred, **options_of(options, CountOptions)).counts())
    warn_of_labels(counts)
    if options["aggregate"] == "pool" or not counts.topics:
        replacement = None if undefined == "skip" else check_replacement(undefined)
        return score_table(spec, counts.pooled(), replacement)
    by_topic = score_counted(spec, counts)
    found = float(mean_over_topics(by_topic, undefined))
    if found != found:
        warnings.warn(
            f"{spec} is undefined in {np.isnan(by_topic).sum()} of {len(by_topic)} topics. "
            'Pass undefined="skip" to average over the others, or undefined=… for a number in '
            "their place.",
            UndefinedWarning,
            stacklevel=3,
        )
    return found


def _refuse_labels(spec: Measure, gold: Any, estimate: Any) -> None:
    """Raise an error unless shares that sum to 1 are given to a quantification measure.

    Labels that are numbers could be read as counts of classes, so that counts are refused, too,
    except where a measure needs them for gold.
    """
    given = {"y_pred": estimate} if spec.needs_sizes else {"y_true": gold, "y_pred": estimate}
    for name, data in given.items():
        if data is not None and not may_be_shares(data):
            raise InputError(
                f"{spec} is a quantification measure: it compares distributions, not labels, and "
                f"{name} does not hold shares that sum to 1.",
                parameter="measures",
                hint='For labels, name a measure such as "mae", or compare their distributions '
                f"with quantify; counts of classes are scored by measure({spec.key!r})(gold, "
                "estimate).",
            )


class ScoringStopped(BaseException):
    """A scorer that cannot score what it is given, whatever the fold.

    Not an `Exception`, which scikit-learn would turn into NaN and a traceback, fold after fold.
    """


@dataclass(eq=False, repr=False)
class Scorer:
    """A scikit-learn scorer: higher is always better.

    Parameters
    ----------
    measure : Measure
        The measure.
    labels : Scale or None
        The ordered classes.
    values : sequence, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real predictions, as those of a regressor, become classes.
    undefined : float, optional
        The score of a fold for which the measure is undefined, before the sign is applied.
    """

    measure: Measure
    labels: Scale | None = None
    values: Any = None
    bins: BinsLike = None
    undefined: float | None = None
    _weight_request: bool | str | None = None

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        predicted = estimator.predict(X)
        try:
            score = self.measure(
                y_true,
                predicted,
                labels=self.labels,
                values=self.values,
                bins=self.bins,
                weight=sample_weight,
                undefined=self.undefined,
            )
        except InputError as problem:
            if problem.parameter == "missing" or (problem.parameter == "bins" and problem.column):
                raise  # some predictions of this model: other folds may be fine
            raise ScoringStopped(f"{self!r}: {problem}") from None
        return self.measure.sign * score

    def set_score_request(self, *, sample_weight: bool | str | None = True) -> Self:
        """Ask for weights where the metadata routing of scikit-learn is enabled."""
        self._weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return what the scorer asks for, to scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._weight_request)
        return request

    def __repr__(self) -> str:
        facts = {
            "labels": None if self.labels is None else list(self.labels.labels),
            "values": self.values if self.labels is None else self.labels.values,
            "bins": self.bins,
            "undefined": self.undefined,
        }
        shown = [f"{n}={reprlib.repr(value)}" for n, value in facts.items() if value is not None]
        return f"ordeval.scorer({', '.join([repr(str(self.measure)), *shown])})"


@overload
def scorer(measures: str | Measure, **options: Unpack[ScorerOptions]) -> Scorer: ...


@overload
def scorer(
    measures: list[str] | list[Measure] | list[str | Measure] | tuple[str | Measure, ...],
    **options: Unpack[ScorerOptions],
) -> dict[str, Scorer]: ...


@takes(ScorerOptions)
def scorer(
    measures: str | Measure | Sequence[str | Measure], **options: Unpack[ScorerOptions]
) -> Scorer | dict[str, Scorer]:
    """Make a scorer for `cross_val_score`, `GridSearchCV` and the like, or several at once.

    Parameters
    ----------
    measures : str, Measure or sequence of these
        The measure. Error measures get a minus sign, so that higher is better. A list makes several
        scorers, for `cross_validate` and ``refit="qwk"``.
    {options}

    Returns
    -------
    Scorer or dict of str to Scorer
        A callable ``scorer(estimator, X, y)``; for a list, one for each name.

    Notes
    -----
    Declare the classes, so that every fold is scored on the same scale, whichever classes it holds.
    Real-valued predictions, such as those of a regressor, need bins. Edges between the classes,
    such as [1.5, 2.5], also accept numbers beyond the lowest and highest class. `undefined` is a
    value of the measure, before the sign changes.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.scorer("mae", labels=[1, 2, 3])
    ordeval.scorer('mae', labels=[1, 2, 3])
    >>> list(oe.scorer(["qwk", "mae"], labels=[1, 2, 3]))
    ['qwk', 'mae']
    """
    how: dict[str, Any] = {**options, "undefined": check_replacement(options["undefined"])}
    if options["labels"] is not None:  # the scale holds the values
        how |= {"labels": Scale.of(options["labels"], options["values"]), "values": None}

    def make(measure: str | Measure) -> Scorer:
        spec = counterpart(parse_measure(measure), "classification")
        check_task([spec], "classification")
        return Scorer(spec, **how)

    if isinstance(measures, str) and len(several := parse_measures(measures)) > 1:
        measures = several
    if isinstance(measures, str | Measure):
        return make(measures)
    if not measures:
        raise InputError("No measure is named.", parameter="measures")
    return {m if isinstance(m, str) else m.key: make(m) for m in measures}


@dataclass(frozen=True, eq=False, repr=False)
class PerClass(Displayable):
    """Figures per class.

    A class without gold items has no recall and no mean absolute error, a class that is never
    predicted no precision, and a class that is neither in gold nor predicted no F1.

    Parameters
    ----------
    labels : tuple
        The classes from lowest to highest.
    figures : mapping of str to ndarray of shape (n_classes,)
        The figures by name; NaN where a class has none.
    binned : bool
        Whether the classes were made of real numbers; figures are those of classes.
    """

    labels: tuple[Any, ...]
    figures: Mapping[str, Floats]
    binned: bool = False

    def __getitem__(self, name: str) -> Floats:
        return self.figures[name]


@takes(TableOptions)
def per_class(
    y_true: LabelColumn | Counts, y_pred: LabelColumn | None = None, **options: Unpack[TableOptions]
) -> PerClass:
    """Compute precision, recall, F1, error, support and closeness for each class.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Counts or table
        Gold labels. Without `y_pred`, counts or a table of gold by predicted class.
    y_pred : array_like of shape (n_items,), optional
        Predicted labels.
    {options}

    Returns
    -------
    PerClass
        The figures by name: support, predicted, precision, recall, f1, mae, ciq_precision and
        ciq_recall. It prints as a table.

    Examples
    --------
    >>> import ordeval as oe
    >>> figures = oe.per_class([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3])
    >>> figures["recall"]
    array([1. , 1. , 0.5])
    """
    refuse_several(y_pred)
    counts = one_system(read_source(y_true, y_pred, **options).counts()).pooled("topic")
    warn_of_labels(counts)
    figures = class_figures(counts.table, counts.scale)
    return PerClass(counts.scale.labels, figures, counts.bins is not None)


def class_figures(n: Floats, scale: Scale) -> dict[str, Floats]:
    """Return the figures per class of tables `[..., K, K]`, each an array `[..., K]`."""
    values = scale.numbers
    return {
        "support": gold(n),
        "predicted": predicted(n),
        "precision": precision(n),
        "recall": ratio(diagonal(n), gold(n)),
        "f1": f1(n),
        "mae": class_error(n, distance(values)),
        "ciq_precision": ciq(n, values, axis=-2),
        "ciq_recall": ciq(n, values, axis=-1),
    }
