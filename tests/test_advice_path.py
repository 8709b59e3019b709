"""The decision path: complete, in agreement with what is recorded about measures, and usable."""

import shlex
from collections.abc import Mapping
from html import escape
from textwrap import dedent
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe
from ordeval.advice import LEAVES, QUESTIONS, Leaf, Recommendation, every_path, holds, recommend

PATHS = list(every_path(QUESTIONS))
ANSWERS = st.fixed_dictionaries(
    {}, optional={question.id: st.sampled_from(question.words) for question in QUESTIONS}
)
NAMED = pytest.mark.parametrize(
    "leaf", LEAVES, ids=lambda leaf: f"{leaf.primary} {sorted(leaf.when)}"
)


def text_of(found: Recommendation) -> str:
    return " ".join(found.remarks)


# The path itself.


@given(ANSWERS)
def test_any_answers_lead_to_measures(answers: dict[str, str]) -> None:
    found = oe.advise(**answers)  # type: ignore[arg-type]
    assert [str(oe.measure(spec)) for spec in found.measures] == list(found.measures)
    asked = {choice.question: choice for choice in found.choices}
    for question, word in answers.items():
        if question in asked:
            assert (asked[question].answer, asked[question].how) == (word, "given")
        else:
            assert question in text_of(found)


def test_every_end_is_reached() -> None:
    reached = [next(leaf for leaf in LEAVES if holds(leaf.when, path)) for path in PATHS]
    assert [leaf for leaf in LEAVES if leaf not in reached] == []


def test_every_answer_has_a_reason_and_a_source() -> None:
    for question in QUESTIONS:
        assert question.text.endswith("?")
        for answer in question.answers:
            assert answer.reason.endswith(".")
            assert answer.source


def test_conditions_name_earlier_questions_and_their_answers() -> None:
    words = {question.id: set(question.words) for question in QUESTIONS}
    order = [question.id for question in QUESTIONS]
    for question in QUESTIONS:
        assert all(order.index(earlier) < order.index(question.id) for earlier in question.when)
    for part in (*QUESTIONS, *LEAVES):
        assert all(required <= words[name] for name, required in part.when.items())


# In agreement with the records.


@NAMED
def test_measures_fit_the_task(leaf: Leaf) -> None:
    tasks = {"raters": "raters", "distributions": "quantification"}
    [task] = {tasks.get(word, "classification") for word in leaf.when["task"]}
    others = [r.measure for r in leaf.beside], [a.measure for a in leaf.avoid]
    for spec in (leaf.primary, *others[0], *others[1]):
        assert oe.measure(spec).record.task == task
    assert not {leaf.primary, *others[0]} & set(others[1])


@NAMED
def test_primary_measures_satisfy_the_axioms_that_they_are_chosen_for(leaf: Leaf) -> None:
    failed = [axiom for axiom in leaf.axioms if not oe.measure(leaf.primary).satisfies(axiom)]
    assert failed == []
    assert leaf.axioms or leaf.when["task"] == {"raters"}


@NAMED
def test_avoided_measures_fail_the_axiom_that_is_the_reason(leaf: Leaf) -> None:
    for avoided in leaf.avoid:
        if avoided.axiom:
            assert oe.measure(avoided.measure).satisfies(avoided.axiom) is False, avoided


@pytest.mark.parametrize("path", PATHS, ids=lambda path: " ".join(path.values()))
def test_primary_measures_use_what_is_known_about_classes(path: Mapping[str, str]) -> None:
    measure = oe.measure(recommend(path).primary)
    if measure.record.task != "classification":
        return
    if path["order"] == "order":
        assert measure.satisfies("ordinal_invariance")
    if path["order"] != "none":
        assert measure.satisfies("order_awareness")
    if path.get("balance") == "classes" and path["chance"] == "no":
        assert measure.satisfies("imbalance")
    if path.get("constant") == "several":
        assert measure.satisfies("constant_systems")


def test_what_is_said_of_all_measures_is_true() -> None:
    tables = oe.measures()
    cem = ("ordinal_invariance", "ordinal_monotonicity", "imbalance")
    assert {m.id for m in tables if all(m.satisfies(axiom) for axiom in cem)} == {"cem"}
    corrected = [m for m in tables if m.record.family == "agreement"]
    both = [m for m in corrected if m.satisfies("imbalance") and m.satisfies("order_awareness")]
    assert both == []
    shares = [m for m in oe.measures(None) if m.record.task == "quantification"]
    ordered = [m for m in shares if m.satisfies("single_class_order")]
    assert ordered
    assert not any(m.satisfies("ordinal_invariance") for m in ordered)


def test_the_usual_answers_lead_where_the_literature_does() -> None:
    usual = oe.advise(task="labels", purpose="compare", order="distances", balance="items")
    facts = oe.meta.DataFacts("classification", k=5, topics=50)
    assert usual.primary == oe.meta.advise(facts).primary
    constant = oe.advise(order="distances", constant="several")
    facts = oe.meta.DataFacts("classification", k=5, topics=50, constant_systems=("a", "b"))
    assert constant.primary == oe.meta.advise(facts).primary
    shares = oe.advise(task="distributions")
    advice = oe.meta.advise(oe.meta.DataFacts("quantification", k=5, topics=50))
    assert shares.measures == (advice.primary, advice.secondary)


