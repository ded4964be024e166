"""Somebody's agent as an algorithm of the episodic setting: it plays, and its arrays become plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError, nearest
from verifier.model.algorithm import Algorithm
from verifier.model.held import Held
from verifier_settings.episodic.environment import EpisodicEnvironment
from verifier_settings.episodic.instance import Public
from verifier_settings.episodic.plan import EpisodicPlan, shapes

MADE_HERE = {"V": ("value-function", "value-range", "value-cap"), "": ("width", "width-target", "plans-every-episode")}
"""Claims about what is made here, by the field that is to be read so that they are about the agent; "" stands for none."""


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
        """Play K episodes with the agent."""
        public, held = self.public, self.held
        sizes = {"rng": env.rng, "seed": int(env.rng.integers(2**31))}
        agent = held.made(**sizes, **_sizes(public), _public=public)
        self.turn(agent)
        self.drawn: bool | None = None
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
                if "update" in self.width_names:
                    self.width(h, of="update")
                state = following

    def turn(self, agent: Any) -> None:
        """Hand the agent the width of this run, as a share of the published one."""
        if self.held.knob is not None:
            of = self.width_names[0]
            width = self.width(0, of=of) if of == "update" else self.width(0, np.zeros(self.public.S), of=of)
            self.held.turn(agent, width, self.published_width(self.public, of), self.public)

    def plan(self, agent: Any) -> EpisodicPlan:
        """Plan of what the agent has now; V and the policy are made of Q where it does not show them."""
        public, wanted = self.public, shapes(self.public)
        arrays = {name: self.held.array(agent, name, wanted[name], (public.S, public.A)) for name in self.held.read}
        Q = arrays.pop("Q")
        V = arrays.pop("V", None)
        if V is None:
            V = np.vstack([np.minimum(Q.max(axis=2), public.H), np.zeros(public.S)])
        for of in self.width_names:
            for h in range(public.H if of != "update" else 0):
                self.width(h, V[h + 1], of=of)  # on its behalf, with the values that it has planned with
        plan: EpisodicPlan = replace(EpisodicPlan(Q=Q, V=V, policy=self.policy(agent, Q)), **arrays)  # type: ignore[arg-type]  # `extra`
        return plan

    def policy(self, agent: Any, Q: Array) -> Any:
        """(H, S) the actions it would choose; (H, S, A) the law of those of largest Q, where it draws among equal ones."""
        if self.drawn is None:
            self.drawn = _draws(self.held, agent, self.public.A)
        if self.drawn:
            best = Q.max(axis=2, keepdims=True) == Q
            return best / best.sum(axis=2, keepdims=True)
        found = self.held.probed(agent, *Q.shape)
        return Q.argmax(axis=2) if found is None else found


def _draws(held: Held, agent: Any, A: int) -> bool:
    """Whether an agent chooses differently when it is asked again."""
    import copy

    try:
        other = copy.deepcopy(agent)
    except Exception:  # see `Held.probed`
        return False
    return len({held.action(other, A, h=0, s=0, k=0) for _ in range(20)}) > 1


def _sizes(public: Public) -> dict[str, Any]:
    """Arguments that a constructor may ask for."""
    reward = public.reward.reshape(*public.reward.shape[:-1], public.S, public.A)
    names = ("S", "A", "H", "K", "T", "delta", "d", "phi", "ridge")
    return {"reward": reward, **{name: getattr(public, name) for name in names}}


def held_agent(held: Held, name: str, title: str, reference: type[Algorithm]) -> type[Algorithm]:
    """The class of an agent that is held against another algorithm.

    Raises
    ------
    UsageError
        If it shows no Q.
    """
    if "Q" not in held.read:
        raise UsageError(
            "nothing is read of the agent that could be compared; say where its table of action values is: --read Q=ATTRIBUTE, "
            "or read={'Q': 'ATTRIBUTE'}"
        )
    fields = set(EpisodicPlan.__dataclass_fields__) - {"policy", "extra"}  # the agent is asked what it would choose
    for key in held.read:
        if key not in fields:
            raise UsageError(f"plans have no field {key!r} that could be read. {nearest(key, fields)}")
    scaled = ("scaled(0.1)", "scaled(0.01)") if held.knob else ()
    body = {
        "name": name, "title": title, "paper": reference.paper, "held": held, "reference": reference,
        "regimes": ("published", *scaled), "instances": reference.instances, "handles": reference.handles,
        "hidden": reference.hidden, "width_names": reference.width_names,
        "yields": frozenset(held.read) | (reference.yields & {"Q", "V"}),
    }  # fmt: skip
    return type(held.factory.__name__, (HeldAgent,), body)
