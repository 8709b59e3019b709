"""Results: estimates, the base of all results, their kinds, and JSON."""

from .cutpoints import Cutpoints, CutRule, finite_scores, labels_of
from .estimate import Estimate, Row
from .plan import StudyPlan
from .raters import (
    GOLDS,
    LEAST_SHARED,
    ONE_CLASS,
    Agreement,
    AlternativeTest,
    AnalyticKappa,
    DisputedItem,
    Judgement,
    ModelBias,
    PanelScore,
    RatedTogether,
    RaterFigures,
    RaterOver,
    RaterPair,
    Replacement,
    Verdict,
    verdict,
)
from .report import Figures, Finding, Report, safe_names
from .result import Calibration, Intervals, JudgeLabels, Pair, Result, SharesCheck, Standing, Tests
from .serialise import load
from .slices import Slice, SliceGap, SlicePair, Slices

__all__ = [
    "GOLDS", "LEAST_SHARED", "ONE_CLASS", "Agreement", "AlternativeTest", "AnalyticKappa",
    "Calibration", "CutRule", "Cutpoints", "DisputedItem", "Estimate", "Figures", "Finding",
    "Intervals", "JudgeLabels", "Judgement", "ModelBias", "Pair", "PanelScore", "RatedTogether",
    "RaterFigures", "RaterOver", "RaterPair",
    "Replacement", "Report", "Result", "Row", "SharesCheck", "Slice", "SliceGap", "SlicePair",
    "Slices", "Standing", "StudyPlan", "Tests",
    "Verdict", "finite_scores", "labels_of", "load", "safe_names", "verdict",
]  # fmt: skip
