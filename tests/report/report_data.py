"""Results to be shown: made once, small, with known outcomes."""

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

import ordeval as oe

HOSTILE = "<img src=x onerror=document.title='hacked'>"
MATHS = r"$\frac{1}{2}$ & 系统"
UNDERSCORE = "_under"
LONG = "a very long name of a system that goes on and on " * 4
INJECTIONS = (
    "</script><script>window.hacked=1</script>",
    "\"><svg onload=window.hacked=1><a href='javascript:window.hacked=1'>x</a>",
    "</title></style><style>*{display:none}</style><base href=http://localhost:9/>",
    "<iframe src=http://localhost:9/></iframe><meta http-equiv=refresh content=0;url=http://x/>",
    "<!-- ]]> {{ 7*7 }} {% raw %} &lt;b&gt; ${1} `x` \u2028 \x00 \x1b[31m \ud800",
)
QUICK: dict[str, Any] = {"draws": 60, "trials": 200}


def labels_of(
    names: Sequence[str], topics: int, items: int, k: int = 5, seed: int = 0
) -> tuple[list[int], dict[str, list[int]], list[str]]:
    """Gold labels, predictions of ever worse systems, and topics."""
    rng = np.random.default_rng(seed)
    size = topics * items
    gold = np.clip(np.rint(rng.normal(k / 2 + 0.5, 1.2, size)), 1, k).astype(int)
    guesses = {}
    for i, name in enumerate(names):
        off = np.rint(rng.normal(0, 0.35 + 0.12 * i, size)).astype(int)
        guesses[name] = np.clip(gold + off, 1, k).tolist()
    return gold.tolist(), guesses, [f"topic {t}" for t in np.repeat(np.arange(topics), items)]


def compared(
    names: Sequence[str] = ("alpha", "beta", "gamma", "delta"),
    topics: int = 20,
    items: int = 30,
    k: int = 5,
    **options: Any,
) -> oe.Result:
    """A comparison of systems, the first one best."""
    gold, guesses, topic = labels_of(names, topics, items, k)
    given = {**QUICK, "labels": range(1, k + 1), "topic": topic, "undefined": 0.0, **options}
    return oe.compare(gold, guesses, **given)


def hostile() -> oe.Result:
    """Names and labels that mean something to browsers, LaTeX and matplotlib."""
    gold, guesses, topic = labels_of((HOSTILE, MATHS, UNDERSCORE, LONG, *INJECTIONS), 12, 30)
    words = ["<b>low</b>", "$m_1$", "a & b", "</script><script>alert(1)</script>", "top"]
    return oe.compare(
        [words[g - 1] for g in gold],
        {name: [words[p - 1] for p in guess] for name, guess in guesses.items()},
        labels=words,
        topic=[f"{INJECTIONS[0]}{t}" for t in topic],
        undefined=0.0,
        **QUICK,
    )


TEXTS = (HOSTILE, "short", "long " * 100, "</script><script>document.title='hacked'</script>")


def with_texts(names: Sequence[str] = ("alpha", HOSTILE, "gamma"), **options: Any) -> oe.Result:
    """A comparison of systems whose page shows items."""
    gold, guesses, _ = labels_of(names, 10, 30)
    given = {
        **QUICK,
        "labels": range(1, 6),
        "text": [f"{i}: {TEXTS[i % len(TEXTS)]}" for i in range(len(gold))],
        "id": [f"doc <{i}>" for i in range(len(gold))],
        **options,
    }
    return oe.compare(gold, guesses, **given)


def quantified() -> oe.Result:
    """Estimates of distributions, the first system best."""
    rng = np.random.default_rng(1)
    gold = rng.dirichlet(np.ones(5), size=25)
    noisy = {
        name: (1 - share) * gold + share * rng.dirichlet(np.ones(5), size=25)
        for name, share in (("near", 0.1), ("middling", 0.3), ("far", 0.8))
    }
    return oe.quantify(gold, noisy, labels=["a", "b", "c", "d", "e"], **QUICK)


def meta(**options: Any) -> Any:
    """A meta-evaluation of a few measures."""
    from ordeval.meta import AMIGO_REFERENCE, ScoreMatrices, meta_evaluate

    gold, guesses, topic = labels_of([f"system {i}" for i in range(6)], 24, 20)
    counts = oe.Counts.from_labels(gold, guesses, labels=range(1, 6), topic=topic)
    measures = "kappa, alpha, cem, mae, accuracy"
    scores = ScoreMatrices.from_counts(counts, measures, undefined=0.0)
    reference = ScoreMatrices.from_counts(counts, AMIGO_REFERENCE, undefined=0.0)
    given: dict[str, Any] = {"splits": 40, "trials": 100, "rng": 0, **options}
    return meta_evaluate(scores, reference, **given)


def held(page: str) -> dict[str, Any]:
    """The items that a page holds."""
    found = re.search(r'id="items-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1]))
