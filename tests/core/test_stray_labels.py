"""An inferred scale is refused where a number or a column is hardly part of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe
from ordeval.data.frames import read_frame
from ordeval.io import open_files

GOLD = [1, 2, 3, 4, 5] * 8


def refusals(columns: dict[str, Any], folder: Path, **options: Any) -> Iterator[oe.InputError]:
    """Yield the error of every kind of source."""
    frame = pd.DataFrame(columns)
    frame.to_csv(folder / "data.csv", index=False)
    for source in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy()):
        with pytest.raises(oe.InputError) as caught:
            read_frame(source, **options).counts()
        yield caught.value
    with (
        pytest.raises(oe.InputError) as caught,
        open_files(folder / "data.csv", **options) as items,
    ):
        items.counts()
    yield caught.value


@pytest.mark.parametrize(
    ("codes", "na"), [([99], 99), ([-9], -9), ([999], 999), ([88, 99], [88, 99]), ([-99], -99)]
)
def test_codes_are_named_with_their_column(codes: list[int], na: Any, tmp_path: Path) -> None:
    pred = [*codes, *GOLD[len(codes) :]]
    with pytest.raises(oe.InputError, match="a holds") as caught:
        oe.compare(GOLD, {"a": pred, "b": GOLD})
    for error in (caught.value, *refusals({"gold": GOLD, "a": pred, "b": GOLD}, tmp_path)):
        assert error.suggest["na"] == na
        assert error.suggest["labels"] == sorted([1, 2, 3, 4, 5, *codes])
        assert "a holds" in error.message


@pytest.mark.parametrize("codes", [[0, 1, -9], [1, 2, 3, 1000000], [1, 2, 5, 10, 20, 50]])
def test_other_implausible_scales(codes: list[int]) -> None:
    with pytest.raises(oe.InputError):
        oe.score(codes, codes, "mae")


@pytest.mark.parametrize(
    "used",
    [
        [1, 10],
        [1, 2, 10],
        [0, 1, 10],
        [3],
        [-2, 2],
        [0, 1],
        list(np.random.default_rng(0).permutation(101)[:60]),
        [1, 2, 3, 4, 6, 7, 11],
        [0, 5, 10],
        [0, 25, 50, 75, 100],
    ],
)
def test_honest_scales_are_accepted(used: list[int]) -> None:
    assert oe.score(used, used, "mae") == 0


def test_constant_systems_are_no_reason_to_refuse() -> None:
    gold = list(range(60))
    assert oe.score(gold, [30] * 60, "mae") > 0


def test_a_code_far_down_in_long_data_is_found() -> None:
    gold = np.tile(GOLD, 10_000)
    pred = gold.copy()
    pred[-1] = 99
    with pytest.raises(oe.InputError, match="y_pred holds 99"):
        oe.score(gold, pred, "qwk")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("nr", range(1, 41)),
        ("split", ["train", "test"] * 20),
        ("strength", np.linspace(0.5, 3, 40)),
    ],
)
def test_a_column_that_is_not_a_system_is_named(name: str, column: Any, tmp_path: Path) -> None:
    columns = {"gold": GOLD, name: column, "a": GOLD, "b": GOLD[::-1]}
    for error in refusals(columns, tmp_path):
        assert f"{name} " in error.message
        assert error.suggest["pred"] == ["a", "b"]
        assert f"If {name} is not a system" in error.hint


def test_a_column_of_words_may_be_the_texts(tmp_path: Path) -> None:
    columns = {"gold": GOLD, "essay": [f"words {i}" for i in range(40)], "a": GOLD}
    for error in refusals(columns, tmp_path):
        assert error.suggest["text"] == "essay"
        assert "{text}" in error.raw_hint


@pytest.mark.parametrize(
    "roles", [{"frequency": "gold"}, {"weight": "a", "pred": "a"}, {"pred": ["a", "gold"]}]
)
def test_a_column_has_one_role(roles: dict[str, Any], tmp_path: Path) -> None:
    for error in refusals({"gold": GOLD, "a": GOLD}, tmp_path, **roles):
        assert "two roles" in error.message


def test_topics_may_be_the_clusters() -> None:
    frame = pd.DataFrame({"gold": GOLD, "a": GOLD, "t": [0, 1] * 20})
    assert read_frame(frame, topic="t", cluster="t").counts().topics == ("0", "1")


def test_advice_about_a_code_leads_to_no_second_error() -> None:
    pred = [99, *GOLD[1:]]
    with pytest.raises(oe.InputError) as caught:
        oe.score(GOLD, pred, "mae")
    advice = caught.value.suggest
    assert "na=99 and missing='skip'" in str(caught.value)
    assert oe.score(GOLD, pred, "mae", na=advice["na"], missing=advice["missing"]) == 0


def test_only_numbers_that_are_not_whole_are_shown() -> None:
    with pytest.raises(oe.InputError, match=r"not whole \(1\.6, 4\.8\)"):
        oe.score([3.0, 4.8, 1.6], [3, 4, 1], "mae")


def test_files_suggest_rounding_as_memory_does(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("id,gold,pred\na,1,1.2\nb,2,2\nc,5,4.5\n")
    with (
        pytest.raises(oe.InputError) as caught,
        open_files(tmp_path / "real.csv", labels=range(1, 6)) as found,
    ):
        found.counts()
    assert caught.value.suggest["bins"] == "round"
    assert "'1.2' (1)" in str(caught.value)
    assert "at id 'a'" in str(caught.value)


def test_the_systems_that_widen_an_inferred_scale_are_named() -> None:
    systems = {"a": GOLD, "b": [6, *GOLD[1:]], "c": GOLD[::-1]}
    found = oe.evaluate(GOLD, systems, measures="mae", bootstrap=0)
    assert any("only predictions have: 6 (of 'b')" in notice for notice in map(str, found.notes))
    plain = oe.evaluate(GOLD, {"a": GOLD}, measures="mae", bootstrap=0)
    assert not any("only predictions have" in notice for notice in map(str, plain.notes))


def test_a_label_outside_the_scale_is_located(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("id,gold\nx1,neg\nx2,pos\n")
    (tmp_path / "run.csv").write_text("id,pred\nx1,neg\nx2,positve\n")
    with (
        pytest.raises(oe.InputError, match=r"'positve' \(1\); the first at id 'x2'"),
        open_files(tmp_path / "gold.csv", [tmp_path / "run.csv"], labels=["neg", "pos"]) as found,
    ):
        found.counts()
    frame = pl.DataFrame({"gold": ["neg", "pos"], "run": ["neg", "positve"]})
    for source in (frame, frame.to_pandas(), frame.to_arrow()):
        with pytest.raises(oe.InputError, match=r"'positve' \(1\); the first at position 1"):
            read_frame(source, labels=["neg", "pos"]).counts()


def test_labels_of_any_type_are_located() -> None:
    objects = pl.DataFrame({"gold": ["a", "b"], "run": pl.Series(["a", "x"], dtype=pl.Object)})
    mixed = pd.DataFrame({"gold": ["a", "b"], "run": [None, (1, 2)]})
    for source in (objects, mixed):
        with pytest.raises(oe.InputError, match=r"at position 1"):
            read_frame(source, labels=["a", "b"], missing="skip").counts()
