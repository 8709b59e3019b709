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
result = oe.compare(gold, systems, labels=[1, 2, 3], measures="qwk, mae", draws=200)
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


def test_results_and_figures_are_shown(outputs: dict[str, list[Any]]) -> None:
    [shown] = outputs["compare"]
    html = shown["data"]["text/html"]
    assert "<table" in html
    assert "&lt;i&gt;b" in html
    assert "<i>" not in html
    found = [*pictures(outputs["plot"]), *pictures(outputs["loop"])]
    assert len(found) == 3
    assert all(map(has_ink, found))
    assert all(has_ink(outputs["folder"][0] / f"by_{who}.png") for who in ("pyplot", "figure"))


def test_a_page_leaves_no_figure_open_and_no_setting_changed(outputs: dict[str, list[Any]]) -> None:
    [page], [settings] = outputs["page"], outputs["settings"]
    assert page["data"]["text/plain"].endswith(", [], False)")
    assert settings["data"]["text/plain"] == "set()"
