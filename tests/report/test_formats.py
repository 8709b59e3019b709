"""Every format of every view: the figures are there, it fits, and texts of users stay texts."""

import csv
import io
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from html.parser import HTMLParser
from math import isnan, nan
from pathlib import Path
from typing import Any

import pytest
from rater_data import agreement, hostile_agreement, hostile_judgement, judgement
from report_data import compared, hostile, labels_of, meta, quantified
from rich.cells import cell_len
from rich.console import Console

import ordeval as oe
from ordeval.formatting import one_line
from ordeval.measures.spec import measures
from ordeval.report.formats import to_csv, to_frame, written
from ordeval.report.latex import latex_text
from ordeval.report.layout import command_lines, text_width, wrapped
from ordeval.report.present import view_of
from ordeval.report.result_figures import intervals_figure
from ordeval.report.texts import interval_phrase
from ordeval.report.view import Col, Section, View, cols
from ordeval.results import Estimate

GOLD, GUESSES, TOPICS = labels_of("abc", 12, 20)
WEIGHTS = [1.0 + (i % 3) for i in range(len(GOLD))]
BASE: dict[str, Any] = {"labels": range(1, 6), "draws": 60}
META = meta(mean_splits=60)
OBJECTS: dict[str, Any] = {
    "compared": compared(),
    "against": compared(against="beta", margin=0.05),
    "evaluated": oe.evaluate(GOLD, GUESSES, measures="qwk, mae", **BASE),
    "one system": oe.evaluate(GOLD, GUESSES["a"], weight=WEIGHTS, **BASE),
    "numbers": oe.evaluate(
        GOLD, [p + 0.2 for p in GUESSES["a"]], measures="mae, qwk", bins="round", **BASE
    ),
    "judged": oe.evaluate(
        [g if i % 2 else None for i, g in enumerate(GOLD)],
        {"a": GUESSES["a"]},
        measures="mae, accuracy",
        judge=GUESSES["b"],
        **BASE,
    ),
    "measure": compared()["mae"],
    "quantified": quantified(),
    "agreement": agreement(),
    "judgement": judgement(),
    "meta": META,
    **{field.name: getattr(META, field.name) for field in fields(META)},
    "axioms": oe.meta.axioms("cem, mae", ["ordinal_invariance", "symmetry"], rng=0),
    "counts": oe.Counts.from_labels(GOLD, GUESSES, labels=range(1, 6), topic=TOPICS),
    "per class": oe.per_class(GOLD, GUESSES["a"], labels=range(1, 6)),
    "advice": oe.advise(GOLD, GUESSES, labels=range(1, 6)),
    "hostile": hostile(),
    "hostile agreement": hostile_agreement(),
    "hostile judgement": hostile_judgement(),
}


def views() -> Iterator[Any]:
    """Every table of every object that has something in it."""
    for name, item in OBJECTS.items():
        for key in view_of(item).sections:
            with suppress(oe.InputError):
                if view_of(item).made(key) is not None:
                    yield pytest.param(name, key, id=f"{name}-{key}")


VIEWS = list(views())


def tables_in(section: Section) -> list[Section]:
    inner = [table for part in section.parts for table in tables_in(part)]
    return [section, *inner] if section.shown and section.rows else inner


@pytest.mark.parametrize(("name", "key"), VIEWS)
def test_every_format_has_the_figures_of_its_records(name: str, key: str) -> None:
    """Data hold every value that a column reads, and documents hold every cell."""
    view = view_of(OBJECTS[name])
    section = view.made(key)
    assert section is not None
    names, rows = section.data()
    made, columns = section.stored or (lambda: section.rows, section.columns)
    data_rows = list(made())
    assert len(rows) == (len(data_rows) if names else 0)
    for col in (col for col in columns if col.data_name):
        for row, record in zip(data_rows, rows, strict=True):
            value = col.reader(data=True)(row)
            held = dict(zip(names[::-1], record[::-1], strict=True))[col.data_name]
            number = getattr(value, "value", value)
            if isinstance(number, float):
                assert held == number or (isnan(held) and isnan(number))
            if hasattr(value, "low"):
                parts = [part for part in names if part.endswith(("low", "high", "se", "doubt"))]
                assert len(parts) >= 4
    header, *lines = csv.reader(io.StringIO(to_csv(section)))
    assert len(header) == len(names)
    assert len(lines) == len(rows)
    for line, record in zip(lines, rows, strict=True):
        for cell, value in zip(line, record, strict=True):
            if isinstance(value, float) and not isnan(value):
                assert float(cell) == value
    for table in tables_in(section):
        cells = [cell.text for row in table.cells() for cell in row]
        page = Tags()
        page.feed(written("html", view, (key,)))
        assert [cell for cell in cells if one_line(cell) not in page.text] == []
        tex = written("latex", view, (key,)).replace("$-$", "-")
        assert [cell for cell in cells if latex_text(cell).replace("$-$", "-") not in tex] == []
        assert written("markdown", view, (key,)).count("\n|") >= 2 + len(table.rows)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(("name", "key"), VIEWS)
