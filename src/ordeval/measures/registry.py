"""Records of measures: every fact about a measure, beside the function that computes it.

`register_measure` registers a function with its record. The command line, the documentation, the
report and the tests are made from the records. What is to be read about a measure is on its card,
in ``cards.toml``. Another package provides measures through the entry point group
``ordeval.measures``.
"""

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from importlib import import_module
from keyword import iskeyword
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from ..data.moments import Moments
from ..errors import InputError, abbreviate, check_choice, did_you_mean
from ..types import Floats

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "ordeval.measures"
_FAMILIES = ["nominal", "error", "correlation", "closeness"]
_FAMILIES += [
    "agreement",
    "path",
    "probabilities",
    "quantification",
    "raters",
    "ratings",
]  # in modules of the same names
_LARGEST_NUMBER = 1e15  # floats represent every integer up to here exactly

Task = Literal["classification", "probabilities", "quantification", "raters", "ratings"]
Better = Literal["higher", "lower"]
ScaleKind = Literal["nominal", "ordinal", "interval"]
Nonnegative = Literal["nothing", "margins", "cells"]
Params = Mapping[str, Any]
Given = tuple[tuple[str, Any], ...]  # all parameters with their values, which can be hashed
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
    classes : bool, default False
        Whether the value names classes: labels of a scale, which the function gets as positions.
    """

    name: str
    default: Any
    allowed: str
    check: Check
    shown: bool = False
    fits: Callable[[Any, int], bool] = lambda value, k: True
    classes: bool = False


@dataclass(frozen=True)
class Condition:
    """A condition under which a measure is undefined.

    `reason` is a clause, as in "undefined because there are no items". `holds` is called with the
    arrays that `Measure.kernel` takes, and returns booleans of shape `[...]`.
    """

    reason: str
    holds: Callable[..., Any]


@dataclass(frozen=True)
class Card:
    r"""What to read about a measure.

    Parameters
    ----------
    title : str
        Name of the measure in full.
    formula : str
        Formula in LaTeX.
    description : str
        One or two sentences that say what the measure is.
    citation : str
        Where the measure is defined.
    symbol : str
        Symbol or abbreviation in formulas and papers.
    use, avoid : str
        When to use the measure, and when not, and why.
    symbols : mapping of str to str
        Meaning of each symbol of the formula that is not in `notation`, by its LaTeX without
        subscripts, such as ``r"\theta"``.
    range_note : str
        How the bounds depend on the number of classes, the class values or the parameters, if the
        numbers do not show it.
    formulas : mapping of str to str
        Formulas of variants that have another one, by parameters: ``"direction='gold'"``.
    axioms : str, or mapping of str to str
        The axioms, separated by spaces, that hold in all cases that `ordeval.meta.axioms` tries,
        for all listed variants; where variants differ, or others were searched, by specification.
        An axiom with "?" cannot be decided: the measure is undefined in all cases. Empty if no
        search was made.
    """

    title: str
    formula: str
    description: str
    citation: str
    symbol: str = ""
    use: str = ""
    avoid: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    range_note: str = ""
    formulas: Mapping[str, str] = field(default_factory=dict)
    axioms: str | Mapping[str, str] = ""


@cache
def _texts() -> dict[str, dict[str, Any]]:
    import tomllib  # slow to import
    from importlib.resources import files

    return tomllib.loads(files(__package__).joinpath("cards.toml").read_text(encoding="utf-8"))


def notation(task: str) -> dict[str, str]:
    """Return the symbols that the formulas of a task share, with their meanings."""
    return dict(_texts()["notation"][task])


def names_elsewhere() -> dict[str, str]:
    """Return what to say about names that people know from elsewhere."""
    return dict(_texts()["elsewhere"])


@cache
def cards() -> dict[str, Card]:
    """Return the cards of this package's measures, by id."""

    def card(text: dict[str, Any]) -> Card:
        shared = [_texts()["shared"][name] for name in text.pop("with", ())]
        symbols = [*shared, text.pop("symbols", {})]
        return Card(**text, symbols={s: meaning for part in symbols for s, meaning in part.items()})

    return {id: card(dict(text)) for id, text in _texts()["cards"].items()}


