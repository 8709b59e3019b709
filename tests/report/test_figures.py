"""Figures: as data, as SVG for pages and by matplotlib, with any names."""

import re
from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.stats
from matplotlib import pyplot
from matplotlib.text import Text
from rater_data import agreement, hostile_agreement, judgement
from report_data import HOSTILE, compared, hostile, labels_of, meta, quantified

import ordeval as oe
from ordeval.plot.draw import COLOURS, ink_on, plain, shade, short_names
from ordeval.report.cutpoint_view import scores_figure
from ordeval.report.figures import Dots, Lines, Mark, Series, padded, ticks
from ordeval.report.rater_figures import bland_altman_figure, rater_grid
from ordeval.report.result_figures import confusion_grid, intervals_figure, significance_grid
from ordeval.report.svg import svg

RESULT, RATERS, MODELS, JUDGED = compared(), agreement(), judgement(), meta(mean_splits=60)
SLICED = oe.evaluate([1, 2, 3] * 9, [1, 2, 2] * 9, labels=[1, 2, 3], by=["x", "y", "z"] * 9)
CUT = oe.cutpoints([1, 1, 3, 3], [0.1, 0.4, 0.3, 0.9], "mae", labels=[1, 2, 3], draws=0)
PLAN = oe.plan(None, "fleiss", labels=[1, 2, 3], score=0.7, raters=2, width=0.1)
FIRST, SECOND = [1, 1, 2, 2, 3, 3, 4, 4, 4, 5], [1, 2, 2, 2, 3, 5, 3, 4, 4, 4]
TWO = oe.agreement({"ann": FIRST, "ben": SECOND}, labels=range(1, 6))
AXIOMS = oe.meta.axioms("cem, mae", ["symmetry"], rng=0)
DRAW: dict[str, Callable[..., Any]] = {
    "agreement": lambda **o: oe.plot.agreement(RATERS, **o),
    "axioms": lambda **o: oe.plot.axioms(AXIOMS, **o),
    "bland_altman": lambda **o: oe.plot.bland_altman(TWO, **o),
    "ceiling": lambda **o: oe.plot.ceiling(MODELS, **o),
    "confusion": lambda **o: oe.plot.confusion(RESULT, **o),
    "consistency": lambda **o: oe.plot.consistency(JUDGED.consistency, **o),
    "cutpoints": lambda **o: oe.plot.cutpoints(CUT, **o),
    "discriminative_power": lambda **o: oe.plot.discriminative_power(JUDGED.discrimination, **o),
    "intervals": lambda **o: oe.plot.intervals(RESULT, **o),
    "plan": lambda **o: oe.plot.plan(PLAN, **o),
    "ranking_similarity": lambda **o: oe.plot.ranking_similarity(RESULT, **o),
    "rater_matrix": lambda **o: oe.plot.rater_matrix(MODELS, **o),
    "rater_shares": lambda **o: oe.plot.rater_shares(RATERS, **o),
    "reliability": lambda **o: oe.plot.reliability(forecasts(), **o),
    "severity": lambda **o: oe.plot.severity(MODELS, **o),
    "shares": lambda **o: oe.plot.shares(quantified(), **o),
    "significance": lambda **o: oe.plot.significance(RESULT, **o),
    "slices": lambda **o: oe.plot.slices(SLICED, **o),
    "topics": lambda **o: oe.plot.topics(RESULT, **o),
    "uoc_curve": lambda **o: oe.plot.uoc_curve(RESULT, **o),
}


def forecasts() -> oe.Result:
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], 40)
    return oe.evaluate(proba.argmax(axis=1), proba=proba, labels=[0, 1, 2], measures="rps")


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", oe.plot.__all__)
def test_every_figure_is_drawn_with_a_title_on_given_axes_or_new_ones(name: str) -> None:
    ax = DRAW[name]()
    assert ax.get_title(loc="left")
    ax.figure.canvas.draw()
    own = pyplot.figure().add_subplot()
    assert DRAW[name](ax=own) is own


