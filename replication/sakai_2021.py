"""Sakai (2021): evaluating evaluation measures for ordinal classification and quantification."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

import numpy as np

import ordeval as oe
from ordeval.meta import (
    Consistency,
    DiscriminativePower,
    ScoreMatrices,
    axioms,
    consistency,
    discriminative_power,
    similarity,
)

from .baselines_2017 import baselines
from .datasets import (
    CLASSES,
    Runs,
    generated_counts,
    generated_runs,
    missing,
    ntcir_dq,
    read_rows,
    semeval_2016_c,
    semeval_2016_e,
)
from .internals import Floats, summarise
from .printed import Printed, read_paper
from .sakai_text import not_public, official_ranks, section_3, sentences
from .study import Drawing, Fact, Item, Maker, Ours, Setting

SPLITS, TRIALS = 1000, 5000
QUICK_SPLITS, QUICK_TRIALS = 200, 1000
_C16, _E16 = "semeval2016-task4/subtask-C.tsv.gz", "semeval2016-task4/subtask-E.tsv"
_C17 = "semeval2017-task4/subtask-C-english-gold.tsv.gz"
_E17 = "semeval2017-task4/subtask-E-english-gold.tsv"
_DQ = ("ntcir14-stc3-dq/gold-ratings.tsv.gz", "ntcir14-stc3-dq/widm-predictions.tsv.gz")
_GENERATED, _OTHER_RUNS = "generated runs", "12 runs of NTCIR-14"


@dataclass(frozen=True, eq=False)
class RunScores:
    """Score matrices of a data set.

    Parameters
    ----------
    matrices : ScoreMatrices or None
        The scores; None if files are missing.
    lacking : str
        The files that are missing.
    instead : str
        The runs that were used in place of the paper's, if they are others.
    """

    matrices: ScoreMatrices | None
    lacking: str = ""
    instead: str = ""

    @property
    def scores(self) -> ScoreMatrices:
        """The score matrices of runs that are available."""
        if self.matrices is None:
            raise RuntimeError(self.lacking)
        return self.matrices

    def named(self, name: str) -> str:
        """Return the name of a data set, with the runs used instead."""
        return f"{name} ({self.instead})" if self.instead else name


ScoresByName = Mapping[str, RunScores]
Task = Literal["classification", "quantification"]


def _measures(table: str) -> list[str]:
    """Return the measures that are the columns of a table."""
    return [str(oe.measure(m)) for m in read_paper("sakai-2021").exhibits[table].columns]


def _of_runs(runs: Runs) -> ScoreMatrices:
    shares = oe.Shares.read(runs.gold, runs.estimates, topic=runs.topics)
    return ScoreMatrices.from_shares(shares, _measures("table-8"))


@cache
def classification(setting: Setting) -> ScoresByName:
    """Return the scores of the runs of subtask C; those of 2017 are generated."""
    measures, lacking = _measures("table-2"), missing(setting, _C16)
    real = None if lacking else ScoreMatrices.from_counts(semeval_2016_c(setting), measures)
    made = ScoreMatrices.from_counts(generated_counts(125, 20, rng=setting.seed), measures)
    return {"Sem16T4C": RunScores(real, lacking), "Sem17T4C": RunScores(made, instead=_GENERATED)}


@cache
def quantification(setting: Setting) -> ScoresByName:
    """Return the scores of the runs of subtask E; those of 2017 are generated."""
    lacking = missing(setting, _E16)
    real = None if lacking else _of_runs(semeval_2016_e(setting))
    made = _of_runs(generated_runs(125, 14, rng=setting.seed))
    return {"Sem16T4E": RunScores(real, lacking), "Sem17T4E": RunScores(made, instead=_GENERATED)}


@cache
def dialogues(setting: Setting) -> ScoresByName:
    """Return the scores of runs on dialogues: of other runs than the paper's, or generated."""
    if missing(setting, *_DQ):
        seeds = {a: setting.seed + i for i, a in enumerate("AES", start=1)}
        made = {a: generated_runs(300, 22, raters=19, rng=seed) for a, seed in seeds.items()}
        return {f"DQ-{a}": RunScores(_of_runs(r), instead=_GENERATED) for a, r in made.items()}
    return {
        f"DQ-{a}": RunScores(_of_runs(ntcir_dq(setting, a)), instead=_OTHER_RUNS) for a in "AES"
    }


Sizes = tuple[int | None, int | None, int | None]


