"""Records of measures: every fact about a measure, beside the function that computes it.

`register_measure` registers a function with its record. The command line, the documentation, the
report and the tests are generated from the records. Another package provides measures through the
entry point group ``ordeval.measures``.
"""

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from keyword import iskeyword
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np

from .errors import InputError, did_you_mean
from .moments import Moments
from .types import Floats

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "ordeval.measures"
# Symbols that the formulas of a task share.
NOTATION: dict[str, dict[str, str]] = {
    "classification": {
        "K": "number of classes, 1 the lowest",
        "g": "gold class",
        "p": "predicted class",
        "n": "n_gp, the number or weight of items of gold class g predicted as p",
        "N": "all items",
        "G": "G_g = Σ_p n_gp, items of gold class g",
        "P": "P_p = Σ_g n_gp, items predicted as p",
        "C^+": "gold classes that occur, G_g > 0",
        "v": "v_g, the value of class g: g by default",
        "d": "d_gp = |v_g − v_p|",
    },
    "quantification": {
        "K": "number of classes, 1 the lowest",
        "i": "a class",
        "j": "a class",
        "p": "estimated distribution",
        "q": "gold distribution",
        "cp": "cp_i = p_1 + … + p_i",
        "cq": "cq_i = q_1 + … + q_i",
        "v": "v_i, the value of class i: i by default",
    },
    "raters": {
        "K": "number of classes, 1 the lowest",
        "k": "a class",
        "l": "a class",
        "v": "v_k, the value of class k: k by default",
        "i": "an item",
        "g": "a rater",
        "R": "number of raters",
        "r": "r_ik, the number of raters who gave item i class k; r_i = Σ_k r_ik",
        "n": "number of items with r_i ≥ 1",
        "n'": "number of items with r_i ≥ 2",
        r"\pi": "π_k = (1/n) Σ_i r_ik/r_i, the share of class k",
        "A": "observed agreement, (1/n') Σ_i Σ_k r_ik (Σ_l w_kl r_il − 1)/(r_i (r_i − 1)); where "
        "w_kl is not defined it is 1 for k = l and otherwise 0",
        "E": "agreement by chance",
    },
}
_LARGEST_NUMBER = 1e15  # floats represent every integer up to here exactly

