"""Runs trials one after the other in this process, for the gate: ``python -m verifier.commands.gate.repeat PLUGIN``.

The plugin is looked into before others. It reads the trials as JSON from standard input. The first line it writes is the seconds
a fixed piece of work takes here, each further line is the result of a trial. What plugins print goes nowhere.
"""

from __future__ import annotations

import json
import os
import sys
import time


def yardstick() -> float:
    """Processor seconds of a fixed piece of work, half of it interpreter and half of it linear algebra: the best of five."""
    import numpy as np

    matrix = np.random.default_rng(0).standard_normal((60, 60))

    def work() -> float:
        before = time.process_time()
        total = 0.0
        for number in range(60_000):
            total += number % 7
        for _ in range(60):
            np.linalg.solve(matrix, matrix)
        return time.process_time() - before

    return min(work() for _ in range(5))


def main() -> None:
    """Run the trials that standard input names."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)

    from verifier.model.result import TrialSpec
    from verifier.plugins.registry import prefer
    from verifier.trials.runner import isolate_agents
    from verifier.trials.trial import run_trial

    prefer(sys.argv[1])
    specs = [TrialSpec(**item) for item in json.load(sys.stdin)]
    if any(spec.blind for spec in specs):
        isolate_agents(sys.argv[1])
    print(yardstick(), file=answers, flush=True)
    for spec in specs:
        print(json.dumps(run_trial(spec).to_json()), file=answers, flush=True)


if __name__ == "__main__":
    main()
