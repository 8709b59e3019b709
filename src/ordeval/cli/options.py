"""The options that commands share, in groups. A command takes the groups that it needs.

Every value is text here, as it was typed; `values` reads it and says what is wrong with it.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from .values import keep, one_of, target

_DATA, _SCALE, _WHAT = "Data", "Scale", "Measures"
_STATISTICS, _OUTPUT = "Intervals and tests", "Output"


FORMATS = ("text", "json", "csv", "markdown", "latex")
MISSING = ("error", "worst", "skip")
AGGREGATES = ("mean", "pool")
METHODS = ("bca", "percentile")
OVER = ("items", "topics", "both")
TABLES = ("main", "pairs", "p", "effect", "difference", "classical", "anova")


def _one_of(choices: tuple[str, ...], help: str, panel: str, **more: Any) -> Any:
    """An option that takes one of some words; they are checked with the other values."""
    return typer.Option(
        metavar="|".join(choices),
        help=help,
        rich_help_panel=panel,
        autocompletion=lambda incomplete: [c for c in choices if c.startswith(incomplete)],
        **more,
    )


@dataclass(frozen=True)
class Files:
    """The files with gold labels and predictions."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table with a gold column and a column per system; with RUN files: "
            "id, gold and perhaps a topic. csv, tsv, jsonl, parquet, also .gz.",
            show_default=False,
        ),
    ]
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN...]",
            help="Files of (id, prediction), joined to DATA on the id; the system is named "
            "after the file.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class Columns:
    """Which columns mean what, and how files are to be read."""

    gold: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column of gold labels.", rich_help_panel=_DATA)
    ] = "gold"
    pred: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Columns of predictions. By default every other column of DATA, or the column "
            "of a RUN that is not the id.",
            rich_help_panel=_DATA,
            show_default=False,
        ),
    ] = None
    topic: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of topics; scores are then averaged over topics.",
            rich_help_panel=_DATA,
            show_default=False,
        ),
    ] = None
    id: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that names an item. By default `id`, or the first one of DATA.",
            rich_help_panel=_DATA,
            show_default=False,
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of item weights.",
            rich_help_panel=_DATA,
            show_default=False,
        ),
    ] = None
    missing: Annotated[
        str,
        _one_of(
            MISSING,
            "Missing predictions: an error, scored as the class farthest from gold, or the item "
            "left out for every system.",
            _DATA,
        ),
    ] = "error"

    def __post_init__(self) -> None:
        one_of(self.missing, MISSING, "--missing")


@dataclass(frozen=True)
class Reading:
    """How text files are to be read."""

    header: Annotated[
        bool,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns; if not, columns go by their numbers, "
            "1, 2, …",
            rich_help_panel=_DATA,
        ),
    ] = True
    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="CHARACTER",
            help="What stands between fields; found out by default. `tab` is a tab.",
            rich_help_panel=_DATA,
            show_default=False,
        ),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoding of text files where it is not UTF-8, e.g. latin-1.",
            rich_help_panel=_DATA,
            show_default=False,
        ),
    ] = None
    memory_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory for reading before it spills to disk, e.g. 2GB; 1 GiB by default.",
            rich_help_panel=_DATA,
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class Classes:
    """The ordered scale."""

    labels: Annotated[
        str | None,
        typer.Option(
            metavar="LOW,…,HIGH",
            help='The classes in order, lowest first: "low,medium,high", or integers "-2..2". '
            "Needed unless the labels are integers.",
            rich_help_panel=_SCALE,
            show_default=False,
        ),
    ] = None
    values: Annotated[
        str | None,
        typer.Option(
            metavar="1,2,4",
            help="A number per class where the steps are not equal.",
            rich_help_panel=_SCALE,
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class Wanted:
    """The measures."""

    measures: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help='Measures, e.g. "cem, kappa(weights=quadratic)", or "all"; '
            "`ordeval measures` lists them.",
            rich_help_panel=_WHAT,
            show_default=False,
        ),
    ] = None
    primary: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="The measure that ranks the systems.",
            rich_help_panel=_WHAT,
            show_default=False,
        ),
    ] = None
    undefined: Annotated[
        str | None,
        typer.Option(
            metavar="skip|NUMBER",
            help="Average over the topics with a score, or put a number in place of an "
            "undefined score. By default it stays undefined and is counted.",
            rich_help_panel=_WHAT,
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class Topics:
    """How topics come together."""

    aggregate: Annotated[
        str,
        _one_of(
            AGGREGATES,
            "With topics: the mean of their scores, or one score of all items pooled.",
            _WHAT,
        ),
    ] = "mean"

    def __post_init__(self) -> None:
        one_of(self.aggregate, AGGREGATES, "--aggregate")


@dataclass(frozen=True)
class Bootstrap:
    """Intervals, and what is random."""

    ci: Annotated[
        str,
        typer.Option(metavar="LEVEL", help="Level of the intervals.", rich_help_panel=_STATISTICS),
    ] = "0.95"
    bootstrap: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Bootstrap replicates; 0 for no intervals.",
            rich_help_panel=_STATISTICS,
        ),
    ] = "2000"
    method: Annotated[str, _one_of(METHODS, "Kind of interval.", _STATISTICS)] = "bca"
    seed: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Same seed, same answer.",
            rich_help_panel=_STATISTICS,
        ),
    ] = "0"
    threads: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Threads; the answer does not depend on them.",
            rich_help_panel=_STATISTICS,
        ),
    ] = "1"


