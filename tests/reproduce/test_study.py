"""What the verdicts mean."""

import pytest

from ordeval.reproduce import Exhibit, Study, Verdict, exit_code
from ordeval.reproduce.study import (
    Comparison,
    Misprint,
    derived,
    exact,
    order_of,
    rounds_to,
    statistical,
    unjudged,
    words,
)
from ordeval.reproduce.words import exhibit_table


@pytest.mark.parametrize(
    ("ours", "printed", "same"),
    [
        (0.8549, "0.85", True),
        (0.8551, "0.85", False),
        (0.855, "0.85", True),  # either neighbour of a tie will do
        (0.855, "0.86", True),
        (-0.2504, "-0.250", True),
        (1.4, "1", True),
        (0.6, "0.7", False),
    ],
)
def test_the_printed_decimals_decide(ours: float, printed: str, same: bool) -> None:
    assert rounds_to(ours, printed) is same


def misprint() -> Misprint:
    return Misprint("table-3", {"CM4": {"mae": "0.86"}}, "cut off")


def test_a_misprint_is_known_only_for_its_cell() -> None:
    known = exact("table-3", "CM4", "mae", 0.857, "0.85", [misprint()])
    assert (known.verdict, known.reason) == (Verdict.MISPRINT, "cut off")
    assert exact("table-3", "CM4", "mer", 0.857, "0.85", [misprint()]).verdict is Verdict.DIFFERS
    assert exact("table-2", "CM4", "mae", 0.857, "0.85", [misprint()]).verdict is Verdict.DIFFERS


def test_a_misprint_excuses_nothing_but_the_consistent_figure() -> None:
    assert exact("table-3", "CM4", "mae", 0.9, "0.85", [misprint()]).verdict is Verdict.DIFFERS


def test_a_figure_that_agrees_is_no_misprint() -> None:
    assert exact("table-3", "CM4", "mae", 0.85, "0.85", [misprint()]).verdict is Verdict.SAME


@pytest.mark.parametrize(("ours", "fits"), [(0.5099, True), (0.5101, False), (0.4899, False)])
def test_statistical_figures_have_the_tolerance_and_no_more(ours: float, fits: bool) -> None:
    found = statistical("row", "column", ours, "0.50", tolerance=0.01)
    assert found.verdict is (Verdict.WITHIN if fits else Verdict.OUTSIDE)


def test_what_is_not_printed_is_not_called_printed() -> None:
    found = derived("row", "column", 0.5, 0.5)
    assert (found.verdict, found.printed) == (Verdict.DERIVED, None)
    assert derived("row", "column", 0.5, 0.5001).verdict is Verdict.DIFFERS


def test_counts_stay_whole() -> None:
    cells = exhibit_table(Exhibit("t", "", (exact("t", "runs", "number", 12, "11"),))).rows[0]
    assert [cell.text for cell in cells[2:5]] == ["12", "11", "+1"]


def test_figures_on_the_edge_show_that_they_are() -> None:
    cells = exhibit_table(Exhibit("t", "", (exact("t", "CM2", "oc", 0.575, "0.58"),))).rows[0]
    assert cells[2].text == "0.5750"


def test_statements_must_be_the_same() -> None:
    assert words("r", "c", "yes", "yes").verdict is Verdict.SAME
    assert words("r", "c", "no", "yes").verdict is Verdict.DIFFERS
    assert words("r", "c", "no", "yes", chance=True).verdict is Verdict.OUTSIDE


def test_figures_from_other_data_are_not_subtracted() -> None:
    assert unjudged("r", "c", 0.5, "0.4").difference == pytest.approx(0.1)
    assert unjudged("r", "c", 0.5, "0.4", same_input=False).difference is None


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_what_was_not_found_again_makes_the_exit_code_1(verdict: Verdict) -> None:
    cell = Comparison("r", "c", 1.0, "1", verdict)
    study = Study("key", "", "", (Exhibit("table-1", "", (cell,)),))
    assert exit_code([study]) == int(verdict in (Verdict.DIFFERS, Verdict.OUTSIDE))


def test_orders_show_ties() -> None:
    assert order_of({"b": 0.361, "a": 0.2, "c": 0.364}, decimals=2) == "a < b = c"
