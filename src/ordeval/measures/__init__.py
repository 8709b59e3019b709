"""The measures: pure functions on batched arrays, each with its record.

Importing this package registers all of them, in the order in which they are listed.
"""

# isort: off
from . import nominal, error, correlation, closeness, agreement, path, quantification, raters
# isort: on

__all__ = [
    "agreement",
    "closeness",
    "correlation",
    "error",
    "nominal",
    "path",
    "quantification",
    "raters",
]
