"""Ratings as data, in wide form (a column per rater), long (a row per rating) or nested.

Whatever the door, ratings become columns by role first: the ratings of every rater, or item, rater
and rating of every row, or a list or an object per item; and what belongs to items.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, did_you_mean, plural, quoted
from ..limits import check_memory
from ..notes import Notes, warning
from ..types import Array, Codes
from .classes import Classes, Reading, classes_of
from .column import Column, as_number, groups_of, is_missing, sorted_names
from .containers import aligned, columns_of_frame, index_of, is_tensor, row_names
from .data import Data
from .examples import JOINED_TEXTS, as_text
from .frames import Fetched, Run, door_of, json_columns
from .infer import ColumnError
from .raters import counting
from .roles import (
    SHOWN,
    parameter_of_role,
    pred_role,
    require_column,
    unused_notices,
)
from .units import Units, check_frequency, check_weight

# Columns of these names, whatever their case, are not taken for raters.
_RESERVED = ("item", "id", "topic", "slice", "weight", "frequency", "cluster", "kind", "text")
_GROUPS = {"item", "slices", "cluster"}  # roles that may share a column
_RATER_KEYS = ("rater", "annotator", "user_id", "user", "rater_id", "annotator_id", "completed_by")
_RATING_KEYS = ("rating", "number", "value", "label", "score")
_AT_ONCE = 1 << 18  # ratings that are copied to be read together, which is faster
_LEAST_NAMED = 10  # rows whose values all differ, in a column that names items
_MANY = 20  # different values of a rater beside few of the others
_PER_ITEM = 5  # raters per item from which the rows seem to be raters
_FORMS = (
    "a column per rater (wide), or columns of the item, the rater and the rating (long), or a "
    'column of lists such as [3, 4, null] or objects such as {"anna": 3}'
)


@dataclass(frozen=True, eq=False)
class RatingTable:
    """A frame or a file that holds ratings.

    Parameters
    ----------
    columns : tuple of str
        The names of the columns.
    select : callable
        Returns some columns under other names, as a relation or a narwhals frame.
    run : callable, optional
        Runs a job that fetches rows.
    where : str
        The beginning of messages: a file and a colon.
    aside : tuple of str
        Columns that are no raters unless they are named.
    items : tuple of str
        The columns that name an item together in an export of another tool.
    about, notices : object
        Where the data come from, and what was done to them.
    """

    columns: tuple[str, ...]
    select: Callable[[Mapping[str, str]], Any]
    run: Run | None = None
    where: str = ""
    aside: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    notices: Notes = ()

    def values(self, column: str, most: int) -> list[Any]:
        """Return some of the distinct values of a column of a file, in order."""
        assert self.run is not None
        rows = self.select({"x": column}).distinct().order("x").limit(most)
        return [value for (value,) in self.run(rows.fetchall)]


@dataclass(frozen=True, eq=False)
class Layout:
    """The form of ratings, and the column of every role.

    `raters` are the columns of ratings in wide form; `others` are the columns of other roles.
    `guessed` tells that the raters are all columns without another role, `framed` that they are
    those of a frame in memory.
    """

    form: str
    raters: tuple[str, ...]
    others: Mapping[str, str]
    guessed: bool = False
    framed: bool = False
    unused: tuple[str, ...] = ()

    @property
    def labelled(self) -> dict[str, str]:
        """The columns of ratings by role."""
        if self.form == "long":
            return {"rating": self.others["rating"]}
        return {pred_role(i): name for i, name in enumerate(self.raters)}

    @property
    def columns(self) -> dict[str, str]:
        """The column of every role."""
        return {**self.labelled, **self.others}

    def roles(self, parameter: str) -> list[str]:
        """Return the roles that a parameter names."""
        return [role for role in self.others if parameter_of_role(role) == parameter]

    def besides(self, odd: Sequence[str], **others: Any) -> dict[str, Any]:
        """Return settings that name all raters but some."""
        raters = [name for name in self.raters if name not in odd]
        return {"ratings": raters if 1 < len(raters) <= 2 * SHOWN else ..., **others}


# In memory.


def read_ratings(ratings: Any, reading: Reading, models: Any = None, **roles: Any) -> Data:
    """Read and check ratings in memory, those of people and perhaps of models.

    `ratings` is an array, a frame, a mapping from rater to ratings, or a list with the ratings of
    each item, which may differ in number and then do not say who gave which. Without it, `rater`,
    `rating` and `item` have an entry for every rating.
    """
    roles = {role: column for role, column in roles.items() if column is not None}
    people, named, framed = ({}, True, False) if ratings is None else _columns_of(ratings)
    if twice := [name for name in people if name in (models or {})]:
        raise InputError(
            f"A person and a model have the same name: {quoted(twice)}.", parameter="models"
        )
    columns = people | dict(models or {})
    every = [*columns.items(), *roles.items()]
    against, first = next(((n, c) for n, c in every if index_of(c) is not None), ("", None))
    held = {}
    for i, (name, column) in enumerate(every):
        parameter = "ratings" if i < len(people) else parameter_of_role(name)
        parameter = "models" if len(people) <= i < len(columns) else parameter
        role = pred_role(i) if i < len(columns) else name
        held[role] = aligned(column, first, name, against=against, parameter=parameter)
    others = {role: parameter_of_role(role) for role in roles}
    layout = Layout("wide" if columns else "long", tuple(columns), others, framed, framed)
    if layout.form == "long":
        _require_long(layout, "", tuple(roles))
    return _data(Fetched(held), layout, reading, named=named)[0]


def _columns_of(ratings: Any) -> tuple[dict[str, Any], bool, bool]:
    """Return a column per rater, whether it is one throughout, and whether it is of a frame."""
    frame = None if isinstance(ratings, Mapping) else columns_of_frame(ratings, "ratings")
    if frame is not None or isinstance(ratings, Mapping):
        by_name = ratings if frame is None else frame
        columns = {str(name): column for name, column in by_name.items()}
        if not columns or len(columns) < len(by_name):
            same = f"raters of the same name: {quoted(map(str, by_name))}"
            raise _no_raters(same if columns else "no column; one per rater is expected")
        return columns, True, frame is not None
    if isinstance(ratings, (list, tuple)) and ratings:
        return *_by_rater(ratings, "ratings"), False
    return _of_array(ratings), True, False


def _numbered(columns: Sequence[Any], where: str = "ratings") -> dict[str, Any]:
    """Return columns of raters without names, unless they seem to be those of items."""
    if not columns:
        raise _no_raters("no column; one per rater is expected")
    items = len(columns[0])
    if len(columns) >= _PER_ITEM * items:
        raise InputError(
            f"{where} has {plural(items, 'row')} of {len(columns):,} ratings; a row per item and a "
            "column per rater are expected.",
            parameter="ratings",
            hint="If the rows are raters, transpose it: numpy.transpose(ratings). If they are "
            "items, name the raters: pass a mapping from rater to ratings.",
        )
    return {f"rater {j + 1}": column for j, column in enumerate(columns)}


def _no_raters(what: str) -> InputError:
    return InputError(f"ratings has {what}.", parameter="ratings")


def _of_array(ratings: Any) -> dict[str, Any]:
    table = ratings if is_tensor(ratings) else np.asanyarray(ratings)
    if table.ndim != 2:
        shape = "x".join(map(str, table.shape)) or "()"
        raise _no_raters(f"shape {shape}; a row per item and a column per rater are expected")
    if type(table) is np.ndarray and table.size <= _AT_ONCE:
        table = np.ascontiguousarray(table.T).T
    return _numbered([table[:, j] for j in range(table.shape[1])])


def _by_rater(rows: Sequence[Any], where: str) -> tuple[dict[str, Any], bool]:
    """Return columns from the ratings of each item: a list, or an object by rater.

    The second value tells whether a column is the same rater throughout, which lists of different
    length do not say.
    """
    cells = [_cell(row, where) for row in rows]
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) > 1:
        raise InputError(f"{where} holds lists and objects; one of them is expected.")
    if kinds == {dict}:
        names = sorted_names({name for cell in cells if cell for name in cell})
        return {name: [(cell or {}).get(name) for cell in cells] for name in names}, True
    lists = [cell or [] for cell in cells]
    sizes = {len(cell) for cell in lists if cell}
    if not sizes:
        raise InputError(f"{where} holds no rating: all lists are empty.", parameter="rating")
    columns = [[c[j] if j < len(c) else None for c in lists] for j in range(max(sizes))]
    return _numbered(columns, where), len(sizes) < 2


def _cell(cell: Any, where: str) -> Any:
    """Return the ratings of an item: a list, a mapping from rater, or None."""
    if isinstance(cell, str) and where != "ratings":
        cell = _parsed(cell) if cell.strip() else None
    cell = cell.asDict() if hasattr(cell, "asDict") else cell  # of Spark
    if is_missing(cell):
        return None
    found: Any = None
    if isinstance(cell, Mapping):
        found = {str(name): rating for name, rating in cell.items()}
    elif not isinstance(cell, str | bytes) and hasattr(cell, "__len__"):
        found = list(cell)
        if found and all(isinstance(part, Mapping) for part in found):
            pairs = [(_first(part, _RATER_KEYS), _first(part, _RATING_KEYS)) for part in found]
            named = {str(rater): rating for rater, rating in pairs if rater is not None}
            found = named if len(named) == len(pairs) else None
    ratings = found.values() if isinstance(found, dict) else found or ()
    if found is None or any(isinstance(rating, Mapping | list | tuple) for rating in ratings):
        raise _unreadable(cell, where)
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return text


def _first(part: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((part[key] for key in keys if key in part), None)


def _unreadable(cell: Any, where: str) -> InputError:
    if where == "ratings":
        return InputError(
            "ratings is a list of single values; the ratings of each item are expected.",
            parameter="ratings",
            hint="Pass e.g. [[3, 4, None], [2, 2, 3]]: a row per item, a column per rater.",
        )
    return InputError(
        f"{where} holds {abbreviate(str(cell), 60)}, which is no list of ratings.",
        parameter="rating",
        hint='Write the ratings of an item as [3, 4, null], or by rater as {"anna": 3, "ben": 4}.',
    )


# Frames and files.


def read_rating_table(
    table: RatingTable,
    roles: Mapping[str, str],
    reading: Reading,
    raters: Mapping[str, str] | None = None,
    *,
    others: bool = False,
) -> tuple[Data, dict[str, str]]:
    """Read the ratings of a frame or a file, and the kinds of raters.

    `roles` are the columns that were asked for. `raters` are columns, or in other forms raters to
    keep, with the parameter that named each, with all `others` or without; by default all.
    """
    layout = _layout(table, roles, raters, others)
    door = door_of(table.select(layout.columns), layout, reading, table.run, whole=True)
    held, named, where = door.fetch(), True, reading.where
    if layout.form == "nested":
        column, cells = layout.others["rating"], held.columns["rating"]
        cells = cells.tolist() if hasattr(cells, "tolist") else list(cells)
        columns, named = _by_rater(cells, f"{where}column {column!r}")
        rest = {role: name for role, name in layout.others.items() if role != "rating"}
        layout = replace(layout, raters=tuple(columns), others=rest)
        rated = {pred_role(i): ratings for i, ratings in enumerate(columns.values())}
        held = replace(held, columns={**held.columns, **rated})
    data, kinds = _data(held, layout, door.reading, named=named, texts=door.texts)
    if raters and not others and layout.form != "wide":
        data = _kept(data, raters, where)
    notices = (*table.notices, *_about(layout), *data.notices)
    return replace(data, about={**table.about, **data.about}, notices=notices), kinds


def _layout(
    table: RatingTable, roles: Mapping[str, str], raters: Mapping[str, str] | None, others: bool
) -> Layout:
    """Choose the form of a table, and its columns, by the names of roles whatever their case."""
    columns, where = table.columns, table.where
    for role, name in roles.items():
        require_column(name, columns, parameter_of_role(role), where)
    wide = bool(raters) and set(raters or ()) <= set(columns) and "rater" not in roles
    taken = {*roles.values(), *(raters or ())}
    called = {name.casefold(): name for name in columns[::-1] if name not in taken}
    named = dict(roles)
    if not wide:
        named |= {r: called[r] for r in ("rater", "rating") if r in called and r not in roles}
    if not any(parameter_of_role(role) == "item" for role in roles):
        names = [name for name in table.items if name not in taken]
        names = names[:1] + [name for name in names[1:] if len(table.values(name, 2)) > 1]
        names = names or [called[name] for name in ("item", "id") if name in called][:1]
        named |= {f"item_{i}": name for i, name in enumerate(names)}
    if "rater" not in named and not wide:
        nested = [name for name in _nested_columns(table) if name != roles.get("text")]
        if "rating" not in named and len(nested) > 1:
            raise InputError(
                f"{where}{quoted(nested, 10)} hold lists or objects; the ratings are expected in "
                "one of them.",
                parameter="rating",
                hint="Name the column of ratings with {rating}.",
                suggest={"rating": nested[0]},
            )
        rating = named.get("rating", nested[0] if nested else None)
        if rating in nested:
            return _checked(Layout("nested", (), {**named, "rating": rating}), where)
    if "rater" in named or "rating" in named:
        kind = {"kind": called["kind"]} if "kind" in called else {}
        layout = Layout("long", (), {**kind, **named})
        _require_long(layout, where, columns)
        _refuse_questions(table, layout)
        return _checked(layout, where)
    return _checked(_wide_layout(table, named, raters, others), where)


def _wide_layout(
    table: RatingTable, by_role: Mapping[str, str], raters: Mapping[str, str] | None, others: bool
) -> Layout:
    """Return a layout with a column per rater; by default all columns without another role."""
    if "kind" in by_role:
        raise InputError(
            f"{table.where}the kind of raters is for a row per item and rater.", parameter="kind"
        )
    named = raters or {}
    for name, parameter in named.items():
        require_column(name, table.columns, parameter, table.where)
    if named and not others:
        return Layout("wide", tuple(named), by_role)
    used = {*by_role.values(), *table.aside}
    free = [name for name in table.columns if name in named or name not in used]
    unused = tuple(n for n in free if n.casefold() in _RESERVED and n not in named)
    rest = tuple(name for name in free if name not in unused)
    if len(rest) < 2:
        raise InputError(
            f"{table.where}the columns are {quoted(table.columns, 20)}; expected is {_FORMS}.",
            parameter="ratings",
            hint="Name the columns of the raters with {ratings}, or those of a row per item and "
            "rater with {item}, {rater} and {rating}.",
            suggest={"ratings": ["anna", "ben"], "item": ..., "rater": ..., "rating": ...},
        )
    return Layout("wide", rest, by_role, guessed=True, unused=unused)


def _require_long(layout: Layout, where: str, columns: Sequence[str]) -> None:
    """Raise an error unless the columns of items, raters and ratings are known."""
    for role in ("rater", "rating", "item"):
        if not layout.roles(role):
            raise InputError(
                f"{where}ratings in long form need item, rater and rating, and no column is called "
                f"{role!r}; the columns are {quoted(columns, 20)}.",
                parameter=role,
                hint=f"Name the column of {role}s with {{{role}}}; for a column per rater, name "
                "the columns with {ratings}.",
                suggest={role: ..., "ratings": ...},
            )


def _refuse_questions(table: RatingTable, layout: Layout) -> None:
    """Raise an error if an export holds ratings on several questions, and none is chosen."""
    column = "question"
    if not table.items or column in (*table.aside, *layout.others.values()):
        return
    questions = table.values(column, SHOWN + 1)
    if len(questions) > 1:
        raise InputError(
            f"{table.where}there are ratings on several questions: {quoted(questions, SHOWN)}.",
            parameter="where",
            hint="Choose one, e.g. {where}.",
            suggest={"where": {column: questions[0]}},
        )


def _checked(layout: Layout, where: str) -> Layout:
    """Return a layout in which no column is named for two roles that exclude each other."""
    named = [(parameter_of_role(role), name) for role, name in layout.others.items()]
    named += [("ratings", name) for name in layout.raters]
    for i, (role, name) in enumerate(named):
        before = [other for other, column in named[:i] if column == name]
        if before and not {role, *before} <= _GROUPS:
            raise InputError(
                f"{where}column {name!r} is named for two roles, {before[0]} and {role}; a column "
                "has one.",
                parameter=role,
            )
    return layout


def _nested_columns(table: RatingTable) -> list[str]:
    """Return the columns that hold lists or objects."""
    roles = {f"n{i}": name for i, name in enumerate(table.columns)}
    frame = table.select(roles)
    if hasattr(frame, "project"):
        return [roles[role] for role in json_columns(frame, table.run, text=bool(table.where))]
    kinds, first = frame.collect_schema(), frame.head(1) if hasattr(frame, "rows") else None

    def nested(role: str) -> bool:
        cells = () if first is None else first[role].to_list()
        return kinds[role].is_nested() or any(
            isinstance(x, list | dict | np.ndarray) for x in cells
        )

    return [name for role, name in roles.items() if nested(role)]


def _kept(data: Data, raters: Mapping[str, str], where: str) -> Data:
    """Return the ratings of the raters that were asked for, in this order."""
    for name, parameter in raters.items():
        if name not in data.names:
            raise InputError(
                f"{where}there is no rater {name!r}; the raters are {quoted(data.names, 20)}."
                f"{did_you_mean(name, data.names)}",
                parameter=parameter,
            )
    places = [data.names.index(name) for name in raters]
    return counting(replace(data, codes=data.codes[places], names=tuple(raters)))


def _about(layout: Layout) -> Notes:
    """Say which columns were taken for raters, because none was named, and which were not."""
    if not layout.guessed:
        return ()
    taken = f"Taken as raters, because none were named: {quoted(layout.raters, 20)}."
    if _are_numbers(layout.raters):
        taken += " If the first line is an item, say that there is no header."
    guess = warning("guessed", taken, request=True)
    return (guess, *unused_notices(layout.unused, "raters"))


def _are_numbers(names: Sequence[str]) -> bool:
    """Return whether names are numbers in order, as of raters that have no other names."""
    numbers = [x for x in map(as_number, names) if x is not None]
    return len(numbers) == len(names) and numbers == sorted(numbers)


# From columns to data.


def _data(
    held: Fetched, layout: Layout, reading: Reading, *, named: bool = True, texts: Any = None
) -> tuple[Data, dict[str, str]]:
    """Return ratings as data, and the kinds of raters."""
    start = reading.where
    columns = [held.column(role, name, start) for role, name in layout.labelled.items()]
    n = len(columns[0])
    if odd := [c for c in columns if len(c) != n]:
        raise InputError(
            f"{columns[0].name} has {plural(n, 'rating')} and {odd[0].name} {len(odd[0]):,}; one "
            "per item is expected.",
            parameter="ratings",
        )
    if not n:
        raise InputError(f"{start}there are no items; at least one is needed.")
    if layout.form == "long":
        columns = [_plain_cells(columns[0])]
    labelled = [reading.column(column) for column in columns]
    if not any(column.distinct() for column in labelled):
        raise InputError(f"{start}there is no rating: all are missing.", parameter="ratings")
    if layout.guessed:
        _refuse_guessed(labelled, layout, reading)
    classes = _classes(labelled, layout, reading)
    rows = _Rows(held, layout, n, start)
    codes, names = classes.codes, layout.raters
    kinds: dict[str, str] = {}
    if layout.form == "long":
        codes, names, kinds = rows.scattered(codes[0], classes.scale.k)
    units, about = rows.units(texts), reading.settings
    data = Data(codes, names, classes.scale, units, named, notices=classes.notices, about=about)
    return counting(data), kinds


def _plain_cells(column: Column) -> Column:
    """Return ratings as they are in cells of Label Studio, such as [{"rating": 4}]."""
    coded = column.coded()
    values = tuple(
        _plain_rating(value) if isinstance(value, str) and value.startswith("[{") else value
        for value in coded.values
    )
    return column if values == tuple(coded.values) else replace(coded, categories=values)


def _plain_rating(text: str) -> Any:
    parts = _parsed(text)
    part = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
    if not isinstance(part, dict):
        return text
    choices: Any = part.get("choices") or ()
    rating = choices[0] if len(choices) == 1 else _first(part, _RATING_KEYS)
    return text if rating is None else rating


def _classes(labelled: Sequence[Column], layout: Layout, reading: Reading) -> Classes:
    """Return the classes of ratings; errors say that a column may be none of a rater."""
    try:
        return classes_of(labelled, reading, raw=False)
    except InputError as problem:
        hint, suggest = problem.raw_hint.replace(" and {missing}", ""), dict(problem.suggest)
        if isinstance(problem, ColumnError) and layout.guessed and not layout.framed:
            hint = (
                f"{hint} If {problem.column} is not a rater, name the raters with {{ratings}}, or "
                "for a row per item and rater the columns with {item}, {rater} and {rating}. A "
                "column of texts is named with {text}."
            ).strip()
            roles = dict.fromkeys(("item", "rater", "rating", "text"), ...)
            suggest |= layout.besides([problem.column], **roles)
        parameter = problem.parameter
        raise InputError(problem.message, parameter=parameter, hint=hint, suggest=suggest) from None


def _refuse_guessed(columns: Sequence[Column], layout: Layout, reading: Reading) -> None:
    """Raise an error for columns that were taken for raters and are hardly ones."""
    start, labels = reading.where, {column.name: column.distinct() for column in columns}
    ratings = {str(x) for values in labels.values() for x in values}
    if start and set(labels) <= ratings and not _are_numbers(layout.raters):
        raise InputError(
            f"{start}the columns are called {quoted(labels, 5)}, and these are ratings, too.",
            parameter="header",
            hint="If the first line is an item, pass {header}; else name the raters with "
            "{ratings}.",
            suggest={"header": False, **layout.besides(())},
        )
    if reading.bins is None:
        _refuse_odd(columns, labels, layout, start)


def _refuse_odd(
    columns: Sequence[Column], labels: Mapping[str, Sequence[Any]], layout: Layout, start: str
) -> None:
    """Raise an error for columns with other values than the others have, as names of items."""
    rows, odd, role = len(columns[0]), [c.name for c in columns if _names_rows(c)], "item"
    rest = [len(values) for name, values in labels.items() if name not in odd]
    if not odd or 2 * max(rest, default=rows) > rows:
        odd, role = [name for name in labels if _is_apart(name, labels)], "cluster"
        rest = [len(values) for name, values in labels.items() if name not in odd]
    if not odd or not rest:
        return
    what = "names the items" if role == "item" else "says what items belong to"
    hint = f"If it {what}, name it with {{{role}}}. " * (not layout.roles(role))
    hint += "If it is a rater, or something else, name the raters with {ratings}."
    if layout.framed:
        hint = "Pass the frame as {data}, and name the raters with {ratings}."
    suggest = layout.besides(odd, data=..., **{role: odd[0]})
    raise InputError(
        f"{start}{quoted(odd)} {'has' if len(odd) == 1 else 'have'} {len(labels[odd[0]]):,} "
        f"different values ({quoted(labels[odd[0]], 3)}) in {rows:,} rows, and the other columns "
        f"{max(rest):,} at most, so that it is hardly a rater.",
        parameter="ratings",
        hint=hint,
        suggest=suggest,
    )


def _is_apart(name: str, labels: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether a column has many more values than the others, or none of theirs."""
    rest = [set(values) for other, values in labels.items() if other != name and values]
    own, common = set(labels[name]), set().union(*rest)
    disjoint = len(rest) > 1 and len(common) > 1 and len(own) > 2 and not common & own
    return bool(rest) and (disjoint or len(own) > max(3 * max(map(len, rest)), _MANY))


