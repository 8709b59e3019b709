"""Plans: closed forms, simulated studies of the planned size, pilots of all kinds, the report."""

import json
from math import sqrt

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, norm

import ordeval as oe
from ordeval.cli import main
from ordeval.errors import InputError
from ordeval.stats import plans
from ordeval.stats.plans import (
    Goal,
    Population,
    by_formula,
    confusion,
    coupled,
    more_of_groups,
    more_units,
)

RNG = np.random.default_rng(7)
GOLD = RNG.integers(1, 6, 120)
SYSTEMS = {
    name: np.where(RNG.random(120) < right, GOLD, np.clip(GOLD + RNG.choice([-1, 1], 120), 1, 5))
    for name, right in (("a", 0.8), ("b", 0.7))
}
FIVE = {"labels": range(1, 6)}


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def compared(**how):
    return oe.compare(GOLD, SYSTEMS, "accuracy, qwk", **FIVE, draws=200, **how)


# Closed forms.


@pytest.mark.parametrize(("p", "width"), [(0.8, 0.1), (0.5, 0.06)])
def test_the_width_of_a_proportion_is_that_of_the_closed_form(p, width):
    plan = oe.plan(None, "accuracy", labels=[0, 1], accuracy=p, width=width)
    assert plan.low <= plan.n <= plan.high
    assert plan.n == pytest.approx(4 * 1.96**2 * p * (1 - p) / width**2, rel=0.05)


def _fit(kappa, truth, pi):
    """Return χ² per item (Donner & Eliasziw 1992): cells expected under κ, and seen."""
    q, apart = pi * (1 - pi), pi * (1 - pi) * (truth - kappa)
    cells = pi**2 + q * kappa, 2 * q * (1 - kappa), (1 - pi) ** 2 + q * kappa
    return sum(x**2 / cell for x, cell in zip((apart, 2 * apart, apart), cells, strict=True))


@pytest.mark.parametrize(("accuracy", "share"), [(0.9, 0.3), (0.8, 0.5), (0.95, 0.2)])
def test_kappa_of_two_raters_is_that_of_the_goodness_of_fit(accuracy, share):
    pi = share * accuracy + (1 - share) * (1 - accuracy)
    both = share * accuracy**2 + (1 - share) * (1 - accuracy) ** 2
    kappa = (both - pi**2) / (pi * (1 - pi))
    given = {"labels": [0, 1], "accuracy": accuracy, "shares": [1 - share, share], "raters": 2}
    plan = oe.plan(None, "fleiss(weights=identity)", width=0.2, **given)
    assert plan.figure == pytest.approx(kappa, abs=1e-4)

    def limit(end):
        return brentq(lambda x: plan.n * _fit(x, kappa, pi) - 3.8415, kappa, end)

    assert limit(0.9999) - limit(-0.05) == pytest.approx(0.2, rel=0.05)


def test_two_proportions_agree_with_connor():
    given = {"labels": [0, 1], "accuracy": 0.8, "difference": 0.1}
    apart = 0.8 * 0.1 + 0.2 * 0.9
    formula = (1.96 * sqrt(apart) + norm.ppf(0.8) * sqrt(apart - 0.01)) ** 2 / 0.01
    found = oe.plan(None, "accuracy", **given).n
    assert formula < found < 1.15 * formula  # exchanges of few items are cautious


@pytest.mark.parametrize("kind", ["width", "difference", "margin"])
def test_formulas_over_units_agree_with_a_simulation(kind, rng):
    goal = Goal(kind, {"width": 0.3, "difference": 0.15, "margin": 0.2}[kind])
    n = int(np.ceil(by_formula(goal, 0.09)[0]))
    t = rng.normal(goal.apart, 0.3, (20_000, n))
    from scipy.stats import t as student

    half = student.ppf((1 + goal.reach) / 2, n - 1) * t.std(axis=1, ddof=1) / sqrt(n)
    outcome = goal.of(t.mean(axis=1) - half, t.mean(axis=1) + half).mean()
    assert outcome == pytest.approx(goal.outcome(n, 0.09), abs=0.015)
    assert (outcome <= goal.target) if kind == "width" else (outcome >= goal.target - 0.015)


