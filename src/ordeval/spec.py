"""Measures with their parameters: values that parse, print, compare and score."""

import ast
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from .counts import Counts, check_table
from .distributions import read_distributions
from .errors import InputError, UndefinedWarning, abbreviate, did_you_mean, quoted
from .registry import ALIASES, Record, records
from .scale import Scale, class_values
from .types import Missing

_LONGEST_SPEC = 10_000


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters: compares and hashes by value, prints as its specification."""

    record: Record = field(compare=False, repr=False)
    id: str
    given: tuple[tuple[str, Any], ...]

    @property
    def params(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        return dict(self.given)

    @property
    def better(self) -> str:
        """ "higher" or "lower"."""
        return self.record.better

    @property
    def sign(self) -> int:
        """+1 where higher is better, -1 where lower is."""
        return 1 if self.better == "higher" else -1

    @property
    def arrow(self) -> str:
        """↑ or ↓, the better direction."""
        return "↑" if self.better == "higher" else "↓"

    def __str__(self) -> str:
        shown = [
            f"{name}={value!r}"
            for name, value in self.given
            if (p := self.record.parameter(name)).shown or value != p.default
        ]
        return f"{self.id}({', '.join(shown)})" if shown else self.id

    @property
    def short(self) -> str:
        """A short name for headings: the symbol, and what tells variants apart."""
        told = [
            str(value).replace("True", name).replace("False", f"no {name}")
            for name, value in self.given
            if (p := self.record.parameter(name)).shown or value != p.default
        ]
        return " ".join([self.record.symbol or self.id, *told])

    def __repr__(self) -> str:
        return f"<measure {self}>"

    def bounds(self, k: int) -> tuple[float, float]:
        """The lowest and highest possible score on a scale of k classes with values 1..k."""
        return self.record.bounds(k, self.params)

    def best(self, k: int) -> float:
        """The better end of the bounds, which a perfect prediction has if the record claims so."""
        return self.bounds(k)[1 if self.better == "higher" else 0]

    def of(self, tables: Any, other: Any = None, *, values: Any = None) -> Any:
        """Score tables `[..., gold, predicted]`: an array of shape `[...]`, NaN where undefined.

        `tables` may be NumPy, PyTorch, JAX or CuPy arrays, nested lists, or `Counts`. A
        quantification measure takes two arrays `[..., K]` instead: estimated, then gold.
        """
        if self.record.task == "quantification":
            return self._of_distributions(tables, other, values)
        if isinstance(tables, Counts):
            values = tables.scale.values if values is None else values
            tables = tables.table
        return self._of_tables(_as_tables(tables), values)

    def _of_tables(self, n: Any, values: Any) -> Any:
        self._check_classes(n.shape[-1])
        given = {"values": _class_values(n, values)} if self.record.uses_values else {}
        return self.record.function(n, **given, **self.params)

    def _check_classes(self, k: int) -> None:
        """Refuse a number of classes that the measure or a parameter is not made for."""
        largest = self.record.largest_k
        if largest is not None and k > largest:
            raise InputError(f"{self} takes at most {largest} classes; the scale has {k}.")
        for name, value in self.given:
            if not self.record.parameter(name).fits(value, k):
                raise InputError(f"{self}: {name} does not fit a scale of {k} classes.")

    def _of_distributions(self, p: Any, q: Any, values: Any) -> Any:
        if q is None:
            raise InputError(f"{self} compares two distributions: give estimated and gold arrays.")
        p, q = _as_distributions(p, "estimated"), _as_distributions(q, "gold")
        _check_comparable(p.shape, q.shape)
        self._check_classes(q.shape[-1])
        given = {"values": _class_values(q, values)} if self.record.uses_values else {}
        return self.record.function(p, q, **given, **self.params)

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        values: Any = None,
        sample_weight: Any = None,
        missing: Missing = "error",
        undefined: float | None = None,
    ) -> float:
        """Score predicted labels against gold ones; NaN with a warning where undefined.

        `undefined` is a number to use instead of NaN. A quantification measure takes two
        distributions instead of labels: gold, then estimated.
        """
        undefined = check_replacement(undefined)
        if self.record.task == "quantification":
            refuse_for_distributions(sample_weight=sample_weight)
            return self.of_one_pair(y_true, y_pred, labels, values, undefined)
        refuse_several(y_pred)
        counts = Counts.from_labels(
            y_true,
            y_pred,
            labels=labels,
            values=values,
            sample_weight=sample_weight,
            missing=missing,
        )
        score = float(self.of(counts))
        if score == score:
            return score
        if undefined is not None:
            return undefined
        warnings.warn(self.undefined_message(counts), UndefinedWarning, stacklevel=2)
        return score

    def undefined_message(self, counts: Counts) -> str:
        """What to tell a user whose one table has no score."""
        return self._undefined_because(self.why_undefined(counts.table, counts.scale.values))

    def _undefined_because(self, reason: str) -> str:
        return (
            f"{self} is undefined here: {reason}. Pass undefined=… to get a number instead of NaN."
        )

    def why_undefined(self, table: Any, values: Any = None) -> str:
        """The reason in words why the score of one table is undefined; empty if it is defined."""
        n = _as_tables(table)
        given = n, _class_values(n, values)
        conditions = self.record.undefined(self.params)
        return next((c.reason for c in conditions if bool(c.holds(*given))), "")

    def of_one_pair(
        self, gold: Any, estimated: Any, labels: Any, values: Any, undefined: float | None
    ) -> float:
        """Score one estimated distribution; the warning of an undefined one is for our caller's."""
        p, q = _as_distributions(estimated, "estimated"), _as_distributions(gold, "gold")
        score = _only(self.of(p, q, values=_values_of_scale(q.shape[-1], labels, values)))
        if score == score:
            return score
        if undefined is not None:
            return undefined
        reason = next(c.reason for c in self.record.undefined(self.params) if bool(c.holds(p, q)))
        warnings.warn(self._undefined_because(reason), UndefinedWarning, stacklevel=3)
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.id, self.given)  # records hold functions, which cannot be pickled


