"""`ordeval compare`: a leaderboard with intervals and tests of all pairs."""

from ..evaluation import Settings, compare_source
from ..io import open_files
from .options import ClusteredSource, Report, Scoring, Shown, Statistics
from .output import Progress, write_result


def compare(
    source: ClusteredSource, scoring: Scoring, statistics: Statistics, shown: Shown, output: Report
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
      ordeval compare gold.csv all-runs.csv --run system
      ordeval compare data.csv --primary cem --pairs
      ordeval compare data.csv --against baseline --margin 0.02 --cluster patient
      ordeval compare data.csv --topic topic --tables main,p,effect,anova
      ordeval compare gold.csv runs/*.csv --topic topic --primary macro_mae --tables topics
      ordeval compare data.csv --primary qwk --format sentence
      ordeval compare data.csv --measures "qwk, mae" --format latex --out table.tex
    """
    tables = shown.kinds(output.format)
    output.protect(source.files)
    with Progress(quiet=output.quiet) as progress:
        settings = Settings(
            **vars(statistics), **shown.needs, progress=progress.stage("Resampling")
        )
        with open_files(**vars(source), progress=progress.stage("Reading")) as items:
            result = compare_source(items, settings=settings, **vars(scoring))
    write_result(result, output, tables)