def test_the_formula_of_topics_is_that_of_sakai():
    # α = 0.05, β = 0.2, a difference of half a standard deviation: 34 topics (paired t test).
    assert np.ceil(by_formula(Goal("difference", 0.5), 1.0)[0]) == 34


def test_the_search_uses_all_sizes_near_its_answer(rng):
    # A simulated unit is worth 0.8 units by the formula; errors are those of the simulation.
    goal, error = Goal("difference", 0.1), 0.0065

    def simulate(n, part):
        noise = error / sqrt(part)
        return goal.outcome(0.8 * n, 1.0) + noise * rng.normal(), noise

    truth = goal.needed(1.0) / 0.8
    found = np.array([plans.search(goal, 1.0, simulate)[:3] for _ in range(150)])
    one = (goal.needed(1.0, 0.8 + error) - goal.needed(1.0, 0.8 - error)) / 2 / 0.8
    assert abs(found[:, 0].mean() / truth - 1) < 0.005
    assert found[:, 0].std() < 0.9 * one
    assert 0.9 <= np.mean((found[:, 1] <= truth) & (truth <= found[:, 2])) < 1


# Studies of the planned size.


def test_intervals_of_the_planned_size_have_the_width(rng):
    pilot = oe.Counts.from_table([[30, 8, 2], [6, 25, 9], [1, 8, 31]])
    plan = oe.plan(pilot, "qwk", width=0.15)
    shares = pilot.table.ravel() / pilot.table.sum()
    rows = [
        oe.evaluate(rng.multinomial(plan.n, shares).reshape(3, 3), measures="qwk", draws=500)["qwk"]
        for _ in range(150)
    ]
    assert np.mean([row.high - row.low for row in rows]) == pytest.approx(0.15, rel=0.06)


@pytest.mark.parametrize(("verdict", "goal"), [
    ("better", {"difference": 0.15}), ("equivalent", {"margin": 0.12}),
])  # fmt: skip
def test_tests_of_the_planned_size_have_the_power(verdict, goal, rng):
    plan = oe.plan(None, "lwk", labels=[1, 2, 3], accuracy=0.7, correlation=0.4, **goal)
    chances, better = confusion(3, 0.7, 0.5), goal.get("difference", 0.0)

    def table(accuracy):
        return confusion(3, accuracy, 0.5)[None] / 3

    def score(accuracy):
        return oe.evaluate(np.rint(1e8 * table(accuracy)[0]), measures="lwk", draws=0)["lwk"].value

    accuracy = brentq(lambda a: score(a) - score(0.7) - better, 0.5, 0.99) if better else 0.7
    flat = coupled(confusion(3, accuracy, 0.5), chances, 0.4).ravel() / 3
    found = []
    for run in range(300):
        joint = rng.multinomial(plan.n, flat).reshape(3, 3, 3)
        study = oe.JointCounts.from_table(joint, ("a", "b"))
        how = {"draws": 0, "trials": 999, "margin": goal.get("margin"), "rng": run}
        found.append(oe.compare(study, None, "lwk", **how).pair("a", "b").verdict == verdict)
    assert np.mean(found) == pytest.approx(0.8, abs=0.07)


def test_ratings_of_the_planned_size_have_the_width(rng):
    plan = oe.plan(None, "krippendorff", labels=[1, 2, 3], score=0.5, raters=3, width=0.15)
    accuracy = brentq(lambda a: _alpha(a) - 0.5, 0.5, 0.95)
    widths = []
    for _ in range(40):
        gold = rng.integers(3, size=(plan.n, 1))
        drawn = rng.random((plan.n, 3, 1)) > confusion(3, accuracy, 0.5).cumsum(axis=1)[gold]
        row = oe.agreement(drawn.sum(axis=-1), "krippendorff", labels=range(3), draws=400)
        widths.append(row["krippendorff"].high - row["krippendorff"].low)
    assert np.mean(widths) == pytest.approx(0.15, rel=0.06)


