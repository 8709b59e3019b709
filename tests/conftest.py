"""Fixtures for all tests."""

import json
import os
import shutil
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


# A real browser, and the rules of accessibility.

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1200,900",
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window, or a skip."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no chromium with chromedriver; install Debian's chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield found
    found.quit()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, the file that ORDEVAL_AXE names, or a skip."""
    path = Path(os.environ.get("ORDEVAL_AXE", ""))
    if not path.is_file():
        pytest.skip("set ORDEVAL_AXE to the path of axe.min.js of axe-core")
    return path.read_text(encoding="utf-8")
