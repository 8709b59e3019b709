"""Exports of annotation and evaluation tools as rows of ratings.

An export is a JSON document, or for promptfoo also JSON lines. Each tool has a generator of rows
(columns of the item, rater, kind of rater, question, rating, text), read like any long table.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..archive import parse_json
from ..errors import InputError, quoted
from ..limits import in_bytes
from .text import opened

MOST_BYTES = 2**28  # of a document: Python holds it as a whole, in several times its size
_MOST_LEVELS = 64  # of brackets inside brackets; messages and tool calls in logs have many
_EXAMPLE = '{"id": "a1", "ratings": {"anna": 3, "ben": 4}}'

Json = Mapping[str, Any]
Rating = tuple[Any, ...]  # the columns of the item, then those in _COLUMNS

_COLUMNS = ("rater", "kind", "question", "rating", "text")


def is_export(head: str) -> bool:
    """Whether the beginning of a JSON file is that of an export."""
    text = head.lstrip("\ufeff \r\n\t")
    try:
        first = json.JSONDecoder().raw_decode(text.lstrip("[ \r\n\t"))[0]
    except (ValueError, RecursionError):
        return text.startswith("{")  # a document that goes on
    return _tool(first) is not None


def export_as_rows(
    path: Path, name: str, *, gzipped: bool
) -> tuple[tuple[str, ...], Iterable[Sequence[str]]]:
    """Return the columns that name an item, and rows as text, the names of all columns first."""
    documents = _documents(path, name, gzipped=gzipped)
    tool = _tool(documents[0] if documents else None)
    if tool is None:
        raise InputError(
            f"{name} is JSON, but neither objects nor an export of {quoted(_TOOLS)}.",
            hint=f"Write a JSON object per item and line, e.g. {_EXAMPLE}.",
        )
    items, holds, rows_of = _TOOLS[tool]
    rows = list(rows_of(_dicts(documents)))
    if all(row[-2] is None for row in rows):
        raise InputError(
            f"{name} is an export of {tool} without a rating.", hint=f"Expected is {holds}."
        )
    return items, [(*items, *_COLUMNS), *([*map(_cell, row)] for row in rows)]


def _documents(path: Path, name: str, *, gzipped: bool) -> list[Any]:
    """Return the elements of an array, the objects of lines, or a single document."""
    with opened(path, name, gzipped=gzipped) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(
            f"{name} is a JSON document of more than {in_bytes(MOST_BYTES)}, which is read as a "
            "whole.",
            hint=f"Write its ratings as JSON lines, e.g. {_EXAMPLE}, which may be of any size.",
        )

    def refused(reason: str) -> InputError:
        return InputError(f"{name} cannot be read: {reason}.")

    lines = content.split(b"\n") if content.split(b"\n", 1)[0].strip().endswith(b"}") else [content]
    parts = [
        parse_json(line, refused, levels=_MOST_LEVELS, constants=lambda _: None)
        for line in lines
        if line.strip()
    ]
    return parts[0] if len(parts) == 1 and isinstance(parts[0], list) else parts


def _cell(value: Any) -> str:
    """Return a value as it stands in a file: truth values and nested values as in JSON."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\0", "\ufffd")


def _tool(document: Any) -> str | None:
    """Return the tool that wrote a document, or an array that begins with it."""
    if not isinstance(document, dict):
        return None
    if isinstance(document.get("eval"), dict) and isinstance(document.get("samples"), list):
        return "Inspect"
    if _outputs(document) is not None:
        return "promptfoo"
    if isinstance(document.get("annotations"), list):
        return "Label Studio"
    return "Argilla" if isinstance(document.get("responses"), dict) else None


def _label_studio(tasks: Iterable[Json]) -> Iterator[Rating]:
    """Yield the ratings of tasks: annotations by people, and predictions by models."""
    for task in tasks:
        text = _first_text(task.get("data"))
        for key, by, kind in (
            ("annotations", "completed_by", "person"),
            ("predictions", "model_version", "model"),
        ):
            for annotation in _dicts(task.get(key)):
                rater = _name(annotation.get(by), "email", "username", "id")
                for result in _dicts(annotation.get("result")):
                    rating = _label_studio_rating(_dict(result.get("value")))
                    if _is_plain(rating) and not annotation.get("was_cancelled"):
                        yield task.get("id"), rater, kind, result.get("from_name"), rating, text


