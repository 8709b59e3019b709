"""Texts that are data: headings, notes and sentences about methods, and the works they cite."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _table(name: str) -> dict[str, Any]:
    text = files("ordeval.report").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def text_of(key: str, **values: Any) -> str:
    """Return a text by its place, such as "result.dirichlet", with values in braces filled in."""
    part, _, name = key.partition(".")
    return str(_table("texts")[part][name]).format(**values)


def works() -> dict[str, str]:
    """Return works by the words with which they are cited."""
    return _table("references")


def bibliography(text: str) -> list[str]:
    """Return the works that a text cites."""
    return [work for key, work in works().items() if key in text]
