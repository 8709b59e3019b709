"""The same data give the same bits: by every door, in every order of rows, systems and topics.

Only what names the source itself may differ: `about`, and with it the names of columns in notices,
which are kept equal here.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.data.column import sorted_names
from ordeval.data.moments import Numbers
from ordeval.evaluation.classification import compare_source
from ordeval.evaluation.settings import Settings
from ordeval.io import open_files

MEASURES = "qwk, mae, rmse, macro_f1, kendall_b"
# A smaller seed is no simpler case, so that nothing is shrunk.
PHASES = (Phase.explicit, Phase.generate)
FEW: dict[str, Any] = {"bootstrap": 40, "trials": 40}
PARAMETERS = {
    "topic": "topics",
    "weight": "weight",
    "frequency": "frequency",
    "cluster": "cluster",
}
TOPICS: tuple[Callable[[int], Any], ...] = (
    lambda i: f"t{i}",
    lambda i: i - 2,
    lambda i: i + 0.5,
    float,
    lambda i: ("10", "9", "-3", "x", "1.5", "X")[i % 6],
)


@dataclass(frozen=True)
class Case:
    """Columns by name, the systems among them, and how they are read."""

    columns: Mapping[str, list[Any]]
    systems: tuple[str, ...]
    reading: Mapping[str, Any]

    def in_order(self, rows: list[int]) -> "Case":
        """Return the case with its rows in another order."""
        columns = {name: [found[i] for i in rows] for name, found in self.columns.items()}
        return replace(self, columns=columns)

    @property
    def roles(self) -> dict[str, str]:
        """The columns that are neither gold nor systems."""
        return {role: role for role in PARAMETERS if role in self.columns}


def _case(seed: int) -> Case:
    """Return random labels with anything that items may have."""
    rng = random.Random(seed)
    n, k, kind = rng.choice((6, 15, 40)), rng.choice((2, 3, 5)), rng.choice(("int", "text", "real"))
    systems = tuple(rng.sample(("a", "B", "sys 1", "10", "9", "é"), rng.choice((2, 3))))
    draw, reading = _labels(rng, kind, k)
    columns: dict[str, list[Any]] = {"y_true": [draw() for _ in range(n)]}
    for system in systems:
        columns[system] = [draw() if rng.random() < 0.6 else g for g in columns["y_true"]]
    if kind != "real" and rng.random() < 0.4:
        reading["missing"] = rng.choice(("skip", "worst"))
        for system in systems:
            columns[system] = [None if rng.random() < 0.1 else x for x in columns[system]]
        if reading["missing"] == "skip":
            reading["na"] = code = 99 if kind == "int" else "n.a."
            columns[systems[0]][rng.randrange(1, n)] = code
        for column in columns.values():
            column[0] = column[0] if column[0] in reading["labels"] else reading["labels"][0]
    return Case(columns | _others(rng, n), systems, reading)


def _labels(rng: random.Random, kind: str, k: int) -> tuple[Callable[[], Any], dict[str, Any]]:
    """Return what draws a label, and how labels are read."""
    if kind == "real":
        numbers = (lambda: _fifteen_digits(rng.random() * (k - 1)), lambda: -0.0, lambda: 1.0)
        rule = rng.choice(("round", "floor"))
        return lambda: rng.choice(numbers)(), {"labels": list(range(k)), "bins": rule}
    labels: list[Any] = ["low", "mid", "high", "more", "most"][:k]
    if kind == "int":
        labels = list(range(1, k + 1))
    return lambda: rng.choice(labels), {"labels": labels}


def _others(rng: random.Random, n: int) -> dict[str, list[Any]]:
    """Return topics, clusters, weights and frequencies, or some of them."""
    topic, found = rng.choice(TOPICS), {}
    if rng.random() < 0.6:
        found["topic"] = [topic(rng.randrange(6)) for _ in range(n)]
    if rng.random() < 0.6:
        draws = (lambda: rng.random() * 3, lambda: 0.1, lambda: rng.lognormvariate(0, 5))
        found["weight"] = [_fifteen_digits(rng.choice(draws)()) for _ in range(n)]
    if rng.random() < 0.3:
        found["frequency"] = [1, *(rng.randint(0, 4) for _ in range(n - 1))]
    if rng.random() < 0.3:
        found["cluster"] = [f"c{rng.randrange(5)}" for _ in range(n)]
    return found


def _fifteen_digits(number: float) -> float:
    """Return a number that a spreadsheet can hold."""
    return float(f"{number:.15g}")


def _plain(result: Any) -> str:
    """Return the JSON of a result without what names the source."""
    found = json.loads(result.to_json())
    del found["about"]
    return json.dumps(found, indent=1, ensure_ascii=False)


def _outcome(compute: Callable[[], Any]) -> str:
    """Return the JSON, or that the data were refused."""
    try:
        return _plain(compute())
    except oe.InputError:
        return "refused"


def _in_memory(case: Case, convert: Callable[[list[Any]], Any] = list) -> Any:
    others = {PARAMETERS[role]: convert(case.columns[role]) for role in case.roles}
    return oe.compare(
        convert(case.columns["y_true"]),
        {system: convert(case.columns[system]) for system in case.systems},
        measures=MEASURES,
        **others,
        **case.reading,
        **FEW,
    )


def _array(values: list[Any]) -> Any:
    return np.array(values, dtype=object if None in values else None)


def _tensor(values: list[Any]) -> Any:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    plain = None not in values and not any(isinstance(x, str) for x in values)
    return (
        torch.tensor(values, dtype=torch.float64 if isinstance(values[0], float) else None)
        if (plain)
        else values
    )


def _series(values: list[Any]) -> Any:
    import pandas as pd

    whole = all(isinstance(x, int) for x in values if x is not None)
    return pd.Series(values, dtype="Int64" if whole and None in values else None)


def _framed(case: Case, frame: Any) -> Any:
    return oe.compare_frame(
        frame,
        gold="y_true",
        pred=list(case.systems),
        measures=MEASURES,
        **case.roles,
        **case.reading,
        **FEW,
    )


def _pandas(columns: Mapping[str, list[Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame({name: _series(values) for name, values in columns.items()})


def _frames(case: Case) -> dict[str, Callable[[], Any]]:
    """Return the data frames of every library but Spark."""
    dask = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    import duckdb
    import polars as pl
    import pyarrow as pa

    columns = dict(case.columns)
    table = pa.table(columns)
    frames: dict[str, Callable[[], Any]] = {
        "pandas": lambda: _pandas(columns),
        "Polars": lambda: pl.DataFrame(columns),
        "lazy Polars": lambda: pl.DataFrame(columns).lazy(),
        "Arrow": lambda: table,
        "DuckDB": lambda: duckdb.connect().from_arrow(table),
        "Dask": lambda: dask.from_pandas(_pandas(columns), npartitions=2),
    }
    return {name: lambda made=made: _framed(case, made()) for name, made in frames.items()}


def _files(case: Case, folder: Path) -> dict[str, Callable[[], Any]]:
    """Write files of every kind, and return what reads each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame, n = _pandas(case.columns), len(case.columns["y_true"])
    frame.to_csv(folder / "data.csv", index=False)
    frame.to_excel(folder / "data.xlsx", index=False, engine="openpyxl")
    pq.write_table(pa.table(dict(case.columns)), folder / "data.parquet")
    rows = ({name: found[i] for name, found in case.columns.items()} for i in range(n))
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    gold = {"id": list(range(n)), **{c: case.columns[c] for c in ("y_true", *case.roles)}}
    _pandas(gold).to_csv(folder / "gold.csv", index=False)
    for system in case.systems:
        run = {"id": gold["id"], "pred": case.columns[system]}
        _pandas(run).to_csv(folder / f"{system}.csv", index=False)
    found: dict[str, Callable[[], Any]] = {
        kind: lambda kind=kind: _read(case, folder / f"data.{kind}", pred=list(case.systems))
        for kind in ("csv", "xlsx", "parquet", "jsonl")
    }
    runs = [folder / f"{system}.csv" for system in case.systems]
    found["runs"] = lambda: _read(case, folder / "gold.csv", runs, id="id")
    return found


