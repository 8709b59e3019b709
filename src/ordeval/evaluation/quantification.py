"""Evaluate and compare systems that estimate distributions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..distributions import read_distributions
from ..errors import InputError, plural, quoted
from ..results import Result
from ..scale import Scale
from ..scoring import (
    MeasuresLike,
    Scores,
    check_undefined,
    mean_over_topics,
    read_measures,
    with_primary,
)
from ..spec import Measure, measures, parse_measure
from ..types import (
    RNG,
    Classes,
    ClassNumbers,
    Floats,
    LabelColumn,
    Method,
    Progress,
    Test,
    Undefined,
)
from .intervals import make_differences, make_intervals
from .sample import Sample
from .settings import Settings
from .significance import make_tests


def quantify(
    p_true: Any,
    p_pred: Any,
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    topics: LabelColumn | None = None,
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    renormalise: bool = True,
    undefined: Undefined = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    method: Method = "auto",
    test: Test = "maxt",
    against: str | None = None,
    margin: float | None = None,
    trials: int | None = None,
    alpha: float = 0.05,
    differences: bool = False,
    classical: bool = False,
    rng: RNG = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Result:
    """Compare estimated distributions: ranking, intervals and tests over instances.

    Parameters
    ----------
    p_true : array_like of shape (n_instances, n_classes), or data frame
        Gold distributions or counts. The columns of a data frame are matched by name.
    p_pred : array_like, data frame, or mapping of str to these
        Estimated distributions of one system, or of each system.
    labels : sequence, optional
        The classes from lowest to highest; by default the columns of `p_true`, or 1 to K.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    topics : sequence of str, optional
        The names of the instances.
    measures : str, Measure or sequence of these, optional
        The measures; all quantification measures by default.
    primary : str or Measure, optional
        The measure that ranks the systems. By default the first of `measures`, or RNOD.
    renormalise : bool
        Whether rows whose sum is within 1 % of 1 are divided by their sum.
    undefined : float, "skip" or None
        A number that replaces undefined scores, or "skip" to average over the instances that have
        a score.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of bootstrap replicates; 0 for no intervals.
    method : {"auto", "t", "bca", "percentile"}
        The kind of interval; by default "t", from the jackknife over instances.
    test : {"maxt", "tukey", "holm"}
        Step-down max-T over instances, the randomised paired Tukey HSD (Carterette 2012; Sakai
        2018), or one test per pair with Holm's correction.
    against : str, optional
        A system with which all others are compared, instead of all pairs.
    margin : float, optional
        The largest difference that does not matter, in units of the measure; see `Pair.verdict`.
    trials : int, optional
        The number of random trials of the tests.
    alpha : float
        The level below which a difference is called significant.
    differences : bool
        Whether to compute intervals of the differences of all pairs; see `Result.difference`.
    classical : bool
        Whether to compute the classical Tukey HSD as well.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    threads : int
        The number of threads, which never changes a result.
    progress : callable, optional
        Called as ``progress(done, total)``.

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
    settings = Settings(
        ci=ci,
        bootstrap=bootstrap,
        method=method,
        trials=trials,
        alpha=alpha,
        rng=rng,
        threads=threads,
        progress=progress,
        differences=differences,
        classical=classical,
        test=test,
        against=against,
        margin=margin,
    )
    systems = _systems(p_pred)
    scale = _scale(p_true, labels, values)
    names = None if topics is None else _instance_names(topics)

    def read(data: Any, name: str) -> tuple[Floats, int]:
        rows = _in_order(data, name, scale)
        found = read_distributions(rows, name, renormalise=renormalise, row_names=names)
        return found.rows, found.renormalised

    gold, renormalised = read(p_true, "gold")
    estimates = {name: read(data, name) for name, data in systems.items()}
    _check_shapes(gold, {name: rows for name, (rows, _) in estimates.items()}, names, scale)
    renormalised += sum(number for _, number in estimates.values())
    return quantify_rows(
        gold,
        np.stack([rows for rows, _ in estimates.values()]),
        tuple(estimates),
        names or tuple(map(str, range(len(gold)))),
        scale,
        measures,
        primary=primary,
        undefined=undefined,
        settings=settings,
        notices=_renormalised_notice(renormalised),
    )


