"""Terms that the formulas share: totals, marginals, distances, ratios, and undefined cases.

`n` is a table of counts `[..., gold, predicted]`, or `Cells`. A table of 1,001 classes has a
million cells, of which ten thousand items occupy at most ten thousand; `Cells` holds these alone.
Formulas that are written in the terms below serve both; what they compute for every cell, "by cell"
below, is `[..., K, K]` for tables and `[..., C]` for `Cells`.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from types import ModuleType
from typing import Any, NamedTuple

import array_api_compat
import numpy as np

from ..data.moments import Moments
from ..types import Floats, Ints
from .registry import Condition

_LONG_SCALE = 50
_SHARE_OF_CELLS = 4


def worth_listing(cells: int, k: int) -> bool:
    """Return whether so many cells with items of K² are to be listed rather than held in a table.

    Short scales are never listed: their tables are small.
    """
    return k >= _LONG_SCALE and cells * _SHARE_OF_CELLS <= k * k


class _Level(NamedTuple):
    """Cells whose predicted classes share all higher binary digits and differ in one.

    The sum over the cells `low` from place `start` to before `stop` is the weight of those in
    lower gold classes than a cell of `high`.
    """

    low: Ints
    high: Ints
    start: Ints
    stop: Ints


@dataclass(frozen=True, eq=False)
class Places:
    """Positions of different cells in tables of K classes."""

    gold: Ints
    predicted: Ints
    k: int

    @classmethod
    def of(cls, codes: Ints, k: int) -> "Places":
        """Return the positions of the cells ``gold * k + predicted``."""
        return cls(*np.divmod(codes, k), k)

    @property
    def codes(self) -> Ints:
        """The number ``gold * k + predicted`` of every cell."""
        return np.asarray(self.gold * self.k + self.predicted)

    @cached_property
    def by_gold(self) -> Any:
        """The sparse matrix [K, C] that sums cells by gold class."""
        return sums_by(self.gold, self.k)

    @cached_property
    def by_predicted(self) -> Any:
        """The sparse matrix [K, C] that sums cells by predicted class."""
        return sums_by(self.predicted, self.k)

    @cached_property
    def diagonal(self) -> Ints:
        """The cells of correct predictions."""
        return np.flatnonzero(self.gold == self.predicted)

    @cached_property
    def rising(self) -> Ints:
        """The cells by gold and then by predicted class."""
        return np.lexsort((self.predicted, self.gold))

    @cached_property
    def levels(self) -> list[_Level]:
        """The pairs of cells in different predicted classes, by the first digit that differs."""
        found = []
        for bit in range(int(self.k - 1).bit_length()):
            group = (self.predicted >> (bit + 1)) * self.k
            is_high = (self.predicted >> bit) & 1 == 1
            low, high = np.flatnonzero(~is_high), np.flatnonzero(is_high)
            low = low[np.argsort((group + self.gold)[low], kind="stable")]
            keys = (group + self.gold)[low]
            start = np.searchsorted(keys, group[high])
            found.append(_Level(low, high, start, np.searchsorted(keys, (group + self.gold)[high])))
        return found


def sums_by(classes: Ints, k: int) -> Any:
    """Return the sparse matrix [K, C] that sums numbers by class."""
    from scipy.sparse import csr_array  # slow to import

    return csr_array((np.ones(len(classes)), (classes, np.arange(len(classes)))), (k, len(classes)))


@dataclass(frozen=True, eq=False)
class Cells:
    """Tables whose items are all in the same cells."""

    places: Places
    by_cell: Floats  # weights [C, B] of every cell in each of B tables; tables are innermost

    @classmethod
    def of_table(cls, table: Floats) -> "Cells":
        """List the cells of one table that have items."""
        codes = np.flatnonzero(table)
        return cls(Places.of(codes, table.shape[-1]), table.reshape(-1)[codes][:, None])

    def __array_namespace__(self, api_version: str | None = None) -> ModuleType:
        """Return the library that the weights belong to, which has the names of the array API."""
        return np

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of the tables, [B, K, K]."""
        return self.by_cell.shape[1], self.places.k, self.places.k

    @property
    def dtype(self) -> Any:
        """The type of the weights."""
        return self.by_cell.dtype

    @property
    def weights(self) -> Floats:
        """The weights [B, C] of the cells."""
        return self.by_cell.T

    def __mul__(self, factors: Any) -> "Cells":
        """Multiply the cells by a number or by numbers that broadcast to [B, C]."""
        return self.of(self.weights * factors)

    def of(self, weights: Floats) -> "Cells":
        """Return tables with other weights [B, C] in the same cells."""
        return Cells(self.places, weights.T)

    def total(self) -> Floats:
        """Return the sum of every table."""
        return np.asarray(self.by_cell.sum(axis=0))

    @cached_property
    def gold(self) -> Floats:
        """The gold marginals, [B, K]."""
        return np.asarray((self.places.by_gold @ self.by_cell).T)

    @cached_property
    def predicted(self) -> Floats:
        """The predicted marginals, [B, K]."""
        return np.asarray((self.places.by_predicted @ self.by_cell).T)

    def diagonal(self) -> Floats:
        """Return the correct items of every class, [B, K]."""
        found = np.zeros((self.places.k, self.by_cell.shape[1]))
        found[self.places.gold[self.places.diagonal]] = self.by_cell[self.places.diagonal]
        return found.T

    def largest(self, axis: int) -> Floats:
        """Return the largest cell of every predicted (-2) or gold class (-1), [B, K]."""
        classes = self.places.predicted if axis == -2 else self.places.gold
        order = np.argsort(classes, kind="stable")
        used, starts = np.unique(classes[order], return_index=True)
        found = np.zeros((self.places.k, self.by_cell.shape[1]))
        if used.size:
            found[used] = np.maximum.reduceat(self.by_cell[order], starts, axis=0)
        return found.T

    @cached_property
    def below(self) -> Floats:
        """For each cell the weight of strictly lower gold and predicted classes, [B, C]."""
        found = np.zeros_like(self.by_cell)
        for low, high, start, stop in self.places.levels:
            running = _running_sums(self.by_cell[low])
            found[high] += running[stop] - running[start]
        return found.T

    def lower_beside(self, axis: int) -> Floats:
        """Return for each cell the weight of lower gold (-2) or predicted (-1) classes beside it.

        These are the cells of the same predicted or the same gold class.
        """
        along, across = self.places.gold, self.places.predicted
        if axis == -1:
            along, across = across, along
        order = np.lexsort((along, across))
        running = _running_sums(self.by_cell[order])
        first = np.searchsorted(across[order], across[order])
        found = np.empty_like(self.by_cell)
        found[order] = running[:-1] - running[first]
        return found.T

    @cached_property
    def up_to(self) -> Floats:
        """For each cell the weight of gold and predicted classes that are not higher, [B, C]."""
        return self.below + self.lower_beside(-2) + self.lower_beside(-1) + self.weights

    def part(self, tables: slice) -> "Cells":
        """Return some of the tables."""
        return replace(self, by_cell=np.ascontiguousarray(self.by_cell[:, tables]))

    def dense(self) -> Floats:
        """Return the tables with all cells, [B, K, K]."""
        out = np.zeros(self.shape)
        out[:, self.places.gold, self.places.predicted] = self.weights
        return out


