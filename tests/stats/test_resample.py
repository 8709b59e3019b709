"""Resampling of tables and topics."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ks_2samp
from stats_models import K, accuracy, draw, items, population, scores, table_of

from ordeval.data.scale import Scale
from ordeval.measures.batches import score_tables
from ordeval.measures.spec import measures
from ordeval.stats import Interval, resample, table_interval
from ordeval.stats.resample import (
    Plan,
    as_seed,
    blocks_of,
    bootstrap,
    stream,
    table_sampler,
    topic_weights,
    weighted_means,
)

TABLE = draw(np.random.default_rng(1), 400, population())
TOPICS = np.stack([draw(np.random.default_rng(t), 30 + 5 * t, population()) for t in range(12)])


def bootstrap_interval(counts: Any, *given: Any, **options: Any) -> Interval:
    return table_interval(counts, *given, method="percentile", **options)


def test_none_draws_a_fresh_seed() -> None:
    seeds = {as_seed(None) for _ in range(5)}
    assert len(seeds) == 5
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_seed_of_a_generator_is_drawn_from_it() -> None:
    first, second = (as_seed(np.random.default_rng(5)) for _ in range(2))
    generator = np.random.default_rng(5)
    assert first == second == as_seed(generator)
    assert as_seed(generator) != first


def test_streams_differ_by_key_and_by_its_type() -> None:
    first = [stream(0, *keys).integers(2**60) for keys in (("a",), ("b",), ("3",), (3,), ())]
    assert len(set(first)) == 5
    assert stream(0, "a").integers(2**60) == first[0]


def test_streams_are_the_same_in_every_release() -> None:
    raw = stream(0, "items", "bert", 0).bit_generator.random_raw(2)
    assert raw.tolist() == [5061061375668330310, 1255379038193674812]


@pytest.mark.parametrize("rng", [np.random.default_rng(1), None])
def test_plan_keeps_the_seed_that_was_drawn(rng: np.random.Generator | None) -> None:
    plan = Plan(50, rng=rng)
    assert plan.seed == plan.seed
    repeated = bootstrap(TABLE[None], scores, Plan(50, rng=plan.seed))
    assert np.array_equal(bootstrap(TABLE[None], scores, plan), repeated)


def _drawn(counts: np.ndarray, size: int) -> np.ndarray:
    totals = np.broadcast_to(counts.sum(axis=(1, 2)), (size, len(counts)))
    return table_sampler(counts)(stream(0, "draws"), totals)


def test_empty_cells_stay_empty_among_a_million_million_items() -> None:
    counts = np.zeros((3, 3), dtype=np.int64)
    counts[0, 1], counts[1, 1], counts[2, 0] = 10**12, 7, 10**5
    drawn = _drawn(counts[None], 2000)[:, 0]
    assert np.all(drawn.sum(axis=(1, 2)) == counts.sum())
    assert np.all(drawn[:, counts == 0] == 0)
    assert drawn[:, 1, 1].mean() == pytest.approx(7, abs=0.3)


def test_multinomial_bootstrap_agrees_with_resampling_items() -> None:
    rows, rng = items(TABLE), np.random.default_rng(3)
    tables = [table_of(rows[rng.integers(len(rows), size=len(rows))]) for _ in range(3000)]
    by_items = scores(np.array(tables))
    by_table = bootstrap(TABLE[None], scores, Plan(6000, rng=4))
    for slow, fast in zip(by_items, by_table, strict=True):
        assert ks_2samp(slow, fast).pvalue > 0.01


def test_pooled_topic_bootstrap_scores_the_weighted_sum_of_tables() -> None:
    weights = topic_weights(stream(2, "topics", 0), 256, len(TOPICS))
    expected = scores(np.einsum("bt,tij->bij", weights, TOPICS))
    assert np.allclose(bootstrap(TOPICS, scores, Plan(256, 2), over="topics"), expected)


def test_mean_topic_bootstrap_averages_the_drawn_topics() -> None:
    weights = topic_weights(stream(2, "topics", 0), 256, len(TOPICS))
    expected = scores(TOPICS) @ weights.T / len(TOPICS)
    found = bootstrap(TOPICS, scores, Plan(256, 2), over="topics", aggregate="mean")
    assert np.allclose(found, expected)


def test_systems_share_the_drawn_topics() -> None:
    systems = np.stack([TOPICS, TOPICS[:, ::-1]])
    together = bootstrap(systems, scores, Plan(300), over="topics")
    assert together.shape == (4, 300, 2)
    for s in range(2):
        alone = bootstrap(systems[s], scores, Plan(300), over="topics")
        assert np.array_equal(together[:, :, s], alone)


@pytest.mark.parametrize("aggregate", ["pool", "mean"])
def test_both_levels_agree_with_resampling_topics_then_items(aggregate: str) -> None:
    rng, rows = np.random.default_rng(8), [items(t) for t in TOPICS]

    def one() -> float:
        picked = [rows[t] for t in rng.integers(len(rows), size=len(rows))]
        drawn = [table_of(r[rng.integers(len(r), size=len(r))]) for r in picked]
        pooled = accuracy(np.sum(drawn, axis=0))[0]
        return float(pooled if aggregate == "pool" else accuracy(np.array(drawn))[0].mean())

    slow = [one() for _ in range(1000)]
    plan = Plan(4000, rng=9)
    fast = bootstrap(TOPICS, accuracy, plan, over="both", aggregate=aggregate)  # type: ignore[arg-type]
    assert ks_2samp(slow, fast[0]).pvalue > 0.01


def test_items_within_topics_leave_the_topics_alone() -> None:
    spread = np.zeros((2, K, K), dtype=np.int64)
    spread[0, 0, 0], spread[1, 0, 1] = 10, 10
    found = bootstrap(spread, accuracy, Plan(300), over="items", aggregate="mean")
    assert np.all(found == 0.5)
    assert bootstrap(spread, accuracy, Plan(300), over="both", aggregate="mean").std() > 0.1


@pytest.mark.parametrize("over", ["items", "topics", "both"])
@pytest.mark.parametrize("aggregate", ["pool", "mean"])
@pytest.mark.parametrize("entries", [1, 300 * K * K, 2**30])
def test_chunks_and_threads_change_nothing(
    over: Any, aggregate: Any, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, scale = measures(batched=True), Scale.of(range(1, K + 1))

    def score(tables: NDArray[Any]) -> NDArray[np.float64]:
        return score_tables(chosen, np.asarray(tables), scale)

    how: dict[str, Any] = {"over": over, "aggregate": aggregate}
    first = bootstrap(TOPICS, score, Plan(601, 5), **how)
    monkeypatch.setattr(resample, "CHUNK_ENTRIES", entries)
    second = bootstrap(TOPICS, score, Plan(601, 5, threads=2), **how)
    assert np.array_equal(first, second, equal_nan=True)


def test_progress_reaches_the_total() -> None:
    seen: list[tuple[int, int]] = []
    plan = Plan(20_000, threads=2, progress=lambda *step: seen.append(step))
    bootstrap(TABLE[None], scores, plan)
    assert seen[-1] == (20_000, 20_000)
    assert sorted(seen) == seen
    assert len(seen) > 2


def test_undefined_topics_are_kept_skipped_or_replaced() -> None:
    given = np.array([1.0, np.nan, 3.0])
    weights = np.array([[1, 1, 1], [2, 0, 1], [0, 3, 0]])
    kept, skipped, replaced = (weighted_means(given, weights, u) for u in (None, "skip", 5.0))
    assert np.allclose(kept, [np.nan, 5 / 3, np.nan], equal_nan=True)
    assert np.allclose(skipped, [2, 5 / 3, np.nan], equal_nan=True)
    assert np.allclose(replaced, [3, 5 / 3, 5])


@pytest.mark.parametrize("over", ["items", "topics", "both"])
@pytest.mark.parametrize("aggregate", ["pool", "mean"])
def test_a_number_replaces_undefined_scores_everywhere(over: Any, aggregate: Any) -> None:
    def filled(tables: NDArray[Any]) -> NDArray[np.float64]:
        return np.nan_to_num(sometimes(tables), nan=0.25)

    def sometimes(tables: NDArray[Any]) -> NDArray[np.float64]:
        return np.where(np.asarray(tables)[..., 0, 0] % 2 > 0, accuracy(tables), np.nan)

    how: dict[str, Any] = {"over": over, "aggregate": aggregate}
    found = bootstrap_interval(TOPICS, sometimes, Plan(300), undefined=0.25, **how)
    expected = bootstrap_interval(TOPICS, filled, Plan(300), **how)
    for name in ("estimate", "low", "high", "se", "undefined"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


@pytest.mark.parametrize("entries", [25, 125, 300 * 125, 10**6, 10**8])
def test_memory_of_blocks_is_bounded(entries: int) -> None:
    blocks = blocks_of(2000, entries)
    assert sum(block.size for block in blocks) == 2000
    assert all(block.size * entries <= 2**22 or block.size == 1 for block in blocks)


def test_statistics_load_without_scipy() -> None:
    code = "import sys, ordeval.stats; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
