"""Agreement of several raters: coefficients, pairs of raters, raters one by one, disputed items."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from ..data.column import sorted_names
from ..errors import InputError, abbreviate, check_choice, names_rng, plural, quoted
from ..limits import check_operations
from ..measures.raters import NEEDS_ALL, NEEDS_TABLES
from ..measures.scoring import MeasuresLike, read_measures
from ..measures.spec import Measure
from ..measures.spec import measures as all_measures
from ..notes import Note, note, warning
from ..ratings import GAP, Ratings, values_of
from ..results import (
    Agreement,
    DisputedItem,
    RaterFigures,
    RaterOver,
)
from ..stats.panels import Panel, rater_order
from ..types import (
    RNG,
    BinsLike,
    Classes,
    ClassNumbers,
    Codes,
    Floats,
    ItemWeights,
    LabelColumn,
    MissingLabels,
    Progress,
    RatingGaps,
)
from .rater_examples import least_agreeing, rated_examples
from .rater_pairs import analytic_kappas, kappas_notices, pairs_notices, pairs_of
from .rater_study import AgreementOver, Study
from .settings import Settings

PAIR_MEASURES = ("kappa(weights='linear')", "kappa(weights='quadratic')", "accuracy", "mae")
_WORDS: dict[AgreementOver, RaterOver] = {
    "items": "items",
    "clusters": "clusters",
    "both": "items and raters",
}
_MOST_TABLES = 2 * 10**7  # numbers in the tables of all pairs and rows, of default measures
_STANDS_OUT = 0.25  # severity in standard deviations of all ratings
_LESS_CONSISTENT = 0.1  # below the median of the others
_CONSTANT = "gives one class only"
_LEAST_TO_STAND_OUT = 10  # items that a rater shares with others


@names_rng
def agreement(
    ratings: Any,
    *,
    labels: Classes = None,
    values: ClassNumbers = None,
    measures: MeasuresLike = None,
    pair_measures: MeasuresLike = None,
    items: LabelColumn | None = None,
    weight: ItemWeights = None,
    frequency: ItemWeights = None,
    cluster: LabelColumn | None = None,
    na: MissingLabels = None,
    bins: BinsLike = None,
    disputed: int = 20,
    ci: float = 0.95,
    bootstrap: int = 2000,
    over: AgreementOver | None = None,
    rng: RNG = 0,
    progress: Progress | None = None,
    text: LabelColumn | None = None,
    missing: RatingGaps = "keep",
) -> Agreement:
    """Measure how well several raters agree, with intervals.

    Parameters
    ----------
    ratings : array_like of shape (n_items, n_raters), data frame, mapping or list of lists
        A row per item and a column per rater, with gaps (None, NaN) where a rater did not rate an
        item; or a mapping from rater to ratings; or a list with the ratings of each item, which
        may differ in number.
    labels : sequence or Scale, optional
        The classes from lowest to highest. Required unless the ratings are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    measures : str, Measure or sequence of these, optional
        Coefficients for all raters, e.g. "krippendorff, ac2(weights=quadratic)"; all by default.
        Here ``alpha`` stands for ``krippendorff`` and ``kappa`` for ``conger``, which it is for
        two raters without gaps.
    pair_measures : str, Measure or sequence of these, optional
        Measures for every pair of raters, of which the first is taken as gold. By default linear
        and quadratic kappa, accuracy and MAE.
    items : array_like of shape (n_items,), optional
        Names of the items, which disputed ones are called by; by default the index of a pandas
        frame or series, else their positions from 1.
    weight : array_like of shape (n_items,), optional
        The importance of each item; only the ratios of weights matter.
    frequency : array_like of int of shape (n_items,), optional
        The number of items that each row stands for.
    cluster : array_like of shape (n_items,), optional
        What items belong to (a patient, a document, …); clusters are then resampled.
    na : value or sequence of values, optional
        Codes that stand for a missing rating, e.g. 99 or ".".
    bins : {"round", "floor"} or sequence of float, optional
        How numbers between classes become classes: the nearest class (halves upwards), the highest
        class that is not above the number, or the K − 1 edges between classes (or K + 1 with outer
        limits). All measures use the classes.
    disputed : int
        How many of the items of largest disagreement to list.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of draws; 0 for no intervals.
    over : {"items", "clusters", "both"}, optional
        What intervals generalise to: other items with these raters, other clusters of items, or
        other items (clusters where they are given) and other raters. By default clusters where
        they are given, else items.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    progress : callable, optional
        Called as ``progress(done, total)``.
    text : array_like of shape (n_items,), optional
        The text of each item. The page then shows, for every number of items, some of them with
        their texts.
    missing : {"keep", "skip"}
        What becomes of items that not all raters rated: their ratings count, or they are left out,
        so that ICC, CCC and W, which need every rater on every item, are defined.

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
    read = Ratings.read(
        ratings,
        labels=labels,
        values=values,
        items=items,
        text=text,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        na=na,
        bins=bins,
    )
    return agreement_of(
        read,
        measures=measures,
        pair_measures=pair_measures,
        disputed=disputed,
        ci=ci,
        bootstrap=bootstrap,
        over=over,
        rng=rng,
        progress=progress,
        missing=missing,
    )


