"""`evaluate`: scores with intervals."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from small_data import constant_on_a_topic, labels

import ordeval as oe
from ordeval.measures.spec import measures

GOLD, SYSTEMS, TOPICS = labels()
FEW: dict[str, Any] = {"labels": range(5), "measures": "cem, mae, kendall_b", "draws": 300}


def same(a: oe.Result, b: oe.Result, *names: str) -> None:
    """The intervals of two results are the same, system by system."""
    assert a.intervals is not None
    assert b.intervals is not None
    for name in names or a.scores.systems:
        i, j = a.scores.systems.index(name), b.scores.systems.index(name)
        assert np.array_equal(a.scores.values[:, i], b.scores.values[:, j], equal_nan=True)
        for part in ("low", "high", "se", "undefined"):
            first, second = getattr(a.intervals, part), getattr(b.intervals, part)
            assert np.array_equal(first[:, i], second[:, j], equal_nan=True)


def test_every_batched_measure_has_an_interval_around_its_score() -> None:
    result = oe.evaluate(GOLD, SYSTEMS["b"], "all", labels=range(5))
    assert result.scores.measures == tuple(measures(batched=True))
    found = result.intervals
    assert np.all(found.low <= result.scores.values)
    assert np.all(result.scores.values <= found.high)
    assert np.all(found.se > 0)
    assert (found.over, found.replicates, found.level) == ("items", 2000, 0.95)
    assert found.method == "dirichlet"


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_intervals_stay_within_the_bounds_of_perfect_systems(method: str) -> None:
    perfect = oe.evaluate(GOLD, GOLD, labels=range(5), draws=200, method=method)
    found = perfect.intervals
    for i, m in enumerate(perfect.scores.measures):
        low, high = m.bounds(5)
        assert low <= found.low[i, 0] <= found.high[i, 0] <= high, m


@pytest.mark.parametrize("over", ["items", "topics", "both"])
@pytest.mark.parametrize("aggregate", ["mean", "pool"])
def test_order_threads_and_number_of_systems_change_nothing(over: str, aggregate: str) -> None:
    how: dict[str, Any] = {**FEW, "topic": TOPICS, "over": over, "aggregate": aggregate}
    first = oe.evaluate(GOLD, SYSTEMS, **how)
    turned = oe.evaluate(GOLD, dict(reversed(SYSTEMS.items())), **how)
    alone = oe.evaluate(GOLD, {"b": SYSTEMS["b"]}, **how)
    same(first, turned)
    same(alone, first, "b")


@pytest.mark.parametrize("rng", [None, np.random.default_rng(4)])
def test_a_seed_that_was_drawn_is_kept(rng: np.random.Generator | None) -> None:
    default, drawn = oe.evaluate(GOLD, SYSTEMS, **FEW), oe.evaluate(GOLD, SYSTEMS, **FEW, rng=rng)
    assert default.intervals.seed == 0
    assert not np.array_equal(default.intervals.low, drawn.intervals.low)
    same(drawn, oe.evaluate(GOLD, SYSTEMS, **FEW, rng=drawn.intervals.seed))


def test_a_single_topic_is_scored_as_no_topics() -> None:
    one = oe.evaluate(GOLD, SYSTEMS, **FEW, topic=np.zeros_like(GOLD))
    none = oe.evaluate(GOLD, SYSTEMS, **FEW)
    assert np.allclose(one.scores.values, none.scores.values)
    assert one.intervals.over == "items"
    assert np.all(one.intervals.se > 0)


def test_pooled_topics_are_one_table() -> None:
    pooled = oe.evaluate(GOLD, SYSTEMS, **FEW, topic=TOPICS, aggregate="pool")
    assert np.array_equal(pooled.scores.values, oe.evaluate(GOLD, SYSTEMS, **FEW).scores.values)
    assert "agg:pool|topics:8" in pooled.signature()


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_frequencies_are_repetitions(method: Any) -> None:
    times = np.arange(len(GOLD)) % 3
    counted = oe.evaluate(GOLD, SYSTEMS, **FEW, frequency=times, method=method)
    repeated = {n: np.repeat(p, times) for n, p in SYSTEMS.items()}
    same(counted, oe.evaluate(np.repeat(GOLD, times), repeated, **FEW, method=method))


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_weights_widen_intervals_whatever_their_unit(method: Any) -> None:
    how: dict[str, Any] = {**FEW, "measures": "mae, accuracy", "method": method}
    weight = np.random.default_rng(1).lognormal(sigma=1.2, size=len(GOLD))
    one = oe.evaluate(GOLD, SYSTEMS, **how, weight=weight)
    other = oe.evaluate(GOLD, SYSTEMS, **how, weight=1e4 * weight)
    plain = oe.evaluate(GOLD, SYSTEMS, **how)
    assert plain.intervals is not None
    assert np.allclose(one.intervals.low, other.intervals.low, rtol=1e-9)
    wide, narrow = (found.high - found.low for found in (one.intervals, plain.intervals))
    assert wide.mean() > 1.3 * narrow.mean()
    assert any("of equal weight" in notice for notice in map(str, one.notes))


def test_a_perfect_score_has_an_interval_with_width() -> None:
    for more in ({}, {"topic": TOPICS}, {"cluster": TOPICS}):
        found = oe.evaluate(GOLD, GOLD, **FEW, **more).intervals
        assert np.all(found.high - found.low > 0.005)


def test_clusters_are_the_units_of_intervals() -> None:
    # Every item is there four times: the clusters say so, and the interval is that of a quarter.
    gold, pred = np.repeat(GOLD, 4), np.repeat(SYSTEMS["b"], 4)
    cluster = np.repeat(np.arange(len(GOLD)), 4)
    naive = oe.evaluate(gold, pred, **FEW)
    clustered = oe.evaluate(gold, pred, **FEW, cluster=cluster)
    single = oe.evaluate(GOLD, SYSTEMS["b"], **FEW)
    assert (clustered.intervals.method, clustered.intervals.over) == ("t", "clusters")
    assert np.allclose(clustered.intervals.se, single.intervals.se, rtol=0.15)
    assert np.all(naive.intervals.se < 0.6 * clustered.intervals.se)


def test_one_cluster_has_no_intervals() -> None:
    result = oe.evaluate(GOLD, SYSTEMS, **FEW, cluster=np.zeros_like(GOLD))
    assert result.intervals is None
    assert any("only one cluster" in notice for notice in map(str, result.notes))


def test_undefined_topics_make_undefined_means_with_a_notice() -> None:
    gold, systems, topics = constant_on_a_topic()
    result = oe.evaluate(gold, systems, **FEW, topic=topics)
    assert np.isnan(result.scores.of("kendall_b", "a"))
    assert not np.isnan(result.scores.of("mae", "a"))
    assert np.isnan(result.intervals.low[2]).all()
    assert any("3 scores are undefined" in notice for notice in map(str, result.notes))


@pytest.mark.parametrize("undefined", ["skip", 0])
@pytest.mark.parametrize("over", ["topics", "items", "both"])
def test_undefined_topics_can_be_skipped_or_replaced(undefined: Any, over: str) -> None:
    gold, systems, topics = constant_on_a_topic()
    result = oe.evaluate(gold, systems, **FEW, topic=topics, undefined=undefined, over=over)
    per_topic = np.asarray(result.scores.per_topic)[2]
    kept = per_topic[:, 1:].sum(axis=1) / (7 if undefined == "skip" else 8)
    assert result.scores.values[2] == pytest.approx(kept)
    assert np.all(result.intervals.low[2] < result.intervals.high[2])
    assert f"undefined:{undefined}" in result.signature()


def test_undefined_replicates_are_counted_and_told() -> None:
    gold, predicted = [0, 0, 0, 0, 1], [0, 0, 0, 0, 1]
    how: dict[str, Any] = {"labels": [0, 1], "measures": "kendall_b", "draws": 500}
    result = oe.evaluate(gold, predicted, **how, method="percentile")
    # All five drawn items are of the first class with probability 0.8⁵ = 0.33.
    assert 120 < result.intervals.undefined[0, 0] < 210
    assert any("replicates are undefined" in notice for notice in map(str, result.notes))


def test_a_measure_that_is_not_batched_has_a_score_and_over_topics_an_interval() -> None:
    how: dict[str, Any] = {"labels": range(3), "draws": 100}
    how["measures"] = "mae, oc_general(beta1=0.5, beta2=0.5)"
    gold, predicted = GOLD % 3, SYSTEMS["b"] % 3
    by_item = oe.evaluate(gold, predicted, **how)
    assert np.isfinite(by_item.scores.values).all()
    assert np.isnan(by_item.intervals.low[1, 0])
    assert any("No intervals for 'oc_general" in notice for notice in map(str, by_item.notes))
    by_topic = oe.evaluate(gold, predicted, **how, topic=TOPICS)
    assert by_topic.intervals.low[1, 0] < by_topic.intervals.high[1, 0]


def test_primary_is_linear_kappa_unless_two_systems_are_constant() -> None:
    constant = {"x": np.zeros_like(GOLD), "y": np.ones_like(GOLD), **SYSTEMS}
    how: dict[str, Any] = {"labels": range(5), "draws": 0}
    assert str(oe.evaluate(GOLD, SYSTEMS, **how).primary) == "lwk"
    assert str(oe.evaluate(GOLD, constant, **how).primary) == "alpha_ord"
    assert str(oe.evaluate(GOLD, constant, measures="mae, cem", **how).primary) == "mae"


def test_a_primary_measure_beyond_the_named_ones_joins_them() -> None:
    result = oe.evaluate(GOLD, SYSTEMS, labels=range(5), measures="mae", primary="cem", draws=0)
    assert [str(m) for m in result.scores.measures] == ["cem", "mae"]


def test_a_system_that_equals_gold_is_said_in_a_notice() -> None:
    gold, other = [1, 2, 3, 1], [1, 2, 2, 1]
    for found in (
        oe.evaluate(gold, {"a": gold, "b": other}),
        oe.compare(gold, {"a": gold, "b": other}),
    ):
        said = [notice for notice in map(str, found.notes) if "equals gold on every item" in notice]
        assert len(said) == 1
        assert said[0].startswith("'a' equals")
    assert not any("equal" in n for n in map(str, oe.evaluate(gold, other).notes))


@pytest.mark.parametrize("library", [pd, pl])
def test_a_named_series_gives_the_system_its_name(library: Any) -> None:
    frame = library.DataFrame({"gold": [1, 2, 3, 3], "Rater 1": [1, 2, 2, 3]})
    found = oe.evaluate(frame["gold"], frame["Rater 1"], measures="mae", draws=0)
    assert found.systems == ("Rater 1",)
    assert "Rater 1" in found.summary()
    plain = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], measures="mae", draws=0)
    assert plain.systems == ("y_pred",)
    assert np.array_equal(found.scores.values, plain.scores.values)
    for name in (None, "gold", "y_true"):  # no name, that of gold, a parameter
        pred = (
            library.Series([1, 2, 2, 3], name=name) if library is pd else pl.Series(name, [1] * 4)
        )
        other = oe.evaluate(frame["gold"], pred, measures="mae", draws=0)
        assert other.systems == ("y_pred",)
