"""The class LSVI_UCB of Exploration-in-RL (github.com/aa14k/Exploration-in-RL), held to the theorem of Jin et al. (2020).

What its source says, as far as claims are about it: the sum of ``phi (r + V_{h+1})`` grows at every step by the value that was
current then, and is never made again with the values of the plan. Claims are those of the reference algorithm of the same
theorem, where they are about what this agent has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from verifier import PSEUDO_CODE, Clause, Guarantees, Kind
from verifier.adapters.inversion import inverted
from verifier.adapters.loops import LoopEnvironment, Style
from verifier.adapters.randomness import drawing_from
from verifier.model.script import Line, Script
from verifier_checkouts.agent import CheckoutAgent
from verifier_checkouts.checkout import Checkout
from verifier_properties.episodic import adapted_values
from verifier_reference.lsvi_ucb import claims as reference
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan

_TQDM = ModuleType("tqdm")
vars(_TQDM)["tqdm"] = iter  # no progress bar
CHECKOUT = Checkout(
    "ExplorationInRL", "EXPLORATION_IN_RL", folder="UCRL_VTR_Testbed", siblings=("environments",), instead={"tqdm": _TQDM}
)


class Shell(LoopEnvironment):
    """The harness's environment with the interface of the testbed.

    Parameters
    ----------
    env : EpisodicEnvironment
    at_start : callable
        Called at the start of every episode.
    """

    def __init__(self, env: EpisodicEnvironment, at_start: Callable[[], None]) -> None:
        super().__init__(env, at_start, style=Style(reset=1, step=3))
        self.nState, self.nAction, self.epLen = env.public.S, env.public.A, env.public.H
        self.states = dict.fromkeys(range(self.nState), 0.0)
        self.state = self.timestep = 0
        self.rng = env.rng

    def reset(self, **settings: Any) -> None:
        """Start the next episode."""
        self.state, self.timestep = super().reset(), 0

    def advance(self, action: Any) -> tuple[float, int, int]:
        """Play an action: reward, next state, and whether the episode is over."""
        self.state, reward, over = self.step(action)
        self.timestep += 1
        return reward, self.state, int(over)

    def argmax(self, values: Any) -> int:
        """Action of largest value, at random among equals, as in the testbed."""
        return int(self.rng.choice(np.flatnonzero(values == values.max())))


class ExplorationLSVI(CheckoutAgent):
    """LSVI_UCB; only the bound c on the norm of the weights is set, to that of Lemma B.2."""

    name: ClassVar[str] = "exploration-lsvi-ucb"
    title: ClassVar[str] = "Exploration-in-RL's LSVI_UCB"
    paper: ClassVar[str] = "Provably Efficient Reinforcement Learning with Linear Function Approximation (COLT 2020)"
    instances: ClassVar[tuple[str, ...]] = ("random", "river", "lock", "anywhere", "starts-elsewhere", "one-step", "absorbing")
    yields: ClassVar[frozenset[str]] = frozenset({"gram", "estimate"})
    libraries: ClassVar[tuple[str, ...]] = (CHECKOUT.name,)
    script: ClassVar[Script] = Script(
        "", lines_of={"regression": Line(f"{CHECKOUT.name}.agent", "self.wsum[h] += self.phi[self.sigma[s,a]] * (r + \\")}
    )

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Its own `run`, paused at the start of every episode."""
        public = self.public
        module = CHECKOUT.load("agent")

        def fit(emit: Callable[[EpisodicPlan], None]) -> None:
            agent: Any = None
            module.env = shell = Shell(env, lambda: emit(self.plan(agent)))  # its classes use a global of this name, too
            with drawing_from(env.rng, CHECKOUT.name):
                agent = module.LSVI_UCB(shell, public.K, 2 * public.H * np.sqrt(public.d))
                agent.run()

        yield from inverted(fit)

    def plan(self, agent: Any) -> EpisodicPlan:
        """Its Q, matrices and weights; ties are broken at random."""
        H, S, A = self.public.H, self.public.S, self.public.A
        Q = np.array([[[agent.Q[h, s, a] for a in range(A)] for s in range(S)] for h in range(H + 1)], dtype=float)
        best = (Q[:H] == Q[:H].max(axis=2, keepdims=True)).astype(float)
        return EpisodicPlan(
            Q=Q[:H],
            V=Q.max(axis=2),
            policy=best / best.sum(axis=2, keepdims=True),
            gram=np.array(agent.Lam),
            estimate=np.array(agent.w),
        )


REUSED = {claim.name: claim for claim in reference.CLAIMS}
ASSUMED = ("transition-kernel", "reward-range", "linear-kernel", "linear-rewards", "feature-norms", "parameter-norms")
LINES = {
    "gram": (PSEUDO_CODE,),
    "regression": (PSEUDO_CODE, "gram"),
    "value-function": (PSEUDO_CODE,),
    "plays-policy": (PSEUDO_CODE,),
    "value-cap": (PSEUDO_CODE,),
}
WHY = (
    "theorem broken, Line 5 has targets r + max_a Q_{h+1} with the Q of this episode: `learn` adds r + V_{h+1} with the "
    "values of "
    "the moment to a sum that is never made again with those of the plan"
)

CLAIMS = (
    *(REUSED[name] for name in ASSUMED),
    *(replace(REUSED[name], follows=lines, why=WHY if name == "regression" else "") for name, lines in LINES.items()),
    replace(
        REUSED["optimism"],
        property=adapted_values.optimism,
        statement="Q_h^k(s,a) ≥ Q*_h(s,a) for all k, h, s, a, once there is data",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        given="",
        follows=("regression", "value-function", *ASSUMED),
    ),
)

_USED = {claim.clause for claim in CLAIMS}

GUARANTEES = Guarantees(
    ExplorationLSVI,
    claims=CLAIMS,
    clauses=tuple(
        clause if clause.key in _USED else Clause(clause.key, clause.source, clause.statement, "not asked of this agent")
        for clause in reference.CLAUSES
    ),
    theorem="REGRET",
)
