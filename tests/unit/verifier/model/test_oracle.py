"""Oracles that plugins supply: what may be declared, and that they take the place of the setting's and of nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier import Oracle
from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.regime import Regime
from verifier.model.setting import Session
from verifier.model.validation import validate
from verifier.trials.trial import make_width
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning

from ....installed import guaranteed
from ...settings.episodic.runs import session, small


class Three(Oracle):
    """Errors of 3, whatever happens."""

    def error(self, step: int, target: Array) -> Array:
        return np.array(3.0)

    def width(self, step: int, target: Array) -> float:
        return 3.0


def test_what_is_supplied_answers_for_its_width_and_the_setting_for_the_others() -> None:
    opened = session(small(), HoeffdingQLearning)
    supplied = {"update": Three(small(), opened.transcript)}
    width = make_width(HoeffdingQLearning, Regime.parse("oracle"), opened, small().public, supplied=supplied)
    assert width(0, of="update") == 3.0
    assert float(width.error(0, of="update")) == 3.0
    values = np.zeros(3)
    assert width(0, values, of="hoeffding") == opened.oracle("hoeffding", 0, values) != 3.0
    assert width.error(0, values, of="hoeffding").shape == (6,)


def test_it_has_no_part_in_other_regimes() -> None:
    opened = session(small(), HoeffdingQLearning)
    supplied = {"update": Three(small(), opened.transcript)}
    width = make_width(HoeffdingQLearning, Regime.parse("published"), opened, small().public, supplied=supplied)
    assert width(0, of="update") == HoeffdingQLearning.published_width(small().public, "update") != 3.0


def test_a_width_that_nobody_knows_is_refused() -> None:
    opened = session(small(), HoeffdingQLearning)
    width = make_width(HoeffdingQLearning, Regime.parse("oracle"), opened, small().public)
    with pytest.raises(ContractError, match="the width of 'update' was asked for"):
        width(0, of="update")


@pytest.mark.parametrize(
    ("oracles", "words"),
    [
        ({"updates": Three}, "an oracle is supplied for 'updates', which is no width it asks for"),
        ({"update": Oracle}, "expected a class that derives from verifier.Oracle"),
        ({"update": Three(None, None)}, "expected a class that derives from verifier.Oracle"),
    ],
)
def test_bad_declarations_are_refused(oracles: dict[str, Any], words: str) -> None:
    validate(guaranteed(HoeffdingQLearning))
    with pytest.raises(ContractError, match=words):
        validate(replace(guaranteed(HoeffdingQLearning), oracles=oracles))


def test_a_setting_that_hands_out_no_transcript_says_so() -> None:
    with pytest.raises(ContractError, match="hands out no transcript"):
        Session.transcript.fget(object())  # type: ignore[attr-defined]  # of the base class


def test_fields_of_all_plans_are_kept_where_they_are_asked_for() -> None:
    """And no others: memory is that of what was declared."""
    kept = {}
    for fields in (frozenset[str](), frozenset({"gram"})):
        opened = session(small(K=4), LSVIUCB)
        opened.remember(fields)
        width = make_width(LSVIUCB, Regime.parse("published"), opened, small(K=4).public)
        for plan in LSVIUCB(small(K=4).public, width).run(opened.environment):
            opened.observe(plan, width.take())
        kept[fields] = opened.finish()[1]
    assert kept[frozenset()].history == {}
    run = kept[frozenset({"gram"})]
    assert set(run.history) == {"gram"}
    assert run.in_force("gram").shape == (4, 3, 6, 6)
