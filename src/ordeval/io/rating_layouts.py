"""Which columns of a table hold ratings, and in which form: wide, long or nested."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..data.roles import NOT_A_SYSTEM, SHOWN, require_column
from ..errors import InputError, did_you_mean, quoted
from ..files.engine import Engine
from ..files.table import Form, Table
from ..ratings import hint_on_ratings

_ITEM, _RATING, _KIND = "item", "rating", "kind"
_ITEM_NAMES = ("item", "id")
# Columns of these names are not taken for raters.
_RESERVED = (*_ITEM_NAMES, "topic", "slice", "weight", "frequency", "cluster", "kind")
_NO_FORM = Form("", ())
_SAMPLED = 100  # rows that tell whether a column holds lists
_FORMS = (
    "a column per rater (wide), or columns of the item, the rater and the rating (long), or a "
    'column of lists such as [3, 4, null] or objects such as {"anna": 3}'
)
_NAME_RATERS = (
    "name the raters with {raters}, or for a row per item and rater the columns with {item}, "
    "{rater} and {rating}. A column of texts is named with {text}."
)


@dataclass(frozen=True)
class Asked:
    """The columns that were asked for by role."""

    raters: tuple[str, ...] | None
    item: tuple[str, ...]
    slices: tuple[str, ...]
    rater: str | None
    rating: str | None
    kind: str | None
    others: Mapping[str, str]
    text: str | None = None

    @property
    def columns(self) -> list[str | None]:
        """All of them."""
        one = (self.rater, self.rating, self.kind, self.text)
        return [*(self.raters or ()), *self.item, *self.slices, *one, *self.others.values()]

    @property
    def aside(self) -> list[tuple[str, str]]:
        """The columns of items that are neither names nor ratings, with their parameters."""
        return [*self.others.items(), *(("slices", name) for name in self.slices)]


class RaterError(InputError):
    """An error about a rater who is not there; `rater` is the name that was asked for."""

    def __init__(self, message: str, rater: str, parameter: str) -> None:
        super().__init__(message, parameter=parameter)
        self.rater = rater


@dataclass(frozen=True)
class RatingLayout:
    """The form of a table, and the column of every role.

    `ratings` are the columns that hold ratings: those of the raters, or one. `guessed` tells that
    the raters are all columns without another role, and `alone` that there is one column, of lists,
    that nobody named. `where` is the beginning of messages.
    """

    form: str
    ratings: tuple[str, ...]
    asked: Asked
    rater: str | None = None
    kind: str | None = None
    guessed: bool = False
    alone: bool = False
    where: str = ""

    @property
    def roles(self) -> dict[str, str]:
        """The column of every role."""
        found = {f"v{i}": name for i, name in enumerate(self.ratings)}
        found |= {f"i{i}": name for i, name in enumerate(self.asked.item)}
        found |= {f"s{i}": name for i, name in enumerate(self.asked.slices)}
        found |= dict(self.asked.others)
        optional = {"rater": self.rater, "kind": self.kind}
        return found | {role: name for role, name in optional.items() if name is not None}

    @property
    def items(self) -> list[str]:
        """The roles that name an item."""
        return [f"i{i}" for i in range(len(self.asked.item))]

    @property
    def slices(self) -> dict[str, str]:
        """The roles of parts of the data, by column."""
        return {name: f"s{i}" for i, name in enumerate(self.asked.slices)}

    def parameter(self, role: str) -> str:
        """Return the parameter that names the column of a role."""
        return {"i": "item", "s": "slices"}.get(role[0], role) if role[1:].isdigit() else role

    def advice(
        self, hint: str, suggest: Mapping[str, Any], column: str | None
    ) -> tuple[str, dict[str, Any]]:
        """Return a hint on ratings; a column that was guessed to be of a rater may be none."""
        hint = hint_on_ratings(hint)
        if column is None or not self.guessed:
            return hint, dict(suggest)
        others = [name for name in self.ratings if name != column]
        raters = others if 1 < len(others) <= SHOWN else ...
        named = {"raters": raters, "item": ..., "rater": ..., "rating": ...}
        named |= {"text": ...}
        return f"{hint} If {column} is not a rater, {_NAME_RATERS}".strip(), {**suggest, **named}

    @property
    def about(self) -> dict[str, Any]:
        """The form, and the columns that name items and raters."""
        named = {"item": list(self.asked.item), "rater": self.rater, "kind": self.kind}
        return {"form": self.form, **{k: v for k, v in named.items() if v}}


def rating_layout(engine: Engine, table: Table, asked: Asked, aside: Sequence[str]) -> RatingLayout:
    """Choose the form of a table, and its columns; if it is none, the message shows the forms."""
    try:
        return _layout(engine, table, asked, aside)
    except InputError as problem:
        if problem.raw_hint or problem.parameter or len(table.columns) > 1:
            raise
        raise InputError(problem.message, hint=f"Expected is {_FORMS}.") from None


def _layout(engine: Engine, table: Table, asked: Asked, aside: Sequence[str]) -> RatingLayout:
    columns, form = table.columns, table.form or _NO_FORM
    wide = asked.raters is not None and set(asked.raters) <= set(columns)
    named = {form.rater, asked.rating or form.rating} <= set(columns) or bool(form.item)
    long = asked.rater is not None or (named and not wide)
    asked = replace(asked, item=asked.item or _default_item(engine, table, form, asked))
    given = [("item", n) for n in asked.item] + asked.aside
    named_once = {"rating": asked.rating, "kind": asked.kind, "text": asked.text}
    given += [(parameter, name) for parameter, name in named_once.items() if name is not None]
    for parameter, name in given:
        require_column(name, columns, parameter, f"{table.name}: ")
    if long:
        _check_questions(engine, table, form, asked, aside)
        return _long_layout(table, asked, form)
    nested = [column for column in _nested_columns(engine, table) if column != asked.text]
    if asked.rating is not None or (len(nested) == 1 and not wide):
        return _nested_layout(table, asked, nested)
    if nested and not wide:
        raise InputError(
            f"{table.name}: {quoted(nested, 10)} hold lists or objects; the ratings are expected "
            "in one of them.",
            parameter="rating",
            hint="Name the column of ratings with {rating}.",
            suggest={"rating": nested[0]},
        )
    return _wide_layout(table, asked, aside)


def _wide_layout(table: Table, asked: Asked, aside: Sequence[str]) -> RatingLayout:
    where = f"{table.name}: "
    if asked.kind is not None:
        raise InputError(
            f"{where}the kind of raters is for a row per item and rater.", parameter="kind"
        )
    raters = _guessed_raters(table, asked, aside) if asked.raters is None else asked.raters
    refuse_twice(raters, "raters")
    for name in raters:
        require_rater(name, table.columns, "column", where)
    _check_roles(asked, [("raters", name) for name in raters], where)
    return RatingLayout("wide", raters, asked, guessed=asked.raters is None, where=where)


def _long_layout(table: Table, asked: Asked, form: Form) -> RatingLayout:
    columns, where = table.columns, f"{table.name}: "
    rater, rating = asked.rater or form.rater, asked.rating or form.rating
    needed = {"rater": rater, "rating": rating} | ({} if asked.item else {"item": _ITEM})
    for role, name in needed.items():
        if getattr(asked, role) or name in columns:
            require_column(name, columns, role, where)
            continue
        raise InputError(
            f"{where}no column is called {name!r}; the columns are {quoted(columns, 20)}.",
            parameter=role,
            hint=f"Name the column of {role}s with {{{role}}}.",
            suggest={role: ...},
        )
    _check_roles(asked, [("rater", rater), ("rating", rating)], where)
    kind = asked.kind or (_KIND if _KIND in columns else None)
    kind = None if kind in (rater, rating, *asked.item) else kind
    return RatingLayout("long", (rating,), asked, rater, kind, where=where)


def _nested_layout(table: Table, asked: Asked, nested: Sequence[str]) -> RatingLayout:
    where = f"{table.name}: "
    rating = nested[0] if asked.rating is None else asked.rating
    if rating not in nested:
        raise InputError(
            f"{where}column {rating!r} holds no lists of ratings, and no column names the raters; "
            f"the columns are {quoted(table.columns, 20)}.",
            parameter="rater",
            hint="Name the column of the raters with {rater}, or write the ratings of an item as "
            "a list such as [3, 4, null].",
            suggest={"rater": ...},
        )
    _check_roles(asked, [("rating", rating)], where)
    alone = asked.rating is None and len(table.columns) == 1
    return RatingLayout("nested", (rating,), asked, alone=alone, where=where)


def _check_roles(asked: Asked, rated: Sequence[tuple[str, str]], where: str) -> None:
    """Raise an error for a column that is named for ratings, or raters, and for something else."""
    groups = {"item", "slices", "cluster"}
    named = [*(("item", name) for name in asked.item), *asked.aside, *rated]
    for i, (role, name) in enumerate(named):
        before = [other for other, column in named[:i] if column == name]
        if before and not {role, *before} <= groups:
            raise InputError(
                f"{where}column {name!r} is named for two roles, {before[0]} and {role}; a column "
                "has one.",
                parameter=role,
            )


def require_rater(
    name: str, names: Sequence[str], what: str, where: str, parameter: str = "raters"
) -> None:
    """Raise an error unless a rater is there, as a column or by name."""
    if name not in names:
        raise RaterError(
            f"{where}there is no {what} {name!r}; the {what}s are {quoted(names, 20)}."
            f"{did_you_mean(name, names)}",
            name,
            parameter,
        )


def refuse_twice(names: Sequence[str], parameter: str) -> None:
    """Raise an error for names that are given more than once."""
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        raise InputError(f"{quoted(repeated)} is named more than once.", parameter=parameter)


def _default_item(engine: Engine, table: Table, form: Form, asked: Asked) -> tuple[str, ...]:
    """Return the columns that name an item if none is given.

    Of an export whose items have several columns, those that hold one value are left out.
    """
    taken = {*(asked.raters or ()), asked.rater, asked.rating}
    if form.item and set(form.item) <= set(table.columns):
        first, *others = [column for column in form.item if column not in taken] or form.item
        return (first, *(c for c in others if len(_some_values(engine, table, c, 2)) > 1))
    found = [name for name in _ITEM_NAMES if name in table.columns and name not in taken]
    return tuple(found[:1])


def _some_values(engine: Engine, table: Table, column: str, number: int) -> list[str]:
    """Return a few of the values of a column, as text."""
    only = f" WHERE {table.condition}" if table.condition else ""
    text = f"coalesce(({table.expressions[column]})::VARCHAR, '')"
    rows = engine.query(
        f"SELECT {text} FROM {table.source}{only} GROUP BY 1 ORDER BY count(*) DESC, 1 "
        f"LIMIT {number}"
    )
    return [row[0] for row in rows]


def _check_questions(
    engine: Engine, table: Table, form: Form, asked: Asked, aside: Sequence[str]
) -> None:
    """Raise an error if an export holds ratings on several questions, and none is chosen."""
    column = "question"
    if column not in form.columns or column in (*aside, *asked.columns):
        return
    found = _some_values(engine, table, column, SHOWN + 1)
    if len(found) > 1:
        raise InputError(
            f"{table.name} holds ratings on several questions: {quoted(found, SHOWN)}.",
            parameter="where",
            hint="Choose one, e.g. {where}.",
            suggest={"where": {column: found[0]}},
        )


def _nested_columns(engine: Engine, table: Table) -> list[str]:
    """Return the columns whose first values are lists or objects."""
    cells = _first_cells(engine, table)
    return [c for c, texts in cells.items() if all(t[0] + t[-1] in ("[]", "{}") for t in texts)]


def _first_cells(engine: Engine, table: Table) -> dict[str, list[str]]:
    """Return the first cells of every column that are not empty; columns without are left out."""
    roles = {f"n{i}": name for i, name in enumerate(table.columns)}
    texts = ", ".join(texts_in_sql(engine, table, roles).values())
    rows = engine.query(f"SELECT {texts} FROM ({table.select(roles)}) LIMIT {_SAMPLED}")
    columns = zip(table.columns, zip(*rows, strict=True), strict=False)
    filled = {name: [cell.strip() for cell in cells if cell] for name, cells in columns}
    return {name: found for name, cells in filled.items() if (found := [*filter(None, cells)])}


def _guessed_raters(table: Table, asked: Asked, aside: Sequence[str]) -> tuple[str, ...]:
    """Return all columns without another role."""
    others = {*asked.columns, *aside, *_RESERVED}
    found = tuple(column for column in table.columns if column not in others)
    if odd := [column for column in found if NOT_A_SYSTEM.search(column)]:
        raters = [column for column in found if column not in odd]
        raise InputError(
            f"{table.name}: {quoted(odd)} is called like an id or a part of the data, not like a "
            "rater.",
            parameter="raters",
            hint="Name the raters with {raters}, and the column of items with {item}.",
            suggest={"raters": raters if 1 < len(raters) <= 2 * SHOWN else ..., "item": odd[:1]},
        )
    if len(found) < 2:
        raise InputError(
            f"{table.name}: the columns are {quoted(table.columns, 20)}; expected is {_FORMS}.",
            parameter="raters",
            hint="Name the columns of the raters with {raters}, or those of a row per item and "
            "rater with {item}, {rater} and {rating}.",
            suggest={"raters": ["anna", "ben"], "item": ..., "rater": ..., "rating": ...},
        )
    return found


def texts_in_sql(engine: Engine, table: Table, roles: Mapping[str, str]) -> dict[str, str]:
    """Return SQL for columns as text, by role: lists and objects as in JSON."""
    kinds = dict(row[:2] for row in engine.query(f"DESCRIBE {table.select(roles)}"))
    nested = ("STRUCT", "MAP", "UNION")
    return {
        role: f"to_json({role})::VARCHAR"
        if kind.endswith("]") or kind.startswith(nested)
        else f"{role}::VARCHAR"
        for role, kind in kinds.items()
    }
