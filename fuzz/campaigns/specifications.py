"""Specifications of measures and values of options: an answer or an `InputError`, nothing else."""

import random
import tempfile
from pathlib import Path
from typing import Any

import ordeval as oe
from ordeval import InputError
from ordeval.measures.registry import records

from ..driver import Broken, Case
from .cli import command
from .mutation import HOSTILE, mutated_text

_DATA = "gold,pred,topic\n1,1,a\n2,3,a\n3,3,b\n1,2,b\n2,2,c\n3,1,c\n"
_OPTIONS = {  # some good values of each, which are mutated
    "--labels": ("1..3", "1,2,3", "low,mid,high", "0.5,1,1.5", '"a,b",c', "-2..2"),
    "--values": ("1,2,4", "1..3", "0.5,1,9"),
    "--bins": ("round", "floor", "1.5,2.5"),
    "--na": ("99", ".", "99,.", "NA"),
    "--where": ("topic=a", '"topic"=b', "gold=1"),
    "--measures": ("mae,qwk", "all", "cem", "kappa(weights=linear)"),
    "--undefined": ("skip", "0", "0.5"),
    "--ci": ("0.9", ".95"),
    "--delimiter": (",", "tab", "comma"),
    "--encoding": ("utf-8", "latin-1", "utf-16", "rot13", "hex"),
    "--memory-limit": ("1GB", "500MB", "2 GiB"),
    "--pred": ("pred", "pred,topic"),
    "--topic": ("topic", "pred"),
    "--id": ("topic", "gold,topic"),
}
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 0.5, -0.0, 1e308, 10**18, 10**19, 10**400, 10**5000),
    *("nan", "inf", "-inf", "round", "floor", "skip", "all", "error", "worst", "a", "", "1", "2"),
)
_PARAMETERS = (
    "labels",
    "values",
    "bins",
    "na",
    "missing",
    "undefined",
    "weight",
    "frequency",
)


def draw(rng: random.Random) -> Case:
    """Return a specification, the value of an option, or the value of a parameter in Python."""
    kind = rng.choice(("measure", "measure", "measure", "option", "parameter"))
    if kind == "measure":
        return {"kind": kind, "text": _specification(rng)}
    if kind == "option":
        option = rng.choice(sorted(_OPTIONS))
        return {"kind": kind, "option": option, "text": _damaged(rng.choice(_OPTIONS[option]), rng)}
    return {"kind": kind, "name": rng.choice(_PARAMETERS), "value": _value(rng)}


def _damaged(text: str, rng: random.Random) -> str:
    if rng.random() < 0.1:
        return rng.choice(HOSTILE)
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        text = mutated_text(text, rng)
    return text


def _specification(rng: random.Random) -> str:
    """Return a measure with parameters, right ones and wrong ones."""
    record = rng.choice([*records().values()])
    words = [
        "1",
        "0",
        "-1",
        "1.5",
        "1e3",
        "linear",
        "quadratic",
        "true",
        "None",
        "'a'",
        "[1,2]",
        "[[0,1],[1,0]]",
    ]
    names = [p.name for p in record.parameters] + ["n", "weights", "beta", "x"]
    given = [f"{rng.choice(names)}={rng.choice(words)}" for _ in range(rng.randrange(3))]
    text = f"{record.id}({', '.join(given)})" if given or rng.random() < 0.3 else record.id
    return _damaged(text, rng)


def _value(rng: random.Random, depth: int = 0) -> Any:
    """Return a value that JSON can hold; numbers of thousands of digits as text."""
    kind = rng.random()
    if depth < 2 and kind < 0.4:
        return [_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    if depth < 2 and kind < 0.5:
        return {
            rng.choice(("1", "2", "a")): _value(rng, depth + 1) for _ in range(rng.randrange(3))
        }
    place = rng.randrange(len(_VALUES))
    return {"value": place}


def _python(value: Any) -> Any:
    """Return what a drawn value stands for."""
    if isinstance(value, list):
        return [_python(one) for one in value]
    if isinstance(value, dict) and "value" in value:
        found = _VALUES[value["value"]]
        return float(found) if found in ("nan", "inf", "-inf") else found
    return {key: _python(one) for key, one in value.items()} if isinstance(value, dict) else value


def check(case: Case) -> str:
    """Use what was drawn."""
    return {"measure": _measure, "option": _option, "parameter": _parameter}[case["kind"]](case)


def _measure(case: Case) -> str:
    try:
        found = oe.measure(case["text"])
    except InputError as error:
        return _refused(error)
    if oe.measure(str(found)) != found:
        raise Broken(f"{found} is not read back as itself")
    try:
        oe.score([1, 2, 3, 3], [1, 3, 3, 2], found, labels=[1, 2, 3], undefined=0)
    except InputError as error:
        return _refused(error)
    return "scored"


def _option(case: Case) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_text(_DATA, encoding="utf-8")
        given = [f"{case['option']}={case['text']}"]
        given += [] if case["option"] in ("--labels", "--bins") else ["--labels=1..3"]
        given += [] if case["option"] == "--measures" else ["--measures=mae"]
        code, _ = command(["score", str(path), *given])
    return "answered" if code == 0 else "refused"


def _parameter(case: Case) -> str:
    value = _python(case["value"])
    options: dict[str, Any] = {"labels": [1, 2, 3], case["name"]: value}
    try:
        oe.score([1, 2, 3, 3], [1, 3, 3, 2], "mae", **options)
    except InputError as error:
        return _refused(error)
    return "scored"


def _refused(error: InputError) -> str:
    if len(str(error)) > 2500 or str(error).count("\n") > 20:
        raise Broken(f"a message of {len(str(error)):,} characters")
    return "refused"
