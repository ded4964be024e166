"""Statements of the paper that are false, or not implied, as printed.

Each was derived afresh. Where the only rendering of the paper at hand leaves open what is printed (bars, roots), nothing is
said: that Assumption 3 sums c_j(w) and not |c_j(w)|, for one, is not listed.
"""

from __future__ import annotations

from verifier.model.erratum import Erratum
from verifier_ucblvd.errata import assumptions, estimates, potential, program, tasks

ERRATA: tuple[Erratum, ...] = (
    *assumptions.ERRATA,
    *program.ERRATA,
    *estimates.ERRATA,
    *potential.ERRATA,
    *tasks.ERRATA,
)
"""Errata in the order: assumptions, distillation, estimates, potential, task sequences."""
