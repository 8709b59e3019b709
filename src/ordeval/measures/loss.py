"""Losses: measures of soft tables, whose gradients train a network, for PyTorch and JAX.

The soft table holds, for every gold class, the sum of the predicted probabilities of its items. It
is the only thing that a measure sees of a batch, so that a loss costs the same whatever the batch.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial, reduce
from itertools import accumulate
from typing import Any

import numpy as np

from ..data.scale import Scale
from ..errors import InputError, did_you_mean
from .path import lines_fit
from .spec import Measure, counterpart, parse_measure
from .terms import Array, array_namespace, constant, device

YARDSTICKS = ("cross_entropy", "cumulative_cross_entropy")
_NOTHING = 1e-12  # cells below it are empty: the gradients of smaller numbers overflow
_Score = Callable[[Array], Array]  # from a table to what is minimised


def loss(
    measure: str | Measure,
    *,
    labels: Any,
    values: Any = None,
    from_logits: bool = True,
    class_weight: Sequence[float] | None = None,
    momentum: float = 0.0,
) -> "Loss":
    """Make a loss that trains a network for a measure, in PyTorch or JAX.

    Parameters
    ----------
    measure : str or Measure
        A differentiable measure of classification, such as "qwk", "cem" or "macro_mae"; or, for
        comparison, "cross_entropy" or "cumulative_cross_entropy".
    labels : sequence, ordered categorical type or Scale
        The classes from lowest to highest, in the order of the network's outputs.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    from_logits : bool, default True
        Whether the network returns logits; if not, probabilities that sum to 1.
    class_weight : sequence of float, optional
        A weight for the items of each gold class.
    momentum : float, default 0
        The share of the running table that is kept when a batch is added, from 0 (this batch alone)
        to below 1. Small batches bias measures that are corrected for chance or average over
        classes; with 0.9, the score is that of about ten batches.

    Returns
    -------
    Loss
        A callable ``loss(scores, targets)``.

    See Also
    --------
    measure : The measure itself, which scores tables of counts.

    Examples
    --------
    The loss is 1 − κ of the soft table of these probabilities.

    >>> import numpy as np
    >>> import ordeval as oe
    >>> kappa = oe.loss("qwk", labels=[1, 2, 3], from_logits=False)
    >>> shares = np.array([[0.9, 0.1, 0.0], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]])
    >>> round(float(kappa(shares, np.array([0, 1, 2]))), 4)
    0.2
    """
    if not 0 <= momentum < 1:
        raise InputError(
            f"momentum is {momentum!r}; a number from 0 to below 1 is expected.",
            parameter="momentum",
        )
    scale = Scale.of(labels, values)
    given = None if class_weight is None else _checked_weights(class_weight, scale)
    return Loss(_differentiable(measure), scale, from_logits, given, momentum)


def _checked_weights(weights: Sequence[float], scale: Scale) -> tuple[float, ...]:
    found = tuple(float(w) for w in weights)
    if len(found) != scale.k or not all(0 <= w < float("inf") for w in found) or not any(found):
        raise InputError(
            f"class_weight is {weights!r}; {scale.k} numbers of at least 0, one per class and not "
            "all 0, are expected.",
            parameter="class_weight",
        )
    return found


def _differentiable(measure: str | Measure) -> str | Measure:
    """Return the measure, or the name of a yardstick, or raise if there are no gradients."""
    if measure in YARDSTICKS:
        return measure
    if isinstance(measure, str) and "entrop" in measure:
        raise InputError(
            f"There is no loss {measure!r}.",
            parameter="measure",
            hint=did_you_mean(measure, YARDSTICKS).strip(),
        )
    spec = counterpart(parse_measure(measure), "classification")
    if spec.record.task != "classification":
        raise InputError(
            f"{spec} is a measure of {spec.record.task}; losses score tables of gold by predicted "
            "class.",
            parameter="measure",
            hint='Name a measure of classification, such as "qwk" or "mae".',
        )
    if not spec.record.differentiable:
        raise InputError(
            f"{spec} has no gradients, so that no network can be trained with it.",
            parameter="measure",
            hint='Name another one, such as "oc" or "qwk".',
        )
    return spec


@dataclass(eq=False)
class Loss:
    """A measure as a loss: a callable on scores `[B, K]` and targets, to be minimised.

    Made by `loss`. The value is the best possible score minus the score, or the score itself where
    lower is better. A batch for which the measure is undefined, such as one with a single gold
    class under κ, has the value 0 and no gradient.

    Parameters
    ----------
    measure : Measure or str
        The measure, or the name of a cross-entropy.
    scale : Scale
        The ordered classes.
    from_logits : bool, default True
        Whether scores are logits rather than probabilities.
    class_weight : tuple of float, optional
        A weight for the items of each gold class.
    momentum : float, default 0
        The share of the running table that is kept when a batch is added.
    running : array of shape (K, K), optional
        The table of earlier batches; None before the first.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> error = oe.loss("mae", labels=[1, 2, 3], momentum=0.9)
    >>> for _ in range(3):
    ...     value = error(np.zeros((6, 3)), np.array([0, 0, 1, 1, 2, 2]))
    >>> round(float(value), 4)
    0.8889
    >>> round(float(error.running.sum()), 2)  # 6 + 0.9 · 6 + 0.9² · 6 items
    16.26
    >>> error.reset()
    """

    measure: Measure | str
    scale: Scale
    from_logits: bool = True
    class_weight: tuple[float, ...] | None = None
    momentum: float = 0.0
    running: Any = None
    _score: Callable[..., Array] = field(init=False, repr=False)
    _kept: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Look up what need not be looked up for every batch."""
        if torch := sys.modules.get("torch"):
            array_namespace(torch.empty(0))  # compilers warn if they see how it is found
        if isinstance(self.measure, str):
            self._score = _YARDSTICKS[self.measure]
            return
        spec, self._numbers = self.measure.on(self.scale), tuple(self.scale.numbers.tolist())
        self._score = partial(spec.record.function, **spec.params)
        self._best = spec.best(self.scale) if spec.better == "higher" else None
        self._uses_values = spec.record.uses_values
        fixed = spec.record.id != "auoc" or lines_fit(1, self.scale.k)
        self._replayable = fixed and not any(isinstance(p, tuple) for p in spec.params.values())

    def __call__(self, scores: Array, targets: Array) -> Array:
        """Return the loss of a batch, and add the batch to the running table.

        Parameters
        ----------
        scores : array of shape (B, K)
            Logits or probabilities, in the order of the classes. Numbers of half precision are
            converted to single precision.
        targets : array of shape (B,) or (B, K)
            Positions of the gold classes, integers from 0 to K − 1 and not labels; or shares of
            the classes. On the CPU they are checked; elsewhere and in compiled code a wrong
            position stops PyTorch's device or, under JAX, makes the loss NaN.

        Returns
        -------
        array of shape ()
            What is to be minimised.
        """
        if self.momentum and not _has_state(scores):
            raise InputError(
                "A running table is kept on the loss, and functions of JAX must have no state.",
                parameter="momentum",
                hint="Call value, running = loss.pure(scores, targets, running).",
            )
        value, running = self.pure(scores, targets, self.running)
        if self.momentum:
            self.running = running
        return value

    def pure(self, scores: Array, targets: Array, running: Any = None) -> tuple[Array, Any]:
        """Return the loss of a batch and the new running table, and change nothing.

        Parameters
        ----------
        scores, targets : array
            As for calls.
        running : array of shape (K, K), optional
            The table of earlier batches.

        Returns
        -------
        tuple of array
            The value that is to be minimised, and the table to give with the next batch.
        """
        self._check(scores, targets)
        scores = _in_floats(scores)
        gold = self._gold(targets, scores)
        if isinstance(self.measure, str):
            logs = _log_softmax(scores) if self.from_logits else _logs(scores)
            return self._score(logs, gold), running
        predicted = _softmax(scores) if self.from_logits else scores
        table = _product(gold, predicted)
        if self.momentum and running is not None:
            table = table + self.momentum * _on_device(running, table)
        return self._of_table(table), constant(table) if self.momentum else running

    def reset(self) -> None:
        """Forget the earlier batches."""
        self.running = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}

    def _check(self, scores: Array, targets: Array) -> None:
        """Raise an error for arrays of wrong shapes and, on the CPU, wrong contents."""
        k, shape, of_targets = self.scale.k, tuple(scores.shape), tuple(targets.shape)
        if len(shape) != 2 or shape[1] != k:
            raise InputError(
                f"The scores have shape {shape}; [B, {k}] is expected, one column per class.",
                parameter="scores",
            )
        if of_targets not in (shape, shape[:1]):
            raise InputError(
                f"The targets have shape {of_targets}; [{shape[0]}], positions of classes, or "
                f"[{shape[0]}, {k}], shares of classes, is expected.",
                parameter="targets",
            )
        if shape[0] and len(of_targets) == 1:
            self._check_positions(targets)
        if shape[0] and not self.from_logits:
            _check_shares(scores, "scores", "For logits, leave out from_logits=False.")
        if shape[0] and len(of_targets) == 2:
            _check_shares(targets, "targets", "Give positions of classes, or shares.")

    def _check_positions(self, targets: Array) -> None:
        k = self.scale.k
        if _can_be_read(targets) and not 0 <= int(targets.min()) <= int(targets.max()) < k:
            raise InputError(
                f"The targets are from {int(targets.min())} to {int(targets.max())}; positions of "
                f"classes from 0 to {k - 1} are expected, not labels.",
                parameter="targets",
                hint="Leave out items without a gold class, and give positions for labels.",
            )

    def _gold(self, targets: Array, like: Array) -> Array:
        """Return the weight of every item in each gold class, `[B, K]`."""
        xp, where, weights = array_namespace(like), device(like), self.class_weight
        if targets.ndim == 2:
            gold = xp.astype(targets, like.dtype)
            return gold if weights is None else gold * self._constants(like, "weights", weights)
        rows = self._kept.get(("rows", like.dtype, where))
        if rows is None:
            rows = xp.eye(self.scale.k, dtype=like.dtype, device=where)
            if weights is not None:
                rows = rows * self._constants(like, "weights", weights)
            self._keep(("rows", like.dtype, where), rows)
        positions = targets.long() if hasattr(targets, "detach") else targets
        return xp.take(rows, positions, axis=0)

    def _of_table(self, table: Array) -> Array:
        """Return what is minimised; on a GPU all steps are replayed as one."""
        if not getattr(table, "is_cuda", False) or not self._replayable or _is_traced():
            return self._plain(table, self._values(table))
        key = "replay", table.dtype, table.device
        if key not in self._kept:
            values = self._values(table)
            self._kept[key] = _record(lambda n: self._plain(n, values), table)
        replay = self._kept[key]
        if replay is None:
            return self._plain(table, self._values(table))
        return _replayed().apply(table, replay)

    def _plain(self, table: Array, values: Array) -> Array:
        xp = array_namespace(table)
        table = xp.where(table <= _NOTHING, 0.0, table)
        by_name = {"values": values} if self._uses_values else {}
        score = self._score(table, **by_name)
        value = score if self._best is None else self._best - score
        return xp.where(score == score, value, 0.0 * xp.sum(table))  # NaN stays NaN

    def _values(self, like: Array) -> Array:
        return self._constants(like, "values", self._numbers)

    def _constants(self, like: Array, name: str, numbers: tuple[float, ...]) -> Array:
        """Return numbers as an array of the library, type and device of another."""
        xp, where = array_namespace(like), device(like)
        if not hasattr(like, "detach"):
            return xp.asarray(numbers, dtype=like.dtype)
        if _is_traced():  # numbers that are copied to a GPU could not be replayed
            return xp.stack([xp.full((), x, dtype=like.dtype, device=where) for x in numbers])
        key = name, like.dtype, where
        if key not in self._kept:
            self._keep(key, xp.asarray(numbers, dtype=like.dtype, device=where))
        return self._kept[key]

    def _keep(self, key: Any, array: Array) -> None:
        """Keep an array of PyTorch for the next batch, unless it belongs to a compiled function."""
        if hasattr(array, "detach") and not _is_traced():
            self._kept[key] = array


