"""From counts to scores: all measures, all systems, pooled or averaged over topics."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .counts import Axis, Counts
from .display import Printed
from .errors import InputError, UndefinedWarning
from .scale import Scale
from .spec import (
    Measure,
    check_replacement,
    measures,
    parse_measure,
    parse_measures,
    refuse_for_distributions,
    refuse_several,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Undefined = float | str | None
_CHUNK_NUMBERS = 1 << 22  # tables of a chunk hold at most about this many numbers (32 MB)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of systems under measures.

    Attributes
    ----------
    measures, systems, topics : the names of the axes; `topics` is empty without topics.
    scale : the ordered classes.
    values : `[measure, system]`, over all items or averaged over topics.
    per_topic : `[measure, system, topic]`, NaN where undefined; None without topics.
    undefined : `[measure, system]`, the number of topics (or 0 or 1 tables) without a score.
    aggregate : "mean" over topics, or "pool" all items in one table.
    """

    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    scale: Scale
    values: Floats
    per_topic: Floats | None
    undefined: Ints
    aggregate: str
    replaced: Undefined = None
    items: float = 0.0

    def of(self, measure: str | Measure, system: str | None = None) -> float:
        """One score."""
        row = self.measures.index(parse_measure(measure))
        return float(self.values[row, 0 if system is None else self.systems.index(system)])

    def ranking(self, measure: str | Measure) -> list[str]:
        """The systems from best to worst; undefined ones last, ties by name."""
        spec = parse_measure(measure)
        row = self.values[self.measures.index(spec)] * spec.sign
        key = {
            s: (np.isnan(v), -np.nan_to_num(v), s) for s, v in zip(self.systems, row, strict=True)
        }
        return sorted(self.systems, key=key.__getitem__)

    def signature(self, measure: str | Measure | None = None, *more: str) -> str:
        """One line that lets another person repeat the number."""
        from . import __version__

        name = [] if measure is None else [str(parse_measure(measure))]
        rows = slice(None) if measure is None else self.measures.index(parse_measure(measure))
        parts = [*name, f"K:{self.scale.k}{'(inferred)' if self.scale.inferred else ''}"]
        if self.scale.values is not None:
            parts.append("values:" + ",".join(f"{v:g}" for v in self.scale.values))
        if self.topics:
            parts += [f"agg:{self.aggregate}", f"topics:{len(self.topics)}"]
        parts.append(f"nan:{int(self.undefined[rows].sum())}")
        if self.replaced is not None:
            parts.append(f"undefined:{self.replaced}")
        return "|".join([*parts, *more, f"ordeval:{__version__}"])


def read_measures(given: str | Measure | Iterable[str | Measure] | None) -> tuple[Measure, ...]:
    """Measures from a list in a text, a sequence, or None for every batched one."""
    if given is None:
        return tuple(measures(batched=True))
    if isinstance(given, Measure):
        return (given,)
    found = parse_measures(given) if isinstance(given, str) else [parse_measure(m) for m in given]
    if not found:
        raise InputError("No measure is named; leave `measures` out for all of them.")
    return tuple(dict.fromkeys(found))


