"""Ratings from files of any size."""

from .ratings import FileRatings, read_ratings

__all__ = ["FileRatings", "read_ratings"]
