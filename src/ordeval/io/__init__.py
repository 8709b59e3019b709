"""Data in: counts and distributions from data frames and from files of any size."""

from .distributions import DistributionSet, class_distributions, read_distributions_file
from .files import open_files
from .frames import FrameItems

__all__ = [
    "DistributionSet",
    "FrameItems",
    "class_distributions",
    "open_files",
    "read_distributions_file",
]
