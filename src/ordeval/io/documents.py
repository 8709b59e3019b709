"""Exports of annotation and evaluation tools as rows of ratings.

Such a file is one JSON document, or, from Inspect, an archive of several. It is written as text
with commas, a row per rating, which is then read like any other file.
"""

import csv
import gzip
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ..archive import parse_json
from ..errors import InputError, quoted
from ..limits import in_bytes
from .engine import Engine, literal, temporary_files

MOST_BYTES = 2**28  # of a document: Python holds it as a whole, in several times its size
_UNPACKING = "4GB"  # what DuckDB may use to unpack as much: buffers of the largest part per thread
_MOST_LEVELS = 64  # of brackets inside brackets; messages and tool calls in logs have many
_ZIP = b"PK\x03\x04"
_ZSTD = 93  # a method of compression, known to zipfile since Python 3.14 only
_SAMPLE = re.compile(r"samples/[^/]+\.json")
_ARRAY_OF_OBJECTS = re.compile(r"\[\s*[{\]]")
_PROMPTFOO_TABLE = re.compile(r"Status\W+Score\W+Named Scores\b.*\bGrader Reason\b")
EXAMPLE = '{"id": "a1", "ratings": {"anna": 3, "ben": 4}}'  # of JSON lines that can be read

Row = tuple[Any, ...]


class Form(NamedTuple):
    """What an export of a tool holds: its columns, and those that name an item."""

    tool: str
    item: tuple[str, ...]
    columns: tuple[str, ...] = ()
    rater: str = "rater"
    rating: str = "rating"


_COLUMNS = ("rater", "kind", "question", "rating")
LABEL_STUDIO = Form("Label Studio", ("item",), ("item", *_COLUMNS))
# JSON-MIN, csv and tsv have a row per annotation, and a column per question.
LABEL_STUDIO_ROWS = Form("Label Studio", ("id",), rater="annotator")
ARGILLA = Form("Argilla", ("item",), ("item", *_COLUMNS))
INSPECT = Form(
    "Inspect",
    ("sample", "task", "model", "epoch"),
    ("sample", "task", "model", "epoch", *_COLUMNS),
)
PROMPTFOO = Form(
    "promptfoo", ("test", "provider", "prompt"), ("test", "provider", "prompt", *_COLUMNS)
)
RECORDS = Form("", ())
BY_RATER = Form("by rater", ())  # a list of every rater


def is_document(head: str, *, named: bool) -> bool:
    """Whether a text is one JSON document, not a table and not JSON lines.

    Parameters
    ----------
    head : str
        The beginning of the text.
    named : bool
        Whether the name of the file says that it is JSON.

    Returns
    -------
    bool
        True for an array of objects, for an object on several lines, for one of a known tool, and
        for a single one of lists by rater.
    """
    text = head.lstrip("\ufeff \r\n\t")
    if text.startswith("["):
        return named or bool(_ARRAY_OF_OBJECTS.match(text))
    if not text.startswith("{"):
        return False
    first, *rest = text.split("\n", 1)
    try:
        line = json.loads(first)
    except (ValueError, RecursionError):
        # Further objects tell that it is JSON lines, of which the first is damaged.
        return not rest or not rest[0].lstrip().startswith("{")
    if not isinstance(line, dict):
        return False
    # A single object of lists, or of objects, is a table by columns, or by rows.
    alone = not "".join(rest).strip()
    table = len(line) > 1 and alone and all(isinstance(v, dict | list) for v in line.values())
    form = _object_form(line)
    return table or (form is not None and (form != BY_RATER or alone))


def refuse_promptfoo_table(head: str, name: str) -> None:
    """Raise an error for a csv file of promptfoo: it has the sum of the scores of an output."""
    if _PROMPTFOO_TABLE.search(head.split("\n", 1)[0]):
        raise InputError(
            f"{name} is a table of promptfoo, which does not hold the score of every assertion.",
            hint="Write the results with: promptfoo export eval ID --output results.json.",
        )


def is_log_archive(path: Path, start: bytes) -> bool:
    """Whether a file is an archive (.eval) that Inspect wrote."""
    if not start.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(map(_SAMPLE.fullmatch, archive.namelist()))
    except (zipfile.BadZipFile, OSError):
        return False