def _alpha(accuracy):
    table = np.rint(1e6 * confusion(3, accuracy, 0.5).T @ confusion(3, accuracy, 0.5) / 3)
    pairs = np.indices((3, 3)).reshape(2, -1).T
    how = {"labels": range(3), "frequency": table.astype(int).ravel(), "draws": 0}
    return oe.agreement(pairs, "krippendorff", **how)["krippendorff"].value


@pytest.mark.parametrize(("measure", "classes", "items", "width", "most"), [
    ("krippendorff", 3, 200, 0.1, 8), ("ac2", 4, 150, 0.12, 6), ("icc", 2, 400, 0.09, 12),
    ("qwk", 5, 2000, 0.1, 3), ("fleiss(weights=identity)", 3, 100, 0.15, 8),
])  # fmt: skip
def test_raters_on_some_items_are_those_of_plans_for_each_number(
    measure, classes, items, width, most
):
    given = {"labels": range(classes), "accuracy": 0.9, "shares": [3, *[1] * (classes - 1)]}
    plan = oe.plan(None, measure, items=items, width=width, **given)
    needed = {
        raters: oe.plan(None, measure, raters=raters, width=width, **given).n
        for raters in range(2, most + 1)
    }
    assert plan.n == min(raters for raters, number in needed.items() if number <= items)
    assert plan.unit == "raters"
    assert eval(plan.call.python(), {"oe": oe}) == plan
    assert f"{plan.n} raters of {items:,} items" in " ".join(str(plan).split())


def test_what_raters_cannot_reach_is_refused():
    given = {"labels": [1, 2, 3], "score": 0.7, "items": 200}
    with pytest.raises(InputError, match=r"no number of raters has less than 0\.0273"):
        oe.plan(None, "krippendorff", width=0.02, **given)
    with pytest.raises(InputError, match="itself changes"):
        oe.plan(None, "kendall_w", width=0.1, **given)
    with pytest.raises(InputError, match="4 raters of 12 classes"):
        oe.plan(None, "ac2", width=0.1, **given | {"labels": range(12)})
    with pytest.raises(InputError, match="Either items or raters"):
        oe.plan(None, "ac2", width=0.1, raters=3, **given)
    two = np.stack([GOLD, *SYSTEMS.values()], axis=1)
    with pytest.raises(InputError, match="which an Agreement does not hold"):
        oe.plan(oe.agreement(two, "ac2"), width=0.1, items=200)
    with pytest.raises(InputError, match="of four or more; this one has 3"):
        oe.plan(_ratings(two), "ac2", width=0.1, items=200)
    with pytest.raises(InputError, match="items is for plans of several raters"):
        oe.plan(compared(), "qwk", width=0.1, items=200)


def _ratings(array):
    columns = {f"r{i}": column for i, column in enumerate(np.asarray(array).T)}
    return oe.read(pl.DataFrame(columns), gold=None, labels=sorted(set(np.ravel(array).tolist())))


def _rated(rng, items, raters):
    gold = rng.integers(4, size=(items, 1))
    return (rng.random((items, raters, 1)) > confusion(4, 0.8, 0.5).cumsum(axis=1)[gold]).sum(-1)


@pytest.mark.parametrize("raters", [4, 10])
def test_raters_like_those_of_a_pilot_have_the_width(raters, rng):
    plan = oe.plan(_ratings(_rated(rng, 900, raters)), "krippendorff", items=200, width=0.11)
    assert (plan.unit, plan.have) == ("raters", raters)
    widths = []
    for _ in range(12):
        study = oe.agreement(_rated(rng, 200, plan.n), "krippendorff", labels=range(4), draws=300)
        widths.append(study["krippendorff"].high - study["krippendorff"].low)
    assert np.mean(widths) == pytest.approx(0.11, rel=0.12)
    given = {"labels": range(4), "accuracy": 0.8, "items": 200, "width": 0.11}
    assert abs(plan.n - oe.plan(None, "krippendorff", **given).n) <= 2


