"""The axioms, each with the sources of its cases."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ordeval.registry import Task
from ordeval.types import Floats, Ints

from . import axiom_cases as cases
from .axiom_cases import Cases

Points = TypeVar("Points")
Exhaustive = Callable[["Effort"], Iterator[Points]]
Random = Callable[["Effort", np.random.Generator], Iterator[Points]]
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
    """A property that a measure may have, with the cases that test it.

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
    exhaustive, random : callable
        Sources of cases: all small ones in ascending size, and random larger ones.

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
    exhaustive: Exhaustive[Cases] = field(repr=False, compare=False)
    random: Random[Cases] = field(repr=False, compare=False)

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> "Axiom":
        """Return the axiom that was stored as plain data, with its sources of cases.

        Parameters
        ----------
        data : mapping of str to object
            The plain data, with the id and the task.

        Returns
        -------
        Axiom
            One of the axioms of `axioms_of`.
        """
        return next(a for a in AXIOMS if (a.id, a.task) == (data["id"], data["task"]))


def _sizes(limits: Mapping[int, int], least_k: int = 2) -> list[tuple[int, int]]:
    """Return (size, K) from small to large."""
    return sorted(
        (size, k) for k, most in limits.items() if k >= least_k for size in range(1, most + 1)
    )


def _tables(effort: Effort) -> Iterator[Floats]:
    for items, k in _sizes(effort.items):
        if effort.empty_gold or items >= k:
            yield cases.all_tables(items, k, empty_gold=effort.empty_gold)


def _random_tables(effort: Effort, rng: np.random.Generator) -> Iterator[Floats]:
    for k in effort.random_classes:
        yield cases.random_tables(k, effort.random_cases, effort.random_items, rng)


def _golds(effort: Effort) -> Iterator[Ints]:
    for items, k in _sizes(effort.golds, 3):
        found = cases.compositions(items, k, 1)
        if len(found):
            yield found


