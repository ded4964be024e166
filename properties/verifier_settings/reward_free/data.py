"""The weighted data of exploration as the harness keeps them, and the least squares that are made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier_settings.elliptical import bonus
from verifier_settings.reward_free.instance import Public
from verifier_settings.reward_free.tolerances import Size
from verifier_settings.reward_free.weights import StepWeights, nothing, weigh


@dataclass(frozen=True, eq=False)
class Data:
    """The data before an episode.

    Attributes
    ----------
    public : Public
    episodes : int
        How many were played.
    gram, variance_gram : (H, d, d) arrays
        Lambda-hat and Lambda-tilde.
    moments : (H, d, S) array
        Sums of x e_{s'} / sigma-hat^2.
    size : Size
        What rounding depends on, shapes (1, H).
    last : StepWeights
        Of the steps of the last episode, shapes (1, H); zeros before the first.
    decided : bool
        Whether rounding cannot have changed a weight, by the side of the threshold a step is on; for d = 1 it never does.
    """

    public: Public
    episodes: int
    gram: Array
    variance_gram: Array
    moments: Array
    size: Size
    last: StepWeights
    decided: bool

    @classmethod
    def none(cls, public: Public) -> Data:
        """Data before the first episode."""
        ridge = np.broadcast_to(public.ridge * np.eye(public.d), (public.H, public.d, public.d))
        one, none = np.full((1, public.H), float(public.d)), np.zeros((1, public.H))
        size = Size(none, one, one, none, none, none, none)
        return cls(public, 0, ridge, ridge, np.zeros((public.H, public.d, public.S)), size, nothing(public), True)

    @cached_property
    def model(self) -> Array:
        """(H, d, S) mu-hat_h."""
        return np.linalg.solve(self.gram, self.moments)

    @cached_property
    def norm(self) -> Array:
        """(H, X) ||phi(s,a)|| in the norm of the inverse of Lambda-hat."""
        return bonus(self.public.phi, np.linalg.inv(self.gram))

    def after(self, states: IntArray, actions: IntArray, values: Array, width: Array) -> Data:
        """Data with the steps of one more episode.

        Parameters
        ----------
        states, actions : (H+1,), (H,) int arrays
        values : (H, S) array
            V_{h+1} of its plan.
        width : (H,) array
            The radius that the plan was made with.
        """
        x, h = self.public.phi[states[:-1] * self.public.A + actions], np.arange(self.public.H)
        estimate = np.linalg.solve(self.gram, np.matmul(self.moments, values[..., None]))[..., 0]
        grams = self.gram[None], self.variance_gram[None]
        last = weigh(self.public, x[None], *grams, estimate[None], width[None], self.size)
        square, moments = x[:, :, None] * x[:, None, :], self.moments.copy()
        weight, variance = last.weight[0, :, None], last.variance[0, :, None]
        moments[h, :, states[1:]] += x / weight
        gram, variance_gram = self.gram + square / weight[..., None], self.variance_gram + square / variance[..., None]
        decided = self.decided and bool(last.decided.all() or self.public.d == 1)
        size = self._larger(gram, variance_gram, last)
        return Data(self.public, self.episodes + 1, gram, variance_gram, moments, size, last, decided)

    def _larger(self, gram: Array, variance_gram: Array, last: StepWeights) -> Size:
        """The size with one more episode."""
        size, ridge = self.size, self.public.ridge
        rounding = np.where(last.enlarged, 0.0, last.rounding)  # H d^3 is exact
        return Size(
            count=size.count + 1,
            condition=np.trace(gram, axis1=1, axis2=2)[None] / ridge,
            variance_condition=np.trace(variance_gram, axis1=1, axis2=2)[None] / ridge,
            mass=size.mass + 1 / last.weight,
            variance_mass=size.variance_mass + 1 / last.variance,
            weight=np.maximum(size.weight, rounding),
            variance_weight=np.maximum(size.variance_weight, last.rounding),
        )

    def optimistic(self, gain: Array) -> tuple[IntArray, Array]:
        """Value iteration in the estimated model, which need be no law, for gains (n, H, X).

        Returns
        -------
        policy : (n, H, S) int array
        V : (n, H+1, S) array
            Truncated at H.
        """
        n, (H, S, A), backup = len(gain), (self.public.H, self.public.S, self.public.A), np.matmul(self.public.phi, self.model)
        policy, V = np.zeros((n, H, S), dtype=np.int64), np.zeros((n, H + 1, S))
        for h in reversed(range(H)):
            Q = (gain[:, h] + V[:, h + 1] @ backup[h].T).reshape(n, S, A)
            policy[:, h], V[:, h] = Q.argmax(axis=2), np.minimum(Q.max(axis=2), H)
        return policy, V
