"""Measure what the labels of a judge do to intervals and tests: coverage, width, error rates.

    python benchmarks/judge_coverage.py [--runs 500] [--draws 500] [--seed 0] [--write]
        [--keep FOLDER] [--part regimes|strata|extremes|comparisons]

Items with gold, judge and system labels are drawn from known populations and given to `evaluate`
and `compare` as counts; the true score is that of the population's table. The page describes the
populations. About ten minutes of one core with the default numbers; --write puts the page in
docs/judge-labels.md. With --keep parts can be simulated at different times. `--time` measures
the time after counting instead.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ordeval.data.rows import Rows
from ordeval.data.scale import Scale
from ordeval.errors import InputError
from ordeval.evaluation import Settings, compare_source, evaluate_source
from ordeval.measures.scoring import score_tables
from ordeval.measures.spec import parse_measures
from ordeval.results import Result
from ordeval.types import Floats, Ints

K, N = 5, 10_000
SCALE = Scale.of(range(1, K + 1))
MEASURES = parse_measures(
    "accuracy, macro_recall, kappa, qwk, cem, mae, macro_mae, mse, spearman, kendall_b, alpha, "
    "macro_f1"
)
PAIRED = parse_measures("kappa, accuracy, mae, macro_mae")
GOLD = np.array([0.10, 0.25, 0.30, 0.20, 0.15])
RARE = np.array([0.02, 0.20, 0.40, 0.30, 0.08])
LABELLED = (100, 300, 1000)


def answers(errors: float, shift: int = 0) -> Floats:
    """Return the probability [gold, answer] with a share of errors, around gold plus a shift."""
    table = np.zeros((K, K))
    for gold in range(K):
        meant = min(max(gold + shift, 0), K - 1)
        wrong = 0.4 ** np.abs(np.arange(K) - meant)
        wrong[meant] = 0
        table[gold] = errors * wrong / wrong.sum()
        table[gold, meant] += 1 - errors
    return table


JUDGES = {
    "good": answers(0.12),
    "middling": answers(0.4),
    "biased": (answers(0.15) + answers(0.15, shift=1)) / 2,
    "useless": np.full((K, K), 1 / K),
}


def population(
    judge: Floats, systems: Sequence[float] = (0.4,), gold: Floats = GOLD, follows: float = 0.0
) -> Floats:
    """Return probabilities [gold, judge, system, …] of systems with shares of errors.

    The judge gives the first system's label with probability `follows`.
    """
    joint = gold.reshape(-1, *[1] * (1 + len(systems))) * judge.reshape(K, K, *[1] * len(systems))
    for place, errors in enumerate(systems):
        shape = [K, *[1] * (1 + len(systems))]
        shape[2 + place] = K
        joint = joint * answers(errors).reshape(shape)
    if follows:
        own = joint.sum(axis=1, keepdims=True)
        same = np.eye(K).reshape(1, K, K, *[1] * (len(systems) - 1))
        joint = (1 - follows) * joint + follows * own * same
    return joint


def close_systems(follows: float, redrawn: float = 0.1) -> Floats:
    """Return probabilities [gold, judge, system, system] of two systems that rarely differ.

    The second gives the first one's label unless it draws its own, and the judge, which is good,
    gives the first one's label with probability `follows`.
    """
    own = answers(0.4)
    copied = np.eye(K)[None] * (1 - redrawn) + redrawn * own[:, None, :]
    judge = follows * np.eye(K)[None] + (1 - follows) * JUDGES["good"][:, :, None]
    return np.asarray(np.einsum("g,ga,gja,gab->gjab", GOLD, own, judge, copied))


class Counted(NamedTuple):
    """Drawn items as a source whose last system is the judge."""

    every: Rows
    systems: int
    judged: bool = True
    has_topics: bool = False
    paired: bool = True
    notices: tuple[str, ...] = ()

    @property
    def about(self) -> dict[str, Any]:
        """Where the data came from: nowhere."""
        return {"weight": True} if self.every.weight is not None else {}

    def rows(self, most: int) -> Rows:
        """Return the rows."""
        return self.every

    def judged_rows(self, most: int) -> tuple[Rows, Scale, tuple[str, ...], int]:
        """Return the rows, as `evaluate` asks for them."""
        names = (*(f"s{i + 1}" for i in range(self.systems)), "judge")
        return self.every, SCALE, names, 0


def drawn(
    joint: Floats, n: int, rng: np.random.Generator, rates: Floats | None = None, items: int = N
) -> Counted:
    """Draw items, n of them labelled, or each at the rate of its judge's class."""
    systems = joint.ndim - 2
    if rates is None:
        labelled = rng.multinomial(n, joint.ravel())
        other = rng.multinomial(items - n, joint.sum(axis=0).ravel())
    else:
        counts = rng.multinomial(items, joint.ravel()).reshape(joint.shape)
        own = rng.binomial(counts, rates.reshape(1, K, *[1] * systems))
        labelled, other = own.ravel(), (counts - own).sum(axis=0).ravel()
    rows = [*_rows(labelled, joint.shape), *_rows(other, joint.shape[1:])]
    gold = np.concatenate([rows[0][0], np.full(len(rows[3]), K)])
    judge = np.concatenate([rows[0][1], rows[2][0]])
    others = [np.concatenate(pair) for pair in zip(rows[0][2:], rows[2][1:], strict=True)]
    weight = None if rates is None else rates[judge]
    return Counted(
        Rows(np.stack([gold, *others, judge]), np.concatenate([rows[1], rows[3]]), weight), systems
    )


