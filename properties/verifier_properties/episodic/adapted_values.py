"""Statements about agents of other libraries, whose first table comes before any plan and whose values are cut elsewhere.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import UNBOUNDED, Inequality, equality
from verifier.model.property import Property, phase_property
from verifier_properties.episodic import planning as episodic_planning
from verifier_settings.elliptical import bonus, gram_of
from verifier_settings.episodic import Phases, Public, tolerances

TOPIC = "Planning"


def with_data(view: Phases) -> BoolArray:
    """(p, H) all plans but that of episode 1, for which there is no data: what an agent then holds is how it was made."""
    return np.repeat((view.start > 0)[:, None], view.public.H, axis=1)


def with_noise(view: Phases) -> BoolArray:
    """(p, H) the same where rewards are random; none where they are not."""
    return with_data(view) & (view.truth.law is not None)


optimism = episodic_planning.optimism(with_data)
"""Q_h >= Q*_h at all (s,a), from the second plan on."""
optimism_with_noise = episodic_planning.optimism(with_noise)
"""Optimism where rewards are random, and nowhere else."""


@phase_property()
def monotone(view: Phases) -> Inequality:
    """Q_{k,h}(s,a) of every plan against that of the plan before it, from the third plan on."""
    trivial = tolerances.scale(view.public)
    premise = (view.start > 1)[:, None, None, None]
    tolerance = tolerances.backup(view.public, view.start)[:, None, None, None]
    return Inequality(
        view.Q, view.previous, ("plan", "h", "s", "a"), trivial=trivial, tolerance=tolerance, labels=view.labels, premise=premise
    )


@phase_property("kernel", "bonus", "reward")
def backup(view: Phases) -> Inequality:
    """Q_h against reward + bonus + Phat V_{h+1}, everything from the plan itself, from the second plan on."""
    # V @ kernel^T has the axes (p, h, pair) that Q has, and all steps share the kernel.
    kernel = view.reported("kernel").transpose(0, 2, 1)
    expected = view.reported("reward")[:, None] + view.reported("bonus") + np.matmul(view.V[:, 1:], kernel)
    return equality(
        view.Q,
        expected.reshape(view.Q.shape),
        axes=("plan", "h", "s", "a"),
        tolerance=2 * tolerances.backup(view.public, view.start)[:, None, None, None],
        labels=view.labels,
        premise=with_data(view)[:, :, None, None],
    )


@phase_property()
def cut_at_horizon(view: Phases) -> Inequality:
    """Q_h(s,a) <= H at every pair of every plan."""
    H = float(view.public.H)
    return Inequality(view.Q, H, ("plan", "h", "s", "a"), trivial=UNBOUNDED, tolerance=8 * EPS * H, labels=view.labels)


def cap_allows(cap: Callable[[Public], float]) -> Property:
    """V*_h(s) of every state whose value a plan has cut, against that value, from the second plan on.

    Parameters
    ----------
    cap : callable
        What values are cut at, in what is public.
    """

    def evaluate(view: Phases) -> Inequality:
        limit = cap(view.public)
        rounding = 8 * EPS * tolerances.scale(view.public)
        cut = (view.V[:, :-1] >= limit - rounding) & with_data(view)[:, :, None]
        return Inequality(
            view.truth.V[None, :-1], view.V[:, :-1], ("plan", "h", "s"), trivial=tolerances.scale(view.public) / 2,
            tolerance=tolerances.backup(view.public, view.start)[:, None, None], labels=view.labels, premise=cut,
        )  # fmt: skip

    description = "V of every plan where it is cut, against V* from backward induction."
    return Property("cap-allows", "phase", evaluate, frozenset(), description)


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

    def _condition(self, view: Phases) -> Array:
        """(p,) of the Gram matrix, whose inverse the agent updates at every one of H k steps, each with an error of that size."""
        steps = 1.0 + view.start * view.public.H
        return 8 * view.public.d**2 * EPS * steps * (1.0 + steps / self.ridge)

    def gram(self) -> Property:
        """Lambda of every plan against lambda I + sum phi phi' over all steps, from the transcript."""

        def evaluate(view: Phases) -> Inequality:
            steps = 1.0 + view.start * view.public.H
            return equality(
                view.reported("gram")[:, 0], self._gram(view), axes=("plan", "row", "column"), labels=view.labels,
                tolerance=(4 * EPS * steps * (self.ridge + steps))[:, None, None],
            )  # fmt: skip

        return Property("pooled-gram", "phase", evaluate, frozenset({"gram"}), "Lambda against the visits of all steps.")

    def regression(self) -> Property:
        """w_h of every plan against a batch solve of r + gamma V_{h+1} over all steps, V of the plan; from the second plan on."""

        def evaluate(view: Phases) -> Inequality:
            public = view.public
            moments = np.matmul(view.V[:, 1:], view.transitions.transpose(0, 2, 1)) * self.gamma
            moments = moments + (view.visits * view.mean_reward)[:, None]
            sums = np.matmul(moments, public.phi)
            expected = np.linalg.solve(self._gram(view)[:, None], sums[..., None])[..., 0]
            steps = 1.0 + view.start * public.H
            size = tolerances.scale(public) * np.sqrt(public.d * steps / self.ridge)
            return equality(
                view.reported("estimate"), expected, axes=("plan", "h", "i"), labels=view.labels,
                tolerance=(self._condition(view) * size)[:, None, None], premise=with_data(view)[:, :, None],
            )  # fmt: skip

        description = "Weights against a batch solve of rewards and the plan's own values, over the transitions of all steps."
        return Property("pooled-regression", "phase", evaluate, frozenset({"estimate"}), description)

    def q_formula(self) -> Property:
        """Q_h against <w_h, phi> + scale ||phi|| + c ||phi||^2, w_h of the plan, norms from the transcript."""

        def evaluate(view: Phases) -> Inequality:
            public, phi = view.public, view.public.phi
            norm = bonus(phi, np.linalg.inv(self._gram(view)))[:, None]
            added = self.scale * norm + self.per_square(public) * norm**2
            expected = np.matmul(view.reported("estimate"), phi.T) + added
            size = np.abs(expected) + tolerances.scale(public) / self.ridge
            tolerance = self._condition(view)[:, None, None] * size
            return equality(
                view.Q, expected.reshape(view.Q.shape), axes=("plan", "h", "s", "a"), labels=view.labels,
                tolerance=tolerance.reshape(view.Q.shape),
            )  # fmt: skip

        description = "Q from the weights of the plan and norms of features recomputed from the transcript."
        return Property("pooled-q", "phase", evaluate, frozenset({"estimate"}), description)
