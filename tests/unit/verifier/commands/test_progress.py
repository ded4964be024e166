"""The line that is seen while a check runs counts the claims that were selected, and no others."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

from verifier.cli.progress import line
from verifier.commands.progress import Step, counts


def test_progress_counts_what_was_selected() -> None:
    """Assumptions are measured whatever is selected, so that more claims than that may have been checked."""
    names = ("optimism", "regret", "gram", "width")
    subject: Any = SimpleNamespace(
        claims=[SimpleNamespace(name=name) for name in names],
        checked={*names[:2], *(f"assumption-{at}" for at in range(9))},
        told={"gram", "assumption-1"},
    )
    text = line(Step(7, 8, math.inf, "", (), *counts(cast("Any", [subject]))))
    assert text == "3 of 4 claims checked, 1 violated; 7 trials"
