"""Cards of measures on the site: worked examples end with the score, sources are cited."""

import re
from pathlib import Path

import pytest

import ordeval as oe
from docsite import worked, worked_examples  # noqa: F401  # registers the examples
from docsite.citations import bibtex, cited
from docsite.coverage import coverage_grid, tables
from docsite.worked import Grid, steps_of
from ordeval.evaluation.sample import CORE_MEASURES
from ordeval.report.texts import works

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WORKED = [m for m in oe.measures(None) if m.id in worked._WORKED]


@pytest.mark.parametrize("m", WORKED, ids=str)
def test_worked_examples_end_with_the_score(m: oe.Measure) -> None:
    steps = steps_of(m)  # an error if they do not
    assert all(step.text for step in steps)
    assert any(isinstance(part, Grid) for step in steps for part in step.parts)
    assert steps[-1].parts


def test_the_core_measures_and_one_of_each_other_task_are_worked_out() -> None:
    assert set(CORE_MEASURES) <= {m.specification for m in WORKED}
    assert {m.record.task for m in WORKED} == {"classification", "quantification", "raters"}


@pytest.mark.parametrize("m", oe.measures(None), ids=str)
def test_every_measure_cites_works_of_the_bibliography(m: oe.Measure) -> None:
    assert cited(m)


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("pearson", "Pearson 1895"),
        ("spearman", "Spearman 1904"),
        ("kendall_a", "Kendall 1938"),
        ("kendall_b", "Kendall 1945"),
        ("macro_mae", "Baccianella et al. 2009"),
        ("emd", "Rubner et al. 2000"),
        ("nmd", "Werman et al. 1985"),
        ("kld", "Kullback & Leibler 1951"),
        ("jsd", "Lin 1991"),
        ("mutual_information", "Shannon 1948"),
        ("cohen_kappa", "Cohen 1960"),
        ("kappa", "Cohen 1968"),
    ],
)
def test_the_work_that_proposed_a_measure_is_cited_first(name: str, original: str) -> None:
    assert cited(oe.measure(name))[0] == original


@pytest.mark.parametrize("m", oe.measures("raters"), ids=str)
def test_every_coefficient_of_raters_has_its_own_coverage(m: oe.Measure) -> None:
    assert coverage_grid(ROOT, m.specification) is not None


# What an entry of BibTeX must have, by its kind.
FIELDS = {
    "article": {"journal", "volume", "pages"},
    "inproceedings": {"booktitle"},
    "book": {"publisher"},
    "techreport": {"institution"},
    "misc": {"eprint", "archivePrefix"},
}


def parsed(entry: str) -> tuple[str, str, dict[str, str]]:
    """The kind, the key and the fields of an entry of BibTeX."""
    head = re.match(r"@(\w+)\{([a-z]+\d{4}[ab]?),\n", entry)
    assert head is not None, entry
    body, end = entry[head.end() :].rsplit("\n}", 1)
    assert end == ""
    lines = body.replace("\n    ", " ").splitlines()  # long fields are continued
    found = [re.fullmatch(r"  (\w+) = \{(.+)\},", line) for line in lines]
    return head[1], head[2], {field[1]: field[2] for field in found if field is not None}


def test_entries_of_bibtex_can_be_parsed() -> None:
    entries = [parsed(bibtex(key)) for key in works()]
    assert len({key for _, key, _ in entries}) == len(entries)
    for kind, key, fields in entries:
        assert FIELDS[kind] | {"author", "title", "year"} <= set(fields), key
        for name, text in fields.items():
            assert text.count("{") == text.count("}"), (key, name)
            assert not re.search(r"(?<!\\)[&%#_$]", text), (key, name)
        assert all("," in author for author in fields["author"].split(" and ")), key


def test_an_entry_of_bibtex_has_all_fields() -> None:
    assert bibtex("Cohen 1968").splitlines() == [
        "@article{cohen1968,",
        "  author = {Cohen, J.},",
        "  title = {{Weighted kappa: Nominal scale agreement with provision for scaled",
        "    disagreement or partial credit}},",
        "  journal = {Psychological Bulletin},",
        "  volume = {70},",
        "  number = {4},",
        "  pages = {213--220},",
        "  year = {1968},",
        "}",
    ]
    authors = "author = {Silva, W. and Pinto, J. R. and Cardoso, J. S.}"
    assert authors in bibtex("Silva et al. 2018")


def test_coverage_is_read_from_its_page() -> None:
    found = coverage_grid(ROOT, "mae")
    assert found is not None
    assert found.columns[0] == "N = 20"
    text = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert f"| mae | {found.rows[0][1][0]} · " in text
    assert coverage_grid(ROOT, "nmd") is not None
    of_raters = coverage_grid(ROOT, "krippendorff(level='ordinal')")
    assert of_raters is not None
    assert of_raters.columns == ["10 items", "20 items", "50 items", "200 items"]
    assert of_raters.rows[0][0] == "Middling"
    text = "<!-- table: A -->\n\n| measure | N |\n|---|---:|\n| a | 1 |\n"
    assert tables(text) == {"A": {"a": {"N": "1"}}}
