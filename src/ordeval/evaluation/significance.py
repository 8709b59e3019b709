"""Tests of the differences of systems.

`make_tests` takes a `Sample` and returns the tests, or None where they are impossible, with
notices that explain what is missing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from math import ceil, log2
from typing import Any

import numpy as np

from ..errors import InputError, plural, quoted, require_known
from ..formatting import at_least
from ..notes import Note, note, warning
from ..results import Tests
from ..stats.anova import Anova, effect_sizes, two_way
from ..stats.max_t import PairsTest, detectable_difference, exchange_of, max_t, max_t_tables
from ..types import Floats
from .intervals import class_items, make_intervals
from .sample import MOST_LABELS, Notices, Sample


def make_figures(sample: Sample, *, tested: bool) -> tuple[dict[str, Any], Notices]:
    """Return intervals of scores and, where systems are compared, tests of their differences."""
    intervals, notices = make_intervals(sample)
    figures: dict[str, Any] = {"intervals": intervals}
    if tested:
        figures["tests"], untested = make_tests(sample)
        notices = (*notices, *untested)
    return figures, notices


def make_tests(sample: Sample) -> tuple[Tests | None, Notices]:
    """Test pairs of systems by exchanging units: topics, clusters or items."""
    check_against(sample)
    none = "" if len(sample.scores.systems) > 1 else "there is only one system."
    if not none and sample.exchanged != "items" and sample.units < 2:
        none = f"there is only one {sample.exchanged[:-1]}, and nothing to compare it with."
    if none:
        return None, (warning("tests", f"No tests: {none}"),)
    families, remarks = list[_Family](), list[Note]()
    for rows, part in sample.parts:
        of_part = list(_families(part, rows))
        remarks += _left_out(sample, part, rows, of_part)
        families += of_part
    tests = _filled(sample, families)
    remarks += (
        *_too_few_units(sample, families),
        *_opposed(sample, tests),
        *_near_level(sample, tests),
    )
    return tests, tuple(dict.fromkeys(remarks))


def check_against(sample: Sample) -> None:
    """Raise an error if the system to compare with is unknown."""
    against, systems = sample.settings.against, sample.scores.systems
    if against is not None:
        require_known("system", against, systems, "against")


@dataclass(frozen=True)
class _Family:
    """The test of some measures on the same systems and units, both by position.

    Where means over topics are tested, `scores` are those of topics: [measure, topic, system].
    """

    rows: list[int]
    systems: list[int]
    test: PairsTest
    scores: Floats | None = None

    @property
    def tested(self) -> list[int]:
        """The measures under which any pair has a p-value."""
        apart = ~np.eye(len(self.systems), dtype=np.bool_)
        known = np.asarray(~np.isnan(self.test.p[:, apart]).all(axis=1))
        return [row for row, any_p in zip(self.rows, known, strict=True) if any_p]


def _families(sample: Sample, rows: list[int]) -> Iterator[_Family]:
    """Test measures of classes, or of numbers; `rows` are their positions among all."""
    if sample.by_unit is not None:
        yield from _of_scores(sample, rows, sample.by_unit)
    elif not sample.of_numbers:
        yield from _of_tables(sample, rows)


def _of_scores(sample: Sample, rows: list[int], by_unit: Floats) -> Iterator[_Family]:
    """Test scores `[measure, system, unit]`, whose means are the scores of the systems."""
    names, against = sample.scores.systems, sample.settings.against
    plan = sample.settings.plan(sample.trials())
    for places, systems, units in _testable(sample, by_unit):
        kept = [names[s] for s in systems]
        if against not in (None, *kept):
            continue
        scores = by_unit[np.ix_(places, systems, units)].swapaxes(-1, -2)
        clusters = None if sample.topic_clusters is None else sample.topic_clusters[units]
        other = None if against is None else kept.index(against)
        family = sample.settings.family
        test = max_t(scores, plan, clusters=clusters, against=other, family=family)
        if not sample.by_topic:  # the means are the scores of the systems but for rounding
            values = sample.scores.values[np.ix_(places, systems)]
            difference = values[:, :, None] - values[:, None, :]
            difference[np.isnan(test.difference)] = np.nan
            test = replace(test, difference=difference)
        tested = [rows[place] for place in places]
        yield _Family(tested, systems, test, scores if sample.by_topic else None)


def _testable(sample: Sample, by_unit: Floats) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Group measures by the systems and units on which they can be tested.

    A system without a defined mean is left out, because its differences are undefined as well;
    then every unit that some system lacks. Systems and topics are in the order of their names, so
    that the order in which they were given does not change even the last digit.
    """
    names, topics = sample.scores.systems, sample.scores.topics
    by_name = sorted(range(len(names)), key=names.__getitem__)
    order = range(by_unit.shape[-1])
    units = sorted(order, key=topics.__getitem__) if sample.by_topic else list(order)
    groups: dict[tuple[tuple[int, ...], bytes], list[int]] = {}
    for row, matrix in enumerate(by_unit):
        systems = [place for place in by_name if np.isfinite(sample.scores.values[row, place])]
        whole = ~np.isnan(matrix[systems]).any(axis=0)
        if len(systems) > 1 and whole.sum() > 1:
            groups.setdefault((tuple(systems), whole.tobytes()), []).append(row)
    for (kept, defined), places in groups.items():
        whole = np.frombuffer(defined, dtype=np.bool_)
        yield places, list(kept), [unit for unit in units if whole[unit]]


