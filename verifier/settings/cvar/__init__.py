"""Risk-sensitive RL in low-rank MDPs: maximise the conditional value at risk of the return, features unknown.

Setting of "Provably Efficient CVaR RL in Low-rank MDPs" (ICLR 2024), on finite sets of states, actions and models. Algorithms
explore an MDP whose kernel is one of a known class and whose reward laws are known; the planner of the paper by itself, which
is given a known model, has a setting of its own in `verifier.settings.cvar.planning`.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier.settings.cvar.augmented import Grid
from verifier.settings.cvar.catalogue import CATALOGUE, FAMILIES
from verifier.settings.cvar.environment import CVaREnvironment, Meters
from verifier.settings.cvar.instance import Instance, Public, Truth, make
from verifier.settings.cvar.iterations import Iterations
from verifier.settings.cvar.plan import CVaRPlan
from verifier.settings.cvar.run import Run
from verifier.settings.cvar.session import CVaRSession
from verifier.settings.cvar.simulation import simulation
from verifier.settings.cvar.simulator import Episodes, Simulator
from verifier.settings.cvar.strategies import CVaRRecipe

__all__ = [
    "CVAR",
    "CVaREnvironment",
    "CVaRPlan",
    "CVaRSession",
    "Episodes",
    "Grid",
    "Instance",
    "Iterations",
    "Meters",
    "Public",
    "Run",
    "Simulator",
    "Truth",
    "make",
]


def _parameters(instance: Instance) -> dict[str, float | int | str]:
    public = instance.public
    return {
        "S": public.S, "A": public.A, "H": public.H, "K": public.K, "d": public.d, "|F|": public.M, "tau": public.tau,
        "m": public.m, "q": public.q, "lambda": public.ridge, "delta": public.delta,
        "rewards": "discrete" if public.beta is None else "continuous", "T1": public.T1, "T2": public.T2,
    }  # fmt: skip


CVAR = Setting[Instance, CVaRPlan](
    name="cvar",
    description="low-rank MDPs with unknown features, conditional value at risk of the return",
    catalogue=CATALOGUE,
    session=CVaRSession,
    parameters=_parameters,
    families=FAMILIES,
    recipes=CVaRRecipe,
    simulation=simulation,
)
