"""The harness's side of one run: it owns the transcript, watches the plans, weighs the data and computes oracle widths.

The replaceable widths
----------------------
*planning*: beta_P; the oracle is the norm of the realised error (mu_h - mu-hat_h) V_{h+1} under Lambda-hat, for the value
function at hand.

*exploration*: beta_E, which has to cover the error for value functions that come of it. The norm of the realised error would
be of no use: at the last step V_{H+1} = 0 has none, so that no bonus is added, V_H = 0 has none, and so on. The oracle is the
largest norm of the error over all functions with values in [0, H], see `verifier_settings.elliptical.largest_norm`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds
from verifier_settings.elliptical import bonus, gram_norm, largest_norm
from verifier_settings.episodes import EpisodeSession, Phase
from verifier_settings.reward_free import adversary, reference
from verifier_settings.reward_free.data import Data
from verifier_settings.reward_free.environment import RewardFreeEnvironment
from verifier_settings.reward_free.instance import ADVERSARIES, Instance
from verifier_settings.reward_free.phases import EpisodeSeries, Phases, Planning, Run
from verifier_settings.reward_free.plan import ExplorationPlan, Plan, PlanningPlan, explored, planned
from verifier_settings.reward_free.tolerances import Size
from verifier_settings.reward_free.weights import StepWeights
from verifier_settings.sessions import Widths, asked_of, by_step, oracle_width, require_steps, require_values, stacked
from verifier_settings.simulator import Transcript

WIDTHS = {
    "exploration": "‖φ(s,a)‖ in the norm of the inverse Gram matrix, as beta_E of Algorithm 1 does",
    "planning": "‖φ(s,a)‖ in the norm of the inverse Gram matrix, as beta_P of Algorithm 2 does",
}
"""Widths by name, each with what it multiplies."""

CHECKPOINTS = 256
"""Largest number of episodes of which the run keeps value functions and norms."""


@dataclass(frozen=True)
class _Phase(Phase[ExplorationPlan]):
    """Phase with the weighted data."""

    data: Data


@dataclass(frozen=True, eq=False)
class _Planned:
    """A plan for a reward, with the widths handed out."""

    plan: PlanningPlan
    theta: Array
    width: Array
    handed: Array


class RewardFreeSession(EpisodeSession[Plan, _Phase, Phases]):
    """Run in the reward-free setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared.
    """

    environment: RewardFreeEnvironment

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        # what is drawn for this trial alone must not be seen in the calibrated radius
        self._reference, instance, public = instance, instance.drawn(seeds.adversary), instance.public
        super().__init__(Transcript(public.K, public.H), 8 * public.H * public.X * public.S)
        self._instance, self._yields = instance, yields
        self.environment = RewardFreeEnvironment(instance, self._transcript, self._reward, seeds.environment, seeds.agent)
        self._data = Data.none(public)
        self._calibrated: float | None = None
        self._agreed = True
        self._latest: _Phase | None = None
        self._planned: list[_Planned] = []
        self._series: list[EpisodeSeries] = []
        self._kept: list[tuple[int, ExplorationPlan, Array]] = []
        self._checkpoints = set(np.linspace(0, public.K - 1, min(public.K, CHECKPOINTS)).round().astype(int).tolist())

    # The data ---------------------------------------------------------------------------------------------------

    def _current(self) -> Data:
        """Data with the steps of the last episode, once it was played.

        Raises
        ------
        ContractError
            If an episode was played without a plan.
        """
        done, latest, t = self._transcript.episodes, self._latest, self._transcript
        if done > self._data.episodes:
            if latest is None or latest.start != done - 1 or done != self._data.episodes + 1:
                raise ContractError(f"episode {done} was played without a plan; yield one after each begin_episode")
            self._data = self._data.after(t.states[done - 1], t.actions[done - 1], latest.handed, latest.width)
        return self._data

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """(mu-hat_h - mu_h) V, shape (d,), for the value function `target`, of the data so far; the same in both phases."""
        return np.asarray(self._missed(of, step, target) @ target)

    def _missed(self, of: str, step: int, target: Array) -> Array:
        """(d, S) mu-hat_h - mu_h, once what was asked for is checked."""
        if of not in WIDTHS:
            raise ContractError(f"the width of {of!r} was asked for; expected {', '.join(map(repr, WIDTHS))}")
        require_values(step, target, self._instance.public.S)
        return np.asarray(self._current().model[step] - self._instance.truth.mu[step])

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The exact width (see the head of this file), plus rounding slack."""
        missed, gram = self._missed(of, step, target), self._data.gram[step]
        if of == "exploration":
            return oracle_width(largest_norm(missed, gram, self._instance.public.H))
        return oracle_width(float(gram_norm(missed @ target[:, None], gram)[0]))

    def calibrated(self, of: str, step: int, target: Array) -> float:
        """Calibrated radius of both phases and all steps, see `verifier_settings.reward_free.reference`."""
        if self._calibrated is None:
            self._calibrated = reference.radius(self._reference)
        return self._calibrated

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: Plan, widths: Widths) -> Phases | None:
        """Keep a plan; return the batch of completed phases when it is full."""
        if self._transcript.episodes == self._instance.public.K:
            self._observe_planned(plan, widths)
            return None
        k = self._next_start()
        accepted = explored(plan, self._instance.public, self._yields, k + 1)
        self._current()
        width, handed = self._radii(widths, f"plan at episode {k + 1}")
        self._latest = _Phase(accepted, k, width, handed, self._data)
        if k in self._checkpoints:
            self._kept.append((k, accepted, self._data.gram))
        return self._keep(self._latest)

    def _observe_planned(self, plan: Plan, widths: Widths) -> None:
        n, revealed = len(self._planned), self.environment.revealed
        if n == revealed:
            raise ContractError(f"a plan was yielded after {n} rewards, each with a plan; call env.reveal first")
        accepted = planned(plan, self._instance.public, self._yields, n + 1)
        self._planned.append(_Planned(accepted, self._theta, *self._radii(widths, f"plan for reward {n + 1}", "planning")))
        self._meter.plan()

    def _radii(self, widths: Widths, where: str, of: str = "exploration") -> tuple[Array, Array]:
        """The widths handed out, by step, and the value functions they were asked with.

        Exploration may ask for both, to use the larger one: for its values the radius is then the larger of those handed out.
        """
        public, asked = self._instance.public, asked_of(widths, of)
        require_steps(asked, public.H, where, f"self.width(h, V_next, of={of!r}) at each step")
        others = asked_of(widths, "planning")
        width, handed = by_step({h: asked[h] for h in range(public.H)}, public.H, public.S, where=f"{where}: ")
        return np.maximum(width, [others.get(h, asked[h])[0] for h in range(public.H)]), handed

    # Rewards ----------------------------------------------------------------------------------------------------

    def _reward(self, n: int) -> Array:
        """The reward of this number: those fixed before the data first, then those chosen after."""
        if n > len(self._planned):
            raise ContractError(f"reveal was called for reward {n + 1}, but there is no plan for reward {n}; yield it first")
        fixed, data = list(self._instance.fixed.values()), self._current()
        if n < len(fixed):
            self._theta = fixed[n]
        elif ADVERSARIES[n - len(fixed)] == "largest-error":
            self._theta = adversary.worst(self._instance, adversary.largest_error(self._instance, data))
        else:
            goal = adversary.largest_loss(self._instance, data, self._planned[-1].width)
            self._theta = adversary.worst(self._instance, goal)
        return self._theta.copy()

    # Views ------------------------------------------------------------------------------------------------------

    def _view(self, pending: list[_Phase]) -> Phases:
        done, data = self._episodes(pending), [phase.data for phase in pending]
        played = StepWeights.join([after.last for after in (*data[1:], self._data)])
        phases = Phases(
            plans=[phase.plan for phase in pending], states=self._transcript.states[done], actions=self._transcript.actions[done],
            played=played, before_agreed=self._agreed, **self._least_squares(pending, data),
        )  # fmt: skip
        self._agreed = bool(phases.agreed[-1])
        self._series.append(phases.episode)
        return phases

    def _least_squares(self, plans: Sequence[Any], data: Sequence[Data]) -> dict[str, Any]:
        """The parameters of `Backups`."""
        return {
            "instance": self._instance, **stacked(plans, "width", "handed"), "gram_replay": np.stack([d.gram for d in data]),
            "variance_replay": np.stack([d.variance_gram for d in data]), "moments": np.stack([d.moments for d in data]),
            "before": StepWeights.join([d.last for d in data]), "size": Size.join([d.size for d in data]),
            "episodes": np.array([d.episodes for d in data]),
            "decided": np.array([d.decided for d in data]),
        }  # fmt: skip

    def finish(self) -> tuple[Phases | None, Run]:
        """Close the run; all K episodes must have been played, and every reward must have a plan."""
        self._require_all()
        if len(self._planned) < self._instance.public.rewards:
            raise ContractError(
                f"run() ended after plans for {len(self._planned)} of {self._instance.public.rewards} rewards; yield one for each"
            )
        data, last, t = self._current(), self._flush(), self._transcript
        series = EpisodeSeries.join(self._series)
        return last, Run(
            instance=self._instance, states=t.states, actions=t.actions, plans=np.array(self._starts), secret=self._secret(),
            series=series, planning=self._planning(data, series),
        )  # fmt: skip

    def _planning(self, data: Data, series: EpisodeSeries) -> Planning:
        n, t = len(self._planned), self._transcript
        last = self._instance.public.phi[t.states[-1, :-1] * self._instance.public.A + t.actions[-1]]
        return Planning(
            **self._least_squares(self._planned, [data] * n), plans=[item.plan for item in self._planned],
            theta=np.stack([item.theta for item in self._planned]), names=(*self._instance.fixed, *ADVERSARIES),
            fixed=np.arange(n) < len(self._instance.fixed), agreed=self._agreed, last=last,
            series=series, **self._at_checkpoints(),
        )  # fmt: skip

    def _at_checkpoints(self) -> dict[str, Any]:
        episodes, plans, grams = zip(*self._kept, strict=True)
        norms = bonus(self._instance.public.phi, np.linalg.inv(np.stack(grams)))
        added = norms if plans[0].bonus is None else np.stack([plan.bonus for plan in plans])
        values = np.stack([plan.V for plan in plans])
        return {"checkpoints": np.array(episodes), "values": values, "norms": norms, "explored_bonus": added}
