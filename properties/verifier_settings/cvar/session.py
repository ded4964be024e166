"""The harness's side of one run: it owns the transcript, watches the plans and computes oracle widths.

The replaceable widths
----------------------
*bonus*: alpha_k, in b_h = min(alpha ||phi-hat||_{Sigma-hat^-1}, cap). The proof of optimism (Lemma C.2) compares pi* in the
learned model and in the true one. By the simulation lemma the model errors cost at most H sum_h E[f_h], and the bonuses pay for
all but the first of these terms if, step by step,

    H E[f_{h+1}(s_{h+1}, a_{h+1})] <= E[b_h(s_h, a_h)],   h = 1, ..., H-2,     (one step back)

both under d^{pi*} in the learned model (f_H = 0). The oracle hands out, at each h, the least alpha with which b_h under the cap
2H does this. The right side is concave, piecewise linear and increasing in alpha, so that the least alpha is found exactly from
its breakpoints; and since f <= 2, the cap 2H is always enough. Everything is recomputed from the transcript: the learned model
is the harness's own maximum of the likelihood, Sigma-hat comes from its own D_h.

*planning*: beta of CVaR-LSVI, in phibar'w(i) - beta ||phibar||_{Lambda^-1}. With theta(i) the exact parameter of the backup of
the value function at hand, |phibar'(w(i) - theta(i))| <= ||w(i) - theta(i)||_Lambda ||phibar||_{Lambda^-1}, with equality in
the direction of the error; the oracle is the largest such norm over budgets i, regression bias included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds
from verifier_settings.cvar import augmented, regression
from verifier_settings.cvar.datasets import Datasets, Rolls, Trajectory, padded, require_order
from verifier_settings.cvar.environment import CVaREnvironment, Meters, Transcript
from verifier_settings.cvar.instance import Instance
from verifier_settings.cvar.iterations import Iterations
from verifier_settings.cvar.likelihood import maximum_likelihood
from verifier_settings.cvar.plan import CVaRPlan, checked, grid_of
from verifier_settings.cvar.planner_calls import PlannerCall
from verifier_settings.cvar.planner_rounds import PLANNER_RIDGE
from verifier_settings.cvar.recorded import Observed
from verifier_settings.cvar.run import IterationSeries, Run
from verifier_settings.cvar.simulator import Simulator
from verifier_settings.elliptical import bonus, gram_of
from verifier_settings.sessions import BatchSession, Widths, asked_of, oracle_width, require_steps, require_values, stacked

BATCH_BYTES = 16e6
BATCH_ITERATIONS = 256


WIDTHS = {
    "bonus": "‖φ(s,a)‖ in the norm of the inverse covariance matrix, before the last two steps",
    "planning": "the norm of the planner's features in its inverse Gram matrix, in the simulator opened last",
}
"""Widths by name, each with what it multiplies."""


@dataclass(frozen=True, eq=False)
class _Iteration:
    """A plan as it was yielded, with what the harness knew then."""

    plan: CVaRPlan
    k: int
    trajectories: list[Trajectory]
    handed: dict[int, Array]
    width: Array
    meters: Meters
    calls: tuple[PlannerCall, ...]


class CVaRSession(BatchSession[CVaRPlan, _Iteration, Iterations]):
    """Run in the CVaR setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared; with ``estimates`` among them it plans on the coarse grid.
    """

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        public = instance.public
        self._instance, self._yields, self._grid = instance, yields, grid_of(public, yields)
        self._transcript = Transcript()
        self.environment = CVaREnvironment(instance, self._transcript, seeds.environment, seeds.agent)
        self._data = Datasets(public)  # of the batches so far
        self._known, self._unread = self._data.copy(), list[list[Trajectory]]()  # of all iterations, once the unread ones are in
        self._k = 0
        self._series: list[IterationSeries] = []
        self._rolls: list[Rolls] = []
        self._meters = self.environment.meters()
        self._previous: CVaRPlan | None = None
        uniform = augmented.masses(instance.truth.P, public.reward, None, np.array(0), public.start, public.fine, public.S)
        self._occupancy: Array = uniform.sum(axis=-1)
        self._learned: tuple[int, Array, Array, Array] | None = None
        size = 8 * public.H * public.X * (self._grid.N + 1) * (self._grid.n + 1)
        if self._grid.q > 1:
            size = 8 * public.X * (self._grid.N + 1) * (public.fine.N + 1)
        super().__init__(int(np.clip(BATCH_BYTES / size, 1, BATCH_ITERATIONS)))

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """The realised estimation error, from the transcript.

        ``bonus``: (1,) what the bonus of this step has to pay, H E[f_{h+1}] under pi* in the model the data of this
        step select; the target is not used. ``planning``: (D, N+1) w - theta for the value function `target` (S, N+1), in the
        simulator opened last.
        """
        if of == "planning":
            simulator = self._simulator()
            rows, psi = self._simulated_model()
            counts = simulator.counts[step]
            return regression.error(rows[step], psi, counts, target, step, simulator.grid, PLANNER_RIDGE)
        if of != "bonus" or not 0 <= step < self._instance.public.H - 2:
            raise ContractError(
                f"width(step={step}, of={of!r}) was asked for; expected of='bonus' at steps "
                f"0..{self._instance.public.H - 3}, which have a bonus, or of='planning'"
            )
        _, occupancy, f = self._learn()
        return np.array([self._instance.public.H * float(occupancy[step + 1] @ f[step + 1])])

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The exact width (see the head of this file), plus rounding slack."""
        error = self.realised_error(of, step, target)
        if of == "planning":
            simulator = self._simulator()
            return regression.least_width(error, self._simulated_model()[0][step], simulator.counts[step], PLANNER_RIDGE)
        public = self._instance.public
        models, occupancy, _ = self._learn()
        phi = public.phi[models[step], step]
        visits = self._current().D[step].sum(axis=1)
        norm = bonus(phi, np.linalg.inv(gram_of(phi, visits, public.ridge)))
        return oracle_width(least_scale(norm, occupancy[step], 2.0 * public.H, float(error[0])))

    def _learn(self) -> tuple[IntArray, Array, Array]:
        """Maximum likelihood models of the data so far, d^{pi*} in that model, and f."""
        steps = self.environment.meters().steps
        if self._learned is None or self._learned[0] != steps:
            public, truth, data = self._instance.public, self._instance.truth, self._current()
            both = data.D + data.Dt
            models = np.array([maximum_likelihood(public, h, both[h]) for h in range(public.H - 1)], dtype=np.int64)
            P = public.kernels[models, np.arange(public.H - 1)]
            best = truth.fine if self._grid.q == 1 else truth.coarse
            reward = public.reward if self._grid.q == 1 else public.coarse_reward
            masses = augmented.masses(P, reward, best.policy, np.array(best.budget), public.start, self._grid, public.S)
            f = np.concatenate([np.abs(P - truth.P).sum(axis=2), np.zeros((1, public.X))])
            self._learned = (steps, models, masses.sum(axis=-1), f)
        return self._learned[1], self._learned[2], self._learned[3]

    def _current(self) -> Datasets:
        """The data with those of the iteration in progress."""
        for trajectories in self._unread:
            self._known.add(trajectories)
        self._unread = []
        data = self._known.copy()
        data.add(self._transcript.current)
        return data

    def _simulated_model(self) -> tuple[Array, Array]:
        public, models = self._instance.public, self.environment.simulated_models
        steps = np.arange(public.H - 1)
        return regression.features(public.phi[models, steps], public.coarse_reward), public.psi[models, steps]

    def answered(self, of: str, step: int, target: Array, width: float) -> None:
        """Keep each width of the planner beside the episode it was asked for.

        Raises
        ------
        ContractError
            If no simulator is open, or for a step or a value function that there is not.
        """
        if of != "planning":
            return
        public, simulator = self._instance.public, self._simulator()
        if not 0 <= step < public.H:
            raise ContractError(f"width(step={step}, of='planning') was asked for; expected a step 0..{public.H - 1}")
        require_values(step, target, public.S, public.coarse.N + 1)
        simulator.answered(step, target, width)

    def _simulator(self) -> Simulator:
        simulator = self.environment.open_simulator
        if simulator is None:
            raise ContractError("the width of 'planning' was asked for before a simulator was opened; call env.simulator")
        return simulator

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: CVaRPlan, widths: Widths) -> Iterations | None:
        """Keep the plan of an iteration; return the batch of completed ones when it is full."""
        public = self._instance.public
        if self._k >= public.K:
            raise ContractError(f"a plan of iteration {self._k + 1} was yielded, but the run has K = {public.K}; stop there")
        accepted = checked(plan, public, self._yields, self._k + 1)
        asked, where = asked_of(widths, "bonus"), f"plan of iteration {self._k + 1}"
        require_steps(asked, public.H - 2, where, "self.width(h, of='bonus') at each step but the last two")
        width = np.zeros(public.H)
        width[: public.H - 2] = [asked[h][0] for h in range(public.H - 2)]
        trajectories = self._transcript.take()
        require_order(trajectories, public.H, where)
        self._k += 1
        full = self._keep(
            _Iteration(
                accepted,
                self._k,
                trajectories,
                self.environment.take_handed(),
                width,
                self.environment.meters(),
                tuple(
                    PlannerCall.of(public, models, used, accepted.bonus) for models, used in self.environment.take_simulators()
                ),
            )
        )
        self._unread.append(trajectories)
        return full

    def _view(self, pending: list[_Iteration]) -> Iterations:
        handed = np.full((len(pending), *self._data.D.shape), -1.0)
        for p, item in enumerate(pending):
            for h, counts in item.handed.items():
                handed[p, h] = counts
        meters = [self._meters, *(item.meters for item in pending)]
        rolls = padded([item.trajectories for item in pending], self._instance.public.H)
        states, actions, rewards = (part.astype(np.int64) for part in rolls)
        D, Dt = self._data.add_rolls(rolls)
        self._known, self._unread = self._data.copy(), []
        used = {
            name: np.diff([getattr(m, name) for m in meters], axis=0)
            for name in ("trajectories", "steps", "planner_calls", "mle_calls", "simulated")
        }
        seen = Observed(
            **stacked(pending, "k", "width"), D=D, Dt=Dt, handed=handed, states=states,
            actions=actions, rewards=rewards, calls=[item.calls for item in pending], before=self._occupancy.copy(),
            previous=self._previous, **used,
        )  # fmt: skip
        view = Iterations(instance=self._instance, grid=self._grid, plans=[item.plan for item in pending], seen=seen)
        self._series.append(IterationSeries.of(view))
        self._rolls.append(rolls)
        self._occupancy = self._occupancy + view.occupancy.sum(axis=0)
        self._meters, self._previous = pending[-1].meters, pending[-1].plan
        return view

    def finish(self) -> tuple[Iterations | None, Run]:
        """Close the run; all K plans must have been yielded."""
        K = self._instance.public.K
        if self._k != K:
            raise ContractError(f"run() ended after {self._k} of K = {K} plans; yield one in each iteration")
        meters = self.environment.meters()
        self._pending[-1] = replace(self._pending[-1], meters=meters)  # what follows the last plan belongs to it
        last = self._flush()
        states, actions, rewards = map(np.concatenate, zip(*self._rolls, strict=True))
        run = Run(
            instance=self._instance, grid=self._grid, series=IterationSeries.join(self._series), meters=meters, states=states,
            actions=actions, rewards=rewards,
        )  # fmt: skip
        return last, run

    def digest(self) -> str:
        """Hash of the transcript."""
        return self._transcript.digest()


def least_scale(norm: Array, weight: Array, cap: float, due: float) -> float:
    """The least alpha with sum_x weight(x) min(alpha norm(x), cap) >= due.

    Where no alpha is enough (features of norm zero), the one from which on the sum grows no more.

    Parameters
    ----------
    norm, weight : (X,) arrays
        Not negative.
    cap, due : float
        Not negative.
    """
    norm, weight = norm[(norm > 0) & (weight > 0)], weight[(norm > 0) & (weight > 0)]
    if due <= 0 or not norm.size:
        return 0.0
    corners = np.sort(cap / norm)
    reached = np.minimum(corners[:, None] * norm, cap) @ weight
    j = int(np.searchsorted(reached, due))
    if j == len(corners):
        return float(corners[-1])
    left, below = (corners[j - 1], reached[j - 1]) if j else (0.0, 0.0)
    return float(left + (due - below) / (reached[j] - below) * (corners[j] - left))
