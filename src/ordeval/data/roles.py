"""Which columns of a table are gold, systems, topics, weights, …"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, abbreviate, did_you_mean, quoted
from ..notes import Notes, warning

SHOWN = 5  # examples in a message
SPACES = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # what strip() removes
# Columns of these names are not taken for systems.
RESERVED = ("id", "topic", "weight", "frequency", "cluster")
# Columns that are called like an id or a part of the data, or like a number of items.
NOT_A_SYSTEM = re.compile(
    r"^((.*[\W_])?(ids?|uid|uuid|nr|index|idx)|no|num|number|key|row|set|split|fold|prompt|part)$",
    re.IGNORECASE,
)
NUMBER_OF_ITEMS = re.compile(
    r"n|counts?|freqs?|frequenc(y|ies)|n_items|anzahl|h(ä|ae)ufigkeit", re.IGNORECASE
)
GROUPS = ("topic", "cluster")
NUMBERS = ("weight", "frequency", "rate")

Pred = str | Sequence[str] | None
Fetched = list[tuple[Any, ...]]


def pred_role(system: int) -> str:
    """Return the role of the predictions of a system."""
    return f"p{system}"


def parameter_of_role(role: str) -> str:
    """Return the parameter that names the column of a role: its first word.

    >>> parameter_of_role("item_1"), parameter_of_role("cluster")
    ('item', 'cluster')
    """
    return role.partition("_")[0]


def require_column(name: Any, columns: Sequence[str], parameter: str, where: str = "") -> None:
    """Raise an error that lists the columns unless `name` is one of them."""
    if not isinstance(name, str):
        raise InputError(
            f"{where}{parameter} is {abbreviate(name)}; the name of one column is expected.",
            parameter=parameter,
        )
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


def check_roles(
    taken: Iterable[tuple[str, str]], preds: Iterable[str] = (), where: str = ""
) -> None:
    """Raise an error for a column that is named for two roles that exclude each other.

    Ids, topics and clusters may be the same column; nothing else may.
    """
    named = [*taken, *(("pred", name) for name in dict.fromkeys(preds))]
    for i, (role, name) in enumerate(named):
        before = [other for other, column in named[:i] if column == name]
        if before and not {role, *before} <= {"id", *GROUPS}:
            raise InputError(
                f"{where}column {name!r} is named for two roles, {before[0]} and {role}; a column "
                "has one.",
                parameter=role,
            )


def prediction_columns(columns: Sequence[str], taken: Iterable[str | None]) -> list[str]:
    """Return the columns that may hold predictions if none are named."""
    others = {*taken, *RESERVED}
    return [column for column in columns if column not in others]


@dataclass(frozen=True)
class Roles:
    """The columns of a table by their roles.

    In a table to be read the columns are renamed after their roles: gold, p0, p1, … (the systems,
    and last perhaps a judge), topic, cluster, weight, frequency, rate, item, text.

    Parameters
    ----------
    gold : str
        The column of gold labels.
    systems : tuple of str
        The columns or names of the systems.
    judge : str, optional
        The column of the labels of a judge.
    others : mapping of str to str
        The columns of topics, clusters, weights, frequencies and rates.
    guessed : bool
        Whether the systems are all columns without another role.
    unused : tuple of str
        Columns that are called like a role, and are neither used for it nor scored.
    """

    gold: str
    systems: tuple[str, ...]
    judge: str | None
    others: Mapping[str, str]
    guessed: bool = False
    unused: tuple[str, ...] = ()

    @classmethod
    def choose(
        cls,
        columns: Sequence[str],
        gold: str,
        pred: Pred,
        roles: Mapping[str, str | None],
        *,
        judge: str | None = None,
        id: Sequence[str] = (),
        text: str | None = None,
        aside: Sequence[str] = (),
        where: str = "",
    ) -> "Roles":
        """Choose the columns of a table; those in `aside` are no predictions unless named."""
        wanted = [pred] if isinstance(pred, str) else list(() if pred is None else pred)
        others = {role: name for role, name in roles.items() if name is not None}
        taken = [("gold", gold), *others.items(), *(("id", name) for name in id)]
        taken += [] if judge is None else [("judge", judge)]
        required = [*taken, *(("pred", name) for name in wanted)]
        required += [] if text is None else [("text", text)]
        for parameter, name in required:
            require_column(name, columns, parameter, where)
        # A judge may be scored as well.
        check_roles(taken, [name for name in wanted if name != judge], where)
        used = [name for _, name in required] + list(aside)
        unused = []
        if pred is None:
            wanted = prediction_columns(columns, used)
            unused = [name for name in RESERVED[1:] if name in columns and name not in used]
        repeated = [name for name, times in Counter(wanted).items() if times > 1]
        if repeated or not wanted:
            problem = (
                f"{quoted(repeated)} is named as a prediction more than once."
                if repeated
                else "no column is left for predictions beside "
                f"{quoted(name for _, name in taken)}; the columns are {quoted(columns, 20)}."
            )
            raise InputError(where + problem, parameter="pred")
        return cls(gold, tuple(wanted), judge, others, pred is None, tuple(unused))

    @property
    def labelled(self) -> dict[str, str]:
        """The columns of labels by role: gold, the systems and perhaps a judge."""
        systems = self.systems if self.judge is None else (*self.systems, self.judge)
        return {"gold": self.gold, **{pred_role(i): name for i, name in enumerate(systems)}}

    @property
    def columns(self) -> dict[str, str]:
        """The column of every role."""
        return {**self.labelled, **self.others}

    @property
    def notices(self) -> Notes:
        """Which columns are called like a role, and were not used."""
        return unused_notices(self.unused, "predictions")


def unused_notices(unused: Sequence[str], others: str) -> Notes:
    """Say which columns are called like a role, and are neither used for it nor among others."""
    if not unused:
        return ()
    one = len(unused) == 1
    return (
        warning(
            "roles",
            f"Not used, because {'it is' if one else 'they are'} called like a role: "
            f"{quoted(unused)}. Name {'it' if one else 'each'} with the option of that name to use "
            f"it, or among the {others}.",
            request=True,
        ),
    )
