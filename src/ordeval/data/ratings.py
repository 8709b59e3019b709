"""Ratings as data, in wide form (a column per rater), long (a row per rating) or nested.

Whatever the door, ratings become columns by role first: the ratings of every rater, or item, rater
and rating of every row, or a list or an object per item; and what belongs to items.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, naming, plural, quoted
from ..limits import check_memory
from ..notes import Notes, warning
from ..types import Array, Codes
from .classes import Reading, classes_of
from .column import Column, as_number, check_same_length, is_missing, sorted_names
from .containers import (
    aligned,
    columns_of_frame,
    group_codes,
    index_of,
    is_tensor,
    object_array,
    row_names,
)
from .data import Data, named_columns, read_units
from .examples import JOINED_TEXTS, as_text
from .frames import column_of, door_of, json_columns
from .raters import chosen_raters, counting
from .roles import (
    SHOWN,
    Roles,
    check_roles,
    numbered_roles,
    parameter_of_role,
    require_column,
    unused_notices,
)
from .scale import PROBABILITIES
from .slices import part_of
from .units import Units

# Columns of these names, whatever their case, are not taken for raters.
_RESERVED = ("item", "id", "topic", "slice", "weight", "frequency", "cluster", "kind", "text")
_AT_ONCE = 1 << 18  # ratings that are copied to be read together, which is faster
_LEAST_NAMED = 10  # rows whose values all differ, in a column that names items
_MANY = 20  # different values of a rater beside few of the others
_PER_ITEM = 5  # raters per item from which the rows seem to be raters
_FORMS = (
    "a column per rater (wide), or columns of the item, the rater and the rating (long), or a "
    'column of lists such as [3, 4, null] or objects such as {"anna": 3}'
)

LONG_FORM = "for a row per item and rater name their columns with {item}, {rater} and {rating}"


@dataclass(frozen=True)
class Layout(Roles):
    """The form of ratings, and the column of every role.

    Columns of ratings are those of raters, or in long form one. `framed` tells that the raters are
    the columns of a frame in memory.
    """

    form: str = "wide"
    framed: bool = False

    def roles(self, parameter: str) -> list[str]:
        """Return the roles that a parameter names."""
        return [role for role in self.others if parameter_of_role(role) == parameter]

    def besides(self, odd: Sequence[str], **others: Any) -> dict[str, Any]:
        """Return settings that name all raters but some."""
        raters = [name for name in self.systems if name not in odd]
        return {"ratings": raters if 1 < len(raters) <= 2 * SHOWN else ..., **others}


# In memory.


def read_ratings(ratings: Any, reading: Reading, models: Any = None, **roles: Any) -> Data:
    """Read and check ratings in memory, those of people and perhaps of models.

    `ratings` is an array, a frame, a mapping from rater to ratings, or a list with the ratings of
    each item, which may differ in number and then do not say who gave which. Without it, `rater`,
    `rating` and `item` have an entry for every rating.
    """
    people, named, framed = ({}, True, False) if ratings is None else _columns_of(ratings)
    if twice := [name for name in people if name in (models or {})]:
        raise InputError(
            f"A person and a model have the same name: {quoted(twice)}.", parameter="models"
        )
    raters = people | dict(models or {})
    labelled, others = numbered_roles(raters), {role: parameter_of_role(role) for role in roles}
    others |= {role: role for role, parameter in others.items() if parameter == "by"}
    names, of_models = {**labelled, **others}, dict.fromkeys(models or (), "models")
    columns = {**numbered_roles(raters.values()), **roles}
    first = next((role for role, column in columns.items() if index_of(column) is not None), "")
    if first:
        for role, column in columns.items():
            parameter = others.get(role) or of_models.get(names[role], "ratings")
            named_as = {"against": names[first], "parameter": parameter}
            columns[role] = aligned(column, columns[first], names[role], **named_as)
    layout = Layout(labelled, others, framed, framed=framed)
    if not raters:
        layout = _long_layout(others, tuple(roles))
    return _data(columns, layout, reading, named=named)[0]


def _columns_of(ratings: Any) -> tuple[dict[str, Any], bool, bool]:
    """Return a column per rater, whether it is one throughout, and whether it is of a frame."""
    frame = None if isinstance(ratings, Mapping) else columns_of_frame(ratings, "ratings")
    if frame is not None or isinstance(ratings, Mapping):
        by_name = ratings if frame is None else frame
        return named_columns(by_name, "ratings", "rater"), True, frame is not None
    if isinstance(ratings, (list, tuple)) and ratings:
        return *_by_rater(ratings, "ratings"), False
    table = ratings if is_tensor(ratings) else np.asanyarray(ratings)
    if table.ndim != 2:
        shape = "x".join(map(str, table.shape)) or "()"
        raise _no_raters(f"shape {shape}; a row per item and a column per rater are expected")
    if type(table) is np.ndarray and table.size <= _AT_ONCE:
        table = np.ascontiguousarray(table.T).T
    return _numbered([table[:, j] for j in range(table.shape[1])], "ratings"), True, False


def _no_raters(what: str) -> InputError:
    return InputError(f"ratings has {what}.", parameter="ratings")


def _numbered(columns: Sequence[Any], where: str) -> dict[str, Any]:
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
    ratings: Any = None
    if isinstance(cell, Mapping):
        ratings = {str(name): rating for name, rating in cell.items()}
    elif not isinstance(cell, str | bytes) and hasattr(cell, "__len__"):
        ratings = list(cell)
        if ratings and all(isinstance(x, Mapping) and {"rater", "rating"} <= {*x} for x in ratings):
            ratings = {str(part["rater"]): part["rating"] for part in ratings}
    values = ratings.values() if isinstance(ratings, dict) else ratings or ()
    if ratings is None or any(isinstance(x, Mapping | list | tuple) for x in values):
        named = isinstance(cell, Mapping) and where != "ratings"
        raise InputError(
            f"{where} holds {abbreviate(str(cell), 60)}, which is no list of ratings.",
            parameter="ratings" if where == "ratings" else "rating",
            hint="Name a field within it with dots: {rating}."
            if named
            else "Give the ratings of an item as [3, 4, null], or by rater as "
            '{"anna": 3, "ben": 4}.',
            suggest={"rating": _field(where, cell)} if named else {},
        )
    return ratings


def _field(where: str, cell: Mapping[Any, Any]) -> str:
    """Return the name of a field of a column, the first one with fields of its own."""
    nested = [str(name) for name, value in cell.items() if isinstance(value, Mapping)]
    return f"{where.partition(' ')[2].strip(chr(39))}.{(nested or [*cell])[0]}"


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return text


# Frames and files.


def read_rating_table(
    table: Any,
    roles: Mapping[str, str],
    reading: Reading,
    raters: Mapping[str, str] | None = None,
    *,
    others: bool = False,
) -> tuple[Data, dict[str, str]]:
    """Read the ratings of a `NumberedFrame` or opened files, and the kinds of raters.

    `roles` are the columns that were asked for. `raters` are columns, or in other forms raters to
    keep, with the parameter that named each, with all `others` or without; by default all.
    """
    layout = _layout(table, roles, reading, raters, others)
    door = door_of(table.select(layout.columns), layout, reading, table.run, whole=True)
    (fetched, times), named = door.fetch(), True
    if times is not None:  # rows are distinct ones
        fetched["frequency"] = times * np.asarray(fetched.get("frequency", 1))
    _refuse_questions(fetched.get("question", ()))
    if layout.form == "nested":
        rest = dict(layout.others)
        name, cells = rest.pop("rating"), fetched["rating"]
        cells = cells.tolist() if hasattr(cells, "tolist") else list(cells)
        columns, named = _by_rater(cells, f"column {name!r}")
        layout = replace(layout, labelled=numbered_roles(columns), others=rest)
        fetched |= numbered_roles(columns.values())
    data, kinds = _data(fetched, layout, door.reading, named=named, texts=door.texts)
    if raters and not others and layout.form != "wide":
        data = counting(chosen_raters(data, raters))
    taken = layout.guessed or (layout.form == "nested" and named and not raters)
    notices = _guess_notices(layout) if taken else ()
    return replace(data, notices=(*notices, *data.notices)), kinds


def _layout(
    table: Any,
    roles: Mapping[str, str],
    reading: Reading,
    raters: Mapping[str, str] | None,
    others: bool,
) -> Layout:
    """Choose the form of a table, and its columns, by the names of roles whatever their case."""
    columns = table.columns
    for role, name in roles.items():
        require_column(name, columns, parameter_of_role(role))
    wide = bool(raters) and set(raters or ()) <= set(columns) and "rater" not in roles
    taken = {*roles.values(), *(raters or ())}
    called = {name.casefold(): name for name in columns[::-1] if name not in taken}
    by_role = dict(roles)
    if not wide:
        by_role |= {r: called[r] for r in ("rater", "rating") if r in called and r not in roles}
    if not any(parameter_of_role(role) == "item" for role in roles):
        names = [name for name in table.items if name not in taken]
        names = names or [called[name] for name in ("item", "id") if name in called][:1]
        by_role |= {f"item_{i}": name for i, name in enumerate(names)}
    if table.items and "question" in called and "question" not in table.where:
        by_role["question"] = "question"
    nested = []
    if not wide and "rater" not in by_role:
        nested = _nested_columns(table, roles.get("text"), reading)
    if "rating" not in by_role and len(nested) > 1:
        raise InputError(
            f"{quoted(nested, 10)} hold lists or objects; the ratings are expected in one of them.",
            parameter="rating",
            hint="Name the column of ratings with {rating}.",
            suggest={"rating": nested[0]},
        )
    rating = by_role.get("rating", nested[0] if nested else None)
    if rating in nested:
        layout = Layout({}, {**by_role, "rating": rating}, form="nested")
    elif "rater" in by_role or "rating" in by_role:
        kind = {"kind": called["kind"]} if "kind" in called else {}
        layout = _long_layout({**kind, **by_role}, columns)
    else:
        layout = _wide_layout(table, by_role, raters, others)
    named = [(parameter_of_role(role), name) for role, name in layout.others.items()]
    of_labels = "ratings" if layout.form == "wide" else "rating"
    check_roles([*named, *((of_labels, name) for name in layout.labelled.values())])
    return layout


def _wide_layout(
    table: Any, by_role: Mapping[str, str], raters: Mapping[str, str] | None, others: bool
) -> Layout:
    """Return a layout with a column per rater; by default all columns without another role."""
    if "kind" in by_role:
        raise InputError("The kind of raters is for a row per item and rater.", parameter="kind")
    named = raters or {}
    for name, parameter in named.items():
        require_column(name, table.columns, parameter)
    if named and not others:
        return Layout(numbered_roles(named), by_role)
    used = {*by_role.values(), *table.where}
    free = [name for name in table.columns if name in named or name not in used]
    unused = tuple(n for n in free if n.casefold() in _RESERVED and n not in named)
    rest = [name for name in free if name not in unused]
    if len(rest) < 2:
        raise InputError(
            f"The columns are {quoted(table.columns, 20)}; expected is {_FORMS}.",
            parameter="ratings",
            hint=f"Name the columns of the raters with {{ratings}}, or {LONG_FORM}.",
            suggest={"ratings": ["anna", "ben"]},
        )
    return Layout(numbered_roles(rest), by_role, True, unused)


def _long_layout(by_role: Mapping[str, str], columns: Sequence[str]) -> Layout:
    """Return a layout with a row per rating, whose item, rater and rating must be known."""
    others = dict(by_role)
    given = [role for role in ("rating", "judge") if role in others]
    labelled: dict[str, str] = {role: others.pop(role) for role in given}
    layout = Layout(labelled, others, form="long")
    for role in ("rater", "rating", "item"):
        if role not in labelled and not layout.roles(role):
            raise InputError(
                f"ratings in long form need item, rater and rating, and no column is called "
                f"{role!r}; the columns are {quoted(columns, 20)}.",
                parameter=role,
                hint=f"Name the column of {role}s with {{{role}}}; for a column per rater, name "
                "the columns with {ratings}.",
            )
    return layout


def _refuse_questions(column: Iterable[Any]) -> None:
    """Raise an error if an export holds ratings on several questions."""
    questions = sorted({str(question or "") for question in column})
    if len(questions) > 1:
        raise InputError(
            f"There are ratings on several questions: {quoted(questions, SHOWN)}.",
            parameter="where",
            hint="Choose one, e.g. {where}.",
            suggest={"where": {"question": questions[0]}},
        )


def _nested_columns(table: Any, text: str | None, reading: Reading) -> list[str]:
    """Return the columns that hold lists or objects, but for that of texts."""
    roles = {f"n{i}": name for i, name in enumerate(table.columns) if name != text}
    frame = table.select(roles)
    if hasattr(frame, "project"):
        return [roles[role] for role in json_columns(frame, table.run, text=reading.text)]
    kinds, first = frame.collect_schema(), frame.head(1) if hasattr(frame, "rows") else None

    def nested(role: str) -> bool:
        cells = () if first is None else first[role].to_list()
        return kinds[role].is_nested() or any(
            isinstance(x, list | dict | np.ndarray) for x in cells
        )

    return [name for role, name in roles.items() if nested(role)]


def _guess_notices(layout: Layout) -> Notes:
    """Say which columns were taken for raters, because none was named, and which were not."""
    taken = f"Taken as raters, because none were named: {quoted(layout.systems, 20)}."
    if layout.form == "wide" and _are_numbers(layout.systems):
        taken += " If the first line is an item, say that there is no header."
    guess = warning("guessed", taken, request=True)
    return (guess, *unused_notices(layout.unused, "raters"))


def _are_numbers(names: Sequence[str]) -> bool:
    """Return whether names are numbers in order, as of raters that have no other names."""
    numbers = [x for x in map(as_number, names) if x is not None]
    return len(numbers) == len(names) and numbers == sorted(numbers)


# From columns to data.


def _data(
    fetched: Mapping[str, Any],
    layout: Layout,
    reading: Reading,
    *,
    named: bool = True,
    texts: Any = None,
) -> tuple[Data, dict[str, str]]:
    """Return ratings as data, and the kinds of raters."""
    columns = [column_of(fetched[role], name) for role, name in layout.labelled.items()]
    n = len(columns[0])
    if not n:
        raise InputError("There are no items; at least one is needed.")
    with naming(parameter="ratings"):
        check_same_length(columns)
    labelled = [reading.column(column) for column in columns]
    if not any(column.distinct() for column in labelled):
        raise InputError("There is no rating: all are missing.", parameter="ratings")
    if layout.guessed:
        _refuse_guessed(labelled, layout, reading)
    try:
        classes = classes_of(labelled, reading, raw=False)
    except InputError as problem:
        for words in (" and {missing}", PROBABILITIES):  # gaps are no errors here
            problem.change_hint(problem.raw_hint.replace(words, ""))
        if not layout.framed:
            layout.doubt(problem, "rater", labelled, reading)
        raise
    rows = _Rows(fetched, layout, n, reading)
    codes, names = classes.codes, layout.systems
    kinds: dict[str, str] = {}
    if layout.form == "long":
        each = [rows.scattered(column, classes.scale.k) for column in codes]
        codes, (_, names, kinds) = np.concatenate([first for first, *_ in each]), each[0]
        names *= len(each)  # those of a judge, if there are any, come last
    units, about = rows.units(texts), reading.settings
    notices = (*classes.notices, *rows.notices)
    data = Data(codes, names, classes.scale, units, named, notices=notices, about=about)
    return data if reading.whole else counting(data), kinds


def _refuse_guessed(columns: Sequence[Column], layout: Layout, reading: Reading) -> None:
    """Raise an error for columns that were taken for raters and are hardly ones."""
    labels = {column.name: column.distinct() for column in columns}
    ratings = {str(x) for values in labels.values() for x in values}
    if reading.text and set(labels) <= ratings and not _are_numbers(layout.systems):
        raise InputError(
            f"The columns are called {quoted(labels, 5)}, and these are ratings, too.",
            parameter="header",
            hint="If the first line is an item, pass {header}; else name the raters with "
            "{ratings}.",
            suggest={"header": False, **layout.besides(())},
        )
    rows = len(columns[0])
    odd = [name for name in labels if reading.bins is None and _is_apart(name, labels, rows)]
    rest = [len(values) for name, values in labels.items() if name not in odd]
    if not odd or not rest:
        return
    first, *more = sorted(odd, key=lambda name: -len(labels[name]))
    nor = f"; nor {'are' if more[1:] else 'is'} {quoted(more)}" if more else ""
    others = {name: {*values} for name, values in labels.items() if name not in odd}
    alike = [n for n in others if any(others[n] & others[m] for m in others if m != n)]
    if len(alike) > 1:  # columns that share labels are the likely raters
        odd = [name for name in labels if name not in alike]
    hint = "If it names items or what these belong to, pass {item} or {cluster}; else name the "
    hint += "raters with {ratings}."
    if layout.framed:
        hint = "Pass the frame as {data}, and name the raters with {ratings}."
    raise InputError(
        f"{quoted([first])} has {len(labels[first]):,} different values "
        f"({quoted(labels[first], 3)}) in {rows:,} rows, other columns {max(rest):,} at most, "
        f"so it is probably no rater{nor}.",
        parameter="ratings",
        hint=hint,
        suggest=layout.besides(odd, item=first, cluster=first),
    )


def _is_apart(name: str, labels: Mapping[str, Sequence[Any]], rows: int) -> bool:
    """Return whether a column has other values than the others, many more, or one per row."""
    own, rest = set(labels[name]), [set(x) for n, x in labels.items() if n != name and x]
    common = set().union(*rest)
    most = max((len(values) for values in rest if len(values) < rows), default=rows)
    disjoint = len(rest) > 1 and len(common) > 1 and len(own) > 2 and not common & own
    names_rows = len(own) == rows >= max(_LEAST_NAMED, 2 * most)
    return disjoint or names_rows or len(own) > max(3 * most, _MANY)


class _Rows:
    """What belongs to the rows of ratings, and in long form to the items of which they are."""

    def __init__(
        self, columns: Mapping[str, Any], layout: Layout, n: int, reading: Reading
    ) -> None:
        self._columns, self._layout, self._n, self._text = columns, layout, n, reading.text
        self._item, self._items = self._named_items(layout.form == "long")

    def _groups(self, role: str) -> tuple[Codes, tuple[str, ...]]:
        """Return the group of every row, which must have one, and the sorted names."""
        with naming(parameter=parameter_of_role(role)):
            return group_codes(self._columns[role], self._layout.others[role], self._n)

    def _named_items(self, long: bool) -> tuple[Codes, Sequence[Any]]:
        """Return the item of every row, and the names of items: by default numbers from 1 on."""
        roles, rows = self._layout.roles("item"), np.arange(self._n)
        if not roles:
            series = [c for c in self._columns.values() if index_of(c) is not None]
            return rows, (row_names(series[0]) if series else None) or range(1, 1 + self._n)
        codes, names = self._groups(roles[0])
        for role in roles[1:]:
            more, others = self._groups(role)
            if len(others) == 1:  # it tells nothing apart
                continue
            used, codes = np.unique(codes * len(others) + more, return_inverse=True)
            pairs = (divmod(int(place), len(others)) for place in used)
            names = tuple(f"{names[i]}, {others[j]}" for i, j in pairs)
        if long:
            return codes, names
        if len(names) < self._n:
            columns = [self._layout.others[role] for role in roles]
            twice = names[int(np.bincount(codes).argmax())]
            raise InputError(
                f"{self._n:,} rows have {plural(len(names), 'item')} by {quoted(columns)}; "
                f"{twice!r} is repeated, and a row per item is expected.",
                parameter="item",
                hint="If rows are items that belong together, as visits of a patient, pass "
                "{cluster}; else keep one row per item, name all columns that tell the items apart "
                f"with {{item}}, or {LONG_FORM}.",
                suggest={"cluster": columns[0]},
            )
        return rows, [names[i] for i in codes.tolist()]

    @property
    def notices(self) -> Notes:
        """Ask whether items that share one of their columns belong together."""
        roles, items = self._layout.roles("item"), len(self._items)
        groups = ((len(self._groups(role)[1]), self._layout.others[role]) for role in roles)
        shared = [(number, column) for number, column in groups if 1 < number < items]
        if len(roles) < 2 or not shared or "cluster" in self._columns:
            return ()
        number, column = max(shared)
        text = f"{items:,} items share {number:,} values of {column!r}: give it as clusters if"
        return (
            warning("units", f"{text} items with the same value belong together.", request=True),
        )

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
        )
        cell = of_rater * items + self._item
        ordered = np.sort(cell)
        twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        if twice.size:
            rater, item = divmod(int(twice[0]), items)
            raise InputError(
                f"{plural(twice.size, 'item was', 'items were')} rated more than once by the same "
                f"rater, e.g. {abbreviate(self._items[item])} by {abbreviate(raters[rater])}; one "
                "rating per item and rater is expected.",
                parameter="item",
                hint="Keep one row per item and rater, or name the columns that tell the items "
                "apart with {item}.",
            )
        codes = np.full((len(raters), items), k, dtype=long.dtype)
        codes.ravel()[cell] = long
        if "kind" not in self._layout.others:
            return codes, raters, {}
        of_row, kinds = self._groups("kind")
        of_rater = _alike(of_row, of_rater, raters, "kind", "rater")
        kind = {name: kinds[i] for name, i in zip(raters, of_rater.tolist(), strict=True)}
        return codes, raters, kind

    def _of_items(self, of_rows: Array | None, role: str) -> Any:
        """Return what belongs to every item, of which all rows must have the same."""
        return None if of_rows is None else _alike(of_rows, self._item, self._items, role, "item")

    def units(self, texts: Callable[[Array], Sequence[Any]] | None) -> Units:
        """Return what belongs to items; `texts` returns those of rows, later."""
        names = self._layout.others if self._text else None
        numbers = read_units(self._columns, self._n, names)
        parts = {}
        for role in self._layout.roles("by"):
            column = column_of(self._columns[role], "by")
            check_same_length([Column(self._item, "ratings"), column])
            part = part_of(column, numbers.count, text=self._text)
            parts[self._layout.others[role]] = part._replace(codes=self._of_items(part.codes, "by"))
        cluster, clusters = None, tuple[str, ...]()
        for role in self._layout.roles("cluster"):
            of_rows, clusters = self._groups(role)
            cluster = self._of_items(of_rows, role)
        ids = np.array(self._items, dtype=None if isinstance(self._items, range) else object)
        return Units(
            len(ids),
            self._of_items(numbers.count, "frequency"),
            self._of_items(numbers.weight, "weight"),
            self._of_items(numbers.rate, "rate"),
            cluster=cluster,
            clusters=clusters,
            ids=ids,
            texts=self._texts(ids, texts) if "text" in self._layout.others else None,
            parts=parts,
        )

    def _texts(self, ids: Array, later: Callable[[Array], Sequence[Any]] | None) -> Any:
        """Return what returns the texts of items by their ids; those of an item are joined."""
        of_row, texts_of = ids[self._item], later
        if "text" in self._columns:
            texts_of = object_array(self._columns["text"], "text", self._n).__getitem__
        assert texts_of is not None

        def by_id(wanted: Sequence[Any]) -> list[str]:
            several: dict[Any, set[str]] = {id: set() for id in wanted}
            rows = np.array([i for i, id in enumerate(of_row.tolist()) if id in several], np.intp)
            for id, text in zip(of_row[rows].tolist(), texts_of(rows), strict=True):
                several[id].add(as_text(text))
            return [JOINED_TEXTS.join(sorted(filter(None, several[id]))) for id in wanted]

        return by_id


def _alike(of_rows: Array, owner: Codes, owners: Sequence[Any], role: str, what: str) -> Array:
    """Return the value of every item or rater, of which all rows must have the same."""
    values = np.empty(len(owners), dtype=of_rows.dtype)
    values[owner] = of_rows
    different = np.flatnonzero(values[owner] != of_rows)
    if different.size:
        parameter = parameter_of_role(role)
        raise InputError(
            f"{parameter} differs between rows of the same {what}, "
            f"{owners[owner[different[0]]]!r}.",
            parameter=parameter,
        )
    return values
