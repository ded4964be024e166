"""Quantities of LSVI-RFE against the same from the transcript, in the order of its lines.

Every link of the chain is compared by itself: a quantity as the algorithm reports it, with what the harness makes of transcript,
widths and the value functions of the plan. Where a step was so close to the threshold of the weights that rounding decides on
which side it is, two correct runs differ from then on: such episodes and all later ones are left out. Weights are made of
matrices and estimates, so that they and the matrices after them are compared as long as those before were right.

Most lines are in both phases. These are functions of the phase, `EXPLORATION` or `PLANNING`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, TypeAlias, Unpack

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier.model.statement import Formula, Options, at_most, identity
from verifier_properties.any_setting.suspects import other_choices, worst_action
from verifier_properties.any_setting.widths import DESCRIPTION
from verifier_settings.reward_free import Phases, Planning, Public, tolerances

TOPIC = "Planning"

Phase: TypeAlias = Mapping[str, Any]
"""Options of statements about the plans of a phase of the algorithm."""

ZETA = "H * sqrt(ridge) / (2 * K * sqrt(d))"
EXPLORATION: Phase = {"on": Phases, "define": {"r": "beta * norm", "b": "2 * beta * norm", "zeta": ZETA}}
PLANNED: Phase = {"on": Planning, "of": attrgetter("planning"), "scope": "run"}
PLANNING: Phase = {**PLANNED, "define": {"b": "beta * norm", "zeta": ZETA}}

LATER = "(k > 0) & decided"
"""Condition under which weights of the episode before are compared: the first plan has none to report."""


def in_phase(left: Formula, **options: Unpack[Options]) -> Callable[[Formula], Callable[[Phase], Property]]:
    """Decorator for the formula of a line of both phases, which becomes a function of the phase."""

    def decorate(formula: Formula) -> Callable[[Phase], Property]:
        def made(phase: Phase) -> Property:
            found: Property = identity(left, formula, **{**options, **phase})
            return found

        return made

    return decorate


UNIT = Quantity(lambda view: np.eye(view.public.d), "unit", "row column", "I")


def width(phase: Phase, formula: Formula) -> Property:
    """The widths handed out at the published constants against the formula of the theorem, of the sizes of the problem."""
    found: Property = identity("beta", formula, name="width-formula", description=DESCRIPTION, topic=TOPIC, **phase)
    return found


# Least squares ------------------------------------------------------------------------------------------------------


@in_phase("gram", where="decided & undisturbed", local=(UNIT,))
def gram(ridge: Any, unit: Any, data: Any) -> Any:
    """Lambda-hat of every plan against lambda I + sum x x' / sigma-hat^2, from the transcript, with recomputed weights."""
    return ridge * unit + data


@in_phase("variance_gram", where="decided & undisturbed", local=(UNIT,))
def variance_gram(ridge: Any, unit: Any, variance_data: Any) -> Any:
    """Lambda-tilde of every plan against lambda I + sum x x' / sigma-tilde^2, from the transcript, with recomputed weights."""
    return ridge * unit + variance_data


@in_phase("estimate", where="decided")
def regression(w_hat: Any) -> Any:
    """w_h of every plan against Lambda-hat^-1 sum x V_{h+1}(s') / sigma-hat^2, a batch solve with V of the same plan."""
    return w_hat


# Values -------------------------------------------------------------------------------------------------------------


@identity("reward", where="decided", **EXPLORATION)
def exploration_reward(r: Any) -> Any:
    """r_{k,h}(s,a) of every plan against width ||phi||, the norm recomputed from the transcript."""
    return r


@in_phase("bonus", where="decided")
def bonus(b: Any) -> Any:
    """b_h(s,a) of every plan against the width times ||phi||, and twice that in exploration, the norm recomputed."""
    return b


@in_phase("Q", where="decided", needs=("estimate",), reported={"r": "reward", "b": "bonus"})
def q_formula(w_phi: Any, r: Any, b: Any) -> Any:
    """Q_h of every plan against <w_h, phi> + r_h + b_h, from the algorithm's own w_h and recomputed norms; it is not cut off."""
    return w_phi + r + b


def copy_rounding(view: Any) -> float:
    """Rounding of a copy of values, which others may add up again."""
    return 8 * EPS * float(view.public.H)


@in_phase("V", local=(
    Quantity(lambda view: np.pad(view.Q.max(axis=3), ((0, 0), (0, 1), (0, 0))), "Q_best", "plan step s", "max_a Q_h",
        rounding=copy_rounding),
))  # fmt: skip
def value_function(Q_best: Any, H: Any) -> Any:
    """V_h of every plan against min(max_a Q_h, H), and V_{H+1} against 0."""
    return cut(Q_best, H)


@in_phase("V_asked", local=(
    Quantity(lambda view: view.handed, "V_asked", "plan h s"),
    Quantity(lambda view: view.V[:, 1:], "V_next", "plan h s", "V_{h+1}", rounding=copy_rounding),
))  # fmt: skip
def asked(V_next: Any) -> Any:
    """The value functions the width was asked with against V_{h+1} of the plan."""
    return V_next


