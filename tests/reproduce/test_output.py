"""Text, pages, files, and the command."""

import csv
import gzip
import re
from pathlib import Path

import pytest

from ordeval.cli import main
from ordeval.errors import InputError
from ordeval.reproduce import Exhibit, Setting, Study, Verdict, reproduce
from ordeval.reproduce.datasets import (
    generated_counts,
    generated_runs,
    missing,
    read_rows,
    semeval_2016_c,
    semeval_2016_e,
    tabular,
)
from ordeval.reproduce.layouts import grids_of
from ordeval.reproduce.output import draw, page_html, study_text, verdict_line, write_pages
from ordeval.reproduce.study import Comparison
from ordeval.table import Cell


def small_study(verdict: Verdict = Verdict.DIFFERS) -> Study:
    cell = Comparison(
        "<row>", "column", 0.5, "0.40", verdict, "a reason that is long enough to note"
    )
    same = Comparison("other", "column", 0.4, "0.40", Verdict.SAME)
    exhibit = Exhibit("table-1", "Table 1: <things>", (cell, same), "open", "chosen", "outcome")
    return Study("paper", "A. Author, 2020.", "Summary.", (exhibit,))


def test_text_shows_ours_printed_difference_and_verdict() -> None:
    text = study_text(small_study())
    line = next(line for line in text.splitlines() if line.startswith("<row>"))
    assert line.split()[1:6] == ["column", "0.5000", "0.40", "+0.1000", "differs"]
    assert "[1] a reason that is long enough to note" in text
    assert "Open: open" in text


def test_brief_text_leaves_out_what_is_the_same() -> None:
    assert "other" in study_text(small_study())
    assert "other" not in study_text(small_study(), brief=True)


def test_the_last_line_names_what_was_not_reproduced() -> None:
    assert "Not reproduced: paper table-1: <row>, column." in verdict_line([small_study()])
    assert "Nothing differs" in verdict_line([small_study(Verdict.MISPRINT)])


def test_a_page_is_complete_and_escaped() -> None:
    page = page_html(small_study(), "ordeval reproduce paper")
    assert "&lt;row&gt;" in page
    assert "<row>" not in page
    assert not re.search(r'(src|href)="https?:', page)


def test_a_table_has_the_layout_of_the_paper(quick_studies: dict[str, Study]) -> None:
    page = page_html(quick_studies["cardoso-2011"], "ordeval reproduce cardoso-2011")
    section = page[page.index('<section id="table-3"') : page.index('<section id="table-4"')]
    shown, listed = section.split("<details", 1)
    # Rows are matrices and columns measures; in every cell ours is above the printed figure.
    assert re.findall(r'<th scope="row">(CM\d)</th>', shown) == ["CM3", "CM4"]
    heads = re.findall(r'<th scope="col"><span>(.*?)</span>', shown)
    oc = ["OC<sup>1</sup><sub>β1</sub>", "OC<sup>1</sup><sub>β2</sub>"]
    correlations = ["R<sub>s</sub>", "τ<sub>b</sub>", "r<sub>int</sub>"]
    assert heads == ["MER", "MAE", *correlations, *oc]
    assert 'class="corner">CM</th>' in shown
    assert shown.count("<small>") == 14
    assert re.search(
        r'class="over"[^>]*title="known misprint[^>]*>0.8571 †<small>0.85</small>', shown
    )
    assert "Marks: † known misprint." in shown
    assert listed.split(">", 1)[0].strip() == 'class="system"'  # closed
    assert listed.count("same after rounding") == 14


def test_parts_of_a_table_are_tables_of_their_own(quick_studies: dict[str, Study]) -> None:
    found = {e.key: e for e in quick_studies["sakai-2021"].exhibits}
    exhibit = found["table-8"]
    grids = grids_of(exhibit, {c: (Cell("1"), Cell("1")) for c in exhibit.comparisons})
    assert [grid.caption.partition(":")[0].partition(" (")[0] for grid in grids] == [
        "(I) Sem16T4E",
        "(II) Sem17T4E",
    ]
    assert all(len(grid.rows) == len(grid.columns) == 5 for grid in grids)


