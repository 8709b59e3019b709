"""Cards of measures: every measure has one, symbols are defined, and what they say is true."""

import re
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ordeval as oe
from ordeval.cli.app import application
from ordeval.measures.registry import Record, cards, notation, records
from ordeval.report.formats import written
from ordeval.report.measure_view import card, cards_view
from ordeval.report.plain_formula import plain_formula

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


@pytest.mark.parametrize("record", records().values(), ids=lambda r: r.id)
def test_every_symbol_of_a_formula_is_defined(record: Record) -> None:
    used = symbols_of(record.card.formula)
    assert used <= set(notation(record.task)) | set(record.card.symbols)
    assert set(record.card.symbols) <= used, "defined, but not in the formula"


@pytest.mark.parametrize("m", oe.measures(None), ids=str)
def test_cards_define_the_symbols_of_the_formula(m: oe.Measure) -> None:
    lines = dict(card(m))["Where"]
    for symbol in map(plain_formula, symbols_of(m.formula)):
        assert any(x.startswith(symbol) or f"; {symbol} is " in x for x in lines), symbol


@pytest.mark.parametrize("m", oe.measures(None), ids=str)
def test_a_card_is_a_screen_of_plain_text(m: oe.Measure) -> None:
    text = written("text", cards_view([m]), width=80)
    about, _, commands = text.partition("\nTry ")
    assert not set("\\{}") & set(about)
    assert '"p_{label}"' in commands or m.record.task != "probabilities"
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\frac{1}{N}\sum_g n_{gg}", "(1/N) Σ_g n_gg"),
        (r"\frac{2\,n_{cc}}{G_c + P_c}", "2 n_cc/(G_c + P_c)"),
        (r"\log_2 \frac{a}{b c}", "log₂ (a/(b c))"),
        (r"\frac{\sum_k w_k}{K(K - 1)}", "(Σ_k w_k)/(K(K − 1))"),
        (r"\Big(\prod_{g \in C^+} \frac{n_{gg}}{G_g}\Big)^{1/2}", "(Π_(g ∈ C⁺) n_gg/G_g)^(1/2)"),
        (r"\sum_{l=1}^{K-1} f\!\left(v_p - \theta_l\right)", "Σ_(l=1…K−1) f(v_p − θ_l)"),
        (r"\int_0^1 \mathrm{UOC}(\beta)\,\mathrm{d}\beta", "∫₀¹ UOC(β) dβ"),
        (r"\min_{\mathrm{path}}\Big\{\beta_1' K'^{1-1/\gamma}\Big\}", "min_path [β₁′ K′^(1−1/γ)]"),
        (r"\sqrt{\frac{a}{2}}, \quad a = \unknown", "√(a/2), with a = unknown"),
    ],
)  # fmt: skip
def test_formulas_are_read_in_one_line(latex: str, plain: str) -> None:
    assert plain_formula(latex) == plain


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
        "M: (Σ_(g,p) n_gp d_gp^γ)^(1/γ)",
        "β′: beta/(N (v_K − v₁)^γ)",
        "d_gp = |v_g − v_p|",
    ):
        assert text in " ".join(shown.split())


def test_every_measure_has_a_card_and_every_card_a_measure() -> None:
    own = [id for id, r in records().items() if r.function.__module__.startswith("ordeval.")]
    assert list(cards()) == own
    for text in cards().values():
        assert all(part.strip() for part in (text.title, text.formula, text.citation))
        assert all(part.endswith(".") for part in (text.description, text.use, text.avoid))


@pytest.mark.parametrize("record", records().values(), ids=lambda r: r.id)
def test_texts_name_other_measures_of_the_same_task(record: Record) -> None:
    for name in re.findall(r"`(\w+)`", f"{record.card.use} {record.card.avoid}"):
        assert oe.measure(name).record.task == record.task, name
        assert oe.measure(name).id != record.id, name


def constant(sizes: list[int], predicted: int) -> np.ndarray:
    table = np.zeros((len(sizes), len(sizes)))
    table[:, predicted] = sizes
    return table


@pytest.mark.parametrize(
    ("id", "words", "expected", "number"),
    [
        ("accuracy", "90 % of the items scores 0.9", 0.9, lambda m: m.of(constant([9, 1], 0))),
        ("kendall_a", "about 0.8 with five classes", 0.8, lambda m: m.of(np.eye(5) * 1000)),
        ("r_int", "0.73 with two classes", 0.73, lambda m: m.of(constant([1000] * 2, 0))),
        ("r_int", "0.55 with five", 0.55, lambda m: m.of(constant([1000] * 5, 0))),
        ("cosine", "0.38 with the values 1 to 5", 0.38, lambda m: m.bounds(5)[0]),
        ("cem", "from 0.50 to 0.59", 0.5, lambda m: m.of(constant([9] * 3, 0))),
        ("cem", "from 0.50 to 0.59", 0.59, lambda m: m.of(constant([9] * 3, 1))),
        ("rennie_srebro", "of equal size 0.67", 0.67, lambda m: m.of(np.eye(3))),
    ],
)
def test_numbers_in_texts_are_right(id: str, words: str, expected: float, number: Any) -> None:
    assert words in records()[id].card.avoid
    assert float(number(oe.measure(id))) == pytest.approx(expected, abs=0.006)
