"""Error bounds of a model that is learnt without rewards, as in RF-UCRL: replayed, and valid for every policy and reward.

With n = N_h(s,a) visits of a pair at a step, the error bound of a pair is

    E_h(s,a) = min(H, b + sum_y Phat_h(y|s,a) max_a' E_{h+1}(y,a')),   b = H sqrt(2 beta(n) / n),
    beta(n) = log(2SAH/delta) + (S-1) log(e (1 + n/(S-1))),

and H where n = 0. In a plan, Q is E and V is its maximum.

The event is that H ||Phat_h - P_h||_1 / 2 <= b at every pair seen. Then, for values v in [0, H], |(Phat_h - P_h) v| <= b. For any
policy and any rewards in [0, 1], the values of a policy in the two models differ by at most |(Phat_h - P_h) V_{h+1}| and, under
Phat_h, by what they differ by at the next step, so by at most E. A policy that is optimal in Phat loses at most twice that. The
inequality of Pinsker is ||Phat_h - P_h||_1 <= sqrt(2 KL(Phat_h, P_h)), so the event holds where n KL <= beta(n).

How likely that is: let x be the n next states seen at a pair and step, n_y how often each of the S came, and q a law drawn
uniformly. M_n = E[q(x)] / P(x) is a martingale of mean 1, which exceeds 1/c with probability at most c for any n (Ville). The
integral of Dirichlet gives E[q(x)] = n_1! ... n_S! (S-1)! / (n+S-1)!, and n KL = log(Phat(x) / P(x)). So n KL - log M_n is the
logarithm of a multinomial probability, which is at most 1, times binom(n+S-1, S-1) <= (e (1 + n/(S-1)))^(S-1). With
c = delta/(2SAH) at each of the SAH pairs and steps all n KL <= beta(n) but for a chance of delta/2.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, from_here_on
from verifier.formulas.quantity import Quantity
from verifier.model.oracle import Oracle
from verifier.model.statement import at_most
from verifier_properties.episodic.tabular_model import Bonus, q_formula
from verifier_settings.episodic import Instance, Phases, tolerances
from verifier_settings.episodic.environment import EpisodicTranscript
from verifier_settings.sessions import oracle_width

TOPIC = "Confidence"


# Formulas -----------------------------------------------------------------------------------------------------------


def beta(S: Any, A: Any, H: Any, delta: Any, N_h: Any) -> Any:
    """beta(n) = log(2SAH/delta) + (S-1) log(e (1 + n/(S-1))); of a single state the second term is 0."""
    return np.log(2 * S * A * H / delta) + (S - 1) * (1 + np.log(1 + N_h / np.maximum(S - 1, 1)))


DIVERGENCE = Bonus(
    lambda w, H, beta, N_h: w * H * np.sqrt(2 * beta / N_h), define={"beta": beta}, visits="N_h", backup="PV_hat_h"
)
"""width times H sqrt(2 beta / N_h), of the visits at each step."""

error_formula = replace(
    q_formula(DIVERGENCE, monotone=False, reward=""), name="error-formula",
    description="Q of every plan against min(Phat_h V_{h+1} + b, H), counts from the transcript, and V of the plan.",
)  # fmt: skip


# The event ----------------------------------------------------------------------------------------------------------


def covered(view: Phases) -> BoolArray:
    """(p, H) whether H ||Phat_h - P_h||_1 / 2 is within the bonus at every pair seen, both the harness's own."""
    distance = np.abs(view.step_kernel - view.truth.kernel).sum(axis=3)
    return np.asarray(((view.public.H * distance / 2 <= DIVERGENCE.value(view)) | (view.step_visits == 0)).all(axis=2))


def covered_from(view: Phases) -> BoolArray:
    """(p, H) whether the event holds at a step and all later ones."""
    return from_here_on(view.once(covered))


class TotalVariation(Oracle):
    """The oracle of the bonus: the least multiple that covers H ||Phat_h - P_h||_1 / 2 at every pair of a step."""

    instance: Instance
    transcript: EpisodicTranscript

    def __init__(self, instance: Instance, transcript: EpisodicTranscript) -> None:
        super().__init__(instance, transcript)
        public = instance.public
        self._counts, self._counted = np.zeros((public.H, public.X, public.S)), 0

    def _visits(self, step: int) -> Array:
        """(X,) visits of the pairs at a step, of the episodes up to now."""
        t, A, H = self.transcript, self.instance.public.A, self.instance.public.H
        new = slice(self._counted, t.episodes)
        if t.episodes > self._counted:
            rows = t.states[new, :-1] * A + t.actions[new]
            np.add.at(self._counts, (np.broadcast_to(np.arange(H), rows.shape), rows, t.states[new, 1:]), 1.0)
            self._counted = t.episodes
        return np.asarray(self._counts[step].sum(axis=1))

    def error(self, step: int, target: Array) -> Array:
        """H ||Phat_h - P_h||_1 / 2 at every pair, shape (X,); 0 where nothing was seen."""
        visits = self._visits(step)
        kernel = self._counts[step] / np.maximum(visits, 1.0)[:, None]
        distance = np.abs(kernel - self.instance.truth.kernel[step]).sum(axis=1)
        return np.where(visits > 0, self.instance.public.H * distance / 2, 0.0)

    def width(self, step: int, target: Array) -> float:
        """The least multiple of H sqrt(2 beta / n)."""
        public, error = self.instance.public, self.error(step, target)
        n = np.maximum(self._visits(step), 1.0)
        unit = public.H * np.sqrt(2 * beta(public.S, public.A, public.H, public.delta, n) / n)
        return oracle_width(float((error / unit).max()))


