"""`ordeval axioms`: which axioms a measure satisfies, with counter-examples for the others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import InputError, quoted
from ..measures.registry import Task
from ..measures.spec import Measure
from ..meta import AxiomTable
from ..meta import axioms as search_axioms
from ..report.formats import written
from ..report.layout import text_width, wrapped
from ..report.present import view_of
from . import option_types
from .option_types import FLAG, Type, choice, whole
from .options import Output, argument, option
from .output import Progress, write, write_view

_TASKS = ("classification", "quantification")  # those with axioms
_HINT = "Name measures, or add --examples, to see counter-examples."


@dataclass(frozen=True)
class Searched:
    """The measures, and how counter-examples are searched."""

    measures: tuple[Sequence[Measure], ...] = argument(
        Type("[MEASURE...]", option_types.measures),
        "Measures, e.g. cem qwk; all of the task by default, which takes a while.",
        default=(),
    )
    task: Task | None = option(
        None,
        choice(_TASKS),
        "Measures of labels or of distributions, where none are named. [default: classification]",
    )
    examples: bool = option(
        False, FLAG, "Show counter-examples also where no measures are named.", "--examples"
    )
    rng: int = option(0, whole(), "Seed of the random cases.", "--seed")


def axioms(searched: Searched, output: Output) -> None:
    """Show which axioms measures satisfy, and counter-examples where they do not.

    Every small case is tried, then random larger ones; the smallest counter-example is shown. A
    search cannot prove that an axiom holds; a counter-example proves that it does not.

    \b
    Examples:
      ordeval axioms cem qwk mae
      ordeval axioms "oc(beta=0.25)" --format markdown
      ordeval axioms --task quantification
    """
    chosen = [m for group in searched.measures for m in group]
    task = _task(chosen, searched.task)
    with Progress(quiet=output.quiet) as progress:
        found = search_axioms(
            chosen or None, task=task, rng=searched.rng, progress=progress.stage("Searching")
        )
    _write(found, output, examples=bool(chosen) or searched.examples)


def _task(chosen: Sequence[Measure], given: Task | None) -> Task:
    tasks: set[Task] = {m.record.task for m in chosen} or {given or "classification"}
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
    if given is not None and given not in tasks:
        raise InputError(f"--task {given} does not fit measures of {tasks.pop()}; leave it out.")
    return tasks.pop()


def _write(found: AxiomTable, output: Output, *, examples: bool) -> None:
    if output.format in ("json", "csv"):
        write(getattr(found, f"to_{output.format}")(), output)
    elif output.format == "text":
        width = text_width(terminal=output.out is None)
        view = replace(view_of(found), notes=() if examples else (_HINT,))
        text = written("text", view, width=width)
        write(text + (_counter_examples(found, width) if examples else ""), output)
    else:
        write_view(view_of(found), output, ("axioms", "cases") if examples else ("axioms",))


def _counter_examples(found: AxiomTable, width: int) -> str:
    """Return the smallest case in which each axiom fails, as text."""
    lines = []
    for row in found.results:
        for cell, axiom in zip(row, found.axioms, strict=True):
            if cell.counter_example is not None:
                shown = [f"  {line}" for line in cell.counter_example.lines()]
                lines += ["", f"{cell.measure} fails {axiom.title}:", *shown]
    fitting = [part for line in lines for part in wrapped(line, width, "    ")]
    return "\n".join(fitting) + "\n" if lines else ""
