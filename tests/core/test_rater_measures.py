"""Coefficients of several raters: by definition, beside other programs, and their properties."""

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.measures.raters import RaterSums, agreement_weights
from ordeval.measures.registry import records
from ordeval.measures.spec import counterpart
from ordeval.stats.panels import row_sums
from rater_oracles import ORACLES

SHARED = Path(__file__).parents[3] / "shared"
GOLDEN = SHARED / "golden" / "raters.json"
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")
PACKAGE = {
    "gwet": "ac2",
    "bp": "brennan_prediger",
    "fleiss": "fleiss",
    "conger": "conger",
    "krippendorff": "weighted_alpha",
}


def free_weights(k: int) -> tuple[tuple[float, ...], ...]:
    """Symmetric weights with ones on the diagonal that are no named ones."""
    return tuple(
        tuple(1 if a == b else round(1 / (2 + a + b), 3) for b in range(k)) for a in range(k)
    )


def every_variant(k: int) -> list[oe.Measure]:
    """Every coefficient with every parameter that is tried."""
    found = []
    for record in records().values():
        if record.task != "raters":
            continue
        names = [p.name for p in record.parameters]
        if names == ["weights"]:
            tried: list[Any] = [*WEIGHTS, free_weights(k)]
            found += [oe.measure(record.id, weights=w) for w in tried]
        elif names == ["level"]:
            levels = ("ordinal", "interval", "nominal", "ratio")
            found += [oe.measure(record.id, level=level) for level in levels]
        elif record.id == "icc":
            found += [oe.measure("icc", model=m, raters=r) for m in (1, 2, 3) for r in (1, "k")]
        else:
            found.append(oe.measure(record.id))
    return found


def sums_of(rows: list[list[int | None]], values: list[float], often: Any = None) -> RaterSums:
    codes = np.array([[-1 if c is None else c for c in row] for row in rows], dtype=np.intp)
    codes = codes[(codes >= 0).any(axis=1)]
    weights = np.ones(len(codes)) if often is None else np.asarray(often, float)
    single = row_sums(codes, np.asarray(values, float), tables=True)
    return single.shaped(weights[None] @ single.flat)


def score(m: oe.Measure, rows: list[list[int | None]], values: list[float]) -> float:
    return float(m.kernel(sums_of(rows, values), np.asarray(values, float))[0])


def by_definition(m: oe.Measure, rows: list[list[int | None]], values: list[float]) -> float:
    rated = [row for row in rows if any(c is not None for c in row)]
    return ORACLES[m.id](rated, [Fraction(v) for v in values], **m.params)


@st.composite
def panels(draw: Any) -> tuple[list[list[int | None]], int]:
    k, raters, gaps = draw(st.integers(2, 5)), draw(st.integers(2, 4)), draw(st.booleans())
    cell = st.one_of(st.none(), st.integers(0, k - 1)) if gaps else st.integers(0, k - 1)
    rows = draw(st.lists(st.lists(cell, min_size=raters, max_size=raters), min_size=1, max_size=9))
    assume(any(c is not None for row in rows for c in row))
    return rows, k


def test_every_record_has_a_slow_definition() -> None:
    assert set(ORACLES) == {r.id for r in records().values() if r.task == "raters"}


@settings(max_examples=200, deadline=None)
@given(panels(), st.booleans(), st.randoms(use_true_random=False))
def test_kernels_are_the_definitions_and_keep_their_promises(
    panel: Any, stretched: bool, random: Any
) -> None:
    rows, k = panel
    values = [1.0, 2.0, 4.0, 8.0, 9.0][:k] if stretched else [1.0, 2.0, 3.0, 4.0, 5.0][:k]
    columns = random.sample(range(len(rows[0])), len(rows[0]))
    shuffled = [[row[c] for c in columns] for row in random.sample(rows, len(rows))]
    reversed_scale = [[None if c is None else k - 1 - c for c in row] for row in rows]
    sums = sums_of(rows, values)
    for m in every_variant(k):
        alike = [score(m, shuffled, values)]
        ordered = m.params.get("level") == "ratio" or isinstance(m.params.get("weights"), tuple)
        if not (stretched or ordered):
            alike.append(score(m, reversed_scale, values))
        if "proportional" in m.claims:
            alike.append(score(m, rows + rows, values))
        expected = by_definition(m, rows, values)
        for found in (score(m, rows, values), *alike):
            assert found == pytest.approx(expected, abs=1e-9, nan_ok=True), m
        if math.isnan(expected):
            conditions = m.record.undefined(m.params)
            assert any(np.all(c.holds(sums, np.asarray(values))) for c in conditions), m
        else:
            low, high = m.bounds(values)
            assert low - 1e-9 <= expected <= high + 1e-9, m


