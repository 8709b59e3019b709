"""Ratings of several people and models, from files in wide, long or nested form."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..columns import MissingCodes, group_name, read_column
from ..errors import InputError, abbreviate, did_you_mean, plural, quoted
from ..labels import (
    Binned,
    check_frequency,
    check_weight,
    codes_with_gaps,
    sorted_names,
    unknown_hint,
)
from ..limits import check_memory
from ..ratings import GAP, Ratings, held, hint_on_ratings, reading_of
from ..scale import ColumnError, Scale
from ..types import (
    Array,
    BinsLike,
    Bools,
    Classes,
    ClassNumbers,
    Codes,
    Floats,
    MissingLabels,
    Progress,
)
from .documents import (
    ARGILLA,
    EXAMPLE,
    Form,
    argilla_columns,
    argilla_questions,
    argilla_rows,
    json_cell,
    write_rows,
)
from .engine import Engine
from .selection import Selection, Where
from .sniffing import FileTable, TextOptions, column_named, open_tables, table_of_copy
from .sniffing import without_index as _without_index
from .tabulation import NOT_A_SYSTEM, SHOWN, LabelReader, require_column

_ITEM, _RATER, _RATING, _KIND = "item", "rater", "rating", "kind"
_ITEM_NAMES = ("item", "id")
# Columns of these names are not taken for raters.
_RESERVED = (*_ITEM_NAMES, "topic", "slice", "weight", "frequency", "cluster", "kind")
_RATER_KEYS = ("rater", "annotator", "user_id", "user", "rater_id", "annotator_id", "completed_by")
_RATING_KEYS = ("rating", "value", "label", "score")
_UNKNOWN = -2
_MOST_VALUES = 100_000  # more different values than this are texts, not ratings
_SAMPLED = 100  # rows that tell whether a column holds lists
_WHOLE_NAME = r"-?[1-9][0-9]{0,17}|0"
_FORMS = (
    "a column per rater (wide), or columns of the item, the rater and the rating (long), or a "
    'column of lists such as [3, 4, null] or objects such as {"anna": 3}'
)
_NAME_RATERS = (
    "name the raters with {raters}, or for a row per item and rater the columns with {item}, "
    "{rater} and {rating}."
)
_PERSON = ("person", "people", "human", "humans", "annotator", "expert")
_MODEL = ("model", "models", "llm", "machine", "judge", "ai", "system")


class RaterError(InputError):
    """An error about a rater who is not there; `rater` is the name that was asked for."""

    def __init__(self, message: str, rater: str, parameter: str) -> None:
        super().__init__(message, parameter=parameter)
        self.rater = rater


@dataclass(frozen=True, eq=False)
class FileRatings:
    """Ratings of a file, with what only files say about raters and items.

    Parameters
    ----------
    ratings : Ratings
        The ratings.
    kinds : mapping of str to str
        The kind of every rater, as the file has it; empty if it says nothing.
    slices : mapping of str to tuple of str
        By column, the part of the data that each item belongs to.
    about : mapping
        Where the data come from.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import ordeval.io
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ratings.csv"
    ...     _ = path.write_text("anna,ben,gpt\\n1,2,2\\n3,3,1\\n")
    ...     found = ordeval.io.read_ratings(path)
    >>> found.panel(models=["gpt"])
    (['anna', 'ben'], ['gpt'])
    """

    ratings: Ratings
    kinds: Mapping[str, str] = field(default_factory=dict)
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    def panel(
        self, people: Sequence[str] | None = None, models: Sequence[str] | None = None
    ) -> tuple[list[str], list[str]]:
        """Return who is a person and who is a model.

        Parameters
        ----------
        people, models : sequence of str, optional
            Their names. Without one of the two it is all others; without both, the kinds decide.

        Returns
        -------
        tuple of list of str
            The people, and the models.
        """
        names = self.ratings.raters
        if people is None and models is None:
            people, models = self._known_kinds()
        people = None if people is None else _known_raters(people, names, "people")
        models = None if models is None else _known_raters(models, names, "models")
        if people is None:
            people = [name for name in names if name not in (models or ())]
        if models is None:
            models = [name for name in names if name not in people]
        if both := [name for name in people if name in models]:
            raise InputError(
                f"{quoted(both)} is named as a person and as a model.", parameter="models"
            )
        for parameter, given in (("people", people), ("models", models)):
            if not given:
                other = "models" if parameter == "people" else "people"
                raise InputError(
                    f"No rater is left for {parameter}: all of {quoted(names, 10)} are {other}.",
                    parameter=parameter,
                )
        return people, models

    def by_kind(self) -> tuple[list[str], list[str]]:
        """Return the raters whose kind is a person, and those whose kind is a model.

        Returns
        -------
        tuple of list of str
            People and models; raters of other kinds are neither.
        """
        folded = {name: kind.strip().casefold() for name, kind in self.kinds.items()}
        people = [name for name, kind in folded.items() if kind in _PERSON]
        return people, [name for name, kind in folded.items() if kind in _MODEL]

    def _known_kinds(self) -> tuple[list[str], list[str]]:
        """Return people and models; every rater must be one of them."""
        names = self.ratings.raters
        if not self.kinds:
            raise InputError(
                f"Nothing says which raters are models; the raters are {quoted(names, 20)}.",
                parameter="models",
                hint="Name them with {models}, or the column that says which raters are people "
                "and which are models with {kind}.",
                suggest={"models": [names[-1]], "kind": ...},
            )
        people, models = self.by_kind()
        if unknown := {self.kinds[name] for name in names if name not in (*people, *models)}:
            raise InputError(
                f"{quoted(sorted(unknown))} is neither a person nor a model; the kinds are "
                f"expected to be {quoted(('person', 'model'))}.",
                parameter="kind",
                hint="Name the raters with {people} and {models} instead.",
                suggest={"people": ..., "models": ...},
            )
        return people, models


def read_ratings(
    data: str | Path,
    *,
    raters: Sequence[str] | None = None,
    item: str | Sequence[str] | None = None,
    rater: str | None = None,
    rating: str | None = None,
    kind: str | None = None,
    slices: str | Sequence[str] | None = None,
    where: Where = None,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    na: MissingLabels = None,
    bins: BinsLike = None,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> FileRatings:
    """Read the ratings that several people or models gave to the same items.

    A file has a row per item and a column per rater (wide), a row per item and rater (long), or a
    row per item with a list or an object of ratings in one column (nested). Exports of Label
    Studio, Argilla, Inspect and promptfoo are recognised. Ratings may be missing.

    Parameters
    ----------
    data : str or Path
        A file, a pattern or folder for several files with the same columns, or "-" for standard
        input: csv, tsv or JSON lines, plain or gzipped, parquet, xlsx, or a JSON document.
    raters : sequence of str, optional
        In wide form the columns of the raters, by default every column without another role; in
        other forms the raters to keep, by default all.
    item : str or sequence of str, optional
        The column that names an item, or several that name it together; by default "item" or "id",
        if there is one.
    rater, rating : str, optional
        In long form, the columns of raters and ratings, by default "rater" and "rating". `rating`
        alone names a column of lists or objects.
    kind : str, optional
        In long form, the column that says whether a rater is a person or a model; by default
        "kind", if there is one.
    slices : str or sequence of str, optional
        The columns of the parts of the data that an item belongs to.
    where : mapping, or sequence of (str, value), optional
        The rows to keep, as in `open_files`.
    weight, frequency, cluster : str, optional
        The columns of weights, of the number of items that a row stands for, and of what items
        belong to. In long form all rows of an item have the same.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the ratings are integers.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    na : value or sequence of values, optional
        Codes that stand for a missing rating, e.g. 99 or ".".
    bins : {"round", "floor"} or sequence of float, optional
        How numbers between classes become classes, as in `evaluate`; all measures use the classes.
    header : bool, default True
        Whether text files have a header; if not, columns are called "1", "2", ….
    delimiter : str, optional
        The delimiter of text files, as in `open_files`.
    encoding : str, optional
        The encoding of text files, as in `open_files`.
    sheet : str, optional
        The sheet of xlsx files; by default the first one.
    memory_limit : str, optional
        What DuckDB may use before it spills to disk, e.g. "2GB"; 768 MiB by default.
    progress : callable, optional
        Called as ``progress(done, total)`` now and then while files are read, in percent.

    Returns
    -------
    FileRatings
        The ratings. In wide form items are in the order of the file, in long form by name.

    Raises
    ------
    InputError
        If a file cannot be read, holds no ratings in a known form, or a rater rated an item more
        than once.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import ordeval.io
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ratings.csv"
    ...     _ = path.write_text("item,rater,rating\\nx,ben,3\\nx,anna,2\\ny,anna,1\\n")
    ...     found = ordeval.io.read_ratings(path).ratings
    >>> found.raters, found.items, found.codes.tolist()
    (('anna', 'ben'), ('x', 'y'), [[1, 2], [0, -1]])
    """
    given = {"weight": weight, "frequency": frequency, "cluster": cluster}
    reading = _Reading(labels, values, na, bins)
    with Engine(memory_limit, progress) as engine:
        copy = engine.new_path(".csv")
        engine.allow(copy, str(data))  # before it starts, in case an export is written there
        options = TextOptions(header, delimiter, encoding, sheet, documents=True)
        table, _, notices = open_tables(engine, data, (), options)
        if questions := argilla_questions(table.columns):
            table = _argilla_table(engine, table, questions, copy)
        selection, named = Selection(where), _Named(table.columns)
        selection.name(table.columns)
        asked = _Asked(
            raters=None if raters is None else tuple(named(raters)),
            item=tuple(named(_several(item))),
            slices=tuple(named(_several(slices))),
            rater=named(rater),
            rating=named(rating),
            kind=named(kind),
            others={role: named(column) for role, column in given.items() if column is not None},
        )
        (table,), left_out = _without_index(engine, [table], used="" in asked.columns)
        notices = (*notices, *left_out)
        if selection:
            table, _ = selection.of_tables(engine, table, {})
            notices = (*notices, selection.notice(engine, table))
        layout = _layout_or_forms(engine, table, asked, tuple(selection.values))
        cells = _Cells(engine, table, layout)
        panel = _FORMS_READ[layout.form](cells, layout, reading, raters)
    about = {"data": str(data), **({"where": selection.values} if selection else {})}
    ratings = panel.ratings
    ratings = replace(ratings, notices=(*notices, *ratings.notices))
    return replace(panel, ratings=ratings, about={**about, **layout.about})


def _several(given: str | Sequence[str] | None) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else list(given)


class _Named:
    """The columns of a table by the names that were asked for, perhaps without spaces."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns

    def __call__(self, asked: Any) -> Any:
        if isinstance(asked, list | tuple):
            return [self(name) for name in asked]
        return column_named(asked, self._columns) if isinstance(asked, str) else asked


