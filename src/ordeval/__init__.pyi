from . import io, learners, meta, plot, stats
from ._version import __version__
from .advice import advise, advise_frame
from .counts import Counts, JointCounts
from .errors import InputError, OrdevalError, UndefinedWarning
from .evaluation import compare, evaluate, quantify
from .evaluation.agreement import agreement
from .evaluation.frames import compare_frame, evaluate_frame
from .evaluation.judge import judge
from .evaluation.rater_frames import agreement_frame, judge_frame
from .measures.classes import per_class
from .measures.registry import register_measure
from .measures.scoring import score, scorer
from .measures.spec import Measure, measures
from .measures.spec import parse_measure as measure
from .rater_results import Agreement, Judgement
from .results import Result
from .scale import Scale
from .serialise import load

__all__ = [
    "Agreement",
    "Counts",
    "InputError",
    "JointCounts",
    "Judgement",
    "Measure",
    "OrdevalError",
    "Result",
    "Scale",
    "UndefinedWarning",
    "__version__",
    "advise",
    "advise_frame",
    "agreement",
    "agreement_frame",
    "compare",
    "compare_frame",
    "evaluate",
    "evaluate_frame",
    "io",
    "judge",
    "judge_frame",
    "learners",
    "load",
    "measure",
    "measures",
    "meta",
    "per_class",
    "plot",
    "quantify",
    "register_measure",
    "score",
    "scorer",
    "stats",
]
