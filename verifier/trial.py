"""One trial: an algorithm on an instance in a regime with a seed, and the measurements of all its claims."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from verifier.algorithm import Algorithm
from verifier.arrays import Array
from verifier.claim import Claim, Kind
from verifier.errors import ContractError, VerifierError
from verifier.measurement import Measurement, measure
from verifier.property import Scope
from verifier.regime import Regime
from verifier.result import TrialError, TrialResult, TrialSpec
from verifier.seeds import stream
from verifier.setting import Scenario, Seeds, Session, Setting
from verifier.statistics.expectation import measure_run
from verifier.width import Width


def run_trial(spec: TrialSpec) -> TrialResult:
    """Run a trial of an installed algorithm; failures of the plugin become a `TrialError`.

    Parameters
    ----------
    spec : TrialSpec
        Names are looked up among the installed plugins.
    """
    from verifier.registry import registry

    try:
        algorithm = registry().algorithm(spec.algorithm)
        setting = registry().setting(algorithm.setting)
    except VerifierError as error:
        return TrialResult(spec, error=TrialError("load", str(error)))
    return run(spec, algorithm, setting)


def run(spec: TrialSpec, algorithm: type[Algorithm], setting: Setting[Any, Any]) -> TrialResult:
    """Run a trial of the given algorithm class."""
    scenario = setting.scenario(spec.instance)
    if scenario is None:
        return TrialResult(spec, error=TrialError("load", f"setting {setting.name!r} has no instance {spec.instance!r}"))
    before = time.process_time()
    with _watched_global_rng(spec) as used:
        result = _guarded(spec, algorithm, setting, scenario, before)
        if result.error is None and used():
            message = "the plugin used a global random generator (numpy.random or random); draw from env.rng instead"
            return _failed(spec, before, "global-rng", f"{spec.label}: {message}")
    return result


def _guarded(
    spec: TrialSpec, algorithm: type[Algorithm], setting: Setting[Any, Any], scenario: Scenario[Any], before: float
) -> TrialResult:
    try:
        measurements, digest = evaluate(spec, algorithm, setting, scenario)
    except ContractError as error:
        return _failed(spec, before, "contract", f"{spec.label}: {error}")
    except MemoryError:
        return _failed(spec, before, "memory", f"{spec.label}: out of memory; use less, or raise the limit with --memory")
    except Exception as error:
        message = f"{spec.label}: {type(error).__name__}: {error}"
        return _failed(spec, before, "crash", message, traceback.format_exc(limit=-6))
    return TrialResult(spec, measurements, digest, time.process_time() - before)


def evaluate(
    spec: TrialSpec, algorithm: type[Algorithm], setting: Setting[Any, Any], scenario: Scenario[Any]
) -> tuple[dict[str, Measurement], str]:
    """Play the run and measure every claim that the regime calls for.

    Returns
    -------
    measurements : dict
        By claim name.
    digest : str
        Hash of the transcript.
    """
    instance = scenario.draw(spec.seed)
    regime = Regime.parse(spec.regime)
    session = setting.session(instance, _seeds(spec), algorithm.yields)
    width = make_width(algorithm, regime, session, setting.public(instance))
    claims = claims_in(algorithm, regime, scenario.family)
    measured = {claim.name: Measurement() for claim in claims}

    def measure_all(scope: Scope, view: Any) -> None:
        for claim in claims:
            if view is not None and claim.property.scope == scope:
                measured[claim.name] = measured[claim.name].merge(_measure(claim, view))

    agent = algorithm(setting.public(instance, algorithm.hidden), width, **dict(regime.options))
    with np.errstate(all="ignore"):
        for plan in agent.run(session.environment):
            measure_all("phase", session.observe(plan, width.take()))
    last, whole = session.finish()
    measure_all("phase", last)
    measure_all("run", whole)
    return measured, session.digest()


def claims_in(algorithm: type[Algorithm], regime: Regime, family: str = "") -> tuple[Claim, ...]:
    """The claims that a run in this regime evaluates: all but the assumptions, which need no run.

    On a member of a family of instances these are the scaling claims about that family.
    """
    if family:
        return tuple(c for c in algorithm.scaling if c.family == family and {regime.source, regime.name} & set(c.regimes))
    return tuple(
        claim
        for claim in algorithm.claims
        if claim.kind is not Kind.ASSUMPTION and {"*", regime.source, regime.name} & set(claim.regimes)
    )


def assumptions_of(algorithm: type[Algorithm], instance: Any) -> dict[str, Measurement]:
    """The assumption claims of an algorithm measured on an instance, without running anything."""
    return {claim.name: _measure(claim, instance) for claim in algorithm.claims if claim.kind is Kind.ASSUMPTION}


def make_width(algorithm: type[Algorithm], regime: Regime, session: Session[Any], public: Any) -> Width:
    """The width object of a regime."""
    if regime.source == "oracle":
        return Width(session.oracle, session.realised_error)
    published: dict[str, float] = {}

    def radius(of: str, step: int, target: Array) -> float:
        if of not in published:
            published[of] = regime.scale * _finite(algorithm.published_width(public, of), of)
        return published[of]

    return Width(radius)


def _finite(width: Any, of: str) -> float:
    if not isinstance(width, (int, float, np.floating)) or not 0 <= width < np.inf:
        raise ContractError(f"published_width(public, {of!r}) returned {width!r}, expected a finite number that is not negative")
    return float(width)


def _measure(claim: Claim, view: Any) -> Measurement:
    try:
        evaluate = measure_run if claim.kind in (Kind.EXPECTATION, Kind.LAW) else measure
        return evaluate(claim.property(view))
    except ContractError as error:
        raise ContractError(f"claim '{claim.name}': {error}") from None


def _seeds(spec: TrialSpec) -> Seeds:
    key = (spec.algorithm, spec.instance, spec.regime, spec.index)
    return Seeds(*(stream(spec.seed, purpose, *key) for purpose in ("environment", "adversary", "agent")))


@contextmanager
def _watched_global_rng(spec: TrialSpec) -> Iterator[Callable[[], bool]]:
    """Tells whether the global generators were used inside; they have their old state back afterwards.

    They start from a state of the trial's own: a plugin that seeds them itself would otherwise end its second trial in
    the state in which it began, and be found out or not depending on which worker ran what before.
    """
    before = random.getstate(), np.random.get_state()  # noqa: NPY002  # looking at the global generator is the point
    random.seed(spec.replay_id(""))
    np.random.seed(random.getrandbits(32))  # noqa: NPY002  # a state of the trial's own
    started = _global_rng()
    try:
        yield lambda: _global_rng() != started
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002  # as it was found


def _global_rng() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002  # to tell whether it was used
    return (random.getstate(), name, np.asarray(keys).tobytes(), *rest)


def _failed(spec: TrialSpec, before: float, kind: Any, message: str, trace: str = "") -> TrialResult:
    return TrialResult(spec, seconds=time.process_time() - before, error=TrialError(kind, message, trace))
