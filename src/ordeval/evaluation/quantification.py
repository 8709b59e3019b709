"""Distributions of systems to a result: `quantify`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..distributions import read_distributions
from ..errors import InputError, plural, quoted
from ..results import Floats, Result
from ..scale import Scale
from ..scoring import Scores, Undefined, check_undefined, mean_over_topics, read_measures
from ..spec import Measure, measures, parse_measure
from .differences import differences_over_topics
from .intervals import intervals_of_means
from .scored import filled
from .settings import DEFAULTS, MeasuresGiven, Progress, Settings
from .significance import tests_over_topics


def quantify(
    p_true: Any,
    p_pred: Any,
    *,
    labels: Any = None,
    values: Any = None,
    topics: Any = None,
    measures: MeasuresGiven = None,
    primary: str | Measure | None = None,
    renormalise: bool = True,
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: str = "bca",
    trials: int | None = None,
    alpha: float = 0.05,
    differences: bool = False,
    classical: bool = False,
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Result:
    """A leaderboard of estimated distributions, with intervals and tests over instances.

    Parameters
    ----------
    p_true : gold distributions or counts `[instance, K]` (or one, `[K]`), or a data frame with a
        column per class; classes are then matched by name.
    p_pred : estimates of the same shape, or a mapping from system to estimates.
    labels : the classes in their order; by default the columns of gold, or 1..K.
    topics : names of the instances. The rest as in `compare`.
    """
    how = Settings(
        ci, bootstrap, method, None, trials, alpha, rng, threads, progress, differences, classical
    )
    systems = _systems(p_pred)
    scale = _scale(p_true, labels, values)
    names = None if topics is None else _instance_names(topics)

    def read(data: Any, name: str) -> tuple[Floats, int]:
        rows = _in_order(data, name, scale)
        found = read_distributions(rows, name, renormalise=renormalise, row_names=names)
        return found.rows, found.renormalised

    gold, off = read(p_true, "gold")
    estimates = {name: read(data, name) for name, data in systems.items()}
    _check_shapes(gold, {name: rows for name, (rows, _) in estimates.items()}, names, scale)
    off += sum(number for _, number in estimates.values())
    return quantify_rows(
        gold,
        np.stack([rows for rows, _ in estimates.values()]),
        tuple(estimates),
        names or tuple(map(str, range(len(gold)))),
        scale,
        measures,
        primary=primary,
        undefined=undefined,
        how=how,
        notices=_renormalised_notice(off),
    )


def quantify_rows(
    gold: Floats,
    estimates: Floats,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    scale: Scale,
    given: MeasuresGiven = None,
    *,
    primary: str | Measure | None = None,
    undefined: Undefined = None,
    how: Settings = DEFAULTS,
    notices: Iterable[str] = (),
    about: Mapping[str, Any] | None = None,
) -> Result:
    """As `quantify`, from checked arrays: gold `[T, K]`, estimates `[S, T, K]`."""
    chosen, first = _choose(given, primary)
    check_undefined(undefined)
    scores = _score(gold, estimates, systems, topics, scale, chosen, undefined)
    intervals, tests, differences = None, None, None
    unavailable: tuple[str, ...] = ()
    several = len(topics) > 1
    if not several:
        unavailable = ("No intervals and no tests: there is only one instance.",)
    if several and how.bootstrap:
        matrix = filled(np.asarray(scores.per_topic), undefined)
        intervals, unavailable = intervals_of_means(scores, matrix, how)
    if several and len(systems) > 1:
        tests, untested = tests_over_topics(scores, how)
        unavailable = (*unavailable, *untested)
        if how.differences and how.bootstrap:
            differences = differences_over_topics(None, scores, how)
    return Result(
        "quantification",
        scores,
        first,
        intervals,
        tests,
        shares=np.concatenate([gold.mean(axis=0)[None], estimates.mean(axis=1)]),
        notices=(*notices, *unavailable),
        about=about or {},
        differences=differences,
    )


def _score(
    gold: Floats,
    estimates: Floats,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    scale: Scale,
    chosen: tuple[Measure, ...],
    undefined: Undefined,
) -> Scores:
    """Scores of every instance, and their means."""
    by_instance = np.stack(
        [m.record.function(estimates, gold, **_values_for(m, scale), **m.params) for m in chosen]
    )
    return Scores(
        chosen,
        systems,
        topics,
        scale,
        mean_over_topics(by_instance, undefined),
        by_instance,
        np.isnan(by_instance).sum(axis=-1),
        "mean",
        undefined,
        float(len(topics)),
    )


def _values_for(m: Measure, scale: Scale) -> dict[str, Floats]:
    if not m.record.uses_values:
        return {}
    return {"values": np.asarray(scale.values or range(1, scale.k + 1), dtype=float)}


def _choose(
    given: MeasuresGiven, primary: str | Measure | None
) -> tuple[tuple[Measure, ...], Measure]:
    """The measures, and the one that ranks: RNOD unless others are named."""
    everything = given is None or (isinstance(given, str) and given == "all")
    chosen = tuple(measures("quantification")) if everything else read_measures(given)
    first = (
        parse_measure(primary)
        if primary is not None
        else parse_measure("rnod")
        if everything
        else chosen[0]
    )
    chosen = chosen if first in chosen else (first, *chosen)
    wrong = [str(m) for m in chosen if m.record.task != "quantification"]
    if wrong:
        raise InputError(
            f"{quoted(wrong)} scores labels, not distributions; for distributions there are "
            f"{quoted((str(m) for m in measures('quantification')), 20)}."
        )
    return chosen, first


def _systems(p_pred: Any) -> dict[str, Any]:
    """The systems by name."""
    if not isinstance(p_pred, Mapping):
        return {"p_pred": p_pred}
    if not p_pred:
        raise InputError("p_pred is an empty mapping; give at least one system.")
    named = {str(name): data for name, data in p_pred.items()}
    if len(named) < len(p_pred):
        raise InputError(f"Systems share a name: {quoted(p_pred)}; give each a name of its own.")
    return named


def _instance_names(topics: Any) -> tuple[str, ...]:
    if isinstance(topics, str) or not isinstance(topics, Iterable):
        raise InputError(f"topics={topics!r} is no list; give a name for every instance.")
    names = tuple(map(str, topics))
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(f"topics names {quoted(twice)} more than once; each instance comes once.")
    return names


def _columns(data: Any) -> list[Any] | None:
    """The names of the columns of a data frame; None for anything else."""
    if isinstance(data, (np.ndarray, list, tuple)) or not hasattr(data, "columns"):
        return None
    return list(data.columns)


def _scale(p_true: Any, labels: Any, values: Any) -> Scale:
    """The classes: declared, else the columns of gold, else 1..K."""
    if labels is not None:
        return Scale.of(labels, values)
    columns = _columns(p_true)
    if columns is None:
        shape = np.shape(p_true)
        columns = list(range(1, (shape[-1] if shape else 0) + 1))
    return Scale.of(columns, values)


def _in_order(data: Any, name: str, scale: Scale) -> Any:
    """Rows `[instance, K]` with the classes in the order of the scale; frames match by name."""
    columns = _columns(data)
    if columns is None:
        return np.atleast_2d(np.asarray(data)) if np.ndim(data) == 1 else data
    by_name = {str(column): column for column in columns}
    wanted = [str(label) for label in scale.labels]
    absent = [label for label in wanted if label not in by_name]
    extra = [column for column in by_name if column not in wanted]
    if absent or extra:
        raise InputError(
            f"{name} has the columns {quoted(by_name)}; exactly one per class is expected: "
            f"{quoted(wanted)}."
        )
    return np.stack([np.asarray(data[by_name[label]]) for label in wanted], axis=-1)


def _check_shapes(
    gold: Floats, estimates: Mapping[str, Floats], names: Sequence[str] | None, scale: Scale
) -> None:
    """Everything is about the same instances and classes."""
    for name, rows in estimates.items():
        if rows.shape != gold.shape:
            raise InputError(
                f"{name} has distributions of shape {rows.shape} and gold {gold.shape}; "
                "every instance needs one, over the same classes in the same order."
            )
    if gold.ndim != 2:
        raise InputError(f"gold has shape {gold.shape}; [instance, K] is expected.")
    if names is not None and len(names) != len(gold):
        raise InputError(f"topics names {len(names)} instances and gold has {len(gold)}.")
    if scale.k != gold.shape[1]:
        raise InputError(f"labels names {scale.k} classes and gold has {gold.shape[1]} columns.")


def _renormalised_notice(rows: int) -> tuple[str, ...]:
    if not rows:
        return ()
    found = plural(rows, "row")
    return (f"Renormalised, because its sum is not exactly 1 (but within 1 %): {found}.",)
