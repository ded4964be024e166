"""The policy update of regularised dynamic programming: exponential weights, and how much it may change per epoch.

Views: `verifier_settings.discounted.Epochs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_settings.discounted import Epochs, tolerances
from verifier_settings.discounted.policies import log, log_mass, relative_entropy

TOPIC = "Planning"


@identity("V", on=Epochs, where="k <= 1")
def initial_values() -> Any:
    """V_1 = 0 in the plan of the first epoch."""
    return 0.0


@identity("pi", on=Epochs, where="k <= 1", local=(
    Quantity(lambda view: view.policy, "pi", "epoch x a", "π_k", 0.0, rounding=tolerances.logarithm),
))  # fmt: skip
def initial_policy(pi_0: Any) -> Any:
    """pi_1 = pi_0 in the plan of the first epoch (probabilities)."""
    return pi_0


def learning_rate(formula: str) -> Property:
    """The learning rate of every plan against its formula."""
    made: Property = identity(
        "eta", formula, on=Epochs, name="learning-rate", topic=TOPIC,
        description="The learning rate of every plan against its formula.",
    )  # fmt: skip
    return made


@identity("pi_sum", on=Epochs, local=(
    Quantity(
        lambda view: view.policy.sum(axis=2), "pi_sum", "epoch x", "Σ_a π_k", 0.0,
        rounding=lambda view: view.once(tolerances.logarithm) * view.public.A,
    ),
))  # fmt: skip
def normalised_policy() -> Any:
    """sum_a pi_k(a|x) = 1."""
    return 1.0


@identity("V", on=Epochs, where="k > 1")
def log_sum_exp(lse: Any, eta: Any) -> Any:
    """V_k(x) = (1/eta) log sum_a pi_{k-1}(a|x) exp(eta Q_k(x,a)) with Q_k and pi_{k-1} of the plan before, from the second on.

    The line of the algorithm itself: the other forms of V_k use what it does with it. V_1 has a line of its own.
    """
    return lse / eta


def _has_mass(view: Epochs) -> BoolArray:
    """(p, X, A) whether pi_{k-1} > 0; elsewhere both logarithms are infinite, and nothing is compared."""
    return np.asarray(view.previous_log_policy > -np.inf)


@identity("log_pi", on=Epochs, where=lambda k, mass: (k > 1) & (mass > 0), local=(
    Quantity(lambda view: np.where(_has_mass(view), view.log_policy, 0.0), "log_pi", "epoch x a", "log π_k"),
    Quantity(lambda view: np.where(_has_mass(view), view.previous_log_policy, 0.0), "log_pi_last", "epoch x a", "log π_{k−1}"),
    Quantity(lambda view: _has_mass(view).astype(float), "mass", "epoch x a", "π_{k−1}"),
))  # fmt: skip
def policy_update(log_pi_last: Any, eta: Any, Q_k: Any, V: Any) -> Any:
    """log pi_k = log pi_{k-1} + eta (Q_k - V_k) with Q_k and pi_{k-1} of the plan before, where pi_{k-1} has mass.

    From the second plan on: pi_1 has a line of its own.
    """
    return log_pi_last + eta * (Q_k - V)


@identity("V", on=Epochs, local=(
    Quantity(lambda view: relative_entropy(view.log_policy, view.previous_log_policy), "KL", "epoch x", "KL(π_k‖π_{k−1})"),
))  # fmt: skip
def regularised_value(pi_Q: Any, KL: Any, eta: Any) -> Any:
    """V_k(x) = <pi_k, Q_k>(x) - KL(pi_k || pi_{k-1})(x) / eta, with Q_k and pi_{k-1} of the plan before."""
    return pi_Q - KL / eta


def _deterministic_and_uniform(view: Epochs) -> Array:
    """(p, X, A + 1) <p, Q_k> - KL(p || pi_{k-1}) / eta.

    KL(p || pi) / eta of a vertex is -log pi(a) / eta; of the uniform law it is the mean of these less log(A) / eta.
    """
    eta = view.eta[:, None, None]
    vertices = view.previous_Q + view.previous_log_policy / eta
    return np.concatenate([vertices, vertices.mean(axis=2, keepdims=True) + np.log(view.public.A) / eta], axis=2)


variational_value = at_most(
    "J", "V", on=Epochs, name="variational-value", topic=TOPIC,
    local=(Quantity(_deterministic_and_uniform, "J", "epoch x p", "⟨p, Q_k⟩ − KL(p‖π_{k−1})/η", -np.inf, "H"),),
    description="V_k(x) >= <p, Q_k>(x) - KL(p || pi_{k-1})(x) / eta for every deterministic p and for the uniform one.",
)  # fmt: skip


def _log_sum_so_far(view: Epochs) -> Array:
    """(p, X) log sum_a pi_0 exp(eta (Q_1 + ... + Q_k))."""
    weights = log(view.public.initial_policy) + view.eta[:, None, None] * view.total("previous_Q")
    return np.asarray(log_mass(weights)[..., 0])


@identity("V_sum", on=Epochs, local=(
    Quantity(lambda view: view.total("V"), "V_sum", "epoch x", "Σ_{i≤k} V_i", rounding=lambda view: view.total("rounding")),
    Quantity(_log_sum_so_far, "lse_sum", "epoch x", "log Σ_a π_0 exp(η Σ_{i≤k} Q_i)"),
))  # fmt: skip
def accumulated_value(lse_sum: Any, eta: Any) -> Any:
    """V_1 + ... + V_k = (1/eta) log sum_a pi_0(a|x) exp(eta (Q_1 + ... + Q_k)), which no single step shows to drift."""
    return lse_sum / eta


GAIN = Quantity(
    lambda view: view.improvement, "gain", "epoch", "⟨μ^{k+1} − μ^k, Q_{k+1}⟩", lambda view: -view.public.H, "H",
    rounding=lambda view: view.rounding,
)  # fmt: skip
KL_OCCUPANCIES = Quantity(
    lambda view: view.occupancy_entropy, "KL_mu", "epoch", "KL(μ^{k+1}‖μ^k)", rounding=lambda view: view.rounding / view.public.H
)
KL_POLICIES = Quantity(lambda view: view.conditional_entropy, "KL_pi", "epoch", "H(π_{k+1}‖π_k)", 0.0, np.inf)


def change_of_policy(factor: float) -> Property:
    """<mu^{k+1} - mu^k, Q_{k+1}> <= H sqrt(factor KL(mu^{k+1} || mu^k)): Pinsker, for 0 <= Q <= H.

    The paper has factor 2; a function with values in [0, H] allows 1/2.
    """
    made: Property = at_most(
        "gain", f"H * sqrt({factor} * max(KL_mu, 0))", on=Epochs, name="change-of-policy", topic=TOPIC,
        local=(GAIN, KL_OCCUPANCIES), description="Occupancies by linear solve, relative entropies exact.",
    )  # fmt: skip
    return made


def stability(factor: float) -> Property:
    """<mu^{k+1} - mu^k, Q_{k+1}> - H(pi_{k+1} || pi_k)/eta <= factor eta H^3; the paper has 1/2, and 1/8 is enough."""
    made: Property = at_most(
        "gain - KL_pi / eta", f"{factor} * eta * H**3", on=Epochs, name="stability", topic=TOPIC, local=(GAIN, KL_POLICIES),
        description="Occupancies by linear solve, relative entropies exact.",
    )  # fmt: skip
    return made


@at_most("KL_mu", on=Epochs, where="finite", local=(
    Quantity(
        lambda view: view.occupancy_entropy, "KL_mu", "epoch", "KL(μ^{k+1}‖μ^k)", 0.0,
        lambda view: view.public.H * view.conditional_entropy,  # no implementation can break the bound
        rounding=lambda view: view.rounding,
    ),
    KL_POLICIES, Quantity(lambda view: np.isfinite(view.occupancy_entropy), "finite", "epoch", "KL(μ^{k+1}‖μ^k) < ∞"),
))  # fmt: skip
def occupancy_entropy(H: Any, KL_pi: Any) -> Any:
    """KL(mu^{k+1} || mu^k) <= H H(pi_{k+1} || pi_k), by linear solve.

    A fact about any two policies: no implementation can break it, so the trivial bound is the bound itself. The policy of epoch
    k + 1 has mass where that of k has. An infinite entropy therefore comes of a mass that is lost to rounding, and is left out.
    """
    return H * KL_pi
