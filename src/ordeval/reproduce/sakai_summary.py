"""Sakai (2021), Tables 4 and 7: properties of the measures, and grades from the runs."""

from collections.abc import Mapping

from ..meta import SAKAI_TABLE_4, SAKAI_TABLE_7, AxiomTable, SakaiRow, summary
from ..meta import axioms as search_axioms
from ..meta import similarity as similarity_of
from ..registry import Task
from .ranking_study import Source, _consistency, _power
from .study import Comparison, Exhibit, Setting, Verdict, unjudged

_OC = {
    "order": "order_awareness",
    "constant": "constant_systems",
    "imbalance": "class_size_awareness",
}
_OQ = {"order": "single_class_order", "symmetric": "symmetry"}
_MEANING = {
    "order": "(I) handles ordinal classes",
    "constant": "(II) handles constant systems",
    "imbalance": "(III) handles imbalance",
    "symmetric": "(II) symmetric",
}


def table_4(setting: Setting, sources: Mapping[str, Source]) -> Exhibit:
    """Columns I-III by the axiom search; the grades of IV-VI from the runs of 2016."""
    found = search_axioms(SAKAI_TABLE_4, set(_OC.values()), rng=setting.seed)
    rows = _properties(SAKAI_TABLE_4, found, _OC)
    rows += _grades(setting, sources["Sem16T4C"], "classification")
    return Exhibit(
        "table-4",
        "Table 4: summary of the measures of classification",
        tuple(rows),
        left_open=_LEFT_OPEN,
        chosen=_CHOSEN,
        outcome=_outcome(rows),
    )


def table_7(setting: Setting, sources: Mapping[str, Source]) -> Exhibit:
    """Columns I and II by the axiom search; the grades of III-V from the runs of 2016."""
    axioms = set(_OQ.values())
    found = search_axioms(SAKAI_TABLE_7, axioms, task="quantification", rng=setting.seed)
    rows = _properties(SAKAI_TABLE_7, found, _OQ)
    rows += _grades(setting, sources["Sem16T4E"], "quantification")
    return Exhibit(
        "table-7",
        "Table 7: summary of the measures of quantification",
        tuple(rows),
        left_open=_LEFT_OPEN,
        chosen=_CHOSEN,
        outcome=_outcome(rows),
    )


_LEFT_OPEN = (
    "What “handles” asks for is not defined; the grades are the author's judgement of all data "
    "sets together."
)
_CHOSEN = (
    "Each property as an axiom: the nearer of two single errors scores better (for quantification "
    "with gold in one class); constant systems have scores that differ; the cost of an error "
    "depends on class sizes. Grades by rule from the runs of 2016 alone, and so not judged."
)


def _properties(
    table: Mapping[str, SakaiRow], found: AxiomTable, axioms: Mapping[str, str]
) -> list[Comparison]:
    rows = []
    for measure, row in table.items():
        for column, axiom in axioms.items():
            cell = found.of(measure, axiom)
            ours = "yes" if cell.holds else "no"
            said = "yes" if getattr(row, column) else "no"
            verdict = Verdict.SAME if ours == said else Verdict.DIFFERS
            rows.append(Comparison(measure, _MEANING[column], ours, said, verdict, cell.outcome))
    return rows


def _grades(setting: Setting, source: Source, task: Task) -> list[Comparison]:
    if source.matrices is None:
        return []
    found = summary(
        similarity_of(source.matrices),
        [_consistency(source, size, setting) for size in (None, 10)],
        _power(source, setting),
        task=task,
    )
    rows = []
    for row in found:
        said = row.printed
        pairs = (
            ("group of rankings", row.group, said and said.group),
            ("consistency", row.consistency, said and said.consistency),
            ("discriminative power", row.discrimination, said and said.discrimination),
        )
        why = "the paper judges by other data as well"
        rows += [unjudged(row.measure, name, ours, x or None, why) for name, ours, x in pairs]
    return rows


def _outcome(rows: list[Comparison]) -> str:
    properties = [r for r in rows if r.verdict is not Verdict.NONE]
    same = sum(r.verdict is Verdict.SAME for r in properties)
    graded = [r for r in rows if r.column in ("consistency", "discriminative power")]
    alike = sum(r.ours == r.printed for r in graded)
    grades = f" {alike} of {len(graded)} grades are the printed ones." if graded else ""
    return f"{same} of {len(properties)} properties agree.{grades}"
