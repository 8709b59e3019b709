"""What a person would call instead: the calls of other packages, by the task that they do.

Only NumPy is imported here; a package is imported when its call is prepared. This module also runs
in environments without ordeval, for packages that need other versions of NumPy or SciPy.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

Data = Mapping[str, np.ndarray]
Call = Callable[[], Any]

RANDOM = "both are random"


class Package(NamedTuple):
    """A package to compare with: its module, and its own environment if it needs one."""

    module: str
    distribution: str
    requires: tuple[str, ...] = ()
    reason: str = ""


PACKAGES = {
    "scikit-learn": Package("sklearn", "scikit-learn"),
    "SciPy": Package("scipy", "scipy"),
    "statsmodels": Package("statsmodels", "statsmodels"),
    "krippendorff": Package("krippendorff", "krippendorff"),
    "irrCAC": Package(
        "irrCAC", "irrCAC", ("irrCAC==0.4.4",), "it asks for SciPy 1.12 and NumPy 1.26"
    ),
    "pingouin": Package("pingouin", "pingouin"),
    "PyCM": Package("pycm", "pycm"),
    "imbalanced-learn": Package("imblearn", "imbalanced-learn"),
    "dlordinal": Package(
        "dlordinal.metrics",
        "dlordinal",
        ("torch==2.13.0", "dlordinal==2.7.0"),
        "it asks for torchvision, whose builds fit one build of PyTorch each",
    ),
    "skordinal": Package("skordinal", "skordinal"),
    "QuaPy": Package("quapy", "QuaPy"),
    "ppi_py": Package("ppi_py", "ppi-python"),
    "torchmetrics": Package("torchmetrics", "torchmetrics"),
    "autorank": Package("autorank", "autorank"),
}


class Peer(NamedTuple):
    """A call of a package that does a task."""

    task: str
    package: str
    code: str  # the call as one would write it
    prepare: Callable[[Data], Call]  # not timed: imports, and data in the form that it expects
    read: Callable[[Any], Any]  # the numbers to compare, out of what the call returns
    differs: str  # why the numbers differ from ours, if they do
    within: float  # the largest difference that this reason explains
    most: Mapping[str, int]  # the largest sizes, where larger ones would take minutes


PEERS: list[Peer] = []


def numbers(found: Any) -> list[float]:
    """Return what a call gave as a flat list of numbers."""
    return [float(x) for x in np.ravel(np.asarray(found, dtype=float))]


def peer(
    task: str,
    package: str,
    code: str,
    *,
    read: Callable[[Any], Any] = numbers,
    differs: str = "",
    within: float = 0.0,
    most: Mapping[str, int] | None = None,
) -> Callable[[Callable[[Data], Call]], Callable[[Data], Call]]:
    """Register the function that prepares a call."""

    def register(prepare: Callable[[Data], Call]) -> Callable[[Data], Call]:
        PEERS.append(Peer(task, package, code, prepare, read, differs, within, most or {}))
        return prepare

    return register


def on_labels(
    task: str,
    package: str,
    path: str,
    *,
    read: Callable[[Any], Any] = numbers,
    differs: str = "",
    most: Mapping[str, int] | None = None,
    **options: Any,
) -> None:
    """Register a function of gold and predicted labels."""
    module, _, name = path.rpartition(".")
    given = "".join(f", {key}={value!r}" for key, value in options.items())

    @peer(task, package, f"{name}(gold, pred{given})", read=read, differs=differs, most=most)
    def prepare(data: Data) -> Call:
        function = getattr(import_module(module), name)
        gold, pred = data["gold"], data["pred"]
        return lambda: function(gold, pred, **options)


def statistic(found: Any) -> list[float]:
    """Return the statistic of a result of SciPy."""
    return [float(found.statistic)]


# Scores of labels.

SKLEARN, IMBLEARN = "sklearn.metrics", "imblearn.metrics"
SKORDINAL, DLORDINAL = "skordinal.metrics", "dlordinal.metrics"

for _task in ("qwk", "qwk, classes", "qwk, lists", "qwk, texts"):
    on_labels(_task, "scikit-learn", f"{SKLEARN}.cohen_kappa_score", weights="quadratic")
on_labels("linear kappa", "scikit-learn", f"{SKLEARN}.cohen_kappa_score", weights="linear")
on_labels("linear kappa", "skordinal", f"{SKORDINAL}.weighted_kappa")
on_labels("cohen_kappa", "scikit-learn", f"{SKLEARN}.cohen_kappa_score")
on_labels("accuracy", "scikit-learn", f"{SKLEARN}.accuracy_score")
on_labels("accuracy_within", "skordinal", f"{SKORDINAL}.accuracy_off1_score")
on_labels("accuracy_within", "dlordinal", f"{DLORDINAL}.accuracy_off1")
on_labels("macro_recall", "scikit-learn", f"{SKLEARN}.balanced_accuracy_score")
on_labels("macro_f1", "scikit-learn", f"{SKLEARN}.f1_score", average="macro")
on_labels("gmean", "imbalanced-learn", f"{IMBLEARN}.geometric_mean_score")
on_labels("gmean", "skordinal", f"{SKORDINAL}.geometric_mean")
on_labels("min_sensitivity", "skordinal", f"{SKORDINAL}.minimum_sensitivity")
on_labels("min_sensitivity", "dlordinal", f"{DLORDINAL}.minimum_sensitivity")
on_labels("mae", "scikit-learn", f"{SKLEARN}.mean_absolute_error")
on_labels("rmse", "scikit-learn", f"{SKLEARN}.root_mean_squared_error")
for _task in ("macro_mae", "macro_mae, classes"):
    on_labels(_task, "imbalanced-learn", f"{IMBLEARN}.macro_averaged_mean_absolute_error")
on_labels("macro_mae", "skordinal", f"{SKORDINAL}.average_mean_absolute_error")
on_labels("macro_mae", "dlordinal", f"{DLORDINAL}.amae")
on_labels("max_mae", "skordinal", f"{SKORDINAL}.maximum_mean_absolute_error")
on_labels("max_mae", "dlordinal", f"{DLORDINAL}.mmae")
on_labels("pearson", "SciPy", "scipy.stats.pearsonr", read=statistic)
on_labels("spearman", "SciPy", "scipy.stats.spearmanr", read=statistic)
on_labels("spearman", "skordinal", f"{SKORDINAL}.spearmans_rho")
on_labels("kendall_b", "SciPy", "scipy.stats.kendalltau", read=statistic)
on_labels("kendall_b", "skordinal", f"{SKORDINAL}.kendalls_tau")


def on_tensors(task: str, name: str, **options: Any) -> None:
    """Register a function of torchmetrics, which takes tensors and the number of classes."""
    given = "".join(f", {key}={value!r}" for key, value in options.items())
    classes = ", task='multiclass', num_classes=k" if "error" not in name else ""

    @peer(
        task,
        "torchmetrics",
        f"{name}(pred, gold{classes}{given})",
        differs="it computes in single precision",
        within=1e-6,
    )
    def prepare(data: Data) -> Call:
        import torch

        torch.set_num_threads(1)  # threads that wait would count as processor time
        function = getattr(import_module("torchmetrics.functional"), name)
        gold, pred = torch.from_numpy(data["gold"]), torch.from_numpy(data["pred"])
        if classes:
            options.update(task="multiclass", num_classes=int(data["gold"].max()) + 1)
        return lambda: function(pred, gold, **options)


on_tensors("qwk", "cohen_kappa", weights="quadratic")
on_tensors("accuracy", "accuracy", average="micro")
on_tensors("macro_f1", "f1_score", average="macro")
on_tensors("mae", "mean_absolute_error")


@peer("alpha", "krippendorff", "alpha(np.stack([gold, pred]), level_of_measurement='ordinal')")
def _krippendorff_two(data: Data) -> Call:
    import krippendorff

    both = np.stack([data["gold"], data["pred"]])
    return lambda: krippendorff.alpha(both, level_of_measurement="ordinal")


@peer("cohen_kappa", "statsmodels", "cohens_kappa(pd.crosstab(gold, pred)).kappa")
def _statsmodels_kappa(data: Data) -> Call:
    import pandas as pd
    from statsmodels.stats.inter_rater import cohens_kappa

    gold, pred = data["gold"], data["pred"]
    return lambda: cohens_kappa(pd.crosstab(gold, pred).to_numpy()).kappa


@peer(
    "qwk",
    "PyCM",
    "ConfusionMatrix(gold, pred).weighted_kappa(squares)",
    most={"items": 100_000},
)
def _pycm_kappa(data: Data) -> Call:
    from pycm import ConfusionMatrix

    gold, pred = data["gold"], data["pred"]
    classes = range(int(gold.max()) + 1)
    squares = {i: {j: (i - j) ** 2 for j in classes} for i in classes}
    return lambda: ConfusionMatrix(gold, pred).weighted_kappa(squares)


@peer(
    "all measures",
    "PyCM",
    "ConfusionMatrix(gold, pred)",
    read=lambda cm: [cm.Overall_ACC, cm.Kappa, cm.F1_Macro],
    most={"items": 100_000},
)
def _pycm(data: Data) -> Call:
    from pycm import ConfusionMatrix

    gold, pred = data["gold"], data["pred"]
    return lambda: ConfusionMatrix(gold, pred)


@peer(
    "all measures",
    "scikit-learn",
    "classification_report(gold, pred) and cohen_kappa_score(gold, pred)",
    read=lambda found: [found[0]["accuracy"], found[1], found[0]["macro avg"]["f1-score"]],
)
def _report(data: Data) -> Call:
    from sklearn.metrics import classification_report, cohen_kappa_score

    gold, pred = data["gold"], data["pred"]
    return lambda: (
        classification_report(gold, pred, output_dict=True),
        cohen_kappa_score(gold, pred),
    )


# Intervals and tests of one or two systems.


def _kappa_of_arrays() -> Callable[..., float]:
    from sklearn.metrics import cohen_kappa_score

    def kappa(gold: np.ndarray, pred: np.ndarray) -> float:
        return float(cohen_kappa_score(gold, pred, weights="quadratic"))

    return kappa


@peer(
    "bootstrap",
    "SciPy",
    "bootstrap((gold, pred), kappa, paired=True, n_resamples=B, method='percentile')",
    read=lambda found: list(found.confidence_interval),
    differs=RANDOM,
    within=0.02,
    most={"replicates": 1000, "items": 10_000},
)
def _scipy_bootstrap(data: Data) -> Call:
    from scipy.stats import bootstrap

    kappa, sample = _kappa_of_arrays(), (data["gold"], data["pred"])
    settings = {"n_resamples": int(data["replicates"]), "method": "percentile", "rng": 0}
    return lambda: bootstrap(sample, kappa, paired=True, vectorized=False, batch=1, **settings)


@peer(
    "bootstrap",
    "pingouin",
    "compute_bootci(gold, pred, kappa, paired=True, method='per', n_boot=B)",
    differs=RANDOM,
    within=0.02,
    most={"replicates": 1000, "items": 10_000},
)
def _pingouin_bootstrap(data: Data) -> Call:
    from pingouin import compute_bootci

    kappa, gold, pred = _kappa_of_arrays(), data["gold"], data["pred"]
    settings = {"n_boot": int(data["replicates"]), "method": "per", "decimals": 12, "seed": 0}
    return lambda: compute_bootci(gold, pred, kappa, paired=True, **settings)


@peer(
    "two systems",
    "SciPy",
    "permutation_test((a, b), difference of kappas, permutation_type='samples', n_resamples=B)",
    read=lambda found: [abs(found.statistic), found.pvalue],
    differs=RANDOM,
    within=0.25,
    most={"trials": 1000},
)
def _scipy_permutation(data: Data) -> Call:
    from scipy.stats import permutation_test

    kappa, gold = _kappa_of_arrays(), data["gold"]

    def difference(a: np.ndarray, b: np.ndarray) -> float:
        return kappa(gold, a) - kappa(gold, b)

    settings = {"permutation_type": "samples", "vectorized": False, "rng": 0}
    pair = (data["systems"][0], data["systems"][1])
    return lambda: permutation_test(pair, difference, n_resamples=int(data["trials"]), **settings)


# Many systems. The peers get the scores of the topics, and ours the labels.


@peer(
    "many systems",
    "autorank",
    "autorank(scores, force_mode='parametric')",
    read=lambda found: np.sort(found.rankdf["mean"]),
    most={"systems": 10},
)
def _autorank(data: Data) -> Call:
    import pandas as pd
    from autorank import autorank

    frame = pd.DataFrame(data["scores"]).rename(columns="s{}".format)
    return lambda: autorank(frame, force_mode="parametric")


@peer(
    "many systems",
    "statsmodels",
    "pairwise_tukeyhsd(scores, systems)",
    read=lambda found: np.sort(found._multicomp.groupstats.groupmean),
    most={"systems": 20},
)
def _statsmodels_tukey(data: Data) -> Call:
    from statsmodels.stats.multicomp import pairwise_tukeyhsd

    scores = data["scores"]
    systems = np.tile(np.arange(scores.shape[1]), len(scores))
    return lambda: pairwise_tukeyhsd(scores.ravel(), systems)


@peer(
    "many systems",
    "SciPy",
    "ttest_rel of every pair, false_discovery_control",
    read=lambda found: found[0],
)
def _scipy_pairs(data: Data) -> Call:
    from itertools import combinations

    from scipy.stats import false_discovery_control, ttest_rel

    scores = data["scores"]

    def call() -> Any:
        pairs = combinations(range(scores.shape[1]), 2)
        p = [ttest_rel(scores[:, a], scores[:, b]).pvalue for a, b in pairs]
        return np.sort(scores.mean(axis=0)), false_discovery_control(p)

    return call


@peer(
    "randomised Tukey",
    "SciPy",
    "permutation_test(columns, range of means, permutation_type='samples', n_resamples=B)",
    read=lambda found: [found.statistic, found.pvalue],
    differs=RANDOM,
    within=0.15,
    most={"systems": 20},
)
def _scipy_tukey(data: Data) -> Call:
    from scipy.stats import permutation_test

    def largest(*systems: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(np.ptp(np.stack([s.mean(axis=axis) for s in systems]), axis=0))

    columns = tuple(np.ascontiguousarray(data["scores"].T))
    settings = {"permutation_type": "samples", "vectorized": True, "batch": 100, "rng": 0}
    return lambda: permutation_test(columns, largest, n_resamples=int(data["trials"]), **settings)


@peer(
    "consistency",
    "SciPy",
    "kendalltau of the means of both halves, in a loop over splits and measures",
    differs=RANDOM,
    within=0.1,
)
def _scipy_consistency(data: Data) -> Call:
    from scipy.stats import kendalltau

    scores, splits = data["by_measure"], int(data["splits"])  # [measure, system, topic]
    half = scores.shape[2] // 2

    def call() -> list[float]:
        rng, found = np.random.default_rng(0), np.empty((splits, len(scores)))
        for split in range(splits):
            order = rng.permutation(scores.shape[2])
            first, second = order[:half], order[half : 2 * half]
            for m, of_measure in enumerate(scores):
                means = of_measure[:, first].mean(axis=1), of_measure[:, second].mean(axis=1)
                found[split, m] = kendalltau(*means).statistic
        return numbers(found.mean(axis=0))

    return call


# Several raters.


@peer("krippendorff", "krippendorff", "alpha(ratings.T, level_of_measurement='ordinal')")
def _krippendorff(data: Data) -> Call:
    import krippendorff

    by_rater = np.ascontiguousarray(data["ratings"].T)
    return lambda: krippendorff.alpha(by_rater, level_of_measurement="ordinal")


@peer("fleiss", "statsmodels", "fleiss_kappa(aggregate_raters(ratings)[0])")
def _statsmodels_fleiss(data: Data) -> Call:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    ratings = data["ratings"].astype(int)
    return lambda: fleiss_kappa(aggregate_raters(ratings)[0])


IRRCAC = ("gwet", "bp", "fleiss", "conger", "krippendorff")


@peer(
    "coefficients",
    "irrCAC",
    "CAC(ratings, weights='quadratic') with " + ", ".join(IRRCAC),
    most={"raters": 10},
)
def _irrcac(data: Data) -> Call:
    import pandas as pd
    from irrCAC.raw import CAC

    frame = pd.DataFrame(data["ratings"])
    categories = sorted(np.unique(data["ratings"]).tolist())

    def call() -> list[float]:
        cac = CAC(frame, weights="quadratic", categories=categories, digits=14)
        return [getattr(cac, name)()["est"]["coefficient_value"] for name in IRRCAC]

    return call


@peer(
    "icc",
    "pingouin",
    "intraclass_corr(frame, targets='item', raters='rater', ratings='rating')",
    read=lambda found: found["ICC"].to_numpy(),
    most={"items": 10_000},
)
def _pingouin_icc(data: Data) -> Call:
    import pandas as pd
    from pingouin import intraclass_corr

    ratings = data["ratings"]
    item, rater = np.indices(ratings.shape)
    frame = pd.DataFrame(
        {"item": item.ravel(), "rater": rater.ravel(), "rating": ratings.ravel()},
    )
    return lambda: intraclass_corr(frame, targets="item", raters="rater", ratings="rating")


@peer("pairs", "scikit-learn", "cohen_kappa_score(a, b, weights='quadratic') of every pair")
def _sklearn_pairs(data: Data) -> Call:
    from sklearn.metrics import cohen_kappa_score

    pairs = list(combinations(np.ascontiguousarray(data["ratings"].T), 2))
    return lambda: [cohen_kappa_score(a, b, weights="quadratic") for a, b in pairs]


# Distributions, and labels of a judge.


def on_shares(task: str, name: str) -> None:
    """Register an error of QuaPy, of the rows of two arrays of shares."""

    @peer(task, "QuaPy", f"quapy.error.{name}(p, q)")
    def prepare(data: Data) -> Call:
        function = getattr(import_module("quapy").error, name)
        p, q = data["p"], data["q"]
        return lambda: function(p, q)


on_shares("nmd", "nmd")
on_shares("ae", "ae")


@peer("nmd", "SciPy", "wasserstein_distance(classes, classes, p, q) / (k - 1) of every row")
def _scipy_emd(data: Data) -> Call:
    from scipy.stats import wasserstein_distance

    p, q = data["p"], data["q"]
    classes = np.arange(p.shape[1])

    def call() -> float:
        rows = [wasserstein_distance(classes, classes, a, b) for a, b in zip(p, q, strict=True)]
        return float(np.mean(rows)) / (p.shape[1] - 1)

    return call


@peer(
    "judge labels",
    "ppi_py",
    "ppi_mean_pointestimate(...), ppi_mean_ci(...) of right and wrong answers",
    differs="ours corrects tables of counts, and its intervals use t and simulated draws",
    within=0.01,
)
def _ppi(data: Data) -> Call:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    gold, pred, judge = data["gold"], data["pred"], data["judge"]
    known = ~np.isnan(gold)
    right = (gold == pred)[known] * 1.0
    own, other = (judge == pred)[known] * 1.0, (judge == pred)[~known] * 1.0

    def call() -> list[float]:
        ends = ppi_mean_ci(right, own, other, alpha=0.05)
        return numbers([ppi_mean_pointestimate(right, own, other)[0], ends[0][0], ends[1][0]])

    return call
