"""What an algorithm of the episodic setting yields each time it plans."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.settings.episodic.instance import Public
from verifier.settings.plans import checked_fields


@dataclass(frozen=True)
class EpisodicPlan:
    """An immutable plan, in force from the episode at whose start it is yielded until the next one.

    Attributes
    ----------
    Q : (H, S, A) array
        Action values the agent acts on.
    V : (H+1, S) array
        Value functions the plan was made with, the one after the last step included.
    policy : (H, S) int array
        The action taken.
    visits : (S*A,) array, optional
        N(s,a).
    kernel : (S*A, S) array, optional
        Phat(.|s,a); any value where nothing was seen.
    bonus : (H, S*A) array, optional
        What is added for optimism.
    reward : (S*A,) array, optional
        Estimated rewards.
    gram : (H, d, d) array, optional
        Lambda_h.
    estimate : (H, d) array, optional
        w_h.
    """

    Q: Array
    V: Array
    policy: IntArray
    visits: Array | None = None
    kernel: Array | None = None
    bonus: Array | None = None
    reward: Array | None = None
    gram: Array | None = None
    estimate: Array | None = None


def shapes(public: Public) -> dict[str, tuple[int, ...]]:
    """The shape of each field."""
    H, S, A, d = public.H, public.S, public.A, public.d
    return {
        "Q": (H, S, A), "V": (H + 1, S), "policy": (H, S), "visits": (S * A,), "kernel": (S * A, S), "bonus": (H, S * A),
        "reward": (S * A,), "gram": (H, d, d), "estimate": (H, d),
    }  # fmt: skip


def checked(plan: object, public: Public, declared: frozenset[str], episode: int) -> EpisodicPlan:
    """A read-only copy of a plan, after checking that it is one.

    Parameters
    ----------
    plan : object
        What the algorithm yielded.
    public : Public
        Sizes.
    declared : frozenset of str
        Optional fields the algorithm promised to yield.
    episode : int
        Where in the run, for the message.

    Raises
    ------
    ContractError
        Wrong type, missing field, wrong shape or dtype, a value that is not finite, an action that does not exist.
    """
    where = f"plan yielded at episode {episode}"
    if not isinstance(plan, EpisodicPlan):
        raise ContractError(f"{where}: got {type(plan).__name__}, expected EpisodicPlan; build one in `run`")
    return EpisodicPlan(**checked_fields(plan, shapes(public), declared | {"Q", "V", "policy"}, {"policy": public.A}, where))
