"""Figures of results, counts and findings about measures, drawn with matplotlib.

Each function draws on `ax` if it is given, otherwise on a new figure of pyplot, and returns the
axes. A notebook shows that figure, in a script ``plt.show()`` does, and ``plt.savefig`` writes it;
settings of matplotlib are not changed. Names from data are drawn as they are, never as mathematics;
characters that the font lacks are shown as □ (set another font with
``matplotlib.rcParams["font.family"]``).

Examples
--------
>>> import ordeval as oe
>>> ax = oe.plot.confusion([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3])
>>> ax.figure.savefig("confusion.pdf")  # doctest: +SKIP
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from ..data.counts import Counts, JointCounts
from ..data.scale import Scale, class_groups
from ..data.source import read_source
from ..errors import InputError, require_known
from ..formatting import shorten
from ..measures.spec import Measure, display_name, find_name
from ..meta import AxiomTable, Consistency, DiscriminativePower, Similarity
from ..options import TableOptions, level, takes
from ..report import meta_view, rater_figures, result_figures
from ..report.cutpoint_view import scores_figure
from ..report.figures import MOST_SERIES
from ..report.plan_view import PlanView
from ..results import Agreement, Cutpoints, Judgement, Result, StudyPlan
from ..types import Array, Floats, LabelColumn
from .draw import Width, draw, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "agreement", "axioms", "bland_altman", "ceiling", "confusion", "consistency", "cutpoints",
    "discriminative_power", "intervals", "plan", "ranking_similarity", "rater_matrix",
    "rater_shares", "reliability", "severity", "shares", "significance", "slices", "topics",
    "uoc_curve",
]  # fmt: skip


def intervals(
    result: Result,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw the scores of the systems with their intervals, best system on top.

    Filled markers are the best system and those that are not significantly worse; the band is the
    interval of the best system.

    Parameters
    ----------
    result : Result
        A result of `evaluate`, `compare` or `quantify`.
    {measure}
    {best}
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3])
    >>> [label.get_text() for label in oe.plot.intervals(result).get_yticklabels()]
    ['a', 'b']
    """
    return draw(
        result_figures.intervals_figure(result, _measure_of(result, measure), most), ax, width
    )