def refuse_several(y_pred: Any) -> None:
    """One score is of one system."""
    if isinstance(y_pred, Mapping):
        raise InputError("y_pred is a mapping of systems; give the labels of one system.")


def refuse_for_distributions(**options: Any) -> None:
    """Options that only labels of items have must not be ignored in silence."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise InputError(
            f"{', '.join(given)} cannot be used here: a quantification measure compares one "
            "distribution with another, and there are no items."
        )


def check_replacement(undefined: Any) -> float | None:
    """What stands in for an undefined score: a number, or nothing."""
    if undefined is None:
        return None
    if not isinstance(undefined, Real):
        raise InputError(f"undefined={abbreviate(undefined)} is not usable; give a number.")
    return float(undefined)


def _values_of_scale(k: int, labels: Any, values: Any) -> Any:
    """Class values of distributions over K classes, whose names may be declared."""
    if labels is None:
        return values
    scale = Scale.of(labels, values)
    if scale.k != k:
        raise InputError(
            f"labels names {scale.k} classes and the distributions have {k}; they must be the same "
            "classes, in the same order."
        )
    return scale.values


def _rebuild(id: str, given: tuple[tuple[str, Any], ...]) -> Measure:
    return Measure(records()[id], id, given)


def measures(task: str | None = "classification", *, batched: bool | None = None) -> list[Measure]:
    """Every measure in its usual variants, e.g. kappa with linear and with quadratic weights.

    `task` is "classification", "quantification", or None for both.
    """
    tasks = {record.task for record in records().values()}
    if task not in (None, *tasks):
        known = " or ".join(map(repr, sorted(tasks)))
        raise InputError(f"task={task!r} is not known; it is {known}.")
    return [
        _bind(record, variant)
        for record in records().values()
        if task in (None, record.task) and batched in (None, record.batched)
        for variant in record.variants
    ]


def parse_measure(spec: "str | Measure", **params: Any) -> Measure:
    """The measure that a specification such as "kappa(weights='quadratic')" names.

    Parameters may be given as Python values instead: `parse_measure("kappa", weights=array)`.
    """
    if params:
        if not (isinstance(spec, str) and spec.isidentifier()):
            raise InputError(
                f"{abbreviate(spec)} is given with parameters; give the name of a measure with "
                "parameters, or a specification alone."
            )
        return _look_up(spec, (), {name: _freeze(value) for name, value in params.items()})
    if isinstance(spec, Measure):
        return spec
    found = parse_measures(spec)
    if len(found) != 1:
        raise InputError(f"{spec!r} names {len(found)} measures; exactly one is expected.")
    return found[0]


def parse_measures(text: str) -> list[Measure]:
    """The measures of a comma-separated list, e.g. "cem, oc(beta=0.25)"."""
    if not isinstance(text, str):
        raise InputError(f'{text!r} is not a measure; give a text such as "cem".')
    problem = InputError(
        f'{text[:200]!r} is not a list of measures; write e.g. "cem, kappa(weights=quadratic)".'
    )
    if len(text) > _LONGEST_SPEC or "\\" in text:  # Python would warn of strange escapes
        raise problem
    try:
        tree = ast.parse(f"[{text.strip()}]", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise problem from None
    if not isinstance(tree, ast.List):
        raise problem
    return [_from_node(node, problem) for node in tree.elts]


def _from_node(node: ast.expr, problem: InputError) -> Measure:
    if isinstance(node, ast.Name):
        return _look_up(node.id, (), {})
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise problem
    if any(word.arg is None for word in node.keywords):
        raise problem
    given = {str(word.arg): _literal(word.value, problem) for word in node.keywords}
    return _look_up(node.func.id, [_literal(arg, problem) for arg in node.args], given)


def _literal(node: ast.expr, problem: InputError) -> Any:
    """A number, text, truth value or list; a bare word is a text."""
    if isinstance(node, ast.Name):
        return node.id
    try:
        return _freeze(ast.literal_eval(node))
    except (ValueError, TypeError):
        raise problem from None


def _look_up(name: str, positional: Iterable[Any], given: Mapping[str, Any]) -> Measure:
    known, key = records(), name.lower()
    id, preset = (key, {}) if key in known else ALIASES.get(key, (key, {}))
    if id not in known:
        names = [*known, *ALIASES]
        raise InputError(
            f"There is no measure {name!r}.{did_you_mean(key, names)} "
            "`ordeval measures` lists them all."
        )
    record = known[id]
    free = [p.name for p in record.parameters if p.name not in preset]
    positional = list(positional)
    if len(positional) > len(free):
        takes = f"at most {len(free)} parameter(s): {quoted(free)}" if free else "no parameter"
        raise InputError(f"{name} takes {takes}.")
    by_position = dict(zip(free, positional, strict=False))
    twice = [n for n in given if n in by_position or n in preset]
    if twice:
        raise InputError(f"{name} has {quoted(twice)} set already; give it once.")
    return _bind(record, {**preset, **by_position, **given})


def _bind(record: Record, given: Mapping[str, Any]) -> Measure:
    """A measure with checked parameters, defaults filled in."""
    for name, value in given.items():
        parameter = record.parameter(name)
        if not parameter.check(value):
            hint = did_you_mean(str(value), parameter.allowed.replace('"', "").split(", "))
            raise InputError(
                f"{record.id}: {name}={abbreviate(value)} is not usable; expected "
                f"{parameter.allowed}.{hint}"
            )
    full = tuple((p.name, _freeze(given.get(p.name, p.default))) for p in record.parameters)
    return Measure(record, record.id, full)


def _freeze(value: Any) -> Any:
    """Plain values that compare, hash and print alike: nested tuples, in them 1 for 1.0, True."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(_freeze(float(v) if isinstance(v, bool) else v) for v in value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_tables(tables: Any) -> Any:
    """Checked tables as floats, in their own array library."""
    if not _is_foreign(tables):
        return check_table(tables).astype(np.float64, copy=False)
    from array_api_compat import array_namespace

    xp = array_namespace(tables)
    if tables.ndim < 2 or tables.shape[-1] != tables.shape[-2]:
        raise InputError(f"The tables have shape {tuple(tables.shape)}; [..., K, K] is expected.")
    if xp.isdtype(tables.dtype, "real floating"):
        return tables
    return xp.astype(tables, xp.float64)


