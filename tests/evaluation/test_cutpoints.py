"""Cut-points: brute force over all cuts for few items, edge cases, doors, JSON and the command."""

import shlex
from itertools import combinations_with_replacement

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe
from ordeval.cli import main
from ordeval.data.scale import Scale
from ordeval.measures.spec import parse_measure
from ordeval.stats.cutpoints import best_places, sorted_items

EXACT = (
    *("qwk", "lwk", "cohen_kappa", "kappa(weights=closeness)", "accuracy", "mae", "mse", "rmse"),
    *("macro_mae", "macro_mae(empty=zero)", "macro_recall", "accuracy_within", "cem", "cem_flat"),
    "cem_interval",
)


LOCAL = ("macro_f1", "kendall_b", "spearman", "oc", "alpha", "macro_precision")


def _brute_force(items, measure):
    ends = np.append(np.unique(items.places_of(items.score)), len(items.score))
    every = combinations_with_replacement(ends, items.scale.k - 1)
    return max(items.score_of(measure, np.array(places)) for places in every)


@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
def test_no_cuts_are_better(name, data):
    k, n = data.draw(st.integers(2, 4)), data.draw(st.integers(2, 7))
    gold = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    if len(set(gold)) < 2:
        gold[0] = (gold[1] + 1) % k
    score = np.array(data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))) / 2
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))) / 2.0
    weight = data.draw(st.sampled_from([None, weight]))
    items, measure = sorted_items(score, gold, weight, Scale.of(range(k))), parse_measure(name)
    found = items.score_of(measure, best_places(items, measure))
    assert found == pytest.approx(_brute_force(items, measure), abs=1e-9)


def test_the_search_misses_the_best_cuts_in_at_most_one_of_fifty_cases():
    rng, missed = np.random.default_rng(3), 0
    for case in range(120):
        k, n = int(rng.integers(3, 5)), int(rng.integers(6, 13))
        gold = np.append(rng.integers(k, size=n), [0, k - 1])
        score = np.round(rng.choice([0, 0.5, 1]) * gold + rng.normal(size=n + 2), 1)
        weight = None if case % 3 else rng.integers(1, 4, size=n + 2) / 2
        items = sorted_items(score, gold, weight, Scale.of(range(k)))
        measure = parse_measure(LOCAL[case % len(LOCAL)])
        found = items.score_of(measure, best_places(items, measure))
        missed += found < _brute_force(items, measure) - 1e-9
    assert missed <= 2


def test_other_measures_are_said_to_be_local_optima():
    rng = np.random.default_rng(0)
    gold = rng.integers(3, size=60)
    cut = oe.cutpoints(gold, gold + rng.normal(size=60), "kendall_b", labels=range(3), draws=0)
    assert not cut.exact
    assert "local optimum" in str(cut)
    assert cut.rules[0].fitted >= max(rule.fitted for rule in cut.rules)


def test_the_scores_are_those_of_the_classes_that_are_applied():
    rng = np.random.default_rng(1)
    gold = rng.integers(1, 6, size=200)
    score = gold + rng.normal(size=200)
    cut = oe.cutpoints(gold, score, "qwk", labels=range(1, 6), draws=50)
    applied = oe.score(gold, cut.apply(score), "qwk", labels=range(1, 6))
    assert applied == pytest.approx(cut.rules[0].fitted)
    best, crossed = cut.rules[0], cut.rules[0].crossed
    assert crossed.low < crossed.value < min(crossed.high, best.fitted)


@pytest.mark.parametrize("k", [2, 101])
def test_a_perfect_score_is_cut_perfectly(k):
    gold = np.tile(np.arange(k), 3)
    cut = oe.cutpoints(gold, gold * 0.1, "qwk", labels=range(k), draws=0)
    assert cut.apply(gold * 0.1).tolist() == gold.tolist()


def test_a_constant_score_says_so_and_goes_through_json(tmp_path):
    cut = oe.cutpoints(["a", "b", "b"], [1, 1, 1], "accuracy", labels=["a", "b", "c"], draws=0)
    assert set(cut.apply([1.0])) == {"b"}
    assert "same for all items" in str(cut)
    cut.to_json(tmp_path / "cut.json")
    loaded = oe.load(tmp_path / "cut.json")
    assert loaded == cut
    assert loaded.cuts == cut.cuts


def test_an_applied_set_is_saved_with_the_result(tmp_path):
    gold, score = [1, 1, 2, 2, 3, 3], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    cut = oe.cutpoints(gold, score, "mae", labels=[1, 2, 3], draws=0)
    result = oe.evaluate(gold, score, "mae", labels=[1, 2, 3], bins=cut, draws=0)
    assert result["mae"].value == 0
    result.to_json(tmp_path / "result.json")
    loaded = oe.load(tmp_path / "result.json")
    assert loaded == result
    assert loaded.scores.bins.cuts == cut.cuts


