"""Cut-points on a score: the cuts, how they score on new items, and their application."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from .._version import __version__
from ..call import Call
from ..data.containers import read_numbers
from ..data.scale import Scale
from ..errors import InputError
from ..measures.spec import Measure
from ..notes import Note
from ..types import Array, Floats
from .estimate import Estimate, Row
from .report import Finding


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CutRule(Row):
    """A rule that makes cuts: its cuts on all items, their score there, and on other items.

    `change` is the score on other items minus that of rounding, and `p` its p-value.
    """

    name: str
    cuts: tuple[float, ...]
    fitted: float
    crossed: Estimate
    change: Estimate = Estimate(nan)  # noqa: RUF009
    p: float = nan


@dataclass(frozen=True, eq=False, repr=False)
class Cutpoints(Finding):
    """K − 1 cut-points that divide a real-valued score into K classes.

    A score belongs to the class above the highest cut that it reaches. Equal cuts have no class
    between them, and an infinite cut has none beyond it. Iterating gives the cuts, and `evaluate`
    takes them as bins: ``evaluate(gold, scores, bins=cut)``.

    Parameters
    ----------
    measure : Measure
        The measure that the cuts are best for.
    scale : Scale
        The classes.
    cuts : tuple of float
        The cuts, in increasing order.
    exact : bool
        Whether no other cuts score better on these items; otherwise a local optimum.
    rules : tuple of CutRule
        The cuts of every rule, with the fitted and the cross-fitted score.
    quantiles : ndarray of shape (n_classes, 5)
        The 5, 25, 50, 75 and 95 % quantiles of the score in each gold class.
    items : int
        The number of items.
    level : float
        The level of the intervals.
    folds : int
        The number of folds of the cross-fitted scores.
    notes : tuple of Note
        What the reader should know.
    about : mapping
        Where the data came from, and how they were read.

    Examples
    --------
    >>> import ordeval as oe
    >>> cut = oe.cutpoints([1, 1, 2, 2], [0.1, 0.2, 0.4, 0.8], "qwk", labels=[1, 2])
    >>> len(cut), cut.exact
    (1, True)
    """

    measure: Measure
    scale: Scale
    cuts: tuple[float, ...]
    exact: bool
    rules: tuple[CutRule, ...]
    quantiles: Floats
    items: int
    level: float
    folds: int
    notes: tuple[Note, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what a file may hold."""
        object.__setattr__(self, "scale", self.scale.plain())
        if len(self.cuts) != self.scale.k - 1 or not all(a <= b for a, b in pairwise(self.cuts)):
            raise ValueError("the cuts are not one fewer than the classes, or do not increase")

    @property
    def call(self) -> Call:
        """The call that repeats the result."""
        scale = {"labels": list(self.scale.labels)}
        if self.scale.values is not None:
            scale["values"] = list(self.scale.values)
        return Call("cutpoints", {**self.about, "measure": self.measure.key, **scale})

    def signature(self) -> str:
        """Return one line that lets another person repeat the numbers.

        Returns
        -------
        str
            Measure, scale, rule, folds, level, seed and version.
        """
        k = f"K:{self.scale.k}{'(inferred)' * self.scale.inferred}"
        rule, seed = self.about.get("rule", "measure"), self.about.get("rng", 0)
        how = [k, f"rule:{rule}", f"folds:{self.folds}", f"ci:{100 * self.level:g}", f"seed:{seed}"]
        return "|".join([str(self.measure), *how, f"ordeval:{__version__}"])

    def __iter__(self) -> Iterator[float]:
        return iter(self.cuts)

    def __len__(self) -> int:
        return len(self.cuts)

    def apply(self, scores: Any) -> Array:
        """Return the class of every score.

        Parameters
        ----------
        scores : array_like of shape (n_items,)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_items,)
            Labels of the scale.

        Examples
        --------
        >>> import ordeval as oe
        >>> cut = oe.cutpoints([1, 1, 2, 3], [0.2, 0.4, 0.5, 0.9], "mae", labels=[1, 2, 3])
        >>> cut.apply([0.0, 0.45, 2.0])
        array([1, 2, 3])
        """
        numbers = finite_scores(scores)
        return labels_of(self.scale, np.searchsorted(self.cuts, numbers, side="right"))


def labels_of(scale: Scale, codes: Array) -> Array:
    """Return the labels of classes, as an array of numbers or texts where all are alike."""
    labels, kinds = scale.labels, {type(label) for label in scale.labels}
    alike = len(kinds) == 1 and kinds <= {int, float, str, bool}
    held = np.array(labels) if alike else np.fromiter(labels, object, len(labels))
    return np.asarray(held[codes])


def finite_scores(scores: Any) -> Floats:
    """Return scores as finite numbers, or raise an error."""
    try:
        numbers = np.asarray(read_numbers(scores, "score"), dtype=np.float64)
    except InputError as problem:
        raise InputError(
            "score holds values that are not numbers; one real number per item is expected.",
            parameter="score",
            hint="The gold labels come first, then the score.",
        ) from problem
    if numbers.ndim != 1:
        shape = f"score has the shape {numbers.shape}; one number per item is expected."
        raise InputError(shape, parameter="score")
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        raise InputError(
            f"score is missing or infinite for {int(wrong.sum()):,} of {len(numbers):,} items, the "
            f"first at position {int(wrong.argmax())}; finite numbers are expected.",
            parameter="score",
            hint="Leave these items out.",
        )
    return numbers
