"""What data say about the questions of the decision path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from ..counts import Counts
from ..errors import plural, quoted
from ..evaluation.judge_labels import JudgedSource
from ..formatting import one_line
from ..ratings import GAP, Ratings
from ..results import Result
from ..scale import Scale
from ..types import Floats

RARE = 0.5  # of an equal share: a class with fewer gold items is rare
DOMINANT = 0.8  # share of ratings in one class above which chance agreement is nearly complete
FEW_TOPICS = 20


class Found(NamedTuple):
    """An answer, and what it is concluded from."""

    answer: str
    because: str


@dataclass(frozen=True)
class Findings:
    """What data say: answers, what is likely where they cannot decide, and remarks.

    Parameters
    ----------
    answers : mapping of str to Found
        The questions that the data answer.
    likely : mapping of str to Found
        The answers to assume for others, where nobody can be asked.
    remarks : tuple of str
        What else matters for measures.
    labels : tuple
        The classes, where they must be declared; else empty.
    values : tuple of float
        The class values, where they are declared; else empty.
    gaps : bool
        Whether raters did not rate all items.
    models : tuple of str
        The raters that are models.
    skipped : int
        The number of items that were left out because a label is missing.
    smallest : int or None
        The number of items of the smallest gold class; None if it is not known.
    judge : str
        The judge that labelled items without gold; empty if there is none.
    columns : mapping of str to object
        The columns of a data frame by role; empty if the data are none.
    variables : tuple of str
        The arguments beside labels that say more about each item, such as "topics".
    settings : mapping of str to object
        Other arguments that say how to read the labels, such as "na".
    """

    answers: Mapping[str, Found] = field(default_factory=dict)
    likely: Mapping[str, Found] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    labels: tuple[Any, ...] = ()
    values: tuple[float, ...] = ()
    gaps: bool = False
    models: tuple[str, ...] = ()
    skipped: int = 0
    smallest: int | None = None
    judge: str = ""
    columns: Mapping[str, Any] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


@singledispatch
def findings_of(data: Any, **more: Any) -> Findings:
    """Return what data say about the questions."""
    raise TypeError(f"{type(data).__name__} is no data to advise on.")


@findings_of.register
def _of_counts(data: Counts) -> Findings:
    pooled = data.with_system_axis().pooled("topic")
    return _of_tables(
        pooled.table, data.scale, pooled.systems, len(data.topics), skipped=data.skipped
    )


@findings_of.register
def _of_result(data: Result) -> Findings:
    scale, topics = data.scores.scale, len(data.scores.topics)
    if data.kind == "quantification" or data.tables is None:
        return of_distributions(scale, data.systems, topics)
    return _of_tables(data.tables, scale, data.systems, topics)


def _of_tables(
    tables: Floats, scale: Scale, systems: Sequence[str], topics: int, *, skipped: int = 0
) -> Findings:
    """Return what tables `[system, gold, predicted]` say."""
    answers = {
        "task": Found("labels", f"gold and {plural(len(systems), 'column')} of predictions"),
        "purpose": _purpose(systems),
    }
    likely: dict[str, Found] = {}
    _add_order(scale, answers, likely)
    gold = tables[0].sum(axis=1)
    _add_balance(gold, scale, answers, likely)
    constant = [name for name, t in zip(systems, tables, strict=True) if _is_constant(t)]
    answers["constant"] = _constant(constant)
    remarks = [
        *_size(scale, float(gold.sum()), topics),
        *_baseline(gold, scale),
        *_empty(gold, scale),
        *_alone(constant),
    ]
    if skipped:
        remarks.append(
            f"{plural(skipped, 'item')} without a label of every system or of gold "
            f"{'is' if skipped == 1 else 'are'} left out."
        )
    if skipped >= gold.sum():
        remarks.append(
            "If gold is missing for most items, but a judge such as a language model labelled all "
            "of them, name it as the judge: its labels shorten intervals, and gold stays that of "
            "people."
        )
    smallest = int(gold[gold > 0].min()) if gold.any() else 0
    more: dict[str, Any] = {"skipped": skipped, "smallest": smallest}
    more["variables"] = ("topics",) if topics else ()
    return Findings(answers, likely, tuple(remarks), *_declared(scale), **more)


def with_judge(data: JudgedSource) -> Findings:
    """Return what the items with gold say, and how many have labels of a judge only."""
    found, labelled = findings_of(data.counts()), data.judged.labelled
    others = int(data.judged.other_count.sum())
    said = (
        f"Gold is known for {labelled:,} of {labelled + others:,} items. The labels of "
        f"{_names([data.judge])} for the others correct the scores; that needs a random part with "
        "gold, not the items that were easy to label."
    )
    return replace(found, judge=data.judge, remarks=(*found.remarks, said))


def of_distributions(scale: Scale, systems: Sequence[str], topics: int) -> Findings:
    """Return what distributions of topics over the classes say."""
    answers = {
        "task": Found("distributions", f"distributions of {plural(topics, 'topic')}"),
        "purpose": _purpose(systems),
    }
    likely: dict[str, Found] = {}
    _add_order(scale, answers, likely)
    return Findings(answers, likely, tuple(_size(scale, None, topics)), *_declared(scale))


@findings_of.register
def _of_ratings(data: Ratings, models: Sequence[str] = ()) -> Findings:
    people = [name for name in data.raters if name not in models]
    raters = f"{plural(len(people), 'rater')}: {_names(people)}"
    task = Found("raters", raters)
    if models:
        task = Found("judge", f"{plural(len(models), 'model')} ({_names(models)}) beside {raters}")
    answers, likely = {"task": task}, dict[str, Found]()
    _add_order(data.scale, answers, likely)
    shares = np.bincount(data.codes[data.codes != GAP], minlength=data.scale.k)
    if models:
        _add_balance(shares.astype(np.float64), data.scale, answers, likely)
    gaps = int((data.codes == GAP).sum())
    remarks = [f"{plural(len(data.codes), 'item')} rated by {plural(len(data.raters), 'rater')}."]
    if gaps:
        told = "" if models else ": intraclass correlations need complete data and are left out"
        remarks.append(f"{gaps:,} of {data.codes.size:,} ratings are missing{told}.")
    remarks += _dominant(shares, data.scale)
    more: dict[str, Any] = {"gaps": gaps > 0, "models": tuple(models)}
    return Findings(answers, likely, tuple(remarks), *_declared(data.scale), **more)


def _listed(phrases: Sequence[str], limit: int = 5) -> str:
    more = [f"{len(phrases) - limit} more"] if len(phrases) > limit else []
    return ", ".join([*phrases[:limit], *more])


def _names(names: Sequence[object]) -> str:
    return one_line(quoted(names))


def _declared(scale: Scale) -> tuple[tuple[Any, ...], tuple[float, ...]]:
    """Return the classes, unless they are inferred from the labels anyway, and their values."""
    return () if scale.inferred else scale.labels, scale.values or ()


def _is_constant(table: Floats) -> bool:
    return int((table.sum(axis=0) > 0).sum()) == 1


def _purpose(systems: Sequence[str]) -> Found:
    if len(systems) > 1:
        return Found("compare", f"there are {len(systems)} systems")
    return Found("report", "there is one system")


def _add_order(scale: Scale, answers: dict[str, Found], likely: dict[str, Found]) -> None:
    """Add what the scale says about distances between classes."""
    if scale.k <= 2:
        answers["order"] = Found("none", f"there {_are(scale.k)}")
    elif scale.values is not None:
        answers["order"] = Found("distances", "class values are declared")
    elif scale.tells_order_only:
        likely["order"] = Found("order", "the classes are words, which tell no distances")
    elif not scale.equidistant:
        answers["order"] = Found("distances", "the classes are numbers with unequal steps")
    else:
        likely["order"] = Found("distances", "the classes are numbers; equal steps are assumed")


def _are(k: int) -> str:
    return "is one class only" if k == 1 else f"are {k} classes only"


def _add_balance(
    gold: Floats, scale: Scale, answers: dict[str, Found], likely: dict[str, Found]
) -> None:
    """Add whether rare classes make the question of their weight matter."""
    used = gold[gold > 0]
    limit = RARE * gold.sum() / max(len(used), 1)
    rare = [
        f"{_names([label])} ({100 * n / gold.sum():.2g} %)"
        for label, n in zip(scale.labels, gold, strict=True)
        if 0 < n < limit
    ]
    if rare:
        likely["balance"] = Found("classes", f"rare are {_listed(rare)}")
        likely["each_class"] = Found("yes", "rare classes can fail unseen")
    else:
        answers["balance"] = Found("items", "no class is rare, so that it hardly matters")


def _constant(names: Sequence[str]) -> Found:
    if len(names) > 1:
        return Found("several", f"{_names(names)} always predict one class")
    return Found("no", "one system is constant" if names else "no system is constant")


def _alone(constant: Sequence[str]) -> list[str]:
    if len(constant) != 1:
        return []
    return [
        f"{_names(constant)} always predicts the same class: kappa is 0 for it, and correlations "
        "are undefined."
    ]


def _size(scale: Scale, items: float | None, topics: int) -> list[str]:
    found = [] if items is None else [f"{items:,.6g} items" if items != 1 else "1 item"]
    found += [plural(scale.k, "class", "classes")]
    found += [plural(topics, "topic")] if topics else []
    told = [f"The data have {', '.join(found)}."]
    if 0 < topics < FEW_TOPICS:
        told.append("Tests over so few topics have little power.")
    if scale.inferred:
        told.append(
            "The scale was inferred from the labels; a class that does not occur is missing."
        )
    return told


def _baseline(gold: Floats, scale: Scale) -> list[str]:
    if not gold.any():
        return []
    share, label = gold.max() / gold.sum(), scale.labels[int(gold.argmax())]
    return [f"Always predicting {_names([label])} would be right for {100 * share:.3g} % of items."]


def _empty(gold: Floats, scale: Scale) -> list[str]:
    empty = [label for label, n in zip(scale.labels, gold, strict=True) if n == 0]
    if not empty:
        return []
    return [
        f"No gold item is in {_names(empty)}: means over classes leave it out, and CEM cannot "
        "tell errors into neighbouring empty classes apart."
    ]


def _dominant(shares: Any, scale: Scale) -> list[str]:
    total = int(shares.sum())
    if total == 0 or shares.max() < DOMINANT * total:
        return []
    label = scale.labels[int(shares.argmax())]
    return [
        f"{100 * shares.max() / total:.3g} % of the ratings are {_names([label])}: coefficients "
        "that are corrected for chance can be low although raters agree; Gwet's AC1 and AC2 "
        "depend less on that."
    ]
