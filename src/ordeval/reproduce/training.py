"""Exhibits for which classifiers are trained, by the protocols of two papers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import permutations
from math import fsum, sqrt
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import norm, t

from ..measures.spec import parse_measure
from ..types import Floats
from .datasets import missing, tabular
from .printed import Printed
from .study import (
    Drawing,
    Fact,
    Item,
    Ours,
    Setting,
    Verdict,
    judge,
    order_of,
)

REPEATS, QUICK_REPEATS = 50, 5
ASSESSED_BY = "oc(beta=0.75)"


def repeats_of(setting: Setting) -> int:
    """Return how often an experiment is repeated."""
    return QUICK_REPEATS if setting.quick else REPEATS


def _cannot_train(setting: Setting, file: str = "") -> str:
    """Return why an experiment cannot be run, or an empty string."""
    if file and missing(setting, file):
        return missing(setting, file)
    if not setting.training:
        return "not run: training was switched off"
    return "" if find_spec("sklearn") else "needs scikit-learn: pip install scikit-learn"


def _repeated(once: Callable[[Any], Floats], setting: Setting, stage: str, name: str) -> Floats:
    """Stack the tables of all repeats of an experiment; each repeat has its own seed.

    The seeds depend on the name of the data set, and not on the number of repeats.
    """
    from joblib import Parallel, delayed

    repeats = repeats_of(setting)
    seeds = np.random.SeedSequence(setting.seed, spawn_key=(sum(name.encode()),)).spawn(repeats)
    jobs = Parallel(n_jobs=setting.jobs, return_as="generator")
    tables = []
    for done, table in enumerate(jobs(delayed(once)(seed) for seed in seeds), start=1):
        tables.append(table)
        setting.progress(f"{stage} {name}", done, repeats)
    return np.stack(tables)


def mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation (n - 1)."""
    numbers: list[float] = values.tolist()
    mean = fmean(numbers)
    squares = fsum((number - mean) ** 2 for number in numbers)
    return mean, sqrt(squares / (len(numbers) - 1))


def algorithm_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare OC of three methods by Algorithm 1, on the public data sets, with Table 6."""
    yield Fact("repeats", repeats_of(setting))
    shown: dict[str, tuple[float, ...]] = {}
    for name, figures in printed.figures.items():
        stopped = _no_table_6(setting, printed, name)
        if stopped:
            yield from (Ours(name, method, None, stopped) for method in figures)
            continue
        scores = _oc_on(setting, printed, name)
        theirs = {method: _mean_and_sd(figure) for method, figure in figures.items()}
        yield from _means(name, scores, theirs, printed["tolerance"])
        yield _order(name, scores, {m: float(mean) for m, (mean, _) in theirs.items()})
        for method, cell in theirs.items():
            ours = mean_and_deviation(scores[method])
            shown[f"{name} {method}"] = (*ours, *map(float, cell))
    if shown:
        yield Drawing(printed.key, "intervals", shown, **printed["drawing"])


def _no_table_6(setting: Setting, printed: Printed, name: str) -> str:
    if name not in printed["files"]:
        return "not public: photographs of patients, assessed in earlier work of the authors"
    return _cannot_train(setting, f"ordinal-tabular/{printed['files'][name]}.csv")


def _oc_on(setting: Setting, printed: Printed, name: str) -> dict[str, Floats]:
    """Return OC `[repeats]` of every method."""
    from .classifiers import linear_methods, one_repeat

    data = tabular(setting, printed["files"][name])
    methods = linear_methods(data.labels)
    tables = _repeated(partial(one_repeat, data, methods), setting, "Algorithm 1 on", name)
    scores = parse_measure(ASSESSED_BY).of(tables)
    return {method: scores[:, i] for i, method in enumerate(methods)}


def _mean_and_sd(figure: str) -> tuple[str, str]:
    """Split a printed figure such as "0.49 (0.02)"."""
    mean, _, sd = figure.partition(" ")
    return mean, sd.strip("()")


def _means(
    name: str,
    scores: Mapping[str, Floats],
    theirs: Mapping[str, tuple[str, str]],
    tolerance: Mapping[str, float],
) -> Iterator[Ours]:
    for method, (mean, sd) in theirs.items():
        ours, deviation = mean_and_deviation(scores[method])
        allowed = max(tolerance["deviations"] * float(sd), tolerance["least"])
        yield Ours(name, f"{method}: mean", ours, tolerance=allowed, printed=mean)
        yield Ours(name, f"{method}: sd", deviation, printed=sd)


def _order(name: str, scores: Mapping[str, Floats], theirs: Mapping[str, float]) -> Ours:
    """Compare the order of the methods; it agrees if no printed order of two is reversed."""
    found = ", ".join(
        f"{b} < {a}"
        for a, b in permutations(theirs, 2)
        if theirs[a] < theirs[b] and clearly_below(scores[b], scores[a])
    )
    return Ours(
        name,
        "order",
        order_of({m: float(values.mean()) for m, values in scores.items()}, decimals=2),
        f"reversed: {found}" if found else "no printed order is reversed",
        tolerance=0.0,
        printed=order_of(theirs),
        agrees=not found,
    )


def clearly_below(low: Floats, high: Floats) -> bool:
    """Return whether the mean difference exceeds two standard errors over paired repeats."""
    mean, deviation = mean_and_deviation(high - low)
    return bool(mean > 2 * deviation / np.sqrt(len(low)))


def algorithm_1_synthetic(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Run Algorithm 1 on the synthetic data set, beside the one split of Table 5."""
    yield Fact("repeats", repeats_of(setting))
    theirs = {m: printed.of("table-5").figures[cm] for m, cm in printed["methods"].items()}
    stopped = _cannot_train(setting)
    if stopped:
        for method, figures in theirs.items():
            yield from (Ours(method, c, None, stopped, printed=x) for c, x in figures.items())
        return
    tables = _synthetic_tables(setting)
    oc: dict[str, float] = {}
    for method, figures in theirs.items():
        for column, figure in figures.items():
            mean, sd = mean_and_deviation(parse_measure(column).of(tables[method]))
            yield Ours(method, column, mean, f"sd {sd:.3f}", printed=figure)
            oc |= {method: mean} if column == ASSESSED_BY else {}
    yield Fact("order", order_of(oc, decimals=3))


