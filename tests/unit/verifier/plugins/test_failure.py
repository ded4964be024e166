"""Messages of failures of plugins: the line of the plugin is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from verifier.plugins.failure import failure_of

SOURCE = "import numpy as np\n\ndef act(h):\n    return np.linalg.inv(np.zeros((h, h)))\n"


def raised(name: str, **space: Any) -> str:
    """The message of the failure of code of a file of this name."""
    exec(compile(SOURCE, name, "exec"), space)
    try:
        space["act"](2)
    except np.linalg.LinAlgError as error:
        return failure_of(error).message
    raise AssertionError


def test_the_line_of_the_plugin_is_named_and_not_that_of_the_library_it_calls(tmp_path: Path) -> None:
    assert raised(str(tmp_path / "mine.py"), __name__="mine") == "LinAlgError: Singular matrix (mine.py:4, in act)"


def test_code_that_came_by_value_is_named_by_its_module() -> None:
    assert raised("<dynamic-code>", __name__="package.thesis") == "LinAlgError: Singular matrix (thesis.py:4, in act)"


def test_the_harness_is_not_named() -> None:
    assert raised("somewhere.py", __name__="verifier_settings.episodic").startswith(
        "LinAlgError: Singular matrix (test_failure.py:"
    )


def test_whoever_changes_what_was_handed_over_is_told_to_copy_it(tmp_path: Path) -> None:
    given = np.ones(3)
    given.flags.writeable = False
    space: dict[str, Any] = {"__name__": "mine"}
    exec(compile("def act(given):\n    given[0] = 2.0\n", str(tmp_path / "mine.py"), "exec"), space)
    with pytest.raises(ValueError, match="read-only") as caught:
        space["act"](given)
    told = failure_of(caught.value).message
    assert "(mine.py:2, in act); what the harness hands over is not to be changed: change a copy of it" in told