def table_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Count classes, topics and runs of the data sets."""
    counted: dict[str, tuple[Callable[[], Sizes], tuple[str, ...]]] = {
        "Sem16T4C": (lambda: _sizes_of_counts(setting), (_C16,)),
        "Sem17T4C": (lambda: _sizes_of_gold(setting, _C17), (_C17,)),
        "Sem16T4E": (lambda: _sizes_of_runs(semeval_2016_e(setting)), (_E16,)),
        "Sem17T4E": (lambda: _sizes_of_gold(setting, _E17), (_E17,)),
        "DQ": (lambda: _sizes_of_runs(ntcir_dq(setting, "A")), _DQ),
    }
    for name, (count, files) in counted.items():
        lacking = missing(setting, *files)
        sizes = (None, None, None) if lacking else count()
        instead = _OTHER_RUNS if name == "DQ" and not lacking else ""
        row = f"{name} ({instead})" if instead else name
        for column, size in zip(printed.columns, sizes, strict=True):
            note = (lacking or "no runs were found") if size is None else ""
            yield Ours(row, column, size, note, unjudged=instead)


def _sizes_of_counts(setting: Setting) -> Sizes:
    counts = semeval_2016_c(setting)
    return counts.k, len(counts.topics), len(counts.systems)


def _sizes_of_gold(setting: Setting, file: str) -> Sizes:
    return len(CLASSES), len({row["topic"] for row in read_rows(setting, file, "topic")}), None


def _sizes_of_runs(runs: Runs) -> Sizes:
    return runs.gold.shape[1], len(runs.topics), len(runs.estimates)


ScoresOf = Callable[[Setting], ScoresByName]


def similarity_table(of: ScoresOf, setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute Kendall's τ between the rankings under every two measures."""
    for name, source in of(setting).items():
        tau = None if source.matrices is None else similarity(source.scores).tau
        for i, measure in enumerate(printed.columns[:-1]):
            for j in range(i + 1, len(printed.columns)):
                value = None if tau is None else float(tau[i, j])
                row = f"{source.named(name)}: {measure}"
                yield Ours(row, printed.columns[j], value, source.lacking, unjudged=source.instead)


def _splits_and_trials(setting: Setting) -> tuple[int, int]:
    return (QUICK_SPLITS, QUICK_TRIALS) if setting.quick else (SPLITS, TRIALS)


@cache
def _consistency(source: RunScores, size: int | None, setting: Setting) -> Consistency:
    splits, trials = _splits_and_trials(setting)
    # The means are over as many splits as the paper has, which the tolerance assumes.
    return consistency(
        source.scores,
        procedure="split",
        size=size,
        splits=splits,
        mean_splits=splits,
        trials=trials,
        rng=setting.seed,
    )


