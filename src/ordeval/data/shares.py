"""Distributions of topics over the classes: what all doors of quantification lead to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, abbreviate, did_you_mean, plural, quoted
from ..notes import Notes, warning
from ..types import Floats
from .column import as_array, group_name, sorted_names
from .counts import Counts
from .scale import Scale
from .units import Units

_TOLERANCE = 0.01 + 1e-9  # run files round; a sum that is further off is an error
_EXACT = 1e-9
_FEW_CLASSES = 16  # columns that are added one by one
_TOTALS = ("all", "total", "totals", "sum", "margin")


class Part(NamedTuple):
    """The rows `[topic, K]` of gold or of a system as they were given.

    `topics` are the names of the rows, None if they have none; `size` the numbers of items.
    """

    topics: Sequence[Any] | None
    rows: Any
    size: Any = None


@dataclass(frozen=True, eq=False)
class Shares:
    """Distributions of the same topics over the classes, of gold and every system.

    Parameters
    ----------
    rows : ndarray of shape (n_columns, n_topics, n_classes)
        The shares of the classes, those of gold first. Topics are sorted by name.
    names : tuple of str
        The names of gold and the systems.
    scale : Scale
        The ordered classes.
    units : Units
        The topics, and the number of items of each in gold if it is known.
    notices : tuple of Note
        How the data were read, as far as readers of a result should know it.
    about : mapping
        Where the data came from, and how they were read.

    Examples
    --------
    >>> import ordeval as oe
    >>> from ordeval.data.shares import Shares
    >>> counts = oe.Counts.from_labels([1, 1, 2, 2], {"a": [1, 2, 2, 2]})
    >>> Shares.of_counts(counts).rows.tolist()
    [[[0.5, 0.5]], [[0.25, 0.75]]]
    """

    rows: Floats
    names: tuple[str, ...]
    scale: Scale
    units: Units
    notices: Notes = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        gold: Part,
        systems: Mapping[str, Part],
        scale: Scale,
        *,
        topic: Sequence[Any] | None = None,
        size: Any = None,
        subset: bool = False,
        renormalise: bool = True,
        notices: Notes = (),
        about: Mapping[str, Any] | None = None,
    ) -> "Shares":
        """Match rows of any door by topic, and check them.

        Parameters
        ----------
        gold : Part
            The rows of gold.
        systems : mapping of str to Part
            Those of every system.
        scale : Scale
            The classes.
        topic : sequence, optional
            Other names of the topics, in the order of gold.
        size : array_like, optional
            The number of items of each topic; by default the sums of gold if it holds counts.
        subset : bool
            Whether systems may have more topics than gold, which are left out.
        renormalise : bool
            Whether rows whose sum is off by at most 1 % are renormalised, or else kept.
        notices : tuple of Note
            What was done to the data before.
        about : mapping, optional
            Where the data came from.

        Returns
        -------
        Shares
            The distributions.
        """
        names = _topic_names(gold, topic)
        own = [(name, _in_order(part, gold, name, subset)) for name, part in systems.items()]
        parts = [("gold", gold.rows), *own]  # a system may be called gold
        for name, rows in parts:
            _check_shape(rows, (len(names), scale.k), name)
        checked = [
            read_distributions(rows, name, renormalise=renormalise, row_names=names)
            for name, rows in parts
        ]
        size = gold.size if size is None else size
        count = checked[0].sizes if size is None else read_sizes(size, (len(names),))
        place = {name: i for i, name in enumerate(names)}
        order = [place[name] for name in sorted_names(names)]
        return cls(
            np.stack([part.rows[order] for part in checked]),
            ("gold", *systems),
            scale,
            _units([names[i] for i in order], None if count is None else count[order]),
            (*notices, *_renormalised(checked), *_percentages(count if size is None else None)),
            about or {},
        )

    @classmethod
    def of_counts(cls, counts: Counts) -> "Shares":
        """Return the shares of the classes in gold and predicted labels, by topic.

        Parameters
        ----------
        counts : Counts
            Tables of counts of one or more systems.

        Returns
        -------
        Shares
            A row per topic; one row called "all" if there are no topics.
        """
        table = counts.table if counts.topics else counts.table[..., None, :, :]
        if not counts.systems:
            table = table[None]
        topics = counts.topics or ("all",)
        total = table[0].sum(axis=(-1, -2))
        if empty := [name for name, n in zip(topics, total, strict=True) if not n]:
            raise InputError(f"All weights of topic {quoted(empty)} are 0; leave it out.")
        rows = np.concatenate([table[:1].sum(axis=-1), table.sum(axis=-2)]) / total[:, None]
        size = counts.effective.reshape(table.shape)[0].sum(axis=(-1, -2))
        names = ("gold", *(counts.systems or ("y_pred",)))
        return cls(rows, names, counts.scale, _units(topics, size), about={"counts": True})

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.names[1:]

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics."""
        return self.units.topics

    def only(self, systems: Sequence[str] | Mapping[str, str]) -> "Shares":
        """Return the shares of gold and some systems.

        Parameters
        ----------
        systems : sequence of str, or mapping of str to str
            The systems; a mapping gives them new names, ``{"new name": "system"}``.

        Returns
        -------
        Shares
            Their distributions.
        """
        wanted = systems if isinstance(systems, Mapping) else {name: name for name in systems}
        for name in wanted.values():
            if name not in self.systems:
                raise InputError(
                    f"There is no system {name!r}; the systems are {quoted(self.systems, 20)}."
                    f"{did_you_mean(str(name), self.systems)}",
                    parameter="p_pred",
                )
        places = [0, *(self.names.index(name) for name in wanted.values())]
        return replace(self, rows=self.rows[places], names=(self.names[0], *wanted))


