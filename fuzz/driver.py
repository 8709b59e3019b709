"""Draw cases, check them, make what breaks smaller, and keep it.

A case is a dictionary that JSON can hold, so that it can be saved and replayed. Case i of a
campaign depends on the seed and on i alone: a longer run begins with the cases of a shorter one.
"""

import hashlib
import json
import random
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

Case = dict[str, Any]
CORPUS = Path(__file__).parent / "corpus"
_FEWEST = 3  # cases, although the first one loads libraries, which takes time
_SLOW = 20.0  # seconds of CPU time, for a case that is small by construction
_MOST_BREAKS = 5  # of a campaign, before it stops
_MINIMISING = 10.0  # seconds


class Broken(AssertionError):
    """Something that must not happen did."""


@dataclass(frozen=True)
class Campaign:
    """How cases are drawn and checked.

    `draw` returns a case with a "kind", which is counted; `check` returns what came out in a word
    ("read", "refused", …), and raises `Broken` or anything else if something broke. `share` is the
    part of the time that a campaign gets, compared with others; `shrinks` are the texts and lists
    of a case that are made smaller while it still breaks.
    """

    draw: Callable[[random.Random], Case]
    check: Callable[[Case], str]
    share: float = 1.0
    shrinks: tuple[str, ...] = ()


@dataclass
class Report:
    """What a campaign tried and what broke: pairs of a case and the problem."""

    name: str
    tried: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    breaks: list[tuple[Case, str]] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        def counted(found: Counter[str]) -> str:
            return ", ".join(f"{kind} {n:,}" for kind, n in sorted(found.items()))

        lines = [
            f"{self.name}: {self.tried.total():,} cases in {self.seconds:.0f} s",
            f"  tried: {counted(self.tried)}",
            f"  came out: {counted(self.outcomes)}",
        ]
        for case, problem in self.breaks:
            lines += [f"  BROKE: {problem}", f"    {json.dumps(case)[:2000]}"]
        return "\n".join(lines)


def run(name: str, campaign: Campaign, seconds: float, seed: int, *, keep: bool) -> Report:
    """Run a campaign for some seconds, or until it broke several times."""
    report, start, seen = Report(name), time.monotonic(), set[str]()
    for i in count():
        late = time.monotonic() - start >= seconds
        if (late and i > _FEWEST) or len(report.breaks) >= _MOST_BREAKS:
            break
        case = campaign.draw(random.Random(f"{seed} {name} {i}"))
        outcome, problem = outcome_of(campaign, case)
        report.tried[case["kind"]] += 1
        report.outcomes[outcome] += 1
        if problem and problem not in seen:  # one case of each kind is enough
            seen.add(problem)
            small = _minimised(campaign, case, problem)
            report.breaks.append((small, problem))
            if keep:
                save(name, small, problem)
    report.seconds = time.monotonic() - start
    return report


def outcome_of(campaign: Campaign, case: Case) -> tuple[str, str]:
    """Check a case; return what came out, and the problem, empty if there is none."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            outcome = campaign.check(case)
    except Broken as problem:
        return "broke", str(problem)
    except Exception as problem:  # noqa: BLE001 (any exception is a finding)
        last = traceback.extract_tb(problem.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        return "broke", f"{type(problem).__name__} in {where}: {str(problem)[:200]}"
    spent = time.process_time() - start
    return (outcome, "") if spent < _SLOW else ("slow", f"took over {_SLOW:.0f} s")


def _minimised(campaign: Campaign, case: Case, problem: str) -> Case:
    """Return a case with less in its texts and lists that has the same problem."""
    end, smaller = time.monotonic() + _MINIMISING, True
    while smaller and time.monotonic() < end:
        smaller = False
        for candidate in _reductions(case, campaign.shrinks):
            if time.monotonic() > end:
                break
            if outcome_of(campaign, candidate)[1] == problem:
                case, smaller = candidate, True
                break
    return case


def _reductions(case: Case, keys: Iterable[str]) -> Iterator[Case]:
    """Return cases that lack a part of a text or list, large parts first."""
    for key in keys:
        value = case.get(key) or ""
        step = (len(value) + 1) // 2
        while step:
            for at in range(0, len(value), step):
                yield {**case, key: value[:at] + value[at + step :]}
            step //= 2


def save(name: str, case: Case, problem: str) -> Path:
    """Save a case in the corpus, named after its campaign and its content."""
    content = json.dumps({"problem": problem, "case": case}, indent=1) + "\n"
    path = CORPUS / f"{name}-{hashlib.sha256(json.dumps(case).encode()).hexdigest()[:8]}.json"
    path.write_text(content, encoding="utf-8")
    return path


def saved_cases(names: Sequence[str]) -> list[Path]:
    """Return the files of the corpus of some campaigns."""
    return [path for name in names for path in sorted(CORPUS.glob(f"{name}-*.json"))]


def problem_of(path: Path, campaigns: Mapping[str, Campaign]) -> str:
    """Replay a saved case; return its problem, empty if it is fixed."""
    case = json.loads(path.read_text(encoding="utf-8"))["case"]
    return outcome_of(campaigns[path.name.partition("-")[0]], case)[1]


def replay(paths: Iterable[Path], campaigns: Mapping[str, Campaign]) -> int:
    """Replay saved cases and print those that break; return how many do."""
    problems = {path.name: problem_of(path, campaigns) for path in paths}
    broken = {name: problem for name, problem in problems.items() if problem}
    print(f"corpus: {len(problems)} cases that once broke, {len(broken)} broken")
    for name, problem in broken.items():
        print(f"  BROKE: {name}: {problem}")
    return len(broken)
