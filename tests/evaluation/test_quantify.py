"""`quantify`: distributions over topics."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe
from ordeval.spec import measures

RNG = np.random.default_rng(0)
GOLD = RNG.dirichlet(np.ones(4), size=25)
SYSTEMS = {
    name: (1 - noise) * GOLD + noise * RNG.dirichlet(np.ones(4), size=25)
    for name, noise in (("good", 0.1), ("fair", 0.4), ("poor", 0.9))
}
FEW: dict[str, Any] = {"bootstrap": 300, "trials": 500}


def test_every_measure_is_scored_with_intervals_and_tests() -> None:
    result = oe.quantify(GOLD, SYSTEMS, **FEW)
    assert result.scores.measures == tuple(measures("quantification"))
    assert str(result.primary) == "rnod"
    assert result.systems == ("good", "fair", "poor")
    assert result.intervals is not None
    assert np.all(result.intervals.low < result.scores.values)
    assert result.p("good", "poor") < 0.01
    assert result.scores.of("nmd", "fair") == pytest.approx(
        np.mean(oe.measure("nmd").of(GOLD, SYSTEMS["fair"]))
    )


def test_order_and_threads_change_nothing() -> None:
    how: dict[str, Any] = {**FEW, "differences": True, "measures": "nmd, rnod"}
    first = oe.quantify(GOLD, SYSTEMS, **how)
    second = oe.quantify(GOLD, dict(reversed(SYSTEMS.items())), **how, threads=2)
    assert repr(first.difference("good", "fair")) == repr(second.difference("good", "fair"))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_classes_of_frames_are_matched_by_name(frame: Any) -> None:
    names = ["low", "mid", "high", "top"]
    gold = frame(dict(zip(names, GOLD.T, strict=True)))
    turned = {s: frame(dict(zip(names[::-1], p.T[::-1], strict=True))) for s, p in SYSTEMS.items()}
    plain = oe.quantify(GOLD, SYSTEMS, **FEW, labels=names)
    assert oe.quantify(gold, turned, **FEW) == plain
    other_order = names[2:] + names[:2]
    declared = oe.quantify(gold, turned, **FEW, labels=other_order, measures="nmd")
    assert declared.scores.values[0, 0] != plain.scores.of("nmd", "good")


def test_a_frame_with_other_classes_is_refused() -> None:
    gold = pd.DataFrame(GOLD, columns=list("abcd"))
    with pytest.raises(oe.InputError, match="exactly one per class"):
        oe.quantify(gold, pd.DataFrame(GOLD, columns=list("abcx")))


def test_one_topic_has_no_intervals_and_says_so() -> None:
    result = oe.quantify(GOLD[0], {n: p[0] for n, p in SYSTEMS.items()})
    assert result.intervals is None
    assert result.tests is None
    assert any("only one topic" in notice for notice in result.notices)


def test_undefined_topics_follow_the_option() -> None:
    gold = GOLD.copy()
    gold[0] = [0, 0.5, 0.5, 0]
    plain = oe.quantify(gold, SYSTEMS, **FEW, measures="kld")
    assert np.isnan(plain.scores.values).all()
    assert plain.p("good", "poor") < 0.01
    skipped = oe.quantify(gold, SYSTEMS, **FEW, measures="kld", undefined="skip")
    assert skipped.scores.values[0] == pytest.approx(
        np.asarray(skipped.scores.per_topic)[0, :, 1:].mean(axis=1)
    )
    assert skipped.intervals is not None
    assert np.isfinite(skipped.intervals.low).all()


def test_renormalised_rows_are_counted() -> None:
    result = oe.quantify(GOLD * 1.005, SYSTEMS, **FEW)
    assert result.notices[0].endswith("within 1 %): 25 rows.")
    as_given = oe.quantify(GOLD * 1.005, SYSTEMS, **FEW, renormalise=False)
    assert not as_given.notices


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"p_pred": {}}, "empty mapping"),
        ({"p_pred": {"x": GOLD[:3]}}, "every topic needs one"),
        ({"p_pred": {"x": GOLD, 1: GOLD, "1": GOLD}}, "share a name"),
        ({"topics": ["t"] * 25}, "more than once"),
        ({"topics": 3}, "one name per topic"),
        ({"undefined": "drop"}, "a number or 'skip' is expected"),
        ({"undefined": [1]}, "a number or 'skip' is expected"),
        ({"topics": ["t", "u"]}, "2 topics and gold has 25"),
        ({"labels": ["a", "b"]}, "2 classes and gold has 4"),
        ({"measures": "cem"}, "scores labels, not distributions"),
        ({"primary": "cem"}, "scores labels, not distributions"),
    ],
)
def test_unusable_input_is_refused(wrong: dict[str, Any], told: str) -> None:
    given: dict[str, Any] = {"p_true": GOLD, "p_pred": SYSTEMS, **FEW, **wrong}
    with pytest.raises(oe.InputError, match=told):
        oe.quantify(**given)
