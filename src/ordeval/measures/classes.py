"""Figures per class: precision, recall, error and closeness of every class."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from ..data.counts import Counts
from ..data.scale import Scale
from ..data.source import one_system, read_source
from ..display import Displayable
from ..options import TableOptions, takes
from ..types import (
    Floats,
    LabelColumn,
)
from .closeness import ciq
from .error import class_error
from .nominal import f1, precision
from .spec import refuse_several
from .terms import diagonal, distance, gold, predicted, ratio


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
    y_true: LabelColumn | Counts,
    y_pred: LabelColumn | None = None,
    **options: Unpack[TableOptions],
) -> PerClass:
    """Compute precision, recall, F1, error, support and closeness figures of each class.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), Counts or table
        Gold labels. Or, without `y_pred`, counts or a table of gold by predicted class.
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
