"""Data in: counts from data frames and from files of any size."""

from .frames import count_frame, joint_frame

__all__ = ["count_frame", "joint_frame"]
