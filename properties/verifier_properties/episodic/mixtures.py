"""Value-targeted regression on the base kernels of a linear mixture, and optimism over the ellipsoid of their coefficients.

Views: `verifier_settings.episodic.Phases` and `Run`. Algorithms report, as arrays of their own (`Algorithm.extra`),
``features`` X of V_{h+1} at every pair, shape (H, S*A, m), the ``matrix`` M (m, m), the ``coefficients`` theta_hat (m,) and
``root_beta``, the radius of the ellipsoid before the width multiplies it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting import least_squares
from verifier_properties.any_setting.assumed import ROUNDING, assumed, assumed_at_most, fact, laws
from verifier_properties.episodes import regret
from verifier_settings import rounding
from verifier_settings.elliptical import bonus_under, gram_norm
from verifier_settings.episodic import Phases, Public, Run
from verifier_settings.regression import Regression

TOPIC = "Confidence"

# What is assumed --------------------------------------------------------------------------------------------------------

base_kernels = laws(
    lambda instance: instance.public.base, "i pair s", "Every base kernel has no negative entry and rows that sum to 1.",
    "base-kernels",
)  # fmt: skip


@assumed("P", local=(
    fact(lambda instance: np.tensordot(instance.truth.weights, instance.public.base, axes=1), "mixed", "pair s", "Σ_i θ_i P_i",
        lambda instance: ROUNDING * max(1.0, float(np.abs(instance.truth.weights).sum()))),
    fact(lambda instance: instance.truth.kernel, "P", "h pair s", "P_h"),
))  # fmt: skip
def linear_mixture(mixed: Any) -> Any:
    """P(.|s,a) = sum_i theta_i P_i(.|s,a), at every step."""
    return mixed


@assumed_at_most("theta_norm", local=(
    fact(lambda instance: np.linalg.norm(instance.truth.weights), "theta_norm", "", "‖θ‖",
        lambda instance: ROUNDING * instance.public.B),
))  # fmt: skip
def coefficient_norm(B: Any) -> Any:
    """||theta||_2 <= B."""
    return B


# What is reported, replayed ---------------------------------------------------------------------------------------------


def _of_features(view: Phases) -> Array:
    """(p,) rounding of X: S products of probabilities and values."""
    return np.asarray(4 * EPS * (view.public.S + 2) * (np.abs(view.V).max(axis=(1, 2)) + 1.0))


REPORTED_FEATURES = Quantity(lambda view: view.extra["features"], "features", "plan h pair i", "X_h")
COEFFICIENTS = Quantity(lambda view: view.extra["coefficients"], "coefficients", "plan i", "θ̂_k")
FEATURES = Quantity(lambda view: view.mixture.features, "X", "plan h pair i", "P_i V_{h+1}", rounding=_of_features)
ESTIMATE = Quantity(
    lambda view: view.mixture.estimate, "theta_replay", "plan i", "M_k⁻¹ Σ X V_{h+1}(s_{h+1})",
    rounding=lambda view: view.mixture.estimate_rounding,
)  # fmt: skip
LOG_DET = Quantity(
    lambda view: np.linalg.slogdet(view.mixture.gram)[1], "log_det", "plan", "ln det M_k",
    # each of m pivots is off by the relative rounding of a solve
    rounding=lambda view: view.public.m * view.mixture.relative_rounding,
)  # fmt: skip
RADIUS = Quantity(
    lambda view: view.mixture.radius, "root_beta_replay", "plan", "√β_k", rounding=lambda view: view.mixture.radius_rounding
)
NORM = Quantity(
    lambda view: view.mixture.norm, "X_norm", "plan h pair", "‖X_h‖", 0.0, np.inf, lambda view: view.mixture.norm_rounding
)


@identity("features", on=Phases, local=(REPORTED_FEATURES, FEATURES), needs=("features",), topic="Planning")
def features(X: Any) -> Any:
    """X of every plan against (P_1 V_{h+1}, ..., P_m V_{h+1}), with V of the plan."""
    return X


def target_regression(view: Phases) -> Regression:
    """The regression on values as the algorithm reports it and as the harness recomputes it; features are at most H sqrt(m).

    The harness adds one product for each step seen; S stands for the rounding of the features.
    """
    public, mixture = view.public, view.mixture
    return Regression(
        ("plan",), {"plan": view.labels["plan"]}, view.extra["matrix"], mixture.gram, public.ridge, mixture.steps,
        public.T + public.S, max(1.0, public.H * float(np.sqrt(public.m))),
    )  # fmt: skip


gram = least_squares.gram_matrix(target_regression, needs=("matrix",))
"""M of every plan against lambda I + sum X X' of all steps of the episodes before."""

