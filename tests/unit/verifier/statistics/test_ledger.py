from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.errors import InternalError, UsageError
from verifier.statistics import Ledger, RateTest
from verifier.statistics.ledger import LedgerEntry

KEYS = [
    ("a/optimism", "published", "chain"),
    ("a/optimism", "scaled(0.1)", "chain"),
    ("a/regret", "published", "chain"),
]


def test_the_budget_is_split_equally():
    ledger = Ledger(budget=3e-3, certify_level=0.02).plan(KEYS)
    assert [ledger.level(key) for key in KEYS] == pytest.approx([1e-3] * 3)
    assert ledger.spent() == 3e-3


def test_every_test_stands_in_the_record_twice():
    ledger = Ledger(budget=3e-3, certify_level=0.02).plan(KEYS)
    entries = ledger.entries()
    assert [entry.purpose for entry in entries] == ["reject", "certify"] * 3
    assert [(entry.claim, entry.regime, entry.instance) for entry in entries[::2]] == KEYS
    assert [(entry.claim, entry.regime, entry.instance) for entry in entries[1::2]] == KEYS
    assert {entry.level for entry in entries[1::2]} == {0.02}
    assert ledger.spent() == 3e-3
    assert entries[0] == LedgerEntry("a/optimism", "published", "chain", "reject", ledger.level(KEYS[0]))


@settings(derandomize=True, deadline=None, database=None)
@given(st.integers(1, 500), st.floats(1e-9, 0.999))
def test_levels_sum_to_the_budget(tests, budget):
    ledger = Ledger(budget).plan([("claim", "published", f"instance {place}") for place in range(tests)])
    assert math.fsum(entry.level for entry in ledger.entries() if entry.purpose == "reject") == pytest.approx(budget)
    assert ledger.spent() == budget


def test_tests_aside_have_a_share_that_nobody_spends():
    ledger = Ledger(budget=3e-3).plan(KEYS, aside=7)
    levels = [entry.level for entry in ledger.entries() if entry.purpose == "reject"]
    assert levels == [ledger.level(key) for key in KEYS] == pytest.approx([3e-4] * 3)
    assert ledger.spent() == pytest.approx(9e-4)
    assert Ledger().plan([], aside=7).spent() == 0.0


def test_planning_leaves_the_old_ledger_alone():
    empty = Ledger()
    planned = empty.plan(KEYS)
    assert empty.keys == ()
    assert planned.keys == tuple(KEYS)
    assert (empty.budget, empty.certify_level) == (1e-3, 0.01)


def test_a_ledger_without_tests_spends_nothing():
    ledger = Ledger().plan([])
    assert (ledger.spent(), ledger.entries()) == (0.0, ())


def test_no_level_after_the_fact():
    with pytest.raises(InternalError, match="a/regret / oracle / chain is not among the 3 planned"):
        Ledger().plan(KEYS).level(("a/regret", "oracle", "chain"))
    with pytest.raises(InternalError, match="not among the 0 planned"):
        Ledger().level(KEYS[0])


def test_no_second_plan():
    with pytest.raises(InternalError, match="already holds 3 tests"):
        Ledger().plan(KEYS).plan(KEYS)


def test_no_test_twice():
    with pytest.raises(InternalError, match="a/regret / published / chain was planned twice"):
        Ledger().plan([*KEYS, KEYS[2]])


@pytest.mark.parametrize("odd", [0.0, 1.0, -1e-3, 2, math.nan, None, "little"])
def test_bad_budget(odd):
    with pytest.raises(UsageError, match=r"the error budget is .*expected"):
        Ledger(budget=odd)
    with pytest.raises(UsageError, match=r"the certify level is .*expected"):
        Ledger(certify_level=odd)


def test_a_whole_report_rarely_holds_a_false_alarm():
    # 40 tests at rate = delta, 120 trials each, budget 0.1, 2000 reports: exactly computed share per test, then the
    # share of reports. Bonferroni leaves it below the budget; false alarm: 1e-6.
    from scipy.stats import binom

    ledger = Ledger(budget=0.1).plan([("claim", "published", f"instance {place}") for place in range(40)])
    bounds = RateTest(0.1, ledger.level(ledger.keys[0]), ledger.certify_level).boundary(120)
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(2000):
        failures = np.cumsum(rng.random((40, 120)) < 0.1, axis=1)
        alarms += bool(np.any(failures >= bounds.reject))
    assert alarms <= binom.isf(1e-6, 2000, 0.1)
    assert 1 - (1 - bounds.violated(0.1)) ** 40 <= 0.1
