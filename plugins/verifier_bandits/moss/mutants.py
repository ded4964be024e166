"""Bugs planted in MOSS."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model.mutant import plant
from verifier_bandits.moss.algorithm import MOSS
from verifier_bandits.shared.mutants import bonus_mutants


class WithoutArms(MOSS):
    """ln(K / N), the number of arms forgotten."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(max(ln(K / N), 0) / N)."""
        return np.sqrt(np.maximum(np.log(self.public.K / N), 0.0) / N)


class SoFar(MOSS):
    """The rounds so far where those of the whole run belong."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(max(ln(n / (A N)), 0) / N)."""
        return np.sqrt(np.maximum(np.log(n / (self.public.A * N)), 0.0) / N)


class NotCut(MOSS):
    """A logarithm below 0 counts with its sign turned."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(|ln(K / (A N))| / N)."""
        return np.sqrt(np.abs(np.log(self.public.K / (self.public.A * N))) / N)


_mutant = partial(plant, MOSS)
MUTANTS = (
    *bonus_mutants(MOSS),
    _mutant("without-arms", "A forgotten in the logarithm", WithoutArms, ("bonus-formula",), differs="without the factor A"),
    _mutant("so-far", "n for K in the logarithm", SoFar, ("bonus-formula",), differs="n for K"),
    _mutant("not-cut", "|ln| for max(ln, 0)", NotCut, ("bonus-formula",)),
)
