"""Linear bandits: ellipsoids around the least squares of rewards, and what follows while they hold the reward parameter.

A bandit has one step; a state and an action are a pair, whose features are x, and an episode is a round. The decision set of a
round has the features of all actions in its state. Plans report ``gram`` V, ``estimate`` theta_hat and ``bonus``. As an array of
their own (`Algorithm.extra`) they report ``root_beta``, the radius of the ellipsoid before the width multiplies it.

Rewards in [0, 1] are 1/2-subgaussian around their mean, by Hoeffding's lemma: R = 1/2.
Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting.assumed import ROUNDING, assumed_at_most, fact
from verifier_properties.any_setting.published import published
from verifier_properties.episodic.planning import PHI_NORM, PREDICTED
from verifier_settings import rounding
from verifier_settings.elliptical import bonus_under, gram_norm
from verifier_settings.episodic import Phases, Public, Run, tolerances

TOPIC = "Confidence"
R = 0.5
"""Rewards in [0, 1] are R-subgaussian around their mean."""


@assumed_at_most("theta_norm", local=(
    fact(lambda instance: np.linalg.norm(instance.truth.theta), "theta_norm", "", "‖θ‖",
        lambda instance: ROUNDING * instance.public.d * instance.public.B),
))  # fmt: skip
def parameter_norm(B: Any) -> Any:
    """||theta||_2 <= B."""
    return B


# The radius ---------------------------------------------------------------------------------------------------------


def log_growth(log_det: Any, d: Any, ridge: Any) -> Any:
    """log(det(V) / lambda^d)."""
    return log_det - d * np.log(ridge)


def noise_bound(delta: Any, G: Any) -> Any:
    """R sqrt(2 log(1/delta) + log(det(V) / lambda^d)), which is R sqrt(2 log(det(V)^(1/2) lambda^(-d/2) / delta)), R = 1/2."""
    return 1 / 2 * np.sqrt(2 * np.log(1 / delta) + G)


def log_det(gram: Array) -> Array:
    """(...) log det of matrices (..., d, d); NaN where nothing is known of them, as of a plan before the first one."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.linalg.slogdet(gram)[1])


def radius(public: Public, gram: Array) -> Array:
    """Radius R sqrt(2 log(1/delta) + log(det(V) / lambda^d)) + sqrt(lambda) B of ellipsoids, (...), of matrices (..., d, d)."""
    growth = log_growth(log_det(gram), public.d, public.ridge)
    noise = R * np.sqrt(np.maximum(growth - 2 * np.log(public.delta), 0.0))
    return np.asarray(noise + np.sqrt(public.ridge) * public.B)


def _of_log_det(view: Phases) -> Array:
    """(p,) rounding of log det V."""
    return rounding.log_det(view.public.d, view.public.ridge, view.start * _longest(view.public) ** 2)


def _of_radius(view: Phases) -> Array:
    """(p,) rounding of the radius: of R sqrt(y), where y is off by e, it is at most R e / (sqrt(y) + sqrt(e))."""
    public, off = view.public, _of_log_det(view)
    noise = (view.once(radii) - np.sqrt(public.ridge) * public.B) / R
    return np.asarray(R * off / (noise + np.sqrt(off)) + 8 * EPS * view.once(radii))


def radii(view: Phases) -> Array:
    """(p,) radius of the ellipsoid of each plan, from the transcript."""
    return radius(view.public, view.gram_replay[:, 0])


def _longest(public: Public) -> float:
    """Norm of the longest feature, and 1 at least."""
    return max(1.0, float(np.linalg.norm(public.phi, axis=1).max()))


ROOT_BETA = Quantity(lambda view: view.extra["root_beta"], "root_beta", "plan", "√β_k", 0.0, np.inf)
LOG_DET = Quantity(lambda view: log_det(view.gram_replay[:, 0]), "log_det", "plan", "ln det V_k", rounding=_of_log_det)
LOG_DIAGONAL = Quantity(
    lambda view: np.log(np.diagonal(view.gram_replay[:, 0], axis1=1, axis2=2)).sum(axis=1),
    "log_diagonal",
    "plan",
    "ln Π_i V_k[i,i]",
)
LOG_BOUND = Quantity(
    lambda view: view.public.d * np.log(view.public.ridge + view.start / view.public.d), "log_bound", "plan", "d ln(λ + t/d)"
)
"""Largest value of the logarithm of the determinant after t features of norm 1; in no formula, as the one before."""
RADIUS = Quantity(radii, "root_beta_replay", "plan", "√β_k", 0.0, np.inf, rounding=_of_radius)


