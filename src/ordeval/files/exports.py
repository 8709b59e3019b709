"""Exports of annotation and evaluation tools as rows of ratings.

An export is one JSON document or, from Inspect, an archive of several. Each tool has a generator
of rows (item, rater, kind of rater, question, rating, text), which are then read like any table.
"""

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ..archive import parse_json
from ..errors import InputError, quoted
from ..limits import in_bytes
from .engine import Engine, literal, temporary_files
from .lines import opened
from .sheets import names_in_zip

MOST_BYTES = 2**28  # of a document: Python holds it as a whole, in several times its size
_UNPACKING = "4GB"  # what DuckDB may use to unpack as much: buffers of the largest part per thread
_MOST_LEVELS = 64  # of brackets inside brackets; messages and tool calls in logs have many
_ZSTD = 93  # a method of compression, known to zipfile since Python 3.14 only
_SAMPLE = re.compile(r"samples/[^/]+\.json")
EXAMPLE = '{"id": "a1", "ratings": {"anna": 3, "ben": 4}}'  # of JSON lines that can be read

Json = Mapping[str, Any]
Rating = tuple[Any, ...]  # as in _COLUMNS

_COLUMNS = ("rater", "kind", "question", "rating", "text")
# The columns that name an item together.
_ITEMS: dict[str, tuple[str, ...]] = {
    "Label Studio": ("item",),
    "Argilla": ("item",),
    "Inspect": ("item", "task", "model", "epoch"),
    "promptfoo": ("item", "provider", "prompt"),
}
_HOLDS = {
    "Label Studio": "annotations[].result[].value with a rating, a number or one choice",
    "Argilla": 'responses such as {"quality": [{"user_id": "u1", "value": 4}]}',
    "Inspect": 'samples[].scores such as {"judge": {"value": 4}}',
    "promptfoo": "results[].gradingResult.componentResults[].score, or namedScores",
}


def is_archive_of_logs(path: Path, start: bytes) -> bool:
    """Whether a file is an archive (.eval) that Inspect wrote."""
    return any(map(_SAMPLE.fullmatch, names_in_zip(path, start)))


def is_export(head: str) -> bool:
    """Whether the beginning of a JSON file is that of an export, or of lists by rater."""
    text = head.lstrip("\ufeff \r\n\t")
    if text.startswith("["):
        return _tool(_first_value(text[1:].lstrip())) in ("Label Studio", "Argilla")
    first, _, rest = text.partition("\n")
    line = _first_value(first)
    if line is None:  # an object on several lines, unless further ones follow: JSON lines
        return not rest.lstrip().startswith("{")
    return _tool(line) is not None or (not rest.strip() and _is_by_rater(line))


def _first_value(text: str) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _tool(content: Any) -> str | None:
    """Return the tool that wrote an object, which stands for a document or for its first part."""
    if not isinstance(content, dict):
        return None
    if isinstance(content.get("eval"), dict) and isinstance(content.get("samples"), list):
        return "Inspect"
    if _promptfoo_results(content) is not None:
        return "promptfoo"
    if any(isinstance(content.get(key), list) for key in ("annotations", "completions")):
        return "Label Studio"
    return "Argilla" if isinstance(content.get("responses"), dict) else None


def _is_by_rater(content: Any) -> bool:
    lists = isinstance(content, dict) and len(content) > 1 and all(content.values())
    return lists and all(
        isinstance(held, list) and all(v is None or _is_plain(v) for v in held)
        for held in content.values()
    )


def export_as_rows(
    path: Path, name: str, *, gzipped: bool, archive: bool
) -> tuple[tuple[str, ...], Iterable[Sequence[str]]]:
    """Return the columns that name an item, and rows as text, the names of all columns first."""
    content = _log(path, name) if archive else _document(path, name, gzipped=gzipped)
    if _is_by_rater(content):
        return (), _lists_by_rater(content, name)
    tool = _tool(next(iter(content), None) if isinstance(content, list) else content)
    if tool is None:
        raise InputError(
            f"{name} is JSON, but neither objects nor an export of {quoted(_ITEMS)}.",
            hint=f"Write a JSON object per item and line, e.g. {EXAMPLE}.",
        )
    rows = list(_READERS[tool](content))
    if not any(row[-2] is not None for row in rows):
        raise InputError(
            f"{name} is an export of {tool} without a rating.", hint=f"Expected is {_HOLDS[tool]}."
        )
    columns = (*_ITEMS[tool], *_COLUMNS)
    return _ITEMS[tool], chain([columns], ([*map(_cell, row)] for row in rows))