@dataclass(frozen=True)
class _Asked:
    """The columns that were asked for by role."""

    raters: tuple[str, ...] | None
    item: tuple[str, ...]
    slices: tuple[str, ...]
    rater: str | None
    rating: str | None
    kind: str | None
    others: Mapping[str, str]

    @property
    def columns(self) -> list[str | None]:
        """All of them."""
        one = (self.rater, self.rating, self.kind)
        return [*(self.raters or ()), *self.item, *self.slices, *one, *self.others.values()]

    @property
    def aside(self) -> list[tuple[str, str]]:
        """The columns of items that are neither names nor ratings, with their parameters."""
        return [*self.others.items(), *(("slices", name) for name in self.slices)]


@dataclass(frozen=True)
class _Layout:
    """The form of a table, and the column of every role.

    `ratings` are the columns that hold ratings: those of the raters, or one. `guessed` tells that
    the raters are all columns without another role, and `alone` that there is one column, of lists,
    that nobody named. `where` is the beginning of messages.
    """

    form: str
    ratings: tuple[str, ...]
    asked: _Asked
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

    @property
    def about(self) -> dict[str, Any]:
        """The form, and the columns that name items and raters."""
        named = {"item": list(self.asked.item), "rater": self.rater, "kind": self.kind}
        return {"form": self.form, **{k: v for k, v in named.items() if v}}


