"""Names of columns that a library or an engine may take for something else, and plain counts."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

NAMES = (
    "^a$",
    "^.*$",
    "*",
    "a.b",
    "a b",
    '"',
    "`",
    "''",
    "'; DROP TABLE x; --",
    "[x]",
    "$y",
    "\\",
    "🙂",
    "שלום",
    unicodedata.normalize("NFC", "é"),
    unicodedata.normalize("NFD", "é"),
    "line\nbreak",
    "tab\there",
    "",
    "__ordeval",
    "p0",
    "raw_gold",
    "items",
    "each",
    "complete",
    "rowid",
    "count",
    "index",
    "level_0",
    "None",
    "nan",
    "True",
    "1",
    "c0",
    "c1",
    "A",
    "a",
    " a",
    "a ",
    "COLUMNS(*)",
    "a::int",
    "{x}",
    "%s",
    "<script>alert(1)</script>",
    r"\textbf{a}_b^c~d#e&f",
    "x" * 10_000,
    "../x",
    "k=v",
    "-x",
    "u,v",
    "nul\0in",
    "gold",
    "pred",
    "topic",
    "weight",
)
ROLES = ("gold", "first", "second", "topic", "cluster", "weight", "frequency")
DECOYS = ("m", "a", "b", "x", "y", "v")  # what a pattern, a path or an expression could reach


def items(n: int = 60) -> dict[str, list[Any]]:
    """Return a column per role."""
    rng = np.random.default_rng(3)
    labels = {role: rng.integers(1, 4, n).tolist() for role in ("gold", "first", "second")}
    groups = {role: rng.choice(list("pqr"), n).tolist() for role in ("topic", "cluster")}
    numbers = {role: rng.integers(1, 5, n).tolist() for role in ("weight", "frequency")}
    return {**labels, **groups, **numbers}


def namings(names: Sequence[str] = NAMES) -> Iterator[dict[str, str]]:
    """Yield names by role, so that every name has every role once."""
    for start in range(len(names)):
        around = islice(names * 2, start, start + len(ROLES))
        yield dict(zip(ROLES, around, strict=True))


def named(data: Mapping[str, list[Any]], names: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return the columns under their names, among others that hold something else."""
    others = {name: [1] * len(data["gold"]) for name in DECOYS if name not in names.values()}
    ours = {names[role]: column for role, column in data.items()}
    decoys = list(others.items())
    return dict([*decoys[:3], *ours.items(), *decoys[3:]])


def plain_table(data: Mapping[str, list[Any]]) -> list[Any]:
    """Return `[system][topic][gold][predicted]` as sums of frequency times weight."""
    cells: Counter[tuple[Any, ...]] = Counter()
    for i, gold in enumerate(data["gold"]):
        amount = data["frequency"][i] * data["weight"][i]
        for system in ("first", "second"):
            cells[system, data["topic"][i], gold, data[system][i]] += amount
    return [
        [[[cells[s, t, g, p] for p in (1, 2, 3)] for g in (1, 2, 3)] for t in "pqr"]
        for s in ("first", "second")
    ]


def plain_clusters(data: Mapping[str, list[Any]]) -> list[int]:
    """Return the number of items of each cluster."""
    sizes: Counter[str] = Counter()
    for cluster, frequency in zip(data["cluster"], data["frequency"], strict=True):
        sizes[cluster] += frequency
    return [sizes[cluster] for cluster in "pqr"]


def arguments(names: Mapping[str, str]) -> dict[str, Any]:
    """Return the names as arguments."""
    others = {role: names[role] for role in ("gold", "topic", "cluster", "weight", "frequency")}
    return {**others, "pred": [names["first"], names["second"]]}


def check(source: Any, data: Mapping[str, list[Any]], names: Mapping[str, str]) -> None:
    """Assert that the counts of a source are the plain ones."""
    counts = source.counts()
    assert counts.systems == (names["first"], names["second"])
    assert counts.table.tolist() == plain_table(data)
    rows = source.rows(10**6)
    assert np.bincount(rows.cluster, rows.count).tolist() == plain_clusters(data)
