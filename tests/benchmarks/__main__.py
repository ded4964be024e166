"""`python -m tests.benchmarks`: the command, in the environment that workers have (one thread of linear algebra, kept memory)."""

from __future__ import annotations

import os
import sys

from verifier.trials.variables import process_variables

if __name__ == "__main__":
    wanted = process_variables()
    if any(os.environ.get(name) != value for name, value in wanted.items() if name != "PYTHONPATH"):
        os.execve(sys.executable, [sys.executable, "-m", "tests.benchmarks", *sys.argv[1:]], os.environ | wanted)

    from .command import main

    main(prog_name="python -m tests.benchmarks")
