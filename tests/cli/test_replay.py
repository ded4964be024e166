"""`verifier replay` gives the numbers of the record, bit for bit."""

from __future__ import annotations

import gzip
import html
import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from verifier import replay

from .plugins import CommandLine, Outcome, algorithm

NO_BONUS = """
    @classmethod
    def multiplier(cls, public):
        return 0.0
"""
LINES = {
    "identity": ("ucblvd", "gram", "oracle", "onehot"),
    "always": ("ucblvd", "value-range", "published", "few-episodes"),
    "given": ("ucblvd", "distillation-error", "oracle[minimiser=farthest]", "onehot"),
    "the sharpest": ("ucblvd", "optimism", "oracle", "onehot"),
    "of a whole run": ("ucblvd", "planning-calls", "scaled(0.03)", "onehot"),
    "another algorithm": ("lifelong-lsvi", "optimism", "oracle", "few-episodes"),
    "probability": ("ucblvd", "regret", "published", "onehot"),
    "violated": ("timid", "optimism", "oracle", "onehot"),
    "violated identity": ("timid", "q-formula", "oracle", "onehot"),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, dict[str, Outcome]]:
    """Where algorithms were checked, and what came out, by name; of the wrong one only what is looked at."""
    command = CommandLine(tmp_path_factory.mktemp("replay"))
    command.install("timid", algorithm("timid", NO_BONUS))
    chosen = ("--seed", "11", "--instance", "onehot")
    right = command.check("ucblvd", "lifelong-lsvi", *chosen, "--instance", "few-episodes", "--budget", "5min")
    violated = ("--claim", "optimism", "--claim", "q-formula", "--regime", "oracle")
    wrong = command.check("timid", *chosen, *violated, file="wrong.json")
    assert (right.code, wrong.code) == (0, 1)
    return command, {"ucblvd": right, "lifelong-lsvi": right, "timid": wrong}


def line_of(outcome: Outcome, name: str, claim: str, regime: str, instance: str) -> dict[str, Any]:
    claims = {item["id"]: item for item in outcome.entry(name)["claims"]}
    found = [e for e in claims[f"{name}/{claim}"]["regimes"] if (e["regime"], e["instance"]) == (regime, instance)]
    (line,) = found
    return line


def numbers(text: str) -> dict[str, str]:
    return dict(re.findall(r"^    (left side|\|difference\||bound|rounding allowed|ratio) +(\S+)$", text, re.MULTILINE))


@pytest.mark.one_in(9)
@pytest.mark.parametrize("which", LINES)
def test_replay(which: str, shop: tuple[CommandLine, dict[str, Outcome]]) -> None:
    command, outcomes = shop
    name, *rest = LINES[which]
    line = line_of(outcomes[name], name, *rest)
    assert line["replay"].endswith(":11"), "the seed is part of the id"
    broken = which.startswith("violated")
    assert (line["verdict"] == "violated") == broken

    again = command("replay", line["replay"])
    assert again.code == (1 if broken else 0), again
    shown = numbers(again.out)
    left = shown.get("left side", shown.get("|difference|"))
    assert left == repr(line["value"])
    assert shown["bound"] == repr(line["bound"])
    assert shown["rounding allowed"] == repr(line["tolerance"])
    assert shown["ratio"] == repr(float(line["ratio"]))
    assert math.isfinite(line["value"])
    for axis, index in line["witness"].items():
        assert f"{axis} {index}" in again.words
    assert ("FAIL" in again.out) == broken
    assert again.err == ""

    stored = command("replay", line["replay"], "--show")
    assert stored.code == 0
    assert "as stored" in stored.out
    assert numbers(stored.out)["left side"] == repr(line["value"])
    assert numbers(stored.out)["bound"] == repr(line["bound"])
    digest = re.compile(r"transcript (\w{16})")
    assert digest.findall(again.words) == digest.findall(stored.words) != []


@pytest.mark.full
def test_replay_of_a_crash(command: CommandLine) -> None:
    command.install("faulty", algorithm("faulty", "def run(self, env):\n    yield 1 / 0"))
    outcome = command("replay", "faulty/optimism:one-step:oracle:0:0")
    assert outcome.code == 4
    assert "crash: " in outcome.out
    assert "ZeroDivisionError" in outcome.out
    assert "plugin_faulty.py" in outcome.out


