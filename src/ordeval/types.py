"""Names for the types that the whole package uses."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.intp]

LabelColumn = Iterable[Any] | NDArray[Any]
"""Labels of items: a list, an array, a series or a categorical."""

ItemWeights = Iterable[float] | NDArray[Any] | None
"""A number per item."""

ClassNumbers = Iterable[float] | Mapping[Any, float] | None
"""A number per class, in the order of the classes or by class."""

if TYPE_CHECKING:
    RNG = int | np.random.Generator | None
else:
    RNG = Any  # numpy.random is loaded on first use, and import ordeval does not need it
"""A seed, a generator (from which one seed is drawn), or None for fresh entropy."""

Undefined = float | Literal["skip"] | None
"""What replaces an undefined score: a number, "skip" to leave it out of means, or nothing."""

BinsLike = Literal["round", "floor"] | Iterable[float] | None
"""How real numbers become classes: a rule, or the edges between classes."""

FilePath = str | PathLike[str]
"""The name of a file."""

Missing = Literal["error", "skip", "worst"]
RatingGaps = Literal["keep", "skip"]  # what becomes of items that not all raters rated
MissingLabels = Any
"""A value, or several, that stand for a missing label."""

Aggregate = Literal["mean", "pool"]
Gate = Literal["interval", "point"]
"""What decides whether a score passes: the worse end of its interval, or the score alone."""
Family = Literal["pairs", "measures"]
"""What p-values are corrected for: the pairs under one measure, or under all measures."""
Over = Literal["items", "topics", "clusters", "both"]
RaterUnits = Literal["items", "clusters", "both"]
"""What other data of raters would be: other items, clusters, or one of these and other raters."""

GoldRule = Literal["soft", "majority", "median", "mean", "each"]
Nearness = Literal["rmse", "accuracy"]
CutGaps = Literal["error", "skip"]  # what becomes of items without gold label or score
CutRules = Literal["measure", "quantiles", "rounding"]
Tau = Literal["a", "b"]
"""Which of Kendall's coefficients."""
Procedure = Literal["bootstrap", "split"]
"""How the consistency of measures is compared: by resampled topics, or by splits of the same."""
Method = Literal["auto", "percentile"]
Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)``."""


class HasCategories(Protocol):
    """An ordered categorical type, such as that of pandas or Polars."""

    @property
    def categories(self) -> Any:
        """The classes."""


class HasLabels(Protocol):
    """A scale."""

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes."""


Classes = Iterable[Any] | HasCategories | HasLabels | None
"""The classes from lowest to highest: a list, a range, an ordered categorical type or a scale."""