def agreement_of(
    ratings: Ratings,
    *,
    measures: MeasuresLike = None,
    pair_measures: MeasuresLike = None,
    disputed: int = 20,
    ci: float = 0.95,
    bootstrap: int = 2000,
    over: AgreementOver | None = None,
    rng: RNG = 0,
    progress: Progress | None = None,
    missing: RatingGaps = "keep",
) -> Agreement:
    """Measure the agreement of raters from ratings that are read already; see `agreement`."""
    if over is not None:
        check_choice("over", over, tuple(_WORDS))
    check_choice("missing", missing, get_args(RatingGaps))
    settings = Settings(ci, bootstrap, over=None, rng=rng, progress=progress)
    _check_raters(ratings)
    skipped = {"missing": missing} if missing == "skip" else {}
    ratings = ratings.without_gaps() if skipped else ratings
    unit = _unit(ratings, over)
    chosen, notices = _chosen(ratings, measures)
    by_pair = _pair_measures(pair_measures, ratings)
    tables = any(m.id in NEEDS_TABLES for m in chosen)
    clustered = unit == "clusters" or (unit == "both" and ratings.clusters > 0)
    ordered = ratings.of_raters(rater_order(ratings))  # draws belong to the data, not their order
    drawn = settings.bootstrap > 0  # then figures of raters are drawn with the coefficients
    panel = Panel.of(ordered, tables=tables, clusters=clustered, moments=drawn)
    study = Study(ordered, panel, chosen, settings, unit)
    _check_size(study, len(by_pair))
    _check_count(disputed)
    told = [*pairs_notices(study, by_pair), *kappas_notices(ordered, panel)]
    found = Agreement(
        coefficients=study.coefficients(),
        pair_measures=tuple(by_pair) if ratings.identified else (),
        scale=ratings.scale,
        items=int(panel.items.sum()),
        shared=int(panel.items[study.rated > 1].sum()),
        ratings=int((panel.items * study.rated).sum()),
        over="clusters and raters" if study.clustered and unit == "both" else _WORDS[unit],
        level=settings.ci,
        replicates=settings.bootstrap,
        seed=settings.seed,
        notes=(*ratings.notices, *_data_notices(study), *notices, *told),
        method=study.method if settings.bootstrap else "",
        effective=panel.effective if ratings.weight is not None else 0.0,
        clusters=ratings.clusters,
        about={"raters": len(ratings.raters), **ratings.reading, **skipped},
        makers={
            "pairs": lambda: pairs_of(study, by_pair, ratings.raters),
            "raters": lambda: _raters(study, ratings.raters),
            "disputed": lambda: _disputed(ratings, panel, disputed),
            "kappas": lambda: analytic_kappas(ordered, panel),
        },
    )
    return found if ratings.texts is None else _with_examples(found, ratings)


def _with_examples(found: Agreement, ratings: Ratings) -> Agreement:
    """Add some items of every number on the page, whose texts can be read only now."""
    worst = [row.item for row in found.disputed]
    pairs = least_agreeing(found.pairs)
    shown = rated_examples(ratings, len(ratings.raters), disputed=worst, pairs=pairs)
    return replace(found, examples=shown)


