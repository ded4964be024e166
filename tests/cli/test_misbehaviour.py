"""Algorithms that load but misbehave in a run: errors of theirs, never a pass, and nobody else's problem.

Those that hang, and whole tables of others, are in ``tests/gate``.
"""

from __future__ import annotations

import pytest

from .plugins import QUICK, CommandLine, algorithm


def changed(**fields: str) -> str:
    """UCBlvd's run with fields of every plan replaced by expressions in `plan`."""
    changes = ", ".join(f"{name}={expression}" for name, expression in fields.items())
    return f"""
        def run(self, env):
            for plan in super().run(env):
                yield replace(plan, {changes})
    """


def instead(statement: str) -> str:
    """A run that executes a statement in the middle of episode 3 of UCBlvd's."""
    return f"""
        def play(self, env, plan, state, column):
            if env.episode == 2:
                {statement}
            super().play(env, plan, state, column)
    """


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

FAULTS = {
    "nan": (changed(Q="plan.Q * np.nan"), "contract", ["field `Q` is nan at (0, 0, 0, 0)", "expected a finite number"]),
    "inf": (changed(estimate="plan.estimate + np.inf"), "contract", ["field `estimate` is inf", "finite"]),
    "shape": (changed(Q="plan.Q[:, :, :1]"), "contract", ["field `Q` has shape (1, 5, 1, 2), expected (1, 5, 2, 2)"]),
    "dtype": (changed(Q="plan.Q.astype(complex)"), "contract", ["field `Q` has dtype complex128", "floating-point numbers"]),
    "text": (changed(gram="plan.gram.astype(str)"), "contract", ["field `gram` has dtype <U", "floating-point numbers"]),
    "objects": (changed(Q="plan.Q.astype(object)"), "contract", ["field `Q` has dtype object"]),
    "float policy": (changed(policy="plan.policy * 1.0"), "contract", ["field `policy` has dtype float64", "integers"]),
    "policy range": (changed(policy="plan.policy + 7"), "contract", ["field `policy` has an entry outside 0..1"]),
    "missing field": (changed(xi="None"), "contract", ["field `xi` is None", "`yields`"]),
    "a dict": ("def run(self, env):\n    env.begin_episode()\n    yield {}", "contract", ["got dict, expected LifelongPlan"]),
    "nothing": ("def run(self, env):\n    env.begin_episode()\n    yield", "contract", ["got NoneType, expected LifelongPlan"]),
    "twice": (TWICE, "contract", ["two plans were yielded at the start of episode 1", "yield one"]),
    "mid-episode": (MID_EPISODE, "contract", ["before begin_episode", "right after begin_episode"]),
    "no plan": (UNPLANNED, "contract", ["no plan was yielded", "yield a plan at the start of episode 1"]),
    "late plan": (LATE, "contract", ["the first plan came at episode", "yield a plan at the start of episode 1"]),
    "stops early": (SHORT, "contract", ["run() ended after 1 of K = 40 episodes", "play all of them"]),
    "plays on": (LONG, "contract", ["begin_episode called for episode 41", "K = 40", "stop there"]),
    "illegal action": (instead("env.step(9)"), "contract", ["step(9) in episode 3", "expected an action 0..1"]),
    "negative action": (instead("env.step(-1)"), "contract", ["step(-1) in episode 3", "expected an action 0..1"]),
    "no width": (WITHOUT_WIDTH, "contract", ["did not ask for the width of step h=1", "self.width(h, V_next)"]),
    "raises": (instead("raise LookupError('lost')"), "crash", ["LookupError: lost"]),
    "unpicklable": (
        instead("raise type('Odd', (Exception,), {'__reduce__': lambda self: 1 / 0})('odd')"), "crash", ["Odd: odd"],
    ),
    "SystemExit": (instead("sys.exit(0)"), "exit", ["SystemExit", "must return from `run`"]),
    "os._exit": (instead("os._exit(3)"), "exit", ["ended with exit code 3", "return from `run`"]),
    "killed": (instead("os.kill(os.getpid(), signal.SIGKILL)"), "exit", ["killed by SIGKILL"]),
    "memory": (instead("self.kept = [np.ones(2**20) for _ in range(2**12)]"), "memory", ["memory", "--memory"]),
    "numpy.random": (instead("np.random.rand()"), "global-rng", ["global random generator", "env.rng"]),
    "random": (instead("random.random()"), "global-rng", ["global random generator", "env.rng"]),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault: str, command: CommandLine) -> None:
    body, kind, words = FAULTS[fault]
    command.install("faulty", algorithm("faulty", body))
    outcome = command.check("faulty", "ucblvd", *QUICK, "--memory", "400")
    assert outcome.code == 4, outcome
    (error,) = outcome.entry("faulty")["errors"]
    assert error["kind"] == kind, error
    for word in words:
        assert word in error["message"]
        assert word in outcome.words
    assert "faulty on one-step" in error["where"]
    assert outcome.verdicts("faulty") == {"optimism": "error"}
    assert outcome.verdicts("ucblvd") == {"optimism": "conforms"}
    assert outcome.entry("ucblvd")["errors"] == []
    assert outcome.err == ""


