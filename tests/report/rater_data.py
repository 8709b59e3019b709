"""Results of raters and models to be shown: made by hand, small, with known outcomes."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from report_data import HOSTILE, LONG, MATHS, UNDERSCORE

import ordeval as oe
from ordeval.data.scale import Scale
from ordeval.measures.spec import Measure, parse_measure
from ordeval.notes import warning
from ordeval.results import (
    Agreement,
    AlternativeTest,
    Ceiling,
    DisputedItem,
    Estimate,
    Judgement,
    ModelBias,
    PanelScore,
    RaterFigures,
    RaterPair,
    Replacement,
    SliceScore,
)

COEFFICIENTS = (
    "krippendorff(level='ordinal')",
    "krippendorff(level='interval')",
    "fleiss(weights='identity')",
    "conger(weights='linear')",
    "ac2(weights='quadratic')",
)
LINEAR = parse_measure("kappa(weights='linear')")
MEASURES = (LINEAR, *map(parse_measure, ("kappa(weights='quadratic')", "mae", "accuracy", "cem")))
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


def _estimate(value: float, half: float, intervals: bool, doubt: str = "") -> Estimate:
    if not intervals or np.isnan(value):
        return Estimate(value, doubt=doubt)
    return Estimate(value, value - half, value + half, half / 1.96, doubt)


def _kappas(codes: Any, k: int) -> list[tuple[int, int, float, int]]:
    """Each pair of raters with linear kappa and the number of items that both rated."""
    pairs = list(combinations(range(codes.shape[1]), 2))
    tables = np.zeros((len(pairs), k * k))
    for table, (i, j) in zip(tables, pairs, strict=True):
        both = (codes[:, [i, j]] != GAP).all(axis=1)
        table[:] = np.bincount(codes[both, i] * k + codes[both, j], minlength=k * k)
    kappa, items = LINEAR.of(tables.reshape(-1, k, k)), tables.sum(axis=1)
    return [(*pair, float(x), int(n)) for pair, x, n in zip(pairs, kappa, items, strict=True)]


def _figures(codes: Any, names: Sequence[str], k: int, intervals: bool) -> list[RaterFigures]:
    known = codes != GAP
    rows = []
    for j, name in enumerate(names):
        own = known[:, j]
        others = np.where(known, codes, 0).sum(axis=1) - np.where(own, codes[:, j], 0)
        number = known.sum(axis=1) - own
        shared = own & (number > 0)
        gap = codes[shared, j] - others[shared] / number[shared]
        mean = float(gap.mean()) if shared.any() else nan
        half = 1.96 * float(gap.std()) / max(shared.sum(), 1) ** 0.5 if shared.any() else nan
        counts = np.bincount(codes[own, j], minlength=k)
        steady = float(max(0.2, 0.9 - 0.3 * j / len(names)))
        rows.append(
            RaterFigures(
                name,
                int(own.sum()),
                int(shared.sum()),
                _estimate(mean, half, intervals),
                _estimate(steady, 0.04, intervals),
                tuple(float(x) for x in counts / max(counts.sum(), 1)),
                "gives higher classes" if mean > 0.05 * k else "",
            )
        )
    return rows


def agreement(
    names: Sequence[str] = ("ann", "ben", "cai", "dee", "eve"),
    items: int = 200,
    k: int = 5,
    *,
    labels: Sequence[Any] | None = None,
    intervals: bool = True,
    values: Sequence[float] = (0.612, 0.634, 0.431, 0.428, 0.703),
    doubts: Sequence[str] = ("", "", "", "", ""),
    codes: Any = None,
    **fields: Any,
) -> Agreement:
    """How well raters agree, the first ones most."""
    scale = Scale(tuple(range(1, k + 1)) if labels is None else tuple(labels))
    found = rated(len(names), items, k) if codes is None else codes
    pairs = []
    for i, j, value, number in _kappas(found, k):
        doubt = "" if number else "no item was rated by both"
        made = _estimate(value, 0.05, intervals, doubt)
        pairs.append(
            RaterPair(*made.parts, measure=LINEAR, first=names[i], second=names[j], items=number)
        )
    known = found != GAP
    coefficients: dict[Measure, Estimate] = {
        parse_measure(name): _estimate(value, 0.03, intervals, doubt)
        for name, value, doubt in zip(COEFFICIENTS, values, doubts, strict=True)
    }
    given: dict[str, Any] = {
        "coefficients": coefficients,
        "pair_measures": (LINEAR,) if pairs else (),
        "scale": scale,
        "items": int(known.any(axis=1).sum()),
        "shared": int((known.sum(axis=1) > 1).sum()),
        "ratings": int(known.sum()),
        "over": "items",
        "level": 0.95,
        "replicates": 2000 if intervals else 0,
        "seed": 0,
        "method": "dirichlet" if intervals else "",
        "about": {"raters": len(names)},
    }
    made = Agreement(**{**given, **fields})
    raters = tuple(_figures(found, names, k, intervals))
    disputed = _disputed(found, names, scale)
    return with_tables(made, pairs=tuple(pairs), raters=raters, disputed=disputed, kappas=())


def with_tables(found: Agreement, **tables: Any) -> Agreement:
    """The same with other rows in some of its tables."""
    makers = {name: lambda rows=rows: rows for name, rows in tables.items()}
    return replace(found, makers={**found.makers, **makers})


def _disputed(codes: Any, names: Sequence[str], scale: Scale) -> tuple[DisputedItem, ...]:
    known = codes != GAP
    number = np.maximum(known.sum(axis=1), 1)
    mean = np.where(known, codes, 0).sum(axis=1) / number
    spread = 2 * (known * (codes - mean[:, None]) ** 2).sum(axis=1) / number
    worst = np.argsort(-spread, kind="stable")[:20]
    return tuple(
        DisputedItem(
            f"item {i + 1}",
            float(spread[i]),
            {n: scale.labels[c] for n, c in zip(names, codes[i], strict=True) if c != GAP},
        )
        for i in worst
    )


VERDICTS = ("as good as one more person", "undecided", "worse", "better")


def judgement(
    models: Sequence[str] = ("gpt-4o", "llama-3", "bert"),
    people: Sequence[str] = ("ann", "ben", "cai", "dee", "eve"),
    items: int = 200,
    k: int = 5,
    *,
    labels: Sequence[Any] | None = None,
    intervals: bool = True,
    slices: Sequence[str] = ("short", "long"),
    **fields: Any,
) -> Judgement:
    """Models beside people, the first one best."""
    names = [*people, *models]
    codes = rated(len(names), items, k)
    panel = agreement(
        people, items, k, labels=labels, intervals=intervals, codes=codes[:, : len(people)]
    )
    every = agreement(names, items, k, labels=labels, intervals=intervals, codes=codes)
    scores, ceilings = [], []
    for measure in MEASURES:
        mean = 0.58 if measure.sign > 0 else 0.42
        made = _estimate(mean, 0.03, intervals)
        ceilings.append(
            Ceiling(*made.parts, measure=measure, pairwise=_estimate(mean - 0.02, 0.03, intervals))
        )
        scores += [_person(measure, name, i, mean) for i, name in enumerate(people)]
        scores += [_model(measure, name, i, mean, intervals) for i, name in enumerate(models)]
    figures = {row.rater: row for row in every.raters}
    given: dict[str, Any] = {
        "gold": "majority",
        "primary": LINEAR,
        "measures": MEASURES,
        "people": tuple(people),
        "models": tuple(models),
        "scores": tuple(scores),
        "ceilings": tuple(ceilings),
        "tests": tuple(_test(name, people, i) for i, name in enumerate(models)),
        "biases": tuple(_bias(figures[name], intervals) for name in models),
        "slices": tuple(
            SliceScore(
                *_estimate(0.6, 0.06, intervals).parts,
                slice=part,
                items=items // 2,
                model=name,
                measure=LINEAR,
                ceiling=_estimate(0.57, 0.06, intervals),
                difference=_estimate(0.03, 0.05, intervals),
                verdict=VERDICTS[i % 4],
            )
            for part in slices
            for i, name in enumerate(models)
        ),
        "pairs": every.pairs,
        "disputed": tuple(
            replace(row, model=name) for name in models for row in every.disputed[:10]
        ),
        "people_agreement": panel,
        "scale": every.scale,
        "items": items,
        "margin": 0.2,
        "over": "items",
        "level": 0.95,
        "replicates": 2000 if intervals else 0,
        "seed": 0,
    }
    return Judgement(**{**given, **fields})


def _person(measure: Measure, name: str, i: int, mean: float) -> PanelScore:
    value = Estimate(mean + 0.04 * np.sin(i))
    return PanelScore(*value.parts, measure=measure, name=name, kind="person", pairwise=value)


def _model(measure: Measure, name: str, i: int, mean: float, intervals: bool) -> PanelScore:
    gap = measure.sign * (0.03 - 0.06 * i)
    return PanelScore(
        *_estimate(mean + gap, 0.03, intervals).parts,
        measure=measure,
        name=name,
        kind="model",
        pairwise=_estimate(mean + gap - 0.01, 0.03, intervals),
        difference=_estimate(gap, 0.04, intervals),
        pairwise_difference=_estimate(gap, 0.04, intervals),
        verdict=VERDICTS[i % 4] if intervals else "",
        margin=0.08,
    )


def _test(model: str, people: Sequence[str], i: int) -> AlternativeTest:
    rows = tuple(
        Replacement(name, 180, 0.8 - 0.1 * i, 0.7, 0.001 * (1 + j) * 10**i, i + j < 3)
        for j, name in enumerate(people)
    )
    rate = sum(row.rejected for row in rows) / len(rows)
    return AlternativeTest(model, 0.2, rate, 0.8 - 0.1 * i, rate >= 0.5, rows)


def _bias(row: RaterFigures, intervals: bool) -> ModelBias:
    return ModelBias(
        row.rater,
        row.severity,
        _estimate(-0.05, 0.02, intervals),
        _estimate(0.92, 0.04, intervals),
        row.shares,
        "leans high, avoids the ends" if row.severity.value > 0 else "none found",
    )


WORDS = ("<b>low</b>", "$m_1$", "a & b", "</script><script>alert(1)</script>", "top")


def hostile_agreement() -> Agreement:
    """Names and labels that mean something to browsers, LaTeX and matplotlib."""
    names = (HOSTILE, MATHS, LONG, UNDERSCORE, "\u202egnp", "", "  ")
    return agreement(names, labels=WORDS, notes=(warning("data", HOSTILE),))


def hostile_judgement() -> Judgement:
    """The same for models, people and slices."""
    return judgement(
        (HOSTILE, LONG, ""),
        (MATHS, UNDERSCORE, "\u202egnp", "<b>person</b>"),
        labels=WORDS,
        slices=(HOSTILE, "two\nlines"),
        notes=(warning("data", HOSTILE),),
    )


def judged_with_texts() -> Judgement:
    """Models beside people, of items whose names and texts are hostile or long."""
    codes = rated(5, 150, 5)
    columns = [[None if c == GAP else int(c) + 1 for c in column] for column in codes.T]
    names = ("ann", HOSTILE, LONG)
    return oe.judge(
        dict(zip(names, columns[:3], strict=True)),
        dict(zip(("gpt", "llama"), columns[3:], strict=True)),
        labels=range(1, 6),
        item=[f"doc <{i}>" for i in range(150)],
        text=[f"{HOSTILE} {i} " + "and so on " * (i % 60) for i in range(150)],
        slices=["short" if i % 2 else "long" for i in range(150)],
        bootstrap=100,
    )
