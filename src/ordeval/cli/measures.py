"""`ordeval measures`: the list of measures, or everything about some."""

from ..measures.registry import records
from ..measures.spec import Measure, parse_measure
from ..measures.spec import measures as all_measures
from ..report.measure_view import cards_view, facts, list_view
from .option_types import Type
from .options import OUTPUT, Given, Option, command
from .output import write_json, write_view


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
    """List the measures, or explain the ones you name.

    \b
    Examples:
      ordeval measures
      ordeval measures cem
      ordeval measures qwk mae
      ordeval measures agreement
      ordeval measures --format csv --out measures.csv
    """
    chosen, output = given.chosen, given.output
    named = [m for m in chosen if isinstance(m, Measure)]
    families = [family for family in chosen if isinstance(family, str)]
    cards = bool(named) and not families and (output.format != "csv" or len(named) == 1)
    usual = [m for m in all_measures(None) if not chosen or m.record.family in families]
    listed = named if cards else [*usual, *(m for m in named if m not in usual)]
    if output.format == "json":
        every = [facts(m) for m in listed]
        write_json(every[0] if cards and len(every) == 1 else every, output)
    elif cards:
        write_view(cards_view(named), output)
    else:
        title = "The measures of ordeval" + (f": {', '.join(families)}" if families else "")
        example = f"`ordeval measures {listed[0].key if families else 'cem'}` shows one of them."
        write_view(list_view(listed, title, [example]), output)
