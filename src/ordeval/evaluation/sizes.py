"""Intervals and tests that would not fit into memory are refused before the work."""

from ..errors import plural
from ..limits import check_memory
from .sample import Sample

_COPIES_OF_SCORES = 4  # those of all replicates of one system
_ARRAYS_OF_PAIRS = 8  # of all systems by all systems that are held at a time


def check_intervals(sample: Sample) -> None:
    """Refuse intervals whose replicates would take more memory than there is."""
    measures, replicates = len(sample.scores.measures), sample.settings.bootstrap
    check_memory(
        "Intervals",
        8.0 * _COPIES_OF_SCORES * measures * replicates,
        f"{plural(measures, 'measure')} × {plural(replicates, 'replicate')}",
        parameter="bootstrap",
        hint="Name fewer measures with {measures}, or make fewer replicates with {bootstrap}.",
        suggest={"measures": str(sample.scores.measures[0]), "bootstrap": 2000},
    )


def check_comparison(sample: Sample) -> None:
    """Refuse a comparison that would take more memory than there is."""
    check_intervals(sample)
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
