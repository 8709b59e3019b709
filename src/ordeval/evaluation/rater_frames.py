"""Agreement of raters, and models judged by people, whose ratings are in a data frame."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..data.column import group_codes, group_name, read_column
from ..data.naming import NumberedFrame
from ..errors import InputError, names_rng, quoted
from ..measures.scoring import MeasuresLike
from ..measures.spec import Measure
from ..ratings import Ratings, hint_on_names, refuse_names_of_items
from ..results import Agreement, Judgement
from ..types import RNG, BinsLike, Classes, ClassNumbers, Codes, MissingLabels, Progress, RatingGaps
from .agreement import agreement_of
from .judge import JudgeOver, judge, judge_of, slices_of_rows
from .panel import GoldRule
from .rater_study import AgreementOver
from .replacement import Nearness

_PERSON = ("person", "people", "human", "humans", "annotator", "expert")
_MODEL = ("model", "models", "llm", "machine", "judge", "ai", "system")


@names_rng
def agreement_frame(
    frame: Any,
    *,
    item: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    raters: Sequence[str] | str | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    measures: MeasuresLike = None,
    pair_measures: MeasuresLike = None,
    na: MissingLabels = None,
    bins: BinsLike = None,
    disputed: int = 20,
    ci: float = 0.95,
    bootstrap: int = 2000,
    over: AgreementOver | None = None,
    rng: RNG = 0,
    progress: Progress | None = None,
    text: str | None = None,
    missing: RatingGaps = "keep",
) -> Agreement:
    """Measure the agreement of raters whose ratings are in a data frame.

    Parameters
    ----------
    frame : data frame
        A pandas, Polars, PyArrow, DuckDB, Dask or PySpark frame, or any other that narwhals
        supports. In long form every row is one rating, in wide form one item.
    item : str, optional
        The column of items; required in long form. In wide form by default the index of a pandas
        frame.
    rater : str, optional
        The column of raters, in long form.
    rating : str, optional
        The column of ratings, in long form.
    raters : sequence of str, optional
        The columns of ratings, one per rater, in wide form. By default every column without
        another role.
    weight : str, optional
        The column of the importance of items.
    frequency : str, optional
        The column of the number of items that a row stands for; in wide form only.
    cluster : str, optional
        The column of what items belong to.
    labels : sequence or Scale, optional
        The classes from lowest to highest; see `agreement`.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    measures : str, Measure or sequence of these, optional
        Coefficients for all raters; see `agreement`.
    pair_measures : str, Measure or sequence of these, optional
        Measures for every pair of raters; see `agreement`.
    na : value or sequence of values, optional
        Codes that stand for a missing rating, e.g. 99 or ".".
    bins : {"round", "floor"} or sequence of float, optional
        How numbers between classes become classes; see `agreement`.
    disputed : int
        How many of the items of largest disagreement to list.
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of draws; 0 for no intervals.
    over : {"items", "clusters", "both"}, optional
        What intervals generalise to; see `agreement`.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy.
    progress : callable, optional
        Called as ``progress(done, total)``.
    text : str, optional
        The column of the texts of the items. The page then shows, for every number of items, some
        of them with their texts.
    missing : {"keep", "skip"}
        What becomes of items that not all raters rated: their ratings count, or they are left out;
        see `agreement`.

    Returns
    -------
    Agreement
        Coefficients, pairs, raters and disputed items. It prints as tables.

    Examples
    --------
    >>> import ordeval as oe
    >>> import polars as pl
    >>> frame = pl.DataFrame({"ann": [1, 3, 2, 1], "bob": [1, 3, 3, 1], "cy": [2, None, 3, 1]})
    >>> found = oe.agreement_frame(frame, raters=["ann", "bob", "cy"], labels=[1, 2, 3])
    >>> found["accuracy"]["ann", "bob"].value
    0.75
    """
    columns = NumberedFrame.of(frame)
    reading = {"labels": labels, "values": values, "na": na, "bins": bins}
    others = {"weight": weight, "frequency": frequency, "cluster": cluster, "text": text}
    if rater is None and rating is None:
        read = _wide_ratings(columns, _listed(raters), {"item": item, **others}, reading)
    else:
        _refuse_wide(frequency=frequency, raters=raters)
        held = _long_columns(columns, item, rater, rating, others, wide=("raters",))
        read = _long_ratings(held, reading)
    return agreement_of(
        read,
        measures=measures,
        pair_measures=pair_measures,
        disputed=disputed,
        ci=ci,
        bootstrap=bootstrap,
        over=over,
        rng=rng,
        progress=progress,
        missing=missing,
    )


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
    text: str | None = None,
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
        The column of the items' names; required in long form. In wide form by default the index
        of a pandas frame.
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
    text : str, optional
        The column of the texts of the items. The page then shows, for every number of items, some
        of them with their texts.

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
    >>> found["accuracy"]["gpt"].value
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
    columns = NumberedFrame.of(frame)
    reading = {"labels": labels, "values": values, "na": na, "bins": bins}
    divisions = {"": slices} if isinstance(slices, str) else {str(s): s for s in slices or ()}
    others = {"weight": weight, "frequency": frequency, "cluster": cluster, "text": text}
    others |= {f"slices {name}": column for name, column in divisions.items()}
    if rater is None and rating is None and kind is None:
        roles = {"item": item, **others}
        wide = _wide_panel(columns, _listed(people), _listed(models), roles)
        return judge(**wide, **reading, **settings)
    _refuse_wide(frequency=frequency)
    others |= {"kind": kind}
    held = _long_columns(columns, item, rater, rating, others, wide=("people", "models"))
    ratings = _long_ratings(held, reading)
    who = _who(held, ratings, _listed(people), _listed(models))
    parts = slices_of_rows(_slices(held), *_first_rows(held["item"], ratings))
    return judge_of(ratings, *who, slices=parts, **settings)


def _listed(names: Sequence[str] | str | None) -> list[str] | None:
    return None if names is None else [names] if isinstance(names, str) else list(names)


def _given(roles: Mapping[str, str | None]) -> dict[str, str]:
    return {role: name for role, name in roles.items() if name is not None}


def _slices(held: Mapping[str, Any]) -> Any:
    """Return the divisions of the items by name, or the only one that has none."""
    found = {r.partition(" ")[2]: c for r, c in held.items() if r.startswith("slices ")}
    return found.get("", found) if found else None


# A row per item.


def _wide_ratings(
    columns: NumberedFrame,
    raters: list[str] | None,
    roles: Mapping[str, str | None],
    reading: Mapping[str, Any],
) -> Ratings:
    """Return the ratings of some columns; by default of all that have no other role."""
    given, guessed = _given(roles), raters is None
    if raters is None:
        raters = [name for name in columns.names if name not in given.values()]
    if not raters or len(set(raters)) < len(raters):
        raise InputError(
            f"raters names {quoted(raters)}; different columns, one per rater, are expected.",
            parameter="raters",
        )
    held = columns.collect(given | {f"raters {name}": name for name in raters})
    rated = {name: held[f"raters {name}"] for name in raters}
    if guessed:
        _refuse_names(rated, hint_on_names(given.get("item")))
    return Ratings.read(rated, **_items(held), **reading)


def _refuse_names(rated: Mapping[str, Any], hint: str) -> None:
    """Raise an error for a column taken for a rater that seems to name the items."""
    refuse_names_of_items({name: read_column(c, name) for name, c in rated.items()}, hint)


def _wide_panel(
    columns: NumberedFrame,
    people: list[str] | None,
    models: list[str] | None,
    roles: Mapping[str, str | None],
) -> dict[str, Any]:
    """Return the arguments of `judge` that hold data."""
    if people is None and models is None:
        raise InputError(
            f"The columns are {quoted(columns.names, 20)}; who is a person and who is a model is "
            "not known.",
            parameter="people",
            hint="Name the columns with {people} and {models}.",
            suggest={"people": ..., "models": ...},
        )
    given, guessed = _given(roles), people is None or models is None
    taken = {*given.values(), *(people or ()), *(models or ())}
    rest = [name for name in columns.names if name not in taken]
    people, models = rest if people is None else people, rest if models is None else models
    given |= {f"people {name}": name for name in people}
    given |= {f"models {name}": name for name in models}
    held = columns.collect(given)
    rated = {name: held[f"people {name}"] for name in people}
    judged = {name: held[f"models {name}"] for name in models}
    if guessed:
        _refuse_names(rated | judged, hint_on_names(given.get("item"), "{people} and {models}"))
    return {
        "ratings": rated,
        "models": judged,
        "slices": _slices(held),
        **_items(held),
    }


def _items(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns about items by the names that they have beside arrays."""
    return {
        "items": held.get("item"),
        "weight": held.get("weight"),
        "frequency": held.get("frequency"),
        "cluster": held.get("cluster"),
        "text": held.get("text"),
    }


