"""Intervals of differences, which come from the test of pairs and agree with its p."""

import inspect
from typing import Any

import numpy as np
import pytest
from small_data import constant_on_a_topic, labels

import ordeval as oe
from ordeval import stats
from ordeval.stats.resample import bootstrap as own_table_bootstrap

GOLD, SYSTEMS, TOPICS = labels(items=400, topics=12, names="abcde")
ALIKE = {"a": SYSTEMS["a"], "a2": np.where(np.arange(400) % 20 == 0, GOLD, SYSTEMS["a"])}
RNG = np.random.default_rng(2)
SHARES = RNG.dirichlet(np.ones(4), size=14)
NOISY = {s: 0.9 * SHARES + 0.1 * RNG.dirichlet(np.ones(4), size=14) for s in "abc"}
FEW: dict[str, Any] = {"labels": range(5), "measures": "cem, mae, macro_f1", "draws": 60}
WAYS: dict[str, dict[str, Any]] = {
    "items": {},
    "many trials": {"trials": 999},
    "weights": {"weight": RNG.lognormal(size=400)},
    "clusters": {"cluster": np.arange(400) // 10},
    "topics": {"topic": TOPICS},
    "clusters of topics": {"topic": TOPICS, "cluster": TOPICS // 2},
    "pooled": {"topic": TOPICS, "aggregate": "pool"},
    "items of topics": {"topic": TOPICS, "over": "items"},
    "both": {"topic": TOPICS, "over": "both"},
    "percentile": {"method": "percentile"},
    "against": {"against": "c"},
    "all measures": {"family": "measures", "ci": 0.9},
    "numbers": {"bins": "round"},
    "judge": {"judge": SYSTEMS["c"]},
}


def compared(way: str, **more: Any) -> oe.Result:
    """A comparison of systems of which some are alike, by units of some kind."""
    how = {**FEW, "trials": 99, **WAYS[way], **more}
    gold, shift = np.asarray(GOLD, dtype=float), 0.2 * ("bins" in how)
    systems = {s: np.clip(p + shift, 0, 4) for s, p in SYSTEMS.items()}
    if "judge" in how:
        gold = np.where(np.arange(400) % 2 == 0, gold, np.nan)
    return oe.compare(gold, systems, **how)


def assert_agree(result: oe.Result) -> None:
    """Assert that 0 is in the interval of a pair if and only if its p is at least alpha."""
    tested = [pair for pair in result.pairs if not np.isnan(pair.p)]
    assert tested
    for pair in tested:
        assert pair.low < pair.high
        assert pair.low <= pair.value <= pair.high
        assert (pair.low <= 0 <= pair.high) == (pair.p >= result.tests.alpha)
        back = result.pair(pair.second, pair.first, pair.measure)
        assert (back.value, back.low, back.high) == (-pair.value, -pair.high, -pair.low)
        assert back.p == pair.p


@pytest.mark.parametrize("way", WAYS)
def test_intervals_agree_with_p_over_every_kind_of_units(way: str) -> None:
    result = compared(way)
    assert_agree(result)
    assert {pair.p >= 0.05 for pair in result.pairs if not np.isnan(pair.p)} == {True, False}


def test_intervals_of_distributions_agree_with_p() -> None:
    assert_agree(oe.quantify(SHARES, {**NOISY, "far": SHARES[::-1]}, draws=60, trials=99))


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("all measures", "judge")])
def test_one_family_of_all_measures_has_no_smaller_p(way: str) -> None:
    usual, joint = (compared(way, family=family, draws=0) for family in ("pairs", "measures"))
    assert joint.tests.family == "measures"
    assert "all measures" in joint.tests.claims
    known = ~np.isnan(usual.tests.p)
    assert np.all(joint.tests.p[known] >= usual.tests.p[known])


@pytest.mark.parametrize("way", ["items", "weights", "clusters", "pooled"])
def test_copies_have_an_interval_with_width(way: str) -> None:
    result = oe.compare(GOLD, {"a": SYSTEMS["a"], "copy": SYSTEMS["a"]}, **FEW, **WAYS[way])
    for pair in result.pairs:
        assert (pair.value, pair.p) == (0, 1)
        assert pair.low < 0 < pair.high


@pytest.mark.parametrize("way", ["items", "clusters"])
def test_a_difference_is_as_doubtful_as_either_score(way: str) -> None:
    part = {name: x[:40] if isinstance(x, np.ndarray) else x for name, x in WAYS[way].items()}
    systems = {name: pred[:40] for name, pred in SYSTEMS.items()}
    result = oe.compare(GOLD[:40], systems, **FEW, **part)
    assert any(pair.doubt for pair in result.pairs)
    for pair in result.pairs:
        scores = result[pair.measure]
        if "far to the other side" not in pair.doubt:
            assert pair.doubt == (scores[pair.first].doubt or scores[pair.second].doubt)


@pytest.mark.parametrize("way", ["items", "items of topics"])
def test_pairing_makes_differences_of_alike_systems_narrow(way: str) -> None:
    result = oe.compare(GOLD, ALIKE, **FEW, **WAYS[way])
    unpaired = np.hypot(*result.intervals.se[1])
    assert result.pair("a", "a2", "mae").se < 0.5 * unpaired


def test_skipped_topics_leave_the_difference_of_the_shown_scores() -> None:
    gold, systems, topics = constant_on_a_topic()
    systems["b"] = np.where(topics == 1, 3, systems["b"])  # undefined there for one system only
    how: dict[str, Any] = {"labels": range(5), "measures": "kendall_b", "draws": 400}
    for over in ("topics", "items", "both"):
        result = oe.compare(gold, systems, **how, topic=topics, over=over, undefined="skip")
        found = result.pair("a", "b")
        assert found.value == result["kendall_b"]["a"].value - result["kendall_b"]["b"].value
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


def test_levels_below_a_half_have_verdicts_of_equivalence() -> None:
    # The interval that decides on equivalence has the level 2 · ci − 1, which is none there.
    result = oe.compare(GOLD, ALIKE, "mae", labels=range(5), margin=0.5, ci=0.4, draws=0)
    assert result.pair("a", "a2").verdict