def _label_studio_rating(value: Json) -> Any:
    """Return a rating, a number, or the only one of the choices."""
    choices = value.get("choices")
    if isinstance(choices, list) and len(choices) == 1:
        return choices[0]
    return value.get("rating", value.get("number"))


def _argilla(records: Iterable[Json]) -> Iterator[Rating]:
    """Yield responses of people and suggestions of models, from nested records."""
    for record in records:
        item, text = record.get("id"), _first_text(record.get("fields"))
        for question, responses in _dict(record.get("responses")).items():
            for response in _dicts(responses):
                submitted = response.get("status") in (None, "submitted")
                if submitted and _is_plain(rating := response.get("value")):
                    yield item, response.get("user_id"), "person", question, rating, text
        for question, suggestion in _dict(record.get("suggestions")).items():
            if _is_plain(rating := _dict(suggestion).get("value")):
                agent = _dict(suggestion).get("agent") or "suggestion"
                yield item, agent, "model", question, rating, text


def _inspect(logs: Iterable[Json]) -> Iterator[Rating]:
    """Yield the scores of samples; a scorer is a rater, a score of several parts has questions."""
    for log in logs:
        about = _dict(log.get("eval"))
        for sample in _dicts(log.get("samples")):
            item = sample.get("id"), about.get("task"), about.get("model"), sample.get("epoch")
            text = sample.get("input") if isinstance(sample.get("input"), str) else None
            for scorer, score in _dict(sample.get("scores")).items():
                value = _dict(score).get("value")
                for question, rating in (value if isinstance(value, dict) else {"": value}).items():
                    if rating is None or _is_plain(rating):
                        yield *item, scorer, "model", question, rating, text


def _promptfoo(documents: Iterable[Json]) -> Iterator[Rating]:
    """Yield the scores of assertions, or else named scores, of every output.

    The score of a set of assertions is left out: its assertions follow it.
    """
    for output in (output for document in documents for output in _outputs(document) or ()):
        provider = _name(output.get("provider"), "label", "id")
        item = output.get("testIdx"), provider, output.get("promptIdx")
        text = _dict(output.get("response")).get("output")
        times: dict[tuple[Any, Any], int] = {}
        for part in _dicts(_dict(output.get("gradingResult")).get("componentResults")):
            if about := _dict(part.get("assertion")):
                kind = "person" if about.get("type") == "human" else "model"
                rater = _name(about.get("provider"), "label", "id") or about.get("type")
                rater, question = rater or "assertion", about.get("metric") or ""
                times[question, rater] = n = times.get((question, rater), 0) + 1
                rater = rater if n == 1 else f"{rater} {n}"
                yield *item, rater, kind, question, part.get("score"), text
        if not times:
            for question, score in _dict(output.get("namedScores")).items():
                yield *item, "promptfoo", "model", question, score, text


def _outputs(document: Json) -> list[dict[str, Any]] | None:
    """Return the outputs in a document of promptfoo, in the summary in it, or in a line."""
    if {"testIdx", "promptIdx"} <= set(document):
        return [dict(document)]
    inner = document.get("results")
    inner = inner.get("results") if isinstance(inner, dict) else inner
    outputs = _dicts(inner)
    known = any({"gradingResult", "namedScores"} & set(output) for output in outputs)
    return outputs if known or inner == [] else None


class _Tool(NamedTuple):
    """The columns that name an item together, where ratings are, and the generator of rows."""

    items: tuple[str, ...]
    holds: str
    rows: Callable[[Iterable[Json]], Iterator[Rating]]


_TOOLS = {
    "Label Studio": _Tool(
        ("item",),
        "annotations[].result[].value with a rating, a number or one choice",
        _label_studio,
    ),
    "Argilla": _Tool(
        ("item",), 'responses such as {"quality": [{"user_id": "u1", "value": 4}]}', _argilla
    ),
    "Inspect": _Tool(
        ("item", "task", "model", "epoch"),
        'samples[].scores such as {"judge": {"value": 4}}',
        _inspect,
    ),
    "promptfoo": _Tool(
        ("item", "provider", "prompt"),
        "results[].gradingResult.componentResults[].score, or namedScores",
        _promptfoo,
    ),
}


def _name(value: Any, *keys: str) -> Any:
    """Return who or what an object with some of these keys is, or the value itself."""
    if isinstance(value, dict):
        return next((value[key] for key in keys if value.get(key)), None)
    return value if value != "" else None


def _first_text(fields: Any) -> str | None:
    return next((value for value in _dict(fields).values() if isinstance(value, str)), None)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
