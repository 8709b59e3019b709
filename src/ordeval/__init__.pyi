from . import meta, plot, stats
from ._version import __version__
from .data.counts import Counts, JointCounts
from .data.data import Data
from .data.scale import Scale
from .data.shares import Shares
from .errors import InputError, OrdevalError, UndefinedWarning
from .estimators import CutpointClassifier, DecisionClassifier
from .evaluation import compare, evaluate, quantify, read, read_shares
from .evaluation.accumulator import Accumulator
from .evaluation.advise import advise
from .evaluation.agreement import agreement
from .evaluation.cutpoints import cutpoints
from .evaluation.decide import decide
from .evaluation.judge import judge
from .evaluation.plan import plan
from .measures.loss import Loss, loss
from .measures.registry import register_measure
from .measures.score import per_class, score, scorer
from .measures.spec import Measure, measures
from .measures.spec import parse_measure as measure
from .results import Agreement, Cutpoints, Judgement, Result, StudyPlan, load

__all__ = [
    "Accumulator",
    "Agreement",
    "Counts",
    "CutpointClassifier",
    "Cutpoints",
    "Data",
    "DecisionClassifier",
    "InputError",
    "JointCounts",
    "Judgement",
    "Loss",
    "Measure",
    "OrdevalError",
    "Result",
    "Scale",
    "Shares",
    "StudyPlan",
    "UndefinedWarning",
    "__version__",
    "advise",
    "agreement",
    "compare",
    "cutpoints",
    "decide",
    "evaluate",
    "judge",
    "load",
    "loss",
    "measure",
    "measures",
    "meta",
    "per_class",
    "plan",
    "plot",
    "quantify",
    "read",
    "read_shares",
    "register_measure",
    "score",
    "scorer",
    "stats",
]
