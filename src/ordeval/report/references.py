"""The works that records and sentences cite."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def works() -> dict[str, str]:
    """Return works by the words with which they are cited."""
    text = files("ordeval.report").joinpath("references.toml").read_text(encoding="utf-8")
    return {str(key): str(value) for key, value in tomllib.loads(text).items()}


def bibliography(text: str) -> list[str]:
    """Return the works that a text cites."""
    return [work for key, work in works().items() if key in text]
