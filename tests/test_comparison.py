"""The README's table of similar packages: every cell has a check.

The checks of a package run where it is installed in the version that the table names: all of them
with the extra `bench`, but those of irrCAC and dlordinal, which need environments of their own (see
`benchmarks/peers.py`).
"""

import io
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
LINES = (ROOT / "README.md").read_text("utf-8").splitlines()
HEADINGS = ["measures", "order", "intervals", "tests", "raters", "report", "larger"]
TITLES = [
    *("ordinal measures", "order of classes", "intervals", "tests of many systems"),
    *("several raters", "report", "data larger than memory"),
]
NOTHING = "–"
# What a public name would hold if a package had something for a column.
WORDS = {
    "intervals": r"boot|confidence|interval|(^|_)ci(_|$)",
    "tests": r"friedman|wilcoxon|mcnemar|tukey|holm|p_?value|signific",
    "raters": r"fleiss|krippendorff|intraclass|(^|_)icc|rater",
    "report": r"report|html|latex|markdown",
    "larger": r"(^|_)update|lazy|stream|dask|polars",
}

GOLD = ["low", "mid", "high", "mid", "low", "high"]
PRED = ["low", "high", "high", "mid", "mid", "high"]
ORDER = ["low", "mid", "high"]
GOLD_CODES, PRED_CODES = ([ORDER.index(label) for label in side] for side in (GOLD, PRED))
RATINGS = [[1, 1, 2], [3, 3, np.nan], [2, 3, 3], [1, 1, 1], [2, 2, 3]]


@dataclass(frozen=True)
class Peer:
    """A package of the table: where its public names are, and checks by column."""

    modules: tuple[str, ...]
    checks: dict[str, tuple[str, Callable[[], object] | None]]
    distribution: str = ""


PEERS: dict[str, Peer] = {}


def peer(name: str, *modules: str, distribution: str = "") -> Callable[[type], type]:
    """Note the checks of a class: a method per cell, whose first line is the cell."""

    def note(checks: type) -> type:
        found: dict[str, tuple[str, Callable[[], object] | None]] = {}
        for column in HEADINGS:
            check = checks.__dict__.get(column)
            if check is None:
                found[column] = NOTHING, None
            else:
                found[column] = check.__func__.__doc__, check.__func__
        PEERS[name] = Peer(modules, found, distribution or name)
        return checks

    return note


