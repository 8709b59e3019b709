"""Rooms import only from below, without cycles, and `import ordeval` loads nothing heavy."""

import subprocess
import sys
from pathlib import Path

from importlinter.cli import lint_imports

import ordeval

SOURCE = Path(ordeval.__file__).parents[1]
CONTRACTS = Path(__file__).parents[1] / "pyproject.toml"


def test_rooms_import_only_from_the_rooms_below_them() -> None:
    assert lint_imports(str(CONTRACTS), cache_dir=None) == 0


HEAVY = (
    *("pandas", "polars", "pyarrow", "matplotlib", "scipy", "sklearn", "torch", "duckdb"),
    *("narwhals", "click", "rich", "jinja2", "dask", "pyspark"),
)


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after running the code."""
    program = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import ordeval") & set(HEAVY) == set()


def test_scoring_arrays_loads_nothing_heavy() -> None:
    code = (
        "import numpy, ordeval\n"
        "gold, pred = numpy.array([1, 2, 3, 3]), numpy.array([1, 2, 2, 3])\n"
        "[m(gold, pred, undefined=0) for m in ordeval.measures(batched=True)]"
    )
    assert loaded_by(code) & set(HEAVY) == set()
