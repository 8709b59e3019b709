"""`ordeval agreement`: how well several raters agree."""

from dataclasses import dataclass, replace
from typing import ClassVar

from ..evaluation.agreement import about_models, agreement_of
from ..evaluation.ratings import named_raters, rated_data
from ..options import AgreementSettings, RatingReadSettings, defaults
from .messages import spell
from .option_types import MEASURES, Measures, several
from .options import RaterFile, Report, TablesShown, output_option, what
from .output import Progress, write_result

_KINDS = ("coefficients", "kappas", "raters", "shares", "pairs", "disputed")
_TABLES = ("main", *_KINDS)


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

    every: ClassVar[tuple[str, ...]] = _KINDS
    tables: tuple[str, ...] = output_option(
        ("main",),
        several((*_TABLES, "all")),
        f"Tables to print: {', '.join(_TABLES)}, all (kappas has tests of two raters, shares the "
        "classes that raters use, disputed the items of largest disagreement).",
    )


def agreement(
    file: RaterFile,
    reading: RatingReadSettings,
    wanted: Coefficients,
    settings: AgreementSettings,
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
    tables = shown.kinds(output.format)
    output.protect(file.files)
    with Progress(quiet=output.quiet) as progress:
        options = {**defaults(RatingReadSettings), **reading, "progress": progress.stage("Reading")}
        raters = named_raters(file.raters, "ratings")
        data, kinds = rated_data(None, file.data, options, raters=raters)
        found = agreement_of(
            data, wanted.measures, **settings, progress=progress.stage("Resampling")
        )
    skip = spell("missing", "skip")
    notes = (*found.notes, *about_models(kinds))
    notes = tuple(replace(n, text=n.text.replace("missing='skip'", skip)) for n in notes)
    write_result(replace(found, notes=notes), output, tables)
