"""Optimistic planning by regularised dynamic programming: Theorem 4.1, Lemmas 5.1 to 5.5, A.2 to A.4, with what proofs give."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from .exact import D, ln, root
from .writing import Writing

MODULE = "verifier_ravi_ucb.shared.constants"
ESTIMATE = "verifier_properties.discounted.transition_estimate"
STREAM = "verifier_properties.discounted.stream"
BONUS_SUMS = "verifier_properties.discounted.bonus_sums"
OPTIMISM = "verifier_properties.discounted.average_optimism"


def _sizes(gamma: float, A: int, T: int, delta: float) -> SimpleNamespace:
    return SimpleNamespace(X=3, A=A, d=4, T=T, gamma=gamma, H=1 / (1 - gamma), ridge=0.3, B=1.7, delta=delta)


SIZES = (_sizes(0.75, 4, 1000, 0.001), _sizes(0.5, 1, 50, 0.1))
TIMES = tuple({"public": p, "T": T} for p in SIZES for T in (p.T, 3, 54321.0))
EACH = tuple({"public": p, "steps": s} for p in SIZES for s in (p.T, 54321.0))


def delta_at(public: Any, T: Any) -> Decimal:
    return min(D(public.delta) * public.T, D(T)) / D(T)


def eta(public: Any, T: Any) -> Decimal:
    return root(2 * ln(public.A) / D(T)) * (1 - D(public.gamma)) if public.A > 1 else D(1)


def expected_epochs(public: Any, T: Any) -> Decimal:
    return D(public.gamma) + D(T) * (1 - D(public.gamma))


def expected_steps(public: Any, T: Any) -> Decimal:
    return D(T) + D(public.gamma) / (1 - D(public.gamma))


def longest_epoch(public: Any, T: Any) -> Decimal:
    return (2 + ln(T)) / (1 - D(public.gamma))


def length_factor(public: Any, T: Any) -> Decimal:
    return (4 + 2 * ln(T)) / (1 - D(public.gamma))


def optimisation(public: Any, T: Any, epochs: Any = None, entropy: Any = None) -> Decimal:
    if public.A == 1:
        return D(0)
    H, rate = 1 / (1 - D(public.gamma)), eta(public, T)
    K = expected_epochs(public, T) if epochs is None else D(epochs)
    return H * (ln(public.A) if entropy is None else D(entropy)) / rate + K * rate * H**4 / 2


def regret_bound(public: Any, T: Any, bonus_sum: Any, epochs: Any = None, entropy: Any = None, failure: Any = None) -> Decimal:
    H = 1 / (1 - D(public.gamma))
    lost = D(T) * (delta_at(public, T) if failure is None else D(failure))
    return optimisation(public, T, epochs, entropy) + 2 * (D(bonus_sum) + H * H) + lost


def printed_regret_bound(public: Any, T: Any, bonus_sum: Any) -> Decimal:
    H = 1 / (1 - D(public.gamma))
    return 2 * D(bonus_sum) + root(2 * H**4 * ln(public.A) * D(T)) + 2 * H * H


def tabular_beta(public: Any, T: Any) -> Decimal:
    logarithm = ln(public.X, public.A, T) - ln(delta_at(public, T))
    return root(64 * public.X * logarithm) / (1 - D(public.gamma))


def tabular_bonus_pathwise(public: Any, steps: Any, longest: Any, beta: Any) -> Decimal:
    """The constants are sums of powers of 2^(-1/2): 1 + sqrt 2, and 1/(1 - 2^(-1/2)) = 2 + sqrt 2."""
    pairs = public.X * public.A
    series = 1 / (1 - root(D("0.5")))
    return D(beta) * ((series - 1) * root(pairs * (D(steps) + pairs)) + series * pairs * D(longest))


def tabular_bonus_sum(public: Any, T: Any, beta: Any) -> Decimal:
    return tabular_bonus_pathwise(public, expected_steps(public, T), longest_epoch(public, T), beta)


def regret_bound_tabular(public: Any, T: Any, scale: Any = 1) -> Decimal:
    return regret_bound(public, T, tabular_bonus_sum(public, T, D(scale) * tabular_beta(public, T)))


def log_growth(public: Any, steps: Any) -> Decimal:
    size = D(public.ridge) * public.d
    return ln(size + (D(public.B) / (1 - D(public.gamma))) ** 2 * D(steps)) - ln(size)


def mixture_beta(public: Any, T: Any) -> Decimal:
    noise = root(public.d * log_growth(public, T) - 2 * ln(delta_at(public, T)))
    return noise / (1 - D(public.gamma)) + root(public.ridge) * D(public.B)


def log_potential(public: Any, steps: Any) -> Decimal:
    return public.d * log_growth(public, steps)


def bad_epochs(public: Any, steps: Any) -> Decimal:
    return log_potential(public, steps) / ln(2)


def bad_steps_bound(public: Any, beta: Any, steps: Any) -> Decimal:
    H = 1 / (1 - D(public.gamma))
    return D(beta) * public.d * D(public.B) * H * H * log_growth(public, steps) / (root(public.ridge) * ln(2))


def root_coefficient(public: Any, T: Any, beta: Any, steps: Any) -> Decimal:
    return D(beta) * root((4 + 2 * ln(T)) / (1 - D(public.gamma)), public.d, log_growth(public, steps))


def mixture_bonus_sum(public: Any, T: Any, beta: Any) -> Decimal:
    later = D(public.gamma) / (1 - D(public.gamma))
    second = root(D(T) + later) * root_coefficient(public, T, beta, D(T) + later + later)
    return bad_steps_bound(public, beta, D(T) + later) + second


def regret_bound_mixture(public: Any, T: Any, scale: Any = 1) -> Decimal:
    return regret_bound(public, T, mixture_bonus_sum(public, T, D(scale) * mixture_beta(public, T)))


def noise_bound(sigma: Any, log_det: Any, d: Any, ridge: Any, delta: Any) -> list[Decimal]:
    return [D(sigma) * root(D(float(x)) - d * ln(ridge) - 2 * ln(delta)) for x in log_det]


def growth(T: Any, B: Any, H: Any, ridge: Any, d: Any) -> Decimal:
    return ln(1 + D(T) * (D(B) * D(H)) ** 2 / (D(ridge) * d))


# Statements about runs and epochs, in the names of their quantities -----------------------------------------------------


def longest_of_run(T: Any, H: Any) -> Decimal:
    return 2 * D(H) + D(H) * ln(T)


def factor_of_run(T: Any, H: Any) -> Decimal:
    return 4 * D(H) + D(H) * ln(T) + D(H) * ln(T)


def visit_sum(X: Any, A: Any, steps: Any, longest: Any) -> Decimal:
    pairs, r = D(X * A), root(2)
    once = root(pairs, D(steps) + pairs)
    return once + r * once + pairs * longest + pairs * longest + r * pairs * longest


def telescoping(nu_V: Any, nu_V_next: Any, improvement: Any, KL: Any, eta: Any, added: Any) -> Decimal:
    return D(nu_V) + D(improvement) + D(added) + D(added) - D(nu_V_next) - D(KL) / D(eta)


_RUN = ({"T": 54321, "H": 4.0}, {"T": 50, "H": 2.0})
_TERMS = {"nu_V": 3.5, "nu_V_next": 2.25, "improvement": 0.75, "KL": 0.3, "eta": 0.2, "added": 1.125}
_GROWTH = np.array([0.0, 3.25])
_BETA = tuple({**case, "beta": 2.5} for case in TIMES)
_SUMS = tuple({**case, "bonus_sum": 77.0} for case in TIMES)
_RUNS = ({**TIMES[0], "epochs": 7, "entropy": 0.4}, *TIMES)
WRITINGS = (
    Writing(ESTIMATE, "noise_bound", noise_bound, ({"sigma": 1.5, "log_det": _GROWTH, "d": 4, "ridge": 0.3, "delta": 0.1},)),
    Writing(STREAM, "longest_epoch", longest_of_run, _RUN),
    Writing(STREAM, "length_factor", factor_of_run, _RUN),
    Writing(BONUS_SUMS, "visit_sum", visit_sum, ({"X": 3, "A": 4, "steps": 1005, "longest": 9},)),
    Writing(OPTIMISM, "telescoping", telescoping, (_TERMS,)),
    Writing(MODULE, "growth", growth, ({"T": 54321.0, "B": 1.7, "H": 4.0, "ridge": 0.3, "d": 4},)),
    Writing(MODULE, "delta_at", delta_at, TIMES),
    Writing(MODULE, "eta", eta, TIMES),
    Writing(MODULE, "expected_epochs", expected_epochs, TIMES),
    Writing(MODULE, "expected_steps", expected_steps, TIMES),
    Writing(MODULE, "longest_epoch", longest_epoch, TIMES),
    Writing(MODULE, "length_factor", length_factor, TIMES),
    Writing(MODULE, "optimisation", optimisation, _RUNS),
    Writing(MODULE, "regret_bound", regret_bound, (*_SUMS, {**_SUMS[0], "epochs": 7, "entropy": 0.4, "failure": 0.02})),
    Writing(MODULE, "printed_regret_bound", printed_regret_bound, _SUMS),
    Writing(MODULE, "tabular_beta", tabular_beta, TIMES),
    Writing(MODULE, "tabular_bonus_pathwise", tabular_bonus_pathwise, tuple({**c, "longest": 9, "beta": 2.5} for c in EACH)),
    Writing(MODULE, "tabular_bonus_sum", tabular_bonus_sum, _BETA),
    Writing(MODULE, "regret_bound_tabular", regret_bound_tabular, TIMES),
    Writing(MODULE, "log_growth", log_growth, EACH),
    Writing(MODULE, "mixture_beta", mixture_beta, TIMES),
    Writing(MODULE, "log_potential", log_potential, EACH),
    Writing(MODULE, "bad_epochs", bad_epochs, EACH),
    Writing(MODULE, "bad_steps_bound", bad_steps_bound, tuple({**c, "beta": 2.5} for c in EACH)),
    Writing(MODULE, "root_coefficient", root_coefficient, tuple({**c, "beta": 2.5, "T": 99} for c in EACH)),
    Writing(MODULE, "mixture_bonus_sum", mixture_bonus_sum, _BETA),
    Writing(MODULE, "regret_bound_mixture", regret_bound_mixture, TIMES),
)
