"""Ratings of the items themselves: read, and divided into those of people and of a judge.

Several systems answer the same prompts, and people rate some of the answers of each, a judge all of
them. A system's classes are what its answers were rated; there is no gold, whose column is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..data.classes import Reading
from ..data.column import sorted_names
from ..data.containers import series_name
from ..data.counts import Counts, JointCounts
from ..data.data import Data, as_systems, named_columns, refuse_beside_judge
from ..data.ratings import read_ratings
from ..data.roles import NUMBERS, check_roles, require_name, text_name
from ..data.slices import named_divisions
from ..data.units import Rows
from ..errors import InputError, plural, quoted
from ..measures.scoring import MeasuresLike, check_task, parse_primary, read_measures, with_primary
from ..measures.spec import Measure, parse_measure
from ..notes import warning
from ..options import FileOptions
from ..stats.judge_labels import JudgedItems, JudgedRows
from ..types import Array, Bools
from .ratings import rated_data, refuse_of_files

_JUDGE = "the judge"
_OF_ITEMS = ("cluster", *NUMBERS)
_NAMES = {"ratings": "y_true", "rating": "y_true", "rater": "system", "item": "id"}


def asks_ratings(measures: MeasuresLike) -> bool:
    """Return whether a measure of ratings is among those that are named."""
    named = isinstance(measures, str | Measure | Sequence) and measures != "all"
    return named and any(m.record.task == "ratings" for m in read_measures(measures))


def rating_measures(
    labels: Sequence[Any], measures: MeasuresLike, primary: str | Measure | None
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures, the share of every class by itself, and the one that ranks."""

    def each(asked: Measure) -> list[Measure]:
        if asked.id != "share" or asked.params["label"] is not None:
            return [asked]
        plain = (x if isinstance(x, str | int | float) else str(x) for x in labels)
        return [parse_measure("share", label=label) for label in plain]

    chosen = tuple(dict.fromkeys(m for asked in read_measures(measures) for m in each(asked)))
    check_task(chosen, "ratings")
    directed = [m for m in chosen if m.record.directed] or chosen[::-1]
    first = directed[0] if primary is None else each(parse_primary(primary))[-1]
    check_task([first], "ratings", "primary")
    return with_primary(chosen, first)


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings of every system's outputs by people, with gaps, and perhaps by a judge.

    The columns of `data` are 0, the ratings by people of systems in the order of their names, and
    those by the judge; `systems` are in the order in which they were given.
    """

    data: Data
    systems: tuple[str, ...]
    judge: str = ""

    @property
    def judged(self) -> bool:
        """Whether there is a judge."""
        return bool(self.judge)

    @cached_property
    def labelled(self) -> Bools:
        """The items that people rated for every system."""
        people = self.data.codes[1 : 1 + len(self.systems)]
        return np.asarray((people < self.data.scale.k).all(axis=0))

    def only(self, systems: Sequence[str] = ()) -> Data:
        """Return the ratings by people, weighted by the inverse of the rates of items."""
        size = 1 + len(self.systems)
        some = self.data.take(self.labelled)
        some = replace(some, codes=some.codes[:size], names=some.names[:size])
        if not self.judged:
            return some
        rate, about = some.units.rate, {"judge": self.judge, **self.data.about}
        weight = None if rate is None or (self.data.units.rate == rate[0]).all() else 1 / rate
        return replace(some, units=replace(some.units, weight=weight, rate=None), about=about)

    def rows(self) -> list[JudgedRows]:
        """Return the distinct rows of ratings, for every system in the order of their names."""
        units, k, codes = self.data.units, self.data.scale.k, self.data.codes.copy()
        codes[1 : 1 + len(self.systems), ~self.labelled] = k  # some systems alone tell nothing
        order = [f"{i:06d}" for i in range(len(codes) - 1)]
        rows = Rows.group(codes, k + 1, order, count=units.count, weight=units.rate)
        people, judge = np.split(rows.labels[1:].astype(np.intp), 2)
        own = people[0] < k

        def items(judge: Array, at: Bools) -> JudgedItems:
            weight = None if rows.weight is None else 1 / rows.weight[at]
            return JudgedItems(judge[at], np.zeros((1, at.sum()), np.intp), rows.count[at], weight)

        pairs = zip(people, judge, strict=True)
        return [JudgedRows(k, r[own], items(j, own), items(j, ~own)) for r, j in pairs]


def read_rated(y_true: Any, y_pred: Any, data: Any, options: Mapping[str, Any]) -> Rated:
    """Read ratings in memory, or of a frame or files."""
    refuse_beside_judge(**{**options, "bins": None})
    given = {name: options[name] for name in ("topic", "text", "proba")} | {"y_pred": y_pred}
    given["missing"] = "worst" if options["missing"] == "worst" else None
    for name in [name for name, value in given.items() if value is not None]:
        raise InputError(
            f"{name} cannot be used with mean and shares, which are of the ratings themselves.",
            parameter=name,
            hint=f"Leave {{{name}}} out; what was rated is y_true.",
        )
    if isinstance(y_true, Counts | JointCounts):
        raise InputError(
            "mean and shares are of ratings, and counts by gold class were given.",
            parameter="y_true",
            hint="Pass the ratings themselves.",
        )
    try:
        if data is not None:
            rated = _of_table(y_true, data, options)
        else:
            refuse_of_files(data, options, FileOptions)
            rated = _of_data(y_true) if isinstance(y_true, Data) else _in_memory(y_true, options)
        return _checked(rated, options["missing"])
    except InputError as error:
        error.rename(**_NAMES)
        raise


def _of_data(y_true: Data) -> Rated:
    """Return gold, and perhaps a judge, of labels that were read already as ratings."""
    codes = y_true.codes[[0, -1] if y_true.judged else [0]]
    units = replace(y_true.units, topic=None, topics=())
    some = replace(y_true, codes=codes, units=units, judged=False, raw=None, proba=(), named=True)
    return _rated(some, (y_true.names[0],), y_true.names[-1] if y_true.judged else "")


def _in_memory(y_true: Any, options: Mapping[str, Any]) -> Rated:
    """Read columns in memory: of one system, or mappings from system to ratings."""
    judge, alone, by_role = options["judge"], series_name(y_true) or "ratings", dict[str, Any]()
    for role, given in (("y_true", y_true), ("judge", judge)):
        columns = as_systems(given)
        columns = columns if isinstance(columns, Mapping) else {alone: columns}
        by_role[role] = named_columns(columns, role)
    people, name = by_role["y_true"], series_name(judge) or _JUDGE
    judged = {} if judge is None else _same_systems(people, by_role["judge"])
    models = {f"{name} of {system}": column for system, column in judged.items()}
    roles = {role: options[role] for role in _OF_ITEMS if options[role] is not None}
    divisions = named_divisions(options["by"])
    by = {f"by_{i}": column for i, column in enumerate(divisions.values())}
    read = read_ratings(people, replace(Reading.of(options), whole=True), models, **roles, **by)
    parts = dict(zip(divisions, read.units.parts.values(), strict=True))
    read = replace(read, units=replace(read.units, parts=parts))
    used = [*["judge"] * bool(judged), *roles, *["by"] * bool(by)]
    about = {"y_pred": None, **read.about, **dict(zip(used, used, strict=True))}
    return _rated(replace(read, about=about), tuple(people), name if judged else "")


def _same_systems(people: Mapping[str, Any], judge: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the judge rated, in the order of the systems that people rated."""
    if judge.keys() != people.keys():
        raise InputError(
            f"The judge rated {quoted(judge)}, and people {quoted(people)}; both must be the same.",
            parameter="judge",
            hint="Give both for one system, or as mappings with the same systems.",
        )
    return {system: judge[system] for system in people}


