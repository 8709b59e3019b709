"""Error rates of the tests of slices, coverage of gap, worst slice and slope, and time.

`python -m benchmarks.slice_error_rates --write` writes the tables of docs/slices.md.
"""

from argparse import Namespace
from time import perf_counter
from typing import Any

import numpy as np

import ordeval as oe

from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

MEASURES = ("accuracy", "qwk", "macro_mae")
POOLED = ("accuracy", "macro_mae")  # equal on slices, they are equal on all of them together
SIZES = {
    "3 of 30": np.full(3, 30.0),
    "8 of 5 to 5,000": np.geomspace(5, 5000, 8),
}
_SHARES = {"even": (0.3, 0.4, 0.3), "rare": (0.7, 0.27, 0.03)}
_SCORE = {"accuracy": 0.75, "qwk": 0.65, "macro_mae": 0.25}


def joint(shares: Floats, wrong: float) -> Floats:
    """Return the distribution of gold and predicted class, with errors of one class."""
    near = np.array([[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]])
    return shares[:, None] * ((1 - wrong) * np.eye(3) + wrong * near)


def true_score(cells: Floats, measure: str) -> float:
    """Return the score of a population."""
    return float(oe.measure(measure).of(1e6 * cells, values=[1, 2, 3]))


def tuned(shares: Floats, measure: str, score: float) -> Floats:
    """Return a population with a given score, by its share of errors."""
    low, high, up = 0.0, 0.99, oe.measure(measure).better == "higher"
    for _ in range(40):
        middle = (low + high) / 2
        above = true_score(joint(shares, middle), measure) > score
        low, high = (middle, high) if above == up else (low, middle)
    return joint(shares, low)


def populations(kind: str, measure: str, slices: int, rng: np.random.Generator) -> list[Floats]:
    """Return the distributions of all slices: alike, with other classes, or of other scores."""
    even = np.array(_SHARES["rare" if "rare" in kind else "even"])
    if "classes" in kind:
        rows = list(0.1 + 0.7 * rng.dirichlet(np.ones(3), slices))
    else:
        rows = [even] * slices
    scores = np.full(slices, _SCORE[measure])
    if "differ" in kind:
        scores = scores + 0.05 * rng.standard_normal(slices)
    return [tuned(r / r.sum(), measure, s) for r, s in zip(rows, scores, strict=True)]


def sample(cells: list[Floats], sizes: Floats, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return gold, predictions and slices of items."""
    codes = [rng.choice(9, round(n), p=p.ravel()) for p, n in zip(cells, sizes, strict=True)]
    every = np.concatenate(codes)
    by = np.repeat(months(len(codes)), list(map(len, codes)))
    return 1 + every // 3, 1 + every % 3, by


def months(number: int) -> list[str]:
    """Return names of slices that are in order."""
    return [f"{2020 + i // 12}-{i % 12 + 1:02d}" for i in range(number)]


def _case(options: Namespace, case: tuple[str, str, str]) -> list[str]:
    """Return how often tests find something, and how often intervals hold the truth."""
    kind, of, measure = case
    sizes, held = SIZES[of], []
    sign = 1 if oe.measure(measure).better == "higher" else -1
    for run in range(options.runs):
        rng = stream(options.seed, *case, run)
        cells = populations(kind, measure, len(sizes), rng)
        truth = np.array([true_score(p, measure) for p in cells])
        gold, pred, by = sample(cells, sizes, rng)
        how = {"labels": [1, 2, 3], "measures": measure, "draws": 200, "rng": run}
        result = oe.evaluate(gold, pred, by=by, **how)
        assert result.slices is not None
        [gap], rows = result.slices.gaps(), result.slices.rows()
        any_slice = min(row.p for row in rows if row.p == row.p) < 0.05
        if "classes" in kind and measure not in POOLED:
            any_slice = np.nan  # the rest, of mixed classes, has another score
        slope = np.polyfit(np.arange(len(sizes)), truth, 1, w=np.sqrt(sizes))[0]
        worst = truth[months(len(sizes)).index(gap.worst)]
        held.append([
            gap.alike < 0.05, any_slice, gap.slope_p < 0.05,
            covers(gap.low, gap.high, np.ptp(truth)), gap.low == 0,
            covers(gap.worst_score.low, gap.worst_score.high, worst),
            rows[int(np.argmin(sign * truth))].may_be_worst,
            covers(gap.slope.low, gap.slope.high, slope),
        ])  # fmt: skip
    return [kind, of, measure, *map(percent, np.mean(np.array(held, float), axis=0))]


COLUMNS = [
    "population", "slices", "measure", "alike", "any slice", "drift", "gap", "gap from 0", "worst",
    "worst in set", "slope",
]  # fmt: skip


def _times(options: Namespace) -> str:
    """Return seconds for the same items by other packages and by ours, in turn in one run."""
    from fairlearn.metrics import MetricFrame
    from sklearn.metrics import accuracy_score

    rng, n, how = stream(options.seed, "time"), 100_000, {"labels": [1, 2, 3], "draws": 2000}
    cells = joint(np.array(_SHARES["even"]), 0.25).ravel()
    codes, rows = rng.choice(9, n, p=cells), []
    gold, pred = 1 + codes // 3, 1 + codes % 3

    def peer(by: Any) -> Any:
        quantiles = {"n_boot": options.boot, "ci_quantiles": [0.025, 0.975], "random_state": 0}
        labels = {"y_true": gold, "y_pred": pred}
        return MetricFrame(metrics=accuracy_score, **labels, sensitive_features=by, **quantiles)

    for slices in (10, 1000):
        by = np.array([f"s{i:03d}" for i in rng.integers(slices, size=n)])
        data = oe.Data.read(gold, pred, labels=[1, 2, 3], by=by)
        calls = {
            f"MetricFrame, accuracy, {options.boot} resamples": lambda by=by: peer(by),
            "ordeval, accuracy": lambda data=data: oe.evaluate(data, None, "accuracy"),
            "ordeval, nine measures": lambda data=data: oe.evaluate(data),
            "ordeval, every measure": lambda data=data: oe.evaluate(data, None, "all"),
            "ordeval, nine measures, from labels": lambda by=by: oe.evaluate(
                gold, pred, by=by, **how
            ),
        }
        if slices > 10:
            del calls[next(iter(calls))]  # it would take an hour
        for name, call in calls.items():
            start = perf_counter()
            call()
            rows.append([name, slices, f"{perf_counter() - start:.2f}"])
    return table(["call", "slices", "seconds"], rows)


def tables(options: Namespace) -> Tables:
    """Simulate."""
    if options.only in "time":
        yield "time", _times(options)
    every = {
        "errors": ("alike", "alike, rare class", "other classes"),
        "coverage": ("scores differ", "scores and classes differ"),
    }
    for name, kinds in every.items():
        if options.only in name:
            cases = [(k, of, m) for k in kinds for of in SIZES for m in MEASURES]
            yield name, table(COLUMNS, each(_case, cases, options))


if __name__ == "__main__":
    publish(__doc__ or "", "slices.md", tables, runs=200, boot=100)
