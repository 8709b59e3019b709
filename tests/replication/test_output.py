"""Text, pages, files, the command, and data sets that cannot be used."""

import csv
import gzip
from pathlib import Path

import pytest
from replication.datasets import semeval_2016_c
from replication.drawings import draw
from replication.output import page_html, study_text, write_pages
from replication.study import Comparison

from ordeval import InputError
from replication import Exhibit, Setting, Study, Verdict, __main__

REASON = "a reason that is long enough to note"


def small_study(verdict: Verdict = Verdict.DIFFERS) -> Study:
    cell = Comparison("<row>", "column", 0.5, "0.40", verdict, REASON)
    same = Comparison("other", "column", 0.4, "0.40", Verdict.SAME)
    exhibit = Exhibit("table-1", "Table 1: <things>", (cell, same), "open", "chosen", "outcome")
    return Study("paper", "A. Author, 2020.", "Summary.", (exhibit,))


def test_text_shows_ours_printed_difference_and_verdict() -> None:
    text = study_text(small_study())
    line = next(line for line in text.splitlines() if line.startswith("<row>"))
    assert line.split()[1:7] == ["column", "0.5000", "0.40", "+0.1000", "differs", "[1]"]
    assert f"[1] {REASON}" in text
    assert "Open: open" in text
    assert "other" in text
    assert "other" not in study_text(small_study(), brief=True)


def test_pages_pictures_and_csv(tmp_path: Path, quick_studies: dict[str, Study]) -> None:
    study = quick_studies["silva-2018"]
    [path] = write_pages([study], tmp_path / "out")
    page = path.read_text(encoding="utf-8")
    assert page.count("<figure>") == 3
    assert page.count("<tr>") == len(study.exhibits) + sum(study.tally.values())
    assert (path.parent / "silva-2018-figure-1.png").stat().st_size > 1000
    lines = path.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines))
    assert len(rows) == sum(study.tally.values())
    assert float(rows[13]["ours"]) == pytest.approx(10 / 18, abs=0)
    escaped = page_html(small_study())
    assert '<tr class="fails"><td>&lt;row&gt;</td>' in escaped
    assert "<row>" not in escaped


def test_every_drawing_can_be_drawn(quick_studies: dict[str, Study]) -> None:
    drawings = [d for s in quick_studies.values() for e in s.exhibits for d in e.drawings]
    assert {d.kind for d in drawings} >= {"curves", "points", "bars", "uoc", "paths", "outputs"}
    for drawing in drawings:
        assert draw(drawing).axes
        assert drawing.caption


def test_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ORDEVAL_DATA", raising=False)
    assert __main__.main(["qwk-post", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.endswith("Nothing differs beyond the misprints and the claims on record.\n")
    assert (tmp_path / "qwk-post.html").is_file()
    settings: list[Setting] = []
    monkeypatch.setenv("ORDEVAL_DATA", str(tmp_path))
    monkeypatch.setattr(
        __main__, "reproduce", lambda _, setting: settings.append(setting) or [small_study()]
    )
    assert __main__.main(["qwk-post", "--quiet"]) == 1
    assert "Not reproduced" in capsys.readouterr().out
    assert settings[0].data == tmp_path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b"id\ttopic\trun\n1\tt\t0\n"), "it has no column gold"),
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
