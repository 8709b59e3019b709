"""Ordinal classifiers built from any binary scikit-learn classifier.

`FrankHallClassifier` fits one binary model for each boundary between adjacent classes, and
`DataReplicationClassifier` one binary model for all boundaries; `osvm` and `onn` are pipelines
with the latter. They need scikit-learn, an optional dependency.
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        "ordeval.learners needs scikit-learn. Install it with: pip install scikit-learn"
    ) from error

from .data_replication import DataReplicationClassifier, onn, osvm
from .frank_hall import FrankHallClassifier

__all__ = ["DataReplicationClassifier", "FrankHallClassifier", "onn", "osvm"]
