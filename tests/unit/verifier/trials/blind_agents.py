"""Agents that do something odd in their second episode, and how they are run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verifier.model.result import TrialResult, TrialSpec
from verifier.trials.trial import run
from verifier_settings.lifelong import LIFELONG
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI

from ....installed import guaranteed


class Base(LifelongLSVI):
    """What odd agents have in common."""

    name = "odd"

    def play(self, env: Any, plan: Any, *weight: Any) -> None:
        if env.episode == 1:
            self.misbehave(env)
        super().play(env, plan, *weight)

    def misbehave(self, env: Any) -> None:
        """What is odd about it."""


def blindly(algorithm: type[Base], blind: bool = True, regime: str = "oracle", instance: str = "few-episodes") -> TrialResult:
    guarantees = replace(guaranteed(LifelongLSVI), algorithm=algorithm)
    return run(TrialSpec("odd", instance, regime, 0, 0, blind), guarantees, LIFELONG)
