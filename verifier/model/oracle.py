"""Oracles: the realised error behind a width that the setting knows nothing of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from verifier.base.arrays import Array


class Oracle(ABC):
    """Replacement of a width in the oracle regime, supplied by a plugin (`Guarantees.oracles`).

    A setting knows the errors of what its algorithms estimate, a model or a regression. What else an algorithm may learn from,
    such as the updates of a model-free one, has an error of its own, which only its paper defines. It is computed from the truth
    and from what happened, which are the harness's; the algorithm has no part in it.

    Parameters
    ----------
    instance : object
        The setting's.
    transcript : object
        What has happened so far, as the setting keeps it; it grows while the run goes on.

    Examples
    --------
    >>> import numpy as np
    >>> from verifier import Oracle
    >>> class OfRewards(Oracle):
    ...     def error(self, step, target):
    ...         return np.abs(target - self.instance.reward)
    ...     def width(self, step, target):
    ...         return float(self.error(step, target).max())
    >>> from types import SimpleNamespace
    >>> OfRewards(SimpleNamespace(reward=0.5), None).width(0, np.array([0.25, 0.5]))
    0.25
    """

    def __init__(self, instance: Any, transcript: Any) -> None:
        self.instance, self.transcript = instance, transcript

    @abstractmethod
    def error(self, step: int, target: Array) -> Array:
        """The realised error at a step, counted from 0; `target` is what the width was asked with."""

    @abstractmethod
    def width(self, step: int, target: Array) -> float:
        """The least width that covers it, plus rounding slack; the same when it is asked for again."""
