"""Ratings as data, in wide form (a column per rater), long (a row per rating) or nested.

Whatever the door, ratings become columns by role first: the ratings of every rater, or item, rater
and rating of every row, or a list or an object per item; and what belongs to items.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, did_you_mean, plural, quoted
from ..limits import check_memory
from ..notes import Notes, warning
from ..types import Array, Codes
from .classes import Classes, Reading, classes_of
from .column import (
    Column,
    aligned,
    as_number,
    columns_of_frame,
    groups_of,
    index_of,
    is_missing,
    is_tensor,
    read_column,
    row_names,
    sorted_names,
)
from .data import Data
from .examples import JOINED_TEXTS, as_text
from .frames import Fetched, Run, door_of, json_columns
from .raters import counting
from .roles import (
    NUMBER_OF_ITEMS,
    SHOWN,
    parameter_of_role,
    pred_role,
    require_column,
    unused_notices,
)
from .scale import ColumnError
from .units import Units, check_frequency, check_weight

_ITEM_NAMES = ("item", "id")
# Columns of these names, whatever their case, are not taken for raters.
_RESERVED = (*_ITEM_NAMES, "topic", "slice", "weight", "frequency", "cluster", "kind", "text")
_GROUPS = ("item", "slices", "cluster")  # roles that may share a column
_RATER_KEYS = ("rater", "annotator", "user_id", "user", "rater_id", "annotator_id", "completed_by")
_RATING_KEYS = ("rating", "value", "label", "score")
_AT_ONCE = 1 << 18  # ratings that are copied to be read together, which is faster
_LEAST_NAMED = 10  # rows whose values all differ, in a column that names items
_MANY = 20  # different values of a rater beside few of the others
_FEWEST_ITEMS = 5  # raters per item from which the table seems to have a row per rater
_FORMS = (
    "a column per rater (wide), or columns of the item, the rater and the rating (long), or a "
    'column of lists such as [3, 4, null] or objects such as {"anna": 3}'
)
_EXAMPLE = '{"id": "a1", "ratings": {"anna": 3, "ben": 4}}'


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
    text : bool
        Whether labels are text of files.
    aside : tuple of str
        Columns that are no raters unless they are named.
    tool : str
        The tool that exported the table, if one did.
    about, notices : object
        Where the data come from, and what was done to them.
    """

    columns: tuple[str, ...]
    select: Callable[[Mapping[str, str]], Any]
    run: Run | None = None
    where: str = ""
    text: bool = False
    aside: tuple[str, ...] = ()
    tool: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    notices: Notes = ()


@dataclass(frozen=True, eq=False)
class Layout:
    """The form of ratings, and the column of every role.

    `raters` are the columns of ratings in wide form; `others` are the columns of other roles. The
    first word of a role is the parameter that names its column. `guessed` tells that the raters
    are all columns without another role, and `parameter` which argument names them.
    """

    form: str
    raters: tuple[str, ...]
    others: Mapping[str, str]
    guessed: bool = False
    unused: tuple[str, ...] = ()
    where: str = ""
    parameter: str = "ratings"

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

    def roles(self, kind: str) -> list[str]:
        """Return the roles that a parameter names."""
        return [role for role in self.others if parameter_of_role(role) == kind]

    @property
    def named(self) -> str:
        """The parameters that name raters, in a hint."""
        return "{people} and {models}" if self.parameter == "people" else "{ratings}"

    def suggest(self, raters: Sequence[str] = (), **others: Any) -> dict[str, Any]:
        """Return settings that a hint shows; `raters` are those to be named."""
        if self.parameter == "people":
            return {"people": ..., "models": ..., **others}
        return {"ratings": list(raters) if 1 < len(raters) <= 2 * SHOWN else ..., **others}


# In memory.


