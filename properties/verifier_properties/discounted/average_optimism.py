"""Optimism of regularised planning: of each backup, on average over epochs, and the regret it implies.

Views: `verifier_settings.discounted.Epochs`. Statements about every prefix of the run carry their sums from batch to batch.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import UNBOUNDED, Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier_settings.discounted import Epochs, tolerances

TOPIC = "Optimism"

TABLE = ("epoch", "x", "a")


@phase_property(topic="Planning")
def value_range(view: Epochs) -> Inequality:
    """0 <= V_k <= H (distance from H/2 at most H/2)."""
    H = view.public.H
    tolerance = view.once(tolerances.value)[:, None]
    return Inequality(np.abs(view.V - H / 2), H / 2, ("epoch", "x"), trivial=UNBOUNDED, tolerance=tolerance, labels=view.labels)


@phase_property(topic="Planning")
def action_value_range(view: Epochs) -> Inequality:
    """0 <= Q_{k+1} <= H (distance from H/2 at most H/2)."""
    H = view.public.H
    return Inequality(np.abs(view.Q - H / 2), H / 2, TABLE, trivial=UNBOUNDED, tolerance=4 * EPS * H, labels=view.labels)


@phase_property()
def backup_formula(view: Epochs) -> Inequality:
    """Q_{k+1} = Pi_H [r + CB_k + g Phat_k V_k] from the estimate and the bonus of the same plan."""
    public = view.public
    target = public.reward + view.bonus + public.gamma * view.estimate
    size = 1.0 + view.bonus + np.abs(view.estimate)
    terms = {"the reward": public.reward, "the bonus": view.bonus, "the estimate": public.gamma * view.estimate}

    def part(name: str) -> Part:
        others = sum(term for other, term in terms.items() if other != name)
        value = np.broadcast_to(terms[name], view.Q.shape)
        return Part(lambda: value, lambda value: np.clip(others + value, 0.0, public.H))

    return equality(
        view.Q, np.clip(target, 0.0, public.H), axes=TABLE, tolerance=8 * EPS * size, labels=view.labels,
        parts={name: part(name) for name in terms},
        explanations={
            "the formula without its cut at H": lambda: np.maximum(target, 0.0),
            "the formula without its cut at 0": lambda: np.minimum(target, public.H),
        },
    )  # fmt: skip


@phase_property()
def backup_from_below(view: Epochs) -> Inequality:
    """r + g P V_k <= Q_{k+1} wherever g (P V_k - est_k) <= CB_k."""
    rounding = view.once(tolerances.backup)[:, None, None]
    shortfall = view.public.gamma * (view.PV - view.estimate)
    backup = view.public.reward + view.public.gamma * view.PV
    return Inequality(
        backup, view.Q, TABLE, trivial=view.public.H, tolerance=2 * rounding, labels=view.labels,
        premise=shortfall <= view.bonus + rounding,
    )  # fmt: skip


def backup_from_above(sharp: bool) -> Property:
    """Q_{k+1} <= r + 2 CB_k + g P V_k wherever g (est_k - P V_k) <= CB_k; sharp: with min(2 CB_k, H), as Q is clipped."""

    def evaluate(view: Epochs) -> Inequality:
        H = view.public.H
        rounding = view.once(tolerances.backup)[:, None, None]
        surplus = view.public.gamma * (view.estimate - view.PV)
        added = np.minimum(2 * view.bonus, H) if sharp else 2 * view.bonus
        return Inequality(
            view.Q,
            view.public.reward + view.public.gamma * view.PV + added,
            TABLE,
            trivial=H,
            tolerance=2 * rounding,
            labels=view.labels,
            premise=(surplus <= view.bonus + rounding) & (view.bonus >= 0),
        )

    return Property("backup-from-above", "phase", evaluate, frozenset(), "Q of the plan against the true backup and its bonus.")


@phase_property()
def optimism_identity(view: Epochs) -> Inequality:
    """<mu*, r> - (1-g)<nu_0, V_k> = <mu*, r + g P V_k> - <nu*, V_k>, by the flow equation of mu*.

    It holds for any V: what it tests is the harness's occupancies. So rounding has to grow with V.
    """
    mu = view.instance.optimal_occupancy
    backup = view.public.reward + view.public.gamma * view.PV
    right = (mu * backup).sum(axis=(1, 2)) - view.V @ mu.sum(axis=1)
    return equality(view.optimism, right, axes=("epoch",), tolerance=_rounding(view), labels=view.labels)


@phase_property()
def average_optimism(view: Epochs) -> Inequality:
    """sum_{k<=K} [<mu*, r> - (1-g)<nu_0, V_k>] <= H(pi*||pi_0)/eta + <nu*, V_{K+1}> for every prefix K.

    Premise: no backup so far was below r + g P V_k on the support of mu*. A single summand may be positive.
    """
    nu = view.instance.optimal_occupancy.sum(axis=1)
    entropy = view.instance.initial_entropy
    return Inequality(
        view.total("optimism"),
        entropy / view.eta + view.next_V @ nu,
        ("epoch",),
        trivial=view.number * view.instance.optimal_return,
        tolerance=view.total("rounding"),
        labels=view.labels,
        premise=_never(view, "pessimistic_on_optimal") & np.isfinite(entropy),
    )


@phase_property()
def deviation(view: Epochs) -> Inequality:
    """(1-g)<nu_0, V_k> - <mu^k, r> against the telescoping values, the change of policy and twice the bonus, for every k.

    Bound: <nu^k, V_k> - <nu^{k+1}, V_{k+1}> + <mu^{k+1} - mu^k, Q_{k+1}> - H(pi_{k+1}||pi_k)/eta + 2 <mu^k, CB_k>.

    V_{k+1} and pi_{k+1} are one exact planning step from the plan, so the bound minus the value is <mu^k, r + 2 CB_k + g P V_k -
    Q_{k+1}>, which the premise makes positive: no implementation that reports policies can break it, and the trivial bound is
    the bound itself.
    """
    values = (view.nu * view.V).sum(axis=1) - (view.next_nu * view.next_V).sum(axis=1)
    change = view.improvement - view.conditional_entropy / view.eta
    bound = values + change + 2 * view.played_bonus
    return Inequality(
        view.deviation,
        bound,
        ("epoch",),
        trivial=bound,
        tolerance=_rounding(view),
        labels=view.labels,
        premise=view.excessive == 0,
    )


@phase_property()
def total_deviation(view: Epochs) -> Inequality:
    """sum_{k<=K} [(1-g)<nu_0, V_k> - <mu^k, r>] <= -<nu^{K+1}, V_{K+1}> + K eta H^3/2 + 2 sum <mu^k, CB_k>, every prefix K."""
    last = (view.next_nu * view.next_V).sum(axis=1)
    drift = view.total("eta") * view.public.H**3 / 2
    return Inequality(
        view.total("deviation"),
        drift - last + 2 * view.total("played_bonus"),
        ("epoch",),
        trivial=view.number.astype(float),
        tolerance=view.total("rounding"),
        labels=view.labels,
        premise=_never(view, "excessive"),
    )


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

    def evaluate(view: Epochs) -> Inequality:
        H, entropy = view.public.H, view.instance.initial_entropy
        return Inequality(
            view.total("gap"),
            factor * view.total(bonus) + values * H + entropy / view.eta + drift * view.total("eta") * H**3,
            ("epoch",),
            trivial=view.number * view.instance.optimal_return,
            tolerance=view.total("rounding"),
            labels=view.labels,
            premise=_never(view, premise) & np.isfinite(entropy),
        )

    description = "Exact gaps of the policies of all epochs so far against the sum of bonuses and the cost of regularisation."
    return Property(name, "phase", evaluate, frozenset(), description)


def _rounding(view: Epochs) -> Array:
    """(p,) rounding of a statement about an epoch that holds for any tables: that for [0, H], times what leaves this range."""
    sizes = [np.abs(table).reshape(view.count, -1).max(axis=1) for table in (view.V, view.Q, view.bonus)]
    return np.asarray(view.rounding * np.maximum(1.0, np.maximum.reduce(sizes) / view.public.H))


def _never(view: Epochs, what: str) -> BoolArray:
    """(p,) whether a series that counts failures was zero so far."""
    counted: Array = view.total(what)
    return np.asarray(counted == 0)
