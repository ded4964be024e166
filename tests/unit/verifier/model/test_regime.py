"""Regimes: their names, and settings that do not offer one."""

from __future__ import annotations

import pytest

from verifier.base.errors import ContractError, UsageError
from verifier.model.regime import Regime
from verifier.trials.trial import make_width
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB

from ...settings.episodic.runs import session, small


@pytest.mark.parametrize(
    "name", ["published", "scaled(0.1)", "calibrated", "calibrated[radius=largest]", "oracle[minimiser=farthest]"]
)
def test_names_are_read_back(name: str) -> None:
    assert Regime.parse(name).name == name


@pytest.mark.parametrize("name", ["", "calibrate", "calibrated(2)", "scaled(0)", "oracle[x]"])
def test_what_is_no_regime_is_told(name: str) -> None:
    with pytest.raises(UsageError, match="expected 'published', 'calibrated', 'oracle' or"):
        Regime.parse(name)


def test_a_setting_without_calibrated_widths_says_so() -> None:
    instance = small()
    opened = session(instance, LSVIUCB)
    width = make_width(LSVIUCB, Regime.parse("calibrated"), opened, instance.public)
    with pytest.raises(ContractError, match="no calibrated widths"):
        width(0)