def _divergence(view: Phases) -> Array:
    """(p, H, X) n KL(Phat_h, P_h) of the Phat that plans report, n of the transcript."""
    given, true = view.reported("step_kernel"), view.truth.kernel
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(given > 0, given * (np.log(given) - np.log(true)), 0.0)
    return np.asarray(view.step_visits * terms.sum(axis=3))


def _of_divergences(view: Phases) -> Array:
    """(p, H, X) rounding: n frequencies, each off by that of one, times a logarithm of at most 750; infinite terms have none."""
    off = tolerances.frequency(view.public, view.start)[:, None, None]
    return np.asarray(view.step_visits * view.public.S * 750 * (off + 8 * EPS))


@at_most("divergence", on=Phases, where="N_h > 0", needs=("step_kernel",), define={"beta": beta}, local=(
    Quantity(_divergence, "divergence", "plan h pair", "N_h·KL(P̂_h, P_h)", -np.inf, np.inf, _of_divergences),
))  # fmt: skip
def confidence(beta: Any) -> Any:
    """n KL(Phat_h, P_h) of the plan's Phat against beta(n), at all pairs, where n = N_h(s,a) > 0."""
    return beta


# What follows from it -----------------------------------------------------------------------------------------------

DRAWN = 48
"""Rewards of the output that are drawn, 0 or 1 at every pair and step, from a generator of the harness's."""


