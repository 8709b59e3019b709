"""`ordeval quantify`: a leaderboard of estimated distributions over the classes."""

from dataclasses import dataclass

import numpy as np

from ..evaluation import Settings, about_shares, quantify_rows, read
from ..io import DistributionSet, class_distributions, read_distributions_file
from .option_types import COLUMN, FLAG
from .options import (
    Means,
    Report,
    Shares,
    ShareSource,
    SharesShown,
    Source,
    Wanted,
    distributions,
    refuse,
)
from .output import Progress, write_result

# Options that only labels have.
_OF_LABELS = ("pred", "id", "weight", "frequency", "missing", "na", "bins")


@dataclass(frozen=True)
class Estimates(Shares):
    """The layout of files of distributions, or that they are counted from labels."""

    keep_sums: bool = distributions(
        False,
        FLAG,
        "Keep rows whose sum is off by at most 1 %; by default they are renormalised and counted.",
        "--keep-sums",
    )
    size: str | None = distributions(
        None,
        COLUMN,
        "Column of the number of items of each topic in gold, for measures that are smoothed by "
        "it. Not needed for counts and --from-labels.",
    )
    from_labels: bool = distributions(
        False,
        FLAG,
        "The files hold class labels as for `ordeval score`; the distributions of each topic are "
        "counted from them.",
        "--from-labels",
    )


def quantify(
    source: ShareSource,
    estimates: Estimates,
    wanted: Wanted,
    statistics: Means,
    shown: SharesShown,
    output: Report,
) -> None:
    """Compare estimated distributions with gold ones, topic by topic.

    DATA holds the gold distributions: a row per topic and a column per class, with shares that
    sum to 1, or counts; or a row per topic and class. Every RUN holds the estimates of one system.
    Or all are in one file, with a column that names the run. Columns are matched to classes by
    name; without a header, the columns after the topic are the classes in the order of --labels.

    \b
    Examples:
      ordeval quantify gold.csv bert.csv svm.csv --labels low,medium,high
      ordeval quantify all-runs.tsv --system run --topic topic --html report.html
      ordeval quantify gold.csv bert.csv --measures "rnod, nmd" --pairs
      ordeval quantify gold.txt run.txt --no-header --labels positive,negative
      ordeval quantify all-runs.tsv --size n --measures "kld_smoothed, ae, rae_smoothed"
      ordeval quantify data.csv --from-labels --topic topic --labels -2..2
    """
    tables = shown.kinds(output.format)
    output.protect(source.files)
    with Progress(quiet=output.quiet) as progress:
        settings = Settings(
            **vars(statistics), **shown.needs, progress=progress.stage("Resampling")
        )
        found = _read(source, estimates, progress)
        result = quantify_rows(
            found.gold,
            np.stack(list(found.estimates.values())),
            found.systems,
            found.topics,
            found.scale,
            wanted.measures,
            sizes=found.sizes,
            primary=wanted.primary,
            undefined=wanted.undefined,
            settings=settings,
            notices=found.notices,
            about={
                "data": source.data,
                "runs": list(source.runs),
                **about_shares(
                    sizes=estimates.size is not None, renormalise=not estimates.keep_sums
                ),
            },
        )
    write_result(result, output, tables)


def _read(source: Source, estimates: Estimates, progress: Progress) -> DistributionSet:
    if not estimates.from_labels:
        return read_shares(
            source, estimates, renormalise=not estimates.keep_sums, size=estimates.size
        )
    refuse(estimates, ("size",), "files of distributions; items are counted from labels.")
    refuse_shares(estimates, "leave it out, or leave out --from-labels.")
    options = dict(vars(source))
    data, runs = options.pop("data"), options.pop("runs")
    items = read(data, *runs, **options, progress=progress.stage("Reading"))
    return class_distributions(items.counts())


def refuse_shares(shares: Shares, hint: str) -> None:
    """Raise an error for options that only files of distributions have."""
    layout = ("prefix", "class_column", "share")
    refuse(shares, layout, f"files of distributions; {hint}")


def read_shares(
    source: Source, shares: Shares, *, renormalise: bool = True, size: str | None = None
) -> DistributionSet:
    """Read gold and estimated distributions from files."""
    refuse(
        source, _OF_LABELS, "files of labels; add --from-labels to read labels, or leave it out."
    )
    given = {name: value for name, value in vars(source).items() if name not in _OF_LABELS}
    layout = {name: getattr(shares, name) for name in ("prefix", "class_column", "share")}
    return read_distributions_file(**given, **layout, renormalise=renormalise, size=size)
