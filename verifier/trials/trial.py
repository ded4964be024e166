"""Trial: an algorithm on an instance in a regime with a seed, and the measurements of all its claims."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError, VerifierError
from verifier.base.seeds import stream
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim, Kind
from verifier.model.fork import Fork, Forks
from verifier.model.guarantees import Guarantees
from verifier.model.measurement import Measurement
from verifier.model.oracle import Oracle
from verifier.model.regime import Regime
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.model.setting import Scenario, Seeds, Session, Setting
from verifier.model.width import Width
from verifier.plugins.failure import AgentError, failure_of
from verifier.plugins.watch import GLOBAL_RNG, watched_rng
from verifier.trials.agents import provided
from verifier.trials.fork import Beginning, Opened, Unrevealed, Widths, forks, unrevealed
from verifier.trials.measured import Measured, measure_claim

Published = Callable[[str], float]


def run_trial(
    spec: TrialSpec, adapted: Callable[[Setting[Any, Any]], Setting[Any, Any]] | None = None, explained: bool = True
) -> TrialResult:
    """Run a trial of an installed algorithm; failures of the plugin become a `TrialError`.

    Parameters
    ----------
    spec : TrialSpec
        Names are looked up among the installed plugins.
    adapted : callable, optional
        Gives the setting that takes the place of the algorithm's own.
    explained : bool
        Whether it is looked for how claims fail.
    """
    from verifier.plugins.registry import registry

    try:
        known = registry(spec.algorithm)
        guarantees = known.guarantees_of(spec.algorithm)
        setting = known.setting(guarantees.algorithm.setting)
    except VerifierError as error:
        return TrialResult(spec, error=TrialError("load", str(error)))
    return run(spec, guarantees, setting if adapted is None else adapted(setting), explained)


def run(spec: TrialSpec, guarantees: Guarantees, setting: Setting[Any, Any], explained: bool = True) -> TrialResult:
    """Run a trial of an algorithm, and measure what is declared of it; with `explained`, say how what fails does."""
    scenario = setting.scenario(spec.instance)
    if scenario is None:
        return TrialResult(spec, error=TrialError("load", f"setting {setting.name!r} has no instance {spec.instance!r}"))
    started = _clock(spec)
    failure: TrialError | None = None
    try:
        with watched_rng(spec.replay_id("")) as used:
            result = evaluate(spec, guarantees, setting, scenario, explained)
            if used():
                failure = TrialError("global-rng", GLOBAL_RNG)
    except AgentError as error:
        failure = error.failure
    except Exception as error:
        failure = failure_of(error)
    seconds = _clock(spec) - started
    if failure is None:
        return replace(result, seconds=seconds)
    return TrialResult(spec, seconds=seconds, error=replace(failure, message=f"{spec.label}: {failure.message}"))


def _clock(spec: TrialSpec) -> float:
    """Processor time so far, that of the agents' processes included."""
    return time.process_time() + (provided().processor_time() if spec.blind else 0.0)


def evaluate(
    spec: TrialSpec, guarantees: Guarantees, setting: Setting[Any, Any], scenario: Scenario[Any], explained: bool = True
) -> TrialResult:
    """Play the run and measure every claim that the regime calls for."""
    stage = _Stage(spec, guarantees, setting, scenario.draw(spec.seed))
    claims = chosen(claims_in(guarantees, None if spec.claims else stage.regime, scenario.family), spec.claims)
    measured = Measured(claims, guarantees.algorithm.precision, explained)
    session, plans = stage.opened(lambda rng: rng)
    forked = any(claim.property.scope == "fork" for claim in claims)
    beginning = Beginning() if forked else None
    hidden = Unrevealed(setting.unrevealed[0]) if forked and setting.unrevealed else None
    watching = [record for record in (beginning, hidden) if record is not None]
    for record in watching:
        record.watch(session.environment)
    looking_back = (claim.property for claim in claims if claim.property.scope == "run" and claim.property.looks_back)
    session.remember(frozenset[str]().union(*(of_run.needs for of_run in looking_back)))
    for plan, widths in plans:
        for record in watching:
            record.plan(plan)
        measured.asked(widths)
        measured.add("phase", session.observe(plan, widths))
    last, whole = session.finish()
    stage.require_asked()
    measured.add("phase", last)
    measured.add("run", whole)
    if beginning is not None:
        again = None if hidden is None else partial(stage.otherwise, hidden)
        measured.add("fork", Forks(stage.public, forks(stage.opened, _stream(spec, "fork"), beginning), again))
    return TrialResult(spec, measured.found, session.digest(), unmeasured=measured.failed)


