"""When intervals are doubtful, and the page with their simulated coverage."""

import re
from pathlib import Path

import numpy as np

import ordeval as oe

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
ROW = re.compile(r"^\| ([a-z][^|]*) \| ([^|]*\d[^\n]*) \|$", re.MULTILINE)


def rows() -> list[tuple[str, list[str]]]:
    """Measures and the cells of their rows, table after table."""
    found = ROW.findall(PAGE.read_text("utf-8"))
    return [
        (spec, [cell.strip() for cell in cells.split("|")])
        for spec, cells in found
        if spec != "measure"
    ]


def test_the_page_has_every_measure() -> None:
    listed = {m.specification for m in [*oe.measures(batched=True), *oe.measures("quantification")]}
    assert {spec for spec, _ in rows()} == listed


def test_no_figure_misses_its_target_without_a_word() -> None:
    cells = [cell for _, cells in rows() for cell in cells]
    assert len(cells) > 2000
    assert not [cell for cell in cells if "**" in cell]


def test_a_small_class_makes_averages_over_classes_doubtful() -> None:
    few, many = np.array([40.0, 9.0, 60.0]), np.array([40.0, 10.0, 60.0])
    assert oe.measure("macro_mae").interval_doubt(few) == "a class has fewer than 10 items"
    assert oe.measure("macro_mae").interval_doubt(many) == ""
    assert oe.measure("mae").interval_doubt(few) == ""


def test_the_extreme_of_several_classes_is_always_doubtful() -> None:
    many = np.array([1e6, 1e6])
    doubt = oe.measure("max_mae").interval_doubt(many)
    assert doubt == "the largest of several errors is too large by chance"
    doubt = oe.measure("min_sensitivity").interval_doubt(many)
    assert doubt == "the lowest of several recalls is too low by chance"


def test_few_items_per_cell_make_mutual_information_doubtful() -> None:
    m = oe.measure("mutual_information")
    assert m.interval_doubt(np.array([50.0, 49.0])).startswith("there are fewer than 25 items")
    assert m.interval_doubt(np.array([50.0, 50.0])) == ""
