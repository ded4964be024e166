"""Messages of failures of plugins: the line of the plugin is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

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
