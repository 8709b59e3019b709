"""The seed is called `rng`; the names of other libraries are answered with it."""

import inspect

import pytest

import ordeval as oe

FUNCTIONS = [
    oe.evaluate, oe.compare, oe.evaluate_frame, oe.compare_frame, oe.quantify,
    oe.meta.meta_evaluate, oe.meta.consistency, oe.meta.discriminative_power, oe.meta.axioms,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("name", ["seed", "random_state"])
def test_other_names_of_the_seed_are_answered(function: object, name: str) -> None:
    assert callable(function)
    assert "rng" in inspect.signature(function).parameters
    with pytest.raises(oe.InputError, match="rng=7") as caught:
        function(**{name: 7})
    assert caught.value.parameter == "rng"
