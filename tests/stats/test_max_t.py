"""Step-down max-T tests."""

from importlib import import_module
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2, nct, permutation_test, skew, ttest_rel
from scipy.stats import t as student
from stats_models import accuracy, scores

import ordeval as oe
from ordeval.measures.influence import item_influence
from ordeval.stats import Plan, detectable_difference, exchange, max_t
from ordeval.stats.max_t import max_t_tables
from ordeval.stats.unit_tables import UnitTables

Floats = NDArray[np.float64]
MODULE = import_module("ordeval.stats.max_t")  # the package has a function of that name
STEP = 1e-6


def step_down(observed: Floats, null: Floats, *, plus_one: bool, tolerance: float = 1e-9) -> Floats:
    """The definition: p-values of statistics [P], from those [B, P] that chance gives."""
    order = np.argsort(-observed)
    p, so_far = np.empty(len(observed)), 0.0
    for place, pair in enumerate(order):
        largest = null[:, order[place:]].max(axis=1)
        reached = np.count_nonzero(largest >= observed[pair] * (1 - tolerance) - tolerance)
        share = (1 + reached) / (1 + len(null)) if plus_one else reached / len(null)
        so_far = max(so_far, share)
        p[pair] = so_far
    return p


def all_signs(units: int) -> Floats:
    return np.array(list(product([1.0, -1.0], repeat=units)))


def topic_scores(topics: int, systems: int, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    shifts = np.linspace(0, 1.5, systems)
    return rng.normal(size=(topics, 1)) + shifts + rng.normal(size=(topics, systems))


def studentised(d: Floats) -> Floats:
    """|t| of differences [..., U]."""
    error = d.std(axis=-1, ddof=1) / np.sqrt(d.shape[-1])
    return np.abs(d.mean(axis=-1)) / error


# Over topics.


def test_all_patterns_of_topics_agree_with_the_definition() -> None:
    matrix = topic_scores(7, 4)
    upper = np.triu_indices(4, 1)
    differences = (matrix[:, upper[0]] - matrix[:, upper[1]]).T
    null = np.stack([studentised(differences * sign) for sign in all_signs(7)])
    found = max_t(matrix)
    assert found.exact
    assert found.trials == 2**6
    assert found.units == 7
    expected = step_down(studentised(differences), null, plus_one=False)
    np.testing.assert_allclose(found.p[upper], expected)
    t = ttest_rel(matrix[:, 0], matrix[:, 3])
    assert found.difference[0, 3] / found.se[0, 3] == pytest.approx(t.statistic)
    np.testing.assert_array_equal(np.diag(found.p), 1)
    np.testing.assert_array_equal(found.difference, -found.difference.T)


def test_one_pair_is_the_plain_test_of_signs() -> None:
    matrix = topic_scores(12, 2, seed=4)

    def mean_difference(x: Floats, y: Floats, axis: int = -1) -> Floats:
        return np.mean(x - y, axis=axis)

    expected = permutation_test(
        (matrix[:, 0], matrix[:, 1]), mean_difference, permutation_type="samples", vectorized=True
    )
    assert max_t(matrix).p[0, 1] == pytest.approx(expected.pvalue)


def test_random_signs_agree_with_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = topic_scores(12, 5, seed=1)
    exact = max_t(matrix)
    monkeypatch.setattr(exchange, "EXACT_TOPICS", 1)
    random = max_t(matrix, Plan(20_000))
    assert exact.exact
    assert not random.exact
    np.testing.assert_allclose(random.p, exact.p, atol=0.012)


def test_against_one_system() -> None:
    matrix = topic_scores(9, 4)
    found = max_t(matrix, against=2)
    others = [0, 1, 3]
    differences = (matrix[:, others] - matrix[:, [2]]).T
    null = np.stack([studentised(differences * sign) for sign in all_signs(9)])
    expected = step_down(studentised(differences), null, plus_one=False)
    np.testing.assert_allclose(found.p[others, 2], expected)
    np.testing.assert_allclose(found.p[2, others], expected)
    assert np.isnan(found.p[0, 1])
    assert np.all(expected <= max_t(matrix).p[others, 2])


def test_few_units_that_pull_to_the_other_side_are_seen() -> None:
    away, along = [1.0] * 9 + [1.1, -3.0], [1.0] * 9 + [0.9, 5.0]
    differences = np.array([away, along, [0.5] * 11, [0.0] * 11])
    test = max_t(np.stack([differences, np.zeros_like(differences)], axis=-1))
    assert MODULE.opposed(test.difference, test.skew)[:, 0, 1].tolist() == [True, *[False] * 3]
    np.testing.assert_allclose(test.skew[:2, 0, 1], skew(differences[:2], axis=1) / np.sqrt(11))


def test_clusters_of_topics_are_exchanged_together() -> None:
    matrix = topic_scores(12, 3)
    clusters = np.repeat([5, 2, 8, 2, 7, 1], 2)
    sums = np.stack([matrix[clusters == c].sum(axis=0) for c in np.unique(clusters)])
    found, expected = max_t(matrix, clusters=clusters), max_t(sums)
    np.testing.assert_array_equal(found.p, expected.p)
    assert found.units == 5
    np.testing.assert_allclose(found.difference[0, 1], (matrix[:, 0] - matrix[:, 1]).mean())
    np.testing.assert_allclose(12 * found.se, 5 * expected.se)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(5)), st.integers(0, 5), st.sampled_from([6, 40]))