def document_as_csv(path: Path, name: str, target: Path, *, gzipped: bool) -> Form:
    """Write the ratings of a document as a csv file, and return what it holds."""
    archive = not gzipped and is_log_archive(path, _ZIP)
    content = _log(path, name) if archive else _document(_content(path, name, gzipped), name)
    form, columns, rows = _table(content, name)
    write_rows(target, name, columns, rows)
    return form


def write_rows(target: Path, name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows as a csv file."""
    with (
        temporary_files(name),
        target.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow([_cell(column) for column in columns])
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: Any) -> str:
    """Return a value as it stands in a file: truth values and nested values as in JSON."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\0", "\ufffd")


def _content(path: Path, name: str, gzipped: bool) -> bytes:
    try:
        with gzip.open(path) if gzipped else path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{name} is a damaged or truncated gzip file.") from None
    except OSError as problem:
        raise InputError(f"{name} cannot be read: {problem.strerror or problem}.") from None
    if len(content) > MOST_BYTES:
        raise _too_large(name)
    return content


def _too_large(name: str) -> InputError:
    return InputError(
        f"{name} is a JSON document of more than {in_bytes(MOST_BYTES)}, which is read as a whole.",
        hint=f"Write its ratings as JSON lines, e.g. {EXAMPLE}, which may be of any size.",
    )


def _parsed(content: bytes, name: str) -> Any:
    def refused(reason: str) -> InputError:
        return InputError(f"{name} cannot be read: {reason}.")

    return parse_json(content, refused, levels=_MOST_LEVELS, constants=lambda _: None)


def _document(content: bytes, name: str) -> Any:
    """Return a document; lines of promptfoo stand for the document of its results."""
    first = content.split(b"\n", 1)[0]
    if b'"testIdx"' in first and b'"promptIdx"' in first and first.rstrip().endswith(b"}"):
        lines = [_parsed(line, name) for line in content.splitlines() if line.strip()]
        return lines[0] if len(lines) == 1 and "results" in lines[0] else {"results": lines}
    return _parsed(content, name)


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
    keys = ("eval", "id", "epoch", "scores")
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


def _table(content: Any, name: str) -> tuple[Form, Sequence[str], Iterable[Row]]:
    """Return what a document holds, the columns and the rows."""
    form = _object_form(content) if isinstance(content, dict) else _array_form(content)
    if form is None:
        raise unknown_form(name)
    if form is RECORDS:
        columns = list(dict.fromkeys(chain.from_iterable(content)))
        return form, columns, [tuple(map(row.get, columns)) for row in content]
    if form == BY_RATER:
        return form, *_by_rater(content, name)
    found = list(_READERS[form.tool](content))
    if not any(row[-1] is not None for row in found):
        raise InputError(
            f"{name} is an export of {form.tool} without a rating.",
            hint=f"Expected is {_HOLDS[form.tool]}.",
        )
    return form, form.columns, found


def _by_rater(content: Mapping[str, Any], name: str) -> tuple[list[str], list[Row]]:
    """Return a column per rater."""
    columns = list(content.values())
    if len(set(map(len, columns))) > 1:
        sizes = quoted(f"{rater} ({len(c):,})" for rater, c in content.items())
        raise InputError(
            f"{name} holds lists of different length: {sizes}; a rating per item, or null, is "
            "expected of every rater."
        )
    return list(content), list(zip(*columns, strict=True))


def unknown_form(name: str) -> InputError:
    """Return the error for a file that holds ratings in no known form, if any."""
    return InputError(
        f"{name} is JSON, but holds no ratings in a form that is known: an array of objects, an "
        "object of lists by rater, or an export of Label Studio, Argilla, Inspect or promptfoo.",
        hint=f"Write a JSON object per item and line, e.g. {EXAMPLE}, or a table with a column per "
        "rater.",
    )


def _object_form(content: Mapping[str, Any]) -> Form | None:
    if isinstance(content.get("eval"), dict) and isinstance(content.get("samples"), list):
        return INSPECT
    line = {"testIdx", "promptIdx"} <= set(content)  # of the results as JSON lines
    if line or _promptfoo_results(content) is not None:
        return PROMPTFOO
    # Objects in objects are not read: whether the outer names are those of raters is not known.
    plain = all(
        isinstance(held, list) and held and all(v is None or _is_plain(v) for v in held)
        for held in content.values()
    )
    return BY_RATER if plain and len(content) > 1 else None


