"""Data in: counts and distributions from data frames and from files of any size."""

from .distributions import DistributionSet, class_distributions, read_distributions_file
from .files import FileCounts, FileSpec, count_files
from .frames import count_frame, joint_frame

__all__ = [
    "DistributionSet",
    "FileCounts",
    "FileSpec",
    "class_distributions",
    "count_files",
    "count_frame",
    "joint_frame",
    "read_distributions_file",
]
