"""A data frame to a result: counted where the data is, evaluated here."""

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..results import Result
from ..scoring import Undefined
from .classification import compare_counts, evaluate_counts
from .settings import MeasuresGiven, Settings


def evaluate_frame(
    frame: Any,
    *,
    gold: str = "gold",
    pred: str | Sequence[str] | None = None,
    topic: str | None = None,
    weight: str | None = None,
    labels: Any = None,
    values: Any = None,
    missing: str = "error",
    measures: MeasuresGiven = None,
    primary: str | None = None,
    aggregate: str = "mean",
    undefined: Undefined = None,
    **how: Any,
) -> Result:
    """Every measure of the columns `pred` of a data frame, with intervals.

    Any frame: pandas, Polars (lazy too), Arrow, DuckDB, Dask, PySpark. Only counts leave it.
    `how` are the settings of `evaluate`: ci, bootstrap, method, over, rng, threads, progress.

    Examples
    --------
    >>> evaluate_frame(frame, gold="human", pred="judge", labels=[1, 2, 3, 4, 5])  # doctest: +SKIP
    """
    from ..io.frames import count_frame

    counts = count_frame(
        frame,
        gold=gold,
        pred=pred,
        topic=topic,
        weight=weight,
        labels=labels,
        values=values,
        missing=missing,
    )
    return evaluate_counts(
        counts,
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        how=_settings(how),
    )


def compare_frame(
    frame: Any,
    *,
    gold: str = "gold",
    pred: str | Sequence[str] | None = None,
    topic: str | None = None,
    weight: str | None = None,
    labels: Any = None,
    values: Any = None,
    missing: str = "error",
    measures: MeasuresGiven = None,
    primary: str | None = None,
    aggregate: str = "mean",
    undefined: Undefined = None,
    **how: Any,
) -> Result:
    """A leaderboard of the columns `pred` of a data frame, with intervals and tests.

    As `compare`, with the columns of `evaluate_frame`; `how` may also hold trials, alpha,
    differences and classical.
    """
    from ..io.frames import count_frame, joint_frame

    columns: dict[str, Any] = {
        "gold": gold,
        "pred": pred,
        "topic": topic,
        "weight": weight,
        "labels": labels,
        "values": values,
        "missing": missing,
    }
    return compare_counts(
        count_frame(frame, **columns),
        lambda: joint_frame(frame, **columns),
        measures,
        primary=primary,
        aggregate=aggregate,
        undefined=undefined,
        how=_settings(how),
    )


def _settings(how: dict[str, Any]) -> Settings:
    """Settings from keywords; an unknown one is an error that lists those there are."""
    known = list(Settings.__dataclass_fields__)
    unknown = [name for name in how if name not in known]
    if unknown:
        raise InputError(f"{unknown[0]!r} is not a setting; there are {', '.join(known)}.")
    return Settings(**how)
