"""Every public function and method that takes a measure takes it under any of its names."""

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

import ordeval as oe
from ordeval.cli import main
from ordeval.measures.registry import records
from ordeval.results import Report

mpl.use("Agg")

NAMES = ("measure", "measures", "primary", "spec")
FULL = "kappa(weights='quadratic')"
GOLD = [1, 2, 3, 1, 2, 3, 2, 2, 3, 1, 1, 3]
SYSTEMS = {
    "a": [1, 2, 3, 1, 2, 2, 2, 2, 3, 1, 1, 3],
    "b": [1, 2, 2, 1, 1, 3, 2, 1, 3, 1, 2, 2],
    "c": [3, 2, 1, 2, 1, 3, 2, 3, 3, 1, 2, 1],
}
TOPICS = list("sssstttuuuuu")
SHARES = {"a": [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], "b": [[0.3, 0.3, 0.4], [0.3, 0.3, 0.4]]}
QUICK: dict[str, Any] = {"labels": [1, 2, 3], "bootstrap": 0}
FRAME = pl.DataFrame({"gold": GOLD, **SYSTEMS})


@cache
def result() -> oe.Result:
    return oe.compare(
        GOLD, SYSTEMS, topic=TOPICS, measures=f"mae, {FULL}", differences=True,
        labels=[1, 2, 3], bootstrap=20, trials=20,
    )  # fmt: skip


@cache
def counts() -> oe.Counts:
    return oe.Counts.from_labels(GOLD, SYSTEMS, topic=TOPICS, labels=[1, 2, 3])


def scores(measures: Any = f"mae, {FULL}") -> Any:
    return oe.meta.ScoreMatrices.from_counts(counts(), measures)


def shares(measures: Any) -> Any:
    gold = np.asarray(SHARES["a"])
    read = oe.Shares.read(gold, SHARES, size=[10, 10])
    return oe.meta.ScoreMatrices.from_shares(read, measures)


@cache
def axiom_table() -> Any:
    return oe.meta.axioms([FULL], "imbalance")


PEOPLE = {"gold": GOLD, "a": SYSTEMS["a"], "b": SYSTEMS["b"]}


@cache
def judgement() -> oe.Judgement:
    return oe.judge(PEOPLE, {"c": SYSTEMS["c"]}, measures=f"mae, {FULL}", **QUICK)


CALLS: dict[str, Callable[[Any], Any]] = {
    "judge": lambda m: oe.judge(PEOPLE, {"c": SYSTEMS["c"]}, measures=m, primary=m, **QUICK).scores,
    "judge of a frame": lambda m: (
        oe.judge(
            data=FRAME, people=["gold", "a", "b"], models=["c"], measures=m, primary=m, **QUICK
        ).scores
    ),
    "Judgement.ceiling": lambda m: judgement().ceiling(m),
    "Judgement.signature": lambda m: judgement().signature(m),
    "Agreement.signature": lambda m: oe.agreement(np.stack([GOLD, SYSTEMS["a"]], 1)).signature(m),
    "Judgement.ranking": lambda m: judgement().ranking(m),
    "Judgement.standing": lambda m: judgement().standing("c", m),
    "Judgement.table": lambda m: str(judgement().table("main", m)),
    "plot.ceiling": lambda m: oe.plot.ceiling(judgement(), m).get_xlabel(),
    "plot.rater_matrix": lambda m: oe.plot.rater_matrix(
        oe.judge(PEOPLE, {"c": SYSTEMS["c"]}, measures=FULL, **QUICK), m
    ).get_title(),
    "compare": lambda m: oe.compare(GOLD, SYSTEMS, measures=m, primary=m, trials=9, **QUICK),
    "evaluate": lambda m: oe.evaluate(GOLD, SYSTEMS, measures=[m], primary=m, **QUICK),
    "compare_frame": lambda m: oe.compare_frame(
        FRAME, measures=m, primary=m, trials=9, **QUICK
    ).scores.values.tolist(),
    "evaluate_frame": lambda m: oe.evaluate_frame(
        FRAME, measures=m, primary=m, **QUICK
    ).scores.values.tolist(),
    "measure": oe.measure,
    "score": lambda m: oe.score(GOLD, SYSTEMS["a"], m, labels=[1, 2, 3]),
    "scorer": lambda m: repr(oe.scorer(m, labels=[1, 2, 3])),
    "meta.axioms": lambda m: oe.meta.axioms(m, "imbalance").measures,
    "meta.AxiomTable.of": lambda m: axiom_table().of(m, "imbalance"),
    "meta.AxiomTable.satisfied": lambda m: axiom_table().satisfied(m),
    "meta.ScoreMatrices.from_counts": lambda m: scores(m).measures,
    "meta.ScoreMatrices.select": lambda m: scores().select(measures=[m]).measures,
    "meta.Similarity.group_of": lambda m: oe.meta.similarity(scores()).group_of(m),
    "plot.discriminative_power": lambda m: lines(
        oe.plot.discriminative_power(oe.meta.discriminative_power(scores(), trials=20), m)
    ),
    "plot.intervals": lambda m: oe.plot.intervals(result(), m).get_xlabel(),
    "plot.significance": lambda m: oe.plot.significance(result(), m).get_title(),
    "plot.topics": lambda m: oe.plot.topics(result(), m).get_xlabel(),
    "Result.standing": lambda m: result().standing("b", m),
    "Result.pair": lambda m: result().pair("a", "b", m),
    "Result.beats": lambda m: result().beats("a", m),
    "Result.get": lambda m: result().get(m).rows,
    "Result.table": lambda m: str(result().table("p", m)),
    "Result.to_frame": lambda m: result().to_frame("pairs", "polars", measure=m).rows(),
    "Result.verdicts": lambda m: result().verdicts(m).tolist(),
}
for _method in (
    "group_of_best", "groups", "intervals_of", "signature", "standings", "tested",
):  # fmt: skip
    CALLS[f"Result.{_method}"] = lambda m, name=_method: getattr(result(), name)(m)
