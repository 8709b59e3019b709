"""The axioms, each with the makers of its cases."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from . import cases as made
from .cases import Cases, Floats

Source = Callable[["Effort"], Iterator[Cases]]
RandomSource = Callable[["Effort", np.random.Generator], Iterator[Cases]]


@dataclass(frozen=True)
class Effort:
    """How far a search goes.

    Attributes
    ----------
    items : for every number of classes K, the most items of the tables that are all tried.
    golds : the same for gold counts, where a system is right but for one item, or constant.
    units : the same for distributions, in equal units of mass.
    random_cases : random cases for every number of classes in `random_classes`.
    random_items : most items of a random table.
    empty_gold : whether gold classes may be empty; the papers' axioms suppose that none is.
    """

    items: Mapping[int, int] = field(default_factory=lambda: {2: 8, 3: 7, 4: 6})
    golds: Mapping[int, int] = field(default_factory=lambda: {3: 12, 4: 10, 5: 8})
    units: Mapping[int, int] = field(default_factory=lambda: {2: 5, 3: 5, 4: 4, 5: 3})
    random_cases: int = 1000
    random_classes: tuple[int, ...] = (3, 5, 7)
    random_items: int = 60
    empty_gold: bool = False


# For measures that solve a programme for every table.
SMALL_EFFORT = Effort(items={2: 3, 3: 4}, golds={3: 7}, random_cases=12, random_classes=(3,))


@dataclass(frozen=True)
class Axiom:
    """A property that every case of a kind must have.

    Attributes
    ----------
    id, title : names.
    task : "classification" or "quantification".
    statement : what is asked of a measure, in words.
    source : where it comes from.
    exhaustive, random : makers of cases, small ones in ascending size.
    """

    id: str
    title: str
    task: str
    statement: str
    source: str
    exhaustive: Source = field(repr=False, compare=False)
    random: RandomSource = field(repr=False, compare=False)


def _sizes(limits: Mapping[int, int], least_k: int = 2) -> list[tuple[int, int]]:
    """(size, K) from small to large."""
    return sorted(
        (size, k) for k, most in limits.items() if k >= least_k for size in range(1, most + 1)
    )


def _tables(effort: Effort) -> Iterator[tuple[int, Floats]]:
    for items, k in _sizes(effort.items):
        if effort.empty_gold or items >= k:
            yield items, made.all_tables(items, k, empty_gold=effort.empty_gold)


def _random_tables(effort: Effort, rng: np.random.Generator) -> Iterator[Floats]:
    for k in effort.random_classes:
        yield made.random_tables(k, effort.random_cases, effort.random_items, rng)


def _golds(effort: Effort) -> Iterator[made.Integers]:
    for items, k in _sizes(effort.golds, 3):
        found = made.compositions(items, k, 1)
        if len(found):
            yield found


def _random_golds(effort: Effort, rng: np.random.Generator) -> Iterator[made.Integers]:
    for k in effort.random_classes:
        for most in (effort.random_items, 5 * effort.random_items):
            yield made.random_golds(k, max(1, effort.random_cases // 4), most, rng)


def _invariance(effort: Effort) -> Iterator[Cases]:
    rng = np.random.default_rng(0)
    for _, tables in _tables(effort):
        yield from made.mapped_cases(tables, made.increasing_maps(tables.shape[-1], rng))


def _random_invariance(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    for tables in _random_tables(effort, rng):
        yield from made.mapped_cases(tables, made.increasing_maps(tables.shape[-1], rng))


def _monotonicity(effort: Effort) -> Iterator[Cases]:
    for items, tables in _tables(effort):
        found = made.moves_closer(tables, items)
        if len(found):
            yield found


def _random_monotonicity(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    for k in effort.random_classes:
        yield made.random_moves(k, effort.random_cases, effort.random_items, rng)


def _from_golds(
    make: Callable[[made.Integers], Cases | None],
) -> tuple[Source, RandomSource]:
    def exhaustive(effort: Effort) -> Iterator[Cases]:
        yield from filter(None, map(make, _golds(effort)))

    def random(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
        yield from filter(None, map(make, _random_golds(effort, rng)))

    return exhaustive, random


def _symmetry(effort: Effort) -> Iterator[Cases]:
    yield from filter(None, (made.transposed_cases(tables) for _, tables in _tables(effort)))


def _random_symmetry(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    yield from filter(None, map(made.transposed_cases, _random_tables(effort, rng)))


def _grids(effort: Effort) -> Iterator[Floats]:
    for units, k in _sizes(effort.units):
        yield made.grid_pairs(units, k)


def _random_pairs(effort: Effort, rng: np.random.Generator) -> Iterator[Floats]:
    for k in effort.random_classes:
        rows = made.random_distributions(k, 2 * effort.random_cases, rng)
        yield rows.reshape(-1, 2, k)


def _oq_invariance(effort: Effort) -> Iterator[Cases]:
    rng = np.random.default_rng(0)
    for points in _grids(effort):
        yield from made.mapped_cases(points, made.increasing_maps(points.shape[-1], rng))


def _random_oq_invariance(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    for points in _random_pairs(effort, rng):
        yield from made.mapped_cases(points, made.increasing_maps(points.shape[-1], rng))


def _oq_symmetry(effort: Effort) -> Iterator[Cases]:
    yield from filter(None, map(made.exchanged_cases, _grids(effort)))


def _random_oq_symmetry(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    yield from filter(None, map(made.exchanged_cases, _random_pairs(effort, rng)))


def _mass_order(effort: Effort) -> Iterator[Cases]:
    for units, k in _sizes(effort.units, 3):
        golds = made.grid(units, k)
        for amount in range(1, units + 1):
            found = made.mass_moves(golds, np.full(len(golds), amount / units))
            if found is not None:
                yield found


def _random_mass_order(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    for k in effort.random_classes:
        golds = made.random_distributions(k, effort.random_cases, rng)
        found = made.mass_moves(golds, rng.random(len(golds)) * golds.max(axis=1))
        if found is not None:
            yield found


def _single_class_order(effort: Effort) -> Iterator[Cases]:
    for k in sorted({*effort.units, *effort.random_classes}):
        if k > 2:
            found = made.mass_moves(np.eye(k), np.ones(k))
            if found is not None:
                yield found


def _random_single_class_order(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    for k in effort.random_classes:
        golds = np.eye(k)[rng.integers(0, k, size=effort.random_cases)]
        found = made.mass_moves(golds, rng.random(len(golds)))
        if found is not None:
            yield found


_AMIGO = "Amigó et al. 2020, §4.1"
_SAKAI_OC = "Sakai 2021, Table 4"
_SAKAI_OQ = "Sakai 2021, Table 7"

AXIOMS: tuple[Axiom, ...] = (
    Axiom(
        "ordinal_invariance",
        "Ordinal invariance",
        "classification",
        "Passing the class values through a strictly increasing function changes no score.",
        f"{_AMIGO}, property 1",
        _invariance,
        _random_invariance,
    ),
    Axiom(
        "ordinal_monotonicity",
        "Ordinal monotonicity",
        "classification",
        "Moving a prediction closer to its gold class, from either side, improves the score; no "
        "gold class is empty.",
        f"{_AMIGO}, property 2",
        _monotonicity,
        _random_monotonicity,
    ),
    Axiom(
        "imbalance",
        "Imbalance",
        "classification",
        "Of two systems that are right but for one item moved to the class between, the one "
        "whose item comes from the larger neighbour scores better; no gold class is empty.",
        f"{_AMIGO}, property 3",
        *_from_golds(made.imbalance_cases),
    ),
    Axiom(
        "order_awareness",
        "Order-awareness",
        "classification",
        "Of two systems that are right but for the same item, the one that puts it nearer to its "
        "gold class scores better; no gold class is empty.",
        f"{_SAKAI_OC}, column I",
        *_from_golds(made.nearer_error_cases),
    ),
    Axiom(
        "constant_systems",
        "Tells constant systems apart",
        "classification",
        "Where three or more gold classes all differ in size, systems that always answer the same "
        "class have scores, and not all the same one.",
        f"{_SAKAI_OC}, column II",
        *_from_golds(made.constant_cases),
    ),
    Axiom(
        "class_size_awareness",
        "Sees class sizes",
        "classification",
        "The score of a system with one error depends on the sizes of the gold classes: as "
        "different sizes are passed round among three classes or more, it does not stay the same.",
        f"{_SAKAI_OC}, column III",
        *_from_golds(made.class_size_cases),
    ),
    Axiom(
        "symmetry",
        "Symmetry",
        "classification",
        "Exchanging gold and prediction changes no score.",
        "Krippendorff's view of coders",
        _symmetry,
        _random_symmetry,
    ),
    Axiom(
        "ordinal_invariance",
        "Ordinal invariance",
        "quantification",
        "Passing the class values through a strictly increasing function changes no score.",
        f"{_AMIGO}, property 1; Sakai 2021, §7",
        _oq_invariance,
        _random_oq_invariance,
    ),
    Axiom(
        "order_awareness",
        "Order-awareness",
        "quantification",
        "An estimate that has some of gold's mass in another class scores worse the farther that "
        "class is, on the same side, whatever gold looks like.",
        f"{_SAKAI_OQ}, column I, for any gold",
        _mass_order,
        _random_mass_order,
    ),
    Axiom(
        "single_class_order",
        "Order-awareness for gold in one class",
        "quantification",
        "Where gold is all in one class, an estimate that has some of its mass in another class "
        "scores worse the farther that class is, on the same side.",
        f"{_SAKAI_OQ}, column I",
        _single_class_order,
        _random_single_class_order,
    ),
    Axiom(
        "symmetry",
        "Symmetry",
        "quantification",
        "Exchanging estimate and gold changes no score.",
        f"{_SAKAI_OQ}, column II",
        _oq_symmetry,
        _random_oq_symmetry,
    ),
)