def _of_tables(sample: Sample, rows: list[int]) -> Iterator[_Family]:
    """Test the measures that are not too costly by exchanging labels on units that all share.

    Those whose influences are computed by finite differences take longer and have fewer trials.
    """
    settings, scores, units = sample.settings, sample.scores, sample.unit_tables
    if units is None:
        raise _too_many_rows(sample)
    against = None if settings.against is None else scores.place(settings.against)
    groups = [[r for r in sample.tested if sample.has_influence(r) == known] for known in (1, 0)]
    for some in [sample.tested] if settings.family == "measures" else filter(None, groups):
        statistic, by_differences = sample.statistic_of(some), some not in groups[:1]
        trials = sample.trials(exchange_of(units, len(sample.pairs), by_differences)[1])
        numbers = 2.0 * len(sample.pairs) * trials * scores.scale.k**2
        test = max_t_tables(
            units,
            statistic,
            settings.plan(trials, numbers=numbers),
            influences=None if by_differences else statistic.influences,
            undefined=scores.replaced,
            against=against,
            family=settings.family,
            moved=None if sample.moved is None else sample.moved[some],
        )
        yield _Family([rows[i] for i in some], list(range(len(scores.systems))), test)


def _too_many_rows(sample: Sample) -> InputError:
    """Return the error that tests need the labels of all systems on the same items."""
    systems, items = len(sample.scores.systems), max(1, int(sample.scores.items))
    fit = MOST_LABELS // items - 1
    fewer = f"Compare at most {fit:,} systems at a time, or m" if fit > 1 else "M"
    return InputError(
        f"The labels of {plural(systems, 'system')} on {plural(items, 'item')} are more than "
        f"{MOST_LABELS:,}, the most that tests over {sample.exchanged} hold in memory.",
        parameter="y_pred",
        hint=f"{fewer}ake means over topics with {{topic}}.",
        suggest={"topic": ...},
    )