@pytest.mark.parametrize("name", oe.plot.__all__)
def test_every_figure_has_the_width_of_a_column_and_nothing_leaves_it(name: str) -> None:
    ax = DRAW[name](width="column")
    assert ax.figure.get_figwidth() == 3.3
    box = ax.figure.get_tightbbox()
    assert box.x0 >= -0.05
    assert box.x1 <= 3.35
    sizes = [t.get_fontsize() for t in ax.findobj(Text) if t.get_text() and t.get_visible()]
    assert min(sizes) >= 4.5
    with pytest.raises(oe.InputError, match="width"):
        DRAW[name](ax=ax, width=3)


@pytest.mark.parametrize("width", [0, -1, "wide", 1000, nan, True])
def test_a_width_is_in_inches(width: Any) -> None:
    with pytest.raises(oe.InputError, match="width"):
        oe.plot.intervals(RESULT, width=width)


def test_limits_of_agreement_are_those_of_the_formulas() -> None:
    d = np.subtract(FIRST * 20, SECOND * 20).astype(float)
    n, mean, s = len(d), d.mean(), d.std(ddof=1)
    lower, upper = mean - 1.959964 * s, mean + 1.959964 * s
    two = oe.agreement({"ann": FIRST * 20, "ben": SECOND * 20}, labels=range(1, 6))
    figure = bland_altman_figure(two)
    assert figure is not None
    assert [level.value for level in figure.levels] == pytest.approx([mean, lower, upper])
    t = scipy.stats.t.ppf(0.975, n - 1)
    ends = [(mean - t * s / n**0.5, mean + t * s / n**0.5)]
    for sign, limit in ((-1, lower), (1, upper)):
        without = np.array([np.delete(d, i) for i in range(n)])
        moved = without.mean(axis=1) + sign * 1.959964 * without.std(axis=1, ddof=1)
        jackknife = (n - 1) * np.sqrt(np.var(moved, ddof=1) / n)
        normal = s * np.sqrt(1 / n + 1.959964**2 / (2 * (n - 1)))
        reach = t * max(jackknife, normal)
        ends.append((limit - reach, limit + reach))
    found = [(level.low, level.high) for level in figure.levels]
    assert found == [pytest.approx(pair, abs=0.005) for pair in ends]
    assert sum(items for _, _, items in figure.points) == n
    assert {y for _, y, _ in figure.points} == set(d)


def test_limits_of_agreement_of_numbers_weights_and_three_raters() -> None:
    a, b = np.random.default_rng(3).normal(size=(2, 5000))
    texts = [text.get_text() for text in oe.plot.bland_altman(a, b).texts]
    assert texts[0] == f"mean {(a - b).mean():.2f}".replace("-", "−")
    weighted = oe.agreement({"a": FIRST, "b": SECOND}, labels=range(1, 6), weight=[2.0] * 10)
    figure = bland_altman_figure(weighted)
    assert figure is not None
    assert np.isnan(figure.levels[1].low)  # the formulas are for items of equal weight
    assert "as items have weights." in figure.caption
    assert "numbers" not in figure.caption
    words = agreement(("ann", "ben"), 60, ["none", "mild", "severe"], cluster=[*range(20)] * 3)
    figure = bland_altman_figure(words)
    assert figure is not None
    assert "as items belong to clusters. Classes are" in figure.caption
    assert "from none = 1 to severe = 3." in figure.caption
    assert bland_altman_figure(RATERS) is None
    for given in ((RATERS,), ([1, 2], [1]), (["x"], ["y"]), ([1, nan], [1, 2]), ([1, 2],)):
        with pytest.raises(oe.InputError):
            oe.plot.bland_altman(*given)  # type: ignore[arg-type]


def test_rows_are_in_the_order_of_the_figures() -> None:
    ax = oe.plot.intervals(RESULT, "mae")
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [row.system for row in RESULT.standings("mae")]
    assert len(oe.plot.severity(MODELS, most=2).get_yticklabels()) == 2
    assert significance_grid(RESULT).rows[0][0] == f"1. {RESULT.best}"


