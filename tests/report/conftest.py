"""The pages that a real browser opens."""

from pathlib import Path

import pytest
from rater_data import (
    agreement,
    hostile_agreement,
    hostile_judgement,
    judged_with_texts,
    judgement,
)
from report_data import compared, hostile, meta, quantified, with_texts


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
