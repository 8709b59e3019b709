"""What the reader of a judgement should know about people, models and their figures."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..data.data import Data
from ..errors import plural, quoted
from ..measures.spec import Measure
from ..notes import Note, note, warning
from ..results import LEAST_SHARED, Agreement, AlternativeTest
from ..types import Bools
from .panel import PeoplePanel
from .rater_study import miscounting
from .replacement import LEAST_ITEMS
from .standings import Figures

_FEW_ITEMS = 30  # of a person, below which scores are uncertain
_TIES = {
    "majority": "the median of the tied classes, the lower one of two,",
    "median": "the lower one of the two middle classes",
    "mean": "the higher one of the two nearest classes",
}


def judge_notes(
    data: Data,
    figures: Figures,
    primary: Measure,
    agreement: Agreement,
    tests: Sequence[AlternativeTest],
    shared: Bools,
    slices: int,
    without: Sequence[str],
) -> Iterator[Note]:
    """Say what the reader should know; `shared` are the items that two people rated.

    Slices `without` such items are left out.
    """
    yield from data.notices
    yield from data.scale.inferred_notice()
    yield from miscounting(data)
    if not shared.all():
        left = f"{plural(int((~shared).sum()), 'item')} of {len(shared):,}"
        text = f"Left out, because fewer than two people rated them: {left}."
        yield note("missing", text)
    yield from _of_raters(figures, agreement, data.named)
    golds = figures.standings.golds
    if golds.ties and golds.rule in _TIES:
        tied = f"{golds.ties:,} of {golds.made:,} golds made from the other people were tied"
        yield warning("gold", f"{tied}; {_TIES[golds.rule]} was taken.")
    yield from _joint(figures, primary)
    yield from _left_out(figures)
    if few := list(dict.fromkeys(name for test in tests for name in test.left_out)):
        why = f"they share fewer than {LEAST_ITEMS} items with a model"
        text = f"Left out of the alternative annotator test, because {why}: {quoted(few)}."
        yield note("raters", text)
    if without:
        why = "because no item of theirs was rated by two people"
        yield note("slices", f"Slices left out, {why}: {quoted(without)}.")
    if slices > 1:
        yield note(
            "slices",
            f"There are {slices} slices: each verdict has its own chance of error, so among "
            "many slices some differ by chance.",
        )


def _of_raters(figures: Figures, agreement: Agreement, named: bool) -> Iterator[Note]:
    """Name people who rated few items, models with gaps, copies, and people who stand out."""
    panel, people, models = figures.panel, figures.people, figures.models
    if not named:
        yield warning(
            "raters",
            "Lists of different length do not say who gave which rating: figures of single people "
            "are those of positions in the lists.",
        )
    items = (panel.items @ panel.rated).tolist()
    few = [n for n, own in zip(people, items, strict=False) if LEAST_SHARED <= own < _FEW_ITEMS]
    if few:
        why = f"Rated fewer than {_FEW_ITEMS} items, so that scores of theirs are uncertain"
        yield warning("raters", f"{why}: {quoted(few)}.")
    for name, own in zip(models, items[panel.people :], strict=True):
        if own < panel.item_count:
            rated = f"{name!r} rated {int(own):,} of {panel.item_count:,} items"
            text = f"{rated}; its difference from people is that on these items."
            yield warning("missing", text)
    if not named:
        return
    for m, model in enumerate(models, panel.people):
        if same := [name for p, name in enumerate(people) if _same_throughout(panel, m, p)]:
            yield warning(
                "copy",
                f"{model!r} equals {quoted(same)} on every item that both rated, although people "
                "disagree; if that is unexpected, check that it is not a copy.",
                request=True,
            )
    effect = "affects how well people agree, and with it the verdicts"
    for row in agreement.raters:
        if row.stands_out:
            yield warning("raters", f"{row.rater!r} {row.stands_out}, which {effect}.")


def _joint(figures: Figures, primary: Measure) -> Iterator[Note]:
    """Say which verdicts hold for all models at once, under the primary measure."""
    models = figures.standings.models
    if len(models) < 2 or figures.rules.level is None:
        return
    rows = [figures.row(figures.measures.index(primary), place) for place in models]
    changed: dict[str, list[str]] = {}
    for row in rows:
        if row.joint_verdict != row.verdict:
            changed.setdefault(row.joint_verdict, []).append(row.name)
    become = [
        f"{quoted(names)} {'becomes' if len(names) == 1 else 'become'} {verdict}"
        for verdict, names in changed.items()
    ]
    yield note(
        "models",
        f"There are {len(models):,} models, and each verdict has its own chance of error. With "
        f"intervals that hold for all models at once ({100 * figures.joint_level:.4g} % each, "
        f"Bonferroni), {'; '.join(become) or 'all verdicts stay as they are'}. The alternative "
        "annotator test is corrected for people, not for models.",
    )


def _left_out(figures: Figures) -> Iterator[Note]:
    """Say whose scores do not count, and under which measures people have no score."""
    standings, people = figures.standings, figures.people
    few = f"share fewer than {LEAST_SHARED} items"
    if left := [name for i, name in enumerate(people) if i not in standings.counted]:
        text = f"Left out of the means over people, because they {few} with others: {quoted(left)}."
        yield note("raters", f"{text} Their ratings still are part of the gold.")
    if pairs := standings.pairs_left_out:
        text = f"Left out of the pairwise mean, because they {few}: {plural(pairs, 'pair')}"
        yield note("raters", f"{text} of people.")
    means = [quantities["ceiling", ""] for quantities in figures.quantities]
    if any(m.terms and standings.fewest(m) < LEAST_SHARED for m in means):
        text = f"Most ratings are of people who {few} with others; all people count in the means,"
        yield warning("raters", f"{text} whose scores are uncertain.")
    for measure, quantities in zip(figures.measures, figures.quantities, strict=True):
        if without := [name for name in people if not quantities["score", name].terms]:
            text = f"{measure.label} is undefined for {quoted(without)}, whose places are not"
            yield warning("undefined", f"{text} counted in means over people.")


def _same_throughout(panel: PeoplePanel, model: int, person: int) -> bool:
    """Whether a model rates as a person does on enough items, where not everybody does."""
    both = panel.rated[:, model] & panel.rated[:, person]
    if panel.items[both].sum() < LEAST_SHARED:
        return False
    codes, own = panel.codes[both], panel.codes[both][:, [person]]
    others = np.where(panel.rated[both], codes, own)[:, : panel.people]
    return bool((codes[:, [model]] == own).all() and (others != own).any())
