"""`ordeval reproduce`: the papers' tables, ours beside theirs."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from .progress import Progress

if TYPE_CHECKING:
    from ..reproduce import Setting, Study

DATA = "ORDEVAL_DATA"


@dataclass(frozen=True)
class Replication:
    """What is reproduced, and how."""

    paper: Annotated[
        str,
        typer.Argument(
            metavar="[PAPER]",
            help="amigo-2020, sakai-2021, silva-2018, cardoso-2011, qwk-post, or all.",
        ),
    ] = "all"
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help=f"Folder with the data sets, which are not shipped; ${DATA} otherwise. What is "
            "missing is said, with where to get it.",
            show_default=False,
        ),
    ] = None
    out: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Write a page, figures and a CSV file for every paper.",
            show_default=False,
        ),
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repeats of what is random; the results say so.")
    ] = False
    no_training: Annotated[
        bool, typer.Option("--no-training", help="Train no classifiers, which takes minutes.")
    ] = False
    brief: Annotated[
        bool, typer.Option("--brief", help="Show only figures that are not simply the same.")
    ] = False
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Same seed, same answer.")] = 0
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Processes for training; one per core by default. The answer does not depend on "
            "them.",
            show_default=False,
        ),
    ] = None
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress; only the summary is shown.")
    ] = False


def reproduce(replication: Replication) -> None:
    """Make the papers' tables and figures again and show them beside the printed ones.

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
    from ..reproduce import exit_code
    from ..reproduce import reproduce as run
    from ..reproduce.present import study_text, verdict_line, writable_folder

    if replication.out is not None:
        writable_folder(replication.out)  # checked before the work, which may take long
    with Progress(quiet=replication.quiet) as progress:
        studies = run(replication.paper, _setting(replication, progress))
    if not replication.quiet:
        sys.stdout.write("\n".join(study_text(s, brief=replication.brief) for s in studies) + "\n")
    if replication.out is not None:
        _write(studies, replication)
    sys.stdout.write(verdict_line(studies))
    if exit_code(studies):
        raise typer.Exit(1)


def _setting(given: Replication, progress: Progress) -> "Setting":
    from ..reproduce import Setting

    def told(what: str, done: int, total: int) -> None:
        progress.stage(what)
        progress(done, total)

    return Setting(
        data=_folder(given.data),
        quick=given.quick,
        training=not given.no_training,
        seed=given.seed,
        jobs=given.jobs or os.cpu_count() or 1,
        progress=told,
    )


def _folder(given: str | None) -> Path | None:
    """The data folder: as given, or of the environment, or none."""
    name = given or os.environ.get(DATA)
    if not name:
        return None
    if not Path(name).is_dir():
        raise InputError(f"{name} is not a directory; give the folder with the data sets.")
    return Path(name)


def _write(studies: "list[Study]", given: Replication) -> None:
    from ..reproduce.present import write_pages

    pages = write_pages(studies, str(given.out), command_line(given))
    if not given.quiet:
        print(f"Wrote {', '.join(map(str, pages))}.", file=sys.stderr)


def command_line(given: Replication) -> str:
    """The command that makes the same figures again."""
    flags = {"--quick": given.quick, "--no-training": given.no_training}
    parts = ["ordeval reproduce", given.paper, *(f for f, on in flags.items() if on)]
    parts += ["--data DIR"] if given.data or os.environ.get(DATA) else []
    return " ".join([*parts, f"--seed {given.seed}"])