determinant_trace = least_squares.determinant_trace(target_regression, needs=("matrix",))
"""log det M of every plan against m log(lambda + n H^2), n steps seen."""


@identity("coefficients", on=Phases, local=(COEFFICIENTS, ESTIMATE), needs=("coefficients",))
def regression(theta_replay: Any) -> Any:
    """theta_hat of every plan against a batch solve of y = V_{h+1}(s_{h+1}) on X, with the values in force at each step."""
    return theta_replay


def log_growth(log_det: Any, m: Any, ridge: Any) -> Any:
    """log(det(M) / lambda^m)."""
    return log_det - m * np.log(ridge)


def noise_bound(H: Any, delta: Any, G: Any) -> Any:
    """(H/2) sqrt(2 log(1/delta) + log(det(M)/lambda^m)): values in [0, H] are H/2-subgaussian around their mean."""
    return H / 2 * np.sqrt(2 * np.log(1 / delta) + G)


@identity("root_beta", on=Phases, local=(LOG_DET,), define={"G": log_growth, "noise": noise_bound}, needs=("root_beta",))
def radius_formula(ridge: Any, B: Any, noise: Any) -> Any:
    """sqrt(beta) of every plan against sqrt(lambda) B + (H/2) sqrt(2 log(1/delta) + log det(M)/lambda^m), M of the harness."""
    return np.sqrt(ridge) * B + noise


@identity("bonus", on=Phases, local=(RADIUS, NORM), topic="Planning")
def bonus_formula(w: Any, root_beta_replay: Any, X_norm: Any) -> Any:
    """The bonus of every plan against width sqrt(beta) ||X|| under M^-1, all of the harness's own."""
    return w * root_beta_replay * X_norm


def _predicted(view: Phases) -> Array:
    """(p, H, X) <X_h, theta_hat>, theta_hat of the plan and X of its values."""
    return np.matmul(view.mixture.features, view.extra["coefficients"][:, None, :, None])[..., 0]


def _of_predictions(view: Phases) -> Array:
    """(p,) rounding of <X_h, theta_hat>: m products of coefficients and sums of S values."""
    size = np.abs(view.V).max(axis=(1, 2)) * np.abs(view.extra["coefficients"]).sum(axis=1)
    return np.asarray(8 * EPS * (view.public.S + view.public.m + 4) * size)


PREDICTED = Quantity(_predicted, "X_theta", "plan h pair", "⟨X_h, θ̂_k⟩", rounding=_of_predictions)


@identity("Q", on=Phases, local=(PREDICTED,), needs=("coefficients",), topic="Planning")
def q_formula(r: Any, X_theta: Any, bonus: Any, H: Any) -> Any:
    """Q_h of every plan against r + <X_h, theta_hat> + bonus cut to [0, H], with theta_hat and bonus of the plan."""
    return np.minimum(np.maximum(r + X_theta + bonus, 0), H)


# Confidence -------------------------------------------------------------------------------------------------------------


def _solved(view: Phases, right: Array) -> Array:
    """(p, m) M^-1 times vectors (p, m)."""
    return np.linalg.solve(view.mixture.gram, right[..., None])[..., 0]


def _noise(view: Phases) -> Array:
    """(p,) the norm of sum X noise under M^-1."""
    noise = view.mixture.noise
    return np.sqrt(np.maximum((noise * _solved(view, noise)).sum(axis=1), 0.0))


def _largest_noise(view: Phases) -> Array:
    """(p,) of n values in [0, H]: ||sum X noise|| under M^-1 is at most the norm of the noise, H sqrt(n)."""
    return view.public.H * np.sqrt(view.mixture.steps)


def _largest_distance(view: Phases) -> Array:
    """(p,) of theta_hat in the norm of M without learning anything: sqrt(lambda) ||theta|| and the norm of the noise."""
    return np.sqrt(view.public.ridge) * np.linalg.norm(view.mixture.weights) + _largest_noise(view)


def _norm_rounding(view: Phases) -> Array:
    """(p,) of the distance of theta_hat in the norm of M, which is at most sqrt(trace(M)) times the Euclidean one."""
    mixture = view.mixture
    return np.asarray(2 * mixture.estimate_rounding * np.sqrt(np.trace(mixture.gram, axis1=1, axis2=2)))


