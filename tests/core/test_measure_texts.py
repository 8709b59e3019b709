"""Texts of records: what they say about when to use a measure holds on small examples."""

import re
from collections.abc import Callable, Sequence
from math import isnan, log2

import numpy as np
import pytest

import ordeval as oe
from ordeval.measures.raters import RaterSums
from ordeval.registry import Record, find_record, records
from ordeval.stats.panels import row_sums

Table = np.ndarray
Check = Callable[[str], bool]


# Examples, and their scores


def score(measure: str, table: object, values: Sequence[float] | None = None) -> float:
    return float(oe.measure(measure).of(np.asarray(table, float), values=values))


def distance(measure: str, gold: Sequence[float], estimate: Sequence[float]) -> float:
    return float(oe.measure(measure).of(np.asarray(gold, float), np.asarray(estimate, float)))


def agreement(measure: str, rows: Sequence[Sequence[int]], k: int) -> float:
    """The coefficient of ratings; -1 is a gap."""
    values = np.arange(1.0, k + 1)
    codes = np.asarray(rows, dtype=np.intp)
    sums: RaterSums = row_sums(codes, values, tables=True).map(lambda a: a.sum(axis=0)[None])
    return float(oe.measure(measure).kernel(sums, values)[0])


def perfect(*sizes: float) -> Table:
    return np.diag(np.asarray(sizes, float))


def constant(sizes: Sequence[float], predicted: int) -> Table:
    table = np.zeros((len(sizes), len(sizes)))
    table[:, predicted] = sizes
    return table


def moved(table: Table, gold: int, predicted: int, items: float = 1) -> Table:
    """A table after items of a class are predicted as another one instead of their own."""
    table = table.copy()
    table[gold, gold] -= items
    table[gold, predicted] += items
    return table


EVEN = perfect(*[20] * 5)
UNEVEN = perfect(20, 5, 20, 50, 20)
FROM_END = [moved(EVEN, 0, p) for p in range(5)]  # an item of the lowest class, ever farther off
SHIFTED = np.diag([10.0, 20, 30, 10], 1)  # every prediction is one class too high
COMPRESSED = np.zeros((5, 5))
COMPRESSED[[0, 2, 4], [1, 2, 3]] = 10
MIXED = np.array([[5.0, 2, 1], [1, 7, 2], [2, 1, 4]])
SKEWED = np.array([[95.0, 3], [2, 0]])  # 95 % of the items agree
AGREED = [[0, 0]] * 95 + [[0, 1]] * 3 + [[1, 0]] * 2  # the same as ratings
FEW = perfect(20, 20, 20, 20, 2)  # a class of two items
SEVERE = [[0, 1], [1, 2], [2, 3], [3, 4]] * 3  # the second rater is always one class higher
SPLIT = [[0, 1], [1, 0], [0, 0], [1, 1], [2, 2], [0, 2]]
HARDLY = [[2, 2]] * 40 + [[1, 2], [2, 1]]  # items that hardly differ
GAPS = [[0, 0], [1, -1], [2, 1]]


def near(a: float, b: float, by: float = 1e-9) -> bool:
    return abs(a - b) <= by


def far_costs_no_more(m: str) -> bool:
    """An error across the whole scale costs as much as one to a neighbour of the same size."""
    return near(score(m, FROM_END[1]), score(m, FROM_END[4]))


def constant_scores(sizes: Sequence[float], wanted: float) -> Check:
    """The best constant prediction has that score."""
    return lambda m: near(score(m, constant(sizes, int(np.argmax(sizes)))), wanted)


def is_one_if_shifted(m: str) -> bool:
    return near(score(m, SHIFTED), 1)


def no_constant_score(m: str) -> bool:
    return isnan(score(m, constant([5, 3, 2], 1)))


def low_if_skewed(m: str) -> bool:
    return score("accuracy", SKEWED) == 0.95 and score(m, SKEWED) < 0.1


def changes_by(table: Table, gold: int, predicted: int, wanted: float) -> Check:
    return lambda m: near(abs(score(m, moved(table, gold, predicted)) - score(m, table)), wanted)


