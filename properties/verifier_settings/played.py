"""The views on a run in episodes of H steps, each plan in force from the start of an episode: what settings with such runs share.

A *phase* is a plan together with the episodes played under it. Everything here is recomputed by the harness from its own
transcript, except the fields that are named as the algorithm's. Shapes: p phases, e episodes of the batch, K episodes of the run,
H steps, S states, A actions, X = S*A.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol, TypeVar

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray, cached_property
from verifier.formulas.quantity import quantity
from verifier_settings import mdp
from verifier_settings.views import PlanT, PlanView, PublicT, Series, TruthT, View


class Episodic(Protocol):
    """Public part of a problem in episodes."""

    @property
    def S(self) -> int:
        """Number of states."""

    @property
    def A(self) -> int:
        """Number of actions."""

    @property
    def H(self) -> int:
        """Steps of an episode."""

    @property
    def K(self) -> int:
        """Number of episodes."""


EpisodicT = TypeVar("EpisodicT", bound=Episodic)


class Tabular(Protocol):
    """Truth of a finite MDP."""

    @property
    def P(self) -> Array:
        """(X, S) transition kernel; (H, X, S) where it depends on the step."""

    @property
    def kernel(self) -> Array:
        """(H, X, S) that of every step."""

    @property
    def reward(self) -> Array:
        """(X,) expected rewards; (H, X) where they depend on the step."""

    @property
    def V(self) -> Array:
        """Optimal values V*, shape (H+1, S)."""


TabularT = TypeVar("TabularT", bound=Tabular)


@dataclass(frozen=True, eq=False)
class EpisodeSeries(Series):
    """Per-episode and per-step series, looked up at the states and actions of the transcript: shapes (e,) and (e, H).

    Attributes
    ----------
    regret : (e,) V*_1(s_1) - V^pi_1(s_1)
    optimal : (e,) V*_1(s_1)
    gap : (e, H+1) delta_h = V_h - V^pi_h at the visited states
    expected_gap : (e, H) E[delta_{h+1} | s_h, a_h]; with Q^pi_h(s_h, a_h) - V^pi_h(s_h), which is 0 unless actions are drawn
    agrees : (e, H) whether the action played is one of the policy's
    """

    regret: Array
    optimal: Array
    gap: Array
    expected_gap: Array
    agrees: BoolArray


@dataclass(eq=False, kw_only=True)
class EpisodePhases(PlanView[EpisodicT, TruthT, PlanT]):
    """A batch of phases.

    Parameters
    ----------
    instance : Problem
    plans : sequence
        The algorithm's plans.
    start : (p,) int array
        First episode of each phase, from 0.
    width : (p, H) array
        The widths the harness handed out while the plan was made; NaN where the algorithm asks for none.
    handed : (p, H, S, ...) array
        The value functions V_{h+1} the algorithm handed to the width; NaN likewise.
    states, actions : (e, H+1), (e, H) int arrays
        Transcript of the episodes played under these plans.
    phase : (e,) int array
        The phase of each episode.
    told : (p,) bool array
        Whether the algorithm asked for realised errors, to make this plan with them.
    """

    start: IntArray
    width: Array
    handed: Array
    states: IntArray
    actions: IntArray
    phase: IntArray
    told: BoolArray

    @quantity("w", "plan h", symbol="width", low=0.0, high=np.inf)
    def handed_width(self) -> Array:
        """(p, H) the widths that the harness handed out."""
        return self.width

    @property
    def asked(self) -> BoolArray:
        """(p, H) whether a width was asked for."""
        return np.asarray(~np.isnan(self.width))

    @property
    def asks(self) -> bool:
        """Whether the algorithm asked for a width at some plan."""
        return bool(self.asked.any())

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: episode of the plan, episode and step, counted from 1."""
        episodes = self.start[0] + 1 + np.arange(len(self.phase))
        return {"plan": self.start + 1, "episode": episodes, "h": np.arange(1, self.public.H + 1)}


@dataclass(eq=False, kw_only=True)
class ActionValues(PlanView[PublicT, TruthT, PlanT]):
    """Plans with action values and values of every state."""

    @quantity("Q", "plan h s a", low=-np.inf, high=np.inf)
    def Q(self) -> Array:
        """(p, H, S, A) the plans' action values."""
        return self.reported("Q")

    @quantity("V", "plan step s", low=-np.inf, high=np.inf)
    def V(self) -> Array:
        """(p, H+1, S) the plans' value functions."""
        return self.reported("V")


