"""Our copies of the printed figures are those of the papers."""

from typing import Any

import pytest
from replication.printed import Printed, read_paper, read_toml

from ordeval import measure
from replication import PAPERS

SHORT = {"kappa": "lwk"}


def exhibits(paper: str) -> dict[str, Printed]:
    return dict(read_paper(paper).exhibits)


def numbers(printed: Printed, row: str) -> list[float]:
    return [float(x) for x in printed.figures[row].values()]


@pytest.mark.parametrize("paper", ["cardoso-2011", "silva-2018"])
def test_tables_of_measures(golden: dict[str, Any], paper: str) -> None:
    ours, theirs = exhibits(paper), golden[paper.replace("-", "_")]
    for name, table in theirs["tables"].items():
        printed = ours[name.replace("table", "table-")]
        assert list(printed.columns) == theirs["columns"]
        assert set(printed.figures) == set(table)
        for row, cells in table.items():
            assert printed["counts"][row] == cells["n"]
            assert numbers(printed, row) == cells["printed"]
            consistent = printed.entry.get("consistent_counts", {}).get(row)
            assert consistent == cells.get("consistent_n")


def test_table_6(golden: dict[str, Any]) -> None:
    ours, theirs = exhibits("cardoso-2011")["table-6"], dict(golden["cardoso_2011"]["table6"])
    assert list(ours.columns) == theirs.pop("columns")
    assert {
        row: [[float(x.strip("()")) for x in cell.split()] for cell in cells.values()]
        for row, cells in ours.figures.items()
    } == theirs


def test_amigo_table_2(golden: dict[str, Any]) -> None:
    ours = exhibits("amigo-2020")["table-2"].figures
    theirs = {
        measure(name).key: ["holds" if x else "fails" for x in row]
        for name, row in golden["amigo_2020"]["table2"]["rows"].items()
    }
    assert {name: list(row.values()) for name, row in ours.items()} == theirs


def test_amigo_table_3(golden: dict[str, Any]) -> None:
    ours, theirs = exhibits("amigo-2020"), golden["amigo_2020"]["table3"]
    left, right = ours["table-3"], ours["table-3-campaigns"]
    assert [*left.columns, *right.columns] == theirs["columns"]
    assert {m: numbers(left, m) + numbers(right, m) for m in left.figures} == {
        measure(name).key: row for name, row in theirs["rows"].items()
    }


def test_amigo_figures_1_and_3(golden: dict[str, Any]) -> None:
    ours, theirs = exhibits("amigo-2020"), golden["amigo_2020"]
    first = ours["figure-1"]
    assert first["counts"]["left"]["reject"] == theirs["figure1"]["left"]["reject_count"]
    assert [sum(counts.values()) for counts in first["counts"].values()] == [402, 376]
    for side, figures in first.figures.items():
        found = {k.replace(", ", ",").replace(" ", "_"): float(x) for k, x in figures.items()}
        assert found == {k: v for k, v in theirs["figure1"][side].items() if k in found}
    third, other = ours["figure-3"], theirs["figure3"]
    assert [third["A"], third["B"]] == [other["A_rows_system"], other["B_rows_system"]]
    assert numbers(third, "closeness") == [x for row in other["prox_rows_system"] for x in row]
    for name in ("cem", "accuracy"):
        found = {s: float(third.figures[f"system {s}"][name]) for s in "AB"}
        assert found == other[name]


def test_amigo_robustness(golden: dict[str, Any]) -> None:
    theirs = golden["amigo_2020"]["robustness"]
    expected = dict.fromkeys(theirs["best_measures"], theirs["best"])
    expected |= dict.fromkeys(theirs["worst_measures"], theirs["worst"])
    expected["cem_flat"] = theirs["cem(log=False)"]
    expected = {measure(name).key: value for name, value in expected.items()}
    ours = exhibits("amigo-2020")["semeval-2016-c"].figures
    assert {m: float(x["robustness"]) for m, x in ours.items()} == expected


@pytest.mark.parametrize(("table", "order"), [("table-2", "table2"), ("table-8", "table8")])
def test_sakai_similarity(golden: dict[str, Any], table: str, order: str) -> None:
    theirs, ours = golden["sakai_2021"][order], exhibits("sakai-2021")[table]
    assert list(ours.columns) == [measure(name).key for name in theirs["order"]]
    for name in {row.partition(":")[0] for row in ours.figures}:
        rows = [numbers(ours, row) for row in ours.figures if row.startswith(f"{name}:")]
        assert rows == theirs[f"{name}_upper"]


@pytest.mark.parametrize("table", ["table-3", "table-6", "table-9"])
def test_sakai_consistency(golden: dict[str, Any], table: str) -> None:
    figures = exhibits("sakai-2021")[table].figures
    for name, cells in golden["sakai_2021"][table.replace("-", "")].items():
        part = name.replace("_", " ")
        assert float(figures[part]["V_E2"]) == cells["ve2"]
        rows = {r.partition(": ")[2]: x for r, x in figures.items() if r.startswith(f"{part}:")}
        taus = {SHORT.get(m, m): tau for m, tau in cells["tau"].items()}
        assert {m: float(x["mean τ"]) for m, x in rows.items()} == taus
        beats = {SHORT.get(m, m): n for m, n in cells.get("beats", {}).items()}
        assert beats.items() <= {m: int(x["beats"]) for m, x in rows.items()}.items()


def test_sakai_effect_size(golden: dict[str, Any]) -> None:
    theirs = golden["sakai_2021"]["effect_size_example"]["alpha_ord_minus_cem"]
    ours = exhibits("sakai-2021")["effect-sizes"].figures["table-3, Sem16T4C 50v50"]
    assert [float(x) for x in ours.values()] == [pytest.approx(theirs, abs=0.005)]


def test_post(golden: dict[str, Any]) -> None:
    ours, theirs = exhibits("qwk-post"), golden["qwk_post"]
    assert ours["expected"]["counts"] == theirs["O_times_10"]
    for key, matrix in (("expected", theirs["E"]), ("weights", theirs["W"])):
        assert [numbers(ours[key], row) for row in ours[key].figures] == matrix


def test_every_column_is_a_measure() -> None:
    names = [
        *exhibits("silva-2018")["table-1"].columns,
        *exhibits("cardoso-2011")["table-1"].columns,
    ]
    sakai = exhibits("sakai-2021")
    names += [*sakai["table-2"].columns, *sakai["table-8"].columns]
    names += exhibits("amigo-2020")["table-3"].figures
    assert len({str(measure(name)) for name in names}) == len(dict.fromkeys(names))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_exhibit_is_computed_and_every_known_error_is_of_a_row(paper: str) -> None:
    assert list(exhibits(paper)) == list(PAPERS[paper])
    for printed in exhibits(paper).values():
        rows = {*printed.figures, *printed.entry.get("shares", {})}
        assert {row for row, _ in printed.errors} <= rows


@pytest.mark.parametrize("paper", PAPERS)
def test_figures_are_kept_as_text(paper: str) -> None:
    """A number would lose the zeros that say to how many decimals a figure is printed."""
    for name, entry in read_toml(paper).items():
        if isinstance(entry, dict) and isinstance(entry.get("printed"), dict):
            rows = entry["printed"].values()
            figures = [x for row in rows for x in (row.values() if isinstance(row, dict) else row)]
            assert all(isinstance(x, str) for x in figures), name
