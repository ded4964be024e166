"""Episodic RL: finite-horizon MDPs whose transitions and rewards do not depend on the step.

Setting of UCBVI (Azar, Osband and Munos 2017) and, with one kernel for all steps, of LSVI-UCB (Jin et al. 2020): the
single-task algorithms that most public code implements.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier.settings.episodic.catalogue import CATALOGUE, FAMILIES
from verifier.settings.episodic.environment import EpisodicEnvironment
from verifier.settings.episodic.instance import Instance, Public, Truth, make
from verifier.settings.episodic.phases import Phases
from verifier.settings.episodic.plan import EpisodicPlan
from verifier.settings.episodic.run import Run
from verifier.settings.episodic.session import EpisodicSession
from verifier.settings.episodic.simulation import simulation
from verifier.settings.episodic.strategies import EpisodicRecipe
from verifier.settings.episodic.tables import PREFIX, table_scenario

__all__ = [
    "EPISODIC",
    "EpisodicEnvironment",
    "EpisodicPlan",
    "EpisodicSession",
    "Instance",
    "Phases",
    "Public",
    "Run",
    "Truth",
    "make",
]


def _parameters(instance: Instance) -> dict[str, float | int | str]:
    public = instance.public
    return {
        "S": public.S, "A": public.A, "H": public.H, "K": public.K, "d": public.d, "lambda": public.ridge,
        "delta": public.delta, "rewards": f"[{public.low:g}, {public.high:g}]",
    }  # fmt: skip


EPISODIC = Setting[Instance, EpisodicPlan](
    name="episodic",
    description="finite-horizon MDPs with one kernel for all steps",
    catalogue=CATALOGUE,
    session=EpisodicSession,
    parameters=_parameters,
    families=FAMILIES,
    recipes=EpisodicRecipe,
    sources={PREFIX: table_scenario},
    simulation=simulation,
)