THETA = Quantity(lambda view: view.mixture.weights, "theta", "i", "θ")
SOLVED_NOISE = Quantity(
    lambda view: _solved(view, view.mixture.noise), "solved_noise", "plan i", "M_k⁻¹ Σ X[V_{h+1}(s_{h+1}) − PV_{h+1}]",
    rounding=lambda view: 2 * view.mixture.estimate_rounding,
)  # fmt: skip
SOLVED_BIAS = Quantity(
    lambda view: _solved(view, np.broadcast_to(view.public.ridge * view.mixture.weights, view.mixture.noise.shape)),
    "solved_bias", "plan i", "λM_k⁻¹θ",
    rounding=lambda view: view.mixture.relative_rounding * np.linalg.norm(view.mixture.weights),
)  # fmt: skip
NOISE = Quantity(_noise, "noise_norm", "plan", "‖Σ X[V_{h+1}(s_{h+1}) − PV_{h+1}]‖", 0.0, _largest_noise, _norm_rounding)
BIAS = Quantity(  # of the matrix that is reported: infinite where it has no inverse
    lambda view: view.public.ridge * bonus_under(view.mixture.weights[None], view.extra["matrix"])[:, 0],
    "bias", "plan", "λ‖θ‖", 0.0, np.inf,
    lambda view: np.sqrt(view.public.ridge) * view.public.B * view.mixture.relative_rounding,
)  # fmt: skip
DISTANCE = Quantity(
    lambda view: gram_norm((view.extra["coefficients"] - view.mixture.weights)[..., None], view.mixture.gram)[..., 0],
    "distance", "plan", "‖θ̂_k − θ‖", 0.0, _largest_distance, _norm_rounding,
)  # fmt: skip
ERROR = Quantity(
    lambda view: np.abs(_predicted(view) - view.PV), "error", "plan h pair", "|⟨X_h, θ̂_k⟩ − PV_{h+1}|", 0.0, "H",
    lambda view: view.mixture.backup_rounding(view.width),
)  # fmt: skip
INSIDE = Quantity(lambda view: view.event, "inside", "plan h", "θ is in the ellipsoid")
CONSTANT = Quantity(lambda view: view.constant_target, "constant", "plan h")


@identity("coefficients - theta", on=Phases, local=(COEFFICIENTS, THETA, SOLVED_NOISE, SOLVED_BIAS), needs=("coefficients",))
def estimate_decomposition(solved_noise: Any, solved_bias: Any) -> Any:
    """theta_hat - theta = M^-1 (sum X noise - lambda theta), of the plan's theta_hat; noise from the true kernel."""
    return solved_noise - solved_bias


@at_most("noise_norm", on=Phases, local=(NOISE, LOG_DET), define={"G": log_growth, "noise": noise_bound})
def noise_event(noise: Any) -> Any:
    """||sum X [V_{h+1}(s_{h+1}) - P V_{h+1}]|| under M^-1 against (H/2) sqrt(2 log(1/delta) + log det(M)/lambda^m)."""
    return noise


@at_most("bias", on=Phases, local=(BIAS,), needs=("matrix",))
def bias(ridge: Any, B: Any) -> Any:
    """lambda ||theta|| under M^-1 of every plan against sqrt(lambda) B, for the matrix that it reports; infinite if singular."""
    return np.sqrt(ridge) * B


@at_most("distance", on=Phases, local=(DISTANCE, RADIUS), needs=("coefficients",))
def confidence(w: Any, root_beta_replay: Any) -> Any:
    """||theta_hat - theta|| of every plan in the norm of M against width sqrt(beta): the true coefficients are in the ellipsoid.

    Without learning anything the distance is at most sqrt(lambda) ||theta|| and the norm of the noise.
    """
    return w * root_beta_replay


@at_most(
    "error", on=Phases, where="inside", saturated="constant", local=(ERROR, INSIDE, CONSTANT), needs=("coefficients",),
    name="bonus-validity",
)  # fmt: skip
def validity(bonus: Any) -> Any:
    """|<X, theta_hat> - P V_{h+1}| of the plan's theta_hat against the bonus it reports, where theta is in the ellipsoid."""
    return bonus


# Sums of bonuses, and regret --------------------------------------------------------------------------------------------


def _met(view: Run) -> Array:
    """(K, H, m) features reported of the pairs visited."""
    return np.take_along_axis(view.in_force("features"), view.pairs[:, :, None, None], axis=2)[:, :, 0]


