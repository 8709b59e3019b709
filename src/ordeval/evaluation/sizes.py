"""How large intervals and tests would be, so that too large ones are refused before the work."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from ..errors import plural
from ..limits import check_memory, check_operations, within_limit
from ..measures.scoring import cells_visited
from ..stats.max_t import table_trials
from .sample import Sample

MEANS_TRIALS = 5_000

_COPIES_OF_SCORES = 4  # those of all replicates of one system
_FEWER = "evaluate fewer systems"
_FEWEST = 100  # replicates or trials; fewer are not worth suggesting
_ARRAYS_OF_PAIRS = 8  # of all systems by all systems that are held at a time


def check_comparison(sample: Sample) -> None:
    """Refuse a comparison that would take hours, or more memory than there is."""
    systems, settings = len(sample.scores.systems), sample.settings
    check_intervals(sample)
    if systems < 2:
        return
    _check_pairs(sample)
    for _, part in sample.parts:
        _check_tests(part)
    if settings.differences and settings.bootstrap and sample.over in ("items", "both"):
        number = pairs_of(sample)
        _check_draws(
            "Intervals of differences",
            sample,
            2.0 * settings.bootstrap * number,
            plural(number, "pair"),
        )


def check_intervals(sample: Sample) -> None:
    """Refuse scores and intervals that would take hours."""
    systems = len(sample.scores.systems)
    _check_scores(sample)
    if sample.counts is not None and not by_topic_scores(sample):
        drawn = float(sample.settings.bootstrap) * systems
        _check_draws("Intervals", sample, drawn, plural(systems, "system"))


def _check_scores(sample: Sample) -> None:
    """Refuse scores that would take hours."""
    scores = sample.scores
    systems, topics, measures = map(len, (scores.systems, scores.topics, scores.measures))
    factors = [(systems, "system"), (measures, "measure"), (topics, "topic")]
    check_operations(
        "The scores",
        float(systems) * max(1, topics) * _cells_visited(sample, range(measures)),
        " × ".join(plural(*f) for f in factors[: 2 + (topics > 1)]) + _classes(sample),
        parameter="measures",
        hint=_ways({"name fewer measures with {measures}": measures > 1, _FEWER: systems > 1}),
        suggest={"measures": str(scores.measures[0])},
    )


def by_topic_scores(sample: Sample) -> bool:
    """Whether tests and intervals add the scores of topics, or of whole clusters of topics."""
    if not sample.averaged or sample.exchanged == "items":
        return False
    return sample.exchanged == "topics" or sample.topic_clusters is not None


def pairs_of(sample: Sample) -> int:
    """Return the number of pairs of systems that are compared."""
    systems = len(sample.scores.systems)
    return systems - 1 if sample.settings.against else systems * (systems - 1) // 2


def trials_of(sample: Sample) -> int:
    """Return the number of trials: enough for the smallest p-value to be below alpha."""
    settings, pairs = sample.settings, pairs_of(sample)
    if settings.trials:
        return settings.trials
    usual = MEANS_TRIALS if by_topic_scores(sample) else table_trials(pairs)
    factor = pairs if settings.test == "holm" else 1
    return max(usual, ceil(2 * factor / settings.alpha))


def tested_rows(sample: Sample) -> list[int]:
    """Return the measures whose tests are not too costly, at least the primary one."""
    return sample.affordable(2 * pairs_of(sample) * trials_of(sample)) or [sample.first]


def _check_tests(sample: Sample) -> None:
    """Refuse tests that would take hours."""
    pairs, trials, scores = pairs_of(sample), trials_of(sample), sample.scores
    topics = max(1, len(scores.topics)) if sample.averaged else 1
    rows: Sequence[int] = range(len(scores.measures))
    if by_topic_scores(sample):
        # Signed sums are products of matrices, about ten times faster than other operations.
        operations = float(trials) * len(rows) * (pairs + topics * len(scores.systems) / 10)
    else:
        rows = rows if sample.of_numbers else tested_rows(sample)
        operations = 2.0 * pairs * trials * topics * _cells_visited(sample, rows)
    factors = [(pairs, "pair"), (len(rows), "measure"), (trials, "trial"), (topics, "topic")]
    fewer = within_limit(trials, operations)
    ways = {
        "name fewer measures with {measures}": len(rows) > 1,
        "compare all systems with one by {against}": not sample.settings.against,
        "make fewer trials with {trials}": fewer >= _FEWEST,
    }
    check_operations(
        "The tests",
        operations,
        " × ".join(plural(*f) for f in factors[: 3 + (topics > 1)]) + _classes(sample),
        parameter="trials",
        hint=_ways(ways),
        suggest={"measures": str(scores.measures[0]), "against": ..., "trials": fewer},
    )


def _check_pairs(sample: Sample) -> None:
    """Refuse figures of all pairs of systems that would take more memory than there is."""
    systems, measures = len(sample.scores.systems), len(sample.scores.measures)
    check_memory(
        "Figures of all pairs",
        8.0 * _ARRAYS_OF_PAIRS * measures * systems**2,
        f"{plural(systems, 'system')} × {plural(systems, 'system')} × "
        f"{plural(measures, 'measure')} × {_ARRAYS_OF_PAIRS} figures",
        parameter="measures",
        hint="Name fewer measures with {measures}, or compare fewer systems.",
        suggest={"measures": str(sample.scores.measures[0])},
    )


def _check_draws(what: str, sample: Sample, tables: float, of: str) -> None:
    """Refuse intervals whose tables would take hours to score.

    Parameters
    ----------
    what : str
        The intervals.
    sample : Sample
        The data.
    tables : float
        The number of drawn tables.
    of : str
        What the tables are drawn for, such as "200 systems".
    """
    rows, replicates = sample.affordable(int(tables)), sample.settings.bootstrap
    measures = max(1, len(rows))
    size = f"{of} × {plural(measures, 'measure')} × {plural(replicates, 'replicate')}"
    size += _classes(sample)
    operations = tables * _cells_visited(sample, rows or [sample.first])
    fewer = min(1000, within_limit(replicates, operations))
    ways = {
        "name fewer measures with {measures}": measures > 1,
        "make fewer replicates with {bootstrap}": fewer >= _FEWEST,
        "ask for no intervals with {bootstrap}": fewer < _FEWEST,
    }
    begun = fewer if fewer >= _FEWEST else 0
    advice: Any = {
        "parameter": "bootstrap",
        "hint": _ways(ways),
        "suggest": {"measures": str(sample.scores.measures[0]), "bootstrap": begun},
    }
    check_operations(what, operations, size, **advice)
    check_memory(what, 8.0 * _COPIES_OF_SCORES * measures * replicates, size, **advice)


def _ways(ways: Mapping[str, bool]) -> str:
    """Return a sentence of the ways to ask for less that are open."""
    first, *others = [way for way, is_open in ways.items() if is_open] or [_FEWER]
    return ", or ".join([first[0].upper() + first[1:], *others]) + "."


def _classes(sample: Sample) -> str:
    return f", K = {sample.scores.scale.k:,}"


def _cells_visited(sample: Sample, rows: Sequence[int]) -> float:
    """Return how many cells of one table some measures visit together."""
    k, measures = sample.scores.scale.k, sample.scores.measures
    return sum(cells_visited(measures[row], k, sample.listed) for row in rows)
