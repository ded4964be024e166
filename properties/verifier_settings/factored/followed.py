"""Algorithms of the factored setting that follow another agent, step by step (`verifier_settings.followed`)."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from verifier.base.arrays import Array
from verifier.model.algorithm import Algorithm
from verifier.model.width import Radius
from verifier_settings import followed
from verifier_settings.factored import tolerances
from verifier_settings.factored.instance import Public
from verifier_settings.factored.phases import Run
from verifier_settings.factored.plan import FactoredPlan


class Played(followed.Played, Protocol):
    """History of an agent: states (K, H+1), actions (K, H) and the parts of the rewards (K, H, m)."""

    @property
    def parts(self) -> Array:
        """Parts of the rewards that were paid."""


class FollowedEnvironment(followed.FollowedEnvironment[Public]):
    """Environment that tells what happened to another agent, whatever is played."""

    _played: Played

    def start(self, k: int) -> int:
        """First state."""
        return int(self._played.states[k, 0])

    def paid(self, k: int, h: int) -> Array:
        """(m,) parts of the reward."""
        return self._played.parts[k, h].copy()

    def rounding(self, plan: FactoredPlan, done: slice) -> Array:
        """(n,) rounding of a value."""
        return np.asarray(tolerances.chain(self.public, np.arange(done.start, done.stop)))


follow = partial(followed.follow, FollowedEnvironment)


def handed(algorithm: type[Algorithm], view: Run) -> Radius:
    """Widths of an algorithm, in the proportion to the published ones that those of the agent have."""
    return followed.in_proportion(algorithm, view.public, float(view.series.width[0, 0]))


decisions = partial(followed.decisions, follow, handed)
