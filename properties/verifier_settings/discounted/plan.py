"""Plan of a discounted algorithm, yielded at the start of every epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier_settings.discounted.instance import Public


@dataclass(frozen=True, slots=True)
class DiscountedPlan:
    """The outcome of the planning step of epoch k, in force until the next plan is yielded.

    Attributes
    ----------
    log_policy : (X, A) array
        log pi_k; the policy that is played.
    V : (X,) array
        V_k.
    estimate : (X, A) array
        est_k = Phat_k V_k.
    bonus : (X, A) array
        CB_k.
    Q : (X, A) array
        Q_{k+1}, the clipped backup.
    eta : float
        The learning rate of this step.
    visits : (X, A) array, optional
        N_k, of algorithms that count transitions.
    gram : (d, d) array, optional
        Lambda_k, of algorithms that regress on features of a linear mixture.
    theta : (d,) array, optional
        theta_k.
    """

    log_policy: Array
    V: Array
    estimate: Array
    bonus: Array
    Q: Array
    eta: float
    visits: Array | None = None
    gram: Array | None = None
    theta: Array | None = None


def shapes(public: Public, declared: frozenset[str]) -> dict[str, tuple[int, ...]]:
    """The array fields a plan must have, with their shapes.

    Raises
    ------
    ContractError
        If an algorithm declares a field that plans do not have.
    """
    X, A, d = public.X, public.A, public.d
    pairs = (X, A)
    always = {"log_policy": pairs, "V": (X,), "estimate": pairs, "bonus": pairs, "Q": pairs, "eta": ()}
    optional = {"visits": pairs, "gram": (d, d), "theta": (d,)}
    unknown = declared - optional.keys()
    if unknown:
        raise ContractError(f"`yields` names {', '.join(sorted(unknown))}; a plan's optional fields are {', '.join(optional)}")
    return always | {name: shape for name, shape in optional.items() if name in declared}


class PlanBuffer:
    """Copies of the plans of a batch of epochs, one array per field.

    Parameters
    ----------
    public : Public
    declared : frozenset of str
        Optional fields the algorithm promised to yield.
    size : int
        Epochs per batch.
    """

    def __init__(self, public: Public, declared: frozenset[str], size: int) -> None:
        self._arrays = {name: np.empty((size, *shape)) for name, shape in shapes(public, declared).items()}
        self._fields = [(name, array, array.shape[1:]) for name, array in self._arrays.items()]
        self._size = size
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether the batch is complete."""
        return self.count == self._size

    def add(self, plan: object, epoch: int) -> None:
        """Copy a plan.

        Raises
        ------
        ContractError
            Wrong type, missing field, wrong shape or dtype.
        """
        if not isinstance(plan, DiscountedPlan):
            raise ContractError(f"plan of epoch {epoch}: got {type(plan).__name__}, expected DiscountedPlan; build one in `run`")
        for name, array, shape in self._fields:
            given = getattr(plan, name)
            try:
                fits = (given.__class__ is float and not shape) or (given.shape == shape and given.dtype.kind in "fiu")
            except AttributeError:
                fits = name == "eta" and isinstance(given, (int, float))
            if not fits:
                raise ContractError(_mismatch(name, given, shape, epoch))
            array[self.count] = given
        self.count += 1

    def field(self, name: str, index: int) -> Array:
        """Field of the plan of this index of the batch."""
        return self._arrays[name][index]

    def take(self, first: int) -> dict[str, Array]:
        """The plans added since the last call, with a leading axis of epochs, read-only; parameters and errors as in `check`."""
        self.check(first)
        taken = {name: array[: self.count].copy() for name, array in self._arrays.items()}
        self.count = 0
        for array in taken.values():
            array.flags.writeable = False
        return taken

    def check(self, first: int) -> None:
        """Look at the values of the plans added since `take` was last called.

        Parameters
        ----------
        first : int
            Number of the first of these epochs, for messages.

        Raises
        ------
        ContractError
            A value is not a number, or infinite where that has no meaning (a logarithm of a probability may be -inf, not all of
            a state); eta is not positive.
        """
        for name, buffer in self._arrays.items():
            array = buffer[: self.count]
            wrong = np.isnan(array) | (array == np.inf) if name == "log_policy" else ~np.isfinite(array)
            if wrong.any():
                index = tuple(int(i[0]) for i in np.nonzero(wrong))
                raise ContractError(
                    f"plan of epoch {first + index[0]}: field `{name}` is {array[index]} at {index[1:]}, expected a finite number"
                )
        empty = np.isneginf(self._arrays["log_policy"][: self.count]).all(axis=2)
        if empty.any():
            k, x = (int(i[0]) for i in np.nonzero(empty))
            raise ContractError(
                f"plan of epoch {first + k}: field `log_policy` is -inf for every action of state {x}; one has mass"
            )
        eta = self._arrays["eta"][: self.count]
        if (eta <= 0).any():
            k = int(np.argmax(eta <= 0))
            raise ContractError(f"plan of epoch {first + k}: field `eta` is {eta[k]}, expected a positive number")


def _mismatch(name: str, given: Any, shape: tuple[int, ...], epoch: int) -> str:
    where = f"plan of epoch {epoch}: field `{name}`"
    if given is None:
        return f"{where} is None, but the algorithm has to yield it (see `yields`)"
    if isinstance(given, np.ndarray) and given.dtype.kind not in "fiu":
        return f"{where} has dtype {given.dtype}, expected floating-point numbers"
    return f"{where} is a {type(given).__name__} of shape {np.shape(given)}, expected an array of shape {shape}"
