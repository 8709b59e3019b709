"""The README's table of similar packages: every cell has a check.

The checks of a package run where it is installed in the version of the benchmarks: all of them
with the extra `bench`, but those of irrCAC and dlordinal, which need environments of their own (see
`benchmarks/peers.py`).
"""

import io
import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
LINES = (ROOT / "README.md").read_text("utf-8").splitlines()
COLUMNS = ("measures", "order", "intervals", "tests", "raters")
# What a public name would hold if a package had something for a column.
WORDS = {
    "intervals": r"boot|confidence|interval|(^|_)ci(_|$)",
    "tests": r"friedman|wilcoxon|mcnemar|tukey|holm|p_?value|signific",
    "raters": r"fleiss|krippendorff|intraclass|(^|_)icc|rater",
}
# Where the public names of each package are; a class comes after a colon.
PLACES: dict[str, tuple[str, ...]] = {
    "ordeval": ("ordeval",),
    "scikit-learn": ("sklearn.metrics",),
    "torchmetrics": ("torchmetrics", "torchmetrics.functional", "torchmetrics.wrappers"),
    "PyCM": ("pycm", "pycm:ConfusionMatrix"),
    "skordinal": ("skordinal.metrics", "skordinal.experiments"),
    "dlordinal": ("dlordinal.metrics",),
    "krippendorff": ("krippendorff",),
    "irrCAC": ("irrCAC.raw", "irrCAC.raw:CAC"),
    "pingouin": ("pingouin",),
    "statsmodels": ("statsmodels.stats.inter_rater",),
}

GOLD = ["low", "mid", "high", "mid", "low", "high"]
PRED = ["low", "high", "high", "mid", "mid", "high"]
ORDER = ["low", "mid", "high"]
GOLD_CODES, PRED_CODES = ([ORDER.index(label) for label in side] for side in (GOLD, PRED))
RATINGS = [[1, 1, 2], [3, 3, np.nan], [2, 3, 3], [1, 1, 1], [2, 2, 3]]
TABLE = [[5, 1, 0], [1, 5, 2], [0, 1, 6]]
VOTES = np.asarray([[3, 0], [0, 3], [2, 1]])

Check = Callable[[Any], object]
CELLS: dict[tuple[str, str], tuple[str, Check]] = {}


def cell(package: str, column: str, text: str) -> Callable[[Check], Check]:
    """Note a cell, and its check, which gets the first module of the package."""

    def note(check: Check) -> Check:
        CELLS[package, column] = text, check
        return check

    return note


def table() -> dict[str, list[str]]:
    """Return the cells of the README's table by package."""
    rows = [[text.strip() for text in line.strip("|").split("|")] for line in LINES]
    start = next(i for i, row in enumerate(rows) if row[0] == "package")
    assert rows[start][1:] == list(COLUMNS)
    end = next(i for i in range(start, len(rows)) if LINES[i] == "")
    return {row[0].replace("*", ""): row[1:] for row in rows[start + 2 : end]}


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that the table is about, those of the benchmarks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = dict(each.split("==") for each in project["optional-dependencies"]["bench"])
    peers = (ROOT / "benchmarks/peers.py").read_text("utf-8")
    pinned |= dict(re.findall(r'"([A-Za-z]+)==([\d.]+)"', peers))
    return {name.lower(): number for name, number in pinned.items()}


@cell("ordeval", "measures", "[ten families](docs/tour.md#measures)")
def _(oe: Any) -> None:
    known = {measure.record.family for measure in oe.measures(None)}
    lines = (ROOT / "docs/tour.md").read_text("utf-8").splitlines()
    start = lines.index("| family | measures |") + 2
    end = lines.index("", start)
    assert {line.split("|")[1].strip() for line in lines[start:end]} == known
    assert len(known) == 10


@cell("ordeval", "order", "declared")
def _(oe: Any) -> None:
    with pytest.raises(oe.InputError, match="order"):
        oe.score(GOLD, PRED, "qwk")
    assert oe.score(GOLD, PRED, "qwk", labels=ORDER) > 0


