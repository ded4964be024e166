"""A property that fails is an error of its claims, and of no other one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier import PSEUDO_CODE, UNBOUNDED, Claim, Inequality, Kind
from verifier.model.property import Property
from verifier.model.result import TrialSpec
from verifier.trials.measured import Measured
from verifier.trials.trial import run

from .test_expectation import campaign, registry


def claim(name: str, evaluate: Any) -> Claim:
    """A claim about the two draws of a run."""
    return Claim(
        name, Property(name, "run", evaluate, frozenset(), ""), "§3", "Theorem 1", "x ≤ y", Kind.ALWAYS, follows=PSEUDO_CODE
    )


def shared(view: Any) -> Inequality:
    raise LookupError(f"no such field, {view[0]:.3f} was drawn")


def sometimes(view: Any) -> Inequality:
    return Inequality(np.array([0.0, np.nan if view[0] < 0.5 else 0.0]), 1.0, ("h",), labels={"h": [1, 2]}, trivial=2.0)


HOLDS, FAILS = (lambda view: Inequality(view[0], 1.0, trivial=2.0)), (lambda view: Inequality(view[0], -1.0, trivial=2.0))
CLAIMS = (claim("one", shared), claim("holds", HOLDS), claim("two", shared), claim("fails", FAILS), claim("nan", sometimes))


def test_other_claims_have_their_verdict_and_one_cause_is_told_once() -> None:
    _, entry = campaign(registry(*CLAIMS), trials=20)
    assert {item.id.partition("/")[2]: item.verdict for item in entry.claims} == {
        "one": "error", "holds": "conforms", "two": "error", "fails": "violated", "nan": "error",
    }  # fmt: skip
    raised, compared = entry.errors
    assert (raised.kind, compared.kind) == ("crash", "contract")
    assert "claims 'one', 'two': LookupError: no such field" in raised.message
    assert __name__ in raised.message
    assert "in shared" in raised.traceback
    assert "claim 'nan': a property compared NaN: its value is NaN at h 2;" in compared.message
    assert entry.unfinished == ""


def test_where_every_claim_fails_no_further_trials_are_run() -> None:
    _, entry = campaign(registry(claim("one", shared), claim("two", shared)), trials=20)
    assert entry.trials_finished == len({item.instance for claim in entry.claims for item in claim.regimes})
    assert len(entry.errors) == 1


def test_a_claim_is_not_evaluated_again_in_a_trial_after_it_failed() -> None:
    calls: list[int] = []

    def counts(view: Any) -> Inequality:
        calls.append(view)
        return shared([view])

    measured = Measured((claim("counts", counts), claim("holds", lambda view: Inequality(view, 3.0, trivial=UNBOUNDED))))
    for view in (0, 1, 2):
        measured.add("run", view)
    assert calls == [0]
    assert measured.found["holds"].comparisons == 3
    assert measured.failed.keys() == {"counts"}


@pytest.mark.parametrize("error", [SystemExit(0), RecursionError("deep")])
def test_whatever_a_property_raises(error: BaseException) -> None:
    def raises(view: Any) -> Inequality:
        raise error

    measured = Measured((claim("raises", raises), claim("holds", HOLDS)))
    measured.add("run", (0.5,))
    assert (measured.found.keys(), measured.failed.keys()) == ({"holds"}, {"raises"})


def test_running_out_of_memory_is_the_trials() -> None:
    def raises(view: Any) -> Inequality:
        raise MemoryError

    with pytest.raises(MemoryError):
        Measured((claim("raises", raises),)).add("run", (0.5,))


def test_a_result_says_of_each_claim_why_it_was_not_measured() -> None:
    plugins = registry(*CLAIMS)
    (guarantees,) = plugins.guarantees.values()
    scenario = plugins.setting(guarantees.algorithm.setting).catalogue[0]
    spec = TrialSpec(guarantees.name, scenario.name, "published", 0, 0)
    result = run(spec, guarantees, plugins.setting(guarantees.algorithm.setting))
    assert result.error is None
    assert result.failure("holds") is None
    assert {"one", "two"} <= result.unmeasured.keys()
    assert result.measurements.keys() | result.unmeasured.keys() == {item.name for item in CLAIMS}