GOLD = np.repeat([1, 2, 3, 4], 30)
SCORE = np.round(0.5 * GOLD + np.random.default_rng(2).normal(0, 0.6, size=120), 2)
FRAME = pd.DataFrame({"g": GOLD, "s": SCORE, "w": 1 + GOLD % 3 / 2, "c": np.arange(120) // 4})


def _same_figures(one, other):
    figures = ("cuts", "rules", "notes", "folds", "items")
    assert [getattr(one, name) for name in figures] == [getattr(other, name) for name in figures]


def _door(kind, folder):
    rows = FRAME.sample(frac=1, random_state=5)
    if kind in ("csv", "parquet"):
        path = folder / f"data.{kind}"
        rows.to_csv(path, index=False) if kind == "csv" else rows.to_parquet(path)
        return path
    makes = {"polars": pl.from_pandas, "lazy": lambda x: pl.from_pandas(x).lazy()}
    makes |= {"arrow": pa.Table.from_pandas, "duckdb": duckdb.from_df, "pandas": lambda x: x}
    return makes[kind](rows)


@pytest.mark.parametrize("how", [{}, {"weight": "w"}, {"cluster": "c"}], ids=str)
@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow", "duckdb", "csv", "parquet"])
def test_all_doors_and_orders_of_rows_give_the_same_bits(kind, how, tmp_path):
    read = oe.cutpoints("g", "s", "qwk", data=_door(kind, tmp_path), labels=range(1, 5), **how)
    columns = {role: FRAME[name].tolist() for role, name in how.items()}
    _same_figures(
        read, oe.cutpoints(GOLD.tolist(), SCORE.tolist(), "qwk", labels=range(1, 5), **columns)
    )


def test_frequencies_are_repeated_items():
    times = np.arange(120) % 4
    counted = oe.cutpoints(GOLD, SCORE, "qwk", frequency=times, draws=0)
    _same_figures(counted, oe.cutpoints(GOLD.repeat(times), SCORE.repeat(times), "qwk", draws=0))


def test_items_with_gaps_are_refused_or_left_out():
    gold, score = [1, 2, None, 2, 1, 9, 2], [0.1, 0.9, 0.5, None, 0.2, 0.3, -99]
    with pytest.raises(oe.InputError, match="missing values") as error:
        oe.cutpoints(gold, score, "qwk", labels=[1, 2], na=[9, -99])
    assert error.value.suggest == {"missing": "skip"}
    assert "worst" not in str(error.value)
    how = {"labels": [1, 2], "na": [9, -99], "missing": "skip"}
    left = oe.cutpoints(gold, score, "qwk", **how)
    assert left.items == 3
    assert left.cuts == oe.cutpoints([1, 2, 1], [0.1, 0.9, 0.2], "qwk", labels=[1, 2]).cuts


@pytest.mark.parametrize("measure", ["qwk", "mae"])
def test_the_gain_is_the_paired_difference_from_rounding(measure):
    cut = oe.cutpoints(GOLD, SCORE, measure, labels=range(1, 5))
    best, _, own = cut.rules
    assert best.change.value == pytest.approx(best.crossed.value - own.crossed.value)
    wide = best.change.high - best.change.low
    assert wide < best.crossed.high - best.crossed.low + own.crossed.high - own.crossed.low
    assert (best.p < 0.05) == (not best.change.low <= 0 <= best.change.high)
    assert str(cut).count("Significantly better than rounding on other items: ") == 1


def test_no_gain_is_claimed_that_the_test_does_not_find():
    rng = np.random.default_rng(4)
    score = rng.uniform(0.5, 4.5, size=200)
    gold = np.clip(np.rint(score + rng.normal(0, 0.5, size=200)), 1, 4).astype(int)
    cut = oe.cutpoints(gold, score, "mae", labels=range(1, 5))
    assert cut.rules[0].p > 0.05
    assert "Not significantly better than rounding on other items: " in str(cut)


def test_the_call_repeats_the_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = 'a "b", <c>'
    FRAME.rename(columns={"g": name}).assign(part=["x", "y", "z"] * 40).to_csv(
        "my data.csv", index=False
    )
    how = {"cluster": "c", "weight": "w", "missing": "skip", "rule": "quantiles", "rng": 3}
    how |= {"labels": range(1, 5), "na": [-9], "ci": 0.9, "where": {"part": ["x", "z"]}}
    cut = oe.cutpoints(name, "s", "macro_mae", data="my data.csv", **how)
    assert eval(cut.call.python(), {"oe": oe}) == cut
    _, *arguments = shlex.split(cut.call.command().replace("\\\n", ""))
    assert main([*arguments, "--out", "cut.json"]) == 0
    _same_figures(oe.load("cut.json"), cut)
    how = {"weight": FRAME["w"].to_numpy(), "labels": range(1, 5), "draws": 0}
    given = oe.cutpoints(GOLD, SCORE, "qwk", **how)
    names = {"oe": oe, "y_true": GOLD, "score": SCORE, "weight": FRAME["w"].to_numpy()}
    assert eval(given.call.python(), names) == given
    page = given.to_html()
    assert "weight=weight" in page
    assert "oe.cutpoints(" in page


def test_a_class_that_is_never_predicted_stays_so_in_a_repeated_evaluation(tmp_path):
    gold, score = [1, 1, 3, 3, 2, 3], [0.1, 0.2, 0.1, 0.9, 0.8, 0.7]
    cut = oe.cutpoints(gold, score, "accuracy", labels=[1, 2, 3], draws=0)
    assert len(set(cut.cuts)) < 2
    never = oe.cutpoints([3, 1, 1], [0.1, 0.5, 0.6], "mae", labels=[1, 2, 3], draws=0)
    assert not np.isfinite(never.cuts).all()
    for cuts in (cut, never, oe.cutpoints(GOLD, SCORE + 1, "mae", labels=range(1, 5), draws=0)):
        numbers = np.linspace(-3, 9, 50)
        labels = np.resize(cuts.scale.labels, 50)
        result = oe.evaluate(labels, numbers, "accuracy, mae", bins=cuts, draws=0)
        again = eval(result.call.python(), {"oe": oe, "y_true": labels, "y_pred": numbers})
        assert again == result
        assert result["mae"].value == np.abs(cuts.apply(numbers) - labels).mean()
        result.to_json(tmp_path / "result.json")
        assert oe.load(tmp_path / "result.json").call == result.call
        pd.DataFrame({"gold": labels, "y_pred": numbers}).to_csv(tmp_path / "d.csv", index=False)
        command = shlex.split(result.call.command().replace("\\\n", ""))
        command[2], out = str(tmp_path / "d.csv"), tmp_path / "out.json"
        assert main([*command[1:], "--out", str(out)]) == 0
        assert oe.load(out)["mae"].value == result["mae"].value


@pytest.mark.parametrize("bins", ["cut 1", "cut 2,1", "cut a,b", "cut nan,1", "cut "])
def test_texts_that_are_no_cut_points_are_refused(bins):
    with pytest.raises(oe.InputError, match="cut-points in order"):
        oe.evaluate([1, 2, 3], [0.1, 0.2, 0.3], bins=bins, labels=[1, 2, 3])


@pytest.mark.parametrize(
    ("gold", "score", "message"),
    [
        ([1, 2], [0.5, float("inf")], "score has 1 value other than finite numbers"),
        ([0.3, 0.7], [1, 2], "outside the scale .* The gold labels come first"),
        ([1, 2], ["a", "b"], "score has 2 values other than finite numbers"),
        ([1, 1], [0.5, 0.6], "single class"),
        ([1, 2], [0.5], "differ in length"),
    ],
)
def test_bad_input_is_explained(gold, score, message):
    with pytest.raises(oe.InputError, match=message):
        oe.cutpoints(gold, score, "qwk", labels=[1, 2])


def test_one_cluster_and_options_of_files_are_refused():
    with pytest.raises(oe.InputError, match="two or more clusters"):
        oe.cutpoints([1, 2, 2], [0.1, 0.2, 0.3], "qwk", labels=[1, 2], cluster=[7, 7, 7])
    with pytest.raises(oe.InputError, match="where is for files"):
        oe.cutpoints([1, 2, 2], [0.1, 0.2, 0.3], "qwk", labels=[1, 2], where={"a": 1})


def test_few_items_and_few_distinct_scores():
    for gold, score in (([1, 2], [1, 2]), ([1, 2, 3, 3], [0, 1, 1, 0]), ([1, 3], [1e308, -1e308])):
        cut = oe.cutpoints(gold, score, "qwk", labels=[1, 2, 3], draws=0)
        assert cut.folds == len(gold)
        assert set(cut.apply(score)) <= {1, 2, 3}


def test_the_command(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text("gold,score\n1,0.1\n1,0.2\n2,0.5\n2,0.6\n3,0.9\n3,0.8\n")
    page = tmp_path / "page.html"
    assert main(["cutpoints", str(path), "--measure", "mae", "--html", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "rounding" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "Scores by gold class" in page.read_text()
    assert main(["cutpoints", str(path), "--score", "nope"]) == 2
