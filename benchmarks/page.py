"""The page docs/benchmarks.md, made from the results of a run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from .figures import FIGURES, draw
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
    parts = [
        opening(found),
        summary(found["cases"]),
        losses(found["cases"]),
        ratios(found["cases"]),
        figures(),
        *(times(group, found["cases"]) for group in GROUPS),
        calls(found["cases"]),
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


def opening(found: Results) -> str:
    """Return the title and how the figures were made."""
    machine, versions = found["machine"], found["versions"]
    return (
        "# Benchmarks\n\n"
        "What ordeval takes beside what one would use instead, on the same data. A ratio is the "
        "processor time of the other package divided by ours: 10 means that ours takes a tenth of "
        "the time, and 0.5 that the other package takes half of ours. Calls alternate; a short one "
        "is made twice in its turn, and the second is timed. Times are medians, and every ratio "
        "stands beside the largest difference of the values "
        f"(“equal” is at most {EQUAL:g}). Importing, and bringing the data into the form that a "
        "package expects, are not timed. Sizes at which another package would take minutes are "
        "left out for it. Of raters, what is named is timed: `oe.agreement` computes pairs of "
        "raters, figures of single raters and disputed items when they are first used.\n\n"
        f"Measured on {found['date']} with ordeval {versions['ordeval']}, Python "
        f"{machine['python']} and NumPy {versions['NumPy']} on {machine['cores']} cores of "
        f"{machine['processor']} ({machine['system']}), in {found['seconds']:,} seconds. "
        "Made by `python -m benchmarks --write` from [these results](benchmarks.json); "
        '`pip install -e ".[bench]"` installs the other packages. How our own time and memory '
        "grow is on [another page](cost.md)."
    )


def summary(cases: Sequence[Case]) -> str:
    """Return the results in a few sentences."""
    found = list(compared(cases))
    if not found:
        return "No other package was installed."
    of_all = [ratio(case, row) for case, row in found]
    equal = sum(row["difference"] <= EQUAL for _, row in found)
    faster = sum(number > 1 for number in of_all)
    return (
        f"There are {len(found)} comparisons of {len({c['task'] for c, _ in found})} tasks with "
        f"{len({row['package'] for _, row in found})} packages. Ours takes less time in {faster} "
        f"of them; the median ratio is {ratio_text(median(of_all))}. The values are equal in "
        f"{equal}, and differ for a reason that the tables state in {len(found) - equal}."
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
        text + "Of a score of 1,000 labels, or a coefficient of 1,000 ratings, computing the "
        "measure is the smaller part of our time; reading, checking and counting are the rest. Of "
        "few distributions most of it is checking, of which QuaPy does less. torchmetrics gets "
        "tensors with classes from 0 and their number, computes in single precision, and takes "
        "differences for a mean absolute error, for which ours counts a table. Tests over topics "
        "get scores where ours get labels. ppi_py has an interval by a formula, and ours draws "
        "2,000 tables.\n\n" + table("task | package | ours | theirs | ratio", "llrrr", rows)
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
    return "## Ratios\n\n" + table(heads, "llrlrll", rows)


def figures() -> str:
    """Return the figures of the cost."""
    shown = [f"![{figure.alt}](benchmarks/{figure.axis}.svg)" for figure in FIGURES]
    return "## Cost\n\n" + "\n\n".join(shown)


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
    return f"## {group}\n\n" + table(heads, "llrlrrl", rows)


def calls(cases: Sequence[Case]) -> str:
    """Return the calls that were compared."""
    rows: dict[tuple[str, str], tuple[str, str, str]] = {}
    for case, row in compared(cases):
        task = TITLES[case["task"]]
        rows.setdefault((task.name, ""), (task.title, "ordeval", f"`{task.code}`"))
        rows.setdefault((task.name, row["package"]), ("", row["package"], f"`{row['code']}`"))
    return "## Calls\n\n" + table("task | package | call", "lll", list(rows.values()))


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
        + "\n\nMeasures that only other packages have, such as the ranked probability score of "
        "dlordinal and the correlation coefficient of Matthews, are not compared."
    )
