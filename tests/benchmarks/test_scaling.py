"""How long `verifier scale` takes: `pytest tests/benchmarks`. Nothing here asserts a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def test_scaling_of_ucblvd_at_the_quick_profile(benchmark: Any, tmp_path: Path) -> None:
    if benchmark.disabled:
        pytest.skip("takes a minute: run without --benchmark-disable")
    command = [sys.executable, "-m", "verifier", "scale", "ucblvd", "--no-store"]
    arguments = {"cwd": tmp_path, "capture_output": True}
    assert benchmark.pedantic(subprocess.run, (command,), arguments, rounds=1).returncode == 0