@cell("ordeval", "intervals", "every score")
def _(oe: Any) -> None:
    systems, groups = {"a": PRED * 5, "b": GOLD * 5}, [i % 7 for i in range(30)]
    options = {"labels": ORDER, "measures": "mae"}
    for over in ({}, {"topic": groups}, {"cluster": groups}):
        scores = oe.compare(GOLD * 5, systems, **options, **over)["mae"]
        assert scores["a"].low < scores["a"].high
        [pair] = scores.pairs
        assert pair.low < pair.high


@cell("ordeval", "tests", "corrected p")
def _(oe: Any) -> None:
    systems = {"a": PRED * 5, "b": GOLD * 5, "c": ["mid"] * 30}
    topics = [i // 3 for i in range(30)]
    pairs = oe.compare(GOLD * 5, systems, labels=ORDER, topic=topics, measures="mae")["mae"].pairs
    assert len(pairs) == 3
    assert all(0 < pair.p <= 1 for pair in pairs)


@cell("ordeval", "raters", "any number")
def _(oe: Any) -> None:
    assert oe.agreement(RATINGS, labels=[1, 2, 3], draws=0)["krippendorff"].value < 1


@cell("scikit-learn", "measures", "κ, MAE")
def _(metrics: Any) -> None:
    assert metrics.cohen_kappa_score(GOLD, PRED, labels=ORDER, weights="quadratic") > 0.5
    assert metrics.mean_absolute_error(GOLD_CODES, PRED_CODES) == pytest.approx(1 / 3)
    absent = "spearman|kendall|ordinal|macro"
    assert not [name for name in metrics.__all__ if re.search(absent, name)]


@cell("scikit-learn", "order", "sorted by default")
def _(metrics: Any) -> None:
    kappa = metrics.cohen_kappa_score
    by_alphabet = kappa(GOLD, PRED, labels=sorted(ORDER), weights="linear")
    assert kappa(GOLD, PRED, weights="linear") == pytest.approx(by_alphabet)


def _tensors() -> tuple[Any, Any]:
    import torch

    return torch.tensor(PRED_CODES).float(), torch.tensor(GOLD_CODES).float()


@cell("torchmetrics", "measures", "κ, MAE, ρ, τ, CCC")
def _(torchmetrics: Any) -> None:
    functions, (pred, gold) = torchmetrics.functional, _tensors()
    settings = {"task": "multiclass", "num_classes": 3, "weights": "quadratic"}
    assert functions.cohen_kappa(pred.int(), gold.int(), **settings) > 0.5
    names = ("mean_absolute_error", "spearman_corrcoef", "kendall_rank_corrcoef")
    for name in (*names, "concordance_corrcoef"):
        assert getattr(functions, name)(pred, gold) > 0


@cell("torchmetrics", "order", "integers from 0")
def _(torchmetrics: Any) -> None:
    pred, gold = (side.int() + 1 for side in _tensors())
    with pytest.raises((RuntimeError, ValueError)):
        torchmetrics.functional.cohen_kappa(pred, gold, "multiclass", num_classes=3)


@cell("torchmetrics", "intervals", "bootstrap")
def _(torchmetrics: Any) -> None:
    settings = {"num_bootstraps": 5, "quantile": import_module("torch").tensor([0.025])}
    metric = torchmetrics.BootStrapper(torchmetrics.MeanAbsoluteError(), **settings)
    metric.update(*_tensors())
    assert "quantile" in metric.compute()


@cell("torchmetrics", "raters", "Fleiss' κ")
def _(torchmetrics: Any) -> None:
    votes = import_module("torch").tensor(VOTES)
    assert import_module("torchmetrics.functional.nominal").fleiss_kappa(votes) > 0


@cell("PyCM", "measures", "κ, α")
def _(pycm: Any) -> None:
    weights = {a: {b: abs(ORDER.index(a) - ORDER.index(b)) for b in ORDER} for a in ORDER}
    matrix = pycm.ConfusionMatrix(GOLD, PRED, classes=ORDER)
    assert matrix.weighted_kappa(weights) > 0
    assert matrix.weighted_alpha(weights) > 0


@cell("PyCM", "order", "sorted by default")
def _(pycm: Any) -> None:
    assert pycm.ConfusionMatrix(GOLD, PRED, classes=ORDER).classes == ORDER
    assert pycm.ConfusionMatrix(GOLD, PRED).classes == sorted(ORDER)


@cell("PyCM", "intervals", "unweighted κ")
def _(pycm: Any) -> None:
    matrix = pycm.ConfusionMatrix(GOLD, PRED)
    assert all(matrix.CI(name) for name in ("Kappa", "Overall ACC", "TPR", "PPV"))
    with pytest.raises(pycm.pycmCIError):
        matrix.CI("Alpha")


@cell("PyCM", "tests", "ranking only")
def _(pycm: Any) -> None:
    one, two = pycm.ConfusionMatrix(GOLD, PRED), pycm.ConfusionMatrix(GOLD, PRED, classes=ORDER)
    compared = pycm.Compare({"a": one, "b": two})
    assert set(compared.scores) == {"a", "b"}
    assert not [name for name in vars(compared) if re.search(WORDS["tests"], name.lower())]


@cell("skordinal", "measures", "κ, MAE, RPS, ρ, τ")
def _(metrics: Any) -> None:
    names = ("weighted_kappa", "average_mean_absolute_error", "accuracy_off1_score")
    for name in (*names, "mean_absolute_error", "spearmans_rho", "kendalls_tau"):
        assert getattr(metrics, name)(GOLD_CODES, PRED_CODES) > 0
    assert callable(metrics.ranked_probability_score)


@cell("skordinal", "order", "declared")
def _(metrics: Any) -> None:
    amae = metrics.average_mean_absolute_error
    assert amae(GOLD, PRED, labels=ORDER) == pytest.approx(1 / 3)
    assert amae(GOLD_CODES, PRED_CODES) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="cannot be inferred"):
        amae(GOLD, PRED)


