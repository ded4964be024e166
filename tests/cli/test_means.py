"""Claims in expectation, and with a failure probability of their own, from plugin to screen.

The claims that hold are called violated with probability at most 1e-3, the error budget; the seed is fixed.
"""

from __future__ import annotations

import jsonschema
import pytest

from verifier.record import schema

from .plugins import CommandLine, Outcome, algorithm

TOP = """
from verifier import Inequality, run_property

def about(kind, value, bound, **more):
    @run_property()
    def total(view):
        "The share of visits to state 0 in the run."
        return Inequality(value(view), bound, trivial=1.0)
    return lambda name: Claim(name, total, "Lemma 0", "Theorem 0", "E[v] <= b", kind, follows="pseudo-code", **more)

def share(view):
    return float(np.mean(view.states[:, 1:] == 0))

def odd(view):
    return -1.0
"""
CLAIMS = """
claims=(
    about(Kind.EXPECTATION, lambda view: 0.5 + share(view) / 2, 0.25)("too-large"),
    about(Kind.EXPECTATION, lambda view: share(view) / 2, 0.8, resolution=0.1)("slack"),
    about(Kind.PROBABILITY, share, 1.0, chance=0.25)("empty"),
    about(Kind.PROBABILITY, lambda view: share(view) / 2, 0.9, chance=0.25)("rare"),
), clauses=(), scaling=()
"""
BROKEN = "claims=(about(Kind.EXPECTATION, odd, 0.5)('odd'),), clauses=(), scaling=()"
FILTERS = ("--regime", "published", "--instance", "onehot", "--seed", "7", "--budget", "5min")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Outcome]:
    command = CommandLine(tmp_path_factory.mktemp("means"))
    command.install("means", algorithm("means", "", TOP, declares=CLAIMS))
    command.install("odd", algorithm("odd", "", TOP, declares=BROKEN))
    outcome = command.check("means", *FILTERS)
    return command, outcome


def test_means_and_rates_are_decided_over_seeds(shop: tuple[CommandLine, Outcome]) -> None:
    _, outcome = shop
    assert outcome.code == 1, outcome.words
    assert outcome.verdicts("means") == {"too-large": "violated", "slack": "conforms", "empty": "vacuous", "rare": "conforms"}
    jsonschema.Draft202012Validator(schema()).validate(outcome.record)
    claims = {claim["id"]: claim["regimes"][0] for claim in outcome.entry("means")["claims"]}
    assert claims["means/slack"]["reason"].endswith("the mean is at most 1.1 times the bound (level 0.01, decided after 3)")
    assert claims["means/rare"]["reason"].endswith("the failure rate is at most 0.25 (level 0.01)")
    low, high = claims["means/slack"]["interval"]
    assert low < claims["means/slack"]["value"] < high <= 1.1 * 0.8 + 1e-9
    assert outcome.entry("means")["ledger"]["entries"][0]["level"] == pytest.approx(1e-3 / 4)
    assert "✗ too-large" in outcome.out
    assert "the mean is above the bound" not in outcome.words  # the numbers say so
    assert "is false" in outcome.words


@pytest.mark.full
def test_the_number_of_workers_changes_nothing(shop: tuple[CommandLine, Outcome]) -> None:
    command, outcome = shop
    again = command.check("means", *FILTERS, "--jobs", "1", "--no-store", file="again.json")
    assert again.entry("means")["claims"] == outcome.entry("means")["claims"]


def test_a_single_run_of_a_violated_mean_is_not_called_broken(shop: tuple[CommandLine, Outcome]) -> None:
    command, outcome = shop
    line = outcome.entry("means")["claims"][0]["regimes"][0]
    again = command("replay", line["replay"])
    assert again.code == 0, again.words
    assert "a claim about the mean over runs, of which this is one" in again.words


def test_a_value_outside_its_range_is_an_error(shop: tuple[CommandLine, Outcome]) -> None:
    command, _ = shop
    outcome = command.check("odd", *FILTERS, file="odd.json")
    assert outcome.code == 4
    assert "claim 'odd': a claim in expectation: value -1 is negative" in outcome.words
