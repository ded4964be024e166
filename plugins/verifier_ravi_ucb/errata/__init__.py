"""Statements of the paper that are false, or not implied, as printed.

Each was derived afresh. Indices and lost roots of the only rendering of the paper at hand are not listed, nor are constants
that are merely loose.
"""

from __future__ import annotations

from verifier.model.erratum import Erratum
from verifier_ravi_ucb.errata import bonuses, epochs, planning

ERRATA: tuple[Erratum, ...] = (*planning.ERRATA, *epochs.ERRATA, *bonuses.ERRATA)
"""Errata in the order: planning (Theorem 4.1), the random epochs, the sums of bonuses."""
