"""The tasks that are measured: data of growing size, and our call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import ordeval as oe

from .peers import Call, numbers

Size = Mapping[str, int]
K = 5

ITEMS: tuple[Size, ...] = tuple({"items": n} for n in (1_000, 10_000, 100_000, 1_000_000))
FEW_ITEMS = (ITEMS[0], ITEMS[2])
CLASSES: tuple[Size, ...] = tuple({"classes": k} for k in (2, 5, 11, 51, 101))
SCORES, INTERVALS = "One system", "Intervals and tests"
SYSTEMS, RATERS, OTHER = "Many systems", "Several raters", "Distributions and judges"
GROUPS = (SCORES, INTERVALS, SYSTEMS, RATERS, OTHER)


class Task(NamedTuple):
    """Something to compute, at several sizes of which the first is the smallest."""

    name: str
    title: str
    group: str
    sizes: Sequence[Size]
    data: Callable[[Size], dict[str, Any]]
    code: str
    prepare: Callable[[Mapping[str, Any]], Call]
    read: Callable[[Any], Any] = numbers
    compared: str = ""  # which values are compared, where these are not all


# Data.


def labels(size: Size) -> dict[str, Any]:
    """Draw gold labels 0 to K - 1, and predictions that are wrong by at most one class."""
    rng, k = np.random.default_rng(0), size.get("classes", K)
    gold = rng.integers(0, k, size.get("items", 100_000))
    pred = np.clip(gold + rng.integers(-1, 2, len(gold)), 0, k - 1)
    return {"gold": gold, "pred": pred}


def label_lists(size: Size) -> dict[str, Any]:
    """Give the labels as lists of integers."""
    return {name: column.tolist() for name, column in labels(size).items()}


WORDS = np.array(
    ["a very bad", "b bad", "c fair", "d good", "e very good"]
)  # in alphabetical order


def label_texts(size: Size) -> dict[str, Any]:
    """Give the labels as lists of texts."""
    return {name: WORDS[column].tolist() for name, column in labels(size).items()}


def resampled(size: Size) -> dict[str, Any]:
    """Add a number of replicates."""
    return {**labels({"items": size.get("items", 1000)}), "replicates": size["replicates"]}


def system_labels(size: Size) -> dict[str, Any]:
    """Draw gold labels, systems that add noise of increasing strength, and topics."""
    rng, topics = np.random.default_rng(0), 50
    gold = rng.integers(0, K, size.get("items", 2000))
    noise = [rng.normal(0, 0.6 + 0.02 * i, len(gold)) for i in range(size.get("systems", 2))]
    systems = np.stack([np.clip(np.rint(gold + shift), 0, K - 1) for shift in noise]).astype(int)
    topic = np.arange(len(gold)) % topics
    error = np.abs(systems - gold)
    scores = np.stack([error[:, topic == t].mean(axis=1) for t in range(topics)])
    found = {"gold": gold, "systems": systems, "topic": topic, "scores": scores}
    return {**found, "trials": size.get("trials", 1000)}


def split_scores(size: Size) -> dict[str, Any]:
    """Give the scores of systems on topics under three measures, and a number of splits."""
    data = system_labels({"items": 10_000, "systems": size["systems"]})
    counts = oe.Counts.from_labels(data["gold"], named(data), topic=data["topic"])
    matrices = oe.meta.ScoreMatrices.from_counts(counts, "mae, accuracy, qwk")
    return {"matrices": matrices, "by_measure": matrices.oriented, "splits": 200}


def ratings(size: Size) -> dict[str, Any]:
    """Draw ratings 1 to K of items by raters."""
    rng, items = np.random.default_rng(0), size.get("items", 1000)
    latent = rng.integers(1, K + 1, size=(items, 1))
    noise = rng.integers(-1, 2, size=(items, size.get("raters", 5)))
    return {"ratings": np.clip(latent + noise, 1, K)}


def shares(size: Size) -> dict[str, Any]:
    """Draw distributions of topics, and estimates."""
    rng = np.random.default_rng(0)
    p, q = (rng.dirichlet(np.ones(K), size["topics"]) for _ in range(2))
    return {"p": p, "q": q}


def judged(size: Size) -> dict[str, Any]:
    """Draw labels, of which 500 have gold, and a judge who errs on a fifth."""
    rng, data = np.random.default_rng(1), labels(size)
    gold, items = data["gold"].astype(float), size["items"]
    wrong = rng.random(items) < 0.2
    judge = np.where(wrong, rng.integers(0, K, items), data["gold"])
    gold[500:] = np.nan
    return {"gold": gold, "pred": data["pred"], "judge": judge}


# Our calls.


def named(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the predictions of systems by name."""
    return {f"s{i:02}": column for i, column in enumerate(data["systems"])}


