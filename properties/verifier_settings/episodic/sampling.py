"""Somebody's agent that plays by draws from Beta laws, one for each arm: posterior sampling for bandits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from verifier.base.errors import ContractError
from verifier.model.beta_draws import Draws, look_into, noted
from verifier_settings.episodic.held import HeldAgent
from verifier_settings.episodic.plan import EpisodicPlan


class SamplingAgent(HeldAgent):
    """Agent whose plan is what it drew for its choice: Q is the draw of each arm, `alpha` and `beta_s` are its parameters.

    The arms are drawn in their order, by one call or by one for each.
    """

    seen: Draws
    arm: int

    def sizes(self, env: Any) -> dict[str, Any]:
        """Arguments that a constructor may ask for; its generator notes what it draws."""
        self.seen = Draws()
        found = super().sizes(env)
        return {**found, "rng": self.seen.exchanged(found["rng"]) or found["rng"]}

    def made(self, sizes: dict[str, Any]) -> Any:
        """The agent, with generators that note what they draw."""
        with noted(self.seen, self.names):
            agent = super().made(sizes)
        look_into(agent, self.seen)
        return agent

    def chosen(self, agent: Any, h: int, state: int, k: int, task: Mapping[str, Any]) -> int:
        """Action of the agent, with what it draws for it."""
        self.seen.calls.clear()  # what it may have drawn while it learnt
        with noted(self.seen, self.names):
            self.arm = super().chosen(agent, h, state, k, task)
        return self.arm

    def plan(self, agent: Any) -> EpisodicPlan:
        """Plan of the last choice.

        Raises
        ------
        ContractError
            If there is not one draw for each arm.
        """
        alpha, beta, theta = self.seen.take()
        if theta.shape != (self.public.A,):
            raise ContractError(
                f"for its choice the agent drew {theta.size} numbers from Beta laws, expected {self.public.A}, one for each arm "
                "in their order; draws by `beta` of numpy, by `random.betavariate` and by `scipy.stats.beta.rvs` are seen. For "
                "others write an adapter (docs/adapting.md)"
            )
        return EpisodicPlan(
            Q=theta[None, None], V=np.array([[theta.max()], [0.0]]), policy=np.array([[self.arm]]),
            extra={"alpha": alpha, "beta_s": beta},
        )  # fmt: skip
