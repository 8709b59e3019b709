"""`ordeval axioms`: which axioms a measure satisfies, with counter-examples for the others."""

from ..measures.registry import Task
from ..meta import AxiomTable
from ..meta import axioms as search_axioms
from ..notes import note
from ..report.present import view_of
from . import option_types
from .option_types import Type, choice
from .options import OUTPUT, SEED, Given, Option, command
from .output import Progress, write, write_view

_TASKS = ("classification", "quantification")  # those with axioms


@command(
    Option(
        "measures",
        Type("[MEASURE...]", option_types.measures),
        "Measures, e.g. cem qwk; all of the task by default, which takes a while.",
        (),
        argument=True,
    ),
    Option(
        "task",
        choice(_TASKS),
        "Measures of labels or of distributions, where none are named. [default: classification]",
    ),
    Option("rng", SEED, "Seed of the random cases.", 0, flags=("--seed",)),
    OUTPUT,
)
def axioms(given: Given) -> None:
    """Show which axioms measures satisfy, and counter-examples where they do not.

    Every small case is tried, then random larger ones; the smallest counter-example is shown. A
    search cannot prove that an axiom holds; a counter-example proves that it does not.

    \b
    Examples:
      ordeval axioms cem qwk mae
      ordeval axioms "oc(beta=0.25)" --format markdown
      ordeval axioms --task quantification
    """
    chosen, output = [m for group in given.measures for m in group], given.output
    task: Task = given.task or (chosen[0].record.task if chosen else "classification")
    with Progress(quiet=output.quiet) as progress:
        table = search_axioms(
            chosen or None, task=task, rng=given.rng, progress=progress.stage("Searching")
        )
    if output.format in ("json", "csv"):
        write(getattr(table, f"to_{output.format}")(), output)
    else:
        view = view_of(table)
        lines = _counter_examples(table) if chosen else ["Name measures to see counter-examples."]
        view.notes = [note("axioms", line) for line in lines]
        write_view(view, output, ("axioms",))


def _counter_examples(table: AxiomTable) -> list[str]:
    """Return the smallest case in which each axiom fails."""
    return [
        f"{cell.measure} fails {axiom.title}: {'; '.join(cell.counter_example.lines())}."
        for row in table.results
        for cell, axiom in zip(row, table.axioms, strict=True)
        if cell.counter_example is not None
    ]
