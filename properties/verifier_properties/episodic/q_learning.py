"""Q-learning with bonuses: its tables replayed, its learning rates, optimism and the steps of its regret.

Views: `verifier_properties.episodic.updates`, made of `verifier_settings.episodic.Run`. Lemmas and equations are those of Jin,
Allen-Zhu, Bubeck and Jordan 2018, "Is Q-learning provably efficient?". A statement about Q after an update is made at the pair
that was updated: the rest stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import Formula, Options, at_most, identity
from verifier_properties.episodic.updates import Updates, folded
from verifier_properties.episodic.visits import Visits
from verifier_settings.episodic import Phases, Public, Run

TOPIC = "Regret"

Kind = type[Updates]
"""Updates with the bonus of an algorithm."""

Decorator = Callable[[Formula], Callable[[Kind], Property]]

REPORTED = {"alpha": "rate", "W": "variance", "beta_t": "beta", "b": "bonus"}
"""Fields of plans that report what formulas of updates are short for."""


def of_updates(make: Callable[..., Any], left: Formula, **options: Unpack[Options]) -> Decorator:
    """Decorator for a formula, `identity` or `at_most`, of the updates of a run.

    What it makes maps the kind of updates to the property, which may read further fields of plans for the bonus.
    """
    return _decorator(make, left, lambda kind: {"on": kind, "of": kind.of}, options)


def of_visits(make: Callable[..., Any], left: Formula, **options: Unpack[Options]) -> Decorator:
    """Likewise of the steps of a run, the last episode's included, before which updates were made."""
    return _decorator(make, left, lambda kind: {"on": Visits, "of": lambda run: Visits.of(kind.of(run))}, options)


def _decorator(make: Callable[..., Any], left: Formula, view: Callable[[Kind], Mapping[str, Any]], options: Options) -> Decorator:
    def decorate(formula: Formula) -> Callable[[Kind], Property]:
        def made(kind: Kind) -> Property:
            needs = (*options.get("needs", ()), *kind.bonus_reads)
            common = {
                "scope": "run",
                "define": kind.define,
                "made_of": kind.made_of,
                "reported": REPORTED,
                **options,
                "needs": needs,
            }
            found: Property = make(left, **common, **view(kind))(formula)
            return found

        return made

    return decorate


# What the tables hold -----------------------------------------------------------------------------------------------


@of_updates(identity, "rate")
def learning_rate(alpha: Any) -> Any:
    """The rate of every update, as the next plan reports it, against (H + 1) / (H + t), t from the transcript."""
    return alpha


def width_formula(formula: Formula, define: Mapping[str, Formula]) -> Property:
    """The width handed out for every update at the published constants against the formula of the theorem."""
    found: Property = identity(
        "w", formula, on=Run, define=define, name="width-formula", scope="run", topic=TOPIC,
        description="The widths the harness handed out for the updates.",
    )  # fmt: skip
    return found


@of_updates(identity, "bonus")
def bonus_formula(b: Any) -> Any:
    """The bonus of every update, as the next plan reports it, against its formula, with t from the transcript."""
    return b


@identity("Q", on=Phases, where="k == 1", local=(Quantity(lambda view: view.start + 1.0, "k", "plan"),))
def initial_values(H: Any) -> Any:
    """Q of the first plan against H."""
    return H


@of_updates(identity, "Q", needs=("Q", "V"))
def update(played: Any, alpha: Any, Q_before: Any, r: Any, V_next: Any, b: Any) -> Any:
    """Q of every plan against that before it, with (1 - alpha_t) Q + alpha_t (r + V_{h+1}(s') + b_t) at the pairs played.

    V is that of the plan before, which was in force; alpha_t, b_t and s' are from the transcript and the widths handed out.
    """
    return np.where(played, (1 - alpha) * Q_before + alpha * (r + V_next + b), Q_before)


# Of an update alone nothing below is a part, so that these are no quantities of the view.
MEANS = (
    Quantity(
        lambda found: found.at_pairs(found.Q), "Q_at", "episode h", "Q_{k+1}(s_h,a_h)", -np.inf, np.inf,
        rounding=lambda found: found.rounding,
    ),
    Quantity(
        lambda found: found.at_pairs(np.broadcast_to(found.truth.Q, found.Q.shape)), "Q_best", "episode h", "Q*_h", 0.0, "H"
    ),
    Quantity(lambda found: 1.0 - found.mean["ones"][1], "rest", "episode h", "α_t⁰", 0.0, 1.0),
    Quantity(lambda found: found.mean["target"][1], "Target", "episode h", "Σ_i α_tⁱ(r_h + V_{h+1}^{k_i}(s′_i) + b_i)"),
    Quantity(
        lambda found: found.mean["lead"][1], "Lead", "episode h", "Σ_i α_tⁱφ_{h+1}", rounding=lambda found: found.rounding
    ),
    Quantity(lambda found: found.mean_noise, "Noise", "episode h", "Σ_i α_tⁱ(P̂ − P)V*_{h+1}"),
    Quantity(lambda found: found.mean_bonus, "B", "episode h", "Σ_i α_tⁱb_i"),
    Quantity(lambda found: found.covered, "covered", "episode h", "bonuses cover the error"),
)  # fmt: skip