def test_a_coefficient_that_changes_with_raters_is_refused(rng):
    with pytest.raises(InputError, match="itself changes"):
        oe.plan(_ratings(_rated(rng, 300, 5)), "kendall_w", items=200, width=0.1)


# Pilots.


def test_two_systems_err_together_as_in_the_pilot():
    result = compared()
    plan = oe.plan(result, "accuracy", difference=0.1)
    se = result["accuracy"]["a", "b"].se
    assert plan.systems == ("a", "b")
    assert plan.n == pytest.approx(by_formula(Goal("difference", 0.1), se**2 * 120)[0], rel=0.15)


def test_every_door_gives_the_same_plan():
    frame = pl.DataFrame({"gold": GOLD, **SYSTEMS})
    goal = {"width": 0.15, "systems": "b"}
    first = oe.plan(oe.compare(GOLD, SYSTEMS, "qwk", **FIVE), **goal)
    shuffled = oe.read(frame.sample(fraction=1.0, shuffle=True, seed=1), **FIVE)
    joint = oe.JointCounts.from_labels(GOLD, SYSTEMS, **FIVE)
    for pilot in (shuffled, joint):
        other = oe.plan(pilot, "qwk", **goal)
        assert (other.n, other.sizes) == (first.n, first.sizes)


def test_weights_need_more_items_by_their_effective_number(rng):
    weight = rng.gamma(1.0, size=120)
    one, ten = (compared(weight=weight * factor) for factor in (1, 10))
    width = {"width": 0.2}
    assert oe.plan(one, "qwk", **width).n == oe.plan(ten, "qwk", **width).n
    plain = oe.plan(oe.evaluate(one.tables[0], measures="qwk"), "qwk", **width)
    ratio = 120 / one.scores.effective
    assert oe.plan(one, "qwk", **width).n == pytest.approx(ratio * plain.n, rel=0.1)


@pytest.mark.parametrize("unit", ["topic", "cluster"])
def test_topics_and_clusters_use_the_variance_of_the_pilot(unit):
    result = compared(**{unit: np.arange(120) % 12})
    plan = oe.plan(result, "accuracy", difference=0.05, power=0.9)
    assert (plan.unit, plan.have, plan.simulated) == (f"{unit}s", 12, False)
    variance = 12 * result["accuracy"]["a", "b"].se ** 2
    assert plan.n == np.ceil(by_formula(Goal("difference", 0.05, 0.9), variance)[0])
    assert "12 " in str(plan.notes[0])
    assert oe.plan(result, "accuracy", difference=0.9).n == 6  # fewer exchanges are no evidence


@pytest.mark.parametrize("given", [
    {"shares": np.array([0.2, 0.5, 0.3])}, {"values": {"lo": 1, "mid": 2, "hi": 5}},
    {"values": [1, 2, 5]}, {"shares": [1, np.float64(2), 1]},
], ids=str)  # fmt: skip
def test_the_call_repeats_assumptions_of_any_type(given):
    assumed = {"labels": ["lo", "mid", "hi"], "accuracy": 0.8, "width": 0.1, **given}
    plan = oe.plan(None, "mae", **assumed)
    assert eval(plan.call.python(), {"oe": oe}) == plan
    assert "np." not in plan.call.command()


def test_gold_labels_beside_a_judge_scale_as_the_standard_error():
    gold = [int(x) if i < 60 else None for i, x in enumerate(GOLD)]
    result = oe.evaluate(gold, {"a": SYSTEMS["a"]}, "mae", **FIVE, judge=SYSTEMS["b"])
    wide, narrow = (oe.plan(result, width=width) for width in (0.2, 0.1))
    assert (wide.unit, wide.have) == ("gold labels", 60)
    assert narrow.n == pytest.approx(4 * wide.n, rel=0.05)


