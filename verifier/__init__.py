"""Conformance checks for reinforcement-learning algorithms with proved guarantees.

A plugin author needs the names exported here and a setting (`verifier.settings.lifelong`, ...); `ARCHITECTURE.md` tells
how a claim travels from a plugin to a verdict.
"""

from verifier.base.version import __version__
from verifier.model.algorithm import Algorithm, Clause
from verifier.model.claim import Claim, Kind, Status
from verifier.model.hooks import hookimpl
from verifier.model.measurement import Inequality, Measurement
from verifier.model.mutant import Mutant
from verifier.model.property import Property, instance_property, phase_property, run_property
from verifier.model.regime import Regime

__all__ = [
    "Algorithm",
    "Claim",
    "Clause",
    "Inequality",
    "Kind",
    "Measurement",
    "Mutant",
    "Property",
    "Regime",
    "Status",
    "__version__",
    "hookimpl",
    "instance_property",
    "phase_property",
    "run_property",
]
