"""Sakai's three questions to measures: similarity, consistency, discriminative power."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import plural
from ..meta import (
    Consistency,
    DiscriminativePower,
    ScoreMatrices,
    consistency,
    discriminative_power,
    similarity,
)
from ..spec import parse_measure
from .drawing import curves
from .printed import printed
from .study import (
    Comparison,
    Drawing,
    Exhibit,
    Setting,
    Verdict,
    exact,
    needs,
    statistical,
    unjudged,
    words,
)

Floats = NDArray[np.float64]
SPLITS, TRIALS = 1000, 5000
QUICK_SPLITS, QUICK_TRIALS = 200, 1000
_ERRORS = 4.0  # tolerance, in standard errors of a difference of two experiments


@dataclass(frozen=True, eq=False)
class Source:
    """Score matrices of a data set, or None with what is lacking.

    `instead` says what the scores are of where they are not of the paper's runs; the printed
    figures are then shown beside them, but nothing is judged.
    """

    matrices: ScoreMatrices | None
    lacking: str = ""
    instead: str = ""

    @property
    def judged(self) -> bool:
        """Whether the scores are of the paper's own runs."""
        return not self.instead

    @property
    def remark(self) -> str:
        """Why there is no verdict."""
        return self.lacking or f"{self.instead}: nothing to judge by"

    def named(self, name: str) -> str:
        """A data set's name, with what stands in for it."""
        return f"{name} ({self.instead})" if self.instead else name


def splits_of(setting: Setting) -> int:
    """Random splits of the topics."""
    return QUICK_SPLITS if setting.quick else SPLITS


def trials_of(setting: Setting) -> int:
    """Trials of the randomised Tukey test."""
    return QUICK_TRIALS if setting.quick else TRIALS


def similarity_table(key: str, title: str, sources: Mapping[str, Source]) -> Exhibit:
    """Kendall's τ between the rankings under every two measures."""
    rows: list[Comparison] = []
    for name, source in sources.items():
        upper = printed("sakai_2021")[key][name]
        measures = printed("sakai_2021")["oc_order" if len(upper) > 5 else "oq_order"]
        tau = None if source.matrices is None else similarity(source.matrices).tau
        for i, line in enumerate(upper):
            for j, x in enumerate(line, start=i + 1):
                ours = None if tau is None else float(tau[i, j])
                rows.append(
                    _cell(key, f"{source.named(name)}: {measures[i]}", measures[j], ours, x, source)
                )
    return Exhibit(
        key,
        title,
        tuple(rows),
        left_open="Which Kendall's τ is meant, where systems are tied.",
        chosen="τ-a: the printed figures are whole multiples of one pair.",
        outcome=_outcome(rows),
    )


def _cell(
    key: str, row: str, column: str, ours: float | None, x: str, source: Source
) -> Comparison:
    if ours is None:
        return needs(row, column, x, source.remark)
    if not source.judged:
        return unjudged(row, column, ours, x, source.remark, same_input=False)
    return exact(key, row, column, ours, x)


@cache
def _consistency(source: Source, size: int | None, setting: Setting) -> Consistency:
    if source.matrices is None:
        raise ValueError("no runs to split")
    return consistency(
        source.matrices,
        size=size,
        splits=splits_of(setting),
        mean_splits=splits_of(setting),  # as many as the paper has, which the tolerance supposes
        trials=trials_of(setting),
        rng=setting.seed,
    )


def consistency_table(
    key: str, title: str, sources: Mapping[str, Source], setting: Setting
) -> Exhibit:
    """Mean τ between the rankings on two random sets of topics, and who beats how many."""
    rows: list[Comparison] = []
    for part, figures in printed("sakai_2021")[key].items():
        source = sources[part.split()[0]]
        if source.matrices is None:
            rows += _needed_part(part, figures, source)
            continue
        found = _consistency(source, 10 if part.endswith("10v10") else None, setting)
        rows += _part(part, figures, found, source)
    return Exhibit(
        key,
        title,
        tuple(rows),
        left_open="Which τ is meant; the seeds.",
        chosen=f"τ-a; {plural(splits_of(setting), 'split')}, the same for all measures; Tukey's "
        f"test with {trials_of(setting)} trials{' (quick)' if setting.quick else ''}. Tolerance of "
        f"a mean τ and of V_E2: {_ERRORS:g} standard errors of the difference of this experiment "
        f"and one of {SPLITS} splits. How many measures one beats hangs on p-values near 0.05 "
        "and is shown only.",
        outcome=_outcome(rows),
    )


def _needed_part(part: str, figures: Mapping[str, Any], source: Source) -> list[Comparison]:
    rows = [needs(part, "V_E2", figures["ve2"], source.remark)]
    return rows + [
        needs(f"{part}: {m}", "mean τ", x, source.remark) for m, (x, _) in figures["tau"].items()
    ]


