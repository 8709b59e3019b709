"""Figures: axes given and returned, names as they are, and SVG fit for a page."""

import io
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot, rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rater_data import agreement, judgement
from report_data import HOSTILE, LONG, MATHS, UNDERSCORE, compared, hostile, meta, quantified

import ordeval as oe
from ordeval.formatting import shorten
from ordeval.meta import Effort, axioms
from ordeval.plot.style import COLOURS, for_browser, ink_on, plain, shade, short_names
from ordeval.report.html import png, svg

SMALL = Effort(items={2: 3}, golds={2: 4}, random_cases=5, random_classes=(3,))


@pytest.fixture(scope="module")
def result() -> oe.Result:
    return compared()


@pytest.fixture(scope="module")
def judged() -> Any:
    return meta()


@pytest.fixture(scope="module")
def every_plot(result: oe.Result, judged: Any) -> dict[str, Callable[..., Axes]]:
    shares = quantified()
    table = axioms("cem, mae", effort=SMALL, rng=0)
    raters, models = agreement(), judgement()
    return {
        "agreement": lambda **o: oe.plot.agreement(raters, **o),
        "ceiling": lambda **o: oe.plot.ceiling(models, **o),
        "rater_matrix": lambda **o: oe.plot.rater_matrix(models, **o),
        "rater_shares": lambda **o: oe.plot.rater_shares(raters, **o),
        "severity": lambda **o: oe.plot.severity(models, **o),
        "confusion": lambda **o: oe.plot.confusion(result, **o),
        "intervals": lambda **o: oe.plot.intervals(result, **o),
        "uoc_curve": lambda **o: oe.plot.uoc_curve(result, **o),
        "significance": lambda **o: oe.plot.significance(result, **o),
        "ranking_similarity": lambda **o: oe.plot.ranking_similarity(result, **o),
        "discriminative_power": lambda **o: oe.plot.discriminative_power(
            judged.discrimination, **o
        ),
        "consistency": lambda **o: oe.plot.consistency(judged.consistency, **o),
        "axioms": lambda **o: oe.plot.axioms(table, **o),
        "topics": lambda **o: oe.plot.topics(result, **o),
        "shares": lambda **o: oe.plot.shares(shares, **o),
    }


PLOTS = list(oe.plot.__all__)


@pytest.mark.parametrize("measures", ["cem", "cem, mae, qwk, accuracy"])
def test_a_few_measures_and_their_axioms_fit_a_phone(measures: str) -> None:
    table = axioms(measures, effort=SMALL, rng=0)
    ax = oe.plot.axioms(table)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == [axiom.title for axiom in table.axioms]  # more than there are measures
    marks = [text.get_text() for text in ax.texts]
    assert marks == ["✓" if holds else "✗" for holds in np.ravel(np.transpose(table.holds))]
    assert ax.figure.get_size_inches()[0] < 3.6


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_makes_a_figure_of_its_own(every_plot: Any, name: str) -> None:
    ax = every_plot[name]()
    assert isinstance(ax, Axes)
    width, height = ax.figure.get_size_inches()
    assert 2 < width < 11
    assert 1 < height < 12
    assert ax.get_title(loc="left")


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_draws_on_the_axes_given(every_plot: Any, name: str) -> None:
    ax = Figure().add_subplot()
    assert every_plot[name](ax=ax) is ax


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_every_plot_can_be_saved_without_warnings(every_plot: Any, name: str, form: str) -> None:
    out = io.BytesIO()
    every_plot[name]().figure.savefig(out, format=form)
    assert len(out.getvalue()) > 1000


def test_pages_leave_pyplot_alone() -> None:
    code = "import sys, ordeval as oe; oe.evaluate([[3, 1], [0, 2]]).to_html(); "
    code += "assert 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", PLOTS)
def test_a_new_figure_is_the_current_one_of_pyplot(every_plot: Any, name: str) -> None:
    ax = every_plot[name]()
    assert pyplot.gcf() is ax.figure
    assert pyplot.gca() is ax


def test_plots_and_pages_leave_settings_and_figures_as_they_are(result: oe.Result) -> None:
    before, figures = dict(rcParams), pyplot.get_fignums()
    result.to_html()
    assert pyplot.get_fignums() == figures
    oe.plot.intervals(result)
    assert dict(rcParams) == before
    assert pyplot.get_backend() == before["backend"]


def _texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.figure.findobj(lambda a: hasattr(a, "get_text"))]


def test_confusion_shows_counts_and_shares_of_the_gold_class() -> None:
    ax = oe.plot.confusion([[3, 1], [0, 2]], labels=["no", "yes"])
    texts = _texts(ax)
    assert {"3\n75 %", "1\n25 %", "0\n0 %", "2\n100 %"} <= set(texts)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["no", "yes"]
    assert ax.get_ylim() == (2, 0)  # the first gold class is on top