def _as_distributions(rows: Any, name: str) -> Any:
    """Checked distributions as floats; arrays of other libraries are taken as they are."""
    return rows if _is_foreign(rows) else read_distributions(rows, name).rows


def _check_comparable(p: tuple[int, ...], q: tuple[int, ...]) -> None:
    """Distributions are over the same classes, and in rows that match."""
    if p[-1] != q[-1]:
        raise InputError(
            f"The estimated distributions have {p[-1]} classes and gold {q[-1]}; they must be over "
            "the same classes."
        )
    try:
        np.broadcast_shapes(p, q)
    except ValueError:
        raise InputError(
            f"The estimated distributions have shape {tuple(p)} and gold {tuple(q)}; they must "
            "have the same rows, or one of them a single row."
        ) from None


def _only(scores: Any) -> float:
    """The one score of an array."""
    if scores.ndim > 0:
        raise InputError(
            f"Distributions of shape {tuple(scores.shape)} were given where one is expected; use "
            "measure.of(estimated, gold) for many."
        )
    return float(scores)


def _is_foreign(array: Any) -> bool:
    """Whether an array belongs to another library, which then computes on it."""
    if isinstance(array, np.ndarray):
        return False
    library = type(array).__module__.partition(".")[0]
    return library in ("torch", "cupy") or hasattr(array, "__array_namespace__")


def _class_values(array: Any, values: Any) -> Any:
    """Class values as an array like `array`; 1..K unless given."""
    from array_api_compat import array_namespace, device

    k = array.shape[-1]
    if values is None:
        values = range(1, k + 1)
    numbers = class_values(values, k)
    return array_namespace(array).asarray(numbers, dtype=array.dtype, device=device(array))
