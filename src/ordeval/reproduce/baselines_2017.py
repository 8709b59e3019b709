"""The baselines of SemEval-2017 Task 4, whose published scores can be computed from gold alone."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..counts import Counts
from .datasets import CLASSES, SHARES, missing, read_rows, shares_of
from .scored import score_of
from .study import Comparison, Exhibit, Setting, exact, needs, unjudged

Floats = NDArray[np.float64]
_PUBLISHED = "semeval2017-task4/published-tables.tsv"
_LANGUAGES = ("english", "arabic")
_MEASURES = {"MAE_M": "macro_mae", "MAE_mu": "mae"}
_2016 = ("train", "dev", "devtest")
_NAMES = ("HIGHLY NEGATIVE", "NEGATIVE", "NEUTRAL", "POSITIVE", "HIGHLY POSITIVE")


def baselines(setting: Setting) -> Exhibit:
    """Constant classes in subtask C, constant distributions in subtask E."""
    lacking = missing(setting, _PUBLISHED)
    rows = [needs("baselines", "published scores", None, lacking)] if lacking else _rows(setting)
    return Exhibit(
        "semeval-2017-baselines",
        "SemEval-2017 Task 4: published scores of the baselines",
        tuple(rows),
        left_open="Of the 2017 runs in Sakai's tables only the baselines can be rebuilt.",
        chosen="Scores over all tweets pooled for C, as the organisers computed them, and averaged "
        "over topics for E, by the earth mover's distance.",
    )


def _rows(setting: Setting) -> list[Comparison]:
    published: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for row in read_rows(setting, _PUBLISHED, "subtask", "language", "run", "measure", "value"):
        key = row["subtask"], row["language"]
        published.setdefault(key, []).append((row["run"], row["measure"], row["value"]))
    found: list[Comparison] = []
    for language in _LANGUAGES:
        found += _classes(setting, language, published.get(("C", language), []))
        found += _distributions(setting, language, published.get(("E", language), []))
    return found


def _classes(
    setting: Setting, language: str, published: list[tuple[str, str, str]]
) -> list[Comparison]:
    """A constant class against the gold classes."""
    file = f"semeval2017-task4/subtask-C-{language}-gold.tsv.gz"
    lacking = missing(setting, file)
    gold = [] if lacking else [row["gold"] for row in read_rows(setting, file, "gold")]
    rows = []
    for run, measure, x in published:
        name = run.partition(" ")[2]
        if name not in _NAMES:
            continue
        row, column = f"C {language}: {run}", measure
        if lacking:
            rows.append(needs(row, column, x, lacking))
            continue
        answer = CLASSES[_NAMES.index(name)]
        table = Counts.from_labels(gold, [answer] * len(gold), labels=list(CLASSES)).table
        score = score_of(_MEASURES[measure], table)
        rows.append(exact("semeval-2017-baselines", row, column, score, x))
    return rows


def _distributions(
    setting: Setting, language: str, published: list[tuple[str, str, str]]
) -> list[Comparison]:
    """A constant distribution against the gold distributions."""
    file = f"semeval2017-task4/subtask-E-{language}-gold.tsv"
    lacking = missing(setting, file)
    rows = []
    for run, measure, x in published:
        if not run.startswith(("B1", "B2", "B3")):
            continue
        row = f"E {language}: {run}"
        guess = None if lacking else _guess(setting, run)
        if lacking:
            rows.append(needs(row, measure, x, lacking))
        elif guess is None:
            rows.append(unjudged(row, measure, "–", x, "its training data are not at hand"))
        else:
            score = _mean_emd(setting, file, guess)
            rows.append(exact("semeval-2017-baselines", row, measure, score, x))
    return rows


def _mean_emd(setting: Setting, file: str, guess: Floats) -> float:
    from ..spec import parse_measure

    gold = np.array([shares_of(row) for row in read_rows(setting, file, *SHARES)])
    return float(parse_measure("emd").of(gold, np.broadcast_to(guess, gold.shape)).mean())


def _guess(setting: Setting, run: str) -> Floats | None:
    """The distribution that a baseline gives: as written, or the average of all 2016 data."""
    if "(" in run:
        numbers = run.partition("(")[2].rstrip(")").split()
        return np.array([float(x) for x in numbers])
    files = [f"semeval2016-task4/{part}-CE-gold.tsv.gz" for part in _2016]
    test = "semeval2016-task4/subtask-C.tsv.gz"
    if "2016" not in run or missing(setting, *files, test):
        return None
    rows = [row for file in (*files, test) for row in read_rows(setting, file, "topic", "gold")]
    return _average(rows, by_topic="macro" in run)


def _average(rows: list[dict[str, str]], *, by_topic: bool) -> Floats:
    """Shares of the classes, over all items or averaged over topics."""
    groups: Mapping[str, list[str]]
    if not by_topic:
        groups = {"": [row["gold"] for row in rows]}
    else:
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row["topic"], []).append(row["gold"])
        groups = found
    shares = [[labels.count(c) / len(labels) for c in CLASSES] for labels in groups.values()]
    return np.asarray(np.mean(shares, axis=0), dtype=np.float64)
