"""One adviser: the path is complete and true, and everything that recommends says the same."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe
from ordeval.advice import Facts, Leaf, Recommendation, default_measure, path, recommend
from ordeval.meta import ScoreMatrices

PATHS = list(path().every())
ANSWERS = st.fixed_dictionaries(
    {}, optional={question.id: st.sampled_from(question.ids) for question in path().questions}
)
NAMED = pytest.mark.parametrize(
    "leaf", path().leaves, ids=lambda leaf: f"{leaf.primary} {sorted(leaf.when)}"
)
RARE = np.repeat([1, 2, 3], [260, 34, 6])
WORDS = ["low", "mid", "high"]


def remarks(advice: Recommendation) -> str:
    return " ".join(advice.remarks)


# The path.


@given(ANSWERS)
def test_any_answers_lead_to_measures(answers: dict[str, str]) -> None:
    advice = oe.advise(**answers)
    assert [oe.measure(name).key for name in advice.measures] == list(advice.measures)
    for question, answer in answers.items():
        assert advice.answers.get(question, answer) == answer
        assert question in advice.answers or question in remarks(advice)


def test_every_end_is_reached() -> None:
    reached = [path().leaf(answers) for answers in PATHS]
    assert [leaf for leaf in path().leaves if leaf not in reached] == []


def test_conditions_name_earlier_questions_and_their_answers() -> None:
    ids = {question.id: set(question.ids) for question in path().questions}
    order = list(ids)
    for question in path().questions:
        assert question.text.endswith("?")
        assert all(answer.reason.endswith(".") and answer.source for answer in question.answers)
        assert all(order.index(earlier) < order.index(question.id) for earlier in question.when)
    for part in (*path().questions, *path().leaves):
        assert all(required <= ids[name] for name, required in part.when.items())


@NAMED
def test_ends_agree_with_the_records_of_the_measures(leaf: Leaf) -> None:
    tasks = {"raters": "raters", "distributions": "quantification"}
    tasks["probabilities"] = "probabilities"
    [task] = {tasks.get(id, "classification") for id in leaf.when["task"]}
    used = [leaf.primary, *(reason.measure for reason in leaf.beside)]
    avoided = [reason.measure for reason in leaf.avoid]
    assert {oe.measure(name).record.task for name in (*used, *avoided)} == {task}
    assert not set(used) & set(avoided)
    assert all(oe.measure(leaf.primary).satisfies(axiom) for axiom in leaf.axioms)
    for reason in leaf.avoid:
        assert not reason.axiom or oe.measure(reason.measure).satisfies(reason.axiom) is False


@pytest.mark.parametrize("answers", PATHS, ids=lambda answers: " ".join(answers.values()))
def test_primary_measures_use_what_is_known_about_classes(answers: Mapping[str, str]) -> None:
    measure = oe.measure(recommend(answers).primary)
    if measure.record.task != "classification":
        return
    assert answers["order"] != "order" or measure.satisfies("ordinal_invariance")
    assert answers["order"] == "none" or measure.satisfies("order_awareness")
    if answers.get("balance") == "classes" and answers["chance"] == "no":
        assert measure.satisfies("imbalance")
    assert answers.get("constant") != "several" or measure.satisfies("constant_systems")


def test_claims_about_all_measures_are_true() -> None:
    axioms = ("ordinal_invariance", "ordinal_monotonicity", "imbalance")
    assert {m.id for m in oe.measures() if all(map(m.satisfies, axioms))} == {"cem"}
    corrected = [m for m in oe.measures() if m.record.family == "agreement"]
    assert not [m for m in corrected if m.satisfies("imbalance") and m.satisfies("order_awareness")]


# One voice.


@given(
    constant=st.integers(0, 3),
    seed=st.integers(0, 50),
    k=st.integers(2, 5),
    words=st.booleans(),
)
def test_everything_that_recommends_says_the_same(
    constant: int, seed: int, k: int, words: bool
) -> None:
    rng = np.random.default_rng(seed)
    names = np.array([f"class {i}" for i in range(k)]) if words else np.arange(k)
    gold = rng.integers(0, k, 40)
    systems = {f"s{i}": names[np.clip(gold + rng.integers(-1, 2, 40), 0, k - 1)] for i in range(2)}
    systems |= {f"c{i}": names[np.full(40, i % k)] for i in range(constant)}
    result = oe.compare(names[gold], systems, labels=names.tolist(), draws=0, trials=5)
    advised = oe.advise(names[gold], systems, labels=names.tolist()).primary
    facts = Facts.of_result(result)
    assert result.primary.key == advised
    assert advised == default_measure(len(facts.constant)) == oe.advise(result).primary


def test_probabilities_lead_to_the_measure_that_ranks_them() -> None:
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([9, 3, 0.3], 80)
    gold, systems = proba.argmax(axis=1), {"a": proba, "b": proba[::-1]}
    result = oe.compare(gold, proba=systems, labels=[0, 1, 2], draws=0, trials=5)
    advised = oe.advise(gold, proba=systems, labels=[0, 1, 2])
    assert result.primary.key == advised.primary == oe.advise(result).primary == "rps"
    assert "proba=proba" in advised.code
    exec(advised.code, {"y_true": gold, "proba": systems})
    assert oe.advise(task="probabilities", order="none").primary == "brier"
    assert oe.advise(gold, proba=proba, labels=[0, 1, 2], balance="classes").primary == "macro_rps"


def test_unknown_distances_lead_away_from_kappa() -> None:
    gold = [WORDS[i % 3] for i in range(30)]
    assert oe.advise(gold, gold, labels=WORDS, order="order").primary == "alpha_ord"
    assert oe.advise(gold, gold, labels=WORDS, order="order", chance="no").primary == "cem"


# What data answer.


def test_rare_classes_count_if_chance_does_not() -> None:
    advice = oe.advise(RARE, np.minimum(RARE + (np.arange(300) % 7 == 0), 3), chance=False)
    [balance] = [choice for choice in advice.choices if choice.question == "balance"]
    assert (advice.primary, balance.how) == ("macro_mae", "assumed")
    assert "3 (2 %)" in balance.because
    assert "right for 86.7 %" in remarks(advice)
    assert "smallest gold class has 6 items" in remarks(advice)


def test_unequal_class_values_are_distances() -> None:
    advice = oe.advise([1, 2, 4, 8], [1, 2, 4, 4], labels=[1, 2, 4, 8])
    assert next(c.how for c in advice.choices if c.question == "order") == "data"


def test_counts_and_distributions_are_data() -> None:
    gold = np.arange(60) % 3
    systems = {"a": gold, "b": np.roll(gold, 1)}
    counts = oe.Counts.from_labels(gold, systems, topic=np.arange(60) // 20)
    assert oe.advise(counts).answers == oe.advise(gold, systems).answers
    assert "3 topics" in remarks(oe.advise(counts))
    shares = oe.quantify([[0.2, 0.8], [0.5, 0.5]], {"a": [[0.3, 0.7], [0.5, 0.5]]}, draws=0)
    assert oe.advise(shares).answers["task"] == "distributions"


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb", "csv"])
def test_frames_and_files_are_data(library: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"human": [1, 2, 3, 3] * 9, "a": [1, 2, 3, 2] * 9, "b": [1, 1, 3, 3] * 9})
    table.write_csv(tmp_path / "t.csv")
    data = {
        "pandas": lambda: table.to_pandas(),
        "polars": lambda: table.lazy(),
        "pyarrow": lambda: table.to_arrow(),
        "duckdb": lambda: duckdb.from_arrow(table.to_arrow()),
        "csv": lambda: tmp_path / "t.csv",
    }[library]()
    here = oe.advise(table["human"], {"a": table["a"], "b": table["b"]})
    assert oe.advise("human", ["a", "b"], data=data).answers == here.answers
    rated = oe.advise(ratings=["human", "a"], models=["b"], data=data)
    assert rated.answers["task"] == "judge"


def test_one_item_of_one_class() -> None:
    assert oe.advise([1], [1]).primary == default_measure()


def test_missing_labels_are_left_out() -> None:
    advice = oe.advise([1, 2, 3, 1, None], [1, 2, None, 1, 2])
    assert "2 items" in remarks(advice)
    assert "missing='skip'" in advice.code


def test_raters_with_gaps_have_no_intraclass_correlation() -> None:
    ratings = np.array([[1, 2, 2], [3, 3, np.nan], [1, 1, 1], [4, 3, 4]])
    advice = oe.advise(ratings=ratings, order="distances", far="squares")
    assert advice.primary == "krippendorff_interval"
    assert not any(name.startswith("icc") for name in advice.measures)
    complete = oe.advise(ratings=ratings[[0, 2, 3]], order="distances", far="squares")
    assert "icc2" in complete.measures


def test_nearly_all_ratings_in_one_class_is_said() -> None:
    ratings = np.ones((50, 3), int)
    ratings[:2, 0] = 2
    assert "AC1 and AC2" in remarks(oe.advise(ratings=ratings, labels=[1, 2, 3]))


def test_models_beside_people_are_judged() -> None:
    people = {"anna": [1, 2, 3, 1], "ben": [1, 2, 2, 1]}
    advice = oe.advise(ratings=people, models={"gpt": [1, 2, 3, 3]})
    assert advice.answers["task"] == "judge"
    assert shlex.split(advice.command)[:2] == ["ordeval", "judge"]


def variables() -> dict[str, Any]:
    """Data for the calls that are printed."""
    gold = np.arange(60) % 3
    other = np.minimum(gold + (np.arange(60) % 4 == 0), 2)
    words = np.array(["low", "medium", "high"])
    shares = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    return {
        "y_true": words[gold],
        "ratings": {"anna": words[gold], "ben": words[other], "carla": words[np.roll(gold, 3)]},
        "people": {"anna": words[gold], "ben": words[other], "carla": words[np.roll(gold, 3)]},
        "models": {"model": words[other]},
        "p_true": shares,
        "p_pred": shares[::-1],
        "print": lambda *words: None,
    }


def data_for(code: str) -> dict[str, Any]:
    """The variables of a call; `compare` takes several systems."""
    named = variables()
    one, several = named["ratings"]["ben"], {"a": named["y_true"], "b": named["ratings"]["ben"]}
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    forecasts = {"proba": {"a": proba, "b": proba[::-1]} if "compare" in code else proba}
    return named | forecasts | {"y_pred": several if "compare" in code else one}


@pytest.mark.parametrize("code", {recommend(answers).code for answers in PATHS})
def test_the_printed_python_runs(code: str) -> None:
    exec(code, data_for(code))


# Evidence.

MEASURES = "kappa(weights=linear), alpha(level=ordinal), cem, mae"


def scores_of(systems: int = 5, topics: int = 12, spread: float = 1.0) -> ScoreMatrices:
    rng = np.random.default_rng(0)
    gold = np.clip(np.rint(rng.normal(3, spread, 30 * topics)), 1, 5).astype(int)
    guesses = {
        f"s{i}": np.clip(np.rint(gold + rng.normal(0, 0.4 + 0.2 * i, len(gold))), 1, 5).astype(int)
        for i in range(systems)
    }
    names = np.repeat([f"t{i}" for i in range(topics)], 30)
    counts = oe.Counts.from_labels(gold, guesses, labels=range(1, 6), topic=names)
    return ScoreMatrices.from_counts(counts, MEASURES)


QUICK = {"splits": 20, "mean_splits": 50, "resamples": 30, "trials": 50}


def test_evidence_has_the_figures_of_the_data() -> None:
    found = oe.meta.meta_evaluate(scores_of(), **QUICK)
    text = " ".join(found.advice.evidence)
    assert found.advice.primary == default_measure()
    assert f"mean τ {found.consistency.mean[0]:.3f}" in text
    assert f"{found.discrimination.significant[0]} of 10 pairs" in text


def test_undefined_scores_are_counted() -> None:
    guesses = {name: [1, 1, *([2, 2] if i else [3, 2])] * 5 for i, name in enumerate("abc")}
    counts = oe.Counts.from_labels(
        [1, 1, 2, 3] * 5, guesses, labels=[1, 2, 3], topic=[f"t{n // 2}" for n in range(20)]
    )
    scores = ScoreMatrices.from_counts(counts, MEASURES)
    assert "of 30 each: lwk (15)" in remarks(oe.meta.meta_evaluate(scores, **QUICK).advice)
