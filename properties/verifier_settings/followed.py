"""An algorithm that follows another agent: what it would do at each decision, had it done and seen all that the other one did.

The algorithm is run as it is, in an environment that tells what happened to the other agent. Before each episode its plan is made
to take the actions of that agent, so that its data are those of the agent, too. What it would have done itself is in the plan as
it was yielded: the action of its policy, or one that is worth as much. Settings say how an episode begins and what it pays.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.algorithm import Algorithm
from verifier.model.decisions import Decisions
from verifier.model.inequality import Inequality
from verifier.model.mutant import Mutant
from verifier.model.property import Property
from verifier.model.setting import concealed
from verifier.model.width import Radius, Width
from verifier_settings.followed_bugs import ROUNDS, ways_to_decide, with_a_multiple
from verifier_settings.simulator import Environment
from verifier_settings.views import PublicT

Index = tuple[IntArray, ...]
"""Indices of an episode into arrays by step, state and what else a plan depends on."""


class Played(Protocol):
    """History of an agent: states (K, H+1) and actions (K, H)."""

    @property
    def states(self) -> IntArray:
        """States, the last one of each episode included."""

    @property
    def actions(self) -> IntArray:
        """Actions."""


class AstrayError(ContractError):
    """The algorithm takes its actions from something else than its plan, so that it cannot be made to take others."""


class FollowedEnvironment(Environment[PublicT]):
    """Environment that tells what happened to another agent, whatever is played.

    Parameters
    ----------
    public : Public
        What the algorithm may know.
    played : Played
    whole : Public
        The same with what it has to learn.
    """

    def __init__(self, public: PublicT, played: Any, whole: PublicT) -> None:
        super().__init__(public, np.random.default_rng(0))
        self._played, self._whole, self.episode = played, whole, 0
        self._H = self._step = played.actions.shape[1]
        self._restore: Callable[[], None] = lambda: None
        self._led: IntArray = np.empty(0, dtype=np.int64)
        self._own: IntArray = np.empty(0, dtype=np.int64)

    @abstractmethod
    def start(self, k: int) -> Any:
        """Beginning of an episode, as the environment of the setting has it."""

    @abstractmethod
    def paid(self, k: int, h: int) -> Any:
        """Reward of a step, as the environment of the setting has it."""

    @abstractmethod
    def rounding(self, plan: Any, done: slice) -> Array:
        """(n,) rounding of a value of a plan in these episodes."""

    def places(self, plan: Any, done: slice) -> Index:
        """Indices (n, H) of these episodes into the policy of a plan."""
        return np.arange(self._H)[None, :], self._played.states[done, :-1]

    def own(self, plan: Any, done: slice) -> IntArray:
        """(n, H) the actions of a plan in these episodes, as it was yielded."""
        return np.asarray(self._own[self.places(plan, done)])

    @property
    def at_start(self) -> bool:
        """Whether an episode has begun and no step of it has been played."""
        return self._step == 0

    def begin_episode(self) -> Any:
        """Start of the next episode; the plan before is given back its policy, which the next one may be made of."""
        self._restore()
        self._step = 0
        return self.start(self.episode)

    def lead(self, plan: Any) -> None:
        """Make a plan take the actions of the episode that has begun."""
        policy, k = plan.policy, self.episode
        at = tuple(np.broadcast_to(index, (1, self._H))[0] for index in self.places(plan, slice(k, k + 1)))
        self._own, own = np.array(policy), policy[at].copy()
        policy[at] = self._played.actions[k]
        self._led = policy

        def restore() -> None:
            policy[at] = own

        self._restore = restore

    def step(self, action: int) -> tuple[int, Any]:
        """Next state and reward of the other agent.

        Raises
        ------
        AstrayError
            If this is not its action.
        """
        k, h = self.episode, self._step
        if action != self._played.actions[k, h]:
            raise AstrayError(f"episode {k + 1}, step {h + 1}: action {action!r} is not that of the plan it was given")
        self._step += 1
        self.episode += self._step == self._H
        return int(self._played.states[k, h + 1]), self.paid(k, h)


Follow = Callable[[type[Algorithm], Any, Radius, Any], Iterator[Decisions]]
"""`follow` with the environment of a setting."""


def follow(
    environment: type[FollowedEnvironment[Any]], algorithm: type[Algorithm], public: Any, radius: Radius, played: Any
) -> Iterator[Decisions]:
    """Decisions of an algorithm that has the history of another agent, plan by plan.

    Parameters
    ----------
    environment : type
        That of the setting.
    algorithm : type
        Its plans have to say what it does: it draws nothing.
    public : Public
        All of it; what the algorithm has to learn is hidden from it.
    radius : callable
        The widths that it is handed, as of `Width`.
    played : Played

    Raises
    ------
    AstrayError
        If it does not do what its plan says.
    """
    for plan, env, done in led(environment, algorithm, public, radius, played):
        yield _decided(plan, env, played, done)


def led(
    environment: type[FollowedEnvironment[Any]],
    algorithm: type[Algorithm],
    public: Any,
    radius: Radius,
    played: Any,
    rng: np.random.Generator | None = None,
) -> Iterator[tuple[Any, FollowedEnvironment[Any], slice]]:
    """Plans of an algorithm that is led along the history of another agent, each with the episodes in which it was in force.

    Parameters
    ----------
    environment, algorithm, public, radius, played
        As of `follow`.
    rng : numpy.random.Generator, optional
        What it draws from.

    Raises
    ------
    AstrayError
        If it does not do what its plan says.
    """
    known = concealed(public, algorithm.hidden)
    env = environment(known, played, public)
    env.rng = env.rng if rng is None else rng
    last, first = None, 0
    for plan in algorithm(known, Width(radius)).run(env):
        if last is not None:
            yield last, env, slice(first, env.episode)
        if not np.issubdtype(np.asarray(plan.policy).dtype, np.integer):
            raise AstrayError("its policy is a law")
        if not np.isfinite(plan.Q).all():
            raise AstrayError(f"its Q is not finite in episode {env.episode + 1}")
        last, first = plan, env.episode
        env.lead(plan)
    if last is not None:
        yield last, env, slice(first, env.episode)


def _decided(plan: Any, env: FollowedEnvironment[Any], played: Played, done: slice) -> Decisions:
    """Decisions made in the episodes in which a plan was in force, as it sees them."""
    states, actions = played.states[done, :-1], played.actions[done]
    worth, own = np.moveaxis(plan.Q, 2, -1)[env.places(plan, done)], env.own(plan, done)  # (n, H, A) and (n, H)
    best = np.take_along_axis(worth, own[..., None], axis=2)[..., 0]
    chosen = np.take_along_axis(worth, actions[..., None], axis=2)[..., 0]
    # Twice the rounding of a value: the two agents add up the same terms, each in an order of its own.
    rounding = 2 * env.rounding(plan, done)[:, None]
    loss = np.where(own == actions, 0.0, np.abs(best - chosen))
    behind = np.abs(best[..., None] - worth)
    tied = (behind <= rounding[..., None]).sum(axis=2) > 1
    return Decisions(done.start, states, actions, own, loss, behind.max(axis=2), rounding, tied)


def decisions(
    following: Follow,
    handed: Callable[[type[Algorithm], Any], Radius],
    algorithm: type[Algorithm],
    bugs: Sequence[Mutant] = (),
    constant: bool = True,
) -> Property:
    """Every action is one that the algorithm could have taken, with the same data and width; ties may fall either way.

    Parameters
    ----------
    following : callable
        `follow` of the setting.
    handed : callable
        Maps the algorithm and the view on the run of an agent to the widths that this one was handed.
    algorithm : type
    bugs : sequence of Mutant, optional
        Bugs planted in it. Where decisions refute the algorithm, it is asked whether with one of them it would have made them.
    constant : bool, optional
        Whether the width is known, constant included. Else the agent is one with the constant that fits the run best.
    """

    def evaluate(view: Any) -> Inequality:
        radius = handed(algorithm, view)
        with_width = partial(_with_width, following, radius, view)
        found = list(with_width(algorithm, 1.0))
        if not constant and any(item.refuted() for item in found):
            other = with_a_multiple(partial(with_width, algorithm), ROUNDS)
            found = other[1].seen if other else found
        loss, spread, rounding, states, actions, own = (
            np.concatenate([np.broadcast_to(getattr(item, name), item.loss.shape) for item in found]).reshape(-1, 1, 1, 1, 1)
            for name in ("loss", "spread", "rounding", "states", "actions", "own")
        )
        K, H = view.actions.shape
        # One decision after the other: where it was made, what was done and what would have been are labels, too.
        labels = {
            "episode": np.repeat(np.arange(1, K + 1), H), "h": np.tile(np.arange(1, H + 1), K)[:, None],
            "s": states.reshape(-1, 1), "a": actions.reshape(-1, 1), "own": own.reshape(-1, 1),
        }  # fmt: skip
        ways = ways_to_decide(with_width, algorithm, bugs, found, loss > rounding)
        return Inequality(
            loss, 0.0, tuple(labels), trivial=spread, tolerance=rounding, labels=labels, identity=True, explanations=ways
        )

    description = f"{algorithm.title} is run on the transcript: what its own action is worth more than the one taken."
    return Property("decisions", "run", evaluate, frozenset(), description, topic="Play", looks_back=False, seldom=True)


def _with_width(following: Follow, radius: Radius, view: Any, algorithm: type[Algorithm], times: float) -> Iterator[Decisions]:
    """Decisions of an algorithm that is handed a multiple of these widths."""
    return following(algorithm, view.public, lambda of, step, target: times * radius(of, step, target), view)


def in_proportion(algorithm: type[Algorithm], public: Any, width: float) -> Radius:
    """The widths of an algorithm, all in the proportion to the published ones in which the first of them has this value."""
    share = width / algorithm.published_width(public, algorithm.width_names[0])
    return lambda of, step, target: share * algorithm.published_width(public, of)
