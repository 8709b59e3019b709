"""The whole meta-evaluation of measures in one call: discrimination, grades, summary, advice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import lgamma, log
from typing import Any, Unpack

import numpy as np

from ordeval._version import __version__
from ordeval.advice import Recommendation, recommend
from ordeval.display import Displayable
from ordeval.errors import first_few, plural
from ordeval.limits import check_memory
from ordeval.measures.registry import Task
from ordeval.measures.spec import display_name, parse_measure
from ordeval.options import MetaOptions, SplitOptions, TrialOptions, options_of, takes
from ordeval.results import Finding
from ordeval.stats.anova import randomised_tukey
from ordeval.stats.resample import Plan, as_seed
from ordeval.types import Bools, Floats, Ints

from .ranking_consistency import Consistency
from .ranking_consistency import consistency as compute_consistency
from .rankings import Coverage, Robustness, Similarity, coverage, robustness, similarity
from .score_matrices import ScoreMatrices, ScoreSource


@dataclass(frozen=True, repr=False)
class DiscriminativePower(Displayable):
    """Significance of the differences between all pairs of systems under each measure.

    Parameters
    ----------
    measures, systems : tuple of str
        The measures and the systems.
    pairs : tuple of tuple of str
        The pairs of systems.
    p : ndarray of shape (n_measures, n_pairs)
        The p-values of a randomised paired Tukey HSD test over topics; NaN for a measure without
        scores.
    topics : ndarray of shape (n_measures,)
        The number of topics used.
    alpha : float
        The level of significance.
    trials : int
        The number of random trials of the test.
    seed : int
        The seed of the test.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8, 0.9, 0.7, 0.9, 0.8], [0.5, 0.4, 0.5, 0.6, 0.4, 0.5]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b"],
    ...     topics=["1", "2", "3", "4", "5", "6"],
    ...     better=["higher"],
    ... )
    >>> found = oe.meta.discriminative_power(scores, trials=200)
    >>> found.pairs, found.share
    ((('a', 'b'),), array([1.]))
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    p: Floats
    topics: Ints
    alpha: float
    trials: int
    seed: int

    def reordered(self, systems: Sequence[str]) -> "DiscriminativePower":
        """Return the same p-values with the systems in another order.

        Parameters
        ----------
        systems : sequence of str
            All systems.

        Returns
        -------
        DiscriminativePower
            The same figures.
        """
        place = {frozenset(pair): i for i, pair in enumerate(self.pairs)}
        pairs = tuple(combinations(systems, 2))
        p = self.p[:, [place[frozenset(pair)] for pair in pairs]]
        return replace(self, systems=tuple(systems), pairs=pairs, p=p)

    @property
    def significant(self) -> Ints:
        """The number of pairs `[M]` with a p-value below `alpha`."""
        return np.asarray((self.p < self.alpha).sum(axis=1))

    @property
    def curves(self) -> Floats:
        """Sorted p-values `[M, P]`: the curve of p against the rank of the pair."""
        return np.sort(self.p, axis=1)

    @property
    def share(self) -> Floats:
        """Share `[M]` of the pairs that differ significantly; NaN for a measure without scores."""
        shares = self.significant / len(self.pairs)
        return np.where(np.isnan(self.p).any(axis=1), np.nan, shares)

    @property
    def area(self) -> Floats:
        """Mean p-value `[M]`, the area under the curve: the smaller, the more discriminative."""
        return np.asarray(self.p.mean(axis=1))

    @property
    def order(self) -> tuple[int, ...]:
        """Indices of the measures: most significant pairs first, then the smaller area."""
        keys = np.lexsort((self.area, -np.nan_to_num(self.share, nan=-1.0)))
        return tuple(int(i) for i in keys)


@takes(TrialOptions)
def discriminative_power(data: ScoreSource, **options: Unpack[TrialOptions]) -> DiscriminativePower:
    """Test all pairs of systems under each measure (Sakai 2021, section 5.3).

    If undefined scores are skipped, topics on which any system has none are left out, for each
    measure separately. If they are kept, such a measure has no p-values.

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.
    {options}

    Returns
    -------
    DiscriminativePower
        The p-values, and how many pairs differ significantly under each measure.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8, 0.9, 0.7, 0.9, 0.8], [0.5, 0.4, 0.5, 0.6, 0.4, 0.5]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b"],
    ...     topics=["1", "2", "3", "4", "5", "6"],
    ...     better=["higher"],
    ... )
    >>> oe.meta.discriminative_power(scores, trials=200).significant
    array([1])
    """
    matrices, seed = ScoreMatrices.read(data), as_seed(options["rng"])
    trials = options["trials"]
    plan = Plan(trials, rng=seed, progress=options["progress"])
    upper = np.triu_indices(len(matrices.systems), 1)
    p = np.full((len(matrices.measures), len(upper[0])), np.nan)
    topics = np.zeros(len(matrices.measures), dtype=np.int64)
    usable = np.flatnonzero(_enough_topics(matrices))
    if len(usable):
        scores = np.swapaxes(matrices.scores[usable], 1, 2)
        test = randomised_tukey(scores, plan, systems=matrices.systems, undefined="drop-topic")
        p[usable] = test.p[:, upper[0], upper[1]]
        topics[usable] = test.topics
    pairs = tuple((matrices.systems[i], matrices.systems[j]) for i, j in zip(*upper, strict=True))
    return DiscriminativePower(
        matrices.measures, matrices.systems, pairs, p, topics, options["alpha"], trials, seed
    )


