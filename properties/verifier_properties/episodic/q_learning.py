"""Q-learning with bonuses: its tables replayed, its learning rates, optimism and the steps of its regret.

Views: `verifier_settings.episodic.Phases` and `Run`. Lemmas and equations are those of Jin, Allen-Zhu, Bubeck and Jordan 2018,
"Is Q-learning provably efficient?". A statement about Q after an update is made at the pair that was updated: the rest stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import UNBOUNDED, Inequality, equality
from verifier.model.property import Property, phase_property, run_property
from verifier_properties.any_setting.suspects import other_constants
from verifier_properties.episodic import update_suspects
from verifier_properties.episodic.updates import HoeffdingUpdates, Updates, folded
from verifier_settings.episodic import Phases, Public, Run

TOPIC = "Regret"

AXES = ("episode", "h")


@dataclass(frozen=True)
class UpdateProperty(Property):
    """A property of the updates of a run: with the bonus of UCB-Hoeffding, or with another one, see `of`.

    Parameters
    ----------
    statement : callable
        Maps the updates to an `Inequality`.
    """

    statement: Callable[[Updates], Inequality]

    def of(self, updates: type[Updates]) -> Property:
        """Property of updates with this bonus, which may read further fields of plans."""
        return replace(self, function=lambda view: self.statement(updates.of(view)), needs=self.needs | updates.bonus_reads)


def update_property(*needs: str, topic: str = "") -> Callable[[Callable[[Updates], Inequality]], UpdateProperty]:
    """Decorator for a property of the updates of a run; arguments as of `run_property`."""

    def decorate(statement: Callable[[Updates], Inequality]) -> UpdateProperty:
        made = run_property(*needs)(lambda view: statement(HoeffdingUpdates.of(view)))
        name, description = statement.__name__.replace("_", "-"), (statement.__doc__ or "").strip()
        return UpdateProperty(name, "run", made.function, made.needs, description, statement, topic=topic or TOPIC)

    return decorate


# What the tables hold -----------------------------------------------------------------------------------------------


@update_property("rate")
def learning_rate(found: Updates) -> Inequality:
    """The rate of every update, as the next plan reports it, against (H + 1) / (H + t), t from the transcript."""
    return equality(
        found.afterwards("rate"), found.rate[:-1], axes=AXES, tolerance=8 * EPS, labels=found.view.labels,
        explanations=update_suspects.of_rate(found),
    )  # fmt: skip


def width_formula(formula: Callable[[Public], float]) -> Property:
    """The width handed out for every update at the published constants against the formula of the theorem."""

    def evaluate(view: Run) -> Inequality:
        expected = formula(view.public)
        found = np.where(np.isnan(view.applied) & view.asks, 0.0, view.applied)
        return equality(
            found, np.full(found.shape, expected), axes=AXES, tolerance=8 * EPS * expected, labels=view.labels,
            explanations=other_constants(formula, view.public, found.shape),
        )  # fmt: skip

    return Property("width-formula", "run", evaluate, frozenset(), "The widths the harness handed out for the updates.")


@update_property("bonus")
def bonus_formula(found: Updates) -> Inequality:
    """The bonus of every update, as the next plan reports it, against its formula, with t from the transcript."""
    expected, tolerance = found.bonus[:-1], found.bonus_rounding[:-1]
    return equality(
        found.afterwards("bonus"), expected, axes=AXES, tolerance=tolerance, labels=found.view.labels,
        explanations={**update_suspects.of_root(found), **found.bonus_suspects},
    )  # fmt: skip


@phase_property()
def initial_values(view: Phases) -> Inequality:
    """Q of the first plan against H."""
    first = (view.start == 0)[:, None, None, None]
    H = np.full(view.Q.shape, float(view.public.H))
    return equality(view.Q, H, axes=("plan", "h", "s", "a"), tolerance=0.0, labels=view.labels, premise=first)


@update_property("Q", "V")
def update(found: Updates) -> Inequality:
    """Q of every plan against that before it, with (1 - alpha_t) Q + alpha_t (r + V_{h+1}(s') + b_t) at the pairs played.

    V is that of the plan before, which was in force; alpha_t, b_t and s' are from the transcript and the widths handed out.
    """
    Q = found.view.in_force("Q")
    before, after = Q[:-1], Q[1:]
    expected, n = before.reshape(*before.shape[:2], found.pairs).copy(), np.arange(len(before))[:, None]
    rows, alpha = found.rows[:-1], found.rate[:-1]
    old = expected[n, found.at, rows]
    expected[n, found.at, rows] = (1 - alpha) * old + alpha * found.target[:-1]
    tolerance = 16 * (found.unit + EPS * np.abs(before))
    return equality(
        after, expected.reshape(after.shape), axes=(*AXES, "s", "a"), tolerance=tolerance, labels=found.view.labels,
        explanations=update_suspects.of_update(found),
        repaired=update_suspects.made_of_reports(found),
    )  # fmt: skip


@update_property("Q", "V", topic="Confidence")
def unfolded(found: Updates) -> Inequality:
    """Q after every update against alpha_t^0 H + sum_i alpha_t^i (r + V_{h+1}^{k_i}(s'_i) + b_i), V of the plans in force."""
    expected = (found.rest[1] * found.public.H + found.mean["target"][1])[:-1]
    return equality(found.afterwards("Q"), expected, axes=AXES, tolerance=found.rounding[:-1], labels=found.view.labels)


# Lemma 4.1 ----------------------------------------------------------------------------------------------------------


@update_property("rate", topic="Potential")
def rate_of_roots(found: Updates) -> Inequality:
    """sqrt(t) sum_i alpha_t^i / sqrt(i) against the interval [1, 2] (distance from 3/2), weights from the rates reported."""
    t = found.t[:-1]
    total = np.sqrt(t) * found.reported_mean["roots"][1]
    return Inequality(
        np.abs(total - 1.5), 0.5, AXES, trivial=UNBOUNDED, tolerance=_weight_rounding(t) * np.sqrt(t), labels=found.view.labels
    )


@update_property("rate", topic="Potential")
def rate_of_squares(found: Updates) -> Inequality:
    """max_i alpha_t^i and sum_i (alpha_t^i)^2 against 2 H / t, weights from the rates reported."""
    rate, t = found.afterwards("rate"), found.t[:-1, :, None]
    kept, added = (np.stack([weight, weight**2], axis=-1) for weight in (1 - rate, rate))

    def step(k: int, old: Array) -> Array:
        new = kept[k] * old
        new[:, 1] += added[k, :, 1]
        np.maximum(new[:, 0], added[k, :, 0], out=new[:, 0])
        return new

    _, after = folded(found.rows[:-1], found.pairs, np.zeros(2), step)
    return Inequality(
        after, 2 * found.public.H / t, (*AXES, "quantity"), trivial=1.0, tolerance=_weight_rounding(t), labels=found.view.labels
    )  # fmt: skip


@update_property("rate", topic="Potential")
def rate_total(found: Updates) -> Inequality:
    """sum_t alpha_t^i over the updates t >= i of a pair in the run against 1 + 1/H, weights from the rates reported."""
    rate = found.afterwards("rate")[::-1]
    left, _ = folded(found.rows[:-1][::-1], found.pairs, 1.0, lambda k, old: 1 + (1 - rate[k]) * old)
    total = (rate * left)[::-1]
    bound = 1 + 1 / found.public.H
    return Inequality(
        total, bound, AXES, trivial=UNBOUNDED, tolerance=_weight_rounding(np.array(len(rate))), labels=found.view.labels
    )


def _weight_rounding(t: Array) -> Array:
    """Rounding of a sum of up to t weights, each a product of up to t factors."""
    return np.asarray(8 * EPS * (t + 4))


# Lemmas 4.2 and 4.3 -------------------------------------------------------------------------------------------------


@update_property("Q", "V", topic="Confidence")
def error_recursion(found: Updates) -> Inequality:
    """(Q - Q*) after every update against alpha_t^0 (H - Q*) + sum_i alpha_t^i [phi_{h+1}^{k_i} + noise_i + b_i] (Lemma 4.2)."""
    best = _best(found)
    expected = found.rest[1] * (found.public.H - best) + found.mean["lead"][1] + found.error + found.added[1]
    left = found.afterwards("Q") - best[:-1]
    return equality(left, expected[:-1], axes=AXES, tolerance=2 * found.rounding[:-1], labels=found.view.labels)


def _best(found: Updates) -> Array:
    """(K, H) Q*_h(s,a) at the pairs visited."""
    return np.asarray(found.truth.Q.reshape(found.public.H, -1)[found.at, found.rows])


def confidence(bound: Callable[[Public], float]) -> Property:
    """|sum_i alpha_t^i (V*_{h+1}(s'_i) - P_h V*_{h+1})| after every update against bound / sqrt(t), at the rates reported.

    The trivial bound is what weights that sum to 1 can make of the noise: its range.
    """

    def evaluate(view: Run) -> Inequality:
        found = HoeffdingUpdates.of(view)
        error = found.reported_mean["noise"][1]
        return Inequality(
            np.abs(error), bound(view.public) / np.sqrt(found.t[:-1]), AXES, labels=view.labels,
            trivial=np.ptp(view.truth.V[1:], axis=1), tolerance=found.rounding[:-1],
        )  # fmt: skip

    description = "The weighted noise of the next values V*, from the transcript, the true kernel and the rates of the plans."
    return Property("confidence-event", "run", evaluate, frozenset({"rate"}), description, topic="Confidence")


@update_property("rate", "bonus", topic="Potential")
def bonus_sum(found: Updates) -> Inequality:
    """sqrt(t) sum_i alpha_t^i b_i against the interval [w, 2w] of the width w handed out, from the rates and bonuses reported.

    Where the width is the same for all updates, as it is but in the oracle regime.
    """
    width = found.bonus[:-1] * np.sqrt(found.t[:-1])
    total = np.sqrt(found.t[:-1]) * found.reported_mean["bonus"][1]
    return Inequality(
        np.abs(total - 1.5 * width), 0.5 * width, AXES, trivial=UNBOUNDED, labels=found.view.labels,
        tolerance=_weight_rounding(found.t[:-1]) * np.sqrt(found.t[:-1]) * found.size,
    )  # fmt: skip


@update_property("Q", topic="Optimism")
def optimism(found: Updates) -> Inequality:
    """Q_h >= Q*_h of every plan at all (s,a), where the bonuses covered the errors at all earlier updates from step h on."""
    Q = found.view.in_force("Q")
    steps_left = found.public.H - np.arange(found.public.H)
    k = np.arange(1, len(Q) + 1)
    rounding = 16 * found.unit * np.outer(k + found.public.S, steps_left)
    return Inequality(
        found.truth.Q[None], Q, (*AXES, "s", "a"), trivial=1.0 * steps_left[:, None, None], labels=found.view.labels,
        tolerance=rounding[..., None, None], premise=found.sound[..., None, None],
    )  # fmt: skip


@update_property("Q", "V", topic="Optimism")
def overestimate(found: Updates) -> Inequality:
    """(Q - Q*) after every update against alpha_t^0 H + sum_i alpha_t^i phi_{h+1}^{k_i} + 2 sum_i alpha_t^i b_i (Lemma 4.3).

    Where the bonuses cover the error after this update.
    """
    bound = found.rest[1] * found.public.H + found.mean["lead"][1] + 2 * found.added[1]
    return Inequality(
        found.afterwards("Q") - _best(found)[:-1], bound[:-1], AXES, trivial=UNBOUNDED,
        labels=found.view.labels, tolerance=2 * found.rounding[:-1],
        premise=found.covered[:-1],
    )  # fmt: skip


# Theorem 1 ----------------------------------------------------------------------------------------------------------


@run_property("step_visits", topic="Potential")
def visit_sum(view: Run) -> Inequality:
    """sum_k 1/sqrt(N_h) over episodes with N_h > 0, of the counts reported at the pairs visited, against 2 sqrt(S A K)."""
    public, at = view.public, np.arange(view.public.H)
    counts = view.in_force("step_visits")[np.arange(public.K)[:, None], at, view.pairs]
    total = np.where(counts > 0, 1.0 / np.sqrt(np.maximum(counts, 1.0)), 0.0).sum(axis=0)
    bound = 2 * np.sqrt(public.S * public.A * public.K)
    return Inequality(total, bound, ("h",), trivial=float(public.K), tolerance=8 * EPS * public.K**1.5, labels=view.labels)


def _slack(found: Updates) -> Array:
    """(K, H) what a step of the regret adds at the pair visited: H where it was never updated, and twice the weighted bonuses."""
    return found.rest[0] * found.public.H + 2 * found.added[0]


def _value_noise(found: Updates) -> Array:
    """Value noise xi_{h+1} = P_h (V* - V^pi)_{h+1}(s,a) - (V* - V^pi)_{h+1}(s'), shape (K, H)."""
    series = found.view.series
    return series.expected_gap - found.expected_lead - (series.gap[:, 1:] - found.lead)


def _rounding(found: Updates) -> Array:
    """(K, 1) of a statement about the values of one step in each episode."""
    return 32 * found.unit * (np.arange(1, len(found.rows) + 1) + found.public.S * found.public.H)[:, None]


@update_property("V")
def regret_recursion(found: Updates) -> Inequality:
    """delta_h against alpha_t^0 H + sum_i alpha_t^i phi_{h+1}^{k_i} + beta_t - phi_{h+1} + delta_{h+1} + xi_{h+1}, as played.

    delta_h = V_h - V^pi_h, phi_h = V_h - V*_h. What is left of the last three terms is P_h (V* - V^pi)_{h+1}(s,a). Where the
    bonuses covered the error after the last update of the pair.
    """
    series = found.view.series
    bound = _slack(found) + found.mean["lead"][0] + series.expected_gap - found.expected_lead
    return Inequality(
        series.gap[:, :-1], bound, AXES, trivial=float(found.public.H), tolerance=_rounding(found), labels=found.view.labels,
        premise=found.previous(found.covered, 1.0) > 0,
    )  # fmt: skip


@update_property("V", "rate", topic="Confidence")
def carried(found: Updates) -> Inequality:
    """sum_k sum_i alpha_t^i phi_{h+1}^{k_i} over all episodes against (1 + 1/H) sum_k phi_{h+1}^k, at the rates reported; each h.

    Where no phi_{h+1}^k is negative.
    """
    H = found.public.H
    lead = found.lead[:-1]
    before = found.reported_mean["lead"][0].sum(axis=0)
    return Inequality(
        before, (1 + 1 / H) * lead.sum(axis=0), ("h",), trivial=float(H * found.public.K), labels=found.view.labels,
        tolerance=_rounding(found).sum(), premise=np.asarray((lead >= -_rounding(found)[:-1]).all(axis=0)),
    )  # fmt: skip


@update_property("V")
def pathwise(found: Updates) -> Inequality:
    """R_k against sum_h (1 + 1/H)^{h-1} sum_{j <= k} [alpha_t^0 H + beta_t + xi_{h+1}], for every prefix k.

    Where the bonuses covered the errors at all updates before.
    """
    series, H = found.view.series, found.public.H
    growth = (1 + 1 / H) ** np.arange(H)
    bound = np.cumsum(((_slack(found) + _value_noise(found)) * growth).sum(axis=1))
    return Inequality(
        np.cumsum(series.regret), bound, ("episode",), trivial=np.cumsum(series.optimal), labels=found.view.labels,
        tolerance=np.cumsum(_rounding(found)[:, 0]) * growth.sum(), premise=np.asarray(found.sound[:, 0]),
    )  # fmt: skip