# Not a formula: ties may fall either way, so that there is none of the action.
def greedy(phase: Phase) -> Property:
    """The policy of every plan takes an action of largest Q, before it is cut off; a tie may fall either way."""

    def evaluate(given: Any) -> Inequality:
        view = phase["of"](given) if "of" in phase else given
        chosen = np.take_along_axis(view.Q, view.policy[..., None], axis=3)[..., 0]
        best, least = view.Q.max(axis=3), view.Q.min(axis=3)
        tolerance = 16 * EPS * (view.public.d + 2) * (np.abs(view.Q).max(axis=3) + view.public.H)
        others = other_choices(view.Q, view.policy, tolerance, view.public.H)
        if view.axes[0] != "plan":  # of rewards there is none before
            del others["greedy for Q of the plan before"]
        return Inequality(
            best - chosen, 0.0, (*view.axes, "s"), trivial=best - least, tolerance=tolerance, labels=view.labels, identity=True,
            explanations={**others, **worst_action(chosen, least, tolerance, view.public.A)},
        )  # fmt: skip

    description = "max_a Q_h(s,a) of the plan against Q_h(s, pi_h(s))."
    return Property("greedy", phase.get("scope", "phase"), evaluate, frozenset(), description)


def radius(phase: Phase, formula: Callable[[Public], float]) -> Property:
    """The widths handed out at the published constants against the least that the formula of the theorem allows.

    On its right side the formula has a bound B of the factor of V's norm, which may be any that is large enough: a larger width
    is that of a larger B. The least one is a fixed point, which is searched for.

    Parameters
    ----------
    phase : Phase
    formula : callable
        Maps what is public to the least width.
    """
    least = Quantity(
        lambda view: formula(view.public), "least", "", "the least β", 0.0, np.inf,
        rounding=lambda view: 64 * EPS * formula(view.public),
    )  # fmt: skip
    description = "The widths the harness handed out, against the least that the formula allows."
    found: Property = at_most("least", "beta", local=(least,), name="radius", description=description, topic=TOPIC, **phase)
    return found


# Weights of the steps of the episode before -----------------------------------------------------------------------------


# Rounding grows with the data: that of the data before the plan is at least that of the data W was computed with.
@in_phase("spread", where=f"{LATER} & undisturbed", local=(
    Quantity(lambda view: view.before.width, "beta_x", "plan h", "β", 0.0),
    Quantity(lambda view: view.before.mean, "w_x", "plan h", "⟨w, x⟩",
        rounding=lambda view: tolerances.estimate(view.public, view.size) * view.before.norm),
    Quantity(lambda view: view.before.norm, "norm_x", "plan h", "‖x‖", 0.0,
        rounding=lambda view: tolerances.relative_norm(view.public, view.size) * view.before.norm),
))  # fmt: skip
def spread(H: Any, w_x: Any, beta_x: Any, norm_x: Any, zeta: Any) -> Any:
    """W of the steps of the episode before against min(H (<w, x> + width ||x|| + zeta), H^2), recomputed."""
    return cut(H * (w_x + beta_x * norm_x + zeta), H**2)


@in_phase("variance", where=LATER)
def variance(spread: Any, H: Any, d: Any) -> Any:
    """sigma-tilde^2 of the steps of the episode before against max(H, d^2 W / H), with W as the algorithm reports it."""
    return np.maximum(d**2 / H * spread, H)


@in_phase("enlarged", where=f"{LATER} & undisturbed", local=(
    Quantity(lambda view: view.before.variance_norm, "norm_x", "plan h", "‖x‖", 0.0,
        others={"‖x‖ under Λ̂": lambda view: view.before.norm, "‖x‖²": lambda view: view.before.variance_norm**2}),
    Quantity(lambda view: view.before.variance, "variance_x", "plan h", "σ̃²", 0.0),
))  # fmt: skip
def enlarged(norm_x: Any, variance_x: Any, d: Any) -> Any:
    """Whether ||x / sigma-tilde|| exceeds 1/d^3 in the norm of Lambda-tilde^-1 before the update, as reported and recomputed."""
    return np.where(norm_x / np.sqrt(variance_x) > d**-3, 1, 0)


@in_phase("weight", where=LATER)
def weight(enlarged: Any, variance: Any, H: Any, d: Any) -> Any:
    """sigma-hat^2 against max(sigma-bar^2, sigma-tilde^2), sigma-bar^2 = H d^3 where `enlarged`, as reported, else H."""
    return np.maximum(np.where(enlarged == 1, H * d**3, H), variance)


def chain_rounding(view: Any, norms: float) -> Array:
    """(p, 1, 1) rounding of values of one step, which rest on estimates, and on so many norms, of all steps."""
    public, size = view.public, view.size
    estimate = tolerances.estimate(public, size)[..., None] * view.norm
    each = estimate + norms * tolerances.relative_norm(public, size)[..., None] * view.radius
    return np.asarray((each.max(axis=2).sum(axis=1) + public.H * tolerances.backup(public))[:, None, None])