def _check_shares(shares: Array, name: str, hint: str) -> None:
    """Raise an error for rows that are no probabilities, if they can be read at no cost."""
    if not _can_be_read(shares):
        return
    shares = constant(shares)
    sums = shares.sum(-1)
    if not bool((abs(sums - 1.0) < 0.02).all()) or float(shares.min()) < 0:
        raise InputError(
            "Probabilities are not below 0 and sum to 1; rows sum to "
            f"{float(sums.min()):g} to {float(sums.max()):g}.",
            parameter=name,
            hint=hint,
        )


def _cross_entropy(logs: Array, gold: Array) -> Array:
    xp = array_namespace(logs)
    return -xp.sum(gold * logs) / xp.sum(gold)


def _cumulative_cross_entropy(logs: Array, gold: Array) -> Array:
    """Return the sum over thresholds of the cross-entropy of being below or above it."""
    xp = array_namespace(logs)
    below = list(accumulate(_columns(logs)[:-1], xp.logaddexp))
    above = list(accumulate(_columns(logs)[:0:-1], xp.logaddexp))[::-1]
    is_below = list(accumulate(_columns(gold)[:-1]))
    is_above = list(accumulate(_columns(gold)[:0:-1]))[::-1]
    pairs = zip([*is_below, *is_above], [*below, *above], strict=True)
    return -reduce(lambda a, b: a + b, (xp.sum(g * x) for g, x in pairs)) / xp.sum(gold)


