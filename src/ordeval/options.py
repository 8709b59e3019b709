"""Options of the public functions, each declared once.

A function that takes ``**options: Unpack[CompareOptions]`` is decorated with
``takes(CompareOptions)``. Its signature, the documentation of its parameters, the checks of their
values and the answer to a wrong name are made from the declaration; so are the options of the
command line (`ordeval.cli`) and the call that a report prints (`ordeval.call`).
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, wraps
from math import inf
from numbers import Integral, Real
from os import PathLike
from types import NoneType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from .errors import InputError, abbreviate, check_choice, did_you_mean
from .types import (
    RNG,
    Aggregate,
    BinsLike,
    Classes,
    ClassNumbers,
    CutGaps,
    CutRules,
    Family,
    GoldRule,
    ItemWeights,
    LabelColumn,
    Method,
    Missing,
    MissingLabels,
    Nearness,
    Over,
    Procedure,
    Progress,
    RaterUnits,
    RatingGaps,
    Tau,
    Undefined,
)

F = TypeVar("F", bound=Callable[..., Any])
Numbers = ItemWeights | str  # of items, or with data= the name of a column

SYNONYMS = {
    **dict.fromkeys(("seed", "random_state", "random_seed"), "rng"),
    **dict.fromkeys(("measure", "metric", "metrics"), "measures"),
    **dict.fromkeys(("sample_weight", "weights", "sample_weights"), "weight"),
    **dict.fromkeys(("group", "groups", "clusters"), "cluster"),
    **dict.fromkeys(("n_boot", "n_bootstrap", "n_resamples", "bootstrap"), "draws"),
    **dict.fromkeys(("classes", "categories", "order"), "labels"),
    "topics": "topic",
    "slices": "by",
    "id": "item",
    "item": "id",
    "alpha": "ci",
    "confidence_level": "ci",
    "y_score": "y_pred",
    "gold": "y_true",
    "pred": "y_pred",
    "y_true": "gold",
    "y_pred": "pred",
}


class Opt(NamedTuple):
    """The facts of an option beside its name and type.

    `check(name, value)` raises an error for a value that cannot be used; `kind` is the type in
    documentation, where the annotation does not say it.
    """

    default: Any = None
    check: Callable[[str, Any], None] | None = None
    kind: str = ""
    help: str = ""


@dataclass(frozen=True)
class Number:
    """A check of numbers: what is expected, and whether a number is that."""

    expected: str
    holds: Callable[[Any], bool]
    whole: bool = False
    hint: str = ""

    def __call__(self, name: str, value: Any) -> None:
        """Raise an error for another value."""
        number = isinstance(value, Integral if self.whole else Real)
        if not number or isinstance(value, bool) or not self.holds(value):
            message = f"{name} is {abbreviate(value)}; {self.expected} is expected."
            raise InputError(message, parameter=name, hint=self.hint)


def whole(least: int = 0, most: float = 10**6) -> Number:
    """Return the check of whole numbers; more than a million draws change no decision."""
    words = f"from {least} to {most:,}" if most < inf else f"of at least {least}"
    return Number(f"a whole number {words}", lambda n: least <= n <= most, whole=True)


level = Number("a number between 0 and 1 such as 0.95", lambda x: 0 < x < 1)
positive = Number("a positive number", lambda x: 0 < x < inf)
finite = Number("a finite number", lambda x: abs(x) < inf)
part = Number("a number from 0 to below 1", lambda x: 0 <= x < 1)
not_negative = Number("a number of at least 0", lambda x: 0 <= x < inf)


_Seed = Annotated[
    RNG,
    "The random seed; equal seeds give equal results.",
    Opt(0, kind="int, Generator or None"),
]
_Level = Annotated[
    float,
    "The confidence level of the intervals; tests use the level 1 − ci.",
    Opt(0.95, level),
]
_Bins = Annotated[
    BinsLike,
    "How real numbers become classes: the nearest class (halves round up), the highest class "
    "not above the number, or the edges between classes. MAE, MSE, RMSE, Pearson, cosine and "
    "interval alpha score the predicted numbers themselves, and all other measures the classes. "
    "A column of declared labels is not cut at edges if these are words or would fall into "
    "another class; all measures then use the classes. With cut-points (from `cutpoints`, "
    'or a text such as "cut 1.5,2.5"), every measure uses the classes.',
]
_Replacement = Annotated[float | None, "A number to return where the score is undefined."]


class ScaleOptions(TypedDict, total=False):
    """The ordered classes."""

    labels: Annotated[
        Classes,
        "The classes from lowest to highest. Required unless the labels are integers or an "
        "ordered categorical.",
    ]
    values: Annotated[
        ClassNumbers,
        "An increasing number per class. By default, numeric labels themselves, else 1 to K.",
    ]


class CodesOption(TypedDict, total=False):
    """What stands for a missing label."""

    na: Annotated[
        MissingLabels,
        'Codes for a missing label, e.g. 99 or ".". Numbers match by value, texts without '
        "surrounding spaces.",
        Opt(kind="value or sequence of values, optional"),
    ]


class LabelOptions(ScaleOptions, CodesOption, total=False):
    """How labels become classes."""

    bins: _Bins


class MissingOption(TypedDict, total=False):
    """What to do about missing labels."""

    missing: Annotated[
        Missing,
        "What to do about missing labels: raise an error, skip the item for every system, or score "
        "a missing prediction as the class farthest from gold.",
        Opt("error"),
    ]


class AmountOptions(TypedDict, total=False):
    """How much items count."""

    weight: Annotated[
        Numbers,
        "The importance of each item. Scores are weighted; intervals and tests still count each "
        "item once. Only the ratios of weights matter.",
    ]
    frequency: Annotated[Numbers, "How many items each row stands for; whole numbers."]


class ItemOptions(AmountOptions, total=False):
    """What belongs to items."""

    cluster: Annotated[
        LabelColumn | None,
        "The patient, document or other group that each item belongs to. Items of one cluster are "
        "not independent, so clusters are the units of intervals and tests.",
    ]
    text: Annotated[
        LabelColumn | None,
        "The text of each item; counts on the page then open a list of examples.",
    ]


class TopicOption(TypedDict, total=False):
    """The topics of items."""

    topic: Annotated[LabelColumn | None, "The topic of each item; scores are averaged over topics."]


class PrimaryOption(TypedDict, total=False):
    """The measure that ranks."""

    primary: Annotated[
        Any,
        "The measure to rank by. By default the first measure named, else linear kappa (rnod for "
        "distributions).",
        Opt(kind="str or Measure, optional"),
    ]


class UndefinedOption(TypedDict, total=False):
    """What replaces undefined scores."""

    undefined: Annotated[
        Undefined,
        'A number to use for undefined scores, or "skip" to average over the topics that have a '
        "score. By default undefined scores stay undefined and are counted.",
    ]


class ScoringOptions(UndefinedOption, total=False):
    """How the scores of topics are combined, and what replaces undefined ones."""

    aggregate: Annotated[
        Aggregate,
        "With topics: average their scores, or pool all items into one score.",
        Opt("mean"),
    ]


class DrawOptions(TypedDict, total=False):
    """Intervals, and what is random."""

    ci: _Level
    draws: Annotated[
        int, "The number of random draws for intervals; 0 for no intervals.", Opt(2000, whole())
    ]
    rng: _Seed


class ProgressOption(TypedDict, total=False):
    """What hears of the progress."""

    progress: Annotated[Progress | None, "Called as ``progress(done, total)``."]


class MethodOption(DrawOptions, total=False):
    """The kind of interval."""

    method: Annotated[
        Method,
        "The kind of interval. By default, quantiles of tables drawn from a Dirichlet distribution "
        "(over items) or Student's t (over topics and clusters); or bootstrap percentiles.",
        Opt("auto"),
    ]


class PairOptions(TypedDict, total=False):
    """Tests of pairs of systems."""

    against: Annotated[
        str | None, "A baseline: compare all other systems with it instead of testing all pairs."
    ]
    margin: Annotated[
        float | None,
        "The largest difference that does not matter, in units of the measure. Pairs that differ "
        "by less are called equivalent.",
        Opt(check=positive),
    ]
    trials: Annotated[
        int | None,
        "The number of random trials of the tests; by default 5000, with many pairs 2000 or 1000.",
        Opt(check=whole(1)),
    ]
    family: Annotated[
        Family,
        "Correct p-values, intervals and verdicts for all pairs under each measure, or for all "
        "pairs under all measures.",
        Opt("pairs"),
    ]


class ItemsRead(LabelOptions, MissingOption, TopicOption, ItemOptions, total=False):
    """What is read of items."""

    id: Annotated[
        LabelColumn | None,
        "The names of the items; by default the index of a pandas series, or the positions. In "
        'files, one or more columns; by default "id", or the first column when files are '
        "joined.",
    ]
    judge: Annotated[
        Any,
        "Labels from a judge, such as a language model, for all items, when only a random part "
        "has gold labels. Scores stay unbiased, and a good judge makes intervals shorter. If each "
        "system's outputs were rated, the judge's ratings by system.",
        Opt(kind="array_like of shape (n_items,), mapping, str or list, optional"),
    ]
    rate: Annotated[
        Numbers,
        "With a judge, the rate at which each item was sampled for a gold label, if rates differ. "
        "Only their ratios matter.",
    ]
    by: Annotated[
        Any,
        "A column such as the language or the month, or several by name, whose values divide the "
        "items into slices; each slice is scored too. More than 20 different numbers are cut into "
        "fifths of the items, more than 20 days into months.",
        Opt(kind="array_like of shape (n_items,), mapping, str or sequence of str, optional"),
    ]
    proba: Annotated[
        Any,
        "Predicted probabilities instead of predicted labels: a row per item and a column per "
        "class, lowest class first; for several systems, a mapping. In tables, a pattern of "
        'columns such as "p_{label}" or "{system}_{label}", or a list of columns, for each system '
        'if names differ ("a=a_{label}" on the command line). Measures of labels score the most '
        "probable class.",
        Opt(kind="array_like of shape (n_items, n_classes), mapping, str or list, optional"),
    ]


class EvaluateSettings(PrimaryOption, ScoringOptions, MethodOption, total=False):
    """How items are evaluated."""

    over: Annotated[
        Over | None,
        "The units of intervals and tests. By default clusters if there are any, else topics, else "
        "items.",
    ]


class CompareSettings(EvaluateSettings, PairOptions, total=False):
    """How systems are compared."""


class TableOptions(LabelOptions, MissingOption, AmountOptions, total=False):
    """How labels become one table."""


class BatchOptions(AmountOptions, TopicOption, total=False):
    """What belongs to the items of a batch."""


class CountOptions(TableOptions, TopicOption, total=False):
    """How labels become tables."""


class CallOptions(TableOptions, total=False):
    """Options of a measure that is called."""

    undefined: _Replacement
    sample_weight: Annotated[Numbers | None, "The weights, as scikit-learn calls them."]


class ScorerOptions(ScaleOptions, total=False):
    """Options of `scorer`."""

    bins: _Bins
    undefined: _Replacement


class ScoreOptions(CountOptions, ScoringOptions, total=False):
    """Options of `score`."""


class TextFileOptions(TypedDict, total=False):
    """How files are read."""

    header: Annotated[
        bool,
        "Whether text files have a header line. Without one, columns are called 1, 2, and so on.",
        Opt(True),
    ]
    delimiter: Annotated[
        str | None,
        "The character that separates fields of text files; by default comma, semicolon, tab or "
        "bar is detected.",
    ]
    encoding: Annotated[str | None, "The encoding of text files, if not UTF-8, e.g. latin-1."]
    decimal: Annotated[str, "The decimal mark of numbers in text files: `.` or `,`.", Opt(".")]
    sheet: Annotated[str | None, "The sheet of xlsx files, by default the first one."]
    memory_limit: Annotated[
        str | None,
        "Memory for reading files before spilling to disk, e.g. 2GB; 768 MiB by default.",
    ]


def _conditions(name: str, value: Any) -> None:
    """Raise an error for a text, which the command line takes."""
    if isinstance(value, str):
        column, _, wanted = value.partition("=")
        message = f"{name} is the text {abbreviate(value)}; a mapping is expected."
        hint, suggest = f"Pass {{{name}}}.", {name: {column: wanted or ...}}
        raise InputError(message, parameter=name, hint=hint, suggest=suggest)


class RowOptions(TypedDict, total=False):
    """Which rows of files are read."""

    where: Annotated[
        Any,
        "The rows to keep, ``{column: value}`` or ``{column: [value, …]}``. When files are joined, "
        "it applies to those that have the column.",
        Opt(check=_conditions, kind="mapping, optional"),
    ]


class CutpointSettings(DrawOptions, total=False):
    """How cut-points are chosen and scored."""

    rule: Annotated[
        CutRules,
        "How to choose the cuts: best for the measure; such that predicted and gold classes have "
        "the same shares; or midway between class values.",
        Opt("measure"),
    ]


class CutpointOptions(
    ScaleOptions,
    CodesOption,
    AmountOptions,
    CutpointSettings,
    RowOptions,
    TextFileOptions,
    total=False,
):
    """Options of `cutpoints`."""

    missing: Annotated[
        CutGaps, "Missing labels or scores: raise an error, or skip the item.", Opt("error")
    ]
    cluster: Annotated[
        LabelColumn | None,
        "The patient or other group that each item belongs to. Items of one cluster share a fold, "
        "and clusters are the units of intervals and tests.",
    ]


class SystemOption(TypedDict, total=False):
    """Who predicted, in long tables."""

    system: Annotated[
        str | None,
        "In long tables with a row per item and system (the runs or, without runs, the data), the "
        "column that names the system. Gold is then a column, or the name of a system whose rows "
        "are gold.",
    ]


class FileOptions(SystemOption, RowOptions, TextFileOptions, total=False):
    """What is said about files only."""


class EvaluateOptions(ItemsRead, FileOptions, EvaluateSettings, ProgressOption, total=False):
    """Options of `evaluate`."""


class CompareOptions(ItemsRead, FileOptions, CompareSettings, ProgressOption, total=False):
    """Options of `compare`."""


class RatingColumns(TypedDict, total=False):
    """How tables of ratings are laid out."""

    item: Annotated[
        LabelColumn | str | None,
        "The names of the items; in `data`, one or more columns. By default the column called item "
        "or id, else the index of a pandas frame or the positions. In long form, the item of each "
        "rating.",
    ]
    rater: Annotated[
        LabelColumn | str | None,
        "In long form (a row per item and rater), who gave each rating; by default the column "
        "called rater.",
        Opt(kind="array_like of shape (n_ratings,), or str"),
    ]
    rating: Annotated[
        LabelColumn | str | None,
        "In long form, the ratings; by default the column called rating. Without a column of "
        'raters, a column of lists such as [3, 4, null] or objects such as {"anna": 3}.',
        Opt(kind="array_like of shape (n_ratings,), or str"),
    ]


class ReadSettings(ItemsRead, FileOptions, total=False):
    """What is read, and how."""


class ReadOptions(ReadSettings, RatingColumns, ProgressOption, total=False):
    """Options of `read`."""


class ShareColumns(TypedDict, total=False):
    """How tables of distributions are laid out."""

    prefix: Annotated[
        str | None,
        "The prefix of the columns of classes, before the label, e.g. p_.",
    ]
    label: Annotated[
        str | None,
        "In tables with a row per topic and class, the column that names the class; by default "
        '"label" or "class", if there is a column of shares.',
    ]
    share: Annotated[
        str | None,
        "In tables with a row per topic and class, the column of shares or counts; by default "
        '"share". A class without a row has share 0.',
    ]


class ShareOptions(ScaleOptions, SystemOption, ShareColumns, total=False):
    """How distributions are laid out and read."""

    topic: Annotated[
        LabelColumn | None,
        'The names of the topics, or their column; by default the column "topic" or "id", else the '
        "index of a pandas frame or the first column of a file.",
    ]
    size: Annotated[
        Numbers | float,
        "The number of gold items of each topic, or its column, for smoothed measures; by default "
        "the sums of gold, if gold holds counts.",
        Opt(kind="sequence of float, float or str, optional"),
    ]
    renormalise: Annotated[
        bool,
        "Whether to renormalise rows whose sum is off by at most 1 % (they are counted), or to "
        "keep them as they are.",
        Opt(True),
    ]


class ReadSharesSettings(ShareOptions, RowOptions, TextFileOptions, total=False):
    """How distributions in files are read."""


class ReadSharesOptions(ReadSharesSettings, ProgressOption, total=False):
    """Options of `read_shares`."""


class QuantifySettings(PrimaryOption, UndefinedOption, MethodOption, PairOptions, total=False):
    """How estimated distributions are compared."""


class QuantifyOptions(ShareOptions, QuantifySettings, ProgressOption, total=False):
    """Options of `quantify`."""


_Share = Opt(check=level)


class PlanSettings(TypedDict, total=False):
    """What is planned for, and what is assumed without a pilot."""

    width: Annotated[float | None, "The mean width of the interval.", Opt(check=positive)]
    difference: Annotated[
        float | None, "The difference to find; with a margin, the true one.", Opt(check=positive)
    ]
    margin: Annotated[float | None, "The margin of equivalence to show.", Opt(check=positive)]
    power: Annotated[float, "The probability that the test decides.", Opt(0.8, level)]
    systems: Annotated[
        Any,
        "The system of the pilot, or two for a difference; by default the best one for a width, "
        "else the best two.",
        Opt(kind="str or sequence"),
    ]
    shares: Annotated[Any, "The shares of the classes; by default equal.", Opt(kind="sequence")]
    accuracy: Annotated[float | None, "How often a system, or a rater, is right.", _Share]
    score: Annotated[
        float | None, "Instead of an accuracy, a score such as a target κ.", Opt(check=finite)
    ]
    decay: Annotated[
        float, "The ratio of errors of n + 1 classes to errors of n classes.", Opt(0.5, positive)
    ]
    correlation: Annotated[
        float | None,
        "The correlation of two systems' errors, or of their ratings; 0 by default.",
        Opt(check=part),
    ]
    judge_accuracy: Annotated[
        float | None,
        "To plan gold labels: how often a judge is right that labels many more items.",
        _Share,
    ]
    raters: Annotated[
        int | None,
        "The number of raters.",
        Opt(check=replace(whole(2, 100), hint="{pred} names the raters when a pilot is read.")),
    ]
    items: Annotated[int | None, "To plan raters: the number of items.", Opt(check=whole(2))]
    ci: _Level
    rng: _Seed


class PlanOptions(ScaleOptions, PlanSettings, ProgressOption, total=False):
    """Options of `plan`."""


class KindOption(TypedDict, total=False):
    """Who is a person and who is a model."""

    kind: Annotated[
        LabelColumn | str | None,
        "In long form, the column that says whether a rater is a person or a model; by default the "
        "column called kind.",
    ]


class RatingsRead(LabelOptions, ItemOptions, RatingColumns, total=False):
    """What belongs to ratings, and how they become classes."""


class RaterIntervalOptions(DrawOptions, total=False):
    """Intervals of figures of several raters."""

    over: Annotated[
        RaterUnits | None,
        "What intervals generalise to: other items or clusters with these raters, or other raters "
        "as well. By default clusters if there are any, else items.",
    ]


class AgreementSettings(RaterIntervalOptions, total=False):
    """What `agreement` computes."""

    pair_measures: Annotated[
        Any,
        "Measures for every pair of raters, with the first rater as gold: any that score labels. "
        "By default linear and quadratic kappa, accuracy and MAE.",
        Opt(kind="str, Measure or sequence of these, optional"),
    ]
    missing: Annotated[
        RatingGaps,
        "Items that not all raters rated: keep their ratings, or skip the items, which icc, ccc "
        "and kendall_w need.",
        Opt("keep"),
    ]
    disputed: Annotated[
        int, "How many of the most disputed items to keep in the result.", Opt(20, whole())
    ]


class AgreementOptions(RatingsRead, AgreementSettings, ProgressOption, total=False):
    """Options of `agreement`."""


class PanelRead(RatingsRead, KindOption, total=False):
    """What belongs to ratings of people and models."""

    by: Annotated[
        Any,
        "A column such as the language or the month, or several by name, whose values divide the "
        "items into slices. Models are also judged on each slice.",
        Opt(kind="array_like of shape (n_items,), mapping, str or sequence of str, optional"),
    ]


class JudgeSettings(PrimaryOption, RaterIntervalOptions, total=False):
    """What `judge` computes."""

    gold: Annotated[
        GoldRule,
        "How the other people's ratings become gold: their distribution over classes; the most "
        "frequent class (of tied ones the median, the lower of two); the median (the lower of "
        "two); the mean, rounded to the nearest class except for measures of numbers; or each "
        "rating in turn. The default breaks no ties, which are common with three people.",
        Opt("soft"),
    ]
    margin: Annotated[
        float,
        "How much more a model may disagree with people than a person does, and still be as good "
        "as one more person: 0.1 allows a tenth more. Disagreement is the distance from the best "
        "score, e.g. 1 − κ.",
        Opt(0.1, not_negative),
    ]
    epsilon: Annotated[
        float,
        "How much better people may be in the alternative annotator test, because they cost more: "
        "0.2 for experts, 0.15 for skilled people, 0.1 for crowds.",
        Opt(0.2, not_negative),
    ]
    nearness: Annotated[
        Nearness,
        "How the alternative annotator test measures the nearness of a rating to the others: root "
        "mean square distance of class values, or share of equal ratings.",
        Opt("rmse"),
    ]


class JudgeOptions(PanelRead, JudgeSettings, total=False):
    """Options of `judge`."""


class RandomOptions(ProgressOption, total=False):
    """What is random, and its progress."""

    rng: _Seed


class TrialOptions(RandomOptions, total=False):
    """Randomised Tukey HSD tests."""

    trials: Annotated[
        int, "The number of random trials of the Tukey HSD tests.", Opt(5000, whole(1))
    ]
    alpha: Annotated[float, "The level of significance.", Opt(0.05, level)]


class SplitOptions(TrialOptions, total=False):
    """How the consistency of measures is compared."""

    procedure: Annotated[
        Procedure,
        "How to compare consistency: resample the topics (bootstrap), or split them as in the "
        "literature (split).",
        Opt("bootstrap"),
    ]
    resamples: Annotated[
        int, "The number of resamples of the topics, for bootstrap.", Opt(1000, whole(10))
    ]
    splits: Annotated[
        int,
        "The number of random splits, for split.",
        Opt(1000, whole(2)),
    ]
    mean_splits: Annotated[
        int,
        "The number of splits over which τ is averaged; if there are no more than that, every "
        "split once.",
        Opt(20_000, whole(2)),
    ]
    variant: Annotated[Tau, "Kendall's τ-a or τ-b; they differ where systems are tied.", Opt("a")]


class ConsistencyOptions(SplitOptions, total=False):
    """Options of `ordeval.meta.consistency`."""

    size: Annotated[
        int | None,
        "The number of topics in each of two disjoint sets; by default half of the topics.",
    ]


class MetaOptions(SplitOptions, total=False):
    """Options of `ordeval.meta.meta_evaluate`."""

    size: Annotated[
        int,
        "The number of topics in each set of the small splits, besides halves of all topics.",
        Opt(10, whole(1)),
    ]


@cache
def declared(kind: Any) -> dict[str, tuple[Any, Opt]]:
    """Return the type and the facts of every option of a TypedDict."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: _declared(*get_args(hint)) for name, hint in hints.items()}


