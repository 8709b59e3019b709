"""`ordeval judge`: models beside several people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

from ..errors import InputError, quoted
from ..evaluation.judge import judge_of
from ..evaluation.panel import GoldRule
from ..evaluation.replacement import Nearness
from ..io.rating_layouts import RaterError
from ..io.ratings import open_ratings
from ..measures.spec import Measure, parse_measure
from ..notes import Note, warning
from . import option_types
from .option_types import MEASURES, Measures, Type, choice, parser, several
from .options import (
    PanelSource,
    RaterIntervals,
    Report,
    TablesShown,
    output_option,
    statistics_option,
    what,
)
from .output import Progress, write_result

_KINDS = ("measures", "people", "pairs", "test", "replacements", "bias", "slices", "items")
_TABLES = ("main", *_KINDS)
_NO_SLICES = "name the columns of slices with --slices"


@dataclass(frozen=True)
class Judged:
    """How gold is made from people, and the measures."""

    gold: GoldRule = what(
        "soft",
        choice(get_args(GoldRule)),
        "How the other people make gold: their distribution over classes, the most frequent class, "
        "the median, the mean, or each of them in turn.",
    )
    measures: Measures | None = what(
        None,
        MEASURES,
        'Measures, e.g. "cem, kappa(weights=quadratic)", or "all"; the core ones by default.',
    )
    primary: Measure | None = what(
        None, Type("MEASURE", parser(parse_measure)), "The measure that ranks the models."
    )


@dataclass(frozen=True)
class Verdicts:
    """When a model is as good as one more person."""

    margin: float = statistics_option(
        0.1,
        Type("SHARE", option_types.not_negative),
        "How much larger the disagreement of a model with people may be than that of a person, for "
        "it to be as good as one more person: 0.1 allows a tenth more.",
    )
    epsilon: float = statistics_option(
        0.2,
        Type("SHARE", option_types.not_negative),
        "By how much people may be better in the alternative annotator test: 0.2 for experts, 0.15 "
        "for skilled people, 0.1 for crowds.",
    )
    nearness: Nearness = statistics_option(
        "rmse",
        choice(get_args(Nearness)),
        "How near a rating is to the others in that test: by the root mean square distance, or the "
        "share of equal ratings.",
    )


@dataclass(frozen=True)
class VerdictStatistics(Verdicts, RaterIntervals):
    """Intervals and verdicts."""


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
    source: PanelSource,
    judged: Judged,
    statistics: VerdictStatistics,
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
    output.protect(source.files)
    given = dict(vars(source))
    people, models = given.pop("people"), given.pop("models")
    raters = tuple(dict.fromkeys((*people, *models))) if people and models else None
    try:
        with (
            Progress(quiet=output.quiet) as progress,
            open_ratings(raters=raters, **given, progress=progress.stage("Reading")) as read,
        ):
            persons, machines = read.panel(people, models)
            _refuse_one(persons)
            found = judge_of(
                read.ratings,
                persons,
                machines,
                **vars(judged),
                **vars(statistics),
                slices=_slices(read.slices),
                about=read.about,
            )
    except InputError as problem:
        raise _as_options(problem, people or ()) from None
    if people is None and models is not None:
        found = replace(found, notes=(*found.notes, _about_people(found.people)))
    write_result(found, output, tables, slices=_NO_SLICES)


def _refuse_one(people: Sequence[str]) -> None:
    """Raise an error for one person, with whom nobody can be compared."""
    if len(people) < 2:
        raise InputError(
            f"There is one person with ratings, {quoted(people)}; how well people agree with each "
            "other needs two or more.",
            parameter="people",
            hint="To score models against one person, use `ordeval score` or `ordeval compare`.",
        )


def _as_options(problem: InputError, people: Sequence[str]) -> InputError:
    """Return an error with the options of this command: raters are people and models here."""
    parameter, suggest = problem.parameter, dict(problem.suggest)
    if isinstance(problem, RaterError):
        parameter = "people" if problem.rater in people else "models"
    elif parameter == "raters":
        parameter = None
    if suggest.pop("raters", None) is not None:
        suggest |= {"people": ..., "models": ...}
    hint = problem.raw_hint.replace("{raters}", "{people} and {models}")
    return InputError(problem.message, parameter=parameter, hint=hint, suggest=suggest)


def _about_people(people: Sequence[str]) -> Note:
    """Say who was taken for a person, because nobody was named as one."""
    return warning(
        "raters",
        f"Taken as people, because --people was not given: {quoted(people, 20)}.",
        request=True,
    )


def _slices(given: Any) -> Any:
    """Return the parts of the data: of one column, or of several by name."""
    return dict(given) if len(given) > 1 else next(iter(given.values()), None)