def test_cuts_are_lines_and_classes_without_items_are_rows() -> None:
    ax = oe.plot.cutpoints(CUT)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "2", "3"]
    medians = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert medians == pytest.approx([0.25, 0.6])
    dotted = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == ":"]
    assert dotted == [cut for cut in CUT.cuts if np.isfinite(cut)]
    assert svg(scores_figure(CUT)).count('class="mid"') == len(dotted)


def test_numbers_of_a_figure_are_those_of_the_result() -> None:
    figure = intervals_figure(RESULT)
    for mark, row in zip(figure.marks, RESULT.standings(), strict=True):
        assert (mark.value, mark.low, mark.high) == (row.value, row.low, row.high)
        assert (mark.kind == "filled") == row.in_best_group
    counts = np.array([[3.0, 1.0], [0.0, 2.5]])
    grid = confusion_grid(counts, ["no", "yes"], "x")
    assert [[t.text for t in tiles] for _, tiles in grid.rows] == [["3", "1"], ["0", "2.5"]]
    assert [t.under for t in grid.rows[0][1]] == ["75 %", "25 %"]
    assert len(confusion_grid(np.eye(400), range(400), "x", 12).rows) <= 12
    pairs = rater_grid(RATERS)
    assert pairs.columns[-1] == "mean"
    assert all(tiles[i].kind == "self" for i, (_, tiles) in enumerate(pairs.rows))


def test_confusion_of_labels_tables_counts_and_results() -> None:
    gold, guesses, _ = labels_of("ab", 4, 20)
    options: dict[str, Any] = {"labels": range(1, 6)}
    counts = oe.Counts.from_labels(gold, guesses, **options)
    assert oe.plot.confusion(counts, "b").get_title(loc="left") == "b"
    assert oe.plot.confusion(RESULT).get_title(loc="left") == RESULT.best
    assert oe.plot.confusion(gold, guesses, system="b", **options).get_title(loc="left") == "b"
    assert oe.plot.confusion(gold, guesses["a"], **options).get_ylabel() == "gold"
    table = np.eye(150)
    assert "in groups of 2" in oe.plot.confusion(table).get_title(loc="left")


