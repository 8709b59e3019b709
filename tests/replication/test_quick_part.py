"""What needs neither data nor training: everything is reproduced except for known errors."""

import pytest
from replication.printed import read_paper

from ordeval import measure
from ordeval.meta import axioms
from replication import PAPERS, Study, Verdict


@pytest.mark.parametrize("paper", PAPERS)
def test_nothing_differs(quick_studies: dict[str, Study], paper: str) -> None:
    failing = [
        (e.key, c.row, c.column)
        for e in quick_studies[paper].exhibits
        for c in e.comparisons
        if c.verdict.fails
    ]
    assert failing == []


VERDICTS = {
    "amigo-2020": {
        "SAME": 114,
        "REFUTED": 14,
        "SUSPECTED": 2,
        "DEPENDS": 2,
        "MISPRINT": 2,
        "WITHIN": 17,
        "DERIVED": 9,
        "NONE": 107,
        "NEEDS": 120,
    },
    "sakai-2021": {"SAME": 54, "DERIVED": 4, "NONE": 271, "NEEDS": 127},
    "silva-2018": {
        "SAME": 200,
        "REFUTED": 10,
        "MISPRINT": 14,
        "DERIVED": 33,
        "NONE": 3,
        "NEEDS": 78,
    },
    "cardoso-2011": {
        "SAME": 130,
        "REFUTED": 2,
        "MISPRINT": 8,
        "WITHIN": 5,
        "DERIVED": 43,
        "NONE": 16,
        "NEEDS": 47,
    },
    "qwk-post": {"SAME": 24, "MISPRINT": 9, "DERIVED": 3},
}


@pytest.mark.parametrize("paper", PAPERS)
def test_no_figure_loses_its_verdict(quick_studies: dict[str, Study], paper: str) -> None:
    tally = quick_studies[paper].tally
    assert {verdict.name: n for verdict, n in tally.items()} == VERDICTS[paper]


# Rows that are computed only from runs which are not shipped.
OF_RUNS = {"beats", "group of rankings", "consistency", "discriminative power"}
OF_RUNS |= {"least discriminative four", "most discriminative"}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_figure_is_shown(quick_studies: dict[str, Study], paper: str) -> None:
    """A row or column that is spelled in another way would not be judged."""
    for exhibit in quick_studies[paper].exhibits:
        figures = read_paper(paper).exhibits[exhibit.key].figures
        printed = {(row, c) for row, cells in figures.items() for c in cells if c not in OF_RUNS}
        shown = {
            (c.row.replace(" (generated runs)", ""), c.column)
            for c in exhibit.comparisons
            if c.printed is not None
        }
        assert printed <= shown


def marked(study: Study, verdict: Verdict) -> set[tuple[str, str, str]]:
    return {
        (e.key, c.row, c.column)
        for e in study.exhibits
        for c in e.comparisons
        if c.verdict is verdict
    }


def test_the_consistent_matrix_gives_every_figure(quick_studies: dict[str, Study]) -> None:
    cells = quick_studies["cardoso-2011"]["table-4"].comparisons
    again = [c for c in cells if c.row.startswith("CM5, consistent")]
    assert len(again) == 7
    assert {c.verdict for c in again} == {Verdict.SAME}


def test_the_counter_example_against_the_cosine() -> None:
    """A prediction above gold is moved to gold, as in the paper's own definition of closer."""
    gold, far, near = [1, 1, 1, 2], [2, 2, 2, 1], [1, 2, 2, 1]
    scores = [measure("cosine")(gold, system, labels=[1, 2]) for system in (far, near)]
    assert scores == [pytest.approx(0.8386, abs=5e-5), pytest.approx(0.8367, abs=5e-5)]
    reason = read_paper("amigo-2020").exhibits["table-2"].errors["cosine", "ordinal_monotonicity"]
    assert "0.8386" in reason.reason
    assert "0.8367" in reason.reason


def test_refuted_claims_of_amigo_show_a_counter_example(quick_studies: dict[str, Study]) -> None:
    cells = quick_studies["amigo-2020"]["table-2"].comparisons
    refuted = [c for c in cells if c.verdict is Verdict.REFUTED]
    assert len(cells) == 72
    depends = [c for c in cells if c.verdict is Verdict.DEPENDS]
    assert len(refuted) == 9
    assert [c.row for c in depends] == ["lwk"] * 2
    assert all("gold (" in c.reason and "system (" in c.reason for c in refuted + depends)
    assert {c.printed for c in refuted + depends} == {"holds"}


def test_generated_runs_are_never_judged(quick_studies: dict[str, Study]) -> None:
    generated = [
        c
        for e in quick_studies["sakai-2021"].exhibits
        for c in e.comparisons
        if "generated" in c.row
    ]
    assert len(generated) > 100
    assert {c.verdict for c in generated} == {Verdict.NONE}
    assert all(c.difference is None for c in generated)


def test_missing_data_are_named_with_where_to_get_them(quick_studies: dict[str, Study]) -> None:
    cell = quick_studies["sakai-2021"]["table-2"].comparisons[0]
    assert cell.verdict is Verdict.NEEDS
    assert "DIR/semeval2016-task4/subtask-C.tsv.gz" in cell.reason
    assert "organisers' bundle" in cell.reason


@pytest.mark.parametrize(
    ("name", "axiom"),
    [("nmd", "ordinal_invariance"), ("rnod", "order_awareness"), ("rsnod", "order_awareness")],
)
def test_statements_of_sakai_that_do_not_hold_in_general(name: str, axiom: str) -> None:
    """The outcome of Table 7 says so."""
    assert axioms(name, [axiom], task="quantification").of(name, axiom).holds is False


def test_every_known_error_is_needed(quick_studies: dict[str, Study]) -> None:
    """An error on record that no computed figure shows would excuse something else."""
    for paper, study in quick_studies.items():
        printed = read_paper(paper).exhibits
        known = {(e, *cell) for e, p in printed.items() for cell in p.errors}
        recorded = (Verdict.MISPRINT, Verdict.REFUTED, Verdict.SUSPECTED, Verdict.DEPENDS)
        assert known == set().union(*(marked(study, verdict) for verdict in recorded))
