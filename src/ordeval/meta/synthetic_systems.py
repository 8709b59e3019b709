"""The synthetic systems of Amigó et al. (2020, section 5.3): known kinds and ratios of error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ordeval.counts import Axis, Counts
from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.scale import Scale
from ordeval.stats.resample import as_seed, stream
from ordeval.types import RNG, Floats, Ints, Undefined

from .score_matrices import ScoreMatrices
from .unanimity import AMIGO_REFERENCE, coverage

KINDS = ("rand", "prox", "maj", "tdisp", "odisp")
MAJORITY = 4
_RATIOS = tuple(i / 10 for i in range(1, 11))


@dataclass(frozen=True)
class Design:
    """Sizes of the synthetic data; the defaults are those of the paper.

    Gold labels are drawn from Normal(4, σ), with σ increasing evenly from 1 to 3 over the test
    cases, rounded and clipped to 1..classes.

    Parameters
    ----------
    cases : int
        The number of test cases, which are the topics.
    items : int
        The number of items in each test case.
    classes : int
        The number of classes.
    ratios : tuple of float
        The error ratios of the systems.
    beyond : {"last", "own"}
        The class of an item that an ordinal displacement would move past the end, which the paper
        does not specify: that of the last item, or its own.

    Examples
    --------
    >>> import ordeval as oe
    >>> design = oe.meta.Design(cases=2, items=10, classes=5, ratios=(0.5,))
    >>> oe.meta.synthetic_counts(design).systems
    ('rand 0.5', 'prox 0.5', 'maj 0.5', 'tdisp 0.5', 'odisp 0.5')
    """

    cases: int = 100
    items: int = 200
    classes: int = 11
    ratios: tuple[float, ...] = _RATIOS
    beyond: Literal["last", "own"] = "last"

    def __post_init__(self) -> None:
        if self.beyond not in ("last", "own"):
            raise InputError(
                f'beyond={self.beyond!r} is not known; "last" or "own" is expected.',
                parameter="beyond",
            )
        if self.cases < 2 or self.items < 10 or self.classes < MAJORITY:
            raise InputError(
                f"{self} is too small: at least 2 test cases, 10 items and {MAJORITY} classes "
                "are expected.",
                parameter="design",
            )


def synthetic_counts(design: Design | None = None, *, rng: RNG = 0) -> Counts:
    """Count the answers of synthetic systems that err in known ways.

    Each system errs on an item with the probability given by its ratio, in one of five ways: it
    predicts the majority class (maj), a random class (rand), the next higher class (tdisp), the
    class of the item that is a tenth of all items farther in gold order (odisp), or the class of
    the item half-way to a random place in gold order (prox).

    Parameters
    ----------
    design : Design, optional
        The sizes of the data; those of the paper by default.
    rng : int, numpy.random.Generator or None, default: 0
        The seed of the labels.

    Returns
    -------
    Counts
        Counts with the axes system and topic; systems are named "kind ratio".

    Examples
    --------
    >>> import ordeval as oe
    >>> design = oe.meta.Design(cases=2, items=10, classes=5, ratios=(0.5, 1.0))
    >>> oe.meta.synthetic_counts(design).table.shape
    (10, 2, 5, 5)
    """
    design, seed = design or Design(), as_seed(rng)
    names = tuple(f"{kind} {ratio:g}" for kind in KINDS for ratio in design.ratios)
    table = np.zeros((len(names), design.cases, design.classes, design.classes))
    for case, sigma in enumerate(np.linspace(1.0, 3.0, design.cases)):
        draw = stream(seed, "synthetic", case)
        gold = np.rint(draw.normal(MAJORITY, sigma, size=design.items)).astype(np.int64)
        gold = np.sort(np.clip(gold, 1, design.classes))
        for row, labels in enumerate(_system_labels(gold, design, draw)):
            np.add.at(table[row, case], (gold - 1, labels - 1), 1.0)
    topics = tuple(f"case-{i + 1}" for i in range(design.cases))
    axes = (Axis("system", names), Axis("topic", topics))
    return Counts(table, Scale.of(range(1, design.classes + 1)), axes)


def _system_labels(gold: Ints, design: Design, rng: np.random.Generator) -> list[Ints]:
    """Return the labels `[items]` of each system, for gold labels in ascending order."""
    found: list[Ints] = []
    for kind in KINDS:
        for ratio in design.ratios:
            wrong = rng.random(len(gold)) < ratio
            found.append(np.where(wrong, _ERRORS[kind](gold, design, rng), gold))
    return found


def _random(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    return rng.integers(1, design.classes + 1, size=len(gold))


def _majority(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    return np.full_like(gold, MAJORITY)


def _next_class(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    return np.asarray(np.minimum(gold + 1, design.classes))


def _farther_item(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    place = np.arange(len(gold)) + len(gold) // 10
    farther: Ints = gold[np.minimum(place, len(gold) - 1)]
    return farther if design.beyond == "last" else np.where(place < len(gold), farther, gold)


def _half_way_item(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    place = (np.arange(len(gold)) + rng.integers(0, len(gold), size=len(gold))) // 2
    half_way: Ints = gold[place]
    return half_way


_ERRORS: dict[str, Callable[[Ints, Design, np.random.Generator], Ints]] = {
    "rand": _random,
    "prox": _half_way_item,
    "maj": _majority,
    "tdisp": _next_class,
    "odisp": _farther_item,
}

TABLE_3_MEASURES = (
    *AMIGO_REFERENCE,
    "macro_f1",
    "macro_recall",
    "cohen_kappa",
    "accuracy_within(n=1)",
    "mae",
    "macro_mae",
    "mse",
    "macro_mse",
    "pearson",
    "spearman",
    "cem",
    "cem(log=False)",
)


@dataclass(frozen=True, repr=False)
class SyntheticCoverage(Displayable):
    """Coverage on synthetic systems: the synthetic half of Amigó et al. (2020), Table 3.

    Parameters
    ----------
    measures : tuple of str
        The measures, the three reference measures first.
    columns : tuple of str
        "all", then "-kind" for all systems except those of one kind.
    coverage : ndarray of shape (n_measures, n_columns)
        The coverage of each measure.

    Examples
    --------
    >>> import ordeval as oe
    >>> found = oe.meta.synthetic_coverage(oe.meta.Design(cases=2, items=10, classes=5))
    >>> found.columns
    ('all', '-rand', '-prox', '-maj', '-tdisp', '-odisp')
    """

    measures: tuple[str, ...]
    columns: tuple[str, ...]
    coverage: Floats


def synthetic_coverage(
    design: Design | None = None, *, undefined: Undefined = 0.0, rng: RNG = 0
) -> SyntheticCoverage:
    """Compute coverage on the synthetic systems, for all and without each kind of error.

    Parameters
    ----------
    design : Design, optional
        The sizes of the data; those of the paper by default.
    undefined : float, "skip" or None, default: 0.0
        How undefined scores are treated: correlations of systems that always predict the majority
        class. The paper does not specify it; 0 stands for no correlation.
    rng : int, numpy.random.Generator or None, default: 0
        The seed of the labels.

    Returns
    -------
    SyntheticCoverage
        The coverage of the measures of the paper.

    Examples
    --------
    >>> import ordeval as oe
    >>> found = oe.meta.synthetic_coverage(oe.meta.Design(cases=2, items=10, classes=5))
    >>> found.coverage.shape
    (15, 6)
    """
    counts = synthetic_counts(design, rng=rng)
    scores = ScoreMatrices.from_counts(counts, TABLE_3_MEASURES, undefined=undefined)
    columns = []
    for kind in (None, *KINDS):
        kept = [s for s in scores.systems if kind is None or not s.startswith(f"{kind} ")]
        part = scores.select(systems=kept)
        reference = part.select(measures=part.measures[: len(AMIGO_REFERENCE)])
        columns.append(coverage(part, reference).coverage)
    names = ("all", *(f"-{kind}" for kind in KINDS))
    return SyntheticCoverage(scores.measures, names, np.stack(columns, axis=1))
