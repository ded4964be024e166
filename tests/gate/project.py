"""A project that `verifier new` writes, made small enough for tests, with bugs to plant in its text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from verifier.commands.new.write import write

FEW = {
    "lifelong": 'instances = ("one-feature", "few-episodes")',
    "discounted": 'instances = ("random", "one-step")',
    "cvar": 'instances = ("first-bonus", "low-rank-wide")',
    "episodic": 'instances = ("random", "one-step")',
    "factored": 'instances = ("overlap", "few-rivers")',
    "knapsack": 'instances = ("few-episodes", "one-step")',
    "reward-free": 'instances = ("one-feature", "copies")',
}
"""The line of the algorithm that leaves it only a few instances."""


@dataclass(frozen=True)
class Bug:
    """A piece of the generated algorithm, what stands there instead, and the claim whose inequality breaks."""

    old: str
    new: str
    claim: str


BUGS = {
    "half the bonus": Bug("return beta * np.sqrt", "return 0.5 * beta * np.sqrt", "q-formula"),
    "bonus subtracted": Bug("np.maximum(mean + bonus, 0.0)", "np.maximum(mean - bonus, 0.0)", "optimism"),
    "values not clipped": Bug("np.minimum(Q[h].max(axis=1), H)", "Q[h].max(axis=1)", "value-function"),
    "state instead of its successor": Bug("self.sums[h, :, following]", "self.sums[h, :, state]", "regression"),
    "Gram matrix grows by half": Bug("+= np.outer(phi, phi)", "+= 0.5 * np.outer(phi, phi)", "gram"),
    "plays the first step's policy": Bug("int(plan.policy[h, state, 0])", "int(plan.policy[0, state, 0])", "plays-policy"),
}
"""Bugs of the lifelong skeleton, by what they are."""

UNTOLD = {
    "cvar": Bug("Q.argmin(axis=1), Q.min", "Q.argmax(axis=1), Q.min", "greedy"),
    "discounted": Bug("cumulated[x], env.rng.random()", "cumulated[x], env.rng.random() ** 2", "actions"),
    "episodic": Bug("Q.argmax(axis=2)", "Q.argmin(axis=2)", "greedy"),
    "factored": Bug("Q.argmax(axis=2)", "Q.argmin(axis=2)", "greedy"),
    "knapsack": Bug("Q[h].argmax(axis=1)", "Q[h].argmin(axis=1)", "greedy"),
    "lifelong": Bug("Q.argmax(axis=2)", "Q.argmin(axis=2)", "greedy"),
    "reward-free": Bug("Q.argmax(axis=2)", "Q.argmin(axis=2)", "greedy"),
}
"""Of each skeleton a bug in what is played that its plans do not hide: everything else in them is as it should be."""


def generate(folder: Path, name: str = "fresh", setting: str = "lifelong") -> Path:
    """Write a project, restricted to a few cheap instances."""
    project = folder / name
    write(name, setting, project)
    replace(project / "src" / name.replace("-", "_") / "algorithm.py", 'instances = ("*",)', FEW[setting])
    return project


def replace(file: Path, old: str, new: str) -> None:
    """Change a piece of a file that is there exactly once."""
    text = file.read_text()
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new))
