"""Linear mixtures: base kernels in what is public, and the regression on the values in force, by the definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from verifier.base.errors import ContractError
from verifier_reference.shared import ucrl_vtr as constants
from verifier_reference.ucrl_vtr.algorithm import UCRLVTR
from verifier_settings.episodic import EPISODIC, Instance, Phases, Public, generators, make
from verifier_settings.episodic.mixtures import radius
from verifier_settings.episodic.strategies import EpisodicRecipe

from ..lifelong.runs import generator
from .runs import play, small

MIXTURE = frozenset({"linear-mixture"})


def mixture(**sizes: Any) -> Instance:
    return generators.mixture(generator(3), **({"S": 3, "A": 2, "m": 2, "H": 3, "K": 12} | sizes))


class EveryThird(UCRLVTR):
    """Keeps a plan for three episodes: their values are those of that plan."""

    def run(self, env: Any) -> Any:
        for k in range(self.public.K):
            state = env.begin_episode()
            if k % 3 == 0:
                plan = self.plan()
                yield plan
            self.play(env, plan, state)


@pytest.mark.parametrize("algorithm", [UCRLVTR, EveryThird])
@pytest.mark.parametrize("batch", [10**6, 3])
def test_the_regression_is_that_of_its_definition(algorithm: type[UCRLVTR], batch: int) -> None:
    """Summed up step by step from the transcript, with the values of the plan in force at each, also across batches."""
    views, run = play(algorithm, mixture(ridge=2.0), batch=batch)
    view = views[0]
    public, plans = view.public, [plan for part in views for plan in part.plans]
    gram, moment, starts = 2.0 * np.eye(2), np.zeros(2), run.plans.tolist()
    found = [(g, w) for part in views for g, w in zip(part.mixture.gram, part.mixture.targets.moment, strict=True)]
    for k in range(public.K):
        if k in starts:
            assert np.allclose(found[starts.index(k)][0], gram, rtol=1e-12)
            assert np.allclose(found[starts.index(k)][1], moment, rtol=1e-12)
        V = plans[np.searchsorted(starts, k, side="right") - 1].V
        for h in range(public.H):
            pair, following = run.pairs[k, h], run.states[k, h + 1]
            x = np.array([kernel[pair] @ V[h + 1] for kernel in public.base])
            gram, moment = gram + np.outer(x, x), moment + V[h + 1, following] * x


def test_the_oracle_width_is_the_least_part_of_the_radius_that_has_the_coefficients() -> None:
    (view,), _ = play(UCRLVTR, mixture())
    error, allowed = view.mixture.error[:, None], view.width * view.mixture.radius[:, None]
    assert (error <= allowed).all()
    assert (allowed <= error * (1 + 1e-6) + 1e-6).all()
    assert view.event.all()


def test_norms_are_the_least_squares_they_stand_for() -> None:
    """||X||^2 under M^-1 is the largest <X, u>^2 with u'Mu = 1: at u = M^-1 X / ||X||, and at no other u."""
    (view,), _ = play(UCRLVTR, mixture())
    p, h, x = 7, 0, 2
    M, X, norm = view.mixture.gram[p], view.mixture.features[p, h, x], view.mixture.norm[p, h, x]
    others = generator(1).standard_normal((500, 2))
    others /= np.sqrt(np.einsum("ni,ij,nj->n", others, M, others))[:, None]
    assert np.abs(others @ X).max() <= norm
    assert np.abs(others @ X).max() >= 0.99 * norm


def test_radius_by_hand() -> None:
    public = replace(mixture(delta=0.02, ridge=4.0, B=1.5).public, base=np.zeros((1, 6, 3)))
    expected = 2 * 1.5 + 1.5 * np.sqrt(2 * np.log(50) + np.log(9.0))  # det M / lambda = 36 / 4
    assert radius(public, np.array([[36.0]])) == pytest.approx(expected)
    assert UCRLVTR(public, lambda *_: 1.0).radius(np.array([[36.0]])) == pytest.approx(expected)  # type: ignore[arg-type]  # no width is asked for


def test_the_explicit_bound_covers_what_it_is_made_of() -> None:
    """The determinant of a run, its radius and its regret are below their largest values."""
    (view,), run = play(UCRLVTR, mixture(K=40), "published")
    public = view.public
    assert view.mixture.radius.max() <= constants.largest_radius(public, public.K)
    growth = np.linalg.slogdet(view.mixture.gram)[1] - public.m * np.log(public.ridge)
    assert growth.max() <= constants.log_growth(public, public.K)
    assert run.series.regret.sum() <= constants.regret(public, public.K)


def test_what_a_problem_has_beyond_a_plain_one_is_found_out() -> None:
    assert EPISODIC.beyond is not None
    assert EPISODIC.beyond(mixture()) == MIXTURE
    assert EPISODIC.beyond(small()) == frozenset()
    assert small().public.m == 0


def test_kernels_and_coefficients_have_to_fit() -> None:
    P, reward = np.full((2, 2), 0.5), np.zeros(2)
    for base, weights in ((np.zeros((2, 2, 2)), np.ones(3)), (np.zeros((2, 3, 2)), np.ones(2)), (None, np.ones(1))):
        with pytest.raises(ContractError, match="expected m kernels and a coefficient for each"):
            make(P, reward, H=1, K=1, base=base, weights=weights)
    assert make(P, reward, H=1, K=1, base=P[None], weights=np.array([1.0])).public.B == 1.0


@settings(max_examples=30)
@given(EpisodicRecipe.strategy(MIXTURE))
def test_drawn_mixtures_are_mixtures(recipe: EpisodicRecipe) -> None:
    for candidate in (recipe, *recipe.smaller()):
        instance = candidate.build()
        public: Public = instance.public
        assert public.m == 1 + len(candidate.others)
        assert np.array_equal(np.tensordot(instance.truth.weights, public.base, axes=1), instance.truth.shared)
        assert candidate.size <= recipe.size
        assert all(len(line) <= 96 for line in candidate.tables().splitlines())
    assert EpisodicRecipe.from_json(recipe.to_json()) == recipe


def test_views_of_other_problems_have_no_regression() -> None:
    from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI

    (view,), run = play(HoeffdingUCBVI, small())
    assert isinstance(view, Phases)
    assert view.targets.gram.shape == (0, 0)
    assert not run.series.targeted.any()