def _units(topics: Sequence[str], size: Floats | None) -> Units:
    return Units(len(topics), count=size, topic=np.arange(len(topics)), topics=tuple(topics))


def _topic_names(gold: Part, given: Sequence[Any] | None) -> tuple[str, ...]:
    """Return a name for every row of gold: as given, its own if they differ, or its position."""
    _refuse_total(gold)
    own, n = gold.topics, len(gold.rows)
    if given is None:
        repeated = own is None or len(set(own)) < len(own)
        return tuple(map(str, range(n) if repeated else own or ()))
    names = tuple(map(group_name, given))
    _refuse_repeated(names, "The topics name")
    if len(names) != n:
        raise InputError(f"There are {len(names)} topics and gold has {n} rows.", parameter="topic")
    return names


def _refuse_repeated(names: Sequence[Any], who: str) -> None:
    """Raise an error for topics that are named more than once."""
    if len(set(names)) < len(names):
        twice = [name for name, times in Counter(names).items() if times > 1]
        raise InputError(
            f"{who} {quoted(twice)} more than once; each topic needs its own name.",
            parameter="topic",
        )


def _in_order(part: Part, gold: Part, name: str, subset: bool) -> Any:
    """Return the rows of a system in the order of gold, if both have names."""
    if part.topics is None or gold.topics is None or list(part.topics) == list(gold.topics):
        return part.rows
    mine, theirs = set(gold.topics), set(part.topics)
    absent = [topic for topic in gold.topics if topic not in theirs]
    extra = [topic for topic in part.topics if topic not in mine and not subset]
    for topics, what in ((absent, "not in it"), (extra, "not in gold")):
        if topics:
            raise InputError(
                f"{name} has other topics than gold; {plural(len(topics), 'topic')} {what}: "
                f"{quoted(topics)}.",
                parameter="p_pred",
                hint="Rows are matched by topic; only arrays (to_numpy()) by position.",
            )
    _refuse_repeated(gold.topics, "The index of gold names")
    _refuse_repeated(part.topics, f"The index of {name} names")
    place = {topic: i for i, topic in enumerate(part.topics)}
    return part.rows[[place[topic] for topic in gold.topics]]


def _check_shape(rows: Any, expected: tuple[int, int], name: str) -> None:
    """Raise an error unless rows are about the topics of gold and the classes of the scale."""
    if np.shape(rows) != expected:
        raise InputError(
            f"{name} has distributions of shape {np.shape(rows)}; a row for each of "
            f"{plural(expected[0], 'topic')} and a column for each of {expected[1]} classes are "
            "expected.",
            parameter="p_true" if name == "gold" else "p_pred",
        )


