"""The page "Which measure?": it has the whole path, and says what the matrices show."""

import re
from functools import cache

import pytest

import ordeval as oe
from docsite.which_measure import CASES, scores, which_measure_page
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
        if m.record.task in ("probabilities", "ratings"):  # which have pages of their own
            continue
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


def test_there_are_eight_matrices_that_no_two_measures_of_the_advice_rank_alike() -> None:
    assert len(CASES) == 8
    names = ("cem", "mae", "macro_mae", "kappa(weights='linear')", "alpha(level='ordinal')")
    orders = {tuple(sorted(range(8), key=lambda i: oe.measure(n).sign * on(n)[i])) for n in names}
    assert len(orders) == len(names)
