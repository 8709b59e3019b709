"""`ordeval axioms`: which axioms a measure satisfies, with counter-examples for the others."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import InputError, quoted
from ..measures.registry import Task
from ..measures.spec import Measure
from ..meta import AxiomTable
from ..meta import axioms as search_axioms
from ..report.formats import written
from ..report.layout import text_width, wrapped
from ..report.present import view_of
from . import option_types
from .option_types import Type, choice
from .options import OUTPUT, SEED, Given, Option, Output, command, switch
from .output import Progress, write, write_view

_TASKS = ("classification", "quantification")  # those with axioms
_HINT = "Name measures, or add --examples, to see counter-examples."


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
    switch("examples", "Show counter-examples also where no measures are named."),
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
    chosen = [m for group in given.measures for m in group]
    task = _task(chosen, given.task)
    with Progress(quiet=given.quiet) as progress:
        table = search_axioms(
            chosen or None, task=task, rng=given.rng, progress=progress.stage("Searching")
        )
    _write(table, given.output, examples=bool(chosen) or given.examples)


def _task(chosen: Sequence[Measure], named: Task | None) -> Task:
    tasks: set[Task] = {m.record.task for m in chosen} or {named or "classification"}
    if len(tasks) > 1:
        raise InputError(
            "Some of these measures are for labels and some for distributions; name measures of "
            "one kind."
        )
    if "raters" in tasks:
        raise InputError(
            f"{quoted(map(str, chosen))}: there are axioms of measures of labels and of "
            "distributions, not of coefficients of several raters."
        )
    if named is not None and named not in tasks:
        raise InputError(f"--task {named} does not fit measures of {tasks.pop()}; leave it out.")
    return tasks.pop()


def _write(table: AxiomTable, output: Output, *, examples: bool) -> None:
    if output.format in ("json", "csv"):
        write(getattr(table, f"to_{output.format}")(), output)
    elif output.format == "text":
        width = text_width(terminal=output.out is None)
        view = replace(view_of(table), notes=() if examples else (_HINT,))
        text = written("text", view, width=width)
        write(text + (_counter_examples(table, width) if examples else ""), output)
    else:
        write_view(view_of(table), output, ("axioms", "cases") if examples else ("axioms",))


def _counter_examples(table: AxiomTable, width: int) -> str:
    """Return the smallest case in which each axiom fails, as text."""
    lines = []
    for row in table.results:
        for cell, axiom in zip(row, table.axioms, strict=True):
            if cell.counter_example is not None:
                shown = [f"  {line}" for line in cell.counter_example.lines()]
                lines += ["", f"{cell.measure} fails {axiom.title}:", *shown]
    fitting = [part for line in lines for part in wrapped(line, width, "    ")]
    return "\n".join(fitting) + "\n" if lines else ""
