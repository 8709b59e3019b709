"""Error texts are under snapshot: each says what was given, what was expected, what to do.

After a change that is meant, run `python tests/core/test_core_messages.py` and read the
difference in messages.json.
"""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval.data.shares import read_distributions

SNAPSHOT = Path(__file__).with_name("messages.json")
SIZES = ["low", "medium", "high"]


def count(gold: Any, pred: Any, **options: Any) -> Any:
    return oe.Counts.from_labels(gold, pred, **options)


def ordered(*categories: str) -> Any:
    return pd.Categorical(categories[:2], categories=categories, ordered=True)


CASES: dict[str, Callable[[], Any]] = {
    # labels
    "lengths differ": lambda: count([1, 2, 3], [1, 2]),
    "lengths of systems differ": lambda: count([1, 2], {"a": [1, 2], "b": [1]}),
    "topics differ in length": lambda: count([1, 2], [1, 2], topic=["x"]),
    "empty": lambda: count([], []),
    "no systems": lambda: count([1, 2], {}),
    "systems of one name": lambda: count([1, 2], {1: [1, 2], "1": [1, 2]}),
    "missing None": lambda: count([1, None, 2], [1, 1, 2]),
    "missing NaN": lambda: count([1.0, 2.0, 1.0], [1.0, np.nan, np.nan]),
    "missing topic": lambda: count([1, 2], [1, 2], topic=["x", None]),
    "all missing": lambda: count([None, 1], [1, None], missing="skip"),
    "unknown missing": lambda: count([1, 2], [1, 2], missing="drop"),
    "outside the scale": lambda: count([1, 2, 9, 7, 9], [1, 2, 2, 1, 1], labels=[1, 2, 3]),
    "outside a scale of words": lambda: count(["low", "huge"], ["low", "low"], labels=SIZES),
    "integers for words": lambda: count([1, 2], [1, 2], labels=["1", "2"]),
    "words for integers": lambda: count(["1", "2"], ["1", "2"], labels=[1, 2]),
    "outside a categorical": lambda: count(
        ordered("low", "medium", "high"), pd.Categorical(["low", "huge"])
    ),
    "unordered strings": lambda: count(["low", "high"], ["low", "low"]),
    "unordered categorical": lambda: count(pd.Categorical(["a", "b"]), pd.Categorical(["a", "b"])),
    "categoricals that differ": lambda: count(ordered("a", "b"), ordered("b", "a")),
    "fractions": lambda: count([0.5, 1.0], [1.0, 1.0]),
    "ids for labels": lambda: count([1, 70_000], [1, 2]),
    "matrix": lambda: count(np.ones((2, 2)), [1, 2]),
    "nested list": lambda: count([[1], [2]], [1, 2]),
    "single number": lambda: count(3, [1]),
    "single string": lambda: count("abc", ["a"]),
    "set": lambda: count({1, 2}, [1, 2]),
    "masked": lambda: count(np.ma.masked_equal([1, 9, 2], 9), [1, 1, 2]),
    "bytes that are no text": lambda: count(np.asarray([b"\xff"]), ["low"], labels=SIZES),
    "no mapping of systems": lambda: oe.JointCounts.from_labels([1, 2], [1, 2]),  # type: ignore[arg-type]
    "Arrow table": lambda: count(pa.table({"x": [1]}), [1]),
    # the scale
    "one class declared": lambda: count([1, 1], [1, 1], labels=[1]),
    "no class declared": lambda: count([1, 1], [1, 1], labels=[]),
    "one class in the data": lambda: oe.Counts.from_table([[3]]),
    "duplicates declared": lambda: oe.Scale.of(["low", "high", "low"]),
    "string declared": lambda: oe.Scale.of("low"),
    "set declared": lambda: oe.Scale.of({"low", "high"}),
    "mapping declared": lambda: oe.Scale.of({"high": 2, "low": 1}),
    "unchecked scale of one class": lambda: count(["a"], ["a"], labels=oe.Scale(("a",))),
    "number declared": lambda: oe.Scale.of(5),
    "lists declared": lambda: oe.Scale.of([[1], [2]]),
    "missing declared": lambda: oe.Scale.of(["low", None]),
    "unordered dtype declared": lambda: oe.Scale.of(pd.CategoricalDtype(["a", "b"])),
    "too few values": lambda: oe.Scale.of(SIZES, [1, 2]),
    "values that fall": lambda: oe.Scale.of(SIZES, [1, 3, 2]),
    "values that are not finite": lambda: oe.Scale.of(SIZES, [1, 2, np.inf]),
    "values that are words": lambda: oe.Scale.of(SIZES, ["a", "b", "c"]),
    "values without a class": lambda: oe.Scale.of(SIZES, {"low": 1, "high": 3}),
    # weights and tables
    "negative weight": lambda: count([1, 2], [1, 2], weight=[1, -1]),
    "weight that is not finite": lambda: count([1, 2], [1, 2], weight=[np.inf, np.nan]),
    "too few weights": lambda: count([1, 2], [1, 2], weight=[1]),
    "weights that are words": lambda: count([1, 2], [1, 2], weight=["a", "b"]),
    "only zero weights": lambda: count([1, 2], [1, 2], weight=[0, 0]),
    "table that is not square": lambda: oe.measure("mae").of([[1, 2, 3], [4, 5, 6]]),
    "table with short rows": lambda: oe.measure("mae").of([[1, 2], [3]]),
    "table of one dimension": lambda: oe.Counts.from_table([1, 2, 3]),
    "negative table": lambda: oe.measure("mae").of([[1, -2], [3, 4]]),
    "table of words": lambda: oe.measure("mae").of([["a", "b"], ["c", "d"]]),
    "table of another scale": lambda: oe.Counts.from_table([[1, 2], [3, 4]], labels=SIZES),
    "unknown system": lambda: count([1, 2], {"a": [1, 2]}).of("b"),
    "unknown pair": lambda: oe.JointCounts.from_labels([1, 2], {"a": [1, 2], "b": [1, 1]}).pair(
        "a", "c"
    ),
    # measures
    "unknown measure": lambda: oe.measure("kapa"),
    "nothing like a measure": lambda: oe.measure("xyzzy"),
    "unknown parameter": lambda: oe.measure("kappa(weight=linear)"),
    "parameter of a measure without any": lambda: oe.measure("accuracy(n=1)"),
    "unusable text": lambda: oe.measure("kappa(weights=quadratc)"),
    "unusable number": lambda: oe.measure("oc(beta=-1)"),
    "number too large": lambda: oe.measure("oc(beta=" + "9" * 400 + ")"),
    "position for a measure without any": lambda: oe.measure("qwk(linear)"),
    "strange escape": lambda: oe.measure("cem('\\d')"),
    "parameters for a measure": lambda: oe.measure(oe.measure("oc"), beta=0.75),
    "parameters for a specification": lambda: oe.measure("oc(beta=0.5)", gamma=2),
    "unknown task": lambda: oe.measures("regression"),
    "too many positions": lambda: oe.measure("alpha(ordinal, 3)"),
    "given twice": lambda: oe.measure("oc(0.25, beta=0.5)"),
    "alias with its parameter": lambda: oe.measure("qwk(weights=linear)"),
    "two measures": lambda: oe.measure("cem, mae"),
    "no measure": lambda: oe.measure(""),
    "not a specification": lambda: oe.measure("kappa(weights='linear'"),
    "code": lambda: oe.measure("__import__('os').system('x')"),
    "not a text": lambda: oe.measure(3),  # type: ignore[arg-type]
    "weights of another scale": lambda: oe.measure("kappa", weights=[[0, 1], [1, 0]]).of(
        np.ones((3, 3))
    ),
    "class outside the scale": lambda: oe.measure("f1_binary(positive=3)").of([[1, 2], [3, 4]]),
    "too many classes": lambda: oe.measure("oc_general").of(np.ones((8, 8))),
    "values of another scale": lambda: oe.measure("mae").of([[1, 2], [3, 4]], values=[1, 2, 3]),
    "values by name without names": lambda: oe.measure("mae").of(
        [[1, 2], [3, 4]], values={1: 10, 2: 20}
    ),
    "values in a text": lambda: oe.measure("mae").of([[1, 2], [3, 4]], values="12"),
    "values without end": lambda: oe.measure("mae").of([[1, 2], [3, 4]], values=5),
    "systems for one class table": lambda: oe.per_class([1, 2], {"a": [1, 2]}),
    "scorer of distributions": lambda: oe.scorer("emd"),
    "scorer with falling values": lambda: oe.scorer("mae", labels=SIZES, values=[3, 2, 1]),
    "systems for one": lambda: oe.score([1, 2], {"a": [1, 2]}, "mae"),
    "unknown aggregate": lambda: oe.score([1, 2], [1, 2], "mae", topic=[1, 2], aggregate="sum"),
    "unknown replacement": lambda: oe.score([1, 2], [1, 2], "mae", topic=[1, 2], undefined="0"),
    "replacement that is no number": lambda: oe.measure("kappa")([1], [1], undefined="skip"),
    "list as a replacement": lambda: oe.score([1, 2], [1, 2], "kappa", undefined=[1]),
    # distributions
    "weights for distributions": lambda: oe.score([1, 0], [0, 1], "emd", weight=[1, 2]),
    "topics for distributions": lambda: oe.score([1, 0], [0, 1], "emd", topic=["a", "b"]),
    "labels of another scale": lambda: oe.score([1, 0], [0, 1], "emd", labels=SIZES),
    "one distribution": lambda: oe.measure("emd").of([0.5, 0.5]),
    "classes differ": lambda: oe.measure("emd").of([0.5, 0.5], [0.2, 0.3, 0.5]),
    "rows differ": lambda: oe.measure("emd").of([[0.5, 0.5]] * 2, [[0.5, 0.5]] * 3),
    "many for one": lambda: oe.measure("emd")([[0.5, 0.5]] * 2, [[0.5, 0.5]] * 2),
    "sum off": lambda: read_distributions([[0.5, 0.5], [0.5, 0.6]], "gold", row_names=["x", "y"]),
    "negative share": lambda: read_distributions([-0.1, 1.1], "gold"),
    "missing share": lambda: read_distributions([0.1, np.nan], "gold"),
    "only zeros": lambda: read_distributions([[1, 2], [0, 0]], "gold"),
    "ragged": lambda: read_distributions([[1, 2], [1]], "gold"),
    "one class only": lambda: read_distributions([[1.0]], "gold"),
    "no rows": lambda: read_distributions(np.empty((0, 3)), "gold"),
}


def message(case: str) -> str:
    with pytest.raises(oe.InputError) as caught:
        CASES[case]()
    return str(caught.value)


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    assert message(case) == json.loads(SNAPSHOT.read_text(encoding="utf-8"))[case]


def test_no_message_is_left_over() -> None:
    assert list(json.loads(SNAPSHOT.read_text(encoding="utf-8"))) == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_no_cause_is_shown(case: str) -> None:
    with pytest.raises(oe.InputError) as caught:
        CASES[case]()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_undefined_warning() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        oe.score([2, 2], [2, 2], "kappa", labels=[1, 2, 3])
    assert [str(w.message) for w in found] == [
        "kappa(weights='linear') is undefined here: gold and predictions are all of the same "
        "class. Pass undefined=… to get a number instead of NaN."
    ]
    assert found[0].filename == __file__


if __name__ == "__main__":
    found = {case: message(case) for case in CASES}
    SNAPSHOT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
