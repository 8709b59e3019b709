"""`ordeval compare`: a leaderboard with intervals and tests of all pairs."""

from ..evaluation import compare as compare_systems
from ..evaluation import read
from ..options import CompareSettings, ReadSettings
from .options import LabelFiles, MeasuresAsked, Report, Shown
from .output import Progress, write_result


def compare(
    files: LabelFiles,
    reading: ReadSettings,
    asked: MeasuresAsked,
    settings: CompareSettings,
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
    tables = shown.kinds(output.format)
    output.protect(files.files)
    with Progress(quiet=output.quiet) as progress:
        stage = progress.stage
        items = read(
            files.data,
            *files.runs,
            gold=files.gold,
            pred=files.pred,
            **reading,
            progress=stage("Reading"),
        )
        result = compare_systems(
            items, None, asked.measures, **settings, **shown.needs, progress=stage("Resampling")
        )
    write_result(result, output, tables)