def test_text_fits(name: str, key: str, width: int) -> None:
    view = view_of(OBJECTS[name])
    section = view.made(key)
    assert section is not None
    lines = written("text", view, (key,), width).splitlines()
    lines = lines[: len(lines) // (2 if section.code else 1)]  # code is not broken
    assert [line for line in lines if cell_len(line) > width] == []


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", OBJECTS)
def test_frames_hold_what_csv_holds(name: str, backend: str) -> None:
    pytest.importorskip(backend)
    view = view_of(OBJECTS[name])
    section = view[view.data]
    frame = to_frame(section, backend)
    columns = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert [c.rstrip("_") for c in columns] == [n.rstrip("_") for n in section.data()[0]]
    assert frame.shape[0] == len(section.data()[1])


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_print_themselves(name: str) -> None:
    item = OBJECTS[name]
    assert str(item) == repr(item) == item.to_text()
    assert "<table>" in item._repr_html_()
    Console(width=300, file=(out := io.StringIO())).print(item)
    assert "─" in out.getvalue()
    assert "\x1b" not in out.getvalue() + str(item) + item.to_csv()


@pytest.mark.parametrize("name", ["compared", "against", "one system", "judged", "quantified",
                                  "agreement", "judgement", "meta", "hostile"])  # fmt: skip
def test_summaries_answer_and_cite(name: str) -> None:
    told = written("sentence", view_of(OBJECTS[name]))
    answer, method, *_ = told.split("\n\n")
    assert answer.endswith(".")
    assert f"ordeval {oe.__version__}" in method
    assert not {"\x02", "\x03", "\x1b"} & set(told)
    assert "References\n" in told
    assert "nan" not in told.split()


NASTY = {
    "latex": r"\input{/etc/passwd}&%$#_{}~^",
    "markdown": "[x](javascript:1)|`a`*b*_c_<img>&amp;$x$",
    "formula": "=cmd|' /C calc'!A0",
    "html": "<script>alert('1')</script>&\"",
    "terminal": "a\x1b[31mred\x07\r\nb\tc",
    "direction": "abc\u202edef\u2066\u200bx\ufeff",
    "surrogate": "half\udc80",
}
FORMATS = ("text", "markdown", "latex", "csv", "html")


def shown(text: str) -> View:
    """A view in which a text stands wherever a user's text can."""
    columns = [Col(text, lambda row: row), Col("n", lambda _: 1, 0)]
    return View(Section("x", text, [text], columns, [text]))


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
@pytest.mark.parametrize("style", FORMATS)
def test_no_control_character_gets_out(style: str, text: str) -> None:
    made = written(style, shown(text))
    assert {unicodedata.category(c) for c in made.replace("\n", "")}.isdisjoint({"Cc", "Cf", "Cs"})
    made.encode("utf-8")
    lines = {"text": 7, "markdown": 7, "latex": 13, "csv": 2, "html": 1}
    assert sum(not line.startswith("% ") for line in made.splitlines()) == lines[style]


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_latex_specials_are_escaped(text: str) -> None:
    made = latex_text(text)
    bare = re.sub(r"\\(?:[a-z]+\d*(?:\{\})?|[&%$#_{}])|\{[\[\]*]\}|\$[^$]*\$", "", made)
    assert not set(bare) & set("\\&%$#_{}~^[]*<>")


def test_latex_names_of_measures_are_plain_characters() -> None:
    for m in measures(None):
        assert latex_text(f"{m.label} {m.arrow} {m}").isascii(), m


def test_markdown_specials_are_escaped() -> None:
    made = written("markdown", shown(NASTY["markdown"]))
    assert r"\[x\](javascript:1)\|\`a\`\*b\*\_c\_\<img\>\&amp;\$x\$" in made
    assert len(re.findall(r"(?<!\\)\|", made)) == 9  # three lines of three pipes


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-a", "@x", "＝1", "\t=1"])
def test_csv_texts_are_no_formulas(text: str) -> None:
    rows = list(csv.reader(io.StringIO(written("csv", shown(text)))))
    assert rows[1][0][0] in "'\N{REPLACEMENT CHARACTER}"


def test_numbers_stay_numbers_and_estimates_have_a_column_for_each_part() -> None:
    e = Estimate(-0.25, -0.5, 0.5, 0.1, "few items")
    columns = [
        Col("x", lambda _: -1e-9, 2),
        Col("p", lambda _: 0.00001, style="p"),
        Col("n", lambda _: 1234.0, 0),
        Col("gap", lambda _: nan, 3),
        Col("share [95 %]", lambda _: e, 2, "signed", data="share"),
        Col("text", lambda _: "-0.5"),
    ]
    section = Section("x", "", [0], columns)
    assert [cell.text for cell in section.cells()[0]] == [
        "0.00", "<0.001", "1,234", "–", "-0.25 [-0.50, 0.50] †", "-0.5",
    ]  # fmt: skip
    assert to_csv(section) == (
        "x,p,n,gap,share,share_low,share_high,share_se,share_doubt,text\n"
        "-1e-09,1e-05,1234,,-0.25,-0.5,0.5,0.1,few items,-0.5\n"
    )


class Tags(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_html_texts_are_texts(text: str) -> None:
    page = Tags()
    page.feed(written("html", shown(text)))
    assert page.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "small"}
    assert one_line(text) in page.text


def test_text_is_aligned_whatever_the_width_of_characters() -> None:
    columns = [Col("x", lambda row: row[0]), Col("y", lambda row: row[1], 4)]
    view = View(Section("x", "", [("日本", 0.5), ("abcdef", 0.25)], columns))
    lines = written("text", view, width=80).splitlines()
    assert lines == ["x            y", "──────────────", "日本    0.5000", "abcdef  0.2500"]


def test_wide_tables_are_blocks_that_repeat_the_names_of_rows() -> None:
    columns = [Col("name", lambda row: row), *(Col(f"c{i}", lambda _: 0.5, 4) for i in range(20))]
    made = written("text", View(Section("x", "", ["a", "b"], columns)), width=40)
    assert made.count("0.5000") == 40
    blocks = [len(re.findall(start, made, re.MULTILINE)) for start in ("^name", "^a ")]
    assert blocks[0] == blocks[1] > 3


def test_blocks_repeat_all_texts_that_name_the_rows() -> None:
    named = [Col("system", lambda _: "new"), Col("slice", lambda row: row)]
    columns = [*named, *(Col(f"c{i}", lambda _: 0.5, 4) for i in range(12))]
    made = written("text", View(Section("x", "", ["de", "fr"], columns)), width=40)
    blocks = [len(re.findall(start, made, re.MULTILINE)) for start in ("^system", "^new +de ")]
    assert blocks[0] == blocks[1] > 2


def test_ends_of_intervals_without_0_are_not_shown_as_0() -> None:
    [col] = cols("difference=.:+4i", 0.95)
    rows = [Estimate(0.15, 0.0046, 0.9), Estimate(0.1, -0.004, 0.9), Estimate(-0.4, -0.8, -4e-10)]
    shown = [cell.text for [cell] in Section("x", "", rows, [col]).cells()]
    assert shown == ["+0.15 [0.005, 0.90]", "+0.10 [0.00, 0.90]", "-0.40 [-0.80, -0.001]"]
    assert interval_phrase(Estimate(0.03, 3e-11, 0.057), 0.95) == "95 % interval 0.0001 to 0.057"
    [column] = cols("score:3i")
    assert column.text(Estimate(3e-9, 1e-9, 5e-9)) == "0.000 [0.000, 0.000]"
    assert interval_phrase(Estimate(2e-5, 1e-5, 3e-5), 0.95) == "95 % interval 1e−05 to 3e−05"


def test_lines_and_commands_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert text_width() == text_width(terminal=False) == 33
    text = "differences are significant at p < 0.05 (系统) " + "x" * 50
    assert all(cell_len(line) <= 20 for line in wrapped(text, 20))
    assert "p < 0.05" in "\n".join(wrapped(text, 20))
    lines = command_lines('ordeval score data.csv --measures "a, b" --labels low,high', 30)
    assert '"a, b"' in "\n".join(lines)
    assert all(line.endswith(" \\") for line in lines[:-1])
    lines = command_lines("ordeval agreement data.csv --raters='Dr A,Dr B'", 30)
    assert any("'Dr A,Dr B'" in line for line in lines)


def test_a_score_that_every_constant_system_has_is_shown_without_an_interval() -> None:
    guesses = {"a": GUESSES["a"], "same": [3] * len(GOLD)}
    result = oe.compare(GOLD, guesses, measures="kappa, mae", **BASE)
    assert "0.000 [–]" in result.to_text()
    assert "0.000 {[}--{]}" in result.to_latex()
    assert isnan(intervals_figure(result).marks[-1].low)
    assert not isnan(result["kappa"]["same"].low)
    assert "[–]" not in result.to_text(measure="mae")


def test_equal_p_values_are_explained_and_rows_say_what_they_hold() -> None:
    result = compared([f"s{i}" for i in range(12)], topics=8, items=15, measures="qwk")
    p = [pair.p for pair in result["qwk"].pairs if 0.01 < pair.p < 1]
    assert len(set(p)) < len(p)
    assert "Equal p: " in result.to_text("pairs")
    assert repr(result["qwk"]["s0"]).startswith("Standing(0.")
    assert "nan" not in repr(result["qwk"]["s0"])


def test_latex_for_a_paper_is_one_table_with_its_caption() -> None:
    systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    result = oe.compare(
        [1, 2, 3, 3, 2, 1], systems, "mae", labels=[1, 2, 3], by=list("xxxyyy"), draws=0
    )
    for what, column in (("confusion", "3"), ("slices", "score"), ("main", "system")):
        text = result.to_latex(what, caption="Mine", label="tab:own", columns=[column])
        assert text.count(r"\begin{tabular}") == text.count(r"\caption{Mine}") == 1
        assert r"\label{tab:own}" in text
        assert f"{column} \\\\" in text


PREAMBLE = r"\documentclass{article}\usepackage{booktabs}\extrafloats{200}\begin{document}"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("name", OBJECTS)
def test_tables_compile_as_they_are(name: str, tmp_path: Path) -> None:
    view = view_of(OBJECTS[name])
    keys = [key for item, key in (view.values for view in VIEWS) if item == name]
    tables = [written("latex", view, (key,)) for key in keys]
    tables.append(OBJECTS[name].to_latex(caption=r"Of $\kappa$", label="tab:mine", digits=1))
    assert compiled(tables, tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_names_cannot_break_a_table(tmp_path: Path) -> None:
    names = [
        r"a_b & 50% $x$ #1 {~^}\\",
        "[x]",
        "*",
        "κ τ † ↑ −1 ≤ é ß",
        "\\end{table}",
        "a\nb",
        "^^M",
    ]
    names += ["\x00\x07", '"quoted"', "`", "<>|", "%", "\\input{/etc/passwd}", "¡Hola!", ""]
    gold, (guess, *_) = GOLD, list(GUESSES.values())
    result = oe.compare(gold, dict.fromkeys(names, guess), labels=range(1, 6), draws=0)
    tables = [result.to_latex(), result.to_latex("pairs")]
    assert compiled(tables, tmp_path) == []


def compiled(tables: list[str], folder: Path) -> list[str]:
    """Compile tables with pdfLaTeX; return its errors, but for characters that no font has."""
    body = "\n\\clearpage\n".join(tables)
    body = "".join("?" if unicodedata.category(c) in ("Lo", "So", "Mn") else c for c in body)
    (folder / "paper.tex").write_text(f"{PREAMBLE}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert (folder / "paper.pdf").exists(), done.stdout[-2000:]
    log = (folder / "paper.log").read_text(encoding="latin-1")
    return re.findall(r"^! .*|.*multiply defined.*", log, re.MULTILINE)
