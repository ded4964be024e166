"""The policy update of regularised dynamic programming: exponential weights, and how much it may change per epoch.

Views: `verifier_settings.discounted.Epochs`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import Inequality, equality
from verifier.model.property import Property, phase_property
from verifier_settings.discounted import Epochs, Public, tolerances
from verifier_settings.discounted.policies import log, relative_entropy

TOPIC = "Planning"

TABLE = ("epoch", "x", "a")
STATES = ("epoch", "x")


@phase_property()
def initial_values(view: Epochs) -> Inequality:
    """V_1 = 0 in the plan of the first epoch."""
    first = (view.number == 1)[:, None]
    return Inequality(
        np.abs(view.V),
        0.0,
        STATES,
        trivial=view.public.H,
        tolerance=_values(view),
        labels=view.labels,
        premise=first,
        identity=True,
        sides=(view.V, np.zeros(view.V.shape)),
    )


@phase_property()
def initial_policy(view: Epochs) -> Inequality:
    """pi_1 = pi_0 in the plan of the first epoch (probabilities)."""
    first = (view.number == 1)[:, None, None]
    difference = np.abs(view.policy - view.public.initial_policy)
    tolerance = view.once(tolerances.logarithm)[:, None, None]
    return Inequality(difference, 0.0, TABLE, trivial=1.0, tolerance=tolerance, labels=view.labels, premise=first, identity=True)


def learning_rate(formula: Callable[[Public], float]) -> Property:
    """The learning rate of every plan against its formula."""

    def evaluate(view: Epochs) -> Inequality:
        expected = formula(view.public)
        tolerance = 8 * EPS * expected
        return equality(
            view.eta, np.full(view.count, expected), axes=("epoch",), tolerance=tolerance, labels=view.labels,
            explanations={"1/H, whatever T is": lambda: np.full(view.count, 1.0 / view.public.H)},
        )  # fmt: skip

    return Property("learning-rate", "phase", evaluate, frozenset(), "The learning rate of every plan against its formula.")


@phase_property()
def normalised_policy(view: Epochs) -> Inequality:
    """sum_a pi_k(a|x) = 1."""
    tolerance = view.once(tolerances.logarithm)[:, None] * view.public.A
    total = view.policy.sum(axis=2)
    return equality(total, np.ones(total.shape), axes=STATES, tolerance=tolerance, labels=view.labels)


@phase_property()
def log_sum_exp(view: Epochs) -> Inequality:
    """V_k(x) = (1/eta) log sum_a pi_{k-1}(a|x) exp(eta Q_k(x,a)) with Q_k and pi_{k-1} of the plan before, from the second on.

    The line of the algorithm itself: the other forms of V_k use what it does with it. V_1 has a line of its own.
    """
    expected = _soft_maximum(view.previous_log_policy, view.previous_Q, view.eta[:, None, None])
    later = (view.number > 1)[:, None]
    eta, rounding, Q, before = view.eta[:, None, None], _values(view), view.previous_Q, view.previous_log_policy
    decaying = eta / np.sqrt(view.number)[:, None, None]
    return equality(
        view.V, expected, axes=STATES, tolerance=rounding, labels=view.labels, premise=later,
        explanations={
            "the largest Q": lambda: Q.max(axis=2),
            "the mean of Q under the new policy, without the relative entropy": lambda: (view.policy * Q).sum(axis=2),
            "the formula weighted by the first policy": lambda: _soft_maximum(log(view.public.initial_policy), Q, eta),
            "the formula weighted by the new policy": lambda: _soft_maximum(view.log_policy, Q, eta),
            "the formula without weights": lambda: _soft_maximum(np.zeros(Q.shape), Q, eta),
            "the formula with a rate that decays like 1/sqrt(epoch)": lambda: _soft_maximum(before, Q, decaying),
        },
    )  # fmt: skip


def _soft_maximum(log_weights: Array, Q: Array, eta: Array) -> Array:
    """(p, x) (1/eta) log sum_a exp(log weights + eta Q)."""
    return _log_sum_exp(log_weights + eta * Q) / eta[:, :, 0]


@phase_property()
def policy_update(view: Epochs) -> Inequality:
    """log pi_k = log pi_{k-1} + eta (Q_k - V_k) with Q_k and pi_{k-1} of the plan before, where pi_{k-1} has mass.

    From the second plan on: pi_1 has a line of its own.
    """
    mass = np.isfinite(view.previous_log_policy) & (view.number > 1)[:, None, None]
    eta = view.eta[:, None, None]
    with np.errstate(invalid="ignore"):  # -inf where there is no mass, which the premise leaves out
        step = np.where(mass, view.log_policy - view.previous_log_policy, 0.0)
    expected = eta * (view.previous_Q - view.V[..., None])
    tolerance = view.once(tolerances.logarithm)[:, None, None]
    best = view.previous_Q >= view.previous_Q.max(axis=2, keepdims=True) - 2 * tolerance
    return equality(
        step, expected, axes=TABLE, tolerance=tolerance, labels=view.labels, premise=mass,
        explanations={
            "the formula without the normaliser": lambda: eta * view.previous_Q,
            "a policy that is all but greedy": lambda: np.broadcast_to(
                np.where(best, view.policy, 0.0).sum(axis=2, keepdims=True) > 0.9, step.shape
            ),
        },
    )  # fmt: skip


@phase_property()
def regularised_value(view: Epochs) -> Inequality:
    """V_k(x) = <pi_k, Q_k>(x) - KL(pi_k || pi_{k-1})(x) / eta, with Q_k and pi_{k-1} of the plan before."""
    mean = (view.policy * view.previous_Q).sum(axis=2)
    penalty = relative_entropy(view.log_policy, view.previous_log_policy) / view.eta[:, None]
    return equality(view.V, mean - penalty, axes=STATES, tolerance=_values(view), labels=view.labels)


@phase_property()
def variational_value(view: Epochs) -> Inequality:
    """V_k(x) >= <p, Q_k>(x) - KL(p || pi_{k-1})(x) / eta for every deterministic p and for the uniform one."""
    eta = view.eta[:, None, None]
    vertices = view.previous_Q + view.previous_log_policy / eta
    # KL(p || pi) / eta of a vertex is -log pi(a) / eta; of the uniform law it is the mean of these less log(A) / eta.
    entropy = np.log(view.public.A)
    uniform = vertices.mean(axis=2, keepdims=True) + entropy / eta
    return Inequality(
        np.concatenate([vertices, uniform], axis=2),
        view.V[..., None],
        ("epoch", "x", "p"),
        trivial=view.public.H,
        tolerance=_values(view)[..., None],
        labels=view.labels,
    )


@phase_property()
def accumulated_value(view: Epochs) -> Inequality:
    """V_1 + ... + V_k = (1/eta) log sum_a pi_0(a|x) exp(eta (Q_1 + ... + Q_k)), which no single step shows to drift."""
    eta = view.eta[:, None, None]
    weights = log(view.public.initial_policy) + eta * view.total("previous_Q")
    direct = _log_sum_exp(weights) / view.eta[:, None]
    tolerance = view.total("rounding")[:, None]
    return equality(view.total("V"), direct, axes=STATES, tolerance=tolerance, labels=view.labels)


def change_of_policy(factor: float) -> Property:
    """<mu^{k+1} - mu^k, Q_{k+1}> <= H sqrt(factor KL(mu^{k+1} || mu^k)): Pinsker, for 0 <= Q <= H.

    The paper has factor 2; a function with values in [0, H] allows 1/2.
    """

    def evaluate(view: Epochs) -> Inequality:
        entropy = np.maximum(view.occupancy_entropy, 0.0)
        rounding = view.rounding
        bound = view.public.H * np.sqrt(factor * (entropy + rounding / view.public.H))
        return Inequality(view.improvement, bound, ("epoch",), trivial=view.public.H, tolerance=rounding, labels=view.labels)

    return Property("change-of-policy", "phase", evaluate, frozenset(), "Occupancies by linear solve, relative entropies exact.")


def stability(factor: float) -> Property:
    """<mu^{k+1} - mu^k, Q_{k+1}> - H(pi_{k+1} || pi_k)/eta <= factor eta H^3; the paper has 1/2, and 1/8 is enough."""

    def evaluate(view: Epochs) -> Inequality:
        H = view.public.H
        change = view.improvement - view.conditional_entropy / view.eta
        rounding = view.rounding
        return Inequality(change, factor * view.eta * H**3, ("epoch",), trivial=H, tolerance=rounding, labels=view.labels)

    return Property("stability", "phase", evaluate, frozenset(), "Occupancies by linear solve, relative entropies exact.")


@phase_property()
def occupancy_entropy(view: Epochs) -> Inequality:
    """KL(mu^{k+1} || mu^k) <= H H(pi_{k+1} || pi_k), by linear solve.

    A fact about any two policies: no implementation can break it, so the trivial bound is the bound itself. The policy of epoch
    k + 1 has mass where that of k has. An infinite entropy therefore comes of a mass that is lost to rounding, and is left out.
    """
    bound = view.public.H * view.conditional_entropy
    return Inequality(
        view.occupancy_entropy, bound, ("epoch",), trivial=bound, tolerance=view.rounding, labels=view.labels,
        premise=np.isfinite(view.occupancy_entropy),
    )  # fmt: skip


def _log_sum_exp(weights: Array) -> Array:
    """log sum_a exp(weights), (p, x) of (p, x, a)."""
    top = weights.max(axis=2, keepdims=True)
    return np.asarray((top + np.log(np.exp(weights - top).sum(axis=2, keepdims=True)))[..., 0])


def _values(view: Epochs) -> Array:
    return view.once(tolerances.value)[:, None]
