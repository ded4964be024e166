"""Code that is not a generator, turned into one."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

from verifier.adapters.inversion import inverted

Emit = Callable[[int], None]


def test_turns_are_strict() -> None:
    log: list[str] = []

    def body(emit: Emit) -> None:
        for k in range(3):
            log.append(f"agent {k}")
            emit(k)

    for plan in inverted(body):
        log.append(f"harness {plan}")
    assert log == ["agent 0", "harness 0", "agent 1", "harness 1", "agent 2", "harness 2"]


def test_what_the_agent_raises_is_raised_here() -> None:
    def body(emit: Emit) -> None:
        emit(1)
        raise SystemExit(3)

    plans = inverted(body)
    assert next(plans) == 1
    with pytest.raises(SystemExit):
        next(plans)


def test_an_agent_that_emits_nothing() -> None:
    assert list(inverted(lambda emit: None)) == []


@pytest.mark.parametrize("taken", [0, 1])
def test_an_abandoned_agent_ends(taken: int) -> None:
    before, ended = threading.active_count(), []

    def body(emit: Emit) -> None:
        try:
            while True:
                try:
                    emit(0)
                except Exception:  # an agent that swallows everything is ended all the same
                    ended.append("swallowed")
        finally:
            ended.append("end")

    plans = inverted(body)
    for _ in range(taken):
        next(plans)
    plans.close()
    assert ended == ["end"] * taken
    assert threading.active_count() == before


def test_an_abandoned_agent_that_plans_once_more_ends_too() -> None:
    """Cleaning up, it calls the environment again: nobody answers, so it must not wait."""
    before, ended = threading.active_count(), []

    def body(emit: Emit) -> None:
        try:
            emit(0)
        finally:
            ended.append("cleans up")
            emit(1)

    plans = inverted(body)
    next(plans)
    closing = threading.Thread(target=plans.close, daemon=True)
    closing.start()
    closing.join(timeout=10)
    assert not closing.is_alive()
    assert ended == ["cleans up"]
    assert threading.active_count() == before


def test_settings_of_the_context_are_those_of_the_harness() -> None:
    def body(emit: Callable[[dict[str, str]], None]) -> None:
        emit(np.geterr())

    with np.errstate(divide="ignore", invalid="raise"):
        (found,) = inverted(body)
    assert (found["divide"], found["invalid"]) == ("ignore", "raise")
