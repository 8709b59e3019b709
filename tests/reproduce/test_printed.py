"""Our copies of the printed figures are those of the papers."""

from typing import Any

import pytest

from ordeval.reproduce.printed import printed
from ordeval.spec import parse_measure


@pytest.mark.parametrize("paper", ["cardoso_2011", "silva_2018"])
def test_tables_of_measures(golden: dict[str, Any], paper: str) -> None:
    ours, theirs = printed(paper), golden[paper]
    assert ours["columns"] == theirs["columns"]
    for name, table in theirs["tables"].items():
        copy = ours["tables"][name.replace("table", "table-")]
        for row, cells in table.items():
            assert copy[row]["counts"] == cells["n"]
            assert [float(x) for x in copy[row]["printed"]] == cells["printed"]
            assert copy[row].get("consistent_counts") == cells.get("consistent_n")


def test_table_6(golden: dict[str, Any]) -> None:
    ours, theirs = printed("cardoso_2011")["table-6"], golden["cardoso_2011"]["table6"]
    for row, cells in ours["rows"].items():
        assert [[float(x) for x in cell] for cell in cells] == theirs[row]
    assert ours["columns"] == theirs["columns"]


def test_amigo(golden: dict[str, Any]) -> None:
    ours, theirs = printed("amigo_2020"), golden["amigo_2020"]
    rows = {m: [float(x) for x in row] for m, row in ours["table-3"]["rows"].items()}
    assert rows == theirs["table3"]["rows"]
    assert ours["table-3"]["columns"] == theirs["table3"]["columns"]
    assert ours["figure-3"]["A"] == theirs["figure3"]["A_rows_system"]
    assert ours["figure-3"]["B"] == theirs["figure3"]["B_rows_system"]
    left = theirs["figure1"]["left"]
    assert ours["figure-1"]["left"]["counts"]["reject"] == left["reject_count"]
    assert sum(ours["figure-1"]["left"]["counts"].values()) == 402
    assert sum(ours["figure-1"]["right"]["counts"].values()) == 376


def test_amigo_figures_1_and_3(golden: dict[str, Any]) -> None:
    ours, theirs = printed("amigo_2020"), golden["amigo_2020"]
    for side, part in ours["figure-1"].items():
        found = {f"prox({p},{g})".replace(" ", "_"): float(x) for p, g, x in part["printed"]}
        assert found == {k: v for k, v in theirs["figure1"][side].items() if k in found}
    figure, other = ours["figure-3"], theirs["figure3"]
    assert [[float(x) for x in row] for row in figure["closeness"]] == other["prox_rows_system"]
    for measure, systems in figure["printed"].items():
        assert {s: float(x) for s, x in systems.items()} == other[measure]


def test_amigo_robustness(golden: dict[str, Any]) -> None:
    theirs = golden["amigo_2020"]["robustness"]
    expected = dict.fromkeys(theirs["best_measures"], theirs["best"])
    expected |= dict.fromkeys(theirs["worst_measures"], theirs["worst"])
    expected["cem(log=False)"] = theirs["cem(log=False)"]
    ours = printed("amigo_2020")["robustness"]
    assert {m: float(x) for m, x in ours.items()} == expected


@pytest.mark.parametrize("table", ["table-2", "table-8"])
def test_sakai_similarity(golden: dict[str, Any], table: str) -> None:
    theirs = golden["sakai_2021"][table.replace("-", "")]
    for name, rows in printed("sakai_2021")[table].items():
        assert [[float(x) for x in row] for row in rows] == theirs[f"{name}_upper"]


@pytest.mark.parametrize("table", ["table-3", "table-6", "table-9"])
def test_sakai_consistency(golden: dict[str, Any], table: str) -> None:
    short = {"alpha_ord": "alpha(level=ordinal)", "alpha_int": "alpha(level=interval)"}
    short |= {"kappa": "kappa(weights=linear)"}
    for part, cells in golden["sakai_2021"][table.replace("-", "")].items():
        ours = printed("sakai_2021")[table][part.replace("_", " ")]
        assert float(ours["ve2"]) == cells["ve2"]
        taus = {m: float(tau) for m, (tau, _) in ours["tau"].items()}
        assert taus == {short.get(m, m): tau for m, tau in cells["tau"].items()}
        beats = {short.get(m, m): n for m, n in cells.get("beats", {}).items()}
        assert beats.items() <= {m: n for m, (_, n) in ours["tau"].items()}.items()


def test_sakai_orders_and_effect_size(golden: dict[str, Any]) -> None:
    ours, theirs = printed("sakai_2021"), golden["sakai_2021"]
    assert ours["oc_order"] == theirs["table2"]["order"]
    assert ours["oq_order"] == theirs["table8"]["order"]
    exact = theirs["effect_size_example"]["alpha_ord_minus_cem"]
    assert float(ours["effect sizes"][0][-1]) == pytest.approx(exact, abs=0.005)


def test_all_tables_are_there(golden: dict[str, Any]) -> None:
    for paper in ("cardoso_2011", "silva_2018"):
        names = {name.replace("table", "table-") for name in golden[paper]["tables"]}
        assert set(printed(paper)["tables"]) == names
    assert set(printed("cardoso_2011")["table-6"]["rows"]) == (
        set(golden["cardoso_2011"]["table6"]) - {"columns"}
    )


def test_post(golden: dict[str, Any]) -> None:
    ours, theirs = printed("qwk_post"), golden["qwk_post"]
    assert ours["observed_tenths"] == theirs["O_times_10"]
    assert [[float(x) for x in row] for row in ours["expected"]] == theirs["E"]
    assert [[float(x) for x in row] for row in ours["weights"]] == theirs["W"]


def test_every_column_is_a_measure() -> None:
    names = [*printed("silva_2018")["columns"], *printed("cardoso_2011")["columns"]]
    names += [*printed("sakai_2021")["oc_order"], *printed("sakai_2021")["oq_order"]]
    names += printed("amigo_2020")["table-3"]["rows"]
    assert len({str(parse_measure(name)) for name in names}) == len(dict.fromkeys(names))
