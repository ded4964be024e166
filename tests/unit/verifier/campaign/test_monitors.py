"""Which statistical test decides a claim, and where there is nothing to decide."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from verifier.base.config import Config
from verifier.base.errors import UsageError
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.monitors import monitor_of, why_nothing_is_claimed
from verifier.campaign.selection import Selection
from verifier.plugins.registry import registry

LOSS = registry("lsvi-rfe").guarantees_of("lsvi-rfe").claim("loss")


@pytest.mark.parametrize(("delta", "nothing"), [(0.1, False), (0.1428, False), (1 / 7, True), (0.25, True)])
def test_a_probability_above_one_claims_nothing(delta: float, nothing: bool) -> None:
    public = SimpleNamespace(delta=delta)
    assert LOSS.failure_probability == 7.0
    assert bool(why_nothing_is_claimed(LOSS, public)) is nothing
    if not nothing:
        assert monitor_of(LOSS, public, 1e-3, 0.01) is not None
    assert why_nothing_is_claimed(replace(LOSS, failure_probability=0.0, chance=0.5), public) == ""


def test_a_delta_that_is_no_probability_is_an_error() -> None:
    public = SimpleNamespace(delta=1.5)
    assert why_nothing_is_claimed(LOSS, public) == ""
    with pytest.raises(UsageError, match=r"delta is 10\.5"):
        monitor_of(LOSS, public, 1e-3, 0.01)


def test_a_regime_asked_for_by_name_runs_where_the_theorem_says_nothing() -> None:
    """The instance is there for another regime, whose claims may fail with a smaller multiple of its delta."""
    selection = Selection(("lsvi-rfe",), claims=("loss",), regimes=("published",), instances=("two-states",))
    found = Campaign(registry("lsvi-rfe"), selection, PROFILES["quick"], Config())
    (cell,) = found.cells
    assert cell.not_applicable == {"loss": "it may fail with probability 7 delta = 1.75 here, which says nothing"}