def _layout_or_forms(
    engine: Engine, table: FileTable, asked: _Asked, aside: Sequence[str]
) -> _Layout:
    """Choose the form of a table; if it is none, the message shows the forms."""
    try:
        return _layout(engine, table, asked, aside)
    except InputError as problem:
        if problem.raw_hint or problem.parameter or len(table.columns) > 1:
            raise
        raise InputError(problem.message, hint=f"Expected is {_FORMS}.") from None


def _layout(engine: Engine, table: FileTable, asked: _Asked, aside: Sequence[str]) -> _Layout:
    """Choose the form of a table, and its columns."""
    columns, form = table.columns, table.form or Form("", ())
    wide = asked.raters is not None and set(asked.raters) <= set(columns)
    named = {form.rater, asked.rating or form.rating} <= set(columns) or bool(form.item)
    long = asked.rater is not None or (named and not wide)
    asked = replace(asked, item=asked.item or _default_item(engine, table, form, asked))
    given = [("item", n) for n in asked.item] + asked.aside
    given += [(p, n) for p, n in (("rating", asked.rating), ("kind", asked.kind)) if n is not None]
    for parameter, name in given:
        require_column(name, columns, parameter, f"{table.name}: ")
    if long:
        _check_questions(engine, table, form, asked, aside)
        return _long_layout(table, asked, form)
    nested = _nested_columns(engine, table)
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


def _wide_layout(table: FileTable, asked: _Asked, aside: Sequence[str]) -> _Layout:
    where = f"{table.name}: "
    if asked.kind is not None:
        raise InputError(
            f"{where}the kind of raters is for a row per item and rater.", parameter="kind"
        )
    raters = _guessed_raters(table, asked, aside) if asked.raters is None else asked.raters
    _refuse_twice(raters, "raters")
    for name in raters:
        _require_rater(name, table.columns, "column", where)
    _check_roles(asked, [("raters", name) for name in raters], where)
    return _Layout("wide", raters, asked, guessed=asked.raters is None, where=where)


def _long_layout(table: FileTable, asked: _Asked, form: Form) -> _Layout:
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
    return _Layout("long", (rating,), asked, rater, kind, where=where)


def _nested_layout(table: FileTable, asked: _Asked, nested: Sequence[str]) -> _Layout:
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
    return _Layout("nested", (rating,), asked, alone=alone, where=where)


def _check_roles(asked: _Asked, rated: Sequence[tuple[str, str]], where: str) -> None:
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


def _refuse_twice(names: Sequence[str], parameter: str) -> None:
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        raise InputError(f"{quoted(repeated)} is named more than once.", parameter=parameter)


def _default_item(engine: Engine, table: FileTable, form: Form, asked: _Asked) -> tuple[str, ...]:
    """Return the columns that name an item if none is given.

    Of an export whose items have several columns, those that hold one value are left out.
    """
    taken = {*(asked.raters or ()), asked.rater, asked.rating}
    if form.item and set(form.item) <= set(table.columns):
        first, *others = [column for column in form.item if column not in taken] or form.item
        return (first, *(c for c in others if len(_some_values(engine, table, c, 2)) > 1))
    found = [name for name in _ITEM_NAMES if name in table.columns and name not in taken]
    return tuple(found[:1])


