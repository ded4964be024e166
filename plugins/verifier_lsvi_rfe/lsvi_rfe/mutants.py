"""Bugs planted in LSVI-RFE."""

from __future__ import annotations

from verifier_lsvi_rfe.shared import exploration_mutants, planning_mutants, weight_mutants

MUTANTS = (*exploration_mutants.MUTANTS, *weight_mutants.MUTANTS, *planning_mutants.MUTANTS)
