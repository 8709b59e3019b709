"""Where a 95 % interval does not hold the true score in 95 % of data sets, with the figures.

The figures are those of benchmarks/coverage.md: shares of simulated data sets of 500 items, skewed
over five classes, whose default (BCa) interval holds the true score; once for a middling system,
once for a nearly perfect one. Measures whose intervals hold it in 93 to 97 % of both have no note.
"""

from ..spec import Measure

_NEAR_END = "close to the end of the range the few errors in a sample say little about the rest"
_RARE = (
    "classes with few items, whose recall a sample shows as perfect, weigh as much as large ones"
)


def _note(middling: float, nearly_perfect: float, why: str) -> str:
    return (
        f"95 % intervals hold the true score in {middling:.1f} % of samples of a middling system "
        f"and {nearly_perfect:.1f} % of a nearly perfect one (500 items, 5 classes): {why}."
    )


NOTES: dict[str, str] = {
    "accuracy_within(n=1)": _note(
        95.3, 7.0, "a sample without any larger error gives an interval without width"
    ),
    "macro_recall": _note(95.4, 92.3, _RARE),
    "hmpr": _note(95.3, 92.6, _RARE),
    "f1_extremes": _note(96.0, 72.9, "the extreme classes are small and often without an error"),
    "f1_binary(positive=-1)": _note(95.9, 53.9, "one small class is often without an error"),
    "gmean": _note(95.8, 92.5, _RARE),
    "mutual_information": (
        _note(94.0, 93.0, "chance associations make it too large in every sample")
        + " Percentile intervals do not correct that and hold it in 87.2 %."
    ),
    "macro_mae": _note(95.2, 92.2, _RARE),
    "macro_mse": _note(93.5, 91.8, _RARE),
    "max_mae": _note(88.1, 80.3, "the largest error of several classes is too large by chance"),
    "oc(beta=0.25)": _note(94.9, 92.5, _NEAR_END),
    "oc(beta=0.75)": _note(95.0, 92.5, _NEAR_END),
    "uoc(beta=0.25)": _note(95.3, 89.6, _RARE),
    "uoc(beta=0.75)": _note(95.7, 91.7, _RARE),
    "auoc": _note(95.5, 90.9, _RARE),
}


def coverage_note(measure: Measure) -> str:
    """What to know about the intervals of a measure; empty where there is nothing.

    A variant that was not simulated gets the note of one that was, by its name.
    """
    if str(measure) in NOTES:
        return NOTES[str(measure)]
    akin = next((s for s in NOTES if s.partition("(")[0] == measure.id), "")
    return f"{akin}: {NOTES[akin]}" if akin else ""
