"""The harness's side of a run of a planner.

The replaceable width is beta (of="planning"). Its oracle is the largest ||w(i) - theta(i)||_Lambda over budgets i, see
`verifier_settings.cvar.session`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds
from verifier_settings.cvar import augmented, regression
from verifier_settings.cvar.evaluations import merged
from verifier_settings.cvar.planning.instance import Instance, Public
from verifier_settings.cvar.planning.plan import Answer, Round, checked_answer, checked_round
from verifier_settings.cvar.planning.views import Rounds, RoundSeries, Run
from verifier_settings.cvar.simulator import Episodes, Simulator
from verifier_settings.sessions import BatchSession, Widths, asked_of, by_step, require_steps, stacked
from verifier_settings.simulator import Environment

BATCH = 256


WIDTHS = {"planning": "the norm of the planner's features in its inverse Gram matrix, at each step"}
"""Widths by name, each with what it multiplies."""


class PlanningEnvironment(Environment[Public]):
    """A metered simulator of the model a planner was given.

    The simulator is the harness's: CVaR-LSVI alone explores nothing, but what it is told about its own model reaches it through
    episodes, and these are drawn, counted and recorded here.
    """

    offers = (*Environment.offers, "trajectory", "episodes")

    def __init__(self, public: Public, simulator: Simulator, rng: np.random.Generator) -> None:
        super().__init__(public, rng)
        self._simulator = simulator

    def trajectory(self, policy: IntArray) -> Episodes:
        """Episode from (s_1, i_1), for regression."""
        return self._simulator.trajectory(policy, self.public.budget)

    def episodes(self, policy: IntArray, n: int) -> Episodes:
        """Episodes from (s_1, i_1), for evaluation."""
        return self._simulator.episodes(policy, self.public.budget, n)


@dataclass(frozen=True, eq=False)
class _Round:
    plan: Round
    t: int
    counts: Array
    width: Array
    handed: Array
    tally: IntArray


class PlanningSession(BatchSession[Round | Answer, _Round, Rounds]):
    """Run of a planner.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    """

    def __init__(self, instance: Instance, seeds: Seeds) -> None:
        super().__init__(BATCH)
        public = instance.public
        self._instance = instance
        self._simulator = Simulator(public.P, public.reward, public.grid, public.start, seeds.environment)
        self.environment = PlanningEnvironment(public, self._simulator, seeds.agent)
        self._t = 0
        self._series: list[RoundSeries] = []
        self._ways: list[bytes] = []
        self._answer: Answer | None = None

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """(D, N+1) w - theta for the value function `target` (S, N+1), from the harness's record of the simulation."""
        public = self._instance.public
        if of != "planning" or not 0 <= step < public.H:
            raise ContractError(f"width(step={step}, of={of!r}) was asked for; expected of='planning' at steps 0..{public.H - 1}")
        counts, rows = self._simulator.counts[step], public.features[step]
        return regression.error(rows, public.psi, counts, target, step, public.grid, public.ridge)

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The largest error over budgets in the Gram norm, plus rounding slack."""
        error, public = self.realised_error(of, step, target), self._instance.public
        return regression.least_width(error, public.features[step], self._simulator.counts[step], public.ridge)

    def observe(self, plan: Round | Answer, widths: Widths) -> Rounds | None:
        """Keep a round, or the answer; return the batch of completed rounds when it is full."""
        public = self._instance.public
        if self._answer is not None:
            raise ContractError("a plan was yielded after the answer; stop there")
        if self._simulator.tally[0] != self._t:
            raise ContractError(
                f"{self._simulator.tally[0]} planning episodes were simulated in {self._t} rounds; call "
                "env.trajectory(policy) once after each round was yielded"
            )
        if self._t == public.T1:
            self._answer = checked_answer(plan, public)
            return None
        accepted = checked_round(plan, public, self._t + 1)
        asked = asked_of(widths, "planning")
        where, call = f"round {self._t + 1}", "self.width(h, V_next, of='planning') at each step"
        require_steps(asked, public.H, where, call)
        width, handed = by_step({h: asked[h] for h in range(public.H)}, public.H, public.S, public.grid.N + 1)
        if self._t + 1 in (2, public.T1):
            self._require_features(accepted, where)
        self._t += 1
        now = self._simulator
        return self._keep(_Round(accepted, self._t, now.counts.copy(), width, handed, now.tally.copy()))

    def _require_features(self, plan: Round, where: str) -> None:
        """Check that Gram matrices are not those of the features in the other order, budgets before phi."""
        public = self._instance.public
        own = regression.gram(public.features, self._simulator.counts, public.ridge)
        turn = np.arange(public.D).reshape(public.d, -1).T.reshape(-1)
        if not np.allclose(plan.gram, own) and np.allclose(plan.gram, own[:, turn[:, None], turn]):
            raise ContractError(
                f"{where}: Lambda is that of features with the reward before phi; phi_l and reward j have the entry l (n+1) + j"
            )

    def _view(self, pending: list[_Round]) -> Rounds:
        now, first, last = self._simulator, pending[0].t, pending[-1].t
        tallies = np.stack([*(item.tally for item in pending), now.tally])
        kept = stacked(pending, "t", "counts", "width", "handed")
        view = Rounds(
            instance=self._instance, plans=[item.plan for item in pending], **kept, simulated=np.diff(tallies, axis=0),
            history=[one.episode for one in now.rehearsals[first - 1 : last]],
        )  # fmt: skip
        seen = np.diff(np.concatenate([view.counts, now.counts[None]]), axis=0).sum(axis=(3, 4))  # one pair per round and step
        self._ways += augmented.ways_where(view.reached, view.policy, self._instance.public.budget)
        event, norm = np.asarray(view.event.all(axis=1)), (seen * view.norm).sum(axis=2)
        self._series.append(RoundSeries(view.value, view.regret, view.spent, event, view.log_det, norm))
        return view

    def _evaluated(self) -> list[bytes]:
        """Keys of the evaluated policies from the initial budget, see `augmented.ways`."""
        public, policies = self._instance.public, [one.policy for one in self._simulator.evaluations]
        if not policies:
            return []
        return augmented.ways(public.P, public.reward, np.stack(policies), public.budget, public.start, public.grid)

    def finish(self) -> tuple[Rounds | None, Run]:
        """Close the run; T1 rounds and the answer must have been yielded."""
        public = self._instance.public
        if self._answer is None:
            raise ContractError(
                f"run() ended after {self._t} of T1 = {public.T1} rounds without an answer; yield Answer(...) last"
            )
        last, now = self._flush(), self._simulator
        run = Run(
            instance=self._instance, series=RoundSeries.join(self._series), answer=self._answer, counts=now.counts,
            simulated=now.tally, history=[one.episode for one in now.rehearsals],
            evaluations=merged(self._evaluated(), now.evaluations, public.T2), ways=self._ways,
        )  # fmt: skip
        return last, run

    def digest(self) -> str:
        """Hash of what was simulated for regression."""
        return hashlib.sha256(np.ascontiguousarray(self._simulator.counts).tobytes()).hexdigest()[:16]
