"""The data sets of the papers, read from a folder that the user names; none is shipped."""

import csv
import gzip
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..counts import Counts
from ..errors import InputError, quoted
from .study import Setting

Floats = NDArray[np.float64]
Rows = list[dict[str, str]]
CLASSES = ("-2", "-1", "0", "1", "2")
SHARES = tuple(f"p_{c}" for c in CLASSES)

_SEMEVAL_2016 = "the organisers' bundle “submissions and scores” of SemEval-2016 Task 4"
_SEMEVAL_2017 = "the release of SemEval-2017 Task 4"
_BEN_DAVID = "the ordinal data sets of A. Ben-David, from the WEKA site"
WHERE = {
    "semeval2016-task4/subtask-C.tsv.gz": f"{_SEMEVAL_2016}: id, topic, gold, a column per run",
    "semeval2016-task4/subtask-E.tsv": f"{_SEMEVAL_2016}: run, topic, p_-2 … p_2",
    "semeval2016-task4/train-CE-gold.tsv.gz": _SEMEVAL_2017,
    "semeval2016-task4/dev-CE-gold.tsv.gz": _SEMEVAL_2017,
    "semeval2016-task4/devtest-CE-gold.tsv.gz": _SEMEVAL_2017,
    "semeval2017-task4/subtask-C-english-gold.tsv.gz": f"{_SEMEVAL_2017}: id, topic, gold",
    "semeval2017-task4/subtask-C-arabic-gold.tsv.gz": f"{_SEMEVAL_2017}: id, topic, gold",
    "semeval2017-task4/subtask-E-english-gold.tsv": f"{_SEMEVAL_2017}: topic, p_-2 … p_2",
    "semeval2017-task4/subtask-E-arabic-gold.tsv": f"{_SEMEVAL_2017}: topic, p_-2 … p_2",
    "semeval2017-task4/published-tables.tsv": "tables 10-15 of Rosenthal, Farra & Nakov (2017): "
    "table, subtask, language, run, measure, value",
    "ntcir14-stc3-dq/gold-ratings.tsv.gz": "NTCIR-14 STC-3 DQ: id, aspect, a01 … a19",
    "ntcir14-stc3-dq/widm-predictions.tsv.gz": "runs for it: run, id, aspect, p_-2 … p_2",
    "ordinal-tabular/swd.csv": _BEN_DAVID,
    "ordinal-tabular/lev.csv": _BEN_DAVID,
    "ordinal-tabular/esl.csv": _BEN_DAVID,
    "ordinal-tabular/balance_scale.csv": "Balance Scale, from the UCI repository",
    "ordinal-tabular/winequality-red.csv": "Wine Quality (red), from the UCI repository",
}


@dataclass(frozen=True)
class Runs:
    """Estimated distributions of several runs, `{run: [T, K]}`, and gold `[T, K]`."""

    gold: Floats
    estimates: Mapping[str, Floats]
    topics: tuple[str, ...]


@dataclass(frozen=True)
class Tabular:
    """Features `[n, p]`, classes `[n]`, and the classes in order."""

    x: Floats
    y: NDArray[np.generic]
    labels: tuple[int | str, ...]


def missing(setting: Setting, *names: str) -> str:
    """What is lacking and where to get it, or "" if every file is there."""
    gone = [n for n in names if setting.data is None or not (setting.data / n).is_file()]
    return "; ".join(f"needs DIR/{name} ({WHERE[name]})" for name in gone)


def read_rows(setting: Setting, name: str, *columns: str) -> Rows:
    """Rows of a tab-separated file without quoting, gzipped or not, that has these columns."""
    path = _path(setting, name)
    with _usable(setting, name):
        opened = gzip.open if name.endswith(".gz") else open
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        if not rows:
            raise ValueError("it has no rows")
        lacking = [c for c in columns if c not in rows[0]]
        if lacking:
            raise ValueError(f"it has no column {quoted(lacking)}")
    return rows


