"""`ordeval score`, `compare`, `quantify`, `agreement`, `judge`: files in, a result out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from .. import evaluation, options
from ..errors import InputError
from ..evaluation import ratings
from ..evaluation.agreement import about_models, agreement_of
from ..evaluation.judge import division_names, judge_of, read_panel
from .messages import OPTIONS, spell
from .option_types import MEASURES, Measures, several
from .options import (
    LabelFiles,
    MeasuresAsked,
    PanelFile,
    RaterFile,
    Report,
    ScoresShown,
    ShareFiles,
    SharesShown,
    Shown,
    TablesShown,
    output_option,
    what,
)
from .output import Progress, write_result

_AGREEMENT = ("coefficients", "kappas", "raters", "shares", "pairs", "disputed")
_JUDGEMENT = ("measures", "people", "pairs", "test", "replacements", "bias", "slices", "items")

Stage = Callable[[str], Any]  # returns what hears of the progress of a stage


def _write(
    files: Any, shown: Any, output: Report, make: Callable[[Stage], Any], **empty: str
) -> None:
    """Make a result and write it; outputs are checked first, so that no time is lost."""
    tables = shown.kinds(output.format)
    output.protect(files.files)
    with Progress(quiet=output.quiet) as progress:
        result = make(progress.stage)
    write_result(result, output, tables, **empty)


def _read(files: LabelFiles, reading: options.ReadSettings, stage: Stage) -> Any:
    columns: dict[str, Any] = {"gold": files.gold, "pred": files.pred}
    return evaluation.read(files.data, *files.runs, **columns, **reading, progress=stage("Reading"))


def score(
    files: LabelFiles,
    reading: options.ReadSettings,
    asked: MeasuresAsked,
    settings: options.EvaluateSettings,
    shown: ScoresShown,
    output: Report,
) -> None:
    """Score predictions under every measure, with intervals.

    DATA alone is a table with a gold column and a column per system. With RUN files, DATA holds
    the gold labels and every RUN the predictions of one system, joined on an id.

    \b
    Examples:
      ordeval score data.csv
      ordeval score data.csv --gold truth --pred bert,svm --labels low,medium,high
      ordeval score gold.csv bert.csv svm.csv --topic topic --labels -2..2
      ordeval score data.parquet --measures "cem, kappa(weights=quadratic)" --format json
      ordeval score gold.csv runs/*.csv --topic topic --measures mae --tables topics
      ordeval score data.csv --pred bert --tables classes,confusion
      ordeval score "part-*.csv.gz" --bootstrap 0 --out scores.txt
      ordeval score ratings.xlsx --sheet May --gold "Rater 1" --pred "Rater 2" --missing skip
      zcat data.csv.gz | ordeval score - --pred bert --where topic=news
    """

    def make(stage: Stage) -> Any:
        data = _read(files, reading, stage)
        return evaluation.evaluate(
            data, None, asked.measures, **settings, progress=stage("Resampling")
        )

    _write(files, shown, output, make)


def compare(
    files: LabelFiles,
    reading: options.ReadSettings,
    asked: MeasuresAsked,
    settings: options.CompareSettings,
    shown: Shown,
    output: Report,
) -> None:
    """Compare systems on the same items: leaderboard, intervals, significance, report.

    DATA alone is a table with a gold column and a column per system. With RUN files, DATA holds
    the gold labels and every RUN the predictions of one system, joined on an id.

    Systems are ranked by the primary measure; the column "beats" says which ranks a system beats
    significantly, and "ranks" which ranks the tests allow it. The test is step-down max-T over
    clusters, topics or items.

    \b
    Examples:
      ordeval compare data.csv --labels low,medium,high
      ordeval compare gold.csv runs/*.csv --topic topic --labels -2..2 --html report.html
      ordeval compare gold.csv runs --id topic,id --topic topic --where lang=en
      ordeval compare gold.csv all-runs.csv --system system
      ordeval compare data.csv --primary cem --pairs
      ordeval compare data.csv --against baseline --margin 0.02 --cluster patient
      ordeval compare data.csv --topic topic --tables main,p,effect,anova
      ordeval compare gold.csv runs/*.csv --topic topic --primary macro_mae --tables topics
      ordeval compare data.csv --primary qwk --format sentence
      ordeval compare data.csv --measures "qwk, mae" --format latex --out table.tex
    """

    def make(stage: Stage) -> Any:
        data = _read(files, reading, stage)
        how: dict[str, Any] = {**settings, **shown.needs, "progress": stage("Resampling")}
        return evaluation.compare(data, None, asked.measures, **how)

    _write(files, shown, output, make)


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

    def make(stage: Stage) -> Any:
        read: Any = _read_labels if files.from_labels else evaluation.read_shares
        data = read(files.data, *files.runs, gold=files.gold, **reading, progress=stage("Reading"))
        how: dict[str, Any] = {**settings, **shown.needs, "progress": stage("Resampling")}
        return evaluation.quantify(data, None, asked.measures, **how)

    _write(files, shown, output, make)


def _read_labels(*files: str, **reading: Any) -> Any:
    """Read labels, whose classes are counted by topic."""
    known, usual = options.declared(options.ReadOptions), options.defaults(options.ShareOptions)
    for name in usual.keys() - known.keys():
        if reading.pop(name, usual[name]) != usual[name]:
            raise InputError(
                f"{OPTIONS[name]} is for files of distributions; leave out --from-labels."
            )
    return evaluation.read(*files, **reading)


@dataclass(frozen=True)
class Coefficients:
    """The measures of all raters."""

    measures: Measures | None = what(
        None,
        MEASURES,
        'Coefficients, e.g. "ac2, krippendorff(level=ordinal)"; all by default. `ordeval measures '
        "raters` lists them.",
    )


@dataclass(frozen=True)
class AgreementShown(TablesShown):
    """The tables to print."""

    every: ClassVar[tuple[str, ...]] = _AGREEMENT
    tables: tuple[str, ...] = output_option(
        ("main",),
        several(("main", *_AGREEMENT, "all")),
        f"Tables to print: main, {', '.join(_AGREEMENT)}, all (kappas has tests of two raters, "
        "shares the classes that raters use, disputed the items of largest disagreement).",
    )


def agreement(
    file: RaterFile,
    reading: options.RatingReadSettings,
    wanted: Coefficients,
    settings: options.AgreementSettings,
    shown: AgreementShown,
    output: Report,
) -> None:
    """Measure how well several raters agree, with intervals.

    DATA has a row per item and a column per rater, a row per item and rater, or a row per item
    with a list of ratings. Raters need not have rated all items.

    \b
    Examples:
      ordeval agreement ratings.csv
      ordeval agreement ratings.csv --raters anna,ben,carla --labels low,medium,high
      ordeval agreement long.parquet --item essay --rater teacher --rating grade
      ordeval agreement ratings.jsonl --rating scores --measures "ac2, krippendorff"
      ordeval agreement label-studio.json --where question=quality --tables main,disputed
      ordeval agreement ratings.csv --cluster author --over both --html agreement.html
      ordeval agreement ratings.csv --item id --text essay --html agreement.html
      zcat ratings.csv.gz | ordeval agreement - --pair-measures qwk --format csv
    """

    def make(stage: Stage) -> Any:
        given = {**options.defaults(options.RatingReadSettings), **reading}
        raters = ratings.named_raters(file.raters, "ratings")
        data, kinds = ratings.rated_data(
            None, file.data, {**given, "progress": stage("Reading")}, raters=raters
        )
        found = agreement_of(data, wanted.measures, **settings, progress=stage("Resampling"))
        skip, notes = spell("missing", "skip"), (*found.notes, *about_models(kinds))
        notes = tuple(replace(n, text=n.text.replace("missing='skip'", skip)) for n in notes)
        return replace(found, notes=notes)

    _write(file, shown, output, make)


@dataclass(frozen=True)
class JudgementShown(TablesShown):
    """The tables to print."""

    every: ClassVar[tuple[str, ...]] = ("main", *_JUDGEMENT)
    tables: tuple[str, ...] = output_option(
        ("main",),
        several(("main", *_JUDGEMENT, "all")),
        f"Tables to print: main, {', '.join(_JUDGEMENT)}, all (test has the alternative annotator "
        "test, replacements its rows, items those on which models and people differ most).",
    )


def judge(
    file: PanelFile,
    reading: options.PanelReadSettings,
    asked: MeasuresAsked,
    settings: options.JudgeSettings,
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

    def make(stage: Stage) -> Any:
        given = {**options.defaults(options.PanelReadSettings), **reading}
        given |= {"progress": stage("Reading")}
        panel = read_panel(file.people, file.models, file.data, given)
        divisions = division_names(given["slices"], columns=True)
        return judge_of(*panel, asked.measures, divisions=divisions, **settings)

    _write(file, shown, output, make, slices="name the columns of slices with --slices")
