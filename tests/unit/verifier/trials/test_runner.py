from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
from verifier.base.config import Config
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.runner import runner

print("started")
with runner(Config(jobs=2), registry()) as trials:
    for result in trials.map(TrialSpec("ucblvd", "onehot", "oracle", index, 0) for index in range(2)):
        print(result.spec.index, result.error, len(result.measurements) > 10)
"""


def test_a_script_without_a_guard_is_not_run_again_by_its_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines() == ["started", "0 None True", "1 None True"], done.stderr