@pytest.mark.parametrize(
    ("draw", "parameter"),
    [
        (
            lambda: oe.plot.confusion(oe.Counts.from_labels([1, 2], {"a": [1, 2], "b": [2, 1]})),
            "system",
        ),
        (lambda: oe.plot.confusion(RESULT, "aplha"), "system"),
        (lambda: oe.plot.intervals([1, 2]), "result"),
        (lambda: oe.plot.agreement(MODELS), "result"),
        (lambda: oe.plot.ceiling(MODELS, "pearson"), "measure"),
        (lambda: oe.plot.rater_matrix(replace(RATERS, makers={"pairs": tuple})), "result"),
        (lambda: oe.plot.uoc_curve(RESULT, 3), "y_pred"),
        (lambda: oe.plot.topics(oe.evaluate([1, 2, 2], [1, 2, 1], labels=[1, 2])), "result"),
        (lambda: oe.plot.shares(RESULT), "result"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Callable[[], Any], parameter: str) -> None:
    with pytest.raises(oe.InputError) as error:
        draw()
    assert error.value.parameter == parameter


@pytest.mark.parametrize("name", DRAW)
def test_what_is_no_result_is_refused_by_every_figure(name: str) -> None:
    with pytest.raises(oe.InputError):
        getattr(oe.plot, name)("result.json")


def test_uoc_curves_have_the_area_of_each_system() -> None:
    names = [t.get_text() for t in oe.plot.uoc_curve(RESULT).get_legend().get_texts()]
    area = oe.measure("auoc").of(RESULT.tables[RESULT.scores.place(RESULT.best)])
    assert names[0] == f"{RESULT.best}: AUOC {float(area):.3f}"
    with pytest.raises(oe.InputError, match="one to 6"):
        oe.plot.uoc_curve(RESULT, ["alpha"] * 7)


PARTS = Mark("a", 0.5, 0, 1, "mean", (0.2, 0.8), 0.6, (0.1,))
CURVES = (Series("a", [0, 1], [0.2, nan]), Series("f", [0, 1], [0, 1], True))
POINTS = tuple(Series(str(i), [0, 1], [0.2, 0.4]) for i in range(6))
SVG: dict[str, Any] = {
    "nothing known": Dots("t", "x", (Mark("a"), Mark("b", nan, nan, nan))),
    "infinite": Dots("t", "x", (Mark("a", inf, -inf, inf), Mark("b", 1.0))),
    "one value": Dots("t", "x", (Mark("a", 0.5),)),
    "all parts": Dots("t", "x", (PARTS,), "c", (0.2, 0.4), 0.3),
    "curves": Lines("t", "x", "y", CURVES, level=(0.05, "p")),
    "points": Lines("t", "x", "y", POINTS, names=("lo", "hi"), bars=(0.5, 0.5)),
    "hostile curve": Lines("t", "x", "y", (Series(HOSTILE, [0, 1], [0, 1]),)),
    "hostile": intervals_figure(hostile()),
}  # fmt: skip


@pytest.mark.parametrize("name", SVG)
def test_svg_is_well_formed_named_and_in_the_colours_of_the_page(name: str) -> None:
    text = str(svg(SVG[name]))
    root = ElementTree.fromstring(text)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"].startswith(SVG[name].title.split("<", maxsplit=1)[0])
    tags = {"svg", "text", "line", "rect", "circle", "polyline", "polygon"}
    assert {e.tag for e in root.iter()} <= tags
    bare = re.sub(r">[^<]*<|aria-label=\"[^\"]*\"", "", text)
    assert not re.search(r"nan|inf\b|#", bare)  # colours are those of the page


def test_titles_name_a_measure_as_tables_do() -> None:
    title = intervals_figure(compared(), oe.measure("lwk")).title
    assert title == "Linear kappa with 95 % intervals"


def test_names_are_texts_in_figures() -> None:
    for figure in (intervals_figure(hostile()), SVG["hostile curve"]):
        assert "<img" not in str(svg(figure))
    draws = (oe.plot.intervals, oe.plot.significance, oe.plot.confusion)
    for ax in (*(draw(hostile()) for draw in draws), oe.plot.agreement(hostile_agreement())):
        ax.figure.canvas.draw()
        texts = [t for t in ax.figure.findobj(Text) if "$" in t.get_text()]
        assert not any(t.get_parse_math() or t.get_usetex() for t in texts)


def test_ends_and_ticks() -> None:
    assert padded([]) == padded([nan]) == (-0.04, 1.04)
    assert padded([2.0]) == (1.5, 2.5)
    assert ticks(-0.31, 0.42) == [-0.2, 0.0, 0.2, 0.4]
    assert all(len(ticks(low, low + 10.0**k)) >= 3 for low in (0.0, 7.3) for k in range(-6, 7))


def test_colours_can_be_told_apart_and_read() -> None:
    assert len(set(COLOURS)) == 6
    for colour in COLOURS:
        for strength in np.linspace(0, 1, 11):
            background = shade(colour, float(strength))
            ink = shade("#ffffff" if ink_on(background) == "white" else "#1f2328", 1.0)
            assert _contrast(background, ink) >= 4.0


def _contrast(a: Any, b: Any) -> float:
    lights = []
    for rgba in (a, b):
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba[:3]]
        lights.append(0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_short_names_stay_different() -> None:
    assert short_names(["a" * 40, "a" * 40 + "b", "x"], 20)[2] == "x"
    assert len(set(short_names(["a" * 40, "a" * 41, "a" * 42], 20))) == 3
    assert plain("a\nb") == "a\ufffdb" or "□" in plain("a\nb")