@identity(
    "root_beta",
    on=Phases,
    local=(ROOT_BETA, LOG_DET, LOG_DIAGONAL, LOG_BOUND),
    define={"G": log_growth, "noise": noise_bound},
    needs=("root_beta",),
)
def radius_formula(ridge: Any, B: Any, noise: Any) -> Any:
    """sqrt(beta) of every plan against R sqrt(2 log(1/delta) + log(det(V)/lambda^d)) + sqrt(lambda) B, V from the transcript."""
    return noise + np.sqrt(ridge) * B


def radius_bound(bound: Callable[[Public, Array], Array]) -> Property:
    """The radius that plans report against `bound`, in what is public and the number of rounds played before (p,)."""
    most = Quantity(lambda view: bound(view.public, view.start), "most", "plan", "the bound", 0.0, np.inf)
    reported = Quantity(  # a reported radius may be any number
        lambda view: view.extra["root_beta"], "root_beta", "plan", "√β_k", -np.inf, np.inf, _of_radius
    )
    made: Property = at_most(
        "root_beta", "most", on=Phases, local=(reported, most), needs=("root_beta",), name="radius-bound", topic=TOPIC,
        description="The radius of the ellipsoid of every plan against its largest value after so many rounds.",
    )  # fmt: skip
    return made


# The index ----------------------------------------------------------------------------------------------------------


@identity("bonus", on=Phases, local=(RADIUS, PHI_NORM), topic="Planning")
def bonus_formula(w: Any, root_beta_replay: Any, phi_norm: Any) -> Any:
    """The bonus of every plan against width sqrt(beta) ||x|| in the norm of V^-1, all from the transcript."""
    return w * root_beta_replay * phi_norm


@identity("Q", on=Phases, local=(PREDICTED,), needs=("estimate", "bonus"), topic="Planning")
def index_formula(w_phi: Any, bonus: Any) -> Any:
    """Q of every plan against <theta_hat, x> + bonus, with theta_hat and bonus of the plan."""
    return w_phi + bonus


# Confidence ---------------------------------------------------------------------------------------------------------


def _noise(view: Phases) -> Array:
    """(p, d) sum x (r - <theta, x>), noise from the true means."""
    return np.matmul(view.earned[:, 0] - view.step_visits[:, 0] * view.truth.rewards[0], view.public.phi)


def _solved(view: Phases, right: Array) -> Array:
    """(p, d) V^-1 times vectors (p, d)."""
    return np.matmul(view.gram_inverse[:, 0], right[..., None])[..., 0]


def _noise_norm(view: Phases) -> Array:
    """(p,) the norm of the sum of x times noise under V^-1."""
    noise = view.once(_noise)
    return np.sqrt(np.maximum((noise * _solved(view, noise)).sum(axis=1), 0.0))


def _largest_noise(view: Phases) -> Array:
    """(p,) of k rewards in the declared range: X'V^-1 X <= I for the matrix X of all features, so it is at most their norm."""
    return (view.public.high - view.public.low) * np.sqrt(view.start)


def _largest_distance(view: Phases) -> Array:
    """(p,) of theta_hat in the norm of V, whatever is played: sqrt(lambda) ||theta|| of bias, and the noise."""
    return np.sqrt(view.public.ridge) * np.linalg.norm(view.truth.theta) + _largest_noise(view)


def _gram_rounding(view: Phases) -> Array:
    """(p,) rounding of an estimate, turned into the norm of V by sqrt(lambda + k b^2)."""
    longest = _longest(view.public)
    return 2 * tolerances.solve(view.public, view.start) * np.sqrt(view.public.ridge + view.start * longest**2)


def _of_solution(view: Phases) -> Array:
    """(p,) rounding of theta_hat - theta, and of what it is made of."""
    return 2 * tolerances.solve(view.public, view.start) + 16 * EPS * float(np.linalg.norm(view.truth.theta))


def distances(view: Phases) -> Array:
    """(p,) the distance of the harness's own theta_hat from theta in the norm of V."""
    return gram_norm((view.estimate_replay[:, 0] - view.truth.theta)[..., None], view.gram_replay[:, 0])[..., 0]


def inside(view: Phases) -> BoolArray:
    """(p, 1) whether theta is in the ellipsoid around the harness's own theta_hat, with the width that was handed out."""
    return np.asarray(distances(view) <= view.width[:, 0] * view.once(radii))[:, None]


