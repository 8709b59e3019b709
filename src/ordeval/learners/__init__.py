"""Ordinal classifiers built from any binary scikit-learn classifier.

Two reductions are here: `FrankHallClassifier` (one binary model per boundary between adjacent
classes) and `DataReplicationClassifier` (one binary model for all boundaries); `osvm` and `onn`
are ready-made instances of the second. They need scikit-learn, an optional extra.
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        'ordeval.learners needs scikit-learn. Install it with: pip install "ordeval[sklearn]"'
    ) from error

from .data_replication import DataReplicationClassifier
from .frank_hall import FrankHallClassifier
from .ready_made import onn, osvm

__all__ = ["DataReplicationClassifier", "FrankHallClassifier", "onn", "osvm"]
