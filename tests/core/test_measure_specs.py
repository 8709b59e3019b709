"""Measures are values: their specifications parse, print, compare, hash and travel."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from core_tables import all_measures
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.measures.registry import records
from ordeval.measures.spec import parse_measures

EVERY = [*all_measures("classification", 3), *all_measures("quantification", 3)]
numbers = st.floats(0, 1e6) | st.integers(0, 10**6)
positive = st.floats(1e-3, 1e3)
square = st.integers(2, 4).flatmap(
    lambda k: st.lists(
        st.lists(st.floats(0.001, 9), min_size=k, max_size=k), min_size=k, max_size=k
    ).map(lambda rows: [[0 if i == j else x for j, x in enumerate(r)] for i, r in enumerate(rows)])
)
# Parameters with more values than can be listed.
OPEN: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "accuracy_within": st.fixed_dictionaries({"n": st.integers(0, 10**9)}),
    "f1_binary": st.fixed_dictionaries({"positive": st.integers(-9, 9)}),
    "f1_extremes": st.fixed_dictionaries(
        {"classes": st.lists(st.integers(-9, 9), min_size=1, max_size=4)}
    ),
    "kappa": st.fixed_dictionaries({"weights": square}),
    "od": st.fixed_dictionaries({"weights": square}),
    "oc": st.fixed_dictionaries({"beta": numbers, "gamma": positive, "relative": st.booleans()}),
    "oc_unnormalised": st.fixed_dictionaries({"beta": numbers, "gamma": positive}),
    "uoc": st.fixed_dictionaries({"beta": numbers, "gamma": positive}),
    "oc_general": st.fixed_dictionaries({"beta1": numbers, "beta2": numbers, "gamma": positive}),
}


def test_what_is_printed_parses_back() -> None:
    assert len(set(EVERY)) == len(EVERY)
    for measure in EVERY:
        again = oe.measure(str(measure))
        assert again == measure
        assert hash(again) == hash(measure)
        assert str(again) == str(measure)
        assert pickle.loads(pickle.dumps(measure)) == copy.deepcopy(measure) == measure


@pytest.mark.parametrize("id", OPEN)
def test_free_parameters_come_back(id: str) -> None:
    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(params=OPEN[id])
    def check(params: dict[str, Any]) -> None:
        measure = oe.measure(id, **params)
        again = oe.measure(str(measure))
        assert again == measure
        assert str(again) == str(measure)
        assert hash(again) == hash(measure)

    check()


@settings(max_examples=300, deadline=None, derandomize=True)
@given(text=st.text(max_size=40) | st.text("cemoa(),'=[]\"0123456789.", max_size=40))
def test_any_text_parses_or_is_an_input_error(text: str) -> None:
    try:
        found = parse_measures(text)
    except oe.InputError:
        return
    assert parse_measures(", ".join(map(str, found))) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("qwk", "kappa(weights='quadratic')"),
        ("quadratic_kappa", "kappa(quadratic)"),
        ("mae_macro", "macro_mae(empty=ignore)"),
        ("alpha_int", "alpha(level='interval')"),
        ("cem_flat", "cem(log=False)"),
        ("OC(0.25)", "oc(beta=0.25)"),
        ("oc(beta=1.0)", "oc(beta=1)"),
        ("oc(.25, 1, True)", "oc"),
        (' kappa ( weights = "linear" ) ', "kappa"),
        ("f1_extremes([0, -1])", "f1_extremes(classes=(0, -1))"),
        ("kappa(weights=[[0, 1], [1, 0]])", "kappa(weights=((0.0, 1.0), (1.0, 0.0)))"),
    ],
)
def test_names_for_the_same_measure(one: str, other: str) -> None:
    assert oe.measure(one) == oe.measure(other)
    assert hash(oe.measure(one)) == hash(oe.measure(other))
    assert str(oe.measure(one)) == str(oe.measure(other))


def test_python_values_and_text_name_the_same_measure() -> None:
    weights = np.asarray([[0, 1.5], [2, 0]])
    assert oe.measure("kappa", weights=weights) == oe.measure("kappa(weights=[[0, 1.5], [2, 0]])")
    same = oe.measure("kappa", weights=np.eye(2) == 0)
    assert str(same) == "kappa(weights=((0, 1), (1, 0)))"
    assert str(oe.measure("oc", beta=np.float32(0.5))) == "oc(beta=0.5)"
    assert str(oe.measure("accuracy_within", n=np.int64(2))) == "accuracy_within(n=2)"


def test_defaults_are_printed_only_where_they_matter() -> None:
    for name, key, specification in (
        ("cem", "cem", "cem"),
        ("oc", "oc_0.25", "oc(beta=0.25)"),
        ("kappa", "lwk", "kappa(weights='linear')"),
        ("oc(0.75, gamma=2)", "oc(beta=0.75, gamma=2)", "oc(beta=0.75, gamma=2)"),
    ):
        assert str(oe.measure(name)) == oe.measure(name).key == key
        assert oe.measure(name).specification == specification
        assert oe.measure(key) == oe.measure(specification) == oe.measure(name)


def test_every_alias_parses() -> None:
    for record in records().values():
        for alias, preset in record.aliases.items():
            assert oe.measure(alias).id == record.id
            assert oe.measure(alias) == (
                oe.measure(record.id, **preset) if preset else oe.measure(record.id)
            )


def test_the_list_of_measures_stays_a_function() -> None:
    oe.measure("cem")  # loads the subpackage of the same name
    listed = oe.measures()
    assert len(listed) == len(set(listed))
    tasks = {"classification", "probabilities", "quantification", "raters", "ratings"}
    assert {m.record.task for m in oe.measures(None)} == tasks
    assert {m.record.task for m in oe.measures("quantification")} == {"quantification"}
    assert {m.id for m in oe.measures(batched=False)} == {"oc_general"}


def test_bounds_are_those_of_the_scale() -> None:
    scale = oe.Scale.of(["a", "b", "c", "d"], [0, 10, 30, 100])
    for measure, highest in {"mae": 100, "mse": 10_000, "rmse": 100, "emd": 100}.items():
        assert oe.measure(measure).bounds(scale) == (0, highest)
        assert oe.measure(measure).bounds(scale.values) == (0, highest)
    assert oe.measure("macro_mae(empty=zero)").bounds(scale) == (0, (100 + 90 + 70 + 100) / 4)
    assert oe.measure("mae").best(scale) == 0
    with pytest.raises(oe.InputError, match="strictly increasing"):
        oe.measure("mae").bounds([1, 1])


def test_keys_and_labels_tell_variants_apart() -> None:
    for names in zip(*((m.key, m.label) for m in oe.measures(None)), strict=True):
        assert len(names) == len(set(names))
    assert all(oe.measure(m.key) == m for m in oe.measures(None))
    assert parse_measures("OC_0.25, qwk") == [oe.measure("oc(0.25)"), oe.measure("qwk")]
    keys = {"kappa": "lwk", "mean_absolute_error": "mae", "oc(0.5)": "oc(beta=0.5)", "cem": "cem"}
    assert {name: oe.measure(name).key for name in keys} == keys
    assert oe.measure("kappa(quadratic)").label == "quadratic kappa"
    assert oe.measure("macro_f1(classes=union)").label == "macro F1 (classes=union)"
    assert oe.measure("kappa", weights=[[0, 1], [1, 0]]).label == "custom kappa"
    assert oe.measure("cem(log=False)").label == "CEM flat"
    assert oe.measure("fleiss").label == "Fleiss' kappa"


def test_classes_are_named_by_their_labels() -> None:
    gold, pred = [-2, -1, -1, 0, 1, 2, 2], [-2, -1, 0, 0, 2, 2, 1]
    f1 = oe.per_class(gold, pred)["f1"]
    assert oe.score(gold, pred, "f1_binary(positive=-1)") == f1[1]
    assert oe.score(gold, pred, "f1_binary") == f1[-1]
    assert oe.measure("f1_binary(positive=2)")(gold, pred) == f1[4]
    assert oe.score(gold, pred, "f1_extremes([-2, 1])") == pytest.approx((f1[0] + f1[3]) / 2)
    texts = oe.score(list("abb"), list("aba"), "f1_binary(positive=a)", labels=list("ab"))
    assert texts == pytest.approx(2 / 3)
    assert oe.evaluate(gold, pred, measures="f1_binary(positive=-1)").scores.values == f1[1]
    with pytest.raises(oe.InputError, match="no class 3") as error:
        oe.score(gold, pred, "f1_binary(positive=3)")
    assert error.value.parameter == "measures"
