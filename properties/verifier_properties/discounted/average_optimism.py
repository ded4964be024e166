"""Optimism of regularised planning: of each backup, on average over epochs, and the regret it implies.

Views: `verifier_settings.discounted.Epochs`. Statements about every prefix of the run carry their sums from batch to batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Limit, Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_settings.discounted import Epochs

TOPIC = "Optimism"


@at_most("abs(V - H / 2)", on=Epochs, topic="Planning")
def value_range(H: Any) -> Any:
    """0 <= V_k <= H (distance from H/2 at most H/2)."""
    return H / 2


@at_most("abs(Q - H / 2)", on=Epochs, topic="Planning")
def action_value_range(H: Any) -> Any:
    """0 <= Q_{k+1} <= H (distance from H/2 at most H/2)."""
    return H / 2


@identity("Q", on=Epochs)
def backup_formula(r: Any, bonus: Any, gamma: Any, estimate: Any, H: Any) -> Any:
    """Q_{k+1} = Pi_H [r + CB_k + g Phat_k V_k] from the estimate and the bonus of the same plan."""
    return cut(np.maximum(r + bonus + gamma * estimate, 0.0), H)


@at_most("r + gamma * PV", on=Epochs, where="gamma * (PV - estimate) <= bonus + slack")
def backup_from_below(Q: Any, slack: Any) -> Any:
    """r + g P V_k <= Q_{k+1} wherever g (P V_k - est_k) <= CB_k."""
    return Q + slack


def backup_from_above(sharp: bool) -> Property:
    """Q_{k+1} <= r + 2 CB_k + g P V_k wherever g (est_k - P V_k) <= CB_k; sharp: with min(2 CB_k, H), as Q is clipped."""
    made: Property = at_most(
        "Q_clipped", f"r + {'min(2 * bonus, H)' if sharp else '2 * bonus'} + gamma * PV + slack", on=Epochs,
        where="(gamma * (estimate - PV) <= bonus + slack) & (bonus >= 0)", name="backup-from-above", topic=TOPIC,
        local=(Quantity(lambda view: view.Q, "Q_clipped", "epoch x a", "Q_{k+1}", 0.0, "H"),),
        description="Q of the plan against the true backup and its bonus.",
    )  # fmt: skip
    return made


def _rounding(view: Epochs) -> Array:
    """(p,) rounding of a statement about an epoch that holds for any tables: that for [0, H], times what leaves this range."""
    sizes = [np.abs(table).reshape(view.count, -1).max(axis=1) for table in (view.V, view.Q, view.bonus)]
    return np.asarray(view.rounding * np.maximum(1.0, np.maximum.reduce(sizes) / view.public.H))


def _optimal_backup(view: Epochs) -> Array:
    backup = view.public.reward + view.public.gamma * view.PV
    return np.asarray((view.instance.optimal_occupancy * backup).sum(axis=(1, 2)))


def _optimal_states(view: Epochs) -> Array:
    return np.asarray(view.instance.optimal_occupancy.sum(axis=1))


def _total(series: str, name: str, symbol: str, high: Limit | None = None, rounding: bool = False) -> Quantity:
    """Sum of a series over all epochs so far."""
    own: Callable[[Epochs], Array] | None = (lambda view: view.total("rounding")) if rounding else None
    return Quantity(lambda view: view.total(series), name, "epoch", symbol, high=high, rounding=own)


def _best_so_far(view: Epochs) -> Array:
    """(p,) k times the best return per step."""
    return np.asarray(view.number * view.instance.optimal_return)


OPTIMISM = Quantity(
    lambda view: view.optimism, "optimism", "epoch", "⟨μ*, r⟩ − (1−γ)⟨ν_0, V_k⟩", rounding=lambda view: view.once(_rounding)
)
ENTROPY = Quantity(lambda view: view.instance.initial_entropy, "entropy", "", "H(π*‖π_0)", 0.0, np.inf)
OPTIMISM_SUM = _total("optimism", "optimism_sum", "Σ_{i≤k} [⟨μ*, r⟩ − (1−γ)⟨ν_0, V_i⟩]", _best_so_far, rounding=True)
DEVIATION_SUM = _total(
    "deviation", "deviation_sum", "Σ_{i≤k} [(1−γ)⟨ν_0, V_i⟩ − ⟨μ^i, r⟩]", lambda view: view.number, rounding=True
)
GAP_SUM = _total("gap", "gap_sum", "Σ_{i≤k} ⟨μ* − μ^i, r⟩", _best_so_far, rounding=True)
RATES = _total("eta", "eta_sum", "Σ_{i≤k} η")
ADDED = {
    "played_bonus": _total("played_bonus", "added", "Σ_{i≤k} ⟨μ^i, CB_i⟩"),
    "residual": _total("residual", "added", "Σ_{i≤k} ⟨μ^i, Q_{i+1} − r − γPV_i⟩"),
}
"""Summands of the bounds, by series."""


@identity("optimism", on=Epochs, local=(
    OPTIMISM, Quantity(_optimal_backup, "backup", "epoch", "⟨μ*, r + γPV_k⟩"),
    Quantity(lambda view: view.V @ _optimal_states(view), "nu_V", "epoch", "⟨ν*, V_k⟩"),
))  # fmt: skip
def optimism_identity(backup: Any, nu_V: Any) -> Any:
    """<mu*, r> - (1-g)<nu_0, V_k> = <mu*, r + g P V_k> - <nu*, V_k>, by the flow equation of mu*.

    It holds for any V: what it tests is the harness's occupancies. So rounding has to grow with V.
    """
    return backup - nu_V


@at_most("optimism_sum", on=Epochs, where=lambda failures, entropy: (failures <= 0) & (entropy < np.inf), local=(
    OPTIMISM_SUM, ENTROPY, _total("pessimistic_on_optimal", "failures", "backups too low where π* goes"),
    Quantity(lambda view: view.next_V @ _optimal_states(view), "nu_V", "epoch", "⟨ν*, V_{k+1}⟩"),
))  # fmt: skip
def average_optimism(entropy: Any, eta: Any, nu_V: Any) -> Any:
    """sum_{k<=K} [<mu*, r> - (1-g)<nu_0, V_k>] <= H(pi*||pi_0)/eta + <nu*, V_{K+1}> for every prefix K.

    Premise: no backup so far was below r + g P V_k on the support of mu*. A single summand may be positive.
    """
    return entropy / eta + nu_V


def telescoping(nu_V: Any, nu_V_next: Any, improvement: Any, KL: Any, eta: Any, added: Any) -> Any:
    """<nu^k, V_k> - <nu^{k+1}, V_{k+1}> + <mu^{k+1} - mu^k, Q_{k+1}> - H(pi_{k+1}||pi_k)/eta + 2 <mu^k, CB_k>."""
    return nu_V - nu_V_next + improvement - KL / eta + 2 * added


TELESCOPING = (
    Quantity(lambda view: (view.nu * view.V).sum(axis=1), "nu_V", "epoch", "⟨ν^k, V_k⟩"),
    Quantity(lambda view: (view.next_nu * view.next_V).sum(axis=1), "nu_V_next", "epoch", "⟨ν^{k+1}, V_{k+1}⟩"),
    Quantity(lambda view: view.improvement, "improvement", "epoch", "⟨μ^{k+1} − μ^k, Q_{k+1}⟩"),
    Quantity(lambda view: view.conditional_entropy, "KL", "epoch", "H(π_{k+1}‖π_k)"),
    Quantity(lambda view: view.played_bonus, "added", "epoch", "⟨μ^k, CB_k⟩"),
)


def _telescoped(view: Epochs) -> Array:
    """(p,) the bound of `deviation`."""
    return np.asarray(telescoping(**{item.name: item.on(view) for item in TELESCOPING}, eta=view.eta))


DEVIATION = """(1-g)<nu_0, V_k> - <mu^k, r> against the telescoping values, the change of policy and twice the bonus, for every k.

