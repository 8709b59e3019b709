"""Evaluate and compare the columns of a data frame, counted where the data are."""

from collections.abc import Sequence
from typing import Any

from ..data.frames import read_frame
from ..errors import names_rng
from ..measures.scoring import MeasuresLike
from ..measures.spec import Measure
from ..results import Result
from ..types import (
    RNG,
    Aggregate,
    BinsLike,
    Classes,
    ClassNumbers,
    Method,
    Missing,
    MissingLabels,
    Over,
    Progress,
    Undefined,
)
from .classification import compare_source, evaluate_source
from .settings import Settings


@names_rng
def evaluate_frame(
    frame: Any,
    *,
    gold: str = "gold",
    pred: str | Sequence[str] | None = None,
    topic: str | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    missing: Missing = "error",
    na: MissingLabels = None,
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: Method = "auto",
    over: Over | None = None,
    rng: RNG = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    judge: str | None = None,
    rate: str | None = None,
    id: str | None = None,
    text: str | None = None,
) -> Result:
    """Score columns of a data frame under every measure, with intervals.

    Only counts leave the frame, so that it may be larger than memory.

    Parameters
    ----------
    frame : data frame
        A pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask or PySpark frame, or any other that
        narwhals supports.
    gold : str
        The column of gold labels.
    pred : str or sequence of str, optional
        The columns of predictions, one per system. By default every column without another role
        and not called "id", "topic", "weight", "frequency" or "cluster".
    topic : str, optional
        The column of topics; scores are then averaged over topics.
    weight : str, optional
        The column of the importance of items, e.g. of design weights. Only the ratios of weights
        matter.
    frequency : str, optional
        The column of the number of items that a row stands for; whole numbers.
    cluster : str, optional
        The column of what items belong to (a patient, a document, …). Items of one cluster are
        resampled and exchanged together.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes; see `evaluate`.
    missing : {"error", "skip", "worst"}
        What to do about missing labels: raise an error, leave the item out for every system, or
        score a missing prediction as the class farthest from gold.
    na : value or sequence of values, optional
        Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
        without surrounding spaces.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; all by default.
    primary : str or Measure, optional
        The measure that ranks the systems. By default the first of `measures`, or linear kappa.
    aggregate : {"mean", "pool"}
        "mean" scores every topic and averages, "pool" scores all items in one table.
    undefined : float, "skip" or None
        A number that replaces undefined scores, or "skip" to average over the topics that have a
        score.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of random tables or replicates; 0 for no intervals.
    method : {"auto", "percentile"}
        The kind of interval; see `evaluate`.
    over : {"items", "topics", "clusters", "both"}, optional
        The units of intervals and tests; by default clusters where they are given, else topics
        where there are several, else items.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    threads : int, optional
        The number of threads, which never changes a result. By default one, and all cores for
        tests of very many tables.
    progress : callable, optional
        Called as ``progress(done, total)``.
    judge : str, optional
        The column of the labels of a judge, such as a language model, for all items, where gold
        has gaps; see `evaluate`.
    rate : str, optional
        With a judge, the column of the probability with which each item was chosen to be labelled,
        if it differs between items; only the ratios matter.
    id : str, optional
        The column of the names of the items on the page; by default the index of a pandas frame,
        else the numbers of the rows.
    text : str, optional
        The column of the texts of the items. The page then shows, for every number of items, some
        of them with their texts. DuckDB relations need an `id`, too; other frames must be in
        memory.

    Returns
    -------
    Result
        Scores and intervals. It prints as a table.

    Examples
    --------
    >>> import ordeval as oe
    >>> import polars as pl
    >>> frame = pl.DataFrame({"human": [1, 2, 3, 2], "judge": [1, 2, 2, 2]})
    >>> result = oe.evaluate_frame(frame, gold="human", pred="judge", labels=[1, 2, 3])
    >>> result["accuracy"]["judge"].value
    0.75
    """
    settings = Settings(ci, bootstrap, method, over, rng=rng, threads=threads, progress=progress)
    source = read_frame(
        frame,
        gold=gold,
        pred=pred,
        topic=topic,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        labels=labels,
        values=values,
        bins=bins,
        missing=missing,
        na=na,
        judge=judge,
        rate=rate,
        id=id,
        text=text,
    )
    return evaluate_source(
        source,
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        settings=settings,
    )


