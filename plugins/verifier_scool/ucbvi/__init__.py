"""`rlberry_scool.agents.UCBVIAgent` and the claims of the theorems it cites."""
