"""`ordeval quantify`: a leaderboard of estimated distributions over the classes."""

from typing import Any

from .. import options
from ..errors import InputError
from ..evaluation import quantify as compare_shares
from ..evaluation import read, read_shares
from .messages import OPTIONS
from .options import MeasuresAsked, Report, ShareFiles, SharesShown
from .output import Progress, write_result


def quantify(
    files: ShareFiles,
    reading: options.ReadSharesSettings,
    asked: MeasuresAsked,
    settings: options.QuantifySettings,
    shown: SharesShown,
    output: Report,
) -> None:
    """Compare estimated distributions with gold ones, topic by topic.

    DATA holds the gold distributions: a row per topic and a column per class, with shares that
    sum to 1, or counts; or a row per topic and class. Every RUN holds the estimates of one system.
    Or all are in one file, with a column that names the system. Columns are matched to classes by
    name; without a header, the columns after the topic are the classes in the order of --labels.

    \b
    Examples:
      ordeval quantify gold.csv bert.csv svm.csv --labels low,medium,high
      ordeval quantify all-runs.tsv --system run --prefix p_ --html report.html
      ordeval quantify gold.csv bert.csv --measures "rnod, nmd" --pairs
      ordeval quantify gold.txt run.txt --no-header --labels positive,negative
      ordeval quantify all-runs.tsv --size n --measures "kld_smoothed, ae, rae_smoothed"
      ordeval quantify data.csv --from-labels --topic topic --labels -2..2
    """
    tables = shown.kinds(output.format)
    output.protect(files.files)
    with Progress(quiet=output.quiet) as progress:
        stage = progress.stage
        door = _read_labels if files.from_labels else read_shares
        data: Any = door(
            files.data, *files.runs, gold=files.gold, **reading, progress=stage("Reading")
        )
        result = compare_shares(
            data, None, asked.measures, **settings, **shown.needs, progress=stage("Resampling")
        )
    write_result(result, output, tables)


def _read_labels(*files: str, **reading: Any) -> Any:
    """Read labels, whose classes are counted by topic."""
    known, usual = options.declared(options.ReadOptions), options.defaults(options.ShareOptions)
    for name in usual.keys() - known.keys():
        if reading.pop(name, usual[name]) != usual[name]:
            raise InputError(
                f"{OPTIONS[name]} is for files of distributions; leave out --from-labels."
            )
    return read(*files, **reading)
