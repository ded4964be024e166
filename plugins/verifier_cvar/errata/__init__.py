"""Statements of the paper that are false, or not implied, as printed.

Each was derived afresh. Constants hidden in O() and slips that no formula depends on are not listed.
"""

from __future__ import annotations

from verifier.model.erratum import Erratum
from verifier_cvar.errata import likelihood, lock, optimism, outputs, planning

ERRATA: tuple[Erratum, ...] = (*optimism.ERRATA, *lock.ERRATA, *likelihood.ERRATA, *outputs.ERRATA, *planning.ERRATA)
"""Errata in the order: optimism (Lemma C.2 and the regret), the learned models, what is returned, planning."""
