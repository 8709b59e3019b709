"""Results of raters and models to be shown, small."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from report_data import HOSTILE, INJECTIONS, LONG, MATHS, UNDERSCORE

import ordeval as oe
from ordeval.notes import Note, warning

GAP = -1


def rated(raters: int, items: int, k: int, *, gaps: float = 0.1, seed: int = 0) -> Any:
    """Classes `[item, rater]` from 0 to k - 1 of ever less careful raters, -1 for gaps."""
    rng = np.random.default_rng(seed)
    truth = rng.normal((k - 1) / 2, k / 4, items)
    noise = rng.normal(0, 1, (items, raters)) * k * (0.06 + 0.12 * np.arange(raters) / raters)
    lean = k * 0.06 * np.sin(np.arange(raters))
    found = np.clip(np.rint(truth[:, None] + noise + lean), 0, k - 1).astype(int)
    found[rng.random(found.shape) < gaps] = GAP
    return found


def columns(codes: Any, names: Sequence[str], labels: Sequence[Any]) -> dict[str, list[Any]]:
    """The labels of each rater, None for gaps."""
    return {
        name: [None if code == GAP else labels[code] for code in column]
        for name, column in zip(names, codes.T.tolist(), strict=True)
    }


def agreement(
    names: Sequence[str] = ("ann", "ben", "cai", "dee", "eve"),
    size: int = 200,
    labels: Sequence[Any] = range(1, 6),
    notes: Sequence[Note] = (),
    **options: Any,
) -> oe.Agreement:
    """How well raters agree, the first ones most."""
    codes = rated(len(names), size, len(labels))
    given: dict[str, Any] = {"labels": labels, "draws": 60, **options}
    found = oe.agreement(columns(codes, names, labels), **given)
    return replace(found, notes=(*found.notes, *notes))


def judgement(
    models: Sequence[str] = ("gpt-4o", "llama-3", "bert"),
    people: Sequence[str] = ("ann", "ben", "cai", "dee", "eve"),
    size: int = 200,
    labels: Sequence[Any] = range(1, 6),
    slices: Sequence[str] = ("short", "long"),
    notes: Sequence[Note] = (),
    **options: Any,
) -> oe.Judgement:
    """Models beside people, the first one best."""
    codes = rated(len(people) + len(models), size, len(labels))
    given: dict[str, Any] = {"labels": labels, "draws": 60, **options}
    found = oe.judge(
        columns(codes[:, : len(people)], people, labels),
        columns(codes[:, len(people) :], models, labels),
        by=[slices[i % len(slices)] for i in range(size)],
        **given,
    )
    return replace(found, notes=(*found.notes, *notes))


WORDS = ("<b>low</b>", "$m_1$", "a & b", "</script><script>alert(1)</script>", "top")


def hostile_agreement() -> oe.Agreement:
    """Names and labels that mean something to browsers, LaTeX and matplotlib."""
    names = (HOSTILE, MATHS, LONG, UNDERSCORE, "\u202egnp", "", "  ", *INJECTIONS)
    return agreement(names, labels=WORDS, notes=(warning("data", HOSTILE),))


def hostile_judgement() -> oe.Judgement:
    """The same for models, people and slices."""
    return judgement(
        (HOSTILE, LONG, ""),
        (MATHS, UNDERSCORE, "\u202egnp", "<b>person</b>"),
        labels=WORDS,
        slices=(HOSTILE, "two\nlines", *INJECTIONS),
        notes=(warning("data", HOSTILE),),
    )


def judged_with_texts() -> oe.Judgement:
    """Models beside people, of items whose names and texts are hostile or long."""
    return judgement(
        ("gpt", "llama"),
        ("ann", HOSTILE, LONG),
        150,
        item=[f"doc <{i}>" for i in range(150)],
        text=[f"{HOSTILE} {i} " + "and so on " * (i % 60) for i in range(150)],
    )