def score_tables(chosen: Iterable[Measure], tables: Floats, scale: Scale) -> Floats:
    """Scores `[measure, ...]` of tables `[..., K, K]`, in chunks of bounded memory."""
    chosen, k = list(chosen), tables.shape[-1]
    flat = tables.reshape(-1, k, k)
    out = np.empty((len(chosen), len(flat)))
    step = max(1, _CHUNK_NUMBERS // (k * k))
    for start in range(0, len(flat), step):
        part = flat[start : start + step]
        laid = batch_innermost(part)
        for row, m in zip(out, chosen, strict=True):
            found = m.of(laid if m.record.batched else part, values=scale.values)
            row[start : start + step] = found[: len(part)]
    return out.reshape(len(chosen), *tables.shape[:-2])


def batch_innermost(tables: NDArray[Any]) -> Floats:
    """The same `[batch, ...]`, laid out so that inner loops run over the batch, not over classes.

    A single table comes twice: numbers are then added up in the same order whatever the batch, and
    a score never depends, in its last digits, on what else is scored.
    """
    batch = np.repeat(tables, 2, axis=0) if len(tables) == 1 else tables
    innermost = np.ascontiguousarray(np.moveaxis(batch, 0, -1), dtype=np.float64)
    return np.moveaxis(innermost, -1, 0)


def score_counts(
    counts: Counts,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    aggregate: str = "mean",
    undefined: Undefined = None,
) -> Scores:
    """Score counts with axes (system, topic), either of which may be absent.

    `aggregate` is "mean" (score every topic, then average) or "pool" (one table over all topics).
    `undefined` replaces undefined scores: a number, or "skip" to average over the defined topics.
    """
    chosen = read_measures(measures)
    _check_options(aggregate, undefined)
    counts = with_system_axis(counts)
    by_topic = None
    if counts.topics:
        by_topic = score_tables(chosen, counts.table, counts.scale)
    if by_topic is None or aggregate == "pool":
        values = score_tables(chosen, counts.pooled("topic").table, counts.scale)
        missing = np.isnan(values)
        values, missing = _replace(values, undefined), missing.astype(np.int64)
    else:
        missing = np.isnan(by_topic).sum(axis=-1)
        values = mean_over_topics(by_topic, undefined)
    items = float(counts.table.sum() / len(counts.systems))
    return Scores(
        chosen,
        counts.systems,
        counts.topics,
        counts.scale,
        values,
        by_topic,
        missing,
        aggregate if counts.topics else "pool",
        undefined,
        items,
    )


def mean_over_topics(by_topic: Floats, undefined: Undefined = None) -> Floats:
    """Average `[..., topic]`; NaN if any topic is undefined, unless told how to treat it."""
    if undefined == "skip":
        defined = ~np.isnan(by_topic)
        count = defined.sum(axis=-1)
        total = np.where(defined, by_topic, 0.0).sum(axis=-1)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return np.asarray(_replace(by_topic, undefined).mean(axis=-1))


def _replace(scores: Floats, undefined: Undefined) -> Floats:
    if undefined is None or undefined == "skip":
        return scores
    return np.where(np.isnan(scores), float(undefined), scores)


def _check_options(aggregate: str, undefined: Undefined) -> None:
    if aggregate not in ("mean", "pool"):
        raise InputError(f'aggregate={aggregate!r} is not known; it is "mean" or "pool".')
    check_undefined(undefined)


def check_undefined(undefined: Undefined) -> None:
    """What a mean over topics does with undefined scores: nothing, skip them, or put a number."""
    if isinstance(undefined, str) and undefined != "skip":
        raise InputError(f'undefined={undefined!r} is not known; give a number or "skip".')
    if not isinstance(undefined, str):
        check_replacement(undefined)


def with_system_axis(counts: Counts) -> Counts:
    """Counts with axes (system, topic?), the system called y_pred where it has no name."""
    leading = counts.table.ndim - 2
    if leading != len(counts.axes):
        raise InputError(
            f"The table has {leading} leading axes without names; use measure.of(table) for plain "
            "arrays."
        )
    if counts.axis("system"):
        return counts
    axes = (Axis("system", ("y_pred",)), *counts.axes)
    return Counts(counts.table[None], counts.scale, axes, counts.weighted, counts.skipped)


def score(
    y_true: Any,
    y_pred: Any,
    measure: str | Measure,
    *,
    labels: Any = None,
    values: Any = None,
    sample_weight: Any = None,
    topics: Any = None,
    aggregate: str = "mean",
    missing: str = "error",
    undefined: Undefined = None,
) -> float:
    """Score predictions under one measure: a float, NaN with a warning where undefined.

    `undefined` is a number to use instead of NaN, or "skip" to average over the defined topics.
    For a quantification measure, `y_true` and `y_pred` are two distributions.

    Examples
    --------
    >>> score([1, 2, 3, 3], [1, 2, 2, 3], "kappa(weights=linear)", labels=[1, 2, 3])
    0.7142857142857143
    """
    spec = parse_measure(measure)
    if spec.record.task == "quantification":
        refuse_for_distributions(sample_weight=sample_weight, topics=topics)
        return spec.of_one_pair(y_true, y_pred, labels, values, check_replacement(undefined))
    refuse_several(y_pred)
    counts = Counts.from_labels(
        y_true,
        y_pred,
        labels=labels,
        values=values,
        sample_weight=sample_weight,
        topics=topics,
        missing=missing,
    )
    scores = score_counts(counts, [spec], aggregate=aggregate, undefined=undefined)
    found = float(scores.values[0, 0])
    if found != found:
        warnings.warn(_undefined_message(spec, counts, scores), UndefinedWarning, stacklevel=2)
    return found


def _undefined_message(spec: Measure, counts: Counts, scores: Scores) -> str:
    if scores.aggregate == "pool":
        return spec.undefined_message(counts.pooled())
    return (
        f"{spec} is undefined in {scores.undefined[0, 0]} of {len(scores.topics)} topics. Pass "
        'undefined="skip" to average over the others, or undefined=… for a number in their place.'
    )


@dataclass(frozen=True, eq=False, repr=False)
class PerClass(Printed):
    """Figures per class: `figures[name]` is `[K]`, NaN where a class gives none.

    A class without gold items has no recall; one that is never predicted has precision 0.
    """

    labels: tuple[Any, ...]
    figures: Mapping[str, Floats]

    def __getitem__(self, name: str) -> Floats:
        return self.figures[name]

    def _tables(self) -> list[Any]:
        from .report.objects import classes_table

        return [classes_table(self)]

    def _figures(self) -> Any:
        from .report.objects import classes_table

        return classes_table(self, named=str)


def per_class(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    values: Any = None,
    sample_weight: Any = None,
    missing: str = "error",
) -> PerClass:
    """Precision, recall, F1, mean absolute error, support and closeness figures of each class."""
    refuse_several(y_pred)
    counts = Counts.from_labels(
        y_true, y_pred, labels=labels, values=values, sample_weight=sample_weight, missing=missing
    )
    return PerClass(counts.scale.labels, class_figures(counts.table, counts.scale))


def class_figures(n: Floats, scale: Scale) -> dict[str, Floats]:
    """The figures per class of tables `[..., K, K]`: each `[..., K]`."""
    from .measures.closeness import ciq
    from .measures.error import class_error
    from .measures.nominal import f1, precision
    from .measures.tables import diagonal, distance, gold, predicted, ratio

    values = np.asarray(scale.values or range(1, scale.k + 1), dtype=float)
    return {
        "support": gold(n),
        "predicted": predicted(n),
        "precision": precision(n),
        "recall": ratio(diagonal(n), gold(n)),
        "f1": f1(n),
        "mae": class_error(n, distance(values)),
        "ciq_precision": ciq(n, values, axis=-2),
        "ciq_recall": ciq(n, values, axis=-1),
    }


class _Scorer:
    """A scikit-learn scorer: higher is always better."""

    def __init__(
        self, measure: Measure, labels: Scale | None, values: Any, undefined: float | None
    ) -> None:
        self.measure, self.labels, self.values = measure, labels, values
        self.undefined = undefined

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        found = self.measure(
            y_true,
            estimator.predict(X),
            labels=self.labels,
            values=self.values,
            sample_weight=sample_weight,
            undefined=self.undefined,
        )
        return self.measure.sign * found

    def __repr__(self) -> str:
        return f"ordeval.scorer({str(self.measure)!r})"


def scorer(
    measure: str | Measure,
    *,
    labels: Any = None,
    values: Any = None,
    undefined: float | None = None,
) -> _Scorer:
    """A scorer for `cross_val_score` and `GridSearchCV`; error measures come with a minus sign.

    Declare `labels` so that every fold is scored on the same scale, whatever classes it holds.
    `undefined` is the measure's value (before the sign) for a fold that has no score.
    """
    spec = parse_measure(measure)
    if spec.record.task != "classification":
        raise InputError(f"{spec} compares distributions; a scorer needs a measure of labels.")
    if labels is not None:
        labels, values = Scale.of(labels, values), None  # the scale holds the values
    return _Scorer(spec, labels, values, check_replacement(undefined))
