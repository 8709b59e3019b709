"""Measures with their parameters: values that parse, print, compare and score."""

import ast
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from numbers import Real
from typing import Any, Unpack, get_args

import numpy as np
from array_api_compat import device

from ..data.containers import refuse_huge
from ..data.counts import Counts, check_table
from ..data.data import as_systems
from ..data.distributions import read_distributions, read_sizes
from ..data.moments import Moments
from ..data.scale import Scale, class_values
from ..errors import InputError, UndefinedWarning, abbreviate, check_choice, did_you_mean, quoted
from ..options import CallOptions, TableOptions, options_of, takes
from ..types import Floats, LabelColumn
from .batches import score_counts
from .registry import (
    Better,
    Given,
    OnNumbers,
    Params,
    Record,
    Task,
    changes,
    find_record,
    known_names,
    names_elsewhere,
    records,
)
from .terms import array_namespace

_LONGEST_SPEC = 100_000


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters, as `ordeval.measure` returns it.

    Measures compare and hash by name and parameters, and print as their key.

    Parameters
    ----------
    record : Record
        Every fact about the measure.
    id : str
        Name of the measure.
    given : tuple of (str, object)
        All parameters with their values, defaults included.
    placed : bool
        Whether classes that parameters name are positions, as `on` makes them.

    Examples
    --------
    >>> import ordeval as oe
    >>> m = oe.measure("qwk")
    >>> m
    <measure kappa(weights='quadratic')>
    >>> m([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3])
    0.8
    >>> m.of([[[4, 1], [0, 3]], [[2, 2], [2, 2]]])
    array([0.75, 0.  ])
    """

    record: Record = field(compare=False, repr=False)
    id: str
    given: Given
    placed: bool = field(default=False, compare=False, repr=False)

    @cached_property
    def specification(self) -> str:
        """The name with its parameters, such as "kappa(weights='quadratic')"."""
        return self.record.specification(self.given)

    @cached_property
    def key(self) -> str:
        """What names the measure in frames, files and messages: "qwk", "oc_0.25"."""
        return self.record.short_keys.get(self.given, self.specification)

    @cached_property
    def label(self) -> str:
        """The display name of the measure in texts, tables and figures: "quadratic kappa"."""
        template = self.record.label or self.id
        plain = {n: "custom" if isinstance(v, tuple) else v for n, v in self.given}
        plain = {n: "each class" if v is None else v for n, v in plain.items()}
        label = template.format(**plain).removesuffix(", identity")
        label = label.replace("none kappa", "unweighted kappa")
        hidden = [n for n in self.record.shown(self.given) if f"{{{n}}}" not in template]
        if hidden and self.key in self.record.keys:
            return f"{label} {self.key.removeprefix(self.id + '_')}"
        return f"{label} ({', '.join(f'{n}={plain[n]}' for n in hidden)})" if hidden else label

    @property
    def __name__(self) -> str:  # scikit-learn's `make_scorer` takes functions
        return self.key

    def __str__(self) -> str:
        return self.key

    def __repr__(self) -> str:
        return f"<measure {self.specification}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return parse_measure, (self.specification,)  # functions of records cannot be pickled

    @property
    def params(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        return dict(self.given)

    @property
    def better(self) -> Better:
        """Which scores are better, "higher" or "lower"."""
        return self.record.better

    @property
    def sign(self) -> int:
        """1 if higher scores are better, otherwise -1."""
        return 1 if self.better == "higher" else -1

    @property
    def arrow(self) -> str:
        """An arrow in the better direction, ↑ or ↓; empty if none is better."""
        if not self.record.directed:
            return ""
        return "↑" if self.better == "higher" else "↓"

    @property
    def formula(self) -> str:
        """The formula in LaTeX."""
        params = {f"{name}={value!r}" for name, value in self.given}
        of_variants = self.record.card.formulas.items()
        own = (f for parts, f in of_variants if params.issuperset(parts.split(", ")))
        return next(own, self.record.card.formula)

    @property
    def claims(self) -> frozenset[str]:
        """Properties that hold for every table; see `register_measure`.

        Of variants that are not listed and have an array as a parameter, most are not known.
        """
        listed = self.given in map(self.record.bind, self.record.variants)
        if not listed and any(isinstance(value, tuple) for _, value in self.given):
            return self.record.claims & {"perfect", "proportional"}
        return self.record.claims - set(self.record.unclaimed(self.params))

    @property
    def axioms(self) -> tuple[str, ...] | None:
        """The axioms that hold in every case searched; None if this variant was not searched."""
        searched = self.record.axioms.get(self.specification)
        return None if searched is None else tuple(a for a in searched if a[0] != "?")

    def satisfies(self, axiom: str) -> bool | None:
        """Return whether the measure satisfies an axiom.

        Parameters
        ----------
        axiom : str
            Id of an axiom; `ordeval.meta.axioms_of` lists them.

        Returns
        -------
        bool or None
            Whether the axiom holds in every case that the search tries. None if this variant was
            not searched, or if the measure is undefined in every case.

        Examples
        --------
        >>> import ordeval as oe
        >>> oe.measure("cem").satisfies("imbalance"), oe.measure("mae").satisfies("imbalance")
        (True, False)
        """
        searched = self.record.axioms.get(self.specification)
        return None if searched is None or f"?{axiom}" in searched else axiom in searched

    @property
    def interval_note(self) -> str:
        """When an interval over items may cover the true score too rarely; empty if never."""
        record = self.record
        if record.interval_caveat:
            return f"Doubtful over items: {record.interval_caveat}."
        few = {
            "a gold class has": record.items_per_class,
            "the table has, per cell,": record.items_per_cell,
        }
        told = [f"{text} fewer than {least} items" for text, least in few.items() if least]
        return f"Doubtful over items if {' or '.join(told)}." if told else ""

    def interval_doubt(self, class_items: Floats) -> str:
        """Return why an interval over items may cover the true score too rarely.

        Parameters
        ----------
        class_items : array of shape (K,)
            Number of items of every gold class; with weights, their effective number.

        Returns
        -------
        str
            The reason as a clause; empty if there is none.

        Examples
        --------
        >>> import numpy as np
        >>> import ordeval as oe
        >>> oe.measure("macro_recall").interval_doubt(np.array([40.0, 3.0]))
        'a class has fewer than 10 items'
        >>> oe.measure("accuracy").interval_doubt(np.array([40.0, 3.0]))
        ''
        """
        record = self.record
        if record.interval_caveat:
            return record.interval_caveat
        if record.items_per_class and class_items.min() < record.items_per_class:
            return f"a class has fewer than {record.items_per_class} items"
        if class_items.sum() < record.items_per_cell * len(class_items) ** 2:
            return f"there are fewer than {record.items_per_cell} items per cell of the table"
        return ""

    def bounds(self, scale: Scale | int | Iterable[float]) -> tuple[float, float]:
        """Return a number that no score is below and one that none is above.

        Parameters
        ----------
        scale : Scale, int or sequence of float
            The scale, or its class values; a number of classes stands for the values 1..K.

        Returns
        -------
        tuple of float
            The bounds, which may be infinite. They hold for every table of counts, and for all
            distributions that sum to 1.

        Examples
        --------
        >>> import ordeval as oe
        >>> oe.measure("mae").bounds(5)
        (0.0, 4.0)
        >>> oe.measure("mae").bounds([0, 10, 30, 100])
        (0.0, 100.0)
        """
        return self.record.bounds(_numbers_of(scale), self.params)

    def best(self, scale: Scale | int | Iterable[float]) -> float:
        """Return the better one of the bounds.

        Parameters
        ----------
        scale : Scale, int or sequence of float
            The scale, or its class values; a number of classes stands for the values 1..K.

        Returns
        -------
        float
            The best possible score. A perfect prediction has it if "perfect" is among the claims
            of the record.

        Examples
        --------
        >>> import ordeval as oe
        >>> oe.measure("mae").best(5)
        0.0
        """
        return self.bounds(scale)[1 if self.better == "higher" else 0]

    @property
    def needs_sizes(self) -> bool:
        """Whether the measure depends on the numbers of items behind the distributions."""
        return self.record.uses_sizes and "size" in self.params.values()

    @property
    def raw(self) -> OnNumbers | None:
        """The measure as a function of sums over real numbers; None if it needs classes."""
        return self.record.raw(self.params)

    def kernel(self, *arrays: Any, size: Any = None) -> Any:
        """Score checked arrays; the input is not checked again.

        Parameters
        ----------
        *arrays : array
            ``kernel(tables, values)`` with tables `[..., K, K]`, or for a quantification measure
            ``kernel(gold, estimate, values)`` with distributions `[..., K]`; `values` are the
            class values `[K]`. Floating-point arrays of one library.
        size : array, optional
            The numbers of items `[...]` of the gold distributions, for measures that need them.

        Returns
        -------
        array
            Scores `[...]`, NaN where undefined.

        Examples
        --------
        >>> import numpy as np
        >>> import ordeval as oe
        >>> tables, values = np.array([[[3.0, 1.0], [0.0, 4.0]]]), np.array([1.0, 2.0])
        >>> oe.measure("mae").kernel(tables, values)
        array([0.125])
        """
        *sides, values = arrays
        by_name = {"values": values} if self.record.uses_values else {}
        if self.needs_sizes:
            if size is None:
                raise InputError(
                    f"{self} is smoothed by the number of items of each gold distribution, which "
                    "is not known.",
                    parameter="size",
                    hint="Give gold as counts, or the numbers of items with {size}.",
                    suggest={"size": ...},
                )
            by_name["size"] = size
        return self.record.function(*sides, **by_name, **self.params)

    def of(self, tables: Any, estimate: Any = None, *, values: Any = None, size: Any = None) -> Any:
        """Score tables of counts, or distributions, many at once.

        Parameters
        ----------
        tables : array_like of shape (..., K, K) or Counts
            Tables of counts, gold classes in rows and predicted classes in columns: nested lists,
            or arrays of NumPy, PyTorch, JAX or CuPy. For a quantification measure, the gold
            distributions, of shape (..., K).
        estimate : array_like of shape (..., K), optional
            Estimated distributions, for a quantification measure only.
        values : array_like of shape (K,), optional
            An increasing number per class; by default the class values of `Counts`, else 1 to K.
        size : array_like of shape (...), optional
            The number of items of each gold distribution, for a measure that is smoothed by it;
            the sums of gold by default if it holds counts.

        Returns
        -------
        array of shape (...)
            Scores, NaN where undefined, in the library of the input.

        Raises
        ------
        InputError
            If the input does not have such a form, or does not fit the measure.

        Examples
        --------
        >>> import ordeval as oe
        >>> oe.measure("accuracy").of([[[3, 1], [0, 4]], [[2, 2], [2, 2]]])
        array([0.875, 0.5  ])
        >>> oe.measure("nmd").of([[0.2, 0.3, 0.5]], [[0.5, 0.3, 0.2]])
        array([0.3])
        """
        of_shares = self.record.task == "quantification"
        if of_shares == (estimate is None):
            wanted = "compares two distributions" if of_shares else "scores tables of counts"
            raise InputError(f"{self} {wanted}; {'one was' if of_shares else 'two were'} given.")
        if of_shares:
            arrays, size = _read_pair(self, tables, estimate, None, values, size)
            return self.kernel(*arrays, size=size)
        if isinstance(tables, Counts):
            scale = tables.scale.with_values(values)
            return score_counted(self, replace(tables, scale=scale))
        array = _as_tables(tables)
        fitting = self.on(array.shape[-1])
        return fitting.kernel(array, _like(array, _class_numbers(array.shape[-1], None, values)))

    def of_numbers(self, counts: Counts) -> Floats | None:
        """Score the real numbers behind counts.

        Parameters
        ----------
        counts : Counts
            The counts.

        Returns
        -------
        ndarray of shape (...) or None
            The scores; None if the counts hold no sums over numbers, or the measure needs classes.

        Examples
        --------
        >>> import ordeval as oe
        >>> counts = oe.Counts.from_labels([1.5, 3], [2, 3], labels=[1, 2, 3], bins="round")
        >>> float(oe.measure("mae").of_numbers(counts))
        0.25
        """
        if self.raw is None or counts.moments is None or counts.bins is None:
            return None
        return self.raw(Moments.of(counts.moments, counts.bins.centre))

    @takes(CallOptions)
    def __call__(
        self, y_true: LabelColumn, y_pred: LabelColumn, **options: Unpack[CallOptions]
    ) -> float:
        """Score predicted labels against gold labels.

        Parameters
        ----------
        y_true : array_like of shape (n_items,)
            Gold labels; for a quantification measure, the gold distribution.
        y_pred : array_like of shape (n_items,)
            Predicted labels; for a quantification measure, the estimated distribution.
        {options}

        Returns
        -------
        float
            The score. NaN, with an `UndefinedWarning`, if it is undefined and `undefined` is not
            given.

        Examples
        --------
        >>> import ordeval as oe
        >>> oe.measure("mae")(["low", "high"], ["low", "mid"], labels=["low", "mid", "high"])
        0.5
        """
        if self.record.task == "quantification":
            return score_pair(self, y_true, y_pred, options)
        undefined = check_replacement(options["undefined"])
        refuse_several(y_pred)
        if options["sample_weight"] is not None:
            if options["weight"] is not None:
                raise InputError("weight and sample_weight are the same.", parameter="weight")
            options["weight"] = options["sample_weight"]
        counts = Counts.from_labels(y_true, y_pred, **options_of(options, TableOptions))
        warn_of_labels(counts)
        return score_table(self, counts, undefined)

    def why_undefined(self, *arrays: Any) -> str:
        """Return the reason why a score is undefined.

        Parameters
        ----------
        *arrays : array
            The arguments of `kernel`: one table, or two distributions, and class values.

        Returns
        -------
        str
            The reason; empty if the score is defined.

        Examples
        --------
        >>> import numpy as np
        >>> import ordeval as oe
        >>> oe.measure("spearman").why_undefined(np.array([[0, 3], [0, 2]]), np.array([1, 2]))
        'the predictions have only one class'
        """
        conditions = self.record.undefined(self.params)
        return next((c.reason for c in conditions if bool(c.holds(*arrays))), "")

    def needs_items(self, counts: Counts) -> bool:
        """Return whether the measure depends on a number of items that counts do not tell.

        Parameters
        ----------
        counts : Counts
            The tables to be scored.

        Returns
        -------
        bool
            Whether the measure cannot score tables of weights of unknown items.
        """
        unknown = counts.weighted and counts.squares is None
        return unknown and "proportional" not in self.record.claims

    def check_weights(self, counts: Counts) -> None:
        """Raise an error if the measure depends on a number of items that counts do not tell.

        Parameters
        ----------
        counts : Counts
            The tables to be scored.
        """
        if self.needs_items(counts):
            raise InputError(
                f"{self} depends on the number of items, and a table of weights does not tell it.",
                parameter="squares",
                hint="Give whole counts, or the sums of squared weights with {squares}.",
                suggest={"squares": ...},
            )

    def on(self, scale: Scale | int) -> "Measure":
        """Return the measure for a scale: classes that parameters name become positions.

        Parameters
        ----------
        scale : Scale or int
            The scale; or a number of classes, whose positions the parameters name.

        Returns
        -------
        Measure
            The measure whose kernel scores tables of this scale.

        Raises
        ------
        InputError
            If there are more classes than the measure accepts, a parameter such as a matrix of
            weights is for another number of classes, or names a class that the scale does not have.

        Examples
        --------
        >>> import ordeval as oe
        >>> oe.measure("f1_binary(positive=-1)").on(oe.Scale([-1, 0, 1]))
        <measure f1_binary(positive=0)>
        """
        record, k = self.record, scale.k if isinstance(scale, Scale) else scale
        if record.largest_k is not None and k > record.largest_k:
            raise InputError(
                f"{self} takes at most {record.largest_k} classes; the scale has {k}.",
                parameter="measures",
            )
        if not record.parameters:
            return self
        given = self.given
        named = any(p.classes for p in record.parameters) and not self.placed
        if isinstance(scale, Scale) and named:
            pairs = zip(record.parameters, given, strict=True)
            given = tuple((n, self._positions(v, scale) if p.classes else v) for p, (n, v) in pairs)
        for parameter, (name, value) in zip(record.parameters, given, strict=True):
            if not parameter.fits(value, k):
                raise InputError(
                    f"{self}: {name} does not fit a scale of {k} classes.", parameter="measures"
                )
        return self if given is self.given else replace(self, given=given, placed=True)

    def _positions(self, value: Any, scale: Scale) -> Any:
        """Return the positions of the classes that a parameter names."""
        if value is None:
            return None
        if isinstance(value, tuple):
            return tuple(self._positions(label, scale) for label in value)
        labels = [str(label) for label in scale.labels]
        for i, label in enumerate(scale.labels):
            if label == value or labels[i] == str(value):
                return i
        raise InputError(
            f"{self}: the scale has no class {value!r}; its classes are {quoted(labels, 10)}.",
            parameter="measures",
            hint=did_you_mean(str(value), labels).strip(),
        )


def score_counted(measure: Measure, counts: Counts) -> Floats:
    """Score the tables of counts, or their numbers where the measure can use them."""
    measure.check_weights(counts)
    scores: Floats = score_counts([measure], counts)[0]
    return scores


def warn_of_labels(counts: Counts) -> None:
    """Warn the caller of a public function of what is odd about labels, as a shifted scale."""
    for note in counts.notices:
        if note.level == "warning":
            warnings.warn(note.text, UserWarning, stacklevel=4)


def score_table(measure: Measure, counts: Counts, undefined: float | None) -> float:
    """Return the score of a single table, or what replaces it; an undefined one warns."""
    score = float(score_counted(measure, counts))
    if score == score:
        return score
    return _replaced(undefined, measure.on(counts.scale), counts.effective, counts.scale.numbers)


def score_pair(measure: Measure, gold: Any, estimate: Any, options: Mapping[str, Any]) -> float:
    """Return the score of one estimated distribution, or what replaces it."""
    of_items = ("weight", "frequency", "topic", "bins")
    given = [name for name in of_items if options.get(name) is not None]
    if given:
        raise InputError(
            f"{', '.join(given)} cannot be used here: a quantification measure compares two "
            "distributions, which have no items.",
            parameter=given[0],
        )
    undefined = check_replacement(options["undefined"])
    arrays, size = _read_pair(measure, gold, estimate, options["labels"], options["values"], None)
    if arrays[0].ndim > 1 or arrays[1].ndim > 1:
        raise InputError(
            f"Distributions of shape {tuple(arrays[0].shape)} and {tuple(arrays[1].shape)} "
            "were given where one of each is expected.",
            hint="Use the method of(gold, estimate) of the measure for many.",
        )
    score = float(measure.kernel(*arrays, size=size))
    return score if score == score else _replaced(undefined, measure, *arrays)


def _replaced(undefined: float | None, measure: Measure, *arrays: Any) -> float:
    """Return what replaces an undefined score; if nothing does, warn at the line that asked."""
    if undefined is not None:
        return undefined
    warnings.warn(
        f"{measure} is undefined here: {measure.why_undefined(*arrays)}. Pass undefined=… to get a "
        "number instead of NaN.",
        UndefinedWarning,
        stacklevel=5,
    )
    return float("nan")


def _read_pair(
    measure: Measure, gold: Any, estimate: Any, labels: Any, values: Any, size: Any
) -> tuple[tuple[Any, Any, Any], Any]:
    """Return the arguments of `kernel`, checked; arrays of other libraries are not."""
    sides = {"gold": gold, "estimated": estimate}
    read = {name: read_distributions(x, name) for name, x in sides.items() if not _is_foreign(x)}
    q, p = (read[name].rows if name in read else _in_floats(x) for name, x in sides.items())
    _check_comparable(q.shape, p.shape)
    measure.on(q.shape[-1])
    if measure.needs_sizes and size is not None:
        size = read_sizes(size, tuple(q.shape[:-1]))
    elif measure.needs_sizes and "gold" in read:
        size = read["gold"].sizes
    of_items = None if size is None else _like(q, np.asarray(size))
    return (q, p, _like(q, _class_numbers(q.shape[-1], labels, values))), of_items


def _numbers_of(scale: Scale | int | Iterable[float]) -> Floats:
    """Return the class values of a scale, of a number of classes, or as they are given."""
    if isinstance(scale, Scale):
        return scale.numbers
    if isinstance(scale, (int, np.integer)):
        return np.arange(1.0, scale + 1)
    given = list(scale)
    return np.asarray(class_values(given, len(given)), dtype=np.float64)


def refuse_several(y_pred: Any) -> None:
    """Raise an error if predictions of several systems are given where one is expected."""
    systems = as_systems(y_pred)
    if isinstance(systems, Mapping):
        raise InputError(
            "y_pred is a mapping or a frame of systems; the labels of one system are expected, "
            f"such as y_pred[{abbreviate(next(iter(systems), 'name'))}].",
            parameter="y_pred",
        )


def check_replacement(undefined: Any, expected: str = "a number") -> float | None:
    """Return the number that replaces an undefined score, checked; None if there is none."""
    if undefined is None:
        return None
    if not isinstance(undefined, Real):
        raise InputError(
            f"An undefined score cannot be replaced by {abbreviate(undefined)}; {expected} is "
            "expected.",
            parameter="undefined",
        )
    refuse_huge([undefined], "undefined")
    return float(undefined)


def measures(task: str | None = "classification", *, batched: bool | None = None) -> list[Measure]:
    """List the measures in their usual variants.

    Parameters
    ----------
    task : {"classification", "probabilities", "quantification", "raters", "ratings"} or None
        What the measures score: labels (the default), probabilities, distributions, several raters,
        or ratings themselves. None lists all.
    batched : bool, optional
        True lists only measures that score many tables at once, False only those that score them
        one by one.

    Returns
    -------
    list of Measure
        Family by family; kappa, for example, with linear and with quadratic weights.

    Examples
    --------
    >>> import ordeval as oe
    >>> [str(m) for m in oe.measures("quantification")][:3]
    ['emd', 'nmd', 'od']
    """
    if task is not None:
        check_choice("task", task, get_args(Task))
    return [
        measure
        for record in records().values()
        if task in (None, record.task) and batched in (None, record.batched)
        for measure in usual_variants(record)
    ]


def usual_variants(record: Record) -> list[Measure]:
    """Return a measure in its usual variants."""
    return [Measure(record, record.id, record.bind(variant)) for variant in record.variants]


def parse_measure(spec: str | Measure, **params: Any) -> Measure:
    """Return the measure that a specification names.

    Parameters
    ----------
    spec : str or Measure
        Name or alias of a measure, upper or lower case, optionally with parameters in parentheses.
    **params : object
        Parameters as Python values, instead of parentheses.

    Returns
    -------
    Measure
        The measure with its parameters.

    Raises
    ------
    InputError
        If there is no such measure, or a parameter is invalid.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.measure("kappa(weights='quadratic')") == oe.measure("qwk")
    True
    >>> oe.measure("kappa", weights=[[0, 1], [2, 0]])
    <measure kappa(weights=((0, 1), (2, 0)))>
    """
    if params:
        if not str(spec).isidentifier():
            raise InputError(
                f"{spec} has parameters already; give further ones inside it.", parameter="measures"
            )
        return _look_up(str(spec), (), params)
    if isinstance(spec, Measure):
        return spec
    found = parse_measures(spec)
    if len(found) != 1:
        raise InputError(
            f"{abbreviate(spec)} names {len(found)} measures; exactly one is expected.",
            parameter="measures",
        )
    return found[0]


_OF_RATERS = {
    "accuracy": "observed_agreement(identity)",
    "cohen_kappa": "conger(identity)",
    "kappa(weights='none')": "conger(identity)",
    "lwk": "conger(linear)",
    "qwk": "conger(quadratic)",
}


def counterpart(measure: Measure, task: Task) -> Measure:
    """Return the measure that stands for another one in a task, or the measure itself.

    For labels, alpha in place of krippendorff. For raters, krippendorff in place of alpha,
    observed_agreement of accuracy, and conger, the form for several raters, in place of kappa.
    """
    for here, id, there in (
        ("classification", "krippendorff", "alpha"),
        ("raters", "alpha", "krippendorff"),
    ):
        if (task, measure.id) == (here, id):
            return parse_measure(there, level=measure.params["level"])
    return parse_measure(_OF_RATERS.get(measure.key, measure)) if task == "raters" else measure


def find_measure(name: str | Measure) -> Measure | None:
    """Return the measure of a name; None for a name that is not known."""
    try:
        return parse_measure(name)
    except InputError:
        return None


def display_name(name: str) -> str:
    """Return the display name of a measure; names that are not known stay as they are."""
    measure = find_measure(name)
    return name if measure is None else measure.label


def find_name(measure: str | Measure, names: Iterable[str]) -> str | None:
    """Return which of some names stands for a measure, however both are written."""
    wanted = find_measure(measure)
    return next((n for n in names if n == measure or (wanted and find_measure(n) == wanted)), None)


def parse_measures(text: str) -> list[Measure]:
    """Return the measures of a comma-separated list."""
    if not isinstance(text, str):
        raise InputError(
            f"{abbreviate(text)} does not name a measure; a text is expected.",
            parameter="measures",
            hint='An example is "cem".',
        )
    return list(_read_list(text, changes()))


_DOTTED = re.compile(r"[A-Za-z_]\w*\.\d[\w.]*")  # oc_0.25 is not a name in Python


def _spelled_out(key: re.Match[str]) -> str:
    """Return the specification that a key with a dot stands for; other words as they are."""
    record = find_record(key[0].lower())
    if record is None:
        return key[0]
    return record.specification(record.bind(record.names[key[0].lower()]))


@lru_cache(maxsize=256)
def _read_list(text: str, _changes: int) -> tuple[Measure, ...]:
    """Return the measures of a list, which are kept until other ones are registered."""
    if len(text) > _LONGEST_SPEC or "\\" in text:  # Python warns about invalid escapes
        raise _not_measures(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of what is no Python
            tree: Any = ast.parse(f"[{_DOTTED.sub(_spelled_out, text).strip()}]", mode="eval").body
        calls = [_call(node) for node in tree.elts]
    except (SyntaxError, ValueError, TypeError, AttributeError, MemoryError, RecursionError):
        raise _not_measures(text) from None
    return tuple(_look_up(*call) for call in calls)


def _call(node: ast.expr) -> tuple[str, list[Any], Params]:
    """Return the name and the parameters of a measure; raise a TypeError if it is none."""
    if isinstance(node, ast.Name):
        return node.id, [], {}
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise TypeError
    given = {word.arg or "**": _literal(word.value) for word in node.keywords}
    return node.func.id, [_literal(arg) for arg in node.args], given


def _literal(node: ast.expr) -> Any:
    """Return the number, text, truth value or list of a node; a bare word is a text."""
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _not_measures(text: str) -> InputError:
    """Return the error that a text is not a list of measures."""
    words = text[:_LONGEST_SPEC].replace(",", " ").split()
    near = did_you_mean(text[:200].lower(), known_names()).strip()
    if len(words) > 1 and all(find_record(word.lower()) for word in words):
        near = f'A comma is missing: "{", ".join(words)}".'
    return InputError(
        f"{abbreviate(text, 200)} is not a list of measures.",
        parameter="measures",
        hint=near or 'An example is "cem, kappa(weights=quadratic)".',
    )


def _unknown(name: str) -> InputError:
    """Return the error that there is no measure of a name."""
    # Most names of three letters are one slip apart; only the same first letter tells a slip.
    similar = [n for n in known_names() if len(name) > 3 or n[:1] == name[:1].lower()]
    near = names_elsewhere().get(name.lower()) or did_you_mean(name.lower(), similar).strip()
    return InputError(
        f"There is no measure {abbreviate(name)}.",
        parameter="measures",
        hint=f"{near} `ordeval measures` lists all of them.".strip(),
    )


def _look_up(name: str, positional: Sequence[Any], given: Params) -> Measure:
    record = find_record(name.lower())
    if record is None:
        raise _unknown(name)
    preset = record.names[name.lower()]
    free = [p.name for p in record.parameters if p.name not in preset]
    by_position = dict(zip(free, positional, strict=False))
    if len(positional) > len(free) or any(n in by_position or n in preset for n in given):
        takes = f"the parameters {quoted(free)}, each once" if free else "no parameter"
        raise InputError(f"{name} takes {takes}.", parameter="measures")
    return Measure(record, record.id, record.bind({**preset, **by_position, **given}))


def _as_tables(tables: Any) -> Any:
    """Return tables as floats in their own array library; those of NumPy are checked."""
    if not _is_foreign(tables):
        return check_table(tables).astype(np.float64, copy=False)
    if tables.ndim < 2 or tables.shape[-1] != tables.shape[-2]:
        raise InputError(f"The tables have shape {tuple(tables.shape)}; [..., K, K] is expected.")
    return _in_floats(tables)


def _in_floats(array: Any) -> Any:
    """Return an array of another library in floats of 32 or 64 bits, as few as it has itself.

    Sums of half-precision numbers overflow at 65,504, or have hardly three digits.
    """
    xp = array_namespace(array)
    if not xp.isdtype(array.dtype, "real floating"):
        return xp.astype(array, xp.float64)
    return array if xp.finfo(array.dtype).bits >= 32 else xp.astype(array, xp.float32)


def _check_comparable(gold: tuple[int, ...], estimate: tuple[int, ...]) -> None:
    """Raise an error unless distributions have the same classes and matching rows."""
    rows = zip(gold[-2::-1], estimate[-2::-1], strict=False)
    if gold[-1] != estimate[-1] or any(a != b and 1 not in (a, b) for a, b in rows):
        raise InputError(
            f"The gold distributions have shape {tuple(gold)} and the estimated ones "
            f"{tuple(estimate)}; both must have the same classes and the same rows, or one of them "
            "a single row."
        )


def _class_numbers(k: int, labels: Any, values: Any) -> Iterable[float]:
    """Return the values of K classes, 1..K by default; labels may name the classes."""
    if labels is None:
        return range(1, k + 1) if values is None else class_values(values, k)
    scale = Scale.of(labels, values)
    if scale.k != k:
        raise InputError(
            f"The scale has {scale.k} classes and the distributions have {k}; they must be the "
            "same classes, in the same order.",
            parameter="labels",
        )
    return scale.numbers


def _is_foreign(array: Any) -> bool:
    """Return whether an array belongs to another library than NumPy."""
    if isinstance(array, np.ndarray):
        return False
    library = type(array).__module__.partition(".")[0]
    return library in ("torch", "cupy") or hasattr(array, "__array_namespace__")


def _like(array: Any, numbers: Iterable[float]) -> Any:
    """Return numbers as an array of the library, type and device of another."""
    given = np.asarray(numbers if isinstance(numbers, np.ndarray) else tuple(numbers), dtype=float)
    if isinstance(array, np.ndarray):
        return given.astype(array.dtype, copy=False)
    xp = array_namespace(array)
    return xp.asarray(given.tolist(), dtype=array.dtype, device=device(array))
