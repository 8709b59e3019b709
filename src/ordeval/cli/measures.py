"""`ordeval measures`: the list of measures, or the card of one."""

import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from math import log2
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..registry import records
from ..report.table import Cell, Heading, Table, table, words
from ..report.writers import FORMATS
from ..spec import Measure, parse_measure
from ..spec import measures as all_measures
from .options import Output
from .output import write, write_json

if TYPE_CHECKING:
    from ..meta import Axiom

_CLAIMS = {
    "symmetric": "exchanging gold and prediction changes nothing",
    "reversible": "turning the scale round changes nothing",
    "relabelable": "any permutation of the classes changes nothing: it sees no order",
    "proportional": "only shares matter: all counts doubled, same score",
    "padded": "an unused class at an end of the scale changes nothing",
    "perfect": "a perfect prediction, where it has a score, has the best one",
}
_SCALES = {
    "nominal": "classes are equal or not",
    "ordinal": "the order of the classes matters, not their distances",
    "interval": "the distances of the class values matter (1..K unless --values says otherwise)",
}
_CARD = 86  # columns of a card's right side
_WIDE = 150  # columns of a terminal that take the whole list
_SIZES = (3, 5, 7)  # scales that tell how bounds depend on the number of classes
_SHAPES = {
    "K−1": lambda k: k - 1,
    "(K−1)²": lambda k: (k - 1) ** 2,
    "log₂ K": log2,
}


def _known_names() -> list[str]:
    return [*records(), *(alias for record in records().values() for alias in record.aliases)]


def _families() -> list[str]:
    return list(dict.fromkeys(record.family for record in records().values()))


def _complete(incomplete: str) -> list[str]:
    return [name for name in [*_families(), *_known_names()] if name.startswith(incomplete)]


