"""The protocol of Silva et al., Table II: three classifiers, trained on 70 % of two data sets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counts import Counts
from ..registry import parse
from .algorithm_1 import collected, no_training, repeats_of, seeds_of
from .datasets import Tabular, missing, tabular
from .printed import printed
from .study import (
    Comparison,
    Exhibit,
    Setting,
    Verdict,
    counted,
    mean_and_deviation,
    needs,
    order_of,
    statistical,
)

Floats = NDArray[np.float64]
_FILES = {"Wine": "winequality-red", "ESL": "esl"}
# γ of the Gaussian kernel. The printed SVM gives the lonely items at the top of ESL the class 4, as
# a narrow kernel does far from all training items; the library's default never does.
_WIDTHS = {"Wine": 2.0, "ESL": 3.0}
_SPREADS = 3.0  # tolerance, in standard deviations over splits
_LEAST = 0.02


def classifiers(width: float, seed: int) -> dict[str, Any]:
    """Nearest neighbours, support vector machine with a kernel of that width, random forest."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    return {
        "kNN": make_pipeline(StandardScaler(), KNeighborsClassifier(weights="distance")),
        "SVM": make_pipeline(StandardScaler(), SVC(gamma=width)),
        "RF": RandomForestClassifier(random_state=seed),
    }


def one_split(data: Tabular, width: float, seed: Any) -> Floats:
    """Confusion tables `[classifiers, K, K]` on the 30 % that are left out."""
    from sklearn.model_selection import train_test_split

    number = int(np.random.default_rng(seed).integers(2**31))
    x, x_test, y, y_test = train_test_split(data.x, data.y, train_size=0.7, random_state=number)
    guesses = [m.fit(x, y).predict(x_test) for m in classifiers(width, number).values()]
    labels = list(data.labels)
    return np.stack([Counts.from_labels(y_test, g, labels=labels).table for g in guesses])


def table_2_protocol(setting: Setting) -> Exhibit:
    """The measures of Table II over many splits, set beside the one split that is printed."""
    rows: list[Comparison] = []
    for name, file in _FILES.items():
        stopped = missing(setting, f"ordinal-tabular/{file}.csv") or no_training(setting)
        rows += _needed(name, stopped) if stopped else _rows_of(setting, name)
    repeats = repeats_of(setting)
    return Exhibit(
        "table-2-protocol",
        "Table II, protocol: the three classifiers trained again",
        tuple(rows),
        left_open="One split is printed. Its seed, the settings of the classifiers and any scaling "
        "are not said.",
        chosen="Settings picked because they can give the printed matrices: 5 neighbours "
        "weighted by nearness, "
        f"Gaussian kernels of γ = {_WIDTHS['Wine']:g} (wine) and {_WIDTHS['ESL']:g} (ESL), a "
        "forest of 100 trees; features standardised but for the forest. (With neighbours of equal "
        "weight and the library's default γ, 71 of the 78 figures lie within the tolerance.) Mean "
        f"over {counted(repeats, 'random split')}{' (quick)' if setting.quick else ''}. Tolerance "
        f"of the one printed split: {_SPREADS:g} standard deviations over ours, at least {_LEAST}.",
        outcome=_outcome(rows),
    )


def _printed(name: str) -> dict[str, dict[str, str]]:
    figures = printed("silva_2018")
    return {
        row: dict(zip(figures["columns"], cells["printed"], strict=True))
        for row, cells in figures["tables"]["table-2"].items()
        if row.startswith(name)
    }


def _needed(name: str, stopped: str) -> list[Comparison]:
    return [
        needs(row, column, figure, stopped)
        for row, cells in _printed(name).items()
        for column, figure in cells.items()
    ]


def _rows_of(setting: Setting, name: str) -> list[Comparison]:
    tables = _tables(setting, name)
    rows = []
    for i, (row, cells) in enumerate(_printed(name).items()):
        for column, figure in cells.items():
            mean, sd = mean_and_deviation(parse(column).of(tables[:, i]).tolist())
            tolerance = max(_SPREADS * sd, _LEAST)
            rows.append(statistical(row, column, mean, figure, tolerance))
    return rows


def _tables(setting: Setting, name: str) -> Floats:
    """Confusion tables `[splits, classifiers, K, K]`."""
    from joblib import Parallel, delayed

    data, repeats = tabular(setting, _FILES[name]), repeats_of(setting)
    seeds = seeds_of(setting, name, repeats)
    calls = (delayed(one_split)(data, _WIDTHS[name], seed) for seed in seeds)
    jobs = Parallel(n_jobs=setting.jobs, return_as="generator")
    return collected(jobs(calls), repeats, f"70/30 splits of {name}", setting)


def _outcome(rows: Sequence[Comparison]) -> str:
    judged = [r for r in rows if r.verdict in (Verdict.WITHIN, Verdict.OUTSIDE)]
    if not judged:
        return ""
    inside = sum(r.verdict is Verdict.WITHIN for r in judged)
    orders = []
    for name in _FILES:
        auoc = {r.row: r.ours for r in judged if r.column == "auoc" and r.row.startswith(name)}
        orders.append(order_of({k: v for k, v in auoc.items() if isinstance(v, float)}, decimals=2))
    return (
        f"{inside} of {len(judged)} printed figures lie within the tolerance. By AUOC, lowest "
        f"(best) first: {'; '.join(orders)}."
    )