def read_ratings(ratings: Any, reading: Reading, models: Any = None, **roles: Any) -> Data:
    """Read and check ratings in memory, those of people and perhaps of models.

    `ratings` is an array, a frame, a mapping from rater to ratings, or a list with the ratings of
    each item, which may differ in number and then do not say who gave which. Without it, `rater`,
    `rating` and `item` have an entry for every rating. Roles may be None.
    """
    given = {role: column for role, column in roles.items() if column is not None}
    columns, named = ({}, True) if ratings is None else _columns_of(ratings, reading)
    columns = columns | dict(models or {})
    first = next((c for c in (*columns.values(), *given.values()) if index_of(c) is not None), None)
    against = next((n for n, c in (*columns.items(), *given.items()) if c is first), "")
    names = {name: pred_role(i) for i, name in enumerate(columns)}
    held = {
        names.get(name, name): aligned(column, first, name, against=against, parameter=parameter)
        for part, parameter in ((columns, "ratings"), (given, None))
        for name, column in part.items()
        for parameter in (parameter or parameter_of_role(name),)
    }
    form = "wide" if columns else "long"
    others = {role: parameter_of_role(role) for role in given}
    layout = Layout(form, tuple(columns), others)
    if not layout.roles("item") and form == "wide" and (index := row_names(first)) is not None:
        held["item"], layout = index, replace(layout, others={**others, "item": "item"})
    return _data(Fetched(held), layout, reading, named=named)[0]


def _columns_of(ratings: Any, reading: Reading) -> tuple[dict[str, Any], bool]:
    """Return a column per rater by name, and whether a column is the same rater throughout."""
    if isinstance(ratings, Mapping):
        return _named(list(ratings), list(ratings.values())), True
    if (frame := columns_of_frame(ratings, "ratings", "data=")) is not None:
        found = _named(list(frame), list(frame.values()))
        hint = "Leave it out, and pass its values as {item}. If it is a rater, pass a mapping from "
        rated = [reading.column(read_column(column, name)) for name, column in found.items()]
        _refuse_odd(rated, Layout("wide", tuple(found), {}), f"{hint}rater to ratings.")
        return found, True
    if isinstance(ratings, (list, tuple)) and ratings:
        found, named = by_rater(ratings)
        if isinstance(ratings[0], Mapping):
            return found, named
    else:
        found, named = _of_array(ratings), True
    items = len(next(iter(found.values())))
    if named and len(found) >= _FEWEST_ITEMS * items:
        raise InputError(
            f"ratings has {plural(items, 'row')} and {len(found):,} columns; a row per item and a "
            "column per rater are expected.",
            parameter="ratings",
            hint="If the rows are raters, transpose it: numpy.transpose(ratings). If they are "
            "items, pass a mapping from rater to ratings.",
        )
    return found, named


def _of_array(ratings: Any) -> dict[str, Any]:
    table = ratings if is_tensor(ratings) else np.asanyarray(ratings)
    if table.ndim != 2:
        raise InputError(
            f"ratings has shape {'x'.join(map(str, table.shape)) or '()'}; a row per item and a "
            "column per rater are expected.",
            parameter="ratings",
        )
    if type(table) is np.ndarray and table.size <= _AT_ONCE:
        table = np.ascontiguousarray(table.T).T
    return _numbered([table[:, j] for j in range(table.shape[1])])


def by_rater(rows: Sequence[Any], where: str = "ratings") -> tuple[dict[str, Any], bool]:
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
    sizes = {len(cell) for cell in cells if cell}
    lists = [cell or [] for cell in cells]
    columns = [[c[j] if j < len(c) else None for c in lists] for j in range(max(sizes, default=0))]
    return _numbered(columns, where), len(sizes) < 2


def _cell(cell: Any, where: str) -> Any:
    """Return the ratings of an item: a list, or by rater."""
    if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
        return None
    cell = _parsed(cell, where) if isinstance(cell, str) else cell
    if hasattr(cell, "asDict"):  # of Spark
        cell = cell.asDict()
    if isinstance(cell, Mapping):
        found: Any = {str(name): rating for name, rating in cell.items()}
        ratings: Iterable[Any] = found.values()
    elif isinstance(cell, str | bytes) or not hasattr(cell, "__len__"):
        raise _unreadable(cell, where)
    else:
        ratings = found = list(cell)
        if found and all(isinstance(part, Mapping) for part in found):
            pairs = [(_first(part, _RATER_KEYS), _first(part, _RATING_KEYS)) for part in found]
            found = {str(rater): rating for rater, rating in pairs if rater is not None}
            if len(found) < len(pairs):
                raise _unreadable(cell, where)
            ratings = found.values()
    if any(isinstance(rating, Mapping | list | tuple) for rating in ratings):
        raise _unreadable(cell, where)
    return found


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise _unreadable(text, where) from None


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
        hint=f"Write the ratings of an item as [3, 4, null], or by rater, e.g. {_EXAMPLE}.",
    )


