"""Sakai (2021), Tables 4 and 7, which summaries show beside the user's own figures."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SakaiRow:
    """A row of Sakai (2021), Table 4 or 7.

    `order`, `constant` and `imbalance` are columns I to III of Table 4; `order` and `symmetric`
    columns I and II of Table 7. A column that a table does not have is None.
    """

    order: bool
    constant: bool | None
    imbalance: bool | None
    symmetric: bool | None
    group: str
    consistency: str
    discrimination: str


SAKAI_TABLE_4: Mapping[str, SakaiRow] = {
    "kappa(weights='linear')": SakaiRow(True, False, True, None, "A", "good", "good"),
    "alpha(level='ordinal')": SakaiRow(True, True, True, None, "A", "good", "fair"),
    "alpha(level='interval')": SakaiRow(True, True, True, None, "A", "good", "fair"),
    "cem": SakaiRow(True, True, True, None, "A/B", "poor", "poor"),
    "macro_mae": SakaiRow(True, True, True, None, "A", "fair", "poor"),
    "macro_f1": SakaiRow(False, True, True, None, "A", "fair", "fair"),
    "hmpr": SakaiRow(False, True, True, None, "A", "fair", "fair"),
    "mae": SakaiRow(True, True, False, None, "B", "fair", "poor"),
    "accuracy": SakaiRow(False, True, False, None, "B", "poor", "poor"),
}

SAKAI_TABLE_7: Mapping[str, SakaiRow] = {
    "nmd": SakaiRow(True, None, None, True, "X", "poor", "poor"),
    "rsnod": SakaiRow(True, None, None, True, "Y", "poor", "fair"),
    "rnod": SakaiRow(True, None, None, False, "Y", "good", "fair"),
    "nvd": SakaiRow(False, None, None, True, "Y", "good", "fair"),
    "rnss": SakaiRow(False, None, None, True, "Y", "good", "fair"),
    "jsd": SakaiRow(False, None, None, True, "Y", "good", "fair"),
}
