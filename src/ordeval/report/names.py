"""Names from data, made fit for a page before anything is built from them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..errors import InputError
from ..results import Result
from ..spec import parse_measure
from .formats import one_line


def presentable(result: Result) -> Result:
    """The result with names that can be seen and told apart.

    Characters that turn the direction of writing, break lines or have no width would disturb
    the text around a name, and browsers change some of them.
    """
    scores = result.scores
    cleaned = replace(
        scores,
        systems=shown(scores.systems),
        topics=shown(scores.topics),
        scale=replace(scores.scale, labels=shown(scores.scale.labels)),
    )
    return replace(result, scores=cleaned, notices=tuple(map(one_line, result.notices)))


def shown(names: Iterable[Any]) -> tuple[Any, ...]:
    """Names on one line each, none blank, no two alike; what is no text stays what it is."""
    found: list[Any] = []
    for name in names:
        text = (one_line(name) if name.strip() else "(blank)") if isinstance(name, str) else name
        number, new = 1, text
        while new in found:
            number += 1
            new = f"{text} ({number})"
        found.append(new)
    return tuple(found)


def short_measure(name: str) -> str:
    """The symbol of a measure that is known, else the name."""
    try:
        return parse_measure(name).short
    except InputError:
        return name
