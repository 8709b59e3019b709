"""Sakai's summary of measures (2021, Tables 4 and 7), filled from the data at hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.spec import parse_measure

from .consistency import Consistency
from .discrimination import DiscriminativePower
from .published import SAKAI_TABLE_4, SAKAI_TABLE_7, SakaiRow
from .ranks import Floats
from .similarity import Similarity

UNKNOWN = "undefined"


@dataclass(frozen=True)
class SummaryRow:
    """What is known about a measure.

    Attributes
    ----------
    order, constant, imbalance, symmetric : properties, from the axiom search; None where the
        measure was not searched or the column does not apply. `order` is order-awareness (for
        quantification with gold in one class), `imbalance` whether class sizes are seen.
    group : letter of its group of similar rankings, the largest being A.
    consistency, discrimination : "good", "fair" or "poor" among the measures compared.
    printed : the row that Sakai (2021) prints, for other data.
    """

    measure: str
    order: bool | None
    constant: bool | None
    imbalance: bool | None
    symmetric: bool | None
    group: str
    consistency: str
    discrimination: str
    printed: SakaiRow | None


class Summary(Displayable, tuple[SummaryRow, ...]):
    """Rows of measures, printed as one table."""

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import summary_table

        return [summary_table(self)]


def summary(
    similarity: Similarity,
    consistencies: Sequence[Consistency],
    discrimination: DiscriminativePower,
    *,
    task: str | None = None,
) -> Summary:
    """One row per measure; see `grade_consistency` and `grade_discrimination` for the words."""
    stability = grade_consistency(consistencies)
    power = grade_discrimination(discrimination)
    return Summary(
        _row(name, task, similarity.group_of(name), stable, strong)
        for name, stable, strong in zip(similarity.measures, stability, power, strict=True)
    )


def grade_consistency(results: Sequence[Consistency]) -> tuple[str, ...]:
    """Grade consistency as good, fair or poor, by significant differences.

    What counts is how many of the other measures a measure beats, less the number that beat it,
    as a share of those that have a mean τ, averaged over the sizes of splits: good from +1/2, poor
    from -1/2 on. On
    Sakai's 2016 classification data this gives his column V.
    """
    if not results:
        raise InputError("No consistency result was given; at least one is needed for grades.")
    net = np.mean([_net_wins(r) for r in results], axis=0)
    unknown = np.any([np.isnan(r.mean) for r in results], axis=0)
    return _graded(np.where(unknown, np.nan, net), -0.5, 0.5)


def _net_wins(result: Consistency) -> Floats:
    """Wins less defeats `[M]` as a share of the other measures that could be compared."""
    others = max(int((~np.isnan(result.mean)).sum()) - 1, 1)
    return np.asarray((result.beats - result.beaten) / others)


def grade_discrimination(result: DiscriminativePower) -> tuple[str, ...]:
    """Grade discriminative power as good, fair or poor, among the measures compared.

    The share of pairs told apart is placed between the least and the most that any measure
    reaches: good in the top tenth of that range, poor in the lower half. Where the range is
    narrower than one pair in twenty, all are fair. On Sakai's 2016 classification data this gives
    his column VI but for macro MAE, which he finds poor on both of his data sets together.
    """
    share = result.share
    if np.isnan(share).all():
        return (UNKNOWN,) * len(share)
    low, high = float(np.nanmin(share)), float(np.nanmax(share))
    if high - low < 0.05:
        return _graded(np.where(np.isnan(share), np.nan, 0.5), 0.0, 1.0)
    return _graded((share - low) / (high - low), 0.5, 0.9)


def _graded(numbers: Floats, poor: float, good: float) -> tuple[str, ...]:
    words = np.where(numbers >= good, "good", np.where(numbers <= poor, "poor", "fair"))
    return tuple(UNKNOWN if np.isnan(x) else str(w) for x, w in zip(numbers, words, strict=True))


def _row(name: str, task: str | None, group: str, stability: str, power: str) -> SummaryRow:
    if task is None:
        return SummaryRow(name, None, None, None, None, group, stability, power, None)
    if task == "quantification":
        columns: tuple[str | None, ...] = ("single_class_order", None, None, "symmetry")
        printed = SAKAI_TABLE_7.get(name)
    else:
        columns = ("order_awareness", "constant_systems", "class_size_awareness", "symmetry")
        printed = SAKAI_TABLE_4.get(name)
    order, constant, sizes, symmetric = (
        None if axiom is None else parse_measure(name).satisfies(axiom) for axiom in columns
    )
    return SummaryRow(name, order, constant, sizes, symmetric, group, stability, power, printed)