@of_updates(identity, "Q_at", needs=("Q", "V"), topic="Confidence", local=MEANS)
def unfolded(rest: Any, H: Any, Target: Any) -> Any:  # named like the sum
    """Q after every update against alpha_t^0 H + sum_i alpha_t^i (r + V_{h+1}^{k_i}(s'_i) + b_i), V of the plans in force."""
    return rest * H + Target


# Lemma 4.1 ----------------------------------------------------------------------------------------------------------


def _largest_and_squares(found: Updates) -> Array:
    """(K-1, H, 2) max_i alpha_t^i and sum_i (alpha_t^i)^2, of the rates reported."""
    rate = found.reported("rate")
    kept, added = (np.stack([weight, weight**2], axis=-1) for weight in (1 - rate, rate))

    def step(k: int, old: Array) -> Array:
        new = kept[k] * old
        new[:, 1] += added[k, :, 1]
        np.maximum(new[:, 0], added[k, :, 0], out=new[:, 0])
        return new

    return found.fold(np.zeros(2), step)[1]


def _total(found: Updates) -> Array:
    """(K-1, H) sum_t alpha_t^i over the updates t >= i of the pair in the run, of the rates reported."""
    rate, rows = found.reported("rate")[::-1], found.view.pairs[:-1][::-1]
    left, _ = folded(rows, found.public.X, 1.0, lambda k, old: 1 + (1 - rate[k]) * old)
    return (rate * left)[::-1]


ROOTS = Quantity(
    lambda found: found.reported_mean["roots"][1], "Roots", "episode h", "Σ_i α_tⁱ/√i", 0.0, np.inf,
    rounding=lambda found: found.weight_rounding,
)  # fmt: skip
SQUARES = Quantity(
    _largest_and_squares, "Squares", "episode h quantity", "{max_i α_tⁱ, Σ_i (α_tⁱ)²}", 0.0, 1.0,
    rounding=lambda found: found.weight_rounding,
)  # fmt: skip
TOTAL = Quantity(
    _total, "Total", "episode h", "Σ_{t≥i} α_tⁱ", 0.0, np.inf,
    rounding=lambda found: np.full(found.t.shape, 8 * EPS * (len(found.t) + 4)),  # of sums of up to K - 1 such weights
)  # fmt: skip
BONUSES = Quantity(
    lambda found: found.reported_mean["bonus"][1], "Bonuses", "episode h", "Σ_i α_tⁱb_i", -np.inf, np.inf,
    rounding=lambda found: found.weight_rounding * found.size,
)  # fmt: skip


@of_updates(at_most, "abs(sqrt(t) * Roots - 1.5)", needs=("rate",), topic="Potential", local=(ROOTS,))
def rate_of_roots() -> Any:
    """sqrt(t) sum_i alpha_t^i / sqrt(i) against the interval [1, 2] (distance from 3/2), weights from the rates reported."""
    return 0.5


@of_updates(at_most, "Squares", needs=("rate",), topic="Potential", local=(SQUARES,))
def rate_of_squares(H: Any, t: Any) -> Any:
    """max_i alpha_t^i and sum_i (alpha_t^i)^2 against 2 H / t, weights from the rates reported."""
    return 2 * H / t


@of_updates(at_most, "Total", needs=("rate",), topic="Potential", local=(TOTAL,))
def rate_total(H: Any) -> Any:
    """sum_t alpha_t^i over the updates t >= i of a pair in the run against 1 + 1/H, weights from the rates reported."""
    return 1 + 1 / H


# Lemmas 4.2 and 4.3 -------------------------------------------------------------------------------------------------


@of_updates(identity, "Q_at - Q_best", needs=("Q", "V"), topic="Confidence", local=MEANS)
def error_recursion(rest: Any, H: Any, Q_best: Any, Lead: Any, Noise: Any, B: Any) -> Any:
    """(Q - Q*) after every update against alpha_t^0 (H - Q*) + sum_i alpha_t^i [phi_{h+1}^{k_i} + noise_i + b_i] (Lemma 4.2)."""
    return rest * (H - Q_best) + Lead + Noise + B


def _noise_range(found: Updates) -> Array:
    """(1, H) what weights that sum to 1 can make of the noise: the range of V*_{h+1}."""
    return np.ptp(found.truth.V[1:], axis=1)[None]


NOISE = Quantity(
    lambda found: found.reported_mean["noise"][1], "Noise", "episode h", "Σ_i α_tⁱ(P̂ − P)V*_{h+1}",
    lambda found: -_noise_range(found), _noise_range, rounding=lambda found: found.rounding,
)  # fmt: skip
"""The weighted error, at the rates reported."""


def confidence(bound: Callable[[Public], float]) -> Callable[[Kind], Property]:
    """|sum_i alpha_t^i (V*_{h+1}(s'_i) - P_h V*_{h+1})| after every update against bound / sqrt(t), at the rates reported.

    The largest that it can be is what weights that sum to 1 can make of the noise: its range.
    """
    published = Quantity(lambda found: bound(found.public), "w_1", "", "b_1")
    return of_updates(
        at_most, "abs(Noise)", needs=("rate",), topic="Confidence", name="confidence-event", local=(NOISE, published),
        description="The weighted noise of the next values V*, from the transcript, the true kernel and the rates of the plans.",
    )("w_1 / sqrt(t)")  # fmt: skip