def _enough_topics(matrices: ScoreMatrices) -> Bools:
    """Return which measures `[M]` can be tested: on all topics, or at least two if skipping."""
    defined = ~np.isnan(matrices.scores).any(axis=1)
    needed = 2 if matrices.undefined == "skip" else len(matrices.topics)
    return np.asarray(defined.sum(axis=1) >= needed)


def _advise(
    scores: ScoreMatrices, consistencies: Sequence[Consistency], power: DiscriminativePower
) -> Recommendation | None:
    """Return the recommendation of `ordeval.advise`, and how that measure does on these scores."""
    if scores.facts is None:
        return None
    advice = recommend({"purpose": "compare"}, scores.facts)
    evidence = tuple(_evidence(advice.primary, scores, consistencies, power))
    return replace(advice, evidence=evidence, remarks=(*advice.remarks, *_undefined_scores(scores)))


def _evidence(
    name: str,
    scores: ScoreMatrices,
    consistencies: Sequence[Consistency],
    power: DiscriminativePower,
) -> Iterator[str]:
    """Yield the figures of a measure."""
    if name not in scores.measures:
        yield f"{display_name(name)} is not among the measures judged here."
        return
    place, pairs = scores.measures.index(name), plural(len(power.pairs), "pair")
    yield (
        f"Discriminative power: {power.significant[place]} of {pairs} of systems differ "
        f"significantly; the most under any measure here are {max(power.significant)}."
    )
    for one in consistencies:
        if not np.isnan(one.mean[place]):
            yield _mean_tau(one, place)


def _mean_tau(c: Consistency, place: int) -> str:
    """Return the mean τ of a measure, and the measures that are significantly more consistent."""
    mean = c.mean[place]
    start = f"Consistency: mean τ {mean:.3f} with {c.sizes[0]} against {c.sizes[1]} topics"
    if not c.tested:
        return f"{start}; measures were not compared by a test."
    won = [
        f"{display_name(c.measures[i])} ({c.mean[i]:.3f})"
        for i in c.order
        if c.p[i, place] < c.alpha and c.mean[i] > mean
    ]
    more = first_few(won, 3) if won else "no measure judged here"
    return f"{start}; significantly more consistent: {more}."


def _undefined_scores(scores: ScoreMatrices) -> Iterator[str]:
    missing = zip(scores.measures, scores.missing.sum(axis=1), strict=True)
    counts = [f"{name} ({count:,})" for name, count in missing if count]
    treatments: dict[Any, str] = {
        None: "means over them are undefined (leave them out with undefined=skip)",
        "skip": "means are over the other topics",
    }
    treatment = treatments.get(scores.undefined, f"each counts as {scores.undefined}")
    if counts:
        yield (
            f"Undefined scores, of {scores.scores[0].size:,} each: {', '.join(counts)}; "
            f"{treatment}."
        )


UNDEFINED, UNTESTED, NONE = "undefined", "not tested", "none"
# Differences, p-values and ranks of each pair of systems, in both orders, under a measure.
_BYTES_PER_PAIR = 32.0
_PROPERTIES: Mapping[Task, Mapping[str, str]] = {  # the axioms behind those of a summary
    "classification": {
        "order": "order_awareness",
        "constant": "constant_systems",
        "class_sizes": "class_size_awareness",
        "symmetric": "symmetry",
    },
    "quantification": {"order": "single_class_order", "symmetric": "symmetry"},
}


@dataclass(frozen=True)
class SummaryRow:
    """What is known about one measure.

    Properties are those that the axiom search found, None if the measure was not searched or the
    property does not apply; for quantification, `order` is about gold in one class. `group` is the
    letter of its group of similar rankings; for the grades see `grade_consistency` and
    `grade_discrimination`.
    """

    measure: str
    group: str
    consistency: str
    discrimination: str
    order: bool | None = None
    constant: bool | None = None
    class_sizes: bool | None = None
    symmetric: bool | None = None


