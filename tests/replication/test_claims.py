"""General claims of the papers: the searches find what there is, and the examples are right."""

import pytest
from replication.metric_search import (
    asymmetry,
    broken_triangle,
    distances,
    label_vectors,
    zero_only_if_equal,
)

from ordeval import measure
from replication import Study, Verdict


def column(study: Study, exhibit: str, name: str) -> list[object]:
    return [c.ours for c in study[exhibit].comparisons if c.column == name]


def test_mae_is_found_to_be_a_metric() -> None:
    vectors = label_vectors(3, 3)
    d = distances("mae", vectors, 3)
    assert zero_only_if_equal(d)
    assert asymmetry(d, vectors) is None
    assert broken_triangle(d, vectors) is None


def test_mse_is_found_to_break_the_triangle_inequality() -> None:
    vectors = label_vectors(1, 3)
    breach = broken_triangle(distances("mse", vectors, 3), vectors)
    assert breach is not None
    assert breach.size == pytest.approx(2)  # 2² − 1² − 1²
    assert "a = (1), b = (2), c = (3)" in breach.text


def test_macro_mae_is_found_to_be_asymmetric() -> None:
    vectors = label_vectors(4, 2, least=1)
    assert asymmetry(distances("macro_mae", vectors, 2), vectors) is not None


@pytest.mark.parametrize(
    ("gold", "predicted", "score"),
    [
        ([1, 1, 1, 2], [1, 1, 2, 2], 2 / 7),
        ([1, 1, 2, 2], [1, 1, 1, 2], 2 / 5),
        ([1, 1, 2], [1, 2, 1], 6 / 7),
        ([1, 1, 2], [1, 2, 2], 2 / 5),
        ([1, 2, 2], [1, 2, 1], 2 / 5),
    ],
)
def test_the_examples_against_uoc_as_a_metric(
    gold: list[int], predicted: list[int], score: float
) -> None:
    """By hand: 1 − Σ shares on the diagonal/(2 + Σ shares off it)."""
    assert measure("uoc(beta=1)")(gold, predicted, labels=[1, 2]) == pytest.approx(score)


@pytest.mark.slow
def test_uoc_is_a_metric_where_classes_are_equally_frequent(
    quick_studies: dict[str, Study],
) -> None:
    study = quick_studies["silva-2018"]
    assert column(study, "metric", "both, if all classes are equally frequent") == ["yes"] * 3


def test_the_smaller_bound_of_appendix_a_is_enough(quick_studies: dict[str, Study]) -> None:
    study = quick_studies["cardoso-2011"]
    assert column(study, "appendix-a", "broken at 1.01 of the bound") == ["no"] * 7
    assert column(study, "appendix-a", "broken at 1.0001 of the bound") == ["no"]


def test_no_reading_of_definition_1_fits_all_scales(quick_studies: dict[str, Study]) -> None:
    study = quick_studies["amigo-2020"]
    assert column(study, "definition-1", "for some function") == ["yes", "no", "yes"]
    assert column(study, "definition-1", "for all functions") == ["no", "yes", "yes"]


@pytest.mark.parametrize(
    ("paper", "exhibit"),
    [("amigo-2020", "figure-2"), ("cardoso-2011", "figure-2"), ("cardoso-2011", "figure-3")],
)
def test_pairs_of_our_own_meet_the_requirement_and_are_not_judged(
    quick_studies: dict[str, Study], paper: str, exhibit: str
) -> None:
    cells = [c for c in quick_studies[paper][exhibit].comparisons if c.printed is not None]
    assert {c.verdict for c in cells} == {Verdict.NONE}
    assert [c.ours for c in cells] == [c.printed for c in cells]


def test_interval_cem_orders_systems_in_another_way_than_mae(
    quick_studies: dict[str, Study],
) -> None:
    assert column(quick_studies["amigo-2020"], "interval-cem", "MAE and CEM_INT") == ["> and <"]


def test_by_the_matrices_uoc_puts_the_forest_first(quick_studies: dict[str, Study]) -> None:
    """A note of the sentences on ESL says so."""
    cells = quick_studies["silva-2018"]["table-2"].comparisons
    scores = {c.row: c.ours for c in cells if c.column == "uoc(beta=0.75)" and "ESL" in c.row}
    assert min(scores, key=lambda row: float(scores[row] or 0.0)) == "ESL RF"
