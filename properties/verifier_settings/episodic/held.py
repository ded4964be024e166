"""Somebody's agent as an algorithm of the episodic setting: it plays, and its arrays become plans."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.base.inversion import inverted
from verifier.base.place import place_of
from verifier.model.held import Held, Layout, locals_of
from verifier.model.loops import LoopEnvironment
from verifier.model.outline import in_library
from verifier_settings import acting
from verifier_settings.episodic.environment import EpisodicEnvironment
from verifier_settings.episodic.instance import BANDIT, Public
from verifier_settings.episodic.kept import MADE, KeptEnvironment
from verifier_settings.episodic.phases import Phases
from verifier_settings.episodic.plan import EpisodicPlan
from verifier_settings.episodic.session import FORESEEN

MADE_HERE = {
    "V": ("value-function", "value-range", "value-cap"),
    "act": (
        "greedy",
        "largest-index",
        "plays-policy",
        "no-foresight",
        "regret",
        "regret-recursion",
        "pathwise-regret",
        "gap-of-played",
    ),
    "": ("width", "width-target", "plans-every-episode"),
    "estimate": (
        "gram",
        "regression",
        "estimate-norm",
        "potential",
        "leverage",
        "sum-of-bonuses",
        "determinant-trace",
    ),
}
"""Claims about what is made here, by the field that is to be read so that they are about the agent; "" stands for none.

