"""The axiom search: cases, counter-examples, the papers' tables, and the claims made from it."""

import subprocess
import sys
from math import comb

import numpy as np
import pytest
from replication.printed import read_paper

from ordeval import measure, measures
from ordeval.errors import InputError
from ordeval.measures.registry import records
from ordeval.meta import (
    Effort,
    axioms,
    axioms_of,
)
from ordeval.meta import axiom_cases as made

SMALL = Effort(items={2: 3, 3: 4}, golds={3: 7}, units={3: 2}, random_cases=20)


def claims(task: str) -> dict[str, tuple[str, ...]]:
    """The axioms that the records claim, by specification."""
    specs = [spec for record in records().values() if record.task == task for spec in record.axioms]
    return {spec: measure(spec).axioms for spec in specs}


@pytest.fixture(scope="module")
def classification():
    """The full search over every measure and the variants named in claims and tables."""
    return axioms(
        list(dict.fromkeys([*(m.specification for m in measures()), *claims("classification")]))
    )


@pytest.fixture(scope="module")
def quantification():
    return axioms(task="quantification")


def test_compositions_are_all_there() -> None:
    assert len(made.compositions(5, 3)) == comb(7, 2)
    assert len(made.compositions(5, 3, 1)) == comb(4, 2)
    assert (made.compositions(5, 3, 1).sum(axis=1) == 5).all()


def test_tables_are_all_there_and_differ() -> None:
    everything = made.all_tables(4, 3, empty_gold=True)
    assert len(everything) == comb(4 + 8, 8)
    assert len(np.unique(everything.reshape(len(everything), -1), axis=0)) == len(everything)
    full = made.all_tables(4, 3)
    assert len(full) == (everything.sum(axis=2) > 0).all(axis=1).sum()


def test_moves_bring_one_item_one_class_closer() -> None:
    found = made.all_moves_closer(made.all_tables(4, 3))
    change = found.points[found.left] - found.points[found.right]
    distance = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    np.testing.assert_array_equal((change * distance).sum(axis=(1, 2)), -1)
    np.testing.assert_array_equal(change.sum(axis=2), 0)
    np.testing.assert_array_equal(np.abs(change).sum(axis=(1, 2)), 2)
    wrong = found.points * (1 - np.eye(3)) > 0
    assert len(found) == wrong.sum()


def test_random_moves_bring_one_item_one_class_closer() -> None:
    rng = np.random.default_rng(0)
    found = made.random_moves_closer(made.random_tables(5, 200, 30, rng), rng)
    change = found.points[found.left] - found.points[found.right]
    distance = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    np.testing.assert_array_equal((change * distance).sum(axis=(1, 2)), -1)
    assert (found.points >= 0).all()
    assert (found.points.sum(axis=2) > 0).all()


