"""A campaign of trials that each take a set amount of processor time, with one worker, with two, and on a cluster.

The trials do nothing else, so that what is measured is the cost of running them somewhere: starting processes, handing out
trials, taking in results. Time is by the clock, so these lines say something on as many idle processors as workers only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

import verifier
from verifier import PSEUDO_CODE, Algorithm, Claim, Guarantees, Inequality, Kind
from verifier.base.profile import PROFILES, Tier
from verifier.model.property import run_property
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public, Run

from .lines import Line, Result, Target, by_clock, in_turns

EXTRA = "" if find_spec("distributed") is not None else "distributed"
"""What the lines about clusters need to have installed first; empty if it is there."""

Measure = Callable[[], Result]

CHANCE = 1e-4
"""With which the claim may fail: so small that no profile has enough trials to certify it, and all of them are run."""


def busy(seconds: float) -> Guarantees:
    """An algorithm whose trial takes so much processor time, and a claim that no campaign decides.

    The class is made here, so that it travels to workers by value, as one of a notebook does.
    """

    class Busy(Algorithm):
        name = "busy"
        title = "takes its time"
        paper = "none"
        setting = "episodic"
        regimes = ("published",)
        instances = ("random",)

        @classmethod
        def published_width(cls, public: Public, of: str) -> float:
            """Never asked for."""
            return 1.0

        def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
            """One plan for all episodes."""
            until = time.process_time() + seconds
            H, S, A = self.public.H, self.public.S, self.public.A
            Q = np.zeros((H, S, A))
            env.begin_episode()
            yield EpisodicPlan(Q=Q, V=np.zeros((H + 1, S)), policy=Q.argmax(axis=2))
            while time.process_time() < until:
                sum(range(1000))
            for episode in range(self.public.K):
                if episode:
                    env.begin_episode()
                for _ in range(H):
                    env.step(0)

    @run_property()
    def never_fails(view: Run) -> Inequality:
        """0 is below 1."""
        return Inequality(np.zeros(1), np.ones(1), ("run",), trivial=2.0)

    claim = Claim("never", never_fails, "ours", "ours", "0 <= 1", Kind.PROBABILITY, chance=CHANCE, follows=PSEUDO_CODE)
    return Guarantees(Busy, (claim,))


def campaign(seconds: float, profile: Tier, **settings: Any) -> None:
    """All trials of the profile, none of which is kept; nothing else than that many is accepted."""
    report = verifier.check(busy(seconds), keep=False, timeout=60.0, profile=profile, **settings)
    (entry,) = report.record.algorithms
    assert entry.trials_finished == PROFILES[profile].trials, (entry.trials_finished, entry.errors)


def compared(one: dict[str, Any], other: dict[str, Any], seconds: float, profile: Tier = "quick", rounds: int = 3) -> Measure:
    """Measures two ways to run the trials of a profile."""

    def side(settings: dict[str, Any]) -> Callable[[], None]:
        return lambda: campaign(seconds, profile, **settings)

    return lambda: in_turns(side(one), side(other), by_clock, rounds, warm=False)


LINES = (
    Line(
        "2 workers against 1, a campaign of 200 trials of 1 s",
        compared({"jobs": 1}, {"jobs": 2}, 1.0, "standard", rounds=1), Target(0.6), unit="s", by_clock=True,
    ),
    Line(
        "2 workers against 1, a campaign of 32 trials of 0.25 s",
        compared({"jobs": 1}, {"jobs": 2}, 0.25), Target(0.6), unit="s", by_clock=True,
    ),
)  # fmt: skip

CLUSTER = (
    Line(
        "--cluster local:2 against --jobs 2, a campaign of 32 trials of 0.25 s, start and end of the cluster included",
        compared({"jobs": 2}, {"cluster": "local:2"}, 0.25), unit="s", by_clock=True,
    ),
    *(
        Line(
            f"--cluster local:{workers} against --cluster local:1, a campaign of 1,500 trials of 0.05 s",
            compared({"cluster": "local:1"}, {"cluster": f"local:{workers}"}, 0.05, "deep", rounds=1), target,
            unit="s", by_clock=True,
        )
        for workers, target in ((2, Target(0.6)), (4, None))
    ),
)  # fmt: skip