def _filled(sample: Sample, families: list[_Family]) -> Tests:
    """Return the tests of all measures; NaN for those that were not tested."""
    measures, systems = len(sample.scores.measures), len(sample.scores.systems)
    shape = (measures, systems, systems)
    figures = {name: np.full(shape, np.nan) for name in (*_OF_PAIRS, "effect", "detectable")}
    averaged = any(part.by_topic for _, part in sample.parts)
    variances = {field.name: np.full(measures, np.nan) for field in fields(Anova)}
    residual = np.full(measures, np.nan)
    for family in families:
        place = np.ix_(family.rows, family.systems, family.systems)
        widths = np.ptp(sample.bounds[family.rows], axis=1)
        for name, values in of_pairs(family.test, sample, widths, len(families)).items():
            figures[name][place] = values
        figures["detectable"][place] = _detectable(family.test, sample)
        if family.scores is not None:
            figures["effect"][place] = effect_sizes(family.scores)
            anova = two_way(family.scores)
            residual[family.rows] = anova.residual_variance
            for name, values in variances.items():
                values[family.rows] = getattr(anova, name)
    return tests_of(
        sample,
        figures,
        residual_variance=residual,
        anova=Anova(**variances) if averaged else None,
        # One line describes all measures: those with fewer topics may have had fewer outcomes.
        trials=max((f.test.trials for f in families), default=sample.trials()),
        exact=bool(families) and all(f.test.exact for f in families),
        over=sample.exchanged,
        units=sample.units,
    )


_OF_PAIRS = ("p", "difference", "se", "skew", "low", "high", "inner_low", "inner_high")


def of_pairs(
    test: PairsTest, sample: Sample, widths: Floats, families: int = 1
) -> dict[str, Floats]:
    """Return p-values, differences and their simultaneous intervals `[measure, system, system]`.

    `widths` are the largest possible differences. If one family of all measures had to be divided,
    its parts share the level. The inner intervals decide on equivalence.
    """
    alpha, parts = sample.settings.alpha, families if sample.settings.family == "measures" else 1
    figures = {"p": np.minimum(parts * test.p, 1.0)}
    figures |= {name: getattr(test, name) for name in _OF_PAIRS[1:4]}
    ends = [*test.intervals(1 - alpha / parts), *test.intervals(max(1 - 2 * alpha / parts, 0.0))]
    largest = widths[:, None, None]
    bounded = (np.clip(end, -largest, largest) for end in ends)
    return figures | dict(zip(_OF_PAIRS[4:], bounded, strict=True))


def tests_of(sample: Sample, figures: dict[str, Floats], **others: Any) -> Tests:
    """Return tests with what the settings say; figures that are not given are NaN."""
    settings, shape = sample.settings, figures["p"].shape
    margin = float("nan") if settings.margin is None else float(settings.margin)
    how: dict[str, Any] = {
        "alpha": settings.alpha,
        "seed": settings.seed,
        "effect": np.full(shape, np.nan),
        "residual_variance": np.full(len(figures["p"]), np.nan),
        "against": settings.against or "",
        "margin": margin,
        "family": settings.family,
    }
    return Tests(**how | figures | others)


def _detectable(test: PairsTest, sample: Sample) -> Floats:
    """Return the differences that would be found with a probability of 80 %."""
    alpha = sample.settings.alpha / len(sample.pairs)
    detectable = detectable_difference(test.se, max(test.units - 1, 1), alpha)
    # The formula holds for differences near 0, a spread, and units enough for p to become small.
    usable = (test.se > 0) & (test.p >= sample.settings.alpha)
    usable &= 2.0 ** (2 - min(test.units, 1000)) < alpha
    return np.where(usable, detectable, np.nan)


# Notices.


def _names(sample: Sample, rows: Iterable[int]) -> list[str]:
    return [sample.scores.measures[row].label for row in rows]


def _left_out(
    sample: Sample, part: Sample, rows: list[int], families: list[_Family]
) -> Iterator[Note]:
    """Report measures, systems and topics that the tests leave out, and doubtful p-values."""
    tested = {row for family in families for row in family.tested}
    missing = quoted(_names(sample, (row for row in rows if row not in tested)))
    why = 'too few systems or topics have defined scores; undefined="skip" may help.'
    if part.by_topic:
        for family in families:
            yield from _undefined_topics(sample, family)
    elif part.of_numbers:
        why = "it needs the numbers of every item, which are unknown or too many to hold."
    else:
        yield from part.slow_notice("tests", part.tested)
        asked = (row for family in families for row in family.rows)
        missing = quoted(_names(sample, (row for row in asked if row not in tested)))
        why = "no pair has defined scores."
        yield from _doubtful(part)
        rough = quoted(_names(sample, (r for f in families if f.test.rough for r in f.rows)), 3)
        if rough:
            first = "is computed to first order, and with few items may be too small."
            yield warning("doubt", f"p under {rough} {first}")
    if missing:
        yield warning("undefined", f"No test under {missing}: {why}")