# What data answer.

IMBALANCED = np.repeat([1, 2, 3], [260, 34, 6])
GUESSES = np.minimum(IMBALANCED + (np.arange(300) % 7 == 0), 3)


def test_rare_classes_are_named_and_count_if_chance_does_not() -> None:
    found = oe.advise(IMBALANCED, GUESSES, chance=False)
    assert found.primary == "macro_mae"
    balance = next(choice for choice in found.choices if choice.question == "balance")
    assert balance.how == "assumed"
    assert "3 (2 %)" in balance.because
    assert "right for 86.7 %" in text_of(found)
    assert "smallest gold class has 6 items" in text_of(found)
    assert "oe.per_class(" in found.code


def test_balanced_classes_answer_for_themselves() -> None:
    gold = np.arange(60) % 3
    found = oe.advise(gold, gold, order="distances", chance="no")
    balance = next(choice for choice in found.choices if choice.question == "balance")
    assert (balance.answer, balance.how) == ("items", "data")
    assert found.primary == "mae"


def test_two_classes_have_no_order() -> None:
    found = oe.advise([0, 1, 1, 0], [0, 1, 0, 0])
    assert found.answers["order"] == "none"
    assert found.primary == "cohen_kappa"


def test_one_class_and_one_item() -> None:
    assert oe.advise([1], [1]).primary == "cohen_kappa"


def test_words_and_numbers_lead_to_different_measures() -> None:
    words = ["low", "mid", "high"]
    gold, guess = [words[i % 3] for i in range(30)], [words[i % 2] for i in range(30)]
    assert oe.advise(gold, guess, labels=words).primary == "alpha(level='ordinal')"
    assert oe.advise(gold, guess, labels=words, values=[1, 2, 5]).answers["order"] == "distances"
    numbers = oe.advise([1, 2, 4, 8], [1, 2, 4, 4], labels=[1, 2, 4, 8])
    assert next(c.how for c in numbers.choices if c.question == "order") == "data"


def test_constant_systems_are_found() -> None:
    gold = np.arange(60) % 3
    systems = {"low": np.zeros(60, int), "high": np.full(60, 2), "good": gold}
    found = oe.advise(gold, systems)
    assert found.answers["constant"] == "several"
    assert found.primary == "alpha(level='ordinal')"
    one = oe.advise(gold, {"low": systems["low"], "good": gold})
    assert one.answers["constant"] == "no"
    assert "'low' always predicts the same class" in text_of(one)


