"""`ordeval measures`: the list of measures, or everything about some."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING, Any

from ..measures.registry import notation, records
from ..measures.spec import Measure, parse_measure, usual_variants
from ..measures.spec import measures as all_measures
from ..report.layout import command_lines, text_width, wrapped
from ..report.view import Col, Section, View, one_section
from .option_types import Type
from .options import OUTPUT, Given, Option, Output, command
from .output import write, write_json, write_view

if TYPE_CHECKING:
    from ..meta import Axiom

_CLAIMS = {
    "symmetric": "exchanging gold and prediction changes nothing",
    "reversible": "reversing the scale changes nothing",
    "relabelable": "any permutation of the classes changes nothing: the order is not used",
    "proportional": "only shares matter: all counts doubled, same score",
    "padded": "an unused class at an end of the scale changes nothing",
    "perfect": "a perfect prediction, where it has a score, has the best one",
}
_CLAIMS_OF_RATERS = {
    "symmetric": "the order of the raters changes nothing",
    "proportional": "only shares matter: all items doubled, same figure",
    "perfect": "raters who always agree have the best figure, where they have one",
}
_SCALES = {
    "nominal": "classes are equal or not",
    "ordinal": "the order of the classes matters, not their distances",
    "interval": "the distances of the class values matter (numeric labels themselves, else 1..K, "
    "unless --values says otherwise)",
}
_EXAMPLES = {
    "classification": (
        'ordeval score data.csv --labels low,medium,high --measures "{}"',
        'oe.score(y_true, y_pred, "{}", labels=["low", "medium", "high"])',
    ),
    "quantification": (
        'ordeval quantify gold.csv run.csv --labels low,medium,high --measures "{}"',
        'oe.quantify(p_true, p_pred, measures="{}")',
    ),
    "raters": (
        'ordeval agreement ratings.csv --raters anna,ben --measures "{}"',
        'oe.agreement(ratings, measures="{}")',
    ),
}
_CARD, _LEFT = 100, 13  # columns of a card at most, and of its headings
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


def _families() -> list[str]:
    return list(dict.fromkeys(record.family for record in records().values()))


def _names() -> list[str]:
    return [name for id, record in records().items() for name in (id, *record.aliases)]


def measure_or_family(text: str) -> Measure | str:
    """Convert the name of a family, or a measure."""
    return text if text in _families() else parse_measure(text)


@command(
    Option(
        "chosen",
        Type("[MEASURE|FAMILY...]", measure_or_family, [*_families(), *_names()]),
        "Measures, by name or other name: cem, qwk, oc(beta=0.75); or families: "
        f"{', '.join(_families())}.",
        (),
        argument=True,
    ),
    OUTPUT,
)
def measures(given: Given) -> None:
    """List measures or a family, or show some: formula, range, properties, citation.

    \b
    Examples:
      ordeval measures
      ordeval measures cem
      ordeval measures qwk mae
      ordeval measures agreement
      ordeval measures --format csv --out measures.csv
    """
    output, named = given.output, [m for m in given.chosen if isinstance(m, Measure)]
    if named and len(named) == len(given.chosen) and (output.format != "csv" or len(named) == 1):
        _write_cards(named, output)
    else:
        _write_list(given.chosen, output)


def _write_list(chosen: Sequence[Measure | str], output: Output) -> None:
    """Write a list of the families and measures chosen, or of all measures."""
    usual = [m for m in all_measures(None) if not chosen or m.record.family in chosen]
    listed = [*usual, *(m for m in chosen if isinstance(m, Measure) and m not in usual)]
    if output.format == "json":
        write_json([facts(m) for m in listed], output)
        return
    families = [family for family in chosen if isinstance(family, str)]
    title = "The measures of ordeval" + (f": {', '.join(families)}" if families else "")
    example = f"`ordeval measures {listed[0].key if families else 'cem'}` shows one of them."
    write_view(_list_view(listed, title, [_LEGEND, example]), output)


def _list_view(listed: list[Measure], title: str, notes: list[str]) -> View:
    """Return measures in their usual variants, grouped by family."""
    first = {m.record.family: m for m in reversed(listed)}
    columns = [
        Col("family", lambda m: m.record.family if first[m.record.family] is m else "", data=""),
        Col("family", lambda m: m.record.family, shown=False),
        Col("measure", lambda m: f"{m.key} {m.arrow}", data=""),
        Col("measure", lambda m: m.key, shown=False),
        Col("name", lambda m: m.label),
        Col("better", lambda m: m.better, shown=False),
        Col("range", range_of),
        Col("also called", lambda m: ", ".join(_other_names(m)), shown=False),
    ]
    return one_section(Section("measures", title, listed, columns, notes=notes))


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
        "symbol": record.card.symbol,
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
    return _CLAIMS_OF_RATERS if task == "raters" else _CLAIMS


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
    if m.record.task == "raters":  # whose axioms are not known
        return []
    command = f'`ordeval axioms "{m}"`'
    lines = [f"{mark} {axiom.title}: {axiom.statement}" for mark, axiom in axiom_marks(m)]
    if not lines:
        return [f"not searched for this variant: {command} does it"]
    return [*lines, f"{command} searches again and shows counter-examples"]


def _write_cards(chosen: list[Measure], output: Output) -> None:
    if output.format == "json":
        known = [facts(m) for m in chosen]
        write_json(known if len(known) > 1 else known[0], output)
    elif output.format == "text":
        width = min(_CARD, text_width(terminal=output.out is None))
        write("\n".join(_card_text(m, width) for m in chosen), output)
    else:
        write_view(_cards_view(chosen), output)


def card(m: Measure) -> list[tuple[str, list[str]]]:
    """Return what to know about a measure: headings, each with its lines."""
    known, record = facts(m), m.record
    limit = f"at most {record.largest_k} classes" if record.largest_k else ""
    parts = [
        ("Use", [known["use"]]),
        ("Avoid", [known["avoid"]]),
        ("Range", [f"{known['range']}, {m.better} is better", known["range_note"]]),
        ("Formula", [known["formula"]]),
        ("Where", [*own_symbols(m), common_symbols(record.task, but=record.card.symbols)]),
        ("Scale", [f"{record.scale}: {_SCALES[record.scale]}", limit]),
        (
            "Parameters",
            [f"{n} = {p['value']!r}; takes {p['allowed']}" for n, p in known["parameters"].items()],
        ),
        ("Properties", known["properties"]),
        ("Axioms", _axiom_lines(m)),
        ("Intervals", [known["intervals"]]),
        ("Undefined", [f"when {condition}" for condition in known["undefined"]] or ["never"]),
        (
            "Also called",
            [
                n if s == m.specification else f"{n}, which is {s}"
                for n, s in known["aliases"].items()
            ],
        ),
        ("Source", [known["citation"]]),
        ("Try", [example.format(m) for example in _EXAMPLES[record.task]]),
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


def _card_text(m: Measure, width: int) -> str:
    """Return the card for a terminal."""
    text = m.record.card
    called = ", ".join(dict.fromkeys([m.key, m.specification]))
    title = f"{called} {m.arrow}  {text.title} ({m.record.card.symbol or m.label})"
    lines = [*wrapped(title, width), "", *wrapped(text.description, width), ""]
    for heading, sentences in card(m):
        shown = [part for line in sentences for part in _wrapped(line, width - _LEFT)]
        lines += [
            f"{heading if i == 0 else '':<{_LEFT - 1}} {part}" for i, part in enumerate(shown)
        ]
    return "\n".join(lines) + "\n"


def _wrapped(line: str, width: int) -> list[str]:
    """Wrap a line to fit a terminal; a command can still be copied."""
    if line.startswith("ordeval ") and len(line) > width:
        return command_lines(line, width)
    return wrapped(line, width, "  ")


def _cards_view(chosen: list[Measure]) -> View:
    """Return cards as tables of two columns."""
    cards = [_card_section(m) for m in chosen]
    whole = replace(cards[0], parts=cards[1:])
    return one_section(whole)


def _card_section(m: Measure) -> Section:
    parts = [("Measure", [m.specification]), ("Says", [m.record.card.description]), *card(m)]
    rows = [
        ("" if i else heading, line) for heading, lines in parts for i, line in enumerate(lines)
    ]
    columns = [Col("", lambda row: row[0], data=" "), Col(" ", lambda row: row[1], data=" ")]
    return Section("card", m.record.card.title, rows, columns)
