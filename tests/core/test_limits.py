"""Requests that are too large are refused before the work."""

import pytest

from ordeval import InputError, limits


def test_operations_are_refused_with_their_size_and_what_to_do():
    with pytest.raises(InputError, match=r"2e\+13 operations \(20 pairs × 10¹² trials\)") as raised:
        limits.check_operations(
            "Tests",
            2e13,
            "20 pairs × 10¹² trials",
            parameter="trials",
            hint="Pass {trials}.",
            suggest={"trials": 1000},
        )
    assert raised.value.parameter == "trials"
    assert "trials=1000" in str(raised.value)
    assert limits.UNLIMITED in str(raised.value)


def test_memory_is_refused_with_what_there_is(monkeypatch):
    monkeypatch.setattr(limits, "memory", lambda: 10**9)
    limits.check_memory("Scores", 0.7e9, "", parameter="topics", hint="")
    with pytest.raises(InputError, match=r"2\.0 GB of memory \(a × b\); this machine has 1\.0 GB"):
        limits.check_memory("Scores", 2e9, "a × b", parameter="topics", hint="")


def test_an_environment_variable_lifts_the_limits(monkeypatch):
    monkeypatch.setenv(limits.UNLIMITED, "1")
    monkeypatch.setattr(limits, "memory", lambda: 1)
    limits.check_operations("Tests", 1e30, "", parameter="trials", hint="")
    limits.check_memory("Scores", 1e30, "", parameter="topics", hint="")


def test_memory_of_this_machine_is_known():
    assert 10**8 < limits.memory() < 1 << 62