def _lists_by_rater(content: Json, name: str) -> Iterable[Sequence[str]]:
    if len(set(map(len, content.values()))) > 1:
        sizes = quoted(f"{rater} ({len(held):,})" for rater, held in content.items())
        raise InputError(f"{name} holds lists of different length: {sizes}.")
    return chain(
        [list(content)], ([*map(_cell, row)] for row in zip(*content.values(), strict=True))
    )


def _cell(value: Any) -> str:
    """Return a value as it stands in a file: truth values and nested values as in JSON."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\0", "\ufffd")


def _document(path: Path, name: str, *, gzipped: bool) -> Any:
    """Return a document; lines of promptfoo stand for the document of its results."""
    with opened(path, name, gzipped=gzipped) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise _too_large(name)
    first = content.split(b"\n", 1)[0]
    if b'"testIdx"' in first and b'"promptIdx"' in first and first.rstrip().endswith(b"}"):
        lines = [_parsed(line, name) for line in content.splitlines() if line.strip()]
        return lines[0] if len(lines) == 1 and "results" in lines[0] else {"results": lines}
    return _parsed(content, name)


def _too_large(name: str) -> InputError:
    return InputError(
        f"{name} is a JSON document of more than {in_bytes(MOST_BYTES)}, which is read as a whole.",
        hint=f"Write its ratings as JSON lines, e.g. {EXAMPLE}, which may be of any size.",
    )


def _parsed(content: bytes, name: str) -> Any:
    def refused(reason: str) -> InputError:
        return InputError(f"{name} cannot be read: {reason}.")

    return parse_json(content, refused, levels=_MOST_LEVELS, constants=lambda _: None)


def _label_studio(tasks: Sequence[Json]) -> Iterator[Rating]:
    """Yield the ratings of tasks: of annotations by people, and of predictions by models."""
    kinds = {"annotations": "person", "completions": "person", "predictions": "model"}
    for task in _dicts(tasks):
        text = next((v for v in _dict(task.get("data")).values() if isinstance(v, str)), None)
        for key, kind in kinds.items():
            for annotation in _dicts(task.get(key)):
                by = annotation.get("model_version" if kind == "model" else "completed_by")
                by = _name(by, "email", "username", "id")
                for result in _dicts(annotation.get("result")):
                    rating = _rating_of([result.get("value")])
                    if _is_plain(rating) and not annotation.get("was_cancelled"):
                        yield task.get("id"), by, kind, result.get("from_name"), rating, text


def _argilla(records: Sequence[Json]) -> Iterator[Rating]:
    """Yield responses of people and suggestions of models, from nested records."""
    for record in _dicts(records):
        item, fields = record.get("id"), _dict(record.get("fields"))
        text = next((v for v in fields.values() if isinstance(v, str)), None)
        for question, responses in _dict(record.get("responses")).items():
            for response in _dicts(responses):
                submitted = response.get("status") in (None, "submitted")
                if submitted and _is_plain(rating := response.get("value")):
                    yield item, response.get("user_id"), "person", question, rating, text
        for question, suggestion in _dict(record.get("suggestions")).items():
            if _is_plain(rating := _dict(suggestion).get("value")):
                agent = _dict(suggestion).get("agent") or "suggestion"
                yield item, agent, "model", question, rating, text


def _inspect(log: Json) -> Iterator[Rating]:
    """Yield the scores of samples; a scorer is a rater, a score of several parts has questions."""
    about = _dict(log.get("eval"))
    for sample in _dicts(log.get("samples")):
        item = sample.get("id"), about.get("task"), about.get("model"), sample.get("epoch")
        text = sample.get("input") if isinstance(sample.get("input"), str) else None
        for scorer, score in _dict(sample.get("scores")).items():
            value = _dict(score).get("value")
            for question, rating in (value if isinstance(value, dict) else {"": value}).items():
                if rating is None or _is_plain(rating):
                    yield *item, scorer, "model", question, rating, text


def _promptfoo(content: Json) -> Iterator[Rating]:
    """Yield the scores of assertions, or else named scores, of every output.

    The score of a set of assertions is left out: its assertions follow it.
    """
    for result in _dicts(_promptfoo_results(content)):
        provider = _name(result.get("provider"), "label", "id")
        item = result.get("testIdx"), provider, result.get("promptIdx")
        text = _dict(result.get("response")).get("output")
        parts = _dicts(_dict(result.get("gradingResult")).get("componentResults"))
        assertions = [(_dict(part.get("assertion")), part.get("score")) for part in parts]
        seen: dict[tuple[Any, Any], int] = {}
        for about, score in assertions:
            if about:
                kind = "person" if about.get("type") == "human" else "model"
                grader = _name(about.get("provider"), "label", "id") or about.get("type")
                question, rater = about.get("metric") or "", grader or "assertion"
                seen[question, rater] = times = seen.get((question, rater), 0) + 1
                name = rater if times == 1 else f"{rater} {times}"
                yield *item, name, kind, question, score, text
        if not seen:
            for question, score in _dict(result.get("namedScores")).items():
                yield *item, "promptfoo", "model", question, score, text


def _promptfoo_results(content: Json) -> list[Any] | None:
    """Return the results of a file of promptfoo, or of the summary in it."""
    if {"testIdx", "promptIdx"} <= set(content):  # a line of the results
        return [content]
    inner = content.get("results")
    inner = inner.get("results") if isinstance(inner, dict) else inner
    parts = _dicts(inner)
    known = any({"gradingResult", "namedScores"} & set(part) for part in parts)
    return parts if known or (parts == inner == []) else None


_READERS: dict[str, Callable[[Any], Iterator[Rating]]] = {
    "Label Studio": _label_studio,
    "Argilla": _argilla,
    "Inspect": _inspect,
    "promptfoo": _promptfoo,
}


def _log(path: Path, name: str) -> dict[str, Any]:
    """Return an archive of Inspect as the document that it stands for."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = {part.filename: part for part in archive.infolist()}
            header = [part for part in ("header.json", "_journal/start.json") if part in parts][:1]
            wanted = [parts[n] for n in parts if _SAMPLE.fullmatch(n) or n in header]
            if sum(part.file_size for part in wanted) > MOST_BYTES:
                raise _too_large(name)
            packed = [part for part in wanted if part.compress_type == _ZSTD]
            plain = [part for part in wanted if part.compress_type != _ZSTD]
            found = [_parsed(_part(archive, part), name) for part in plain]
            found += _from_zstd(path, packed, name) if packed else []
    except (zipfile.BadZipFile, struct.error, zlib.error, EOFError, OSError):
        raise InputError(f"{name} is a damaged archive.") from None
    except NotImplementedError:
        raise InputError(
            f"{name} is packed in a way that cannot be unpacked here.",
            hint="Convert it with: inspect log convert --to json --output-dir DIRECTORY FILE.",
        ) from None
    about = [part["eval"] for part in _dicts(found) if isinstance(part.get("eval"), dict)]
    samples = [part for part in _dicts(found) if part.get("eval") is None]
    return {"eval": (about or [{}])[0], "samples": samples}


