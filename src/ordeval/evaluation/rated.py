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
from ..data.roles import NUMBERS, check_roles, text_name
from ..data.units import Rows
from ..errors import InputError, plural, quoted
from ..measures.scoring import MeasuresLike, check_task, parse_primary, read_measures, with_primary
from ..measures.spec import Measure, parse_measure
from ..notes import Notes, note, warning
from ..options import FileOptions
from ..stats.judge_labels import JudgedItems, JudgedRows
from ..types import Array, Bools
from .ratings import rated_data, unusual

_JUDGE = "the judge"
_OF_ITEMS = ("cluster", *NUMBERS)
_NAMES = {"ratings": "y_true", "rating": "y_true", "rater": "system", "item": "id"}


def asks_ratings(measures: MeasuresLike) -> bool:
    """Return whether a measure of ratings is among those that are named."""
    if measures is None or (isinstance(measures, str) and measures == "all"):
        return False
    return any(m.record.task == "ratings" for m in read_measures(measures))


def rating_measures(
    labels: Sequence[Any], measures: MeasuresLike, primary: str | Measure | None
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures, the share of every class by itself, and the one that ranks."""

    def each(asked: Measure) -> list[Measure]:
        if asked.id != "share" or asked.params["label"] is not None:
            return [asked]
        plain = (x if isinstance(x, str | int | float) else str(x) for x in labels)
        return [parse_measure("share", label=label) for label in plain]

    asked = read_measures(measures)
    chosen = tuple(dict.fromkeys(m for one in asked for m in each(one)))
    check_task(chosen, "ratings")
    directed = [m for m in chosen if m.record.directed] or chosen[::-1]
    first = directed[0] if primary is None else each(parse_primary(primary))[-1]
    check_task([first], "ratings", "primary")
    return with_primary(chosen, first)


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings of every system's outputs by people, with gaps, and perhaps by a judge.

    The columns of `data` are 0, the ratings by people of every system, and those by the judge.
    """

    data: Data
    systems: tuple[str, ...]
    judge: str = ""
    paired = True

    @property
    def judged(self) -> bool:
        """Whether there is a judge."""
        return bool(self.judge)

    @cached_property
    def labelled(self) -> Bools:
        """The items that people rated for every system."""
        return np.asarray((self._people < self.data.scale.k).all(axis=0))

    @property
    def _people(self) -> Array:
        return self.data.codes[1 : 1 + len(self.systems)]

    def people(self) -> Data:
        """Return the ratings by people, of systems in the order of their names."""
        data, names = self.data, sorted_names(self.systems)
        places = [1 + self.systems.index(name) for name in names]
        some = replace(data, codes=data.codes[[0, *places]], names=("", *names))
        if not self.judged:
            return some
        some = some.take(self.labelled)
        rate = None if self._rate is None else some.units.rate
        weight = None if rate is None else 1 / rate
        about = {**data.about, "judge": data.about.get("judge", self.judge)}
        return replace(some, units=replace(some.units, weight=weight, rate=None), about=about)

    @property
    def _rate(self) -> Array | None:
        """The rates at which items were rated by people, if they differ."""
        rate = self.data.units.rate
        return None if rate is None or (rate == rate[0]).all() else rate

    def rows(self) -> list[JudgedRows]:
        """Return the distinct rows of ratings, for every system in the order of their names."""
        data, k = self.data, self.data.scale.k
        names = sorted_names(self.systems)
        places = [1 + self.systems.index(name) for name in names]
        judges = [place + len(self.systems) for place in places]
        codes = data.codes.copy()
        codes[1 : 1 + len(self.systems), ~self.labelled] = k  # some systems alone tell nothing
        every = [f"{i:06d}" for i in range(2 * len(names))]  # which keep their order
        rows = Rows.group(
            codes[[0, *places, *judges]], k + 1, every, count=data.units.count, weight=self._rate
        )
        people, judge = np.split(rows.labels[1:].astype(np.intp), 2)
        own = people[0] < k

        def items(judge: Array, at: Bools) -> JudgedItems:
            weight = None if rows.weight is None else 1 / rows.weight[at]
            none = np.zeros((1, int(at.sum())), np.intp)
            return JudgedItems(judge[at], none, rows.count[at], weight)

        return [
            JudgedRows(k, rating[own], items(given, own), items(given, ~own))
            for rating, given in zip(people, judge, strict=True)
        ]


def read_rated(y_true: Any, y_pred: Any, data: Any, options: Mapping[str, Any]) -> Rated:
    """Read ratings in memory, or of a frame or files."""
    if y_pred is not None:
        raise InputError(
            "mean and shares are of the ratings themselves; predictions have none.",
            parameter="y_pred",
            hint="Leave {y_pred} out, or give what was rated as y_true.",
        )
    _refuse(options)
    try:
        if isinstance(y_true, Data) and data is None:
            return _checked(_of_data(y_true), options["missing"])
        read = _in_memory if data is None else _of_table
        return _checked(read(y_true, data, options), options["missing"])
    except InputError as error:
        error.rename(**_NAMES)
        raise


def _refuse(options: Mapping[str, Any]) -> None:
    """Raise an error for what ratings do not have."""
    refuse_beside_judge(**{**options, "bins": None})
    given = {name: options[name] for name in ("topic", "text", "proba")}
    given["missing"] = options["missing"] if options["missing"] == "worst" else None
    for name in [name for name, value in given.items() if value is not None]:
        hint = " Items of one topic are resampled together with {cluster}." * (name == "topic")
        raise InputError(
            f"{name} cannot be used with mean and shares, which are of all ratings.",
            parameter=name,
            hint=f"Leave {{{name}}} out.{hint}",
        )


def _of_data(data: Data) -> Rated:
    """Return gold, and perhaps a judge, of labels that were read already as ratings."""
    places = [0, len(data.names) - 1] if data.judged else [0]
    units = replace(data.units, topic=None, topics=())
    codes, judge = data.codes[places], data.names[-1] if data.judged else ""
    some = replace(data, codes=codes, units=units, judged=False, raw=None, proba=())
    return _rated(some, (data.names[0],), judge)


def _in_memory(y_true: Any, data: Any, options: Mapping[str, Any]) -> Rated:
    """Read columns in memory: of one system, or a mapping from system to ratings."""
    if y_true is None or isinstance(y_true, (Counts, JointCounts)):
        raise InputError(
            "y_true holds no ratings; a rating per item is expected.", parameter="y_true"
        )
    people, judge = as_systems(y_true), as_systems(options["judge"])
    names = tuple(map(str, people)) if isinstance(people, Mapping) else ()
    given = [people, *[judge] * (judge is not None)]
    _check_systems(names, judge)
    columns = [named_columns(x, "y_true") if names else {"": x} for x in given]
    alone = (series_name(y_true) or "ratings",)
    name = "" if judge is None else series_name(judge) or _JUDGE
    models = {f"{name} of {s}" if names else name: columns[-1][s] for s in columns[0]}
    raters = dict(zip(names or alone, columns[0].values(), strict=True))
    roles = {role: options[role] for role in _OF_ITEMS if options[role] is not None}
    reading = replace(Reading.of(options), whole=True)
    read = read_ratings(raters, reading, models if name else None, **roles)
    about = {"y_pred": None, **read.about, **{role: role for role in roles}}
    return _rated(replace(read, about=about), tuple(raters), name)


def _check_systems(names: tuple[str, ...], judge: Any) -> None:
    """Raise an error unless the judge rated the same systems."""
    rated = tuple(map(str, judge)) if isinstance(judge, Mapping) else ()
    if judge is not None and sorted(rated) != sorted(names):
        raise InputError(
            f"The judge rated {quoted(rated) or 'one system'}, and people "
            f"{quoted(names) or 'one system'}; both must have rated the same.",
            parameter="judge",
            hint="Give both for one system, or as mappings with the same systems.",
        )


def _of_table(y_true: Any, data: Any, options: Mapping[str, Any]) -> Rated:
    """Read columns of a frame or of files: long with a column of systems, else wide."""
    gold, judge, system = "gold" if y_true is None else y_true, options["judge"], options["system"]
    roles = {role: options[role] for role in (*_OF_ITEMS, "na", "labels", "values", "bins")}
    how = {**unusual(options, FileOptions), **roles, "item": options["id"]}
    how["reading"] = {"whole": True, "missing": options["missing"]}
    how.pop("system", None)
    about = {"y_true": _plain(gold), "judge": _plain(judge), "system": system, "id": options["id"]}
    about = {name: value for name, value in about.items() if value is not None}
    if system is not None:
        read, _ = rated_data(None, data, {**how, "rater": system, "rating": gold, "judge": judge})
        systems, name = read.names[: len(read.names) // (1 + (judge is not None))], judge or ""
    else:
        people, given = _columns(gold), {} if judge is None else _columns(judge)
        if given and len(people) != len(given):
            _check_systems(tuple(people), given)
        named = [("y_true", name) for name in people.values()]
        named += [("judge", name) for name in given.values()]
        check_roles(named)
        raters = {name: parameter for parameter, name in named}
        read, _ = rated_data(None, data, how, raters=raters)
        systems, name = tuple(people), _JUDGE if len(given) > 1 else "".join(given.values())
    kept = {k: v for k, v in read.about.items() if k not in ("item", "rater", "rating", "judge")}
    return _rated(replace(read, about={**kept, **about}), systems, name or "")


def _plain(names: Any) -> Any:
    """Return columns as a call prints them; a name with a comma is a list on the command line."""
    if isinstance(names, Mapping):
        return {str(name): text_name(column) for name, column in names.items()}
    alone = isinstance(names, str) and "," not in names
    return names if names is None or alone else [names] if isinstance(names, str) else list(names)


def _columns(names: Any) -> dict[str, str]:
    """Return the column of every system, by default named after it."""
    if isinstance(names, Mapping):
        return {str(name): text_name(column) for name, column in names.items()}
    every = [names] if isinstance(names, str) else [text_name(name) for name in names]
    return {str(name): name for name in every}


def _rated(read: Data, systems: tuple[str, ...], judge: str) -> Rated:
    """Return ratings with the column of gold that tables need."""
    codes = np.concatenate([np.zeros_like(read.codes[:1]), read.codes])
    judges = [f"judge {system}" for system in systems] if judge else []
    return Rated(replace(read, codes=codes, names=("", *systems, *judges)), systems, judge)


def _checked(rated: Rated, missing: str) -> Rated:
    """Settle what is missing: every item needs ratings of the judge, or else of people."""
    counting = rated.data.units.counting()
    if counting is not None:
        rated = replace(rated, data=rated.data.take(counting))
    data, k, size = rated.data, rated.data.scale.k, len(rated.systems)
    needed = data.codes[1 + size :] if rated.judged else data.codes[1:]
    gap = (needed == k).any(axis=0)
    who = rated.judge if rated.judged else "people"
    if gap.any() and missing != "skip":
        raise InputError(
            f"{plural(data.units.items_of(gap), 'item has', 'items have')} no rating of {who}"
            f"{' for some system' * (size > 1)}.",
            parameter="missing",
            hint="Drop them, or pass {missing} to leave those items out (they are counted)."
            + " With {judge} people may rate a random part." * (not rated.judged),
            suggest={"missing": "skip", "judge": ...},
        )
    if gap.any():
        left = warning(
            "missing", f"No rating of {who}: {plural(data.units.items_of(gap), 'item')}."
        )
        some = data.take(~gap)
        data = replace(some, skipped=data.units.items_of(gap), notices=(*data.notices, left))
        rated = replace(rated, data=data)
    if not rated.labelled.any():
        raise InputError(
            "No item was rated by people for every system.",
            parameter="y_true",
            hint="Evaluate the systems one at a time." * (size > 1),
        )
    return replace(rated, data=replace(data, notices=(*data.notices, *_partly(rated))))


def _partly(rated: Rated) -> Notes:
    """Say how many items people rated for some systems only, which are not used."""
    some = (rated.data.codes[1 : 1 + len(rated.systems)] < rated.data.scale.k).any(axis=0)
    n = rated.data.units.items_of(some & ~rated.labelled)
    text = f"Not used: ratings by people of {plural(n, 'item')} that not all systems have."
    return (note("ratings", text),) if n else ()