@pytest.mark.parametrize(("measure", "width", "given"), [
    ("mean", 0.12, {}), ("share(label=4)", 0.07, {}), ("mae", 0.13, {"accuracy": 0.6}),
])  # fmt: skip
def test_gold_labels_beside_an_assumed_judge_have_the_width(measure, width, given, rng):
    shares = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    assumed = {**FIVE, "shares": shares, "width": width, **given}
    plan = oe.plan(None, measure, judge_accuracy=0.85, **assumed)
    assert plan.unit == "gold labels"
    assert plan.n < 0.5 * oe.plan(None, measure, **assumed).n
    assert plan.measure == oe.measure(measure)
    assert eval(plan.call.python(), {"oe": oe}) == plan

    def labels(gold, right):
        drawn = rng.random((len(gold), 1)) > confusion(5, right, 0.5).cumsum(axis=1)[gold]
        return 1 + np.minimum(drawn.sum(axis=1), 4)

    widths = []
    for run in range(8):
        gold = rng.choice(5, 30 * plan.n, p=shares)
        people = np.where(np.arange(len(gold)) < plan.n, gold + 1.0, np.nan)
        system = [labels(gold, right) for right in given.values()]
        how = {"judge": labels(gold, 0.85), "measures": measure, "draws": 200, "rng": run}
        row = oe.evaluate(people, *system, **FIVE, **how)[measure]
        widths.append(row.high - row.low)
    assert np.mean(widths) == pytest.approx(width, rel=0.1)  # they vary by a tenth


def test_a_judge_that_says_anything_saves_nothing_and_two_means_are_twice_as_hard():
    given = {**FIVE, "judge_accuracy": 0.2, "decay": 1.0, "width": 0.2}
    alone = oe.plan(None, "mean", **FIVE, width=0.2).n
    assert oe.plan(None, "mean", **given).n == pytest.approx(alone, rel=0.06)
    pair = {**FIVE, "difference": 0.3, "correlation": 0.5}
    assert oe.plan(None, "mean", **pair, judge_accuracy=0.9).n < oe.plan(None, "mean", **pair).n
    with pytest.raises(InputError, match="ratings, which are gold themselves"):
        oe.plan(None, "mean", **FIVE, accuracy=0.7, width=0.2)
    with pytest.raises(InputError, match="Plan one share"):
        oe.plan(None, "shares", **FIVE, width=0.2)


def test_a_file_without_gold_tells_how_to_name_it_and_what_raters_have(tmp_path):
    path = tmp_path / "two.csv"
    pl.DataFrame({"anna": GOLD, "ben": SYSTEMS["a"]}).write_csv(path)
    with pytest.raises(InputError, match=r"read\(….*conger_quadratic as measure"):
        oe.plan(path, "qwk", width=0.2)
    assert oe.plan(path, "conger_quadratic", width=0.2).have == 120


def test_a_pair_of_a_pilot_is_counted_where_its_labels_are_there():
    # Errors on the same items, and in opposite directions, which no correlation tells.
    gold = np.tile([1, 2, 3], 40)
    a = np.where(np.arange(120) % 4, gold, np.clip(gold + 1, 1, 3))
    b = np.where(np.arange(120) % 4, gold, np.clip(gold - 1, 1, 3))
    data = oe.read(pl.DataFrame({"gold": gold, "a": a, "b": b}), labels=[1, 2, 3])
    joint = oe.JointCounts.from_labels(gold, {"a": a, "b": b}, labels=[1, 2, 3])
    plans_ = [oe.plan(pilot, "mae", difference=0.2) for pilot in (data, joint)]
    assert plans_[0].n == plans_[1].n
    from_tables = oe.plan(oe.compare(data, None, "mae"), difference=0.2)
    assert from_tables.n == pytest.approx(plans_[0].n, rel=0.15)


