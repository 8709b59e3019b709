"""Our copies of the printed figures are those of the papers."""

from typing import Any

import pytest
from replication.printed import Printed, read_paper

from ordeval import measure
from replication import PAPERS

SHORT = {"kappa": "lwk"}


def exhibits(paper: str) -> dict[str, Printed]:
    return dict(read_paper(paper).exhibits)


def numbers(printed: Printed, row: str) -> list[float]:
    return [float(x) for x in printed.figures[row].values()]


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