_YARDSTICKS: dict[str, Callable[[Array, Array], Array]] = {
    "cross_entropy": _cross_entropy,
    "cumulative_cross_entropy": _cumulative_cross_entropy,
}


def _columns(x: Array) -> list[Array]:
    return [x[:, i] for i in range(x.shape[1])]


def _in_floats(x: Array) -> Array:
    """Return numbers of half precision in single precision."""
    xp = array_namespace(x)
    return xp.astype(x, xp.float32) if xp.finfo(x.dtype).bits < 32 else x


def _softmax(x: Array) -> Array:
    if hasattr(x, "softmax"):  # PyTorch
        return x.softmax(-1)
    xp = array_namespace(x)
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def _log_softmax(x: Array) -> Array:
    if hasattr(x, "log_softmax"):  # PyTorch
        return x.log_softmax(-1)
    xp = array_namespace(x)
    x = x - xp.max(x, axis=-1, keepdims=True)
    return x - xp.log(xp.sum(xp.exp(x), axis=-1, keepdims=True))


def _logs(shares: Array) -> Array:
    xp = array_namespace(shares)
    return xp.log(xp.clip(shares, float(xp.finfo(shares.dtype).eps), None))


def _product(gold: Array, predicted: Array) -> Array:
    """Return the soft table; automatic mixed precision would sum in half precision."""
    if not hasattr(predicted, "detach"):
        return gold.T @ predicted
    import torch

    with torch.autocast(predicted.device.type, enabled=False):
        return gold.T @ predicted


