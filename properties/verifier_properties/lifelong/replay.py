"""Identities: the algorithm's quantities against the harness's own, recomputed from the transcript by another route."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import UNBOUNDED, Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier_settings import rounding
from verifier_settings.lifelong import Phases, Public, tolerances
from verifier_settings.lifelong.columns import columns, columns_of_table

TOPIC = "Planning"

Term = Callable[[Phases], Array]


@phase_property()
def regression(view: Phases) -> Inequality:
    """theta-hat of every target against a batch least-squares solve on V_{h+1} of the same plan and all past transitions."""
    tolerance = tolerances.solve(view.public, view.start)[:, None, None, None]
    return equality(
        view.estimate, view.centre, axes=("plan", "h", "i", "target"), tolerance=tolerance, labels=view.labels,
        explanations={
            "the formula with V at the states that are left": lambda: columns(_of_states_left(view), view.target_columns)
        },
    )  # fmt: skip


def _of_states_left(view: Phases) -> Array:
    """(p, H, d, C) least squares on V_{h+1} of the states that the transitions leave."""
    public = view.public
    left = np.repeat(view.V[:, 1:], public.A, axis=2) * view.step_visits[..., None]
    return np.linalg.solve(view.gram_replay, np.matmul(public.phi.T, left))


@phase_property()
def value_function(view: Phases) -> Inequality:
    """The V_{h+1} the algorithm regressed on against clip(max_a Q_{h+1}, 0, H) of the plan it yielded."""
    expected = columns(view.V[:, 1:], view.target_columns)
    return equality(
        view.handed, expected, axes=("plan", "h", "s", "target"), tolerance=_value(view), labels=view.labels,
        explanations={"V of the first target for all": lambda: np.broadcast_to(expected[..., :1], expected.shape)},
    )  # fmt: skip


@phase_property()
def value_range(view: Phases) -> Inequality:
    """0 <= V_{h+1} <= H for the value functions the algorithm regressed on (distance from H/2 at most H/2)."""
    H = view.public.H
    return Inequality(
        value=np.abs(view.handed - H / 2),
        bound=H / 2,
        tolerance=8 * EPS * H,
        axes=("plan", "h", "s", "target"),
        trivial=UNBOUNDED,
        labels=view.labels,
    )


@phase_property()
def greedy_policy(view: Phases) -> Inequality:
    """The policy of every plan takes an action of largest Q, at every state, step and context of the plan.

    A tie may fall either way when the policy was found by another evaluation of the same formula.
    """
    condition = 1.0 + view.start / view.public.ridge
    chosen = np.take_along_axis(view.Q, view.policy[:, :, :, None, :], axis=3)[:, :, :, 0, :]
    best, least = view.best, functools.reduce(np.minimum, np.moveaxis(view.Q, 3, 0))
    return Inequality(
        value=best - chosen,
        bound=0.0,
        trivial=best - least,
        tolerance=_value(view) + 4 * view.public.d**2 * EPS * condition[:, None, None, None] * np.abs(best),
        axes=("plan", "h", "s", "w"),
        labels=view.labels,
        identity=True,
        explanations={"the worst action": lambda: chosen <= least + _value(view)},
    )


def _value(view: Phases) -> Array:
    return tolerances.value(view.public, view.start)[:, None, None, None]


def q_formula(mean: Term, bonus: Term, needs: tuple[str, ...], formula: str, reward: Term | None = None) -> Property:
    """The action values against their formula, [reward + mean + bonus]^+.

    Parameters
    ----------
    mean : callable
        Maps phases to the estimate of P_h V_{h+1}, shape (p, H, X, C), from the algorithm's own parameters.
    bonus : callable
        Maps phases to everything that is added for optimism, from the widths handed out and the transcript.
    needs : tuple of str
        Plan fields that are read.
    formula : str
        For the description.
    reward : callable, optional
        The reward term; the known reward by default.
    """

    def evaluate(view: Phases) -> Inequality:
        p, H, S, A, C = view.Q.shape
        added, known, estimated = (view.once(term) for term in (bonus, reward or known_reward, mean))
        expected = np.maximum(known + estimated + added, 0.0)
        k = view.start
        # A solve with psi has dp columns in place of d, and its rounding grows with their square.
        size = (view.public.dp / view.public.d) ** 2 if {"psi_estimate", "reward_estimate"} & set(needs) else 1.0
        relative = (
            # The rounding of a norm is absolute. It becomes relative by the least norm there can be: ||phi||^2 = 1 under
            # lambda + k, which is 1 / sqrt(lambda + k).
            size * rounding.bonus(view.public.phi, view.public.ridge, k) / np.maximum(1.0 / np.sqrt(view.public.ridge + k), EPS)
        )
        allowed = tolerances.solve(view.public, k)[:, None, None, None] + relative[:, None, None, None] * np.abs(added)
        return equality(
            view.Q,
            expected.reshape(p, H, S, A, C),
            axes=("plan", "h", "s", "a", "w"),
            tolerance=allowed.reshape(p, H, S, A, -1),
            labels=view.labels,
            parts={
                "the bonus": _term(view, added, known, estimated),
                "the estimate": _term(view, estimated, known, added),
                "the reward": _term(view, known, estimated, added),
            },
            explanations={
                "the formula without its positive part": lambda: (known + estimated + added).reshape(view.Q.shape),
                "the formula with the square of ||phi||": lambda: _with(view, known + estimated, added, view.bonus**2),
                "the formula with Lambda for its inverse": lambda: _with(view, known + estimated, added, _bonus_of_gram(view)),
                "the formula with Lambda, scaled to norm 1, for its inverse": lambda: _with(
                    view, known + estimated, added, _bonus_of_gram(view, scaled=True)
                ),
                "the formula without its bonus at h = H": lambda: _kept(view, known + estimated, added, slice(-1, None)),
            },
        )

    description = (
        f"{formula}, from the algorithm's parameters, the widths handed out, and bonuses recomputed from the transcript."
    )
    return Property("q-formula", "phase", evaluate, frozenset(needs), description)


def _term(view: Phases, value: Array, one: Array, another: Array) -> Part:
    """A term under the positive part, beside two others."""
    size = np.broadcast_shapes(value.shape, one.shape, another.shape)
    return Part(
        lambda: value, lambda value: np.broadcast_to(np.maximum(one + another + value, 0.0), size).reshape(view.Q.shape)
    )  # fmt: skip


def _with(view: Phases, others: Array, added: Array, norm: Array) -> Array:
    """The formula with another norm of phi in the bonus."""
    ratio = (norm / np.maximum(view.bonus, EPS))[..., None]
    return np.maximum(others + added * ratio, 0.0).reshape(view.Q.shape)


def _kept(view: Phases, others: Array, added: Array, without: slice) -> Array:
    """The formula without its bonus at some steps."""
    kept = np.array(added)
    kept[:, without] = 0.0
    return np.maximum(others + kept, 0.0).reshape(view.Q.shape)


def _bonus_of_gram(view: Phases, scaled: bool = False) -> Array:
    """(p, H, X) ||phi|| in the norm of the Gram matrix itself, or of that over its own norm."""
    size = np.linalg.norm(view.gram_replay, axis=(-2, -1))[..., None] if scaled else 1.0
    return np.sqrt(np.maximum((np.matmul(view.public.phi, view.gram_replay) * view.public.phi).sum(axis=-1) / size, 0.0))


def known_reward(view: Phases) -> Array:
    """r_h(s,a,w) for the contexts of the plan, shape (p, H, X, C)."""
    return columns_of_table(view.public.reward, view.contexts)


def estimated_reward(view: Phases) -> Array:
    """<eta-hat_h, psi(s,a,w)> from the algorithm's own estimate; plans for all contexts in order."""
    flat = np.matmul(view.instance.psi_rows, view.reward_estimate[..., None])
    return flat.reshape(*flat.shape[:2], -1, view.public.W)


