"""The list of measures, and what to know about each: its card."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING, Any

from ..measures.registry import notation
from ..measures.spec import Measure, parse_measure, usual_variants
from .texts import texts_of
from .view import Col, Section, View

if TYPE_CHECKING:
    from ..meta import Axiom

_LEGEND = (
    "↑ higher is better, ↓ lower is better; K is the number of classes, which have the values 1..K "
    "in the ranges."
)
_SIZES = (3, 5, 7)  # numbers of classes that tell how bounds depend on it
_SHAPES: Mapping[str, Callable[[int], float]] = {
    "K−1": lambda k: k - 1,
    "(K−1)²": lambda k: (k - 1) ** 2,
    "log₂ K": log2,
    "1/K": lambda k: 1 / k,
}
_GREEK = {
    "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "sigma": "σ", "pi": "π", "mu": "μ",
    "rho": "ρ",
}  # fmt: skip


def list_view(listed: Sequence[Measure], title: str, notes: Sequence[str]) -> View:
    """Return measures in their usual variants, grouped by family."""
    first = {m.record.family: m for m in reversed(listed)}
    columns = [
        Col(
            "family",
            lambda m: m.record.family if first[m.record.family] is m else "",
            key="record.family",
        ),
        Col("measure", lambda m: f"{m.key} {m.arrow}", key="key"),
        Col("name", "label"),
        Col("better", shown=False),
        Col("range", range_of),
        Col("also called", lambda m: ", ".join(_other_names(m)), shown=False),
    ]
    return View(Section("measures", title, listed, columns, notes=[_LEGEND, *notes]))


def _other_names(m: Measure) -> list[str]:
    """Return other names of this variant; the first also gets those of variants not listed."""
    variants = usual_variants(m.record)
    own = [] if m.specification == m.key else [m.specification]
    for alias in m.record.aliases:
        named = parse_measure(alias)
        if named == m and alias != m.key:
            own.append(alias)
        elif m == variants[0] and named not in variants:
            own.append(f"{alias} = {named.specification}")
    return own


def range_of(m: Measure) -> str:
    """Return the bounds for class values 1..K, in terms of K where they depend on it."""
    low, high = zip(*(m.bounds(k) for k in _SIZES), strict=True)
    return f"{_bound(low)} … {_bound(high)}"


def _bound(by_size: tuple[float, ...]) -> str:
    if len(set(by_size)) == 1:
        return f"{by_size[0]:g}".replace("inf", "∞").replace("-", "−")
    for name, shape in _SHAPES.items():
        if all(abs(shape(k) - b) < 1e-12 for k, b in zip(_SIZES, by_size, strict=True)):
            return name
    return f"{by_size[1]:g} (K = {_SIZES[1]})".replace("-", "−")


def facts(m: Measure) -> dict[str, Any]:
    """Return everything that is known about a measure, as plain data."""
    record, text = m.record, m.record.card
    return {
        "key": m.key,
        "name": m.label,
        "measure": m.specification,
        "title": text.title,
        "symbol": text.symbol,
        "task": record.task,
        "family": record.family,
        "better": m.better,
        "range": range_of(m),
        "range_note": text.range_note,
        "scale": record.scale,
        "description": text.description,
        "use": text.use,
        "avoid": text.avoid,
        "formula": m.formula,
        "symbols": {**notation(record.task), **text.symbols},
        "parameters": {
            p.name: {"value": m.params[p.name], "default": p.default, "allowed": p.allowed}
            for p in record.parameters
        },
        "properties": [text for claim, text in claims_of(record.task).items() if claim in m.claims],
        "axioms": {axiom.id: holds for axiom, holds in _axioms(m).items()} or None,
        "intervals": m.interval_note,
        "undefined": [condition.reason for condition in record.undefined(m.params)],
        "aliases": {alias: parse_measure(alias).specification for alias in record.aliases},
        "citation": text.citation,
    }


def claims_of(task: str) -> dict[str, str]:
    """Return what the claims of records say about measures of a task."""
    return texts_of("claims_of_raters" if task == "raters" else "claims")


def _axioms(m: Measure) -> dict["Axiom", bool | None]:
    """Return whether each axiom holds in every case tried; nothing if none was searched."""
    from ..meta import axioms_of  # slow to load, and the list of measures does not need it

    if m.axioms is None:
        return {}
    return {axiom: m.satisfies(axiom.id) for axiom in axioms_of(m.record.task)}


def axiom_marks(m: Measure) -> list[tuple[str, "Axiom"]]:
    """Return the axioms that were searched, each with ✓ or ✗; those that hold come first."""
    known = [(axiom, holds) for axiom, holds in _axioms(m).items() if holds is not None]
    return [
        ("✓" if holds else "✗", axiom) for axiom, holds in sorted(known, key=lambda k: not k[1])
    ]


def _axiom_lines(m: Measure) -> list[str]:
    if m.record.task in ("raters", "ratings"):  # whose axioms are not known
        return []
    command = f'`ordeval axioms "{m}"`'
    lines = [f"{mark} {axiom.title}: {axiom.statement}" for mark, axiom in axiom_marks(m)]
    if not lines:
        return [f"not searched for this variant: {command} does it"]
    return [*lines, f"{command} searches again and shows counter-examples"]


def card(m: Measure) -> list[tuple[str, list[str]]]:
    """Return what to know about a measure: headings, each with its lines."""
    known, record = facts(m), m.record
    names = known["aliases"].items()
    better = f", {m.better} is better" if record.directed else ""
    limit = f"at most {record.largest_k} classes" if record.largest_k else ""
    parts = [
        ("Use", [known["use"]]),
        ("Avoid", [known["avoid"]]),
        ("Range", [known["range"] + better, known["range_note"]]),
        ("Formula", [known["formula"]]),
        ("Where", [*own_symbols(m), common_symbols(record.task, but=record.card.symbols)]),
        ("Scale", [f"{record.scale}: {texts_of('scales')[record.scale]}", limit]),
        (
            "Parameters",
            [f"{n} = {p['value']!r}; takes {p['allowed']}" for n, p in known["parameters"].items()],
        ),
        ("Properties", known["properties"]),
        ("Axioms", _axiom_lines(m)),
        ("Intervals", [known["intervals"]]),
        ("Undefined", [f"when {condition}" for condition in known["undefined"]] or ["never"]),
        ("Aliases", [n if s == m.specification else f"{n} = {s}" for n, s in names]),
        ("Source", [known["citation"]]),
        ("Try", [texts_of(part)[record.task].format(m) for part in ("commands", "calls")]),
    ]
    return [(heading, list(filter(None, lines))) for heading, lines in parts if any(lines)]


def own_symbols(m: Measure) -> list[str]:
    """Return the symbols of the formula that only this measure has, each with its meaning."""
    return [symbol_definition(symbol, text) for symbol, text in m.record.card.symbols.items()]


def common_symbols(task: str, *, but: Collection[str] = ()) -> str:
    """Return the symbols of all formulas of a task, except those of another meaning."""
    shown = [symbol_definition(s, meaning) for s, meaning in notation(task).items() if s not in but]
    return "; ".join(shown)


def symbol_definition(symbol: str, meaning: str) -> str:
    """Return a symbol with its meaning; a meaning may begin with the symbol and its indices."""
    plain = symbol.lstrip("\\").replace("C^+", "C⁺").replace("'", "′")
    for name, letter in _GREEK.items():
        plain = plain.replace(name, letter)
    index = meaning.removeprefix(plain)
    has_indices = index != meaning and index[:1] in ("_", "(", "₁", "²")
    return meaning if has_indices else f"{plain}: {meaning}"


def cards_view(chosen: Sequence[Measure]) -> View:
    """Return cards as tables of two columns."""
    first, *others = map(_card_section, chosen)
    return View(replace(first, parts=others))


def _card_section(m: Measure) -> Section:
    text = m.record.card
    title = f"{m.key} {m.arrow}  {text.title} ({text.symbol or m.label})"
    parts = [("Measure", [m.specification]), ("Says", [text.description]), *card(m)]
    rows = [
        ("" if i else heading, line) for heading, lines in parts for i, line in enumerate(lines)
    ]
    columns = [Col("", lambda row: row[0], data=" "), Col(" ", lambda row: row[1], data=" ")]
    return Section("card", title, rows, columns)
