"""Kernels use the array API alone: array-api-strict runs them all, PyTorch with gradients."""

import importlib.util
import random
from typing import Any

import array_api_strict
import numpy as np
import pytest
from core_tables import all_measures, degenerate_tables, random_table

import ordeval as oe

K = 4
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)


def batch() -> Any:
    rng = random.Random(8)
    tables = [random_table(rng, K, filled=0.5) for _ in range(6)]
    return np.asarray([*tables, *degenerate_tables(rng, K).values()], dtype=float)


def distributions() -> Any:
    rng = np.random.default_rng(8)
    return rng.multinomial(5, np.ones(K) / K, size=(2, 20)) / 5


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_other_libraries_give_the_same_scores(library: str) -> None:
    asarray = pytest.importorskip(library).asarray
    tables, (p, q) = batch(), distributions()
    cases = [
        *((m, (tables,)) for m in all_measures("classification", K) if m.record.batched),
        *((m, (q, p)) for m in all_measures("quantification", K)),
    ]
    for measure, arrays in cases:
        scores = measure.of(*map(asarray, arrays))
        assert isinstance(scores, type(asarray(1.0))), measure
        np.testing.assert_allclose(
            np.asarray(scores), measure.of(*arrays), rtol=1e-12, atol=1e-15, err_msg=str(measure)
        )


def test_strict_arrays_that_are_not_square() -> None:
    with pytest.raises(oe.InputError, match=r"The tables have shape \(2, 3\)"):
        oe.measure("accuracy").of(array_api_strict.ones((2, 3)))


def test_strict_arrays_for_general_paths() -> None:
    table = [[3, 1, 0], [2, 2, 1], [1, 0, 4]]
    strict = array_api_strict.asarray(table)
    measure = oe.measure("oc_general")
    assert float(measure.of(strict)) == pytest.approx(float(measure.of(table)))


@needs_torch
def test_gradients_are_finite_wherever_there_is_a_score() -> None:
    import torch

    tables = batch()
    for measure in all_measures("classification", K):
        if not measure.record.differentiable:
            continue
        n = torch.tensor(tables, requires_grad=True)
        scores = measure.of(n)
        scores[~torch.isnan(scores)].sum().backward()
        defined = ~torch.isnan(scores)
        assert torch.isfinite(n.grad[defined]).all(), measure


@needs_torch
def test_gradients_of_distances_are_finite_wherever_there_is_one() -> None:
    import torch

    p, q = (torch.tensor(side) for side in distributions())
    for measure in all_measures("quantification", K):
        estimate = p.clone().requires_grad_()
        scores = measure.of(q, estimate)
        scores[~torch.isnan(scores)].sum().backward()
        assert torch.isfinite(estimate.grad[~torch.isnan(scores)]).all(), measure


@needs_torch
def test_gradients_are_those_of_small_steps() -> None:
    import torch

    rng = np.random.default_rng(2)
    table = torch.tensor(rng.uniform(1, 5, size=(3, 3)), requires_grad=True)
    for measure in oe.measures():
        if measure.record.differentiable:
            assert torch.autograd.gradcheck(measure.of, (table,)), measure


@needs_torch
def test_records_say_which_measures_are_not_differentiable() -> None:
    import torch

    table = torch.rand(3, 3, dtype=torch.float64, requires_grad=True)
    flat = [m.id for m in oe.measures() if not m.of(table).requires_grad]
    assert flat == [m.id for m in oe.measures() if not m.record.differentiable]


@needs_torch
def test_torch_tables_of_whole_numbers_are_scored_in_double_precision() -> None:
    import torch

    counts = torch.tensor([[3 * 10**12, 1], [1, 2 * 10**12]])
    assert oe.measure("kappa").of(counts).dtype == torch.float64
