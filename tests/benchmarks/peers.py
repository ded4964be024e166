"""The same problems given to another library: agents of rlberry-scool as they are shipped, in the harness's environment.

Both sides play in the same simulator, which notes the transcript of both. The time of the peer's LSVI-UCB grows with the square
of the number of episodes and ours does not, so a ratio belongs to a number of episodes.
"""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Any

from verifier.base import seeds
from verifier.model.setting import Seeds
from verifier.plugins.registry import registry

from .checks import Cell, linear, off, random
from .lines import Line, Result, Target, in_turns

EXTRA = "" if find_spec("rlberry_scool") is not None else "rlberry"
"""What has to be installed first; empty if it is there."""


def fit(name: str, instance: Any) -> None:
    """The loop of the agent itself; nothing is taken out of it."""
    from verifier_scool.agent import library, metered

    library()
    logging.getLogger("rlberry_logger").setLevel(logging.ERROR)  # it cannot reseed the environment, on purpose
    algorithm = registry().guarantees[name].algorithm
    setting = registry().setting(algorithm.setting)
    public = setting.public(instance, algorithm.hidden)
    session = setting.session(instance, Seeds(*(seeds.stream(0, word) for word in "abc")), frozenset())
    agent = algorithm(public, None).agent(metered(session.environment, lambda: None), seeder=1, copy_env=False)
    agent.set_writer(None)
    agent.fit(budget=public.K)


def against(cell: Cell, peer: str, least: float) -> Line:
    def measure() -> Result:
        instance = cell.scenario.draw(0)
        return in_turns(lambda: off(cell, instance), lambda: fit(peer, instance))

    return Line(f"{peer} against {cell.algorithm}, {cell.instance}, 60 episodes", measure, Target(least, least=True))


LINES = (
    against(linear(10, 4, 10, 40, 60), "scool-lsvi-ucb", 40.0),
    against(random("ucbvi-ch", 20, 4, 20, 60), "scool-ucbvi", 20.0),
)
