"""A real browser, the pages it opens, and the rules of accessibility."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rater_data import (
    agreement,
    hostile_agreement,
    hostile_judgement,
    judged_with_texts,
    judgement,
)
from report_data import compared, hostile, meta, quantified, with_texts

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
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one page of every kind."""
    folder = tmp_path_factory.mktemp("pages")
    compared().to_html(folder / "compared.html")
    hostile().to_html(folder / "hostile.html")
    with_texts().to_html(folder / "texts.html")
    quantified().to_html(folder / "quantified.html")
    names = [f"system-{i:02d}" for i in range(40)]
    compared(names, topics=8, items=25).to_html(folder / "forty.html")
    meta().to_html(folder / "meta.html")
    agreement().to_html(folder / "agreement.html")
    hostile_agreement().to_html(folder / "hostile agreement.html")
    agreement([f"rater {i}" for i in range(60)]).to_html(folder / "sixty raters.html")
    judgement().to_html(folder / "judgement.html")
    hostile_judgement().to_html(folder / "hostile judgement.html")
    judged_with_texts().to_html(folder / "judged texts.html")
    return folder


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
