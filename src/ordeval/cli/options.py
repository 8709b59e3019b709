"""The options that commands share, in groups; a command takes the groups that it needs.

The fields of a group are named like the parameters of the function that they are passed to. What
declares a field to typer is its metadata, from which `ordeval.cli.app` makes options and arguments:
typer is loaded when a command line is parsed.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from glob import escape, glob
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from .. import options
from ..errors import InputError
from ..measures.spec import parse_measure
from . import option_types
from .messages import OPTIONS
from .option_types import (
    COLUMN,
    FILE,
    FLAG,
    MEASURES,
    OUT,
    Measures,
    Type,
    choice,
    parser,
    several,
    whole,
)

Format = Literal["text", "json", "csv", "markdown", "latex"]
ReportFormat = Literal["text", "json", "csv", "markdown", "latex", "sentence"]
_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
}
_NOT_TEXT = {".xlsx", ".xls", ".ods", ".parquet", ".pdf", ".png", ".svg", ".html", ".htm"}
SHARE_TABLES = ("main", "pairs", "p", "effect", "difference", "anova", "topics")
TABLES = (*SHARE_TABLES, "classes", "confusion")
SCORE_TABLES = ("main", "topics", "classes", "confusion")


def option(default: Any, kind: Type, help: str, *names: str, **more: Any) -> Any:
    """Declare an option as a field; it is named after the field unless names are given."""
    annotation = list[str] if default == () else kind.annotation  # may be given several times
    declared = ("Option", (..., *names), {"help": help, **kind.declared, **more})
    return field(default=default, metadata={"typer": (annotation, *declared), "adds": kind.adds})


def argument(kind: Type, help: str, **default: Any) -> Any:
    """Declare an argument as a field; with the default () it takes any number of values."""
    annotation = list[str] if default == {"default": ()} else kind.annotation
    declared = ("Argument", (), {"help": help, **kind.declared})
    return field(**default, metadata={"typer": (annotation, *declared)})


def declared_fields(kind: Any) -> dict[str, Any]:
    """Return the options of a TypedDict of `ordeval.options` as fields, by name."""
    return {
        name: _declared(name, hint, opt)
        for name, (hint, opt) in options.declared(kind).items()
        if opt.panel
    }


def _declared(name: str, hint: Any, opt: options.Opt) -> Any:
    """Return an option of the library as one of the command line."""
    default = () if name == "where" else opt.default
    flag = " /" * (opt.default is True)  # typer takes the name after a slash for False
    names = (flag + OPTIONS[name],) if flag or name == "rng" else ()
    return option(default, _type_of(name, hint, opt), opt.help, *names, rich_help_panel=opt.panel)


def _type_of(name: str, hint: Any, opt: options.Opt) -> Type:
    """Return how the command line reads the value of an option."""
    if name in _TYPES:
        return _TYPES[name]
    if words := options.choices(hint):
        return choice(words)
    if opt.check is not None:
        metavar = "N" if isinstance(opt.check, options.Whole) else "NUMBER"
        return option_types.number(metavar, opt.check)
    return FLAG if hint is bool else COLUMN


_TYPES = {
    "labels": Type("LOW,…,HIGH", option_types.labels),
    "values": Type("1,2,4", option_types.numbers),
    "bins": Type("round|floor|1.5,2.5,…", option_types.bins),
    "na": Type("99,.", option_types.names, adds=True),
    "where": Type("COLUMN=VALUE", option_types.condition),
    **dict.fromkeys(("id", "item", "slices"), Type("COLUMN,…", option_types.names, adds=True)),
    "pair_measures": MEASURES,
    "primary": Type("MEASURE", parser(parse_measure)),
    "undefined": Type("skip|NUMBER", option_types.replacement),
    "rng": whole(),
    "against": Type("SYSTEM"),
    "prefix": Type("TEXT"),
    "delimiter": Type("CHARACTER"),
    "encoding": Type("NAME"),
    "decimal": Type("MARK"),
    "sheet": Type("NAME"),
    "memory_limit": Type("SIZE"),
}
_data = partial(option, rich_help_panel="Data")
_scale = partial(option, rich_help_panel="Scale")
what = partial(option, rich_help_panel="Measures")
statistics_option = partial(option, rich_help_panel="Intervals and tests")
output_option = partial(option, rich_help_panel="Output")
distributions = partial(option, rich_help_panel="Distributions")


@dataclass(frozen=True)
class Files:
    """The files with gold labels and predictions."""

    data: str = argument(
        Type("DATA"),
        "Table with a gold column and a column per system; with RUN files: id, gold and perhaps a "
        "topic. csv, tsv, jsonl, parquet, xlsx, also .gz; a folder of such files; - for standard "
        "input.",
    )
    runs: tuple[str, ...] = argument(
        Type("[RUN...]"),
        "Files or folders of (id, prediction), joined to DATA on the id; the system is named after "
        "the file.",
        default=(),
    )

    @property
    def files(self) -> tuple[str, ...]:
        """All files, as given."""
        return (self.data, *self.runs)


@dataclass(frozen=True)
class LabelFiles(Files):
    """The files, and their columns of labels."""

    gold: str = _data("gold", COLUMN, "Column of gold labels.")
    pred: tuple[str, ...] | None = _data(
        None,
        Type("A,B", option_types.names, adds=True),
        "Columns of predictions. By default every other column of DATA, or the column of a RUN "
        "that is not the id.",
    )


@dataclass(frozen=True)
class RatingFile:
    """The file with ratings."""

    data: str = argument(
        Type("DATA"),
        "Ratings: a row per item and a column per rater, or a row per item and rater, or a column "
        "of lists. csv, tsv, jsonl, parquet, xlsx, also .gz; an export of Label Studio, "
        "Argilla, Inspect or promptfoo; a folder of such files; - for standard input.",
    )

    @property
    def files(self) -> tuple[str, ...]:
        """All files, as given."""
        return (self.data,)


@dataclass(frozen=True)
class Raters:
    """Who rated the items."""

    raters: tuple[str, ...] | None = _data(
        None,
        Type("A,B", option_types.names, adds=True),
        "Columns of the raters, by default all without another role; in long form, the raters to "
        "keep.",
    )


@dataclass(frozen=True)
class People:
    """Who is a person and who is a model."""

    people: tuple[str, ...] | None = _data(
        None,
        Type("A,B", option_types.names, adds=True),
        "The people: columns, or raters in long form; by default all that are no models.",
    )
    models: tuple[str, ...] | None = _data(
        None,
        Type("M1,M2", option_types.names, adds=True),
        "The models: columns, or raters in long form; by default all that are no people.",
    )


@dataclass(frozen=True)
class MeasuresAsked:
    """The measures."""

    measures: Measures | None = what(
        None,
        MEASURES,
        'Measures, e.g. "cem, kappa(weights=quadratic)", or "all"; `ordeval measures` lists them.',
    )


@dataclass(frozen=True)
class Shown:
    """The tables to print."""

    pairs: bool = output_option(
        False,
        FLAG,
        "Also every pair of systems: difference with its interval, effect size, p-value; csv has "
        "them instead of the leaderboard, as a file holds one table.",
        "--pairs",
    )
    tables: tuple[str, ...] = output_option(
        ("main",),
        several(TABLES),
        f"Tables to print: {', '.join(TABLES)} (p to difference are matrices of all pairs; topics "
        "has the scores on each topic, classes figures per class, confusion the counts of gold by "
        "predicted class, of each system).",
    )

    @property
    def needs(self) -> dict[str, Any]:
        """The settings that the tables require."""
        pairs = self.pairs or "pairs" in self.tables
        return {"differences": pairs}

    def kinds(self, format: ReportFormat) -> tuple[str, ...]:
        """Return the tables to print in a format; a csv file takes one."""
        main = () if self.pairs and format == "csv" and self.tables == ("main",) else self.tables
        chosen = tuple(dict.fromkeys((*main, *(("pairs",) if self.pairs else ()))))
        check_one_in_csv(format, chosen)
        return chosen


@dataclass(frozen=True)
class SharesShown(Shown):
    """The same for distributions, which have no labels of items to be counted."""

    tables: tuple[str, ...] = output_option(
        ("main",),
        several(SHARE_TABLES),
        f"Tables to print: {', '.join(SHARE_TABLES)} (p to difference are matrices of all pairs; "
        "topics has the scores on each topic).",
    )


@dataclass(frozen=True)
class TablesShown:
    """The tables to print."""

    every: ClassVar[tuple[str, ...]] = ()  # what "all" stands for, where it may be asked for
    tables: tuple[str, ...] = ("main",)

    def kinds(self, format: ReportFormat) -> tuple[str, ...]:
        """Return the tables to print in a format; a csv file takes one."""
        tables = self.every if "all" in self.tables else self.tables
        check_one_in_csv(format, tables)
        return tables


@dataclass(frozen=True)
class ScoresShown(TablesShown):
    """The tables of scores to print."""

    tables: tuple[str, ...] = output_option(
        ("main",),
        several(SCORE_TABLES),
        f"Tables to print: {', '.join(SCORE_TABLES)} (topics has the scores on each topic, classes "
        "figures per class, confusion the counts of gold by predicted class, of each system).",
    )


def check_one_in_csv(format: ReportFormat, tables: Sequence[str]) -> None:
    """Raise an error if a csv file is to hold several tables."""
    if format == "csv" and len(tables) > 1:
        raise InputError(f"A csv file holds one table; choose one of {', '.join(tables)}.")


@dataclass(frozen=True)
class Output:
    """Where the answer goes, and in which format."""

    format: ReportFormat = output_option(
        "text", choice(get_args(Format)), "json holds everything at full precision."
    )
    out: Path | None = output_option(
        None,
        OUT,
        "Write to a file instead of the terminal, in the format that its ending names (.csv, "
        ".json, .md, .tex); - is standard output.",
    )
    quiet: bool = output_option(
        False, FLAG, "Print nothing but the answer and its notes.", "--quiet", "-q"
    )

    def __post_init__(self) -> None:
        """Take the format from the ending of the output file, unless another one was chosen."""
        ending = "" if self.out is None else self.out.suffix.lower()
        if ending in _NOT_TEXT:
            raise InputError(
                f"--out {self.out}: tables are written as text, not as {ending}.",
                parameter="out",
                hint=f"Name one that ends in {', '.join(_FORMATS)} or .txt; --html writes a page.",
            )
        if self.format == "text" and ending in _FORMATS:
            object.__setattr__(self, "format", _FORMATS[ending])

    def protect(self, inputs: Iterable[str]) -> None:
        """Raise an error if an output would overwrite another file of the command."""
        if str(getattr(self, "html", "")) == "-":
            raise InputError("--html writes a file; - is not the name of one.", parameter="html")
        taken = {os.path.realpath(file) for given in inputs for file in _files_of(given)}
        for name in ("out", "html"):
            path = getattr(self, name, None)
            if path is None:
                continue
            if os.path.realpath(path) in taken:
                raise InputError(f"--{name} {path} would overwrite another file of this command.")
            taken.add(os.path.realpath(path))


def _files_of(given: str) -> list[str]:
    """Return the files that an argument may stand for."""
    return [given, *glob(given), *glob(f"{escape(given)}/*")]


@dataclass(frozen=True)
class Report(Output):
    """Where the answer goes, with an HTML report."""

    format: ReportFormat = output_option(
        "text",
        choice(get_args(ReportFormat)),
        "json holds everything at full precision; sentence is a paragraph for a paper.",
    )
    html: Path | None = output_option(
        None, FILE, "Write a report with figures, one file that opens in any browser."
    )


# Groups of groups, in the order in which the help lists them: the last base comes first.


@dataclass(frozen=True)
class ShareFiles(Files):
    """The files of distributions."""

    data: str = argument(
        Type("DATA"),
        "Gold distributions: a row per topic, a column per class; without RUN files the systems' "
        "rows, too (--system), or labels (--from-labels). csv, tsv, jsonl, parquet, xlsx, also "
        ".gz; - for standard input.",
    )
    runs: tuple[str, ...] = argument(
        Type("[RUN...]"),
        "Files of estimated distributions, matched to DATA by topic and class; the system is "
        "named after the file.",
        default=(),
    )
    gold: str = _data("gold", Type("NAME"), "Name of gold in the column of systems.")
    from_labels: bool = distributions(
        False,
        FLAG,
        "The files hold class labels as for `ordeval score`; the distributions of each topic are "
        "counted from them.",
        "--from-labels",
    )


@dataclass(frozen=True)
class RaterFile(Raters, RatingFile):
    """The file with ratings, and who rated."""


@dataclass(frozen=True)
class PanelFile(People, RatingFile):
    """The file with ratings, and who is a person and who is a model."""