class Summary(Displayable, tuple[SummaryRow, ...]):
    """One row per measure, as in Sakai (2021), Tables 4 and 7."""


def summarise(
    similarity: Similarity,
    consistencies: Sequence[Consistency],
    discrimination: DiscriminativePower,
    task: Task | None,
) -> Summary:
    """Return what was found about each measure."""
    grades = grade_consistency(consistencies), grade_discrimination(discrimination)
    return Summary(
        SummaryRow(name, similarity.group_of(name), stable, strong, **_properties(name, task))
        for name, stable, strong in zip(similarity.measures, *grades, strict=True)
    )


def _properties(name: str, task: Task | None) -> dict[str, bool | None]:
    """Return whether a measure has the properties of a task."""
    axioms = {} if task is None else _PROPERTIES[task]
    return {field: parse_measure(name).satisfies(axiom) for field, axiom in axioms.items()}


def grade_consistency(results: Sequence[Consistency]) -> tuple[str, ...]:
    """Grade the consistency of measures as good, fair or poor.

    The grade depends on how many of the other measures a measure beats significantly, minus the
    number that beat it, as a share of those with a defined mean τ, averaged over the sizes of
    splits: good from +1/2, poor from -1/2. On the classification data of Sakai (2021) for 2016
    the procedure "split" gives column V of Table 4.
    """
    unknown = np.any([np.isnan(r.mean) for r in results], axis=0)
    tested = [r for r in results if r.tested]
    if not tested:
        return tuple(UNDEFINED if lost else UNTESTED for lost in unknown)
    net = np.mean([_net_wins(r) for r in tested], axis=0)
    return _graded(np.where(unknown, np.nan, net), -0.5, 0.5)


def _net_wins(result: Consistency) -> Floats:
    """Return wins minus losses `[M]` as a share of the other measures that could be compared."""
    others = max(int((~np.isnan(result.mean)).sum()) - 1, 1)
    return np.asarray((result.beats - result.beaten) / others)


def grade_discrimination(result: DiscriminativePower) -> tuple[str, ...]:
    """Grade the discriminative power of measures as good, fair or poor.

    The share of significant pairs is placed between the smallest and the largest share of any
    measure: good in the top tenth of that range, poor in the lower half. If the range is narrower
    than 0.05, all measures are fair. On the classification data of Sakai (2021) for 2016 this
    gives column VI of Table 4, except for macro MAE, which he grades as poor on two data sets
    together.
    """
    share = result.share
    if not result.significant.any():
        grades = np.where(_can_be_significant(result), NONE, UNTESTED)
        return tuple(map(str, np.where(np.isnan(share), UNDEFINED, grades)))
    low, high = float(np.nanmin(share)), float(np.nanmax(share))
    if high - low < 0.05:
        return _graded(np.where(np.isnan(share), np.nan, 0.5), 0.0, 1.0)
    return _graded((share - low) / (high - low), 0.5, 0.9)


def _can_be_significant(result: DiscriminativePower) -> Bools:
    """Return `[M]` whether a p-value of the randomised test can be below the level at all.

    Exchanging the systems in the same way on all topics changes no difference, so that there are
    S!^(T-1) outcomes of equal probability.
    """
    outcomes = (result.topics - 1) * lgamma(len(result.systems) + 1)
    return np.asarray(outcomes > -log(result.alpha))


def _graded(numbers: Floats, poor: float, good: float) -> tuple[str, ...]:
    grades = np.where(numbers >= good, "good", np.where(numbers <= poor, "poor", "fair"))
    return tuple(
        UNDEFINED if np.isnan(x) else str(grade) for x, grade in zip(numbers, grades, strict=True)
    )