def _declared(kind: Any, help: str, opt: Opt = Opt()) -> tuple[Any, Opt]:  # noqa: B008
    return kind, opt._replace(help=help)


def defaults(kind: Any) -> dict[str, Any]:
    """Return the options of a TypedDict at their defaults."""
    return {name: opt.default for name, (_, opt) in declared(kind).items()}


@cache
def _names(kinds: tuple[Any, ...]) -> frozenset[str]:
    return frozenset(name for kind in kinds for name in declared(kind))


def options_of(options: Mapping[str, Any], *kinds: Any) -> dict[str, Any]:
    """Return those of the options that belong to some TypedDicts."""
    names = _names(kinds)
    return {name: value for name, value in options.items() if name in names}


def choices(kind: Any) -> tuple[Any, ...]:
    """Return the values that a type allows, if it is a choice or None."""
    kinds = [kind] if get_origin(kind) is Literal else [*get_args(kind)]
    words = [value for k in kinds if get_origin(k) is Literal for value in get_args(k)]
    others = [k for k in kinds if get_origin(k) is not Literal and k is not NoneType]
    return () if others else tuple(words)


def takes(kind: Any) -> Callable[[F], F]:
    """Give a function with ``**options: Unpack[kind]`` a signature, documentation and checks."""
    facts, whole = declared(kind), defaults(kind)

    def decorate(function: F) -> F:
        every = inspect.signature(function).parameters.values()
        own = [p.replace(annotation=p.empty) for p in every if p.kind is not p.VAR_KEYWORD]
        names = {p.name for p in own if p.kind is not p.POSITIONAL_ONLY}
        before = [p.name for p in own].index("data") if "data" in names else 0

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            if 0 < len(args) <= before and isinstance(args[0], (str, PathLike)):
                _refuse_text(args[0], options.get("data"))
            for name, value in options.items():
                if value is whole.get(name, facts):  # most often a default
                    continue
                if isinstance(value, np.generic):  # calls print and archives hold numbers
                    value = options[name] = value.item()
                if name in facts:
                    _check(name, *facts[name], value)
                elif name not in names:
                    raise unknown(function.__name__, name, value, (*names, *facts))
            return function(*args, **whole | options)

        keyword = inspect.Parameter.KEYWORD_ONLY
        further = (inspect.Parameter(name, keyword, default=whole[name]) for name in whole)
        call.__signature__ = inspect.Signature([*own, *further])  # type: ignore[attr-defined]
        call.__doc__ = re.sub(
            r"( *)\{options\}\n", lambda m: _documented(facts, m[1]), function.__doc__ or ""
        )
        return call  # type: ignore[return-value]

    return decorate


