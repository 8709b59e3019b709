"""Judge models whose ratings are in a data frame."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..columns import group_name, read_column
from ..errors import InputError, did_you_mean, names_rng, quoted
from ..io.naming import NumberedFrame
from ..labels import check_weight, group_codes
from ..rater_results import Judgement
from ..ratings import Ratings
from ..scoring import MeasuresLike
from ..spec import Measure
from ..types import RNG, Array, BinsLike, Classes, ClassNumbers, Codes, MissingLabels
from .judge import JudgeOver, judge, judge_of
from .panel import GoldRule
from .replacement import Nearness

_PERSON = ("person", "people", "human", "humans", "annotator", "expert")
_MODEL = ("model", "models", "llm", "machine", "judge", "ai", "system")


@names_rng
def judge_frame(
    frame: Any,
    *,
    people: Sequence[str] | None = None,
    models: Sequence[str] | str | None = None,
    item: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    kind: str | None = None,
    slices: str | Sequence[str] | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    gold: GoldRule = "soft",
    measures: MeasuresLike = None,
    primary: str | Measure | None = None,
    na: MissingLabels = None,
    bins: BinsLike = None,
    margin: float = 0.1,
    epsilon: float = 0.2,
    nearness: Nearness = "rmse",
    over: JudgeOver | None = None,
    ci: float = 0.95,
    bootstrap: int = 2000,
    rng: RNG = 0,
) -> Judgement:
    """Judge models by people whose ratings are columns or rows of a data frame.

    In wide form a row is an item, and `people` and `models` are columns. In long form a row is one
    rating, with the columns `item`, `rater` and `rating`, and `kind` or the names in `people` and
    `models` say who is who.

    Parameters
    ----------
    frame : data frame
        A pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask or PySpark frame, or any other that
        narwhals supports.
    people, models : sequence of str, optional
        The columns of people and of models, or in long form their names. One of the two may be
        left out, and is then every other column without a role, or every other rater.
    item : str, optional
        The column of the items' names; required in long form.
    rater, rating : str, optional
        The columns of raters and of ratings, in long form.
    kind : str, optional
        The column that says "person" or "model" of every rating, in long form.
    slices : str or sequence of str, optional
        The columns by which models are compared with people on parts of the items.
    weight : str, optional
        The column of the importance of items.
    frequency : str, optional
        The column of the number of items that a row stands for; in wide form only.
    cluster : str, optional
        The column of what items belong to (a patient, a document, …).
    labels : sequence, optional
        The classes from lowest to highest; see `judge`.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    gold : {"soft", "majority", "median", "mean", "each"}
        How people make gold; see `judge`.
    measures : str, Measure or sequence of these, optional
        The measures; nine core measures by default, and every measure for "all".
    primary : str or Measure, optional
        The measure that ranks the models. By default the first of `measures`, or linear kappa.
    na : value or sequence of values, optional
        Codes that stand for a missing rating, e.g. 99 or ".".
    bins : {"round", "floor"} or sequence of float, optional
        How numbers between classes become classes; see `judge`.
    margin : float
        How much larger the disagreement of a model with people may be; see `judge`.
    epsilon : float
        By how much people may be better in the alternative annotator test; see `judge`.
    nearness : {"rmse", "accuracy"}
        How near a rating is to the others in that test.
    over : {"items", "clusters", "both"}, optional
        What intervals are about; see `judge`.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of replicates of the intervals in `people_agreement`; 0 for no intervals at all.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.

    Returns
    -------
    Judgement
        Scores, ceilings, verdicts, tests and biases. It prints as a table.

    Examples
    --------
    >>> import ordeval as oe
    >>> import polars as pl
    >>> frame = pl.DataFrame({"ann": [1, 2, 3, 1], "bob": [1, 3, 3, 1], "gpt": [1, 2, 3, 1]})
    >>> found = oe.judge_frame(frame, people=["ann", "bob"], models=["gpt"], labels=[1, 2, 3])
    >>> found.score("gpt", "accuracy").leave_one_out.value
    0.875
    """
    settings: dict[str, Any] = {
        "gold": gold,
        "measures": measures,
        "primary": primary,
        "margin": margin,
        "epsilon": epsilon,
        "nearness": nearness,
        "over": over,
        "ci": ci,
        "bootstrap": bootstrap,
        "rng": rng,
    }
    columns = _Columns(frame)
    reading = {"labels": labels, "values": values, "na": na, "bins": bins}
    others = {"weight": weight, "frequency": frequency, "cluster": cluster}
    divisions = {"": slices} if isinstance(slices, str) else {str(s): s for s in slices or ()}
    if rater is None and rating is None and kind is None:
        wide = _Wide(columns, _listed(people), _listed(models), item, others, divisions)
        return judge(**wide.columns(), **reading, **settings)
    if frequency is not None:
        raise InputError(
            "The long form has a row per rating, and no frequency of items.", parameter="frequency"
        )
    long = {"item": item, "rater": rater, "rating": rating}
    if without := [role for role, name in long.items() if name is None]:
        raise InputError(
            f"The long form needs the columns of items, raters and ratings; {quoted(without)} is "
            "not given.",
            parameter=without[0],
            hint="For a column per rater, name the columns with {people} and {models} alone.",
            suggest={"people": ..., "models": ...},
        )
    roles = {**long, "kind": kind, **others, **{f"slice {n}": s for n, s in divisions.items()}}
    held = columns.read({role: name for role, name in roles.items() if name is not None})
    return _judge_long(held, _listed(people), _listed(models), reading, settings)


def _listed(names: Sequence[str] | str | None) -> list[str] | None:
    return None if names is None else [names] if isinstance(names, str) else list(names)


class _Columns:
    """The columns of a frame of any library."""

    def __init__(self, frame: Any) -> None:
        self._frame = NumberedFrame.of(frame)
        self.names = self._frame.names

    def read(self, roles: Mapping[str, str]) -> dict[str, Any]:
        """Return columns by role."""
        for role, name in roles.items():
            if name not in self.names:
                raise InputError(
                    f"There is no column {name!r}; the columns are {quoted(self.names, 20)}."
                    f"{did_you_mean(str(name), self.names)}",
                    parameter=role.partition(" ")[0].replace("slice", "slices"),
                )
        return self._frame.collect(roles)


class _Wide:
    """The columns of a frame with a row per item."""

    def __init__(
        self,
        frame: _Columns,
        people: list[str] | None,
        models: list[str] | None,
        item: str | None,
        others: Mapping[str, str | None],
        slices: Mapping[str, str],
    ) -> None:
        roles = {"item": item, **others, **{f"slice {n}": s for n, s in slices.items()}}
        self._roles = {role: name for role, name in roles.items() if name is not None}
        taken = {*self._roles.values(), *(people or ()), *(models or ())}
        rest = [name for name in frame.names if name not in taken]
        if people is None and models is None:
            raise InputError(
                f"The columns are {quoted(frame.names, 20)}; who is a person and who is a model is "
                "not known.",
                parameter="people",
                hint="Name the columns with {people} and {models}.",
                suggest={"people": ..., "models": ...},
            )
        self._people = rest if people is None else people
        self._models = rest if models is None else models
        self._frame = frame

    def columns(self) -> dict[str, Any]:
        """Return the arguments of `judge` that hold data."""
        roles = dict(self._roles)
        roles |= {f"people {name}": name for name in self._people}
        roles |= {f"models {name}": name for name in self._models}
        held = self._frame.read(roles)
        slices = {r.partition(" ")[2]: c for r, c in held.items() if r.startswith("slice ")}
        return {
            "ratings": {name: held[f"people {name}"] for name in self._people},
            "models": {name: held[f"models {name}"] for name in self._models},
            "items": held.get("item"),
            "sample_weight": held.get("weight"),
            "frequency": held.get("frequency"),
            "cluster": held.get("cluster"),
            "slices": slices.get("", slices) if slices else None,
        }


def _judge_long(
    held: Mapping[str, Any],
    people: list[str] | None,
    models: list[str] | None,
    reading: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Judgement:
    """Judge models from a row per rating."""
    ratings = Ratings.read_long(held["item"], held["rater"], held["rating"], **reading)
    rows = len(read_column(held["item"], "item"))
    first = _first_rows(held, rows, ratings)
    if "weight" in held:
        weight = check_weight(held["weight"], rows)
        ratings = replace(ratings, weight=weight[first])
    if "cluster" in held:
        codes, names = group_codes(held["cluster"], "cluster", rows)
        assert codes is not None
        ratings = replace(ratings, cluster_codes=codes[first], clusters=len(names))
    slices = {
        role.partition(" ")[2]: _at(column, first, rows)
        for role, column in held.items()
        if role.startswith("slice ")
    }
    people, models = _who(held, ratings, people, models)
    parts = slices.get("", slices) if slices else None
    return judge_of(ratings, people, models, slices=parts, **settings)


def _first_rows(held: Mapping[str, Any], rows: int, ratings: Ratings) -> Codes:
    """Return the first row of every item; what belongs to an item is taken from it."""
    codes, names = group_codes(held["item"], "item", rows)
    assert codes is not None
    first = np.full(len(names), -1, dtype=np.intp)
    first[codes[::-1]] = np.arange(rows)[::-1]
    place = {name: i for i, name in enumerate(names)}
    return first[[place[name] for name in ratings.items]]


def _at(column: Any, first: Codes, rows: int) -> Array:
    codes, names = group_codes(column, "slices", rows)
    assert codes is not None
    return np.array(names, dtype=object)[codes[first]]


def _who(
    held: Mapping[str, Any],
    ratings: Ratings,
    people: list[str] | None,
    models: list[str] | None,
) -> tuple[list[str], list[str]]:
    """Return the names of people and of models."""
    if people is None and models is None:
        return _by_kind(held, ratings)
    for name in (*(people or ()), *(models or ())):
        ratings.place(name)
    if people is None:
        people = [name for name in ratings.raters if name not in (models or ())]
    if models is None:
        models = [name for name in ratings.raters if name not in people]
    if both := [name for name in people if name in models]:
        raise InputError(f"{quoted(both)} is named as a person and a model.", parameter="models")
    return people, models


def _by_kind(held: Mapping[str, Any], ratings: Ratings) -> tuple[list[str], list[str]]:
    """Return people and models by the column that tells them apart."""
    if "kind" not in held:
        raise InputError(
            f"The raters are {quoted(ratings.raters, 20)}; who is a person and who is a model is "
            "not known.",
            parameter="kind",
            hint="Name the column that says so with {kind}, or the raters with {people} and "
            "{models}.",
            suggest={"kind": ..., "people": ..., "models": ...},
        )
    rows = len(read_column(held["kind"], "kind"))
    kinds, names = group_codes(held["kind"], "kind", rows)
    of_rater, raters = group_codes(held["rater"], "rater", rows)
    found: tuple[list[str], list[str]] = ([], [])
    for kind, rater in sorted(set(zip(kinds, of_rater, strict=True))):  # type: ignore[arg-type]
        word = group_name(names[kind]).strip().lower()
        if word not in (*_PERSON, *_MODEL):
            raise InputError(
                f"kind has the value {names[kind]!r}; 'person' or 'model' is expected.",
                parameter="kind",
            )
        if raters[rater] in ratings.raters:
            found[word in _MODEL].append(raters[rater])
    if twice := [name for name in found[0] if name in found[1]]:
        raise InputError(
            f"{quoted(twice)} is a person in some rows and a model in others.", parameter="kind"
        )
    return found