@dataclass(frozen=True)
class Resampled:
    """What is resampled."""

    over: Annotated[
        str | None,
        _one_of(
            OVER,
            "What is resampled: topics where there are any, else items, or both.",
            _STATISTICS,
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class Testing:
    """Tests of pairs of systems."""

    trials: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Random trials of the tests: by default 5000 over topics, 10000 over items.",
            rich_help_panel=_STATISTICS,
            show_default=False,
        ),
    ] = None
    alpha: Annotated[
        str,
        typer.Option(metavar="LEVEL", help="Level of significance.", rich_help_panel=_STATISTICS),
    ] = "0.05"
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Also every pair of systems: difference with its interval, effect size, p-value.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False
    tables: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help=f"Tables to print: {', '.join(TABLES)} (p to classical are matrices of all "
            "pairs).",
            rich_help_panel=_OUTPUT,
        ),
    ] = "main"


@dataclass(frozen=True)
class Output:
    """Where the answer goes, and in which form."""

    format: Annotated[
        str, _one_of(FORMATS, "json holds everything at full precision.", _OUTPUT)
    ] = "text"
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write to a file, whole or not at all, instead of the terminal.",
            rich_help_panel=_OUTPUT,
            show_default=False,
        ),
    ] = None
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress and no remarks.", rich_help_panel=_OUTPUT),
    ] = False

    def __post_init__(self) -> None:
        one_of(self.format, FORMATS, "--format")
        target(self.out, "--out")


@dataclass(frozen=True)
class Report(Output):
    """Where the answer goes, with an HTML report."""

    html: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write a report with figures, one file that opens in any browser.",
            rich_help_panel=_OUTPUT,
            show_default=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        target(self.html, "--html")
        if self.html is not None and self.out is not None:
            keep([self.out], "--html", self.html)


# Groups of groups, in the order in which the help lists them: the last base comes first.


@dataclass(frozen=True)
class Source(Classes, Reading, Columns, Files):
    """Files, their columns, and the scale."""


@dataclass(frozen=True)
class ShareSource(Source):
    """The same for files of distributions."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Gold distributions: a row per topic, a column per class; without RUN files the "
            "systems' rows, too (--run), or labels (--from-labels). csv, tsv, jsonl, parquet, "
            "also .gz.",
            show_default=False,
        ),
    ]
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN...]",
            help="Files of estimated distributions, matched to DATA by topic and class; the "
            "system is named after the file.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class Scoring(Topics, Wanted):
    """The measures, and how topics come together."""


@dataclass(frozen=True)
class Intervals(Resampled, Bootstrap):
    """Intervals of scores."""


@dataclass(frozen=True)
class Means(Testing, Bootstrap):
    """Intervals and tests of means over topics."""


@dataclass(frozen=True)
class Statistics(Testing, Resampled, Bootstrap):
    """Intervals and tests."""
