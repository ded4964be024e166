"""The paper of all algorithms here."""

from __future__ import annotations

PAPER = "Efficient Reinforcement Learning in Factored MDPs with Application to Constrained RL (ICLR 2021)"
