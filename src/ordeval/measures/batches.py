"""Scores of many tables at once, in chunks that fit into memory."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..data.counts import Counts
from ..data.scale import Scale
from ..types import Array, Floats
from .terms import Cells, sharing

if TYPE_CHECKING:
    from .spec import Measure

_TWO_ZEROS = np.zeros(2)
_CHUNK_NUMBERS = 1 << 22  # tables of a chunk hold at most about this many numbers (32 MB)


def score_counts(chosen: Sequence["Measure"], counts: Counts) -> Floats:
    """Return scores `[measure, ...]` of tables, or of numbers where measures can use them.

    Those of probabilities, which tables do not tell, are NaN.
    """
    of_tables = [i for i, m in enumerate(chosen) if m.record.task != "probabilities"]
    tables = counts.effective
    scores = np.full((len(chosen), *tables.shape[:-2]), np.nan)
    scores[of_tables] = score_tables([chosen[i] for i in of_tables], tables, counts.scale)
    for row, m in enumerate(chosen):
        of_numbers = m.of_numbers(counts)
        if of_numbers is not None:
            scores[row] = of_numbers
    return scores


def score_tables(chosen: Sequence["Measure"], tables: Floats | Cells, scale: Scale) -> Floats:
    """Return scores `[measure, ...]` of tables `[..., K, K]`, computed in chunks."""
    chosen = [m.on(scale) for m in chosen]
    if isinstance(tables, Cells):
        return _score_cells(chosen, tables, scale)
    k, batch = tables.shape[-1], tables.shape[:-2]
    if k * k > _CHUNK_NUMBERS and tables.size:  # what is computed of it takes several times as much
        each = [_score_cells(chosen, Cells.of_table(n), scale) for n in tables.reshape(-1, k, k)]
        return np.stack(each, axis=1).reshape(len(chosen), *batch)
    return _score_dense(chosen, tables, scale)


def _score_dense(chosen: Sequence["Measure"], tables: Floats, scale: Scale) -> Floats:
    k = tables.shape[-1]
    flat = tables.reshape(-1, k, k)
    out = np.empty((len(chosen), len(flat)))
    step = max(1, _CHUNK_NUMBERS // (k * k))
    for start in range(0, len(flat), step):
        part = flat[start : start + step]
        laid_out = batch_innermost(part)
        with sharing(laid_out):
            for row, m in zip(out, chosen, strict=True):
                found = m.kernel(laid_out if m.record.batched else part, scale.numbers)
                row[start : start + step] = found[: len(part)]
    return out.reshape(len(chosen), *tables.shape[:-2])


def _score_cells(chosen: Sequence["Measure"], cells: Cells, scale: Scale) -> Floats:
    """Return scores `[measure, table]`; whole tables are made for measures that need them."""
    (size, k, _), count = cells.shape, len(cells.places.gold)
    out = np.empty((len(chosen), size))
    listed = [i for i, m in enumerate(chosen) if m.record.of_cells(m.params)]
    whole = [i for i, m in enumerate(chosen) if i not in listed]
    for part in _portions(size, count) if listed else ():
        some = cells.part(part)
        for i in listed:
            out[i, part] = chosen[i].kernel(some, scale.numbers)
    for part in _portions(size, k * k) if whole else ():
        dense = cells.part(part).dense()
        out[whole, part] = _score_dense([chosen[i] for i in whole], dense, scale)
    return out


def _portions(size: int, numbers: int) -> Iterator[slice]:
    """Divide tables that hold so many numbers each."""
    step = max(1, _CHUNK_NUMBERS // max(1, numbers))
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def batch_innermost(tables: Array) -> Floats:
    """Return `[batch, ...]` laid out so that inner loops run over the batch, not over classes.

    A single table is repeated, so that sums are added in the same order whatever the size of the
    batch, and a score never depends, in its last digits, on what else is scored.
    """
    axes = tables.ndim
    inner = tables.transpose(*range(1, axes), 0)
    twice = inner + _TWO_ZEROS if len(tables) == 1 else inner  # faster than to repeat it
    return np.ascontiguousarray(twice, dtype=np.float64).transpose(axes - 1, *range(axes - 1))
