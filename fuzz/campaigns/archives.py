"""Damaged archives: `ordeval.load` refuses them, or returns what can be stored and shown again."""

import json
import random
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import ordeval as oe
from ordeval import InputError

from ..driver import Broken, Case
from .mutation import HOSTILE, mutated_text

_GOLD = [1, 2, 3, 3, 2, 1, 2, 3, 1, 2, 2, 3]
_A = [1, 2, 3, 2, 2, 1, 3, 3, 1, 2, 1, 3]
_B = [2, 2, 3, 3, 1, 1, 2, 1, 1, 3, 2, 3]
_TOPICS = ["x", "x", "x", "x", "y", "y", "y", "y", "z", "z", "z", "z"]
_OTHERS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    10**30,
    "",
    "x",
    [],
    [[]],
    {},
    {"a": 1},
    "Infinity",
)


@cache
def _archives() -> dict[str, str]:
    """Return an archive of every kind as text."""
    options: dict[str, Any] = {"labels": [1, 2, 3], "draws": 50, "measures": "mae, qwk"}
    systems = {"A": _A, "B": _B}
    shares = [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [0.4, 0.3, 0.3]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = {
            "evaluate": oe.evaluate(_GOLD, _A, **options),
            "compare": oe.compare(_GOLD, systems, topic=_TOPICS, **options),
            "quantify": oe.quantify(shares, {"A": shares[::-1], "B": shares}, draws=50),
        }
    return {kind: found.to_json() for kind, found in made.items()}


def draw(rng: random.Random) -> Case:
    """Return the text of a damaged archive."""
    kind = rng.choice(sorted(_archives()))
    text, way = _archives()[kind], rng.choice(("tree", "tree", "tree", "text", "deep", "long"))
    if way == "tree":
        data = json.loads(text)
        for _ in range(rng.choice((1, 1, 2, 5))):
            _damage(data, rng)
        text = json.dumps(data)
    elif way == "text":
        for _ in range(rng.choice((0, 1, 3))):
            text = mutated_text(text, rng)
    else:
        text = _grown(text, way, rng)
    return {"kind": f"{kind} {way}", "text": text}


def _damage(data: Any, rng: random.Random) -> None:
    """Change, remove or add something at a random place of a tree."""
    while True:
        keys = list(data) if isinstance(data, dict) else range(len(data))
        if not keys:
            return
        key = rng.choice(list(keys))
        if isinstance(data[key], (dict, list)) and data[key] and rng.random() < 0.8:
            data = data[key]
            continue
        way = rng.randrange(4)
        if way == 0:
            del data[key]
        elif way == 1 and isinstance(data, dict):
            data[rng.choice(HOSTILE)] = data.pop(key)
        elif way == 2:
            data[key] = rng.choice(HOSTILE)
        else:
            data[key] = json.loads(json.dumps(rng.choice(_OTHERS)))
        return


def _grown(text: str, way: str, rng: random.Random) -> str:
    """Return an archive with a very deep or a very long value."""
    size = rng.choice((100, 1_000, 5_000, 200_000))
    deep = rng.choice((("[", "]"), ('{"a":', "}")))
    value = deep[0] * size + "1" + deep[1] * size if way == "deep" else rng.choice("19") * size
    return rng.choice(
        (text.rstrip()[:-1] + f', "more": {value}}}', value, text.replace("12", value, 1))
    )


def check(case: Case) -> str:
    """Load an archive; what is loaded must be stored and read back as itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        path.write_text(case["text"], encoding="utf-8", errors="surrogatepass")
        try:
            found = oe.load(path)
        except InputError as error:
            if len(str(error)) > 2500:
                raise Broken(f"a message of {len(str(error)):,} characters") from None
            return "refused"
        again = Path(folder) / "again.json"
        found.to_json(again)
        if oe.load(again) != found:
            raise Broken("what was loaded is not read back as itself")
        str(found)
    return "loaded"
