"""The door for ratings: arrays, frames of every library and files become Data."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from typing import Any

from .. import files
from ..data.classes import Reading
from ..data.data import Data
from ..data.raters import of_raters
from ..data.ratings import RatingTable, read_rating_table, read_ratings
from ..data.roles import NumberedFrame, text_name
from ..errors import InputError, quoted
from ..notes import Note, warning
from ..options import RatingsRead, TextFileOptions, defaults, options_of
from ..types import RaterUnits

_ROLES = ("item", "rater", "rating", "kind", "weight", "frequency", "cluster", "text", "slices")
_SEVERAL = ("item", "slices")  # roles of which columns may be many
_PERSON = ("person", "people", "human", "humans", "annotator", "expert")
_MODEL = ("model", "models", "llm", "machine", "judge", "ai", "system")

Kinds = Mapping[str, str]


def rated_data(
    ratings: Any,
    data: Any,
    options: Mapping[str, Any],
    models: Any = None,
    raters: Mapping[str, str] | None = None,
    *,
    others: bool = False,
) -> tuple[Data, Kinds]:
    """Return ratings in memory, or with `data` of a frame or a file, and the kinds of raters.

    `options` are those of `agreement` or `judge`, perhaps with those of files. Of frames and files,
    `raters` are names with the parameter that gave each, with all `others` or without; by default
    all raters are read.
    """
    bins = options["bins"]
    bins = tuple(bins) if isinstance(bins, Iterator) else bins  # to be read more than once
    reading = Reading(options["labels"], options["values"], bins, options["na"])
    roles = _roles(options, named=data is not None)
    kinds: Kinds = {}
    held = next((d for d in (data, ratings) if isinstance(d, Data)), None)
    if held is not None:
        return _of_data(held, raters, options, others=others), kinds
    if data is None:
        found = read_ratings(ratings, reading, models, **roles)
    elif isinstance(data, str | PathLike):
        found, kinds = _of_files(data, roles, reading, raters, others, options)
    else:
        frame = NumberedFrame.of(data)
        named = {role: text_name(name) for role, name in roles.items()}
        table = RatingTable(frame.names, frame.select, about={"data": None})
        found, kinds = read_rating_table(table, named, reading, raters, others=others)
    return replace(found, about={**found.about, **_about(options, named=data is not None)}), kinds


def _of_data(
    data: Data, raters: Mapping[str, str] | None, options: Mapping[str, Any], *, others: bool
) -> Data:
    """Return some of the raters of data that are read already."""
    usual = defaults(RatingsRead)
    if given := [n for n, x in options_of(options, RatingsRead).items() if x is not usual[n]]:
        raise InputError(
            f"{given[0]} belongs to the reading of data, and these are read already.",
            parameter=given[0],
            hint="Pass it to read.",
        )
    if raters is None or others:
        return data
    if unknown := [name for name in raters if name not in data.names]:
        raise InputError(
            f"There is no rater {unknown[0]!r}; the raters are {quoted(data.names, 20)}.",
            parameter=raters[unknown[0]],
        )
    return of_raters(data, [data.names.index(name) for name in raters])


def _about(options: Mapping[str, Any], *, named: bool) -> dict[str, Any]:
    """Return roles, by variable or with `named` by column, and how files were read."""
    given = {role: options[role] for role in _ROLES if options.get(role) is not None}
    usual = defaults(TextFileOptions)
    files = {name: options[name] for name in usual if options.get(name, usual[name]) != usual[name]}
    if not named:
        return {role: role for role in given}
    return files | {r: v if isinstance(v, str) else list(map(str, v)) for r, v in given.items()}


def _roles(options: Mapping[str, Any], *, named: bool) -> dict[str, Any]:
    """Return what belongs to ratings by role; several columns of a role have a number each."""
    found: dict[str, Any] = {}
    for role in _ROLES:
        value = options.get(role)
        if isinstance(value, Mapping):
            value = list(value.values())
        elif value is not None and role in _SEVERAL:
            value = [value] if not named or isinstance(value, str) else list(value)
        if role in _SEVERAL:
            found |= {f"{role}_{i}": column for i, column in enumerate(value or ())}
        elif value is not None:
            found[role] = value
    return found


def _of_files(
    data: Any,
    roles: Mapping[str, Any],
    reading: Reading,
    raters: Mapping[str, str] | None,
    others: bool,
    options: Mapping[str, Any],
) -> tuple[Data, Kinds]:
    """Read the ratings of a file, which stays open as long as texts may be asked for."""
    with ExitStack() as stack:
        opened = stack.enter_context(
            files.open(
                data,
                gold=None,
                pred=None if raters is None else list(raters),
                roles=roles,
                where=options.get("where"),
                exports=True,
                **options_of(options, TextFileOptions),
                progress=options.get("progress"),
            )
        )
        if raters is not None:  # as they are spelled in the file
            raters = dict(zip(opened.pred or (), raters.values(), strict=True))
        reading = replace(reading, text=True, where=f"{opened.name}: ")
        table = RatingTable(
            opened.columns,
            opened.select,
            opened.run,
            reading.where,
            aside=opened.aside,
            items=opened.items,
            about={"data": str(data), **({"where": opened.where} if opened.where else {})},
            notices=opened.notes,
        )
        found, kinds = read_rating_table(table, opened.roles, reading, raters, others=others)
        if not callable(found.units.texts):
            return found, kinds
        texts = files.Texts(found.units.texts, stack.pop_all().close)
    return replace(found, units=replace(found.units, texts=texts)), kinds


def named_raters(names: Any, parameter: str) -> dict[str, str] | None:
    """Return names of raters with the parameter that gave them; None for none."""
    if names is None:
        return None
    names = names.values() if isinstance(names, Mapping) else names
    several = [names] if isinstance(names, str) else [text_name(name) for name in names]
    repeated = [name for name in dict.fromkeys(several) if several.count(name) > 1]
    if repeated or not several:
        raise InputError(
            f"{parameter} names {quoted(repeated) or 'nobody'}; each rater is expected once.",
            parameter=parameter,
        )
    return dict.fromkeys(several, parameter)


def renamed(names: Sequence[str], *given: Any) -> list[str]:
    """Return names of raters, new ones where mappings from name to column were given."""
    pairs = (pair for each in given if isinstance(each, Mapping) for pair in each.items())
    new = {column: str(name) for name, column in pairs}
    return [new.get(name, name) for name in names]


def by_kind(kinds: Kinds) -> tuple[list[str], list[str]]:
    """Return the raters whose kind is a person, and those whose kind is a model."""
    folded = {name: kind.strip().casefold() for name, kind in kinds.items()}
    people = [name for name, kind in folded.items() if kind in _PERSON]
    return people, [name for name, kind in folded.items() if kind in _MODEL]


def panel_of(
    names: Sequence[str], kinds: Kinds, people: Any = None, models: Any = None
) -> tuple[list[str], list[str]]:
    """Return who is a person and who is a model; without one of the two it is all others."""
    if people is None and models is None:
        people, models = _known_kinds(names, kinds)
    persons = [name for name in names if name not in (models or ())] if people is None else people
    machines = [name for name in names if name not in persons] if models is None else models
    if both := [name for name in persons if name in machines]:
        raise InputError(f"{quoted(both)} is named as a person and as a model.", parameter="models")
    for parameter, given in (("people", persons), ("models", machines)):
        for name in given:
            if name not in names:
                raise InputError(
                    f"There is no rater {name!r} with ratings; the raters are {quoted(names)}.",
                    parameter=parameter,
                )
        if not given:
            other = "models" if parameter == "people" else "people"
            raise InputError(
                f"No rater is left for {parameter}: all of {quoted(names, 10)} are {other}.",
                parameter=parameter,
            )
    return list(persons), list(machines)


def _known_kinds(names: Sequence[str], kinds: Kinds) -> tuple[list[str], list[str]]:
    """Return people and models; every rater must be one of them."""
    if not kinds:
        raise InputError(
            f"Nothing says which raters are models; the raters are {quoted(names, 20)}.",
            parameter="models",
            hint="Name them with {models}, or the column that says which raters are people and "
            "which are models with {kind}.",
            suggest={"models": [names[-1]], "kind": ...},
        )
    people, models = by_kind({name: kinds[name] for name in names})
    if unknown := {kinds[name] for name in names if name not in (*people, *models)}:
        raise InputError(
            f"{quoted(sorted(unknown))} is neither a person nor a model; the kinds are expected to "
            "be 'person' and 'model'.",
            parameter="kind",
            hint="Name the raters with {people} and {models} instead.",
            suggest={"people": ..., "models": ...},
        )
    return people, models


def units_of(data: Data, over: RaterUnits | None) -> RaterUnits:
    """Return what intervals are over; by default clusters where there are any, else items."""
    if over == "clusters" and data.units.cluster is None:
        raise InputError(
            "Intervals over clusters need clusters, and none are given.",
            parameter="over",
            hint="Name them with {cluster}.",
            suggest={"cluster": ...},
        )
    if over == "both" and not data.named:
        hint = "Leave {over} out, or give a column per rater."
        raise unnamed("Intervals over items and raters", "over", hint)
    return over or ("items" if data.units.cluster is None else "clusters")


def unnamed(what: str, parameter: str, hint: str) -> InputError:
    """Return the error for what lists without names of raters cannot tell."""
    message = (
        f"{what} need to know who gave which rating, and lists of different length do not say."
    )
    return InputError(message, parameter=parameter, hint=hint, suggest={parameter: ...})


def scale_notices(data: Data) -> Iterator[Note]:
    """Say that the scale was inferred, if it was."""
    if data.scale.inferred:
        yield warning(
            "scale",
            f"The scale was inferred: {data.scale.describe()}; declare the labels if other classes "
            "exist.",
            request=True,
        )


def ratings_of(data: Data, item: int, labels: Sequence[Any]) -> dict[str, Any]:
    """Return the ratings of an item by rater."""
    codes = zip(data.names, data.codes[:, item].tolist(), strict=True)
    return {name: labels[code] for name, code in codes if code != data.scale.k}
