"""The tables of counts and of figures per class."""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from ..class_figures import PerClass
from ..counts import Counts
from ..types import Floats
from .table import Cell, Heading, Table, count, figure, table, words

_MOST_TABLES = 3  # tables shown one after the other before a summary takes their place
_MOST_CLASSES = 12
_MOST_ROWS = 20


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def classes_table(found: PerClass, *, named: Callable[[str], str] = _spaced) -> Table:
    """A row for every class; `named` makes headings of the names of the figures."""
    headings = [Heading("class"), *(Heading(named(name), True) for name in found.figures)]
    rows = [
        [words(label), *(_class_cell(name, row[i]) for name, row in found.figures.items())]
        for i, label in enumerate(found.labels)
    ]
    return table(headings, rows, title="Figures per class")


def _class_cell(name: str, value: float) -> Cell:
    return count(value) if name in ("support", "predicted") else figure(value, 3)


def counts_tables(counts: Counts) -> list[Table]:
    """Gold × predicted of every system over all topics, or a row for each of many systems."""
    pooled, notes = counts.pooled(), _notes(counts)
    names, flat = _entries(pooled), pooled.table.reshape(-1, counts.k, counts.k)
    if not 1 <= len(flat) <= _MOST_TABLES or counts.k > _MOST_CLASSES:
        return [_distances(pooled, names, flat, notes)]
    return [
        _crossed(counts, f"Counts{f' of {name}' if name else ''}", cells, notes)
        for name, cells in zip(names, flat, strict=True)
    ]


def _crossed(counts: Counts, title: str, cells: Floats, notes: list[str]) -> Table:
    labels = counts.scale.labels
    headings = [Heading("gold \\ predicted"), *(Heading(str(label), True) for label in labels)]
    rows = [
        [words(label), *map(count, row), count(row.sum())]
        for label, row in zip(labels, cells, strict=True)
    ]
    rows.append([words("all"), *map(count, cells.sum(axis=0)), count(cells.sum())])
    return table([*headings, Heading("all", True)], rows, title=title, notes=notes)


def _distances(counts: Counts, names: list[str], flat: Floats, notes: list[str]) -> Table:
    """How far off the answers of each system are, in classes."""
    apart = np.abs(np.subtract.outer(np.arange(counts.k), np.arange(counts.k)))
    parts = apart == 0, apart == 1, apart > 1
    headings = [Heading("system" if counts.systems else "table")]
    headings += [Heading(text, True) for text in ("items", "right", "one class off", "further")]
    rows = [
        [words(name), count(cells.sum()), *(count(cells[part].sum()) for part in parts)]
        for name, cells in zip(names[:_MOST_ROWS], flat, strict=False)
    ]
    more = [f"And {len(names) - _MOST_ROWS:,} more."] if len(names) > _MOST_ROWS else []
    return table(headings, rows, title=f"Counts, {counts.k} classes", notes=[*more, *notes])


def _notes(counts: Counts) -> list[str]:
    notes = [f"All {len(counts.topics):,} topics together."] if counts.topics else []
    notes += ["Sums of weights."] if counts.weighted else []
    return notes + ([f"{counts.skipped:,} items left out."] if counts.skipped else [])


def _entries(counts: Counts) -> list[str]:
    """Names of the tables: systems, or places where the axes have no names."""
    if counts.systems:
        return list(counts.systems)
    places = list(np.ndindex(counts.table.shape[:-2]))
    return [",".join(str(i + 1) for i in place) for place in places]


def cells_table(counts: Counts) -> Table:
    """Every cell of every table in a row, for machines."""
    leading = counts.table.ndim - 2
    axes = [axis.name for axis in counts.axes] or [f"axis_{i + 1}" for i in range(leading)]
    headings = [*map(Heading, (*axes, "gold", "predicted")), Heading("count", True)]
    rows = [[*names, count(n)] for names, n in zip(_names(counts), counts.table.flat, strict=True)]
    return table(headings, rows)


def _names(counts: Counts) -> Iterator[tuple[Cell, ...]]:
    """Names of the cells, in the order in which they are held."""
    labels = [words(label) for label in counts.scale.labels]
    if counts.axes:
        leading = [[words(name) for name in axis.names] for axis in counts.axes]
    else:
        leading = [[count(i + 1) for i in range(n)] for n in counts.table.shape[:-2]]
    return product(*leading, labels, labels)