for _method in ("to_csv", "to_latex", "to_markdown", "to_text"):
    CALLS[f"Result.{_method}"] = lambda m, name=_method: getattr(result(), name)("pairs", m)

# Parameters of that name that hold names or figures rather than choose a measure; and functions of
# distributions, which have a test of their own.
OTHERS = {
    "agreement", "Agreement.pair",  # see test_aliases_are_taken_for_raters
    "quantify", "meta.ScoreMatrices.from_shares", "meta.ScoreMatrices.from_scores",
    "meta.similarity_of_scores", "stats.randomised_tukey",
}  # fmt: skip


OTHERS |= {f"{kind}.{name}" for kind in ("Agreement", "Judgement") for name in vars(Report)}


def lines(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def public_functions() -> Iterator[tuple[str, Any]]:
    """Yield public functions and methods, under their names after `ordeval.`."""
    for module in (oe, oe.io, oe.meta, oe.plot, oe.stats):
        part = module.__name__.removeprefix("ordeval").lstrip(".")
        for name in module.__all__:
            found = getattr(module, name)
            if isinstance(found, ModuleType):
                continue
            dotted = f"{part}.{name}".lstrip(".")
            if inspect.isfunction(found):
                yield dotted, found
            elif inspect.isclass(found):
                for method, function in inspect.getmembers(found, callable):
                    if not method.startswith("_"):
                        yield f"{dotted}.{method}", function


def takes_a_measure(function: Any) -> bool:
    try:
        return any(name in NAMES for name in inspect.signature(function).parameters)
    except (TypeError, ValueError):  # built-in methods have no signature
        return False


def test_the_list_of_calls_is_complete() -> None:
    found = {name for name, function in public_functions() if takes_a_measure(function)}
    assert found <= set(CALLS) | OTHERS
    assert set(CALLS) <= found


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.slow
def test_aliases_are_taken(name: str) -> None:
    call = CALLS[name]
    full = outcome(call(FULL))
    assert outcome(call("qwk")) == full
    assert outcome(call("QWK")) == full
    assert outcome(call(oe.measure("qwk"))) == full


def outcome(found: Any) -> str:
    """Return an outcome as text, without the name under which a measure was asked for."""
    return found.signature(FULL) + str(found) if isinstance(found, oe.Result) else repr(found)


def test_aliases_of_quantification_measures_are_taken() -> None:
    aliases = {
        alias: str(oe.measure(alias))
        for record in records().values()
        if record.task == "quantification"
        for alias in record.aliases
    }
    assert aliases
    for alias, full in aliases.items():
        found = oe.quantify(SHARES["a"], SHARES, measures=alias, primary=alias, size=[10, 10])
        other = oe.quantify(SHARES["a"], SHARES, measures=full, size=[10, 10])
        assert np.array_equal(found.scores.values, other.scores.values)
        assert full in found
        assert alias in found
        assert shares(alias).measures == shares(full).measures


def test_aliases_are_taken_for_raters() -> None:
    ratings = np.stack([GOLD, *SYSTEMS.values()], axis=1)
    found = oe.agreement(ratings, measures="qwk, gwet", pair_measures="QWK", **QUICK)
    other = oe.agreement(
        ratings, measures="conger(weights='quadratic'), ac2", pair_measures=FULL, **QUICK
    )
    assert (found.coefficients, found.pairs) == (other.coefficients, other.pairs)
    (told,) = set(map(str, found.notes)) - set(map(str, other.notes))
    assert told.startswith("Kappa of several raters is Conger's kappa")
    assert found.pair("rater 1", "rater 2", "qwk") == found.pair("rater 1", "rater 2", FULL)
    assert found["qwk"].rows == found["conger(weights='quadratic')"].rows


@pytest.mark.parametrize(
    "command",
    [
        ["measures", "{}"],
        ["axioms", "{}"],
        ["score", "data.csv", "--measures", "{}", "--labels", "1..3"],
        ["compare", "data.csv", "--primary", "{}", "--labels", "1..3", "--trials", "9"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.slow
def test_commands_take_aliases(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv("data.csv")
    outputs = []
    for name in (FULL, "qwk"):
        assert main([word.format(name) for word in command]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_archives_that_name_measures_by_aliases_are_read(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    text = result().to_json(path).replace(f'"{FULL}"', '"qwk"')
    text = text.replace(f"ordeval:{oe.__version__}", "ordeval:0.1.0")
    path.write_text(text, encoding="utf-8")
    assert oe.load(path)["qwk"]["b"].value == result()["qwk"]["b"].value
