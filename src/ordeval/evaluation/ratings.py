"""Ratings from any door: arrays, frames of any library, files."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

from .. import files
from ..data.classes import Reading
from ..data.data import Data
from ..data.naming import NumberedFrame, text_name
from ..data.ratings import RatingTable, read_rating_table, read_ratings
from ..errors import InputError

_ROLES = ("item", "rater", "rating", "kind", "weight", "frequency", "cluster", "text", "slices")


@contextmanager
def open_ratings(
    ratings: Any,
    data: Any,
    options: Mapping[str, Any],
    models: Any = None,
    *,
    raters: Mapping[str, str] | None = None,
    parameter: str = "ratings",
    **of_files: Any,
) -> Iterator[tuple[Data, Mapping[str, str]]]:
    """Open ratings in memory, or with `data` of a frame or a file, and give the kinds of raters.

    `options` are those of `agreement` or `judge`. Of frames and files, `raters` are names with the
    parameter that gave each. Texts of files can be read as long as the context is open.
    """
    reading = Reading(
        options["labels"], options["values"], _held(options["bins"]), options["na"]
    )
    roles = _roles({role: options.get(role) for role in _ROLES}, columns=data is not None)
    if data is None:
        if isinstance(ratings, Data):
            yield _unread(ratings, reading, roles), {}
        else:
            yield read_ratings(ratings, reading, models, **roles), {}
    elif isinstance(data, str | PathLike):
        with files.open(
            data,  # type: ignore[arg-type]
            gold=None,
            pred=None if raters is None else list(raters),
            roles=roles,
            exports=True,
            **of_files,
        ) as opened:
            named = [opened.roles[role] for role in roles]
            known = None if raters is None else dict(
                zip(opened.pred or (), raters.values(), strict=True)
            )  # fmt: skip
            table = RatingTable(
                opened.columns,
                opened.select,
                opened.run,
                f"{opened.name}: ",
                text=True,
                aside=opened.aside,
                tool=opened.tool,
                about={"data": str(data), **({"where": opened.where} if opened.where else {})},
                notices=opened.notes,
            )
            found = dict(zip(roles, named, strict=True))
            yield read_rating_table(table, found, reading, known, parameter)
    else:
        frame = NumberedFrame.of(data)
        table = RatingTable(frame.names, frame.select)
        named_roles = {role: text_name(name) for role, name in roles.items()}
        yield read_rating_table(table, named_roles, reading, raters, parameter)


def named_raters(names: Any, parameter: str) -> dict[str, str] | None:
    """Return names of raters with the parameter that gave them; None for none."""
    if names is None:
        return None
    several = [names] if isinstance(names, str) else [text_name(name) for name in names]
    if not several or len(set(several)) < len(several):
        raise InputError(
            f"{parameter} names {several}; different raters are expected.", parameter=parameter
        )
    return dict.fromkeys(several, parameter)


def _held(bins: Any) -> Any:
    """Return bins that can be read more than once."""
    return tuple(bins) if isinstance(bins, Iterator) else bins


def _roles(given: Mapping[str, Any], *, columns: bool) -> dict[str, Any]:
    """Return what belongs to ratings by role; several items or slices have a number each."""
    found: dict[str, Any] = {}
    for role, value in given.items():
        if value is None:
            continue
        several = isinstance(value, Mapping) if role == "slices" else False
        if columns and role in ("item", "slices"):
            several = not isinstance(value, str) and isinstance(value, Sequence)
        parts = list(value.values()) if isinstance(value, Mapping) else value
        if several or role == "slices":
            found |= {f"{role}_{i}": part for i, part in enumerate(parts if several else [value])}
        else:
            found[role] = value
    return found


def _unread(data: Data, reading: Reading, roles: Mapping[str, Any]) -> Data:
    """Return data that are read already, beside which nothing says how to read them."""
    settings = {"labels": reading.labels, "values": reading.values, "bins": reading.bins}
    given = [name for name, value in {**settings, "na": reading.na, **roles}.items()
             if value is not None]  # fmt: skip
    if given:
        raise InputError(
            f"{given[0]} cannot be used with Data, which are read already.", parameter=given[0]
        )
    return data
