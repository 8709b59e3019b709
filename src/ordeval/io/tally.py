"""From grouped counts, wherever they were made, to tables on a scale.

A `Tally` is what comes back from a frame or a file: for every system (or pair of systems) the
distinct combinations of topic, gold label and prediction, and how many items have each. Labels
are read, checked and placed here, so that every source gives the same answers and messages.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..columns import Column, is_missing, read_column
from ..counts import Axis, Counts, JointCounts
from ..errors import InputError, quoted
from ..scale import Scale
from ..types import Array, Codes, Floats
from .labels import LabelReader, check_missing

MOST_GROUPS = 5_000_000  # more combinations than this are ids or measurements, not labels
_MISSING, _UNKNOWN = -1, -2
SHOWN = 5  # examples in a message

Places = tuple[str, Sequence[Any]]


@dataclass(frozen=True)
class Groups:
    """Combinations of topic, gold and one or two predictions: G entries in every list.

    Missing values are None. `items` counts the items of a combination, `weight` adds up their
    weights; `bad_weight` and `part_weight` count the items whose weight is unusable or not a whole
    number. `complete` tells the items without any missing label from the others, where more
    systems are counted than the group itself shows.
    """

    gold: Sequence[Any]
    preds: tuple[Sequence[Any], ...]
    items: Sequence[int]
    topic: Sequence[Any] | None = None
    weight: Sequence[float] | None = None
    bad_weight: Sequence[int] = ()
    part_weight: Sequence[int] = ()
    complete: Sequence[bool] | None = None


@dataclass(frozen=True)
class Tally:
    """Grouped counts of one source, before anything is known about the labels.

    `ordered` holds the categories of columns with an ordered type; `where` names the source in
    messages, `files` the source of each system where each has its own. `find` gives some places
    of missing values of a role (gold, topic, p0, p1, …), e.g. ("id", ["x", "y"]). `text` says
    that labels are text to be matched rather than typed values, `guessed` that nobody named the
    columns of predictions: they are all that were left.
    """

    gold: str
    systems: tuple[str, ...]
    singles: tuple[Groups, ...]
    pairs: Mapping[tuple[int, int], Groups] = field(default_factory=dict)
    topic: str | None = None
    weight: str | None = None
    ordered: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    where: str = ""
    files: tuple[str, ...] = ()
    find: Callable[[str], Places] | None = None
    text: bool = False
    guessed: bool = False
    declared: Scale | None = None
    missing: str = "error"


class Assembly:
    """Tables made from a tally: the scale is found, labels are checked, missing ones settled."""

    def __init__(self, tally: Tally, values: Any = None) -> None:
        check_missing(tally.missing)
        self.tally = tally
        self._reader = LabelReader(tally.declared, text=tally.text)
        if not sum(tally.singles[0].items):
            raise InputError(f"{self._where}there are no items; at least one is needed.")
        self._refuse_missing()
        self.scale = self._resolve(values)
        self._refuse_unknown()
        self._refuse_weights()
        self.skipped = self._count_skipped()

    @property
    def _where(self) -> str:
        return f"{self.tally.where}: " if self.tally.where else ""

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """Columns by position: gold, then the systems. A system may be called like gold."""
        return (self.tally.gold, *self.tally.systems)

    @cached_property
    def _seen(self) -> list[Counter[Any]]:
        """Per column the raw values and how many items have each."""
        singles = self.tally.singles
        gold = _count(singles[0].gold, singles[0].items)
        return [gold, *(_count(groups.preds[0], groups.items) for groups in singles)]

    @cached_property
    def _missing(self) -> dict[str, int]:
        """The number of missing values of gold, topic, p0, p1, …; only where there are some."""
        found = {"gold": self._holes(self._seen[0])}
        if self.tally.topic is not None:
            groups = self.tally.singles[0]
            found["topic"] = _count(_topics(groups), groups.items)[None]
        found |= {f"p{i}": self._holes(seen) for i, seen in enumerate(self._seen[1:])}
        return {role: n for role, n in found.items() if n}

    def _holes(self, seen: Counter[Any]) -> int:
        return sum(n for raw, n in seen.items() if self._reader.read(raw) is None)

    def _called(self, role: str) -> str:
        """The name of a column, given its role."""
        named = {"gold": self.tally.gold, "topic": f"topic column {self.tally.topic}"}
        return named[role] if role in named else self.tally.systems[int(role[1:])]

    def _refuse_missing(self) -> None:
        missing = dict(self._missing)
        if self.tally.missing == "worst":
            missing = {role: n for role, n in missing.items() if role in ("gold", "topic")}
        if not missing or self.tally.missing == "skip":
            return
        listed = ", ".join(self._holes_listed(role, n) for role, n in list(missing.items())[:5])
        hint = (
            'missing="worst" is for missing predictions only; fill or drop these.'
            if self.tally.missing == "worst"
            else 'Fill or drop them, or pass missing="skip" to leave those items out of every '
            'system (they are counted), or "worst" to score a missing prediction as the class '
            "farthest from gold."
        )
        more = f" and {len(missing) - 5} more columns" if len(missing) > 5 else ""
        only_runs = self.tally.files and not missing.keys() & {"gold", "topic"}
        where = "" if only_runs else self._where
        raise InputError(f"{where}missing values ({listed}{more}). {hint}")

    def _holes_listed(self, role: str, number: int) -> str:
        """How many values are missing, and where some of them are."""
        files, is_system = self.tally.files, role not in ("gold", "topic")
        name = files[int(role[1:])] if files and is_system else self._called(role) or "''"
        what, places = self.tally.find(role) if self.tally.find else self._neighbours(role)
        if not places:
            return f"{name}: {number}"
        shown = ", ".join(str(p) if isinstance(p, int) else repr(p) for p in places[:SHOWN])
        return f"{name}: {number} at {what} {shown}{', …' if number > len(places) else ''}"

    def _neighbours(self, role: str) -> Places:
        """What stands beside missing values: topics, or else gold labels."""
        groups = self.tally.singles[int(role[1:]) if role[1:].isdigit() else 0]
        read = self._reader.read
        raw = {"gold": groups.gold, "topic": groups.topic or ()}.get(role, groups.preds[0])
        what, beside = ("gold", groups.gold) if role == "topic" else ("topic", _topics(groups))
        if not beside:
            what, beside = (
                ("prediction", groups.preds[0]) if role == "gold" else ("gold", groups.gold)
            )
        found = (b for value, b in zip(raw, beside, strict=True) if read(value) is None)
        return what, sorted({b for b in found if b is not None}, key=_by_kind)[:SHOWN]

    def _resolve(self, values: Any) -> Scale:
        if self.tally.declared is not None:
            return Scale.of(self.tally.declared, values)
        columns = [self._column(*pair) for pair in zip(self._names, self._seen, strict=True)]
        found = [column for column in columns if len(column)]
        if not found:
            raise InputError(f"{self._where}every label is missing, so nothing is left to score.")
        try:
            return Scale.resolve(found, None, values)
        except InputError as problem:
            raise InputError(f"{self._where}{problem}") from None

    def _column(self, name: str, seen: Counter[Any]) -> Column:
        """The distinct labels of a column, so that the scale can be read off them."""
        labels = [x for x in dict.fromkeys(map(self._reader.read, seen)) if x is not None]
        if categories := self.tally.ordered.get(name):
            codes = [categories.index(x) for x in labels if x in categories]
            return Column(np.asarray(codes, dtype=np.intp), name, categories, ordered=True)
        return read_column(labels, name)

    def _code(self, raw: Any) -> int:
        label = self._reader.read(raw)
        return _MISSING if label is None else self.scale.index.get(label, _UNKNOWN)

    @cached_property
    def codes(self) -> list[dict[Any, int]]:
        """Per column (gold, then the systems) the class of every raw value; -1 is missing."""
        return [{raw: self._code(raw) for raw in seen} for seen in self._seen]

    def _refuse_unknown(self) -> None:
        strange = [
            {raw: n for raw, n in seen.items() if codes[raw] == _UNKNOWN}
            for seen, codes in zip(self._seen, self.codes, strict=True)
        ]
        columns = [i for i, found in enumerate(strange) if found]
        if not columns:
            return
        first, found = columns[0], strange[columns[0]]
        where = f"{self.tally.files[first - 1]}: " if self.tally.files and first else self._where
        also = f" Others have such labels too: {quoted(self._names[i] for i in columns[1:])}."
        raise InputError(
            f"{where}{self._names[first]} has {sum(found.values())} label(s) outside the scale "
            f"{self.scale.describe()}: {_listed(found)}.{also if columns[1:] else ''} "
            f"{self._unknown_hint(found)}{self._guessed_hint(first > 0)}"
        )

    def _guessed_hint(self, only_predictions: bool) -> str:
        """A column that is no system may have been taken for one."""
        if not (self.tally.guessed and only_predictions):
            return ""
        topics = "" if self.tally.topic else ", or the topics with topic="
        return f" If a column is no system, name the predictions with pred={topics}."

    def _unknown_hint(self, found: Mapping[Any, int]) -> str:
        if not {str(raw) for raw in found} & set(map(str, self.scale.labels)):
            return "Correct them, or declare every class that can occur with labels=[…]."
        scale, data = type(self.scale.labels[0]).__name__, type(next(iter(found))).__name__
        return f"The scale has {scale} labels and the data {data}: convert one to the other."

    def _refuse_weights(self) -> None:
        groups, name = self.tally.singles[0], self.tally.weight
        if groups.weight is None:
            return
        if bad := sum(groups.bad_weight):
            raise InputError(
                f"{self._where}weight column {name} has {bad} missing, negative or non-finite "
                "number(s); weights must be finite numbers of at least 0."
            )
        if not any(groups.weight):
            raise InputError(f"{self._where}weight column {name} is 0 for every item.")

    def _count_skipped(self) -> int:
        if self.tally.missing != "skip":
            return 0
        groups = self.tally.singles[0]
        items = np.asarray(groups.items)
        kept = int(items[self._keep(groups, (0,))].sum())
        if not kept:
            raise InputError(
                f"{self._where}every item has a missing label, so nothing is left to score."
            )
        return int(items.sum()) - kept

    def _keep(self, groups: Groups, systems: tuple[int, ...]) -> Array:
        """Which groups are of items without a missing label."""
        keep = np.ones(len(groups.gold), dtype=bool)
        if self.tally.missing != "skip":
            return keep
        if groups.complete is not None:
            keep &= np.asarray(groups.complete, dtype=bool)
        keep &= self._codes(0, groups.gold) >= 0
        for system, raw in zip(systems, groups.preds, strict=True):
            keep &= self._codes(1 + system, raw) >= 0
        if groups.topic is not None:
            keep &= np.asarray([topic is not None for topic in _topics(groups)])
        return keep

    def _codes(self, column: int, raw: Sequence[Any]) -> Codes:
        known = self.codes[column]
        return np.fromiter((known[x] for x in raw), dtype=np.intp, count=len(raw))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics, numbers by size and then texts by the alphabet."""
        groups = self.tally.singles[0]
        if groups.topic is None:
            return ()
        keep = self._keep(groups, (0,))
        kept = {t for t, k in zip(_topics(groups), keep, strict=True) if k and t is not None}
        return tuple(sorted(kept, key=_topic_order))

    @property
    def weighted(self) -> bool:
        """Whether the weights are anything but whole numbers."""
        return bool(sum(self.tally.singles[0].part_weight))

    def counts(self) -> Counts:
        """Tables `[system, (topic,) gold, predicted]`."""
        tables = [self._table(groups, (i,)) for i, groups in enumerate(self.tally.singles)]
        topics = () if self.tally.topic is None else (Axis("topic", self.topics),)
        axes = (Axis("system", self.tally.systems), *topics)
        return Counts(np.stack(tables), self.scale, axes, self.weighted, self.skipped)

    def joint(self) -> JointCounts:
        """Tables `[pair, (topic,) gold, a, b]` of all pairs of systems."""
        tables = [self._table(groups, pair) for pair, groups in self.tally.pairs.items()]
        names = self.tally.systems
        pairs = tuple((names[a], names[b]) for a, b in self.tally.pairs)
        table = np.stack(tables) if tables else np.zeros((0, *self._shape(2)))
        return JointCounts(table, self.scale, pairs, self.topics, self.weighted)

    def _shape(self, predictions: int) -> tuple[int, ...]:
        topics = () if self.tally.topic is None else (len(self.topics),)
        return (*topics, *[self.scale.k] * (1 + predictions))

    def _table(self, groups: Groups, systems: tuple[int, ...]) -> Floats:
        keep = np.flatnonzero(self._keep(groups, systems))
        gold = self._codes(0, groups.gold)[keep]
        index = [gold]
        for system, raw in zip(systems, groups.preds, strict=True):
            code = self._codes(1 + system, raw)[keep]
            index.append(np.where(code == _MISSING, self._farthest[gold], code))
        if groups.topic is not None:
            position: dict[str | None, int] = {t: i for i, t in enumerate(self.topics)}
            topics = _topics(groups)
            index.insert(0, np.asarray([position[topics[i]] for i in keep], dtype=np.intp))
        amount = groups.items if groups.weight is None else groups.weight
        table = np.zeros(self._shape(len(systems)))
        np.add.at(table, tuple(index), np.asarray(amount, dtype=float)[keep])
        return table

    @cached_property
    def _farthest(self) -> Codes:
        """For every class the class farthest from it; the lowest one where two are as far."""
        values = np.asarray(self.scale.values or range(self.scale.k), dtype=float)
        return np.asarray(np.abs(values[:, None] - values).argmax(axis=1), dtype=np.intp)

    def notices(self) -> tuple[str, ...]:
        """What was done about missing labels, in words."""
        missing = {self._called(role): n for role, n in self._missing.items()}
        if self.tally.missing == "skip" and self.skipped:
            columns = ", ".join(f"{name}: {n}" for name, n in missing.items())
            return (f"Missing values: {columns}.",)
        if self.tally.missing == "worst":
            return tuple(
                f"{name}: {n} missing prediction(s) scored as the class farthest from gold."
                for name, n in missing.items()
            )
        return ()


