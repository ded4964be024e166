"""Algorithms that load but misbehave in a run: errors of theirs, never a pass, and nobody else's problem.

Those that hang, and whole tables of others, are in ``tests/gate``.
"""

from __future__ import annotations

import pytest

from ..gate.faults import Fault, check, midway, require_told, variant
from .plugins import QUICK, CommandLine, Outcome, algorithm


def plans(change: str, *words: str) -> Fault:
    """UCBlvd's run with a field of every plan replaced by an expression in `plan`."""
    return contract(f"def run(self, env):\n    for plan in super().run(env):\n        yield replace(plan, {change})", *words)


def contract(body: str, *words: str) -> Fault:
    """A run that breaks the contract between algorithm and environment."""
    return variant(body, "contract", *words)


WITHOUT_WIDTH = """
    def __init__(self, public, width):
        super().__init__(public, lambda step, target: 1.0)
"""
TWICE = """
    def run(self, env):
        for plan in super().run(env):
            yield plan
            yield plan
"""
MID_EPISODE = """
    def run(self, env):
        env.begin_episode()
        plan = self.plan()
        env.step(0)
        yield plan
"""
UNPLANNED = """
    def run(self, env):
        for _ in range(self.public.K):
            env.begin_episode()
            for _ in range(self.public.H):
                env.step(0)
        return
        yield
"""
LATE = """
    def run(self, env):
        for plan in super().run(env):
            if env.episode:
                yield plan
"""
SHORT = """
    def run(self, env):
        env.begin_episode()
        yield self.plan()
        for _ in range(self.public.H):
            env.step(0)
"""
LONG = """
    def run(self, env):
        yield from super().run(env)
        env.begin_episode()
"""