def _numbered(columns: Sequence[Any], where: str = "ratings") -> dict[str, Any]:
    if not columns:
        raise InputError(f"{where} has no column; one per rater is expected.", parameter="ratings")
    return {f"rater {j + 1}": column for j, column in enumerate(columns)}


def _named(names: Sequence[Any], columns: Sequence[Any]) -> dict[str, Any]:
    found = dict(zip(map(str, names), columns, strict=True))
    if not found:
        raise InputError("ratings has no column; one per rater is expected.", parameter="ratings")
    if len(found) < len(names):
        raise InputError(
            f"ratings has raters of the same name: {quoted(map(str, names))}.", parameter="ratings"
        )
    return found


# Frames and files.


def read_rating_table(
    table: RatingTable,
    roles: Mapping[str, str],
    reading: Reading,
    raters: Mapping[str, str] | None = None,
    parameter: str = "ratings",
) -> tuple[Data, dict[str, str]]:
    """Read the ratings of a frame or a file, and the kinds of raters.

    `roles` are the columns that were asked for. `raters` are columns, or in other forms raters to
    keep, with the parameter that named each; by default all.
    """
    try:
        layout = _layout(table, roles, raters, parameter)
    except InputError as problem:
        if not problem.raw_hint and len(table.columns) == 1:
            problem.change_hint(f"Expected is {_FORMS}.")
        raise
    reading = replace(reading, where=table.where, text=table.text)
    door = door_of(table.select(layout.columns), layout, reading, table.run, whole=True)
    fetched, named = door.fetch(), True
    if layout.form == "nested":
        column = layout.others["rating"]
        cells, where = fetched.columns["rating"], f"{table.where}column {column!r}"
        cells = cells.tolist() if hasattr(cells, "tolist") else list(cells)
        if len(cells) == 1 and len(table.columns) == 1 and "rating" not in roles:
            raise _one_list(column, table.where)
        columns, named = by_rater(cells, where)
        if not any(not is_missing(x) for given in columns.values() for x in given):
            raise InputError(f"{where} holds no rating: all lists are empty.", parameter="rating")
        others = {role: name for role, name in layout.others.items() if role != "rating"}
        layout = replace(layout, raters=tuple(columns), others=others)
        rated = {pred_role(i): column for i, column in enumerate(columns.values())}
        fetched = replace(fetched, columns={**fetched.columns, **rated})
    texts = door.texts if "text" in layout.others else None
    data, kinds = _data(fetched, layout, door.reading, named=named, texts=texts)
    if raters is not None and layout.form != "wide":
        data = _kept(data, raters, table.where)
    notices = (*table.notices, *_about(layout, data), *data.notices)
    return replace(data, about={**table.about, **data.about}, notices=notices), kinds


def _layout(
    table: RatingTable, roles: Mapping[str, str], raters: Mapping[str, str] | None, parameter: str
) -> Layout:
    """Choose the form of a table, and its columns, by the names of roles whatever their case."""
    columns, where = table.columns, table.where
    for role, name in roles.items():
        require_column(name, columns, parameter_of_role(role), where)
    wide = raters is not None and set(raters) <= set(columns) and "rater" not in roles
    taken = {*roles.values(), *(raters or ())}
    called = {name.casefold(): name for name in columns[::-1] if name not in taken}
    found = dict(roles)
    if not any(parameter_of_role(role) == "item" for role in roles):
        default = next((called[name] for name in _ITEM_NAMES if name in called), None)
        found |= {} if default is None else {"item": default}
    if not wide:
        found |= {role: called[role] for role in ("rater", "rating") if role in called} | found
    layout = Layout("long", (), found, where=where, parameter=parameter)
    if "rater" not in found and not wide:
        nested = [name for name in _nested_columns(table) if name != roles.get("text")]
        if found.get("rating", nested[0] if len(nested) == 1 else "") in nested:
            layout = replace(layout, form="nested", others={"rating": nested[0], **found})
        elif nested and "rating" not in found:
            raise InputError(
                f"{where}{quoted(nested, 10)} hold lists or objects; the ratings are expected in "
                "one of them.",
                parameter="rating",
                hint="Name the column of ratings with {rating}.",
                suggest={"rating": nested[0]},
            )
    if layout.form == "long" and ("rater" in found or "rating" in found):
        kind = {"kind": called["kind"]} if "kind" in called else {}
        layout = replace(layout, others={**kind, **found})
        _check_long(table, layout)
    elif layout.form == "long":
        layout = _wide_layout(table, layout, raters)
    _check_roles(layout)
    return layout


