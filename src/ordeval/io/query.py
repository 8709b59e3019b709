"""The statement that counts items by gold label and prediction."""

from dataclasses import dataclass, replace
from typing import Any

from .engine import literal
from .tally import MOST_GROUPS, Groups, clean


@dataclass(frozen=True)
class Items:
    """SQL for a row per item with columns gold, p0, p1, … (topic, weight), and their types."""

    sql: str
    types: dict[str, str]
    systems: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class CountQuery:
    """The one statement that counts all systems, and all pairs if wanted.

    A single system is a plain GROUP BY. Several are grouping sets over one scan, whose hash
    tables hold a topic, gold and prediction each, so that memory does not grow with the number of
    different rows.
    """

    items: Items
    flagged: bool
    missing_words: tuple[str, ...]
    pairs: list[tuple[int, int]]

    @property
    def _preds(self) -> list[str]:
        return [f"p{i}" for i in range(len(self.items.systems))]

    @property
    def _keys(self) -> list[str]:
        keys = ["topic", "gold"] if "topic" in self.items.types else ["gold"]
        return [*keys, "complete"] if self.flagged else keys

    @property
    def _weighted(self) -> bool:
        return "weight" in self.items.types

    def sql(self) -> str:
        """Rows of (first, second system, keys, first, second prediction, totals)."""
        sets = [[p] for p in self._preds] + [[f"p{a}", f"p{b}"] for a, b in self.pairs]
        keys = ", ".join(self._keys)
        if len(sets) == 1:
            chosen, grouping = "0, 0", f"{keys}, p0"
            preds = "p0, p0"
        else:
            grouped = ", ".join(f"({keys}, {', '.join(members)})" for members in sets)
            grouping = f"GROUPING SETS ({grouped})"
            chosen = f"{_which(self._preds)}, {_which(self._preds[::-1])}"
            preds = f"{self._member(self._preds)}, {self._member(self._preds[::-1])}"
        return (
            f"SELECT {chosen}, {keys}, {preds}, {self._totals()} "
            f"FROM ({self._rows()}) GROUP BY {grouping} LIMIT {MOST_GROUPS + 1}"
        )

    def _member(self, preds: list[str]) -> str:
        """The prediction a row was grouped by; as text where the columns differ in type."""
        same = len({self.items.types[p] for p in preds}) == 1
        cases = [
            f"WHEN grouping({p}) = 0 THEN {p if same else f'CAST({p} AS VARCHAR)'}" for p in preds
        ]
        return f"CASE {' '.join(cases)} END"

    def _totals(self) -> str:
        if not self._weighted:
            return "count(*)"
        return (
            "count(*), coalesce(sum(weight), 0), "
            "count(*) FILTER (weight IS NULL OR weight < 0 OR NOT isfinite(weight)), "
            "count(*) FILTER (weight <> floor(weight))"
        )

    def _rows(self) -> str:
        rows = self.items.sql
        if self._weighted:
            rows = f"SELECT * REPLACE (TRY_CAST(weight AS DOUBLE) AS weight) FROM ({rows})"
        if self.flagged:
            names = [name for name in self.items.types if name != "weight"]
            present = " AND ".join(self._present(name) for name in names)
            rows = f"SELECT *, ({present}) AS complete FROM ({rows})"
        return rows

    def _present(self, name: str) -> str:
        kind = self.items.types[name]
        if kind in ("FLOAT", "DOUBLE"):
            return f"({name} IS NOT NULL AND NOT isnan({name}))"
        if kind == "VARCHAR" and name != "topic":
            words = ", ".join(map(literal, self.missing_words))
            return f"({name} IS NOT NULL AND trim({name}) NOT IN ({words}))"
        return f"{name} IS NOT NULL"

    def split(
        self, rows: list[tuple[Any, ...]]
    ) -> tuple[tuple[Groups, ...], dict[tuple[int, int], Groups]]:
        """The rows by system and by pair."""
        parts: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
        for row in rows:
            parts.setdefault((row[0], row[1]), []).append(row[2:])
        singles = [self._groups(parts.get((i, i), []), 1) for i in range(len(self._preds))]
        return tuple(singles), {p: self._groups(parts.get(p, []), 2) for p in self.pairs}

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
    return f"CASE {' '.join(f'WHEN grouping({p}) = 0 THEN {p[1:]}' for p in preds)} END"
