"""Tables in every format: contents, and texts of users that must stay texts."""

import csv
import io
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import narwhals as nw
import pytest
from small_data import labels

import ordeval as oe
from ordeval.formatting import UNDEFINED, one_line, ranges
from ordeval.measures.spec import measures
from ordeval.report.writers import (
    FORMATS,
    latex,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    to_text,
)
from ordeval.table import (
    Heading,
    Table,
    count,
    figure,
    interval,
    p_value,
    table,
    words,
)

GOLD, SYSTEMS, TOPICS = labels(names="abcd")
RESULT = oe.compare(
    GOLD, SYSTEMS, labels=range(5), topics=TOPICS, measures="cem, mae", classical=True,
    differences=True,
)  # fmt: skip
NASTY = {
    "latex": r"\input{/etc/passwd}&%$#_{}~^",
    "markdown": "[x](javascript:1)|`a`*b*_c_<img>&amp;$x$",
    "formula": "=cmd|' /C calc'!A0",
    "html": "<script>alert('1')</script>&\"",
    "terminal": "a\x1b[31mred\x07\r\nb\tc",
    "direction": "abc\u202edef\u2066\u200bx\ufeff",
    "surrogate": "half\udc80",
}


def shown(text: str) -> Table:
    """A table in which a text stands wherever a user's text can."""
    return table([Heading(text), Heading("n", True)], [[words(text), count(1)]], title=text,
                 notes=[text])  # fmt: skip


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
@pytest.mark.parametrize("style", FORMATS)
def test_no_control_character_gets_out(style: str, text: str) -> None:
    found = FORMATS[style](shown(text))
    assert {unicodedata.category(c) for c in found.replace("\n", "")}.isdisjoint({"Cc", "Cf", "Cs"})
    found.encode("utf-8")
    lines = {"text": 7, "markdown": 7, "latex": 12, "csv": 2, "html": 1}
    assert len(found.splitlines()) == lines[style]


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_latex_specials_are_escaped(text: str) -> None:
    found = latex(text)
    bare = re.sub(r"\\(?:[a-z]+\d*(?:\{\})?|[&%$#_{}])|\{[\[\]*]\}|\$[^$]*\$", "", found)
    assert not set(bare) & set("\\&%$#_{}~^[]*<>")


def test_latex_rows_may_begin_with_a_bracket() -> None:
    found = to_latex(table([Heading("a")], [[words("x")], [words("[1em]")], [words("*")]]))
    assert "\n{[}1em{]} \\\\" in found
    assert "\n{*} \\\\" in found


def test_latex_names_of_measures_are_plain_characters() -> None:
    for m in [*measures(None)]:
        assert latex(f"{m.short} {m.arrow} {m}").isascii(), m


def test_markdown_specials_are_escaped() -> None:
    found = to_markdown(shown(NASTY["markdown"]))
    assert r"\[x\](javascript:1)\|\`a\`\*b\*\_c\_\<img\>\&amp;\$x\$" in found
    assert len(re.findall(r"(?<!\\)\|", found)) == 9  # three lines of three pipes


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-a", "@x", "＝1", "\t=1"])
def test_csv_texts_are_no_formulas(text: str) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(shown(text)))))
    assert rows[1][0][0] in "'\N{REPLACEMENT CHARACTER}"


def test_csv_numbers_stay_numbers() -> None:
    rows = [[figure(-0.5), words("-0.5"), figure(float("nan")), figure(1 / 3)]]
    found = to_csv(table([Heading(x) for x in "abcd"], rows))
    assert found == f"a,b,c,d\n-0.5,-0.5,,{1 / 3!r}\n"


def test_csv_quotes_commas_and_quotes() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(shown('a,"b"')))))
    assert rows == [['a,"b"', "n"], ['a,"b"', "1"]]


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
    page.feed(to_html(shown(text)))
    assert page.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "small"}
    assert one_line(text) in page.text


