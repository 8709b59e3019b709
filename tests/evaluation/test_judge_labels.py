"""Few gold labels and many labels of a judge: `judge` of `evaluate` and `compare`."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from oracles import ORACLES, items_of
from ordeval.data.scale import Scale
from ordeval.evaluation.stored import worse_than_system
from ordeval.measures.batches import score_tables
from ordeval.measures.spec import measures, parse_measures
from ordeval.stats.judge_labels import JudgedItems, JudgedRows, JudgedTable, shares_test

LABELS = [1, 2, 3, 4, 5]
MEASURES = "accuracy, kappa, qwk, mae, macro_mae, cem, kendall_b, alpha"


def noisy(gold: Any, errors: float, rng: np.random.Generator) -> Any:
    """Return labels with a share of errors of one or two classes."""
    steps = rng.choice([-2, -1, 1, 2], len(gold))
    return np.clip(np.where(rng.random(len(gold)) < errors, gold + steps, gold), 1, 5)


class Data:
    """Gold with gaps, two systems and a judge."""

    def __init__(self, n: int = 80, items: int = 1500, judge: float = 0.1, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.n, self.full = n, rng.choice(5, items, p=[0.1, 0.25, 0.3, 0.2, 0.15]) + 1
        self.a, self.b = noisy(self.full, 0.4, rng), noisy(self.full, 0.3, rng)
        self.judge = noisy(self.full, judge, rng)
        self.gold = [int(g) if i < n else None for i, g in enumerate(self.full)]

    def evaluate(self, **options: Any) -> oe.Result:
        """Evaluate the first system."""
        given = {"labels": LABELS, "measures": MEASURES, "draws": 200, "judge": self.judge}
        return oe.evaluate(self.gold, self.a, **{**given, **options})

    def compare(self, **options: Any) -> oe.Result:
        """Compare both systems."""
        given = {"labels": LABELS, "measures": MEASURES, "draws": 200, "judge": self.judge}
        return oe.compare(self.gold, {"a": self.a, "b": self.b}, **{**given, **options})

    def people(self, **options: Any) -> oe.Result:
        """Compare both systems on the labelled items alone."""
        part = {"a": self.a[: self.n], "b": self.b[: self.n]}
        given = {"labels": LABELS, "measures": MEASURES, "draws": 200}
        return oe.compare(self.full[: self.n], part, **{**given, **options})


# The definition, item by item.


def shares_of_gold(data: Data) -> list[list[float]]:
    """Return what the judge's class of every item says about gold, item by item.

    For a labelled item these are the shares of gold among the other labelled items of the judge's
    class and one item of that class; for another item the mean of those without each labelled one.
    """
    known = [(g, j) for g, j in zip(data.gold, data.judge, strict=True) if g is not None]

    def without(left_out: int, judge: int) -> Any:
        found = [g for i, (g, j) in enumerate(known) if j == judge and i != left_out]
        return np.bincount([*found, judge], minlength=6)[1:] / (len(found) + 1)

    every = range(len(known))
    means = {j: np.mean([without(i, j) for i in every], axis=0) for j in LABELS}
    own = [without(i, j) for i, (_, j) in enumerate(known)]
    return [*own, *(means[j] for j in data.judge[len(known) :])]


def corrected_table(data: Data, weight: float) -> list[list[float]]:
    """Return T_h + λ(A_c − T_c), added up item by item."""
    table = np.zeros((5, 5))
    items, n = len(data.gold), data.n
    for gold, shares, system in zip(data.gold, shares_of_gold(data), data.a, strict=True):
        table[:, system - 1] += weight * np.array(shares) / items
        if gold is not None:
            table[gold - 1, system - 1] += 1 / n
            table[:, system - 1] -= weight * np.array(shares) / n
    return table.tolist()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MEASURES.split(", ")[:-1])
def test_scores_are_those_of_the_corrected_table_by_definition(name: str, seed: int) -> None:
    data = Data(seed=seed)
    found = data.evaluate(measures=name)[name][0]
    assert 0 < found.judge_weight <= 1
    table = corrected_table(data, found.judge_weight)
    assert seed or min(min(row) for row in table) < 0  # cells are not clipped
    measure, (labels, predicted, often) = oe.measure(name), items_of(table)
    # CEM counts at least half an item; a table of many items has the same shares.
    score = ORACLES[measure.id](
        labels, predicted, 5, multiplicity=[1e6 * x for x in often], **measure.params
    )
    assert found.value == pytest.approx(score, abs=1e-9)


def item_values(data: Data, name: str) -> tuple[Any, Any]:
    """Return a loss by item, of gold where it is known and expected by the judge everywhere."""
    loss = (lambda x, s: x == s) if name == "accuracy" else (lambda x, s: abs(x - s))
    people = [float(loss(g, s)) for g, s in zip(data.gold, data.a, strict=True) if g is not None]
    pairs = zip(shares_of_gold(data), data.a, strict=True)
    judge = [sum(share * loss(g, s) for g, share in enumerate(x, 1)) for x, s in pairs]
    return np.array(people), np.array(judge)


@pytest.mark.parametrize("name", ["accuracy", "mae"])
def test_means_equal_prediction_powered_inference(name: str) -> None:
    data = Data(n=200, items=4000)
    y, f = item_values(data, name)
    n, items = len(y), len(f)
    found = data.evaluate(measures=name)[name][0]
    mean = y.mean() + found.judge_weight * (f.mean() - f[:n].mean())
    assert found.value == pytest.approx(mean, abs=1e-12)
    # λ for a mean of labelled items and the mean of the others, as in PPI++.
    tuned = np.cov(y, f[:n])[0, 1] / ((1 + n / (items - n)) * f[:n].var())
    assert found.judge_weight == pytest.approx(tuned * items / (items - n), abs=0.03)


@pytest.mark.parametrize("name", ["accuracy", "mae"])
def test_the_weight_minimises_the_variance_over_items(name: str) -> None:
    data = Data(n=60, items=900)
    y, f = item_values(data, name)
    n, items = len(y), len(f)
    p = (y - y.mean()) / n
    q = -(f - f.mean()) / items
    q[:n] += (f[:n] - f[:n].mean()) / n
    best = (p @ q[:n]) / (q @ q)
    found = data.evaluate(measures=name)[name][0]
    assert found.judge_weight == pytest.approx(best, abs=1e-5)


def test_kernels_hold_for_signed_tables() -> None:
    """Measures that need nothing are smooth where cells become negative."""
    scale = Scale.of(LABELS)
    chosen = [m for m in measures(batched=True) if m.record.nonnegative(m.params) == "nothing"]
    assert len(chosen) >= 15
    rng = np.random.default_rng(0)
    table = rng.integers(5, 30, (5, 5)).astype(float)
    table[0, 4] = 0.0
    step = np.zeros((5, 5))
    step[0, 4], step[0, 0] = 1.0, -1.0
    tables = np.stack([table + h * step for h in (-0.2, -0.1, 0.0, 0.1, 0.2)])
    scores = score_tables(chosen, tables, scale)
    assert np.isfinite(scores).all()
    third = np.diff(scores, n=3, axis=1)  # a kink at 0 would show
    assert np.abs(third).max() < 1e-4


# What must stay the same.


def test_a_judge_who_says_nothing_leaves_people_alone() -> None:
    data = Data()
    found = data.evaluate(judge=np.full(len(data.a), 3))
    alone = oe.evaluate(
        data.full[: data.n], data.a[: data.n], labels=LABELS, measures=MEASURES, draws=200
    )
    assert not found.judge.weight.any()
    assert np.array_equal(found.judge.worth, np.full(found.judge.worth.shape, data.n))
    assert np.array_equal(found.scores.values, alone.scores.values)
    assert np.array_equal(found.intervals.low, alone.intervals.low)
    assert np.array_equal(found.intervals.high, alone.intervals.high)


def test_without_gaps_the_result_is_the_usual_one_and_says_so() -> None:
    data = Data(n=300, items=300)
    options = {"labels": LABELS, "measures": MEASURES, "draws": 200}
    for found, usual in (
        (data.evaluate(), oe.evaluate(data.full, data.a, **options)),
        (data.compare(), oe.compare(data.full, {"a": data.a, "b": data.b}, **options)),
    ):
        assert found.judge is None
        assert np.array_equal(found.scores.values, usual.scores.values)
        assert (found.tests is None) == (usual.tests is None)
        assert "Every item has a gold label" in " ".join(map(str, found.notes))
    assert (
        data.compare().pair("a", "b").p
        == oe.compare(data.full, {"a": data.a, "b": data.b}, **options).pair("a", "b").p
    )


@settings(max_examples=8, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 5))
def test_the_order_of_items_and_of_systems_changes_nothing(order: Any, seed: int) -> None:
    data = Data(n=40, items=200, seed=seed)
    places = list(range(200))
    order.shuffle(places)
    kept = [data.gold[i] for i in places]
    columns = {name: getattr(data, name)[places] for name in ("b", "a")}
    options = {"labels": LABELS, "measures": "kappa, mae", "draws": 50, "trials": 99}
    shuffled = oe.compare(kept, columns, judge=data.judge[places], **options)
    found = data.compare(**options)
    assert shuffled.reordered(found.scores.systems) == found


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(5, 60))
def test_intervals_are_never_longer_than_those_of_people_alone(
    seed: int, errors: float, n: int
) -> None:
    data = Data(n=n, items=400, judge=errors, seed=seed)
    try:
        found = data.evaluate(draws=100)
    except oe.InputError:
        return  # one in a thousand random parts is refused
    known = [g for g in data.gold if g is not None]
    alone = oe.evaluate(known, data.a[:n], labels=LABELS, measures=MEASURES, draws=100)
    width = found.intervals.high - found.intervals.low
    assert np.all(width <= 1.0 * (alone.intervals.high - alone.intervals.low) + 1e-12)
    assert np.all(found.judge.worth >= n - 1e-9)


def test_a_system_has_the_same_interval_alone_and_among_others() -> None:
    data = Data()
    alone, among = data.evaluate()["kappa"][0], data.compare()["kappa"]["a"]
    np.testing.assert_allclose(alone.parts[:4], among.parts[:4], rtol=1e-12)


# What a judge is worth.


@pytest.mark.parametrize(("errors", "low", "high"), [(0.1, 1.3, 4.0), (0.97, 1.0, 1.15)])
def test_worth_grows_with_the_judge(errors: float, low: float, high: float) -> None:
    found = Data(n=300, items=5000, judge=errors).evaluate()
    assert low * 300 <= np.median(found.judge.worth) <= high * 300
    assert "People gave gold labels to 300 of 5,000 items" in found.notes[0].text


@pytest.mark.parametrize("shift", [-1, 1])
def test_a_lenient_or_severe_judge_is_worth_something(shift: int) -> None:
    """Its classes are calibrated: taken as they are, they would tell nothing about accuracy."""
    data = Data(n=300, items=5000)
    data.judge = np.clip(data.judge + shift, 1, 5)
    found = data.evaluate(measures="accuracy, kappa, mae")
    assert found.judge.worth.min() > 1.4 * 300


def test_shares_of_gold_are_independent_of_the_items_own_label() -> None:
    """The correction has the mean 0 over all ways to choose the labelled items."""
    gold, judge = np.array([0, 0, 1, 2, 1, 2]), np.array([0, 1, 1, 2, 2, 1])
    systems, total = np.array([[0, 1, 1, 2, 0, 2]]), np.zeros((3, 3))
    for chosen in combinations(range(6), 3):
        at = np.isin(np.arange(6), chosen)
        parts = (JudgedItems(judge[x], systems[:, x], np.ones(3, dtype=int)) for x in (at, ~at))
        total += JudgedTable(JudgedRows(3, gold[at], *parts), 0).correction
    np.testing.assert_allclose(total, 0.0, atol=1e-12)


def test_intervals_cover_the_truth() -> None:
    rng, runs, covered = np.random.default_rng(1), 40, 0
    for run in range(runs):
        data = Data(n=100, items=2000, judge=0.12, seed=int(rng.integers(10**9)))
        row = data.evaluate(measures="qwk", draws=200, rng=run)["qwk"][0]
        true = oe.evaluate(data.full, data.a, labels=LABELS, measures="qwk", draws=0)
        covered += row.low <= true["qwk"].value <= row.high
    assert covered >= 0.85 * runs


@pytest.mark.parametrize("judge", ["gold", "system", "reversed", "constant"])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_extreme_judges_give_possible_results(judge: str, n: int) -> None:
    data = Data(n=n, items=300)
    columns = {"gold": data.full, "system": data.a, "reversed": 6 - data.full}
    found = data.evaluate(judge=columns.get(judge, np.full(300, 2)))
    assert np.all((found.judge.weight >= 0) & (found.judge.weight <= 1))
    for row in found.tidy():
        low, high = found.scores.bounds(row.measure)
        assert not row.value < low
        assert not row.value > high
        assert not row.low > row.high


@pytest.mark.parametrize("system", ["perfect", "constant"])
def test_extreme_systems_have_intervals(system: str) -> None:
    data = Data(n=50, items=500)
    data.a = data.full if system == "perfect" else np.full(500, 3)
    row = data.evaluate()["accuracy"][0]
    assert row.low < row.high


def test_a_class_without_gold_labels_leaves_macro_averages_alone() -> None:
    data = Data(n=60, items=600)
    data.gold = [None if g == 5 else g for g in data.gold]
    data.judge = np.where(data.judge == 5, np.where(np.arange(600) % 40 == 7, 5, 4), data.judge)
    found = data.evaluate(measures="macro_mae, macro_f1, accuracy")
    assert found["macro_mae"][0].judge_weight == 0
    assert found["accuracy"][0].judge_weight > 0
    assert "Without correction (λ = 0), in part: 'macro MAE', 'macro F1'" in found.notes[1].text


# Labelled items must be a random part.


def test_labels_of_some_classes_only_are_refused_with_the_test() -> None:
    data = Data(items=1500)
    data.gold = [int(g) if g <= 2 else None for g in data.full]
    with pytest.raises(oe.InputError, match="not a random part of all 1,500") as problem:
        data.evaluate()
    text = str(problem.value)
    assert "χ² = " in text
    assert "p < 0.0001" in text
    assert "rate" in text
    assert len(text) < 2000


def test_the_test_of_shares_holds_its_level_with_few_items() -> None:
    rng, refused = np.random.default_rng(3), 0
    shares = np.array([0.01, 0.04, 0.5, 0.4, 0.05])
    for _ in range(60):
        labelled, other = rng.multinomial(60, shares), rng.multinomial(900, shares)
        classes, none = np.arange(5), np.zeros((1, 5), dtype=int)
        rows = JudgedRows(
            5, classes, JudgedItems(classes, none, labelled), JudgedItems(classes, none, other)
        )
        refused += shares_test(rows, classes, classes, 5)[2] < 0.05
    assert refused <= 8


@pytest.mark.parametrize("kind", ["judge", "systems"])
def test_labels_where_others_disagree_are_refused(kind: str) -> None:
    rng = np.random.default_rng(1)
    data = Data(items=3000)
    chosen = (data.a != (data.judge if kind == "judge" else data.b)) & (rng.random(3000) < 0.15)
    data.gold = [int(g) if c else None for g, c in zip(data.full, chosen, strict=True)]
    with pytest.raises(oe.InputError, match="not a random part of all 3,000") as problem:
        data.evaluate() if kind == "judge" else data.compare()
    assert "differ by" in str(problem.value)


@pytest.mark.parametrize(("n", "systems"), [(30, 1), (30, 5), (1000, 5)])
def test_a_random_part_is_rarely_refused(n: int, systems: int) -> None:
    rng, smallest = np.random.default_rng(4), []
    for _ in range(60):
        gold = rng.choice(5, 3000, p=[0.1, 0.25, 0.3, 0.2, 0.15]) + 1
        columns = {str(i): noisy(gold, 0.4, rng) for i in range(systems)}
        known = [int(g) if i < n else None for i, g in enumerate(gold)]
        options = {"labels": LABELS, "measures": "accuracy", "draws": 0, "trials": 50}
        found = oe.compare(known, columns, judge=noisy(gold, 0.1, rng), **options)
        assert len(found.judge.checks) == 1 + 2 * systems + (systems > 1)
        smallest.append(min(check.p for check in found.judge.checks) * len(found.judge.checks))
    assert min(smallest) >= 1e-3
    assert np.mean(np.array(smallest) < 0.05) < 0.13


def test_known_rates_make_up_for_unequal_labelling() -> None:
    rng = np.random.default_rng(5)
    data = Data(n=1, items=20_000)
    rate = np.where((data.judge == 1) | (data.judge == 5), 0.15, 0.02)
    chosen = rng.random(20_000) < rate
    data.gold = [int(g) if c else None for g, c in zip(data.full, chosen, strict=True)]
    with pytest.raises(oe.InputError, match="not a random part"):
        data.evaluate()
    found = data.evaluate(rate=rate)
    true = oe.evaluate(data.full, data.a, labels=LABELS, measures=MEASURES, draws=0)
    assert found.judge.rated
    for m in found.measures:
        row = found[m][0]
        assert row.low - 0.01 <= true[m].value <= row.high + 0.01
    # Only the ratios of the rates matter.
    scaled = data.evaluate(rate=0.5 * rate)
    assert np.allclose(scaled.scores.values, found.scores.values, rtol=1e-9)


def test_frequencies_are_items() -> None:
    data = Data(n=40, items=300)
    twice = data.evaluate(frequency=[2] * 300)
    gold = [g for g in data.gold for _ in range(2)]
    long = oe.evaluate(
        gold,
        np.repeat(data.a, 2),
        judge=np.repeat(data.judge, 2),
        labels=LABELS,
        measures=MEASURES,
        draws=200,
    )
    assert np.array_equal(twice.scores.values, long.scores.values)
    assert (twice.judge.labelled, twice.judge.items) == (80, 600)


# Comparisons.


def test_pairs_are_turned_consistently_and_equal_systems_do_not_differ() -> None:
    data = Data()
    found = oe.compare(
        data.gold,
        {"a": data.a, "b": data.b, "copy": data.a},
        judge=data.judge,
        labels=LABELS,
        measures="kappa, mae",
        draws=200,
    )
    there, back = found.pair("a", "b"), found.pair("b", "a")
    assert there.value == -back.value
    assert (there.low, there.high) == (-back.high, -back.low)
    assert there.p == back.p
    assert found.pair("a", "copy").p == 1
    assert found.pair("a", "copy").value == 0


def test_a_clear_difference_is_found_and_little_by_people_alone() -> None:
    data = Data(n=200, items=4000)
    rng = np.random.default_rng(8)
    data.b = noisy(data.full, 0.15, rng)
    found = data.compare(margin=0.05)
    pair = found.pair("b", "a", "kappa")
    assert pair.p < 0.01
    assert pair.verdict == "better"
    assert pair.low > 0
    assert np.isnan(pair.detectable)  # which is for pairs that are not told apart
    assert "exchanges of items" in found.tests.name


def test_what_could_be_detected_is_shown_for_pairs_that_are_not_told_apart() -> None:
    data = Data(n=100, items=4000)
    data.b = noisy(data.full, 0.4, np.random.default_rng(8))
    pair, alone = data.compare().pair("a", "b", "kappa"), data.people().pair("a", "b", "kappa")
    assert min(pair.p, alone.p) > 0.05
    assert 0.4 * alone.detectable < pair.detectable < 0.9 * alone.detectable


def test_equal_systems_are_rarely_called_different() -> None:
    rng, runs, wrong = np.random.default_rng(2), 50, 0
    for _ in range(runs):
        data = Data(n=60, items=600, judge=0.12, seed=int(rng.integers(10**9)))
        data.b = noisy(data.full, 0.4, np.random.default_rng(int(rng.integers(10**9))))
        try:
            found = data.compare(measures="kappa", draws=0, trials=200)
        except oe.InputError:
            continue  # one in a thousand random parts is refused
        wrong += found.pair("a", "b").p < 0.05
    assert wrong <= 7


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0, 1])
def test_few_labels_keep_the_level_of_macro_measures(shift: int) -> None:
    """A t test on influences called 10 to 35 % of equal systems different."""
    rng, runs, wrong = np.random.default_rng(6), 300, np.zeros(5)
    options = {"measures": "macro_mae, macro_recall, gmean, auoc, kappa", "draws": 0}
    for run in range(runs):
        data = Data(n=30, items=1000, seed=int(rng.integers(10**9)))
        data.b = noisy(data.full, 0.4, rng)
        data.judge = np.clip(data.judge + shift, 1, 5)
        try:
            found = data.compare(trials=400, rng=run, **options)
        except oe.InputError:
            continue  # one in a thousand random parts is refused
        wrong += found.tests.p[:, 0, 1] <= 0.05
    assert wrong.max() <= 0.07 * runs + 2 * np.sqrt(0.07 * 0.93 * runs)


def test_a_judge_that_resembles_one_system_does_not_make_it_different() -> None:
    """Few labelled items tell the two systems apart, and the judge sides with the first."""
    rng, runs, wrong = np.random.default_rng(7), 40, 0
    for _ in range(runs):
        data = Data(n=50, items=2000, seed=int(rng.integers(10**9)))
        again = noisy(data.full, 0.4, rng)
        data.b = np.where(rng.random(2000) < 0.1, again, data.a)
        data.judge = np.where(rng.random(2000) < 0.9, data.a, data.judge)
        found = data.compare(measures="accuracy", draws=100)
        pair = found.pair("a", "b")
        wrong += pair.p < 0.05 or pair.low > 0 or pair.high < 0
    assert wrong <= 4


def test_few_items_that_tell_systems_apart_leave_their_difference_to_people() -> None:
    data = Data(n=200)
    data.b = np.where(np.arange(1500) % 25 == 0, data.b, data.a)  # at most eight labelled items
    options = {"measures": "accuracy, kappa", "draws": 100}
    found = data.compare(**options)
    alone = data.people(**options)
    for m in ("accuracy", "kappa"):
        pairs = found.pair("a", "b", m), alone.pair("a", "b", m)
        assert pairs[0].value == pytest.approx(pairs[1].value)
        assert pairs[0].high - pairs[0].low == pytest.approx(pairs[1].high - pairs[1].low, rel=0.2)


@pytest.mark.parametrize("n", [20, 60])
def test_a_judge_who_says_nothing_leaves_tests_and_marks_to_people(n: int) -> None:
    data, options = Data(n=n), {"measures": "macro_mae, gmean, kappa"}
    data.judge = np.full(len(data.a), 3)
    found, alone = data.compare(**options), data.people(**options)
    assert np.array_equal(found.tests.p, alone.tests.p)
    for m in ("macro_mae", "gmean", "kappa"):
        mine, usual = found.pair("a", "b", m), alone.pair("a", "b", m)
        assert mine.doubt == usual.doubt
        assert mine.detectable == pytest.approx(usual.detectable, nan_ok=True)
        assert found[m]["a"].doubt == alone[m]["a"].doubt
    assert found.pair("a", "b", "macro_mae").doubt
    (about_p,) = (x for x in alone.notes if x.text.startswith("p under"))
    assert about_p in found.notes


def test_one_reference() -> None:
    data = Data()
    systems = {"a": data.a, "b": data.b, "c": data.judge}
    options = {"judge": data.judge, "labels": LABELS, "measures": "kappa", "draws": 0}
    joint = oe.compare(data.gold, systems, **options)
    against = oe.compare(data.gold, systems, against="a", **options)
    assert against.pair("a", "b").p <= joint.pair("a", "b").p + 0.02
    assert np.isnan(against.pair("b", "c").p)
    with pytest.raises(oe.InputError, match="no system 'd'"):
        oe.compare(data.gold, systems, against="d", **options)


# Doors.


def test_json_holds_what_the_judge_added(tmp_path: Path) -> None:
    found = Data().compare(margin=0.1)
    path = tmp_path / "result.json"
    found.to_json(path)
    assert '"worth"' in path.read_text("utf-8")
    assert oe.load(path) == found


def test_a_system_that_is_the_judge_is_pointed_out() -> None:
    data, options = Data(), {"measures": "accuracy", "draws": 0}
    assert "judge itself" not in " ".join(map(str, data.compare(**options).notes))
    data.b = data.judge.copy()
    assert "every item: 'b'" in " ".join(map(str, data.compare(**options).notes))


def test_judge_and_rates_are_matched_by_their_index() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    data = Data(n=60, items=300)
    order = rng.permutation(300)
    gold, judge = pd.Series(data.gold, dtype="Int64"), pd.Series(data.judge, name="judge")
    rate = pd.Series(np.linspace(0.4, 0.5, 300))
    options = {"labels": LABELS, "measures": "kappa, mae", "draws": 50}
    expected = oe.evaluate(gold, data.a, judge=judge, rate=rate, **options)
    mixed = {"judge": judge.iloc[order], "rate": rate.iloc[order]}
    assert oe.evaluate(gold, data.a, **mixed, **options) == expected
    for name in mixed:
        other = {**mixed, name: mixed[name].rename(lambda row: row + 1)}
        with pytest.raises(oe.InputError, match=f"{name} and y_true are pandas series"):
            oe.evaluate(gold, data.a, **other, **options)


def test_records_of_other_packages_need_whole_tables() -> None:
    needs = {str(m): m.record.nonnegative(m.params) for m in measures(batched=True)}
    assert needs["mutual_information"] == needs["auoc"] == "cells"
    assert needs["macro_f1"] == needs["cem"] == "margins"
    (closeness,) = parse_measures("kappa(weights='closeness')")
    assert closeness.record.nonnegative(closeness.params) == "margins"


def test_a_difference_that_is_not_that_of_the_scores_is_said_to_be_estimated_by_itself() -> None:
    result = Data(judge=0.4, seed=7).compare(measures="qwk")
    pair, apart = result.pair("b", "a"), result["qwk"]["b"].value - result["qwk"]["a"].value
    words = f"(estimated by itself, the difference is {pair.value:.3f}, 95 % interval"
    assert abs(apart - pair.value) > 0.001
    assert words in result.summary()
    [reason] = worse_than_system(result, "b", "interval")
    assert f"(estimated by itself, the difference is −{pair.value:.3f}, p" in reason
    assert "(difference " in Data().people(measures="qwk").summary()
