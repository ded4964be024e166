"""Statements of the paper that are false, or not implied, as printed.

Each was derived afresh. The rendering of the paper at hand has lost bars, hats, roots and displayed equations (all those of
Algorithm 4): where that leaves open what is printed, nothing is said. Constants hidden in O() and slips that no formula depends
on are not listed.
"""

from __future__ import annotations

from verifier.model.erratum import Erratum
from verifier_fmdp.errata import counting, knapsack, optimism

ERRATA: tuple[Erratum, ...] = (*optimism.ERRATA, *counting.ERRATA, *knapsack.ERRATA)
"""Errata in the order: optimism and confidence, sums over visits, knapsacks."""
