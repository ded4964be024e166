"""Data of phases that are off in the ways that agents get wrong, from which explanations of a failure are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.formulas.quantity import reports
from verifier.formulas.scope import altered
from verifier_settings.counts import Seen, last_of_each, latest, rewards_of_others, summed
from verifier_settings.elliptical import bonus, diagonal, gram_of
from verifier_settings.episodic import mixtures

Phases = Any
"""`verifier_settings.episodic.phases.Phases`, which imports this module."""
Views = dict[str, Callable[[], Any]]
"""Views on data that are off, by what is said of them; made only where something fails."""

VARIANCES: dict[str, Callable[[Phases], Array]] = {
    "P̂V²_{h+1} − P̂V_{h+1}": lambda view: np.maximum(view.second_moment - view.backup, 0.0),
    "P̂|V_{h+1} − P̂V_{h+1}|": lambda view: (
        view.kernel[:, None] * np.abs(view.following[:, :, None] - view.backup[..., None])
    ).sum(axis=3),
}
"""Mistakes for the variance of V_{h+1}: a mean without its square, and deviations without theirs."""


KERNELS: dict[str, Callable[[Phases], Array]] = {
    "N(s,a,y)/Σ_a N(s,a,y)": lambda view: _over(view, axis=2),
    "N(s,a,y)/Σ_s N(s,a,y)": lambda view: _over(view, axis=1),
}
"""Frequencies of the next state that are divided by another sum than that over next states."""


def _over(view: Phases, axis: int) -> Array:
    counts = view.transitions.reshape(-1, view.public.S, view.public.A, view.public.S)
    return np.asarray(counts / np.maximum(counts.sum(axis=axis, keepdims=True), 1.0)).reshape(view.transitions.shape)


def off(view: Phases, **values: Any) -> Phases:
    """A view on other data. Estimates that plans report are off there by as much as they are on the right data."""
    found: Phases = altered(view, **values, **({"misfit": view.misfit} if reports(view, "estimate") else {}))
    return found


def views(view: Phases) -> Views:
    """Views like one on the right data: other counts, other values of the next step, other regressions."""
    return {
        **_counts(view),
        **_rewards(view),
        **_transcripts(view),
        **_values(view),
        **(_regressions(view) if reports(view, "estimate") else {}),
        **(_targets(view) if view.public.m else {}),
    }


def _counts(view: Phases) -> Views:
    """Views on other transitions, (p, H, X, S) counts by step, pair and next state, and on the rewards that belong to these."""
    counts, H, S, A = view.counts, view.public.H, view.public.S, view.public.A

    def counted(other: Array, **further: Array) -> Phases:
        sums = {"transitions": other.sum(axis=1), "step_visits": other.sum(axis=3), "arrivals": other.sum(axis=2)}
        return off(view, counts=other, **sums, **further)

    def changed(change: Callable[[Array], Array]) -> Phases:
        """Transitions and sums of rewards, (p, H, X, ...), changed alike: a mean of rewards is one of the visits counted."""
        return counted(change(counts), **({"drawn": change(view.drawn)} if view.drawn.size else {}))

    def of_steps(kept: Array) -> Phases:
        return changed(lambda sums: sums * kept.reshape(H, *(1,) * (sums.ndim - 2)))

    def without_last_plan(sums: Array) -> Array:
        return np.concatenate([sums[:1] * np.nan, sums[:-1]])

    def whatever_the_action(sums: Array) -> Array:
        by_action = sums.reshape(len(sums), H, S, A, *sums.shape[3:])
        return np.broadcast_to(by_action.sum(axis=3, keepdims=True), by_action.shape).reshape(sums.shape)

    def exchanged() -> Array:  # s' for s and s for s'
        return counts.reshape(len(counts), H, S, A, S).swapaxes(2, 4).reshape(counts.shape)

    def staying() -> Array:  # every state is followed by itself
        return counts.sum(axis=3, keepdims=True) * np.repeat(np.eye(S), A, axis=0)

    def alike() -> Array:  # every next state as often as any other one
        return np.broadcast_to(counts.mean(axis=3, keepdims=True), counts.shape)

    def pooled() -> Phases:
        def over_steps(sums: Array) -> Array:
            return np.broadcast_to(sums.sum(axis=1, keepdims=True), sums.shape)

        other, drawn = over_steps(counts), {"drawn": over_steps(view.drawn)} if view.drawn.size else {}
        return off(view, counts=other, step_visits=other.sum(axis=3), mean_reward=view.mean_reward, **drawn)

    def visited() -> Phases:
        """Visits of the state in the place of those of the pair, and transitions and rewards of the pair."""
        return off(view, visits=_of_states(view.visits, S, A), step_visits=_of_states(view.step_visits, S, A), earned=view.earned)

    # of one state only rewards are estimated
    one_more = f"with one {'uniform visit' if S > 1 else 'visit that pays nothing'} added to every pair"
    first, last = np.arange(H) == 0, np.arange(H) == H - 1
    some_steps: Views = {
        "without the last step of each episode": lambda: of_steps(~last),
        "without the first step of each episode": lambda: of_steps(~first),
        "of the first step alone": lambda: of_steps(first),
    }
    return {
        **(some_steps if H > 1 else {}),  # of one step without it nothing is left
        "with visits counted twice, transitions once": lambda: off(view, visits=2.0 * view.visits),
        "without the last plan's episodes": lambda: changed(without_last_plan),
        "of the state, whatever the action": lambda: changed(whatever_the_action),
        "with s and s′ exchanged": lambda: counted(exchanged()),
        "with what was seen several times counted once": lambda: counted(np.minimum(counts, 1.0)),
        "with N of the state for that of the pair": visited,
        one_more: lambda: counted(counts + 1.0 / (S * H)),
        "of the states that are left, not of those that follow": lambda: counted(staying()),
        "with all next states alike": lambda: counted(alike()),
        "of all steps": pooled,
    }


def _rewards(view: Phases) -> Views:
    """Views on other rewards of the same visits."""
    ends = view.public.low + view.public.high

    def turned() -> Phases:
        """Costs for rewards."""
        earned = ends * view.step_visits - view.earned
        return off(view, drawn=earned, mean_reward=earned.sum(axis=1) / np.maximum(view.visits, 1.0))

    def of_states() -> Phases:
        """Sums of rewards of the state, whatever the action, over the visits of the pair."""
        earned = _of_states(view.earned, view.public.S, view.public.A)
        return off(view, drawn=earned, mean_reward=earned.sum(axis=1) / np.maximum(view.visits, 1.0))

    return {
        f"with {f'{ends:g} − r' if ends else '−r'} for r": turned,
        "with the rewards of the state, whatever the action": of_states,
    }


def _transcripts(view: Phases) -> Views:
    """Views on the first batch of episodes with other actions, states or rewards than were seen.

    Of another step or, where there is one step only, of another episode.
    """
    history, H = view.history, view.public.H
    others = history.misread(view.public.A)
    if not others:
        return {}
    steps = np.broadcast_to(np.arange(H), history.row.shape)
    drawn = view.transcript.rewards
    rewards = view.truth.rewards[steps, history.row] if drawn is None else drawn[: len(history.row)]

    def read(seen: Seen, rewards: Array, last: bool = False) -> Phases:
        paid = summed(np.zeros((H, view.public.S * view.public.A)), seen.plans, seen.phase, (steps, seen.row), rewards)
        paid = np.diff(paid, axis=0, prepend=0.0) if last else paid
        return off(
            view, history=seen, row=seen.row, drawn=paid, mean_reward=paid.sum(axis=1) / np.maximum(seen.visits_of_pairs, 1.0)
        )

    def overwritten() -> Phases:
        """The last reward of each pair in the place of their sum."""
        at = (len(view.plans), history.phase)
        paid = latest((H, view.public.S * view.public.A), *at, (steps, history.row), rewards)
        pooled = latest((view.public.S * view.public.A,), *at, (history.row,), rewards)
        return off(view, history=history, row=history.row, drawn=paid, mean_reward=pooled / np.maximum(view.visits, 1.0))

    def once(groups: IntArray) -> Phases:
        """Transitions of which one is counted where an episode, or those of a plan, have several."""
        index = history.row, history.following
        kept = last_of_each(groups, *index).astype(float)
        found = summed(np.zeros(view.transitions.shape[1:]), len(view.plans), history.phase, index, kept)
        return off(view, transitions=found, visits=found.sum(axis=2))

    episodes = np.arange(len(history.row))
    repeats = {"where of several in one episode one is counted": partial(once, episodes)} if H > 1 else {}
    if len(np.unique(history.phase)) < len(history.phase):
        repeats["where of several under one plan one is counted"] = partial(once, history.phase)
    return {
        **repeats,
        "with the last reward for the sum": overwritten,
        **{said: partial(read, seen, rewards) for said, seen in others.items()},
        **{said: partial(read, history, other) for said, other in rewards_of_others(rewards).items()},
        "with the rewards of the last plan's episodes alone": lambda: read(history, rewards, last=True),
    }


def _of_states(visits: Array, S: int, A: int) -> Array:
    """Visits (..., S*A) of the state of each pair, whatever the action."""
    return np.repeat(visits.reshape(*visits.shape[:-1], S, A).sum(axis=-1), A, axis=-1)


def _values(view: Phases) -> Views:
    """Views on other values (p, H, S) of the next step."""
    V = view.V
    before = np.concatenate([np.full_like(V[:1], np.nan), V[:-1]])

    def valued(other: Array) -> Phases:
        return off(view, following=other)

    def later(values: Array) -> Array:  # those of one step later; 0 after the last
        return np.concatenate([values[:, 1:], np.zeros_like(values[:, :1])], axis=1)

    return {
        "with V_{h+1} of the plan before": lambda: valued(before[:, 1:]),
        "with V_h of the plan before for V_{h+1}": lambda: valued(before[:, :-1]),
        "with V_h for V_{h+1}": lambda: valued(V[:, :-1]),
        "with V_{h+2} for V_{h+1}": lambda: valued(later(V[:, 1:])),
        "with 0 for V_{h+1}": lambda: valued(np.zeros_like(V[:, 1:])),
        "with max_a Q not cut for V_{h+1}": lambda: valued(later(view.best)),
    }


def _regressions(view: Phases) -> Views:
    """Views on other data of a regression on phi."""

    def moved(by: int) -> Phases:
        data = {name: np.roll(getattr(view, name), -by, axis=1) for name in ("counts", "step_visits", "earned")}
        return off(view, **data)

    return {
        "without the reward": lambda: off(view, responses=view.responses - view.earned),
        "with the data of step h + 1": lambda: moved(1),
        "with the data of step h − 1": lambda: moved(-1),
        "with features of the states that follow": lambda: off(view, **_of_what_follows(view)),
        "with Λ_h of the plan before": lambda: off(
            view, gram_replay=np.concatenate([view.gram_replay[:1], view.gram_replay[:-1]])
        ),
        "with Λ_h for its inverse": lambda: off(view, bonus=bonus(view.public.phi, view.gram_replay)),
        "with the diagonal of Λ_h⁻¹ alone": lambda: off(view, bonus=bonus(view.public.phi, diagonal(view.gram_inverse))),
    }


def _of_what_follows(view: Phases) -> dict[str, Array]:
    """Regression whose features are those of the next state and the action that was played."""
    p, H, X, S = view.counts.shape
    A = view.public.A
    moves = view.counts.reshape(p, H, S, A, S)  # from a state, by an action, to a state
    visits = moves.sum(axis=2).swapaxes(2, 3).reshape(p, H, X)
    paid = np.einsum("phsat,phsa->phta", moves, view.step_mean_reward.reshape(p, H, S, A)).reshape(p, H, X)
    gram = gram_of(view.public.phi, visits, view.public.ridge)
    return {"gram_replay": gram, "responses": visits * np.repeat(view.following, A, axis=2) + paid}


def _targets(view: Phases) -> Views:
    """Views on other data of a regression of the values met on base kernels, and on other features.

    What was regressed on before the batch is not known, and taken for right: in a later batch other data explain nothing.
    """
    mixture, V = view.mixture, view.V

    def aimed(values: Array) -> Phases:
        return off(view, values_met=values)

    def staying() -> Array:  # the same for all base kernels
        return np.broadcast_to(np.repeat(V[:, 1:], view.public.A, axis=2)[..., None], mixture.features.shape)

    return {
        "with V_{h+1} at the states that are left": lambda: aimed(mixtures.values_met(V, view.phase, view.states, state=0)),
        "with V_h at the next states": lambda: aimed(mixtures.values_met(V, view.phase, view.states, step=0)),
        "with r + V_{h+1} for V_{h+1}": lambda: aimed(view.values_met + view.public.reward[view.row]),
        "with V_{h+1} of the state that is left": lambda: off(view, mixture=altered(mixture, features=staying())),
    }
