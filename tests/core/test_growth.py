"""Cost in systems, guarded by counts and allocations rather than by clocks."""

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import ordeval as oe
from ordeval import limits
from ordeval.measures import scoring, terms
from ordeval.stats.anova import letter_groups
from ordeval.stats.max_t import max_t_tables
from ordeval.stats.unit_tables import UnitTables

LABELS = [0, 1, 2, 3, 4]
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "growth.py"


def many(systems: int, items: int = 60, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    draw = np.random.default_rng(seed)
    gold = draw.integers(5, size=items)
    found = {}
    for i in range(systems):
        right = draw.random(items) < 0.3 + 0.6 * i / systems
        found[f"s{i:04d}"] = np.where(right, gold, draw.integers(5, size=items))
    return gold, found


@pytest.fixture(scope="module")
def two_hundred() -> oe.Result:
    gold, systems = many(200)
    topics = np.arange(60) % 6
    return oe.compare(gold, systems, labels=LABELS, topic=topics, measures="mae", undefined=0.0)


def test_more_systems_than_a_factorial_as_float_allows():
    gold, systems = many(175)
    found = oe.compare(gold, systems, labels=LABELS, topic=np.arange(60) % 6, measures="mae")
    assert np.isfinite(found.tests.p).all()
    assert found.tests.p.shape == (1, 175, 175)


def test_totals_and_marginals_are_computed_once_for_all_measures():
    tables = np.moveaxis(np.random.default_rng(0).integers(1, 9, (5, 5, 300)) * 1.0, -1, 0)
    with terms.sharing(tables):
        first = [f(tables) for f in (terms.total, terms.gold, terms.predicted)]
        again = [f(tables) for f in (terms.total, terms.gold, terms.predicted)]
    assert all(a is b for a, b in zip(first, again, strict=True))
    np.testing.assert_array_equal(terms.total(tables), tables.sum(axis=(1, 2)))


def test_groups_of_many_systems_are_all_maximal_sets():
    draw = np.random.default_rng(2)
    for systems in (1, 2, 7, 12):
        p = np.triu(draw.random((systems, systems)) * 0.1, 1)
        p = p + p.T + np.eye(systems)
        found = {frozenset(group) for group in letter_groups(np.zeros(systems), p)}
        alike = (p >= 0.05) | np.eye(systems, dtype=bool)
        sets = [
            frozenset(i for i in range(systems) if mask >> i & 1) for mask in range(1, 1 << systems)
        ]
        cliques = [s for s in sets if alike[np.ix_(sorted(s), sorted(s))].all()]
        assert found == {s for s in cliques if not any(s < other for other in cliques)}


def test_groups_of_a_thousand_systems_are_found_or_given_up_soon():
    means = np.arange(1000.0)
    near = np.abs(np.subtract.outer(means, means)) < 900
    groups = letter_groups(means, np.where(near, 1.0, 0.0))
    assert len(groups) == 101
    assert letter_groups(means, np.where(np.abs(np.subtract.outer(means, means)) < 9, 1, 0)) == []


def test_the_page_of_many_systems_shows_the_best_and_says_so(two_hundred):
    page = two_hundred.to_html()
    assert len(page) < 2_000_000
    assert page.count('<details class="system"') == 50
    assert "The 50 best of 200 systems are shown." in page
    assert '<a href="#system-50">' in page
    assert '<a href="#system-51">' not in page
    assert all(f'data-system="{name}"' in page for name in two_hundred.systems)


def test_json_of_many_systems_has_no_line_for_every_number(two_hundred, tmp_path):
    text = two_hundred.to_json()
    two_hundred.to_json(tmp_path / "many.json")
    assert json.loads(text) == two_hundred.to_dict()
    assert text.count("\n") < 20_000
    assert oe.load(tmp_path / "many.json") == two_hundred


def test_exchanges_of_two_hundred_systems_stay_in_little_memory():
    gold, systems = many(200, items=40)
    cells = np.stack([5 * gold + predicted for predicted in systems.values()])
    units = UnitTables(cells, (1, 5, 5))

    def accuracy(tables):
        return np.trace(tables, axis1=-2, axis2=-1)[None] / 40

    tracemalloc.start()
    found = max_t_tables(units, accuracy, oe.stats.Plan(100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.p.shape == (1, 200, 200)
    assert peak < 150e6


def test_tables_that_do_not_fit_into_memory_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "memory", lambda: 10_000)
    monkeypatch.setattr(limits, "_SMALL", 0)
    gold, systems = many(3, items=30)
    with pytest.raises(oe.InputError, match=r"3 systems × 30 topics × 25 cells"):
        oe.evaluate(gold, systems, labels=LABELS, topic=np.arange(30))


def test_pairs_that_do_not_fit_into_memory_are_refused(monkeypatch):
    gold, systems = many(40, items=30)
    monkeypatch.setattr(limits, "memory", lambda: 200_000)
    with pytest.raises(oe.InputError, match=r"40² pairs × 9 measures"):
        oe.compare(gold, systems, labels=LABELS, draws=0)


def test_the_primary_measure_is_tested_where_all_are_too_costly(monkeypatch):
    monkeypatch.setattr(scoring, "_MOST_OPERATIONS", 1000)
    gold, systems = many(3, items=30)
    found = oe.compare(gold, systems, labels=LABELS, draws=0, trials=50)
    tested = [
        str(m) for m in found.measures if np.isfinite(found.tests.p[found.scores.row(m)]).all()
    ]
    assert tested == [str(found.primary)]
    assert any("'mae'" in note.text and "3 systems" in note.text for note in found.notes)


@pytest.mark.slow
def test_the_benchmark_of_growth_runs():
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--quick"], capture_output=True, text=True, check=True
    )
    assert "| exponent |" in done.stdout
    assert "| 8 | " in done.stdout


@pytest.mark.slow
def test_two_hundred_columns_of_a_file_are_counted_within_the_limit_of_memory(tmp_path):
    items = 70_000  # so many that the engine's hash tables are no longer small
    gold, systems = many(200, items)
    topic = np.arange(items) % 100
    columns = np.column_stack([gold, topic, *systems.values()])
    header = ",".join(["gold", "topic", *systems])
    np.savetxt(tmp_path / "wide.csv", columns, fmt="%d", delimiter=",", header=header, comments="")
    source = oe.read(tmp_path / "wide.csv", topic="topic", labels=LABELS)
    counted = source.counts().table
    assert np.array_equal(counted, oe.Counts.from_labels(gold, systems, topic=topic).table)