# A row per rating.


def _refuse_wide(**given: object) -> None:
    """Raise an error for what the form with a row per rating does not have."""
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"The long form has a row per rating, and no {name}.",
                parameter=name,
                hint=f"Leave {{{name}}} out, or {{rater}} and {{rating}}.",
                suggest={name: ..., "rater": ..., "rating": ...},
            )


def _long_columns(
    columns: NumberedFrame,
    item: str | None,
    rater: str | None,
    rating: str | None,
    others: Mapping[str, str | None],
    *,
    wide: Sequence[str],
) -> dict[str, Any]:
    """Return columns by role; `wide` are the parameters that name raters in wide form."""
    long = {"item": item, "rater": rater, "rating": rating}
    if without := [role for role, name in long.items() if name is None]:
        parameters = " and ".join(f"{{{name}}}" for name in wide)
        raise InputError(
            f"The long form needs the columns of items, raters and ratings; {quoted(without)} is "
            "not given.",
            parameter=without[0],
            hint=f"For a column per rater, name the columns with {parameters} alone.",
            suggest=dict.fromkeys(wide, ...),
        )
    return columns.collect(_given({**long, **others}))


def _long_ratings(held: Mapping[str, Any], reading: Mapping[str, Any]) -> Ratings:
    """Return the ratings of the columns of a long form, with weights and clusters of items."""
    return Ratings.read_long(
        held["item"],
        held["rater"],
        held["rating"],
        weight=held.get("weight"),
        cluster=held.get("cluster"),
        text=held.get("text"),
        **reading,
    )


def _first_rows(item: Any, ratings: Ratings) -> tuple[int, Codes]:
    """Return the number of rows, and the first row of every item that ratings were kept of."""
    rows = len(read_column(item, "item"))
    codes, _ = group_codes(item, "item", rows)
    assert codes is not None
    first = np.unique(codes, return_index=True)[1]
    return rows, first if ratings.places is None else first[ratings.places]


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
