"""What is shown about the agreement of raters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from typing import Any

from ..errors import first_few, plural
from ..formatting import one_line
from ..measures.spec import Measure
from ..results import Agreement, DisputedItem, Judgement, RaterPair, coefficient_name
from . import repeat
from .items import RatedOpenings
from .phrases import counted, doubts, listed, number, sentence, verb, with_interval
from .rater_figures import agreement_figure, rater_grid, rater_shares_figure, severity_figure
from .texts import text_of
from .view import Col, Remark, Section, View, remarks_of, strong

MOST_SHOWN = 50  # raters in figures and grids; tables hold all
_MOST_IN_GRID = 10  # raters beyond which pairs are a list
_MOST_DISPUTED = 20
_MOST_COLUMNS = 8  # raters that have a column in the table of items
_FEW_ITEMS, _FEW_COMMON, _FEW_FOR_Z = 30, 20, 30
_TENTATIVE, _FIRM = 0.667, 0.8
_CHANCE_CORRECTED = {
    *("krippendorff", "weighted_alpha", "fleiss", "conger"),
    *("ac1", "ac2", "brennan_prediger"),
}
_EMPTY = {
    "kappas": "it has tests of two raters who rated items together",
    "pairs": "no two raters rated items together",
    "disputed": "no item was rated differently, or none was asked for",
}


def agreement_view(found: Agreement, measure: Measure | None = None) -> View:
    """Return the view of an agreement."""
    openings = openings_of(found)
    sections: dict[str, Callable[[], Section | None]] = {
        "coefficients": lambda: coefficients(found),
        "kappas": lambda: _kappas(found),
        "raters": lambda: raters(found, openings),
        "shares": lambda: _shares(found),
        "pairs": lambda: pairs(found),
        "matrix": lambda: matrix(found, openings),
        "disputed": lambda: _disputed(found, openings),
        "figures": lambda: _long(found),
    }
    return View(
        f"{len(found.raters)} raters compared" if found.raters else "Agreement of raters",
        sections,
        brief=("coefficients", "kappas", "raters", "pairs"),
        page=("coefficients", "kappas", "matrix", "raters", "disputed"),
        data="figures",
        kicker="Agreement of raters",
        facts=_size(found),
        answer=lambda: answer(found),
        checks=lambda: checks(found),
        method=lambda: _method(found),
        measures=cards([*found.coefficients, *(pair.measure for pair in found.pairs)]),
        notes=found.notes,
        signature=found.signature(),
        call=lambda: _call(found),
        items=openings.data,
        empty=_EMPTY,
    )


def openings_of(found: Agreement | Judgement) -> RatedOpenings:
    """Return which items the numbers on the page open."""
    return RatedOpenings(found.examples, tuple(one_line(str(x)) for x in found.scale.labels))


def cards(measures: Iterable[Measure]) -> list[tuple[str, Measure]]:
    """Return the measures to be explained: variants of one measure share a card."""
    variants: dict[str, list[Measure]] = {}
    for measure in dict.fromkeys(measures):
        variants.setdefault(measure.id, []).append(measure)
    return [(", ".join(map(coefficient_name, group)), group[0]) for group in variants.values()]


def items_of(items: int, found: Agreement) -> str:
    """Return the number of items, with their weights and clusters if they have any."""
    weighted = "weighted " if found.effective else ""
    size = f"{items:,} {weighted}{'item' if items == 1 else 'items'}"
    if found.effective and items == found.items:
        size += f" (worth {found.effective:,.1f} of equal weight)"
    return size + (f" in {plural(found.clusters, 'cluster')}" if found.clusters else "")


def _count(found: Agreement) -> int:
    return int(found.about.get("raters", len(found.raters)))


def _size(found: Agreement) -> str:
    """Return what was rated by how many."""
    size = f"{plural(_count(found), 'rater')}, {items_of(found.items, found)}"
    shared = ""
    if found.shared < found.items:
        shared = f", {plural(found.shared, 'item')} with two ratings or more"
    ratings = plural(found.ratings, "rating")
    return f"{size}, {ratings}{shared}, scale {found.scale.describe()}"


def interval_heading(name: str, found: Agreement | Judgement) -> str:
    """Return a heading that says which intervals are in brackets."""
    return f"{name} [{100 * found.level:g} % interval]" if found.replicates else name


def _over(found: Agreement) -> str:
    """Return what intervals generalise to."""
    return text_of(f"raters.{found.over.replace(' ', '_')}")


# Sections.


def coefficients(found: Agreement) -> Section | None:
    """Return one row per coefficient."""
    rows = list(found.coefficients.items())
    columns = [
        Col("measure", lambda row: row[0]),
        Col("coefficient", lambda row: coefficient_name(row[0])),
        Col(interval_heading("agreement", found), lambda row: row[1], 4, data="value"),
    ]
    notes = doubts((coefficient_name(m), e) for m, e in rows)
    notes += [f"Intervals are for {_over(found)}."] if found.method else []
    figures = [agreement_figure(found)] if rows else []
    return Section("coefficients", _size(found), rows, columns, notes, figures)


def _kappas(found: Agreement) -> Section | None:
    """Return kappa of two raters with analytic standard errors."""
    if not found.kappas:
        return None
    columns = [
        Col("measure"),
        Col("kappa", lambda row: row.value, 4),
        Col("s.e.", lambda row: row.se, 4, data="se"),
        Col("s.e. under chance", lambda row: row.se_null, 4, data="se_null"),
        Col("z", digits=2),
        Col("p", style="p"),
    ]
    notes = [text_of("raters.kappas")]
    notes += [text_of("raters.rough")] if found.shared < _FEW_FOR_Z else []
    return Section("kappas", "Two raters: analytic kappa", found.kappas, columns, notes)


def raters(found: Agreement, openings: RatedOpenings) -> Section | None:
    """Return one row per rater."""
    if len(found.raters) < 2:
        return None
    some = any(row.shared != row.items for row in found.raters)
    columns = [
        Col("rater"),
        Col(
            "items",
            lambda row: row.items,
            0,
            opens=lambda row: openings.rated(row.rater, row.items),
        ),
        Col(
            "shared",
            lambda row: row.shared,
            0,
            shown=some,
            opens=lambda row: openings.rated(row.rater, row.shared, shared=True),
        ),
        Col(
            interval_heading("severity", found),
            lambda row: row.severity,
            3,
            "signed",
            data="severity",
        ),
        Col(
            interval_heading("consistency", found),
            lambda row: row.consistency,
            3,
            data="consistency",
        ),
        Col("stands out", shown=False),
    ]
    notes = [text_of("raters.severity")]
    notes += [text_of("raters.shared")] if some else []
    notes += [f"{row.rater} {row.stands_out}." for row in found.raters if row.stands_out]
    notes += doubts(
        (f"{name} of {row.rater}", e)
        for row in found.raters
        for name, e in (("severity", row.severity), ("consistency", row.consistency))
    )
    figures = [severity_figure(found, MOST_SHOWN), rater_shares_figure(found, MOST_SHOWN)]
    return Section("raters", "Raters one by one", found.raters, columns, notes, figures)


def _shares(found: Agreement) -> Section | None:
    """Return the share of each class among the ratings of each rater."""
    if not found.raters:
        return None

    def of(k: int, label: object) -> Col:
        return Col(str(label), lambda row: row.shares[k], 3)

    columns = [Col("rater"), *(of(k, x) for k, x in enumerate(found.scale.labels))]
    return Section("shares", "Share of each class", found.raters, columns)


def pairs(found: Agreement | Judgement) -> Section | None:
    """Return every pair under every measure: a square of a few raters, else a list."""
    if not found.pairs:
        return None
    as_gold = isinstance(found, Judgement)
    names = list(dict.fromkeys(n for pair in found.pairs for n in (pair.first, pair.second)))
    square = 2 < len(names) <= _MOST_IN_GRID
    columns = [
        Col("measure", shown=not square),
        Col("gold" if as_gold else "first", lambda row: row.first, data="first", shown=not square),
        Col(
            "rater" if as_gold else "second",
            lambda row: row.second,
            data="second",
            shown=not square,
        ),
        Col("items", digits=0, shown=not square),
        Col(
            interval_heading("score", found),
            lambda row: row,
            4,
            data="score",
            shown=not square,
        ),
    ]
    told = [(f"{p.first} and {p.second}", p) for p in found.pairs]
    measures = list(dict.fromkeys(pair.measure for pair in found.pairs))
    parts = [_square(found.pairs, names, m) for m in measures[:1]] if square else []
    return Section(
        "pairs", "Pairs of raters", found.pairs, columns, parts=parts, notes=doubts(told)[:5]
    )


def _square(pairs: Sequence[RaterPair], names: Sequence[str], measure: Measure) -> Section:
    scores = {(p.first, p.second): p.value for p in pairs if p.measure == measure}
    if "symmetric" in measure.claims:
        scores |= {(b, a): value for (a, b), value in scores.items()}

    def of(column: str) -> Col:
        return Col(column, lambda name: "" if name == column else scores.get((name, column)), 3)

    gold = "rater" if "symmetric" in measure.claims else "gold"
    return Section(
        "pairs",
        f"Pairs of raters: {measure} {measure.arrow}",
        names,
        [Col(gold, str), *map(of, names)],
    )


def matrix(found: Agreement | Judgement, openings: RatedOpenings) -> Section | None:
    """Return everybody against everybody as a grid, and class by class."""
    if not found.pairs:
        return None
    grid, first = rater_grid(found, most=MOST_SHOWN), found.pairs[0].measure
    others = list(dict.fromkeys(pair.measure for pair in found.pairs if pair.measure != first))
    parts = []
    if others and not grid.compact:
        grids = [rater_grid(found, m) for m in others]
        parts.append(Section("more-pairs", "Under other measures", figures=grids))
    if tables := openings.tables():
        parts.append(Section("class-by-class", "Class by class", figures=tables))
    told = [(f"{p.first} and {p.second}", p) for p in found.pairs if isnan(p.value)]
    return Section(
        "matrix", "Everybody against everybody", figures=[grid], parts=parts, notes=doubts(told)
    )


def _disputed(found: Agreement, openings: RatedOpenings) -> Section | None:
    """Return the items of largest disagreement with the ratings that they got."""
    if not found.disputed:
        return None
    columns = [
        Col("item", opens=lambda row: openings.item(row.item)),
        Col("disagreement", digits=3),
        Col("ratings", lambda row: voices(row, found.scale.labels)),
        *text_columns(openings),
    ]
    note = text_of("raters.disputed")
    rows = found.disputed[:_MOST_DISPUTED]
    return Section(
        "disputed",
        "Disputed items, worst first",
        rows,
        columns,
        [note],
        data_rows=lambda: found.disputed,
    )


def text_columns(openings: RatedOpenings) -> list[Col]:
    """Return the column of texts, if there are any."""
    there = openings.examples is not None
    return [Col("text", lambda row: openings.text(row.item), data="")] if there else []


def voices(row: DisputedItem, labels: Sequence[Any], but: str = "") -> str:
    """Return the classes given from the lowest, with the raters who gave each or their number."""
    by_class: dict[Any, list[str]] = {}
    for rater, label in row.ratings.items():
        if rater != but:
            by_class.setdefault(label, []).append(rater)
    place = {label: i for i, label in enumerate(labels)}
    ordered = sorted(by_class.items(), key=lambda pair: place.get(pair[0], len(place)))
    return "; ".join(
        f"{label} ({', '.join(who) if len(who) <= _MOST_COLUMNS else f'{len(who):,} raters'})"
        for label, who in ordered
    )


def _long(found: Agreement) -> Section:
    """Return every number with its interval, one row each."""
    every = found.items, found.shared
    rows: list[tuple[Any, ...]] = [
        ("coefficient", m, "", "", *every, e) for m, e in found.coefficients.items()
    ]
    for name in ("severity", "consistency"):
        rows += [
            (name, name, r.rater, "", r.items, r.shared, getattr(r, name)) for r in found.raters
        ]
    rows += [("pair", p.measure, p.first, p.second, p.items, p.items, p) for p in found.pairs]
    names = ("kind", "measure", "rater", "other")

    def of(i: int, digits: int | None = None) -> Callable[[Any], Any]:
        return lambda row: row[i]

    columns = [Col(name, of(i)) for i, name in enumerate(names)]
    columns += [Col("items", of(4), 0), Col("shared", of(5), 0), Col("value", of(6), 4)]
    return Section("figures", _size(found), rows, columns)


# Sentences.


def answer(found: Agreement) -> list[str]:
    """Return how well raters agree, which of them differ, and about what."""
    return [_coefficient(found), *_convention(found), *_extremes(found), *_standing_out(found)]


def who(found: Agreement) -> str:
    """Return the raters in a few words."""
    return counted(_count(found), "rater") if _count(found) else "the raters"


def _coefficient(found: Agreement) -> str:
    """Say how well all raters agree under the first coefficient, in plain words."""
    if not found.coefficients:
        return sentence(f"no coefficient was computed for {who(found)}.")
    measure, e = next(iter(found.coefficients.items()))
    name, on = strong(coefficient_name(measure)), f"on {plural(found.shared, 'item')}"
    on += " with two ratings or more" if found.shared < found.items else ""
    if isnan(e.value):
        return f"{name} is undefined for {who(found)} {on}{f': {e.doubt}' if e.doubt else ''}."
    start = (
        f"{name} of the {who(found).removeprefix('the ')} is {with_interval(e, found.level)} {on}"
    )
    if measure.id not in _CHANCE_CORRECTED:
        return f"{start}; 1 is perfect agreement."
    left = 100 * (1 - e.value)
    share = f"{left:.0f} % of" if left < 100 else "not less than"
    return f"{start}: their disagreement is {share} that expected by chance."


def _convention(found: Agreement) -> list[str]:
    """Set the interval of alpha beside the conventional bounds."""
    measure, e = next(iter(found.coefficients.items()), (None, None))
    if measure is None or e is None or measure.id != "krippendorff" or isnan(e.value):
        return []
    low, high = (e.value, e.value) if isnan(e.low) else (e.low, e.high)
    inside = sum(low < bound <= high for bound in (_TENTATIVE, _FIRM))
    where = ("lies between", "contains one of", "contains both of")[inside]
    where = "lies above" if low >= _FIRM else "lies below" if high < _TENTATIVE else where
    what = "coefficient" if low == high else "interval"
    return [text_of("raters.convention", what=what, where=where)]


def _extremes(found: Agreement) -> list[str]:
    """Name the pairs that agree most and least."""
    first = found.pairs[0].measure if found.pairs else None
    known = [p for p in found.pairs if p.measure == first and not isnan(p.value)]
    if first is None or len(known) < 2:
        return []
    ordered = sorted(known, key=lambda pair: -first.sign * pair.value)
    (most, least), values = (
        [f"{strong(p.first)} and {strong(p.second)}" for p in (ordered[0], ordered[-1])],
        [number(p.value) for p in (ordered[0], ordered[-1])],
    )
    return [
        f"Of {counted(len(known), 'pair')}, {most} agree most, {least} least "
        f"({first.short} {values[0]} and {values[1]})."
    ]


def outstanding(found: Agreement) -> str:
    """Return the raters who stand out by the reason; empty if there are none."""
    by_reason: dict[str, list[str]] = {}
    for row in found.raters:
        if row.stands_out:
            by_reason.setdefault(row.stands_out, []).append(row.rater)
    return "; ".join(f"{listed(names, 4)} ({why})" for why, names in by_reason.items())


def _standing_out(found: Agreement) -> list[str]:
    if told := outstanding(found):
        return [f"Standing out: {told}."]
    return ["No rater stands out."] if len(found.raters) > 2 and found.replicates else []


def _method(found: Agreement) -> list[str]:
    """Say how coefficients and intervals were made, and whose they are."""
    intervals = text_of("result.no_intervals")
    if found.method:
        clusters = found.method == "t" and "clusters" in found.over
        values = {"level": 100 * found.level, "draws": found.replicates, "seed": found.seed}
        key = "t_clusters" if clusters else found.method
        intervals = text_of(f"raters.{key}", over=_over(found), **values)
    size = {"items": items_of(found.items, found), "ratings": plural(found.ratings, "rating")}
    scale = found.scale.describe()
    rated = text_of("raters.method", who=sentence(who(found)), scale=scale, **size)
    source = [f"The coefficient is that of {m.record.citation}." for m in found.measures[:1]]
    return [rated, intervals, *source]


def checks(found: Agreement) -> list[Remark]:
    """Return the notes, and what the data allow or forbid to conclude."""
    return [*remarks_of(found.notes), *_gaps(found), *_sizes(found), *_classes(found)]


def _gaps(found: Agreement) -> list[Remark]:
    full = found.items * len(found.raters)
    if not full:
        return []
    if found.ratings >= full:
        return [Remark("ok", "Every rater rated every item.")]
    share = 100 * (1 - found.ratings / full)
    return [Remark("note", f"{share:.3g} % of the {full:,} ratings are missing.")]


def _sizes(found: Agreement) -> list[Remark]:
    first, made = found.pairs[0].measure if found.pairs else None, []
    few = [p for p in found.pairs if p.measure == first and p.items < _FEW_COMMON]
    if few:
        share = verb(len(few), "shares", "share")
        made.append(
            Remark(
                "note",
                f"{plural(len(few), 'pair')} of raters {share} fewer than {_FEW_COMMON} items.",
            )
        )
    if found.shared < _FEW_ITEMS:
        made.append(
            Remark("warning", text_of("raters.few_items", items=plural(found.shared, "item")))
        )
    return made


def _classes(found: Agreement) -> list[Remark]:
    if not found.raters:
        return []
    constant = [row.rater for row in found.raters if max(row.shares, default=0.0) >= 1 - 1e-12]
    gives = verb(len(constant), "gives", "give")
    text = text_of("raters.constant", who=f"{first_few(constant, 4)} {gives}")
    made = [
        Remark("warning", text)
        if constant
        else Remark("ok", "All raters give more than one class.")
    ]
    used = [any(row.shares[k] for row in found.raters) for k in range(found.scale.k)]
    unused = [str(x) for x, is_used in zip(found.scale.labels, used, strict=True) if not is_used]
    if unused:
        made.append(Remark("note", f"Never given: {first_few(unused, 4)}."))
    return made


# How to repeat it.


def settings(found: Agreement | Judgement) -> dict[str, Any]:
    """Return the settings that every result on raters has, by their names in Python."""
    made = {
        "labels": list(found.scale.labels),
        "values": None if found.scale.values is None else list(found.scale.values),
        "bins": found.about.get("bins"),
        "missing": found.about.get("missing"),
        "over": "both" if found.over.endswith("raters") else found.over,
        "bootstrap": found.replicates,
        "ci": found.level if found.replicates else None,
        "rng": found.seed,
    }
    return {name: value for name, value in made.items() if value is not None}


def call(
    name: str,
    found: Agreement | Judgement,
    data: Sequence[str],
    named: Mapping[str, Sequence[str]],
    given: Mapping[str, Any],
    slices: bool = False,
) -> tuple[str, str]:
    """Return the command and the call that repeat a result on raters."""
    options = {**given, **settings(found)}
    roles = ["slices"] * slices + ["cluster"] * found.over.startswith("clusters")
    typed = [repeat.named(role, names) for role, names in named.items() if names]
    command = repeat.command(
        name, ["DATA", *typed, *(f"--{r} {r.upper()}" for r in roles)], options
    )
    return command, repeat.python(name, [*data, *(f"{r}={r}" for r in roles)], options)


def _call(found: Agreement) -> tuple[str, str]:
    held = {"measures": found.measures, "pair_measures": found.pair_measures}
    given = {name: ", ".join(map(str, measures)) for name, measures in held.items() if measures}
    return call("agreement", found, ["ratings"], {"raters": found.rater_names}, given)