def _refuse_total(gold: Part) -> None:
    """Raise an error for a row that is named like a total and holds the sums of the others."""
    for i, name in enumerate(gold.topics or ()):
        if len(gold.rows) > 2 and str(name).strip().lower() in _TOTALS:
            row = gold.rows[i]
            if np.allclose(gold.rows.sum(axis=0) - row, row):
                raise InputError(
                    f"The row {str(name)!r} of gold holds the sums of the others and is not a "
                    "topic.",
                    parameter="p_true",
                    hint="Leave it out, e.g. with margins=False in pandas.crosstab.",
                )


def _renormalised(parts: Sequence["Distributions"]) -> Notes:
    """Return the note that rows were renormalised, if some were."""
    rows, deviation = sum(p.renormalised for p in parts), max(p.deviation for p in parts)
    text = (
        f"Renormalised, because its sum is not exactly 1 (but within 1 %): {plural(rows, 'row')}. "
        f"The largest deviation is {100 * deviation:.2g} %."
    )
    return (warning("sums", text),) if rows else ()


def _percentages(sums: Floats | None) -> Notes:
    """Return the note that numbers may be percentages, if all rows of counts sum to 100."""
    text = (
        "Every row of gold sums to 100 and is read as counts of 100 items. If these are "
        "percentages, name the number of items of each topic with the option size, by which some "
        "measures are smoothed."
    )
    alike = sums is not None and bool((sums == 100).all())
    return (warning("size", text, request=True),) if alike else ()


@dataclass(frozen=True, eq=False)
class Distributions:
    """Checked distributions.

    Parameters
    ----------
    rows : ndarray of shape (..., n_classes)
        The distributions; sums are exactly 1 unless renormalisation was switched off.
    renormalised : int
        Number of rows whose sum was slightly off and that were renormalised.
    sizes : ndarray of shape (...), optional
        The sums of the rows, if counts were given.
    deviation : float
        The largest deviation of the sum of a renormalised row from 1.
    """

    rows: Floats
    renormalised: int = 0
    sizes: Floats | None = None
    deviation: float = 0.0


