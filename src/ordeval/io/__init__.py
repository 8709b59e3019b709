"""Data in: counts and distributions from data frames and from files of any size."""

from .files import FileCounts, FileSpec, count_files
from .frames import count_frame, joint_frame

__all__ = ["FileCounts", "FileSpec", "count_files", "count_frame", "joint_frame"]