def _rows(counts: Ints, shape: tuple[int, ...]) -> Iterator[Any]:
    """Yield the labels [column, row] and the numbers of the cells that hold items."""
    used = np.flatnonzero(counts)
    yield np.stack(np.unravel_index(used, shape)).astype(np.int64)
    yield counts[used]


def truth(joint: Floats, system: int = 0) -> Floats:
    """Return the true scores [measure] of a system, as the limit of ever more items."""
    axes = tuple(a for a in range(1, joint.ndim) if a != 2 + system)
    return score_tables(MEASURES, 1e9 * joint.sum(axis=axes)[None], SCALE)[:, 0]


class Outcome(NamedTuple):
    """Shares of runs [measure] whose interval covers the true score, and means of what λ did."""

    covered: Floats
    ratio: Floats
    weight: Floats
    unusable: Floats
    refused: int


def simulate(
    options: argparse.Namespace, joint: Floats, n: int, rates: Floats | None = None
) -> Outcome:
    """Draw data sets and compute the default intervals.

    `JudgeLabels.worth` tells the width relative to that of people alone.
    """
    true, found, refused, run = truth(joint), [], 0, 0
    while len(found) < options.runs:
        run += 1
        source = drawn(joint, n, np.random.default_rng([options.seed, n, run]), rates)
        settings = Settings(bootstrap=options.draws, rng=run)
        try:
            result = evaluate_source(source, MEASURES, settings=settings)
        except InputError:
            refused += 1
            continue
        found.append(_figures(result, true))
    return Outcome(*np.mean(found, axis=0), refused)


def _figures(result: Result, true: Floats) -> list[Floats]:
    made, judge = result.intervals, result.judge
    assert made is not None
    assert judge is not None
    covers = (made.low[:, 0] <= true + 1e-12) & (true - 1e-12 <= made.high[:, 0])
    ratio = np.sqrt(judge.labelled / judge.worth[:, 0])
    return [covers * 1.0, ratio, judge.weight[:, 0], judge.unusable[:, 0] * 1.0]


