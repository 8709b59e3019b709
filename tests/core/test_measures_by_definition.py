"""Every measure against a slow definition over items, on random and degenerate tables."""

import random
from typing import Any

import numpy as np
import pytest
from core_tables import (
    Table,
    all_measures,
    by_definition,
    degenerate_tables,
    random_table,
    stacked,
)

import oracles
import ordeval as oe
from ordeval.measures.closeness import ciq
from ordeval.measures.registry import records

CLOSE = {"rel": 1e-10, "abs": 1e-12, "nan_ok": True}
LISTED_K = 3  # the definition of oc_general lists all sets of cells


def tables_of(k: int, how_many: int) -> list[Table]:
    rng = random.Random(k)
    dense = [random_table(rng, k, filled=rng.choice((0.2, 0.5, 0.9))) for _ in range(how_many)]
    return [*dense, *degenerate_tables(rng, k).values()]


def check(measure: oe.Measure, values: Any, expected: list[float], *arrays: Any) -> None:
    """The scores are those expected, within their bounds, and undefined as the record says."""
    scores = measure.of(*arrays, values=values)
    assert list(scores) == pytest.approx(expected, **CLOSE), measure
    k = arrays[0].shape[-1]
    low, high = measure.bounds(values or k)
    defined = scores[~np.isnan(scores)]
    assert np.all((defined >= low - 1e-12) & (defined <= high + 1e-12)), measure
    numbers = np.asarray(values or range(1, k + 1), dtype=float)
    holds = [c.holds(*arrays, numbers) for c in measure.record.undefined(measure.params)]
    assert np.array_equal(np.isnan(scores), np.any([*holds, np.zeros(len(scores))], axis=0))


def agree(measure: oe.Measure, tables: list[Table], values: Any = None) -> None:
    expected = [by_definition(measure, table, values) for table in tables]
    check(measure, values, expected, stacked(tables))


def test_every_parameter_is_tried() -> None:
    tasks = ("classification", "quantification")  # others are in tests of their own
    scored = [record for record in records().values() if record.task in tasks]
    for record in scored:
        assert set(oracles.TRIED[record.id]) == {p.name for p in record.parameters}


@pytest.mark.parametrize(("k", "how_many"), [(2, 40), (3, 30), (4, 20), (5, 10)])
def test_all_variants(k: int, how_many: int) -> None:
    tables = tables_of(k, how_many)
    for measure in all_measures("classification", k):
        if measure.id != "oc_general":
            agree(measure, tables)


@pytest.mark.parametrize("k", [2, LISTED_K])
def test_general_paths(k: int) -> None:
    tables = tables_of(k, 2)
    for measure in all_measures("classification", k):
        if measure.id == "oc_general":
            agree(measure, tables)


def test_general_paths_of_four_classes() -> None:
    agree(oe.measure("oc_general(beta1=0.25, beta2=0.02)"), tables_of(4, 2)[:2])


@pytest.mark.parametrize("k", [2, 4])
def test_class_values(k: int) -> None:
    values = [0.0, 0.5, 2.0, 7.0][:k]
    tables = tables_of(k, 8)
    for measure in all_measures("classification", k):
        if measure.id != "oc_general":
            agree(measure, tables, values)


def test_class_values_of_both_signs() -> None:
    values = [-1.0, 0.0, 1.0, 2.5]
    tables = tables_of(4, 8)
    for measure in all_measures("classification", 4):
        if measure.id != "oc_general":
            agree(measure, tables, values)


def test_general_paths_with_class_values() -> None:
    agree(oe.measure("oc_general(0.25, 0.02)"), tables_of(3, 4), [0.0, 0.5, 2.0])


def sparse_table(rng: random.Random, k: int, cells: int, most: int) -> Table:
    table: Table = [[0] * k for _ in range(k)]
    for _ in range(cells):
        table[rng.randrange(k)][rng.randrange(k)] = rng.randint(1, most)
    return table


@pytest.mark.parametrize("most", [9, 10**12])
def test_fifty_classes(most: int) -> None:
    tables = [sparse_table(random.Random(most + cells), 50, cells, most) for cells in (3, 30)]
    for measure in oe.measures(batched=True):
        agree(measure, tables)


@pytest.mark.parametrize("scale", ["ordinal", "nominal", "interval"])
@pytest.mark.parametrize("log", [True, False])
def test_closeness_per_class(scale: str, log: bool) -> None:
    for k in (2, 3, 4):
        values = list(range(1, k + 1))
        for name, table in degenerate_tables(random.Random(k), k).items():
            gold, pred, often = oracles.items_of(table)
            n = np.asarray(table)
            for axis, oracle in ((-2, oracles.ciq_precision), (-1, oracles.ciq_recall)):
                got = ciq(n, np.asarray(values, float), axis, scale, log)
                for cls in range(k):
                    if axis == -2 and n[cls].sum() == 0:
                        continue  # its best closeness rests on half an item that is not there
                    want = oracle(gold, pred, k, cls, values, often, scale, log)
                    assert got[cls] == pytest.approx(want, **CLOSE), (name, cls)


def distributions(rng: random.Random, k: int) -> list[float]:
    kind = rng.choice(("dense", "sparse", "one class"))
    counts = [rng.randint(0, 16) if kind == "dense" or rng.random() < 0.4 else 0 for _ in range(k)]
    if kind == "one class" or not any(counts):
        counts = [0] * k
        counts[rng.randrange(k)] = 1
    return [c / sum(counts) for c in counts]


@pytest.mark.parametrize("k", [2, 3, 12, 40])
@pytest.mark.parametrize("unequal", [False, True])
def test_quantification(k: int, unequal: bool) -> None:
    rng = random.Random(k)
    values = [i + 0.25 * i * i for i in range(k)] if unequal else None
    pairs = [(distributions(rng, k), distributions(rng, k)) for _ in range(50)]
    pairs += [(q, q) for _, q in pairs[:5]]
    p, q = (np.asarray(side) for side in zip(*pairs, strict=True))
    for measure in all_measures("quantification", k):
        oracle = oracles.QUANTIFICATION_ORACLES[measure.id]
        expected = [oracle(a, b, values, **measure.params) for a, b in zip(p, q, strict=True)]
        check(measure, values, expected, q, p)
