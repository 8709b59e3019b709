"""`ordeval meta`: properties of measures on given systems and topics, and which to use."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from ..errors import InputError
from ..evaluation import CORE_MEASURES, read, read_shares
from ..measures.spec import Measure
from ..meta import AMIGO_REFERENCE, DISTRIBUTION_REFERENCE, ScoreMatrices, meta_evaluate
from ..meta.ranking_consistency import Procedure
from ..options import (
    ItemOptions,
    MetaSettings,
    ReadSettings,
    ReadSharesSettings,
    ShareColumns,
    defaults,
    level,
    options_of,
)
from ..report.present import view_of
from ..types import Undefined
from . import option_types
from .messages import OPTIONS
from .option_types import FLAG, MEASURES, Measures, Type, choice, number, whole
from .options import LabelFiles, Report, distributions, option
from .output import Progress, write, write_page, write_summary, write_view

_TABLES = ("main", "similarity", "consistency", "power", "stability")
_judging = partial(option, rich_help_panel="Judging")


@dataclass(frozen=True)
class Judged:
    """The measures that are judged."""

    measures: Measures | None = _judging(
        None,
        MEASURES,
        'Measures to judge, e.g. "cem, qwk, mae", or "all"; the core ones by default.',
    )
    undefined: Undefined = _judging(
        None,
        Type("skip|NUMBER", option_types.replacement),
        "What replaces undefined scores; by default what depends on them is undefined.",
    )
    reference: Sequence[Measure] | None = _judging(
        None,
        Type("LIST", option_types.measures, adds=True),
        "Reference measures for the coverage. [default: accuracy, kendall_a, mutual_information; "
        "for distributions nvd, nmd, jsd]",
    )


@dataclass(frozen=True)
class Judging:
    """How measures are judged."""

    procedure: Procedure = _judging(
        "bootstrap",
        choice(get_args(Procedure)),
        "How consistency is compared: topics are resampled, or split as in the literature.",
    )
    resamples: int = _judging(
        1000, whole(10), "Resamples of the topics, with --procedure bootstrap."
    )
    splits: int = _judging(
        1000,
        whole(2),
        "Random splits that measures are compared over, with --procedure split.",
    )
    mean_splits: int = _judging(20000, whole(2), "Random splits that mean τ is over.")
    size: int = _judging(
        10, whole(1), "Topics in each set of the small splits, beside halves of all topics."
    )
    trials: int = _judging(5000, whole(1), "Random trials of the tests.")
    alpha: float = _judging(0.05, number("LEVEL", level), "Level of significance.")
    rng: int = _judging(0, whole(), "Random seed; equal seeds give equal results.", "--seed")


@dataclass(frozen=True)
class JudgedFiles(LabelFiles):
    """The files, and whether they hold distributions."""

    distributions: bool = distributions(
        False, FLAG, "The files hold distributions, as for `ordeval quantify`.", "--distributions"
    )


def meta(
    files: JudgedFiles,
    reading: MetaSettings,
    judged: Judged,
    judging: Judging,
    output: Report,
) -> None:
    """Judge the measures themselves by your systems and topics, and advise which to use.

    Similarity (do two measures rank the systems alike?), consistency (does a measure rank them
    alike on other topics?), discriminative power (how many pairs of systems differ
    significantly?), robustness and coverage, a summary, and advice. Needs two or more systems and a
    column of topics.

    \b
    Examples:
      ordeval meta data.csv --topic topic --labels low,medium,high
      ordeval meta gold.csv runs/*.csv --topic topic --labels -2..2 --html measures.html
      ordeval meta data.csv --topic topic --measures "cem, qwk, mae, accuracy" --splits 200
      ordeval meta all-runs.tsv --distributions --topic topic
    """
    output.protect(files.files)
    with Progress(quiet=output.quiet) as progress:
        score = _score_shares if files.distributions else _score_labels
        scores, reference = score(files, reading, judged, progress.stage("Reading"))
        found = meta_evaluate(
            scores, reference, **vars(judging), progress=progress.stage("Judging")
        )
    if output.format == "sentence":
        write_summary(found, output)
    elif output.format == "text":
        write_view(view_of(found), output, _TABLES)
    else:
        write(getattr(found, f"to_{output.format}")(), output)
    write_page(found, output)


Scored = tuple[ScoreMatrices, ScoreMatrices]  # under the judged measures, and under the reference


def _score_labels(
    files: JudgedFiles, reading: MetaSettings, judged: Judged, progress: Any
) -> Scored:
    _refuse(reading, ShareColumns, "distributions; add --distributions if these files hold them.")
    if reading.get("topic") is None:
        raise InputError(
            "Measures are judged by topics: name their column with --topic. Data without topics "
            "can be cut into random parts with ordeval.meta.random_topics in Python."
        )
    items = read(
        files.data,
        *files.runs,
        gold=files.gold,
        pred=files.pred,
        **options_of(reading, ReadSettings),
        progress=progress,
    )
    counts = items.counts()
    score = partial(ScoreMatrices.from_counts, counts, undefined=judged.undefined)
    return score(_or(judged.measures, CORE_MEASURES)), score(judged.reference or AMIGO_REFERENCE)


def _score_shares(
    files: JudgedFiles, reading: MetaSettings, judged: Judged, progress: Any
) -> Scored:
    _refuse(reading, ItemOptions, "labels; leave it out for distributions.")
    shares = read_shares(
        files.data,
        *files.runs,
        gold=files.gold,
        **options_of(reading, ReadSharesSettings),
        progress=progress,
    )
    given = () if judged.measures in (None, "all") else judged.measures
    for m in (*given, *(judged.reference or ())):
        if shares.units.count is None and isinstance(m, Measure) and m.needs_sizes:
            raise InputError(
                f"{m} is smoothed by the number of items of each gold distribution, which is "
                "not known from shares.",
                hint="Give gold as counts, or name other measures with {measures}.",
                suggest={"measures": ...},
            )
    score = partial(ScoreMatrices.from_shares, shares, undefined=judged.undefined)
    return score(_or(judged.measures, None)), score(judged.reference or DISTRIBUTION_REFERENCE)


def _or(given: Measures | None, usual: Sequence[str] | None) -> Sequence[str | Measure] | None:
    """Return the measures given, or the usual ones; None stands for all."""
    return None if given == "all" else usual if given is None else given


def _refuse(reading: MetaSettings, kind: Any, reason: str) -> None:
    """Raise an error for options that would be ignored."""
    usual = defaults(kind)
    if ignored := [n for n, value in options_of(reading, kind).items() if value != usual[n]]:
        raise InputError(f"{', '.join(OPTIONS[name] for name in ignored)} is for {reason}")