def best_chain(costs: Cells) -> Floats:
    """Return the least sum of costs along a chain of cells, [B]; 0 for the empty chain.

    In a chain neither gold nor predicted classes fall. The least sums of chains that end at a
    predicted class are kept in a Fenwick tree, of which a few nodes hold those of all lower ones.
    """
    k = costs.places.k
    nodes = [_nodes(p, k) for p in range(k)]
    tree = np.zeros((k + 1, costs.by_cell.shape[1]))
    for cell in costs.places.rising:
        lower, upper = nodes[costs.places.predicted[cell]]
        least = tree[lower].min(axis=0) + costs.by_cell[cell]
        tree[upper] = np.minimum(tree[upper], least)
    return np.asarray(tree[nodes[k - 1][0]].min(axis=0))


def _nodes(p: int, k: int) -> tuple[Ints, Ints]:
    """Return the nodes of a Fenwick tree that hold the classes up to p, and those above p."""
    lower, upper, i = [], [], p + 1
    while i > 0:
        lower.append(i)
        i &= i - 1
    i = p + 1
    while i <= k:
        upper.append(i)
        i += i & -i
    return np.array(lower), np.array(upper)


def _running_sums(x: Floats) -> Floats:
    """Return sums of the rows before each row, and of all: [C + 1, B]."""
    sums = np.zeros((len(x) + 1, x.shape[1]))
    np.cumsum(x, axis=0, out=sums[1:])
    return sums


