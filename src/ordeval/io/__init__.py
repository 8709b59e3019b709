"""Data in: counts, distributions and ratings from data frames and from files of any size."""

from .distributions import DistributionSet, class_distributions, read_distributions_file
from .ratings import FileRatings, read_ratings

__all__ = [
    "DistributionSet",
    "FileRatings",
    "class_distributions",
    "read_distributions_file",
    "read_ratings",
]
