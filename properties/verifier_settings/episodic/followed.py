"""An algorithm that follows another agent: what it would do at each decision, had it done and seen all that the other one did.

The algorithm is run as it is, in an environment that tells what happened to the other agent. Before each episode its plan is made
to take the actions of that agent, so that its data are those of the agent, too. What it would have done itself is in the plan as
it was yielded: the action of its policy, or one that is worth as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.algorithm import Algorithm
from verifier.model.decisions import Decisions
from verifier.model.measurement import Inequality
from verifier.model.property import Property
from verifier.model.setting import concealed
from verifier.model.width import Radius, Width
from verifier_settings.episodic import tolerances
from verifier_settings.episodic.instance import Public
from verifier_settings.episodic.phases import Run
from verifier_settings.episodic.plan import EpisodicPlan
from verifier_settings.limits import limits
from verifier_settings.simulator import Environment


class Played(Protocol):
    """History of an agent: states (K, H+1), actions (K, H) and rewards (K, H)."""

    @property
    def states(self) -> IntArray:
        """States, the last one of each episode included."""

    @property
    def actions(self) -> IntArray:
        """Actions."""

    @property
    def rewards(self) -> Array:
        """Rewards that were paid."""


class AstrayError(ContractError):
    """The algorithm takes its actions from something else than its plan, so that it cannot be made to take others."""


class FollowedEnvironment(Environment[Public]):
    """Environment that tells what happened to another agent, whatever is played.

    Parameters
    ----------
    public : Public
    played : Played
    """

    def __init__(self, public: Public, played: Played) -> None:
        super().__init__(public, np.random.default_rng(0))
        self._played, self._step, self.episode = played, public.H, 0
        self._restore: Callable[[], None] = lambda: None
        self._led: IntArray = np.empty(0, dtype=np.int64)

    @property
    def at_start(self) -> bool:
        """Whether an episode has begun and no step of it has been played."""
        return self._step == 0

    def begin_episode(self) -> int:
        """First state of the next episode; the plan before is given back its policy, which the next one may be made of."""
        self._restore()
        self._step = 0
        return int(self._played.states[self.episode, 0])

    def lead(self, policy: IntArray) -> None:
        """Make a policy take the actions of the episode that has begun."""
        k = self.episode
        at = np.arange(self.public.H), self._played.states[k, :-1]
        own = policy[at].copy()
        policy[at] = self._played.actions[k]
        self._led = policy

        def restore() -> None:
            policy[at] = own

        self._restore = restore

    def step(self, action: int) -> tuple[int, float]:
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
        self.episode += self._step == self.public.H
        return int(self._played.states[k, h + 1]), float(self._played.rewards[k, h])

    def play(
        self, policy: IntArray, weight: Array | float | None = None, visits: Array | float | None = None
    ) -> tuple[IntArray, IntArray, Array]:
        """Episodes of the other agent up to the same limits, as `EpisodicEnvironment.play` has them.

        Raises
        ------
        AstrayError
            If the policy is not that of the plan.
        """
        if not np.array_equal(policy, self._led):
            raise AstrayError(f"episode {self.episode + 1}: a policy is played that is not that of the plan")
        public, played, first = self.public, self._played, self.episode
        pairs = played.states[first:, :-1] * public.A + played.actions[first:]
        until = limits(weight, visits, {"H": public.H, "S*A": public.S * public.A})
        n = min(until.reached(pairs, np.zeros(len(pairs), dtype=np.int64)) + 1, len(pairs)) if until else 1
        self._step, self.episode = public.H, first + n
        done = slice(first, first + n)
        return played.states[done].copy(), played.actions[done].copy(), played.rewards[done].copy()


def follow(algorithm: type[Algorithm], public: Public, radius: Radius, played: Played) -> Iterator[Decisions]:
    """Decisions of an algorithm that has the history of another agent, plan by plan.

    Parameters
    ----------
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
    known = concealed(public, algorithm.hidden)
    env = FollowedEnvironment(known, played)
    plan: EpisodicPlan | None = None
    own, first = np.empty(0, dtype=np.int64), 0
    for new in algorithm(known, Width(radius)).run(env):
        if plan is not None:
            yield _decided(plan.Q, own, public, played, slice(first, env.episode))
        if np.ndim(new.policy) != 2:
            raise AstrayError("its policy is a law")
        if not np.isfinite(new.Q).all():
            raise AstrayError(f"its Q is not finite in episode {env.episode + 1}")
        plan, own, first = new, np.array(new.policy), env.episode
        env.lead(new.policy)
    if plan is not None:
        yield _decided(plan.Q, own, public, played, slice(first, env.episode))


def _decided(Q: Array, policy: IntArray, public: Public, played: Played, done: slice) -> Decisions:
    """Decisions made in the episodes in which a plan was in force, as it sees them."""
    states, actions = played.states[done, :-1], played.actions[done]
    h = np.arange(public.H)
    worth = Q[h, states]  # (n, H, A)
    own = policy[h, states]
    best = np.take_along_axis(worth, own[..., None], axis=2)[..., 0]
    chosen = np.take_along_axis(worth, actions[..., None], axis=2)[..., 0]
    # Twice the rounding of a value: the two agents add up the same terms, each in an order of its own.
    rounding = 2 * tolerances.chain(public, np.arange(done.start, done.stop))[:, None]
    loss = np.where(own == actions, 0.0, np.abs(best - chosen))
    return Decisions(done.start, states, actions, own, loss, np.abs(best[..., None] - worth).max(axis=2), rounding)


def decisions(algorithm: type[Algorithm]) -> Property:
    """Every action is one that the algorithm could have taken, with the same data and width; ties may fall either way."""

    def evaluate(view: Run) -> Inequality:
        handed = np.concatenate([view.series.width.ravel(), view.applied.ravel()])
        width = float(handed[np.isfinite(handed)][0])  # the same at all steps, as the published one is
        found = list(follow(algorithm, view.public, lambda of, step, target: width, view))
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
        return Inequality(loss, 0.0, tuple(labels), trivial=spread, tolerance=rounding, labels=labels, identity=True)

    description = f"{algorithm.title} is run on the transcript: what its own action is worth more than the one taken."
    return Property("decisions", "run", evaluate, frozenset(), description, topic="Play", looks_back=False)