def _synthetic_tables(setting: Setting) -> dict[str, Floats]:
    """Return confusion tables `[repeats, K, K]` of every method."""
    from .classifiers import curved_methods, one_repeat, synthetic_data

    data = synthetic_data(400, setting.seed)
    methods = curved_methods(data.labels)
    once = partial(one_repeat, data, methods)
    tables = _repeated(once, setting, "Algorithm 1 on", "the synthetic set")
    return {method: tables[:, i] for i, method in enumerate(methods)}


def splits_70_30(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare the measures of Table II over many splits with the one split that is printed."""
    yield Fact("repeats", repeats_of(setting))
    defaults: list[Ours] = []
    orders = []
    for name, file in printed["files"].items():
        rows = [row for row in printed.figures if row.startswith(name)]
        stopped = _cannot_train(setting, f"ordinal-tabular/{file}.csv")
        if stopped:
            yield from (Ours(row, c, None, stopped) for row in rows for c in printed.columns)
            continue
        tables = _split_tables(setting, printed, name)
        ours = list(_split_rows(rows, tables[:, :3], printed))
        yield from ours
        auoc = {o.row: float(o.value or 0.0) for o in ours if o.column == "auoc"}
        orders.append(order_of(auoc, decimals=2))
        # The forest has the library's settings in any case.
        defaults += _split_rows(rows, tables[:, [3, 4, 2]], printed)
    if defaults:
        within = sum(judge(o, printed).verdict is Verdict.WITHIN for o in defaults)
        yield Fact("defaults", f"{within} of {len(defaults)}")
        yield Fact("orders", "; ".join(orders))


def _split_tables(setting: Setting, printed: Printed, name: str) -> Floats:
    """Return confusion tables `[splits, classifiers, K, K]`."""
    from .classifiers import one_split

    data = tabular(setting, printed["files"][name])
    once = partial(one_split, data, printed["widths"][name])
    return _repeated(once, setting, "70/30 splits of", name)


def _split_rows(rows: Sequence[str], tables: Floats, printed: Printed) -> Iterator[Ours]:
    """Compute the measures on tables `[splits, 3, K, K]`."""
    tolerance = printed["tolerance"]
    reach = prediction_reach(len(tables), tolerance["deviations"])
    for i, row in enumerate(rows):
        for column in printed.columns:
            mean, sd = mean_and_deviation(parse_measure(column).of(tables[:, i]))
            yield Ours(row, column, mean, tolerance=max(reach * sd, tolerance["least"]))


def prediction_reach(n: int, deviations: float) -> float:
    """Return half the width of a prediction interval for one more draw.

    The unit is the standard deviation over n draws; the coverage is that of so many `deviations`
    of a normal distribution.
    """
    return float(t.isf(norm.sf(deviations), n - 1) * np.sqrt(1 + 1 / n))