def played(spec: TrialSpec, guarantees: Guarantees, setting: Setting[Any, Any], scenario: Scenario[Any]) -> tuple[Any, Any]:
    """Public part of the instance of a trial, and the view on the whole run; no claim is measured."""
    instance = scenario.draw(spec.seed)
    session, plans = _Stage(spec, guarantees, setting, instance).opened(lambda rng: rng)
    for plan, widths in plans:
        session.observe(plan, widths)
    return setting.public(instance), session.finish()[1]


class _Stage:
    """An algorithm and an instance, on which any number of runs with the same seeds can be opened."""

    def __init__(self, spec: TrialSpec, guarantees: Guarantees, setting: Setting[Any, Any], instance: Any) -> None:
        self._spec, self._setting, self._instance = spec, setting, instance
        self._algorithm, self._oracles = guarantees.algorithm, guarantees.oracles
        self.regime = Regime.parse(spec.regime)
        self.public = setting.public(instance, self._algorithm.hidden)
        self._width: Width | None = None

    def otherwise(self, usual: Unrevealed) -> Fork:
        """The trial, played again on the same problem that reveals something else, against what was done in it."""
        assert self._setting.unrevealed is not None
        method, other = self._setting.unrevealed
        instance = other(self._instance, _stream(self._spec, "unrevealed"))
        return unrevealed(self.opened(lambda rng: rng, instance), usual, method)

    def opened(self, change: Callable[[np.random.Generator], np.random.Generator], instance: Any = None) -> Opened:
        """The harness's side of a run, and what the agent yields in it with the widths it was handed.

        Parameters
        ----------
        change : callable
            What becomes of the generator that the environment draws from.
        instance : object, optional
            By default that of the trial.
        """
        instance = self._instance if instance is None else instance
        seeds = Seeds(*(_stream(self._spec, purpose) for purpose in ("environment", "adversary", "agent")))
        seeds = replace(seeds, environment=change(seeds.environment))
        session = self._setting.session(instance, seeds, self._algorithm.yields)
        if self._algorithm.extra:
            session.declare(self._algorithm.extra)
        supplied = {of: oracle(instance, session.transcript) for of, oracle in self._oracles.items()}
        width = make_width(self._algorithm, self.regime, session, self.public, self._published, supplied)
        self._width = self._width or width
        return session, self._yielded(session.environment, width, seeds.agent)

    def require_asked(self) -> None:
        """Refuse a first run without a question for a width, of a class that declares some: claims about it would say nothing."""
        assert self._width is not None
        algorithm = self._algorithm
        if not self._width.asked and algorithm.promises_to_ask(self.public):
            names, regimes = ", ".join(algorithm.width_names), ", ".join(algorithm.regimes)
            raise ContractError(
                f"the class declares widths ({names}) and regimes ({regimes}), and the run never asked for a width; "
                'call self.width(h, V[h + 1], of=...) where it plans, or say `width_names = ()` and `regimes = ("published",)`'
            )

    @cached_property
    def _published(self) -> Published | None:
        if not self._spec.blind or self.regime.source not in ("published", "scaled"):
            return None
        return provided().published_widths(self._algorithm, self.public)

    def _yielded(self, environment: Any, width: Width, rng: np.random.Generator) -> Generator[tuple[Any, Widths]]:
        with np.errstate(all="ignore"), closing(self._plans(environment, width, rng)) as plans:
            for plan in plans:
                yield plan, width.take()

    def _plans(self, environment: Any, width: Width, rng: np.random.Generator) -> Generator[Any]:
        """Plans of the algorithm, in this process or in blind mode."""
        options = dict(self.regime.options)
        if self._spec.blind:
            yield from provided().plans(self._algorithm, self.public, options, environment, width, rng)
        else:
            if self._algorithm.hidden and hasattr(environment, "public"):
                environment.public = self.public  # there, too, what is hidden is hidden
            yield from self._algorithm(self.public, width, **options).run(environment)