def _part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Return a part of an archive; what it claims about its size need not be true."""
    with archive.open(part) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise zipfile.BadZipFile
    return content


def _from_zstd(path: Path, parts: Sequence[zipfile.ZipInfo], name: str) -> list[dict[str, Any]]:
    """Return what is used of the parts of an archive that zstd packed, which DuckDB unpacks."""
    keys = ("eval", "id", "epoch", "input", "scores")
    chosen = ", ".join(f"json_extract(json, '$.{key}')::VARCHAR" for key in keys)
    largest = max(part.file_size for part in parts) + 1
    with Engine(_UNPACKING) as engine:
        copy = engine.new_path(".zst")
        with temporary_files(name), path.open("rb") as file, copy.open("wb") as target:
            for part in parts:
                file.seek(part.header_offset + 26)  # the lengths of the name and of what follows
                file.seek(sum(struct.unpack("<HH", file.read(4))), 1)
                target.write(file.read(part.compress_size))
        source = literal(engine.allow(copy, name))
        engine.start()
        try:
            rows = engine.query(
                f"SELECT {chosen} FROM read_json_objects({source}, format = 'unstructured', "
                f"compression = 'zstd', maximum_object_size = {largest})"
            )
        except InputError as problem:
            if problem.parameter == "memory_limit":
                raise _too_large(name) from None
            raise zipfile.BadZipFile from None
    return [
        {k: _parsed(v.encode(), name) for k, v in zip(keys, row, strict=True) if v is not None}
        for row in rows
    ]


def _rating_of(value: Any) -> Any:
    """Return the rating in results of Label Studio such as [{"rating": 4}], or the value itself."""
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
        return value
    for key in ("rating", "number"):
        if isinstance(value[0].get(key), int | float):
            return value[0][key]
    choices = value[0].get("choices")
    return choices[0] if isinstance(choices, list) and len(choices) == 1 else value


def _name(value: Any, *keys: str) -> Any:
    """Return who or what an object with some of these keys is, or the value itself."""
    if isinstance(value, dict):
        return next((value[key] for key in keys if value.get(key)), None)
    return value if value != "" else None


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [found for found in value if isinstance(found, dict)] if isinstance(value, list) else []
