"""Hostile names of systems, topics and labels in every form of output: the output still parses."""

import csv
import io
import json
import random
import re
import tempfile
import warnings
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import ordeval as oe
from ordeval import InputError
from ordeval.formatting import one_line

from ..driver import Broken, Case
from .mutation import HOSTILE, mutated_text

_LABELS, _SYSTEMS, _TOPICS = ["low", "mid", "high"], ["A", "B"], ["x", "y", "z"]
_GOLD, _A = [0, 1, 2, 2, 1, 0, 1, 2, 0, 1, 1, 2], [0, 1, 2, 1, 1, 0, 2, 2, 0, 1, 0, 2]
_B, _OF_TOPIC = [1, 1, 2, 2, 0, 0, 1, 0, 0, 2, 1, 2], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
_COMMAND = re.compile(r"\\[a-zA-Z]+")
_FORMATS = ("text", "markdown", "latex", "csv", "json", "summary", "archive")


def draw(rng: random.Random) -> Case:
    """Return names of labels, systems and topics; some are hostile."""

    def some(usual: list[str]) -> list[str]:
        return [_name(rng) if rng.random() < 0.4 else name for name in usual]

    form = "html" if rng.random() < 0.03 else rng.choice(_FORMATS)
    return {
        "kind": form,
        "labels": some(_LABELS),
        "systems": some(_SYSTEMS),
        "topics": some(_TOPICS),
    }


def _name(rng: random.Random) -> str:
    name = rng.choice(HOSTILE)
    return (
        mutated_text(name, rng)
        if rng.random() < 0.3
        else name + rng.choice(("", rng.choice(HOSTILE)))
    )


def _result(labels: list[str], systems: list[str], topics: list[str]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return oe.compare(
            [labels[i] for i in _GOLD],
            {systems[0]: [labels[i] for i in _A], systems[1]: [labels[i] for i in _B]},
            topic=[topics[i] for i in _OF_TOPIC],
            labels=labels,
            measures="mae, qwk",
            draws=20,
            trials=50,
        )


def check(case: Case) -> str:
    """Write a result with these names, and read the output."""
    names = [case[key] for key in ("labels", "systems", "topics")]
    if [len(x) for x in names] != [3, 2, 3] or any(len(set(x)) < len(x) for x in names):
        return "not tried"
    try:
        result = _result(*names)
    except InputError:
        return "refused"
    globals()[f"_check_{case['kind']}"](result, case)
    return "parsed"


def _check_text(result: Any, case: Case) -> None:
    for line in result.to_text().split("\n"):
        if any(not (c.isprintable() or c == "\xa0") for c in line):
            raise Broken(f"unprintable characters in text: {line!r}")


def _check_summary(result: Any, case: Case) -> None:
    result.summary()


def _check_markdown(result: Any, case: Case) -> None:
    cells = set[int]()
    for line in result.to_markdown().split("\n"):
        if line.startswith("|"):
            cells.add(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)))
        elif cells:
            if len(cells) > 1:
                raise Broken("rows of a Markdown table have different numbers of cells")
            cells = set()


def _check_latex(result: Any, case: Case) -> None:
    lines = (line for line in result.to_latex().splitlines() if not line.startswith("%"))
    text = re.sub(r"\\[\\{}%&#$_]", "", "\n".join(lines))  # comments are not typeset
    if text.count("{") != text.count("}"):
        raise Broken("unbalanced braces in LaTeX")
    ours = {"\\ldots", "\\medskip", "\\char"}  # for long names, and quotes
    ours |= {
        "\\small",
        "\\setlength",
        "\\tabcolsep",
        "\\scriptsize",
        "\\makebox",
    }  # for wide tables
    known = {*re.findall(_COMMAND, _plain_latex()), *ours}
    foreign = {c for c in re.findall(_COMMAND, text) if not c.startswith("\\text")} - known
    if foreign or text.count("\\begin") != text.count("\\end"):
        raise Broken(f"commands in LaTeX out of names: {sorted(foreign)}")


@cache
def _plain_latex() -> str:
    return str(_result(_LABELS, _SYSTEMS, _TOPICS).to_latex())


def _check_csv(result: Any, case: Case) -> None:
    rows = list(csv.reader(io.StringIO(result.to_csv(), newline=""), strict=True))
    if len({len(row) for row in rows}) != 1:
        raise Broken("rows of CSV have different lengths")
    at = rows[0].index("system")
    found = {row[at].removeprefix("'") for row in rows[1:]}  # before what looks like a formula
    if found != {one_line(name).removeprefix("'") for name in case["systems"]}:
        raise Broken(f"systems in CSV: {sorted(found)}")


def _check_json(result: Any, case: Case) -> None:
    data = json.loads(result.to_json())
    scores = data["scores"]
    labels = scores["scale"]["labels"]
    if set(scores["systems"]) != set(case["systems"]) or labels != case["labels"]:
        raise Broken("names in JSON are not those that were given")


def _check_archive(result: Any, case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        result.to_json(path)
        if oe.load(path) != result:
            raise Broken("the archive is not read back as itself")


class _Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if (dict(attrs).get("href") or "").startswith("#"):
            return  # names that look alike share their links within the page
        self.found[tag, tuple(sorted(name for name, _ in attrs))] += 1


@cache
def _plain_page() -> Counter[tuple[str, tuple[str, ...]]]:
    return _Elements(_result(_LABELS, _SYSTEMS, _TOPICS).to_html()).found


def _check_html(result: Any, case: Case) -> None:
    found, plain = _Elements(result.to_html()).found, _plain_page()
    if new := set(found) - set(plain):
        raise Broken(f"elements out of names: {sorted(new)[:5]}")
    scripts = {key: n for key, n in found.items() if key[0] in ("script", "style", "img", "a")}
    if scripts != {key: n for key, n in plain.items() if key in scripts}:
        raise Broken("another number of scripts, styles, pictures or links")
