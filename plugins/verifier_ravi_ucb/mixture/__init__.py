"""RAVI-UCB for linear mixture MDPs."""