@cell("dlordinal", "measures", "macro MAE, RPS")
def _(metrics: Any) -> None:
    for name in ("amae", "mmae", "accuracy_off1"):
        assert getattr(metrics, name)(np.asarray(GOLD_CODES), np.asarray(PRED_CODES)) > 0
    assert callable(metrics.ranked_probability_score)


@cell("dlordinal", "order", "sorted")
def _(metrics: Any) -> None:
    by_alphabet = [[sorted(ORDER).index(label) for label in side] for side in (GOLD, PRED)]
    same = metrics.amae(*map(np.asarray, by_alphabet))
    assert metrics.amae(np.asarray(GOLD), np.asarray(PRED)) == same


@cell("krippendorff", "raters", "any number")
@cell("krippendorff", "measures", "α")
def _(krippendorff: Any) -> None:
    columns = np.transpose(RATINGS)
    assert 0 < krippendorff.alpha(columns, level_of_measurement="ordinal") < 1


@cell("krippendorff", "order", "`value_domain=`")
def _(krippendorff: Any) -> None:
    settings = {"level_of_measurement": "ordinal", "value_domain": ORDER}
    assert krippendorff.alpha([GOLD, PRED], dtype=np.float64, **settings) > 0


def _coefficients(raw: Any) -> list[dict[str, Any]]:
    found = raw.CAC(import_module("pandas").DataFrame(RATINGS), weights="quadratic")
    names = ("gwet", "conger", "fleiss", "krippendorff", "bp")
    return [getattr(found, name)()["est"] for name in names]


@cell("irrCAC", "raters", "any number")
@cell("irrCAC", "measures", "AC2, κ, α")
def _(raw: Any) -> None:
    assert all(each["coefficient_value"] > 0 for each in _coefficients(raw))


@cell("irrCAC", "order", "sorted by default")
def _(raw: Any) -> None:
    pairs = import_module("pandas").DataFrame(list(zip(GOLD, PRED, strict=True)))
    assert raw.CAC(pairs, categories=ORDER).categories == ORDER
    assert raw.CAC(pairs).categories == sorted(ORDER)


@cell("irrCAC", "intervals", "every score")
def _(raw: Any) -> None:
    for low, high in (each["confidence_interval"] for each in _coefficients(raw)):
        assert low < high


def _scores() -> Any:
    rows = [(i, s, (i * 7 + 3 * s) % 5 + s) for i in range(8) for s in range(3)]
    return import_module("pandas").DataFrame(rows, columns=["item", "system", "score"])