@dataclass(frozen=True, eq=False, repr=False)
class MetaEvaluation(Finding):
    """All findings about measures from one set of systems and topics.

    Parameters
    ----------
    matrices : ScoreMatrices
        The scores.
    similarity : Similarity
        How similarly measures rank the systems.
    consistency : Consistency
        How similarly each measure ranks them on two halves of the topics.
    small_consistency : Consistency, optional
        The same for two small sets of topics; None if there are too few topics.
    discrimination : DiscriminativePower
        How many pairs of systems each measure separates.
    robustness : Robustness
        How similarly each measure ranks the systems on two topics.
    coverage : Coverage, optional
        How well each measure follows the reference measures; None without these.
    summary : Summary
        One row per measure.
    advice : Recommendation, optional
        Recommended measures; None if the scores were not made from data.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8, 0.9, 0.7], [0.5, 0.6, 0.4, 0.6]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b"],
    ...     topics=["t", "u", "v", "w"],
    ...     better=["higher"],
    ... )
    >>> found = oe.meta.meta_evaluate(scores, size=1, splits=10, mean_splits=10, trials=10)
    >>> found.signature().partition("|splits")[0]
    'measures:1|systems:2|topics:4|nan:0|tau:a|sets:2v2,1v1|procedure:bootstrap'
    """

    matrices: ScoreMatrices
    similarity: Similarity
    consistency: Consistency
    small_consistency: Consistency | None
    discrimination: DiscriminativePower
    robustness: Robustness
    coverage: Coverage | None
    summary: Summary
    advice: Recommendation | None

    @property
    def consistencies(self) -> tuple[Consistency, ...]:
        """Consistency for halves of the topics, and for small sets if there are enough topics."""
        small = self.small_consistency
        return (self.consistency,) if small is None else (self.consistency, small)

    def signature(self) -> str:
        """Return all settings in one line, from which the figures can be reproduced.

        Returns
        -------
        str
            Sizes, settings, seed and version.
        """
        c, treated = self.consistency, self.matrices.undefined
        reference = () if self.coverage is None else self.coverage.reference
        parts = [
            f"measures:{len(self.matrices.measures)}",
            f"systems:{len(self.matrices.systems)}",
            f"topics:{len(self.matrices.topics)}",
            f"nan:{int(self.matrices.missing.sum())}",
            *([] if treated is None else [f"undefined:{treated}"]),
            f"tau:{c.variant}",
            "sets:" + ",".join(f"{one.sizes[0]}v{one.sizes[1]}" for one in self.consistencies),
            f"procedure:{c.procedure}",
            f"splits:{c.splits},{c.mean_splits}",
            *([f"resamples:{c.resamples}"] if c.resamples else []),
            f"trials:{c.trials}",
            f"alpha:{c.alpha:g}",
            f"seed:{c.seed}",
            *([f"reference:{'+'.join(reference)}"] if reference else []),
            f"ordeval:{__version__}",
        ]
        return "|".join(parts)


@takes(MetaOptions)
def meta_evaluate(
    data: ScoreSource, reference: ScoreSource | None = None, **options: Unpack[MetaOptions]
) -> MetaEvaluation:
    """Judge measures by the scores of several systems on several topics.

    Computes similarity, consistency, discriminative power, robustness and coverage, a summary, and
    advice on which measure to use.

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.
    reference : ScoreMatrices, Counts, Scores or Result, optional
        Scores of the same systems on the same topics under reference measures, for the coverage.
    {options}

    Returns
    -------
    MetaEvaluation
        All findings.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [1, 2, 3, 1, 2, 3]
    >>> systems = {"a": [1, 2, 3, 1, 2, 2], "b": [1, 2, 2, 1, 1, 3], "c": [3, 2, 1, 2, 1, 3]}
    >>> counts = oe.Counts.from_labels(gold, systems, labels=[1, 2, 3], topic=list("tttuuu"))
    >>> scores = oe.meta.ScoreMatrices.from_counts(counts, "kappa, mae")
    >>> found = oe.meta.meta_evaluate(scores, splits=10, mean_splits=10, trials=10)
    >>> found.advice.primary
    'lwk'
    """
    given = ScoreMatrices.read(data)
    matrices = given.sorted_systems()
    _check_size(matrices.scores.shape)
    options["rng"], size = as_seed(options["rng"]), options["size"]
    split = partial(compute_consistency, matrices, **options_of(options, SplitOptions))
    rankings, halves = similarity(matrices, variant=options["variant"]), split()
    small = split(size=size) if 2 * size <= len(matrices.topics) else None
    power = discriminative_power(matrices, **options_of(options, TrialOptions))
    task: Task | None = None
    if matrices.facts is not None:
        task = "quantification" if matrices.facts.task == "distributions" else "classification"
    both = [halves, small] if small else [halves]
    followed = None
    if reference is not None:
        references = ScoreMatrices.read(reference).sorted_systems()
        followed = coverage(matrices, references).reordered(given.systems)
    return MetaEvaluation(
        given,
        rankings,
        halves,
        small,
        power.reordered(given.systems),
        robustness(matrices),
        followed,
        summarise(rankings, both, power, task),
        _advise(matrices, both, power),
    )


def _check_size(shape: tuple[int, ...]) -> None:
    """Refuse a meta-evaluation whose pairs of systems do not fit into memory."""
    measures, systems, topics = shape
    check_memory(
        "The meta-evaluation",
        _BYTES_PER_PAIR * measures * systems**2,
        f"{plural(measures, 'measure')} × {plural(systems, 'system')} × {plural(topics, 'topic')}",
        parameter="measures",
        hint="Judge fewer measures or systems at a time.",
    )