@dataclass(frozen=True)
class Record:
    """Every fact about a measure.

    Facts that can depend on parameters are given as they are, or as a function of the parameters;
    the record holds functions.

    Parameters
    ----------
    id : str
        Name of the measure in specifications: a lower-case identifier.
    function : callable
        The function that computes the scores.
    family : str
        Group of measures to list it with: "nominal", "error", "correlation", "agreement",
        "closeness", "path", "probabilities", "quantification", "raters", "ratings" or a new one.
    better : {"higher", "lower"}
        Which scores are better.
    directed : bool, default True
        Whether any are: a share of a class is neither good nor bad.
    bounds : tuple of float, or callable
        A number that no score is below and one that none is above, whatever the input; if they
        depend on the number of classes, the class values or parameters, a function called as
        ``bounds(values, params)`` with the class values as an array `[K]`.
    scale : {"nominal", "ordinal", "interval"}
        What the measure uses: whether classes are equal, their order, or their distances.
    label : str, optional
        Display name, in which parameters may stand: "{weights} kappa"; the id unless given.
    parameters : tuple of Parameter, optional
        Parameters of the measure, in the order in which a specification may give them by
        position.
    aliases : iterable of str, or mapping of str to mapping, optional
        Other names; in a mapping, each with the parameters that it sets.
    keys : str, optional
        The aliases, separated by spaces, that are the keys of the variants they set; other listed
        variants have a key made of the id and parameters, such as ``oc_0.25``.
    variants : tuple of mapping, optional
        Parameters of the variants that are listed and used by default; the defaults alone unless
        given.
    claims : str, optional
        Properties, separated by spaces, that hold for every table and every listed variant:
        "symmetric" (exchanging gold and prediction changes nothing), "reversible" (nor does
        reversing the scale), "relabelable" (nor does any permutation of the classes),
        "proportional" (only shares matter), "padded" (an unused class at an end changes nothing),
        "perfect" (a perfect prediction has the best score, where it has one).
    over_classes : bool, default False
        Whether the score is a mean, or an extreme, over the gold classes that occur, so that
        topics without items of some class average over others.
    interval_caveat : str, optional
        A clause that says why intervals over items are doubtful: they may cover the true score too
        rarely. Results show it next to the interval.
    items_per_class : int, default 0
        The interval is doubtful if any gold class has fewer items. For measures that give every
        class the same influence.
    items_per_cell : int, default 0
        The same if the table has fewer items per cell on average. For measures that chance
        associations make too large.
    undefined : tuple of Condition, or callable, optional
        Conditions under which a score is undefined, or ``undefined(params)``.
    task : {"classification", "probabilities", "quantification", "raters", "ratings"}
        Whether the function scores tables of counts (the default), predicted probabilities, pairs
        of distributions, sums over raters, or ratings of the items themselves.
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
        Whether the function also takes `ordeval.measures.terms.Cells`, tables of long scales of
        which only cells with items are held, or ``of_cells(params)``. Other functions get whole
        tables.
    nonnegative : {"cells", "margins", "nothing"}, or callable, default "cells"
        What of a table must not be negative, or ``nonnegative(params)``. Tables that are corrected
        by the labels of a judge (`judge` of `ordeval.evaluate`) may have negative cells: a formula
        of sums over cells and margins holds for them ("nothing"), one that divides by the size of
        a class, or takes its logarithm, needs "margins" of the same sign as before, and any other
        "cells".
    raw : callable, optional
        ``raw(params)`` returns a function from `Moments` to scores, or None. Measures that have
        one are computed on the numbers themselves where real numbers are binned into classes.
    unclaimed : callable, optional
        ``unclaimed(params)`` returns those of `claims` that a variant does not have.
    influence : callable, optional
        ``influence(tables, values, **params)`` returns the derivatives `[..., K, K]` of the score
        by the share of every cell, up to a constant, or None for parameters without a formula;
        see `ordeval.measures.influence`. They are computed numerically unless given.
    prose : Card, optional
        The card of a measure that is not in ``cards.toml``.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.measure("macro_mae").record.card.citation
    'Baccianella et al. 2009; Sakai 2021, eq. 1; Silva et al. 2018, eq. 15'
    """

    id: str
    function: Callable[..., Any]
    family: str
    better: Better
    bounds: Callable[[Floats, Params], Bounds]
    scale: ScaleKind
    label: str = ""
    parameters: tuple[Parameter, ...] = ()
    aliases: Mapping[str, Params] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    variants: tuple[Params, ...] = ({},)
    claims: frozenset[str] = frozenset()
    over_classes: bool = False
    interval_caveat: str = ""
    items_per_class: int = 0
    items_per_cell: int = 0
    undefined: Callable[[Params], tuple[Condition, ...]] = lambda params: ()
    task: Task = "classification"
    directed: bool = True
    batched: bool = True
    differentiable: bool = True
    largest_k: int | None = None
    growth: int = 2
    of_cells: Callable[[Params], bool] = lambda params: False
    nonnegative: Callable[[Params], Nonnegative] = lambda params: "cells"
    raw: Callable[[Params], OnNumbers | None] = lambda params: None
    unclaimed: Callable[[Params], tuple[str, ...]] = lambda params: ()
    influence: Callable[..., Floats | None] | None = None
    prose: Card | None = None

    def __post_init__(self) -> None:
        """Bring facts that may be given in several forms into one."""
        aliases: Any = self.aliases
        facts = {
            "aliases": aliases if isinstance(aliases, Mapping) else {name: {} for name in aliases},
            "keys": _words(self.keys),
            "claims": frozenset(_words(self.claims)),
            **{name: _function(getattr(self, name)) for name in _OF_PARAMETERS},
        }
        for name, fact in facts.items():
            object.__setattr__(self, name, fact)

    @cached_property
    def card(self) -> Card:
        """What to read about the measure."""
        return self.prose or cards()[self.id]

    @cached_property
    def axioms(self) -> dict[str, tuple[str, ...]]:
        """The axioms of every variant that was searched, by specification; see `Card`."""
        axioms = self.card.axioms
        if isinstance(axioms, str):
            variants = map(self.bind, self.variants if axioms else ())
            axioms = {self.specification(given): axioms for given in variants}
        return {name: _words(words) for name, words in axioms.items()}

    @cached_property
    def uses_values(self) -> bool:
        """Whether the class values matter, not only their order."""
        return "values" in inspect.signature(self.function).parameters

    @cached_property
    def uses_sizes(self) -> bool:
        """Whether the numbers of items behind distributions can matter."""
        return "size" in inspect.signature(self.function).parameters

    def bind(self, params: Params) -> Given:
        """Return all parameters, those not given with their defaults, or raise if one is wrong."""
        names = [p.name for p in self.parameters]
        for name in params:
            if name not in names:
                takes = f"it takes {', '.join(names)}" if names else "it takes none"
                raise InputError(
                    f"{self.id} has no parameter {name!r}; {takes}.",
                    parameter="measures",
                    hint=did_you_mean(name, names).strip(),
                )
        full = tuple((p.name, _frozen(params.get(p.name, p.default))) for p in self.parameters)
        for p, (_, value) in zip(self.parameters, full, strict=True):
            if not p.check(value):
                raise InputError(
                    f"{self.id}: {abbreviate(value)} cannot be used for {p.name}; expected "
                    f"{p.allowed}.",
                    parameter="measures",
                    hint=did_you_mean(str(value), p.allowed.replace('"', "").split(", ")).strip(),
                )
        return full

    def shown(self, given: Given) -> dict[str, Any]:
        """Return the parameters that a specification prints: shown always, or not the default."""
        pairs = zip(self.parameters, given, strict=True)
        return {p.name: value for p, (_, value) in pairs if p.shown or value != p.default}

    def specification(self, given: Given) -> str:
        """Return the text that names the measure with its parameters: ``oc(beta=0.25)``."""
        shown = [f"{name}={value!r}" for name, value in self.shown(given).items()]
        return f"{self.id}({', '.join(shown)})" if shown else self.id

    @cached_property
    def short_keys(self) -> dict[Given, str]:
        """The keys of the listed variants, and of those that an alias names."""
        listed = map(self.bind, self.variants)
        made = {v: "_".join([self.id, *map(str, self.shown(v).values())]) for v in listed}
        return made | {self.bind(self.aliases[alias]): alias for alias in self.keys}

    @cached_property
    def names(self) -> dict[str, Params]:
        """Every name of the measure, with the parameters that it sets."""
        keys = {key: dict(given) for given, key in self.short_keys.items()}
        return {**keys, **self.aliases, self.id: {}}


