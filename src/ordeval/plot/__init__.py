"""Figures of results, counts and findings about measures, drawn with matplotlib.

Each function draws on `ax` if it is given, otherwise on a new figure of pyplot, and returns the
axes. A notebook shows that figure, in a script ``plt.show()`` does, and ``plt.savefig`` writes it;
settings of matplotlib are not changed. Names from data are drawn as they are, never as mathematics;
characters that the font lacks are shown as □ (set another font with
``matplotlib.rcParams["font.family"]``).

Examples
--------
>>> import ordeval as oe
>>> ax = oe.plot.confusion([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3])
>>> ax.figure.savefig("confusion.pdf")  # doctest: +SKIP
"""

from .functions import (
    agreement,
    axioms,
    ceiling,
    confusion,
    consistency,
    discriminative_power,
    intervals,
    ranking_similarity,
    rater_matrix,
    rater_shares,
    severity,
    shares,
    significance,
    topics,
    uoc_curve,
)

__all__ = [
    "agreement",
    "axioms",
    "ceiling",
    "confusion",
    "consistency",
    "discriminative_power",
    "intervals",
    "ranking_similarity",
    "rater_matrix",
    "rater_shares",
    "severity",
    "shares",
    "significance",
    "topics",
    "uoc_curve",
]