@cell("pingouin", "measures", "ICC, ρ, τ")
def _(pingouin: Any) -> None:
    assert len(pingouin.intraclass_corr(_scores(), "item", "system", "score")) >= 6
    for method in ("spearman", "kendall"):
        assert len(pingouin.corr(GOLD_CODES, PRED_CODES, method=method)) == 1


@cell("pingouin", "order", "numbers")
def _(pingouin: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        pingouin.corr(GOLD, PRED, method="spearman")


@cell("pingouin", "intervals", "ICC, ρ, τ")
def _(pingouin: Any) -> None:
    icc = pingouin.intraclass_corr(_scores(), "item", "system", "score")
    both = [pingouin.corr(GOLD_CODES, PRED_CODES, method=m) for m in ("spearman", "kendall")]
    for found in (icc, *both):
        assert [name for name in found.columns if name.startswith("CI95")]


@cell("pingouin", "tests", "given scores")
def _(pingouin: Any) -> None:
    settings = {"dv": "score", "within": "system", "subject": "item", "padjust": "holm"}
    assert len(pingouin.pairwise_tests(_scores(), **settings)) == 3


@cell("pingouin", "raters", "ICC")
def _(pingouin: Any) -> None:
    assert not re.search("krippendorff|fleiss", " ".join(names_of("pingouin")))


@cell("statsmodels", "measures", "κ")
def _(inter_rater: Any) -> None:
    assert 0 < inter_rater.cohens_kappa(TABLE, wt="quadratic").kappa < 1


@cell("statsmodels", "order", "of the table")
def _(inter_rater: Any) -> None:
    with pytest.raises((TypeError, ValueError, IndexError)):
        inter_rater.cohens_kappa(GOLD)


@cell("statsmodels", "intervals", "κ")
def _(inter_rater: Any) -> None:
    found = inter_rater.cohens_kappa(TABLE, wt="quadratic")
    assert found.kappa_low < found.kappa < found.kappa_upp


@cell("statsmodels", "tests", "given p-values")
def _(inter_rater: Any) -> None:
    corrected = import_module("statsmodels.stats.multitest").multipletests
    assert len(corrected([0.01, 0.04, 0.3], method="holm")[1]) == 3


@cell("statsmodels", "raters", "Fleiss' κ")
def _(inter_rater: Any) -> None:
    assert inter_rater.fleiss_kappa(VOTES) > 0


# R is not run here: what the manuals and the source of irr 0.84.1 and psych 2.5.3 say, and where.
READ = {
    "R: irr, psych": [
        "κ, α, ICC, W",  # kappa2, cohen.kappa; kripp.alpha; icc, ICC; kendall
        "sorted by default",  # cohen.kappa(levels=); kappa2 makes factors of a matrix
        "κ, ICC",  # cohen.kappa(alpha=), ICC(alpha=); icc(conf.level=)
        "–",
        "any number",  # kripp.alpha, kappam.fleiss, icc, ICC
    ]
}


def names_of(place: str) -> list[str]:
    """Return the public names of a module, or of a class after a colon, in lower case."""
    module, _, name = place.partition(":")
    found = import_module(module)
    held = dir(getattr(found, name)) if name else getattr(found, "__all__", dir(found))
    return [each.lower() for each in held if not each.startswith("_")]


def test_every_cell_has_a_check() -> None:
    rows = table()
    assert set(rows) == {*PLACES, *READ}
    for label, row in rows.items():
        checked = [CELLS.get((label, column), ("–",))[0] for column in COLUMNS]
        assert row == READ.get(label, checked)


def test_the_readme_names_the_versions() -> None:
    text = " ".join(LINES)
    for name in PLACES.keys() - {"ordeval"}:
        assert f"{name} {versions()[name.lower()]}" in text


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.filterwarnings("ignore")
def test_a_cell_says_what_a_package_does(
    name: str, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = PLACES[name][0]
    pytest.importorskip(module.partition(".")[0])
    if name != "ordeval" and metadata.version(name) != versions()[name.lower()]:
        pytest.skip(f"the table is about {name} {versions()[name.lower()]}")
    monkeypatch.setattr("sys.stdout", io.StringIO())  # some print their version or advice
    if (name, column) in CELLS:
        CELLS[name, column][1](import_module(module))
        return
    held = [each for place in PLACES[name] for each in names_of(place)]
    assert [each for each in held if re.search(WORDS[column], each)] == []
