"""The list of measures, and what to know about each: its card."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import log2
from typing import TYPE_CHECKING, Any

from ..measures.registry import notation
from ..measures.spec import Measure, parse_measure
from .plain_formula import plain_formula, plain_indices
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
_ELSEWHERE = ("Scale", "Properties")  # too much for a screen: on the site and in JSON


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
        Col("also called", _aliases, shown=False),
    ]
    return View(Section("measures", title, listed, columns, notes=[_LEGEND, *notes]))


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
    return f"{by_size[1]:.4g} (K = {_SIZES[1]})".replace("-", "−")


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
    if m.record.task not in ("classification", "quantification"):  # whose axioms are not known
        return []
    marks = groupby(axiom_marks(m), lambda known: known[0])
    lines = [f"{mark} {', '.join(axiom.title for _, axiom in known)}" for mark, known in marks]
    return [*lines, f'`ordeval axioms "{m}"` {"explains them" if lines else "searches them"}']


def card(m: Measure) -> list[tuple[str, list[str]]]:
    """Return what to know about a measure: headings, each with its lines."""
    known, record = facts(m), m.record
    limit = f"at most {record.largest_k} classes" if record.largest_k else ""
    parts = [
        ("Use", [known["use"]]),
        ("Avoid", [known["avoid"]]),
        ("Range", [known["range"], known["range_note"]]),
        ("Formula", [plain_formula(known["formula"])]),
        ("Where", symbols_of(m)),
        ("Scale", [f"{record.scale}: {texts_of('scales')[record.scale]}", limit]),
        (
            "Parameters",
            [f"{n} = {p['value']!r}; takes {p['allowed']}" for n, p in known["parameters"].items()],
        ),
        ("Properties", known["properties"]),
        ("Axioms", _axiom_lines(m)),
        ("Intervals", [known["intervals"]]),
        ("Undefined", [f"when {reason}" for reason in known["undefined"]] or ["never"]),
        ("Aliases", [_aliases(m)]),
        ("Source", [known["citation"]]),
        ("Try", [texts_of(part)[record.task].format(m) for part in ("commands", "calls")]),
    ]
    return [(heading, list(filter(None, lines))) for heading, lines in parts if any(lines)]


def _aliases(m: Measure) -> str:
    """Return the other names of a measure, then those of its variants."""
    names: dict[str, list[str]] = {m.specification: []}
    for alias in m.record.aliases:
        names.setdefault(parse_measure(alias).specification, []).append(alias)
    own, *others = [(variant, ", ".join(aliases)) for variant, aliases in names.items()]
    return "; ".join(filter(None, (own[1], *(f"{text} = {name}" for name, text in others))))


def symbols_of(*variants: Measure) -> list[str]:
    """Return the meaning of every symbol of formulas of a measure, and of these meanings."""
    card, common = variants[0].record.card, notation(variants[0].record.task)
    found = [symbol_definition(*pair) for pair in card.symbols.items()]
    text = " ".join([*(plain_formula(m.formula) for m in variants), *found])
    used: list[str] = []
    while new := [s for s in common if s not in (*used, *card.symbols) and _occurs(s, text)]:
        used += new
        text += " ".join(common[s] for s in new if s != "K")
    return [*found, *(symbol_definition(s, common[s]) for s in common if s in used)]


def _occurs(symbol: str, text: str) -> bool:
    """Return whether a text has a symbol by itself, also as one of two indices."""
    spaced = re.sub(r"_([^\W\d_])([^\W\d_])\b", r"_ \1 \2 ", text.replace("'", "′"))
    plain = re.escape(plain_formula(symbol))
    return re.search(rf"(?<![^\W\d_]){plain}(?![^\W\d_]|′)", spaced) is not None


def common_symbols(task: str) -> str:
    """Return the symbols that all formulas of a task share."""
    return "; ".join(symbol_definition(*pair) for pair in notation(task).items())


def symbol_definition(symbol: str, meaning: str) -> str:
    """Return a symbol with its meaning; a meaning may begin with the symbol and its indices."""
    plain = plain_formula(symbol)
    index = meaning.removeprefix(plain)
    has_indices = index != meaning and index[:1] in ("_", "(", "₁", "²")
    return meaning if has_indices else f"{plain}: {meaning}"


def cards_view(chosen: Sequence[Measure]) -> View:
    """Return cards as tables of two columns."""
    first, *others = map(_card_section, chosen)
    return View(replace(first, parts=others))


def _card_section(m: Measure) -> Section:
    text = m.record.card
    symbol = f" ({text.symbol or m.label})"
    better = f", {m.better} is better" if m.record.directed else ""
    parts = {"Meaning": [text.description], **dict(card(m))}
    if m.specification != m.key:
        parts = {"Measure": [m.specification], **parts}
    own, where = len(text.symbols), parts.get("Where", [])
    parts |= {"Where": [*where[:own], "; ".join(where[own:])]} if where else {}
    rows = [
        ("" if i else heading, line if heading == "Try" else plain_indices(line))
        for heading, lines in parts.items()
        for i, line in enumerate(filter(None, lines))
        if heading not in _ELSEWHERE
    ]
    columns = [Col("", lambda row: row[0], data=" "), Col(" ", lambda row: row[1], data=" ")]
    return Section("card", f"{m.key}: {text.title}{symbol}{better}", rows, columns)
