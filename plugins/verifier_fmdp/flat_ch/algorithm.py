"""UCBVI-CH on a factored problem, of which it sees pairs, states and the mean reward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from verifier.base.arrays import Array
from verifier_fmdp.hoeffding import Hoeffding
from verifier_fmdp.model import Model
from verifier_fmdp.planning import Bonus
from verifier_fmdp.structure import Structure, flat


class FlatCH(Hoeffding):
    """FMDP-CH with n = m = d = 1."""

    name: ClassVar[str] = "flat-ch"
    title: ClassVar[str] = "UCBVI-CH, the special case of one factor (Algorithm 2)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.001)")

    def scopes(self) -> Structure:
        """Scopes that tell all pairs apart."""
        return flat(self.public)

    def parts(self, rewards: Array) -> Array:
        """The mean of the parts, (H, 1)."""
        return rewards.mean(axis=1, keepdims=True)

    def reported(self, model: Model, rewards: Array, bonuses: Sequence[Bonus]) -> dict[str, Any]:
        """No reports: the flat model has other shapes."""
        return {}
