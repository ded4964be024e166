"""Specification and result of a trial: plain data that is sent between processes and kept in the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from verifier.model.measurement import Measurement

ErrorKind = Literal["load", "contract", "crash", "timeout", "memory", "exit", "global-rng", "tampering", "internal"]


@dataclass(frozen=True)
class TrialSpec:
    """Everything that determines a trial.

    Parameters
    ----------
    algorithm, instance, regime : str
        Names; the regime in the form `Regime.name`.
    index : int
        Number of the trial among those of the same algorithm, instance and regime, from 0.
    seed : int
        Master seed.
    blind : bool
        Whether the agent runs in a process of its own, see `verifier.trials.blind`. A correct plugin gives the same either way.
    claims : tuple of str
        Names of the claims that are evaluated, in this order where one comes after the other; none stands for all.
    """

    algorithm: str
    instance: str
    regime: str
    index: int
    seed: int
    blind: bool = False
    claims: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Name of the trial in messages: ``ucblvd on onehot, oracle, trial 3``."""
        return f"{self.algorithm} on {self.instance}, {self.regime}, trial {self.index}"

    def replay_id(self, claim: str) -> str:
        """The id from which `verifier replay` reruns the measurement of a claim bit for bit."""
        return f"{self.algorithm}/{claim}:{self.instance}:{self.regime}:{self.index}:{self.seed}"


LONGEST = 10_000
"""Characters of an error's texts: plugins choose what they raise, and the texts stand in every report."""


def shortened(text: str) -> str:
    """A text without its middle, if it is longer than `LONGEST`."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} [... {len(text) - 2 * half} characters ...] {text[-half:]}"


@dataclass(frozen=True)
class TrialError:
    """Reason why a trial gave no measurements: never a pass.

    Parameters
    ----------
    kind : str
        One of `ErrorKind`.
    message : str
        What was given, what was expected, what to do; without its middle if it is longer than `LONGEST`.
    traceback : str
        Of the plugin's code, when there is one; shortened like the message.
    """

    kind: ErrorKind
    message: str
    traceback: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", shortened(self.message))
        object.__setattr__(self, "traceback", shortened(self.traceback))


@dataclass(frozen=True)
class TrialResult:
    """The outcome of a trial.

    Parameters
    ----------
    spec : TrialSpec
        Which trial.
    measurements : mapping of str to Measurement
        By claim name; empty when there is an error.
    digest : str
        Hash of the transcript.
    seconds : float
        Processor time of the run and its checks; of a trial that took too long, its time limit.
    error : TrialError, optional
        Set when the trial failed.
    unmeasured : mapping of str to TrialError
        By claim name, why its property could not be evaluated, in a trial that did not fail.
    payload : str
        What a task that is no trial (a search) has to say, as JSON text.
    machine : mapping of str to str
        What its bits depend on, see `verifier.base.machine`.
    """

    spec: TrialSpec
    measurements: Mapping[str, Measurement] = field(default_factory=dict)
    digest: str = ""
    seconds: float = 0.0
    error: TrialError | None = None
    payload: str = ""
    machine: Mapping[str, str] = field(default_factory=dict)
    unmeasured: Mapping[str, TrialError] = field(default_factory=dict)

    def failure(self, claim: str) -> TrialError | None:
        """Reason why there is no measurement of a claim, if there is none."""
        return self.error or self.unmeasured.get(claim)

    def to_json(self) -> dict[str, Any]:
        """Plain data, from which `verifier.base.reading.read` makes the same again without loss."""
        return asdict(self)
