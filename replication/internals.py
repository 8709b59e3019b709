"""What the replication uses of ordeval beyond its public names, all in this one place.

Closeness cell by cell, of which CEM is made; the enumerations behind `oe.meta.axioms`, for claims
that are not axioms; grades of measures; named axes of counts; and random streams, so that figures
keep their seeds.
"""

from ordeval.data.counts import Axis
from ordeval.measures.closeness import ciq, proximity
from ordeval.meta.axiom_cases import (
    all_moves_closer,
    all_tables,
    compositions,
    grid_pairs,
    imbalance_cases,
    one_error,
    random_golds,
)
from ordeval.meta.axiom_search import AxiomResult
from ordeval.meta.meta_evaluation import summarise
from ordeval.stats.resample import stream
from ordeval.types import Array, Floats, Ints

__all__ = [
    "Array",
    "AxiomResult",
    "Axis",
    "Floats",
    "Ints",
    "all_moves_closer",
    "all_tables",
    "ciq",
    "compositions",
    "grid_pairs",
    "imbalance_cases",
    "one_error",
    "proximity",
    "random_golds",
    "stream",
    "summarise",
]