def _some_values(engine: Engine, table: FileTable, column: str, number: int) -> list[str]:
    """Return a few of the values of a column, as text."""
    only = f" WHERE {table.condition}" if table.condition else ""
    text = f"coalesce(({table.expressions[column]})::VARCHAR, '')"
    rows = engine.query(
        f"SELECT {text} FROM {table.source}{only} GROUP BY 1 ORDER BY count(*) DESC, 1 "
        f"LIMIT {number}"
    )
    return [row[0] for row in rows]


def _check_questions(
    engine: Engine, table: FileTable, form: Form, asked: _Asked, aside: Sequence[str]
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


def _nested_columns(engine: Engine, table: FileTable) -> list[str]:
    """Return the columns whose first values are lists or objects."""
    roles = {f"n{i}": name for i, name in enumerate(table.columns)}
    kinds = _kinds(engine, table, roles)
    texts = ", ".join(f"({_text(role, kinds[role])}) AS {role}" for role in roles)
    rows = engine.query(f"SELECT {texts} FROM ({table.select(roles)}) LIMIT {_SAMPLED}")
    found = []
    for i, name in enumerate(table.columns):
        words = [row[i].strip() for row in rows if row[i] is not None and row[i].strip()]
        if words and all(word[0] + word[-1] in ("[]", "{}") for word in words):
            found.append(name)
    return found


def _guessed_raters(table: FileTable, asked: _Asked, aside: Sequence[str]) -> tuple[str, ...]:
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


def _argilla_table(
    engine: Engine, table: FileTable, questions: Sequence[str], copy: Path
) -> FileTable:
    """Return a flat export of Argilla with a row per item, question and rater."""
    id_column = next((name for name in ("id", "_server_id") if name in table.columns), None)
    rows: list[tuple[Any, ...]] = []
    for question in questions:
        wanted = dict(zip("abcde", argilla_columns(question), strict=True))
        found = {role: name for role, name in wanted.items() if name in table.columns}
        if id_column is not None:
            found["id"] = id_column
        kinds = _kinds(engine, table, found)
        texts = [_text(r, kinds[r]) if r in found else "NULL" for r in ("id", *wanted)]
        if id_column is None:
            texts[0] = "row_number() OVER ()"
        got = engine.query(f"SELECT {', '.join(texts)} FROM ({table.select(found)})")
        rows += argilla_rows(got, question, table.name)
    write_rows(copy, table.name, ARGILLA.columns, rows)
    return replace(table_of_copy(engine, copy, table.name), form=ARGILLA)


def _kinds(engine: Engine, table: FileTable, roles: Mapping[str, str]) -> dict[str, str]:
    """Return the type of every column in SQL."""
    rows = engine.query(f"DESCRIBE {table.select(roles)}")
    return {row[0]: row[1] for row in rows}


def _text(role: str, kind: str) -> str:
    """Return SQL for a column as text: lists and objects as in JSON."""
    nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))
    return f"to_json({role})::VARCHAR" if nested else f"{role}::VARCHAR"