def _array_form(content: Any) -> Form | None:
    if not isinstance(content, list) or not content:
        return None
    if not all(isinstance(record, dict) for record in content):
        return None
    first = content[0]
    if any(isinstance(first.get(key), list) for key in ("annotations", "completions")):
        return LABEL_STUDIO
    if any(isinstance(record.get("responses"), dict) for record in content):
        return ARGILLA
    return RECORDS


def _label_studio(tasks: Sequence[Any]) -> Iterator[Row]:
    """Yield the ratings of tasks: of annotations by people, and of predictions by models."""
    keys = {"annotations": "person", "completions": "person", "predictions": "model"}
    for task in _dicts(tasks):
        for key, kind in keys.items():
            for made in _dicts(task.get(key)):
                if made.get("was_cancelled"):
                    continue
                by = made.get("model_version") if kind == "model" else made.get("completed_by")
                for result in _dicts(made.get("result")):
                    rating = rating_of([result.get("value")])
                    if _is_plain(rating):
                        yield task.get("id"), _person(by), kind, result.get("from_name"), rating


def _person(by: Any) -> Any:
    """Return who made an annotation: a number, or an object with a number and an address."""
    if isinstance(by, dict):
        return next((by[key] for key in ("email", "username", "id") if by.get(key)), None)
    return by if by != "" else None


def _argilla(records: Sequence[Any]) -> Iterator[Row]:
    """Yield responses of people and suggestions, from nested records."""
    for record in _dicts(records):
        item = record.get("id")
        for question, given in _as_dict(record.get("responses")).items():
            for response in _dicts(given):
                if response.get("status") in (None, "submitted"):
                    yield from _argilla_row(
                        item, response.get("user_id"), "person", question, response
                    )
        for question, suggested in _as_dict(record.get("suggestions")).items():
            agent = _as_dict(suggested).get("agent") or "suggestion"
            yield from _argilla_row(item, agent, "model", question, _as_dict(suggested))


def _argilla_row(
    item: Any, rater: Any, kind: str, question: str, given: Mapping[str, Any]
) -> Iterator[Row]:
    if _is_plain(given.get("value")):
        yield item, rater, kind, question, given["value"]


