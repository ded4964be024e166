"""LSVI-UCB."""
