"""On the real runs of SemEval-2016 and the gold of 2017, the printed figures are reproduced."""

import pytest
from replication.amigo_2020 import semeval_2016
from replication.cardoso_2011 import figure_7
from replication.printed import read_paper
from replication.study import run_exhibit

from replication import Setting, Study, Verdict, reproduce


@pytest.fixture(scope="module")
def sakai(data: Setting) -> Study:
    return reproduce("sakai-2021", data)[0]


@pytest.mark.parametrize(("table", "cells"), [("table-2", 36), ("table-8", 15)])
@pytest.mark.slow
def test_similarity_to_the_last_digit(sakai: Study, table: str, cells: int) -> None:
    judged = [c for c in sakai[table].comparisons if c.verdict is not Verdict.NONE]
    assert [c.verdict for c in judged] == [Verdict.SAME] * cells


@pytest.mark.parametrize(("table", "cells"), [("table-3", 20), ("table-9", 14)])
def test_consistency_within_the_error_of_the_experiment(
    sakai: Study, table: str, cells: int
) -> None:
    judged = [c for c in sakai[table].comparisons if c.verdict is not Verdict.NONE]
    assert [c.verdict for c in judged] == [Verdict.WITHIN] * cells


def test_what_the_text_says_of_figure_1(sakai: Study) -> None:
    judged = [c for c in sakai["figure-1"].comparisons if c.verdict is not Verdict.NONE]
    assert [c.verdict for c in judged] == [Verdict.WITHIN] * 2


def test_baselines_of_2017(sakai: Study) -> None:
    cells = sakai["semeval-2017-baselines"].comparisons
    judged = [c for c in cells if c.verdict is not Verdict.NONE]
    assert len(judged) == 24
    assert {c.verdict for c in judged} == {Verdict.SAME}


def test_ranks_in_the_official_results(sakai: Study) -> None:
    cells = sakai["official-ranks"].comparisons
    assert [(c.ours, c.verdict) for c in cells] == [(10, Verdict.SAME), (1, Verdict.SAME)] * 2


def test_sizes_of_the_tabular_sets(data: Setting) -> None:
    printed = read_paper("cardoso-2011").exhibits["figure-7"]
    exhibit = run_exhibit(figure_7, printed, data)
    assert exhibit.tally == {Verdict.SAME: 8, Verdict.NEEDS: 3, Verdict.NONE: 4}
    [bars] = exhibit.drawings
    assert sum(bars.series["ESL"].values()) == 488


@pytest.mark.parametrize("table", ["table-3", "figure-1", "table-4", "table-7", "table-9"])
def test_every_printed_figure_of_the_runs_is_shown(sakai: Study, table: str) -> None:
    figures = read_paper("sakai-2021").exhibits[table].figures
    shown = {(c.row, c.column) for c in sakai[table].comparisons if c.printed is not None}
    of_2017 = ("Sem17T4C", "Sem17T4E")
    for row, cells in figures.items():
        assert row.startswith(of_2017) or {(row, c) for c in cells} <= shown


def test_dialogues_have_the_ntcir_layout(sakai: Study) -> None:
    sizes = {c.column: c.ours for c in sakai["table-1"].comparisons if c.row.startswith("DQ")}
    assert sizes == {"classes": 5, "topics": 390, "runs": 12}


def test_coverage_on_real_runs(data: Setting) -> None:
    printed = read_paper("amigo-2020").exhibits["semeval-2016-c"]
    exhibit = run_exhibit(semeval_2016, printed, data)
    assert len(exhibit.comparisons) == 30
    assert all(isinstance(c.ours, float) and -1 <= c.ours <= 1 for c in exhibit.comparisons)
    assert exhibit.outcome.startswith("By coverage, lowest first: ")