def regimes(options: argparse.Namespace) -> dict[tuple[str, int], Outcome]:
    """Return the twelve regimes, and three of a judge that follows the system."""
    found = {}
    for name, judge in JUDGES.items():
        for n in LABELLED:
            joint = population(judge)
            found[name, n] = kept(options, ("usual", name, n), Outcome, simulate, joint, n)
    for n in LABELLED:
        joint = population(JUDGES["middling"], follows=0.5)
        title = "follows the system"
        found[title, n] = kept(options, ("usual", title, n), Outcome, simulate, joint, n)
    return found


def strata(options: argparse.Namespace) -> dict[tuple[str, int], Outcome]:
    """Return regimes in which the judge's two end classes are labelled at three times the rate."""
    found = {}
    for name in ("good", "biased", "useless"):
        joint = population(JUDGES[name])
        of_judge = joint.sum(axis=(0, 2))
        odds = np.array([3.0, 1.0, 1.0, 1.0, 3.0])
        for n in LABELLED:
            rates = odds * n / (N * (odds @ of_judge))
            key = ("strata", name, n)
            found[name, n] = kept(options, key, Outcome, simulate, joint, n, rates)
    return found


def extremes(options: argparse.Namespace) -> dict[tuple[str, int], Outcome]:
    """Return few items, a rare class and a nearly perfect system, each with a good judge."""
    cases = {
        "few labels": (population(JUDGES["good"]), 30),
        "rare class": (population(JUDGES["good"], gold=RARE), 100),
        "nearly perfect system": (population(JUDGES["good"], (0.04,)), 100),
        "nearly perfect judge": (population(answers(0.02)), 100),
        "judge is gold": (population(np.eye(K)), 100),
    }
    found = {}
    for name, (joint, n) in cases.items():
        found[name, n] = kept(options, ("edge", name, n), Outcome, simulate, joint, n)
    return found


class Paired(NamedTuple):
    """Shares of runs [measure]: a true null rejected, differences covered; and relative widths."""

    rejected: Floats
    covered: Floats
    ratio: Floats


def pairs(options: argparse.Namespace, joint: Floats, n: int, equal: Sequence[int]) -> Paired:
    """Compare systems of which those in `equal` have the same true scores."""
    systems = joint.ndim - 2
    true = np.stack([truth(joint, s)[_paired_rows()] for s in range(systems)], axis=1)
    difference = true[:, :, None] - true[:, None, :]
    rejected, covered, ratio = [], [], []
    for run in range(options.runs):
        rng = np.random.default_rng([options.seed, n, systems, run])
        source = drawn(joint, n, rng)
        settings = Settings(bootstrap=300, rng=run, differences=systems == 2, trials=2000)
        try:
            found = compare_source(source, PAIRED, settings=settings)
        except InputError:
            continue
        assert found.tests is not None
        p = found.tests.p[:, list(equal)][:, :, list(equal)]
        rejected.append((p < 0.05).any(axis=(1, 2)))
        if found.differences is not None:
            low, high = found.differences.low[:, 0, 1], found.differences.high[:, 0, 1]
            covered.append((low <= difference[:, 0, 1]) & (difference[:, 0, 1] <= high))
            known = source.every.labels[0] < K
            people = Rows(source.every.labels[:, known], source.every.count[known])
            alone = compare_source(source._replace(every=people), PAIRED, settings=settings)
            assert alone.differences is not None
            whole = alone.differences.high[:, 0, 1] - alone.differences.low[:, 0, 1]
            ratio.append((high - low) / whole)
    mean = [
        np.mean(part, axis=0) if part else np.full(len(PAIRED), np.nan)
        for part in (rejected, covered, ratio)
    ]
    return Paired(*mean)


def _paired_rows() -> list[int]:
    return [MEASURES.index(m) for m in PAIRED]


