"""Counts of batches are those of all items, by every door, in parts and in several processes."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe

RNG = np.random.default_rng(2)
GOLD = RNG.integers(1, 6, 300)
PRED = np.clip(GOLD + RNG.integers(-1, 2, 300), 1, 5)
TOPIC = np.array([f"t{i % 7}" for i in range(300)])
PARTS = np.array_split(np.arange(300), [10, 11, 150])
LABELS = range(1, 6)


def accumulated(pred: Any, parts: Any = PARTS, **columns: Any) -> oe.Accumulator:
    seen = oe.Accumulator(labels=LABELS)
    for rows in parts:
        some = {name: column[rows] for name, column in pred.items()}
        batch = some if len(pred) > 1 else some["a"]
        seen.update(GOLD[rows], batch, **{name: column[rows] for name, column in columns.items()})
    return seen


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"topic": TOPIC},
        {"weight": RNG.random(300)},
        {"frequency": RNG.integers(1, 4, 300)},
        {"weight": RNG.random(300), "topic": TOPIC},
    ],
    ids=lambda columns: "+".join(columns),
)
@pytest.mark.parametrize("systems", [{"a": PRED}, {"a": PRED, "b": GOLD}], ids=len)
def test_batches_give_the_result_of_all_items(
    systems: dict[str, Any], columns: dict[str, Any]
) -> None:
    whole = oe.Counts.from_labels(
        GOLD, systems if len(systems) > 1 else PRED, labels=LABELS, **columns
    )
    seen = accumulated(systems, **columns)
    assert seen.counts is not None
    assert np.allclose(seen.counts.table, whole.table, rtol=1e-12)
    assert seen.counts.axes == whole.reordered("topic", seen.counts.topics).axes
    ours, theirs = (
        seen.compute("qwk, mae", draws=50),
        oe.evaluate(whole, None, "qwk, mae", draws=50),
    )
    assert np.allclose(ours.scores.values, theirs.scores.values)
    if "weight" not in columns:
        assert ours == theirs


@pytest.mark.parametrize("door", [list, np.asarray, pd.Series, pl.Series, "torch"])
def test_every_kind_of_column(door: Any) -> None:
    door = pytest.importorskip("torch").tensor if door == "torch" else door
    seen = oe.Accumulator(labels=LABELS)
    for rows in PARTS:
        seen.update(door(GOLD[rows]), door(PRED[rows]))
    assert seen.compute(draws=50) == accumulated({"a": PRED}).compute(draws=50)


def test_files_in_parts(tmp_path: Path) -> None:
    seen = oe.Accumulator(labels=LABELS)
    for i, rows in enumerate(PARTS):
        pl.DataFrame({"gold": GOLD[rows], "a": PRED[rows]}).write_csv(tmp_path / f"{i}.csv")
        seen.update(oe.read(tmp_path / f"{i}.csv", labels=LABELS))
    whole = oe.read(f"{tmp_path}/*.csv", labels=LABELS).counts()
    assert seen.counts is not None
    assert np.array_equal(seen.counts.table, whole.table)
    assert seen.counts.axes == whole.axes


def test_merge_pickle_and_reset() -> None:
    first, rest = accumulated({"a": PRED}, PARTS[:2]), accumulated({"a": PRED}, PARTS[2:])
    whole = pickle.loads(pickle.dumps(first))
    whole.merge(rest)
    whole.merge(oe.Accumulator(labels=LABELS))
    assert whole.compute(draws=50) == accumulated({"a": PRED}).compute(draws=50)
    whole.reset()
    with pytest.raises(oe.InputError, match="Nothing was counted"):
        whole.compute()


def test_gaps_and_bins() -> None:
    seen = oe.Accumulator(labels=LABELS, missing="skip", na=99, bins="round")
    seen.update([1.2, 99, 5], [1, 2, None])
    seen.update([3.0, 2.0], [2.6, 2])
    assert seen.counts is not None
    assert (seen.counts.items, seen.counts.skipped) == (3, 2)


def test_batches_without_items_add_nothing_but_their_gaps() -> None:
    seen = oe.Accumulator(labels=LABELS, missing="skip")
    for batch in ([], []), ([None, None], [1, 2]), ([1, 2, 3], [1, 2, None]):
        seen.update(*batch)
    seen.merge(seen)
    assert (seen.counts.items, seen.counts.skipped) == (4, 6)


@pytest.mark.parametrize("role", ["cluster", "by"])
def test_data_whose_items_belong_together_are_refused(role: str) -> None:
    data = oe.read(pd.DataFrame({"gold": [1, 2], "a": [1, 2], "c": [1, 1]}), **{role: "c"})
    with pytest.raises(oe.InputError, match=f"read with {role}"):
        oe.Accumulator(labels=[1, 2]).update(data)


@pytest.mark.parametrize("other", [3, oe.Accumulator(labels=[1, 2])], ids=["number", "scale"])
def test_only_accumulators_of_one_scale_are_merged(other: Any) -> None:
    with pytest.raises(oe.InputError, match=r"accumulator|on the scale"):
        accumulated({"a": PRED}).merge(other)


@pytest.mark.parametrize(
    "batch",
    [
        ([1, 9], [1, 2]),
        ([1, 2], [1]),
        ([1, 2], {"other": [1, 2]}),
        (oe.Counts.from_table([[1, 2], [3, 4]]),),
    ],
    ids=["label", "length", "systems", "scale"],
)
def test_a_bad_batch_is_refused_whole(batch: Any) -> None:
    seen = accumulated({"a": PRED})
    before = seen.compute(draws=0)
    with pytest.raises(oe.InputError):
        seen.update(*batch)
    assert seen.compute(draws=0) == before


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(oe.InputError, match="weight"):
        oe.Accumulator(labels=LABELS).update(GOLD, PRED, sample_weight=GOLD)


def _process(rank: int, folder: str) -> None:
    """Count every second part in one of two processes, and store what both have seen."""
    from torch import distributed

    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2
    )
    seen = accumulated({"a": PRED}, PARTS[rank::2], topic=TOPIC)
    seen.compute(draws=50).to_json(f"{folder}/{rank}.json")
    idle = oe.Accumulator(labels=LABELS)
    if rank:
        idle.update(GOLD, PRED)
    assert idle.compute("mae", draws=0).scores.items == len(GOLD)
    distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_of_torch_have_the_same_result(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch.multiprocessing")
    torch.spawn(_process, (str(tmp_path),), nprocs=2)
    whole = accumulated({"a": PRED}, topic=TOPIC).compute(draws=50)
    assert [oe.load(tmp_path / f"{rank}.json") for rank in (0, 1)] == [whole, whole]


def test_means_of_ratings_are_not_those_of_counts() -> None:
    seen = oe.Accumulator(labels=range(3))
    seen.update([0, 1, 2], [0, 1, 1])
    with pytest.raises(oe.InputError, match="counts by gold class were given"):
        seen.compute("mean")
