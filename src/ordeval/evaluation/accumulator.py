"""Counts of batches, of files in parts and of several processes, and their evaluation."""

import sys
from dataclasses import replace
from typing import Any, Unpack

from ..data.counts import Counts
from ..data.data import Data
from ..data.scale import Scale
from ..errors import InputError, NoItemsError
from ..measures.scoring import MeasuresLike
from ..options import BatchOptions, EvaluateSettings, takes
from ..results import Result
from ..types import BinsLike, ClassNumbers, Missing, MissingLabels
from .classification import evaluate


class Accumulator:
    """Counts labels batch by batch, and evaluates all of them at any time.

    It stores tables of counts, so its size does not grow with the number of items, and it can be
    pickled. As in torchmetrics, `compute` adds the counts of all processes if `torch.distributed`
    is initialised, and every process has to call it. Unlike in torchmetrics, gold comes first.

    Parameters
    ----------
    labels : sequence or Scale
        The classes from lowest to highest.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes.
    missing : {"error", "skip", "worst"}
        What to do about missing labels: raise an error, skip the item for every system, or score a
        missing prediction as the class farthest from gold.
    na : value or sequence of values, optional
        Codes for a missing label.

    Attributes
    ----------
    scale : Scale
        The classes.
    counts : Counts or None
        The counts of this process; None before the first item.

    Examples
    --------
    >>> import ordeval as oe
    >>> seen = oe.Accumulator(labels=range(3))
    >>> for gold, pred in [([0, 1, 2], [0, 1, 1]), ([2, 2, 0], [2, 1, 0])]:
    ...     seen.update(gold, pred)
    >>> result = seen.compute("accuracy, qwk")
    >>> round(result["accuracy"].value, 3)
    0.667
    """

    def __init__(
        self,
        labels: Any,
        *,
        values: ClassNumbers = None,
        bins: BinsLike = None,
        missing: Missing = "error",
        na: MissingLabels = None,
    ) -> None:
        self.scale = Scale.of(labels, values)
        self.reset()
        self._reading: dict[str, Any] = {"bins": bins, "missing": missing, "na": na}

    @property
    def counts(self) -> Counts | None:
        """The counts of this process; None before the first item."""
        if self._counts is None:
            return None
        return replace(self._counts, skipped=self._counts.skipped + self._skipped)

    @takes(BatchOptions)
    def update(self, y_true: Any, y_pred: Any = None, **options: Unpack[BatchOptions]) -> None:
        """Count one more batch; a batch with an error changes nothing.

        Parameters
        ----------
        y_true : array_like of shape (n_items,), Data or Counts
            Gold labels. Without `y_pred`, data or counts from an earlier step, such as a file.
        y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
            Predicted labels of one system, or a mapping from system to labels; the same systems in
            every batch.
        {options}
        """
        if isinstance(y_true, (Data, Counts)) and y_pred is None:
            self._add(_unclustered(y_true).counts() if isinstance(y_true, Data) else y_true)
            return
        try:
            how = {**self._reading, **options}
            self._add(Counts.from_labels(y_true, y_pred, labels=self.scale, **how))
        except NoItemsError as problem:
            self._skipped += problem.skipped

    def merge(self, other: "Accumulator") -> None:
        """Add the counts of another accumulator.

        Parameters
        ----------
        other : Accumulator
            An accumulator with the same labels and systems, such as one from another process.
        """
        if not isinstance(other, Accumulator):
            raise InputError(
                f"merge takes an accumulator; a {type(other).__name__} was given.",
                hint="Pass counts or data to update.",
            )
        self._check_scale(other.scale)
        if other._counts is not None:
            self._add(other._counts)
        self._skipped += other._skipped

    def reset(self) -> None:
        """Forget all counts."""
        self._counts: Counts | None = None
        self._skipped = 0  # items of batches in which no item had all labels

    def compute(self, measures: MeasuresLike = None, **options: Unpack[EvaluateSettings]) -> Result:
        """Evaluate everything that was counted, in all processes.

        Parameters
        ----------
        measures : str, Measure or sequence of these, optional
            The measures; by default nine core measures.
        **options
            Options of `evaluate` for intervals.

        Returns
        -------
        Result
            What `evaluate` returns for the counts.
        """
        if (counts := self._in_all_processes()) is None:
            raise InputError("Nothing was counted.", hint="Call update(gold, pred) first.")
        return evaluate(counts, None, measures, **options)

    def _add(self, counts: Counts) -> None:
        self._check_scale(counts.scale)
        self._counts = counts if self._counts is None else self._counts + counts

    def _check_scale(self, scale: Scale) -> None:
        if not self.scale.same_classes(scale):
            raise InputError(
                f"The batch is on the scale {scale.describe()}, and {self.scale.describe()} "
                "is expected.",
                parameter="labels",
            )

    def _in_all_processes(self) -> Counts | None:
        """Return the counts of all processes of `torch.distributed`, or those of this one."""
        distributed: Any = sys.modules.get("torch.distributed")
        if not (distributed and distributed.is_available() and distributed.is_initialized()):
            return self.counts
        every: list[Counts | None] = [None] * distributed.get_world_size()
        distributed.all_gather_object(every, self.counts)
        return sum(filter(None, every)) or None


def _unclustered(data: Data) -> Data:
    """Return data of which counts lose nothing that intervals and tests need."""
    for name, held in {"cluster": data.units.cluster is not None, "by": data.units.parts}.items():
        if held:
            raise InputError(
                f"The data were read with {name}, which counts would lose.",
                parameter=name,
                hint="Evaluate the data themselves, or read them without it.",
            )
    return data
