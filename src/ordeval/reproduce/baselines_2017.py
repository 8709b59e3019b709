"""The baselines of SemEval-2017 Task 4, whose published scores can be computed from gold alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from ..counts import Counts
from ..measures.spec import parse_measure
from ..types import Floats
from .datasets import CLASSES, SHARES, missing, read_rows, shares_of
from .matrix_exhibits import score_of
from .printed import Printed
from .study import Item, Ours, Setting

_PUBLISHED = "semeval2017-task4/published-tables.tsv"
_MEASURES = {"MAE_M": "macro_mae", "MAE_mu": "mae"}
_NAMES = ("HIGHLY NEGATIVE", "NEGATIVE", "NEUTRAL", "POSITIVE", "HIGHLY POSITIVE")
_2016 = (
    *(f"semeval2016-task4/{part}-CE-gold.tsv.gz" for part in ("train", "dev", "devtest")),
    "semeval2016-task4/subtask-C.tsv.gz",
)


def baselines(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Score constant classes in subtask C and constant distributions in subtask E.

    The published scores are read from the data folder, like everything they are computed from.
    """
    lacking = missing(setting, _PUBLISHED)
    if lacking:
        yield Ours("baselines", "published scores", None, lacking)
        return
    published = read_rows(setting, _PUBLISHED, "subtask", "language", "run", "measure", "value")
    for language in ("english", "arabic"):
        for subtask, baseline in (("C", _constant_class), ("E", _constant_distribution)):
            for row in published:
                if (row["subtask"], row["language"]) == (subtask, language):
                    yield from baseline(setting, language, row)


def _constant_class(setting: Setting, language: str, row: Mapping[str, str]) -> Iterator[Ours]:
    """Score a baseline that always predicts one class."""
    name = row["run"].partition(" ")[2]
    if name not in _NAMES:
        return
    file = f"semeval2017-task4/subtask-C-{language}-gold.tsv.gz"
    lacking = missing(setting, file)
    if lacking:
        yield _cell(row, None, lacking)
        return
    gold = [r["gold"] for r in read_rows(setting, file, "gold")]
    predicted = [CLASSES[_NAMES.index(name)]] * len(gold)
    table = Counts.from_labels(gold, predicted, labels=list(CLASSES)).table
    yield _cell(row, score_of(_MEASURES[row["measure"]], table))


def _constant_distribution(
    setting: Setting, language: str, row: Mapping[str, str]
) -> Iterator[Ours]:
    """Score a baseline that always predicts one distribution."""
    if not row["run"].startswith(("B1", "B2", "B3")):
        return
    file = f"semeval2017-task4/subtask-E-{language}-gold.tsv"
    lacking = missing(setting, file)
    guess = None if lacking else _guess(setting, row["run"])
    if lacking:
        yield _cell(row, None, lacking)
    elif guess is None:
        yield _cell(row, "–")._replace(unjudged="its training data are not available")
    else:
        gold = np.array([shares_of(r) for r in read_rows(setting, file, *SHARES)])
        scores = parse_measure("emd").of(gold, np.broadcast_to(guess, gold.shape))
        yield _cell(row, float(scores.mean()))


def _cell(row: Mapping[str, str], score: float | str | None, note: str = "") -> Ours:
    label = f"{row['subtask']} {row['language']}: {row['run']}"
    return Ours(label, row["measure"], score, note, printed=row["value"])


def _guess(setting: Setting, run: str) -> Floats | None:
    """Return the distribution of a baseline: as written, or the average of all 2016 data."""
    if "(" in run:
        return np.array([float(x) for x in run.partition("(")[2].rstrip(")").split()])
    if "2016" not in run or missing(setting, *_2016):
        return None
    groups = defaultdict(list)
    for row in (r for file in _2016 for r in read_rows(setting, file, "topic", "gold")):
        groups[row["topic"] if "macro" in run else ""].append(row["gold"])
    shares = [[labels.count(c) / len(labels) for c in CLASSES] for labels in groups.values()]
    return np.asarray(np.mean(shares, axis=0), dtype=np.float64)