def _check_raters(ratings: Ratings) -> None:
    """Raise an error for a single rater, who agrees with nobody."""
    if len(ratings.raters) < 2:
        told = " ".join(str(each) for each in ratings.notices if each.kind == "raters")
        raise InputError(
            f"There is one rater, {abbreviate(ratings.raters[0])}; agreement needs two or more."
            + (f" {told}" if told else ""),
            parameter="ratings",
            hint="Give a row per item and a column per rater.",
        )


def _check_size(study: Study, pair_measures: int) -> None:
    """Raise an error if all figures would take hours."""
    panel, raters, k = study.panel, len(study.ratings.raters), study.ratings.scale.k
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


def _unit(ratings: Ratings, over: AgreementOver | None) -> AgreementOver:
    """Return what is resampled."""
    if over == "clusters" and not ratings.clusters:
        raise InputError(
            "Resampling over clusters needs clusters, and none are given.",
            parameter="over",
            hint="Name them with {cluster}.",
            suggest={"cluster": ...},
        )
    if over == "both" and len(ratings.raters) < 3:
        raise InputError(
            "Intervals over items and raters need three or more raters and there are "
            f"{len(ratings.raters)}.",
            parameter="over",
            hint="Leave {over} out: intervals then hold for these raters.",
            suggest={"over": ...},
        )
    if over == "both" and not ratings.identified:
        raise InputError(
            "Intervals over items and raters need to know who gave which rating, and lists of "
            "ratings do not say.",
            parameter="over",
            hint="Leave {over} out, or give a column per rater.",
            suggest={"over": ...},
        )
    return over or ("clusters" if ratings.clusters else "items")


def _chosen(ratings: Ratings, given: MeasuresLike) -> tuple[tuple[Measure, ...], list[Note]]:
    """Return the coefficients, and what to say about those that were left out."""
    k, raters = ratings.scale.k, len(ratings.raters)
    if given is not None and not (isinstance(given, str) and given == "all"):
        found = read_measures(given, "raters")
        for m in found:
            _check_of_raters(m)
            m.check_classes(k)
        _check_identified(ratings, found)
        if any(m.id in NEEDS_TABLES for m in found):
            check_operations(
                "kendall_w",
                10 * _table_numbers(ratings),
                f"{plural(raters * (raters - 1) // 2, 'pair')} of raters × {k * k} cells × "
                f"{plural(len(ratings.codes), 'item')}",
                parameter="measures",
                hint="Leave it out.",
            )
        told = _about_gaps(ratings, [m for m in found if m.id in NEEDS_ALL])
        return found, [*_about_kappa(ratings, read_measures(given)), *told]
    every, told = all_measures("raters"), list[Note]()
    if not ratings.complete:
        left = [m for m in every if m.id in NEEDS_ALL]
        told.append(
            note(
                "measures",
                f"Left out, because they need every rater on every item: {_ids(left)}."
                f"{_instead(ratings)}",
                request=True,
            )
        )
        every = [m for m in every if m not in left]
    elif _table_numbers(ratings) > _MOST_TABLES:
        left = [m for m in every if m.id in NEEDS_TABLES]
        told.append(
            note("measures", f"Left out, because there are many pairs of raters: {_ids(left)}.")
        )
        every = [m for m in every if m not in left]
    if not ratings.identified:
        left = [m for m in every if m.id in _IDENTIFIED]
        told.append(
            note(
                "measures",
                f"Left out, because lists do not say who gave which rating: {_ids(left)}.",
            )
        )
        every = [m for m in every if m not in left]
    return tuple(every), told


def _about_kappa(ratings: Ratings, asked: Iterable[Measure]) -> list[Note]:
    """Say which kappa it is, if kappa was asked for, which is one of two raters."""
    if all(m.id != "kappa" for m in asked):
        return []
    told = (
        "Kappa of several raters is Conger's kappa (conger), which for two raters who rated all "
        "items is Cohen's kappa."
    )
    if len(ratings.raters) == 2 and not ratings.complete:
        told += " Cohen's kappa on the items that both rated is a measure of pairs of raters."
    return [note("measures", told)]