def test_the_order_of_the_systems_changes_nothing(order: list[int], seed: int, topics: int) -> None:
    matrix = np.round(topic_scores(topics, 5, seed), 2) / 3
    found, turned = (max_t(m, Plan(300)) for m in (matrix, matrix[:, order]))
    for name in ("difference", "p", "se"):
        whole = getattr(found, name)
        np.testing.assert_array_equal(getattr(turned, name), whole[np.ix_(order, order)])


def test_threads_change_nothing_and_progress_ends_at_the_total() -> None:
    matrix, calls = topic_scores(40, 6), []
    plan = Plan(1000, threads=3, progress=lambda done, total: calls.append((done, total)))
    found = max_t(matrix, plan)
    np.testing.assert_array_equal(found.p, max_t(matrix, Plan(1000)).p)
    assert calls[-1] == (1000, 1000)
    assert sorted(calls) == calls


def test_equal_systems_have_p_1_and_do_not_change_others() -> None:
    matrix = topic_scores(8, 3)
    found = max_t(np.column_stack([matrix, matrix[:, 0] + 1e-16]))
    assert found.p[0, 3] == 1
    np.testing.assert_array_equal(found.p[0], found.p[3][[3, 1, 2, 0]])
    assert np.all(max_t(np.ones((5, 3))).p == 1)


# Over tables.

K = 3


