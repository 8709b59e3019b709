"""The oracles treat multiplicities as repetition and give results that are known by hand.

The figures that papers print are compared in core/test_golden_scores.py.
"""

import math
import random
from typing import Any

import pytest

import oracles
from oracles import (
    ORACLES,
    QUANTIFICATION_ORACLES,
    ciq_precision,
    ciq_recall,
    items_of,
    monotone_paths,
)

Table = list[list[int]]


def of_table(name: str, table: Table, **parameters: Any) -> float:
    gold, pred, counts = items_of(table)
    return ORACLES[name](gold, pred, len(table), multiplicity=counts, **parameters)


def random_table(rng: random.Random, k: int, most: int = 3, filled: float = 0.6) -> Table:
    table = [[rng.randint(0, most) * (rng.random() < filled) for _ in range(k)] for _ in range(k)]
    table[0][k - 1] += 1
    return table


def repeated(table: Table) -> tuple[list[int], list[int]]:
    cells = [(g, p) for g, row in enumerate(table) for p, n in enumerate(row) for _ in range(n)]
    return [g for g, _ in cells], [p for _, p in cells]


@pytest.mark.parametrize(
    ("gold", "pred", "expected", "decimals"),
    [
        ([0, 0, 2, 2], [0, 1, 2, 2], 0.875, 4),
        ([1, 1, 2, 2], [0, 1, 2, 2], 0.875, 4),
        ([0, 0, 1, 1], [0, 2, 1, 1], 0.750, 4),
        ([0] * 90 + [1] * 9 + [2], [2] * 100, 0.2563, 4),
        ([0] + [1] * 9 + [2] * 90, [2] * 100, 0.742, 3),
        ([1] * 4, [1] * 4, 1.0, 4),
    ],
)
def test_cem_where_two_decimals_hide_errors(
    gold: list[int], pred: list[int], expected: float, decimals: int
) -> None:
    half = 0.5 * 10**-decimals
    assert ORACLES["cem"](gold, pred, 3) == pytest.approx(expected, abs=half)


VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *[(name, {}) for name in ORACLES if name != "oc_general"],
    *[("alpha", {"level": level}) for level in ("nominal", "interval", "ratio")],
    *[("kappa", {"weights": w}) for w in ("none", "quadratic", "closeness")],
    *[("cem", {"scale": scale, "log": log}) for scale in ("nominal", "interval") for log in (0, 1)],
    *[("rennie_srebro", {"loss": "logistic", "threshold": "immediate"})],
    *[(name, {"gamma": 1.5}) for name in ("oc", "oc_unnormalised", "uoc")],
]


@pytest.mark.parametrize(("name", "parameters"), VARIANTS)
def test_multiplicity_is_repetition(name: str, parameters: dict[str, Any]) -> None:
    rng = random.Random(f"{name}{parameters}")
    for k in (2, 3, 4, 4):
        table = random_table(rng, k)
        gold, pred = repeated(table)
        values = sorted(rng.sample(range(1, 20), k))
        once = ORACLES[name](gold, pred, k, values, **parameters)
        many = of_table(name, table, values=values, **parameters)
        assert many == pytest.approx(once, rel=1e-13, nan_ok=True)


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_no_items_is_undefined(name: str) -> None:
    assert math.isnan(ORACLES[name]([], [], 3))


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_zero_multiplicity_is_absence(name: str) -> None:
    score = ORACLES[name]([0, 1, 2, 1], [0, 2, 2, 0], 3, multiplicity=[2, 1, 1, 0])
    assert score == ORACLES[name]([0, 0, 1, 2], [0, 0, 2, 2], 3)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_monotone_paths_are_all_there(k: int) -> None:
    delannoy = {2: 3, 3: 13, 4: 63, 5: 321, 6: 1683}
    assert len(set(monotone_paths(k))) == delannoy[k]


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_paths_beyond_listing_are_found(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(random.Random(k), k, most=9)
    betas = (("oc", 0.25), ("oc", 0.75), ("oc_unnormalised", 0.1), ("uoc", 0.5))

    def scores() -> list[float]:
        return [of_table("auoc", table), *(of_table(name, table, beta=b) for name, b in betas)]

    listed = scores()
    monkeypatch.setattr(oracles, "_path_sums", oracles._frontier_sums)
    assert scores() == pytest.approx(listed, rel=1e-14)


def test_oc_general_between_its_limits() -> None:
    # One far corner is reached along the border without discord. To hold both, the least
    # discordant set is the diagonal and the two corners: they discord with each other and each
    # with the centre.
    table = [[0, 0, 5], [0, 0, 0], [5, 0, 0]]
    one_corner, both_corners = 1 - 5 / 30, 1 - 10 / 30
    for beta2 in (0.0, 0.01, 0.05, 0.2):
        value = of_table("oc_general", table, beta1=0, beta2=beta2)
        assert value == pytest.approx(min(one_corner, both_corners + 3 * beta2))


def test_nominal_ciq_is_precision_and_recall() -> None:
    gold, pred = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 0, 2]
    for cls, precision, recall in [(0, 1 / 2, 1 / 2), (1, 2 / 3, 1), (2, 1, 1 / 2)]:
        assert ciq_precision(gold, pred, 3, cls, scale="nominal") == pytest.approx(precision)
        assert ciq_recall(gold, pred, 3, cls, scale="nominal") == pytest.approx(recall)


def test_quantification_by_hand() -> None:
    p, q = [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]
    by_hand = {
        "emd": 1.0,
        "nmd": 0.5,
        "od": (0.5 + 0.5) / 2,
        "sod": (0.5 + 0.5) / 2,
        "rnod": 0.5,
        "rsnod": 0.5,
        "nvd": 0.5,
        "rnss": 0.5,
        "ae": 1 / 3,
        "rae": math.nan,
        "kld": math.nan,
        "jsd": 0.5,
    }
    got = {name: oracle(p, q) for name, oracle in QUANTIFICATION_ORACLES.items()}
    assert got == pytest.approx(by_hand, nan_ok=True)


def test_order_aware_divergence_is_not_symmetric() -> None:
    p, q = [0.2, 0.3, 0.5], [0.0, 0.0, 1.0]
    assert QUANTIFICATION_ORACLES["od"](p, q) == pytest.approx(2 * 0.04 + 0.09)
    classes = [0.09 + 2 * 0.25, 0.04 + 0.25, 2 * 0.04 + 0.09]
    assert QUANTIFICATION_ORACLES["od"](q, p) == pytest.approx(sum(classes) / 3)


def test_smoothed_errors_by_hand() -> None:
    """One class of two empty in gold, four items: eps = 1/8 makes 0.9 and 0.1 of 1 and 0."""
    estimate, gold = [0.5, 0.5], [1.0, 0.0]
    rae, kld = (QUANTIFICATION_ORACLES[name] for name in ("rae", "kld"))
    assert rae(estimate, gold, smoothing=0.125) == pytest.approx((0.4 / 0.9 + 0.4 / 0.1) / 2)
    by_hand = 0.9 * math.log(0.9 / 0.5) + 0.1 * math.log(0.1 / 0.5)
    found = kld(estimate, gold, direction="gold", smoothing=0.125, base="e")
    assert found == pytest.approx(by_hand)
