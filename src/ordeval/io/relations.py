"""DuckDB relations, which may be files, grouped and counted in SQL in one scan."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bins import BELOW, NO_NUMBER, Bins
from ..columns import Column, is_number
from ..errors import InputError
from ..examples import (
    HASH_DIGITS,
    LONGEST_TEXT,
    MOST_CLASSES,
    PER_CELL,
    keys_of,
    per_cell_of,
    rank_in_cell,
)
from ..files.engine import literal
from ..moments import SUMS
from ..types import Array, Codes
from .groups import Factor, Groups, Shifts, Systems, Table
from .tabulation import (
    GROUPING,
    LARGEST_NUMBER,
    MOST_GROUPS,
    SHOWN,
    SPACES,
    Cells,
    Chosen,
    Fetched,
    ItemClasses,
    Layout,
    Places,
    check_groups,
    nested_error,
    number_error,
    pred_role,
    raw_column,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation
    from duckdb.sqltypes import DuckDBPyType

_NESTED = ("list", "array", "struct", "map", "union", "blob")
_INTEGERS = ("tinyint", "smallint", "integer", "bigint", "hugeint")
_UNSIGNED = tuple(f"u{name}" for name in _INTEGERS)
_NUMERIC = (*_INTEGERS, *_UNSIGNED, "float", "double", "decimal", "boolean")
# Types of which arrays hold the same values as rows do.
_ARRAYS = (*_INTEGERS[:-1], *_UNSIGNED[:-1], "float", "double", "boolean", "varchar")
_SAMPLE = 4096  # rows that show which labels there are, and whether rows are repeated
_FEW_LABELS = 256
_ABSENT, _UNSEEN = -1, -2
_NO_NUMBERS = "NULL::DOUBLE"
_MOST_CELLS = 50_000  # of gold and systems, of which some items each are fetched at once
_MOST_SETS = 50  # of one scan: each takes some 5 MB, of the 768 MiB that the engine has
_MOST_FETCHED = 10_000  # items with texts, should ids be repeated
_FEW_SYSTEMS = 3  # up to this number, there are few distinct combinations of labels


class RelationCounter:
    """Count the items of a relation with a column per role, and perhaps a column item.

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
        run: Callable[[Callable[[], Any]], Any] | None = None,
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
        self._in_arrays = all(
            kinds[name].id in _ARRAYS or name in enums for name in layout.labelled
        )
        # Enumerations become text, because groups of two of them do not mix.
        self._casts = {name: f"{name}::VARCHAR" for name in enums}
        self._numbers = {role: _as_number(role, kinds[role], layout) for role in layout.numbers}

    def count(
        self, wanted: Sequence[Systems], known: Mapping[Systems, Groups]
    ) -> dict[Systems, Groups]:
        """Count systems and pairs, as many as fit into memory in one scan.

        Every grouping set holds a topic, gold and one or two predictions, so that memory does not
        grow with the number of distinct rows.
        """
        found: dict[Systems, Groups] = {}
        for first in range(0, len(wanted), _MOST_SETS):
            found |= self._counted(wanted[first : first + _MOST_SETS])
        return found

    def _counted(self, wanted: Sequence[Systems]) -> dict[Systems, Groups]:
        """Count systems and pairs in one scan."""
        rows = self._run(lambda: self._grouped(wanted).limit(MOST_GROUPS + 1).fetchall())
        check_groups(rows, self.layout)
        names = ["first", "last", *self.layout.keys, "items", *self._amounts]
        parts: dict[Systems, Fetched] = {systems: [] for systems in wanted}
        for first, last, *row in rows:
            parts[(first,) if first == last else (first, last)].append(tuple(row))
        return {
            systems: Groups.of(found, names, names[: len(systems)])
            for systems, found in parts.items()
        }

    def _grouped(self, wanted: Sequence[Systems]) -> "DuckDBPyRelation":
        """Return a relation: first and last system, their predictions, keys and totals."""
        relation, items = self._flagged()
        roles = [pred_role(i) for i in sorted({i for systems in wanted for i in systems})]
        cases = [{name: name[1:] for name in roles}, self._in_one_type(roles)]
        both = [_first(case, order) for case in cases for order in (roles, roles[::-1])]
        keys, sums = self.layout.keys, [f"sum({name})" for name in self._amounts]
        sets = (", ".join([*keys, *map(pred_role, systems)]) for systems in wanted)
        return relation.aggregate(
            ", ".join([*both, *keys, items, *sums]),
            f"GROUPING SETS (({'), ('.join(sets)}))",
        )

    def _flagged(self) -> tuple["DuckDBPyRelation", str]:
        """Return the relation, with all that is grouped by or summed, and SQL for the items.

        For few systems equal rows are counted first, so that the flag is computed for few rows.
        """
        layout = self.layout
        few = len(layout.systems) <= _FEW_SYSTEMS and layout.cluster is None
        if not layout.flagged or not few or layout.numbers:
            found = self._prepared(self._relation, flagged=layout.flagged)
            return self._with_parts(found), self._items
        columns = ", ".join(layout.labelled)
        folded = self._relation.aggregate(f"{columns}, count(*) AS items", columns)
        return self._prepared(folded, flagged=True, also=["items"]), "sum(items)"

    @property
    def _items(self) -> str:
        """SQL for the number of items of a group."""
        return "count(*)" if self.layout.frequency is None else "sum(frequency)"

    def _prepared(
        self, relation: "DuckDBPyRelation", *, flagged: bool, also: Sequence[str] = ()
    ) -> "DuckDBPyRelation":
        """Return a relation with all that is grouped by or summed."""
        labelled = self.layout.labelled
        columns = [*also, *(f"{self._casts.get(name, name)} AS {name}" for name in labelled)]
        columns += self.layout.raw if not also else []
        columns += self._usable_numbers()
        if flagged:
            required = map(self._present, self.layout.required)
            columns.append(f"({' AND '.join(required)}) AS complete")
        if self.layout.cluster is not None:
            columns.append(f"(NOT {self._present('cluster')})::INTEGER AS without")
        found = relation.project(", ".join(columns))
        return found.project(", ".join(["*", *self._products()]))

    @property
    def _amounts(self) -> list[str]:
        """The columns that are summed in each group, besides the number of items."""
        return [*self._shifts.names, *self.layout.faults]

    @cached_property
    def _shifts(self) -> Shifts:
        """How weights and squared weights are split, so that their sums are exact."""
        if self.layout.weight is None:
            return Shifts({})
        relation = self._prepared(self._relation, flagged=False)
        (row,) = self._run(relation.aggregate(f"{_range('each')}, {self._items}").fetchall)
        return Shifts.of_weights(*row)

    def _with_parts(self, relation: "DuckDBPyRelation") -> "DuckDBPyRelation":
        """Return a relation with the parts of weights and squared weights."""
        times = "frequency" if self.layout.frequency is not None else ""
        return _split(relation, self._shifts, times) if self._shifts.names else relation

    def _usable_numbers(self) -> list[str]:
        """Return SQL for weights and frequencies, 0 where they are unusable, and for the faults."""
        found = []
        for role, number in self._numbers.items():
            most = LARGEST_NUMBER[role]
            usable = f"coalesce({number} >= 0 AND {number} < {most!r}, false)"
            name = "each" if role == "weight" else role
            found += [
                f"CASE WHEN {usable} THEN {number} ELSE 0 END AS {name}",
                f"(NOT {usable})::INTEGER AS bad_{role}",
            ]
        if "frequency" in self._numbers:
            number = self._numbers["frequency"]
            found.append(f"coalesce({number} <> floor({number}), false)::INTEGER AS part")
        return found

    def _products(self) -> list[str]:
        """Return SQL for what is made of weights, frequencies and clusters."""
        weighted, times = "weight" in self._numbers, "frequency" in self._numbers
        found = ["each AS weight", "each * each AS squares"] if weighted else []
        if self.layout.cluster is not None:
            found.append(f"without{' * frequency' * times} AS no_cluster")
        positive = [f"{name} > 0" for name in ["each"] * weighted + ["frequency"] * times]
        return found + ([f"({' AND '.join(positive)}) AS present"] if positive else [])

    def table(self, most: int) -> Table | None:
        """Return the distinct rows in one scan; None if they have more than `most` labels.

        Text is coded within DuckDB by the labels of the first rows. Should there be others, all
        labels are looked for, and the rows are scanned again.
        """
        layout = self.layout
        rows = most // (1 + len(layout.systems))
        keys = [*layout.labelled, *(["each"] if layout.weight is not None else [])]
        faults = [name for name in layout.faults if name != "no_cluster"]
        relation = self._prepared(self._relation, flagged=False)
        sample = self._fetched(relation.project(", ".join(keys)).limit(_SAMPLE))
        if self._too_many(relation.project(", ".join(keys)), sample, rows):
            return None
        known = self._text_labels(sample)
        summed = [*faults, *(["frequency"] if layout.frequency is not None else [])]
        totals = [f"{self._items} AS items", *(f"sum({name}) AS {name}" for name in faults)]
        while True:
            coded = relation.project(", ".join([*(_coded(k, known) for k in keys), *summed]))
            grouped = coded.aggregate(", ".join([*keys, *totals]), ", ".join(keys))
            try:
                found = self._fetched(grouped.limit(rows + 1))
            except InputError as problem:
                if problem.parameter != "memory_limit":
                    raise
                return None
            if len(found["items"]) > rows:
                return None
            unseen = [role for role in known if (np.asarray(found[role]) == _UNSEEN).any()]
            if not unseen:
                return _as_table(found, known, layout, faults)
            known |= self._all_labels(relation, unseen)

    def _fetched(self, relation: "DuckDBPyRelation") -> dict[str, Any]:
        """Return the columns of a relation, as arrays where these hold the same values."""
        if self._in_arrays:
            columns: dict[str, Any] = self._run(relation.fetchnumpy)
            return columns
        rows = self._run(relation.fetchall)
        return {name: [row[i] for row in rows] for i, name in enumerate(relation.columns)}

    def _too_many(self, relation: "DuckDBPyRelation", sample: Mapping[str, Any], most: int) -> bool:
        """Return whether the first rows suffice to know that there are too many distinct ones."""
        first = list(zip(*(_as_list(column) for column in sample.values()), strict=True))
        if len(first) < _SAMPLE or 2 * len(set(first)) < len(first):
            return False

        def number(rows: int, what: str) -> int:
            return int(self._run(relation.limit(rows).aggregate(what).fetchall)[0][0])

        if number(most + 1, "count(*)") <= most:
            return False
        # Hashes take less memory than rows; two rows with the same hash would be a rare mistake.
        distinct = f"count(DISTINCT hash({', '.join(relation.columns)}))"
        return number(most + most // 4 + 1, distinct) > most

    def _text_labels(self, sample: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return the labels of the columns of text with few distinct ones."""
        declared = () if self.layout.scale is None else map(str, self.layout.scale.labels)
        usual = dict.fromkeys(declared)
        found = {}
        for role in self.layout.labelled:
            if role in GROUPING or not (self._types[role] == "VARCHAR" or role in self._casts):
                continue
            labels = usual | dict.fromkeys(_as_list(sample[role]))
            labels.pop(None, None)
            if len(labels) <= _FEW_LABELS:
                found[role] = list(labels)
        return found

    def _all_labels(
        self, relation: "DuckDBPyRelation", roles: Sequence[str]
    ) -> dict[str, list[str]]:
        """Return all labels of some columns of text."""
        lists = ", ".join(f"list(DISTINCT {role})" for role in roles)
        (found,) = self._run(relation.aggregate(lists).fetchall)
        given = zip(roles, found, strict=True)
        return {role: [x for x in labels or () if x is not None] for role, labels in given}

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
        if kind == "VARCHAR" and name not in GROUPING and words:
            # A regular expression is much faster than trimming every kind of space.
            missing = f"[{SPACES}]*({'|'.join(map(re.escape, words))})[{SPACES}]*"
            present += f" AND NOT regexp_full_match({name}, {literal(missing)})"
        if name not in GROUPING and self.layout.codes:
            present += f" AND NOT {_is_code(name, kind, self.layout)}"
        return f"({present})"

    def example(self, role: str, code: int) -> Any:
        """Return a value of a role that became a code."""
        found = self._relation.filter(f"{role} = {int(code)}").project(f"text_{role}").limit(1)
        rows = self._run(found.fetchall)
        return rows[0][0] if rows else None

    def sums(self) -> Fetched:
        """Return for every topic its sums over numbers, and numbers that are no class numbers."""
        layout, relation = self.layout, self._with_numbers()
        terms, keys = terms_of(layout), layout.optional_topic
        times = "frequency" if layout.frequency is not None else ""
        columns = [*keys, *layout.raw, *([times] if times else [])]
        columns += [f"{sql} AS {name}" for name, sql in terms.items()]
        made = relation.project(", ".join(columns))
        ends = ", ".join(_range(name) for name in terms)
        (row,) = self._run(made.aggregate(f"{ends}, {self._items}").fetchall)
        shifts = Shifts.of_terms(list(terms), row)
        sums = [f"sum({name})" for name in shifts.names]
        sums += [f"sum({sql})" for sql in _no_class_numbers(layout)]
        found = _split(made, shifts, times).aggregate(", ".join([*keys, *sums]), ", ".join(keys))
        return [
            (*row[: len(keys)], *shifts.rounded(row[len(keys) :]))
            for row in self._run(found.fetchall)
        ]

    def numbers(self, most: int) -> dict[str, Array] | None:
        """Return the numbers of all items by role; None if there are more than `most`."""
        layout, relation = self.layout, self._with_numbers()
        rows = most // (1 + len(layout.systems))
        columns = [*layout.raw, *(role for role in GROUPING if layout.columns.get(role))]
        columns += ["each"] * (layout.weight is not None)
        columns += ["frequency"] * (layout.frequency is not None)
        found: dict[str, Any] = self._run(
            relation.project(", ".join(columns)).limit(rows + 1).fetchnumpy
        )
        return None if len(found[layout.raw[0]]) > rows else found

    def _with_numbers(self) -> "DuckDBPyRelation":
        """Return the items that are scored, with the farthest class in place of missing numbers."""
        layout = self.layout
        relation = self._prepared(self._relation, flagged=layout.missing == "skip")
        conditions = ["complete"] * (layout.missing == "skip") + ["present"] * bool(layout.numbers)
        if conditions:
            relation = relation.filter(" AND ".join(conditions))
        filled = []
        assert layout.bins is not None
        if layout.missing == "worst" and layout.bins.numbers:
            low, high = _double(layout.bins.numbers[0]), _double(layout.bins.numbers[-1])
            far = f"if(raw_gold - {low} >= {high} - raw_gold, {low}, {high})"
            filled = [f"coalesce({name}, {far}) AS {name}" for name in layout.raw[1:]]
        return relation.project(f"* REPLACE ({', '.join(filled)})") if filled else relation

    def examples(self, roles: Sequence[str], cells: Cells, k: int, classes: ItemClasses) -> Chosen:
        """Return some items of every cell; texts are fetched of those that are chosen only."""
        relation = self._placed()
        find = self._ranks if k <= MOST_CLASSES else partial(self._ranks_of_groups, k, classes)
        ranks = find(relation, [[roles[i] for i in columns] for columns in cells])
        most = per_cell_of(np.fromiter(ranks.values(), np.intp, len(ranks)))
        wanted = ", ".join(literal(place) for place, rank in ranks.items() if rank < most)
        found = relation.filter(f"place IN ({wanted})").order("place, item::VARCHAR, text")
        columns = ["item", f"left(text::VARCHAR, {LONGEST_TEXT + 1})", *roles]
        rows = self._run(found.project(", ".join(columns)).limit(_MOST_FETCHED).fetchall)
        ids, texts, *labels = zip(*rows, strict=True)
        return ids, texts, classes(dict(zip(roles, map(Factor.of, labels), strict=True))), most

    def _ranks(
        self, relation: "DuckDBPyRelation", cells: Sequence[Sequence[str]]
    ) -> dict[str, int]:
        """Return the lowest rank of places among those of their cells, of the first of each."""
        sets = "), (".join(map(", ".join, cells))
        grouped = relation.aggregate(f"min(place, {PER_CELL})", f"GROUPING SETS (({sets}))")
        ranks: dict[str, int] = {}
        for (places,) in self._run(grouped.fetchall):
            for rank, place in enumerate(places):
                ranks[place] = min(rank, ranks.get(place, rank))
        return ranks

    def _ranks_of_groups(
        self,
        k: int,
        classes: ItemClasses,
        relation: "DuckDBPyRelation",
        cells: Sequence[Sequence[str]],
    ) -> dict[str, int]:
        """Return the same for cells that unite those of gold and a system: see `keys_of`."""
        ranks: dict[str, int] = {}
        at_once = max(1, _MOST_CELLS // k**2)
        for start in range(0, len(cells), at_once):
            part = cells[start : start + at_once]
            roles = list(dict.fromkeys(role for cell in part for role in cell))
            sets = "), (".join(map(", ".join, part))
            names = ", ".join(roles)
            grouped = relation.aggregate(
                f"{names}, grouping_id({names}), min(place, {PER_CELL})",
                f"GROUPING SETS (({sets}))",
            )
            by_set: dict[int, list[tuple[Any, ...]]] = {}
            for row in self._run(grouped.fetchall):
                by_set.setdefault(row[-2], []).append(row)
            for cell in part:
                absent = sum(2**i for i, role in enumerate(reversed(roles)) if role not in cell)
                rows = by_set.get(absent, [])
                columns = {role: [row[roles.index(role)] for row in rows] for role in cell}
                codes = classes({role: Factor.of(column) for role, column in columns.items()})
                _rank(ranks, codes, k, [row[-1] for row in rows])
        return ranks

    def _placed(self) -> "DuckDBPyRelation":
        """Return the items that are scored, each with its place in the order of hashes."""
        rows = self._relation
        if "item" not in self._types:
            rows = rows.project("*, row_number() OVER () AS item")
        skip = self.layout.missing == "skip"
        found = self._prepared(rows, flagged=skip, also=["item", "text"])
        conditions = ["complete"] * skip + ["present"] * bool(self.layout.numbers)
        if conditions:
            found = found.filter(" AND ".join(conditions))
        several = self._types.get("item", "").endswith("[]")
        id = "array_to_string(item, ', ')" if several else "item::VARCHAR"
        return found.project(f"left(md5(coalesce({id}, '')), {HASH_DIGITS}) AS place, *")

    def find(self, name: str, value: Any) -> Places | None:
        """Return the first items that have a value of a role, or none; None without an order."""
        if not self.layout.text:
            return None
        named = "item" in self._types
        rows = (
            self._relation if named else self._relation.project("*, row_number() OVER () AS item")
        )
        wanted = f"NOT {self._present(name)}"
        if value is not None:
            wanted = f"{name}::VARCHAR = {literal(str(value))}"
        found = rows.filter(wanted).project("item").order("item").limit(SHOWN)
        items = [row[0] for row in self._run(found.fetchall)]
        # Several columns that name an item together are a list.
        shown = [tuple(item) if isinstance(item, list) else item for item in items]
        return "id" if named else "row", shown


def _rank(ranks: dict[str, int], codes: Codes, k: int, places: Sequence[Sequence[str]]) -> None:
    """Lower the ranks of places by those that they have among places of united cells."""
    flat = np.asarray([place for several in places for place in several])
    order = np.argsort(flat, kind="stable")
    labels = np.repeat(codes, [len(several) for several in places], axis=1)[:, order]
    for key in keys_of(labels, k):
        found = rank_in_cell(key)
        first = found < PER_CELL
        for place, rank in zip(flat[order][first].tolist(), found[first].tolist(), strict=True):
            ranks[place] = min(rank, ranks.get(place, rank))


def _is_code(name: str, kind: str, layout: Layout) -> str:
    """Return a condition: a value is a code for a missing label."""
    numbers = ", ".join(f"{number!r}::DOUBLE" for number in layout.codes.numbers)
    if kind != "VARCHAR" and not kind.startswith("ENUM"):
        numeric = kind.partition("(")[0].lower() in _NUMERIC and kind != "BOOLEAN"
        found = f"{name}::DOUBLE IN ({numbers})" if numeric and numbers else "false"
        return f"coalesce({found}, false)"
    word = f"trim({name}::VARCHAR, {literal(SPACES)})"
    found = f"{word} IN ({', '.join(map(literal, layout.codes.texts))})"
    if numbers and layout.text:
        found += f" OR coalesce(TRY_CAST({word} AS DOUBLE) IN ({numbers}), false)"
    return f"coalesce({found}, false)"


def without_codes(relation: "DuckDBPyRelation", layout: Layout) -> "DuckDBPyRelation":
    """Return a relation without codes for missing labels, which must not be binned."""
    if not layout.codes:
        return relation
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    filled = [
        f"if({_is_code(role, kinds[role], layout)}, NULL, {role}) AS {role}"
        for role in layout.rated
    ]
    return relation.project(f"* REPLACE ({', '.join(filled)})")


def without_empty_groups(relation: "DuckDBPyRelation", layout: Layout) -> "DuckDBPyRelation":
    """Return a relation in which topics and clusters that are empty texts are missing."""
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    texts = [role for role in GROUPING if role in kinds and kinds[role].id in ("varchar", "enum")]
    filled = [f"nullif({role}::VARCHAR, '') AS {role}" for role in texts]
    return relation.project(f"* REPLACE ({', '.join(filled)})") if filled else relation


class RelationNumbers:
    """What must be known of a relation, with a column per role, before its numbers are binned.

    Parameters
    ----------
    relation : duckdb.DuckDBPyRelation
        The relation.
    layout : Layout
        The original names of the columns, and how their values are read.
    run : callable
        Runs a job that fetches rows.
    """

    def __init__(
        self,
        relation: "DuckDBPyRelation",
        layout: Layout,
        run: Callable[[Callable[[], Any]], Any],
    ) -> None:
        self._relation, self._layout, self._run = relation, layout, run
        self._kinds = dict(zip(relation.columns, relation.types, strict=True))

    def extremes(self) -> tuple[float, float]:
        """Return the least and the largest number of gold and all predictions."""
        numbers = self._finite_numbers()
        row = self._one_row(f"min({n}), max({n})" for n in numbers)
        found = [x for x in row if x is not None]
        return (min(found), max(found)) if found else (np.nan, np.nan)

    def whole_numbers(self, shift: float) -> list[Column]:
        """Return for every role the whole numbers at or below its shifted numbers."""
        row = self._one_row(f"list(DISTINCT floor({n} + {shift}))" for n in self._finite_numbers())
        names = [self._layout.columns[role] for role in self._layout.rated]
        given = ([int(x) for x in found or () if x is not None] for found in row)
        found = zip(names, given, strict=True)
        return [Column(np.asarray(whole, np.int64), name) for name, whole in found if whole]

    def ordered(self) -> dict[str, tuple[Any, ...]]:
        """Return the categories of the roles that have an ordered type."""
        kinds: dict[str, Any] = {role: self._kinds[role] for role in self._layout.rated}
        return {r: tuple(kind.children[0][1]) for r, kind in kinds.items() if kind.id == "enum"}

    def classes(self, layout: Layout) -> tuple[str, ...]:
        """Return the roles whose values are declared labels: all, or some and no numbers."""
        assert layout.bins is not None
        assert layout.scale is not None
        roles = layout.rated
        if not layout.bins.leave_labels(layout.scale):
            roles = [r for r in roles if _number(r, self._kinds[r], layout) == _NO_NUMBERS]
        if not roles:
            return ()
        counts = []
        for role, kind in ((role, self._kinds[role]) for role in roles):
            present = (
                f"FILTER (WHERE NOT ({_absent(role, _number(role, kind, layout), kind, layout)}))"
            )
            values = "1", _class_code(role, kind, layout), _number(role, kind, layout)
            counts.append(", ".join(f"count({value}) {present}" for value in values))
        row = self._one_row(counts)
        found = zip(roles, row[::3], row[1::3], row[2::3], strict=True)
        return tuple(
            role for role, n, known, numbers in found if known and (known == n or not numbers)
        )

    def _finite_numbers(self) -> list[str]:
        roles = self._layout.rated
        return [_finite(_number(role, self._kinds[role], self._layout)) for role in roles]

    def _one_row(self, columns: Iterable[str]) -> tuple[Any, ...]:
        (row,) = self._run(self._relation.aggregate(", ".join(columns)).fetchall)
        return tuple(row)


def binned(relation: "DuckDBPyRelation", layout: Layout) -> "DuckDBPyRelation":
    """Return a relation whose labels are codes of classes, beside the numbers and their text.

    Texts are converted once, in a step of their own, not in every case of a code.
    """
    assert layout.bins is not None
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    others = [name for name in relation.columns if name not in layout.rated]
    steps: list[list[str]] = [list(others) for _ in range(3)]
    for role in layout.rated:
        raw, text, gap = raw_column(role), f"text_{role}", f"gap_{role}"
        number, code = _number(role, kinds[role], layout), _code(raw, layout.bins)
        if role in layout.classes:
            known = _class_code(role, kinds[role], layout)
            number, code = _NO_NUMBERS, f"coalesce({role}, {NO_NUMBER})::SMALLINT"
            steps[0].append(f"{known} AS {role}")
            steps[1].append(role)
        absent = _absent(text, raw, kinds[role], layout)
        steps[0] += [f"{role} AS {text}", f"{number} AS {raw}"]
        steps[1] += [text, raw, f"{absent} AS {gap}"]
        steps[2] += [f"CASE WHEN {gap} THEN NULL ELSE {code} END AS {role}"]
        steps[2] += [f"CASE WHEN {gap} THEN NULL ELSE {raw} END AS {raw}", text]
    for step in steps:
        relation = relation.project(", ".join(step))
    return relation


def _absent(text: str, number: str, kind: "DuckDBPyType", layout: Layout) -> str:
    """Return a condition: a label that is to be binned is missing."""
    absent = f"{text} IS NULL"
    if kind.id == "varchar":
        words = ", ".join(map(literal, layout.reader.missing_words))
        absent += f" OR trim({text}, {literal(SPACES)}) IN ({words})" if words else ""
    elif kind.id in ("float", "double"):
        absent += f" OR isnan({text})"
    # Trimming every kind of space takes long, and numbers are not missing.
    return f"CASE WHEN isfinite({number}) THEN false ELSE {absent} END"


def _class_code(role: str, kind: "DuckDBPyType", layout: Layout) -> str:
    """Return SQL for the position of a value among the labels, NULL where it is none."""
    assert layout.scale is not None
    index, reader = layout.scale.index, layout.reader
    if kind.id in ("varchar", "enum"):
        word = f"{role}::VARCHAR"
        if not layout.text:  # as in memory, "1" is not 1
            return _case(word, {literal(x): i for x, i in index.items() if isinstance(x, str)})
        word = f"trim({word}, {literal(SPACES)})"
        found = _case(word, {literal(x): index[label] for x, label in reader.by_text.items()})
        numbers = {_double(x): index[label] for x, label in reader.by_number.items()}
        return f"coalesce({found}, {_case(f'TRY_CAST({word} AS DOUBLE)', numbers)})"
    if kind.id == "boolean":
        return _case(role, {str(x): i for x, i in index.items() if isinstance(x, bool)})
    if kind.id in _NUMERIC:
        numbers = {_double(x): i for x, i in index.items() if is_number(x)}
        return _case(f"{role}::DOUBLE", numbers)
    return "NULL"


def _case(value: str, codes: Mapping[str, int]) -> str:
    """Return SQL that replaces values, NULL where a value is not among them."""
    cases = " ".join(f"WHEN {given} THEN {code}" for given, code in codes.items())
    return f"CASE {value} {cases} END" if cases else "NULL"


def _double(number: Any) -> str:
    return f"'{float(number)!r}'::DOUBLE"  # as text: a bare number is a decimal, which is rounded


def _finite(number: str) -> str:
    return f"CASE WHEN isfinite({number}) THEN {number} END"


def _code(number: str, bins: Bins) -> str:
    """Return SQL for the code of a number."""
    above = ">" if bins.closed else ">="
    cases = [f"WHEN {number} IS NULL OR NOT isfinite({number}) THEN {NO_NUMBER}"]
    if np.isfinite(bins.low):
        cases.append(f"WHEN {number} < {_double(bins.low)} THEN {BELOW}")
    if np.isfinite(bins.high):
        cases.append(f"WHEN {number} {above} {_double(bins.high)} THEN {len(bins.cuts) + 1}")
    cases += [f"WHEN {number} < {_double(cut)} THEN {i}" for i, cut in enumerate(bins.cuts)]
    return f"(CASE {' '.join(cases)} ELSE {len(bins.cuts)} END)::SMALLINT"


def _number(role: str, kind: "DuckDBPyType", layout: Layout) -> str:
    """Return SQL for a label as a number, NULL where it is none."""
    if kind.id == "varchar" and layout.text:
        return f"TRY_CAST(trim({role}) AS DOUBLE)"
    if kind.id in _NUMERIC and not (kind.id == "boolean" and layout.text):
        return f"{role}::DOUBLE"
    return _NO_NUMBERS


def terms_of(layout: Layout) -> dict[str, str]:
    """Return SQL for what is summed, by name: 9 terms per system (see `ordeval.moments`)."""
    assert layout.bins is not None
    centre, w = _double(layout.bins.centre), "each" if layout.weight is not None else "1"
    g, found = f"(raw_gold - {centre})", []
    for role in layout.raw[1:]:
        p, d = f"({role} - {centre})", f"({role} - raw_gold)"
        each = ["1.0", w, g, p, f"{g} * {g}", f"{p} * {p}", f"{g} * {p}", f"abs({d})"]
        found += [f"({w} * {sql})::DOUBLE" for sql in (*each, f"({d} * {d})")]
    assert len(found) == len(SUMS) * len(layout.systems)
    return {f"term{i}_": sql for i, sql in enumerate(found)}


def _no_class_numbers(layout: Layout) -> list[str]:
    """Return SQL for how many numbers of every column are no class numbers, to be summed."""
    assert layout.bins is not None
    times = "frequency" if layout.frequency is not None else "1"
    known = ", ".join(map(_double, layout.bins.numbers))
    other = "{role} IS NOT NULL" if not known else "{role} NOT IN (" + known + ")"
    return [f"{times} * ({other.format(role=role)})::INTEGER" for role in layout.raw]


def _range(name: str) -> str:
    """Return SQL for the least and the largest size of a column's numbers, apart from 0."""
    return f"min(abs({name})) FILTER ({name} <> 0), max(abs({name}))"


def _split(relation: "DuckDBPyRelation", shifts: Shifts, times: str) -> "DuckDBPyRelation":
    """Return a relation with the parts of columns, times how often a row is added."""
    for name, given in shifts.given.items():
        factor, rest, found = f"{times} * " if times else "", name, []
        for i, shift in enumerate(map(_double, given)):
            part = f"(({rest} + {shift}) - {shift})"
            found += [f"{part} AS part_{name}{i}", f"{rest} - part_{name}{i} AS rest_{name}{i}"]
            found.append(f"{factor}part_{name}{i} AS {name}{i}")
            rest = f"rest_{name}{i}"
        found.append(f"{factor}{rest} AS {name}{len(given)}")
        relation = relation.project(", ".join(["*", *found]))
    return relation


def _as_number(role: str, kind: "DuckDBPyType", layout: Layout) -> str:
    """Return SQL for a weight or frequency as a number, NULL where text is not a number."""
    if kind.id == "varchar" and layout.text:
        # Trimmed first: a bare cast would be done by the csv reader, which raises an error.
        return f"TRY_CAST(trim({role}) AS DOUBLE)"
    if kind.id not in _NUMERIC:
        raise number_error(layout, role, f"holds {kind} values, not numbers")
    return f"{role}::DOUBLE"


def _as_list(column: Any) -> list[Any]:
    """Return a column as Python values, None where one is missing."""
    values: list[Any] = column.tolist() if hasattr(column, "tolist") else column
    return values


def _coded(key: str, known: Mapping[str, Sequence[str]]) -> str:
    """Return SQL for a column; text as a position among the known labels."""
    if key not in known:
        return key
    labels = f"[{', '.join(map(literal, known[key]))}]::VARCHAR[]"
    other = f"CASE WHEN {key} IS NULL THEN {_ABSENT} ELSE {_UNSEEN} END"
    kind = "SMALLINT" if len(known[key]) < 2**15 else "INTEGER"
    return f"coalesce(nullif(list_position({labels}, {key}), 0) - 1, {other})::{kind} AS {key}"


def _as_table(
    found: Mapping[str, Any],
    known: Mapping[str, Sequence[str]],
    layout: Layout,
    faults: Sequence[str],
) -> Table:
    """Return fetched columns as a table."""
    columns = {}
    for role in layout.labelled:
        column = found[role]
        if role in known:
            position = Column(np.asarray(column), role, tuple(known[role]))
            columns[role] = Factor.of_column(position)
        elif isinstance(column, np.ndarray):
            columns[role] = Factor.of_array(column)
        else:
            columns[role] = Factor.of(column)
    return Table(
        columns,
        np.asarray(found["items"]).astype(np.int64),
        np.asarray(found["each"], dtype=np.float64) if layout.weight is not None else None,
        {name: np.asarray(found[name]).astype(np.int64) for name in faults},
    )


def _first(expressions: Mapping[str, str], roles: Sequence[str]) -> str:
    """Return SQL for the expression of the first role that a row is grouped by.

    A single role needs no case: without `grouping` DuckDB can use its fastest aggregation.
    """
    if len(roles) == 1:
        return expressions[roles[0]]
    cases = (f"WHEN grouping({name}) = 0 THEN {expressions[name]}" for name in roles)
    return f"CASE {' '.join(cases)} END"
