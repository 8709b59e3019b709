"""DuckDB relations, which may be files, grouped and counted in SQL in one scan."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .engine import literal
from .tabulation import (
    MOST_GROUPS,
    SHOWN,
    SPACES,
    Groups,
    Layout,
    Places,
    Rows,
    Systems,
    check_groups,
    nested_error,
    pred_role,
    weight_error,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation
    from duckdb.sqltypes import DuckDBPyType

_NESTED = ("list", "array", "struct", "map", "union", "blob")
_INTEGERS = ("tinyint", "smallint", "integer", "bigint", "hugeint")
_UNSIGNED = tuple(f"u{name}" for name in _INTEGERS)
_NUMERIC = (*_INTEGERS, *_UNSIGNED, "float", "double", "decimal", "boolean")
_FEW_SYSTEMS = 3  # up to this number, there are few distinct combinations of labels


class RelationCounter:
    """Count the items of a relation with the columns gold, p0, p1, …, topic, weight and item.

    Parameters
    ----------
    relation : duckdb.DuckDBPyRelation
        The relation. Only what is counted is fetched from it.
    layout : Layout
        The original names of the columns, and how their values are read.
    run : callable, optional
        Runs a job that fetches rows, e.g. so that progress is reported.
    """

    pairs_first = True

    def __init__(
        self,
        relation: "DuckDBPyRelation",
        layout: Layout,
        run: Callable[[Callable[[], Rows]], Rows] | None = None,
    ) -> None:
        kinds = dict(zip(relation.columns, relation.types, strict=True))
        for name in layout.labelled:
            if kinds[name].id in _NESTED:
                raise nested_error(layout, name, kinds[name])
        enums = [name for name in layout.labelled if kinds[name].id == "enum"]
        ordered: dict[str, Any] = {name: kinds[name].children[0][1] for name in enums}
        self.layout = replace(layout, ordered={role: tuple(c) for role, c in ordered.items()})
        self._relation, self._run = relation, run or (lambda job: job())
        self._types = {name: str(kind) for name, kind in kinds.items()}
        # Enumerations become text, because groups of two of them do not mix.
        self._casts = {name: f"{name}::VARCHAR" for name in enums}
        if layout.weight is not None:
            self._casts["weight"] = _as_number(kinds["weight"], layout)

    def count(
        self, wanted: Sequence[Systems], known: Mapping[Systems, Groups]
    ) -> dict[Systems, Groups]:
        """Count systems and pairs in one scan.

        Every grouping set holds a topic, gold and one or two predictions, so that memory does not
        grow with the number of distinct rows.
        """
        rows = self._run(lambda: self._grouped(wanted).limit(MOST_GROUPS + 1).fetchall())
        check_groups(rows, self.layout)
        names = ["first", "last", *self.layout.keys, *self.layout.totals]
        parts: dict[Systems, Rows] = {systems: [] for systems in wanted}
        for first, last, *row in rows:
            parts[(first,) if first == last else (first, last)].append(tuple(row))
        return {
            systems: Groups.of(found, names, names[: len(systems)])
            for systems, found in parts.items()
        }

    def _grouped(self, wanted: Sequence[Systems]) -> "DuckDBPyRelation":
        """Return a relation: first and last system, their predictions, keys and totals."""
        relation, folded = self._flagged()
        roles = [pred_role(i) for i in sorted({i for systems in wanted for i in systems})]
        cases = [{name: name[1:] for name in roles}, self._in_one_type(roles)]
        both = [_first(case, order) for case in cases for order in (roles, roles[::-1])]
        keys = self.layout.keys
        sets = (", ".join([*keys, *map(pred_role, systems)]) for systems in wanted)
        return relation.aggregate(
            ", ".join([*both, *keys, *self._totals(folded)]),
            f"GROUPING SETS (({'), ('.join(sets)}))",
        )

    def _flagged(self) -> tuple["DuckDBPyRelation", bool]:
        """Return the relation, with a flag for complete items if needed; and whether it is folded.

        For few systems equal rows are counted first, so that the flag is computed for few rows.
        """
        layout, relation = self.layout, self._relation
        folded = layout.flagged and len(layout.systems) <= _FEW_SYSTEMS and layout.weight is None
        if folded:
            columns = ", ".join(layout.labelled)
            relation = relation.aggregate(f"{columns}, count(*) AS items", columns)
        chosen = ", ".join(f"{sql} AS {name}" for name, sql in self._casts.items())
        chosen = f"* REPLACE ({chosen})" if chosen else "*"
        if layout.flagged:
            chosen += f", ({' AND '.join(map(self._present, layout.labelled))}) AS complete"
        return (relation if chosen == "*" else relation.project(chosen)), folded

    def _totals(self, folded: bool) -> list[str]:
        items = "sum(items)" if folded else "count(*)"
        if self.layout.weight is None:
            return [items]
        unusable = "weight IS NULL OR weight < 0 OR NOT isfinite(weight)"
        part = "weight <> floor(weight)"
        return [items, "sum(weight)", *(f"count(*) FILTER ({test})" for test in (unusable, part))]

    def _in_one_type(self, roles: Sequence[str]) -> dict[str, str]:
        """Return SQL for predictions, as a union if they have different types."""
        kinds = {name: "VARCHAR" if name in self._casts else self._types[name] for name in roles}
        members = ", ".join(f"k{i} {kind}" for i, kind in enumerate(dict.fromkeys(kinds.values())))
        cast = f"::UNION({members})" if len(set(kinds.values())) > 1 else ""
        return {name: f"{name}{cast}" for name in roles}

    def _present(self, name: str) -> str:
        """Return a condition: a value is not missing."""
        kind, words = self._types[name], self.layout.reader.missing_words
        present = f"{name} IS NOT NULL"
        if kind in ("FLOAT", "DOUBLE"):
            present += f" AND NOT isnan({name})"
        if kind == "VARCHAR" and name != "topic" and words:
            # A regular expression is much faster than trimming every kind of space.
            missing = f"[{SPACES}]*({'|'.join(map(re.escape, words))})[{SPACES}]*"
            present += f" AND NOT regexp_full_match({name}, {literal(missing)})"
        return f"({present})"

    def find_missing(self, name: str) -> Places | None:
        """Return the first items whose value of a role is missing; None if rows have no order."""
        if not self.layout.text:
            return None
        named = "item" in self._types
        rows = (
            self._relation if named else self._relation.project("*, row_number() OVER () AS item")
        )
        found = rows.filter(f"NOT {self._present(name)}").project("item").order("item").limit(SHOWN)
        return "id" if named else "row", [row[0] for row in self._run(found.fetchall)]


def _as_number(kind: "DuckDBPyType", layout: Layout) -> str:
    """Return SQL for the weight as a number, NULL where text is not a number."""
    if kind.id == "varchar" and layout.text:
        # Trimmed first: a bare cast would be done by the csv reader, which raises an error.
        return "TRY_CAST(trim(weight) AS DOUBLE)"
    if kind.id not in _NUMERIC:
        raise weight_error(layout, f"holds {kind} values, not numbers")
    return "weight::DOUBLE"


def _first(expressions: Mapping[str, str], roles: Sequence[str]) -> str:
    """Return SQL for the expression of the first role that a row is grouped by.

    A single role needs no case: without `grouping` DuckDB can use its fastest aggregation.
    """
    if len(roles) == 1:
        return expressions[roles[0]]
    cases = (f"WHEN grouping({name}) = 0 THEN {expressions[name]}" for name in roles)
    return f"CASE {' '.join(cases)} END"
