"""`ordeval meta`: properties of measures on given systems and topics, and which to use."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..errors import InputError
from ..evaluation import CORE_MEASURES
from ..measures.spec import Measure
from ..meta import AMIGO_REFERENCE, DISTRIBUTION_REFERENCE, ScoreMatrices, meta_evaluate
from ..options import ItemOptions, MetaOptions, ReadSettings, ShareColumns
from ..report.present import view_of
from . import option_types
from .option_types import Type
from .options import (
    LABEL_FILES,
    MEASURES_ASKED,
    REPORT,
    Given,
    Option,
    changed,
    command,
    library,
    refuse,
    switch,
)
from .output import Progress, write, write_page, write_summary, write_view
from .results import Stage, read_labels, read_shares

_TABLES = ("main", "similarity", "consistency", "power", "stability")
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
    REPORT,
)
def meta(given: Given) -> None:
    """Judge the measures themselves by your systems and topics, and advise which to use.

    Similarity (do two measures rank the systems alike?), consistency (does a measure rank them
    alike on other topics?), discriminative power (how many pairs of systems differ
    significantly?), robustness and coverage, a summary, and advice. Needs two or more systems and a
    column of topics.

    \b
    Examples:
      ordeval meta data.csv --topic topic --labels low,medium,high
      ordeval meta gold.csv runs/*.csv --topic topic --labels -2..2 --html measures.html
      ordeval meta data.csv --topic topic --measures "cem, qwk, mae, accuracy" --splits 200
      ordeval meta all-runs.tsv --distributions --topic topic
    """
    output = given.output
    output.protect(given.files)
    with Progress(quiet=output.quiet) as progress:
        score = _score_shares if given.distributions else _score_labels
        scores, reference = score(given, progress.stage)
        judging = {option.name: getattr(given, option.name) for option in _JUDGING}
        result = meta_evaluate(scores, reference, **judging, progress=progress.stage("Judging"))
    if output.format == "sentence":
        write_summary(result, output)
    elif output.format == "text":
        write_view(view_of(result), output, _TABLES)
    else:
        write(getattr(result, f"to_{output.format}")(), output)
    write_page(result, output)


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