_OF_PARAMETERS = ("bounds", "undefined", "of_cells", "nonnegative")
_PROSE = frozenset(f.name for f in fields(Card))
_FACTS = [f.name for f in fields(Record) if f.name not in ("id", "function", "prose")]


def _frozen(value: Any) -> Any:
    """Return a plain value that compares, hashes and prints alike: tuples, and 1 for 1.0."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(float(v) if isinstance(v, bool) else v) for v in value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _words(fact: Any) -> tuple[str, ...]:
    return tuple(fact.split() if isinstance(fact, str) else fact)


def _function(fact: Any) -> Any:
    """Return a function that gives the fact for any parameters."""
    return fact if callable(fact) else lambda *_: fact


_RECORDS: dict[str, Record] = {}
_NAMES: dict[str, Record] = {}  # by id, alias and key
_CHANGES = [0]  # how often they changed
_PLUGIN_LOCK = RLock()  # a plug-in may itself look up a measure while it is loaded
_LOADED = [False]  # whether plug-ins are


def register_measure(id: str, **facts: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a measure.

    The function takes an array of tables `[..., gold, predicted]`, or for quantification two
    arrays `[..., K]`, gold first; then ``values``, the class values `[K]`, if it has a parameter
    of that name, and ``size``, the numbers of items `[...]` behind the gold distributions, or
    None, likewise; then the measure's parameters as keywords. It returns an array `[...]` that is
    NaN where the measure is undefined. Input has been checked. To accept arrays of PyTorch, JAX
    or CuPy, the function must use only the array API of its input.

    Parameters
    ----------
    id : str
        Name of the measure in specifications: a lower-case identifier.
    **facts : object
        The facts about the measure. Required are ``family``, ``better`` ("higher" or "lower"),
        ``bounds`` (lowest and highest possible score) and ``scale`` ("nominal", "ordinal" or
        "interval"), and of the texts ``title``, ``formula``, ``description`` and ``citation``.
        `ordeval.measures.registry.Record` lists all facts, and `ordeval.measures.registry.Card`
        all texts.

    Returns
    -------
    callable
        A decorator that registers a function and returns it.

    Raises
    ------
    InputError
        If a fact is unknown or missing, or a name is not a lower-case identifier or belongs to
        another measure.

    Examples
    --------
    >>> import ordeval as oe
    >>> from ordeval.measures.registry import unregister_measure
    >>> @oe.register_measure(
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
    prose = {name: facts.pop(name) for name in list(facts) if name in _PROSE}

    def register(function: Function) -> Function:
        own = function.__module__.startswith(f"{__package__}.")
        if not own:
            _load_own()  # whose names are taken
        card = None if own else _made(Card, id, prose)
        _add(_made(Record, id, {"id": id, "function": function, "prose": card, **facts}))
        return function

    return register


def _made(kind: Any, id: str, facts: Facts) -> Any:
    """Return a record or card of these facts, or raise an error about a wrong or lacking one."""
    try:
        return kind(**facts)
    except TypeError as error:
        wrong = [name for name in facts if name not in {f.name for f in fields(kind)}]
        near = did_you_mean(wrong[0], [*_FACTS, *_PROSE]).strip() if wrong else ""
        message = f"has no fact {wrong[0]!r}" if wrong else str(error).partition("()")[2].strip()
        raise InputError(
            f"The measure {id!r}: {message}.", parameter=wrong[0] if wrong else "id", hint=near
        ) from None


def _add(record: Record) -> None:
    """Add a record under all its names, or raise if a name cannot be used."""
    for fact, choices in (("better", Better), ("scale", ScaleKind), ("task", Task)):
        check_choice(fact, getattr(record, fact), get_args(choices))
    for name in (record.id, *record.aliases):
        if not name.isidentifier() or name != name.lower() or iskeyword(name):
            raise InputError(
                f"{name!r} cannot name a measure; a name is a lower-case identifier.",
                parameter="id",
            )
    for name in record.names:
        taken = _NAMES.get(name, record)
        if _place(taken) != _place(record):
            raise InputError(
                f"The name {name!r} of the measure {_place(record)} already belongs to the measure "
                f"{_place(taken)}.",
                parameter="id",
                hint="Choose another name.",
            )
    unregister_measure(record.id)  # the same function, defined again
    _NAMES.update(dict.fromkeys(record.names, record))
    _RECORDS[record.id] = record
    _CHANGES[0] += 1


def _place(record: Record) -> str:
    """Return where a measure is defined; a notebook cell that is run twice defines it again."""
    return f"{record.id!r} ({record.function.__module__}.{record.function.__qualname__})"


def unregister_measure(id: str) -> None:
    """Remove a measure and its other names; nothing happens if there is none of that name."""
    if record := _RECORDS.pop(id, None):
        for name in record.names:
            del _NAMES[name]
    _CHANGES[0] += 1


def changes() -> int:
    """Return how often measures were added or removed, so that what depends on it can be kept."""
    return _CHANGES[0]


@cache
def _load_own() -> None:
    """Load the measures of this package."""
    for module in _FAMILIES:
        import_module(f".{module}", __package__)


def _load_plugins() -> None:
    """Load the entry points of other packages once; one that fails is left out with a warning."""
    _load_own()
    with _PLUGIN_LOCK:
        if _LOADED[0]:
            return
        _LOADED[0] = True
        from importlib.metadata import entry_points  # slow to import

        failures = [_load(entry) for entry in entry_points(group=ENTRY_POINTS)]
    for failure in filter(None, failures):
        warnings.warn(failure, UserWarning, stacklevel=3)


def _load(entry: "EntryPoint") -> str:
    """Load an entry point: import a module, or call a function. Return what went wrong."""
    try:
        loaded = entry.load()
        measures = [record.function for record in _RECORDS.values()]
        if not isinstance(loaded, ModuleType) and loaded not in measures:
            loaded()
    except Exception as error:  # noqa: BLE001  # the module of another package
        package = entry.dist.name if entry.dist else entry.value
        return (
            f"The measures of the package {package!r} are not available: the entry point "
            f"{entry.name!r} ({entry.value}) failed with {type(error).__name__}: {error}"
        )
    return ""


def records() -> dict[str, Record]:
    """Return all records by id, family by family, those of other packages included."""
    _load_plugins()
    families = [*_FAMILIES, *(record.family for record in _RECORDS.values())]
    return dict(sorted(_RECORDS.items(), key=lambda item: families.index(item[1].family)))


def find_record(name: str) -> Record | None:
    """Return the record that a name, alias or key belongs to; None if there is no such measure.

    Other packages are loaded only if the name is unknown without them.
    """
    _load_own()
    if name not in _NAMES:
        _load_plugins()
    return _NAMES.get(name)


def known_names() -> list[str]:
    """Return all names of all measures."""
    _load_plugins()
    return list(_NAMES)


def number(low: float = -np.inf, high: float = np.inf, *, open_low: bool = False) -> Check:
    """Return a check for a finite number within bounds; with `open_low`, above the lower one."""

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
