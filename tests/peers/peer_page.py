"""The values of other packages as data, and docs/peers.md: `python tests/peers/peer_page.py`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "peers.md"
Case = dict[str, Any]


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


REASONS: dict[str, str] = read("reasons")
PEERS = {
    path.stem: read(path.stem) for path in sorted(HERE.glob("*.json")) if path.stem != "reasons"
}
CASES = [(peer, case) for peer, data in PEERS.items() for case in data["cases"]]

_INTRODUCTION = """# Values of other packages

Does ordeval give the same values as the packages you know? `tests/peers/` holds {cases} values from
the test suites and docstrings of {packages} packages. ordeval agrees with {agree} of them, digit by
digit as stated, and differs in {differ} for the reasons [below](#where-ordeval-differs).
"""
_METHOD = """
Each case has the input, the value that the package states and where, and our call.
`tests/peers/test_peers.py` computes ours and compares the stated digits; it needs none of the
packages. Where ordeval differs, the reason and its value are on record, and the test fails if the
value changes or becomes theirs. "run" counts the cases where a test states a relation instead of a
number, and the value is what the package returns when run. Some measures are compared through one
that determines them: τ-c and Somers' D are multiples of τ-a, and Fleiss' κ and Scott's π of tables
are linear in Krippendorff's α. "agreement" is a coefficient of several raters by `oe.agreement`,
"se" its standard error. `python tests/peers/peer_page.py` makes this page.
"""
_DIFFERENCES = """## Where ordeval differs

Every case, by reason. "theirs" is the value of the other package (the peer).
"""
_NOT_OFFERED = """## What is not compared

Parts of the same test suites without a counterpart in ordeval, and why.
"""


def page() -> str:
    """Return docs/peers.md."""
    differ = sum("differs" in case for _, case in CASES)
    counts = {"cases": len(CASES), "agree": len(CASES) - differ, "differ": differ}
    introduction = _INTRODUCTION.format(packages=len(PEERS), **counts)
    parts = [introduction, *_counts(), _METHOD, _DIFFERENCES]
    for reason, text in REASONS.items():
        parts += [f"### {reason[0].upper()}{reason[1:]}\n", f"{text}\n", *_differing(reason), ""]
    parts.append(_NOT_OFFERED)
    for data in PEERS.values():
        rows = [f"- {row['what']}: {row['reason']}" for row in data["not_offered"]]
        parts += [f"**{data['package']}**\n", *rows, ""]
    return "\n".join(parts)


def _counts() -> Iterator[str]:
    """Yield a table of the numbers of cases."""
    yield "| package | version | cases | agree | differ | run |\n|---|---|---:|---:|---:|---:|"
    for data in PEERS.values():
        title = f"[{data['package']}]({data['url']}) | {data['version']}"
        yield f"| {title} | {_numbers(data['cases'])} |"
    yield f"| all | | {_numbers([case for _, case in CASES])} |"


def _numbers(cases: list[Case]) -> str:
    differ = sum("differs" in case for case in cases)
    run = sum("obtained" in case for case in cases)
    return " | ".join(map(str, (len(cases), len(cases) - differ, differ, run)))


def _differing(reason: str) -> Iterator[str]:
    """Yield a table of the cases that differ for a reason."""
    yield "| package | stated in | call | theirs | ours |\n|---|---|---|---|---|"
    for peer, case in CASES:
        if case.get("differs", {}).get("reason") == reason:
            says = f" (“{case['says']}”)" if "says" in case else ""
            ours = f"{_ours(case)}: {_shown(case['differs']['ours'])}{says}"
            cells = (case["test"], f"`{case['call']}`", _shown(case["expected"]), ours)
            yield f"| {PEERS[peer]['package']} | {' | '.join(cells)} |"


def _ours(case: Case) -> str:
    """Return our call: the measure or figure and its options."""
    options = (f"{key}={value!r}" for key, value in case.get("options", {}).items())
    return f"`{', '.join((case['ours'], *options))}`"


def _shown(figure: Any) -> str:
    """Return a number with six digits, or a list of numbers."""
    if isinstance(figure, list):
        return f"[{', '.join(map(_shown, figure))}]"
    if isinstance(figure, str):
        return {"nan": "NaN", "error": "an error", "inf": "∞", "any": "…"}[figure]
    return f"{figure:.6g}".replace("-", "−")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
