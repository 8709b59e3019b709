"""From grouped counts to tables on a scale.

Every source of items is reduced to `Groups`: the distinct combinations of topic, gold label and
prediction, and how many items have each. Labels are matched, checked and placed on the scale here,
so that frames and files give the same tables and the same messages.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np

from ..columns import Column, is_missing, read_column
from ..counts import Axis, Counts, JointCounts
from ..errors import InputError, check_choice, did_you_mean, plural, quoted
from ..labels import farthest_classes
from ..scale import Scale
from ..types import Bools, Codes, Floats, Missing

MISSING_WORDS = ("", "NA", "N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
SPACES = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # what strip() removes
MOST_GROUPS = 5_000_000  # more combinations than this are ids or measurements, not labels
SHOWN = 5  # examples in a message
WEIGHTS = ("weight", "unusable", "part")
_RESERVED = ("id", "topic", "weight")  # columns of these names are not taken for systems
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_MISSING, _UNKNOWN = -1, -2

Pred = str | Sequence[str] | None
Systems = tuple[int, ...]  # the position of a system, or the positions of a pair of systems
Places = tuple[str, Sequence[Any]]  # what identifies an item, and some items
Rows = list[tuple[Any, ...]]


def pred_role(system: int) -> str:
    """Return the role of the predictions of a system."""
    return f"p{system}"


def require_column(name: str, columns: Sequence[str], parameter: str, where: str = "") -> None:
    """Raise an error that lists the columns unless `name` is one of them."""
    if name in columns:
        return
    near = did_you_mean(name, columns)
    default_gold = parameter == name == "gold" and not near
    raise InputError(
        f"{where}there is no column {name!r}; the columns are {quoted(columns, 20)}.{near}",
        parameter=parameter,
        hint="If one of them holds the gold labels, name it with {gold}." if default_gold else "",
        suggest={"gold": ...},
    )


def prediction_columns(columns: Sequence[str], taken: Iterable[str | None]) -> list[str]:
    """Return the columns that may hold predictions if none are named."""
    others = {*taken, *_RESERVED}
    return [column for column in columns if column not in others]


@dataclass(frozen=True)
class Layout:
    """The columns of a table, and how their values are read.

    In a frame to be counted the columns are renamed after their roles: gold, p0, p1, … (the
    systems), topic, weight, item (an id). A layout holds their original names.

    `scale` and `values` are declared; `guessed` tells whether the systems are all columns without
    another role; `ordered` holds the categories of the roles whose columns have an ordered type.
    For files, `text` is True, because labels are then text to be matched to the scale, `where` is
    the beginning of messages (the file and a colon), and `run_files` are the files of the systems,
    if each has its own.
    """

    gold: str
    systems: tuple[str, ...]
    topic: str | None = None
    weight: str | None = None
    scale: Scale | None = None
    values: Any = None
    missing: Missing = "error"
    guessed: bool = False
    ordered: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    text: bool = False
    where: str = ""
    run_files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, get_args(Missing))

    @classmethod
    def choose(
        cls,
        columns: Sequence[str],
        gold: str,
        pred: Pred,
        topic: str | None,
        weight: str | None,
        id: str | None = None,
        **reading: Any,
    ) -> "Layout":
        """Choose the columns of a table; `reading` are the other fields."""
        wanted = [pred] if isinstance(pred, str) else list(pred or ())
        layout = cls(gold, tuple(wanted), topic, weight, guessed=pred is None, **reading)
        given = {"gold": gold, "topic": topic, "weight": weight, "id": id}
        taken = {parameter: name for parameter, name in given.items() if name is not None}
        for parameter, name in [*taken.items(), *(("pred", name) for name in wanted)]:
            require_column(name, columns, parameter, layout.where)
        if pred is None:
            wanted = prediction_columns(columns, taken.values())
        repeated = [name for name, times in Counter(wanted).items() if times > 1]
        if repeated or not wanted:
            problem = (
                f"{quoted(repeated)} is named as a prediction more than once."
                if repeated
                else f"no column is left for predictions beside {quoted(taken.values())}; the "
                f"columns are {quoted(columns, 20)}."
            )
            raise InputError(layout.where + problem, parameter="pred")
        return replace(layout, systems=tuple(wanted))

    @property
    def columns(self) -> dict[str, str]:
        """The column of every role."""
        found = {"gold": self.gold}
        found |= {pred_role(i): name for i, name in enumerate(self.systems)}
        optional = {"topic": self.topic, "weight": self.weight}
        return found | {role: name for role, name in optional.items() if name is not None}

    @property
    def labelled(self) -> list[str]:
        """The roles whose values an item must have."""
        return [role for role in self.columns if role != "weight"]

    @property
    def flagged(self) -> bool:
        """Whether complete items need a flag: a group does not show all labels of its items."""
        return self.missing == "skip" and len(self.systems) > 1

    @property
    def keys(self) -> list[str]:
        """The columns by which items are grouped, besides predictions."""
        keys = ["gold"] if self.topic is None else ["topic", "gold"]
        return [*keys, "complete"] if self.flagged else keys

    @property
    def totals(self) -> list[str]:
        """The columns that are summed in each group."""
        return ["items"] if self.weight is None else ["items", *WEIGHTS]

    @cached_property
    def reader(self) -> "LabelReader":
        """The reader of the labels."""
        return LabelReader(self.scale, text=self.text)

    def named(self, role: str) -> str:
        """Return the name of a role in messages."""
        return f"topic column {self.topic}" if role == "topic" else self.columns[role] or "''"

    def file(self, role: str) -> str:
        """Return the run file that holds a role, or an empty string."""
        return self.run_files[int(role[1:])] if self.run_files and role[0] == "p" else ""

    def start(self, role: str) -> str:
        """Return the beginning of a message about a role: its file and a colon."""
        return f"{self.file(role)}: " if self.file(role) else self.where


class LabelReader:
    """Read raw values as labels.

    Frames keep their types (`text=False`): "1" is not 1. Files hold text (`text=True`), which is
    matched to the declared labels: as it is, then without surrounding spaces, then by its number
    ("1.0" is 1). The usual words for "no value" are missing unless they are declared as labels.
    Without declared labels, numbers become numbers and the rest stays text.
    """

    def __init__(self, declared: Scale | None, *, text: bool) -> None:
        self._text = text
        self._index = {} if declared is None else declared.index
        self._by_text = {word: label for label in self._index for word in _spellings(label)}
        self._by_number = _numbers(self._index)
        words = tuple(word for word in MISSING_WORDS if word not in self._by_text)
        self.missing_words = words if text else ()

    def read(self, raw: Any) -> Any:
        """Return the label; None if it is missing, the value itself if it is not on the scale."""
        if is_missing(raw):
            return None
        if not self._text or self._is_label(raw):
            return raw
        words = [word.strip() for word in _spellings(raw)]
        if known := [word for word in words if word in self._by_text]:
            return self._by_text[known[0]]
        return None if words[0] in self.missing_words else self._number(raw, words[0])

    def _is_label(self, raw: Any) -> bool:
        """Whether the value itself is a label; True is not taken for 1."""
        known = raw in self._index
        return known and not (isinstance(raw, bool) and str(raw) not in map(str, self._index))

    def _number(self, raw: Any, word: str) -> Any:
        if isinstance(raw, bool):
            return raw
        if self._index:
            known = _NUMBER.fullmatch(word) and self._by_number.get(float(word))
            return raw if known is None else known
        if _WHOLE.fullmatch(word):
            return int(word.partition(".")[0])
        return float(word) if _NUMBER.fullmatch(word) else raw


def _spellings(raw: Any) -> tuple[str, ...]:
    """Return how a value may be written; truth values have two spellings."""
    word = str(raw)
    return (word, word.lower()) if isinstance(raw, bool) else (word,)


def _numbers(labels: Iterable[Any]) -> dict[float, Any]:
    """Return the labels by their numbers if every label is a different number, else nothing."""
    words = {label: str(label).strip() for label in labels}
    if not all(_NUMBER.fullmatch(word) for word in words.values()):
        return {}
    found = {float(word): label for label, word in words.items()}
    return found if len(found) == len(words) else {}


@dataclass(frozen=True)
class Groups:
    """Distinct combinations of topic, gold label and one or two predictions.

    All lists have one entry per combination. `labels` holds gold and the predictions, with None
    where one is missing. `items` is the number of items, `weight` the sum of their weights;
    `unusable` and `part` are the numbers of items whose weight is unusable or not whole. `complete`
    tells whether the items of a combination have no missing label, in systems that the combination
    does not show either.
    """

    labels: tuple[list[Any], ...]
    items: list[int]
    topic: list[str | None] | None = None
    weight: list[float] | None = None
    unusable: int = 0
    part: int = 0
    complete: list[bool] | None = None

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[Any]], names: Sequence[str], preds: Sequence[str]
    ) -> "Groups":
        """Make groups from rows with the columns `names`, of which `preds` are predictions."""
        column = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        weighted = "weight" in column
        return cls(
            tuple(_with_none(column[name]) for name in ("gold", *preds)),
            [int(n) for n in column["items"]],
            list(map(_topic_name, _with_none(column["topic"]))) if "topic" in column else None,
            [float(w or 0.0) for w in column["weight"]] if weighted else None,
            sum(int(n or 0) for n in column["unusable"]) if weighted else 0,
            sum(int(n or 0) for n in column["part"]) if weighted else 0,
            column.get("complete"),
        )

    def single(self, position: int) -> "Groups":
        """Return the groups of one of the systems of a pair; combinations may be repeated."""
        return replace(self, labels=(self.labels[0], self.labels[1 + position]))


def _with_none(values: Iterable[Any]) -> list[Any]:
    """Return values with every kind of "missing" as None (a NaN is not equal to itself)."""
    return [None if is_missing(value) else value for value in values]


def _topic_name(topic: Any) -> str | None:
    """Return a topic as text; integers beside missing values have become whole floats."""
    if topic is None:
        return None
    return str(int(topic)) if isinstance(topic, float) and topic.is_integer() else str(topic)


class Tabulation:
    """Tables of grouped counts: resolves the scale, checks labels, handles missing ones.

    Parameters
    ----------
    layout : Layout
        The columns and how they are read.
    singles : sequence of Groups
        The groups of every system.
    find : callable
        Returns some items whose value of a role is missing, or None if items have no order.
    """

    def __init__(
        self, layout: Layout, singles: Sequence[Groups], find: Callable[[str], Places | None]
    ) -> None:
        self.layout = layout
        self._singles, self._find = singles, find
        if not sum(singles[0].items):
            raise InputError(f"{layout.where}there are no items; at least one is needed.")
        self._roles = [role for role in layout.labelled if role != "topic"]
        columns = [(singles[0], 0), *((groups, 1) for groups in singles)]
        self._seen = {
            role: self._items_by_value(role, groups.labels[i], groups.items)
            for role, (groups, i) in zip(self._roles, columns, strict=True)
        }
        self._missing = self._count_missing()
        self._refuse_missing()
        self.scale = self._resolve_scale()
        self._codes = {role: self._class_codes(seen) for role, seen in self._seen.items()}
        self._refuse_unknown()
        self._refuse_weights()
        self.topics, self.skipped = self._kept_topics_and_skipped()

    def _items_by_value(
        self, role: str, raw: Sequence[Any], items: Sequence[int]
    ) -> dict[Any, int]:
        """Return the number of items by value, in the order of the values."""
        found: Counter[Any] = Counter()
        try:
            for value, n in zip(raw, items, strict=True):
                found[value] += n
        except TypeError:
            kind = next(type(value).__name__ for value in raw if type(value).__hash__ is None)
            raise nested_error(self.layout, role, kind) from None
        return {value: found[value] for value in sorted(found, key=_by_kind)}

    def _count_missing(self) -> dict[str, int]:
        """Return the number of missing values of every role that has some."""
        read, first = self.layout.reader.read, self._singles[0]
        found = {
            role: sum(n for raw, n in seen.items() if read(raw) is None)
            for role, seen in self._seen.items()
        }
        if first.topic is not None:
            topics = zip(first.topic, first.items, strict=True)
            found["topic"] = sum(n for topic, n in topics if topic is None)
        roles = ["gold", "topic", *self._roles[1:]]
        return {role: found[role] for role in roles if found.get(role)}

    def _refuse_missing(self) -> None:
        worst, missing = self.layout.missing == "worst", dict(self._missing)
        if worst:
            missing = {role: n for role, n in missing.items() if role in ("gold", "topic")}
        if not missing or self.layout.missing == "skip":
            return
        listed = ", ".join(self._describe_missing(role) for role in list(missing)[:SHOWN])
        more = f" and {len(missing) - SHOWN} more columns" if len(missing) > SHOWN else ""
        where = "" if all(map(self.layout.file, missing)) else self.layout.where
        hint = (
            "Fill or drop them, or pass {missing} to leave those items out of every system (they "
            'are counted); "worst" instead of "skip" scores a missing prediction as the class '
            "farthest from gold."
        )
        if worst:
            hint = 'Fill or drop them; "worst" is for missing predictions only.'
        raise InputError(
            f"{where}missing values ({listed}{more}).",
            parameter="missing",
            hint=hint,
            suggest={"missing": "skip"},
        )

    def _describe_missing(self, role: str) -> str:
        """Return how many values of a role are missing, and where some of them are."""
        name = self.layout.file(role) or self.layout.named(role)
        number = self._missing[role]
        what, places = self._find(role) or self._beside_missing(role)
        if not places:
            return f"{name}: {number}"
        shown = ", ".join(str(p) if isinstance(p, int) else repr(p) for p in places[:SHOWN])
        return f"{name}: {number} at {what} {shown}{', …' if number > len(places) else ''}"

    def _beside_missing(self, role: str) -> Places:
        """Return the topics, or else the labels, of items whose value of a role is missing."""
        groups = self._singles[int(role[1:]) if role[1:].isdigit() else 0]
        gold, pred = groups.labels
        values = {"gold": gold, "topic": groups.topic or []}.get(role, pred)
        what, beside = "topic", groups.topic
        if role == "topic" or beside is None:
            what, beside = ("prediction", pred) if role == "gold" else ("gold", gold)
        read = self.layout.reader.read
        found = {b for value, b in zip(values, beside, strict=True) if read(value) is None}
        return what, sorted(found - {None}, key=_by_kind)[:SHOWN]

    def _resolve_scale(self) -> Scale:
        layout = self.layout
        if layout.scale is not None:
            return layout.scale.with_values(layout.values)
        columns = [self._column(role) for role in self._roles]
        found = [column for column in columns if len(column)]
        if not found:
            raise InputError(f"{layout.where}every label is missing, so nothing is left to score.")
        try:
            return Scale.resolve(found, None, layout.values)
        except InputError as problem:
            problem.message = f"{layout.where}{problem.message}"
            raise

    def _column(self, role: str) -> Column:
        """Return the distinct labels of a role, from which the scale can be found."""
        read, name = self.layout.reader.read, self.layout.columns[role]
        labels = [x for x in dict.fromkeys(map(read, self._seen[role])) if x is not None]
        if categories := self.layout.ordered.get(role):
            codes = [categories.index(x) for x in labels if x in categories]
            return Column(np.asarray(codes, dtype=np.intp), name, categories, ordered=True)
        return read_column(labels, name)

    def _class_codes(self, values: Iterable[Any]) -> dict[Any, int]:
        """Return the class of every value, or that it is missing or unknown."""
        code = {**self.scale.index, None: _MISSING}
        return {raw: code.get(self.layout.reader.read(raw), _UNKNOWN) for raw in values}

    def _refuse_unknown(self) -> None:
        unknown = {
            role: {raw: n for raw, n in seen.items() if self._codes[role][raw] == _UNKNOWN}
            for role, seen in self._seen.items()
        }
        roles = [role for role, found in unknown.items() if found]
        if not roles:
            return
        layout, first, found = self.layout, roles[0], unknown[roles[0]]
        listed = [f"{raw!r} ({n})" for raw, n in found.items()]
        more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
        others = quoted(layout.columns[role] for role in roles[1:])
        raise InputError(
            f"{layout.start(first)}{layout.columns[first]} has "
            f"{plural(sum(found.values()), 'label')} outside the scale {self.scale.describe()}: "
            f"{', '.join(listed[:SHOWN])}{more}."
            f"{f' Others have such labels too: {others}.' if others else ''}",
            parameter="labels",
            hint=self._unknown_hint(found) + self._guessed_hint(first),
            suggest={"labels": ..., "pred": ..., "topic": ...},
        )

    def _unknown_hint(self, found: Mapping[Any, int]) -> str:
        if not {str(raw) for raw in found} & set(map(str, self.scale.labels)):
            return "Correct them, or declare every class that can occur with {labels}."
        scale, data = type(self.scale.labels[0]).__name__, type(next(iter(found))).__name__
        return f"The scale has {scale} labels and the data {data}: convert one to the other."

    def _guessed_hint(self, role: str) -> str:
        """Return a hint for a column that was taken for a system because none was named."""
        if role == "gold" or not self.layout.guessed:
            return ""
        topics = "" if self.layout.topic else ", or the topics with {topic}"
        return f" If a column is not a system, name the predictions with {{pred}}{topics}."

    def _refuse_weights(self) -> None:
        groups = self._singles[0]
        if groups.unusable:
            unusable = plural(groups.unusable, "missing, negative or non-finite number")
            problem = f"has {unusable}; weights must be finite numbers of at least 0"
            raise weight_error(self.layout, problem)
        if groups.weight is not None and not any(groups.weight):
            raise weight_error(self.layout, "is 0 for every item")

    def _kept_topics_and_skipped(self) -> tuple[tuple[str, ...], int]:
        """Return the topics of the items that are scored, and how many items are not."""
        groups = self._singles[0]
        keep = self._keep(self._coded((0,), groups), groups)
        kept = int(np.asarray(groups.items)[keep].sum())
        if not kept:
            raise InputError(
                f"{self.layout.where}every item has a missing label, so nothing is left to score."
            )
        topics = groups.topic or [None] * len(keep)
        found = {topic for topic, k in zip(topics, keep, strict=True) if k and topic is not None}
        return tuple(sorted(found, key=_topic_order)), sum(groups.items) - kept

    def _coded(self, systems: Systems, groups: Groups) -> Codes:
        """Return the classes `[gold and predictions, group]`; -1 is missing."""
        columns = zip(("gold", *map(pred_role, systems)), groups.labels, strict=True)
        codes = [[self._codes[role][raw] for raw in column] for role, column in columns]
        return np.asarray(codes, dtype=np.intp)

    def _keep(self, codes: Codes, groups: Groups) -> Bools:
        """Return which groups are scored: with "skip", those without a missing label."""
        keep = np.ones(codes.shape[1], dtype=np.bool_)
        if self.layout.missing != "skip":
            return keep
        keep &= (codes >= 0).all(axis=0)
        if groups.complete is not None:
            keep &= np.asarray(groups.complete, dtype=np.bool_)
        if groups.topic is not None:
            keep &= [topic is not None for topic in groups.topic]
        return keep

    @property
    def weighted(self) -> bool:
        """Whether some weight is not a whole number."""
        return self._singles[0].part > 0

    def counts(self) -> Counts:
        """Return the tables `[system, (topic,) gold, predicted]`."""
        tables = [self._table((i,), groups) for i, groups in enumerate(self._singles)]
        topics = () if self.layout.topic is None else (Axis("topic", self.topics),)
        axes = (Axis("system", self.layout.systems), *topics)
        return Counts(np.stack(tables), self.scale, axes, self.weighted, self.skipped)

    def joint(self, pairs: Mapping[Systems, Groups]) -> JointCounts:
        """Return the tables `[pair, (topic,) gold, a, b]` of pairs of systems."""
        tables = [self._table(pair, groups) for pair, groups in pairs.items()]
        names = tuple((self.layout.systems[a], self.layout.systems[b]) for a, b in pairs)
        table = np.stack(tables) if tables else np.zeros((0, *self._shape(2)))
        return JointCounts(table, self.scale, names, self.topics, self.weighted)

    def _shape(self, predictions: int) -> tuple[int, ...]:
        topics = () if self.layout.topic is None else (len(self.topics),)
        return (*topics, *[self.scale.k] * (1 + predictions))

    def _table(self, systems: Systems, groups: Groups) -> Floats:
        codes = self._coded(systems, groups)
        keep = self._keep(codes, groups)
        index = list(
            np.where(codes == _MISSING, farthest_classes(self.scale)[codes[0]], codes)[:, keep]
        )
        if groups.topic is not None:
            position: dict[str | None, int] = {topic: i for i, topic in enumerate(self.topics)}
            index.insert(0, np.asarray([position.get(t, -1) for t in groups.topic])[keep])
        amount = groups.items if groups.weight is None else groups.weight
        table = np.zeros(self._shape(len(systems)))
        np.add.at(table, tuple(index), np.asarray(amount, dtype=np.float64)[keep])
        return table

    @property
    def notices(self) -> tuple[str, ...]:
        """What was done about missing labels."""
        missing = {self.layout.named(role): n for role, n in self._missing.items()}
        if self.layout.missing == "worst":
            return tuple(
                f"{name}: {plural(n, 'missing prediction')} scored as the class farthest from gold."
                for name, n in missing.items()
            )
        columns = ", ".join(f"{name}: {n}" for name, n in missing.items())
        return (f"Missing values: {columns}.",) if self.skipped else ()


def nested_error(layout: Layout, role: str, kind: object) -> InputError:
    """Return the error for a column of values that cannot be labels."""
    column = layout.columns[role]
    return InputError(
        f"{layout.start(role)}column {column!r} holds {kind} values; plain labels are expected."
    )


def weight_error(layout: Layout, problem: str) -> InputError:
    """Return the error for a column of weights that cannot be used."""
    return InputError(f"{layout.where}weight column {layout.weight} {problem}.", parameter="weight")


def check_groups(rows: Rows, layout: Layout) -> None:
    """Raise an error if there are more groups than labels can form."""
    if len(rows) > MOST_GROUPS:
        raise InputError(
            f"{layout.where}there are more than {MOST_GROUPS:,} combinations of topic, gold and "
            "prediction; check that the columns hold labels, not ids or measurements."
        )


def _by_kind(value: Any) -> tuple[bool, Any]:
    """Sort key: numbers by size, then everything else by its text."""
    number = isinstance(value, (int, float)) and value == value
    return not number, value if number else str(value)


def _topic_order(topic: str) -> tuple[int, int, str]:
    """Sort key: whole numbers by size, then other texts alphabetically."""
    return (0, int(topic), "") if topic.isascii() and topic.isdigit() else (1, 0, topic)
