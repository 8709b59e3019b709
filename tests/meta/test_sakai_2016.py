"""Sakai (2021) on real runs that he used: Tables 2 (I), 3 (a, b), 4, 8 (I), 9 (I), Fig. 1 (I)."""

import numpy as np
import pytest
from replication.printed import read_paper

from ordeval.meta import (
    AMIGO_REFERENCE,
    ScoreMatrices,
    consistency,
    coverage,
    discriminative_power,
    meta_evaluate,
    similarity,
)

SHORT = {"lwk": "kappa"}
# Table 9 (I), 10 versus 10, as printed.
TABLE_9_10V10 = {
    "jsd": 0.771,
    "rnod": 0.708,
    "nvd": 0.705,
    "rnss": 0.690,
    "nmd": 0.674,
    "rsnod": 0.673,
}
SPLITS = [("sem16c", None), ("sem16c", 10), ("sem16e", None), ("sem16e", 10)]


def _printed(golden, data: str, size: int | None):
    sakai = golden["sakai_2021"]
    if data == "sem16c":
        row = sakai["table3"]["Sem16T4C_10v10" if size else "Sem16T4C_50v50"]
        return row["tau"], row["ve2"]
    if size:
        return TABLE_9_10V10, 0.00368
    row = sakai["table9"]["Sem16T4E_50v50"]
    return row["tau"], row["ve2"]


def _upper(tau: np.ndarray) -> list[float]:
    return [round(float(t), 3) for t in tau[np.triu_indices(len(tau), 1)]]


def test_table_2_all_36_values(sem16c, golden) -> None:
    printed = [t for row in golden["sakai_2021"]["table2"]["Sem16T4C_upper"] for t in row]
    assert len(printed) == 36
    for variant in ("a", "b"):  # no systems are tied
        assert _upper(similarity(sem16c, variant=variant).tau) == printed


def test_table_8_all_15_values(sem16e, golden) -> None:
    printed = [t for row in golden["sakai_2021"]["table8"]["Sem16T4E_upper"] for t in row]
    assert len(printed) == 15
    assert _upper(similarity(sem16e).tau) == printed


def test_no_score_is_undefined(sem16c, sem16e) -> None:
    # Every topic has two gold classes at least, so kappa and alpha exist even for the constant
    # run: kappa is 0 there by its formula. No convention for undefined scores is needed.
    assert not sem16c.missing.any()
    assert not sem16e.missing.any()
    kappa = sem16c.select(measures=["lwk"], systems=["baseline-majority-0"])
    np.testing.assert_allclose(kappa.scores, 0.0, atol=1e-12)


def test_printed_kappa_figures_of_2017_are_tau_a(golden) -> None:
    # Five constant runs of 20 tie under kappa: 10 of 190 pairs.
    order = golden["sakai_2021"]["table2"]["order"]
    upper = golden["sakai_2021"]["table2"]["Sem17T4C_upper"]
    at = order.index("kappa(weights=linear)")
    printed = np.array([upper[i][at - i - 1] for i in range(at)] + upper[at])

    def distance(unit: float) -> np.ndarray:
        return np.abs(printed - np.rint(printed / unit) * unit)

    assert (distance(1 / 190) <= 0.0005).all()
    assert (distance(1 / np.sqrt(180 * 190)) > 0.0005).any()


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("data", "size"), SPLITS)
def test_mean_tau(request, golden, data, size, seed) -> None:
    matrices = request.getfixturevalue(data)
    printed, _ = _printed(golden, data, size)
    found = consistency(matrices, procedure="split", size=size, trials=1, rng=seed)
    ours = {SHORT.get(m, m): t for m, t in zip(found.measures, found.mean, strict=True)}
    assert ours == pytest.approx(printed, abs=0.012 if size else 0.006)


@pytest.mark.parametrize(("data", "size"), SPLITS)
def test_residual_variance_of_1000_splits(request, golden, data, size) -> None:
    _, printed = _printed(golden, data, size)
    found = consistency(request.getfixturevalue(data), procedure="split", size=size, trials=1)
    assert found.splits == 1000
    assert found.residual_variance == pytest.approx(printed, rel=0.15 if size else 0.10)


@pytest.mark.parametrize("seed", [0, 1])
def test_how_many_measures_each_one_beats(sem16c, golden, seed) -> None:
    printed = golden["sakai_2021"]["table3"]["Sem16T4C_50v50"]["beats"]
    found = consistency(sem16c, procedure="split", rng=seed)
    ours = {SHORT.get(m, m): int(n) for m, n in zip(found.measures, found.beats, strict=True)}
    off = [abs(ours[m] - n) for m, n in printed.items()]
    assert max(off) <= 1
    assert sum(off) <= 2


def test_effect_size_of_the_example(sem16c, golden) -> None:
    found = consistency(sem16c, procedure="split", splits=5000, trials=1)
    row, column = (found.measures.index(m) for m in ("alpha_ord", "cem"))
    printed = golden["sakai_2021"]["effect_size_example"]["alpha_ord_minus_cem"]
    assert found.effect_size[row, column] == pytest.approx(printed, rel=0.08)


def test_kappa_discriminates_best_and_cem_accuracy_and_errors_least(sem16c) -> None:
    found = discriminative_power(sem16c)
    order = [found.measures[i] for i in found.order]
    assert order[0] == "lwk"
    assert set(order[-4:]) == {"cem", "accuracy", "macro_mae", "mae"}
    assert len(found.pairs) == 66


def test_summary_is_table_4(sem16c) -> None:
    rows = meta_evaluate(sem16c, procedure="split").summary
    printed = {
        name: tuple(cells.values())
        for name, cells in read_paper("sakai-2021").exhibits["table-4"].figures.items()
    }
    yes = {True: "yes", False: "no"}
    for row in rows:
        properties = (yes[row.order], yes[row.constant], yes[row.class_sizes])
        assert properties == printed[row.measure][:3]
        assert row.consistency == printed[row.measure][4]
    differing = {row.measure for row in rows if row.discrimination != printed[row.measure][5]}
    assert differing <= {"macro_mae"}  # poor in the paper, on both of its data sets together
    assert {row.measure: row.group for row in rows if row.group != "A"} == {
        "cem": "C",
        "accuracy": "B",
        "mae": "B",
    }


def test_coverage_of_real_runs_is_high_for_measures_that_see_everything(sem16c, runs_c) -> None:
    found = coverage(sem16c, ScoreMatrices.from_counts(runs_c, AMIGO_REFERENCE))
    of = dict(zip(found.measures, found.coverage, strict=True))
    assert of["lwk"] > 0.9 > 0.5 > of["mae"]
    np.testing.assert_allclose(found.uir, -found.uir.T)
