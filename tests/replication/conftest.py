"""The quick part of all studies, run once, and the folder of data sets."""

from pathlib import Path

import pytest

from replication import PAPERS, Setting, Study, reproduce


@pytest.fixture(scope="session")
def quick_studies() -> dict[str, Study]:
    """Every paper without data and without training."""
    studies = reproduce("all", Setting(quick=True, training=False))
    return dict(zip(PAPERS, studies, strict=True))


@pytest.fixture(scope="session")
def data(shared: Path) -> Setting:
    """The quick setting with data, in one process."""
    folder = shared / "data"
    if not (folder / "semeval2016-task4").is_dir():
        pytest.skip(f"no SemEval data at {folder}")
    return Setting(data=folder, quick=True, training=False, jobs=1)