def test_raters_who_always_agree_have_the_best_figure() -> None:
    rows: list[list[int | None]] = [[k, k, k] for k in (0, 1, 2, 3, 2, 1)]
    for m in every_variant(4):
        assert score(m, rows, [1, 2, 3, 4]) == pytest.approx(1.0), m


def test_two_raters_are_a_table() -> None:
    table = [[4, 1, 0], [2, 5, 1], [0, 1, 3]]
    rows: list[list[int | None]] = [
        [a, b] for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)
    ]
    for m in every_variant(3):
        assert float(m.of(table)) == pytest.approx(score(m, rows, [1, 2, 3])), m


def test_coefficients_that_are_known_for_two_raters() -> None:
    table = [[4, 1, 0], [2, 5, 1], [0, 1, 3]]
    same = {
        "conger(weights='identity')": "cohen_kappa",
        "conger(weights='linear')": "kappa(weights='linear')",
        "conger(weights='quadratic')": "kappa(weights='quadratic')",
        "krippendorff(level='ordinal')": "alpha(level='ordinal')",
        "krippendorff(level='ratio')": "alpha(level='ratio')",
        "observed_agreement": "accuracy",
    }
    for one, other in same.items():
        assert float(oe.measure(one).of(table)) == pytest.approx(
            float(oe.measure(other).of(table)), abs=1e-12
        )
        assert counterpart(oe.measure(other), "raters") == oe.measure(one)


def test_batches_are_scored_like_single_sums() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, size=(3, 12, 3))
    values = np.arange(1.0, 5)
    rows = [row_sums(c, values, tables=True) for c in codes]
    single = [sums.shaped(sums.flat.sum(axis=0, keepdims=True)) for sums in rows]
    both = single[0].shaped(np.concatenate([sums.flat for sums in single]))
    for m in every_variant(4):
        each = [float(m.kernel(s, values)[0]) for s in single]
        assert m.kernel(both, values) == pytest.approx(each), m


def test_weights_fall_with_the_distance() -> None:
    values = np.array([1.0, 2.0, 4.0, 5.0])
    for name in WEIGHTS:
        w = agreement_weights(values, name)
        assert np.array_equal(w, w.T)
        assert np.diag(w).tolist() == [1.0] * 4
        assert all(a >= b for a, b in pairwise(w[0]))


def test_names_from_the_literature() -> None:
    assert oe.measure("icc(2, 1)") == oe.measure("icc2")
    assert oe.measure("icc(3, k)") == oe.measure("icc3k")
    assert oe.measure("fleiss_kappa") == oe.measure("fleiss")
    assert oe.measure("pabak") == oe.measure("brennan_prediger(weights=identity)")


@pytest.mark.skipif(not GOLDEN.is_file(), reason="golden/raters.json is not there")
@pytest.mark.parametrize("name", ["summeval", "cebab_stars"])
def test_values_and_standard_errors_of_an_independent_program(name: str) -> None:
    pl = pytest.importorskip("polars")
    path = SHARED / "data" / "raters" / f"{name}.tsv.gz"
    people = pl.read_csv(path, separator="\t").filter(pl.col("kind") == "person")
    golden = json.loads(GOLDEN.read_text())[name]["agreement"]
    specs = [f"{own}(weights='{w}')" for w in WEIGHTS for own in PACKAGE.values()]
    levels = [f"krippendorff(level='{level}')" for level in golden["krippendorff_package"]]
    found = oe.agreement(
        data=people, item="item", rater="rater", rating="rating", labels=[1, 2, 3, 4, 5],
        measures=[*specs, *levels], draws=50,
    )  # fmt: skip
    for w in WEIGHTS:
        for theirs, own in PACKAGE.items():
            estimate = found[f"{own}(weights='{w}')"]
            assert estimate.value == pytest.approx(golden[w][theirs]["value"], abs=1e-9)
            # The programs differ in n and n - 1 of some terms.
            assert estimate.se == pytest.approx(golden[w][theirs]["se"], rel=1e-3)
    for level, value in golden["krippendorff_package"].items():
        assert found[f"krippendorff(level='{level}')"].value == pytest.approx(value, abs=1e-9)