def test_confusion_of_a_hundred_classes_names_some_and_shows_small_shares() -> None:
    table = np.diag(np.full(101, 99.0)) + np.eye(101, k=1)
    ax = oe.plot.confusion(table, labels=range(101))
    assert [t.get_text() for t in ax.get_xticklabels()] == [str(i) for i in range(0, 101, 5)]
    assert list(ax.get_yticks())[:2] == [0.5, 5.5]
    assert not ax.texts
    blue_channel = ax.collections[0].get_array()[0, :, 2]
    assert blue_channel[1] < 0.95 < blue_channel[2]  # 1 % of the class is not white


def test_confusion_takes_counts_and_names_the_system(result: oe.Result) -> None:
    counts = oe.Counts.from_labels([1, 2, 2], {"a": [1, 2, 1], "b": [1, 1, 1]}, labels=[1, 2])
    assert oe.plot.confusion(counts, "b").get_title(loc="left") == "b"
    assert oe.plot.confusion(result).get_title(loc="left") == result.best
    with pytest.raises(oe.InputError, match="There are 2 systems; name the one to show"):
        oe.plot.confusion(counts)
    with pytest.raises(oe.InputError, match=r"There is no system 'aplha'.*alpha"):
        oe.plot.confusion(result, "aplha")
    with pytest.raises(oe.InputError, match="shape"):
        oe.plot.confusion([[1, 2, 3]])
    with pytest.raises(oe.InputError, match="y_pred is missing"):
        oe.plot.confusion("table")
    with pytest.raises(oe.InputError, match="negative or non-finite"):
        oe.plot.confusion([[1, -2], [0, 3]])
    with pytest.raises(oe.InputError, match="The table has 2 classes and the scale 3"):
        oe.plot.confusion([[1, 2], [0, 3]], labels=["a", "b", "c"])


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_confusion_takes_labels(kind: Any) -> None:
    gold, predicted = kind(["lo", "hi", "hi", "mid"]), kind(["lo", "mid", "hi", "mid"])
    ax = oe.plot.confusion(gold, predicted, labels=["lo", "mid", "hi"])
    assert [t.get_text() for t in ax.get_xticklabels()] == ["lo", "mid", "hi"]
    assert "1\n50 %" in _texts(ax)
    assert ax.get_title(loc="left") == "Confusion matrix"


def test_confusion_takes_labels_of_systems_weights_and_gaps() -> None:
    systems = {"a": [1, None, 2], "b": [1, 1, 2]}
    options: dict[str, Any] = {"labels": [1, 2], "missing": "skip", "frequency": [5, 1, 2]}
    ax = oe.plot.confusion([1, 2, 2], systems, system="b", **options)
    assert {"5\n100 %", "2\n100 %"} <= set(_texts(ax))
    assert ax.get_title(loc="left") == "b"
    with pytest.raises(oe.InputError, match="There are 2 systems; name the one to show"):
        oe.plot.confusion([1, 2, 2], systems, **options)


def test_the_uoc_curve_takes_labels_and_counts() -> None:
    gold, systems = [1, 2, 3, 3, 1], {"a": [1, 2, 3, 2, 1], "b": [2, 2, 2, 2, 2]}
    counts = oe.Counts.from_labels(gold, systems, labels=[1, 2, 3], values=[0, 1, 9])
    curves = [
        oe.plot.uoc_curve(gold, systems, labels=[1, 2, 3], values=[0, 1, 9]),
        oe.plot.uoc_curve(counts),
        oe.plot.uoc_curve(counts, ["a", "b"]),
        oe.plot.uoc_curve(oe.evaluate(counts, measures="auoc", bootstrap=0)),
    ]
    areas = [[t.get_text() for t in ax.get_legend().get_texts()] for ax in curves]
    assert areas == [areas[0]] * 4
    assert len(areas[0]) == 2
    with pytest.raises(oe.InputError, match="hold the predictions already"):
        oe.plot.uoc_curve(counts, systems)


def test_intervals_are_drawn_from_the_result(result: oe.Result) -> None:
    ax = oe.plot.intervals(result, "mae")
    row = result.scores.measures.index(oe.measure("mae"))
    assert result.intervals is not None
    best = result.scores.systems.index(result.scores.ranking("mae")[0])
    ends = ax.lines[0].get_xdata()
    assert list(ends) == [result.intervals.low[row, best], result.intervals.high[row, best]]
    assert [t.get_text() for t in ax.get_yticklabels()] == result.scores.ranking("mae")


def test_the_uoc_curve_has_the_area_auoc() -> None:
    table = np.array([[5, 2, 0], [1, 4, 2], [1, 0, 6]])
    ax = oe.plot.uoc_curve(table)
    beta, height = ax.lines[0].get_data()
    area = np.trapezoid(np.asarray(height), np.asarray(beta))
    assert area == pytest.approx(float(oe.measure("auoc").of(table)), abs=1e-4)


def test_plots_that_lack_their_data_say_so(result: oe.Result) -> None:
    for draw, given in ((oe.plot.shares, result), (oe.plot.confusion, quantified())):
        with pytest.raises(oe.InputError):
            draw(given)
    without = oe.evaluate([1, 2, 3], [1, 2, 2], labels=[1, 2, 3], bootstrap=0)
    for draw in (oe.plot.significance, oe.plot.topics):
        with pytest.raises(oe.InputError):
            draw(without)


