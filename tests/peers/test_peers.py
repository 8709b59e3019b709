"""Values out of the test suites and docstrings of other packages, beside ours.

One JSON file per package. A case holds the peer's call and value, the input, our measure or figure,
and how far apart the two may be. `differs` holds the reason (a key of reasons.json) and our value
where we do not agree; then the test fails if our value changes, and also if it is the peer's.
"""

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest
from peer_page import CASES, PAGE, PEERS, REASONS, Case, page

import ordeval as oe

Figure = Any  # a number, "nan", "error", or nested lists of these


def items_of(cells: list[list[Any]]) -> tuple[list[Any], list[Any]]:
    """Gold and predicted labels of cells (gold, predicted, number)."""
    pairs = [(gold, predicted) for gold, predicted, number in cells for _ in range(number)]
    return [gold for gold, _ in pairs], [predicted for _, predicted in pairs]


def coincidences(items: list[Counter[Any]], classes: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Krippendorff's coincidences of any number of raters, halved.

    The table plus its transpose, from which α starts, is then the matrix of coincidences.
    """
    table = {(a, b): Fraction(0) for a in classes for b in classes}
    for item in items:
        total = item.total()
        for a in item:
            for b in item:
                pairs = item[a] * (item[b] - (a == b))
                table[a, b] += Fraction(pairs, 2 * max(total - 1, 1))
    return np.array([[float(table[a, b]) for b in classes] for a in classes])


def coincidences_of(given: dict[str, Any], labels: Sequence[Any] | None) -> np.ndarray[Any, Any]:
    """From one list of labels per rater, or from the number of raters of each item and class."""
    if "value_counts" in given:
        classes: Sequence[Any] = range(len(given["value_counts"][0]))
        counted = [Counter(dict(enumerate(row))) for row in given["value_counts"]]
        return coincidences(counted, classes)
    items = [
        Counter(label for label in item if label is not None)
        for item in zip(*given["ratings"], strict=True)
    ]
    return coincidences(items, labels or sorted(set().union(*items)))


def ratings_of(given: dict[str, Any]) -> dict[str, list[Any]]:
    """Ratings by rater; those of counted items in the order of the classes."""
    if "ratings" in given:
        return {f"r{i}": row for i, row in enumerate(given["ratings"])}
    items = [Counter(dict(enumerate(row, 1))).elements() for row in given["value_counts"]]
    return {f"r{i}": list(row) for i, row in enumerate(zip_longest(*items))}


def scale_of(given: dict[str, Any], labels: Sequence[Any] | None) -> Sequence[Any]:
    """The declared classes, or those that are used or counted."""
    if labels is not None or "value_counts" in given:
        return labels or range(1, len(given["value_counts"][0]) + 1)
    return sorted({label for row in given["ratings"] for label in row if label is not None})


def agreed(given: dict[str, Any], ours: str, labels: Sequence[Any] | None) -> float:
    """Return a coefficient of several raters, or with "se" before it its standard error."""
    name = ours.removeprefix("se ")
    draws = 20 if ours.startswith("se ") else 0  # standard errors come with intervals
    scale = scale_of(given, labels)
    found = oe.agreement(ratings_of(given), labels=scale, measures=[name], draws=draws)[name]
    return found.se if draws else found.value


def computed(given: dict[str, Any], ours: str, options: dict[str, Any]) -> Any:
    """Return our figure for an input."""
    if ours.startswith("agreement "):
        return agreed(given, ours.removeprefix("agreement "), options.get("labels"))
    if "ratings" in given or "value_counts" in given:
        table = coincidences_of(given, options.get("labels"))
        return oe.measure(ours).of(table, values=options.get("values"))
    if "estimate" in given:
        return oe.measure(ours)(given["true"], given["estimate"], **options)
    if "cells" in given:
        data: tuple[Any, ...] = items_of(given["cells"])
    else:
        data = (given["table"],) if "table" in given else (given["gold"], given["predicted"])
    if ours == "counts":
        return oe.Counts.from_labels(*data, **options).table
    if ours.startswith("per_class "):
        return oe.per_class(*data, **options)[ours.removeprefix("per_class ")]
    return oe.score(*data, ours, **options)


def plain(figure: Any) -> Figure:
    """Return numbers as in the files: NaN as "nan"."""
    if isinstance(figure, list):
        return [plain(part) for part in figure]
    return "nan" if math.isnan(figure) else figure


def our_figure(peer: str, case: Case) -> Figure:
    """Return our figure; "error" where the input is refused with the words of the case."""
    given = case["input"]
    given = PEERS[peer]["inputs"][given] if isinstance(given, str) else given
    options = dict(case.get("options", {}))
    if "values" in options:
        options["values"] = [float(value) for value in options["values"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of undefined scores and shifted classes
        try:
            found = computed(given, case["ours"], options)
        except oe.InputError as refusal:
            expected = "says" in case and case["says"] in str(refusal)
            return "error" if expected else f"another error: {refusal}"
    return plain(np.asarray(found).tolist())


def in_their_terms(figure: Figure, case: Case) -> Figure:
    """Return what the peer should give: constant + factor · ours ^ power."""
    if isinstance(figure, str) or "becomes" not in case:
        return figure
    becomes = case["becomes"]
    changed = becomes.get("factor", 1) * figure ** becomes.get("power", 1)
    return changed + becomes.get("constant", 0)


def differences(ours: Figure, theirs: Figure) -> Iterator[float]:
    """Yield how far two figures are apart, number by number; infinite for other things."""
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            yield from differences(one, other)
    elif isinstance(ours, list | str) or isinstance(theirs, list | str):
        yield 0.0 if ours == theirs or theirs == "any" else math.inf
    else:
        yield abs(ours - theirs)


def farthest(ours: Figure, theirs: Figure) -> float:
    return max(differences(ours, theirs))


def name_of(case: tuple[str, Case]) -> str:
    return re.sub(r"\W+", "-", f"{case[0]} {case[1]['name']}")


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_case(case: tuple[str, Case]) -> None:
    peer, facts = case
    ours = our_figure(peer, facts)
    apart = farthest(in_their_terms(ours, facts), facts["expected"])
    if "differs" in facts:
        assert farthest(ours, facts["differs"]["ours"]) <= 1e-9, "our value has changed"
        assert apart > facts["tolerance"], "we agree now"
    else:
        assert apart <= facts["tolerance"] + 1e-12


RATED = [
    (peer, case)
    for peer, case in CASES
    if peer == "krippendorff" and isinstance(case["input"], str)
]


@pytest.mark.parametrize("case", RATED, ids=name_of)
def test_alpha_of_ratings_is_that_of_their_coincidences(case: tuple[str, Case]) -> None:
    peer, facts = case
    given = PEERS[peer]["inputs"][facts["input"]]
    name = facts["ours"].replace("alpha(", "krippendorff(")
    found = agreed(given, name, facts.get("options", {}).get("labels"))
    assert abs(found - facts["expected"]) <= facts["tolerance"] + 1e-12


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python tests/peers/peer_page.py`"


def test_reasons_are_known_and_used() -> None:
    used = {case["differs"]["reason"] for _, case in CASES if "differs" in case}
    assert used == set(REASONS)


def test_every_input_is_used() -> None:
    for peer, data in PEERS.items():
        named = {case["input"] for case in data["cases"] if isinstance(case["input"], str)}
        assert named == set(data["inputs"]), peer


def test_names_are_unique() -> None:
    names = [name_of(case) for case in CASES]
    assert len(set(names)) == len(names)
