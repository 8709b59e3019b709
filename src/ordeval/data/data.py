"""Labels of items as classes: what all doors lead to, and all that statistics sees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import prod
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from ..errors import InputError, NoItemsError, first_few, plural, quoted
from ..limits import check_tables
from ..notes import Notes, repeated_ids, warning
from ..options import ItemsRead, takes
from ..types import Array, Bools, Floats, Missing
from .bins import Bins
from .classes import SCORES, Reading, classes_of, gap_of
from .column import Column, check_same_length, group_name, groups_of, is_no_group, is_parameter
from .containers import (
    aligned,
    columns_of_frame,
    object_array,
    read_column,
    row_names,
    series_name,
)
from .counts import Axis, Counts
from .distributions import renormalised
from .examples import Examples, cells_of, choose
from .moments import Numbers, sums_by_cell
from .probabilities import decided, probability_rows, systems_of
from .roles import GROUPS, NUMBERS
from .scale import Scale
from .slices import named_divisions, part_of
from .units import Rows, Units, check_frequency, check_weight, counted, key_type, keys_of

_SHOWN = 5  # columns, and values of a column, in a message


@dataclass(frozen=True, eq=False)
class Data:
    """The classes of the same items in gold and in every system.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
        Class codes of gold, of every system and, last, of a judge if there is one; K for a gap.
    names : tuple of str
        The names of the columns.
    scale : Scale
        The ordered classes.
    units : Units
        How many items a row stands for, their weights, topics, clusters, ids and texts.
    named : bool
        Whether the systems have names; False for the labels of a single system.
    judged : bool
        Whether the last column is a judge, so that gold may have gaps.
    skipped : int
        The number of items left out because a label is missing.
    notices : tuple of Note
        How the data were read, as far as readers of a result should know it.
    about : mapping
        Where the data came from, and how they were read.
    bins : Bins, optional
        How real numbers became classes, if they did.
    raw : ndarray of shape (n_columns, n_rows), optional
        The numbers themselves; None where all of them are class numbers.
    proba : tuple of ndarray of shape (n_rows, n_classes), optional
        The probabilities that each system gives the classes; the codes of the systems are then
        the most probable classes. Empty where systems predict labels.

    Examples
    --------
    >>> import ordeval as oe
    >>> data = oe.Data.read([1, 2, 3, 3], {"a": [1, 2, 2, 3]}, labels=[1, 2, 3])
    >>> data.codes.tolist()
    [[0, 1, 2, 2], [0, 1, 1, 2]]
    """

    codes: Array
    names: tuple[str, ...]
    scale: Scale
    units: Units
    named: bool = True
    judged: bool = False
    skipped: int = 0
    notices: Notes = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    bins: Bins | None = None
    raw: Floats | None = None
    proba: tuple[Floats, ...] = ()
    paired: ClassVar[bool] = True  # it is known what the systems predict for the same item

    @classmethod
    @takes(ItemsRead)
    def read(cls, y_true: Any, y_pred: Any, **options: Unpack[ItemsRead]) -> "Data":
        """Read and check labels in memory.

        Parameters
        ----------
        y_true : array_like of shape (n_items,)
            Gold labels.
        y_pred : array_like of shape (n_items,), or mapping of str to array_like
            Predicted labels of one system, or of each system.
        {options}

        Returns
        -------
        Data
            The classes of all items.
        """
        return read_labels(y_true, y_pred, options)

    def filled(self) -> "Data":
        """Return the data with the class farthest from gold in place of missing predictions.

        Returns
        -------
        Data
            The data, with notes about what was filled.
        """
        gap = self.codes == self.scale.k
        if not gap.any():
            return self
        codes = np.where(gap, self.scale.farthest[self.codes[0]], self.codes)
        raw = self.raw
        if raw is not None:
            assert self.bins is not None
            ends, gold = (self.bins.numbers[0], self.bins.numbers[-1]), raw[0]
            far = np.where(gold - ends[0] >= ends[1] - gold, *ends)
            raw = np.where(gap, far, raw)
        lost = (self.units.items_of(mask) for mask in gap)
        notices = (
            warning(
                "missing",
                f"{name}: {plural(n, 'missing prediction')} scored as the class farthest from "
                "gold.",
            )
            for name, n in zip(self.names, lost, strict=True)
            if n
        )
        codes = codes.astype(self.codes.dtype)
        return replace(self, codes=codes, raw=raw, notices=(*self.notices, *notices))

    def __len__(self) -> int:
        return self.units.size

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.names[1:-1] if self.judged else self.names[1:]

    @property
    def items(self) -> int:
        """The number of items."""
        return self.units.items

    @property
    def weighted(self) -> bool:
        """Whether tables hold sums of weights instead of numbers of items."""
        return self.units.weight is not None

    @property
    def has_topics(self) -> bool:
        """Whether the items belong to topics."""
        return self.units.topic is not None

    @property
    def has_clusters(self) -> bool:
        """Whether the items belong to clusters."""
        return self.units.cluster is not None

    def take(self, rows: Array) -> "Data":
        """Return some of the rows.

        Parameters
        ----------
        rows : ndarray
            A mask or positions.

        Returns
        -------
        Data
            The data of these rows.
        """
        raw = None if self.raw is None else self.raw[:, rows]
        proba = tuple(p[rows] for p in self.proba)
        units = self.units.take(rows)
        return replace(self, codes=self.codes[:, rows], units=units, raw=raw, proba=proba)

    def only(self, systems: Sequence[str]) -> "Data":
        """Return the data of some systems.

        Parameters
        ----------
        systems : sequence of str
            The names of the systems, in the order wanted.

        Returns
        -------
        Data
            Gold, these systems, and the judge if there is one.
        """
        if tuple(systems) == self.systems:
            return self
        places = [0, *(1 + self.systems.index(name) for name in systems)]
        places += [len(self.names) - 1] * self.judged
        raw = None if self.raw is None else self.raw[places]
        names = tuple(self.names[i] for i in places)
        proba = tuple(self.proba[i - 1] for i in places[1:]) if self.proba else ()
        return replace(self, codes=self.codes[places], names=names, raw=raw, proba=proba)

    def counts(self) -> Counts:
        """Return one table per system (and topic).

        Returns
        -------
        Counts
            Tables ``[system, (topic,) gold, predicted]``.
        """
        return self._counts

    @cached_property
    def _counts(self) -> Counts:
        tables, squares = self.tables([(0, 1 + i) for i in range(len(self.systems))])
        moments = self._moments()
        axes = (Axis("topic", self.units.topics),) if self.has_topics else ()
        if self.named:
            axes = (Axis("system", self.systems), *axes)
        else:  # one system without a name has no axis
            tables, squares = tables[0], None if squares is None else squares[0]
            moments = None if moments is None else moments[0]
        known = self.weighted, self.skipped, squares, self.items, self.bins, moments
        return Counts(tables, self.scale, axes, *known)

    def tables(self, pairs: Sequence[tuple[int, ...]]) -> tuple[Floats, Floats | None]:
        """Count the classes of two or more columns, by topic if there are topics.

        Parameters
        ----------
        pairs : sequence of tuple of int
            The positions of the columns, of which 0 is gold.

        Returns
        -------
        tables : ndarray of shape (n_pairs, [n_topics,] n_classes, n_classes, ...)
            Numbers of items, or sums of weights.
        squares : ndarray of the same shape or None
            Sums of squared weights, if there are weights.
        """
        axes, units = len(pairs[0]) if pairs else 2, self.units
        topics, k = len(units.topics), self.scale.k
        check_tables(len(pairs), topics, k, axes=axes, of="system" if axes == 2 else "pair")
        by_topic = [] if units.topic is None else [units.topic]
        shape = (*[topics] * len(by_topic), *[k + 1] * axes)  # the last class is none
        inner: Any = (..., *[slice(k)] * axes)
        tables = np.empty((1 + self.weighted, len(pairs), *shape[:-axes], *[k] * axes))
        for place, columns in enumerate(pairs):
            codes = [*by_topic, *(self.codes[column] for column in columns)]
            if units.weight is None:
                tables[0, place] = counted(codes, shape, units.count).reshape(shape)[inner]
                continue
            cell = keys_of(codes, shape, key_type(prod(shape)))[0].astype(np.intp, copy=False)
            for out, squared in zip(tables, (False, True), strict=True):
                sums = sums_by_cell(units.weight, cell, prod(shape), units.count, squared=squared)
                out[place] = sums.reshape(shape)[inner]
        return tables[0], tables[1] if self.weighted else None

    def _moments(self) -> Floats | None:
        """Return sums over numbers `[system, (topic,) 9]`."""
        if self.raw is None:
            return None
        found = self._numbers.sums(self.units.topic, max(1, len(self.units.topics)))
        return found if self.has_topics else found[:, 0]

    @cached_property
    def _numbers(self) -> Numbers:
        assert self.raw is not None
        assert self.bins is not None
        units = self.units
        groups = units.count, units.weight, units.topic, units.cluster
        return Numbers(tuple(self.raw), self.bins.centre, *groups)

    def numbers(self, most: int) -> Numbers | None:
        """Return the numbers of all items that were binned.

        Parameters
        ----------
        most : int
            The largest number of numbers.

        Returns
        -------
        Numbers or None
            The numbers; None if there are none, or more.
        """
        return self._numbers if self.raw is not None and self.raw.size <= most else None

    def rows(self, most: int) -> Rows | None:
        """Return the distinct rows of the labels.

        Parameters
        ----------
        most : int
            The largest number of labels of all rows.

        Returns
        -------
        Rows or None
            The rows, sorted; None if they have more labels.
        """
        return self._rows if self._rows.labels.size <= most else None

    @cached_property
    def _rows(self) -> Rows:
        units = self.units
        return Rows.group(
            self.codes,
            self.scale.k + self.judged,
            self.names[1:],
            count=units.count,
            weight=units.rate if self.judged else units.weight,
            topic=units.topic,
            cluster=units.cluster,
        )

    def examples(self, systems: Sequence[str], *, paired: bool) -> Examples | None:
        """Return some items of every cell with their texts.

        Parameters
        ----------
        systems : sequence of str
            The systems, of which the first one is the reference of pairs.
        paired : bool
            Whether items are to be chosen for pairs of systems, too.

        Returns
        -------
        Examples or None
            The items; None without texts.
        """
        ids, texts = self.units.ids, self.units.texts
        if ids is None or texts is None:
            return None
        places = [0, *(1 + self.systems.index(system) for system in systems)]
        labels = self.codes[places].astype(np.intp)
        cells = cells_of(len(systems), self.scale.k, paired=paired)
        rows, most = choose(labels, self.scale.k, ids, cells)
        held = texts(ids[rows].tolist()) if callable(texts) else texts[rows]
        return Examples.of(systems, ids[rows], held, labels[:, rows], most)


def data_of(
    columns: Sequence[Column],
    groups: Mapping[str, Column],
    units: Units,
    reading: Reading,
    *,
    named: bool = True,
    judged: bool = False,
    about: Mapping[str, Any] | None = None,
    notices: Notes = (),
    proba: tuple[Floats, ...] = (),
    by: Mapping[str, Column] | None = None,
) -> Data:
    """Make data from columns of any door: gold, systems and perhaps a judge, groups and slices."""
    block = np.empty((len(columns), len(columns[0])), np.uint8)  # few classes stay where they are
    labelled = [reading.column(*pair) for pair in zip(columns, block, strict=True)]
    gaps = _find_gaps(columns, labelled, groups, judged)
    keep, skipped, noted = _settle_gaps(gaps, units, reading)
    if keep is not None:
        labelled, units = [column.take(keep) for column in labelled], units.take(keep)
        groups = {role: column.take(keep) for role, column in groups.items()}
        proba = tuple(p[keep] for p in proba)
        reading = replace(reading, kept=np.flatnonzero(keep))
    if units.count is not None:
        reading = replace(reading, times=units.count)
    if judged and not labelled[0].distinct():
        raise InputError(
            f"{columns[0].name} has no label: every item is a gap. With a judge, some items need "
            "gold labels.",
            parameter="judge",
            hint="Give the gold labels of a random part of the items.",
        )
    codes, scale, bins, raw, told = classes_of(labelled, reading, block=block)
    if by:
        kept = {n: column if keep is None else column.take(keep) for n, column in by.items()}
        of = partial(part_of, count=units.count, text=reading.text)
        units = replace(units, parts={name: of(column) for name, column in kept.items()})
    for role, column in groups.items():
        group, names = groups_of(column)
        given: dict[str, Any] = {role: group, f"{role}s": names}
        units = replace(units, **given)
    data = Data(
        codes,
        tuple([column.name for column in columns]),
        scale,
        units,
        named,
        judged,
        skipped,
        (*notices, *noted, *told),
        {**(about or {}), **reading.settings},
        bins,
        raw,
        proba,
    )
    return data.filled() if reading.missing == "worst" else data


def read_labels(y_true: Any, y_pred: Any, options: Mapping[str, Any]) -> Data:
    """Read labels in memory, with options that were checked."""
    judge, text = options.get("judge"), options.get("text")
    if judge is not None or options.get("rate") is not None:
        refuse_beside_judge(**options)
    y_pred, proba = as_systems(y_pred), options.get("proba")
    named = isinstance(y_pred if proba is None else proba, Mapping)
    reading, rows, notices = Reading.of(options), tuple[Floats, ...](), Notes()
    columns = [read_column(y_true, "y_true")]
    if proba is None:
        systems = named_columns(y_pred, "y_pred") if named else {"y_pred": y_pred}
        columns += [read_column(aligned(c, y_true, n), n) for n, c in systems.items()]
    else:
        refuse_beside_proba(y_pred, options)
        found, rows, notices = decided_columns(columns[0], systems_of(proba, y_true), reading)
        columns += found
    if judge is not None:
        name = series_name(judge) or "judge"
        columns.append(read_column(aligned(judge, y_true, "judge"), name))
    n = check_same_length(columns)
    roles = {
        role: aligned(options[role], y_true, role)
        for role in (*GROUPS, *NUMBERS)
        if options.get(role) is not None
    }
    groups = {role: read_column(roles[role], role) for role in GROUPS if role in roles}
    divisions = named_divisions(options.get("by"))
    by = {name: read_column(aligned(c, y_true, "by"), "by") for name, c in divisions.items()}
    for group in (*groups.values(), *by.values()):
        check_same_length([columns[0], group])
    units = Units(n) if not roles else read_units(roles, n)
    if options.get("id") is not None:
        ids = np.asarray(options["id"]).tolist()
        notices += repeated_ids("id") if len(set(map(str, ids))) < n == len(ids) else ()
    if text is not None:
        units = replace(units, **_shown(y_true, n, options["id"], text))
    used = {"judge": judge, "text": text, **roles, "by": options.get("by")}
    about = {role: role for role, column in used.items() if column is not None}
    about |= {} if proba is None else {"proba": "proba"}
    return data_of(
        columns,
        groups,
        units,
        reading,
        named=named,
        judged=judge is not None,
        about=about,
        notices=notices,
        proba=rows,
        by=by,
    )


def decided_columns(
    gold: Column, systems: Mapping[str, Any], reading: Reading
) -> tuple[list[Column], tuple[Floats, ...], Notes]:
    """Return the most probable classes of systems as columns, their probabilities, and notes.

    The scale is the declared one, or that of gold.
    """
    block = np.empty((1, len(gold)), np.uint8)
    scale = classes_of([reading.column(gold)], replace(reading, bins=None), block=block).scale
    check = partial(probability_rows, scale=scale, name_row=reading.name_row)
    read = {n: check(p, name="proba" if n == "y_pred" else n) for n, p in systems.items()}
    rows = {name: own.rows for name, own in read.items()}
    for name, own in rows.items():
        if len(own) != len(gold):
            raise InputError(
                f"proba has {plural(len(own), 'row')}{f' of {name}' * (name != 'y_pred')}, and "
                f"there are {plural(len(gold), 'item')} of gold.",
                parameter="proba",
            )
    columns = [decided(p, scale, name) for name, p in rows.items()]
    return columns, tuple(rows.values()), renormalised(list(read.values()))


def refuse_beside_proba(y_pred: Any, options: Mapping[str, Any]) -> None:
    """Raise an error for what cannot be used together with probabilities."""
    given = {name: options.get(name) for name in ("judge", "bins")}
    given |= {"y_pred": y_pred, "missing": "" if options["missing"] == "worst" else None}
    for name in [name for name, value in given.items() if value is not None]:
        raise InputError(
            f"{name} cannot be combined with proba, from which the predicted classes are decided.",
            parameter=name,
            hint=f"Leave {{{name}}} or {{proba}} out.",
        )


def read_units(given: Mapping[str, Any], n: int, names: Mapping[str, str] | None = None) -> Units:
    """Return units with the frequencies, weights and rates of rows; `names` are their columns."""
    shown = {role: f"{role} column {name}" for role, name in (names or {}).items()}
    count, weight, rate = (given.get(role) for role in ("frequency", "weight", "rate"))
    if count is not None:
        count = check_frequency(count, n, shown.get("frequency", ""))
    if weight is not None:
        weight = check_weight(weight, n, "weight", shown.get("weight", ""))
    if rate is not None:
        rate = check_weight(rate, n, "rate", shown.get("rate", ""))
    units = Units(n, count, weight, rate)
    if rate is not None and (zeros := units.items_of(rate == 0)):
        raise InputError(
            f"rate is 0 for {plural(zeros, 'item')}; items that could not be labelled are not "
            "represented by those that were.",
            parameter="rate",
            hint="Leave these items out, or give every item the rate at which its kind was "
            "labelled.",
        )
    return units


def _shown(y_true: Any, n: int, id: Any, text: Any) -> dict[str, Any]:
    """Return ids and texts of all items as objects.

    Ids are by default the row labels of gold, or positions from 1 if it has none.
    """
    default = row_names(y_true) or range(1, 1 + n)
    columns = {"id": default if id is None else id, "text": text}
    return {f"{k}s": object_array(aligned(x, y_true, k), k, n) for k, x in columns.items()}


def as_systems(y_pred: Any) -> Any:
    """Return the predictions; the columns of a data frame as a mapping of systems."""
    columns = columns_of_frame(y_pred)
    return y_pred if columns is None else columns


def with_own_name(y_pred: Any, y_true: Any) -> Any:
    """Return the predictions; a series with a name of its own as a mapping of one system."""
    name, gold = series_name(y_pred), series_name(y_true)
    return {name: y_pred} if name and name != gold and not is_parameter(name) else y_pred


def named_columns(given: Mapping[Any, Any], parameter: str, what: str = "system") -> dict[str, Any]:
    """Return systems or raters with texts for names, which must differ."""
    columns = {str(name): column for name, column in given.items()}
    if not columns or len(columns) < len(given):
        raise InputError(
            f"{parameter} holds {quoted(map(str, given)) or f'no {what}'}; at least one {what} is "
            "expected, each with a name of its own.",
            parameter=parameter,
        )
    return columns


def refuse_beside_judge(judge: Any, rate: Any, missing: Missing, **others: Any) -> None:
    """Raise an error for what cannot be used together with a judge, and for rates without one."""
    if judge is None and rate is not None:
        raise InputError(
            "rate belongs to the labels of a judge, and there are none.",
            parameter="rate",
            hint="Pass {judge}, or give weights of items as such.",
        )
    given = {
        name: others.get(name) for name in ("topic", "weight", "cluster", "bins", "text", "by")
    }
    given["missing"] = missing if missing == "worst" else None
    for name, value in given.items() if judge is not None else ():
        if value is None:
            continue
        hint = f"Leave {{{name}}} out, or leave out {{judge}} and score the labelled items alone."
        if name == "by":
            hint += " One slice is scored with {where}."
        if name == "weight":
            hint += " Rates at which items were labelled are passed with {rate}."
        what = "missing='worst'" if name == "missing" else name
        raise InputError(
            f"{what} cannot be combined with a judge, whose labels correct scores over items.",
            parameter=name,
            hint=hint,
        )


# Missing labels, topics and clusters: which rows have them, and what becomes of these.


class Gap(NamedTuple):
    """The rows of a column, as it was given, that hold nothing."""

    column: Column
    rows: Bools
    role: str  # "gold", "system" or "group"


def _find_gaps(
    given: Sequence[Column],
    labelled: Sequence[Column],
    groups: Mapping[str, Column],
    judged: bool,
) -> list[Gap]:
    """Return the gaps of gold, groups and systems; those of gold are none beside a judge."""
    labels = [gap_of(column) for column in labelled]
    gaps = [] if judged else [(given[0], labels[0], "gold")]
    gaps += [(column, _without_group(column), "group") for column in groups.values()]
    gaps += [(c, gap, "system") for c, gap in zip(given[1:], labels[1:], strict=True)]
    return [Gap(column, rows, role) for column, rows, role in gaps if rows is not None]


def _without_group(column: Column) -> Bools | None:
    """Return which rows have no topic or cluster; None if all have one."""
    coded = column.coded()
    k = len(coded.values)
    empty = [] if isinstance(coded.values, range) else list(map(is_no_group, coded.values))
    absent = [*(i for i, gone in enumerate(empty) if gone), k]
    rows = np.isin(coded.data, absent) if len(absent) > 1 else coded.data == k
    return rows if rows.any() else None


def _settle_gaps(
    gaps: Sequence[Gap], units: Units, reading: Reading
) -> tuple[Bools | None, int, Notes]:
    """Return which rows stay (None for all), how many items have gaps, and notes about these."""
    keep, skipped, notes = units.counting(), 0, Notes()
    if gaps and reading.missing == "skip":
        gap = np.logical_or.reduce([gap.rows for gap in gaps])
        skipped = units.items_of(gap)
        keep = ~gap if keep is None else keep & ~gap
        columns = [_described(gap, units, reading) for gap in gaps if units.items_of(gap.rows)]
        text = f"Missing values: {first_few(columns, _SHOWN)}."
        notes = (warning("missing", text),) if columns else ()
    elif gaps:
        _refuse(gaps, units, reading)
    if keep is not None and not keep.any():
        problem = NoItemsError(
            "No item is left to score: all have a missing label, or a weight or frequency of 0.",
            hint="Check that the right columns were given.",
        )
        problem.skipped = skipped
        raise problem
    return keep, skipped, notes


def _refuse(gaps: Sequence[Gap], units: Units, reading: Reading) -> None:
    """Raise an error for gaps that cannot stay: all of them, or those of gold and groups."""
    worst = reading.missing == "worst"
    gaps = [gap for gap in gaps if not worst or gap.role != "system"]
    if not gaps:
        return
    listed = [
        _described(gap, units, reading) + reading.places(gap.column, gap.rows)
        for gap in gaps[:_SHOWN]
    ]
    more = f" and {len(gaps) - _SHOWN} more columns" if len(gaps) > _SHOWN else ""
    hint = "Fill or drop them, or pass {missing} to leave those items out (they are counted)"
    if reading.bins is not SCORES:
        hint += (
            '; "worst" instead of "skip" scores a missing prediction as the class farthest from '
        )
        hint += "gold"
    hint += "."
    hint = 'Fill or drop them; "worst" is for missing predictions only.' if worst else hint
    if any(gap.role == "group" for gap in gaps):
        hint = f"If only the first row of each group is filled, fill it down. {hint}"
    raise InputError(
        f"There are missing values ({', '.join(listed)}{more}).",
        parameter="missing",
        hint=hint,
        suggest={"missing": "skip"},
    )


def _described(gap: Gap, units: Units, reading: Reading) -> str:
    """Return how many values of a column are missing, and what stands for them beside nothing."""
    words = set[str]()
    if reading.bins is None and gap.role != "group":
        words = {group_name(str(x).strip()) for x in gap.column.take(gap.rows).distinct()} - {""}
    codes = f" ({first_few(sorted(words), _SHOWN)})" if words else ""
    return f"{gap.column.name}: {units.items_of(gap.rows):,}{codes}"