def _names_rows(column: Column) -> bool:
    """Return whether a column has another value in every row, and enough rows, no fractions."""
    if len(column) < _LEAST_NAMED or len(column.distinct()) < len(column):
        return False
    numbers = map(as_number, column.distinct())
    return all(number is None or number.is_integer() for number in numbers)


class _Rows:
    """What belongs to the rows of ratings, and in long form to the items of which they are."""

    def __init__(self, held: Fetched, layout: Layout, n: int, start: str) -> None:
        self._held, self._layout, self._n, self._start = held, layout, n, start
        self._long = layout.form == "long"
        self._item, self._items = self._named_items()

    def _groups(self, role: str) -> tuple[Codes, tuple[str, ...]]:
        """Return the group of every row, which must have one, and the sorted names."""
        name = self._layout.others[role]
        column = self._held.column(role, name, self._start)
        codes, names = groups_of(column)
        gap = codes == len(names)
        if len(column) == self._n and not gap.any():
            return codes, names
        problem = f"{plural(len(column), 'value')} for {plural(self._n, 'row')}; one per row is"
        if len(column) == self._n:
            first = int(gap.argmax()) + 1
            problem = f"{plural(int(gap.sum()), 'empty value')}, the first in row {first:,}; one is"
        raise InputError(
            f"{self._start}{name} has {problem} expected.", parameter=parameter_of_role(role)
        )

    def _named_items(self) -> tuple[Codes, tuple[str, ...]]:
        """Return the item of every row, and the names of items in order; () if they have none."""
        roles = self._layout.roles("item")
        if not roles:
            series = [c for c in self._held.columns.values() if index_of(c) is not None]
            names = row_names(series[0]) if series else None
            return np.arange(self._n), names or ()
        codes, names = self._groups(roles[0])
        for role in roles[1:]:
            more, others = self._groups(role)
            used, codes = np.unique(codes * len(others) + more, return_inverse=True)
            pairs = (divmod(int(place), len(others)) for place in used)
            names = tuple(f"{names[i]}, {others[j]}" for i, j in pairs)
        if not self._long and len(names) < self._n:
            columns = [self._layout.others[role] for role in roles]
            twice = names[int(np.bincount(codes).argmax())]
            raise InputError(
                f"{self._start}{self._n:,} rows have {plural(len(names), 'item')} by "
                f"{quoted(columns)}; {twice!r} is repeated, and a row per item is expected.",
                parameter="item",
                hint="If rows are items that belong together, as visits of a patient, pass "
                "{cluster}; else name all columns that tell the items apart with {item}, or for a "
                "row per item and rater those of raters and ratings with {rater} and {rating}.",
                suggest={"cluster": columns[0], "item": ..., "rater": ..., "rating": ...},
            )
        return codes, names

    def scattered(self, long: Array, k: int) -> tuple[Array, tuple[str, ...], dict[str, str]]:
        """Return the classes `[rater, item]` of rows with one rating each, raters and kinds."""
        of_rater, raters = self._groups("rater")
        items = len(self._items)
        check_memory(
            "The table of ratings",
            float(long.itemsize) * items * len(raters),
            f"{plural(items, 'item')} × {plural(len(raters), 'rater')}",
            parameter="rater",
            hint="Name the columns of items and raters with {item} and {rater}.",
            suggest={"item": ..., "rater": ...},
        )
        cell = of_rater * items + self._item
        ordered = np.sort(cell)
        twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        if twice.size:
            rater, item = divmod(int(twice[0]), items)
            raise InputError(
                f"{self._start}{plural(twice.size, 'item was', 'items were')} rated more than once "
                f"by the same rater, e.g. {abbreviate(self._items[item])} by "
                f"{abbreviate(raters[rater])}; one rating per item and rater is expected.",
                parameter="item",
                hint="Keep one row per item and rater, or name the columns that tell the items "
                "apart with {item}.",
                suggest={"item": ...},
            )
        codes = np.full((len(raters), items), k, dtype=long.dtype)
        codes.ravel()[cell] = long
        return codes, raters, self._kinds(of_rater, raters)

    def _kinds(self, of_rater: Codes, raters: Sequence[str]) -> dict[str, str]:
        """Return the kind of every rater, who has one."""
        if "kind" not in self._layout.others:
            return {}
        codes, kinds = self._groups("kind")
        pairs = [divmod(x, len(kinds)) for x in np.unique(of_rater * len(kinds) + codes).tolist()]
        by_rater = {raters[rater]: kinds[kind] for rater, kind in pairs}
        if len(by_rater) < len(pairs):
            twice = next(r for (r, _), (s, _) in pairwise(pairs) if r == s)
            raise InputError(
                f"{self._start}rater {raters[twice]!r} has more than one value in column "
                f"{self._layout.others['kind']!r}; a rater is a person or a model.",
                parameter="kind",
            )
        return by_rater

    def units(self, texts: Callable[[Array], Sequence[Any]] | None) -> Units:
        """Return what belongs to items; `texts` returns those of rows, later."""
        numbers: dict[str, Any] = {}
        for role, check in (("weight", check_weight), ("frequency", check_frequency)):
            if role in self._layout.others:
                try:
                    of_rows = check(self._held.columns[role], self._n)
                except InputError as problem:
                    problem.message = f"{self._start}{problem.message}"
                    raise
                numbers[role] = self._of_items(of_rows, role)
        groups = {}
        for role in (*self._layout.roles("cluster"), *self._layout.roles("slices")):
            codes, names = self._groups(role)
            groups[role] = self._of_items(codes, role), names
        cluster, clusters = groups.pop("cluster", (None, ()))
        ids: Array = np.array(self._items, dtype=object) if self._items else 1 + self._item
        ids = ids if self._long or not self._items else ids[self._item]
        return Units(
            len(ids),
            numbers.get("frequency"),
            numbers.get("weight"),
            cluster=cluster,
            clusters=clusters,
            ids=ids,
            texts=self._texts(ids, texts) if "text" in self._layout.others else None,
            parts={role.partition("_")[2]: group for role, group in groups.items()},
        )

    def _of_items(self, of_rows: Array, role: str) -> Array:
        """Return the value of every item; the rows of an item must have the same."""
        if not self._long:
            return of_rows
        values = np.empty(len(self._items), dtype=of_rows.dtype)
        values[self._item] = of_rows
        different = np.flatnonzero(values[self._item] != of_rows)
        if different.size:
            raise InputError(
                f"{self._start}{parameter_of_role(role)} differs between rows of the same item, "
                f"{self._items[self._item[different[0]]]!r}.",
                parameter=parameter_of_role(role),
            )
        return values

    def _texts(self, ids: Array, later: Callable[[Array], Sequence[Any]] | None) -> Any:
        """Return what returns the texts of items by their ids; those of an item are joined."""
        of_row = ids[self._item] if self._long else ids
        held: Array | None = None
        if "text" in self._held.columns:
            column = self._held.columns["text"]
            texts = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
            if len(texts) != self._n:
                raise InputError(
                    f"text has {plural(len(texts), 'entry', 'entries')} for "
                    f"{plural(self._n, 'row')}; one per row is expected.",
                    parameter="text",
                )
            held = np.fromiter(texts, object, self._n)

        def by_id(wanted: Sequence[Any]) -> list[str]:
            several: dict[Any, set[str]] = {id: set() for id in wanted}
            rows = np.array([i for i, id in enumerate(of_row.tolist()) if id in several], np.intp)
            shown = held[rows] if held is not None else later(rows) if later is not None else ()
            for id, text in zip(of_row[rows].tolist(), shown, strict=True):
                several[id].add(as_text(text))
            return [JOINED_TEXTS.join(sorted(filter(None, several[id]))) for id in wanted]

        return by_id
