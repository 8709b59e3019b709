"""Figures of results, counts and findings about measures, drawn with matplotlib.

Each function draws on `ax` if it is given, otherwise on a new figure, and returns the axes. pyplot
is not used, and no global state changes. Names from data are drawn as they are, never as
mathematics; characters that the font lacks are shown as □ (set another font with
``matplotlib.rcParams["font.family"]``).

Examples
--------
>>> import ordeval as oe
>>> ax = oe.plot.confusion([[3, 1], [0, 2]])
>>> ax.figure.savefig("confusion.pdf")  # doctest: +SKIP
"""

from .heatmaps import axioms, confusion, ranking_similarity, significance
from .lines import consistency, discriminative_power, intervals, shares, topics, uoc_curve

__all__ = [
    "axioms",
    "confusion",
    "consistency",
    "discriminative_power",
    "intervals",
    "ranking_similarity",
    "shares",
    "significance",
    "topics",
    "uoc_curve",
]