@of_updates(at_most, "abs(sqrt(t) * Bonuses - 1.5 * w)", needs=("rate", "bonus"), topic="Potential", local=(BONUSES,))
def bonus_sum(w: Any) -> Any:
    """sqrt(t) sum_i alpha_t^i b_i against the interval [w, 2w] of the width w handed out, from the rates and bonuses reported.

    Where the width is the same for all updates, as it is but in the oracle regime.
    """
    return 0.5 * w


@of_visits(at_most, "Q_best", needs=("Q",), topic="Optimism", where="sound")
def optimism(Q: Any) -> Any:
    """Q_h >= Q*_h of every plan at all (s,a), where the bonuses covered the errors at all earlier updates from step h on."""
    return Q


@of_updates(at_most, "Q_at - Q_best", needs=("Q", "V"), topic="Optimism", where="covered", local=MEANS)
def overestimate(rest: Any, H: Any, Lead: Any, B: Any) -> Any:
    """(Q - Q*) after every update against alpha_t^0 H + sum_i alpha_t^i phi_{h+1}^{k_i} + 2 sum_i alpha_t^i b_i (Lemma 4.3).

    Where the bonuses cover the error after this update.
    """
    return rest * H + Lead + 2 * B


# Theorem 1 ----------------------------------------------------------------------------------------------------------


def _roots_of_counts(view: Run) -> Array:
    """(H,) sum_k 1/sqrt(N_h) over episodes with N_h > 0, of the counts reported at the pairs visited."""
    counts = np.take_along_axis(view.in_force("step_visits"), view.pairs[..., None], axis=2)[..., 0]
    return np.where(counts > 0, 1.0 / np.sqrt(np.maximum(counts, 1.0)), 0.0).sum(axis=0)


@at_most(
    "Counted", on=Run, scope="run", name="visit-sum", topic="Potential", needs=("step_visits",),
    local=(Quantity(
        _roots_of_counts, "Counted", "h", "Σ_k 1/√N_h^k", 0.0, "K",
        rounding=lambda view: np.full(view.public.H, 8 * EPS * view.public.K**1.5),
    ),),
)  # fmt: skip
def visit_sum(S: Any, A: Any, K: Any) -> Any:
    """sum_k 1/sqrt(N_h) over episodes with N_h > 0, of the counts reported at the pairs visited, against 2 sqrt(S A K)."""
    return 2 * np.sqrt(S * A * K)


@of_visits(at_most, "delta_h", needs=("V",), where="covered")
def regret_recursion(rest: Any, H: Any, Lead: Any, B: Any, next_gap: Any) -> Any:
    """delta_h against alpha_t^0 H + sum_i alpha_t^i phi_{h+1}^{k_i} + beta_t - phi_{h+1} + delta_{h+1} + xi_{h+1}, as played.

    delta_h = V_h - V^pi_h, phi_h = V_h - V*_h. What is left of the last three terms is P_h (V* - V^pi)_{h+1}(s,a). Where the
    bonuses covered the error after the last update of the pair.
    """
    return rest * H + Lead + 2 * B + next_gap


def _carried(found: Updates) -> Array:
    return found.reported_mean["lead"][0][:-1].sum(axis=0)


LEADS = (
    Quantity(
        _carried, "Carried", "h", "Σ_k Σ_i α_tⁱφ_{h+1}^{k_i}", -np.inf, lambda found: np.array([float(found.public.T)]),
        rounding=lambda found: np.full(found.public.H, Visits.of(found).rounding.sum()),
    ),
    Quantity(lambda found: found.lead.sum(axis=0), "Leads", "h", "Σ_k φ_{h+1}^k"),
    Quantity(
        lambda found: (found.lead >= -Visits.of(found).rounding[:-1]).all(axis=0), "positive", "h", "φ_{h+1}^k ≥ 0 for all k"
    ),
)  # fmt: skip


@of_updates(at_most, "Carried", needs=("V", "rate"), topic="Confidence", where="positive", local=LEADS)
def carried(H: Any, Leads: Any) -> Any:
    """sum_k sum_i alpha_t^i phi_{h+1}^{k_i} over all episodes against (1 + 1/H) sum_k phi_{h+1}^k, at the rates reported; each h.

    Where no phi_{h+1}^k is negative.
    """
    return (1 + 1 / H) * Leads


@of_visits(at_most, "R", needs=("V",), where="all_sound")
def pathwise(H: Any, rest_sum: Any, B_sum: Any, xi_sum: Any) -> Any:
    """R_k against sum_h (1 + 1/H)^{h-1} sum_{j <= k} [alpha_t^0 H + beta_t + xi_{h+1}], for every prefix k.

    Where the bonuses covered the errors at all updates before.
    """
    return rest_sum * H + 2 * B_sum + xi_sum
