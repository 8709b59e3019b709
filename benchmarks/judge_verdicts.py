"""How often `judge` is right: coverage of model − person, and verdicts, by simulation.

Every item has a true value, and everybody rates it with errors of their own. A model "like a
person" rates exactly as people do, so that its true difference is 0 whatever the measure; one "at
the margin" has errors so much larger that under linear kappa it is worse by the default margin; a
"noisy" one has still larger errors, and a "steady" one smaller ones. True differences of these are
those on 200,000 items.

    python benchmarks/judge_verdicts.py [--runs 400] [--out FILE] [--page docs/judge.md]

With --found, the figures of earlier runs are read from files instead of simulated. About ten
minutes of one core with 200 runs.
"""

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ordeval as oe
from ordeval.evaluation.judge import Case, Figures, JudgeOver
from ordeval.evaluation.panel import GoldRule, Panel
from ordeval.evaluation.settings import Settings
from ordeval.ratings import Ratings
from ordeval.results import PanelScore

MEASURES = ("kappa(weights='linear')", "accuracy", "mae", "macro_mae")
MODELS = {"like a person": 1.0, "at the margin": 1.28, "noisy": 1.8, "steady": 0.5}
ITEMS, PEOPLE = (30, 100, 300, 1000), (2, 3, 5, 10)
CUTS = {"even": (-0.84, -0.25, 0.25, 0.84), "rare ends": (-2.0, -0.6, 0.6, 2.0)}
LARGE = 200_000
GOOD = "as good as one more person"


@dataclass(frozen=True)
class Regime:
    """How ratings are drawn: where the classes end, and which share is missing."""

    cuts: str = "even"
    gaps: float = 0.0
    gold: GoldRule = "soft"
    cluster: int = 0
    severity: float = 0.0
    over: JudgeOver = "items"

    def draw(self, rng: np.random.Generator, items: int, people: int) -> tuple[Any, dict[str, Any]]:
        """Return the ratings of people and of models, NaN where one is missing."""
        groups = np.arange(items) // max(self.cluster, 1)
        truth = rng.normal(size=items)
        if self.cluster:
            truth = 0.7 * truth + 0.7 * rng.normal(size=groups.max() + 1)[groups]
        persons = np.stack([self.rate(rng, truth, 1.0) for _ in range(people)], axis=1)
        models = {name: self.rate(rng, truth, noise) for name, noise in MODELS.items()}
        if self.gaps:
            missing = rng.random(persons.shape) < self.gaps
            missing[:, :2] &= rng.random((items, 1)) < 0.5
            persons[missing] = np.nan
        return persons, models

    def rate(self, rng: np.random.Generator, truth: Any, noise: float) -> Any:
        """Return classes 1 to 5."""
        lean = self.severity * rng.normal()
        heard = truth + lean + 0.6 * noise * rng.normal(size=len(truth))
        return 1.0 + np.searchsorted(CUTS[self.cuts], heard)


REGIMES = {
    "even classes": Regime(),
    "rare classes at the ends": Regime("rare ends"),
    "40 % of ratings missing": Regime(gaps=0.4),
    "gold by majority": Regime(gold="majority"),
    "clusters of 5 items": Regime(cluster=5, over="clusters"),
    "people differ, over items and people": Regime(severity=0.3, over="both"),
}


def judged(
    regime: Regime, rng: np.random.Generator, items: int, people: int, *, intervals: bool = True
) -> list[PanelScore]:
    """Return the scores of models on simulated ratings, as `judge` computes them."""
    persons, models = regime.draw(rng, items, people)
    named = {f"p{j}": persons[:, j] for j in range(people)}
    cluster = np.arange(items) // regime.cluster if regime.cluster and intervals else None
    ratings = Ratings.read({**named, **models}, labels=[1, 2, 3, 4, 5], cluster=cluster)
    case = Case(
        ratings,
        people,
        regime.gold,
        tuple(map(oe.measure, MEASURES)),
        oe.measure(MEASURES[0]),
        over=regime.over if intervals else "items",
        settings=Settings(bootstrap=int(intervals)),
    )
    shared = case.only(case.shared)
    found = Figures(shared, Panel.of(shared.ratings, people), case.measures)
    return [row for row in found.scores() if row.kind == "model"]