def read_distributions(
    data: Any, name: str, *, renormalise: bool = True, row_names: Sequence[Any] | None = None
) -> Distributions:
    """Check distributions or counts.

    Integers throughout are counts, and are divided by their sum. Rows whose sum is off by at most
    1 % are renormalised.

    Parameters
    ----------
    data : array_like of shape (..., n_classes)
        Distributions or counts.
    name : str
        What they are, for messages: "gold", "estimated", or the name of a system.
    renormalise : bool, default True
        Whether to renormalise rows whose sum is off by at most 1 %; otherwise they are kept.
    row_names : sequence, optional
        Names of the rows, for messages.

    Returns
    -------
    Distributions
        The distributions, and how many of them were renormalised.

    Raises
    ------
    InputError
        If a row is not a distribution; the message names the first such row.

    Examples
    --------
    >>> from ordeval.data.shares import read_distributions
    >>> read_distributions([[1, 3], [2, 2]], "gold").rows
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    rows = read_rows(data, name)
    sums = class_sums(rows)
    if not (sums.min() > 0 and sums.max() < np.inf and rows.min() >= 0):  # none holds for NaN
        _refuse(~np.isfinite(rows).all(axis=-1), "a missing or non-finite number", name, row_names)
        _refuse((rows < 0).any(axis=-1), "a negative number", name, row_names)
        _refuse(sums == 0, "only zeros", name, row_names)
    if _whole(rows.flat[: rows.shape[-1]]) and _whole(rows):  # most often the first row tells it
        # Shares of 0 and 1 alone are not known to be counts of one item.
        return Distributions(rows / sums[..., None], 0, sums if np.any(sums > 1) else None)
    deviations = np.abs(sums - 1)
    largest = float(deviations.max())
    if largest > _TOLERANCE:
        _refuse(deviations > _TOLERANCE, "a sum that is not 1", name, row_names, sums)
    if not renormalise:
        return Distributions(rows.copy())
    off = int(np.count_nonzero(deviations > _EXACT)) if largest > _EXACT else 0
    return Distributions(rows / sums[..., None], off, deviation=largest)


def _whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def read_sizes(size: Any, shape: tuple[int, ...]) -> Floats:
    """Check the numbers of items behind distributions.

    Parameters
    ----------
    size : array_like
        The number of items of every distribution, or one for all.
    shape : tuple of int
        The shape of the distributions without the axis of the classes.

    Returns
    -------
    ndarray
        The numbers, of that shape.

    Raises
    ------
    InputError
        If they are not positive numbers, or do not fit the shape.

    Examples
    --------
    >>> from ordeval.data.shares import read_sizes
    >>> read_sizes([60, 229], (2,))
    array([ 60., 229.])
    """
    try:
        numbers = as_array(size, "size").astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if not (np.isfinite(numbers) & (numbers > 0)).all() or numbers.shape not in ((), shape):
        raise InputError(
            f"size is {abbreviate(size)}; a positive number of items for each of "
            f"{plural(prod(shape), 'distribution')} is expected, or one for all.",
            parameter="size",
        )
    return np.broadcast_to(numbers, shape)


def may_be_shares(data: Any) -> bool:
    """Return whether data may be one distribution, or several, of shares that sum to 1.

    Parameters
    ----------
    data : array_like
        Numbers, or anything else.

    Returns
    -------
    bool
        False for text and for a sum that is not 1; other faults are left to `read_distributions`.

    Examples
    --------
    >>> from ordeval.data.shares import may_be_shares
    >>> may_be_shares([0.5, 0.2, 0.3]), may_be_shares([1, 2, 3, 3]), may_be_shares(["a", "b"])
    (True, False, False)
    """
    try:
        rows = as_array(data, "y_true").astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return rows.ndim != 1 or not np.abs(rows.sum() - 1) > _TOLERANCE


def read_rows(data: Any, name: str) -> Floats:
    """Return an array of numbers with one per class, at least two, along the last axis."""
    parameter = "p_true" if name == "gold" else "p_pred"
    try:
        rows = as_array(data, f"The {name} distributions").astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"The {name} distributions are not all numbers, or their rows differ in length; one "
            "number per class is expected in every row.",
            parameter=parameter,
        ) from None
    if rows.ndim == 0 or rows.shape[-1] < 2 or not rows.size:
        raise InputError(
            f"The {name} distributions have shape {rows.shape}; at least one row is expected, with "
            "a number for each of at least two classes.",
            parameter=parameter,
        )
    return rows


def _refuse(
    bad: Any, what: str, name: str, row_names: Sequence[Any] | None, sums: Floats | None = None
) -> None:
    """Raise an error that names the first bad row and counts all of them."""
    bad = np.atleast_1d(bad)
    if not bad.any():
        return
    position = tuple(int(i) for i in np.argwhere(bad)[0])
    row: Any = position[0] if len(position) == 1 else position
    if row_names is not None and len(position) == 1:
        row = repr(row_names[position[0]])
    detail = "" if sums is None else f" (it sums to {np.atleast_1d(sums)[position]:.6g})"
    raise InputError(
        f"The {name} distributions have {what} in {plural(int(bad.sum()), 'row')}, the first in "
        f"row {row}{detail}.",
        parameter="p_true" if name == "gold" else "p_pred",
        hint="Each row must hold non-negative shares that sum to 1 (within 1 %), or all rows "
        "counts.",
    )


def class_sums(rows: Floats) -> Floats:
    """Return the sums over the last axis, that of classes.

    Of few classes the columns are added one by one, which is several times faster where there are
    many rows.

    >>> class_sums(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([4., 4.])
    """
    k = rows.shape[-1]
    if not 1 < k <= _FEW_CLASSES:
        return np.asarray(rows.sum(axis=-1))
    total = rows[..., 0]
    for place in range(1, k):
        total = total + rows[..., place]
    return total
