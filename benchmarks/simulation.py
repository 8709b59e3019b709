"""What the simulations share: options, processes, and the tables of pages.

A page of docs is written by hand but for its tables: `--write` replaces the one that follows
`<!-- table: NAME -->` by the figures of that name. Every case draws from a stream of its own, so
that figures depend on the seed and not on the processes.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Case = TypeVar("Case")
Tables = Iterable[tuple[str, str]]
DOCS = Path(__file__).resolve().parents[1] / "docs"


def stream(*keys: object) -> np.random.Generator:
    """Return the random numbers that belong to a seed and a case."""
    return np.random.default_rng(list(map(ord, "|".join(map(str, keys)))))


def each(
    work: Callable[[argparse.Namespace, Case], Any],
    cases: Iterable[Case],
    options: argparse.Namespace,
) -> Iterator[Any]:
    """Yield what ``work(options, case)`` returns for every case, in their order."""
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        yield from pool.map(partial(work, options), cases)


def covers(low: Any, high: Any, truth: Any) -> Floats:
    """Return 1 where an interval contains the truth, up to rounding, and 0 elsewhere."""
    slack = 1e-9 * np.maximum(1.0, np.abs(truth))
    return ((low - slack <= truth) & (truth <= high + slack)).astype(np.float64)


def percent(share: float, digits: int = 1) -> str:
    """Return a share in per cent; a dash where there is none."""
    return "–" if np.isnan(share) else f"{100 * share:.{digits}f}"


def mean_and_least(shares: Floats, digits: int = 1) -> str:
    """Return the mean of shares in per cent, and the lowest of them in parentheses."""
    return f"{percent(float(shares.mean()), digits)} ({percent(float(shares.min()), digits)})"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; columns but the first are aligned to the right."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def publish(doc: str, page: str, tables: Callable[[argparse.Namespace], Tables], **numbers: int):
    """Read the options, simulate, print tables as they come, and with --write put them in a page.

    Parameters
    ----------
    doc : str
        What the simulation is about; the first line is the description.
    page : str
        The page of docs that holds the tables.
    tables : callable
        A function from the options to pairs of the name and the text of a table.
    **numbers : int
        Options, such as the number of runs, with their defaults.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    for name, default in {**numbers, "seed": 0, "processes": 2}.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=int, default=default, help=f"({default})"
        )
    parser.add_argument("--only", default="", help="make only tables whose name contains this")
    parser.add_argument("--write", action="store_true", help=f"put the tables in docs/{page}")
    options = parser.parse_args()
    for name, text in tables(options):
        if options.only not in name:
            continue
        print(f"{name}\n\n{text}\n", flush=True)
        if options.write:
            replace(DOCS / page, name, text)


def published(page: str, name: str) -> list[list[str]]:
    """Return the rows of a table that a page holds, headings first."""
    found = re.search(
        rf"<!-- table: {re.escape(name)} -->\n\n((?:\|.*\n)+)", (DOCS / page).read_text("utf-8")
    )
    if not found:
        raise LookupError(f"{page} has no table {name!r}")
    heads, _, *rows = found[1].splitlines()
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in (heads, *rows)]


def replace(path: Path, name: str, text: str) -> None:
    """Replace the table of a name in a page."""
    start, mark, rest = path.read_text(encoding="utf-8").partition(f"<!-- table: {name} -->\n")
    if not mark:
        raise LookupError(f"{path} has no place for the table {name!r}")
    after = re.sub(r"\A\n*(?:\|.*\n)*\n*", "", rest)
    end = f"\n\n{after}" if after else "\n"
    path.write_text(f"{start}{mark}\n{text}{end}", encoding="utf-8")
