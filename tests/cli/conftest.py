"""The real command on real files, in a directory of its own."""

from pathlib import Path

import pytest

from cli_files import (
    GOLD,
    GOLD_SHARES,
    LONG_RATINGS,
    RATINGS,
    RUN_A,
    RUN_B,
    RUN_SHARES,
    TABLE,
    Done,
    Ordeval,
    write_files,
)
from ordeval.cli import main


@pytest.fixture
def ordeval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ordeval:
    """Runs `ordeval ARGS...` in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("ORDEVAL_DEBUG", raising=False)

    def run(*args: str) -> Done:
        capsys.readouterr()
        code = main(args)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A directory with a table, gold with two runs, distributions and ratings."""
    write_files(
        tmp_path,
        {
            "table.csv": TABLE,
            "gold.csv": GOLD,
            "a.csv": RUN_A,
            "b.csv": RUN_B,
            "shares.csv": GOLD_SHARES,
            "run.csv": RUN_SHARES,
            "ratings.csv": RATINGS,
            "long-ratings.csv": LONG_RATINGS,
        },
    )
    return tmp_path
