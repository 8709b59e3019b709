"""How often measures that differ by chance are called different in consistency.

`python -m benchmarks.consistency_null --write` makes the table.

Four measures score the same systems on the same topics: a quality of the system, an effect of the
system on the topic that a share of the variance is due to and that all measures see, and noise of
their own. All have the same distribution, so each significant difference is an error. For each
setting the table shows

- the share of runs in which any two measures differ significantly (p < 0.05), by resampled topics
  ("bootstrap") and by splits of the same topics ("split"), and the share of pairs for the latter;
- how often the 95 % interval of mean τ contains the mean of all runs, on halves of the topics;
- the share of runs in which a fourth measure with three times the noise is found to be less
  consistent than some other one.
"""

from argparse import Namespace
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ordeval.meta import Consistency, ScoreMatrices, consistency

from .simulation import Tables, each, publish, stream, table

MEASURES = 4
SIZES = ((12, 100), (6, 30), (30, 50))


@dataclass(frozen=True)
class Setting:
    """A population of scores."""

    name: str
    systems: int
    topics: int
    spread: float = 0.3
    shared: float = 0.0
    tails: float = 0.0
    size: int | None = None

    def draw(self, rng: np.random.Generator, noise: float = 1.0) -> ScoreMatrices:
        """Draw scores; `noise` multiplies the noise of the last measure."""
        places = (np.arange(self.systems) + 0.5) / self.systems
        quality = self.spread * ndtri(places)[None, :, None]
        shape = MEASURES, self.systems, self.topics
        seen = np.sqrt(self.shared) * self._noise(rng, (1, *shape[1:]))
        own = np.sqrt(1 - self.shared) * self._noise(rng, shape)
        own[-1] *= noise
        return ScoreMatrices.from_scores(
            quality + seen + own,
            measures=[f"m{i}" for i in range(MEASURES)],
            systems=[f"s{i}" for i in range(self.systems)],
            topics=[f"t{i}" for i in range(self.topics)],
            better=["higher"] * MEASURES,
        )

    def _noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return rng.standard_t(self.tails, size=shape) if self.tails else rng.normal(size=shape)


def settings(systems: int, topics: int) -> list[Setting]:
    """Return the populations for a number of systems and topics."""
    name = f"{systems} x {topics}"
    small = [Setting(f"{name}, 10 against 10", systems, topics, shared=0.5, size=10)]
    return [
        Setting(f"{name}, independent noise", systems, topics),
        Setting(f"{name}, half of the noise shared", systems, topics, shared=0.5),
        Setting(f"{name}, close systems", systems, topics, spread=0.1, shared=0.5),
        Setting(f"{name}, distant systems", systems, topics, spread=1.0, shared=0.5),
        Setting(f"{name}, heavy tails", systems, topics, shared=0.5, tails=3.0),
        *(small if topics >= 20 else []),
    ]


def by_topics(setting: Setting, rng: np.random.Generator, runs: int, resamples: int) -> str:
    """Return mean τ, the share of runs with an error, and the coverage of intervals."""
    errors, means, ends = 0, [], []
    for run in range(runs):
        null = _resampled(setting, setting.draw(rng), run, resamples)
        errors += null.beats.any()
        means.append(null.mean)
        ends.append(null.interval)
    truth, limits = np.mean(means), np.array(ends)
    inside = (limits[..., 0] <= truth) & (truth <= limits[..., 1])
    return f"{truth:.2f} | {100 * errors / runs:.1f} | {100 * inside.mean():.1f}"


def power(setting: Setting, rng: np.random.Generator, runs: int, resamples: int) -> str:
    """Return the share of runs that find the fourth measure less consistent."""
    lost = [
        _resampled(setting, setting.draw(rng, 3.0), run, resamples).beaten[-1] > 0
        for run in range(runs)
    ]
    return f"{100 * np.mean(lost):.0f}"


def _resampled(setting: Setting, scores: ScoreMatrices, run: int, resamples: int) -> Consistency:
    return consistency(
        scores, size=setting.size, splits=2, mean_splits=10_000, resamples=resamples, rng=run
    )


def by_splits(setting: Setting, rng: np.random.Generator, runs: int) -> str:
    """Return the share of runs, and of pairs, with an error of the papers' procedure."""
    wins = [
        consistency(
            setting.draw(rng), procedure="split", size=setting.size, mean_splits=2, trials=500
        ).beats
        for _ in range(runs)
    ]
    pairs = MEASURES * (MEASURES - 1) / 2
    runs_wrong = np.mean([won.any() for won in wins])
    pairs_wrong = np.sum(wins) / pairs / runs
    return f"{100 * runs_wrong:.0f} | {100 * pairs_wrong:.0f}"


def row(options: Namespace, setting: Setting) -> str:
    """Return the figures of one setting."""
    rng = stream(options.seed, setting.name)
    figures = [
        by_topics(setting, rng, options.runs, options.resamples),
        power(setting, rng, options.other_runs, options.resamples),
        by_splits(setting, rng, options.other_runs),
    ]
    return " | ".join([setting.name, *figures])


def tables(options: Namespace) -> Tables:
    """Yield the table."""
    columns = ["systems x topics", "mean τ", "bootstrap: any error", "coverage", "power"]
    columns += ["split: any error", "split: wrong pairs"]
    every = [setting for sizes in SIZES for setting in settings(*sizes)]
    yield "null", table(columns, ([line] for line in each(row, every, options)))


if __name__ == "__main__":
    publish(__doc__, "consistency.md", tables, runs=1000, other_runs=100, resamples=300)
