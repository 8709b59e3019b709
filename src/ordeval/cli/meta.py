"""`ordeval meta` and `axioms`: what measures do on given systems and topics, and in any case."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..errors import InputError
from ..evaluation import CORE_MEASURES
from ..measures.registry import Task
from ..measures.spec import Measure
from ..meta import (
    AMIGO_REFERENCE,
    DISTRIBUTION_REFERENCE,
    AxiomTable,
    ScoreMatrices,
    meta_evaluate,
)
from ..meta import axioms as search_axioms
from ..notes import note
from ..options import ItemOptions, MetaOptions, ReadSettings, ShareColumns
from ..report.present import view_of
from . import option_types
from .option_types import Type, choice
from .options import (
    LABEL_FILES,
    MEASURES_ASKED,
    OUTPUT,
    REPORT,
    SEED,
    Given,
    Option,
    changed,
    command,
    library,
    refuse,
    switch,
    tables,
)
from .output import Progress, write, write_result, write_view
from .results import Stage, read_labels, read_shares

_TABLES = ("similarity", "consistency", "power", "stability")
_judging = partial(Option, panel="Judging")
_JUDGING = [replace(option, panel="Judging") for option in library(MetaOptions)]


@command(
    LABEL_FILES,
    switch(
        "distributions", "The files hold distributions, as for `ordeval quantify`.", "Distributions"
    ),
    library(ReadSettings, ShareColumns),
    replace(
        MEASURES_ASKED,
        help='Measures to judge, e.g. "cem, qwk, mae", or "all"; the core ones by default.',
        panel="Judging",
    ),
    _judging(
        "undefined",
        Type("skip|NUMBER", option_types.replacement),
        "What replaces undefined scores; by default what depends on them is undefined.",
    ),
    _judging(
        "reference",
        Type("LIST", option_types.measures, adds=True),
        "Reference measures for the coverage. [default: accuracy, kendall_a, mutual_information; "
        "for distributions nvd, nmd, jsd]",
    ),
    _JUDGING,
    tables(
        *_TABLES,
        about="how alike measures rank, and what their grades rest on",
        all=("main", *_TABLES),
    ),
    REPORT,
)
def meta(given: Given) -> None:
    """Test the measures themselves on your systems and topics.

    Similarity (do two measures rank the systems alike?), consistency (does a measure rank them
    alike on other topics?), discriminative power (how many pairs of systems differ
    significantly?), robustness and coverage, a summary, and advice. Needs two or more systems and a
    column of topics.

    \b
    Examples:
      ordeval meta data.csv --topic topic --labels low,medium,high
      ordeval meta gold.csv runs/*.csv --topic topic --html measures.html
      ordeval meta data.csv --topic topic --measures "cem, qwk, mae" --splits 200
      ordeval meta all-runs.tsv --distributions --topic topic
    """
    output = given.output
    output.protect(given.files)
    with Progress(quiet=output.quiet) as progress:
        score = _score_shares if given.distributions else _score_labels
        scores, reference = score(given, progress.stage)
        judging = {option.name: getattr(given, option.name) for option in _JUDGING}
        result = meta_evaluate(scores, reference, **judging, progress=progress.stage("Judging"))
    write_result(result, output, given.sections)


Scored = tuple[ScoreMatrices, ScoreMatrices]  # under the judged measures, and under the reference


def _score_labels(given: Given, stage: Stage) -> Scored:
    named = changed(given, library(ShareColumns))
    refuse(named, "distributions; add --distributions if these files hold them.")
    if given.topic is None:
        raise InputError(
            "Measures are judged by topics: name their column with --topic. Data without topics "
            "can be cut into random parts with ordeval.meta.random_topics in Python."
        )
    counts = read_labels(given, stage).counts()
    score = partial(ScoreMatrices.from_counts, counts, undefined=given.undefined)
    return score(_or(given.measures, CORE_MEASURES)), score(given.reference or AMIGO_REFERENCE)


def _score_shares(given: Given, stage: Stage) -> Scored:
    refuse(changed(given, library(ItemOptions)), "labels; leave it out for distributions.")
    shares = read_shares(given, stage, size=None)  # here, --size is about topics
    named = () if given.measures in (None, "all") else given.measures
    for m in (*named, *(given.reference or ())):
        if shares.units.count is None and m.needs_sizes:
            raise InputError(
                f"{m} is smoothed by the number of items of each gold distribution, which is "
                "not known from shares.",
                hint="Give gold as counts, or name other measures with {measures}.",
                suggest={"measures": ...},
            )
    score = partial(ScoreMatrices.from_shares, shares, undefined=given.undefined)
    return score(_or(given.measures, None)), score(given.reference or DISTRIBUTION_REFERENCE)


def _or(measures: Any, usual: Sequence[str] | None) -> Sequence[str | Measure] | None:
    """Return the measures given, or the usual ones; None stands for all."""
    return None if measures == "all" else usual if measures is None else measures


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
    Option("rng", SEED, "Seed of the random cases.", 0),
    OUTPUT,
)
def axioms(given: Given) -> None:
    """Show which axioms measures satisfy, with counter-examples.

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
        shown = replace(output, notes=not output.quiet)  # they are what was asked for
        write_view(view, shown, ("axioms",))


def _counter_examples(table: AxiomTable) -> list[str]:
    """Return the smallest case in which each axiom fails."""
    return [
        f"{cell.measure} fails {axiom.title}: {'; '.join(cell.counter_example.lines())}."
        for row in table.results
        for cell, axiom in zip(row, table.axioms, strict=True)
        if cell.counter_example is not None
    ]