def quantify_rows(
    gold: Floats,
    estimates: Floats,
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    scale: Scale,
    given: MeasuresLike = None,
    *,
    primary: str | Measure | None = None,
    undefined: Undefined = None,
    settings: Settings | None = None,
    notices: Iterable[str] = (),
    about: Mapping[str, Any] | None = None,
) -> Result:
    """Compare checked distributions, gold `[T, K]` and estimates `[S, T, K]`; see `quantify`."""
    chosen, first = _choose(given, primary)
    for m in chosen:
        m.check_classes(scale.k)
    check_undefined(undefined)
    scores = _score(gold, estimates, systems, topics, scale, chosen, undefined)
    sample = Sample(scores, settings or Settings())
    shares = np.concatenate([gold.mean(axis=0)[None], estimates.mean(axis=1)])
    told = (*notices, *(scale.notices if any(m.record.uses_values for m in chosen) else ()))
    if len(topics) < 2:
        alone = "No intervals and no tests: there is only one instance."
        told, origin = (*told, alone), about or {}
        return Result("quantification", scores, first, shares=shares, notices=told, about=origin)
    intervals, unavailable = make_intervals(sample)
    tests, untested = make_tests(sample) if len(systems) > 1 else (None, ())
    differences, _ = make_differences(sample)
    return Result(
        "quantification",
        scores,
        first,
        intervals,
        tests,
        shares=shares,
        notices=(*told, *unavailable, *untested),
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
    """Score every instance and average."""
    by_instance = np.stack([m.kernel(gold, estimates, scale.numbers) for m in chosen])
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


def _choose(
    given: MeasuresLike, primary: str | Measure | None
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures and the one that ranks: RNOD unless others are named."""
    everything = given is None or (isinstance(given, str) and given == "all")
    chosen = tuple(measures("quantification")) if everything else read_measures(given)
    first = parse_measure(primary or ("rnod" if everything else chosen[0]))
    wrong = [str(m) for m in (*chosen, first) if m.record.task != "quantification"]
    if wrong:
        raise InputError(
            f"{quoted(dict.fromkeys(wrong))} scores labels, not distributions; for distributions "
            f"there are {quoted((str(m) for m in measures('quantification')), 20)}.",
            parameter="primary" if wrong == [str(first)] else "measures",
        )
    return with_primary(chosen, first)


def _systems(p_pred: Any) -> dict[str, Any]:
    """Return the systems by name."""
    if not isinstance(p_pred, Mapping):
        return {"p_pred": p_pred}
    if not p_pred:
        raise InputError(
            "p_pred is an empty mapping; at least one system is expected.", parameter="p_pred"
        )
    named = {str(name): data for name, data in p_pred.items()}
    if len(named) < len(p_pred):
        raise InputError(
            f"Systems share a name: {quoted(p_pred)}; give each its own name.", parameter="p_pred"
        )
    return named


def _instance_names(topics: Any) -> tuple[str, ...]:
    if isinstance(topics, str) or not isinstance(topics, Iterable):
        raise InputError(
            f"topics={topics!r} is not a list; one name per instance is expected.",
            parameter="topics",
        )
    names = tuple(map(str, topics))
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(
            f"The topics name {quoted(twice)} more than once; each instance needs its own name.",
            parameter="topics",
        )
    return names


def _columns(data: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame; None for anything else."""
    if isinstance(data, (np.ndarray, list, tuple)) or not hasattr(data, "columns"):
        return None
    return list(data.columns)


def _scale(p_true: Any, labels: Any, values: Any) -> Scale:
    """Return the classes: declared, else the columns of gold, else 1 to K."""
    if labels is not None:
        return Scale.of(labels, values)
    columns = _columns(p_true)
    if columns is None:
        shape = np.shape(p_true)
        columns = list(range(1, (shape[-1] if shape else 0) + 1))
    return Scale.of(columns, values)


def _in_order(data: Any, name: str, scale: Scale) -> Any:
    """Return rows `[instance, K]` in the order of the scale; columns of frames match by name."""
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
    """Raise an error unless all arrays are about the same instances and classes."""
    for name, rows in estimates.items():
        if rows.shape != gold.shape:
            raise InputError(
                f"{name} has distributions of shape {rows.shape} and gold {gold.shape}; "
                "every instance needs one, over the same classes in the same order."
            )
    if gold.ndim != 2:
        raise InputError(f"gold has shape {gold.shape}; [instance, K] is expected.")
    if names is not None and len(names) != len(gold):
        raise InputError(
            f"There are {len(names)} topics and gold has {len(gold)} instances.", parameter="topics"
        )
    if scale.k != gold.shape[1]:
        raise InputError(
            f"The scale has {scale.k} classes and gold has {gold.shape[1]} columns.",
            parameter="labels",
        )


def _renormalised_notice(rows: int) -> tuple[str, ...]:
    if not rows:
        return ()
    found = plural(rows, "row")
    return (f"Renormalised, because its sum is not exactly 1 (but within 1 %): {found}.",)