def one_class_decides(m: str) -> bool:
    worst = moved(perfect(3, 20, 20), 0, 1, 2)
    return near(score(m, worst), score(m, moved(moved(worst, 1, 2, 5), 2, 1, 5)))


def ignores_distances(m: str) -> bool:
    other = MIXED[:, [0, 2, 1]][[0, 2, 1]]  # the middle and the highest class exchanged
    return near(score(m, MIXED), score(m, other))


def ignores_order_of_mass(m: str) -> bool:
    gold = [0.7, 0.1, 0.1, 0.1]
    return near(distance(m, gold, [0.5, 0.3, 0.1, 0.1]), distance(m, gold, [0.5, 0.1, 0.1, 0.3]))


def farther_mass_costs_no_more(m: str) -> bool:
    gold = [0.2] * 5
    return distance(m, gold, [0.1, 0.3, 0.2, 0.2, 0.2]) > distance(
        m, gold, [0.1, 0.2, 0.3, 0.2, 0.2]
    )


def same_cost_if_rare(m: str) -> bool:
    rare, common = [0.01, 0.02, 0.97], [0.3, 0.4, 0.3]
    after = [np.add(gold, [-0.01, 0.01, 0]) for gold in (rare, common)]
    return near(distance(m, rare, after[0]), distance(m, common, after[1]))


def low_although_raters_agree(m: str) -> bool:
    return agreement(m, AGREED, 2) < 0.1 < 0.9 < agreement("ac2", AGREED, 2)


def unused_classes_raise(m: str) -> bool:
    return agreement(m, SPLIT, 5) > agreement(m, SPLIT, 3)


def undefined_with_gaps(m: str) -> bool:
    return isnan(agreement(m, GAPS, 3)) and not isnan(agreement("krippendorff", GAPS, 3))


def low_if_items_hardly_differ(m: str) -> bool:
    return agreement("observed_agreement", HARDLY, 4) > 0.95 and agreement(m, HARDLY, 4) < 0.1


def exceeds_one_from_five(m: str) -> bool:
    highest = [oe.measure(m).bounds(k)[1] for k in (3, 4, 5, 6)]
    return near(highest[1], 1) and highest[2] > 1 and highest[3] > 1


def traces_change(m: str) -> bool:
    without = distance(m, [1, 0, 0], [0.8, 0.2, 0])
    return abs(distance(m, [0.999, 0, 0.001], [0.799, 0.2, 0.001]) - without) > 0.25 * without


def ranks_differently(m: str, other: str) -> bool:
    """Whether two tables of the same gold are ranked in opposite ways."""
    rng = np.random.default_rng(0)
    tables = [rng.multinomial([30, 10, 5], np.ones(3) / 3).astype(float) for _ in range(60)]
    a, b = (np.array([score(each, t) for t in tables]) for each in (m, other))
    return bool(((a[:, None] > a) & (b[:, None] < b)).any())


def in_table_of_constants(m: str) -> list[float]:
    return [score(m, constant([50, 20, 10, 15, 5], c)) for c in range(5)]


def few_items_change_much(m: str) -> bool:
    """One item of a small class changes the score more than one of a large class."""
    small, large = (score(m, moved(FEW, g, p)) for g, p in ((4, 3), (0, 1)))
    return abs(small - score(m, FEW)) > 5 * abs(large - score(m, FEW))


def lacks(axiom: str) -> Check:
    return lambda m: oe.measure(m).satisfies(axiom) is False


def has(axiom: str) -> Check:
    return lambda m: oe.measure(m).satisfies(axiom) is True


DISTANCES_DO_NOT = "istances of errors do not count"
FAR_AS_NEAR = "error across the whole scale costs as much as one to a neighbour"
ONE_TOO_HIGH = "predictions that are all one class too high score 1"
NO_SCORE = "Constant predictions have no score"
DOMINANT = "With a dominant class it is low although few items differ"
FAR_MASS = "mass at the far end counts as much as in a neighbouring class"
IF_FIVE = "On scales of five or more classes it can exceed 1"
AGREE = "low although raters agree about nearly all items"
FEW_ITEMS = "a class has few items, which then change the score much"
DIFFER = "it is then low however well raters agree"

