"""Data collection, maximum likelihood and bonuses of representation learning, replayed; and the events they rest on.

Views: `verifier_settings.cvar`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import Property, phase_property, run_property
from verifier.model.statement import Formula, at_most, identity
from verifier.statistics.evidence import evidence, log_multinomial
from verifier_settings.cvar import Iterations, Public, Run, tolerances

TOPIC = "Confidence"

LOWEST_RATIO, HIGHEST_RATIO = math.sqrt(3 / 5), math.sqrt(3)
"""Lemma E.2: norms under the empirical matrix against those under its mean."""

# The data --------------------------------------------------------------------------------------------------------------


@identity("size", on=Iterations, local=(
    Quantity(lambda view: np.stack([view.D, view.D_tilde], axis=2).sum(axis=(3, 4)), "size", "iteration h set"),
))  # fmt: skip
def sizes(k: Any) -> Any:
    """|D_h| = |D~_h| = k after iteration k, counted in the transcript."""
    return k


@identity("handed", on=Iterations, where="handed >= 0", local=(
    Quantity(lambda view: view.seen.handed, "handed", "iteration h pair next"),
))  # fmt: skip
def data_handed(D: Any, D_tilde: Any) -> Any:
    """Data given to the likelihood oracle against the union of D_h and D~_h of the transcript, where it was asked."""
    return D + D_tilde


def used(name: str, count: Callable[[Iterations], Array], expected: Formula, axes: str) -> Property:
    """Amount that every iteration used, counted by the harness, against that of the listing.

    Parameters
    ----------
    name : str
        For the property.
    count : callable
        Maps the view to the counts.
    expected : callable or str
        The number of the listing, a formula of the sizes of the problem; `budgets` is that of the initial budgets.
    axes : str
        Of the counts.
    """
    about = "Counted by the environment, the oracle and the simulators."
    initial = Quantity(lambda view: view.public.coarse.initial + 1, "budgets", "", "(⌈H/υ⌉ + 1)")
    return identity(
        "used", expected, on=Iterations, name=name, description=about, topic=TOPIC, local=(Quantity(count, "used", axes), initial)
    )


# Not a formula: actions are few, so that an explanation has to fit where the play is right, too.
@phase_property()
def roll_in(view: Iterations) -> Inequality:
    """Every action before the uniform ones is that of (pi^{k-1}, c^{k-1}), its budget followed by the harness."""
    differs = view.roll_in & (view.seen.actions != view.roll_in_action)

    def follows(make: Callable[[], Iterations]) -> BoolArray:
        # Of the first two iterations of a batch the plan before the last one may not be known.
        right = (make().roll_in_action == view.seen.actions) | ~view.roll_in
        return np.full(differs.shape, differs[2:].any() and right[2:].all())

    return Inequality(
        differs.astype(float), 0.0, ("iteration", "trajectory", "h"), trivial=1.0, tolerance=0.5, labels=view.labels,
        premise=view.roll_in, identity=True,
        explanations={said: partial(follows, make) for said, make in view.other_ways.items()},
    )  # fmt: skip


# Not a formula: evidence of a law, a product over draws.
@run_property()
def transitions(view: Run) -> Inequality:
    """Likelihood ratio of all other kernels to P*, for the transitions of the transcript: it tests the harness's environment."""
    public, H = view.public, view.public.H
    if H == 1:
        return evidence(0.0, 0.0)
    here, following, action = view.states[:, :, : H - 1], view.states[:, :, 1:H], view.actions[:, :, : H - 1]
    seen = (following >= 0) & (action >= 0)
    step = np.broadcast_to(np.arange(H - 1), action.shape)
    cell = ((step * public.S + here) * public.A + action) * public.S + following
    counts = np.bincount(cell[seen], minlength=(H - 1) * public.X * public.S).reshape(-1, public.S).astype(float)
    return evidence(log_multinomial(counts, view.instance.truth.P.reshape(-1, public.S)), 0.0)


# The model ---------------------------------------------------------------------------------------------------------------


# Not a formula: models may be equally likely, so that there is none of the model.
@phase_property()
def likelihood_argmax(view: Iterations) -> Inequality:
    """The log-likelihood of the model learned against that of every model of the class, on D_h and D~_h of the transcript."""
    rounding, logs = view.log_likelihood_rounding, view.log_likelihood
    best = logs.max(axis=2)

    def chosen(after: int = 0) -> Array:
        return np.take_along_axis(logs[: len(logs) - after], view.models[after:, :, None], axis=2)[..., 0]

    def likeliest_before() -> BoolArray:
        return np.full(best.shape, len(best) > 1 and (chosen(1) >= best[:-1] - rounding[1:]).all())

    return Inequality(
        best - chosen(), 0.0, ("iteration", "h"), trivial=best - logs.min(axis=2), tolerance=rounding, labels=view.labels,
        explanations={
            "the model of step 1": lambda: np.full(best.shape, (view.models == view.models[:, :1]).all()),
            "a model that was likeliest before the last iteration": likeliest_before,
        },
    )  # fmt: skip