def test_the_traceback_shows_the_plugin(command: CommandLine) -> None:
    command.install("faulty", algorithm("faulty", instead("raise LookupError('lost')")))
    outcome = command.check("faulty", *QUICK, "--verbose")
    assert outcome.code == 4
    assert "plugin_faulty.py" in outcome.entry("faulty")["errors"][0]["traceback"]
    assert "raise LookupError('lost')" in outcome.out


def test_seeding_a_global_generator_is_noticed_in_every_trial(command: CommandLine) -> None:
    command.install("seeding", algorithm("seeding", instead("np.random.seed(1); random.seed(1)")))
    chosen = ("--claim", "optimism", "--regime", "oracle", "--instance", "one-step", "--instance", "few-episodes")
    outcome = command.check("seeding", *chosen, "--instance", "one-action", "--jobs", "1")
    assert [error["kind"] for error in outcome.entry("seeding")["errors"]] == ["global-rng"] * 2, "K = 2 has no episode 3"
    assert outcome.verdicts("seeding") == {"optimism": "error"}


def test_after_three_failures_an_algorithm_is_abandoned(command: CommandLine) -> None:
    command.install("faulty", algorithm("faulty", instead("1 / 0")))
    chosen = ("--instance", "one-*", "--instance", "strong-ridge", "--instance", "absorbing")
    outcome = command.check("faulty", "ucblvd", "--claim", "optimism", "--regime", "oracle", *chosen)
    assert outcome.code == 4
    assert len(outcome.entry("faulty")["errors"]) == 3
    reasons = {entry["reason"] for claim in outcome.entry("faulty")["claims"] for entry in claim["regimes"]}
    assert any(reason.startswith("not started") for reason in reasons)
    assert outcome.verdicts("ucblvd") == {"optimism": "conforms"}


@pytest.mark.parametrize(
    "body",
    [
        """
        def run(self, env):
            for plan in super().run(env):
                yield plan
                for array in (plan.Q, plan.estimate, plan.theta, plan.xi):
                    array[...] = 1e9
        """,
        instead("print('SPAM'); print('SPAM', file=sys.stderr); os.write(1, b'SPAM')"),
    ],
    ids=["changes what it yielded", "prints"],
)
def test_habits_that_change_nothing(body: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    outcomes = []
    for change in ("", body):
        command = CommandLine(tmp_path_factory.mktemp("twin"))
        command.install("twin", algorithm("twin", change))
        outcomes.append(command.check("twin", "--instance", "one-step", "--instance", "few-episodes"))
    plain, odd = outcomes
    assert odd.code == plain.code == 0
    assert odd.entry("twin")["claims"] == plain.entry("twin")["claims"]
    assert "SPAM" not in odd.out + odd.err
