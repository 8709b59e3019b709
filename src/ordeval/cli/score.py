"""`ordeval score`: every measure with its interval, for one or more systems."""

from ..evaluation import evaluate, read
from ..options import EvaluateSettings, ReadSettings
from .options import LabelFiles, MeasuresAsked, Report, ScoresShown
from .output import Progress, write_result


def score(
    files: LabelFiles,
    reading: ReadSettings,
    asked: MeasuresAsked,
    settings: EvaluateSettings,
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
        result = evaluate(items, None, asked.measures, **settings, progress=stage("Resampling"))
    write_result(result, output, tables)
