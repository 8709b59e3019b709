"""Options of the public functions, each declared once.

A function that takes ``**options: Unpack[CompareOptions]`` is decorated with
``takes(CompareOptions)``. Its signature, the documentation of its parameters, the checks of their
values and the answer to a wrong name are made from the declaration; so are the options of the
command line (`ordeval.cli`) and the call that a report prints (`Call`).
"""

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from numbers import Integral, Real
from typing import (
    Annotated,
    Any,
    Literal,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from .errors import InputError, abbreviate, check_choice, did_you_mean
from .formatting import protected
from .types import (
    RNG,
    Aggregate,
    BinsLike,
    Classes,
    ClassNumbers,
    GoldRule,
    ItemWeights,
    LabelColumn,
    Method,
    Missing,
    MissingLabels,
    Nearness,
    Over,
    Progress,
    RaterUnits,
    RatingGaps,
    Undefined,
)

F = TypeVar("F", bound=Callable[..., Any])
Numbers = ItemWeights | str  # of items, or with data= the name of a column

_ITEMS = "array_like of shape (n_items,), or str, optional"
_SYNONYMS = {
    **dict.fromkeys(("seed", "random_state", "random_seed"), "rng"),
    **dict.fromkeys(("measure", "metric", "metrics"), "measures"),
    **dict.fromkeys(("sample_weight", "weights", "sample_weights"), "weight"),
    **dict.fromkeys(("group", "groups", "clusters"), "cluster"),
    **dict.fromkeys(("n_boot", "n_bootstrap", "n_resamples", "draws"), "bootstrap"),
    **dict.fromkeys(("classes", "categories", "order"), "labels"),
    "topics": "topic",
    "alpha": "ci",
    "confidence_level": "ci",
    "y_score": "y_pred",
    "gold": "y_true",
    "pred": "y_pred",
    "y_true": "gold",
    "y_pred": "pred",
}
_MOST_DRAWS = 10**6  # more replicates or trials change no decision


@dataclass(frozen=True)
class Opt:
    """The facts of an option beside its name and type.

    Parameters
    ----------
    default : object
        The default.
    help : str
        What it is, in a sentence or two that hold for Python and for the command line.
    kind : str, optional
        Its type in documentation, where the annotation does not say it.
    check : callable, optional
        ``check(name, value)`` raises an error for a value that cannot be used.
    panel : str, optional
        The heading under which the command line lists it; none if it has no such option.
    """

    default: Any
    help: str
    kind: str = ""
    check: Callable[[str, Any], None] | None = None
    panel: str = "Data"


def level(name: str, value: Any) -> None:
    """Raise an error unless a value is between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise InputError(
            f"{name} is {abbreviate(value)}; a number between 0 and 1 such as 0.95 is expected.",
            parameter=name,
        )


def positive(name: str, value: Any) -> None:
    """Raise an error unless a value is a positive number."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (number and 0 < float(value) < float("inf")):
        raise InputError(
            f"{name} is {abbreviate(value)}; a positive number is expected.",
            parameter=name,
        )


def not_negative(name: str, value: Any) -> None:
    """Raise an error unless a value is a number of at least 0."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and 0 <= float(value) < float("inf")):
        raise InputError(
            f"{name} is {abbreviate(value)}; a number of at least 0 is expected.",
            parameter=name,
        )


@dataclass(frozen=True)
class Whole:
    """Whole numbers from `least` on; None is no number, and passes."""

    least: int = 0

    def __call__(self, name: str, value: Any) -> None:
        """Raise an error unless a value is such a number."""
        if value is None:
            return
        if isinstance(value, bool) or not isinstance(value, Integral) or value < self.least:
            raise InputError(
                f"{name} is {abbreviate(value)}; a whole number of at least "
                f"{self.least} is expected.",
                parameter=name,
            )
        if int(value) > _MOST_DRAWS:
            raise InputError(
                f"{name} is {value:,}, which would take hours; at most {_MOST_DRAWS:,} are made.",
                parameter=name,
            )


class ScaleOptions(TypedDict, total=False):
    """The ordered classes."""

    labels: Annotated[
        Classes,
        Opt(
            None,
            "The classes from lowest to highest. Required unless the labels are integers or an "
            "ordered categorical.",
            "sequence, optional",
            panel="Scale",
        ),
    ]
    values: Annotated[
        ClassNumbers,
        Opt(
            None,
            "An increasing number per class; by default numeric labels themselves, else 1 to K.",
            "sequence or mapping, optional",
            panel="Scale",
        ),
    ]


class CodesOption(TypedDict, total=False):
    """What stands for a missing label."""

    na: Annotated[
        MissingLabels,
        Opt(
            None,
            'Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts '
            "without surrounding spaces.",
            "value or sequence of values, optional",
        ),
    ]


class LabelOptions(ScaleOptions, CodesOption, total=False):
    """How labels become classes."""

    bins: Annotated[
        BinsLike,
        Opt(
            None,
            "How real numbers become classes: the nearest class (halves upwards), the highest "
            "class that is not above the number, or the edges between classes. MAE, MSE, RMSE, "
            "Pearson, the cosine and interval alpha use the numbers themselves, all other measures "
            "the classes. Columns that hold declared labels already are not cut at edges.",
            '{"round", "floor"} or sequence of float, optional',
            panel="Scale",
        ),
    ]


class MissingOption(TypedDict, total=False):
    """What to do about missing labels."""

    missing: Annotated[
        Missing,
        Opt(
            "error",
            "Missing labels: an error, the item left out for every system, or a missing prediction "
            "scored as the class farthest from gold.",
        ),
    ]


class AmountOptions(TypedDict, total=False):
    """How much items count."""

    weight: Annotated[
        Numbers,
        Opt(
            None,
            "The importance of each item. Scores are weighted, the units of intervals and tests "
            "remain the items, and only the ratios of weights matter.",
            _ITEMS,
        ),
    ]
    frequency: Annotated[
        Numbers,
        Opt(None, "The number of items that each row stands for; whole numbers.", _ITEMS),
    ]


class ItemOptions(AmountOptions, total=False):
    """What belongs to items."""

    cluster: Annotated[
        LabelColumn | None,
        Opt(
            None,
            "What items belong to, such as a patient, document or rater; items of one cluster are "
            "not independent, and are resampled and exchanged together.",
            _ITEMS,
        ),
    ]
    text: Annotated[
        LabelColumn | None,
        Opt(
            None,
            "The text of each item; numbers of items on the page then open a list of some of them.",
            _ITEMS,
        ),
    ]


class TopicOption(TypedDict, total=False):
    """The topics of items."""

    topic: Annotated[
        LabelColumn | None,
        Opt(None, "The topic of each item; scores are then averaged over topics.", _ITEMS),
    ]


class IdOption(TypedDict, total=False):
    """The names of items."""

    id: Annotated[
        LabelColumn | None,
        Opt(
            None,
            "The names of the items; by default the index of a pandas series, or the positions. In "
            'files a column or several, by default "id", and where files are joined else the '
            "first one.",
            "array_like of shape (n_items,), str or sequence of str, optional",
        ),
    ]


class JudgedOptions(TypedDict, total=False):
    """Labels of a judge for items without gold."""

    judge: Annotated[
        LabelColumn | None,
        Opt(
            None,
            "Labels of a judge, such as a language model, for all items, where only a random part "
            "has gold labels; they correct the scores, and make intervals shorter if the judge is "
            "good.",
            _ITEMS,
        ),
    ]
    rate: Annotated[
        Numbers,
        Opt(
            None,
            "With a judge, the rate at which each item was chosen for a gold label, if the rates "
            "differ; only their ratios matter.",
            _ITEMS,
        ),
    ]


class PrimaryOption(TypedDict, total=False):
    """The measure that ranks."""

    primary: Annotated[
        Any,
        Opt(
            None,
            "The measure that ranks. By default the first of the measures named, or linear kappa; "
            "for distributions rnod.",
            "str or Measure, optional",
            panel="Measures",
        ),
    ]


class UndefinedOption(TypedDict, total=False):
    """What replaces undefined scores."""

    undefined: Annotated[
        Undefined,
        Opt(
            None,
            'A number in place of an undefined score, or "skip" to average over the topics with a '
            "score. By default it stays undefined and is counted.",
            'float or "skip", optional',
            panel="Measures",
        ),
    ]


class ScoringOptions(UndefinedOption, total=False):
    """How the scores of topics are combined, and what replaces undefined ones."""

    aggregate: Annotated[
        Aggregate,
        Opt(
            "mean",
            "With topics: the mean of their scores, or one score of all items pooled.",
            panel="Measures",
        ),
    ]


class DrawOptions(TypedDict, total=False):
    """Intervals, and what is random."""

    ci: Annotated[
        float,
        Opt(
            0.95,
            "The confidence level of the intervals; tests are at the level 1 − ci.",
            check=level,
            panel="Intervals and tests",
        ),
    ]
    bootstrap: Annotated[
        int,
        Opt(
            2000,
            "The number of random tables or replicates; 0 for no intervals.",
            check=Whole(),
            panel="Intervals and tests",
        ),
    ]
    rng: Annotated[
        RNG,
        Opt(
            0,
            "The seed of everything random; equal seeds give equal results.",
            "int, Generator or None",
            panel="Intervals and tests",
        ),
    ]


class ProgressOption(TypedDict, total=False):
    """What hears of the progress."""

    progress: Annotated[
        Progress | None,
        Opt(None, "Called as ``progress(done, total)``.", "callable, optional", panel=""),
    ]


class MethodOption(DrawOptions, total=False):
    """The kind of interval."""

    method: Annotated[
        Method,
        Opt(
            "auto",
            "The kind of interval: by default quantiles of tables drawn from a Dirichlet "
            "distribution over items and t intervals over topics and clusters, or quantiles of a "
            "bootstrap.",
            panel="Intervals and tests",
        ),
    ]


class IntervalOptions(MethodOption, total=False):
    """How intervals are made, and over what."""

    over: Annotated[
        Over | None,
        Opt(
            None,
            "The units of intervals and tests: by default clusters where there are any, else "
            "topics, else items.",
            panel="Intervals and tests",
        ),
    ]


class PairOptions(TypedDict, total=False):
    """Tests of pairs of systems."""

    against: Annotated[
        str | None,
        Opt(
            None,
            "A system with which all others are compared, instead of all pairs.",
            panel="Intervals and tests",
        ),
    ]
    margin: Annotated[
        float | None,
        Opt(
            None,
            "The largest difference that does not matter, in units of the measure; pairs within it "
            "are called equivalent.",
            check=positive,
            panel="Intervals and tests",
        ),
    ]
    trials: Annotated[
        int | None,
        Opt(
            None,
            "Random trials of the tests; by default 5000, and fewer for thousands of pairs over "
            "items.",
            check=Whole(1),
            panel="Intervals and tests",
        ),
    ]
    differences: Annotated[
        bool,
        Opt(
            False,
            "Whether to compute intervals of the differences of all pairs; see `Result.pairs`.",
            panel="",
        ),
    ]


class ItemsRead(
    LabelOptions,
    MissingOption,
    TopicOption,
    ItemOptions,
    IdOption,
    JudgedOptions,
    total=False,
):
    """What is read of items."""


class EvaluateSettings(PrimaryOption, ScoringOptions, IntervalOptions, total=False):
    """How items are evaluated."""


class CompareSettings(EvaluateSettings, PairOptions, total=False):
    """How systems are compared."""


class EvaluateOptions(ItemsRead, EvaluateSettings, ProgressOption, total=False):
    """Options of `evaluate`."""


class CompareOptions(ItemsRead, CompareSettings, ProgressOption, total=False):
    """Options of `compare`."""


class TableOptions(LabelOptions, MissingOption, AmountOptions, total=False):
    """How labels become one table."""


class CountOptions(TableOptions, TopicOption, total=False):
    """How labels become tables."""


class CallOptions(TableOptions, total=False):
    """Options of a measure that is called."""

    undefined: Annotated[
        float | None, Opt(None, "A number in place of an undefined score.", panel="Measures")
    ]


class ScoreOptions(CountOptions, ScoringOptions, total=False):
    """Options of `score`."""


class TextFileOptions(TypedDict, total=False):
    """How files are read."""

    header: Annotated[
        bool,
        Opt(True, "Whether text files have a header; if not, columns are called 1, 2, and so on."),
    ]
    delimiter: Annotated[
        str | None,
        Opt(
            None,
            "The character between fields of text files, by default the likeliest of comma, "
            "semicolon, tab and bar.",
        ),
    ]
    encoding: Annotated[
        str | None,
        Opt(None, "The encoding of text files where it is not UTF-8, e.g. latin-1."),
    ]
    decimal: Annotated[str, Opt(".", "The decimal mark of numbers in text files: `.` or `,`.")]
    sheet: Annotated[str | None, Opt(None, "The sheet of xlsx files, by default the first one.")]
    memory_limit: Annotated[
        str | None,
        Opt(None, "Memory for reading before it spills to disk, e.g. 2GB; 768 MiB by default."),
    ]


class RowOptions(TypedDict, total=False):
    """Which rows of files are read."""

    where: Annotated[
        Any,
        Opt(
            None,
            "The rows to keep, ``{column: value}`` or ``{column: [value, …]}``; of files that are "
            "joined, those that have the column.",
            "mapping, optional",
        ),
    ]


class SystemOption(TypedDict, total=False):
    """Who predicted, in long tables."""

    system: Annotated[
        str | None,
        Opt(
            None,
            "The column that names the system, in long tables with a row per item and system: the "
            "runs, or without them the data. Gold is then a column, or the rows of that system.",
        ),
    ]


class FileOptions(SystemOption, RowOptions, TextFileOptions, total=False):
    """What is said about files only."""


class RatingColumns(TypedDict, total=False):
    """How tables of ratings are laid out."""

    item: Annotated[
        LabelColumn | str | None,
        Opt(
            None,
            "The names of the items, in `data` a column or several; by default the column that is "
            "called item or id, else the index of a pandas frame or the positions. In long form, "
            "the item of each rating.",
            "array_like of shape (n_items,), str or sequence of str, optional",
        ),
    ]
    rater: Annotated[
        LabelColumn | str | None,
        Opt(
            None,
            "In long form, with a row per item and rater, who gave each rating; by default the "
            "column that is called rater.",
            "array_like of shape (n_ratings,), or str",
        ),
    ]
    rating: Annotated[
        LabelColumn | str | None,
        Opt(
            None,
            "In long form, the ratings; by default the column that is called rating. Without a "
            "column of raters, a column of lists such as [3, 4, null] or objects such as "
            '{"anna": 3}.',
            "array_like of shape (n_ratings,), or str",
        ),
    ]


class ReadSettings(ItemsRead, FileOptions, total=False):
    """What is read, and how."""


class ReadOptions(ReadSettings, RatingColumns, ProgressOption, total=False):
    """Options of `read`."""


class ShareColumns(TypedDict, total=False):
    """How tables of distributions are laid out."""

    prefix: Annotated[
        str | None,
        Opt(
            None,
            "What the names of the columns of classes begin with, e.g. p_, before the label.",
            panel="Distributions",
        ),
    ]
    label: Annotated[
        str | None,
        Opt(
            None,
            "The column that names the class, in tables with a row per topic and class; by default "
            '"label" or "class", if there is a column of shares.',
            panel="Distributions",
        ),
    ]
    share: Annotated[
        str | None,
        Opt(
            None,
            'The column of shares or counts in such tables, by default "share". A class without a '
            "row has the share 0.",
            panel="Distributions",
        ),
    ]


class ShareOptions(ScaleOptions, SystemOption, ShareColumns, total=False):
    """How distributions are laid out and read."""

    topic: Annotated[
        LabelColumn | None,
        Opt(
            None,
            'The names of the topics, or the column of them; by default the column "topic" or '
            '"id", else the index of a pandas frame or the first column of a file.',
            "sequence of str, or str, optional",
            panel="Distributions",
        ),
    ]
    size: Annotated[
        Numbers | float,
        Opt(
            None,
            "The number of items of each topic in gold, or the column of it, for measures that are "
            "smoothed by it; by default the sums of gold if it holds counts.",
            "sequence of float, float or str, optional",
            panel="Distributions",
        ),
    ]
    renormalise: Annotated[
        bool,
        Opt(
            True,
            "Whether rows whose sum is off by at most 1 % are renormalised and counted, or kept.",
            panel="Distributions",
        ),
    ]


class ReadSharesSettings(ShareOptions, RowOptions, TextFileOptions, total=False):
    """How distributions in files are read."""


class ReadSharesOptions(ReadSharesSettings, ProgressOption, total=False):
    """Options of `read_shares`."""


class QuantifySettings(PrimaryOption, UndefinedOption, MethodOption, PairOptions, total=False):
    """How estimated distributions are compared."""


class QuantifyOptions(ShareOptions, QuantifySettings, ProgressOption, total=False):
    """Options of `quantify`."""


class KindOption(TypedDict, total=False):
    """Who is a person and who is a model."""

    kind: Annotated[
        LabelColumn | str | None,
        Opt(
            None,
            "In long form, the column that says whether a rater is a person or a model; by default "
            "the one that is called kind.",
            "str, optional",
        ),
    ]


class RatingsRead(ScaleOptions, CodesOption, ItemOptions, RatingColumns, total=False):
    """What belongs to ratings, and how they become classes."""

    bins: Annotated[
        BinsLike,
        Opt(
            None,
            "How numbers between classes become classes: the nearest class (halves upwards), the "
            "highest class that is not above the number, or the edges between classes. All "
            "measures use the classes.",
            '{"round", "floor"} or sequence of float, optional',
            panel="Scale",
        ),
    ]


class RaterIntervalOptions(DrawOptions, total=False):
    """Intervals of figures of several raters."""

    over: Annotated[
        RaterUnits | None,
        Opt(
            None,
            "What other data would be: other items or clusters with these raters, or other raters, "
            "too. By default clusters where there are any, else items.",
            panel="Intervals and tests",
        ),
    ]


class AgreementSettings(RaterIntervalOptions, total=False):
    """What `agreement` computes."""

    pair_measures: Annotated[
        Any,
        Opt(
            None,
            "Measures of every pair of raters, of whom the first is taken as gold: all that score "
            "labels. By default linear and quadratic kappa, accuracy and MAE.",
            "str, Measure or sequence of these, optional",
            panel="Measures",
        ),
    ]
    missing: Annotated[
        RatingGaps,
        Opt(
            "keep",
            "Items that not all raters rated: their ratings count, or they are left out, which "
            "icc, ccc and kendall_w need.",
        ),
    ]
    disputed: Annotated[
        int,
        Opt(
            20,
            "The number of items of largest disagreement in the result.",
            check=Whole(),
            panel="Output",
        ),
    ]


class AgreementOptions(RatingsRead, AgreementSettings, ProgressOption, total=False):
    """Options of `agreement`."""


class PanelRead(RatingsRead, KindOption, total=False):
    """What belongs to ratings of people and models."""

    slices: Annotated[
        Any,
        Opt(
            None,
            "The part of the data that each item belongs to, or several such divisions by name; "
            "models are judged on each part as well.",
            "array_like of shape (n_items,), mapping, str or sequence of str, optional",
        ),
    ]


class JudgeSettings(PrimaryOption, RaterIntervalOptions, total=False):
    """What `judge` computes."""

    gold: Annotated[
        GoldRule,
        Opt(
            "soft",
            "How the other people make gold: their distribution over classes; the most frequent "
            "class (of tied ones the median, the lower of two); the median (the lower of two); the "
            "mean, which measures of numbers use as it is and all others as the nearest class; or "
            "each of them in turn. The default breaks no ties, which with three people are common.",
            panel="Measures",
        ),
    ]
    margin: Annotated[
        float,
        Opt(
            0.1,
            "How much larger the disagreement of a model with people may be than that of a person, "
            "for it to be as good as one more person: 0.1 allows a tenth more. Disagreement is the "
            "distance of a score from the best one, e.g. 1 − κ.",
            check=not_negative,
            panel="Intervals and tests",
        ),
    ]
    epsilon: Annotated[
        float,
        Opt(
            0.2,
            "By how much people may be better in the alternative annotator test, because they cost "
            "more: 0.2 for experts, 0.15 for skilled people, 0.1 for crowds.",
            check=not_negative,
            panel="Intervals and tests",
        ),
    ]
    nearness: Annotated[
        Nearness,
        Opt(
            "rmse",
            "How near a rating is to the others in that test: by the root mean square distance of "
            "the class values, or the share of equal ratings.",
            panel="Intervals and tests",
        ),
    ]


class JudgeOptions(PanelRead, JudgeSettings, total=False):
    """Options of `judge`."""


class RatingReadSettings(RatingsRead, RowOptions, TextFileOptions, total=False):
    """What is read of files of ratings, and how."""


class PanelReadSettings(PanelRead, RowOptions, TextFileOptions, total=False):
    """What is read of files with ratings of people and models, and how."""


class MetaSettings(ReadSettings, ShareColumns, total=False):
    """What is read of files with labels or distributions, and how."""


class AnySettings(MetaSettings, RatingColumns, KindOption, total=False):
    """What is read of files with labels, ratings or distributions, and how."""


@cache
def declared(kind: Any) -> dict[str, tuple[Any, Opt]]:
    """Return the type and the facts of every option of a TypedDict."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: (get_args(hint)[0], hint.__metadata__[0]) for name, hint in hints.items()}


def every_name() -> set[str]:
    """Return the names of all options."""
    return {
        name for kind in globals().values() if is_typeddict(kind) for name in kind.__annotations__
    }


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
    """Return the values that a type allows, if it is a choice; None is not among them."""
    kinds = (kind,) if get_origin(kind) is Literal else get_args(kind)
    return tuple(value for k in kinds if get_origin(k) is Literal for value in get_args(k))


def check(name: str, kind: Any, opt: Opt, value: Any) -> None:
    """Raise an error for a value that cannot be used."""
    if opt.check is not None:
        opt.check(name, value)
    elif not opt.kind and (allowed := choices(kind)) and not (value is opt.default is None):
        check_choice(name, value, allowed)


def takes(kind: Any) -> Callable[[F], F]:
    """Give a function with ``**options: Unpack[kind]`` a signature, documentation and checks."""
    facts = declared(kind)

    def decorate(function: F) -> F:
        every = inspect.signature(function).parameters.values()
        own = [p.replace(annotation=p.empty) for p in every if p.kind is not p.VAR_KEYWORD]
        names = {p.name for p in own}
        whole = {name: opt.default for name, (_, opt) in facts.items()}

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            for name, value in given.items():
                if value is whole.get(name, facts):  # most often a default
                    continue
                if name in facts:
                    check(name, *facts[name], value)
                elif name not in names:
                    raise unknown(function.__name__, name, value, (*names, *facts))
            return function(*args, **whole | given)

        further = (_parameter(name, opt) for name, (_, opt) in facts.items())
        call.__signature__ = inspect.Signature([*own, *further])  # type: ignore[attr-defined]
        call.__doc__ = re.sub(
            r"( *)\{options\}\n", lambda m: _documented(facts, m[1]), function.__doc__ or ""
        )
        return call  # type: ignore[return-value]

    return decorate


def unknown(function: str, name: str, value: Any, known: Sequence[str]) -> InputError:
    """Return the error for an option that a function does not have."""
    other = _SYNONYMS.get(name, "")
    if other in known:
        same = name not in ("alpha", "order")
        return InputError(
            f"{function} has no option {name!r}; it is called {other!r} here.",
            parameter=other,
            hint=f"Pass {{{other}}}.",
            suggest={other: value if same and isinstance(value, (int, str)) else ...},
        )
    return InputError(f"{function} has no option {name!r}.{did_you_mean(name, known)}")


def _parameter(name: str, opt: Opt) -> inspect.Parameter:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=opt.default)