def test_agreement_and_other_pilots_by_the_formula():
    ratings = oe.agreement(np.stack([GOLD, *SYSTEMS.values()], axis=1), "ac2", **FIVE)
    row = ratings["ac2"]
    assert oe.plan(ratings, width=row.high - row.low).n == pytest.approx(120, abs=1)
    plan, variance = oe.plan(ratings, width=0.01), 120 * row.se**2
    formula = by_formula(Goal("width", 0.01), variance)[0]
    assert (plan.n, plan.unit) == (pytest.approx(formula, rel=0.01), "items")
    shares = {name: np.eye(5)[labels - 1] for name, labels in SYSTEMS.items()}
    forecasts = oe.compare(GOLD, proba=shares, measures="rps", **FIVE)
    assert not oe.plan(forecasts, difference=0.1).simulated


@pytest.mark.parametrize(("table", "width"), [
    ([[9, 0], [0, 9]], 0.1), ([[1, 0], [0, 0]], 0.3), ([[5, 0, 0], [5, 0, 0], [5, 0, 0]], 0.2),
])  # fmt: skip
def test_perfect_constant_and_tiny_pilots_have_a_plan(table, width):
    assert oe.plan(oe.Counts.from_table(table), "mae", width=width).n > 3


def test_long_scales():
    given = {"labels": range(101), "accuracy": 0.5, "decay": 0.8}
    plan = oe.plan(None, "mae", width=0.5, **given)
    whole = Population.of(oe.measure("mae"), plan.scale, confusion(101, 0.5, 0.8) / 101)
    assert plan.figure == pytest.approx(whole.figure, rel=1e-3)
    assert plan.n == pytest.approx(by_formula(plan.goal, whole.variance)[0], rel=0.01)
    pair = oe.plan(None, "mae", difference=0.5, **given)
    assert pair.n == pytest.approx(2 * 7.85 * whole.variance / 0.25, rel=0.2)


# The report.


def test_a_plan_is_kept_shown_and_repeated(tmp_path):
    plan = oe.plan(None, "qwk", labels=[1, 2, 3], score=0.6, width=0.3, rng=3)
    plan.to_json(tmp_path / "plan.json")
    assert oe.load(tmp_path / "plan.json") == plan
    assert f"{plan.n:,} items ({plan.low:,}–{plan.high:,} by simulation)" in " ".join(
        str(plan).split()
    )
    assert plan.to_html(tmp_path / "plan.html") is None
    assert "<svg" in (tmp_path / "plan.html").read_text(encoding="utf-8")
    again = eval(plan.call.python(), {"oe": oe})
    assert again == plan
    assert plan.to_csv().startswith("n,width")


