"""A comparison as text: sizes, times, ratios and differences of values."""

from collections.abc import Mapping
from typing import Any

from .peers import PEERS

EQUAL = 1e-9
_WITHIN = {(peer.task, peer.package): peer.within for peer in PEERS}
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def unexplained(case: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Return whether values differ without a reason, or by more than the reason explains."""
    explained = _WITHIN.get((case["task"], row["package"]), 0.0)
    return not row["difference"] <= max(EQUAL, explained)


def ratio(case: Mapping[str, Any], row: Mapping[str, Any]) -> float:
    """Return how many times the processor time of ours the other package takes."""
    return float(row["cpu"] / case["cpu"])


def ratio_text(number: float) -> str:
    """Return a ratio with two digits."""
    digits = 2 if number < 0.995 else 1 if number < 9.95 else 0
    return f"{number:,.{digits}f}"


def time_text(seconds: float) -> str:
    """Return a time with three digits and a unit."""
    unit, name = next(((u, n) for u, n in UNITS if seconds >= u), UNITS[-1])
    return f"{float(f'{seconds / unit:.3g}'):g} {name}"


def size_text(size: Mapping[str, int]) -> str:
    """Return a size in words: 1,000 items."""
    return ", ".join(
        f"{number:,} {axis if number > 1 else axis[:-1]}" for axis, number in size.items()
    )


def agreement_text(row: Mapping[str, Any]) -> str:
    """Return how far values are from ours, and why."""
    if row["difference"] <= EQUAL:
        return "equal"
    return f"{row['difference']:.1g}: {row['differs'] or 'UNEXPLAINED'}"


def row_text(case: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return a comparison as a line."""
    what = f"{case['task']}, {size_text(case['size'])}"
    if "problem" in row:
        return f"{what:<44} {row['package']:<16} failed: {row['problem']}"
    times = f"{time_text(case['cpu']):>9} {time_text(row['cpu']):>9}"
    return (
        f"{what:<44} {row['package']:<16} {times} {ratio_text(ratio(case, row)):>8} ×  "
        f"{agreement_text(row)}"
    )
