"""The synthetic systems of Amigó et al. (2020, §5.3): known kinds and ratios of error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval.counts import Axis, Counts
from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.scale import Scale
from ordeval.stats.resample import as_seed, stream
from ordeval.types import Undefined

from .coverage import AMIGO_REFERENCE, coverage
from .matrices import ScoreMatrices
from .ranks import Floats

Labels = NDArray[np.int64]

KINDS = ("rand", "prox", "maj", "tdisp", "odisp")
MAJORITY = 4
_RATIOS = tuple(i / 10 for i in range(1, 11))


@dataclass(frozen=True)
class Design:
    """Sizes of the synthetic data; the defaults are the paper's.

    Gold labels are Normal(4, σ), σ rising evenly from 1 to 3 over the test cases, rounded and
    clipped to 1..classes. `beyond` is the class of an item that an ordinal displacement would
    move past the end, which the paper leaves open: that of the "last" item, or its "own".
    """

    cases: int = 100
    items: int = 200
    classes: int = 11
    ratios: tuple[float, ...] = _RATIOS
    beyond: Literal["last", "own"] = "last"

    def __post_init__(self) -> None:
        if self.beyond not in ("last", "own"):
            raise InputError(f'beyond={self.beyond!r} is not known; it is "last" or "own".')
        if self.cases < 2 or self.items < 10 or self.classes < MAJORITY:
            raise InputError(
                f"{self} is too small: at least 2 test cases, 10 items and {MAJORITY} classes "
                "are expected."
            )


def synthetic_counts(
    design: Design | None = None, *, rng: int | np.random.Generator | None = 0
) -> Counts:
    """Counts `[system, topic, gold, predicted]` of systems named "kind ratio".

    Every system errs on an item with the chance that its ratio says, in one of five ways: the
    majority class (maj), a random class (rand), the next class up (tdisp), the class of the item a
    tenth of all items further on in gold order (odisp), or the class of the item half-way to a
    random place in gold order (prox). Places beyond the last item: see `Design.beyond`.
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


def _system_labels(gold: Labels, design: Design, rng: np.random.Generator) -> list[Labels]:
    """Labels `[items]` of every system, for gold labels in ascending order."""
    found: list[Labels] = []
    for kind in KINDS:
        for ratio in design.ratios:
            wrong = rng.random(len(gold)) < ratio
            found.append(np.where(wrong, _ERRORS[kind](gold, design, rng), gold))
    return found


def _random(gold: Labels, design: Design, rng: np.random.Generator) -> Labels:
    return rng.integers(1, design.classes + 1, size=len(gold))


def _majority(gold: Labels, design: Design, rng: np.random.Generator) -> Labels:
    return np.full_like(gold, MAJORITY)


def _next_class(gold: Labels, design: Design, rng: np.random.Generator) -> Labels:
    return np.asarray(np.minimum(gold + 1, design.classes))


def _further_item(gold: Labels, design: Design, rng: np.random.Generator) -> Labels:
    place = np.arange(len(gold)) + len(gold) // 10
    further: Labels = gold[np.minimum(place, len(gold) - 1)]
    return further if design.beyond == "last" else np.where(place < len(gold), further, gold)


def _half_way_item(gold: Labels, design: Design, rng: np.random.Generator) -> Labels:
    place = (np.arange(len(gold)) + rng.integers(0, len(gold), size=len(gold))) // 2
    half_way: Labels = gold[place]
    return half_way


_ERRORS: dict[str, Callable[[Labels, Design, np.random.Generator], Labels]] = {
    "rand": _random,
    "prox": _half_way_item,
    "maj": _majority,
    "tdisp": _next_class,
    "odisp": _further_item,
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
    """The synthetic half of Amigó et al. (2020), Table 3.

    Attributes
    ----------
    measures : names, the three reference measures first.
    columns : "all", then "-kind" for all systems but those of one kind.
    coverage : `[measure, column]`.
    """

    measures: tuple[str, ...]
    columns: tuple[str, ...]
    coverage: Floats

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import synthetic_table

        return [synthetic_table(self)]


def synthetic_coverage(
    design: Design | None = None,
    *,
    undefined: Undefined = 0.0,
    rng: int | np.random.Generator | None = 0,
) -> SyntheticCoverage:
    """Coverage on the synthetic systems, for all and leaving out each kind of error.

    `undefined` stands in for scores that do not exist: correlations of the systems that always
    answer the majority class. 0, no correlation, is the usual reading; the paper does not say.
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