class _Cells:
    """The chosen columns as text, fetched as distinct values and positions among them."""

    def __init__(self, engine: Engine, table: FileTable, layout: _Layout) -> None:
        self._engine, self._layout = engine, layout
        kinds = _kinds(engine, table, layout.roles)
        numbers = [role for role in ("weight", "frequency") if role in kinds]
        texts = ", ".join(f"{_text(role, kinds[role])} AS {role}" for role in kinds)
        engine.query(
            f"CREATE TEMP TABLE cells AS SELECT {texts} FROM ({table.select(layout.roles)})"
        )
        ((self.rows,),) = engine.query("SELECT count(*) FROM cells")
        if not self.rows:
            raise InputError(f"{layout.where}there are no items; at least one is needed.")
        self.numbers = {role: self._numbers(role) for role in numbers}

    def _fetch(self, sql: str) -> dict[str, Any]:
        relation = self._engine.relation(sql)
        found: dict[str, Any] = self._engine.run(relation.fetchnumpy)
        return found

    def _numbers(self, role: str) -> Floats:
        found = self._fetch(f"SELECT TRY_CAST(trim({role}) AS DOUBLE) AS x FROM cells")["x"]
        return np.ma.filled(np.ma.asarray(found, dtype=float), np.nan)

    def ratings(self) -> tuple[Array, tuple[Any, ...]]:
        """Return the distinct ratings, and positions among them `[row, column]`; -1 is empty."""
        roles = [f"v{i}" for i in range(len(self._layout.ratings))]
        every = " UNION ALL ".join(f"SELECT {role} AS v FROM cells" for role in roles)
        return self._coded(roles, every)

    def names(self, role: str) -> tuple[Codes, tuple[str, ...]]:
        """Return the sorted names of a column, and positions among them; every row has one."""
        plain = f"SELECT bool_and(regexp_full_match({role}, '{_WHOLE_NAME}')) FROM cells"
        ((whole,),) = self._engine.query(plain)
        given = f"SELECT {role}::BIGINT AS x FROM cells WHERE {role} IS NOT NULL"
        if whole:  # much faster than texts
            values, codes = np.unique(np.asarray(self._fetch(given)["x"]), return_inverse=True)
            if len(codes) == self.rows:
                return codes, tuple(map(str, values.tolist()))
        codes, texts = self.texts(role)
        if "" in texts:
            empty = codes == texts.index("")
            raise InputError(
                f"{self._layout.where}column {self._layout.roles[role]!r} has "
                f"{plural(int(empty.sum()), 'empty value')}, the first in row "
                f"{int(empty.argmax()) + 1:,}; every row needs one.",
                parameter=self._layout.parameter(role),
            )
        names = [group_name(text) for text in texts]
        ordered = sorted_names(set(names))
        position = {name: i for i, name in enumerate(ordered)}
        places = np.asarray([position[name] for name in names], dtype=np.intp)
        return places[codes], tuple(ordered)

    def texts(self, role: str) -> tuple[Codes, tuple[str, ...]]:
        """Return the distinct texts of a column, and positions among them; none is empty text.

        Rows are matched by hash values, which is much faster than by texts if there are many.
        """
        text = f"coalesce({role}, '')"
        found = self._fetch(
            f"SELECT hash({text}) AS h, min({text}) AS low, max({text}) AS high "
            "FROM cells GROUP BY h"
        )
        low, high = (found[name].tolist() for name in ("low", "high"))
        if low != high:  # two texts have the same hash value
            codes, texts = self._coded([role], f"SELECT {text} AS v FROM cells")
            return np.where(codes[:, 0] < 0, texts.index(""), codes[:, 0]), texts
        order = np.argsort(found["h"])
        of_row = self._fetch(f"SELECT hash({text}) AS h FROM cells")["h"]
        return np.searchsorted(found["h"][order], of_row), tuple(low[i] for i in order.tolist())

    def _coded(self, roles: Sequence[str], every: str) -> tuple[Codes, tuple[str, ...]]:
        name = f"of_{roles[0]}"
        self._engine.query(
            f"CREATE TEMP TABLE {name} AS SELECT DISTINCT v FROM ({every}) WHERE v IS NOT NULL"
        )
        ((number,),) = self._engine.query(f"SELECT count(*) FROM {name}")
        if not number:
            return np.full((self.rows, len(roles)), -1, dtype=np.intp), ()
        if roles[0] == "v0" and number > _MOST_VALUES:
            raise InputError(
                f"{self._layout.where}there are {number:,} different ratings; check that the "
                "columns hold ratings, not ids or texts."
            )
        self._engine.query(f"CREATE TYPE {name}_enum AS ENUM (SELECT v FROM {name} ORDER BY v)")
        ((values,),) = self._engine.query(f"SELECT enum_range(NULL::{name}_enum)")
        chosen = ", ".join(f"enum_code({role}::{name}_enum) AS {role}" for role in roles)
        found = self._fetch(f"SELECT {chosen} FROM cells")
        codes = [np.ma.filled(np.ma.asarray(found[r], dtype=np.intp), -1) for r in roles]
        return np.stack(codes, axis=1), tuple(values)


