"""Sakai (2021): evaluating evaluation measures for ordinal classification and quantification."""

from ..meta import ScoreMatrices
from ..spec import parse_measure
from .baselines_2017 import baselines
from .datasets import (
    CLASSES,
    Runs,
    missing,
    ntcir_dq,
    read_rows,
    semeval_2016_c,
    semeval_2016_e,
)
from .generated import generated_counts, generated_runs
from .printed import printed
from .ranking_study import Source, consistency_table, effect_sizes, power_curves, similarity_table
from .sakai_summary import table_4, table_7
from .study import Comparison, Exhibit, Setting, Study, exact, needs, unjudged

KEY = "sakai-2021"
CITATION = (
    "T. Sakai. Evaluating evaluation measures for ordinal classification and ordinal "
    "quantification. ACL-IJCNLP 2021, 2759-2769."
)
SUMMARY = (
    "Compares nine measures of classification and six of quantification by how they rank the runs "
    "of SemEval and NTCIR: similarity of rankings (Tables 2, 5, 8), consistency over splits of the "
    "topics (Tables 3, 6, 9), discriminative power (Figs. 1-3), with a summary (Tables 4, 7)."
)
_C16, _E16 = "semeval2016-task4/subtask-C.tsv.gz", "semeval2016-task4/subtask-E.tsv"
_C17 = "semeval2017-task4/subtask-C-english-gold.tsv.gz"
_E17 = "semeval2017-task4/subtask-E-english-gold.tsv"
_DQ = ("ntcir14-stc3-dq/gold-ratings.tsv.gz", "ntcir14-stc3-dq/widm-predictions.tsv.gz")
_GENERATED = "generated runs"
_OTHER_RUNS = "12 runs of NTCIR-14"


def study(setting: Setting) -> Study:
    """All tables and figures of the paper that show numbers."""
    oc, oq, dq = _classification(setting), _quantification(setting), _dialogues(setting)
    return Study(
        KEY,
        CITATION,
        SUMMARY,
        (
            _table_1(setting),
            similarity_table("table-2", "Table 2: similarity of rankings, classification", oc),
            consistency_table("table-3", "Table 3: consistency, classification", oc, setting),
            power_curves("figure-1", "Figure 1: discriminative power, classification", oc, setting),
            table_4(setting, oc),
            similarity_table("table-5", "Table 5: similarity of rankings, dialogues", dq),
            consistency_table("table-6", "Table 6: consistency, dialogues", dq, setting),
            power_curves("figure-2", "Figure 2: discriminative power, dialogues", dq, setting),
            table_7(setting, oq),
            similarity_table("table-8", "Table 8: similarity of rankings, quantification", oq),
            consistency_table("table-9", "Table 9: consistency, quantification", oq, setting),
            power_curves("figure-3", "Figure 3: discriminative power, quantification", oq, setting),
            effect_sizes(),
            baselines(setting),
        ),
    )


def _specs(kind: str) -> list[str]:
    return [str(parse_measure(m)) for m in printed("sakai_2021")[f"{kind}_order"]]


def _of_runs(runs: Runs) -> ScoreMatrices:
    return ScoreMatrices.from_distributions(
        runs.gold, runs.estimates, _specs("oq"), topics=runs.topics
    )


def _classification(setting: Setting) -> dict[str, Source]:
    lacking = missing(setting, _C16)
    real = None if lacking else ScoreMatrices.from_counts(semeval_2016_c(setting), _specs("oc"))
    made = generated_counts(125, 20, rng=setting.seed)
    return {
        "Sem16T4C": Source(real, lacking),
        "Sem17T4C": Source(ScoreMatrices.from_counts(made, _specs("oc")), instead=_GENERATED),
    }


def _quantification(setting: Setting) -> dict[str, Source]:
    lacking = missing(setting, _E16)
    real = None if lacking else _of_runs(semeval_2016_e(setting))
    made = _of_runs(generated_runs(125, 14, rng=setting.seed))
    return {
        "Sem16T4E": Source(real, lacking),
        "Sem17T4E": Source(made, instead=_GENERATED),
    }


def _dialogues(setting: Setting) -> dict[str, Source]:
    if missing(setting, *_DQ):
        seeds = {"A": 1, "E": 2, "S": 3}
        made = {
            a: generated_runs(300, 22, raters=19, rng=setting.seed + s) for a, s in seeds.items()
        }
        return {f"DQ-{a}": Source(_of_runs(r), instead=_GENERATED) for a, r in made.items()}
    return {f"DQ-{a}": Source(_of_runs(ntcir_dq(setting, a)), instead=_OTHER_RUNS) for a in "AES"}


def _table_1(setting: Setting) -> Exhibit:
    """Sizes of the data: classes, topics, runs."""
    found = {
        "Sem16T4C": (_size_c(setting), missing(setting, _C16)),
        "Sem17T4C": (_size_of_gold(setting, _C17), missing(setting, _C17)),
        "Sem16T4E": (_size_e(setting), missing(setting, _E16)),
        "Sem17T4E": (_size_of_gold(setting, _E17), missing(setting, _E17)),
    }
    rows: list[Comparison] = []
    for name, (sizes, lacking) in found.items():
        for column, ours, x in zip(_SIZES, sizes, _printed_sizes(name), strict=True):
            if ours is None:
                rows.append(needs(name, column, x, lacking or "no runs were found"))
            else:
                rows.append(exact("table-1", name, column, ours, x))
    rows += _dialogue_sizes(setting)
    return Exhibit("table-1", "Table 1: the data", tuple(rows))


_SIZES = ("classes", "topics", "runs")
Sizes = tuple[int | None, int | None, int | None]
_UNKNOWN: Sizes = (None, None, None)


def _printed_sizes(name: str) -> list[str]:
    return [str(x) for x in printed("sakai_2021")["table-1"][name]]


def _size_c(setting: Setting) -> Sizes:
    if missing(setting, _C16):
        return _UNKNOWN
    counts = semeval_2016_c(setting)
    return counts.k, len(counts.topics), len(counts.systems)


def _size_e(setting: Setting) -> Sizes:
    return _UNKNOWN if missing(setting, _E16) else _size(semeval_2016_e(setting))


def _size_of_gold(setting: Setting, file: str) -> Sizes:
    if missing(setting, file):
        return _UNKNOWN
    return len(CLASSES), len({row["topic"] for row in read_rows(setting, file, "topic")}), None


def _dialogue_sizes(setting: Setting) -> list[Comparison]:
    lacking = missing(setting, *_DQ)
    ours = _UNKNOWN if lacking else _size(ntcir_dq(setting, "A"))
    return [
        needs("DQ", column, x, lacking)
        if size is None
        else unjudged(f"DQ ({_OTHER_RUNS})", column, size, x, _OTHER_RUNS, same_input=False)
        for column, size, x in zip(_SIZES, ours, _printed_sizes("DQ"), strict=True)
    ]


def _size(runs: Runs) -> Sizes:
    return runs.gold.shape[1], len(runs.topics), len(runs.estimates)