def consistency_table(of: ScoresOf, setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute the mean τ between rankings on two random sets of topics, and significance."""
    splits, trials = _splits_and_trials(setting)
    yield Fact("splits", splits)
    yield Fact("trials", trials)
    shown: list[Ours] = []
    for part, measures in _parts(printed).items():
        source = of(setting)[part.split()[0]]
        if source.matrices is None:
            yield Ours(part, "V_E2", None, source.lacking)
            yield from (Ours(f"{part}: {m}", "mean τ", None, source.lacking) for m in measures)
            continue
        found = _consistency(source, 10 if part.endswith("10v10") else None, setting)
        errors = printed["tolerance"]["standard_errors"]
        rows = [*_consistency_rows(source.named(part), measures, found, errors, source.instead)]
        shown += [row for row in rows if row.column == "beats" and not row.unjudged]
        yield from rows
    yield Fact("beats", _beats_text(shown, printed))


def _beats_text(shown: list[Ours], printed: Printed) -> str:
    """Say how many of the numbers of measures beaten are as printed, and list the others."""
    if not shown:
        return ""
    other = [
        f"{ours.row} ({ours.value}, printed {figure})"
        for ours in shown
        if str(ours.value) != (figure := printed.figure(ours.row, ours.column))
    ]
    text = f" {len(shown) - len(other)} of {len(shown)} numbers of measures beaten are as printed"
    return f"{text}; the others: {', '.join(other)}." if other else f"{text}."


def _parts(printed: Printed) -> dict[str, list[str]]:
    """Return the parts of a table, each a data set and sizes of splits, with their measures."""
    parts: dict[str, list[str]] = {}
    for row in printed.figures:
        part, _, measure = row.partition(": ")
        parts.setdefault(part, []).extend([measure] if measure else [])
    return parts


def _consistency_rows(
    part: str, measures: list[str], found: Consistency, errors: float, instead: str
) -> Iterator[Ours]:
    # The printed mean, over SPLITS splits, has a standard error as well.
    allowed = errors * np.sqrt(1 + len(found.tau) / SPLITS)
    error = _variance_error(found.tau)
    yield Ours(part, "V_E2", found.residual_variance, tolerance=error * allowed, unjudged=instead)
    for measure in measures:
        i = found.measures.index(oe.measure(measure).key)
        row, mean, error = f"{part}: {measure}", float(found.mean[i]), found.standard_error[i]
        yield Ours(row, "mean τ", mean, tolerance=float(error) * allowed, unjudged=instead)
        yield Ours(row, "beats", int(found.beats[i]), unjudged=instead)


def _variance_error(tau: Floats) -> float:
    """Return the standard error of V_E2, which is a mean over splits `[splits, M]`."""
    centred = tau - tau.mean(axis=0) - tau.mean(axis=1, keepdims=True) + tau.mean()
    parts = (centred**2).sum(axis=1) / (tau.shape[1] - 1)
    return float(parts.std(ddof=1) / np.sqrt(len(parts)))


@cache
def _power(source: RunScores, setting: Setting) -> DiscriminativePower:
    _, trials = _splits_and_trials(setting)
    return discriminative_power(source.scores, trials=trials, rng=setting.seed)


def power_figure(of: ScoresOf, setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute the p-values of all pairs of systems, and how many are below 0.05."""
    yield Fact("trials", _splits_and_trials(setting)[1])
    for name, source in of(setting).items():
        if source.matrices is None:
            yield Ours(name, "pairs below 0.05", None, source.lacking)
            continue
        found, label = _power(source, setting), source.named(name)
        for measure, n in zip(found.measures, found.significant, strict=True):
            note, row = f"of {len(found.pairs)}", f"{label}: {measure}"
            yield Ours(row, "pairs below 0.05", int(n), note, unjudged=source.instead)
        if name in printed.figures:
            order = [found.measures[i] for i in found.order]
            least = ", ".join(sorted(order[-4:]))
            yield Ours(name, "least discriminative four", least, tolerance=0.0)
            yield Ours(name, "most discriminative", order[0], tolerance=0.0)
        yield _power_curves(f"{printed.key}-{name}", label, found, printed["drawing"])


def _power_curves(
    name: str, label: str, found: DiscriminativePower, texts: Mapping[str, Any]
) -> Drawing:
    pairs = list(range(1, len(found.pairs) + 1))
    series = {m: (pairs, row.tolist()) for m, row in zip(found.measures, found.curves, strict=True)}
    filled: dict[str, Any] = dict(texts)
    filled |= {k: texts[k].format(name=label) for k in ("title", "caption")}
    return Drawing(name, "curves", series, **filled)


def summary_table(of: ScoresOf, task: Task, setting: Setting, printed: Printed) -> Iterator[Item]:
    """Search for counter-examples to the properties, and grade the measures on the runs of 2016."""
    properties = printed["axioms"]
    table = axioms(printed.figures, set(properties.values()), task=task, rng=setting.seed)
    for measure in printed.figures:
        for column, axiom in properties.items():
            found = table.of(measure, axiom)
            yield Ours(measure, column, "yes" if found.holds else "no", found.outcome)
    source = next(iter(of(setting).values()))
    grades = [] if source.matrices is None else list(_grades(source, task, setting))
    yield from grades
    graded = [g for g in grades if g.column != "group of rankings"]
    same = sum(g.value == printed.figure(g.row, g.column) for g in graded)
    text = (
        f" {same} of {len(graded)} grades are the printed ones. Left out of this count: the groups "
        "of similar rankings, which are shown."
    )
    yield Fact("grades", text if graded else "")


def _grades(source: RunScores, task: Task, setting: Setting) -> Iterator[Ours]:
    consistencies = [_consistency(source, size, setting) for size in (None, 10)]
    power = _power(source, setting)
    for row in summarise(similarity(source.scores), consistencies, power, task):
        yield Ours(row.measure, "group of rankings", row.group)
        yield Ours(row.measure, "consistency", row.consistency)
        yield Ours(row.measure, "discriminative power", row.discrimination)


def effect_sizes(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute the captions' examples, (mean − mean)/√V_E2, from the printed figures."""
    for row, figures in printed.figures.items():
        table, _, part = row.partition(", ")
        theirs = printed.of(table)
        for column in figures:
            taus = [theirs.figures[f"{part}: {m}"]["mean τ"] for m in column.split(" − ")]
            gap = float(taus[0]) - float(taus[1])
            yield Ours(row, column, gap / np.sqrt(float(theirs.figures[part]["V_E2"])))


EXHIBITS: Mapping[str, Maker] = {
    "table-1": table_1,
    "table-2": partial(similarity_table, classification),
    "table-3": partial(consistency_table, classification),
    "figure-1": partial(power_figure, classification),
    "table-4": partial(summary_table, classification, "classification"),
    "table-5": partial(similarity_table, dialogues),
    "table-6": partial(consistency_table, dialogues),
    "figure-2": partial(power_figure, dialogues),
    "table-7": partial(summary_table, quantification, "quantification"),
    "table-8": partial(similarity_table, quantification),
    "table-9": partial(consistency_table, quantification),
    "figure-3": partial(power_figure, quantification),
    "effect-sizes": effect_sizes,
    "semeval-2017-baselines": baselines,
    "section-3": section_3,
    "sentences": sentences,
    "official-ranks": official_ranks,
    "not-public": not_public,
}