def some_labels(rows: int, systems: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Gold labels [R] and those of systems [S, R], the later ones worse."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(K, size=rows)
    spread = np.linspace(0.4, 1.0, systems)[:, None]
    error = np.rint(spread * rng.normal(size=(systems, rows))).astype(int)
    return gold, np.clip(gold + error, 0, K - 1)


def units_of(gold: NDArray[Any], labels: NDArray[Any], **options: Any) -> UnitTables:
    return UnitTables(gold * K + labels, (1, K, K), **options)


def table(gold: NDArray[Any], label: NDArray[Any], weight: NDArray[Any]) -> Floats:
    return np.bincount(gold * K + label, weights=weight, minlength=K * K).reshape(K, K)


def influences(whole: Floats) -> Floats:
    """The change [M, cells] of scores with the share of each cell, by central differences."""
    shares = whole / whole.sum()
    found = []
    for cell in np.eye(K * K).reshape(-1, K, K):
        ahead, behind = (
            scores(whole.sum() * (shares + h * (cell - shares))) for h in (STEP, -STEP)
        )
        found.append((ahead - behind) / (2 * STEP))
    return np.stack(found, axis=-1)


def exchanged_z(
    gold: NDArray[Any],
    labels: NDArray[Any],
    weight: NDArray[Any],
    unit: NDArray[Any],
    signs: Floats,
) -> tuple[Floats, Floats]:
    """Differences and |z| [M, P] after exchanging labels, item by item."""
    pairs = []
    for a, b in combinations(labels, 2):
        both = np.where(signs > 0, [a, b], [b, a])
        tables = [table(gold, of, weight) for of in both]
        difference = scores(tables[0]) - scores(tables[1])
        first, second = (
            influences(n)[:, gold * K + of] for n, of in zip(tables, both, strict=True)
        )
        added = (first - second) * weight / weight.sum()
        sums = np.stack([added[:, unit == u].sum(axis=1) for u in np.unique(unit)])
        se = np.sqrt((sums**2).sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.abs(difference) / np.where(se > 1e-8, se, 0.0)
        z[np.abs(difference) < 1e-9] = 0.0
        pairs.append((difference, z))
    return tuple(np.stack(of, axis=1) for of in zip(*pairs, strict=True))


@pytest.mark.parametrize("kind", ["items", "weights", "clusters"])
@pytest.mark.slow
def test_all_patterns_of_units_agree_with_the_definition(kind: str) -> None:
    rows = 24 if kind == "clusters" else 8
    gold, labels = some_labels(rows, 3, seed=2)
    weight = np.random.default_rng(1).random(rows) if kind == "weights" else np.ones(rows)
    unit = np.arange(rows) % 6 if kind == "clusters" else np.arange(rows)
    scaled = weight * weight.sum() / (weight**2).sum()
    null = [
        exchanged_z(gold, labels, scaled, unit, signs[unit])
        for signs in all_signs(len(np.unique(unit)))
    ]
    units = units_of(
        gold,
        labels,
        weight=weight if kind == "weights" else None,
        unit=unit if kind == "clusters" else None,
    )
    found = max_t_tables(units, scores)
    assert found.exact
    observed, upper = null[0][0], np.triu_indices(3, 1)
    for m in range(4):
        use = ~np.isnan(observed[m])
        z = np.stack([np.nan_to_num(size[m, use], nan=0.0, posinf=1e9) for _, size in null])
        expected = step_down(z[0], z, plus_one=False, tolerance=1e-4)
        np.testing.assert_allclose(found.p[m][upper][use], expected, err_msg=str(m))
        np.testing.assert_allclose(found.difference[m][upper][use], observed[m, use])


def opposite_graders(items: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Gold labels, and those of a severe and a lenient grader who agree with gold equally well."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(5, size=items)
    shift = np.array([[-1.1], [1.1]]) + 0.5 * rng.normal(size=(2, items))
    return gold, np.clip(np.rint(gold + shift), 0, 4).astype(int)


@pytest.mark.parametrize("items", [60, 1200])
@pytest.mark.slow
def test_graders_who_err_differently_are_told_apart_in_five_of_a_hundred_runs(items: int) -> None:
    """Exchanges that are not studentised find a difference in none, whichever kind is used."""
    kappa = oe.measure("lwk")
    chosen = [kappa.on(oe.Scale.of(range(1, 6)))]
    found = []
    for run in range(300):
        gold, labels = opposite_graders(items, run)
        tables = UnitTables(gold * 5 + labels, (1, 5, 5))
        test = max_t_tables(
            tables,
            lambda n: kappa.of(n)[None],
            Plan(199, run),
            influences=lambda n: [item_influence(chosen[0], n.reshape(-1, 5, 5), np.arange(5.0))
                                  .reshape(n.shape)],
        )  # fmt: skip
        found.append(test.p[0, 0, 1] < 0.05)
    assert 0.02 <= np.mean(found) <= 0.08


def test_intervals_agree_with_p_and_have_a_width() -> None:
    gold, labels = some_labels(60, 4, seed=5)
    labels = np.vstack([labels, labels[0], gold])  # a copy, and a system without errors
    test = max_t_tables(units_of(gold, labels), scores, Plan(400))
    low, high = test.intervals()
    inside = (low <= 0) & (high >= 0)
    apart = ~np.isnan(test.p) & ~np.eye(len(labels), dtype=bool)
    np.testing.assert_array_equal(inside[apart], (test.p >= 0.05)[apart])
    assert np.all(high[apart] > low[apart])
    wider = test.intervals(0.99)
    assert np.all(wider[0][apart] <= low[apart])
    np.testing.assert_array_equal(low, -high.swapaxes(-1, -2))


def test_a_p_value_of_alpha_is_within_the_interval() -> None:
    one, p = np.ones((2, 2)), np.array([[1, 0.05], [0.05, 1]])
    for level, inside in ((0.95, True), (0.94, False)):
        test = MODULE.PairsTest(one, p, one / 9, 40, 99, False, 0 * one, np.linspace(0, 3, 99))
        assert (test.intervals(level)[0][0, 1] <= 0) == inside


def test_one_family_of_all_measures_has_larger_p() -> None:
    gold, labels = some_labels(80, 3, seed=1)
    usual, joint = (
        max_t_tables(units_of(gold, labels), scores, Plan(500), family=family)
        for family in ("pairs", "measures")
    )
    known = ~np.isnan(usual.p)
    assert np.all(joint.p[known] >= usual.p[known])
    matrix = topic_scores(9, 3)
    both = np.stack([matrix, matrix[::-1] ** 3])
    assert np.all(max_t(both, family="measures").p >= max_t(both).p)
    np.testing.assert_array_equal(max_t(both[:1], family="measures").p, max_t(both[:1]).p)


def test_random_draws_agree_with_all_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, labels = some_labels(16, 3, seed=3)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, size=16)  # differences without ties
    tables = units_of(gold, labels, weight=weight)
    exact = max_t_tables(tables, scores)
    monkeypatch.setattr("ordeval.stats.unit_tables.EXACT_UNITS", 1)
    random = max_t_tables(tables, scores, Plan(8000))
    assert exact.exact
    assert not random.exact
    np.testing.assert_allclose(random.p, exact.p, atol=0.05)


def test_linear_measures_over_clusters_are_tests_of_sums() -> None:
    gold, labels = some_labels(120, 4)
    unit = np.random.default_rng(0).permutation(120) % 10
    right = (labels == gold).astype(float)
    sums = np.stack([right[:, unit == u].sum(axis=1) for u in range(10)])
    found = max_t_tables(units_of(gold, labels, unit=unit), accuracy)
    expected = max_t(sums)
    np.testing.assert_allclose(found.p[0], expected.p)
    assert found.units == 10


def test_counts_stand_for_equal_rows() -> None:
    gold, labels = some_labels(60, 3)
    count = np.random.default_rng(0).integers(1, 4, size=60)
    merged = max_t_tables(units_of(gold, labels, count=count), scores, Plan(4000))
    rows = np.repeat(np.arange(60), count)
    single = max_t_tables(units_of(gold[rows], labels[:, rows]), scores, Plan(4000))
    np.testing.assert_array_equal(merged.difference, single.difference)
    np.testing.assert_allclose(merged.p, single.p, atol=0.04)
    assert merged.units == single.units == count.sum()


def test_ties_share_p_whatever_the_order_of_the_systems() -> None:
    gold, labels = some_labels(20, 9, seed=8)
    order = np.random.default_rng(0).permutation(9)
    found = max_t_tables(units_of(gold, labels), accuracy, Plan(60))
    turned = max_t_tables(units_of(gold, labels[order]), accuracy, Plan(60))
    np.testing.assert_array_equal(turned.p, found.p[:, order][:, :, order])


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(4)), st.booleans())
def test_the_order_of_the_systems_changes_no_table_test(order: list[int], weighted: bool) -> None:
    gold, labels = some_labels(200, 4)
    weight = np.random.default_rng(0).lognormal(size=200) if weighted else None
    found = max_t_tables(units_of(gold, labels, weight=weight), scores, Plan(100))
    turned = max_t_tables(units_of(gold, labels[order], weight=weight), scores, Plan(100))
    for name in ("difference", "p", "se"):
        whole = getattr(found, name)
        np.testing.assert_array_equal(
            getattr(turned, name), whole[:, order][:, :, order], err_msg=name
        )