@dataclass(eq=False, kw_only=True)
class TabularPhases(EpisodePhases[EpisodicT, TabularT, PlanT], ActionValues[EpisodicT, TabularT, PlanT]):
    """Phases in a finite MDP, whose plans have action values, values and a policy, mostly one action for each state."""

    @quantity("V_next", "plan h s", symbol="V_{h+1}", low=-np.inf, high=np.inf)
    def following(self) -> Array:
        """(p, H, S) V_{h+1} of the plans."""
        return self.V[:, 1:]

    @cached_property
    def policy(self) -> Array:
        """(p, H, S) its actions; their probabilities (p, H, S, A) where some plan chooses at random."""
        policies = list(map(attrgetter("policy"), self.plans))
        if any(policy.ndim == 3 for policy in policies):
            return np.stack([policy if policy.ndim == 3 else np.eye(self.public.A)[policy] for policy in policies])
        return np.array(policies)

    @cached_property
    def best(self) -> Array:
        """(p, H, S) max_a Q_h."""
        return functools.reduce(np.maximum, np.moveaxis(self.Q, -1, 0))  # faster than along an axis of few entries

    @cached_property
    def worst_taken(self) -> Array:
        """(p, H, S) the least Q_h of the actions that the policy takes."""
        if self.policy.ndim == 3:
            return np.take_along_axis(self.Q, self.policy[..., None], axis=3)[..., 0]
        return np.where(self.policy > 0, self.Q, np.inf).min(axis=3)

    @cached_property
    def taken(self) -> Array:
        """(p, H, S) an action that the policy takes; of several that are drawn from, the one of least Q_h."""
        return self.policy if self.policy.ndim == 3 else np.where(self.policy > 0, self.Q, np.inf).argmin(axis=3)

    @cached_property
    def played_chances(self) -> Array:
        """(e, H, A) the probability of each action in the states met."""
        at = self.policy[self.phase[:, None], np.arange(self.public.H), self.states[:, :-1]]
        return at if self.policy.ndim == 4 else np.eye(self.public.A)[at]

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: episode of the plan and step counted from 1."""
        return {**super().labels, "step": np.arange(1, self.public.H + 2)}

    @cached_property
    def PV(self) -> Array:
        """(p, H, X) the true backup P V_{h+1}(s,a)."""
        return mdp.backup(self.truth.P, self.V[:, 1:])

    @cached_property
    def V_policy(self) -> Array:
        """(p, H+1, S) exact values of the policies."""
        kernel = self.truth.kernel
        reward = np.broadcast_to(self.truth.reward, kernel.shape[:2])
        if self.policy.ndim == 4:
            return mdp.random_policy_values(kernel, reward, self.policy)
        reward = np.broadcast_to(reward[..., None, None], (*reward.shape, len(self.plans), 1))
        return mdp.policy_values(kernel, reward, self.policy[..., None])[..., 0]

    @property
    def _luck(self) -> Array | float:
        """(e, H) Q^pi_h - V^pi_h of the actions played: what was won or lost by the draw, 0 where none was made."""
        if self.policy.ndim == 3:
            return 0.0
        p, h, s = self.phase[:, None], np.arange(self.public.H)[None, :], self.states[:, :-1]
        kernel = self.truth.kernel
        reward = np.broadcast_to(self.truth.reward, kernel.shape[:2])[h, self.row]
        return np.asarray(reward + (kernel[h, self.row] * self.V_policy[p, h + 1]).sum(axis=2) - self.V_policy[p, h, s])

    @cached_property
    def row(self) -> IntArray:
        """(e, H) rows ``s*A + a`` played."""
        return self.states[:, :-1] * self.public.A + self.actions

    @cached_property
    def followed(self) -> dict[str, Any]:
        """The fields of `EpisodeSeries` by name."""
        V, p, h = self.truth.V, self.phase[:, None], np.arange(self.public.H)[None, :]
        first = self.states[:, 0]
        difference = self.V - self.V_policy
        return {
            "regret": V[0, first] - self.V_policy[self.phase, 0, first],
            "optimal": V[0, first],
            "gap": np.take_along_axis(difference[self.phase], self.states[:, :, None], axis=2)[..., 0],
            "expected_gap": (self.truth.kernel[h, self.row] * difference[p, h + 1]).sum(axis=2) + self._luck,
            "agrees": np.take_along_axis(self.played_chances, self.actions[..., None], axis=2)[..., 0] > 0,
        }


@dataclass(eq=False, kw_only=True)
class PlayedRun(View[EpisodicT, TruthT]):
    """The whole run, as far as it is about what was played and when plans were made.

    Parameters
    ----------
    instance : Problem
    states, actions : (K, H+1), (K, H) int arrays
        The transcript.
    plans : (N,) int array
        Episodes (from 0) at whose start the algorithm yielded a plan.
    secret : (n,) int array
        Episodes (from 0; K after the last one) in which it planned, by the widths it asked for, and no plan came of it.
    """

    states: IntArray
    actions: IntArray
    plans: IntArray
    secret: IntArray

    @property
    def planning_calls(self) -> int:
        """Number of times the algorithm planned, in secret included."""
        return len(self.plans) + len(self.secret)

    @cached_property
    def planned(self) -> IntArray:
        """(K,) how often it planned in each episode; what it does after the last one counts for that."""
        K = len(self.actions)
        return np.bincount(np.minimum(np.concatenate([self.plans, self.secret]), K - 1), minlength=K)

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: episodes and steps counted from 1."""
        return {"episode": np.arange(1, len(self.actions) + 1), "h": np.arange(1, self.public.H + 1)}

    @cached_property
    def pairs(self) -> IntArray:
        """(K, H) rows ``s*A + a`` visited."""
        return self.states[:, :-1] * self.public.A + self.actions


@dataclass(eq=False, kw_only=True)
class EpisodeRun(PlayedRun[EpisodicT, TruthT]):
    """Run of an algorithm with regret; further parameters as for `PlayedRun`.

    Parameters
    ----------
    series : EpisodeSeries
        Of all K episodes.
    """

    series: EpisodeSeries

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about one step of each episode; settings derive it."""
        raise NotImplementedError