# Of every measure, pieces of its texts with what must be true for them.
SAYS: dict[str, dict[str, Check]] = {
    "accuracy": {
        "every error is equally bad": far_costs_no_more,
        FAR_AS_NEAR: far_costs_no_more,
        "a class with 90 % of the items scores 0.9": constant_scores([90, 9, 1], 0.9),
    },
    "mer": {
        "1 minus the score": lambda m: near(score(m, MIXED), 1 - score("accuracy", MIXED)),
        "has an error rate of 0.1": constant_scores([90, 9, 1], 0.1),
    },
    "accuracy_within": {
        "being n classes off does no harm": lambda m: near(score(m, FROM_END[1]), 1),
        "errors of up to n classes cost nothing": lambda m: near(score(m, SHIFTED), 1),
        "always predicting the middle one scores 1": lambda m: (
            score(m, constant([9, 1, 5], 1)) == 1
        ),
    },
    "macro_recall": {
        "scores 1 divided by the number of gold classes": lambda m: all(
            near(score(m, constant([90, 9, 1], c)), 1 / 3) for c in range(3)
        ),
        FAR_AS_NEAR: far_costs_no_more,
        "one item of a class of two changes the score by 0.1": changes_by(FEW, 4, 3, 0.1),
    },
    "macro_precision": {
        "has precision 1 however many of its items are missed": lambda m: near(
            score(m, [[1, 9], [0, 10]]), (1 + 10 / 19) / 2
        ),
        DISTANCES_DO_NOT: ignores_distances,
    },
    "macro_f1": {
        "less than 1 divided by the number of gold classes": lambda m: all(
            score(m, constant([90, 9, 1], c)) < 1 / 3 for c in range(3)
        ),
        "no more than one to a neighbour of the same size": far_costs_no_more,
        "less if the class at the other end is larger": lambda m: (
            score(m, moved(perfect(20, 20, 40), 0, 2)) > score(m, moved(perfect(20, 20, 40), 0, 1))
        ),
    },
    "hmpr": {"can rank systems differently": lambda m: ranks_differently(m, "macro_f1")},
    "f1_extremes": {
        "their items count only if they are predicted as an extreme class": lambda m: (
            score(m, moved(EVEN, 1, 2)) == 1 > score(m, moved(EVEN, 1, 0))
        ),
    },
    "f1_binary": {
        "confusing them with each other costs nothing": lambda m: (
            score(m, moved(EVEN, 0, 3, 9)) == 1 > score(m, moved(EVEN, 0, 4))
        ),
    },
    "gmean": {
        "one recall of 0 makes the score 0": lambda m: score(m, [[0, 2], [0, 50]]) == 0,
        "every constant prediction of several gold classes": constant_scores([90, 9, 1], 0),
        "all are missed in 6 % of samples": lambda m: near(0.4**3, 0.06, 0.005),
        DISTANCES_DO_NOT: ignores_distances,
    },
    "min_sensitivity": {
        "systems that differ in all other classes score alike": one_class_decides,
        f"D{DISTANCES_DO_NOT}": ignores_distances,
    },
    "mutual_information": {
        "reversed predictions score as high": lambda m: near(
            score(m, EVEN[:, ::-1]), score(m, EVEN)
        ),
        "a perfect prediction scores the entropy of gold": lambda m: (
            near(score(m, EVEN), log2(5)) and near(score(m, perfect(3, 1)), 2 - 0.75 * log2(3))
        ),
    },
    "purity": {
        "exchanging two predicted classes costs nothing": lambda m: near(
            score(m, MIXED), score(m, MIXED[:, [1, 0, 2]])
        ),
        "splitting a group never lowers it": lambda m: (
            score(m, [[4, 0, 0], [3, 0, 0], [0, 0, 5]])
            < score(m, [[4, 0, 0], [0, 3, 0], [0, 0, 5]])
        ),
    },
    "inverse_purity": {
        "every constant prediction has the best score, 1": constant_scores([9, 5, 3], 1)
    },
    "purity_f": {"reversed predictions score 1": lambda m: score(m, EVEN[:, ::-1]) == 1},
    "mae": {
        "half a step per item": lambda m: score(m, [[1, 1], [0, 0]]) == 0.5,
        "the most frequent one can score better than a system that finds all rare classes": (
            lambda m: (
                score(m, constant([90, 5, 5], 0)) < score(m, moved(perfect(90, 5, 5), 0, 1, 20))
            )
        ),
        "equal steps are assumed unless class values are declared": lambda m: (
            score(m, MIXED) != score(m, MIXED, values=[0, 1, 5])
        ),
    },
    "mse": {
        "one error of two classes costs as much as four of one class": lambda m: near(
            score(m, FROM_END[2]), score(m, moved(EVEN, 0, 1, 4))
        ),
        "one of four classes costs as much as sixteen of one class": lambda m: near(
            score(m, FROM_END[4]), score(m, moved(EVEN, 0, 1, 16))
        ),
    },
    "rmse": {
        "in units of the scale": lambda m: near(score(m, SHIFTED), 1),
        "have the mean 1, and together 1.41": lambda m: (
            near((score(m, perfect(1, 0, 0)) + score(m, [[0, 0, 1], [0] * 3, [0] * 3])) / 2, 1)
            and near(score(m, [[1, 0, 1], [0] * 3, [0] * 3]), 1.41, 0.005)
        ),
    },
    "macro_mae": {
        "every gold class has the same weight": lambda m: near(
            score(m, MIXED), score(m, MIXED * [[9], [1], [3]])
        ),
        "changes the score by 0.4": changes_by(FEW, 4, 0, 0.4),
        "the mean is over other classes": lambda m: near(
            score(m, [[0, 1, 0], [0, 1, 0], [0, 0, 0]]), 0.5
        ),
    },
    "macro_mse": {
        "changes the score by 1.6": changes_by(FEW, 4, 0, 1.6),
        "fewer than 100 items of a class": lambda m: (
            "fewer than 100 items" in oe.measure(m).interval_note
        ),
    },
    "max_mae": {
        "systems that differ in all other classes score alike": one_class_decides,
        "intervals are doubtful": lambda m: bool(oe.measure(m).record.interval_caveat),
    },
    "rennie_srebro": {
        "on three classes of equal size 0.67": lambda m: near(
            score(m, perfect(4, 4, 4)), 0.67, 0.005
        ),
        "depends on the loss, the thresholds and the class values": lambda m: (
            len(
                {
                    score(m, MIXED),
                    score(f"{m}(loss='logistic')", MIXED),
                    score(f"{m}(threshold='immediate')", MIXED),
                    score(m, MIXED, values=[0, 1, 5]),
                }
            )
            == 4
        ),
    },
    "pearson": {
        "whatever their level and spread": lambda m: near(score(m, COMPRESSED), 1),
        "all one class too high, or compressed to the middle, score 1": lambda m: (
            is_one_if_shifted(m) and near(score(m, COMPRESSED), 1)
        ),
        "quadratic weights is lower for both": lambda m: (
            max(score("qwk", SHIFTED), score("qwk", COMPRESSED)) < 0.9
        ),
        NO_SCORE: no_constant_score,
    },
    "cosine": {
        "at least 0.38 with the values 1 to 5": lambda m: near(
            oe.measure(m).bounds(5)[0], 0.38, 0.005
        ),
        "adding a constant to the values changes the score": lambda m: (
            score(m, MIXED, values=[1, 2, 3]) != score(m, MIXED, values=[11, 12, 13])
        ),
    },
    "spearman": {
        "distances between classes are not known": has("ordinal_invariance"),
        ONE_TOO_HIGH: is_one_if_shifted,
        NO_SCORE: no_constant_score,
        "topics whose gold items are all of one class": lambda m: isnan(score(m, [[2, 1], [0, 0]])),
        "`cem` has both": lambda m: (
            not isnan(score("cem", constant([5, 3], 0)) + score("cem", [[2, 1], [0, 0]]))
        ),
    },
    "kendall_a": {
        "two classes only cannot score above about 0.5": lambda m: near(
            score(m, 50 * np.eye(4)[[0, 0, 3, 3]]), 0.5, 0.005
        ),
        "about 0.8 with five classes of equal size": lambda m: near(
            score(m, 50 * EVEN), 0.8, 0.005
        ),
    },
    "kendall_b": {
        "a perfect prediction scores 1": lambda m: near(score(m, EVEN), 1),
        "Pairs that only the prediction ties still lower it": lambda m: (
            score(m, np.eye(5)[[0, 1, 2, 3, 3]]) < 0.99
        ),
        ONE_TOO_HIGH: is_one_if_shifted,
        NO_SCORE: no_constant_score,
        "`r_int` has one": lambda m: not no_constant_score("r_int"),
    },
    "r_int": {
        "constant predictions should have a score": lambda m: not no_constant_score(m),
        ONE_TOO_HIGH: is_one_if_shifted,
        "0.73 with two classes of equal size, and 0.55 with five": lambda m: (
            near(score(m, constant([500] * 2, 0)), 0.73, 0.005)
            and near(score(m, constant([500] * 5, 3)), 0.55, 0.005)
        ),
    },
    "reliability": {
        "merging two neighbouring classes costs nothing": lambda m: (
            score(m, 5 * np.eye(3)[[0, 1, 1]]) == 1
        ),
        "It is not precision": lambda m: score(m, MIXED) != score("macro_precision", MIXED),
    },
    "sensitivity": {
        "splitting a gold class into two neighbouring predicted classes": lambda m: (
            score(m, [[3, 3, 0], [0, 0, 0], [0, 0, 5]]) == 1
        ),
        "It is not recall": lambda m: score(m, MIXED) != score("macro_recall", MIXED),
    },
    "rs_f": {
        "both missed and false order relations lower it": lambda m: (
            max(score(m, np.eye(3)[[0, 1, 1]]), score(m, [[3, 3, 0], [0, 0, 0], [0, 0, 5]])) < 1
        ),
        ONE_TOO_HIGH: is_one_if_shifted,
        NO_SCORE: no_constant_score,
    },
    "cem": {
        "only the order and the sizes of the gold classes count": has("ordinal_invariance"),
        "an error costs more the more gold items lie between": lambda m: (
            score(m, moved(UNEVEN, 2, 0)) > score(m, moved(UNEVEN, 2, 4))
        ),
        "rare classes are not lost among frequent ones": has("imbalance"),
        "class values do not change it": lambda m: (
            score(m, MIXED) == score(m, MIXED, values=[0, 1, 9])
        ),
        "it is not symmetric; `alpha` is": lambda m: (
            score(m, MIXED) != score(m, MIXED.T)
            and near(score("alpha", MIXED), score("alpha", MIXED.T))
        ),
        "a constant prediction scores from 0.50 to 0.59": lambda m: (
            [f"{score(m, constant([30] * 3, c)):.2f}" for c in range(3)] == ["0.50", "0.59", "0.50"]
        ),
    },
    "kappa": {
        "on which chance agreement depends": lambda m: (
            abs(score(m, MIXED) - score(m, MIXED * [[9], [1], [1]])) > 0.05
        ),
        DOMINANT: low_if_skewed,
        "it is 0 for each of them; `alpha` is not": lambda m: (
            np.allclose(in_table_of_constants(m), 0)
            and len(set(in_table_of_constants("alpha"))) == 5
        ),
        "two errors across the whole scale cost about as much as 32 by one class": lambda m: near(
            score("qwk", moved(2 * EVEN, 0, 4, 2)),
            score("qwk", 2 * EVEN - 8 * np.diag([1, 1, 1, 1, 0]) + 8 * np.diag([1] * 4, 1)),
            0.005,
        ),
    },
    "cohen_kappa": {
        "all disagreements count alike": far_costs_no_more,
        DOMINANT: low_if_skewed,
    },
    "alpha": {
        "constant systems are compared, which score differently": has("constant_systems"),
        "exchanging gold and predictions changes nothing": has("symmetry"),
        DOMINANT: low_if_skewed,
    },
    "oc": {
        "a prediction can move closer to gold without a better score": lacks(
            "ordinal_monotonicity"
        ),
        "Where rare classes matter as much": lacks("imbalance"),
        "the figure depends on beta": lambda m: (
            score("oc(beta=0.25)", MIXED) != score("oc(beta=0.75)", MIXED)
        ),
    },
    "oc_unnormalised": {
        "the score depends on the number of items": lambda m: (
            score(m, [[0, 1], [0, 0]]) == 0.25 and score(m, [[0, 4], [0, 0]]) == 1
        ),
        "equals the misclassification error rate from four items on": lambda m: near(
            score(m, MIXED), score("mer", MIXED)
        ),
        "`oc` does not depend on the number of items": lambda m: near(
            score("oc", MIXED), score("oc", 4 * MIXED)
        ),
        "from beta = 1 on it equals the misclassification error rate": lambda m: near(
            score(f"{m}(beta=1)", MIXED), score("mer", MIXED)
        ),
    },
    "oc_general": {
        "more than seven classes": lambda m: oe.measure(m).record.largest_k == 7,
        "takes one by one": lambda m: not oe.measure(m).record.batched,
    },
    "uoc": {
        FEW_ITEMS: few_items_change_much,
        "the same weight whatever its size": lambda m: near(
            score(m, MIXED), score(m, MIXED * [[9], [1], [3]])
        ),
    },
    "auoc": {
        FEW_ITEMS: few_items_change_much,
        "its time grows with the cube": lambda m: oe.measure(m).record.growth == 3,
        "`uoc` grows with the square": lambda m: oe.measure("uoc").record.growth == 2,
    },
    "emd": {
        "how far mass is moved on average": lambda m: near(
            distance(m, [0.5, 0.5, 0], [0, 0.5, 0.5]), 1
        ),
        "on five classes it goes up to 4, on eleven up to 10": lambda m: (
            [oe.measure(m).bounds(k)[1] for k in (5, 11)] == [4, 10]
        ),
        "both cost the same, under `nmd` too": lambda m: (
            same_cost_if_rare(m) and same_cost_if_rare("nmd")
        ),
        "`rae` is relative": lambda m: not same_cost_if_rare("rae"),
    },
    "nmd": {
        "always worse the farther mass is moved": has("order_awareness"),
        "both cost the same": same_cost_if_rare,
        "`rae` is relative": lambda m: not same_cost_if_rare("rae"),
    },
    "od": {
        "farther they are on average from the classes that gold uses": lambda m: (
            near(distance(m, [1, 0, 0], [0.9, 0, 0.1]), 2 * 0.01)
            and near(distance(m, [0.9, 0, 0.1], [1, 0, 0]), 0.02)
        ),
        "mass that is moved farther can cost less": farther_mass_costs_no_more,
        "`nmd` always notices": lambda m: has("order_awareness")("nmd"),
        "traces of gold in them change the score": traces_change,
    },
    "sod": {
        "gold and estimate have the same standing": has("symmetry"),
        "traces of mass in them change the score": traces_change,
        "`nmd` hardly changes": lambda m: not traces_change("nmd"),
    },
    "rnod": {
        "mass that is moved farther can then cost the same or less": farther_mass_costs_no_more,
        "can change the score from 0.14 to 0.20": lambda m: (
            f"{distance(m, [1, 0, 0], [0.8, 0.2, 0]):.2f}" == "0.14"
            and f"{distance(m, [0.999, 0, 0.001], [0.799, 0.2, 0.001]):.2f}" == "0.20"
        ),
        IF_FIVE: exceeds_one_from_five,
    },
    "rsnod": {
        "gold and estimate have the same standing": has("symmetry"),
        "Where classes are empty by chance, which changes the score": traces_change,
        IF_FIVE: exceeds_one_from_five,
    },
    "nvd": {
        "the share of the mass that is in the wrong class": lambda m: near(
            distance(m, [0.5, 0.5, 0], [0.2, 0.5, 0.3]), 0.3
        ),
        FAR_MASS: ignores_order_of_mass,
    },
    "rnss": {
        "0.2 in two classes costs more than 0.1 in four": lambda m: (
            distance(m, [0.25] * 4, [0.45, 0.05, 0.25, 0.25])
            > distance(m, [0.25] * 4, [0.35, 0.15, 0.35, 0.15])
        ),
        FAR_MASS: ignores_order_of_mass,
    },
    "ae": {
        "the highest score is 2 divided by that number": lambda m: near(
            distance(m, [1, 0, 0, 0], [0, 0, 1, 0]), 2 / 4
        ),
        "`nvd` ranks alike": lambda m: near(
            distance(m, [0.5, 0.3, 0.2], [0.1, 0.2, 0.7]) * 3 / 2,
            distance("nvd", [0.5, 0.3, 0.2], [0.1, 0.2, 0.7]),
        ),
        "Where the order matters": ignores_order_of_mass,
    },
    "rae": {
        "relative to the gold share": lambda m: not same_cost_if_rare(m),
        "undefined if the estimate is not 0 there": lambda m: isnan(
            distance(m, [1, 0], [0.9, 0.1])
        ),
        "depends on how much is added": lambda m: (
            distance(f"{m}(smoothing=0.1)", [1, 0], [0.9, 0.1])
            != distance(f"{m}(smoothing=0.01)", [1, 0], [0.9, 0.1])
        ),
    },
    "kld": {
        "lost per item if items of gold are coded by the estimate": lambda m: near(
            distance(f"{m}(direction='gold')", [0.5, 0.5], [0.25, 0.75]),
            0.5 * (log2(4) + log2(4 / 3)) - 1,
        ),
        "undefined if gold is 0 and the estimate is not": lambda m: (
            isnan(distance(m, [1, 0], [0.9, 0.1])) and distance(m, [0.9, 0.1], [1, 0]) > 0
        ),
        "with direction='gold' the other way round": lambda m: (
            isnan(distance(f"{m}(direction='gold')", [0.9, 0.1], [1, 0]))
            and distance(f"{m}(direction='gold')", [1, 0], [0.9, 0.1]) > 0
        ),
        "`jsd` is always defined": lambda m: near(distance("jsd", [1, 0], [0, 1]), 1),
    },
    "jsd": {
        "from 0 to 1 is wanted that is defined for empty classes": lambda m: near(
            distance(m, [1, 0], [0, 1]), 1
        ),
        FAR_MASS: ignores_order_of_mass,
    },
    "krippendorff": {
        "with gaps": lambda m: not isnan(agreement(m, GAPS, 3)),
        AGREE: low_although_raters_agree,
        "Items with a single rating do not count": lambda m: near(
            agreement(m, SPLIT, 3), agreement(m, [*SPLIT, [2, -1], [-1, 0]], 3)
        ),
    },
    "weighted_alpha": {
        "that of the nominal, with quadratic ones that of the interval level": (
            lambda m: (
                near(
                    agreement(f"{m}(weights='identity')", SPLIT, 3),
                    agreement("krippendorff(level='nominal')", SPLIT, 3),
                )
                and near(
                    agreement(f"{m}(weights='quadratic')", SPLIT, 3),
                    agreement("krippendorff(level='interval')", SPLIT, 3),
                )
            )
        ),
        AGREE: low_although_raters_agree,
    },
    "fleiss": {
        "who gave which rating does not matter": lambda m: near(
            agreement(m, SEVERE, 5),
            agreement(m, [*SEVERE[:6], *([b, a] for a, b in SEVERE[6:])], 5),
        ),
        "use the classes differently, for which there is `conger`": lambda m: (
            agreement("conger", SEVERE, 5) > agreement(m, SEVERE, 5)
        ),
        "where one class dominates": low_although_raters_agree,
        "without them all disagreements count alike": lambda m: near(
            agreement(f"{m}(weights='identity')", SPLIT, 3),
            agreement(
                f"{m}(weights='identity')", [[(2, 0, 1)[c] for c in row] for row in SPLIT], 3
            ),
        ),
    },
    "conger": {
        "it is Cohen's kappa for more than two": lambda m: near(
            agreement(f"{m}(weights='identity')", AGREED, 2), score("cohen_kappa", SKEWED)
        ),
        "Where one class dominates": low_although_raters_agree,
    },
    "ac1": {
        "kappa and alpha are low although raters nearly always agree": lambda m: (
            agreement(m, AGREED, 2) > 0.9 and low_although_raters_agree("krippendorff")
        ),
        "Classes of the scale that are never used raise it": unused_classes_raise,
    },
    "ac2": {
        "with a dominant class values are much higher": lambda m: (
            agreement(m, AGREED, 2) > agreement("weighted_alpha", AGREED, 2) + 0.8
        ),
        "Classes of the scale that are never used raise it": unused_classes_raise,
    },
    "brennan_prediger": {
        "equal observed agreement has an equal coefficient": lambda m: near(
            agreement(m, [[0, 0]] * 9 + [[0, 1]], 3),
            agreement(m, [[0, 0]] * 3 + [[1, 1]] * 3 + [[2, 2]] * 3 + [[2, 1]], 3),
        ),
        "chance agreement is then set too low": unused_classes_raise,
    },
    "observed_agreement": {
        "a class to 90 % of the items at random agree about 82 % of them": lambda m: near(
            agreement(m, [[0, 0]] * 81 + [[0, 1]] * 9 + [[1, 0]] * 9 + [[1, 1]], 2), 0.82
        ),
    },
    "icc": {
        "the means of all (raters='k')": lambda m: (
            agreement("icc(model=3, raters='k')", SPLIT, 3)
            > agreement("icc(model=3, raters=1)", SPLIT, 3)
        ),
        "with which it is undefined": undefined_with_gaps,
        DIFFER: low_if_items_hardly_differ,
        "a rater who is always one class higher costs nothing": lambda m: (
            near(agreement("icc(model=3, raters=1)", SEVERE, 5), 1)
            and agreement("icc(model=2, raters=1)", SEVERE, 5) < 0.9
        ),
    },
    "ccc": {
        "a rater who is always one class higher lowers it": lambda m: agreement(m, SEVERE, 5) < 0.9,
        "with which it is undefined": undefined_with_gaps,
        DIFFER: low_if_items_hardly_differ,
    },
    "kendall_w": {
        "if one is always one class higher, W is 1; `krippendorff` is lower": lambda m: (
            near(agreement(m, SEVERE, 5), 1) and agreement("krippendorff", SEVERE, 5) < 0.9
        ),
        "With gaps it is undefined": undefined_with_gaps,
        "rank at random it is not 0 but about 0.5": lambda m: near(
            agreement(m, [[a, b] for a in range(3) for b in range(3)], 3), 0.5
        ),
    },
}
CLAIMS = [(id, words, check) for id, says in SAYS.items() for words, check in says.items()]


def texts(record: Record) -> str:
    return f"{record.description} {record.use} {record.avoid}"


@pytest.mark.parametrize(("id", "words", "check"), CLAIMS, ids=[f"{c[0]}: {c[1]}" for c in CLAIMS])
def test_what_a_text_says_is_true(id: str, words: str, check: Check) -> None:
    assert words in texts(records()[id])
    assert check(id)


def test_something_about_every_measure_is_checked() -> None:
    assert set(SAYS) == {id for id, record in records().items() if not is_foreign(record)}


def is_foreign(record: Record) -> bool:
    return not record.function.__module__.startswith("ordeval.")


@pytest.mark.parametrize("id", SAYS)
def test_why_to_avoid_a_measure_is_checked(id: str) -> None:
    assert any(words in records()[id].avoid for words in SAYS[id])


@pytest.mark.parametrize("record", records().values(), ids=lambda r: r.id)
def test_texts_name_other_measures_of_the_same_task(record: Record) -> None:
    for name in re.findall(r"`(\w+)`", f"{record.use} {record.avoid}"):
        named = find_record(name)
        assert named is not None, name
        assert named.record.task == record.task, name
        assert named.record.id != record.id, name
