"""Somebody's agent as an algorithm of the episodic setting: it plays, and its arrays become plans."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError, UsageError, nearest
from verifier.base.inversion import inverted
from verifier.model.algorithm import Algorithm
from verifier.model.global_generators import seeded, with_generators
from verifier.model.held import Held, Layout, locals_of
from verifier.model.loops import LoopEnvironment
from verifier_settings.episodic.environment import EpisodicEnvironment
from verifier_settings.episodic.instance import Public
from verifier_settings.episodic.phases import Phases
from verifier_settings.episodic.plan import EpisodicPlan

MADE_HERE = {
    "V": ("value-function", "value-range", "value-cap"),
    "act": ("greedy", "plays-policy", "no-foresight", "regret", "regret-recursion", "pathwise-regret"),
    "": ("width", "width-target", "plans-every-episode"),
}
"""Claims about what is made here, by the field that is to be read so that they are about the agent; "" stands for none.

"act" stands for an agent that is asked for actions. Of one that drives the environment itself the policy is made here, the first
of the best actions, and its own may break ties otherwise.
"""

BY_ACTIONS = ("no-foresight",)
"""Claims about an agent of which nothing is known but what it does."""


class HeldAgent(Algorithm):
    """Agent with a table Q that acts on it; subclasses say which one."""

    setting: ClassVar[str] = "episodic"
    held: ClassVar[Held]
    reference: ClassVar[type[Algorithm]]
    public: Public

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Width of the algorithm it is held against."""
        return cls.reference.published_width(public, of)

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Play K episodes with the agent, which may draw from global generators: they are its own for the time of the run."""
        self.drawn: bool | None = None
        plans = self.asked(env) if self.held.fit is None else inverted(partial(self.driving, env))
        ahead = copy.deepcopy(env.rng)  # what the agent is given next stays what it was
        yield from with_generators(plans, seeded(int(ahead.integers(2**32))))

    def asked(self, env: EpisodicEnvironment) -> Generator[EpisodicPlan]:
        """Play with an agent that is asked for actions."""
        public, held = self.public, self.held
        agent = held.made(**self.sizes(env))
        self.turn(agent)
        for k in range(public.K):
            state = env.begin_episode()
            if held.before is not None:
                held.before.on(agent, s=state, k=k)
            action = held.action(agent, public.A, h=0, s=state, k=k)  # before its table is read: some plan when they act first
            yield self.plan(agent)
            for h in range(public.H):
                action = action if h == 0 else held.action(agent, public.A, h=h, s=state, k=k)
                following, reward = env.step(action)
                if held.update is not None:
                    held.update.on(agent, h=h, s=state, a=action, r=reward, s2=following, k=k, done=h == public.H - 1)
                self.updated(h)
                state = following

    def driving(self, env: EpisodicEnvironment, emit: Callable[[EpisodicPlan], None]) -> None:
        """Let an agent drive the environment; it is looked at whenever it has begun an episode."""
        held, seen = self.held, list[Any]()
        assert held.fit is not None

        def look() -> bool:
            if held.is_object and not seen:  # it is being made
                return False
            emit(self.plan(seen[0] if held.is_object else locals_of(held.factory)))
            return True

        shell = LoopEnvironment(env, self.public, held.style, look, self.updated)
        sizes = {**self.sizes(env), "env": shell}
        if held.is_object:
            seen.append(held.made(**sizes))
            self.turn(seen[0])
            held.fit.on(seen[0], **sizes)
        else:
            held.drive(sizes, self.share())
        shell.learned()

    def sizes(self, env: EpisodicEnvironment) -> dict[str, Any]:
        """Arguments that a constructor may ask for, and what is public as a whole."""
        call = self.held.new if self.held.is_object else self.held.fit
        if call is not None and "reward" in call.names and np.isnan(self.public.reward).any():
            raise ContractError(
                f"{self.name} is made with `reward`, which its algorithm has to learn and is not told; take it from what each "
                "step pays, `update(h, s, a, r, s2)`"
            )
        seed = int(env.rng.integers(2**31))
        return {"rng": env.rng, "seed": seed, **_sizes(self.public), "_public": self.public}

    def updated(self, h: int) -> None:
        """Ask for the width of an update, on behalf of an agent that learns step by step."""
        if "update" in self.width_names:
            self.width(h, of="update")

    def share(self) -> float:
        """Share of the published width that this run has."""
        of = self.width_names[0]
        width = self.width(0, of=of) if of == "update" else self.width(0, np.zeros(self.public.S), of=of)
        return width / self.published_width(self.public, of)

    def turn(self, agent: Any) -> None:
        """Hand the agent the width of this run."""
        if self.held.knob is not None:
            published = self.published_width(self.public, self.width_names[0])
            self.held.turn(agent, self.share() * published, published, self.public)

    def plan(self, agent: Any) -> EpisodicPlan:
        """Plan of what the agent has now; V and the policy are made of Q where it does not show them."""
        public, layouts = self.public, layouts_of(self.public)
        arrays = {name: self.held.array(agent, name, layouts[name]) for name in self.held.read}
        Q = arrays.pop("Q")
        V = arrays.pop("V", None)
        if V is None:
            V = np.vstack([np.minimum(Q.max(axis=2), public.H), np.zeros(public.S)])
        self.ask(V)
        plan: EpisodicPlan = replace(EpisodicPlan(Q=Q, V=V, policy=self.policy(agent, Q)), **arrays)  # type: ignore[arg-type]  # `extra`
        return plan

    def ask(self, V: Array) -> None:
        """Ask for the widths of a plan, on behalf of the agent, with the values that it has planned with."""
        for of in self.width_names:
            for h in range(self.public.H if of != "update" else 0):
                self.width(h, V[h + 1], of=of)

    def policy(self, agent: Any, Q: Array) -> Any:
        """(H, S) the actions it would choose; (H, S, A) the law of those of largest Q, where it draws among equal ones."""
        if self.held.act is None:
            return Q.argmax(axis=2)
        if self.drawn is None:
            self.drawn = _draws(self.held, agent, self.public.A)
        if self.drawn:
            best = Q.max(axis=2, keepdims=True) == Q
            return best / best.sum(axis=2, keepdims=True)
        found = self.held.probed(agent, *Q.shape)
        return Q.argmax(axis=2) if found is None else found


class ActingAgent(HeldAgent):
    """Agent of which nothing is known but what it does."""

    def watch(self, agent: Any) -> None:
        """Do nothing: subclasses look at the agent when an episode has begun and it has chosen its first action."""

    def plan(self, agent: Any) -> EpisodicPlan:
        """Plan that says nothing, at which the widths of this run are asked for."""
        S, A, H = self.public.S, self.public.A, self.public.H
        self.watch(agent)
        V = np.zeros((H + 1, S))
        self.ask(V)
        return EpisodicPlan(Q=np.zeros((H, S, A)), V=V, policy=np.zeros((H, S), dtype=np.int64))


class Anybody(Algorithm):
    """Algorithm that an agent is held against as long as nobody knows what it is: of a width of 1 every width is its share."""

    paper: ClassVar[str] = ""
    width_names: ClassVar[tuple[str, ...]] = ("regression",)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Width of 1."""
        return 1.0


