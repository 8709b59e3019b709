"""Models judged by people: golden figures, definitions item by item, verdicts, odd panels."""

import csv
import gzip
import json
from collections import Counter
from math import isnan, sqrt
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.evaluation.replacement import benjamini_yekutieli
from ordeval.evaluation.standings import allowed
from ordeval.report.judge_view import _signed
from ordeval.results import Estimate, verdict

K = 4
LABELS = [1, 2, 3, 4]
MEASURES = "kappa(weights='linear'), accuracy, mae, macro_mae, cem, kendall_b"
RULES = ("soft", "majority", "median", "mean", "each")


def panel(items: int = 40, people: int = 3, gaps: float = 0.0, seed: int = 0) -> Any:
    """Ratings 1 to 4 of people and of two models, NaN for gaps."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(2.5, 1.0, items)
    noise = rng.normal(0, 0.7, (items, people + 2))
    found = np.clip(np.rint(truth[:, None] + noise), 1, K)
    found[rng.random(found.shape) < gaps] = np.nan
    names = [f"p{j}" for j in range(people)]
    persons = {name: found[:, j] for j, name in enumerate(names)}
    return persons, {"m1": found[:, people], "m2": found[:, people + 1]}


def judged(persons: Any, models: Any, **options: Any) -> oe.Judgement:
    given = {"labels": LABELS, "measures": MEASURES, "draws": 0, **options}
    return oe.judge(persons, models, **given)


# Definitions, item by item.


def others_of(persons: dict[str, Any], person: str, i: int) -> list[int]:
    values = [column[i] for name, column in persons.items() if name != person]
    return [int(v) for v in values if not isnan(v)]


def gold_class(rule: str, others: list[int]) -> int:
    if rule == "majority":
        times = Counter(others)
        tied = sorted(k for k, n in times.items() if n == max(times.values()))
        return tied[(len(tied) - 1) // 2]
    if rule == "median":
        return sorted(others)[(len(others) - 1) // 2]
    return int(np.floor(mean(others) + 0.5))


def slow_table(rule: str, persons: Any, person: str, rated: Any) -> Any:
    """The table of a rater against the gold of the people other than one."""
    found = np.zeros((K, K))
    for i, rating in enumerate(rated):
        others = others_of(persons, person, i)
        if isnan(rating) or isnan(persons[person][i]) or not others:
            continue
        if rule == "soft":
            for k in others:
                found[k - 1, int(rating) - 1] += 1 / len(others)
        else:
            found[gold_class(rule, others) - 1, int(rating) - 1] += 1
    return found


def pair_table(gold: Any, rated: Any) -> Any:
    found = np.zeros((K, K))
    for g, p in zip(gold, rated, strict=True):
        if not isnan(g) and not isnan(p):
            found[int(g) - 1, int(p) - 1] += 1
    return found


def two_or_more(persons: Any, models: Any) -> tuple[Any, Any]:
    """The items that two people rated."""
    keep = np.sum([~np.isnan(c) for c in persons.values()], axis=0) >= 2
    return tuple({n: c[keep] for n, c in group.items()} for group in (persons, models))


@pytest.mark.parametrize("rule", ["soft", "majority", "median"])
@pytest.mark.parametrize("gaps", [0.0, 0.25])
def test_scores_are_those_of_the_definition(rule: Any, gaps: float) -> None:
    persons, models = panel(people=4, gaps=gaps, seed=3)
    found = judged(persons, models, gold=rule)
    persons, models = two_or_more(persons, models)
    for m in found.measures:
        own = {n: float(m.of(slow_table(rule, persons, n, c))) for n, c in persons.items()}
        for name, score in own.items():
            assert found.standing(name, m).value == pytest.approx(score, abs=1e-12)
        assert found.ceiling(m).value == pytest.approx(mean(own.values()), abs=1e-12)
        for name, column in models.items():
            scores = [float(m.of(slow_table(rule, persons, n, column))) for n in persons]
            seen = {n: np.where(np.isnan(column), np.nan, c) for n, c in persons.items()}
            same = [float(m.of(slow_table(rule, persons, n, seen[n]))) for n in persons]
            row = found.standing(name, m)
            assert row.value == pytest.approx(mean(scores), abs=1e-12)
            expected = mean(scores) - mean(same)
            assert row.difference.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("gaps", [0.0, 0.25])
def test_pairwise_scores_are_means_over_people_and_pairs(gaps: float) -> None:
    persons, models = panel(people=4, gaps=gaps, seed=4)
    found = judged(persons, models)
    persons, models = two_or_more(persons, models)
    for m in found.measures:
        pairs = {
            (a, b): float(m.of(pair_table(persons[a], persons[b])))
            for a in persons
            for b in persons
            if a != b
        }
        assert found.ceiling(m).pairwise.value == pytest.approx(mean(pairs.values()), abs=1e-12)
        for name, column in models.items():
            score = mean(float(m.of(pair_table(c, column))) for c in persons.values())
            row = found.standing(name, m)
            assert row.pairwise.value == pytest.approx(score, abs=1e-12)
            expected = score - mean(pairs.values())
            assert row.pairwise_difference.value == pytest.approx(expected, abs=1e-12)


def test_mean_gold_is_a_number_for_measures_of_numbers_and_a_class_for_others() -> None:
    persons, models = panel(people=4, gaps=0.2, seed=5)
    found = judged(persons, models, gold="mean", measures="mae, pearson, accuracy")
    persons, models = two_or_more(persons, models)
    column, distances, numbers, hits = models["m1"], [], [], []
    for person, own in persons.items():
        rows = [
            (mean(others_of(persons, person, i)), column[i])
            for i in range(len(column))
            if not isnan(column[i]) and not isnan(own[i]) and others_of(persons, person, i)
        ]
        gold, rated = np.array(rows).T
        distances.append(np.abs(gold - rated).mean())
        numbers.append(np.corrcoef(gold, rated)[0, 1])
        hits.append((np.floor(gold + 0.5) == rated).mean())
    values = [found.standing("m1", m).value for m in ("mae", "pearson", "accuracy")]
    assert values == pytest.approx([mean(distances), mean(numbers), mean(hits)], abs=1e-12)


def test_with_two_people_leave_one_out_is_pairwise() -> None:
    persons, models = panel(people=2)
    for rule in RULES:
        found = judged(persons, models, gold=rule, measures="accuracy, qwk")
        for row in found.scores:
            assert row.value == pytest.approx(row.pairwise.value, abs=1e-12)


@pytest.mark.parametrize(
    ("rule", "measure", "clusters"),
    [*((rule, "mae", None) for rule in RULES), ("soft", "accuracy", np.arange(60) // 4)],
)
def test_standard_errors_leave_out_every_unit(rule: Any, measure: str, clusters: Any) -> None:
    """Without the item that is added to the variance, the jackknife by hand."""
    gaps, largest = (0.15, 1.6) if clusters is None else (0.0, 1.1)
    persons, models = two_or_more(*panel(16 if clusters is None else 60, gaps=gaps, seed=6))
    unit = np.arange(len(persons["p0"])) if clusters is None else clusters
    given = {} if clusters is None else {"cluster": clusters}
    found = judged(persons, models, gold=rule, measures=measure, draws=1, **given)
    left_out = []
    for u in np.unique(unit[~np.isnan(models["m1"])]):
        less = [{n: c[unit != u] for n, c in group.items()} for group in (persons, models)]
        left_out.append(judged(*less, gold=rule, measures=measure).standing("m1").difference.value)
    n, items = len(left_out), np.count_nonzero(~np.isnan(models["m1"]))
    jackknife = sqrt((n - 1) / n * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    se = found.standing("m1").difference.se
    assert jackknife <= se <= sqrt(jackknife**2 + (largest / items) ** 2)  # no cluster is added


def test_one_item_is_added_to_the_variance_whatever_is_left_out() -> None:
    persons, models = panel(items=3000)
    wide = judged(persons, models, measures="accuracy", draws=1)
    groups = {
        "clusters": judged(
            persons, models, measures="accuracy", draws=1, cluster=np.arange(3000) % 50
        ),
        "long scale": judged(
            persons, models, measures="accuracy", draws=1, labels=list(range(1, 31))
        ),
    }
    for found in groups.values():
        pairs = [
            (wide.standing("m1").difference.se, found.standing("m1").difference.se),
            (wide.biases[0].lean.se, found.biases[0].lean.se),
        ]
        assert all(0.6 * items < se < 1.6 * items for items, se in pairs)


# Golden figures.


@pytest.mark.parametrize("name", ["summeval", "cebab_stars"])
def test_the_alternative_annotator_test_is_that_of_its_authors(shared: Path, name: str) -> None:
    golden = json.loads((shared / "golden" / "raters.json").read_text(encoding="utf-8"))[name]
    with gzip.open(shared / "data" / "raters" / f"{name}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    frame = pytest.importorskip("polars").DataFrame(rows)
    found = oe.judge(
        data=frame,
        item="item",
        rater="rater",
        rating="rating",
        kind="kind",
        labels=["1", "2", "3", "4", "5"],
        epsilon=golden["epsilon"],
        measures="kappa",
        draws=0,
    )
    assert {test.model for test in found.tests} == set(golden["alt_test"])
    for test in found.tests:
        expected = golden["alt_test"][test.model]
        assert test.winning_rate == pytest.approx(expected["winning_rate"], abs=1e-9)
        assert test.advantage == pytest.approx(expected["advantage_probability"], abs=1e-9)


def test_benjamini_and_yekutieli_reject_up_to_the_last_one_below_its_line() -> None:
    # Lines of three tests: 0.05 i / (3 · 11/6).
    assert benjamini_yekutieli([0.02, 0.001, 0.018]).tolist() == [True, True, True]
    assert benjamini_yekutieli([0.03, 0.001, 0.04]).tolist() == [False, True, False]
    assert benjamini_yekutieli([]).tolist() == []


def test_people_with_few_items_are_not_tested_and_are_named() -> None:
    persons, models = panel(items=60)
    persons["p2"][25:] = np.nan
    found = judged(persons, models)
    assert [row.person for row in found.tests[0].people] == ["p0", "p1"]
    assert found.tests[0].left_out == ("p2",)
    assert any("alternative annotator test" in notice for notice in map(str, found.notes))


def test_nobody_has_enough_items() -> None:
    test = judged(*panel(items=20)).tests[0]
    assert test.passes is None
    assert isnan(test.winning_rate)


def test_nearness_by_accuracy_counts_equal_ratings() -> None:
    items = 40
    persons = {"a": [1] * items, "b": [1] * items, "c": [3] * items}
    found = judged(persons, {"m": [4] * items}, nearness="accuracy")
    # Beside b and c, or a and c, the model equals nobody; beside a and b it does as well as c.
    assert [row.model_wins for row in found.tests[0].people] == [0, 0, 1]
    # By distance 2 lies between 1 and 3, and is nearer to both together than either end.
    near = judged(persons, {"m": [2] * items}).tests[0]
    assert [row.model_wins for row in near.people] == [1, 1, 1]


# Verdicts.


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.01, 0.2, "better"),
        (-0.04, 0.2, "as good as one more person"),
        (-0.04, -0.01, "as good as one more person"),
        (-0.2, -0.01, "worse"),
        (-0.2, 0.2, "undecided"),
        (float("nan"), float("nan"), "undecided"),
    ],
)
def test_verdicts_follow_from_the_interval_and_the_margin(
    low: float, high: float, expected: str
) -> None:
    kappa, mae = oe.measure("kappa"), oe.measure("mae")
    assert verdict(Estimate((low + high) / 2, low, high), kappa, 0.05, 50) == expected
    assert verdict(Estimate(-(low + high) / 2, -high, -low), mae, 0.05, 50) == expected
    assert verdict(Estimate((low + high) / 2, low, high), kappa, 0.05, 9) == "undecided"


def test_the_margin_is_a_share_of_the_disagreement_of_people() -> None:
    kappa, mae = oe.measure("kappa"), oe.measure("mae")
    assert allowed(kappa, 0.6, 0.1, (-1, 1)) == pytest.approx(0.04)
    assert allowed(mae, 0.5, 0.1, (0, 4)) == pytest.approx(0.05)
    assert allowed(kappa, 1.0, 0.1, (-1, 1)) == pytest.approx(0.01)
    assert allowed(kappa, 1.0, 0.0, (-1, 1)) == 0.0
    assert isnan(allowed(kappa, float("nan"), 0.1, (-1, 1)))


def test_fewer_than_ten_items_decide_nothing() -> None:
    truth = np.array([1, 2, 3, 4, 1, 2, 3, 4, 1, 2])
    persons = {"a": truth, "b": truth[::-1], "c": np.roll(truth, 1)}
    measures = "kendall_b, accuracy, mae"
    few = judged({n: c[:9] for n, c in persons.items()}, {"m": truth[:9]}, measures=measures)
    assert {row.verdict for row in few.scores} == {""}
    wide = judged(
        {n: c[:9] for n, c in persons.items()}, {"m": truth[:9]}, measures=measures, draws=1
    )
    rows = [row for row in wide.scores if row.kind == "model"]
    assert {row.verdict for row in rows} == {"undecided"}
    assert all("fewer than 10 items" in row.difference.doubt for row in rows)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("items", [1, 9])
def test_people_with_a_handful_of_items_do_not_count_in_means(rule: Any, items: int) -> None:
    persons, models = panel(items=120)
    without = judged(persons, models, gold=rule)
    far = np.full(120, np.nan)
    far[:items] = K + 1 - persons["p0"][:items]
    found = judged({**persons, "rare": far}, models, gold=rule)
    for measure in without.measures:
        before, after = without.ceiling(measure), found.ceiling(measure)
        # Golds change on a few items; the score of the rare person does not count.
        assert after.value == pytest.approx(before.value, abs=0.08)
        assert after.pairwise.value == pytest.approx(before.pairwise.value, abs=1e-12)
        pairs = (j.standing("m1", measure).pairwise.value for j in (without, found))
        assert len({round(value, 12) for value in pairs}) == 1
    assert any("means over people" in n and "'rare'" in n for n in map(str, found.notes))
    assert any("3 pairs" in notice for notice in map(str, found.notes))
    assert not isnan(found.standing("rare", "accuracy").value)


def test_all_people_count_where_most_rated_a_handful() -> None:
    persons, models = panel(items=60, people=12)
    for j, column in enumerate(persons.values()):
        column[:] = np.where((np.arange(60) // 5) % 12 == j, column, np.nan)
    spare, _ = panel(items=60, people=12, seed=1)
    for j, column in enumerate(persons.values()):
        second = (np.arange(60) // 5 + 1) % 12 == j
        column[second] = spare[f"p{j}"][second]
        column[np.flatnonzero(second)[:1]] = np.nan
    found = judged(persons, models, measures="accuracy", draws=1)
    assert any("all people count" in notice for notice in map(str, found.notes))
    assert "fewer than 10 items" in found.ceiling().doubt
    own = [found.standing(name).value for name in persons]
    assert found.ceiling().value == pytest.approx(mean(own))


def test_many_items_without_any_disagreement_do() -> None:
    same = np.tile([1, 2, 3, 4], 500)
    found = judged({"a": same, "b": same}, {"m": same}, draws=1)
    assert found.standing("m").verdict == "as good as one more person"


def test_without_intervals_there_are_no_verdicts() -> None:
    persons, models = panel()
    found = judged(persons, models, by=np.arange(40) % 2)
    assert {row.verdict for row in (*found.scores, *found.slices)} == {""}
    assert "undecided" not in f"{found} {found.summary()}"
    assert all(isnan(row.difference.low) for row in found.scores)


def test_a_bad_model_is_worse_and_a_good_one_better() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(1, K + 1, 400)
    persons = {name: np.clip(truth + rng.integers(-1, 2, 400), 1, K) for name in ("a", "b", "c")}
    models = {"perfect": truth, "random": rng.integers(1, K + 1, 400), "constant": [2] * 400}
    found = judged(persons, models, draws=1)
    assert found.standing("perfect").verdict == "better"
    assert found.standing("random").verdict == "worse"
    assert found.standing("constant").verdict == "worse"
    assert found.ranking()[0] == "perfect"


# Bias.


def test_bias_is_said_where_the_interval_excludes_none() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(1, K + 1, 300)
    persons = {name: np.clip(truth + rng.integers(-1, 2, 300), 1, K) for name in "ab"}
    models = {"high": np.minimum(truth + 1, K), "middle": np.clip(truth, 2, 3), "same": truth}
    words = {row.model: row.words for row in judged(persons, models, draws=1).biases}
    assert words["high"].startswith("leans high")
    assert "avoids the ends" in words["middle"]
    assert "spreads less than people" in words["middle"]
    assert "leans" not in words["same"]


def test_bias_by_hand() -> None:
    persons = {"a": [1, 2, 3, 4], "b": [1, 2, 4, np.nan], "c": [np.nan, np.nan, np.nan, 4]}
    [bias] = judged(persons, {"m": [2, 2, 4, 4]}).biases
    assert bias.lean.value == pytest.approx((1 + 0 + 0.5 + 0) / 4)
    assert bias.ends.value == pytest.approx((-1 + 0 + 0.5 + 0) / 4)
    assert bias.shares == (0, 0.5, 0, 0.5)
    assert bias.words == ""


# Slices, items, pairs.


def test_slices_on_few_items_say_so_and_those_on_none_are_named() -> None:
    persons, models = panel(60)
    part = np.array(["large"] * 46 + ["small"] * 6 + ["none"] * 8)
    for name in ("p0", "p1"):
        persons[name][part == "none"] = np.nan
    for name in persons:
        persons[name][part == "small"] = [1, 4] * 3
    models["m1"][part == "small"] = [4, 1, 3, 2, 4, 1]
    found = judged(persons, models, by=part, draws=10)
    assert {row.slice for row in found.slices} == {"large", "small"}
    told = "\n".join(map(str, found.notes))
    assert "There are 2 slices" in told
    assert "by two people: 'none'" in told
    shown = " ".join(found.to_text("slices").split())
    assert "linear kappa" in shown
    assert "has scores on fewer than 10 items: small" in shown
    assert all(row.difference.low >= -2 for row in found.slices)


def test_sentences_have_the_digits_of_the_table() -> None:
    row = Estimate(-0.0002, -0.0004, 0.05)
    assert _signed(row) == "0.000 [0.000, 0.050]"
    assert _signed(Estimate(0.02, 0.0004, 0.05)) == "+0.020 [0.0004, 0.050]"


def test_a_slice_is_judged_like_its_items_alone() -> None:
    persons, models = panel(items=80, gaps=0.1)
    part = np.array(["x", "y"])[np.arange(80) % 2]
    options = {"measures": "kappa, mae", "draws": 1}
    found = judged(persons, models, by=part, **options)
    only = part == "y"
    alone = judged(
        {n: c[only] for n, c in persons.items()},
        {n: c[only] for n, c in models.items()},
        **options,
    )
    row = next(row for row in found.slices if (row.slice, row.name) == ("y", "m2"))
    expected = alone.standing("m2")
    assert (row.parts, row.difference, row.verdict) == (
        expected.parts,
        expected.difference,
        expected.verdict,
    )
    named = judged(persons, models, by={"half": part}, **options)
    assert {row.slice for row in named.slices} == {"half=x", "half=y"}
    assert any("slices" in notice for notice in map(str, named.notes))


def test_items_of_largest_disagreement_are_named() -> None:
    persons = {"a": [1, 1, 2, 4], "b": [1, 1, 2, 2]}
    found = judged(persons, {"m": [1, 4, 2, 1]}, item=["i", "j", "k", "l"])
    assert [(row.item, row.disagreement) for row in found.disputed] == [("j", 9.0), ("l", 4.0)]
    assert found.disputed[0].ratings == {"a": 1, "b": 1, "m": 4}


def test_everybody_is_compared_with_everybody() -> None:
    persons, models = panel()
    found = judged(persons, models, primary="mae")
    everybody = {**persons, **models}
    assert len(found.pairs) == 5 * 4
    for row in found.pairs:
        expected = oe.score(everybody[row.first], everybody[row.second], "mae", labels=LABELS)
        assert row.value == pytest.approx(expected, abs=1e-12)


def test_people_agreement_is_the_agreement_of_people() -> None:
    persons, models = panel()
    found = judged(persons, models, draws=50)
    expected = oe.agreement(persons, labels=LABELS, draws=50)
    assert found.people_agreement.coefficients == expected.coefficients
    assert found.people_agreement.signature() == expected.signature()


# Properties.

ratings = st.lists(st.tuples(*[st.integers(1, K)] * 4), min_size=3, max_size=25)


def of_rows(rows: Any) -> tuple[Any, Any]:
    columns = list(zip(*rows, strict=True))
    return dict(zip("abc", columns[:3], strict=True)), {"m": columns[3]}


def figures(found: oe.Judgement, names: dict[str, str] | None = None) -> dict[Any, Any]:
    named = names or {}
    return {
        (str(row.measure), named.get(row.name, row.name)): [
            *(getattr(e, f) for e in (row, row.difference) for f in ("value", "se"))
        ]
        for row in found.scores
    }


def same(a: dict[Any, Any], b: dict[Any, Any]) -> bool:
    return a.keys() == b.keys() and all(
        np.allclose(a[key], b[key], rtol=0, atol=1e-9, equal_nan=True) for key in a
    )


@settings(max_examples=15, deadline=None)
@given(ratings, st.randoms(use_true_random=False), st.sampled_from(RULES))
def test_the_order_of_items_and_people_does_not_matter(rows: Any, random: Any, rule: Any) -> None:
    options = {"measures": "accuracy, mae, macro_f1", "gold": rule, "draws": 1}
    persons, models = of_rows(rows)
    turned = dict(reversed(persons.items()))
    shuffled = of_rows(random.sample(rows, len(rows)))
    first = figures(judged(persons, models, **options))
    assert repr(figures(judged(*shuffled, **options))) == repr(first)  # to the last bit
    assert same(figures(judged(turned, models, **options)), first)


@settings(max_examples=10, deadline=None)
@given(ratings, st.integers(2, 4))
def test_frequencies_are_repetitions(rows: Any, times: int) -> None:
    persons, models = of_rows(rows)
    many = of_rows([row for row in rows for _ in range(times)])
    options = {"measures": "accuracy, mae, macro_mae", "draws": 1}
    counted = judged(persons, models, frequency=[times] * len(rows), **options)
    assert same(figures(counted), figures(judged(*many, **options)))
    assert counted.items == times * len(rows)


# Odd panels.


def test_items_of_one_person_are_left_out_and_counted() -> None:
    persons = {"a": [1, 2, 3, 4], "b": [1, 2, None, 4], "c": [1, 2, None, 3]}
    found = judged(persons, {"m": [1, 2, 3, 4]})
    assert found.items == 3
    assert any(
        "fewer than two people" in notice and "1 item" in notice for notice in map(str, found.notes)
    )


def test_clusters_that_have_lost_their_items_are_none() -> None:
    persons, models = two_or_more(*panel(20, seed=8))
    cluster = np.arange(len(persons["p0"])) // 2
    more = {name: [*codes, None, None] for name, codes in persons.items()}
    extended = {name: [*codes, 1, 1] for name, codes in models.items()}
    found = judged(more, extended, cluster=[*cluster, 98, 99])
    expected = judged(persons, models, cluster=cluster)
    assert found.about == expected.about
    assert same(figures(found), figures(expected))


def test_a_copy_of_a_person_is_pointed_out() -> None:
    persons, models = panel(items=60)
    copy = np.where(np.arange(60) < 40, persons["p1"], np.nan)
    found = judged(persons, {**models, "copy": copy})
    copies = [notice for notice in map(str, found.notes) if "not a copy" in notice]
    assert len(copies) == 1
    assert copies[0].startswith("'copy' equals 'p1' on every item")
    same = np.tile([1, 2, 3, 4], 10)
    found = judged({"a": same, "b": same}, {"m": same})
    assert not any(n.kind == "copy" for n in found.notes)


def test_constant_people_are_named() -> None:
    persons, models = panel(items=60)
    found = judged({**persons, "lazy": np.full(60, 3)}, models)
    assert any(n.kind == "raters" and "lazy' gives one class only" in n.text for n in found.notes)
    everybody = judged({"a": [2] * 20, "b": [2] * 20}, {"m": [2] * 20}, measures="accuracy")
    assert not any("gives one class only" in n.text for n in everybody.notes)


def test_lists_of_different_length_do_not_say_who_is_who() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, K + 1, 60)
    lists = [
        [*np.clip(t + rng.integers(-1, 2, 3), 1, K), K][: 3 + i % 2] for i, t in enumerate(truth)
    ]
    found = oe.judge(lists, {"m": truth}, labels=LABELS, draws=50)
    assert any("positions in the lists" in notice for notice in map(str, found.notes))
    assert found.people_agreement.raters == ()
    assert not any("rates higher" in notice for notice in map(str, found.notes))
    with pytest.raises(oe.InputError, match="who gave which"):
        oe.judge(lists, {"m": truth}, labels=LABELS, over="both", draws=50)
    wide = oe.judge([row[:3] for row in lists], {"m": truth}, labels=LABELS, draws=0)
    assert not any("positions in the lists" in notice for notice in map(str, wide.notes))


@pytest.mark.slow
def test_two_classes_and_a_hundred() -> None:
    rng = np.random.default_rng(0)
    for k in (2, 101):
        truth = rng.integers(0, k, 80)
        persons = {n: np.clip(truth + rng.integers(-1, 2, 80), 0, k - 1) for n in "abc"}
        found = judged(persons, {"m": truth}, labels=range(k), measures="kappa, mae", draws=20)
        assert found.standing("m").verdict in ("better", "as good as one more person")
        assert found.standing("m").difference.se > 0


def test_a_model_with_gaps_is_compared_on_its_own_items() -> None:
    persons, models = panel(items=50)
    models["m1"][:10] = np.nan
    found = judged(persons, models)
    rest = judged({n: c[10:] for n, c in persons.items()}, {n: c[10:] for n, c in models.items()})
    assert found.standing("m1").difference.value == pytest.approx(
        rest.standing("m1").difference.value
    )
    assert any("40 of 50 items" in notice for notice in map(str, found.notes))


def test_over_items_and_people_is_wider_and_needs_three() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(2.5, 1, 200)
    lean = {"a": -0.7, "b": 0.0, "c": 0.7, "d": 0.2}
    persons = {
        n: np.clip(np.rint(truth + x + rng.normal(0, 0.4, 200)), 1, K) for n, x in lean.items()
    }
    models = {"m": np.clip(np.rint(truth), 1, K)}
    options = {"measures": "kappa", "draws": 20}
    both = judged(persons, models, over="both", **options)
    assert both.over == "items and raters"
    assert (
        both.standing("m").difference.se
        > judged(persons, models, **options).standing("m").difference.se
    )
    with pytest.raises(oe.InputError, match="three"):
        judged({n: persons[n] for n in "ab"}, models, over="both", **options)


def test_several_models_have_joint_verdicts() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 200)
    noisy = [np.clip(truth + rng.choice([-1, 0, 0, 1], 200), 1, 5) for _ in range(14)]
    models = {"exact": truth, **{f"m{i}": rated for i, rated in enumerate(noisy[3:])}}
    people = np.stack(noisy[:3], axis=1)
    settings: Any = {"labels": range(1, 6), "measures": "kappa(weights=linear)", "draws": 1}
    found = oe.judge(people, models, **settings)
    assert found.standing("exact").joint_verdict == "better"
    # The intervals of each of 12 models have the level of a study with a twelfth of the error.
    wide = oe.judge(people, models, ci=1 - 0.05 / 12, **settings)
    joint = {name: found.standing(name).joint_verdict for name in models}
    assert joint == {name: wide.standing(name).verdict for name in models}
    changed = [name for name in models if joint[name] != found.standing(name).verdict]
    (notice,) = (n for n in map(str, found.notes) if "all models at once" in n)
    assert changed
    assert all(repr(name) in notice for name in changed)
    assert "joint_verdict" in found.to_csv().splitlines()[0]
    alone = oe.judge(people, {"exact": truth}, **settings)
    assert alone.standing("exact").joint_verdict == alone.standing("exact").verdict
    assert not any("at once" in notice for notice in map(str, alone.notes))


def test_many_models_have_pairs_without_intervals() -> None:
    rng = np.random.default_rng(3)
    people = {f"p{i}": rng.integers(1, 4, 30).tolist() for i in range(3)}
    models = {f"m{i}": rng.integers(1, 4, 30).tolist() for i in range(24)}
    weight = rng.uniform(1, 2, 30)
    many = oe.judge(people, models, labels=[1, 2, 3], weight=weight)
    few = oe.judge(people, {"m0": models["m0"]}, labels=[1, 2, 3], weight=weight)
    pairs = {(pair.first, pair.second): pair for pair in many.pairs}
    for pair in few.pairs:
        estimate = pairs[pair.first, pair.second]
        assert estimate.value == pytest.approx(pair.value, abs=1e-12)
        assert np.isnan(estimate.low)
        assert estimate.doubt == "there are more than 300 pairs of raters"
