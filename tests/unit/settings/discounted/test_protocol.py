"""What an algorithm may do in a run, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import DiscountedPlan
from verifier_settings.discounted.policies import log

from .runs import at, example, play, session


def scripted(letters: str, change: Callable[[DiscountedPlan], Any] | None = None, when: int = 1) -> type[TabularRaviUCB]:
    """A run that does what the letters say: plan, plan without a width, step, reset. Plan number `when` is changed."""

    class Scripted(TabularRaviUCB):
        def run(self, env: Any) -> Iterator[DiscountedPlan]:
            log_policy, Q, eta, k = log(self.public.initial_policy), self.initial_Q(), self.learning_rate(), 0
            for letter in letters:
                if letter in "pw":
                    k += 1
                    V, log_policy = self.improve(log_policy, Q, eta)
                    estimate = self.estimate(V)
                    bonus = self.bonus(V) if letter == "p" else 0.0 * estimate
                    Q = self.backup(estimate, bonus)
                    plan = DiscountedPlan(log_policy, V, estimate, bonus, Q, eta, **self.reported())
                    yield change(plan) if change is not None and k == when else plan
                elif letter == "s":
                    env.step(0)
                elif letter == "r":
                    env.reset()

    return Scripted


PROTOCOL = [
    ("psrpsrps", ""),
    ("psss", ""),
    ("psspsr", ""),
    ("sss", "no plan was yielded; yield a plan before the first step"),
    ("spss", "the first plan came after 1 steps; yield a plan before the first step"),
    ("ppsss", "no step was played in epoch 1; an epoch has at least one"),
    ("psppss", "no step was played in epoch 2"),
    ("pss", r"run\(\) ended after 2 of T = 3 steps; play all of them"),
    ("", r"run\(\) ended after 0 of T = 3 steps"),
    ("pssss", "step 4, but the run has T = 3"),
    ("psssp", "a plan was yielded after the last step T = 3"),
    ("psssrp", "a plan was yielded after the last step T = 3"),
    ("wsss", r"epoch 1: the algorithm did not ask for the width; call self.width\(0, V\)"),
    ("psrwss", "epoch 2: the algorithm did not ask for the width"),
    ("prsss", "reset called before the first step"),
    ("psrrss", "twice without a step between, after 1 steps"),
]


@pytest.mark.parametrize("regime", ["oracle", "published"])
@pytest.mark.parametrize("batch", [1, 10**6])
@pytest.mark.parametrize(("letters", "message"), PROTOCOL)
def test_the_protocol(letters: str, message: str, batch: int, regime: str) -> None:
    if message:
        with pytest.raises(ContractError, match=message):
            play(scripted(letters), example(T=3), regime, batch=batch)
    else:
        _, run = play(scripted(letters), example(T=3), regime, batch=batch)
        assert run.epochs == letters.count("p")


BAD_PLANS: dict[str, tuple[Callable[[DiscountedPlan], Any], str]] = {
    "not a plan": (lambda plan: 3, "got int, expected DiscountedPlan; build one in `run`"),
    "nan": (lambda plan: replace(plan, Q=at(plan.Q, (1, 0), np.nan)), r"field `Q` is nan at \(1, 0\), expected a finite"),
    "infinite": (lambda plan: replace(plan, V=at(plan.V, 2, np.inf)), r"field `V` is inf at \(2,\)"),
    "log of more than everything": (
        lambda plan: replace(plan, log_policy=at(plan.log_policy, (0, 1), np.inf)),
        r"field `log_policy` is inf at \(0, 1\)",
    ),
    "log that is no number": (
        lambda plan: replace(plan, log_policy=at(plan.log_policy, (0, 1), np.nan)),
        r"field `log_policy` is nan at \(0, 1\)",
    ),
    "no action": (
        lambda plan: replace(plan, log_policy=at(plan.log_policy, 1, -np.inf)),
        "field `log_policy` is -inf for every action of state 1; one has mass",
    ),
    "missing": (lambda plan: replace(plan, visits=None), r"field `visits` is None, but the algorithm has to yield it"),
    "missing always": (lambda plan: replace(plan, bonus=None), "field `bonus` is None"),
    "shape": (lambda plan: replace(plan, bonus=plan.bonus[1:]), r"of shape \(2, 2\), expected an array of shape \(3, 2\)"),
    "flat": (lambda plan: replace(plan, estimate=plan.estimate.ravel()), r"shape \(6,\), expected an array of shape \(3, 2\)"),
    "list": (lambda plan: replace(plan, V=plan.V.tolist()), r"field `V` is a list of shape \(3,\), expected an array"),
    "complex": (lambda plan: replace(plan, Q=plan.Q * 1j), "field `Q` has dtype complex128"),
    "bool": (lambda plan: replace(plan, bonus=plan.bonus > 0), "field `bonus` has dtype bool"),
    "text": (lambda plan: replace(plan, eta="fast"), r"field `eta` is a str of shape \(\)"),
    "several rates": (lambda plan: replace(plan, eta=np.ones(2)), r"field `eta` is a ndarray of shape \(2,\)"),
    "no rate": (lambda plan: replace(plan, eta=0.0), r"field `eta` is 0.0, expected a positive number"),
    "negative rate": (lambda plan: replace(plan, eta=-0.1), r"field `eta` is -0.1, expected a positive number"),
}


@pytest.mark.parametrize("name", BAD_PLANS)
@pytest.mark.parametrize("when", [1, 3])
def test_bad_plans_are_refused(name: str, when: int) -> None:
    change, message = BAD_PLANS[name]
    with pytest.raises(ContractError, match=message) as caught:
        play(scripted("psrpsrps", change, when), example(T=3), "published")
    assert f"plan of epoch {when}:" in str(caught.value)


@pytest.mark.parametrize("eta", [np.float64(0.5), np.float32(0.5), np.array(0.5), 1])
def test_the_rate_may_be_any_sort_of_number(eta: Any) -> None:
    _, run = play(scripted("psss", lambda plan: replace(plan, eta=eta)), example(T=3), "published")
    assert run.eta == eta


def test_plans_may_exclude_actions_and_come_in_integers() -> None:
    def change(plan: DiscountedPlan) -> DiscountedPlan:
        return replace(plan, log_policy=np.tile([0.0, -np.inf], (3, 1)), visits=plan.visits.astype(int))

    (view,), _ = play(scripted("psss", change), example(T=3), "published")
    assert np.isfinite(view.gap).all()
    assert (view.plans["visits"] == 1).all()


def test_unknown_fields_cannot_be_declared() -> None:
    class Other(TabularRaviUCB):
        yields = frozenset({"visit", "gram"})

    with pytest.raises(ContractError, match="`yields` names visit; a plan's optional fields are visits, gram, theta"):
        session(example(), Other)


def test_a_width_asked_with_no_value_function_is_refused() -> None:
    class Asks(TabularRaviUCB):
        def bonus(self, V: np.ndarray) -> np.ndarray:
            return self.width(0, V[:2]) * self.norm(V)

    for regime in ("oracle", "published"):
        with pytest.raises(ContractError, match=r"value function of shape \(2,\), expected \(3,\), finite"):
            play(Asks, example(), regime)


def test_plans_are_copied_when_they_are_yielded() -> None:
    class Scribbler(TabularRaviUCB):
        def run(self, env: Any) -> Iterator[DiscountedPlan]:
            for plan in super().run(env):
                yield plan
                plan.bonus[:] = -1.0

    (view,), _ = play(Scribbler, example())
    assert (view.bonus >= 0).all()
    assert not view.bonus.flags.writeable
