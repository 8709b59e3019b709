"""Intervals of differences: paired, by joint counts or shared topics."""

import inspect
from typing import Any

import numpy as np
import pytest
from small_data import constant_on_a_topic, labels

import ordeval as oe
from ordeval import stats
from ordeval.stats.resample import bootstrap as own_table_bootstrap

GOLD, SYSTEMS, TOPICS = labels(items=400)
ALIKE = {"a": SYSTEMS["a"], "a2": np.where(np.arange(400) % 20 == 0, GOLD, SYSTEMS["a"])}
FEW: dict[str, Any] = {"labels": range(5), "measures": "cem, mae", "draws": 600}
WAYS = [
    {},
    {"topic": TOPICS},
    {"topic": TOPICS, "aggregate": "pool"},
    {"topic": TOPICS, "over": "items"},
    {"topic": TOPICS, "over": "both"},
    {"topic": TOPICS, "over": "both", "aggregate": "pool"},
    {"method": "percentile"},
]


@pytest.mark.parametrize("way", WAYS)
def test_interval_holds_the_difference_and_turns_with_the_pair(way: dict[str, Any]) -> None:
    result = oe.compare(GOLD, SYSTEMS, **FEW, **way)
    there, back = result.pair("a", "b", "mae"), result.pair("b", "a", "mae")
    assert there.value == result.scores.of("mae", "a") - result.scores.of("mae", "b")
    assert there.low < there.value < there.high
    assert (back.value, back.low, back.high) == (-there.value, -there.high, -there.low)
    assert back.p == there.p == result.pair("a", "b", "mae").p


@pytest.mark.parametrize("way", [{}, {"topic": TOPICS, "over": "items"}])
def test_pairing_makes_differences_of_alike_systems_narrow(way: dict[str, Any]) -> None:
    result = oe.compare(GOLD, ALIKE, **FEW, **way)
    unpaired = np.hypot(*result.intervals.se[1])
    assert result.pair("a", "a2", "mae").se < 0.5 * unpaired


def test_skipped_topics_leave_the_difference_of_the_shown_scores() -> None:
    gold, systems, topics = constant_on_a_topic()
    systems["b"] = np.where(topics == 1, 3, systems["b"])  # undefined there for one system only
    how: dict[str, Any] = {"labels": range(5), "measures": "kendall_b", "draws": 400}
    for over in ("topics", "items", "both"):
        result = oe.compare(gold, systems, **how, topic=topics, over=over, undefined="skip")
        found = result.pair("a", "b")
        assert found.low < found.value < found.high, over


def test_nothing_public_hands_out_replicates_of_one_systems_table() -> None:
    exported = {getattr(stats, name) for name in stats.__all__}
    assert own_table_bootstrap not in exported
    assert not hasattr(stats, "bootstrap")
    arrays = [f for f in exported if inspect.isfunction(f) and "ndarray" in str(f.__annotations__)]
    replicates = {f.__name__ for f in arrays if "plan" in inspect.signature(f).parameters}
    assert {name for name in replicates if not name.endswith("_interval")} <= {
        "randomised_tukey",
        "max_t",
    }


def test_a_pair_of_own_tables_is_refused_where_items_are_resampled() -> None:
    tables = np.stack([np.diag([3, 4, 2]), np.diag([4, 3, 2])])[:, None]

    def accuracy(n: Any) -> Any:
        return (np.trace(n, axis1=-2, axis2=-1) / n.sum(axis=(-2, -1)))[None]

    with pytest.raises(oe.InputError, match="of one system"):
        stats.table_interval(tables, accuracy)
    with pytest.raises(oe.InputError, match="joint counts"):
        stats.table_interval(tables[:, 0, :2], accuracy, joint=True)
