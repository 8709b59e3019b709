"""What the verdicts mean."""

from typing import Any

import pytest
from replication.printed import KnownError, Printed
from replication.study import (
    Comparison,
    Fact,
    Ours,
    Setting,
    judge,
    rounds_to,
    run_exhibit,
)

from replication import Exhibit, Study, Verdict


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


def printed(figure: str | None = None, error: KnownError | None = None, **entry: Any) -> Printed:
    """A table with one row and one column."""
    figures = {} if figure is None else {"row": {"column": figure}}
    errors = {} if error is None else {("row", "column"): error}
    return Printed("paper", "table-3", entry, ("column",), figures, errors)


def ours(value: Any, **more: Any) -> Ours:
    return Ours("row", "column", value, **more)


MISPRINT = KnownError("MISPRINT", "truncated", "0.86")


def test_a_misprint_is_known_only_for_its_cell() -> None:
    known = judge(ours(0.857), printed("0.85", MISPRINT))
    assert (known.verdict, known.reason) == (Verdict.MISPRINT, "truncated")
    assert judge(ours(0.857), printed("0.85")).verdict is Verdict.DIFFERS
    other = Ours("row 2", "column", 0.857, printed="0.85")
    assert judge(other, printed("0.85", MISPRINT)).verdict is Verdict.DIFFERS


def test_a_misprint_excuses_only_the_consistent_figure() -> None:
    assert judge(ours(0.9), printed("0.85", MISPRINT)).verdict is Verdict.DIFFERS


def test_a_figure_that_agrees_is_no_misprint() -> None:
    assert judge(ours(0.85), printed("0.85", MISPRINT)).verdict is Verdict.SAME


def test_a_claim_is_refuted_only_by_a_counter_example() -> None:
    claim = KnownError("REFUTED", "It fails.", None)
    shown = judge(ours("fails", note="Example.", explained=True), printed("holds", claim))
    assert (shown.verdict, shown.reason) == (Verdict.REFUTED, "It fails. Example.")
    assert judge(ours("fails"), printed("holds", claim)).verdict is Verdict.DIFFERS
    unknown = judge(ours("fails", explained=True), printed("holds"))
    assert unknown.verdict is Verdict.DIFFERS


@pytest.mark.parametrize(("value", "fits"), [(0.5099, True), (0.5101, False), (0.4899, False)])
def test_random_figures_must_be_within_the_tolerance(value: float, fits: bool) -> None:
    found = judge(ours(value, tolerance=0.01), printed("0.50"))
    assert found.verdict is (Verdict.WITHIN if fits else Verdict.OUTSIDE)
    assert found.reason == "tolerance ±0.01"


def test_statements_must_be_the_same() -> None:
    assert judge(ours("yes"), printed("yes")).verdict is Verdict.SAME
    assert judge(ours("no"), printed("yes")).verdict is Verdict.DIFFERS
    assert judge(ours("no", tolerance=0.0), printed("yes")).verdict is Verdict.OUTSIDE
    assert judge(ours("yes", tolerance=0.0), printed("yes")).verdict is Verdict.WITHIN


def test_what_cannot_be_computed_says_why() -> None:
    found = judge(ours(None, note="needs a file"), printed("0.4"))
    assert (found.verdict, found.printed) == (Verdict.NEEDS, "0.4")
    assert found.reason == "needs a file"


def test_notes_are_filled_with_facts_or_left_out() -> None:
    table = printed("0.4", chosen="{repeats} repeats{quick}", outcome="{good} of {judged} agree.")

    def computed(setting: Setting, printed: Printed) -> Any:
        yield Fact("repeats", 5)
        yield ours(0.4)

    def missing(setting: Setting, printed: Printed) -> Any:
        yield ours(None)

    found = run_exhibit(computed, table, Setting(quick=True))
    assert (found.chosen, found.outcome) == ("5 repeats (quick)", "1 of 1 agree.")
    lacking = run_exhibit(missing, table, Setting())
    assert (lacking.chosen, lacking.outcome) == ("", "")


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_what_was_not_found_again_fails(verdict: Verdict) -> None:
    cell = Comparison("r", "c", 1.0, "1", verdict)
    study = Study("key", "", "", (Exhibit("table-1", "", (cell,)),))
    assert study.fails is (verdict in (Verdict.DIFFERS, Verdict.OUTSIDE))
