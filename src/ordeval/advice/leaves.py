"""The measures that the answers lead to."""

from .path import Avoided, Leaf, Reported, when

_LABELS = "labels|probabilities|judge"
_LINEAR, _QUADRATIC = "kappa(weights='linear')", "kappa(weights='quadratic')"
_ALPHA = "alpha(level='ordinal')"
_AMIGO = "Amigó et al. 2020, sec. 4.2, 5.3 and 5.4"
_SAKAI = "Sakai 2021, sec. 5.2 to 5.4 and 7"
_SILVA = "Silva et al. 2018, sec. IV to VI"
_POST = "How to evaluate Ordinal Regression, 2025"
_RATERS = "Krippendorff 2011; Gwet 2014"

_NO_ORDER = Avoided(
    "accuracy",
    "An error of one step costs as much as one from end to end.",
    "order_awareness",
)
_BLIND_TO_SHIFTS = Avoided(
    "kendall_b",
    "A system whose predictions are all one class too high correlates nearly perfectly, and a "
    "constant system not at all: it is undefined.",
    "ordinal_monotonicity",
)
_PEARSON = Avoided(
    "pearson",
    "Predictions may be shifted or compressed and still correlate perfectly; it is undefined for "
    "constant systems.",
    "ordinal_monotonicity",
)
_RIGHT = Reported("accuracy", "the share of items that are right, which every reader knows")
_NEARLY = Reported("accuracy_within(n=1)", "the share of items that are at most one class off")
_STEPS = Reported("mae", "the mean error in steps, which every reader can imagine")
_BY_ORDER = Reported(_ALPHA, "the same question without assuming distances between classes")
_WORST = Reported("max_mae", "the class that is predicted worst")
_PER_CLASS = Reported("macro_mae", "the mean error of every class, all with the same weight")
_ONLY_COMMON = Avoided(
    "mae", "A system that ignores rare classes loses little: errors are averaged over items.",
    "imbalance",
)  # fmt: skip
_EQUAL_STEPS = "It assumes distances between classes, which are not known here."

_ORDER_ONLY = (
    Leaf(
        when(task=_LABELS, order="order", chance="no"),
        "cem",
        "CEM is the only measure of labels here that uses the order, assumes no distances, "
        "improves whenever a prediction moves closer to gold, and lets rare classes count. It "
        "measures how far two classes are apart by the items between them, so that classes need no "
        "numbers. No gold class may be empty for this to hold.",
        _AMIGO,
        (
            Reported(_ALPHA, "corrected for chance; in Sakai's comparison more discriminative"),
            _NEARLY,
        ),
        (
            Avoided("mae", _EQUAL_STEPS, "ordinal_invariance"),
            Avoided(_QUADRATIC, _EQUAL_STEPS, "ordinal_invariance"),
            _BLIND_TO_SHIFTS,
            _NO_ORDER,
        ),
        ("ordinal_invariance", "ordinal_monotonicity", "imbalance", "order_awareness"),
    ),
    Leaf(
        when(task=_LABELS, order="order", chance="yes"),
        _ALPHA,
        "Ordinal alpha is corrected for chance and measures distances by the items between two "
        "classes, so that classes need no numbers. It ranks constant systems, unlike kappa. No "
        "measure that is corrected for chance and uses the order gives rare classes more weight as "
        "well; CEM beside it does.",
        _SAKAI,
        (Reported("cem", "lets rare classes count, and is not corrected for chance"), _RIGHT),
        (
            Avoided(_LINEAR, _EQUAL_STEPS, "ordinal_invariance"),
            Avoided(_QUADRATIC, _EQUAL_STEPS, "ordinal_invariance"),
            Avoided("cohen_kappa", "It does not use the order.", "order_awareness"),
            _BLIND_TO_SHIFTS,
        ),
        ("ordinal_invariance", "order_awareness", "constant_systems"),
    ),
)

