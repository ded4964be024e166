"""Later bugs of RAVI-UCB, tabular and for linear mixtures."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_ravi_ucb import planning
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB, elliptical_norm
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import DiscountedEnvironment, Public

from .bug import Unseen


class AnchoredAtInitial(TabularRaviUCB):
    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        return planning.improve(planning.log(self.public.initial_policy), Q, eta)


class HardMaximum(TabularRaviUCB):
    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        _, log_policy = super().improve(log_policy, Q, eta)
        return Q.max(axis=1), log_policy


class SuccessorAfterReset(TabularRaviUCB):
    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        rows, successors = super().play_epoch(env, policy)
        successors[-1] = env.state
        return rows, successors


class OncePerEpoch(TabularRaviUCB):
    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        np.add.at(self.visits, list(set(rows)), 1.0)
        np.add.at(self.transitions, (rows, successors), 1.0)


class Retargets(MixtureRaviUCB):
    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, bonus, model, **options)
        self.past: list[tuple[Array, int]] = []

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        self.past.extend(zip(self.phi[rows], successors, strict=True))
        super().learn(rows, successors, V)

    def estimate(self, V: Array) -> Array:
        if self.past:
            self.moment = V[[s for _, s in self.past]] @ np.array([phi for phi, _ in self.past])
        return super().estimate(V)


class DropsLastTransition(MixtureRaviUCB):
    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        super().learn(rows[:-1], successors[:-1], V)


class NormOfFeaturesBefore(MixtureRaviUCB):
    old: Array | None = None

    def norm(self, V: Array) -> Array:
        phi = self.phi if self.old is None else self.old
        self.old = self.phi
        return elliptical_norm(phi, self.inverse).reshape(self.public.X, self.public.A)


BUGS = (
    Unseen(
        "anchored-at-initial", AnchoredAtInitial, ("log-sum-exp", "policy-update"), "pi_{k-1}",
        "pi_0 in place of pi_{k-1} in V_k and in the update", "random", "oracle",
    ),
    Unseen(
        "hard-maximum", HardMaximum, ("log-sum-exp",), "V_k",
        "max_a Q_k in place of the log-sum-exp", "random", "oracle",
    ),
    Unseen(
        "successor-after-reset", SuccessorAfterReset, ("estimate",), "x_{t+1}",
        "the last transition of an epoch is counted to the state after the reset", "random", "oracle",
    ),
    Unseen(
        "once-per-epoch", OncePerEpoch, ("visits",), "N",
        "a pair is counted once in an epoch", "random", "oracle",
    ),
    Unseen(
        "retargets", Retargets, ("regression",), "V in the regression",
        "all data are regressed on V_k, with the features of their own V_i", "mixture-base", "oracle",
    ),
    Unseen(
        "drops-last-transition", DropsLastTransition, ("gram",), "data",
        "the last transition of each epoch is not learned", "mixture-base", "oracle",
    ),
    Unseen(
        "norm-of-features-before", NormOfFeaturesBefore, ("bonus",), "phi in CB",
        "CB_k has the features of V_{k-1}", "mixture-base", "oracle",
    ),
)  # fmt: skip