@cache
def truths(regime: Regime, people: int) -> dict[tuple[str, str], float]:
    """Return the true differences, from very many items."""
    rows = judged(regime, np.random.default_rng(1), LARGE, people, intervals=False)
    like = {(str(row.measure), row.name) for row in rows if row.name == "like a person"}
    found = {(str(row.measure), row.name): row.difference.value for row in rows}
    return found | dict.fromkeys(like, 0.0)


def simulate(regime: Regime, items: int, people: int, runs: int) -> dict[str, Any]:
    """Return coverage, verdicts and widths by model and measure."""
    true = truths(regime, people)
    covered: Counter[tuple[str, str]] = Counter()
    verdicts: dict[tuple[str, str], Counter[str]] = {key: Counter() for key in true}
    widths: dict[tuple[str, str], list[float]] = {key: [] for key in true}
    for run in range(runs):
        rng = np.random.default_rng([run, items, people])
        for row in judged(regime, rng, items, people):
            key, gap = (str(row.measure), row.name), row.difference
            covered[key] += gap.low <= true[key] <= gap.high
            verdicts[key][row.verdict] += 1
            widths[key].append(gap.high - gap.low)
    return {
        f"{model}, {measure}": {
            "true": true[measure, model],
            "coverage": covered[measure, model] / runs,
            "width": float(np.nanmedian(widths[measure, model])),
            **{word: n / runs for word, n in sorted(verdicts[measure, model].items())},
        }
        for measure, model in true
    }


def page_table(found: dict[str, Any]) -> str:
    """Return the figures as a table in Markdown."""
    lines = [
        "| data | people | items | coverage | like a person: called worse | better | as good "
        "| at the margin: as good or better | noisy: worse |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, part in found.items():
        data, people, items = (text.strip() for text in name.split(";"))
        rows = {tuple(key.split(", ", 1)): row for key, row in part.items()}
        like = [row for (model, _), row in rows.items() if model == "like a person"]
        first = {model: row for (model, m), row in rows.items() if m == MEASURES[0]}
        covered = [row["coverage"] for row in part.values()]
        near = first["at the margin"]
        shares = (
            max(row.get("worse", 0) for row in like),
            max(row.get("better", 0) for row in like),
            first["like a person"].get(GOOD, 0),
            near.get(GOOD, 0) + near.get("better", 0),
            first["noisy"].get("worse", 0),
        )
        cells = [data, people.split()[0], items.split()[0]]
        cells.append(f"{100 * min(covered):.0f}–{100 * max(covered):.0f} %")
        lines.append(" | ".join(["|", *cells, *(f"{100 * x:.1f} %" for x in shares), "|"]).strip())
    return "\n".join(line.replace("| |", "|").replace("|  |", "|") for line in lines)


def write_page(path: Path, found: dict[str, Any]) -> None:
    """Put the table in its place in a page."""
    before, mark, rest = path.read_text(encoding="utf-8").partition("<!-- simulation -->\n")
    after = rest[rest.index("\n## ") :]
    path.write_text(f"{before}{mark}\n{page_table(found)}\n{after}", encoding="utf-8")


def main() -> None:
    """Run all regimes and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--only", default="", help="regimes whose name contains this")
    parser.add_argument("--items", type=int, nargs="*", default=list(ITEMS))
    parser.add_argument("--people", type=int, nargs="*", default=list(PEOPLE))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--found", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    found: dict[str, Any] = {}
    for path in given.found:
        found |= json.loads(path.read_text(encoding="utf-8"))
    for name, regime in () if given.found else REGIMES.items():
        if given.only in name:
            found |= simulated(name, regime, given)
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if given.page:
        write_page(given.page, found)


def simulated(name: str, regime: Regime, given: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one regime."""
    found = {}
    for people in given.people:
        if regime.over == "both" and people < 3:
            continue
        for items in given.items:
            part = simulate(regime, items, people, given.runs)
            found[f"{name}; {people} people; {items} items"] = part
            for key, row in part.items():
                words = ", ".join(f"{k} {v:.3f}" for k, v in row.items())
                print(f"{name} | P={people} N={items} | {key}: {words}", flush=True)
    return found


if __name__ == "__main__":
    main()
