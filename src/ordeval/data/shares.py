"""Distributions of topics over the classes: what all doors of quantification lead to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from ..errors import InputError, plural, quoted, require_known
from ..notes import Notes, warning
from ..options import ShareOptions, takes
from ..types import Floats
from .column import group_name, sorted_names
from .containers import as_array
from .counts import Counts
from .distributions import (
    Distributions,
    Part,
    Parts,
    read_distributions,
    read_in_memory,
    read_sizes,
)
from .scale import Scale
from .units import Units

_COLUMNS = ("topic", "system", "label", "share", "size", "prefix")  # that options name
_TOTALS = ("all", "total", "totals", "sum", "margin")


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
    >>> counts = oe.Counts.from_labels([1, 1, 2, 2], {"a": [1, 2, 2, 2]})
    >>> oe.Shares.of_counts(counts).rows.tolist()
    [[[0.5, 0.5]], [[0.25, 0.75]]]
    """

    rows: Floats
    names: tuple[str, ...]
    scale: Scale
    units: Units
    notices: Notes = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    @takes(ShareOptions)
    def read(cls, p_true: Any, p_pred: Any, **options: Unpack[ShareOptions]) -> "Shares":
        """Read and check distributions in memory.

        Parameters
        ----------
        p_true : array_like of shape (n_topics, n_classes), or frame
            Gold distributions or counts.
        p_pred : array_like of shape (n_topics, n_classes), frame, or mapping of str to these
            Estimated distributions of one system, or of each system.
        {options}

        Returns
        -------
        Shares
            The distributions.
        """
        return cls.of(read_in_memory(p_true, p_pred, options), options)

    @classmethod
    def of(
        cls,
        parts: Parts,
        options: Mapping[str, Any],
        *,
        notices: Notes = (),
        about: Mapping[str, Any] | None = None,
    ) -> "Shares":
        """Match rows of any door by topic, and check them.

        Parameters
        ----------
        parts : Parts
            The rows of gold and of every system.
        options : mapping
            Those of `read`, and perhaps `where`.
        notices : tuple of Note
            What was done to the data before.
        about : mapping, optional
            Where the data came from.

        Returns
        -------
        Shares
            The distributions.
        """
        gold, scale = parts.gold, parts.scale.with_values(options["values"])
        in_memory = {
            r: None if isinstance(options[r], str) else options[r] for r in ("topic", "size")
        }
        size = gold.size if in_memory["size"] is None else in_memory["size"]
        renormalise = options["renormalise"]
        subset = bool(options.get("where"))  # then systems may have more topics than gold
        names = _topic_names(gold, in_memory["topic"])
        shown = None if in_memory["topic"] is None and gold.topics is None else names

        def check(rows: Any, name: str) -> Distributions:
            _check_shape(rows, (len(names), scale.k), name)
            return read_distributions(rows, name, renormalise=renormalise, row_names=shown)

        checked = [check(gold.rows, "gold")]
        checked += [check(_in_order(part, gold, n, subset), n) for n, part in parts.systems.items()]
        count = checked[0].sizes if size is None else read_sizes(size, (len(names),))
        place = {name: i for i, name in enumerate(names)}
        order = [place[name] for name in sorted_names(names)]
        return cls(
            np.stack([part.rows[order] for part in checked]),
            ("gold", *parts.systems),
            scale,
            _units([names[i] for i in order], None if count is None else count[order]),
            (*notices, *parts.notices, *_renormalised(checked), *_percentages(count, size)),
            {**(about or {}), **_said(options)},
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
            require_known("system", name, self.systems, "p_pred")
        places = [0, *(1 + self.systems.index(name) for name in wanted.values())]
        return replace(self, rows=self.rows[places], names=(self.names[0], *wanted))


def _units(topics: Sequence[str], size: Floats | None) -> Units:
    return Units(len(topics), count=size, topic=np.arange(len(topics)), topics=tuple(topics))


def _said(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a call repeats: names of columns, or of what is in memory."""
    named = {role: options[role] for role in _COLUMNS if options[role] is not None}
    said = {role: value if isinstance(value, str) else role for role, value in named.items()}
    return said if options["renormalise"] else {**said, "renormalise": False}


def _topic_names(gold: Part, names_in_memory: Any) -> tuple[str, ...]:
    """Return a name for every row of gold: from memory, its own if they differ, or its position."""
    _refuse_total(gold)
    own, n = gold.topics, len(gold.rows)
    if names_in_memory is None:
        repeated = own is None or len(set(own)) < len(own)
        return tuple(map(str, range(n) if repeated else own or ()))
    names = tuple(map(group_name, as_array(names_in_memory, "topic").reshape(-1).tolist()))
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


def _percentages(sums: Floats | None, size: Any) -> Notes:
    """Return the note that numbers may be percentages, if all rows of counts sum to 100."""
    text = (
        "Every row of gold sums to 100 and is read as counts of 100 items. If these are "
        "percentages, name the number of items of each topic with the option size, by which some "
        "measures are smoothed."
    )
    alike = size is None and sums is not None and bool((sums == 100).all())
    return (warning("size", text, request=True),) if alike else ()
