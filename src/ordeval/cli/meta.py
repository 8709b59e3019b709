"""`ordeval meta`: which measure to trust, judged by the systems and topics at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..spec import Measure, parse_measures
from . import reading as options_as
from . import values
from .options import Output, Report, Source
from .output import COMMAND, remark, write
from .progress import Progress
from .shares import Shares, read_shares, refuse_share_options
from .wording import as_options

if TYPE_CHECKING:
    from ..meta import MetaEvaluation, ScoreMatrices

_JUDGING = "Judging"


@dataclass(frozen=True)
class Judging:
    """Which measures are judged, and how."""

    measures: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help='Measures to judge, e.g. "cem, qwk, mae", or "all"; the core ones by default.',
            rich_help_panel=_JUDGING,
            show_default=False,
        ),
    ] = None
    undefined: Annotated[
        str | None,
        typer.Option(
            metavar="skip|NUMBER",
            help="What becomes of undefined scores; by default what depends on them is undefined.",
            rich_help_panel=_JUDGING,
            show_default=False,
        ),
    ] = None
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Reference measures for the coverage. [default: accuracy, kendall_a, "
            "mutual_information; for distributions nvd, nmd, jsd]",
            rich_help_panel=_JUDGING,
            show_default=False,
        ),
    ] = None
    splits: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Random splits of the topics that measures are compared over.",
            rich_help_panel=_JUDGING,
        ),
    ] = "1000"
    mean_splits: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Splits that mean τ is over: those of the comparison, and more up to this number.",
            rich_help_panel=_JUDGING,
        ),
    ] = "20000"
    size: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Topics in each set of the small splits, beside halves of all topics.",
            rich_help_panel=_JUDGING,
        ),
    ] = "10"
    trials: Annotated[
        str,
        typer.Option(metavar="N", help="Random trials of the tests.", rich_help_panel=_JUDGING),
    ] = "5000"
    alpha: Annotated[
        str,
        typer.Option(metavar="LEVEL", help="Level of significance.", rich_help_panel=_JUDGING),
    ] = "0.05"
    seed: Annotated[
        str, typer.Option(metavar="N", help="Same seed, same answer.", rich_help_panel=_JUDGING)
    ] = "0"
    threads: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Threads; the answer does not depend on them.",
            rich_help_panel=_JUDGING,
        ),
    ] = "1"
    distributions: Annotated[
        bool,
        typer.Option(
            "--distributions",
            help="The files hold distributions, as for `ordeval quantify`.",
            rich_help_panel="Distributions",
        ),
    ] = False


def meta(source: Source, judging: Judging, shares: Shares, output: Report) -> None:
    """Judge the measures themselves by your systems and topics, and advise which to use.

    Similarity (do two measures rank the systems alike?), consistency (does a measure rank them
    alike on other topics?), discriminative power (how many pairs of systems does it tell apart?),
    robustness and coverage, a summary, and advice in plain words. Needs two or more systems and
    a column of topics.

    \b
    Examples:
      ordeval meta data.csv --topic topic --labels low,medium,high
      ordeval meta gold.csv runs/*.csv --topic topic --labels -2..2 --html measures.html
      ordeval meta data.csv --topic topic --measures "cem, qwk, mae, accuracy" --splits 200
      ordeval meta all-runs.tsv --distributions --topic topic
    """
    settings = _settings(judging)
    options_as.keep_files(source, output)
    with Progress(quiet=output.quiet) as progress:
        found = _judge(source, judging, shares, settings, progress)
    _write(found, output)
    if output.html is not None:
        found.to_html(output.html, command=COMMAND.get())
        remark(f"Wrote {output.html}: open it in a browser.", output)


def _settings(judging: Judging) -> dict[str, Any]:
    return {
        "splits": values.whole(judging.splits, "--splits", 2),
        "mean_splits": values.whole(judging.mean_splits, "--mean-splits", 2),
        "size": values.whole(judging.size, "--size", 1),
        "trials": values.whole(judging.trials, "--trials", 1),
        "alpha": values.level(judging.alpha, "--alpha", "0.05"),
        "rng": values.whole(judging.seed, "--seed"),
        "threads": values.whole(judging.threads, "--threads", 1),
    }


def _judge(
    source: Source, judging: Judging, shares: Shares, settings: dict[str, Any], progress: Progress
) -> "MetaEvaluation":
    from ..meta import meta_evaluate

    if judging.distributions:
        matrices, reference = _from_shares(source, judging, shares)
    else:
        refuse_share_options(shares, "add --distributions if these are such.")
        matrices, reference = _from_labels(source, judging, progress)
    progress.stage("Judging")
    return meta_evaluate(matrices, reference, progress=progress, **settings)


def _from_labels(
    source: Source, judging: Judging, progress: Progress
) -> tuple["ScoreMatrices", "ScoreMatrices"]:
    """Scores under the measures to judge, and under the reference measures."""
    from ..evaluation import CORE_MEASURES
    from ..meta import AMIGO_REFERENCE, ScoreMatrices

    if source.topic is None:
        raise InputError(
            "Measures are judged by topics: name their column with --topic. Data without topics "
            "can be cut into random parts with ordeval.meta.random_topics in Python."
        )
    core: Sequence[str | Measure] = CORE_MEASURES
    chosen = None if values.is_all(judging.measures) else values.measures(judging.measures) or core
    reference, undefined = _reference(judging, AMIGO_REFERENCE), values.undefined(judging.undefined)
    counts = options_as.count(options_as.file_spec(source), progress).counts
    return (
        ScoreMatrices.from_counts(counts, chosen, undefined=undefined),
        ScoreMatrices.from_counts(counts, reference, undefined=undefined),
    )


def _from_shares(
    source: Source, judging: Judging, shares: Shares
) -> tuple["ScoreMatrices", "ScoreMatrices"]:
    """Scores under the measures to judge, and under the reference measures."""
    from ..meta import DISTRIBUTION_REFERENCE, ScoreMatrices

    chosen, undefined = values.measures(judging.measures), values.undefined(judging.undefined)
    reference = _reference(judging, DISTRIBUTION_REFERENCE)
    found = read_shares(source, shares)
    score = partial(
        ScoreMatrices.from_distributions,
        found.gold,
        found.estimates,
        topics=found.topics,
        values=found.scale.values,
        undefined=undefined,
    )
    return score(chosen), score(reference)


def _reference(judging: Judging, usual: Sequence[str]) -> Sequence[str | Measure]:
    return usual if judging.reference is None else parse_measures(judging.reference)


def _write(found: "MetaEvaluation", output: Output) -> None:
    if output.format == "json":
        write(found.to_json(), output)
    else:
        write(getattr(_worded(found), f"to_{output.format}")(), output)


def _worded(found: "MetaEvaluation") -> "MetaEvaluation":
    """The findings with warnings that speak of options."""
    if found.advice is None:
        return found
    warnings = tuple(map(as_options, found.advice.warnings))
    return replace(found, advice=replace(found.advice, warnings=warnings))