def test_measures_and_systems_that_are_not_there_are_named(result: oe.Result, judged: Any) -> None:
    for draw in (oe.plot.intervals, oe.plot.significance, oe.plot.topics):
        with pytest.raises(oe.InputError, match="mse is not among the measures of this result"):
            draw(result, "mse")
        with pytest.raises(oe.InputError):
            draw("no result")
    with pytest.raises(oe.InputError, match="7 names were given; a figure shows one to 6"):
        oe.plot.uoc_curve(result, ["alpha"] * 7)
    with pytest.raises(oe.InputError, match="There is no system 'nobody'"):
        oe.plot.shares(quantified(), ["nobody"])
    with pytest.raises(oe.InputError, match="'mse' was not judged"):
        oe.plot.discriminative_power(judged.discrimination, ["mse"])
    with pytest.raises(oe.InputError, match="Result was given"):
        oe.plot.axioms(result)


def test_measures_of_a_curve_may_be_written_in_short(judged: Any) -> None:
    ax = oe.plot.discriminative_power(judged.discrimination, ["kappa"])
    assert "κ linear: " in " ".join(_texts(ax))


def test_pairs_without_a_test_have_a_dash() -> None:
    gold, same = [1, 2, 3] * 4, [2] * 12
    result = oe.compare(gold, {"a": same, "b": gold}, labels=[1, 2, 3], measures="pearson",
                        bootstrap=0, trials=50)  # fmt: skip
    assert _texts(oe.plot.significance(result)).count("–") == 2


def test_long_titles_are_folded() -> None:
    title = oe.plot.confusion([[3, 1], [0, 2]], "a name of a system that is rather long")
    assert "\n" in title.get_title(loc="left")


def test_names_are_drawn_as_they_are() -> None:
    result = hostile()
    for draw in (oe.plot.intervals, oe.plot.significance, oe.plot.topics, oe.plot.uoc_curve):
        ax = draw(result)
        ax.figure.savefig(io.BytesIO(), format="png")
        shown = " ".join(_texts(ax))
        assert r"$\frac{1}{2}$ & □□" in shown
        assert UNDERSCORE in shown
        assert HOSTILE[:12] in shown


def test_characters_that_the_font_lacks_are_boxes_unless_a_browser_draws() -> None:
    assert plain("α 系统") == "α □□"
    with for_browser(5.0):
        assert plain("α 系统") == "α 系统"


def test_long_names_are_cut_in_the_middle_and_stay_apart() -> None:
    assert shorten("abcdefghij", 7) == "abcd…ij"
    first, second = short_names(["x" * 50 + "yy" + "z" * 20, "x" * 50 + "ab" + "z" * 20], 20)
    assert first != second
    assert short_names(["same", "other"]) == ["same", "other"]


def test_colours_differ_in_lightness_and_texts_stand_out() -> None:
    assert len(set(COLOURS)) == len(COLOURS)
    assert ink_on(shade(COLOURS[0], 0.1)) != "white"
    assert ink_on((0.0, 0.1, 0.3, 1.0)) == "white"


def _elements(text: str) -> Iterator[ElementTree.Element]:
    yield from ElementTree.fromstring(text).iter()


def test_svg_is_small_deterministic_and_has_ids_of_its_own(result: oe.Result) -> None:
    first, second = (
        svg(lambda: oe.plot.intervals(result), alt="scores", name="one") for _ in range(2)
    )
    assert first == second
    other = svg(lambda: oe.plot.intervals(result), alt="scores", name="two")
    ids = re.findall(r'\bid="([^"]+)"', first + other)
    assert len(ids) == len(set(ids))
    assert all(name.startswith(("one-", "two-")) for name in ids)
    references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', first))
    assert references <= {name for name in ids if name.startswith("one-")}
    assert len(first) < 20_000


def test_svg_has_texts_a_description_and_no_style_or_metadata() -> None:
    text = svg(lambda: oe.plot.intervals(hostile()), alt=f"of {HOSTILE}", name="x")
    root = ElementTree.fromstring(text)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == f"of {HOSTILE}"
    tags = {element.tag.split("}")[1] for element in _elements(text)}
    assert "text" in tags
    assert not tags & {"style", "metadata", "script", "image"}
    texts = "".join(root.itertext())
    assert MATHS in texts
    assert LONG not in texts
    assert 'fill="currentColor"' in text


def test_a_picture_is_inside_the_page(result: oe.Result) -> None:
    picture = png(lambda: oe.plot.confusion(result), alt=HOSTILE)
    assert picture.startswith('<img class="card" src="data:image/png;base64,')
    assert HOSTILE not in picture


@pytest.mark.parametrize("name", PLOTS)
def test_nothing_is_cut_off_at_the_edges(every_plot: Any, name: str) -> None:
    ax = every_plot[name]()
    ax.figure.savefig(io.BytesIO(), format="svg")
    ax.figure.draw_without_rendering()
    inside, box = ax.figure.bbox, ax.get_tightbbox()
    assert box.x0 >= inside.x0
    assert box.y0 >= inside.y0
    assert box.x1 <= inside.x1 + 1
    assert box.y1 <= inside.y1 + 1