def likelihood_error(bound: Callable[[Public, int], float]) -> Property:
    """E_rho[f_h^2] + E_eta[f_h^2] of the model learned, f its L1 distance from the truth, actions uniform, against zeta_k."""
    return at_most(
        "error", "zeta", on=Iterations, name="likelihood-event", topic=TOPIC, local=(
            Quantity(
                lambda view: view.likelihood_error, "error", "iteration h", "E_ρ f² + E_η f²", 0.0, 8.0,
                lambda view: 8 * tolerances.kernel(view.public),
            ),
            Quantity(lambda view: [bound(view.public, int(k)) for k in view.k], "zeta", "iteration", "ζ_k"),
        ),
        description="Exact laws of states under the policies so far, exact distances of the learned kernel from the true one.",
    )  # fmt: skip


@identity("gram", on=Iterations)
def covariance(ridge: Any, one: Any, G: Any) -> Any:
    """Sigma-hat_h of every plan against the features of the learned model summed over D_h alone, recomputed in one batch."""
    return ridge * one + G


def _condition(view: Iterations) -> Array:
    """(p,) 1 + k/lambda, which both matrices have at most, whatever is played: they are between lambda I and (lambda + k) I."""
    return np.asarray(1.0 + view.k / view.public.ridge)


def _of_ratios(at: int) -> Callable[[Iterations], Array]:
    """Rounding of a ratio of norms: the eigenvalue of Sigma-hat relative to Sigma has a relative error of 8 d^2 eps cond^2."""
    return lambda view: view.norm_ratio[..., at] * 8 * view.public.d**2 * EPS * _condition(view)[:, None, None] ** 2


def _ratio(name: str, symbol: str, at: int) -> Quantity:
    """The least or the largest ||v||_{Sigma-hat^-1} / ||v||_{Sigma^-1} over v."""
    return Quantity(
        lambda view: view.norm_ratio[..., at], name, "iteration h model", symbol, lambda view: _condition(view) ** -0.5,
        lambda view: _condition(view) ** 0.5, _of_ratios(at),
    )  # fmt: skip


@at_most(
    lambda least, most: np.maximum(LOWEST_RATIO / least, most / HIGHEST_RATIO), on=Iterations,
    local=(_ratio("least", "min_v ‖v‖_Σ̂⁻¹/‖v‖_Σ⁻¹", 0), _ratio("most", "max_v ‖v‖_Σ̂⁻¹/‖v‖_Σ⁻¹", 1)),
)  # fmt: skip
def norm_concentration() -> Any:
    """||v||_{Sigma-hat^-1} / ||v||_{Sigma^-1} within [sqrt(3/5), sqrt(3)], for all v and all features of the class."""
    return 1.0


def _norms(view: Iterations) -> Array:
    """(p, H, X) norms of the features of the learned models, 0 after the last transition."""
    return np.concatenate([view.norm, np.zeros_like(view.bonus[:, :1])], axis=1)


def _of_norms(view: Iterations) -> Array:
    """(p,) rounding of these."""
    return tolerances.norm(view.public, view.k)


def bonus_formula(cap: Formula) -> Property:
    """b-hat_h = min(alpha ||phi||, cap): alpha as handed out, 0 for h > H-2; norms recomputed from the transcript."""
    return identity(
        "bonus", lambda alpha, norm, cap: cut(alpha * norm, cap), on=Iterations, define={"cap": cap}, name="bonus", topic=TOPIC,
        local=(
            Quantity(lambda view: view.seen.width, "alpha", "iteration h", "α"),
            Quantity(_norms, "norm", "iteration h pair", "‖φ̂‖_Σ̂⁻¹", 0.0, rounding=_of_norms),
        ),
        description="The widths handed out, and norms recomputed from the transcript.",
    )  # fmt: skip


def width(formula: Formula) -> Property:
    """alpha as handed out at the published constants, at every step that has a bonus, against its formula."""
    handed = Quantity(lambda view: view.seen.width[:, : max(view.public.H - 2, 0)], "alpha", "iteration h", "α")
    about = "The widths the harness handed out, against the formula."
    return identity("alpha", formula, on=Iterations, name="width", topic=TOPIC, description=about, local=(handed,))


def concentrated(view: Iterations) -> BoolArray:
    """(p, H-1) whether the norms of all features of the class are concentrated at a step."""
    low, high = view.norm_ratio[..., 0] >= LOWEST_RATIO, view.norm_ratio[..., 1] <= HIGHEST_RATIO
    return np.asarray((low & high).all(axis=2))


def events(zeta: Callable[[Public, int], float]) -> Callable[[Iterations], BoolArray]:
    """(p,) whether the likelihood event and the concentration of norms hold at every step of an iteration."""

    def hold(view: Iterations) -> BoolArray:
        limits = np.array([zeta(view.public, int(k)) for k in view.k])[:, None]
        likely = (view.likelihood_error <= limits).all(axis=1)
        return np.asarray(likely & view.once(concentrated).all(axis=1))

    return hold
