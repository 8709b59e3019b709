"""Tables and sentences fit any width, and lose nothing."""

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from ordeval.report.layout import command_lines, shortened, text_width, wrapped
from ordeval.report.writers import RichTable, to_text, written
from ordeval.table import Heading, Table, figure, numeric, table, words

TEXT = st.text(st.sampled_from("ab-_ 模型🦊é|,"), max_size=60)


def made(names: list[str], columns: int) -> Table:
    """A table of scores by system and measure, each with its own four decimals."""
    rows = [
        [words(name), *(figure((i * columns + j) / 1e4) for j in range(columns))]
        for i, name in enumerate(names)
    ]
    return table([Heading("system"), *numeric(*(f"measure {j} ↑" for j in range(columns)))], rows)


@given(TEXT, st.integers(12, 90))
def test_wrapped_text_fits_and_keeps_its_characters(text: str, width: int) -> None:
    lines = wrapped(text, width, "  ")
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.lists(TEXT.filter(lambda text: "…" not in text), unique=True), st.integers(12, 40))
def test_shortened_names_stay_different(names: list[str], limit: int) -> None:
    short = shortened(names, limit)
    assert len(set(short.values())) == len(names)
    assert all(cell_len(name) <= limit for name in short.values())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(TEXT, min_size=1, max_size=40, unique=True),
    st.integers(1, 12),
    st.integers(40, 120),
)
def test_tables_fit_and_keep_their_figures(names: list[str], columns: int, width: int) -> None:
    shown = made(names, columns)
    text = to_text(shown, width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert all(cell.text in text for row in shown.rows for cell in row[1:])


def test_the_form_with_fewer_blocks_is_shown() -> None:
    few, many = to_text(made(["a", "b"], 30), 80), to_text(made(list("abcdefghijkl"), 5), 80)
    assert few.count("───\n") == 1
    assert "measure 29 ↑" in few.splitlines()[-1]  # turned: the measures are rows
    assert many.splitlines()[-1].startswith("l ")


def test_names_that_are_shortened_are_said_to_be() -> None:
    long = ["x" * 70 + end for end in "ab"]
    assert "Names are shortened" in to_text(made(long, 3), 60)
    assert "Names are shortened" not in to_text(made(long, 3), 200)


def test_two_hundred_systems_take_one_row_each() -> None:
    lines = to_text(made([f"run-{i}" for i in range(200)], 4), 80).splitlines()
    assert len(lines) == 202


@pytest.mark.parametrize("width", [40, 70, 80])
def test_commands_can_be_copied(width: int) -> None:
    command = (
        "echo 'it'\"'\"'s a  folder/x.csv' --measures \"cem, qwk\" --labels poor,fair,good,great"
    )
    lines = command_lines(command, width, "  ")
    assert all(len(line) <= width for line in lines)
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{' '.join(shlex.split(command)[1:])}\n"


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "123")
    assert text_width() == text_width(terminal=False) == 123
    for nothing in ("", "0", "-3", "wide"):
        monkeypatch.setenv("COLUMNS", nothing)
        assert text_width(terminal=False) == 80
    monkeypatch.setenv("COLUMNS", "3")
    assert text_width() == 20


def test_rich_prints_the_same_figures() -> None:
    shown, console = made([f"run-{i}" for i in range(9)], 12), Console(width=60)
    with console.capture() as found:
        console.print(RichTable(shown))
    assert all(cell_len(line) <= 60 for line in found.get().splitlines())
    assert all(cell.text in found.get() for row in shown.rows for cell in row)


def test_wide_tables_are_parts_of_a_page_of_latex() -> None:
    latex = written("latex", [made([f"run-{i}" for i in range(40)], 12)])
    assert latex.count(r"\begin{tabular}") == 2
    assert latex.count(r"\begin{table}") == 1
    assert all(f"run-{i} &" in latex for i in range(40))


def test_long_names_keep_the_part_that_is_their_own() -> None:
    names = [f"Task-4-Subtask-C-University-of-{who}-primary-run" for who in ("Ulm", "Oslo", "Bonn")]
    found = shortened([*names, "baseline"], 16)
    assert all(who in found[name] for who, name in zip(("Ulm", "Oslo", "Bonn"), names, strict=True))
    assert shortened(names[::-1], 16) == {name: found[name] for name in names}


def test_shortened_names_keep_whole_words() -> None:
    names = [f"http://example.org/very/long/path/item{i}/answer/final/en" for i in range(12)]
    short = shortened(names, 20)
    assert short[names[7]].endswith("…item7")
    assert len(set(short.values())) == len(names)
    assert max(map(len, short.values())) <= 20
    assert set(shortened(["a" * 30 + c + "b" * 30 for c in "xy"], 12).values()) == {
        "aaaaaaaaa…x", "aaaaaaaaa…y",
    }  # fmt: skip