_ERRORS = (
    Leaf(
        when(task=_LABELS, order="distances", far="steps", chance="no", balance="items"),
        "mae",
        "The mean absolute error is in the unit of the classes, uses all distances and improves "
        "whenever a prediction moves closer to gold.",
        "Sakai 2021, sec. 3.1; Amigó et al. 2020, sec. 4.2",
        (_NEARLY, Reported(_LINEAR, "the same distances, corrected for chance")),
        (_NO_ORDER, _PEARSON),
        ("ordinal_monotonicity", "order_awareness", "constant_systems"),
    ),
    Leaf(
        when(task=_LABELS, order="distances", far="squares", chance="no", balance="items"),
        "rmse",
        "The root mean squared error is in the unit of the classes and is dominated by large "
        "errors.",
        "Silva et al. 2018, eq. 2; Amigó et al. 2020, sec. 4.2",
        (_STEPS, Reported(_QUADRATIC, "the same squared distances, corrected for chance")),
        (_NO_ORDER, _PEARSON),
        ("ordinal_monotonicity", "order_awareness", "constant_systems"),
    ),
    Leaf(
        when(task=_LABELS, order="distances", far="steps", chance="no", balance="classes"),
        "macro_mae",
        "The mean absolute error of every class, averaged over classes: a rare class counts as "
        "much as a common one, and distances count.",
        "Sakai 2021, eq. 1; Silva et al. 2018, sec. II; Amigó et al. 2020, sec. 4.2",
        (
            _WORST,
            Reported("auoc", "order and class sizes in a number between 0 and 1"),
            Reported("cem", "lets rare classes count without assuming distances"),
        ),
        (_ONLY_COMMON, _NO_ORDER, _PEARSON),
        ("ordinal_monotonicity", "imbalance", "order_awareness", "constant_systems"),
    ),
    Leaf(
        when(task=_LABELS, order="distances", far="squares", chance="no", balance="classes"),
        "macro_mse",
        "The mean squared error of every class, averaged over classes: rare classes and large "
        "errors both count.",
        "Amigó et al. 2020, sec. 4.2",
        (_PER_CLASS, _WORST),
        (
            Avoided(
                "mse", "Errors are averaged over items: rare classes count little.", "imbalance"
            ),
            _NO_ORDER,
            _PEARSON,
        ),
        ("ordinal_monotonicity", "imbalance", "order_awareness", "constant_systems"),
    ),
)

_NOT_BY_CLASS = (
    " No measure that is corrected for chance and knows the order gives every class the same "
    "weight, so that a mean over classes is reported beside it."
)
_BY_DISTANCE = "Linear kappa counts errors by their distance and is corrected for chance."
_DISCRIMINATIVE = (
    " In Sakai's comparison it separated systems well and ranked them consistently, unless "
    "several of them were constant."
)
_BY_SQUARES = (
    "Quadratic kappa counts errors by their squared distance and is corrected for chance. Many "
    "studies report it."
)
_RANKS_CONSTANTS = (
    "Kappa is 0 for every constant system. Ordinal alpha ranks them, uses the order and is "
    "corrected for chance; the interval variant had no advantage in Sakai's comparison."
)
_NO_DISTANCE = Avoided("cohen_kappa", "It does not use the order.", "order_awareness")
_CANNOT_RANK = "It is 0 for every constant system."
_WITH_SQUARES = Reported(_QUADRATIC, "squared distances, as you weigh errors; 0 for constants")
_WITH_STEPS = Reported(_LINEAR, "distances, as you weigh errors; 0 for constant systems")
_SQUARED_PER_CLASS = Reported("macro_mse", "the mean squared error of every class, all alike")

_ONE_CONSTANT = {
    "steps": (_LINEAR, _BY_DISTANCE + _DISCRIMINATIVE, _SAKAI, _PER_CLASS),
    "squares": (_QUADRATIC, _BY_SQUARES, _POST, _SQUARED_PER_CLASS),
}


def _corrected(far: str, balance: str) -> Leaf:
    """Return the leaf of kappa, if no two systems are constant or systems are not compared."""
    primary, reason, source, by_class = _ONE_CONSTANT[far]
    alike = balance == "classes"
    return Leaf(
        when(task=_LABELS, order="distances", far=far, chance="yes", balance=balance),
        primary,
        reason + (_NOT_BY_CLASS if alike else ""),
        source,
        (*((by_class,) if alike else ()), _BY_ORDER, *(() if alike else (_STEPS,))),
        (_NO_DISTANCE, _NO_ORDER, _PEARSON),
        ("order_awareness", "class_size_awareness"),
    )


def _with_constants(far: str, balance: str) -> Leaf:
    """Return the leaf of alpha, where several systems that are compared are constant."""
    kappa = _WITH_STEPS if far == "steps" else _WITH_SQUARES
    by_class = (_PER_CLASS if far == "steps" else _SQUARED_PER_CLASS,)
    return Leaf(
        {
            **when(task="labels|probabilities", order="distances", far=far, chance="yes"),
            **when(balance=balance, constant="several"),
        },
        _ALPHA,
        _RANKS_CONSTANTS + (_NOT_BY_CLASS if balance == "classes" else ""),
        _SAKAI,
        (kappa, *(by_class if balance == "classes" else ())),
        (Avoided("cohen_kappa", _CANNOT_RANK, "constant_systems"), _NO_ORDER, _PEARSON),
        ("order_awareness", "constant_systems"),
    )