def _long(case: Case, folder: Path, rng: random.Random) -> Any:
    """Write a row per item and system, shuffled, and read it."""
    n, others = len(case.columns["y_true"]), ("y_true", *case.roles)
    places = [(i, system) for i in range(n) for system in case.systems]
    rng.shuffle(places)
    table = {name: [case.columns[name][i] for i, _ in places] for name in others}
    table |= {"id": [i for i, _ in places], "run": [system for _, system in places]}
    table["pred"] = [case.columns[system][i] for i, system in places]
    _pandas(table).to_csv(folder / "long.csv", index=False)
    return _read(case, folder / "long.csv", id="id", run="run", pred="pred")


def _read(case: Case, path: Path, runs: Any = (), **more: Any) -> Any:
    options = {**case.roles, **case.reading, **more}
    with open_files(path, runs, gold="y_true", **options) as source:
        return compare_source(source, MEASURES, settings=Settings(**FEW))


@settings(max_examples=3, deadline=None, phases=PHASES)
@given(st.integers(0, 2**32))
@pytest.mark.slow
def test_every_door_gives_the_same_bits(seed: int) -> None:
    case, rng = _case(seed), random.Random(seed)
    expected = _outcome(lambda: _in_memory(case))
    arrays = {"arrays": _array, "tensors": _tensor, "series": _series}
    doors = {name: lambda c=c: _in_memory(case, c) for name, c in arrays.items()} | _frames(case)
    with TemporaryDirectory() as name:
        doors |= _files(case, Path(name))
        found = {door: _outcome(compute) for door, compute in doors.items()}
        by_name = replace(case, systems=tuple(sorted_names(case.systems)))
        long = _outcome(lambda: _long(case, Path(name), rng))
    assert {door: text for door, text in found.items() if text != expected} == {}
    assert long == _outcome(lambda: _in_memory(by_name))


