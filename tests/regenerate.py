"""Write the files that are generated from measures: `python tests/regenerate.py`.

- tests/core/golden_scores.json: every measure in every variant on tables that papers print. The
  scores come from the slow definitions in tests/oracles.py, never from the package.
- docs/measures.md and docs/cli.md: from the records and the help pages.

Read the difference before you commit it: scores that existed must not change.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "core")]

from core_tables import all_measures, by_definition  # noqa: E402

import documents as docs  # noqa: E402
import oracles  # noqa: E402

GOLDEN = HERE / "core" / "golden_scores.json"
TABLES = {
    "CM1": ("Cardoso & Sousa 2011, Table 2", [[2, 0, 1], [1, 1, 0], [2, 1, 2]]),
    "C": (
        "Silva et al. 2018, Table I",
        [[0, 0, 4, 0], [0, 0, 6, 0], [0, 0, 5, 0], [0, 0, 0, 3]],
    ),
    "Wine kNN": (
        "Silva et al. 2018, Table II",
        [
            [0, 0, 0, 1, 0, 0],
            [2, 2, 4, 9, 0, 0],
            [2, 6, 130, 48, 9, 0],
            [0, 6, 44, 127, 22, 1],
            [0, 0, 1, 18, 39, 3],
            [0, 0, 0, 1, 4, 1],
        ],
    ),
}
LISTABLE_K = 4  # beyond it, the sets of cells of oc_general are too many to list


def number(score: float) -> float | None:
    return None if math.isnan(score) else score


def of_table(table: list[list[int]]) -> dict[str, float | None]:
    return {
        measure.specification: number(by_definition(measure, table))
        for measure in all_measures("classification", len(table))
        if measure.record.batched or len(table) <= LISTABLE_K
    }


def of_marginals(table: list[list[int]]) -> dict[str, Any]:
    """Distances from the predicted to the gold marginal."""
    total = sum(map(sum, table))
    p = [sum(column) / total for column in zip(*table, strict=True)]
    q = [sum(row) / total for row in table]
    return {
        m.specification: number(oracles.QUANTIFICATION_ORACLES[m.id](p, q, **m.params))
        for m in all_measures("quantification", len(table))
    }


def golden_scores() -> str:
    """The text of golden_scores.json."""
    golden = {
        name: {
            "source": source,
            "table": table,
            "scores": of_table(table),
            "distances": of_marginals(table),
        }
        for name, (source, table) in TABLES.items()
    }
    return json.dumps(golden, indent=1) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(golden_scores(), encoding="utf-8")
    docs.main([str(HERE.parent / "docs")])
