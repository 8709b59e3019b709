"""What the data are like, and what to mind."""

import shlex
from dataclasses import dataclass

import numpy as np

from ..errors import quoted
from ..results import Result
from .views import Bar


@dataclass(frozen=True)
class Check:
    """A finding about the data: `level` is "ok", "note" or "warning"."""

    level: str
    text: str


def data_checks(result: Result) -> list[Check]:
    """What was checked, what was found, and every notice of the result."""
    found = [Check("warning", notice) for notice in result.notices]
    found += [*_gold_checks(result), *_system_checks(result), *_topic_checks(result)]
    if not result.scores.undefined.any():
        found.append(Check("ok", "Every score is defined."))
    return found


def _gold_checks(result: Result) -> list[Check]:
    if result.tables is None:
        return []
    gold = result.tables[0].sum(axis=1)
    if not gold.all():
        return []  # the notices name the empty classes
    least = int(np.argmin(gold))
    label = result.scores.scale.labels[least]
    share = gold[least] / gold.sum()
    found = [Check("ok", "Every class occurs in gold.")]
    items = "item" if gold[least] == 1 else "items"
    if gold[least] < 10:
        found.append(
            Check(
                "note",
                f"Class {label} has only {gold[least]:,.10g} gold {items} "
                f"({100 * share:.2g} %): figures for it are rough.",
            )
        )
    return found


def _system_checks(result: Result) -> list[Check]:
    if result.tables is None:
        return []
    used = (result.tables.sum(axis=1) > 0).sum(axis=1)
    systems = result.scores.systems
    constant = [s for s, n in zip(systems, used, strict=True) if n == 1]
    if constant:
        give = "gives" if len(constant) == 1 else "give"
        return [
            Check(
                "warning",
                f"{quoted(constant)} always {give} the same class: measures that correct for "
                "chance score this at 0 or below, or not at all.",
            )
        ]
    one = len(systems) == 1
    who = "The system does not give" if one else "No system gives"
    return [Check("ok", f"{who} the same class everywhere.")]


def _topic_checks(result: Result) -> list[Check]:
    count = len(result.scores.topics)
    if 1 < count < 20 and result.scores.aggregate == "mean":
        return [
            Check(
                "note",
                f"There are only {count} topics: intervals and tests over so few "
                "are rough, and few differences can be found.",
            )
        ]
    return []


def gold_bars(result: Result) -> tuple[Bar, ...]:
    """How often each class occurs in gold."""
    if result.tables is None:
        return ()
    gold = result.tables[0].sum(axis=1)
    total = float(gold.sum()) or 1.0
    return tuple(
        Bar(str(label), f"{n:,.10g} ({100 * n / total:.1f} %)", round(float(n / total), 4))
        for label, n in zip(result.scores.scale.labels, gold, strict=True)
    )


def python_call(result: Result) -> str:
    """The call that repeats a result, with names standing for the data."""
    name = {"quantification": "quantify", "comparison": "compare"}.get(result.kind, "evaluate")
    gold, systems = ("p_true", "p_pred") if name == "quantify" else ("y_true", "y_pred")
    lines = [f"{gold}, {systems},", f"labels={list(result.scores.scale.labels)!r},"]
    if result.scores.scale.values is not None:
        lines.append(f"values={list(result.scores.scale.values)!r},")
    if result.scores.topics:
        lines.append("topics=topics,")
    lines.append(f"measures={', '.join(map(str, result.scores.measures))!r},")
    lines.append(f"primary={str(result.primary)!r},")
    lines += _settings(result, name)
    body = "\n".join(f"    {line}" for line in lines)
    return f'import ordeval as oe\n\noe.{name}(\n{body}\n).to_html("report.html")'


def _settings(result: Result, name: str) -> list[str]:
    lines = []
    if name != "quantify" and result.scores.topics:
        lines.append(f"aggregate={result.scores.aggregate!r},")
    if result.scores.replaced is not None:
        lines.append(f"undefined={result.scores.replaced!r},")
    found, tests = result.intervals, result.tests
    lines.append(f"bootstrap={found.replicates if found else 0},")
    if found is not None:
        lines.append(f"ci={found.level:g}, method={found.method!r},")
        lines += [f"over={found.over!r},"] if name != "quantify" else []
    if tests is not None:
        lines.append(f"trials={tests.trials}, alpha={tests.alpha:g},")
    seed = found.seed if found else tests.seed if tests else 0
    return [*lines, f"rng={seed},"]


def command_line(result: Result) -> str:
    """The command that makes such a report, with file names to be filled in."""
    name = {"quantification": "quantify", "comparison": "compare"}.get(result.kind, "score")
    files = "GOLD RUN…" if name == "quantify" else "DATA"
    parts = [f"ordeval {name} {files}"]
    if result.scores.topics and name != "quantify":
        parts.append("--topic TOPIC")
    given = {**_scale_options(result), **_statistics_options(result, name), "html": "report.html"}
    parts += [f"--{key}={shlex.quote(value)}" for key, value in given.items()]
    return " \\\n  ".join(parts)


def _scale_options(result: Result) -> dict[str, str]:
    scores = result.scores
    found = {"labels": ",".join(map(str, scores.scale.labels))}
    if scores.scale.values is not None:
        found["values"] = ",".join(f"{v:.10g}" for v in scores.scale.values)
    found["measures"] = ", ".join(map(str, scores.measures))
    found["primary"] = str(result.primary)
    if scores.replaced is not None:
        found["undefined"] = str(scores.replaced)
    return found


def _statistics_options(result: Result, name: str) -> dict[str, str]:
    intervals, tests = result.intervals, result.tests
    found = {"bootstrap": str(intervals.replicates if intervals else 0)}
    if intervals is not None:
        found |= {"ci": f"{intervals.level:g}", "method": intervals.method}
    if name != "quantify" and result.scores.topics:
        found["aggregate"] = result.scores.aggregate
    if name != "quantify" and intervals is not None:
        found["over"] = intervals.over
    if tests is not None:
        found |= {"trials": str(tests.trials), "alpha": f"{tests.alpha:g}"}
    seed = intervals.seed if intervals else tests.seed if tests else 0
    return {**found, "seed": str(seed)}