def _wide_layout(table: RatingTable, layout: Layout, raters: Mapping[str, str] | None) -> Layout:
    """Return a layout with a column per rater; by default all columns without another role."""
    if "kind" in layout.others:
        raise InputError(
            f"{table.where}the kind of raters is for a row per item and rater.", parameter="kind"
        )
    if raters is not None:
        for name, parameter in raters.items():
            require_column(name, table.columns, parameter, table.where)
        return replace(layout, form="wide", raters=tuple(raters))
    used = {*layout.others.values(), *table.aside}
    free = [name for name in table.columns if name not in used]
    found = [name for name in free if name.casefold() not in _RESERVED]
    if len(found) < 2:
        raise InputError(
            f"{table.where}the columns are {quoted(table.columns, 20)}; expected is {_FORMS}.",
            parameter=layout.parameter,
            hint=f"Name the columns of the raters with {layout.named}, or those of a row per item "
            "and rater with {item}, {rater} and {rating}.",
            suggest=layout.suggest(("anna", "ben"), item=..., rater=..., rating=...),
        )
    unused = tuple(name for name in free if name not in found)
    return replace(layout, form="wide", raters=tuple(found), guessed=True, unused=unused)


def _check_long(table: RatingTable, layout: Layout) -> None:
    """Raise an error unless item, rater and rating are known, and one question is chosen."""
    for role in ("rater", "rating", "item"):
        if not layout.roles(role):
            raise InputError(
                f"{table.where}no column is called {role!r}; the columns are "
                f"{quoted(table.columns, 20)}.",
                parameter=role,
                hint=f"Name the column of {role}s with {{{role}}}; for a column per rater, name "
                f"the columns with {layout.named}.",
                suggest=layout.suggest((), **{role: ...}),
            )
    column = "question"
    if not table.tool or column in (*table.aside, *layout.others.values()):
        return
    values = door_of(table.select({"rating": column}), Layout("long", (), {"rating": column}),
                     Reading(), table.run, whole=True).fetch()  # fmt: skip
    found = sorted(map(str, values.column("rating", column, "").distinct()))
    if len(found) > 1:
        raise InputError(
            f"{table.where}ratings on several questions: {quoted(found, SHOWN)}.",
            parameter="where",
            hint="Choose one, e.g. {where}.",
            suggest={"where": {column: found[0]}},
        )


def _check_roles(layout: Layout) -> None:
    """Raise an error for a column that is named for two roles that exclude each other."""
    named = [(parameter_of_role(role), name) for role, name in layout.others.items()]
    named += [(layout.parameter, name) for name in layout.raters]
    for i, (role, name) in enumerate(named):
        before = [other for other, column in named[:i] if column == name]
        if before and not {role, *before} <= set(_GROUPS):
            raise InputError(
                f"{layout.where}column {name!r} is named for two roles, {before[0]} and {role}; a "
                "column has one.",
                parameter=role,
            )


def _nested_columns(table: RatingTable) -> list[str]:
    """Return the columns that hold lists or objects."""
    roles = {f"n{i}": name for i, name in enumerate(table.columns)}
    found = table.select(roles)
    if hasattr(found, "project"):
        return [roles[role] for role in json_columns(found, table.run, text=table.text)]
    schema = found.collect_schema()
    first = found.head(1) if hasattr(found, "to_native") and hasattr(found, "rows") else None
    return [
        name
        for role, name in roles.items()
        if schema[role].is_nested()
        or (first is not None and isinstance(next(iter(first[role].to_list()), None), list | dict))
    ]