def claims_in(guarantees: Guarantees, regime: Regime | None, family: str = "") -> tuple[Claim, ...]:
    """The claims that a run in this regime evaluates: all but the assumptions, which need no run.

    On a member of a family of instances these are the scaling claims about that family. Without a regime they are those of any,
    and on a family all others, too: a claim that is asked for by name is measured wherever its run is, such as regret at another
    width.
    """
    growing = tuple(claim for claim in guarantees.scaling if claim.family == family and _is_in(claim, regime)) if family else ()
    if family and regime is not None:
        return growing
    return growing + tuple(claim for claim in guarantees.claims if claim.kind is not Kind.ASSUMPTION and _is_in(claim, regime))


def _is_in(claim: Claim, regime: Regime | None) -> bool:
    return regime is None or bool({"*", regime.source, regime.name} & set(claim.regimes))


def chosen(claims: Sequence[Claim], names: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of these names in the order of the names; all of them where there is no name."""
    return tuple(sorted((c for c in claims if c.name in names), key=lambda c: names.index(c.name))) if names else tuple(claims)


def assumptions_of(guarantees: Guarantees, instance: Any, claims: Sequence[Claim] | None = None) -> dict[str, Measurement]:
    """Assumption claims of an algorithm measured on an instance, without running anything.

    Parameters
    ----------
    guarantees : Guarantees
    instance : object
    claims : sequence of Claim, optional
        Where only some claims are evaluated: the assumptions are those among them, and those they assume.
    """
    of = guarantees.claims if claims is None else claims
    needed = {claim.name for claim in of}.union(*(claim.assumes for claim in of))
    assumptions = (claim for claim in guarantees.claims if claim.kind is Kind.ASSUMPTION and claim.name in needed)
    return {claim.name: measure_claim(claim, instance) for claim in assumptions}


class _Supplied:
    """Widths of the oracle regime that the plugin supplies; the session supplies the others."""

    def __init__(self, session: Session[Any], oracles: Mapping[str, Oracle]) -> None:
        self._session, self._oracles = session, oracles

    def oracle(self, of: str, step: int, target: Array) -> float:
        return self._oracles[of].width(step, target) if of in self._oracles else self._session.oracle(of, step, target)

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        return self._oracles[of].error(step, target) if of in self._oracles else self._session.realised_error(of, step, target)


def make_width(
    algorithm: type[Algorithm],
    regime: Regime,
    session: Session[Any],
    public: Any,
    published: Published | None = None,
    supplied: Mapping[str, Oracle] = MappingProxyType({}),
) -> Width:
    """The width object of a regime.

    Parameters
    ----------
    algorithm : type
    regime : Regime
    session : Session
    public : object
        What the agent may know; the published widths follow from it.
    published : callable, optional
        Maps the name of a width to its published value; by default the algorithm is asked, in this process.
    supplied : mapping of str to Oracle
        By name of a width, what the plugin puts in its place in the oracle regime; the session has the others.
    """
    if regime.source == "oracle":
        truth = _Supplied(session, supplied) if supplied else session
        return Width(truth.oracle, truth.realised_error, watch=session.asked, note=session.answered)
    if regime.source == "calibrated":
        return Width(session.calibrated, watch=session.asked, note=session.answered)
    value_of = published or partial(algorithm.published_width, public)
    known: dict[str, float] = {}

    def radius(of: str, step: int, target: Array) -> float:
        if of not in known:
            known[of] = regime.scale * _finite(value_of(of), of)
        return known[of]

    return Width(radius, watch=session.asked, note=session.answered)


def _finite(width: Any, of: str) -> float:
    if not isinstance(width, (int, float, np.floating)) or not 0 <= width < np.inf:
        raise ContractError(f"published_width(public, {of!r}) returned {width!r}, expected a finite number that is not negative")
    return float(width)


def _stream(spec: TrialSpec, purpose: str) -> np.random.Generator:
    return stream(spec.seed, purpose, spec.algorithm, spec.instance, spec.regime, spec.index)
