"""Every bad input is refused with an error that says what is wrong and what to do.

`bad_input.txt` is the table: a name, the parameter that the error is about, perhaps files (text, or
after <= an expression), then a Python call or a command, and the words of the message. After a
change that is meant, set ORDEVAL_UPDATE_SNAPSHOTS=1 to write the words anew, and read the
difference.
"""

import gzip
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cli_files
import ordeval as oe
import ordeval.cli.run
from cli_files import STANDARD, write_files

TABLE = Path(__file__).with_name("bad_input.txt")
_CASE = re.compile(r"## (.+?)(?: \[(\w+)\])?\n((?:\S+ <[-=] .*\n)*)((?:>>>|\$) .*)\n", re.MULTILINE)
NAMES: dict[str, Any] = {  # for calls, and for contents of files after "<="
    **vars(cli_files),
    "gzip": gzip,
    "oe": oe,
    "np": np,
    "pd": pd,
    "pl": pl,
    "pa": pa,
    "duckdb": duckdb,
    "count": oe.Counts.from_labels,
    "ordered": lambda *words: pd.Categorical(words[:2], categories=words, ordered=True),
    "LONG": list(range(1, 6)) * 20_000,
    "SIZES": ["low", "medium", "high"],
    "FIVE": [1, 2, 3, 4, 5] * 8,
}


@dataclass(frozen=True)
class Case:
    """A row of the table."""

    name: str
    parameter: str
    files: str
    call: str
    words: str

    def __str__(self) -> str:
        parameter = f" [{self.parameter}]" if self.parameter else ""
        return f"## {self.name}{parameter}\n{self.files}{self.call}\n{self.words}\n"

    def write(self, folder: Path) -> None:
        """Write the standard files, and those of the row."""
        write_files(folder, STANDARD)
        for name, sign, text in (line.split(" ", 2) for line in self.files.splitlines()):
            content = eval(text, NAMES) if sign == "<=" else text.replace("\\n", "\n")
            write_files(folder, {name: content})


def table() -> list[Case]:
    """Read all rows."""
    found = list(_CASE.finditer(text := TABLE.read_text(encoding="utf-8")))
    ends = [*(case.start() for case in found[1:]), len(text)]
    rows = (
        (*case.groups(""), text[case.end() : end]) for case, end in zip(found, ends, strict=True)
    )
    return [Case(*parts, words.rstrip("\n")) for *parts, words in rows]


def _same_words(case: Case, words: str) -> None:
    """Compare the words with the table, or write them there."""
    if os.environ.get("ORDEVAL_UPDATE_SNAPSHOTS"):
        rows = [replace(row, words=words) if row.name == case.name else row for row in table()]
        TABLE.write_text("\n".join(map(str, rows)), encoding="utf-8")
    else:
        assert words == case.words


CASES = table()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("case", [c for c in CASES if c.call[0] == ">"], ids=lambda c: c.name)
def test_a_call_is_refused(case: Case, folder: Path) -> None:
    case.write(folder)
    with pytest.raises(oe.InputError) as caught:
        eval(case.call[4:], NAMES)
    error = caught.value
    assert (error.parameter or "") == case.parameter
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    assert not set(re.findall(r"\{\w+\}", str(error))) - set(re.findall(r"\{\w+\}", case.call))
    _same_words(case, str(error))


