"""UCBVIAgent of rlberry (github.com/rlberry-py/rlberry), from a checkout, up to the commit that moved it to another package.

One claim, the same of every version: the bonus at the first step is the documented one of all visits. So it tells since when it
is that of visits at the first step alone.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from verifier import PSEUDO_CODE, Claim, Clause, Guarantees, Kind, Status
from verifier.adapters.inversion import inverted
from verifier.adapters.loops import GYMNASIUM, LoopEnvironment, Style
from verifier.model.inequality import Inequality, equality
from verifier.model.property import phase_property
from verifier.model.script import Line, Script
from verifier_checkouts.agent import CheckoutAgent
from verifier_checkouts.checkout import Checkout
from verifier_scool.agent import generators_as_found
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Phases

CHECKOUT = Checkout("rlberry_checkout", "RLBERRY", folder="rlberry")


@cache
def theirs() -> tuple[Any, Any]:
    """The modules of the class and of spaces; an installed rlberry, which other adapters use, is out of the way meanwhile."""
    assert CHECKOUT.place is not None
    place = str(CHECKOUT.place.parent)
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "rlberry"}
    sys.path.insert(0, place)
    try:
        return import_module("rlberry.agents.ucbvi.ucbvi"), import_module("rlberry.spaces")
    finally:
        sys.path.remove(place)
        for name in [name for name in sys.modules if name.partition(".")[0] == "rlberry"]:
            del sys.modules[name]
        sys.modules.update(before)


class Shell(LoopEnvironment):
    """The harness's environment as the class takes it, with the spaces of the library that it asserts."""

    metadata: ClassVar[dict[str, Any]] = {}
    render_mode: ClassVar[None] = None

    def __init__(self, env: EpisodicEnvironment, at_start: Callable[[], None]) -> None:
        public, (module, spaces) = env.public, theirs()
        super().__init__(env, at_start, style=GYMNASIUM if "gymnasium" in module.spaces.__name__ else Style(reset=1, step=4))
        self.observation_space, self.action_space = spaces.Discrete(public.S), spaces.Discrete(public.A)

    def reseed(self, seeder: Any) -> None:
        """Ignore the call."""


STALE = "self.B_sa[hh, state, action] = self._compute_bonus(nn, hh)"


class RlberryUCBVI(CheckoutAgent):
    """UCBVIAgent with its defaults."""

    name: ClassVar[str] = "rlberry-ucbvi"
    title: ClassVar[str] = "rlberry's UCBVIAgent"
    paper: ClassVar[str] = "Minimax Regret Bounds for Reinforcement Learning (ICML 2017)"
    instances: ClassVar[tuple[str, ...]] = ("random", "river", "lock", "anywhere", "starts-elsewhere", "one-step", "absorbing")
    yields: ClassVar[frozenset[str]] = frozenset({"bonus"})
    libraries: ClassVar[tuple[str, ...]] = (CHECKOUT.name,)
    # the first of the equal lines is that of stage_dependent=True, where it is right
    script: ClassVar[Script] = Script(
        "",
        lines_of={"first-bonus": Line(f"{CHECKOUT.name}.agents.ucbvi.ucbvi", STALE, 2)},
    )

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """`fit` for K episodes; at the start of each the agent is paused."""

        def fit(emit: Callable[[EpisodicPlan], None]) -> None:
            agent: Any = None
            with generators_as_found():  # its folder gets a drawn name, and the compiler draws; what it plays is not drawn
                shell = Shell(env, lambda: emit(self.plan(agent)))
                kind = theirs()[0].UCBVIAgent
                agent = kind(shell, horizon=self.public.H, copy_env=False, seeder=int(env.rng.integers(2**31)))
                agent.set_writer(None)
                agent.fit(budget=self.public.K)

        logging.getLogger("rlberry_logger").setLevel(logging.ERROR)
        yield from inverted(fit)

    def plan(self, agent: Any) -> EpisodicPlan:
        """Q, V and B_sa, which was one table for all steps in older versions."""
        H, S, A = self.public.H, self.public.S, self.public.A
        return EpisodicPlan(
            Q=agent.Q,
            V=np.vstack([agent.V, np.zeros(S)]),
            policy=agent.Q.argmax(axis=-1),
            bonus=np.broadcast_to(agent.B_sa, (H, S, A)).reshape(H, S * A).copy(),
        )


@phase_property("bonus")
def first_bonus(view: Phases) -> Inequality:
    """B_sa of the first step against the formula at the visits of the transcript, over all steps."""
    largest = view.public.H * ((view.public.high - view.public.low) or 1.0)
    visits = np.maximum(view.visits, 1)
    expected = np.where(view.visits > 0, np.minimum(1 / np.sqrt(visits) + largest / visits, largest), largest)
    # Two roundings of the formula, each of a quotient, a root and a sum: no more than eight halves of a unit in the last place.
    return equality(
        view.reported("bonus")[:, 0],
        expected,
        axes=("plan", "pair"),
        tolerance=8 * np.finfo(float).eps * largest,
        labels=view.labels,
    )


@phase_property("bonus")
def initial_bonus(view: Phases) -> Inequality:
    """B_sa of the first plan, at every step, against the largest value that is left there."""
    public = view.public
    left = np.arange(public.H, 0.0, -1.0) * ((public.high - public.low) or 1.0)
    first = view.reported("bonus")[:1]
    expected = np.broadcast_to(left[:, None], first.shape[1:])[None]
    return equality(first, expected, axes=("plan", "h", "pair"), tolerance=4 * np.finfo(float).eps * left[0], labels=view.labels)


GUARANTEES = Guarantees(
    RlberryUCBVI,
    claims=(
        Claim(
            "first-bonus",
            first_bonus,
            source="Algorithm 2; `_compute_bonus`",
            theorem="The algorithm",
            clause="BONUS",
            kind=Kind.IDENTITY,
            statement="B_1(s,a) = min(1/√N(s,a) + v_max/N(s,a), v_max), N of all steps",
            why="theorem broken, the bonus of Algorithm 2 is one of N_k(s,a), the visits of now, at every step h: `_update` "
            "counts over "
            "all steps, and renews the bonus at the step of the visit alone",
            follows=(PSEUDO_CODE,),
        ),
        Claim(
            "initial-bonus",
            initial_bonus,
            source="`v_max`",
            theorem="The algorithm",
            clause="BONUS",
            kind=Kind.IDENTITY,
            status=Status.OURS,
            statement="B_h(s,a) = (H − h + 1) times the width of the rewards, before there are data",
            follows=(PSEUDO_CODE,),
        ),
    ),
    clauses=(
        Clause("BONUS", "Algorithm 2", "a bonus of the visits"),
        Clause("REGRET", "Theorem 1", "regret", "of a bonus of its own nothing is promised in numbers"),
    ),
    theorem="REGRET",
)