def _refuse_text(given: str | PathLike[str], data: Any) -> None:
    """Raise an error for a path, or the name of a column, without data."""
    if data is None:
        raise InputError(
            f"{abbreviate(str(given))} is a text, and neither labels nor a table.",
            parameter="data",
            hint="Pass a file or a frame as {data}, and then name columns.",
            suggest={"data": str(given) if "." in str(given) else ...},
        )


def _check(name: str, kind: Any, opt: Opt, value: Any) -> None:
    """Raise an error for a value that cannot be used."""
    if opt.check is not None:
        opt.check(name, value)
    elif allowed := choices(kind):
        check_choice(name, value, allowed)


def unknown(function: str, name: str, value: Any, known: Sequence[str]) -> InputError:
    """Return the error for an option that a function does not have."""
    other = SYNONYMS.get(name, "")
    if other in known:
        same = name not in ("alpha", "order")
        return InputError(
            f"{function} has no option {name!r}; it is called {other!r} here.",
            parameter=other,
            hint=f"Pass {{{other}}}.",
            suggest={other: value if same and isinstance(value, (int, str)) else ...},
        )
    return InputError(
        f"{function} has no option {name!r}.{did_you_mean(name, known)}",
        hint="Pass it read(data, gold=…, pred=…)." * (name == "data"),
    )


