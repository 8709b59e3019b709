"""Calls of functions, which print themselves as Python and as a command."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .formatting import protected
from .options import (
    AgreementOptions,
    CompareOptions,
    CutpointOptions,
    ItemOptions,
    JudgeOptions,
    PlanOptions,
    QuantifyOptions,
    RatingColumns,
    ReadOptions,
    ReadSharesOptions,
    declared,
)

_POSITIONS = {
    "evaluate": ("y_true", "y_pred"),
    "compare": ("y_true", "y_pred"),
    "quantify": ("p_true", "p_pred"),
    "agreement": ("ratings",),
    "judge": ("people", "models"),
    "cutpoints": ("y_true", "score"),
    "plan": ("y_true", "y_pred"),
}
_DOORS: dict[str, tuple[Any, Any]] = {  # the options of a function, and of what reads its data
    "evaluate": (CompareOptions, ReadOptions),
    "compare": (CompareOptions, ReadOptions),
    "quantify": (QuantifyOptions, ReadSharesOptions),
    "agreement": (AgreementOptions, ReadOptions),
    "judge": (JudgeOptions, ReadOptions),
    "cutpoints": (CutpointOptions, CutpointOptions),
    "plan": (PlanOptions, ReadOptions),
}
_RATED = (AgreementOptions, JudgeOptions)
_COLUMNS = (*declared(ItemOptions), *declared(RatingColumns))
_COLUMNS += ("topic", "id", "judge", "rate", "size", "proba", "by")


@dataclass(frozen=True)
class Call:
    """A call of a function, which prints itself as Python and as a command.

    Parameters
    ----------
    function : str
        The function.
    options : mapping of str to object
        Its arguments, as far as they are not the defaults. With `data`, a path, the others name
        columns; without it they are variables.

    Examples
    --------
    >>> call = Call("compare", {"topic": "topic", "measures": "qwk", "labels": ["low", "high"]})
    >>> print(call.python())
    oe.compare(
        y_true,
        y_pred,
        topic=topic,
        measures='qwk',
        labels=['low', 'high'],
    )
    >>> print(call.command())
    ordeval compare DATA \\
      --topic=topic \\
      --measures=qwk \\
      --labels=low,high
    """

    function: str
    options: Mapping[str, Any]

    def python(self) -> str:
        """Return the call in Python, with variables for what is in memory."""
        given, positions = dict(self.options), _POSITIONS[self.function]
        positions = positions[: 1 if "proba" in given else None]  # which stand for predictions
        if given.pop("counts", None):
            return _written(self.function, ["counts"], given, bare=_COLUMNS)
        if paths := given.pop("results", None):
            both = ["old", "new"] if paths is True else [f"oe.load({path!r})" for path in paths]
            return _written(self.function, both, given)
        if "pilot" in given:  # a variable, or None
            return _written(self.function, [str(given.pop("pilot"))], given)
        if "data" not in given:
            used = [name for name in positions if given.pop(name, name) is not None]
            return _written(self.function, used, given, bare=_COLUMNS)
        data, runs = given.pop("data"), given.pop("runs", ())
        source = "data" if data is None else repr(data)  # a variable, or a path
        own, read = _DOORS[self.function]
        files_only = (given.keys() & declared(read).keys()) - declared(own).keys()
        if not runs and not files_only and own is not PlanOptions:
            names = [given.pop(name, None) for name in positions]
            while names and names[-1] is None:
                names.pop()
            if names and names[0] is None and positions[0] == "y_true":
                names[0] = "gold"  # the default, beside named predictions
            return _written(self.function, [*map(repr, names), f"data={source}"], given)
        if self.function == "plan" and given.get("y_pred", ...) is None:  # ratings, read elsewhere
            some = given.get("systems", "")
            alone = "width" in given and (isinstance(some, str) or len(some) < 2)
            reading = {n: given.pop(n) for n in ("y_true", *declared(read)) if n in given}
            reading |= {"data": data, "measures": given["measure"]}
            pilot = Call("evaluate" if alone else "compare", reading).python()
            del given["y_pred"]
            return f"pilot = {pilot}\n{_written(self.function, ['pilot'], given)}"
        raters = given.pop("ratings", None) or [
            name for role in ("people", "models") for name in given.get(role, ())
        ]
        reading = {"gold": None, "pred": raters or None} if own in _RATED else {}
        roles = dict(zip(("gold", "pred"), positions, strict=False)) if not reading else {}
        reading |= {new: given.pop(old) for new, old in roles.items() if old in given}
        reading |= {name: given.pop(name) for name in declared(read) if name in given}
        door = "read_shares" if self.function == "quantify" else "read"
        first = _written(door, [source, *map(repr, runs)], reading)
        who = [repr(given.pop(name)) for name in positions if name in given]
        rest = [*who, "data=data"] if who else ["data"]
        return f"data = {first}\n{_written(self.function, rest, given)}"

    @property
    def of_files(self) -> bool:
        """Whether the command can be typed: its data are files, or it needs none."""
        data, pilot, stored = (self.options.get(k, True) for k in ("data", "pilot", "results"))
        return data not in (None, True) or pilot is None or stored is not True

    def command(self) -> str:
        """Return the command line, with placeholders for files that are not known."""
        given = {name: x for name, x in self.options.items() if name != "counts"}
        if given.get("y_pred", ...) is None:  # ratings have no predictions
            del given["y_pred"]
        if "proba" in given and "data" not in given:  # arrays
            given["proba"] = "p_{label}" if self.function == "evaluate" else "{system}_{label}"
        if paths := given.pop("results", None):
            given["data"], *given["runs"] = ("OLD", "NEW") if paths is True else paths
        files = [given.pop("data", None) or "DATA", *given.pop("runs", ())]
        files = files if given.pop("pilot", "DATA") else []
        name = {"evaluate": "score"}.get(self.function, self.function)
        parts = [shlex.join(["ordeval", name, *files])]
        for option, value in ((o, v) for o, v in given.items() if v is not None):
            if option in ("y_true", "judge") and isinstance(value, Mapping):
                value = list(value.values())  # systems are called after columns there
            words = _patterns(value) if option == "proba" else _texts(value)
            texts = ["" if isinstance(value, bool) else f"={shlex.quote(t)}" for t in words]
            parts += [flag(option) + text for text in texts]
        return " \\\n  ".join(parts)


def _written(
    function: str, data: Iterable[str], options: Mapping[str, Any], bare: Sequence[str] = ()
) -> str:
    """Return a call in Python, an argument a line; the values of `bare` options are variables."""
    named = (f"{k}={k if k in bare else repr(value)}" for k, value in options.items())
    return f"oe.{function}(\n" + "".join(f"    {line},\n" for line in (*data, *named)) + ")"


def _texts(value: Any) -> list[str]:
    """Return a value on the command line, which takes some options several times."""
    if isinstance(value, Mapping):
        rows = ((c, v if isinstance(v, list | tuple) else [v]) for c, v in value.items())
        return [f"{column}={word}" for column, words in rows for word in words]
    return [",".join(map(protected, value)) if isinstance(value, list | tuple) else str(value)]


def _patterns(proba: Any) -> list[str]:
    """Return columns of probabilities on the command line, perhaps by system."""

    def quoted(word: str) -> str:  # so that no sign is taken for that after a system
        return f'"{word.replace(chr(34), chr(34) * 2)}"' if "=" in word else protected(word)

    def columns(given: Any) -> str:
        return ",".join(map(quoted, [given] if isinstance(given, str) else given))

    if isinstance(proba, Mapping):
        return [f"{quoted(system)}={columns(given)}" for system, given in proba.items()]
    return [columns(proba)]


_FLAGS = {
    "rng": "--seed",
    **dict.fromkeys(("y_true", "p_true"), "--gold"),
    "y_pred": "--pred",
    "ratings": "--raters",
    "header": "--no-header",
    "renormalise": "--no-renormalise",
}


def flag(option: str) -> str:
    """Return the option of the command line for a parameter.

    >>> flag("rng"), flag("pair_measures")
    ('--seed', '--pair-measures')
    """
    return _FLAGS.get(option, f"--{option.replace('_', '-')}")
