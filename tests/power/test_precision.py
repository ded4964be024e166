"""Agents that compute in single precision are not called wrong where they say so; wrong formulas are, all the same."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.arrays import EPS, Array
from verifier.base.errors import ContractError
from verifier.model import bugs
from verifier.model.inequality import UNBOUNDED, WHOLE, Inequality
from verifier.model.mutant import planted
from verifier.model.precision import UNITS, with_rounding_of
from verifier.model.validation import validate
from verifier.model.width import Width
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_settings.episodic import EpisodicPlan, Public

from ..installed import guaranteed
from .harness import check, violated

INSTANCES = ("anywhere", "one-state")


class Computes(HoeffdingUCBVI):
    """Tables, models and bonuses in 32 bits."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.reward, self.Q = self.reward.astype(np.float32), self.Q.astype(np.float32)
        self.transitions = self.transitions.astype(np.float32)

    def initial_values(self) -> Array:
        return super().initial_values().astype(np.float32)

    def kernel(self, visits: Array) -> Array:
        return super().kernel(visits).astype(np.float32)

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        return super().bonus(h, visits, kernel, following).astype(np.float32)


class Reports(Algorithm):
    """All numbers of a plan rounded to 32 bits."""

    def plan(self) -> EpisodicPlan:
        plan: EpisodicPlan = super().plan()  # type: ignore[misc]  # the algorithm comes after this class
        given = {item.name: getattr(plan, item.name) for item in fields(plan)}
        return replace(plan, **{k: v.astype(np.float32) for k, v in given.items() if getattr(v, "dtype", None) == np.float64})


SINGLE = [Computes, *(planted(Reports, original) for original in (BernsteinUCBVI, UCRL2, LSVIUCB, HoeffdingQLearning))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("agent", SINGLE, ids=lambda agent: agent.name)
def test_single_precision_is_no_mistake_where_it_is_declared(agent: type[Algorithm]) -> None:
    """The error budget is 1e-3 for each case."""
    declared = type(agent.__name__, (agent,), {"precision": "single"})
    entry = check(declared, INSTANCES, trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.settings["precision"] == "single"
    assert entry.counts["conforms"] > 15
    assert violated(check(agent, ("anywhere",), ("oracle",), trials=1))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("bug", "claims"),
    [
        (bugs.scaled("bonus", 0.99), {"bonus-formula"}),
        (bugs.twice("learn"), {"visits", "bonus-formula", "q-formula"}),
        (bugs.unclipped("optimistic"), {"q-formula", "value-range"}),
        (bugs.disobedient(), {"plays-policy"}),
    ],
    ids=["bonus", "counts", "clip", "play"],
)
def test_a_wrong_formula_is_a_mistake_in_any_precision(bug: type, claims: set[str]) -> None:
    assert claims <= violated(check(planted(bug, Computes, precision="single"), INSTANCES, trials=1))


def test_rounding_is_multiplied_and_whole_numbers_are_exact() -> None:
    tolerance = np.array([0.0, EPS, WHOLE])
    inequality = Inequality(np.zeros(3), 0.0, ("i",), trivial=UNBOUNDED, tolerance=tolerance, careful=EPS / 2)
    found = with_rounding_of("single", inequality)
    assert UNITS["single"] == 2.0**29
    assert np.asarray(found.tolerance).tolist() == [0.0, np.finfo(np.float32).eps, WHOLE]
    assert float(found.careful or 0) == np.finfo(np.float32).eps / 2
    assert with_rounding_of("double", inequality) is inequality


def test_another_precision_is_refused() -> None:
    class Half(HoeffdingUCBVI):
        precision = "half"

    with pytest.raises(ContractError, match="`precision` is 'half', expected 'double' or 'single'"):
        validate(replace(guaranteed(HoeffdingUCBVI), algorithm=Half))
