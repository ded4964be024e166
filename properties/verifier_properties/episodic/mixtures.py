"""Value-targeted regression on the base kernels of a linear mixture, and optimism over the ellipsoid of their coefficients.

Views: `verifier_settings.episodic.Instance`, `Phases` and `Run`. Algorithms report, as arrays of their own (`Algorithm.extra`),
``features`` X of V_{h+1} at every pair, shape (H, S*A, m), the ``matrix`` M (m, m), the ``coefficients`` theta_hat (m,) and
``root_beta``, the radius of the ellipsoid before the width multiplies it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import UNBOUNDED, Inequality, Part, equality
from verifier.model.property import Property, instance_property, phase_property, run_property
from verifier_properties.any_setting import bonus, least_squares
from verifier_properties.episodes import regret
from verifier_properties.episodic import mixture_suspects
from verifier_settings import rounding
from verifier_settings.elliptical import bonus_under, gram_norm
from verifier_settings.episodic import Instance, Phases, Public, Run, tolerances
from verifier_settings.regression import Regression

TOPIC = "Confidence"
ROUNDING = 64 * EPS

# What is assumed --------------------------------------------------------------------------------------------------------


@instance_property()
def base_kernels(instance: Instance) -> Inequality:
    """Every base kernel has no negative entry and rows that sum to 1."""
    base = instance.public.base
    defect = np.maximum(np.abs(base.sum(axis=2) - 1.0), np.maximum(-base, 0.0).max(axis=2, initial=0.0))
    return Inequality(defect, 0.0, ("i", "pair"), tolerance=ROUNDING * base.shape[2], trivial=1.0, identity=True)


@instance_property()
def linear_mixture(instance: Instance) -> Inequality:
    """P(.|s,a) = sum_i theta_i P_i(.|s,a), at every step."""
    truth = instance.truth
    mixed = np.tensordot(truth.weights, instance.public.base, axes=1)
    tolerance = ROUNDING * max(1.0, float(np.abs(truth.weights).sum()))
    return equality(np.broadcast_to(mixed, truth.kernel.shape), truth.kernel, axes=("h", "pair", "s"), tolerance=tolerance)


@instance_property()
def coefficient_norm(instance: Instance) -> Inequality:
    """||theta||_2 <= B."""
    B = instance.public.B
    return Inequality(float(np.linalg.norm(instance.truth.weights)), B, trivial=UNBOUNDED, tolerance=ROUNDING * B)


# What is reported, replayed ---------------------------------------------------------------------------------------------


@phase_property("features", topic="Planning")
def features(view: Phases) -> Inequality:
    """X of every plan against (P_1 V_{h+1}, ..., P_m V_{h+1}), with V of the plan."""
    values = np.abs(view.V).max(axis=(1, 2))[:, None, None, None]
    own = view.mixture.features
    return equality(
        view.extra["features"], own, axes=("plan", "h", "pair", "i"), labels=view.labels,
        tolerance=4 * EPS * (view.public.S + 2) * (values + 1.0),
        explanations={
            "the features of the first base kernel alone": lambda: own * (np.arange(view.public.m) == 0),
            "the values of the state that is left": lambda: np.repeat(view.V[:, 1:], view.public.A, axis=2)[..., None],
        },
    )  # fmt: skip


def target_regression(view: Phases) -> Regression:
    """The regression on values as the algorithm reports it and as the harness recomputes it; features are at most H sqrt(m).

    The harness adds one product for each step seen; S stands for the rounding of the features.
    """
    public, found = view.public, view.mixture
    return Regression(
        ("plan",), {"plan": view.labels["plan"]}, view.extra["matrix"], found.gram, public.ridge, found.steps,
        public.T + public.S, max(1.0, public.H * float(np.sqrt(public.m))),
    )  # fmt: skip


gram = least_squares.gram_matrix(target_regression, needs=("matrix",))
"""M of every plan against lambda I + sum X X' of all steps of the episodes before."""

determinant_trace = least_squares.determinant_trace(target_regression, needs=("matrix",))
"""log det M of every plan against m log(lambda + n H^2), n steps seen."""