@settings(max_examples=10, deadline=None, phases=PHASES)
@given(st.integers(0, 2**32))
def test_the_order_of_rows_changes_no_bit(seed: int) -> None:
    case, rng = _case(seed), random.Random(seed)
    rows = list(range(len(case.columns["y_true"])))
    rng.shuffle(rows)
    shuffled = case.in_order(rows)
    assert _outcome(lambda: _in_memory(shuffled)) == _outcome(lambda: _in_memory(case))
    frames = [_outcome(_frames(which)["lazy Polars"]) for which in (case, shuffled)]
    assert frames[0] == frames[1]


def _by_names(result: Any) -> dict[Any, Any]:
    """Return all figures of systems and pairs by name."""
    found: dict[Any, Any] = {
        "anova": repr(result.tests.anova),
        "effective": result.scores.effective,
    }
    for measure in result.measures:
        for row in result.standings(measure):
            found[str(measure), row.system] = repr(row)
            for other in result.systems:
                pair = None if other == row.system else result.pair(row.system, other, measure)
                found[str(measure), row.system, other] = repr(pair)
    return found


@settings(max_examples=10, deadline=None, phases=PHASES)
@given(st.integers(0, 2**32), st.booleans())
def test_the_order_of_systems_changes_no_figure(seed: int, alike: bool) -> None:
    case, rng = _case(seed), random.Random(seed)
    columns = dict(case.columns)
    if alike:  # systems with the same table that differ on items
        columns = {name: found * 2 for name, found in columns.items()}
        first, second, half = *case.systems[:2], len(columns["y_true"]) // 2
        columns[second] = columns[first][:half] + columns["y_true"][half:]
        columns[first] = columns["y_true"][:half] + columns[first][half:]
    systems = list(case.systems)
    rng.shuffle(systems)
    given_, turned = (replace(case, columns=columns, systems=s) for s in (case.systems, systems))
    try:
        expected = _by_names(_in_memory(given_))
    except oe.InputError:
        return
    assert _by_names(_in_memory(turned)) == expected


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
@pytest.mark.parametrize("bins", ["round", "floor", [1.5, 2.5]])
def test_nullable_columns_of_pandas_are_binned(backend: str, bins: Any) -> None:
    import pandas as pd

    columns: dict[str, list[Any]] = {
        "y_true": [1, 2, 3, 1, 2.5],
        "a": [1.25, None, 2.0, 1.0, 3.0],
        "topic": ["x", "y", "y", None, "x"],
        "weight": [1.0, 0.5, 2.0, 1.0, 0.1],
        "frequency": [1, 2, 1, 3, 0],
    }
    reading = {"labels": [1, 2, 3], "bins": bins, "missing": "skip"}
    case = Case(columns, ("a",), reading)
    frame = pd.DataFrame(columns).convert_dtypes(dtype_backend=backend)
    expected = _outcome(lambda: _framed(case, pd.DataFrame(columns)))
    assert expected != "refused"
    assert _outcome(lambda: _framed(case, frame)) == expected


