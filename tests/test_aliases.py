"""A measure is taken under any of its names, by whatever takes a measure."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.measures.registry import records

FULL = "kappa(weights='quadratic')"
RNG = np.random.default_rng(0)
GOLD = RNG.integers(1, 4, 24)
SYSTEMS = {name: RNG.integers(1, 4, 24) for name in "abc"}
PEOPLE = {"gold": GOLD, "a": SYSTEMS["a"], "b": SYSTEMS["b"]}
SHARES = {"a": [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], "b": [[0.3, 0.3, 0.4], [0.3, 0.3, 0.4]]}
QUICK: dict[str, Any] = {"labels": [1, 2, 3], "draws": 0}
RESULT = oe.compare(GOLD, SYSTEMS, f"mae, {FULL}", labels=[1, 2, 3], draws=20, trials=20)
COUNTS = oe.Counts.from_labels(GOLD, SYSTEMS, topic=[0, 1, 2] * 8, labels=[1, 2, 3])
CALLS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda m: oe.compare(GOLD, SYSTEMS, m, primary=m, trials=9, **QUICK)[m].rows,
    "evaluate": lambda m: oe.evaluate(GOLD, SYSTEMS, [m], primary=m, **QUICK)[m].rows,
    "judge": lambda m: oe.judge(PEOPLE, {"c": SYSTEMS["c"]}, m, primary=m, **QUICK).scores,
    "measure": oe.measure,
    "score": lambda m: oe.score(GOLD, SYSTEMS["a"], m, labels=[1, 2, 3]),
    "axioms": lambda m: oe.meta.axioms(m, "imbalance").measures,
    "matrices": lambda m: oe.meta.ScoreMatrices.from_counts(COUNTS, m).measures,
    "plot": lambda m: oe.plot.intervals(RESULT, m).get_xlabel(),
    "standing": lambda m: RESULT.standing("b", m),
    "pair": lambda m: RESULT.pair("a", "b", m),
    "frame": lambda m: RESULT.to_frame("pairs", "polars", measure=m).rows(),
    "text": lambda m: RESULT.to_text("pairs", m),
}


@pytest.mark.parametrize("name", CALLS)
def test_aliases_are_taken(name: str) -> None:
    full = repr(CALLS[name](FULL))
    for other in ("qwk", "QWK", oe.measure("qwk")):
        assert repr(CALLS[name](other)) == full


def test_aliases_of_quantification_measures_are_taken() -> None:
    of_shares = [r for r in records().values() if r.task == "quantification"]
    for alias in (alias for record in of_shares for alias in record.aliases):
        found = oe.quantify(SHARES["a"], SHARES, alias, primary=alias, size=[10, 10])
        other = oe.quantify(SHARES["a"], SHARES, str(oe.measure(alias)), size=[10, 10])
        assert np.array_equal(found.scores.values, other.scores.values)
        assert alias in found


def test_kappa_of_raters_is_that_of_conger() -> None:
    ratings = np.stack([GOLD, *SYSTEMS.values()], axis=1)
    found = oe.agreement(ratings, "qwk, gwet", pair_measures="QWK", **QUICK)
    full = "conger(weights='quadratic'), ac2"
    other = oe.agreement(ratings, full, pair_measures=FULL, **QUICK)
    assert (found.coefficients, found.pairs) == (other.coefficients, other.pairs)
    (note,) = set(map(str, found.notes)) - set(map(str, other.notes))
    assert "Conger" in note