THETA_HAT = Quantity(lambda view: view.reported("estimate")[:, 0], "theta_hat", "plan i", "θ̂_k", rounding=_of_solution)
THETA = Quantity(lambda view: view.truth.theta, "theta", "i", "θ")
SOLVED_NOISE = Quantity(
    lambda view: _solved(view, view.once(_noise)), "solved_noise", "plan i", "V_k⁻¹ Σ x(r − ⟨θ, x⟩)", rounding=_of_solution
)
SOLVED_BIAS = Quantity(
    lambda view: _solved(view, np.broadcast_to(view.public.ridge * view.truth.theta, (len(view.start), view.public.d))),
    "solved_bias", "plan i", "λV_k⁻¹θ", rounding=_of_solution,
)  # fmt: skip
NOISE = Quantity(_noise_norm, "noise_norm", "plan", "‖Σ x(r − ⟨θ, x⟩)‖", 0.0, _largest_noise, _gram_rounding)
BIAS = Quantity(  # of the matrix that is reported: infinite where it has no inverse
    lambda view: view.public.ridge * bonus_under(view.truth.theta[None], view.gram[:, 0])[:, 0],
    "bias", "plan", "λ‖θ‖", 0.0, np.inf,
    lambda view: np.sqrt(view.public.ridge) * view.public.B * tolerances.norm(view.public, view.start),
)  # fmt: skip
DISTANCE = Quantity(
    lambda view: gram_norm((view.reported("estimate")[:, 0] - view.truth.theta)[..., None], view.gram_replay[:, 0])[..., 0],
    "distance", "plan", "‖θ̂_k − θ‖", 0.0, _largest_distance, _gram_rounding,
)  # fmt: skip
ERROR = Quantity(
    lambda view: np.abs(np.matmul(view.reported("estimate"), view.public.phi.T) - view.truth.rewards),
    "error", "plan h pair", "|⟨θ̂_k, x⟩ − ⟨θ, x⟩|", 0.0, np.inf,
    lambda view: _longest(view.public) * tolerances.solve(view.public, view.start) + 16 * EPS,
)  # fmt: skip
INSIDE = Quantity(inside, "inside", "plan h", "θ is in the ellipsoid")


@identity("theta_hat - theta", on=Phases, local=(THETA_HAT, THETA, SOLVED_NOISE, SOLVED_BIAS), needs=("estimate",))
def estimate_decomposition(solved_noise: Any, solved_bias: Any) -> Any:
    """theta_hat - theta = V^-1 (sum x noise - lambda theta), of the plan's theta_hat; noise from the true means."""
    return solved_noise - solved_bias


@at_most("noise_norm", on=Phases, local=(NOISE, LOG_DET), define={"G": log_growth, "noise": noise_bound})
def noise_event(noise: Any) -> Any:
    """||sum x (r - <theta, x>)|| under V^-1 against R sqrt(2 log(1/delta) + log(det(V)/lambda^d))."""
    return noise


@at_most("bias", on=Phases, local=(BIAS,), needs=("gram",))
def bias(ridge: Any, B: Any) -> Any:
    """lambda ||theta|| under V^-1 of every plan against sqrt(lambda) B, for the matrix that it reports; infinite if singular."""
    return np.sqrt(ridge) * B


@at_most("distance", on=Phases, local=(DISTANCE, RADIUS), needs=("estimate",))
def confidence(w: Any, root_beta_replay: Any) -> Any:
    """||theta_hat - theta|| of every plan in the norm of V against width sqrt(beta): theta is in the ellipsoid."""
    return w * root_beta_replay


@at_most("error", on=Phases, where="inside", local=(ERROR, INSIDE), needs=("estimate", "bonus"), name="bonus-validity")
def validity(bonus: Any) -> Any:
    """|<theta_hat, x> - <theta, x>| of the plan's theta_hat against the bonus it reports, where theta is in the ellipsoid."""
    return bonus


# Regret -------------------------------------------------------------------------------------------------------------


def _means(view: Phases | Run) -> Array:
    """(S, A) mean rewards."""
    return view.truth.rewards[0].reshape(view.public.S, view.public.A)


def _gaps(view: Phases | Run) -> Array:
    """(S, A) what each action loses in each state."""
    means = _means(view)
    return np.asarray(means.max(axis=1, keepdims=True) - means)


def _taken(view: Phases, of: Array) -> Array:
    """(p, S) entries of (p or 1, S, A) at the action of each plan."""
    policy = view.taken[:, 0]
    return np.take_along_axis(np.broadcast_to(of, (*policy.shape, of.shape[-1])), policy[..., None], axis=2)[..., 0]


def _own_bonus(view: Phases) -> Array:
    """(p, S) width sqrt(beta) ||x|| of the action of each plan, from the transcript."""
    bonus = view.width[:, :1] * view.once(radii)[:, None] * view.bonus[:, 0]
    return _taken(view, bonus.reshape(-1, view.public.S, view.public.A))


def _of_indices(view: Phases) -> Array:
    """(p, 1) rounding of <theta_hat, x> + width sqrt(beta) ||x||."""
    public, longest = view.public, view.bonus.max(axis=(1, 2))
    added = longest * (view.once(radii) * tolerances.norm(public, view.start) + _of_radius(view))
    return (_longest(public) * tolerances.solve(public, view.start) + np.nan_to_num(view.width[:, 0]) * added)[:, None]


