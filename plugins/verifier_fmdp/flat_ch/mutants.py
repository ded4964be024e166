"""Bugs planted in flat UCBVI-CH."""

from __future__ import annotations

from functools import partial

from verifier.model import bugs
from verifier.model.mutant import plant
from verifier_fmdp.flat_ch.algorithm import FlatCH
from verifier_fmdp.shared.mutants import planning_mutants

mutant = partial(plant, FlatCH)
MUTANTS = (
    *planning_mutants(FlatCH),
    mutant("no-root", "the bonus of the transitions forgotten", bugs.scaled("root", 0.0), ("q-formula",)),
    mutant("half-root", "the bonus of the transitions halved", bugs.scaled("root", 0.5), ("q-formula",)),
    mutant("no-reward-bonus", "the bonus of the rewards forgotten", bugs.scaled("reward_bonus", 0.0), ("q-formula",)),
)
