"""`ordeval judge`: models beside several people."""

from dataclasses import dataclass
from typing import ClassVar

from ..evaluation.judge import division_names, judge_of, read_panel
from ..options import JudgeSettings, PanelReadSettings, defaults
from .option_types import several
from .options import MeasuresAsked, PanelFile, Report, TablesShown, output_option
from .output import Progress, write_result

_KINDS = ("measures", "people", "pairs", "test", "replacements", "bias", "slices", "items")
_TABLES = ("main", *_KINDS)
_NO_SLICES = "name the columns of slices with --slices"


@dataclass(frozen=True)
class JudgementShown(TablesShown):
    """The tables to print."""

    every: ClassVar[tuple[str, ...]] = _TABLES
    tables: tuple[str, ...] = output_option(
        ("main",),
        several((*_TABLES, "all")),
        f"Tables to print: {', '.join(_TABLES)}, all (test has the alternative annotator test, "
        "replacements its rows, items those on which models and people differ most).",
    )


def judge(
    file: PanelFile,
    reading: PanelReadSettings,
    asked: MeasuresAsked,
    settings: JudgeSettings,
    shown: JudgementShown,
    output: Report,
) -> None:
    """Judge models by several people: is a model as good as one more person?

    DATA has a row per item and a column per person and model, or a row per item and rater with a
    column that says which raters are people. Each person is scored against the others, each model
    against the same people; the verdict is about the difference.

    \b
    Examples:
      ordeval judge ratings.csv --people anna,ben,carla --models gpt-4o,llama
      ordeval judge ratings.csv --models gpt-4o --labels low,medium,high
      ordeval judge long.tsv.gz --item item --rater rater --rating rating --kind kind
      ordeval judge ratings.parquet --models gpt-4o --slices topic --tables main,slices
      ordeval judge ratings.csv --models gpt-4o --gold majority --primary qwk --margin 0.2
      ordeval judge label-studio.json --where question=quality --html judge.html
      ordeval judge ratings.csv --models gpt-4o --item id --text answer --html judge.html
      zcat ratings.csv.gz | ordeval judge - --models m1,m2 --format json --out judge.json
    """
    tables = shown.kinds(output.format)
    output.protect(file.files)
    with Progress(quiet=output.quiet) as progress:
        options = {**defaults(PanelReadSettings), **reading, "progress": progress.stage("Reading")}
        panel = read_panel(file.people, file.models, file.data, options)
        divisions = division_names(options["slices"], columns=True)
        found = judge_of(*panel, asked.measures, divisions=divisions, **settings)
    write_result(found, output, tables, slices=_NO_SLICES)