def phi_bonus(multiplier: Callable[[Public], float]) -> Term:
    """Multiplier beta ||phi||, for every context alike."""
    return lambda view: (multiplier(view.public) * view.width[:, :, None] * view.bonus)[..., None]


def psi_bonus(view: Phases) -> Array:
    """beta ||psi||, for values regressed on psi."""
    return view.width[:, :, None, None] * view.psi_bonus


def reward_bonus(view: Phases) -> Array:
    """beta-tilde ||psi||, for estimated rewards."""
    width = view.extra.reward_width
    assert width is not None
    return width[:, :, None, None] * view.psi_bonus


def psi_mean(view: Phases) -> Array:
    """<nu-hat_h, psi(s,a,w)> from the algorithm's own estimate; plans for all contexts in order."""
    flat = np.matmul(view.instance.psi_rows, view.psi_estimate[..., None])
    return flat.reshape(*flat.shape[:2], -1, view.public.W)


def ridge_mean(view: Phases) -> Array:
    """<theta-hat_h(w), phi(s,a)> of the plan's targets."""
    return np.matmul(view.public.phi, view.estimate)


def distilled_mean(view: Phases) -> Array:
    """<xi_h, psi(s,a,w)> for the contexts of the plan."""
    return columns(view.distilled, view.contexts)


@phase_property("psi_estimate")
def psi_regression(view: Phases) -> Inequality:
    """nu-hat_h against a batch least-squares solve of V_{h+1}(s'_t, w_t) on psi_t, at the tasks that were met."""
    return equality(
        view.psi_estimate, view.psi_estimate_replay, axes=("plan", "h", "i"), tolerance=_psi_solve(view), labels=view.labels
    )


@phase_property("reward_estimate")
def reward_regression(view: Phases) -> Inequality:
    """eta-hat_h against a batch least-squares solve of the rewards seen on psi_t."""
    return equality(
        view.reward_estimate, view.reward_estimate_replay, axes=("plan", "h", "i"), tolerance=_psi_solve(view), labels=view.labels
    )


def _psi_solve(view: Phases) -> Array:
    ratio = (view.public.dp / view.public.d) ** 2.5
    return tolerances.solve(view.public, view.start)[:, None, None] * ratio
