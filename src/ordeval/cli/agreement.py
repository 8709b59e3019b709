"""`ordeval agreement`: how well several raters agree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ..errors import InputError, quoted
from ..evaluation.agreement import agreement_of
from ..io import FileRatings
from ..io.ratings import open_ratings
from ..notes import Note, note, warning
from .messages import spell
from .option_types import MEASURES, Measures, several, whole
from .options import (
    Gaps,
    RaterIntervals,
    RatingSource,
    Report,
    TablesShown,
    output_option,
    what,
)
from .output import Progress, write_result

_KINDS = ("coefficients", "kappas", "raters", "shares", "pairs", "disputed")
_TABLES = ("main", *_KINDS)


@dataclass(frozen=True)
class Coefficients(Gaps):
    """The measures of all raters and of pairs."""

    measures: Measures | None = what(
        None,
        MEASURES,
        'Coefficients, e.g. "ac2, krippendorff(level=ordinal)"; all by default. `ordeval measures '
        "raters` lists them.",
    )
    pair_measures: Measures | None = what(
        None,
        MEASURES,
        'Measures of pairs of raters, e.g. "qwk, mae": all that score labels. By default linear '
        "and quadratic kappa, accuracy and MAE.",
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
    disputed: int = output_option(
        20, whole(), "Number of items of largest disagreement in the result."
    )


def agreement(
    source: RatingSource,
    wanted: Coefficients,
    statistics: RaterIntervals,
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
    output.protect(source.files)
    with (
        Progress(quiet=output.quiet) as progress,
        open_ratings(**vars(source), progress=progress.stage("Reading")) as read,
    ):
        _refuse_one(read.ratings.raters, source.data)
        found = agreement_of(
            read.ratings,
            **vars(wanted),
            **vars(statistics),
            disputed=shown.disputed,
            progress=progress.stage("Resampling"),
        )
    guessed = source.raters is None and read.about.get("form") == "wide"
    notes = (*_about_raters(read.ratings.raters, guessed), *found.notes, *_about_models(read))
    skip = spell("missing", "skip")
    notes = tuple(replace(n, text=n.text.replace("missing='skip'", skip)) for n in notes)
    found = replace(found, notes=notes, about={**read.about, **found.about})
    write_result(found, output, tables)


def _refuse_one(raters: Sequence[str], name: str) -> None:
    """Raise an error for one rater, who agrees with nobody."""
    if len(raters) < 2:
        raise InputError(
            f"{name} has ratings of one rater, {quoted(raters)}; agreement needs two or more.",
            parameter="raters",
            hint="Name the columns of the raters with {raters}, or the column that names them with "
            "{rater}.",
            suggest={"raters": ..., "rater": ...},
        )


def _about_raters(raters: Sequence[str], guessed: bool) -> list[Note]:
    """Say which columns were taken for raters, because none was named."""
    if not guessed:
        return []
    return [
        warning(
            "raters",
            f"Taken as raters, because --raters was not given: {quoted(raters, 20)}.",
            request=True,
        )
    ]


def _about_models(read: FileRatings) -> list[Note]:
    """Return a note that some raters are models, if others are people."""
    people, models = read.by_kind()
    if not people or not models:
        return []
    told = f"Raters that are models: {quoted(models)}"
    kinds = {read.kinds[name] for name in people}
    if len(kinds) > 1:
        return [note("raters", f"{told}.")]
    only = spell("where", {read.about["kind"]: kinds.pop()})
    return [warning("raters", f"{told}; {only} leaves them out.", request=True)]
