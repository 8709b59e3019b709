"""Scores of systems on topics under several measures: the data that measures are judged by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordeval.advice import Facts
from ordeval.data.column import sorted_names
from ordeval.data.counts import Counts
from ordeval.data.scale import Scale
from ordeval.data.shares import Shares
from ordeval.display import Displayable
from ordeval.errors import InputError, check_choice, did_you_mean, plural, quoted
from ordeval.measures.batches import score_tables
from ordeval.measures.registry import Task
from ordeval.measures.scoring import (
    MeasuresLike,
    Scores,
    check_task,
    check_undefined,
    mean_over_topics,
    read_measures,
    replace_undefined,
)
from ordeval.measures.spec import Measure, find_name
from ordeval.measures.spec import measures as all_measures
from ordeval.results import Result
from ordeval.stats.resample import as_seed, stream
from ordeval.types import RNG, Floats, Ints, Undefined

# Sets, topics and systems of one product of matrices: OpenBLAS uses threads from 2**18 on.
_SMALL_PRODUCT = (32, 128, 64)


@dataclass(frozen=True, repr=False)
class ScoreMatrices(Displayable):
    """Scores of systems on topics, one matrix for each measure.

    A score that is undefined (for example κ where gold and predicted labels are all one class) is
    NaN. `undefined` determines how it is treated: None keeps it, and everything computed from it
    is undefined as well; "skip" takes means over the other topics; a number replaces it.

    Parameters
    ----------
    measures, systems, topics : tuple of str
        The names along the axes.
    scores : ndarray of shape (n_measures, n_systems, n_topics)
        The scores in the units of the measures, undefined ones replaced if `undefined` is a number.
    signs : ndarray of shape (n_measures,)
        +1 where higher is better and -1 where lower is better.
    undefined : float, "skip" or None
        How undefined scores are treated.
    missing : ndarray of shape (n_measures, n_systems)
        The number of topics without a score, before any replacement.
    facts : Facts, optional
        Properties of the data; None for ready scores.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8], [0.5, 0.6]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b"],
    ...     topics=["t", "u"],
    ...     better=["higher"],
    ... )
    >>> scores.means
    array([[0.85, 0.55]])
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Floats
    signs: Ints
    undefined: Undefined
    missing: Ints
    facts: Facts | None = None

    @classmethod
    def read(cls, data: "ScoreSource") -> "ScoreMatrices":
        """Return the score matrices of data in any accepted form.

        Parameters
        ----------
        data : ScoreMatrices, Counts, Scores or Result
            Score matrices (returned as they are), counts with systems and topics (scored under
            all measures), or a result of `compare` with topics.

        Returns
        -------
        ScoreMatrices
            The scores of every system on every topic.
        """
        if isinstance(data, ScoreMatrices):
            return data
        if isinstance(data, Counts):
            return cls.from_counts(data)
        scores: Any = data.scores if isinstance(data, Result) else data
        if not isinstance(scores, Scores) or scores.per_topic is None:
            raise InputError(
                f"Scores of systems on topics are expected; {type(data).__name__} has none.",
                parameter="data",
                hint="Give ScoreMatrices, counts with systems and topics, or a result of compare "
                "with {topic}.",
                suggest={"topic": ...},
            )
        return cls.from_scores(
            scores.per_topic,
            measures=[m.key for m in scores.measures],
            systems=scores.systems,
            topics=scores.topics,
            better=[m.better for m in scores.measures],
            undefined=scores.replaced,
        )

    @classmethod
    def from_counts(
        cls, counts: Counts, measures: MeasuresLike = None, *, undefined: Undefined = None
    ) -> "ScoreMatrices":
        """Score every system on every topic.

        Parameters
        ----------
        counts : Counts
            Counts with the axes system and topic.
        measures : str, Measure or iterable of these, optional
            The measures; all that can be scored in batches by default.
        undefined : float, "skip" or None, optional
            How undefined scores are treated; by default what depends on them is undefined.

        Returns
        -------
        ScoreMatrices
            The scores, with facts about the data.
        """
        axes = [axis.name for axis in counts.axes]
        if axes != ["system", "topic"]:
            raise InputError(
                f"The counts have the axes {axes}; several systems on several topics are expected.",
                parameter="topic",
                hint="Count a mapping of systems with {topic}; ordeval.meta.random_topics splits "
                "items that have none.",
                suggest={"topic": ...},
            )
        chosen = read_measures(measures)
        _check_measures(chosen, "classification", counts.scale)
        scores = score_tables(chosen, counts.effective, counts.scale)
        names = [m.key for m in chosen], counts.systems, counts.topics
        facts, signs = Facts.of_counts(counts), [m.sign for m in chosen]
        return cls._checked(scores, names, signs, undefined, facts)

    @classmethod
    def from_shares(
        cls, shares: Shares, measures: MeasuresLike = None, *, undefined: Undefined = None
    ) -> "ScoreMatrices":
        """Score estimated distributions of every system on every topic.

        Parameters
        ----------
        shares : Shares
            Gold and estimated distributions; see `read_shares`.
        measures : str, Measure or iterable of these, optional
            The measures; all of quantification by default.
        undefined : float, "skip" or None, optional
            How undefined scores are treated; by default what depends on them is undefined.

        Returns
        -------
        ScoreMatrices
            The scores, with facts about the data.
        """
        gold, estimates, scale = shares.rows[0], shares.rows[1:], shares.scale
        every = all_measures("quantification")
        chosen = tuple(every) if measures is None else read_measures(measures)
        _check_measures(chosen, "quantification", scale)
        same, size = np.broadcast_to(gold, estimates.shape), shares.units.count
        scores = np.stack([m.kernel(same, estimates, scale.numbers, size=size) for m in chosen])
        facts = Facts.of_shares(gold, estimates, shares.systems, scale)
        names = ([m.key for m in chosen], shares.systems, shares.topics)
        return cls._checked(scores, names, [m.sign for m in chosen], undefined, facts)

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike,
        *,
        measures: Sequence[str],
        systems: Sequence[str],
        topics: Sequence[str],
        better: Sequence[str],
        undefined: Undefined = None,
    ) -> "ScoreMatrices":
        """Use scores that were computed elsewhere.

        Parameters
        ----------
        scores : array_like of shape (n_measures, n_systems, n_topics)
            The scores; NaN where undefined.
        measures, systems, topics : sequence of str
            The names along the axes.
        better : sequence of {"higher", "lower"}
            The direction of each measure.
        undefined : float, "skip" or None, optional
            How undefined scores are treated; by default what depends on them is undefined.

        Returns
        -------
        ScoreMatrices
            The scores, without facts about the data.
        """
        unknown = [word for word in better if word not in ("higher", "lower")]
        if unknown or len(better) != len(measures):
            raise InputError(
                f"The directions {list(better)!r} were given for {plural(len(measures), 'measure')}"
                '; "higher" or "lower" is expected for each.',
                parameter="better",
            )
        signs = [1 if word == "higher" else -1 for word in better]
        given = np.asarray(scores, dtype=np.float64)
        return cls._checked(given, (measures, systems, topics), signs, undefined)

    @classmethod
    def _checked(
        cls,
        scores: Floats,
        axes: Sequence[Iterable[object]],
        signs: Sequence[int],
        undefined: Undefined,
        facts: Facts | None = None,
    ) -> "ScoreMatrices":
        names = [tuple(str(name) for name in axis) for axis in axes]
        _check_shape(scores, names)
        check_undefined(undefined)
        missing = np.isnan(scores).sum(axis=2).astype(np.int64)
        filled = replace_undefined(scores, undefined)
        return cls(
            measures=names[0],
            systems=names[1],
            topics=names[2],
            scores=filled,
            signs=np.asarray(signs, dtype=np.int64),
            undefined=undefined,
            missing=missing,
            facts=facts,
        )

    @property
    def oriented(self) -> Floats:
        """Scores `[M, S, T]` with signs such that higher is better."""
        return np.asarray(self.scores * self.signs[:, None, None], dtype=np.float64)

    @property
    def means(self) -> Floats:
        """Mean scores `[M, S]` over topics, in the units of the measures."""
        return mean_over_topics(self.scores, "skip" if self.undefined == "skip" else None)

    @property
    def oriented_means(self) -> Floats:
        """Mean scores `[M, S]` over topics with signs such that higher is better."""
        return np.asarray(self.means * self.signs[:, None])

    def means_over(self, topic_sets: ArrayLike) -> Floats:
        """Return mean scores over sets of topics, with signs such that higher is better.

        Parameters
        ----------
        topic_sets : array_like of shape (n_sets, n_topics)
            The weight of each topic in each set, 1 for its members and 0 for others.

        Returns
        -------
        ndarray of shape (n_measures, n_sets, n_systems)
            The means.
        """
        weight = np.asarray(topic_sets, dtype=np.float64)
        gone = np.isnan(self.scores)
        if not gone.any():
            sums = _weighted_sums(self.oriented, weight)
            sums /= weight.sum(axis=1)[:, None]
            return sums
        sums = _weighted_sums(np.where(gone, 0.0, self.oriented), weight)
        lost = _weighted_sums(gone.astype(np.float64), weight)
        left = weight.sum(axis=1)[:, None] - lost
        usable = left > 0 if self.undefined == "skip" else lost == 0
        means: Floats = np.full(sums.shape, np.nan)
        np.divide(sums, left, out=means, where=usable)
        return means

    def select(
        self, *, measures: MeasuresLike = None, systems: Sequence[str] | None = None
    ) -> "ScoreMatrices":
        """Return the scores of some measures and systems, in the given order.

        Parameters
        ----------
        measures : str, Measure or iterable of these, optional
            The measures to keep, by any of their names; all by default.
        systems : sequence of str, optional
            The systems to keep; all by default.

        Returns
        -------
        ScoreMatrices
            The selected scores.
        """
        given = [measures] if isinstance(measures, (str, Measure)) else measures or self.measures
        m = [place_of(measure, self.measures) for measure in given]
        for system in systems or ():
            check_choice("systems", system, self.systems)
        s = [self.systems.index(system) for system in systems or self.systems]
        return replace(
            self,
            measures=tuple(self.measures[i] for i in m),
            systems=tuple(self.systems[i] for i in s),
            scores=self.scores[np.ix_(m, s)],
            signs=self.signs[m],
            missing=self.missing[np.ix_(m, s)],
        )

    def sorted_systems(self) -> "ScoreMatrices":
        """Return the scores with the systems in the order of their names.

        Draws and sums then do not depend on the order in which the systems were given.

        Returns
        -------
        ScoreMatrices
            The same scores.
        """
        return self.select(systems=sorted_names(self.systems))


