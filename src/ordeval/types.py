"""Names for the types that the whole package uses."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.intp]

LabelColumn = ArrayLike | Iterable[Any]
"""Labels of items: a list, an array, a series or a categorical."""

RNG = int | np.random.Generator | None
"""A seed, a generator (from which one seed is drawn), or None for fresh entropy."""

Undefined = float | Literal["skip"] | None
"""What replaces an undefined score: a number, "skip" to leave it out of means, or nothing."""

Missing = Literal["error", "skip", "worst"]
Aggregate = Literal["mean", "pool"]
Over = Literal["items", "topics", "both"]
Method = Literal["bca", "percentile"]
Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)``."""