def _on_device(running: Array, table: Array) -> Array:
    return running.to(table) if hasattr(running, "detach") else running


def _has_state(scores: Array) -> bool:
    """Return whether a library has arrays that are computed when they are asked for."""
    return isinstance(scores, np.ndarray) or hasattr(scores, "detach")


def _can_be_read(x: Array) -> bool:
    """Return whether reading numbers stops nothing: no GPU waits and nothing is being compiled."""
    if isinstance(x, np.ndarray):
        return True
    if hasattr(x, "detach"):
        return x.device.type == "cpu" and not _is_traced()
    jax = sys.modules.get("jax")
    if jax is None or isinstance(x, jax.core.Tracer):
        return False
    return {d.platform for d in x.devices()} == {"cpu"}


def _is_traced() -> bool:
    """Return whether PyTorch compiles, or records for a replay, what is called now."""
    import torch

    return bool(torch.compiler.is_compiling())


def _record(score: _Score, table: Array) -> Any:  # pragma: no cover (needs a GPU)
    """Record a score and its gradient by the table as one CUDA graph; None if that fails.

    Every step on a table of K × K numbers costs a launch, and a replay is a single one.
    """
    import torch

    if torch.cuda.is_current_stream_capturing():  # the caller records already
        return None
    given = table.detach().clone().requires_grad_()

    def both() -> Array:
        with torch.enable_grad(), torch.autocast("cuda", enabled=False):
            value = score(given)
            (slope,) = torch.autograd.grad(value, given)
        return torch.cat([slope.reshape(-1), value.detach().reshape(1)])

    stream, graph = torch.cuda.Stream(table.device), torch.cuda.CUDAGraph()
    try:
        stream.wait_stream(torch.cuda.current_stream(table.device))
        with torch.cuda.stream(stream):
            for _ in range(3):
                both()
        torch.cuda.current_stream(table.device).wait_stream(stream)
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            found = both()
    except RuntimeError:
        return None
    return graph, given.detach(), found


@cache
def _replayed() -> Any:  # pragma: no cover (needs a GPU)
    """Return the function of PyTorch that replays a score, with its gradient."""
    import torch

    class Replayed(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, table: Array, replay: Any) -> Array:
            graph, given, found = replay
            given.copy_(table)
            graph.replay()
            found = found.clone()  # the next batch overwrites it
            ctx.slope = found[:-1].view(given.shape)
            return found[-1]

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, gradient: Array) -> Any:
            return gradient * ctx.slope, None

    return Replayed
