"""`ordeval score`: every measure with its interval, for one or more systems."""

from . import reading as options_as
from . import values
from .options import Intervals, Report, Scoring, Source
from .output import write_page, write_result
from .progress import Progress


def score(source: Source, scoring: Scoring, statistics: Intervals, output: Report) -> None:
    """Score predictions under every measure, with intervals.

    DATA alone is a table with a gold column and a column per system. With RUN files, DATA holds
    the gold labels and every RUN the predictions of one system, joined on an id.

    \b
    Examples:
      ordeval score data.csv
      ordeval score data.csv --gold truth --pred bert,svm --labels low,medium,high
      ordeval score gold.csv bert.csv svm.csv --topic topic --labels -2..2
      ordeval score data.parquet --measures "cem, kappa(weights=quadratic)" --format json
      ordeval score "part-*.csv.gz" --bootstrap 0 --out scores.txt
    """
    from ..evaluation import evaluate_source
    from ..report.result_tables import score_tables

    chosen, more = values.measures(scoring.measures), options_as.wanted(scoring)
    options_as.keep_files(source, output)
    with Progress(quiet=output.quiet) as progress:
        how = options_as.settings(statistics, progress)
        spec = options_as.file_spec(source)
        found = options_as.count(spec, progress)
        result = evaluate_source(
            options_as.FileSource(spec, found, progress, options_as.about(source)),
            chosen,
            aggregate=scoring.aggregate,  # type: ignore[arg-type]
            settings=how,
            **more,
        )
    write_result(result, score_tables(result, output.format), output)
    write_page(result, output)
