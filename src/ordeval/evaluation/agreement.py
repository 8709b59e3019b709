"""Agreement of several raters: coefficients, pairs of raters, raters one by one, disputed items."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from ..data.column import sorted_names
from ..data.data import Data
from ..data.raters import (
    classes_by_rater,
    complete,
    item_names,
    of_raters,
    values_of,
    without_gaps,
)
from ..errors import InputError, abbreviate, plural, quoted
from ..limits import check_operations
from ..measures.raters import NEEDS_ALL, NEEDS_TABLES
from ..measures.scoring import MeasuresLike, check_task, read_measures
from ..measures.spec import Measure
from ..measures.spec import measures as all_measures
from ..notes import Note, note, warning
from ..options import AgreementOptions, AgreementSettings, ProgressOption, options_of, takes
from ..results import Agreement, DisputedItem, RaterFigures, RaterOver
from ..stats.panels import Panel, rater_order
from ..types import Codes, Floats, RaterUnits, RatingGaps
from .rater_examples import least_agreeing, rated_examples
from .rater_pairs import analytic_kappas, kappas_notices, pairs_notices, pairs_of
from .rater_study import Study
from .ratings import (
    Kinds,
    by_kind,
    named_raters,
    rated_data,
    ratings_of,
    renamed,
    scale_notices,
    units_of,
    unnamed,
)
from .sample import Settings

PAIR_MEASURES = ("kappa(weights='linear')", "kappa(weights='quadratic')", "accuracy", "mae")
_WORDS: dict[RaterUnits, RaterOver] = {
    "items": "items",
    "clusters": "clusters",
    "both": "items and raters",
}
_MOST_TABLES = 2 * 10**7  # numbers in the tables of all pairs and rows, of default measures
_STANDS_OUT = 0.25  # severity in standard deviations of all ratings
_LESS_CONSISTENT = 0.1  # below the median of the others
_CONSTANT = "gives one class only"
_LEAST_TO_STAND_OUT = 10  # items that a rater shares with others


@takes(AgreementOptions)
def agreement(
    ratings: Any = None,
    measures: MeasuresLike = None,
    *,
    data: Any = None,
    **options: Unpack[AgreementOptions],
) -> Agreement:
    """Measure how well several raters agree, with intervals.

    Parameters
    ----------
    ratings : array_like of shape (n_items, n_raters), data frame, mapping or list, optional
        A row per item and a column per rater, with gaps (None, NaN) where a rater did not rate an
        item; a mapping from rater to ratings; or a list with the ratings of each item, which may
        differ in number. With `data`, the columns of the raters, by default all without another
        role; in long form, the raters to keep.
    measures : str, Measure or sequence of these, optional
        Coefficients for all raters, e.g. "krippendorff, ac2(weights=quadratic)"; all by default.
        Here ``alpha`` stands for ``krippendorff`` and ``kappa`` for ``conger``, which it is for
        two raters without gaps.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a relation of DuckDB, a Spark frame, or the path
        or pattern of files; arguments that hold a value per item are then names of columns. It has
        a column per rater, or columns of items, raters and ratings, or a column of lists.
    {options}

    Returns
    -------
    Agreement
        Coefficients, pairs, raters and disputed items, of which all but the coefficients are
        computed when they are first used. It prints as tables.

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = [[1, 1, 2], [3, 3, None], [2, 3, 3], [1, 1, 1], [2, 2, 3]]
    >>> found = oe.agreement(ratings, labels=[1, 2, 3])
    >>> round(found["krippendorff"].value, 3)
    0.721
    """
    named = None if data is None else named_raters(ratings, "ratings")
    rated, kinds = rated_data(ratings if data is None else None, data, options, raters=named)
    if data is not None:
        rated = replace(rated, names=tuple(renamed(rated.names, ratings)))
    settings = options_of(options, AgreementSettings, ProgressOption)
    found = agreement_of(rated, measures, **settings)
    return replace(found, notes=(*found.notes, *about_models(kinds)))


def about_models(kinds: Kinds) -> list[Note]:
    """Say that some raters are models, if others are people."""
    people, models = by_kind(kinds)
    if not people or not models:
        return []
    told = f"Raters that are models: {quoted(models)}; name the others to leave them out."
    return [warning("raters", told, request=True)]


def agreement_of(
    data: Data,
    measures: MeasuresLike = None,
    *,
    pair_measures: MeasuresLike = None,
    disputed: int = 20,
    over: RaterUnits | None = None,
    missing: RatingGaps = "keep",
    **settings: Any,
) -> Agreement:
    """Measure the agreement of raters from ratings that are read already; see `agreement`."""
    statistics = Settings(over=None, **settings)
    _check_raters(data)
    skipped = {"missing": missing} if missing == "skip" else {}
    data = without_gaps(data) if skipped else data
    units, clusters = data.units, len(data.units.clusters)
    unit = _unit(data, over)
    chosen, notices = _chosen(data, measures)
    by_pair = _pair_measures(pair_measures, data)
    tables = any(m.id in NEEDS_TABLES for m in chosen)
    clustered = unit == "clusters" or (unit == "both" and clusters > 0)
    ordered = of_raters(data, rater_order(data))  # draws belong to the data, not their order
    drawn = statistics.bootstrap > 0  # then figures of raters are drawn with the coefficients
    panel = Panel.of(ordered, tables=tables, clusters=clustered, moments=drawn)
    study = Study(ordered, panel, chosen, statistics, unit)
    _check_size(study, len(by_pair))
    told = [*pairs_notices(study, by_pair), *kappas_notices(study)]
    found = Agreement(
        coefficients=study.coefficients(),
        pair_measures=tuple(by_pair) if data.named else (),
        scale=data.scale,
        items=int(panel.items.sum()),
        shared=int(panel.items[study.rated > 1].sum()),
        ratings=int((panel.items * study.rated).sum()),
        over="clusters and raters" if study.clustered and unit == "both" else _WORDS[unit],
        level=statistics.ci,
        replicates=statistics.bootstrap,
        seed=statistics.seed,
        notes=(*data.notices, *_data_notices(study), *notices, *told),
        method=study.method if statistics.bootstrap else "",
        effective=panel.effective if units.weight is not None else 0.0,
        clusters=clusters,
        about={
            "raters": len(data.names),
            **data.about,
            **skipped,
            **statistics.about,
            **({} if over is None else {"over": over}),
        },
        makers={
            "pairs": lambda: pairs_of(study, by_pair, data.names),
            "raters": lambda: _raters(study, data.names),
            "disputed": lambda: _disputed(data, panel, disputed),
            "kappas": lambda: analytic_kappas(study),
        },
    )
    return found if units.texts is None else _with_examples(found, data)


def _with_examples(found: Agreement, data: Data) -> Agreement:
    """Add some items of every number on the page, whose texts can be read only now."""
    worst = [row.item for row in found.disputed]
    pairs = least_agreeing(found.pairs)
    shown = rated_examples(data, len(data.names), disputed=worst, pairs=pairs)
    return replace(found, examples=shown)


def _check_raters(data: Data) -> None:
    """Raise an error for a single rater, who agrees with nobody."""
    if len(data.names) < 2:
        told = " ".join(str(each) for each in data.notices if each.kind == "raters")
        raise InputError(
            f"There is one rater, {abbreviate(data.names[0])}; agreement needs two or more."
            + (f" {told}" if told else ""),
            parameter="ratings",
            hint="Give a column per rater; in long form, name the column of raters with {rater}.",
            suggest={"rater": ...},
        )


def _check_size(study: Study, pair_measures: int) -> None:
    """Raise an error if all figures would take hours."""
    panel, raters, k = study.panel, len(study.data.names), study.data.scale.k
    passes = raters if study.unit == "both" else 2
    pairs = raters * (raters - 1) // 2
    of_pairs = pairs * (len(panel.codes) + 20 * pair_measures * k**2)
    check_operations(
        "Agreement",
        float(len(panel.codes)) * panel.size * passes + of_pairs,
        f"{plural(len(panel.codes), 'different row')} × {plural(raters, 'rater')} × {k} classes",
        parameter="ratings",
        hint="Take fewer raters or a sample of the items, or merge classes.",
    )


def _unit(data: Data, over: RaterUnits | None) -> RaterUnits:
    """Return what is resampled."""
    if over == "both" and len(data.names) < 3:
        raise InputError(
            "Intervals over items and raters need three or more raters and there are "
            f"{len(data.names)}.",
            parameter="over",
            hint="Leave {over} out: intervals then hold for these raters.",
            suggest={"over": ...},
        )
    return units_of(data, over)


def _chosen(data: Data, given: MeasuresLike) -> tuple[tuple[Measure, ...], list[Note]]:
    """Return the coefficients, and what to say about those that were left out."""
    k, raters = data.scale.k, len(data.names)
    if given is not None and not (isinstance(given, str) and given == "all"):
        found = read_measures(given, "raters")
        for m in found:
            _check_of_raters(m)
            m.on(k)
        _check_identified(data, found)
        if any(m.id in NEEDS_TABLES for m in found):
            check_operations(
                "kendall_w",
                10 * _table_numbers(data),
                f"{plural(raters * (raters - 1) // 2, 'pair')} of raters × {k * k} cells × "
                f"{plural(len(data), 'item')}",
                parameter="measures",
                hint="Leave it out.",
            )
        told = _about_gaps(data, [m for m in found if m.id in NEEDS_ALL])
        return found, [*_about_kappa(data, read_measures(given)), *told]
    every, told = all_measures("raters"), list[Note]()
    left_out: list[tuple[Collection[str], str, str]] = []
    if not complete(data).all():
        left_out.append((NEEDS_ALL, "they need every rater on every item", _instead(data)))
    elif _table_numbers(data) > _MOST_TABLES:
        left_out.append((NEEDS_TABLES, "there are many pairs of raters", ""))
    if not data.named:
        left_out.append((_IDENTIFIED, "lists do not say who gave which rating", ""))
    for ids, why, instead in left_out:
        left = [m for m in every if m.id in ids]
        text = f"Left out, because {why}: {_ids(left)}.{instead}"
        told.append(note("measures", text, request=ids is NEEDS_ALL))
        every = [m for m in every if m not in left]
    return tuple(every), told


def _about_kappa(data: Data, asked: Iterable[Measure]) -> list[Note]:
    """Say which kappa it is, if kappa was asked for, which is one of two raters."""
    if all(m.id != "kappa" for m in asked):
        return []
    told = (
        "Kappa of several raters is Conger's kappa (conger), which for two raters who rated all "
        "items is Cohen's kappa."
    )
    if len(data.names) == 2 and not complete(data).all():
        told += " Cohen's kappa on the items that both rated is a measure of pairs of raters."
    return [note("measures", told)]


def _about_gaps(data: Data, measures: Sequence[Measure]) -> list[Note]:
    """Say which measures were asked for and are undefined because of gaps, and what to do."""
    if complete(data).all() or not measures:
        return []
    need = "needs" if len({m.id for m in measures}) == 1 else "need"
    return [
        warning(
            "measures",
            f"{_ids(measures)} {need} every rater on every item.{_instead(data)}",
            request=True,
        )
    ]


def _instead(data: Data) -> str:
    """Return how items with gaps are left out, if any item is left then."""
    full = complete(data)
    if not full.any():
        return ""
    left = plural(data.units.items_of(~full), "item")
    return f" missing='skip' leaves out {left} with gaps, and {data.units.items_of(full):,} remain."


def _check_identified(data: Data, measures: Iterable[Measure]) -> None:
    """Raise an error for measures of single raters if it is not known who gave which rating."""
    of_raters = [m for m in measures if m.id in _IDENTIFIED]
    if of_raters and not data.named:
        hint = (
            "Give a column per rater, or leave them out; fleiss, ac2 and krippendorff do without."
        )
        raise unnamed(", ".join(map(str, of_raters)), "measures", hint)


def _table_numbers(data: Data) -> float:
    """Return how many numbers the tables of all pairs have, of all rows that can differ."""
    k, raters = data.scale.k, len(data.names)
    rows = min(float(len(data)), float(k + 1) ** min(raters, 100))
    return raters * (raters - 1) / 2 * k * k * rows


_IDENTIFIED = ("conger", "icc", "ccc", "kendall_w")  # measures of raters that are known


def _ids(measures: Iterable[Measure]) -> str:
    return ", ".join(dict.fromkeys(m.id for m in measures))


def _check_of_raters(measure: Measure) -> None:
    """Raise an error for a measure that is none of several raters."""
    if measure.record.task != "raters":
        known = dict.fromkeys(m.id for m in all_measures("raters"))
        raise InputError(
            f"{measure} does not measure the agreement of several raters; there are "
            f"{quoted(known, 20)}.",
            parameter="measures",
            hint="Measures of labels go into {pair_measures}.",
            suggest={"pair_measures": str(measure)},
        )


def _pair_measures(given: MeasuresLike, data: Data) -> tuple[Measure, ...]:
    """Return the measures for pairs of raters."""
    if not data.named:
        if given is not None and read_measures(given):
            hint = "Give a column per rater, or leave {pair_measures} out."
            raise unnamed("Pairs of raters", "pair_measures", hint)
        return ()
    found = read_measures(PAIR_MEASURES if given is None else given)
    check_task((m for m in found if m.record.task != "raters"), "classification", "pair_measures")
    for m in found:
        m.on(data.scale)
    return found


def _raters(study: Study, given: Sequence[str]) -> tuple[RaterFigures, ...]:
    """Return the raters one by one, in the order in which they were given."""
    if not study.data.named:
        return ()
    panel = study.panel
    severity, consistency = study.of_raters()
    counts = classes_by_rater(panel.codes.T, study.data.scale.k, panel.amounts)
    shares = (counts / counts.sum(axis=1, keepdims=True)).tolist()
    items, shared = (
        (panel.items * some) @ panel.rated for some in (np.ones(len(study.rated)), study.rated > 1)
    )
    found = [
        RaterFigures(
            name, int(items[g]), int(shared[g]), severity[g], consistency[g], tuple(shares[g])
        )
        for g, name in enumerate(study.data.names)
    ]
    by_name = {row.rater: row for row in _standing_out(study, found)}
    return tuple(by_name[name] for name in given)


def _standing_out(study: Study, raters: Sequence[RaterFigures]) -> tuple[RaterFigures, ...]:
    """Return the raters with what is said about those who stand out."""
    enough = [row for row in raters if row.shared >= _LEAST_TO_STAND_OUT]
    constant = {row.rater: _CONSTANT for row in enough if max(row.shares) >= 1 - 1e-12}
    said = {} if len(constant) == len(raters) else constant
    if study.settings.bootstrap and len(raters) > 2 and enough:
        relevant = _STANDS_OUT * _spread(study.panel)
        beyond = _quantile(study.settings.ci, len(raters))
        usual = float(np.median([row.severity.value for row in enough]))
        for row in enough:
            # A severe rater makes all others seem lenient, but moves the median little.
            from_usual = (row.severity.value - usual) * (len(raters) - 1) / len(raters)
            others = [other for other in enough if other is not row]
            leaning = _leaning(row, from_usual, relevant, beyond)
            words = said.get(row.rater), leaning, _less_consistent(row, others, beyond)
            said[row.rater] = ", ".join(filter(None, words))
    return tuple(replace(row, stands_out=said.get(row.rater, "")) for row in raters)


def _leaning(row: RaterFigures, from_usual: float, relevant: float, beyond: float) -> str:
    """Say if a rater rates higher or lower, beyond chance and by a relevant amount.

    Both must hold: against the mean of the others and against the usual rater.
    """
    lean = row.severity
    if lean.low <= 0 <= lean.high or lean.value * from_usual <= 0:
        return ""
    if min(abs(lean.value), abs(from_usual)) < max(relevant, beyond * lean.se):
        return ""
    return f"rates {'higher' if lean.value > 0 else 'lower'} than the others"


def _less_consistent(row: RaterFigures, others: Sequence[RaterFigures], beyond: float) -> str:
    """Say if the consistency of a rater is below the usual one, beyond chance."""
    known = [r.consistency.value for r in others if not math.isnan(r.consistency.value)]
    own = row.consistency
    if known and own.value < np.median(known) - max(_LESS_CONSISTENT, beyond * own.se):
        return "agrees less with the others"
    return ""


def _quantile(level: float, raters: int) -> float:
    """Return how many standard errors one of two figures of all raters may be off by chance."""
    from scipy.special import ndtri  # slow to import

    return float(-ndtri((1 - level) / 2 / (2 * raters)))


def _spread(panel: Panel) -> float:
    """Return the standard deviation of the class values of all ratings."""
    counts = classes_by_rater(panel.codes.T, len(panel.values), panel.amounts).sum(axis=0)
    shares = counts / counts.sum()
    mean = float(shares @ panel.values)
    return float(np.sqrt(shares @ (panel.values - mean) ** 2))


def _disputed(data: Data, panel: Panel, most: int) -> tuple[DisputedItem, ...]:
    """Return the items of largest disagreement; those that agree are none of them."""
    by_row = disagreement_of(panel.codes, panel.values)
    order = np.argsort(-by_row, kind="stable")
    enough = np.searchsorted(np.cumsum(np.bincount(panel.row_of)[order]), most)
    least = by_row[order[min(int(enough), len(order) - 1)]]
    worst = (by_row >= least) & (by_row > 0)
    chosen = data.take(np.flatnonzero(worst[panel.row_of]))
    far, names = by_row[panel.row_of[worst[panel.row_of]]], item_names(chosen)
    rank = {name: i for i, name in enumerate(sorted_names(names))}  # whatever the order of rows
    places = np.lexsort([np.array([rank[name] for name in names], np.intp), -far])[:most]
    return tuple(
        DisputedItem(names[i], float(far[i]), ratings_of(chosen, i, data.scale.labels))
        for i in places.tolist()
    )


def disagreement_of(codes: Codes, values: Floats) -> Floats:
    """Return the mean squared difference of class values over pairs of raters, by row.

    It is twice the variance (r − 1 below) of the values; 0 with fewer than two ratings.
    """
    rated = codes != len(values)
    own = values_of(codes, values)
    count = rated.sum(axis=1)
    mean = own.sum(axis=1) / np.maximum(count, 1)
    squares = np.where(rated, (own - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return np.asarray(2.0 * squares / np.maximum(count - 1, 1))


def _data_notices(study: Study) -> Iterator[Note]:
    """Say what the reader should know about the data."""
    data, panel = study.data, study.panel
    raters, items = len(data.names), int(panel.items.sum())
    yield from scale_notices(data)
    yield from data.scale.notices
    if raters > items:
        yield warning(
            "raters",
            f"There are more raters ({raters:,}) than items ({items:,}); if the table has a row "
            "per rater, transpose it.",
            request=True,
        )
    if single := int(panel.items[study.rated == 1].sum()):
        many = "item has one rating only and counts", "items have one rating only and count"
        text = f"{plural(single, *many)} in shares of classes, but not in agreement."
        yield note("missing", text)
    if data.units.weight is not None:
        worth = f"worth {panel.effective:,.1f} of equal weight"
        yield note("weights", f"The weights make {plural(items, 'item')} {worth}.")