def test_names_are_those_of_the_paper(quick_studies: dict[str, Study]) -> None:
    page = page_html(quick_studies["sakai-2021"], "ordeval reproduce sakai-2021")
    section = page[page.index('<section id="table-9"') : page.index('<section id="figure-3"')]
    shown = section.split("<details", 1)[0]
    assert "Sem16T4E (a) Full split (50 vs. 50): ours above the printed figure" in shown
    rows = re.findall(r'<th scope="row">(.*?)</th>', shown.split("</table>")[0])
    assert rows == ["V<sub>E2</sub>", "JSD", "RNOD", "NVD", "RNSS", "NMD", "RSNOD"]


def test_groups_of_rows_and_columns_are_those_of_the_paper(
    quick_studies: dict[str, Study],
) -> None:
    page = page_html(quick_studies["silva-2018"], "ordeval reproduce silva-2018")
    section = page[page.index('<section id="table-1"') : page.index('<section id="table-2"')]
    assert '<th scope="colgroup" colspan="5">Accuracy-focused</th>' in section
    page = page_html(quick_studies["amigo-2020"], "ordeval reproduce amigo-2020")
    section = page[page.index('<section id="table-2"') : page.index('<section id="appendix-b"')]
    groups = re.findall(r'scope="rowgroup" colspan="4">(.*?)</th>', section)
    assert groups[:2] == ["Classification Metrics", "Value Prediction"]
    assert ">✓<small>✓</small>" in section


def test_statements_are_a_list_that_is_open(quick_studies: dict[str, Study]) -> None:
    page = page_html(quick_studies["silva-2018"], "ordeval reproduce silva-2018")
    section = page[page.index('<section id="sentences"') : page.index('<section id="repeat"')]
    assert '<details class="system" open>' in section
    assert 'class="heat' not in section


def test_what_differs_is_marked_and_not_by_colour_alone() -> None:
    cells = [
        Comparison(row, column, 0.5, "0.40", Verdict.DIFFERS if row == column else Verdict.SAME)
        for row in "AB"
        for column in "AB"
    ]
    study = Study("paper", "", "", (Exhibit("table-1", "Table 1", tuple(cells)),))
    page = page_html(study, "ordeval reproduce paper")
    assert page.count('class="loss" title="differs">0.5000 ✗<small>0.40</small>') == 2
    assert "✗ differs" in page