@pytest.mark.parametrize("case", [c for c in CASES if c.call[0] == "$"], ids=lambda c: c.name)
def test_a_command_is_refused(
    case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case.write(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    problems, report = [], ordeval.cli.run._report

    def kept(problem: Exception, args: Any) -> int:
        problems.append(problem)
        return report(problem, args)

    monkeypatch.setattr(ordeval.cli.run, "_report", kept)
    code = ordeval.cli.main(shlex.split(case.call)[2:])
    done = capsys.readouterr()
    assert (code, done.out) == (2, "")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    [problem] = problems
    option = getattr(getattr(problem, "param", None), "name", None)
    assert (getattr(problem, "parameter", option) or "") == case.parameter
    _same_words(case, done.err.rstrip("\n"))


def test_messages_are_short_plain_and_unlike() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        assert len(case.words) <= 1200, case.name
        assert case.words.count("\n") < 7, case.name
        assert not re.search(r"Traceback|\x1b|fault in ordeval", case.words), case.name


NOTED: dict[str, Callable[[], oe.Result]] = {  # by the kind of a warning
    "roles": lambda: evaluated(frequency=[90, 10]),  # a column that is called like a role
    "ids": lambda: evaluated(id=[1, 1]),
    "shifted": lambda: oe.evaluate(np.arange(60) % 5 + 1, np.arange(60) % 5, draws=0),
    "percentages": lambda: oe.evaluate([[80, 16, 4], [20, 67, 13], [3, 24, 73]], draws=0),
}


def evaluated(**columns: list[Any]) -> oe.Result:
    return oe.evaluate(data=pd.DataFrame({"gold": [1, 2], "a": [1, 1], **columns}), draws=0)


@pytest.mark.parametrize("kind", NOTED)
def test_what_may_be_a_mistake_is_said(kind: str) -> None:
    assert (kind, "warning") in {(note.kind, note.level) for note in NOTED[kind]().notes}
    assert kind not in {note.kind for note in evaluated().notes}


SCALES = [
    *([1, 2, 5, 10, 20, 50], [3, 13, 14, 15], [0, 25, 50, 75, 100], [1, 2, 3, 9], [0, 1, 2, 8]),
    *([1, 3, 9], [1, 2, 4, 8, 16], [1, 2, 3, 5, 8, 13], [1, 2, 3, 5, 8, 13, 20, 40, 100]),
    *([0, 7, 8, 9, 10], [-3, -2, -1, 1, 2, 3], [-1, 1], [-1, 1, 2], [-10, 0, 10, 20, 30]),
    *([1, 10], [1, 2, 10], [3], [1, 2, 3, 4, 6, 7, 11], [0, 5, 10], [0, 1, 2, 4], [7, 8, 9, 0]),
    *(range(101), range(0, 101, 10), range(2, 13), range(18, 91), range(1990, 2021)),
]


@pytest.mark.parametrize("classes", SCALES, ids=str)
def test_a_legitimate_scale_is_taken_or_what_is_suggested_works(classes: Any) -> None:
    gold = np.resize(classes, 8 * len(classes))
    suggested: dict[str, Any] = {}
    try:
        oe.score(gold, gold, "mae")
    except oe.InputError as error:
        suggested = error.suggest
    assert "na" not in suggested
    assert oe.score(gold, gold, "mae", **suggested) == 0


def test_what_is_suggested_for_a_code_works() -> None:
    gold, pred = NAMES["FIVE"], [99, *NAMES["FIVE"][1:]]
    with pytest.raises(oe.InputError) as caught:
        oe.score(gold, pred, "mae")
    assert oe.score(gold, pred, "mae", na=caught.value.suggest["na"], missing="skip") == 0
    assert oe.score(gold, pred, "mae", labels=caught.value.suggest["labels"]) > 0


HUGE: dict[str, Any] = {
    "word": "x" * 10**5,
    "list": NAMES["LONG"],
    "words": ["x" * 10**5, "b"] * 50,
    "array": np.asarray(NAMES["LONG"], dtype=float) / 7,
    "square": np.ones((400, 400)),
    "mapping": {f"system {i}": [1, 2, 3] for i in range(3000)},
    "frame": pd.DataFrame({f"c{i}": ["u", "v"] for i in range(500)}),
    "none": None,
    "number": 10**4000,
}


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(HUGE)),
    st.sampled_from(sorted(HUGE)),
    st.sampled_from(["labels", "values", "measures", "missing", "na", "topic", "weight"]),
    st.sampled_from(sorted(HUGE)),
)
def test_no_message_is_long(gold: str, pred: str, option: str, value: str) -> None:
    options = {"measures": "mae", "draws": 0, option: HUGE[value]}
    message = ""
    try:
        oe.evaluate(HUGE[gold], HUGE[pred], **options)
    except oe.InputError as error:
        message = str(error)
    assert len(message) <= 2000
    assert message.count("\n") < 20