def test_text_columns_are_aligned_whatever_the_width_of_characters() -> None:
    rows = [[words("日本"), figure(0.5)], [words("abcdef"), figure(0.25)]]
    lines = to_text(table([Heading("x"), Heading("y", True)], rows)).splitlines()
    assert lines == ["x            y", "──────  ──────", "日本    0.5000", "abcdef  0.2500"]


def test_leaderboard_marks_are_a_column_of_text_and_superscripts_of_markup() -> None:
    beaten = RESULT.beats(RESULT.best)
    assert beaten
    marks = RESULT.table().rows[0][3].text
    assert [h.text for h in RESULT.table().headings][2:6] == [
        "CEM ↑", "beats", "95 % interval", "group",
    ]  # fmt: skip
    best = f"{RESULT.scores.of('cem', RESULT.best):.4f}"
    assert rf"\textbf{{{best}}}\textsuperscript{{{latex(marks)}}}" in RESULT.to_latex()
    assert f"**{best}**<sup>{marks}</sup>" in RESULT.to_markdown()
    assert f"<b>{best}</b><sup>{marks}</sup>" in RESULT._repr_html_()
    assert "beats" in RESULT.to_text().splitlines()[2]
    assert r"\toprule" in RESULT.to_latex()


def test_ranges_are_short() -> None:
    assert ranges([3, 4, 5, 9, 11, 12]) == "3–5, 9, 11–12"


def test_tied_best_scores_are_all_bold() -> None:
    result = oe.compare(GOLD, {"a": GOLD, "b": GOLD, "c": SYSTEMS["c"]}, labels=range(5),
                        measures="mae", bootstrap=0, trials=9)  # fmt: skip
    assert [row[2].bold for row in result.table().rows] == [True, True, False]


def test_leaderboard_csv_has_the_ends_of_intervals_in_columns() -> None:
    head, first, *_ = csv.reader(io.StringIO(RESULT.to_csv()))
    row = dict(zip(head, first, strict=True))
    assert RESULT.intervals is not None
    place = RESULT.scores.systems.index(row["system"])
    assert float(row["low"]) == RESULT.intervals.low[0, place]
    assert float(row["high"]) == RESULT.intervals.high[0, place]


def test_a_leaderboard_by_another_measure() -> None:
    assert RESULT.table("main", "mae").headings[2].text == "MAEᵘ ↓"


@pytest.mark.parametrize("what", ["p", "effect", "difference", "classical"])
def test_matrices_have_a_row_and_a_column_for_every_system(what: str) -> None:
    head, *rows = csv.reader(io.StringIO(RESULT.to_csv(what, "mae")))
    names = RESULT.scores.ranking("mae")
    assert head == ["#", "system", *names]
    found = getattr(RESULT.tests, what)[1]
    for i, row in enumerate(rows):
        assert row[i + 2] == ""
        for j, cell in enumerate(row[2:]):
            a, b = (RESULT.scores.systems.index(names[x]) for x in (i, j))
            assert i == j or float(cell) == pytest.approx(found[a, b])


def test_significant_p_values_are_bold() -> None:
    for i, row in enumerate(RESULT.table("p").rows):
        for j, cell in enumerate(row[2:]):
            assert i == j or cell.bold == (float(cell.full) < 0.05)


def test_pairs_have_intervals_and_classical_p_values_where_they_were_made() -> None:
    head, first, *rest = csv.reader(io.StringIO(RESULT.to_csv("pairs")))
    row = dict(zip(head, first, strict=True))
    assert len(rest) == 5
    found = RESULT.difference(row["system"], row["against"])
    assert float(row["difference"]) == pytest.approx(found.difference)
    assert (float(row["low"]), float(row["high"])) == (found.low, found.high)
    assert float(row["classical p"]) == RESULT.classical_p(row["system"], row["against"])