PLANS: dict[str, Fault] = {
    "nan-somewhere": plans("Q=plan.Q * np.nan", "field `Q` is nan at (0, 0, 0, 0)", "expected a finite number"),
    "infinite": plans("estimate=plan.estimate + np.inf", "field `estimate` is inf", "finite"),
    "shape": plans("Q=plan.Q[:, :, :1]", "field `Q` has shape (1, 5, 1, 2), expected (1, 5, 2, 2)"),
    "complex": plans("Q=plan.Q.astype(complex)", "field `Q` has dtype complex128", "floating-point numbers"),
    "text": plans("gram=plan.gram.astype(str)", "field `gram` has dtype <U", "floating-point numbers"),
    "float-policy": plans("policy=plan.policy * 1.0", "field `policy` has dtype float64", "integers"),
    "policy-range": plans("policy=plan.policy + 7", "field `policy` has an entry outside 0..1"),
    "missing-field": plans("xi=None", "field `xi` is None", "`yields`"),
}
RUNS: dict[str, Fault] = {
    "a-dict": contract("def run(self, env):\n    env.begin_episode()\n    yield {}", "got dict, expected LifelongPlan"),
    "nothing": contract("def run(self, env):\n    env.begin_episode()\n    yield", "got NoneType, expected LifelongPlan"),
    "twice": contract(TWICE, "two plans were yielded at the start of episode 1", "yield one"),
    "mid-episode": contract(MID_EPISODE, "before begin_episode", "right after begin_episode"),
    "no-plan": contract(UNPLANNED, "no plan was yielded", "yield a plan at the start of episode 1"),
    "late-plan": contract(LATE, "the first plan came at episode", "yield a plan at the start of episode 1"),
    "stops-early": contract(SHORT, "run() ended after 1 of K = 40 episodes", "play all of them"),
    "plays-on": contract(LONG, "begin_episode called for episode 41", "K = 40", "stop there"),
    "no-width": contract(WITHOUT_WIDTH, "did not ask for the width of step h=1", "self.width(h, V_next)"),
}
STEPS: dict[str, Fault] = {
    "illegal-action": midway("env.step(9)", "contract", "step(9) in episode 3", "expected an action 0..1"),
    "negative-action": midway("env.step(-1)", "contract", "step(-1) in episode 3", "expected an action 0..1"),
    "raises": midway("raise LookupError('lost')", "crash", "LookupError: lost"),
    "unpicklable": midway("raise type('Odd', (Exception,), {'__reduce__': lambda self: 1 / 0})('odd')", "crash", "Odd: odd"),
    "killed": midway("os.kill(os.getpid(), signal.SIGKILL)", "exit", "killed by SIGKILL"),
    "draws-from-numpy": midway("np.random.rand()", "global-rng", "global random generator", "env.rng"),
    "draws-from-random": midway("random.random()", "global-rng", "global random generator", "env.rng"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("faults", [PLANS, RUNS, STEPS], ids=["plans", "runs", "steps"])
def test_faults(faults: dict[str, Fault], command: CommandLine) -> None:
    outcome = check(command, faults)
    require_told(outcome, faults)
    for name in faults:
        (error,) = outcome.entry(name)["errors"]
        assert f"{name} on one-step" in error["where"]
        assert outcome.verdicts(name) == {"optimism": "error"}
    assert outcome.err == ""


def failing(statement: str) -> str:
    """Source of `faulty`, which executes a statement in episode 3."""
    return midway(statement, "").named("faulty")


@pytest.mark.full
def test_the_traceback_shows_the_plugin(command: CommandLine) -> None:
    command.install("faulty", failing("raise LookupError('lost')"))
    outcome = command.check("faulty", *QUICK, "--verbose")
    assert outcome.code == 4
    assert "plugin_faulty.py" in outcome.entry("faulty")["errors"][0]["traceback"]
    assert "raise LookupError('lost')" in outcome.out


@pytest.mark.full
def test_seeding_a_global_generator_is_noticed_in_every_trial(command: CommandLine) -> None:
    command.install("faulty", failing("np.random.seed(1); random.seed(1)"))
    chosen = ("--claim", "optimism", "--regime", "oracle", "--instance", "one-step", "--instance", "few-episodes")
    outcome = command.check("faulty", *chosen, "--instance", "one-action", "--jobs", "1")
    assert [error["kind"] for error in outcome.entry("faulty")["errors"]] == ["global-rng"] * 2, "K = 2 has no episode 3"
    assert outcome.verdicts("faulty") == {"optimism": "error"}


@pytest.mark.full
def test_after_three_failures_an_algorithm_is_abandoned(command: CommandLine) -> None:
    command.install("faulty", failing("1 / 0"))
    chosen = ("--instance", "one-*", "--instance", "strong-ridge", "--instance", "absorbing")
    outcome = command.check("faulty", "ucblvd", "--claim", "optimism", "--regime", "oracle", *chosen)
    assert outcome.code == 4
    assert len(outcome.entry("faulty")["errors"]) == 3
    reasons = {entry["reason"] for claim in outcome.entry("faulty")["claims"] for entry in claim["regimes"]}
    assert any(reason.startswith("not started") for reason in reasons)
    assert outcome.verdicts("ucblvd") == {"optimism": "conforms"}


OVERWRITES = """
    def run(self, env):
        for plan in super().run(env):
            yield plan
            for array in (plan.Q, plan.estimate, plan.theta, plan.xi):
                array[...] = 1e9
"""
PRINTS = """
    def play(self, env, plan, weight):
        print('SPAM'); print('SPAM', file=sys.stderr); os.write(1, b'SPAM')
        super().play(env, plan, weight)
"""


@pytest.mark.full
def test_habits_that_change_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    def twin(body: str) -> Outcome:
        command = CommandLine(tmp_path_factory.mktemp("twin"))
        command.install("twin", algorithm("twin", body))
        return command.check("twin", "--instance", "one-step", "--instance", "few-episodes")

    plain = twin("")
    assert plain.code == 0
    for odd in map(twin, (OVERWRITES, PRINTS)):
        assert odd.code == 0
        assert odd.entry("twin")["claims"] == plain.entry("twin")["claims"]
        assert "SPAM" not in odd.out + odd.err
