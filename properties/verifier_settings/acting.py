"""Somebody's agent as an algorithm of a setting with episodes: how it is made and asked for actions, and how it learns.

Of such an agent nothing need be known but what it does; its plans then say nothing. Settings say how an episode begins, what
their agents are made of, and which widths their sessions want to hear of at a plan.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError, UsageError
from verifier.model.algorithm import Algorithm
from verifier.model.calls import SIZES
from verifier.model.global_generators import lasting, namespace, seeded, with_generators
from verifier.model.held import Held
from verifier.model.outline import Outline, in_library
from verifier.model.regime import Regime

BY_ACTIONS = ("no-foresight",)
"""Claims about an agent of which nothing is known but what it does."""


class PlayingAgent(Algorithm):
    """Agent of somebody else that plays K episodes; subclasses say in which setting."""

    held: ClassVar[Held]
    reference: ClassVar[type[Algorithm]]
    public: Any

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        """Width of the algorithm it is held against, with the constant of the agent."""
        return (cls.held.constant or 1.0) * cls.reference.published_width(public, of)

    def run(self, env: Any) -> Iterator[Any]:
        """Play K episodes with the agent, which may draw from generators that outlive the run: for its time they are its own."""
        self.planned: IntArray | None = None
        plans, seed, others = self.played(env), ahead(env), lasting(self.held.factory)
        yield from with_generators(plans, seeded(seed, others), others)

    @property
    def names(self) -> dict[str, Any]:
        """Global names of the agent's code, among which may be what it draws with."""
        return namespace(self.held.factory)

    def played(self, env: Any) -> Generator[Any]:
        """Plans of an agent that plays."""
        yield from self.asked(env)

    def asked(self, env: Any) -> Generator[Any]:
        """Play with an agent that is asked for actions."""
        public, held = self.public, self.held
        outline = in_library(Outline, held.style)(public, held.style, ahead(env))
        agent = self.made({"env": outline, **self.sizes(env)})
        self.turn(agent)
        for k in range(public.K):
            state, task = self.begun(env)
            steps = []
            self.ready(agent, state, k, task)
            action = self.begins(agent, state, k, task)  # before its table is read: some plan when they act first
            yield self.plan(agent)
            for h in range(public.H):
                action = action if h == 0 else self.chosen(agent, h, state, k, task)
                following, reward = env.step(action)
                steps.append((state, action, reward, following))
                if held.update is not None:
                    last = h == public.H - 1
                    told = {"h": h, "s": state, "a": action, "r": reward, "s2": following, "k": k, "done": last, **task}
                    self.learns(agent, h, told)
                    held.update.on(agent, **told)
                self.updated(h)
                state = following
            if held.after is not None:
                held.after.on(agent, steps=steps, k=k, **task)

    def made(self, sizes: dict[str, Any]) -> Any:
        """The agent, made for the problem of this run."""
        return self.held.made(**sizes)

    def begun(self, env: Any) -> tuple[int, Mapping[str, Any]]:
        """First state of the next episode, and what else an agent is told of it, by the names that calls may use."""
        return env.begin_episode(), {}

    def ready(self, agent: Any, state: int, k: int, task: Mapping[str, Any]) -> None:
        """Do nothing: in some settings the width of a plan is known before it is made."""

    def begins(self, agent: Any, state: int, k: int, task: Mapping[str, Any]) -> int:
        """First action of an episode, when the agent has planned for it."""
        held, public = self.held, self.public
        returned = None if held.before is None else held.before.on(agent, s=state, k=k, **task)
        self.planned = held.policy(agent, returned, public.H, public.S, public.A) if held.plans else None
        return self.chosen(agent, 0, state, k, task)

    def chosen(self, agent: Any, h: int, state: int, k: int, task: Mapping[str, Any]) -> int:
        """Action of the agent, or of the policy that it has planned."""
        if self.planned is not None:
            return int(self.planned[h, state])
        return self.held.action(agent, self.public.A, h=h, s=state, k=k, **task)

    def learns(self, agent: Any, h: int, told: Mapping[str, Any]) -> None:
        """Do nothing: in some settings the width of an update is known before it is made, of what the agent is told here."""

    def updated(self, h: int) -> None:
        """Do nothing: in some settings a width belongs to an update."""

    @abstractmethod
    def sizes(self, env: Any) -> dict[str, Any]:
        """Arguments that a constructor may ask for, and what is public as a whole."""

    @abstractmethod
    def plan(self, agent: Any) -> Any:
        """Plan of what the agent has now."""

    def nothing(self) -> Array:
        """Values of 0, for which a width is asked for."""
        return np.zeros(self.public.S)

    def share(self) -> float:
        """Share of the published width that this run has."""
        of = self.width_names[0]
        return self.width(0, self.nothing(), of=of) / self.published_width(self.public, of)

    def turn(self, agent: Any) -> None:
        """Hand the agent the width of this run."""
        if self.held.knob is not None:
            published = self.published_width(self.public, self.width_names[0])
            self.turned = self.share() * published
            self.own_value = self.held.turn(agent, self.turned, published, self.public)

    def turn_to(self, agent: Any, width: float) -> None:
        """Hand the agent the width of its next plan."""
        published = self.published_width(self.public, self.width_names[0])
        self.held.turn(agent, width, published, self.public, self.own_value)
        self.turned = width