def _part(
    part: str, figures: Mapping[str, Any], found: Consistency, source: Source
) -> list[Comparison]:
    error, part = _variance_error(found.tau), source.named(part)
    widened = np.sqrt(1 + len(found.tau) / SPLITS)  # the printed mean, of SPLITS, has an error too
    rows = [_random(part, "V_E2", found.residual_variance, figures["ve2"], error * widened, source)]
    for measure, (x, beaten) in figures["tau"].items():
        i = found.measures.index(str(parse_measure(measure)))
        mean, spread = float(found.mean[i]), float(found.standard_error[i]) * widened
        rows.append(_random(f"{part}: {measure}", "mean τ", mean, x, spread, source))
        why = source.remark if not source.judged else "hangs on p-values near 0.05"
        won, same = int(found.beats[i]), source.judged
        row = f"{part}: {measure}"
        rows.append(unjudged(row, "beats", won, str(beaten), why, same_input=same))
    return rows


def _random(row: str, column: str, ours: float, x: str, error: float, source: Source) -> Comparison:
    """A figure of a random experiment against one of another; `error` is of their difference."""
    if not source.judged:
        return unjudged(row, column, ours, x, source.remark, same_input=False)
    return statistical(row, column, ours, x, _ERRORS * error)


def _variance_error(tau: Floats) -> float:
    """Standard error of V_E2, which is a mean over splits `[splits, M]`."""
    centred = tau - tau.mean(axis=0) - tau.mean(axis=1, keepdims=True) + tau.mean()
    parts = (centred**2).sum(axis=1) / (tau.shape[1] - 1)
    return float(parts.std(ddof=1) / np.sqrt(len(parts)))


@cache
def _power(source: Source, setting: Setting) -> DiscriminativePower:
    if source.matrices is None:
        raise ValueError("no runs to test")
    return discriminative_power(source.matrices, trials=trials_of(setting), rng=setting.seed)


def power_curves(key: str, title: str, sources: Mapping[str, Source], setting: Setting) -> Exhibit:
    """p-values of all pairs of systems in ascending order, and how many lie below 0.05."""
    rows: list[Comparison] = []
    drawings: list[Drawing] = []
    for name, source in sources.items():
        if source.matrices is None:
            rows.append(needs(name, "pairs below 0.05", None, source.remark))
            continue
        found = _power(source, setting)
        rows += _counts_of(name, found, source, printed("sakai_2021").get(key, {}).get(name, {}))
        rows += _statements(key, name, found) if source.judged else []
        drawings.append(_curves(key, name, found, source))
    return Exhibit(
        key,
        title,
        tuple(rows),
        left_open="The curves are drawn; the text says what is to be seen, with figures for DQ-E "
        "alone.",
        chosen=f"Randomised paired Tukey HSD, {trials_of(setting)} trials"
        f"{' (quick)' if setting.quick else ''}; the number of pairs with p below 0.05.",
        drawings=tuple(drawings),
    )


def _counts_of(
    name: str, found: DiscriminativePower, source: Source, stated: Mapping[str, str]
) -> list[Comparison]:
    """Significant pairs under each measure, beside what the text states of some."""
    of = f"of {len(found.pairs)}" + (f"; {source.remark}" if not source.judged else "")
    column, same = "pairs below 0.05", source.judged
    return [
        unjudged(f"{source.named(name)}: {m}", column, int(n), stated.get(m), of, same_input=same)
        for m, n in zip(found.measures, found.significant, strict=True)
    ]


def _statements(key: str, name: str, found: DiscriminativePower) -> list[Comparison]:
    """What the text reads off Figure 1 (I)."""
    if key != "figure-1":
        return []
    order = [found.measures[i] for i in found.order]
    least = ", ".join(sorted(order[-4:]))
    return [
        words(
            name, "least discriminative four", least, "accuracy, cem, macro_mae, mae", chance=True
        ),
        words(name, "most discriminative", order[0], "kappa(weights='linear')", chance=True),
    ]


def _curves(key: str, name: str, found: DiscriminativePower, source: Source) -> Drawing:
    pairs = list(range(1, len(found.pairs) + 1))
    series = {m: (pairs, row.tolist()) for m, row in zip(found.measures, found.curves, strict=True)}
    return curves(
        f"{key}-{name}",
        f"{source.named(name)}: p-values of all pairs of systems in ascending order; curves near "
        "the corner tell more pairs apart",
        series,
        title=source.named(name),
        x="pair of systems, by p-value",
        y="p-value",
        level=0.05,
        top=0.2,
        marks=False,
    )


def effect_sizes() -> Exhibit:
    """The captions' worked examples: (mean − mean)/√V_E2 from the printed figures."""
    figures = printed("sakai_2021")
    rows = []
    for table, part, first, second, x in figures["effect sizes"]:
        cells = figures[table][part]
        gap = float(cells["tau"][first][0]) - float(cells["tau"][second][0])
        size = gap / np.sqrt(float(cells["ve2"]))
        rows.append(exact("effect-sizes", f"{table}, {part}", f"{first} − {second}", size, x))
    return Exhibit("effect-sizes", "Captions of Tables 3, 6 and 9: effect sizes", tuple(rows))


def _outcome(rows: Sequence[Comparison]) -> str:
    judged = [r for r in rows if r.verdict not in (Verdict.NONE, Verdict.NEEDS)]
    if not judged:
        return ""
    good = sum(not r.verdict.fails for r in judged)
    return f"{good} of {plural(len(judged), 'figure')} that can be judged were found again."
