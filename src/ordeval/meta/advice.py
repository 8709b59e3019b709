"""Which measure to use for the data at hand, in plain words."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordeval.display import Displayable

from .matrices import DataFacts, ScoreMatrices

KAPPA = "kappa(weights='linear')"
ALPHA = "alpha(level='ordinal')"
# Fewer topics than this cannot be split into two sets of ten.
FEW_TOPICS = 20


@dataclass(frozen=True, repr=False)
class Advice(Displayable):
    """What to use, why, and what to mind.

    Attributes
    ----------
    primary, secondary : measures.
    reason : why, in words.
    warnings : what in these data may mislead, in words.
    source : where the recommendation comes from.
    """

    primary: str
    secondary: str
    reason: str
    warnings: tuple[str, ...]
    source: str

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import advice_table

        return [advice_table(self)]


def advise(facts: DataFacts, matrices: ScoreMatrices | None = None) -> Advice:
    """Recommend measures (Sakai 2021, §5.4, 6.4 and 7), with the warnings that fit the data."""
    of_task = _for_quantification if facts.task == "quantification" else _for_classification
    found = of_task(facts)
    undefined = _undefined_warnings(matrices, (found.primary, found.secondary))
    return replace(found, warnings=(*_data_warnings(facts), *undefined, *found.warnings))


def _for_classification(facts: DataFacts) -> Advice:
    constant = facts.constant_systems
    if len(constant) >= 2:
        primary, secondary = ALPHA, KAPPA
        reason = (
            f"{len(constant)} systems always answer the same class ({_listed(constant)}). Kappa "
            "gives every such system 0 and cannot rank them; ordinal alpha can, it sees the order "
            "of the classes and assumes no distances between them. Report linear kappa beside it."
        )
    else:
        primary, secondary = KAPPA, ALPHA
        number = "Only one system always answers" if constant else "No system always answers"
        reason = (
            f"{number} the same class, so linear kappa can rank the systems. It sees the order of "
            "the classes and is corrected for chance, and in Sakai's comparison it was the most "
            "discriminative measure and among the most consistent. Report ordinal alpha beside it."
        )
    equal_steps = (
        "Linear kappa takes the steps between neighbouring classes as equal. If they are not, "
        "declare class values, or rely on ordinal alpha, which needs none."
    )
    warnings = (equal_steps,) if facts.equidistant else ()
    return Advice(primary, secondary, reason, warnings, "Sakai 2021, §5.4 and 7")


def _for_quantification(facts: DataFacts) -> Advice:
    reason = (
        "RNOD sees the order of the classes, and in Sakai's comparison it ranked systems more "
        "consistently than the other measures that do. It is not symmetric, which comparing an "
        "estimate with gold does not need. Report NMD, an earth mover's distance, beside it: it "
        "looks at the same errors in another way, though its rankings were less consistent there."
    )
    equal_steps = (
        "RNOD takes the steps between neighbouring classes as equal; if they are not, declare "
        "class values."
    )
    weakness = (
        "RNOD weighs an error by its distance from every class that gold uses: where gold is "
        "spread out, mass put farther from its class can score no worse. NMD does not have this "
        "weakness."
    )
    warnings = (equal_steps, weakness) if facts.equidistant else (weakness,)
    return Advice("rnod", "nmd", reason, warnings, "Sakai 2021, §6.4 and 7")


def _data_warnings(facts: DataFacts) -> tuple[str, ...]:
    found = []
    if facts.topics_with_empty_classes:
        found.append(_about_empty_classes(facts))
    labels = facts.task == "classification"
    if labels and facts.topics_of_one_class:
        found.append(
            f"In {facts.topics_of_one_class} of {facts.topics} topics gold is all one class: "
            "correlations do not exist there, and kappa and alpha only where a system errs; kappa "
            "is then 0, however many errors there are."
        )
    if labels and len(facts.constant_systems) == 1:
        found.append(
            f"{facts.constant_systems[0]} always answers the same class: kappa gives it exactly 0, "
            "and correlations do not exist for it."
        )
    if facts.topics < FEW_TOPICS:
        found.append(
            f"There are only {facts.topics} topics: two sets of 10 cannot be drawn, halves rank "
            "the systems unsteadily, and tests over topics find little. Read the figures on "
            "consistency and discriminative power with care."
        )
    if facts.inferred:
        found.append(
            "The scale was read off the labels; a class that nobody used is missing. Declare it."
        )
    return tuple(found)


def _about_empty_classes(facts: DataFacts) -> str:
    start = (
        f"In {facts.topics_with_empty_classes} of {facts.topics} topics at least one class is "
        "empty in gold"
    )
    if facts.task == "quantification":
        return f"{start}: KLD does not exist for estimates that put mass there."
    return (
        f"{start}: macro averages are over the other classes, so they are averages of different "
        "classes from topic to topic, and CEM scores errors into two neighbouring empty classes "
        "alike, however far off they are."
    )


def _undefined_warnings(
    matrices: ScoreMatrices | None, recommended: tuple[str, str]
) -> tuple[str, ...]:
    if matrices is None or not matrices.missing.any():
        return ()
    gone = matrices.missing.sum(axis=1)
    cells = len(matrices.systems) * len(matrices.topics)
    named = ", ".join(f"{matrices.measures[i]} ({gone[i]})" for i in np.flatnonzero(gone))
    way_out = ""
    if matrices.undefined is None:
        treatment = "they make every mean over them undefined"
        way_out = (
            ' With undefined="skip" they are left out of the means; with undefined=0 (or another '
            "number) that number stands for them."
        )
    elif matrices.undefined == "skip":
        treatment = "means are over the other topics, so systems are compared on different topics"
    else:
        treatment = f"each counts as {matrices.undefined}"
    ours = [m for m in recommended if m in matrices.measures and gone[matrices.measures.index(m)]]
    also = f" So it is with {' and '.join(ours)}, recommended here." if ours else ""
    return (f"Undefined scores, of {cells} each: {named}; {treatment}.{also}{way_out}",)


def _listed(names: tuple[str, ...], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
