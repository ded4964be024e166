"""The instance of the lower bound: what its signs are worth, what data say of them, and who must have seen them."""

from __future__ import annotations

from itertools import product
from math import comb, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array, IntArray
from verifier.base.seeds import stream
from verifier.statistics.evidence import EvidenceMonitor, measure_evidence
from verifier.statistics.expectation import measure_run
from verifier_properties.reward_free.lower_bound import hidden_signs, least_loss, lower_bound
from verifier_settings.reward_free import REWARD_FREE, generators
from verifier_settings.reward_free.hard import REWARDED, Hard, hard
from verifier_settings.reward_free.instance import Instance
from verifier_settings.views import Facts


def drawn(seed: int = 0, *, d: int = 3, H: int = 4, K: int = 400) -> tuple[Instance, Hard]:
    instance = generators.hard(stream(seed, "hard"), d=d, H=H, K=K).drawn(stream(seed, "signs"))
    known = hard(instance)
    assert known is not None
    return instance, known


def explored(known: Hard, K: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Episodes with random actions."""
    H, n = len(known.signs), len(known.choices)
    actions = rng.integers(n, size=(K, H))
    chance = known.rate + known.gap * np.einsum("kha,ha->kh", known.choices[actions], known.signs)
    won = rng.random((K, H)) < chance
    states = np.zeros((K, H + 1), dtype=np.int64)
    for h in range(H):
        states[:, h + 1] = np.where((states[:, h] == H + 1) | won[:, h], H + 1, h + 1)
    return states, actions


def view(instance: Instance, states: IntArray, actions: IntArray, choice: IntArray) -> Any:
    """A run that returns this action at x_h."""
    H, S = instance.public.H, instance.public.S
    policy = np.zeros((1, H, S), dtype=np.int64)
    policy[0, np.arange(H), np.arange(H)] = choice
    theta = instance.fixed[REWARDED][None]
    loss = (instance.optimal(theta)[1] - instance.under(policy, instance.reward(theta)))[:, 0] @ instance.start
    planning = SimpleNamespace(names=(REWARDED,), loss=loss, policy=policy)
    found = Facts(instance=instance)
    vars(found).update(states=states, actions=actions, planning=planning)
    return found


def likeliest(known: Hard, states: IntArray, actions: IntArray) -> IntArray:
    """The action that is best in the mean under the posterior: the signs that are more likely than not."""
    mean = known.posterior(states, actions) @ known.choices
    return np.array([int(np.argmax(known.choices @ signs)) for signs in mean])


def told(known: Hard) -> IntArray:
    return np.array([int(np.argmax(known.choices @ signs)) for signs in known.signs])


# The instance


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("d", "H", "K"), [(3, 4, 400), (2, 2, 10), (4, 5, 100)])
def test_signs_and_sizes_are_those_of_the_kernel(seed: int, d: int, H: int, K: int) -> None:
    instance, known = drawn(seed, d=d, H=H, K=K)
    assert known.signs.shape == (H, d - 1)
    assert known.gap == pytest.approx(sqrt(1 / (H * K)) / (4 * sqrt(2)), rel=1e-9)
    assert known.rate == pytest.approx(1 / H)
    won = instance.truth.P.reshape(H, H + 2, -1, H + 2)[np.arange(H), np.arange(H), :, H + 1]
    assert won == pytest.approx(known.rate + known.gap * known.signs @ known.choices.T)


def test_values_are_those_of_the_best_and_of_the_worst_policy() -> None:
    instance, known = drawn()
    theta = instance.fixed[REWARDED][None]
    assert known.value(known.largest) == pytest.approx(instance.optimal(theta)[1][0, np.arange(4), np.arange(4)])
    worst = view(instance, *explored(known, 1, stream(0, "x")), 2 ** (known.signs.shape[1]) - 1 - told(known))
    assert worst.planning.loss[0] == pytest.approx(known.value(known.largest)[0] - known.value(known.least)[0])


def test_no_policy_loses_more_than_the_lemma_says() -> None:
    """Lemma B.2: at most d H^2 Delta."""
    for d, H, K in ((3, 4, 400), (4, 5, 100), (2, 2, 10)):
        _, known = drawn(d=d, H=H, K=K)
        largest = known.value(known.largest)[0] - known.value(known.least)[0]
        assert 0 < largest <= (1 + 1e-9) * (d - 1) * H * (H - 1) * known.gap <= d * H**2 * known.gap


def test_signs_are_drawn_for_each_trial_and_uniform() -> None:
    """The mean of 4000 signs is below 4/sqrt(4000) but for one seed in 15000."""
    instance = generators.hard(stream(0, "hard"), d=3, H=4, K=400)
    signs = [known.signs for i in range(500) if (known := hard(instance.drawn(stream(i, "signs")))) is not None]
    assert abs(np.mean(signs)) < 4 / sqrt(4000)
    assert len({one.tobytes() for one in signs}) > 200


def test_other_instances_are_not_hard() -> None:
    for name in ("simplex", "lock", "fan", "tabular"):
        scenario = REWARD_FREE.scenario(name)
        assert scenario is not None
        instance = scenario.draw(0)
        assert hard(instance) is None
        for one in (lower_bound, hidden_signs):
            assert not one.function(Facts(instance=instance)).premise


# What data say


def test_the_posterior_by_enumeration() -> None:
    _, known = drawn(d=3, H=2, K=40)
    states, actions = explored(known, 40, stream(1, "play"))
    for h in range(2):
        likelihood = np.ones(4)
        for signs, i in zip(known.choices, range(4), strict=True):
            for k in range(40):
                if states[k, h] == h:
                    p = known.rate + known.gap * float(signs @ known.choices[actions[k, h]])
                    likelihood[i] *= p if states[k, h + 1] == 3 else 1 - p
        assert known.posterior(states, actions)[h] == pytest.approx(likelihood / likelihood.sum())


def outcomes(known: Hard, actions: IntArray) -> list[tuple[float, IntArray]]:
    """All transcripts of H = 2 with these actions, and the probability of what happens at step 1."""
    found = []
    for won in product((0, 1), repeat=len(actions)):
        chance = known.rate + known.gap * (known.choices[actions[:, 0]] @ known.signs[0])
        states = np.array([[0, 3, 3] if one else [0, 1, 2] for one in won])
        found.append((float(np.prod(np.where(won, chance, 1 - chance))), states))
    return found


@pytest.mark.parametrize("rule", [likeliest, lambda known, states, actions: np.array([1, 0]), lambda known, s, a: s[:2, 1] % 3])
def test_the_evidence_has_mean_one_for_whoever_has_not_seen_the_signs(rule: Any) -> None:
    """Over all signs of step 1 and all outcomes of four episodes: exactly."""
    template, base = drawn(d=3, H=2, K=40)
    actions = np.array([[0, 1], [1, 1], [3, 0], [1, 2]])
    total = 0.0
    for signs in base.choices:
        known = Hard(base.rate, base.gap, np.array([signs, base.signs[1]]), base.choices)
        chance = known.rate + known.gap * known.signs @ known.choices.T
        P = template.truth.P.copy().reshape(2, 4, 4, 4)
        P[0, 0, :, 3], P[0, 0, :, 1] = chance[0], 1 - chance[0]
        instance = Instance(
            template.public, type(template.truth)(P.reshape(2, 16, 4), template.truth.mu), template.start, template.fixed,
            template.pieces, template.redraw,
        )  # fmt: skip
        for probability, states in outcomes(known, actions):
            found = hidden_signs(view(instance, states, actions, rule(known, states, actions)))
            total += probability / 4 * float(found.value)
    assert total == pytest.approx(1.0)


def test_four_runs_convict_an_agent_that_was_told() -> None:
    monitor = EvidenceMonitor(1e-6)
    for seed in range(5):
        instance, known = drawn(seed)
        found = measure_evidence(hidden_signs(view(instance, *explored(known, 400, stream(seed, "play")), told(known))))
        assert found.value == pytest.approx(found.trivial)
        monitor = monitor.observe(found)
    assert monitor.violated


def test_agents_that_were_not_told_are_not_convicted() -> None:
    """At level 1/1000 each, so one of the two is with probability 1/500 at most."""
    for rule in (likeliest, lambda known, states, actions: actions[-1]):
        monitor = EvidenceMonitor(1e-3)
        for seed in range(60):
            instance, known = drawn(seed)
            states, actions = explored(known, 400, stream(seed, "play"))
            monitor = monitor.observe(
                measure_evidence(hidden_signs(view(instance, states, actions, rule(known, states, actions))))
            )
        assert monitor.decision == "conforms"


# The lower bound


@pytest.mark.parametrize("K", [10, 100, 1000])
def test_the_best_rule_is_above_it(K: int) -> None:
    """D = 1, H = 2: K coins of two laws, 2 Delta apart; the likelier sign is wrong with probability (1 - TV)/2, exactly."""
    _, known = drawn(d=2, H=2, K=K)
    laws = [np.array([comb(K, i) * p**i * (1 - p) ** (K - i) for i in range(K + 1)]) for p in (known.largest, known.least)]
    wrong = (1 - abs(laws[0] - laws[1]).sum() / 2) / 2
    loss = wrong * 2 * known.gap  # V*_2(x_2) = 0: the reward of the last step is that of the state it is played in
    assert least_loss(known, K) <= loss <= 1.35 * least_loss(known, K)
    assert loss <= known.gap


def losses(rule: Any, runs: int) -> Array:
    found = []
    for seed in range(runs):
        instance, known = drawn(seed)
        states, actions = explored(known, 400, stream(seed, "play"))
        found.append(float(view(instance, states, actions, rule(known, states, actions)).planning.loss[0]))
    return np.array(found)


def test_whoever_was_not_told_loses_more_and_whoever_was_less() -> None:
    """The mean of 200 runs less three standard errors: below the bound by chance once in 700."""
    _, known = drawn()
    bound = least_loss(known, 400)
    found = losses(likeliest, 200)
    assert found.mean() - 3 * found.std() / sqrt(200) > bound
    assert losses(lambda known, states, actions: told(known), 3) == pytest.approx(0.0, abs=1e-12)
    instance, known = drawn()
    states, actions = explored(known, 400, stream(0, "play"))
    leaked = measure_run(lower_bound(view(instance, states, actions, told(known))))
    assert leaked.value > leaked.bound
    assert leaked.bound == pytest.approx(leaked.trivial - bound)