GAP = Quantity(
    lambda view: _taken(view, _gaps(view)[None]), "Gap", "plan s", "⟨θ, x* − x⟩", 0.0,
    lambda view: np.broadcast_to(_gaps(view).max(axis=1), (len(view.start), view.public.S)), _of_indices,
)  # fmt: skip
OWN_BONUS = Quantity(_own_bonus, "b_own", "plan s", "√β_k‖x‖", 0.0, np.inf)
INSIDE_OF_PLAN = Quantity(lambda view: inside(view)[:, 0], "inside", "plan", "θ is in the ellipsoid")


@at_most("Gap", on=Phases, where="inside", local=(GAP, OWN_BONUS, INSIDE_OF_PLAN), topic="Regret")
def gap_of_played(b_own: Any) -> Any:
    """Loss of the action of every plan in each state against twice the bonus of it, where theta is in the ellipsoid."""
    return 2 * b_own


def _before(view: Run) -> tuple[Array, Array]:
    """(K, d, d) and (K, d): V and sum x r before the plan in force in each round."""
    x = view.public.phi[view.pairs[:, 0]]
    grams, moments = x[:, :, None] * x[:, None, :], x * view.rewards[:, :1]
    first = view.public.ridge * np.eye(view.public.d)
    start = view.plans[np.searchsorted(view.plans, np.arange(len(x)), side="right") - 1]
    return (
        np.concatenate([first[None], grams]).cumsum(axis=0)[start],
        np.concatenate([np.zeros((1, view.public.d)), moments]).cumsum(axis=0)[start],
    )


def _lost(view: Run) -> Array:
    """(K,) what can be lost at most in the state of each round."""
    return np.asarray(_gaps(view).max(axis=1)[view.states[:, 0]])


def _radii_played(view: Run) -> Array:
    """(K,) width sqrt(beta) of the ellipsoid in force in each round."""
    return np.asarray(view.series.width[:, 0] * radius(view.public, view.once(_before)[0]))


def _all_inside(view: Run) -> BoolArray:
    """(K,) whether theta was in all ellipsoids up to a round."""
    gram, moment = view.once(_before)
    error = np.linalg.solve(gram, moment[..., None]) - view.truth.theta[:, None]
    return np.asarray(np.logical_and.accumulate(gram_norm(error, gram)[..., 0] <= view.once(_radii_played)))


def _regret(rounding: Callable[[Run], Array] | None) -> Quantity:
    """R_n; no round loses more than the worst action of its state."""
    return Quantity(
        lambda view: np.cumsum(view.series.regret), "R_n", "episode", "R_n", 0.0, lambda view: np.cumsum(_lost(view)), rounding
    )


@at_most("R_n", on=Run, scope="run", where="inside", needs=("gram",), topic="Regret", local=(
    _regret(lambda view: view.regret_rounding * np.arange(1, len(view.states) + 1)),
    Quantity(lambda view: np.cumsum(view.once(_radii_played) * view.series.bonus[:, 0]), "b_sum", "episode", "Σ_{t≤n} √β_t‖x_t‖"),
    Quantity(_all_inside, "inside", "episode", "θ is in all ellipsoids up to n"),
))  # fmt: skip
def pathwise_regret(b_sum: Any) -> Any:
    """R_n against 2 sum_{t <= n} width sqrt(beta) ||x_t|| for every n up to which theta was in all ellipsoids."""
    return 2 * b_sum


def regret_bound(bound: Callable[[Public, Array], Array]) -> Property:
    """R_n against bound(public, n) for every number n of rounds; no round loses more than the worst action of its state."""
    return published(
        _regret(None), lambda view: bound(view.public, np.arange(1.0, len(view.states) + 1)), on=Run, name="regret-bound",
        topic="Regret",
        description="Exact regret of every prefix of the run, from the true means, against the bound of the theorem.",
    )  # fmt: skip


def _of_growth(view: Run) -> float:
    """Rounding of log(1 + ||x||^2), of two norms."""
    public = view.public
    return float(4 * rounding.bonus(public.phi, public.ridge, public.K) * _longest(public) / np.sqrt(public.ridge))


@at_most("growth", on=Run, scope="run", needs=("gram",), topic="Potential", local=(
    Quantity(
        lambda view: np.log1p(view.norm**2), "growth", "episode h", "ln(det V_{t+1} / det V_t)", 0.0,
        lambda view: np.log1p(_longest(view.public) ** 2 / view.public.ridge), _of_growth,
    ),
    Quantity(lambda view: view.series.reported_bonus, "norm", "episode h", "‖x_t‖"),
))  # fmt: skip
def growth(norm: Any) -> Any:
    """log(det V_{t+1} / det V_t) = log(1 + ||x_t||^2), from the transcript, against ||x_t||^2 under the V_t that is reported."""
    return norm**2
