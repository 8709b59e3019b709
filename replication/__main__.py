"""Recompute the papers' tables and figures and show them beside the printed ones.

Every figure gets a verdict: the same after rounding, within a stated tolerance where chance enters,
a known misprint, a claim refuted by a counter-example, or different. The exit code is 0 only if
nothing differs otherwise, and 2 if data cannot be used.
"""

import argparse
import os
import sys
from pathlib import Path

from ordeval import InputError

from . import PAPERS, Setting, reproduce
from .output import study_text, verdict_line, write_pages

DATA = "ORDEVAL_DATA"


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    setting = Setting(
        data=options.data,
        quick=options.quick,
        training=not options.no_training,
        seed=options.seed,
        jobs=options.jobs,
        progress=_progress if sys.stderr.isatty() and not options.quiet else lambda *_: None,
    )
    try:
        studies = reproduce(options.paper, setting)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if not options.quiet:
        print("\n".join(study_text(study, brief=options.brief) for study in studies))
    if options.out is not None:
        pages = write_pages(studies, options.out)
        print(f"Wrote {', '.join(map(str, pages))}.", file=sys.stderr)
    print(verdict_line(studies))
    return int(any(study.fails for study in studies))


def _parser() -> argparse.ArgumentParser:
    shown = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m replication", None, __doc__, formatter_class=shown)
    add = parser.add_argument
    add("paper", nargs="?", choices=(*PAPERS, "all"), default="all", help="a paper, or all")
    add("--data", type=Path, default=os.environ.get(DATA), metavar="DIR",
        help=f"folder with the data sets, which are not shipped; ${DATA} otherwise")  # fmt: skip
    add("--out", type=Path, metavar="DIR", help="write a page, pictures and a CSV file per paper")
    add("--quick", action="store_true", help="fewer random repetitions; the results are marked")
    add("--no-training", action="store_true", help="train no classifiers, which takes minutes")
    add("--brief", action="store_true", help="leave out figures that are the same")
    add("--seed", type=int, default=0, help="random seed; equal seeds give equal results")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes for training")
    add("--quiet", "-q", action="store_true", help="show only the summary")
    return parser


def _progress(stage: str, done: int, total: int) -> None:
    print(f"\r{stage}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
