"""Files of distributions, for the commands that read them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from . import values
from .options import Classes, Columns, Files, Reading

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


def read_shares(
    files: Files,
    shares: Shares,
    columns: Columns,
    reading: Reading,
    classes: Classes,
    *,
    keep_sums: bool = False,
) -> "DistributionSet":
    """Gold and estimated distributions from files."""
    from ..io.distributions import read_distributions_file

    _refuse_label_options(columns, reading)
    return read_distributions_file(
        files.data,
        files.runs or (),
        topic=columns.topic,
        run=shares.run,
        gold=columns.gold,
        labels=values.labels(classes.labels),
        values=values.numbers(classes.values, "--values"),
        prefix=shares.prefix,
        renormalise=not keep_sums,
        delimiter=values.delimiter(reading.delimiter),
        encoding=reading.encoding,
        memory_limit=reading.memory_limit,
    )


def _refuse_label_options(columns: Columns, reading: Reading) -> None:
    """Options that mean nothing for distributions are not silently dropped."""
    given = {
        "--pred": columns.pred is not None,
        "--id": columns.id is not None,
        "--weight": columns.weight is not None,
        "--missing": columns.missing != "error",
        "--no-header": not reading.header,
    }
    wrong = [name for name, is_given in given.items() if is_given]
    if wrong:
        raise InputError(
            f"{', '.join(wrong)} is for files of labels; add --from-labels if these are such, or "
            "leave it out."
        )
