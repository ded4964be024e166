"""Base of the adapters: the environment an agent sees, and the agent's loop turned into an iterator of plans."""

from __future__ import annotations

import random
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.adapters.inversion import inverted
from verifier.adapters.loops import GYMNASIUM, LoopEnvironment, in_library
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

IMPORTS = """
import numpy as np
from rlberry.envs.finite_mdp import FiniteMDP
"""

ENVIRONMENT = """
env = FiniteMDP(R=np.array($R), P=np.array($P, dtype=float), initial_state_distribution=$start)
env.reward_range = ($low, $high)
"""
"""A small instance as the library's own class; its range of rewards would otherwise be that of the rewards that occur."""


@contextmanager
def generators_as_found() -> Iterator[None]:
    """Undoes what happens to the global generators inside: importing rlberry draws from them, which no run is to blame for."""
    before = random.getstate(), np.random.get_state()  # noqa: NPY002  # looking at the global generator is the point
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002  # as it was found


def library() -> Any:
    """The module `rlberry_scool.agents`."""
    with generators_as_found(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of its imports are not about what is checked
        import rlberry_scool.agents
    return rlberry_scool.agents


def metered(env: EpisodicEnvironment, at_start: Callable[[], None]) -> Any:
    """The harness's environment as a `gymnasium.Env`.

    Parameters
    ----------
    env : EpisodicEnvironment
    at_start : callable
        Called at the start of every episode, before the agent acts.

    Returns
    -------
    gymnasium.Env
        Episodes last H steps and are then truncated; there is no early end. `reward_range` is the range the instance declares.
        Spaces are those of rlberry: UCBVIAgent asserts that it got gymnasium's Discrete, and then takes it for a Box.
    """
    import gymnasium  # noqa: F401  # so that the environment is one of its
    from rlberry.spaces import Discrete

    made = in_library(LoopEnvironment, GYMNASIUM)(env, at_start)
    made.observation_space, made.action_space = Discrete(env.public.S), Discrete(env.public.A)
    made.reseed = lambda seeder: None  # without this method, the agent would seed by a `reset` before it is there
    return made


class ScoolAgent(Algorithm):
    """An agent of rlberry-scool; subclasses make it and take the plan from its arrays."""

    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("scool",)
    regimes: ClassVar[tuple[str, ...]] = ("published",)
    hidden: ClassVar[frozenset[str]] = frozenset({"reward"})
    libraries: ClassVar[tuple[str, ...]] = ("rlberry_scool",)
    public: Public

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Width that is never asked for: the agent has its own constants."""
        return 1.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """`fit` for K episodes; at the start of each the agent is paused, and the plan it is about to play is yielded."""

        def fit(emit: Callable[[EpisodicPlan], None]) -> None:
            agent: Any = None
            shell = metered(env, lambda: emit(self.plan(agent)))
            agent = self.agent(shell, seeder=int(env.rng.integers(2**31)), copy_env=False)
            agent.set_writer(None)  # it would print the progress
            agent.fit(budget=self.public.K)

        library()
        import logging

        logging.getLogger("rlberry_logger").setLevel(logging.ERROR)  # "not possible to reseed environment": on purpose
        yield from inverted(fit)

    @abstractmethod
    def agent(self, env: Any, **settings: Any) -> Any:
        """The agent with its shipped constants."""

    @abstractmethod
    def plan(self, agent: Any) -> EpisodicPlan:
        """Plan that the agent is about to act on, from its own arrays."""