@pytest.mark.parametrize("most", [0, 1000])
def test_portions_threads_and_memory_change_nothing(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "MOST_UNITS", most)
    gold, labels = some_labels(150, 5)
    expected = max_t_tables(units_of(gold, labels), scores, Plan(600))
    calls: list[tuple[int, int]] = []
    plan = Plan(600, threads=3, progress=lambda done, total: calls.append((done, total)))
    monkeypatch.setattr(exchange, "TABLE_ENTRIES", 2000)
    found = max_t_tables(units_of(gold, labels), scores, plan)
    np.testing.assert_array_equal(found.p, expected.p)
    np.testing.assert_array_equal(found.difference, expected.difference)
    assert calls[-1] == (600, 600)


def test_tables_against_one_system() -> None:
    gold, labels = some_labels(150, 4)
    found = max_t_tables(units_of(gold, labels), scores, Plan(500), against=1)
    whole = max_t_tables(units_of(gold, labels), scores, Plan(500))
    others = [0, 2, 3]
    np.testing.assert_array_equal(found.difference[:, others, 1], whole.difference[:, others, 1])
    assert np.all(found.p[:, others, 1] <= whole.p[:, others, 1])
    assert np.all(np.isnan(found.p[:, 0, 2:]))


def test_pairs_without_a_score_are_not_tested() -> None:
    gold, labels = some_labels(40, 3)
    constant = np.vstack([labels, np.zeros(40, dtype=int)])
    found = max_t_tables(units_of(gold, constant), scores, Plan(300))
    tau_b = found.p[2]
    assert np.all(np.isnan(tau_b[3, :3]))
    assert not np.any(np.isnan(tau_b[:3, :3]))
    np.testing.assert_array_equal(tau_b[:3, :3] <= 1, True)
    assert not np.any(np.isnan(found.p[[0, 1, 3]]))
    replaced = max_t_tables(units_of(gold, constant), scores, Plan(300), undefined=0.0)
    assert not np.any(np.isnan(replaced.p))


