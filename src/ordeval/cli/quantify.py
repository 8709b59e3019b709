"""`ordeval quantify`: a leaderboard of estimated distributions over the classes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from . import reading as options_as
from . import values
from .options import Means, Report, ShareSource, Source, Wanted
from .output import write_page, write_result
from .progress import Progress
from .shares import Shares, read_shares, refuse_share_options

if TYPE_CHECKING:
    from ..io.distributions import DistributionSet
    from ..types import Floats


@dataclass(frozen=True)
class Estimates(Shares):
    """How distributions stand in the files, or are counted from labels."""

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
    source: ShareSource, estimates: Estimates, wanted: Wanted, statistics: Means, output: Report
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
    from ..report.result_tables import requested_tables

    shown = options_as.tables(statistics, output)
    chosen, more = values.measures(wanted.measures), options_as.wanted(wanted)
    options_as.keep_files(source, output)
    with Progress(quiet=output.quiet) as progress:
        how = options_as.settings(statistics, progress, shown)
        found = _read(source, estimates, progress)
        result = quantify_rows(
            found.gold,
            _stacked(found),
            found.systems,
            found.topics,
            found.scale,
            chosen,
            settings=how,
            notices=found.notices,
            about=options_as.about(source),
            **more,
        )
    write_result(result, requested_tables(result, shown), output)
    write_page(result, output)


def _stacked(found: "DistributionSet") -> "Floats":
    import numpy as np

    return np.stack(list(found.estimates.values()))


def _read(source: Source, estimates: Estimates, progress: Progress) -> "DistributionSet":
    if not estimates.from_labels:
        return read_shares(source, estimates, keep_sums=estimates.keep_sums)
    from ..io.distributions import class_distributions

    refuse_share_options(estimates, "leave it out, or leave out --from-labels.")
    return class_distributions(options_as.count(options_as.file_spec(source), progress).counts)
