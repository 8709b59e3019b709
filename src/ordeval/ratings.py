"""Ratings of the same items by several raters, with gaps: read, checked and grouped."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from .data.classes import Reading, classes_of
from .data.column import (
    Column,
    MissingCodes,
    aligned,
    check_same_length,
    columns_of_frame,
    group_codes,
    index_of,
    is_tensor,
    read_column,
    row_names,
    sorted_names,
)
from .data.examples import JOINED_TEXTS, as_text
from .data.scale import Scale
from .data.units import check_frequency, check_weight
from .errors import InputError, plural, quoted
from .notes import Note, Notes, note
from .types import (
    Array,
    BinsLike,
    Bools,
    Classes,
    ClassNumbers,
    Codes,
    Floats,
    Ints,
    ItemWeights,
    LabelColumn,
    MissingLabels,
)

GAP = -1  # the code where a rater did not rate an item
_AT_ONCE = 1 << 18  # ratings that are copied to be read together, which is faster
_LEAST_NAMED = 10  # rows whose values all differ, in a column that names items
_FIRST_ROWS = 1000  # in which most columns of ratings repeat a value


@dataclass(frozen=True, eq=False)
class Ratings:
    """Classes that raters gave to items.

    Parameters
    ----------
    codes : ndarray of int of shape (n_items, n_raters)
        Positions on the scale, `GAP` where a rater did not rate an item.
    raters : tuple of str
        The names of the raters.
    scale : Scale
        The ordered classes.
    items : tuple of str
        The names of the items; empty if they have none.
    identified : bool
        Whether a column holds the ratings of one rater throughout. False for lists of ratings that
        do not say who gave which.
    weight : ndarray, optional
        The importance of each item.
    frequency : ndarray of int, optional
        The number of items that each row stands for.
    cluster_codes : ndarray of int, optional
        The cluster of each item, as a position in the sorted names of the clusters.
    clusters : int
        The number of clusters.
    notices : tuple of Note
        What the reader should know about the data.
    reading : mapping
        How missing ratings were recognised, where that is not the default.
    places : ndarray of int, optional
        The row of each item in the data that were read, from 0, if some were left out.
    texts : callable, optional
        Returns the texts of items, given by their rows in the data that were read (in long form,
        by their positions among the sorted names).
    """

    codes: Codes
    raters: tuple[str, ...]
    scale: Scale
    items: tuple[str, ...] = ()
    identified: bool = True
    weight: Floats | None = None
    frequency: Ints | None = None
    cluster_codes: Codes | None = None
    clusters: int = 0
    notices: Notes = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    places: Codes | None = None
    texts: Callable[[Codes], Sequence[Any]] | None = None

    @classmethod
    def read(
        cls,
        ratings: Any,
        *,
        labels: Classes = None,
        values: ClassNumbers = None,
        items: LabelColumn | None = None,
        text: LabelColumn | None = None,
        weight: ItemWeights = None,
        frequency: ItemWeights = None,
        cluster: LabelColumn | None = None,
        na: MissingLabels = None,
        bins: BinsLike = None,
    ) -> Self:
        """Read and check ratings in wide form: an item per row, a rater per column.

        `ratings` is an array, a frame, a mapping from rater to ratings, or a list with the ratings
        of each item, which may differ in number and then do not say who gave which.
        """
        given, identified = columns_of(ratings)
        bins = held(bins)
        matched = RowLabels.of(given)
        given = {name: matched(column, name, "ratings") for name, column in given.items()}
        items, cluster = matched(items, "items"), matched(cluster, "cluster")
        text = matched(text, "text")
        weight = matched(weight, "weight")
        frequency = matched(frequency, "frequency")
        columns = [read_column(column, name) for name, column in given.items()]
        n = check_same_length(columns)
        missing = MissingCodes(na)
        codes, scale, told = _coded(columns, labels, values, missing, bins)
        names = (matched.names or ()) if items is None else _item_names(items, n)
        of_cluster, clusters = group_codes(cluster, "cluster", n)
        found = cls(
            codes,
            tuple(given),
            scale,
            items=names,
            identified=identified,
            weight=None if weight is None else check_weight(weight, n),
            frequency=None if frequency is None else check_frequency(frequency, n),
            cluster_codes=of_cluster,
            clusters=len(clusters),
            notices=told,
            reading=reading_of(missing, bins),
            texts=None if text is None else _texts_of_rows(text, n).__getitem__,
        )
        return found.counting()

    @classmethod
    def read_long(
        cls,
        item: LabelColumn,
        rater: LabelColumn,
        rating: LabelColumn,
        *,
        labels: Classes = None,
        values: ClassNumbers = None,
        weight: ItemWeights = None,
        cluster: LabelColumn | None = None,
        text: LabelColumn | None = None,
        na: MissingLabels = None,
        bins: BinsLike = None,
    ) -> Self:
        """Read and check ratings in long form: a row per item and rater.

        Weights and clusters are the same in all rows of an item. Different texts of an item are
        shown one after the other.
        """
        bins = held(bins)
        matched = RowLabels.of({"item": item})
        rater, rating = matched(rater, "rater"), matched(rating, "rating")
        weight = matched(weight, "weight")
        cluster, text = matched(cluster, "cluster"), matched(text, "text")
        column = read_column(rating, "rating")
        n = check_same_length([read_column(item, "item"), read_column(rater, "rater"), column])
        of_item, items = group_codes(item, "item", n)
        of_rater, raters = group_codes(rater, "rater", n)
        assert of_item is not None
        assert of_rater is not None
        _refuse_repeated(of_item, of_rater, items, raters)
        missing = MissingCodes(na)
        long, scale, told = _coded([column], labels, values, missing, bins)
        codes = np.full((len(items), len(raters)), GAP, dtype=np.intp)
        codes[of_item, of_rater] = long[:, 0]
        of_cluster, clusters = group_codes(cluster, "cluster", n)
        weight = None if weight is None else check_weight(weight, n)
        found = cls(
            codes,
            raters,
            scale,
            items=items,
            weight=None if weight is None else _of_items(weight, of_item, items, "weight"),
            cluster_codes=None
            if of_cluster is None
            else _of_items(of_cluster, of_item, items, "cluster"),
            clusters=len(clusters),
            notices=told,
            reading=reading_of(missing, bins),
            texts=None if text is None else _texts_of_items(_texts_of_rows(text, n), of_item),
        )
        return found.counting()

    def counting(self) -> Self:
        """Return the items that have a rating and count, and the raters who rated any of them."""
        rated = (self.codes != GAP).any(axis=1)
        counts = np.ones(len(rated), dtype=np.bool_)
        for given in (self.weight, self.frequency):
            counts &= True if given is None else given > 0
        kept = self.chosen(rated & counts)
        active = (kept.codes != GAP).any(axis=0)
        if not active.any():
            raise InputError("There is no rating: all are missing.", parameter="ratings")
        told = [*self.notices, *_left_out(rated, counts)]
        without = [name for name, any_item in zip(self.raters, active, strict=True) if not any_item]
        if without:
            told.append(note("raters", f"Left out, because they rated nothing: {quoted(without)}."))
        return replace(kept.of_raters(np.flatnonzero(active)), notices=tuple(told))._renumbered()

    def without_gaps(self) -> Self:
        """Return the items that all raters rated; a notice says how many are left out."""
        full = self.full
        if full.all():
            return self
        if not full.any():
            raise InputError(
                f"No item was rated by all of {plural(len(self.raters), 'rater')}.",
                parameter="missing",
                hint="Leave {missing} out, or take fewer raters.",
                suggest={"missing": ...},
            )
        told = note(
            "missing",
            f"Left out, because not all raters rated them: {plural(self.number(~full), 'item')}.",
        )
        return replace(self.chosen(full), notices=(*self.notices, told))._renumbered()

    def number(self, keep: Bools) -> int:
        """Return how many items some of the rows stand for."""
        return int((keep if self.frequency is None else self.frequency[keep]).sum())

    def _renumbered(self) -> Self:
        """Return the ratings with clusters numbered anew, if some have lost all items."""
        if self.cluster_codes is None:
            return self
        present, codes = np.unique(self.cluster_codes, return_inverse=True)
        return replace(self, cluster_codes=np.asarray(codes, np.intp), clusters=len(present))

    def chosen(self, keep: Array) -> Self:
        """Return some of the items, by a mask or positions."""
        if keep.dtype == np.bool_ and keep.all():
            return self
        places = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep
        if len(places) == len(self.codes) and np.array_equal(places, np.arange(len(places))):
            return self
        return replace(
            self,
            codes=self.codes[places],
            items=tuple(self.items[i] for i in places) if self.items else (),
            weight=None if self.weight is None else self.weight[places],
            frequency=None if self.frequency is None else self.frequency[places],
            cluster_codes=None if self.cluster_codes is None else self.cluster_codes[places],
            places=places if self.places is None else self.places[places],
        )

    def name(self, item: int) -> str:
        """Return the name of an item, or its row in the data that were read, from 1."""
        if self.items:
            return self.items[item]
        return str(1 + (item if self.places is None else int(self.places[item])))

    def texts_of(self, items: Codes) -> Sequence[Any]:
        """Return the texts of some items; empty ones without texts."""
        if self.texts is None:
            return [""] * len(items)
        return self.texts(items if self.places is None else self.places[items])

    def of_raters(self, places: Sequence[int] | Array) -> Self:
        """Return the ratings of some of the raters, by their positions, in that order."""
        places = list(places)
        if places == list(range(len(self.raters))):
            return self
        codes = self.codes.T[places].T  # columns stay in one piece
        return replace(self, codes=codes, raters=tuple(self.raters[i] for i in places))

    def place(self, rater: str) -> int:
        """Return the position of a rater."""
        if rater not in self.raters:
            raise InputError(
                f"There is no rater {rater!r}; the raters are {quoted(self.raters)}.",
                parameter="raters",
            )
        return self.raters.index(rater)

    @property
    def rated(self) -> Bools:
        """Which raters rated which items: booleans of shape `[item, rater]`."""
        return np.not_equal(self.codes, GAP)

    @property
    def full(self) -> Bools:
        """Which items all raters rated."""
        return np.asarray(self.rated.all(axis=1))

    @property
    def complete(self) -> bool:
        """Whether every rater rated every item."""
        return bool(self.rated.all())

    @property
    def equal(self) -> bool:
        """Whether every row counts as one item."""
        return self.weight is None and self.frequency is None

    @cached_property
    def amounts(self) -> Floats:
        """How much every row counts: its weight times its frequency, 1 without either."""
        found = np.ones(len(self.codes))
        for given in (self.weight, self.frequency):
            if given is not None:
                found = found * given
        return found

    @cached_property
    def profiles(self) -> Ints:
        """How many raters gave each class to each item: `[item, class]`."""
        return class_counts(self.codes, self.scale.k)


@dataclass(frozen=True)
class RowLabels:
    """The column by whose row labels, if it is a pandas series, others are matched.

    Parameters
    ----------
    name : str
        The name of the column.
    column : object
        The column; None if no column has row labels.
    """

    name: str = ""
    column: Any = None

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> Self:
        """Take the first of several columns that has row labels."""
        found = ((name, column) for name, column in columns.items() if index_of(column) is not None)
        return cls(*next(found, ("", None)))

    @property
    def names(self) -> tuple[str, ...] | None:
        """The row labels as names of items, if they give every row a name of its own."""
        return row_names(self.column)

    def __call__(self, column: Any, name: str, parameter: str | None = None) -> Any:
        """Return a column in the order of these row labels, or as it is without row labels."""
        return aligned(column, self.column, name, against=self.name, parameter=parameter)


def refuse_names_of_items(columns: Mapping[str, Column], hint: str, where: str = "") -> None:
    """Raise an error if a column that nobody named as a rater seems to name the items.

    It has another value in every row, no fractions among them, and all other columns repeat
    theirs. Where other columns have many different values, too, nothing tells names from ratings.
    """
    rows = len(next(iter(columns.values()), ()))
    odd = [name for name, column in columns.items() if _names_rows(column)]
    others = {name: column for name, column in columns.items() if name not in odd}
    if not odd or not others:
        return
    if 2 * max(len(column.distinct()) for column in others.values()) > rows:
        return
    verb, not_so = ("have" if len(odd) > 1 else "has"), ("do" if len(others) > 1 else "does")
    values: dict[str, Any] = {
        "item": odd[:1] if where else odd[0],  # of files several columns may name an item
        "raters": list(others) if 1 < len(others) <= _LEAST_NAMED else ...,
    }
    raise InputError(
        f"{where}{quoted(odd)} {verb} a different value in each of {rows:,} rows, as names or "
        f"texts of items have, and {quoted(others)} {not_so} not.",
        parameter=next((p for p in ("raters", "people") if f"{{{p}}}" in hint), "ratings"),
        hint=hint,
        suggest={name: values.get(name, ...) for name in re.findall(r"{(\w+)}", hint)},
    )


def hint_on_names(item: object, raters: str = "{raters}") -> str:
    """Return what to do about names of items among raters; `item` is the column of them, if any.

    >>> hint_on_names(None)
    'Name the column of items with {item}, or the raters with {raters}.'
    """
    named = f"the raters with {raters}."
    return f"Name {named}" if item else f"Name the column of items with {{item}}, or {named}"


def _names_rows(column: Column) -> bool:
    """Return whether a column has another value in every row, and enough rows, no fractions."""
    if len(column) < _LEAST_NAMED:
        return False
    parts = (column.take(slice(0, _FIRST_ROWS)), column)
    if any(len(part.distinct()) < len(part) for part in parts):
        return False
    return not any(map(_is_fraction, column.distinct()))


def _is_fraction(value: Any) -> bool:
    try:
        return not float(value).is_integer()
    except (OverflowError, TypeError, ValueError):
        return False


def values_of(codes: Codes, values: Floats) -> Floats:
    """Return the class value of every rating, 0 where there is none."""
    return np.where(codes == GAP, 0.0, values[np.maximum(codes, 0)])


def class_counts(codes: Codes, k: int) -> Ints:
    """Return how many raters gave each of `k` classes: `[item, class]`."""
    cell = codes + ((k + 1) * np.arange(len(codes))[:, None] + 1)  # gaps are before all classes
    return np.bincount(cell.ravel("K"), None, (k + 1) * len(codes)).reshape(-1, k + 1)[:, 1:]


def classes_by_rater(codes: Codes, k: int, amounts: Floats | None) -> Floats:
    """Return how often every rater gave each of `k` classes, in sums of amounts, or in items."""
    found = [np.bincount(column + 1, amounts, k + 1)[1:] for column in codes.T]  # without gaps
    return np.asarray(found, dtype=np.float64)


def _left_out(rated: Bools, counts: Bools) -> list[Note]:
    """Say how many items are left out, and why."""
    found = {
        "nobody rated them": int((~rated).sum()),
        "their weight or frequency is 0": int((rated & ~counts).sum()),
    }
    return [
        note("missing", f"Left out, because {why}: {plural(n, 'item')}.")
        for why, n in found.items()
        if n
    ]


def _of_items(given: Array, of_item: Codes, items: Sequence[str], name: str) -> Array:
    """Return what every row of an item says alike, by item."""
    found = np.empty(len(items), dtype=given.dtype)
    found[of_item] = given
    different = np.flatnonzero(found[of_item] != given)
    if different.size:
        raise InputError(
            f"{name} differs between rows of the same item, {items[of_item[different[0]]]!r}.",
            parameter=name,
        )
    return found


def _texts_of_rows(text: LabelColumn, n: int) -> Array:
    """Return the text of every row."""
    held = text.to_pylist() if hasattr(text, "to_pylist") else list(text)
    if len(held) != n:
        raise InputError(
            f"text has {plural(len(held), 'entry', 'entries')} and there are {plural(n, 'row')}; "
            "one for every row is expected.",
            parameter="text",
        )
    found = np.empty(n, dtype=object)
    found[:] = held
    return found


def _texts_of_items(texts: Array, of_item: Codes) -> Callable[[Codes], list[str]]:
    """Return a function from items to their texts, from the texts of the rows of long form."""

    def found(items: Codes) -> list[str]:
        place = {item: i for i, item in enumerate(items.tolist())}
        given: list[set[str]] = [set() for _ in place]
        for row in np.flatnonzero(np.isin(of_item, items)).tolist():
            given[place[int(of_item[row])]].add(as_text(texts[row]))
        return [JOINED_TEXTS.join(sorted(filter(None, several))) for several in given]

    return found


def columns_of(ratings: Any) -> tuple[dict[str, Any], bool]:
    """Return a column per rater by name, and whether a column is the same rater throughout."""
    if isinstance(ratings, Mapping):
        return _named(list(ratings), list(ratings.values())), True
    instead = "agreement_frame or judge_frame, which read such frames"
    frame = columns_of_frame(ratings, "ratings", instead)
    if frame is not None:
        found = _named(list(frame), list(frame.values()))
        refuse_names_of_items(
            {name: read_column(column, name) for name, column in found.items()},
            "Leave it out, and pass its values as {items}. If it is a rater, pass a mapping from "
            "rater to ratings.",
        )
        return found, True
    if isinstance(ratings, (list, tuple)) and ratings:
        return _from_rows(ratings)
    table = ratings if is_tensor(ratings) else np.asanyarray(ratings)
    if table.ndim != 2:
        raise InputError(
            f"ratings has shape {'x'.join(map(str, table.shape)) or '()'}; a row per item and a "
            "column per rater are expected.",
            parameter="ratings",
        )
    if type(table) is np.ndarray and table.size <= _AT_ONCE:
        table = np.ascontiguousarray(table.T).T
    return _numbered([table[:, j] for j in range(table.shape[1])]), True


def _from_rows(rows: Sequence[Any]) -> tuple[dict[str, Any], bool]:
    """Return columns from the ratings of each item."""
    if any(isinstance(row, (str, bytes)) or not hasattr(row, "__len__") for row in rows):
        raise InputError(
            "ratings is a list of single values; the ratings of each item are expected.",
            parameter="ratings",
            hint="Pass e.g. [[3, 4, None], [2, 2, 3]]: a row per item, a column per rater.",
        )
    most = max(map(len, rows))
    if all(isinstance(row, Mapping) for row in rows):
        names = sorted_names({str(name) for row in rows for name in row})
        texts = [{str(name): given for name, given in row.items()} for row in rows]
        return {name: [row.get(name) for row in texts] for name in names}, True
    columns = [[row[j] if j < len(row) else None for row in rows] for j in range(most)]
    return _numbered(columns), all(len(row) == most for row in rows)


def _numbered(columns: Sequence[Any]) -> dict[str, Any]:
    if not columns:
        raise InputError("ratings has no column; one per rater is expected.", parameter="ratings")
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


def held(bins: BinsLike) -> Any:
    """Return bins that can be read more than once; what they are not is said later."""
    return tuple(bins) if isinstance(bins, Iterator) else bins


def reading_of(missing: MissingCodes, bins: BinsLike) -> dict[str, Any]:
    """Return what the reading of ratings is repeated with: codes for missing ones, and bins."""
    rule = bins if bins is None or isinstance(bins, str) else [float(edge) for edge in bins]
    return {**missing.reading("error"), **({} if rule is None else {"bins": rule})}


def _coded(
    columns: Sequence[Column],
    labels: Classes,
    values: ClassNumbers,
    missing: MissingCodes,
    bins: BinsLike = None,
) -> tuple[Codes, Scale, Notes]:
    """Return codes `[item, column]`, the scale (declared or that of the ratings), and notices."""
    reading = Reading(labels, values, bins, missing.codes or None)
    rated = [reading.column(column) for column in columns]
    if not any(column.distinct() for column in rated):
        raise InputError("There is no rating: all are missing.", parameter="ratings")
    try:
        made = classes_of(rated, reading, raw=False)
    except InputError as problem:
        raise InputError(
            problem.message,
            parameter=problem.parameter,
            hint=hint_on_ratings(problem.raw_hint),
            suggest=problem.suggest,
        ) from None
    return gaps_below(made.codes, made.scale.k), made.scale, made.notices


def gaps_below(codes: Array, k: int) -> Codes:
    """Return classes `[column, row]` as `[row, column]`, in which `GAP` is none instead of K."""
    found = codes.astype(np.intp)
    found[found == k] = GAP
    return found.T


def hint_on_ratings(hint: str) -> str:
    """Return a hint on labels without the settings that ratings do not have.

    Missing ratings are always gaps.

    >>> hint_on_ratings("Pass {na} and {missing}, or declare the classes with {labels}.")
    'Pass {na}, or declare the classes with {labels}.'
    """
    return hint.replace(" and {missing}", "")


def _item_names(items: LabelColumn, n: int) -> tuple[str, ...]:
    """Return the names of items, a different one for every row."""
    codes, names = group_codes(items, "items", n)
    assert codes is not None
    if len(names) < n:
        twice = names[int(np.bincount(codes).argmax())]
        raise InputError(
            f"items has {len(names):,} names for {n:,} rows; {twice!r} is repeated.",
            parameter="items",
        )
    return tuple(names[code] for code in codes)


def _refuse_repeated(
    of_item: Codes, of_rater: Codes, items: Sequence[str], raters: Sequence[str]
) -> None:
    """Raise an error if a rater rated an item more than once."""
    cell = of_item * len(raters) + of_rater
    cells, times = np.unique(cell, return_counts=True)
    twice = cells[times > 1]
    if twice.size:
        item, rater = divmod(int(twice[0]), len(raters))
        raise InputError(
            f"{plural(twice.size, 'item')} rated more than once by the same rater, e.g. "
            f"{items[item]!r} by {raters[rater]!r}; one rating per item and rater is expected.",
            parameter="item",
            hint="Keep one row per item and rater, or name the column that tells the items apart.",
        )
