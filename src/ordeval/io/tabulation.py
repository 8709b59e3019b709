"""From grouped counts to tables on a scale.

Every source of items is reduced to `Groups`: the distinct combinations of topic, gold label and
prediction, and how many items have each. Labels are matched, checked and placed on the scale here,
so that frames and files give the same tables and the same messages.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np

from ..bins import NO_NUMBER, Bins, no_number_error, outside_error
from ..columns import Column, MissingCodes, is_missing, looks_missing, read_column
from ..counts import Axis, Counts, JointCounts
from ..errors import InputError, abbreviate, check_choice, did_you_mean, first_few, plural, quoted
from ..exact import rounded_sum
from ..labels import (
    farthest_classes,
    listed_codes,
    missing_notice,
    refuse_zero_rates,
    sorted_names,
    unknown_hint,
)
from ..limits import check_tables
from ..notes import Notes, warning
from ..rows import Rows
from ..scale import ColumnError, Scale, plausible_order
from ..types import Array, Bools, Codes, Floats, Ints, Missing, MissingLabels
from .groups import Factor, Groups, Systems, Table

MISSING_WORDS = ("", "NA", "N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
SPACES = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # what strip() removes
LARGEST_NUMBER = {"weight": 1e100, "frequency": 2.0**53}  # their squares and sums are exact
MOST_GROUPS = 5_000_000  # more combinations than this are ids or measurements, not labels
SHOWN = 5  # examples in a message
# Columns of these names are not taken for systems.
_RESERVED = ("id", "topic", "weight", "frequency", "cluster")
NUMBERS = ("weight", "frequency")
GROUPING = ("topic", "cluster")
OPTIONAL = ("topic", "weight", "frequency", "cluster")
NOT_A_SYSTEM = re.compile(
    r"(^|[\W_])(ids?|uid|uuid|nr|no|num|number|index|idx|key|row|set|split|fold|prompt|part)$",
    re.IGNORECASE,
)
_NUMBER_OF_ITEMS = re.compile(
    r"n|counts?|freqs?|frequenc(y|ies)|n_items|anzahl|h(ä|ae)ufigkeit", re.IGNORECASE
)
# Longer runs of digits are no numbers: neither floats nor Python's conversion of text hold them.
_NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)(e[+-]?\d{1,9})?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,300}(\.0*)?")
_MISSING, _UNKNOWN = -1, -2

Pred = str | Sequence[str] | None
Places = tuple[str, Sequence[Any]]  # what identifies an item, and some items
Find = Callable[[str, Any], Places | None]  # items by a role and its value; None is missing
Fetched = list[tuple[Any, ...]]
Cells = Sequence[tuple[int, ...]]  # positions among roles, gold first, that define cells
ItemClasses = Callable[[Mapping[str, Factor]], Codes]  # from labels by role to classes
Chosen = tuple[Sequence[Any], Sequence[Any], Codes, int]  # ids, texts, classes, most per cell


def pred_role(system: int) -> str:
    """Return the role of the predictions of a system."""
    return f"p{system}"


def raw_column(role: str) -> str:
    """Return the column that holds the numbers of a role whose values were binned."""
    return f"raw_{role}"


def require_column(name: str, columns: Sequence[str], parameter: str, where: str = "") -> None:
    """Raise an error that lists the columns unless `name` is one of them."""
    if name in columns:
        return
    if not isinstance(name, str):
        raise InputError(
            f"{where}{parameter} is {abbreviate(name)}; the name of one column is expected.",
            parameter=parameter,
        )
    near = did_you_mean(name, columns)
    default_gold = parameter == name == "gold" and not near
    raise InputError(
        f"{where}there is no column {name!r}; the columns are {quoted(columns, 20)}.{near}",
        parameter=parameter,
        hint="If one of them holds the gold labels, name it with {gold}." if default_gold else "",
        suggest={"gold": ...},
    )


def check_roles(
    taken: Iterable[tuple[str, str]], preds: Iterable[str] = (), where: str = ""
) -> None:
    """Raise an error for a column that is named for two roles that exclude each other.

    Ids, topics and clusters may be the same column; nothing else may.
    """
    named = [*taken, *(("pred", name) for name in dict.fromkeys(preds))]
    for i, (role, name) in enumerate(named):
        before = [other for other, column in named[:i] if column == name]
        if before and not {role, *before} <= {"id", *GROUPING}:
            raise InputError(
                f"{where}column {name!r} is named for two roles, {before[0]} and {role}; a column "
                "has one.",
                parameter=role,
            )


def prediction_columns(columns: Sequence[str], taken: Iterable[str | None]) -> list[str]:
    """Return the columns that may hold predictions if none are named."""
    others = {*taken, *_RESERVED}
    return [column for column in columns if column not in others]


@dataclass(frozen=True)
class Layout:
    """The columns of a table, and how their values are read.

    In a frame to be counted the columns are renamed after their roles: gold, p0, p1, … (the
    systems), topic, cluster, weight, frequency, item (an id). A layout holds their original names.

    `scale` and `values` are declared; `guessed` tells whether the systems are all columns without
    another role; `na` are codes for missing labels; `ordered` holds the categories of the roles
    whose columns have an ordered type.
    For files, `text` is True, because labels are then text to be matched to the scale, `where` is
    the beginning of messages (the file and a colon), and `run_files` are the files of the systems,
    if each has its own. With `bins` the labels are codes of classes, made from the numbers in the
    columns `raw_column(role)`; `classes` are the roles whose values were labels already.
    `texts` is the column of texts that are shown with items; it is called text in the frame.
    If it is `judged`, the last system is a judge, gold may be missing, weights are rates of
    labelling, and only distinct rows can be had.
    """

    gold: str
    systems: tuple[str, ...]
    topic: str | None = None
    weight: str | None = None
    frequency: str | None = None
    cluster: str | None = None
    scale: Scale | None = None
    values: Any = None
    missing: Missing = "error"
    na: MissingLabels = None
    guessed: bool = False
    ordered: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    text: bool = False
    where: str = ""
    run_files: tuple[str, ...] = ()
    bins: Bins | None = None
    classes: tuple[str, ...] = ()
    judged: bool = False
    texts: str | None = None

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, get_args(Missing))
        self.codes.refuse_labels(() if self.scale is None else self.scale.labels)

    @classmethod
    def choose(
        cls,
        columns: Sequence[str],
        gold: str,
        pred: Pred,
        *,
        id: Sequence[str] = (),
        aside: Sequence[str] = (),
        judge: str | None = None,
        roles: Mapping[str, Any],
        **reading: Any,
    ) -> "Layout":
        """Choose the columns of a table.

        `roles` are the columns of topics, weights, frequencies and clusters by the name of the
        field; `reading` are the other fields. Columns in `aside` are not taken for predictions
        unless they are named. The column of a judge becomes the last system.
        """
        wanted = [pred] if isinstance(pred, str) else list(pred or ())
        layout = cls(gold, tuple(wanted), **roles, guessed=pred is None, **reading)
        given = [("gold", gold), *roles.items(), *(("id", name) for name in id), ("judge", judge)]
        taken = [(parameter, name) for parameter, name in given if name is not None]
        required = [*taken, *(("pred", name) for name in wanted)]
        required += [("text", layout.texts)] if layout.texts is not None else []
        for parameter, name in required:
            require_column(name, columns, parameter, layout.where)
        # A judge may be scored as well.
        check_roles(taken, [name for name in wanted if name != judge], layout.where)
        if pred is None:
            others = [*(name for _, name in taken), *aside, layout.texts]
            wanted = prediction_columns(columns, others)
        repeated = [name for name, times in Counter(wanted).items() if times > 1]
        if repeated or not wanted:
            problem = (
                f"{quoted(repeated)} is named as a prediction more than once."
                if repeated
                else "no column is left for predictions beside "
                f"{quoted(name for _, name in taken)}; the columns are {quoted(columns, 20)}."
            )
            raise InputError(layout.where + problem, parameter="pred")
        if judge is not None:
            return replace(layout, systems=(*wanted, judge), judged=True)
        return replace(layout, systems=tuple(wanted))

    @property
    def about(self) -> dict[str, Any]:
        """The column of gold labels, and how missing ones are treated."""
        return {"gold": self.gold, **self.codes.reading(self.missing)}

    @property
    def columns(self) -> dict[str, str]:
        """The column of every role."""
        found = {"gold": self.gold}
        found |= {pred_role(i): name for i, name in enumerate(self.systems)}
        return found | {role: name for role, name in self.optional.items() if name is not None}

    @property
    def optional(self) -> dict[str, str | None]:
        """The columns of the roles that need not be given."""
        return {role: getattr(self, role) for role in OPTIONAL}

    @property
    def labelled(self) -> list[str]:
        """The roles whose values an item must have."""
        return [role for role in self.columns if role not in NUMBERS]

    @property
    def required(self) -> list[str]:
        """The roles of which no value may be missing: gold may be if there is a judge."""
        return [role for role in self.labelled if not (self.judged and role == "gold")]

    @property
    def raw(self) -> list[str]:
        """The columns of numbers that were binned."""
        return [raw_column(role) for role in self.rated] if self.bins is not None else []

    @property
    def optional_topic(self) -> list[str]:
        """The role of topics, if there are any."""
        return [] if self.topic is None else ["topic"]

    @property
    def numbers(self) -> dict[str, str]:
        """The columns of the roles that hold numbers."""
        return {role: name for role, name in self.columns.items() if role in NUMBERS}

    @property
    def flagged(self) -> bool:
        """Whether complete items need a flag: a group does not show all labels of its items."""
        return self.missing == "skip" and (len(self.systems) > 1 or self.cluster is not None)

    @property
    def rated(self) -> list[str]:
        """The roles whose values are labels: gold and the systems."""
        return ["gold", *map(pred_role, range(len(self.systems)))]

    @property
    def keys(self) -> list[str]:
        """The columns by which items are grouped, besides predictions."""
        keys = ["gold"] if self.topic is None else ["topic", "gold"]
        keys += ["complete"] * self.flagged
        return keys + ["present"] * bool(self.numbers)

    @property
    def faults(self) -> list[str]:
        """The columns that mark unusable numbers, and items without a cluster."""
        found = [] if self.weight is None else ["bad_weight"]
        found += [] if self.frequency is None else ["bad_frequency", "part"]
        return found + ([] if self.cluster is None else ["no_cluster"])

    @cached_property
    def codes(self) -> MissingCodes:
        """The values that stand for a missing label."""
        return MissingCodes(self.na, text=self.text)

    def is_absent(self, label: Any) -> bool:
        """Return whether a value in memory is a missing label, or a code for one."""
        return is_missing(label) or label in self.codes

    @cached_property
    def reader(self) -> "LabelReader":
        """The reader of the labels."""
        return LabelReader(self.scale, text=self.text, codes=self.codes)

    def named(self, role: str) -> str:
        """Return the name of a role in messages."""
        name = self.columns[role] or "''"
        return f"{role} column {name}" if role in OPTIONAL else name

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

    def __init__(
        self, declared: Scale | None, *, text: bool, codes: MissingCodes | None = None
    ) -> None:
        self._text, self._codes = text, codes or MissingCodes(None)
        self._index = {} if declared is None else declared.index
        self.by_text = {word: label for label in self._index for word in _spellings(label)}
        self.by_number = _numbers(self._index)
        # A word that differs from a label in case only is a misspelt label, not a missing one.
        known = {word.strip().casefold() for word in self.by_text}
        words = tuple(word for word in MISSING_WORDS if word.casefold() not in known)
        self.missing_words = words if text else ()

    def read(self, raw: Any) -> Any:
        """Return the label; None if it is missing, the value itself if it is not on the scale."""
        if is_missing(raw) or (self._codes and raw in self._codes):
            return None
        if not self._text or self._is_label(raw):
            return raw
        words = [word.strip() for word in _spellings(raw)]
        if known := [word for word in words if word in self.by_text]:
            return self.by_text[known[0]]
        return None if words[0] in self.missing_words else self._number(raw, words[0])

    def is_missing(self, raw: Any) -> bool:
        """Return whether a value stands for a missing label."""
        return self.read(raw) is None

    def _is_label(self, raw: Any) -> bool:
        """Whether the value itself is a label; True is not taken for 1."""
        known = raw in self._index
        return known and not (isinstance(raw, bool) and str(raw) not in map(str, self._index))

    def _number(self, raw: Any, word: str) -> Any:
        if isinstance(raw, bool):
            return raw
        if self._index:
            known = _NUMBER.fullmatch(word) and self.by_number.get(float(word))
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


class Tabulation:
    """Tables of grouped counts: resolves the scale, checks labels, handles missing ones.

    Parameters
    ----------
    layout : Layout
        The columns and how they are read.
    singles : sequence of Groups
        The groups of every system.
    find : callable
        Returns some items that have a value of a role, or whose value is missing if it is None;
        None if items have no order.
    example : callable
        Returns a value of a role that became some code instead of a class.
    """

    def __init__(
        self,
        layout: Layout,
        singles: Sequence[Groups],
        find: Find,
        example: Callable[[str, int], Any],
    ) -> None:
        self.layout, self._example = layout, example
        self._singles, self._find = singles, find
        if not len(singles[0].items):
            raise InputError(f"{layout.where}there are no items; at least one is needed.")
        self._refuse_numbers()
        self._roles = [role for role in layout.labelled if role not in GROUPING]
        self._missing = self._count_missing()
        self._refuse_missing()
        kept = [self._keep(groups) for groups in singles]
        self._seen = {
            role: self._items_by_value(role, groups.labels[i].take(keep), groups.items[keep])
            for role, groups, i, keep in self._columns(kept)
        }
        self._refuse_nothing(kept[0])
        self.scale = self._resolve_scale()
        self._codes = {role: self._class_codes(seen) for role, seen in self._seen.items()}
        self._refuse_unknown()
        self.items = int(singles[0].items[kept[0]].sum())
        self.skipped = int(singles[0].items[self._gaps(singles[0])].sum())
        self.topics = self._kept_topics(kept[0])

    def _columns(self, kept: Sequence[Bools]) -> Iterator[tuple[str, Groups, int, Bools]]:
        """Yield (role, groups, position of the role's labels, kept groups) for gold and systems."""
        yield "gold", self._singles[0], 0, kept[0]
        for role, groups, keep in zip(self._roles[1:], self._singles, kept, strict=True):
            yield role, groups, 1, keep

    def _items_by_value(self, role: str, labels: Factor, items: Ints) -> dict[Any, int]:
        """Return the number of items by value, in the order of the values."""
        try:
            found = labels.totals(items)
        except TypeError:
            kinds: list[Any] = [type(value) for value in labels.values]
            kind = next(kind.__name__ for kind in kinds if kind.__hash__ is None)
            raise nested_error(self.layout, role, kind) from None
        return {value: found[value] for value in sorted(found, key=_by_kind)}

    def _absent(self, labels: Factor) -> Bools:
        """Return which groups have a missing label."""
        absent = map(self.layout.reader.is_missing, labels.values)
        return labels.spread(list(absent)).astype(np.bool_)

    def _gaps(self, groups: Groups) -> Bools:
        """Return which groups are left out because a value of their items is missing."""
        found = np.zeros(len(groups.items), dtype=np.bool_)
        if self.layout.missing != "skip":
            return found
        for labels in groups.labels[self.layout.judged :]:
            found |= self._absent(labels)
        if groups.complete is not None:
            found |= ~groups.complete
        return found if groups.topic is None else found | groups.topic.missing

    def _keep(self, groups: Groups) -> Bools:
        """Return which groups are scored: those that count for something, without gaps."""
        keep = ~self._gaps(groups)
        return keep if groups.present is None else keep & groups.present

    def _count_missing(self) -> dict[str, int]:
        """Return the number of missing values of every role that has some."""
        first, every = self._singles[0], [np.ones(len(g.items), np.bool_) for g in self._singles]
        found: dict[str, Any] = {
            role: self._absent(groups.labels[i]) @ groups.items
            for role, groups, i, _ in self._columns(every)
        }
        if first.topic is not None:
            found["topic"] = first.topic.missing @ first.items
        found["cluster"] = first.fault("no_cluster")
        roles = ["gold"] * (not self.layout.judged) + [*GROUPING, *self._roles[1:]]
        return {role: int(found[role]) for role in roles if found.get(role)}

    def _refuse_missing(self) -> None:
        worst, missing = self.layout.missing == "worst", dict(self._missing)
        if worst:
            missing = {role: n for role, n in missing.items() if role in ("gold", *GROUPING)}
        if not missing or self.layout.missing == "skip":
            return
        listed = ", ".join(self._describe_missing(role) for role in list(missing)[:SHOWN])
        more = f" and {len(missing) - SHOWN} more columns" if len(missing) > SHOWN else ""
        where = "" if all(map(self.layout.file, missing)) else self.layout.where
        hint, suggest = self._class_hint()
        hint += self._fill_hint(missing)
        hint += (
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
            suggest={"missing": "skip", **suggest},
        )

    def _texts_for_missing(self, role: str) -> dict[Any, int]:
        """Return the values of a role, besides empty ones, that were taken as missing."""
        if role in GROUPING:
            return {}
        groups, i = (self._singles[0], 0) if role == "gold" else (self._singles[int(role[1:])], 1)
        absent = self._absent(groups.labels[i])
        found = groups.labels[i].take(absent).totals(groups.items[absent])
        words: Counter[Any] = Counter()
        for raw, n in found.items():
            word = raw.strip() if isinstance(raw, str) else raw
            words[word] += n * (word is not None and word != "")
        return dict((+words).most_common())

    def _possible_classes(self) -> list[str]:
        """Return words taken as missing, such as None, that may be classes instead."""
        if not self.layout.text:
            return []
        words = dict.fromkeys(
            word for role in self._roles for word in self._texts_for_missing(role)
        )
        given = self.layout.reader.missing_words
        return [word for word in words if word in given and word.lower() in ("none", "na", "null")]

    def _class_hint(self) -> tuple[str, dict[str, Any]]:
        """Return a hint, and the scale that it suggests, if a word may be a class."""
        words, read = self._possible_classes(), self.layout.reader.read
        every = [np.ones(len(g.items), np.bool_) for g in self._singles]
        seen = [raw for _, g, i, _ in self._columns(every) for raw in g.labels[i].values]
        labels = list(dict.fromkeys(map(read, seen)))
        if self.layout.scale is not None:
            labels = list(self.layout.scale.labels)
        texts = [label for label in labels if label is not None and not looks_missing(label)]
        if not words or not texts or not all(isinstance(label, str) for label in texts):
            return "", {}
        classes, known = plausible_order([*words, *texts])
        if self.layout.scale is not None or not known:
            classes = [*words, *(texts if self.layout.scale else plausible_order(texts)[0])]
        is_class = "are classes, declare them" if len(words) > 1 else "is a class, declare it"
        return f"If {quoted(words)} {is_class} with {{labels}}. ", {"labels": classes}

    def _fill_hint(self, missing: Iterable[str]) -> str:
        """Return a hint about names that only the first row of each group has."""
        names = [self.layout.named(role) for role in missing if role in GROUPING]
        merged = "is filled in the first row of each group only (merged cells), fill it down. "
        return f"If {names[0]} {merged}" if names else ""

    def _describe_missing(self, role: str) -> str:
        """Return how many values of a role are missing, and where some of them are."""
        name = self.layout.file(role) or self.layout.named(role)
        number, words = self._missing[role], self._listed_texts(role)
        places = self._find(role, None) or self._beside_missing(role)
        return f"{name}: {number}{words}{_at(places, number)}"

    def _listed_texts(self, role: str) -> str:
        """Return which texts were taken as missing, and how often."""
        return listed_codes(self._texts_for_missing(role))

    def _beside_missing(self, role: str) -> Places:
        """Return the topics, or else the labels, of items whose value of a role is missing."""
        groups = self._singles[int(role[1:]) if role[1:].isdigit() else 0]
        gold, pred = groups.labels
        what, beside = "topic", groups.topic
        if role == "topic" or beside is None:
            what, beside = ("prediction", pred) if role == "gold" else ("gold", gold)
        if role == "cluster":
            absent = groups.faults["no_cluster"] > 0
        elif role == "topic" and groups.topic is not None:
            absent = groups.topic.missing
        else:
            absent = self._absent(gold if role == "gold" else pred)
        found = set(beside.take(absent).totals(groups.items[absent]))
        return what, sorted(found - {None}, key=_by_kind)[:SHOWN]

    def _resolve_scale(self) -> Scale:
        layout = self.layout
        self._refuse_numbers_of_items()
        if layout.scale is not None:
            return layout.scale.with_values(layout.values)
        columns = [self._column(role) for role in self._roles]
        found = [column for column in columns if len(column)]
        if not found:
            raise InputError(f"{layout.where}every label is missing, so nothing is left to score.")
        try:
            scale = Scale.resolve(found, None, layout.values)
            self._refuse_names(scale)
        except ColumnError as problem:
            raise self._about_column(problem) from None
        except InputError as problem:
            problem.message = f"{layout.where}{problem.message}"
            raise
        return scale

    def _refuse_names(self, scale: Scale) -> None:
        """Raise an error for a guessed column called like an id or a set, with other numbers."""
        if not (scale.inferred and self.layout.guessed):
            return
        gold = set(self._column("gold").distinct())
        for role in self._roles[1:]:
            name = self.layout.columns[role]
            others = set(self._column(role).distinct()) - gold
            if NOT_A_SYSTEM.search(name) and others:
                raise ColumnError(
                    f"{name} is called like an id or a part of the data, and it holds numbers that "
                    f"{self.layout.gold} does not ({quoted(sorted(others), 3)}).",
                    name,
                    "If it is a system, declare the scale with {labels}.",
                    {"labels": ...},
                )

    def _refuse_numbers_of_items(self) -> None:
        """Raise an error for a guessed column that is called like a number of items."""
        for role in self._roles[1:]:
            name = self.layout.columns[role]
            if not self.layout.guessed or not self._may_be_frequency(role):
                continue
            if self._column(role).is_integer:
                problem = ColumnError(
                    f"{name} is called like a number of items, and it holds whole numbers; it "
                    "would be scored as a system.",
                    name,
                    "",
                    {},
                )
                problem.parameter = "frequency"
                raise self._about_column(problem)

    def _may_be_frequency(self, role: str) -> bool:
        name = _NUMBER_OF_ITEMS.fullmatch(self.layout.columns[role].strip())
        return name is not None and self.layout.frequency is None

    def _about_column(self, problem: ColumnError) -> InputError:
        """Return an error about one column, with its file and what the column may be instead."""
        named = [role for role in self._roles if self.layout.columns[role] == problem.column]
        stray = "na" in problem.suggest and self._resembles_gold(named[-1])
        guess = "" if stray else self._guessed_hint(named[-1])
        hint = f"{guess.strip()} {problem.raw_hint}" if guess else problem.raw_hint
        classes = problem.suggest.get("labels")
        if isinstance(classes, list) and (words := self._possible_classes()):
            problem.suggest["labels"] = [*words, *classes]
            hint += f" Leave out {quoted(words)} if that stands for a missing label."
        return InputError(
            f"{self.layout.start(named[-1])}{problem.message}",
            parameter=problem.parameter,
            hint=hint,
            suggest={
                **self._role_suggestions(named[-1]),
                **self.layout.codes.beside(problem.suggest),
            },
        )

    def _role_suggestions(self, odd: str) -> dict[str, Any]:
        """Return settings that give a column another role than that of a system."""
        systems = self._roles[1:-1] if self.layout.judged else self._roles[1:]
        others = [role for role in systems if role != odd and self._resembles_gold(role)]
        names = [self.layout.columns[role] for role in others]
        column = self.layout.columns[odd]
        pred = names if 0 < len(names) <= 10 else ...
        return {
            "pred": pred,
            **dict.fromkeys(("id", "topic", "weight", "frequency", "run", "text"), column),
        }

    def _resembles_gold(self, role: str) -> bool:
        """Return whether a column shares labels with gold, and has not many more."""
        read = self.layout.reader.read
        gold, found = ({read(raw) for raw in self._seen[r]} for r in ("gold", role))
        return bool(gold & found) and len(found) <= 3 * max(len(gold), 3)

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
        if self.layout.bins is not None:
            inside = range(self.scale.k)
            known = ((raw, None if is_missing(raw) else int(raw)) for raw in values)
            return {
                raw: _MISSING if c is None else c if c in inside else _UNKNOWN for raw, c in known
            }
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
        if layout.bins is not None:
            raise self._unbinned(first, found)
        at = {raw: _at(self._find(first, raw), found[raw]) for raw in list(found)[:1]}
        listed = [f"{abbreviate(raw)} ({n}{at.get(raw, '')})" for raw, n in found.items()]
        others = quoted(layout.columns[role] for role in roles[1:])
        hint, suggest = unknown_hint([self._as_number(raw) for raw in found], self.scale)
        raise InputError(
            f"{layout.start(first)}{layout.columns[first]} has "
            f"{plural(sum(found.values()), 'label')} outside the scale {self.scale.describe()}: "
            f"{first_few(listed, SHOWN)}."
            f"{f' Others have such labels too: {others}.' if others else ''}",
            parameter="labels",
            hint=hint + self._guessed_hint(first),
            suggest={**self._role_suggestions(first), **layout.codes.beside(suggest)},
        )

    def _as_number(self, raw: Any) -> Any:
        """Return the number that a text in a file reads as, else the value itself."""
        found = LabelReader(None, text=self.layout.text).read(raw)
        return raw if found is None else found

    def _unbinned(self, role: str, found: Mapping[Any, int]) -> InputError:
        """Return the error for values that belong to no class."""
        assert self.layout.bins is not None
        name = f"{self.layout.start(role)}{self.layout.columns[role]}"
        wrong = sum(n for raw, n in found.items() if raw == NO_NUMBER)
        if role in self.layout.classes:
            first = self._example(role, NO_NUMBER)
            hint, suggest = unknown_hint([first], self.scale)
            return InputError(
                f"{name} has {plural(wrong, 'label')} outside the scale {self.scale.describe()}; "
                f"for example {abbreviate(first)}.",
                parameter="labels",
                hint=hint,
                suggest=suggest,
            )
        if wrong:
            return no_number_error(name, wrong, self._example(role, NO_NUMBER))
        first = self._example(role, next(iter(found)))
        shown = f"{first:g}" if isinstance(first, (int, float)) else first
        return outside_error(name, self.layout.bins, self.scale, sum(found.values()), shown)

    def _guessed_hint(self, role: str) -> str:
        """Return a hint for a column that was taken for a system because none was named."""
        if role == "gold" or not self.layout.guessed:
            return ""
        # Frames have no option for ids: a column that is not named is not read.
        other = ["{id}"] * self.layout.text + ["{topic}"] * (self.layout.topic is None)
        if self._has_words(role):
            other += ["{text}"] * (self.layout.texts is None)
        else:
            other += ["{weight}"] * (self.layout.weight is None)
        other += ["{run} for a row per item and system"] * self._may_be_run(role)
        named = f", or say what it is ({', '.join(other)})" if other else ""
        column = self.layout.columns[role]
        if self._may_be_frequency(role):
            return (
                f" If {column} is the number of items that a row stands for, pass {{frequency}}; "
                "if it is a system, name the systems with {pred}."
            )
        return f" If {column} is not a system, name the systems with {{pred}}{named}."

    def _may_be_run(self, role: str) -> bool:
        """Return whether a column of a file may name systems: a few words, each in several rows."""
        seen = self._seen[role]
        several = len(seen) > 1 and min(seen.values()) > 1
        return self.layout.text and self._has_words(role) and several

    def _has_words(self, role: str) -> bool:
        """Return whether no value of a column is a number."""
        return not any(isinstance(self._as_number(raw), int | float) for raw in self._seen[role])

    def _refuse_numbers(self) -> None:
        groups = self._singles[0]
        for role, plural_name in (("weight", "weights"), ("frequency", "frequencies")):
            if bad := groups.fault(f"bad_{role}"):
                unusable = plural(bad, "missing, negative, too large or non-numeric value")
                most = f"{LARGEST_NUMBER[role]:.3g}"
                problem = f"has {unusable}; {plural_name} must be from 0 to {most}"
                raise number_error(self.layout, role, problem)
        if part := groups.fault("part"):
            problem = f"has {plural(part, 'number')} with a fractional part"
            raise number_error(
                self.layout,
                "frequency",
                f"{problem}; a row stands for a whole number of items",
                hint="If the numbers are importance or design weights, pass {weight} instead.",
            )
        if groups.weight is not None and not groups.weight.any() and groups.items.any():
            raise number_error(self.layout, "weight", "is 0 for every item")
        if groups.weight is not None and groups.squares is not None and not groups.squares.any():
            problem = "has numbers that are too small to be squared; only their ratios matter, so"
            raise number_error(self.layout, "weight", f"{problem} multiply them by a number")
        if not groups.items.any():
            raise number_error(self.layout, "frequency", "is 0 for every row")

    def _refuse_nothing(self, kept: Bools) -> None:
        if not kept.any():
            zero = ", a weight of 0 or a frequency of 0" if self.layout.numbers else ""
            raise InputError(
                f"{self.layout.where}every item has a missing label{zero}, so nothing is left to "
                "score."
            )

    def _kept_topics(self, kept: Bools) -> tuple[str, ...]:
        """Return the topics of the items that are scored."""
        groups = self._singles[0]
        if groups.topic is None:
            return ()
        found = groups.topic.take(kept).totals(groups.items[kept])
        return tuple(sorted_names(topic for topic in found if topic is not None))

    def _classes(self, role: str, labels: Factor) -> Array:
        """Return the class of every row; -1 is missing."""
        known = self._codes[role]
        # Values that no scored item has may be unknown; they are left out later.
        codes = [known.get(value, _MISSING) for value in labels.values]
        return labels.spread(np.asarray(codes, np.int16 if self.scale.k < 2**15 else np.int32))

    def _filled(self, codes: Array, gold: Array) -> Array:
        """Return classes with the one farthest from gold in place of missing ones."""
        gap = codes == _MISSING
        return np.where(gap, farthest_classes(self.scale)[gold], codes) if gap.any() else codes

    def counts(self) -> Counts:
        """Return the tables `[system, (topic,) gold, predicted]`."""
        singles = list(enumerate(self._singles))
        weighted = self.layout.weight is not None
        check_tables(len(singles), len(self.topics), self.scale.k)
        tables = np.stack([self._table((i,), groups, _amount(groups)) for i, groups in singles])
        squares = [self._table((i,), g, g.squares) for i, g in singles if g.squares is not None]
        topics = () if self.layout.topic is None else (Axis("topic", self.topics),)
        axes = (Axis("system", self.layout.systems), *topics)
        return Counts(
            tables,
            self.scale,
            axes,
            weighted,
            self.skipped,
            np.stack(squares) if weighted else None,
            self.items,
            self.layout.bins,
        )

    def joint(self, pairs: Mapping[Systems, Groups]) -> JointCounts:
        """Return the tables `[pair, (topic,) gold, a, b]` of pairs of systems."""
        check_tables(len(pairs), len(self.topics), self.scale.k, axes=3, of="pair")
        tables = [self._table(pair, groups, _amount(groups)) for pair, groups in pairs.items()]
        names = tuple((self.layout.systems[a], self.layout.systems[b]) for a, b in pairs)
        table = np.stack(tables) if tables else np.zeros((0, *self._shape(2)))
        weighted = self.layout.weight is not None
        return JointCounts(table, self.scale, names, self.topics, weighted)

    def rows(self, table: Table) -> Rows:
        """Return the distinct rows of all labels."""
        if self.layout.judged:
            refuse_zero_rates(int(table.items[~table.present].sum()))
        keep = table.present & ~incomplete(table, self.layout)
        labels = {role: table.columns[role].take(keep) for role in self._roles}
        codes = [self._classes(role, found) for role, found in labels.items()]
        gold = codes[0]
        if self.layout.judged:
            codes[0] = gold = np.where(gold == _MISSING, self.scale.k, gold)
        else:
            codes = [self._filled(found, gold) for found in codes]
        topic, cluster = (table.columns.get(role) for role in GROUPING)
        names = None if cluster is None else cluster.take(keep).as_names()
        found = sorted_names({} if names is None else _given(names))
        return Rows.group(
            lambda chunk: [column[chunk] for column in codes],
            len(gold),
            self.scale.k + self.layout.judged,
            self.layout.systems,
            count=table.items[keep],
            weight=None if table.each is None else table.each[keep],
            topic=None if topic is None else positions(topic.take(keep).as_names(), self.topics),
            cluster=None if names is None else positions(names, found),
        )

    def item_classes(self, labels: Mapping[str, Factor]) -> Codes:
        """Return the classes `[role, item]` of items that are scored, by role, gold first."""
        codes = [self._classes(role, found) for role, found in labels.items()]
        return np.stack([self._filled(found, codes[0]) for found in codes]).astype(np.intp)

    def _shape(self, predictions: int) -> tuple[int, ...]:
        topics = () if self.layout.topic is None else (len(self.topics),)
        return (*topics, *[self.scale.k] * (1 + predictions))

    def _table(self, systems: Systems, groups: Groups, amounts: Array) -> Floats:
        keep = self._keep(groups)
        roles = ("gold", *map(pred_role, systems))
        given = zip(roles, groups.labels, strict=True)
        codes = [self._classes(role, labels.take(keep)) for role, labels in given]
        index = [self._filled(found, codes[0]) for found in codes]
        if groups.topic is not None:
            index.insert(0, positions(groups.topic.take(keep), self.topics))
        shape = self._shape(len(systems))
        cell = np.ravel_multi_index(index, shape)
        sums = [np.bincount(cell, part[keep], math.prod(shape)) for part in amounts]
        return rounded_sum(sums).reshape(shape)

    @property
    def has_gaps(self) -> bool:
        """Whether a class stands for missing predictions."""
        return self.layout.missing == "worst" and bool(self._missing)

    @property
    def notices(self) -> Notes:
        """What was done about missing labels."""
        if self.layout.missing == "worst":
            found = {
                r: sum(n for raw, n in seen.items() if self._codes[r][raw] == _MISSING)
                for r, seen in self._seen.items()
            }
            return tuple(
                warning(
                    "missing",
                    f"{self.layout.named(role)}: {plural(n, 'missing prediction')} scored as the "
                    "class farthest from gold.",
                )
                for role, n in found.items()
                if n
            )
        absent = {
            self.layout.named(role): (n, self._texts_for_missing(role))
            for role, n in self._missing.items()
        }
        return missing_notice(absent) if self.skipped else ()


def incomplete(table: Table, layout: Layout) -> Bools:
    """Return which rows of a table are left out because a value is missing."""
    found = np.zeros(len(table.items), dtype=np.bool_)
    if layout.missing == "skip":
        given = (c for c in table.columns.items() if c[0] in (*layout.required, *GROUPING))
        for role, column in given:
            read = is_missing if role in GROUPING else layout.reader.is_missing
            found |= column.spread([read(value) for value in column.values]).astype(np.bool_)
    return found


def _amount(groups: Groups) -> Array:
    """Return parts `[part, combination]` of what the combinations add to tables."""
    return groups.items[None] if groups.weight is None else groups.weight


def _given(names: Factor) -> set[str]:
    """Return the names that rows have."""
    return set(names.totals(np.ones(len(names.codes))))


def positions(names: Factor, ordered: Sequence[str]) -> Codes:
    """Return the position of every row's name in a list; -1 if it is not there."""
    position: dict[Any, int] = {name: i for i, name in enumerate(ordered)}
    return names.spread(np.asarray([position.get(n, -1) for n in names.values], dtype=np.intp))


def _at(found: Places | None, number: int) -> str:
    """Return where some of a number of items are; empty if that is not known."""
    what, places = found or ("", ())
    if not places:
        return ""
    shown = ", ".join(str(p) if isinstance(p, int) else repr(p) for p in places[:SHOWN])
    return f" at {what} {shown}{', …' if number > len(places) else ''}"


def nested_error(layout: Layout, role: str, kind: object) -> InputError:
    """Return the error for a column of values that cannot be labels."""
    column = layout.columns[role]
    return InputError(
        f"{layout.start(role)}column {column!r} holds {kind} values; plain labels are expected."
    )


def number_error(layout: Layout, role: str, problem: str, hint: str = "") -> InputError:
    """Return the error for a column of weights or frequencies that cannot be used."""
    name = "labelled_rate" if layout.judged and role == "weight" else role
    return InputError(
        f"{layout.where}{name} column {layout.columns[role]} {problem}.",
        parameter=name,
        hint=hint,
        suggest={"weight": ...},
    )


def check_groups(rows: Fetched, layout: Layout) -> None:
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
