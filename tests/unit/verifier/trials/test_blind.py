"""Blind mode: the same transcripts, measurements and errors as in one process."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.blind import run as blind
from verifier.trials.executor import Executor
from verifier.trials.runner import isolate_agents
from verifier.trials.search.hunt import examine
from verifier.trials.trial import run_trial
from verifier_settings.lifelong import LIFELONG
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI

from ....installed import guaranteed
from ...settings.episodic import counting

CASES = {
    "lifelong-lsvi": ["one-step"],
    "ucblvd": ["few-episodes", "dependent-representatives"],
    "ucblvd-modified": ["few-episodes"],
    "ucblvd-unknown-rewards": ["few-episodes"],
    "lifelong-lsvi-sharing": ["few-episodes"],
    "ravi-ucb-tabular": ["path", "mixture-one-step"],
    "ravi-ucb-mixture": ["mixture-path", "mixture-one-epoch"],
    "ela": ["no-transition", "one-iteration"],
    "ella": ["one-iteration"],
    "cvar-lsvi": ["one-round", "zero-budget"],
    "ucbvi-ch": ["one-step", "cycle"],
    "psrl": ["one-step"],
    "ucb1": ["bandit-few-rounds"],
    "moss": ["bandit-few-rounds"],
    "kl-ucb": ["bandit-few-rounds", "bandit-ties"],
    "thompson": ["bandit-ties"],
    "exp3": ["adversary-few-rounds", "adversary-ties"],
    "oful": ["linear-bandit-few-rounds", "linear-bandit-copies"],
    "rlsvi": ["one-step"],
    "mvp": ["one-step"],
    "ucb-bernstein": ["one-step"],
    "ucb-hoeffding": ["one-step"],
    "ucbvi-bf": ["cycle"],
    "lsvi-ucb": ["one-step"],
    "rf-ucrl": ["one-step", "stops-soon"],
    "bpi-ucrl": ["one-step", "stops-soon"],
    "ucrl2": ["one-step"],
    "ucrl-vtr": ["mixture-one-step"],
    "fmdp-ch": ["one-episode"],
    "fmdp-bf": ["one-episode"],
    "flat-ch": ["one-step"],
    "knapsack": ["nothing-to-spend"],
    "lsvi-rfe": ["one-episode"],
}
if find_spec("rlberry_scool") is not None:  # the extra rlberry, whose algorithms are not installed without it
    CASES |= {"scool-ucbvi": ["one-step"], "scool-lsvi-ucb": ["one-step"]}


def test_every_algorithm_is_among_the_cases() -> None:
    assert CASES.keys() == registry().guarantees.keys()


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", CASES)
def test_a_blind_run_is_the_same_run(name: str) -> None:
    algorithm = registry().guarantees_of(name).algorithm
    for instance in CASES[name]:
        for regime in algorithm.regimes:
            spec = TrialSpec(name, instance, regime, 0, 0)
            plain, other = run_trial(spec), run_trial(replace(spec, blind=True))
            assert plain.error is other.error is None
            assert other.digest == plain.digest
            assert repr(other.measurements) == repr(plain.measurements)  # to the last bit, and NaN equal to NaN


def test_arrays_of_the_algorithms_own_travel() -> None:
    plain, other = counting.trial(counting.Counting), counting.trial(counting.Counting, blind=True)
    assert other.error is None
    assert (other.digest, other.measurements) == (plain.digest, plain.measurements)


def test_a_search_in_blind_mode_runs_the_installed_class() -> None:
    found = examine(guaranteed(LifelongLSVI), LIFELONG, guaranteed(LifelongLSVI).claims, Regime.parse("oracle"), 0, 3, blind=True)
    assert found.examples > 0
    assert found.witnesses == ()


def test_time_of_the_agent_counts() -> None:
    result = run_trial(TrialSpec("ucblvd", "few-episodes", "oracle", 0, 0, blind=True))
    assert result.seconds > 0
    assert blind.processor_time() > 0


@pytest.mark.parametrize("mode", [True, False])
def test_the_start_of_the_agents_interpreter_is_not_part_of_the_first_trial(mode: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    tasks = import_module("executor_tasks")
    with Executor(1, 60.0, 512, tasks.run, isolate_agents if mode else None) as executor:
        (result,) = executor.map([tasks.spec("agents_interpreter")])
    assert (result.error, result.digest) == (None, str(mode))
