"""Tables about several raters: coefficients, raters one by one, pairs, disputed items."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

from ..errors import InputError, first_few, plural
from ..measures.spec import Measure
from ..rater_results import (
    Agreement,
    AnalyticKappa,
    DisputedItem,
    Estimate,
    Judgement,
    RaterFigures,
    RaterPair,
)
from ..table import (
    Cell,
    Column,
    Heading,
    Table,
    columns_of,
    count,
    figure,
    interval,
    nothing_in,
    numeric,
    p_value,
    table,
    tabulate,
    words,
)
from .result_tables import DOUBT

_NO_ERROR = "No standard error where all items agree alike: its formula would give 0."
_SHOWN_ABOVE = 0.0005  # numbers that do not round to 0.000
_FEW_FOR_Z = 30  # items that two raters share
_MOST_NAMED = 8
_MOST_PRINTED = 10  # disputed items, and raters beyond which grids of pairs are lists


def agreement_tables(found: Agreement, what: str | None = None) -> list[Table]:
    """Return all tables, or the one that `what` names: the coefficients first."""
    if what is not None:
        if what not in KINDS:
            raise InputError(
                f"There is no table {what!r}; there are {', '.join(KINDS)}.", parameter="what"
            )
        return KINDS[what](found)
    made = [one for kind in KINDS.values() for one in kind(found)]
    first, *others = made
    last = [f"Signature: {found.signature}"]
    if not others:
        return [replace(first, notes=(*first.notes, *last))]
    return [first, *others[:-1], replace(others[-1], notes=(*others[-1].notes, *last))]


def overview_tables(found: Agreement) -> list[Table]:
    """Return what printing shows: coefficients, raters and pairs under the first measure.

    Of two raters all measures of pairs are shown, with intervals.
    """
    made = [*coefficient_tables(found), *kappa_tables(found), *rater_tables(found)]
    made += _grids(found, found.pair_measures[:1])
    if len(found.raters) == 2:
        made += pair_tables(found)
    last = made[-1]
    return [*made[:-1], replace(last, notes=(*last.notes, f"Signature: {found.signature}"))]


def coefficient_tables(found: Agreement) -> list[Table]:
    """Return one row per coefficient."""
    rows = list(found.coefficients.items())
    columns: list[Column[Any]] = [
        (Heading("measure"), lambda row: measure_cell(row[0])),
        (Heading("agreement", True, plain="value"), lambda row: figure(row[1].value)),
        *_interval_columns(found, lambda row: row[1]),
    ]
    notes = [*_doubts(rows), *_interval_note(found)]
    if any(isnan(e.se) and not isnan(e.low) for _, e in rows):
        notes.append(_NO_ERROR)
    notes += found.notices
    return [tabulate(rows, columns, title=_size(found), notes=notes)]


def measure_cell(measure: Measure) -> Cell:
    """Return a measure, by its short name where there is little room."""
    return replace(words(measure), short=measure.short)


def _size(found: Agreement) -> str:
    """Return what was rated by how many."""
    raters = int(found.about.get("raters", len(found.raters)))
    size = items_of(found.items, found)
    shared = ""
    if found.shared < found.items:
        shared = f", {plural(found.shared, 'item')} with two ratings or more"
    return (
        f"{plural(raters, 'rater')}, {size}, {plural(found.ratings, 'rating')}{shared}, scale "
        f"{found.scale.describe()}"
    )


def items_of(items: int, found: Agreement) -> str:
    """Return the number of items, with their weights and clusters if they have any."""
    weighted = "weighted " if found.effective else ""
    size = f"{items:,} {weighted}{'item' if items == 1 else 'items'}"
    if found.effective and items == found.items:
        size += f" (worth {found.effective:,.1f} of equal weight)"
    return size + (f" in {plural(found.clusters, 'cluster')}" if found.clusters else "")


def _interval_columns(
    found: Agreement, estimate: Callable[[Any], Estimate], *, se: bool = True
) -> list[Column[Any]]:
    """Return the columns of intervals and standard errors, if there are any."""
    if not found.method:
        return []
    heading = Heading(f"{100 * found.level:g} % interval", True, parts=("low", "high", "doubt"))

    def ends(row: Any) -> Cell:
        e = estimate(row)
        cell = interval(e.low, e.high)
        if not cell.value:  # CSV has the reason
            return replace(cell, value=(e.low, e.high, e.doubt)) if e.doubt else cell
        text = f"{cell.text} {DOUBT}" if e.doubt else cell.text
        return replace(cell, text=text, value=(e.low, e.high, e.doubt))

    shown: list[Column[Any]] = [(heading, ends)]
    if se:
        shown.append((Heading("s.e.", True, plain="se"), lambda row: figure(estimate(row).se)))
    return shown


def _doubts(rows: Iterable[tuple[Any, Estimate]]) -> list[str]:
    """Say why figures are undefined, or have no intervals, and why intervals are doubtful."""
    undefined: dict[str, list[str]] = {}
    without: dict[str, list[str]] = {}
    doubted: dict[str, list[str]] = {}
    figures = list(rows)
    for name, e in figures:
        if e.doubt:
            where = undefined if isnan(e.value) else without if isnan(e.low) else doubted
            where.setdefault(e.doubt, []).append(str(name))
    return [
        *(f"Undefined, because {why}: {_some(names)}." for why, names in undefined.items()),
        *(f"No interval, because {why}{_which(names, figures)}." for why, names in without.items()),
        *(f"{DOUBT} The interval may cover less than its level, because {why}." for why in doubted),
    ]


def _which(names: list[str], figures: Sequence[tuple[Any, Estimate]]) -> str:
    """Return the names of figures; nothing if these are all that have a value."""
    return "" if len(names) == sum(not isnan(e.value) for _, e in figures) else f": {_some(names)}"


def _some(names: list[str]) -> str:
    return first_few(names, _MOST_NAMED)


def _interval_note(found: Agreement) -> list[str]:
    """Say what intervals generalise to."""
    if not found.method:
        return []
    which = {
        "items": "other items with these raters",
        "clusters": "other clusters of items with these raters",
        "items and raters": "other items and other raters",
        "clusters and raters": "other clusters of items and other raters",
    }
    return [f"Intervals are for {which[found.over]}."]


def kappa_tables(found: Agreement) -> list[Table]:
    """Return kappa of two raters with analytic standard errors."""
    if not found.kappas:
        return []
    columns: list[Column[AnalyticKappa]] = [
        (Heading("measure"), lambda row: measure_cell(row.measure)),
        (Heading("kappa", True), lambda row: figure(row.value)),
        (Heading("s.e.", True, plain="se"), lambda row: figure(row.se)),
        (Heading("s.e. under chance", True, short="s.e.₀"), lambda row: figure(row.se_null)),
        (Heading("z", True), lambda row: figure(row.z, 2)),
        (Heading("p", True), lambda row: p_value(row.p)),
    ]
    notes = ["Standard errors by the formulas of Fleiss, Cohen & Everitt (1969)."]
    if any(isnan(row.se) for row in found.kappas):
        notes.append(_NO_ERROR)
    if found.shared < _FEW_FOR_Z:
        notes.append(
            f"z and p rest on the normal distribution and are rough with fewer than {_FEW_FOR_Z} "
            "items."
        )
    return [tabulate(found.kappas, columns, title="Two raters: analytic kappa", notes=notes)]


def rater_tables(found: Agreement) -> list[Table]:
    """Return one row per rater."""
    if len(found.raters) < 2:
        return []
    columns: list[Column[RaterFigures]] = [
        (Heading("rater"), lambda row: words(row.rater)),
        (Heading("items", True), lambda row: count(row.items)),
        *_shared_items(found),
        (Heading("severity", True), lambda row: signed(row.severity.value)),
        *interval_columns(level_of(found), "severity", lambda row: row.severity),
        (Heading("consistency", True), lambda row: figure(row.consistency.value)),
        *interval_columns(level_of(found), "consistency", lambda row: row.consistency),
    ]
    notes = [
        "Severity: mean class value minus the mean of the others, item by item (positive: higher "
        "classes). Consistency: "
        "correlation with the mean of the others."
    ]
    notes += _doubts(
        (f"{name} of {row.rater}", e)
        for row in found.raters
        for name, e in (("severity", row.severity), ("consistency", row.consistency))
    )
    outstanding = [row for row in found.raters if row.stands_out]
    notes += [f"{row.rater} {row.stands_out}." for row in outstanding]
    made = tabulate(found.raters, columns, title="Raters", notes=notes)
    return [made]


def _shared_items(found: Agreement) -> list[Column[RaterFigures]]:
    """Return the column of the items that others rated, too, if these are not all of them."""
    if all(row.shared == row.items for row in found.raters):
        return []
    return [(Heading("shared", True), lambda row: count(row.shared))]


def signed(value: float) -> Cell:
    """Return a number with its sign; one that rounds to zero has none."""
    cell = figure(value, 3)
    return replace(cell, text=f"+{cell.text}") if value >= _SHOWN_ABOVE else cell


def level_of(found: Agreement | Judgement) -> float:
    """Return the level of the intervals; 0 if there are none."""
    return found.level if found.replicates else 0.0


def interval_columns(
    level: float, name: str, estimate: Callable[[Any], Estimate]
) -> list[Column[Any]]:
    """Return the column of intervals, if they have a level; doubtful ones are marked."""
    if not level:
        return []
    parts = tuple(f"{name} {end}".strip() for end in ("low", "high"))

    def ends(row: Any) -> Cell:
        e = estimate(row)
        cell = interval(e.low, e.high, 3)
        return replace(cell, text=f"{cell.text} {DOUBT}") if e.doubt and cell.value else cell

    return [(Heading(f"{100 * level:g} % interval", True, parts=parts), ends)]


def share_tables(found: Agreement) -> list[Table]:
    """Return the share of each class among the ratings of each rater."""
    if not found.raters:
        return []
    headings = [Heading("rater"), *numeric(*map(str, found.scale.labels))]
    rows = [[words(row.rater), *(figure(x, 3) for x in row.shares)] for row in found.raters]
    return [table(headings, rows, title="Share of each class")]


def pair_tables(found: Agreement) -> list[Table]:
    """Return a grid of raters for every measure of pairs, or a list if there are many raters."""
    if len(found.raters) > _MOST_PRINTED or len(found.raters) == 2:
        return [pair_list(found)] if found.pairs else []
    return _grids(found, found.pair_measures)


def _grids(found: Agreement, measures: Iterable[Measure]) -> list[Table]:
    """Return raters by raters under each measure, with intervals where there are any."""
    if len(found.raters) > _MOST_PRINTED or len(found.raters) < 3:
        return []
    names = found.rater_names
    made = []
    for m in measures:
        scores = {(row.first, row.second): row.estimate for row in found.pairs if row.measure == m}
        rows = [
            [words(first), *(_in_grid(scores, first, second) for second in names[1:])]
            for first in names[:-1]
        ]
        title = f"Pairs of raters: {m} {m.arrow}"
        made.append(table([Heading("rater"), *numeric(*names[1:])], rows, title=title))
    return made


def _in_grid(scores: dict[tuple[str, str], Estimate], first: str, second: str) -> Cell:
    found = scores.get((first, second))
    return words("") if found is None else figure(found.value, 3)


def pair_list(found: Agreement) -> Table:
    """Return one row per pair of raters and measure."""
    columns: list[Column[RaterPair]] = [
        (Heading("measure"), lambda row: measure_cell(row.measure)),
        (Heading("first"), lambda row: words(row.first)),
        (Heading("second"), lambda row: words(row.second)),
        (Heading("items", True), lambda row: count(row.items)),
        (Heading("score", True), lambda row: figure(row.estimate.value)),
        *_interval_columns(found, lambda row: row.estimate, se=False),
    ]
    notes = _doubts(
        (f"{row.measure} of {row.first} and {row.second}", row.estimate) for row in found.pairs
    )
    return tabulate(found.pairs, columns, title="Pairs of raters", keys=3, notes=notes[:5])


def disputed_tables(found: Agreement) -> list[Table]:
    """Return the items of largest disagreement with the ratings that they got."""
    if not found.disputed:
        return []
    columns: list[Column[DisputedItem]] = [
        (Heading("item"), lambda row: words(row.item)),
        (Heading("disagreement", True), lambda row: figure(row.disagreement, 3)),
        (Heading("ratings"), lambda row: words(_ratings(row))),
    ]
    note = "Disagreement: mean squared difference of class values over pairs of raters."
    return [tabulate(found.disputed, columns, title="Disputed items", notes=[note])]


def _ratings(row: DisputedItem) -> str:
    return ", ".join(f"{name}: {label}" for name, label in row.ratings.items())


KINDS: dict[str, Callable[[Agreement], list[Table]]] = {
    "coefficients": coefficient_tables,
    "kappas": kappa_tables,
    "raters": rater_tables,
    "shares": share_tables,
    "pairs": pair_tables,
    "disputed": disputed_tables,
}


EMPTY = {
    "kappas": "it has tests of two raters who rated items together",
    "pairs": "no two raters rated items together",
    "disputed": "no item was rated differently, or none was asked for",
}
"""Why a table may be empty."""


def long_agreement(found: Agreement) -> Table:
    """Return every figure with its interval in one table, for CSV files and data frames."""
    every = found.items, found.shared
    rows: list[tuple[str, str, str, str, int, int, Estimate]] = [
        *(("coefficient", str(m), "", "", *every, e) for m, e in found.coefficients.items()),
        *_of_raters("severity", found, lambda row: row.severity),
        *_of_raters("consistency", found, lambda row: row.consistency),
        *(
            ("pair", str(p.measure), p.first, p.second, p.items, p.items, p.estimate)
            for p in found.pairs
        ),
    ]
    columns: list[Column[Any]] = [
        (Heading("kind"), lambda row: words(row[0])),
        (Heading("measure"), lambda row: words(row[1])),
        (Heading("rater"), lambda row: words(row[2])),
        (Heading("other"), lambda row: words(row[3])),
        (Heading("items", True), lambda row: count(row[4])),
        (Heading("shared", True), lambda row: count(row[5])),
        (Heading("value", True), lambda row: figure(row[6].value)),
        (Heading("low", True), lambda row: figure(row[6].low)),
        (Heading("high", True), lambda row: figure(row[6].high)),
        (Heading("se", True), lambda row: figure(row[6].se)),
        (Heading("doubt"), lambda row: words(row[6].doubt)),
    ]
    return tabulate(rows, columns, title=_size(found))


def _of_raters(
    kind: str, found: Agreement, estimate: Callable[[RaterFigures], Estimate]
) -> list[tuple[str, str, str, str, int, int, Estimate]]:
    return [(kind, kind, r.rater, "", r.items, r.shared, estimate(r)) for r in found.raters]


def agreement_columns(found: Agreement, what: str | None = None) -> dict[str, Any]:
    """Return the columns of a data frame: all figures, or one of the tables."""
    if what is None:
        return columns_of(long_agreement(found))
    if what == "pairs":
        return columns_of(pair_list(found))
    made = agreement_tables(found, what)
    if not made:
        raise InputError(nothing_in(what, EMPTY), parameter="what")
    return columns_of(made[0])


def agreement_method(found: Agreement) -> list[str]:
    """Say how coefficients and intervals were made, and whose they are."""
    measure = next(iter(found.coefficients))
    how = {
        "dirichlet": f"They come from {found.replicates:,} random tables drawn around the data "
        f"(seed {found.seed}).",
        "t": "They are those of Student's t distribution, from linearised standard errors.",
    }
    if "clusters" in found.over:
        how["t"] = "They are those of Student's t distribution, from leaving out clusters."
    made = how[found.method] if found.method else ""
    return [*_interval_note(found), made, f"The coefficient is that of {measure.record.citation}."]
