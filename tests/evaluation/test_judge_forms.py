"""Judgements by every door and in every form: frames, tables, JSON, hostile archives."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ordeval as oe

PEOPLE, MODELS = ["ann", "bob", "eve"], ["m1", "m2"]


def columns(items: int = 40) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    truth = rng.normal(2.5, 1, items)
    found: dict[str, Any] = {"item": [f"i{i:03d}" for i in range(items)]}
    for name in (*PEOPLE, *MODELS):
        ratings = np.clip(np.rint(truth + rng.normal(0, 0.7, items)), 1, 4)
        found[name] = [None if rng.random() < 0.1 else int(x) for x in ratings]
    found["part"] = ["x" if i % 3 else "y" for i in range(items)]
    found["document"] = [i // 4 for i in range(items)]
    return found


def long_columns() -> dict[str, list[Any]]:
    wide = columns()
    rows = [
        (item, name, wide[name][i], "person" if name in PEOPLE else "Model", wide["part"][i], doc)
        for i, (item, doc) in enumerate(zip(wide["item"], wide["document"], strict=True))
        for name in (*MODELS, *PEOPLE)
        if wide[name][i] is not None
    ]
    names = ("item", "rater", "rating", "kind", "part", "document")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


OPTIONS: dict[str, Any] = {
    "labels": [1, 2, 3, 4],
    "measures": "kappa, mae",
    "draws": 20,
    "cluster": "document",
    "by": "part",
}


@pytest.fixture(scope="module")
def found() -> oe.Judgement:
    wide = columns()
    return oe.judge(
        {name: wide[name] for name in PEOPLE},
        {name: wide[name] for name in MODELS},
        item=wide["item"],
        **{**OPTIONS, "cluster": wide["document"], "by": wide["part"]},
    )


def test_weights_and_clusters_of_rows_are_those_of_items() -> None:
    data, names = long_columns(), {"item": "item", "rater": "rater", "rating": "rating"}
    weights = {item: i % 3 for i, item in enumerate(dict.fromkeys(data["item"]))}
    data["weight"] = [weights[item] for item in data["item"]]
    wide = columns() | {"weight": [weights[item] for item in columns()["item"]]}
    asked = {**OPTIONS, "weight": "weight", "models": MODELS}
    long = oe.judge(data=pl.DataFrame(data), **names, **asked, people=PEOPLE)
    of_items = oe.judge(data=pl.DataFrame(wide), item="item", **asked)
    assert long.items == of_items.items < 30  # items of weight 0 do not count
    assert {r.name: r for r in long.scores} == {r.name: r for r in of_items.scores}
    data["document"][0] = 99
    with pytest.raises(oe.InputError, match="cluster differs between rows of the same item"):
        oe.judge(data=pl.DataFrame(data), **names, **asked, people=PEOPLE)


def test_a_mapping_renames_columns(found: oe.Judgement) -> None:
    people = {name.upper(): name for name in PEOPLE}
    frame = pl.DataFrame(columns())
    other = oe.judge(people, {"x": "m1", "y": "m2"}, data=frame, **OPTIONS)
    assert (other.people, other.models) == (("ANN", "BOB", "EVE"), ("x", "y"))
    assert [row.value for row in other.scores] == [row.value for row in found.scores]
    raters = oe.agreement({"A": "ann", "B": "bob"}, data=frame, draws=0, labels=[1, 2, 3, 4])
    assert raters.rater_names == ("A", "B")


def test_people_or_models_may_be_all_others(found: oe.Judgement) -> None:
    frame = pl.DataFrame(columns())
    frame = frame.drop(["part", "document"])
    given = {k: v for k, v in OPTIONS.items() if k not in ("cluster", "by")}
    both = oe.judge(PEOPLE, MODELS, data=frame, **given)
    for one in ({"models": MODELS}, {"people": PEOPLE}):
        other = oe.judge(data=frame, **one, **given)
        assert other.scores == both.scores
        assert "because none were named" in str(other.notes[0])


# Forms.


def test_tables_have_names(found: oe.Judgement) -> None:
    for what in ("main", "measures", "people", "pairs", "test", "bias", "slices", "items"):
        assert found.table(what).data()[1]
    with pytest.raises(oe.InputError, match="There is no table"):
        found.table("nothing")


@pytest.mark.parametrize("draws", [0, 20])
@pytest.mark.parametrize("items", [3, 20])
def test_archives_of_few_items_and_without_intervals(
    tmp_path: Path, draws: int, items: int
) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 4, items)
    people = {name: np.clip(truth + rng.integers(-1, 2, items), 1, 3) for name in ("a", "b", "c")}
    parts = np.arange(items) % 2
    made = oe.judge(people, {"m": truth}, labels=[1, 2, 3], draws=draws, by=parts)
    made.to_json(tmp_path / "made.json")
    assert oe.load(tmp_path / "made.json") == made


def test_pandas_series_match_by_their_index() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    rows = [f"item {i}" for i in range(40)]
    table = pd.DataFrame(rng.integers(1, 4, (40, 5)), rows, ["ann", "bob", "eve", "gpt", "doc"])
    mixed = table.sample(frac=1, random_state=1)
    people = ["ann", "bob", "eve"]

    def judged(of: Any, other: Any) -> oe.Judgement:
        return oe.judge(
            {"ann": of["ann"], "bob": other["bob"], "eve": of["eve"]},
            {"gpt": other["gpt"]},
            labels=[1, 2, 3],
            item=pd.Series(other.index, other.index),
            cluster=other["doc"],
            by={"doc": other["doc"]},
            weight=other["doc"],
            draws=20,
        )

    assert judged(table, mixed).to_json() == judged(table, table).to_json()
    framed = [oe.judge(table[people], {"gpt": t["gpt"]}, labels=[1, 2, 3]) for t in (table, mixed)]
    assert framed[0].to_json() == framed[1].to_json()
    with pytest.raises(oe.InputError, match="gpt and ann are pandas series") as error:
        oe.judge(table[people], {"gpt": table["gpt"].rename({"item 3": "x"})}, labels=[1, 2, 3])
    assert error.value.parameter == "models"


def test_a_model_may_be_called_people_and_a_person_mean() -> None:
    ratings = {"mean": [1, 2, 3, 1] * 5, "bob": [1, 3, 3, 1] * 5}
    found = oe.judge(ratings, {"people": [1, 2, 3, 2] * 5}, labels=[1, 2, 3], draws=0)
    for what in ("main", "people"):
        names = [row[0].text for row in found.table(what).cells()]
        assert len(set(names)) == len(names), what


# JSON.