V_{k+1} and pi_{k+1} are one exact planning step from the plan, so the bound minus the value is <mu^k, r + 2 CB_k + g P V_k -
Q_{k+1}>, which the premise makes positive: no implementation that reports policies can break it, and the trivial bound is
the bound itself."""
deviation = at_most(
    "deviation", telescoping, on=Epochs, where="excessive <= 0", name="deviation", description=DEVIATION, topic=TOPIC, local=(
        *TELESCOPING, Quantity(lambda view: view.excessive, "excessive", "epoch", "backups too high"),
        Quantity(lambda view: view.deviation, "deviation", "epoch", "(1−γ)⟨ν_0, V_k⟩ − ⟨μ^k, r⟩", -np.inf, _telescoped,
            lambda view: view.once(_rounding)),
    ),
)  # fmt: skip


@at_most("deviation_sum", on=Epochs, where="failures <= 0", local=(
    DEVIATION_SUM, RATES, ADDED["played_bonus"], _total("excessive", "failures", "backups too high"),
    Quantity(lambda view: (view.next_nu * view.next_V).sum(axis=1), "nu_V", "epoch", "⟨ν^{k+1}, V_{k+1}⟩"),
))  # fmt: skip
def total_deviation(eta_sum: Any, H: Any, nu_V: Any, added: Any) -> Any:
    """sum_{k<=K} [(1-g)<nu_0, V_k> - <mu^k, r>] <= -<nu^{K+1}, V_{K+1}> + K eta H^3/2 + 2 sum <mu^k, CB_k>, every prefix K."""
    return eta_sum * H**3 / 2 - nu_V + 2 * added


def gap_sum(name: str, bonus: str, factor: float, values: float, drift: float, premise: str) -> Property:
    """sum_{k<=K} <mu* - mu^k, r> <= factor sum bonus + values H + H(pi*||pi_0)/eta + drift K eta H^3, for every prefix K.

    Parameters
    ----------
    name : str
        For the property.
    bonus : {"played_bonus", "residual"}
        What is summed: <mu^k, CB_k>, or the realised residual <mu^k, Q_{k+1} - r - g P V_k>.
    factor, values, drift : float
        2, 2, 1/2 in Lemma 4.3; 2, 1, 1/8 and 1, 1, 1/8 are enough.
    premise : {"invalid", "pessimistic_on_optimal"}
        What must not have happened so far: eq. (2) broken anywhere, or a backup too low on the support of mu*.
    """
    made: Property = at_most(
        "gap_sum", f"{factor} * added + {values} * H + entropy / eta + {drift} * eta_sum * H**3", on=Epochs,
        where=lambda failures, entropy: (failures <= 0) & (entropy < np.inf), name=name, topic=TOPIC,
        local=(GAP_SUM, ENTROPY, RATES, ADDED[bonus], _total(premise, "failures", "failures so far")),
        description="Exact gaps of the policies of all epochs so far against the sum of bonuses and the cost of regularisation.",
    )  # fmt: skip
    return made
