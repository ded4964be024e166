"""The policies of a batch of epochs, those of one more exact planning step, and the occupancies they have.

With k the number of an epoch, V_{k+1} and pi_{k+1} are what one more exact planning step makes of the algorithm's Q_{k+1} and
pi_k; identities say that the algorithm's next plan agrees with them. Shapes: p epochs, X states, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, cached_property
from verifier.formulas.quantity import quantity
from verifier_settings.discounted import solver
from verifier_settings.discounted.instance import Instance, Public, Truth
from verifier_settings.views import Reported, View


@dataclass(eq=False, kw_only=True)
class Policies(View[Public, Truth]):
    """The part of the view on a batch of epochs that needs nothing but its plans; `Epochs` derives from it.

    Parameters
    ----------
    instance : Instance
    plans : mapping of str to array
        The algorithm's plans, one leading axis of epochs per field of `DiscountedPlan`.
    """

    instance: Instance
    plans: Mapping[str, Array]

    log_policy, V, eta = Reported(), Reported(), Reported()

    @quantity("Q", "epoch x a", symbol="Q_{k+1}", low=-np.inf, high=np.inf)
    def Q(self) -> Array:
        """Values Q_{k+1}, shape (p, X, A)."""
        return self.reported("Q")

    @quantity("estimate", "epoch x a", symbol="P̂_kV_k")
    def estimate(self) -> Array:
        """(p, X, A) the estimate of P V_k."""
        return self.reported("estimate")

    @quantity("bonus", "epoch x a", symbol="CB_k")
    def bonus(self) -> Array:
        """Bonuses CB_k, shape (p, X, A)."""
        return self.reported("bonus")

    def reported(self, name: str) -> Array:
        """A field of the plans."""
        return self.plans[name]

    @property
    def count(self) -> int:
        """Number p of plans."""
        return len(self.V)

    @cached_property
    def policy(self) -> Array:
        """Policies pi_k, shape (p, X, A)."""
        return np.exp(self.log_policy)

    @cached_property
    def log_law(self) -> Array:
        """(p, X, A) log pi_k, made a law where it is none: what can be played, and has an occupancy."""
        return normalised(self.log_policy)

    @cached_property
    def _next(self) -> tuple[Array, Array]:
        return softmax_step(self.log_law, self.Q, self.eta)

    @property
    def next_V(self) -> Array:
        """Values V_{k+1}, shape (p, X)."""
        return self._next[0]

    @property
    def next_log_policy(self) -> Array:
        """(p, X, A) log pi_{k+1}."""
        return self._next[1]

    @cached_property
    def next_policy(self) -> Array:
        """Policies pi_{k+1}, shape (p, X, A)."""
        return np.exp(self.next_log_policy)

    def _occupancy(self, policy: Array) -> Array:
        return solver.state_occupancy(self.truth.P, policy, self.truth.start, self.public.gamma)

    @cached_property
    def nu(self) -> Array:
        """State occupancies nu^k, shape (p, X)."""
        return self._occupancy(np.exp(self.log_law))

    @cached_property
    def next_nu(self) -> Array:
        """State occupancies nu^{k+1}, shape (p, X)."""
        following = self.next_policy
        same = self.count > 1 and bool((self.next_log_policy[:-1] == self.log_law[1:]).all())
        if not same:
            return self._occupancy(following)
        return np.concatenate([self.nu[1:], self._occupancy(following[-1:])])

    @cached_property
    def mu(self) -> Array:
        """Occupancies mu^k, shape (p, X, A)."""
        return self.nu[..., None] * np.exp(self.log_law)

    @cached_property
    def next_mu(self) -> Array:
        """Occupancies mu^{k+1}, shape (p, X, A)."""
        return self.next_nu[..., None] * self.next_policy

    @cached_property
    def conditional_entropy(self) -> Array:
        """Relative entropies H(pi_{k+1} || pi_k) = <nu^{k+1}, KL(pi_{k+1} || pi_k)>, shape (p,)."""
        return (self.next_nu * relative_entropy(self.next_log_policy, self.log_law)).sum(axis=1)

    @cached_property
    def occupancy_entropy(self) -> Array:
        """(p,) KL(mu^{k+1} || mu^k) by the chain rule: that of the states plus the conditional one."""
        return relative_entropy(log(self.next_nu), log(self.nu)) + self.conditional_entropy


# One exact planning step in log space, and relative entropies; the harness's own route to them -----------------------------


def normalised(log_weights: Array) -> Array:
    """Logarithms of weights (..., A), minus that of their sum; as they are where A roundings give that sum."""
    mass = log_mass(log_weights)
    return np.asarray(log_weights - np.where(np.abs(mass) > 8 * EPS * log_weights.shape[-1], mass, 0.0))


def log_mass(log_weights: Array) -> Array:
    """(..., 1) logarithms of the sums over the last axis, where not all weights are 0."""
    top = log_weights.max(axis=-1, keepdims=True)
    return np.asarray(top + np.log(np.exp(log_weights - top).sum(axis=-1, keepdims=True)))


def softmax_step(log_policy: Array, Q: Array, eta: Array) -> tuple[Array, Array]:
    """V = (1/eta) log sum_a pi(a|x) exp(eta Q(x,a)) and pi' = pi exp(eta (Q - V)).

    Parameters
    ----------
    log_policy, Q : (p, X, A) arrays
        A logarithm may be -inf.
    eta : (p,) array
        Positive.

    Returns
    -------
    V : (p, X) array
    log_policy : (p, X, A) array
        Normalised by its own sum.
    """
    weights = log_policy + eta[:, None, None] * Q
    total = log_mass(weights)
    return total[..., 0] / eta[:, None], weights - total


def relative_entropy(log_p: Array, log_q: Array) -> Array:
    """KL(p || q) along the last axis, from logarithms; infinite where p has mass that q has not."""
    with np.errstate(invalid="ignore"):  # -inf minus -inf: no mass on either side, replaced by 0 next
        terms = np.exp(log_p) * (log_p - log_q)
    return np.where(np.isneginf(log_p), 0.0, terms).sum(axis=-1)


def log(p: Array) -> Array:
    """Logarithms of probabilities; -inf where there is no mass."""
    return np.log(p, where=p > 0, out=np.full(p.shape, -np.inf))
