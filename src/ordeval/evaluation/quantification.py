"""Evaluate and compare systems that estimate distributions."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from .. import options as declared
from ..data.column import sorted_names
from ..data.counts import Counts
from ..data.data import Data
from ..data.shares import Shares
from ..errors import InputError, quoted
from ..measures.scoring import (
    MeasuresLike,
    Scores,
    check_task,
    check_undefined,
    mean_over_topics,
    parse_primary,
    read_measures,
    with_primary,
)
from ..measures.spec import Measure, parse_measure
from ..measures.spec import measures as measures_of
from ..notes import Notes, warning
from ..results import Result
from .read import read_shares
from .sample import Sample, Settings
from .significance import make_figures


@declared.takes(declared.QuantifyOptions)
def quantify(
    p_true: Any = None,
    p_pred: Any = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[declared.QuantifyOptions],
) -> Result:
    """Compare estimated distributions: ranking, intervals and tests over topics.

    Parameters
    ----------
    p_true : array_like of shape (n_topics, n_classes), frame, Shares, Data or Counts
        Gold distributions or counts. The columns of a data frame are named after the labels; a
        pandas series is one distribution, with the classes as its index. With `data`, the name of
        gold in the column of systems, by default "gold". Without `p_pred`, distributions from an
        earlier step, or labels, which are counted by topic.
    p_pred : array_like, frame, or mapping of str to these, optional
        Estimated distributions of one system, or a mapping from system to distributions. Rows of
        data frames are matched to gold by topic (a column, or the index of pandas). With `data`,
        the systems, or a mapping from new name to system; by default all.
    measures : str, Measure or sequence of these, optional
        The measures; by default all quantification measures.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a DuckDB relation, a Spark frame, or the path or
        pattern of files, with the distributions of gold and of all systems.
    {options}

    Returns
    -------
    Result
        Mean scores with intervals and tests of all pairs. It prints as a leaderboard.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.6, 0.3, 0.1]]
    >>> guess = [[0.3, 0.4, 0.3], [0.1, 0.3, 0.6], [0.5, 0.3, 0.2]]
    >>> even = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    >>> oe.quantify(gold, {"guess": guess, "even": even}).best
    'guess'
    """
    read = _shares(p_true, p_pred, data, declared.options_of(options, declared.ShareOptions))
    shares = read.only(sorted_names(read.systems))
    settings = declared.options_of(options, declared.QuantifySettings, declared.ProgressOption)
    scores, primary = _scored(shares, measures, settings.pop("primary"), settings.pop("undefined"))
    sample = Sample(scores, Settings(**settings))
    values = shares.scale.notices if any(m.record.uses_values for m in scores.measures) else ()
    figures: dict[str, Any] = {}
    of_statistics: Notes = (
        warning("tests", "No intervals and no tests: there is only one topic."),
    )
    if len(shares.topics) > 1:
        sample.check_pairs()
        figures, of_statistics = make_figures(sample, tested=len(scores.systems) > 1)
    result = Result(
        "quantification",
        scores,
        primary,
        shares=shares.rows.mean(axis=1),
        notes=(*shares.notices, *values, *_undefined(scores), *of_statistics),
        about={**shares.about, **sample.settings.about},
        **figures,
    )
    return result.reordered(read.systems)


def _shares(p_true: Any, p_pred: Any, data: Any, options: Mapping[str, Any]) -> Shares:
    """Return distributions that are read already, in memory, or in a table."""
    if data is not None:
        shares = read_shares(data, gold="gold" if p_true is None else p_true, **options)
        return shares if p_pred is None else shares.only(p_pred)
    if not isinstance(p_true, (Shares, Data, Counts)):
        return Shares.read(p_true, p_pred, **options)
    usual = declared.defaults(declared.ShareOptions)
    extra = ["p_pred"] * (p_pred is not None) + [k for k in usual if options[k] is not usual[k]]
    if extra:
        raise InputError(
            f"{type(p_true).__name__} is read already; {extra[0]} belongs where the data are read.",
            parameter=extra[0],
        )
    if isinstance(p_true, Shares):
        return p_true
    return Shares.of_counts(p_true.counts() if isinstance(p_true, Data) else p_true)


def _scored(
    shares: Shares, measures: MeasuresLike, primary: Any, undefined: Any
) -> tuple[Scores, Measure]:
    """Score every topic of every system, in the order of their names, and average over topics."""
    chosen, first = _choose(measures, primary)
    for m in chosen:
        m.on(shares.scale)
    check_undefined(undefined)
    gold, estimates, size = shares.rows[0], shares.rows[1:], shares.units.count
    by_topic = np.stack(
        [m.kernel(gold, estimates, shares.scale.numbers, size=size) for m in chosen]
    )
    scores = Scores(
        chosen,
        shares.systems,
        shares.topics,
        shares.scale,
        mean_over_topics(by_topic, undefined),
        by_topic,
        np.isnan(by_topic).sum(axis=-1),
        "mean",
        undefined,
        float(len(shares.topics)),
    )
    return scores, first


def _choose(measures: MeasuresLike, primary: Any) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures and the one that ranks: RNOD unless others are named."""
    everything = measures is None or (isinstance(measures, str) and measures == "all")
    chosen = tuple(measures_of("quantification")) if everything else read_measures(measures)
    first = parse_primary(primary or ("rnod" if everything else chosen[0]))
    check_task(chosen, "quantification")
    check_task([first], "quantification", "primary")
    return with_primary(chosen, first)


def _undefined(scores: Scores) -> Notes:
    """Say which measures are undefined where a class is empty, and what to do."""
    places = np.flatnonzero(scores.undefined.any(axis=1))
    affected = [scores.measures[i] for i in places.tolist()]
    if not affected or scores.replaced is not None:
        return ()
    every = (alias for m in affected for alias in m.record.aliases)
    smoothed = [f"{alias} ({parse_measure(alias).label})" for alias in every if "_smooth" in alias]
    skip = 'undefined="skip" (--undefined skip) to average over the other topics'
    text = (
        "Undefined on some topics, where a class is empty: "
        f"{quoted((m.label for m in affected), 10)}. Use {', or '.join([*smoothed, skip])}."
    )
    return (warning("undefined", text, request=True),)