def _squares(view: Run) -> Array:
    """(K,) sum_h ||X_h||^2 of the pairs visited under the inverse of the matrix in force, as reported; infinite if singular."""
    met, matrix = view.once(_met), view.in_force("matrix")
    # A reported matrix may be anything: one whose determinant is not positive has no norm, and its sum is infinite.
    squares, regular = np.full(len(met), np.inf), np.linalg.slogdet(matrix)[0] > 0
    solved = np.linalg.solve(matrix[regular], np.swapaxes(met[regular], 1, 2))
    squares[regular] = (np.swapaxes(solved, 1, 2) * met[regular]).sum(axis=(1, 2))
    return np.maximum(squares, 0.0)


def _log_det(view: Run) -> float:
    """log det of M after the whole run, from the features reported."""
    met = view.once(_met).reshape(-1, view.public.m)
    return float(np.linalg.slogdet(view.public.ridge * np.eye(view.public.m) + met.T @ met)[1])


def _sum_rounding(view: Run) -> float:
    """Rounding of K logarithms of 1 + a sum of squares, each relatively that of a solve with M, and of the growth."""
    public = view.public
    return 4 * public.K * float(rounding.log_det(public.m + 1, public.ridge, public.T * public.m * public.H**2))


WHOLE_LOG_DET = Quantity(_log_det, "log_det", "", "ln det M_{K+1}")
POTENTIAL = Quantity(
    lambda view: np.log1p(view.once(_squares)).sum(), "potential", "", "Σ_k ln(1 + Σ_h ‖X_h^k‖²)", 0.0,
    # every feature as long as it can be, and a matrix that never grows
    lambda view: view.public.K * np.log1p(view.public.m * view.public.H**3 / view.public.ridge), _sum_rounding,
)  # fmt: skip
LARGE = Quantity(
    lambda view: (view.once(_squares) > 1.0 + _sum_rounding(view)).sum(), "large", "", "#{k: Σ_h ‖X_h^k‖² > 1}", 0.0, "K",
    _sum_rounding,
)  # fmt: skip
BONUSES = Quantity(
    lambda view: np.sqrt(view.public.H * np.minimum(1.0, view.once(_squares))).sum(),
    "bonuses", "", "Σ_k √(H min(1, Σ_h ‖X_h^k‖²))", 0.0, lambda view: view.public.K * np.sqrt(view.public.H),
    lambda view: np.sqrt(view.public.H) * _sum_rounding(view),
)  # fmt: skip


@at_most(
    "potential", on=Run, scope="run", local=(POTENTIAL, WHOLE_LOG_DET), define={"G": log_growth}, needs=("features", "matrix"),
    topic="Potential",
)  # fmt: skip
def frozen_potential(G: Any) -> Any:
    """sum_k log(1 + sum_h ||X_h^k||^2) against log(det(M) / lambda^m), norms under the matrix in force in the episode.

    det(M + sum x x') = det(M) det(I + sum y y') with y = M^(-1/2) x, and that determinant is at least 1 + sum ||y||^2. The
    trivial bound has every feature as long as it can be, and a matrix that never grows.
    """
    return G


def bonus_sum(bound: Callable[[Public, float], float]) -> Property:
    """sum_k sqrt(H min(1, sum_h ||X_h^k||^2)) against its explicit bound, for (public, K)."""
    published = Quantity(lambda view: bound(view.public, view.public.K), "bound", "")
    found: Property = at_most(
        "bonuses", "bound", on=Run, scope="run", local=(BONUSES, published), needs=("features", "matrix"), name="bonus-sum",
        topic="Potential",
        description="Norms of the features reported at the visited pairs, under the matrices reported, each episode cut at 1.",
    )  # fmt: skip
    return found


@at_most(
    "large", on=Run, scope="run", local=(LARGE, WHOLE_LOG_DET), define={"G": log_growth}, needs=("features", "matrix"),
    topic="Potential",
)  # fmt: skip
def large_episodes(G: Any) -> Any:
    """The number of episodes with sum_h ||X_h^k||^2 > 1 against log(det(M) / lambda^m) / log 2."""
    return G / np.log(2.0)


def slack(view: Run) -> Array:
    """(K, H) twice the bonus at the visited pairs, from the widths handed out."""
    return 2 * np.asarray(view.series.targeted)


regret_recursion = replace(regret.recursion(slack), name="mixture-regret-recursion")
"""V_h - V^pi_h at the visited states against its expectation one step on plus twice the bonus."""

pathwise_regret = replace(regret.pathwise(slack), name="mixture-pathwise-regret")
"""The regret of every prefix against the realised martingale differences plus twice the bonuses."""