_FORMS = [(far, balance) for far in ("steps", "squares") for balance in ("items", "classes")]
# Those with more conditions come first: the first leaf whose conditions hold is taken.
_CORRECTED = (
    *(_with_constants(far, balance) for far, balance in _FORMS),
    *(_corrected(far, balance) for far, balance in _FORMS),
)

_USES_ORDER = "It uses an order that does not matter here."
_NOMINAL = (
    Leaf(
        when(task=_LABELS, order="none", chance="no", balance="items"),
        "accuracy",
        "Without an order that matters, an item is right or wrong, and accuracy is the share that "
        "is right.",
        "Sakai 2021, eq. 10",
        (Reported("macro_f1", "shows whether rare classes are found"),),
        (Avoided("mae", _USES_ORDER, "ordinal_invariance"),),
        ("ordinal_invariance", "constant_systems"),
    ),
    Leaf(
        when(task=_LABELS, order="none", chance="no", balance="classes"),
        "macro_recall",
        "The share of every class that is found, averaged over classes; also called balanced "
        "accuracy. Every constant system has 1 divided by the number of gold classes.",
        "Amigó et al. 2020, sec. 4.2",
        (
            Reported("macro_f1", "counts false alarms as well as misses"),
            Reported("min_sensitivity", "the class that is found least"),
        ),
        (Avoided("accuracy", "The most common class decides it.", "imbalance"),),
        ("ordinal_invariance", "imbalance"),
    ),
    Leaf(
        when(task=_LABELS, order="none", chance="yes", balance="items"),
        "cohen_kappa",
        "Cohen's kappa is accuracy corrected for chance.",
        _POST,
        (_RIGHT,),
        (Avoided(_LINEAR, _USES_ORDER, "ordinal_invariance"),),
        ("ordinal_invariance", "class_size_awareness"),
    ),
    Leaf(
        when(task=_LABELS, order="none", chance="yes", balance="classes"),
        "cohen_kappa",
        "Cohen's kappa is corrected for chance, and an error on a rare class costs more than one "
        "on a common class. Classes do not have the same weight; in macro recall, beside it, they "
        "do.",
        f"{_POST}; Amigó et al. 2020, sec. 4.2",
        (Reported("macro_recall", "the mean share of every class that is found"),),
        (
            Avoided("accuracy", "The most common class decides it.", "imbalance"),
            Avoided(_LINEAR, _USES_ORDER, "ordinal_invariance"),
        ),
        ("ordinal_invariance", "imbalance"),
    ),
)

_SKEWED = "stays high where nearly all ratings are one class"
_AGREED = Reported("observed_agreement(weights='identity')", "how often raters agree exactly")
_FOR_TWO = Avoided(
    "kendall_w", "Raters who differ in severity, but not in their order of the items, agree fully."
)
_MEAN_PAIRS = Avoided("icc(model=3, raters=1)", "It leaves out how severe a rater is.")

