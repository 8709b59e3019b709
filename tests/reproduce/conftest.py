"""The quick part of all studies, run once: no data, no training."""

import pytest

from ordeval.reproduce import PAPERS, Setting, Study, reproduce


@pytest.fixture(scope="session")
def quick_studies() -> dict[str, Study]:
    """Every paper without data and without training."""
    studies = reproduce("all", Setting(quick=True, training=False))
    return dict(zip(PAPERS, studies, strict=True))
