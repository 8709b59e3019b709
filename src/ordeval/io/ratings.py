"""Ratings of several people and models, from files in wide, long or nested form."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..data.classes import Reading as LabelReading
from ..data.classes import classes_of
from ..data.column import Column, group_name, sorted_names
from ..data.examples import JOINED_TEXTS, LONGEST_TEXT
from ..data.scale import ColumnError, Scale
from ..data.units import check_frequency, check_weight
from ..errors import InputError, abbreviate, plural, quoted
from ..files.engine import Engine, literal
from ..files.exports import EXAMPLE, json_cell, rating_in_cell
from ..files.formats import Reading, open_tables
from ..files.selection import Selection, Where
from ..files.table import Table, column_named
from ..limits import check_memory
from ..notes import Notes
from ..ratings import (
    GAP,
    Ratings,
    gaps_below,
    held,
    hint_on_names,
    reading_of,
    refuse_names_of_items,
)
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
from .rating_layouts import (
    Asked,
    RatingLayout,
    rating_layout,
    refuse_twice,
    require_rater,
    texts_in_sql,
)

_RATER_KEYS = ("rater", "annotator", "user_id", "user", "rater_id", "annotator_id", "completed_by")
_RATING_KEYS = ("rating", "value", "label", "score")
_UNKNOWN = -2
_MOST_VALUES = 100_000  # more different values than this are texts, not ratings
_LINE = "row_number() OVER ()"
_WHOLE_NAME = r"-?[1-9][0-9]{0,17}|0"
_PERSON = ("person", "people", "human", "humans", "annotator", "expert")
_MODEL = ("model", "models", "llm", "machine", "judge", "ai", "system")


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
    decimal: str = ".",
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
        The rows to keep, as in `ordeval.read`.
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
        The delimiter of text files, as in `ordeval.read`.
    encoding : str, optional
        The encoding of text files, as in `ordeval.read`.
    decimal : {".", ","}, default "."
        The decimal mark of numbers in text files.
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
    with open_ratings(
        data,
        raters=raters,
        item=item,
        rater=rater,
        rating=rating,
        kind=kind,
        slices=slices,
        where=where,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        labels=labels,
        values=values,
        na=na,
        bins=bins,
        header=header,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        sheet=sheet,
        memory_limit=memory_limit,
        progress=progress,
    ) as found:
        return found


@contextmanager
def open_ratings(
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
    decimal: str = ".",
    sheet: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    text: str | None = None,
) -> Iterator[FileRatings]:
    """Read ratings as `read_ratings` does; `text` names a column of texts.

    Of the texts, those of chosen items are read later, as long as the context is open.
    """
    given = {"weight": weight, "frequency": frequency, "cluster": cluster}
    reading = _Reading(labels, values, na, bins)
    with Engine(memory_limit, progress) as engine, ExitStack() as hints:
        options = Reading(header, delimiter, encoding, decimal, sheet, exports=True)
        tables = open_tables(engine, data, (), options)
        hints.enter_context(options.hints(tables.all))
        table, named = tables.data, partial(column_named, columns=tables.columns)
        selection = Selection(where).named(tables.columns)
        asked = Asked(
            raters=None if raters is None else tuple(named(raters)),
            item=tuple(named(_several(item))),
            slices=tuple(named(_several(slices))),
            rater=named(rater),
            rating=named(rating),
            kind=named(kind),
            others={role: named(column) for role, column in given.items() if column is not None},
            text=named(text),
        )
        tables = tables.without_unnamed(used="" in asked.columns)
        table, notices = tables.data, tables.notes
        table = table.with_fields(engine, [*filter(None, asked.columns), *selection.values])
        if selection:
            for column in selection.values:
                table.require(column, "where")
            table = selection.of(engine, table)
            notices = (*notices, selection.note(engine, table))
        layout = rating_layout(engine, table, asked, tuple(selection.values))
        cells = _Cells(engine, table, layout)
        found = _FORMS_READ[layout.form](cells, layout, reading, raters)
        panel = _panel(cells, layout, reading, found)
        about = {"data": str(data), **({"where": selection.values} if selection else {})}
        texts = None if layout.asked.text is None else partial(cells.texts_of_items, found.of_item)
        ratings = panel.ratings
        ratings = replace(ratings, notices=(*notices, *ratings.notices), texts=texts)
        panel = replace(panel, ratings=ratings, about={**about, **layout.about})
        if text is not None:
            yield panel
    if text is None:
        yield panel


def _several(given: str | Sequence[str] | None) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else list(given)


class _Cells:
    """The chosen columns as text, fetched as distinct values and positions among them."""

    def __init__(self, engine: Engine, table: Table, layout: RatingLayout) -> None:
        self._engine, self._layout, self._table = engine, layout, table
        found = texts_in_sql(engine, table, layout.roles)
        if layout.asked.text is not None:
            found["line"] = _LINE
        texts = ", ".join(f"{text} AS {role}" for role, text in found.items())
        engine.query(
            f"CREATE TEMP TABLE cells AS SELECT {texts} FROM ({table.select(layout.roles)})"
        )
        if not self.rows:
            raise InputError(f"{layout.where}there are no items; at least one is needed.")

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._engine.query("SELECT count(*) FROM cells")[0][0])

    def keep_raters(self, wanted: Sequence[str]) -> None:
        """Leave out the rows of other raters."""
        kept = [text for text in self.texts("rater")[1] if group_name(text) in wanted]
        self._engine.query("DELETE FROM cells WHERE NOT list_contains(?, rater)", [kept])

    def _fetch(self, sql: str) -> dict[str, Any]:
        relation = self._engine.relation(sql)
        found: dict[str, Any] = self._engine.run(relation.fetchnumpy)
        return found

    def numbers(self, role: str) -> Floats:
        """Return a column of numbers; what is no number is not a number."""
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
            absent = codes[:, 0] < 0
            return np.where(absent, texts.index("") if absent.any() else 0, codes[:, 0]), texts
        order = np.argsort(found["h"])
        of_row = self._fetch(f"SELECT hash({text}) AS h FROM cells")["h"]
        return np.searchsorted(found["h"][order], of_row), tuple(low[i] for i in order.tolist())

    def texts_of_items(self, of_item: Codes | None, items: Codes) -> list[str]:
        """Return the texts of some items, which are read in another pass over the data.

        `of_item` is the item of every row in long form. Different texts of an item are joined.
        """
        wanted = items if of_item is None else np.flatnonzero(np.isin(of_item, items))
        lines = self._fetch("SELECT line FROM cells")["line"][wanted]
        rows = wanted if of_item is None else of_item[wanted]
        role = {"text": str(self._layout.asked.text)}
        text = texts_in_sql(self._engine, self._table, role)["text"]
        found = self._engine.query(
            "WITH wanted AS (SELECT unnest(?::BIGINT[]) AS line, unnest(?::BIGINT[]) AS item), "
            f"texts AS (SELECT {_LINE} AS line, left({text}, {LONGEST_TEXT + 1}) AS text "
            f"FROM ({self._table.select(role)})) "
            f"SELECT item, string_agg(DISTINCT text, {literal(JOINED_TEXTS)} ORDER BY text) "
            "FROM texts JOIN wanted USING (line) WHERE text != '' GROUP BY item",
            [lines.tolist(), rows.tolist()],
        )
        by_item = dict(found)
        return [by_item.get(item, "") for item in items.tolist()]

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
        self._reading = LabelReading(
            labels, values, self.bins, na, text=True, find=lambda _, __: ""
        )
        self.missing = self._reading.codes
        assert self._reading.declared is None or self._reading.declared.k

    def coded(
        self, codes: Array, values: Sequence[Any], names: Sequence[str], layout: RatingLayout
    ) -> tuple[Codes, Scale, Notes]:
        """Return classes `[row, column]` of positions among values, the scale, and notices."""
        reading = replace(self._reading, where=layout.where)
        places = np.where(codes < 0, len(values), codes)
        given = [Column(of, name, values) for of, name in zip(places.T, names, strict=True)]
        columns = [reading.column(column) for column in given]
        if not any(column.distinct() for column in columns):
            raise InputError(f"{layout.where}there is no rating: all are missing.")
        try:
            made = classes_of(columns, reading, raw=False)
        except InputError as problem:
            column = problem.column if isinstance(problem, ColumnError) else None
            hint, suggest = layout.advice(problem.raw_hint, problem.suggest, column)
            raise InputError(
                problem.message, parameter=problem.parameter, hint=hint, suggest=suggest
            ) from None
        return gaps_below(made.codes, made.scale.k), made.scale, made.notices


@dataclass(frozen=True, eq=False)
class _Found:
    """Classes `[item, rater]`, and in long form the item of every row."""

    codes: Codes
    raters: tuple[str, ...]
    scale: Scale
    items: tuple[str, ...]
    notices: Notes = ()
    of_item: Codes | None = None
    identified: bool = True
    kinds: Mapping[str, str] = field(default_factory=dict)

    def of_raters(self, wanted: Sequence[str], where: str) -> "_Found":
        """Return the ratings of some raters, in the order asked for."""
        names = _known_raters(wanted, self.raters, where=where)
        places = [self.raters.index(name) for name in names]
        return replace(self, codes=self.codes[:, places], raters=tuple(names))


def _read_wide(
    cells: _Cells, layout: RatingLayout, reading: _Reading, raters: Sequence[str] | None
) -> _Found:
    codes, texts = cells.ratings()
    if layout.guessed:
        pairs = zip(layout.ratings, codes.T, strict=True)
        rated = {
            name: Column(np.where(of_row < 0, len(texts), of_row), name, texts)
            for name, of_row in pairs
        }
        refuse_names_of_items(rated, hint_on_names(layout.asked.item), layout.where)
    classes, scale, told = reading.coded(codes, texts, layout.ratings, layout)
    return _Found(classes, layout.ratings, scale, _distinct_items(cells, layout), told)


def _read_long(
    cells: _Cells, layout: RatingLayout, reading: _Reading, raters: Sequence[str] | None
) -> _Found:
    of_rater, names = cells.names("rater")
    if raters is not None:
        cells.keep_raters(_known_raters(raters, names, where=layout.where))
        of_rater, names = cells.names("rater")
    kinds = {} if layout.kind is None else _kinds_of(cells, layout, of_rater, names)
    of_item, items = _items(cells, layout)
    _refuse_repeated(of_item, of_rater, items, names, layout)
    codes, texts = cells.ratings()
    values = [rating_in_cell(text) for text in texts]
    long, scale, told = reading.coded(codes, values, layout.ratings, layout)
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
    found = _Found(classes, names, scale, items, told, of_item, kinds=kinds)
    return found if raters is None else found.of_raters(raters, layout.where)


def _read_nested(
    cells: _Cells, layout: RatingLayout, reading: _Reading, raters: Sequence[str] | None
) -> _Found:
    of_row, texts = cells.texts("v0")
    where = f"{layout.where}column {layout.ratings[0]!r}"
    if layout.alone and cells.rows == 1:
        raise _one_list(layout)
    given = [_by_rater(json_cell(text, where), text, where) for text in texts]
    lists = {type(name) is int for row in given for name in row}
    if len(lists) > 1:
        raise InputError(f"{where} holds lists and objects; one of them is expected.")
    every = {name for row in given for name in row}
    if not every:
        raise InputError(f"{where} holds no rating: all lists are empty.", parameter="rating")
    names: list[Any] = sorted(every) if lists == {True} else sorted_names(every)
    values: dict[tuple[type, Any], int] = {}
    table = np.full((len(texts) + 1, len(names)), -1, dtype=np.int64)
    for j, name in enumerate(names):
        for i, row in enumerate(given):
            if (value := row.get(name)) is not None:
                table[i, j] = values.setdefault((type(value), value), len(values))
    shown = tuple(f"rater {name + 1}" if lists == {True} else name for name in names)
    classes, scale, told = reading.coded(table[of_row], [v for _, v in values], shown, layout)
    same = lists == {False} or len({len(row) for row in given if row}) <= 1
    items = _distinct_items(cells, layout)
    found = _Found(classes, shown, scale, items, told, identified=same)
    return found if raters is None else found.of_raters(raters, layout.where)


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


def _one_list(layout: RatingLayout) -> InputError:
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
    refuse_twice(wanted, parameter)
    for name in wanted:
        require_rater(name, names, "rater", where, parameter)
    return wanted


def _items(cells: _Cells, layout: RatingLayout) -> tuple[Codes, tuple[str, ...]]:
    """Return the item of every row, and the names of items in order."""
    codes, names = cells.names(layout.items[0])
    for role in layout.items[1:]:
        more, others = cells.names(role)
        used, codes = np.unique(codes * len(others) + more, return_inverse=True)
        pairs = (divmod(int(place), len(others)) for place in used)
        names = tuple(f"{names[i]}, {others[j]}" for i, j in pairs)
    return codes, names


def _distinct_items(cells: _Cells, layout: RatingLayout) -> tuple[str, ...]:
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
    of_item: Codes,
    of_rater: Codes,
    items: Sequence[str],
    raters: Sequence[str],
    layout: RatingLayout,
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
    cells: _Cells, layout: RatingLayout, of_rater: Codes, names: Sequence[str]
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


def _panel(cells: _Cells, layout: RatingLayout, reading: _Reading, found: _Found) -> FileRatings:
    """Return ratings with what belongs to items."""
    n = len(found.codes)
    given = [role for role in ("weight", "frequency") if role in layout.roles]
    numbers = {role: _per_item(cells.numbers(role), found, n, role, layout) for role in given}
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


def _per_item(given: Array, found: _Found, n: int, role: str, layout: RatingLayout) -> Any:
    """Return the value of every item; the rows of an item must have the same."""
    if found.of_item is None:
        return given
    first = np.empty(n, dtype=given.dtype)
    first[found.of_item[::-1]] = given[::-1]
    same = (first[found.of_item] == given) | (given != given)
    if not same.all():
        name = found.items[int(found.of_item[int((~same).argmax())])]
        raise InputError(
            f"{layout.where}the rows of item {name!r} differ in column "
            f"{layout.roles[role]!r}; all rows of an item must have the same.",
            parameter=layout.parameter(role),
        )
    return first
