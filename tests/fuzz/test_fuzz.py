"""The long form of the attacks on records, baselines, configurations and stores; it is no part of the test suite.

``VERIFIER_FUZZ_SECONDS=600 pytest tests/fuzz`` runs each for ten minutes (one, where nothing is said) on numbers of its
own. A number that fails is printed; ``VERIFIER_FUZZ_FIRST=N`` begins there.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.fuzz.attack import ATTACKS

SECONDS = float(os.environ.get("VERIFIER_FUZZ_SECONDS", "60"))
FIRST = int(os.environ.get("VERIFIER_FUZZ_FIRST", str(time.time_ns())))


@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", ATTACKS)
def test_no_damage_ends_in_anything_but_a_message(name: str, tmp_path: Path) -> None:
    end, number = time.monotonic() + SECONDS, FIRST
    while time.monotonic() < end:
        try:
            ATTACKS[name](number, tmp_path)
        except Exception as error:
            error.add_note(f"attack {name}, number {number}")
            raise
        number += 1