@names_rng
def compare_frame(
    frame: Any,
    *,
    gold: str = "gold",
    pred: str | Sequence[str] | None = None,
    topic: str | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    missing: Missing = "error",
    na: MissingLabels = None,
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    aggregate: Aggregate = "mean",
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: Method = "auto",
    over: Over | None = None,
    against: str | None = None,
    margin: float | None = None,
    trials: int | None = None,
    alpha: float = 0.05,
    differences: bool = False,
    rng: RNG = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    judge: str | None = None,
    rate: str | None = None,
    id: str | None = None,
    text: str | None = None,
) -> Result:
    """Compare columns of a data frame: ranking, intervals and tests of all pairs.

    Only counts leave the frame, so that it may be larger than memory.

    Parameters
    ----------
    frame : data frame
        A pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask or PySpark frame, or any other that
        narwhals supports.
    gold : str
        The column of gold labels.
    pred : str or sequence of str, optional
        The columns of predictions, one per system. By default every column without another role
        and not called "id", "topic", "weight", "frequency" or "cluster".
    topic : str, optional
        The column of topics; scores are then averaged over topics.
    weight : str, optional
        The column of the importance of items, e.g. of design weights. Only the ratios of weights
        matter.
    frequency : str, optional
        The column of the number of items that a row stands for; whole numbers.
    cluster : str, optional
        The column of what items belong to (a patient, a document, …). Items of one cluster are
        resampled and exchanged together.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes; see `evaluate`.
    missing : {"error", "skip", "worst"}
        What to do about missing labels: raise an error, leave the item out for every system, or
        score a missing prediction as the class farthest from gold.
    na : value or sequence of values, optional
        Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
        without surrounding spaces.
    measures : str, Measure or sequence of these, optional
        The measures, e.g. "cem, kappa(weights='quadratic')"; nine core measures by default, and
        every measure for "all".
    primary : str or Measure, optional
        The measure that ranks the systems. By default the first of `measures`, or linear kappa.
    aggregate : {"mean", "pool"}
        "mean" scores every topic and averages, "pool" scores all items in one table.
    undefined : float, "skip" or None
        A number that replaces undefined scores, or "skip" to average over the topics that have a
        score.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of random tables or replicates; 0 for no intervals.
    method : {"auto", "percentile"}
        The kind of interval; see `evaluate`.
    over : {"items", "topics", "clusters", "both"}, optional
        The units of intervals and tests; by default clusters where they are given, else topics
        where there are several, else items.
    against : str, optional
        A system with which all others are compared, instead of all pairs.
    margin : float, optional
        The largest difference that does not matter, in units of the measure; see `compare`.
    trials : int, optional
        The number of random trials of the tests.
    alpha : float
        The level below which a difference is called significant.
    differences : bool
        Whether to compute intervals of the differences of all pairs; see `Result.pairs`.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    threads : int, optional
        The number of threads, which never changes a result. By default one, and all cores for
        tests of very many tables.
    progress : callable, optional
        Called as ``progress(done, total)``.
    judge : str, optional
        The column of the labels of a judge, such as a language model, for all items, where gold
        has gaps; see `evaluate`.
    rate : str, optional
        With a judge, the column of the probability with which each item was chosen to be labelled,
        if it differs between items; only the ratios matter.
    id : str, optional
        The column of the names of the items on the page; by default the index of a pandas frame,
        else the numbers of the rows.
    text : str, optional
        The column of the texts of the items. The page then shows, for every number of items, some
        of them with their texts. DuckDB relations need an `id`, too; other frames must be in
        memory.

    Returns
    -------
    Result
        Scores with intervals and tests of all pairs. It prints as a leaderboard.

    Examples
    --------
    >>> import ordeval as oe
    >>> import polars as pl
    >>> frame = pl.DataFrame({"gold": [1, 2, 3, 2], "a": [1, 2, 2, 2], "b": [3, 2, 1, 2]})
    >>> oe.compare_frame(frame, labels=[1, 2, 3]).best
    'a'
    """
    settings = Settings(
        ci=ci,
        bootstrap=bootstrap,
        method=method,
        over=over,
        trials=trials,
        alpha=alpha,
        rng=rng,
        threads=threads,
        progress=progress,
        differences=differences,
        against=against,
        margin=margin,
    )
    source = read_frame(
        frame,
        gold=gold,
        pred=pred,
        topic=topic,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        labels=labels,
        values=values,
        bins=bins,
        missing=missing,
        na=na,
        judge=judge,
        rate=rate,
        id=id,
        text=text,
    )
    return compare_source(
        source,
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        settings=settings,
    )
