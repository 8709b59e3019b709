"""Numeric labels are their own class values."""

import numpy as np
import pandas as pd
import pytest

import ordeval as oe


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [
        ([0, 5, 10], [0, 5, 10]),
        ([0.5, 1, 4], [0.5, 1, 4]),
        (range(-2, 3), [-2, -1, 0, 1, 2]),
        ([5, 4, 2], [2, 3, 5]),  # from high to low: reflected
        ([3, 1, 2], [1, 2, 3]),  # in no order of the numbers: ranks
        (["0", "5", "20"], [1, 2, 3]),
        ([False, True], [1, 2]),
        ([0, 10**400], [1, 2]),
        ([2**60, 2**60 + 1], [1, 2]),  # equal as floating-point numbers
    ],
)
def test_numbers_of_labels(labels: list[object], numbers: list[float]) -> None:
    assert oe.Scale.of(labels).numbers.tolist() == numbers


def test_ratios_and_cosines_start_at_the_labels() -> None:
    gold, pred = [0, 1, 2, 2], [0, 2, 1, 2]
    for measure in ("alpha(level=ratio)", "cosine"):
        inferred = oe.score(gold, pred, measure)
        assert inferred == oe.score(gold, pred, measure, values=[0, 1, 2])
        assert inferred != oe.score(gold, pred, measure, values=[1, 2, 3])


def test_results_say_where_steps_are_unequal() -> None:
    result = oe.evaluate([0, 1, 5], [1, 1, 5], labels=[0, 1, 5], measures="mae", draws=0)
    assert any("not equally far apart" in notice for notice in map(str, result.notes))
    assert "values:0,1,5" in result.signature()
    ranks = oe.evaluate(
        [0, 1, 5], [1, 1, 5], labels=[0, 1, 5], values=range(1, 4), measures="mae", draws=0
    )
    assert not any("far apart" in notice for notice in map(str, ranks.notes))
    order = oe.evaluate([0, 1, 5], [1, 1, 5], labels=[0, 1, 5], measures="accuracy", draws=0)
    assert not any("far apart" in notice for notice in map(str, order.notes))


def test_uoc_curves_use_the_labels_of_counts() -> None:
    pytest.importorskip("matplotlib")
    counts = oe.Counts.from_labels([0, 1, 9, 9], [1, 1, 0, 9], labels=[0, 1, 9])
    ax = oe.plot.uoc_curve(counts)
    area = float(oe.measure("auoc").of(counts))
    assert ax.get_legend().get_texts()[0].get_text() == f"UOC: AUOC {area:.3f}"
    assert not np.isclose(area, float(oe.measure("auoc").of(counts.table)))


def test_numbers_written_as_text_are_to_be_converted() -> None:
    gold, pred = ["0", "5", "10"], ["5", "5", "0"]
    with pytest.raises(oe.InputError, match="order of the labels") as caught:
        oe.score(gold, pred, "mae")
    labels = caught.value.suggest["labels"]
    assert oe.score(gold, pred, "mae", labels=labels) == 1
    assert oe.score(list(map(int, gold)), list(map(int, pred)), "mae", labels=[0, 5, 10]) == 5


def test_texts_that_read_as_numbers_are_ranks_and_this_is_said() -> None:
    labels = pd.CategoricalDtype(["0", "1", "5"], ordered=True)
    gold = pd.Series(["0", "1", "5"], dtype=labels)
    result = oe.evaluate(gold, gold, measures="mae", draws=0)
    assert any("ranks 1 to 3" in notice for notice in map(str, result.notes))
