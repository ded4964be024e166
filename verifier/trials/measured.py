"""Claims measured on what a trial shows, one apart from the other: a property that fails is no fault of other claims."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.claim import Claim, Kind
from verifier.model.inequality import Inequality
from verifier.model.measurement import NOTHING, Measurement, NotANumberError, measure
from verifier.model.precision import with_rounding_of
from verifier.model.property import Scope
from verifier.model.result import TrialError
from verifier.plugins.failure import failure_of
from verifier.statistics.evidence import measure_evidence
from verifier.statistics.expectation import measure_run
from verifier.trials.differences.explained import Explained
from verifier.trials.differences.pairs import PAIR, split_place

NO_WIDTH = "nothing was compared, and the agent asks for no width"
NO_TARGET = "nothing was compared: the agent asks for its width without a value function, expected width(h, V[h + 1], of=...)"

_AROUND = ("verifier.trials.", "verifier.model.", "verifier.statistics.", "verifier.base.", "numpy", "scipy", "functools")
"""Modules whose lines lead nobody to what is wrong with a property."""


class Measured:
    """Measurements of some claims on the views up to now.

    A claim that compares a width which was never asked for says nothing of the run, neither for nor against it.

    Parameters
    ----------
    claims : sequence of Claim
    precision : str
        What the agent computes in, see `Algorithm.precision`.
    explained : bool
        Whether it is looked for how claims fail.

    Attributes
    ----------
    failed : dict of str to TrialError
        Of claims whose property raised something or compared what is not a number.
    """

    def __init__(self, claims: Sequence[Claim], precision: str = "double", explained: bool = True) -> None:
        self._claims, self._precision = claims, precision
        self._found = {claim.name: NOTHING for claim in claims}
        told = [claim for claim in claims if explained and (claim.kind is Kind.LAW or not _of_many_runs(claim))]
        self._explained = {claim.name: Explained() for claim in told}
        self.failed: dict[str, TrialError] = {}
        self._no_width = NO_WIDTH

    def asked(self, widths: Mapping[tuple[str, int], tuple[float, Array]]) -> None:
        """Take note of the questions before a plan: an agent that asked without a target did ask for a width."""
        if any(not target.size for _width, target in widths.values()):
            self._no_width = NO_TARGET

    @property
    def found(self) -> dict[str, Measurement]:
        """Measurements by name of claim, with how those that fail do."""
        told = {name: explained.difference() for name, explained in self._explained.items()}
        return {name: replace(found, difference=told[name]) if told.get(name) else found for name, found in self._found.items()}

    def add(self, scope: Scope, view: Any) -> None:
        """Measure the claims of a scope on a view; on None nothing."""
        for claim in self._claims:
            if view is not None and claim.property.scope == scope and claim.name in self._found:
                self._add(claim, view)

    def _add(self, claim: Claim, view: Any) -> None:
        try:
            inequality = with_rounding_of(self._precision, claim.property(view))
            found = _measured(claim, inequality, view)
            lacks = not found.comparisons and not _asks(view)
            before = self._found[claim.name]
            found = replace(
                found, missing=self._no_width if lacks else found.missing, tested=_tested(inequality, found, before.tested)
            )
            self._found[claim.name] = before.merge(found)
            if claim.name in self._explained:
                tells = claim.kind is Kind.LAW and inequality.explanations  # a run decides nothing of a law, and may tell of it
                self._explained[claim.name].add(inequality, replace(found, violations=1) if tells else found, view)
        except NotANumberError as error:
            if _asks(view):
                self._fail(claim, error)
            else:
                self._found[claim.name] = self._found[claim.name].merge(Measurement(missing=self._no_width))
        except MemoryError:
            raise  # the trial's: any claim may have been the one too many
        except (Exception, SystemExit) as error:
            self._fail(claim, error)

    def _fail(self, claim: Claim, error: BaseException) -> None:
        failure = failure_of(error)
        self.failed[claim.name] = replace(failure, message=f"{failure.message} ({_where(claim, error)})")
        del self._found[claim.name]


_MEASURES = {Kind.EXPECTATION: measure_run, Kind.LAW: measure_evidence}


def _tested(inequality: Inequality, found: Measurement, known: int) -> int:
    """Parts of a formula on which what was compared depends; of one that fails, those known before."""
    if inequality.stated is None or not inequality.identity or found.violations or not found.powered:
        return known
    statement, scope = inequality.stated
    parts: int = statement.tested(scope, inequality, known)
    return parts


def _of_many_runs(claim: Claim) -> bool:
    return claim.kind.statistical or claim.kind is Kind.SCALING


def _asks(view: Any) -> bool:
    """Whether the agent asked for a width, as far as the view knows."""
    return bool(getattr(view, "asks", True))


def _measured(claim: Claim, inequality: Inequality, view: Any) -> Measurement:
    found = _MEASURES.get(claim.kind, measure)(inequality)
    return replace(found, place=split_place(found.place, view)) if PAIR in found.place else found


def _where(claim: Claim, error: BaseException) -> str:
    """The innermost line of a property, or of what it reads, that was running; else where the property is defined."""
    lines = [(str(frame.f_globals.get("__name__", "")), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [(module, line) for module, line in lines if not module.startswith(_AROUND)]
    if own:
        module, line = own[-1]
        return f"{module}, line {line}"
    code = inspect.unwrap(claim.property.function).__code__ if inspect.isfunction(claim.property.function) else None
    return f"{claim.property.function.__module__}, line {code.co_firstlineno}" if code else f"property {claim.property.name}"


def measure_claim(claim: Claim, view: Any) -> Measurement:
    """A claim measured on a view of the scope of its property.

    Raises
    ------
    ContractError
        As `measure`, with the name of the claim.
    """
    try:
        return _measured(claim, claim.property(view), view)
    except ContractError as error:
        raise ContractError(f"claim '{claim.name}': {error}") from None
