"""Measurability: the actions of an agent do not depend on what it cannot know yet, checked on pairs of runs."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import BoolArray
from verifier.model.fork import Fork, Forks, fingerprint
from verifier.model.inequality import Inequality
from verifier.model.property import Property, fork_property


# Not a formula: pairs of runs are compared, bit for bit.
@fork_property()
def foresight(view: Forks) -> Inequality:
    """The beginning of the run, played again with the same seeds where the environment draws other numbers from some point on.

    Every action and every plan before its answers differ has to be the same, bit for bit.
    """
    forks = view.forks
    foreseen = np.array([fork.foreseen for fork in forks], dtype=float)
    labels = {"steps": [fork.steps for fork in forks]}

    def foresees(what: str) -> BoolArray:
        return np.array([fork.foresees == what for fork in forks])

    return Inequality(
        foreseen, 0.0, ("steps",), trivial=1.0, labels=labels, premise=np.array([bool(fork.compared) for fork in forks]),
        explanations={
            "what is done depends on what is drawn later": lambda: foresees("call"),
            "what is planned depends on what is drawn later": lambda: foresees("plan"),
        },
    )  # fmt: skip


# Not a formula: pairs of runs are compared, bit for bit.
@fork_property()
def without_what_is_revealed(view: Forks) -> Inequality:
    """The whole run up to what the environment reveals at its end, played again with the same seeds where that is something else.

    Every call and every plan until then has to be the same, bit for bit.
    """
    if view.unrevealed is None:
        return Inequality(0.0, 0.0, trivial=1.0, premise=False)
    fork = view.unrevealed()
    labels = {"steps": [fork.steps]}
    return Inequality(
        np.array([float(fork.foreseen)]), 0.0, ("steps",), trivial=1.0, labels=labels, premise=np.array([fork.compared > 0]),
        explanations={
            "what is done depends on what is revealed later": lambda: np.array([fork.foresees == "call"]),
            "what is planned depends on what is revealed later": lambda: np.array([fork.foresees == "plan"]),
        },
    )  # fmt: skip


# Not a formula: pairs of runs are compared, bit for bit.
@fork_property()
def planned_before_start(view: Forks) -> Inequality:
    """Pairs of runs with the same seeds that differ from the initial state of some episode on: the next plans are the same.

    Of an algorithm that makes its plan before the episode starts, and yields it when it has.
    """
    following = [fork.plans if fork.parted == "begin_episode" and fork.played == 0 else None for fork in view.forks]
    differs = np.array([float(plans is not None and fingerprint(plans[0]) != fingerprint(plans[1])) for plans in following])
    premise = np.array([plans is not None for plans in following])
    labels = {"steps": [fork.steps for fork in view.forks]}
    return Inequality(differs, 0.0, ("steps",), trivial=1.0, labels=labels, premise=premise)


# Not a formula: pairs of runs are compared, bit for bit.
def played_steps(*fields: str) -> Property:
    """Plan fields about the steps of the last episode, which must not depend on the state that a step leads to.

    Parameters
    ----------
    *fields : str
        Of shape (H, ...): entry h belongs to step h of the episode that ended before the plan.
    """

    def evaluate(view: Forks) -> Inequality:
        H = view.public.H
        found = [_differences(fork, fields, H) for fork in view.forks]
        labels = {"steps": [fork.steps for fork in view.forks], "h": np.arange(1, H + 1)}
        differs, known = np.array([one for one, _ in found]), np.array([other for _, other in found])
        return Inequality(differs, 0.0, ("steps", "h"), trivial=1.0, labels=labels, premise=known)

    return Property(
        "played-steps",
        "fork",
        evaluate,
        frozenset(fields),
        "Pairs of runs with the same seeds whose answers differ from the next state of some step on: what the next plans say of "
        "that step and of those before has to be the same, bit for bit.",
    )


def _differences(fork: Fork, fields: tuple[str, ...], H: int) -> tuple[list[float], list[bool]]:
    """Number of fields that differ at each step, and whether the step is one at which none may."""
    h = (fork.steps - 1) % H
    if fork.plans is None or fork.parted != "step" or h + fork.played != H - 1:
        return [0.0] * H, [False] * H
    left, right = fork.plans
    differs = [float(sum(fingerprint(left[name][i]) != fingerprint(right[name][i]) for name in fields)) for i in range(H)]
    return differs, [i <= h for i in range(H)]
