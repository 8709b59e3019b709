"""`cutpoints`: thresholds on a real-valued score that are best for a measure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from .. import options as declared
from ..data.classes import SCORES
from ..data.data import Data, read_labels
from ..data.scale import Scale
from ..errors import InputError
from ..limits import check_memory
from ..measures.costs import is_ratio
from ..measures.scoring import check_task
from ..measures.spec import Measure, counterpart, parse_measure
from ..notes import Note, warning
from ..results import Cutpoints, CutRule, Estimate, Result, finite_scores
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
from .classification import compare
from .ratings import refuse_of_files, unusual
from .read import read_columns

FOLDS = 5
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_RULES = {
    "measure": "best cuts",
    "quantiles": "quantile matching",
    "rounding": "rounding",
}
_FROM_COMPARISON = ("scale", "classes", "weights", "undefined")  # notes that hold for cuts, too


@declared.takes(declared.CutpointOptions)
def cutpoints(
    y_true: Any,
    score: Any,
    measure: str | Measure,
    *,
    data: Any = None,
    **options: Unpack[declared.CutpointOptions],
) -> Cutpoints:
    """Choose the K − 1 thresholds on a real-valued score that are best for a measure.

    The cuts are exact for measures that are ratios of sums over the items: accuracy, MAE, MSE and
    their macro forms, macro recall, CEM and every kappa. For other measures the result is a local
    optimum, and says so.

    Cuts that are best for some items are less good for others. Each rule is therefore also fitted
    on four fifths of the items and scored on the rest, five times. The result has the cross-fitted
    score of each rule, its difference from rounding, and the p-value of that difference from the
    test of `compare`, corrected for both rules.

    Parameters
    ----------
    y_true : array_like of shape (n_items,), or str
        Gold labels; with `data`, their column.
    score : array_like of shape (n_items,), or str
        A real number per item, such as the output of a regression or a mean rating; with `data`,
        its column.
    measure : str or Measure
        The measure.
    data : frame, relation or path, optional
        A data frame or file with these columns.
    {options}

    Returns
    -------
    Cutpoints
        The cuts, with the fitted and cross-fitted scores of all rules.

    Notes
    -----
    Items are sorted by score. For a fixed ratio λ, a dynamic programme over places and classes
    finds the cuts with the smallest Σ (loss − λ chance). Iterating over λ ends at the smallest
    ratio (Dinkelbach), so no other cuts score better.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold, score = [1, 1, 2, 2, 3, 3], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9]
    >>> [round(cut, 2) for cut in oe.cutpoints(gold, score, "qwk", labels=[1, 2, 3]).cuts]
    [0.35, 0.65]
    """
    spec = counterpart(parse_measure(measure), "classification")
    check_task([spec], "classification", "measure")
    if not spec.record.batched:
        raise InputError(f"{spec} takes too long to choose cut-points by.", parameter="measure")
    held, seed = _in_order(_read(y_true, score, data, options)), as_seed(options["rng"])
    assert held.raw is not None
    on, (gold, numbers) = spec.on(held.scale), (held.codes[0].astype(np.intp), held.raw[1])
    items = SortedItems(numbers, gold, held.units.weight, held.scale)
    if np.count_nonzero(items.margin) < 2:
        raise InputError(
            "y_true has a single class; two are needed to choose cut-points.", parameter="y_true"
        )
    best = best_places(items, on)
    start = ratio_at(items, on, best)
    whole, folds = _cuts(items, best), _folds(len(gold), held.units.cluster, seed)
    crossed = {rule: np.empty(len(gold), held.codes.dtype) for rule in whole}
    for fold in np.unique(folds):
        mine = folds == fold
        rest = items.take(~mine)
        cuts = _cuts(rest, best_places(rest, on, start))
        for rule, classes in crossed.items():
            classes[mine] = np.searchsorted(cuts[rule], numbers[mine], side="right")
    compared = _compared(spec, held, crossed, {**options, "rng": seed})
    rules = tuple(
        _rule(compared, spec, rule, cuts, items.score_of(on, items.places_of(cuts)))
        for rule, cuts in whole.items()
    )
    how = unusual({**options, "rng": seed}, declared.CutpointSettings)
    return Cutpoints(
        spec,
        held.scale,
        whole[options["rule"]],
        options["rule"] == "measure" and is_ratio(on),
        rules,
        _quantiles(numbers, gold, held.scale.k),
        len(gold),
        options["ci"],
        int(folds.max()) + 1,
        (*held.notices, *_notes(numbers, gold, compared)),
        {**held.about, **how},
    )


def fitted_cuts(gold: Codes, score: Floats, measure: Measure, k: int) -> tuple[float, ...]:
    """Return the best cuts alone, for classes 0 to K − 1."""
    items = sorted_items(finite_scores(score), gold, None, scale := Scale.of(range(k)))
    return items.cut_at(best_places(items, measure.on(scale)))


def _cuts(items: SortedItems, best: Codes) -> dict[str, tuple[float, ...]]:
    """Return the cuts of every rule."""
    return {
        "measure": items.cut_at(best),
        "quantiles": items.cut_at(quantile_places(items)),
        "rounding": rounding_cuts(items.scale),
    }


def _folds(n: int, cluster: Codes | None, seed: int) -> Codes:
    """Return the fold of every item; those of one cluster are in one fold."""
    groups = n if cluster is None else int(cluster.max()) + 1
    if groups < 2:
        raise InputError(
            "cluster is the same for all items; two or more clusters are needed, so that cuts can "
            "be scored on other items than they were chosen on.",
            parameter="cluster",
            hint="Leave {cluster} out if items are independent.",
        )
    fold = stream(seed, "folds").permutation(groups) % FOLDS
    return np.asarray(fold if cluster is None else fold[cluster])


def _compared(
    measure: Measure, held: Data, crossed: Mapping[str, Array], options: Mapping[str, Any]
) -> Result:
    """Compare the cross-fitted classes of every rule with rounded ones on the same items."""
    codes = np.stack([held.codes[0], *crossed.values()])
    names = (held.names[0], *(_RULES[rule] for rule in crossed))
    classes = replace(held, codes=codes, names=names, raw=None, notices=(), about={})
    how = {name: options[name] for name in ("ci", "draws", "rng")}
    return compare(classes, None, measure, against=_RULES["rounding"], **how)


def _rule(
    compared: Result, measure: Measure, rule: str, cuts: tuple[float, ...], fitted: float
) -> CutRule:
    """Return the scores of a rule, and its difference from rounding."""
    name, own = _RULES[rule], _RULES["rounding"]
    crossed = Estimate(*compared.standing(name).parts)
    if name == own:
        return CutRule(name, cuts, measure.sign * fitted, crossed)
    pair = compared.pair(name, own)
    return CutRule(name, cuts, measure.sign * fitted, crossed, Estimate(*pair.parts), pair.p)


def _quantiles(score: Floats, gold: Codes, k: int) -> Floats:
    parts = [score[gold == g] for g in range(k)]
    empty = np.full(len(_QUANTILES), np.nan)
    return np.stack([np.quantile(x, _QUANTILES) if len(x) else empty for x in parts])


def _notes(score: Floats, gold: Codes, compared: Result) -> tuple[Note, ...]:
    notes = tuple(note for note in compared.notes if note.kind in _FROM_COMPARISON)
    if score[0] == score[-1]:
        text = "The score is the same for all items, so no cut separates them."
        return (*notes, warning("score", text))
    ranks = np.cumsum(np.append(False, score[1:] != score[:-1]))
    if np.corrcoef(ranks, gold)[0, 1] < 0:
        text = "The score falls as the gold class rises; if low scores stand for high classes, "
        return (*notes, warning("score", f"{text}pass the score with a minus sign.", request=True))
    return notes


def _read(y_true: Any, score: Any, data: Any, options: Mapping[str, Any]) -> Data:
    """Read gold labels and scores from memory, a frame or a file."""
    reading = declared.options_of(
        options, declared.ItemsRead, declared.RowOptions, declared.TextFileOptions
    )
    if data is None:
        refuse_of_files(data, options)
    reading["bins"] = SCORES
    try:
        if data is None:
            held = read_labels(y_true, {"score": score}, reading)
        else:
            held = read_columns(data, y_true, [score], **reading)
    except InputError as error:
        if "bins" in error.suggest:  # gold holds real numbers
            error.change_hint("The gold labels come first, then the score.", labels=...)
        error.rename(y_pred="score")
        raise
    about = {"score" if k == "y_pred" else k: v for k, v in held.about.items()}
    about |= {"score": held.names[1]} if "score" in about else {}
    return replace(held, about=about)


def _in_order(held: Data) -> Data:
    """Return a row per item by increasing score, in an order that is the same for all doors."""
    units = held.units
    if units.count is not None:
        size = f"{units.items:,} items"
        hint = "Pass weights, if they are meant, or fewer items."
        check_memory("A row per item", 64.0 * units.items, size, parameter="frequency", hint=hint)
        held = held.take(np.repeat(np.arange(units.size), units.count))
        held = replace(held, units=replace(held.units, count=None))
    assert held.raw is not None
    ties = [x for x in (held.units.cluster, held.units.weight) if x is not None]
    return held.take(np.lexsort([*ties, held.codes[0], held.raw[1]]))
