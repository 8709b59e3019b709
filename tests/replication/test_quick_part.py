"""What needs neither data nor training: everything is reproduced except for known errors."""

from typing import Any

import pytest
from replication.printed import read_paper
from replication.study import run_exhibit

from ordeval import measure
from ordeval.meta import axioms
from replication import PAPERS, Setting, Study, Verdict
from replication import printed as printed_files


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


def test_misprints_of_silva(quick_studies: dict[str, Study]) -> None:
    rows = {(e, r, c) for e, r, c in marked(quick_studies["silva-2018"], Verdict.MISPRINT)}
    others = {(r, c) for e, r, c in rows if r != "ESL RF"}
    assert others == {
        ("Wine SVM", "macro_mae(empty=zero)"),
        ("Wine SVM", "oc(beta=0.25)"),
        ("Wine RF", "r_int"),
    }
    assert len([1 for e, r, _ in rows if (e, r) == ("table-2", "ESL RF")]) == 7
    assert len([1 for e, r, _ in rows if (e, r) == ("figures-4-5", "ESL RF")]) == 4


def test_misprints_of_cardoso(quick_studies: dict[str, Study]) -> None:
    rows = marked(quick_studies["cardoso-2011"], Verdict.MISPRINT)
    assert {(e, r) for e, r, _ in rows} == {("table-3", "CM4"), ("table-4", "CM5")}


def test_the_consistent_matrix_gives_every_figure(quick_studies: dict[str, Study]) -> None:
    cells = quick_studies["cardoso-2011"]["table-4"].comparisons
    again = [c for c in cells if c.row.startswith("CM5, consistent")]
    assert len(again) == 7
    assert {c.verdict for c in again} == {Verdict.SAME}


def test_exchanged_rows_of_amigo(quick_studies: dict[str, Study]) -> None:
    """The paper has no input that shows the error, so that it is suspected only."""
    rows = marked(quick_studies["amigo-2020"], Verdict.SUSPECTED)
    assert {(e, r) for e, r, _ in rows} == {("table-3", "macro_mae"), ("table-3", "mse")}
    known = marked(quick_studies["amigo-2020"], Verdict.MISPRINT)
    assert {e for e, _, _ in known} == {"appendix-b"}


def test_the_printed_cells_of_amigo_are_counted(quick_studies: dict[str, Study]) -> None:
    outcome = quick_studies["amigo-2020"]["table-2"].outcome
    assert "24 measures searched are those of 18 printed rows" in outcome
    assert "54 printed cells. 46 of them agree. 6 claim" in outcome
    assert "2 are those of weighted kappa" in outcome


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


def test_kappa_of_the_post(quick_studies: dict[str, Study], golden: dict[str, Any]) -> None:
    cells = quick_studies["qwk-post"]["kappa"].comparisons
    for cell in cells:
        assert cell.ours == pytest.approx(golden["qwk_post"]["kappa_quadratic"], rel=1e-12)


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


@pytest.mark.parametrize(
    ("spec", "large", "small"),
    [("kendall_b", 0.8, 0.894), ("spearman", 0.833, 0.943), ("rs_f", 0.792, 0.909)],
)
def test_figures_quoted_against_amigo(spec: str, large: float, small: float) -> None:
    gold, m = [1, 1, 2, 3], measure(spec)
    assert m(gold, [1, 2, 2, 3], labels=[1, 2, 3]) == pytest.approx(large, abs=0.0005)
    assert m(gold, [1, 1, 2, 2], labels=[1, 2, 3]) == pytest.approx(small, abs=0.0005)
    reason = read_paper("amigo-2020").exhibits["table-2"].errors[spec, "imbalance"].reason
    assert f"{large:.3f}" in reason
    assert f"{small:.3f}" in reason


def test_every_known_error_is_needed(quick_studies: dict[str, Study]) -> None:
    """An error on record that no computed figure shows would excuse something else."""
    for paper, study in quick_studies.items():
        printed = read_paper(paper).exhibits
        known = {(e, *cell) for e, p in printed.items() for cell in p.errors}
        recorded = (Verdict.MISPRINT, Verdict.REFUTED, Verdict.SUSPECTED, Verdict.DEPENDS)
        assert known == set().union(*(marked(study, verdict) for verdict in recorded))


@pytest.mark.parametrize(
    ("paper", "path", "wrong"),
    [
        ("silva-2018", ("table-1", "printed", "B", 0), "0.57"),
        ("cardoso-2011", ("table-4", "errors", 0, "cells", "CM5", "mer"), "0.72"),
        ("qwk-post", ("weights", "printed", "row 1", 1), "0.35"),
        ("cardoso-2011", ("section-3.3", "printed", "symmetric", 0), "no"),
        (
            "silva-2018",
            ("sentences", "printed", "V-B: MER and OC put the SVM first on ESL", 0),
            "no",
        ),
    ],
)
@pytest.mark.slow
def test_a_wrong_figure_would_be_seen(
    monkeypatch: pytest.MonkeyPatch, paper: str, path: tuple[Any, ...], wrong: str
) -> None:
    entries = printed_files.read_toml(paper)
    place: Any = entries
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = wrong
    monkeypatch.setattr(printed_files, "read_toml", lambda _: entries)
    read_paper.cache_clear()
    try:
        printed = read_paper(paper).exhibits[path[0]]
        assert run_exhibit(PAPERS[paper][path[0]], printed, Setting(quick=True)).fails
    finally:
        read_paper.cache_clear()
