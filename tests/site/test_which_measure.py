"""The page "Which measure?": it has the whole path, and says what the matrices show."""

import re
from functools import cache
from math import isnan

import pytest

import ordeval as oe
from docsite.which_measure import CASES, counter_example, scores, which_measure_page
from ordeval.advice import path

pytestmark = pytest.mark.slow

NEAR, FAR, SHIFTED, REVERSED, MERGED, RARE, CONSTANT, OTHER = range(8)


@cache
def page() -> str:
    return which_measure_page()


def on(name: str) -> list[float]:
    """The scores of a measure on the eight matrices."""
    return scores(oe.measure(name))


def test_the_page_has_the_whole_path() -> None:
    for question in path().questions:
        assert question.text in page()
        assert all(answer.reason in page() for answer in question.answers)
    assert page().count('class="entry"') == len(path().leaves)


def test_the_page_has_every_measure_in_every_table() -> None:
    for m in oe.measures(None):
        assert page().count(f'<th scope="row"><a href="measures/{m.id}.html">') >= 2, m


def test_every_source_is_in_the_references() -> None:
    body, _, references = page().partition("## References")
    assert "References" not in body
    sources = {a.source for question in path().questions for a in question.answers}
    sources |= {leaf.source for leaf in path().leaves}
    for work in {part.strip() for source in sources for part in source.split(";")}:
        first, year = re.match(r"(.+?)(?:,| &| et al\.)? .*?(\d{4})", work).groups()
        assert re.search(rf"^- {first}\b.*\({year}\)", references, re.MULTILINE), work


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = page().split("```python\n")[1].split("```")[0]
    exec(compile(code, "page", "exec"), {})
    assert "Use cem" in capsys.readouterr().out


def test_counter_examples_come_from_the_usual_search_where_a_short_one_finds_none() -> None:
    assert counter_example(oe.measure("auoc"), "ordinal_monotonicity").counter_example is not None


@pytest.mark.parametrize("name", ["accuracy", "macro_recall", "cohen_kappa"])
def test_near_and_far_errors_differ_for_the_order_only(name: str) -> None:
    assert on(name)[NEAR] == pytest.approx(on(name)[FAR])
    assert on("mae")[NEAR] < on("mae")[FAR]


def test_shifts_and_reversals() -> None:
    assert on("kendall_b")[SHIFTED] > 0.9
    assert on("accuracy")[SHIFTED] == 0.25
    assert on("spearman")[REVERSED] == pytest.approx(-1)
    assert on("mutual_information")[REVERSED] == pytest.approx(2)
    assert on("rnod")[REVERSED] == 0


def test_rare_classes_and_constant_systems() -> None:
    assert on("accuracy")[RARE] == pytest.approx(0.95)
    assert on("macro_mae")[RARE] > on("macro_mae")[NEAR]
    assert on("kappa(weights='linear')")[CONSTANT] == 0
    assert isnan(on("kendall_b")[CONSTANT])
    assert on("min_sensitivity")[MERGED] == 0


def test_means_over_classes_do_not_depend_on_prevalence() -> None:
    assert on("macro_mae")[OTHER] == pytest.approx(on("macro_mae")[NEAR])
    assert on("mae")[OTHER] < on("mae")[NEAR]


def test_there_are_eight_matrices_that_no_two_measures_of_the_advice_rank_alike() -> None:
    assert len(CASES) == 8
    names = ("cem", "mae", "macro_mae", "kappa(weights='linear')", "alpha(level='ordinal')")
    orders = {tuple(sorted(range(8), key=lambda i: oe.measure(n).sign * on(n)[i])) for n in names}
    assert len(orders) == len(names)
