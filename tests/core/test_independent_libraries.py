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


def labels(seed: int) -> tuple[ARRAY, ARRAY]:
    """Gold and prediction: uneven classes, one of them never gold for odd seeds."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(K))
    if seed % 2:
        shares[rng.integers(K)] = 0
    gold = rng.choice(CLASSES, size=60, p=shares / shares.sum())
    return gold, np.clip(gold + rng.integers(-2, 3, size=60), 1, K)


def alpha(level: str) -> Callable[[ARRAY, ARRAY], float]:
    def score(gold: ARRAY, pred: ARRAY) -> float:
        found = krippendorff.alpha(
            reliability_data=np.stack([gold, pred]),
            level_of_measurement=level,
            value_domain=CLASSES,
        )
        return float(found)

    return score


def over_gold_classes(score: Callable[..., float]) -> Callable[[ARRAY, ARRAY], float]:
    return lambda gold, pred: score(
        gold, pred, labels=np.unique(gold), average="macro", zero_division=0
    )


def balanced_accuracy(gold: ARRAY, pred: ARRAY) -> float:
    with warnings.catch_warnings():  # of predictions outside the gold classes
        warnings.simplefilter("ignore")
        return float(sk.balanced_accuracy_score(gold, pred))


def kappa(weights: str | None) -> Callable[[ARRAY, ARRAY], float]:
    return lambda g, p: sk.cohen_kappa_score(g, p, labels=CLASSES, weights=weights)


PEERS: dict[str, Callable[[ARRAY, ARRAY], Any]] = {
    "accuracy": sk.accuracy_score,
    "mer": sk.zero_one_loss,
    "macro_recall": balanced_accuracy,
    "macro_precision": over_gold_classes(sk.precision_score),
    "macro_f1": over_gold_classes(sk.f1_score),
    "f1_binary(positive=-1)": lambda g, p: sk.f1_score(g == K, p == K, zero_division=0),
    "min_sensitivity": lambda g, p: min(
        sk.recall_score(g, p, average=None, labels=np.unique(g), zero_division=0)
    ),
    "mutual_information": lambda g, p: sk.mutual_info_score(g, p) / np.log(2),
    "mae": sk.mean_absolute_error,
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "cohen_kappa": kappa(None),
    "kappa(weights=linear)": kappa("linear"),
    "kappa(weights=quadratic)": kappa("quadratic"),
    "pearson": lambda g, p: scipy.stats.pearsonr(g, p).statistic,
    "cosine": lambda g, p: 1 - scipy.spatial.distance.cosine(g, p),
    "spearman": lambda g, p: scipy.stats.spearmanr(g, p).statistic,
    "kendall_b": lambda g, p: scipy.stats.kendalltau(g, p).statistic,
    **{
        f"alpha(level={level})": alpha(level)
        for level in ("ordinal", "interval", "nominal", "ratio")
    },
}


@pytest.mark.parametrize("spec", PEERS)
def test_labels(spec: str) -> None:
    for seed in range(20):
        gold, pred = labels(seed)
        ours = oe.measure(spec)(gold, pred, labels=CLASSES)
        assert ours == pytest.approx(float(PEERS[spec](gold, pred)), rel=1e-10, abs=1e-12)


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


WEIGHTED_PEERS: dict[str, Callable[..., Any]] = {
    "accuracy": sk.accuracy_score,
    "mae": sk.mean_absolute_error,
    "mse": sk.mean_squared_error,
    "kappa(weights=linear)": lambda g, p, sample_weight: sk.cohen_kappa_score(
        g, p, labels=CLASSES, weights="linear", sample_weight=sample_weight
    ),
}


@pytest.mark.parametrize("spec", WEIGHTED_PEERS)
def test_weighted_labels(spec: str) -> None:
    gold, pred = labels(2)
    weight = np.random.default_rng(0).exponential(size=len(gold))
    ours = oe.measure(spec)(gold, pred, labels=CLASSES, sample_weight=weight)
    theirs = WEIGHTED_PEERS[spec](gold, pred, sample_weight=weight)
    assert ours == pytest.approx(float(theirs), rel=1e-10)


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
