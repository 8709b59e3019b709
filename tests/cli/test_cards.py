"""Cards of measures: every symbol of a formula is defined, and formulas give the scores."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import ordeval as oe
from ordeval.cli.app import application
from ordeval.cli.measures import card, common_symbols, own_symbols
from ordeval.registry import NOTATION, Record, records

# Commands of LaTeX that are not symbols of a quantity.
LAYOUT = {
    *("frac", "sum", "min", "max", "log", "sqrt", "left", "right", "Big", "in", "le", "ne", "int"),
    *("prod", "mathrm", "quad", "ge"),
}
TOKEN = re.compile(
    r"\\mathrm\{(?P<name>\w+)\}|\\(?P<command>[A-Za-z]+)|(?P<observed>C\^\+)|(?P<letter>[A-Za-z]'?)"
)


def symbols_of(formula: str) -> set[str]:
    """The names, Greek letters and letters of a formula, without their indices' positions."""
    found = set()
    for token in TOKEN.finditer(formula.replace("\\beta'", "\\betaprime ")):
        command = token["command"]
        if command == "betaprime":
            found.add("\\beta'")
        elif command:
            found |= set() if command in LAYOUT else {f"\\{command}"}
        else:
            found.add(token["name"] or token["observed"] or token["letter"])
    return found - {"d"} if "\\int" in formula else found


def test_symbols_of_a_formula_are_found() -> None:
    assert symbols_of(r"\frac{1}{|C^+|}\sum_{g \in C^+} n_{gg}/K'") == {"C^+", "g", "n", "K'"}
    assert symbols_of(r"\mathrm{prox}(p)\,\theta_l + \beta' M") == {
        *("prox", "p", r"\theta", "l", r"\beta'", "M")
    }


@pytest.mark.parametrize("record", records().values(), ids=lambda r: r.id)
def test_every_symbol_of_a_formula_is_defined(record: Record) -> None:
    used = symbols_of(record.formula)
    assert used <= set(NOTATION[record.task]) | set(record.symbols)
    assert set(record.symbols) <= used, "defined, but not in the formula"


@pytest.mark.parametrize("m", oe.measures(None), ids=str)
def test_cards_show_the_symbols(m: oe.Measure) -> None:
    lines = dict(card(m))["Where"]
    assert lines == [*own_symbols(m), common_symbols(m.record.task, but=m.record.symbols)]
    assert not any("\\" in line for line in lines)


def best_path(cost: np.ndarray) -> float:
    """The least sum over the cells of a path, by listing all paths."""
    k = len(cost)

    def rest(g: int, p: int) -> float:
        if g == p == k - 1:
            return float(cost[g, p])
        steps = [(g + 1, p), (g, p + 1), (g + 1, p + 1)]
        return float(cost[g, p]) + min(rest(*s) for s in steps if max(s) < k)

    return rest(0, 0)


@pytest.mark.parametrize("values", [(1, 2, 3, 4), (0, 10, 30, 100)])
@pytest.mark.parametrize(("beta", "gamma"), [(0.25, 1), (0.75, 2)])
def test_the_formula_of_oc_gives_its_number(
    values: tuple[int, ...], beta: float, gamma: float
) -> None:
    n = np.array([[5.0, 1, 0, 2], [2, 7, 3, 0], [0, 4, 6, 1], [1, 0, 2, 8]])
    v = np.asarray(values, float)
    d = np.abs(v[:, None] - v)
    big_n, m = n.sum(), (n * d**gamma).sum() ** (1 / gamma)
    beta_prime = beta / (big_n * (v[-1] - v[0]) ** gamma)
    by_card = 1 + best_path(-n / (big_n + m) + beta_prime * n * d**gamma)
    measure = oe.measure("oc", beta=beta, gamma=gamma)
    assert measure.of(n, values=values) == pytest.approx(by_card)
    shown = CliRunner().invoke(application(), ["measures", str(measure)]).output
    for text in (
        "M: (Σ_{g,p} n_gp d_gp^γ)^{1/γ}",
        "β′: beta/(N (v_K − v_1)^γ)",
        "d_gp = |v_g − v_p|",
    ):
        assert text in " ".join(shown.split())


def test_rmse_cites_an_equation_of_which_it_is_the_root() -> None:
    assert oe.measure("rmse").record.citation.endswith("square root of Silva et al. 2018, eq. 2")


@pytest.mark.parametrize("name", ["sensitivity", "reliability"])
def test_measures_of_order_are_not_taken_for_recall(name: str) -> None:
    record = records()[name]
    assert record.title.endswith("(of order relations)")
    assert "It is not the" in record.description
    assert "TP / (TP + F" in record.description
