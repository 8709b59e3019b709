"""Data sets of the papers, read from a folder of the user, and generated runs in their place."""

import csv
import gzip
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import ordeval as oe

from .internals import Array, Axis, Floats, Ints
from .study import Setting

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
    "ordinal-tabular/balance_scale.csv": "Balance oe.Scale, from the UCI repository",
    "ordinal-tabular/winequality-red.csv": "Wine Quality (red), from the UCI repository",
}


@dataclass(frozen=True)
class Runs:
    """Distributions that several runs estimate.

    Parameters
    ----------
    gold : ndarray of shape (topics, K)
        The gold distributions.
    estimates : mapping of str to ndarray of shape (topics, K)
        The distributions of each run.
    topics : tuple of str
        The names of the topics.
    """

    gold: Floats
    estimates: Mapping[str, Floats]
    topics: tuple[str, ...]


@dataclass(frozen=True)
class Tabular:
    """A data set for classification.

    Parameters
    ----------
    x : ndarray of shape (n, p)
        The features.
    y : ndarray of shape (n,)
        The classes of the items.
    labels : tuple
        The classes from lowest to highest.
    """

    x: Floats
    y: Array
    labels: tuple[int | str, ...]


def missing(setting: Setting, *names: str) -> str:
    """Return which files are missing and where to get them, or an empty string."""
    gone = [n for n in names if setting.data is None or not (setting.data / n).is_file()]
    return "; ".join(f"needs DIR/{name} ({WHERE[name]})" for name in gone)


def read_rows(setting: Setting, name: str, *columns: str) -> Rows:
    """Read a tab-separated file without quoting, gzipped or not, that has these columns."""
    path = _path(setting, name)
    with _usable(setting, name):
        opened = gzip.open if name.endswith(".gz") else open
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        if not rows:
            raise ValueError("it has no rows")
        lacking = [c for c in columns if c not in rows[0]]
        if lacking:
            raise ValueError(f"it has no column {', '.join(lacking)}")
    return rows


@contextmanager
def _usable(setting: Setting, name: str) -> Iterator[None]:
    """Turn problems with a file into an error that says which content is expected."""
    try:
        yield
    except oe.InputError:
        raise
    except (OSError, EOFError, csv.Error, ValueError, TypeError) as problem:
        raise oe.InputError(
            f"{_path(setting, name)} cannot be used: {problem}. Expected: {WHERE[name]}.",
            parameter="data",
            hint="Replace this file, or remove it to leave out what needs it.",
        ) from None


def _path(setting: Setting, name: str) -> Path:
    if setting.data is None:
        raise oe.InputError(
            f"{name} is needed, but no data folder is given.",
            parameter="data",
            hint="Pass {data}.",
            suggest={"data": ...},
        )
    return setting.data / name


@cache
def semeval_2016_c(setting: Setting) -> oe.Counts:
    """Return counts (system, topic) of the runs of SemEval-2016 Task 4, subtask C."""
    rows = read_rows(setting, "semeval2016-task4/subtask-C.tsv.gz", "topic", "gold")
    runs = [name for name in rows[0] if name not in ("id", "topic", "gold")]
    return oe.Counts.from_labels(
        [row["gold"] for row in rows],
        {run: [row[run] for row in rows] for run in runs},
        topic=[row["topic"] for row in rows],
        labels=list(CLASSES),
    )


def semeval_2016_e(setting: Setting) -> Runs:
    """Return the runs of SemEval-2016 Task 4, subtask E."""
    name = "semeval2016-task4/subtask-E.tsv"
    found: dict[str, dict[str, list[float]]] = {}
    with _usable(setting, name):
        for row in read_rows(setting, name, "run", "topic", *SHARES):
            found.setdefault(row["run"], {})[row["topic"]] = shares_of(row)
        if "gold" not in found:
            raise ValueError("it has no run called gold")
    return _runs(found.pop("gold"), found)


def ntcir_dq(setting: Setting, aspect: str) -> Runs:
    """Return the runs for one aspect (A, E or S) of dialogue quality.

    The gold distributions are the shares of the raters.
    """
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
    """Return the shares of the classes in a row of a file of distributions."""
    return [float(row[column]) for column in SHARES]


def _rating_shares(row: Mapping[str, str]) -> list[float]:
    ratings = [rating for name, rating in row.items() if name.startswith("a") and name != "aspect"]
    return [ratings.count(c) / len(ratings) for c in CLASSES]


def _runs(gold: Mapping[str, list[float]], found: Mapping[str, Mapping[str, list[float]]]) -> Runs:
    topics = tuple(gold)
    for name, rows in found.items():
        apart = sorted(set(rows) ^ set(topics))
        if apart:
            raise oe.InputError(
                f"Run {name!r} and gold do not have the same topics: {', '.join(apart)} occur in "
                "only one of them.",
                parameter="data",
                hint="Provide every topic of gold in every run.",
            )
    estimates = {name: np.array([rows[t] for t in topics]) for name, rows in found.items()}
    return Runs(np.array([gold[t] for t in topics]), estimates, topics)


def tabular(setting: Setting, name: str) -> Tabular:
    """Return a data set for classification, e.g. "esl"; its last column is the class."""
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


def generated_counts(
    topics: int, systems: int, *, constant: int = 5, items: int = 100, rng: int = 0
) -> oe.Counts:
    """Generate counts (system, topic) on five classes, similar to the runs of subtask C.

    A topic has a mean and a spread of opinion; gold labels are rounded normal draws. A system
    sees gold with noise and a bias, and systems range from good to poor; the last `constant` of
    them always predict one class, lowest class first.
    """
    draw = np.random.default_rng([rng, topics, systems])
    k = len(CLASSES)
    middle = draw.normal(0.3, 0.6, size=(topics, 1))
    opinion = middle + draw.normal(0, 0.75, size=(topics, items))
    gold = _classes(opinion, k)
    noise = np.linspace(0.45, 1.6, systems - constant)
    biases = draw.normal(0, 0.25, size=systems - constant)
    predictions = [
        _classes(opinion + bias + draw.normal(0, size, opinion.shape), k)
        for size, bias in zip(noise, biases, strict=True)
    ]
    predictions += [np.full_like(gold, c) for c in range(constant)]
    table = np.zeros((systems, topics, k, k))
    at = np.broadcast_to(np.arange(topics)[:, None], gold.shape)
    for row, predicted in zip(table, predictions, strict=True):
        np.add.at(row, (at, gold, predicted), 1.0)
    names = [f"run-{i + 1:02d}" for i in range(systems - constant)]
    names += [f"constant-{c}" for c in CLASSES[:constant]]
    topic_names = tuple(f"topic-{i + 1:03d}" for i in range(topics))
    axes = Axis("system", tuple(names)), Axis("topic", topic_names)
    return oe.Counts(table, oe.Scale.of(list(CLASSES)), axes)


def generated_runs(topics: int, systems: int, *, raters: int = 100, rng: int = 0) -> Runs:
    """Generate distributions: the share of a topic that each system assigns to each class."""
    counts = generated_counts(topics, systems, constant=1, items=raters, rng=rng)
    gold = counts.table[0].sum(axis=-1) / raters
    shares = counts.table.sum(axis=-2) / raters
    return Runs(gold, dict(zip(counts.systems, shares, strict=True)), counts.topics)


def _classes(opinion: Floats, k: int) -> Ints:
    """Return opinions around 0 as classes 0..k-1."""
    return np.clip(np.rint(opinion + (k - 1) / 2), 0, k - 1).astype(np.int64)
