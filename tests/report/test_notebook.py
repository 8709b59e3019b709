"""A notebook shows results and figures, and `plt.savefig` writes them."""

import base64
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

import ordeval

pytestmark = pytest.mark.slow

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

CELLS = {
    "compare": """
import matplotlib.pyplot as plt
import ordeval as oe
gold = [1, 2, 3, 3, 2, 1] * 5
systems = {"a": [1, 2, 3, 3, 2, 2] * 5, "<i>b": [3, 2, 3, 1, 2, 2] * 5}
result = oe.compare(gold, systems, labels=[1, 2, 3], measures="qwk, mae", bootstrap=200)
result
""",
    "before": "plt.close(plt.figure())  # the notebook's own settings\nbefore = dict(plt.rcParams)",
    "plot": "oe.plot.intervals(result)",
    "loop": "for name in systems:\n    oe.plot.confusion(gold, systems[name], labels=[1, 2, 3])",
    "save": "ax = oe.plot.confusion(oe.Counts.from_table([[3, 1], [0, 2]]))\n"
    'plt.savefig("by_pyplot.png")\nax.figure.savefig("by_figure.png")',
    "page": 'page = result.to_html()\nlen(page), plt.get_fignums(), "pyplot" in str(page)',
    "settings": "{k for k in before if before[k] != plt.rcParams[k]}",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What the cells of a notebook show, and the folder where it ran."""
    folder = tmp_path_factory.mktemp("notebook")
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(code) for code in CELLS.values()]
    source = str(Path(ordeval.__file__).parents[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))
        patch.delenv("MPLBACKEND", raising=False)  # the kernel chooses its own
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        resources = {"metadata": {"path": str(folder)}}
        nbclient.NotebookClient(book, timeout=120, resources=resources).execute()
    found = {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}
    return {**found, "folder": [folder]}


def has_ink(picture: Any) -> bool:
    """Whether a picture shows more than a blank page."""
    shades = np.asarray(imread(picture))[..., :3]
    return bool((shades < 0.5).mean() > 0.001)


def pictures(shown: list[Any]) -> list[io.BytesIO]:
    data = [output["data"] for output in shown if "data" in output]
    return [io.BytesIO(base64.b64decode(d["image/png"])) for d in data if "image/png" in d]


def test_a_result_is_shown_as_a_table(outputs: dict[str, list[Any]]) -> None:
    [shown] = outputs["compare"]
    html = shown["data"]["text/html"]
    assert "<table" in html
    assert "&lt;i&gt;b" in html
    assert "<i>" not in html


def test_a_plot_at_the_end_of_a_cell_is_shown(outputs: dict[str, list[Any]]) -> None:
    [picture] = pictures(outputs["plot"])
    assert has_ink(picture)


def test_plots_in_a_loop_are_shown(outputs: dict[str, list[Any]]) -> None:
    found = pictures(outputs["loop"])
    assert len(found) == 2
    assert all(map(has_ink, found))


@pytest.mark.parametrize("name", ["by_pyplot.png", "by_figure.png"])
def test_a_saved_figure_is_not_a_blank_page(outputs: dict[str, list[Any]], name: str) -> None:
    assert has_ink(outputs["folder"][0] / name)


def test_a_page_leaves_no_figure_open(outputs: dict[str, list[Any]]) -> None:
    [shown] = outputs["page"]
    assert shown["data"]["text/plain"].endswith(", [], False)")


def test_settings_of_matplotlib_are_not_changed(outputs: dict[str, list[Any]]) -> None:
    [shown] = outputs["settings"]
    assert shown["data"]["text/plain"] == "set()"
