"""Distributions from files."""

from .distributions import DistributionSet, class_distributions, read_distributions_file

__all__ = [
    "DistributionSet",
    "class_distributions",
    "read_distributions_file",
]