def test_the_krippendorff_package() -> None:
    package = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(3)
    for _ in range(10):
        data = rng.integers(1, 6, size=(4, 15)).astype(float)
        data[rng.random(data.shape) < 0.3] = np.nan
        for level in ("nominal", "ordinal", "interval", "ratio"):
            theirs = package.alpha(data, level_of_measurement=level, value_domain=[1, 2, 3, 4, 5])
            ours = oe.agreement(
                data.T, labels=[1, 2, 3, 4, 5], measures=f"krippendorff({level})", draws=0
            )
            assert ours[f"krippendorff({level})"].value == pytest.approx(theirs, abs=1e-12)


def test_fleiss_kappa_of_statsmodels() -> None:
    package = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 4, size=(30, 5))
    counts = np.stack([np.bincount(row, minlength=4) for row in codes])
    ours = oe.agreement(codes, labels=[0, 1, 2, 3], measures="fleiss", draws=0)
    assert ours["fleiss"].value == pytest.approx(package.fleiss_kappa(counts), abs=1e-12)


def test_analytic_kappa_of_statsmodels() -> None:
    package = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(6)
    first = rng.integers(0, 4, size=60)
    second = np.clip(first + rng.integers(-1, 2, size=60), 0, 3)
    ours = oe.agreement(
        np.stack([first, second], axis=1), labels=[0, 1, 2, 3], measures="conger", draws=0
    )
    table = np.zeros((4, 4))
    np.add.at(table, (first, second), 1)
    names = {"none": None, "linear": "linear", "quadratic": "quadratic"}
    for row in ours.kappas:
        weights = names[row.measure.params["weights"]]
        theirs = package.cohens_kappa(table, wt=weights)
        assert row.value == pytest.approx(theirs.kappa)
        assert row.se == pytest.approx(theirs.std_kappa)
        assert row.z == pytest.approx(theirs.z_value)
        assert row.p == pytest.approx(theirs.pvalue_two_sided, abs=1e-12)


# Lower bounds.


def _lowest(id: str, rows: list[list[Any]], **settings: Any) -> float:
    found = oe.agreement(rows, labels=range(1, 6), measures=oe.measure(id, **settings), draws=0)
    return next(iter(found.coefficients.values())).value


@pytest.mark.parametrize("weights", ["linear", "quadratic", "ordinal"])
def test_the_lower_bound_of_ac2_is_approached_with_single_ratings(weights: str) -> None:
    bound = oe.measure("ac2", weights=weights).bounds(5)[0]
    rows = [[1, 5], *([k, None] for k in range(1, 6) for _ in range(2000))]
    assert bound < _lowest("ac2", rows, weights=weights) < bound + 0.01


def test_ac2_without_gaps_stays_far_above_its_bound() -> None:
    assert _lowest("ac2", [[1, 5]] * 9) == pytest.approx(-0.6)
    lowest = [[1, 5]] * 510 + [[1, 4], [2, 5]] * 173 + [[2, 4]] * 144  # found by a search
    assert -0.82 < _lowest("ac2", lowest) < -0.818
    assert oe.measure("ac2").bounds(5)[0] == pytest.approx(-1.5)


def test_bounds_that_are_reached_without_gaps() -> None:
    ends = [[1, 5], [5, 1]] * 5000
    assert _lowest("brennan_prediger", ends) == pytest.approx(oe.measure("bp").bounds(5)[0])
    for id in ("fleiss", "conger", "weighted_alpha"):
        assert _lowest(id, ends) == pytest.approx(-1.0, abs=1e-3)
    assert oe.measure("weighted_alpha").bounds(5) == (-1.0, 1.0)
    shifted = [[k, k % 5 + 1] for k in range(1, 6)]
    assert _lowest("ac1", shifted) == pytest.approx(oe.measure("ac1").bounds(5)[0])


def test_a_matrix_of_weights_takes_away_the_bound_of_alpha() -> None:
    weights = ((1, 0, 1), (0, 1, 1), (1, 1, 1))
    measure = oe.measure("weighted_alpha", weights=weights)
    found = oe.agreement([[1, 2], *[[3, 3]] * 99], labels=[1, 2, 3], measures=measure, draws=0)
    assert found[measure].value < -50
    assert measure.bounds(3)[0] == -float("inf")
