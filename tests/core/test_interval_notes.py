"""When intervals are doubtful, and the page with their simulated coverage."""

import re
from pathlib import Path

import numpy as np
import pytest

import ordeval as oe

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
ROW = re.compile(r"^\| ([a-z][^|]*) \| ([^|]*\d[^\n]*) \|$", re.MULTILINE)


def rows() -> list[tuple[str, list[str]]]:
    """Measures and the cells of their rows, table after table."""
    found = ROW.findall(PAGE.read_text("utf-8"))
    return [
        (spec, [cell.strip() for cell in cells.split("|")])
        for spec, cells in found
        if spec not in ("measure", "population")
    ]


def test_the_page_has_every_measure() -> None:
    listed = {m.specification for m in [*oe.measures(batched=True), *oe.measures("quantification")]}
    assert {spec for spec, _ in rows()} == listed


def test_no_figure_misses_its_target_without_a_word() -> None:
    cells = [cell for _, cells in rows() for cell in cells]
    assert len(cells) > 2000
    assert not [cell for cell in cells if "**" in cell]


@pytest.mark.parametrize(
    ("name", "sizes", "doubt"),
    [
        ("macro_mae", [40, 9, 60], "a class has fewer than 10 items"),
        ("macro_mae", [40, 10, 60], ""),
        ("mae", [40, 9, 60], ""),
        ("max_mae", [1e6, 1e6], "the largest of several errors is too large by chance"),
        ("min_sensitivity", [1e6, 1e6], "the lowest of several recalls is too low by chance"),
        ("mutual_information", [50, 49], "there are fewer than 25 items per cell"),
        ("mutual_information", [50, 50], ""),
    ],
)
def test_few_items_and_extremes_make_intervals_doubtful(
    name: str, sizes: list[float], doubt: str
) -> None:
    found = oe.measure(name).interval_doubt(np.array(sizes, dtype=float))
    assert bool(found) == bool(doubt)
    assert found.startswith(doubt[:29])


def marked(k: int, items: int, spread: int = 0) -> set[str]:
    """Return the measures with marked intervals, of predictions that are at most so far off."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, k, items)
    predicted = np.clip(gold + rng.integers(-spread, spread + 1, items), 0, k - 1)
    result = oe.evaluate(gold, predicted, "qwk, rmse, mae, accuracy, cem", labels=range(k))
    notes = [n.text for n in result.notes if n.kind == "doubt"]
    names = {str(m) for m in result.measures if result[m].doubt}
    assert bool(notes) == bool(names)
    return names


def test_rare_far_errors_make_intervals_doubtful_where_they_matter() -> None:
    """Few items on a long scale do not show them; accuracy and CEM depend little on distance."""
    assert marked(21, 100) == {"qwk", "rmse", "mae"}
    assert marked(21, 100, spread=1) == {"qwk", "rmse", "mae"}
    assert marked(11, 100, spread=3) == set()
    assert marked(5, 100, spread=1) == marked(2, 20) == marked(21, 300) == set()


def test_differences_are_marked_as_scores_are() -> None:
    gold = np.arange(100) % 21
    systems = {"a": gold, "b": np.clip(gold + np.arange(100) % 2, 0, 20)}
    pair = oe.compare(gold, systems, "qwk, accuracy", labels=range(21)).pair
    assert pair("a", "b", "qwk").doubt
    assert not pair("a", "b", "accuracy").doubt