def test_pages_figures_and_csv(tmp_path: Path, quick_studies: dict[str, Study]) -> None:
    study = quick_studies["silva-2018"]
    pages = write_pages([study], tmp_path / "out", "ordeval reproduce silva-2018")
    assert pages == [tmp_path / "out" / "silva-2018.html"]
    page = pages[0].read_text(encoding="utf-8")
    assert page.count("<figure>") == 3
    assert (tmp_path / "out" / "silva-2018-figure-1.png").stat().st_size > 1000
    lines = (tmp_path / "out" / "silva-2018.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines))
    assert len(rows) == sum(len(e.comparisons) for e in study.exhibits)
    assert float(rows[13]["ours"]) == pytest.approx(10 / 18)


def test_every_drawing_can_be_drawn(quick_studies: dict[str, Study]) -> None:
    drawings = [d for s in quick_studies.values() for e in s.exhibits for d in e.drawings]
    assert len(drawings) >= 10
    for drawing in drawings:
        assert draw(drawing).figure is not None
        assert drawing.caption


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORDEVAL_DATA", raising=False)


@pytest.mark.usefixtures("command")
def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["reproduce", "qwk-post", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "same after rounding" in out
    assert out.endswith("Nothing differs beyond the misprints and the claims on record.\n")
    assert (tmp_path / "qwk-post.html").is_file()


@pytest.mark.usefixtures("command")
def test_the_exit_code_is_1_if_something_differs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordeval.reproduce.reproduce", lambda paper, setting: [small_study()])
    assert main(["reproduce", "qwk-post"]) == 1
    assert "Not reproduced" in capsys.readouterr().out


@pytest.mark.usefixtures("command")
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["sakai-2012"], "Did you mean 'sakai-2021'?"),
        (["qwk-post", "--data", "nowhere"], "nowhere is not a directory"),
        (["all", "--out", __file__], "cannot be written to: File exists"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], args: list[str], said: str) -> None:
    assert main(["reproduce", *args]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("command")
@pytest.mark.parametrize("given", [True, False])
def test_the_data_folder_may_come_from_the_environment(
    given: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[Setting] = []

    def study(_: str, setting: Setting) -> list[Study]:
        seen.append(setting)
        return [small_study(Verdict.SAME)]

    monkeypatch.setattr("ordeval.reproduce.reproduce", study)
    if given:
        monkeypatch.setenv("ORDEVAL_DATA", str(tmp_path))
    assert main(["reproduce", "qwk-post", "--quiet"]) == 0
    assert [setting.data for setting in seen] == [tmp_path if given else None]


def test_files_are_read_without_quoting(tmp_path: Path) -> None:
    folder = tmp_path / "semeval2017-task4"
    folder.mkdir()
    name = "semeval2017-task4/subtask-E-arabic-gold.tsv"
    (tmp_path / name).write_text('topic\tp_0\n"NBA\t1\n#x\t0\n', encoding="utf-8")
    rows = read_rows(Setting(data=tmp_path), name)
    assert [row["topic"] for row in rows] == ['"NBA', "#x"]
    assert missing(Setting(data=tmp_path), name) == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b"id\ttopic\trun\n1\tt\t0\n"), "it has no column 'gold'"),
        (gzip.compress(b"id\ttopic\tgold\n"), "it has no rows"),
        (b"plain text", "Not a gzipped file"),
        (gzip.compress(b"id\ttopic\tgold\n1\tt\t0\n")[:-9], "Compressed file ended"),
    ],
    ids=["no gold", "no rows", "not gzipped", "cut off"],  # packed bytes hold the time of day
)
def test_unusable_files_are_named(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "semeval2016-task4" / "subtask-C.tsv.gz"
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(InputError, match=rf"subtask-C.tsv.gz cannot be used: {said}.*Expected"):
        semeval_2016_c(Setting(data=tmp_path))


def test_unusable_numbers_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "semeval2016-task4").mkdir()
    file = tmp_path / "semeval2016-task4" / "subtask-E.tsv"
    file.write_text("run\ttopic\tp_-2\tp_-1\tp_0\tp_1\tp_2\ngold\tt\t1\t0\t0\t0\tx\n")
    with pytest.raises(InputError, match=r"could not convert.*'x'"):
        semeval_2016_e(Setting(data=tmp_path))
    (tmp_path / "ordinal-tabular").mkdir()
    (tmp_path / "ordinal-tabular" / "esl.csv").write_text("a,class\n1,many\n")
    with pytest.raises(InputError, match=r"esl.csv cannot be used: .*'many'"):
        tabular(Setting(data=tmp_path), "esl")


def test_a_folder_that_cannot_be_written_to_stops_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ordeval.reproduce.reproduce", lambda *_: pytest.fail("it was run"))
    (tmp_path / "file").touch()
    assert main(["reproduce", "all", "--out", str(tmp_path / "file" / "below")]) == 2
    assert "cannot be written to: Not a directory" in capsys.readouterr().err


def test_reading_without_a_folder_is_an_error() -> None:
    with pytest.raises(InputError, match="no data folder is given"):
        read_rows(Setting(), "semeval2016-task4/subtask-E.tsv")


def test_generated_runs_depend_only_on_the_seed() -> None:
    once, again = (generated_counts(10, 8, items=20, rng=3) for _ in range(2))
    other = generated_counts(10, 8, items=20, rng=4)
    assert (once.table == again.table).all()
    assert not (once.table == other.table).all()
    assert once.systems[-5:] == (
        "constant--2",
        "constant--1",
        "constant-0",
        "constant-1",
        "constant-2",
    )


def test_generated_distributions_sum_to_one() -> None:
    runs = generated_runs(12, 5, raters=19, rng=0)
    assert runs.gold.sum(axis=1) == pytest.approx(1)
    assert all(rows.sum(axis=1) == pytest.approx(1) for rows in runs.estimates.values())


def test_unknown_papers_are_refused() -> None:
    with pytest.raises(InputError, match="There is no paper 'x'"):
        reproduce("x")
