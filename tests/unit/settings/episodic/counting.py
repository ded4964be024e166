"""An algorithm with arrays of its own in its plans, and claims about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from verifier import PSEUDO_CODE, Claim, Guarantees, Kind
from verifier.base.arrays import IntArray
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property, run_property
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.validation import validate
from verifier.trials.trial import run
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC, EpisodicPlan, Phases, Run


class Counting(HoeffdingUCBVI):
    """UCBVI that reports in fields of its own how often each action was taken at each step, and how many steps there were."""

    name = "counting"
    extra: ClassVar[Mapping[str, tuple[int | str, ...]]] = {"taken": ("H", "A"), "steps": (), "pairs": ("S*A+1", 2)}

    def __init__(self, *args: Any, **options: str) -> None:
        super().__init__(*args, **options)
        self.taken = np.zeros((self.public.H, self.public.A))

    def plan(self) -> EpisodicPlan:
        return replace(super().plan(), extra=self.own())

    def own(self) -> dict[str, Any]:
        pairs = np.zeros((self.public.S * self.public.A + 1, 2), dtype=int)
        return {"taken": self.taken, "steps": self.taken.sum(), "pairs": pairs}

    def learn(self, states: IntArray, actions: IntArray) -> None:
        super().learn(states, actions)
        self.taken[np.arange(len(actions)), actions] += 1


@phase_property("steps")
def whole_episodes(view: Phases) -> Inequality:
    """The steps reported are those of whole episodes: the distance to the next multiple of H."""
    rest = view.extra["steps"] % view.public.H
    return Inequality(rest, np.zeros(len(rest)), ("plan",), trivial=float(view.public.H), labels=view.labels)


@run_property("steps")
def steps_grow(view: Run) -> Inequality:
    """Between one plan and the next as many steps are added as were played."""
    steps = view.history["steps"]
    error = np.abs(np.diff(steps) - view.public.H * np.diff(view.plans))
    return Inequality(error, np.zeros(len(error)), ("change",), trivial=np.inf)


def claim(name: str, of: Any) -> Claim:
    return Claim(name=name, property=of, source="ours", theorem=name, statement=name, kind=Kind.ALWAYS, follows=(PSEUDO_CODE,))


CLAIMS = (claim("whole-episodes", whole_episodes), claim("steps-grow", steps_grow))


def trial(algorithm: type[Counting], blind: bool = False) -> TrialResult:
    guarantees = Guarantees(algorithm, claims=CLAIMS)
    validate(guarantees)
    return run(TrialSpec("counting", "random", "published", 0, 0, blind), guarantees, EPISODIC)