def comparisons(options: argparse.Namespace) -> dict[str, Paired]:
    """Return tests of two and of five systems, with judges of several kinds."""
    found = {}
    for name in ("good", "biased", "useless"):
        for n in (100, 300):
            joint, key = population(JUDGES[name], (0.4, 0.4)), ("pairs", name, n)
            title = f"2 equal systems, {name} judge, n = {n}"
            found[title] = kept(options, key, Paired, pairs, joint, n, (0, 1))
    for follows, n in ((0.6, 100), (0.9, 50), (0.9, 300)):
        joint, key = close_systems(follows), ("close", follows, n)
        title = f"2 equal systems, judge gives one's label to {100 * follows:.0f} %, n = {n}"
        found[title] = kept(options, key, Paired, pairs, joint, n, (0, 1))
    for n in (100, 300):
        joint = population(JUDGES["good"], (0.4, 0.4, 0.4, 0.4, 0.2))
        title = f"4 equal systems and a better one, good judge, n = {n}"
        found[title] = kept(options, ("five", n), Paired, pairs, joint, n, (0, 1, 2, 3))
    return found


def kept(
    options: argparse.Namespace, key: tuple[Any, ...], kind: Any, make: Any, *given: Any
) -> Any:
    """Return what was simulated, from the folder `keep` if an earlier call left it there."""
    name = "-".join(map(str, (*key, options.runs, options.draws, options.seed)))
    path = None if options.keep is None else options.keep / f"{name.replace(' ', '_')}.json"
    if path is not None and path.exists():
        stored = json.loads(path.read_text(encoding="utf-8"))
        return kind(*(np.array(x) if isinstance(x, list) else x for x in stored))
    found = make(options, *given)
    print(*key, f"{time.process_time():.0f} s", file=sys.stderr, flush=True)
    if path is not None:
        plain = [x.tolist() if isinstance(x, np.ndarray) else x for x in found]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(plain), encoding="utf-8")
    return found


