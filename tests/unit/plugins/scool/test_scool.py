"""The adapter of rlberry-scool: it translates faithfully, and what is found is what a reader of the source derives."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from verifier import Algorithm, Kind
from verifier.cli.main import main
from verifier.model.measurement import Measurement, measure
from verifier.plugins.registry import forget, registry
from verifier_settings.episodic import Instance, generators, make

from ....installed import guaranteed
from ...settings.episodic.runs import play, small
from ...settings.episodic.test_noise import coins
from ...settings.lifelong.runs import generator

needs_scool = pytest.mark.skipif(find_spec("rlberry_scool") is None, reason="needs the extra rlberry")


# Without the library ----------------------------------------------------------------------------------------------------


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("verifier_scool.find_spec", lambda name: None)
    forget()
    yield
    forget()


@pytest.mark.usefixtures("missing")
@pytest.mark.parametrize("target", ["scool-ucbvi", "scool-lsvi-ucb", "scool"])
def test_what_is_asked_for_by_name_says_what_to_install(target: str) -> None:
    names, broken = registry().resolve(target)
    assert names == ()
    assert "pip install 'rlberry-scool>=0.7'" in broken[0].message
    if target != "scool":
        result = CliRunner().invoke(main, ["check", target, "--no-store"])
        assert result.exit_code == 4
        assert "pip install 'rlberry-scool>=0.7'" in " ".join(result.output.split())
        assert "Traceback" not in result.output


@pytest.mark.usefixtures("missing")
def test_what_is_missing_takes_nothing_down() -> None:
    names, broken = registry().resolve("all")
    assert "ucbvi-ch" in names
    assert broken == ()
    listed = CliRunner().invoke(main, ["list"])
    assert listed.exit_code == 0
    assert "Not installed\n  scool (rl-verifier" in listed.output


@pytest.mark.usefixtures("missing")
def test_the_board_lists_every_agent_whose_library_is_missing() -> None:
    result = CliRunner().invoke(main, ["board", "--no-store"])
    assert result.exit_code == 4
    assert re.findall(r"^\| `(scool-[a-z-]+)` .* not checked", result.output, re.M) == ["scool-ucbvi", "scool-lsvi-ucb"]
    assert "run `pip install 'rlberry-scool>=0.7'`" in result.output, "it can be typed as it stands"


# With it ------------------------------------------------------------------------------------------------------------------


def scool() -> tuple[type[Algorithm], type[Algorithm]]:
    from verifier_scool.lsvi_ucb.algorithm import ScoolLSVIUCB
    from verifier_scool.ucbvi.algorithm import ScoolUCBVI

    return ScoolUCBVI, ScoolLSVIUCB


def measured(algorithm: type[Algorithm], instance: Instance, seed: int = 0) -> dict[str, Measurement]:
    """Every claim but the assumptions, on one run."""
    views, run = play(algorithm, instance, "published", seed, batch=16)
    found: dict[str, Measurement] = {}
    for claim in guaranteed(algorithm).claims:
        if claim.kind is not Kind.ASSUMPTION:
            found[claim.name] = Measurement()
            for view in {"phase": views, "run": [run]}[claim.property.scope]:
                found[claim.name] = found[claim.name].merge(measure(claim.property(view)))
    return found


@needs_scool
@pytest.mark.parametrize("index", [0, 1])
def test_the_translation_is_faithful(index: int) -> None:
    """What the agent documents is recomputed from the transcript: if the plans were of another episode, these would fail."""
    algorithm = scool()[index]
    found = measured(algorithm, small(K=25, anywhere=True))
    faithful = {
        0: ("visits", "kernel", "rewards", "q-backup", "value-function", "plays-policy"),
        1: ("gram", "regression", "q-formula"),
    }
    for name in faithful[index]:
        assert found[name].holds, (name, found[name])
        assert found[name].powered > 0, name


@needs_scool
def test_a_run_is_repeated_bit_for_bit() -> None:
    for algorithm in scool():
        (one,), (other,) = (play(algorithm, small(K=10), "published")[0] for _ in range(2))
        assert np.array_equal(one.Q, other.Q)
        assert np.array_equal(one.actions, other.actions)


@needs_scool
def test_the_bonus_of_other_steps_is_stale() -> None:
    """S = A = 1, H = K = 2: at plan 2, N = 2 and v_max[0] = 2, so B_1 should be 1/sqrt(2) + 1 = 1.71; it is that of N = 1."""
    instance = make(np.ones((1, 1)), np.zeros(1), H=2, K=2)
    (view,), _ = play(scool()[0], instance, "published")
    assert view.reported("visits")[1].tolist() == [2.0]
    assert view.reported("bonus")[1].ravel().tolist() == [2.0, 1.0]
    found = measured(scool()[0], instance)["bonus-formula"]
    assert found.violations == 1
    assert found.value == pytest.approx(1 - np.sqrt(0.5))


def script() -> str:
    page = Path(__file__).parents[4] / "docs" / "published-code.md"
    (found,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    return str(found)


def test_the_script_of_the_page_is_short_and_knows_nothing_of_this_project() -> None:
    assert len(script().splitlines()) <= 15
    assert "verifier" not in script()


@needs_scool
def test_the_script_of_the_page_shows_the_stale_bonus() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script()], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "N = 4: 1/sqrt(N) + 2/N = 1.0000, B_sa[0] = 1.2440"


@needs_scool
def test_nothing_is_discounted() -> None:
    """S = A = 1, H = 2, rewards of 1: values are cut at 2, not at the 1.99 of the default gamma, and no estimate is below."""
    ones = make(np.ones((1, 1)), np.ones(1), H=2, K=4)
    for algorithm in scool():
        (view,), _ = play(algorithm, ones, "published")
        assert view.V[:, 0, 0].tolist() == [2.0] * 4
        assert measured(algorithm, ones)["optimism"].holds


@needs_scool
def test_no_claim_is_about_what_nobody_promises() -> None:
    """What the library documents otherwise than the paper is not held against it: where the bonus matters, the claim says so."""
    for algorithm in scool():
        for claim in guaranteed(algorithm).claims:
            assert claim.source != "documentation"
            if claim.kind is Kind.PROBABILITY:
                assert claim.why.startswith("documented as")


@needs_scool
def test_the_value_after_the_last_step() -> None:
    """S = A = H = 1: after n visits the value after the end is 1/sqrt(0.1 + n) + 1/(0.1 + n), cut at 1."""
    instance = make(np.ones((1, 1)), np.zeros(1), H=1, K=4)
    (view,), _ = play(scool()[1], instance, "published")
    norm = 1 / np.sqrt(0.1 + np.arange(4))
    assert view.V[:, 1, 0].tolist() == pytest.approx(list(np.minimum(norm + norm**2, 1.0)))
    assert not measured(scool()[1], instance)["value-function"].holds


@needs_scool
def test_the_policy_changes_within_an_episode() -> None:
    """One state, two equal arms, H = 2, K = 1: the plan takes action 0 twice; its bonus shrinks, and action 1 comes second."""
    instance = generators.arms(rewards=(0.0, 0.0), H=2, K=1)
    (view,), run = play(scool()[1], instance, "published")
    assert view.policy.ravel().tolist() == [0, 0]
    assert run.actions.tolist() == [[0, 1]]


@needs_scool
def test_the_minima_of_algorithm_2_are_missing() -> None:
    found = measured(scool()[0], generators.gamble(H=6, A=2, K=40, chance=0.5, safe=0.4))
    assert not found["monotone"].holds
    assert found["value-range"].holds


@needs_scool
def test_the_first_table() -> None:
    """V is v_max and Q is 0 before the first episode, and never again. Nothing reads that V, so no claim is about it."""
    (view,), _ = play(scool()[0], small(K=5), "published")
    assert (view.Q[0] == 0).all()
    assert view.V[0].tolist() == [[3.0] * 3, [2.0] * 3, [1.0] * 3, [0.0] * 3]
    later = measured(scool()[0], small(K=5))["value-function"]
    assert later.holds
    assert later.excluded == 12
    assert later.powered > 0


@needs_scool
def test_rewards_of_a_narrow_range_inside_what_the_theorem_assumes() -> None:
    """v_max is H times the width of [0.5, 1], which is H/2, while V* is at least that: what is cut lies below V* in any run."""
    found = measured(scool()[0], generators.random(generator(0), S=4, A=2, H=4, K=10, low=0.5, high=1.0))
    assert found["cap"].violations > 0
    assert found["optimism"].violations > 0
    claim = guaranteed(scool()[0]).claim("optimism")
    assert "V is cut at H/2" in claim.why_on("high-rewards")
    assert claim.why_on("gamble") == claim.why
    assert measured(scool()[0], small(K=25))["cap"].holds


@needs_scool
def test_optimism_where_rewards_are_drawn_is_a_claim_of_its_own() -> None:
    noisy, plain = (measured(scool()[0], instance)["optimism-with-noise"] for instance in (coins(), small(K=10)))
    assert noisy.comparisons > 0
    assert plain.comparisons == 0
