"""Trivial bounds that are derived: no run exceeds them, and they take power from comparisons that could not have failed."""

from __future__ import annotations

import numpy as np

from verifier.model.measurement import measure
from verifier_properties.cvar import model_learning
from verifier_settings.cvar import edges, generators

from ..settings.cvar.runs import ela, generator


def test_norms_are_not_concentrated_by_a_ridge_that_outweighs_the_data() -> None:
    """Norms differ by sqrt(1 + k/lambda) at most, and Lemma E.2 allows sqrt(5/3): nothing can fail while 3k <= 2 lambda."""
    instance = generators.random(generator(0), S=6, A=3, d=2, H=4, m=2, size=20, K=40, tau=0.3)
    view, _ = ela(instance)
    check = model_learning.norm_concentration(view)
    assert (np.asarray(check.value) <= np.asarray(check.trivial)).all()
    known = view.k <= 2 * view.public.ridge / 3
    assert known.sum() > 0
    found = measure(check)
    assert found.powered == found.comparisons * (~known).sum() / view.k.size


def test_the_likeliest_of_models_that_are_equally_likely_is_no_choice() -> None:
    instance = edges.small(generator(5), H=4, tau=1.0)
    view, _ = ela(instance)
    check = model_learning.likelihood_argmax(view)
    spread = np.ptp(view.log_likelihood, axis=2) > view.log_likelihood_rounding
    assert measure(check).powered == spread.sum()