def test_replay_of_what_no_campaign_ran(command: CommandLine) -> None:
    outcome = command("replay", "ucblvd/gram:one-step:scaled(0.25):7:3")
    assert outcome.code == 0
    assert "regime scaled(0.25), trial 7, seed 3" in outcome.words
    assert not (command.folder / ".verifier").exists()


@pytest.mark.full
def test_a_drawn_instance_is_replayed_from_the_record_alone(command: CommandLine, tmp_path: Path) -> None:
    name = "ucbvi-ch~off-by-one"
    chosen = ("--instance", "drawn", "--regime", "oracle", "--claim", "bonus-formula", "--no-store")
    found = command.check(name, *chosen)
    line = line_of(found, name, "bonus-formula", "oracle", "drawn")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    record = elsewhere / "record.json.gz"
    record.write_bytes(gzip.compress((command.folder / "record.json").read_bytes()))

    again = replay(line["replay"], record=record, store=elsewhere / "store")
    assert [path.name for path in elsewhere.iterdir()] == [record.name]
    assert again.measurement is not None
    assert [getattr(again.measurement, key) for key in ("value", "bound", "tolerance")] == [
        line[key] for key in ("value", "bound", "tolerance")
    ]
    assert again.measurement.place == line["witness"]
    assert "the run that was found is another one" not in again.text

    shown = command("replay", str(record), line["replay"])
    assert shown.code == 1
    told = re.search(r"the algorithm has (\S+), the formula is (\S+); in it width is (\S+), N is (\S+)\.", shown.words)
    assert told, "both sides of the equality, and what stands in it"
    has, formula, width, N = map(float, told.groups())
    assert abs(has - formula) == line["value"]
    assert (formula, has) == pytest.approx((width / N**0.5, width / (N + 1) ** 0.5), rel=1e-12)
    assert not (command.folder / ".verifier").exists()

    unknown = command("replay", str(record), line["replay"].replace(":drawn-", ":drawn-0"))
    assert unknown.code == 2
    assert "Did you mean" in unknown.words
    assert "give the record" in command("replay", line["replay"]).words


def test_an_equality_that_fails_is_replayed_with_what_stands_in_its_formula(command: CommandLine) -> None:
    """Half the bonus is missing: from what is printed it can be seen without the code."""
    shown = command("replay", "ucblvd~half-bonus/q-formula:onehot:oracle:0:0")
    told = re.search(
        r"the algorithm has (\S+), the formula is (\S+); in it r_h is (\S+), ⟨ξ_h, ψ⟩ is (\S+), L is (\S+), width is (\S+), "
        r"‖φ‖ is (\S+)\.$",
        shown.words,
    )
    assert told, shown.words
    has, formula, reward, estimate, L, width, norm = map(float, told.groups())
    bonus = 2 * L * width * norm
    assert formula == pytest.approx(reward + estimate + bonus, rel=1e-12)
    assert has == pytest.approx(reward + estimate + bonus / 2, rel=1e-12)


@pytest.mark.full
def test_what_stands_in_the_formula_of_an_equality_that_fails_is_in_the_record(command: CommandLine) -> None:
    """The bonus has N + 1 for N: whoever has the record alone can see it."""
    name = "ucbvi-ch~off-by-one"
    found = command.check(name, "--instance", "gamble", "--regime", "oracle", "--claim", "bonus-formula", "--no-store")
    worst = line_of(found, name, "bonus-formula", "oracle", "gamble")["difference"]["worst"]
    width, N = (worst["quantities"][name] for name in ("width", "N"))
    assert (worst["right"], worst["left"]) == pytest.approx((width / N**0.5, width / (N + 1) ** 0.5), rel=1e-12)


