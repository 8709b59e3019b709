"""The axioms, and the cases that they are tested on: all small ones, and random larger ones.

A *point* is what a measure scores: a table `[K, K]`, or for quantification two distributions
`[2, K]`, the estimate first and gold second. A case compares the scores of points.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Literal

import numpy as np

from ordeval.errors import InputError
from ordeval.measures.registry import Task
from ordeval.types import Floats, Ints

Relation = Literal["above", "equal", "apart"]


@dataclass(frozen=True)
class Cases:
    """Comparisons of points: tables `[P, K, K]`, or pairs of distributions `[P, 2, K]`.

    `left` and `right` are the indices of the two points of each case; for "apart", of the first and
    the last of several consecutive points. The left point must score better ("above"), both the
    same, or the points not all the same. `values` are the class values of the right points, if
    they are not 1..K.
    """

    points: Floats
    left: Ints
    right: Ints
    relation: Relation
    values: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.left)


@cache
def compositions(total: int, parts: int, least: int = 0) -> Ints:
    """Return all ways `[C, parts]` to write `total` as a sum of integers of at least `least`."""
    if parts == 1:
        return np.array([[total]] if total >= least else [], dtype=np.int64).reshape(-1, 1)
    blocks = [np.zeros((0, parts), dtype=np.int64)]
    for first in range(least, total - least * (parts - 1) + 1):
        rest = compositions(total - first, parts - 1, least)
        head = np.full((len(rest), 1), first, dtype=np.int64)
        blocks.append(np.concatenate([head, rest], axis=1))
    return np.concatenate(blocks)


@cache
def all_tables(items: int, k: int, *, empty_gold: bool = False) -> Floats:
    """Return all tables `[T, K, K]` of that many items, by default without empty gold classes."""
    parts = []
    for gold in compositions(items, k, 0 if empty_gold else 1):
        rows = [compositions(int(g), k) for g in gold]
        places = np.indices([len(row) for row in rows]).reshape(k, -1)
        parts.append(np.stack([row[at] for row, at in zip(rows, places, strict=True)], axis=1))
    return np.concatenate(parts).astype(np.float64)


def all_moves_closer(tables: Floats) -> Cases:
    """Compare all tables of a size with those where one item is one class closer to its gold class.

    Larger moves are chains of such moves, so a measure that improves by each improves by all.
    """
    items, k = int(tables[0].sum()), tables.shape[-1]
    if (items + 1) ** (k * k) > 2**63:
        raise InputError(
            f"All tables of {items} items in {k} classes were asked for; that is more than can be "
            "tried.",
            parameter="effort",
            hint="Allow fewer items, or leave this number of classes to the random cases.",
        )
    keys = _keys(tables, items)
    order = np.argsort(keys)
    lefts, rights = [], []
    for g, p in product(range(k), repeat=2):
        if g == p:
            continue
        source = np.flatnonzero(tables[:, g, p] > 0)
        moved = tables[source]
        moved[:, g, p] -= 1
        moved[:, g, p + (1 if p < g else -1)] += 1
        lefts.append(order[np.searchsorted(keys, _keys(moved, items), sorter=order)])
        rights.append(source)
    return Cases(tables, np.concatenate(lefts), np.concatenate(rights), "above")


def _keys(tables: Floats, items: int) -> Ints:
    """Return a unique number for each table of at most `items` items: its cells as digits."""
    flat = tables.reshape(len(tables), -1).astype(np.int64)
    return flat @ (items + 1) ** np.arange(flat.shape[1], dtype=np.int64)


def random_moves_closer(tables: Floats, rng: np.random.Generator) -> Cases:
    """Compare tables with those where one random item is one class closer to its gold class."""
    k = tables.shape[-1]
    wrong = tables * (1.0 - np.eye(k))
    tables, wrong = (x[wrong.any(axis=(1, 2))] for x in (tables, wrong))
    share = wrong.reshape(len(wrong), -1)
    aim = rng.random((len(share), 1)) * share.sum(axis=1, keepdims=True)
    cell = np.argmax(np.cumsum(share, axis=1) > aim, axis=1)
    g, p = np.divmod(cell, k)
    every = np.arange(len(tables))
    moved = tables.copy()
    moved[every, g, p] -= 1
    moved[every, g, p + np.sign(g - p)] += 1
    return Cases(np.concatenate([moved, tables]), every, every + len(every), "above")


def random_tables(k: int, cases: int, most: int, rng: np.random.Generator) -> Floats:
    """Draw tables `[T, K, K]` of K to `most` items, with at least one item in every gold class.

    Cell probabilities range from even to uneven; half of the tables favour the diagonal.
    """
    evenness = 10.0 ** rng.uniform(-1.0, 1.0, size=(cases, 1))
    weight = rng.gamma(np.broadcast_to(evenness, (cases, k * k))) + 1e-12
    lean = rng.integers(0, 2, size=(cases, 1)) * 3.0 * k * np.eye(k).ravel()
    weight *= 1.0 + lean
    extra = rng.integers(0, most - k + 1, size=cases)
    tables = rng.multinomial(extra, weight / weight.sum(axis=1, keepdims=True))
    tables = tables.reshape(cases, k, k)
    one_each = rng.integers(0, k, size=(cases, k))
    np.add.at(tables, (np.arange(cases)[:, None], np.arange(k), one_each), 1)
    return tables.astype(np.float64)


def random_golds(k: int, cases: int, most: int, rng: np.random.Generator) -> Ints:
    """Draw gold counts `[C, K]` of at least 1 each."""
    evenness = 10.0 ** rng.uniform(-1.0, 1.0, size=(cases, 1))
    weight = rng.gamma(np.broadcast_to(evenness, (cases, k))) + 1e-12
    extra = rng.integers(0, most - k + 1, size=cases)
    return 1 + rng.multinomial(extra, weight / weight.sum(axis=1, keepdims=True))


def one_error(golds: Ints, source: int, target: int) -> Floats:
    """Return tables with a single error: one item of class `source` predicted as `target`."""
    tables = golds[:, :, None] * np.eye(golds.shape[1], dtype=np.int64)
    tables[:, source, source] -= 1
    tables[:, source, target] += 1
    return tables.astype(np.float64)


def imbalance_cases(golds: Ints) -> Cases | None:
    """Compare an error from the larger with one from the smaller neighbour of each class."""
    parts = []
    for middle, step in product(range(1, golds.shape[1] - 1), (-1, 1)):
        large, small = middle - step, middle + step
        fit = golds[golds[:, large] > golds[:, small]]
        parts.append((one_error(fit, large, middle), one_error(fit, small, middle)))
    return _paired(parts, "above")


def nearer_error_cases(golds: Ints) -> Cases | None:
    """Compare a single error with the same item predicted one class farther away."""
    k = golds.shape[1]
    parts = []
    for source, step in product(range(k), (-1, 1)):
        for near in _classes_beyond(source, step, k):
            parts.append((one_error(golds, source, near), one_error(golds, source, near + step)))
    return _paired(parts, "above")


def _classes_beyond(source: int, step: int, k: int) -> Iterator[int]:
    """Yield the classes on one side of `source` that have another class beyond them."""
    near = source + step
    while 0 <= near + step < k:
        yield near
        near += step


def constant_cases(golds: Ints) -> Cases | None:
    """Compare all constant systems, for gold counts that are all different."""
    spread, k = _all_different(golds), golds.shape[1]
    every = [spread[:, :, None] * np.eye(k)[c] for c in range(k)]
    return _sets([table.astype(np.float64) for table in every])


def class_size_cases(golds: Ints) -> Cases | None:
    """Compare the same error into a neighbouring class under rotations of the class sizes.

    The sizes are all different, and every class has each of them once.
    """
    spread, k = _all_different(golds), golds.shape[1]
    moves = [(g, p) for g, p in product(range(k), repeat=2) if abs(g - p) == 1]
    rolled = [np.roll(spread, turn, axis=1) for turn in range(k)]
    return _sets([np.concatenate([one_error(r, g, p) for g, p in moves]) for r in rolled])


def _all_different(golds: Ints) -> Ints:
    return golds[(np.diff(np.sort(golds, axis=1), axis=1) > 0).all(axis=1)]


def _sets(members: Sequence[Floats]) -> Cases | None:
    """Return sets of points that must not all score alike: the i-th of each member is one set."""
    count, size = len(members[0]), len(members)
    if not count:
        return None
    points = np.stack(members, axis=1).reshape(count * size, *members[0].shape[1:])
    first = np.arange(count) * size
    return Cases(points, first, first + size - 1, "apart")


def _paired(parts: Sequence[tuple[Floats, Floats]], relation: Relation) -> Cases | None:
    """Compare each point of the left parts with that of the right ones; None without points."""
    if not sum(len(left) for left, _ in parts):
        return None
    left = np.concatenate([left for left, _ in parts])
    right = np.concatenate([right for _, right in parts])
    every = np.arange(len(left))
    return Cases(np.concatenate([left, right]), every, every + len(every), relation)


def transposed_cases(tables: Floats) -> Cases | None:
    """Compare each table with its transpose."""
    return _paired([(tables, np.swapaxes(tables, 1, 2))], "equal")


def exchanged_cases(points: Floats) -> Cases | None:
    """Compare each pair of distributions with the same pair in the other order."""
    return _paired([(points, points[:, ::-1])], "equal")


def mapped_cases(points: Floats, rng: np.random.Generator | None) -> Iterator[Cases]:
    """Compare points with class values 1..K with themselves under increasing maps of the values."""
    every = np.arange(len(points))
    for values in increasing_maps(points.shape[-1], rng or np.random.default_rng(0)):
        yield Cases(points, every, every, "equal", values)


def increasing_maps(k: int, rng: np.random.Generator) -> list[tuple[float, ...]]:
    """Return 1..K after some strictly increasing functions, and random increasing values."""
    x = np.arange(1.0, k + 1)
    drawn = np.cumsum(rng.exponential(size=k) + 0.05)
    maps: list[Any] = [x**3 + 10, 10 * x + x**2, np.sqrt(x), 2 * x + 3, drawn]
    return [tuple(float(v) for v in values) for values in maps]


def grid(units: int, k: int) -> Floats:
    """Return all distributions `[D, K]` of that many equal units of mass."""
    return compositions(units, k) / units


def grid_pairs(units: int, k: int) -> Floats:
    """Return all pairs `[T, 2, K]` of distributions of a grid."""
    rows = grid(units, k)
    first, second = np.indices((len(rows), len(rows))).reshape(2, -1)
    return np.stack([rows[first], rows[second]], axis=1)


def mass_moves(gold_and_amounts: tuple[Floats, Floats]) -> Cases | None:
    """Compare mass moved away from a gold class with the same mass moved one class farther.

    The arguments are gold distributions `[T, K]` and the mass to move `[T]`; a class that holds
    less than that gives none.
    """
    golds, amounts = gold_and_amounts
    k = golds.shape[1]
    parts = []
    for source, step in product(range(k), (-1, 1)):
        rich = golds[:, source] >= amounts - 1e-12
        for near in _classes_beyond(source, step, k):
            moved = [
                _with_mass_moved(golds[rich], amounts[rich], source, at)
                for at in (near, near + step)
            ]
            parts.append((moved[0], moved[1]))
    return _paired(parts, "above")


def _with_mass_moved(golds: Floats, amounts: Floats, source: int, target: int) -> Floats:
    """Return points `[T, 2, K]`: gold with some mass moved, and gold itself."""
    estimate = golds.copy()
    estimate[:, source] = np.maximum(estimate[:, source] - amounts, 0.0)
    estimate[:, target] += amounts
    return np.stack([estimate, golds], axis=1)


def random_distributions(k: int, cases: int, rng: np.random.Generator) -> Floats:
    """Draw distributions `[D, K]`, even and uneven, a third of them with empty classes."""
    evenness = 10.0 ** rng.uniform(-1.0, 1.0, size=(cases, 1))
    weight = rng.gamma(np.broadcast_to(evenness, (cases, k))) + 1e-9
    drop = (rng.random((cases, k)) < 0.4) & (rng.random((cases, 1)) < 1 / 3)
    drop[np.arange(cases), np.argmax(weight, axis=1)] = False
    weight[drop] = 0.0
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


Masses = tuple[Floats, Floats]


@dataclass(frozen=True)
class Effort:
    """How many cases a search for counter-examples tries.

    Parameters
    ----------
    items : mapping of int to int
        For each number of classes, up to how many items all tables are tried.
    golds : mapping of int to int
        For each number of classes, up to how many items all gold counts are tried, where the
        system has a single error or is constant.
    units : mapping of int to int
        For each number of classes, up to how many equal units of mass all distributions are tried.
    random_cases : int
        The number of random cases for each number of classes in `random_classes`.
    random_classes : tuple of int
        The numbers of classes of random cases.
    random_items : int
        The largest number of items of a random table.
    empty_gold : bool
        Whether gold classes may be empty; the axioms of the papers assume that none is.

    Examples
    --------
    >>> import ordeval as oe
    >>> quick = oe.meta.Effort(items={3: 4}, golds={3: 6}, random_cases=10, random_classes=(3,))
    >>> oe.meta.axioms("mae", ["symmetry"], effort=quick).satisfied("mae")
    ('symmetry',)
    """

    items: Mapping[int, int] = field(default_factory=lambda: {2: 8, 3: 7, 4: 6})
    golds: Mapping[int, int] = field(default_factory=lambda: {3: 12, 4: 10, 5: 8})
    units: Mapping[int, int] = field(default_factory=lambda: {2: 5, 3: 5, 4: 4, 5: 3})
    random_cases: int = 1000
    random_classes: tuple[int, ...] = (3, 5, 7)
    random_items: int = 60
    empty_gold: bool = False


# For measures that solve an optimisation problem for each table.
SMALL_EFFORT = Effort(items={2: 3, 3: 4}, golds={3: 7}, random_cases=12, random_classes=(3,))


@dataclass(frozen=True)
class Axiom:
    """A property that a measure may have.

    Parameters
    ----------
    id, title : str
        The name in code and the name for people.
    task : {"classification", "quantification"}
        The kind of measures that the axiom is about.
    statement : str
        What the axiom requires.
    source : str
        Where it was published.

    Examples
    --------
    >>> import ordeval as oe
    >>> symmetry = oe.meta.axioms_of("classification")[-1]
    >>> symmetry.id, symmetry.statement
    ('symmetry', 'Exchanging gold and prediction does not change the score.')
    """

    id: str
    title: str
    task: Task
    statement: str
    source: str


def _sizes(limits: Mapping[int, int], least_k: int = 2) -> list[tuple[int, int]]:
    """Return (size, K) from small to large."""
    return sorted(
        (size, k) for k, most in limits.items() if k >= least_k for size in range(1, most + 1)
    )


# Points to compare: with a generator random ones, otherwise all small ones in ascending size.
RandomOrNot = np.random.Generator | None


def _tables(effort: Effort, rng: RandomOrNot) -> Iterator[Floats]:
    if rng is not None:
        for k in effort.random_classes:
            yield random_tables(k, effort.random_cases, effort.random_items, rng)
        return
    for items, k in _sizes(effort.items):
        if effort.empty_gold or items >= k:
            yield all_tables(items, k, empty_gold=effort.empty_gold)


def _golds(effort: Effort, rng: RandomOrNot) -> Iterator[Ints]:
    if rng is None:
        yield from filter(len, (compositions(items, k, 1) for items, k in _sizes(effort.golds, 3)))
        return
    for k, most in product(effort.random_classes, (effort.random_items, 5 * effort.random_items)):
        yield random_golds(k, max(1, effort.random_cases // 4), most, rng)


def _pairs(effort: Effort, rng: RandomOrNot) -> Iterator[Floats]:
    if rng is None:
        yield from (grid_pairs(units, k) for units, k in _sizes(effort.units))
        return
    for k in effort.random_classes:
        yield random_distributions(k, 2 * effort.random_cases, rng).reshape(-1, 2, k)


def _masses(effort: Effort, rng: RandomOrNot) -> Iterator[Masses]:
    if rng is None:
        for units, k in _sizes(effort.units, 3):
            golds = grid(units, k)
            for amount in range(1, units + 1):
                yield golds, np.full(len(golds), amount / units)
        return
    for k in effort.random_classes:
        golds = random_distributions(k, effort.random_cases, rng)
        yield golds, rng.random(len(golds)) * golds.max(axis=1)


def _masses_of_one_class(effort: Effort, rng: RandomOrNot) -> Iterator[Masses]:
    if rng is None:
        several = (k for k in sorted({*effort.units, *effort.random_classes}) if k > 2)
        yield from ((np.eye(k), np.ones(k)) for k in several)
        return
    for k in effort.random_classes:
        golds = np.eye(k)[rng.integers(0, k, size=effort.random_cases)]
        yield golds, rng.random(len(golds))


def _moves_closer(tables: Floats, rng: RandomOrNot) -> Iterator[Cases]:
    yield all_moves_closer(tables) if rng is None else random_moves_closer(tables, rng)


def _once(make: Callable[[Any], Cases | None]) -> Callable[[Any, RandomOrNot], Iterator[Cases]]:
    """Return a function from points to cases that draws nothing."""
    return lambda points, rng: filter(None, [make(points)])


_CASES: Mapping[tuple[str, str], tuple[Any, Any]] = {  # points, and the cases made of them
    ("classification", "ordinal_invariance"): (_tables, mapped_cases),
    ("classification", "ordinal_monotonicity"): (_tables, _moves_closer),
    ("classification", "imbalance"): (_golds, _once(imbalance_cases)),
    ("classification", "order_awareness"): (_golds, _once(nearer_error_cases)),
    ("classification", "constant_systems"): (_golds, _once(constant_cases)),
    ("classification", "class_size_awareness"): (_golds, _once(class_size_cases)),
    ("classification", "symmetry"): (_tables, _once(transposed_cases)),
    ("quantification", "ordinal_invariance"): (_pairs, mapped_cases),
    ("quantification", "order_awareness"): (_masses, _once(mass_moves)),
    ("quantification", "single_class_order"): (_masses_of_one_class, _once(mass_moves)),
    ("quantification", "symmetry"): (_pairs, _once(exchanged_cases)),
}


def cases_of(axiom: Axiom, effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    """Yield the cases that test an axiom: all small ones, then random larger ones."""
    points, cases = _CASES[axiom.task, axiom.id]
    for drawn in (None, rng):
        for some in points(effort, drawn):
            yield from cases(some, drawn)


@cache
def axioms_of(task: Task | None = None) -> tuple[Axiom, ...]:
    """Return the axioms of a task.

    Parameters
    ----------
    task : {"classification", "quantification"}, optional
        The task; both by default.

    Returns
    -------
    tuple of Axiom
        The axioms, with their statements and sources.

    Examples
    --------
    >>> import ordeval as oe
    >>> [axiom.id for axiom in oe.meta.axioms_of("quantification")]
    ['ordinal_invariance', 'order_awareness', 'single_class_order', 'symmetry']
    """
    text = (files(__package__) / "axioms.toml").read_text(encoding="utf-8")
    every = (Axiom(**entry) for entry in tomllib.loads(text)["axiom"])
    return tuple(axiom for axiom in every if task in (None, axiom.task))
