"""Figures for papers and talks, made with matplotlib.

Every function draws on `ax` if one is given, else on a new figure of publication size, and
returns the axes: `oe.plot.intervals(result).figure.savefig("intervals.pdf")`. pyplot is not used,
so no global state changes. Names from data are drawn as they are, never as mathematics;
characters that the font lacks are shown as □ (choose another font with
`matplotlib.rcParams["font.family"]`).
"""

from .lines import consistency, discriminative_power, intervals, shares, topics, uoc_curve
from .matrices import axioms, confusion, ranking_similarity, significance

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
