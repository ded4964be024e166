"""The named instances of the factored setting, and its families."""

from __future__ import annotations

from functools import partial

from verifier.model.setting import Family, Scenario
from verifier.settings.factored import generators
from verifier.settings.factored.instance import Instance
from verifier.settings.scenarios import fixed

CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario(
        "overlap",
        "two factors with overlapping scopes, rewards that depend on a factor and on an action",
        partial(
            generators.random, state_sizes=(2, 3), action_sizes=(2,), transition_scopes=((0, 2), (0, 1)),
            reward_scopes=((1,), (0, 2)), H=4, K=150,
        ),
    ),
    Scenario("rivers", "product of two RiverSwims: exploration matters", partial(fixed(generators.river), n=2, s=3, H=8, K=100)),
    Scenario(
        "three-rivers", "product of three RiverSwims", partial(fixed(generators.river), n=3, s=2, H=5, K=100), share=0.5
    ),
)  # fmt: skip

FAMILIES: tuple[Family[Instance], ...] = ()