def _documented(facts: Mapping[str, tuple[Any, Opt]], margin: str) -> str:
    """Return the part of a docstring that describes options."""
    from textwrap import indent, wrap

    entries = (
        f"{name} : {_kind(kind, opt)}\n" + indent("\n".join(wrap(opt.help, 88)), "    ")
        for name, (kind, opt) in facts.items()
    )
    return indent("\n".join(entries), margin) + "\n"


_COLUMN = "array_like of shape (n_items,), or str, optional"
_KINDS: dict[Any, str] = {
    Classes: "sequence, optional",
    ClassNumbers: "sequence or mapping, optional",
    BinsLike: '{"round", "floor"} or sequence of float, optional',
    Undefined: 'float or "skip", optional',
    Progress | None: "callable, optional",
    **dict.fromkeys((Numbers, LabelColumn | None, LabelColumn | str | None), _COLUMN),
}


def _kind(kind: Any, opt: Opt) -> str:
    """Return the type of an option in documentation."""
    if known := opt.kind or _KINDS.get(kind):
        return known
    allowed = ", ".join(f'"{value}"' for value in choices(kind))
    plain = next(k for k in (kind, *get_args(kind)) if isinstance(k, type) or allowed)
    text = f"{{{allowed}}}" if allowed else plain.__name__
    return f"{text}, optional" if opt.default is None else text