def slices(
    result: Result,
    column: str | None = None,
    measure: str | Measure | None = None,
    *,
    system: str | None = None,
    most: int | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw the scores of slices with their intervals, as a forest plot.

    Filled markers are slices that differ significantly from the rest; the line is the score of all
    items.

    Parameters
    ----------
    result : Result
        A result of `evaluate` or `compare` with `by`.
    column : str, optional
        The column that divides the data; the first one by default.
    {measure}
    system : str, optional
        The system; the best one by default.
    most : int, optional
        The number of slices, half of them from either end; all by default.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> gold, pred, sex = [1, 2, 3, 3] * 5, [1, 2, 3, 2] * 5, ["f", "m"] * 10
    >>> result = oe.evaluate(gold, pred, labels=[1, 2, 3], measures="mae", by={"sex": sex})
    >>> [label.get_text() for label in oe.plot.slices(result, "sex").get_yticklabels()]
    ['f', 'm']
    """
    wanted = _measure_of(result, measure)
    if result.slices is None:
        raise InputError("This result has no slices.", parameter="result", hint="Pass {by}.")
    column = result.slices.columns[0] if column is None else column
    system = result.best if system is None else system
    require_known("column", column, result.slices.columns, "column")
    require_known("system", system, result.systems, "system")
    return draw(result_figures.slices_figure(result, wanted, column, system, most), ax, width)


@takes(TableOptions)
def confusion(
    data: Result | Counts | JointCounts | LabelColumn,
    /,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    *,
    system: str | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
    **options: Unpack[TableOptions],
) -> "Axes":
    """Draw the confusion matrix of one system.

    Counts are shaded by their share of the gold class: correct predictions in blue, errors in
    orange. With more than 20 classes there are no numbers, not every class is named, and square
    roots of the shares are shaded, so that small ones can be seen. With more than 101 classes, each
    square is a group of adjacent classes (the title says how many), and blue squares are
    predictions in the group of the gold class.

    Parameters
    ----------
    {data}
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system. A text is the name of a system.
    system : str, optional
        The system to draw; by default the best one of a result. For a single unnamed system, the
        title.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.
    width : float or {"column", "page"}, optional
        The width of a new figure in inches; "column" is 3.3 and "page" 6.9, as in journals.
    {options}

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold, predicted = ["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"]
    >>> ax = oe.plot.confusion(gold, predicted, labels=["no", "yes"])
    >>> ax.get_ylabel()
    'gold'
    """
    if isinstance(y_pred, str):
        y_pred, system = None, y_pred
    tables, scale = _tables(data, y_pred, **options)
    first = next(iter(tables))
    if system is None and len(tables) > 1 and not isinstance(data, Result):
        raise InputError(
            f"There are {len(tables)} systems; name the one to show.",
            parameter="system",
            hint="Pass {system}.",
            suggest={"system": first},
        )
    name = system or first
    title = "Confusion matrix" if name in ("", "y_pred") else name
    groups, starts = class_groups(scale.labels)
    title += "" if len(groups) == scale.k else f" (in groups of {starts[1]} classes)"
    table = _table(tables, name if first else "")
    grid = result_figures.confusion_grid(table, scale.labels, shorten(plain(title), 80))
    return draw(grid, ax, width)


def significance(
    result: Result,
    measure: str | Measure | None = None,
    *,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw which systems differ significantly: row against column, best system first.

    ▲ on blue means that the row is significantly better, ▼ on orange that it is significantly
    worse. Numbers are p-values; with more than 12 systems only the marks are drawn.

    Parameters
    ----------
    result : Result
        A result of `compare` or `quantify` with tests.
    {measure}
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3])
    >>> [label.get_text() for label in oe.plot.significance(result).get_yticklabels()]
    ['1. a', '2. b']
    """
    return draw(result_figures.significance_grid(result, _measure_of(result, measure)), ax, width)


def topics(
    result: Result,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw the spread of scores over topics, best system on top.

    Thin lines span the middle 90 % of the topics and thick ones the middle half; ticks are
    medians and dots are means.

    Parameters
    ----------
    result : Result
        A result with topics.
    {measure}
    {best}
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare(
    ...     [1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3], topic=list("xxyyzz"), measures="mae"
    ... )
    >>> oe.plot.topics(result).get_xlabel()
    'MAE (lower is better ↓)'
    """
    return draw(result_figures.topics_figure(result, _measure_of(result, measure), most), ax, width)


@takes(TableOptions)
def uoc_curve(
    data: Result | Counts | JointCounts | LabelColumn,
    /,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
    **options: Unpack[TableOptions],
) -> "Axes":
    """Draw UOC against β, with the area under the curve (AUOC), for one to six systems.

    Parameters
    ----------
    {data}
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system. With a result or counts, the same as
        `systems`.
    systems : str or sequence of str, optional
        The systems to draw; the best ones of a result, or the first ones, by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.
    width : float or {"column", "page"}, optional
        The width of a new figure in inches; "column" is 3.3 and "page" 6.9, as in journals.
    {options}

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> ax = oe.plot.uoc_curve([[5, 2, 0], [1, 4, 2], [1, 0, 6]])
    >>> ax.get_legend().get_texts()[0].get_text()
    'UOC: AUOC 0.411'
    """
    if isinstance(data, (Result, Counts, JointCounts)) and y_pred is not None:
        systems = [y_pred] if isinstance(y_pred, str) else y_pred  # type: ignore[assignment]
        if not isinstance(systems, (list, tuple)) or not all(isinstance(s, str) for s in systems):
            raise InputError(
                "Results and counts hold the predictions already; names of systems are expected.",
                parameter="y_pred",
            )
        y_pred = None
    tables, scale = _tables(data, y_pred, **options)
    names = list(tables)[:MOST_SERIES] if systems is None else systems
    names = result_figures.few([names] if isinstance(names, str) else names)
    curves = [(name or "UOC", _table(tables, name)) for name in names]
    return draw(result_figures.uoc_figure(curves, scale.numbers), ax, width)


def shares(
    result: Result,
    systems: Sequence[str] | None = None,
    *,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw mean estimated distributions (markers) against gold (bars), for one to six systems.

    Parameters
    ----------
    result : Result
        A result of `quantify`.
    systems : sequence of str, optional
        The systems to draw; the best ones by default.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]
    >>> result = oe.quantify(gold, {"a": gold[::-1]}, labels=["low", "mid", "high"])
    >>> [label.get_text() for label in oe.plot.shares(result).get_xticklabels()]
    ['low', 'mid', 'high']
    """
    _measure_of(result, None)
    return draw(result_figures.shares_figure(result, systems), ax, width)


def reliability(
    result: Result, system: str | None = None, *, ax: "Axes | None" = None, width: Width = None
) -> "Axes":
    """Draw the reliability curves of a system, one for each probability of "this class or lower".

    The band contains all curves of calibrated probabilities at once, at the level of the intervals.

    Parameters
    ----------
    result : Result
        A result of `evaluate` or `compare` with probabilities.
    system : str, optional
        The system to draw; the best one by default.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> proba = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]
    >>> result = oe.evaluate([1, 2, 3, 2], proba=proba, labels=[1, 2, 3], measures="rps")
    >>> ax = oe.plot.reliability(result)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['up to 1', 'up to 2']
    """
    _measure_of(result, None)
    name = result.best if system is None else system
    return draw(result_figures.reliability_figure(result, name), ax, width)


def agreement(result: Agreement, *, ax: "Axes | None" = None, width: Width = None) -> "Axes":
    """Draw the coefficients of agreement of all raters with their intervals.

    Parameters
    ----------
    result : Agreement
        The outcome of `ordeval.agreement`.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> result = oe.agreement(ratings, labels=[1, 2, 3], draws=0)
    >>> oe.plot.agreement(result).get_title(loc="left")
    'Agreement of 3 raters'
    """
    _check_kind(result, Agreement)
    return draw(rater_figures.agreement_figure(result), ax, width)


def bland_altman(
    first: Agreement | Array | Sequence[float],
    second: Array | Sequence[float] | None = None,
    *,
    ci: float = 0.95,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw the differences of two raters, or of two columns of numbers, against their means.

    Lines are the mean difference and the limits of agreement, between which 95 % of normal
    differences lie; bands are their intervals. Larger dots are more items.

    Parameters
    ----------
    first : Agreement or array_like of shape (n_items,)
        The outcome of `ordeval.agreement` for two raters. Or numbers.
    second : array_like of shape (n_items,), optional
        Numbers for the same items, which are subtracted from the first ones.
    ci : float
        The confidence level of intervals for numbers; an agreement has its own.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> ax = oe.plot.bland_altman([2.1, 3.4, 5.0, 4.4], [2.0, 3.9, 4.6, 4.5])
    >>> [text.get_text() for text in ax.texts]
    ['mean −0.02', 'lower −0.76', 'upper 0.71']
    """
    if second is None:
        _check_kind(first, Agreement)
        figure = rater_figures.bland_altman_figure(cast("Agreement", first))
        if figure is None:
            raise InputError(
                "Differences are those of two raters.",
                parameter="first",
                hint="Name two raters in `ordeval.agreement`, or give two columns of numbers.",
            )
        return draw(figure, ax, width)
    level("ci", ci)
    a, b = _numbers("first", first), _numbers("second", second)
    if len(a) != len(b):
        raise InputError(
            f"first has {len(a)} numbers and second {len(b)}; as many are expected.",
            parameter="second",
        )
    names = ("first", "second")
    figure = rater_figures.differences_figure(a, b, np.ones(len(a)), names, ci)
    return draw(figure, ax, width)


def rater_matrix(
    result: Agreement | Judgement,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw the score of each pair of raters, or of each rater and model.

    People come in the order of their mean agreement with the others, best first, then models. With
    more than 20 rows there are no numbers.

    Parameters
    ----------
    {raters}
    measure : str or Measure, optional
        The measure of pairs; the first one by default.
    most : int, optional
        The number of rows: half those who agree best and half those who agree worst; all by
        default.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> result = oe.agreement(ratings, labels=[1, 2, 3], draws=0)
    >>> [label.get_text() for label in oe.plot.rater_matrix(result).get_yticklabels()]
    ['ann', 'ben', 'cai']
    """
    _check_kind(result, Agreement, Judgement)
    known = {str(pair.measure): pair.measure for pair in result.pairs}
    picked = None if measure is None else known[_among(measure, list(known))]
    return draw(rater_figures.rater_grid(result, picked, most), ax, width)


def severity(
    result: Agreement | Judgement,
    *,
    most: int | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw who gives higher or lower classes than the others, the highest on top.

    Dots are raters against the others; squares are models against people.

    Parameters
    ----------
    {raters}
    most : int, optional
        The number of raters, half of them from either end; all by default.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 3]}
    >>> result = oe.agreement(ratings, labels=[1, 2, 3], draws=0)
    >>> [label.get_text() for label in oe.plot.severity(result).get_yticklabels()]
    ['cai', 'ann', 'ben']
    """
    _check_kind(result, Agreement, Judgement)
    return draw(rater_figures.severity_figure(result, most), ax, width)


def rater_shares(
    result: Agreement | Judgement,
    *,
    most: int | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw how often every rater gives each class, in per cent, low classes at the left.

    Raters are sorted by severity, the highest on top. For a judgement, the first row is all people
    together, and the others are the models. Long scales are divided into at most ten groups of
    classes.

    Parameters
    ----------
    {raters}
    most : int, optional
        The number of rows, half of them from either end; all by default.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> result = oe.agreement(ratings, labels=[1, 2, 3], draws=0)
    >>> [label.get_text() for label in oe.plot.rater_shares(result).get_xticklabels()]
    ['1', '2', '3']
    """
    _check_kind(result, Agreement, Judgement)
    drawn = draw(rater_figures.rater_shares_grid(result, most), ax, width)
    drawn.set_aspect("auto")
    return drawn


def ceiling(
    result: Judgement,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw models against the human ceiling: how well people agree with each other.

    Models are squares, the best on top. The line is the mean of the people and the band its
    interval; each small dot in the lowest row is a person.

    Parameters
    ----------
    result : Judgement
        The outcome of `ordeval.judge`.
    {measure}
    most : int, optional
        The number of models, from the best one; all by default.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> people = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> result = oe.judge(people, {"gpt": [1, 2, 3, 3, 1]}, labels=[1, 2, 3], draws=0)
    >>> [label.get_text() for label in oe.plot.ceiling(result, "mae").get_yticklabels()]
    ['gpt', 'mean of people', 'each person']
    """
    _check_kind(result, Judgement)
    picked = result.primary if measure is None else result[measure].measure
    return draw(rater_figures.ceiling_figure(result, picked, most), ax, width)


def ranking_similarity(
    data: Similarity | Result, *, ax: "Axes | None" = None, width: Width = None
) -> "Axes":
    """Draw Kendall's τ between the rankings of the systems under each pair of measures.

    Parameters
    ----------
    data : Similarity or Result
        The outcome of `ordeval.meta.similarity`, or a result of `compare` or `quantify`.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2], "c": [1, 1, 1, 3, 2, 1]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3], measures="cem, mae")
    >>> [label.get_text() for label in oe.plot.ranking_similarity(result).get_xticklabels()]
    ['CEM', 'MAE']
    """
    _check_kind(data, Similarity, Result)
    result = result_figures.similarity_of(data) if isinstance(data, Result) else data
    names = [display_name(name) for name in result.measures]
    return draw(result_figures.similarity_grid(result.tau, names, result.variant), ax, width)


def consistency(result: Consistency, *, ax: "Axes | None" = None, width: Width = None) -> "Axes":
    """Draw Kendall's τ between the rankings on two sets of topics, best measure on top.

    Ticks are means over the splits. Thick lines are their intervals over resampled topics or, if
    topics were not resampled, 95 % intervals over the splits. Thin lines span the middle 90 % of
    the splits.

    Parameters
    ----------
    result : Consistency
        The outcome of `ordeval.meta.consistency`.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> counts = oe.Counts.from_labels(
    ...     [1, 2, 3, 1, 2, 3] * 2,
    ...     {"a": [1, 2, 3, 1, 2, 2] * 2, "b": [1, 2, 2, 1, 1, 3] * 2, "c": [3, 2, 1, 2, 1, 3] * 2},
    ...     labels=[1, 2, 3],
    ...     topic=list("tttuuuvvvwww"),
    ... )
    >>> scores = oe.meta.ScoreMatrices.from_counts(counts, "mae, cem")
    >>> result = oe.meta.consistency(scores, size=2, splits=20, mean_splits=20, trials=20, rng=0)
    >>> oe.plot.consistency(result).get_title(loc="left")
    'Consistency of the ranking of systems'
    """
    _check_kind(result, Consistency)
    return draw(meta_view.consistency_figure(result), ax, width)


def discriminative_power(
    power: DiscriminativePower,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    ax: "Axes | None" = None,
    width: Width = None,
) -> "Axes":
    """Draw the p-values of all pairs of systems in ascending order, a curve per measure.

    The further to the right a curve stays below the level, the more pairs of systems differ
    significantly under the measure.

    Parameters
    ----------
    power : DiscriminativePower
        The outcome of `ordeval.meta.discriminative_power`.
    measures : str, Measure or sequence of these, optional
        The measures to draw in colour; the six strongest by default. The others are thin lines.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> counts = oe.Counts.from_labels(
    ...     [1, 2, 3, 1, 2, 3],
    ...     {"a": [1, 2, 3, 1, 2, 2], "b": [1, 2, 2, 1, 1, 3], "c": [3, 2, 1, 2, 1, 3]},
    ...     labels=[1, 2, 3],
    ...     topic=["t", "t", "t", "u", "u", "u"],
    ... )
    >>> scores = oe.meta.ScoreMatrices.from_counts(counts, "mae, cem")
    >>> power = oe.meta.discriminative_power(scores, trials=50, rng=0)
    >>> oe.plot.discriminative_power(power).get_ylabel()
    'p-value'
    """
    _check_kind(power, DiscriminativePower)
    names = [power.measures[i] for i in power.order]
    given = [measures] if isinstance(measures, (str, Measure)) else measures
    named = None if given is None else result_figures.few([_among(m, names) for m in given])
    return draw(meta_view.power_figure(power, named), ax, width)


def cutpoints(result: Cutpoints, *, ax: "Axes | None" = None, width: Width = None) -> "Axes":
    """Draw the scores of every gold class, and the cuts.

    Dots are medians of the scores of a gold class; thick lines span the middle half of them, thin
    ones the middle 90 %. Dotted lines are the cuts.

    Parameters
    ----------
    result : Cutpoints
        The outcome of `ordeval.cutpoints`.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> cut = oe.cutpoints([1, 1, 2, 2], [0.1, 0.2, 0.4, 0.8], "qwk", labels=[1, 2])
    >>> [label.get_text() for label in oe.plot.cutpoints(cut).get_yticklabels()]
    ['1', '2']
    """
    _check_kind(result, Cutpoints)
    return draw(scores_figure(result), ax, width)


def plan(result: StudyPlan, *, ax: "Axes | None" = None, width: Width = None) -> "Axes":
    """Draw width or power against the number of units; the dotted line marks the goal.

    Parameters
    ----------
    result : StudyPlan
        The outcome of `ordeval.plan`.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> assumed = {"labels": [1, 2, 3], "raters": 2, "score": 0.7}
    >>> oe.plot.plan(oe.plan(None, "fleiss", width=0.1, **assumed)).get_ylabel()
    'width'
    """
    _check_kind(result, StudyPlan)
    return draw(PlanView(result).curve(), ax, width)


def axioms(table: AxiomTable, *, ax: "Axes | None" = None, width: Width = None) -> "Axes":
    """Draw which measures satisfy which axioms.

    ✓ on blue means that the axiom held in every case tried, ✗ on orange that there is a
    counter-example. The longer list, of measures or of axioms, is in rows.

    Parameters
    ----------
    table : AxiomTable
        The outcome of `ordeval.meta.axioms`.
    {ax}

    Examples
    --------
    >>> import ordeval as oe
    >>> table = oe.meta.axioms("cem, mae", ["symmetry"], rng=0)
    >>> [label.get_text() for label in oe.plot.axioms(table).get_yticklabels()]
    ['CEM', 'MAE']
    """
    _check_kind(table, AxiomTable)
    drawn = draw(meta_view.axioms_grid(table), ax, width)
    drawn.set_aspect("auto")
    return drawn


# What the functions are given.


def _measure_of(result: Result, measure: str | Measure | None) -> Measure:
    """Return the measure of a result that was asked for; the primary one by default."""
    _check_kind(result, Result)
    return result.standings(measure)[0].measure


_CALLS: dict[type, str] = {
    Agreement: "agreement", AxiomTable: "meta.axioms", Consistency: "meta.consistency",
    Cutpoints: "cutpoints", DiscriminativePower: "meta.discriminative_power", Judgement: "judge",
    Result: "evaluate, compare or quantify", Similarity: "meta.similarity", StudyPlan: "plan",
}  # fmt: skip


def _check_kind(result: object, *kinds: type) -> None:
    """Raise an error for what is no result of the kinds that a figure shows."""
    if not isinstance(result, kinds):
        wanted = " or ".join(_CALLS[kind] for kind in kinds)
        raise InputError(
            f"{type(result).__name__} was given; a result of {wanted} is expected.",
            parameter="result",
        )


def _among(wanted: str | Measure, names: Sequence[str]) -> str:
    """Return the name of a measure in the data, however it is written."""
    name = find_name(wanted, names)
    if name is None:
        raise InputError(
            f"{str(wanted)!r} was not computed; there are {', '.join(names)}.", parameter="measure"
        )
    return name


def _numbers(name: str, given: Any) -> Floats:
    """Return a column of finite numbers."""
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise InputError(
            f"{name} is not a column of finite numbers.",
            parameter=name,
            hint="Leave out items without both numbers; classes with names go to "
            "`ordeval.agreement` first.",
        )
    return numbers


def _tables(data: Any, y_pred: Any, **options: Any) -> tuple[dict[str, Floats], Scale]:
    """Return tables `[gold, predicted]` over all topics by system, and the scale."""
    if isinstance(data, Result):
        if data.tables is None:
            raise InputError("This result has no tables of counts; quantification has none.")
        places = {system: data.scores.place(system) for system in data.systems}
        scale = data.scores.scale.with_values(options["values"])
        return {system: data.tables[place] for system, place in places.items()}, scale
    counts = read_source(data, y_pred, **options).counts().pooled("topic")
    tables = {system: counts.of(system).table for system in counts.systems}
    return tables or {"": counts.table}, counts.scale


def _table(tables: Mapping[str, Floats], name: str) -> Floats:
    require_known("system", name, tables, "system")
    return tables[name]


_DOCUMENTED = {
    "measure": """measure : str or Measure, optional
        The measure; the primary one by default.""",
    "best": """most : int, optional
        The number of systems, from the best one; all by default.""",
    "raters": """result : Agreement or Judgement
        The outcome of `ordeval.agreement` or `ordeval.judge`.""",
    "data": """data : array_like of shape (n_items,), Result, Counts, JointCounts or table
        Gold labels. Or, without `y_pred`, a result of `evaluate` or `compare`, counts, or a table
        of gold by predicted class.""",
    "ax": """ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.
    width : float or {"column", "page"}, optional
        The width of a new figure in inches; "column" is 3.3 and "page" 6.9, as in journals.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.""",
}


def _document(function: Any) -> None:
    """Fill in what the documentation of several figures says of their parameters."""
    doc = inspect.cleandoc(function.__doc__ or "")  # Python 3.13 removes the indentation itself
    for name, text in _DOCUMENTED.items():
        doc = doc.replace(f"{{{name}}}", text.replace("\n    ", "\n"))
    function.__doc__ = f"\n{doc}\n"


for _name in __all__:
    _document(globals()[_name])
