"""`--out` writes what the ending of the name says, or refuses before anything is computed."""

import csv
from pathlib import Path

import pytest

import ordeval as oe
from cli_files import Ordeval

HOSTILE = ("=1+1", "+1", "-1", "@SUM(A1)", "a\tb", '=HYPERLINK("x")')


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A table whose systems are called like formulas."""
    with (tmp_path / "hostile.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["gold", *HOSTILE])
        out.writerows([1 + i % 4, *[1 + (i * (j + 2)) % 4 for j in range(6)]] for i in range(40))
    return tmp_path / "hostile.csv"


def test_a_workbook_has_a_sheet_per_table_and_no_formula(ordeval: Ordeval, hostile: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    out = hostile.with_name("out.xlsx")
    assert ordeval("compare", str(hostile), "--tables", "main,pairs", "--out", str(out)).code == 0
    book = openpyxl.load_workbook(out)
    assert book.sheetnames == ["leaderboard", "pairs", "scores", "notes"]
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert {"=1+1", "@SUM(A1)"} <= {cell.value for cell in cells}
    assert all(cell.quotePrefix for cell in cells if str(cell.value).startswith(("=", "@")))


def test_parquet_holds_what_a_frame_holds(ordeval: Ordeval, hostile: Path) -> None:
    pandas = pytest.importorskip("pandas")
    out = hostile.with_name("out.parquet")
    assert ordeval("compare", str(hostile), "--out", str(out)).code == 0
    frame = oe.compare(None, None, data=str(hostile)).to_frame("pandas")
    pandas.testing.assert_frame_equal(pandas.read_parquet(out), frame, check_dtype=False)


def test_html_is_the_page_with_its_title(ordeval: Ordeval, hostile: Path) -> None:
    out = hostile.with_name("out.html")
    done = ordeval("compare", str(hostile), "--out", str(out), "--title", "Grades <1>")
    assert (done.code, done.out) == (0, "")
    assert "<h1>Grades &lt;1&gt;</h1>" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["pdf", "png", "ods", "docx", "tsv", "csv.gz", "feather"])
def test_other_endings_are_refused_at_once(ending: str, ordeval: Ordeval, tmp_path: Path) -> None:
    done = ordeval("compare", "absent.csv", "--out", str(tmp_path / f"x.{ending}"))
    assert done.code == 2
    assert f".{ending.rsplit('.', maxsplit=1)[-1]} is not a format of this command" in done.err
    assert list(tmp_path.iterdir()) == []


def test_an_ending_and_a_format_that_differ_are_refused(ordeval: Ordeval, tmp_path: Path) -> None:
    done = ordeval("compare", "absent.csv", "--out", str(tmp_path / "x.xlsx"), "--format", "csv")
    assert (done.code, "two formats" in done.err) == (2, True)


def test_parquet_takes_one_table(ordeval: Ordeval, hostile: Path) -> None:
    out = str(hostile.with_name("x.parquet"))
    done = ordeval("compare", str(hostile), "--tables", "pairs,classes", "--out", out)
    assert (done.code, "one table" in done.err) == (2, True)
