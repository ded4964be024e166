"""The search finds a planted bug with this setting's recipes and shrinks it to an instance that fits on a page."""

from __future__ import annotations

import numpy as np
import pytest

from verifier import Claim, Guarantees, Kind
from verifier.base.arrays import Array
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property
from verifier.model.regime import Regime
from verifier.trials.search.hunt import examine
from verifier_cvar.ela.algorithm import ELA
from verifier_settings.cvar import CVAR, Iterations


@phase_property()
def pays_one_step_back(view: Iterations) -> Inequality:
    """H E[f_{h+1}] <= E[b_h] under pi* in the learned model."""
    due, paid = view.one_step_back
    labels = {"iteration": view.k, "h": view.labels["h"]}
    return Inequality(due, paid, ("iteration", "h"), trivial=2.0 * view.public.H, tolerance=1e-9, labels=labels)


CLAIM = Claim("one-step-back", pays_one_step_back, "Lemma C.2", "test", "H E f <= E b", Kind.ALWAYS)


class Halved(ELA):
    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        return np.asarray(super().bonus(phi, gram, h) / 2)


@pytest.mark.full
def test_a_sound_algorithm_is_not_refuted() -> None:
    examination = examine(Guarantees(ELA, (CLAIM,)), CVAR, (CLAIM,), Regime.parse("oracle"), seed=0, examples=150)
    assert examination.witnesses == ()
    assert examination.powered["one-step-back"] > 20


@pytest.mark.full
def test_half_a_bonus_is_refuted_on_a_page() -> None:
    examination = examine(Guarantees(Halved, (CLAIM,)), CVAR, (CLAIM,), Regime.parse("oracle"), seed=0, examples=150)
    (witness,) = examination.witnesses
    recipe = CVAR.recipes.from_json(witness.recipe)  # type: ignore[union-attr]  # this setting has recipes
    assert recipe.H <= 4
    assert (recipe.A, recipe.K, recipe.M) == (1, 1, 2)
    assert len(witness.tables.splitlines()) < 25
    assert "-a0" in witness.transcript
