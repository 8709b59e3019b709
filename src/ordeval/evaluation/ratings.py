"""The door for ratings: arrays, frames of every library and files become Data."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from typing import Any

from .. import files
from .. import options as declared
from ..data.classes import Reading
from ..data.data import Data
from ..data.raters import chosen_raters
from ..data.ratings import read_rating_table, read_ratings
from ..data.roles import NumberedFrame, text_name
from ..errors import InputError, naming, quoted

_OF_JUDGE = ("judge", "rate")  # whose ratings of all items stand beside those of people
_SEVERAL = ("item", "by")  # roles of which columns may be many
_ROLES = (*_SEVERAL, "rater", "rating", "kind", "weight", "frequency", "cluster", "text")
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
    already = next((d for d in (data, ratings) if isinstance(d, Data)), None)
    if already is not None:
        return _of_data(already, None if others else raters, options), {}
    bins = options["bins"]
    bins = tuple(bins) if isinstance(bins, Iterator) else bins  # to be read more than once
    reading = Reading(options["labels"], options["values"], bins, options["na"])
    reading = replace(reading, **options.get("reading", {}))
    of_items = {
        role: options[role] for role in (*_ROLES, *_OF_JUDGE) if options.get(role) is not None
    }
    roles = _by_role(of_items, named=data is not None)
    if data is None:
        read = read_ratings(ratings, reading, models, **roles)
        return replace(read, about={**read.about, **{role: role for role in of_items}}), {}
    if isinstance(data, str | PathLike):
        read, kinds = _of_files(data, roles, reading, raters, others, options)
    else:
        refuse_of_files(data, options)
        columns = {role: text_name(name) for role, name in roles.items()}
        table = NumberedFrame.of(data)
        read, kinds = read_rating_table(table, columns, reading, raters, others=others)
        read = replace(read, about={"data": None, **read.about})
    about = {r: v if isinstance(v, str) else list(map(str, v)) for r, v in of_items.items()}
    about = {**read.about, **unusual(options, declared.TextFileOptions), **about}
    return replace(read, about=about), kinds


def _of_data(data: Data, raters: Mapping[str, str] | None, options: Mapping[str, Any]) -> Data:
    """Return some of the raters of data that are read already."""
    usual = declared.defaults(declared.RatingsRead)
    if given := [
        n
        for n, x in declared.options_of(options, declared.RatingsRead).items()
        if x is not usual[n]
    ]:
        raise InputError(
            f"{given[0]} belongs to the reading of data, and these are read already.",
            parameter=given[0],
            hint="Pass it to read.",
        )
    return data if raters is None else chosen_raters(data, raters)


def _by_role(values: Mapping[str, Any], *, named: bool) -> dict[str, Any]:
    """Return what belongs to ratings by role; several columns of a role have a number each."""
    roles = {role: value for role, value in values.items() if role not in _SEVERAL}
    for role in (role for role in _SEVERAL if role in values):
        value = values[role]
        value = value.values() if isinstance(value, Mapping) else value
        one = not isinstance(values[role], Mapping) and (not named or isinstance(value, str))
        roles |= {f"{role}_{i}": column for i, column in enumerate([value] if one else value)}
    return roles


def unusual(options: Mapping[str, Any], *kinds: Any) -> dict[str, Any]:
    """Return the options of some kinds that are not the default."""
    usual = {name: value for kind in kinds for name, value in declared.defaults(kind).items()}
    given = {name: options.get(name, v) for name, v in usual.items()}
    return {name: value for name, value in given.items() if value not in (usual[name], ())}


def refuse_of_files(data: Any, options: Mapping[str, Any], *kinds: Any) -> None:
    """Raise an error for options that only files have, beside a data frame or without data."""
    named = unusual(options, *(kinds or (declared.RowOptions, declared.TextFileOptions)))
    for name in [*named, *["runs"] * bool(options.get("runs"))]:
        here = "a data frame was given"
        hint = "Filter or join the frame first, or pass the path of a file."
        if data is None:
            here, hint = "no data were given", "Pass the path of a file as {data}."
        raise InputError(f"{name} is for files, and {here}.", parameter=name, hint=hint)


def with_open_files(data: Data, stack: ExitStack) -> Data:
    """Return data whose files stay open as long as texts may be asked for."""
    if not callable(data.units.texts):
        return data
    texts = files.Texts(data.units.texts, stack.pop_all().close)
    return replace(data, units=replace(data.units, texts=texts))


def _of_files(
    data: Any,
    roles: Mapping[str, Any],
    reading: Reading,
    raters: Mapping[str, str] | None,
    others: bool,
    options: Mapping[str, Any],
) -> tuple[Data, Kinds]:
    """Read the ratings of a file."""
    names = None if raters is None else list(raters)
    how = declared.options_of(
        options, declared.RowOptions, declared.TextFileOptions, declared.ProgressOption
    )
    with ExitStack() as stack:
        opened = stack.enter_context(
            files.open(data, pred=names, roles=roles, options=how, exports=True)
        )
        if raters is not None:  # as they are spelled in the file
            raters = dict(zip(opened.pred or (), raters.values(), strict=True))
        stack.enter_context(naming(opened.name))
        reading = replace(reading, text=True)
        rated, kinds = read_rating_table(opened, opened.roles, reading, raters, others=others)
        about = {"data": str(data), **({"where": opened.where} if opened.where else {})}
        notices = (*opened.notes, *rated.notices)
        rated = replace(rated, about={**about, **rated.about}, notices=notices)
        return with_open_files(rated, stack), kinds


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