class _Reading:
    """How texts become classes: the declared scale, and codes for missing ratings."""

    def __init__(
        self, labels: Classes, values: ClassNumbers, na: MissingLabels, bins: BinsLike = None
    ) -> None:
        self.bins = held(bins)
        self._declared = None if labels is None else Scale.of(labels)
        self._values, self.missing = values, MissingCodes(na, text=True)
        self.missing.refuse_labels(() if self._declared is None else self._declared.labels)
        self._reader = LabelReader(self._declared, text=True, codes=self.missing)

    def coded(
        self, codes: Array, values: Sequence[Any], names: Sequence[str], layout: _Layout
    ) -> tuple[Codes, Scale, tuple[str, ...]]:
        """Return classes `[row, column]` of positions among values, the scale, and notices."""
        labels = [self._reader.read(value) for value in values]
        counts = [np.bincount(column + 1, minlength=len(values) + 1)[1:] for column in codes.T]
        columns = []
        for name, count in zip(names, counts, strict=True):
            seen = dict.fromkeys(labels[i] for i in np.flatnonzero(count))
            found = [label for label in seen if label is not None]
            columns += [read_column(found, name)] if found else []
        if not columns:
            raise InputError(f"{layout.where}there is no rating: all are missing.")
        if self.bins is not None:
            by_name = dict(zip(names, counts, strict=True))
            return self._binned(codes, values, labels, by_name, layout)
        scale = self._scale(columns, layout)
        known: dict[Any, int] = {**scale.index, None: GAP}
        places = [known.get(label, _UNKNOWN) for label in labels]
        unknown = {values[i]: i for i, place in enumerate(places) if place == _UNKNOWN}
        self._refuse_unknown(unknown, dict(zip(names, counts, strict=True)), scale, layout)
        return np.asarray([*places, GAP], dtype=np.intp)[codes], scale, ()

    def _binned(
        self,
        codes: Array,
        values: Sequence[Any],
        labels: Sequence[Any],
        counts: Mapping[str, Array],
        layout: _Layout,
    ) -> tuple[Codes, Scale, tuple[str, ...]]:
        """Return classes of numbers between classes; every column has its own values."""
        known = () if self._declared is None else self._declared.index
        plain = LabelReader(None, text=True)
        read = [
            label if label is None or label in known else plain.read(value)
            for label, value in zip(labels, values, strict=True)
        ]
        given = [i for i, label in enumerate(read) if label is not None]
        places = {name: [i for i in given if count[i]] for name, count in counts.items()}
        places = {name: used for name, used in places.items() if used}
        columns = [read_column([read[i] for i in used], name) for name, used in places.items()]
        times = [counts[name][used] for name, used in places.items()]
        try:
            made = Binned(
                columns, columns, {}, self.bins, self._declared, self._values, raw=False, each=times
            )
            found = np.full((len(values) + 1, codes.shape[1]), GAP, dtype=np.intp)
            for j, name in enumerate(counts):
                if name in places:
                    column = made.columns[list(places).index(name)]
                    found[places[name], j] = codes_with_gaps(column, None, made.scale)
        except InputError as problem:
            problem.message = f"{layout.where}{problem.message}"
            raise
        return found[codes, np.arange(codes.shape[1])], made.scale, made.notices

    def _scale(self, columns: Sequence[Any], layout: _Layout) -> Scale:
        try:
            return Scale.resolve(columns, self._declared, self._values)
        except InputError as problem:
            hint, suggest = hint_on_ratings(problem.raw_hint), dict(problem.suggest)
            if layout.guessed and isinstance(problem, ColumnError):
                others = [name for name in layout.ratings if name != problem.column]
                hint += f" If {problem.column} is not a rater, {_NAME_RATERS}"
                suggest |= {"item": ..., "rater": ..., "rating": ...}
                suggest["raters"] = others if 1 < len(others) <= SHOWN else ...
            raise InputError(
                f"{layout.where}{problem.message}",
                parameter=problem.parameter,
                hint=hint.strip(),
                suggest=self.missing.beside(suggest),
            ) from None

    def _refuse_unknown(
        self,
        unknown: Mapping[Any, int],
        counts: Mapping[str, Array],
        scale: Scale,
        layout: _Layout,
    ) -> None:
        """Raise an error for ratings outside the scale."""
        every = list(unknown.values())
        found = {name: n for name, count in counts.items() if (n := int(count[every].sum()))}
        if not found:
            return
        first, count = next((name, counts[name]) for name in found)
        seen = {value: int(count[i]) for value, i in unknown.items() if count[i]}
        odd = sorted(seen, key=lambda value: (-seen[value], str(value)))
        listed = [f"{abbreviate(value)} ({seen[value]:,})" for value in odd]
        more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
        others = quoted(name for name in found if name != first)
        read = LabelReader(None, text=True).read
        hint, suggest = unknown_hint([read(value) for value in odd], scale)
        hint = hint_on_ratings(hint)
        if layout.guessed:
            hint += f" If {first} is not a rater, {_NAME_RATERS}"
            suggest = {**suggest, "raters": ..., "item": ..., "rater": ..., "rating": ...}
        raise InputError(
            f"{layout.where}{first} has {plural(found[first], 'rating')} outside the scale "
            f"{scale.describe()}: {', '.join(listed[:SHOWN])}{more}."
            f"{f' Others have such ratings too: {others}.' if others else ''}",
            parameter="labels",
            hint=hint,
            suggest=self.missing.beside(suggest),
        )


@dataclass(frozen=True, eq=False)
class _Found:
    """Classes `[item, rater]`, and the row of the file, or several, that each item has."""

    codes: Codes
    raters: tuple[str, ...]
    scale: Scale
    items: tuple[str, ...]
    notices: tuple[str, ...] = ()
    of_item: Codes | None = None
    rows: Array | None = None
    identified: bool = True
    kinds: Mapping[str, str] = field(default_factory=dict)


def _read_wide(
    cells: _Cells, layout: _Layout, reading: _Reading, raters: Sequence[str] | None
) -> FileRatings:
    codes, texts = cells.ratings()
    classes, scale, told = reading.coded(codes, texts, layout.ratings, layout)
    items = _distinct_items(cells, layout)
    return _panel(cells, layout, reading, _Found(classes, layout.ratings, scale, items, told))


def _read_long(
    cells: _Cells, layout: _Layout, reading: _Reading, raters: Sequence[str] | None
) -> FileRatings:
    of_item, items = _items(cells, layout)
    of_rater, names = cells.names("rater")
    codes, texts = cells.ratings()
    kinds = {} if layout.kind is None else _kinds_of(cells, layout, of_rater, names)
    rows = None
    if raters is not None:
        wanted = _known_raters(raters, names, where=layout.where)
        rows = np.flatnonzero(np.isin(of_rater, [names.index(name) for name in wanted]))
        used, of_item = np.unique(of_item[rows], return_inverse=True)
        position = np.full(len(names), -1)
        position[[names.index(name) for name in wanted]] = np.arange(len(wanted))
        items, names = tuple(items[i] for i in used), tuple(wanted)
        of_rater, codes = position[of_rater[rows]], codes[rows]
    _refuse_repeated(of_item, of_rater, items, names, layout)
    long, scale, told = reading.coded(codes, texts, layout.ratings, layout)
    check_memory(
        "The table of ratings",
        16.0 * len(items) * len(names),
        f"{plural(len(items), 'item')} × {plural(len(names), 'rater')}",
        parameter="rater",
        hint="Name the columns of items and raters with {item} and {rater}.",
        suggest={"item": ..., "rater": ...},
    )
    classes = np.full((len(items), len(names)), GAP, dtype=np.intp)
    classes[of_item, of_rater] = long[:, 0]
    found = _Found(classes, names, scale, items, told, of_item, rows, kinds=kinds)
    return _panel(cells, layout, reading, found)


