"""Time of losses on a GPU: forward and backward, as they are and compiled.

`python -m benchmarks.losses --write` writes the table of docs/losses.md; it needs CUDA.
"""

import statistics
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import ordeval as oe
from ordeval.measures.loss import YARDSTICKS

from .simulation import Tables, publish, table

BATCH, K = 4096, 5
CROSS_ENTROPY, BY_HAND = "PyTorch's cross-entropy", "soft kappa by hand"
COMPILED = (CROSS_ENTROPY, BY_HAND, "qwk", "cem", "macro_mae", "macro_recall", "macro_f1", "auoc")
Step = Callable[[], Any]


def soft_kappa(scores: Any, targets: Any) -> Any:
    """Return a quadratic weighted kappa loss as written by hand, the one to be no slower than."""
    import torch

    k = scores.shape[1]
    shares = scores.softmax(-1)
    gold = torch.nn.functional.one_hot(targets, k).to(shares.dtype)
    at = torch.arange(k, device=scores.device, dtype=shares.dtype)
    weights = (at[:, None] - at[None, :]) ** 2 / (k - 1) ** 2
    table = gold.T @ shares
    expected = torch.outer(table.sum(1), table.sum(0)) / table.sum()
    return (weights * table).sum() / ((weights * expected).sum() + 1e-8)


def milliseconds(step: Step, repeats: int = 100) -> float:
    """Return the median time of a step on the GPU, after a warm-up."""
    import torch

    for _ in range(10):
        step()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        step()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def _step(loss: Callable[..., Any]) -> Step:
    """Return a forward and backward pass on one batch."""
    import torch

    torch.manual_seed(1)
    scores = torch.randn(BATCH, K, device="cuda", requires_grad=True)
    targets = torch.randint(0, K, (BATCH,), device="cuda")

    def step() -> Any:
        scores.grad = None
        value = loss(scores, targets)
        value.backward()
        return value.detach(), scores.grad

    return step


def _losses() -> dict[str, Callable[..., Any]]:
    import torch

    names = [m.key for m in oe.measures() if m.record.differentiable]
    ours = {name: oe.loss(name, labels=range(1, K + 1)) for name in [*YARDSTICKS, *names]}
    return {CROSS_ENTROPY: torch.nn.functional.cross_entropy, BY_HAND: soft_kappa, **ours}


def _compiled(loss: Callable[..., Any]) -> float:
    import torch

    torch.compiler.reset()
    return milliseconds(_step(torch.compile(loss, fullgraph=True)))


def tables(options: Namespace) -> Tables:
    """Time every loss, and some of them compiled beside compiled cross-entropy."""
    losses = _losses()
    eager = {name: milliseconds(_step(loss)) for name, loss in losses.items()}
    fast = {name: _compiled(losses[name]) for name in COMPILED}
    rows = [
        [
            name,
            f"{eager[name]:.2f}",
            f"{fast[name]:.2f}",
            f"{fast[name] / fast[CROSS_ENTROPY]:.1f} ×",
        ]
        for name in COMPILED
    ]
    slowest = max(list(losses)[2 + len(YARDSTICKS) :], key=lambda name: eager[name])
    rows.append([f"slowest measure: {slowest}", f"{eager[slowest]:.2f}", "", ""])
    yield "speed", table(["loss", "eager, ms", "compiled, ms", "relative to cross-entropy"], rows)


if __name__ == "__main__":
    publish(__doc__ or "", "losses.md", tables)
