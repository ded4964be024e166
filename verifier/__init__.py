"""Conformance checks for reinforcement-learning algorithms with proved guarantees.

`check`, `power`, `scale`, `tight`, `replay` and `errata` are the commands as functions. A plugin author needs the other names
exported here and a setting (`verifier_settings.lifelong`, ...); `ARCHITECTURE.md` tells how a claim travels from a plugin to a
verdict.
"""

from typing import TYPE_CHECKING

from verifier.base.importing import later

if TYPE_CHECKING:
    from verifier.base.version import __version__
    from verifier.commands.api import check, errata, power, replay, scale, tight
    from verifier.commands.hold import hold
    from verifier.commands.identify import identify
    from verifier.commands.report import Report
    from verifier.model.algorithm import Algorithm
    from verifier.model.claim import PSEUDO_CODE, Claim, Kind, Status
    from verifier.model.clause import Clause
    from verifier.model.erratum import Erratum, Grade, Refutation
    from verifier.model.guarantees import Guarantees
    from verifier.model.hooks import hookimpl
    from verifier.model.horizon import Horizon
    from verifier.model.inequality import UNBOUNDED, Inequality
    from verifier.model.measurement import Measurement
    from verifier.model.mutant import Mutant
    from verifier.model.oracle import Oracle
    from verifier.model.property import Property, fork_property, instance_property, phase_property, run_property
    from verifier.model.regime import Regime
    from verifier.model.scaling import BurnIn, Rate, ScalingClaim
    from verifier.model.width import Width

__all__ = [
    "PSEUDO_CODE",
    "UNBOUNDED",
    "Algorithm",
    "BurnIn",
    "Claim",
    "Clause",
    "Erratum",
    "Grade",
    "Guarantees",
    "Horizon",
    "Inequality",
    "Kind",
    "Measurement",
    "Mutant",
    "Oracle",
    "Property",
    "Rate",
    "Refutation",
    "Regime",
    "Report",
    "ScalingClaim",
    "Status",
    "Width",
    "__version__",
    "check",
    "errata",
    "fork_property",
    "hold",
    "hookimpl",
    "identify",
    "instance_property",
    "phase_property",
    "power",
    "replay",
    "run_property",
    "scale",
    "tight",
]

_MODULES = (
    "base.version",
    "model.algorithm",
    "model.claim",
    "model.clause",
    "model.erratum",
    "model.guarantees",
    "model.hooks",
    "model.horizon",
    "model.inequality",
    "model.measurement",
    "model.mutant",
    "model.oracle",
    "model.property",
    "model.regime",
    "model.scaling",
    "model.width",
    "commands.report",
    "commands.api",
    "commands.hold",
    "commands.identify",
)


def __dir__() -> list[str]:
    return [*__all__]


__getattr__ = later(__name__, __all__, [f"verifier.{module}" for module in _MODULES])
