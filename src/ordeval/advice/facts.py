"""Facts about data that matter for the choice of a measure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..data.counts import Counts, constant_predictions
from ..data.data import Data
from ..data.scale import Scale
from ..errors import plural, quoted
from ..formatting import one_line
from ..results import Result
from ..types import Floats

RARE = 0.5  # a class with fewer gold items than this part of an equal share is rare
DOMINANT = 0.8  # share of ratings in one class above which chance agreement is nearly complete
FEW_TOPICS = 20  # with fewer, two sets of ten cannot be drawn
_SHOWN = 5  # rare classes that are named


@dataclass(frozen=True)
class Facts:
    """Facts about data that matter for the choice of a measure.

    Parameters
    ----------
    task : {"labels", "raters", "judge", "distributions"}
        What there is to be evaluated.
    k : int
        The number of classes.
    systems : tuple of str
        The systems; the raters or people where these are evaluated.
    topics : int
        The number of topics; 0 without topics.
    constant : tuple of str
        The systems that give the same answer everywhere.
    empty_topics : int
        The number of topics in which at least one class has no gold item (or mass).
    single_topics : int
        The number of topics whose gold labels (or mass) are all in one class.
    equal_steps : bool
        Whether no class values are declared and steps between classes count as equal.
    inferred : bool
        Whether the scale was inferred from the labels.
    classes : tuple
        The classes, lowest first; empty if unknown.
    sizes : tuple of float
        The number of gold items (or of ratings) of each class; empty if unknown.
    models : tuple of str
        The models that are judged by people.
    gaps : int
        The number of missing ratings.
    skipped : int
        The number of items that were left out because a label is missing.
    unlabelled : int
        The number of items without a gold label that a judge labelled.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.meta.Facts("labels", k=5, topics=100).constant
    ()
    """

    task: str
    k: int
    systems: tuple[str, ...] = ()
    topics: int = 0
    constant: tuple[str, ...] = ()
    empty_topics: int = 0
    single_topics: int = 0
    equal_steps: bool = True
    inferred: bool = False
    classes: tuple[Any, ...] = ()
    sizes: tuple[float, ...] = ()
    models: tuple[str, ...] = ()
    gaps: int = 0
    skipped: int = 0
    unlabelled: int = 0

    @classmethod
    def of_counts(cls, counts: Counts) -> "Facts":
        """Return the facts about counts of one or more systems.

        Parameters
        ----------
        counts : Counts
            The counts.

        Returns
        -------
        Facts
            The facts.
        """
        named = counts.with_system_axis()
        by_topic = named.table[0].sum(axis=-1) if counts.topics else np.zeros((0, counts.k))
        pooled = named.pooled("topic")
        found = _of_tables(pooled.table, counts.scale, pooled.systems, len(counts.topics))
        return replace(found, skipped=counts.skipped, **_by_topic(by_topic))

    @classmethod
    def of_result(cls, result: Result) -> "Facts":
        """Return the facts about a result, which has no counts by topic.

        Parameters
        ----------
        result : Result
            A result of `evaluate`, `compare` or `quantify`.

        Returns
        -------
        Facts
            The facts; those about topics with few classes are unknown and 0.
        """
        scale, topics = result.scores.scale, len(result.scores.topics)
        if result.tables is None or result.kind == "quantification":
            return cls(
                "distributions", scale.k, result.systems, topics, result.constant_systems,
                **_of_scale(scale),
            )  # fmt: skip
        return _of_tables(result.tables, scale, result.systems, topics)

    @classmethod
    def of_shares(
        cls, gold: Floats, estimates: Floats, systems: Sequence[str], scale: Scale
    ) -> "Facts":
        """Return the facts about distributions.

        Parameters
        ----------
        gold : ndarray of shape (n_topics, n_classes)
            Gold distributions.
        estimates : ndarray of shape (n_systems, n_topics, n_classes)
            Estimated distributions.
        systems : sequence of str
            The systems.
        scale : Scale
            The classes.

        Returns
        -------
        Facts
            The facts.
        """
        same = (np.ptp(estimates, axis=1) <= 1e-12).all(axis=-1)
        constant = tuple(name for name, is_same in zip(systems, same, strict=True) if is_same)
        return cls(
            "distributions", scale.k, tuple(systems), len(gold), constant,
            sizes=tuple(map(float, gold.sum(axis=0))), **_by_topic(gold), **_of_scale(scale),
        )  # fmt: skip

    @classmethod
    def of_ratings(cls, data: Data, models: Sequence[str] = ()) -> "Facts":
        """Return the facts about ratings of several raters, of whom some may be models.

        Parameters
        ----------
        data : Data
            The ratings of all.
        models : sequence of str
            The raters that are models.

        Returns
        -------
        Facts
            The facts.
        """
        k = data.scale.k
        *sizes, gaps = np.bincount(data.codes.ravel(), minlength=k + 1).tolist()
        return cls(
            "judge" if models else "raters",
            k,
            tuple(name for name in data.names if name not in models),
            sizes=tuple(map(float, sizes)),
            models=tuple(models),
            gaps=gaps,
            **_of_scale(data.scale),
        )

    @property
    def prevalence(self) -> tuple[float, ...]:
        """The share of each class in gold; empty if unknown."""
        total = sum(self.sizes)
        return tuple(size / total for size in self.sizes) if total > 0 else ()

    @property
    def rare(self) -> tuple[str, ...]:
        """The gold classes that are rare, with their shares in words."""
        present = [share for share in self.prevalence if share > 0]
        limit = RARE / max(len(present), 1)
        return tuple(
            f"{shown([label])} ({100 * share:.2g} %)"
            for label, share in zip(self.classes, self.prevalence, strict=False)
            if 0 < share < limit
        )


def _of_tables(tables: Floats, scale: Scale, systems: Sequence[str], topics: int) -> Facts:
    """Return the facts about tables `[system, gold, predicted]`."""
    is_constant = constant_predictions(tables)
    constant = tuple(name for name, one in zip(systems, is_constant, strict=True) if one)
    sizes = tuple(map(float, tables[0].sum(axis=-1)))
    return Facts(
        "labels", scale.k, tuple(systems), topics, constant, sizes=sizes, **_of_scale(scale)
    )


def _of_scale(scale: Scale) -> dict[str, Any]:
    return {
        "equal_steps": scale.equidistant,
        "inferred": scale.inferred,
        "classes": tuple(scale.labels),
    }


def _by_topic(gold: Floats) -> dict[str, Any]:
    """Count the topics of gold `[topic, class]` with an empty class, and those of a single one."""
    present = (gold > 0).sum(axis=-1)
    return {
        "empty_topics": int((present < gold.shape[-1]).sum()),
        "single_topics": int((present == 1).sum()),
    }


class Known(NamedTuple):
    """An answer that data give, what it is concluded from, and whether that is certain."""

    answer: str
    because: str
    certain: bool = True


def known_answers(facts: Facts) -> dict[str, Known]:
    """Return the answers that data give to questions of the path."""
    answers: dict[str, Known] = {"task": _task(facts)}
    if facts.task in ("labels", "distributions"):
        several = len(facts.systems) > 1
        because = f"there are {len(facts.systems)} systems" if several else "there is one system"
        answers["purpose"] = Known("compare" if several else "report", because)
    if not facts.equal_steps:
        answers["order"] = Known("distances", "the class values have unequal steps")
    if facts.task in ("labels", "judge"):
        if facts.rare:
            answers["balance"] = Known("classes", f"rare are {_listed(facts.rare)}", certain=False)
            answers["each_class"] = Known("yes", "rare classes can fail unseen", certain=False)
        else:
            answers["balance"] = Known("items", "no class is rare, so it hardly matters")
    if facts.task == "labels":
        answers["constant"] = _constant(facts.constant)
    return answers


def _task(facts: Facts) -> Known:
    people = f"{plural(len(facts.systems), 'rater')}: {shown(facts.systems)}"
    because = {
        "labels": f"gold and {plural(len(facts.systems), 'column')} of predictions",
        "distributions": f"distributions of {plural(facts.topics, 'topic')}",
        "raters": people,
        "judge": f"{plural(len(facts.models), 'model')} ({shown(facts.models)}) beside {people}",
    }
    return Known(facts.task, because[facts.task])


def _constant(names: Sequence[str]) -> Known:
    if len(names) > 1:
        return Known("several", f"{shown(names)} always predict one class")
    return Known("no", "one system is constant" if names else "no system is constant")


def notes_on(facts: Facts) -> Iterator[str]:
    """Yield what else about the data matters for measures."""
    if facts.skipped:
        yield f"{plural(facts.skipped, 'item')} without a label of gold or of a system left out."
    if facts.unlabelled:
        yield (
            f"{plural(facts.unlabelled, 'item')} without gold: the judge's labels correct the "
            "scores, provided that the items with gold are a random part."
        )
    if facts.gaps:
        yield f"{facts.gaps:,} ratings are missing: coefficients that need complete data go."
    if facts.task == "labels":
        yield from _notes_on_gold(facts)
    if facts.task in ("raters", "judge") and max(facts.prevalence, default=0) >= DOMINANT:
        yield (
            f"{100 * max(facts.prevalence):.3g} % of the ratings are one class: coefficients that "
            "are corrected for chance can be low although raters agree; AC1 and AC2 depend less "
            "on that."
        )
    if 0 < facts.topics < FEW_TOPICS:
        yield f"With {plural(facts.topics, 'topic')}, tests over topics have little power."
    if facts.inferred:
        yield "The scale was inferred from the labels; a class that does not occur is missing."


def _notes_on_gold(facts: Facts) -> Iterator[str]:
    if facts.prevalence:
        label = facts.classes[int(np.argmax(facts.sizes))]
        share = 100 * max(facts.prevalence)
        yield f"Always predicting {shown([label])} would be right for {share:.3g} % of items."
    empty = [label for label, n in zip(facts.classes, facts.sizes, strict=False) if n == 0]
    if empty:
        yield f"No gold item is in {shown(empty)}: means over classes leave it out."
    if len(facts.constant) == 1:
        yield (
            f"{shown(facts.constant)} always predicts the same class: kappa is 0 for it, and "
            "correlations are undefined."
        )
    if facts.empty_topics:
        yield (
            f"In {facts.empty_topics} of {facts.topics} topics a class is empty in gold: macro "
            "averages there are over the other classes."
        )
    if facts.single_topics:
        yield (
            f"In {facts.single_topics} of {facts.topics} topics gold is one class: correlations "
            "are undefined there, and kappa is 0 or undefined."
        )


def shown(names: Sequence[object]) -> str:
    """Return a few names in quotes, on one line."""
    return one_line(quoted(names))


def _listed(phrases: Sequence[str]) -> str:
    more = [f"{len(phrases) - _SHOWN} more"] if len(phrases) > _SHOWN else []
    return ", ".join([*phrases[:_SHOWN], *more])
