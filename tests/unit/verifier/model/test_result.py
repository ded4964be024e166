"""What is kept of a trial."""

from __future__ import annotations

from verifier.model.result import LONGEST, TrialError


def test_a_plugin_does_not_fill_every_report_with_its_message() -> None:
    nested: object = ()
    for _ in range(20):
        nested = (nested, nested)
    error = TrialError("contract", f"step({nested!r}), expected an action", "line\n" * 10**6)
    assert len(error.message) + len(error.traceback) < 2 * LONGEST + 100
    assert error.message.startswith("step(((")
    assert error.message.endswith(", expected an action")
    assert "characters ..." in error.message
    assert TrialError("crash", "x" * LONGEST).message == "x" * LONGEST