def _inspect(log: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the scores of samples; a scorer is a rater, a score of several parts has questions."""
    about = _as_dict(log.get("eval"))
    for sample in _dicts(log.get("samples")):
        place = sample.get("id"), about.get("task"), about.get("model"), sample.get("epoch")
        for scorer, score in _as_dict(sample.get("scores")).items():
            value = _as_dict(score).get("value")
            parts = value if isinstance(value, dict) else {"": value}
            for question, rating in parts.items():
                if rating is None or _is_plain(rating):
                    yield *place, scorer, "model", question, rating


def _promptfoo_results(content: Mapping[str, Any]) -> list[Any] | None:
    """Return the results of a file of promptfoo, or of the summary in it."""
    inner = content.get("results")
    if isinstance(inner, dict) and isinstance(inner.get("results"), list):
        return list(inner["results"])
    if not isinstance(inner, list) or not all(isinstance(found, dict) for found in inner):
        return None
    known = any({"gradingResult", "namedScores"} & set(found) for found in inner)
    return inner if known else None


def _promptfoo(content: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the scores of assertions, or else named scores, of every output.

    The score of a set of assertions is left out: its assertions follow it.
    """
    for result in _dicts(_promptfoo_results(content)):
        place = result.get("testIdx"), _name_of(result.get("provider")), result.get("promptIdx")
        graded = _as_dict(result.get("gradingResult"))
        parts = [part for part in _dicts(graded.get("componentResults")) if part.get("assertion")]
        graders = [_grader(_as_dict(part.get("assertion"))) for part in parts]
        for i, (part, grader) in enumerate(zip(parts, graders, strict=True)):
            about = _as_dict(part.get("assertion"))
            kind = "person" if about.get("type") == "human" else "model"
            same = [g for g, p in zip(graders, parts, strict=True) if _metric(p) == _metric(part)]
            rater = grader if same.count(grader) == 1 else f"{grader} {i + 1}"
            yield *place, rater, kind, _metric(part), part.get("score")
        if not parts:
            for question, score in _as_dict(result.get("namedScores")).items():
                yield *place, "promptfoo", "model", question, score


def _metric(part: Mapping[str, Any]) -> Any:
    return _as_dict(part.get("assertion")).get("metric") or ""


def _grader(assertion: Mapping[str, Any]) -> str:
    return _name_of(assertion.get("provider")) or str(assertion.get("type") or "assertion")


def _name_of(provider: Any) -> str:
    """Return the name of a provider: a text, or an object with a label and an id."""
    found = _as_dict(provider)
    return str(found.get("label") or found.get("id") or "") if found else str(provider or "")


_READERS: dict[str, Callable[[Any], Iterator[Row]]] = {
    "Label Studio": _label_studio,
    "Argilla": _argilla,
    "Inspect": _inspect,
    "promptfoo": _promptfoo,
}
_HOLDS = {
    "Label Studio": "annotations[].result[].value with a rating, a number or one choice",
    "Argilla": 'responses such as {"quality": [{"user_id": "u1", "value": 4}]}',
    "Inspect": 'samples[].scores such as {"judge": {"value": 4}}',
    "promptfoo": "results[].gradingResult.componentResults[].score, or namedScores",
}


def argilla_questions(columns: Sequence[str]) -> list[str]:
    """Return the questions of a flat export of Argilla, which has three columns for each."""
    known = set(columns)
    ends = [c.removesuffix(".responses") for c in columns if c.endswith(".responses")]
    return [question for question in ends if f"{question}.responses.users" in known]


def argilla_columns(question: str) -> tuple[str, ...]:
    """Return the columns of a question in a flat export of Argilla."""
    ends = ("responses", "responses.users", "responses.status", "suggestion", "suggestion.agent")
    return tuple(f"{question}.{end}" for end in ends)


def argilla_rows(rows: Iterable[Row], question: str, name: str) -> Iterator[Row]:
    """Yield ratings from rows of (item, responses, users, status, suggestion, agent)."""
    for item, values, users, status, suggestion, agent in rows:
        lists = [_argilla_list(text, name) for text in (values, users, status)]
        for i, value in enumerate(lists[0]):
            user, state = (part[i] if i < len(part) else None for part in lists[1:])
            if state in (None, "submitted") and _is_plain(value):
                yield item, user, "person", question, value
        if suggestion is not None:
            yield item, agent or "suggestion", "model", question, suggestion


def _argilla_list(text: str | None, name: str) -> list[Any]:
    """Return a cell that holds a list in JSON; an empty one holds none."""
    try:
        found = json_cell(text, name)
    except InputError as problem:
        raise InputError(
            f"{problem.message} Argilla does not write lists as JSON into csv files.",
            hint="Write the records with to_json, or with to_datasets as parquet or JSON lines.",
        ) from None
    return found if isinstance(found, list) else []


def json_cell(text: str | None, name: str) -> Any:
    """Return a cell that holds a list or an object in JSON; None for an empty one."""
    if text is None or not text.strip():
        return None
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise InputError(
            f"{name}: {quoted([text[:60]])} is neither a list nor an object in JSON.",
            parameter="rating",
            hint='Write the ratings of an item as [3, 4, null] or {"anna": 3, "ben": 4}.',
        ) from None


def rating_of(value: Any) -> Any:
    """Return the rating in results of Label Studio such as [{"rating": 4}], or the value itself."""
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
        return value
    found = value[0]
    for key in ("rating", "number"):
        if isinstance(found.get(key), int | float):
            return found[key]
    choices = found.get("choices")
    return choices[0] if isinstance(choices, list) and len(choices) == 1 else value


def rating_in_cell(text: str) -> Any:
    """Return the rating in a cell with results of Label Studio, or the text itself."""
    if not text.startswith("[{"):
        return text
    try:
        found = rating_of(json.loads(text))
    except (ValueError, RecursionError):
        return text
    return found if _is_plain(found) else text


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [found for found in value if isinstance(found, dict)] if isinstance(value, list) else []