@phase_property("coefficients")
def regression(view: Phases) -> Inequality:
    """theta_hat of every plan against a batch solve of y = V_{h+1}(s_{h+1}) on X, with the values in force at each step."""
    found = view.mixture
    return equality(
        view.extra["coefficients"], found.estimate, axes=("plan", "i"), tolerance=found.estimate_rounding[:, None],
        labels={"plan": view.labels["plan"]}, explanations=mixture_suspects.targets(view),
    )  # fmt: skip


@phase_property("root_beta")
def radius_formula(view: Phases) -> Inequality:
    """sqrt(beta) of every plan against sqrt(lambda) B + (H/2) sqrt(2 log(1/delta) + log det(M)/lambda^m), M of the harness."""
    public, found = view.public, view.mixture
    bias = np.full(len(found.radius), np.sqrt(public.ridge) * public.B)
    noise = found.radius - bias
    growth = (2 * noise / public.H) ** 2 + 2 * np.log(public.delta)

    def of_growth(other: Array) -> Array:
        return bias + public.H / 2 * np.sqrt(np.maximum(other - 2 * np.log(public.delta), 0.0))

    return equality(
        view.extra["root_beta"], found.radius, axes=("plan",), labels={"plan": view.labels["plan"]},
        tolerance=found.radius_rounding + 8 * EPS * found.radius,
        parts={
            "sqrt(lambda) B": Part(lambda: bias, lambda other: other + noise),
            "the noise": Part(lambda: noise, lambda other: bias + other),
            "log det(M)/lambda^m": Part(lambda: growth, of_growth),
        },
        explanations=mixture_suspects.radii(of_growth, growth, view),
    )  # fmt: skip


@phase_property("bonus", topic="Planning")
def bonus_formula(view: Phases) -> Inequality:
    """The bonus of every plan against width sqrt(beta) ||X|| under M^-1, all of the harness's own."""
    found, width = view.mixture, view.width[:, :, None]
    own = width * view.ellipsoid
    radius, norm = found.radius[:, None, None], found.norm
    off = radius * found.norm_rounding + found.radius_rounding[:, None, None] * norm
    under = np.swapaxes(np.matmul(found.gram[:, None], np.swapaxes(found.features, -1, -2)), -1, -2)
    return equality(
        view.reported("bonus"), own, axes=view.pair_axes, tolerance=width * off + 8 * EPS * own, labels=view.labels,
        parts={"||X||": Part(lambda: norm, lambda other: width * radius * other)},
        explanations={
            "the formula with M for its inverse": lambda: (
                width * radius * np.sqrt(np.maximum((under * found.features).sum(axis=-1), 0.0))
            ),
            "the formula without the width": lambda: view.ellipsoid,
        },
    )  # fmt: skip


@phase_property("coefficients", "bonus", topic="Planning")
def q_formula(view: Phases) -> Inequality:
    """Q_h of every plan against r + <X_h, theta_hat> + bonus cut to [0, H], with theta_hat and bonus of the plan."""
    public, H = view.public, float(view.public.H)
    coefficients, added = view.extra["coefficients"], view.reported("bonus")
    backup = np.matmul(view.mixture.features, coefficients[:, None, :, None])[..., 0]
    mean = public.reward + backup
    rounding = 8 * EPS * (public.S + public.m + 4)
    largest = np.abs(view.V).max(axis=(1, 2))[:, None, None] * np.abs(coefficients).sum(axis=1)[:, None, None]

    def formed(value: Array) -> Array:
        return np.clip(value, 0.0, H).reshape(view.Q.shape)

    return equality(
        view.Q, formed(mean + added), axes=("plan", "h", "s", "a"), labels=view.labels,
        tolerance=(rounding * (tolerances.scale(public) + largest + added)).reshape(view.Q.shape),
        parts={
            "the bonus": Part(lambda: added, lambda other: formed(mean + other)),
            "the reward": Part(lambda: np.broadcast_to(public.reward, mean.shape), lambda other: formed(other + backup + added)),
        },
        explanations={
            "the formula without its cut": lambda: (mean + added).reshape(view.Q.shape),
            "the formula without its cut at H": lambda: np.maximum(mean + added, 0.0).reshape(view.Q.shape),
            "the formula without its cut at 0": lambda: np.minimum(mean + added, H).reshape(view.Q.shape),
        },
    )  # fmt: skip


