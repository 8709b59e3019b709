"""Mutated files against a plain reading in Python: the same counts, or a refusal."""

import csv
import gzip
import io
import json
import random
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ordeval import InputError, read
from ordeval.data.classes import MISSING_WORDS

from ..driver import Broken, Case
from .mutation import mutated

_LABELS = [1, 2, 3]
_CELLS = ("1", "2", "3", " 2", "3.0", "1 ", "2e0", "", "NA", "null")
_TEXTS = (
    "",
    "a",
    "a,b",
    'say "hi"',
    "two\nlines",
    "two\r\nlines",
    "tab\t",
    "é🙂",
    "'",
    "\\",
    "x" * 100,
)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_SIGNS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xef\xbb\xbf": "utf-8-sig",
}
_SIGNS |= {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def draw(rng: random.Random) -> Case:
    """Return a file, mutated in two of three cases."""
    kind = rng.choice(("csv", "csv", "csv", "tsv", "jsonl", "jsonl", "parquet", "xlsx"))
    delimiter = rng.choice(",;|") if kind == "csv" else "\t"
    missing = rng.choice(("error", "skip"))
    rows = _rows(rng, gaps=missing == "skip" or rng.random() < 0.1)
    content = _WRITERS.get(kind, _delimited)(rows, delimiter, rng)
    changes = rng.choice((0, 1, 1, 2, 4)) if kind != "xlsx" else rng.choice((0, 1))
    for _ in range(changes):
        content = mutated(content, rng)
    packed = kind in ("csv", "jsonl") and rng.random() < 0.15
    content = gzip.compress(content, mtime=0) if packed else content
    if packed and rng.random() < 0.3:
        content = mutated(content, rng)
    return {
        "kind": f"{kind}{'.gz' if packed else ''}{' mutated' if changes else ''}",
        "ending": f".{kind}{'.gz' if packed else ''}",
        "delimiter": delimiter,
        "missing": missing,
        "content": content.decode("latin-1"),
    }


def _rows(rng: random.Random, *, gaps: bool) -> list[dict[str, str]]:
    """Return rows of labels, of which some are missing, and of a text."""
    cells = _CELLS if gaps else _CELLS[:7]
    return [
        {"gold": rng.choice(cells), "text": rng.choice(_TEXTS), "pred": rng.choice(cells)}
        for _ in range(rng.randrange(1, 12))
    ]


def _delimited(rows: list[dict[str, str]], delimiter: str, rng: random.Random) -> bytes:
    out, tabbed = io.StringIO(newline=""), delimiter == "\t"
    quoting: Any = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    names = rng.sample(("gold", "text", "pred"), 3)
    plain = [[row[name].replace("\t", " ").replace('"', "") for name in names] for row in rows]
    every = [names, *(plain if tabbed else [[row[name] for name in names] for row in rows])]
    if rng.random() < 0.15:  # ragged, blank or repeated
        every.insert(rng.randrange(len(every)), rng.choice(([], ["1"], ["1"] * 4, names)))
    writer.writerows(every)
    text = out.getvalue()
    if rng.random() < 0.1:
        text = text.replace(end, rng.choice(("\n", "\r\n", "\r")), 1)
    return text.encode(
        rng.choice(("utf-8",) * 5 + ("utf-8-sig", "utf-16", "utf-16-le", "latin-1")), "replace"
    )


def _json_lines(rows: list[dict[str, str]], delimiter: str, rng: random.Random) -> bytes:
    def value(cell: str) -> Any:
        number = re.fullmatch(r"\d", cell) and rng.random() < 0.5
        return int(cell) if number else None if cell == "null" else cell

    lines = []
    for row in rows:
        items = [(name, value(cell)) for name, cell in row.items()]
        items += [rng.choice(items)] if rng.random() < 0.05 else []  # a key twice
        rng.shuffle(items)
        inside = ", ".join(
            f"{json.dumps(n)}: {json.dumps(v, ensure_ascii=rng.random() < 0.5)}" for n, v in items
        )
        lines.append(f"{{{inside}}}")
    text = rng.choice(("\n", "\n", "\r\n", "\n\n")).join(lines) + rng.choice(("\n", ""))
    return text.encode(rng.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16")))


def _parquet(rows: list[dict[str, str]], delimiter: str, rng: random.Random) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = pa.BufferOutputStream()
    codec = rng.choice(("none", "snappy", "zstd", "gzip"))
    pq.write_table(pa.Table.from_pylist(rows), out, compression=codec, store_schema=False)
    return bytes(out.getvalue())


def _workbook(rows: list[dict[str, str]], delimiter: str, rng: random.Random) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(["gold", "text", "pred"])
    for row in rows:
        sheet.append([float(c) if re.fullmatch(r"\d", c) else c for c in row.values()])
    out = io.BytesIO()
    book.save(out)
    return _without_times(out)


def _without_times(archive: io.BytesIO) -> bytes:
    """Return a workbook that does not tell when it was made."""
    out = io.BytesIO()
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2026-01-01T00:00:00Z", old.read(name))
            new.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


_WRITERS = {"jsonl": _json_lines, "parquet": _parquet, "xlsx": _workbook}


def check(case: Case) -> str:
    """Count a file with ordeval and by a plain reading, and compare."""
    content = case["content"].encode("latin-1")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{case['ending']}"
        path.write_bytes(content)
        try:
            ours = _counted(path, case)
        except InputError as error:
            if len(str(error)) > 2500 or str(error).count("\n") > 20:
                raise Broken("a message of over 2,500 characters or 20 lines") from None
            return "refused"
        try:
            plain = _plain(content, path, case)
        except (ValueError, csv.Error, OSError, EOFError) as problem:
            if case["ending"] == ".parquet":  # damaged pages that one library forgives
                return "read, not by Arrow"
            raise Broken(f"read, but not by Python: {type(problem).__name__}: {problem}") from None
    if ours != plain:
        raise Broken(f"counts differ: {sorted(ours.items())}, plain {sorted(plain.items())}")
    return "read"


def _counted(path: Path, case: Case) -> Counter[tuple[int, int]]:
    text = case["ending"].startswith((".csv", ".tsv"))
    items = read(
        path,
        pred="pred",
        labels=_LABELS,
        missing=case["missing"],
        delimiter=case["delimiter"] if text else None,
    )
    table = items.counts().table.reshape(3, 3)
    cells = {(g, p): int(table[g - 1, p - 1]) for g in _LABELS for p in _LABELS}
    return Counter({cell: n for cell, n in cells.items() if n})


def _plain(content: bytes, path: Path, case: Case) -> Counter[tuple[int, int]]:
    """Count the rows as Python's own readers give them."""
    found: Counter[tuple[int, int]] = Counter()
    for gold, pred in _pairs(content, path, case):
        if _is_missing(gold) or _is_missing(pred):  # such a row is left out as a whole
            if case["missing"] == "error":
                raise ValueError("a label is missing")
        else:
            found[_label(gold), _label(pred)] += 1
    return found


def _is_missing(cell: Any) -> bool:
    return cell is None or str(cell).strip() in MISSING_WORDS


def _label(cell: Any) -> int:
    """Return the label of a cell, as the documentation says."""
    word = str(cell).strip()
    if _NUMBER.fullmatch(word) and float(word) in _LABELS:
        return int(float(word))
    raise ValueError(f"{word[:50]!r} is no label")


def _pairs(content: bytes, path: Path, case: Case) -> Iterator[tuple[Any, Any]]:
    ending = case["ending"]
    if ending == ".parquet":
        import pyarrow.parquet as pq

        rows = pq.read_table(path).to_pylist()
        yield from ((row["gold"], row["pred"]) for row in rows)
    elif ending == ".xlsx":
        import openpyxl

        sheet: Any = openpyxl.load_workbook(path).worksheets[0]
        header, *cells = [row for row in sheet.iter_rows(values_only=True) if any(row)]
        header = [str(name).strip() for name in header]
        yield from ((row[header.index("gold")], row[header.index("pred")]) for row in cells)
    else:
        text = _text(content)
        yield from _json_pairs(text) if "json" in ending else _csv_pairs(text, case)


def _text(content: bytes) -> str:
    data = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    codec = next((c for sign, c in _SIGNS.items() if data.startswith(sign)), "utf-8")
    return data.decode(codec)


def _json_pairs(text: str) -> Iterator[tuple[Any, Any]]:
    for line in text.split("\n"):
        if line.strip():
            row = json.loads(line)
            yield row.get("gold"), row.get("pred")


def _csv_pairs(text: str, case: Case) -> Iterator[tuple[str, str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=case["delimiter"])
    rows = [row for row in reader if row]
    header = [name.strip() for name in rows[0]]
    if header.count("gold") != 1 or header.count("pred") != 1:
        raise ValueError("no header")
    for row in rows[1:]:
        if len(row) != len(header) and row[len(header) :] != [""]:  # a last delimiter is forgiven
            raise ValueError("ragged rows")
        yield row[header.index("gold")], row[header.index("pred")]