@pytest.mark.full
def test_commands_name_the_record_where_replay_needs_it(command: CommandLine) -> None:
    """Wherever a record is written or read; where none is, the screen says how to get one. Other trials need none."""
    name = "ucbvi-ch~off-by-one"
    chosen = (name, "--instance", "drawn", "--instance", "gamble", "--regime", "oracle", "--claim", "bonus-formula", "--no-store")
    bare = command("check", *chosen)
    assert "Elsewhere" in bare.out
    assert "verifier replay 'ucbvi-ch~off-by-one/bonus-formula:drawn-" in bare.words

    outputs = [f"{form}={form}.txt" for form in ("json", "markdown", "html", "board")]
    command("check", *chosen, *(f"--output={each}" for each in outputs))
    (command.folder / "json.txt").rename(command.folder / "my record.json")
    reread = command("report", "my record.json", "--verbose").out
    # the board is read by people who have no record: it has the instance as tables, and repeats a run on a named one
    assert "bonus-formula:drawn-" not in (command.folder / "board.txt").read_text()
    pages = [(command.folder / f"{form}.txt").read_text() for form in ("markdown", "html")]
    for text, file in (*((page, "json.txt") for page in pages), (reread, "'my record.json'")):
        text = " ".join(html.unescape(text).replace("\\\n", " ").split())
        assert f"verifier replay {file} 'ucbvi-ch~off-by-one/bonus-formula:drawn-" in text
        assert "verifier replay 'ucbvi-ch~off-by-one/bonus-formula:drawn-" not in text
        assert f"verifier replay {file} 'ucbvi-ch~off-by-one/bonus-formula:gamble" not in text
        assert "Elsewhere" not in text
    printed = re.search(r"verifier (replay 'my record.json' '[^']+')", re.sub(r" *\\\n *", " ", reread))
    assert printed
    assert command(*shlex.split(printed[1])).code == 1


@pytest.mark.full
def test_a_changed_instance_in_a_record_is_told(command: CommandLine) -> None:
    name = "ucbvi-ch~off-by-one"
    chosen = ("--instance", "drawn", "--regime", "oracle", "--claim", "bonus-formula", "--no-store")
    found = command.check(name, *chosen)
    (entry,) = found.entry(name)["drawn"]
    entry["witness"]["index"] += 1
    (command.folder / "changed.json").write_text(json.dumps(found.record))
    changed = command("replay", "changed.json", entry["replay"])
    assert changed.code == 2
    assert "the record is damaged" in changed.words


FILES = """
import numpy as np
from verifier_settings.episodic import make

def drawn(rng):
    return make(rng.dirichlet(np.ones(2), size=4), rng.random(4), H=3, K=20)

class Lazy(float):
    pass

def odd():
    return make(np.eye(2), np.zeros(2), H=2, K=3, delta=Lazy(0.1))
"""


@pytest.mark.full
def test_an_instance_from_a_file_is_replayed_where_the_file_is_not(command: CommandLine, tmp_path: Path) -> None:
    name, at_home = "ucbvi-ch~off-by-one", ("tables.npz", "mine.py:drawn")
    (command.folder / "mine.py").write_text(FILES)
    P = np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0], [0.25, 0.75]])
    np.savez(command.folder / "tables.npz", P=P, reward=np.array([0.0, 0.5, 1.0, 0.25]), H=3, K=20)
    chosen = ("--regime", "oracle", "--claim", "bonus-formula", "--no-store", "--seed", "5")
    found = command.check(name, *chosen, *(f"--instance={each}" for each in (*at_home, "mine.py:odd")))
    lines = {each: line_of(found, name, "bonus-formula", "oracle", each) for each in (*at_home, "mine.py:odd")}
    here = {each: command("replay", lines[each]["replay"]).out for each in at_home}
    for file in ("tables.npz", "mine.py"):
        (command.folder / file).unlink()

    for each in at_home:
        again = command("replay", "record.json", lines[each]["replay"])
        assert (again.code, again.out) == (1, here[each]), "the same run, transcript and all"
        assert numbers(again.out)["|difference|"] == repr(lines[each]["value"])
        absent = command("replay", lines[each]["replay"])
        assert absent.code == 2
        assert "give the record of the run" in absent.words
    other = command("replay", "record.json", lines["mine.py:drawn"]["replay"].removesuffix(":5") + ":6")
    assert (other.code, "the record holds 'mine.py:drawn' under seed 5" in other.words) == (2, True)
    odd = command("replay", "record.json", lines["mine.py:odd"]["replay"])
    assert (odd.code, "it holds an object of type verifier_instance_" in odd.words) == (2, True)

    (entry,) = (item for item in found.entry(name)["instances"] if item["name"] == "tables.npz")
    assert P.ravel().tolist() in [array["values"] for array in entry["given"]["tables"]["arrays"]]
    entry["given"]["tables"]["arrays"].pop()
    (command.folder / "record.json").write_text(json.dumps(found.record))
    damaged = command("replay", "record.json", lines["tables.npz"]["replay"])
    assert (damaged.code, "the record is damaged" in damaged.words) == (2, True)
