"""What messages suggest, and that they stay short."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.errors import nearest

LONG = list(range(1, 6)) * 20_000
WORD = "x" * 10**5


def message(call: Callable[..., Any], *given: Any, **options: Any) -> str:
    with pytest.raises(oe.InputError) as caught:
        call(*given, **options)
    text = str(caught.value)
    assert len(text) <= 2000
    assert text.count("\n") < 20
    return text


@pytest.mark.parametrize("order", [("qwk", LONG, LONG), (LONG, "qwk", LONG)])
def test_swapped_arguments_of_score(order: tuple[Any, ...]) -> None:
    assert "score(y_true, y_pred, measure)" in message(oe.score, *order)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("mea", "mae"),
        ("spearmen", "spearman"),
        ("cohen", "cohen_kappa"),
        ("quadratic weighted kappa", "quadratic_weighted_kappa"),
        ("mean absolute error", "mean_absolute_error"),
        ("pearsons", "pearson"),
    ],
)
def test_measures_are_found_by_a_similar_name(name: str, meant: str) -> None:
    assert f"Did you mean {meant!r}?" in message(oe.measure, name)


def test_no_measure_is_close_to_nonsense() -> None:
    assert "Did you mean" not in message(oe.measure, "zzz")


def test_options_and_systems_have_close_names() -> None:
    assert "Did you mean 'skip'?" in message(oe.score, [1], [1], "mae", missing="skp")
    result = oe.evaluate([1, 2], {"bert": [1, 2]}, measures="mae", bootstrap=0)
    assert "Did you mean 'bert'?" in message(result.scores.of, "mae", "brt")


@given(st.text(max_size=8), st.lists(st.text(max_size=8)))
def test_the_nearest_word_is_a_known_one(word: str, known: list[str]) -> None:
    found = nearest(word, known)
    assert found is None or found in known


def test_numbers_between_classes_are_rounded_on_request() -> None:
    text = message(oe.score, [1, 2, 3], [1.5, 2, 3], "mae", labels=[1, 2, 3])
    assert "bins='round'" in text
    assert "bins='round'" in message(oe.score, [1, 2, 3], [1.5, 2, 3], "mae")


@pytest.mark.parametrize("labels", [None, [0, 1]])
@pytest.mark.parametrize("pred", [[0.2, 0.7], np.array([[0.2, 0.8], [0.7, 0.3]])])
def test_probabilities_are_recognised(pred: Any, labels: Any) -> None:
    assert "probabilities" in message(oe.score, [0, 1], pred, "mae", labels=labels)


def test_an_alphabetical_order_is_said_to_need_a_check() -> None:
    assert "in the right order, lowest first; in no particular order: labels=['a', 'b']" in message(
        oe.score, ["b", "a"], ["a", "b"], "mae"
    )


@pytest.mark.parametrize("label", ["Low", " low", "LOW "])
def test_differences_of_case_and_spaces_are_named(label: str) -> None:
    text = message(oe.score, [label, "high"], ["low", "high"], "mae", labels=["low", "high"])
    assert f"{label!r} and 'low' differ in case or spaces only" in text


HUGE: dict[str, Any] = {
    "word": WORD,
    "list": LONG,
    "words": [WORD, "b"] * 50,
    "array": np.asarray(LONG, dtype=float) / 7,
    "square": np.ones((400, 400)),
    "mapping": {f"system {i}": [1, 2, 3] for i in range(3000)},
    "long name": {WORD: [1, 2, 3]},
    "nested": [LONG] * 3,
    "frame": pd.DataFrame({f"c{i}": ["u", "v"] for i in range(500)}),
    "none": None,
    "number": 10**4000,
}


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(HUGE)),
    st.sampled_from(sorted(HUGE)),
    st.sampled_from(["labels", "values", "measures", "missing", "na", "topics", "weight"]),
    st.sampled_from(sorted(HUGE)),
)
def test_no_message_is_long(gold: str, pred: str, option: str, value: str) -> None:
    options = {"measures": "mae", "bootstrap": 0, option: HUGE[value]}
    for call in (oe.evaluate, oe.compare):
        text = ""
        try:
            call(HUGE[gold], HUGE[pred], **options)
        except oe.InputError as error:
            text = str(error)
        assert len(text) <= 2000
        assert text.count("\n") < 20
