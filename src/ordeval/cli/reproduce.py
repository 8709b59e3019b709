"""`ordeval reproduce`: the papers' tables, ours beside theirs."""

import os
from dataclasses import dataclass
from pathlib import Path

import typer

from .. import reproduce as papers
from ..reproduce.output import study_text, verdict_line, writable_folder, write_pages
from . import option_types
from .messages import say
from .option_types import FLAG, Type, choice, whole
from .options import argument, option
from .output import Progress, standard_output

DATA = "ORDEVAL_DATA"


@dataclass(frozen=True)
class Replication:
    """What is reproduced, with which settings."""

    paper: str = argument(
        choice((*papers.PAPERS, "all"), "[PAPER]"),
        f"{', '.join(papers.PAPERS)}, or all.",
        default="all",
    )
    data: Path | None = option(
        None,
        Type("DIR", option_types.folder),
        f"Directory with the data sets, which are not shipped; ${DATA} otherwise. Missing data "
        "sets are reported, with where to get them.",
        envvar=DATA,
    )
    out: str | None = option(
        None, Type("DIR"), "Write a page, figures and a CSV file for every paper."
    )
    quick: bool = option(
        False, FLAG, "Fewer random repetitions; the results are marked.", "--quick"
    )
    no_training: bool = option(
        False, FLAG, "Do not train classifiers, which takes minutes.", "--no-training"
    )
    brief: bool = option(False, FLAG, "Leave out figures that are the same.", "--brief")
    seed: int = option(0, whole(), "Random seed; equal seeds give equal results.")
    jobs: int | None = option(
        None,
        whole(1),
        "Number of processes for training; one per core by default. Results do not change.",
    )
    quiet: bool = option(False, FLAG, "No progress; only the summary is shown.", "--quiet", "-q")


def reproduce(replication: Replication) -> None:
    """Recompute the papers' tables and figures and show them beside the printed ones.

    Every figure gets a verdict: the same after rounding, within a stated tolerance where chance
    enters, a known misprint, a claim refuted by a counter-example, or different. The exit code is
    0 only if nothing differs otherwise.

    \b
    Examples:
      ordeval reproduce qwk-post
      ordeval reproduce all --no-training --brief
      ordeval reproduce cardoso-2011 --data data --quick
      ordeval reproduce all --data data --out replication
    """
    out = standard_output()  # before the work, which may take long
    if replication.out is not None:
        writable_folder(replication.out)
    with Progress(quiet=replication.quiet) as progress:
        studies = papers.reproduce(replication.paper, _setting(replication, progress))
    if not replication.quiet:
        out.write("\n".join(study_text(s, brief=replication.brief) for s in studies) + "\n")
    if replication.out is not None:
        pages = write_pages(studies, replication.out, _command_line(replication))
        if not replication.quiet:
            say(f"Wrote {', '.join(map(str, pages))}.")
    out.write(verdict_line(studies))
    if papers.exit_code(studies):
        raise typer.Exit(1)


def _setting(given: Replication, progress: Progress) -> papers.Setting:
    return papers.Setting(
        data=given.data,
        quick=given.quick,
        training=not given.no_training,
        seed=given.seed,
        jobs=given.jobs or os.cpu_count() or 1,
        progress=lambda what, done, total: progress.stage(what)(done, total),
    )


def _command_line(given: Replication) -> str:
    """Return the command that makes the same figures."""
    flags = {"--quick": given.quick, "--no-training": given.no_training, "--data DIR": given.data}
    return " ".join(
        [
            f"ordeval reproduce {given.paper}",
            *(flag for flag, on in flags.items() if on),
            f"--seed {given.seed}",
        ]
    )
