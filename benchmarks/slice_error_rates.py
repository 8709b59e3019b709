"""Error rates of the tests of slices, coverage of gap, worst slice and slope, and time.

`python -m benchmarks.slice_error_rates --write` writes the tables of docs/slices.md.
"""

from argparse import Namespace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import beta

import ordeval as oe

from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

MEASURES = ("accuracy", "qwk", "macro_mae")
POOLED = ("accuracy", "macro_mae")  # equal on slices, they are equal on all of them together
SIZES = {
    "3 of 30": np.full(3, 30.0),
    "8 of 5 to 5,000": np.geomspace(5, 5000, 8),
}
MANY = {
    "20 of 30": np.full(20, 30.0),
    "40 of 10 to 300": np.geomspace(10, 300, 40),
    "300 of 10 to 300": np.geomspace(10, 300, 300),
    "1,000 of 50": np.full(1000, 50.0),
}
CLUSTERS = {
    "4 of 4": (4, 16),
    "4 of 10": (4, 40),
    "8 of 5": (8, 40),
    "4 of all 10": (4, 10),
    "4 of all 40": (4, 40),
}
_ALIKE = 4.0  # how alike the items of a cluster are: their correlation is 1 / (1 + 4)
_SHARES = {"even": (0.3, 0.4, 0.3), "rare": (0.7, 0.27, 0.03)}
_SCORE = {"accuracy": 0.75, "qwk": 0.65, "macro_mae": 0.25}
_FEW_ERRORS = {"accuracy": 0.95, "qwk": 0.93, "macro_mae": 0.05}


def joint(shares: Floats, wrong: float) -> Floats:
    """Return the distribution of gold and predicted class, with errors of one class."""
    near = np.array([[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]])
    return shares[:, None] * ((1 - wrong) * np.eye(3) + wrong * near)


@cache
def _true_score(cells: tuple[float, ...], measure: str) -> float:
    return float(oe.measure(measure).of(1e6 * np.reshape(cells, (3, 3)), values=[1, 2, 3]))


def true_score(cells: Floats, measure: str) -> float:
    """Return the score of a population."""
    return _true_score(tuple(cells.ravel().tolist()), measure)


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
    scores = np.full(slices, (_FEW_ERRORS if "few errors" in kind else _SCORE)[measure])
    if "differ" in kind:
        scores = scores + 0.05 * rng.standard_normal(slices)
    return [tuned(r / r.sum(), measure, s) for r, s in zip(rows, scores, strict=True)]