def clean(values: Iterable[Any]) -> list[Any]:
    """Values with every kind of "missing" as None (a NaN is not equal to itself)."""
    return [None if is_missing(value) else value for value in values]


def check_groups(found: int, where: str = "") -> None:
    """Refuse what is too much to be counts of labels."""
    if found > MOST_GROUPS:
        raise InputError(
            f"{where}there are more than {MOST_GROUPS:,} combinations of topic, gold and "
            "prediction; check that the columns hold labels, not ids or measurements."
        )


def _count(raw: Sequence[Any], items: Sequence[int]) -> Counter[Any]:
    """Items by value, in the values' order: groups come from the engine in any order."""
    found: Counter[Any] = Counter()
    for value, n in zip(raw, items, strict=True):
        found[value] += int(n)
    return Counter({value: found[value] for value in sorted(found, key=_by_kind)})


def _by_kind(value: Any) -> tuple[bool, Any]:
    """Numbers by size, then everything else by its text."""
    number = isinstance(value, (int, float)) and value == value
    return not number, value if number else str(value)


def _topics(groups: Groups) -> list[str | None]:
    return [None if topic is None else _topic_name(topic) for topic in groups.topic or ()]


def _topic_name(topic: Any) -> str:
    """A topic as text; whole floats are what becomes of integers beside missing values."""
    return str(int(topic)) if isinstance(topic, float) and topic.is_integer() else str(topic)


def _topic_order(topic: str) -> tuple[int, int, str]:
    return (0, int(topic), "") if topic.isascii() and topic.isdigit() else (1, 0, topic)


def _listed(found: Mapping[Any, int], limit: int = 5) -> str:
    shown = ", ".join(f"{raw!r} ({n})" for raw, n in list(found.items())[:limit])
    return shown + (f" and {len(found) - limit} more" if len(found) > limit else "")
