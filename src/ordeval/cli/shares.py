"""Files of distributions, for the commands that read them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from . import values
from .options import Source

if TYPE_CHECKING:
    from ..io.distributions import DistributionSet


@dataclass(frozen=True)
class Shares:
    """How distributions stand in the files."""

    run: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that names the system where gold and all systems are in one file; its "
            "gold rows are called as --gold says. [default: run]",
            rich_help_panel="Distributions",
            show_default=False,
        ),
    ] = None
    prefix: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What the names of the class columns begin with, e.g. p_; found out by default.",
            rich_help_panel="Distributions",
            show_default=False,
        ),
    ] = None


def refuse_share_options(shares: Shares, hint: str) -> None:
    """Options that mean nothing for labels are not silently dropped."""
    given = {"--run": shares.run, "--prefix": shares.prefix}
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise InputError(f"{', '.join(wrong)} is for files of distributions; {hint}")


def read_shares(source: Source, shares: Shares, *, keep_sums: bool = False) -> "DistributionSet":
    """Gold and estimated distributions from files."""
    from ..io.distributions import read_distributions_file

    _refuse_label_options(source)
    return read_distributions_file(
        source.data,
        source.runs or (),
        topic=source.topic,
        run=shares.run,
        gold=source.gold,
        labels=values.labels(source.labels),
        values=values.numbers(source.values, "--values"),
        prefix=shares.prefix,
        renormalise=not keep_sums,
        delimiter=values.delimiter(source.delimiter),
        encoding=source.encoding,
        memory_limit=source.memory_limit,
    )


def _refuse_label_options(source: Source) -> None:
    """Options that mean nothing for distributions are not silently dropped."""
    given = {
        "--pred": source.pred is not None,
        "--id": source.id is not None,
        "--weight": source.weight is not None,
        "--missing": source.missing != "error",
        "--no-header": not source.header,
    }
    wrong = [name for name, is_given in given.items() if is_given]
    if wrong:
        raise InputError(
            f"{', '.join(wrong)} is for files of labels; add --from-labels if these are such, or "
            "leave it out."
        )