def test_results_and_counts_are_data() -> None:
    gold = np.arange(60) % 3
    systems = {"a": gold, "b": np.roll(gold, 1)}
    counts = oe.Counts.from_labels(gold, systems, topics=np.arange(60) // 20)
    result = oe.compare(gold, systems, bootstrap=0)
    assert oe.advise(counts).answers == oe.advise(result).answers
    assert "3 topics" in text_of(oe.advise(counts))
    shares = oe.quantify([[0.2, 0.8], [0.5, 0.5]], {"a": [[0.3, 0.7], [0.5, 0.5]]}, bootstrap=0)
    assert oe.advise(shares).primary == "nvd"


def test_missing_labels_are_left_out_and_said_to_be() -> None:
    found = oe.advise([1, 2, 3, 1, None], [1, 2, None, 1, 2])
    assert "2 items" in text_of(found)
    assert "missing='skip'" in found.code


def test_raters_with_gaps_have_no_intraclass_correlation() -> None:
    ratings = np.array([[1, 2, 2], [3, 3, np.nan], [1, 1, 1], [4, 3, 4]])
    found = oe.advise(ratings=ratings, far="squares")
    assert found.primary == "krippendorff(level='interval')"
    assert not any(spec.startswith("icc") for spec in found.measures)
    complete = oe.advise(ratings=ratings[[0, 2, 3]], far="squares")
    assert "icc(model=2, raters=1)" in complete.measures


def test_nearly_all_ratings_in_one_class_is_said() -> None:
    ratings = np.ones((50, 3), int)
    ratings[:2, 0] = 2
    assert "AC1 and AC2" in text_of(oe.advise(ratings=ratings, labels=[1, 2, 3]))


def test_models_beside_people_are_judged() -> None:
    people = {"anna": [1, 2, 3, 1], "ben": [1, 2, 2, 1]}
    found = oe.advise(ratings=people, models={"gpt": [1, 2, 3, 3]})
    assert found.answers["task"] == "judge"
    assert found.command.startswith("ordeval judge")
    assert "--models gpt" in found.command


# What is typed next.

ORDER = ["low", "medium", "high"]


def variables() -> dict[str, Any]:
    """Data for the calls that are printed."""
    gold = np.arange(60) % 3
    other = np.minimum(gold + (np.arange(60) % 4 == 0), 2)
    people = {"anna": gold, "ben": other, "carla": np.roll(gold, 3)}
    shares = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    return {
        "gold": gold,
        "pred": other,
        "systems": {"a": gold, "b": other},
        "ratings": people,
        "models": {"model": other},
        "p_true": shares,
        "p_pred": shares[::-1],
    }


CALLS = {recommend(path).code: path for path in PATHS if path.get("each_class") != "no"}


@pytest.mark.parametrize("code", CALLS, ids=lambda code: " ".join(CALLS[code].values()))
def test_the_python_calls_run(code: str) -> None:
    data = variables()
    if "labels=" in code:
        words = np.array(ORDER)
        for name in ("gold", "pred"):
            data[name] = words[data[name]]
        for name in ("systems", "ratings", "models"):
            data[name] = {key: words[codes] for key, codes in data[name].items()}
    faster = code.replace("    measures=", "    bootstrap=0,\n    measures=")
    exec(compile(faster, "code", "exec"), {"oe": oe, **data})


def test_it_prints_everywhere() -> None:
    found = oe.advise(IMBALANCED, GUESSES)
    assert found.primary in str(found)
    assert "<table" in found._repr_html_()
    assert "| ---" in found.to_markdown()
    assert found.to_dict()["primary"] == found.primary
    assert all(len(line) <= 80 for line in found.to_text().splitlines())


@pytest.mark.parametrize("width", ["40", "80"])
def test_the_printed_command_can_be_copied(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    labels = ["low", "it's, well", 'say "no"']
    gold = [labels[i % 3] for i in range(30)]
    found = oe.advise(gold, {"a": gold, "b": gold[::-1]}, labels=labels)
    typed = str(found).partition("On the command line:\n")[2].partition("\n\nIn Python:")[0]
    assert shlex.split(typed.replace("\\\n", "")) == shlex.split(found.command)
    code = str(found).partition("In Python:\n")[2]
    assert dedent(code).strip() == found.code
    assert f"```bash\n{found.command}\n```" in found.to_markdown()
    assert f"<pre>{escape(found.command)}</pre>" in found._repr_html_()


def test_topics_are_in_the_command_and_in_the_call() -> None:
    gold = np.arange(60) % 3
    found = oe.advise(gold, gold, topics=np.arange(60) % 6)
    assert "    topics=topics,\n" in found.code
    assert " --topic topic " in found.command
    assert "topic" not in oe.advise(gold, gold).command


# Frames.

FRAME = pd.DataFrame({
    "-gold": np.arange(60) % 3, "it's; a": np.minimum(np.arange(60) % 3 + 1, 2),
    "b,c": 1, "judge": np.arange(60) % 3,
})  # fmt: skip
SOME = FRAME.assign(**{"-gold": FRAME["-gold"].where(FRAME.index % 4 == 0).astype("Int64")})
SORTS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": pa.Table.from_pandas,
    "duckdb": lambda frame: duckdb.from_df(frame),
}
SYSTEMS = ["it's; a", "b,c"]
FRAMES = {
    "labels": (FRAME, {"gold": "-gold", "pred": SYSTEMS}),
    "gaps": (SOME, {"gold": "-gold", "pred": SYSTEMS}),
    "judge": (SOME, {"gold": "-gold", "judge": "judge", "labels": [0, 1, 2]}),
    "raters": (FRAME, {"raters": ["-gold", *SYSTEMS]}),
    "models": (FRAME, {"raters": ["-gold", "judge"], "models": SYSTEMS}),
}


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("case", FRAMES)
def test_frames_are_data_and_the_call_runs(sort: str, case: str) -> None:
    frame, columns = FRAMES[case]
    answers = {"order": "order", "each_class": False}
    found = oe.advise_frame(SORTS[sort](frame), **columns, **answers)
    assert found.to_dict() == oe.advise_frame(frame, **columns, **answers).to_dict()
    code = found.code.replace("    measures=", "    bootstrap=0,\n    measures=")
    exec(compile(code, "code", "exec"), {"oe": oe, "frame": SORTS[sort](frame)})


def test_frames_and_labels_lead_to_the_same_measures() -> None:
    gold, systems = FRAME["-gold"], FRAME[SYSTEMS]
    by_frame = oe.advise_frame(FRAME, gold="-gold", pred=SYSTEMS)
    assert by_frame.answers == oe.advise(gold, systems).answers
    assert "--gold=-gold --pred 'it'" in by_frame.command
    judged = oe.advise(SOME["-gold"], SOME[["b,c"]], judge=SOME["judge"], labels=[0, 1, 2])
    assert "judge=judge" in judged.code
    assert "Gold is known for 15 of 60 items." in text_of(judged)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"models": ["b,c"]}, "raters"), ({"ordr": "order"}, "Did you mean 'order'")],
)
def test_bad_answers_about_frames_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(oe.InputError, match=words):
        oe.advise_frame(FRAME, gold="-gold", **arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"order": "ordinal"}, "order"),
        ({"judge": [1, 2]}, "judge"),
        ({"data": [1, 2]}, "y_pred"),
        ({"models": {"m": [1]}}, "ratings"),
        ({"data": [1, 2], "y_pred": [1, 2], "ratings": [[1, 2]]}, "ratings"),
    ],
)
def test_bad_answers_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(oe.InputError, match=words):
        oe.advise(**arguments)
