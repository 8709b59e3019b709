"""`ordeval axioms`: which properties a measure has, with counter-examples for those it lacks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from ..registry import Measure, parse_list
from ..report.table import Heading, Table, count, table, words
from . import values
from .options import Output
from .output import write, write_json, write_tables
from .progress import Progress

if TYPE_CHECKING:
    from ..meta import AxiomResult, AxiomTable

_TASKS = ("classification", "quantification")
_MARKS = {True: "✓", False: "✗", None: "–"}


@dataclass(frozen=True)
class Searched:
    """Whose properties are looked into, and how."""

    measures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MEASURE...]",
            help="Measures, e.g. cem qwk; all of the task by default, which takes a while.",
            show_default=False,
        ),
    ] = None
    task: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(_TASKS),
            help="Measures of labels or of distributions, where none are named. "
            "[default: classification]",
            show_default=False,
        ),
    ] = None
    examples: Annotated[
        bool,
        typer.Option("--examples", help="Show counter-examples also where no measures are named."),
    ] = False
    seed: Annotated[str, typer.Option(metavar="N", help="Seed of the random cases.")] = "0"

    def __post_init__(self) -> None:
        if self.task is not None:
            values.one_of(self.task, _TASKS, "--task")


def axioms(searched: Searched, output: Output) -> None:
    """Show which axioms measures satisfy, and the smallest counter-example where they do not.

    Every small case is tried, then random larger ones. A search cannot prove that an axiom
    holds; a counter-example proves that it does not.

    \b
    Examples:
      ordeval axioms cem qwk mae
      ordeval axioms "oc(beta=0.25)" --format markdown
      ordeval axioms --task quantification
    """
    from ..meta import search_axioms

    chosen = [m for text in searched.measures or () for m in parse_list(text)]
    task, seed = _task(chosen, searched.task), values.whole(searched.seed, "--seed")
    with Progress(quiet=output.quiet) as progress:
        progress.stage("Searching")
        found = search_axioms(chosen or None, task=task, rng=seed, progress=progress)
    _write(found, output, examples=bool(chosen) or searched.examples)


def _task(chosen: list[Measure], given: str | None) -> str:
    tasks = {m.record.task for m in chosen} or {given or _TASKS[0]}
    if len(tasks) > 1:
        raise InputError(
            "Some of these measures are for labels and some for distributions; look into them "
            "one kind at a time."
        )
    if given is not None and given not in tasks:
        raise InputError(f"--task {given} does not fit measures of {tasks.pop()}; leave it out.")
    return tasks.pop()


def _write(found: "AxiomTable", output: Output, *, examples: bool) -> None:
    if output.format == "json":
        from .plain import plain

        write_json({"format": "ordeval-axioms-1", **plain(found)}, output)
    elif output.format == "csv":
        write_tables([long_table(found)], output)
    elif output.format == "text":
        from ..report.formats import to_text

        text = to_text(property_table(found, hint=not examples))
        write(text + (counter_examples(found) if examples else ""), output)
    else:
        tables = [property_table(found, hint=False)]
        write_tables([*tables, *([long_table(found)] if examples else [])], output)


def property_table(found: "AxiomTable", *, hint: bool) -> Table:
    """Measures as rows, axioms as columns."""
    headings = [Heading("measure"), *(Heading(axiom.title) for axiom in found.axioms)]
    rows = [
        [words(name), *(words(_MARKS[cell.holds]) for cell in row)]
        for name, row in zip(found.measures, found.results, strict=True)
    ]
    notes = ["✓ holds in every case tried, ✗ there is a counter-example, – no case has scores."]
    notes += [f"{axiom.title}: {axiom.statement} ({axiom.source})" for axiom in found.axioms]
    notes += ["Name measures, or add --examples, to see counter-examples."] if hint else []
    return table(headings, rows, title="Axioms", notes=notes)


def counter_examples(found: "AxiomTable") -> str:
    """Why an axiom fails, in two systems and two scores."""
    lines = []
    for row in found.results:
        for cell, axiom in zip(row, found.axioms, strict=True):
            if cell.counter_example is not None:
                shown = [f"  {line}" for line in cell.counter_example.lines()]
                lines += ["", f"{cell.measure} fails {axiom.title}:", *shown]
    return "\n".join(lines) + "\n" if lines else ""


def long_table(found: "AxiomTable") -> Table:
    """One row per measure and axiom."""
    names = ("measure", "axiom", "result", "cases", "undefined", "counter-example")
    rows = [
        [
            words(cell.measure),
            words(cell.axiom),
            words(_word(cell)),
            count(cell.cases),
            count(cell.undefined),
            words("; ".join(cell.counter_example.lines()) if cell.counter_example else ""),
        ]
        for row in found.results
        for cell in row
    ]
    return table([Heading(name) for name in names], rows, title="Cases and counter-examples")


def _word(cell: "AxiomResult") -> str:
    return {True: "holds", False: "fails", None: "undefined"}[cell.holds]