"act" stands for an agent that is asked for actions. Of one that drives the environment itself the policy is made here, the first
of the best actions, and its own may break ties otherwise. "estimate" stands for least squares, of which no array is read.
"""


WIDTHS_TRIED = 60
"""Number of widths that are tried for one plan, of which a few are enough as a rule."""
MARGIN = 0.01
"""Share by which the next one is more than what the errors call for, so that the search ends."""


class HeldAgent(acting.PlayingAgent):
    """Agent with a table Q that acts on it; subclasses say which one."""

    setting: ClassVar[str] = "episodic"
    without_oracle: ClassVar[str] = ""
    answers: ClassVar[list[bool] | None] = None
    public: Public

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Play K episodes with the agent, whose data are kept."""
        self.drawn: bool | None = None
        self.kept = KeptEnvironment(env, self.public, bool(MADE & self.yields))
        yield from super().run(self.kept)

    def played(self, env: KeptEnvironment) -> Generator[EpisodicPlan]:
        """Plans of an agent that is asked for actions, or drives the environment itself."""
        yield from self.asked(env) if self.held.fit is None else inverted(partial(self.driving, env))

    def driving(self, env: KeptEnvironment, emit: Callable[[EpisodicPlan], None]) -> None:
        """Let an agent drive the environment; it is looked at whenever it has begun an episode."""
        held, seen = self.held, list[Any]()
        assert held.fit is not None

        def look() -> bool:
            if held.is_object and not seen:  # it is being made
                return False
            emit(self.plan(seen[0] if held.is_object else locals_of(held.factory)))
            return True

        style, seed = held.style, acting.ahead(env)
        shell = in_library(LoopEnvironment, style)(env, look, self.updated, style, seed)
        sizes = {**self.sizes(env), "env": shell}
        if held.is_object:
            seen.append(held.made(**sizes))
            self.turn(seen[0])
            held.fit.on(seen[0], **sizes)
        else:
            held.drive(sizes, self.share())
        shell.end(held.fit.text, held.fit.place(seen[0]) if held.is_object else place_of(held.factory))

    def sizes(self, env: KeptEnvironment) -> dict[str, Any]:
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
        return self.width(0, of=of) / self.published_width(self.public, of) if of == "update" else super().share()

    def ready(self, agent: Any, state: int, k: int, task: Mapping[str, Any]) -> None:
        """Hand the agent the width of the plan that it is about to make, which has one for all steps.

        Where it is asked whether its table follows its knob at all, the answer is noted (`answers`).
        """
        if "update" in self.width_names:
            return
        if self.answers is not None and not any(self.answers):
            one, two = (self._planned(agent, width, state, k, task)[0] for width in (self.turned, 2 * self.turned))
            self.answers.append(not np.array_equal(one, two, equal_nan=True))
        if self.held.oracle:
            width = self.covering(agent, state, k, task)
            if width != self.turned:
                self.turn_to(agent, width)

    def turn(self, agent: Any) -> None:
        """Hand the agent the width of this run, or the published one where each update will have its own."""
        if self.held.oracle and "update" in self.width_names:
            self.turned = self.published_width(self.public, self.width_names[0])
            self.own_value = self.held.turn(agent, self.turned, self.turned, self.public)
        else:
            super().turn(agent)

    def learns(self, agent: Any, h: int, told: Mapping[str, Any]) -> None:
        """Hand the agent the width of the update that it is about to make, or note whether its table follows its knob there."""
        if "update" not in self.width_names:
            return
        if self.answers is not None and not any(self.answers):
            one, two = (self._learned(agent, width, told) for width in (self.turned, 2 * self.turned))
            self.answers.append(not np.array_equal(one, two, equal_nan=True))
        if self.held.oracle:
            self.turn_to(agent, self.width(h, of="update"))

    def _learned(self, agent: Any, width: float, told: Mapping[str, Any]) -> Array:
        """Table of a copy of the agent that has made an update with a width."""
        assert self.held.update is not None
        other, turned = copy.deepcopy(agent), self.turned
        self.turn_to(other, width)
        self.held.update.on(other, **told)
        self.turned = turned
        return self.held.array(other, "Q", layouts_of(self.public)["Q"])

    def covering(self, agent: Any, state: int, k: int, task: Mapping[str, Any]) -> float:
        """Width with which the bonus covers the errors of the estimates in the next plan.

        Where the errors are those at the values of the plan, it is searched for: copies of the agent plan with a width, beginning
        with none, and each next width is what the errors at these values call for, and a little more, until one is enough.

        Raises
        ------
        ContractError
            If none is found.
        """
        of, width = self.width_names[0], 0.0
        if of in FORESEEN:
            return self.width.largest(np.zeros((self.public.H, self.public.S)), of=of)
        for _ in range(WIDTHS_TRIED):
            _, V = self._planned(agent, width, state, k, task)
            needed = self.width.largest(V[1:], of=of)
            if needed <= width:
                return width
            width = (1 + MARGIN) * needed
        raise ContractError(
            f"{self.name}: no width was found that covers the errors of its own plan in episode {k + 1}, of {WIDTHS_TRIED} that "
            "were tried; leave out --regime oracle"
        )

    def _planned(self, agent: Any, width: float, state: int, k: int, task: Mapping[str, Any]) -> tuple[Array, Array]:
        """Tables Q and V of a copy of the agent that has planned with a width."""
        other, turned = copy.deepcopy(agent), self.turned
        self.turn_to(other, width)
        self.begins(other, state, k, task)
        self.turned, self.planned = turned, None
        layouts = layouts_of(self.public)
        Q = self.held.array(other, "Q", layouts["Q"])
        return Q, self.held.array(other, "V", layouts["V"]) if "V" in self.held.read else self.values(Q)

    def values(self, Q: Array) -> Array:
        """(H+1, S) the values of a table, of which none is above H: many agents cut V at H, and not Q."""
        return np.vstack([np.minimum(Q.max(axis=2), self.public.H), np.zeros(self.public.S)])

    def plan(self, agent: Any) -> EpisodicPlan:
        """Plan of what the agent has now; V and the policy are made of Q where it does not show them."""
        layouts = layouts_of(self.public)
        arrays = {name: self.held.array(agent, name, layouts[name]) for name in self.held.read}
        Q = arrays.pop("Q")
        if self.reference.handles >= BANDIT:
            Q = self.kept.finite(Q)
        V = arrays.pop("V", None)
        if V is None:
            V = self.values(Q)
        self.ask(V)
        if MADE & self.yields:
            arrays |= self.kept.made(V)
        plan: EpisodicPlan = replace(EpisodicPlan(Q=Q, V=V, policy=self.policy(agent, Q)), **arrays)  # type: ignore[arg-type]  # `extra`
        return plan

    def ask(self, V: Array) -> None:
        """Ask for the widths of a plan, on behalf of the agent, with the values that it has planned with."""
        if self.held.oracle and "update" not in self.width_names:
            self.width.largest(V[1:], of=self.width_names[0], least=self.turned)
            return
        for of in self.width_names:
            for h in range(self.public.H if of != "update" else 0):
                self.width(h, V[h + 1], of=of)

    def policy(self, agent: Any, Q: Array) -> Any:
        """(H, S) the actions it would choose; (H, S, A) the law of those of largest Q, where it draws among equal ones."""
        if self.planned is not None:
            return self.planned.copy()
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
            found[name] = Layout(
                tuple(map(math.prod, parts)), tuple(chain(*parts)), names.startswith("h "), names == "step s", S == H == 1
            )
    return found


def _sizes(public: Public) -> dict[str, Any]:
    """Arguments that a constructor may ask for."""
    reward = public.reward.reshape(*public.reward.shape[:-1], public.S, public.A)
    names = ("S", "A", "H", "K", "T", "delta", "d", "phi", "ridge", "B")
    return {"reward": reward, **{name: getattr(public, name) for name in names}}
