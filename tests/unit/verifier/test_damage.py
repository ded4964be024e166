"""Damaged records, baselines, configurations and stores, a few hundred of each: read, or refused with a message.

The numbers are fixed, so nothing here depends on chance. `tests/fuzz` goes on for as long as is wanted.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.fuzz.attack import ATTACKS

ROUNDS = {"record": 100, "baseline": 150, "configuration": 400, "store": 100}
FOUND = {"record": (), "baseline": (125,), "configuration": (), "store": (312, 566, 609)}
"""What the long form has found: each number was a traceback once."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ATTACKS)
def test_damage_ends_in_a_message(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    for number in (*range(ROUNDS[name]), *FOUND[name]):
        try:
            ATTACKS[name](number, tmp_path)
        except Exception as error:
            error.add_note(f"attack {name}, number {number}")
            raise
