"""`cutpoints`: thresholds on a real-valued score that are best for a measure."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

import numpy as np

from .. import files
from ..data.classes import Reading
from ..data.containers import aligned, read_column
from ..data.data import Data, data_of, read_units
from ..data.roles import NumberedFrame, require_column, text_name
from ..data.scale import Scale
from ..errors import InputError, naming, plural
from ..measures.costs import is_ratio
from ..measures.scoring import check_task
from ..measures.spec import Measure, counterpart, parse_measure
from ..notes import Note, warning
from ..options import CutpointOptions, takes
from ..results import Cutpoints, CutRule, Estimate, finite_scores
from ..stats.cutpoints import (
    SortedItems,
    best_places,
    quantile_places,
    ratio_at,
    rounding_cuts,
    sorted_items,
)
from ..stats.resample import as_seed, stream
from ..types import Array, Codes, Floats
from .classification import evaluate

FOLDS = 5
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_RULES = {
    "measure": "best for the measure",
    "quantiles": "quantile matching",
    "rounding": "rounding",
}


@takes(CutpointOptions)
def cutpoints(
    y_true: Any,
    score: Any,
    measure: str | Measure,
    *,
    data: Any = None,
    **options: Unpack[CutpointOptions],
) -> Cutpoints:
    """Choose the K − 1 thresholds on a real-valued score that are best for a measure.

    Exact where the score of the measure is a ratio of sums over the items: accuracy, MAE, MSE and
    their macro forms, macro recall, CEM and every kappa. Items are sorted by score; for a fixed
    ratio λ the cuts with the smallest Σ (loss − λ chance) follow from a dynamic programme over
    places and classes with running minima, and iterating over λ ends at the smallest ratio
    (Dinkelbach), so that no other cuts score better. For other measures the result is a local
    optimum, and says so.

    Cuts that are best for some items are less good for others. So each rule is also fitted on four
    fifths of the items and scored on the rest, five times: the cross-fitted score, whose interval
    is that of `evaluate` for these classes.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), or str
        Gold labels; with `data`, the column of them.
    score : array_like of shape (n_items,), or str
        A real number per item, such as the output of a regression or a mean rating; with `data`,
        the column of it.
    measure : str or Measure
        The measure.
    data : frame, relation or path, optional
        A data frame or a file that has the columns.
    {options}

    Returns
    -------
    Cutpoints
        The cuts, with the fitted and cross-fitted scores of all rules.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold, score = [1, 1, 2, 2, 3, 3], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> [round(cut, 2) for cut in oe.cutpoints(gold, score, "qwk", labels=[1, 2, 3]).cuts]
    [0.35, 0.65]
    """
    spec = counterpart(parse_measure(measure), "classification")
    return cutpoints_of(spec, *_read(y_true, score, data, options), options)


def cuts_in_file(
    path: Any, gold: str, score: str, measure: str | Measure, options: Mapping[str, Any]
) -> Cutpoints:
    """Return the cut-points of columns of a file, read with the options of files."""
    spec = counterpart(parse_measure(measure), "classification")
    return cutpoints_of(spec, *_read(gold, score, path, options), options)


def cutpoints_of(
    measure: Measure, held: Data, score: Floats, options: Mapping[str, Any]
) -> Cutpoints:
    """Return the cut-points of scores that are read already."""
    check_task([measure], "classification", "measure")
    if not measure.record.batched:
        raise InputError(f"{measure} takes too long to choose cut-points by.", parameter="measure")
    on, units, gold = measure.on(held.scale), held.units, held.codes[0].astype(np.intp)
    items = sorted_items(score, gold, units.weight, held.scale)
    if np.count_nonzero(items.margin) < 2:
        raise InputError(
            "y_true has a single class; two are needed to choose cut-points.", parameter="y_true"
        )
    best = best_places(items, on)
    whole = _cuts(items, on, best)
    start = ratio_at(items, on, best)
    folds = _folds(len(gold), units.cluster, as_seed(options["rng"]))
    crossed = {rule: np.empty(len(gold), dtype=np.int64) for rule in whole}
    order = np.argsort(score, kind="stable")
    for fold in range(FOLDS):
        rest = items.take(folds[order] != fold)
        cuts = _cuts(rest, on, best_places(rest, on, start)) if len(rest.gold) else whole
        for rule in whole:
            mine = folds == fold
            crossed[rule][mine] = np.searchsorted(cuts[rule], score[mine], side="right")
    estimates = _estimates(on, held, gold, crossed, options)
    rules = tuple(
        CutRule(
            _RULES[rule], cuts, on.sign * items.score_of(on, items.places_of(cuts)), estimates[rule]
        )
        for rule, cuts in whole.items()
    )
    return Cutpoints(
        measure,
        held.scale,
        whole[options["rule"]],
        is_ratio(on) if options["rule"] == "measure" else False,
        rules,
        _quantiles(score, gold, held.scale.k),
        len(gold),
        options["ci"],
        FOLDS,
        _notes(score, gold),
        held.about,
    )


def fitted_cuts(gold: Codes, score: Floats, measure: str | Measure, k: int) -> tuple[float, ...]:
    """Return the best cuts alone, for classes 0 to K − 1."""
    scale, spec = Scale.of(range(k)), counterpart(parse_measure(measure), "classification")
    items = sorted_items(finite_scores(score), gold, None, scale)
    return items.cut_at(best_places(items, spec.on(scale)))


def _cuts(items: SortedItems, measure: Measure, best: Codes) -> dict[str, tuple[float, ...]]:
    """Return the cuts of every rule."""
    return {
        "measure": items.cut_at(best),
        "quantiles": items.cut_at(quantile_places(items)),
        "rounding": rounding_cuts(items.scale),
    }


def _folds(n: int, cluster: Codes | None, seed: int) -> Codes:
    """Return the fold of every item; those of one cluster are in one fold."""
    groups = n if cluster is None else int(cluster.max()) + 1
    fold = stream(seed, "folds").permutation(groups) % FOLDS
    return np.asarray(fold if cluster is None else fold[cluster])


def _estimates(
    measure: Measure,
    held: Data,
    gold: Codes,
    crossed: Mapping[str, Array],
    options: Mapping[str, Any],
) -> dict[str, Estimate]:
    """Return the scores of cross-fitted classes with the intervals of `evaluate`."""
    units, scale = held.units, held.scale
    how = {name: options[name] for name in ("ci", "draws", "rng")}
    result = evaluate(
        gold,
        dict(crossed),
        measure,
        labels=range(scale.k),
        values=scale.numbers.tolist(),
        weight=units.weight,
        cluster=units.cluster,
        **how,
    )
    rows = {row.system: row for row in result.standings(measure)}
    return {rule: Estimate(*rows[rule].parts) for rule in crossed}


def _quantiles(score: Floats, gold: Codes, k: int) -> Floats:
    parts = [score[gold == g] for g in range(k)]
    empty = np.full(len(_QUANTILES), np.nan)
    return np.stack([np.quantile(x, _QUANTILES) if len(x) else empty for x in parts])


def _notes(score: Floats, gold: Codes) -> tuple[Note, ...]:
    if np.ptp(score) == 0:
        return (
            warning("score", "The score is the same for all items, so that cuts tell nothing."),
        )
    if np.corrcoef(score, gold)[0, 1] < 0:
        text = "The score falls as the gold class rises; if low scores stand for high classes, "
        return (warning("score", f"{text}pass the score with a minus sign.", request=True),)
    return ()


def _read(y_true: Any, score: Any, data: Any, options: Mapping[str, Any]) -> tuple[Data, Floats]:
    """Read gold labels and scores from memory, a frame or a file."""
    named = {"weight": options["weight"], "cluster": options["cluster"]}
    roles = {role: value for role, value in named.items() if value is not None}
    reading = Reading(options["labels"], options["values"])
    if data is None:
        columns = {role: aligned(x, y_true, role) for role, x in {"score": score, **roles}.items()}
        return _of_columns({"gold": y_true, **columns}, "y_true", reading)
    wanted: dict[str, Any] = {"gold": y_true, "score": score, **roles}
    if isinstance(data, (str, PathLike)):
        return read_file(data, wanted, reading, options)
    frame = NumberedFrame.of(data)
    wanted = {role: text_name(name) for role, name in wanted.items()}
    for role, name in wanted.items():
        require_column(name, frame.columns, {"gold": "y_true"}.get(role, role))
    table = frame.select(wanted)
    if hasattr(table, "project"):
        columns = dict(zip(wanted, zip(*table.fetchall(), strict=True), strict=True))
    else:
        whole = table.collect() if hasattr(table, "collect") else table
        columns = {role: whole[role].to_native() for role in wanted}
    return _of_columns(columns, wanted["gold"], reading)


def read_file(
    path: Any, wanted: Mapping[str, str], reading: Reading, options: Mapping[str, Any]
) -> tuple[Data, Floats]:
    """Read columns of a file, whose labels are texts."""
    with files.open(path, roles=wanted, options=options) as opened, naming(opened.name):
        at = {role: f"c{opened.columns.index(name)}" for role, name in opened.roles.items()}
        numbers: dict[str, str] = {
            role: f"TRY_CAST(trim({at[role]}::VARCHAR) AS DOUBLE) AS {role}"
            for role in ("score", "weight")
            if role in at
        }
        sql = [numbers.get(role, f"{at[role]} AS {role}") for role in at]
        rows = opened.run(opened.relation.project(", ".join(sql)).fetchall)
        if not rows:
            raise InputError("There are no items; at least one is needed.")
        columns = dict(zip(at, map(list, zip(*rows, strict=True)), strict=True))
        return _of_columns(columns, opened.roles["gold"], replace(reading, text=True))


def _of_columns(columns: Mapping[str, Any], gold: str, reading: Reading) -> tuple[Data, Floats]:
    """Return the classes of gold and the scores of columns by role."""
    labels, score = read_column(columns["gold"], gold), finite_scores(columns["score"])
    if len(labels) != len(score):
        raise InputError(
            f"{gold} has {plural(len(labels), 'label')} and score {plural(len(score), 'number')}; "
            "both need one per item.",
            parameter="score",
        )
    groups = {"cluster": read_column(columns["cluster"], "cluster")} if "cluster" in columns else {}
    return data_of([labels], groups, read_units(columns, len(score)), reading), score