def _of_table(y_true: Any, data: Any, options: Mapping[str, Any]) -> Rated:
    """Read columns of a frame or of files: long with a column of systems, else wide."""
    gold, judge, system = "gold" if y_true is None else y_true, options["judge"], options["system"]
    how = {**options, "item": options["id"], "judge": None, "progress": None}
    how["reading"] = {"whole": True, "missing": options["missing"]}
    if system is not None:
        for parameter, name in {"y_true": gold, "judge": judge or ""}.items():
            require_name(name, parameter)
        how |= {"rater": system, "rating": gold, "judge": judge}
        read, _ = rated_data(None, data, how)
        systems, name = read.names[: len(read.names) // (1 + (judge is not None))], judge or ""
    else:
        people, given = _columns(gold), {} if judge is None else _columns(judge)
        if given and (isinstance(judge, Mapping) or len(given) != len(people)):
            given = _same_systems(people, given)
        named = [*(("y_true", c) for c in people.values()), *(("judge", c) for c in given.values())]
        check_roles(named)
        read, _ = rated_data(None, data, how, raters={c: role for role, c in named})
        systems, name = tuple(people), _JUDGE if len(given) > 1 else "".join(given.values())
    shown = {"y_true": _shown(gold), "judge": _shown(judge), "system": system, "id": options["id"]}
    about = {name: value for name, value in shown.items() if value is not None}
    about |= {k: v for k, v in read.about.items() if k not in ("item", "rater", "rating", "judge")}
    return _rated(replace(read, about=about), systems, name)


def _columns(names: Any) -> dict[str, str]:
    """Return the column of every system, by default named after it."""
    if isinstance(names, Mapping):
        return {str(name): text_name(column) for name, column in names.items()}
    every = [names] if isinstance(names, str) else map(text_name, names)
    return {str(name): name for name in every}


def _shown(names: Any) -> Any:
    """Return columns as a call prints them: a list where a name alone would be divided."""
    if names is None or (isinstance(names, str) and "," not in names):
        return names
    columns = _columns(names)
    return columns if isinstance(names, Mapping) else list(columns)


def _rated(read: Data, systems: tuple[str, ...], judge: str) -> Rated:
    """Return ratings with a column of no gold, which tables need, and systems in order."""
    names = sorted_names(systems)
    places = np.array([systems.index(name) for name in names])
    both = np.concatenate([places, places + len(systems)] if judge else [places])
    codes = np.concatenate([np.zeros_like(read.codes[:1]), read.codes[both]])
    return Rated(replace(read, codes=codes, names=("", *names)), tuple(systems), judge)


def _checked(rated: Rated, missing: str) -> Rated:
    """Settle what is missing: every item needs ratings of the judge, or else of people."""
    counting = rated.data.units.counting()
    if counting is not None:
        rated = replace(rated, data=rated.data.take(counting))
    data, size = rated.data, len(rated.systems)
    items, there = data.units.items_of, data.codes[1:] < data.scale.k
    gap = np.asarray(~(there[size:] if rated.judged else there).all(axis=0))
    absent = f"no rating of {rated.judge}" if rated.judge else "no rating"
    if gap.any() and missing != "skip":
        raise InputError(
            f"{plural(items(gap), 'item has', 'items have')} {absent}"
            f"{' for some system' * (size > 1)}.",
            parameter="missing",
            hint="Systems share no item: name what they share, such as the prompt, with {id}."
            if gap.all() and size > 1
            else "Drop them, or pass {missing} to leave those items out (they are counted)."
            + " With {judge} people may rate a random part." * (not rated.judged),
            suggest={"missing": "skip", "judge": ...},
        )
    notes = [warning("missing", f"Left out, {absent}: {plural(items(gap), 'item')}.")]
    notes *= int(gap.any())
    partly = items(there[:size].any(axis=0) & ~rated.labelled & ~gap)
    text = f"Not used: ratings by people of {plural(partly, 'item')} that not all systems have."
    notes += [warning("ratings", text)] * (partly > 0)
    kept = data.take(~gap) if gap.any() else data
    kept = replace(kept, notices=(*data.notices, *notes))
    rated = replace(rated, data=kept)
    if not rated.labelled.any():
        raise InputError(
            "No item was rated by people for every system.",
            parameter="y_true",
            hint="Evaluate the systems one at a time." * (size > 1),
        )
    return rated