def table() -> dict[str, list[str]]:
    """Return the cells of the README's table by package, without its version."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES]
    start = next(i for i, row in enumerate(rows) if row[0] == "package")
    assert rows[start][1:] == TITLES
    end = next(i for i in range(start, len(rows)) if LINES[i] == "")
    return {row[0].replace("*", ""): row[1:] for row in rows[start + 2 : end]}


def version(name: str) -> str:
    """Return the version of a package that the table is about."""
    [found] = [label.partition(" ")[2] for label in table() if label.split(" ")[0] == name]
    return found


@peer("ordeval", "ordeval")
class Ordeval:
    @staticmethod
    def measures() -> None:
        """[eight families](docs/tour.md#measures)"""
        import ordeval as oe

        known = {measure.record.family for measure in oe.measures(None)}
        lines = (ROOT / "docs/tour.md").read_text("utf-8").splitlines()
        start = lines.index("| family | measures |") + 2
        end = lines.index("", start)
        assert {line.split("|")[1].strip() for line in lines[start:end]} == known
        assert len(known) == 8

    @staticmethod
    def order() -> None:
        """declared, or an error"""
        import ordeval as oe

        with pytest.raises(oe.InputError, match="order"):
            oe.score(GOLD, PRED, "qwk")
        assert oe.score(GOLD, PRED, "qwk", labels=ORDER) > 0

    @staticmethod
    def intervals() -> None:
        """scores and differences, over items, topics or clusters"""
        import ordeval as oe

        systems = {"a": PRED * 5, "b": GOLD * 5}
        groups = [i // 3 for i in range(30)]
        for over in ({}, {"topic": groups}, {"cluster": groups}):
            found = oe.compare(
                GOLD * 5, systems, labels=ORDER, measures="mae", differences=True, **over
            )
            assert found["mae"]["a"].low < found["mae"]["a"].high
            [pair] = found["mae"].pairs
            assert pair.low < pair.high

    @staticmethod
    def tests() -> None:
        """step-down max-T"""
        import ordeval as oe

        systems = {"a": PRED * 5, "b": GOLD * 5, "c": ["mid"] * 30}
        topics = [i // 3 for i in range(30)]
        found = oe.compare(GOLD * 5, systems, labels=ORDER, topic=topics, measures="mae")
        assert all(0 < pair.p <= 1 for pair in found["mae"].pairs)
        assert len(found["mae"].pairs) == 3

    @staticmethod
    def raters() -> None:
        """any number, gaps"""
        import ordeval as oe

        assert oe.agreement(RATINGS, labels=[1, 2, 3], bootstrap=0)["krippendorff"].value < 1

    @staticmethod
    def report() -> None:
        """HTML, LaTeX, Markdown"""
        import ordeval as oe

        result = oe.evaluate(GOLD, PRED, labels=ORDER, measures="mae")
        assert "<html" in result.to_html()
        assert "tabular" in result.to_latex()
        assert "| ---" in result.to_markdown() or "|---" in result.to_markdown()

    @staticmethod
    def larger() -> None:
        """files and lazy frames"""
        import ordeval as oe

        pl = pytest.importorskip("polars")
        frame = pl.LazyFrame({"gold": GOLD, "a": PRED})
        assert oe.evaluate(data=frame, labels=ORDER, measures="mae")["mae"].value > 0


@peer("scikit-learn", "sklearn.metrics")
class ScikitLearn:
    @staticmethod
    def measures() -> None:
        """weighted κ, MAE"""
        from sklearn.metrics import cohen_kappa_score, mean_absolute_error

        assert cohen_kappa_score(GOLD, PRED, labels=ORDER, weights="quadratic") > 0.5
        assert mean_absolute_error(GOLD_CODES, PRED_CODES) == pytest.approx(1 / 3)
        names = import_module("sklearn.metrics").__all__
        assert not [name for name in names if re.search("spearman|kendall|ordinal|macro", name)]

    @staticmethod
    def order() -> None:
        """`labels=`, or sorted"""
        from sklearn.metrics import cohen_kappa_score

        by_alphabet = cohen_kappa_score(GOLD, PRED, labels=sorted(ORDER), weights="linear")
        assert cohen_kappa_score(GOLD, PRED, weights="linear") == pytest.approx(by_alphabet)

    @staticmethod
    def report() -> None:
        """text, per class"""
        from sklearn.metrics import classification_report

        assert "precision" in classification_report(GOLD, PRED)


@peer("torchmetrics", "torchmetrics", "torchmetrics.functional", "torchmetrics.wrappers")
class Torchmetrics:
    @staticmethod
    def measures() -> None:
        """weighted κ, MAE, rank correlations, concordance"""
        import torch
        from torchmetrics import functional as f

        gold, pred = torch.tensor(GOLD_CODES), torch.tensor(PRED_CODES)
        kappa = f.cohen_kappa(pred, gold, "multiclass", num_classes=3, weights="quadratic")
        assert kappa > 0.5
        numbers = gold.float(), pred.float()
        for name in ("mean_absolute_error", "spearman_corrcoef", "kendall_rank_corrcoef"):
            assert getattr(f, name)(*numbers) > 0
        assert f.concordance_corrcoef(*numbers) > 0

    @staticmethod
    def order() -> None:
        """integers from 0"""
        import torch
        from torchmetrics.functional import cohen_kappa

        one, two = torch.tensor([1, 2, 3]), torch.tensor([1, 3, 3])
        with pytest.raises((RuntimeError, ValueError)):
            cohen_kappa(one, two, "multiclass", num_classes=3)

    @staticmethod
    def intervals() -> None:
        """bootstrap"""
        import torch
        from torchmetrics import BootStrapper, MeanAbsoluteError

        metric = BootStrapper(MeanAbsoluteError(), num_bootstraps=5, quantile=torch.tensor([0.025]))
        metric.update(torch.tensor(PRED_CODES).float(), torch.tensor(GOLD_CODES).float())
        assert "quantile" in metric.compute()

    @staticmethod
    def raters() -> None:
        """Fleiss' κ"""
        import torch
        from torchmetrics.functional.nominal import fleiss_kappa

        assert fleiss_kappa(torch.tensor([[3, 0], [0, 3], [2, 1]])) > 0

    @staticmethod
    def larger() -> None:
        """in batches"""
        import torch
        from torchmetrics import MeanAbsoluteError

        metric = MeanAbsoluteError()
        for gold, pred in zip(GOLD_CODES, PRED_CODES, strict=True):
            metric.update(torch.tensor([float(pred)]), torch.tensor([float(gold)]))
        assert metric.compute() == pytest.approx(1 / 3)


def _matrix(**settings: Any) -> Any:
    from pycm import ConfusionMatrix

    return ConfusionMatrix(GOLD, PRED, **settings)


@peer("PyCM", "pycm", "pycm:ConfusionMatrix", distribution="pycm")
class PyCM:
    @staticmethod
    def measures() -> None:
        """κ and α with given weights"""
        weights = {a: {b: abs(ORDER.index(a) - ORDER.index(b)) for b in ORDER} for a in ORDER}
        found = _matrix(classes=ORDER)
        assert found.weighted_kappa(weights) > 0
        assert found.weighted_alpha(weights) > 0

    @staticmethod
    def order() -> None:
        """`classes=`, or sorted"""
        assert _matrix(classes=ORDER).classes == ORDER
        assert _matrix().classes == sorted(ORDER)

    @staticmethod
    def intervals() -> None:
        """unweighted κ, accuracy, per class"""
        found = _matrix()
        for name in ("Kappa", "Overall ACC", "TPR", "PPV"):
            assert found.CI(name)
        from pycm import pycmCIError

        with pytest.raises(pycmCIError):
            found.CI("Alpha")

    @staticmethod
    def tests() -> None:
        """ranking without tests"""
        from pycm import Compare

        found = Compare({"a": _matrix(), "b": _matrix(classes=ORDER)})
        assert set(found.scores) == {"a", "b"}
        assert not [name for name in vars(found) if re.search(WORDS["tests"], name.lower())]

    @staticmethod
    def report() -> None:
        """HTML, CSV"""
        assert {"save_html", "save_csv"} <= set(dir(_matrix()))


@peer("skordinal", "skordinal.metrics", "skordinal.experiments")
class Skordinal:
    @staticmethod
    def measures() -> None:
        """quadratic κ, MAE, macro MAE, within one class, RPS, rank correlations"""
        from skordinal import metrics

        for name in ("weighted_kappa", "average_mean_absolute_error", "accuracy_off1_score"):
            assert getattr(metrics, name)(GOLD_CODES, PRED_CODES) > 0
        for name in ("mean_absolute_error", "spearmans_rho", "kendalls_tau"):
            assert getattr(metrics, name)(GOLD_CODES, PRED_CODES) > 0
        assert callable(metrics.ranked_probability_score)

    @staticmethod
    def order() -> None:
        """`labels=`, or an error; numbers sorted"""
        from skordinal.metrics import average_mean_absolute_error

        assert average_mean_absolute_error(GOLD, PRED, labels=ORDER) == pytest.approx(1 / 3)
        assert average_mean_absolute_error(GOLD_CODES, PRED_CODES) == pytest.approx(1 / 3)
        with pytest.raises(ValueError, match="cannot be inferred"):
            average_mean_absolute_error(GOLD, PRED)


@peer("dlordinal", "dlordinal.metrics")
class Dlordinal:
    @staticmethod
    def measures() -> None:
        """macro MAE, worst-class MAE, within one class, RPS"""
        from dlordinal import metrics

        for name in ("amae", "mmae", "accuracy_off1"):
            assert getattr(metrics, name)(np.asarray(GOLD_CODES), np.asarray(PRED_CODES)) > 0
        assert callable(metrics.ranked_probability_score)

    @staticmethod
    def order() -> None:
        """sorted"""
        from dlordinal.metrics import amae

        by_alphabet = [[sorted(ORDER).index(label) for label in side] for side in (GOLD, PRED)]
        assert amae(np.asarray(GOLD), np.asarray(PRED)) == amae(*map(np.asarray, by_alphabet))


@peer("krippendorff", "krippendorff")
class Krippendorff:
    @staticmethod
    def measures() -> None:
        """α"""
        import krippendorff

        columns = np.transpose(RATINGS)
        assert 0 < krippendorff.alpha(columns, level_of_measurement="ordinal") < 1

    @staticmethod
    def order() -> None:
        """`value_domain=`"""
        import krippendorff

        columns, settings = [GOLD, PRED], {"level_of_measurement": "ordinal"}
        assert krippendorff.alpha(columns, value_domain=ORDER, dtype=np.float64, **settings) > 0

    @staticmethod
    def raters() -> None:
        """any number, gaps"""
        Krippendorff.measures()


def _chance_corrected(ratings: Any, **settings: Any) -> Any:
    import pandas as pd
    from irrCAC.raw import CAC

    return CAC(pd.DataFrame(ratings), **settings)


@peer("irrCAC", "irrCAC.raw", "irrCAC.raw:CAC")
class IrrCAC:
    @staticmethod
    def measures() -> None:
        """weighted AC2, κ, α and others"""
        found = _chance_corrected(RATINGS, weights="quadratic")
        for name in ("gwet", "conger", "fleiss", "krippendorff", "bp"):
            assert getattr(found, name)()["est"]["coefficient_value"] > 0

    @staticmethod
    def order() -> None:
        """`categories=`, or sorted"""
        pairs = list(zip(GOLD, PRED, strict=True))
        assert _chance_corrected(pairs, categories=ORDER).categories == ORDER
        assert _chance_corrected(pairs).categories == sorted(ORDER)

    @staticmethod
    def intervals() -> None:
        """every coefficient"""
        found = _chance_corrected(RATINGS, weights="quadratic")
        for name in ("gwet", "conger", "fleiss", "krippendorff", "bp"):
            low, high = getattr(found, name)()["est"]["confidence_interval"]
            assert low < high

    @staticmethod
    def raters() -> None:
        """any number, gaps"""
        IrrCAC.measures()


def _scores() -> Any:
    import pandas as pd

    rows = [(i, s, (i * 7 + 3 * s) % 5 + s) for i in range(8) for s in range(3)]
    return pd.DataFrame(rows, columns=["item", "system", "score"])


@peer("pingouin", "pingouin")
class Pingouin:
    @staticmethod
    def measures() -> None:
        """ICC, rank correlations"""
        import pingouin

        found = pingouin.intraclass_corr(_scores(), "item", "system", "score")
        assert len(found) >= 6
        for method in ("spearman", "kendall"):
            assert len(pingouin.corr(GOLD_CODES, PRED_CODES, method=method)) == 1

    @staticmethod
    def order() -> None:
        """numbers"""
        import pingouin

        with pytest.raises((TypeError, ValueError)):
            pingouin.corr(GOLD, PRED, method="spearman")

    @staticmethod
    def intervals() -> None:
        """ICC, correlations; bootstrap"""
        import pingouin

        found = pingouin.intraclass_corr(_scores(), "item", "system", "score")
        assert [name for name in found.columns if name.startswith("CI95")]
        found = pingouin.corr(GOLD_CODES, PRED_CODES, method="spearman")
        assert [name for name in found.columns if name.startswith("CI95")]
        assert len(pingouin.compute_bootci([1.0, 2.0, 4.0, 3.0], func="mean", n_boot=50)) == 2

    @staticmethod
    def tests() -> None:
        """of given scores, corrected"""
        import pingouin

        settings: dict[str, Any] = {"dv": "score", "within": "system", "subject": "item"}
        found = pingouin.pairwise_tests(_scores(), padjust="holm", **settings)
        assert len(found) == 3

    @staticmethod
    def raters() -> None:
        """ICC"""
        assert not re.search("krippendorff|fleiss", " ".join(names_of("pingouin")))


@peer("statsmodels", "statsmodels.stats.inter_rater")
class Statsmodels:
    @staticmethod
    def measures() -> None:
        """weighted κ"""
        from statsmodels.stats.inter_rater import cohens_kappa

        assert 0 < cohens_kappa([[5, 1, 0], [1, 5, 2], [0, 1, 6]], wt="quadratic").kappa < 1

    @staticmethod
    def order() -> None:
        """that of a table"""
        from statsmodels.stats.inter_rater import cohens_kappa

        with pytest.raises((TypeError, ValueError, IndexError)):
            cohens_kappa(GOLD)

    @staticmethod
    def intervals() -> None:
        """κ"""
        from statsmodels.stats.inter_rater import cohens_kappa

        found = cohens_kappa([[5, 1, 0], [1, 5, 2], [0, 1, 6]], wt="quadratic")
        assert found.kappa_low < found.kappa < found.kappa_upp

    @staticmethod
    def tests() -> None:
        """of given p-values, corrected"""
        from statsmodels.stats.multitest import multipletests

        assert len(multipletests([0.01, 0.04, 0.3], method="holm")[1]) == 3

    @staticmethod
    def raters() -> None:
        """Fleiss' κ"""
        from statsmodels.stats.inter_rater import fleiss_kappa

        assert fleiss_kappa(np.asarray([[3, 0], [0, 3], [2, 1]])) > 0


# R is not run here: what the manuals and the source of these versions say, and where.
READ = {
    "R: irr 0.84.1, psych 2.5.3": [
        "weighted κ, α, ICC, W",  # kappa2, cohen.kappa; kripp.alpha; icc, ICC; kendall
        "psych: `levels=`; irr: sorted",  # cohen.kappa(levels=); kappa2 makes factors of a matrix
        "psych: κ, ICC; irr: ICC",  # cohen.kappa(alpha=), ICC(alpha=); icc(conf.level=)
        NOTHING,
        "any number; gaps in α, and in psych's ICC",  # others omit items with gaps (na.omit)
        NOTHING,
        NOTHING,
    ]
}


def names_of(place: str) -> list[str]:
    """Return the public names of a module, or of a class after a colon, in lower case."""
    module, _, name = place.partition(":")
    found = import_module(module)
    held = dir(getattr(found, name)) if name else getattr(found, "__all__", dir(found))
    return [each.lower() for each in held if not each.startswith("_")]


def require(name: str) -> None:
    """Skip without a package in the version that the table names."""
    found = PEERS[name]
    pytest.importorskip(found.modules[0].partition(".")[0])
    if name != "ordeval" and metadata.version(found.distribution) != version(name):
        pytest.skip(f"the table is about {name} {version(name)}")


def test_every_cell_has_a_check() -> None:
    checked = {name: [text for text, _ in PEERS[name].checks.values()] for name in PEERS}
    named = {name if name == "ordeval" else f"{name} {version(name)}" for name in PEERS}
    rows = table()
    assert set(rows) == {*named, *READ}
    for label, row in rows.items():
        assert row == (READ.get(label) or checked[label.split(" ")[0]])


def test_the_versions_are_those_of_the_benchmarks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = dict(each.split("==") for each in project["optional-dependencies"]["bench"])
    apart = dict(
        re.findall(r'"([A-Za-z]+)==([\d.]+)"', (ROOT / "benchmarks/peers.py").read_text("utf-8"))
    )
    for name, found in PEERS.items():
        if name != "ordeval":
            assert version(name) == {**apart, **pinned}[found.distribution]


@pytest.mark.parametrize(
    ("name", "column"), [(name, column) for name in PEERS for column in HEADINGS]
)
@pytest.mark.filterwarnings("ignore")
def test_a_cell_says_what_a_package_does(
    name: str, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(name)
    monkeypatch.setattr("sys.stdout", io.StringIO())  # some print their version or advice
    _, check = PEERS[name].checks[column]
    if check is not None:
        check()
        return
    held = [each for place in PEERS[name].modules for each in names_of(place)]
    assert [each for each in held if re.search(WORDS[column], each)] == []


@pytest.mark.filterwarnings("ignore")
def test_irrcac_has_more_kinds_of_weights() -> None:
    require("irrCAC")
    from irrCAC.weights import Weights

    ours = {"identity", "linear", "quadratic", "ordinal"}
    assert ours < {name for name in dir(Weights) if not name.startswith("_")}


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_and_torchmetrics_score_probabilities() -> None:
    require("scikit-learn")
    from sklearn.metrics import log_loss

    assert log_loss([0, 1], [[0.9, 0.1], [0.2, 0.8]]) > 0
    pytest.importorskip("torchmetrics")
    assert "calibrationerror" in names_of("torchmetrics")
