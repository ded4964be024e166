"""Data collection, maximum likelihood and bonuses of representation learning, replayed; and the events they rest on.

Views: `verifier_settings.cvar`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import Inequality, equality
from verifier.model.property import Property, phase_property, run_property
from verifier.statistics.evidence import evidence, log_multinomial
from verifier_properties.any_setting.suspects import gram_parts, of_gram, other_constants
from verifier_properties.cvar import roll_in_suspects
from verifier_settings.cvar import Iterations, Public, Run, tolerances
from verifier_settings.elliptical import bonus as elliptical_norm
from verifier_settings.elliptical import gram_of

TOPIC = "Confidence"

LOWEST_RATIO, HIGHEST_RATIO = math.sqrt(3 / 5), math.sqrt(3)
"""Lemma E.2: norms under the empirical matrix against those under its mean."""

# The data --------------------------------------------------------------------------------------------------------------


@phase_property()
def sizes(view: Iterations) -> Inequality:
    """|D_h| = |D~_h| = k after iteration k, counted in the transcript."""
    found = np.stack([view.seen.D.sum(axis=(2, 3)), view.seen.Dt.sum(axis=(2, 3))], axis=2)
    expected = np.broadcast_to(view.k[:, None, None], found.shape)
    return equality(found, expected, axes=("iteration", "h", "set"), tolerance=0.5, labels=view.labels)


@phase_property()
def data_handed(view: Iterations) -> Inequality:
    """Data given to the likelihood oracle against the union of D_h and D~_h of the transcript, where it was asked.

    Both are counts, whole numbers that floating point adds without an error.
    """
    asked = view.seen.handed >= 0
    handed = np.where(asked, view.seen.handed, 0.0)
    axes = ("iteration", "h", "pair", "next")
    return equality(
        handed, view.data, axes=axes, tolerance=0.0, labels=view.labels, premise=asked,
        explanations={
            "D alone": lambda: view.seen.D,
            "D~ alone": lambda: view.seen.Dt,
            "the data of the last iteration alone": lambda: np.diff(
                view.data, axis=0, prepend=np.full((1, *view.data.shape[1:]), np.nan)
            ),
        },
    )  # fmt: skip


def used(name: str, count: Callable[[Iterations], Array], expected: Callable[[Public], float], axes: tuple[str, ...]) -> Property:
    """Amount that every iteration used, counted by the harness, against that of the listing.

    Parameters
    ----------
    name : str
        For the property.
    count : callable
        Maps the view to the counts, first axis iterations.
    expected : callable
        Maps what is public to the number of the listing.
    axes : tuple of str
        Of the counts.
    """

    def evaluate(view: Iterations) -> Inequality:
        found = np.asarray(count(view), dtype=float)
        wanted = np.full(found.shape, expected(view.public))
        return Inequality(
            np.abs(found - wanted), 0.0, axes, trivial=1.0, tolerance=0.5, labels=view.labels, identity=True,
            sides=(found, wanted), explanations={"one more than the formula": lambda: wanted + 1.0},
        )  # fmt: skip

    return Property(name, "phase", evaluate, frozenset(), "Counted by the environment, the oracle and the simulators.")


@phase_property()
def roll_in(view: Iterations) -> Inequality:
    """Every action before the uniform ones is that of (pi^{k-1}, c^{k-1}), its budget followed by the harness."""
    differs = (view.seen.actions != view.roll_in_action).astype(float)
    return Inequality(
        differs, 0.0, ("iteration", "trajectory", "h"), trivial=1.0, tolerance=0.5, labels=view.labels, premise=view.roll_in,
        identity=True, explanations=roll_in_suspects.explanations(view),
    )  # fmt: skip


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


@phase_property()
def likelihood_argmax(view: Iterations) -> Inequality:
    """The log-likelihood of the model learned against that of every model of the class, on D_h and D~_h of the transcript."""
    chosen = np.take_along_axis(view.log_likelihood, view.models[:, :, None], axis=2)[..., 0]
    best, rounding = view.log_likelihood.max(axis=2), view.log_likelihood_rounding
    before = view.log_likelihood[:-1]
    return Inequality(
        best - chosen, 0.0, ("iteration", "h"), trivial=best - view.log_likelihood.min(axis=2), tolerance=rounding,
        labels=view.labels,
        explanations={
            "the model of step 1": lambda: np.full(chosen.shape, (view.models == view.models[:, :1]).all()),
            "a model that was likeliest before the last iteration": lambda: np.full(
                chosen.shape,
                len(before) > 0
                and (
                    np.take_along_axis(before, view.models[1:, :, None], axis=2)[..., 0] >= before.max(axis=2) - rounding[1:]
                ).all(),
            ),
        },
    )  # fmt: skip


def likelihood_error(bound: Callable[[Public, int], float]) -> Property:
    """E_rho[f_h^2] + E_eta[f_h^2] of the model learned, f its L1 distance from the truth, actions uniform, against zeta_k."""

    def evaluate(view: Iterations) -> Inequality:
        limits = np.array([bound(view.public, int(k)) for k in view.k])[:, None]
        rounding = 8 * tolerances.kernel(view.public)
        return Inequality(view.likelihood_error, limits, ("iteration", "h"), trivial=8.0, tolerance=rounding, labels=view.labels)

    description = "Exact laws of states under the policies so far, and exact distances of the learned kernel from the true one."
    return Property("likelihood-event", "phase", evaluate, frozenset(), description)


@phase_property()
def covariance(view: Iterations) -> Inequality:
    """Sigma-hat_h of every plan against the features of the learned model summed over D_h alone, recomputed in one batch."""
    tolerance = tolerances.gram(view.public, view.k)[:, None, None, None]
    axes = ("iteration", "h", "row", "column")
    public, own = view.public, view.gram_replay

    def of(data: Array, phi: Array | None = None) -> Array:
        return gram_of(view.phi if phi is None else phi, data.sum(axis=3), public.ridge)

    k = view.k[:, None, None, None]
    added = public.ridge * np.eye(own.shape[-1])
    return equality(
        view.gram, own, axes=axes, tolerance=tolerance, labels=view.labels, parts=gram_parts(own, public.ridge),
        explanations={
            "the formula over D and D~": lambda: of(view.data),
            "the formula over D~": lambda: of(view.seen.Dt),
            "the formula with the features of the first model": lambda: of(view.seen.D, public.phi[:1]),
            "the formula with the data divided by k": lambda: (own - added) / k + added,
            "the formula divided by k": lambda: own / k,
            "the formula with lambda divided by k": lambda: own - added + added / k,
            **of_gram(view.gram, own, public.ridge, tolerance),
        },
    )  # fmt: skip


@phase_property()
def norm_concentration(view: Iterations) -> Inequality:
    """||v||_{Sigma-hat^-1} / ||v||_{Sigma^-1} within [sqrt(3/5), sqrt(3)], for all v and all features of the class.

    Both matrices are between lambda I and (lambda + k) I, whatever is played: the ratio is within (1 + k/lambda)^(-1/2) and its
    inverse. Eigenvalues of Sigma-hat relative to Sigma, both of condition at most 1 + k/lambda, have a relative error of at most
    8 d^2 eps cond^2.
    """
    worst = np.maximum(LOWEST_RATIO / view.norm_ratio[..., 0], view.norm_ratio[..., 1] / HIGHEST_RATIO)
    rounding = 8 * view.public.d**2 * EPS * (1.0 + view.k / view.public.ridge) ** 2
    most = LOWEST_RATIO * np.sqrt(1.0 + view.k / view.public.ridge)[:, None, None]  # with 1/sqrt(3) on the other side it is less
    axes, tolerance = ("iteration", "h", "model"), rounding[:, None, None]
    return Inequality(worst, 1.0, axes, trivial=most, tolerance=tolerance, labels=view.labels)


def bonus_formula(cap: Callable[[Public], float]) -> Property:
    """b-hat_h = min(alpha ||phi||, cap) for h <= H-2, else 0: alpha as handed out, norms recomputed from the transcript."""

    def evaluate(view: Iterations) -> Inequality:
        public, steps = view.public, max(view.public.H - 2, 0)
        width = view.seen.width[:, :steps, None]
        own = np.zeros(view.bonus.shape)
        own[:, :steps] = np.minimum(width * view.norm[:, :steps], cap(public))
        rounding = np.full(view.bonus.shape, 8 * EPS * cap(public))
        rounding[:, :steps] += width * tolerances.norm(public, view.k)[:, None, None]
        return equality(
            view.bonus, own, axes=("iteration", "h", "pair"), tolerance=rounding, labels=view.labels,
            explanations={
                "the formula with the square of the norm": lambda: np.minimum(
                    _padded(view, width * _norm(view) ** 2), cap(public)
                ),
                "the formula with Sigma, scaled, for its inverse": lambda: np.minimum(
                    _padded(view, width * _norm_of_gram(view)), cap(public)
                ),
                "a bonus at a step that has none": lambda: np.broadcast_to(
                    np.arange(public.H)[:, None] >= steps, view.bonus.shape
                ),
            },
        )  # fmt: skip

    return Property("bonus", "phase", evaluate, frozenset(), "The widths handed out, and norms recomputed from the transcript.")


def _norm(view: Iterations) -> Array:
    """(p, steps, X) norms at the steps that have a bonus."""
    return view.norm[:, : max(view.public.H - 2, 0)]


def _norm_of_gram(view: Iterations) -> Array:
    """Norms under the matrices themselves, each times the size of its inverse."""
    gram = view.gram_replay * np.linalg.norm(np.linalg.inv(view.gram_replay), axis=(-2, -1), keepdims=True)
    return elliptical_norm(view.phi, gram)[:, : max(view.public.H - 2, 0)]


def _padded(view: Iterations, of_steps: Array) -> Array:
    """(p, H, X) 0 at the steps that have no bonus."""
    found = np.zeros(view.bonus.shape)
    found[:, : of_steps.shape[1]] = of_steps
    return found


def width(formula: Callable[[Public], float]) -> Property:
    """alpha as handed out at the published constants, at every step that has a bonus, against its formula."""

    def evaluate(view: Iterations) -> Inequality:
        handed = view.seen.width[:, : max(view.public.H - 2, 0)]
        expected = formula(view.public)
        rounding = 8 * EPS * expected
        return equality(
            handed, np.full(handed.shape, expected), axes=("iteration", "h"), tolerance=rounding, labels=view.labels,
            explanations=other_constants(formula, view.public, handed.shape),
        )  # fmt: skip

    return Property("width", "phase", evaluate, frozenset(), "The widths the harness handed out, against the formula.")


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