def ahead(env: Any) -> int:
    """Seed that leaves the generator of a run as it is: what the agent is given next stays what it was."""
    return int(copy.deepcopy(env.rng).integers(2**32))


class Anybody(Algorithm):
    """Algorithm that an agent is held against as long as nobody knows what it is: of a width of 1 every width is its share."""

    paper: ClassVar[str] = ""
    width_names: ClassVar[tuple[str, ...]] = ("regression",)

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        """Width of 1."""
        return 1.0


SHARES = ("scaled(0.1)", "scaled(0.01)")
"""Regimes of an agent with a knob, beside that of the paper."""


def shares(held: Held, reference: type[Algorithm]) -> tuple[str, ...]:
    """Regimes of an agent: with a knob also those of its algorithm with less of the width still, where that one needs it.

    As UCB-Bernstein, whose bonus is the smaller of two bounds: at a hundredth it is always the second, and the first is not seen.
    """
    if not held.knob:
        return ("published",)
    least = min(Regime.parse(name).scale for name in SHARES)
    smaller = (name for name in reference.regimes if name.startswith("scaled") and Regime.parse(name).scale < least)
    return ("published", *SHARES, *smaller, *(("oracle",) if held.oracle else ()))


def of_agent(held: Held, name: str, title: str, reference: type[Algorithm]) -> dict[str, Any]:
    """Attributes of the class of an agent, by name."""
    return {
        "name": name, "title": title, "paper": reference.paper, "held": held, "reference": reference,
        "regimes": shares(held, reference), "instances": reference.instances, "handles": reference.handles,
        "hidden": reference.hidden, "precision": held.precision,
    }  # fmt: skip


def require_actions_alone(held: Held, sees: str) -> None:
    """Check that an agent is asked for its actions, and shows no table.

    Parameters
    ----------
    held : Held
    sees : str
        Why an environment of another library is too little.

    Raises
    ------
    UsageError
        If it shows a table, or drives its environment.
    """
    if held.read:
        raise UsageError(f"{', '.join(held.read)} cannot be read in this setting yet; leave out what is read")
    if held.fit is not None:
        raise UsageError(
            f"{held.factory.__name__} drives its environment, and {sees}; give it a method that acts: --act 'act(h, s)'"
        )


def require_known(held: Held, sizes: Mapping[str, Any], setting: str) -> None:
    """Check what an agent is made with.

    Raises
    ------
    ContractError
        If it is something that a setting does not have.
    """
    unknown = [name for name in held.new.names if name in SIZES and name not in sizes]
    if unknown:
        raise ContractError(f"it is made with {', '.join(unknown)}, which the setting {setting} does not have; change --new")
