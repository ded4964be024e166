"""The main theorem that each algorithm declares is that of its paper: which one, was read off the papers by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.model.discovery import guarantees_in

PACKAGES = sorted(path.name for path in (Path(__file__).parents[2] / "plugins").iterdir() if path.is_dir())
DECLARED = {guarantees.name: guarantees for package in PACKAGES for guarantees in guarantees_in(package)}

MAIN = {
    "cvar-lsvi": ("near-optimum", "Theorem B.2"),  # the planner
    "ela": ("regret", "Theorem 4.1"),
    "ella": ("", "Theorems 5.1, B.3"),  # both algorithms together: 5.1 is B.3 without its constants
    "flat-ch": ("", "Theorem 5"),  # with one factor; claimed of FMDP-CH
    "fmdp-bf": ("regret", "Theorems 2, 6"),  # 6 is 2 with its probability and its logarithms
    "fmdp-ch": ("regret", "Theorem 5"),
    "knapsack": ("", "Theorem 4"),
    "lsvi-rfe": ("loss", "Theorem 4.2"),
    "ravi-ucb-mixture": ("regret", "Theorem 5.6"),
    "ravi-ucb-tabular": ("regret", "§5.1"),  # its regret is in the text, without a number
    "lsvi-ucb": ("regret", "Theorem 3.1"),
    "moss": ("", "regret of MOSS"),
    "kl-ucb": ("regret", "Theorem 2"),
    "thompson": ("", "Theorems 1 and 2"),
    "ucb1": ("regret", "Theorem 1"),
    "oful": ("regret", "Theorem 3"),
    "exp3": ("regret", "Theorem 3.1"),
    "mvp": ("regret", "Theorem 1"),
    "psrl": ("bayes-regret", "Theorem 1"),
    "rlsvi": ("regret", "Theorem 1"),
    "ucb-bernstein": ("regret", "Theorem 2"),
    "ucb-hoeffding": ("regret", "Theorem 1"),
    "ucbvi-bf": ("regret", "Theorem 2"),
    "ucbvi-ch": ("regret", "Theorem 1"),
    "rf-ucrl": ("certified", "Theorem on sample complexity"),  # its number was not read
    "bpi-ucrl": ("certified", "Theorem on sample complexity"),  # likewise
    "ucrl2": ("regret", "Theorem 2"),
    "ucrl-vtr": ("regret", "Corollary 2"),  # Theorem 1 for linear mixtures, with this algorithm's confidence sets
    "scool-lsvi-ucb": ("", "Theorem 3.1"),
    "scool-ucbvi": ("regret", "Theorem 1"),
    "lifelong-lsvi": ("regret", "Theorem 1"),
    "ucblvd": ("regret", "Theorem 2"),
    "ucblvd-unknown-rewards": ("regret", "Theorem 3"),
    "ucblvd-modified": ("regret", "Theorem 4"),
    "lifelong-lsvi-sharing": ("regret", "Theorem 5"),
}
"""Name of the claim, empty where none states it, and where the theorem stands, both read off the papers."""


def test_all_algorithms_are_listed() -> None:
    assert DECLARED.keys() == MAIN.keys()


@pytest.mark.parametrize("name", MAIN)
def test_the_main_theorem_is_that_of_the_paper(name: str) -> None:
    guarantees = DECLARED[name]
    claims = {claim.name: claim.source for claim in guarantees.every_claim}
    clauses = {clause.key: clause.source for clause in guarantees.clauses}
    claim = guarantees.theorem if guarantees.theorem in claims else ""
    assert (claim, {**clauses, **claims}[guarantees.theorem]) == MAIN[name]
