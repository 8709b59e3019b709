"""Cut-points: brute force over all cuts for few items, edge cases, JSON and the command line."""

from itertools import combinations_with_replacement

import numpy as np
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


def test_clusters_weights_and_frames():
    import pandas as pd

    rng = np.random.default_rng(2)
    gold = rng.integers(1, 4, size=60)
    frame = pd.DataFrame({"g": gold, "s": gold + rng.normal(size=60), "w": 1.0, "c": gold % 7})
    named = oe.cutpoints("g", "s", "qwk", data=frame, labels=[1, 2, 3], weight="w", draws=0)
    given = oe.cutpoints(gold, frame["s"].to_numpy(), "qwk", labels=[1, 2, 3], draws=0)
    assert named.cuts == pytest.approx(given.cuts)
    clustered = oe.cutpoints(gold, frame["s"].to_numpy(), "qwk", cluster=np.arange(60) // 3)
    assert clustered.rules[0].crossed.low < clustered.rules[0].crossed.high


@pytest.mark.parametrize(
    ("gold", "score", "message"),
    [
        ([1, 2], [0.5, float("nan")], "score is missing or infinite"),
        ([0.3, 0.7], [1, 2], "outside the scale"),
        ([1, 2], ["a", "b"], "not numbers"),
        ([1, 1], [0.5, 0.6], "single class"),
        ([1, 2], [0.5], "both need one per item"),
    ],
)
def test_bad_input_is_explained(gold, score, message):
    with pytest.raises(oe.InputError, match=message):
        oe.cutpoints(gold, score, "qwk", labels=[1, 2])


def test_the_command(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text("gold,score\n1,0.1\n1,0.2\n2,0.5\n2,0.6\n3,0.9\n3,0.8\n")
    page = tmp_path / "page.html"
    assert main(["cutpoints", str(path), "--measure", "mae", "--html", str(page)]) == 0
    assert "rounding" in capsys.readouterr().out
    assert "Scores by gold class" in page.read_text()
    assert main(["cutpoints", str(path), "--score", "nope"]) == 2
