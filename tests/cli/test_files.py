"""Files as people write them, six algorithms in six shapes, right and with one line wrong: what the command says of each."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from .plugins import CommandLine

FILES = Path(__file__).parents[1] / "power" / "files"
FEW = ("--instance", "random", "--regime", "published", "--regime", "scaled(0.01)", "--jobs", "1", "--budget", "1s")


class File(NamedTuple):
    """A file, the command about it, and one line of it with what somebody could have written in its place."""

    name: str
    agent: str
    knob: str
    read: str
    right: str
    wrong: str


WRITTEN = (
    File("ucbvi_ch", "UcbviAgent", "bonus_coef", "--read Q=q_values",
        "total_steps = num_episodes * horizon", "total_steps = num_episodes"),
    File("ucbvi_bf", "UCBVIBernsteinAgent", "scale", "--read Q=Q",
        "variance = np.maximum(P @ V**2 - (P @ V) ** 2, 0)", "variance = np.maximum(P @ V**2 - P @ V**2, 0)"),
    File("ucb_hoeffding", "train", "bonus_scale", "--read Q=q_table",
        "learning_rate = (horizon + 1) / (horizon + n)", "learning_rate = 1 / n"),
    File("ucb_bernstein", "QLearningBernstein", "iota", "--read Q=Q",
        "self.V[h, s] = min(self.H, self.Q[h, s].max())", "self.V[h, s] = self.Q[h, s].max()"),
    File("lsvi_ucb", "LeastSquaresUCB", "'beta = width'", "",
        "target += self.phi[state, action] * (reward + Q[h + 1, following].max())",
        "target += self.phi[state, action] * (reward + Q[h, following].max())"),
    File("ucrl2", "UCRL2", "radius_factor", "",
        "q[best_first[0]] = min(1.0, q[best_first[0]] + radius / 2)", "q[best_first[0]] = min(1.0, q[best_first[0]] + radius)"),
)  # fmt: skip


@pytest.mark.one_in(12)
@pytest.mark.parametrize("right", [True, False], ids=["right", "wrong"])
@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.name)
def test_a_file_is_judged(file: File, right: bool, tmp_path: Path) -> None:
    command, text = CommandLine(tmp_path), (FILES / f"{file.name}.py").read_text(encoding="utf-8")
    assert sum(line.strip() == file.right for line in text.splitlines()) == 1
    (command.folder / f"{file.name}.py").write_text(text if right else text.replace(file.right, file.wrong))
    written = f"{file.name}.py:{file.agent} --as {file.name.replace('_', '-')} {file.read} --knob {file.knob}"
    outcome = command.check(*shlex.split(written), *FEW)
    (entry,) = outcome.record["algorithms"]
    told = outcome.verdicts(entry["name"])
    assert not entry["errors"]
    assert outcome.code == (0 if right else 1), outcome.words
    first = "q-formula" if file.read else "decisions"
    assert told[first] == ("conforms" if right else "violated")
    assert entry["first_broken"][:1] == ([] if right else [first])
    assert not right or "violated" not in told.values()
