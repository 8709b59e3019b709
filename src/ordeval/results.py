"""What `evaluate`, `compare` and `quantify` give back: figures with names, and no computation.

A `Result` prints as a table, writes itself as JSON (the archive), CSV, Markdown, LaTeX or HTML,
and is read back by `load`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .display import Archived, Printed, as_frame, written
from .errors import InputError, quoted
from .scoring import Scores
from .spec import Measure, parse_measure
from .stats.anova import Anova, letter_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FORMAT = "ordeval-result-1"
TUKEY_TEST = "Tukey HSD, randomised and paired over topics"
ITEMS_TEST = "randomisation of items, paired, with Holm's correction"
TOPICS_TEST = "randomisation of topics, paired, with Holm's correction"
_SHORT_TESTS = {
    TUKEY_TEST: "tukey",
    ITEMS_TEST: "randomisation-items-holm",
    TOPICS_TEST: "randomisation-topics-holm",
}


@dataclass(frozen=True)
class Intervals:
    """Bootstrap intervals: every array is `[measure, system]`.

    Those of differences are `[measure, system, system]`, of the row's score minus the column's.
    `undefined` is the number of replicates that were undefined and left out.
    """

    low: Floats
    high: Floats
    se: Floats
    undefined: Ints
    method: str
    level: float
    replicates: int
    over: str
    seed: int


@dataclass(frozen=True)
class Tests:
    """Tests of all pairs of systems: every array is `[measure, system, system]`.

    `difference` is the row's score minus the column's; `effect` is in residual standard
    deviations, NaN where there are no topics; `p` is corrected for the number of pairs.
    `residual_variance` `[measure]` is V_E2 of the two-way analysis of variance, the whole of which
    is in `anova`, each figure `[measure]`; `classical` are the p-values of the classical Tukey HSD.
    Both are None where there are no topics; the latter also unless asked for.
    """

    p: Floats
    difference: Floats
    effect: Floats
    residual_variance: Floats
    name: str
    trials: int
    alpha: float
    seed: int
    anova: Anova | None = None
    classical: Floats | None = None


class Difference(NamedTuple):
    """One system's score minus another's, with its interval, p-value and effect size.

    The last two are NaN where there was no such test.
    """

    value: float
    low: float
    high: float
    se: float
    p: float = np.nan
    effect: float = np.nan


@dataclass(frozen=True, eq=False, repr=False)
class Result(Printed, Archived):
    """Scores of systems, with intervals and tests where they were asked for.

    `tables` are the pooled counts `[system, gold, predicted]` of classification data;
    `shares` are the mean distributions of quantification data, gold first: `[1 + system, K]`.
    `differences` are intervals of the differences of systems, if they were asked for.
    Two results are equal if they would be archived alike.
    """

    kind: str
    scores: Scores
    primary: Measure
    intervals: Intervals | None = None
    tests: Tests | None = None
    tables: Floats | None = None
    shares: Floats | None = None
    notices: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    differences: Intervals | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the primary measure."""
        return tuple(self.scores.ranking(self.primary))

    @property
    def best(self) -> str:
        """The system that is first by the primary measure."""
        return self.systems[0]

    def p(self, a: str, b: str, measure: str | Measure | None = None) -> float:
        """The p-value of two systems."""
        return float(self._made_tests().p[self._row(measure), self._place(a), self._place(b)])

    def classical_p(self, a: str, b: str, measure: str | Measure | None = None) -> float:
        """The p-value of two systems by the classical Tukey HSD."""
        found = self._made_tests().classical
        if found is None:
            raise InputError("No classical Tukey HSD was made; pass classical=True, with topics.")
        return float(found[self._row(measure), self._place(a), self._place(b)])

    def difference(self, a: str, b: str, measure: str | Measure | None = None) -> Difference:
        """The score of `a` minus that of `b`, with the interval of the paired bootstrap."""
        found = self.differences
        if found is None:
            raise InputError(
                "No intervals of differences were made; pass differences=True to compare(...) or "
                "quantify(...)."
            )
        row, first, second = place = self._row(measure), self._place(a), self._place(b)
        tested = (self.tests.p, self.tests.effect) if self.tests else ()
        figures = [float(x[place]) for x in (found.low, found.high, found.se, *tested)]
        value = float(self.scores.values[row, first] - self.scores.values[row, second])
        return Difference(value, *figures)

    def _made_tests(self) -> Tests:
        if self.tests is None:
            raise InputError("No tests were made; use compare(...) with two or more systems.")
        return self.tests

    def beats(self, system: str, measure: str | Measure | None = None) -> tuple[str, ...]:
        """The systems that `system` beats significantly."""
        if self.tests is None:
            return ()
        row, place = self._row(measure), self._place(system)
        better = self.scores.measures[row].sign * self.tests.difference[row, place] > 0
        won = better & (self.tests.p[row, place] < self.tests.alpha)
        return tuple(name for name, is_won in zip(self.scores.systems, won, strict=True) if is_won)

    def groups(self, measure: str | Measure | None = None) -> tuple[tuple[str, ...], ...]:
        """Groups of systems: two share one if and only if the tests cannot tell them apart.

        Systems may be in several groups. Each group is from best to worst, the group of the best
        system first; systems without a score are in none. Nothing is given where the tests tell
        systems apart so irregularly that hundreds of groups would be needed.
        """
        tests, row = self._made_tests(), self._row(measure)
        ranking = self.scores.ranking(self.scores.measures[row])
        places = [self._place(system) for system in ranking]
        kept = [i for i in places if not np.isnan(self.scores.values[row, i])]
        found = letter_groups(-np.arange(len(kept)), tests.p[row][np.ix_(kept, kept)], tests.alpha)
        return tuple(tuple(self.scores.systems[kept[i]] for i in group) for group in found)

    def letters(self, measure: str | Measure | None = None) -> dict[str, str]:
        """Letters of the groups that each system is in: those who share one are not told apart.

        After z comes a2, and so on.
        """
        shown: dict[str, str] = dict.fromkeys(self.scores.systems, "")
        for number, group in enumerate(self.groups(measure)):
            turn, letter = divmod(number, len(ascii_lowercase))
            mark = ascii_lowercase[letter] + (str(turn + 1) if turn else "")
            for system in group:
                shown[system] += mark
        return shown

    def group_of_best(self, measure: str | Measure | None = None) -> tuple[str, ...]:
        """The systems that the tests cannot tell from the best one, the best first."""
        chosen = self.primary if measure is None else parse_measure(measure)
        ranking = self.scores.ranking(chosen)
        beaten = self.beats(ranking[0], chosen)
        row = self._row(chosen)
        values = dict(zip(self.scores.systems, self.scores.values[row], strict=True))
        return tuple(s for s in ranking if s not in beaten and not np.isnan(values[s]))

    def signature(self, measure: str | Measure | None = None) -> str:
        """One line that lets another person repeat the numbers."""
        more = []
        if self.intervals is not None:
            i = self.intervals
            kind = f"{i.method}{100 * i.level:g}"
            more += [f"boot:{i.replicates},{kind},{i.over}", f"seed:{i.seed}"]
        if self.tests is not None:
            more.append(f"test:{_SHORT_TESTS[self.tests.name]},{self.tests.trials}")
            if self.intervals is None:
                more.append(f"seed:{self.tests.seed}")
        return self.scores.signature(measure, *more)

    def _place(self, system: str) -> int:
        if system not in self.scores.systems:
            raise InputError(
                f"There is no system {system!r} in this result; there are "
                f"{quoted(self.scores.systems)}."
            )
        return self.scores.systems.index(system)

    def _row(self, measure: str | Measure | None) -> int:
        chosen = self.primary if measure is None else parse_measure(measure)
        if chosen not in self.scores.measures:
            raise InputError(f"{chosen} was not among the measures of this result.")
        return self.scores.measures.index(chosen)

    def table(self, what: str = "main", measure: str | Measure | None = None) -> Any:
        """A table of the result, ready for any format.

        "main" is the leaderboard of several systems, or the measures of one; "pairs" lists all
        pairs of systems; "p", "effect", "difference" and "classical" are matrices of them; "anova"
        is the analysis of variance. `measure` is the primary one by default.
        """
        from .report.tables import table_of

        return table_of(self, what, None if measure is None else parse_measure(measure))

    def _tables(self) -> list[Any]:
        return [self.table()]

    def to_text(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """A table (see `table`) as text."""
        return written("text", [self.table(what, measure)])

    def to_markdown(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """A table (see `table`) as Markdown."""
        return written("markdown", [self.table(what, measure)])

    def to_latex(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """A table (see `table`) as LaTeX with booktabs."""
        return written("latex", [self.table(what, measure)])

    def to_csv(self, what: str = "main", measure: str | Measure | None = None) -> str:
        """A table (see `table`) as CSV at full precision."""
        return written("csv", [self.table(what, measure)])

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one self-contained page; written to a file too if `path` is given."""
        from .report.html import report_html

        text = report_html(self)
        if path is not None:
            from .atomic import write_text

            write_text(path, text)
        return text

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per measure and system, as a data frame of the library in use.

        `backend` is "pandas", "polars" or "pyarrow"; by default the one that is loaded already.
        """
        from .report.tables import long_columns

        return as_frame(long_columns(self), backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        from .serialise import result_to_dict

        return result_to_dict(self)


def load(path: str | Path) -> Any:
    """What `to_json` wrote: a result, a meta-evaluation or a table of axioms."""
    from .serialise import reader

    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InputError(f"{path} cannot be read as a result: {problem}.") from None
    restore = reader(data)
    if restore is None:
        raise InputError(f"{path} is not a result of ordeval; give a file that to_json() wrote.")
    try:
        return restore(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise InputError(
            f"{path} is a result of ordeval, but incomplete or changed by hand "
            f"({type(problem).__name__}: {problem}); write it again with to_json()."
        ) from None
