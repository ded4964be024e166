"""Conformance checks for reinforcement-learning algorithms with proved guarantees.

A plugin author needs the names exported here and a setting (`verifier.settings.lifelong`, ...); `ARCHITECTURE.md` tells
how a claim travels from a plugin to a verdict.
"""

from verifier.base.version import __version__
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim, Kind, Status
from verifier.model.clause import Clause
from verifier.model.erratum import Erratum, Refutation
from verifier.model.guarantees import Guarantees
from verifier.model.hooks import hookimpl
from verifier.model.horizon import Horizon
from verifier.model.measurement import Inequality, Measurement
from verifier.model.mutant import Mutant
from verifier.model.property import Property, instance_property, phase_property, run_property
from verifier.model.regime import Regime
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier.model.width import Width

__all__ = [
    "Algorithm",
    "BurnIn",
    "Claim",
    "Clause",
    "Erratum",
    "Guarantees",
    "Horizon",
    "Inequality",
    "Kind",
    "Measurement",
    "Mutant",
    "Property",
    "Rate",
    "Refutation",
    "Regime",
    "ScalingClaim",
    "Status",
    "Width",
    "__version__",
    "hookimpl",
    "instance_property",
    "phase_property",
    "run_property",
]