# Confidence -------------------------------------------------------------------------------------------------------------


@phase_property("coefficients")
def estimate_decomposition(view: Phases) -> Inequality:
    """theta_hat - theta = M^-1 (sum X noise - lambda theta), of the plan's theta_hat; noise from the true kernel."""
    found = view.mixture
    expected = np.linalg.solve(found.gram, (found.noise - view.public.ridge * found.weights)[..., None])[..., 0]
    return equality(
        view.extra["coefficients"] - found.weights, expected, axes=("plan", "i"), labels={"plan": view.labels["plan"]},
        tolerance=(2 * found.estimate_rounding + found.relative_rounding * np.linalg.norm(found.weights))[:, None],
    )  # fmt: skip


def _largest_noise(view: Phases) -> Array:
    """(p,) of n values in [0, H]: ||sum X noise|| under M^-1 is at most the norm of the noise, H sqrt(n)."""
    return view.public.H * np.sqrt(view.mixture.steps)


def _norm_rounding(view: Phases) -> Array:
    """(p,) of the distance of theta_hat in the norm of M, which is at most sqrt(trace(M)) times the Euclidean one."""
    found = view.mixture
    return np.asarray(2 * found.estimate_rounding * np.sqrt(np.trace(found.gram, axis1=1, axis2=2)))


@phase_property()
def noise_event(view: Phases) -> Inequality:
    """||sum X [V_{h+1}(s_{h+1}) - P V_{h+1}]|| under M^-1 against (H/2) sqrt(2 log(1/delta) + log det(M)/lambda^m)."""
    found, public = view.mixture, view.public
    solved = np.linalg.solve(found.gram, found.noise[..., None])[..., 0]
    noise = np.sqrt(np.maximum((found.noise * solved).sum(axis=1), 0.0))
    return Inequality(
        noise, found.radius - np.sqrt(public.ridge) * public.B, ("plan",), trivial=_largest_noise(view),
        tolerance=_norm_rounding(view) + found.radius_rounding, labels={"plan": view.labels["plan"]},
    )  # fmt: skip


@phase_property("matrix")
def bias(view: Phases) -> Inequality:
    """lambda ||theta|| under M^-1 of every plan against sqrt(lambda) B, for the matrix that it reports; infinite if singular."""
    public, weights = view.public, view.mixture.weights
    norm = public.ridge * bonus_under(weights[None], view.extra["matrix"])[:, 0]
    bound = np.sqrt(public.ridge) * public.B
    return Inequality(
        norm,
        bound,
        ("plan",),
        trivial=UNBOUNDED,
        labels={"plan": view.labels["plan"]},
        tolerance=bound * view.mixture.relative_rounding,
    )


@phase_property("coefficients")
def confidence(view: Phases) -> Inequality:
    """||theta_hat - theta|| of every plan in the norm of M against width sqrt(beta): the true coefficients are in the ellipsoid.

    Without learning anything the distance is at most sqrt(lambda) ||theta|| and the norm of the noise.
    """
    found, public = view.mixture, view.public
    distance = gram_norm((view.extra["coefficients"] - found.weights)[..., None], found.gram)
    trivial = np.sqrt(public.ridge) * np.linalg.norm(found.weights) + _largest_noise(view)
    return Inequality(
        distance, view.width * found.radius[:, None], ("plan", "h"), trivial=trivial[:, None], labels=view.labels,
        tolerance=(_norm_rounding(view) + found.radius_rounding)[:, None],
    )  # fmt: skip


validity = bonus.validity(
    lambda view: np.matmul(view.mixture.features, view.extra["coefficients"][:, None, :, None])[..., 0],
    lambda view: view.reported("bonus"),
    lambda view: np.broadcast_to(view.mixture.backup_rounding(view.width)[:, None], view.width.shape),
    lambda view: view.event,
    ("coefficients", "bonus"),
    "|<X, theta_hat> - P V_{h+1}| of the plan's theta_hat against the bonus it reports, where theta is in the ellipsoid.",
)
"""|<X_h, theta_hat> - P V_{h+1}| <= bonus."""