def _documented(facts: Mapping[str, tuple[Any, Opt]], margin: str) -> str:
    """Return the part of a docstring that describes options."""
    from textwrap import indent, wrap

    entries = (
        f"{name} : {_kind(kind, opt)}\n" + indent("\n".join(wrap(opt.help, 88)), "    ")
        for name, (kind, opt) in facts.items()
    )
    return indent("\n".join(entries), margin) + "\n"


def _kind(kind: Any, opt: Opt) -> str:
    """Return the type of an option in documentation."""
    if opt.kind:
        return opt.kind
    allowed = ", ".join(f'"{value}"' for value in choices(kind))
    plain = next(k for k in (kind, *get_args(kind)) if isinstance(k, type) or allowed)
    text = f"{{{allowed}}}" if allowed else plain.__name__
    return f"{text}, optional" if opt.default is None else text


_POSITIONS = {
    "evaluate": ("y_true", "y_pred"),
    "compare": ("y_true", "y_pred"),
    "quantify": ("p_true", "p_pred"),
    "agreement": ("ratings",),
    "judge": ("people", "models"),
}
_DOORS: dict[str, tuple[Any, Any]] = {  # the options of a function, and of what reads its data
    "evaluate": (CompareOptions, ReadOptions),
    "compare": (CompareOptions, ReadOptions),
    "quantify": (QuantifyOptions, ReadSharesOptions),
    "agreement": (AgreementOptions, ReadOptions),
    "judge": (JudgeOptions, ReadOptions),
}
_RATED = (AgreementOptions, JudgeOptions)
_COLUMNS = (*declared(ItemOptions), *declared(JudgedOptions), *declared(RatingColumns))
_COLUMNS += ("topic", "id", "size", "slices")
_FLAGS = {"rng": "seed", "y_true": "gold", "y_pred": "pred", "ratings": "raters"}
_FLAGS |= {"p_true": "gold"}
_SWITCHES = {"header": "--no-header", "renormalise": "--no-renormalise"}


