"""The statement that counts items by gold label and prediction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .engine import literal
from .labels import SPACES
from .tally import MOST_GROUPS, Groups, clean

_FEW = 3  # systems whose labels have few combinations, as far as anybody can tell
Parts = tuple[tuple[Groups, ...], dict[tuple[int, int], Groups]]


@dataclass(frozen=True)
class CountQuery:
    """One statement for all systems, and all pairs of them if wanted.

    It reads rows with the columns gold, p0, p1, … and perhaps topic and weight, whose types are
    given. A single system is a plain GROUP BY. Several are grouping sets over one scan, whose
    hash tables hold a topic, gold and prediction each, so that memory does not grow with the
    number of different rows. `flagged` tells items without a missing value (a NULL, or a text
    among `missing_words`) from the others.
    """

    types: Mapping[str, str]
    systems: int
    pairs: tuple[tuple[int, int], ...] = ()
    flagged: bool = False
    missing_words: tuple[str, ...] = ()

    @property
    def _preds(self) -> list[str]:
        return [f"p{i}" for i in range(self.systems)]

    @property
    def _kinds(self) -> list[str]:
        """The different types of the predictions."""
        return list(dict.fromkeys(self.types[p] for p in self._preds))

    @property
    def _keys(self) -> list[str]:
        keys = ["topic", "gold"] if "topic" in self.types else ["gold"]
        return [*keys, "complete"] if self.flagged else keys

    @property
    def _weighted(self) -> bool:
        return "weight" in self.types

    @property
    def _folded(self) -> bool:
        """Whether equal rows are put together first, so that few texts are looked at."""
        return self.flagged and self.systems <= _FEW and not self._weighted

    @property
    def _one_group(self) -> bool:
        return self.systems == 1 and not self.pairs

    def sql(self, rows: str) -> str:
        """The whole statement, given the SQL of the rows."""
        if self._folded:
            rows = f"SELECT {', '.join(self.types)}, count(*) AS items FROM ({rows}) GROUP BY ALL"
        for projection in self.projections():
            rows = f"SELECT {projection} FROM ({rows})"
        chosen = self.selection("sum(items)::BIGINT" if self._folded else "")
        return f"SELECT {chosen} FROM ({rows}) GROUP BY {self.grouping()} LIMIT {MOST_GROUPS + 1}"

    def projections(self) -> list[str]:
        """What is done to the rows first: numbers out of weights, the flag."""
        steps = []
        if self._weighted:
            steps.append(f"* REPLACE ({self._number('weight')} AS weight)")
        if self.flagged:
            labelled = [name for name in self.types if name != "weight"]
            steps.append(f"*, ({' AND '.join(map(self._present, labelled))}) AS complete")
        return steps

    def selection(self, totals: str = "") -> str:
        """First and second system, keys, first and second predictions, totals."""
        keys, totals = ", ".join(self._keys), totals or self._totals()
        if self._one_group:
            return f"0, 0, {keys}, p0, p0, {totals}"
        preds, last_first = self._preds, self._preds[::-1]
        return (
            f"{_which(preds)}, {_which(last_first)}, {keys}, "
            f"{self._members(preds)}, {self._members(last_first)}, {totals}"
        )

    def grouping(self) -> str:
        """What follows GROUP BY."""
        keys = ", ".join(self._keys)
        if self._one_group:
            return f"{keys}, p0"
        members = [*self._preds, *(f"p{a}, p{b}" for a, b in self.pairs)]
        return f"GROUPING SETS ({', '.join(f'({keys}, {member})' for member in members)})"

    def _members(self, preds: list[str]) -> str:
        """The first of these predictions that a row was grouped by: a column for every type."""
        found = [[p for p in preds if self.types[p] == kind] for kind in self._kinds]
        return ", ".join(_first(group, lambda p: p) for group in found)

    def _totals(self) -> str:
        if not self._weighted:
            return "count(*)"
        return (
            "count(*), coalesce(sum(weight), 0), "
            "count(*) FILTER (weight IS NULL OR weight < 0 OR NOT isfinite(weight)), "
            "count(*) FILTER (weight <> floor(weight))"
        )

    def _number(self, name: str) -> str:
        """A column as numbers, NULL where it holds none.

        Trimmed first: a bare cast of text would be done by the csv reader, which does not forgive.
        """
        text = f"trim({name})" if self.types[name] == "VARCHAR" else name
        return f"TRY_CAST({text} AS DOUBLE)"

    def _present(self, name: str) -> str:
        kind = self.types[name]
        if kind in ("FLOAT", "DOUBLE"):
            return f"({name} IS NOT NULL AND NOT isnan({name}))"
        if kind == "VARCHAR" and name != "topic" and self.missing_words:
            words = ", ".join(map(literal, self.missing_words))
            return f"({name} IS NOT NULL AND trim({name}, {literal(SPACES)}) NOT IN ({words}))"
        return f"{name} IS NOT NULL"

    def absent(self, name: str) -> str:
        """The condition that a value is missing."""
        return f"NOT {self._present(name)}"

    def split(self, rows: list[tuple[Any, ...]]) -> Parts:
        """The rows by system and by pair."""
        parts: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
        for row in rows:
            parts.setdefault((row[0], row[1]), []).append(self._narrow(row))
        singles = [self._groups(parts.get((i, i), []), 1) for i in range(self.systems)]
        return tuple(singles), {p: self._groups(parts.get(p, []), 2) for p in self.pairs}

    def _narrow(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row with the two predictions it is about, of those of every type."""
        kinds, start = self._kinds, 2 + len(self._keys)
        if len(kinds) == 1:
            return row[2:]
        first, second = (kinds.index(self.types[f"p{i}"]) for i in row[:2])
        end = start + 2 * len(kinds)
        return (*row[2:start], row[start + first], row[start + len(kinds) + second], *row[end:])

    def _groups(self, rows: list[tuple[Any, ...]], predictions: int) -> Groups:
        names = [*self._keys, "first", "second", "items", "weight", "bad", "part"]
        names = names if self._weighted else names[:-3]
        column = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        groups = Groups(
            clean(column["gold"]),
            tuple(clean(column[n]) for n in ("first", "second")[:predictions]),
            column["items"],
            clean(column["topic"]) if "topic" in column else None,
            complete=column.get("complete"),
        )
        if not self._weighted:
            return groups
        return replace(
            groups,
            weight=column["weight"],
            bad_weight=column["bad"],
            part_weight=column["part"],
        )


def _which(preds: list[str]) -> str:
    """The position of the first of these predictions that a row was grouped by."""
    return _first(preds, lambda p: p[1:])


def _first(preds: list[str], value: Callable[[str], str]) -> str:
    """Something about the first of these predictions that a row was grouped by."""
    return f"CASE {' '.join(f'WHEN grouping({p}) = 0 THEN {value(p)}' for p in preds)} END"
