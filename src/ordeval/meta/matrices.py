"""What measures are judged by: their scores for every system on every topic."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordeval.counts import Counts
from ordeval.display import Displayable
from ordeval.distributions import read_distributions
from ordeval.errors import InputError, did_you_mean, quoted
from ordeval.scale import class_values
from ordeval.scoring import Scores, read_measures, score_tables
from ordeval.spec import Measure, measures
from ordeval.types import Undefined

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class DataFacts:
    """What the data are like, as far as it bears on the choice of a measure.

    Attributes
    ----------
    task : "classification" or "quantification".
    k : number of classes.
    topics : number of topics.
    constant_systems : systems that give the same answer everywhere.
    topics_with_empty_classes : topics in which at least one class has no gold item (or mass).
    topics_of_one_class : topics whose gold is all one class.
    equidistant : no class values were declared, so steps between classes count as equal.
    inferred : the scale was read off the labels.
    """

    task: str
    k: int
    topics: int
    constant_systems: tuple[str, ...] = ()
    topics_with_empty_classes: int = 0
    topics_of_one_class: int = 0
    equidistant: bool = True
    inferred: bool = False


@dataclass(frozen=True, repr=False)
class ScoreMatrices(Displayable):
    """Scores `[M, S, T]` of systems on topics, one matrix for every measure.

    Undefined scores. A score that does not exist (κ where gold and system are one and the same
    class, say) is NaN. `undefined` says what becomes of it: None leaves it, and whatever is
    computed from it is undefined as well; "skip" takes means over the other topics; a number
    stands in its place. `missing` counts such scores before that. (Sakai's tables of 2016 runs
    need no such choice: every topic has two gold classes at least, so all his scores exist, and
    κ of a constant run is 0 by its formula.)

    Attributes
    ----------
    measures, systems, topics : names of the axes.
    scores : `[M, S, T]`, as the measure gives them.
    signs : `[M]`, +1 where higher is better and -1 where lower is.
    undefined : how undefined scores are treated.
    missing : `[M, S]`, number of topics without a score.
    facts : what the data are like, if the scores were made from data.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Floats
    signs: Integers
    undefined: Undefined
    missing: Integers
    facts: DataFacts | None = None

    @classmethod
    def read(cls, data: Any) -> "ScoreMatrices":
        """Matrices as they are, counts of systems on topics, or what `compare` gives back."""
        if isinstance(data, ScoreMatrices):
            return data
        if isinstance(data, Counts):
            return cls.from_counts(data)
        scores = getattr(data, "scores", data)
        if not isinstance(scores, Scores) or scores.per_topic is None:
            raise InputError(
                f"Measures are judged by scores per topic, and {type(data).__name__} has none: "
                "give ScoreMatrices.from_counts(…), counts with systems and topics, or a result "
                "of compare(…, topics=…)."
            )
        return cls.from_scores(
            scores.per_topic,
            measures=[str(m) for m in scores.measures],
            systems=scores.systems,
            topics=scores.topics,
            better=[m.better for m in scores.measures],
            undefined=scores.replaced,
        )

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        *,
        undefined: Undefined = None,
    ) -> "ScoreMatrices":
        """Score every system on every topic of counts with axes (system, topic)."""
        if [axis.name for axis in counts.axes] != ["system", "topic"]:
            raise InputError(
                f"The counts have the axes {[axis.name for axis in counts.axes]}; measures are "
                "judged by several systems on several topics: count with topics=… and a mapping "
                "of systems. ordeval.meta.random_topics makes topics of plain items."
            )
        chosen = read_measures(measures)
        _check_task(chosen, "classification")
        for m in chosen:
            m.check_classes(counts.k)
        scores = score_tables(chosen, counts.table, counts.scale)
        return cls._of(
            chosen, counts.systems, counts.topics, scores, undefined, facts_of_counts(counts)
        )

    @classmethod
    def from_distributions(
        cls,
        gold: ArrayLike,
        estimates: Mapping[str, ArrayLike],
        measures: str | Measure | Iterable[str | Measure] | None = None,
        *,
        topics: Sequence[str] | None = None,
        values: Sequence[float] | None = None,
        undefined: Undefined = None,
    ) -> "ScoreMatrices":
        """Score estimated distributions `{system: [T, K]}` against gold `[T, K]`."""
        chosen = _quantification_measures(measures)
        _check_task(chosen, "quantification")
        q = read_distributions(gold, "gold", row_names=topics).rows
        p = _stack_estimates(estimates, q.shape, topics)
        names = tuple(str(t) for t in (range(1, len(q) + 1) if topics is None else topics))
        k = q.shape[-1]
        numbers = np.asarray(class_values(range(1, k + 1) if values is None else values, k))
        for m in chosen:
            m.check_classes(k)
        scores = np.stack([m.kernel(np.broadcast_to(q, p.shape), p, numbers) for m in chosen])
        facts = facts_of_distributions(q, p, tuple(estimates), equidistant=values is None)
        return cls._of(chosen, tuple(estimates), names, scores, undefined, facts)

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
        """Take ready scores `[M, S, T]`; `better` is "higher" or "lower" for every measure."""
        unknown = [word for word in better if word not in ("higher", "lower")]
        if unknown or len(better) != len(measures):
            raise InputError(
                f"better={list(better)!r} was given for {len(measures)} measure(s); give "
                '"higher" or "lower" for each.'
            )
        signs = np.array([1 if word == "higher" else -1 for word in better], dtype=np.int64)
        given = np.asarray(scores, dtype=np.float64)
        return cls._checked(measures, systems, topics, given, signs, undefined, None)

    @classmethod
    def _of(
        cls,
        chosen: Sequence[Measure],
        systems: Sequence[str],
        topics: Sequence[str],
        scores: Floats,
        undefined: Undefined,
        facts: DataFacts,
    ) -> "ScoreMatrices":
        signs = np.array([m.sign for m in chosen], dtype=np.int64)
        names = [str(m) for m in chosen]
        return cls._checked(names, systems, topics, scores, signs, undefined, facts)

    @classmethod
    def _checked(
        cls,
        measures: Sequence[str],
        systems: Sequence[str],
        topics: Sequence[str],
        scores: Floats,
        signs: Integers,
        undefined: Undefined,
        facts: DataFacts | None,
    ) -> "ScoreMatrices":
        names = [tuple(str(name) for name in axis) for axis in (measures, systems, topics)]
        _check_shape(scores, names)
        if isinstance(undefined, str) and undefined != "skip":
            raise InputError(f'undefined={undefined!r} is not known; give a number or "skip".')
        gone = np.isnan(scores)
        replaced = undefined is not None and undefined != "skip"
        filled = np.where(gone, float(undefined or 0.0), scores) if replaced else scores
        missing = gone.sum(axis=2).astype(np.int64)
        return cls(names[0], names[1], names[2], filled, signs, undefined, missing, facts)

    @property
    def oriented(self) -> Floats:
        """Scores `[M, S, T]`, turned so that higher is better."""
        return np.asarray(self.scores * self.signs[:, None, None], dtype=np.float64)

    @property
    def means(self) -> Floats:
        """Mean scores `[M, S]` over topics, as the measure gives them."""
        everything = self.oriented_means(np.ones((1, len(self.topics))))[:, 0]
        return np.asarray(everything * self.signs[:, None], dtype=np.float64)

    def oriented_means(self, weights: ArrayLike) -> Floats:
        """Mean scores `[M, B, S]`, higher better, for topic weights `[B, T]`."""
        weight = np.asarray(weights, dtype=np.float64)
        gone = np.isnan(self.scores)
        if not gone.any():
            return np.asarray(_weighted_sums(self.oriented, weight) / weight.sum(axis=1)[:, None])
        sums = _weighted_sums(np.where(gone, 0.0, self.oriented), weight)
        lost = _weighted_sums(gone.astype(np.float64), weight)
        left = weight.sum(axis=1)[:, None] - lost
        usable = left > 0 if self.undefined == "skip" else lost == 0
        means: Floats = np.full(sums.shape, np.nan)
        np.divide(sums, left, out=means, where=usable)
        return means

    def select(
        self, *, measures: Sequence[str] | None = None, systems: Sequence[str] | None = None
    ) -> "ScoreMatrices":
        """These measures and systems alone, in the order asked for."""
        m = _places(self.measures, measures, "measure")
        s = _places(self.systems, systems, "system")
        return replace(
            self,
            measures=tuple(self.measures[i] for i in m),
            systems=tuple(self.systems[i] for i in s),
            scores=self.scores[np.ix_(m, s)],
            signs=self.signs[m],
            missing=self.missing[np.ix_(m, s)],
        )

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import scores_table

        return [scores_table(self)]

    def _figures(self) -> Any:
        from ordeval.report.meta_tables import topics_table

        return topics_table(self)


