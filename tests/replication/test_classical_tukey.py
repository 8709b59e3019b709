"""Tukey's classical HSD over topics."""

import numpy as np
import pytest
from replication.datasets import semeval_2016_c
from replication.internals import Floats
from replication.study import Setting
from replication.tukey import classical_tukey
from scipy.stats import binom, ttest_rel, tukey_hsd

import ordeval as oe
from ordeval.stats import Plan, randomised_tukey


def scores(topics: int, systems: int, step: float = 0.0) -> Floats:
    """Scores with strong topics, and systems that improve by `step`."""
    rng = np.random.default_rng(4)
    errors = rng.gamma(2.0, 0.05, size=(topics, systems))
    return rng.normal(0.5, 0.2, size=(topics, 1)) + errors + step * np.arange(systems)


def pairs(p: Floats) -> Floats:
    return p[np.triu_indices(len(p), 1)]


def test_of_two_systems_it_is_the_paired_t_test() -> None:
    matrix = scores(25, 2, step=0.03)
    assert classical_tukey(matrix)[0, 1] == pytest.approx(ttest_rel(*matrix.T).pvalue, rel=1e-6)


def test_it_agrees_with_the_randomised_test_on_well_behaved_scores() -> None:
    matrix = np.random.default_rng(0).normal(size=(60, 5)) + 0.15 * np.arange(5)
    # Permutations keep the systems' own differences in the null distribution, so p is larger.
    random = randomised_tukey(matrix, Plan(10_000)).p
    assert pairs(random) == pytest.approx(pairs(classical_tukey(matrix)), abs=0.05)


@pytest.mark.slow
def test_family_wise_error() -> None:
    runs, rng = 150, np.random.default_rng(0)
    low, high = binom.ppf([0.0005, 0.9995], runs, 0.05)
    smallest = [pairs(classical_tukey(rng.normal(size=(20, 4)))).min() for _ in range(runs)]
    assert low <= np.sum(np.array(smallest) <= 0.05) <= high


@pytest.mark.slow
def test_pairing_by_topics_tells_more_pairs_apart(data: Setting) -> None:
    """On the runs of SemEval-2016 Task 4 C, for both kinds of Tukey HSD."""
    counts = semeval_2016_c(data)
    separated = dict.fromkeys(("paired", "shuffled", "classical", "unpaired"), 0)
    for measure in ("kappa(weights=linear)", "cem", "macro_mae"):
        matrix = np.asarray(oe.measure(measure).of(counts.table))
        rng = np.random.default_rng(0)
        shuffled = np.stack([rng.permutation(system) for system in matrix])
        for name, p in (
            ("paired", randomised_tukey(matrix.T, Plan(2000)).p),
            ("shuffled", randomised_tukey(shuffled.T, Plan(2000)).p),
            ("classical", classical_tukey(matrix.T)),
            ("unpaired", tukey_hsd(*matrix).pvalue),
        ):
            separated[name] += int(np.sum(pairs(p) < 0.05))
    assert separated["paired"] > separated["shuffled"]
    assert separated["classical"] > separated["unpaired"]