def _doors(case: Case, folder: Path) -> dict[str, str]:
    """Return what every door gives."""
    arrays = {"lists": list, "arrays": _array, "series": _series}
    doors = {name: lambda c=c: _in_memory(case, c) for name, c in arrays.items()}
    doors |= _frames(case) | _files(case, folder)
    return {name: _outcome(compute) for name, compute in doors.items()}


@pytest.mark.slow
def test_every_door_tells_the_same_about_codes_in_binned_numbers(tmp_path: Path) -> None:
    columns = {"y_true": [1, 2, 3, 1], "a": [1.2, 99.0, 2.0, None], "b": [1.0, 2.0, 3.0, 1.0]}
    reading = {"labels": [1, 2, 3], "bins": "floor", "missing": "skip", "na": 99}
    found = _doors(Case(columns, ("a", "b"), reading), tmp_path)
    assert "Missing values: a: 2." in found["lists"]
    assert {door for door, text in found.items() if text != found["lists"]} == set()


@pytest.mark.parametrize("role", ["topic", "cluster"])
@pytest.mark.slow
def test_an_empty_text_is_no_topic_or_cluster_at_any_door(role: str, tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "y_true": [1, 2, 3, 1, 2, 2],
        "a": [1, 2, 2, 1, 2, 1],
        "b": [1, 3, 3, 1, 1, 2],
        role: ["t", "", "u", "t", "u", ""],
    }
    case = Case(columns, ("a", "b"), {"labels": [1, 2, 3]})
    assert set(_doors(case, tmp_path).values()) == {"refused"}
    case = replace(case, reading={**case.reading, "missing": "skip"})
    found = {door: json.loads(text) for door, text in _doors(case, tmp_path).items()}
    for result in found.values():
        del result["notes"]  # which name the column or the parameter
    assert {door for door, result in found.items() if result != found["lists"]} == set()


def test_topics_that_are_numbers_have_one_name_and_place() -> None:
    gold, pred = [1, 2, 1, 2], {"a": [1, 2, 2, 2], "b": [2, 2, 1, 1]}
    spelled = ([10, 9, -1, 1], [10.0, 9.0, -1.0, 1.0], ["10", "9", "-1", "1.0"])
    results = [oe.compare(gold, pred, measures="mae", topic=topics, **FEW) for topics in spelled]
    assert {result.scores.topics for result in results} == {("-1", "1", "9", "10")}
    assert len({result.to_json() for result in results}) == 1
    zero = oe.compare(gold, pred, measures="mae", topic=["0", "-0", "-0.0", "1"], **FEW)
    assert zero.scores.topics == ("0", "1")


def test_sums_over_many_numbers_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(0)
    gold, pred, weight = rng.random(300_000), rng.random(300_000), rng.lognormal(0, 3, 300_000)
    order = rng.permutation(len(gold))
    there = Numbers((gold, pred), 0.5, weight=weight).sums()
    back = Numbers((gold[order], pred[order]), 0.5, weight=weight[order]).sums()
    assert there.tobytes() == back.tobytes()


def test_quantify_orders_topics_and_systems_by_name(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    topics, systems = ["10", "9", "b", "1.5", "a"], ["z", "10", "9"]
    shares = {name: rng.dirichlet([1, 1, 1], len(topics)) for name in ("gold", *systems)}
    order = [3, 0, 4, 1, 2]
    rows = [[run, t, *shares[run][i].tolist()] for run in shares for i, t in enumerate(topics)]
    text = "run,topic,1,2,3\n" + "".join(",".join(map(str, row)) + "\n" for row in rows[::-1])
    (tmp_path / "long.csv").write_text(text)
    read = oe.read_shares(tmp_path / "long.csv", system="run")
    assert read.systems == ("9", "10", "z")
    gold = shares.pop("gold")
    one = oe.quantify(gold, shares, topic=topics, **FEW)
    moved = {name: shares[name][order] for name in systems}
    two = oe.quantify(gold[order], moved, topic=[topics[i] for i in order], **FEW)
    assert one.to_json() == two.to_json()
    three = oe.quantify(read, **FEW)
    assert _by_names(three) == _by_names(one)
