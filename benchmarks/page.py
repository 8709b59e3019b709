"""The page docs/benchmarks.md, made from the results of a run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from .figures import FIGURES, CostFigure, draw
from .peers import PACKAGES
from .rows import EQUAL, agreement_text, ratio, ratio_text, size_text, time_text
from .tasks import GROUPS, TASKS

Case = Mapping[str, Any]
Results = Mapping[str, Any]
TITLES = {task.name: task for task in TASKS}


def write_page(found: Results, folder: Path) -> None:
    """Write the page and its figures."""
    (folder / "benchmarks").mkdir(exist_ok=True)
    for figure in FIGURES:
        draw(figure, found["cases"], folder / "benchmarks" / f"{figure.axis}.svg")
    (folder / "benchmarks.md").write_text(page(found), "utf-8")


def page(found: Results) -> str:
    """Return the page."""
    first, *others = map(figure_text, FIGURES)
    parts = [
        "# Benchmarks",
        summary(found["cases"]),
        first,
        "CPU time against the number of items; lower is faster. Both axes are logarithmic.",
        ratios(found["cases"]),
        losses(found["cases"]),
        "## More figures",
        *others,
        *(times(group, found["cases"]) for group in GROUPS),
        calls(found["cases"]),
        method(found),
        packages(found),
    ]
    return "\n\n".join(parts) + "\n"


def compared(cases: Sequence[Case]) -> Iterator[tuple[Case, Mapping[str, Any]]]:
    """Yield every comparison that was made."""
    for case in cases:
        for row in case["peers"]:
            if "problem" not in row:
                yield case, row


def table(heads: str, align: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    marks = ["---:" if letter == "r" else "---" for letter in align]
    lines = [heads.split("|"), marks, *rows]
    return "\n".join("| " + " | ".join(cell.strip() for cell in line) + " |" for line in lines)


def folded(heading: str, text: str) -> str:
    """Return a part of the page that opens on a click."""
    return f'<details markdown="1">\n<summary>{heading}</summary>\n\n{text}\n\n</details>'


def summary(cases: Sequence[Case]) -> str:
    """Return what is compared, and the results in a few sentences."""
    text = (
        "Run times of ordeval and of the packages you would otherwise use, on the same data. How "
        "its own time and memory grow is on [another page](cost.md)."
    )
    found = list(compared(cases))
    if not found:
        return f"{text}\n\nNo other package was installed."
    of_all = [ratio(case, row) for case, row in found]
    equal = sum(row["difference"] <= EQUAL for _, row in found)
    faster = sum(number > 1 for number in of_all)
    return (
        f"{text}\n\nordeval is faster in {faster} of {len(found)} comparisons "
        f"({len({c['task'] for c, _ in found})} tasks, "
        f"{len({row['package'] for _, row in found})} packages); in the median comparison "
        f"the other package takes {ratio_text(median(of_all))} times as long. Values are "
        f"equal in {equal} comparisons; in the other {len(found) - equal} the tables say why they "
        "differ."
    )


def title(case: Case) -> str:
    """Return a task with its size."""
    return f"{TITLES[case['task']].title}: {size_text(case['size'])}"


def values_text(task: str, row: Mapping[str, Any]) -> str:
    """Return how far values are from ours, and which values these are."""
    compared = TITLES[task].compared
    return agreement_text(row) + (f" ({compared})" if compared else "")


def losses(cases: Sequence[Case]) -> str:
    """Return where other packages are faster."""
    rows = [
        (title(case), row["package"], time_text(case["cpu"]), time_text(row["cpu"]),
         ratio_text(ratio(case, row)))
        for case, row in sorted(compared(cases), key=lambda pair: ratio(*pair))
        if ratio(case, row) < 1
    ]  # fmt: skip
    text = "## Where other packages are faster\n\n"
    if not rows:
        return text + "In no comparison."
    return (
        text + "Small inputs and formulas without simulation:\n\n"
        "- A score of 1,000 labels or a coefficient of 1,000 ratings takes ordeval longer to read, "
        "check and count than to compute.\n"
        "- QuaPy checks less, which matters for a few distributions.\n"
        "- torchmetrics gets tensors with classes from 0 and their number, and computes in single "
        "precision. For a mean absolute error it takes differences, where ordeval counts a table.\n"
        "- SciPy's tests over topics get scores, where ordeval gets labels.\n"
        "- ppi_py has an interval by a formula, where ordeval draws 2,000 tables.\n\n"
        + table("task | package | ours | theirs | ratio", "llrrr", rows)
    )


def ratios(cases: Sequence[Case]) -> str:
    """Return one table of ratios: every task and package, at the smallest and the largest size."""
    by_pair: dict[tuple[str, str], list[tuple[Case, Mapping[str, Any]]]] = {}
    for case, row in compared(cases):
        by_pair.setdefault((case["task"], row["package"]), []).append((case, row))
    rows = []
    for (task, package), found in by_pair.items():
        first, last = found[0], found[-1]
        worst = max((row for _, row in found), key=lambda row: row["difference"])
        large = (
            (ratio_text(ratio(*last)), size_text(last[0]["size"])) if last != first else ("", "")
        )
        small = ratio_text(ratio(*first)), size_text(first[0]["size"])
        rows.append((TITLES[task].title, package, *small, *large, values_text(task, worst)))
    heads = "task | package | ratio | at | ratio | at | values"
    return (
        "## How many times as long the others take\n\n"
        "A ratio of 10 means that the other package takes ten times as long, 0.5 that it takes "
        "half as long. Ratios are given at the smallest and the largest size. “values” is the "
        f"largest difference between the results; “equal” is at most {EQUAL:g}.\n\n"
        + table(heads, "llrlrll", rows)
    )


def figure_text(figure: CostFigure) -> str:
    """Return a figure of the cost."""
    return f"![{figure.alt}](benchmarks/{figure.axis}.svg)"


def times(group: str, cases: Sequence[Case]) -> str:
    """Return all times of a group of tasks."""
    rows = []
    for case in cases:
        task = TITLES[case["task"]]
        if task.group != group:
            continue
        lead = (task.title, size_text(case["size"]), time_text(case["cpu"]))
        for row in case["peers"]:
            if "problem" in row:
                rows.append((*lead, row["package"], "", "", f"failed: {row['problem']}"))
                continue
            figure = time_text(row["cpu"]), ratio_text(ratio(case, row))
            rows.append((*lead, row["package"], *figure, values_text(task.name, row)))
        if not case["peers"]:
            rows.append((*lead, "", "", "", ""))
    heads = "task | size | ours | package | theirs | ratio | values"
    return f"## {group}\n\n" + folded("All times", table(heads, "llrlrrl", rows))


def calls(cases: Sequence[Case]) -> str:
    """Return the calls that were compared."""
    rows: dict[tuple[str, str], tuple[str, str, str]] = {}
    for case, row in compared(cases):
        task = TITLES[case["task"]]
        rows.setdefault((task.name, ""), (task.title, "ordeval", f"`{task.code}`"))
        rows.setdefault((task.name, row["package"]), ("", row["package"], f"`{row['code']}`"))
    heads = "task | package | call"
    return "## Calls\n\n" + folded("What was timed", table(heads, "lll", list(rows.values())))


def method(found: Results) -> str:
    """Return how times were measured."""
    machine, versions = found["machine"], found["versions"]
    return (
        "## How it was measured\n\n"
        "Times are medians of processor time. Calls of the packages alternate; a short call is "
        "made twice in its turn, and the second one is timed. Imports are not timed, nor is "
        "bringing the data into the form that a package expects. A package is left out at sizes "
        "where it would take minutes. `oe.agreement` computes pairs, figures of single raters and "
        "disputed items when they are first used, so they are not part of its times.\n\n"
        f"Measured on {found['date']} with ordeval {versions['ordeval']}, Python "
        f"{machine['python']} and NumPy {versions['NumPy']} on {machine['cores']} cores of "
        f"{machine['processor']} ({machine['system']}), in {found['seconds']:,} seconds. "
        "`python -m benchmarks --write` repeats it and writes [these results](benchmarks.json); "
        '`pip install -e ".[bench]"` installs the other packages.'
    )


def packages(found: Results) -> str:
    """Return the versions of the packages, and which were left out."""
    rows = []
    for name in PACKAGES:
        note = found["missing"].get(name, "")
        if name in found["apart"]:
            note = f"in an environment of its own: {found['apart'][name]}"
        version = found["versions"].get(name, "")
        rows.append((name, version, f"left out: {note}" if name in found["missing"] else note))
    return (
        "## Packages\n\n"
        + table("package | version | note", "lll", rows)
        + "\n\nMeasures that only other packages have, such as the Matthews correlation "
        "coefficient, are not compared."
    )
