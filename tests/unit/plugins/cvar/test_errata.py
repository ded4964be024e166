"""Every erratum of the paper: what it shows, and where it is listed."""

from __future__ import annotations

import pytest

from verifier import Guarantees
from verifier.commands.errata import WIDTH, errata
from verifier.model.erratum import Refutation
from verifier.plugins.registry import Registry, registry
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.errata import ERRATA

from ....installed import guaranteed

BY_NAME = {erratum.name: erratum for erratum in ERRATA}
CLAIMS = {f"{algorithm.name}/{claim.name}" for algorithm in (ELA, ELLA, CVaRLSVI) for claim in guaranteed(algorithm).claims}


def refutation(name: str) -> Refutation:
    return BY_NAME[name].counterexample()


@pytest.mark.parametrize("name", BY_NAME)
def test_the_counterexample_refutes_what_is_printed_and_satisfies_what_is_corrected(name: str) -> None:
    found = refutation(name)
    assert found.printed_holds is False
    assert found.corrected_holds is True
    assert found == refutation(name)


def test_names_are_unique_and_claims_are_named() -> None:
    assert len(BY_NAME) == len(ERRATA) == 11
    assert {claim for erratum in ERRATA for claim in erratum.claims} <= CLAIMS


def test_all_errata_fit_the_screen() -> None:
    found = errata(Registry({"ela": Guarantees(ELA, errata=ERRATA)}, plugin_of={"ela": ("shelf", "1")}), ("ela",))
    text, confirmed = found.text, found.confirmed
    assert confirmed
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "…" not in text
    assert f"{len(ERRATA)} of {len(ERRATA)} counterexamples" in text


def test_the_algorithms_are_registered() -> None:
    assert {"ela", "cvar-lsvi"} <= set(registry().guarantees)
