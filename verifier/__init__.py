"""Conformance checks for reinforcement-learning algorithms with proved guarantees.

A plugin author needs the names exported here and a setting (`verifier.settings.lifelong`, ...); `ARCHITECTURE.md` tells
how a claim travels from a plugin to a verdict.
"""

from verifier.algorithm import Algorithm, Clause
from verifier.claim import Claim, Kind, Status
from verifier.hookspecs import hookimpl
from verifier.measurement import Inequality, Measurement
from verifier.mutant import Mutant
from verifier.property import Property, instance_property, phase_property, run_property
from verifier.regime import Regime
from verifier.version import __version__

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
