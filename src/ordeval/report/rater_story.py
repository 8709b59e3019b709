"""What agreement of raters says, as sentences: answer and data checks."""

from collections.abc import Iterable
from math import isnan

from ..errors import first_few, plural
from ..formatting import one_line
from ..measures.spec import Measure
from ..rater_results import Agreement, Estimate, RaterPair, coefficient_name
from .rater_tables import items_of
from .story import Check, counted, listed, number, sentence, strong

_CHANCE_CORRECTED = {
    *("krippendorff", "weighted_alpha", "fleiss", "conger"),
    *("ac1", "ac2", "brennan_prediger"),
}
_FEW_ITEMS = 30  # below this, intervals over items are rough
_FEW_COMMON = 20  # items that two raters share, below which their score is rough
_TENTATIVE, _FIRM = 0.667, 0.8
_MOST_NAMED = 4
_EXPECTED = (
    "Left out",
    "No intervals for",
    "No analytic",
    "The weights make",
    "one rating only",
    "is Conger's",
    "slices:",
    "hold for all models at once",
)


def size_sentence(found: Agreement) -> str:
    """Say who rated how many items, on which scale."""
    names = found.rater_names
    named = f" ({listed(names, _MOST_NAMED)})" if 0 < len(names) <= _MOST_NAMED else ""
    labels = found.scale.labels
    classes = counted(len(labels), "class", "classes")
    ends = f" ({one_line(str(labels[0]))} lowest, {one_line(str(labels[-1]))} highest)"
    size = f"{items_of(found.items, found)}, with {plural(found.ratings, 'rating')} in all"
    more = ""
    if found.shared < found.items:
        have = "item has" if found.shared == 1 else "items have"
        more = f"; {found.shared:,} {have} two ratings or more"
    return sentence(
        f"{who(found)}{named} rated {size}, on a scale of {classes}",
        f"{ends if len(labels) > 1 else ''}{more}.",
    )


def agreement_answer(found: Agreement) -> list[str]:
    """Return how well raters agree, which of them differ, and about what."""
    return [_coefficient(found), *_convention(found), *_extremes(found), *_standing_out(found)]


def figure_phrase(estimate: Estimate, level: float) -> str:
    """Return a figure with its interval for a sentence."""
    if isnan(estimate.low) or isnan(estimate.high):
        return number(estimate.value)
    ends = f"{number(estimate.low)} to {number(estimate.high)}"
    return f"{number(estimate.value)} ({100 * level:g} % interval {ends})"


def who(found: Agreement) -> str:
    """Return the raters in a few words."""
    raters = int(found.about.get("raters", len(found.raters)))
    return counted(raters, "rater") if raters else "the raters"


def _coefficient(found: Agreement) -> str:
    """Say how well all raters agree under the first coefficient, in plain words."""
    if not found.coefficients:
        return sentence(f"no coefficient was computed for {who(found)}.")
    measure, estimate = next(iter(found.coefficients.items()))
    name = strong(coefficient_name(measure))
    on = f"on {plural(found.shared, 'item')}"
    on += " with two ratings or more" if found.shared < found.items else ""
    if isnan(estimate.value):
        why = f": {estimate.doubt}" if estimate.doubt else ""
        return f"{name} is undefined for {who(found)} {on}{why}."
    figures = figure_phrase(estimate, found.level)
    whom = f"the {who(found).removeprefix('the ')}"
    start = f"{name} of {whom} is {figures} {on}"
    return sentence(start, _in_words(measure, estimate))


def _in_words(measure: Measure, estimate: Estimate) -> str:
    """Say what a coefficient means."""
    if measure.id not in _CHANCE_CORRECTED:
        return "; 1 is perfect agreement."
    if estimate.value >= 1:
        return ": they never differ."
    left = 100 * (1 - estimate.value)
    share = f"{left:.0f} % of" if left < 100 else "not less than"
    return f": their disagreement{_distance(measure)} is {share} that expected by chance."


def _distance(measure: Measure) -> str:
    """Say what counts as disagreement, where it is not every difference alike."""
    level, weights = measure.params.get("level"), measure.params.get("weights", "identity")
    if level == "nominal" or (level is None and weights == "identity"):
        return ""
    if level is not None:
        between = {"ordinal": "differences of ranks", "ratio": "relative differences"}
        return f", in squared {between.get(level, 'differences of class values')},"
    named = {
        "linear": "in differences of class values",
        "quadratic": "in squared differences of class values",
    }
    told = named.get(weights) if isinstance(weights, str) else None
    return f", {told or 'by the weights of the coefficient'},"


def _convention(found: Agreement) -> list[str]:
    """Set the interval of alpha beside the conventional bounds."""
    if not found.coefficients:
        return []
    measure, estimate = next(iter(found.coefficients.items()))
    if measure.id != "krippendorff" or isnan(estimate.value):
        return []
    low, high = (
        (estimate.value, estimate.value)
        if isnan(estimate.low) or isnan(estimate.high)
        else (estimate.low, estimate.high)
    )
    what = "coefficient" if low == high else "interval"
    inside = sum(low < bound <= high for bound in (_TENTATIVE, _FIRM))
    if low >= _FIRM:
        told = f"The whole {what} lies above"
    elif high < _TENTATIVE:
        told = f"The whole {what} lies below"
    else:
        told = f"The {what} {('lies between', 'contains one of', 'contains both of')[inside]}"
    return [
        f"{told} the conventional bounds of Krippendorff 2004 (0.800, or 0.667 for tentative "
        "conclusions); these are a convention, not a test."
    ]


