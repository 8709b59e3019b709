"""Requests that are too large are refused before the work."""

import subprocess
import sys

import pytest

from ordeval import InputError, limits


def test_memory_is_refused_with_what_there_is(monkeypatch):
    monkeypatch.setattr(limits, "memory", lambda: 10**9)
    limits.check_memory("Scores", 0.7e9, "", parameter="topics", hint="")
    with pytest.raises(
        InputError, match=r"2\.0 GB of memory \(a × b\); this process may use 1\.0 GB"
    ):
        limits.check_memory("Scores", 2e9, "a × b", parameter="topics", hint="")


def test_an_environment_variable_lifts_the_limits(monkeypatch):
    monkeypatch.setenv(limits.UNLIMITED, "1")
    monkeypatch.setattr(limits, "memory", lambda: 1)
    limits.check_memory("Scores", 1e30, "", parameter="topics", hint="")


def test_the_limit_of_the_process_counts():
    code = (
        "import resource; from ordeval.limits import memory; "
        "resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33)); print(memory())"
    )
    pytest.importorskip("resource")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) <= 2**33


def test_memory_of_this_machine_is_known():
    assert 10**8 < limits.memory() < 1 << 62
