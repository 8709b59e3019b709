"""What the papers print about measures, to stand beside what is found here."""

from collections.abc import Mapping
from dataclasses import dataclass

from ordeval.spec import parse_measure

from .axiom_search import AxiomResult, AxiomTable

AMIGO_AXIOMS = ("ordinal_invariance", "ordinal_monotonicity", "imbalance")

# Amigó et al. (2020), Table 2.
AMIGO_TABLE_2: Mapping[str, tuple[bool, bool, bool]] = {
    "accuracy": (True, False, False),
    "accuracy_within(n=1)": (True, False, False),
    "macro_recall": (True, False, True),
    "cohen_kappa": (True, False, True),
    "macro_f1": (True, False, True),
    "mae": (False, True, False),
    "mse": (False, True, False),
    "macro_mae": (False, True, True),
    "macro_mse": (False, True, True),
    "kappa(weights='linear')": (False, True, True),
    "rennie_srebro": (False, True, False),
    "cosine": (False, True, False),
    "pearson": (False, False, False),
    "kendall_b": (True, False, True),
    "spearman": (True, False, True),
    "kendall_a": (True, False, False),
    "rs_f": (True, False, True),
    "mutual_information": (True, False, True),
    "purity": (True, False, True),
    "inverse_purity": (True, False, True),
    "oc(beta=0.25)": (True, False, False),
    "cem(scale='nominal')": (True, False, True),
    "cem(scale='interval')": (False, True, True),
    "cem": (True, True, True),
}

_TORN_FROM_COMPANIONS = (
    "An item that leaves a large class parts from more companions that gold ties it to than one "
    "that leaves a small class, so the error in the large class costs more, against the axiom. The "
    "paper's own example shows it: for gold (1 1 2 3), {} is {} for (1 2 2 3) and {} for (1 1 2 2)."
)

# Why the search contradicts an entry of Amigó et al. (2020), Table 2.
AMIGO_DISAGREEMENTS: Mapping[tuple[str, str], str] = {
    ("kappa(weights='linear')", "ordinal_monotonicity"): (
        "Moving a prediction closer also changes the system's class shares, and with them the "
        "disagreement expected by chance that the observed one is divided by. For systems worse "
        "than chance the two changes can cancel out, or the score can fall."
    ),
    ("kappa(weights='linear')", "imbalance"): (
        "With three classes it holds in every case tried. With four or more, a place near the end "
        "of the scale changes the expected disagreement more than one in the middle, which can "
        "outweigh the sizes of the classes. The paper itself says that it depends on the weights."
    ),
    ("cosine", "ordinal_monotonicity"): (
        "The cosine compares directions: constant predictions can point more nearly in the "
        "direction of gold than predictions of which one more is right."
    ),
    ("spearman", "imbalance"): _TORN_FROM_COMPANIONS.format("Spearman", "0.833", "0.943"),
    ("kendall_b", "imbalance"): _TORN_FROM_COMPANIONS.format("tau-b", "0.800", "0.894"),
    ("rs_f", "imbalance"): _TORN_FROM_COMPANIONS.format("F of R and S", "0.792", "0.909"),
    ("mutual_information", "imbalance"): (
        "What is lost is the uncertainty within the class that receives the item, and that depends "
        "on its size alone: both systems score the same, and the axiom asks for a difference."
    ),
    ("purity", "imbalance"): (
        "One item is in the wrong class either way: both systems score the same, and the axiom "
        "asks for a difference."
    ),
    ("inverse_purity", "imbalance"): (
        "One item less stays with its class either way, so both systems score the same; and where "
        "the small class holds a single item, that moves as a whole and costs nothing."
    ),
    ("oc(beta=0.25)", "ordinal_invariance"): (
        "The table prints OC as invariant, while the text says that it inherits the lack of "
        "invariance from MAE. Distances taken from class values, as here, make the text right; "
        "distances between class indices do not see the map at all and make the table right."
    ),
    ("cem(scale='interval')", "imbalance"): (
        "With three classes it holds in every case tried. With four or more, a class counts as "
        "close on both sides of gold, so the size of a class beyond the two neighbours matters "
        "too, and can outweigh theirs."
    ),
}


# Sakai (2021) on quantification, where the search finds otherwise.
SAKAI_DISAGREEMENTS: Mapping[tuple[str, str], str] = {
    ("nmd", "ordinal_invariance"): (
        "The paper counts NMD among the measures that assume no equal distances. Its formula has "
        "none, because every step between classes has length 1; once classes have values, a step "
        "weighs what it spans, and the score follows the values."
    ),
    **{
        (measure, "order_awareness"): (
            "Differences are weighed by their distance from every class that gold uses, not from "
            "the class the mass came from. If gold is in one class, farther is always worse. If "
            "gold uses several, mass moved past the middle of them comes closer to the rest, and "
            "can score the same or better."
        )
        for measure in ("rnod", "rsnod")
    },
}


@dataclass(frozen=True)
class Comparison:
    """One cell of a printed property table beside what the search found.

    `why` explains a disagreement, and is empty where both agree.
    """

    measure: str
    axiom: str
    printed: bool
    found: AxiomResult
    why: str

    @property
    def agrees(self) -> bool:
        """Whether paper and search say the same."""
        return self.printed == bool(self.found.holds)


def amigo_table_2(table: AxiomTable) -> tuple[Comparison, ...]:
    """Amigó's Table 2 from a search, row by row; rows of measures not searched are left out.

    `ordeval.meta.axioms(AMIGO_TABLE_2, AMIGO_AXIOMS)` searches all of it.
    """
    cells = []
    for name, printed in AMIGO_TABLE_2.items():
        measure = str(parse_measure(name))
        if measure not in table.measures:
            continue
        for axiom, entry in zip(AMIGO_AXIOMS, printed, strict=True):
            found = table.of(measure, axiom)
            disagrees = entry != bool(found.holds)
            why = AMIGO_DISAGREEMENTS.get((measure, axiom), "") if disagrees else ""
            cells.append(Comparison(measure, axiom, entry, found, why))
    return tuple(cells)