def _one_list(column: str, where: str) -> InputError:
    """Return the error for a single list, which may be that of an item or of a rater."""
    return InputError(
        f"{where}there is one list, {column!r}, and nothing else; whether it holds the ratings of "
        "one item or of one rater is not known.",
        parameter="rating",
        hint=f"Write a JSON object per item and line, e.g. {_EXAMPLE}, or one object with the list "
        'of every rater, e.g. {"anna": [3, 4], "ben": [3, null]}. If it is one item, name the '
        "list with {rating}.",
        suggest={"rating": column},
    )


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
    chosen = replace(data, codes=data.codes[places], names=tuple(raters))
    return counting(chosen)


def _about(layout: Layout, data: Data) -> Notes:
    """Say which columns were taken for raters, because none was named."""
    if not layout.guessed:
        return ()
    word = "people or models" if layout.parameter == "people" else "raters"
    taken = f"Taken as {word}, because none were named: {quoted(data.names, 20)}."
    found = [warning("raters", taken, request=True)] * (layout.parameter != "people")
    numbers = [as_number(name) for name in layout.raters]
    if layout.where and None not in numbers:
        found.append(
            warning(
                "header",
                f"The raters are called {quoted(layout.raters, 5)}. If this is the first row of "
                "ratings, say that the file has no header.",
                request=True,
            )
        )
    return (*found, *unused_notices(layout.unused, "raters"))


# From columns to data.