def _weighted_sums(scores: Floats, weight: Floats) -> Floats:
    """Sums `[M, B, S]` over topics of scores `[M, S, T]` with weights `[B, T]`.

    Not a matrix product of BLAS, whose rounding hangs on the shape and the threads, and whose
    threads stall on a busy machine.
    """
    return np.asarray(np.einsum("mst,bt->mbs", scores, weight), dtype=np.float64)


def random_topics(
    items: int, parts: int = 10, *, rng: int | np.random.Generator | None = 0
) -> tuple[str, ...]:
    """Split items at random into `parts` of equal size: a topic name for every item.

    For data without topics, as Amigó et al. (2020, §5.4) do with ten parts.
    """
    from ordeval.stats.resample import as_seed, stream

    if not 2 <= parts <= items:
        raise InputError(f"{parts} parts of {items} items were asked for; at least 2 are needed.")
    places = stream(as_seed(rng), "parts").permutation(items) % parts
    return tuple(f"part-{place + 1}" for place in places)


def facts_of_counts(counts: Counts) -> DataFacts:
    """What labelled data are like; counts have axes (system, topic)."""
    gold = counts.table[0].sum(axis=-1)
    used = (counts.table.sum(axis=(1, 2)) > 0).sum(axis=-1)
    constant = tuple(s for s, n in zip(counts.systems, used, strict=True) if n == 1)
    return DataFacts(
        "classification",
        counts.k,
        len(counts.topics),
        constant,
        int((gold == 0).any(axis=-1).sum()),
        int(((gold > 0).sum(axis=-1) == 1).sum()),
        counts.scale.values is None,
        counts.scale.inferred,
    )