def _read_nested(
    cells: _Cells, layout: _Layout, reading: _Reading, raters: Sequence[str] | None
) -> FileRatings:
    of_row, texts = cells.texts("v0")
    where = f"{layout.where}column {layout.ratings[0]!r}"
    if layout.alone and cells.rows == 1:
        raise _one_list(layout)
    given = [_by_rater(json_cell(text, where), text, where) for text in texts]
    lists = {type(name) is int for row in given for name in row}
    if len(lists) > 1:
        raise InputError(f"{where} holds lists and objects; one of them is expected.")
    names = (
        sorted({name for row in given for name in row})
        if lists == {True}
        else (sorted_names({str(name) for row in given for name in row}))
    )
    if not names:
        raise InputError(f"{where} holds no rating: all lists are empty.", parameter="rating")
    values: dict[tuple[type, Any], int] = {}
    table = np.full((len(texts) + 1, len(names)), -1, dtype=np.int64)
    position = {name: j for j, name in enumerate(names)}
    for i, row in enumerate(given):
        for name, value in row.items():
            if value is not None:
                table[i, position[name]] = values.setdefault((type(value), value), len(values))
    shown = tuple(f"rater {name + 1}" if type(name) is int else str(name) for name in names)
    classes, scale, told = reading.coded(table[of_row], [v for _, v in values], shown, layout)
    same = lists == {False} or len({len(row) for row in given if row}) <= 1
    if raters is not None:
        chosen = _known_raters(raters, shown, where=layout.where)
        classes, shown = classes[:, [shown.index(name) for name in chosen]], tuple(chosen)
    items = _distinct_items(cells, layout)
    found = _Found(classes, shown, scale, items, told, identified=same)
    return _panel(cells, layout, reading, found)


_FORMS_READ = {"wide": _read_wide, "long": _read_long, "nested": _read_nested}


def _by_rater(cell: Any, text: str, where: str) -> dict[Any, Any]:
    """Return the ratings of an item by rater: by name, or by position in a list."""
    found: dict[Any, Any]
    if cell is None:
        return {}
    if isinstance(cell, list) and cell and all(isinstance(part, dict) for part in cell):
        pairs = [(_first(part, _RATER_KEYS), _first(part, _RATING_KEYS)) for part in cell]
        names = [str(rater) for rater, _ in pairs]
        if None in (rater for rater, _ in pairs) or len(set(names)) < len(names):
            raise _unreadable(where, text)
        found = dict(zip(names, (rating for _, rating in pairs), strict=True))
    elif isinstance(cell, list):
        found = dict(enumerate(cell))
    elif isinstance(cell, dict):
        found = cell
    else:
        raise _unreadable(where, text)
    if any(isinstance(value, dict | list) for value in found.values()):
        raise _unreadable(where, text)
    return found