Task = Literal["classification", "quantification", "raters"]
Better = Literal["higher", "lower"]
ScaleKind = Literal["nominal", "ordinal", "interval"]
Nonnegative = Literal["nothing", "margins", "cells"]
Params = Mapping[str, Any]
Bounds = tuple[float, float]
Check = Callable[[Any], bool]
OnNumbers = Callable[[Moments], Floats]
Facts = dict[str, Any]  # keyword arguments that several records share
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure.

    Parameters
    ----------
    name : str
        Name of the keyword argument of the function.
    default : object
        Default value.
    allowed : str
        What is allowed, for messages: a comma-separated list of values or a phrase.
    check : callable
        Called as ``check(value)``; returns whether the value is allowed.
    shown : bool, default False
        Whether a specification always prints the parameter, even with its default value.
    fits : callable, optional
        Called as ``fits(value, k)``; returns whether the value can be used on a scale of k
        classes.

    Examples
    --------
    >>> from ordeval.registry import Parameter, number
    >>> beta = Parameter("beta", 0.25, "a number of at least 0", number(0.0), shown=True)
    >>> beta.check(0.5), beta.check(-1)
    (True, False)
    """

    name: str
    default: Any
    allowed: str
    check: Check
    shown: bool = False
    fits: Callable[[Any, int], bool] = lambda value, k: True


@dataclass(frozen=True)
class Condition:
    """A condition under which a measure is undefined.

    Parameters
    ----------
    reason : str
        The condition as a clause, as in "undefined because there are no items".
    holds : callable
        Called with the arrays that `Measure.kernel` takes: ``holds(tables, values)``, or
        ``holds(gold, estimate, values)`` for quantification. Returns booleans of shape `[...]`.

    Examples
    --------
    >>> import numpy as np
    >>> from ordeval.registry import Condition
    >>> empty = Condition("there are no items", lambda n, values: n.sum(axis=(-2, -1)) == 0)
    >>> bool(empty.holds(np.zeros((3, 3)), np.arange(1.0, 4)))
    True
    """

    reason: str
    holds: Callable[..., Any]


@dataclass(frozen=True)
class Record:
    """Every fact about a measure: what `register_measure` was given, in one form.

    Parameters
    ----------
    id : str
        Name of the measure in specifications.
    function : callable
        The function that computes the scores.
    title : str
        Name of the measure in headings.
    family : str
        Group of measures that it is listed with.
    better : {"higher", "lower"}
        Which scores are better.
    bounds : callable
        ``bounds(values, params)`` returns a number that no score is below and one that none is
        above, for the class values `[K]`.
    scale : {"nominal", "ordinal", "interval"}
        What the measure uses of the scale.
    formula : str
        Formula in LaTeX.
    description : str
        One or two sentences.
    citation : str
        Where the measure is defined.
    use : str
        When to use the measure.
    avoid : str
        When not to use it, and why.
    symbol : str
        Symbol or abbreviation.
    symbols : mapping of str to str
        Meaning of the symbols of the formula that are not in `NOTATION`.
    range_note : str
        How the bounds depend on the number of classes, the class values or the parameters.
    parameters : tuple of Parameter
        Parameters of the measure.
    aliases : mapping of str to mapping
        Other names, each with the parameters that it sets.
    variants : tuple of mapping
        Parameters of the variants that are listed and used by default.
    claims : frozenset of str
        Properties that hold for every table and every listed variant.
    axioms : mapping of str to tuple of str
        For every specification searched, the axioms that hold in all cases tried.
    undecided_axioms : tuple of str
        Axioms that cannot be decided.
    over_classes : bool
        Whether the score is a mean, or an extreme, over the gold classes that occur.
    interval_caveat : str
        Why an interval may always cover the true score too rarely.
    items_per_class : int
        Items of every gold class below which an interval may cover the true score too rarely.
    items_per_cell : int
        Items per cell of the table, on average, below which an interval may do so.
    undefined : callable
        ``undefined(params)`` returns the conditions under which a score is undefined.
    task : {"classification", "quantification"}
        Whether tables of counts or pairs of distributions are scored.
    batched : bool
        Whether many tables are scored at once.
    differentiable : bool
        Whether gradients flow through the function.
    largest_k : int or None
        Largest number of classes that the function accepts.
    growth : int
        Power of the number of classes that the time of one table grows with.
    of_cells : callable
        ``of_cells(params)`` returns whether the function also takes `ordeval.measures.cells.Cells`.
    nonnegative : callable
        ``nonnegative(params)`` returns what of a table must not be negative: "nothing", its
        "margins" or its "cells".
    raw : callable
        ``raw(params)`` returns the function that computes the measure from sums over real numbers,
        or None if the measure needs classes.
    formula_of : callable, optional
        ``formula_of(params)`` returns the formula of a variant; None if all have `formula`.
    unclaimed : callable
        ``unclaimed(params)`` returns the claims that do not hold for a variant.
    influence : callable, optional
        ``influence(tables, values, **params)`` returns the derivatives of the score by the share of
        every cell, see `ordeval.measures.influence`, or None for parameters without a formula.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.measure("macro_mae").record.citation
    'Baccianella et al. 2009; Sakai 2021, eq. 1; Silva et al. 2018, eq. 15'
    """

    id: str
    function: Callable[..., Any]
    title: str
    family: str
    better: Better
    bounds: Callable[[Floats, Params], Bounds]
    scale: ScaleKind
    formula: str
    description: str
    citation: str
    use: str = ""
    avoid: str = ""
    symbol: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    range_note: str = ""
    parameters: tuple[Parameter, ...] = ()
    aliases: Mapping[str, Params] = field(default_factory=dict)
    variants: tuple[Params, ...] = ({},)
    claims: frozenset[str] = frozenset()
    axioms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    undecided_axioms: tuple[str, ...] = ()
    over_classes: bool = False
    interval_caveat: str = ""
    items_per_class: int = 0
    items_per_cell: int = 0
    undefined: Callable[[Params], tuple[Condition, ...]] = lambda params: ()
    task: Task = "classification"
    batched: bool = True
    differentiable: bool = True
    largest_k: int | None = None
    growth: int = 2
    of_cells: Callable[[Params], bool] = lambda params: False
    nonnegative: Callable[[Params], Nonnegative] = lambda params: "cells"
    raw: Callable[[Params], OnNumbers | None] = lambda params: None
    formula_of: Callable[[Params], str] | None = None
    unclaimed: Callable[[Params], tuple[str, ...]] = lambda params: ()
    influence: Callable[..., Floats | None] | None = None

    @cached_property
    def uses_values(self) -> bool:
        """Whether the class values matter, not only their order."""
        return "values" in inspect.signature(self.function).parameters

    @cached_property
    def uses_sizes(self) -> bool:
        """Whether the numbers of items behind distributions can matter."""
        return "sizes" in inspect.signature(self.function).parameters

    def parameter(self, name: str) -> Parameter:
        """Return the parameter of that name.

        Parameters
        ----------
        name : str
            Name of a parameter.

        Returns
        -------
        Parameter
            The parameter.

        Raises
        ------
        InputError
            If the measure has no such parameter.
        """
        found = next((p for p in self.parameters if p.name == name), None)
        if found is None:
            names = [p.name for p in self.parameters]
            takes = f"it takes {', '.join(names)}" if names else "it takes none"
            raise InputError(
                f"{self.id} has no parameter {name!r}; {takes}.",
                parameter="measures",
                hint=did_you_mean(name, names).strip(),
            )
        return found

    def shown(self, params: Params) -> dict[str, Any]:
        """Return the parameters that a specification prints.

        Parameters
        ----------
        params : mapping of str to object
            Parameters that are set; the others have their defaults.

        Returns
        -------
        dict of str to object
            Parameters that differ from their defaults or are always shown.
        """
        full = [(p, params.get(p.name, p.default)) for p in self.parameters]
        return {p.name: value for p, value in full if p.shown or value != p.default}

    def specification(self, params: Params) -> str:
        """Return the text that names the measure with its parameters.

        Parameters
        ----------
        params : mapping of str to object
            Parameters that are set; the others have their defaults.

        Returns
        -------
        str
            The specification, such as ``kappa(weights='linear')``.
        """
        shown = [f"{name}={value!r}" for name, value in self.shown(params).items()]
        return f"{self.id}({', '.join(shown)})" if shown else self.id


class Named(NamedTuple):
    """What a name stands for: a record, and the parameters that an alias sets."""

    record: Record
    params: Params


_RECORDS: dict[str, Record] = {}
_NAMES: dict[str, Named] = {}  # ids and aliases
_CHANGES = [0]  # how often they changed


def register_measure(
    id: str,
    *,
    title: str,
    family: str,
    better: Better,
    bounds: Bounds | Callable[[Floats, Params], Bounds],
    scale: ScaleKind,
    formula: str,
    description: str,
    citation: str,
    use: str = "",
    avoid: str = "",
    symbol: str = "",
    symbols: Mapping[str, str] | None = None,
    range_note: str = "",
    parameters: Iterable[Parameter] = (),
    aliases: Iterable[str] | Mapping[str, Params] = (),
    variants: Iterable[Params] = ({},),
    claims: Iterable[str] = (),
    axioms: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    undecided_axioms: Iterable[str] = (),
    over_classes: bool = False,
    interval_caveat: str = "",
    items_per_class: int = 0,
    items_per_cell: int = 0,
    undefined: tuple[Condition, ...] | Callable[[Params], tuple[Condition, ...]] = (),
    task: Task = "classification",
    batched: bool = True,
    differentiable: bool = True,
    largest_k: int | None = None,
    growth: int = 2,
    of_cells: bool | Callable[[Params], bool] = False,
    nonnegative: Nonnegative | Callable[[Params], Nonnegative] = "cells",
    raw: Callable[[Params], OnNumbers | None] = lambda params: None,
    formula_of: Callable[[Params], str] | None = None,
    unclaimed: Callable[[Params], tuple[str, ...]] = lambda params: (),
    influence: Callable[..., Floats | None] | None = None,
) -> Callable[[Function], Function]:
    r"""Register the decorated function as a measure.

    The function takes an array of tables `[..., gold, predicted]`, or for quantification two
    arrays `[..., K]`, gold first; then ``values``, the class values `[K]`, if it has a parameter
    of that name, and ``sizes``, the numbers of items `[...]` behind the gold distributions, or
    None, likewise; then the measure's parameters as keywords. It returns an array `[...]` that is
    NaN where the measure is undefined. Input has been checked. To accept arrays of PyTorch, JAX
    or CuPy, the function must use only the array API of its input.

    Parameters
    ----------
    id : str
        Name of the measure in specifications: a lower-case identifier.
    title : str
        Name of the measure in headings.
    family : str
        Group of measures to list it with: "nominal", "error", "correlation", "agreement",
        "closeness", "path", "quantification" or a new one.
    better : {"higher", "lower"}
        Which scores are better.
    bounds : tuple of float, or callable
        A number that no score is below and one that none is above, whatever the input; if they
        depend on the number of classes, the class values or parameters, a function called as
        ``bounds(values, params)`` with the class values as an array `[K]`.
    scale : {"nominal", "ordinal", "interval"}
        What the measure uses: whether classes are equal, their order, or their distances.
    formula : str
        Formula in LaTeX.
    description : str
        One or two sentences that say what the measure is.
    citation : str
        Where the measure is defined.
    use : str, optional
        When to use the measure: a phrase or sentence.
    avoid : str, optional
        When not to use it, and why.
    symbol : str, optional
        Symbol or abbreviation, for headings of columns.
    symbols : mapping of str to str, optional
        Meaning of each symbol of the formula that is not in `NOTATION`, by its LaTeX
        without subscripts, such as ``r"\theta"``.
    range_note : str, optional
        How the bounds depend on the number of classes, the class values or the parameters, if
        the numbers do not show it.
    parameters : iterable of Parameter, optional
        Parameters of the measure, in the order in which a specification may give them by
        position.
    aliases : iterable of str, or mapping of str to mapping, optional
        Other names; in a mapping, each with the parameters that it sets.
    variants : iterable of mapping, optional
        Parameters of the variants that are listed and used by default; the defaults alone unless
        given.
    claims : iterable of str, optional
        Properties that hold for every table and every listed variant: "symmetric" (exchanging
        gold and prediction changes nothing), "reversible" (nor does reversing the scale),
        "relabelable" (nor does any permutation of the classes), "proportional" (only shares
        matter), "padded" (an unused class at an end changes nothing), "perfect" (a perfect
        prediction has the best score, where it has one).
    axioms : sequence of str, or mapping of str to sequence of str, optional
        The axioms that hold in all cases that `ordeval.meta.axioms` tries, for all listed
        variants; where variants differ, or others were searched, a mapping from specification to
        axioms. None, the default, if no search was made.
    undecided_axioms : iterable of str, optional
        Axioms that cannot be decided because the measure is undefined in all their cases.
    over_classes : bool, default False
        Whether the score is a mean, or an extreme, over the gold classes that occur, so that
        topics without items of some class average over others.
    interval_caveat : str, optional
        A clause that says why intervals over items are doubtful: they may cover the true score too
        rarely. Results show it beside the interval.
    items_per_class : int, default 0
        The interval is doubtful if any gold class has fewer items. For measures that give every
        class the same influence.
    items_per_cell : int, default 0
        The same if the table has fewer items per cell on average. For measures that chance
        associations make too large.
    undefined : tuple of Condition, or callable, optional
        Conditions under which a score is undefined; if they depend on parameters, a function
        called as ``undefined(params)``.
    task : {"classification", "quantification"}, default "classification"
        Whether the function scores tables of counts or pairs of distributions.
    batched : bool, default True
        Whether the function scores many tables at once rather than one by one.
    differentiable : bool, default True
        Whether gradients flow through the function.
    largest_k : int, optional
        Largest number of classes that the function accepts.
    growth : int, default 2
        Power of the number of classes that the time of one table grows with. Measures that are not
        named get no intervals where these would take minutes.
    of_cells : bool or callable, default False
        Whether the function also takes `ordeval.measures.cells.Cells`, tables of long scales of
        which only cells with items are held; if this depends on parameters, a function called as
        ``of_cells(params)``. Other functions get whole tables.
    nonnegative : {"cells", "margins", "nothing"}, or callable, default "cells"
        What of a table must not be negative. Tables that are corrected by the labels of a judge
        (`judge` of `ordeval.evaluate`) may have negative cells: a formula of sums over cells and
        margins holds for them ("nothing"), one that divides by the size of a class, or takes its
        logarithm, needs "margins" of the same sign as before, and any other "cells". If this
        depends on parameters, a function called as ``nonnegative(params)``.
    raw : callable, optional
        Called as ``raw(params)``; returns a function from `ordeval.moments.Moments` to scores, or
        None. Measures that have one are computed on the numbers themselves where real numbers are
        binned into classes.
    formula_of : callable, optional
        Called as ``formula_of(params)``; returns the formula of a variant, if variants differ.
    unclaimed : callable, optional
        Called as ``unclaimed(params)``; returns those of `claims` that variants which are not
        listed do not have.
    influence : callable, optional
        Called as ``influence(tables, values, **params)`` with NumPy arrays; returns the derivatives
        `[..., K, K]` of the score by the share of every cell, up to a constant, or None for
        parameters without a formula. They are computed numerically unless given.

    Returns
    -------
    callable
        A decorator that registers a function and returns it.

    Raises
    ------
    InputError
        If a name is not a lower-case identifier, or already names another measure.

    Examples
    --------
    >>> import ordeval as oe
    >>> from ordeval.registry import register_measure, unregister_measure
    >>> @register_measure(
    ...     "exact_lowest",
    ...     title="Recall of the lowest class",
    ...     family="nominal",
    ...     better="higher",
    ...     bounds=(0.0, 1.0),
    ...     scale="nominal",
    ...     formula=r"n_{11} / G_1",
    ...     description="Share of the items of the lowest class that are predicted exactly.",
    ...     citation="this example",
    ... )
    ... def exact_lowest(n):
    ...     return n[..., 0, 0] / n[..., 0, :].sum(-1)
    >>> oe.score([1, 1, 2], [1, 2, 2], "exact_lowest", labels=[1, 2])
    0.5
    >>> unregister_measure("exact_lowest")
    """

    def register(function: Function) -> Function:
        record = Record(
            id=id,
            function=function,
            title=title,
            family=family,
            better=better,
            bounds=_constant_unless_callable(bounds),
            scale=scale,
            formula=formula,
            description=description,
            citation=citation,
            use=use,
            avoid=avoid,
            symbol=symbol,
            symbols=dict(symbols or {}),
            range_note=range_note,
            parameters=tuple(parameters),
            aliases=aliases if isinstance(aliases, Mapping) else {name: {} for name in aliases},
            variants=tuple(variants),
            claims=frozenset(claims),
            undecided_axioms=tuple(undecided_axioms),
            over_classes=over_classes,
            interval_caveat=interval_caveat,
            items_per_class=items_per_class,
            items_per_cell=items_per_cell,
            undefined=_constant_unless_callable(undefined),
            task=task,
            batched=batched,
            differentiable=differentiable,
            largest_k=largest_k,
            growth=growth,
            of_cells=_constant_unless_callable(of_cells),
            nonnegative=_constant_unless_callable(nonnegative),
            raw=raw,
            formula_of=formula_of,
            unclaimed=unclaimed,
            influence=influence,
        )
        _add(replace(record, axioms=_by_specification(record, axioms)))
        function.__doc__ = f"{title}. {description}\n\n{citation}."
        return function

    return register


def _constant_unless_callable(fact: Any) -> Any:
    """Return a function that gives the fact for some parameters."""
    return fact if callable(fact) else lambda *_: fact


def _by_specification(record: Record, fact: Any) -> dict[str, Any]:
    """Return a fact by specification; given only once, it holds for all listed variants."""
    if fact is None or isinstance(fact, Mapping):
        return dict(fact or {})
    return {record.specification(variant): fact for variant in record.variants}


def _add(record: Record) -> None:
    """Add a record under all its names, or raise if a name cannot be used."""
    _check_choices(record)
    names = {record.id: Named(record, {})}
    names |= {alias: Named(record, params) for alias, params in record.aliases.items()}
    for name in names:
        _check_name(name, record)
    unregister_measure(record.id)  # the same function, defined again
    _NAMES.update(names)
    _RECORDS[record.id] = record
    _CHANGES[0] += 1


def unregister_measure(id: str) -> None:
    """Remove a measure and its aliases; nothing happens if there is none of that name.

    Parameters
    ----------
    id : str
        Name of the measure.
    """
    _RECORDS.pop(id, None)
    for name in [name for name, named in _NAMES.items() if named.record.id == id]:
        del _NAMES[name]
    _CHANGES[0] += 1


def changes() -> int:
    """Return how often measures were added or removed, so that what depends on it can be kept."""
    return _CHANGES[0]


def _check_choices(record: Record) -> None:
    for fact, choices in (("better", Better), ("scale", ScaleKind), ("task", Task)):
        value = getattr(record, fact)
        if value not in get_args(choices):
            allowed = " or ".join(map(repr, get_args(choices)))
            raise InputError(
                f"The measure {record.id!r} has {fact} {value!r}; it must be {allowed}.",
                parameter=fact,
            )


def _check_name(name: str, record: Record) -> None:
    if not name.isidentifier() or name != name.lower() or iskeyword(name):
        raise InputError(
            f"{name!r} cannot name a measure; a name is a lower-case identifier.", parameter="id"
        )
    taken = _NAMES.get(name)
    if taken is not None and not _is_redefinition(taken.record, record):
        raise InputError(
            f"The name {name!r} of the measure {_described(record)} already belongs to the measure "
            f"{_described(taken.record)}.",
            parameter="id",
            hint="Choose another name.",
        )


def _is_redefinition(old: Record, new: Record) -> bool:
    """Return whether a definition is executed again, as when a notebook cell is run twice."""
    places = [(r.id, r.function.__module__, r.function.__qualname__) for r in (old, new)]
    return places[0] == places[1]


def _described(record: Record) -> str:
    return f"{record.id!r} ({record.function.__module__}.{record.function.__qualname__})"


class _Plugins:
    """The measures of other packages, loaded once, when a measure is listed or not found."""

    def __init__(self) -> None:
        self.loaded = False
        self.lock = RLock()  # a plug-in may itself look up a measure while it is loaded

    def load(self) -> None:
        """Load every entry point; one that fails is reported in a warning and left out."""
        with self.lock:
            if self.loaded:
                return
            self.loaded = True
            from importlib.metadata import entry_points  # slow to import

            failures = [_load(entry) for entry in entry_points(group=ENTRY_POINTS)]
        for failure in filter(None, failures):
            warnings.warn(failure, UserWarning, stacklevel=3)


def _load(entry: "EntryPoint") -> str:
    """Load an entry point: import a module, or call a function. Return what went wrong."""
    try:
        found = entry.load()
        measures = [record.function for record in _RECORDS.values()]
        if not isinstance(found, ModuleType) and found not in measures:
            found()
    except Exception as error:  # noqa: BLE001  # the module of another package
        package = entry.dist.name if entry.dist else entry.value
        return (
            f"The measures of the package {package!r} are not available: the entry point "
            f"{entry.name!r} ({entry.value}) failed with {type(error).__name__}: {error}"
        )
    return ""


_plugins = _Plugins()


def records() -> dict[str, Record]:
    """Return all records, those of other packages included.

    Returns
    -------
    dict of str to Record
        Records by id, in the order of registration.

    Examples
    --------
    >>> from ordeval.registry import records
    >>> records()["mae"].title
    'Mean absolute error'
    """
    _plugins.load()
    return dict(_RECORDS)


def find_record(name: str) -> Named | None:
    """Return what a name or alias stands for; None if there is no such measure.

    Other packages are loaded only if the name is unknown without them.

    Parameters
    ----------
    name : str
        Id or alias of a measure, in lower case.

    Returns
    -------
    Named or None
        The record, and the parameters that an alias sets.
    """
    if name not in _NAMES:
        _plugins.load()
    return _NAMES.get(name)


def known_names() -> list[str]:
    """Return the ids and aliases of all measures."""
    _plugins.load()
    return list(_NAMES)


def number(low: float = -np.inf, high: float = np.inf, *, open_low: bool = False) -> Check:
    """Return a check for a finite number within bounds.

    Parameters
    ----------
    low : float, optional
        Smallest number allowed.
    high : float, optional
        Largest number allowed.
    open_low : bool, default False
        Whether `low` itself is not allowed.

    Returns
    -------
    callable
        Called with a value; returns whether it is such a number.

    Examples
    --------
    >>> from ordeval.registry import number
    >>> number(0.0, 1.0)(0.5), number(0.0, open_low=True)(0)
    (True, False)
    """

    def check(value: Any) -> bool:
        real = isinstance(value, (int, float)) and not isinstance(value, bool)
        finite = real and abs(value) <= _LARGEST_NUMBER
        return finite and low <= value <= high and not (open_low and value == low)

    return check


def whole(low: int) -> Check:
    """Return a check for an integer of at least `low`."""
    return lambda value: type(value) is int and low <= value <= _LARGEST_NUMBER


def boolean(value: Any) -> bool:
    """Return whether a value is True or False."""
    return type(value) is bool


def choice(name: str, *choices: str, shown: bool = False) -> Parameter:
    """Return a parameter that takes one of several texts, the first by default."""
    allowed = ", ".join(f'"{text}"' for text in choices)
    return Parameter(
        name, choices[0], allowed, lambda value: isinstance(value, str) and value in choices, shown
    )
