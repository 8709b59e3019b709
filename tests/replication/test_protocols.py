"""The training protocols, on few repeats and a small grid."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from replication.datasets import Tabular, tabular
from replication.printed import read_paper
from replication.study import run_exhibit

from replication import Exhibit, Setting, Verdict, classifiers, training


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "QUICK_REPEATS", 3)
    monkeypatch.setattr(classifiers, "PENALTIES", [0.5, 2.0])
    monkeypatch.setattr(classifiers, "FOLDS", 3)


def setting_of(shared: Path, **more: object) -> Setting:
    return Setting(data=shared / "data", quick=True, jobs=1, **more)  # type: ignore[arg-type]


def exhibit_of(paper: str, key: str, make: Any, setting: Setting) -> Exhibit:
    return run_exhibit(make, read_paper(paper).exhibits[key], setting)


def test_a_repeat_tests_on_60_per_cent(shared: Path) -> None:
    data = tabular(setting_of(shared), "esl")
    methods = classifiers.linear_methods(data.labels)
    tables = classifiers.one_repeat(data, methods, np.random.SeedSequence(1))
    assert tables.shape == (3, 9, 9)
    assert set(tables.sum(axis=(1, 2))) == {round(0.6 * 488)}
    # The same items are tested by all methods.
    assert (tables.sum(axis=2) == tables[0].sum(axis=1)).all()


def test_a_repeat_depends_only_on_its_seed() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    data = Tabular(x, 1 + (x[:, 0] > -0.5).astype(int) + (x[:, 0] > 0.5), (1, 2, 3))
    methods = classifiers.linear_methods(data.labels)
    seed = np.random.SeedSequence(5)
    once = classifiers.one_repeat(data, methods, seed)
    again = classifiers.one_repeat(data, methods, np.random.SeedSequence(5))
    other = classifiers.one_repeat(data, methods, np.random.SeedSequence(6))
    assert (once == again).all()
    assert not (once == other).all()


@pytest.mark.slow
def test_table_6_on_the_public_data_sets(shared: Path) -> None:
    said: list[str] = []
    setting = setting_of(shared, progress=lambda what, done, total: said.append(what))
    exhibit = exhibit_of("cardoso-2011", "table-6", training.algorithm_1, setting)
    verdicts = {c.verdict for c in exhibit.comparisons if c.row != "BCCT"}
    assert verdicts <= {Verdict.WITHIN, Verdict.OUTSIDE, Verdict.NONE}
    means = [c for c in exhibit.comparisons if c.column.endswith("mean")]
    assert len(means) == 12
    assert all(abs(c.difference or 0.0) < 0.08 for c in means)
    assert {c.verdict for c in exhibit.comparisons if c.row == "BCCT"} == {Verdict.NEEDS}
    assert "3 repeats (quick); the paper has 50" in exhibit.chosen
    assert len(said) == 4 * 3
    assert said[0] == "Algorithm 1 on SWD"


def test_orders_are_reversed_only_beyond_the_noise() -> None:
    high, low = np.array([0.5, 0.51, 0.52]), np.array([0.4, 0.41, 0.42])
    assert training.clearly_below(low, high)
    assert not training.clearly_below(high, low)
    assert not training.clearly_below(np.array([0.4, 0.6, 0.5]), np.array([0.51, 0.5, 0.5]))


def test_splits_leave_out_30_per_cent(shared: Path) -> None:
    data = tabular(setting_of(shared), "esl")
    tables = classifiers.one_split(data, 3.0, np.random.SeedSequence(0))
    assert set(tables.sum(axis=(1, 2))) == {147.0}


@pytest.mark.slow
def test_the_library_s_own_settings_are_tried_too(shared: Path) -> None:
    setting = setting_of(shared)
    exhibit = exhibit_of("silva-2018", "table-2-protocol", training.splits_70_30, setting)
    assert len(exhibit.comparisons) == 78
    assert re.search(r"with neighbours of equal weight .*, \d+ of 78\.", exhibit.outcome)
