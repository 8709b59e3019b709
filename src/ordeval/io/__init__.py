"""Data in: counts and distributions from data frames and from files of any size."""

from .distributions import DistributionSet, class_distributions, read_distributions_file
from .files import open_files
from .frames import FrameItems, count_frame, joint_frame

__all__ = [
    "DistributionSet",
    "FrameItems",
    "class_distributions",
    "count_frame",
    "joint_frame",
    "open_files",
    "read_distributions_file",
]
