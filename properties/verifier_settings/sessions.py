"""The harness's side of a run, of which properties see a batch at a time: what the sessions of settings share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from verifier.base.arrays import Array, finite
from verifier.base.errors import ContractError
from verifier.model.setting import Session

PlanT = TypeVar("PlanT")
ItemT = TypeVar("ItemT")
ViewT = TypeVar("ViewT")

Widths = Mapping[tuple[str, int], tuple[float, Array]]
"""Width by quantity and step: the one that was handed out, and the value function it was asked with."""

SLACK = 1e-9
"""Added to the oracle width, relatively and absolutely, so that rounding of the width itself cannot make the event fail."""


def oracle_width(radius: float) -> float:
    """The least width that covers an error of this radius, plus the slack."""
    return float((1 + SLACK) * radius + SLACK)


def asked_of(widths: Widths, of: str) -> dict[int, tuple[float, Array]]:
    """The widths handed out for one quantity, by step, with the value functions they were asked with."""
    return {step: given for (quantity, step), given in widths.items() if quantity == of}


def require_steps(asked: Collection[int], steps: int, where: str, call: str) -> None:
    """Check that a width was asked for at each of the first steps.

    Raises
    ------
    ContractError
        If one was not; `call` is what to write for it.
    """
    for h in range(steps):
        if h not in asked:
            raise ContractError(f"{where}: the algorithm did not ask for the width of step h={h + 1}; call {call}")


def require_values(step: int, target: Array, *shape: int | str, where: str = "") -> None:
    """Check the value function a width was asked with.

    Parameters
    ----------
    step : int
    target : array
    *shape : int or str
        The shape it should have; a word stands for an axis of any length.
    where : str
        Which plan it was asked for, where that is known, for messages.

    Raises
    ------
    ContractError
        If it is not finite or of another shape.
    """
    fits = np.ndim(target) == len(shape) and all(
        isinstance(wanted, str) or n == wanted for n, wanted in zip(np.shape(target), shape, strict=True)
    )
    if not fits or not np.isfinite(target).all():
        expected = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
        raise ContractError(
            f"{where}width(step={step}) was handed a value function of shape {np.shape(target)}, expected {expected}, finite"
        )


def by_step(asked: Mapping[int, tuple[float, Array]], steps: int, *shape: int, where: str = "") -> tuple[Array, Array]:
    """The widths of the first steps, (H,), and the value functions they were asked with, (H, ...), checked like one of them.

    Raises
    ------
    ContractError
        As `require_values`, or if there are other steps.
    """
    if len(asked) > steps:
        other = next(h for h in asked if h not in range(steps))
        raise ContractError(f"{where}width(step={other}) was asked for; expected a step 0..{steps - 1}")
    given = [asked[h] for h in range(steps)]
    fit = {target.shape for _, target in given} <= {shape}
    targets = np.array([target for _, target in given], dtype=float) if fit else np.full(1, np.nan)
    if not finite(targets):
        for h, (_, target) in asked.items():
            require_values(h, target, *shape, where=where)
    return np.array([width for width, _ in given]), targets


class BatchSession(Session[PlanT], Generic[PlanT, ItemT, ViewT]):
    """A session that keeps what is yielded until a batch is full.

    Parameters
    ----------
    batch : int
        How many items make a batch.
    """

    def __init__(self, batch: int) -> None:
        self._batch = batch
        self._pending: list[ItemT] = []

    def _keep(self, item: ItemT) -> ViewT | None:
        """Keep one more; the view on those before it when they are a batch."""
        full = self._flush() if len(self._pending) >= self._batch else None
        self._pending.append(item)
        return full

    def _flush(self) -> ViewT | None:
        """The view on what was kept since this was last called, if anything was."""
        pending, self._pending = self._pending, []
        return self._view(pending) if pending else None

    @abstractmethod
    def _view(self, pending: list[ItemT]) -> ViewT:
        """The view on a batch."""


def stacked(items: Sequence[Any], *names: str) -> dict[str, Any]:
    """Attributes of a batch of items by name, each with a leading axis of items."""
    return {name: np.array([getattr(item, name) for item in items]) for name in names}
