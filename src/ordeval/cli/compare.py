"""`ordeval compare`: a leaderboard with intervals and tests of all pairs."""

from . import reading as options_as
from . import values
from .options import Report, Scoring, Source, Statistics
from .output import write_page, write_result
from .progress import Progress


def compare(source: Source, scoring: Scoring, statistics: Statistics, output: Report) -> None:
    """Compare systems on the same items: leaderboard, intervals, significance, report.

    DATA alone is a table with a gold column and a column per system. With RUN files, DATA holds
    the gold labels and every RUN the predictions of one system, joined on an id.

    Systems are ranked by the primary measure; the column "beats" says which ranks a system beats
    significantly: over topics by the randomised paired Tukey HSD, else over items by the paired
    randomisation test with Holm's correction.

    \b
    Examples:
      ordeval compare data.csv --labels low,medium,high
      ordeval compare gold.csv runs/*.csv --topic topic --labels -2..2 --html report.html
      ordeval compare data.csv --primary cem --pairs
      ordeval compare data.csv --topic topic --tables main,p,effect,anova
      ordeval compare data.csv --measures "qwk, mae" --format latex --out table.tex
    """
    from ..evaluation import compare_source
    from ..report.result_tables import requested_tables

    shown = options_as.tables(statistics, output)
    chosen, more = values.core_measures(scoring.measures), options_as.wanted(scoring)
    options_as.keep_files(source, output)
    with Progress(quiet=output.quiet) as progress:
        spec, how = options_as.file_spec(source), options_as.settings(statistics, progress, shown)
        over_items = spec.topic is None or scoring.aggregate == "pool"
        found = options_as.count(spec, progress, joint=over_items)
        result = compare_source(
            options_as.FileSource(spec, found, progress, options_as.about(source)),
            chosen,
            aggregate=scoring.aggregate,  # type: ignore[arg-type]
            settings=how,
            **more,
        )
    write_result(result, requested_tables(result, shown), output)
    write_page(result, output)