def test_the_command_reads_a_pilot_or_assumptions(tmp_path, capsys):
    pl.DataFrame({"gold": GOLD, **SYSTEMS}).write_csv(path := tmp_path / "pilot.csv")
    out = tmp_path / "plan.json"
    goal = ["--measure", "qwk", "--width", "0.1", "--systems", "b"]
    assert main(["plan", str(path), *goal, "--out", str(out)]) == 0
    plan = oe.load(out)
    assert plan.sizes == oe.plan(oe.read(path), "qwk", width=0.1, systems="b").sizes
    read = {}
    exec(plan.call.python().replace("oe.plan", "plan = oe.plan"), {"oe": oe}, read)
    assert read["plan"].n == plan.n
    assert oe.plan(path, "qwk", width=0.1, systems="b").n == plan.n
    raters = ["--measure", "krippendorff", "--width", "0.1", "--pred", "a,b", "--quiet"]
    assert main(["plan", str(path), *raters]) == 0
    capsys.readouterr()
    assumed = ["--labels", "1..3", "--score", "0.6", "--raters", "3", "--width", "0.1"]
    assert main(["plan", *assumed, "--format", "json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["unit"] == "items"
    assumed[4:6] = ["--items", "500"]
    assert main(["plan", *assumed, "--format", "json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["unit"] == "raters"


def test_a_pilot_may_be_a_stored_result(tmp_path, capsys):
    path, out = str(tmp_path / "pilot.json"), str(tmp_path / "plan.json")
    result = oe.compare(GOLD, SYSTEMS, "qwk", **FIVE)
    result.to_json(path)
    plan = oe.plan(path, "qwk", width=0.1)
    assert f"give quadratic kappa of {plan.systems[0]} a" in str(plan)
    assert plan.n == oe.plan(result, "qwk", width=0.1).n
    assert eval(plan.call.python(), {"oe": oe}).n == plan.n
    goal = ["--measure", "qwk", "--width", "0.1"]
    assert main(["plan", path, *goal, "--out", out]) == 0
    assert oe.load(out).n == plan.n
    assert main(["plan", path, *goal, "--gold", "human"]) == 2
    assert "--gold is for labels" in capsys.readouterr().err
    assert main(["plan", path, "--width", "0.1", "--raters", "a,b"]) == 2
    assert "--pred names the raters" in capsys.readouterr().err
    assert main(["plan", out, *goal]) == 2
    assert "scores or an agreement of raters is expected" in capsys.readouterr().err


@pytest.mark.parametrize("goal", [{"width": 0.4}, {"difference": 0.3}])
def test_a_pilot_of_ratings_is_read_as_by_compare(goal, tmp_path, rng):
    judge = rng.integers(1, 6, 400)
    human = [int(x) if i < 200 else None for i, x in enumerate(judge[rng.permutation(400)])]
    columns = {"prompt": np.arange(400) // 2, "model": ["a", "b"] * 200}
    frame = pl.DataFrame({**columns, "llm": judge, "human": human})
    frame.write_csv(path := tmp_path / "answers.csv")
    reading = {"judge": "llm", "system": "model", "id": "prompt"}
    result = oe.compare("human", None, "mean", data=path, **reading)
    out = tmp_path / "plan.json"
    words = [f"--{name}={value}" for name, value in {**reading, **goal, "gold": "human"}.items()]
    assert main(["plan", str(path), "--measure=mean", *words, "--out", str(out)]) == 0
    plan = oe.load(out)
    assert plan.n == oe.plan(result, "mean", **goal).n
    read = {}
    exec(plan.call.python().replace("oe.plan", "plan = oe.plan"), {"oe": oe}, read)
    assert read["plan"].n == plan.n
    frame.rename({"human": "gold"}).filter(pl.col("gold").is_not_null()).select("gold").write_csv(
        path
    )
    assert oe.plan(path, "mean", width=0.4).have == 200


def test_what_a_decision_takes():
    goal = Goal("difference", 0.1)
    assert more_units([goal], 0.05, 100, "item") == "about 99 more items would decide it"
    assert more_units([Goal("difference", 1e-9)], 0.05, 100, "topic").endswith("as many topics")
    assert more_units([goal], 0.0, 100, "item") == more_units([goal], 0.01, 100, "item") == ""
    few, enough = (more_units([goal], 0.05, 100, "gold label", items) for items in (50, 99))
    assert few == f"{enough}, more than the 50 items without one"
    told = compared(margin=0.01).summary()
    assert "would decide it" in told


def test_what_a_test_of_many_groups_takes(rng):
    """So many times the spread beyond chance, a test of four groups finds them in 80 %."""
    told = more_of_groups(0.1, 4, 0.95, 100, "item")
    times = 1 + int(told.split()[1]) / 100
    beyond = (chi2.isf(0.1, 3) - 3) * times
    found = (rng.normal([sqrt(beyond), 0, 0], size=(20_000, 3)) ** 2).sum(axis=1) > chi2.isf(
        0.05, 3
    )
    assert found.mean() == pytest.approx(0.8, abs=0.01)
    assert more_of_groups(0.5, 4, 0.95, 100, "item") == ""


def test_formulas_for_few_items_are_said_to_be_rough():
    gold = np.tile(np.arange(1, 102), 4)
    near = np.clip(gold + np.resize([-1, 0, 1], gold.size), 1, 101)
    plan = oe.plan(oe.evaluate(gold, near, "qwk", labels=range(1, 102)), "qwk", width=0.01)
    assert plan.n < 30
    assert any("too optimistic" in note.text for note in plan.notes)
