"""The harness's side of a run of a planner.

The replaceable width is beta (of="planning"). Its oracle is the largest ||w(i) - theta(i)||_Lambda over budgets i, see
`verifier.settings.cvar.session`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds, Session
from verifier.settings.cvar import regression
from verifier.settings.cvar.planning.instance import Instance, Public
from verifier.settings.cvar.planning.plan import Answer, Round, checked_answer, checked_round
from verifier.settings.cvar.planning.views import Rounds, RoundSeries, Run
from verifier.settings.cvar.session import require_values
from verifier.settings.cvar.simulator import Episodes, Simulator
from verifier.settings.elliptical import gram_norm
from verifier.settings.sessions import oracle_width
from verifier.settings.simulator import Environment

BATCH = 64

Widths = Mapping[tuple[str, int], tuple[float, Array]]


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
        """One episode from (s_1, i_1), for regression."""
        return self._simulator.trajectory(policy, self.public.budget)

    def episodes(self, policy: IntArray, n: int) -> Episodes:
        """Episodes from (s_1, i_1), for evaluation."""
        return self._simulator.episodes(policy, self.public.budget, n)


@dataclass(frozen=True)
class _Round:
    plan: Round
    counts: Array
    width: Array
    handed: Array
    tally: IntArray


class PlanningSession(Session[Round | Answer]):
    """One run of a planner.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    """

    def __init__(self, instance: Instance, seeds: Seeds) -> None:
        public = instance.public
        self._instance = instance
        self._simulator = Simulator(public.P, public.reward, public.grid, public.start, seeds.environment)
        self.environment = PlanningEnvironment(public, self._simulator, seeds.agent)
        self._pending: list[_Round] = []
        self._t = 0
        self._series: list[RoundSeries] = []
        self._answer: Answer | None = None

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """(D, N+1) w - theta for the value function `target` (S, N+1), from the harness's record of the simulation."""
        public = self._instance.public
        if of != "planning" or not 0 <= step < public.H:
            raise ContractError(f"width(step={step}, of={of!r}) was asked for; expected of='planning' at steps 0..{public.H - 1}")
        require_values(step, target, public.S, public.grid.N)
        counts = self._simulator.counts[step]
        estimate = regression.estimate(public.features[step], counts, target, public.grid, public.ridge)
        return np.asarray(estimate - regression.parameter(public.psi, target, step, public.grid))

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The largest error over budgets in the Gram norm, plus rounding slack."""
        error, public = self.realised_error(of, step, target), self._instance.public
        matrix = regression.gram(public.features[step], self._simulator.counts[step], public.ridge)
        return oracle_width(gram_norm(error, matrix).max(initial=0.0))

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
        width, handed = np.empty(public.H), np.empty((public.H, public.S, public.grid.N + 1))
        for h in range(public.H):
            if ("planning", h) not in widths:
                raise ContractError(
                    f"round {self._t + 1}: the algorithm did not ask for the width of step h={h + 1}; call "
                    "self.width(h, V_next, of='planning') at each step"
                )
            width[h], value = widths["planning", h]
            require_values(h, value, public.S, public.grid.N)
            handed[h] = value
        full = self._flush() if len(self._pending) >= BATCH else None
        self._t += 1
        self._pending.append(_Round(accepted, self._simulator.counts.copy(), width, handed, self._simulator.tally.copy()))
        return full

    def _flush(self) -> Rounds | None:
        if not self._pending:
            return None
        pending, now = self._pending, self._simulator
        counts = np.stack([item.counts for item in pending])
        tallies = np.stack([*(item.tally for item in pending), now.tally])
        view = Rounds(
            self._instance,
            [item.plan for item in pending],
            self._t - len(pending) + 1 + np.arange(len(pending)),
            counts,
            np.stack([item.width for item in pending]),
            np.stack([item.handed for item in pending]),
            np.diff(tallies, axis=0),
            self._simulator.history[self._t - len(pending) : self._t],
        )
        seen = np.diff(np.concatenate([counts, now.counts[None]]), axis=0).sum(axis=(3, 4))  # one pair per round and step
        self._series.append(RoundSeries(view.value, view.regret, view.log_det, (seen * view.norm).sum(axis=2)))
        self._pending = []
        return view

    def finish(self) -> tuple[Rounds | None, Run]:
        """Close the run; T1 rounds and the answer must have been yielded."""
        public = self._instance.public
        if self._answer is None:
            raise ContractError(
                f"run() ended after {self._t} of T1 = {public.T1} rounds without an answer; yield Answer(...) last"
            )
        last, tally = self._flush(), self._simulator.tally
        names = RoundSeries.__dataclass_fields__
        series = RoundSeries(**{name: np.concatenate([getattr(part, name) for part in self._series]) for name in names})
        return last, Run(
            self._instance,
            series,
            self._answer,
            self._simulator.counts,
            tally,
            self._simulator.history,
            self._simulator.evaluations,
        )

    def digest(self) -> str:
        """Hash of what was simulated for regression."""
        return hashlib.sha256(np.ascontiguousarray(self._simulator.counts).tobytes()).hexdigest()[:16]
