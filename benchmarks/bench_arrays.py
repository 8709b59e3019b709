"""Run the kernels on other array libraries: agreement with NumPy, and time per table.

    python benchmarks/bench_arrays.py [--tables 200000] [--classes 5]

Prints a row for every library that is installed (PyTorch on the CPU and on a GPU, CuPy, JAX): the
largest difference from NumPy over all measures and tables, and the time of all measures relative
to NumPy, measured in the same run. All computations are in double precision.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ordeval as oe

Library = tuple[str, Callable[[np.ndarray], Any], Callable[[Any], np.ndarray], Callable[[], None]]


def libraries() -> Iterator[Library]:
    """Yield (name, from NumPy, to NumPy, wait until computed) for every installed library."""
    yield from _torch()
    yield from _cupy()
    yield from _jax()


def _torch() -> Iterator[Library]:
    try:
        import torch
    except ImportError:
        return
    yield "torch, CPU", torch.from_numpy, lambda t: t.numpy(), lambda: None
    if torch.cuda.is_available():
        name = torch.cuda.get_device_name()
        yield (
            f"torch, {name}",
            lambda a: torch.from_numpy(a).cuda(),
            lambda t: t.cpu().numpy(),
            torch.cuda.synchronize,
        )


def _cupy() -> Iterator[Library]:
    try:
        import cupy

        cupy.zeros(1)
    except Exception:  # noqa: BLE001  # the library or a device is missing
        return
    yield "cupy", cupy.asarray, cupy.asnumpy, cupy.cuda.Device().synchronize


def _jax() -> Iterator[Library]:
    try:
        import jax
    except ImportError:
        return
    jax.config.update("jax_enable_x64", True)
    device = jax.devices()[0].platform
    yield f"jax, {device}", jax.numpy.asarray, np.asarray, lambda: None


def score_all(measures: list[oe.Measure], tables: Any, wait: Callable[[], None]) -> list[Any]:
    """Score every table under every measure."""
    found = [m.of(tables) for m in measures]
    for scores in found:
        getattr(scores, "block_until_ready", lambda: None)()
    wait()
    return found


def best_time(work: Callable[[], Any], repeats: int = 3) -> float:
    """Return the shortest time of several runs, after a warm-up run."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200_000, help="number of tables (200000)")
    parser.add_argument("--classes", type=int, default=5, help="number of classes (5)")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    tables = rng.poisson(3.0, (args.tables, args.classes, args.classes)).astype(float)
    measures = oe.measures(batched=True)
    reference = score_all(measures, tables, lambda: None)
    base = best_time(lambda: score_all(measures, tables, lambda: None))
    per = base / len(measures) / args.tables * 1e6
    print(f"{len(measures)} measures × {args.tables:,} tables, K = {args.classes}")
    print(f"{'library':<28} {'µs/table/measure':>16} {'× NumPy':>8} {'largest difference':>19}")
    print(f"{'numpy':<28} {per:16.4f} {1:8.2f} {'':>19}")
    for name, send, fetch, wait in libraries():
        here = send(tables)
        found = [fetch(scores) for scores in score_all(measures, here, wait)]
        same = all(
            np.array_equal(np.isnan(a), np.isnan(b)) for a, b in zip(found, reference, strict=True)
        )
        gap = max(float(np.nanmax(np.abs(a - b))) for a, b in zip(found, reference, strict=True))
        spent = best_time(lambda here=here, wait=wait: score_all(measures, here, wait))
        per = spent / len(measures) / args.tables * 1e6
        mark = "" if same else "  (undefined cells differ)"
        print(f"{name:<28} {per:16.4f} {spent / base:8.2f} {gap:19.2e}{mark}")


if __name__ == "__main__":
    main()