@contextmanager
def _usable(setting: Setting, name: str) -> Iterator[None]:
    """Say of a file that cannot be read, or holds something else, what was expected of it."""
    try:
        yield
    except InputError:
        raise
    except (OSError, EOFError, csv.Error, ValueError, TypeError) as problem:
        raise InputError(
            f"{_path(setting, name)} cannot be used: {problem}. Expected: {WHERE[name]}. Put that "
            "file there, or take this one away to leave out what needs it."
        ) from None


def _path(setting: Setting, name: str) -> Path:
    if setting.data is None:
        raise InputError(f"{name} was asked for, but no data folder is given; give --data DIR.")
    return setting.data / name


def semeval_2016_c(setting: Setting) -> Counts:
    """Counts (system, topic) of the runs of subtask C."""
    return _counts_of(_path(setting, "semeval2016-task4/subtask-C.tsv.gz"), setting)


@cache
def _counts_of(path: Path, setting: Setting) -> Counts:
    rows = read_rows(setting, "semeval2016-task4/subtask-C.tsv.gz", "topic", "gold")
    runs = [name for name in rows[0] if name not in ("id", "topic", "gold")]
    return Counts.from_labels(
        [row["gold"] for row in rows],
        {run: [row[run] for row in rows] for run in runs},
        topics=[row["topic"] for row in rows],
        labels=list(CLASSES),
    )


def semeval_2016_e(setting: Setting) -> Runs:
    """Runs of subtask E."""
    name = "semeval2016-task4/subtask-E.tsv"
    found: dict[str, dict[str, list[float]]] = {}
    with _usable(setting, name):
        for row in read_rows(setting, name, "run", "topic", *SHARES):
            found.setdefault(row["run"], {})[row["topic"]] = shares_of(row)
        if "gold" not in found:
            raise ValueError("it has no run called gold")
    return _runs(found.pop("gold"), found)


def ntcir_dq(setting: Setting, aspect: str) -> Runs:
    """Runs for one aspect (A, E or S) of dialogue quality; gold are shares of the raters."""
    gold = {
        row["id"]: _rating_shares(row)
        for row in read_rows(setting, "ntcir14-stc3-dq/gold-ratings.tsv.gz", "id", "aspect", "a01")
        if row["aspect"] == aspect
    }
    found: dict[str, dict[str, list[float]]] = {}
    name = "ntcir14-stc3-dq/widm-predictions.tsv.gz"
    with _usable(setting, name):
        for row in read_rows(setting, name, "run", "id", "aspect", *SHARES):
            if row["aspect"] == aspect:
                found.setdefault(row["run"], {})[row["id"]] = shares_of(row)
    return _runs(gold, found)


def shares_of(row: Mapping[str, str]) -> list[float]:
    """The shares of the classes in a row of a file of distributions."""
    return [float(row[column]) for column in SHARES]


def _rating_shares(row: Mapping[str, str]) -> list[float]:
    ratings = [rating for name, rating in row.items() if name.startswith("a") and name != "aspect"]
    return [ratings.count(c) / len(ratings) for c in CLASSES]


def _runs(gold: Mapping[str, list[float]], found: Mapping[str, Mapping[str, list[float]]]) -> Runs:
    topics = tuple(gold)
    for name, rows in found.items():
        if set(rows) != set(topics):
            apart = sorted(set(rows) ^ set(topics))
            raise InputError(
                f"Run {name!r} and gold do not have the same topics: {quoted(apart)} is in one "
                "only. Give every topic of gold in every run."
            )
    estimates = {name: np.array([rows[t] for t in topics]) for name, rows in found.items()}
    return Runs(np.array([gold[t] for t in topics]), estimates, topics)


def tabular(setting: Setting, name: str) -> Tabular:
    """A data set for classification, e.g. "esl"; the last column is the class."""
    file_name = f"ordinal-tabular/{name}.csv"
    with _usable(setting, file_name):
        with _path(setting, file_name).open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file, delimiter=";" if name.startswith("wine") else ","))[1:]
        x = np.array([[float(v) for v in line[:-1]] for line in lines])
        classes = [line[-1] for line in lines]
        if name == "balance_scale":
            return Tabular(x, np.array(classes), ("L", "B", "R"))
        y = np.array([int(c) for c in classes])
        return Tabular(x, y, tuple(range(int(y.min()), int(y.max()) + 1)))