@dataclass(frozen=True)
class Call:
    """A call of a function, which prints itself as Python and as a command.

    Parameters
    ----------
    function : str
        The function.
    options : mapping of str to object
        Its arguments, as far as they are not the defaults. With `data`, a path, the others name
        columns; without it they are variables.

    Examples
    --------
    >>> call = Call("compare", {"topic": "topic", "measures": "qwk", "labels": ["low", "high"]})
    >>> print(call.python())
    oe.compare(
        y_true,
        y_pred,
        topic=topic,
        measures='qwk',
        labels=['low', 'high'],
    )
    >>> print(call.command())
    ordeval compare DATA \\
      --topic=topic \\
      --measures=qwk \\
      --labels=low,high
    """

    function: str
    options: Mapping[str, Any]

    def python(self) -> str:
        """Return the call in Python, with variables for what is in memory."""
        given, positions = dict(self.options), _POSITIONS[self.function]
        if given.pop("counts", None):
            return _written(self.function, ["counts"], given, bare=_COLUMNS)
        if "data" not in given:
            given = {name: value for name, value in given.items() if name not in positions}
            return _written(self.function, positions, given, bare=_COLUMNS)
        data, runs = given.pop("data"), given.pop("runs", ())
        source = "data" if data is None else repr(data)  # a variable, or a path
        own, read = _DOORS[self.function]
        if not runs and not (given.keys() & declared(read).keys()) - declared(own).keys():
            names = [repr(given.pop(name, None)) for name in positions]
            return _written(self.function, [*names, f"data={source}"], given)
        raters = given.pop("ratings", None) or [
            name for role in ("people", "models") for name in given.get(role, ())
        ]
        reading = {"gold": None, "pred": raters or None} if own in _RATED else {}
        roles = dict(zip(("gold", "pred"), positions, strict=False)) if not reading else {}
        reading |= {new: given.pop(old) for new, old in roles.items() if old in given}
        reading |= {name: given.pop(name) for name in declared(read) if name in given}
        door = "read_shares" if self.function == "quantify" else "read"
        first = _written(door, [source, *map(repr, runs)], reading)
        who = [repr(given.pop(name)) for name in positions if name in given]
        rest = [*who, "data=data"] if who else ["data"]
        return f"data = {first}\n{_written(self.function, rest, given)}"

    def command(self) -> str:
        """Return the command line, with placeholders for files that are not known."""
        given = {name: x for name, x in self.options.items() if name != "counts"}
        files = [given.pop("data", None) or "DATA", *given.pop("runs", ())]
        name = {"evaluate": "score"}.get(self.function, self.function)
        parts = [shlex.join(["ordeval", name, *files])]
        for option, value in given.items():
            flag = _FLAGS.get(option, option.replace("_", "-"))
            texts = [] if option in _SWITCHES else _texts(option, value)
            parts += [f"--{flag}={shlex.quote(text)}" for text in texts]
        parts += [_SWITCHES[option] for option in given if option in _SWITCHES]
        return " \\\n  ".join(parts)


def _written(
    function: str, data: Iterable[str], options: Mapping[str, Any], bare: Sequence[str] = ()
) -> str:
    """Return a call in Python, an argument a line; the values of `bare` options are variables."""
    named = (f"{k}={k if k in bare else repr(value)}" for k, value in options.items())
    return f"oe.{function}(\n" + "".join(f"    {line},\n" for line in (*data, *named)) + ")"


def _texts(option: str, value: Any) -> list[str]:
    """Return the values of an option on the command line, which some take several times."""
    if option == "where":
        rows = ((c, v if isinstance(v, list | tuple) else [v]) for c, v in value.items())
        return [f"{column}={word}" for column, words in rows for word in words]
    listed = isinstance(value, list | tuple)
    return [",".join(map(protected, value)) if listed else str(value)]