def coverage_table(found: dict[tuple[str, int], Outcome], figure: str) -> list[str]:
    """Return a table of a figure by measure and regime."""
    heads = [f"{name}, {n:,}" for name, n in found]
    lines = [f"| measure | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for row, m in enumerate(MEASURES):
        values = [getattr(outcome, figure)[row] for outcome in found.values()]
        digits = (
            f"{100 * v:.1f}" if figure in ("covered", "alone") else f"{v:.2f}" for v in values
        )
        lines.append(f"| {m} | {' | '.join(digits)} |")
    return [*lines, ""]


def span(found: dict[tuple[str, int], Outcome], figure: str, wanted: str = "") -> str:
    """Return the smallest and the largest figure of all measures and regimes, in per cent."""
    values = [getattr(o, figure) for (name, _), o in found.items() if wanted in name]
    factor = 100 if figure == "covered" else 1
    low, high = factor * float(np.min(values)), factor * float(np.max(values))
    return f"{low:.1f}–{high:.1f}" if factor == 100 else f"{low:.2f}–{high:.2f}"


def page(options: argparse.Namespace) -> str:
    """Return the whole page."""
    usual, by_rate, edge = regimes(options), strata(options), extremes(options)
    tests = comparisons(options)
    error = 100 * np.sqrt(0.95 * 0.05 / options.runs)
    twelve = {key: o for key, o in usual.items() if key[0] in JUDGES}
    refused = sum(o.refused for o in [*usual.values(), *by_rate.values(), *edge.values()])
    data_sets = options.runs * (len(usual) + len(by_rate) + len(edge)) + refused
    test_rows = [
        f"| {name} | "
        + " | ".join(
            f"{100 * found.rejected[i]:.1f}"
            + (
                ""
                if np.isnan(found.covered[i])
                else f" · {100 * found.covered[i]:.1f} · {found.ratio[i]:.2f}"
            )
            for i in range(len(PAIRED))
        )
        + " |"
        for name, found in tests.items()
    ]
    lines = [
        "# Few gold labels and many labels of a judge",
        "",
        "`evaluate(y_true, y_pred, judge=j)`, with gaps in `y_true`, and `--judge COLUMN` score a "
        "system on the items that people labelled, and use the labels that a judge gave to all "
        "items to make intervals shorter. Gold stays that of people.",
        "",
        "## What is done",
        "",
        "- T_h[g, s] and T_j[j, s] are the shares of the labelled items by gold class, or by the "
        "judge's class, and the system's class; A_j[j, s] are the judge's shares on all items. "
        "Every measure is computed on T = T_h + λ(A_j − T_j), whose cells may be negative and are "
        "not clipped. However wrong the judge is, T has the expectation of T_h.",
        "- λ, from 0 (people alone) to 1, is the one with the smallest variance of the score, for "
        "every measure and system, from the influence of each item. Its standard error is computed "
        "with a λ for each labelled item that was found on the other items (leave one out), and "
        "with two more items on which the judge errs, because a good judge errs on few of the "
        "labelled items. If it is not below that of people alone, λ is 0.",
        "- The interval is that of people alone (the default of `evaluate`), moved to the "
        "corrected score and shortened by the ratio of the standard errors and of Student's "
        "quantiles. It is therefore never longer than that of people alone.",
        "- Measures that divide by the size of a class, or take its logarithm (macro averages, F1, "
        "CEM), are left uncorrected (λ = 0) where a class of the corrected table is empty or "
        "negative, and measures of paths, entropy and purity where any cell is negative. The "
        "result says so.",
        "- `worth` is n/(ratio of widths)²: the number of gold labels that would give as short an "
        "interval without the judge.",
        "- Labelled and other items are compared by the classes that the judge gives them, by "
        "those of every system, by the difference of each system's class and the judge's, and by "
        "how far the systems' classes are apart, with likelihood ratio tests; neighbouring classes "
        "are merged until five items are expected. If the smallest p-value times the number of "
        "tests is below 0.001, the labelled items are plainly no random part, and the call is "
        "refused; below 0.01 there is a notice. Of 24,000 random parts (n = 30, 100 and 1,000 of "
        "3,000 items, one and five systems) 23 were refused. The tests cannot see every "
        "choice: items that were picked for what people see in them, but neither judge nor systems "
        "do, pass. If items were labelled at known, different rates, `rate` gives them.",
        "- In comparisons every difference has a λ of its own, and its interval is made in the "
        "same way, except that the two items that are added are like those on which the two "
        "systems differ. Where they differ on fewer than ten labelled items λ is 0: a judge that "
        "resembles one of the systems cannot be corrected by so few. p-values are those of t tests "
        "from the influence of items on the difference, corrected by step-down max-T (normal draws "
        "with the covariance of all differences).",
        "",
        "## Coverage and width",
        "",
        f"Per cent of {options.runs:,} simulated data sets whose 95 % interval contains the true "
        f"score (standard error at 95 %: {error:.1f}), and the mean width relative to people alone "
        f"on the same data; {options.draws:,} draws. {N:,} items of {K} classes "
        f"({', '.join(f'{100 * g:.0f}' for g in GOLD)} %), the system errs on 40 %. The judge errs "
        "on 12 % (good) or 40 % (middling), errs on 15 % and gives one class more in half of the "
        "cases (biased), or says anything (useless), independently of the system; or it is "
        "middling and gives the system's label in half of the cases (follows the system). The "
        "numbers are those of labelled items.",
        "",
        "In the twelve regimes of the first four judges coverage is "
        f"{span(twelve, 'covered')} %. Relative widths are "
        f"{span(twelve, 'ratio')}, with the good "
        f"judge {span(twelve, 'ratio', 'good')}, with the useless one "
        f"{span(twelve, 'ratio', 'useless')}.",
        "",
        "Coverage:",
        "",
        *coverage_table(usual, "covered"),
        "Relative width:",
        "",
        *coverage_table(usual, "ratio"),
        "Mean λ:",
        "",
        *coverage_table(usual, "weight"),
        "## Labelled at known rates",
        "",
        "Items to which the judge gives the lowest or the highest class are labelled at three "
        "times the rate of the others, each item by itself; the rates are given. Coverage:",
        "",
        *coverage_table(by_rate, "covered"),
        "Relative width:",
        "",
        *coverage_table(by_rate, "ratio"),
        "## Extremes",
        "",
        "30 labels; a class of 2 %; a system that errs on 4 %; a judge that errs on 2 %; a judge "
        "that is always right. Coverage:",
        "",
        *coverage_table(edge, "covered"),
        "Relative width:",
        "",
        *coverage_table(edge, "ratio"),
        "Share of data sets in which λ is 0 because a class or cell is negative or empty:",
        "",
        *coverage_table(edge, "unusable"),
        "## Comparisons",
        "",
        "Per cent of data sets in which any of the equal systems were called different at 5 % (a "
        "family-wise error); for two systems also per cent of 95 % intervals of the difference "
        "that contain the truth, and their width relative to people alone. In three rows the "
        "systems give the same label to nine items of ten, a tenth is drawn again, and the judge, "
        "otherwise good, gives the label of the first of them to 60 or 90 % of the items. "
        f"{options.runs:,} data sets (standard error at 5 %: {error:.1f}); rows of one n share "
        "their random numbers, and measures their data sets, so that they err together.",
        "",
        f"| systems | {' | '.join(map(str, PAIRED))} |",
        f"|---|{'---:|' * len(PAIRED)}",
        *test_rows,
        "",
        f"{refused} of {data_sets:,} data sets, all of which are random parts, were refused by the "
        "test of the shares, and were replaced.",
        "",
        f"Made by `python benchmarks/judge_coverage.py --runs {options.runs} --draws "
        f"{options.draws} --seed {options.seed} --write`.",
    ]
    return "\n".join(lines) + "\n"


PARTS = {
    "regimes": regimes,
    "strata": strata,
    "extremes": extremes,
    "comparisons": comparisons,
}


def timing() -> None:
    """Print the CPU time after counting, for n = 1,000 and N = 10⁶."""
    joint = population(JUDGES["good"])
    source = drawn(joint, 1000, np.random.default_rng(0), items=10**6)
    core = "kappa, qwk, alpha, cem, kendall_b, mae, macro_mae, accuracy, macro_f1"
    for name, measures, draws in (
        ("9 core measures, 2,000 draws", core, 2000),
        ("9 core measures, without intervals", core, 0),
        ("all measures, 2,000 draws", None, 2000),
        ("all measures, without intervals", None, 0),
    ):
        chosen = None if measures is None else parse_measures(measures)
        spent = []
        for _ in range(7):
            start = time.process_time()
            evaluate_source(source, chosen, settings=Settings(bootstrap=draws))
            spent.append(time.process_time() - start)
        known = source.every.labels[0] < K
        people = Rows(source.every.labels[:, known], source.every.count[known])
        start = time.process_time()
        evaluate_source(source._replace(every=people), chosen, settings=Settings(bootstrap=draws))
        alone = time.process_time() - start
        print(f"{name}: {1000 * min(spent):.0f} ms of CPU, people alone {1000 * alone:.0f} ms")


def main() -> None:
    """Simulate, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=500, help="simulated data sets (500)")
    parser.add_argument("--draws", type=int, default=500, help="draws per data set (500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write docs/judge-labels.md")
    parser.add_argument("--time", action="store_true", help="measure the time instead")
    parser.add_argument("--keep", type=Path, help="folder of figures of parts, to go on later")
    parser.add_argument("--part", choices=PARTS, help="simulate one part only, with --keep")
    options = parser.parse_args()
    if options.part:
        PARTS[options.part](options)
        return None
    if options.time:
        return timing()
    text = page(options)
    if options.write:
        place = Path(__file__).parents[1] / "docs" / "judge-labels.md"
        place.write_text(text, encoding="utf-8")
        return None
    print(text)
    return None


if __name__ == "__main__":
    main()