def test_imbalance_cases_hold_the_papers_example() -> None:
    found = made.imbalance_cases(np.array([[2, 1, 1]]))
    assert len(found) == 1
    np.testing.assert_array_equal(found.points[found.left[0]], [[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(found.points[found.right[0]], [[2, 0, 0], [0, 1, 0], [0, 1, 0]])


@pytest.mark.parametrize(
    ("spec", "large", "small"),
    [
        ("accuracy", 0.75, 0.75),
        ("mae", 0.25, 0.25),
        ("cosine", 0.973, 0.979),
        ("pearson", 0.85, 0.9),
    ],
)
def test_appendix_b_figures_on_imbalance(spec, large, small) -> None:
    gold = [1, 1, 2, 3]
    m = measure(spec)
    assert m(gold, [1, 2, 2, 3], labels=[1, 2, 3]) == pytest.approx(large, abs=0.006)
    assert m(gold, [1, 1, 2, 2], labels=[1, 2, 3]) == pytest.approx(small, abs=0.006)


@pytest.mark.slow
def test_every_claim_is_what_the_search_finds(classification, quantification) -> None:
    for task, table in (("classification", classification), ("quantification", quantification)):
        for spec in table.measures:
            found = table.satisfied(spec)
            claimed = claims(task).get(measure(spec).specification)
            assert claimed == found, f"the card of {spec} needs axioms = {found}"
        for cell in (cell for row in table.results for cell in row):
            assert measure(cell.measure).satisfies(cell.axiom) is cell.holds, cell.measure
        assert {m.specification for m in measures(task)} <= set(claims(task))


@pytest.mark.slow
def test_counter_examples_can_be_checked_by_hand(classification, quantification) -> None:
    cells = [cell for t in (classification, quantification) for row in t.results for cell in row]
    broken = [cell for cell in cells if cell.counter_example is not None]
    assert {cell.holds for cell in broken} == {False}
    assert len(broken) == sum(cell.holds is False for cell in cells)
    for cell in broken:
        m, example = measure(cell.measure), cell.counter_example
        for side in (example.first, example.second):
            labels = {} if m.record.task == "quantification" else {"labels": side.scale}
            score = m(side.gold, side.system, values=side.scale, undefined=np.nan, **labels)
            assert score == pytest.approx(side.score, abs=1e-9, nan_ok=True)


def test_counter_example_prints_two_systems_and_the_requirement() -> None:
    example = axioms("accuracy", ["imbalance"], effort=SMALL).results[0][0].counter_example
    assert example.lines() == (
        "first: scale (1 2 3), gold (2 3 1 3), system (2 3 1 2), score 0.75",
        "second: scale (1 2 3), gold (2 3 1 3), system (2 3 2 3), score 0.75",
        "the first should score better (higher is better)",
    )


@pytest.mark.slow
def test_cem_alone_satisfies_all_three_axioms_of_the_paper(classification) -> None:
    all_three = [c.measure for c in _rows_that_hold(classification)]
    assert all_three == ["cem"]


def _rows_that_hold(table):
    wanted = {"ordinal_invariance", "ordinal_monotonicity", "imbalance"}
    return [row[0] for row in table.results if wanted <= set(table.satisfied(row[0].measure))]


def test_cem_needs_gold_without_empty_classes() -> None:
    effort = Effort(items={4: 3}, random_cases=10, empty_gold=True)
    found = axioms("cem", ["ordinal_monotonicity"], effort=effort).results[0][0]
    assert not found.holds
    assert len(set(found.counter_example.first.gold)) < 4


def test_cem_scores_errors_into_neighbouring_empty_classes_alike() -> None:
    near, far = (measure("cem")([3, 3, 4], [p, 3, 4], labels=[1, 2, 3, 4]) for p in (2, 1))
    assert near == far


@pytest.mark.slow
@pytest.mark.parametrize("table", ["table-4", "table-7"])
def test_properties_printed_by_sakai_are_found(table, classification, quantification) -> None:
    printed = read_paper("sakai-2021").exhibits[table]
    searched = classification if table == "table-4" else quantification
    for name in printed.figures:
        for column, axiom in printed["axioms"].items():
            found = "yes" if searched.of(name, axiom).holds else "no"
            assert found == printed.figure(name, column), (name, column)


def test_rnod_can_score_a_farther_move_better() -> None:
    gold = [0.2] * 5
    near, far = [0.1, 0.3, 0.2, 0.2, 0.2], [0.1, 0.2, 0.3, 0.2, 0.2]
    rnod, nmd = measure("rnod"), measure("nmd")
    assert rnod.of(gold, far) < rnod.of(gold, near)
    assert nmd.of(gold, far) > nmd.of(gold, near)


@pytest.mark.slow
def test_undefined_everywhere_is_neither_true_nor_false(quantification) -> None:
    found = quantification.of("kld", "single_class_order")
    assert found.holds is None
    assert found.outcome.startswith("undefined in all")


@pytest.mark.slow
def test_results_say_how_many_cases_were_tried(classification) -> None:
    found = classification.of("cem", "ordinal_monotonicity")
    assert found.outcome == f"holds in all {found.cases:,} cases tried"
    assert found.cases > 50_000


def test_same_seed_same_result() -> None:
    first, second = (axioms("cem, mae", effort=SMALL, rng=5) for _ in range(2))
    assert first.results == second.results


def test_progress_is_reported() -> None:
    seen = []
    axioms("mae", effort=SMALL, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, len(seen)) for i in range(1, len(axioms_of("classification")) + 1)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"axioms": ["imbalanc"]}, "Did you mean 'imbalance'"),
        ({"task": "ranking"}, "task is 'ranking'"),
        ({"measures": "nmd"}, "a measure of distributions"),
        ({"measures": "mae", "effort": Effort(items={5: 6})}, "more than can be tried"),
    ],
)
def test_bad_requests_are_refused(given, message) -> None:
    with pytest.raises(InputError, match=message):
        axioms(**given)


def test_meta_loads_nothing_heavy() -> None:
    code = "import sys, ordeval.meta; print([m for m in ('scipy', 'pandas') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_claims_can_be_asked_for() -> None:
    assert measure("cem").satisfies("imbalance") is True
    assert measure("mae").satisfies("imbalance") is False
    assert measure("oc(beta=0.123)").satisfies("imbalance") is None
    assert measure("kld").satisfies("single_class_order") is None


def test_claims_are_named_as_specifications_print() -> None:
    for task in ("classification", "quantification"):
        assert all(measure(spec).specification == spec for spec in claims(task))


def test_the_search_is_a_function_of_the_package() -> None:
    import ordeval as oe

    assert oe.meta.axioms("mae", ["imbalance"], effort=SMALL).satisfied("mae") == ()
    assert callable(oe.meta.consistency)
