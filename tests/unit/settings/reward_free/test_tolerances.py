"""What rounding does to weights, matrices and estimates, against what is allowed for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from verifier.base.arrays import EPS
from verifier_settings.reward_free import generators, tolerances
from verifier_settings.reward_free.data import Data
from verifier_settings.reward_free.instance import Instance

from ..lifelong.runs import generator
from .runs import play, small

INSTANCES = {
    "light": small(ridge=1e-3, K=200, anywhere=True),
    "plain": small(K=200),
    "tiny": small(ridge=1e-8, K=60),
    "tabular": generators.tabular(generator(1), S=3, A=2, H=2, K=100, ridge=1e-3),
    "one feature": small(d=1, K=100),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_features_that_are_off_by_rounding_lead_to_differences_within_what_is_allowed(name: str) -> None:
    """The same transcript with every feature off by an eps: another computer, so to speak."""
    instance = INSTANCES[name]
    (view,), run = play(instance)
    one, other = Data.none(instance.public), Data.none(nudged(instance).public)
    public = instance.public
    for k in range(public.K):
        values, width = view.V[k, 1:], view.width[k]
        if not one.decided:
            break
        off = (one.model - other.model) @ values[..., None]
        norm = np.sqrt(np.einsum("hi,hij,hj->h", off[..., 0], one.gram, off[..., 0]))
        assert (norm <= tolerances.estimate(public, one.size)[0]).all()
        assert (np.abs(one.norm - other.norm) <= tolerances.relative_norm(public, one.size)[0, :, None] * one.norm).all()
        assert (np.abs(one.gram - other.gram).max(axis=(1, 2)) <= tolerances.gram(public, one.size)[0]).all()
        difference = np.abs(one.variance_gram - other.variance_gram).max(axis=(1, 2))
        assert (difference <= tolerances.variance_gram(public, one.size)[0]).all()
        before, played = one.size, (run.states[k], run.actions[k], values, width)
        one, other = one.after(*played), other.after(*played)
        allowed = tolerances.spread(public, before, width[None], one.last.norm)
        assert (np.abs(one.last.spread - other.last.spread) <= allowed).all()
        assert (np.abs(one.last.variance / other.last.variance - 1) <= one.last.rounding + 4 * EPS).all()
    assert one.episodes > 20


def nudged(instance: Instance) -> Instance:
    """With features off by half an eps at most, relatively."""
    phi = instance.public.phi
    return replace(instance, public=replace(instance.public, phi=phi * (1 + EPS / 2 * generator(7).uniform(-1, 1, phi.shape))))


def test_what_is_allowed_is_small() -> None:
    """On the instance with the small regulariser that the catalogue has: an error of values of 1e-4 is seen."""
    _, run = play(generators.simplex(generator(0), S=6, A=3, d=2, H=3, K=600, ridge=1e-3))
    public, size = run.public, run.planning.size
    assert (tolerances.estimate(public, size)[..., None] * run.planning.norm).max() < 1e-5
    assert tolerances.relative_norm(public, size).max() < 1e-5
    assert run.series.decided.mean() > 0.999