def scored(measure: str, order: Sequence[str] | None = None) -> Callable[[Mapping[str, Any]], Call]:
    """Prepare the score of labels under a measure."""

    def prepare(data: Mapping[str, Any]) -> Call:
        gold, pred = data["gold"], data["pred"]
        return lambda: oe.score(gold, pred, measure, labels=order)

    return prepare


def score_task(name: str, title: str, measure: str = "", **more: Any) -> Task:
    """Return the task of scoring labels under one measure."""
    code = f'oe.score(gold, pred, "{measure or name}")'
    return Task(name, title, SCORES, ITEMS, labels, code, scored(measure or name))._replace(**more)


def bootstrap(data: Mapping[str, Any]) -> Call:
    given = {"measures": "qwk", "method": "percentile", "draws": data["replicates"]}
    return lambda: oe.evaluate(data["gold"], data["pred"], **given)


def two_systems(data: Mapping[str, Any]) -> Call:
    given = {"measures": "qwk", "draws": 0, "trials": data["trials"]}
    return lambda: oe.compare(data["gold"], named(data), **given)


def many_systems(data: Mapping[str, Any]) -> Call:
    given = {"measures": "mae", "draws": 0, "trials": data["trials"]}
    return lambda: oe.compare(data["gold"], named(data), topic=data["topic"], **given)


def tukey(data: Mapping[str, Any]) -> Call:
    plan = oe.stats.Plan(data["trials"])
    return lambda: oe.stats.randomised_tukey(data["scores"], plan)


def consistency(data: Mapping[str, Any]) -> Call:
    splits = {"procedure": "split", "splits": data["splits"], "mean_splits": data["splits"]}
    return lambda: oe.meta.consistency(data["matrices"], trials=1, variant="b", **splits)


def agreement(measures: str) -> Callable[[Mapping[str, Any]], Call]:
    """Prepare coefficients of raters, without intervals."""

    def prepare(data: Mapping[str, Any]) -> Call:
        return lambda: oe.agreement(data["ratings"], measures=measures, draws=0)

    return prepare


def pairs_of_raters(data: Mapping[str, Any]) -> Call:
    given = {"measures": "fleiss", "pair_measures": "qwk", "draws": 0}
    return lambda: oe.agreement(data["ratings"], **given).pairs


def coefficients(found: Any) -> list[float]:
    """Return the values of all coefficients."""
    return [found[measure].value for measure in found.coefficients]


def ends(row: Any) -> list[float]:
    """Return the ends of the interval of a row."""
    return [row.low, row.high]


def of_shares(measure: str) -> Callable[[Mapping[str, Any]], Call]:
    """Prepare a measure of distributions."""
    chosen = oe.measure(measure)
    return lambda data: lambda: chosen.of(data["p"], data["q"])


def with_judge(data: Mapping[str, Any]) -> Call:
    given = {"measures": "accuracy", "judge": data["judge"]}
    return lambda: oe.evaluate(data["gold"], data["pred"], **given)


RATER_SIZES: tuple[Size, ...] = (
    *({"raters": r} for r in (2, 5, 10, 20)),
    *({"items": n} for n in (10_000, 100_000, 1_000_000)),
)
WEIGHTED = ", ".join(
    f"{name}(weights='quadratic')"
    for name in ("ac2", "brennan_prediger", "fleiss", "conger", "weighted_alpha")
)
ICCS = ", ".join(f"icc(model={m}, raters={r})" for r in (1, "'k'") for m in (1, 2, 3))

