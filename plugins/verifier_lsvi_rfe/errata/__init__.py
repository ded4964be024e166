"""Statements of the paper that are false, or not implied, as printed.

Each was derived afresh. The only rendering of the paper at hand garbles formulas; where it leaves open what is printed (the
power of d in the last logarithm of eq. (20), the value of lambda), nothing is said, nor of misprints that change nothing (delta
for delta/H in the proof of Lemma A.11).
"""

from __future__ import annotations

from verifier.model.erratum import Erratum
from verifier_lsvi_rfe.errata import concentration, hard_instance, values, weights

ERRATA: tuple[Erratum, ...] = (*values.ERRATA, *concentration.ERRATA, *weights.ERRATA, *hard_instance.ERRATA)
"""Errata in the order: values, concentration, sums of weights, the hard instance."""
