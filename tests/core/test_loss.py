"""Losses: measures of soft tables, with gradients, compiled or not."""

import pickle
from typing import Any

import numpy as np
import pytest
from core_tables import all_measures

import ordeval as oe

K, B = 4, 40
NAMES = [m for m in oe.measures() if m.record.differentiable]
YARDSTICKS = ["cross_entropy", "cumulative_cross_entropy"]
SOME = ["qwk", "cem", "macro_mae", "macro_f1", "alpha_ord", "oc_0.25", "auoc", "spearman"]


def loss(measure: Any, **options: Any) -> Any:
    return oe.loss(measure, labels=range(1, K + 1), **options)


def batch(seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    targets = rng.permutation(np.r_[np.arange(K), rng.integers(0, K, B - K)])
    return rng.normal(size=(B, K)), targets


def of_torch(dtype: str = "float64") -> tuple[Any, Any, Any]:
    torch = pytest.importorskip("torch")
    scores, targets = batch()
    made = torch.tensor(scores, dtype=getattr(torch, dtype), requires_grad=True)
    return torch, made, torch.tensor(targets)


def cross_table(gold: Any, predicted: Any) -> Any:
    return np.bincount(gold * K + predicted, minlength=K * K).reshape(K, K)


def test_certain_predictions_have_the_score_of_the_table_of_counts() -> None:
    scores, gold = batch()
    predicted = scores.argmax(-1)
    for measure in all_measures("classification", K):
        by_position = any(p.classes for p in measure.record.parameters)  # a loss names labels
        if measure.record.differentiable and not by_position:
            score = float(measure.of(cross_table(gold, predicted)))
            wanted = score if measure.better == "lower" else measure.best(K) - score
            found = loss(measure, from_logits=False)(np.eye(K)[predicted], gold)
            assert float(found) == pytest.approx(wanted, abs=1e-12), measure


@pytest.mark.parametrize("name", [*SOME, *YARDSTICKS])
def test_gradients_are_those_of_small_steps(name: str) -> None:
    torch, scores, targets = of_torch()
    made = loss(name, class_weight=[1, 2, 3, 4])
    assert torch.autograd.gradcheck(lambda x: made(x, targets), (scores,))


def test_cross_entropy_is_that_of_pytorch() -> None:
    torch, scores, targets = of_torch()
    wanted = torch.nn.functional.cross_entropy(scores, targets)
    assert torch.allclose(loss("cross_entropy")(scores, targets), wanted)
    shares = scores.softmax(-1)
    found = loss("cross_entropy", from_logits=False)(shares, torch.eye(K).double()[targets])
    assert torch.allclose(found, wanted)


def test_cumulative_cross_entropy_by_its_definition() -> None:
    scores, targets = batch()
    shares = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    below = np.cumsum(shares, axis=-1)[:, :-1]
    is_below = targets[:, None] <= np.arange(K - 1)
    wanted = -np.log(np.where(is_below, below, 1 - below)).sum(-1).mean()
    assert float(loss("cumulative_cross_entropy")(scores, targets)) == pytest.approx(wanted)


@pytest.mark.parametrize("name", SOME)
def test_training_improves_the_measure(name: str) -> None:
    torch, scores, targets = of_torch("float32")
    made = loss(name)
    optimiser = torch.optim.Adam([scores], lr=0.1)
    first = made(scores, targets).item()
    for _ in range(60):
        optimiser.zero_grad()
        made(scores, targets).backward()
        optimiser.step()
    assert made(scores, targets).item() < first - 0.1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_summed_in_single_precision(dtype: str) -> None:
    torch, scores, targets = of_torch(dtype)
    for name in [*NAMES, *YARDSTICKS]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            value = loss(name)(scores, targets)
        (slope,) = torch.autograd.grad(value, scores)
        assert value.dtype == torch.float32, name
        assert torch.isfinite(slope).all(), name
        exact = loss(name)(scores.double(), targets)
        assert value.item() == pytest.approx(exact.item(), abs=1e-4), name


def test_undefined_batches_neither_count_nor_have_gradients() -> None:
    torch, scores, targets = of_torch("float32")
    one = torch.zeros_like(targets)
    certain = (100.0 * torch.eye(K)[one]).requires_grad_()
    for name in NAMES:
        for given in (scores, certain):
            value = loss(name)(given, one)
            (slope,) = torch.autograd.grad(value, given)
            assert torch.isfinite(slope).all(), name
            assert torch.isfinite(value), name
    assert loss("qwk")(certain, one).item() == 0.0


@pytest.mark.parametrize("name", SOME)
def test_compiled_by_pytorch(name: str) -> None:
    torch, scores, targets = of_torch("float32")
    torch.compiler.reset()
    compiled = torch.compile(loss(name), fullgraph=True, backend="aot_eager")
    (slope,) = torch.autograd.grad(compiled(scores, targets), scores)
    (wanted,) = torch.autograd.grad(loss(name)(scores, targets), scores)
    assert torch.allclose(slope, wanted, atol=1e-6)


def test_running_table_is_kept_by_compiled_losses() -> None:
    torch, scores, targets = of_torch("float32")
    torch.compiler.reset()
    made, wanted = loss("qwk", momentum=0.5), loss("qwk", momentum=0.5)
    compiled = torch.compile(made, fullgraph=True, backend="aot_eager")
    for _ in range(3):
        assert compiled(scores, targets).item() == pytest.approx(wanted(scores, targets).item())
    assert torch.allclose(made.running, wanted.running)


@pytest.mark.parametrize("options", [{}, {"momentum": 0.9, "class_weight": [1, 2, 3, 4]}])
def test_gpu_gives_the_values_of_the_cpu(options: dict[str, Any]) -> None:
    torch, scores, targets = of_torch("float32")
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    for name in [*NAMES, *YARDSTICKS]:
        here, there = loss(name, **options), loss(name, **options)
        for _ in range(3):
            value = there(scores.cuda(), targets.cuda())
            assert value.item() == pytest.approx(here(scores, targets).item(), abs=1e-5), name


def test_compiled_by_jax() -> None:
    jax = pytest.importorskip("jax")
    scores, targets = batch()
    for name in [*NAMES, *YARDSTICKS]:
        value, slope = jax.jit(jax.value_and_grad(loss(name)))(scores, targets)
        assert float(value) == pytest.approx(float(loss(name)(scores, targets)), abs=1e-5), name
        assert np.isfinite(np.asarray(slope)).all(), name


def test_wrong_positions_do_not_pass_in_compiled_code() -> None:
    jax = pytest.importorskip("jax")
    scores, targets = batch()
    targets[3] = K
    assert np.isnan(jax.jit(loss("qwk"))(scores, targets))
    with pytest.raises(oe.InputError, match="from 0 to 4"):
        jax.grad(loss("qwk"))(scores, jax.numpy.asarray(targets))


def test_not_a_number_stays_so() -> None:
    torch, scores, targets = of_torch()
    for name in (*SOME, *YARDSTICKS):
        assert torch.isnan(loss(name)(scores * torch.nan, targets)), name


def test_jax_keeps_the_running_table_outside() -> None:
    jax = pytest.importorskip("jax")
    scores, targets = batch()
    made = loss("qwk", momentum=0.5)
    with pytest.raises(oe.InputError, match="no state"):
        made(jax.numpy.asarray(scores), targets)
    _, running = jax.jit(made.pure)(scores, targets, np.zeros((K, K)))
    assert float(running.sum()) == pytest.approx(B)


def test_weights_of_classes_weigh_rows_of_the_table() -> None:
    scores, gold = batch()
    predicted, weights = scores.argmax(-1), [1, 2, 0.5, 3]
    table = cross_table(gold, predicted) * np.array(weights)[:, None]
    found = loss("mae", from_logits=False, class_weight=weights)(np.eye(K)[predicted], gold)
    assert float(found) == pytest.approx(float(oe.measure("mae").of(table)))


def test_running_table_is_that_of_earlier_batches_too() -> None:
    scores, targets = batch()
    made, halves = loss("qwk", momentum=0.999999), (slice(0, 20), slice(20, B))
    values = [float(made(scores[part], targets[part])) for part in halves]
    assert values[1] == pytest.approx(float(loss("qwk")(scores, targets)), abs=1e-5)
    made.reset()
    assert float(made(scores[:20], targets[:20])) == pytest.approx(values[0])


def test_running_table_has_no_gradient_and_is_pickled() -> None:
    torch, scores, targets = of_torch()
    made = loss("qwk", momentum=0.9)
    for _ in range(2):
        made(scores, targets).backward()
    again = pickle.loads(pickle.dumps(made))
    assert not again.running.requires_grad
    assert torch.equal(again.running, made.running)


def test_values_of_classes_count() -> None:
    scores, targets = batch()
    wide = oe.loss("mae", labels=["a", "b", "c", "d"], values=[0, 10, 20, 30])
    assert float(wide(scores, targets)) == pytest.approx(10 * float(loss("mae")(scores, targets)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "oc_general"}, "no gradients"),
        ({"measure": "nmd"}, "measure of quantification"),
        ({"measure": "cross_entropie"}, "There is no loss"),
        ({"measure": "qwk", "momentum": 1.0}, "from 0 to below 1"),
        ({"measure": "qwk", "class_weight": [1, 2]}, "4 numbers"),
    ],
)
def test_what_cannot_be_a_loss(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(oe.InputError, match=message):
        loss(**arguments)


@pytest.mark.parametrize(
    ("scores", "targets", "message"),
    [
        (np.ones((3, 5)), np.zeros(3, int), r"\[B, 4\]"),
        (np.ones((3, K)), np.zeros(2, int), r"\[3\], positions"),
        (np.ones((3, K)), np.array([1, 2, 4]), "from 1 to 4"),
        (np.ones((3, K)), np.array([0, 1, 2]), "rows sum to 4"),
    ],
)
def test_batches_that_are_refused(scores: Any, targets: Any, message: str) -> None:
    with pytest.raises(oe.InputError, match=message):
        loss("qwk", from_logits=False)(scores, targets)