_SEVERAL = (
    Leaf(
        when(task="raters", order="order", chance="yes"),
        "krippendorff(level='ordinal')",
        "Krippendorff's alpha takes any number of raters with gaps, and its ordinal level measures "
        "distances by how often the classes between are used, not by numbers.",
        _RATERS,
        (
            Reported("ac2(weights='ordinal')", _SKEWED),
            _AGREED,
        ),
        (Avoided("fleiss(weights='identity')", "It does not use the order."), _FOR_TWO),
    ),
    Leaf(
        when(task="raters", order="distances", far="steps", chance="yes"),
        "weighted_alpha(weights='linear')",
        "Alpha with linear weights takes any number of raters with gaps, and disagreement counts "
        "by distance.",
        _RATERS,
        (
            Reported("ac2(weights='linear')", _SKEWED),
            _AGREED,
        ),
        (Avoided("fleiss(weights='identity')", "It does not use the order."), _FOR_TWO),
    ),
    Leaf(
        when(task="raters", order="distances", far="squares", chance="yes"),
        "krippendorff(level='interval')",
        "Krippendorff's alpha at the interval level takes any number of raters with gaps, and "
        "disagreement counts by squared distance.",
        _RATERS,
        (
            Reported("icc(model=2, raters=1)", "reliability of one rating; complete data only"),
            Reported("ac2(weights='quadratic')", _SKEWED),
        ),
        (Avoided("fleiss(weights='identity')", "It does not use the order."), _MEAN_PAIRS),
    ),
    Leaf(
        when(task="raters", order="none", chance="yes"),
        "krippendorff(level='nominal')",
        "Krippendorff's alpha takes any number of raters with gaps; at the nominal level ratings "
        "are equal or not.",
        _RATERS,
        (Reported("ac1", _SKEWED), _AGREED),
        (Avoided("weighted_alpha(weights='linear')", _USES_ORDER),),
    ),
    Leaf(
        when(task="raters", order="order", chance="no"),
        "observed_agreement(weights='ordinal')",
        "The mean agreement of two raters about an item, with credit for near classes that depends "
        "on their ranks.",
        "Gwet 2014",
        (_AGREED, Reported("krippendorff(level='ordinal')", "what is left beyond chance")),
        (_FOR_TWO,),
    ),
    Leaf(
        when(task="raters", order="distances", far="steps", chance="no"),
        "observed_agreement(weights='linear')",
        "The mean agreement of two raters about an item, with credit for near classes by distance.",
        "Gwet 2014",
        (_AGREED, Reported("weighted_alpha(weights='linear')", "what is left beyond chance")),
        (_FOR_TWO,),
    ),
    Leaf(
        when(task="raters", order="distances", far="squares", chance="no"),
        "observed_agreement(weights='quadratic')",
        "The mean agreement of two raters about an item, with credit for near classes by squared "
        "distance.",
        "Gwet 2014",
        (_AGREED, Reported("krippendorff(level='interval')", "what is left beyond chance")),
        (_FOR_TWO,),
    ),
    Leaf(
        when(task="raters", order="none", chance="no"),
        "observed_agreement(weights='identity')",
        "The share of pairs of ratings of an item that are equal.",
        "Gwet 2014",
        (Reported("krippendorff(level='nominal')", "what is left beyond chance"),),
        (_FOR_TWO,),
    ),
)

_SYMMETRIC = Avoided(
    "rsnod", "Symmetry is not needed, and on average its rankings were less consistent."
)
_IGNORES_ORDER = Avoided(
    "nvd", "Mass that is moved to the other end costs no more than to the next class.",
    "single_class_order",
)  # fmt: skip
_UNDEFINED = Avoided("kld", "It is undefined where an estimate has mass in an empty gold class.")
_NO_INVARIANT = (
    " No measure of distributions uses the order without distances: equal steps are assumed unless "
    "class values are declared."
)

_SHARES = (
    Leaf(
        when(task="distributions", order="order|distances", purpose="compare"),
        "rnod",
        "RNOD uses the order, and on average over three NTCIR tasks it ranked systems more "
        "consistently than the other measures that do. Where gold is spread over several classes, "
        "mass that is moved farther may not score worse, which NMD beside it always notices."
        + _NO_INVARIANT,
        "Sakai 2021, sec. 6.4 and 7",
        (Reported("nmd", "an earth mover's distance: mass times the way it is moved"),),
        (_IGNORES_ORDER, _SYMMETRIC, _UNDEFINED),
        ("single_class_order",),
    ),
    Leaf(
        when(task="distributions", order="order|distances", purpose="report"),
        "nmd",
        "NMD is the mass that has to be moved times the way, as a share of the largest possible, "
        "and worse the farther mass is moved, for any gold distribution." + _NO_INVARIANT,
        "Sakai 2021, eq. 11 and sec. 6.4",
        (Reported("rnod", "ranked systems more consistently on average over NTCIR tasks"),),
        (_IGNORES_ORDER, _UNDEFINED),
        ("order_awareness", "symmetry"),
    ),
    Leaf(
        when(task="distributions", order="none"),
        "nvd",
        "The share of mass that is in the wrong class. With two classes it is the difference of "
        "the shares of one class, as are RNOD and NMD.",
        "Sakai 2021, eq. 16 and sec. 6.4",
        (Reported("jsd", "lets small shares count for more"),),
        (_UNDEFINED,),
        ("ordinal_invariance", "symmetry"),
    ),
)

WORST_CLASS = {
    "order": Reported("min_sensitivity", "the class that is found least"),
    "distances": _WORST,
    "none": Reported("min_sensitivity", "the class that is found least"),
}
"""What is reported of the worst class, by what is known about the classes."""

LEAVES = (*_ORDER_ONLY, *_ERRORS, *_CORRECTED, *_NOMINAL, *_SEVERAL, *_SHARES)
"""All ends of the path; the first one whose conditions hold is taken."""