Array = Any  # of NumPy or of any other library with the array API
_SCORED = threading.local()  # the tables that are scored, and what was computed of them


_LIBRARIES: dict[type, Any] = {np.ndarray: np}


def array_namespace(array: Array) -> Any:
    """Return the library of an array with the names of the array API, which NumPy itself has."""
    kind = type(array)
    if kind not in _LIBRARIES:  # each question takes longer than a step on a small array
        _LIBRARIES[kind] = array_api_compat.array_namespace(array)
    return _LIBRARIES[kind]


def device(array: Array) -> Any:
    """Return the device of an array, for new ones beside it."""
    return array.device if hasattr(array, "requires_grad") else array_api_compat.device(array)


class sharing:  # used like a function
    """Compute the totals and marginals of `n` once for all measures that score it here."""

    def __init__(self, n: Array) -> None:
        self._tables = n

    def __enter__(self) -> None:
        _SCORED.tables, _SCORED.terms = self._tables, {}

    def __exit__(self, *_: object) -> None:
        _SCORED.tables = _SCORED.terms = None


def _shared(term: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Keep what a function returns for the tables of `sharing`."""

    @wraps(term)
    def found(n: Array) -> Array:
        if getattr(_SCORED, "tables", None) is not n:
            return term(n)
        if term not in _SCORED.terms:
            _SCORED.terms[term] = term(n)
        return _SCORED.terms[term]

    return found


def constant(x: Array) -> Array:
    """Return numbers through which no gradient flows."""
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "detach"):  # PyTorch
        return x.detach()
    if array_api_compat.is_jax_array(x):
        from jax.lax import stop_gradient

        return stop_gradient(x)
    return x


def sum_over(n: Array, axis: Any) -> Array:
    """Return sums of a table; of NumPy's without the checks that take longer than a sum."""
    if type(n) is np.ndarray:
        return np.add.reduce(n, axis)
    return array_namespace(n).sum(n, axis=axis)


@_shared
def total(n: Array) -> Array:
    """Return N, the number of items: `[...]`."""
    return n.total() if isinstance(n, Cells) else sum_over(n, (-2, -1))


@_shared
def gold(n: Array) -> Array:
    """Return G, the gold marginal: `[..., K]`."""
    return n.gold if isinstance(n, Cells) else sum_over(n, -1)


@_shared
def predicted(n: Array) -> Array:
    """Return P, the predicted marginal: `[..., K]`."""
    return n.predicted if isinstance(n, Cells) else sum_over(n, -2)


@_shared
def same_gold(n: Array) -> bool:
    """Whether many tables have the same gold, as they have after exchanges of predictions."""
    if not isinstance(n, np.ndarray) or n.ndim != 3 or len(n) < 3:
        return False
    G, N = gold(n), total(n)
    return bool(G[0, 0] == G[-1, 0] and np.all(G[:1] == G) and np.all(N[0] == N))


def diagonal(n: Array) -> Array:
    """Return the number of correct items of each class: `[..., K]`."""
    if isinstance(n, Cells):
        return n.diagonal()
    xp, k = array_namespace(n), n.shape[-1]
    return xp.reshape(n, (*n.shape[:-2], k * k))[..., :: k + 1]


def largest(n: Array, axis: int) -> Array:
    """Return the largest cell of each predicted (-2) or gold class (-1): `[..., K]`."""
    return n.largest(axis) if isinstance(n, Cells) else array_namespace(n).max(n, axis=axis)


def weights(n: Array) -> Array:
    """Return the counts by cell."""
    return n.weights if isinstance(n, Cells) else n


def with_weights(n: Array, x: Array) -> Array:
    """Return tables that hold `x` by cell in place of the counts."""
    return n.of(x) if isinstance(n, Cells) else x


def of_table(n: Array, x: Array) -> Array:
    """Return numbers `[...]` of the tables by cell."""
    return x[..., None] if isinstance(n, Cells) else x[..., None, None]


def of_gold(n: Array, x: Array) -> Array:
    """Return numbers `[..., K]` of the gold classes by cell."""
    return x.T[n.places.gold].T if isinstance(n, Cells) else x[..., :, None]


def of_predicted(n: Array, x: Array) -> Array:
    """Return numbers `[..., K]` of the predicted classes by cell."""
    return x.T[n.places.predicted].T if isinstance(n, Cells) else x[..., None, :]


def of_classes(n: Array, x: Array) -> Array:
    """Return numbers `[K, K]` of gold and predicted classes by cell."""
    return x[n.places.gold, n.places.predicted] if isinstance(n, Cells) else x


def distance_in(n: Array, values: Array) -> Array:
    """Return d, the distances between gold and predicted class values, by cell."""
    if isinstance(n, Cells):
        return np.abs(of_gold(n, values) - of_predicted(n, values))
    return distance(values)


def times(x: Floats, matrix: Floats) -> Floats:
    """Return the product of numbers `[..., J]` with a matrix `[J, K]`, the batch innermost."""
    return np.moveaxis(np.tensordot(matrix, x, (0, -1)), 0, -1)


def identity(n: Array) -> Array:
    """Return the K by K identity, with the type and device of `n`."""
    return array_namespace(n).eye(n.shape[-1], dtype=n.dtype, device=device(n))


def indices(n: Array) -> Array:
    """Return 0..K-1, with the type and device of `n`."""
    if isinstance(n, Cells):
        return np.arange(float(n.places.k))
    return array_namespace(n).arange(n.shape[-1], dtype=n.dtype, device=device(n))


def distance(values: Array) -> Array:
    """Return d, the distances between class values `[..., K]`: `[..., K, K]`."""
    return array_namespace(values).abs(values[..., :, None] - values[..., None, :])


def mid_ranks(marginal: Array) -> Array:
    """Return the mean rank of the items of each class, up to a constant: `[..., K]`."""
    return running_sums(marginal)[..., 1:] - marginal / 2


def cumulative_sums(x: Array, include_initial: bool = False) -> Array:
    """Return the sums over the first classes, after 0 if it is included: `[..., K]` or one more."""
    xp = array_namespace(x)
    if not hasattr(x, "requires_grad"):
        return xp.cumulative_sum(x, axis=-1, include_initial=include_initial)
    sums = x.cumsum(-1)  # PyTorch's own: compilers warn of the one with the name of the array API
    return xp.concat([xp.zeros_like(x[..., :1]), sums], axis=-1) if include_initial else sums


def running_sums(x: Array) -> Array:
    """Return 0 and the sums over the first classes, up to all of them: `[..., K + 1]`.

    Where many tables are scored at once, adding slices is several times faster than
    `cumulative_sum`, and the sums are the same.
    """
    xp, k = array_namespace(x), x.shape[-1]
    if x.ndim != 2 or x.shape[0] < k:
        return cumulative_sums(x, include_initial=True)
    if isinstance(x, np.ndarray):
        return _added_up(x.T).T
    sums = [xp.zeros_like(x[..., 0])]
    for i in range(k):
        sums.append(sums[-1] + x[..., i])
    return xp.permute_dims(xp.stack(sums), (1, 0))


def sums_below(n: Array, axis: int) -> Array:
    """Return, for each cell, the sum of those of lower classes of the gold (-2) or predicted (-1).

    Adds slices rather than numbers one by one as `cumulative_sum` does, which is several times
    slower where a table is not contiguous in memory because many tables are scored at once.
    """
    xp, d = array_namespace(n), n.ndim
    axes = (d + axis, d - 3 - axis, *range(d - 2))
    slices = xp.permute_dims(n, axes)
    if isinstance(n, np.ndarray):
        return _added_up(slices[:-1]).transpose([axes.index(i) for i in range(d)])
    sums = [xp.zeros_like(slices[0, ...])]
    for i in range(n.shape[-1] - 1):
        sums.append(sums[-1] + slices[i, ...])
    return xp.permute_dims(xp.stack(sums), tuple(axes.index(i) for i in range(d)))


def _added_up(slices: Array) -> Array:
    """Return 0 and the sums of the first slices, up to all of them, in one new array."""
    sums = np.empty((len(slices) + 1, *slices.shape[1:]), dtype=slices.dtype)
    sums[0] = 0
    for i, part in enumerate(slices):
        np.add(sums[i], part, out=sums[i + 1])
    return sums


def ratio(a: Array, b: Array, undefined: float = float("nan")) -> Array:
    """Return a / b, and `undefined` where b is 0; the gradient stays finite there."""
    xp = array_namespace(b)
    if isinstance(b, np.ndarray) and b.all():
        return a / b
    return xp.where(b != 0, a / xp.where(b != 0, b, 1.0), undefined)


def root(x: Array) -> Array:
    """Return the square root; numbers that rounding made negative count as 0.

    The gradient at 0 is 0.
    """
    if isinstance(x, np.ndarray):
        return np.sqrt(np.where(x <= 0, 0.0, x))
    xp = array_namespace(x)
    return xp.where(x <= 0, 0.0, xp.sqrt(xp.where(x <= 0, 1.0, x)))


def harmonic(a: Array, b: Array) -> Array:
    """Return the harmonic mean, 0 where both are 0."""
    return ratio(2.0 * a * b, a + b, 0.0)


def mean_over_observed(x: Array, n: Array, classes: str = "gold") -> Array:
    """Return the mean of `x` `[..., K]` over the observed classes; NaN without items.

    Observed are the classes with gold items, or with ``classes="union"`` also those predicted.
    """
    xp = array_namespace(n)
    items = gold(n) if classes == "gold" else gold(n) + predicted(n)
    return ratio(xp.sum(xp.where(items > 0, x, 0.0), axis=-1), classes_used(items))


def classes_used(marginal: Array) -> Array:
    """Count the classes of a marginal `[..., K]` that are not empty."""
    if isinstance(marginal, np.ndarray):
        return np.sum(marginal > 0, axis=-1, dtype=marginal.dtype)
    xp = array_namespace(marginal)
    return xp.sum(xp.astype(marginal > 0, marginal.dtype), axis=-1)


NO_ITEMS = Condition("there are no items", lambda n, values: total(n) == 0)
CONSTANT_GOLD = Condition("gold has only one class", lambda n, values: classes_used(gold(n)) == 1)
CONSTANT_PREDICTION = Condition(
    "the predictions have only one class", lambda n, values: classes_used(predicted(n)) == 1
)
ONE_CLASS = Condition(
    "gold and predictions are all of the same class",
    lambda n, values: classes_used(gold(n) + predicted(n)) == 1,
)


# Measures of real numbers, as functions of sums over items.

_NO_SPREAD = 1e-13  # a spread below this share of the sum of squares is a rounding error


def _ratio(above: Floats, below: Floats) -> Floats:
    found: Floats = np.full(np.shape(below), np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def mean_distance(m: Moments) -> Floats:
    """Return the mean absolute difference."""
    return _ratio(m.distance, m.n)


def mean_error(m: Moments) -> Floats:
    """Return the mean squared difference."""
    return _ratio(m.error, m.n)


def root_mean_error(m: Moments) -> Floats:
    """Return the root of the mean squared difference; sums of left-out items may round below 0."""
    return np.asarray(np.sqrt(np.maximum(mean_error(m), 0.0)))


def correlation(m: Moments) -> Floats:
    """Return the Pearson correlation."""
    gold, predicted = (_spread(m.n, *sums) for sums in ((m.g, m.gg), (m.p, m.pp)))
    covariance = m.gp - _ratio(m.g * m.p, m.n)
    return np.clip(_ratio(covariance, np.sqrt(gold) * np.sqrt(predicted)), -1.0, 1.0)


def _spread(n: Floats, total: Floats, squares: Floats) -> Floats:
    """Return the sum of squared deviations from the mean; 0 where it is a rounding error."""
    spread = squares - _ratio(total**2, n)
    return np.where(spread > _NO_SPREAD * squares, spread, 0.0)


def cosine_of_numbers(m: Moments) -> Floats:
    """Return the cosine of gold and predicted numbers, without centring."""
    c = m.centre
    product = m.gp + c * (m.g + m.p) + c * c * m.n
    gold, predicted = (sq + 2 * c * s + c * c * m.n for s, sq in ((m.g, m.gg), (m.p, m.pp)))
    length = np.sqrt(np.maximum(gold, 0.0)) * np.sqrt(np.maximum(predicted, 0.0))
    return np.clip(_ratio(product, length), -1.0, 1.0)


def interval_alpha(m: Moments) -> Floats:
    """Return Krippendorff's alpha of two coders who give numbers."""
    labels = 2.0 * _ratio(m.n**2, m.squares)
    drawn = _spread(2.0 * m.n, m.g + m.p, m.gg + m.pp) / np.where(m.n > 0, m.n, np.nan)
    expected = drawn * _ratio(labels, labels - 1.0)
    return np.asarray(1.0 - _ratio(mean_error(m), expected))
