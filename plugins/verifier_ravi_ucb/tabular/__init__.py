"""RAVI-UCB for tabular MDPs."""
