"""Sentences on bugs in agents of which Q alone is read: mistakes in learning rates, bonuses and regressions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import verifier
from verifier.commands.agent_file import agent_in

from .held_agents import verdict

FILES = Path(__file__).parent / "files"
HELD: dict[str, tuple[str, str, dict[str, Any]]] = {
    # one problem tells a power of H from no constant, which the paper leaves open: here it is ours
    "ucb-hoeffding": ("ucb_hoeffding", "train", {"read": {"Q": "q_table"}, "knob": "bonus_scale", "constant": 1.0}),
    "ucb-bernstein": ("ucb_bernstein", "QLearningBernstein", {"read": {"Q": "Q"}, "knob": "iota"}),
    "lsvi-ucb": ("lsvi_ucb", "LeastSquaresUCB", {"read": {"Q": "Q"}, "knob": "beta = width"}),
}
"""Module, name and options of an agent, by the algorithm that it is."""

REGIMES = {"ucb-bernstein": ("scaled(0.01)", "scaled(1e-06)")}
"""Regimes in which the bonuses show; at a millionth the first bound of UCB-Bernstein is the smaller one."""

RATE = "(horizon + 1) / (horizon + n)"
LEARNED = "self.V[h, s] = min(self.H, self.Q[h, s].max())"
MINIMUM = "min(self.c1 * freedman, self.c2 * np.sqrt(H**3 * iota / t))"
TARGET = "(reward + Q[h + 1, following].max())"
NORM = "self.beta * uncertainty"
BUGS = {
    "a mean": ("ucb-hoeffding", RATE, "1 / n", "1/t for α"),
    "H forgotten above": ("ucb-hoeffding", RATE, "horizon / (horizon + n)", "H for H + 1 in α"),
    "H forgotten below": ("ucb-hoeffding", RATE, "(horizon + 1) / (1 + n)", "1 for H in α"),
    "a power of H": ("ucb-hoeffding", "horizon**3", "horizon**2", "H² for H³ in width"),
    "a logarithm": ("ucb-hoeffding", "episodes * horizon / failure", "episodes / failure", "K for T in ι"),
    "another power of H": ("ucb-bernstein", "H**7", "H**6", "H⁶ for H⁷ in β_t"),
    "a constant": ("ucb-hoeffding", RATE, "0.1", "0.1 for α"),
    "V of the action played": (
        "ucb-bernstein", LEARNED, "self.V[h, s] = min(self.H, self.Q[h, s, key[2]])",
        "with Q of the action that was played for max Q",
    ),
    "a maximum of the bonuses": ("ucb-bernstein", MINIMUM, MINIMUM.replace("min", "max"), "max for min in β_t"),
    "the bonus of the visit itself": (
        "ucb-bernstein", "bonus = (beta - (1 - alpha) * self.last_beta[key])", "bonus = (beta - (1 - alpha) * beta)",
        "β_t for β_{t−1} in b",
    ),
    "no reward": ("lsvi-ucb", TARGET, "Q[h + 1, following].max()", "⟨w_h, φ⟩ without the reward"),
    "value where it is": ("lsvi-ucb", TARGET, TARGET.replace("following", "state"), "of the states that are left, not of those"),
    "data of the next step": (
        "lsvi-ucb", "append(episode)", "append(episode := episode[1:] + episode[:1])",
        "with the data of step h + 1",
    ),
    "the square of the norm": ("lsvi-ucb", NORM, f"{NORM}**2", "‖φ‖² for ‖φ‖"),
}  # fmt: skip
"""Algorithm, what stands in the file, what stands there instead, and what is said of that."""


@pytest.mark.one_in(14)
@pytest.mark.parametrize("name", BUGS)
def test_the_cause_is_told(name: str, tmp_path: Path) -> None:
    to, old, new, said = BUGS[name]
    file, agent, options = HELD[to]
    text = (FILES / f"{file}.py").read_text(encoding="utf-8")
    assert old in text
    # the table of least squares is a variable of its plan, which is kept here
    text = text.replace(old, new, 1).replace("        return Q[", "        self.Q = Q[: self.H]\n        return Q[")
    module = tmp_path / f"{file}_{list(BUGS).index(name)}.py"  # the name of a module that is in use is refused
    module.write_text(text, encoding="utf-8")
    mine = agent_in(f"{module}:{agent}")
    entry = verdict(verifier.hold(mine, to=to, **options), ("random",), REGIMES.get(to, ("published", "scaled(0.01)")))
    assert not entry.errors
    assert entry.first_broken == ("q-formula",)
    (broken,) = (claim for claim in entry.claims if claim.name == "q-formula")
    assert said.lower() in broken.difference.lower()