TASKS: tuple[Task, ...] = (
    score_task("qwk", "Quadratic kappa"),
    score_task(
        "qwk, lists",
        "Quadratic kappa of lists of integers",
        "qwk",
        sizes=FEW_ITEMS,
        data=label_lists,
    ),
    score_task(
        "qwk, texts",
        "Quadratic kappa of lists of texts",
        "qwk",
        sizes=FEW_ITEMS,
        data=label_texts,
        prepare=scored("qwk", WORDS.tolist()),
        code='oe.score(gold, pred, "qwk", labels=order)',
    ),
    score_task("linear kappa", "Linear kappa", "kappa(weights='linear')"),
    score_task("cohen_kappa", "Cohen's kappa"),
    score_task("accuracy", "Accuracy"),
    score_task("accuracy_within", "Accuracy within one class", "accuracy_within(n=1)"),
    score_task("macro_recall", "Macro recall (balanced accuracy)"),
    score_task("macro_f1", "Macro F1"),
    score_task("gmean", "Geometric mean of recalls"),
    score_task("min_sensitivity", "Lowest recall of a class"),
    score_task("mae", "Mean absolute error"),
    score_task("rmse", "Root mean squared error"),
    score_task("macro_mae", "Macro-averaged MAE"),
    score_task("max_mae", "Largest MAE of a class"),
    score_task("pearson", "Pearson's r"),
    score_task("spearman", "Spearman's ρ"),
    score_task("kendall_b", "Kendall's τ-b"),
    score_task("alpha", "Krippendorff's α of two raters, ordinal"),
    score_task(
        "all measures",
        "All measures at once",
        sizes=FEW_ITEMS,
        prepare=lambda data: lambda: oe.evaluate(data["gold"], data["pred"], "all", draws=0),
        code='oe.evaluate(gold, pred, "all", draws=0)',
        read=lambda found: [found[m][0].value for m in ("accuracy", "cohen_kappa", "macro_f1")],
        compared="accuracy, kappa and macro F1 only; the sets of measures differ",
    ),
    score_task("qwk, classes", "Quadratic kappa, 100,000 items", "qwk", sizes=CLASSES),
    score_task(
        "macro_mae, classes", "Macro-averaged MAE, 100,000 items", "macro_mae", sizes=CLASSES
    ),
    Task(
        "bootstrap",
        "95 % bootstrap interval of quadratic kappa",
        INTERVALS,
        (
            *({"replicates": b} for b in (100, 1000, 10_000)),
            *({"items": n, "replicates": 100} for n in (10_000, 1_000_000)),
        ),
        resampled,
        'oe.evaluate(gold, pred, measures="qwk", method="percentile", draws=B)',
        bootstrap,
        lambda found: ends(found["qwk"][0]),
    ),
    Task(
        "two systems",
        "Paired test of two systems by exchange, quadratic kappa, 2,000 items",
        INTERVALS,
        tuple({"trials": b} for b in (100, 1000, 10_000)),
        system_labels,
        'oe.compare(gold, systems, measures="qwk", draws=0, trials=B)',
        two_systems,
        lambda found: [abs(found.pairs[0].value), found.pairs[0].p],
    ),
    Task(
        "many systems",
        "Which systems differ in MAE, 50 topics",
        SYSTEMS,
        tuple({"systems": s} for s in (3, 5, 10, 20, 40)),
        system_labels,
        'oe.compare(gold, systems, topic=topics, measures="mae", draws=0, trials=1000)',
        many_systems,
        lambda found: np.sort([row.value for row in found["mae"]]),
        "mean scores only; the tests differ by definition, ours exchanges scores 1,000 times",
    ),
    Task(
        "randomised Tukey",
        "Randomised Tukey HSD of scores on 50 topics, 1,000 trials",
        SYSTEMS,
        tuple({"systems": s} for s in (3, 5, 10, 20, 40)),
        system_labels,
        "oe.stats.randomised_tukey(scores, oe.stats.Plan(1000))",
        tukey,
        lambda found: [np.abs(found.difference).max(), found.p.min()],
        "the largest difference and its p-value; SciPy gives no others",
    ),
    Task(
        "consistency",
        "Consistency of rankings, 3 measures, 50 topics, 200 splits",
        SYSTEMS,
        tuple({"systems": s} for s in (5, 20)),
        split_scores,
        'oe.meta.consistency(scores, procedure="split", splits=200)',
        consistency,
        lambda found: found.mean,
    ),
    *(
        Task(
            name,
            title,
            RATERS,
            RATER_SIZES,
            ratings,
            f"oe.agreement(ratings, measures={shown}, draws=0)",
            agreement(measures),
            coefficients,
        )
        for name, title, measures, shown in (
            ("krippendorff", "Krippendorff's α, ordinal", "krippendorff", '"krippendorff"'),
            ("fleiss", "Fleiss' kappa", "fleiss", '"fleiss"'),
            ("coefficients", "Five coefficients with quadratic weights", WEIGHTED, "five"),
            ("icc", "Six intraclass correlations", ICCS, "six"),
        )
    ),
    Task(
        "pairs",
        "Quadratic kappa of every pair of raters",
        RATERS,
        RATER_SIZES[:-1],
        ratings,
        'oe.agreement(ratings, measures="fleiss", pair_measures="qwk", draws=0).pairs',
        pairs_of_raters,
        lambda found: [row.value for row in found],
    ),
    *(
        Task(
            name,
            title,
            OTHER,
            tuple({"topics": t} for t in (1, 100, 10_000)),
            shares,
            f'oe.measure("{name}").of(p, q)',
            of_shares(name),
            read,
        )
        for name, title, read in (
            ("nmd", "Normalised match distance", lambda found: [np.mean(found)]),
            ("ae", "Absolute error of shares", numbers),
        )
    ),
    Task(
        "judge labels",
        "Accuracy with 500 gold labels and a judge, with an interval",
        OTHER,
        tuple({"items": n} for n in (10_000, 1_000_000)),
        judged,
        'oe.evaluate(gold, pred, judge=judge, measures="accuracy")',
        with_judge,
        lambda found: [found["accuracy"][0].value, *ends(found["accuracy"][0])],
    ),
)