def _doubtful(part: Sample) -> Iterator[Note]:
    """Report measures for which there are few items."""
    if part.item_counts is None or part.averaged:
        return
    items, measures = class_items(part.item_counts), part.scores.measures
    if part.of_forecasts:  # whose caveats are about intervals alone
        measures = tuple(m for m in measures if m.record.over_classes)
    doubtful = [m.label for m in measures if m.interval_doubt(items)]
    if doubtful:
        yield warning(
            "doubt",
            f"p under {quoted(doubtful, 3)} may be too small where systems of equal score err on "
            "different classes, because there are few items for these measures.",
        )


def _opposed(sample: Sample, tests: Tests) -> Iterator[Note]:
    """Report pairs whose small p rests on differences that are not symmetric."""
    doubtful = tests.opposed
    pairs = [(a, b) for a, b in sample.pairs if doubtful[:, a, b].any()]
    if pairs:
        names = sample.scores.systems
        of = quoted((f"{names[a]} – {names[b]}" for a, b in pairs), 3)
        under = quoted(_names(sample, np.flatnonzero(doubtful.any(axis=(1, 2)))), 3)
        yield warning("doubt", f"p of {of} under {under} may be too small: {tests.why_opposed}.")


def _near_level(sample: Sample, tests: Tests) -> Iterator[Note]:
    """Report pairs whose random trials leave open on which side of the level p is."""
    if tests.exact:
        return
    error = 2 * np.sqrt(tests.alpha * (1 - tests.alpha) / tests.trials)
    near = np.abs(tests.p[sample.first] - tests.alpha) <= error
    names, pairs = sample.scores.systems, [pair for pair in sample.pairs if near[pair]]
    if pairs:
        of = quoted((f"{names[a]} – {names[b]}" for a, b in pairs), 3)
        yield note("tests", f"p of {of} is {tests.alpha:g} within the error of random trials, "
                   f"± {error:.3f}; more trials decide.")  # fmt: skip


def _undefined_topics(sample: Sample, family: _Family) -> Iterator[Note]:
    """Report what a test of means over topics leaves out."""
    assert family.scores is not None
    systems = len(sample.scores.systems) - len(family.systems)
    topics = len(sample.scores.topics) - family.scores.shape[1]
    gone = " and ".join(plural(n, of) for n, of in ((systems, "system"), (topics, "topic")) if n)
    if gone:
        names = quoted(_names(sample, family.rows), 3)
        text = f"The test under {names} leaves out {gone} without a defined score."
        yield warning("undefined", text)


def _too_few_units(sample: Sample, families: list[_Family]) -> Iterator[Note]:
    """Report that no pair can reach the level, whatever the data.

    A common sign of all U units leaves the size of every difference as it is, so of the 2^U
    patterns of signs at least two are as extreme as the data.
    """
    over, alpha, every = sample.exchanged, sample.settings.alpha, len(sample.scores.measures)
    for family in families:
        test, tested = family.test, _names(sample, family.tested)
        least = 1 / (test.trials if test.exact else test.trials + 1)
        if least < alpha or not tested:  # of undefined scores, another notice tells
            continue
        under = f" under {quoted(tested, 3)}" if len(tested) < every else ""
        why = f"with {plural(test.trials, 'trial')}; make more."
        if test.exact:
            differ = plural(1 + int(log2(test.trials)), over[:-1])
            needed = ceil(1 + log2(1 / alpha) + 1e-9)
            why = f"because systems differ on at most {differ}; {needed} are needed."
        p = f"p is at least {at_least(least)}"
        yield warning("powerless", f"No difference can be significant{under}: {p}, {why}")