ScoreSource = ScoreMatrices | Counts | Scores | Result
"""Everything that scores of systems on topics can be taken from."""


def _weighted_sums(scores: Floats, weight: Floats) -> Floats:
    """Return sums `[M, B, S]` over topics of scores `[M, S, T]` with weights `[B, T]`.

    Products of small matrices: BLAS would compute large ones by several threads, which stall on a
    busy machine. The last digits are BLAS's, so rankings by these sums must tolerate rounding.
    """
    sums, columns = np.empty((len(scores), len(weight), scores.shape[1])), np.swapaxes(scores, 1, 2)
    in_sets, in_topics, in_systems = (
        [slice(start, start + step) for start in range(0, end, step)]
        for end, step in zip((*weight.shape, scores.shape[1]), _SMALL_PRODUCT, strict=True)
    )
    for sets, systems in product(in_sets, in_systems):
        found = sums[:, sets, systems]
        np.matmul(weight[sets, in_topics[0]], columns[:, in_topics[0], systems], out=found)
        for topics in in_topics[1:]:
            found += weight[sets, topics] @ columns[:, topics, systems]
    return sums


def random_topics(items: int, parts: int = 10, *, rng: RNG = 0) -> tuple[str, ...]:
    """Split items at random into parts of equal size, to be used as topics.

    Parameters
    ----------
    items : int
        The number of items.
    parts : int, default: 10
        The number of parts; Amigó et al. (2020, section 5.4) use ten.
    rng : int, numpy.random.Generator or None, default: 0
        The seed of the random split.

    Returns
    -------
    tuple of str
        The name of a topic for each item.

    Examples
    --------
    >>> import ordeval as oe
    >>> sorted(oe.meta.random_topics(4, parts=2))
    ['part-1', 'part-1', 'part-2', 'part-2']
    """
    if not 2 <= parts <= items:
        raise InputError(
            f"{parts} parts of {plural(items, 'item')} were asked for; at least 2 parts and at "
            "most one per item are expected.",
            parameter="parts",
        )
    places = stream(as_seed(rng), "parts").permutation(items) % parts
    return tuple(f"part-{place + 1}" for place in places)


