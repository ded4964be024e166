"""The planning meter tells passes of planning from one another, and makes nothing of how a pass is written."""

from __future__ import annotations

import numpy as np

from verifier_settings.planning_meter import PlanningMeter

ONE, TWO = np.ones(3), np.full(3, 2.0)


class Clock:
    now = 0

    def __call__(self) -> int:
        return self.now


def test_a_pass_asks_for_each_width_once() -> None:
    meter = PlanningMeter(Clock())
    for step, target in ((1, ONE), (0, TWO)):
        meter.ask("transition", step, target)
        meter.ask("reward", step, ONE)
    meter.plan()
    assert meter.finish().tolist() == []


def test_a_width_asked_for_again_with_the_same_values_is_the_same_pass() -> None:
    meter = PlanningMeter(Clock())
    for target in (ONE, ONE.copy(), ONE * (1 + 1e-13)):
        meter.ask("transition", 0, target)
    meter.plan()
    assert meter.finish().tolist() == []


def test_other_values_are_another_pass() -> None:
    clock = Clock()
    meter = PlanningMeter(clock)
    clock.now = 7
    meter.ask("transition", 0, ONE)
    meter.ask("transition", 0, TWO)
    meter.plan()
    assert meter.finish().tolist() == [7]


def test_so_is_the_same_width_after_a_step() -> None:
    """Though values do not change where they are at their cap."""
    clock = Clock()
    meter = PlanningMeter(clock)
    for clock.now in range(4):
        meter.ask("transition", 1, ONE)
        meter.ask("transition", 0, ONE)
    meter.plan()
    assert meter.finish().tolist() == [0, 1, 2]


def test_a_plan_may_be_yielded_later_than_it_was_made() -> None:
    clock = Clock()
    meter = PlanningMeter(clock)
    meter.ask("transition", 0, ONE)
    clock.now = 1
    meter.plan()
    assert meter.finish().tolist() == []


def test_planning_after_the_last_plan_counts() -> None:
    clock = Clock()
    meter = PlanningMeter(clock)
    meter.ask("transition", 0, ONE)
    meter.plan()
    clock.now = 9
    meter.ask("transition", 0, ONE)
    assert meter.finish().tolist() == [9]


def test_widths_without_a_value_function_are_no_planning() -> None:
    meter = PlanningMeter(Clock())
    meter.ask("bonus", 0, np.zeros(0))
    assert meter.finish().tolist() == []


def test_one_width_asked_for_early_is_no_planning() -> None:
    """Nor are all of them, one at each step of the episode before."""
    clock = Clock()
    meter = PlanningMeter(clock)
    for early in ((0,), (2, 1, 0)):
        for step in early:
            clock.now += 1
            meter.ask("transition", step, ONE)
        clock.now += 1
        for step in (2, 1, 0):
            meter.ask("transition", step, TWO)
        meter.plan()
    assert meter.finish().tolist() == []


def test_widths_read_off_with_zeros_are_no_planning() -> None:
    clock = Clock()
    meter = PlanningMeter(clock)
    for target in (np.zeros(3), ONE):
        for step in (1, 0):
            meter.ask("transition", step, target)
        clock.now += 1
    meter.plan()
    assert meter.finish().tolist() == []


def test_passes_that_share_the_width_of_the_last_step_are_told_apart() -> None:
    """There the value function is zero in all of them; the third comes after a step and asks for all widths."""
    clock = Clock()
    meter = PlanningMeter(clock)
    for target in (ONE, TWO, ONE):
        clock.now += target is not TWO
        meter.ask("transition", 1, np.zeros(3))
        meter.ask("transition", 0, target)
    meter.plan()
    assert meter.finish().tolist() == [1, 1]