# Sums of bonuses, and regret --------------------------------------------------------------------------------------------


def _squares(view: Run) -> Array:
    """(K,) sum_h ||X_h||^2 of the pairs visited under the inverse of the matrix in force, as reported; infinite if singular."""
    met = np.take_along_axis(view.in_force("features"), view.pairs[:, :, None, None], axis=2)[:, :, 0]
    matrix = view.in_force("matrix")
    # A reported matrix may be anything: one whose determinant is not positive has no norm, and its sum is infinite.
    squares, regular = np.full(len(met), np.inf), np.linalg.slogdet(matrix)[0] > 0
    solved = np.linalg.solve(matrix[regular], np.swapaxes(met[regular], 1, 2))
    squares[regular] = (np.swapaxes(solved, 1, 2) * met[regular]).sum(axis=(1, 2))
    return np.maximum(squares, 0.0)


def _log_growth(view: Run) -> float:
    """log(det(M) / lambda^m) of the whole run, from the features reported."""
    met = np.take_along_axis(view.in_force("features"), view.pairs[:, :, None, None], axis=2).reshape(-1, view.public.m)
    whole = np.linalg.slogdet(view.public.ridge * np.eye(view.public.m) + met.T @ met)[1]
    return float(whole - view.public.m * np.log(view.public.ridge))


def _sum_rounding(view: Run) -> float:
    """Rounding of K logarithms of 1 + a sum of squares, each relatively that of a solve with M, and of the growth."""
    public = view.public
    return 4 * public.K * float(rounding.log_det(public.m + 1, public.ridge, public.T * public.m * public.H**2))


@run_property("features", "matrix", topic="Potential")
def frozen_potential(view: Run) -> Inequality:
    """sum_k log(1 + sum_h ||X_h^k||^2) against log(det(M) / lambda^m), norms under the matrix in force in the episode.

    det(M + sum x x') = det(M) det(I + sum y y') with y = M^(-1/2) x, and that determinant is at least 1 + sum ||y||^2. The
    trivial bound has every feature as long as it can be, and a matrix that never grows.
    """
    public = view.public
    largest = public.K * np.log1p(public.m * public.H**3 / public.ridge)
    value = float(np.log1p(_squares(view)).sum())
    return Inequality(value, _log_growth(view), trivial=float(largest), tolerance=_sum_rounding(view))


def bonus_sum(bound: Callable[[Public, float], float]) -> Property:
    """sum_k sqrt(H min(1, sum_h ||X_h^k||^2)) against its explicit bound, for (public, K)."""

    def evaluate(view: Run) -> Inequality:
        public = view.public
        value = float(np.sqrt(public.H * np.minimum(1.0, _squares(view))).sum())
        trivial = public.K * float(np.sqrt(public.H))
        return Inequality(value, bound(public, public.K), trivial=trivial, tolerance=np.sqrt(public.H) * _sum_rounding(view))

    description = "Norms of the features reported at the visited pairs, under the matrices reported, each cut at an episode's 1."
    return Property("bonus-sum", "run", evaluate, frozenset({"features", "matrix"}), description, topic="Potential")


@run_property("features", "matrix", topic="Potential")
def large_episodes(view: Run) -> Inequality:
    """The number of episodes with sum_h ||X_h^k||^2 > 1 against log(det(M) / lambda^m) / log 2."""
    value = float((_squares(view) > 1.0 + _sum_rounding(view)).sum())
    return Inequality(value, _log_growth(view) / np.log(2.0), trivial=float(view.public.K), tolerance=_sum_rounding(view))


def slack(view: Run) -> Array:
    """(K, H) twice the bonus at the visited pairs, from the widths handed out."""
    return 2 * np.asarray(view.series.targeted)


regret_recursion = replace(regret.recursion(slack), name="mixture-regret-recursion")
"""V_h - V^pi_h at the visited states against its expectation one step on plus twice the bonus."""

pathwise_regret = replace(regret.pathwise(slack), name="mixture-pathwise-regret")
"""The regret of every prefix against the realised martingale differences plus twice the bonuses."""
