"""What `evaluate`, `compare` and `quantify` give back: figures with names, and no computation.

A `Result` prints as a table, writes itself as JSON (the archive), CSV, Markdown, LaTeX or HTML,
and is read back by `load`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .registry import Measure, parse
from .scoring import Scores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FORMAT = "ordeval-result-1"


@dataclass(frozen=True)
class Intervals:
    """Bootstrap intervals: every array is `[measure, system]`."""

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
    `residual_variance` `[measure]` is V_E2 of the two-way analysis of variance.
    """

    p: Floats
    difference: Floats
    effect: Floats
    residual_variance: Floats
    name: str
    trials: int
    alpha: float
    seed: int


@dataclass(frozen=True)
class Result:
    """Scores of systems, with intervals and tests where they were asked for.

    `tables` are the pooled counts `[system, gold, predicted]` of classification data;
    `shares` are the mean distributions of quantification data, gold first: `[1 + system, K]`.
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
        if self.tests is None:
            raise InputError("No tests were made; use compare(...) with two or more systems.")
        row = self._row(measure)
        names = self.scores.systems
        return float(self.tests.p[row, names.index(a), names.index(b)])

    def beats(self, system: str, measure: str | Measure | None = None) -> tuple[str, ...]:
        """The systems that `system` beats significantly."""
        if self.tests is None:
            return ()
        row, names = self._row(measure), self.scores.systems
        place, sign = names.index(system), self.scores.measures[self._row(measure)].sign
        better = sign * self.tests.difference[row, place] > 0
        won = better & (self.tests.p[row, place] < self.tests.alpha)
        return tuple(name for name, is_won in zip(names, won, strict=True) if is_won)

    def group_of_best(self, measure: str | Measure | None = None) -> tuple[str, ...]:
        """The systems that the tests cannot tell from the best one, the best first."""
        chosen = self.primary if measure is None else parse(measure)
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
            more.append(f"test:{self.tests.name.split(' ')[0]},{self.tests.trials}")
            if self.intervals is None:
                more.append(f"seed:{self.tests.seed}")
        return self.scores.signature(measure, *more)

    def _row(self, measure: str | Measure | None) -> int:
        chosen = self.primary if measure is None else parse(measure)
        if chosen not in self.scores.measures:
            raise InputError(f"{chosen} was not among the measures of this result.")
        return self.scores.measures.index(chosen)

    def table(self) -> Any:
        """The main table: a leaderboard of several systems, or the measures of one."""
        from .report.tables import main_table

        return main_table(self)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from .report.formats import to_html

        return to_html(self.table())

    def to_text(self) -> str:
        """The main table as text."""
        return self._write("text")

    def to_markdown(self) -> str:
        """The main table as Markdown."""
        return self._write("markdown")

    def to_latex(self) -> str:
        """The main table as LaTeX with booktabs."""
        return self._write("latex")

    def to_csv(self) -> str:
        """The main table as CSV at full precision."""
        return self._write("csv")

    def _write(self, style: str) -> str:
        from .report.formats import FORMATS

        return FORMATS[style](self.table())

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per measure and system, as a data frame of the library in use.

        `backend` is "pandas", "polars" or "pyarrow"; by default the one that is loaded already.
        """
        from .report.tables import long_columns

        return as_frame(long_columns(self), backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        from .archive import result_to_dict

        return result_to_dict(self)

    def to_json(self, path: str | Path | None = None) -> str:
        """Everything, at full precision; written to a file too if `path` is given."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        if path is not None:
            from .files import write_text

            write_text(path, text)
        return text


def load(path: str | Path) -> Result:
    """The result that `to_json` wrote."""
    from .archive import result_from_dict

    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InputError(f"{path} cannot be read as a result: {problem}.") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{path} is not a result of ordeval; give a file that to_json() wrote.")
    return result_from_dict(data)


def as_frame(columns: Mapping[str, list[Any]], backend: str | None = None) -> Any:
    """Columns as a data frame of a library that is installed."""
    import sys

    import narwhals as nw

    known = ("pandas", "polars", "pyarrow")
    if backend is not None and backend not in known:
        raise InputError(f"backend={backend!r} is not known; it is one of {', '.join(known)}.")
    loaded = [name for name in known if name in sys.modules]
    choices: list[Any] = [backend] if backend else [*loaded, *known]
    for name in choices:
        try:
            return nw.from_dict(dict(columns), backend=name).to_native()
        except ImportError:
            continue
    raise InputError(f"No data-frame library is installed; install one of {', '.join(known)}.")
