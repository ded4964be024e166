"""The harness's side of one run: it owns the transcript, watches the plans and computes oracle widths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds, Session
from verifier_settings.discounted.environment import DiscountedEnvironment, Transcript
from verifier_settings.discounted.epochs import Epochs
from verifier_settings.discounted.instance import Instance
from verifier_settings.discounted.models import Counting, Estimates, MixtureRegression, Steps
from verifier_settings.discounted.plan import DiscountedPlan, PlanBuffer
from verifier_settings.discounted.policies import log, normalised
from verifier_settings.discounted.run import Run
from verifier_settings.planning_meter import PlanningMeter
from verifier_settings.sessions import Widths, oracle_width, require_values

BATCH_BYTES = 16e6
BATCH_EPOCHS = 512

WIDTHS = {"transition": "the norm of a pair in the bonus, which is 1/√N on tables"}
"""Widths by name, each with what it multiplies."""


class DiscountedSession(Session[DiscountedPlan]):
    """Run in the discounted setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared; those of `MixtureRegression` mean that it regresses, else it counts.
    """

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        public = instance.public
        self._instance, self._padding_rng = instance, seeds.adversary
        self._transcript = Transcript()
        self.environment = DiscountedEnvironment(instance, self._transcript, seeds.environment, seeds.agent)
        regresses = "gram" in yields
        self._model: Counting | MixtureRegression = (MixtureRegression if regresses else Counting).start(public)
        self._current = self._model
        size = 8 * (public.X * public.A * (public.X + 12) + regresses * public.d**2 * (public.H + 4))
        self._size = int(np.clip(BATCH_BYTES / size, 2, BATCH_EPOCHS))
        self._plans = PlanBuffer(public, yields, self._size)
        self._starts: list[int] = []
        self._meter = PlanningMeter(lambda: self.environment.steps)
        self._handed = np.empty((self._size, public.X))
        self._width = np.empty(self._size)
        self._previous = np.zeros((public.X, public.A)), log(public.initial_policy)
        self._before: dict[str, Any] = {}
        self._flushed = 0
        self._replayed = 0
        self._injected = self._realised = False
        self._first_eta = self._first_width = np.nan

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """Estimate minus truth, Phat_k V - P V for the value function `target` (X,); shape (X, A)."""
        self._injected = True
        return self._estimates(of, step, target).mean[0] - self._true_backup(target)

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The least width with which eq. (2) holds at this epoch, plus rounding slack."""
        self._realised = True
        found = self._estimates(of, step, target)
        error = self._instance.public.gamma * np.abs(found.mean[0] - self._true_backup(target))
        norm = found.norm[0]
        least = np.divide(error, norm, out=np.zeros(error.shape), where=norm > 0).max()
        return oracle_width(least)

    def _true_backup(self, target: Array) -> Array:
        public = self._instance.public
        return (self._instance.truth.P @ target).reshape(public.X, public.A)

    def _estimates(self, of: str, step: int, target: Array) -> Estimates:
        if of not in WIDTHS:
            raise ContractError(f"the width of {of!r} was asked for; expected 'transition', the only one there is")
        require_values(step, target, self._instance.public.X)
        for index in range(self._replayed, len(self._starts)):
            V = self._plans.field("V", index - self._flushed)[None]
            self._current = self._current.after(self._steps(index, index + 1, V))
        self._replayed = len(self._starts)
        return self._current.now(np.asarray(target, dtype=float))

    def _steps(self, first: int, last: int, V: Array) -> Steps:
        """Steps played in the epochs of these indices."""
        starts = [*self._starts, len(self._transcript)]
        window = slice(starts[first], starts[last])
        lengths = np.diff(starts[first : last + 1])
        if (lengths == 0).any():
            k = first + int(np.argmin(lengths)) + 1
            raise ContractError(f"no step was played in epoch {k}; an epoch has at least one")
        rows = self._transcript.rows(self._instance.public.A, window)
        return Steps(rows, self._transcript.next_states(window), np.repeat(np.arange(last - first), lengths), V)

    def asked(self, of: str, step: int, target: Array) -> None:
        """Meter a width that the algorithm asks for."""
        self._meter.ask(of, step, target)

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: DiscountedPlan, widths: Widths) -> Epochs | None:
        """Keep a plan; return the batch of completed epochs when it is full."""
        if self.environment.steps >= self._instance.public.T:
            raise ContractError(f"a plan was yielded after the last step T = {self._instance.public.T}; return from run() there")
        full = self._flush() if self._plans.full else None
        i = self._plans.count
        self._plans.add(plan, len(self._starts) + 1)
        if ("transition", 0) in widths:
            self._width[i], self._handed[i] = self._asked(*widths["transition", 0])
        elif self._injected:
            self._width[i], self._handed[i] = np.nan, plan.V
        else:
            raise ContractError(
                f"plan of epoch {len(self._starts) + 1}: the algorithm did not ask for the width; call self.width(0, V)"
            )
        self._injected = False
        if not self._starts:
            self._first_eta, self._first_width = float(plan.eta), np.nan if self._realised else float(self._width[0])
        self._starts.append(self.environment.steps)
        self._meter.plan()
        return full

    def _asked(self, width: float, handed: Array) -> tuple[float, Array]:
        X = self._instance.public.X
        if handed.shape != (X,) or not math.isfinite(handed.sum()):
            require_values(0, handed, X, where=f"plan of epoch {len(self._starts) + 1}: ")
        return width, handed

    def _flush(self, padding: int = 0, is_last: bool = False) -> Epochs:
        """The batch of epochs whose plans are in the buffer; padding is how many of the last steps are the harness's."""
        count, first = self._plans.count, self._flushed
        plans = self._plans.take(first + 1)
        steps = self._steps(first, first + count, plans["V"])
        played = np.bincount(steps.epoch, minlength=count)
        played[-1] -= padding
        starts = [*self._starts[first : first + count], len(self._transcript)]
        begin, end = np.array(starts[:-1]), np.array(starts[1:])
        inside = self._transcript.resets_in(begin + 1, end - 1)
        closed = self._transcript.resets_in(end, end) == 1
        view = Epochs(
            instance=self._instance, plans=plans, first=first + 1, previous=self._previous, width=self._width[:count].copy(),
            handed=self._handed[:count].copy(), steps=steps, played=played, inside=inside, closed=closed, is_last=is_last,
            estimates=self._model.estimates(steps), before=self._before,
        )  # fmt: skip
        self._current = self._model = self._model.after(steps)
        self._flushed = self._replayed = first + count
        self._previous = plans["Q"][-1], plans["log_policy"][-1]
        self._before = view.after()
        return view

    def finish(self) -> tuple[Epochs, Run]:
        """Close the run, after the last epoch was played to its end at T+."""
        public, played = self._instance.public, self.environment.steps
        if played != public.T:
            raise ContractError(f"run() ended after {played} of T = {public.T} steps; play all of them")
        if not self._starts or self._starts[0] != 0:
            first = f"the first plan came after {self._starts[0]} steps" if self._starts else "no plan was yielded"
            raise ContractError(f"{first}; yield a plan before the first step")
        self._plans.check(self._flushed + 1)
        policy = np.exp(normalised(self._plans.field("log_policy", self._plans.count - 1)))
        padding = self.environment.pad(policy, self._padding_rng)
        last = self._flush(padding, is_last=True)
        whole, t = slice(0, len(self._transcript)), self._transcript
        run = Run(
            instance=self._instance, states=np.array(t.states), actions=np.array(t.actions), successors=t.next_states(whole),
            resets=t.reset_flags(), plans=np.array(self._starts),
            secret=self._meter.finish(), padding=padding, sums=self._before, eta=self._first_eta,
            width=self._first_width,
        )  # fmt: skip
        return last, run

    def digest(self) -> str:
        """Hash of the transcript."""
        return self._transcript.digest()