def test_pairs_without_tests_have_their_intervals() -> None:
    how: dict[str, Any] = {"labels": range(5), "measures": "mae", "bootstrap": 50}
    tested = oe.compare(GOLD, SYSTEMS, **how, topics=TOPICS, differences=True)
    untested = replace(tested, tests=None)
    head, first, *rest = csv.reader(io.StringIO(untested.to_csv("pairs")))
    assert head == ["system", "against", "difference", "low", "high"]
    assert len(rest) == 5
    found = untested.difference(first[0], first[1])
    assert [float(x) for x in first[2:]] == [found.difference, found.low, found.high]
    with pytest.raises(oe.InputError, match="No tests were made"):
        oe.evaluate(GOLD, SYSTEMS, **how).table("pairs")


def test_variances_of_every_measure() -> None:
    head, *rows = csv.reader(io.StringIO(RESULT.to_csv("anova")))
    assert RESULT.tests is not None
    assert [row[0] for row in rows] == ["cem", "mae"]
    assert float(rows[1][head.index("V_E2")]) == RESULT.tests.residual_variance[1]
    assert rows[0][head.index("df residual")] == "21"


def test_tables_that_do_not_exist_are_refused() -> None:
    with pytest.raises(oe.InputError, match="there are main, pairs, p, effect"):
        RESULT.table("nothing")
    with pytest.raises(oe.InputError, match="is not among the measures"):
        RESULT.table("p", "spearman")
    items = oe.compare(GOLD, SYSTEMS, labels=range(5), measures="mae", bootstrap=0, trials=9)
    with pytest.raises(oe.InputError, match="Give the topics with"):
        items.table("classical")
    with pytest.raises(oe.InputError, match="two or more topics"):
        items.table("anova")
    alone = oe.evaluate(GOLD, SYSTEMS["a"], labels=range(5), measures="mae", bootstrap=0)
    with pytest.raises(oe.InputError, match="No tests were made"):
        alone.table("p")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_is_the_tidy_view(backend: str) -> None:
    frame = nw.from_native(RESULT.to_frame(backend), eager_only=True)
    assert frame.columns == [
        "measure", "system", "better", "score", "low", "high", "undefined",
        "se", "rank", "group", "beats", "rank_low", "rank_high", "doubt", "specification",
    ]  # fmt: skip
    for row, standing in zip(frame.iter_rows(named=True), RESULT.tidy(), strict=True):
        assert (row["measure"], row["system"]) == (standing.measure.name, standing.system)
        assert row["specification"] == str(standing.measure)
        assert (row["score"], row["se"], row["rank"]) == (
            standing.score, standing.se, standing.rank,
        )  # fmt: skip
        assert (row["group"], row["beats"]) == (standing.letters, ", ".join(standing.beats))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_figures_that_were_not_computed_are_columns_of_nan(backend: str) -> None:
    result = oe.evaluate(GOLD, SYSTEMS, labels=range(5), measures="mae", bootstrap=0)
    frame = nw.from_native(result.to_frame(backend), eager_only=True)
    assert frame["low"].dtype == nw.Float64
    assert frame["low"].is_nan().all()


def test_measures_of_one_system_are_rows() -> None:
    alone = oe.evaluate(GOLD, SYSTEMS["a"], labels=range(5), measures="mae, cem")
    assert [row[0].text for row in alone.table().rows] == ["mae ↓", "cem ↑"]
    assert "0 … 4" in alone.to_text()


@pytest.mark.parametrize(
    ("cell", "text", "full"),
    [
        (figure(-0.00001), "0.0000", "-1e-05"),
        (figure(float("nan")), UNDEFINED, ""),
        (figure(float("inf")), "∞", "inf"),
        (count(12345), "12,345", "12345"),
        (count(2.5), "2.50", "2.5"),
        (p_value(0.00001), "<0.0001", "1e-05"),
        (p_value(float("nan")), UNDEFINED, ""),
        (interval(-0.00001, 0.5), "[0.0000, 0.5000]", "-1e-05 0.5"),
        (interval(float("nan"), 0.5), "", ""),
    ],
)
def test_cells_show_few_digits_and_keep_all(cell: Any, text: str, full: str) -> None:
    assert (cell.text, cell.full) == (text, full)
