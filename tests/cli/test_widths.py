"""Text fits the terminal, and loses no figure."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from cli_files import Ordeval
from ordeval.formatting import decimals

WIDTHS = (60, 80, 200)
NAMES = {
    2: ["a", "another-system-with-a-rather-long-name-of-fifty-columns"],
    4: ["模型一", "模型二号的名字很长很长很长很长很长", "🦊🦊🦊", "d"],
    12: [f"a-name-that-is-longer-than-the-others-{i}-because-of-its-end" for i in range(12)],
    37: [f"run-{i:02}" for i in range(37)],
}


def write_table(path: Path, names: list[str], topics: int = 6) -> None:
    """A table with a column per system, some better than others."""
    rng = np.random.default_rng(len(names))
    gold = rng.integers(1, 6, 120)
    columns = [np.clip(gold + rng.integers(-1 - i % 3, 2 + i % 2, 120), 1, 5) for i in range(37)]
    lines = [",".join(["topic", "gold", *names])]
    for i, label in enumerate(gold):
        lines.append(
            ",".join(map(str, [i % topics, label, *(c[i] for c in columns[: len(names)])]))
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def figures(data: Any) -> Iterator[float]:
    """All figures in plain data."""
    if isinstance(data, float):
        yield data
    elif isinstance(data, list | dict):
        for part in data.values() if isinstance(data, dict) else data:
            yield from figures(part)


def missing(wanted: Iterable[float], text: str) -> list[float]:
    """The numbers that a text does not have, with as many decimals as their error bears out."""
    shown = set(re.findall(r"\d+\.\d+|–", text))
    forms = {value: {decimals(abs(value), digits) for digits in (1, 2, 3, 4)} for value in wanted}
    return [value for value, texts in forms.items() if not texts & shown]


def too_wide(text: str, width: int) -> list[str]:
    return [line for line in text.splitlines() if cell_len(line) > width]


@pytest.mark.parametrize("systems", NAMES)
@pytest.mark.parametrize("command", ["score", "compare"])
def test_tables_fit_and_have_all_scores_and_intervals(
    command: str, systems: int, tmp_path: Path, ordeval: Ordeval, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "wide.csv", NAMES[systems])
    measures = "qwk, mae, cem, accuracy, macro_f1, kendall_b"
    options = ("wide.csv", "--topic", "topic", "--labels", "1..5", "--measures", measures)
    options += ("--primary", "qwk", *(("--trials", "99") if command == "compare" else ()))
    known = json.loads(ordeval(command, *options, "--format", "json").out)
    ends = [known["intervals"][end][:1] for end in ("low", "high")]  # the primary measure is first
    wanted = list(figures([known["scores"]["values"], *ends]))
    assert len(wanted) > 3 * systems
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        text = ordeval(command, *options).out
        assert too_wide(text, width) == []
        assert missing(wanted, text) == []


@pytest.mark.parametrize("systems", [4, 12])
def test_tables_of_pairs_fit_and_have_all_figures(
    systems: int, tmp_path: Path, ordeval: Ordeval, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "wide.csv", NAMES[systems])
    options = ("wide.csv", "--topic", "topic", "--labels", "1..5", "--trials", "99")
    options += ("--measures", "qwk, mae", "--tables", "anova,pairs")
    known = json.loads(ordeval("compare", *options, "--format", "json").out)["tests"]
    wanted = [value for value in figures(known["difference"][0]) if value]
    wanted += [value for value in figures(known["effect"][0]) if abs(value) >= 0.005]
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        text = ordeval("compare", *options).out
        assert too_wide(text, width) == []
        assert missing(wanted, text) == []


OTHERS = [
    ("demo", "--no-report"),
    ("measures",),
    ("measures", "kappa"),
    ("measures", "oc"),
    ("axioms", "cem", "qwk", "mae"),
    ("axioms", "nmd", "rnod"),
    ("meta", "wide.csv", "--topic", "topic", "--labels", "1..5", "--resamples", "20",
     "--mean-splits", "20", "--trials", "20"),
    ("quantify", "wide.csv", "--from-labels", "--topic", "topic", "--labels", "1..5",
     "--tables", "main,pairs"),
    ("compare", "wide.csv", "--labels", "1..5", "--pred", "模型一,d", "--against", "d",
     "--margin", "0.1"),
    ("agreement", "wide.csv", "--raters", "模型一,d", "--labels", "1..5", "--draws", "50",
     "--tables", "main,shares,pairs,disputed"),
    ("judge", "wide.csv", "--people", "gold,模型一", "--models", "d", "--labels", "1..5",
     "--draws", "50", "--by", "topic", "--tables",
     "main,measures,people,pairs,test,bias,slices,items"),
]  # fmt: skip


@pytest.mark.parametrize("args", OTHERS, ids=" ".join)
def test_every_command_fits(
    args: tuple[str, ...], tmp_path: Path, ordeval: Ordeval, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "wide.csv", NAMES[4])
    for width in (40, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        done = ordeval(*args)
        assert done.code == 0, done.err
        wide = [line for line in too_wide(done.out, width) if not is_one_argument(line)]
        assert wide == []


def is_one_argument(line: str) -> bool:
    """Whether a line of a command holds an option and its value, which cannot be broken."""
    words = line.strip().removesuffix(" \\")
    return words.startswith("--") and len(shlex.split(words)) <= 2
