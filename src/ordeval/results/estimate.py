"""A number with its interval: what every score, difference and coefficient is."""

from dataclasses import dataclass, fields
from math import isnan, nan
from typing import Any

_NOTHING: tuple[Any, ...] = (None, "", ())


def _brief(value: Any) -> str:
    """Return a value as text: measures by their short name, numbers with four digits."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_brief, value))})"
    return f"{value:.4g}" if isinstance(value, float) else str(getattr(value, "key", repr(value)))


class Row:
    """A row of figures; rows are equal if all fields are, and NaN equals NaN."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._figures() == other._figures()

    def __hash__(self) -> int:
        return hash(self._figures())

    def __repr__(self) -> str:
        """Return what the row says: fields that are empty or undefined are left out."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        known = {name: x for name, x in values.items() if x not in _NOTHING and x == x}
        ends = [_brief(known.pop(end)) for end in ("low", "high") if end in known]
        start = [_brief(known.pop("value"))] if "value" in known else []
        start += [f"[{', '.join(ends)}]"] if ends else []
        parts = [f"{name}={_brief(x)}" for name, x in known.items()]
        return f"{type(self).__name__}({', '.join([' '.join(start), *parts][not start :])})"

    def _figures(self) -> tuple[Any, ...]:
        # Whether NaN equals itself inside tuples depends on its identity.
        values = (getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]
        return tuple(None if isinstance(x, float) and isnan(x) else x for x in values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate(Row):
    """A number with its interval.

    Parameters
    ----------
    value : float
        The number; NaN where it is undefined.
    low, high, se : float
        The interval and the standard error; NaN where there are none.
    doubt : str
        Why the number is undefined, or why the interval may cover less than its level; usually
        empty.

    Examples
    --------
    >>> Estimate(0.5, 0.25, 0.75).low
    0.25
    """

    value: float
    low: float = nan
    high: float = nan
    se: float = nan
    doubt: str = ""

    def __float__(self) -> float:
        return float(self.value)

    @property
    def parts(self) -> tuple[float, float, float, float, str]:
        """Value, interval, standard error and doubt, from which another row can be made."""
        return self.value, self.low, self.high, self.se, self.doubt
