"""Statements about agents of other libraries, whose first table comes before any plan and whose values are cut elsewhere.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.episodic import planning as episodic_planning
from verifier_settings.elliptical import bonus, gram_of
from verifier_settings.episodic import Phases, Public, bonuses, tolerances

TOPIC = "Planning"


def with_data(view: Phases) -> BoolArray:
    """(p, H) all plans but that of episode 1, for which there is no data: what an agent then holds is how it was made."""
    return np.repeat((view.start > 0)[:, None], view.public.H, axis=1)


WITH_DATA = Quantity(lambda view: view.start > 0, "with_data", "plan", "there is data")
"""Plans but that of episode 1."""


def with_noise(view: Phases) -> BoolArray:
    """(p, H) the same where rewards are random; none where they are not."""
    return with_data(view) & (view.truth.law is not None)


optimism = episodic_planning.optimism(with_data)
"""Q_h >= Q*_h at all (s,a), from the second plan on."""
optimism_with_noise = episodic_planning.optimism(with_noise)
"""Optimism where rewards are random, and nowhere else."""


def _scale(view: Phases) -> Array:
    return np.asarray(tolerances.scale(view.public))


def _backup_rounding(view: Phases) -> Array:
    return tolerances.backup(view.public, view.start)


EPISODE = Quantity(lambda view: view.start + 1.0, "k", "plan")
TABLE = Quantity(lambda view: view.Q, "Q", "plan h s a", "Q_k", -np.inf, _scale, rounding=_backup_rounding)
OWN_BACKUP = Quantity(
    lambda view: bonuses.expected(view.reported("kernel")[:, None], view.following), "PV", "plan h pair", "P̂V_{h+1}",
    rounding=lambda view: 2 * _backup_rounding(view),
)  # fmt: skip


@at_most("Q", on=Phases, where="k > 2", local=(TABLE, EPISODE))
def monotone(Q_before: Any) -> Any:
    """Q_{k,h}(s,a) of every plan against that of the plan before it, from the third plan on."""
    return Q_before


@identity("Q", on=Phases, where="k > 1", local=(OWN_BACKUP, EPISODE), needs=("kernel",))
def backup(reward: Any, bonus: Any, PV: Any) -> Any:
    """Q_h against reward + bonus + Phat V_{h+1}, everything from the plan itself, from the second plan on."""
    return reward + bonus + PV


@at_most("Q", on=Phases)
def cut_at_horizon(H: Any) -> Any:
    """Q_h(s,a) <= H at every pair of every plan."""
    return H


def cap_allows(cap: Callable[[Public], float]) -> Property:
    """V*_h(s) of every state whose value a plan has cut, against that value, from the second plan on.

    Parameters
    ----------
    cap : callable
        What values are cut at, in what is public.
    """

    def is_cut(view: Phases) -> BoolArray:
        rounding = 8 * EPS * tolerances.scale(view.public)
        return (view.V[:, :-1] >= cap(view.public) - rounding) & with_data(view)[:, :, None]

    best = Quantity(
        lambda view: view.truth.V[None, :-1], "V_best", "plan h s", "V*_h", 0.0, lambda view: _scale(view) / 2,
        rounding=lambda view: _backup_rounding(view)[:, None, None],
    )  # fmt: skip
    own = Quantity(lambda view: view.V[:, :-1], "V_h", "plan h s")
    return at_most(
        "V_best", "V_h", on=Phases, where="cut_off", name="cap-allows", topic=TOPIC,
        local=(best, own, Quantity(is_cut, "cut_off", "plan h s", "V_h is cut")),
        description="V of every plan where it is cut, against V* from backward induction.",
    )  # fmt: skip


@dataclass(frozen=True)
class Pooled:
    """Least squares over the data of all steps together, as the agent documents it.

    Parameters
    ----------
    ridge, gamma : float
        Regulariser and discount of the agent.
    scale : float
        What ||phi|| is multiplied by in its bonus.
    per_square : callable
        What ||phi||^2 is multiplied by.
    """

    ridge: float
    gamma: float
    scale: float
    per_square: Callable[[Public], float]

    def _gram(self, view: Phases) -> Array:
        """Gram matrices, shape (p, d, d)."""
        return gram_of(view.public.phi, view.visits, self.ridge)

    def _steps(self, view: Phases) -> Array:
        return np.asarray(1.0 + view.start * view.public.H)

    def _condition(self, view: Phases) -> Array:
        """(p,) of the Gram matrix, whose inverse the agent updates at every one of H k steps, each with an error of that size."""
        steps = self._steps(view)
        return 8 * view.public.d**2 * EPS * steps * (1.0 + steps / self.ridge)

    def _weights(self, view: Phases) -> Array:
        """(p, H, d) by a batch solve."""
        moments = np.matmul(view.V[:, 1:], view.transitions.transpose(0, 2, 1)) * self.gamma
        moments = moments + (view.visits * view.mean_reward)[:, None]
        return np.linalg.solve(self._gram(view)[:, None], np.matmul(moments, view.public.phi)[..., None])[..., 0]

    def _weights_rounding(self, view: Phases) -> Array:
        size = tolerances.scale(view.public) * np.sqrt(view.public.d * self._steps(view) / self.ridge)
        return self._condition(view) * size

    def _norm(self, view: Phases) -> Array:
        """(p, X) norms of features."""
        return bonus(view.public.phi, np.linalg.inv(self._gram(view)))

    def _mean(self, view: Phases) -> Array:
        """(p, H, X) <w_h, phi>, w_h of the plan."""
        return np.matmul(view.reported("estimate"), view.public.phi.T)

    def _mean_rounding(self, view: Phases) -> Array:
        size = np.abs(self._mean(view)) + tolerances.scale(view.public) / self.ridge
        return self._condition(view)[:, None, None] * size

    def gram(self) -> Property:
        """Lambda of every plan against lambda I + sum phi phi' over all steps, from the transcript."""
        own = Quantity(lambda view: view.reported("gram")[:, 0], "own", "plan row column", "Λ_k")
        replayed = Quantity(
            self._gram, "replayed", "plan row column", "λI + Σ_h Σ φφᵀ",
            rounding=lambda view: 4 * EPS * self._steps(view) * (self.ridge + self._steps(view)),
        )  # fmt: skip
        return identity(
            "own", "replayed", on=Phases, local=(own, replayed), needs=("gram",), name="pooled-gram", topic=TOPIC,
            description="Lambda against the visits of all steps.",
        )  # fmt: skip

    def regression(self) -> Property:
        """w_h of every plan against a batch solve of r + gamma V_{h+1} over all steps, V of the plan; from the second plan on."""
        weights = Quantity(self._weights, "w_h", "plan h i", "Λ_k⁻¹ Σ_h Σ φ(r + γV_{h+1})", rounding=self._weights_rounding)
        return identity(
            "estimate", "w_h", on=Phases, where="k > 1", local=(weights, EPISODE), name="pooled-regression", topic=TOPIC,
            description="Weights against a batch solve of rewards and the plan's own values, over the transitions of all steps.",
        )  # fmt: skip

    def q_formula(self) -> Property:
        """Q_h against <w_h, phi> + scale ||phi|| + c ||phi||^2, w_h of the plan, norms from the transcript."""
        scale = self.scale
        mean = Quantity(self._mean, "mean", "plan h pair", "⟨w_h, φ⟩", rounding=self._mean_rounding)
        norm = Quantity(
            self._norm, "norm", "plan pair", "‖φ‖", 0.0,
            rounding=lambda view: self._condition(view)[:, None] * self._norm(view) / 2,  # the square has that of the inverse
        )  # fmt: skip
        return identity(
            "Q", lambda mean, norm, c: mean + scale * norm + c * norm**2, on=Phases, needs=("estimate",), name="pooled-q",
            topic=TOPIC, local=(mean, norm, Quantity(lambda view: self.per_square(view.public), "c", "")),
            description="Q from the weights of the plan and norms of features recomputed from the transcript.",
        )  # fmt: skip
