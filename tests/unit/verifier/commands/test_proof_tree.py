"""`verifier explain --proof`: what a theorem rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.base.errors import UsageError
from verifier.commands.proof_tree import WIDTH, proof_tree
from verifier.plugins.registry import registry

NOWHERE = Path("there is no store here")


def test_the_tree_leads_from_the_theorem_to_lines_and_assumptions() -> None:
    text = proof_tree(registry("ucbvi-ch"), "ucbvi-ch", NOWHERE)
    lines = text.splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    top = next(number for number, line in enumerate(lines) if line.startswith("regret (Theorem 1)  R_K ≤"))
    assert lines[top + 1].startswith("├─ coverage (Lemma 18)")
    assert lines[top + 2].startswith("│  ├─ value-confidence (Appendix B.2)")
    assert "(§2, assumption)" in text
    assert "bonus-formula (Algorithm 3, a line)  b_k(s,a) = 7HL" in text


def test_a_claim_is_unfolded_once() -> None:
    text = proof_tree(registry("ucbvi-ch"), "ucbvi-ch/regret", NOWHERE)
    assert text.count("q-formula (Algorithm 2, a line)  Q_{k,h} =") == 1
    assert text.count("q-formula (Algorithm 2, a line) …") == 3


def test_one_claim_alone() -> None:
    assert proof_tree(registry("ucbvi-ch"), "ucbvi-ch/kernel", NOWHERE).splitlines()[3:] == [
        "kernel (Algorithm 2, a line)  P̂_k(y|s,a) = N_k(s,a,y) / N_k(s,a) where N_k(s,a) > 0",
        "└─ visits (Algorithm 1, a line)  N_k(s,a) counts all steps",
    ]


def test_what_has_no_proof_is_refused() -> None:
    with pytest.raises(UsageError, match="no claim 'regrets'"):
        proof_tree(registry("ucbvi-ch"), "ucbvi-ch/regrets", NOWHERE)
