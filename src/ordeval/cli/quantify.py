"""`ordeval quantify`: a leaderboard of estimated distributions over the classes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from . import reading as options_as
from . import values
from .options import (
    Bootstrap,
    Classes,
    Columns,
    Files,
    Output,
    Page,
    Reading,
    Testing,
    Wanted,
)
from .output import write_page, write_result
from .progress import Progress

if TYPE_CHECKING:
    from ..io.distributions import DistributionSet, Floats


@dataclass(frozen=True)
class Estimates:
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
    keep_sums: Annotated[
        bool,
        typer.Option(
            "--keep-sums",
            help="Leave rows whose sum is up to 1 % off as they are; by default they are set "
            "right and counted.",
            rich_help_panel="Distributions",
        ),
    ] = False
    from_labels: Annotated[
        bool,
        typer.Option(
            "--from-labels",
            help="The files hold class labels as for `ordeval score`; the distributions of each "
            "topic are counted from them.",
            rich_help_panel="Distributions",
        ),
    ] = False


def quantify(
    files: Files,
    estimates: Estimates,
    columns: Columns,
    reading: Reading,
    classes: Classes,
    wanted: Wanted,
    bootstrap: Bootstrap,
    testing: Testing,
    output: Output,
    page: Page,
) -> None:
    """Compare estimated distributions with gold ones, topic by topic.

    DATA holds the gold distributions: a row per topic and a column per class, with shares that
    sum to 1, or counts. Every RUN holds the estimates of one system. Or all are in one file, with
    a column that names the run. Columns are matched to classes by name, never by position.

    \b
    Examples:
      ordeval quantify gold.csv bert.csv svm.csv --labels low,medium,high
      ordeval quantify all-runs.tsv --run run --topic topic --html report.html
      ordeval quantify gold.csv bert.csv --measures "rnod, nmd" --pairs
      ordeval quantify data.csv --from-labels --topic topic --labels -2..2
    """
    from ..evaluation import quantify_rows
    from .tables import comparison_tables

    chosen, more = values.measures(wanted.measures), options_as.wanted(wanted)
    with Progress(quiet=output.quiet) as progress:
        how = options_as.settings(bootstrap, progress, testing=testing)
        found = _read(files, estimates, columns, reading, classes, progress)
        result = quantify_rows(
            found.gold,
            _stacked(found),
            found.systems,
            found.topics,
            found.scale,
            chosen,
            how=how,
            notices=found.notices,
            about=options_as.about(files),
            **more,
        )
    write_result(result, comparison_tables(result, output.format, pairs=testing.pairs), output)
    write_page(result, page.html, output)


def _stacked(found: "DistributionSet") -> "Floats":
    import numpy as np

    return np.stack(list(found.estimates.values()))


def _read(
    files: Files,
    estimates: Estimates,
    columns: Columns,
    reading: Reading,
    classes: Classes,
    progress: Progress,
) -> "DistributionSet":
    from ..io.distributions import class_distributions, read_distributions_file

    if estimates.from_labels:
        spec = options_as.file_spec(files, columns, reading, classes)
        return class_distributions(options_as.count(spec, progress).counts)
    _refuse_label_options(columns, reading)
    return read_distributions_file(
        files.data,
        files.runs or (),
        topic=columns.topic,
        run=estimates.run,
        gold=columns.gold,
        labels=values.labels(classes.labels),
        values=values.numbers(classes.values, "--values"),
        prefix=estimates.prefix,
        renormalise=not estimates.keep_sums,
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
