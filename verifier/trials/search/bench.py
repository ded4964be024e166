"""Runs an algorithm on a drawn instance: for the search, and again for a witness of it.

A drawn instance goes through the machinery of every other trial: session, width, properties, premises, the guard of the worker.
A claim whose assumption fails on the instance does not count there.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from verifier.base.errors import ContractError, PluginError, UsageError
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.inequality import Inequality
from verifier.model.measurement import Measurement
from verifier.model.property import Property
from verifier.model.regime import Regime
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.model.setting import Recipe, Scenario, Setting
from verifier.trials.search.witness import DRAWN, Witness
from verifier.trials.trial import assumptions_of, claims_in, run
from verifier.trials.worker import result_of

SEARCHED = (Kind.IDENTITY, Kind.ALWAYS, Kind.GIVEN)
"""Kinds of claims that one failed comparison refutes."""

_RUN = "drawn-run"


@dataclass(frozen=True)
class Outcome:
    """Result of a run on a drawn instance.

    Parameters
    ----------
    measurements : mapping of str to Measurement
        By name, of the claims that apply to the instance.
    error : TrialError, optional
        How the plugin failed.
    digest : str
        Hash of the transcript.
    transcript : str
        The run, to be read; empty if it did not come to its end.
    """

    measurements: Mapping[str, Measurement]
    error: TrialError | None = None
    digest: str = ""
    transcript: str = ""


def searched(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Claims that a search can refute."""
    return tuple(claim for claim in claims if claim.kind in SEARCHED)


@dataclass
class Bench:
    """Runs an algorithm on drawn instances, in one regime.

    Parameters
    ----------
    guarantees : Guarantees
    setting : Setting
    claims : tuple of Claim
        What is measured.
    regime : str
    seed : int
    blind : bool
        Whether agents run in processes of their own.
    """

    guarantees: Guarantees
    setting: Setting[Any, Any]
    claims: tuple[Claim, ...]
    regime: str
    seed: int
    blind: bool = False
    _runs: list[Any] = field(default_factory=list, init=False)
    _probed: Guarantees = field(init=False)

    def __post_init__(self) -> None:
        # A claim that always holds hands over the view on the run, from which the transcript is printed.
        probe = Property(_RUN, "run", self._keep, frozenset(), "Keeps the run.", any_length=True)
        extra = Claim(_RUN, probe, source="", theorem="", statement="", kind=Kind.ALWAYS)
        self._probed = replace(self.guarantees, claims=(*self.claims, extra))

    def _keep(self, view: Any) -> Inequality:
        self._runs.append(view)
        return Inequality(0.0, 0.0, trivial=0.0)

    def play(self, recipe: Recipe[Any], index: int, explained: bool = False) -> Outcome:
        """Run one trial; an exception of the plugin becomes an error of the outcome.

        How claims fail takes longer to find out than that they do, and only of a witness it is read.
        """
        self._runs.clear()
        failed: set[str] = set()

        def task(spec: TrialSpec) -> TrialResult:
            instance = recipe.build()
            try:
                assumptions = assumptions_of(self.guarantees, instance, self.claims)
            except ContractError as error:
                return TrialResult(spec, error=TrialError("contract", f"{spec.label}: {error}"))
            failed.update(name for name, found in assumptions.items() if found.violations)
            drawn = Scenario(DRAWN, "drawn by the search", lambda rng: instance)  # it is not drawn again
            return run(spec, self._probed, replace(self.setting, catalogue=(drawn,)), explained)

        with _silence():
            result = result_of(task, TrialSpec(self.guarantees.name, DRAWN, self.regime, index, self.seed, self.blind))
        applicable = [claim.name for claim in self.claims if not failed & set(claim.assumes)]
        if result.error is not None:
            # Where no claim applies, nothing is promised, and not that the agent runs: it may refuse such an instance.
            promised = any(claim.kind is not Kind.ASSUMPTION for claim in self.claims if claim.name in applicable)
            return Outcome({}, result.error if promised else None)
        measurements = {name: result.measurements[name] for name in applicable if name in result.measurements}
        unmeasured = (self._unmeasured(result, name) for name in applicable if name in result.unmeasured)
        return Outcome(measurements, next(unmeasured, None), result.digest, recipe.transcript(self._runs[-1]))

    def _unmeasured(self, result: TrialResult, name: str) -> TrialError:
        failure = result.unmeasured[name]
        return replace(failure, message=f"{result.spec.label}: claim '{name}': {failure.message}")

    def witness(self, recipe: Recipe[Any], index: int, claim: Claim | None) -> Witness:
        """Run a trial and put down what it says about a claim, or about the plugin."""
        outcome = self.play(recipe, index, explained=True)
        return Witness(
            self.guarantees.name,
            claim.name if claim else "",
            self.setting.name,
            recipe.to_json(),
            self.regime,
            self.seed,
            index,
            outcome.measurements.get(claim.name) if claim else None,
            outcome.error,
            outcome.digest,
            source=claim.source if claim else "",
            status=claim.status.value if claim else "",
            kind=claim.kind.value if claim else "",
            statement=claim.statement if claim else "",
            given=claim.given if claim else "",
            tables=recipe.tables(),
            legend=recipe.legend,
            transcript=outcome.transcript,
        )


def replay(witness: Witness, guarantees: Guarantees, setting: Setting[Any, Any], blind: bool = False) -> Witness:
    """Run the trial of a witness again.

    Parameters
    ----------
    witness : Witness
    guarantees : Guarantees
        Of the algorithm.
    setting : Setting
    blind : bool
        Whether the agent runs in a process of its own.

    Returns
    -------
    Witness
        The same trial with what it gives now; equal to the one given unless the plugin or the harness has changed.

    Raises
    ------
    UsageError
        If the algorithm has no such claim any more, or the setting cannot read the recipe.
    """
    recipes = setting.recipes
    regime = Regime.parse(witness.regime)
    claims = [claim for claim in searched(claims_in(guarantees, regime)) if witness.claim in ("", claim.name)]
    if recipes is None or not claims:
        raise UsageError(
            f"witness {witness.id} is of {witness.algorithm}/{witness.claim} in regime {witness.regime}, which is not "
            "searched any more; search again with this version"
        )
    try:
        recipe = recipes.from_json(witness.recipe)
    except (TypeError, ValueError, KeyError) as error:
        raise UsageError(
            f"witness {witness.id} has a recipe that setting {setting.name} cannot read ({error}); search again"
        ) from error
    bench = Bench(guarantees, setting, tuple(claims), regime.name, witness.seed, blind)
    return bench.witness(recipe, witness.index, claims[0] if witness.claim else None)


def replayed_measurement(witness: Witness, guarantees: Guarantees, setting: Setting[Any, Any]) -> Measurement:
    """The measurement of a witness again, bit for bit.

    Raises
    ------
    PluginError
        If the plugin fails in this run, as it does for a witness of that.
    UsageError
        As in `replay`; also if the claim does not apply to the instance any more.
    """
    again = replay(witness, guarantees, setting)
    if again.error is not None:
        raise PluginError(again.error.message)
    if again.measurement is None:
        raise UsageError(
            f"witness {witness.id}: nothing fails any more, or the claim does not apply to the instance; search again"
        )
    return again.measurement


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Throw away what a plugin prints and warns of, as in a worker."""
    with (
        open(os.devnull, "w") as null,
        contextlib.redirect_stdout(null),
        contextlib.redirect_stderr(null),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # those of plugins, as in a worker
        yield
