"""From counts to scores: measures of systems, over all items or averaged over topics."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from .._version import __version__
from ..data.bins import Bins
from ..data.column import sorted_names
from ..data.counts import Counts, constant_predictions
from ..data.scale import MOST_SHOWN, Scale
from ..errors import InputError, check_choice, plural, quoted, require_known
from ..notes import Notes, warning
from ..types import Aggregate, Bools, Floats, Ints, Undefined
from .batches import score_counts, score_tables
from .registry import Task
from .spec import Measure, check_replacement, counterpart, measures, parse_measure, parse_measures

_SAME = 1e-9  # but for rounding

MeasuresLike = str | Measure | Iterable[str | Measure] | None
"""Measures: one, a list in a text, a sequence, or None for the default ones."""

_AGGREGATES = get_args(Aggregate)
_MOST_OPERATIONS = 10**10  # of one measure; about half a minute


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of systems under measures."""

    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    scale: Scale
    values: Floats  # [measure, system], over all items or averaged over topics
    per_topic: Floats | None  # [measure, system, topic], NaN where undefined
    undefined: Ints  # [measure, system]: topics, or 0 or 1 tables, without a score
    aggregate: Aggregate
    replaced: Undefined = None  # what replaces undefined scores
    items: float = 0.0  # or the sum of their weights if the number is unknown
    effective: float = 0.0  # (Σw)²/Σw² if weights differ, else 0
    topic_items: Floats | None = None  # of each topic, with weights their effective number
    bins: Bins | None = None
    raw: bool = False  # whether measures of numbers were computed from the numbers themselves
    # The smallest and the largest number of items of a system if they differ, as they can in tables
    # of counts; `items` is then their mean.
    item_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Hold labels and numbers as an archive gives them back."""
        object.__setattr__(self, "scale", self.scale.plain())
        if self.replaced is not None and self.replaced != "skip":
            number = float(self.replaced)
            whole = int(number) if number.is_integer() else number
            object.__setattr__(self, "replaced", whole)

    @property
    def size(self) -> str:
        """The number of items as text: one number, or the range of those of the systems."""
        found = (self.items,) if self.item_range is None else self.item_range
        return " to ".join(f"{number:,.10g}" for number in found)

    def only(self, rows: Sequence[int]) -> "Scores":
        """Return the scores of some measures."""
        rows = list(rows)
        return replace(
            self,
            measures=tuple(self.measures[row] for row in rows),
            values=self.values[rows],
            per_topic=None if self.per_topic is None else self.per_topic[rows],
            undefined=self.undefined[rows],
        )

    def reordered(self, systems: Sequence[str]) -> "Scores":
        """Return the scores with the systems in another order."""
        places = [self.place(system) for system in systems]
        return replace(
            self,
            systems=tuple(systems),
            values=self.values[:, places],
            per_topic=None if self.per_topic is None else self.per_topic[:, places],
            undefined=self.undefined[:, places],
        )

    def fixed(self, tables: Floats) -> Bools:
        """Return `[measure, system]` whether gold does not matter: a system predicts one class.

        `tables` are those of the systems over all items. Two other gold margins tell it.
        """
        found = np.zeros(self.values.shape, bool)
        constant, k = np.flatnonzero(constant_predictions(tables)), tables.shape[-1]
        usual = [not self.is_raw(m) and m.record.task == "classification" for m in self.measures]
        rows = np.flatnonzero(usual)
        if not constant.size or not rows.size or k > MOST_SHOWN:
            return found
        golds = np.array([[1.0] * k, [1 / (1 + i) for i in range(k)]])
        others = np.einsum("mg,sp->msgp", golds, tables[constant].any(axis=-2))
        scores = score_tables([self.measures[row] for row in rows], others, self.scale)
        same = np.abs(scores - self.values[np.ix_(rows, constant)][:, None]) < _SAME
        found[np.ix_(rows, constant)] = same.all(axis=1)
        return found

    def is_raw(self, measure: Measure) -> bool:
        """Return whether a measure was computed from numbers rather than from classes."""
        return self.raw and measure.raw is not None

    def mark(self, measure: Measure) -> str:
        """Return what follows the name of a measure where real numbers are in classes."""
        if self.is_raw(measure):
            return " (raw)"
        if not self.raw or self.bins is None or measure.record.family != "correlation":
            return ""
        return " (rounded)" if self.bins.rule == "round" else " (binned)"

    def label(self, measure: Measure) -> str:
        """Return the display name of a measure, with its mark."""
        return f"{measure.label}{self.mark(measure)}"

    def bounds(self, measure: Measure) -> tuple[float, float]:
        """Return a number that no score is below and one that none is above."""
        if self.bins is not None and self.is_raw(measure):
            return measure.record.bounds(self.bins.limits, measure.params)
        return measure.bounds(self.scale)

    def row(self, measure: str | Measure) -> int:
        """Return the position of a measure."""
        chosen = counterpart(parse_measure(measure), "classification")
        if chosen not in self.measures:
            raise InputError(
                f"{chosen} is not among the measures of this result: "
                f"{quoted(map(str, self.measures), 10)}.",
                parameter="measure",
            )
        return self.measures.index(chosen)

    def place(self, system: str) -> int:
        """Return the position of a system."""
        require_known("system", system, self.systems, "system")
        return self.systems.index(system)

    def of(self, measure: str | Measure, system: str | None = None) -> float:
        """Return one score; without a system, that of the first one."""
        return float(self.values[self.row(measure), 0 if system is None else self.place(system)])

    def ranking(self, measure: str | Measure) -> list[str]:
        """Return the systems from best to worst; undefined ones last, ties by name."""
        row = self.row(measure)
        oriented = (self.values[row] * self.measures[row].sign).tolist()
        given = zip(self.systems, oriented, strict=True)
        key = {system: (v != v, 0.0 if v != v else -v) for system, v in given}
        return sorted(sorted_names(self.systems), key=key.__getitem__)

    def signature(self, measure: str | Measure | None = None, *more: str) -> str:
        """Return one line that lets another person repeat the numbers."""
        rows = slice(None) if measure is None else slice(row := self.row(measure), row + 1)
        parts = [] if measure is None else [str(self.measures[row])]
        parts += ["raw"] if parts and self.is_raw(self.measures[row]) else []
        parts.append(f"K:{self.scale.k}{'(inferred)' if self.scale.inferred else ''}")
        if shown := self.scale.shown_values:
            parts.append("values:" + ",".join(f"{v:g}" for v in shown))
        if self.bins is not None:
            parts.append(f"bins:{self.bins.rule}")
        if self.topics:
            parts += [f"agg:{self.aggregate}", f"topics:{len(self.topics)}"]
        if self.effective:
            parts.append(f"weighted:{self.effective:.6g}")
        parts.append(f"nan:{int(self.undefined[rows].sum())}")
        if self.replaced is not None:
            parts.append(f"undefined:{self.replaced}")
        return "|".join([*parts, *more, f"ordeval:{__version__}"])


def read_measures(given: MeasuresLike, task: Task = "classification") -> tuple[Measure, ...]:
    """Return the measures that are given, as they are called in a task; every batched one for None.

    Whether they are measures of the task is not checked.
    """
    if given is None:
        return tuple(measures(task, batched=True))
    if isinstance(given, Measure):
        return (counterpart(given, task),)
    found = parse_measures(given) if isinstance(given, str) else [parse_measure(m) for m in given]
    if not found:
        raise InputError(
            "No measure is named; leave the measures out to get all of them.", parameter="measures"
        )
    return tuple(dict.fromkeys(counterpart(m, task) for m in found))


_SCORED = {
    "classification": ("labels", "`evaluate` and `compare` score labels."),
    "probabilities": ("probabilities", "Pass probabilities to `evaluate` or `compare` as {proba}."),
    "quantification": ("distributions", "`quantify` compares distributions."),
    "raters": ("several raters", "`agreement` takes a column per rater."),
    "ratings": ("ratings", "Leave out predictions: ratings alone have a mean and shares."),
}


def check_task(
    chosen: Iterable[Measure], task: Task, parameter: str = "measures", also: Task | None = None
) -> None:
    """Raise an error for measures of another task."""
    for m in chosen:
        if m.record.task not in (task, also):
            scored, hint = _SCORED[m.record.task]
            raise InputError(
                f"{m} is a measure of {scored}; a measure of {_SCORED[task][0]} is expected.",
                parameter=parameter,
                hint=hint,
            )


def parse_primary(given: str | Measure) -> Measure:
    """Return the measure that ranks; errors are about the parameter `primary`."""
    try:
        return parse_measure(given)
    except InputError as problem:
        problem.parameter = "primary"
        raise


def with_primary(
    chosen: tuple[Measure, ...], primary: Measure
) -> tuple[tuple[Measure, ...], Measure]:
    """Return measures with the primary one among them, and the primary one."""
    return chosen if primary in chosen else (primary, *chosen), primary


def cells_visited(measure: Measure, k: int, cells: int | None = None) -> float:
    """Return about how many cells a measure visits to score one table, of `cells` listed cells."""
    if cells is not None and measure.record.of_cells(measure.params):
        return float(cells)
    return float(k) ** measure.record.growth


def too_costly(
    chosen: Iterable[Measure], k: int, tables: int, *, named: bool = False, cells: int | None = None
) -> tuple[Measure, ...]:
    """Return the measures that would take minutes to score so many tables.

    Of measures that are asked for by name, only those that score tables one by one are too costly.
    The answer depends on the arguments alone, so that the same call gives the same result on
    every machine.
    """

    def costly(measure: Measure) -> bool:
        operations = tables * cells_visited(measure, k, cells)
        return not measure.record.batched or (operations > _MOST_OPERATIONS and not named)

    return tuple(m for m in chosen if costly(m))


def left_out_notices(what: str, left_out: Iterable[Measure], k: int, systems: int) -> Notes:
    """Return notes that measures are `too_costly` for intervals or something else."""
    measures = tuple(left_out)
    size = f"with {plural(systems, 'system')} and {k} classes"
    reasons = {
        False: "too long on thousands of tables, but available for means over topics",
        True: f"minutes {size}; name the measures to get them",
    }
    named = {kind: [str(m) for m in measures if m.record.batched == kind] for kind in reasons}
    return tuple(
        warning("costly", f"No {what} for {quoted(named[kind])}, which would take {reason}.")
        for kind, reason in reasons.items()
        if named[kind]
    )


def unscored(
    counts: Counts,
    measures: MeasuresLike = None,
    *,
    aggregate: Aggregate = "mean",
    undefined: Undefined = None,
) -> Scores:
    """Return the scores of counts with a system axis, checked but with NaN for all of them.

    The size of the work can be told from them before any of it is done.
    """
    chosen = read_measures(measures)
    for m in chosen:
        m.on(counts.scale)
        m.check_weights(counts)
    check_choice("aggregate", aggregate, _AGGREGATES)
    check_undefined(undefined)
    effective, shape = _effective_items(counts), (len(chosen), len(counts.systems))
    return Scores(
        chosen,
        counts.systems,
        counts.topics,
        counts.scale,
        np.full(shape, np.nan),
        np.full((*shape, len(counts.topics)), np.nan) if counts.topics else None,
        np.zeros(shape, dtype=np.int64),
        aggregate if counts.topics else "pool",
        undefined,
        items=counts.items or effective or float(counts.table.sum() / len(counts.systems)),
        effective=effective,
        topic_items=counts.effective[0].sum(axis=(-2, -1)) if counts.topics else None,
        bins=counts.bins,
        raw=counts.moments is not None,
        item_range=_item_range(counts),
    )


def scored(blank: Scores, counts: Counts) -> Scores:
    """Return scores of counts with a system axis, from what `unscored` returned for them."""
    chosen, undefined = blank.measures, blank.replaced
    by_topic = score_counts(chosen, counts) if counts.topics else None
    if by_topic is None or blank.aggregate == "pool":
        raw = score_counts(chosen, counts.pooled("topic"))
        values, missing = replace_undefined(raw, undefined), np.isnan(raw).astype(np.int64)
    else:
        missing = np.isnan(by_topic).sum(axis=-1)
        values = mean_over_topics(by_topic, undefined)
    return replace(blank, values=values, per_topic=by_topic, undefined=missing)


def _item_range(counts: Counts) -> tuple[float, float] | None:
    """Return the smallest and largest number of items of a system; None if all are the same."""
    totals = counts.pooled("topic").table.sum(axis=(-2, -1))
    low, high = float(totals.min()), float(totals.max())
    same = counts.items or counts.weighted or np.isclose(low, high, rtol=1e-9)
    return None if same else (low, high)


def _effective_items(counts: Counts) -> float:
    """Return the effective number of items if their weights differ, else 0."""
    if counts.squares is None:
        return 0.0
    effective = float(counts.pooled("topic").effective[0].sum())
    equal = counts.items and effective >= (1 - 1e-9) * counts.items
    return 0.0 if equal else effective


def mean_over_topics(by_topic: Floats, undefined: Undefined = None) -> Floats:
    """Average scores `[..., topic]`; NaN if a topic is undefined, unless `undefined` says more."""
    if undefined == "skip":
        defined = ~np.isnan(by_topic)
        count = defined.sum(axis=-1)
        total = np.where(defined, by_topic, 0.0).sum(axis=-1)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return np.asarray(replace_undefined(by_topic, undefined).mean(axis=-1))


def replace_undefined(scores: Floats, undefined: Undefined) -> Floats:
    """Return scores with the number that replaces undefined ones, if there is one."""
    if undefined is None or isinstance(undefined, str):
        return scores
    return np.where(np.isnan(scores), float(undefined), scores)


def check_undefined(undefined: Undefined) -> None:
    """Raise an error unless `undefined` is a number, "skip" or None."""
    if undefined != "skip":
        check_replacement(undefined, "a number or 'skip'")
