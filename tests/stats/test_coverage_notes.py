"""The notes on intervals say what the simulation found."""

import re
from pathlib import Path

import pytest

from ordeval.spec import measures, parse_measure
from ordeval.stats.coverage_notes import NOTES, coverage_note

TABLE = Path(__file__).parents[2] / "benchmarks" / "coverage.md"


def figures() -> dict[str, list[float]]:
    """Figures of every measure: percentile and BCa, for one model after another."""
    rows = re.findall(r"^\| ([a-z][^|]*) \| ([0-9*. |]+) \|$", TABLE.read_text("utf-8"), re.M)
    return {spec: [float(cell.strip(" *")) for cell in cells.split("|")] for spec, cells in rows}


def outside(figure: float) -> bool:
    return not 93 <= figure <= 97


def test_every_measure_was_simulated() -> None:
    expected = [*measures(batched=True), *measures("quantification")]
    assert set(figures()) == {str(m) for m in expected}


def test_measures_whose_intervals_fall_short_have_a_note_and_no_others() -> None:
    # The default method in either model, or the other one where scores are not near their end.
    short = {spec for spec, f in figures().items() if any(map(outside, [f[0], *f[1::2]]))}
    assert set(NOTES) == short


@pytest.mark.parametrize("spec", NOTES)
def test_notes_have_the_figures_of_the_table(spec: str) -> None:
    told = [float(figure) for figure in re.findall(r"(\d+\.\d) %", NOTES[spec])]
    found = figures()[spec]
    assert told[:2] == found[1::2]
    assert set(told) <= set(found)


def test_a_variant_gets_the_note_of_its_kin() -> None:
    assert coverage_note(parse_measure("max_mae")) == NOTES["max_mae"]
    assert coverage_note(parse_measure("oc(beta=0.5)")).startswith("oc(beta=0.25): 95 % intervals")
    assert coverage_note(parse_measure("kappa(weights=linear)")) == ""
