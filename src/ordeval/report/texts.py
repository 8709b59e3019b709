"""The texts of `texts.toml`: headings, notes and sentences about methods."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _texts() -> dict[str, dict[str, str]]:
    text = files("ordeval.report").joinpath("texts.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def text_of(key: str, **values: Any) -> str:
    """Return a text by its place, such as "result.dirichlet", with values in braces filled in."""
    part, _, name = key.partition(".")
    return _texts()[part][name].format(**values)
