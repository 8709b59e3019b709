"""Fixtures for all tests."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples every time, and no clock: a busy machine must not fail a test.
settings.register_profile("ordeval", derandomize=True, deadline=None)
settings.load_profile("ordeval")

# A shell starts jobs in the background with Ctrl-C ignored, and so would the tests that send it
# and the processes that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """Close the figures that a test leaves open, of which pyplot warns when there are many."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of papers, data and printed figures beside the repository, or a skip."""
    default = Path(__file__).resolve().parents[1].parent / "shared"
    folder = Path(os.environ.get("ORDEVAL_SHARED", default))
    if not folder.is_dir():
        pytest.skip(f"no shared folder at {folder}; set ORDEVAL_SHARED to its path")
    return folder


@pytest.fixture(scope="session")
def golden(shared: Path) -> dict[str, Any]:
    """Matrices and figures as the papers print them."""
    path = shared / "golden" / "papers.json"
    if not path.is_file():
        pytest.skip(f"no printed figures at {path}")
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures
