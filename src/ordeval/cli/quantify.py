"""`ordeval quantify`: a leaderboard of estimated distributions over the classes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

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
from .shares import Shares, read_shares, refuse_share_options

if TYPE_CHECKING:
    from ..io.distributions import DistributionSet, Floats


@dataclass(frozen=True)
class Counted:
    """Whether distributions are counted from labels, and whether sums are set right."""

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
    shares: Shares,
    counted: Counted,
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
    from .tables import result_tables

    shown = options_as.tables(testing, output)
    chosen, more = values.measures(wanted.measures), options_as.wanted(wanted)
    with Progress(quiet=output.quiet) as progress:
        how = options_as.settings(bootstrap, progress, testing=testing, tables=shown)
        found = _read(files, shares, counted, columns, reading, classes, progress)
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
    write_result(result, result_tables(result, shown), output)
    write_page(result, page.html, output)


def _stacked(found: "DistributionSet") -> "Floats":
    import numpy as np

    return np.stack(list(found.estimates.values()))


def _read(
    files: Files,
    shares: Shares,
    counted: Counted,
    columns: Columns,
    reading: Reading,
    classes: Classes,
    progress: Progress,
) -> "DistributionSet":
    if not counted.from_labels:
        return read_shares(files, shares, columns, reading, classes, keep_sums=counted.keep_sums)
    refuse_share_options(shares, "leave it out, or leave out --from-labels.")
    from ..io.distributions import class_distributions

    spec = options_as.file_spec(files, columns, reading, classes)
    return class_distributions(options_as.count(spec, progress).counts)
