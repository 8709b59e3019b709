"""What a result says about its data, in sentences."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..data.counts import Counts, constant_predictions
from ..data.moments import SUMS
from ..errors import first_few, plural, quoted
from ..measures.scoring import Scores
from ..measures.spec import Measure
from ..notes import Note, note, warning
from ..results import Intervals
from ..types import Bools, Undefined

_MOST_NAMED = 5


def data_notices(
    counts: Counts,
    scores: Scores,
    *,
    named: bool,
    told: Sequence[Note],
    intervals: Intervals | None,
) -> Iterator[Note]:
    """Report what the reader should know about the data.

    Parameters
    ----------
    counts : Counts
        The tables, with an axis of systems.
    scores : Scores
        Their scores.
    named : bool
        Whether measures were named.
    told : sequence of Note
        What the source says already.
    intervals : Intervals or None
        The intervals of the scores, if there are any.

    Returns
    -------
    iterator of Note
        What to say.
    """
    if counts.scale.inferred:
        yield warning(
            "scale",
            f"The scale was inferred: {counts.scale.describe()}; declare the labels if other "
            f"classes exist.{_only_predicted(counts)}",
            request=True,
        )
    yield from counts.notices
    if any(m.record.uses_values for m in scores.measures):
        yield from counts.scale.notices
    raw = [str(m) for m in scores.measures if scores.is_raw(m)]
    if raw:
        yield note(
            "raw", f"Computed from the numbers as given (raw), not from classes: {', '.join(raw)}."
        )
    if scores.effective and not counts.items:
        yield note(
            "weights",
            "The number of items is not known; the weights are worth "
            f"{scores.effective:,.1f} items of equal weight.",
        )
    elif scores.effective:
        yield note(
            "weights",
            f"The weights make {plural(int(scores.items), 'item')} worth "
            f"{scores.effective:,.1f} of equal weight; numbers of items in tables are such "
            "effective numbers.",
        )
    if counts.weighted and counts.squares is None and not named:
        yield warning(
            "weights",
            "The tables hold weights, or counts that are not whole: measures that depend on "
            "the number of items are left out.",
        )
    if counts.skipped:
        yield warning(
            "missing", f"Left out, because a value is missing: {plural(counts.skipped, 'item')}."
        )
    yield from _perfect_notice(counts, told)
    gold = counts.table.sum(axis=-1).reshape(-1, counts.k).sum(axis=0)
    if not gold.all():
        empty = [label for label, n in zip(counts.scale.labels, gold, strict=True) if n == 0]
        which = "class" if len(empty) == 1 else "classes"
        yield warning("classes", f"No gold item is of the {which} {quoted(empty)}.")
    yield from _empty_in_topics(counts, scores)
    yield from _constant_notice(counts, scores, intervals)
    missing = sum(1 for n in scores.undefined.flat if n)
    if missing:
        undefined = plural(missing, "score is", "scores are")
        yield warning(
            "undefined", f"{undefined} undefined on some data and {_treatment(scores.replaced)}."
        )


def _only_predicted(counts: Counts) -> str:
    """Return which classes only predictions have, and of which systems; empty if none."""
    tables = counts.with_system_axis().pooled("topic").table
    gold, predicted = tables.sum(axis=(0, -1)), tables.sum(axis=-2)
    names = counts.systems or ("the predictions",)
    found = []
    for i in np.flatnonzero((gold == 0) & predicted.any(axis=0)):
        systems = [name for name, n in zip(names, predicted[:, i], strict=True) if n]
        found.append(f"{counts.scale.labels[i]!r} (of {quoted(systems, 3)})")
    shown = first_few(found, _MOST_NAMED)
    return f" Classes that only predictions have: {shown}." if found else ""


def _perfect_notice(counts: Counts, told: Sequence[Note]) -> Iterator[Note]:
    """Say which systems agree with gold throughout, because that is often a copy of gold."""
    tables = counts.pooled("topic").table
    wrong = tables.sum(axis=(-1, -2)) - tables.trace(axis1=-2, axis2=-1)
    binned = _differ_before_bins(counts, told)
    copies, others = (
        [
            name
            for name, n, b in zip(counts.systems, wrong, binned, strict=True)
            if n == 0 and b == c
        ]
        for c in (False, True)
    )
    if copies:
        one = len(copies) == 1
        yield warning(
            "copy",
            f"{quoted(copies)} {'equals' if one else 'equal'} gold on every item; if that is "
            f"unexpected, check that {'it is not a copy' if one else 'they are not copies'} of "
            "gold.",
            request=True,
        )
    if others:
        verb = "equals" if len(others) == 1 else "equal"
        yield warning(
            "copy",
            f"{quoted(others)} {verb} gold on every item, but only after {_binning(counts)}.",
        )


def _differ_before_bins(counts: Counts, told: Sequence[Note]) -> Bools:
    """Return for every system whether numbers became the classes that are compared."""
    systems = len(counts.systems)
    if counts.bins is None or any(each.kind == "not binned" for each in told):
        return np.zeros(systems, dtype=bool)
    sums = counts.pooled("topic").moments
    if sums is None:  # the numbers themselves are not known, or have no meaning beside the classes
        return np.ones(systems, dtype=bool)
    return np.asarray(sums[..., SUMS.index("distance")] > 0)


def _binning(counts: Counts) -> str:
    by_rule = counts.bins is not None and counts.bins.rule in ("round", "floor")
    return "rounding" if by_rule else "binning"


def _empty_in_topics(counts: Counts, scores: Scores) -> Iterator[Note]:
    """Say in how many topics means over classes are over fewer classes than in others."""
    averaging = [str(m) for m in scores.measures if m.record.over_classes]
    if scores.aggregate != "mean" or not averaging:
        return
    gold = counts.table[0].sum(axis=-1) > 0
    lacking = int((gold != gold.any(axis=0)).any(axis=-1).sum())
    if lacking:
        topics = len(counts.topics)
        yield warning(
            "classes",
            f"{lacking:,} of {plural(topics, 'topic')} {'lacks' if lacking == 1 else 'lack'} "
            f"gold items of some class: there, {first_few(averaging, 3)} "
            f"{'is' if len(averaging) == 1 else 'are'} over the classes that occur.",
        )


def _constant_notice(counts: Counts, scores: Scores, intervals: Intervals | None) -> Iterator[Note]:
    """Say what intervals mean where every constant system has the same score."""
    if intervals is None:
        return
    rows = [row for row, m in enumerate(scores.measures) if zero_if_constant(m)]
    constant = constant_predictions(counts.pooled("topic").table)
    low, high = intervals.low[rows], intervals.high[rows]
    zero = np.abs(scores.values[rows]) < 1e-9
    wide = constant & (low < high) & zero  # false where undefined
    alike = [str(scores.measures[row]) for i, row in enumerate(rows) if wide[i].any()]
    named = [name for name, found in zip(counts.systems, wide.T, strict=True) if found.any()]
    if not named:
        return
    its = "its interval" if len(named) == len(alike) == 1 else "the intervals"
    yield warning(
        "constant",
        f"{quoted(named, 3)} {'predicts' if len(named) == 1 else 'predict'} one class: "
        f"{first_few(alike, 3)} {'is' if len(alike) == 1 else 'are'} 0 by definition. Tables leave "
        f"out {its}: {_seen(scores, intervals)} do not rule out other classes in new data.",
    )


def _seen(scores: Scores, intervals: Intervals) -> str:
    """Return what intervals rest on, with its number."""
    if intervals.over == "items":
        return plural(int(scores.items), "item") if scores.items else "these data"
    topics = plural(len(scores.topics), "topic")
    return plural(intervals.replicates, "cluster") if intervals.over == "clusters" else topics


def zero_if_constant(measure: Measure) -> bool:
    """Whether a measure is 0, where it is defined, for all systems that predict one class."""
    return measure.satisfies("constant_systems") is False and measure.record.family == "agreement"


def _treatment(replaced: Undefined) -> str:
    if replaced is None:
        return "shown as –"
    return "left out of the means" if replaced == "skip" else f"replaced by {replaced}"