def _about_gaps(ratings: Ratings, measures: Sequence[Measure]) -> list[Note]:
    """Say which measures were asked for and are undefined because of gaps, and what to do."""
    if ratings.complete or not measures:
        return []
    need = "needs" if len({m.id for m in measures}) == 1 else "need"
    return [
        warning(
            "measures",
            f"{_ids(measures)} {need} every rater on every item.{_instead(ratings)}",
            request=True,
        )
    ]


def _instead(ratings: Ratings) -> str:
    """Return how items with gaps are left out, if any item is left then."""
    full = ratings.full
    if not full.any():
        return ""
    left = plural(ratings.number(~full), "item")
    return f" missing='skip' leaves out {left} with gaps, and {ratings.number(full):,} remain."


def _check_identified(ratings: Ratings, measures: Iterable[Measure]) -> None:
    """Raise an error for measures of single raters if it is not known who gave which rating."""
    of_raters = [m for m in measures if m.id in _IDENTIFIED]
    if of_raters and not ratings.identified:
        raise InputError(
            f"Who gave which rating must be known for {quoted(map(str, of_raters))}, and lists of "
            "different length do not say.",
            parameter="measures",
            hint="Give a column per rater, with None where a rater did not rate an item, or leave "
            "them out; fleiss, ac2 and krippendorff do without.",
        )


def _table_numbers(ratings: Ratings) -> float:
    """Return how many numbers the tables of all pairs have, of all rows that can differ."""
    k, raters = ratings.scale.k, len(ratings.raters)
    rows = min(float(len(ratings.codes)), float(k + 1) ** min(raters, 100))
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


def _pair_measures(given: MeasuresLike, ratings: Ratings) -> tuple[Measure, ...]:
    """Return the measures for pairs of raters."""
    if not ratings.identified:
        if given is not None and read_measures(given):
            raise InputError(
                "Pairs of raters need to know who gave which rating, and lists of different "
                "length do not say.",
                parameter="pair_measures",
                hint="Give a column per rater, or leave {pair_measures} out.",
                suggest={"pair_measures": ...},
            )
        return ()
    found = read_measures(PAIR_MEASURES if given is None else given)
    wrong = [str(m) for m in found if m.record.task == "quantification"]
    if wrong:
        raise InputError(
            f"{quoted(wrong)}: quantification measures compare distributions, not labels.",
            parameter="pair_measures",
        )
    for m in found:
        m.check_classes(ratings.scale.k)
    return found


def _raters(study: Study, given: Sequence[str]) -> tuple[RaterFigures, ...]:
    """Return the raters one by one, in the order in which they were given."""
    if not study.ratings.identified:
        return ()
    panel, names, k = study.panel, study.ratings.raters, study.ratings.scale.k
    severity, consistency = study.of_raters()
    found = []
    for g, name in enumerate(names):
        rated = panel.codes[:, g] != GAP
        counts = np.bincount(panel.codes[rated, g], panel.amounts[rated], k)
        found.append(
            RaterFigures(
                name,
                int(panel.items[rated].sum()),
                int(panel.items[rated & (study.rated > 1)].sum()),
                severity[g],
                consistency[g],
                tuple(float(x) for x in counts / counts.sum()),
            )
        )
    by_name = {row.rater: row for row in _standing_out(study, found)}
    return tuple(by_name[name] for name in given)