def _first(part: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((part[key] for key in keys if key in part), None)


def _unreadable(where: str, text: str) -> InputError:
    return InputError(
        f"{where} holds {quoted([text[:60]])}, which is no list of ratings.",
        parameter="rating",
        hint=f"Write the ratings of an item as [3, 4, null], or by rater, e.g. {EXAMPLE}.",
    )


def _one_list(layout: _Layout) -> InputError:
    """Return the error for a single list, which may be that of an item or of a rater."""
    return InputError(
        f"{layout.where}there is one list, {layout.ratings[0]!r}, and nothing else; whether it "
        "holds the ratings of one item or of one rater is not known.",
        parameter="rating",
        hint=f"Write a JSON object per item and line, e.g. {EXAMPLE}, or one object with the list "
        'of every rater, e.g. {"anna": [3, 4], "ben": [3, null]}. If it is one item, name the '
        "list with {rating}.",
        suggest={"rating": layout.ratings[0]},
    )


def _known_raters(
    wanted: Sequence[str], names: Sequence[str], parameter: str = "raters", where: str = ""
) -> list[str]:
    """Return the raters that were asked for, who must be there."""
    wanted = [column_named(name, names) for name in wanted]
    _refuse_twice(wanted, parameter)
    for name in wanted:
        _require_rater(name, names, "rater", where, parameter)
    return wanted


def _require_rater(
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


def _items(cells: _Cells, layout: _Layout) -> tuple[Codes, tuple[str, ...]]:
    """Return the item of every row, and the names of items in order."""
    codes, names = cells.names(layout.items[0])
    for role in layout.items[1:]:
        more, others = cells.names(role)
        used, codes = np.unique(codes * len(others) + more, return_inverse=True)
        pairs = (divmod(int(place), len(others)) for place in used)
        names = tuple(f"{names[i]}, {others[j]}" for i, j in pairs)
    return codes, names


def _distinct_items(cells: _Cells, layout: _Layout) -> tuple[str, ...]:
    """Return the name of every row; empty without a column of names."""
    if not layout.items:
        return ()
    codes, names = _items(cells, layout)
    if len(names) < cells.rows:
        twice = names[int(np.bincount(codes).argmax())]
        raise InputError(
            f"{layout.where}{cells.rows:,} rows have {plural(len(names), 'item')}; {twice!r} is "
            "repeated. A row per item is expected.",
            parameter="item",
            hint="Name the columns that tell the items apart with {item}; for a row per item and "
            "rater, name the columns of raters and ratings with {rater} and {rating}.",
            suggest={"item": ..., "rater": ..., "rating": ...},
        )
    return tuple(names[code] for code in codes.tolist())


def _refuse_repeated(
    of_item: Codes, of_rater: Codes, items: Sequence[str], raters: Sequence[str], layout: _Layout
) -> None:
    """Raise an error if a rater rated an item more than once."""
    cell = of_item.astype(np.int64) * len(raters) + of_rater
    ordered = np.sort(cell)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if twice.size:
        item, rater = divmod(int(twice[0]), len(raters))
        raise InputError(
            f"{layout.where}{plural(twice.size, 'item was', 'items were')} rated more than once by "
            f"the same rater, e.g. {abbreviate(items[item])} by {abbreviate(raters[rater])}; one "
            "rating per item and rater is expected.",
            parameter="item",
            hint="Keep one row per item and rater, or name the columns that tell the items apart "
            "with {item}.",
            suggest={"item": ...},
        )


def _kinds_of(
    cells: _Cells, layout: _Layout, of_rater: Codes, names: Sequence[str]
) -> dict[str, str]:
    """Return the kind of every rater, who has one."""
    codes, kinds = cells.names("kind")
    pairs = np.unique(of_rater * len(kinds) + codes)
    raters = pairs // len(kinds)
    twice = raters[1:][raters[1:] == raters[:-1]]
    if twice.size:
        raise InputError(
            f"{layout.where}rater {names[int(twice[0])]!r} has more than one value in column "
            f"{layout.kind!r}; a rater is a person or a model.",
            parameter="kind",
        )
    return {names[int(r)]: kinds[int(k)] for r, k in zip(raters, pairs % len(kinds), strict=True)}


def _panel(cells: _Cells, layout: _Layout, reading: _Reading, found: _Found) -> FileRatings:
    """Return ratings with what belongs to items."""
    n = len(found.codes)
    numbers = {r: _per_item(x, found, n, r, layout) for r, x in cells.numbers.items()}
    try:
        weight = None if "weight" not in numbers else check_weight(numbers["weight"], n)
        times = None if "frequency" not in numbers else check_frequency(numbers["frequency"], n)
    except InputError as problem:
        problem.message = f"{layout.where}{problem.message}"
        raise
    wanted = [*(["cluster"] if "cluster" in layout.roles else []), *layout.slices.values()]
    groups = {role: cells.names(role) for role in wanted}
    codes = {r: _per_item(codes, found, n, r, layout) for r, (codes, _) in groups.items()}
    ratings = Ratings(
        found.codes,
        found.raters,
        found.scale,
        items=found.items,
        identified=found.identified,
        weight=weight,
        frequency=times,
        cluster_codes=codes.get("cluster"),
        clusters=len(groups["cluster"][1]) if "cluster" in groups else 0,
        notices=found.notices,
        reading=reading_of(reading.missing, reading.bins),
    )
    keep = _counting(ratings)
    slices = {
        name: tuple(groups[role][1][code] for code in codes[role][keep].tolist())
        for name, role in layout.slices.items()
    }
    ratings = ratings.counting()
    kinds = {name: found.kinds[name] for name in ratings.raters if name in found.kinds}
    return FileRatings(ratings, kinds, slices)


def _counting(ratings: Ratings) -> Bools:
    """Return which items `Ratings.counting` keeps."""
    keep = np.asarray(ratings.rated.any(axis=1))
    for given in (ratings.weight, ratings.frequency):
        keep = keep if given is None else keep & np.asarray(given > 0)
    return keep


def _per_item(given: Array, found: _Found, n: int, role: str, layout: _Layout) -> Any:
    """Return the value of every item; the rows of an item must have the same."""
    if found.of_item is None:
        return given
    of_row = given if found.rows is None else given[found.rows]
    first = np.empty(n, dtype=given.dtype)
    first[found.of_item[::-1]] = of_row[::-1]
    same = (first[found.of_item] == of_row) | (of_row != of_row)
    if not same.all():
        name = found.items[int(found.of_item[int((~same).argmax())])]
        raise InputError(
            f"{layout.where}the rows of item {name!r} differ in column "
            f"{layout.roles[role]!r}; all rows of an item must have the same.",
            parameter=layout.parameter(role),
        )
    return first
