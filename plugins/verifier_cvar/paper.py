"""The paper of all three algorithms."""

from __future__ import annotations

PAPER = "Provably Efficient CVaR RL in Low-rank MDPs (ICLR 2024)"