def sample(cells: list[Floats], sizes: Floats, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return gold, predictions and slices of items."""
    codes = [rng.choice(9, round(n), p=p.ravel()) for p, n in zip(cells, sizes, strict=True)]
    every = np.concatenate(codes)
    by = np.repeat(months(len(codes)), list(map(len, codes)))
    return 1 + every // 3, 1 + every % 3, by


def clustered(
    cells: list[Floats], clusters: int, across: bool, rng: np.random.Generator
) -> tuple[Any, Any, Any, Any]:
    """Return gold, predictions, slices and clusters of items.

    A cluster has 4 to 60 items and its own share of errors and of classes; it is part of a slice,
    or its items are in any slice.
    """
    slices, sizes, found = len(cells), np.rint(np.geomspace(4, 60, clusters)), []
    rng.shuffle(sizes)
    for cluster, size in enumerate(sizes.astype(int)):
        code = rng.integers(slices, size=size) if across else np.full(size, cluster % slices)
        luck, classes = rng.random(), rng.dirichlet(_ALIKE * cells[0].sum(axis=1))
        wrong = np.array([1 - np.trace(p) for p in cells])
        own = beta.ppf(luck, _ALIKE * wrong, _ALIKE * (1 - wrong))[code]
        gold = rng.choice(3, size, p=classes)
        near = np.where(gold == 1, 2 * rng.integers(2, size=size), 1)
        pred = np.where(rng.random(size) < own, near, gold)
        found.append((1 + gold, 1 + pred, np.array(months(slices))[code], np.full(size, cluster)))
    return tuple(np.concatenate(x) for x in zip(*found, strict=True))


def months(number: int) -> list[str]:
    """Return names of slices that are in order."""
    return [f"{2020 + i // 12}-{i % 12 + 1:02d}" for i in range(number)]


def _case(options: Namespace, case: tuple[str, str, str]) -> list[str]:
    """Return how often tests find something, and how often intervals hold the truth."""
    kind, of, measure = case
    slices, clusters = CLUSTERS.get(of, (0, 0))
    sizes, held = {**SIZES, **MANY}.get(of, np.ones(slices)), []
    sign = 1 if oe.measure(measure).better == "higher" else -1
    for run in range(options.runs):
        rng = stream(options.seed, *case, run)
        cells = populations(kind, measure, len(sizes), rng)
        truth = np.array([true_score(p, measure) for p in cells])
        how = {"labels": [1, 2, 3], "measures": measure, "draws": 200, "rng": run}
        if clusters:
            gold, pred, by, how["cluster"] = clustered(cells, clusters, "all" in of, rng)
        else:
            gold, pred, by = sample(cells, sizes, rng)
        result = oe.evaluate(gold, pred, by=by, **how)
        assert result.slices is not None
        [gap], rows = result.slices.gaps(), result.slices.rows()
        if np.isnan(gap.alike):
            continue  # a sample without errors
        any_slice = min(row.p for row in rows if row.p == row.p) < 0.05
        if "classes" in kind and measure not in POOLED:
            any_slice = np.nan  # the rest, of mixed classes, has another score
        items = np.array([row.items for row in rows])
        slope = np.polyfit(np.arange(len(sizes)), truth, 1, w=np.sqrt(items))[0]
        worst = truth[months(len(sizes)).index(gap.worst)]
        held.append([
            gap.alike < 0.05, any_slice, gap.slope_p < 0.05,
            covers(gap.low, gap.high, np.ptp(truth)), gap.low == 0,
            covers(gap.worst_score.low, gap.worst_score.high, worst),
            rows[int(np.argmin(sign * truth))].may_be_worst,
            covers(gap.slope.low, gap.slope.high, slope),
        ])  # fmt: skip
    return [kind, of, measure, *map(percent, np.mean(np.array(held, float), axis=0))]


PAIRS = {  # shares of classes, how errors lean, systems, and clusters across four slices
    "alike": ("even", 0, 2, 0),
    "alike, rare class": ("rare", 0, 2, 0),
    "opposite errors": ("even", 1, 2, 0),
    "four alike systems": ("even", 0, 4, 0),
    "one regresses": ("even", 0, 2, 0),
    "alike, 10 clusters": ("even", 0, 2, 10),
    "alike, 40 clusters": ("even", 0, 2, 40),
}
_REGRESSED = 5  # the slice on which the second system errs twice as often
PAIR_COLUMNS = ["population", "slices", "measure", "any found", "found", "all intervals"]


def predicted(gold: Any, wrong: Any, lean: float, rng: np.random.Generator) -> Any:
    """Return predictions with a share of errors, to neighbours above with 1, below with -1."""
    up = rng.random(len(gold)) < (1 + lean) / 2
    near = np.where(gold == 2, np.where(up, 3, 1), 2)
    return np.where(rng.random(len(gold)) < wrong, near, gold)


def _pair_case(options: Namespace, case: tuple[str, str, str]) -> list[str]:
    """Return how often pairs of systems differ on a slice, and intervals hold all differences."""
    kind, of, measure = case
    shares, lean, number, clusters = PAIRS[kind]
    sizes, held = SIZES[of], []
    for run in range(options.runs):
        rng = stream(options.seed, "pairs", *case, run)
        by = np.repeat(np.arange(len(sizes)), np.rint(sizes).astype(int))
        gold = 1 + rng.choice(3, len(by), p=_SHARES[shares])
        wrong, how = np.full(len(by), 0.25), {"labels": [1, 2, 3], "measures": measure, "rng": run}
        if clusters:
            how["cluster"] = rng.integers(clusters, size=len(by))
            wrong = rng.beta(1, 3, (number, clusters))[:, how["cluster"]]
        systems = {}
        for i in range(number):
            each = wrong[i] if clusters else wrong
            if kind == "one regresses" and i:
                each = np.where(by == _REGRESSED, 2 * each, each)
            systems[f"s{i}"] = predicted(gold, each, lean * (-1) ** i, rng)
        truth = np.zeros(len(sizes))
        if kind == "one regresses":
            here = [true_score(joint(np.array(_SHARES[shares]), w), measure) for w in (0.25, 0.5)]
            truth[_REGRESSED] = here[0] - here[1]
        names = [f"{i:02d}" for i in by]
        how |= {"draws": 50, "trials": 499, "against": "s1" if number == 2 else None}
        result = oe.compare(gold, systems, by=names, **how)
        rows = result.slices.pairs()
        true = np.array([truth[int(row.name)] for row in rows])
        p, low, high = (np.array([getattr(row, x) for row in rows]) for x in ("p", "low", "high"))
        inside = (covers(low, high, true) > 0) | np.isnan(low)
        held.append([(p[true == 0] < 0.05).any(), (p[true != 0] < 0.05).any(), inside.all()])
    shown = np.mean(np.array(held, float), axis=0)
    shown[1] = shown[1] if kind == "one regresses" else np.nan
    return [kind, of, measure, *map(percent, shown)]


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
        "errors": (("alike", "alike, few errors", "alike, rare class", "other classes"), SIZES),
        "coverage": (("scores differ", "scores and classes differ"), SIZES),
        "clusters": (("alike", "scores differ"), CLUSTERS),
        "many": (("alike", "alike, rare class"), MANY),
    }
    if options.only in "pairs":
        cases = [(k, of, m) for k in PAIRS for of in list(SIZES)[1:] for m in MEASURES]
        yield "pairs", table(PAIR_COLUMNS, each(_pair_case, cases, options))
    for name, (kinds, sizes) in every.items():
        if options.only in name:
            cases = [(k, of, m) for k in kinds for of in sizes for m in MEASURES]
            yield name, table(COLUMNS, each(_case, cases, options))


if __name__ == "__main__":
    publish(__doc__ or "", "slices.md", tables, runs=200, boot=100)
