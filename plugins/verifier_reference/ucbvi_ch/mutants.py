"""Bugs planted in UCBVI-CH."""

from __future__ import annotations

import math

from verifier.model.mutant import plant
from verifier_reference.shared.ucbvi_mutants import ucbvi_mutants
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import Public


class WrongLog(HoeffdingUCBVI):
    """ln(SAT/delta), the 5 of the union bound forgotten."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """7 H ln(SAT/delta)."""
        return 7 * public.H * math.log(public.S * public.A * public.T / public.delta)


MUTANTS = (
    *ucbvi_mutants(HoeffdingUCBVI),
    plant(HoeffdingUCBVI, "wrong-log", "the 5 in the logarithm forgotten", WrongLog, ("width",)),
)
