"""Numeric labels are their own class values."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
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


def test_declared_values_come_first() -> None:
    assert oe.Scale.of([0, 5, 10], [1, 2, 3]).numbers.tolist() == [1, 2, 3]


def test_inferred_integers_are_their_own_values() -> None:
    counts = oe.Counts.from_labels([0, 1, 2], [0, 2, 2])
    assert counts.scale.numbers.tolist() == [0, 1, 2]


@pytest.mark.parametrize("labels", [[0, 5, 10], [10, 5, 0]])
def test_every_way_to_a_score_uses_the_labels(labels: list[int]) -> None:
    gold, pred = [0, 5, 10], [5, 5, 0]
    counts = oe.Counts.from_labels(gold, pred, labels=labels)
    frame = pd.DataFrame({"gold": gold, "a": pred})
    found = [
        oe.score(gold, pred, "mae", labels=labels),
        oe.measure("mae")(gold, pred, labels=labels),
        float(oe.measure("mae").of(counts)),
        oe.evaluate(gold, pred, labels=labels, measures="mae", bootstrap=0).scores.of("mae"),
        oe.evaluate(data=frame, labels=labels, measures="mae", bootstrap=0).scores.of("mae"),
    ]
    assert found == [5.0] * 5
    assert oe.per_class(gold, pred, labels=labels)["mae"].max() == 10


def test_ratios_and_cosines_start_at_the_labels() -> None:
    gold, pred = [0, 1, 2, 2], [0, 2, 1, 2]
    for measure in ("alpha(level=ratio)", "cosine"):
        inferred = oe.score(gold, pred, measure)
        assert inferred == oe.score(gold, pred, measure, values=[0, 1, 2])
        assert inferred != oe.score(gold, pred, measure, values=[1, 2, 3])


def test_results_say_where_steps_are_unequal() -> None:
    result = oe.evaluate([0, 1, 5], [1, 1, 5], labels=[0, 1, 5], measures="mae", bootstrap=0)
    assert any("not equally far apart" in notice for notice in map(str, result.notes))
    assert "values:0,1,5" in result.signature()
    ranks = oe.evaluate(
        [0, 1, 5], [1, 1, 5], labels=[0, 1, 5], values=range(1, 4), measures="mae", bootstrap=0
    )
    assert not any("far apart" in notice for notice in map(str, ranks.notes))
    order = oe.evaluate([0, 1, 5], [1, 1, 5], labels=[0, 1, 5], measures="accuracy", bootstrap=0)
    assert not any("far apart" in notice for notice in map(str, order.notes))


def test_texts_that_read_as_numbers_are_ranks_and_this_is_said() -> None:
    labels = pd.CategoricalDtype(["0", "1", "5"], ordered=True)
    gold = pd.Series(["0", "1", "5"], dtype=labels)
    result = oe.evaluate(gold, gold, measures="mae", bootstrap=0)
    assert any("ranks 1 to 3" in notice for notice in map(str, result.notes))


def test_a_missing_prediction_becomes_the_class_with_the_farthest_number() -> None:
    assert oe.score([5, 0], [None, 0], "mae", labels=[0, 5, 100], missing="worst") == 47.5


def test_uoc_curves_use_the_labels_of_counts() -> None:
    pytest.importorskip("matplotlib")
    counts = oe.Counts.from_labels([0, 1, 9, 9], [1, 1, 0, 9], labels=[0, 1, 9])
    ax = oe.plot.uoc_curve(counts)
    area = float(oe.measure("auoc").of(counts))
    assert ax.get_legend().get_texts()[0].get_text() == f"UOC: AUOC {area:.3f}"
    assert not np.isclose(area, float(oe.measure("auoc").of(counts.table)))


def test_numbers_written_as_text_are_to_be_converted() -> None:
    gold, pred = ["0", "5", "10"], ["5", "5", "0"]
    with pytest.raises(oe.InputError, match=r"\[int\(x\) for x in labels\]") as caught:
        oe.score(gold, pred, "mae")
    labels = caught.value.suggest["labels"]
    assert oe.score(gold, pred, "mae", labels=labels) == 1
    assert oe.score(list(map(int, gold)), list(map(int, pred)), "mae", labels=[0, 5, 10]) == 5


@pytest.mark.parametrize("labels", [["0", "5", "10"], ["10", "5", "0"], ["0", "5", "20"]])
def test_ranks_of_numbers_written_as_text_are_told(labels: list[str]) -> None:
    found = oe.evaluate(labels, labels[::-1], labels=labels, measures="mae", bootstrap=0)
    notice = next(n for n in map(str, found.notes) if "ranks 1 to 3" in n)
    assert "values=[0, " in notice
    kind = pd.CategoricalDtype(labels, ordered=True)
    by_type = oe.evaluate(pd.Series(labels, dtype=kind), labels[::-1], measures="mae", bootstrap=0)
    enum = pl.Series(labels, dtype=pl.Enum(labels))
    assert notice in tuple(map(str, by_type.notes))
    assert notice in tuple(
        map(str, oe.evaluate(enum, labels[::-1], measures="mae", bootstrap=0).notes)
    )


def test_texts_in_steps_of_one_need_no_notice() -> None:
    labels = ["1", "2", "3"]
    found = oe.evaluate(labels, labels, labels=labels, measures="mae", bootstrap=0)
    assert not any("ranks" in notice for notice in map(str, found.notes))


@pytest.mark.parametrize("kind", [Decimal, Fraction])
def test_decimals_and_fractions_are_numbers(kind: Any) -> None:
    gold, pred = [kind(0), kind(5), kind("2.5")], [kind(5), kind(5), kind(0)]
    labels = [0, 2.5, 5]
    assert oe.score(gold, pred, "mae", labels=labels) == 2.5
    assert oe.score(gold, pred, "mae", labels=list(map(kind, labels))) == 2.5
    assert oe.score([kind(1), None, kind(3)], [1, 2, 2], "mae", missing="skip") == 0.5
    assert oe.score([kind(1), kind(99)], [1, 2], "mae", na=kind(99), missing="skip") == 0
