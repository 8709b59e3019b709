"""What the axiom search finds for every measure: the axioms that hold in all cases it tries.

Made by `search_axioms` with its usual effort and seed 0; a test runs the search again and compares
all cells, so a measure cannot be added without its line here.
"""

from ordeval.spec import Measure, parse_measure

CLAIMS: dict[str, tuple[str, ...]] = {
    "accuracy": ("ordinal_invariance", "constant_systems", "symmetry"),
    "mer": ("ordinal_invariance", "constant_systems", "symmetry"),
    "accuracy_within(n=1)": ("ordinal_invariance", "constant_systems", "symmetry"),
    "macro_recall": ("ordinal_invariance", "imbalance", "class_size_awareness"),
    "macro_precision": ("ordinal_invariance", "constant_systems", "class_size_awareness"),
    "macro_f1": ("ordinal_invariance", "imbalance", "constant_systems", "class_size_awareness"),
    "hmpr": ("ordinal_invariance", "imbalance", "constant_systems", "class_size_awareness"),
    "f1_extremes": ("ordinal_invariance", "constant_systems", "symmetry"),
    "f1_binary(positive=-1)": ("ordinal_invariance", "constant_systems", "symmetry"),
    "gmean": ("ordinal_invariance", "imbalance", "class_size_awareness"),
    "mutual_information": ("ordinal_invariance", "class_size_awareness", "symmetry"),
    "purity": ("ordinal_invariance",),
    "inverse_purity": ("ordinal_invariance",),
    "purity_f": ("ordinal_invariance", "symmetry"),
    "mae": ("ordinal_monotonicity", "order_awareness", "constant_systems", "symmetry"),
    "mse": ("ordinal_monotonicity", "order_awareness", "constant_systems", "symmetry"),
    "rmse": ("ordinal_monotonicity", "order_awareness", "constant_systems", "symmetry"),
    "macro_mae": (
        "ordinal_monotonicity",
        "imbalance",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    "macro_mse": (
        "ordinal_monotonicity",
        "imbalance",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    "max_mae": ("imbalance", "order_awareness", "constant_systems", "class_size_awareness"),
    "rennie_srebro": (
        "ordinal_monotonicity",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    "pearson": ("order_awareness", "class_size_awareness", "symmetry"),
    "cosine": ("order_awareness", "class_size_awareness", "symmetry"),
    "spearman": ("ordinal_invariance", "order_awareness", "class_size_awareness", "symmetry"),
    "kendall_a": ("ordinal_invariance", "order_awareness", "class_size_awareness", "symmetry"),
    "kendall_b": ("ordinal_invariance", "order_awareness", "class_size_awareness", "symmetry"),
    "r_int": ("ordinal_invariance", "order_awareness", "class_size_awareness", "symmetry"),
    "reliability": ("ordinal_invariance", "order_awareness", "class_size_awareness"),
    "sensitivity": ("ordinal_invariance", "order_awareness", "class_size_awareness"),
    "rs_f": ("ordinal_invariance", "order_awareness", "class_size_awareness", "symmetry"),
    "cem": (
        "ordinal_invariance",
        "ordinal_monotonicity",
        "imbalance",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    "cem(log=False)": (
        "ordinal_invariance",
        "ordinal_monotonicity",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    "kappa(weights='linear')": ("order_awareness", "class_size_awareness", "symmetry"),
    "kappa(weights='quadratic')": ("order_awareness", "class_size_awareness", "symmetry"),
    "cohen_kappa": ("ordinal_invariance", "imbalance", "class_size_awareness", "symmetry"),
    "alpha(level='ordinal')": (
        "ordinal_invariance",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
        "symmetry",
    ),
    "alpha(level='interval')": (
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
        "symmetry",
    ),
    "oc(beta=0.25)": ("order_awareness", "constant_systems", "symmetry"),
    "oc(beta=0.75)": ("order_awareness", "constant_systems", "symmetry"),
    "oc_unnormalised(beta=0.25)": ("constant_systems", "symmetry"),
    "oc_general(beta1=0.25, beta2=0.1)": ("order_awareness", "constant_systems", "symmetry"),
    "uoc(beta=0.25)": ("imbalance", "order_awareness", "constant_systems", "class_size_awareness"),
    "uoc(beta=0.75)": ("imbalance", "order_awareness", "constant_systems", "class_size_awareness"),
    "auoc": ("imbalance", "order_awareness", "constant_systems", "class_size_awareness"),
    "cem(scale='nominal')": (
        "ordinal_invariance",
        "imbalance",
        "constant_systems",
        "class_size_awareness",
    ),
    "cem(scale='interval')": (
        "ordinal_monotonicity",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    "kappa(weights='closeness')": ("ordinal_invariance", "class_size_awareness"),
    "alpha(level='nominal')": (
        "ordinal_invariance",
        "imbalance",
        "constant_systems",
        "class_size_awareness",
        "symmetry",
    ),
    "macro_mae(empty='zero')": (
        "ordinal_monotonicity",
        "imbalance",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    "rennie_srebro(loss='zero_one')": (
        "ordinal_invariance",
        "ordinal_monotonicity",
        "order_awareness",
        "constant_systems",
        "symmetry",
    ),
    "emd": ("order_awareness", "single_class_order", "symmetry"),
    "nmd": ("order_awareness", "single_class_order", "symmetry"),
    "od": ("single_class_order",),
    "sod": ("single_class_order", "symmetry"),
    "rnod": ("single_class_order",),
    "rsnod": ("single_class_order", "symmetry"),
    "nvd": ("ordinal_invariance", "symmetry"),
    "rnss": ("ordinal_invariance", "symmetry"),
    "kld": ("ordinal_invariance",),
    "jsd": ("ordinal_invariance", "symmetry"),
}

# Axioms of which no case gives a measure two scores to compare, so that nothing can be said.
UNDECIDED: dict[str, tuple[str, ...]] = {"kld": ("single_class_order",)}


def claimed(measure: str | Measure, axiom: str) -> bool | None:
    """Whether a measure satisfies an axiom.

    None for a measure or variant not searched, and where no case of the axiom has scores.
    """
    name = str(parse_measure(measure))
    if name not in CLAIMS or axiom in UNDECIDED.get(name, ()):
        return None
    return axiom in CLAIMS[name]