def test_means_over_topics() -> None:
    gold, labels = some_labels(90, 3)
    topic = np.arange(90) % 3
    tables = UnitTables(topic * K * K + gold * K + labels, (3, K, K))
    found = max_t_tables(tables, scores, Plan(300))
    by_topic = scores(tables.total)
    mean = by_topic.mean(axis=-1)
    np.testing.assert_allclose(found.difference, mean[:, :, None] - mean[:, None, :])
    weighted = UnitTables(topic * K * K + gold * K + labels, (3, K, K), weight=np.full(90, 4.0))
    scaled = max_t_tables(weighted, scores, Plan(300))
    np.testing.assert_array_equal(scaled.p, found.p)


@pytest.mark.parametrize("df", [4, 7, 9, 29, 1000])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 15])
def test_the_detectable_difference_has_the_power_on_average(df: int, alpha: float) -> None:
    # The standard errors of samples are those of chi-squared variances.
    se = np.sqrt(chi2.ppf((np.arange(1000) + 0.5) / 1000, df) / df)
    difference = detectable_difference(se, df, alpha)
    power = nct.sf(student.ppf(1 - alpha / 2, df), df, difference).mean()
    assert power == pytest.approx(0.8, abs=0.015)


def test_more_power_and_smaller_levels_need_larger_differences() -> None:
    usual = detectable_difference([0.1, 0.2], 19)
    assert usual[1] == pytest.approx(2 * usual[0])
    assert np.all(detectable_difference([0.1, 0.2], 19, power=0.9) > usual)
    assert np.all(detectable_difference([0.1, 0.2], 19, alpha=0.01) > usual)
    assert np.isnan(detectable_difference(0.1, 0))
    assert np.isnan(detectable_difference(0.1, 1, power=0.99))


TENTHS = st.integers(0, 50).map(lambda x: x / 10)


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(TENTHS, min_size=n, max_size=n),
            st.lists(st.lists(TENTHS, min_size=n, max_size=n), min_size=1, max_size=8),
        )
    )
)
def test_p_values_of_one_family_are_those_of_the_definition(case) -> None:
    observed, drawn = np.array(case[0]), np.array(case[1])
    p, largest = MODULE.step_down_of(observed, observed >= 0, drawn.T)
    np.testing.assert_allclose(p, step_down(observed, drawn, plus_one=True))
    np.testing.assert_array_equal(largest, drawn.max(axis=1))
