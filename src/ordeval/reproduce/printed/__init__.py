"""Figures as the papers print them, each number kept as printed text."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def printed(paper: str) -> dict[str, Any]:
    """The printed figures of a paper, e.g. `printed("silva_2018")`."""
    text = files(__name__).joinpath(f"{paper}.json").read_text(encoding="utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures
