"""Agreement of several raters: coefficients, pairs of raters, raters one by one, disputed items."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from ..data.data import Data
from ..data.raters import (
    classes_by_rater,
    complete,
    of_raters,
    values_of,
    without_gaps,
)
from ..errors import InputError, abbreviate, plural, quoted
from ..measures.raters import NEEDS_ALL, NEEDS_TABLES
from ..measures.scoring import MeasuresLike, check_task, read_measures
from ..measures.spec import Measure
from ..measures.spec import measures as all_measures
from ..notes import Note, note, warning
from ..options import AgreementOptions, AgreementSettings, ProgressOption, options_of, takes
from ..results import Agreement, RaterFigures, RaterOver
from ..stats.panels import SummedPanel, rater_order
from ..types import Floats, RaterUnits, RatingGaps
from .rater_examples import disputed_items, least_agreeing, rated_examples
from .rater_pairs import (
    analytic_kappas,
    kappas_notices,
    pairs_notices,
    pairs_of,
    rated_together,
)
from .rater_study import Study, miscounting, units_of, unnamed
from .ratings import Kinds, named_raters, rated_data, renamed
from .sample import Settings

PAIR_MEASURES = ("kappa(weights='linear')", "kappa(weights='quadratic')", "accuracy", "mae")
_WORDS: dict[tuple[RaterUnits, bool], RaterOver] = {
    ("items", False): "items",
    ("clusters", True): "clusters",
    ("both", False): "items and raters",
    ("both", True): "clusters and raters",
}
_MOST_TABLES = 2 * 10**7  # numbers in the tables of all pairs and rows, of default measures
_STANDS_OUT = 0.25  # severity in standard deviations of all ratings
_LESS_CONSISTENT = 0.1  # below the median of the others
_IDENTIFIED = ("conger", "icc", "ccc", "kendall_w")  # measures of raters that are known
_CONSTANT = "gives one class only"
_LEAST_TO_STAND_OUT = 10  # items that a rater shares with others
_PERSON = ("person", "people", "human", "humans", "annotator", "expert")
_MODEL = ("model", "models", "llm", "machine", "judge", "ai", "system")


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
        item; a mapping from rater to ratings; or a list of ratings for each item, of any length.
        With `data`, the columns of the raters, by default all without another role; in long form,
        the raters to keep.
    measures : str, Measure or sequence of these, optional
        Coefficients for all raters, e.g. "krippendorff, ac2(weights=quadratic)"; by default all.
        Here ``alpha`` is short for ``krippendorff`` and ``kappa`` for ``conger``, which equals
        Cohen's kappa for two raters without gaps.
    data : frame, relation or path, optional
        A data frame of any library, lazy or not, a DuckDB relation, a Spark frame, or the path or
        pattern of files, with a column per rater, columns of items, raters and ratings, or a column
        of lists. Arguments with a value per item are then column names.
    {options}

    Returns
    -------
    Agreement
        Coefficients, pairs, raters and disputed items. All but the coefficients are computed on
        first use. It prints as tables.

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
    result = agreement_of(rated, measures, **settings)
    return replace(result, notes=(*result.notes, *about_models(kinds)))


def by_kind(kinds: Kinds) -> tuple[list[str], list[str]]:
    """Return the raters whose kind is a person, and those whose kind is a model."""
    folded = {name: kind.strip().casefold() for name, kind in kinds.items()}
    people = [name for name, kind in folded.items() if kind in _PERSON]
    return people, [name for name, kind in folded.items() if kind in _MODEL]


def about_models(kinds: Kinds) -> list[Note]:
    """Say that some raters are models, if others are people."""
    people, models = by_kind(kinds)
    if not people or not models:
        return []
    text = f"Raters that are models: {quoted(models)}; name the others to leave them out."
    return [warning("raters", text, request=True)]


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
    _check_raters(data, over)
    skipped = {"missing": missing} if missing == "skip" else {}
    data = without_gaps(data) if skipped else data
    units, clusters = data.units, len(data.units.clusters)
    unit = units_of(data, over)
    chosen, notices = _chosen(data, measures)
    by_pair = _pair_measures(pair_measures, data)
    ordered = of_raters(data, rater_order(data))  # draws belong to the data, not their order
    panel = SummedPanel.of(
        ordered,
        clusters=unit == "clusters" or (unit == "both" and clusters > 0),
        tables=any(m.id in NEEDS_TABLES for m in chosen),
        moments=statistics.draws > 0,  # figures of raters are drawn with the coefficients
    )
    study = Study(ordered, panel, chosen, statistics, unit)
    doubts = [*pairs_notices(study, by_pair), *kappas_notices(study)]
    result = Agreement(
        coefficients=study.coefficients(),
        pair_measures=by_pair,
        scale=data.scale,
        items=int(panel.items.sum()),
        shared=int(panel.items[panel.ratings > 1].sum()),
        ratings=int(panel.items @ panel.ratings),
        over=_WORDS[unit, study.clustered],
        level=statistics.ci,
        replicates=statistics.draws,
        seed=statistics.seed,
        notes=(*data.notices, *_data_notices(study), *notices, *doubts),
        method=study.method if statistics.draws else "",
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
            "disputed": lambda: disputed_items(data, _disagreement(panel), disputed),
            "kappas": lambda: analytic_kappas(study),
            "together": lambda: rated_together(data),
        },
    )
    if units.texts is None:
        return result
    worst, pairs = [row.item for row in result.disputed], least_agreeing(result.pairs)
    examples = rated_examples(data, len(data.names), disputed=worst, pairs=pairs)
    return replace(result, examples=examples)  # texts can be read only now


def _check_raters(data: Data, over: RaterUnits | None) -> None:
    """Raise an error for a single rater, and for two where intervals are over raters."""
    if len(data.names) < 2:
        why = " ".join(str(each) for each in data.notices if each.kind == "raters")
        raise InputError(
            f"There is one rater, {abbreviate(data.names[0])}; agreement needs two or more."
            + (f" {why}" if why else ""),
            parameter="ratings",
            hint="Give a column per rater; in long form, name the column of raters with {rater}.",
            suggest={"rater": ...},
        )
    if over == "both" and len(data.names) == 2:
        raise InputError(
            "Intervals over items and raters need three or more raters and there are 2.",
            parameter="over",
            hint="Leave {over} out: intervals then hold for these raters.",
            suggest={"over": ...},
        )


# Measures.


def _chosen(data: Data, asked: MeasuresLike) -> tuple[tuple[Measure, ...], list[Note]]:
    """Return the coefficients, and notes about them and those that were left out."""
    if asked is None or (isinstance(asked, str) and asked == "all"):
        return _all_possible(data)
    chosen, notes = read_measures(asked, "raters"), list[Note]()
    _check_measures(data, chosen)
    if any(m.id == "kappa" for m in read_measures(asked)):
        text = (
            "Kappa of several raters is Conger's kappa (conger): Cohen's kappa, if there are two "
            "and both rated all items. With gaps it also uses items with one rating, and the table "
            "of pairs has Cohen's kappa of the others."
        )
        notes.append(note("measures", text))
    if (incomplete := _ids(chosen, NEEDS_ALL)) and not complete(data).all():
        text = f"Undefined without every rater on every item: {incomplete}.{_instead(data)}"
        notes.append(warning("measures", text, request=True))
    return chosen, notes


def _all_possible(data: Data) -> tuple[tuple[Measure, ...], list[Note]]:
    """Return all coefficients but those that the data do not allow."""
    k, raters = data.scale.k, len(data.names)
    rows = min(float(len(data)), float(k + 1) ** min(raters, 100))
    left_out: list[tuple[Collection[str], str, str]] = []
    if not complete(data).all():
        left_out.append((NEEDS_ALL, "they need every rater on every item", _instead(data)))
    elif math.comb(raters, 2) * k * k * rows > _MOST_TABLES:
        left_out.append((NEEDS_TABLES, "there are many pairs of raters", ""))
    if not data.named:
        left_out.append((_IDENTIFIED, "lists do not say who gave which rating", ""))
    every, notes = all_measures("raters"), list[Note]()
    for ids, why, instead in left_out:
        text = f"Left out, because {why}: {_ids(every, ids)}.{instead}"
        notes.append(note("measures", text, request=ids is NEEDS_ALL))
        every = [m for m in every if m.id not in ids]
    return tuple(every), notes


def _instead(data: Data) -> str:
    """Return how items with gaps are left out, if any item is left then."""
    full = complete(data)
    if not full.any():
        return ""
    left = plural(data.units.items_of(~full), "item")
    return f" missing='skip' leaves out {left} with gaps, and {data.units.items_of(full):,} remain."


def _check_measures(data: Data, measures: Sequence[Measure]) -> None:
    """Raise an error for measures that are none of several raters, or not of these."""
    for measure in measures:
        if measure.record.task != "raters":
            raise InputError(
                f"{measure} does not measure the agreement of several raters; there are "
                f"{quoted(dict.fromkeys(m.id for m in all_measures('raters')), 20)}.",
                parameter="measures",
                hint="Measures of labels go into {pair_measures}.",
                suggest={"pair_measures": str(measure)},
            )
        measure.on(data.scale.k)
    of_known = [str(m) for m in measures if m.id in _IDENTIFIED]
    if of_known and not data.named:
        hint = (
            "Give a column per rater, or leave them out; fleiss, ac2 and krippendorff do without."
        )
        raise unnamed(", ".join(of_known), "measures", hint)


def _ids(measures: Iterable[Measure], of: Collection[str]) -> str:
    return ", ".join(dict.fromkeys(m.id for m in measures if m.id in of))


def _pair_measures(asked: MeasuresLike, data: Data) -> tuple[Measure, ...]:
    """Return the measures for pairs of raters, of which there are none in lists without names."""
    if not data.named:
        if asked is not None and read_measures(asked):
            hint = "Give a column per rater, or leave {pair_measures} out."
            raise unnamed("Pairs of raters", "pair_measures", hint)
        return ()
    chosen = read_measures(PAIR_MEASURES if asked is None else asked)
    check_task((m for m in chosen if m.record.task != "raters"), "classification", "pair_measures")
    for m in chosen:
        m.on(data.scale)
    return chosen


# Raters one by one.


def _raters(study: Study, order: Sequence[str]) -> tuple[RaterFigures, ...]:
    """Return the raters one by one, in this order."""
    if not study.data.named:
        return ()
    panel = study.panel
    severity, consistency = study.of_raters()
    counts = classes_by_rater(panel.codes.T, panel.scale.k, panel.amounts)
    shares = (counts / counts.sum(axis=1, keepdims=True)).tolist()
    items = panel.items @ panel.rated
    shared = (panel.items * (panel.ratings > 1)) @ panel.rated
    rows = [
        RaterFigures(
            name, int(items[g]), int(shared[g]), severity[g], consistency[g], tuple(shares[g])
        )
        for g, name in enumerate(study.data.names)
    ]
    words = _standing_out(study, rows)
    by_name = {row.rater: replace(row, stands_out=words.get(row.rater, "")) for row in rows}
    return tuple(by_name[name] for name in order)


def _standing_out(study: Study, raters: Sequence[RaterFigures]) -> dict[str, str]:
    """Say in which way raters stand out, by their names."""
    enough = [row for row in raters if row.shared >= _LEAST_TO_STAND_OUT]
    constant = {row.rater: _CONSTANT for row in enough if max(row.shares) >= 1 - 1e-12}
    words = {} if len(constant) == len(raters) else constant
    if not study.settings.draws or len(raters) == 2 or not enough:
        return words
    relevant = _STANDS_OUT * _spread(study.panel)
    beyond = _quantile(study.settings.ci, len(raters))
    usual = float(np.median([row.severity.value for row in enough]))
    for row in enough:
        # A severe rater makes all others seem lenient, but moves the median little.
        from_usual = (row.severity.value - usual) * (len(raters) - 1) / len(raters)
        others = [other for other in enough if other is not row]
        leaning = _leaning(row, from_usual, relevant, beyond)
        all_words = words.get(row.rater), leaning, _less_consistent(row, others, beyond)
        words[row.rater] = ", ".join(filter(None, all_words))
    return words


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


def _spread(panel: SummedPanel) -> float:
    """Return the standard deviation of the class values of all ratings."""
    counts = panel.total.by_rater[0].sum(axis=0)
    shares = counts / counts.sum()
    mean = float(shares @ panel.values)
    return float(np.sqrt(shares @ (panel.values - mean) ** 2))


def _disagreement(panel: SummedPanel) -> Floats:
    """Return the mean squared difference of class values over pairs of raters, by item.

    It is twice the variance (r − 1 below) of the values; 0 with fewer than two ratings.
    """
    own, count = values_of(panel.codes, panel.values), panel.ratings
    mean = own.sum(axis=1) / np.maximum(count, 1)
    squares = np.where(panel.rated, (own - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return np.asarray((2.0 * squares / np.maximum(count - 1, 1))[panel.row_of])


def _data_notices(study: Study) -> Iterator[Note]:
    """Say what the reader should know about the data."""
    data, panel = study.data, study.panel
    raters, items = len(data.names), int(panel.items.sum())
    yield from (*data.scale.inferred_notice(), *data.scale.notices)
    yield from miscounting(data)
    if raters > items:
        yield warning(
            "turned",
            f"There are more raters ({raters:,}) than items ({items:,}); if the table has a row "
            "per rater, transpose it.",
            request=True,
        )
    if single := int(panel.items[panel.ratings == 1].sum()):
        many = "item has one rating only and counts", "items have one rating only and count"
        text = f"{plural(single, *many)} in shares of classes, but not in agreement."
        yield note("missing", text)
    if data.units.weight is not None:
        worth = f"worth {panel.effective:,.1f} of equal weight"
        yield note("weights", f"The weights make {plural(items, 'item')} {worth}.")