def _draws(held: Held, agent: Any, A: int) -> bool:
    """Whether an agent chooses differently when it is asked again."""
    try:
        other = copy.deepcopy(agent)
    except Exception:  # see `Held.probed`
        return False
    return len({held.action(other, A, h=0, s=0, k=0) for _ in range(20)}) > 1


def layouts_of(public: Any) -> dict[str, Layout]:
    """Layouts of the fields that can be read; `public` has S, A and H."""
    S, A, H = public.S, public.A, public.H
    lengths = {"h": (H,), "step": (H + 1,), "s": (S,), "a": (A,), "pair": (S, A)}
    axes = {"Q": "h s a", "V": "step s", **Phases.plan_axes}
    found = {}
    for name, names in axes.items():
        if set(names.split()) <= set(lengths):  # features have axes of their own
            parts = [lengths[axis] for axis in names.split()]
            found[name] = Layout(tuple(map(math.prod, parts)), tuple(chain(*parts)), names.startswith("h "), names == "step s")
    return found


def _sizes(public: Public) -> dict[str, Any]:
    """Arguments that a constructor may ask for."""
    reward = public.reward.reshape(*public.reward.shape[:-1], public.S, public.A)
    names = ("S", "A", "H", "K", "T", "delta", "d", "phi", "ridge")
    return {"reward": reward, **{name: getattr(public, name) for name in names}}


def held_agent(held: Held, name: str, title: str, reference: type[Algorithm] = Anybody) -> type[Algorithm]:
    """The class of an agent that is held against another algorithm.

    Raises
    ------
    UsageError
        If it shows something, and no Q.
    """
    if held.read and "Q" not in held.read:
        raise UsageError(
            f"{', '.join(held.read)} cannot be compared without the table of action values; say where that is: --read "
            "Q=ATTRIBUTE, or read={'Q': 'ATTRIBUTE'}; or read nothing: then its actions alone are compared"
        )
    fields = layouts_of(SimpleNamespace(S=1, A=1, H=1))  # not the policy: the agent is asked what it would choose
    for key in held.read:
        if key not in fields:
            raise UsageError(f"plans have no field {key!r} that could be read. {nearest(key, fields)}")
    scaled = ("scaled(0.1)", "scaled(0.01)") if held.knob else ()
    body = {
        "name": name, "title": title, "paper": reference.paper, "held": held, "reference": reference,
        "regimes": ("published", *scaled), "instances": reference.instances, "handles": reference.handles,
        "hidden": reference.hidden, "width_names": reference.width_names,
        "yields": frozenset(held.read) | (reference.yields & {"Q", "V"} if held.read else frozenset()),
    }  # fmt: skip
    return type(held.factory.__name__, (HeldAgent if held.read else ActingAgent,), body)
