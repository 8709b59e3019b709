"""The code of pages is run, and what it shows is inserted."""

from pathlib import Path
from textwrap import indent

import pytest

from docsite import blocks
from docsite.blocks import BrokenBlockError, outputs, with_outputs


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep outputs apart from those of the real pages."""
    monkeypatch.setattr(blocks, "KEPT", tmp_path / "kept")
    return tmp_path / "kept"


def page(*parts: str) -> str:
    """Return a page of blocks, each written as its first line and its code."""
    return "\n".join(f"Text.\n\n```{part}\n```\n" for part in parts)


def shown(*parts: str) -> list[str]:
    return outputs(page(*parts), "page.md")


def test_blocks_share_names_and_a_folder() -> None:
    first = """python
from pathlib import Path
x = 2
print("printed")
Path("x.txt").write_text("written")"""
    second = "python\nx + len(Path('x.txt').read_text())"
    assert shown(first, second) == [
        "``` {.text .output}\nprinted\n```\n\n``` {.text .output}\n7\n```",
        "``` {.text .output}\n9\n```",
    ]


@pytest.mark.slow
def test_commands_see_the_files_of_python() -> None:
    write = """python
from pathlib import Path
written = Path("d.csv").write_text("gold,a\\n1,1\\n2,2\\n3,2\\n")"""
    run = """console
$ ordeval score d.csv --gold gold --pred a --labels 1,2,3 \\
    --measures accuracy --format csv
$ echo done"""
    nothing, found = shown(write, run)
    assert nothing == ""
    assert found.splitlines()[1].startswith("measure,")
    assert found.splitlines()[-2] == "done"


def test_figures_are_drawn_and_closed() -> None:
    draw = """python
import ordeval as oe
oe.plot.confusion([1, 2, 3], [1, 2, 2], labels=[1, 2, 3])"""
    alt = "```\n\n<!-- figure: Counts of\nthree classes. -->\n\n```python\n1"
    first, second = shown(draw + "\n" + alt)
    assert first.startswith('<figure class="drawn on-paper"><svg')
    assert 'aria-label="Counts of three classes."' in first
    assert "figure" not in second


def test_results_are_shown_as_html() -> None:
    (found,) = shown("python\nimport ordeval as oe\noe.evaluate([1, 2, 3], [1, 2, 2])")
    assert found.startswith('<div class="output scroll" tabindex="0"><p>y_pred scores 0.571')
    assert "\n" not in found


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("python\nx = 1\n1 / 0", r"page\.md:11: ZeroDivisionError: division by zero"),
        ("python\nx = 1\ny = (", r"page\.md:11: SyntaxError"),
        ("python\nimport warnings\nwarnings.warn('old')", r"page\.md:11: UserWarning: old"),
        ("python\nraise SystemExit", r"page\.md:10: SystemExit"),
        ("console\n$ ordeval score none.csv", r"page\.md:10: exit code 2\n"),
        ("console\nordeval score", r"page\.md:10: A command begins with"),
        ("{.python .fails}\n1", r"page\.md:10: The block is marked as failing"),
    ],
)
@pytest.mark.slow
def test_a_broken_block_is_an_error_with_page_and_line(block: str, message: str) -> None:
    with pytest.raises(BrokenBlockError, match=message):
        shown("python\nx = 0", block)


def test_expected_failures_show_their_message() -> None:
    (found,) = shown("{.python .fails}\nimport ordeval as oe\noe.score(['b', 'a'], ['a', 'b'])")
    assert "InputError: " in found


def test_blocks_in_tabs_keep_their_indentation() -> None:
    text = '=== "Python"\n\n' + indent("```python\nif True:\n    print('x')\n```\n", "    ")
    assert with_outputs(text, "page.md") == (
        f"{text.rstrip()}\n\n    ``` {{.text .output}}\n    x\n    ```\n\n"
    )


def test_kept_outputs_are_used_until_the_code_changes(kept: Path) -> None:
    text = page("python\nimport time\ntime.perf_counter_ns()")
    once = with_outputs(text, "page.md")
    assert with_outputs(text, "page.md") == once
    assert with_outputs("New text.\n" + text, "page.md") == "New text.\n" + once
    assert outputs(text, "page.md", fresh=True)[0] not in once
    assert len(list(kept.iterdir())) == 1
    with_outputs(text.replace("ns()", "ns() + 1"), "page.md")
    assert len(list(kept.iterdir())) == 2
