"""Our figures are those of scikit-learn, SciPy and krippendorff where they offer the measure."""

import warnings
from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np
import pytest
import scipy.spatial.distance
import scipy.stats
import sklearn.metrics as sk

import ordeval as oe

ARRAY = np.ndarray[Any, Any]
K = 5
CLASSES = list(range(1, K + 1))


def labels(seed: int) -> tuple[ARRAY, ARRAY, list[int]]:
    """Gold, prediction and 2 to 15 classes: uneven, one of them never gold for odd seeds."""
    rng = np.random.default_rng(seed)
    k = 2 + seed % 14
    shares = rng.dirichlet(np.ones(k)) + 0.05
    if seed % 2:
        shares[rng.integers(k)] = 0
    gold = rng.choice(k, size=60, p=shares / shares.sum()) + 1
    return gold, np.clip(gold + rng.integers(-2, 3, size=60), 1, k), list(range(1, k + 1))


def alpha(level: str) -> Callable[..., float]:
    def score(gold: ARRAY, pred: ARRAY, classes: list[int]) -> float:
        found = krippendorff.alpha(
            reliability_data=np.stack([gold, pred]),
            level_of_measurement=level,
            value_domain=classes,
        )
        return float(found)

    return score


def over_gold_classes(score: Callable[..., float]) -> Callable[..., float]:
    return lambda gold, pred, _, **weights: score(
        gold, pred, labels=np.unique(gold), average="macro", zero_division=0, **weights
    )


def of_labels(score: Callable[..., Any]) -> Callable[..., Any]:
    """Leave out the classes, which the peer does not need."""
    return lambda gold, pred, _, **weights: score(gold, pred, **weights)


def balanced_accuracy(gold: ARRAY, pred: ARRAY, _: list[int], **weights: ARRAY) -> float:
    with warnings.catch_warnings():  # of predictions outside the gold classes
        warnings.simplefilter("ignore")
        return float(sk.balanced_accuracy_score(gold, pred, **weights))


def kappa(name: str | None) -> Callable[..., float]:
    return lambda g, p, classes, **weights: sk.cohen_kappa_score(
        g, p, labels=classes, weights=name, **weights
    )


WEIGHTED_PEERS: dict[str, Callable[..., Any]] = {
    "accuracy": of_labels(sk.accuracy_score),
    "mer": of_labels(sk.zero_one_loss),
    "macro_recall": balanced_accuracy,
    "macro_precision": over_gold_classes(sk.precision_score),
    "macro_f1": over_gold_classes(sk.f1_score),
    "f1_binary": lambda g, p, classes, **weights: sk.f1_score(
        g == classes[-1], p == classes[-1], zero_division=np.nan, **weights
    ),
    "min_sensitivity": lambda g, p, _, **weights: min(
        sk.recall_score(g, p, average=None, labels=np.unique(g), zero_division=0, **weights)
    ),
    "mae": of_labels(sk.mean_absolute_error),
    "mse": of_labels(sk.mean_squared_error),
    "rmse": of_labels(sk.root_mean_squared_error),
    "cohen_kappa": kappa(None),
    "kappa(weights=linear)": kappa("linear"),
    "kappa(weights=quadratic)": kappa("quadratic"),
}
PEERS: dict[str, Callable[..., Any]] = {
    **WEIGHTED_PEERS,
    "mutual_information": lambda g, p, _: sk.mutual_info_score(g, p) / np.log(2),
    "pearson": lambda g, p, _: scipy.stats.pearsonr(g, p).statistic,
    "cosine": lambda g, p, _: 1 - scipy.spatial.distance.cosine(g, p),
    "spearman": lambda g, p, _: scipy.stats.spearmanr(g, p).statistic,
    "kendall_b": lambda g, p, _: scipy.stats.kendalltau(g, p).statistic,
    **{
        f"alpha(level={level})": alpha(level)
        for level in ("ordinal", "interval", "nominal", "ratio")
    },
}
SEEDS = range(28)


def check(spec: str, peer: Callable[..., Any], seed: int, **weights: ARRAY) -> None:
    """Compare our score of random labels with that of a peer, which may be undefined too."""
    gold, pred, classes = labels(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = oe.measure(spec)(gold, pred, labels=classes, weight=weights.get("sample_weight"))
        theirs = float(peer(gold, pred, classes, **weights))
    assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("spec", PEERS)
def test_labels(spec: str) -> None:
    for seed in SEEDS:
        check(spec, PEERS[spec], seed)


@pytest.mark.parametrize("spec", WEIGHTED_PEERS)
def test_weighted_labels(spec: str) -> None:
    for seed in SEEDS:
        weights = np.random.default_rng(seed).exponential(size=60)
        check(spec, WEIGHTED_PEERS[spec], seed, sample_weight=weights)


@pytest.mark.parametrize("figure", ["recall", "precision", "f1"])
def test_averages_over_the_union_of_classes(figure: str) -> None:
    """Sparse labels, so that most have a class that is predicted and not in gold."""
    peer, differing = getattr(sk, f"{figure}_score"), 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        gold, pred = rng.integers(1, 8, size=(2, rng.integers(1, 9)))
        over = [
            oe.score(gold, pred, f"macro_{figure}(classes={classes})", labels=range(1, 8))
            for classes in ("union", "gold")
        ]
        theirs = peer(gold, pred, average="macro", zero_division=0)
        assert over[0] == pytest.approx(float(theirs), abs=1e-12)
        differing += abs(over[0] - over[1]) > 1e-9
    assert differing > 100


DISTANCES: dict[str, Callable[[ARRAY, ARRAY], Any]] = {
    "emd": lambda p, q: scipy.stats.wasserstein_distance(CLASSES, CLASSES, p, q),
    "nvd": lambda p, q: scipy.spatial.distance.cityblock(p, q) / 2,
    "kld": lambda p, q: scipy.stats.entropy(p, q, base=2),
    "kld(direction=gold, base=e)": lambda p, q: scipy.stats.entropy(q, p),
    "ae": lambda p, q: sk.mean_absolute_error(q, p),
    "rae": lambda p, q: sk.mean_absolute_percentage_error(q, p),
    "jsd": lambda p, q: scipy.spatial.distance.jensenshannon(p, q, base=2) ** 2,
}


@pytest.mark.parametrize("spec", DISTANCES)
def test_distributions(spec: str) -> None:
    rng = np.random.default_rng(1)
    for p, q in rng.dirichlet(np.ones(K), size=(20, 2)):
        theirs = DISTANCES[spec](p, q)
        assert float(oe.measure(spec).of(q, p)) == pytest.approx(theirs, rel=1e-9)
