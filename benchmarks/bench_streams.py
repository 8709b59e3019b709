"""Count batches of labels beside torchmetrics: the time of all updates, and their ratio.

    python benchmarks/bench_streams.py [--batches 1000] [--size 256]

Needs torch and torchmetrics. Both take the same tensors in turn, five times; the best times count.
"""

import argparse
import time
from typing import Any

import numpy as np

import ordeval as oe

K = 5


def seconds(metric: Any, batches: Any) -> float:
    """Return how long a metric takes to count all batches."""
    start = time.perf_counter()
    for batch in batches:
        metric.update(*batch)
    return time.perf_counter() - start


def main() -> None:
    """Measure."""
    import torch
    from torchmetrics.classification import MulticlassCohenKappa

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=1000)
    parser.add_argument("--size", type=int, default=256)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rng, shape = np.random.default_rng(0), (options.batches, 2, options.size)
    batches = torch.from_numpy(rng.integers(0, K, shape))
    best = {"ordeval": np.inf, "torchmetrics": np.inf}
    for _ in range(5):
        ours, theirs = oe.Accumulator(labels=range(K)), MulticlassCohenKappa(K)
        best["ordeval"] = min(best["ordeval"], seconds(ours, batches))
        best["torchmetrics"] = min(best["torchmetrics"], seconds(theirs, batches))
    kappa = ours.compute("cohen_kappa", draws=0)["cohen_kappa"].value
    assert abs(kappa - float(theirs.compute())) < 1e-6
    for name, time_taken in best.items():
        print(f"{name:13} {1e6 * time_taken / options.batches:7.1f} µs per update")
    print(f"ratio {best['ordeval'] / best['torchmetrics']:.2f}")


if __name__ == "__main__":
    main()
