"""`ordeval axioms`: which properties a measure has, with counter-examples for those it lacks."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..report.writers import to_text
from ..spec import Measure, parse_measures
from . import values
from .options import Output
from .output import write, write_tables
from .progress import Progress

if TYPE_CHECKING:
    from ..meta import AxiomTable

_TASKS = ("classification", "quantification")
_HINT = "Name measures, or add --examples, to see counter-examples."


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
    from ..meta import axioms as search_axioms

    chosen = [m for text in searched.measures or () for m in parse_measures(text)]
    task, seed = _task(chosen, searched.task), values.whole(searched.seed, "--seed")
    with Progress(quiet=output.quiet) as progress:
        progress.stage("Searching")
        found = search_axioms(chosen or None, task=task, rng=seed, progress=progress)
    _write(found, output, examples=bool(chosen) or searched.examples)


def _task(chosen: list[Measure], given: str | None) -> Any:
    tasks: set[str] = {m.record.task for m in chosen} or {given or _TASKS[0]}
    if len(tasks) > 1:
        raise InputError(
            "Some of these measures are for labels and some for distributions; look into them "
            "one kind at a time."
        )
    if given is not None and given not in tasks:
        raise InputError(f"--task {given} does not fit measures of {tasks.pop()}; leave it out.")
    return tasks.pop()


def _write(found: "AxiomTable", output: Output, *, examples: bool) -> None:
    from ..report.meta_tables import axioms_table, cases_table

    if output.format == "json":
        write(found.to_json(), output)
    elif output.format == "csv":
        write(found.to_csv(), output)
    elif output.format == "text":
        shown = axioms_table(found)
        text = to_text(shown if examples else replace(shown, notes=(*shown.notes, _HINT)))
        write(text + (counter_examples(found) if examples else ""), output)
    else:
        tables = [axioms_table(found)]
        write_tables([*tables, *([cases_table(found)] if examples else [])], output)


def counter_examples(found: "AxiomTable") -> str:
    """Why an axiom fails, in two systems and two scores."""
    lines = []
    for row in found.results:
        for cell, axiom in zip(row, found.axioms, strict=True):
            if cell.counter_example is not None:
                shown = [f"  {line}" for line in cell.counter_example.lines()]
                lines += ["", f"{cell.measure} fails {axiom.title}:", *shown]
    return "\n".join(lines) + "\n" if lines else ""
