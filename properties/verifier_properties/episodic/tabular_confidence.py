"""Confidence sets of tabular models and their bonuses: what the proofs of UCBVI need of estimates, against the truth.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import Inequality
from verifier.model.property import Property, phase_property
from verifier_properties.episodic.tabular_model import POOLED, Bonus, Model, Term
from verifier_settings.episodic import Phases, Public, bonuses, tolerances

TOPIC = "Confidence"


@phase_property("kernel")
def value_confidence(view: Phases) -> Inequality:
    """|(Phat_k - P) V*_{h+1}| of the plan's Phat against min(c_1(Var_P V*, N), c_1(Var_Phat V*, N)), at all pairs seen."""
    public, following = view.public, view.truth.V[1:]
    true = bonuses.spread(view.truth.P, following)
    empirical = bonuses.spread(view.kernel[:, None], following)
    bound = bonuses.deviation(public, np.minimum(true, empirical, out=empirical), view.visits[:, None])
    return Inequality(
        np.abs(view.once(POOLED.reported_error)), bound, view.pair_axes, trivial=float(public.H), labels=view.labels,
        tolerance=tolerances.backup(public, view.start)[:, None, None], premise=view.seen[:, None, :],
    )  # fmt: skip


def _distances(view: Phases) -> Array:
    """(p, X, S) |Phat_k - P| of the Phat that plans report."""
    found = view.reported("kernel") - view.truth.shared
    return np.abs(found, out=found)


@phase_property("kernel")
def entry_confidence(view: Phases) -> Inequality:
    """|Phat_k(y|s,a) - P(y|s,a)| of the plan's Phat against c_2 = 2 sqrt(P(1-P) L / N) + 2 L / (3 N), at all pairs seen."""
    bound = entry_deviation(view.public, view.truth.shared, view.visits[..., None])
    tolerance = tolerances.frequency(view.public, view.start)[:, None, None]
    return Inequality(
        view.once(_distances), bound, ("plan", "pair", "s"), trivial=1.0, tolerance=tolerance, labels=view.labels,
        premise=view.seen[..., None],
    )  # fmt: skip


def entry_deviation(public: Public, P: Array, visits: Array) -> Array:
    """c_2 = 2 sqrt(P(1-P) L / N) + 2 L / (3 N), N at least 1."""
    L, N = bonuses.log_term(public), np.maximum(visits, 1.0)
    bound = (2 * np.sqrt(P * (1 - P) * L)) * (1 / np.sqrt(N))
    bound += 2 * L / (3 * N)
    return np.asarray(bound)


@phase_property("kernel")
def row_confidence(view: Phases) -> Inequality:
    """||Phat_k(.|s,a) - P(.|s,a)||_1 of the plan's Phat against c_3 = 2 sqrt(S L / N), at all pairs seen."""
    bound = row_deviation(view.public, view.visits)
    error = view.once(_distances).sum(axis=2)
    tolerance = view.public.S * tolerances.frequency(view.public, view.start)[:, None]
    return Inequality(
        error, bound, ("plan", "pair"), trivial=2.0, tolerance=tolerance, labels=view.labels, premise=view.seen
    )  # fmt: skip


def row_deviation(public: Public, visits: Array) -> Array:
    """c_3 = 2 sqrt(S L / N), N at least 1."""
    return 2 * np.sqrt(public.S * bonuses.log_term(public) / np.maximum(visits, 1.0))


def covered(formula: Bonus) -> Term:
    """(p, H) whether the harness's own bonus covers the realised error at every pair."""
    return lambda view: np.asarray((np.abs(view.kernel_error) <= formula.value(view)).all(axis=2))


def bonus_validity(premise: Term | None, *, below: bool = False, model: Model = POOLED) -> Property:
    """The bonus a plan reports covers |(Phat - P) V*_{h+1}| of the Phat it reports, at all pairs seen.

    Without a premise it holds at all (k, h, s, a) together, with probability 1 - delta at least.

    Algorithm 3: on the event of Appendix B.2 the error is at most c_1(v, n) = 2 sqrt(v L / n) + 14 H L / (3 n), and v <= H^2 / 4,
    n >= 1, L >= 1 make this at most (1 + 14/3) H L / sqrt(n), below 7 H L / sqrt(n). The event is as likely as it is said to be:
    for n <= 7, c_1 exceeds H, since L >= ln 5. For n >= 8 the empirical inequality of Bernstein (Maurer and Pontil 2009,
    Theorem 4), with L (2 - 2/n) for its logarithm, gives c_1 but for a chance of 2 exp(-7 L / 4). Summed over s, a, h and n <= T
    that is (2/5) delta H (delta / (5 S A T))^(3/4), below delta / 2 where S A T >= H, unless H is in the thousands.

    Algorithm 4: its proof needs sqrt(L) times the last term as it is printed, see `value_gap`. But where the minimum in that term
    is H^2, which it is on runs of a feasible size, the last two terms are sqrt(8) H / sqrt(n) + 14 H L / (3 n), and they cover by
    Hoeffding's inequality: a test sums its failure probability over s, a, h and n, which is below delta / 2 on the instances of
    10^5 steps and below delta / 50 on all others.

    Parameters
    ----------
    premise : callable, optional
        Where the statement applies, shape (p, H); everywhere by default.
    below : bool
        Whether only underestimation counts, (P - Phat) V*_{h+1}, which is all that optimism needs.
    model : Model
        Which Phat a plan reports: that of all steps by default.
    """

    def evaluate(view: Phases) -> Inequality:
        holds = np.ones(view.width.shape, dtype=bool) if premise is None else premise(view)
        error = view.once(model.reported_error)
        return Inequality(
            -error if below else np.abs(error),
            view.reported("bonus"),
            view.pair_axes,
            trivial=float(view.public.H) * max(1.0, abs(view.public.low), abs(view.public.high)),
            tolerance=tolerances.backup(view.public, view.start)[:, None, None],
            labels=view.labels,
            premise=holds[:, :, None] & model.seen(view),
        )

    description = "The error of the plan's Phat at V* from backward induction, against the bonus of the plan."
    return Property("bonus-validity", "phase", evaluate, frozenset({model.field, "bonus"}), description)


def value_gap_bound(public: Public, visits: Array, K: float | None = None) -> Array:
    """min(100 sqrt(H^3 S^2 A L^2 / N'), H), the root of what the correction term of Algorithm 4 has for (V_k - V*)^2."""
    H, L = public.H, bonuses.log_term(public, K)
    return np.minimum(100 * H**1.5 * public.S * np.sqrt(public.A) * L * bonuses.per_root(visits), H)


@phase_property(topic="Optimism")
def value_gap(view: Phases) -> Inequality:
    """|V_{k,h+1}(y) - V*_{h+1}(y)| of every plan against min(100 sqrt(H^3 S^2 A L^2 / N'_{k,h+1}(y)), H).

    Var(V*) <= 2 Var(V_k) + 2 E[(V_k - V*)^2] turns the confidence interval at the variance of V*, which no algorithm knows, into
    the bonus of Algorithm 4, provided that its correction term is at least the last mean. Values lie in [0, H], so that nothing
    could fail before N' exceeds 10^4 H S^2 A L^2.
    """
    public = view.public
    return Inequality(
        np.abs(view.V[:, 1:] - view.truth.V[1:]), value_gap_bound(public, view.arrivals), ("plan", "h", "s"),
        trivial=float(public.H), labels=view.labels, tolerance=8 * EPS * public.H,
    )  # fmt: skip
