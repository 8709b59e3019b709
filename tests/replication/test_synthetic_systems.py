"""Amigó et al. (2020), Table 3, synthetic half."""

import numpy as np
from replication.synthetic_systems import Design, synthetic_counts

SMALL = Design(cases=4, items=50)


def test_systems_err_in_the_ways_their_names_say() -> None:
    counts = synthetic_counts(SMALL, 1)
    of = {name: counts.of(name).table.sum(axis=0) for name in counts.systems}
    assert (of["maj 1"].sum(axis=0) > 0).nonzero()[0].tolist() == [3]
    next_class = of["tdisp 1"]
    assert np.trace(next_class) == next_class[10, 10]
    assert np.trace(next_class[:, 1:]) == next_class[:10].sum()
    assert (np.tril(of["odisp 1"], -1) == 0).all()
    assert of["rand 0.1"].trace() > of["rand 0.9"].trace()


def test_systems_share_gold_and_the_seed_decides() -> None:
    first, second = synthetic_counts(SMALL, 1), synthetic_counts(SMALL, 1)
    assert np.array_equal(first.table, second.table)
    gold = first.table.sum(axis=-1)
    assert np.array_equal(gold, np.broadcast_to(gold[:1], gold.shape))
    assert (synthetic_counts(SMALL, 2).table != first.table).any()