def _standing_out(study: Study, raters: Sequence[RaterFigures]) -> tuple[RaterFigures, ...]:
    """Return the raters with what is said about those who stand out."""
    enough = [row for row in raters if row.shared >= _LEAST_TO_STAND_OUT]
    constant = {row.rater: _CONSTANT for row in enough if max(row.shares) >= 1 - 1e-12}
    if len(constant) == len(raters):
        constant = {}
    if not study.settings.bootstrap or len(raters) < 3:
        return tuple(replace(row, stands_out=constant.get(row.rater, "")) for row in raters)
    relevant, beyond = _STANDS_OUT * _spread(study.panel), _quantile(study.settings.ci, len(raters))
    leans = [row.severity.value for row in enough]
    usual = float(np.median(leans)) if leans else 0.0
    found = {}
    for row in enough:
        others = [other for other in enough if other is not row]
        # A severe rater makes all others seem lenient, but moves the median little.
        from_usual = (row.severity.value - usual) * (len(raters) - 1) / len(raters)
        said = [
            constant.get(row.rater, ""),
            _leaning(row, from_usual, relevant, beyond),
            _less_consistent(row, others, beyond),
        ]
        found[row.rater] = ", ".join(filter(None, said))
    return tuple(replace(row, stands_out=found.get(row.rater, "")) for row in raters)


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
    counts = np.zeros(len(panel.values))
    for column in panel.codes.T:
        rated = column != GAP
        counts += np.bincount(column[rated], panel.amounts[rated], len(counts))
    shares = counts / counts.sum()
    mean = float(shares @ panel.values)
    return float(np.sqrt(shares @ (panel.values - mean) ** 2))


def _disputed(ratings: Ratings, panel: Panel, most: int) -> tuple[DisputedItem, ...]:
    """Return the items of largest disagreement; those that agree are none of them."""
    by_row = disagreement_of(panel.codes, panel.values)
    order = np.argsort(-by_row, kind="stable")
    enough = np.searchsorted(np.cumsum(np.bincount(panel.row_of)[order]), most)
    least = by_row[order[min(int(enough), len(order) - 1)]]
    worst = (by_row >= least) & (by_row > 0)
    places = np.flatnonzero(worst[panel.row_of])
    places = places[np.argsort(-by_row[panel.row_of[places]], kind="stable")]
    if ratings.items:  # the order of the rows does not matter
        names = {name: i for i, name in enumerate(sorted_names(ratings.items[p] for p in places))}
        by_name = [names[ratings.items[p]] for p in places]
        places = places[np.lexsort([np.array(by_name), -by_row[panel.row_of[places]]])]
    labels = ratings.scale.labels
    return tuple(
        DisputedItem(
            ratings.name(i),
            float(by_row[panel.row_of[i]]),
            {
                name: labels[code]
                for name, code in zip(ratings.raters, ratings.codes[i].tolist(), strict=True)
                if code != GAP
            },
        )
        for i in places[:most].tolist()
    )


def _check_count(disputed: Any) -> None:
    """Raise an error unless a number of items is given."""
    if isinstance(disputed, bool) or not isinstance(disputed, int) or disputed < 0:
        raise InputError(
            f"disputed={disputed!r} is not usable; a whole number of at least 0 is expected.",
            parameter="disputed",
        )


def disagreement_of(codes: Codes, values: Floats) -> Floats:
    """Return the mean squared difference of class values over pairs of raters, by row.

    It is twice the variance (r − 1 below) of the values; 0 with fewer than two ratings.
    """
    rated = codes != GAP
    own = values_of(codes, values)
    count = rated.sum(axis=1)
    mean = own.sum(axis=1) / np.maximum(count, 1)
    squares = np.where(rated, (own - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return np.asarray(2.0 * squares / np.maximum(count - 1, 1))


def _data_notices(study: Study) -> list[Note]:
    """Say what the reader should know about the data."""
    ratings, told = study.ratings, list[Note]()
    raters, items = len(ratings.raters), int(study.panel.items.sum())
    if ratings.scale.inferred:
        told.append(
            warning(
                "scale",
                f"The scale was inferred: {ratings.scale.describe()}; declare the labels if other "
                "classes exist.",
                request=True,
            )
        )
    told += list(ratings.scale.notices)
    if raters > items:
        told.append(
            warning(
                "raters",
                f"There are more raters ({raters:,}) than items ({items:,}); if the table has a "
                "row per rater, transpose it.",
                request=True,
            )
        )
    single = int(study.panel.items[study.rated == 1].sum())
    if single:
        many = "item has one rating only and counts", "items have one rating only and count"
        told.append(
            note("missing", f"{plural(single, *many)} in shares of classes, but not in agreement.")
        )
    if study.panel.effective and ratings.weight is not None:
        told.append(
            note(
                "weights",
                f"The weights make {plural(items, 'item')} worth {study.panel.effective:,.1f} of "
                "equal weight.",
            )
        )
    return told
