"""Risk-sensitive RL in low-rank MDPs: maximise the conditional value at risk of the return, features unknown.

Setting of "Provably Efficient CVaR RL in Low-rank MDPs" (ICLR 2024), on finite sets of states, actions and models. Algorithms
explore an MDP whose kernel is one of a known class and whose reward laws are known; the planner of the paper by itself, which
is given a known model, has a setting of its own in `verifier_settings.cvar.planning`.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.catalogue import CATALOGUE, FAMILIES
from verifier_settings.cvar.environment import CVaREnvironment, Meters
from verifier_settings.cvar.garbage import GARBAGE
from verifier_settings.cvar.instance import Instance, Public, Truth, make, simulation
from verifier_settings.cvar.iterations import Iterations
from verifier_settings.cvar.plan import CVaRPlan
from verifier_settings.cvar.run import Run
from verifier_settings.cvar.session import WIDTHS, CVaRSession
from verifier_settings.cvar.simulator import Episodes, Simulator
from verifier_settings.cvar.strategies import CVaRRecipe
from verifier_settings.views import parameters

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


CVAR = Setting[Instance, CVaRPlan](
    name="cvar",
    description="low-rank MDPs with unknown features, conditional value at risk of the return",
    catalogue=CATALOGUE,
    session=CVaRSession,
    widths=WIDTHS,
    parameters=parameters(
        "S A H K d |F|=M tau m q lambda=ridge delta rewards T1 T2",
        rewards=lambda instance: "discrete" if instance.public.beta is None else "continuous",
    ),
    families=FAMILIES,
    garbage=GARBAGE,
    recipes=CVaRRecipe,
    simulation=simulation,
)
