"""Notes on intervals in the records have the figures of the simulation in benchmarks/."""

import re
from pathlib import Path

import pytest

import ordeval as oe
from ordeval.registry import records

TABLE = Path(__file__).parents[2] / "benchmarks" / "coverage.md"
NOTES = {spec: note for r in records().values() for spec, note in r.intervals.items()}


def figures() -> dict[str, list[float]]:
    """Coverage of percentile and BCa intervals, for one model after another, by measure."""
    row = re.compile(r"^\| ([a-z][^|]*) \| ([0-9*. |]+) \|$", re.MULTILINE)
    rows = row.findall(TABLE.read_text("utf-8"))
    return {spec: [float(cell.strip(" *")) for cell in cells.split("|")] for spec, cells in rows}


def is_off(figure: float) -> bool:
    return not 93 <= figure <= 97


def test_simulated_measures_exist() -> None:
    listed = {str(m) for m in [*oe.measures(batched=True), *oe.measures("quantification")]}
    assert set(figures()) <= listed


def test_measures_with_poor_coverage_have_a_note_and_no_others() -> None:
    # BCa, the default, in either model; percentile only where scores are not near their end.
    poor = {spec for spec, f in figures().items() if any(map(is_off, [f[0], *f[1::2]]))}
    assert set(NOTES) == poor


@pytest.mark.parametrize("spec", NOTES)
def test_notes_have_the_figures_of_the_table(spec: str) -> None:
    noted = [float(figure) for figure in re.findall(r"(\d+\.\d) %", NOTES[spec])]
    found = figures()[spec]
    assert noted[:2] == found[1::2]
    assert set(noted) <= set(found)


def test_a_variant_without_a_note_has_that_of_a_similar_one() -> None:
    assert oe.measure("max_mae").interval_note == NOTES["max_mae"]
    assert oe.measure("oc(beta=0.5)").interval_note.startswith("oc(beta=0.25): 95 % intervals")
    assert oe.measure("kappa(weights=linear)").interval_note == ""