def _check_measures(chosen: Sequence[Measure], task: Task, scale: Scale) -> None:
    check_task(chosen, task)
    for m in chosen:
        m.on(scale)


def _check_shape(scores: Floats, names: Sequence[tuple[str, ...]]) -> None:
    wanted = tuple(len(axis) for axis in names)
    if scores.shape != wanted:
        raise InputError(
            f"Scores of shape {scores.shape} were given; {wanted} is expected: measures × systems "
            "× topics.",
            parameter="scores",
        )
    for kind, axis, least in zip(("measure", "system", "topic"), names, (1, 2, 2), strict=True):
        twice = sorted({name for name in axis if axis.count(name) > 1})
        problem = f"The {kind} names {quoted(twice)} occur more than once; names must differ."
        if len(axis) < least:
            few = f"There is {plural(len(axis), kind)}; at least {least} are needed"
            problem = f"{few} to judge measures."
        if twice or len(axis) < least:
            raise InputError(problem, parameter=f"{kind}s")


def place_of(measure: str | Measure, names: tuple[str, ...]) -> int:
    """Return the position of a measure, however it is written, or raise an error."""
    name = find_name(measure, names)
    if name is None:
        raise InputError(
            f"There is no measure {str(measure)!r} here.{did_you_mean(str(measure), names)}",
            parameter="measures",
        )
    return names.index(name)