@dataclass(frozen=True)
class Which:
    """The measure or the family to show."""

    measure: Annotated[
        str | None,
        typer.Argument(
            metavar="[MEASURE|FAMILY]",
            help="A measure, by name or other name: cem, qwk, oc(beta=0.75); or a family: nominal, "
            "error, correlation, closeness, agreement, path, quantification.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = None


def measures(which: Which, output: Output) -> None:
    """List all measures or a family, or show one: formula, range, properties, citation.

    \b
    Examples:
      ordeval measures
      ordeval measures cem
      ordeval measures qwk
      ordeval measures agreement
      ordeval measures --format csv --out measures.csv
    """
    if which.measure is None or which.measure in _families():
        _write_list(which.measure, output)
    else:
        _write_card(parse_measure(which.measure), output)


def _write_list(family: str | None, output: Output) -> None:
    if output.format == "json":
        write_json([facts(m) for m in _listed(family)], output)
    else:
        write(FORMATS[output.format](list_table(family, named=_has_room(output))), output)


def _listed(family: str | None) -> list[Measure]:
    """The measures of a family, or all."""
    return [m for m in all_measures(None) if family in (None, m.record.family)]


def _has_room(output: Output) -> bool:
    """Whether the names fit: not on a narrow terminal."""
    narrow = shutil.get_terminal_size().columns < _WIDE
    return not (narrow and output.out is None and sys.stdout.isatty())


def list_table(family: str | None = None, *, named: bool = True) -> Table:
    """Every measure, or those of a family, in the usual variants, grouped by family."""
    headings = [Heading(text) for text in ("family", "measure", "range", "also called")]
    headings += [Heading("name")] if named else []
    rows = []
    for kind, group in groupby(_listed(family), lambda m: m.record.family):
        for i, m in enumerate(group):
            row = [Cell("" if i else kind, kind), words(f"{m} {m.arrow}"), words(range_of(m))]
            row.append(words(", ".join(_short_names(m))))
            rows.append(row + ([words(m.record.title)] if named else []))
    notes = (
        "↑ higher is better, ↓ lower is better; K is the number of classes.",
        f"`ordeval measures {_listed(family)[0].id if family else 'cem'}` shows one of them.",
    )
    title = "The measures of ordeval" + (f": {family}" if family else "")
    return table(headings, rows, title=title, notes=notes)


def _short_names(m: Measure) -> list[str]:
    """Other names of exactly this variant; those of no listed variant stand with the first."""
    specs = {alias: parse_measure(alias) for alias in m.record.aliases}
    variants = [v for v in all_measures(None) if v.id == m.id]
    return [
        alias
        for alias, spec in specs.items()
        if spec == m or (m == variants[0] and spec not in variants)
    ]


def range_of(m: Measure) -> str:
    """The lowest and highest possible score, in terms of K where they depend on it."""
    low, high = zip(*(m.bounds(k) for k in _SIZES), strict=True)
    return f"{_bound(low)} … {_bound(high)}"


def _bound(by_size: tuple[float, ...]) -> str:
    if len(set(by_size)) == 1:
        return f"{by_size[0]:g}".replace("inf", "∞").replace("-", "−")
    for name, shape in _SHAPES.items():
        if all(abs(shape(k) - b) < 1e-12 for k, b in zip(_SIZES, by_size, strict=True)):
            return name
    return f"{by_size[1]:g} (K = {_SIZES[1]})"


def facts(m: Measure) -> dict[str, Any]:
    """Everything that is known about a measure, as plain data."""
    record = m.record
    return {
        "measure": str(m),
        "title": record.title,
        "symbol": record.symbol,
        "task": record.task,
        "family": record.family,
        "better": m.better,
        "range": range_of(m),
        "scale": record.scale,
        "description": record.description,
        "formula": record.formula,
        "parameters": {
            p.name: {"value": m.params[p.name], "default": p.default, "allowed": p.allowed}
            for p in record.parameters
        },
        "properties": [_CLAIMS[c] for c in _CLAIMS if c in record.claims],
        "axioms": _axioms(m),
        "intervals": m.interval_note,
        "undefined": [condition.reason for condition in record.undefined(m.params)],
        "aliases": {alias: str(parse_measure(alias)) for alias in record.aliases},
        "citation": record.citation,
    }


def _axioms(m: Measure) -> dict[str, bool | None] | None:
    """Which axioms hold in every case that the search tries; None for a variant not searched."""
    from ..meta import axioms_of

    if m.axioms is None:
        return None
    return {axiom.id: m.satisfies(axiom.id) for axiom in axioms_of(m.record.task)}


def axiom_marks(m: Measure) -> list[tuple[str, "Axiom"]]:
    """Axioms of which something is known, each with ✓ or ✗; those that hold come first."""
    from ..meta import axioms_of

    known = [(m.satisfies(axiom.id), axiom) for axiom in axioms_of(m.record.task)]
    order = (("✓", True), ("✗", False))
    return [(mark, axiom) for mark, holds in order for found, axiom in known if found is holds]


def _axiom_lines(m: Measure) -> list[str]:
    """Axioms in words, and how to see why some do not hold."""
    command = f'`ordeval axioms "{m}"`'
    lines = [f"{mark} {axiom.title}: {axiom.statement}" for mark, axiom in axiom_marks(m)]
    if not lines:
        return [f"not looked into for this variant: {command} does it"]
    return [*lines, f"{command} tries them again and shows counter-examples"]


def _write_card(m: Measure, output: Output) -> None:
    if output.format == "json":
        write_json(facts(m), output)
    elif output.format == "text":
        write(card_text(m), output)
    else:
        write(FORMATS[output.format](card_table(m)), output)


def card(m: Measure) -> list[tuple[str, list[str]]]:
    """What to know about a measure: headings, each with its lines."""
    known, record = facts(m), m.record
    parameters = [
        f"{name} = {p['value']!r}, out of {p['allowed']}" for name, p in known["parameters"].items()
    ]
    limit = [f"at most {record.largest_k} classes"] if record.largest_k else []
    found = [
        ("Range", [f"{known['range']}, {m.better} is better"]),
        ("Formula", [known["formula"]]),
        ("Scale", [f"{record.scale}: {_SCALES.get(record.scale, '')}", *limit]),
        ("Parameters", parameters),
        ("Properties", known["properties"]),
        ("Axioms", _axiom_lines(m)),
        ("Intervals", [known["intervals"]] if known["intervals"] else []),
        ("Undefined", [f"when {condition}" for condition in known["undefined"]] or ["never"]),
        ("Also called", _other_names(known["aliases"], m)),
        ("Source", [record.citation]),
        ("Try", _examples(m)),
    ]
    return [(heading, lines) for heading, lines in found if lines]


def _other_names(aliases: dict[str, str], m: Measure) -> list[str]:
    return [
        name if spec == str(m) else f"{name}, which is {spec}" for name, spec in aliases.items()
    ]


def _examples(m: Measure) -> list[str]:
    if m.record.task == "quantification":
        return [
            f'ordeval quantify gold.csv run.csv --measures "{m}"',
            f'oe.quantify(p_true, p_pred, measures="{m}")',
        ]
    return [
        f'ordeval score data.csv --measures "{m}"',
        f'oe.score(y_true, y_pred, "{m}", labels=["low", "medium", "high"])',
    ]


def card_text(m: Measure) -> str:
    """The card for a terminal."""
    symbol = f" ({m.record.symbol})" if m.record.symbol else ""
    lines = [f"{m} {m.arrow}  {m.record.title}{symbol}", "", m.record.description, ""]
    for heading, found in card(m):
        shown = [part for line in found for part in _wrapped(heading, line)]
        lines += [f"{heading if i == 0 else '':<12} {part}" for i, part in enumerate(shown)]
    return "\n".join(lines) + "\n"


def _wrapped(heading: str, line: str) -> list[str]:
    """A line in parts that fit a terminal; what is to be copied stays whole."""
    if heading in ("Formula", "Try"):
        return [line]
    return wrap(line, _CARD, subsequent_indent="  ", break_long_words=False)


def card_table(m: Measure) -> Table:
    """The card as a table of two columns."""
    rows: Iterable[list[Cell]] = (
        [words("" if i else heading), words(line)]
        for heading, lines in [("Measure", [str(m)]), ("Says", [m.record.description]), *card(m)]
        for i, line in enumerate(lines)
    )
    return table([Heading(""), Heading("")], rows, title=m.record.title)
