"""Advice on which measure to use for the data at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ordeval.display import Displayable
from ordeval.errors import InputError, first_few, plural
from ordeval.results import Result
from ordeval.types import Undefined

from .discrimination import DiscriminativePower, discriminative_power
from .evidence import Evidence, measure_warnings
from .ranking_consistency import Consistency
from .ranking_consistency import consistency as compute_consistency
from .score_matrices import DataFacts, ScoreMatrices

KAPPA = "kappa(weights='linear')"
ALPHA = "alpha(level='ordinal')"
# With fewer topics, two sets of ten cannot be drawn.
FEW_TOPICS = 20


@dataclass(frozen=True, repr=False)
class Advice(Displayable):
    """Recommended measures for the data at hand.

    Parameters
    ----------
    primary, secondary : str
        The measures to use; the same one twice where a second one would say nothing else.
    reason : str
        Why these measures were chosen.
    warnings : tuple of str
        What may be misleading in the data.
    source : str
        Where the recommendation comes from: a publication, or the data.
    evidence : tuple of str
        What the results on these data say about the recommended measure, with figures.
    published : tuple of str, optional
        The primary and secondary measure that the literature recommends for such data, where
        they differ from the measures above.

    Examples
    --------
    >>> import ordeval as oe
    >>> advice = oe.meta.advise(oe.meta.DataFacts("quantification", k=5, topics=50))
    >>> advice.primary, advice.secondary, advice.source
    ('rnod', 'nmd', 'Sakai 2021, §6.4 and 7')
    """

    primary: str
    secondary: str
    reason: str
    warnings: tuple[str, ...]
    source: str
    evidence: tuple[str, ...] = ()
    published: tuple[str, str] | None = None


def advise(
    data: DataFacts | ScoreMatrices | Result,
    *,
    consistency: Sequence[Consistency] | None = None,
    discrimination: DiscriminativePower | None = None,
) -> Advice:
    """Recommend measures for the data at hand, by the literature and by the data themselves.

    The literature (Sakai 2021, section 7) recommends linear kappa for labels unless two or more
    systems are constant, otherwise ordinal alpha; RNOD for distributions. Scores of systems on
    topics lead to another measure if the recommended one is undefined on some topic, or if another
    one that takes the order of the classes into account is significantly more consistent and
    separates at least as many pairs of systems.

    Parameters
    ----------
    data : DataFacts, ScoreMatrices or Result
        Facts about the data, scores made from data, or a result of `evaluate`, `compare` or
        `quantify`. Only scores are a basis for evidence.
    consistency : sequence of Consistency, optional
        Consistency of the measures in `data`, the first on halves of the topics; computed with
        the default settings if `data` are scores and it is not given.
    discrimination : DiscriminativePower, optional
        Discriminative power of the measures in `data`; computed likewise.

    Returns
    -------
    Advice
        The recommended measures, the reason, figures from the data, and warnings.

    Examples
    --------
    >>> import ordeval as oe
    >>> facts = oe.meta.DataFacts("classification", k=5, topics=50, constant_systems=("x", "y"))
    >>> oe.meta.advise(facts).primary
    "alpha(level='ordinal')"
    """
    facts = _facts(data)
    quantification = facts.task == "quantification"
    found = _for_quantification(facts) if quantification else _for_classification(facts)
    scores = data if isinstance(data, ScoreMatrices) else None
    of_measure: tuple[str, ...] = ()
    if scores is not None:
        sizes = tuple(consistency or [compute_consistency(scores)])
        evidence = Evidence(scores, facts, sizes, discrimination or discriminative_power(scores))
        found = _by_evidence(found, evidence)
        of_measure = measure_warnings(evidence, found.primary)
    undefined = _undefined_warnings(scores, (found.primary, found.secondary))
    warnings = *_data_warnings(facts), *undefined, *of_measure, *found.warnings
    return replace(found, warnings=warnings)


def _by_evidence(published: Advice, evidence: Evidence) -> Advice:
    """Return the published advice, or another measure if the data speak against its first one."""
    better = evidence.better_than(published.primary, published.secondary)
    if better is None:
        return replace(published, evidence=evidence.about(published.primary, published.secondary))
    measure, reason = better
    return replace(
        published,
        primary=measure,
        secondary=published.primary,
        reason=reason,
        source="these data",
        evidence=evidence.about(measure, published.primary),
        published=(published.primary, published.secondary),
    )


def _facts(data: DataFacts | ScoreMatrices | Result) -> DataFacts:
    if isinstance(data, Result):
        return DataFacts.of_result(data)
    facts = data.facts if isinstance(data, ScoreMatrices) else data
    if facts is None:
        raise InputError(
            "The scores were not made from data, so nothing is known about the data.",
            parameter="data",
            hint="Give the facts, or scores made from counts or distributions.",
        )
    return facts


def _for_classification(facts: DataFacts) -> Advice:
    constant = facts.constant_systems
    if len(constant) >= 2:
        primary, secondary = ALPHA, KAPPA
        reason = (
            f"{len(constant)} systems always predict the same class ({first_few(constant, 5)}). "
            "Kappa is 0 for each of them and cannot rank them. Ordinal alpha can; it takes the "
            "order of the classes into account and assumes no distances between them."
        )
    else:
        primary, secondary = KAPPA, ALPHA
        number = "Only one system always predicts" if constant else "No system always predicts"
        reason = (
            f"{number} the same class, so linear kappa can rank the systems. It takes the order of "
            "the classes into account and is corrected for chance. In Sakai's comparison its "
            "discriminative power was consistently good, and its rankings were consistent on the "
            "data where no more than one system was constant."
        )
    equal_steps = (
        "Linear kappa assumes equal steps between neighbouring classes. If they are not equal, "
        "declare class values, or rely on ordinal alpha, which needs none."
    )
    warnings = (equal_steps,) if facts.equidistant and facts.k > 2 else ()
    return Advice(primary, secondary, reason, warnings, "Sakai 2021, §5.2 to 5.4 and 7")


def _for_quantification(facts: DataFacts) -> Advice:
    if facts.k == 2:
        return Advice("rnod", "rnod", _TWO_CLASSES, (), "Sakai 2021, §6.4 and 7")
    reason = (
        "RNOD takes the order of the classes into account, and in Sakai's comparison it ranked "
        "systems more consistently than the other measures that do. It is not symmetric, which "
        "does not matter when estimates are compared with gold. NMD, an earth mover's distance, "
        "measures the same errors in a different way, though its rankings were less consistent "
        "there."
    )
    equal_steps = (
        "RNOD assumes equal steps between neighbouring classes. If they are not equal, declare "
        "class values."
    )
    weakness = (
        "RNOD weighs an error by its distance from every class that gold uses. If gold is spread "
        "over several classes, mass that is moved farther from its class may not score worse. NMD "
        "does not have this weakness."
    )
    warnings = (equal_steps, weakness) if facts.equidistant else (weakness,)
    return Advice("rnod", "nmd", reason, warnings, "Sakai 2021, §6.4 and 7")


_TWO_CLASSES = (
    "With two classes the error is a single number, the difference of the shares of one class. "
    "RNOD, RSNOD, NMD, EMD, NVD, RNSS and AE are all equal to its absolute value, averaged over "
    "topics: report one of them."
)


def _data_warnings(facts: DataFacts) -> tuple[str, ...]:
    found = []
    if facts.topics_with_empty_classes:
        found.append(_empty_class_warning(facts))
    labels = facts.task == "classification"
    if labels and facts.topics_of_one_class:
        found.append(
            f"In {facts.topics_of_one_class} of {facts.topics} topics all gold labels are the same "
            "class: correlations are undefined there, and so are kappa and alpha unless a system "
            "makes an error; kappa is then 0, however many errors there are."
        )
    if labels and len(facts.constant_systems) == 1:
        found.append(
            f"{facts.constant_systems[0]} always predicts the same class: kappa is exactly 0 for "
            "it, and correlations are undefined."
        )
    if 0 < facts.topics < FEW_TOPICS:
        found.append(
            f"There are only {plural(facts.topics, 'topic')}: two sets of 10 cannot be drawn, "
            "rankings on halves are unstable, and tests over topics have little power. Interpret "
            "consistency and discriminative power with care."
        )
    if facts.inferred:
        found.append(
            "The scale was inferred from the labels; a class that does not occur is missing. "
            "Declare the scale."
        )
    return tuple(found)


def _empty_class_warning(facts: DataFacts) -> str:
    start = (
        f"In {facts.topics_with_empty_classes} of {facts.topics} topics at least one class is "
        "empty in gold"
    )
    if facts.task == "quantification":
        return f"{start}: KLD is undefined for estimates with mass there."
    return (
        f"{start}: macro averages are taken over the other classes, which differ from topic to "
        "topic, and CEM gives errors into two neighbouring empty classes the same score, whatever "
        "their distance."
    )


def _undefined_warnings(
    scores: ScoreMatrices | None, recommended: tuple[str, str]
) -> tuple[str, ...]:
    if scores is None or not scores.missing.any():
        return ()
    gone = dict(zip(scores.measures, scores.missing.sum(axis=1), strict=True))
    named = ", ".join(f"{measure} ({count})" for measure, count in gone.items() if count)
    cells = len(scores.systems) * len(scores.topics)
    ours = [measure for measure in recommended if gone.get(measure)]
    also = f" This includes {' and '.join(ours)}, recommended here." if ours else ""
    treatment, remedy = _treatment(scores.undefined)
    return (f"Undefined scores, of {cells} each: {named}; {treatment}.{also}{remedy}",)


def _treatment(undefined: Undefined) -> tuple[str, str]:
    """Return how undefined scores are treated, and what can be done about it."""
    if undefined == "skip":
        return "means are over the other topics, so systems are compared on different topics", ""
    if undefined is not None:
        return f"each counts as {undefined}", ""
    return (
        "means over them are undefined",
        " They can be left out of the means (undefined set to skip) or replaced by a number.",
    )