def _followed(kernel: Array, reward: Array, policy: IntArray | None) -> tuple[Array, IntArray]:
    """Action values (n, p, H, X) of a policy, or of the best one, and its actions (n, p, H, S).

    Parameters
    ----------
    kernel : (p, H, X, S) array
        One for each plan; p may be 1.
    reward : (n, p, H, X) array
    policy : (n, p, H, S) int array or None
    """
    n, p, H, X = reward.shape
    S = kernel.shape[3]
    values, actions = np.empty(reward.shape), np.empty((n, p, H, S), dtype=np.int64)
    V = np.zeros((n, p, S))
    for h in reversed(range(H)):
        values[:, :, h] = reward[:, :, h] + np.matmul(kernel[:, h], V[..., None])[..., 0]
        table = values[:, :, h].reshape(n, p, S, X // S)
        actions[:, :, h] = table.argmax(axis=3) if policy is None else policy[:, :, h]
        V = np.take_along_axis(table, actions[:, :, h, :, None], axis=3)[..., 0]
    return values, actions


def _taken(values: Array, actions: IntArray) -> Array:
    """(n, p, H, S) values of the actions taken, of action values (n, p, H, X)."""
    table = values.reshape(*actions.shape, -1)
    return np.take_along_axis(table, actions[..., None], axis=4)[..., 0]


def _occupied(kernel: Array, policy: IntArray, start: Array, A: int) -> Array:
    """(p, H, X) chances that a policy (p, H, S) is at each pair, in kernels (p, H, X, S)."""
    p, H, S = policy.shape
    found, now = np.zeros((p, H, S, A)), np.broadcast_to(start, (p, S))
    for h in range(H):
        np.put_along_axis(found[:, h], policy[:, h, :, None], now[..., None], axis=2)
        now = np.matmul(found[:, h].reshape(p, 1, S * A), np.broadcast_to(kernel, (p, *kernel.shape[1:]))[:, h])[:, 0]
    return found.reshape(p, H, S * A)


def _worst(view: Phases) -> tuple[Array, IntArray]:
    """Rewards (2, p, H, X) in which values of the policy of largest error differ most between the models, and it (p, H, S).

    The values of a policy in two models differ by the sum over pairs of the reward times the difference of its chances to be
    there. So the reward is 1 where the one chance is larger, or where the other one is, and 0 elsewhere.
    """
    policy = view.Q.argmax(axis=3)
    start, A = np.asarray(view.instance.start), view.public.A
    estimated, true = (_occupied(kernel, policy, start, A) for kernel in (view.step_kernel, view.truth.kernel[None]))
    return np.stack([estimated > true, estimated < true]).astype(float), policy


def _policies(view: Phases) -> tuple[Array, IntArray]:
    """Rewards (6, p, H, X) and policies (6, p, H, S) that errors are looked at with.

    Both rewards of `_worst`, each with the policy of largest error, the best one, and the best one of the estimated model.
    """
    reward, policy = view.once(_worst)
    return np.concatenate([reward] * 3), np.concatenate([
        np.broadcast_to(policy, (2, *policy.shape)),
        _followed(view.truth.kernel[None], reward, None)[1],
        _followed(view.step_kernel, reward, None)[1],
    ])  # fmt: skip


def _of_values(view: Phases) -> Array:
    """(p,) rounding of values of all steps."""
    return np.asarray(2 * view.public.H * tolerances.backup(view.public, view.start))


def _errors(view: Phases) -> Array:
    """(6, p, H, X) differences of the values of policies in the two models."""
    reward, policy = view.once(_policies)
    (estimated, _), (true, _) = (_followed(kernel, reward, policy) for kernel in (view.step_kernel, view.truth.kernel[None]))
    return np.abs(estimated - true)


def _of_errors(view: Phases) -> Array:
    """(1, p) rounding of a value."""
    return _of_values(view)[None]


@at_most("error", on=Phases, where="holds", local=(
    Quantity(_errors, "error", "reward plan h pair", "|Q̂^π_h − Q^π_h|", 0.0, "H", _of_errors),
    Quantity(covered_from, "holds", "plan h", "the event from h on"),
))  # fmt: skip
def error_bound(Q: Any) -> Any:
    """Values of policies in the model of the transcript and in the true one, for rewards in [0, 1]: their difference against Q.

    Rewards are chosen after the data, as bad as can be for the policy of largest error. Where the event holds from the step on.
    """
    return Q


def _losses(view: Phases, kernel: Array, reward: Array) -> Array:
    """(n, p, S) what the best policies of these kernels lose, for rewards (n, p, H, X), by the state at the start."""
    best, first = _followed(view.truth.kernel[None], reward, None)
    _, chosen = _followed(kernel, reward, None)
    got, _ = _followed(view.truth.kernel[None], reward, chosen)
    return np.asarray((_taken(best, first) - _taken(got, chosen))[:, :, 0])


@at_most("loss", on=Phases, where="covered", local=(
    Quantity(
        lambda view: _losses(view, view.step_kernel, view.once(_worst)[0]), "loss", "reward plan s", "V*_1 − V^π_1", 0.0, "H",
        _of_errors,
    ),
    Quantity(lambda view: view.V[:, 0], "V_1", "plan s"),
    Quantity(lambda view: view.once(covered).all(axis=1), "covered", "plan", "the event"),
))  # fmt: skip
def planning_loss(V_1: Any) -> Any:
    """V* - V^pi of the policy that is best in the model of the transcript, against twice V_1 of the plan.

    Rewards are those of `error_bound`. Where the event holds at all steps.
    """
    return 2 * V_1


def _losses_of_output(view: Phases) -> Array:
    """(n, p) what the policy that is best in the model that a plan reports loses, where the run ends with it; 0 elsewhere."""
    shape = len(view.plans), view.public.H, view.public.X
    at = np.flatnonzero(view.output)
    losses = np.zeros((DRAWN + 2, len(view.plans)))
    if at.size:
        drawn = np.random.Generator(np.random.PCG64(0)).integers(2, size=(DRAWN, 1, *shape[1:])).astype(float)
        reward = np.concatenate([view.once(_worst)[0][:, at], np.broadcast_to(drawn, (DRAWN, at.size, *shape[1:]))])
        # Where nothing was seen a plan may report anything.
        kernel = np.where(view.step_visits[at, ..., None] > 0, view.reported("step_kernel")[at], 0.0)
        losses[:, at] = _losses(view, kernel, reward) @ np.asarray(view.instance.start)
    return losses


@at_most("loss", on=Phases, where="output", needs=("step_kernel",), local=(
    Quantity(_losses_of_output, "loss", "reward plan", "E[V* − V^π]", 0.0, "H", _of_errors),
    Quantity(lambda view: view.output, "output", "plan", "the run ends with it"),
))  # fmt: skip
def certified(epsilon: Any) -> Any:
    """E[V* - V^pi] of the policy that is best in the model of the output, against epsilon; of runs that have stopped.

    Rewards in [0, 1] are chosen after the data, as bad as can be for the policy of largest error, and drawn, 0 or 1 at each pair.
    """
    return epsilon


# What is explored ---------------------------------------------------------------------------------------------------


@at_most("Q", on=Phases, where="covered", topic="Exploration", define={**DIVERGENCE.define, "b": DIVERGENCE.formula}, local=(
    Quantity(covered, "covered", "plan h", "the event"),
    Quantity(lambda view: view.PV, "PV", "plan h pair", "P_h V_{h+1}", rounding=_of_values),
))  # fmt: skip
def error_recursion(N_h: Any, H: Any, b: Any, PV: Any) -> Any:
    """Q_h of every plan against min(H, 2 b) + P_h V_{h+1}, b and P_h the harness's, where the event holds at the step."""
    return np.where(N_h > 0, np.minimum(2 * b, H), H) + PV