def _data(
    held: Fetched,
    layout: Layout,
    reading: Reading,
    *,
    named: bool = True,
    texts: Any = None,
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
        raise InputError(
            f"{start}{'t' if start else 'T'}here is no rating: all are missing.",
            parameter="ratings",
        )
    if layout.guessed:
        _refuse_guessed(labelled, layout, reading)
    made = _classes(labelled, layout, reading)
    rows = _Rows(held, layout, n, start)
    codes, names, kinds = made.codes, layout.raters, dict[str, str]()
    if layout.form == "long":
        codes, names, kinds = rows.scattered(made.codes[0], made.scale.k)
    about = {**reading.codes.reading("error"), **_bins(reading.bins)}
    data = Data(
        codes, names, made.scale, rows.units(texts), named, notices=made.notices, about=about
    )
    return counting(data), kinds


def _bins(bins: Any) -> dict[str, Any]:
    rule = bins if bins is None or isinstance(bins, str) else [float(edge) for edge in bins]
    return {} if rule is None else {"bins": rule}


def _plain_cells(column: Column) -> Column:
    """Return ratings as they are in cells of Label Studio, such as [{"rating": 4}]."""
    coded = column.coded()
    values = [
        _plain_rating(value) if isinstance(value, str) and value.startswith("[{") else value
        for value in coded.values
    ]
    return column if values == list(coded.values) else replace(coded, categories=tuple(values))


def _plain_rating(text: str) -> Any:
    try:
        (part,) = json.loads(text)
    except (ValueError, RecursionError):
        return text
    choices = part.get("choices") if isinstance(part, dict) else None
    found = _first(part, ("rating", "number")) if isinstance(part, dict) else None
    return found if found is not None else choices[0] if choices and len(choices) == 1 else text


def _classes(labelled: Sequence[Column], layout: Layout, reading: Reading) -> Classes:
    """Return the classes of ratings; errors say that a column may be none of a rater."""
    try:
        return classes_of(labelled, reading, raw=False)
    except InputError as problem:
        hint = problem.raw_hint.replace(" and {missing}", "")  # missing ratings are always gaps
        suggest = dict(problem.suggest)
        if isinstance(problem, ColumnError) and layout.guessed:
            others = [name for name in layout.raters if name != problem.column]
            hint = (
                f"{hint} If {problem.column} is not a rater, name the raters with {layout.named}, "
                "or for a row per item and rater the columns with {item}, {rater} and {rating}. A "
                "column of texts is named with {text}."
            ).strip()
            named = layout.suggest(others, item=..., rater=..., rating=..., text=...)
            suggest |= named
        parameter = problem.parameter
        raise InputError(problem.message, parameter=parameter, hint=hint, suggest=suggest) from None


def _refuse_guessed(columns: Sequence[Column], layout: Layout, reading: Reading) -> None:
    """Raise an error for a column that was taken for a rater and is hardly one."""
    for column in columns:
        whole = all(isinstance(x, (int, np.integer)) for x in column.distinct())
        if whole and NUMBER_OF_ITEMS.fullmatch(column.name.strip()):
            others = [name for name in layout.raters if name != column.name]
            raise InputError(
                f"{layout.where}{column.name} is called like a number of items, and it holds whole "
                "numbers; it would be taken as a rater.",
                parameter="frequency",
                hint=f"Name it with {{frequency}}, or the raters with {layout.named}.",
                suggest=layout.suggest(others, frequency=column.name),
            )
    if reading.bins is None:
        _refuse_odd(columns, layout, "")


def _refuse_odd(columns: Sequence[Column], layout: Layout, hint: str) -> None:
    """Raise an error for columns with other values than the others have, as names of items."""
    labels = {column.name: column.distinct() for column in columns}
    rows = len(columns[0]) if columns else 0
    unique = [c.name for c in columns if _names_rows(c)]
    others = {name: found for name, found in labels.items() if name not in unique}
    fine = 2 * max(map(len, others.values()), default=rows) > rows
    if unique and not fine:
        odd, kind = unique, "item"
    else:
        odd, kind = _apart(labels), "cluster"
        others = {name: found for name, found in labels.items() if name not in odd}
    if not odd or not others:
        return
    one = layout.others.keys() & {kind}
    suggest = (
        layout.suggest(list(others)) if one else layout.suggest(list(others), **{kind: odd[0]})
    )
    what = "names the items" if kind == "item" else "says what items belong to"
    role = "" if one else f"If it {what}, name it with {{{kind}}}. "
    raise InputError(
        f"{layout.where}{quoted(odd)} {'has' if len(odd) == 1 else 'have'} "
        f"{len(labels[odd[0]]):,} different values ({quoted(labels[odd[0]], 3)}) in {rows:,} rows, "
        f"and {quoted(others, 5)} {max(map(len, others.values())):,} at most, so that it is hardly "
        "a rater.",
        parameter=layout.parameter,
        hint=hint
        or f"{role}If it is a rater, or something else, name the raters with {layout.named}.",
        suggest={"item": ...} if hint else suggest,
    )


def _apart(labels: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return columns with many more values than the others, or none of theirs."""
    found = []
    for name, own in labels.items():
        rest = [set(given) for other, given in labels.items() if other != name and given]
        most = max(map(len, rest), default=0)
        common = set().union(*rest)
        disjoint = len(rest) > 1 and len(common) > 1 and len(own) > 2 and not common & set(own)
        if rest and (disjoint or len(own) > max(3 * most, _MANY)):
            found.append(name)
    return found


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
        parameter, name = parameter_of_role(role), self._layout.others[role]
        column = self._held.column(role, name, self._start)
        if len(column) != self._n:
            raise InputError(
                f"{name} has {plural(len(column), 'value')} for {plural(self._n, 'row')}; one per "
                "row is expected.",
                parameter=parameter,
            )
        codes, names = groups_of(column)
        gap = codes == len(names)
        if gap.any():
            raise InputError(
                f"{self._start}{name} has {plural(int(gap.sum()), 'empty value')}, the first in "
                f"row {int(gap.argmax()) + 1:,}; every row needs one.",
                parameter=parameter,
            )
        return codes, names

    def _named_items(self) -> tuple[Codes | None, tuple[str, ...]]:
        """Return the item of every row, and the names of items in order."""
        roles = self._layout.roles("item")
        if not roles:
            return None, ()
        codes, names = self._groups(roles[0])
        for role in roles[1:]:
            more, others = self._groups(role)
            used, codes = np.unique(codes * len(others) + more, return_inverse=True)
            pairs = (divmod(int(place), len(others)) for place in used)
            names = tuple(f"{names[i]}, {others[j]}" for i, j in pairs)
        if not self._long and len(names) < self._n:
            raise self._repeated(codes, names)
        return codes, names

    def _repeated(self, codes: Codes, names: Sequence[str]) -> InputError:
        """Return the error for names of items that several rows have."""
        twice = names[int(np.bincount(codes).argmax())]
        columns = [self._layout.others[role] for role in self._layout.roles("item")]
        return InputError(
            f"{self._start}{self._n:,} rows have {plural(len(names), 'item')} by "
            f"{quoted(columns)}; {twice!r} is repeated, and a row per item is expected.",
            parameter="item",
            hint="If rows are items that belong together, as visits of a patient, pass {cluster}; "
            "else name all columns that tell the items apart with {item}, or for a row per item "
            "and rater those of raters and ratings with {rater} and {rating}.",
            suggest={"cluster": columns[0], "item": ..., "rater": ..., "rating": ...},
        )

    def scattered(self, long: Array, k: int) -> tuple[Array, tuple[str, ...], dict[str, str]]:
        """Return the classes `[rater, item]` of rows with one rating each, raters and kinds."""
        of_rater, raters = self._groups("rater")
        assert self._item is not None
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
        pairs = np.unique(of_rater * len(kinds) + codes)
        places = pairs // len(kinds)
        if (twice := places[1:][places[1:] == places[:-1]]).size:
            raise InputError(
                f"{self._start}rater {raters[int(twice[0])]!r} has more than one value in column "
                f"{self._layout.others['kind']!r}; a rater is a person or a model.",
                parameter="kind",
            )
        several = zip(places.tolist(), (pairs % len(kinds)).tolist(), strict=True)
        return {raters[r]: kinds[k] for r, k in several}

    def units(self, texts: Callable[[Array], Sequence[Any]] | None) -> Units:
        """Return what belongs to items; `texts` returns those of rows, later."""
        n = len(self._items) if self._long else self._n
        numbers: dict[str, Any] = {}
        for role, check in (("weight", check_weight), ("frequency", check_frequency)):
            if role in self._layout.others:
                try:
                    given = check(self._held.columns[role], self._n)
                except InputError as problem:
                    problem.message = f"{self._start}{problem.message}"
                    raise
                numbers[role] = self._of_items(given, role)
        groups = {
            role: (self._of_items(codes, role), names)
            for role in (*self._layout.roles("cluster"), *self._layout.roles("slices"))
            for codes, names in (self._groups(role),)
        }
        cluster, clusters = groups.pop("cluster", (None, ()))
        ids: Array = np.arange(1, 1 + n)
        if self._item is not None:
            ids = np.array(self._items, dtype=object)
            ids = ids if self._long else ids[self._item]
        return Units(
            n,
            numbers.get("frequency"),
            numbers.get("weight"),
            cluster=cluster,
            clusters=clusters,
            ids=ids,
            texts=self._texts(ids, texts),
            parts={role.partition("_")[2]: group for role, group in groups.items()},
        )

    def _of_items(self, given: Array, role: str) -> Array:
        """Return the value of every item; the rows of an item must have the same."""
        if not self._long:
            return given
        assert self._item is not None
        found = np.empty(len(self._items), dtype=given.dtype)
        found[self._item] = given
        different = np.flatnonzero(found[self._item] != given)
        if different.size:
            raise InputError(
                f"{self._start}{self._layout.others[role]} differs between rows of the same item, "
                f"{self._items[self._item[different[0]]]!r}.",
                parameter=parameter_of_role(role),
            )
        return found

    def _texts(self, ids: Array, later: Callable[[Array], Sequence[Any]] | None) -> Any:
        """Return what returns the texts of items by their ids; those of an item are joined."""
        if "text" not in self._layout.others:
            return None
        held: Array | None = None
        if later is None or "text" in self._held.columns:
            column = self._held.columns["text"]
            texts = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
            if len(texts) != self._n:
                raise InputError(
                    f"text has {plural(len(texts), 'entry', 'entries')} and there are "
                    f"{plural(self._n, 'row')}; one for every row is expected.",
                    parameter="text",
                )
            held = np.fromiter(texts, object, self._n)

        def found(wanted: Sequence[Any]) -> list[str]:
            place = {id: i for i, id in enumerate(wanted)}
            if self._long and self._item is not None:
                rows = np.flatnonzero(np.isin(ids[self._item], list(wanted)))
                of_row = ids[self._item[rows]].tolist()
            else:
                rows = np.flatnonzero(np.isin(ids, list(wanted)))
                of_row = ids[rows].tolist()
            several: list[set[str]] = [set() for _ in place]
            shown = held[rows] if held is not None else later(rows) if later else ()
            for id, text in zip(of_row, shown, strict=True):
                several[place[id]].add(as_text(text))
            return [JOINED_TEXTS.join(sorted(filter(None, texts))) for texts in several]

        return found