def _extremes(found: Agreement) -> list[str]:
    """Name the pairs that agree most and least."""
    first = found.pairs[0].measure if found.pairs else None
    pairs = [p for p in found.pairs if p.measure == first and not isnan(p.estimate.value)]
    if first is None or len(pairs) < 2:
        return []
    ordered = sorted(pairs, key=lambda pair: -first.sign * pair.estimate.value)
    best, worst = ordered[0], ordered[-1]
    return [
        f"Of {counted(len(pairs), 'pair')}, {_pair(best)} agree most, {_pair(worst)} least "
        f"({first.short} {number(best.estimate.value)} and {number(worst.estimate.value)})."
    ]


def _pair(pair: RaterPair) -> str:
    return f"{strong(pair.first)} and {strong(pair.second)}"


def _standing_out(found: Agreement) -> list[str]:
    """Name the raters who stand out, with the reason."""
    if told := outstanding(found):
        return [f"Standing out: {told}."]
    return ["No rater stands out."] if len(found.raters) > 2 and found.replicates else []


def outstanding(found: Agreement) -> str:
    """Return the raters who stand out by the reason; empty if there are none."""
    by_reason: dict[str, list[str]] = {}
    for row in found.raters:
        if row.stands_out:
            by_reason.setdefault(row.stands_out, []).append(row.rater)
    return "; ".join(f"{listed(names, _MOST_NAMED)} ({why})" for why, names in by_reason.items())


# Data checks.


def agreement_checks(found: Agreement) -> list[Check]:
    """Return the notices and what the data allow or forbid to conclude."""
    return [
        *told(found.notices),
        *_gaps(found),
        *_overlap(found),
        *_sizes(found),
        *_constant(found),
        *_unused(found),
        *_undefined(found),
    ]


def told(notices: Iterable[str]) -> list[Check]:
    """Return notices as findings: what was done as expected is a note, the rest a warning."""
    return [
        Check("note" if any(words in notice for words in _EXPECTED) else "warning", notice)
        for notice in notices
    ]


def _gaps(found: Agreement) -> list[Check]:
    if not found.raters:
        return []
    full = found.items * len(found.raters)
    if found.ratings >= full:
        return [Check("ok", "Every rater rated every item.")]
    share = 100 * (1 - found.ratings / full)
    text = (
        f"{share:.3g} % of the {full:,} ratings are missing: figures rest on the "
        f"{plural(found.ratings, 'rating')} that there are."
    )
    return [Check("note", text)]


def _overlap(found: Agreement) -> list[Check]:
    first = found.pairs[0].measure if found.pairs else None
    few = [p for p in found.pairs if p.measure == first and p.items < _FEW_COMMON]
    if few:
        text = (
            f"{plural(len(few), 'pair')} of raters {'shares' if len(few) == 1 else 'share'} fewer "
            f"than {_FEW_COMMON} items: the scores of such pairs are imprecise."
        )
        return [Check("note", text)]
    if not found.pairs:
        return []
    return [Check("ok", f"All pairs of raters share at least {_FEW_COMMON} items.")]


def _sizes(found: Agreement) -> list[Check]:
    checks = []
    if len(found.raters) == 2:
        text = "There are only two raters: nothing is known about how other raters would agree."
        checks.append(Check("note", text))
    if found.shared < _FEW_ITEMS:
        text = f"Only {plural(found.shared, 'item')} with two ratings or more: intervals are rough."
        checks.append(Check("warning", text))
    return checks


def _constant(found: Agreement) -> list[Check]:
    constant = [row.rater for row in found.raters if max(row.shares, default=0.0) >= 1 - 1e-12]
    if not constant:
        return [Check("ok", "All raters give more than one class.")] if found.raters else []
    verb = "gives" if len(constant) == 1 else "give"
    text = f"{first_few(constant, _MOST_NAMED)} {verb} the same class throughout."
    return [Check("warning", text)]


def _unused(found: Agreement) -> list[Check]:
    if not found.raters:
        return []
    labels = found.scale.labels
    used = [any(row.shares[k] for row in found.raters) for k in range(len(labels))]
    unused = [str(label) for label, is_used in zip(labels, used, strict=True) if not is_used]
    if not unused:
        return [Check("ok", "All classes occur.")]
    verb = "class is" if len(unused) == 1 else "classes are"
    text = f"{len(unused)} {verb} never given: {first_few(unused, _MOST_NAMED)}."
    return [Check("note", text)]


def _undefined(found: Agreement) -> list[Check]:
    gone = [(m, e) for m, e in found.coefficients.items() if isnan(e.value)]
    if not gone:
        return [Check("ok", "All coefficients are defined.")] if found.coefficients else []
    return [Check("warning", f"{coefficient_name(m)} is undefined{_because(e)}.") for m, e in gone]


def _because(estimate: Estimate) -> str:
    return f": {estimate.doubt}" if estimate.doubt else ""