def facts_of_distributions(
    q: Floats, p: Floats, systems: tuple[str, ...], *, equidistant: bool
) -> DataFacts:
    """What gold `[T, K]` and estimated `[S, T, K]` distributions are like."""
    same = (np.ptp(p, axis=1) <= 1e-12).all(axis=-1)
    return DataFacts(
        "quantification",
        q.shape[-1],
        len(q),
        tuple(s for s, constant in zip(systems, same, strict=True) if constant),
        int((q == 0).any(axis=-1).sum()),
        int(((q > 0).sum(axis=-1) == 1).sum()),
        equidistant,
    )


def _quantification_measures(
    given: str | Measure | Iterable[str | Measure] | None,
) -> tuple[Measure, ...]:
    return tuple(measures("quantification")) if given is None else read_measures(given)


def _check_task(chosen: Iterable[Measure], task: str) -> None:
    other = [str(m) for m in chosen if m.record.task != task]
    if other:
        raise InputError(f"{quoted(other)} cannot be used here: these data are for {task}.")


def _stack_estimates(
    estimates: Mapping[str, ArrayLike], shape: tuple[int, ...], topics: Any
) -> Floats:
    if not estimates:
        raise InputError("estimates is an empty mapping; give at least one system.")
    stack = []
    for name, rows in estimates.items():
        found = read_distributions(rows, name, row_names=topics).rows
        if found.shape != shape:
            raise InputError(
                f"The estimates of {name!r} have shape {found.shape} and gold {shape}; give one "
                "row per topic and one column per class, in the same order."
            )
        stack.append(found)
    return np.stack(stack)


def _check_shape(scores: Floats, names: Sequence[tuple[str, ...]]) -> None:
    wanted = tuple(len(axis) for axis in names)
    if scores.shape != wanted:
        raise InputError(
            f"scores of shape {scores.shape} were given, but {wanted} is expected: measures × "
            "systems × topics"
        )
    for kind, axis, least in zip(("measure", "system", "topic"), names, (1, 2, 2), strict=True):
        if len(axis) < least:
            raise InputError(
                f"There is {len(axis)} {kind}; judging measures needs at least {least}."
            )
        if len(set(axis)) != len(axis):
            twice = sorted({name for name in axis if axis.count(name) > 1})
            raise InputError(f"The {kind} name(s) {quoted(twice)} occur twice; names must differ.")


def _places(names: tuple[str, ...], wanted: Sequence[str] | None, kind: str) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    for name in wanted:
        if name not in names:
            raise InputError(f"There is no {kind} {name!r}.{did_you_mean(name, names)}")
    return [names.index(name) for name in wanted]