def _random_golds(effort: Effort, rng: np.random.Generator) -> Iterator[Ints]:
    for k in effort.random_classes:
        for most in (effort.random_items, 5 * effort.random_items):
            yield cases.random_golds(k, max(1, effort.random_cases // 4), most, rng)


def _pairs(effort: Effort) -> Iterator[Floats]:
    for units, k in _sizes(effort.units):
        yield cases.grid_pairs(units, k)


def _random_pairs(effort: Effort, rng: np.random.Generator) -> Iterator[Floats]:
    for k in effort.random_classes:
        rows = cases.random_distributions(k, 2 * effort.random_cases, rng)
        yield rows.reshape(-1, 2, k)


def _masses(effort: Effort) -> Iterator[Masses]:
    for units, k in _sizes(effort.units, 3):
        golds = cases.grid(units, k)
        for amount in range(1, units + 1):
            yield golds, np.full(len(golds), amount / units)


def _random_masses(effort: Effort, rng: np.random.Generator) -> Iterator[Masses]:
    for k in effort.random_classes:
        golds = cases.random_distributions(k, effort.random_cases, rng)
        yield golds, rng.random(len(golds)) * golds.max(axis=1)


def _masses_of_one_class(effort: Effort) -> Iterator[Masses]:
    for k in sorted({*effort.units, *effort.random_classes}):
        if k > 2:
            yield np.eye(k), np.ones(k)


def _random_masses_of_one_class(effort: Effort, rng: np.random.Generator) -> Iterator[Masses]:
    for k in effort.random_classes:
        golds = np.eye(k)[rng.integers(0, k, size=effort.random_cases)]
        yield golds, rng.random(len(golds))


def _cases_from(
    make: Callable[[Points], Cases | None], small: Exhaustive[Points], large: Random[Points]
) -> tuple[Exhaustive[Cases], Random[Cases]]:
    """Return the sources of the cases that `make` builds from small and from random points."""

    def exhaustive(effort: Effort) -> Iterator[Cases]:
        return filter(None, map(make, small(effort)))

    def random(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
        return filter(None, map(make, large(effort, rng)))

    return exhaustive, random


def _mapped_from(
    small: Exhaustive[Floats], large: Random[Floats]
) -> tuple[Exhaustive[Cases], Random[Cases]]:
    """Return the sources of points under increasing maps of the class values."""

    def exhaustive(effort: Effort) -> Iterator[Cases]:
        rng = np.random.default_rng(0)
        for points in small(effort):
            yield from cases.mapped_cases(points, rng)

    def random(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
        for points in large(effort, rng):
            yield from cases.mapped_cases(points, rng)

    return exhaustive, random


def _moves(effort: Effort) -> Iterator[Cases]:
    return filter(None, map(cases.all_moves_closer, _tables(effort)))


def _random_moves(effort: Effort, rng: np.random.Generator) -> Iterator[Cases]:
    for tables in _random_tables(effort, rng):
        yield cases.random_moves_closer(tables, rng)


_AMIGO = "Amigó et al. 2020, §4.1"
_SAKAI_OC = "Sakai 2021, Table 4"
_SAKAI_OQ = "Sakai 2021, Table 7"

AXIOMS: tuple[Axiom, ...] = (
    Axiom(
        "ordinal_invariance",
        "Ordinal invariance",
        "classification",
        "A strictly increasing function of the class values does not change the score.",
        f"{_AMIGO}, property 1",
        *_mapped_from(_tables, _random_tables),
    ),
    Axiom(
        "ordinal_monotonicity",
        "Ordinal monotonicity",
        "classification",
        "Moving a prediction closer to its gold class, from either side, improves the score; no "
        "gold class is empty.",
        f"{_AMIGO}, property 2",
        _moves,
        _random_moves,
    ),
    Axiom(
        "imbalance",
        "Imbalance",
        "classification",
        "Of two systems with a single error each, an item predicted as the class between two gold "
        "classes, the one whose item belongs to the larger of the two scores better; no gold class "
        "is empty.",
        f"{_AMIGO}, property 3",
        *_cases_from(cases.imbalance_cases, _golds, _random_golds),
    ),
    Axiom(
        "order_awareness",
        "Order-awareness",
        "classification",
        "Of two systems that are wrong about the same single item, the one that predicts a class "
        "nearer to its gold class, on the same side, scores better; no gold class is empty.",
        f"{_SAKAI_OC}, column I",
        *_cases_from(cases.nearer_error_cases, _golds, _random_golds),
    ),
    Axiom(
        "constant_systems",
        "Tells constant systems apart",
        "classification",
        "If three or more gold classes all differ in size, systems that always predict the same "
        "class have defined scores that are not all equal.",
        f"{_SAKAI_OC}, column II",
        *_cases_from(cases.constant_cases, _golds, _random_golds),
    ),
    Axiom(
        "class_size_awareness",
        "Sees class sizes",
        "classification",
        "The score of a system with a single error depends on the sizes of the gold classes: it "
        "changes if the sizes of three or more classes, all different, are rotated.",
        f"{_SAKAI_OC}, column III",
        *_cases_from(cases.class_size_cases, _golds, _random_golds),
    ),
    Axiom(
        "symmetry",
        "Symmetry",
        "classification",
        "Exchanging gold and prediction does not change the score.",
        "Krippendorff: coders are interchangeable",
        *_cases_from(cases.transposed_cases, _tables, _random_tables),
    ),
    Axiom(
        "ordinal_invariance",
        "Ordinal invariance",
        "quantification",
        "A strictly increasing function of the class values does not change the score.",
        f"{_AMIGO}, property 1; Sakai 2021, §7",
        *_mapped_from(_pairs, _random_pairs),
    ),
    Axiom(
        "order_awareness",
        "Order-awareness",
        "quantification",
        "An estimate that moves some mass of gold to another class scores worse the farther that "
        "class is, on the same side, for any gold distribution.",
        f"{_SAKAI_OQ}, column I, for any gold",
        *_cases_from(cases.mass_moves, _masses, _random_masses),
    ),
    Axiom(
        "single_class_order",
        "Order-awareness for gold in one class",
        "quantification",
        "If gold is in a single class, an estimate that moves some of its mass to another class "
        "scores worse the farther that class is, on the same side.",
        f"{_SAKAI_OQ}, column I",
        *_cases_from(cases.mass_moves, _masses_of_one_class, _random_masses_of_one_class),
    ),
    Axiom(
        "symmetry",
        "Symmetry",
        "quantification",
        "Exchanging estimate and gold does not change the score.",
        f"{_SAKAI_OQ}, column II",
        *_cases_from(cases.exchanged_cases, _pairs, _random_pairs),
    ),
)
