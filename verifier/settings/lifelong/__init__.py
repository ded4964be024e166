"""Lifelong RL: contextual finite-horizon linear MDPs whose tasks are chosen one by one, possibly by an adversary.

Setting of "Provably Efficient Lifelong Reinforcement Learning with Linear Representation" (ICLR 2023), on finite sets of
states, actions and contexts.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier.settings.lifelong.catalogue import CATALOGUE, FAMILIES
from verifier.settings.lifelong.environment import LifelongEnvironment
from verifier.settings.lifelong.instance import Instance, Public, Truth, make
from verifier.settings.lifelong.phases import Phases
from verifier.settings.lifelong.plan import LifelongPlan
from verifier.settings.lifelong.run import Run
from verifier.settings.lifelong.session import LifelongSession
from verifier.settings.lifelong.simulation import simulation
from verifier.settings.lifelong.strategies import LifelongRecipe

__all__ = [
    "LIFELONG",
    "Instance",
    "LifelongEnvironment",
    "LifelongPlan",
    "LifelongSession",
    "Phases",
    "Public",
    "Run",
    "Truth",
    "make",
]


def _parameters(instance: Instance) -> dict[str, float | int | str]:
    public = instance.public
    return {
        "S": public.S, "A": public.A, "W": public.W, "H": public.H, "K": public.K, "d": public.d, "m": public.m,
        "n": public.n, "L": public.L, "lambda": public.ridge, "delta": public.delta, "tasks": instance.tasks,
    }  # fmt: skip


LIFELONG = Setting[Instance, LifelongPlan](
    name="lifelong",
    description="contextual finite-horizon linear MDPs, tasks chosen one by one",
    catalogue=CATALOGUE,
    session=LifelongSession,
    parameters=_parameters,
    families=FAMILIES,
    recipes=LifelongRecipe,
    simulation=simulation,
)
