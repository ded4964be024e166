"""Confidence sets of tabular models and their bonuses: what the proofs of UCBVI need of estimates, against the truth.

Appendices and algorithms are those of Azar, Osband and Munos 2017, "Minimax regret bounds for reinforcement learning"; c_1, c_2
and c_3 are the deviations of Appendix B.2, with L = ln(5SAT/delta). Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.episodic.tabular_model import POOLED, REPLACEABLE, Bonus, Model, Term, log_term
from verifier_settings.episodic import Phases, bonuses, tolerances

TOPIC = "Confidence"

# Deviations, of arrays or of the symbols of a statement -------------------------------------------------------------


def value_deviation(v: Any, H: Any, L: Any, N: Any) -> Any:
    """c_1(v, N) = 2 sqrt(v L / N) + 14 H L / (3 N), of a mean of values with the variance v."""
    return 2 * np.sqrt(v * L / N) + 14 * H * L / (3 * N)


def entry_deviation(P: Any, L: Any, N: Any) -> Any:
    """c_2(P, N) = 2 sqrt(P (1 - P) L / N) + 2 L / (3 N), of a frequency."""
    return 2 * np.sqrt(P * (1 - P) * L / N) + 2 * L / (3 * N)


def row_deviation(S: Any, L: Any, N: Any) -> Any:
    """c_3(N) = 2 sqrt(S L / N), of all frequencies of a pair together."""
    return 2 * np.sqrt(S * L / N)


def value_gap_bound(H: Any, S: Any, A: Any, L: Any, N: Any) -> Any:
    """min(100 sqrt(H^3 S^2 A L^2 / N), H), the root of what the correction term of Algorithm 4 has for (V_k - V*)^2."""
    return cut(100 * np.sqrt(H**3 * S**2 * A * L**2 / N), H)


# Estimates against the truth ----------------------------------------------------------------------------------------


def _distances(view: Phases) -> Array:
    """(p, X, S) |Phat_k - P| of the Phat that plans report."""
    error = view.reported("kernel") - view.truth.shared
    return np.abs(error, out=error)


def _of_frequencies(view: Phases) -> Array:
    """(p,) rounding of an entry of Phat."""
    return tolerances.frequency(view.public, view.start)


def _of_backups(view: Phases) -> Array:
    """(p,) rounding of Phat V."""
    return tolerances.backup(view.public, view.start)


def _largest(view: Phases) -> float:
    """Largest |(Phat - P) V*| of any Phat, for rewards of any size."""
    return float(view.public.H) * max(1.0, abs(view.public.low), abs(view.public.high))


def _error(model: Model, largest: Any) -> Quantity:
    return Quantity(
        model.reported_error, "error", "plan h pair", symbol="(P̂_k − P)V*_{h+1}", low=lambda view: -largest(view), high=largest,
        rounding=_of_backups,
    )  # fmt: skip


ADDED = Quantity(
    lambda view: view.added, "bonus", "plan h pair", rounding=lambda view: view.added_rounding, reported="bonus",
)  # fmt: skip

_seen = partial(at_most, on=Phases, where="N > 0", define={"L": log_term}, needs=("kernel",))


@_seen("abs(error)", local=(
    _error(POOLED, lambda view: float(view.public.H)),
    Quantity(lambda view: bonuses.spread(view.truth.P, view.truth.V[1:]), "Var_P", "h pair", "Var_P(V*_{h+1})"),
    Quantity(lambda view: bonuses.spread(view.kernel[:, None], view.truth.V[1:]), "Var_P_hat", "plan h pair", "Var_P̂(V*_{h+1})"),
))  # fmt: skip
def value_confidence(Var_P: Any, Var_P_hat: Any, H: Any, L: Any, N: Any) -> Any:
    """|(Phat_k - P) V*_{h+1}| of the plan's Phat against min(c_1(Var_P V*, N), c_1(Var_Phat V*, N)), at all pairs seen."""
    return value_deviation(np.minimum(Var_P, Var_P_hat), H, L, N)


@_seen("off", local=(
    Quantity(lambda view: view.once(_distances), "off", "plan pair s", "|P̂_k(y) − P(y)|", 0.0, 1.0, _of_frequencies),
    Quantity(lambda view: view.truth.shared, "P", "pair s", "P(y)"),
))  # fmt: skip
def entry_confidence(P: Any, L: Any, N: Any) -> Any:
    """|Phat_k(y|s,a) - P(y|s,a)| of the plan's Phat against c_2 = 2 sqrt(P(1-P) L / N) + 2 L / (3 N), at all pairs seen."""
    return entry_deviation(P, L, N)


@_seen("distance", local=(
    Quantity(
        lambda view: view.once(_distances).sum(axis=2), "distance", "plan pair", "‖P̂_k − P‖₁", 0.0, 2.0,
        rounding=lambda view: view.public.S * _of_frequencies(view),
    ),
))  # fmt: skip
def row_confidence(S: Any, L: Any, N: Any) -> Any:
    """||Phat_k(.|s,a) - P(.|s,a)||_1 of the plan's Phat against c_3 = 2 sqrt(S L / N), at all pairs seen."""
    return row_deviation(S, L, N)


# Bonuses against the errors -----------------------------------------------------------------------------------------


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
    local = [_error(model, _largest), Quantity(model.visits, "N", "plan h pair", low=0.0, high=np.inf)]
    if model is POOLED:
        local.append(ADDED)
    if premise is not None:
        local.append(Quantity(premise, "covered", "plan h", symbol="premise"))
    made: Property = at_most(
        "-error" if below else "abs(error)", "bonus", on=Phases, where="N > 0" if premise is None else "covered & (N > 0)",
        local=local, name="bonus-validity", topic=TOPIC, needs=(model.field,), replaceable=REPLACEABLE if model is POOLED else (),
        description="The error of the plan's Phat at V* from backward induction, against the bonus of the plan.",
    )  # fmt: skip
    return made


GAP = Quantity(
    lambda view: np.abs(view.following - view.truth.V[1:]), "gap", "plan h s", symbol="|V_{k,h+1} − V*_{h+1}|", low=0.0, high="H",
    rounding=lambda view: np.full(len(view.plans), 8 * EPS * view.public.H),
)  # fmt: skip


@at_most("gap", on=Phases, topic="Optimism", define={"L": log_term}, local=(GAP,))
def value_gap(H: Any, S: Any, A: Any, L: Any, N_next: Any) -> Any:
    """|V_{k,h+1}(y) - V*_{h+1}(y)| of every plan against min(100 sqrt(H^3 S^2 A L^2 / N'_{k,h+1}(y)), H).

    Var(V*) <= 2 Var(V_k) + 2 E[(V_k - V*)^2] turns the confidence interval at the variance of V*, which no algorithm knows, into
    the bonus of Algorithm 4, provided that its correction term is at least the last mean. Values lie in [0, H], so that nothing
    could fail before N' exceeds 10^4 H S^2 A L^2.
    """
    return value_gap_bound(H, S, A, L, N_next)
